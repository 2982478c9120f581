package ir_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
)

// TestShareClasses: the test checks which priorities are strict, which are in the RoCE class and which in the rest, and the weights of the
// classes.
func TestShareClasses(t *testing.T) {
	const c, r, o = ir.ClassControl, ir.ClassRoCE, ir.ClassRest
	storage := &ir.CosGroup{Cos: 2, Weight: 30}
	for name, tt := range map[string]struct {
		groups     []*ir.CosGroup
		want       [8]ir.ShareClass
		roce, rest int
		percents   [8]int
	}{
		"nothing": {
			nil,
			[8]ir.ShareClass{o, o, o, o, o, o, o, c},
			50, 50,
			[8]int{15, 15, 14, 14, 14, 14, 14, 0},
		},
		"lossless": {
			[]*ir.CosGroup{{Cos: 3, Lossless: true}},
			[8]ir.ShareClass{o, o, o, r, o, o, o, c},
			50, 50,
			[8]int{9, 9, 8, 50, 8, 8, 8, 0},
		},
		"a lossy intent": {
			[]*ir.CosGroup{storage},
			[8]ir.ShareClass{o, o, r, o, o, o, o, c},
			30, 70,
			[8]int{12, 12, 30, 12, 12, 11, 11, 0},
		},
		"strict": {
			[]*ir.CosGroup{{Cos: 6, Strict: true}},
			[8]ir.ShareClass{o, o, o, o, o, o, c, c},
			50, 50,
			[8]int{17, 17, 17, 17, 16, 16, 0, 0},
		},
		"7 is claimed": {
			[]*ir.CosGroup{{Cos: 7, Weight: 10}},
			[8]ir.ShareClass{o, o, o, o, o, o, o, o},
			90, 10,
			[8]int{13, 13, 13, 13, 12, 12, 12, 12},
		},
		"the rest states": {
			[]*ir.CosGroup{storage, {Cos: 1, Weight: 20}},
			[8]ir.ShareClass{o, o, r, o, o, o, o, c},
			30, 20,
			[8]int{7, 7, 60, 7, 7, 6, 6, 0},
		},
		"two of one number": {
			[]*ir.CosGroup{{Cos: 3, Lossless: true, Weight: 40}, {Cos: 3, Strict: true}},
			[8]ir.ShareClass{o, o, o, r, o, o, o, c},
			40, 60,
			[8]int{10, 10, 10, 40, 10, 10, 10, 0},
		},
	} {
		f := &ir.Fabric{CosGroups: tt.groups, Intents: []*ir.Intent{{Group: storage}}}
		of, stated := ir.ShareClasses(f)
		assert.Equal(t, tt.want, of, name)
		roce, rest := ir.ShareRatio(stated[r], stated[o])
		assert.Equal(t, [2]int{tt.roce, tt.rest}, [2]int{roce, rest}, name)
		assert.Equal(t, tt.percents, ir.SharePercents(of, roce, rest, tt.groups), name)
	}
}

// TestWholePercents: whole percents of at least 1 that add up to 100, each as near as the others allow.
func TestWholePercents(t *testing.T) {
	assert.Equal(t, [8]int{}, ir.WholePercents([8]float64{}))
	rapid.Check(t, func(rt *rapid.T) {
		var parts [8]float64
		sum := 0
		var draw [8]int
		for i := range draw {
			draw[i] = rapid.IntRange(0, 127).Draw(rt, "part")
			sum += draw[i]
		}
		if sum == 0 {
			return
		}
		for i := range draw {
			parts[i] = 100 * float64(draw[i]) / float64(sum)
		}
		out := ir.WholePercents(parts)
		total := 0
		for i, p := range out {
			require.Equal(rt, parts[i] > 0, p >= 1)
			require.InDelta(rt, parts[i], float64(p), 8)
			total += p
			for j := range out {
				if parts[i] > parts[j] {
					require.GreaterOrEqual(rt, p, out[j]-1, "%v: %v", parts, out)
				}
			}
		}
		require.Equal(rt, 100, total)
	})
}
