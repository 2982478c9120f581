package targets_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/cumulus/conflint"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// twoRacks is a switch with two racks: PCP identifies RoCEv2 in one, DSCP in the other.
func twoRacks(version, more string) string {
	return fmt.Sprintf(`
fabric "f" {
  routing      = "up-down"
  cable_length = "3m"
}
cos_group "old" {
  cos      = 4
  lossless = true
  ecn {}
}
cos_group "new" {
  cos      = 5
  dscp     = [26]
  lossless = true
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}
roce "tagged" {
  version   = 2
  cos_group = cos_group.old
  cnp       = cos_group.cnp
  vlan      = 100
  members   = [host.a]
}
roce "marked" {
  version   = 2
  cos_group = cos_group.new
  cnp       = cos_group.cnp
  members   = [host.b]
}
switch "tor" {
  names   = "tor1"
  model   = "z9100"
  os      = "cumulus-linux"
  version = %q
  tier    = 1
}
host "a" {
  names = "a[1-3]"
  nic "e1" { model = "connectx-5" }
}
host "b" {
  names = "b[1-3]"
  nic "e1" { model = "connectx-5" }
}
link "a" {
  a = "a[1-3]:e1"
  b = "tor1:swp[1-3]"
}
%s
`, version, more)
}

const oneSwitch = "link \"b\" {\n  a = \"b[1-3]:e1\"\n  b = \"tor1:swp[4-6]\"\n}"

// TestTrustByPorts: from 3.5 on, racks that identify RoCEv2 by different fields can share a switch, because each port has its own trust.
// The test follows packets through the written content; if all ports trusted the same fields, packets would be lost.
func TestTrustByPorts(t *testing.T) {
	for _, version := range []string{"3.5.0", "3.7.16", "4.1.1", "4.2.1", "4.3.0"} {
		j := judged(t, twoRacks(version, oneSwitch))
		require.Empty(t, said(j, diag.Error, diag.Warning), version)
		for _, lies := range []string{"", standing[4], standing[3]} {
			w := walk(t, j.Fabric, j.Tree(), nil, func(string) []byte { return []byte(lies) })
			require.NotNil(t, w)
			require.Empty(t, w.faults, version)
			keys := w.boxes["tor1"].keys
			assert.Equal(t, "swp1-swp3", keys["source.roce_trust.port_set"])
			assert.Equal(t, "[802.1p]", keys["source.roce_trust.packet_priority_source_set"])
			assert.Equal(t, "[4]", keys["source.roce_trust.cos_4.priority_source.8021p"])
			assert.Equal(t, "[802.1p,dscp]", keys["traffic.packet_priority_source_set"])
		}
		readsBack(t, j.Tree(), nil)
		readsBack(t, j.Tree(), func(string) []byte { return []byte(standing[4]) })
		for _, d := range j.Tree().Devices {
			if d.Role == target.Switch {
				whole, _ := d.Files[0].Edit(nil)
				found := conflint.Check([]lint.File{{Name: "traffic.conf", Data: whole}}).Diagnostics
				assert.Empty(t, slices.DeleteFunc(found, func(d *diag.Diagnostic) bool { return d.Severity == diag.Notice }), version)
			}
		}

		tor := j.Fabric.Devices[slices.IndexFunc(j.Fabric.Devices, func(d *ir.Device) bool { return d.Name == "tor1" })]
		tor.Switch.Can.PortTrust = false
		tree, _ := targets.Render(j.Fabric)
		w := walk(t, j.Fabric, tree, nil, nil)
		assert.NotEmpty(t, w.faults, "%s: without the group its DSCP would decide", version)
		assert.NotContains(t, w.boxes["tor1"].keys, "source.port_group_list")
	}
}

// TestTrustByPortsRefused: rocec reports ports that cannot differ, and packets of both kinds at one port.
func TestTrustByPortsRefused(t *testing.T) {
	assert.Contains(t, said(judged(t, twoRacks("3.4.3", oneSwitch)), diag.Error), "cumulus-trust")

	// Both intents cross one cable.
	across := strings.Replace(oneSwitch, `"tor1:swp[4-6]"`, `"tor2:swp[4-6]"`, 1) + `
switch "spine" {
  model   = "z9100"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 2
}
host "more" {
  names = "more[1-2]"
  nic "e1" { model = "connectx-5" }
  nic "e2" { model = "connectx-5" }
}
link "more" {
  a = "more[1-2]:e1"
  b = "tor[1-2]:swp10"
}
link "more2" {
  a = "more[1-2]:e2"
  b = "tor[1-2]:swp11"
}
mesh "up" {
  lower = "tor[1-2]:swp31"
  upper = "spine:swp[1-2]"
  routed = false
}`
	text := strings.Replace(twoRacks("4.3.0", across), `"tor1"`, `"tor[1-2]"`, 1)
	text = strings.Replace(text, `"up-down"`, `"spanning-tree"`, 1)
	text = strings.Replace(text, "[host.a]", `[host.a, "more[1-2]:e1"]`, 1)
	text = strings.Replace(text, "[host.b]", `[host.b, "more[1-2]:e2"]`, 1)
	got := said(judged(t, text), diag.Error)
	assert.Contains(t, got, "trust-mismatch")
	assert.Contains(t, got, `carry roce "marked", too`)
}

// TestTrustByPortsGone: the group is removed when it is no longer needed, and entries of others in the list stay.
func TestTrustByPortsGone(t *testing.T) {
	edit := func(text string, old []byte) []byte {
		j := judged(t, text)
		require.Empty(t, said(j, diag.Error))
		for _, d := range j.Tree().Devices {
			if d.Name == "tor1" {
				out, ds := d.Files[0].Edit(old)
				require.Empty(t, ds)
				again, _ := d.Files[0].Edit(out)
				require.Equal(t, string(out), string(again))
				found, foreign := d.Files[0].Lint(out)
				require.Empty(t, foreign)
				require.Empty(t, found)
				return out
			}
		}
		t.Fatal("no tor1")
		return nil
	}
	both := twoRacks("4.3.0", oneSwitch)
	theirs := "source.port_group_list = [edge]\nsource.edge.port_set = swp3,swp20\nsource.edge.packet_priority_source_set = [802.1p]\n" +
		"source.edge.cos_0.priority_source.8021p = [0,1,2,3,4,5,6,7]\n"
	with := edit(both, []byte(theirs))
	assert.Contains(t, string(with), "source.port_group_list = [roce_trust, edge]\nsource.edge.port_set = swp20\n")
	one := strings.Replace(both, "  cos      = 4\n", "  cos      = 4\n  dscp     = [34]\n", 1)
	without := edit(one, with)
	assert.NotContains(t, string(without), "roce_trust")
	assert.Contains(t, string(without), "source.port_group_list = [edge]\n")
	assert.Contains(t, string(edit(one, edit(both, nil))), "source.port_group_list = []\n")
}

// TestBothByPorts: while a class moves, ports keep their old trust if possible; otherwise rocec reports it.
func TestBothByPorts(t *testing.T) {
	tor := func(text string) (out struct {
		edit func(old []byte) []byte
		both func(old []byte) (map[string][]byte, string)
	},
	) {
		j := judged(t, text)
		require.Empty(t, said(j, diag.Error))
		for _, d := range j.Tree().Devices {
			if d.Name == "tor1" {
				out.edit = func(old []byte) []byte { b, _ := d.Files[0].Edit(old); return b }
				out.both = func(old []byte) (map[string][]byte, string) {
					return d.Target.Transition(d.Source, func(string) []byte { return old }, false)
				}
			}
		}
		return out
	}
	text := twoRacks("4.3.0", oneSwitch)
	now := tor(text)
	moved := tor(strings.Replace(text, "[26]", "[27]", 1))
	files, not := moved.both(now.edit(nil))
	require.Empty(t, not)
	for _, content := range files {
		assert.Contains(t, string(content), "source.roce_trust.port_set = swp1-swp3\n")
		assert.Contains(t, string(content), "traffic.cos_5.priority_source.dscp = [26,27]\n")
	}
	byDSCP := tor(strings.Replace(text, "  cos      = 4\n", "  cos      = 4\n  dscp     = [34]\n", 1))
	_, not = byDSCP.both(now.edit(nil))
	assert.Contains(t, not, "port swp1 trusts PCP, and must trust DSCP")
	_, not = now.both(byDSCP.edit(nil))
	assert.Contains(t, not, "port swp1 trusts DSCP, and must trust PCP")
}
