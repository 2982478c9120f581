// Package targets is the fabric as each box spells it: the table of targets, and [Render], which gives every device to
// the target that writes for it.
//
// In comes a compiled fabric, out goes a tree: per device its files, each a function from what lies on the device to
// what should. Rendering is pure and the same on every run, and it does not write a byte of a file: that happens when a
// file is looked at, so that a tree of tens of thousands of devices costs milliseconds.
package targets

import (
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus"
	"github.com/rocec/rocec/targets/hostnic"
	"github.com/rocec/rocec/targets/target"
)

// All is the table of targets. A new target is one line here.
var All = []*target.Target{cumulus.Target, hostnic.Target}

// Topics is every code rendering reports.
var Topics = func() []diag.Topic {
	all := []diag.Topic{topicNone}
	for _, t := range All {
		all = append(all, t.Topics...)
	}
	return all
}()

var topicNone = diag.Topic{
	Code:    "no-target",
	Summary: "rocec cannot write for this device",
	Doc: `
Every switch that carries a lossless or marked cos group and every host that is a member of an
intent has to be configured, or packets are lost there. rocec writes for switches with os =
"cumulus-linux" (releases 3.1.1 to 4.3), and for hosts with NICs of the mlx5 family (ConnectX-4 and
later).

Example:

    switch "spine" {
      os = "sonic" # carries the group, but nobody configures it
    }

How to mend it: correct the os or the model if it is a slip. If not, say that others configure the
device, and rocec judges the fabric by what the block states; or route the lossless traffic around
it, or take the host out of the intent's members.

    switch "spine" {
      by_hand {}
    }
`,
}

// Render gives the files of every device. A device that needs nothing written, such as a host that is in no intent, is
// not in the tree; one that must be configured and that no target takes is an error at its os or NIC model.
func Render(f *ir.Fabric) (*target.Tree, diag.List) {
	parts := inParts(f, (*part).render)
	tree := &target.Tree{}
	for _, p := range parts {
		tree.Devices = append(tree.Devices, p.devices...)
	}
	return tree, found(parts)
}

// Check gives the diagnostics of [Render] alone. A tree is larger than its fabric; this keeps nothing.
func Check(f *ir.Fabric) diag.List { return found(inParts(f, (*part).check)) }

// inParts gives the devices of a fabric to a few goroutines, a run of them to each.
func inParts(f *ir.Fabric, do func(*part, []*ir.Device)) []part {
	workers := min(runtime.GOMAXPROCS(0), max(1, len(f.Devices)/minPerWorker))
	size := (len(f.Devices) + workers - 1) / workers
	parts := make([]part, workers)
	var wg sync.WaitGroup
	i := 0
	for chunk := range slices.Chunk(f.Devices, max(size, 1)) {
		p := &parts[i]
		i++
		wg.Go(func() { do(p, chunk) })
	}
	wg.Wait()
	return parts
}

// found gives what all parts found, sorted.
func found(parts []part) diag.List {
	var ds diag.List
	for _, p := range parts {
		ds = append(ds, p.found...)
	}
	ds.Sort()
	return ds
}

// minPerWorker is the number of devices below which another goroutine does not pay.
const minPerWorker = 64

// part is what one goroutine makes of a run of devices.
type part struct {
	devices []*target.Device
	found   diag.List
}

// each calls do for every device with its target. A device others configure has none; one that none takes is reported.
func (p *part) each(devices []*ir.Device, do func(*ir.Device, *target.Target)) {
	for _, d := range devices {
		if d.ByHand != nil {
			continue
		}
		if i := slices.IndexFunc(All, func(t *target.Target) bool { return t.Takes(d) }); i >= 0 {
			do(d, All[i])
		} else {
			untaken(&p.found, d)
		}
	}
}

func (p *part) check(devices []*ir.Device) {
	p.each(devices, func(d *ir.Device, t *target.Target) { p.found = append(p.found, t.Check(d)...) })
}

func (p *part) render(devices []*ir.Device) {
	slab := make([]target.Device, 0, len(devices))
	p.each(devices, func(d *ir.Device, t *target.Target) {
		files, ds := t.Render(d)
		p.found = append(p.found, ds...)
		if len(files) == 0 {
			return
		}
		slab = append(slab, target.Device{
			Name: d.Name, Group: d.Group, At: d.At, Role: target.Host, Target: t, Source: d,
			About: t.About(d), Login: d.SSH, Files: files, Identity: t.Identity(d), Probes: t.Probes(d),
		})
		out := &slab[len(slab)-1]
		if d.Switch != nil {
			out.Role, out.Redundancy = target.Switch, d.Switch.MLAG
		}
		p.devices = append(p.devices, out)
	})
}

// untaken reports a device that has a part in an intent and that no target writes for.
func untaken(ds *diag.List, d *ir.Device) {
	if d.Host != nil {
		for _, nic := range d.Host.NICs {
			if len(nic.Intents) > 0 {
				at := diag.FirstPlace(nic.ModelAt, nic.At)
				topicNone.Errorf(ds, at, "Hosts of host %q are members of roce %q by NICs of the model %s, whose driver family %s rocec "+
					"does not configure. Use NICs of the family mlx5, or take these hosts out of the members.",
					d.Group, nic.Intents[0].Name, nic.Model.Name, nic.Model.Family)
			}
		}
		return
	}
	carries := slices.ContainsFunc(d.Ports, func(p *ir.Port) bool {
		nic := p.Peer().NIC
		return len(p.Buffers) > 0 || len(p.Marks) > 0 || nic != nil && len(nic.Intents) > 0
	})
	if !carries {
		return
	}
	at := diag.FirstPlace(d.Switch.OSAt, d.Decl)
	if strings.TrimSpace(d.Switch.OS) == "" {
		topicNone.Errorf(ds, at, "The switches of switch %q carry RoCE traffic, but the block states no os. Add os = %q if that is what they run.",
			d.Group, cumulus.OS)
		return
	}
	topicNone.Errorf(ds, at, "The switches of switch %q carry RoCE traffic and run %q, which rocec does not configure. "+
		"It writes for os = %q: correct the os if that is what they run, or route the traffic around them.", d.Group, d.Switch.OS, cumulus.OS)
}
