package validate

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/dscp"
	"github.com/rocec/rocec/validate/walk"
)

// TrafficClassNotInGroup warns of exceptions by address that put RoCE packets into a wrong group.
var TrafficClassNotInGroup = &Check{
	Code:    "traffic-class-not-in-group",
	Summary: "a traffic_class leads out of the cos groups",
	Answers: []string{"N8"},
	OnHop:   true,
	Run: func(p *Pass) {
		type exception struct {
			nic  *ir.NIC
			rule *ir.TrafficClass
			in   *ir.Intent // the intent of the addresses; nil: no group claims the DSCP
		}
		var f folds[diag.Range, exception]
		peers := walk.Peers{}
		for _, d := range p.Fabric.Devices {
			if d.Host == nil {
				continue
			}
			for _, n := range d.Host.NICs {
				for i := range n.TrafficClasses {
					rule := &n.TrafficClasses[i]
					if in, bad := walk.LeadsOut(n, rule, peers); bad {
						f.add(diag.FirstPlace(rule.TOSAt, n.At), exception{n, rule, in})
					}
				}
			}
		}
		for _, at := range f.order {
			all := f.of[at]
			nics := make([]*ir.NIC, len(all))
			for i, e := range all {
				nics[i] = e.nic
			}
			first := all[0]
			if i := slices.IndexFunc(all, func(e exception) bool { return e.in != nil }); i >= 0 {
				first = all[i]
			}
			nics = slices.Compact(nics)
			value := first.rule.TOS >> 2
			if first.in == nil {
				p.Warnf(at, "%s the traffic of this traffic_class with tos = %d. That is DSCP %s, which no cos group claims: the packets are best "+
					"effort everywhere. Write the DSCP of their group times 4, or let a group claim it.", verb(nicNames(nics), len(nics), "marks", "mark"),
					first.rule.TOS, dscp.Text(value))
				continue
			}
			g := walk.Claimant(p.Fabric, value, walk.DSCPOf)
			p.Warnf(at, "%s the traffic of this traffic_class with tos = %d. That is DSCP %s, of the lossy cos group %q, and its addresses are "+
				"those of members "+
				"of roce %q, which is lossless: packets between them can be lost. Write tos = %s, or take these addresses out.",
				verb(nicNames(nics), len(nics), "marks", "mark"),
				first.rule.TOS, dscp.Text(value), g.Name, first.in.Name, tosOf(first.in.Group)).
				About(first.in.Name).
				Note(g.At, "the lossy group").Note(first.in.Group.At, "the group of roce %q", first.in.Name)
		}
	},
}

func tosOf(g *ir.CosGroup) string {
	if len(g.DSCP) == 0 {
		return "the tos of a DSCP that its group claims"
	}
	return fmt.Sprint(g.DSCP[0].Value << 2)
}
