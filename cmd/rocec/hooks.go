package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
)

// hooks are the programs of --drain and --undrain, as the person has named them for this command.
type hooks struct {
	drain, undrain []string
	timeout        time.Duration
}

// hooks are those of the flags; nil: none were given.
func (o *leadOptions) hooks() *hooks {
	if len(o.drain)+len(o.undrain) == 0 {
		return nil
	}
	return &hooks{o.drain, o.undrain, o.hookTime}
}

// sums are the hooks as the journal keeps them: no command can be made of it.
func (h *hooks) sums() *journal.Hooks {
	if h == nil {
		return nil
	}
	return &journal.Hooks{Drain: journal.HookSum(h.drain), Undrain: journal.HookSum(h.undrain)}
}

// undrainFlags declares --undrain and --hook-timeout for the verbs that go on with a run, whose journal keeps no commands.
func undrainFlags(cmd *cobra.Command, undrain *[]string, timeout *time.Duration) {
	cmd.Flags().StringArrayVar(undrain, "undrain", nil, "the `program` that the run had as --undrain, to put back traffic that it left off; "+
		"again for each of its arguments")
	cmd.Flags().DurationVar(timeout, "hook-timeout", hookTime, "how long --undrain may take")
}

// hookTime is how long a hook may take where no flag says it.
const hookTime = 10 * time.Minute

// sameUndrain refuses a program that is not the one of the run.
func sameUndrain(l *journal.Log, undrain []string) error {
	switch {
	case len(undrain) == 0:
		return nil
	case undrain[0] == "":
		return exit.Fail(exit.Usage, "--undrain names a program")
	case l.Hooks == nil || l.Hooks.Undrain == "":
		return exit.Fail(exit.Usage, "run %s had no --undrain: leave it out", l.Run)
	case journal.HookSum(undrain) != l.Hooks.Undrain:
		return exit.Fail(exit.Usage, "run %s had another --undrain than this one: name the program and its arguments as they were then. "+
			"Nothing was changed.", l.Run)
	}
	return nil
}

// hooks runs programs of a person around the waves of a run.
func (a *app) hooks(run string, h *hooks, order *deploy.Order) *rollout.Hooks {
	if h == nil {
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
			return a.hook(ctx, h, argv, run, slices.Index(order.Waves, w)+1, names)
		}
	}
	return &rollout.Hooks{Drain: of(h.drain), Undrain: of(h.undrain)}
}

// mostHookOutput bounds what is kept of what a hook prints: its end.
const mostHookOutput = 64 << 10

// hook runs one program. It is killed, with what it has started, when its time is over or ctx ends.
func (a *app) hook(ctx context.Context, h *hooks, argv []string, run string, wave int, devices []string) error {
	ctx, cancel := context.WithTimeout(ctx, h.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	killGroup(cmd)
	cmd.WaitDelay = time.Second
	out := &tail{most: mostHookOutput}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Env = append(cmd.Environ(), "ROCEC_RUN="+run, fmt.Sprint("ROCEC_WAVE=", wave), "ROCEC_DEVICES="+strings.Join(devices, " "))
	err := cmd.Run()
	last := deploy.OneLine(lastLine(out.text))
	a.log.Info("hook", "program", argv[0], "wave", wave, "printed", last)
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // it ended well, and something it has started holds its output
		return nil
	case ctx.Err() == context.DeadlineExceeded:
		return fmt.Errorf("%s did not end within %s", diag.Escape(argv[0]), h.timeout)
	case last == "":
		return fmt.Errorf("%s: %w", diag.Escape(argv[0]), err)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%s: %s (%s)", diag.Escape(argv[0]), last, exit)
	}
	return fmt.Errorf("%s: %w", diag.Escape(argv[0]), err)
}

// tail keeps the end of what is written.
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

// lastLine is the last line that is not empty.
func lastLine(text []byte) string {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(lines[len(lines)-1])
}

// undrain puts back the traffic of the waves of a run that died before it did, by the program that the person has named again. It reports
// whether all traffic that the run took off is back.
func (a *app) undrain(ctx context.Context, l *journal.Log, log *journal.Run, by *hooks) bool {
	if l.Hooks == nil || l.Hooks.Undrain == "" {
		return true
	}
	waves := l.Drained()
	if len(waves) > 0 && (by == nil || len(by.undrain) == 0) {
		a.say("Run %s took traffic off %s, and it was not put back: the journal keeps no commands. Name the program again that the run had: %s",
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
			a.say("Traffic was not put back on wave %d: %v", wave, err)
			return false
		}
		entry.Done = true
		if err := a.hook(context.WithoutCancel(ctx), by, by.undrain, l.Run, wave, names); err != nil {
			entry.Detail, good = deploy.OneLine(err.Error()), false
			a.say("Traffic was not put back on wave %d: %s. Once that is put right: %s.", wave, entry.Detail,
				deploy.RunCommand("resume", l.Run, diag.Flag("--undrain", diag.Kind("PROGRAM"))))
		}
		_ = log.Hook(entry) // what was done is done
	}
	return good
}

// undrainOver puts traffic back of a run that is over on all its devices.
func (a *app) undrainOver(ctx context.Context, l *journal.Log, by *hooks) (back bool, err error) {
	if l.Hooks == nil || l.Hooks.Undrain == "" || len(l.Drained()) == 0 {
		return true, nil
	}
	dir, err := a.journals()
	if err != nil {
		return false, err
	}
	log, err := dir.Reopen(l.Run, time.Now)
	if err != nil {
		return false, exit.Fail(exit.Machines, "the journal of run %s: %v", l.Run, err)
	}
	back = a.undrain(ctx, l, log, by)
	if err := log.Finish(); err != nil {
		return false, exit.Fail(exit.Machines, "the journal of run %s cannot be written: %v", l.Run, err)
	}
	return back, nil
}

// wavesText names waves by their numbers.
func wavesText(waves []int) string {
	numbers := make([]string, len(waves))
	for i, n := range waves {
		numbers[i] = strconv.Itoa(n)
	}
	return diag.Plural(len(waves), "wave ", "waves ") + diag.And(numbers)
}

// say prints a note on stderr.
func (a *app) say(format string, args ...any) {
	p := &diag.Printer{Width: a.width(a.stderr)}
	p.Prose(a.stderr, "note: ", fmt.Sprintf(format, args...)) //nolint:errcheck // a closed terminal has nobody to tell
}

// onAnomaly asks what to do about counters that rose far faster than before, where somebody can be asked.
func (a *app) onAnomaly(l *lead) func(context.Context, []string) rollout.Anomaly {
	return func(ctx context.Context, found []string) rollout.Anomaly {
		answer := rollout.Anomaly(l.anomaly)
		for _, text := range found {
			a.say("%s", text)
		}
		if _, ok := terminal(a.stdin); ok && answer == rollout.AnomalyStop && l.format == "text" {
			const question = "Counters rose far faster after this wave than before. It may be a job that began just then. Go on with the next wave?"
			if a.ask(ctx, question, "yes") == nil {
				return rollout.AnomalyIgnore
			}
		}
		return answer
	}
}
