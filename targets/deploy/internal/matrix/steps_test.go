//go:build linux

package matrix

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
)

// stepCells returns the cells in which the steps fail on a device.
func stepCells(bin string, r *reference) []nspawn.Cell {
	var cells []nspawn.Cell
	add := func(name, at string, do func(ctx context.Context, c *cell) (string, error)) {
		cells = append(cells, nspawn.Cell{
			Command: "steps", Fault: name, At: r.kind.Name + ", " + at, Kind: r.kind, Options: r.options,
			Run: r.experiment(bin, &fault{name: name}, moment{verb: "commit"}, do),
		})
	}
	if r.kind != nspawn.Host {
		moments := []int{1, 2, 4}
		if slice() {
			moments = moments[1:2]
		}
		for _, n := range moments {
			add(fmt.Sprintf("switchd dies %d s after it loaded", n), "soak 6s", func(ctx context.Context, c *cell) (string, error) {
				c.fault.heal = func(c *cell) error {
					if err := c.d.Turn("die-after", ""); err != nil { // otherwise the daemon that starts now dies, too
						return err
					}
					_, err := c.d.Exec("systemctl restart switchd")
					return err
				}
				c.o.set("ROCEC_TEST_DEADMAN", c.d.Slowed(20*time.Second).String())
				return c.through(ctx, c.d.DaemonDies(n), c.d.Slowed(6*time.Second).String())
			})
		}
	}
	add("step hangs", "for ever", func(ctx context.Context, c *cell) (string, error) {
		c.o.set("ROCEC_TEST_STEP", c.d.Slowed(8*time.Second).String())
		c.fault.heal = func(c *cell) error {
			c.d.Release()
			return c.switchd("CONT")
		}
		f := proof(func() error { return nil })
		switch c.d.Kind {
		case nspawn.Switch43: // the step is a write to the node that switchd reads
			if err := c.switchd("STOP"); err != nil {
				return "", err
			}
			return c.through(ctx, f, "0s")
		case nspawn.Host:
			return c.through(ctx, c.d.StepHangs("systemctl restart rocec-host@"), "0s")
		}
		return c.through(ctx, c.d.StepHangs("systemctl restart switchd"), "0s")
	})
	if !*whole {
		return cells // a slow device takes minutes
	}
	add("device slower than its deadline", "from the commit on", func(ctx context.Context, c *cell) (string, error) {
		for _, m := range r.moments {
			if m.verb == "commit" {
				c.at = m
				break
			}
		}
		c.fault.strike = func(context.Context, *cell, *under) (fired, error) {
			slow := c.d.SlowDevice(2 * time.Second)
			return proof(func() error { return errors.Join(slow.Fired(), c.late()) }), nil
		}
		c.fault.heal = func(c *cell) error {
			c.d.SlowDevice(0)
			return nil
		}
		return c.strike(ctx, c.o.apply("--soak", "0s")...)
	})
	return cells
}

// switchd sends a signal to the daemon, if it runs.
func (c *cell) switchd(signal string) error {
	if c.d.Kind == nspawn.Host {
		return nil
	}
	_, err := c.d.Exec("systemctl kill --kill-whom=all --signal=" + signal + " switchd.service")
	return err
}

// late returns a proof that the device undid the change by its timer.
func (c *cell) late() error {
	for _, command := range c.d.Commands() {
		if line := strings.Join(command.Args, " "); strings.HasPrefix(line, "flock ") && strings.HasSuffix(line, "timer") {
			return nil
		}
	}
	return errors.New("the timer has not undone anything")
}

// through returns an experiment that applies on a device with a fault from the beginning.
func (c *cell) through(ctx context.Context, f fired, soak string) (string, error) {
	said, err := c.o.run(ctx, c.o.apply("--soak", soak)...)
	if err != nil {
		return "", err
	}
	h, err := look(c.d, c.ref.paths)
	if err != nil {
		return "", err
	}
	end, err := c.afterwards(ctx, &report{said, h}, f)
	if err == nil && said.status == 0 {
		err = breaks(trueReport, "it ended well")
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, said)
	}
	return end, err
}

// TestSteps: a daemon dies, a step hangs, or a device is slow. The device ends with a complete content, and rocec reports the result.
func TestSteps(t *testing.T) {
	t.Parallel()
	bin := rocec(t)
	var cells []nspawn.Cell
	for _, r := range learn(t) {
		cells = append(cells, stepCells(bin, r)...)
	}
	run(t, "steps", part(cells))
}
