// Package targets is the fabric as each device spells it: the table of targets, the [Survey] of files that no fabric describes, and
// [Render], which gives every device to the target that writes for it.
//
// The input is a compiled fabric, the output a tree: per device its files, each a function from the present content to the wanted content.
// Rendering is pure and returns the same on every run. It computes no content of a file before the file is read, so that a tree of tens of
// thousands of devices takes milliseconds.
package targets

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/bnxt"
	"github.com/rocec/rocec/targets/nic/ice"
	"github.com/rocec/rocec/targets/nic/ionic"
	"github.com/rocec/rocec/targets/nic/mlx4"
	"github.com/rocec/rocec/targets/nic/mlx5"
	"github.com/rocec/rocec/targets/nic/qede"
	"github.com/rocec/rocec/targets/nic/rxe"
	"github.com/rocec/rocec/targets/nvue"
	"github.com/rocec/rocec/targets/sonic"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// All is the table of targets. A new operating system or NIC driver needs one line here. A switch whose block states no system runs the
// first operating system.
var All = Table{
	cumulus.Target,
	nvue.Target,
	sonic.Target,

	mlx5.Target,
	mlx4.Target,
	bnxt.Target,
	ice.Target,
	qede.Target,
	ionic.Target,
	rxe.Target,
}

// Known contains the facts of the table about operating systems and NICs.
var Known = All.Known()

// Topics returns every code that rendering reports.
var Topics = func() []diag.Topic {
	all := append([]diag.Topic{topicNone, topicFamily, topicSystem, topicNoMember}, nic.Topics...)
	for _, t := range All {
		all = append(all, t.Topics...)
	}
	return all
}()

// Linters returns the linters of All, which judge files of devices without a fabric.
func Linters() (all lint.Linters) {
	for _, row := range All {
		if row.Files != nil {
			all = append(all, row.Files)
		}
	}
	return all
}

// Paths returns the files that the targets of All write at fixed places, sorted.
func Paths() (all []string) {
	for _, row := range All {
		all = append(all, row.Paths...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Render is [Table.Render] of All.
func Render(f *ir.Fabric) (*target.Tree, diag.List) { return All.Render(f) }

// Files is [Table.Files] of All.
func Files(f *ir.Fabric) *target.Tree { return All.Files(f) }

// Check is [Table.Check] of All.
func Check(f *ir.Fabric) diag.List { return All.Check(f) }

// Table is a list of targets, in the order in which the parts of a host are written.
type Table []*target.Target

// Known returns the facts of the table about operating systems and NICs.
func (t Table) Known() ir.Known {
	var k ir.Known
	for _, row := range t {
		switch {
		case row.OS == nil:
			k.Drivers = append(k.Drivers, row.Driver)
		case !slices.Contains(k.OS, row.OS): // several rows may serve one system
			k.OS = append(k.OS, row.OS)
		}
	}
	return k
}

// Render returns the files of every device. The tree leaves out devices that need no file and cannot have a file of rocec. A host without
// an intent is in the tree without files, because it may have been in an intent before. If a device must be configured and no target writes
// it, there is an error at its os or NIC model.
func (t Table) Render(f *ir.Fabric) (*target.Tree, diag.List) {
	parts := t.inParts(f, (*part).render)
	tree := &target.Tree{}
	for _, p := range parts {
		tree.Devices = append(tree.Devices, p.devices...)
	}
	return tree, found(parts)
}

// Files is [Table.Render] for callers that read no device: each device has its files, but no queries. Queries need many times the memory.
func (t Table) Files(f *ir.Fabric) *target.Tree {
	tree := &target.Tree{}
	for _, p := range t.inParts(f, (*part).files) {
		tree.Devices = append(tree.Devices, p.devices...)
	}
	return tree
}

// Check returns only the diagnostics of [Table.Render]. A tree is larger than its fabric, and Check keeps none of it.
func (t Table) Check(f *ir.Fabric) diag.List { return found(t.inParts(f, (*part).check)) }

// CheckDevice is [Check] for one device of a fabric.
func CheckDevice(d *ir.Device) diag.List {
	p := part{table: All}
	p.check([]*ir.Device{d})
	return p.found
}

// FilesOf returns the files of one device of a fabric, like [Files] for all devices; none if rocec does not write the device.
func FilesOf(d *ir.Device) []target.File {
	p := part{table: All}
	p.files([]*ir.Device{d})
	if len(p.devices) == 0 {
		return nil
	}
	return p.devices[0].Files
}

var topicNone = diag.Topic{
	Code:    "no-target",
	Summary: "rocec cannot write for this switch",
}

// inParts distributes the devices of a fabric among a few goroutines, a run of devices to each.
func (t Table) inParts(f *ir.Fabric, do func(*part, []*ir.Device)) []part {
	workers := min(runtime.GOMAXPROCS(0), max(1, len(f.Devices)/minPerWorker))
	size := (len(f.Devices) + workers - 1) / workers
	parts := make([]part, workers)
	var wg sync.WaitGroup
	i := 0
	for chunk := range slices.Chunk(f.Devices, max(size, 1)) {
		p := &parts[i]
		p.table = t
		i++
		wg.Go(func() { do(p, chunk) })
	}
	wg.Wait()
	return parts
}

// found returns the findings of all parts, sorted.
func found(parts []part) diag.List {
	var ds diag.List
	for _, p := range parts {
		ds = append(ds, p.found...)
	}
	ds.Sort()
	return ds
}

// minPerWorker is the number of devices below which another goroutine is not worthwhile.
const minPerWorker = 64

// part is the result of one goroutine for a run of devices.
type part struct {
	table   Table
	devices []*target.Device
	found   diag.List
}

// each calls do for every device with its target. Devices that others configure have no target; each reports those that no target
// writes.
func (p *part) each(devices []*ir.Device, do func(*ir.Device, *target.Target)) {
	for _, d := range devices {
		if d.ByHand != nil {
			judgeSystem(d.ByHand, &p.found)
			for _, t := range p.table.of(d) {
				if t.ByHand != nil {
					p.found = append(p.found, t.ByHand(d)...)
				}
			}
			continue
		}
		if d.Host != nil {
			p.judgeHost(d)
		}
		switch by := p.table.of(d); {
		case len(by) == 1:
			do(d, by[0])
		case len(by) > 1:
			do(d, target.Join(by...))
		case d.Switch != nil:
			p.unwritten(d)
		}
	}
}

func (p *part) check(devices []*ir.Device) {
	p.each(devices, func(d *ir.Device, t *target.Target) { p.found = append(p.found, t.Check(d)...) })
}

// files makes devices with their files.
func (p *part) files(devices []*ir.Device) {
	slab := make([]target.Device, 0, len(devices))
	p.each(devices, func(d *ir.Device, t *target.Target) {
		files, ds := t.Render(d)
		p.found = append(p.found, ds...)
		leavings := p.table.cleanups(d)
		if len(files)+len(leavings) == 0 {
			return
		}
		slab = append(slab, target.Device{
			Name: d.Name, Group: d.Group, At: d.At, Role: target.Host, Target: t, Source: d,
			About: t.About(d), Login: d.SSH, Files: files,
		})
		out := &slab[len(slab)-1]
		if d.Switch != nil {
			out.Role = target.Switch
		}
		p.devices = append(p.devices, out)
	})
}

// render makes devices with their files and all their queries.
func (p *part) render(devices []*ir.Device) {
	p.files(devices)
	for _, out := range p.devices {
		t, d := out.Target, out.Source
		out.Cleanups, out.Identity = p.table.cleanups(d), t.Identity(d)
		if t.Watches != nil {
			out.Watches = t.Watches(d)
		}
		if t.Inspect != nil {
			out.Inspection = t.Inspect(d)
		}
		for _, p := range t.Probes(d) {
			if p.Slow {
				out.Slow = append(out.Slow, p)
			} else {
				out.Probes = append(out.Probes, p)
			}
		}
	}
}

// cleanups returns queries for files of all families on a host, including families that none of its NICs has any more.
func (t Table) cleanups(d *ir.Device) (out []*target.Cleanup) {
	for _, row := range t {
		if d.Host != nil && row.Cleanup != nil {
			out = append(out, row.Cleanup(d)...)
		}
	}
	return out
}

// Gone returns hosts that are no longer in the fabric, or that others configure by hand: rocec only checks that they have no file of rocec.
// They are reached by name, with the connection settings of the fabric.
func (t Table) Gone(f *ir.Fabric, names []string) *target.Tree {
	var families Table
	for _, row := range t {
		if row.Cleanup != nil {
			families = append(families, row)
		}
	}
	by := target.Join(families...)
	tree := &target.Tree{}
	for _, name := range names {
		d := &ir.Device{DevicePlaces: &ir.DevicePlaces{At: f.At, Decl: f.At}, Name: name, Fabric: f, Host: &ir.Host{}, SSH: f.SSH}
		tree.Devices = append(tree.Devices, &target.Device{
			Name: name, At: f.At, Role: target.Host, About: "not in the fabric", Target: by, Source: d, Login: f.SSH, Cleanups: t.cleanups(d),
		})
	}
	return tree
}

// of returns the targets that write for a device, in the order of the table. A switch has the target of its system, a host the targets of
// its NICs' drivers.
func (t Table) of(d *ir.Device) Table {
	for i, row := range t {
		if row.Render == nil || !serves(row, d) {
			continue
		}
		if d.Switch != nil {
			return t[i : i+1]
		}
		by := t[i : i+1 : i+1] // usually the only one
		for _, other := range t[i+1:] {
			if other.Render != nil && serves(other, d) {
				by = append(by, other)
			}
		}
		return by
	}
	return nil
}

// serves reports whether a row belongs to a switch's system, or to a driver of a host's NICs.
func serves(row *target.Target, d *ir.Device) bool {
	if d.Switch != nil {
		return row.OS != nil && row.OS.Name == d.Switch.OS && (row.Serves == nil || row.Serves(d))
	}
	return row.Driver != nil && slices.ContainsFunc(d.Host.NICs, func(n *ir.NIC) bool { return n.Model.Driver == row.Driver })
}

// unwritten reports a switch that carries RoCE and that no target writes.
func (p *part) unwritten(d *ir.Device) {
	carries := slices.ContainsFunc(d.Ports, func(p *ir.Port) bool {
		nic := p.Peer().NIC
		return len(p.Buffers()) > 0 || len(p.Marks()) > 0 || nic != nil && len(nic.Intents) > 0
	})
	if !carries {
		return
	}
	at := diag.FirstPlace(d.Switch.OSAt, d.Decl)
	var names []string
	for _, row := range p.table {
		if row.OS == nil || row.Render == nil {
			continue
		}
		if !slices.Contains(names, row.OS.Name) {
			names = append(names, row.OS.Name)
		}
	}
	if strings.TrimSpace(d.Switch.OS) == "" {
		topicNone.Errorf(&p.found, at, "The switches of switch %q carry RoCE traffic, but the block states no os. Add os = %s if that is "+
			"what they run.", d.Group, quoted(names))
		return
	}
	meant := diag.Nearest(d.Switch.OS, names)
	none := topicNone.Errorf(&p.found, at, "The switches of switch %q carry RoCE traffic and run %q, which rocec does not configure.%s "+
		"It writes for os = %s: correct the os if they run one of these, or describe the switches by a by_hand block, or route the traffic "+
		"around them.",
		d.Group, d.Switch.OS, diag.Meant(meant), quoted(names))
	if meant != "" && at.End.Byte-at.Start.Byte == len(d.Switch.OS)+len(`""`) { // written explicitly instead of computed
		none.Instead(at, strconv.Quote(meant))
	}
}

// quoted lists a few words: "a" or "b".
func quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strconv.Quote(n)
	}
	return diag.Or(out)
}
