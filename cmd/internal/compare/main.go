// Compare reports where the output and the files of two builds of rocec differ.
//
//	go run ./cmd/internal/compare -old OLD -new NEW [flags] [FOLDER...]
//
// It is run from the root of the repository, with two binaries, and gives both the same inputs:
//
//   - every folder of examples/, and the variants that golden/ holds;
//   - the corpora of the tests: the small fabrics below lang, compiler and validate, the backgrounds below cmd/rocec, the
//     transcripts below cmd/internal/transcripts, and the device files below targets (validate --device-config);
//   - every folder with an .hcl file at or below a FOLDER. A file rocec.args in it holds further arguments, one a line;
//     $DIR in one stands for the folder;
//   - with -random N, so many fabrics of a generator. Number i of a -seed is always the same fabric.
//
// The tests of the repository write the fabrics they make into the folder that ROCEC_DUMP_FABRICS names, ready to be a
// FOLDER (-count=1, as a cached result writes nothing):
//
//	ROCEC_DUMP_FABRICS=/tmp/fabrics go test -count=1 ./lang ./compiler ./validate ./validate/walk ./targets ./cmd/rocec
//
// For every input it compares
//
//   - the exit statuses, and that neither binary panics or runs into -timeout;
//   - validate --format json, every member of any depth but those that are prose: summary, detail, message and notes. -ignore
//     names more. Elements of a list are matched by content, and their order counts; findings of one code at one place may
//     change places, as they are sorted by their prose;
//   - validate --format sarif: rule, level, artifact and region of every result, and with -fingerprints its fingerprints;
//   - every file build writes: path, mode and bytes;
//   - with -show, show --format json of a few devices and ports; with -trace, trace --format json of a few pairs of hosts.
//
// Differences are printed by member. The exit status is 0 without a difference, 1 with one, and 2 when the comparison could not be
// made.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// Exit statuses, as of diff.
const (
	exitSame   = 0
	exitDiffer = 1
	exitFailed = 2
)

// options is the command line.
type options struct {
	old, new     string // the binaries
	repository   string // whose examples and corpora are compared; empty: none
	random       int
	seed         uint64
	keep         string
	ignore       string // members, separated by commas
	fingerprints bool
	show, trace  bool
	jobs, most   int
	timeout      time.Duration
	folders      []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("compare", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprintln(stderr, "usage: compare -old OLD -new NEW [flags] [FOLDER...]")
		f.PrintDefaults()
	}
	f.StringVar(&o.old, "old", "", "the `binary` to compare with")
	f.StringVar(&o.new, "new", "", "the `binary` to be compared")
	f.StringVar(&o.repository, "repository", ".", "`folder` of the repository whose examples and corpora are compared; empty for none")
	f.IntVar(&o.random, "random", 0, "compare `N` random fabrics, too")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the random fabrics")
	f.StringVar(&o.keep, "keep", "", "`folder` to write corpora and random fabrics to, instead of a temporary one")
	f.StringVar(&o.ignore, "ignore", "", "further `members` of JSON documents that may differ, separated by commas")
	f.BoolVar(&o.fingerprints, "fingerprints", false, "compare the fingerprints of SARIF, too")
	f.BoolVar(&o.show, "show", false, "compare show --format json, too")
	f.BoolVar(&o.trace, "trace", false, "compare trace --format json, too")
	f.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "inputs compared at the same time")
	f.IntVar(&o.most, "most", 20, "maximum of differences to print; the rest are counted")
	f.DurationVar(&o.timeout, "timeout", 2*time.Minute, "time limit of a single run of a binary")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	o.folders = f.Args()
	if o.old == "" || o.new == "" {
		f.Usage()
		return nil, fmt.Errorf("-old and -new name the two binaries")
	}
	o.jobs, o.most = max(o.jobs, 1), max(o.most, 0)
	for _, binary := range []*string{&o.old, &o.new} {
		path, err := exec.LookPath(*binary)
		if err != nil {
			return nil, err
		}
		if *binary, err = filepath.Abs(path); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// run is the whole program: it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	failed := func(err error) int {
		fmt.Fprintln(stderr, "compare:", err)
		return exitFailed
	}
	o, err := parse(args, stderr)
	if err != nil {
		return failed(err)
	}
	scratch, err := os.MkdirTemp(scratchParent(), "compare-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // a folder that stays behind is not a reason to fail
	kept := o.keep
	if kept == "" {
		kept = filepath.Join(scratch, "inputs")
	}
	if kept, err = filepath.Abs(kept); err != nil {
		return failed(err)
	}
	inputs, err := collect(o, kept)
	if err != nil {
		return failed(err)
	}
	if len(inputs) == 0 {
		return failed(fmt.Errorf("there is nothing to compare"))
	}

	start := time.Now()
	c := &comparer{options: o, ignored: ignoredMembers(o.ignore), scratch: scratch}
	found, runs, err := c.compareAll(ctx, inputs)
	if err != nil {
		return failed(err)
	}
	report(stdout, found, o.most)
	fmt.Fprintf(stdout, "%d inputs, %d runs of each binary in %s: ", len(inputs), runs, time.Since(start).Round(time.Second/10))
	if len(found) == 0 {
		fmt.Fprintln(stdout, "no difference")
		return exitSame
	}
	fmt.Fprintf(stdout, "%s in %s\n", count(len(found), "difference"), count(inputsOf(found), "input"))
	return exitDiffer
}

// scratchParent returns the parent of the scratch folder. Without TMPDIR this is a file system in memory, if Linux has one: on a disk,
// writing and deleting the trees of build takes longer than the runs of rocec.
func scratchParent() string {
	if os.Getenv("TMPDIR") != "" {
		return ""
	}
	return machinetest.Memory()
}

// ignoredMembers returns the members that are prose, and the members that the flag names.
func ignoredMembers(more string) map[string]bool {
	out := map[string]bool{"summary": true, "detail": true, "message": true, "notes": true}
	for name := range strings.SplitSeq(more, ",") {
		if name = strings.TrimSpace(name); name != "" {
			out[name] = true
		}
	}
	return out
}

// count returns "1 input" or "2 inputs".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
