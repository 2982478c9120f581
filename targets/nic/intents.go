package nic

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// The codes, for every family, of intents that one NIC cannot carry together, or cannot carry by the field that identifies them,
// and of settings that a NIC cannot have.
var (
	mixedTopic     = diag.Topic{Code: "host-mixed", Summary: "one NIC cannot carry intents by DSCP and by PCP"}
	pcpTopic       = diag.Topic{Code: "host-pcp", Summary: "a NIC cannot map a PCP to another priority"}
	vlanTopic      = diag.Topic{Code: "host-vlan", Summary: "one NIC marks one cos group by PCP"}
	optionTopic    = diag.Topic{Code: "host-option", Summary: "the driver of a NIC has no such setting"}
	parameterTopic = diag.Topic{Code: "host-parameter", Summary: "a parameter of a NIC contradicts the fabric"}
	tosTopic       = diag.Topic{Code: "host-tos", Summary: "RDMA-CM has one default for several intents"}
)

// sharedTag is the beginning of the messages of host-vlan.
const sharedTag = "The nic %s of the host group %s is a member of %s (cos group %s, VLAN %d) and of %s (cos group %s, VLAN %d). " +
	"PCP identifies both, and a NIC marks one cos group in one VLAN: traffic it sends for %s"

// JudgeIntents reports intents that a NIC cannot carry by its priorities.
func JudgeIntents(ds *diag.List, n *ir.NIC) {
	all, family := n.Carries(), n.Model.Driver.Name
	for i, in := range all {
		promised := in.Group.Lossless || in.Version == 2 && in.Group.ECN != nil
		if !in.ByDSCP() && promised && !slices.ContainsFunc(in.Group.PCP, func(c ir.Claim) bool { return c.Value == in.Group.Cos }) {
			pcpTopic.Errorf(ds, in.Group.CosAt, "The cos group %s has cos %d and does not claim PCP %d, but PCP identifies the intent %s, and "+
				"an %s NIC uses the PCP as the priority. Switches would not recognise its packets, and would pause another priority than hosts. "+
				"Let the group claim its own number, or leave pcp out.", in.Group.Name, in.Group.Cos, in.Group.Cos, in.Name, family)
		}
		first := all[0]
		switch {
		case i == 0:
		case in.Version != first.Version: // roce-version-mix
		case in.ByDSCP() != first.ByDSCP():
			mixedTopic.Errorf(ds, n.At, "The nic %s of the host group %s is a member of %s (%s) and of %s (%s). An %s port trusts one of the "+
				"two fields, and RDMA-CM has one default version for each device. Give each intent a separate NIC.",
				n.Name, n.Device.Group, first.Name, kind(first), in.Name, kind(in), family).
				Note(first.At, "the intent %s", first.Name).Note(in.At, "the intent %s", in.Name)
		case !in.ByDSCP() && (in.Group != first.Group || in.VLAN != first.VLAN) && n.Device.Fabric.FlowControl != ir.Pause:
			vlanTopic.Errorf(ds, n.At, sharedTag+" would not be lossless. Give each intent a separate NIC, or both the same cos_group and vlan.",
				n.Name, n.Device.Group, first.Name, first.Group.Name, first.VLAN, in.Name, in.Group.Name, in.VLAN, in.Name).
				Note(first.At, "the intent %s", first.Name).Note(in.At, "the intent %s", in.Name)
		case !in.ByDSCP() && (in.Group != first.Group || in.VLAN != first.VLAN) && in.Version == 2 && in.Group.ECN != nil:
			vlanTopic.Warnf(ds, n.At, sharedTag+" would not be marked. Give each intent a separate NIC, or both the same cos_group and vlan.",
				n.Name, n.Device.Group, first.Name, first.Group.Name, first.VLAN, in.Name, in.Group.Name, in.VLAN, in.Name).
				Note(first.At, "the intent %s", first.Name).Note(in.At, "the intent %s", in.Name)
		case n.TOS < 0 && in.Group != first.Group && in.Version == 2:
			tosTopic.Warnf(ds, n.At, "The nic %s of the host group %s is a member of %s (cos group %s) and of %s (cos group %s). Connections "+
				"whose application states no type of service are marked for %s. Let the applications of %s state a type of service%s, or choose "+
				"the default with tos in the nic block.",
				n.Name, n.Device.Group, first.Name, first.Group.Name, in.Name, in.Group.Name, first.Name, in.Name, example(in.Group)).
				Note(first.At, "the intent %s", first.Name).Note(in.At, "the intent %s", in.Name)
		}
	}
	judgeVLAN(ds, n)
	if n.CreateVLAN && !slices.ContainsFunc(all, func(in *ir.Intent) bool { return !in.ByDSCP() && in.VLAN > 0 }) {
		vlanTopic.Errorf(ds, diag.FirstPlace(n.VLANAt, n.At), "The nic %s of the host group %s asks for a VLAN interface, but carries no "+
			"intent in a VLAN that PCP identifies, so it needs no interface. An intent whose cos group claims a DSCP travels untagged; leave "+
			"create_vlan out, or give the intent a vlan and its group no dscp.", n.Name, n.Device.Group)
	}
}

// judgeVLAN reports a VLAN interface that Linux would not create, or an address that no host can have.
func judgeVLAN(ds *diag.List, n *ir.NIC) {
	at := diag.FirstPlace(n.VLANAt, n.At)
	if n.VLANIP.IsValid() && !n.CreateVLAN {
		vlanTopic.Errorf(ds, at, "The nic %s of the host group %s states vlan_ip without create_vlan: the host's own interface keeps its "+
			"addresses. Add create_vlan = true, or leave vlan_ip out.", n.Name, n.Device.Group)
	}
	if !n.CreateVLAN {
		return
	}
	const most = 15 // IFNAMSIZ without the zero byte
	for _, in := range n.Carries() {
		if name := fmt.Sprintf("%s.%d", lower(n), in.VLAN); in.VLAN > 0 && len(name) > most {
			vlanTopic.Errorf(ds, at, "The interface of VLAN %d on %s of the host group %s would be called %s, which has %d characters; Linux "+
				"accepts %d. Create the interface in the host's own network configuration, with a shorter name, and leave create_vlan out.",
				in.VLAN, lower(n), n.Device.Group, name, len(name), most)
			break
		}
	}
	a := n.VLANIP.Addr()
	bits := n.VLANIP.Bits()
	switch subnet := n.VLANIP.Masked(); {
	case !n.VLANIP.IsValid():
	case a.IsUnspecified() || a.IsMulticast() || a.IsLoopback() || a.IsLinkLocalUnicast() || bits == 0,
		a.Is4() && bits < 31 && (a == subnet.Addr() || a.Next().IsValid() && !subnet.Contains(a.Next())):
		vlanTopic.Errorf(ds, at, "vlan_ip of the nic %s of the host group %s is %s, which no host can have as its address.", n.Name,
			n.Device.Group, n.VLANIP)
	}
}

// JudgeOptions reports attributes of a nic block that a driver does not support if it only has the defaults of RDMA-CM.
func JudgeOptions(ds *diag.List, n *ir.NIC, has ...string) {
	for _, o := range []struct {
		name  string
		asked bool
	}{
		{"roce = false", !n.RoCE}, {"vf_roce", len(n.VFRoCE) > 0}, {"ttl", n.TTL >= 0}, {"traffic_class", len(n.TrafficClasses) > 0},
	} {
		if o.asked && !slices.Contains(has, o.name) {
			optionTopic.Errorf(ds, n.At, "The nic %s of the host group %s asks for %s, but the driver %s (%s) has no such setting. Leave it "+
				"out, or use a NIC whose driver has it.", n.Name, n.Device.Group, o.name, n.Model.Driver.Name, n.Model.Title)
		}
	}
}

// kind returns the RoCE version of an intent and the field that identifies it.
func kind(in *ir.Intent) string {
	if in.ByDSCP() {
		return fmt.Sprintf("RoCEv%d, identified by DSCP", in.Version)
	}
	return fmt.Sprintf("RoCEv%d, identified by PCP", in.Version)
}

func example(g *ir.CosGroup) string {
	if len(g.DSCP) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d, which is DSCP %d times 4)", g.DSCP[0].Value<<2, g.DSCP[0].Value)
}
