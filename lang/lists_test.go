// The race detector adds costs, so the ceilings apply only without it.

//go:build unix && !race

package lang

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

var whole = flag.Bool("whole", false, "every input as large as it may be, rather than some a tenth")

// The most CPU time and memory for one input of at most 64 KiB.
const (
	mostCPU   = time.Second
	mostBytes = 200 << 20 // growth of the heap
	mostText  = 64 << 10
)

// requireBounded loads a fabric and checks the load against a part of the ceilings.
func requireBounded(t *testing.T, files map[string]string, part int) {
	t.Helper()
	const mostNames = 20_000 // the memory of a fabric is in proportion to its names
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	var ds diag.List
	cpu := mostCPU / time.Duration(part)
	bytes := uint64(mostBytes / min(part, 5)) // a small input also leaves some MiB of garbage
	took, size := langtest.Least(cpu, func() {
		s, found := Load(fsys, ".", Options{MaxObjects: mostNames})
		ds = found
		runtime.KeepAlive(s)
	})
	if took > cpu || size > bytes {
		t.Errorf("takes %v of CPU and %d MiB, with %d diagnostics", took, size>>20, len(ds))
	}
}

// TestEachListIsBounded grows every block, list and attribute of the language to 64 KiB, in the fabric and in a module of many
// instances. Without -whole, these inputs are smaller or left out, except for the most expensive ones:
//   - A list that is refused, or whose elements are refused, has a tenth of the text and of the ceilings.
//   - A block with for_each, or in instances of a module, has a tenth of the text and of the keys. The budget of a load allows more such
//     blocks then.
//   - Any other list in instances is left out, because the same code decodes all of them.
func TestEachListIsBounded(t *testing.T) {
	machinetest.Long(t)
	limit := []string{
		"in instances: host.names list", "in instances: host.names names", "in instances: host.nic inside one", "in instances: locals",
		"in instances: locals computed", "in instances: mesh.lower nodeset", "in instances: unknown blocks", "link for_each",
		"topology.ignore numbers", "variable.nullable refused list",
	}
	type input struct {
		files map[string]string
		part  int // divisor of the ceilings
	}
	inputs := map[string]input{}
	large, small := listInputs(1), listInputs(10)
	for _, name := range limit {
		require.Contains(t, large, name)
	}
	for name := range large {
		inside := strings.HasPrefix(name, "in instances: ")
		switch {
		case *whole || slices.Contains(limit, name):
			inputs[name] = input{large[name], 1}
		case strings.HasSuffix(name, " for_each") || inside && strings.HasSuffix(name, " blocks"):
			inputs[name] = input{small[name], 1}
		case inside:
		case strings.HasSuffix(name, " refused list") || strings.HasSuffix(name, " numbers"):
			inputs[name] = input{small[name], 10}
		default:
			inputs[name] = input{large[name], 1}
		}
	}
	require.Greater(t, len(inputs), 250)
	for name, in := range inputs {
		t.Run(name, func(t *testing.T) { requireBounded(t, in.files, in.part) })
	}
}

// listInputs returns the files of fabrics by name. The text, the instances and the keys have a part of their limits.
func listInputs(part int) map[string]map[string]string {
	// filledWith appends the texts that make returns for 0, 1, 2 and so on, until the limit of the text.
	filledWith := func(make func(i int) string) string {
		var b strings.Builder
		for i := 0; ; i++ {
			next := make(i)
			if b.Len()+len(next) > mostText/part {
				return b.String()
			}
			b.WriteString(next)
		}
	}
	many := fmt.Sprintf("range(%d)", 4096/part)
	inputs := map[string]map[string]string{}
	add := func(name, text string, instances bool) {
		inputs[name] = map[string]string{"x.hcl": "fabric \"f\" {}\n" + text}
		if instances && !strings.Contains(name, "module") && !strings.HasPrefix(name, "fabric") && !strings.HasPrefix(name, "ssh") {
			inputs["in instances: "+name] = map[string]string{
				"x.hcl":   "fabric \"f\" {}\nmodule \"m\" {\n  source = \"./m\"\n  for_each = toset([for i in " + many + " : \"a${i}\"])\n}\n",
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
			add(doc.Path+" for_each", "locals { all = { for i in "+many+" : \"a${i}\" => i } }\n"+
				filledWith(func(i int) string { return open(i) + "for_each = local.all\n" + closed }), false)
		}
		for _, a := range doc.Attrs {
			attr := func(value string) string { return open(0) + a.Name + " = " + value + "\n" + closed }
			name, list := doc.Path+"."+a.Name, strings.Contains(a.Type, "list") || strings.Contains(a.Type, "nodeset") || a.Type == "any"
			few := strings.Contains(a.Type, "nodeset") // each instance takes longer
			texts := attr("[" + filledWith(func(i int) string { return fmt.Sprintf("\"a%d\",", i) }) + "]")
			if !list {
				add(name+" refused list", texts, false)
				continue
			}
			add(name+" list", texts, few)
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
	for _, in := range inputs {
		if in["m/m.hcl"] == "" {
			in["m/m.hcl"] = "variable \"n1\" { default = 1 }\nlocals { a = var.n1 }\n"
		}
	}
	return inputs
}
