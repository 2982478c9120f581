package lang

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTopology(t *testing.T) {
	const dot = `graph cabling {
  "leaf01":"swp1" -- "gpu1":eth0
  leaf01:swp49 -- spine01:swp1 [speed="40G", length="30m"]
  leaf01:eth0 -- "oob-sw 1":p1
  leaf02:swp49 -- spine01:swp2 [mtu=9000]
}
`
	fsys := files(map[string]string{
		"f/fabric.hcl": `fabric "f" {}
topology "cabling" {
  format = "ptm"
  file   = "topology.dot"
  ignore = ["oob-*"]
  length = "3m"
  mtu    = 9216
}
`,
		"f/topology.dot": dot,
	})
	s, ds := Load(fsys, "f", Options{})
	require.Empty(t, show(s, ds))
	var got []string
	for _, l := range s.Links {
		got = append(got, fmt.Sprint(l.A.Device, ":", l.A.Port, " ", l.B.Device, ":", l.B.Port, " ", l.Block.Speed.V, " ", l.Block.Length.V, " ",
			l.Block.MTU.V))
	}
	assert.Equal(t, []string{
		"leaf01:swp1 gpu1:eth0 0 3 9216", "leaf01:swp49 spine01:swp1 40000 30 9216", "leaf02:swp49 spine01:swp2 0 3 9000",
	}, got)
	assert.Equal(t, `spine01:swp1`, place(s, *s.Links[1].B.At))
	assert.Equal(t, "f/topology.dot", s.Links[1].B.At.Filename)
	assert.Equal(t, `40G`, strings.Trim(place(s, s.Links[1].Block.Speed.At), `"`))
	assert.Equal(t, `topology "cabling"`, place(s, s.Links[1].Block.Decl))
	assert.Same(t, s.Links[0].Block, s.Links[0].Block)
}

func TestTopologyMistakes(t *testing.T) {
	for _, c := range []struct{ block, file, want string }{
		{`format = "dot"`, ``, `f/fabric.hcl:4 out-of-range: one of "ptm"`},
		{`format = "ptm"
ignore = ["oob-["]`, `graph {}`, `f/fabric.hcl:5 bad-value: such as "oob-*"`},
		{`format = "ptm"`, `graph { a -- b }`, `f/t.dot:1 topology-endpoint: a`},
		{`format = "ptm"`, `graph { Leaf01:swp1 -- b:swp1 }`, `f/t.dot:1 bad-name: Leaf01`},
		{`format = "ptm"`, "graph {\n a:swp1 -- b:swp1 [speed=40]\n}", `f/t.dot:2 wrong-unit: 40G`},
		{`format = "ptm"`, "graph {\n a:swp1 -- b:swp1 [speed=25000]\n}", `f/t.dot:2 wrong-unit: Write "25G", which is 25000 megabits`},
		{`format = "csv"`, "a,b,speed\na:swp1,b:swp1,100000\n", `f/t.dot:2 wrong-unit: Write "100G"`},
		{`format = "csv"`, "a,b,length,length_unit\na:swp1,b:swp1,2,furlong\n", `f/t.dot:2 wrong-unit: "2 furlong" is not a length`},
		{`format = "csv"`, "a,b,length\na:swp1,b:swp1,\"1,500\"\n", `f/t.dot:2 wrong-unit: a fraction needs a point`},
		{`format = "ptm"`, "graph {\n a:swp1 -- b:swp1 [mtu=large]\n}", `f/t.dot:2 wrong-type: Expected a whole number from 1280`},
		{`format = "csv"`, "a,b\nleaf01:swp1,leaf02:swp/1\n", `f/t.dot:2 bad-name: swp/1`},
	} {
		s, ds := Load(files(map[string]string{
			"f/fabric.hcl": "fabric \"f\" {}\ntopology \"t\" {\nfile = \"t.dot\"\n" + c.block + "\n}\n", "f/t.dot": c.file,
		}), "f", Options{})
		require.Len(t, ds, 1, "%s %s", c.want, show(s, ds))
		at, text, _ := strings.Cut(c.want, ": ")
		assert.Equal(t, at, fmt.Sprintf("%s:%d %s", ds[0].At.Filename, ds[0].At.Start.Line, ds[0].Code))
		assert.Contains(t, ds[0].Detail, text)
	}
}

// A mistake that is the same in every row of a sheet is reported once.
func TestTopologyMistakesFolded(t *testing.T) {
	for _, c := range []struct{ format, head, row, tail, note string }{
		{"csv", "a,b,speed\n", "a:swp%[1]d,b:swp%[1]d,%[1]d furlongs\n", "", "and 299 more rows of this file"},
		{"ptm", "graph {\n", "a:swp%[1]d -- b:swp%[1]d [length=\"%[1]d furlongs\"]\n", "}", "and 299 more cables of this file"},
	} {
		var b strings.Builder
		for i := range 300 {
			fmt.Fprintf(&b, c.row, i+1)
		}
		s, ds := Load(files(map[string]string{
			"f/fabric.hcl": fmt.Sprintf("fabric \"f\" {}\ntopology \"t\" {\nfile = \"t\"\nformat = %q\n}\n", c.format),
			"f/t":          c.head + b.String() + c.tail,
		}), "f", Options{})
		require.Len(t, ds, 1, "%s", show(s, ds))
		assert.Equal(t, "wrong-unit", ds[0].Code)
		assert.Equal(t, 2, ds[0].At.Start.Line)
		require.Len(t, ds[0].Notes, 1)
		assert.Equal(t, c.note, ds[0].Notes[0].Message)
	}
}

// Cables of an inventory: planned cables are marked, the length of a path is the sum of its cables, and a cables block has precedence
// over both.
func TestInventorySheets(t *testing.T) {
	fsys := files(map[string]string{
		"f/fabric.hcl": `fabric "f" {}
topology "cabling" {
  format = "csv"
  file   = "cables.csv"
  sheets = ["fronts.csv"]
  cables "leaf02:swp2" {
    planned = false
  }
}
`,
		"f/cables.csv": "a_device,a_type,a_port,b_device,b_type,b_port,status,length\n" +
			"leaf01,interface,swp1,pp,frontport,1,planned,3m\npp,rearport,1,spine01,interface,swp1,connected,40m\n" +
			"leaf02,interface,swp1,spine01,interface,swp2,connected,5m\nleaf02,interface,swp2,spine01,interface,swp3,planned,5m\n" +
			"leaf02,consoleport,con,term,consoleserverport,1,connected,5m\n",
		"f/fronts.csv": "device,name,rear_port\npp,1,1\n",
	})
	s, ds := Load(fsys, "f", Options{})
	require.Len(t, ds, 1)
	require.Equal(t, "f/cables.csv:1 topology-left-out", fmt.Sprintf("%s:%d %s", ds[0].At.Filename, ds[0].At.Start.Line, ds[0].Code))
	var got []string
	for _, l := range s.Links {
		got = append(got, fmt.Sprint(l.A.Device, ":", l.A.Port, " ", l.Block.Length.V, " ", l.Block.Marked().Planned.V))
	}
	require.Equal(t, []string{"leaf02:swp1 5 false", "leaf02:swp2 5 false", "leaf01:swp1 43 true"}, got)

	many := "[" + strings.Repeat(`"x", `, 17) + "]"
	for block, want := range map[string]string{`sheets = ["none.csv"]`: "unreadable", "sheets = " + many: "topology-too-large"} {
		_, ds = Load(files(map[string]string{
			"f/fabric.hcl": "fabric \"f\" {}\ntopology \"t\" {\n  format = \"csv\"\n  file = \"t.csv\"\n  " + block + "\n}\n",
			"f/t.csv":      "a,b\nx:p,y:q\n",
		}), "f", Options{})
		require.NotEmpty(t, ds, block)
		assert.Equal(t, want, ds[0].Code)
	}
}
