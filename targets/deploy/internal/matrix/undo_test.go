//go:build linux

package matrix

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
)

// undoing is a way to undo a held change.
type undoing struct {
	name   string
	hold   time.Duration // time until the device undoes the held change by itself, on a quiet machine
	faults func(f *fault) bool

	// begin starts the undo. It returns the rocec that leads the undo; nil: no rocec leads it.
	begin func(ctx context.Context, c *cell, run string) (*under, error)
}

// The ways. While a device boots, no user can log in, and the only possible fault is another power cut.
var undoings = []undoing{
	{
		name: "undo by the timer", hold: 8 * time.Second, faults: func(f *fault) bool { return !f.leader },
		begin: func(context.Context, *cell, string) (*under, error) { return nil, nil },
	},
	{
		name: "undo at boot", hold: 10 * time.Minute, faults: func(f *fault) bool { return f.power },
		begin: func(_ context.Context, c *cell, _ string) (*under, error) {
			go c.d.PowerOn() //nolint:errcheck // the power may go again before it is up
			return nil, nil
		},
	},
	{
		name: "rollback", hold: 20 * time.Second, faults: func(*fault) bool { return true },
		begin: func(ctx context.Context, c *cell, run string) (*under, error) {
			return c.o.start(ctx, c.rollback(run)...)
		},
	},
}

// hold applies with a confirm time, so that the device is armed. It returns the run.
func (c *cell) hold(ctx context.Context, long time.Duration) (string, error) {
	said, err := c.o.run(ctx, c.o.apply("--soak", "0s", "--confirm", long.String())...)
	if err != nil {
		return "", err
	}
	f, err := said.fate()
	if err != nil || f == nil || f.Outcome != "unconfirmed" || said.status != 0 {
		return "", fmt.Errorf("the change is not held (%w)\n%s", err, said)
	}
	c.held = true
	h, err := look(c.d, c.ref.paths)
	if err != nil {
		return "", err
	}
	return f.Run, c.judge(said, h)
}

// held brings a device into the state in which the undo may begin. It returns the run.
func (u *undoing) held(ctx context.Context, c *cell) (string, error) {
	run, err := c.hold(ctx, c.d.Slowed(u.hold))
	if err == nil && u.name == "undo at boot" {
		c.d.PowerOff(nspawn.LoseJournal)
	}
	return run, err
}

// learn returns the Run function of a cell that records the commands of an undo.
func (u *undoing) learn(bin string, r *reference, found *[]moment) nspawn.Cell {
	return nspawn.Cell{
		Command: u.name, Fault: "none", At: r.kind.Name, Kind: r.kind, Options: r.options,
		Run: r.experiment(bin, nil, moment{}, func(ctx context.Context, c *cell) (string, error) {
			run, err := u.held(ctx, c)
			if err != nil {
				return "", err
			}
			c.d.StopAt(0, nspawn.Before)
			led, err := u.begin(ctx, c, run)
			if err != nil {
				return "", err
			}
			if led != nil {
				if _, err := led.wait(); err != nil {
					return "", err
				}
			}
			h, err := c.atRest(ctx)
			for end := time.Now().Add(10 * time.Minute); err != nil && led == nil && time.Now().Before(end); h, err = c.atRest(ctx) {
				time.Sleep(200 * time.Millisecond) // it boots
			}
			for _, command := range c.d.Commands() {
				*found = append(*found, moment{Command: command, verb: u.name})
			}
			if err == nil && (!h.is(&r.old) || len(*found) == 0) {
				err = fmt.Errorf("it is not undone: %s", h)
			}
			return "", err
		}),
	}
}

// cells returns the cells with every fault at every command of an undo.
func (u *undoing) cells(bin string, r *reference, moments []moment, faults []fault) []nspawn.Cell {
	var cells []nspawn.Cell
	for i := range faults {
		for _, m := range moments {
			cells = append(cells, nspawn.Cell{
				Command: u.name, Fault: faults[i].name, At: fmt.Sprintf("%s, before %s", r.kind.Name, m), Kind: r.kind, Options: r.options,
				Run: r.experiment(bin, &faults[i], m, u.strike),
			})
		}
	}
	return cells
}

// strike returns the Run function of a cell that injects the fault at a command of the undo.
func (u *undoing) strike(ctx context.Context, c *cell) (string, error) {
	run, err := u.held(ctx, c)
	if err != nil {
		return "", err
	}
	said, fired, err := c.lead(ctx, func() (*under, error) { return u.begin(ctx, c, run) })
	if err != nil {
		return "", err
	}
	c.back = said != nil
	end, err := c.afterwards(ctx, said, fired)
	if err == nil && end == "new" {
		err = breaks(noHalfState, "an unconfirmed change stays")
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, said)
	}
	return end, err
}

// may returns a function that selects the faults of the i-th way. In a slice these are the faults that TestApply leaves out, each during
// one way. The way at boot has the power faults, and a rollback has the faults of rocec. The other faults are divided between a rollback
// and the undo by the timer.
func (u *undoing) may(i int) []fault {
	var all []fault
	for k, f := range faults {
		in := (k / 2) % 2 * 2
		switch {
		case f.power:
			in = 1
		case f.leader:
			in = 2
		}
		if u.faults(&f) && !tooLong(f) && (!slice() || k%2 == 1 && i == in) {
			all = append(all, f)
		}
	}
	return all
}

// After any fault during an undo, the old content is restored, or rocec reports that it is not.
func TestUndo(t *testing.T) {
	t.Parallel()
	bin := rocec(t)
	type on struct {
		*undoing
		number  int
		ref     *reference
		moments []moment
	}
	var all []*on
	var undisturbed []nspawn.Cell
	for i := range undoings {
		for n, r := range learn(t) {
			if slice() && n != 2*i%len(undoings) {
				continue // each way on another device, and the way with the fewest faults on the host, which is the slowest
			}
			o := &on{undoing: &undoings[i], number: i, ref: r}
			all = append(all, o)
			undisturbed = append(undisturbed, o.learn(bin, r, &o.moments))
		}
	}
	nspawn.Matrix(t, devices(), undisturbed)
	if t.Failed() {
		t.Fatal("an undo without a fault fails")
	}
	var cells []nspawn.Cell
	for _, o := range all {
		cells = append(cells, o.cells(bin, o.ref, o.moments, o.may(o.number))...)
	}
	run(t, "undo", part(cells))
}
