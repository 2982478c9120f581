package nic

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target/sender"
)

// senderTopic is the code of notes about queue pairs that no default of an RDMA device reaches.
var senderTopic = diag.Topic{Code: sender.Code, Summary: "no default of a NIC marks the packets of some senders"}

// autoTOS is the type of service of UCX for RoCEv2 if UCX_IB_TRAFFIC_CLASS is "auto", its default. Source: UCT_IB_DEFAULT_ROCEV2_DSCP of
// UCX.
const autoTOS = 106

// variable is the pair of variables with which programs mark packets, by DSCP and by PCP.
type variable struct{ dscp, pcp string }

// variables are those of NCCL, of its GIN, of UCX and of NVSHMEM. NCCL_GIN_IB_TC is new in NCCL 2.30.7; without it GIN uses NCCL_IB_TC, and
// both use NCCL_IB_SL. NVSHMEM has its pair for all transports of InfiniBand and RoCE: IBRC, IBDEVX, IBGDA and GPUNetIO. The default of all
// is 0, except that of UCX.
//
// Sources: NCCL's documentation of variables, and gin.cc of net_ib (2.30.7); UCX's FAQ; transport/common/env_defs.h of NVIDIA/nvshmem,
// commit 0c409c02.
var variables = []variable{
	{"NCCL_IB_TC", "NCCL_IB_SL"},
	{"NCCL_GIN_IB_TC", ""},
	{"UCX_IB_TRAFFIC_CLASS", "UCX_IB_SL"},
	{"NVSHMEM_IB_TRAFFIC_CLASS", "NVSHMEM_IB_SL"},
}

// GIDVariables are the variables with which programs choose a GID by its index. Sources: as for [Marks].
var GIDVariables = []string{"NCCL_IB_GID_INDEX", "UCX_IB_GID_INDEX", "NVSHMEM_IB_GID_INDEX"}

// Marks returns the settings with which NCCL, UCX and NVSHMEM themselves mark the packets of an intent, by DSCP or by PCP.
func Marks(p ir.Packet, byDSCP bool) (out []string) {
	for _, v := range variables {
		switch {
		case byDSCP:
			out = append(out, fmt.Sprintf("%s=%d", v.dscp, p.DSCP<<2)) // the upper six bits
		case v.pcp != "":
			out = append(out, fmt.Sprintf("%s=%d", v.pcp, p.PCP))
		}
	}
	return out
}

// PodNetwork returns the fields of the SR-IOV CNI plugin that give the packets of a pod's virtual function the VLAN and the PCP of an
// intent. No field of the plugin sets a DSCP, and its field trust only permits a virtual function to change its addresses. It returns nil
// if DSCP identifies the intent, or if the intent has no VLAN.
//
// Sources: docs/configuration-reference.md of k8snetworkplumbingwg/sriov-cni, commit 1bf2f23f; SriovNetwork has the same fields. Whether a
// driver gives the VLAN also to RoCE packets is not documented, except that mlx4 did not (Linux, commit 3f7fb021).
func PodNetwork(p ir.Packet, in *ir.Intent) []string {
	if in.ByDSCP() || in.VLAN == 0 {
		return nil
	}
	return []string{fmt.Sprintf(`"vlan": %d`, in.VLAN), fmt.Sprintf(`"vlanQoS": %d`, p.PCP)}
}

// unreachedText returns a sentence about the queue pairs of a NIC that no default of its RDMA device reaches. The sentence contains the
// settings that put them into the cos groups of the NIC's intents. It is empty if unmarked packets are in these groups.
func unreachedText(n *ir.NIC, card *ir.Card, markings []sender.Marking) string {
	var queuePairs []string
	for _, m := range markings {
		if m.Pairs != "" {
			queuePairs = append(queuePairs, m.Pairs)
		}
	}
	if len(queuePairs) == 0 {
		return ""
	}
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
		"unless their programs have %s.%s", n.Name, n.Device.Group, diag.And(queuePairs), unmarked, strings.Join(settings, "; "), auto)
}
