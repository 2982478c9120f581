package bnxt

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
)

// rows returns the keys of the value file, sorted.
func rows() []nic.Row {
	card, own := nic.FittedCardRows((*nic.Settings).CloseGaps), nic.ParameterRows(parameters())
	return nic.Sorted(ownRows(), nic.HostRows, card, nic.CMRows, nic.VLANRows, own, nic.MapRows(), nic.CNPRows)
}

// queueOfRoCE is why roce_udp sets no field: the DSCP map and the classes decide about received packets.
const queueOfRoCE = "it names the queue of RoCE in the NIC"

// ownRows returns the keys that no other family has, without those of [nic.MapRows].
func ownRows() []nic.Row {
	return []nic.Row{
		ccRow("cc_mode", "1", "congestion control: mode DCQCN-P", ""),
		ccRow("ecn_enable", "on", "answer packets marked by ECN with congestion notifications, and slow down on them", lackCC),
		ccRow("ecn_marking", "1", "ECN bits of sent packets, without which switches do not mark them: 1 is ECT(1)", lackCC),
		{
			Key: "prio_vlan", Aside: nic.NoPriority, Comment: "tags with VLAN 0 on packets without a VLAN, which DSCP identifies",
			Value: func(b []byte, s *nic.Settings) []byte {
				if !s.ByDSCP {
					return b
				}
				return nic.Word(b, s, "off")
			},
			Why:   nic.ByVersion,
			Class: nic.Always(nic.Should),
		},
		{
			Key: "roce_dscp", Aside: nic.Congestion, Comment: "DSCP and priority of RoCE packets, for congestion control",
			Value: func(b []byte, s *nic.Settings) []byte {
				return nic.AppendIf(b, s.ByDSCP && marks(s) && s.TOS >= 0, s.TOS>>2)
			},
			Why:   nic.ByMember,
			Class: nic.Always(nic.Should),
		},
		{
			Key: "roce_prio", Aside: nic.Congestion,
			Value: func(b []byte, s *nic.Settings) []byte { return nic.AppendIf(b, s.ByDSCP && marks(s), priority(s)) },
			Why:   nic.ByMember,
			Class: nic.Always(nic.Should),
		},
		// The driver of the RDMA device puts RoCE into the queue of the priorities that the APP table has for UDP port 4791
		// (bnxt_re_get_priority_mask).
		{
			Key: "roce_udp", Aside: queueOfRoCE, Comment: "priority of RoCEv2 by its UDP port 4791, which names the queue of RoCE",
			Value: func(b []byte, s *nic.Settings) []byte { return nic.AppendIf(b, s.Version == 2, priority(s)) },
			Why:   nic.ByMember,
		},
		nic.ClassRow("its driver has no traffic_class", ""),
	}
}

// ccRow returns the row of a switch of congestion control, for a NIC whose intents have ECN.
func ccRow(key, value, comment, lack string) nic.Row {
	return nic.Row{
		Key: key, Aside: nic.Congestion, Comment: comment,
		Value: func(b []byte, s *nic.Settings) []byte {
			if !marks(s) {
				return b
			}
			return append(b, value...)
		},
		Why: func(s *nic.Settings) []ir.Origin {
			var out []ir.Origin
			for _, in := range s.Intents {
				if g := in.Group; g.ECN != nil && s.ECN[g.Cos] {
					out = append(out, ir.Origin{At: g.ECN.At, Why: "cos group " + g.Name + " has ECN"})
				}
			}
			return out
		},
		Class: nic.Always(nic.Should),
		Lack:  func(*nic.Settings) string { return lack },
	}
}

// Source of the kernel's own driver: bnxt_re_setup_cc of main.c.
const lackCC = "nothing on it switches congestion control, so the driver decides whether the NIC marks packets as ECN-capable, answers " +
	"marked packets and slows down (the kernel's own driver switches that on for BCM575xx and BCM576xx alone). Install Broadcom's driver."

// marks reports whether switches mark packets of an intent of the NIC.
func marks(s *nic.Settings) bool { return slices.Contains(s.ECN[:], true) }

// priority returns the priority of RoCE: that of the first lossless cos group of the NIC's intents, or else of the first one.
func priority(s *nic.Settings) int {
	for _, in := range s.Intents {
		if in.Group.Lossless {
			return in.Group.Cos
		}
	}
	if len(s.Intents) == 0 {
		return 0
	}
	return s.Intents[0].Group.Cos
}
