package lang

import (
	"fmt"
	"iter"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/parse"
)

// This file decodes switch and host blocks. A block becomes one device for each name.

// deviceName is one of the names of a switch or host block, after its nodeset was expanded.
type deviceName struct {
	name string
	at   diag.Range
}

// countDevices reads and counts the names of a block. Without the attribute names, the label is the only name.
func (d *decoder) countDevices(b *hclsyntax.Block, names []eval.Element, ds *diag.List) (out []named, n int) {
	if _, written := b.Body.Attributes["names"]; !written {
		t := d.Label(b)
		if why := nodeset.CheckDevice(t.S); why != "" {
			eval.BadName.Errorf(ds, t.Base, "Without names the label is the device's name. %s", why)
			return nil, 0
		}
		if !d.take(1, t.Base, ds) {
			return nil, 0
		}
		return []named{{Text: t}}, 1
	}
	for _, el := range names {
		if el.V.Type() != cty.String {
			continue // reported
		}
		found, _ := d.count(el, nodeset.Devices, ds)
		out = append(out, found)
		n += found.set.Len()
	}
	return out, n
}

// deviceNames expands the counted names, and reports those that another device already has.
func (d *decoder) deviceNames(names []named, n int, ds *diag.List) []deviceName {
	out := make([]deviceName, 0, n)
	add := func(t eval.Text, names iter.Seq[nodeset.Name]) {
		var twin nodeset.Name // the first taken name: many taken names are one mistake
		taken := 0
		for n := range names {
			at := t.At(n.From, n.To)
			if _, known := d.devices[n.Device]; known {
				if taken++; taken == 1 {
					twin = n
				}
				continue
			}
			d.devices[n.Device] = at
			out = append(out, deviceName{n.Device, at})
		}
		if taken > 0 {
			reportTwin(twin.Device, taken, d.devices[twin.Device], t.At(twin.From, twin.To), ds)
			if t.Expr != nil {
				d.Fail(t.Expr) // so other instances of the expression do not report it again
			}
		}
	}
	for _, t := range names {
		if t.set == nil { // a label
			add(t.Text, slices.Values([]nodeset.Name{{Device: t.S, From: 0, To: len(t.S)}}))
			continue
		}
		add(t.Text, t.set.All())
	}
	return out
}

// reportTwin reports names of devices that are taken: the first such name, and how many there are.
func reportTwin(name string, n int, first, second diag.Range, ds *diag.List) {
	if first == second {
		duplicateName.Errorf(ds, second, "This block names the device %q twice: in its nodeset, or in two instances of the block or "+
			"of its module. Make the names differ, such as by each.key or a variable of the module.", name)
		return
	}
	if diag.ComparePlace(second, first) < 0 { // blocks of literals are decoded before all others
		first, second = second, first
	}
	d := duplicateName.Errorf(ds, second, "There are two devices named %q. Give one another name.", name)
	if n > 1 {
		d.Detail = fmt.Sprintf("%d of these names are taken. The first is %q. Give these devices other names.", n, name)
	}
	d.Note(first, "the first one")
}

// indexed identifies a block of devices in a scope.
type indexed struct {
	sc *eval.Scope
	b  *hclsyntax.Block
}

// instances calls f for each name. The environment has self if the block depends on it. The environment is reused, so f must not keep it.
func (d *decoder) instances(names []deviceName, b *hclsyntax.Block, en *eval.Env, dynamic bool,
	f func(i, index int, n deviceName, en *eval.Env),
) {
	first := d.indexes[indexed{en.Scope, b}] // the number of devices that for_each made of the block so far
	d.indexes[indexed{en.Scope, b}] = first + len(names)
	at := en.Devices(b.Labels[0], dynamic)
	for i, n := range names {
		if d.names.overflow != nil || i%64 == 0 && d.Stopped() {
			return
		}
		f(i, first+i, n, at(n.name, first+i))
	}
}

// decodeDevice decodes a switch or host block.
func (d *decoder) decodeDevice(b *hclsyntax.Block, en *eval.Env, into *batch, ds *diag.List) {
	decode := d.decodeHost
	if b.Type == "switch" {
		decode = d.decodeSwitch
	}
	d.forEach(b, en, func(en *eval.Env, _ string) { decode(b, en, into, ds) }, ds)
}

func (d *decoder) decodeSwitch(b *hclsyntax.Block, en *eval.Env, into *batch, ds *diag.List) {
	t := compile(d, &switchSchema, b, en, &switchBlock{Switch: Switch{Group: en.Scope.Prefix + b.Labels[0], Decl: parse.Header(b)}}, ds)
	counted, count := d.countDevices(b, t.proto.names, ds)
	d.later(en.Scope, count, func(ds *diag.List) {
		names := d.deviceNames(counted, count, ds)
		slab := make([]Switch, len(names))
		into.switches = slices.Grow(into.switches, len(names))
		var s switchBlock // of the current instance; steps do not keep it
		d.instances(names, b, en, len(t.steps) > 0, func(i, index int, n deviceName, en *eval.Env) {
			s = t.proto
			t.run(en, &s, ds)
			slab[i] = s.Switch
			slab[i].Name, slab[i].NameAt, slab[i].Index = n.name, n.at, index
			into.switches = append(into.switches, &slab[i])
		})
	}, ds)
}

func (d *decoder) decodeHost(b *hclsyntax.Block, en *eval.Env, into *batch, ds *diag.List) {
	t := compile(d, &hostSchema, b, en, &hostBlock{Host: Host{Group: en.Scope.Prefix + b.Labels[0], Decl: parse.Header(b)}}, ds)
	counted, count := d.countDevices(b, t.proto.names, ds)
	interfaces := 0 // of each host
	for _, n := range t.proto.nics {
		interfaces += n.set.Len()
	}
	if !d.take(count*interfaces, parse.Header(b), ds) {
		return
	}
	for _, b := range t.proto.bonds {
		interfaces += b.count()
	}
	d.later(en.Scope, count+count*interfaces+interfaces, func(ds *diag.List) {
		for _, n := range t.proto.nics {
			n.names = slices.Collect(n.set.All())
		}
		d.checkInterfaces(&t.proto, ds)
		t.proto.settle()
		names := d.deviceNames(counted, count, ds)
		slab := make([]Host, len(names))
		into.hosts = slices.Grow(into.hosts, len(names))
		shared := t.proto.nics
		var h hostBlock // of the current instance; steps do not keep it
		d.instances(names, b, en, len(t.steps) > 0, func(i, index int, n deviceName, en *eval.Env) {
			h = t.proto
			t.run(en, &h, ds)
			if !sameBlocks(h.nics, shared) || !sameBlocks(h.bonds, t.proto.bonds) {
				h.settle()
			}
			slab[i] = h.Host
			slab[i].Name, slab[i].NameAt, slab[i].Index = n.name, n.at, index
			into.hosts = append(into.hosts, &slab[i])
		})
	}, ds)
}

func sameBlocks[T any](a, b []*T) bool { return len(a) == 0 || &a[0] == &b[0] }

// settle makes the interfaces of a host from its nic and bond blocks.
func (h *hostBlock) settle() {
	h.NICs, h.Bonds = nil, nil
	for _, n := range h.nics {
		for _, name := range n.names {
			nic := n.NIC
			nic.Name = name.Interface
			h.NICs = append(h.NICs, &nic)
		}
	}
	for _, b := range h.bonds {
		if b.ok {
			bond := b.Bond
			for _, names := range b.counted {
				for n := range names.set.All() {
					bond.NICs = append(bond.NICs, Value[string]{n.Interface, names.At(n.From, n.To)})
				}
			}
			h.Bonds = append(h.Bonds, &bond)
		}
	}
}

// count returns how many interfaces the bond has.
func (b *bondBlock) count() (n int) {
	for _, names := range b.counted {
		n += names.set.Len()
	}
	return n
}

// checkInterfaces reports interface names that a host uses twice.
func (d *decoder) checkInterfaces(h *hostBlock, ds *diag.List) {
	seen := map[string]diag.Range{}
	check := func(name string, at diag.Range) {
		if first, ok := seen[name]; ok {
			duplicateName.Errorf(ds, at, "The host has two interfaces named %q. Give one another name.", name).Note(first, "the first one")
			return
		}
		seen[name] = at
	}
	for _, n := range h.nics {
		t := d.Label(n.label)
		for _, name := range n.names {
			check(name.Interface, t.At(name.From, name.To))
		}
	}
	for _, b := range h.bonds {
		if b.ok {
			check(b.Name, d.Label(b.label).Base)
		}
	}
}
