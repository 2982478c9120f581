package facts

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/walk"
)

// This file resolves names on the command line: devices, ports, links, and the ends of traces.

// FindLinks returns the links that ports name, each once.
func FindLinks(f *ir.Fabric, exprs []string) ([]*ir.Link, error) {
	var out []*ir.Link
	for _, expr := range exprs {
		set, bad := nodeset.Parse(expr, nodeset.Endpoints)
		if len(bad) > 0 {
			return nil, exit.Fail(exit.Usage, "--down %s: %s", expr, bad[0].Message)
		}
		if set.Len() > len(f.Ports) {
			return nil, exit.Fail(exit.Usage, "--down %s: these are more ports than the fabric has", expr)
		}
		for n := range set.All() {
			d, err := FindDevice(f, n.Device)
			if err != nil {
				return nil, err
			}
			p, err := FindPort(d, n.Interface)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(out, p.Link()) {
				out = append(out, p.Link())
			}
		}
	}
	return out, nil
}

// FindTrips returns the traces from one host, or interface, to another: for every intent with both as members, one from each NIC of the
// first to each NIC of the second.
func FindTrips(f *ir.Fabric, from, to, intent string) ([]walk.Question, error) {
	a, aNIC, err := findEnd(f, from)
	if err != nil {
		return nil, err
	}
	b, bNIC, err := findEnd(f, to)
	if err != nil {
		return nil, err
	}
	if intent != "" {
		var names []string
		for _, in := range f.Intents {
			names = append(names, in.Name)
		}
		if !slices.Contains(names, intent) {
			return nil, exit.Fail(exit.Usage, "the fabric has no roce block %q.%s", intent, diag.DidYouMean(intent, names))
		}
	}
	var out []walk.Question
	for _, in := range f.Intents {
		if intent != "" && in.Name != intent {
			continue
		}
		for _, x := range walk.Ends(in, a, aNIC) {
			for _, y := range walk.Ends(in, b, bNIC) {
				if x[0] != y[0] {
					out = append(out, walk.Question{Intent: in, From: x, To: y})
				}
			}
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	common := "an intent"
	if intent != "" {
		common = "the intent \"" + intent + "\""
	}
	if from == to {
		return nil, exit.Fail(exit.Usage, "both ends are %s; name two hosts, or two interfaces that are members of %s", from, common)
	}
	return nil, exit.Fail(exit.Usage, "%s and %s are not both cabled members of %s, so no RoCE packet goes from the one to the "+
		"other: %s; %s", from, to, common, memberships(f, a, aNIC), memberships(f, b, bNIC))
}

// findEnd returns the host that an end names, and the name of its interface if given.
func findEnd(f *ir.Fabric, end string) (*ir.Device, string, error) {
	name, nic, named := strings.Cut(end, ":")
	d, err := FindDevice(f, name)
	if err != nil {
		return nil, "", err
	}
	if d.Host == nil {
		return nil, "", exit.Fail(exit.Usage, "%s is a switch; packets go from host to host", d.Name)
	}
	if !named {
		return d, "", nil
	}
	var names []string
	for _, n := range d.Host.NICs {
		names = append(names, n.Name)
	}
	for _, b := range d.Host.Bonds {
		names = append(names, b.Name)
	}
	if !slices.Contains(names, nic) {
		return nil, "", exit.Fail(exit.Usage, "%s has no interface %q.%s", d.Name, nic, diag.DidYouMean(nic, names))
	}
	return d, nic, nil
}

// memberships lists the intents of a host, or of one of its interfaces.
func memberships(f *ir.Fabric, d *ir.Device, nic string) string {
	var of []string
	cabled := false
	for _, in := range f.Intents {
		is := false
		for _, m := range in.Members {
			if n := m.NIC; n.Device == d && (nic == "" || n.Name == nic || n.Bond != nil && n.Bond.Name == nic) {
				is = true
				cabled = cabled || n.Port != nil
			}
		}
		if is {
			of = append(of, in.Name)
		}
	}
	name := d.Name
	if nic != "" {
		name += ":" + nic
	}
	switch {
	case len(of) == 0:
		return name + " is a member of none"
	case !cabled:
		return name + " is a member of " + strings.Join(of, ", ") + ", and not cabled"
	}
	return name + " is a member of " + strings.Join(of, ", ")
}

// FindPort returns a device's cabled port.
func FindPort(d *ir.Device, name string) (*ir.Port, error) {
	var names []string
	for _, p := range d.Ports {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	if d.Host != nil {
		for _, b := range d.Host.Bonds {
			if b.Name == name {
				of := make([]string, len(b.NICs))
				for i, n := range b.NICs {
					of[i] = n.Name
				}
				return nil, exit.Fail(exit.Usage, "%s is a bond of %s; name one of its ports, such as %s:%s", name, diag.And(of), d.Name, of[0])
			}
		}
	}
	var parts []string // of a split port: swp1s0 and swp1s1 belong to swp1
	for _, n := range names {
		if rest, ok := strings.CutPrefix(n, name); ok && name != "" && rest[0] > '9' {
			parts = append(parts, n)
		}
	}
	if len(parts) > 0 {
		return nil, exit.Fail(exit.Usage, "%s has no cabled port %q. It has %s", d.Name, name, diag.Some(parts, 4))
	}
	return nil, exit.Fail(exit.Usage, "%s has no cabled port %q.%s", d.Name, name, diag.DidYouMean(name, names))
}

func FindDevice(f *ir.Fabric, name string) (*ir.Device, error) {
	var names, of []string
	for _, d := range f.Devices {
		if d.Name == name {
			return d, nil
		}
		if d.Group == name || GroupName(d) == name {
			of = append(of, d.Name)
		}
		names = append(names, d.Name)
	}
	switch len(of) {
	case 0:
	case 1:
		return nil, exit.Fail(exit.Usage, "%q is a block; its device is %s", name, of[0])
	default:
		return nil, exit.Fail(exit.Usage, "%q is a block of %s, %s; name one of them", name, diag.Count(len(of), "device"),
			nodeset.Text(of, nodeset.Devices, 60))
	}
	return nil, exit.Fail(exit.Usage, "the fabric has no device %q.%s", name, diag.DidYouMean(name, names))
}

// findPair returns the two hosts of a pair, such as gpu001,gpu002.
func findPair(f *ir.Fabric, pair string) (from, to *ir.Device, err error) {
	first, second, _ := strings.Cut(pair, ",")
	if from, err = findHost(f, first); err == nil {
		to, err = findHost(f, second)
	}
	return from, to, err
}

func findHost(f *ir.Fabric, name string) (*ir.Device, error) {
	d, err := FindDevice(f, strings.TrimSpace(name))
	if err == nil && d.Host == nil {
		return nil, exit.Fail(exit.Usage, "%s is a switch; a pair is two hosts", d.Name)
	}
	return d, err
}

// GroupName returns the reference to a device's group in the language: switch.leaf, host.gpu.
func GroupName(d *ir.Device) string {
	if d.Switch != nil {
		return "switch." + d.Group
	}
	return "host." + d.Group
}
