package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/oracle"
)

// tiedCabling draws switches of which several share an AS number, or a fabric of [drawn]. The former has layers of two or three switches
// that are mostly joined to the next layer, and a few more links, so that many paths are equally long.
func tiedCabling(r *rand.Rand) *irtest.Cabling {
	c := irtest.New(ir.EBGP)
	if r.IntN(3) == 0 {
		c = drawn(r, ir.EBGP)
	} else {
		width, layers := 2+r.IntN(2), 3+r.IntN(2)
		name := func(layer, i int) string { return fmt.Sprintf("s%d.%d", layer, i) }
		for l := range layers - 1 {
			for i := range width {
				for k := range width {
					if i == k || r.IntN(3) > 0 {
						c.Link(name(l, i), name(l+1, k))
					}
				}
			}
		}
		for range r.IntN(3) {
			if a, b := name(r.IntN(layers), r.IntN(width)), name(r.IntN(layers), r.IntN(width)); a != b {
				c.Link(a, b)
			}
		}
		for _, d := range slices.Clone(c.F.Devices) {
			if r.IntN(2) == 0 {
				c.Hosts(d.Name)
			}
		}
		c.Hosts(name(0, 0), name(layers-1, 0), name(layers-1, 1))
	}
	numbers := 3 + r.IntN(5)
	for _, d := range c.F.Devices {
		if d.Switch != nil {
			d.Switch.ASN = 65_000 + r.IntN(numbers)
		}
	}
	return c
}

// assertDecided checks the verdict on a drawn fabric, and returns the kind of decision it needed.
func assertDecided(t require.TestingT, seed uint64, failures int) string {
	r := rand.New(rand.NewPCG(seed, 71))
	c := tiedCabling(r).Failures(failures)
	if r.IntN(4) == 0 {
		c.Bounce()
	}
	f := routed(c)
	if tree(f) || uniqueASNs(f) {
		return "no ties" // followed as shortest paths
	}
	p := judged(t, f)
	require.NotEqual(t, validate.Unknown, p.Verdict, p.Why())
	want := oracle.Tied{}
	fewest, ways := 0, 0
	for down := range oracle.Sets(f, failures) {
		if want.Prone && len(down) > fewest {
			break
		}
		tied, ok := oracle.EveryTie(f, down, 2000)
		if !ok {
			return "too many"
		}
		ways = max(ways, tied.States)
		if tied.Prone && (!want.Prone || tied.Circle < want.Circle) {
			want, fewest = tied, len(down)
		}
	}
	require.Equal(t, want.Prone, p.Verdict == validate.Prone, p.Why())
	if want.Prone {
		require.Equal(t, fewest, p.Failures)
		require.Len(t, p.Loops[0].Circle, want.Circle)
		assertWitness(t, f, p)
	}
	switch {
	case ways < 2:
		return "no ties"
	case want.Prone && p.Loops[0].Choices != nil:
		return "a circle that needs choices"
	}
	return "ties, " + string(p.Verdict)
}

// The verdict on a small fabric under eBGP is never unknown, although routers may advertise any of several equal routes. It is prone if
// and only if some combination of choices holds a circle, and its circle is the shortest over all combinations.
func TestTiesAreDecided(t *testing.T) {
	t.Parallel()
	met := map[string]int{}
	for seed := range uint64(150) {
		met[assertDecided(t, seed, int(seed%2))]++
	}
	t.Log(met)
	assert.Greater(t, met["ties, free"], 5)
	assert.Greater(t, met["a circle that needs choices"], 5)
	assert.Less(t, met["too many"], 5)
	rapid.Check(t, func(t *rapid.T) {
		assertDecided(t, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 1).Draw(t, "failures"))
	})
}
