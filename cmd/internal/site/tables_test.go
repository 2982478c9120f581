package site

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nexthops"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/forwarding"
	"github.com/rocec/rocec/targets/target/lint"
)

// tabledFiles are the files of two leaves and two spines with their routes.
func tabledFiles(t testing.TB) (files []lint.File) {
	t.Helper()
	ar, err := txtar.ParseFile("../sitefrom/testdata/shapes/route-tables.txtar")
	require.NoError(t, err)
	for _, f := range ar.Files {
		if name, ok := strings.CutPrefix(f.Name, "collected/"); ok {
			files = append(files, lint.File{Name: name, Data: f.Data})
		}
	}
	return files
}

// draftOf returns a file of the draft.
func draftOf(s *Site, name string) string {
	for _, f := range s.Drafted.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// The table has the networks behind bonds and the networks of hosts behind VLAN interfaces, and no other routes.
func TestTables(t *testing.T) {
	s, ds := Of(t.Context(), tabledFiles(t), Options{Most: 100})
	require.Empty(t, ds)
	assert.Equal(t, ir.TablePath, s.Judged.Fabric.Routing)
	assert.Equal(t, `{
  "format_version": "1.0",
  "addresses": {
    "gpu1:eth0": ["10.1.0.0"],
    "gpu2:eth0": ["10.1.1.2"],
    "gpu3:eth0": ["10.2.0.2"],
    "gpu4:eth0": ["10.2.0.4"]
  },
  "switches": {
    "leaf1": [
      { "to": "10.2.0.0/24", "ports": ["Ethernet120", "Ethernet124"] }
    ],
    "leaf2": [
      { "to": "10.1.0.0/16", "ports": ["Ethernet120", "Ethernet124"] }
    ],
    "spine1": [
      { "to": "10.1.0.0/31", "ports": ["Ethernet0"] },
      { "to": "10.1.1.0/24", "ports": ["Ethernet0"] },
      { "to": "10.2.0.0/24", "ports": ["Ethernet4"] }
    ],
    "spine2": [
      { "to": "10.1.0.0/31", "ports": ["Ethernet0"] },
      { "to": "10.1.1.0/24", "ports": ["Ethernet0"] },
      { "to": "10.2.0.0/24", "ports": ["Ethernet4"] }
    ]
  }
}
`, draftOf(s, tableFile))
	fabric := draftOf(s, "fabric.hcl")
	assert.Contains(t, fabric, `routing = "table"`)
	assert.Contains(t, fabric, `"next-hops.json"`)
	assert.NotContains(t, fabric, "failures")
	n := s.Network()
	assert.Equal(t, "table", n.Stated)
	assert.Empty(t, n.Routing)
	assert.NotContains(t, codes(s.Judged.Diags), "no-route")
}

func codes(ds diag.List) (out []string) {
	for _, d := range ds {
		out = append(out, d.Code)
	}
	return out
}

// A table needs complete answers. If a part is missing, or a route uses a port that no file shows, routing stays assumed.
func TestTablesRefused(t *testing.T) {
	for name, c := range map[string]struct{ file, old, now, want string }{
		"no answer":  {"spine2/ip-route.json", "", "", "no file has the IPv4 routes of spine2; files of 3 of 4 switches have them"},
		"cut off":    {"leaf1/route.json", "\n}\n", "\n", "files of 3 of 4 switches have them; leaf1/route.json: it is empty or cut off"},
		"no members": {"leaf1/addr.json", `"info_slave_kind":"team"`, `"x":1`, "leaf1 sends traffic for gpu3:eth0 to PortChannel101"},
		"labels": {
			"spine1/route.json", `"interfaceName":"Ethernet4","active":true,"weight":1}]}]` + "\n}",
			`"interfaceName":"Ethernet4","labels":[16]}]}]` + "\n}",
			"spine1 sends traffic for gpu3:eth0 to a next hop with labels",
		},
		"a VLAN interface": {
			"leaf1/route.json", `"interfaceName":"PortChannel101","active":true,"weight":1},{`, `"interfaceName":"Vlan4001","active":true},{`,
			"leaf1 sends traffic for gpu3:eth0 to a VLAN interface",
		},
		"another host": {
			"leaf1/route.json", `"ip":"10.0.0.3","afi":"ipv4","interfaceIndex":9,"interfaceName":"Ethernet124"`, `"interfaceName":"Ethernet4"`,
			"leaf1 sends traffic for gpu3:eth0 to another host, gpu2",
		},
		"a network on two switches": {"leaf2/ip-route.json", `"10.2.0.0/24"`, `"10.1.1.0/24"`, "has a network behind a VLAN interface that"},
		"a part of a network":       {"spine1/route.json", `"10.1.1.0/24":`, `"10.1.1.128/25":`, "spine1 has a route to a part of a network"},
		"no network": {
			"leaf2/ip-route.json", `"protocol":"kernel","scope":"link","prefsrc":"10.2.0.1"`, `"protocol":"static"`,
			"no file shows an address of gpu3:eth0",
		},
		"an address elsewhere": {"gpu4/addr.json", "10.2.0.4", "10.9.0.4", "leaf2 has no route to gpu4:eth0 at its own port"},
		"IPv6 in part":         {"gpu4/addr.json", "", `[{"dst":"2001:db8::/64","dev":"Ethernet0","flags":[]}]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var files []lint.File
			for _, f := range tabledFiles(t) {
				switch {
				case f.Name != c.file:
				case c.old == "" && c.now == "":
					continue
				case c.old != "":
					require.Contains(t, string(f.Data), c.old)
					f.Data = []byte(strings.Replace(string(f.Data), c.old, c.now, 1))
				}
				files = append(files, f)
			}
			if c.want == "" {
				files = append(files, lint.File{Name: "leaf1/ip-route6.json", Data: []byte(c.now)})
				c.want = "files of 1 of 4 switches have them"
			}
			s, ds := Of(t.Context(), files, Options{Most: 100})
			require.Empty(t, ds)
			assert.Equal(t, ir.UpDown, s.Judged.Fabric.Routing)
			assert.Empty(t, draftOf(s, tableFile))
			n := s.Network()
			assert.Empty(t, n.Stated)
			assert.Contains(t, strings.Join(n.Conditions, "\n"), c.want)
		})
	}
}

// Tables that send traffic in a circle are a finding, and no verdict uses them.
func TestTablesLoop(t *testing.T) {
	files := tabledFiles(t)
	i := slices.IndexFunc(files, func(f lint.File) bool { return f.Name == "spine1/route.json" })
	text := string(files[i].Data)
	at := strings.LastIndex(text, "Ethernet4")
	files[i].Data = []byte(text[:at] + "Ethernet0" + text[at+len("Ethernet4"):])
	s, ds := Of(t.Context(), files, Options{Most: 100})
	require.Empty(t, ds)
	require.NotNil(t, s.Judged.Fabric)
	assert.Equal(t, ir.UpDown, s.Judged.Fabric.Routing)
	require.Equal(t, []string{loopCode}, codes(s.astray))
	assert.Equal(t, "leaf1/route.json", s.astray[0].At.Filename)
	assert.Contains(t, s.astray[0].Detail, "leaf1 -> spine1 -> leaf1")
	assert.Contains(t, strings.Join(s.Network().Conditions, "\n"), "the tables of next hops contradict each other")
}

// eBGP sessions have priority over tables.
func TestTablesBesideBGP(t *testing.T) {
	var files []lint.File
	for device, text := range routedFiles() {
		files = append(files, lint.File{Name: device + "/config_db.json", Data: []byte(text)},
			lint.File{Name: device + "/route.json", Data: []byte("{}")})
	}
	s, ds := Of(t.Context(), files, Options{Most: 100})
	require.Empty(t, ds)
	assert.Equal(t, ir.EBGP, s.Judged.Fabric.Routing)
}

// Whatever the answers contain, rocec can read the table that it makes from them.
func FuzzTables(f *testing.F) {
	all := tabledFiles(f)
	for _, file := range all {
		if !strings.HasSuffix(file.Name, "config_db.json") {
			f.Add(file.Name, file.Data)
		}
	}
	near, ds := Of(f.Context(), all, Options{Most: 100})
	require.Empty(f, ds)
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		s := &targets.Survey{Devices: slices.Clone(near.Survey.Devices)}
		device, _, _ := strings.Cut(name, "/")
		i := max(0, slices.IndexFunc(s.Devices, func(d targets.Surveyed) bool { return d.Name == device }))
		answer, err := forwarding.Read(name, data)
		if err != nil {
			return
		}
		if s.Devices[i].Interfaces = answer.Interfaces; answer.Interfaces == nil {
			s.Devices[i].Routes = answer.Routes
		}
		table, why := tables(near.Judged.Fabric, s)
		if table == nil {
			return
		}
		require.Empty(t, why)
		require.True(t, json.Valid(table.text))
		var ds diag.List
		require.NotNil(t, nexthops.Read(tableFile, table.text, &ds), "%v", ds)
	})
}
