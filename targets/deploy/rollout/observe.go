package rollout

import (
	"cmp"
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/target"
)

// ObserveOptions contains the options of [Observe].
type ObserveOptions struct {
	Parallel int                       // devices read at the same time; 0: [ReadAtOnce]
	Timeout  time.Duration             // time limit for one device, from connecting to the last byte; 0: one minute
	Probes   func(*target.Device) bool // devices whose probes also run; nil: no device
	Look     bool                      // also read the facts that the fabric assumes
	Sudo     *device.Sudo              // how login users become root; nil: without a password
	Links    *Links                    // connections to read over, kept for later use; nil: they end with the read

	// Answered receives every device after its read or its failure, before Progress. Calls for several devices run at the same time.
	Answered func(h *deploy.Have)

	// Progress receives every device after its read or its failure, one call at a time.
	Progress func(done, total int, h *deploy.Have)
}

// Every selects the probes of every device.
func Every(*target.Device) bool { return true }

// Switches selects the probes of switches. Their links and neighbours show which part of a fabric is up.
func Switches(d *target.Device) bool { return d.Role == target.Switch }

// Observe reads all devices of the tree, many at a time, with one connection and one command each. A device that cannot be read has its
// own error, and does not stop the others.
func Observe(ctx context.Context, dial target.Dial, tree *target.Tree, o ObserveOptions) *deploy.Observed {
	obs := &deploy.Observed{Devices: make([]*deploy.Have, len(tree.Devices))}
	var (
		g    errgroup.Group
		mu   sync.Mutex
		done int
		same = &pool{seen: map[[sha256.Size]byte][]byte{}}
	)
	g.SetLimit(cmp.Or(o.Parallel, ReadAtOnce))
	for i, d := range tree.Devices {
		g.Go(func() error {
			h := observe(ctx, dial, d, o, same)
			obs.Devices[i] = h
			if o.Answered != nil {
				o.Answered(h)
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			if o.Progress != nil {
				o.Progress(done, len(tree.Devices), h)
			}
			return nil
		})
	}
	_ = g.Wait() // every device has its own error
	return obs
}

// observe reads one device.
func observe(ctx context.Context, dial target.Dial, of *target.Device, o ObserveOptions, same *pool) *deploy.Have {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(o.Timeout, observeTime))
	defer cancel()
	d := o.Links.take(of)
	if d == nil {
		d = device.New(of, dial, o.Sudo, device.Clock{})
	}
	if err := d.Connect(ctx, ""); err != nil {
		return &deploy.Have{Device: of, Err: err}
	}
	h := d.Read(ctx, device.Want{Probes: o.Probes != nil && o.Probes(of), Look: o.Look})
	for i := range h.Files {
		h.Files[i].Data = same.share(h.Files[i].Data)
	}
	if h.Err != nil || !o.Links.put(d) {
		d.Close()
	}
	return h
}

// Links contains open connections to devices. A read passes them to the next read, or to the following change. The zero value contains
// none.
type Links struct {
	mu   sync.Mutex
	open map[*target.Device]*device.Device
}

// mostLinks bounds the number of open connections, because each needs a file descriptor and some memory, on this machine and on jump
// hosts.
const mostLinks = 256

// put stores a connection, and reports whether it was stored.
func (l *Links) put(d *device.Device) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= mostLinks {
		return false
	}
	if l.open == nil {
		l.open = map[*target.Device]*device.Device{}
	}
	l.open[d.Of] = d
	return true
}

// take removes and returns the connection of a device; nil: no connection.
func (l *Links) take(of *target.Device) *device.Device {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.open[of]
	delete(l.open, of)
	return d
}

// Close ends every stored connection.
func (l *Links) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.open {
		d.Close()
	}
	l.open = nil
}

// CloseUnchanged ends the connections to devices that a plan does not change.
func (l *Links) CloseUnchanged(p *deploy.Plan) {
	for _, d := range p.Devices {
		if d.Status == deploy.StatusChange {
			continue
		}
		if kept := l.take(d.Device); kept != nil {
			kept.Close()
		}
	}
}

// pool stores equal contents of many devices once, such as the script on every host of a large fabric.
type pool struct {
	mu   sync.Mutex
	seen map[[sha256.Size]byte][]byte
}

func (p *pool) share(content []byte) []byte {
	if len(content) == 0 {
		return content // absent and empty content stay different
	}
	sum := sha256.Sum256(content)
	p.mu.Lock()
	defer p.mu.Unlock()
	if have, ok := p.seen[sum]; ok {
		return have
	}
	p.seen[sum] = content
	return content
}
