package rollout_test

import (
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/texttest"
	"github.com/rocec/rocec/targets/target"
)

// realTime is the clock of tests that use real time.
var realTime = rollout.Clock{Now: time.Now, Wait: time.After}

// testRun is the run of tests that need only one run.
var testRun = deploy.Run{Name: "txn-1", Key: "abcd", Owner: "alice@ws7"}

// readTwice contains options for a verification without earlier samples and without a wait.
var readTwice = rollout.VerifyOptions{Clock: realTime, Interval: time.Millisecond}

// noSoak makes rocec check devices at once.
var noSoak = new(time.Duration)

// box is a device with its plan and its apply.
type box struct{ *boxtest.Box }

func newBox(t testing.TB, name string) box { return box{boxtest.New(t, name)} }

func (b box) tree() *target.Tree { return &target.Tree{Devices: []*target.Device{b.Dev}} }

// plan observes and diffs. It sets the hash of every device's part of the run, as a journal does.
func (b box) plan(t testing.TB) *deploy.Plan {
	fault := b.Fault
	b.Fault = nil
	defer func() { b.Fault = fault }()
	p := deploy.Diff(b.tree(), rollout.Observe(t.Context(), b.Dial, b.tree(), rollout.ObserveOptions{Probes: rollout.Every}))
	for _, d := range p.Devices {
		d.Digest = whatItDoes
	}
	return p
}

// apply applies a plan and returns the result of the only device.
func (b box) apply(t testing.TB, p *deploy.Plan) *deploy.Result {
	b.Runs = 0
	rep, err := rollout.Apply(t.Context(), b.Dial, p, rollout.ApplyOptions{Clock: realTime, Run: testRun, Soak: noSoak})
	require.NoError(t, err)
	require.Len(t, rep.Devices, 1)
	return rep.Devices[0]
}

// wholly is the oracle of all tests with faults. It checks that the file is completely old or new, the daemon has loaded no other
// content, the outcome is true, and the result names all remaining files.
func (b box) wholly(t testing.TB, r *deploy.Result, also ...string) {
	t.Helper()
	conf, loaded := b.Read("/etc/app/conf"), b.Read("/run/loaded")
	said := b.said(r)
	require.Contains(t, append(also, boxtest.OldConf, boxtest.NewConf), conf, "half a file: %s", said)
	require.Contains(t, append(also, boxtest.OldConf, boxtest.NewConf), loaded)
	require.Empty(t, texttest.Untrue(r))
	switch r.Outcome {
	case deploy.Applied:
		require.Equal(t, boxtest.NewConf, conf)
		require.Equal(t, boxtest.NewConf, loaded)
	case deploy.Restored, deploy.Reverted, deploy.Refused, deploy.NotStarted:
		require.Equal(t, boxtest.OldConf, conf, said)
		require.Equal(t, boxtest.OldConf, loaded, said)
	case deploy.Unknown, deploy.Conflict:
		require.NotEmpty(t, r.Files)
	default:
		t.Fatalf("outcome %q", r.Outcome)
	}
	if r.Outcome != deploy.Applied && r.Outcome != deploy.NotStarted {
		require.NotNil(t, r.Err, said)
	}
	if r.Err != nil && r.Err.Kind == deploy.Locked {
		return
	}
	for _, left := range b.Left() {
		require.True(t, b.named(r, left), "unreported: %s\n%s", left, said)
	}
}

// named reports whether a result names a file that may remain on the device: by its name, its folder or a pattern. The name of the unit
// also covers the unit's link. A device keeps the list of files that may not be in use only if their use is unknown.
func (b box) named(r *deploy.Result, left string) bool {
	if left == boxtest.State+"/pending" {
		return r.Outcome == deploy.Unknown || r.Outcome == deploy.Conflict || r.Cleanup != nil
	}
	return slices.ContainsFunc(r.Left, func(name string) bool {
		name = strings.ReplaceAll(name, b.Root, "")
		match, err := path.Match(name, left)
		return err == nil && match || strings.HasPrefix(left, name+"/") || path.Base(name) == path.Base(left)
	})
}

// said returns the whole text of a result, with the paths of a real device.
func (b box) said(r *deploy.Result) string {
	var parts []string
	for _, e := range []*deploy.Error{r.Err, r.Undo, r.Cleanup} {
		if e != nil {
			parts = append(parts, e.Error())
		}
	}
	return strings.ReplaceAll(strings.Join(append(parts, r.Text()), "; "), b.Root, "")
}

func sha(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// step changes the step of the device.
func (b box) step(set func(*target.Step)) {
	s := b.Dev.Files[0].Activate
	set(&s)
	for i := range b.Dev.Files {
		b.Dev.Files[i].Activate = s
	}
}
