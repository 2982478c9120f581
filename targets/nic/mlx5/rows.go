package mlx5

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
)

// rows are the keys of the value file, sorted. value appends the key's value; a row that appends nothing is left out.
var rows = nic.Sorted([]nic.Row{
	{
		Key: "bond", Host: true, Comment: "the bond this port belongs to",
		Value: func(b []byte, s *nic.Settings) []byte {
			if s.NIC.Bond == nil || len(s.Intents) == 0 {
				return b
			}
			return append(b, s.NIC.Bond.Name...)
		},
		Why: func(s *nic.Settings) []ir.Origin {
			return []ir.Origin{{At: s.NIC.Bond.At, Why: "bond " + s.NIC.Bond.Name}}
		},
		Class: nic.Always(nic.Wish),
	},
	// The driver takes the cable's metres for pfc delay; it matters once somebody sizes the buffers by hand.
	{
		Key: "cable", Comment: "metres of cable, for the headroom of the NIC's own buffers",
		Value: func(b []byte, s *nic.Settings) []byte { return nic.AppendIf(b, s.Cable > 0, s.Cable) },
		Why:   func(s *nic.Settings) []ir.Origin { return []ir.Origin{s.NIC.Port.Link.Length.From} },
		Class: nic.Always(nic.Should),
		Lack: func(*nic.Settings) string {
			return "it keeps the driver's cable length of 7 m, which counts where somebody sizes its buffers by hand."
		},
	},
	{
		Key: "cnp_dscp", Comment: "marking of the congestion notification packets the NIC sends",
		Value: func(b []byte, s *nic.Settings) []byte {
			if s.CNP == nil || len(s.CNP.DSCP) == 0 {
				return b
			}
			return strconv.AppendInt(b, int64(s.CNP.DSCP[0].Value), 10)
		},
		Why: func(s *nic.Settings) []ir.Origin {
			return []ir.Origin{{At: s.CNP.DSCP[0].At, Why: "cos group " + s.CNP.Name}}
		},
		Class: ifMarked, Lack: lackCNP,
	},
	{
		Key: "cnp_prio",
		Value: func(b []byte, s *nic.Settings) []byte {
			if s.CNP == nil {
				return b
			}
			return strconv.AppendInt(b, int64(s.CNP.Cos), 10)
		},
		Why: func(s *nic.Settings) []ir.Origin {
			return []ir.Origin{{At: s.CNP.CosAt, Why: "cos group " + s.CNP.Name}}
		},
		Class: ifMarked, Lack: lackCNP,
	},
	{
		Key: "create_vlan", Host: true, Comment: "the interface of the VLAN is made with the NIC, and its address",
		Value: func(b []byte, s *nic.Settings) []byte {
			if !s.NIC.CreateVLAN || s.VLAN == 0 {
				return b
			}
			return append(b, "on"...)
		},
		Why: nic.AtVLAN, Class: nic.Always(nic.Wish),
	},
	{
		Key: "vlan_ip",
		Value: func(b []byte, s *nic.Settings) []byte {
			if !s.NIC.CreateVLAN || s.VLAN == 0 || !s.NIC.VLANIP.IsValid() {
				return b
			}
			return s.NIC.VLANIP.AppendTo(b)
		},
		Why: nic.AtVLAN, Class: nic.Always(nic.Wish),
	},
	{
		Key: "dcbx", Comment: "the host decides, not the firmware by LLDP",
		Value: func(b []byte, s *nic.Settings) []byte { return nic.Word(b, s, "host") },
		Why:   nic.ByMember,
	},
	{
		Key: "ets_bw", Comment: "by traffic class: percent of the link (0: strict), and the algorithm; by priority: the traffic class",
		Value: func(b []byte, s *nic.Settings) []byte {
			return nic.Eight(b, s, func(i int) int { return int(s.Share[i]) })
		},
		Why:   nic.EveryGroup,
		Class: nic.Always(nic.Wish),
	},
	{
		Key: "ets_tc",
		Value: func(b []byte, s *nic.Settings) []byte {
			return nic.Eight(b, s, func(i int) int { return int(s.TC[i]) })
		},
		Why:   nic.EveryGroup,
		Class: nic.Always(nic.Wish),
	},
	{
		Key: "ets_tsa",
		Value: func(b []byte, s *nic.Settings) []byte {
			if len(s.Intents) == 0 {
				return b
			}
			for i, ets := range s.ETS {
				if i > 0 {
					b = append(b, ',')
				}
				if ets {
					b = append(b, "ets"...)
				} else {
					b = append(b, "strict"...)
				}
			}
			return b
		},
		Why:   nic.EveryGroup,
		Class: nic.Always(nic.Wish),
	},
	{
		Key: "mtu", Host: true, Comment: "compared with the interface's, never set",
		Value: func(b []byte, s *nic.Settings) []byte { return nic.AppendIf(b, s.NIC.MTU > 0, s.NIC.MTU) },
		Why:   func(s *nic.Settings) []ir.Origin { return []ir.Origin{{At: s.NIC.MTUAt, Why: "MTU of the nic"}} },
		Class: nic.Always(nic.Wish),
	},
	{
		Key: "pause", Comment: "802.3x link pause; it and PFC exclude each other",
		Value: func(b []byte, s *nic.Settings) []byte {
			if s.Pause {
				return nic.Word(b, s, "on")
			}
			return nic.Word(b, s, "off")
		},
		Why: nic.ByMember,
	},
	{
		Key: "pfc", Comment: "priorities with PFC, 0 to 7",
		Value: func(b []byte, s *nic.Settings) []byte {
			return nic.Eight(b, s, func(i int) int { return bit(s.PFC[i]) })
		},
		Why: func(s *nic.Settings) []ir.Origin {
			var out []ir.Origin
			for _, g := range s.NIC.Device.Fabric.CosGroups {
				if s.PFC[g.Cos] && g.Lossless {
					out = append(out, ir.Origin{At: g.LosslessAt, Why: "cos group " + g.Name + " is lossless"})
				}
			}
			return out
		},
	},
	{
		Key: "roce", Comment: "RoCE on this PCI function",
		Value: func(b []byte, s *nic.Settings) []byte {
			if s.NIC.RoCE {
				return nic.Word(b, s, "on")
			}
			return append(b, "off"...)
		},
		Why: nic.AtNIC,
		Class: func(s *nic.Settings) nic.Class {
			if s.NIC.RoCE {
				return nic.Must
			}
			return nic.Wish
		},
	},
	{
		Key: "roce_mode", Comment: "RoCE version and type of service of RDMA-CM connections that state none",
		Value: func(b []byte, s *nic.Settings) []byte {
			switch s.Version {
			case 1:
				return append(b, "IB/RoCE v1"...)
			case 2:
				return append(b, "RoCE v2"...)
			}
			return b
		},
		Why: nic.ByVersion,
	},
	{
		Key:   "tos",
		Value: func(b []byte, s *nic.Settings) []byte { return nic.AppendIf(b, s.TOS >= 0, s.TOS) },
		Why: func(s *nic.Settings) []ir.Origin {
			if s.NIC.TOS >= 0 {
				return nic.AtNIC(s)
			}
			g := s.Intents[0].Group
			return []ir.Origin{{At: g.DSCP[0].At, Why: fmt.Sprintf("DSCP %d of cos group %s, times 4", g.DSCP[0].Value, g.Name)}}
		},
	},
	// One class for all traffic of the NIC is only right where it carries one intent; it would also outrank every
	// exception by address.
	{
		Key: "traffic_class", Comment: "marking of connections made without RDMA-CM (MLNX_OFED only), and exceptions by address",
		Value: func(b []byte, s *nic.Settings) []byte {
			switch {
			case s.Version != 2:
				return b
			case len(s.Intents) == 1 && len(s.NIC.TrafficClasses) == 0 && s.TOS >= 0:
				return strconv.AppendInt(b, int64(s.TOS), 10)
			}
			return append(b, "off"...)
		},
		Why:   nic.ByVersion,
		Class: nic.Always(nic.Should),
		Lack: func(s *nic.Settings) string {
			if s.TOS < 0 || s.ByDSCP && s.TOS>>2 == 0 {
				return ""
			}
			return fmt.Sprintf("connections made without RDMA-CM get DSCP 0, as its driver has no traffic_class. Start NCCL with "+
				"NCCL_IB_TC=%d, perftest with --tclass=%[1]d; or install MLNX_OFED.", s.TOS)
		},
	},
	{
		Key: "traffic_rules",
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
		Key: "trust", Comment: "what decides a received packet's priority",
		Value: func(b []byte, s *nic.Settings) []byte {
			if s.ByDSCP {
				return nic.Word(b, s, "dscp")
			}
			return nic.Word(b, s, "pcp")
		},
		Why: nic.ByVersion,
	},
	{
		Key: "ttl", Comment: "IP TTL of RoCEv2 packets; 0: the route decides",
		Value: func(b []byte, s *nic.Settings) []byte {
			return nic.AppendIf(b, s.Version == 2 && s.NIC.TTL >= 0, s.NIC.TTL)
		},
		Why:   nic.AtNIC,
		Class: nic.Always(nic.Wish),
	},
	{
		Key: "vlan", Host: true, Comment: "the VLAN, and the 802.1p priority of each socket priority on it",
		Value: func(b []byte, s *nic.Settings) []byte { return nic.AppendIf(b, s.VLAN > 0, s.VLAN) },
		Why:   nic.ByMember,
	},
	// Linux makes a TOS one of the socket priorities 0, 2, 4 and 6, and knows no other way to an 802.1p priority.
	{
		Key: "vlan_map",
		Value: func(b []byte, s *nic.Settings) []byte {
			if s.VLAN == 0 {
				return b
			}
			for i, sk := range []byte("0246") {
				if i > 0 {
					b = append(b, ',')
				}
				b = append(b, sk, ':', '0'+byte(s.Egress))
			}
			return b
		},
		Why: nic.ByMember,
	},
}, dscpRows(), ecnRows())

// dscpRows are dscp_prio0 to dscp_prio7: the DSCP values that get the priority, as ranges, or "none".
func dscpRows() []nic.Row {
	var out []nic.Row
	for p := range uint8(8) {
		r := nic.Row{
			Key: "dscp_prio" + strconv.Itoa(int(p)),
			Value: func(b []byte, s *nic.Settings) []byte {
				if !s.ByDSCP {
					return b
				}
				return appendRanges(b, s.Runs, p)
			},
			Why: func(s *nic.Settings) []ir.Origin {
				var out []ir.Origin
				for _, g := range s.NIC.Device.Fabric.CosGroups {
					for _, c := range g.DSCP {
						if s.DSCP[c.Value] == p {
							out = append(out, ir.Origin{At: c.At, Why: fmt.Sprintf("cos group %s claims DSCP %d", g.Name, c.Value)})
						}
					}
				}
				return out
			},
		}
		if p == 0 {
			r.Comment = "DSCP values that get priority 0 to 7"
		}
		out = append(out, r)
	}
	return out
}

// ecnRows are ecn_np_prioN (notification point: answer marked packets with CNPs) and ecn_rp_prioN (reaction point: slow
// down on CNPs). Priorities rocec has nothing to say about keep what they have.
func ecnRows() []nic.Row {
	var out []nic.Row
	for _, side := range []struct{ name, comment string }{
		{"np", "answer packets marked by ECN with congestion notifications"},
		{"rp", "slow down on congestion notifications"},
	} {
		for p := range 8 {
			out = append(out, nic.Row{
				Key:     "ecn_" + side.name + "_prio" + strconv.Itoa(p),
				Comment: side.comment,
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
					return "whether it answers marked packets and slows down is the firmware's to decide, as its driver has no switch for it " +
						"(ROCE_CC_PRIO_MASK: every priority, from the factory)."
				},
			})
		}
	}
	return out
}

// appendRanges appends the DSCP values of a priority: "0-25,27", or "none".
func appendRanges(b []byte, runs []nic.Run, p uint8) []byte {
	start := len(b)
	for _, r := range runs {
		if r.Priority != p {
			continue
		}
		if len(b) > start {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(r.First), 10)
		if r.Last > r.First {
			b = append(b, '-')
			b = strconv.AppendInt(b, int64(r.Last), 10)
		}
	}
	if len(b) == start {
		b = append(b, "none"...)
	}
	return b
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

// ifMarked is the class of what concerns congestion notification packets: no NIC is asked for one where no switch marks.
func ifMarked(s *nic.Settings) nic.Class {
	if s.ECN != [8]bool{} {
		return nic.Must
	}
	return nic.Should
}

func lackCNP(*nic.Settings) string {
	return "congestion notification packets are marked as the firmware starts; none is sent as long as no cos group of its intents has an " +
		"ecn block."
}

func bit(on bool) int {
	if on {
		return 1
	}
	return 0
}
