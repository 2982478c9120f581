package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

const (
	leastRuns = 7
	// Two series of one binary that differ by this factor or more have no result.
	noise = 1.02
	// A binary is slower by more than this factor.
	limit = 1.05
)

// row is a measured command. It writes to out, unless out is empty.
type measured struct {
	name string
	args []string
	out  string
}

// rows writes the fabrics of all rows below a folder.
func rows(dir string) ([]measured, error) {
	fabric := func(name, text string) (string, error) {
		at := filepath.Join(dir, name)
		if err := os.Mkdir(at, 0o755); err != nil {
			return "", err
		}
		return at, os.WriteFile(filepath.Join(at, "fabric.hcl"), []byte(text), 0o644)
	}
	list := []measured{{name: "version", args: []string{"version"}}}
	for _, f := range fabrics() {
		at, err := fabric(f.name, f.text)
		if err != nil {
			return nil, err
		}
		list = append(list, measured{name: f.title, args: []string{"validate", "-q", at}})
		if f.built {
			out := filepath.Join(dir, "out")
			list = append(list, measured{name: "build: " + f.title, args: []string{"build", "-q", "-o", out, at}, out: out})
		}
	}
	return list, nil
}

// series contains the times of a row: two series of the baseline, and one of this tree.
type series [3][]time.Duration

func (s *series) runs() int                 { return len(s[0]) }
func (s *series) least(i int) time.Duration { return slices.Min(s[i]) }

// round runs each of the three series once. The first one changes with each round.
func (s *series) round(ctx context.Context, r measured, binaries [3]string) error {
	first := s.runs()
	for i := range s {
		i = (first + i) % len(s)
		took, err := cost(ctx, r, binaries[i])
		if err != nil {
			return err
		}
		s[i] = append(s[i], took)
	}
	return nil
}

// cost runs a row and returns the user and system time of its process.
func cost(ctx context.Context, r measured, binary string) (time.Duration, error) {
	if r.out != "" {
		if err := os.RemoveAll(r.out); err != nil {
			return 0, err
		}
	}
	ctx, stop := context.WithTimeout(ctx, 10*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, binary, r.args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", r.name, err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// verdict is the judgement of a row.
type verdict int

const (
	good verdict = iota
	slow
	busy
)

func (s *series) verdict() verdict {
	one, two := s.least(0), s.least(1)
	switch {
	case float64(max(one, two)) >= noise*float64(min(one, two)):
		return busy
	case float64(s.least(2)) > limit*float64(max(one, two)):
		return slow
	}
	return good
}

func (s *series) String() string {
	one, two := s.least(0), s.least(1)
	switch s.verdict() {
	case busy:
		return fmt.Sprintf("not known: two series of one binary differ by %.1f %%", 100*(float64(max(one, two))/float64(min(one, two))-1))
	case slow:
		return fmt.Sprintf("SLOWER: %.2f times", float64(s.least(2))/float64(max(one, two)))
	}
	return fmt.Sprintf("%.2f times", float64(s.least(2))/float64(max(one, two)))
}
