package replay

import (
	"fmt"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/target"
)

// rendered is a file or live state of this fabric that a run changes on a device.
type rendered struct {
	of   *device.HeldChange
	file *target.File // nil: this fabric does not write the file
	step target.Step
	lost string // why this machine cannot restore the content from before

	wrote []byte // the content that the run wrote, if the step contains it
}

// Adopt returns a device of a run that another machine started. Paths and hashes are from the device, steps and queries from this fabric.
// No text from a device becomes a command. It also returns the contents that the journal keeps for a rollback.
func (w *Writer) Adopt(d *deploy.DevicePlan, held *device.Held) (jd journal.Device, before [][]byte) {
	jd = journalDevice(d)
	if jd.Wave = held.About.Wave; jd.Wave == 0 { // the device does not report it: switches go before hosts
		jd.Wave = 1 + deploy.PhaseOf(&deploy.DevicePlan{Device: d.Device})
	}
	jd.Key, jd.Tool, jd.Intent, jd.Holds = held.Key, held.Note.Tool, held.Note.Intent, held.Note.Holds
	jd.Digest, jd.Told = held.Digest, true
	if held.Older {
		held.Changes = append(held.Changes, olderStates(d, held)...)
	}
	states := ""
	for i := range held.States {
		s := &held.States[i]
		if f := FileOf(d.Device, s.Path); s.Kept && f != nil && f.Live != nil {
			before = append(before, s.Before)
			jd.States = append(jd.States, w.file(f, s.FileState))
		} else if !s.Kept {
			states = "the device has not kept " + s.Path + " from before the run"
		}
	}
	all := make([]rendered, len(held.Changes))
	steps := map[int]target.Step{} // by their numbers on the device
	for i := range held.Changes {
		c := &held.Changes[i]
		r := rendered{of: c, file: FileOf(d.Device, c.Path)}
		if r.file != nil && (r.file.Live != nil) != c.Live {
			r.file = nil
		}
		r.choose(d)
		switch {
		case r.file == nil:
			r.lost = "this fabric does not write it"
			if commit := held.About.Commit; commit != "" {
				r.lost += "; the run used commit " + commit
			}
		case r.lost != "":
		case !c.Kept && c.Base != c.Target:
			r.lost = "the device has not kept its former content"
		case r.step.Undo != nil && held.Older && held.Key == "":
			r.lost = "an earlier rocec made the run, and the device has not kept the live states from before it"
		case r.step.Undo != nil:
			r.lost = states
		}
		if _, ok := steps[c.Step]; r.file != nil && !ok {
			steps[c.Step] = r.step
		}
		all[i] = r
	}
	for i := range all {
		r := &all[i]
		f := target.File{Path: r.of.Path, Mode: 0o644, Live: unknownQuery()}
		if r.file != nil {
			f = *r.file
			f.Path, f.Activate = r.of.Path, r.step
		} else {
			f.Activate = unknownStep(r.of.Step, held, steps)
		}
		if !r.of.Live {
			f.Live = nil
		}
		jf := w.file(&f, r.of.FileState)
		jf.Lost = r.lost
		if r.of.Mode != 0 {
			jf.Mode = r.of.Mode
		}
		if r.wrote != nil {
			before = append(before, r.wrote)
		}
		if r.of.Kept && r.of.Before != nil {
			before = append(before, r.of.Before)
		}
		jd.Changes = append(jd.Changes, jf)
	}
	return jd, before
}

// FileOf finds a file of a device by its path or one of its places; nil: the device has no such file.
func FileOf(d *target.Device, path string) *target.File {
	for i := range d.Files {
		if f := &d.Files[i]; f.Path == path || slices.Contains(f.Places, path) {
			return f
		}
	}
	return nil
}

// choose sets the step of a change: the step of the file, or the step that the change of its content needs.
func (r *rendered) choose(d *deploy.DevicePlan) {
	if r.file == nil {
		return
	}
	r.step = r.file.Activate
	if r.file.Choose == nil || !r.of.Kept || r.of.Base == r.of.Target {
		return
	}
	after, ok := r.after(d)
	if !ok {
		r.lost = "this fabric has other settings for it than the run, and the device no longer has the content that the run wrote"
		return
	}
	r.step, _ = r.file.Choose(r.of.Before, after, d.Baseline)
	r.wrote = after
}

// after finds the content that the run wrote, by its hash, in the rendered files of this fabric or on the device.
func (r *rendered) after(d *deploy.DevicePlan) ([]byte, bool) {
	if r.of.Target == deploy.Absent {
		return nil, true
	}
	if after, diags := r.file.Edit(r.of.Before); !diags.HasErrors() && deploy.Sum(after) == r.of.Target {
		return after, true
	}
	for _, c := range d.Changes {
		if c.Path == r.of.Path && deploy.Sum(c.Before) == r.of.Target {
			return c.Before, true
		}
	}
	for _, s := range d.States {
		if s.Path == r.of.Path && deploy.Sum(s.Text) == r.of.Target {
			return s.Text, true
		}
	}
	return nil, false
}

// olderStates returns the live states that a run of an earlier rocec changes. It computes the change of the saved states from this
// fabric.
func olderStates(d *deploy.DevicePlan, held *device.Held) (out []device.HeldChange) {
	for _, s := range held.States {
		f := FileOf(d.Device, s.Path)
		if f == nil || f.Live == nil || !s.Kept {
			continue
		}
		if after, diags := f.Edit(s.Before); !diags.HasErrors() && deploy.Sum(after) != s.Base {
			s.Target = deploy.Sum(after)
			out = append(out, s)
		}
	}
	return out
}

// unknownStep is a placeholder for a step that this fabric does not have. Only the device can run it; its time limits the verbs.
func unknownStep(n int, held *device.Held, steps map[int]target.Step) target.Step {
	if s, ok := steps[n]; ok && n >= 0 {
		return s
	}
	var time time.Duration
	keep := false
	if has := held.Steps[n]; has != nil {
		time, keep = has.Time, has.Keep
	}
	return stepUnknown(n, time, keep)
}

// The names of steps and queries that only a device knows. The name of a step has its number, its time in seconds, and whether it has a
// command for keeping the run.
const (
	unknownWord   = "unknown"
	nameNoQuery   = unknownWord + " state"
	unknownFormat = unknownWord + " step %d %d %t"
)

func stepUnknown(n int, time time.Duration, keep bool) target.Step {
	s := target.Step{
		Name:    fmt.Sprintf(unknownFormat, n, int(time.Seconds()), keep),
		Cmd:     fmt.Sprintf("# step %d, which only the device knows\nfalse", n),
		Timeout: time,
	}
	if keep {
		s.Keep = "false"
	}
	return s
}

func unknownQuery() *target.Query { return &target.Query{Name: nameNoQuery, Cmd: ":"} }

// recallUnknown makes the placeholder with a name again; nil: the name is not that of a placeholder.
func recallUnknown(name string) *target.Made {
	if name == nameNoQuery {
		return &target.Made{Query: unknownQuery()}
	}
	var n, secs int
	var keep bool
	const most = 24 * 3600
	if _, err := fmt.Sscanf(name, unknownFormat, &n, &secs, &keep); err != nil || n < -1 || secs < 0 || secs > most {
		return nil
	}
	s := stepUnknown(n, time.Duration(secs)*time.Second, keep)
	if s.Name != name {
		return nil
	}
	return &target.Made{Step: &s}
}
