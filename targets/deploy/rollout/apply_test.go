package rollout_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
)

func TestApply(t *testing.T) {
	t.Parallel()
	b := newBox(t, "leaf01")
	require.NoError(t, os.Chmod(b.Root+"/etc/app/conf", 0o600))
	p := b.plan(t)
	require.Equal(t, deploy.StatusChange, p.Devices[0].Status, "%+v", p.Devices[0].Err)
	r := b.apply(t, p)
	require.Equal(t, deploy.Applied, r.Outcome, "%+v %v", r, r.Err)
	b.wholly(t, r)
	require.Empty(t, r.Text())
	require.Empty(t, b.Left())
	require.Equal(t, "reload\n", b.Read("/run/reloads"), "equal steps run once")
	st, err := os.Stat(b.Root + "/etc/app/conf")
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm(), "the mode stays")
	require.Equal(t, boxtest.OldConf, b.Read(boxtest.State+"/backup/txn-1/0"))
	require.Equal(t, fmt.Sprintf("0 %s %s %s\n", sha(boxtest.OldConf), sha(boxtest.NewConf), b.Root+"/etc/app/conf"),
		b.Read(deploy.StateDir+"/backup/txn-1/files"))

	again := b.plan(t)
	require.True(t, again.Empty())
	require.Equal(t, deploy.Unchanged, b.apply(t, again).Outcome)
}

var whole = flag.Bool("whole", false, "every fault, rather than a slice of them")

func TestMain(m *testing.M) {
	machinetest.Hasten()
	machinetest.Parallel(4) // many tests wait for a device
	os.Exit(boxtest.Main(m))
}

// stride returns the distance between two places at which a test injects a fault. With make test-long a test tries every place, with make
// test some places, and with make check a few.
func stride() int {
	switch {
	case *whole:
		return 1
	case testing.Short():
		return 47
	}
	return 31
}

// TestConnectionLost: a connection breaks at every command in turn, before the command reached the device or after it ran. The connection
// stays broken, or works again at the next dial.
func TestConnectionLost(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	synctest.Test(t, testConnectionLost)
}

func testConnectionLost(t *testing.T) {
	faults := []boxtest.Fault{{}, {After: true}, {ForGood: true}, {After: true, ForGood: true}, {Late: true}}
	if testing.Short() {
		faults = faults[:2]
	}
	for i, f := range faults {
		outcomes := map[deploy.Outcome]int{}
		first, next := 1, 1
		if !*whole { // each command with one of the faults
			first, next = 1+i, len(faults)
		}
		for at := first; ; at += next {
			require.Less(t, at, 100)
			b := newBox(t, "leaf01")
			p := b.plan(t)
			fired := false
			b.Fault = func(n int, _ string) *boxtest.Fault {
				if n == at {
					fired = true
					return &f
				}
				return nil
			}
			r := b.apply(t, p)
			t.Logf("%+v at %d: %s: %s", f, at, r.Outcome, b.said(r))
			b.wholly(t, r)
			if !fired {
				require.Equal(t, deploy.Applied, r.Outcome)
				break
			}
			outcomes[r.Outcome]++
			if f.ForGood {
				continue
			}
			require.NotEqual(t, deploy.Unknown, r.Outcome, "the device could be asked")
			require.Empty(t, r.Left)
			require.Empty(t, b.Left())
		}
		t.Log(f, outcomes)
	}
}

// TestConnectionLostTwice: the connection breaks, is opened again, and breaks again during the change or its undo.
func TestConnectionLostTwice(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	synctest.Test(t, func(t *testing.T) {
		for first := 2; first <= 6; first++ {
			for then := 1; then <= 3; then++ {
				if !*whole && (first+then)%3 != 0 {
					continue
				}
				b := newBox(t, "leaf01")
				p := b.plan(t)
				b.Fault = func(n int, _ string) *boxtest.Fault {
					if n == first || n == first+then {
						return &boxtest.Fault{After: then%2 == 0}
					}
					return nil
				}
				r := b.apply(t, p)
				t.Logf("%d and %d: %s: %s", first, first+then, r.Outcome, b.said(r))
				b.wholly(t, r)
				require.NotEqual(t, deploy.Unknown, r.Outcome)
			}
		}
	})
}

// If only the live state differs, no file is written, the step runs, and the state is read back.
func TestLiveOnly(t *testing.T) {
	t.Parallel()
	b := newBox(t, "leaf01")
	b.Write("/etc/app/conf", boxtest.NewConf)
	p := b.plan(t)
	require.Len(t, p.Devices[0].Changes, 1)
	require.Equal(t, deploy.Update, p.Devices[0].Changes[0].Action)
	r := b.apply(t, p)
	require.Equal(t, deploy.Applied, r.Outcome, "%v", r.Err)
	require.Equal(t, boxtest.NewConf, b.Read("/run/loaded"))
	require.Empty(t, b.Left())
	require.NoDirExists(t, b.Root+deploy.StateDir+"/backup")

	b.Write("/run/loaded", boxtest.OldConf)
	p = b.plan(t)
	b.Daemon("exit 4")
	r = b.apply(t, p)
	require.Equal(t, deploy.Restored, r.Outcome, "%s", b.said(r))
	require.Empty(t, b.Left())
}

// TestOperationFails: every operation on the disk fails in turn, either once or permanently.
func TestOperationFails(t *testing.T) {
	machinetest.Long(t)
	for name, f := range map[string]struct {
		always bool
		words  string
	}{
		"once":      {false, "No space left on device"},
		"read-only": {true, "Read-only file system"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				outcomes := map[deploy.Outcome]int{}
				for at := 1; ; at += stride() {
					require.Less(t, at, 300)
					b := newBox(t, "leaf01")
					p := b.plan(t)
					b.Breakable(at, f.always, f.words)
					r := b.apply(t, p)
					n := b.Operated()
					t.Logf("at %d of %d: %s: %s", at, n, r.Outcome, b.said(r))
					b.wholly(t, r)
					if n < at {
						require.Equal(t, deploy.Applied, r.Outcome)
						break
					}
					outcomes[r.Outcome]++
				}
				t.Log(outcomes)
			})
		})
	}
}
