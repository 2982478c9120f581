package ir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
)

// cardIn returns the settings of a NIC that carries an intent in a fabric with some groups.
func cardIn(groups []*ir.CosGroup) *ir.Card {
	n := &ir.NIC{Device: &ir.Device{Fabric: &ir.Fabric{CosGroups: groups}}}
	return ir.CardOf(n, []*ir.Intent{{Group: &ir.CosGroup{}}})
}

func TestCardSchedule(t *testing.T) {
	g := func(cos, weight int, how string) *ir.CosGroup {
		return &ir.CosGroup{Cos: cos, Weight: weight, Strict: how == "strict", Lossless: how == "lossless"}
	}
	for _, c := range []struct {
		name   string
		groups []*ir.CosGroup
		bw     string
		tc     string
	}{
		{"as written", []*ir.CosGroup{g(0, 40, ""), g(4, 60, "lossless"), g(6, 0, "strict")}, "40,0,0,0,60,0,0,0", "0,0,0,0,4,0,6,0"},
		{"the rest of a hundred", []*ir.CosGroup{g(4, 60, "lossless")}, "40,0,0,0,60,0,0,0", "0,0,0,0,4,0,0,0"},
		{"shares, not percent", []*ir.CosGroup{g(0, 1, ""), g(4, 2, "lossless")}, "33,0,0,0,67,0,0,0", "0,0,0,0,4,0,0,0"},
		{"more than a hundred", []*ir.CosGroup{g(0, 100, ""), g(4, 100, "lossless"), g(5, 100, "")}, "34,0,0,0,33,33,0,0", "0,0,0,0,4,5,0,0"},
		{"no weight, and the others use all", []*ir.CosGroup{g(0, 0, ""), g(4, 100, "lossless")}, "1,0,0,0,99,0,0,0", "0,0,0,0,4,0,0,0"},
		{"nothing written", []*ir.CosGroup{g(0, 0, ""), g(4, 0, "lossless")}, "50,0,0,0,50,0,0,0", "0,0,0,0,4,0,0,0"},
		{"cos 0 is lossless", []*ir.CosGroup{g(0, 50, "lossless"), g(2, 50, "")}, "50,0,50,0,0,0,0,0", "0,2,2,2,2,2,2,2"},
		{"cos 0 is lossless and alone", []*ir.CosGroup{g(0, 50, "lossless")}, "50,50,0,0,0,0,0,0", "0,1,1,1,1,1,1,1"},
		{"tiny next to huge", []*ir.CosGroup{g(0, 1, ""), g(1, 1, ""), g(2, 1000, ""), g(3, 1, "")}, "1,1,97,1,0,0,0,0", "0,1,2,3,0,0,0,0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := cardIn(c.groups)
			eight := func(of [8]uint8) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(of), " ", ","), "[]") }
			assert.Equal(t, c.bw, eight(s.Share))
			assert.Equal(t, c.tc, eight(s.TC))
		})
	}
}

// TestCardShares: for all weights, the shares sum to 100 over the classes that share, and each is at least 1.
func TestCardShares(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var groups []*ir.CosGroup
		for cos := range 8 {
			if rapid.Bool().Draw(r, "there") {
				groups = append(groups, &ir.CosGroup{
					Cos: cos, Weight: rapid.IntRange(0, 100).Draw(r, "weight"),
					Strict: rapid.Bool().Draw(r, "strict"), Lossless: rapid.Bool().Draw(r, "lossless"),
				})
			}
		}
		s := cardIn(groups)
		sum, shared := 0, false
		for t, ets := range s.ETS {
			if ets {
				shared = true
				require.Positive(r, s.Share[t])
			} else {
				require.Zero(r, s.Share[t])
			}
			sum += int(s.Share[t])
		}
		if shared {
			require.Equal(r, 100, sum)
		}
	})
}
