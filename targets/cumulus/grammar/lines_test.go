package grammar

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestParsePrints: printing a parsed file returns the same bytes.
func TestParsePrints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab.=# \t\r\n[],\"\x00é")), 0, 200, -1).Draw(t, "text")
		lines, _ := Parse([]byte(text))
		var b []byte
		for i := range lines {
			b = lines[i].AppendTo(b)
		}
		require.Equal(t, text, string(b))
	})
}
