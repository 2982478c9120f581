package trial

import (
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/compilertest"
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

// A proof of pauses needs counters at both ends of the cables, a rise while the class is sent, and none at any other moment.
func TestJudgePauses(t *testing.T) {
	t.Parallel()
	of, _ := Find(PausesID)
	type counts struct{ sent, got, dropped string }
	text := func(c counts) string {
		var out strings.Builder
		out.WriteString("cable swp1 = store1 ens1f0\n")
		for key, value := range map[string]string{
			"switch swp1 priority 3 paused": c.sent, "store1 ens1f0 priority 3 paused": c.got, "switch swp1 priority 3 dropped": c.dropped,
		} {
			if value != "" {
				out.WriteString(key + " = " + value + "\n")
			}
		}
		return out.String()
	}
	zero, some, most := counts{"5", "6", "7"}, counts{"50", "60", "7"}, counts{"90", "100", "7"}
	for _, c := range []struct {
		idle, before, after, lossy counts
		want                       target.Verdict
		says                       string
	}{
		{zero, zero, some, some, target.Holds, ""},
		{most, most, some, some, target.Holds, ""}, // the counters were reset
		{zero, zero, zero, zero, target.NotDecided, "No pause was counted"},
		{zero, zero, counts{"50", "60", "9"}, some, target.DoesNotHold, "dropped 2 packets"},
		{zero, zero, counts{"5", "6", "9"}, zero, target.DoesNotHold, "dropped 2 packets"},
		{zero, zero, counts{"50", "6", "7"}, some, target.DoesNotHold, "counts 45 sent pauses of priority 3 for store1 ens1f0, which counts 0."},
		{zero, zero, counts{"5", "60", "7"}, some, target.DoesNotHold, "counts 0 sent pauses of priority 3 for store1 ens1f0, which counts 54."},
		{zero, counts{"50", "6", "7"}, some, some, target.DoesNotHold, "counts 45 sent pauses"},
		{zero, zero, counts{"6", "6", "7"}, counts{"6", "6", "7"}, target.Holds, ""}, // read at different moments
		{zero, some, most, most, target.NotDecided, "99 pauses rose while nothing was sent"},
		{zero, zero, some, most, target.NotDecided, "80 pauses rose for the lossy class"},
		{
			counts{"5", "6", ""},
			counts{"5", "6", ""},
			counts{"9", "9", ""},
			counts{"9", "9", ""},
			target.NotDecided,
			"The switch shows no counter of dropped packets of the lossless priority.",
		},
		{
			counts{"", "6", "7"},
			counts{"", "6", "7"},
			counts{"", "9", "7"},
			counts{"", "9", "7"},
			target.NotDecided,
			"The switch shows no counter of sent pauses by priority.",
		},
		{
			counts{"5", "", "7"},
			counts{"5", "", "7"},
			counts{"9", "", "7"},
			counts{"9", "", "7"},
			target.NotDecided,
			"The senders show no counter of received pauses by priority.",
		},
		{zero, zero, counts{"x", "9", "7"}, some, target.NotDecided, "have different counters"},
	} {
		v, why := of.Judge(map[string]string{
			PauseMoment(Lossless, Idle): text(c.idle), PauseMoment(Lossless, Before): text(c.before), PauseMoment(Lossless, After): text(c.after),
			PauseMoment(Lossy, Before): text(c.after), PauseMoment(Lossy, After): text(c.lossy),
		})
		assert.Equal(t, c.want, v, "%+v: %s", c, why)
		assert.Contains(t, why, c.says)
	}
	v, why := of.Judge(map[string]string{PauseMoment(Lossless, Idle): text(zero)})
	assert.Equal(t, target.NotDecided, v)
	assert.Equal(t, "There is no reading \"lossless class, before\".", why)
}

// A reading has the counters of the switch and of the senders, each by its key, and the port at which a sender is.
func TestPauseReadings(t *testing.T) {
	t.Parallel()
	known := func(n uint64) ir.Counter { return ir.Counter{Value: n, Known: true} }
	require.Equal(t, "switch swp1 priority 0 paused = 4\nswitch swp1 priority 3 dropped = 7\n", SwitchPauses([]ir.PauseCounters{
		{Port: "swp1", Sent: known(4), Dropped: known(9)}, {Port: "swp1", Priority: 3, Dropped: known(7)},
	}, 3))
	f := compilertest.Folder(t, os.DirFS("../../../examples/rack-by-files"), ".")
	var nic *ir.NIC
	for _, d := range f.Devices {
		if d.Host != nil && nic == nil {
			nic = d.Host.NICs[0]
		}
	}
	all := []ir.PauseCounters{{Port: nic.Port.Name, Priority: 3, Received: known(5)}, {Port: "other", Received: known(6)}}
	count := nic.Device.Name + " " + nic.Name + " priority 3 paused = 5\n"
	at := nic.Port.Peer()
	require.Equal(t, "cable "+at.Name+" = "+nic.Device.Name+" "+nic.Name+"\n"+count, SenderPauses(nic, at.Device(), all))
	require.Equal(t, count, SenderPauses(nic, nic.Device, all), "the cable ends at another device")
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
