package platform

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTablesAreSound(t *testing.T) {
	seen := map[string]string{}
	claim := func(table, name string) {
		key := table + "/" + Fold(name)
		assert.Empty(t, seen[key], "%s: %s is claimed twice", table, name)
		seen[key] = name
	}
	for _, a := range ASICs {
		for _, n := range append([]string{a.Name}, a.Aliases...) {
			claim("asic", n)
		}
		assert.NotEmpty(t, a.Source, a.Name)
		assert.NotEmpty(t, a.Title, a.Name)
		assert.Positive(t, a.Cell, a.Name)
		assert.Zero(t, a.Buffer%a.Cell, "%s: the buffer is not a whole number of cells", a.Name)
		assert.Contains(t, append([]int{Unsized}, Speeds...), a.MaxSpeed, a.Name)
	}
	for _, s := range Switches {
		for _, n := range append([]string{s.Name}, s.Aliases...) {
			claim("switch", n)
		}
		assert.NotEmpty(t, s.Source, s.Name)
		require.NotNil(t, s.ASIC, s.Name)
		last := 0
		for _, r := range s.Ports {
			assert.Greater(t, r.First, last, "%s: ports overlap", s.Name)
			assert.GreaterOrEqual(t, r.Last, r.First, s.Name)
			assert.Contains(t, append([]int{Unsized}, Speeds...), r.Speed, s.Name)
			assert.Contains(t, []int{1, 4, 8}, r.Lanes, s.Name)
			assert.Equal(t, r.Speed != Unsized, Runs(r.Speed, r.Lanes, r.Speed), s.Name)
			assert.True(t, Runs(r.Speed, r.Lanes, min(r.Speed, 800_000)), s.Name)
			last = r.Last
			assert.LessOrEqual(t, r.Speed, s.ASIC.MaxSpeed, "%s: port faster than its chip", s.Name)
		}
	}
}

func TestNamesAreFound(t *testing.T) {
	for written, want := range map[string]string{
		"sn2700": "sn2700", "MSN2700": "sn2700", "msn2700": "sn2700", "Mellanox SN2700": "sn2700", "nvidia-sn4600c": "sn4600c",
		"ACS-MSN2700": "sn2700", "S6000-ON": "s6000", "Dell Z9100-ON": "z9100", "accton_as7712_32x": "as7712-32x", "DX010": "seastone",
		"SN3750-SX": "sn3750sx", "Arista-7060CX-32S": "7060cx-32s", "arista_7260cx3_64": "7260cx3-64", "Force10-S6000": "s6000",
		"DellEMC Z9332F": "z9332f", "Arista 7050CX3-32C": "7050cx3-32s",
	} {
		s, ok := FindSwitch(written)
		if assert.True(t, ok, written) {
			assert.Equal(t, want, s.Name)
		}
	}
	for written, want := range map[string]string{
		"Trident II": "trident2", "trident2+": "trident2plus", "Spectrum-4": "spectrum4", "Trident+": "tridentplus", "tomahawk_2": "tomahawk2",
	} {
		a, ok := FindASIC(written)
		if assert.True(t, ok, written) {
			assert.Equal(t, want, a.Name)
		}
	}
	for _, wrong := range []string{"", "sn", "sn27000", "mellanox", "on", "msn"} {
		_, ok := FindSwitch(wrong)
		assert.False(t, ok, wrong)
	}
}

// Known chips without sizes cannot be used in a fabric, and each has a reason and a source.
func TestUnsized(t *testing.T) {
	for _, a := range UnsizedASICs {
		for _, n := range append([]string{a.Name, a.Title}, a.Aliases...) {
			found, ok := FindUnsized(n)
			assert.True(t, ok, n)
			assert.Same(t, a, found)
			_, sized := FindASIC(n)
			assert.False(t, sized, n)
		}
		assert.NotEmpty(t, a.Why)
		assert.NotEmpty(t, a.Source)
	}
	_, ok := FindUnsized("tomahawk6")
	assert.False(t, ok)
}

func TestNewer(t *testing.T) {
	chips := ASICNames()
	models := SwitchNames()
	nics := []string{"connectx-3", "connectx-9", "bluefield-3", "e810-c", "soft-roce"}
	for name, c := range map[string]struct {
		known []string
		want  bool
	}{
		"connectx-10": {nics, true}, "ConnectX-11 Dx": {nics, true}, "bluefield-4": {nics, true}, "connectx-9-dx": {nics, false},
		"connectx-2": {nics, false}, "connectx-55": {nics, false}, "conectx-10": {nics, false}, "soft-roce": {nics, false}, "": {nics, false},
		"tomahawk7": {chips, true}, "Spectrum-7": {chips, true}, "spektrum": {chips, false},
		"sn6800": {models, true}, "sn27000": {models, false}, "sn2007": {models, false}, "9999999999999999999999": {models, false},
	} {
		assert.Equal(t, c.want, Newer(name, c.known), name)
	}
}

func TestPort(t *testing.T) {
	sw, _ := FindSwitch("sn2410")
	for _, c := range []struct {
		number, sub int
		speed       int // 0: the model has no such port
		ok          bool
	}{
		{1, -1, 25_000, true},
		{48, -1, 25_000, true},
		{49, 0, 100_000, true},
		{56, 3, 100_000, true},
		{1, 0, 25_000, false},
		{49, 4, 100_000, false},
		{57, -1, 0, false},
		{0, -1, 0, false},
	} {
		r, ok := sw.Port(c.number, c.sub)
		assert.Equal(t, c.ok, ok, c)
		assert.Equal(t, c.speed, r.Speed, c)
	}
}

func TestSplitAndSpeeds(t *testing.T) {
	for _, c := range []struct {
		r            PortRange
		sub          int
		speed, lanes int
	}{
		{qsfp28(1, 1), -1, 100_000, 4},
		{qsfp28(1, 1), 0, 50_000, 2},
		{qsfp28(1, 1), 1, 50_000, 2},
		{qsfp28(1, 1), 2, 25_000, 1},
		{qsfp28(1, 1), 3, 25_000, 1},
		{qsfpplus(1, 1), 3, 10_000, 1},
		{qsfpdd(1, 1), 3, 100_000, 2},
		{qsfpdd(1, 1), 7, 50_000, 1},
	} {
		speed, lanes := c.r.Split(c.sub)
		assert.Equal(t, [2]int{c.speed, c.lanes}, [2]int{speed, lanes}, "%v s%d", c.r, c.sub)
	}
	for _, c := range []struct {
		r            PortRange
		lane         int
		used         []int
		speed, lanes int
	}{
		{qsfp28(1, 1), 0, []int{0}, 50_000, 2}, // a single part is one of two
		{qsfp28(1, 1), 0, []int{0, 2}, 50_000, 2},
		{qsfp28(1, 1), 2, []int{0, 2}, 50_000, 2},
		{qsfp28(1, 1), 1, []int{1}, 25_000, 1},
		{qsfp28(1, 1), 0, []int{0, 1}, 25_000, 1},
		{qsfp28(1, 1), 2, []int{0, 1, 2}, 50_000, 2}, // parts of one port may differ
		{qsfp28(1, 1), 2, []int{0, 1, 2, 3}, 25_000, 1},
		{qsfpdd(1, 1), 4, []int{0, 4}, 200_000, 4},
		{qsfpdd(1, 1), 6, []int{0, 2, 4, 6}, 100_000, 2},
		{qsfpdd(1, 1), 4, []int{0, 1, 2, 3, 4}, 200_000, 4},
		{osfp(1, 1), 7, nil, 100_000, 1},
		{PortRange{1, 1, Unsized, 8}, 4, []int{0, 2, 4}, 800_000, 4},
	} {
		speed, lanes := c.r.PartAt(c.lane, c.used)
		assert.Equal(t, [2]int{c.speed, c.lanes}, [2]int{speed, lanes}, "%v lane %d of %v", c.r, c.lane, c.used)
	}
	assert.True(t, Runs(100_000, 4, 40_000))
	assert.True(t, Runs(100_000, 4, 25_000))
	assert.False(t, Runs(50_000, 2, 40_000), "40G needs four lanes")
	assert.False(t, Runs(40_000, 4, 25_000), "QSFP+ lanes run at 10G")
	assert.False(t, Runs(100_000, 4, 200_000))
	assert.False(t, Runs(100_000, 4, 30_000))
	assert.Equal(t, "25G", SpeedText(25_000))
	assert.Equal(t, "100M", SpeedText(100))
}

func TestPauseQuanta(t *testing.T) {
	assert.Equal(t, 394, PauseQuanta(100_000))
	assert.Equal(t, 118, PauseQuanta(30_000), "a speed between two has the value of the faster one")
	assert.Equal(t, 905, PauseQuanta(1_600_000))
	last := 0
	for _, s := range Speeds {
		assert.GreaterOrEqual(t, PauseQuanta(s), last, "never falls with speed")
		last = PauseQuanta(s)
	}
}

// The expected fractions are the exact waste of Broadcom cells and the factors of the SONiC script.
func TestCellWaste(t *testing.T) {
	for name, want := range map[string][2]string{
		"spectrum": {"2", "1.979"}, "spectrum2": {"3", "2.250"}, "spectrum4": {"3", "3"},
		"tomahawk": {"2.476", "2.476"}, "trident3": {"3.048", "3.048"},
	} {
		a, ok := FindASIC(name)
		require.True(t, ok)
		worst, likely := a.CellWaste()
		assert.Equal(t, want, [2]string{worst.String(), likely.String()}, name)
	}
}
