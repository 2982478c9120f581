package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
)

// hooks are the programs of --drain and --undrain; nil: none were given.
func (o *leadOptions) hooks() *journal.Hooks {
	if len(o.drain)+len(o.undrain) == 0 {
		return nil
	}
	return &journal.Hooks{Drain: o.drain, Undrain: o.undrain, Timeout: o.hookTime}
}

// hooks runs programs of a person around the waves of a run.
func (a *app) hooks(run string, h *journal.Hooks, order *deploy.Order) *rollout.Hooks {
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
	return &rollout.Hooks{Drain: of(h.Drain), Undrain: of(h.Undrain)}
}

// mostHookOutput bounds what is kept of what a hook prints: its end.
const mostHookOutput = 64 << 10

// hook runs one program. It is killed, with what it has started, when its time is over or ctx ends.
func (a *app) hook(ctx context.Context, h *journal.Hooks, argv []string, run string, wave int, devices []string) error {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
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
		return fmt.Errorf("%s did not end within %s", diag.Escape(argv[0]), h.Timeout)
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

// undrain puts back the traffic of the waves of a run that died before it did.
func (a *app) undrain(ctx context.Context, l *journal.Log, log *journal.Run) {
	if l.Hooks == nil || len(l.Hooks.Undrain) == 0 {
		return
	}
	for _, wave := range l.Drained() {
		var names []string
		for _, d := range l.Devices {
			if d.Wave == wave {
				names = append(names, d.Name)
			}
		}
		entry := journal.Hook{Hook: string(rollout.Undrain), Wave: wave}
		if err := log.Hook(entry); err != nil {
			a.say("Traffic was not put back on wave %d: %v", wave, err)
			return
		}
		entry.Done = true
		if err := a.hook(context.WithoutCancel(ctx), l.Hooks, l.Hooks.Undrain, l.Run, wave, names); err != nil {
			entry.Detail = deploy.OneLine(err.Error())
			a.say("Traffic was not put back on wave %d: %s. Once that is put right: %s.", wave, entry.Detail, deploy.RunCommand("resume", l.Run))
		}
		_ = log.Hook(entry) // what was done is done
	}
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
