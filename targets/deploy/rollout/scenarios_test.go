package rollout_test

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/texttest"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

var update = flag.Bool("update", false, "rewrite testdata")

const handConf = "# by hand, later\ncolour = red\n"

// fast is a clock without waits, except while commands run on devices.
var fast = rollout.Clock{Now: time.Now, Wait: func(d time.Duration) <-chan time.Time { return time.After(min(d, 100*time.Millisecond)) }}

// scenarios maps names to events on one device with their expected results. The scripts pass all scenarios, and each mutant of the
// scripts fails one of them.
var scenarios = map[string]func(t testing.TB, b box){
	"applied":                     applied,
	"other release":               withoutSystemd,
	"flushed":                     flushed,
	"stale":                       stale,
	"edited after prepare":        editedAfterPrepare,
	"edited at the rename":        slipped,
	"edited at the undo":          editedAtUndo,
	"upload changed":              uploadChanged,
	"truncated":                   truncated,
	"cut in the payload":          cutPayload,
	"checker refuses":             checkerRefuses,
	"no space":                    noSpace,
	"planted links":               plantedLinks,
	"folder of somebody":          folderOfSomebody,
	"locked":                      locked,
	"lock of a killed beginner":   lockWithoutName,
	"lock that was given back":    lockGivenBack,
	"lock that lost its name":     lockLostItsName,
	"lock lost before the commit": lockLost,
	"ended by itself before":      endedBefore,
	"an armed run there":          armedThere,
	"dead run of somebody":        deadRun,
	"activation fails":            activationFails,
	"hangs":                       hangs,
	"never loaded":                neverLoaded,
	"settles late":                settlesLate,
	"kept at the confirm":         keptAtConfirm,
	"not to be kept":              notToBeKept,
	"undone while it is kept":     undoneWhileKept,
	"session killed":              sessionKilled,
	"asked twice":                 askedTwice,
	"controller dies":             controllerDies,
	"power cut":                   powerCut,
	"power cut at work":           powerCutAtWork,
	"killed at work":              killedAtWork,
	"timer before confirm":        timerBeforeConfirm,
	"timer after confirm":         timerAfterConfirm,
	"boot after confirm":          bootAfterConfirm,
	"undone twice at once":        undoneTwice,
	"overtaken":                   overtaken,
	"overtaken after a power cut": overtakenAfterBoot,
	"kept, then changed":          keptThenChanged,
	"over without a record":       overWithoutRecord,
	"edited after commit":         editedAfterCommit,
	"old content gone":            oldContentGone,
	"created":                     created,
	"deleted":                     deleted,
	"live state back":             liveStateBack,
	"backups":                     backups,
	"pending":                     pending,
	"release of what is armed":    releaseArmed,
	"release not on the disk":     releaseNotFlushed,
	"open folder":                 openFolder,
	"marks":                       marks,
	"lock not written":            lockNotWritten,
	"owner":                       owner,
	"edited at the backup":        editedAtBackup,
	"original of the first run":   originalOfTheFirst,
	"checked after the backup":    failsAfterBackup,
	"activation fails alone":      failsAlone,
	"timer at work":               timerAtWork,
	"timer while it settles":      timerWhileSettling,
	"killed before the step":      killedBeforeStep,
	"step of a created file":      stepOfCreated,
	"commit after the release":    commitAfterRelease,
	"unit stays at the confirm":   unitStays,
	"second operator":             secondOperator,
	"stale, alone":                staleAlone,
	"edited after prepare, alone": editedAlone,
	"number of another process":   numberOfAnother,
	"one file stuck":              oneFileStuck,
	"lock lost in prepare":        lockLostInPrepare,
	"unlock while it prepares":    unlockWhilePreparing,
	"taken while confirming":      takenWhileConfirming,
	"taken while undoing":         takenWhileUndoing,
	"two marks":                   twoMarks,
	"lines in a file":             linesInAFile,
	"counter with a zero":         counterWithZero,
	"a long reason":               longReason,
	"one machine, two names":      oneMachine,
	"one machine, undone":         oneMachineUndone,
	"old content refused":         oldRefused,
	"kept goes back":              keptGoesBack,
	"in use once back":            inUseBack,
	"back, and not taken":         backNotTaken,
	"steps go back each":          stepsGoBackEach,
	"another machine":             swapped,
	"given up and lost":           givenUp,
	"rights of files":             rightsOfFiles,
	"rights of an open file":      rightsOpenFile,
	"rights undone":               rightsUndone,
	"rights edited":               rightsEdited,
	"rights of folders":           rightsOfFolders,
	"rights of state":             rightsOfState,
	"rights of runs":              rightsOfRuns,
	"rights of marks":             rightsOfMarks,
	"rights after the plan":       rightsAfterThePlan,
	"another journal":             anotherJournal,
}

func TestScenarios(t *testing.T) {
	machinetest.Long(t)
	for i, name := range slices.Sorted(maps.Keys(scenarios)) {
		if testing.Short() && i%8 != 0 {
			continue // the device's shell uses nearly all of their time
		}
		run := scenarios[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, newBox(t, "leaf01"))
		})
	}
}

// options returns the options of an apply that waits for nothing.
func options(more ...func(*rollout.ApplyOptions)) rollout.ApplyOptions {
	o := rollout.ApplyOptions{Clock: fast, Run: testRun, Soak: noSoak, Reconnect: time.Millisecond}
	for _, m := range more {
		m(&o)
	}
	return o
}

func (b box) applyWith(t testing.TB, p *deploy.Plan, more ...func(*rollout.ApplyOptions)) *deploy.Result {
	rep, err := rollout.Apply(t.Context(), b.Dial, p, options(more...))
	require.NoError(t, err)
	return rep.Devices[0]
}

// resume resumes the run of a plan.
func (b box) resume(t testing.TB, p *deploy.Plan, goal txn.Goal) *deploy.Result {
	b.Dead, b.Fault = false, nil
	rep, err := rollout.Resume(t.Context(), b.Dial, p, goal, options())
	require.NoError(t, err)
	return rep.Devices[0]
}

// at calls do when a step begins.
func at(step string, do func()) func(*rollout.ApplyOptions) {
	return func(o *rollout.ApplyOptions) {
		o.Event = func(e rollout.Event) {
			if e.Step == step && e.State == rollout.Begin {
				do()
			}
		}
	}
}

// leaves makes the controller die when it sends a command with the given ending, after or before the device has run the command.
func (b box) leaves(verb string, after bool) {
	died := false
	b.Fault = func(_ int, cmd string) *boxtest.Fault {
		args := cmd[strings.LastIndexByte(cmd, '\n')+1:] // the name of the actor may follow the verb
		if died = died || strings.HasSuffix(args, verb) || strings.Contains(args, verb+" "); died {
			return &boxtest.Fault{After: after, ForGood: true}
		}
		return nil
	}
}

// holds checks the contents of file and daemon.
func (b box) holds(t testing.TB, conf, loaded string) {
	t.Helper()
	require.Equal(t, conf, b.Read("/etc/app/conf"))
	require.Equal(t, loaded, b.Read("/run/loaded"))
}

// bare checks that nothing of a run is left, including timers.
func (b box) bare(t testing.TB) {
	t.Helper()
	require.Empty(t, b.Left())
	require.Empty(t, b.Timers())
}

// again applies once more, by another run, which must succeed without a manual cleanup.
func (b box) again(t testing.TB) {
	t.Helper()
	b.Dead, b.Fault = false, nil
	r := b.applyWith(t, b.plan(t), func(o *rollout.ApplyOptions) { o.Run = deploy.Run{Name: "txn-2", Key: "abcd"} })
	require.Equal(t, deploy.Applied, r.Outcome, b.said(r))
	b.holds(t, boxtest.NewConf, boxtest.NewConf)
	b.bare(t)
}

func (b box) is(t testing.TB, r *deploy.Result, want deploy.Outcome, kind deploy.Kind, says string) {
	t.Helper()
	require.Equal(t, want, r.Outcome, b.said(r))
	if kind != "" {
		require.NotNil(t, r.Err, b.said(r))
		require.Equal(t, kind, r.Err.Kind, b.said(r))
	}
	require.Contains(t, b.said(r), says)
	require.Empty(t, texttest.Untrue(r))
}

func (b box) mode(t testing.TB, path string) os.FileMode {
	st, err := os.Stat(b.Root + path)
	require.NoError(t, err)
	return st.Mode().Perm()
}

// gone is a file that the run removes.
func gone(path string) target.File {
	return target.File{Path: path, Edit: func([]byte) ([]byte, diag.List) { return nil, nil }}
}

// extra adds a new file in a new folder.
func (b box) extra() {
	f := boxtest.ConfFile(b.Root+"/etc/app.d/extra", "green")
	f.Mode = 0o755
	b.Dev.Files = append(b.Dev.Files, f)
}

// newBoxLike returns another device with the same scripts.
func newBoxLike(t testing.TB, b box) box {
	n := newBox(t, "leaf02")
	n.Edits = b.Edits
	return n
}
