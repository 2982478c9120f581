package deploy

import (
	"fmt"
	"os"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestApply(t *testing.T) {
	t.Parallel()
	b := newBox(t, "leaf01")
	require.NoError(t, os.Chmod(b.root+"/etc/app/conf", 0o600))
	p := b.plan()
	require.Equal(t, StatusChange, p.Devices[0].Status, "%+v", p.Devices[0].Err)
	r := b.apply(p)
	require.Equal(t, Applied, r.Outcome, "%+v %v", r, r.Err)
	b.wholly(r)
	require.Empty(t, r.Detail)
	require.Empty(t, b.left())
	require.Equal(t, "reload\n", b.read("/run/reloads"), "equal steps run once")
	st, err := os.Stat(b.root + "/etc/app/conf")
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm(), "the mode stays")
	require.Equal(t, oldConf, b.read(stateDir+"/backup/txn-1/0"))
	require.Equal(t, fmt.Sprintf("0 %s %s %s\n", sum([]byte(oldConf)), sum([]byte(newConf)), b.root+"/etc/app/conf"),
		b.read(stateDir+"/backup/txn-1/files"))

	again := b.plan()
	require.True(t, again.Empty())
	require.Equal(t, Unchanged, b.apply(again).Outcome)
}

// stride is from one place where something fails to the next: each of them, or a few in make check.
func stride() int {
	if testing.Short() {
		return 7
	}
	return 1
}

// A connection breaks at every command in turn: before it reached the device, and after it ran there; for good, and
// until the next dial.
func TestConnectionLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testConnectionLost)
}

func testConnectionLost(t *testing.T) {
	faults := []connFault{{}, {after: true}, {forGood: true}, {after: true, forGood: true}, {late: true}}
	if testing.Short() {
		faults = faults[:2]
	}
	for _, f := range faults {
		outcomes := map[Outcome]int{}
		for at := 1; ; at += stride() {
			require.Less(t, at, 100)
			b := newBox(t, "leaf01")
			p := b.plan()
			fired := false
			b.fault = func(n int, _ string) *connFault {
				if n == at {
					fired = true
					return &f
				}
				return nil
			}
			r := b.apply(p)
			t.Logf("%+v at %d: %s: %v: %s", f, at, r.Outcome, r.Err, r.Detail)
			b.wholly(r)
			if !fired {
				require.Equal(t, Applied, r.Outcome)
				break
			}
			outcomes[r.Outcome]++
			if f.forGood {
				continue
			}
			require.NotEqual(t, Unknown, r.Outcome, "the device could be asked")
			require.Contains(t, []string{"", "Nothing was changed."}, r.Detail)
			require.Empty(t, b.left())
		}
		t.Log(f, outcomes)
	}
}

// The connection breaks again while going on, or going back, after it was opened once more.
func TestConnectionLostTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for first := 5; first <= 9; first += stride() {
			for then := 1; then <= 3; then++ {
				b := newBox(t, "leaf01")
				p := b.plan()
				b.fault = func(n int, _ string) *connFault {
					if n == first || n == first+then {
						return &connFault{after: then%2 == 0}
					}
					return nil
				}
				r := b.apply(p)
				t.Logf("%d and %d: %s: %v: %s", first, first+then, r.Outcome, r.Err, r.Detail)
				b.wholly(r)
				require.NotEqual(t, Unknown, r.Outcome)
			}
		}
	})
}

// Only the live state differs: no file is touched, the step runs, and the state is read back.
func TestLiveOnly(t *testing.T) {
	t.Parallel()
	b := newBox(t, "leaf01")
	b.write("/etc/app/conf", newConf)
	p := b.plan()
	require.Len(t, p.Devices[0].Changes, 1)
	require.Equal(t, Update, p.Devices[0].Changes[0].Action)
	r := b.apply(p)
	require.Equal(t, Applied, r.Outcome, "%v", r.Err)
	require.Equal(t, newConf, b.read("/run/loaded"))
	require.Empty(t, b.left())
	require.NoDirExists(t, b.root+stateDir+"/backup")

	b.write("/run/loaded", oldConf)
	p = b.plan()
	b.daemon("exit 4")
	r = b.apply(p)
	require.Equal(t, Restored, r.Outcome, "%v %s", r.Err, r.Detail)
	require.Empty(t, b.left())
}

// Every operation on the disk fails in turn: once, and for good from then on.
func TestOperationFails(t *testing.T) {
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
				outcomes := map[Outcome]int{}
				for at := 1; ; at += stride() {
					require.Less(t, at, 300)
					b := newBox(t, "leaf01")
					p := b.plan()
					b.breakable(at, f.always, f.words)
					r := b.apply(p)
					n := b.operated()
					t.Logf("at %d of %d: %s: %v: %s", at, n, r.Outcome, r.Err, r.Detail)
					b.wholly(r)
					if n < at {
						require.Equal(t, Applied, r.Outcome)
						break
					}
					outcomes[r.Outcome]++
				}
				t.Log(outcomes)
			})
		})
	}
}
