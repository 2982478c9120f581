package parse

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
)

// The mistakes in a file do not depend on the cut of the file into pieces.
func TestMistakesInPieces(t *testing.T) {
	for _, bad := range []string{
		"switch \"s\"\n{\n  model = 1\n}\n",
		"roce\n\"storage\" {\n}\n",
		"switch \"s\" {\n  model = 1\n  model = 2\n}\nswitch \"t\"\n{\n}\n",
		"locals { a = 2* }\nlocals {\n  b = \n}\n",
	} {
		for _, size := range []int{0, PieceSize - 10, PieceSize, 3 * PieceSize} {
			src := []byte(strings.Repeat("#\n", size/2) + bad)
			var want, got diag.List
			Body("a.hcl", src, &want)
			pieces("a.hcl", src, func(p parsed) { got = append(got, p.ds...) })
			want.Sort()
			got.Sort()
			require.NotEmpty(t, want)
			assert.Equal(t, want, got, bad)
		}
	}
}
