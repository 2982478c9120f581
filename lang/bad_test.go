package lang

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
)

// badFabric is one wrong fabric of testdata/bad.
//
// A *.hcl file is a fabric of one file. A *.txtar archive is a fabric of several files. Each line before its first file may set an
// option:
//
//	var NAME=VALUE        --var NAME=VALUE
//	env ROCEC_VAR_X=Y     the environment
//	varfile NAME          --var-file NAME, a file of the archive
//	max N                 --max-objects N
//	want FILE:LINE CODE at "SNIPPET": "TEXT"
//
// A want is a comment at the end of the wrong line: want CODE at "SNIPPET": "TEXT". SNIPPET is the first line of the underlined text.
// TEXT is a part of the detail. Each finding must have a want. A want before the first file of an archive is for a place that cannot
// have a comment. Its FILE is a name, or - for a finding without a place, and LINE may be left out.
type badFabric struct {
	name    string
	fsys    fstest.MapFS
	options Options
	wants   []badWant
}

type badWant struct {
	file    string
	line    int // 0: any
	code    string
	snippet string
	text    string
}

var (
	wantRE = regexp.MustCompile(`want ([a-z0-9-]+) at ("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*")`)
	farRE  = regexp.MustCompile(`^want (\S+|"[^"]*") ([a-z0-9-]+) at ("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*")$`)
	known  = func() map[string]*diag.Topic {
		m := map[string]*diag.Topic{}
		for i := range Topics {
			m[Topics[i].Code] = &Topics[i]
		}
		return m
	}()
)

func unquote(t *testing.T, s string) string {
	t.Helper()
	out, err := strconv.Unquote(s)
	require.NoError(t, err, s)
	return out
}

// readBad reads every fabric of testdata/bad.
func readBad(t *testing.T) []*badFabric {
	t.Helper()
	entries, err := os.ReadDir("testdata/bad")
	require.NoError(t, err)
	var out []*badFabric
	for _, e := range entries {
		src, err := os.ReadFile(filepath.Join("testdata/bad", e.Name()))
		require.NoError(t, err)
		b := &badFabric{name: e.Name(), fsys: fstest.MapFS{}}
		switch filepath.Ext(e.Name()) {
		case ".hcl":
			b.add(t, "fabric.hcl", src)
		case ".txtar":
			b.archive(t, src)
		default:
			t.Errorf("%s: neither a fabric nor an archive", e.Name())
			continue
		}
		out = append(out, b)
	}
	return out
}

func (b *badFabric) add(t *testing.T, name string, src []byte) {
	name = "f/" + name
	b.fsys[name] = &fstest.MapFile{Data: src}
	for i, line := range strings.Split(string(src), "\n") {
		for _, m := range wantRE.FindAllStringSubmatch(line, -1) {
			b.wants = append(b.wants, badWant{name, i + 1, m[1], unquote(t, m[2]), unquote(t, m[3])})
		}
	}
}

func (b *badFabric) archive(t *testing.T, src []byte) {
	ar := txtar.Parse(src)
	var varFiles []string
	for line := range strings.Lines(string(ar.Comment)) {
		line = strings.TrimRight(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "var":
			b.options.Vars = append(b.options.Vars, rest)
		case "env":
			b.options.Env = append(b.options.Env, rest)
		case "max":
			n, err := strconv.Atoi(rest)
			require.NoError(t, err, b.name)
			b.options.MaxObjects = n
		case "varfile":
			varFiles = append(varFiles, rest)
		case "want":
			m := farRE.FindStringSubmatch(line)
			require.NotNil(t, m, "%s: %s", b.name, line)
			file := strings.Trim(m[1], `"`)
			if file == "-" {
				file = ""
			}
			line := 0
			if name, n, ok := strings.Cut(file, ":"); ok {
				file = name
				line, _ = strconv.Atoi(n)
				require.Positive(t, line, "%s: %s", b.name, m[1])
			}
			b.wants = append(b.wants, badWant{file, line, m[2], unquote(t, m[3]), unquote(t, m[4])})
		case "", "#":
		default:
			t.Fatalf("%s: %s", b.name, line)
		}
	}
	for _, f := range ar.Files {
		b.add(t, f.Name, f.Data)
	}
	for _, name := range varFiles {
		f := b.fsys["f/"+name]
		require.NotNil(t, f, "%s: no file %s", b.name, name)
		b.options.VarFiles = append(b.options.VarFiles, VarFile{"f/" + name, f.Data})
	}
}

// load loads the fabric and evaluates its ignore comments, as if no check had found anything.
func (b *badFabric) load() (*Source, diag.List) {
	s, ds := Load(b.fsys, "f", b.options)
	kinds := map[string]Ignorable{"pfc-loop": Never, "oversubscription": Always}
	for code := range known {
		kinds[code] = Never
	}
	ds, _ = s.Suppress(ds, kinds, nil, true)
	return s, ds
}

// firstLine returns the first line of the text that d underlines.
func firstLine(s *Source, d *diag.Diagnostic) string {
	line, _, _ := strings.Cut(place(s, d.At), "\n")
	return line
}

// TestBad loads every fabric of testdata/bad. The findings must be those that its comments want, each at its place, with its code and
// text. testdata/bad.txt contains the full messages, for readers; -update writes the file.
func TestBad(t *testing.T) {
	var all strings.Builder
	fabrics, ran := readBad(t), 0
	for _, b := range fabrics {
		t.Run(b.name, func(t *testing.T) {
			ran++
			require.NotEmpty(t, b.wants)
			s, ds := b.load()
			require.NotNil(t, s)
			fmt.Fprintf(&all, "%s\n", b.name)
			wants := b.wants
			for _, d := range ds {
				fmt.Fprintf(&all, "  %s %q: %s\n", d.Code, firstLine(s, d), d.Detail)
				i := slices.IndexFunc(wants, func(w badWant) bool {
					return w.code == d.Code && w.file == d.At.Filename && (w.line == 0 || w.line == d.At.Start.Line) &&
						w.snippet == firstLine(s, d) && strings.Contains(d.Detail, w.text)
				})
				if i < 0 {
					t.Errorf("not wanted, at %q:\n%s", firstLine(s, d), show(s, diag.List{d}))
					continue
				}
				wants = slices.Delete(slices.Clone(wants), i, i+1)
			}
			for _, w := range wants {
				t.Errorf("%s:%d: missing %s at %q: %q", w.file, w.line, w.code, w.snippet, w.text)
			}
		})
	}
	const golden = "testdata/bad.txt"
	if ran < len(fabrics) {
		return // -run selects some of the fabrics
	}
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(all.String()), 0o644))
		return
	}
	if !t.Failed() {
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), all.String(), "run go test ./lang -run TestBad -update, and read the diff")
	}
}

// advice matches the words by which a message asks the reader to act.
var advice = regexp.MustCompile(`\b(Add|Break|Close|Compute|Correct|Declare|Delete|Did you mean|End|Expected|Fix|Give|Hand|Join|Leave|Look|Make|Merge|Move|Name|Order|Put|Raise|Replace|Save|Say|Set|Shorten|Split|Take|Use|Write)\b`)

// TestBadMessages checks the style of all messages about wrong fabrics: full stops, advice, and no words from the internals of HCL.
func TestBadMessages(t *testing.T) {
	for _, b := range readBad(t) {
		s, ds := b.load()
		for _, d := range ds {
			checkMessage(t, b.name, s, d)
		}
	}
}

func checkMessage(t *testing.T, name string, s *Source, d *diag.Diagnostic) {
	t.Helper()
	if topic := known[d.Code]; assert.NotNil(t, topic, "%s: %s", name, d.Code) {
		assert.Equal(t, topic.Summary, d.Summary, name)
	}
	says := fmt.Sprintf("%s: %s: %s", name, d.Code, d.Detail)
	assert.True(t, strings.HasSuffix(d.Detail, ".") || strings.HasSuffix(d.Detail, "?"), "no full stop: %s", says)
	assert.False(t, strings.HasSuffix(d.Detail, "..") && !strings.HasSuffix(d.Detail, "..."), "two full stops: %s", says)
	assert.Regexp(t, advice, d.Detail, "does not say what to do: %s", says)
	assert.LessOrEqual(t, utf8.RuneCountInString(d.Detail), 420, says)
	assert.NotRegexp(t, `(?i)\b(invalid|illegal|argument definition|block definition|traversal|unsupported attribute|cty)`, d.Detail, says)
	assert.False(t, strings.Contains(d.Detail, "tuple") && !strings.Contains(d.Detail, "tuple(["), says)
	if first, _ := utf8.DecodeRuneInString(d.Detail); unicode.IsLower(first) {
		assert.Regexp(t, `^(self|each|for_each|[a-z_]+ alone|link|mesh|module\.\S+|f/\S+) `, d.Detail, "no sentence: %s", says)
	}
	checkPlaces(t, name, s, d)
}

// checkPlaces checks that the places of a diagnostic are inside their files, and that its text is printable.
func checkPlaces(t testing.TB, name string, s *Source, d *diag.Diagnostic) {
	t.Helper()
	check := func(at diag.Range, text string) {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) }) {
			t.Errorf("%s: %s: not printable: %q", name, d.Code, text)
		}
		if at.Filename == "" {
			return
		}
		src, ok := s.Files[at.Filename]
		unread := slices.Contains([]string{"unreadable", "too-large"}, d.Code)
		switch {
		case !ok && unread:
		case !ok:
			t.Errorf("%s: %s: the file %q is not among those read", name, d.Code, at.Filename)
		case at.Start.Byte < 0 || at.End.Byte < at.Start.Byte || at.End.Byte > len(src) || at.Start.Line < 1 || at.Start.Column < 1:
			t.Errorf("%s: %s: the place %#v is outside of its file of %d bytes", name, d.Code, at, len(src))
		case at.Start.Line > strings.Count(string(src), "\n")+1:
			t.Errorf("%s: %s: line %d of %d", name, d.Code, at.Start.Line, strings.Count(string(src), "\n")+1)
		}
	}
	check(d.At, d.Detail)
	for _, n := range d.Notes {
		check(n.At, n.Message)
	}
}

// TestBadBytes checks places in files with byte order marks, line ends of Windows and tabs, which editors write.
func TestBadBytes(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"byte order mark":             {"\xef\xbb\xbffabric \"f\" {\n  mtuu = 1\n}\n", `unknown-attribute 2:3 "mtuu"`},
		"byte order mark and syntax":  {"\xef\xbb\xbffabric \"f\" {\n  mtu 1\n}\n", `syntax 2:3 "mtu"`},
		"byte order mark, first line": {"\xef\xbb\xbffabrik \"f\" {}\nfabric \"f\" {}\n", `unknown-block 1:1 "fabrik"`},
		"windows": {
			"fabric \"f\" {\r\n  mtu = 9\r\n  mtuu = 1\r\n}\r\n",
			`out-of-range 2:9 "9"|unknown-attribute 3:3 "mtuu"`,
		},
		"windows and an open quote":   {"fabric \"f\" {\r\n  routing = \"up\r\n}\r\n", `syntax 2:13 "\"up"`},
		"windows and no value":        {"fabric \"f\" {\r\n  mtu =\r\n}\r\n", `syntax 2:7 "="`},
		"windows, brace on next line": {"fabric \"f\"\r\n{\r\n}\r\n", `syntax 1:1 "fabric \"f\""`},
		"tabs":                        {"fabric\t\"f\" {\n\tmtu\t=\t9\n\tmtuu = 1\n}\n", `out-of-range 2:8 "9"|unknown-attribute 3:2 "mtuu"`},
		"wide letters":                {"# größe 大\nfabric \"f\" { root = \"größe\" }\n", `bad-name 2:21 "\"größe\""`},
		"no newline at the end":       {"fabric \"f\" {\n  mtu = 9\n}", `out-of-range 2:9 "9"`},
		"nothing":                     {"", `no-fabric 0:0 ""`},
		"only a mark":                 {"\xef\xbb\xbf", `no-fabric 0:0 ""`},
		"utf-16":                      {"\xff\xfef\x00a\x00", `invalid-utf8 1:1 "\xff"`},
		"latin-1":                     {"fabric \"f\" {}\n# gr\xf6\xdfe\n", `invalid-utf8 2:5 "\xf6"`},
	} {
		s, ds := loadText(t, c.src, Options{})
		var got []string
		for _, d := range ds {
			got = append(got, fmt.Sprintf("%s %d:%d %q", d.Code, d.At.Start.Line, d.At.Start.Column, firstLine(s, d)))
			checkMessage(t, name, s, d)
		}
		assert.Equal(t, c.want, strings.Join(got, "|"), name)
	}
}
