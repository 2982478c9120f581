package validate

import (
	"fmt"
	"sort"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/walk"
)

// RoCEVersionMix reports members that cannot speak their intent's version, and NICs in intents of both versions.
var RoCEVersionMix = &Check{
	Code:    "roce-version-mix",
	Summary: "RoCE versions mixed",
	Answers: []string{"5", "N4"},
	OnHop:   true,
	Run: func(p *Pass) {
		for _, in := range p.Fabric.Intents {
			p.cannotSpeak(in)
		}
		p.speakBoth()
	},
}

// cannotSpeak reports the members whose NIC lacks the version of the intent, with one diagnostic per place that names them.
func (p *Pass) cannotSpeak(in *ir.Intent) {
	type place struct{ member, nic diag.Range }
	found := map[place][]*ir.NIC{}
	var order []place
	var able *ir.NIC
	allOther := true // every member speaks the other version
	for _, m := range in.Members {
		allOther = allOther && walk.Speaks(m.NIC, 3-in.Version)
		if walk.Speaks(m.NIC, in.Version) {
			if able == nil {
				able = m.NIC
			}
			continue
		}
		at := place{m.At, m.NIC.At}
		if found[at] == nil {
			order = append(order, at)
		}
		found[at] = append(found[at], m.NIC)
	}
	for _, at := range order {
		nics := found[at]
		d := p.Errorf(at.member, "Roce %q is version %d, but %s only RoCEv%d (%s).",
			in.Name, in.Version, verb(nicNames(nics), len(nics), "speaks", "speak"), 3-in.Version, nics[0].Model.Title).
			About(in.Name)
		if able != nil {
			d.Detail += fmt.Sprintf(" Client and server must speak one version, and a pair like %s and %s can only speak v%d.",
				nicName(able), nicName(nics[0]), 3-in.Version)
		}
		if in.Version == 2 {
			d.Detail += " Make the intent version 1 with a vlan, which needs all members in one broadcast domain, or leave these NICs out."
		} else {
			d.Detail += " Make the intent version 2, or leave these NICs out."
		}
		only := fmt.Sprintf("%s, RoCEv%d only", nics[0].Model.Title, 3-in.Version)
		if fact := nics[0].Model.OneVersion(); fact != "" {
			only += ": " + fact
		}
		d.Note(at.nic, "%s", only)
		d.Note(in.VersionAt, "the intent's version")
		if allOther && in.VersionAt.Filename != "" {
			also := ""
			if in.Version == 2 && in.VLAN == 0 {
				also = "; version 1 also needs a vlan"
			}
			d.Fix = &diag.Fix{
				Message: fmt.Sprintf("every member speaks RoCEv%d%s", 3-in.Version, also),
				Edits:   []diag.Edit{{At: in.VersionAt, New: fmt.Sprint(3 - in.Version)}},
			}
		}
	}
}

// speakBoth reports NICs that are members of intents of both versions, at the later place that names them.
func (p *Pass) speakBoth() {
	type pair struct{ v1, v2 diag.Range }
	names := map[pair][]string{}
	intents := map[pair][2]*ir.Intent{}
	var order []pair
	place := map[*ir.NIC][3]*ir.Member{}
	owner := map[*ir.NIC][3]*ir.Intent{}
	var nics []*ir.NIC
	for _, in := range p.Fabric.Intents {
		for _, m := range in.Members {
			if len(m.NIC.Intents) < 2 {
				continue
			}
			row, own := place[m.NIC], owner[m.NIC]
			if row[in.Version] == nil {
				if row[3-in.Version] != nil {
					nics = append(nics, m.NIC)
				}
				row[in.Version], own[in.Version] = m, in
				place[m.NIC], owner[m.NIC] = row, own
			}
		}
	}
	for _, n := range nics {
		at := pair{place[n][1].At, place[n][2].At}
		if names[at] == nil {
			order = append(order, at)
			intents[at] = [2]*ir.Intent{owner[n][1], owner[n][2]}
		}
		names[at] = append(names[at], nicName(n))
	}
	sort.Slice(order, func(i, k int) bool {
		return diag.ComparePlace(order[i].v1, order[k].v1)*2+diag.ComparePlace(order[i].v2, order[k].v2) < 0
	})
	for _, at := range order {
		in := intents[at]
		later, earlier, i, j := at.v2, at.v1, in[1], in[0]
		if diag.ComparePlace(later, earlier) < 0 {
			later, earlier, i, j = earlier, later, j, i
		}
		p.Errorf(later, "%s in roce %q (version %d) and in roce %q (version %d). The version a connection gets is set per RDMA device, so "+
			"one NIC serves one version: give each intent its own NICs, or both the same version.",
			verb(nodeset.Text(names[at], nodeset.Endpoints, namesRoom), len(names[at]), "is", "are"), j.Name, j.Version, i.Name, i.Version).
			About(j.Name, i.Name).
			Note(earlier, "member of roce %q, version %d", j.Name, j.Version)
	}
}
