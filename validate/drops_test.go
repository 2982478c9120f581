package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/validate"
)

// mixed is two racks of SONiC with RoCEv2 and RoCEv1 in one marked lossless group, identified by PCP.
const mixed = `
fabric "f" {
  cable_length = "3m"
}
cos_group "rdma" {
  cos      = 3
  lossless = true
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  strict = true
}
roce "train" {
  version   = 2
  vlan      = 200
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = ["h[1-2]"]
}
roce "nvme" {
  version   = 1
  vlan      = 100
  cos_group = cos_group.rdma
  members   = ["s[1-2]"]
}
switch "left" {
  names   = "tor1"
  model   = "sn3700"
  os      = "sonic"
  version = "202605"
}
switch "right" {
  names   = "tor2"
  model   = "sn3700"
  os      = "sonic"
  version = "202605"
}
host "h" {
  names = "h[1-2]"
  nic "e0" { model = "connectx-5" }
}
host "s" {
  names = "s[1-2]"
  nic "e0" { model = "connectx-5" }
}
link "hosts" {
  a = "h[1-2]:e0,s[1-2]:e0"
  b = "tor[1-2]:etp1,tor[1-2]:etp2"
}
link "between" {
  a      = "tor1:etp32"
  b      = "tor2:etp32"
  routed = false
}
`

// Packets that cannot be marked are lost only where they leave by a queue that drops them.
func TestDropsOnTheWay(t *testing.T) {
	const (
		rightOnCumulus = "  names   = \"tor2\"\n  model   = \"sn3700\"\n  os      = \"cumulus-linux\"\n  version = \"4.3.0\"\n"
		right          = "  names   = \"tor2\"\n  model   = \"sn3700\"\n  os      = \"sonic\"\n  version = \"202605\"\n"
		left           = "  names   = \"tor1\"\n  model   = \"sn3700\"\n  os      = \"sonic\"\n  version = \"202605\"\n"
		hosts          = "  nic \"e0\" { model = \"connectx-5\" }\n}\nhost \"s\""
		nvme           = "roce \"nvme\" {\n  version   = 1\n  vlan      = 100\n  cos_group = cos_group.rdma\n  members   = [\"s[1-2]\"]\n}\n"
	)
	onCumulus := []string{
		right, rightOnCumulus, "tor[1-2]:etp1,tor[1-2]:etp2", "tor1:etp1,tor2:swp1,tor1:etp2,tor2:swp2", "tor2:etp32", "tor2:swp32",
	}
	noDCQCN := []string{nvme, "", hosts, "  nic \"e0\" { model = \"connectx-5\" }\n  by_hand { dcqcn = false }\n}\nhost \"s\""}
	for name, c := range map[string]struct {
		edits []string
		want  string // part of the finding; empty: no finding
	}{
		"RoCEv1 between two racks":             {nil, "tor[1-2] drop such packets"},
		"RoCEv1 inside a rack":                 {[]string{"tor[1-2]:etp1,tor[1-2]:etp2", "tor1:etp1,tor2:etp1,tor1:etp2,tor1:etp3"}, ""},
		"RoCEv1 that no routed link carries":   {[]string{"routed = false", "routed = true"}, ""},
		"RoCEv1 in a lossy group":              {[]string{"lossless = true", "lossless = false"}, ""},
		"RoCEv1 in a group that is not marked": {[]string{"  ecn {}\n", ""}, ""},
		"one switch marks nothing":             {[]string{left, left + "  by_hand { ecn = false }\n"}, "tor2 drops such packets"},
		"one switch lets them pass":            {onCumulus, "tor1 drops such packets"},
		"RoCEv2 without DCQCN":                 {noDCQCN, "h[1-2]:e0 send packets of roce \"train\" that cannot be marked"},
		"RoCEv2 with DCQCN":                    {[]string{nvme, ""}, ""},
		"Soft-RoCE": {
			[]string{nvme, "", hosts, "  nic \"e0\" { model = \"soft-roce\" }\n}\nhost \"s\""}, "Soft-RoCE sets no ECN bits",
		},
		"a card of an older driver": {
			[]string{nvme, "", hosts, "  nic \"e0\" { model = \"connectx-3-pro\" }\n}\nhost \"s\""}, "ConnectX-3 Pro sets no ECN bits",
		},
		"a member without a peer": {append(noDCQCN, "  a = \"h[1-2]:e0,s[1-2]:e0\"", "  a = \"h1:e0,s1:e0,s[2-3]:e0\"", "names = \"s[1-2]\"",
			"names = \"s[1-3]\""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			src := mixed
			for i := 0; i < len(c.edits); i += 2 {
				require.Contains(t, src, c.edits[i])
				src = strings.Replace(src, c.edits[i], c.edits[i+1], 1)
			}
			var found []string
			for _, d := range validate.Run(compilertest.Compile(t, []byte(src)), nil).Diagnostics {
				if d.Code == "ecn-drops-unmarkable" {
					found = append(found, d.Detail)
				}
			}
			if c.want == "" {
				assert.Empty(t, found)
			} else if assert.Len(t, found, 1) {
				assert.Contains(t, found[0], c.want)
			}
		})
	}
}
