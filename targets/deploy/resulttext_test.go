package deploy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/texttest"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// possible reports whether a run can have such a result. Package rollout only returns an outcome that the files support.
func possible(r *deploy.Result) bool {
	all := func(what string) bool {
		return !slices.ContainsFunc(r.Files, func(f deploy.FileResult) bool { return f.Holds != what })
	}
	switch r.Outcome {
	case deploy.Restored, deploy.Reverted:
		if !r.Over && !all(deploy.HoldsOld) {
			return false
		}
	case deploy.Applied, deploy.Unconfirmed:
		if !r.Over && !all(deploy.HoldsNew) {
			return false
		}
	case deploy.Refused, deploy.NotStarted:
		if !all(deploy.HoldsOld) || r.Used || r.Over {
			return false
		}
	}
	unknown := r.Outcome == deploy.Unknown
	return (r.Until == 0 || unknown && !r.Over || r.Outcome == deploy.Unconfirmed) &&
		(!r.Over || r.Outcome != deploy.Unconfirmed) &&
		(len(r.Left) == 0 || r.Outcome != deploy.Unconfirmed && !r.Over) &&
		(!r.Bare || unknown && r.Over && !r.Backup) &&
		(r.Undo == nil || unknown && !r.Over || r.Outcome == deploy.Conflict) &&
		(r.InUse != deploy.UseYes || r.Used && !r.Over && !unknown) &&
		(r.By == "" || r.Outcome == deploy.Reverted) &&
		(r.Unread == "" || r.InUse == deploy.UseUnknown)
}

// TestResultText: for every possible final state of a device, the text has no contradiction. If a command is necessary, the text names
// it.
func TestResultText(t *testing.T) {
	d := &target.Device{Name: "leaf1"}
	some := func(holds ...string) (files []deploy.FileResult) {
		for i, h := range holds {
			files = append(files, deploy.FileResult{Path: fmt.Sprintf("/etc/file%d", i), Holds: h, InUse: deploy.UseUnknown})
		}
		return files
	}
	holds := []string{deploy.HoldsOld, deploy.HoldsNew, deploy.HoldsOther, deploy.HoldsUnknown}
	files := [][]deploy.FileResult{nil}
	for _, one := range holds {
		files = append(files, some(one))
		for _, two := range holds {
			files = append(files, some(one, two))
		}
	}
	failed := &deploy.Error{Kind: deploy.Activation, Device: d, Detail: "exit status 1"}
	lost := &deploy.Error{Kind: deploy.Unreachable, Device: d, Detail: "the connection broke", Lost: true}
	key := &deploy.Error{Kind: deploy.HostKey, Device: d, Detail: "another key"}
	yesNo := []bool{false, true}
	states, said := 0, map[string]bool{}
	for i := range product(len(deploy.Outcomes), len(files), 2, 2, 2, 2, 3, 3, 3, 3, 2, 2, 2, 2) {
		r := &deploy.Result{
			Device: d, Run: "run-1", Outcome: deploy.Outcomes[i[0]], Files: slices.Clone(files[i[1]]),
			Used: yesNo[i[2]], Backup: yesNo[i[3]], Over: yesNo[i[4]], Bare: yesNo[i[5]],
			By:  []string{"", deploy.ByTimer, deploy.ByBoot}[i[6]],
			Err: []*deploy.Error{nil, failed, key}[i[7]], Undo: []*deploy.Error{nil, failed, lost}[i[8]],
			Left: [][]string{nil, {"/var/lib/rocec/lock"}, {"/etc/.rocec-run-1-0.*", "/var/lib/rocec/lock"}}[i[9]], LeftUnseen: i[9] == 2,
			InUse: []string{deploy.UseUnknown, deploy.UseYes}[i[10]], Unread: []string{"", target.NotReadable}[i[11]], Back: yesNo[i[12]],
			Until: []time.Duration{0, 90 * time.Second}[i[13]],
		}
		if !possible(r) {
			continue
		}
		states++
		said[r.Text()] = true
		require.Empty(t, texttest.Untrue(r), "%+v", r)
	}
	t.Logf("%d states, %d texts", states, len(said))
	require.Greater(t, states, 1000)
	for _, text := range []string{
		"The earlier content is back in place. The device uses it.",
		"The earlier content is back in place. rocec told the device to load it; whether it did is unknown (not readable on this release).",
		"The earlier content is back in place. The device never used the new content.",
		"The earlier content is back in place. Whether the device uses it is unknown. After this is corrected, " +
			"run rocec rollback run-1 --target leaf1",
		"The new content is in place. Whether the device uses it is unknown. The device undoes the change by itself " +
			"within 1m30s, unless it is confirmed: rocec confirm run-1",
		"The device has nothing of the run: no folder, no lock, no backup. See the changes that it needs: rocec plan --target leaf1",
	} {
		require.Contains(t, said, text)
	}
}

// product iterates over all combinations of numbers below the bounds.
func product(bounds ...int) func(func([]int) bool) {
	return func(yield func([]int) bool) {
		at := make([]int, len(bounds))
		for {
			if !yield(at) {
				return
			}
			i := len(at) - 1
			for ; i >= 0; i-- {
				if at[i]++; at[i] < bounds[i] {
					break
				}
				at[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
}

// TestResultTextQuotes: the text quotes the vendor's checker and the output of the device, beside the content in place.
func TestResultTextQuotes(t *testing.T) {
	r := &deploy.Result{
		Device: &target.Device{Name: "leaf1"}, Run: "run-1", Outcome: deploy.Restored, Used: true, InUse: deploy.UseYes,
		Files: []deploy.FileResult{{Path: "/etc/file", Holds: deploy.HoldsOld, InUse: deploy.UseYes, Refused: "line 3: no such port"}},
		Notes: []string{"DCBX stays with the host"},
	}
	require.Equal(t, "The earlier content is back in place. The device uses it. The vendor's checker refused /etc/file when it was back in "+
		"place: line 3: no such port. During the undo, the device printed: DCBX stays with the host.", r.Text())
	require.True(t, r.Objected())
}

// The text about a device after a second signal depends on the running verb and the mark.
func TestUnderWay(t *testing.T) {
	sent := []txn.Verb{"", txn.Prepare, txn.Commit, txn.Check, txn.Confirm, txn.Undo, txn.Release}
	for i := range product(len(sent), int(txn.Failed)+1, 2, 2) {
		u := deploy.UnderWay{Sent: sent[i[0]], Mark: txn.Mark(i[1]), Asked: i[2] == 1, Resumed: i[3] == 1}
		text := u.Text()
		require.NotEmpty(t, text)
		at := fmt.Sprintf("%+v: %s", u, text)
		decides := slices.Contains([]txn.Verb{txn.Commit, txn.Confirm, txn.Undo}, u.Sent)
		untouched := !decides && (u.Mark == txn.Absent || u.Mark == txn.Prepared)
		require.Equal(t, untouched, strings.Contains(text, "unchanged") || strings.Contains(text, "changed nothing"), at)
		undoes := u.Sent == txn.Commit || u.Sent == txn.Confirm || !decides && (u.Mark == txn.Armed || u.Mark == txn.Loaded)
		require.Equal(t, undoes, strings.Contains(text, "undoes"), at)
		require.Equal(t, u.Sent == txn.Confirm || !decides && u.Mark == txn.Confirmed, strings.Contains(text, "keeps"), at)
		require.Equal(t, u.Sent == txn.Undo || !decides && u.Mark == txn.Undoing, strings.Contains(text, "restores"), at)
		require.Equal(t, !decides && (u.Mark == txn.Undone || u.Mark == txn.Conflict), strings.Contains(text, "has the earlier content"), at)
	}
	for verb, want := range map[string]string{
		"apply":    "Go on: rocec resume run-1; go back: rocec rollback run-1",
		"resume":   "Go on: rocec resume run-1; go back: rocec rollback run-1",
		"confirm":  "Go on: rocec confirm run-1; go back: rocec rollback run-1",
		"rollback": "Go on: rocec rollback run-1",
	} {
		require.Equal(t, want, deploy.WaysOn(verb, "run-1"))
	}
}

// TestMarkText: the text states the progress of a run by its mark, and names a command that the mark allows.
func TestMarkText(t *testing.T) {
	for mark, want := range map[txn.Mark]string{
		txn.Armed: "rocec resume run-1; go back: rocec rollback run-1", txn.Loaded: "rocec confirm run-1; go back: rocec rollback run-1",
		txn.Undoing: "rocec resume run-1",
	} {
		o := deploy.Owner{Txn: "run-1", Mark: mark}
		require.True(t, strings.HasSuffix(o.GoOn("leaf1"), want), o.GoOn("leaf1"))
		require.NotContains(t, o.GoOn("leaf1"), "--abandon")
		require.True(t, o.Bars())
	}
	undoing := deploy.Owner{Txn: "run-1", Mark: txn.Undoing}
	require.NotContains(t, undoing.GoOn("leaf1"), "Go back")
	for mark := txn.Prepared; mark <= txn.Failed; mark++ {
		require.NotEmpty(t, deploy.MarkText(mark))
	}
	require.Empty(t, deploy.MarkText(txn.Absent))
	require.Empty(t, deploy.MarkText(txn.MarkOf("a word of a later rocec")))
}

// A command that a person may paste never contains an invalid name of a run from a device.
func TestCommandsHoldNoNamesOfDevices(t *testing.T) {
	for _, run := range []string{
		"", "x", "a b", "$(reboot)", "x;reboot", "--run", "../../etc",
		"'; reboot #", "run\u202e", "`reboot`", strings.Repeat("a", 64),
	} {
		require.False(t, deploy.ValidRun(run))
		for _, verb := range []string{"confirm", "rollback", "resume"} {
			require.Equal(t, "rocec "+verb+" RUN", deploy.RunCommand(verb, run))
		}
		require.Equal(t, "rocec resume --abandon leaf1", deploy.UnlockCommand(run, "leaf1"))
		require.Equal(t, "Go on: rocec resume RUN; go back: rocec rollback RUN", deploy.WaysOn("apply", run))
		for _, mark := range []string{"", "prepared", "armed", "loaded", "undoing", "confirmed", "undone", "made up"} {
			for _, beside := range []bool{true, false} {
				o := deploy.ParseOwner("txn " + run + "\nmark " + mark + "\nowner $(reboot)@ws7\n")
				o.Beside = beside
				text := o.GoOn("leaf1")
				require.NotContains(t, text, "reboot")
				if run != "" {
					require.NotRegexp(t, `rocec (unlock|confirm|rollback|resume)`, text, "%q %q", run, mark)
				}
			}
		}
	}
	require.Equal(t, "rocec rollback 20260102t030405z-ab12 --target 'leaf[1-2]'",
		deploy.RunCommand("rollback", "20260102t030405z-ab12", deploy.OnDevice("leaf[1-2]")))
}
