package replay

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
	"github.com/rocec/rocec/targets/target"
)

// Reader makes devices and plans from a header.
type Reader struct {
	h    *journal.Header
	kept commands.Kept
	made map[string]*remade
}

// remade is a step, query or checker that was made again from its name.
type remade struct {
	*target.Made
	digest string
	err    error
}

// Read returns a reader of a header; kept returns contents from which steps are made.
func Read(h *journal.Header, kept commands.Kept) *Reader {
	return &Reader{h: h, kept: kept, made: map[string]*remade{}}
}

// recall makes the n-th entry of a list in the header again. The same name always returns the same pointers.
func (r *Reader) recall(what string, list []journal.Made, n int) (*remade, error) {
	if n < 0 || n >= len(list) {
		return nil, fmt.Errorf("it names %s %d, and has %d", what, n, len(list))
	}
	name := list[n].Name
	got := r.made[name]
	if got == nil {
		got = &remade{}
		if got.Made, got.err = recall(name, r.kept); got.err == nil {
			got.digest = madeDigest(got.Made)
		}
		r.made[name] = got
	}
	is := got.Made != nil && map[string]bool{
		theStep: got.Step != nil, theQuery: got.Query != nil, theChecker: got.Check != "",
	}[what]
	if got.err == nil && !is {
		return nil, fmt.Errorf("%q is no %s", name[:min(len(name), 80)], what)
	}
	return got, got.err
}

// The kinds of entries in a header.
const (
	theStep    = "step"
	theQuery   = "query"
	theChecker = "checker"
)

// recall makes a step, a query or a checker again from its name.
func recall(name string, kept commands.Kept) (*target.Made, error) {
	switch {
	case scripts.GoesBack(name):
		return device.Recall(name, recallOne, kept)
	default:
		return recallOne(name, kept)
	}
}

func recallOne(name string, kept commands.Kept) (*target.Made, error) {
	if name == "" { // a change of only the owner or mode runs no command
		return &target.Made{Step: &target.Step{}}, nil
	}
	if made := recallUnknown(name); made != nil {
		return made, nil
	}
	return targets.Recall(name, kept)
}

// Otherwise lists the steps of a device whose commands differ between the rocec of the run and this rocec.
func (r *Reader) Otherwise(d *journal.Device) (names []string) {
	for _, f := range slices.Concat(d.Changes, d.States) {
		got, err := r.recall(theStep, r.h.Steps, f.Step)
		if err == nil && got.digest != r.h.Steps[f.Step].Digest && !slices.Contains(names, got.Step.Name) {
			names = append(names, got.Step.Name)
		}
	}
	return names
}

// Steps lists the steps of a device, each once. It leaves out steps that cannot be made again.
func (r *Reader) Steps(d *journal.Device) (steps []target.Step) {
	for _, f := range d.Changes {
		got, err := r.recall(theStep, r.h.Steps, f.Step)
		if err == nil && !slices.ContainsFunc(steps, func(s target.Step) bool { return s.Name == got.Step.Name }) {
			steps = append(steps, *got.Step)
		}
	}
	return steps
}

// Device returns a device of the run, without files.
func (r *Reader) Device(d *journal.Device) *target.Device {
	at := diag.Range{Filename: d.At.File}
	at.Start.Line, at.Start.Column = d.At.Line, 1
	at.End = at.Start
	return &target.Device{
		Name: d.Name, Role: target.Role(d.Role), About: diag.Cut(diag.Escape(d.About)), At: at,
		Login: target.Login(d.Login), Target: &target.Target{},
		Given: r.given(d),
	}
}

// given returns the part of the run that the device must have been given.
func (r *Reader) given(d *journal.Device) *target.Given {
	g := &target.Given{Run: r.h.Run, Sum: runDigest(r.h, d)}
	switch {
	case r.h.Older():
		g.Not = "an earlier rocec wrote it, and it contains commands"
	case r.h.Adopted != nil && !d.Told:
		g.Not = "the device did not report its part of the run again"
	case r.h.Adopted != nil:
		g.Sum = d.Digest // the device has just reported it
	}
	return g
}

// file returns a file of the run. The caller sets its wanted content.
func (r *Reader) file(f *journal.File) (target.File, error) {
	out := target.File{Path: f.Path, Mode: fs.FileMode(f.Mode).Perm()}
	if !commands.ValidPath(f.Path, f.Query != nil) {
		return out, fmt.Errorf("it names a path that rocec never writes: %q", f.Path[:min(len(f.Path), 80)])
	}
	if !commands.ValidSum(f.Base) || f.Target != "" && !commands.ValidSum(f.Target) { // a state that stays has no target
		return out, fmt.Errorf("it has no hash for %s", f.Path)
	}
	step, err := r.recall(theStep, r.h.Steps, f.Step)
	if err != nil {
		return out, err
	}
	out.Activate = *step.Step
	if f.Query != nil {
		query, err := r.recall(theQuery, r.h.Queries, *f.Query)
		if err != nil {
			return out, err
		}
		out.Live = query.Query
	}
	if f.Check != nil {
		check, err := r.recall(theChecker, r.h.Checks, *f.Check)
		if err != nil {
			return out, err
		}
		out.Precheck, out.PrecheckName = check.Check, r.h.Checks[*f.Check].Name
	}
	return out, nil
}

// files returns the changes and states of a device. The error states, as a part of a sentence, why the journal cannot be used for the
// device.
func (r *Reader) files(d *journal.Device) (changes, states []target.File, err error) {
	for i := range d.Changes {
		f, err := r.file(&d.Changes[i])
		if err != nil {
			return nil, nil, err
		}
		changes = append(changes, f)
	}
	for i := range d.States {
		f, err := r.file(&d.States[i])
		if err != nil {
			return nil, nil, err
		}
		states = append(states, f)
	}
	return changes, states, nil
}

// refuse records why the journal cannot be used for a device.
func refuse(d *target.Device, err error) {
	if d.Given.Not == "" {
		d.Given.Not = deploy.Sentences(err.Error())
	}
}

// Plan returns the plan of the run, to resume it: hashes without content.
func (r *Reader) Plan(devices []journal.Device) *deploy.Plan {
	p := &deploy.Plan{}
	for i := range devices {
		jd := &devices[i]
		d := r.Device(jd)
		dp := &deploy.DevicePlan{Device: d, Status: deploy.StatusChange, Digest: d.Given.Sum}
		p.Devices = append(p.Devices, dp)
		files, _, err := r.files(jd)
		if err != nil {
			refuse(d, err)
			continue
		}
		d.Files = files
		for j := range d.Files {
			d.Files[j].Edit = func(old []byte) ([]byte, diag.List) { return old, nil }
			jf := &jd.Changes[j]
			dp.Changes = append(dp.Changes, &deploy.Change{
				FileState: deploy.FileState{Path: jf.Path, Base: jf.Base, Target: jf.Target}, File: &d.Files[j],
			})
		}
	}
	return p
}

// Back returns a tree with the content from before the run, for devices that still have the content of the run.
func (r *Reader) Back(devices []journal.Device) *target.Tree {
	tree := &target.Tree{}
	for i := range devices {
		d := r.Device(&devices[i])
		if err := r.backOn(d, &devices[i]); err != nil {
			d.Files = nil
			refuse(d, err)
		}
		tree.Devices = append(tree.Devices, d)
	}
	return tree
}

// backOn adds the files to a device that contain the content from before the run.
func (r *Reader) backOn(d *target.Device, jd *journal.Device) error {
	changes, kept, err := r.files(jd)
	if err != nil {
		return err
	}
	before := func(base string) ([]byte, error) {
		if base == deploy.Absent {
			return nil, nil
		}
		return r.kept(base)
	}
	states, queries := map[string][]byte{}, map[int]map[string]*target.Query{}
	for i, s := range slices.Concat(jd.States, jd.Changes) {
		f := slices.Concat(kept, changes)[i]
		if f.Live == nil {
			continue
		}
		text, err := before(s.Base)
		if err != nil && s.Lost == "" {
			return fmt.Errorf("%s from before the run: %w", s.Path, err)
		}
		if bytes.IndexByte(text, 0) >= 0 {
			return fmt.Errorf("%s from before the run is no text", s.Path)
		}
		if text != nil {
			d.Past = append(d.Past, text)
		}
		if states[s.Path] = text; queries[s.Step] == nil {
			queries[s.Step] = map[string]*target.Query{}
		}
		queries[s.Step][s.Path] = f.Live
	}
	steps := map[int]target.Step{} // one per number, because equal steps run once
	for i, s := range slices.Concat(jd.States, jd.Changes) {
		if _, ok := steps[s.Step]; !ok {
			steps[s.Step] = device.GoBack(slices.Concat(kept, changes)[i].Activate, states, queries[s.Step])
		}
	}
	written, alone := map[int]bool{}, map[string]bool{} // steps of files; states with their own steps
	for _, jf := range jd.Changes {
		if jf.Query == nil {
			written[jf.Step] = true
		}
	}
	for i, f := range changes {
		jf := &jd.Changes[i]
		if f.Live != nil && written[jf.Step] {
			continue // the step of a restored file restores it
		}
		if jf.Lost != "" {
			f.Edit = noWayBack(jd.Name, jf)
			d.Files = append(d.Files, f)
			continue
		}
		var text []byte
		if f.Live != nil || jf.Base != jf.Target { // an unchanged content is not kept
			if text, err = before(jf.Base); err != nil {
				return fmt.Errorf("the content of %s from before the run: %w", jf.Path, err)
			}
		}
		f.Activate, f.WasThere = steps[jf.Step], true
		if f.Edit = goBack(jd.Name, jf, text); f.Live != nil {
			f.Edit = func([]byte) ([]byte, diag.List) { return text, nil } // its step detects later changes by others
			if f.Activate.Back != nil {
				d.Identity = append(d.Identity, askWayBack(d, &f, jf.Base, text))
			}
			alone[f.Path] = true
		}
		d.Files = append(d.Files, f)
	}
	for i, f := range kept {
		if alone[f.Path] {
			continue
		}
		f.Activate = steps[jd.States[i].Step]
		f.Edit = func(old []byte) ([]byte, diag.List) { return old, nil } // kept, so that this run can be undone
		d.Files = append(d.Files, f)
	}
	return nil
}

// askWayBack asks whether a live state can be restored. If not, the plan refuses the device, so the device is not restored in part.
func askWayBack(d *target.Device, f *target.File, base string, before []byte) target.Probe {
	closed := ""
	f.Edit = func(old []byte) ([]byte, diag.List) {
		if closed == "" || deploy.Sum(old) == base {
			return before, nil
		}
		var ds diag.List
		ds.Errorf(diag.Range{}, string(deploy.Stale), "the device changed after the plan was made", "%s on %s cannot go back to what was there "+
			"before the run: %s.", f.Path, d.Name, closed)
		return nil, ds
	}
	ask := target.Query{Cmd: "ROCEC_WAS=" + base + "\n(\n" + f.Activate.Back.Cmd + "\n) 2>&1 || true", Stdin: f.Activate.Back.Stdin}
	return target.Probe{Name: "way back of " + f.Path, Query: ask, Judge: func(answer []byte) []string {
		closed = strings.TrimRight(target.Escape(strings.TrimSpace(deploy.OneLine(string(answer)))), ".")
		return nil
	}}
}

// noWayBack refuses a file or live state that this machine cannot restore, unless it is already restored.
func noWayBack(name string, f *journal.File) func([]byte) ([]byte, diag.List) {
	return func(old []byte) ([]byte, diag.List) {
		if deploy.Sum(old) == f.Base {
			return old, nil
		}
		var ds diag.List
		ds.Errorf(diag.Range{}, string(deploy.Stale), "the device changed after the plan was made",
			"this machine cannot restore %s on %s to its content from before the run: %s.", f.Path, name, f.Lost)
		return nil, ds
	}
}

// goBack restores the content of a file from before the run, unless another writer has changed it since. A file of which the run changed
// only the owner or mode keeps its content.
func goBack(name string, f *journal.File, before []byte) func([]byte) ([]byte, diag.List) {
	return func(old []byte) ([]byte, diag.List) {
		if h := deploy.Sum(old); h != f.Target && h != f.Base {
			var ds diag.List
			ds.Errorf(diag.Range{}, string(deploy.Stale), "the device changed after the plan was made",
				"%s on %s is neither what the run wrote nor what it found, so a later run or another writer has changed it since. Go "+
					"back from later runs first, the last one first (rocec runs lists them), or plan and apply the fabric you want.", f.Path, name)
			return nil, ds
		}
		if f.Base == f.Target {
			return old, nil
		}
		return before, nil
	}
}
