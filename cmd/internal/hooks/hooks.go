// Package hooks runs the [Programs] of a person that drain the devices of a wave and put traffic back (--drain and --undrain). The
// journal keeps only a hash of each, and no command, so the person must name the program again to go on with a run.
package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
)

// Programs are the programs that a person names for one command, each with its arguments. An empty program is not run.
type Programs struct {
	Drain, Undrain []string
	Timeout        time.Duration // time limit of one call
}

// Sums returns the hashes of the programs for the journal. For nil it returns nil.
func (p *Programs) Sums() *journal.Hooks {
	if p == nil {
		return nil
	}
	return &journal.Hooks{Drain: journal.HookSum(p.Drain), Undrain: journal.HookSum(p.Undrain)}
}

// Same refuses a program for --undrain that differs from that of the run.
func Same(l *journal.Log, undrain []string) error {
	switch {
	case len(undrain) == 0:
		return nil
	case undrain[0] == "":
		return exit.Fail(exit.Usage, "--undrain needs a program")
	case l.Hooks == nil || l.Hooks.Undrain == "":
		return exit.Fail(exit.Usage, "run %s had no --undrain: leave it out", l.Run)
	case journal.HookSum(undrain) != l.Hooks.Undrain:
		return exit.Fail(exit.Usage, "--undrain differs from that of run %s: name the same program and arguments. "+
			"Nothing was changed.", l.Run)
	}
	return nil
}

// Owed returns the waves whose traffic the --undrain of a run has not put back.
func Owed(l *journal.Log) []int {
	if l.Hooks == nil || l.Hooks.Undrain == "" {
		return nil
	}
	return l.Drained()
}

// Runner runs programs.
type Runner struct {
	Log *slog.Logger                     // each call, with the last line that the program printed
	Say func(format string, args ...any) // prints a note for the person
}

// Around returns hooks for the waves of a run that call the programs. For nil it returns nil.
func (r Runner) Around(run string, p *Programs, order *deploy.Order) *rollout.Hooks {
	if p == nil {
		return nil
	}
	of := func(argv []string) func(context.Context, *deploy.Wave) error {
		if len(argv) == 0 {
			return nil
		}
		return func(ctx context.Context, w *deploy.Wave) error {
			var names []string
			for _, d := range w.Devices {
				names = append(names, d.Device.Name)
			}
			return r.run(ctx, p.Timeout, argv, run, slices.Index(order.Waves, w)+1, names)
		}
	}
	return &rollout.Hooks{Drain: of(p.Drain), Undrain: of(p.Undrain)}
}

// PutBack calls the --undrain program, which the person named again, for the waves of a run that died before it had called it. It reports
// whether all drained waves have their traffic back, and writes each call to the journal of the run.
func (r Runner) PutBack(ctx context.Context, l *journal.Log, log *journal.Run, p *Programs) bool {
	waves := Owed(l)
	if len(waves) > 0 && (p == nil || len(p.Undrain) == 0) {
		r.Say("Run %s drained %s, and the traffic was not put back. The journal keeps no commands, so name the program of the run again: %s",
			diag.Escape(l.Run), wavesText(waves), diag.Rocec("resume", diag.Arg("RUN", l.Run), diag.Flag("--undrain", diag.Kind("PROGRAM"))))
		return false
	}
	good := true
	for _, wave := range waves {
		var names []string
		for _, d := range l.Devices {
			if d.Wave == wave {
				names = append(names, d.Name)
			}
		}
		entry := journal.Hook{Hook: string(rollout.Undrain), Wave: wave}
		if err := log.Hook(entry); err != nil {
			r.Say("Traffic was not put back on wave %d: %v", wave, err)
			return false
		}
		entry.Done = true
		if err := r.run(context.WithoutCancel(ctx), p.Timeout, p.Undrain, l.Run, wave, names); err != nil {
			entry.Detail, good = deploy.OneLine(err.Error()), false
			r.Say("Traffic was not put back on wave %d: %s. After you have corrected this: %s", wave, entry.Detail,
				deploy.RunCommand("resume", l.Run, diag.Flag("--undrain", diag.Kind("PROGRAM"))))
		}
		_ = log.Hook(entry) // what was done is done
	}
	return good
}

// mostOutput bounds the kept end of the output of a program.
const mostOutput = 64 << 10

// run runs one program. It kills the program and its child processes when its time is over or ctx ends.
func (r Runner) run(ctx context.Context, timeout time.Duration, argv []string, run string, wave int, devices []string) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	killGroup(cmd)
	cmd.WaitDelay = time.Second
	out := &tail{most: mostOutput}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Env = append(cmd.Environ(), "ROCEC_RUN="+run, fmt.Sprint("ROCEC_WAVE=", wave), "ROCEC_DEVICES="+strings.Join(devices, " "))
	err := cmd.Run()
	last := deploy.OneLine(lastLine(out.text))
	r.Log.Info("hook", "program", argv[0], "wave", wave, "printed", last)
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // it ended well, but a child process keeps its output open
		return nil
	case ctx.Err() == context.DeadlineExceeded:
		return fmt.Errorf("%s did not end within %s", diag.Escape(argv[0]), timeout)
	case last == "":
		return fmt.Errorf("%s: %w", diag.Escape(argv[0]), err)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%s: %s (%s)", diag.Escape(argv[0]), last, exit)
	}
	return fmt.Errorf("%s: %w", diag.Escape(argv[0]), err)
}

// tail keeps the end of its input.
type tail struct {
	most int
	text []byte
}

// Write keeps the last bytes.
func (t *tail) Write(b []byte) (int, error) {
	t.text = append(t.text, b...)
	if n := len(t.text); n > t.most {
		t.text = append([]byte{}, t.text[n-t.most:]...)
	}
	return len(b), nil
}

// lastLine returns the last line that is not empty.
func lastLine(text []byte) string {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(lines[len(lines)-1])
}

// wavesText names waves by their numbers.
func wavesText(waves []int) string {
	numbers := make([]string, len(waves))
	for i, n := range waves {
		numbers[i] = strconv.Itoa(n)
	}
	return diag.Plural(len(waves), "wave ", "waves ") + diag.And(numbers)
}
