package tools

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSplitLine: a line is split into words as a shell does. Text that the shell would expand keeps its "$".
func TestSplitLine(t *testing.T) {
	for _, c := range []struct {
		line string
		want []command
		open bool
	}{
		{"a b  c # d", []command{{words: []string{"a", "b", "c"}}}, false},
		{`a 'b c' "d \" e" f\ g`, []command{{words: []string{"a", "b c", `d " e`, "f g"}}}, false},
		{"a; b && c || d | e", []command{
			{words: []string{"a"}},
			{words: []string{"b"}, after: ";"},
			{words: []string{"c"}, after: "&&"},
			{words: []string{"d"}, after: "||"},
			{words: []string{"e"}, after: "|"},
		}, false},
		{"echo 1 > /f 2>&1", []command{{words: []string{"echo", "1"}, writes: "/f"}}, false},
		{"echo 1 >&2", []command{{words: []string{"echo", "1"}}}, false},
		{"echo 1 >/f", []command{{words: []string{"echo", "1"}, writes: "/f"}}, false},
		{"echo 106 >> /f", []command{{words: []string{"echo", "106"}, writes: "/f"}}, false},
		{"a &>/dev/null", []command{{words: []string{"a"}, writes: "/dev/null"}}, false},
		{"a 2>/dev/null b", []command{{words: []string{"a", "b"}}}, false},
		{"a & b", []command{{words: []string{"a"}}, {words: []string{"b"}, after: ";"}}, false},
		{"cat <<-END", []command{{words: []string{"cat"}, into: "END"}}, false},
		{"a < f", []command{{words: []string{"a"}}}, false},
		{"a $(b (c) d) `e` $F x`", []command{{words: []string{"a", "$()", "$", "$F", "x$"}}}, false},
		{"a 'b", []command{{words: []string{"a", "b"}}}, true},
		{`a ""`, []command{{words: []string{"a", ""}}}, false},
		{"$(a", []command{{words: []string{"$()"}}}, false},
		{"", nil, false},
		{`\`, []command{{words: []string{`\`}}}, false},
	} {
		got := splitLine(c.line)
		assert.Equal(t, c.want, got.commands, c.line)
		assert.Equal(t, c.open, got.open, c.line)
	}
}
