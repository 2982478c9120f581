package topology

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func links(lines ...string) string {
	return "name: lab\ntopology:\n  nodes: {a: {kind: linux}}\n  links:\n    " + strings.Join(lines, "\n    ") + "\n"
}

func TestContainerlab(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{links(`- endpoints: ["a:p", 'b:q']`, `- endpoints: [a:p, b:q]`, "- endpoints:", "  - a:p", "  - b:q"), "a:p-b:q, a:p-b:q, a:p-b:q"},
		{links(`- {type: veth, mtu: 1500, endpoints: [{node: a, interface: p, mac: "02:00"}, {interface: q, node: b}], vars: {speed: 100G, other: [x], length: "3m", mtu: 9000}}`), "a:p-b:q speed=100G length=3m mtu=9000"},
		{links(`- type: host`, "  host-interface: x", "  endpoint: {node: a, interface: p}", "- type: mgmt-net", "- {type: macvlan}",
			"- {type: vxlan-stitch}", "- {type: dummy, endpoint: {node: a}}", "- endpoints: [a:p, host:x]", "- endpoints: [mgmt-net:x, a:p]",
			"- endpoints: [a:p, macvlan:eth0]", "- endpoints: [dummy, a:p]",
			"- {type: veth, endpoints: [{node: a, interface: p}, {node: host, interface: q}]}", "- endpoints: [a:p, b:q]"), "a:p-b:q"},
		{links(`- &one {endpoints: [&p a:p, !!str "b:q"]}`, "- *one", "- {<<: *one, vars: {speed: 25G}}", "- {<<: [{vars: {speed: 1G}}, *one]}",
			"- endpoints: [*p, c:r]"), "a:p-b:q, a:p-b:q, a:p-b:q speed=25G, a:p-b:q speed=1G, a:p-c:r"},
		{links("- endpoints:", "  - |", "    a:p", "  - >-", "    b:q"), "a:p-b:q"},
		{links(`- endpoints: ["a\x3ap", 'b:''q']`), "a:p-b:'q"},
		{"\ufefftopology: {links: [{endpoints: [a:p, b:q]}]}\r\n", "a:p-b:q"},
		{
			"topology:\r\n  links: # ü\r\n    - endpoints: [\"é:p\", \"b:q\"] # x\r\n    - endpoints: [\"c:p\", \"d:q\"]\r\n",
			"é:p-b:q, c:p-d:q",
		},
		{links(`- {type: "", endpoints: [a:p, b:q]}`, `- {type: , endpoints: [a:p, b:q], vars: {speed: }}`), "a:p-b:q, a:p-b:q"},
		{"topology:\n  nodes:\n    a:\n      exec: |\n        links: []\n        x: 'y\n  links:\n  - endpoints: [a:p, b:q]\n", "a:p-b:q"},
	} {
		edges, ds := readEdges("containerlab", "cables", []byte(c.text), many)
		if !assert.Empty(t, ds, c.text) {
			t.Log(ds[0].Detail)
		}
		assert.Equal(t, c.want, strings.Join(show(edges), ", "), c.text)
		checkPlaces(t, []byte(c.text), edges, ds)
	}
}

func TestContainerlabPlaces(t *testing.T) {
	text := links(`- endpoints: ["leaf1:swp1", "host1:eth1"]`, `- endpoints: [{node: "a", interface: p}, {interface: q, node: b}]`,
		`- endpoints:`, `  - node: c`, `    interface: p`, `  - node: d`, `    interface: p`)
	edges, ds := readEdges("containerlab", "cables", []byte(text), many)
	require.Empty(t, ds)
	slice := func(from, to int) string { return text[from:to] }
	e := edges[0]
	assert.Equal(t, `"leaf1:swp1"`, slice(e.A.At.Start.Byte, e.A.At.End.Byte))
	assert.Equal(t, `leaf1`, slice(e.A.DeviceAt.Start.Byte, e.A.DeviceAt.End.Byte))
	assert.Equal(t, `swp1`, slice(e.A.PortAt.Start.Byte, e.A.PortAt.End.Byte))
	assert.Equal(t, `"leaf1:swp1", "host1:eth1"`, slice(e.At.Start.Byte, e.At.End.Byte))
	e = edges[1]
	assert.Equal(t, `"a", interface: p`, slice(e.A.At.Start.Byte, e.A.At.End.Byte))
	assert.Equal(t, `a`, slice(e.A.DeviceAt.Start.Byte, e.A.DeviceAt.End.Byte))
	assert.Equal(t, `b`, slice(e.B.At.Start.Byte, e.B.At.End.Byte))
	assert.Equal(t, "c\n        interface: p", slice(edges[2].A.At.Start.Byte, edges[2].A.At.End.Byte))
}

func TestContainerlabMistakes(t *testing.T) {
	checkMistakes(t, "containerlab", []mistake{
		{"", "1:1", "", "topology-syntax", "The file is empty"},
		{"nodes: {}\n", "1:1", "n", "topology-syntax", `no key "topology"`},
		{"- a\n", "1:1", "-", "topology-syntax", `no key "topology"`},
		{"topology: {links: {a: b}}\n", "1:12", "links", "topology-syntax", "are a list"},
		{"topology: [\n", "1:1", "topology: [", "topology-syntax", "This is not YAML"},
		{"name: {{ .Name }}\ntopology: {\n", "1:7", "{{", "topology-syntax", "This file is a template"},
		{"name: x\ntopology:\n  nodes:\n\tl1: {kind: srl}\n", "4:1", "\t", "topology-syntax", "Write spaces instead of tabs"},
		{"name: x\ntopology:\n  nodes:\n    a:\n \t  kind: srl\n", "5:2", "\t", "topology-syntax", "Write spaces instead of tabs"},
		{"topology:\n\tlinks: []\n", "2:1", "\t", "topology-syntax", "Write spaces instead of tabs"},
		{"topology:\n  x: |\n    \ty\n", "3:5", "\t", "topology-syntax", "Write spaces instead of tabs"},
		{"topology:\n  x: 1\n  z: @\n", "3:3", "z: @", "topology-syntax", "This is not YAML"},
		{"name: x\ntopology: {% raw %}\n", "2:11", "{%", "topology-syntax", "This file is a template"},
		{links(`- endpoints: ["a:{{ x }}", "b:q"]`), "5:20", "a:{{ x }}", "topology-syntax", "This file is a template"},
		{links(`- endpoints: ["a:p", "b:${IF:=eth1}"]`), "5:27", "b:${IF:=eth1}", "topology-syntax", `variables such as "${IF:=eth1}"`},
		{links(`- endpoints: [{node: "${N}", interface: p}, "b:q"]`), "5:27", "${N}", "topology-syntax", "Replace them"},
		{links(`- a:p`), "5:7", "a:p", "topology-syntax", "A link is written"},
		{links(`- type: vethh`, `  endpoints: [a:p, b:q]`), "5:13", "vethh", "topology-syntax", `Did you mean "veth"?`},
		{links(`- type: veth`), "5:7", "t", "topology-syntax", "no endpoints"},
		{links(`- endpoints: a:p`), "5:7", "endpoints", "topology-syntax", "a list of two"},
		{links(`- endpoints: [a:p]`), "5:7", "endpoints", "topology-syntax", "this one has 1"},
		{links(`- endpoints: [a:p, b:q, c:r]`), "5:7", "endpoints", "topology-syntax", "this one has 3"},
		{links(`- endpoints: ["a", "b:q"]`), "5:20", "a", "topology-endpoint", `"a" is not an endpoint`},
		{links(`- endpoints: ["a:", "b:q"]`), "5:20", "a:", "topology-endpoint", `is not an endpoint`},
		{links(`- endpoints: [a:p, 17]`), "5:24", "17", "topology-endpoint", `"17" is not an endpoint`},
		{links(`- endpoints: [a:p, [b:q]]`), "5:24", "[", "topology-syntax", "An endpoint is node:interface"},
		{links(`- endpoints: [a:p, {node: b}]`), "5:24", "{", "topology-endpoint", "has no interface"},
		{links(`- {endpoints: [a:p, b:q], endpoints: [a:p, b:q]}`), "5:31", "endpoints", "topology-syntax", "written twice"},
		{links(`- {endpoints: [a:p, b:q], vars: {speed: [1]}}`), "5:38", "speed", "topology-syntax", "speed is a string"},
	})
}

// Nested aliases and merges are followed, but cannot multiply values without a bound.
func TestContainerlabBombs(t *testing.T) {
	var b strings.Builder
	b.WriteString("x0: &x0 {a: 1}\n")
	for i := range 40 {
		fmt.Fprintf(&b, "x%d: &x%d {<<: [%s*x%d]}\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*x%d, ", i), 9), i)
	}
	b.WriteString("topology: {links: [{<<: *x40}]}\n")
	_, ds := readEdges("containerlab", "cables", []byte(b.String()), many)
	require.Len(t, ds, 1)
	require.Equal(t, "topology-too-large", ds[0].Code)

	b.Reset()
	b.WriteString("x0: &x0 [a]\n")
	for i := range 40 {
		fmt.Fprintf(&b, "x%d: &x%d [%s*x%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*x%d, ", i), 9), i)
	}
	b.WriteString("topology: {links: *x40}\n")
	_, ds = readEdges("containerlab", "cables", []byte(b.String()), many)
	require.Len(t, ds, 10, "a wrong list of links is a mistake and is not searched")

	_, ds = readEdges("containerlab", "cables", []byte("topology: &t {links: [*t]}"), many)
	require.Len(t, ds, 1)
	_, ds = readEdges("containerlab", "cables", []byte("topology: &t {<<: *t}"), many)
	require.Len(t, ds, 1)
	_, ds = readEdges("containerlab", "cables", []byte(strings.Repeat("[", 1<<20)), many)
	require.Len(t, ds, 1)
	_, ds = readEdges("containerlab", "cables", []byte(strings.Repeat("#", maxYAML+1)), many)
	require.Len(t, ds, 1)
	require.Equal(t, "topology-too-large", ds[0].Code)
}

// Links that are not cables are counted by the kind of their ends.
func TestContainerlabOthers(t *testing.T) {
	c, ds := ReadAll("containerlab", "cables", []byte(links(`- endpoints: ["a:p", "host:v"]`, `- endpoints: ["mgmt-net:v", "a:q"]`,
		`- endpoints: ["a:r", "macvlan:eno1"]`, `- {type: mgmt-net, endpoint: {node: a, interface: s}}`, `- {type: dummy}`,
		`- endpoints: ["a:t", "b:t"]`)), Options{Most: many})
	require.Empty(t, ds)
	assert.Equal(t, map[string]int{"host": 1, "mgmt-net": 2, "macvlan": 1, "dummy": 1}, c.Others)
	assert.Len(t, c.Edges, 1)
	assert.Equal(t, "lab", c.Fabric)
}

func TestTag(t *testing.T) {
	for image, want := range map[string]string{
		"networkop/cx:5.3.0": "5.3.0", "vrnetlab/sonic_sonic-vs:202411": "202411", "alpine": "", "x:latest": "", "host:5000/cx": "",
		"host:5000/cx:4.4.5@sha256:12": "4.4.5",
	} {
		assert.Equal(t, want, tag(image), image)
	}
}
