package ssh

import (
	"context"
)

// jump is a connection to a jump host. All connections through the host share it.
type jump struct {
	route string
	users int           // guarded by Dialer.mu
	done  chan struct{} // closed when the connection was made or has failed
	link  *link         // valid once done is closed; nil: see err
	err   error
}

// acquire returns the connection to a jump host, and makes it if necessary. The caller must release it.
func (d *Dialer) acquire(ctx context.Context, l *login) (*jump, error) {
	d.mu.Lock()
	h := d.via[l.route()]
	if h != nil && h.over() {
		delete(d.via, h.route)
		h = nil
	}
	if h == nil {
		if d.ctx.Err() != nil {
			d.mu.Unlock()
			return nil, failure(ErrUnreachable, errClosed, "%v", errClosed)
		}
		h = &jump{route: l.route(), done: make(chan struct{})}
		d.via[h.route] = h
		// Other callers wait for the same connection, so it does not end with the context of the first caller.
		d.wait.Go(func() {
			lk, err := d.connect(d.ctx, l)
			d.mu.Lock()
			h.link, h.err = lk, err
			unused := h.users == 0
			if unused || err != nil {
				d.forget(h)
			}
			d.mu.Unlock()
			close(h.done)
			if unused && lk != nil {
				lk.end(errClosed)
			}
		})
	}
	h.users++
	d.mu.Unlock()

	select {
	case <-h.done:
		if h.err != nil {
			d.release(h)
			return nil, h.err
		}
		return h, nil
	case <-ctx.Done():
		d.release(h)
		return nil, failure(ErrUnreachable, ctx.Err(), "connecting to %s was interrupted", l)
	}
}

// over reports whether the connection to a jump host existed and has ended.
func (h *jump) over() bool {
	select {
	case <-h.done:
	default:
		return false
	}
	if h.link == nil {
		return true
	}
	select {
	case <-h.link.dead:
		return true
	default:
		return false
	}
}

// release returns a connection. The last user closes it.
func (d *Dialer) release(h *jump) {
	d.mu.Lock()
	h.users--
	lk := h.link
	if h.users > 0 || lk == nil { // still used, or not ready yet; in the second case the goroutine that connects closes it
		d.mu.Unlock()
		return
	}
	d.forget(h)
	d.mu.Unlock()
	lk.end(errClosed)
}

// forget removes a connection from the table. A newer connection under the same route stays. The caller holds d.mu.
func (d *Dialer) forget(h *jump) {
	if d.via[h.route] == h {
		delete(d.via, h.route)
	}
}
