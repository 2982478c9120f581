package trial

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// honest are the readings of a control on an honest device.
func honest() map[string]string {
	return map[string]string{
		OfFabric: "/a x = 1\n/a y = 5\nsha256 11 /a\n", Before: "/a x = 0\n/a y = 5\n/a other = 3\nsha256 00 /a\n",
		Sent: "/a x = 2\n/a y = 5\nsha256 22 /a\n", After: "/a x = 2\n/a y = 5\n/a other = 3\nsha256 22 /a\n",
		Later: "/a x = 2\n/a y = 5\n/a other = 3\nsha256 22 /a\n", Undone: "/a x = 0\n/a y = 5\n/a other = 3\nsha256 00 /a\n",
		LaterOn: "/a x = 0\n/a y = 5\n/a other = 3\nsha256 00 /a\n",
	}
}

func TestJudgeWrite(t *testing.T) {
	t.Parallel()
	of, _ := Find(ID(Control, Stored))
	v, why := of.Judge(honest())
	assert.Equal(t, target.Holds, v)
	assert.Empty(t, why)
	for says, c := range map[string]struct {
		change func(read map[string]string)
		want   target.Verdict
	}{
		`There is no reading "after".`:     {func(r map[string]string) { delete(r, After) }, target.NotDecided},
		"had these settings before":        {func(r map[string]string) { r[Sent] = r[Before] }, target.NotDecided},
		"writes what the fabric has":       {func(r map[string]string) { r[OfFabric] = r[Sent] }, target.NotDecided},
		"/a x is 0 after the write, and 2": {func(r map[string]string) { r[After] = r[Before] }, target.DoesNotHold},
		"/a x is absent after the write":   {func(r map[string]string) { r[After] = "/a y = 5\n" }, target.DoesNotHold},
		"/a other was not sent, and changed from 3 to 4": {
			func(r map[string]string) { r[After] = strings.Replace(r[After], "other = 3", "other = 4", 1) }, target.DoesNotHold,
		},
		"/a x is 0 seconds later, and 2 after.": {func(r map[string]string) { r[Later] = r[Before] }, target.DoesNotHold},
		"/a x is 2 after the undo, and 0 before": {
			func(r map[string]string) { r[Undone], r[LaterOn] = r[After], r[After] }, target.DoesNotHold,
		},
		"/a x is 2 seconds after the undo, and 0 after": {func(r map[string]string) { r[LaterOn] = r[After] }, target.DoesNotHold},
		"The bytes after the undo are not those before": {
			func(r map[string]string) { r[Undone] = strings.Replace(r[Undone], "00", "33", 1) }, target.DoesNotHold,
		},
		"Only mlnx_qos can give DCBX back": {func(r map[string]string) {
			r[Before] += "/a dcbx = firmware\n"
			r[Undone] += "/a dcbx = host\n"
			r[LaterOn] = r[Undone]
		}, target.NotDecided},
	} {
		read := honest()
		c.change(read)
		v, why := of.Judge(read)
		assert.Equal(t, c.want, v, says)
		assert.Contains(t, why, says)
	}
}

// A device that answers with the same text at every moment is never found to hold.
func TestJudgeWriteCache(t *testing.T) {
	t.Parallel()
	line := rapid.SampledFrom([]string{"a = 1\n", "a = 2\n", "b = 1\n", "b = 2\n", "sha256 1 /a\n"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(line, 1, 4).Draw(t, "cached"), "")
		read := map[string]string{OfFabric: strings.Join(rapid.SliceOfN(line, 1, 4).Draw(t, "fabric"), "")}
		for _, m := range []string{Before, After, Later, Undone, LaterOn} {
			read[m] = text
		}
		read[Sent] = strings.Join(rapid.SliceOfN(line, 1, 4).Draw(t, "sent"), "")
		for _, id := range []string{ID(Control, Stored), ID(Fabric, Running)} {
			of, _ := Find(id)
			v, _ := of.Judge(maps.Clone(read))
			require.NotEqual(t, target.Holds, v)
		}
	})
}

// Vary keeps every verdict.
func TestVary(t *testing.T) {
	t.Parallel()
	line := rapid.SampledFrom([]string{"a = 1\n", "a = 2\n", "b = 1\n", "b = 2\n", "c = 1\n", "sha256 1 /a\n", "sha256 2 /a\n"})
	of, _ := Find(ID(Control, Stored))
	rapid.Check(t, func(t *rapid.T) {
		var all []Reading
		for _, m := range []string{OfFabric, Before, Sent, After, Later, Undone, LaterOn} {
			all = append(all, Reading{m, "same = 1\n" + strings.Join(rapid.SliceOfN(line, 1, 3).Draw(t, m), "")})
		}
		at := func(all []Reading) map[string]string {
			out := map[string]string{}
			for _, r := range all {
				out[r.Moment] = r.Text
			}
			return out
		}
		want, _ := of.Judge(at(all))
		got, _ := of.Judge(at(Vary(all)))
		require.Equal(t, want, got)
		require.NotContains(t, Vary(all)[0].Text, "same = 1")
	})
}

func TestJudgeLoaded(t *testing.T) {
	t.Parallel()
	of, _ := Find(ID(Fabric, Loaded))
	result := func(o deploy.Outcome, use, adjusted string) string {
		return ResultText(&deploy.Result{Outcome: o, InUse: use, Files: []deploy.FileResult{{Adjusted: adjusted}}})
	}
	good, undone := result(deploy.Unconfirmed, deploy.UseYes, ""), result(deploy.Restored, "", "")
	for _, c := range []struct {
		did, undid string
		want       target.Verdict
		says       string
	}{
		{good, undone, target.Holds, ""},
		{"", "", target.NotDecided, "The outcome of the write is not known."},
		{good, "", target.NotDecided, "The outcome of the undo is not known."},
		{result(deploy.Refused, "", ""), "", target.NotDecided, "The outcome of the write is refused."},
		{result(deploy.Restored, "", ""), "", target.DoesNotHold, "The outcome of the write is restored."},
		{good, result(deploy.Unknown, "", ""), target.DoesNotHold, "The outcome of the undo is unknown."},
		{result(deploy.Unconfirmed, deploy.UseYes, "a is 5"), undone, target.DoesNotHold, "another value than the written one: a is 5"},
		{result(deploy.Unconfirmed, deploy.UseNo, ""), undone, target.DoesNotHold, "it does not use the content"},
		{result(deploy.Unconfirmed, deploy.UseUnknown, ""), undone, target.NotDecided, "does not show whether it uses the content"},
	} {
		v, why := of.Judge(map[string]string{Outcome: c.did, Undoing: c.undid})
		assert.Equal(t, c.want, v, c.says)
		assert.Contains(t, why, c.says)
	}
}

func TestJudgePauses(t *testing.T) {
	t.Parallel()
	of, _ := Find(PausesID)
	text := func(paused, dropped string) string {
		out := HostPauses("store1", []byte("ens1f0 rx_prio3_pause "+paused+
			"\nens1f0 rx_prio3_packets 7\n- uptime 5\nens1f0 rx_prio3_pause x\n"))
		if dropped != "" {
			out += SwitchPauses([]ir.PauseCounters{{Port: "swp1", Priority: 3, Dropped: ir.Counter{Value: uint64(len(dropped)), Known: true}}})
		}
		return out
	}
	for _, c := range []struct {
		before, after, lossy string
		want                 target.Verdict
		says                 string
	}{
		{text("5", "-"), text("9", "-"), text("9", "-"), target.Holds, ""},
		{text("5", "-"), text("2", "-"), text("2", "-"), target.Holds, ""}, // the counter was reset
		{text("5", "-"), text("5", "-"), text("5", "-"), target.NotDecided, "No pause was counted"},
		{text("5", "-"), text("9", "---"), text("9", "-"), target.DoesNotHold, "dropped 2 packets"},
		{text("5", "-"), text("9", "-"), text("10", "-"), target.NotDecided, "1 pause rose for the lossy class"},
		{text("5", ""), text("9", ""), text("9", ""), target.NotDecided, "No counter of drops was read"},
		{text("x", "-"), text("x", "-"), text("x", "-"), target.NotDecided, "No counter of pauses was read"},
		{text("5", "-"), text("x", "-"), text("9", "-"), target.NotDecided, "No counter of pauses was read"},
		{"", "", "", target.NotDecided, "There is no reading"},
	} {
		v, why := of.Judge(map[string]string{
			PauseMoment(Lossless, Before): c.before, PauseMoment(Lossless, After): c.after,
			PauseMoment(Lossy, Before): c.after, PauseMoment(Lossy, After): c.lossy,
		})
		assert.Equal(t, c.want, v, c.says)
		assert.Contains(t, why, c.says)
	}
}

// No trial panics or holds for arbitrary readings without a change.
func FuzzJudge(f *testing.F) {
	f.Add("a = 1\n", "outcome = unconfirmed\n")
	f.Add("np_cnp_sent 5\n", "x")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, of := range All() {
			read := map[string]string{}
			for _, m := range []string{OfFabric, Before, Sent, After, Later, Undone, LaterOn, Outcome, Undoing} {
				read[m] = a
			}
			of.Judge(read)
			read[After], read[Undoing] = b, b
			of.Judge(read)
		}
	})
}
