package cumulus

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
)

// A port has one spelling, and reading the spelling returns the port.
func TestFrontPanelNames(t *testing.T) {
	sw, ok := platform.FindSwitch("sn2410")
	require.True(t, ok)
	for name, want := range map[string]ir.Front{
		"swp1": {Number: 1, Sub: -1}, "swp48": {Number: 48, Sub: -1}, "swp49s0": {Number: 49}, "swp56s3": {Number: 56, Sub: 3},
		"swp9999": {Number: 9999, Sub: -1},
	} {
		f, ok := OS.Read(sw, name)
		require.True(t, ok, name)
		assert.Equal(t, want, f, name)
		assert.Equal(t, name, OS.Spell(sw, f))
	}
	for _, name := range []string{"swp0", "swp01", "swp1s", "swp49s00", "eth0", "SWP1", "swp99999999999999999999", "swp10000", ""} {
		_, ok := OS.Read(sw, name)
		assert.False(t, ok, name)
	}
	assert.Equal(t, "swp1-48 (25G), swp49-56 (100G, splits into 4)", OS.PortsText(sw))
	assert.Len(t, OS.Ports(sw), 56)
	assert.Equal(t, "swp56", OS.Ports(sw)[55])
}

func TestReleases(t *testing.T) {
	for _, v := range []string{"3.4", "3.4.3", "4.3.0", "3.7.16"} {
		assert.Empty(t, OS.Release(v), v)
	}
	for _, v := range []string{"", "4", "4.3.0.7", "4.x", "v4.3", "4..3", "4.12345"} {
		assert.Contains(t, OS.Release(v), "is not a release", v)
	}
	for v, last := range map[string]string{"2.6": "2.5", "3.8": "3.7", "3.99.1": "3.7", "4.5.0": "4.4", "4.33": "4.4"} {
		assert.Contains(t, sayRelease(v), "There is no Cumulus Linux "+v+": "+last+" is the last of", v)
	}
	for _, v := range []string{"3.7.16", "4.4.5", "5.3.1", "5.99"} {
		assert.Empty(t, sayRelease(v), v)
	}
	assert.Empty(t, sayRelease(OS.Newest), "rocec writes for the newest release")
}

// The features of a chip are consistent, and have a source unless they are assumed.
func TestSystemOnChips(t *testing.T) {
	for _, a := range platform.ASICs {
		c := OS.Can(a, "")
		assert.Equal(t, c.PFC, c.Lossless > 0, a.Name)
		assert.Equal(t, c.Source != "", chips[a.Name].source != "", a.Name)
		assert.Equal(t, OS.Title, c.System)
		assert.NotEmpty(t, c.Stuck)
	}
}
