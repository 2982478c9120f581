// Package judgetest compiles fabrics for tests of the devices in them.
package judgetest

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target"
)

// rack is a fabric of a switch, tor, and three hosts, store1 to store3, with one lossless class.
const rack = `
fabric "rack" { cable_length = "3m" }
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
roce "storage" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.store]
}
switch "tor" {
  model   = "sn3700"
  SWITCH
}
host "store" {
  names = "store[1-3]"
  nic "ens1f0" { model = "connectx-6dx" }
}
link "rack" {
  a     = "store[1-3]:ens1f0"
  b     = "tor:swp[1-3]"
  speed = "100G"
}
`

// TwoFamilies is a fabric whose hosts have NICs of two families, each a member of the intent.
const TwoFamilies = `
fabric "mixed" { cable_length = "5m" }
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu]
}
switch "leaf" {
  names   = "leaf1"
  model   = "sn2700"
  version = "4.3.0"
}
host "gpu" {
  names = "gpu[1-2]"
  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 9000
  }
  nic "ens2f0" {
    model = "sample-1"
    mtu   = 9000
  }
}
link "first" {
  a = "gpu[1-2]:ens1f0"
  b = "leaf1:swp[1-2]"
}
link "second" {
  a = "gpu[1-2]:ens2f0"
  b = "leaf1:swp[3-4]"
}
`

// Rack returns a rack whose switch has the given lines: its version, and its os if that is not the default.
func Rack(lines string) string { return strings.Replace(rack, "SWITCH", lines, 1) }

// SONiCRack returns the rack with a release of SONiC on its switch.
func SONiCRack(release string) string {
	hcl := Rack("os = \"sonic\"\n  version = \"" + release + "\"")
	return strings.Replace(hcl, `"tor:swp[1-3]"`, `"tor:Ethernet[0,4,8]"`, 1)
}

// Tree compiles the text of a fabric, which must have no errors.
func Tree(t *testing.T, hcl string) *target.Tree {
	t.Helper()
	return treeOf(t, judge.Judge(t.Context(), fstest.MapFS{"fabric.hcl": {Data: []byte(hcl)}}, ".", judge.Options{}))
}

// Folder compiles the fabric in a folder, which must have no errors.
func Folder(t *testing.T, dir string) *target.Tree {
	t.Helper()
	return treeOf(t, judge.Judge(t.Context(), os.DirFS(dir), ".", judge.Options{}))
}

func treeOf(t *testing.T, j *judge.Judged) *target.Tree {
	t.Helper()
	if j.Diags.HasErrors() {
		t.Fatalf("the fabric has errors: %v", j.Diags)
	}
	return j.Tree()
}

// First returns a tree with only the first device of a role.
func First(t *testing.T, tree *target.Tree, role target.Role) *target.Tree {
	t.Helper()
	for _, d := range tree.Devices {
		if d.Role == role {
			return &target.Tree{Devices: []*target.Device{d}}
		}
	}
	t.Fatalf("the tree has no device of the role %v", role)
	return nil
}

// Ring returns the text of a fabric: four switches in a ring with a host each, under shortest paths, with classes of [Class]. Two hosts
// that are not neighbours fill one half of each of the two cycles.
func Ring(classes ...string) string {
	return `
fabric "ring" {
  routing      = "shortest-path"
  failures     = 0
  cable_length = "10m"
}
switch "sw" {
  names   = "sw[1-4]"
  model   = "sn2100"
  version = "4.3.0"
}
host "node" {
  names = "node[1-4]"
  nic "eth2" {
    model = "connectx-6-dx"
    mtu   = 9000
  }
}
link "hosts" {
  a = "node[1-4]:eth2"
  b = "sw[1-4]:swp1"
}
link "ring" {
  a = "sw[1-4]:swp15"
  b = "sw[2-4,1]:swp16"
}
` + strings.Join(classes, "")
}

// Class returns a lossless class with an intent for each set of members.
func Class(name, cos, dscp, more string, members ...string) string {
	var b strings.Builder
	b.WriteString("cos_group \"" + name + "\" {\n  cos = " + cos + "\n  dscp = [" + dscp + "]\n  lossless = true\n  " + more + "\n}\n")
	for i, m := range members {
		b.WriteString("roce \"" + name + string(rune('a'+i)) + "\" {\n  version = 2\n  cos_group = cos_group." + name + "\n  members = [\"" +
			m + "\"]\n}\n")
	}
	return b.String()
}
