package target

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
)

// Of the facts about the host itself, each family reports a part.
func TestJoinReported(t *testing.T) {
	says := func(text string) *Target {
		return &Target{Reported: func(*ir.Device, *Report) Reported {
			return Reported{Answers: map[string][]byte{"NICs": []byte(text)}, Wrong: []string{text}}
		}}
	}
	got := Join(says("a\n"), says("b\n")).Reported(nil, nil)
	assert.Equal(t, "a\nb\n", string(got.Answers["NICs"]))
	assert.Equal(t, []string{"a\n", "b\n"}, got.Wrong)
}
