package ice

import (
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
)

// Topics lists every code that this target reports.
var Topics = []diag.Topic{conditionTopic}

var conditionTopic = diag.Topic{Code: "host-condition", Summary: "a NIC takes settings of the fabric only under a condition"}

// mostEntries is the largest number of DSCP values whose priority is not the driver's own. The driver's table has 64 places
// (ICE_DCBX_MAX_APPS of ice_type.h), and its first configuration uses one of them (ice_dcb_sw_dflt_cfg).
const mostEntries = 63

// judge reports what a NIC cannot do, or only under a condition.
func judge(ds *diag.List, n *ir.NIC) {
	nic.JudgeIntents(ds, n)
	nic.JudgeOptions(ds, n, "roce = false")
	intents := n.Carries()
	if len(intents) == 0 {
		return
	}
	card := ir.CardOf(n, intents)
	if count := entries(card); card.ByDSCP && count > mostEntries {
		conditionTopic.Errorf(ds, n.At, "The nic %s of the host group %s would need %d entries in its DSCP map, and the driver ice has room "+
			"for %d. Let the cos groups claim fewer DSCP values.", n.Name, n.Device.Group, count, mostEntries)
	}
	if names := paused(n, card); len(names) > n.Can().Lossless {
		conditionTopic.Errorf(ds, n.At, "The cable of the nic %s of the host group %s is lossless for %d cos groups (%s), and a port of the %s "+
			"has PFC for one class. Leave one lossless group in the fabric, or set these NICs up by hand and write a by_hand block.", n.Name,
			n.Device.Group, len(names), strings.Join(names, ", "), n.Model.Title)
	}
	if n.Bond != nil {
		conditionTopic.Warnf(ds, n.At, "The nic %s of the host group %s is a port of the bond %s. Recent drivers ice change PFC, traffic "+
			"classes and the DSCP map only while a port is in no bond, so apply fails on this host until its ports have left the bond. Both "+
			"ports must have equal settings before they join it.", n.Name, n.Device.Group, n.Bond.Name)
	}
	for _, in := range intents {
		if in.Version == 2 && in.Group.ECN != nil && in.CNP != nil {
			conditionTopic.Noticef(ds, n.At, "%s of the host group %s: the driver irdma has no setting for the marks of congestion "+
				"notification packets, and no document states them. Whether those packets are in the cos group %s is not known.", n.Name,
				n.Device.Group, in.CNP.Name)
			break
		}
	}
	if !card.ByDSCP && card.VLAN > 0 && card.Egress > 0 {
		conditionTopic.Noticef(ds, n.At, "%s of the host group %s: older drivers irdma take the PCP of RoCEv2 packets from their type of "+
			"service, and not from the map of the VLAN. Then packets have PCP 0 here. A cos group that claims a DSCP does not depend on that.",
			n.Name, n.Device.Group)
	}
}

// paused returns the names of the cos groups that PFC makes lossless on a NIC.
func paused(n *ir.NIC, card *ir.Card) (names []string) {
	for _, g := range n.Device.Fabric.CosGroups {
		if card.PFC[g.Cos] {
			names = append(names, g.Name)
		}
	}
	return names
}

// entries counts the DSCP values whose priority is not the driver's own, which is their upper three bits.
func entries(card *ir.Card) (count int) {
	for dscp, priority := range card.DSCP {
		if int(priority) != dscp>>3 {
			count++
		}
	}
	return count
}
