//go:build linux

package matrix

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
)

// fault is a fault that the matrix injects at a moment.
type fault struct {
	name string

	// strike injects the fault. After its return the device continues, and leader, too. leader is nil if no rocec is running.
	strike func(ctx context.Context, c *cell, leader *under) (fired, error)

	// heal reverses the fault after the check of the device; nil: no reversal is needed.
	heal func(*cell) error

	blocks bool // during the fault a device cannot undo, so it is checked after heal
	leader bool // the fault affects rocec, or the connection to the device
	power  bool // the power is cut
	disk   bool // the disk is full
	long   bool // the fault takes a minute or more

	renames bool // the fault renames another file into place
}

// fired is a proof that a fault happened.
type fired interface{ Fired() error }

// proof is the proof for a fault of this package.
type proof func() error

func (p proof) Fired() error { return p() }

// onDevice returns the strike function for a fault of package nspawn.
func onDevice(inject func(*nspawn.Device) nspawn.Fault) func(context.Context, *cell, *under) (fired, error) {
	return func(_ context.Context, c *cell, _ *under) (fired, error) { return inject(c.d), nil }
}

// signal sends a signal to rocec. Its proof is that rocec ended by the signal or reported it.
func signal(s syscall.Signal) func(context.Context, *cell, *under) (fired, error) {
	return func(_ context.Context, c *cell, leader *under) (fired, error) {
		if err := leader.signal(s); err != nil {
			return nil, err
		}
		if s == syscall.SIGKILL {
			<-leader.done
		} else {
			time.Sleep(time.Duration(float64(50*time.Millisecond) * nspawn.Slow(c.d))) // the signal arrives before the device continues
		}
		return proof(func() error {
			r, err := leader.wait()
			switch {
			case err != nil:
				return err
			case s == syscall.SIGKILL && r.status == exitKilled:
			case s != syscall.SIGKILL && strings.Contains(r.errs, "Interrupted"):
			default:
				return fmt.Errorf("rocec has not noticed: %s", r)
			}
			return nil
		}), nil
	}
}

// cut cuts the network for some time.
func cut(long time.Duration) func(context.Context, *cell, *under) (fired, error) {
	return func(ctx context.Context, c *cell, _ *under) (fired, error) {
		f := c.d.CutNetwork()
		back := make(chan error, 1)
		go func() {
			select {
			case <-time.After(long):
			case <-ctx.Done():
			}
			back <- c.d.RestoreNetwork()
		}()
		return proof(func() error { return errors.Join(f.Fired(), <-back) }), nil
	}
}

// editFile edits a file as another user.
func editFile(how nspawn.How) func(context.Context, *cell, *under) (fired, error) {
	return func(_ context.Context, c *cell, _ *under) (fired, error) {
		c.edit = fmt.Sprintf("%x", sha256.Sum256(c.ref.edit))
		return c.d.EditFile(c.ref.edited, c.ref.edit, how), nil
	}
}

// secondOperator applies another variant of the fabric at the moment.
func secondOperator(ctx context.Context, c *cell, _ *under) (fired, error) {
	other, err := c.o.another(c.d)
	if err != nil {
		return nil, err
	}
	defer other.close()
	r, err := other.run(ctx, other.apply("--soak", "0s", "--var", "weight=70")...)
	if err != nil {
		return nil, err
	}
	f, err := r.fate()
	if err != nil || f == nil {
		return nil, fmt.Errorf("the second operator: %w\n%s", err, r)
	}
	h, err := look(c.d, c.ref.paths)
	if err != nil {
		return nil, err
	}
	switch f.Outcome {
	case "applied":
		c.others = append(c.others, *sideOf(h))
	case "refused":
		if r.status != exitLocked && r.status != exitIncomplete {
			return nil, breaks(trueReport, "the second operator was refused with another status\n%s", r)
		}
	default:
		return nil, breaks(trueReport, "the second operator neither won nor was refused\n%s", r)
	}
	return proof(func() error { return nil }), nil
}

// jump moves the device's wall clock.
func jump(years time.Duration) func(context.Context, *cell, *under) (fired, error) {
	return onDevice(func(d *nspawn.Device) nspawn.Fault { return d.ClockJump(years * 365 * 24 * time.Hour) })
}

// faults lists all faults of the matrix.
var faults = []fault{
	{name: "rocec killed (-9)", strike: signal(syscall.SIGKILL), leader: true},
	{name: "rocec told to end (SIGTERM)", strike: signal(syscall.SIGTERM), leader: true},
	{name: "terminal closed (SIGHUP)", strike: signal(syscall.SIGHUP), leader: true},
	{name: "session's sshd killed", strike: onDevice((*nspawn.Device).KillSessions), leader: true},
	{name: "network cut for 5 s", strike: cut(5 * time.Second), leader: true},
	{name: "network cut for 60 s", strike: cut(time.Minute), leader: true, long: true},
	{name: "power cut, data lost", strike: onDevice(func(d *nspawn.Device) nspawn.Fault { return d.PowerCut(nspawn.LoseData) }), power: true},
	{
		name: "power cut, journal lost", strike: onDevice(func(d *nspawn.Device) nspawn.Fault { return d.PowerCut(nspawn.LoseJournal) }),
		power: true,
	},
	{name: "clean reboot", strike: onDevice((*nspawn.Device).Reboot)},
	{name: "disk full", strike: onDevice((*nspawn.Device).FillDisk), heal: func(c *cell) error { return c.d.FreeDisk() }},
	{
		name: "file system read-only", strike: onDevice((*nspawn.Device).ReadOnly), blocks: true, disk: true,
		heal: func(c *cell) error { return c.d.PowerCut(nspawn.LoseJournal).Fired() },
	},
	{
		name: "file immutable", blocks: true,
		strike: func(_ context.Context, c *cell, _ *under) (fired, error) { return c.d.Immutable(c.ref.edited), nil },
		heal:   func(c *cell) error { return c.d.Mutable(c.ref.edited) },
	},
	{
		name: "sudo revoked", strike: onDevice((*nspawn.Device).RevokeSudo), leader: true,
		heal: func(c *cell) error { return c.d.GrantSudo() },
	},
	{name: "file edited in place", strike: editFile(nspawn.InPlace)},
	{name: "file edited by rename", strike: editFile(nspawn.ByRename), renames: true},
	{name: "second operator", strike: secondOperator},
	{name: "clock 5 years back", strike: jump(-5), heal: func(c *cell) error { return c.d.ClockJump(0).Fired() }},
	{name: "clock 5 years ahead", strike: jump(5), heal: func(c *cell) error { return c.d.ClockJump(0).Fired() }},
}
