package diag

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestShorten(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	assert.Equal(t, x(200), Shorten(x(200)))
	assert.Equal(t, x(100)+"...(65,386 B left out)..."+x(50), Shorten(x(65_536)))
	assert.Equal(t, "The name \""+x(99)+"...(65,388 B left out)..."+x(49)+"\" is no name. Write another.",
		Shorten("The name \""+x(65_536)+"\" is no name. Write another."), "the sentence around a name stays")
	long := Shorten("Begin. " + strings.Repeat("word ", 10_000) + "End.")
	assert.LessOrEqual(t, len(long), mostMessage)
	assert.Regexp(t, `(?s)^Begin\. (word )+.* \.\.\. \(\d\d,\d{3} B left out\) \.\.\. .*(word )+End\.$`, long)
	short := strings.Repeat("word ", 100)
	assert.Equal(t, short, Shorten(short))
}

func TestShortenLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("ab é漢\n\t")), -1, -1, 600), 0, 12).Draw(t, "parts")
		text := strings.Join(parts, rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, "between"))
		got := Shorten(text)
		require.LessOrEqual(t, len(got), mostMessage)
		require.True(t, utf8.ValidString(got))
		require.Equal(t, got, Shorten(got), "a second call changes nothing")
		for w := range strings.FieldsSeq(got) {
			require.LessOrEqual(t, len(w), mostName)
		}
	})
}

// A diagnostic is bounded when it is made. Sorting its list bounds the parts that were added later.
func TestDiagnosticsAreBounded(t *testing.T) {
	huge := strings.Repeat("y", 1<<16)
	var l List
	l.Errorf(Range{}, "c", "s", "%q is bad.", huge).Note(Range{}, "%s", huge).Instead(Range{}, huge)
	d := l[0]
	assert.Less(t, len(d.Detail), 300)
	assert.Less(t, len(d.Notes[0].Message), 300)
	d.Detail += " " + huge
	d.Text = strings.Repeat(strings.Repeat("z ", 40)+"\n", 4000)
	l.Sort()
	assert.Less(t, len(d.Detail), 600)
	assert.Less(t, len(d.Fix.Message), 300)
	assert.LessOrEqual(t, len(d.Text), mostText)
	var b bytes.Buffer
	require.NoError(t, (&Printer{}).Print(&b, l))
	assert.Less(t, b.Len(), mostText+4*mostMessage)
}

func TestEscape(t *testing.T) {
	for _, tc := range []struct{ in, line, lines string }{
		{"plain é 漢字", "plain é 漢字", "plain é 漢字"},
		{"a\nb\tc\rd", `a\nb\tc\rd`, "a\nb\tc\\rd"},
		{"\x1b[2J\x00\x7f\xff", `\x1b[2J\x00\x7f\xff`, `\x1b[2J\x00\x7f\xff`},
		{"\u009b \u202e \u2066 \u200f \u061c \u2028", `\u009b \u202e \u2066 \u200f \u061c \u2028`, `\u009b \u202e \u2066 \u200f \u061c \u2028`},
		{"::add-mask::y", `\x3a:add-mask::y`, `\x3a:add-mask::y`},
		{"a ::error file=x::y", `a \x3a:error file=x::y`, `a \x3a:error file=x::y`},
		{"a\n ::debug::y", `a\n \x3a:debug::y`, "a\n \\x3a:debug::y"},
		{"a\t::ECHO::on", `a\t::ECHO::on`, "a\t\\x3a:ECHO::on"},
		{
			"a::error::b fe80::1 ::1 ::ffff:10.0.0.1 ::/0 ::", "a::error::b fe80::1 ::1 ::ffff:10.0.0.1 ::/0 ::",
			"a::error::b fe80::1 ::1 ::ffff:10.0.0.1 ::/0 ::",
		},
		{"x ##[group]y ##vso[a]b", `x \x23#[group]y \x23#vso[a]b`, `x \x23#[group]y \x23#vso[a]b`},
		{"###[x] ## [y] ##teamcity[z]", `#\x23#[x] ## [y] \x23#teamcity[z]`, `#\x23#[x] ## [y] \x23#teamcity[z]`},
		{"section_start:1:x\r\x1b[0K", `section_start:1:x\r\x1b[0K`, `section_start:1:x\r\x1b[0K`},
	} {
		assert.Equal(t, tc.line, Escape(tc.in))
		assert.Equal(t, tc.lines, EscapeLines(tc.in))
	}
}

// The commands of GitHub's runner: the runner obeys a command at the beginning of a line, even after spaces.
func TestWorkflowCommandsAreEscaped(t *testing.T) {
	for _, name := range []string{
		"add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group", "internal-set-repo-path", "notice",
		"remove-matcher", "save-state", "set-env", "set-output", "stop-commands", "warning",
	} {
		assert.Equal(t, `\x3a:`+name+"::x", Escape("::"+name+"::x"))
		assert.Equal(t, `\x3a:`+strings.ToUpper(name)+" a=b::x", Escape("::"+strings.ToUpper(name)+" a=b::x"))
	}
}

func TestWriteJSON(t *testing.T) {
	in := map[string]string{"a": "<&> \u009b \u202e \u2069 \u200e \u061c \x7f \U000e0001 é 漢字 😀\n ##[group]"}
	var line, indented bytes.Buffer
	require.NoError(t, WriteJSON(&line, in, false))
	require.NoError(t, WriteJSON(&indented, in, true))
	assert.Equal(t, `{"a":"<&> \u009b \u202e \u2069 \u200e \u061c \u007f \udb40\udc01 é 漢字 😀\n \u0023#[group]"}`+"\n", line.String())
	for _, text := range []string{line.String(), indented.String()} {
		var out map[string]string
		require.NoError(t, json.Unmarshal([]byte(text), &out))
		assert.Equal(t, in, out, "the meaning is the same")
	}
	assert.Error(t, WriteJSON(&line, func() {}, false))
}
