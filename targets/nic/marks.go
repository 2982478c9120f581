package nic

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// autoTOS is what UCX marks RoCEv2 with where UCX_IB_TRAFFIC_CLASS is "auto", its default. Source: UCT_IB_DEFAULT_ROCEV2_DSCP of UCX.
const autoTOS = 106

// Marks returns the settings by which NCCL and UCX mark the packets of an intent themselves, by DSCP or by PCP. Source: NCCL_GIN_IB_TC is
// of NCCL 2.30 (gin.cc of net_ib); without it the queue pairs of GPUs take NCCL_IB_TC.
func Marks(p ir.Packet, byDSCP bool) []string {
	if byDSCP {
		tos := p.DSCP << 2 // the upper six bits
		return []string{
			fmt.Sprintf("NCCL_IB_TC=%d", tos), fmt.Sprintf("NCCL_GIN_IB_TC=%d", tos), fmt.Sprintf("UCX_IB_TRAFFIC_CLASS=%d", tos),
		}
	}
	return []string{fmt.Sprintf("NCCL_IB_SL=%d", p.PCP), fmt.Sprintf("UCX_IB_SL=%d", p.PCP)}
}

// unreachedText states which queue pairs of a NIC no default of its RDMA device reaches, with the settings that bring them into the
// cos groups of its intents. It is empty if unmarked packets are in these groups.
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
