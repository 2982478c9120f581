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

	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
)

var (
	whole   = flag.Bool("whole", false, "run every cell, which takes hours")
	most    = flag.Int("most", 1, "of every fault run so many cells, spread over moments and devices, unless -whole")
	only    = flag.String("cells", "", "run only cells whose kind, command, fault or moment contains this text")
	workers = flag.Int("workers", 2*runtime.NumCPU(), "cells that run at the same time")
)

// learned is what an undisturbed apply does to the devices, found out once.
var learned struct {
	once sync.Once
	refs []*reference
}

func learn(t *testing.T) []*reference {
	t.Helper()
	bin := rocec(t)
	learned.once.Do(func() {
		refs := references()
		if t.Run("undisturbed", func(t *testing.T) {
			for _, r := range refs {
				t.Run(r.kind.Name, func(t *testing.T) {
					t.Parallel()
					r.learn(t, bin)
				})
			}
		}) {
			learned.refs = refs
		}
	})
	if learned.refs == nil {
		t.Fatal("an apply without a fault fails")
	}
	return learned.refs
}

// Whatever strikes at whatever command of an apply: the device comes to rest whole, the report is true, and rocec itself can go on.
func TestApply(t *testing.T) {
	bin := rocec(t)
	var cells []nspawn.Cell
	for _, r := range learn(t) {
		cells = append(cells, r.cells(bin, slices.DeleteFunc(slices.Clone(faults), tooLong))...)
	}
	run(t, "apply", part(cells))
}

// tooLong reports whether a fault takes longer than a part of the cells may.
func tooLong(f fault) bool { return f.long && !*whole }

// part takes as many cells of every row as this test has time for.
func part(cells []nspawn.Cell) []nspawn.Cell {
	if *whole {
		return cells
	}
	return nspawn.Sample(cells, *most)
}

// run runs those cells that were asked for, and publishes their tables.
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
				time.Since(begin).Round(100*time.Millisecond), d.Slow())
			return end, err
		}
	}
	begin := time.Now()
	table := nspawn.Matrix(t, *workers, cells)
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
