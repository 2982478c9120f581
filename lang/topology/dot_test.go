package topology

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDot(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`graph{a:p--b:q}`, "a:p-b:q"},
		{`strict GRAPH "G" { a:p -- b:q; c:p -- d:q }`, "a:p-b:q, c:p-d:q"},
		{`graph g { "a\"x":"p" -- "b\\":"q" }`, `a"x:p-b\\:q`},
		{"graph g { \"a\\\nb\" : \"p\" -- b:q }", "ab:p-b:q"},
		{`graph g { "a" + "b" /* joined */ + "c":"p" -- b:q }`, "abc:p-b:q"},
		{`graph g { 7:8 -- _x:1.5 }`, "7:8-_x:1.5"},
		{`graph g { a:p:ne -- b:q:_ }`, "a:p-b:q"},
		{`graph g { a:n -- b:s }`, "a:n-b:s"},
		{
			`graph g { a:p -- b:q [speed="100G", length="3m"; mtu=9000 LLDP="match_type=portdescr" BFD=<x<y>> bold] [color=red] }`,
			"a:p-b:q speed=100G length=3m mtu=9000",
		},
		{`graph g { a:p -- b:q [Speed="100G", speed="25G"] }`, "a:p-b:q speed=25G"},
		{
			`graph g { edge [length="3m"] a:p--b:q edge [speed="25G", length="5m"] c:p--d:q [length="1m"] }`,
			"a:p-b:q length=3m, c:p-d:q length=1m speed=25G",
		},
		{
			`graph g { subgraph pod1 { edge [length="3m"]; a:p -- b:q; { c:p -- d:q } } e:p -- f:q }`,
			"a:p-b:q length=3m, c:p-d:q length=3m, e:p-f:q",
		},
		{
			`graph g { node [shape=box] graph [rankdir=TB] rank=same; LLDP="" x=<b> "leaf01" [function="leaf"]; {rank=same; a; b} a:p -- b:q }`,
			"a:p-b:q",
		},
		{"# c\n// a:p -- b:q\n/* a:p -- b:q */ graph g { # a:p -- b:q\n a:p -- b:q // }\n}", "a:p-b:q"},
		{"\ufeffgraph g {\r\n\ta:p--b:q\r\n}\r\n", "a:p-b:q"},
		{`graph g { "graph":"node" -- "edge":"strict" }`, "graph:node-edge:strict"},
		{`graph g { "Leaf 1":"Ethernet 1/1" -- "":"" }`, ""},
	} {
		edges, ds := readEdges("ptm", "cables", []byte(c.text), many)
		if c.want != "" {
			require.Empty(t, ds, c.text)
		}
		assert.Equal(t, c.want, strings.Join(show(edges), ", "), c.text)
		checkPlaces(t, []byte(c.text), edges, ds)
	}
}

func TestDotPlaces(t *testing.T) {
	const text = `graph g { "leaf01":"swp1" -- spine01:swp2 [speed="100G"]; }`
	edges, ds := readEdges("ptm", "cables", []byte(text), many)
	require.Empty(t, ds)
	e := edges[0]
	slice := func(from, to int) string { return text[from:to] }
	assert.Equal(t, `"leaf01":"swp1"`, slice(e.A.At.Start.Byte, e.A.At.End.Byte))
	assert.Equal(t, `leaf01`, slice(e.A.DeviceAt.Start.Byte, e.A.DeviceAt.End.Byte))
	assert.Equal(t, `swp1`, slice(e.A.PortAt.Start.Byte, e.A.PortAt.End.Byte))
	assert.Equal(t, `spine01:swp2`, slice(e.B.At.Start.Byte, e.B.At.End.Byte))
	assert.Equal(t, `"leaf01":"swp1" -- spine01:swp2`, slice(e.At.Start.Byte, e.At.End.Byte))
	assert.Equal(t, `100G`, slice(e.Attrs[0].At.Start.Byte, e.Attrs[0].At.End.Byte))
}

func TestDotMistakes(t *testing.T) {
	checkMistakes(t, "ptm", []mistake{
		{``, "1:1", "", "topology-syntax", "begins with graph NAME {. This is the end of the file"},
		{`leaf01:swp1 -- spine01:swp1`, "1:1", "leaf01", "topology-syntax", "begins with graph"},
		{`digraph g { a:p -> b:q }`, "1:1", "digraph", "topology-syntax", `Write "graph" instead of "digraph", and -- instead of ->`},
		{`graph g { a:p -> b:q; c:p -> d:q }`, "1:15", "->", "topology-syntax", "Write -- instead of ->"},
		{`graph g a:p`, "1:9", "a", "topology-syntax", "the bracket { was expected"},
		{`graph <g> { }`, "1:7", "<g>", "topology-syntax", "HTML text"},
		{"graph g {\n a:p -- b:q\n", "3:1", "", "topology-syntax", "} is missing"},
		{`graph g { } graph h { }`, "1:13", "graph", "topology-syntax", "contains one graph"},
		{`graph g { "a" -- "b":"q" }`, "1:12", "a", "topology-endpoint", `"a" is a device without a port. Write "a":"swp1"`},
		{`graph g { "a:p" -- "b:q" }`, "1:12", "a:p", "topology-endpoint", `outside of the quotes: "a":"p".`},
		{`graph g { a:p -- b:q -- c:r }`, "1:18", "b:q", "topology-endpoint", "two cables would end in one port"},
		{`graph g { a:p "b":"q" }`, "1:11", "a:p", "topology-endpoint", "has one end"},
		{`graph g { {a b} -- c }`, "1:11", "{", "topology-endpoint", "a group has no ports"},
		{`graph g { c:p -- subgraph x {a:p -- d:q; b} }`, "1:18", "subgraph", "topology-endpoint", "a group has no ports"},
		{`graph g { "":p -- b:q }`, "1:11", `""`, "topology-endpoint", "The name is empty"},
		{`graph g { leaf-1:swp1 -- b:q }`, "1:11", "leaf-1", "topology-syntax", `needs quotes: "leaf-1"`},
		{`graph g { leaf-1--b:q }`, "1:11", "leaf-1", "topology-syntax", `needs quotes`},
		{`graph g { a:p -- b.net:q }`, "1:18", "b.net", "topology-syntax", `"b.net"`},
		{`graph g { a:p -- b:q [length=3m] }`, "1:30", "3m", "topology-syntax", `"3m"`},
		{`graph g { a:p - b:q }`, "1:15", "-", "topology-syntax", "is not allowed here"},
		{`graph g { a:p -- }`, "1:15", "--", "topology-syntax", "An end was expected after this edge"},
		{`graph g { -- a:p }`, "1:11", "--", "topology-syntax", "before this edge"},
		{`graph g { a: -- b:q }`, "1:12", ":", "topology-syntax", "The name of a port was expected"},
		{`graph g { a:p:q -- b:q }`, "1:15", "q", "topology-syntax", "a further name follows"},
		{`graph g { a:p -- <b>:q }`, "1:15", "--", "topology-syntax", "This is HTML text"},
		{`graph g { <b>:p -- a:q }`, "1:11", "<b>", "topology-syntax", "not HTML"},
		{`graph g { "a":p -- b:q [speed=<x>] }`, "1:31", "<x>", "topology-syntax", "speed is a string"},
		{`graph g { "a:p -- b:q }`, "1:11", `"`, "topology-syntax", "The file ends inside the string"},
		{"graph g { \"a:p -- b:q\n c:p -- \"d\":q }", "1:11", `"a:p -- b:q`, "topology-syntax", "Is a quote missing?"},
		{`graph g { "a:"p" -- "b":"q" }`, "1:15", "p", "topology-syntax", "touch"},
		{"graph g { /* a }", "1:11", "/*", "topology-syntax", "*/ is missing"},
		{"graph g { x=<<a> }", "1:13", "<", "topology-syntax", "HTML text that begins"},
		{`graph g { a:p -- b:q [speed="1G" }`, "1:34", "}", "topology-syntax", "between [ and ]"},
		{`graph g { a:p -- b:q [speed="1G"`, "1:33", "", "topology-syntax", "] is missing"},
		{`graph g { a:p -- b:q [speed=] }`, "1:29", "]", "topology-syntax", "a value was expected"},
		{`graph g { x= }`, "1:14", "}", "topology-syntax", "After x = a value was expected"},
		{`graph g { node:p -- b:q }`, "1:15", ":", "topology-syntax", `A device of that name needs quotes: "node"`},
		{`graph g { strict }`, "1:11", "strict", "topology-syntax", "a word of the dot language"},
		{`graph g { ] }`, "1:11", "]", "topology-syntax", "A cable was expected here"},
		{`graph g { "a"+b:p }`, "1:14", "+", "topology-syntax", "Another string"},
		{`graph g { “a”:p -- b:q }`, "1:11", "“a”", "topology-syntax", `Write "a"`},
		{`graph g { a:p -- b:q; ä§$ }`, "1:23", "ä§$", "topology-syntax", "needs quotes"},
		{"graph g { " + strings.Repeat("{", 64) + "}", "1:74", "{", "topology-too-large", "more than 64 deep"},
	})
}

// A mistake in one cable does not hide the others.
func TestDotGoesOn(t *testing.T) {
	edges, ds := readEdges("ptm", "cables", []byte("graph g {\n a -- b:q\n c:p -- d:q\n e:p -- f:q -- g:r\n h:p -- i:q\n}"), many)
	require.Len(t, ds, 2)
	require.Equal(t, []string{"c:p-d:q", "h:p-i:q"}, show(edges))
}
