//go:build linux

package nspawn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/semaphore"
)

// Cell is one experiment: a command, a fault, and the moment at which the fault is injected.
type Cell struct {
	Command string // the command on the device, such as "apply"; together with Fault a row of the table
	Fault   string // "power cut, data lost"
	At      string // the moment of the fault, for messages: "before 12: mv …"
	Kind    *Kind
	Options Options
	Time    time.Duration // time limit, including boots and dead-man's switches; 0: an hour, which only a hanging cell reaches

	// Run does the experiment on a freshly booted device, and returns its result as a word, such as "old". The word is a column of the
	// table. An error is a broken promise, or a fault that did not fire. The device is switched off when ctx ends.
	Run func(ctx context.Context, d *Device) (end string, err error)
}

// Result is the result of a cell.
type Result struct {
	Cell
	End  string
	Err  error
	Time time.Duration
}

// Table is the results of many cells, in their order.
type Table []Result

// cellTime is the time limit of a cell that sets none. A cell takes a minute, and many minutes on a busy machine.
const cellTime = time.Hour

// Matrix runs cells, each on a fresh device. Before a cell, Matrix acquires a token of devices, which limits how many devices run at once
// in all tests that share it. The test fails for every cell that returns an error. With -short, Matrix skips the test.
func Matrix(t testing.TB, devices *semaphore.Weighted, cells []Cell) Table {
	t.Helper()
	table := runCells(t.Context(), Image(t), devices, cells)
	for _, r := range table {
		if r.Err != nil {
			t.Errorf("%s, %s, %s: %v", r.Command, r.Fault, r.At, r.Err)
		}
	}
	return table
}

func runCells(ctx context.Context, image string, devices *semaphore.Weighted, cells []Cell) Table {
	table := make(Table, len(cells))
	var wg sync.WaitGroup
	for i := range cells {
		table[i].Cell = cells[i]
		if table[i].Err = devices.Acquire(ctx, 1); table[i].Err != nil {
			continue
		}
		wg.Go(func() {
			defer devices.Release(1)
			begin := time.Now()
			table[i].End, table[i].Err = cells[i].run(ctx, image)
			table[i].Time = time.Since(begin)
		})
	}
	wg.Wait()
	return table
}

// run runs one cell. When the time limit is over, run switches off the device, so that the cell ends, too.
func (c Cell) run(ctx context.Context, image string) (string, error) {
	d, err := start(image, c.Kind, c.Options)
	if err != nil {
		return "", err
	}
	d.StopAt(0, Before)
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Time, cellTime))
	defer cancel()
	type ended struct {
		end string
		err error
	}
	done := make(chan ended, 1)
	go func() {
		end, err := c.Run(ctx, d)
		done <- ended{end, err}
	}()
	var e ended
	select {
	case e = <-done:
	case <-ctx.Done():
		e.err = fmt.Errorf("it did not end: %w", ctx.Err())
	}
	if e.err != nil {
		e.err = fmt.Errorf("%w\n%s", e.err, d.Transcript())
	}
	return e.end, errors.Join(e.err, d.close())
}

// Sample selects at most most cells of every fault, as many as a test has time for. The golden section spreads them over the moments,
// commands and devices. Each fault continues where the one before stopped, so that together the faults cover all positions.
func Sample(cells []Cell, most int) []Cell {
	var faults []string
	of := make(map[string][]int)
	for i, c := range cells {
		if of[c.Fault] == nil {
			faults = append(faults, c.Fault)
		}
		of[c.Fault] = append(of[c.Fault], i)
	}
	var taken []int
	for n, fault := range faults {
		all := of[fault]
		if len(all) <= most {
			taken = append(taken, all...)
			continue
		}
		for k := range most {
			_, at := math.Modf(float64(n*most+k) / math.Phi)
			taken = append(taken, all[int(at*float64(len(all)))])
		}
	}
	slices.Sort(taken)
	taken = slices.Compact(taken)
	out := make([]Cell, len(taken))
	for i, n := range taken {
		out[i] = cells[n]
	}
	return out
}

// Injection is a fault that can be injected at any moment, and its reversal. Undo is nil if the fault needs no reversal.
type Injection struct {
	Name string
	Do   func(*Device) Fault
	Undo func(*Device) error
}

// Injections returns every fault that can be injected at a moment. file is the file that another user edits or makes immutable, and edit
// is that user's content.
func Injections(file string, edit []byte) []Injection {
	return []Injection{
		{"sessions killed", (*Device).KillSessions, nil},
		{"network cut", (*Device).CutNetwork, (*Device).RestoreNetwork},
		{"power cut, data lost", func(d *Device) Fault { return d.PowerCut(LoseData) }, nil},
		{"power cut, journal lost", func(d *Device) Fault { return d.PowerCut(LoseJournal) }, nil},
		{"reboot", (*Device).Reboot, nil},
		{"disk full", (*Device).FillDisk, (*Device).FreeDisk},
		{"file system read-only", (*Device).ReadOnly, func(d *Device) error { return d.PowerCut(LoseJournal).Fired() }},
		{"immutable file", func(d *Device) Fault { return d.Immutable(file) }, func(d *Device) error { return d.Mutable(file) }},
		{"sudo revoked", (*Device).RevokeSudo, (*Device).GrantSudo},
		{"third-party edit in place", func(d *Device) Fault { return d.EditFile(file, edit, InPlace) }, nil},
		{"third-party edit by rename", func(d *Device) Fault { return d.EditFile(file, edit, ByRename) }, nil},
		{
			"clock jump", func(d *Device) Fault { return d.ClockJump(-5 * 365 * 24 * time.Hour) },
			func(d *Device) error { return d.ClockJump(0).Fired() },
		},
	}
}

// Steps calls do on a fresh device and returns the commands that do runs there. They are the moments of a matrix.
func Steps(t testing.TB, kind *Kind, o Options, do func(d *Device) error) []Command {
	t.Helper()
	d := Start(t, kind, o)
	d.StopAt(0, Before)
	if err := do(d); err != nil {
		t.Fatalf("%v\n%s", err, d.Transcript())
	}
	return d.Commands()
}

// Strike calls do, which runs commands on the device, and injects a fault at one of these commands. It waits until the device has stopped
// at the command, injects the fault, and lets the device go on. result is the error of do; err is nil if the device stopped and the fault
// fired. A fault that restarts the device also ends the stop.
func (d *Device) Strike(n int, when When, inject func(*Device) Fault, do func() error) (result, err error) {
	d.StopAt(n, when)
	stopped := d.Stopped()
	ended := make(chan error, 1)
	go func() { ended <- do() }()
	select {
	case result = <-ended:
		return result, fmt.Errorf("it ended without a command %d", n)
	case <-stopped:
	}
	f := inject(d)
	d.Release()
	result = <-ended
	return result, f.Fired()
}
