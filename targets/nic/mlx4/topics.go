package mlx4

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
)

// Topics lists every code that this target reports.
var Topics = []diag.Topic{dscpTopic}

var dscpTopic = diag.Topic{Code: "host-no-dscp", Summary: "a NIC cannot map DSCP to priorities"}

// judge reports what a NIC cannot do.
func judge(ds *diag.List, n *ir.NIC) {
	nic.JudgeIntents(ds, n)
	nic.JudgeOptions(ds, n)
	for _, in := range n.Carries() {
		if n.Model.V2 && in.ByDSCP() && (in.Group.Lossless || in.Group.ECN != nil) {
			dscpTopic.Errorf(ds, n.At, "The nic %s of the host group %s carries %s, whose cos group %s is identified by DSCP. The driver of the "+
				"%s has no map from DSCP to priorities: packets would get priority 0. Let PCP in a VLAN identify the intent of these hosts, with a "+
				"cos group that claims no DSCP, or use a ConnectX-4 or later.",
				n.Name, n.Device.Group, in.Name, in.Group.Name, n.Model.Title).
				Note(in.At, "the intent %s", in.Name)
		}
	}
}
