package cumulus

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
)

// The shares of queues: a class has the share of its weight, and divides it by the weights of its groups.
func TestShares(t *testing.T) {
	type group struct {
		cos, weight      int
		lossless, strict bool
	}
	for name, tt := range map[string]struct {
		groups []group
		want   [8]int
	}{
		"no weights: two halves": {[]group{{cos: 4, lossless: true}}, [8]int{9, 9, 8, 8, 50, 8, 8, 0}},
		"RoCE has 80":            {[]group{{cos: 4, lossless: true, weight: 80}}, [8]int{4, 4, 3, 3, 80, 3, 3, 0}},
		"CNPs are strict": {
			[]group{{cos: 4, lossless: true, weight: 40}, {cos: 6, strict: true}},
			[8]int{12, 12, 12, 12, 40, 12, 0, 0},
		},
		"two lossless": {
			[]group{{cos: 4, lossless: true, weight: 30}, {cos: 5, lossless: true, weight: 10}},
			[8]int{12, 12, 12, 12, 30, 10, 12, 0},
		},
		"a separate lossy group":     {[]group{{cos: 4, lossless: true, weight: 50}, {cos: 2, weight: 50}}, [8]int{9, 9, 8, 8, 50, 8, 8, 0}},
		"one takes nearly all":       {[]group{{cos: 4, lossless: true, weight: 99}}, [8]int{1, 1, 1, 1, 94, 1, 1, 0}},
		"every cos is strict or one": {[]group{{cos: 7, lossless: true, weight: 1}}, [8]int{15, 14, 14, 14, 14, 14, 14, 1}},
	} {
		s := newSample(t, "sn3700", "5.3.0")
		for i, g := range tt.groups {
			made := s.group(ir.CosGroup{Name: name, Cos: g.cos, Weight: g.weight, Lossless: g.lossless, Strict: g.strict})
			if i == 0 {
				s.intent("x", 1, made, nil)
			}
		}
		_, doc, _ := documented("5.3.0")
		assert.Equal(t, tt.want, lower(s.sw, doc).shares, name)
	}
}
