package report

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/lang/diag"
)

// Columns count UTF-16 units of the line: the text between the columns is the text of the place.
func TestColumns(t *testing.T) {
	for _, line := range []string{
		`x = "many"`,
		`é = "many"`,
		`/* 宽字 */ x = "many"`,
		`/* 😀 */ x = "many" # 😀`,
		"/* e\u0301 👩‍👩‍👧 */ x = \"many\"",
		"\xff = \"many\"",
	} {
		for _, before := range []string{"", "first\n", "ä\r\n😀\r\n"} {
			src := before + line + "\n"
			var at diag.Range
			at.Filename = "f"
			at.Start.Byte = strings.Index(src, `"many"`)
			at.End.Byte = at.Start.Byte + len(`"many"`)
			p := &paths{files: map[string][]byte{"f": []byte(src)}}
			from, to := p.columns(at)
			units := utf16.Encode([]rune(line))
			assert.Equal(t, `"many"`, string(utf16.Decode(units[from-1:to-1])), line)
		}
	}
	p := &paths{files: map[string][]byte{"bom": []byte("\ufeffx = 1\n")}}
	at := diag.Range{Filename: "bom"}
	at.Start.Byte, at.End.Byte = 3, 4
	from, to := p.columns(at)
	assert.Equal(t, []int{1, 2}, []int{from, to}, "a byte order mark is not counted")
	at = diag.Range{Filename: "gone"}
	at.Start.Column, at.End.Column = 3, 7
	from, to = p.columns(at)
	assert.Equal(t, []int{3, 7}, []int{from, to}, "without the text of the file, the columns are those of the place")
	at.Start.Line, at.Start.Byte, at.End = 2, 12, diag.Range{}.End
	from, to = p.columns(at)
	assert.Equal(t, []int{3, 3}, []int{from, to}, "a place without an end")
}

// Characters with a meaning in a URI are escaped in file names.
func TestURI(t *testing.T) {
	p := &paths{root: "/r", names: map[string]string{}}
	for name, want := range map[string]string{
		"/r/a b#c?d%e.hcl": "a%20b%23c%3Fd%25e.hcl",
		"/r/é/宽.hcl":       "%C3%A9/%E5%AE%BD.hcl",
		"/r/c:/x.hcl":      "./c:/x.hcl",
		"/other/x.hcl":     "file:///other/x.hcl",
		"/r/..x/y.hcl":     "..x/y.hcl",
	} {
		uri, relative := p.uri(name)
		assert.Equal(t, want, uri)
		assert.Equal(t, strings.HasPrefix(name, "/r/"), relative)
	}
}
