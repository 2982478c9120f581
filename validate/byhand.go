package validate

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// byHand is the devices that one by_hand block describes, and so behave alike: they are judged once.
type byHand struct {
	*ir.ByHand
	devices []*ir.Device
}

// byHands gives the by_hand blocks of the fabric, in order of their first devices. What for_each made of one block is one
// again where it states the same.
func byHands(f *ir.Fabric) []*byHand {
	var out []*byHand
	known := map[*ir.ByHand]*byHand{}
	alike := map[string]*byHand{}
	var last *byHand
	for _, d := range f.Devices {
		if d.ByHand == nil {
			continue
		}
		if last == nil || last.ByHand != d.ByHand {
			last = known[d.ByHand]
		}
		if last == nil {
			said := statement(d.ByHand)
			if last = alike[said]; last == nil {
				last = &byHand{ByHand: d.ByHand}
				alike[said] = last
				out = append(out, last)
			}
			known[d.ByHand] = last
		}
		last.devices = append(last.devices, d)
	}
	return out
}

// statement is a text that two blocks have in common which stand in one place and state the same.
func statement(h *ir.ByHand) string {
	var trust string
	if h.Trust != nil {
		trust = h.Trust.String()
	}
	return fmt.Sprintf("%v %q %t %v %q %v %v %t %t %t", h.At, h.FlowControl, h.PFC == nil, h.PFC, trust, h.DSCP, h.PCP, h.ECN, h.Firmware, h.DCQCN)
}

// passing is the traffic of one intent at the devices of one block.
type passing struct {
	intent  *ir.Intent
	port    *ir.Port // one it passes, of the first device
	devices []*ir.Device
}

// passings gives the intents whose traffic passes the devices of the block, in order of declaration.
func (b *byHand) passings() []*passing {
	var out []*passing
	index := map[*ir.Intent]*passing{}
	add := func(p *ir.Port, in *ir.Intent) {
		at := index[in]
		if at == nil {
			at = &passing{intent: in, port: p}
			index[in] = at
			out = append(out, at)
		}
		if n := len(at.devices); n == 0 || at.devices[n-1] != p.Device {
			at.devices = append(at.devices, p.Device)
		}
	}
	for _, d := range b.devices {
		for _, p := range d.Ports {
			if d.Switch != nil {
				for _, in := range d.Switch.Intents {
					add(p, in)
				}
				break // it sorts alike at every port
			}
			for _, in := range p.NIC.Carries() {
				add(p, in)
			}
			if !d.Host.Forwards || len(p.Buffers) == 0 {
				continue
			}
			for _, in := range d.Fabric.Intents { // what the host only passes on
				if p.Carries(in.Group) != nil {
					add(p, in)
				}
			}
		}
	}
	return out
}

// carrying gives the lossless groups the devices of the block carry, by cos, each with the first port that does.
func (b *byHand) carrying() (groups []*ir.CosGroup, at map[*ir.CosGroup]*ir.Port) {
	at = map[*ir.CosGroup]*ir.Port{}
	var last **ir.Buffer // of the port before: alike ports share their rows
	for _, d := range b.devices {
		for _, p := range d.Ports {
			if len(p.Buffers) == 0 || &p.Buffers[0] == last {
				continue
			}
			last = &p.Buffers[0]
			for _, buffer := range p.Buffers {
				if at[buffer.Group] == nil {
					at[buffer.Group] = p
					groups = append(groups, buffer.Group)
				}
			}
		}
	}
	slices.SortFunc(groups, func(a, b *ir.CosGroup) int { return a.Cos - b.Cos })
	return groups, at
}

// grade returns how to report that packets of an intent are in the wrong group: as an error where that loses them; as a
// warning under link pause, which holds back every cos, where they are to be marked; nil where it does no harm, or the
// group itself is at fault.
func (p *Pass) grade(in *ir.Intent) func(at diag.Range, format string, args ...any) *diag.Diagnostic {
	marks := in.Version == 2 && in.Group.ECN != nil
	switch {
	case p.Fabric.FlowControl == ir.Pause && marks:
		return p.Warnf
	case p.Fabric.FlowControl == ir.Pause || !in.Group.Lossless && !marks:
		return nil
	}
	return p.Errorf
}

// told tells whether a device that believes t looks at the field that tells the intent's packets. Of both fields DSCP wins.
func told(in *ir.Intent, t ir.Trust) bool {
	if in.ByDSCP() {
		return t.DSCP
	}
	return t.PCP && (in.Version == 1 || !t.DSCP)
}

// hasMark tells whether the packets of the intent carry what tells them: an intent told by PCP needs a tag.
func hasMark(in *ir.Intent) bool { return in.ByDSCP() || in.VLAN > 0 && len(in.Group.PCP) > 0 }

// toldBy names the field that tells an intent's packets.
func toldBy(in *ir.Intent) string {
	if in.ByDSCP() {
		return "DSCP"
	}
	return "PCP"
}

// groupAt names what a device does with packets of a cos.
func groupAt(f *ir.Fabric, cos int) string {
	var group *ir.CosGroup
	for _, g := range f.CosGroups {
		if g.Cos == cos && (group == nil || g.Lossless) {
			group = g
		}
	}
	switch {
	case group == nil:
		return "which is no group's"
	case group.Lossless:
		return "the lossless cos group " + group.Name
	}
	return "the lossy cos group " + group.Name
}

// claimant gives the first group that claims a value; nil where none does.
func claimant(f *ir.Fabric, value int, claims func(*ir.CosGroup) []ir.Claim) *ir.CosGroup {
	for _, g := range f.CosGroups {
		if slices.ContainsFunc(claims(g), func(c ir.Claim) bool { return c.Value == value }) {
			return g
		}
	}
	return nil
}

func dscpOf(g *ir.CosGroup) []ir.Claim { return g.DSCP }

func pcpOf(g *ir.CosGroup) []ir.Claim { return g.PCP }

// intentNames lists the first of intents and counts the rest: roce "a" and roce "b".
func intentNames(intents []*ir.Intent) string {
	return namesOf(intents, func(in *ir.Intent) string { return `roce "` + in.Name + `"` })
}

// groupNames lists groups with their numbers: rdma (cos 4).
func groupNames(groups []*ir.CosGroup) string {
	return namesOf(groups, func(g *ir.CosGroup) string { return fmt.Sprintf("%s (cos %d)", g.Name, g.Cos) })
}
