package compiler

import (
	"bytes"
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
)

// modelRow is a row of testdata/headroom/models.csv.
type modelRow struct {
	model       *platform.Switch
	speed       int
	metres      float64
	least, most int
}

func modelRows(t *testing.T) (out []modelRow) {
	data, err := os.ReadFile("platform/testdata/headroom/models.csv")
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	require.NoError(t, err)
	for _, r := range rows[1:] {
		s, ok := platform.FindSwitch(r[0])
		require.True(t, ok, r[0])
		var n [4]int
		for i := range n {
			n[i], err = strconv.Atoi(r[1+i])
			require.NoError(t, err)
		}
		out = append(out, modelRow{s, n[0] * 1000, float64(n[1]), n[2], n[3]})
	}
	return out
}

// bufferAt derives the buffer of a port of a model.
func bufferAt(m *platform.Switch, speed int, metres float64, mtu int, sizes *ir.PFCSizes) *ir.Buffer {
	s := &sizing{models: map[*platform.Switch]*tables{}}
	return switchBuffer(bufferKey{
		group: &ir.CosGroup{PFC: sizes}, asic: m.ASIC, tables: s.published(m), metres: metres, mbps: speed, mtu: mtu, rdma: ir.LargestRDMA,
	})
}

// No derived headroom is below a published row of the model, for any share of small packets. Of the 372 rows, 18 raise the headroom above
// the tables of the chips, and 81 are above rocec's own sum. None of them is a row of Spectrum.
func TestNeedHoldsRowsOfModels(t *testing.T) {
	bind, below := map[string]int{}, map[string]int{}
	rows := modelRows(t)
	for _, r := range rows {
		if r.metres > platform.LongestRow {
			continue
		}
		w := wire{r.speed, r.metres, platform.PublishedMTU, allSmall, ir.LargestRDMA}
		if alone, _, _, _ := headroom(r.model.ASIC, nil, w); alone < r.least {
			below[r.model.ASIC.Name]++
		}
		for _, small := range []int{allSmall, 50, 1} {
			b := bufferAt(r.model, r.speed, r.metres, platform.PublishedMTU, &ir.PFCSizes{SmallPackets: ir.Num{N: small, From: []ir.Origin{{}}}})
			assert.GreaterOrEqual(t, b.Need, r.least, "%s %d %g", r.model.Name, r.speed, r.metres)
			assert.GreaterOrEqual(t, b.Headroom(), r.least, "%s %d %g", r.model.Name, r.speed, r.metres)
			assert.GreaterOrEqual(t, b.RowMost, r.most)
			assert.False(t, b.Unpublished)
			assert.Equal(t, b.Need, total(b.Terms), "the terms are the sum")
			if last := b.Terms[len(b.Terms)-1]; small == allSmall && last.Name == ir.ByRow {
				bind[r.model.ASIC.Name]++
				assert.Contains(t, last.Why, r.model.Name)
			}
		}
	}
	assert.Len(t, rows, 372)
	assert.Equal(t, map[string]int{"tomahawk2": 4, "tomahawk5": 8, "trident3": 6}, bind)
	assert.Equal(t, map[string]int{"tomahawk": 24, "tomahawk2": 6, "tomahawk5": 43, "trident3": 8}, below)
}

func TestRowBindsBetweenLengths(t *testing.T) {
	for _, c := range []struct {
		model  string
		speed  int
		metres float64
		mtu    int
		need   int
	}{
		{"7060x6-64pe", 400_000, 5, 9100, 425_958},
		{"7060x6-64pe", 400_000, 41, 9100, 475_234}, // the row of 60 m, 475,136, in cells
		{"7060x6-64pe", 400_000, 5, 9216, 426_466},
		{"z9864f", 400_000, 5, 9100, 393_192},
		{"7060x6-64de", 400_000, 5, 9100, 393_192}, // its chip's
	} {
		m, ok := platform.FindSwitch(c.model)
		require.True(t, ok)
		b := bufferAt(m, c.speed, c.metres, c.mtu, nil)
		assert.Equal(t, c.need, b.Need, "%s %d %g", c.model, c.speed, c.metres)
	}
	// The cable is longer than in all rows, so the sum and the chip's tables decide.
	m, _ := platform.FindSwitch("7060x6-64pe")
	b := bufferAt(m, 400_000, 501, 9100, nil)
	assert.Zero(t, b.Row.Bytes)
	assert.False(t, slices.ContainsFunc(b.Terms, func(t ir.Term) bool { return t.Name == ir.ByRow }))
	// It is compared with tests on hardware.
	assert.Contains(t, bufferAt(m, 400_000, 5, 9100, nil).Nightly.Why, "nightly tests of this chip expect 393,446 B, 400G at 5 m")
	// Nothing is published for Tomahawk+.
	none, _ := platform.FindSwitch("s5048f")
	assert.True(t, bufferAt(none, 100_000, 5, 9100, nil).Unpublished)
}
