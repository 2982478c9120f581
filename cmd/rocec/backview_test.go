package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/target"
)

// TestRollbackSaysWhatRuns: the plan of a rollback names every step that runs on a device, including devices that are undone at once.
// With --diff it prints the commands. If a step of the same name differs in the rocec that began the run, the plan reports that and
// continues.
func TestRollbackSaysWhatRuns(t *testing.T) {
	t.Parallel()
	o := newOffice(t, oneRack)
	o.want(t, exit.Good, "plan")
	factory := o.content(t)
	run := o.holds(t)
	shows := func(says string) {
		t.Helper()
		plan := o.want(t, exit.Usage, "rollback", run)
		require.Contains(t, plan, "  runs: cumulus reload\n")
		require.Contains(t, plan, "  runs: undo of mlx5 apply ens1f0,carries\n")
		require.NotContains(t, plan, "systemctl")
		require.NotContains(t, plan, "differ between this rocec")
		plan = o.want(t, exit.Usage, "rollback", "--diff", run)
		require.Contains(t, plan, "      if test -e /cumulus/switchd/config/traffic/reload", "a command of the switch")
		require.Contains(t, plan, "      \techo 1 >/cumulus/switchd/config/traffic/reload\n", "with its tab")
		require.Contains(t, plan, "      systemctl daemon-reload\n", "one of the host")

		was := ""
		each := func(digest string) {
			o.edits(t, run, func(h header) {
				step := h["steps"].([]any)[0].(header)
				was, _ = step["digest"].(string)
				step["digest"] = digest
			})
		}
		each(strings.Repeat("0", 64))
		require.Contains(t, o.want(t, exit.Usage, "rollback", run),
			"differ between this rocec and the rocec of the run ("+buildVersion().Version+"). "+says)
		each(was)
	}
	shows("The device runs the commands that it got in that run.")
	o.want(t, exit.Good, "confirm", run)
	shows("This rocec runs its own commands.")
	o.edits(t, run, func(h header) { h["steps"].([]any)[0].(header)["digest"] = strings.Repeat("0", 64) })
	require.Contains(t, o.want(t, exit.Good, "rollback", "--auto-approve", "--soak", "0s", run), "3 applied")
	o.same(t, factory, "another rocec made the run")
}

func TestStepWords(t *testing.T) {
	sum := commands.Sum(nil)
	for _, c := range []struct {
		s    target.Step
		want string
	}{
		{target.Step{Name: "cumulus reload", Cmd: "x"}, "cumulus reload"},
		{
			target.Step{Name: "sonic patch 202505 nvidia " + sum + " " + sum, Cmd: "a", Undo: &target.Query{Cmd: "# config apply-patch of before\nb"}},
			"undo of sonic patch 202505 nvidia (config apply-patch of before)",
		},
		{
			target.Step{Name: "back | nic/e " + sum + " mlx5 show e | mlx5 apply e", Cmd: "# going back\n", Undo: &target.Query{Cmd: "x"}},
			"undo of mlx5 apply e",
		},
		{target.Step{Name: "mlx5 apply \033[2J", Cmd: "x"}, `mlx5 apply \x1b[2J`},
	} {
		assert.Equal(t, c.want, view.RunningBack(&c.s).Words)
	}
}
