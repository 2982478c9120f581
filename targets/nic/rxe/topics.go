package rxe

import (
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
)

// Topics lists every code that this target reports.
var Topics = []diag.Topic{endTopic, belowTopic}

var (
	endTopic   = diag.Topic{Code: "host-soft-roce", Summary: "Soft-RoCE is deprecated"}
	belowTopic = diag.Topic{Code: "host-soft-roce-on", Summary: "an interface cannot carry Soft-RoCE"}
)

// judge reports what Soft-RoCE cannot do on an interface, and that it is deprecated.
func judge(ds *diag.List, n *ir.NIC) {
	nic.JudgeIntents(ds, n)
	nic.JudgeOptions(ds, n)
	endTopic.Noticef(ds, diag.FirstPlace(n.ModelAt, n.At), "The nic %s of the host group %s is Soft-RoCE. Red Hat calls it deprecated and "+
		"a technology preview, and RHEL 10 no longer contains it; a host with RHEL 10 needs a RoCE NIC.", n.Name, n.Device.Group)
	below, id, _ := strings.Cut(n.Name, ".")
	if vid, err := strconv.ParseUint(id, 10, 12); err == nil && vid > 0 && vid < 4095 {
		belowTopic.Errorf(ds, n.At, "The nic %s of the host group %s is by its name the interface of VLAN %d on %s, but rdma_rxe supports no "+
			"VLAN interfaces. Name %[4]s, and state the vlan in the intent.", n.Name, n.Device.Group, vid, below)
	}
	if n.Bond != nil {
		belowTopic.Errorf(ds, n.At, "The nic %s of the host group %s is a port of the bond %s, but Soft-RoCE does not support bonds: its "+
			"packets would leave by another port. Take it out of the bond, or use a NIC whose driver supports RoCE on bonds.", n.Name,
			n.Device.Group,
			n.Bond.Name).Note(n.Bond.At, "the bond")
	}
}
