package nic

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
)

// The keys that several families share.

// HostRows are the keys that the network configuration of a host decides.
var HostRows = []Row{
	{
		Key: "bond", Aside: NoPort, Host: true, Comment: "the bond this port belongs to",
		Value: func(b []byte, s *Settings) []byte {
			if s.NIC.Bond == nil || len(s.Intents) == 0 {
				return b
			}
			return append(b, s.NIC.Bond.Name...)
		},
		Why: func(s *Settings) []ir.Origin {
			return []ir.Origin{{At: s.NIC.Bond.At, Why: "bond " + s.NIC.Bond.Name}}
		},
		Class: Always(Wish),
	},
	{
		Key: "mtu", Means: ir.FieldMTU, Host: true, Comment: "compared with the interface's, never set",
		Value: func(b []byte, s *Settings) []byte { return AppendIf(b, s.NIC.MTU > 0, s.NIC.MTU) },
		Why:   func(s *Settings) []ir.Origin { return []ir.Origin{{At: s.NIC.MTUAt, Why: "MTU of the nic"}} },
		Class: Always(Wish),
	},
}

// CardRows are the keys about shares and pauses of priorities.
var CardRows = []Row{
	{
		Key: "dcbx", Aside: WhoSets, Comment: "the host decides, not the firmware by LLDP",
		Value: func(b []byte, s *Settings) []byte { return Word(b, s, "host") },
		Why:   ByMember,
	},
	{
		Key: "ets_bw", Means: ir.FieldShare,
		Comment: "by traffic class: percent of the link (0: strict), and the algorithm; by priority: the traffic class",
		Value: func(b []byte, s *Settings) []byte {
			return Eight(b, s, func(i int) int { return int(s.Share[i]) })
		},
		Why:   EveryGroup,
		Class: Always(Wish),
	},
	{
		Key: "ets_tc", Means: ir.FieldQueue,
		Value: func(b []byte, s *Settings) []byte {
			return Eight(b, s, func(i int) int { return int(s.TC[i]) })
		},
		Why:   EveryGroup,
		Class: Always(Wish),
	},
	{
		Key: "ets_tsa", Means: ir.FieldStrict,
		Value: func(b []byte, s *Settings) []byte {
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
		Why:   EveryGroup,
		Class: Always(Wish),
	},
	{
		Key: "pause", Means: ir.FieldLinkPause, Comment: "802.3x link pause; it and PFC exclude each other",
		Value: func(b []byte, s *Settings) []byte {
			if s.Pause {
				return Word(b, s, "on")
			}
			return Word(b, s, "off")
		},
		Why: ByMember,
	},
	{
		Key: "pfc", Means: ir.FieldPauses, Comment: "priorities with PFC, 0 to 7",
		Value: func(b []byte, s *Settings) []byte {
			return Eight(b, s, func(i int) int { return bit(s.PFC[i]) })
		},
		Why: func(s *Settings) []ir.Origin {
			var out []ir.Origin
			for _, g := range s.NIC.Device.Fabric.CosGroups {
				if s.PFC[g.Cos] && g.Lossless {
					out = append(out, ir.Origin{At: g.LosslessAt, Why: "cos group " + g.Name + " is lossless"})
				}
			}
			return out
		},
	},
}

// FittedCardRows returns [CardRows] for a driver that only accepts other traffic classes. fit sets these classes for a NIC with an intent.
func FittedCardRows(fit func(*Settings)) []Row {
	out := slices.Clone(CardRows)
	for i, r := range out {
		out[i].Value = func(b []byte, s *Settings) []byte {
			fitted := *s
			if len(s.Intents) > 0 {
				fit(&fitted)
			}
			return r.Value(b, &fitted)
		}
	}
	return out
}

// CloseGaps numbers the traffic classes in use without gaps from 0, in the order of their numbers. The others get no share.
func (s *Settings) CloseGaps() {
	old := s.Card
	s.ETS, s.Share = [8]bool{}, [8]uint8{}
	numbers := slices.Compact(slices.Sorted(slices.Values(old.TC[:])))
	for to, from := range numbers {
		s.ETS[to], s.Share[to] = old.ETS[from], old.Share[from]
	}
	for p, from := range old.TC {
		s.TC[p] = uint8(slices.Index(numbers, from))
	}
}

// CMRows are the keys of the defaults of RDMA-CM.
var CMRows = []Row{
	{
		Key: "roce_mode", Aside: NoPriority, Comment: "RoCE version and type of service of RDMA-CM connections that state none",
		Value: func(b []byte, s *Settings) []byte {
			switch s.Version {
			case 1:
				return append(b, "IB/RoCE v1"...)
			case 2:
				return append(b, "RoCE v2"...)
			}
			return b
		},
		Why: ByVersion,
	},
	{
		Key: "tos", Means: ir.FieldStamps,
		Value: func(b []byte, s *Settings) []byte { return AppendIf(b, s.TOS >= 0, s.TOS) },
		Why: func(s *Settings) []ir.Origin {
			if s.NIC.TOS >= 0 {
				return AtNIC(s)
			}
			g := s.Intents[0].Group
			return []ir.Origin{{At: g.DSCP[0].At, Why: fmt.Sprintf("DSCP %d of cos group %s, times 4", g.DSCP[0].Value, g.Name)}}
		},
	},
}

// RoCERow is the key that switches RoCE on a PCI function on or off.
var RoCERow = Row{
	Key: "roce", Aside: NoPriority, Comment: "RoCE on this PCI function",
	Value: func(b []byte, s *Settings) []byte {
		if s.NIC.RoCE {
			return Word(b, s, "on")
		}
		return append(b, "off"...)
	},
	Why: AtNIC,
	Class: func(s *Settings) Class {
		if s.NIC.RoCE {
			return Must
		}
		return Wish
	},
}

// VLANRows are the keys of the VLAN for traffic that is identified by PCP.
var VLANRows = []Row{
	{
		Key: "create_vlan", Aside: NoPort, Host: true, Comment: "the interface of the VLAN is made with the NIC, and its address",
		Value: func(b []byte, s *Settings) []byte {
			if !s.NIC.CreateVLAN || s.VLAN == 0 {
				return b
			}
			return append(b, "on"...)
		},
		Why: AtVLAN, Class: Always(Wish),
	},
	{
		Key: "vlan_ip", Aside: NoPort,
		Value: func(b []byte, s *Settings) []byte {
			if !s.NIC.CreateVLAN || s.VLAN == 0 || !s.NIC.VLANIP.IsValid() {
				return b
			}
			return s.NIC.VLANIP.AppendTo(b)
		},
		Why: AtVLAN, Class: Always(Wish),
	},
	{
		Key: "vlan", Aside: NoPort, Host: true, Comment: "the VLAN, and the 802.1p priority of each socket priority on it",
		Value: func(b []byte, s *Settings) []byte { return AppendIf(b, s.VLAN > 0, s.VLAN) },
		Why:   ByMember,
	},
	// Linux maps a TOS to one of the socket priorities 0, 2, 4 and 6, and only these lead to an 802.1p priority.
	{
		Key: "vlan_map", Means: ir.FieldVLANMap,
		Value: func(b []byte, s *Settings) []byte {
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
		Why: ByMember,
	},
}

// ClassRow returns the row of traffic_class, the marking of connections without RDMA-CM. If a NIC lacks the key, why is the reason and or
// is another solution. Both are parts of a sentence.
//
// One class for all traffic is only correct on a NIC with one intent. It would also override every exception by address.
func ClassRow(why, or string) Row {
	return Row{
		Key: "traffic_class", Means: ir.FieldStamps,
		Comment: "marking of connections made without RDMA-CM (MLNX_OFED only), and exceptions by address",
		Value: func(b []byte, s *Settings) []byte {
			switch {
			case s.Version != 2:
				return b
			case len(s.Intents) == 1 && len(s.NIC.TrafficClasses) == 0 && s.TOS >= 0:
				return strconv.AppendInt(b, int64(s.TOS), 10)
			}
			return append(b, "off"...)
		},
		Why:   ByVersion,
		Class: Always(Should),
		Lack: func(s *Settings) string {
			if s.TOS < 0 || s.ByDSCP && s.TOS>>2 == 0 {
				return ""
			}
			return fmt.Sprintf("connections without RDMA-CM get DSCP 0, as %s. Start NCCL with NCCL_IB_TC=%d, perftest with --tclass=%[2]d%s.",
				why, s.TOS, or)
		},
	}
}

// bit returns 1 or 0, for values of eight numbers.
func bit(on bool) int {
	if on {
		return 1
	}
	return 0
}
