package rxe

import (
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
)

// Topics is every code this target reports.
var Topics = []diag.Topic{endTopic, belowTopic}

var (
	endTopic = diag.Topic{Code: "host-soft-roce", Summary: "Soft-RoCE has an end", Doc: `
Soft-RoCE (rdma_rxe) does RoCE in software, on any interface. It serves laboratories, and hosts that
need no speed. Red Hat calls it deprecated and a technology preview, and RHEL 10 has it no more
(from which release of RHEL 9 on it is deprecated is not known here). Where a host uses it, rocec
says so. In a lossless cos group it is nic-no-pfc.

Example:

    host "lab" {
      names = "lab[1-2]"
      nic "eth0" { model = "soft-roce" }
    }
    link "lab" {
      a     = "lab[1-2]:eth0"
      b     = "leaf1:swp[3-4]"
      speed = "25G"
    }
    cos_group "bulk" {
      cos  = 1
      dscp = ["cs1"]
    }
    roce "trial" {
      version   = 2
      cos_group = cos_group.bulk
      members   = [host.lab]
    }

Fix: nothing has to be, as long as the hosts keep a kernel that has it. A RoCE NIC ends
it.

    host "lab" {
      nic "eth0" { model = "connectx-5" }
    }
    cos_group "bulk" {
      ecn {}
    }
    roce "trial" {
      cnp = cos_group.cnp
    }
`}
	belowTopic = diag.Topic{Code: "host-soft-roce-on", Summary: "interface that cannot carry Soft-RoCE", Doc: `
rdma_rxe makes its device on one interface. The kernel refuses that of a VLAN: the device belongs on
the interface below, and its VLANs get GIDs all the same. On the port of a bond packets would leave
by another port than the one they came to.

Example:

    host "lab" {
      names = "lab[1-2]"
      nic "eth0.100" { model = "soft-roce" } # a VLAN interface
    }
    link "lab" {
      a     = "lab[1-2]:eth0.100"
      b     = "leaf1:swp[3-4]"
      speed = "25G"
    }
    cos_group "bulk" {
      cos = 1
      pcp = [1]
    }
    roce "trial" {
      version   = 2
      cos_group = cos_group.bulk
      members   = [host.lab]
      vlan      = 100
    }

Fix: name the interface below, in the host block and in its link.

    host "lab" {
      names = "lab[1-2]"
      nic "eth0" { model = "soft-roce" }
    }
    link "lab" {
      a     = "lab[1-2]:eth0"
      b     = "leaf1:swp[3-4]"
      speed = "25G"
    }
    cos_group "bulk" {
      cos = 1
      pcp = [1]
    }
    roce "trial" {
      version   = 2
      cos_group = cos_group.bulk
      members   = [host.lab]
      vlan      = 100
    }
`}
)

// judge reports what Soft-RoCE cannot do on an interface, and says that it has an end.
func judge(ds *diag.List, n *ir.NIC) {
	nic.JudgeIntents(ds, n)
	nic.JudgeOptions(ds, n)
	endTopic.Noticef(ds, diag.FirstPlace(n.ModelAt, n.At), "The nic %s of the host group %s is Soft-RoCE. Red Hat calls it deprecated and a "+
		"technology preview, and RHEL 10 has it no more; a host that is upgraded to it needs a RoCE NIC.", n.Name, n.Device.Group)
	below, id, _ := strings.Cut(n.Name, ".")
	if vid, err := strconv.ParseUint(id, 10, 12); err == nil && vid > 0 && vid < 4095 {
		belowTopic.Errorf(ds, n.At, "The nic %s of the host group %s is by its name the interface of VLAN %d on %s, and rdma_rxe "+
			"takes no VLAN interface. Name %[4]s, and let the intent state the vlan.", n.Name, n.Device.Group, vid, below)
	}
	if n.Bond != nil {
		belowTopic.Errorf(ds, n.At, "The nic %s of the host group %s is a port of the bond %s, and Soft-RoCE knows no bond: its packets "+
			"would leave by another port than its own. Take it out of the bond, or use a NIC whose driver knows RoCE on bonds.", n.Name, n.Device.Group,
			n.Bond.Name).Note(n.Bond.At, "the bond")
	}
}
