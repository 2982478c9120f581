package validate_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
)

// pod is a fabric of two racks without findings: pairs of leaves, hosts with both ports of a card on a pair, clients with one port.
const pod = `
fabric "pod" {
  routing      = "up-down"
  cable_length = "5m"
}
cos_group "rdma" {
  cos      = 4
  dscp     = [26]
  lossless = true
  weight   = 60
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
cos_group "default" {
  cos    = 0
  weight = 40
}
roce "storage" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.store, host.client]
}
switch "leaf" {
  names   = "leaf[1-4]"
  model   = "sn2410"
  version = "4.3.0"
  mlag    = "rack${floor(self.index / 2)}"
}
switch "spine" {
  names   = "spine[1-2]"
  model   = "sn2700"
  version = "4.3.0"
}
host "store" {
  names = "store[1-2]"
  nic "ens2f0" {
    model = "connectx-5"
    mtu   = 9000
    ip    = "192.0.2.${self.index + 1}/24"
  }
  nic "ens2f1" {
    model = "connectx-5"
    mtu   = 9000
    ip    = "192.0.2.${self.index + 1}/24"
  }
  bond "bond0" {
    nics = ["ens2f0", "ens2f1"]
    mode = "802.3ad"
  }
}
host "client" {
  names = "client[1-4]"
  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 4200
    ip    = "192.0.2.${self.index + 101}/24"
  }
}
link "stores" {
  a     = "store[1-2]:ens2f[0-1]"
  b     = "leaf1:swp1,leaf2:swp1,leaf3:swp1,leaf4:swp1"
  speed = "25G"
}
link "clients" {
  a     = "client[1-4]:ens1f0"
  b     = "leaf[1-4]:swp2"
  speed = "25G"
}
mesh "uplinks" {
  lower = "leaf[1-4]:swp[49-50]"
  upper = "spine[1-2]:swp[1-4]"
}
`

// planted returns pod with some texts replaced, each once.
func planted(t testing.TB, edits []string) []byte {
	t.Helper()
	s := pod
	for i := 0; i < len(edits); i += 2 {
		require.Equal(t, 1, strings.Count(s, edits[i]), "the fabric has %q once", edits[i])
		s = strings.Replace(s, edits[i], edits[i+1], 1)
	}
	return []byte(s)
}

// TestPlanted makes single mistakes, and edits that only look like mistakes. Each has exactly the listed findings.
func TestPlanted(t *testing.T) {
	clientMTU := func(v string) []string { return []string{"    mtu   = 4200\n", v} }
	clientIP := func(v string) []string {
		return []string{`    ip    = "192.0.2.${self.index + 101}/24"`, "    ip    = " + v}
	}
	storeNIC := "  nic \"ens2f1\" {\n    model = \"connectx-5\"\n    mtu   = 9000\n"
	stores := "switch \"spine\" {\n"
	mlag := "  mlag    = \"rack${floor(self.index / 2)}\"\n"
	stored := "leaf1:swp1,leaf2:swp1,leaf3:swp1,leaf4:swp1"
	clientSpeed := "leaf[1-4]:swp2\"\n  speed = \"25G\""
	two := []string{"weight = 40", "weight = 20", "cos_group \"cnp\" {", lossless("a", 1) + "cos_group \"cnp\" {"}
	three := []string{"weight = 40", "weight = 20", "cos_group \"cnp\" {", lossless("a", 1) + lossless("b", 2) + "cos_group \"cnp\" {"}
	leaf := func(more string) []string { return []string{"  mlag    =", more + "  mlag    ="} }
	client := func(model string) []string {
		return []string{
			"    model = \"connectx-5\"\n    mtu   = 4200", "    model = \"" + model + "\"\n    mtu   = 4200",
			"host \"client\" {\n", "host \"client\" {\n  by_hand {}\n",
		}
	}
	tests := []struct {
		name string
		edit []string
		want []string // "severity code: part of the detail"
	}{
		{"sound", nil, nil},

		{"MTU that misses by its headers", clientMTU("    mtu   = 4191\n"), []string{
			"warning rdma-mtu: client1:ens1f0 and 3 NICs like it will send packets of 2048",
			"warning mtu-uneven: client1:ens1f0 has an MTU of 4191",
		}},
		{"the least MTU for 4096", clientMTU("    mtu   = 4192\n"), nil},
		{"plain MTU", clientMTU("    mtu   = 1500\n"), []string{
			"note rdma-mtu: RDMA packets of 1024 bytes; the switch ports take 9216",
			"warning mtu-uneven: (4 of 8 have the smaller one)",
		}},
		{"MTU kept as it is", clientMTU(""), nil},
		{"NIC above its own port", []string{"leaf[1-4]:swp2\"\n", "leaf[1-4]:swp2\"\n  mtu = 4000\n"}, []string{
			"error mtu-mismatch: client1:ens1f0 has an MTU of 4200, the switch ports take 4000",
		}},
		{"uplinks below the NICs", []string{"spine[1-2]:swp[1-4]\"\n", "spine[1-2]:swp[1-4]\"\n  mtu = 4000\n"}, []string{
			"error mtu-path: leaf1:swp49 - spine1:swp1 accepts frames of 4000 bytes",
		}},
		{"uplinks that fit all but one side", append(clientMTU("    mtu   = 4200\n"),
			"spine[1-2]:swp[1-4]\"\n", "spine[1-2]:swp[1-4]\"\n  mtu = 8000\n", "host.store, host.client", "host.client, \"store1\""), []string{
			"warning nic-no-intent: store2:ens2f0 is in no roce block", "warning nic-no-intent: store2:ens2f1 is in no roce block",
		}},

		{"a small link between leaves that up-down does not use", []string{"link \"stores\" {", level("")}, []string{
			"error pfc-loop-unknown: neither up nor down",
		}},
		{"a small link between leaves that it does", []string{"link \"stores\" {", level("  peer = true\n")}, []string{
			"error mtu-path: leaf2:swp40 - leaf3:swp40 accepts frames of 1500 bytes, and client2:ens1f0 and client3:ens1f0",
		}},

		{"weights above 100", []string{"weight = 40", "weight = 60"}, []string{
			"warning weights-sum: make 120, more than the whole link: cos group \"default\" gets 50 percent instead of 60",
		}},
		{"weights that leave nothing", []string{"weight = 40", "dscp = [0]", "weight   = 60", "weight   = 100"}, []string{
			"warning weights-sum: make 100 percent, and cos group \"default\" has no weight",
		}},
		{"weights without a group for the rest", []string{"  cos    = 0\n", "  cos    = 1\n"}, []string{
			"warning weights-sum: traffic that no cos group claims has no weight",
		}},
		{"weights as a ratio", []string{"weight = 40", "weight = 2", "weight   = 60", "weight   = 3"}, nil},
		{"CNPs with neither strict nor a weight", []string{"  strict = true\n", ""}, []string{"warning cnp-not-strict: no weight"}},
		{"one weight, the rest to the others", []string{"  weight = 40\n", ""}, nil},

		{"one address for two hosts", clientIP(`"192.0.2.${self.index / 4 * 0 + 101}/24"`), []string{
			"error ip-duplicate: client2:ens1f0 has the address of client1:ens1f0, 192.0.2.101 (and 2 NICs more like it)",
		}},
		{"an address of another block", clientIP(`"192.0.2.${self.index + 2}/24"`), []string{
			"error ip-duplicate: client1:ens1f0 has the address of store2:ens2f0, 192.0.2.2",
		}},
		{"subnets of version 2", clientIP(`"198.51.100.${self.index + 1}/32"`), nil},

		{"devices at one address", leaf("  ssh { address = \"198.51.100.7\" }\n"), []string{
			"error ssh-address-duplicate: leaf1 and leaf2 are both reached at 198.51.100.7 (and 2 devices more like them)",
		}},
		{"a device at another's name", []string{stores, stores + "  ssh { address = self.index == 0 ? \"LEAF1\" : \"other\" }\n"}, []string{
			"error ssh-address-duplicate: both reached at",
		}},
		{"one address behind two ports", leaf("  ssh {\n    address = \"198.51.100.7\"\n    port = self.index + 2200\n  }\n"), nil},
		{
			"one address behind two jump hosts", leaf("  ssh {\n    address = \"198.51.100.7\"\n    jump = \"b${self.index}.example.net\"\n  }\n"),
			nil,
		},
		{"devices set by hand are not reached", leaf("  by_hand {}\n  ssh { address = \"198.51.100.7\" }\n"), nil},

		{"bond ports of different TOS", []string{storeNIC, storeNIC + "    tos = 104\n"}, []string{
			"warning bond-uneven: and 1 bond like it differ in the type of service: ens2f0 has none written, ens2f1 has 104",
		}},
		{"bond ports of different speed", []string{
			"store[1-2]:ens2f[0-1]\"\n  b     = \"leaf1:swp1,leaf2:swp1,leaf3:swp1,leaf4:swp1\"",
			"store[1-2]:ens2f0\"\n  b     = \"leaf1:swp1,leaf3:swp1\"",
			"link \"clients\" {", "link \"second\" {\n  a = \"store[1-2]:ens2f1\"\n  b = \"leaf2:swp1,leaf4:swp1\"\n  speed = \"10G\"\n}\nlink " +
				"\"clients\" {",
		}, []string{"warning bond-uneven: differ in the speed: ens2f0 has 25G, ens2f1 has 10G"}},
		{"bond ports of different flow control", []string{
			"store[1-2]:ens2f[0-1]\"\n  b     = \"leaf1:swp1,leaf2:swp1,leaf3:swp1,leaf4:swp1\"",
			"store[1-2]:ens2f0\"\n  b     = \"leaf1:swp1,leaf3:swp1\"",
			"link \"clients\" {", "link \"second\" {\n  a = \"store[1-2]:ens2f1\"\n  b = \"leaf2:swp1,leaf4:swp1\"\n  speed = \"25G\"\n  " +
				"flow_control = \"pause\"\n}\nlink \"clients\" {",
		}, []string{"warning bond-uneven: and 1 bond like it differ in the flow control: ens2f0 has PFC, ens2f1 has link pause"}},
		{"cables of different flow control to a pair, without a bond", []string{
			"store[1-2]:ens2f[0-1]\"\n  b     = \"leaf1:swp1,leaf2:swp1,leaf3:swp1,leaf4:swp1\"",
			"store[1-2]:ens2f0\"\n  b     = \"leaf1:swp1,leaf3:swp1\"",
			"link \"clients\" {", "link \"second\" {\n  a = \"store[1-2]:ens2f1\"\n  b = \"leaf2:swp1,leaf4:swp1\"\n  speed = \"25G\"\n  " +
				"flow_control = \"pause\"\n}\nlink \"clients\" {",
			"  bond \"bond0\" {\n    nics = [\"ens2f0\", \"ens2f1\"]\n    mode = \"802.3ad\"\n  }\n", "",
			`    ip    = "192.0.2.${self.index + 1}/24"
  }
  nic "ens2f1"`, `    ip    = "192.0.2.${self.index + 11}/24"
  }
  nic "ens2f1"`,
		}, []string{"warning mlag-uneven: The cables of store1 and 1 host like it to the two switches of mlag \"rack0\" differ in flow " +
			"control: PFC at " +
			"leaf1, link pause at leaf2"}},
		{"bond over unrelated switches", []string{mlag, ""}, []string{
			"error bond-split: ens2f0 goes to leaf1 and ens2f1 to leaf2, which have no mlag",
		}},
		{"bond over two pairs", []string{stored, "leaf1:swp1,leaf3:swp1,leaf2:swp1,leaf4:swp1"}, []string{
			"error bond-split: ens2f0 goes to leaf1 and ens2f1 to leaf3, which are not of one mlag",
		}},
		{"bond over unrelated switches, one at a time", []string{mlag, "", "\"802.3ad\"", "\"active-backup\""}, nil},
		{"bond into one switch", []string{
			mlag, "", stored, "leaf1:swp1,leaf1:swp3,leaf3:swp1,leaf3:swp3",
		}, nil},

		{"pair of three", []string{"floor(self.index / 2)", "floor(self.index / 3)"}, []string{
			"warning mlag-uneven: The value of mlag \"rack0\" names a pair, but 3 switches have it: leaf[1-3]",
			"warning mlag-uneven: The value of mlag \"rack1\" names a pair, but leaf4 is the only switch",
			"error bond-split: goes to leaf3 and ens2f1 to leaf4",
		}},
		{"pairs of different releases", []string{
			"  version = \"4.3.0\"\n  mlag",
			"  version = self.index % 2 == 0 ? \"4.3.0\" : \"4.2.1\"\n  mlag",
		}, []string{
			"warning mlag-uneven: mlag \"rack0\" and 1 pair like it differ in release: leaf1 has cumulus-linux 4.3.0",
		}},

		{"more lossless groups than any chip has", slices.Concat(three, leaf("  by_hand {}\n")), []string{
			"warning lossless-count: leaf1:swp2 and 3 switches like it carry 3 lossless groups, and Spectrum is known to do 2",
		}},
		{"two groups in one buffer", slices.Concat(two, leaf("  by_hand {}\n")), []string{
			"warning lossless-count: Ports like leaf1:swp2 and 3 switches like it carry 2 lossless groups, and Cumulus Linux keeps one buffer " +
				"for all of them on Spectrum",
		}},
		{"two on a system of which nothing is known", slices.Concat(two, leaf("  by_hand {}\n  os = \"sonic\"\n")), nil},
		{"a by_hand block states PFC", slices.Concat(three, leaf("  by_hand { flow_control = \"pfc\" }\n")), nil},

		{"firmware that usually has one class", slices.Concat(two, client("bcm57508")), []string{
			"warning nic-pfc-classes: client1:ens1f0 and 3 NICs like it are in 2 lossless cos groups",
		}},
		{
			"link pause knows no classes",
			slices.Concat(two, client("e810"), []string{"  cable_length = \"5m\"\n", "  cable_length = \"5m\"\n  flow_control = \"pause\"\n"}), nil,
		},

		{"twice the speed is not a step", []string{clientSpeed, "leaf[1-4]:swp2\"\n  speed = \"10G\""}, nil},
		{"a step", []string{clientSpeed, "leaf[1-4]:swp51\"\n  speed = \"100G\""}, []string{
			"note speed-step: ports of 100G (client1:ens1f0, of host \"client\") and of 25G (store1:ens2f0, of host \"store\")",
		}},
		{"uplinks too few", []string{
			"\"leaf[1-4]:swp[49-50]\"", "\"leaf[1-4]:swp49\"",
			"spine[1-2]:swp[1-4]\"\n", "spine1:swp[1-4]\"\n  speed = \"25G\"\n",
		}, []string{
			"note oversubscription: members below leaf1 (the worst of 4 switches of this block that have less up than down) can send 50G",
			"warning switch-not-cabled: spine2 has no cable",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			left := validate.Run(compilertest.Compile(t, planted(t, tt.edit)), nil).Diagnostics
			for _, want := range tt.want {
				head, text, _ := strings.Cut(want, ": ")
				found := false
				for i, d := range left {
					if fmt.Sprintf("%s %s", d.Severity, d.Code) == head && strings.Contains(d.Detail, text) {
						left = append(left[:i:i], left[i+1:]...)
						found = true
						break
					}
				}
				assert.True(t, found, "not said: %s", want)
			}
			for _, d := range left {
				t.Errorf("unexpected: %s %s: %s", d.Severity, d.Code, d.Detail)
			}
		})
	}
}

// level is a cable with a small MTU between leaves of one tier.
func level(more string) string {
	return "link \"level\" {\n  a = \"leaf2:swp40\"\n  b = \"leaf3:swp40\"\n  mtu = 1500\n" + more + "}\nlink \"stores\" {"
}

// lossless is a further lossless group, with an intent of the clients.
func lossless(name string, cos int) string {
	return fmt.Sprintf(`cos_group %[1]q {
  cos      = %[2]d
  dscp     = [%[3]d]
  lossless = true
  weight   = 10
  ecn {}
}
roce %[1]q {
  version   = 2
  cos_group = cos_group.%[1]s
  cnp       = cos_group.cnp
  members   = [host.client]
}
`, name, cos, 8*cos)
}

// TestStaticTwiceTheSame: the findings of many mistakes do not depend on the order of maps.
func TestStaticTwiceTheSame(t *testing.T) {
	src := planted(t, []string{
		"spine[1-2]:swp[1-4]\"\n", "spine[1-2]:swp[1-4]\"\n  mtu = 1500\n",
		"  mlag    = \"rack${floor(self.index / 2)}\"\n",
		"  mlag = \"rack${self.index % 3}\"\n  ssh { address = \"198.51.100.${self.index % 2}\" }\n",
		"${self.index + 101}/24", "${self.index % 2 + 1}/24",
		"weight = 40", "weight = 70",
		"    mtu   = 4200\n", "    mtu   = 2100 + 2100 * (self.index % 2)\n",
	})
	said := func() string {
		var b bytes.Buffer
		p := diag.Printer{Files: map[string][]byte{"fabric.hcl": src}}
		require.NoError(t, p.Print(&b, validate.Run(compilertest.Compile(t, src), nil).Diagnostics))
		return b.String()
	}
	first := said()
	for _, code := range []string{
		"mtu-path", "mtu-uneven", "rdma-mtu", "ip-duplicate", "ssh-address-duplicate", "mlag-uneven", "bond-split",
		"weights-sum",
	} {
		assert.Contains(t, first, "["+code+"]")
	}
	for range 5 {
		assert.Equal(t, first, said())
	}
}
