package collect

import (
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/claims"
	"github.com/rocec/rocec/validate/configured"
	"github.com/rocec/rocec/validate/watchdogs"
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

	of []*ir.Forwarding // nil: the device was not read
}

// AddTo adds the questions to the devices of a tree to the queries of a read. A question that a device cannot answer is no finding. The
// answers of a device are read as soon as they are there, because those of all devices together are large.
func (f *Forwards) AddTo(q *session.Queries, tree *target.Tree) {
	f.of = make([]*ir.Forwarding, len(tree.Devices))
	for n, d := range tree.Devices {
		if d.Source == nil {
			continue
		}
		asks := f.Asks(d.Source)
		queries := make([]target.Query, len(asks))
		for i, a := range asks {
			queries[i].Cmd = command(a.Cmd)
		}
		q.Add(d.Name, queries, func(answers []session.Reply) {
			var files []lint.File
			for i, a := range answers {
				if text, status := split(a.Text); status == 0 {
					files = append(files, lint.File{Name: diag.Escape(d.Name + "/" + asks[i].File), Data: text})
				}
			}
			if len(files) > 0 {
				f.of[n] = f.Read(d.Source, files, func(string) time.Time { return f.When })
			}
		})
	}
}

// Seen returns what the devices answered, with the settings and the counters that the same read found.
func (f *Forwards) Seen(settings []*configured.Setup, counters []*watchdogs.Counters) *claims.Seen {
	read := slices.DeleteFunc(slices.Clone(f.of), func(is *ir.Forwarding) bool { return is == nil })
	return &claims.Seen{By: claimed.Verify, Settings: settings, Counters: counters, Devices: read}
}
