package deploy

import (
	"cmp"
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rocec/rocec/targets/target"
)

// ObserveOptions are the choices of [Observe].
type ObserveOptions struct {
	Parallel int           // devices read at the same time; 0: 32
	Timeout  time.Duration // for one device, from connecting to the last byte; 0: one minute
	Probes   bool          // run the devices' probes too

	// Progress is told of every device that was read or could not be, one call at a time.
	Progress func(done, total int, h *Have)
}

// Observed is what the devices of a tree were found to hold, in the tree's order.
type Observed struct{ Devices []*Have }

// Observe reads every device of the tree, many at a time, one connection and one command each. A device that cannot be
// read is an error of its own and stops none of the others. Observe cannot write: all it has is a reader.
func Observe(ctx context.Context, dial target.Dial, tree *target.Tree, o ObserveOptions) *Observed {
	obs := &Observed{Devices: make([]*Have, len(tree.Devices))}
	var (
		g    errgroup.Group
		mu   sync.Mutex
		done int
		same = &pool{seen: map[[sha256.Size]byte][]byte{}}
	)
	g.SetLimit(cmp.Or(o.Parallel, observeAtOnce))
	for i, d := range tree.Devices {
		g.Go(func() error {
			h := observe(ctx, dial, d, o, same)
			obs.Devices[i] = h
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
func observe(ctx context.Context, dial target.Dial, d *target.Device, o ObserveOptions, same *pool) *Have {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(o.Timeout, observeTime))
	defer cancel()
	if err := ctx.Err(); err != nil {
		return &Have{Device: d, Err: dialError(d, "", err)}
	}
	conn, err := dial(ctx, d)
	if err != nil {
		return &Have{Device: d, Err: dialError(d, "", err)}
	}
	defer conn.Close()
	h := (&reader{conn: conn, dev: d}).read(ctx, o.Probes)
	for i := range h.Files {
		h.Files[i].Data = same.share(h.Files[i].Data)
	}
	return h
}

// pool keeps content that many devices hold alike once: the script on every host of a large fabric, say.
type pool struct {
	mu   sync.Mutex
	seen map[[sha256.Size]byte][]byte
}

func (p *pool) share(content []byte) []byte {
	if len(content) == 0 {
		return content // absent and empty stay apart
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
