//go:build linux

package matrix

import (
	"context"
	"flag"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
)

var (
	whole   = flag.Bool("whole", false, "run every cell, which takes hours")
	most    = flag.Int("most", 1, "of every fault run so many cells, spread over moments and devices, unless -whole")
	only    = flag.String("cells", "", "run only cells whose kind, command, fault or moment contains this text")
	workers = flag.Int("workers", 3*runtime.NumCPU(), "devices that run at the same time: many wait for a timer")
)

// devices limits how many devices all tests of this package boot at the same time.
var devices = sync.OnceValue(func() *semaphore.Weighted { return semaphore.NewWeighted(int64(*workers)) })

// acquire waits until a test may boot n devices. The test returns them at its end.
func acquire(t *testing.T, n int64) {
	t.Helper()
	if err := devices().Acquire(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { devices().Release(n) })
}

// learned returns the results of an apply without a fault on the devices, computed once.
var learned struct {
	once sync.Once
	refs []*reference
}

func learn(t *testing.T) []*reference {
	t.Helper()
	bin := rocec(t)
	learned.once.Do(func() {
		refs := references()
		if learnAll(t, bin, refs) {
			learned.refs = refs
		}
	})
	if learned.refs == nil {
		t.Fatal("an apply without a fault fails")
	}
	return learned.refs
}

// learnAll calls learn for several kinds of devices at the same time.
func learnAll(t *testing.T, bin string, refs []*reference) (good bool) {
	t.Helper()
	var cells []nspawn.Cell
	for _, r := range refs {
		cells = append(cells, nspawn.Cell{
			Command: "apply", Fault: "none", At: r.kind.Name, Kind: r.kind, Options: r.options,
			Run: func(ctx context.Context, d *nspawn.Device) (string, error) { return "", r.learn(ctx, d, bin) },
		})
	}
	return !slices.ContainsFunc(nspawn.Matrix(t, devices(), cells), func(r nspawn.Result) bool { return r.Err != nil })
}

// TestApply: after any fault at any command of an apply, the device has a complete content, the report is true, and rocec can go on.
func TestApply(t *testing.T) {
	t.Parallel()
	bin := rocec(t)
	var may []fault
	for k, f := range faults {
		if !tooLong(f) && (!slice() || k%2 == 0) { // TestUndo injects the other faults
			may = append(may, f)
		}
	}
	var cells []nspawn.Cell
	for _, r := range learn(t) {
		cells = append(cells, r.cells(bin, may)...)
	}
	run(t, "apply", part(cells))
}

// slice reports whether the tests run the smallest part of the cells, with each fault once.
func slice() bool { return !*whole && *most == 1 }

// tooLong reports whether a fault takes too long for a run of a part of the cells.
func tooLong(f fault) bool { return f.long && !*whole }

// part selects as many cells of every row as this test has time for.
func part(cells []nspawn.Cell) []nspawn.Cell {
	if *whole {
		return cells
	}
	return nspawn.Sample(cells, *most)
}

// run runs the requested cells, and publishes their tables.
func run(t *testing.T, name string, cells []nspawn.Cell) {
	t.Helper()
	cells = slices.DeleteFunc(cells, func(c nspawn.Cell) bool {
		return !strings.Contains(strings.Join([]string{c.Command, c.Fault, c.At}, ", "), *only)
	})
	for i := range cells {
		c := cells[i]
		cells[i].Run = func(ctx context.Context, d *nspawn.Device) (string, error) {
			begin := time.Now()
			end, err := c.Run(ctx, d)
			verdict := end
			if err != nil {
				verdict = "FAILED " + err.Error()
			}
			t.Logf("%s, %s, %s: %s (%s, times of timers × %.1f)", c.Command, c.Fault, c.At, verdict,
				time.Since(begin).Round(100*time.Millisecond), nspawn.Slow(d))
			return end, err
		}
	}
	begin := time.Now()
	table := nspawn.Matrix(t, devices(), cells)
	text := countsBy(table, "device", byKind)
	if slices.ContainsFunc(table, func(r nspawn.Result) bool { return r.Fault != table[0].Fault }) {
		text = countsBy(table, "fault", byFault) + "\n" + text
	}
	if slices.ContainsFunc(table, func(r nspawn.Result) bool { return r.Command != table[0].Command }) {
		text = cross(table) + "\n" + text
	}
	t.Logf("%d cells in %s\n%s", len(table), time.Since(begin).Round(time.Second), text)
	publish(name, text)
}
