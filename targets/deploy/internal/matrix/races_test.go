//go:build linux

package matrix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
)

// times returns the number of repetitions of a test with a random result.
func times(some, all int) int {
	switch {
	case *whole:
		return all
	case slice():
		return 1
	}
	return some
}

// left returns the remaining time until a device undoes the change by itself.
func (c *cell) left() (time.Duration, error) {
	out, err := c.d.Exec("cut -d ' ' -f 1 /proc/uptime; cat /var/lib/rocec/txn-*/deadline")
	if err != nil {
		return 0, err
	}
	up, deadline, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	at, err := strconv.ParseFloat(up, 64)
	end, failed := strconv.ParseFloat(deadline, 64)
	return time.Duration((end - at) * float64(time.Second)), errors.Join(err, failed)
}

// TestConfirmAtTheDeadline: a confirm arrives when the device is about to undo the change. Either the confirm or the undo wins, and rocec
// reports the winner.
func TestConfirmAtTheDeadline(t *testing.T) {
	t.Parallel()
	bin := rocec(t)
	var cells []nspawn.Cell
	for i := range times(3, 21) {
		r := learn(t)[i%3]
		// The start time of rocec, relative to the deadline. A confirm takes a third of a second or more.
		early := 1500*time.Millisecond - time.Duration(i)*2*time.Second/time.Duration(times(2, 20))
		cells = append(cells, nspawn.Cell{
			Command: "confirm at the deadline", Fault: "none", At: fmt.Sprintf("%s, %s before", r.kind.Name, early), Kind: r.kind,
			Options: r.options,
			Run: r.experiment(bin, &fault{}, moment{}, func(ctx context.Context, c *cell) (string, error) {
				run, err := c.hold(ctx, c.d.Slowed(8*time.Second))
				if err != nil {
					return "", err
				}
				left, err := c.left()
				if err != nil {
					return "", err
				}
				time.Sleep(left - time.Duration(float64(early)*nspawn.Slow(c.d)))
				said, err := c.o.run(ctx, "confirm", "--format", "json", run)
				if err != nil {
					return "", err
				}
				h, err := look(c.d, c.ref.paths)
				if err != nil {
					return "", err
				}
				end, err := c.afterwards(ctx, &report{said, h}, proof(func() error { return nil }))
				if f, _ := said.fate(); err == nil && (f == nil || (f.Outcome == "applied") != (end == "new")) {
					err = breaks(trueReport, "the device ended with the %s content", end)
				}
				if err != nil {
					err = fmt.Errorf("%w\n%s", err, said)
				}
				return end, err
			}),
		})
	}
	run(t, "confirm at the deadline", cells)
}

// TestTwoOperators: two operators begin together, and one wins. The error of the other one names the holder of the device, or reports
// that the device has changed.
func TestTwoOperators(t *testing.T) {
	t.Parallel()
	bin := rocec(t)
	var cells []nspawn.Cell
	for i := range times(3, 21) {
		r := learn(t)[i%3]
		cells = append(cells, nspawn.Cell{
			Command: "two operators", Fault: "none", At: fmt.Sprintf("%s, pair %d", r.kind.Name, i+1), Kind: r.kind, Options: r.options,
			Run: r.experiment(bin, &fault{}, moment{}, func(ctx context.Context, c *cell) (end string, err error) {
				second, err := c.o.another(c.d)
				if err != nil {
					return "", err
				}
				defer func() { err = errors.Join(err, second.close()) }()
				one, err := c.o.start(ctx, c.o.apply("--soak", "0s")...)
				if err != nil {
					return "", err
				}
				two, err := second.start(ctx, second.apply("--soak", "0s", "--var", "weight=70")...)
				if err != nil {
					return "", err
				}
				first, err := one.wait()
				other, failed := two.wait()
				if err := errors.Join(err, failed); err != nil {
					return "", err
				}
				h, err := c.atRest(ctx)
				if err != nil {
					return "", err
				}
				both := fmt.Sprintf("%s%s%s", first, other, h)
				won := 0
				for _, r := range []*ran{first, other} {
					f, err := r.fate()
					if err != nil || f == nil {
						return "", breaks(trueReport, "an operator got no report (%v)\n%s", err, both)
					}
					switch {
					case f.Outcome == "applied" && r.status == 0:
						won++
					case (f.Outcome == "refused" || f.Outcome == "not-started") && (r.status == exitLocked || r.status == exitIncomplete):
					default:
						return "", breaks(trueReport, "an operator neither won nor was refused\n%s", both)
					}
				}
				if won != 1 {
					return "", breaks(trueReport, "%d winners\n%s", won, both)
				}
				if other.status == 0 {
					c.others = append(c.others, *sideOf(h))
				}
				if end, err = c.whole(h); err != nil {
					return "", fmt.Errorf("%w\n%s", err, both)
				}
				return end, c.goOn(ctx)
			}),
		})
	}
	run(t, "two operators", cells)
}

// A run can be resumed after rocec was killed before, during or after a write of its journal.
func TestKilledAtTheJournal(t *testing.T) {
	t.Parallel()
	bin := rocec(t)
	var cells []nspawn.Cell
	for _, r := range learn(t) {
		var of []nspawn.Cell
		for n := range 3 * r.writes {
			at := fmt.Sprintf("%s, %s write %d", r.kind.Name, []string{"before", "half way through", "after"}[n%3], n/3+1)
			of = append(of, nspawn.Cell{
				Command: "journal", Fault: "rocec killed (-9)", At: at, Kind: r.kind, Options: r.options,
				Run: r.experiment(bin, &fault{}, moment{checked: true, kept: true}, func(ctx context.Context, c *cell) (string, error) {
					c.o.set("ROCEC_TEST_CRASH_AT", strconv.Itoa(n+1))
					said, err := c.o.run(ctx, c.o.apply("--soak", "0s")...)
					if err != nil {
						return "", err
					}
					c.o.unset("ROCEC_TEST_CRASH_AT")
					killed := proof(func() error {
						if said.status != exitKilled {
							return fmt.Errorf("rocec lives: %s", said)
						}
						return nil
					})
					h, err := look(c.d, c.ref.paths)
					if err != nil {
						return "", err
					}
					c.journalled = n == 3*r.writes-1
					journal, failed := c.o.journal()
					end, err := c.afterwards(ctx, &report{said, h}, killed)
					if err == nil && end == "new" && !strings.Contains(journal, `"verb":"confirm"`) {
						err = breaks(noHalfState, "the new content stays, but was not confirmed")
					}
					if err = errors.Join(err, failed); err != nil {
						err = fmt.Errorf("%w\n%s", err, said)
					}
					return end, err
				}),
			})
		}
		cells = append(cells, of...)
	}
	run(t, "journal", part(cells))
}

// journal returns the journal of the operator's only run.
func (o *operator) journal() (string, error) {
	run, err := o.runName()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(o.dir + "/home/.local/state/rocec/runs/" + run + ".jsonl")
	return string(text), err
}

// writes returns the number of writes to the journal of a run: its lines, and the saved earlier files.
func (o *operator) writes() (int, error) {
	dir := o.dir + "/home/.local/state/rocec/runs"
	n := 0
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		n++
		if strings.HasSuffix(path, ".jsonl") {
			text, err := os.ReadFile(path)
			n += strings.Count(string(text), "\n") - 1
			return err
		}
		return nil
	})
	return n, err
}
