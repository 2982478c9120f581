package lang

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/parse"
)

// codes loads a folder and returns the codes of its diagnostics, sorted and without repetitions.
func codes(t *testing.T, fsys fs.FS, dir string) string {
	t.Helper()
	s, ds := Load(fsys, dir, Options{})
	var out []string
	for _, d := range ds {
		require.Contains(t, known, d.Code)
		if len(out) == 0 || out[len(out)-1] != d.Code {
			out = append(out, d.Code)
		}
	}
	_ = show(s, ds)
	return strings.Join(out, " ")
}

func TestFolders(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	require.Equal(t, "unreadable", codes(t, fstest.MapFS{}, "nowhere"))
	require.Equal(t, "no-fabric", codes(t, fstest.MapFS{"a/readme": file("")}, "a"))
	require.Equal(t, "no-fabric", codes(t, fstest.MapFS{"a/x.hcl": file("locals {}")}, "a"))
	require.Equal(t, "duplicate-block", codes(t, fstest.MapFS{"x.hcl": file("fabric \"a\" {}"), "y.hcl": file("fabric \"b\" {}")}, "."))
	require.Equal(t, "", codes(t, fstest.MapFS{
		"x.hcl": file("fabric \"a\" {}"), "sub/y.hcl": file("!"), ".hidden.hcl": file("!"), "x.hcl~": file("!"), "d.hcl/z": file("!"),
	}, "."))
	require.Equal(t, "invalid-utf8", codes(t, fstest.MapFS{"x.hcl": file("fabric \"\xff\" {}")}, "."))
	require.Equal(t, "invalid-utf8", codes(t, fstest.MapFS{"x.hcl": file("fabric \"a\x00\" {}")}, "."))
	require.Equal(t, "too-large", codes(t, fstest.MapFS{"x.hcl": file(strings.Repeat("#", parse.MaxFile+1))}, "."))
	many := fstest.MapFS{}
	for i := range 256 + 1 {
		many[fmt.Sprintf("%d.hcl", i)] = file("")
	}
	require.Equal(t, "too-large", codes(t, many, "."))
}

func TestLinksAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret.hcl")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	require.NoError(t, os.Symlink(secret, filepath.Join(dir, "link.txt")))
	require.NoError(t, os.Symlink(filepath.Dir(secret), filepath.Join(dir, "up")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(`fabric "f" {}
locals {
  a = file("link.txt")
  b = file("up/secret.hcl")
  c = file("../secret.hcl")
  d = file("/etc/passwd")
  e = file("missing")
  f = file("fabric.hcl")
}`), 0o600))
	s, ds := Load(os.DirFS(dir), ".", Options{})
	require.Len(t, ds, 5, show(s, ds))
	for _, d := range ds {
		require.Equal(t, "bad-expression", d.Code)
	}

	require.NoError(t, os.Symlink(secret, filepath.Join(dir, "link.hcl")))
	require.Equal(t, "unreadable", codes(t, os.DirFS(dir), "."))
}

// endless is a file of 100 MB. A read past the limit fails the test.
type endless struct {
	fs.FS
	t *testing.T
}

type endlessFile struct {
	fs.File
	t    *testing.T
	read int
}

func (e endless) Open(name string) (fs.File, error) {
	f, err := e.FS.Open(name)
	return &endlessFile{File: f, t: e.t}, err
}

func (e endless) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(e.FS, name) }

func (f *endlessFile) Read(p []byte) (int, error) {
	if f.read += len(p); f.read > 4*parse.MaxFile {
		f.t.Error("the file is read past its limit")
		return 0, io.EOF
	}
	for i := range p {
		p[i] = '#'
	}
	return len(p), nil
}

func TestLyingFileIsReadThroughABound(t *testing.T) { // reports a size of 0, and its content never ends
	require.Equal(t, "too-large", codes(t, endless{fstest.MapFS{"x.hcl": {}}, t}, "."))
}

// TestHostile loads fabrics that could crash the parser, block the evaluator or fill the memory. Each load must end with a diagnostic.
func TestHostile(t *testing.T) {
	var doubling strings.Builder
	doubling.WriteString("locals {\n  l0 = \"0123456789abcdef\"\n")
	for i := range 40 {
		doubling.WriteString(fmt.Sprintf("  l%d = \"${local.l%d}${local.l%d}\"\n", i+1, i, i))
	}
	var lists strings.Builder
	lists.WriteString("locals {\n  l0 = [1, 2]\n")
	for i := range 40 {
		lists.WriteString(fmt.Sprintf("  l%d = [local.l%d, local.l%d]\n", i+1, i, i))
	}
	var squares strings.Builder
	squares.WriteString("locals {\n  l0 = 1e300\n")
	for i := range 40 {
		squares.WriteString(fmt.Sprintf("  l%d = local.l%d * local.l%d\n", i+1, i, i))
	}
	local := func(expr string) string { return "locals {\n  x = " + expr + "\n}\n" }
	const n = 30_000 // too deep for the stack of the parser, with few enough tokens to reach the depth check
	for name, tc := range map[string]struct{ src, want string }{
		"parentheses":    {local(strings.Repeat("(", n)), "too-deep"},
		"brackets":       {local(strings.Repeat("[", n)), "too-deep"},
		"objects":        {local(strings.Repeat("{a=", n)), "too-deep"},
		"calls":          {local(strings.Repeat("f(", n)), "too-deep"},
		"for":            {local(strings.Repeat("[for x in ", n)), "too-deep"},
		"templates":      {local(strings.Repeat(`"${`, n)), "too-deep"},
		"controls":       {local(`"` + strings.Repeat(`%{if true}`, 30_000)), "too-deep"},
		"nots":           {local(strings.Repeat("!", n) + "true"), "too-deep"},
		"minuses":        {local(strings.Repeat("-", n) + "1"), "too-deep"},
		"conditionals":   {local(strings.Repeat("a?", n)), "too-deep"},
		"else":           {local(strings.Repeat("true?1:", 30_000) + "1"), "too-deep"},
		"sum":            {local(strings.Repeat("1+", 90_000) + "1"), "too-deep"},
		"nots on lines":  {local("(" + strings.Repeat("!\n", 90_000) + "true)"), "too-deep"},
		"dots":           {local("a" + strings.Repeat(".a", 90_000)), "too-deep"},
		"splats":         {local("a" + strings.Repeat("[*]", 60_000)), "too-deep"},
		"blocks":         {strings.Repeat("a {\n", n), "too-deep"},
		"labels":         {"a " + strings.Repeat(`"x" `, 60_000) + "{}", "too-deep"},
		"tokens":         {local("[" + strings.Repeat("1,", 150_000) + "1]"), "too-large"},
		"commas":         {local("[" + strings.Repeat(",", parse.MaxFile-100) + "]"), "too-large"},
		"doubling":       {doubling.String() + "}", "too-large"},
		"doubling lists": {lists.String() + "}", "too-large"},
		"squares":        {squares.String() + "}", "too-large"},
		"huge number":    {local("\"${1e1000000000}\""), "too-large"},
		"nested for":     {local("[for a in range(4096) : [for b in range(4096) : a]]"), "too-large"},
		"hidden for":     {"locals {\n  r = range(4096)\n  x = [for a in local.r : length([for b in local.r : b])]\n}", "too-large"},
		"long template": {"locals {\n  s = join(\"\", [for i in range(4096) : \"0123456789\"])\n  x = \"" + strings.Repeat("${local.s}", 100) +
			"\"\n}", "too-large"},
		"template lines": {
			"locals {\n  s = join(\"\", [for i in range(4096) : \"0123456789\"])\n" + manyLocals(5000, `"${local.s}x"`) + "}",
			"too-large",
		},
		"comparing":    {"locals {\n  r = range(4096)\n  x = [for a in range(4096) : local.r == local.r]\n}", "too-large"},
		"splat in for": {"locals {\n  r = range(4096)\n  x = [for a in range(4096) : length(local.r[*])]\n}", "too-large"},
		"product":      {local("setproduct(range(4096), range(4096), range(4096), range(4096))"), "too-large"},
		"format":       {local(`format("%100000000d", 1)`), "too-large"},
		"format list":  {local(`formatlist("%999d%999d%999d", range(4096), 1, 1)`), "too-large"},
		"replace": {
			"locals {\n  s = join(\"\", [for i in range(4096) : \"0123456789\"])\n  x = replace(local.s, \"0\", local.s)\n}",
			"too-large",
		},
		"replace regexp": {
			"locals {\n  s = join(\"\", [for i in range(4096) : \"0123456789\"])\n  x = replace(local.s, \"/0*/\", local.s)\n}",
			"too-large",
		},
		"join": {
			"locals {\n  s = join(\"\", [for i in range(4096) : \"0123456789\"])\n  x = join(local.s, range(4096))\n}",
			"too-large",
		},
		"regexp": {"locals {\n  s = join(\"\", [for i in range(4096) : \"aaaaaaaaaa\"])\n  x = regexall(\"" +
			strings.Repeat("(a{500}){2}", 60) + "\", local.s)\n}", "too-large"},
		"json":            {local(`jsondecode("` + strings.Repeat("[", 30_000) + `")`), "too-large"},
		"range":           {local("range(1e9)"), "bad-expression"},
		"nodeset":         {local(`nodeset("a[0-999999999]")`), "too-large"},
		"chain of locals": {"locals {\n" + chain(30_000) + "  l30000 = 1\n}", ""},
		"circle":          {"locals {\n" + chain(30_000) + "  l30000 = local.l0\n}", "reference-cycle"},
		"type": {
			"variable \"v\" {\n  default = {}\n  type = object({a = optional(list(number), [" + nestedFor(2, 300) + "])})\n}",
			"too-large",
		},
		"for_each": {
			"host \"h\" {\n  for_each = toset(nodeset(\"h[1-9000]\"))\n  names = \"${each.key}-[1-2000000]\"\n}",
			"too-many-objects",
		},
		"in try":     {local("try([for a in range(4096) : [for b in range(4096) : a]], 1)"), "too-large"},
		"long label": {"host \"" + strings.Repeat("a", 70_000) + "\" {}", "bad-name"},
		"unclosed":   {"fabric \"x", "syntax"},
		"heredoc":    {"locals {\n  x = <<A\n" + strings.Repeat("<<A\n", 100_000), "too-large"},
	} {
		t.Run(name, func(t *testing.T) {
			src := tc.src
			if !strings.Contains(tc.want, "syntax") {
				src += "\nfabric \"f\" {}\n"
			}
			require.Equal(t, tc.want, codes(t, fstest.MapFS{"x.hcl": {Data: []byte(src)}}, "."))
		})
	}
}

func manyLocals(n int, expr string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  x%d = %s\n", i, expr)
	}
	return b.String()
}

func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  l%d = local.l%d\n", i, i+1)
	}
	return b.String()
}

// nestedFor returns depth nested for expressions, each over a literal list of n elements.
func nestedFor(depth, n int) string {
	if depth == 0 {
		return "1"
	}
	list := strings.TrimSuffix(strings.Repeat("1,", n), ",")
	return "for a in [" + list + "] : [" + nestedFor(depth-1, n*40) + "]"
}

// A fabric with too many names is refused once, at the first place over the bound. The message states the bound that the fabric needs.
func TestMaxObjects(t *testing.T) {
	const text = `fabric "f" {}
host "a" { names = "a[1-6]" }
host "b" {
  names = "b[1-6]"
  nic "ens[1-2]" { model = "connectx-6" }
}
host "c" {
  for_each = toset(["c", "d", "e"])
  names    = "${each.key}[1-4]"
}
`
	const needs = 6 + 6 + 2*6 + 2 + 3 + 3*4
	for most := 1; most < needs; most++ {
		_, ds := loadText(t, text, Options{MaxObjects: most})
		require.Len(t, ds, 1)
		require.Equal(t, "too-many-objects", ds[0].Code)
		if most < 6+2+6+2*6+3 {
			require.Contains(t, ds[0].Detail, "names ", "names or instances are left out")
			continue
		}
		require.Equal(t, 9, ds[0].At.Start.Line)
		require.Contains(t, ds[0].Detail, fmt.Sprintf("names %d things", needs))
		require.Contains(t, ds[0].Detail, fmt.Sprintf("--max-objects %d.", needs))
	}
	_, ds := loadText(t, text, Options{MaxObjects: needs})
	require.Empty(t, ds)

	_, ds = loadText(t, text, Options{MaxObjects: 10})
	require.Equal(t, 4, ds[0].At.Start.Line)
	require.Contains(t, ds[0].Detail, "but the limit is 10. The 6 at this place exceed it.")

	_, ds = loadText(t, text+"switch \"s\" { model = 3 }\n", Options{MaxObjects: 10})
	require.Len(t, ds, 2)
	require.Contains(t, ds[0].Detail, "names at least ", "a fabric with other mistakes may need more names than counted")
}

// Things that exist for each host are counted before they are made.
func TestMaxObjectsOfInterfaces(t *testing.T) {
	_, ds := loadText(t, "fabric \"f\" {}\nhost \"h\" {\n  names = \"h[1-500000]\"\n  nic \"e[0-9999]\" { model = \"connectx-6\" }\n}\n",
		Options{})
	require.Len(t, ds, 1)
	require.Equal(t, "too-many-objects", ds[0].Code)
	require.Equal(t, 2, ds[0].At.Start.Line)
	require.Contains(t, ds[0].Detail, "names 5,000,510,000 things")
	require.NotContains(t, ds[0].Detail, "--max-objects")
}

// A Clos of 10,240 switches, 131,072 hosts and 524,288 links is accepted with the default bound.
func TestDefaultMaxObjects(t *testing.T) {
	s, ds := Load(clos(64, true, false), ".", Options{})
	require.Empty(t, ds)
	require.Len(t, s.Links, 524_288)
}
