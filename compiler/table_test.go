package compiler

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest"
	"github.com/rocec/rocec/lang/nexthops"
	"github.com/rocec/rocec/targets"
)

// The fabric is a ring of four switches with a host on each; gpu3 is cabled to sw3 by a bond of two ports.
const ringFabric = `
fabric "ring" {
  routing      = "table"
  table        = "fib/next.json"
  cable_length = "3m"
}
cos_group "rdma" {
  cos      = 3
  lossless = true
}
roce "all" {
  version   = 2
  cos_group = cos_group.rdma
  members   = [host.gpu, host.duo]
}
switch "sw" {
  names = "sw[1-4]"
  model = "sn2700"
}
host "gpu" {
  names = "gpu[1,2,4]"
  nic "ens1f0" {
    model = "connectx-5"
    ip    = "192.0.2.${self.index * 64 + 1}/26"
  }
}
host "duo" {
  names = "gpu3"
  nic "ens[1-2]f0" { model = "connectx-5" }
  bond "bond0" {
    nics = ["ens1f0", "ens2f0"]
    mode = "802.3ad"
  }
}
link "hosts" {
  a = "gpu[1-4]:ens1f0,gpu3:ens2f0"
  b = "sw[1-4]:swp1,sw3:swp2"
}
link "ring" {
  a = "sw[1-4]:swp31"
  b = "sw[2-4,1]:swp32"
}
`

// gpu1 is 192.0.2.1, gpu2 192.0.2.65, gpu4 192.0.2.129, gpu3 198.51.100.3. swp31 leads to the next switch of the ring, swp32 to the
// previous one. Traffic between sw4 and sw3 goes the long way.
const ringTable = `{
  "format_version": "1.0",
  "addresses": {"gpu3:bond0": ["198.51.100.3", "02:00:00:00:00:03"]},
  "switches": {
    "sw1": [
      {"to": "192.0.2.64/26", "ports": ["swp31"]},
      {"to": "198.51.100.0/24", "ports": ["swp31"]},
      {"to": "0.0.0.0/0", "ports": ["swp32"]}
    ],
    "sw2": [
      {"to": "gpu3", "ports": ["swp31"]},
      {"to": "192.0.2.0/24", "ports": ["swp32"]}
    ],
    "sw3": [
      {"to": "0.0.0.0/0", "ports": ["swp32"]},
      {"to": "203.0.113.0/24", "ports": ["swp1", "swp31"]}
    ],
    "sw4": [
      {"to": "0.0.0.0/0", "ports": ["swp31"]},
      {"to": "gpu4:ens1f0", "ports": ["swp1"]}
    ]
  }
}
`

func withTable(t *testing.T, fabric, table string) (*ir.Fabric, diag.List) {
	t.Helper()
	fsys := fstest.MapFS{"f/fabric.hcl": {Data: []byte(fabric)}, "f/fib/next.json": {Data: []byte(table)}}
	langtest.Dump(t, fsys)
	src, ds := lang.Load(fsys, "f", lang.Options{})
	if ds.HasErrors() {
		return nil, ds
	}
	return Compile(src, targets.Known)
}

// hops describes how a switch handles traffic to an interface, for the interface's first target.
func hops(f *ir.Fabric, at, nic string) string {
	d := device(f, at)
	for i, target := range f.Table.Targets {
		for _, n := range target.NICs {
			if n.Device.Name+":"+n.Name != nic {
				continue
			}
			attached := n.Port.Peer().Device() == d
			ports, ok := f.Table.Leaves(d, i, attached)
			if !ok {
				return "drops"
			}
			if len(ports) == 0 && attached {
				return "delivers"
			}
			var names []string
			for _, p := range ports {
				names = append(names, p.Name)
			}
			return strings.Join(names, " ")
		}
	}
	return "no target"
}

func TestTable(t *testing.T) {
	f, ds := withTable(t, ringFabric, ringTable)
	require.Empty(t, texts(ds))
	require.NotNil(t, f.Table)
	assert.Equal(t, "f/fib/next.json", f.Table.File)
	for _, c := range []struct{ at, to, want string }{
		{"sw1", "gpu1:ens1f0", "delivers"}, // although the default route covers it
		{"sw1", "gpu2:ens1f0", "swp31"},
		{"sw1", "gpu3:ens1f0", "swp31"}, // by the address of its bond
		{"sw1", "gpu3:ens2f0", "swp31"},
		{"sw1", "gpu4:ens1f0", "swp32"}, // by the default route
		{"sw2", "gpu1:ens1f0", "swp32"},
		{"sw2", "gpu3:ens2f0", "swp31"},
		{"sw3", "gpu3:ens1f0", "delivers"},
		{"sw4", "gpu4:ens1f0", "swp1"},
	} {
		assert.Equal(t, c.want, hops(f, c.at, c.to), "%s to %s", c.at, c.to)
	}
	turns, err := f.Routes.Turns(f.CosGroups[0], ir.State{})
	require.NoError(t, err)
	in := port(f, "sw1:swp32")
	assert.True(t, turns.Has(in, port(f, "sw1:swp31")), "sw4 to gpu2 over sw1")
	assert.False(t, turns.Has(port(f, "sw3:swp32"), port(f, "sw3:swp31")), "no traffic passes sw3 towards sw4")
}

// The destinations of a table, most specific first.
func TestTablePrecedence(t *testing.T) {
	entries := []string{ // each takes precedence over all before it
		`{"to": "0.0.0.0/0", "ports": []}`,
		`{"to": "sw2", "ports": ["swp31"]}`,
		`{"to": "192.0.0.0/16", "ports": ["swp32"]}`,
		`{"to": "192.0.2.64/26", "ports": ["swp31"]}`,
		`{"to": "02:00:00:00:00:02", "ports": ["swp32"]}`,
		`{"to": "192.0.2.65", "ports": ["swp31"]}`,
		`{"to": "gpu2", "ports": ["swp32"]}`,
		`{"to": "gpu2:ens1f0", "ports": ["swp31", "swp32"]}`,
	}
	for n, want := range []string{"", "swp31", "swp32", "swp31", "swp32", "swp31", "swp32", "swp31 swp32"} {
		f, ds := withTable(t, strings.Replace(ringFabric, "members   = [host.gpu, host.duo]", `members = ["gpu1"]`, 1), fmt.Sprintf(`{
			"format_version": "1.0", "addresses": {"gpu2:ens1f0": ["02-00-00-00-00-02"]},
			"switches": {"sw2": [], "sw3": [], "sw4": [], "sw1": [%s]}}`, strings.Join(entries[:n+1], ",")))
		require.Empty(t, texts(ds))
		assert.Equal(t, want, hops(f, "sw1", "gpu2:ens1f0"))
	}
}

var tableMistakes = []struct {
	name, old, new string // in the table
	code, at       string
	says           []string
}{
	{"unknown switch", `"sw4": [`, `"sw5": [`, "table-name", "18:5", []string{`No switch is called "sw5"`, `Did you mean "sw`}},
	{"host for a switch", `"sw4": [`, `"gpu4": [`, "table-name", "18:5", []string{`no host that forwards, is called "gpu4"`}},
	{"unknown destination", `"gpu3", "ports"`, `"gpu33", "ports"`, "table-name", "11:14", []string{`or a known name`, `Did you mean "gpu3"?`}},
	{
		"unknown interface", `"gpu4:ens1f0"`, `"gpu4:ens1f1"`, "table-name", "20:14",
		[]string{`gpu4 has no nic block "ens1f1"`, `Did you mean "ens1f0"?`},
	},
	{"bad prefix", `"192.0.2.64/26"`, `"192.0.2.64/33"`, "table-name", "6:14", []string{"is not an address, a prefix"}},
	{"unknown host of an address", `"gpu3:bond0"`, `"gpu9:bond0"`, "table-name", "3:17", []string{`No host is called "gpu9"`}},
	{"a switch's address", `"gpu3:bond0"`, `"sw1:swp1"`, "table-name", "3:17", []string{`"sw1" is a switch`}},
	{"no interface", `"gpu3:bond0"`, `"gpu3"`, "table-name", "3:17", []string{"names no interface"}},
	{"bad address", `"198.51.100.3"`, `"198.51.100.3/24"`, "table-name", "3:32", []string{"is not an address", "without a prefix"}},
	{"address of two", `"198.51.100.3"`, `"192.0.2.65"`, "table-duplicate", "3:32", []string{"is already an address of gpu2:ens1f0"}},
	{"two entries", `"198.51.100.0/24"`, `"192.0.2.99/26"`, "table-duplicate", "7:14", []string{"sw1 has two entries for 192.0.2.99/26"}},
	{
		"unknown port", `["swp1", "swp31"]`, `["swp11", "swp31"]`, "table-port", "16:42",
		[]string{`sw3 has no cabled port "swp11"`, `Did you mean "swp1"?`},
	},
	{"far from any port", `["swp1", "swp31"]`, `["peerlink"]`, "table-port", "16:42", []string{"Its cabled ports are swp[1-2,31-32]."}},
	{
		"port to another host", `"gpu4:ens1f0", "ports": ["swp1"]`, `"gpu3", "ports": ["swp1"]`, "table-port", "20:32",
		[]string{"sw4:swp1 leads to the host gpu4:ens1f0, which is not gpu3"},
	},
	{"prefix to another host", `"ports": ["swp31"]},
      {"to": "198`, `"ports": ["swp1"]},
      {"to": "198`, "table-port", "6:41", []string{"leads to the host gpu1:ens1f0, which is not 192.0.2.64/26"}},
	{"loop", `{"to": "gpu3", "ports": ["swp31"]}`, `{"to": "gpu3", "ports": ["swp32"]}`, "routing-loop", "7:14", []string{
		"Traffic to gpu3:bond0 loops: sw1 -> sw2 -> sw1.", "lossless ones can fill every buffer",
	}},
	{
		"loop over all", `{"to": "gpu4:ens1f0", "ports": ["swp1"]}`, `{"to": "gpu4:ens1f0", "ports": ["swp31"]}`, "routing-loop", "8:14",
		[]string{"gpu4:ens1f0", "sw1 -> sw4 -> sw1."},
	},
	{
		"no route", "\n      {\"to\": \"192.0.2.0/24\", \"ports\": [\"swp32\"]}", "\n      {\"to\": \"192.0.9.0/24\", \"ports\": [\"swp32\"]}",
		"no-route", "10:5",
		[]string{
			"sw2 has no next hop for traffic to gpu[1,4]:ens1f0",
		},
	},
	{
		"dropped", `{"to": "0.0.0.0/0", "ports": ["swp31"]}`, `{"to": "0.0.0.0/0", "ports": []}`, "no-route", "18:5",
		[]string{"sw4 has no next hop for traffic to gpu[1-2]:ens1f0 and gpu3:bond0"},
	},
	{"switch left out", "", "", "table-switch-missing", "", nil},
	{"too large", "", "", "table-too-large", "", nil},
}

func TestTableMistakes(t *testing.T) {
	for _, c := range tableMistakes {
		if c.at == "" {
			continue // checked by a separate test below
		}
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, 1, strings.Count(ringTable, c.old))
			f, ds := withTable(t, ringFabric, strings.Replace(ringTable, c.old, c.new, 1))
			require.NotEmpty(t, ds)
			assert.Equal(t, ds.HasErrors(), f == nil)
			d := ds[len(ds)-1] // diagnostics of the table's file are last: f/fabric.hcl is before f/fib
			for _, other := range ds {
				if other.Code == c.code {
					d = other
					break
				}
			}
			assert.Equal(t, c.code, d.Code, "%v", texts(ds))
			assert.Equal(t, "f/fib/next.json:"+c.at, fmt.Sprintf("%s:%d:%d", d.At.Filename, d.At.Start.Line, d.At.Start.Column))
			for _, w := range c.says {
				assert.Contains(t, d.Detail, w)
			}
			_, again := withTable(t, ringFabric, strings.Replace(ringTable, c.old, c.new, 1))
			assert.Equal(t, texts(ds), texts(again))
		})
	}
}

// A bond on two switches is reached over the entries for either switch, in any order of names.
func TestTableOfABondOnTwoSwitches(t *testing.T) {
	apart := strings.Replace(ringFabric, "sw3:swp2", "sw4:swp2", 1)
	f, ds := withTable(t, apart, `{"format_version": "1.0", "switches": {
		"sw1": [{"to": "sw2", "ports": ["swp31"]}, {"to": "sw3", "ports": ["swp31"]}, {"to": "sw4", "ports": ["swp32"]}],
		"sw2": [{"to": "sw1", "ports": ["swp32"]}, {"to": "sw3", "ports": ["swp31"]}, {"to": "sw4", "ports": ["swp31"]}],
		"sw3": [{"to": "0.0.0.0/0", "ports": ["swp31"]}, {"to": "gpu3", "ports": []}],
		"sw4": [{"to": "0.0.0.0/0", "ports": ["swp31"]}, {"to": "gpu3", "ports": []}]
	}}`)
	require.NotNil(t, f, "%v", texts(ds))
	assert.Equal(t, "swp31 swp32", hops(f, "sw1", "gpu3:ens1f0"), "over sw2 to sw3, or to sw4")
	assert.Equal(t, "swp31", hops(f, "sw2", "gpu3:ens1f0"))
}

func TestTableLeavesASwitchOut(t *testing.T) {
	before, _, _ := strings.Cut(ringTable, ",\n    \"sw4\"")
	f, ds := withTable(t, ringFabric, before+"}}")
	require.Nil(t, f)
	require.Len(t, ds, 1)
	assert.Equal(t, "table-switch-missing", ds[0].Code)
	assert.Equal(t, "f/fib/next.json:4,3-13", ds[0].At.String())
	assert.Contains(t, ds[0].Detail, `sw4 is not in f/fib/next.json, and its link swp31 to sw1:swp32 carries the lossless cos group "rdma"`)
}

func TestTableOfManyMistakes(t *testing.T) {
	var s strings.Builder
	s.WriteString(`{"format_version": "1.0", "switches": {"sw1": [{"to": "gpu1", "ports": []}`)
	for i := range 10_000 {
		fmt.Fprintf(&s, `, {"to": "nobody%d", "ports": ["nowhere%d"]}`, i, i)
	}
	s.WriteString("]}}")
	f, ds := withTable(t, ringFabric, s.String())
	require.Nil(t, f)
	assert.LessOrEqual(t, len(ds), maxMistakes+3)
}

func TestTableTooLarge(t *testing.T) {
	table := &nexthops.Table{Switches: make([]nexthops.Switch, 4000)}
	c := &compiler{report: newReport(), src: &lang.Source{NextHops: table}}
	m := &tableMaker{c: c, t: &ir.Table{Targets: make([]*ir.Target, maxHops/4000)}}
	require.False(t, m.tooLarge())
	m.t.Targets = make([]*ir.Target, maxHops/4000+1)
	require.True(t, m.tooLarge())
	ds := c.report.done()
	require.Len(t, ds, 1)
	assert.Equal(t, "table-too-large", ds[0].Code)
	assert.Contains(t, ds[0].Detail, "4000 switches, and their entries distinguish 8389 destinations")
}

// For every text of a table, Compile returns a fabric or an error, and does not panic.
func FuzzTable(f *testing.F) {
	f.Add(ringTable)
	for _, c := range tableMistakes {
		if c.at != "" {
			f.Add(strings.Replace(ringTable, c.old, c.new, 1))
		}
	}
	src := loaded(f, fstest.MapFS{"f/fabric.hcl": {Data: []byte(ringFabric)}, "f/fib/next.json": {Data: []byte(ringTable)}}, "f")
	f.Fuzz(func(t *testing.T, text string) {
		var ds diag.List
		own := *src
		if own.NextHops = nexthops.Read("f/fib/next.json", []byte(text), &ds); ds.HasErrors() {
			return // parsing is tested in lang/nexthops
		}
		fab, ds := Compile(&own, targets.Known)
		require.Equal(t, fab == nil, ds.HasErrors())
		for _, d := range ds {
			require.NotEmpty(t, d.Detail)
			require.NotEmpty(t, d.At.Filename)
		}
		if fab == nil {
			return
		}
		_, err := fab.Routes.Turns(fab.CosGroups[0], ir.State{})
		require.NoError(t, err)
	})
}

// bigTable returns a fabric of the given number of leaves below two spines, with one host per leaf, and a prefix for every leaf on every
// switch.
func bigTable(leaves int) (*lang.Source, []byte) {
	src := clos(leaves, 2, 1)
	src.Fabric.Routing = lang.Value[string]{V: "table", At: src.Fabric.Routing.At}
	src.Fabric.Table = lang.Value[string]{V: "fib.json", At: src.Fabric.Decl}
	var s strings.Builder
	s.WriteString(`{"format_version":"1.0","addresses":{`)
	for i := range leaves {
		if i > 0 {
			s.WriteByte(',')
		}
		fmt.Fprintf(&s, `"gpu%d:ens1f0":["10.%d.%d.1"]`, i+1, i/256, i%256)
	}
	s.WriteString(`},"switches":{`)
	for w, name := range src.Switches {
		if w > 0 {
			s.WriteByte(',')
		}
		fmt.Fprintf(&s, "\n%q:[", name.Name)
		sep := ""
		for i := range leaves {
			port := `"swp2","swp3"`
			switch {
			case w == i:
				continue
			case w >= leaves:
				port = fmt.Sprintf(`"swp%d"`, i+1)
			}
			fmt.Fprintf(&s, `%s{"to":"10.%d.%d.0/24","ports":[%s]}`, sep, i/256, i%256, port)
			sep = ","
		}
		s.WriteByte(']')
	}
	s.WriteString("}}\n")
	return src, []byte(s.String())
}

func BenchmarkTable(b *testing.B) {
	for _, leaves := range []int{62, 250, 998} {
		src, text := bigTable(leaves)
		b.Run(fmt.Sprintf("switches=%d", leaves+2), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				var ds diag.List
				src.NextHops = nexthops.Read("fib.json", text, &ds)
				f, more := Compile(src, targets.Known)
				if f == nil {
					b.Fatal(texts(append(ds, more...)))
				}
			}
		})
	}
}

func BenchmarkTableTurns(b *testing.B) {
	for _, leaves := range []int{62, 250, 998} {
		src, text := bigTable(leaves)
		var ds diag.List
		src.NextHops = nexthops.Read("fib.json", text, &ds)
		f, _ := Compile(src, targets.Known)
		b.Run(fmt.Sprintf("switches=%d", leaves+2), func(b *testing.B) {
			for b.Loop() {
				if _, err := f.Routes.Turns(f.CosGroups[0], ir.State{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
