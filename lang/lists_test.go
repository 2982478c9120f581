// The race detector has costs of its own, so the ceilings hold without it.

//go:build unix && !race

package lang

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest"
)

// The most that one input may take, whatever its 64 KiB say.
const (
	mostCPU   = time.Second
	mostBytes = 200 << 20 // of the heap, over what was there before
	mostText  = 64 << 10
)

// requireBounded loads a fabric and holds that to the ceilings.
func requireBounded(t *testing.T, files map[string]string, o Options) {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	var ds diag.List
	took, size := langtest.Least(mostCPU, func() {
		s, found := Load(fsys, ".", o)
		ds = found
		runtime.KeepAlive(s)
	})
	if took > mostCPU || size > mostBytes {
		t.Errorf("takes %v of CPU and %d MiB, with %d diagnostics", took, size>>20, len(ds))
	}
}

// filledWith repeats what make makes of a number, as often as the text may be long.
func filledWith(make func(i int) string) string {
	var b strings.Builder
	for i := 0; ; i++ {
		next := make(i)
		if b.Len()+len(next) > mostText {
			return b.String()
		}
		b.WriteString(next)
	}
}

// TestEachListIsBounded grows every block, list and attribute of the tables of the language to 64 KiB, in the fabric and in a module of
// many instances.
func TestEachListIsBounded(t *testing.T) {
	const most = 20_000 // names: those of a fabric take memory in proportion to them
	inputs := map[string]map[string]string{}
	add := func(name, text string, instances bool) {
		inputs[name] = map[string]string{"x.hcl": "fabric \"f\" {}\n" + text}
		if instances && !strings.Contains(name, "module") && !strings.HasPrefix(name, "fabric") && !strings.HasPrefix(name, "ssh") {
			inputs["in instances: "+name] = map[string]string{
				"x.hcl":   "fabric \"f\" {}\nmodule \"m\" {\n  source = \"./m\"\n  for_each = toset([for i in range(4096) : \"a${i}\"])\n}\n",
				"m/m.hcl": text,
			}
		}
	}
	for _, doc := range Blocks() {
		path := strings.Split(doc.Path, ".")
		open := func(i int) string {
			var b strings.Builder
			for _, kind := range path {
				label := ""
				if !strings.Contains(" ssh ecn pfc by_hand locals traffic_class validation ", " "+kind+" ") {
					label = fmt.Sprintf(" \"n%d\"", i)
				}
				b.WriteString(kind + label + " {\n")
			}
			return b.String()
		}
		closed := strings.Repeat("}\n", len(path))
		add(doc.Path+" blocks", filledWith(func(i int) string { return open(i) + closed }), true)
		if len(path) > 1 {
			outer, _, _ := strings.Cut(open(0), "\n")
			inner := func(i int) string {
				return strings.TrimPrefix(open(i), strings.Replace(outer, "n0", fmt.Sprint("n", i), 1)+"\n")
			}
			add(doc.Path+" inside one", outer+"\n"+filledWith(func(i int) string { return inner(i) + closed[2:] })+"}\n", true)
		}
		if doc.ForEach {
			add(doc.Path+" for_each", "locals { all = { for i in range(4096) : \"a${i}\" => i } }\n"+
				filledWith(func(i int) string { return open(i) + "for_each = local.all\n" + closed }), false)
		}
		for _, a := range doc.Attrs {
			attr := func(value string) string { return open(0) + a.Name + " = " + value + "\n" + closed }
			name, list := doc.Path+"."+a.Name, strings.Contains(a.Type, "list") || strings.Contains(a.Type, "nodeset") || a.Type == "any"
			few := strings.Contains(a.Type, "nodeset") // each instance takes longer
			if add(name+" list", attr("["+filledWith(func(i int) string { return fmt.Sprintf("\"a%d\",", i) })+"]"), few); !list {
				continue
			}
			add(name+" numbers", attr("["+filledWith(func(i int) string { return fmt.Sprint(i%8, ",") })+"]"), false)
			add(name+" nodeset", attr("\""+filledWith(func(i int) string { return fmt.Sprintf("a%d:e[0-9],", i) })+"a:e\""), few)
			add(name+" names", attr("[\""+filledWith(func(i int) string { return fmt.Sprintf("a%d,", i) })+"a\"]"), few)
			add(name+" range", attr("\"a[1-9999999]\""), false)
			add(name+" values", "locals { all = range(4096) }\n"+attr("[for a in local.all : [for b in local.all : b]]"), false)
		}
		for _, a := range doc.Attrs {
			if strings.Contains(a.Type, "map") || a.Type == "any" {
				add(doc.Path+"."+a.Name+" map", open(0)+a.Name+" = {"+
					filledWith(func(i int) string { return fmt.Sprintf("a%d = 1\n", i) })+"}\n"+closed, false)
			}
		}
	}
	add("locals", "locals {\n"+filledWith(func(i int) string { return fmt.Sprintf("l%d = local.l%d\n", i, i+1) })+"}\n", true)
	add("locals computed", "locals {\n"+filledWith(func(i int) string { return fmt.Sprintf("l%d = max(%d, 1)\n", i, i) })+"}\n", true)
	add("modules", filledWith(func(i int) string { return fmt.Sprintf("module \"m%d\" { source = \"./m\" }\n", i) }), true)
	add("attributes", filledWith(func(i int) string { return fmt.Sprintf("a%d = 1\n", i) }), true)
	add("attributes in a block", "host \"h\" {\n"+filledWith(func(i int) string { return fmt.Sprintf("a%d = 1\n", i) })+"}\n", true)
	add("unknown blocks", filledWith(func(i int) string { return fmt.Sprintf("blok%d {}\n", i) }), true)
	add("comments", filledWith(func(i int) string { return fmt.Sprintf("# rocec:ignore code%d why\n", i) }), true)
	files := 0
	for name, in := range inputs {
		if in["m/m.hcl"] == "" {
			in["m/m.hcl"] = "variable \"n1\" { default = 1 }\nlocals { a = var.n1 }\n"
		}
		t.Run(name, func(t *testing.T) { requireBounded(t, in, Options{MaxObjects: most}) })
		files++
	}
	require.Greater(t, files, 250)
}
