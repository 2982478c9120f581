package validate

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// MLAGUneven warns of redundancy pairs without exactly two switches, and of pairs whose switches differ.
var MLAGUneven = &Check{
	Code:    "mlag-uneven",
	Summary: "the switches of a redundancy pair differ",
	Answers: []string{"5", "K14"},
	Run: func(p *Pass) {
		var pairs folds[string, *ir.Device]
		for _, d := range p.Fabric.Devices {
			if d.Switch != nil && d.Switch.MLAG != "" {
				pairs.add(d.Switch.MLAG, d)
			}
		}
		type key struct {
			at, other diag.Range
			what      string
		}
		var found folds[key, []*ir.Device]
		pairs.each(func(_ string, pair []*ir.Device) {
			if len(pair) != 2 {
				found.add(key{at: mlagAt(pair[0]), what: fmt.Sprint(len(pair))}, pair)
				return
			}
			slices.SortStableFunc(pair, func(a, b *ir.Device) int { return diag.ComparePlace(a.Decl, b.Decl) })
			a, b := pair[0], pair[1]
			if a.Switch.Model != b.Switch.Model {
				found.add(key{b.Switch.ModelAt, a.Switch.ModelAt, "model"}, pair)
			}
			if a.Switch.Version != b.Switch.Version || a.Switch.OS != b.Switch.OS {
				found.add(key{b.Switch.VersionAt, a.Switch.VersionAt, "release"}, pair)
			}
			if (a.ByHand == nil) != (b.ByHand == nil) {
				hand := slices.IndexFunc(pair, func(d *ir.Device) bool { return d.ByHand != nil })
				found.add(key{pair[hand].ByHand.At, pair[1-hand].Decl, "hand"}, pair)
			}
			for _, c := range unevenCables(a, b) {
				found.add(key{flowControlAt(c[1].Link()), flowControlAt(c[0].Link()), pauseText(c[0].Link())}, []*ir.Device{a, b, c[0].Peer().Device()})
			}
		})
		found.each(func(k key, all [][]*ir.Device) {
			pair := all[0]
			value := fmt.Sprintf("mlag %q", pair[0].Switch.MLAG) + andMore(len(all), "pair")
			a, b := pair[0], pair[min(1, len(pair)-1)]
			var d *diag.Diagnostic
			switch k.what {
			case "model":
				d = p.Warnf(k.at, "The switches of %s differ in model: %s is a %s, %s a %s. Either must take the whole traffic "+
					"of their hosts in the same way. Use one model for "+
					"both.", value, a.Name, a.Switch.Model.Title, b.Name, b.Switch.Model.Title)
			case "release":
				d = p.Warnf(k.at, "The switches of %s differ in release: %s has %s, %s has %s. Settings of one release can be "+
					"missing or spelled otherwise in the other. Run one release on "+
					"both.", value, a.Name, releaseText(a), b.Name, releaseText(b))
			case "hand":
				d = p.Warnf(k.at, "rocec writes one switch of %s, and the other is set by hand (%s and %s): nothing "+
					"keeps their settings equal. Let rocec write both, or neither.", value, a.Name, b.Name)
			case byPause, byPFC:
				other := byPFC
				if k.what == byPFC {
					other = byPause
				}
				d = p.Warnf(k.at, "The cables of %s to the two switches of mlag %q differ in flow control: %s at %s, %s at %s. Either switch must "+
					"take the whole traffic of a host in the same way. Give all cables of the host one flow_control.",
					pair[2].Name+andMore(len(all), "host"), a.Switch.MLAG, k.what, a.Name, other, b.Name)
				if k.other != k.at {
					d.Note(k.other, "the cable to %s", a.Name)
				}
				return
			case "1":
				p.Warnf(k.at, "The value of %s names a pair, but %s is the only switch that has it. Give it to its partner "+
					"too, or leave it out.", value, a.Name)
				return
			default:
				p.Warnf(k.at, "The value of %s names a pair, but %s have it: %s. Give every pair its own value.", value,
					diag.Count(len(pair), "switch"), deviceNames(pair))
				return
			}
			if k.other != k.at {
				d.Note(k.other, "its partner")
			}
		})
	},
}

// unevenCables returns, for every host on both switches of a pair, two lossless cables of which exactly one is lossless by link pause,
// each as its port at the switch. Cables of one bond are left out.
func unevenCables(a, b *ir.Device) (out [][2]*ir.Port) {
	at := map[*ir.Device][]*ir.Port{}
	for _, p := range b.Ports {
		if p.Peer().NIC != nil && losslessCable(p.Link()) {
			at[p.Peer().Device()] = append(at[p.Peer().Device()], p)
		}
	}
	told := map[*ir.Device]bool{}
	for _, p := range a.Ports {
		nic := p.Peer().NIC
		if nic == nil || told[nic.Device] || !losslessCable(p.Link()) {
			continue
		}
		for _, q := range at[nic.Device] {
			if other := q.Peer().NIC; p.ByPause() != q.ByPause() && (nic.Bond == nil || nic.Bond != other.Bond) {
				told[nic.Device] = true
				out = append(out, [2]*ir.Port{p, q})
				break
			}
		}
	}
	return out
}

func releaseText(d *ir.Device) string {
	if d.Switch.Version == "" {
		return d.Switch.OS
	}
	return d.Switch.OS + " " + d.Switch.Version
}
