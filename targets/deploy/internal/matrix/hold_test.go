//go:build linux

package matrix

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
)

// scene is a device of a kind with an operator.
func scene(t *testing.T, r *reference) *cell {
	t.Helper()
	acquire(t, 1)
	d := nspawn.Start(t, r.kind, r.options)
	require.NoError(t, ready(d))
	o, err := newOperator(rocec(t), d)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, o.close()) })
	return &cell{ref: r, d: d, o: o, fault: &fault{}}
}

// rocec runs a verb, which must end with the given status. If an outcome is given, the device must have this outcome.
func (c *cell) rocec(t *testing.T, status int, outcome string, args ...string) *ran {
	t.Helper()
	r, err := c.o.run(t.Context(), args...)
	require.NoError(t, err)
	require.Equal(t, status, r.status, "%s", r)
	if outcome != "" {
		f, err := r.fate()
		require.NoError(t, err)
		require.NotNil(t, f, "%s", r)
		require.Equal(t, outcome, f.Outcome, "%s", r)
	}
	return r
}

// locked runs a verb that finds the lock of another run. While the mark of that run is valid, the lock refuses the device. After the end
// of the mark, the lock prevents the marking of the switch, and nothing is started.
func (c *cell) locked(t *testing.T, args ...string) *ran {
	t.Helper()
	r := c.rocec(t, exitLocked, "", args...)
	f, err := r.fate()
	require.NoError(t, err)
	require.NotNil(t, f, "%s", r)
	require.Contains(t, []string{"refused", "not-started"}, f.Outcome, "%s", r)
	return r
}

// holds checks that the device has and uses a side, and has no files of a run.
func (c *cell) holds(t *testing.T, s *side) {
	t.Helper()
	h, err := quiet(t.Context(), c.d, c.ref.paths)
	require.NoError(t, err)
	require.True(t, h.is(s) && h.uses(s), "%s", h)
	require.Empty(t, h.left)
	require.Empty(t, h.busy)
}

// each runs a test on a device of every kind.
func each(t *testing.T, do func(t *testing.T, c *cell)) {
	t.Parallel()
	refs := learn(t)
	if slice() { // in parallel, one test for each kind of device
		refs = refs[len(t.Name())%len(refs):][:1]
	}
	for _, r := range refs {
		t.Run(r.kind.Name, func(t *testing.T) {
			t.Parallel()
			do(t, scene(t, r))
		})
	}
}

func last(t *testing.T, o *operator) string {
	t.Helper()
	run, err := o.runName()
	require.NoError(t, err)
	return run
}

// TestHoldConfirmed: a held change stays after its confirm. A rollback of the change also restores the earlier settings of a NIC.
func TestHoldConfirmed(t *testing.T) {
	each(t, func(t *testing.T, c *cell) {
		c.rocec(t, 0, "unconfirmed", c.o.apply("--soak", "0s", "--confirm", c.d.Slowed(time.Minute).String())...)
		run := last(t, c.o)
		assert.Contains(t, c.rocec(t, 64, "", "resume", run).errs, "rocec confirm "+run)
		c.rocec(t, 0, "applied", "confirm", "--format", "json", run)
		c.holds(t, &c.ref.new)
		c.rocec(t, 0, "", c.o.plan()...)
		c.rocec(t, 0, "applied", c.rollback(run)...)
		c.holds(t, &c.ref.old)
		c.rocec(t, 0, "applied", c.o.apply("--soak", "0s")...)
		c.holds(t, &c.ref.new)
	})
}

// TestHoldNotConfirmed: the device itself undoes a change that is not confirmed in time. A late confirm reports the undo.
func TestHoldNotConfirmed(t *testing.T) {
	each(t, func(t *testing.T, c *cell) {
		begin, long := time.Now(), c.d.Slowed(10*time.Second)
		c.rocec(t, 0, "unconfirmed", c.o.apply("--soak", "0s", "--confirm", long.String())...)
		h, err := look(c.d, c.ref.paths)
		require.NoError(t, err)
		require.Equal(t, "loaded", h.mark)
		h, err = quiet(t.Context(), c.d, c.ref.paths)
		require.NoError(t, err)
		assert.Greater(t, time.Since(begin), long)
		require.Equal(t, "undone", h.mark)
		require.True(t, h.is(&c.ref.old) && h.uses(&c.ref.old), "%s", h)
		c.rocec(t, exitIncomplete, "reverted", "confirm", "--format", "json", last(t, c.o))
		c.holds(t, &c.ref.old)
		assert.Contains(t, c.rocec(t, 0, "", "runs", last(t, c.o)).out, "reverted")
	})
}

// A held change can be rolled back at once.
func TestHoldRolledBack(t *testing.T) {
	each(t, func(t *testing.T, c *cell) {
		c.rocec(t, 0, "unconfirmed", c.o.apply("--soak", "0s", "--confirm", "10m")...)
		c.rocec(t, 0, "restored", c.rollback(last(t, c.o))...)
		c.holds(t, &c.ref.old)
	})
}

// A run that died during prepare leaves a lock. The operator of the run can remove the lock, and so can any operator who names the run.
func TestUnlock(t *testing.T) {
	each(t, func(t *testing.T, c *cell) {
		prepare := slices.DeleteFunc(slices.Clone(c.ref.moments), func(m moment) bool { return m.verb != "prepare" })
		inPrepare := prepare[len(prepare)/2] // a later prepare has fewer commands, because its folders exist
		die := func() string {
			c.at, c.fault = inPrepare, &faults[0]
			said, fired, err := c.lead(t.Context(), func() (*under, error) { return c.o.start(t.Context(), c.o.apply("--soak", "0s")...) })
			require.NoError(t, err)
			require.NoError(t, fired.Fired())
			require.Equal(t, exitKilled, said.status)
			_, err = quiet(t.Context(), c.d, c.ref.paths)
			require.NoError(t, err)
			return last(t, c.o)
		}
		run := die()
		assert.Contains(t, c.locked(t, c.o.apply("--soak", "0s")...).out, run)
		c.rocec(t, 0, "", c.o.unlock()...)
		c.holds(t, &c.ref.old)

		run = die()
		elsewhere, err := c.o.another(c.d)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, elsewhere.close()) })
		other := &cell{ref: c.ref, d: c.d, o: elsewhere}
		r := other.locked(t, elsewhere.apply("--soak", "0s")...)
		assert.Contains(t, r.out, "rocec resume --abandon --run "+run)
		other.rocec(t, 0, "", append(elsewhere.unlock(), "--run", run)...)
		c.holds(t, &c.ref.old)
	})
}

// TestDeadJournal: the journal of a dead run may end in the middle of a line, and the run can still be resumed.
func TestDeadJournal(t *testing.T) {
	each(t, func(t *testing.T, c *cell) {
		for _, m := range c.ref.moments {
			if m.kept {
				c.at = m
				break
			}
		}
		c.fault = &faults[0]
		_, fired, err := c.lead(t.Context(), func() (*under, error) { return c.o.start(t.Context(), c.o.apply("--soak", "0s")...) })
		require.NoError(t, err)
		require.NoError(t, fired.Fired())
		run := last(t, c.o)
		name := c.o.dir + "/home/.local/state/rocec/runs/" + run + ".jsonl"
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, text[:len(text)-20], 0o600))
		said := c.rocec(t, 0, "", "runs", run)
		assert.Contains(t, said.out, "1 line of the journal could not be read")
		assert.Contains(t, said.out, "rocec resume "+run)
		_, err = quiet(t.Context(), c.d, c.ref.paths)
		require.NoError(t, err)
		c.rocec(t, 0, "applied", "resume", "--format", "json", run)
		c.holds(t, &c.ref.new)
	})
}
