package ssh

import (
	"context"
)

// jump is a connection to a jump host, shared by everything that goes through it.
type jump struct {
	route string
	users int           // guarded by Dialer.mu
	done  chan struct{} // closed when connecting is over
	link  *link         // set before done is closed; nil: see err
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
		// Others wait for the same connection, so it does not end with the context of the first who asked.
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

// over reports whether a jump host was connected and no longer is.
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

// release gives a connection back; the last user closes it.
func (d *Dialer) release(h *jump) {
	d.mu.Lock()
	h.users--
	lk := h.link
	if h.users > 0 || lk == nil { // still used, or still being made: then the maker closes it
		d.mu.Unlock()
		return
	}
	d.forget(h)
	d.mu.Unlock()
	lk.end(errClosed)
}

// forget removes a connection from the table; a newer one under the same route stays. d.mu is held.
func (d *Dialer) forget(h *jump) {
	if d.via[h.route] == h {
		delete(d.via, h.route)
	}
}
