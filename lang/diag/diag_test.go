package diag

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/stretchr/testify/require"
)

// at returns the range of the n-th occurrence of needle in src.
func at(t *testing.T, name, src, needle string) Range {
	t.Helper()
	i := strings.Index(src, needle)
	require.GreaterOrEqual(t, i, 0, "needle %q", needle)
	pos := func(b int) hcl.Pos {
		head := src[:b]
		line := strings.Count(head, "\n")
		return hcl.Pos{Line: line + 1, Column: len([]rune(head[strings.LastIndexByte(head, '\n')+1:])) + 1, Byte: b}
	}
	return Range{Filename: name, Start: pos(i), End: pos(i + len(needle))}
}

const src = "fabric \"ring\" {\n\trouting = \"shortest-path\" # wählen 漢字 \"é\"\n\tmtu = 9216\n}\n"

func TestPrinter(t *testing.T) {
	files := map[string][]byte{"fabric.hcl": []byte(src), "other.hcl": []byte("a = 1\r\nb = 2")}
	for _, tc := range []struct {
		name string
		d    *Diagnostic
		want string
	}{
		{
			"carets without colour, a tab before them",
			&Diagnostic{
				Severity: Error, Code: "pfc-loop", Summary: "buffers can wait in a circle", Detail: "Why.",
				At: at(t, "fabric.hcl", src, `"shortest-path"`),
			},
			`error[pfc-loop]: buffers can wait in a circle
  --> fabric.hcl:2:12
   |
 2 |     routing = "shortest-path" # wählen 漢字 "é"
   |               ^^^^^^^^^^^^^^^
  Why.

`,
		},
		{
			"behind wide letters",
			&Diagnostic{Severity: Warning, Code: "x", Summary: "s", Detail: "d", At: at(t, "fabric.hcl", src, `"é"`)},
			`warning[x]: s
  --> fabric.hcl:2:40
   |
 2 |     routing = "shortest-path" # wählen 漢字 "é"
   |                                             ^^^
  d

`,
		},
		{
			"a note shows no source lines",
			&Diagnostic{
				Severity: Notice, Code: "x", Summary: "s", Detail: "d", At: at(t, "fabric.hcl", src, "mtu"),
				Notes: []Note{{"elsewhere", at(t, "other.hcl", "a = 1\r\nb = 2", "b = 2")}, {"a fact", Range{}}},
			},
			`note[x]: s
  --> fabric.hcl:3:2
  d
  a fact

`,
		},
		{
			"several places, several files, CRLF, a note without a place, a fix",
			&Diagnostic{
				Severity: Error, Code: "dup", Summary: "claimed twice", Detail: "Two claims.", At: at(t, "fabric.hcl", src, "mtu"),
				Notes: []Note{
					{"first claimed here", at(t, "other.hcl", "a = 1\r\nb = 2", "b = 2")},
					{"a fact", Range{}},
					{"gone", Range{Filename: "no.hcl", Start: hcl.Pos{Line: 7, Column: 1}}},
				},
				Fix:  &Fix{Message: "Take one.", Edits: []Edit{{at(t, "fabric.hcl", src, "9216"), "9000"}}},
				Text: "a ==> b\n",
			},
			`error[dup]: claimed twice
  --> fabric.hcl:3:2
   |
 3 |     mtu = 9216
   |     ^^^
  Two claims.
  --> other.hcl:2:1
   |
 2 | b = 2
   | ----- first claimed here
  note: a fact
  --> no.hcl:7:1
   = gone

  a ==> b

  help: Take one.
    fabric.hcl:3,8-12: write 9000

`,
		},
		{
			"a place over several lines",
			&Diagnostic{Severity: Error, Code: "x", Summary: "s", Detail: "d", At: at(t, "fabric.hcl", src, src[:len(src)-1])},
			`error[x]: s
  --> fabric.hcl:1:1
   |
 1 | fabric "ring" {
   | ^^^^^^^^^^^^^^^
 2 |     routing = "shortest-path" # wählen 漢字 "é"
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
 3 |     mtu = 9216
   |     ^^^^^^^^^^
 4 | }
   | ^
  d

`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, (&Printer{Files: files}).Print(&b, List{tc.d}))
			require.Equal(t, tc.want, b.String())

			var c bytes.Buffer // colour only adds escape sequences
			require.NoError(t, (&Printer{Files: files, Color: true}).Print(&c, List{tc.d}))
			require.Equal(t, tc.want, strip(c.String()))
			require.NotEqual(t, tc.want, c.String())
		})
	}
}

// strip removes escape sequences.
func strip(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\x1b' {
			i += strings.IndexByte(s[i:], 'm')
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func TestPrinterWrapsAndLimits(t *testing.T) {
	var l List
	for range 5 {
		l.Errorf(Range{}, "x", "s", "%s", strings.Repeat("word ", 30))
	}
	var b bytes.Buffer
	require.NoError(t, (&Printer{Most: 2, Width: 60}).Print(&b, l))
	require.Equal(t, 2, strings.Count(b.String(), "error[x]"))
	require.Contains(t, b.String(), "... and 3 more with the code x\n")
	for line := range strings.Lines(b.String()) {
		require.LessOrEqual(t, len(line), 61)
	}
}

// A shell would run a pasted line that begins with a path.
func TestProseBreaksBeforeNoPath(t *testing.T) {
	const advice = "Another user may have changed it. Remove it, or if you trust it: chown 0 /tmp/a/b && chmod go-w /tmp/a/b, or rm ./b"
	for width := range 120 {
		var b strings.Builder
		require.NoError(t, (&Printer{Width: width}).Prose(&b, "  ", advice))
		require.Equal(t, strings.Fields(advice), strings.Fields(b.String()))
		for line := range strings.Lines(b.String()) {
			require.False(t, StartsPath(strings.TrimSpace(line)), "%d: %q", width, b.String())
		}
	}
}

// A line that is too long for a screen is cut around the wrong part, and the carets stay under that part.
func TestPrinterCutsLongLines(t *testing.T) {
	for _, before := range []int{0, 10, 100, 5000} {
		for _, after := range []int{0, 10, 5000} {
			src := strings.Repeat("é", before) + "GUILTY" + strings.Repeat("x", after) + "\n"
			var b bytes.Buffer
			d := &Diagnostic{Severity: Error, Code: "x", Summary: "s", Detail: "d", At: at(t, "f", src, "GUILTY")}
			require.NoError(t, (&Printer{Files: map[string][]byte{"f": []byte(src)}}).Print(&b, List{d}))
			lines := strings.Split(b.String(), "\n")
			source, carets := []rune(lines[3]), []rune(lines[4])
			i := strings.IndexRune(string(carets), '^')
			require.Equal(t, "GUILTY", string(source[i:i+6]), "%d %d", before, after)
			require.Equal(t, "^^^^^^", strings.TrimSpace(strings.Trim(string(carets), "| ")))
			require.LessOrEqual(t, len(source), 170)
		}
	}
}

func TestPrinterEscapes(t *testing.T) {
	evil := "x = \"\x1b[2J\u202e\x80\"\n"
	d := &Diagnostic{Severity: Error, Code: "x", Summary: "s", Detail: "name \x1b]0;t\x07", At: at(t, "f", evil, `"`)}
	var b bytes.Buffer
	require.NoError(t, (&Printer{Files: map[string][]byte{"f": []byte(evil)}}).Print(&b, List{d}))
	require.NotContains(t, b.String(), "\x1b")
	require.NotContains(t, b.String(), "\u202e")
	require.Contains(t, b.String(), `\x1b[2J\u202e\x80`)
}

func TestSort(t *testing.T) {
	r := func(file string, b int) Range { return Range{Filename: file, Start: hcl.Pos{Byte: b}} }
	var l List
	l.Warnf(r("b", 0), "z", "", "one")
	l.Errorf(r("a", 9), "b", "", "two")
	l.Errorf(r("a", 9), "a", "", "three")
	l.Errorf(r("a", 9), "a", "", "three")
	l.Errorf(r("a", 1), "c", "", "four")
	l.Sort()
	var got []string
	for _, d := range l {
		got = append(got, d.Detail)
	}
	require.Equal(t, []string{"four", "three", "two", "one"}, got)
	require.True(t, l.HasErrors())
	require.Equal(t, 1, l.Count(Warning))
}

func TestJSON(t *testing.T) {
	d := &Diagnostic{Severity: Error, Code: "c", Summary: "s", Detail: "d", At: at(t, "f", "abc", "b"), Loop: []Wait{{
		Device: "sw1",
		In:     "swp16", Out: "swp15", CosGroup: "rdma",
	}}}
	d.Loop = append(d.Loop, Wait{Device: "sw2", In: "swp1", Out: "swp2", CosGroup: "rdma", At: d.At})
	d.Note(Range{}, "n")
	got, err := json.Marshal(d)
	require.NoError(t, err)
	require.JSONEq(t, `{"code":"c","severity":"error","summary":"s","detail":"d",
	  "range":{"filename":"f","start":{"line":1,"column":2,"byte":1},"end":{"line":1,"column":3,"byte":2}},
	  "notes":[{"message":"n"}],
	  "loop":[{"device":"sw1","in":"swp16","out":"swp15","cos_group":"rdma"},{"device":"sw2","in":"swp1","out":"swp2","cos_group":"rdma",
	  "range":{"filename":"f","start":{"line":1,"column":2,"byte":1},"end":{"line":1,"column":3,"byte":2}}}]}`, string(got))
}

func FuzzPrinter(f *testing.F) {
	f.Add([]byte(src), 3, 9)
	f.Add([]byte("\xff\x00\r\n\t"), 0, 5)
	f.Fuzz(func(t *testing.T, src []byte, from, to int) {
		d := &Diagnostic{
			Severity: Error, Code: "x", Summary: "s", Detail: string(src),
			At: Range{Filename: "f", Start: hcl.Pos{Line: 1, Byte: from}, End: hcl.Pos{Line: 1, Byte: to}},
		}
		var b bytes.Buffer
		if err := (&Printer{Files: map[string][]byte{"f": src}}).Print(&b, List{d}); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(b.String(), "\x1b\x00\x07\r") {
			t.Fatalf("control characters reach the terminal: %q", b.String())
		}
	})
}

func TestNearest(t *testing.T) {
	words := []string{"cos_group", "switch", "host", "link", "mesh", "failures"}
	for word, want := range map[string]string{
		"cosgroup": "cos_group", "swicth": "switch", "hots": "host", "lnk": "link", "failure": "failures",
		"zzz": "", "": "", "completely": "", "x": "",
	} {
		require.Equal(t, want, Nearest(word, words), word)
	}
	require.Equal(t, ` Did you mean "mesh"?`, DidYouMean("mehs", words))
	require.Empty(t, DidYouMean("q", words))
}

// Lines of a binary file are not shown.
func TestPrinterShowsTextOnly(t *testing.T) {
	at := Range{Filename: "s.xlsx", Start: hcl.Pos{Line: 1, Column: 1}, End: hcl.Pos{Line: 1, Column: 1}}
	var b strings.Builder
	p := &Printer{Files: map[string][]byte{"s.xlsx": []byte("PK\x03\x04\x14\x00binary")}}
	if err := p.Print(&b, List{{Severity: Error, Code: "c", Summary: "s", Detail: "d", At: at}}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Contains(got, "PK") || !strings.Contains(got, "s.xlsx:1:1") {
		t.Error(got)
	}
}
