//go:build linux

package matrix

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
)

// undoing is a way in which a change that is held is undone.
type undoing struct {
	name   string
	hold   time.Duration // how long the change is held before the device undoes it by itself, on a quiet machine
	faults func(f *fault) bool

	// begin has the undo begin. It returns the rocec that leads it; nil: none does.
	begin func(ctx context.Context, c *cell, run string) (*under, error)
}

// The ways. While a device boots, nobody can log in, and all that can happen to it is that the power goes again.
var undoings = []undoing{
	{
		name: "undo by the timer", hold: 20 * time.Second, faults: func(f *fault) bool { return !f.leader },
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
		name: "rollback", hold: 40 * time.Second, faults: func(*fault) bool { return true },
		begin: func(ctx context.Context, c *cell, run string) (*under, error) {
			return c.o.start(ctx, c.rollback(run)...)
		},
	},
}

// hold applies, and leaves the device armed. It returns the run.
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

// held brings a device to where the undo may begin. It returns the run.
func (u *undoing) held(ctx context.Context, c *cell) (string, error) {
	run, err := c.hold(ctx, c.d.Slowed(u.hold))
	if err == nil && u.name == "undo at boot" {
		c.d.PowerOff(nspawn.LoseJournal)
	}
	return run, err
}

// moments are the commands of an undo.
func (u *undoing) moments(t *testing.T, bin string, r *reference) []moment {
	t.Helper()
	var found []moment
	d := nspawn.Start(t, r.kind, r.options)
	_, err := r.experiment(bin, nil, moment{}, func(ctx context.Context, c *cell) (string, error) {
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
		for _, command := range d.Commands() {
			found = append(found, moment{Command: command, verb: u.name})
		}
		if err == nil && (!h.is(&r.old) || len(found) == 0) {
			err = fmt.Errorf("it is not undone: %s", h)
		}
		return "", err
	})(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// cells are every fault at every command of an undo.
func (u *undoing) cells(t *testing.T, bin string, r *reference, faults []fault) []nspawn.Cell {
	t.Helper()
	moments := u.moments(t, bin, r)
	var cells []nspawn.Cell
	for i := range faults {
		if !u.faults(&faults[i]) {
			continue
		}
		for _, m := range moments {
			cells = append(cells, nspawn.Cell{
				Command: u.name, Fault: faults[i].name, At: fmt.Sprintf("%s, before %s", r.kind.Name, m), Kind: r.kind, Options: r.options,
				Run: r.experiment(bin, &faults[i], m, u.strike),
			})
		}
	}
	return cells
}

// strike is a cell: the fault strikes at a command of the undo.
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
		err = breaks(noHalfState, "what nobody has confirmed stays")
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, said)
	}
	return end, err
}

// Whatever strikes while a change is undone: what was there before comes back, or rocec says that it does not.
func TestUndo(t *testing.T) {
	bin := rocec(t)
	var cells []nspawn.Cell
	for i := range undoings {
		for n, r := range learn(t) {
			if !*whole && *most == 1 && n != i%len(undoings) {
				continue // each way on a device of another kind
			}
			var may []fault
			for k, f := range faults {
				// Every second fault, of the last way those that the first leaves out.
				if !tooLong(f) && (*whole || *most > 1 || k%2 == i/2) {
					may = append(may, f)
				}
			}
			cells = append(cells, undoings[i].cells(t, bin, r, may)...)
		}
	}
	run(t, "undo", part(cells))
}
