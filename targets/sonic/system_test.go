package sonic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

func TestReleases(t *testing.T) {
	for version, want := range map[string]grammar.Release{
		"202205": 202205, "202505": 202505, "202305.12": 202305, "SONiC.202505.12-1a2b3c4": 202505, "sonic.202311_RC.5-9f00_Internal": 202311,
		"20230531.19": 202305, "SONiC.20230531.19": 202305, "SONiC-OS-202411.0-dirty-20250101.101010": 202411, " 202511 ": 202511,
		"202605": 202605, "202012": 202012,
	} {
		b, ok := parseBranch(version)
		assert.True(t, ok, version)
		assert.Equal(t, want, b, version)
		assert.Empty(t, OS.Release(version), version)
	}
	for _, c := range []struct{ version, say string }{
		{"", "is not a release of SONiC"},
		{"master", "an image of master has no branch"},
		{"SONiC.master.123456-abc", "an image of master has no branch"},
		{"4.2.0-Enterprise_Base", "Enterprise SONiC has its own releases"},
		{"4.3.0", "is not a release of SONiC"},
		{"2025", "is not a release"},
		{"202513", "is not a release"},
		{"202500", "is not a release"},
		{"20250500", "is not a release"},
		{"20250532.1", "is not a release"},
		{"2025050", "is not a release"},
		{"202505 12", "is not a release"},
		{"202505x", "is not a release"},
		{"202505.12\x1b[31m", `\x1b`},
		{"SONiC.", "is not a release"},
		{strings.Repeat("202505.", 1000), "is not a release"},
		{"999999999999999999999999", "is not a release"},
	} {
		_, ok := parseBranch(c.version)
		assert.False(t, ok, c.version)
		said := OS.Release(c.version)
		assert.Contains(t, said, c.say)
		assert.Contains(t, said, `such as "202505"`, c.version)
		assert.Less(t, len(said), 600, "the quoted text is cut")
		assert.NotContains(t, said, "\x1b")
	}

	assert.Empty(t, sayBranch(OS.Newest), "rocec writes the newest release")
	for _, b := range grammar.Releases {
		assert.Empty(t, sayBranch(b.String()))
	}
	for version, want := range map[string]string{
		"": "states no version", "202211": "no longer maintained", "202012": "cannot be changed by patch", "202811": "not known to rocec",
		"master": "is not a release",
	} {
		assert.Contains(t, sayBranch(version), want, version)
	}
	d := &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Switch: &ir.Switch{Version: "202012", VersionAt: diag.Range{Filename: "f"}}}
	ds := CheckRelease(d)
	require.Len(t, ds, 1)
	assert.Equal(t, "f", ds[0].At.Filename)
	d.Switch.Version = "202505.12"
	assert.Empty(t, CheckRelease(d))
}

// The facts about the system on a chip are consistent, and have a source unless they are assumed.
func TestSystemOnChips(t *testing.T) {
	for _, a := range platform.ASICs {
		c := OS.Can(a, "")
		assert.True(t, c.PFC && c.ECN && c.PortTrust, a.Name)
		assert.Equal(t, 2, c.Lossless, a.Name)
		assert.False(t, c.Shared, "each lossless priority has its own priority group")
		assert.Equal(t, c.Source != "", chips[a.Name].source != "", a.Name)
		assert.Equal(t, OS.Title, c.System)
		assert.NotEmpty(t, c.Stuck)
		assert.NotEmpty(t, c.Counted)
	}
	for name := range chips {
		_, ok := platform.FindASIC(name)
		assert.True(t, ok, name)
	}
}

func TestFamilies(t *testing.T) {
	for chip, want := range map[string]string{
		"spectrum": "spc1", "spectrum2": "spc2", "spectrum2gearbox": "spc2", "spectrum3": "spc3", "spectrum4": "spc4", "spectrum5": "spc5",
		"spectrum6": "spc6", "trident2": "td2", "trident3": "td3", "tomahawk": "th", "tomahawk2": "th2", "tomahawk3": "th3", "tomahawk4": "th4",
		"tomahawk5": "th5", "helix4": "", "trident": "", "tridentplus": "", "trident2plus": "", "tomahawkplus": "", "tomahawk6": "",
	} {
		a, ok := platform.FindASIC(chip)
		require.True(t, ok, chip)
		assert.Equal(t, want, chips[a.Name].family, chip)
	}
}

func TestMemory(t *testing.T) {
	of := func(chip string, written bool) ir.MemoryModel {
		a, ok := platform.FindASIC(chip)
		require.True(t, ok, chip)
		return OS.Memory(a, "202505", written)
	}
	for _, c := range []struct {
		chip    string
		percent int
		alpha   string
		pool    bool
	}{
		{"spectrum", 50, "1", true},
		{"spectrum4", 50, "1", true},
		{"spectrum5", 100, "1", false},
		{"trident2", 100, "1/8", false},
		{"tomahawk3", 100, "1/4", false},
		{"tomahawk5", 100, "1", false},
	} {
		m := of(c.chip, false)
		assert.Equal(t, c.percent, m.Percent, c.chip)
		assert.Equal(t, c.alpha, m.Alpha.String(), c.chip)
		assert.Equal(t, c.pool, m.Pool, c.chip)
		assert.False(t, m.Absolute, c.chip)
		assert.True(t, strings.HasPrefix(m.PercentFrom, "assumed") && strings.HasPrefix(m.AlphaFrom, "assumed"), "hwskus differ")
	}
	for _, chip := range []string{"helix4", "trident", "trident2plus"} {
		assert.Zero(t, of(chip, false), "nothing is published for %s", chip)
	}
	for _, a := range platform.ASICs {
		assert.Zero(t, OS.Memory(a, "202505", true), "rocec writes no pools")
	}
	assert.Equal(t, ir.Alpha{Num: 1, Den: 256}, alphaOf(-8))
	assert.Equal(t, ir.Alpha{Num: 128, Den: 1}, alphaOf(7))

	d := &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Switch: &ir.Switch{}}
	assert.Empty(t, CheckMemory(d))
	d.Switch.MemoryWritten, d.Switch.MemoryAt = true, diag.Range{Filename: "f"}
	ds := CheckMemory(d)
	require.Len(t, ds, 1)
	assert.Equal(t, "sonic-memory-written", ds[0].Code)
	assert.Equal(t, "f", ds[0].At.Filename)
}
