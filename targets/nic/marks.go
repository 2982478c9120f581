package nic

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// autoTOS is the type of service of UCX for RoCEv2 if UCX_IB_TRAFFIC_CLASS is "auto", its default. Source: UCT_IB_DEFAULT_ROCEV2_DSCP of
// UCX.
const autoTOS = 106

// Marks returns the settings with which NCCL and UCX themselves mark the packets of an intent, by DSCP or by PCP. NCCL_GIN_IB_TC is new in
// NCCL 2.30; without it the queue pairs of GPUs use NCCL_IB_TC. Source: gin.cc of net_ib.
func Marks(p ir.Packet, byDSCP bool) []string {
	if byDSCP {
		tos := p.DSCP << 2 // the upper six bits
		return []string{
			fmt.Sprintf("NCCL_IB_TC=%d", tos), fmt.Sprintf("NCCL_GIN_IB_TC=%d", tos), fmt.Sprintf("UCX_IB_TRAFFIC_CLASS=%d", tos),
		}
	}
	return []string{fmt.Sprintf("NCCL_IB_SL=%d", p.PCP), fmt.Sprintf("UCX_IB_SL=%d", p.PCP)}
}

// unreachedText returns a sentence about the queue pairs of a NIC that no default of its RDMA device reaches. The sentence contains the
// settings that put them into the cos groups of the NIC's intents. It is empty if unmarked packets are in these groups.
func unreachedText(n *ir.NIC, card *ir.Card, queuePairs string) string {
	var settings []string
	all := n.Carries()
	for _, in := range all {
		p := n.Packet(in)
		if in.ByDSCP() && p.DSCP == 0 || !in.ByDSCP() && p.PCP == 0 {
			continue
		}
		text := strings.Join(Marks(p, in.ByDSCP()), " ")
		if len(all) > 1 {
			text = diag.Escape(in.Name) + ": " + text
		}
		settings = append(settings, text)
	}
	if len(settings) == 0 {
		return ""
	}
	unmarked, auto := uint8(0), ""
	if card.ByDSCP {
		unmarked = card.DSCP[0]
		if n.Packet(all[0]).DSCP != autoTOS>>2 {
			auto = fmt.Sprintf(" UCX alone marks DSCP %d (%d) by default, which is priority %d.", autoTOS>>2, autoTOS, card.DSCP[autoTOS>>2])
		}
	}
	return fmt.Sprintf("%s of the host group %s: no default of its RDMA device (tos, traffic_class) reaches %s. They travel in priority %d, "+
		"unless their programs have %s.%s", n.Name, n.Device.Group, queuePairs, unmarked, strings.Join(settings, "; "), auto)
}
