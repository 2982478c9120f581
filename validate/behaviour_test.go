package validate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/validate"
)

// handmade is a fabric of two racks without findings. Its spine and stores have by_hand blocks. The tests edit it.
const handmade = `
fabric "racks" {
  cable_length = "3m"
  routing      = "up-down"
}
cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}
roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu, host.store]
}
switch "tor" {
  names   = "tor[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 1
}
switch "spine" {
  names = "spine1"
  model = "sn2700"
  tier  = 2
  by_hand {} # spine
}
host "gpu" {
  names = "gpu[1-2]"
  nic "e0" { model = "connectx-5" }
}
host "store" {
  names = "store[1-3]"
  nic "e0" { model = "connectx-5" }
  by_hand {} # store
}
link "hosts" {
  a = "gpu[1-2]:e0,store[1-3]:e0"
  b = "tor1:swp[1-2],tor2:swp[1-3]"
}
mesh "uplinks" {
  lower = "tor[1-2]:swp32"
  upper = "spine1:swp[1-2]"
}
`

// edited replaces the first occurrence of every even string by the odd one after it.
func edited(t *testing.T, text string, edits ...string) string {
	t.Helper()
	for i := 0; i < len(edits); i += 2 {
		require.Contains(t, text, edits[i])
		text = strings.Replace(text, edits[i], edits[i+1], 1)
	}
	return text
}

// TestBehaviour adds one fault per case. Only the check for that fault reports it, with the expected words.
func TestBehaviour(t *testing.T) {
	const (
		spine, store = "by_hand {} # spine", "by_hand {} # store"
		dscp         = `  dscp     = ["af31"]` + "\n"
		vlan         = "members   = [host.gpu, host.store]\n  vlan = 100"
		members      = "members   = [host.gpu, host.store]"
		bridged      = `routing      = "spanning-tree"`
		routed       = `routing      = "up-down"`
		cs6          = `  dscp   = ["cs6"]` + "\n"
	)
	pause := []string{routed, routed + "\n  flow_control = \"pause\""}
	second := func(group, intent string) string {
		return "cos_group \"second\" {\n  cos = 2\n" + group + "}\nroce \"second\" {\n  cos_group = cos_group.second\n  " + intent +
			"\n}\nswitch \"tor\" {"
	}
	for name, tt := range map[string]struct {
		edits []string
		want  []string // severity, code and a part of the detail of every finding, by place
	}{
		"nothing": {},
		"a buffer that is far too small at one speed and just too small at another": {
			[]string{
				"  ecn {}\n", "  ecn {}\n  pfc {\n    buffer = \"49100B\"\n    xoff = \"20000B\"\n  }\n", `link "hosts" {`,
				"link \"hosts\" {\n  speed = \"25G\"",
			},
			[]string{"error headroom-too-small: at spine1:swp1, the worst of 9 ports, where 72,288 B can arrive after the pause was sent: the " +
				"group is likely to lose frames"},
		},
		"obeys only": {
			[]string{store, `by_hand { flow_control = "pfc-rx" }`},
			[]string{"error pfc-one-end: store1:e0 obeys pauses and sends none"},
		},
		"blocks made from one block that state different values": {
			[]string{store, "by_hand { dscp = { 26 = 5 + self.index % 2 } }"},
			[]string{"error map-mismatch: store2 maps DSCP 26 to cos 6", "error map-mismatch: store[1,3] map DSCP 26 to cos 5"},
		},
		"no flow control": {
			[]string{spine, `by_hand { flow_control = "none" }`},
			[]string{"error pfc-one-end: spine1:swp1 neither sends pauses nor obeys them"},
		},
		"pfc-tx and the wrong priority": {
			[]string{spine, "by_hand {\n  flow_control = \"pfc-tx\"\n  pfc = [3]\n}"},
			[]string{"error pfc-one-end: sends pauses and obeys none"},
		},
		"no priority": {
			[]string{spine, "by_hand { pfc = [] }"},
			[]string{"error pfc-one-end: has no PFC for rdma (cos 4): pfc = []"},
		},
		"PFC in a fabric of link pause": {
			append(pause, spine, `by_hand { flow_control = "pfc" }`),
			[]string{"error pause-beside-pfc: in a fabric of link pause"},
		},
		"none in a fabric of link pause": {
			append(pause, store, `by_hand { flow_control = "none" }`),
			[]string{"error pfc-one-end: neither sends pauses"},
		},
		"both on one port": {
			append(pause, store, "by_hand { pfc = [4] }"),
			[]string{"error pause-beside-pfc: link pause, as the fabric does, and PFC for one cos: pfc = [4]"},
		},
		"both on one port, though other cables have PFC": {
			append(pause, `b = "tor1:swp[1-2],tor2:swp[1-3]"`, "b = \"tor1:swp[1-2],tor2:swp[1-3]\"\n  flow_control = \"pause\"",
				`upper = "spine1:swp[1-2]"`, "upper = \"spine1:swp[1-2]\"\n  flow_control = \"pfc\"",
				store, "by_hand {\n  flow_control = \"pause\"\n  pfc = [4]\n}"),
			[]string{"error pause-beside-pfc: link pause, as link \"hosts\" does, and PFC for one cos: pfc = [4]"},
		},
		"trust under link pause is about marking": {
			append(pause, spine, `by_hand { trust = "pcp" }`),
			[]string{"warning trust-mismatch: so they are not marked there"},
		},
		"trust under link pause without marking": {
			append(pause, spine, `by_hand { trust = "pcp" }`, "  ecn {}\n", ""),
			[]string{"warning roce-v2-no-ecn: "},
		},
		"a lossy group is marked": {
			[]string{spine, `by_hand { trust = "pcp" }`, "  lossless = true\n", ""},
			[]string{"error trust-mismatch: lost without having been marked"},
		},
		"identified by PCP, and DSCP wins": {
			[]string{routed, bridged, dscp, "", members, vlan, spine, `by_hand { trust = "both" }`},
			[]string{"error trust-mismatch: where both are trusted the DSCP of a packet with an IP header decides"},
		},
		"identified by PCP, and DSCP 0 maps to the same cos": {
			[]string{routed, bridged, dscp, "", members, vlan, spine, "by_hand {\n  trust = \"both\"\n  dscp = { 0 = 4 }\n}"},
			nil,
		},
		"identified by PCP, and PCP maps to another cos": {
			[]string{routed, bridged, dscp, "", members, vlan, store, "by_hand { pcp = { 4 = 3 } }"},
			[]string{"error map-mismatch: store[1-3] map PCP 4 to cos 3"},
		},
		"identified by DSCP, and PCP maps to another cos": {
			[]string{spine, "by_hand { pcp = { 4 = 3 } }"},
			nil,
		},
		"identified by DSCP and by PCP on one switch": {
			[]string{
				routed, bridged, `switch "tor" {`, second("  lossless = true\n  ecn {}\n",
					"version = 2\n  cnp = cos_group.cnp\n  vlan = 200\n  members = [\"x[1-2]:e1\"]"),
				`link "hosts" {`, "host \"x\" {\n  names = \"x[1-2]\"\n  nic \"e1\" { model = \"connectx-5\" }\n}\nlink \"x\" {\n  a = " +
					"\"x[1-2]:e1\"\n  b = \"tor[1-2]:swp9\"\n}\nlink \"hosts\" {",
			},
			[]string{`error trust-mismatch: carry roce "training", too, which is identified by DSCP`},
		},
		"v1 beside v2": {
			[]string{
				routed, bridged, `switch "tor" {`, second("  lossless = true\n", "version = 1\n  vlan = 200\n  members = [\"x[1-2]:e1\"]"),
				`link "hosts" {`, "host \"x\" {\n  names = \"x[1-2]\"\n  nic \"e1\" { model = \"connectx-5\" }\n}\nlink \"x\" {\n  a = " +
					"\"x[1-2]:e1\"\n  b = \"tor[1-2]:swp9\"\n}\nlink \"hosts\" {",
			},
			nil,
		},
		"v1 in one rack and v2 across racks, in one group": {
			[]string{
				spine, `by_hand { trust = "dscp" }`, `switch "tor" {`,
				"roce \"rack\" {\n  version = 1\n  cos_group = cos_group.rdma\n  vlan = 200\n  members = [host.x]\n}\nswitch \"tor\" {",
				`link "hosts" {`, "host \"x\" {\n  names = \"x[1-2]\"\n  nic \"e1\" { model = \"connectx-5\" }\n}\nlink \"x\" {\n  a = " +
					"\"x[1-2]:e1\"\n  b = \"tor1:swp[9-10]\"\n}\nlink \"hosts\" {",
			},
			nil,
		},
		"two values to one cos": {
			[]string{`dscp     = ["af31"]`, "dscp = [26, 27]", spine, "by_hand { dscp = { for v in [26, 27] : v => 1 } }"},
			[]string{"error map-mismatch: maps DSCP 26 and 27 to cos 1"},
		},
		"no vlan in one domain": {
			[]string{routed, bridged, dscp, ""},
			[]string{"error pcp-untagged: the intent has no vlan"},
		},
		"no vlan and routed": {
			[]string{dscp, ""},
			[]string{"error roce-v2-no-dscp: The intent has no vlan"},
		},
		"no vlan under link pause is about marking": {
			append(pause, dscp, ""),
			[]string{"warning roce-v2-no-dscp: The intent has no vlan"},
		},
		"routed, and mistrusted": {
			[]string{dscp, "", members, vlan, spine, `by_hand { trust = "dscp" }`},
			[]string{"error pcp-over-routed: does not survive the routed links"},
		},
		"CNPs by PCP": {
			[]string{routed, bridged, dscp, "", members, vlan, "  strict = true\n", "  strict = true\n  pcp = [5]\n"},
			[]string{"warning cnp-lost: NICs give CNPs the PCP 6, the number of cos group \"cnp\", which no cos group claims"},
		},
		"CNPs by PCP into a lossless group": {
			[]string{routed, bridged, dscp, "  pcp = [4, 6]\n", members, vlan, "  strict = true\n", "  strict = true\n  pcp = [5]\n"},
			[]string{"error cnp-lost: which the lossless cos group rdma claims"},
		},
		"no cnp group and its DSCP is lossless": {
			[]string{`["af31"]`, `["af31", "cs6"]`, cs6, "", "  cnp       = cos_group.cnp\n", ""},
			[]string{"error roce-v2-no-cnp: DSCP 48 (cs6), as NICs send them by default"},
		},
		"no cnp group and its priority is lossless": {
			[]string{"cos      = 4", "cos = 6", "cos    = 6", "cos = 5", "  cnp       = cos_group.cnp\n", ""},
			[]string{"error roce-v2-no-cnp: have priority 6"},
		},
		"no cnp group": {
			[]string{"  cnp       = cos_group.cnp\n", ""},
			[]string{"warning roce-v2-no-cnp: best-effort traffic"},
		},
		"cnp group without the DSCP of CNPs, which is lossless": {
			[]string{`["af31"]`, `["af31", "cs6"]`, cs6, ""},
			[]string{`error cnp-no-dscp: which cos group "rdma" claims`},
		},
		"one NIC with two cnp groups": {
			[]string{`switch "tor" {`, "cos_group \"late\" {\n  cos = 5\n  dscp = [40]\n  strict = true\n}\n" +
				second("  dscp = [18]\n  lossless = true\n  ecn {}\n", "version = 2\n  cnp = cos_group.late\n  members = [host.store]")},
			[]string{`warning cnp-lost: the CNPs of roce "training" travel there, too, not in "cnp"`},
		},
		"one NIC with two cnp groups, the first without a DSCP, which is lossless": {
			[]string{`["cs6"]`, `["cs5"]`, `switch "tor" {`, "cos_group \"late\" {\n  cos = 5\n  strict = true\n}\n" +
				second("  dscp = [48]\n  lossless = true\n", "version = 2\n  cnp = cos_group.late\n  members = [host.store]")},
			[]string{
				"warning cnp-lost: the CNPs of roce \"training\" travel there, too, not in \"cnp\"",
				"error cnp-no-dscp: Cos group \"late\" carries the CNPs of roce \"training\"",
			},
		},
		"Soft-RoCE in a lossy group": {
			[]string{"  lossless = true\n", "", `names = "store[1-3]"` + "\n" + `  nic "e0" { model = "connectx-5" }`, `names = "store[1-3]"` +
				"\n" + `  nic "e0" { model = "soft-roce" }`},
			[]string{"warning dcqcn-off: store[1-3]:e0 answer no marks with CNPs, nor slow down on CNPs (Soft-RoCE cannot)"},
		},
		"Soft-RoCE in a lossy group, without the features that it lacks": {
			[]string{
				"  lossless = true\n", "", `names = "store[1-3]"` + "\n" + `  nic "e0" { model = "connectx-5" }`,
				`names = "store[1-3]"` + "\n" + `  nic "e0" { model = "soft-roce" }`, store, "by_hand { dcqcn = false }",
			},
			[]string{"warning dcqcn-off: (Soft-RoCE cannot). Switches mark roce \"training\", and these NICs ignore the marks: packets are " +
				"lost. Use NICs that can"},
		},
		"Soft-RoCE without DCQCN and PFC in a lossless group": {
			[]string{
				`names = "store[1-3]"` + "\n" + `  nic "e0" { model = "connectx-5" }`, `names = "store[1-3]"` + "\n" +
					`  nic "e0" { model = "soft-roce" }`,
				store, `by_hand { dcqcn = false }`,
			},
			[]string{"error nic-no-pfc: Soft-RoCE has no PFC"},
		},
		"unmarked lossy group": {
			[]string{"  lossless = true\n", "", spine, "by_hand { ecn = false }"},
			[]string{"warning ecn-missing-hop: ends in loss"},
		},
		"a lossy group that accepts PFC loops": {
			[]string{"  lossless = true\n", "  allow_deadlock = \"until spring\"\n"},
			[]string{"warning allow-deadlock-unused: it is not lossless, so nothing pauses it"},
		},
		"firmware under link pause": {
			append(pause, store, `by_hand { dcbx = "firmware" }`),
			nil,
		},
		"one block made many times": {
			[]string{
				`host "store" {` + "\n" + `  names = "store[1-3]"`, `host "store" {` +
					"\n  for_each = toset([\"1\", \"2\", \"3\"])\n  names = \"store${each.key}\"",
				store, `by_hand { trust = "pcp" }`, "host.store]", `"store[1-3]"]`,
			},
			[]string{"error trust-mismatch: store[1-3] trust PCP"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			mine := map[string]bool{}
			for _, w := range tt.want {
				_, rest, _ := strings.Cut(w, " ")
				code, _, _ := strings.Cut(rest, ":")
				mine[code] = true
			}
			for _, d := range validate.Run(compilertest.Compile(t, []byte(edited(t, handmade, tt.edits...))), nil).Diagnostics {
				if behaves[d.Code] || mine[d.Code] {
					got = append(got, fmt.Sprintf("%s %s: %s", d.Severity, d.Code, d.Detail))
				}
			}
			require.Len(t, got, len(tt.want), "%s", strings.Join(got, "\n"))
			for i, w := range tt.want {
				head, piece, _ := strings.Cut(w, ": ")
				assert.True(t, strings.HasPrefix(got[i], head+": "), "%s: %s", head, got[i])
				assert.Contains(t, got[i], piece)
			}
		})
	}
}

// behaves has the codes of findings about packets on their way.
var behaves = map[string]bool{
	"pcp-untagged": true, "pcp-over-routed": true, "pfc-one-end": true, "pause-beside-pfc": true, "pfc-on-lossy": true, "trust-mismatch": true,
	"map-mismatch": true, "tos-not-in-group": true, "tos-ecn-bits": true, "traffic-class-not-in-group": true, "cnp-lost": true,
	"cnp-no-dscp":    true,
	"cnp-not-strict": true, "ecn-missing-hop": true, "dcqcn-off": true, "dcbx-firmware": true, "roce-v2-no-dscp": true, "roce-v2-no-cnp": true,
}

// manyHandmade is a fabric of two tiers. Its spines and hosts have by_hand blocks, each with a finding.
func manyHandmade(leaves, spines, hosts int) []byte {
	return fmt.Appendf(nil, `
fabric "many" {
  routing      = "up-down"
  cable_length = "5m"
}
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
roce "all" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu]
}
switch_model "big" {
  asic  = "spectrum"
  ports = 1024
  speed = "100G"
}
switch "leaf" {
  names   = "leaf[1-%[1]d]"
  model   = "big"
  os      = "cumulus-linux"
  version = "4.3.0"
}
switch "spine" {
  names = "spine[1-%[2]d]"
  model = "big"
  by_hand {
    pfc   = [3, 4]
    trust = "pcp"
    ecn   = false
  }
}
host "gpu" {
  names = "gpu[1-%[3]d]"
  nic "e0" {
    model = "e810"
    tos   = 107
    ip    = "10.${floor(self.index / 65536)}.${floor(self.index / 256) %% 256}.${self.index %% 256}/8"
    traffic_class {
      tos = 16
      dst = "10.0.0.0/8"
    }
  }
  by_hand {
    flow_control = "pfc-tx"
    dscp         = { 26 = 3, 48 = 4 }
    dcqcn        = false
    dcbx         = "firmware"
  }
}
link "hosts" {
  a = "gpu[1-%[3]d]:e0"
  b = "leaf[1-%[1]d]:swp[1-%[4]d]"
}
mesh "uplinks" {
  lower = "leaf[1-%[1]d]:swp[1001-%[5]d]"
  upper = "spine[1-%[2]d]:swp[1-%[1]d]"
}
`, leaves, spines, leaves*hosts, hosts, 1000+spines)
}

// TestBehaviourFolds: a block has one finding of each code, however many devices it makes.
func TestBehaviourFolds(t *testing.T) {
	found := func(leaves, spines, hosts int) []string {
		var codes []string
		for _, d := range validate.Run(compilertest.Compile(t, manyHandmade(leaves, spines, hosts)), nil).Diagnostics {
			if behaves[d.Code] {
				codes = append(codes, d.Code)
			}
		}
		return codes
	}
	few := found(2, 1, 2)
	assert.ElementsMatch(t, []string{
		"pfc-on-lossy", "trust-mismatch", "ecn-missing-hop", "tos-ecn-bits", "traffic-class-not-in-group", "pfc-one-end", "map-mismatch",
		"cnp-lost",
		"dcqcn-off", "dcbx-firmware",
	}, few)
	assert.Equal(t, few, found(20, 4, 30))
}

// BenchmarkByHand runs every check on fabrics with a finding in every block. Twice the devices take twice the time.
func BenchmarkByHand(b *testing.B) {
	for _, leaves := range []int{250, 500, 1000} {
		b.Run(fmt.Sprintf("%d hosts", leaves*40), func(b *testing.B) {
			f := compilertest.Compile(b, manyHandmade(leaves, 8, 40))
			for b.Loop() {
				if !validate.Run(f, nil).Diagnostics.HasErrors() {
					b.Fatal("nothing found")
				}
			}
		})
	}
}
