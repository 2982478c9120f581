// Gate reports where a build of rocec uses more processor time than another build.
//
//	go run ./cmd/internal/gate -base BASE -head HEAD
//
// A row is a command on a fabric that gate writes. Its cost is the user and system time of the whole process, as wait4 returns it. Gate
// runs BASE, BASE again and HEAD in turn, at least seven times each, and takes the minimum of each of the three series. If the two series
// of BASE differ by 2 % or more, the machine is too busy, and the row is unknown. HEAD fails a row if it uses more than 1.05 times the
// time of either series. Gate repeats rows that fail or are unknown until their time is over. Other work on a machine makes processes
// slower, never faster, so more runs can only improve a minimum.
//
// Gate runs copies of the binaries. The file that the linker wrote starts a quarter slower than its copy, since the kernel caches the two
// with different page sizes. Copies differ by a few percent as well, so gate copies the binaries of a row several times.
//
// The exit status is 0 when no row fails, 1 when one does, and 2 when a command could not be run. .ci/gate builds the two binaries.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// Exit statuses.
const (
	exitGood   = 0
	exitSlower = 1
	exitFailed = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole program: it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("gate", flag.ContinueOnError)
	f.SetOutput(stderr)
	base := f.String("base", "", "the `binary` to compare with")
	head := f.String("head", "", "the `binary` to be compared")
	most := f.Duration("most", 12*time.Second, "time limit of a row, as a `duration`, after its first seven runs")
	if err := f.Parse(args); err != nil {
		return exitFailed
	}
	if *base == "" || *head == "" || f.NArg() > 0 {
		f.Usage()
		return exitFailed
	}
	slower, unknown, err := compare(ctx, *base, *head, *most, stdout)
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "gate:", err)
		return exitFailed
	case slower > 0:
		fmt.Fprintf(stdout, "\nslower than the baseline: rows %d\n", slower)
		return exitSlower
	case unknown > 0:
		fmt.Fprintf(stdout, "\nno known row is slower; rows without a result: %d\n", unknown)
	default:
		fmt.Fprintln(stdout, "\nno slower than the baseline")
	}
	return exitGood
}

// compare measures every row, prints it, and counts the slower rows and the rows without a result.
func compare(ctx context.Context, base, head string, most time.Duration, stdout io.Writer) (slower, unknown int, err error) {
	dir, err := os.MkdirTemp(machinetest.Memory(), "rocec-gate-") // disk time is not part of the cost of rocec
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	list, err := rows(dir)
	if err != nil {
		return 0, 0, err
	}
	programs, err := os.MkdirTemp("", "rocec-gate-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(programs)
	var binaries [3]string
	for i := range binaries {
		binaries[i] = filepath.Join(programs, fmt.Sprint("rocec", i))
	}
	fmt.Fprintf(stdout, "%-38s %10s %10s %10s %6s\n", "user and system time, ms", "baseline", "again", "this", "runs")
	for _, r := range list {
		s := &series{}
		for start := time.Now(); ; {
			if n := s.runs(); n%copyRuns == 0 && n < mostCopies*copyRuns {
				for i, from := range []string{base, base, head} {
					if err := copyFile(binaries[i], from); err != nil {
						return 0, 0, err
					}
				}
			}
			if err := s.round(ctx, r, binaries); err != nil {
				return 0, 0, err
			}
			if s.runs() >= leastRuns && time.Since(start) > most*patience[s.verdict()]/6 {
				break
			}
		}
		fmt.Fprintf(stdout, "%-38s %10.2f %10.2f %10.2f %6d  %s\n", r.name, ms(s.least(0)), ms(s.least(1)), ms(s.least(2)), s.runs(), s)
		switch s.verdict() {
		case slow:
			slower++
		case busy:
			unknown++
		}
	}
	return slower, unknown, nil
}

// After every copyRuns runs of a row the binaries are copied again, at most mostCopies times.
const (
	copyRuns   = 20
	mostCopies = 10
)

// patience is how long a row with a verdict is repeated, in sixths of -most.
var patience = [...]time.Duration{good: 1, busy: 6, slow: 12}

// copyFile copies a file, and replaces an existing file by a new one.
func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o755)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
