package site

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
)

// routing returns the AS numbers of a fabric whose switches all route by eBGP. The files must state the numbers of all switches, and
// sessions at both ends of every cable between two AS numbers. Otherwise routing is unknown, and a part of a sentence states the reason;
// empty: no file has an AS number.
func routing(f *ir.Fabric, s *targets.Survey) (as map[string]uint32, why string) {
	by := map[string]*target.BGP{}
	for _, d := range s.Devices {
		if d.BGP != nil {
			by[topology.FoldDevice(d.Name)] = d.BGP
		}
	}
	as = map[string]uint32{}
	switches := 0
	for _, d := range f.Devices {
		if d.Switch == nil {
			continue
		}
		switches++
		if b := by[d.Name]; b != nil {
			as[d.Name] = b.AS
			if b.Unlike != "" && why == "" {
				why = d.Name + ": " + b.Unlike
			}
		}
	}
	switch {
	case len(as) == 0:
		return nil, ""
	case len(as) < switches:
		return nil, fmt.Sprintf("files of %d of %s state an AS number", len(as), diag.Count(switches, "switch"))
	case why != "":
		return nil, why
	}
	sessions := 0
	for _, l := range f.Links {
		a, b := l.A(), l.B()
		if a.Device().Switch == nil || b.Device().Switch == nil || l.Planned {
			continue
		}
		for _, ends := range [][2]*ir.Port{{a, b}, {b, a}} {
			if text := session(by, ends[0], ends[1]); text != "" {
				return nil, text
			}
		}
		if as[a.Device().Name] != as[b.Device().Name] {
			sessions++
		}
	}
	if sessions == 0 { // SONiC states an AS number even if a switch runs no BGP
		return nil, "no cable joins two AS numbers"
	}
	return as, ""
}

// session returns why a port has no eBGP session to the other end of its cable. It is empty for an eBGP session, and for two ends in one
// AS without a session.
func session(by map[string]*target.BGP, from, to *ir.Port) string {
	own, other := by[from.Device().Name], by[to.Device().Name]
	stated, ok := own.Sessions[from.Name]
	if !ok {
		for name, number := range own.Sessions {
			if topology.FoldDevice(name) == to.Device().Name {
				stated, ok = number, true
			}
		}
	}
	switch {
	case own.AS == other.AS && ok:
		return fmt.Sprintf("%s has a session inside of its AS to %s", from, to)
	case own.AS == other.AS:
	case !ok:
		return fmt.Sprintf("no file states a BGP session from %s to %s", from, to)
	case stated != 0 && stated != other.AS:
		return fmt.Sprintf("%s expects AS %d of %s, whose file states %d", from, stated, to, other.AS)
	}
	return ""
}
