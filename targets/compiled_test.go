package targets_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
)

// twoIntents is RoCEv1 storage inside a rack and RoCEv2 training across racks, on switches with a release from a variable.
const twoIntents = `
variable "tor_version" { type = string }

fabric "mixed" {
  routing      = "up-down"
  cable_length = "5m"
}
cos_group "storage" {
  cos      = 4
  lossless = true
  weight   = 35
}
cos_group "rdma" {
  cos      = 5
  dscp     = ["af31"]
  lossless = true
  weight   = 35
  ecn {
    min         = "150KiB"
    max         = "1500KiB"
    probability = 100
  }
}
cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}
cos_group "default" {
  cos    = 0
  weight = 30
}
roce "nvme" {
  version   = 1
  cos_group = cos_group.storage
  members   = ["rack1-n[1-4]:ens1f0"]
  vlan      = 100
}
roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = ["rack[1-2]-n[1-4]:ens2f0"]
}
switch "tor" {
  names   = "tor[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = var.tor_version
  tier    = 1
}
switch "spine" {
  names   = "spine[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 2
}
host "node" {
  names = "rack[1-2]-n[1-4]"
  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 9000
  }
  nic "ens2f0" {
    model = "connectx-5"
    mtu   = 9000
  }
}
link "first" {
  a     = "rack[1-2]-n[1-4]:ens1f0"
  b     = "tor[1-2]:swp[1-4]"
  speed = "100G"
}
link "second" {
  a     = "rack[1-2]-n[1-4]:ens2f0"
  b     = "tor[1-2]:swp[9-12]"
  speed = "100G"
}
mesh "uplinks" {
  lower  = "tor[1-2]:swp[31-32]"
  upper  = "spine[1-2]:swp[1-2]"
  length = "40m"
}
`

// TestCompiled renders a compiled fabric: each switch classifies, protects and marks exactly the traffic that passes it.
func TestCompiled(t *testing.T) {
	tree, ds := targets.Render(compilertest.Compile(t, twoIntents, "tor_version=4.3.0"))
	require.False(t, ds.HasErrors(), textOf(ds))
	require.Len(t, tree.Devices, 12)
	has := func(device, line string) {
		t.Helper()
		for _, d := range tree.Devices {
			if d.Name == device {
				content, ds := d.Files[0].Edit(nil)
				require.Empty(t, ds)
				assert.Contains(t, string(content), "\n"+line+"\n", device)
				return
			}
		}
		t.Errorf("no device %s", device)
	}
	has("tor1", "traffic.packet_priority_source_set = [802.1p,dscp]")
	has("tor1", "pfc.port_group_list = [roce_pfc, roce_pfc_2, roce_pfc_3]")
	has("tor1", "pfc.roce_pfc.cos_list = [4]")
	has("tor1", "pfc.roce_pfc.port_set = swp1-swp4")
	has("tor1", "pfc.roce_pfc_2.cos_list = [5]")
	has("tor1", "pfc.roce_pfc_2.port_set = swp9-swp12")
	has("tor1", "pfc.roce_pfc_3.port_set = swp31-swp32")
	has("tor1", "pfc.roce_pfc_3.cable_length = 40")
	has("tor1", "ecn_red.roce_ecn.port_set = swp9-swp12,swp31-swp32")
	has("tor1", "ecn_red.roce_ecn.min_threshold_bytes = 153600")
	has("tor2", "traffic.packet_priority_source_set = [dscp]")
	has("tor2", "pfc.port_group_list = [roce_pfc, roce_pfc_2]")
	has("spine1", "traffic.packet_priority_source_set = [dscp]")
	has("spine1", "traffic.cos_5.priority_source.dscp = [26]")

	has = func(device, line string) {
		t.Helper()
		i := slices.IndexFunc(tree.Devices, func(d *target.Device) bool { return d.Name == device })
		require.GreaterOrEqual(t, i, 0, device)
		content, ds := tree.Devices[i].Files[0].Edit(nil)
		require.Empty(t, ds)
		assert.Contains(t, "\n"+string(content), "\n"+line+"\n", device)
	}
	tors := strings.NewReplacer(
		`b     = "tor[1-2]:swp`, `b     = "tor[1-2]:etp`, `lower  = "tor[1-2]:swp`, `lower  = "tor[1-2]:etp`,
		"os      = \"cumulus-linux\"\n  version = var", "os      = \"sonic\"\n  version = var",
	).Replace(twoIntents)
	tree, ds = targets.Render(compilertest.Compile(t, tors, "tor_version=202511"))
	require.False(t, ds.HasErrors(), textOf(ds))
	has("tor1", `PORT_QOS_MAP|Ethernet0 dot1p_to_tc_map "ROCEC"`)
	has("tor1", `PORT_QOS_MAP|Ethernet0 pfc_enable "4"`)
	has("tor1", `PORT_QOS_MAP|Ethernet32 dscp_to_tc_map "ROCEC"`)
	has("tor1", `PORT_QOS_MAP|Ethernet32 pfc_enable "5"`)
	has("tor1", `DSCP_TO_TC_MAP|ROCEC 26 "5"`)
	has("tor1", `CABLE_LENGTH|AZURE Ethernet32 "5m"`)
	has("tor1", `CABLE_LENGTH|AZURE Ethernet120 "40m"`)
	has("tor1", `QUEUE|Ethernet32|5 wred_profile "ROCEC"`)
	has("tor1", `WRED_PROFILE|ROCEC green_min_threshold "153600"`)
	has("tor2", `PORT_QOS_MAP|Ethernet0 dscp_to_tc_map "ROCEC"`)
	has("spine1", "traffic.cos_5.priority_source.dscp = [26]")

	f := compilertest.Compile(t, twoIntents, "tor_version=3.4.3")
	_, ds = targets.Render(f)
	var errors []*diag.Diagnostic
	for _, d := range ds {
		if d.Severity == diag.Error {
			errors = append(errors, d)
		}
	}
	require.Len(t, errors, 1, textOf(ds))
	assert.Equal(t, "cumulus-trust", errors[0].Code)
	assert.Len(t, errors[0].Notes, 2)
}
