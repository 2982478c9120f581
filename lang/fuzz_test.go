package lang

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime/metrics"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
)

// allocated returns how many bytes the process has allocated so far. Unlike runtime.ReadMemStats it does not stop the world.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// most returns how many bytes a load of n bytes may allocate, including freed bytes: for the budget of the expressions, and for the
// tokens and trees of the text.
func most(n int) uint64 { return 512<<20 + 8<<10*uint64(n) }

// loadFuzzed loads a fabric and checks the promises for every input: known codes, places inside of files, printable text, bounded
// memory.
func loadFuzzed(t *testing.T, fsys fs.FS, n int, o Options) (*Source, diag.List) {
	t.Helper()
	o.MaxObjects = 10_000
	before := allocated()
	s, ds := Load(fsys, ".", o)
	if used := allocated() - before; used > most(n) {
		t.Fatalf("%d bytes of input made rocec ask for %d MiB", n, used>>20)
	}
	for _, d := range ds {
		if known[d.Code] == nil || d.Detail == "" {
			t.Fatalf("diagnostic %+v", d)
		}
		checkPlaces(t, "fuzz", s, d)
	}
	_ = show(s, ds)
	return s, ds
}

// addFabrics adds every fabric of the repository as a seed: its text, and the text of its module or its file of cables.
func addFabrics(f *testing.F, add func(main, other []byte)) {
	var names []string
	for _, pattern := range []string{"testdata/bad/*", "../examples/*/*.hcl"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		names = append(names, found...)
	}
	if len(names) < 100 {
		f.Fatalf("%d seeds", len(names))
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if filepath.Ext(name) == ".hcl" {
			add(src, nil)
			continue
		}
		var main, other []byte
		for _, file := range txtar.Parse(src).Files {
			if file.Name == "fabric.hcl" {
				main = file.Data
			} else {
				other = file.Data
			}
		}
		add(main, other)
	}
}

// FuzzLoad loads a fabric with a module, a file of cables, a table of next hops and a text file. These further files have the same text.
func FuzzLoad(f *testing.F) {
	addFabrics(f, func(main, other []byte) { f.Add(main, other) })
	f.Add([]byte("fabric \"f\" {}\nlocals { a = [for x in range(3) : \"${x}%{if true}y%{endif}\"] }\n"), []byte(nil))
	f.Add([]byte("locals { a = !!-1 == {a = 1}[\"a\"] ? local.b[*].c : try(format(\"%d\", 1)...) }"), []byte(nil))
	f.Add([]byte("fabric \"f\" {}\nmodule \"m\" {\n  source = \"./pod\"\n}\nlocals { x = module.m.a }\n"),
		[]byte("output \"a\" { value = file(\"pod.hcl\") }\n"))
	f.Fuzz(func(t *testing.T, main, other []byte) {
		fsys := fstest.MapFS{"fabric.hcl": {Data: main}}
		for _, name := range []string{"pod/pod.hcl", "rack/rack.hcl", "topology.dot", "cables.csv", "lab.clab.yml", "fib.json", "note.txt"} {
			fsys[name] = &fstest.MapFile{Data: other}
		}
		loadFuzzed(t, fsys, len(main)+8*len(other), Options{Vars: []string{"a=1"}})
	})
}

// FuzzVariables loads a fabric with a variable of any type, and values for it from every source.
func FuzzVariables(f *testing.F) {
	for _, seed := range [][3]string{
		{"number", "4", "5"},
		{"list(string)", `["a", "b"]`, `["c"]`},
		{"object({ a = optional(number, 1), b = string })", `{ b = "x" }`, `{ a = "y" }`},
		{"map(object({ a = list(bool) }))", `{ k = { a = [true] } }`, `{ k = 1 }`},
		{"tuple([string, number])", `["a", 1]`, `["a"]`},
		{"set(any)", `[1, "a"]`, `[[]]`},
		{"any", `null`, `"x`},
		{"object({ a = optional(object({ b = optional(list(number), [1]) }), {}) })", `{}`, `{ a = { b = [] } }`},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, ty, fallback, given string) {
		src := "fabric \"f\" {}\nvariable \"v\" {\n  type = " + ty + "\n  default = " + fallback +
			"\n  validation {\n    condition = var.v != null\n    error_message = \"${jsonencode(var.v)}\"\n  }\n}\nlocals { x = var.v }\n"
		fsys := fstest.MapFS{"fabric.hcl": {Data: []byte(src)}}
		n := len(src) + len(given)
		loadFuzzed(t, fsys, n, Options{Vars: []string{"v=" + given, given}})
		loadFuzzed(t, fsys, n, Options{Env: []string{"ROCEC_VAR_v=" + given, "ROCEC_VAR_" + given}})
		loadFuzzed(t, fsys, n, Options{VarFiles: []VarFile{{"x.hclvars", []byte("v = " + given)}}})
	})
}

// FuzzExpression evaluates an expression, mostly calls of functions.
func FuzzExpression(f *testing.F) {
	for _, fn := range eval.Functions {
		f.Add(fn.Example)
		f.Add("[for x in " + fn.Example + "[*] : x]")
	}
	for _, s := range []string{
		`cidrsubnets("fd00::/48", 16, 80)`, `indent(65536, "a\nb\nc")`, `matchkeys(range(4096), formatlist("%s", range(4096)), ["1"])`,
		`setproduct(range(100), range(100), range(100))`, `regexall("(a|b)*", "abab")`, `replace("aaa", "/a/", "$0$0")`,
		`format("%[2]*.[1]*f", 12.0, 2, 6)`,
		`format("%*d", 5, 5)`, `try(null[0], can(1 / 0), -range(3)[1])`, `{ for k, v in { a = 1 } : k => v... }`,
		`"${true ? "a" : [1]}%{for x in [1]}${x}%{endfor}"`,
		`jsondecode("[1, {\"a\": null}]")[1].a`, `csvdecode("a,a\n1,2")`, `nodeset("a[1-3]b[01-10]:e[0-1]")`, `chunklist(range(4096), 1)`,
		`cidrhost("::/0", pow(2, 127))`,
		`substr("añ🇩🇪b", -2, 5)`, `title("ß ǆ")`, `transpose({ a = ["b", null], c = null })`, `zipmap(["a", "a"], [1, 2])`,
		`parseint("zz", 62)`, `log(-1, 0)`,
		`pow(2, 1e6)`, `base64decode("////")`, `sort([for i in range(50) : "x${50 - i}"])`, `one(toset([]))`, `merge(null, { a = 1 })`,
		`element([], -1)`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		src := "fabric \"f\" {}\nlocals {\n  a = [1, \"b\", null, { c = [true] }]\n  x = " + expr + "\n  y = jsonencode(local.x)\n}\n"
		loadFuzzed(t, fstest.MapFS{"fabric.hcl": {Data: []byte(src)}, "note.txt": {Data: []byte(expr)}}, len(src), Options{})
	})
}
