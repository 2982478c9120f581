package lang

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestNamesAreCountedFirst loads fabrics with too many names, for each block and attribute that has names. The loader must count names
// before it makes them: the names of each fabric would take gigabytes.
func TestNamesAreCountedFirst(t *testing.T) {
	const each = "\n  for_each = toset([for i in range(4096) : \"a${i}\"])\n"
	for name, src := range map[string]string{
		"names":           `switch "s" { names = "s[1-2000001]" }`,
		"two blocks":      `switch "s" { names = "s[1-1999999]" }` + "\n" + `switch "t" { names = "t[1-9]" }`,
		"names, for_each": `switch "s" {` + each + `  names = "${each.key}-[1-1000]"` + "\n}",
		"hosts":           `host "h" {` + each + `  names = "${each.key}-[1-1000]"` + "\n}",
		"nics":            `host "h" {` + each + "  names = each.key\n" + `  nic "e[0-999]" { model = "connectx-6" }` + "\n}",
		"nics, twice": "host \"h\" {\n  names = \"h1\"\n" +
			"  nic \"e[0-999999]\" { model = \"connectx-6\" }\n  nic \"f[0-999999]\" { model = \"connectx-6\" }\n}",
		"bonds": `host "h" {` + each + "  names = each.key\n" +
			"  bond \"b0\" { nics = \"e[0-999]\" }\n}",
		"links":         `link "l" {` + each + `  a = "${each.key}-[1-1000]:e0"` + "\n" + `  b = "s[1-1000]:${each.key}"` + "\n}",
		"meshes":        `mesh "m" {` + each + `  lower = "${each.key}-[1-1000]:e0"` + "\n" + `  upper = "s[1-1000]:${each.key}"` + "\n}",
		"members":       `roce "r" {` + each + "  version = 2\n" + `  members = ["${each.key}-[1-1000]"]` + "\n}",
		"instances":     manyRoces(800),
		"module":        `module "m" {` + "\n  source = \"./m\"" + each + "  name = each.key\n}",
		"a list inside": `roce "r" { members = [["a[1-1000000]", "b[1-1000001]"]] }`,
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{
				"x.hcl":   {Data: []byte("fabric \"f\" {}\n" + src + "\n")},
				"m/m.hcl": {Data: []byte("variable \"name\" {}\nswitch \"s\" { names = \"${var.name}-[1-1000]\" }\n")},
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, ds := Load(files, ".", Options{})
			runtime.ReadMemStats(&after)
			codes := map[string]int{}
			for _, d := range ds {
				codes[d.Code]++
			}
			require.True(t, codes["too-many-objects"] == 1 || codes["too-large"] == 1, "%v", codes)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20))
		})
	}
}

func manyRoces(n int) string {
	var b strings.Builder
	b.WriteString("locals { keys = { for i in range(4096) : \"a${i}\" => i } }\n")
	for i := range n {
		fmt.Fprintf(&b, "roce \"r%d\" { for_each = local.keys }\n", i)
	}
	return b.String()
}

// A cancelled load ends before it evaluates anything.
func TestLoadIsCancelled(t *testing.T) {
	done := make(chan struct{})
	close(done)
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "locals { l%d = [for a in range(4096) : [for b in range(4096) : a]] }\n", i)
	}
	src, ds := loadText(t, "fabric \"f\" {}\nhost \"h\" { names = \"h[1-2000000]\" }\n"+b.String(), Options{Done: done})
	require.Empty(t, src.Hosts)
	require.Empty(t, ds)
}

// A file of cables is read again for each block that names it, and each pattern is matched with each cable. Both costs are bounded.
func TestCablesAreBounded(t *testing.T) {
	var rows, blocks, patterns strings.Builder
	rows.WriteString("a_device,a_port,b_device,b_port\n")
	for i := range 60_000 {
		fmt.Fprintf(&rows, "a%d,e0,b%d,e0\n", i, i)
	}
	for i := range 500 {
		fmt.Fprintf(&blocks, "topology \"t%d\" {\n  format = \"csv\"\n  file = \"c.csv\"\n}\n", i)
	}
	for i := range 2000 {
		fmt.Fprintf(&patterns, "\"x%d*\",", i)
	}
	for want, src := range map[string]string{
		"too-large":          blocks.String(),
		"topology-too-large": "topology \"t\" {\n  format = \"csv\"\n  file = \"c.csv\"\n  ignore = [" + patterns.String() + "]\n}\n",
	} {
		got := codes(t, fstest.MapFS{
			"x.hcl": {Data: []byte("fabric \"f\" {}\n" + src)}, "c.csv": {Data: []byte(rows.String())},
		}, ".")
		require.Contains(t, got, want)
	}
}
