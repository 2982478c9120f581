package collect

import (
	"slices"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/claims"
	"github.com/rocec/rocec/validate/configured"
)

// NewForwards returns the questions about forwarding of every system, for a read at a time.
func NewForwards(now time.Time) *Forwards {
	return &Forwards{Asks: targets.ForwardingAsks, Read: targets.ReadForwarding, When: now}
}

// Forwards asks devices for their forwarding in the read of verify, so that a device needs no further login.
type Forwards struct {
	Asks func(d *ir.Device) []target.Question
	Read devicefiles.ReadForwarding
	When time.Time // of the read

	mu    sync.Mutex
	order []*ir.Device
	of    map[*ir.Device]*ir.Forwarding
}

// On returns a tree whose probes also ask the questions. A question that a device cannot answer is no finding. The answers of a device are
// read as soon as the last one is there, because those of all devices together are large.
func (f *Forwards) On(tree *target.Tree) *target.Tree {
	f.of = map[*ir.Device]*ir.Forwarding{}
	out := &target.Tree{}
	for _, d := range tree.Devices {
		asked := *d
		asked.Probes = slices.Clone(d.Probes)
		if d.Source != nil {
			f.order = append(f.order, d.Source)
			asked.Probes = append(asked.Probes, f.probes(d.Source)...)
		}
		out.Devices = append(out.Devices, &asked)
	}
	return out
}

// probes returns the questions to a device as probes, which find nothing.
func (f *Forwards) probes(d *ir.Device) (out []target.Probe) {
	asks := f.Asks(d)
	files := make([]lint.File, len(asks)) // empty: no answer
	for i, q := range asks {
		out = append(out, target.Probe{Name: q.File, Query: target.Query{Cmd: command(q.Cmd)}, Judge: func(answer []byte) []string {
			files[i] = lint.File{}
			if text, status := split(answer); status == 0 {
				files[i] = lint.File{Name: diag.Escape(d.Name + "/" + q.File), Data: text}
			}
			if i == len(asks)-1 {
				f.keep(d, files)
				clear(files)
			}
			return nil
		}})
	}
	return out
}

// keep reads the answers of a device.
func (f *Forwards) keep(d *ir.Device, files []lint.File) {
	files = slices.DeleteFunc(slices.Clone(files), func(file lint.File) bool { return file.Name == "" })
	if len(files) == 0 {
		return
	}
	is := f.Read(d, files, func(string) time.Time { return f.When })
	f.mu.Lock()
	f.of[d] = is
	f.mu.Unlock()
}

// Seen returns what the devices answered, with the settings that the same read found.
func (f *Forwards) Seen(settings []*configured.Setup) *claims.Seen {
	out := &claims.Seen{By: claimed.Verify, Settings: settings}
	for _, d := range f.order {
		if is := f.of[d]; is != nil {
			out.Devices = append(out.Devices, is)
		}
	}
	return out
}
