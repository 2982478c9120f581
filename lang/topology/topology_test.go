package topology

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
)

const many = 1_000_000

// show returns edges as text: leaf01:swp1-spine01:swp1 speed=100G.
func show(edges []Edge) []string {
	out := []string{}
	for _, e := range edges {
		words := []string{fmt.Sprintf("%s:%s-%s:%s", e.A.Device, e.A.Port, e.B.Device, e.B.Port)}
		for _, a := range e.Attrs {
			words = append(words, a.Name+"="+a.Text)
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// Realistic files. The name of a file begins with its format and a dot. The wanted cables of x.csv are in x.csv.want.
func TestSamples(t *testing.T) {
	files, err := filepath.Glob("testdata/samples/*")
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, ".want") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			want, err := os.ReadFile(file + ".want")
			require.NoError(t, err)
			format, _, _ := strings.Cut(filepath.Base(file), "-")
			seen[format] = true
			edges, ds := readEdges(format, "cables", src, many)
			require.Empty(t, ds)
			assert.Equal(t, string(want), strings.Join(show(edges), "\n")+"\n")
			checkPlaces(t, src, edges, ds)
		})
	}
	for _, name := range Names() {
		assert.True(t, seen[name], "no sample of %s", name)
	}
}

// checkPlaces checks that every place is inside the text, and that its text is the name at the place unless that was escaped.
func checkPlaces(t *testing.T, src []byte, edges []Edge, ds diag.List) {
	t.Helper()
	text := func(r diag.Range) string {
		require.Equal(t, "cables", r.Filename)
		require.GreaterOrEqual(t, r.Start.Byte, 0)
		require.LessOrEqual(t, r.Start.Byte, r.End.Byte)
		require.LessOrEqual(t, r.End.Byte, len(src))
		head := string(src[:r.Start.Byte])
		require.Equal(t, strings.Count(head, "\n")+1, r.Start.Line)
		return string(src[r.Start.Byte:r.End.Byte])
	}
	named := func(name string, r diag.Range) {
		s := text(r)
		switch {
		case strings.ContainsAny(s, "\\\"'\n\r+\u0085\u2028\u2029"): // the name was escaped, or joined of several strings
		case strings.HasPrefix(s, "|") || strings.HasPrefix(s, ">") || strings.HasPrefix(name, s+" "): // a scalar of YAML on several lines
		default:
			require.Equal(t, name, s)
		}
	}
	for _, e := range edges {
		text(e.At)
		for _, end := range []End{e.A, e.B} {
			require.NotEmpty(t, end.Device)
			require.NotEmpty(t, end.Port)
			text(end.At)
			text(end.DeviceAt)
			if end.DeviceAt != end.PortAt { // device and port are one word with escapes, in which the separate places are not known
				named(end.Device, end.DeviceAt)
				named(end.Port, end.PortAt)
			}
		}
		for _, a := range e.Attrs {
			s := text(a.At)
			attr := slices.Index(attrNames[:], a.Name)
			var may []string
			for _, unit := range []string{"", "K", "M", "G", "T", "m", "km", "cm", "mm", "mi", "ft", "in"} { // the file may have the unit elsewhere
				may = append(may, value(attr, s, unit))
			}
			if !slices.Contains(may, a.Text) && !strings.HasSuffix(a.Text, " "+s) {
				named(a.Text, a.At)
			}
		}
	}
	for _, d := range ds {
		text(d.At)
		for _, n := range d.Notes {
			if n.At.Filename != "" {
				text(n.At)
			}
		}
	}
}

// mistake is a file with one mistake, and its place: line, column, and the text under the carets.
type mistake struct{ text, at, fault, code, says string }

func checkMistakes(t *testing.T, format string, cases []mistake) {
	t.Helper()
	for _, c := range cases {
		_, ds := readEdges(format, "cables", []byte(c.text), many)
		if !assert.Len(t, ds, 1, c.text) {
			for _, d := range ds {
				t.Log(d.At, d.Detail)
			}
			continue
		}
		d := ds[0]
		assert.Equal(t, c.code, d.Code, c.text)
		assert.Equal(t, c.at, fmt.Sprintf("%d:%d", d.At.Start.Line, d.At.Start.Column), c.text)
		assert.Equal(t, c.fault, c.text[d.At.Start.Byte:d.At.End.Byte], c.text)
		assert.Contains(t, d.Detail, c.says, c.text)
	}
}

func TestAnyFormat(t *testing.T) {
	for _, format := range Names() {
		checkMistakes(t, format, []mistake{
			{"ab\xffc", "1:3", "\xff", "topology-syntax", "not UTF-8"},
			{"ab\x00c", "1:3", "\x00", "topology-syntax", "NUL"},
			{"PK\x03\x04\x14\x00\x06\xff", "1:1", "", "topology-syntax", "This is a workbook of a spreadsheet program"},
			{"\xd0\xcf\x11\xe0\xa1", "1:1", "", "topology-syntax", "save the sheet with the cables as CSV"},
		})
		edges, ds := readEdges(format, "cables", make([]byte, MaxFile+1), many)
		assert.Empty(t, edges)
		require.Len(t, ds, 1)
		assert.Equal(t, "topology-too-large", ds[0].Code)
		assert.Contains(t, ds[0].Detail, "16,777,217 bytes")
	}
	assert.Panics(t, func() { readEdges("dot", "cables", nil, many) })
}

// three has a file with three cables in every format.
var three = map[string]string{
	"ptm":          "graph g {\na:p -- b:p\nc:p -- d:p\ne:p -- f:p\n}\n",
	"containerlab": "topology:\n  links:\n    - endpoints: [\"a:p\", \"b:p\"]\n    - endpoints: [c:p, d:p]\n    - endpoints: ['e:p', 'f:p']\n",
	"air": `{"links": [[{"node": "a", "interface": "p"}, {"node": "b", "interface": "p"}], [{"node": "c", "interface": "p"}, {"node": "d",
"interface": "p"}], [{"node": "e", "interface": "p"}, {"node": "f", "interface": "p"}]]}`,
	"csv": "a,b\na:p,b:p\nc:p,d:p\ne:p,f:p\n",
}

func TestAtMost(t *testing.T) {
	for _, format := range Names() {
		edges, ds := readEdges(format, "cables", []byte(three[format]), 3)
		require.Empty(t, ds, format)
		require.Len(t, edges, 3)
		edges, ds = readEdges(format, "cables", []byte(three[format]), 2)
		require.Len(t, edges, 2)
		require.Len(t, ds, 1)
		assert.Equal(t, "topology-too-large", ds[0].Code)
		last := strings.Index(strings.ReplaceAll(three[format], `"e", "interface": "p"`, "e:p"), "e:p")
		assert.Equal(t, strings.Count(three[format][:last], "\n")+1, ds[0].At.Start.Line)
	}
}

// Of very many mistakes only some are reported. The last message states that there are more.
func TestManyMistakes(t *testing.T) {
	for format, text := range map[string]string{
		"ptm":          "graph g {\n" + strings.Repeat("a -- b\n", 1000) + "}",
		"containerlab": "topology:\n  links:\n" + strings.Repeat("  - endpoints: [a, b]\n", 1000),
		"csv":          "a,b\n" + strings.Repeat("a,b\n", 1000),
	} {
		_, ds := readEdges(format, "cables", []byte(text), many)
		require.Len(t, ds, maxMistakes, format)
		for _, d := range ds[:maxMistakes-1] {
			require.Empty(t, d.Notes)
		}
		require.Len(t, ds[maxMistakes-1].Notes, 1)
	}
}

func TestEmpty(t *testing.T) {
	for _, c := range []struct{ format, text string }{
		{"ptm", "graph g { }"},
		{"containerlab", "topology:\n  nodes: {a: {}}\n"},
		{"containerlab", "topology: {links: }\n"},
		{"csv", "a,b\n\n# none\n,\n"},
		{"csv", "\n"},
	} {
		edges, ds := readEdges(c.format, "cables", []byte(c.text), many)
		require.Empty(t, edges)
		require.Len(t, ds, 1, c.text)
		assert.Equal(t, "topology-empty", ds[0].Code)
		assert.Equal(t, diag.Warning, ds[0].Severity)
	}
	_, ds := readEdges("containerlab", "cables", []byte("topology: {links: [{endpoints: ['a:p', 'host:q']}]}"), many)
	require.Empty(t, ds, "links that are not cables are links")
}

// Columns count letters, not bytes.
func TestPlacesBehindWideLetters(t *testing.T) {
	for format, text := range map[string]string{
		"ptm":          "graph \"Köln\" { /* 漢字 */ ü1:swp1 -- \"léaf\":\"swp2\" [length=\"3m\"]; }",
		"containerlab": "topology: {nodes: {ä: 漢}, links: [{endpoints: [\"ü1:swp1\", 'léaf:swp2'], vars: {length: 3m}}]}",
		"csv":          "note;a_device;a_port;b;length\r\n\"Köln 漢字\";ü1;\"swp1\"; léaf:swp2 ;3m\r\n",
	} {
		edges, ds := readEdges(format, "cables", []byte(text), many)
		require.Empty(t, ds)
		require.Equal(t, []string{"ü1:swp1-léaf:swp2 length=3m"}, show(edges))
		checkPlaces(t, []byte(text), edges, ds)
		at := edges[0].B.PortAt
		line := strings.Split(text, "\n")[at.Start.Line-1]
		require.Equal(t, "swp2", string([]rune(line)[at.Start.Column-1:at.End.Column-1]), format)
	}
}

func FuzzPTM(f *testing.F)          { fuzz(f, "ptm") }
func FuzzContainerlab(f *testing.F) { fuzz(f, "containerlab") }
func FuzzCSV(f *testing.F)          { fuzz(f, "csv") }
func FuzzAir(f *testing.F)          { fuzz(f, "air") }

// For any bytes a reader ends, all places are valid, and a file without mistakes has edges.
func fuzz(f *testing.F, format string) {
	f.Add([]byte(three[format]))
	files, err := filepath.Glob("testdata/samples/" + format + "-*")
	require.NoError(f, err)
	for _, file := range files {
		src, err := os.ReadFile(file)
		require.NoError(f, err)
		if !strings.HasSuffix(file, ".want") && len(src) < 2000 {
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		edges, ds := readEdges(format, "cables", src, 100)
		checkPlaces(t, src, edges, ds)
		require.LessOrEqual(t, len(ds), maxMistakes+1)
		require.LessOrEqual(t, len(edges), 100)
		again, _ := readEdges(format, "cables", src, 100)
		require.Equal(t, edges, again)
	})
}

// A misspelt attribute is ignored and reported.
func TestNearlyRead(t *testing.T) {
	for format, src := range map[string]string{
		"ptm": "graph {\n  a:p1 -- b:p1 [lenght=\"300m\", label=x]\n  a:p2 -- b:p2 [lenght=\"3m\"]\n}\n",
		"csv": "a,b,lenght,weight\na:p1,b:p1,3m,1\n",
	} {
		edges, ds := readEdges(format, "x", []byte(src), 10)
		require.NotEmpty(t, edges)
		require.Len(t, ds, 1, format)
		require.Equal(t, "topology-attribute", ds[0].Code)
		require.Equal(t, diag.Warning, ds[0].Severity)
		require.Equal(t, "lenght", src[ds[0].At.Start.Byte:ds[0].At.End.Byte])
		require.Contains(t, ds[0].Detail, `Did you mean "length"?`)
	}
}

// readEdges reads the edges of a file, without names of columns.
func readEdges(format, name string, src []byte, most int) ([]Edge, diag.List) {
	c, ds := ReadAll(format, name, src, Options{Most: most})
	return c.Edges, ds
}
