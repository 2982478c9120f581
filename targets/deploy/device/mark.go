package device

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
)

// Mark marks a switch for a run, or renews the run's mark. The mark ends after the lease, by the switch's own clock. Mark returns how
// many runs have written to the switch. It fails with [deploy.Locked] if another run has marked the switch, holds its lock, or has
// changed it and is not confirmed. over names a run whose mark is ignored; empty: no mark is ignored.
func (d *Device) Mark(ctx context.Context, run deploy.Run, lease time.Duration, over string) (count int, err *deploy.Error) {
	lines, err := d.marking(ctx, run, "mark", "take", run.Owner, strconv.Itoa(seconds(lease)), over)
	for _, l := range lines {
		if n, ok := strings.CutPrefix(l, "count "); ok {
			count = countOf(n)
		}
	}
	return count, err
}

// Unmark removes the mark of a run, and the mark of the run over. If over is empty, only the first mark is removed.
func (d *Device) Unmark(ctx context.Context, run deploy.Run, over string) *deploy.Error {
	_, err := d.marking(ctx, run, "unmark", "drop", over)
	return err
}

// marking runs a verb of the script of marks. gate is the verb of the gate.
func (d *Device) marking(ctx context.Context, run deploy.Run, gate, verb string, args ...string) ([]string, *deploy.Error) {
	here := d.here(run)
	return d.verb(ctx, "mark", byGate(append([]string{gate, here.Name, here.Key}, args...)...), scripts.OneByOne, nil, 0, nil,
		append([]string{scripts.Mark(here.Name, here.Key), "rocec", verb}, args...)...)
}

// countOf parses a number of runs; 0: invalid.
func countOf(text string) int {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}
