package ice

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
)

// rows returns the keys of the value file, sorted.
func rows() []nic.Row {
	return nic.Sorted(ownRows, []nic.Row{nic.RoCERow}, nic.HostRows, nic.FittedCardRows(fit), nic.CMRows, nic.VLANRows, nic.MapRows())
}

// ownRows are the keys that no other family has.
var ownRows = []nic.Row{
	{
		Key: "dcqcn", Aside: nic.Congestion, Comment: "answer packets marked by ECN, and slow down on congestion notifications",
		Value: func(b []byte, s *nic.Settings) []byte {
			if s.ECN == [8]bool{} {
				return b
			}
			return append(b, "on"...)
		},
		Why: func(s *nic.Settings) []ir.Origin {
			var out []ir.Origin
			for _, in := range s.Intents {
				if g := in.Group; in.Version == 2 && g.ECN != nil {
					out = append(out, ir.Origin{At: g.ECN.At, Why: "cos group " + g.Name + " has ECN"})
				}
			}
			return out
		},
		Class: nic.Always(nic.Should),
		Lack: func(*nic.Settings) string {
			return "its driver irdma has no switch for DCQCN, so whether it answers marked packets and slows down is not known. Intel's own " +
				"irdma has the switch."
		},
	},
	{
		Key: "lldp_agent", Aside: nic.WhoSets, Comment: "the firmware's agent for LLDP and DCBX, which excludes settings",
		Value: func(b []byte, s *nic.Settings) []byte { return nic.Word(b, s, "off") },
		Why:   nic.ByMember,
	},
}

// fit gives each priority a traffic class that the driver accepts. With DSCP a priority has the class with its number (ice_dcbnl_setapp);
// classes without a cos group are ets without a share, as the driver's own are. With PCP the classes in use have numbers without a gap,
// from 0 (ice_dcb_get_num_tc).
func fit(s *nic.Settings) {
	if !s.ByDSCP {
		s.CloseGaps()
		return
	}
	used := s.TC
	for p := range s.TC {
		if !slices.Contains(used[:], uint8(p)) {
			s.ETS[p] = true
		}
		s.TC[p] = uint8(p)
	}
}
