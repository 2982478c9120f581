package grammar_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/targets/sonic/grammar"
)

func scripts(steps []grammar.Stage) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteString(s.Script())
	}
	return b.String()
}

// TestIntervals: no watchdog has a time below the polling interval at any step, whether the interval or the times grow or shrink.
func TestIntervals(t *testing.T) {
	slow := read(t, `{"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "400"}, "Ethernet0": {"action": "drop", "detection_time": "400",
		"restoration_time": "800"}}}`)
	fast := read(t, `{"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}, "Ethernet0": {"action": "drop", "detection_time": "200",
		"restoration_time": "200"}}}`)
	unknown := grammar.Box{Version: grammar.Version{Release: 202505}}
	start := "pfcwd start --action drop Ethernet0 "
	steps, refused := grammar.Sequence(unknown, fast, slow)
	require.Empty(t, refused)
	assert.Equal(t, start+"400 --restoration-time 800 || exit\npfcwd interval 400 || exit\n", scripts(steps))
	steps, _ = grammar.Sequence(unknown, slow, fast)
	assert.Equal(t, "pfcwd interval 200 || exit\n"+start+"200 --restoration-time 200 || exit\n", scripts(steps))
	steps, _ = grammar.Sequence(unknown, grammar.New(), fast)
	assert.Equal(t, "pfcwd interval 200 || exit\n"+start+"200 --restoration-time 200 || exit\n", scripts(steps))
	steps, _ = grammar.Sequence(unknown, fast, grammar.New())
	assert.Equal(t, "pfcwd stop Ethernet0 || exit\nsonic-db-cli CONFIG_DB DEL 'PFC_WD|GLOBAL' || exit\n", scripts(steps))
	steps, _ = grammar.Sequence(grammar.Box{Version: unknown.Version, Family: "spc1"}, slow, fast)
	require.Len(t, steps, 1)
	assert.NotEmpty(t, steps[0].Ops, "a patch, if the switch accepts it")
}

// TestRefused: a change that no command makes is refused, with the reason.
func TestRefused(t *testing.T) {
	before := read(t, `{"BUFFER_PROFILE": {"own": {"xon": "1", "dynamic_th": "1"}}, "WRED_PROFILE": {"own": {"ecn": "ecn_none"}}}`)
	after := read(t, `{"BUFFER_PROFILE": {"own": {"xon": "2", "dynamic_th": "1"}}, "WRED_PROFILE": {"own": {"ecn": "ecn_all"}}}`)
	for _, release := range grammar.Releases {
		_, refused := grammar.Sequence(grammar.Box{Version: grammar.Version{Release: release}, Family: "spc1", HwSKU: "ACS-MSN2700"}, before,
			after)
		want := 2
		if release >= 202511 {
			want = 1
		}
		require.Len(t, refused, want, "%s", release)
		for _, r := range refused {
			assert.NotEmpty(t, r.Reason)
			assert.NotEmpty(t, r.Instead)
		}
	}
}

// TestSequenceLeadsThere: if nothing is refused, patches alone lead from any configuration to any other, and never leave a table empty.
func TestSequenceLeadsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := random(t, "before"), random(t, "after")
		box := grammar.Box{Version: grammar.Version{Release: 202605}, Family: "spc1"}
		steps, refused := grammar.Sequence(box, before, after)
		now := before
		patches := true
		for _, s := range steps {
			patches = patches && len(s.Cmds) == 0 && len(s.Drops) == 0
			next, err := grammar.Apply(now, s.Ops)
			require.NoError(t, err)
			for name, section := range next.Tables {
				require.NotEmpty(t, section.Rows, name)
			}
			now = next
		}
		if patches && len(refused) == 0 {
			require.Empty(t, grammar.Diff(now, after))
		}
	})
}

func TestLookup(t *testing.T) {
	c := read(t, `{"@lookup": {
		"100000|5m": {"size": "1", "xon": "2", "xoff": "3", "threshold": "4", "xon_offset": "5"}, "100000|300m": {}, "100000|40m": {},
		"100000|0m": {}, "25000|5m": {}, "x|5m": {}, "100000|5.5m": {}, "100000": {}}}`)
	l := grammar.LookupOf(c)
	assert.Equal(t, []int{5, 40, 300}, l.Lengths(100000), "a length of 0 turns buffers off")
	assert.Equal(t, []int{5}, l.Lengths(25000))
	assert.Empty(t, l.Lengths(400000))
	for metres, want := range map[float64]int{0.5: 5, 5: 5, 5.1: 40, 40: 40, 299: 300, 301: 0} {
		assert.Equal(t, want, l.Reach(100000, metres), "%g", metres)
	}
	assert.Zero(t, l.Reach(400000, 1))
	assert.Equal(t, grammar.Sizes{Size: "1", Xon: "2", Xoff: "3", Threshold: "4", XonOffset: "5"}, l[100000][5])
	assert.Nil(t, grammar.LookupOf(grammar.New()))
	assert.NotNil(t, grammar.LookupOf(read(t, `{"@lookup": {}}`)), "a file that is empty")
}

func TestSpelling(t *testing.T) {
	for mask, want := range map[uint8][]string{0: nil, 0x08: {"3"}, 0x18: {"3-4"}, 0x5c: {"2-4", "6"}, 0xff: {"0-7"}, 0x81: {"0", "7"}} {
		assert.Equal(t, want, grammar.Ranges(mask))
		back, ok := grammar.ParseDigits(grammar.SpellDigits(mask))
		assert.True(t, ok)
		assert.Equal(t, mask, back)
	}
	for _, s := range []string{"8", "3-4", "3,", ",", " 3", "33"} {
		_, ok := grammar.ParseDigits(s)
		assert.False(t, ok, s)
	}
	for s, want := range map[string]int{"5m": 5, "0m": 0, "05m": 5, "5": -1, "m": -1, "5.5m": -1, "-5m": -1, "99999999m": -1, "5mm": -1} {
		n, ok := grammar.ParseMetres(s)
		assert.Equal(t, want >= 0, ok, s)
		if ok {
			assert.Equal(t, want, n)
		}
	}
	for s, want := range map[string]bool{
		"3": true, "3-4": true, "4-3": false, "3-": false, "-4": false, "": false, "3-4-5": false,
		"a": false, "999": false,
	} {
		_, _, ok := grammar.ParseRange(s)
		assert.Equal(t, want, ok, s)
	}
	assert.Equal(t, grammar.Release(202505), grammar.ReleaseOf(read(t, `{"VERSIONS": {"DATABASE": {"VERSION": "version_202505_01"}}}`)))
	assert.Zero(t, grammar.ReleaseOf(read(t, `{"VERSIONS": {"DATABASE": {"VERSION": "version_4_0_3"}}}`)))
}
