package mlx5

import (
	"net/netip"
	"slices"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
)

// rows returns the keys of the value file, sorted.
func rows() []nic.Row {
	return nic.Sorted(ownRows, nic.HostRows, nic.CardRows, nic.CMRows, nic.VLANRows, nic.ParameterRows(parameters()), nic.MapRows(),
		nic.CNPRows, ecnRows())
}

// ownRows returns the keys that no other family has, without those for each priority.
var ownRows = []nic.Row{
	// The driver uses pfc delay as metres of cable. The value only has an effect if an operator sizes the buffers by hand.
	{
		Key: "cable", Means: ir.FieldCable, Comment: "metres of cable, for the headroom of the NIC's own buffers",
		Value: func(b []byte, s *nic.Settings) []byte { return nic.AppendIf(b, s.Cable > 0, s.Cable) },
		Why:   func(s *nic.Settings) []ir.Origin { return []ir.Origin{s.NIC.Port.Link().Length.From} },
		Class: nic.Always(nic.Should),
		Lack: func(*nic.Settings) string {
			return "it keeps the driver's cable length of 7 m, which has an effect only if its buffers are sized by hand."
		},
	},
	nic.RoCERow,
	nic.ClassRow("its driver has no traffic_class", "; or install MLNX_OFED"),
	{
		Key: "traffic_rules", Means: ir.FieldStamps,
		Value: func(b []byte, s *nic.Settings) []byte {
			if s.Version != 2 {
				return b
			}
			if len(s.NIC.TrafficClasses) == 0 {
				return append(b, "none"...)
			}
			return appendRules(b, s.NIC.TrafficClasses)
		},
		Why: nic.AtNIC,
		Class: func(s *nic.Settings) nic.Class {
			if len(s.NIC.TrafficClasses) > 0 {
				return nic.Wish
			}
			return nic.Should
		},
	},
	{
		Key: "ttl", Aside: nic.NoPriority, Comment: "IP TTL of RoCEv2 packets; 0: the route decides",
		Value: func(b []byte, s *nic.Settings) []byte {
			return nic.AppendIf(b, s.Version == 2 && s.NIC.TTL >= 0, s.NIC.TTL)
		},
		Why:   nic.AtNIC,
		Class: nic.Always(nic.Wish),
	},
}

// ecnRows returns ecn_np_prioN (notification point: answer marked packets with CNPs) and ecn_rp_prioN (reaction point: slow down on CNPs).
// Priorities that no cos group of an intent uses keep their settings.
func ecnRows() []nic.Row {
	var out []nic.Row
	for _, side := range []struct{ name, comment string }{
		{"np", "answer packets marked by ECN with congestion notifications"},
		{"rp", "slow down on congestion notifications"},
	} {
		for p := range 8 {
			out = append(out, nic.Row{
				Key:     "ecn_" + side.name + "_prio" + strconv.Itoa(p),
				Comment: side.comment, Aside: nic.Congestion,
				Value: func(b []byte, s *nic.Settings) []byte {
					if !s.ECN[p] {
						return b
					}
					return append(b, "on"...)
				},
				Why: func(s *nic.Settings) []ir.Origin {
					var out []ir.Origin
					for _, in := range s.Intents {
						if g := in.Group; g.Cos == p && g.ECN != nil {
							out = append(out, ir.Origin{At: g.ECN.At, Why: "cos group " + g.Name + " has ECN"})
						}
					}
					return out
				},
				Class: nic.Always(nic.Should),
				Lack: func(*nic.Settings) string {
					return "its driver cannot switch DCQCN, so the firmware decides whether it answers marked packets and slows down " +
						"(ROCE_CC_PRIO_MASK; factory setting: every priority)."
				},
			})
		}
	}
	return out
}

// appendRules appends exceptions by address, sorted, spelled as the driver prints them.
func appendRules(b []byte, classes []ir.TrafficClass) []byte {
	texts := make([]string, len(classes))
	for i, c := range classes {
		texts[i] = ruleText(c)
	}
	slices.Sort(texts)
	for i, t := range slices.Compact(texts) {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, t...)
	}
	return b
}

// ruleText spells an exception as the driver prints it: src_ip=192.0.2.2,dst_ip=192.0.2.0/24,tclass=16.
func ruleText(c ir.TrafficClass) string {
	var b []byte
	for _, side := range []struct {
		name string
		p    netip.Prefix
	}{{"src_ip", c.Src}, {"dst_ip", c.Dst}} {
		if !side.p.IsValid() {
			continue
		}
		b = append(b, side.name...)
		if side.p.Addr().Is6() {
			b = append(b, '6')
		}
		b = append(b, '=')
		if side.p.IsSingleIP() {
			b = side.p.Addr().AppendTo(b)
		} else {
			b = side.p.Masked().AppendTo(b)
		}
		b = append(b, ',')
	}
	b = append(b, "tclass="...)
	return string(strconv.AppendInt(b, int64(c.TOS), 10))
}
