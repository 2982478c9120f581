package validate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
)

// classes has the cos groups of all designs.
const classes = `
cos_group "rdma" {
  cos      = 4
  dscp     = [26]
  lossless = true
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
`

// switches is a group of switches.
func switches(group, names string, tier string) string {
	return "switch \"" + group + "\" {\n names = \"" + names + "\"\n model = \"sn2700\"\n version = \"4.3.0\"\n tier = " + tier + "\n}\n"
}

func intent(name, members string) string {
	return "roce \"" + name + "\" {\n version = 2\n cos_group = cos_group.rdma\n cnp = cos_group.cnp\n members = [" + members + "]\n}\n"
}

func cables(name, a, b, more string) string {
	return "link \"" + name + "\" {\n a = \"" + a + "\"\n b = \"" + b + "\"\n" + more + "\n}\n"
}

const upDown = `fabric "f" {
  routing      = "up-down"
  cable_length = "3m"
}
` + classes

// planes returns two networks with the given number of leaves and two spines each. Every host has a NIC in each of them.
func planes(leaves int) string {
	hosts, to := fmt.Sprintf("gpu[1-%d]", 4*leaves), func(first int) string {
		var ends []string
		for l := range leaves {
			ends = append(ends, fmt.Sprintf("leaf%d:swp[1-4]", first+l))
		}
		return strings.Join(ends, ",")
	}
	mesh := func(name string, first, spine int) string {
		return fmt.Sprintf("mesh %q {\n  lower = \"leaf[%d-%d]:swp[31-32]\"\n  upper = \"spine[%d-%d]:swp[1-%d]\"\n}\n",
			name, first, first+leaves-1, spine, spine+1, leaves)
	}
	return upDown + intent("a", `"`+hosts+`:eth0"`) + intent("b", `"`+hosts+`:eth1"`) +
		switches("leaf", fmt.Sprintf("leaf[1-%d]", 2*leaves), "1") + switches("spine", "spine[1-4]", "2") +
		"host \"gpu\" {\n  names = \"" + hosts + "\"\n  nic \"eth[0-1]\" { model = \"connectx-5\" }\n}\n" +
		cables("a", hosts+":eth0", to(1), `speed = "25G"`) + cables("b", hosts+":eth1", to(leaves+1), `speed = "25G"`) +
		mesh("a", 1, 1) + mesh("b", leaves+1, 3)
}

var twoPlanes = planes(2)

// designs are common cablings, none of them a mistake.
var designs = map[string]string{
	"two planes":        twoPlanes,
	"two larger planes": planes(3),
	"two planes, joined on purpose by two cables": twoPlanes + cables("between", "spine1:swp[11-12]", "spine3:swp[11-12]", ""),
	"two planes, joined on purpose by one":        twoPlanes + cables("between", "spine1:swp11", "spine3:swp11", "peer = true"),
	"stores that are connected to both planes": strings.Replace(twoPlanes, `["gpu[1-8]:eth0"]`, `["gpu[1-8]:eth0", host.store]`, 1) +
		switches("storeleaf", "leaf[5-6]", "1") + `
host "store" {
  names = "store[1-4]"
  nic "eth0" { model = "connectx-5" }
}
` + cables("stores", "store[1-4]:eth0", "leaf5:swp[1-2],leaf6:swp[1-2]", `speed = "25G"`) +
		cables("both", "leaf[5-6]:swp[31-32]", "spine1:swp11,spine3:swp11,spine1:swp12,spine3:swp12", ""),
	"rails on common spines": upDown + intent("all", "host.gpu") + switches("leaf", "leaf[1-4]", "1") + switches("spine", "spine[1-2]", "2") +
		`
host "gpu" {
  names = "gpu[1-4]"
  nic "rail[0-3]" { model = "connectx-5" }
}
` + cables("rail0", "gpu[1-4]:rail0", "leaf1:swp[1-4]", `speed = "25G"`) +
		cables("rail1", "gpu[1-4]:rail1", "leaf2:swp[1-4]", `speed = "25G"`) +
		cables("rail2", "gpu[1-4]:rail2", "leaf3:swp[1-4]", `speed = "25G"`) +
		cables("rail3", "gpu[1-4]:rail3", "leaf4:swp[1-4]", `speed = "25G"`) + `
mesh "up" {
  lower = "leaf[1-4]:swp[31-32]"
  upper = "spine[1-2]:swp[1-4]"
}
`,
	"rails apart, each with a spine of its own below one core": upDown + intent("r0", `"gpu[1-4]:rail0"`) + intent("r1", `"gpu[1-4]:rail1"`) +
		switches("leaf", "leaf[1-4]", "1") + switches("spine", "spine[1-2]", "2") + switches("core", "core1", "3") + `
host "gpu" {
  names = "gpu[1-4]"
  nic "rail[0-1]" { model = "connectx-5" }
}
` + cables("rail0", "gpu[1-4]:rail0", "leaf1:swp[1-2],leaf2:swp[1-2]", `speed = "25G"`) +
		cables("rail1", "gpu[1-4]:rail1", "leaf3:swp[1-2],leaf4:swp[1-2]", `speed = "25G"`) +
		cables("up", "leaf[1-4]:swp32", "spine1:swp[1-2],spine2:swp[1-2]", "") + cables("core", "spine[1-2]:swp32", "core1:swp[1-2]", ""),
	"rails of one switch each": upDown + intent("r0", `"gpu[1-4]:rail0"`) + intent("r1", `"gpu[1-4]:rail1"`) +
		switches("leaf", "leaf[1-2]", "1") + `
host "gpu" {
  names = "gpu[1-4]"
  nic "rail[0-1]" { model = "connectx-5" }
}
` + cables("rail0", "gpu[1-4]:rail0", "leaf1:swp[1-4]", `speed = "25G"`) +
		cables("rail1", "gpu[1-4]:rail1", "leaf2:swp[1-4]", `speed = "25G"`),
	"an MLAG pair for storage, with its peer link and no routing": mlagPair,
	"an MLAG pair of leaves below spines": upDown + intent("store", "host.store") +
		strings.Replace(switches("leaf", "leaf[1-2]", "1"), "tier = 1", "tier = 1\n mlag = \"rack1\"", 1) + switches("spine", "spine[1-2]", "2") +
		mlagStores +
		cables("peer", "leaf1:swp[29-30]", "leaf2:swp[29-30]", "peer = true\n bond = true") + `
mesh "up" {
  lower = "leaf[1-2]:swp[31-32]"
  upper = "spine[1-2]:swp[1-2]"
}
`,
	"breakout, and hosts of several speeds": upDown + intent("all", "host.gpu, host.store") + switches("leaf", "leaf[1-2]", "1") +
		switches("spine", "spine[1-2]", "2") + `
host "gpu" {
  names = "gpu[1-4]"
  nic "eth0" { model = "connectx-5" }
}
host "store" {
  names = "store[1-8]"
  nic "eth0" { model = "connectx-5" }
}
` + cables("gpus", "gpu[1-4]:eth0", "leaf[1-2]:swp[1-2]", `speed = "50G"`) +
		cables("stores", "store[1-8]:eth0", "leaf1:swp5s[0-3],leaf2:swp5s[0-3]", `speed = "25G"`) + `
mesh "up" {
  lower = "leaf[1-2]:swp[29-32]"
  upper = "spine[1-2]:swp[1-4]"
}
`,
	"one spine in each plane, two cables to it": upDown + intent("all", "host.gpu") + switches("leaf", "leaf[1-2]", "1") +
		switches("spine", "spine1", "2") + `
host "gpu" {
  names = "gpu[1-2]"
  nic "eth0" { model = "connectx-5" }
}
` + cables("gpus", "gpu[1-2]:eth0", "leaf[1-2]:swp1", `speed = "50G"`) +
		cables("up", "leaf[1-2]:swp[31-32]", "spine1:swp[1-4]", "bond = true"),
	"two sites, joined by one cable": upDown + intent("a", `"gpu[1-4]"`) + intent("b", `"gpu[5-8]"`) + switches("leaf", "leaf[1-4]", "1") +
		switches("spine", "spine[1-4]", "2") + switches("border", "border[1-2]", "3") + `
host "gpu" {
  names = "gpu[1-8]"
  nic "eth[0-1]" { model = "connectx-5" }
}
` + cables("gpus", "gpu[1-8]:eth[0-1]", "leaf1:swp1,leaf2:swp1,leaf1:swp2,leaf2:swp2,leaf1:swp3,leaf2:swp3,leaf1:swp4,leaf2:swp4,"+
		"leaf3:swp1,leaf4:swp1,leaf3:swp2,leaf4:swp2,leaf3:swp3,leaf4:swp3,leaf3:swp4,leaf4:swp4", `speed = "25G"`) + `
mesh "a" {
  lower = "leaf[1-2]:swp[31-32]"
  upper = "spine[1-2]:swp[1-2]"
}
mesh "b" {
  lower = "leaf[3-4]:swp[31-32]"
  upper = "spine[3-4]:swp[1-2]"
}
` + cables("a", "spine[1-2]:swp31", "border1:swp[1-2]", "") + cables("b", "spine[3-4]:swp31", "border2:swp[1-2]", "") +
		cables("dci", "border1:swp32", "border2:swp32", "length = \"40km\"\n peer = true"),
}

const mlagStores = `
host "store" {
  names = "store[1-4]"
  nic "eth[0-1]" { model = "connectx-5" }
  bond "bond0" {
    nics = ["eth[0-1]"]
    mode = "802.3ad"
  }
}
link "stores" {
  a     = "store[1-4]:eth[0-1]"
  b     = "leaf1:swp1,leaf2:swp1,leaf1:swp2,leaf2:swp2,leaf1:swp3,leaf2:swp3,leaf1:swp4,leaf2:swp4"
  speed = "25G"
}
`

var mlagPair = `fabric "f" { cable_length = "3m" }
` + classes + intent("store", "host.store") + `
switch "leaf" {
  names   = "leaf[1-2]"
  model   = "sn2700"
  version = "4.3.0"
  mlag    = "rack1"
}
` + mlagStores + cables("peer", "leaf1:swp[31-32]", "leaf2:swp[31-32]", "peer = true\n bond = true")

// Common designs of cabling have no findings.
func TestDesignsAreSilent(t *testing.T) {
	for name, src := range designs {
		t.Run(name, func(t *testing.T) {
			found := validate.Run(compilertest.Compile(t, []byte(src)), nil)
			for _, d := range found.Diagnostics {
				if d.Severity != diag.Notice {
					t.Errorf("%s: %s", d.Code, d.Detail)
				}
			}
			for _, p := range found.Proofs {
				assert.Equal(t, validate.Free, p.Verdict, p.Why())
			}
		})
	}
}

// Of many pods with two planes each, one uplink goes to the wrong plane.
func TestCrossingsOfManyPods(t *testing.T) {
	const pods = 40
	var src strings.Builder
	src.WriteString(upDown + switches("leaf", fmt.Sprintf("leaf[1-%d]", 4*pods), "1"))
	src.WriteString(switches("spine", fmt.Sprintf("spine[1-%d]", 4*pods), "2"))
	src.WriteString("host \"gpu\" {\n  names = \"gpu[1-" + fmt.Sprint(8*pods) + "]\"\n  nic \"eth[0-1]\" { model = \"connectx-5\" }\n}\n")
	src.WriteString(intent("a", fmt.Sprintf("\"gpu[1-%d]:eth0\"", 8*pods)))
	for p := range pods {
		leaf, spine, gpu := 4*p+1, 4*p+1, 8*p+1
		for plane := range 2 {
			for l := range 2 {
				at := leaf + 2*plane + l
				hosts := fmt.Sprintf("gpu[%d-%d]:eth%d,gpu[%d-%d]:eth%d", gpu+4*l, gpu+4*l+1, plane, gpu+4*l+2, gpu+4*l+3, 1-plane)
				src.WriteString(cables(fmt.Sprintf("h%d-%d-%d", p, plane, l), hosts,
					fmt.Sprintf("leaf%d:swp[1-4]", at), `speed = "25G"`))
				for up := range 2 {
					top, of := spine+2*plane+up, "up"
					port := 1 + l
					if p == pods-1 && l == 1 && up == 1 && plane == 0 {
						top, of, port = spine+2*(1-plane)+up, "odd", 9
					}
					src.WriteString(cables(fmt.Sprintf("%s%d-%d-%d", of, p, at, up), fmt.Sprintf("leaf%d:swp%d", at, 31+up),
						fmt.Sprintf("spine%d:swp%d", top, port), ""))
				}
			}
		}
	}
	var said []string
	for _, d := range validate.Run(compilertest.Compile(t, []byte(src.String())), nil).Diagnostics {
		if d.Code == "planes-joined" {
			said = append(said, strings.Fields(d.Detail)[0])
		}
	}
	assert.Equal(t, []string{fmt.Sprintf("leaf%d:swp32", 4*pods-2)}, said)
}

// One cable of a design is moved, and the finding is at the line of that cable.
func TestMisplacedCables(t *testing.T) {
	both := func(code, line string) []string { return []string{code, line} }
	for name, tt := range map[string]struct {
		design string
		edits  []string // old, new
		want   []string // code, and the text of the line of the finding
	}{
		"a cable between spines of two planes": {
			"two planes",
			[]string{"", cables("odd", "spine1:swp11", "spine3:swp11", "")},
			both("planes-joined", `a = "spine1:swp11"`),
		},
		"uplinks of two leaves swapped": {
			"two larger planes", []string{
				`"leaf[1-3]:swp[31-32]"`, `"leaf[1-2]:swp[31-32]"`, `"spine[1-2]:swp[1-3]"`, `"spine[1-2]:swp[1-2]"`,
				`"leaf[4-6]:swp[31-32]"`, `"leaf[4-5]:swp[31-32]"`, `"spine[3-4]:swp[1-3]"`, `"spine[3-4]:swp[1-2]"`,
				"", cables("rest", "leaf3:swp31,leaf6:swp31", "spine1:swp3,spine3:swp3", "") +
					cables("odd", "leaf3:swp32,leaf6:swp32", "spine4:swp3,spine2:swp3", ""),
			}, both("planes-joined", `a = "leaf3:swp32,leaf6:swp32"`),
		},
		"uplinks of two leaves swapped, with two leaves in a plane": {
			"two planes", []string{
				`"leaf[3-4]:swp[31-32]"`, `"leaf4:swp[31-32]"`, `"spine[3-4]:swp[1-2]"`, `"spine[3-4]:swp1"`,
				`"leaf[1-2]:swp[31-32]"`, `"leaf2:swp[31-32]"`, `"spine[1-2]:swp[1-2]"`, `"spine[1-2]:swp1"`,
				"", cables("rest", "leaf1:swp31,leaf3:swp31", "spine1:swp2,spine3:swp2", "") +
					cables("odd", "leaf1:swp32,leaf3:swp32", "spine4:swp2,spine2:swp2", ""),
			}, both("planes-joined", `names = "spine[1-4]"`),
		},
		"uplinks of two leaves swapped, of planes with one spine": {
			"two planes", []string{
				"mesh \"a\" {\n  lower = \"leaf[1-2]:swp[31-32]\"\n  upper = \"spine[1-2]:swp[1-2]\"\n}",
				cables("one", "leaf1:swp31,leaf2:swp[31-32]", "spine1:swp[1-3]", "") +
					cables("odd", "leaf1:swp32,leaf3:swp32", "spine2:swp4,spine1:swp4", ""),
				"mesh \"b\" {\n  lower = \"leaf[3-4]:swp[31-32]\"\n  upper = \"spine[3-4]:swp[1-2]\"\n}",
				cables("two", "leaf3:swp31,leaf4:swp[31-32]", "spine2:swp[1-3]", ""), `"spine[1-4]"`, `"spine[1-2]"`,
			}, both("planes-joined", `a = "leaf1:swp32,leaf3:swp32"`),
		},
		"a leaf with a separate block": {
			"two planes", []string{
				"mesh \"b\" {\n  lower = \"leaf[3-4]:swp[31-32]\"\n  upper = \"spine[3-4]:swp[1-2]\"\n}",
				cables("b2", "leaf3:swp[31-32]", "spine[3-4]:swp1", "") + cables("odd", "leaf4:swp[31-32]", "spine3:swp[2-3]", ""),
				switches("leaf", "leaf[1-4]", "1"),
				switches("leaf1", "leaf1", "1") + switches("leaf2", "leaf2", "1") + switches("leaf3", "leaf3", "1") + switches("leaf4", "leaf4", "1"),
			}, both("uplinks-uneven", `a = "leaf4:swp[31-32]"`),
		},
		"the other leaf of two": {
			"breakout, and hosts of several speeds", []string{
				"mesh \"up\" {\n  lower = \"leaf[1-2]:swp[29-32]\"\n  upper = \"spine[1-2]:swp[1-4]\"\n}",
				cables("up", "leaf1:swp[31-32]", "spine[1-2]:swp1", "") + cables("odd", "leaf2:swp[31-32]", "spine1:swp[2-3]", ""),
			}, both("uplinks-uneven", `a = "leaf2:swp[31-32]"`),
		},
		"a switch without cables": {
			"two planes",
			[]string{`"spine[1-4]"`, `"spine[1-5]"`},
			both("switch-not-cabled", `names = "spine[1-5]"`),
		},
		"a peer link that is not a bond": {
			"one spine in each plane, two cables to it",
			[]string{`routing      = "up-down"`, `routing = "flooding"`, "bond = true", ""},
			both("pfc-loop", `"flooding"`),
		},
		"and one that is, when flooded": {
			"one spine in each plane, two cables to it",
			[]string{`routing      = "up-down"`, `routing = "flooding"`},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			src := designs[tt.design]
			for i := 0; i < len(tt.edits); i += 2 {
				if tt.edits[i] == "" {
					src += tt.edits[i+1]
					continue
				}
				src = edited(t, src, tt.edits[i], tt.edits[i+1])
			}
			found := validate.Run(compilertest.Compile(t, []byte(src)), nil).Diagnostics
			said := false
			for _, d := range found {
				switch {
				case d.Severity == diag.Notice:
				case tt.want != nil && d.Code == tt.want[0]:
					line := strings.Split(src, "\n")[d.At.Start.Line-1]
					said = said || strings.Contains(line, tt.want[1])
					if d.Code == "planes-joined" { // peer has no effect on uplinks
						assert.Equal(t, name == "a cable between spines of two planes", strings.Contains(d.Detail, "peer = true"), d.Detail)
					}
				case tt.want == nil || d.Code != "up-down-no-path" && d.Code != "roce-members":
					t.Errorf("unexpected: %s: %s", d.Code, d.Detail)
				}
			}
			assert.True(t, said || tt.want == nil, "missing: %v, found: %v", tt.want, found)
		})
	}
}
