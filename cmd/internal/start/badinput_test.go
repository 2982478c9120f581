package start

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets"
)

// A file that cannot become a fabric causes one message with the remedy, however often the mistake occurs.
func TestBadInput(t *testing.T) {
	many := func(format string) string {
		var b strings.Builder
		for i := range 200 {
			fmt.Fprintf(&b, format+"\n", i, i)
		}
		return b.String()
	}
	for _, c := range []struct{ format, text, code, say string }{
		{"ptm", "graph g {\n" + many("leaf%d -- spine%d") + "}", "topology-endpoint", "with the port of the cable"},
		{"ptm", "digraph g { a:p -> b:q }", "topology-syntax", `Write "graph" instead of "digraph"`},
		{"ptm", "graph g {\n" + many(`"größe%d":"swp1" -- "leaf1":"swp%d"`) + "}", "bad-name", "Use 1 to 63 of the characters a-z 0-9"},
		{"ptm", "graph g {\n" + many(`"leaf1":"swp%d" -- "oob-mgmt-switch":"swp%d"`) + "}", "topology-empty", "group: leaf or " +
			"group: server"},
		{"ptm", "graph g {\n" + many(`"leaf%d":"swp1" -- "leaf%d":"swp1"`) + "}", "topology-empty", "group: leaf or group: server"},
		{
			"containerlab", "topology:\n  links:\n" + many("  - endpoints: [\"leaf{{ %d }}:e1\", \"h%d:eth1\"]"), "topology-syntax",
			"Run the program that makes a topology from it",
		},
		{"containerlab", "{% for i in x %}\ntopology:\n", "topology-syntax", "Run the program that makes a topology from it"},
		{"containerlab", "topology:\n  links:\n" + many("  - endpoints: [leaf%d, h%d:eth1]"), "topology-endpoint", "Write node:interface"},
		{
			"containerlab", "topology:\n  links:\n" + many("  - endpoints: [host%d:eth1, server%d:eth1]"), "topology-empty",
			"Give switches names such as leaf01",
		},
		{"containerlab", "topology:\n  links:\n  - endpoints: [leaf1:e1, \"host:x\"]\n", "topology-empty", "Give a file with cables"},
		{"csv", "Von;Nach\r\n" + many("leaf%d:swp1;gpu%d:eth1\r"), "topology-syntax", "rocec init --columns a_device=..."},
		{"csv", "a,b\n" + many("leaf%d:swp1,gpu%d"), "topology-endpoint", "Write device:port"},
		{"csv", "a_device,a_port,b_device,b_port\n" + many("leaf%d,swp1,,%.0d"), "topology-endpoint", "or delete the row"},
		{"csv", "a,b\nGr\xf6\xdfe:swp1,gpu1:eth1\n", "topology-syntax", "Save it as UTF-8"},
		{"csv", "\xff\xfea\x00,\x00b\x00\n\x00", "topology-syntax", "Save it as UTF-8"},
	} {
		made, ds := draftOf(t, c.format, "file", []byte(c.text), System{})
		require.Empty(t, made.Files, "%.40s", c.text)
		require.Len(t, ds, 1, "%.40s: %v", c.text, ds)
		assert.Equal(t, c.code, ds[0].Code, "%.40s", c.text)
		assert.Contains(t, ds[0].Detail, c.say, "%.40s", c.text)
	}
}

// Input that looks bad but is valid: a sheet of Excel, and cables whose two ends are the same port.
func TestOddInput(t *testing.T) {
	for _, c := range []struct{ format, text string }{
		{"csv", "\ufeffsep=;\r\na_device;a_port;b_device;b_port;speed\r\n\"leaf1\";swp1;\"gpu1\";ens1;100G\r\nleaf1;swp2;gpu2;ens1;100 " +
			"Gbps\r\n;;;;\r\n"},
		{"ptm", `graph g { "leaf1":"swp1" -- "gpu1":"ens1"; "leaf1":"swp2" -- "gpu2":"ens1"; "leaf1":"swp9" -- "leaf1":"swp9";
"gpu1":"x" -- "gpu1":"x" }`},
		{"csv", "a,b\nleaf1:swp1,gpu1:ens1\ngpu1:ens1,leaf1:swp1\nleaf1:swp2,gpu2:ens1\n"},
		{"csv", "a,b\nRack 1 - Leaf 1:swp1,gpu1:ens1\nleaf--2:swp1,gpu2:ens1\nrack 1 - leaf 1:swp9,leaf--2:swp9\n" +
			"leaf--2:swp5,leaf--2:swp6\n"},
	} {
		made, ds := draftOf(t, c.format, "file", []byte(c.text), System{})
		require.Empty(t, ds, c.text)
		v, why := verdict(judged(t, made.Files))
		require.Equal(t, "free", v, "%s\n%s", why, c.text)
	}
}

// A header that --columns names may be any text of a sheet, such as HCL syntax and characters that need an escape.
func TestOddHeaders(t *testing.T) {
	for _, header := range []string{"${x}", "%{if x}", "$${x}", `a\b`, "D\x1b[31m", "T\u00e4t\u202eig", "a 'b'", "x #", "//", "$", "%"} {
		text := header + ",P,b\nleaf1,swp1,gpu1:ens1\nleaf1,swp2,gpu2:ens1\n"
		columns := map[string]string{"a_device": header, "a_port": "P"}
		read, ds := topology.ReadAll("csv", "cables.csv", []byte(text), topology.Options{Most: 10, Columns: columns})
		require.Empty(t, ds, header)
		made, ds := Draft(Cabling{Format: "csv", Name: "cables.csv", Columns: columns, Cabling: read}, targets.Known, System{})
		require.Empty(t, ds, header)
		v, why := verdict(judged(t, append(made.Files, File{Name: "cables.csv", Data: []byte(text)})))
		require.Equal(t, "free", v, "%s: %s", header, why)
	}
}

// Very many islands, or names that no nodeset folds, make a draft that is too large for a file. The result is a message and no files.
func TestDraftTooLarge(t *testing.T) {
	var b strings.Builder
	b.WriteString("a,b\n")
	for i := range 60_000 {
		fmt.Fprintf(&b, "leaf%d:swp%d,gpu%d:ens1\n", i/5, i%5+1, i)
	}
	made, ds := draftOf(t, "csv", "file", []byte(b.String()), System{})
	require.Empty(t, made.Files)
	require.Len(t, ds, 1)
	assert.Equal(t, "topology-too-large", ds[0].Code)
	assert.Contains(t, ds[0].Detail, "Split the file")
}

// A guess that affects a verdict is marked: the role of a device with an ambiguous name, and the cables that are left out for that
// reason.
func TestGuessesAreMarked(t *testing.T) {
	const hosts = "leaf1:swp1,gpu1:ens1\nleaf2:swp1,gpu2:ens1\n"
	for _, c := range []struct{ sheet, file, want string }{
		{
			"spine-node1:swp1,leaf1:swp31\nspine-node1:swp2,leaf2:swp31\n", "devices.hcl",
			"# CHECK: a switch? The names do not tell; ports and cables look like it.\nswitch \"spine-node\"",
		},
		{
			"node1:swp1,node2:swp1\nnode1:swp2,leaf1:swp9\nnode2:swp2,leaf2:swp9\n", "cabling.hcl",
			"# CHECK: cables between two hosts are left out",
		},
		{"leaf1:em1,leaf2:em1\nleaf1:swp9,leaf2:swp9\n", "cabling.hcl", "cables in a management, console or power port of a switch " +
			"are left out"},
		{"leaf1:swp8,leaf1:swp7\nleaf1:swp9,leaf2:swp9\n", "cabling.hcl", "  # cables from a device to itself are left out"},
		// nobody guessed
	} {
		made, ds := draftOf(t, "csv", "file", []byte("a,b\n"+hosts+c.sheet), System{})
		require.Empty(t, ds, c.sheet)
		i := slices.IndexFunc(made.Files, func(f File) bool { return f.Name == c.file })
		require.Contains(t, string(made.Files[i].Data), c.want)
	}
}

// A port of a host with two cables is one interface; the compiler reports the second cable.
func TestPortTwice(t *testing.T) {
	made, ds := draftOf(t, "csv", "file", []byte("a,b\nleaf1:swp1,gpu1:ens1\nleaf1:swp2,gpu1:ens1\nleaf1:swp3,gpu2:ens1\n"), System{})
	require.Empty(t, ds)
	require.NotContains(t, string(made.Files[1].Data), `nic ""`)
	require.Contains(t, string(made.Files[1].Data), "names = \"gpu[1-2]\"", "both hosts have the same interfaces")
}
