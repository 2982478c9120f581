package compiler

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
)

// TestOneSet: the smallest derived thresholds apply to all marks. Written values stay, and if derived values cannot follow them, nothing
// changes.
func TestOneSet(t *testing.T) {
	type mark struct {
		min, max, probability int
		stated                string // n: min, x: max, p: probability
	}
	for name, c := range map[string]struct {
		marks         []mark
		min, max, pct int // 0: none
	}{
		"none":                       {nil, 0, 0, 0},
		"alike":                      {[]mark{{10, 100, 100, ""}, {10, 100, 100, ""}}, 0, 0, 0},
		"the least":                  {[]mark{{40, 400, 100, ""}, {10, 100, 100, ""}, {20, 200, 100, ""}}, 10, 100, 100},
		"a lower one that is stated": {[]mark{{40, 400, 100, ""}, {10, 100, 5, "nxp"}}, 10, 100, 5},
		"a greater one":              {[]mark{{40, 400, 100, "n"}, {10, 100, 100, ""}}, 0, 0, 0},
		"two that differ":            {[]mark{{40, 400, 100, "n"}, {10, 100, 100, "n"}}, 0, 0, 0},
		"two equal marks":            {[]mark{{10, 100, 100, "n"}, {10, 300, 100, "nx"}, {20, 200, 100, ""}}, 10, 300, 100},
		"a stated max":               {[]mark{{40, 500, 100, "x"}, {10, 100, 100, ""}}, 10, 500, 100},
		"a max below":                {[]mark{{4, 9, 100, "x"}, {10, 100, 100, "n"}}, 0, 0, 0},
		"a stated probability":       {[]mark{{40, 400, 7, "p"}, {10, 100, 100, ""}}, 10, 100, 7},
		"probabilities that differ":  {[]mark{{40, 400, 7, "p"}, {10, 100, 9, "p"}}, 0, 0, 0},
	} {
		var marks []*ir.Mark
		for _, m := range c.marks {
			e := &ir.ECN{}
			for _, r := range m.stated {
				switch stated := func(n int) ir.Num { return ir.Num{N: n, From: []ir.Origin{{Why: "stated"}}} }; r {
				case 'n':
					e.Min = stated(m.min)
				case 'x':
					e.Max = stated(m.max)
				case 'p':
					e.Probability = stated(m.probability)
				}
			}
			marks = append(marks, &ir.Mark{
				Group: &ir.CosGroup{ECN: e}, Min: ir.Derived{N: m.min}, Max: ir.Derived{N: m.max}, Probability: ir.Derived{N: m.probability},
			})
		}
		set, ok := oneSet(marks)
		assert.Equal(t, c.min > 0, ok, name)
		if ok {
			assert.Equal(t, []int{c.min, c.max, c.pct}, []int{set.Min.N, set.Max.N, set.Probability.N}, name)
			for _, m := range marks {
				got := withSet(m, &set, "a reason")
				assert.Equal(t, []int{c.min, c.max, c.pct}, []int{got.Min.N, got.Max.N, got.Probability.N}, name)
				assert.Equal(t, m.Min.N > c.min, got.Own == m.Min.N, name)
			}
		}
	}
}
