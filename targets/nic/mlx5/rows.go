package mlx5

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
)

// row is one key of the value file.
type row struct {
	key     string
	comment string // stands above it in the value file; empty: the one above is meant for this key too
	host    bool   // the host's network configuration decides it: compared by the script, no part of nic/IF
	value   func(b []byte, s *settings) []byte
	why     func(s *settings) []ir.Origin
}

// rows are the keys of the value file, sorted. value appends the key's value; a row that appends nothing is left out.
var rows = sorted([]row{
	{
		key: "bond", host: true, comment: "the bond this port belongs to",
		value: func(b []byte, s *settings) []byte {
			if s.nic.Bond == nil || len(s.intents) == 0 {
				return b
			}
			return append(b, s.nic.Bond.Name...)
		},
		why: func(s *settings) []ir.Origin { return []ir.Origin{{At: s.nic.Bond.At, Why: "bond " + s.nic.Bond.Name}} },
	},
	// The driver takes the cable's metres for pfc delay; it matters once somebody sizes the buffers by hand.
	{
		key: "cable", comment: "metres of cable, for the headroom of the NIC's own buffers",
		value: func(b []byte, s *settings) []byte { return appendIf(b, s.cable > 0, s.cable) },
		why:   func(s *settings) []ir.Origin { return []ir.Origin{s.nic.Port.Link.Length.From} },
	},
	{
		key: "cnp_dscp", comment: "marking of the congestion notification packets the NIC sends",
		value: func(b []byte, s *settings) []byte {
			if s.cnp == nil || len(s.cnp.DSCP) == 0 {
				return b
			}
			return strconv.AppendInt(b, int64(s.cnp.DSCP[0].Value), 10)
		},
		why: func(s *settings) []ir.Origin {
			return []ir.Origin{{At: s.cnp.DSCP[0].At, Why: "cos group " + s.cnp.Name}}
		},
	},
	{
		key: "cnp_prio",
		value: func(b []byte, s *settings) []byte {
			if s.cnp == nil {
				return b
			}
			return strconv.AppendInt(b, int64(s.cnp.Cos), 10)
		},
		why: func(s *settings) []ir.Origin { return []ir.Origin{{At: s.cnp.CosAt, Why: "cos group " + s.cnp.Name}} },
	},
	{
		key: "dcbx", comment: "the host decides, not the firmware by LLDP",
		value: func(b []byte, s *settings) []byte { return word(b, s, "host") },
		why:   member,
	},
	{
		key: "ets_bw", comment: "by traffic class: percent of the link (0: strict), and the algorithm; by priority: the traffic class",
		value: func(b []byte, s *settings) []byte { return eight(b, s, func(i int) int { return int(s.share[i]) }) },
		why:   everyGroup,
	},
	{
		key:   "ets_tc",
		value: func(b []byte, s *settings) []byte { return eight(b, s, func(i int) int { return int(s.tc[i]) }) },
		why:   everyGroup,
	},
	{
		key: "ets_tsa",
		value: func(b []byte, s *settings) []byte {
			if len(s.intents) == 0 {
				return b
			}
			for i, ets := range s.ets {
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
		why: everyGroup,
	},
	{
		key: "mtu", host: true, comment: "compared with the interface's, never set",
		value: func(b []byte, s *settings) []byte { return appendIf(b, s.nic.MTU > 0, s.nic.MTU) },
		why:   func(s *settings) []ir.Origin { return []ir.Origin{{At: s.nic.MTUAt, Why: "MTU of the nic"}} },
	},
	{
		key: "pause", comment: "802.3x link pause; it and PFC exclude each other",
		value: func(b []byte, s *settings) []byte {
			if s.pause {
				return word(b, s, "on")
			}
			return word(b, s, "off")
		},
		why: member,
	},
	{
		key: "pfc", comment: "priorities with PFC, 0 to 7",
		value: func(b []byte, s *settings) []byte { return eight(b, s, func(i int) int { return bit(s.pfc[i]) }) },
		why: func(s *settings) []ir.Origin {
			var out []ir.Origin
			for _, g := range s.nic.Device.Fabric.CosGroups {
				if s.pfc[g.Cos] && g.Lossless {
					out = append(out, ir.Origin{At: g.LosslessAt, Why: "cos group " + g.Name + " is lossless"})
				}
			}
			return out
		},
	},
	{
		key: "roce", comment: "RoCE on this PCI function",
		value: func(b []byte, s *settings) []byte {
			if s.nic.RoCE {
				return word(b, s, "on")
			}
			return append(b, "off"...)
		},
		why: atNIC,
	},
	{
		key: "roce_mode", comment: "RoCE version and type of service of RDMA-CM connections that state none",
		value: func(b []byte, s *settings) []byte {
			switch s.version {
			case 1:
				return append(b, "IB/RoCE v1"...)
			case 2:
				return append(b, "RoCE v2"...)
			}
			return b
		},
		why: version,
	},
	{
		key:   "tos",
		value: func(b []byte, s *settings) []byte { return appendIf(b, s.tos >= 0, s.tos) },
		why: func(s *settings) []ir.Origin {
			if s.nic.TOS >= 0 {
				return atNIC(s)
			}
			g := s.intents[0].Group
			return []ir.Origin{{At: g.DSCP[0].At, Why: fmt.Sprintf("DSCP %d of cos group %s, times 4", g.DSCP[0].Value, g.Name)}}
		},
	},
	// One class for all traffic of the NIC is only right where it carries one intent; it would also outrank every
	// exception by address.
	{
		key: "traffic_class", comment: "marking of connections made without RDMA-CM (MLNX_OFED only), and exceptions by address",
		value: func(b []byte, s *settings) []byte {
			switch {
			case s.version != 2:
				return b
			case len(s.intents) == 1 && len(s.nic.TrafficClasses) == 0 && s.tos >= 0:
				return strconv.AppendInt(b, int64(s.tos), 10)
			}
			return append(b, "off"...)
		},
		why: version,
	},
	{
		key: "traffic_rules",
		value: func(b []byte, s *settings) []byte {
			if s.version != 2 {
				return b
			}
			if len(s.nic.TrafficClasses) == 0 {
				return append(b, "none"...)
			}
			return appendRules(b, s.nic.TrafficClasses)
		},
		why: atNIC,
	},
	{
		key: "trust", comment: "what decides a received packet's priority",
		value: func(b []byte, s *settings) []byte {
			if s.byDSCP {
				return word(b, s, "dscp")
			}
			return word(b, s, "pcp")
		},
		why: version,
	},
	{
		key: "ttl", comment: "IP TTL of RoCEv2 packets",
		value: func(b []byte, s *settings) []byte { return appendIf(b, s.version == 2 && s.nic.TTL > 0, s.nic.TTL) },
		why:   atNIC,
	},
	{
		key: "vlan", host: true, comment: "the VLAN, and the 802.1p priority of each socket priority on it",
		value: func(b []byte, s *settings) []byte { return appendIf(b, s.vlan > 0, s.vlan) },
		why:   member,
	},
	// Linux makes a TOS one of the socket priorities 0, 2, 4 and 6, and knows no other way to an 802.1p priority.
	{
		key: "vlan_map",
		value: func(b []byte, s *settings) []byte {
			if s.vlan == 0 {
				return b
			}
			for i, sk := range []byte("0246") {
				if i > 0 {
					b = append(b, ',')
				}
				b = append(b, sk, ':', '0'+byte(s.egress))
			}
			return b
		},
		why: member,
	},
}, dscpRows(), ecnRows())

// sorted joins rows and sorts them by key.
func sorted(parts ...[]row) []row {
	all := slices.Concat(parts...)
	slices.SortFunc(all, func(a, b row) int {
		if a.key < b.key {
			return -1
		}
		return 1
	})
	return all
}

// dscpRows are dscp_prio0 to dscp_prio7: the DSCP values that get the priority, as ranges, or "none".
func dscpRows() []row {
	var out []row
	for p := range uint8(8) {
		r := row{
			key: "dscp_prio" + strconv.Itoa(int(p)),
			value: func(b []byte, s *settings) []byte {
				if !s.byDSCP {
					return b
				}
				return appendRanges(b, s.runs, p)
			},
			why: func(s *settings) []ir.Origin {
				var out []ir.Origin
				for _, g := range s.nic.Device.Fabric.CosGroups {
					for _, c := range g.DSCP {
						if s.dscp[c.Value] == p {
							out = append(out, ir.Origin{At: c.At, Why: fmt.Sprintf("cos group %s claims DSCP %d", g.Name, c.Value)})
						}
					}
				}
				return out
			},
		}
		if p == 0 {
			r.comment = "DSCP values that get priority 0 to 7"
		}
		out = append(out, r)
	}
	return out
}

// ecnRows are ecn_np_prioN (notification point: answer marked packets with CNPs) and ecn_rp_prioN (reaction point: slow
// down on CNPs). Priorities rocec has nothing to say about keep what they have.
func ecnRows() []row {
	var out []row
	for _, side := range []struct{ name, comment string }{
		{"np", "answer packets marked by ECN with congestion notifications"},
		{"rp", "slow down on congestion notifications"},
	} {
		for p := range 8 {
			out = append(out, row{
				key:     "ecn_" + side.name + "_prio" + strconv.Itoa(p),
				comment: side.comment,
				value: func(b []byte, s *settings) []byte {
					if !s.ecn[p] {
						return b
					}
					return append(b, "on"...)
				},
				why: func(s *settings) []ir.Origin {
					var out []ir.Origin
					for _, in := range s.intents {
						if g := in.Group; g.Cos == p && g.ECN != nil {
							out = append(out, ir.Origin{At: g.ECN.At, Why: "cos group " + g.Name + " has ECN"})
						}
					}
					return out
				},
			})
		}
	}
	return out
}

// appendRanges appends the DSCP values of a priority: "0-25,27", or "none".
func appendRanges(b []byte, runs []run, p uint8) []byte {
	start := len(b)
	for _, r := range runs {
		if r.prio != p {
			continue
		}
		if len(b) > start {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(r.first), 10)
		if r.last > r.first {
			b = append(b, '-')
			b = strconv.AppendInt(b, int64(r.last), 10)
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

// word appends a value every member of an intent has.
func word(b []byte, s *settings, v string) []byte {
	if len(s.intents) == 0 {
		return b
	}
	return append(b, v...)
}

// appendIf appends a number, if there is one.
func appendIf(b []byte, is bool, n int) []byte {
	if !is {
		return b
	}
	return strconv.AppendInt(b, int64(n), 10)
}

// eight appends eight numbers every member of an intent has: "0,0,0,0,1,0,0,0".
func eight(b []byte, s *settings, at func(int) int) []byte {
	if len(s.intents) == 0 {
		return b
	}
	for i := range 8 {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(at(i)), 10)
	}
	return b
}

func bit(on bool) int {
	if on {
		return 1
	}
	return 0
}

func atNIC(s *settings) []ir.Origin {
	return []ir.Origin{{At: s.nic.At, Why: "nic " + s.nic.Name}}
}

// member says through which intents a NIC takes part.
func member(s *settings) []ir.Origin {
	var out []ir.Origin
	for _, in := range s.intents {
		out = append(out, ir.Origin{At: in.At, Why: "member of " + in.Name})
	}
	return out
}

func version(s *settings) []ir.Origin {
	var out []ir.Origin
	for _, in := range s.intents {
		out = append(out, ir.Origin{At: in.VersionAt, Why: fmt.Sprintf("RoCEv%d of %s", in.Version, in.Name)})
	}
	return out
}

func everyGroup(s *settings) []ir.Origin {
	var out []ir.Origin
	for _, g := range s.nic.Device.Fabric.CosGroups {
		out = append(out, ir.Origin{At: g.At, Why: "cos group " + g.Name})
	}
	return out
}
