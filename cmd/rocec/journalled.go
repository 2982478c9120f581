package main

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/target"
)

// This file carries plans into the journal and back, so that a run can be gone on with, and back from, without its fabric: that
// may have changed since, or not compile today.

// writer numbers what many devices share.
type writer struct {
	h       *journal.Header
	steps   map[string]int // by what they do: devices have steps of their own that are the same
	queries map[string]int
	checks  map[string]int
}

// writeDevices puts what a plan changes into a header.
func writeDevices(h *journal.Header, plan *deploy.Plan, order *deploy.Order) {
	wave := map[*deploy.DevicePlan]int{}
	if order != nil {
		for i, w := range order.Waves {
			for _, d := range w.Devices {
				wave[d] = i + 1
			}
		}
	}
	w := newWriter(h)
	for _, d := range plan.Devices {
		if d.Status != deploy.StatusChange {
			continue
		}
		jd := journalDevice(d)
		jd.Wave = wave[d]
		for _, c := range d.Changes {
			jd.Changes = append(jd.Changes, w.file(c.File, c.FileState))
		}
		text := map[string][]byte{}
		for _, s := range d.States {
			text[s.Path] = s.Text
		}
		for i := range d.Device.Files {
			f := &d.Device.Files[i]
			if f.Live != nil && f.Activate.Undo != nil {
				jd.States = append(jd.States, w.file(f, deploy.FileState{Path: f.Path, Base: deploy.Sum(text[f.Path])}))
			}
		}
		h.Devices = append(h.Devices, jd)
	}
}

// newWriter goes on with the steps and queries that a header has.
func newWriter(h *journal.Header) *writer {
	w := &writer{h: h, steps: map[string]int{}, queries: map[string]int{}, checks: map[string]int{}}
	for n, check := range h.Checks {
		w.checks[check] = n
	}
	for n, s := range readHeader(h).steps {
		w.steps[spellStep(&s)] = n
	}
	for n := range h.Queries {
		w.queries[spell((*target.Query)(&h.Queries[n]))] = n
	}
	return w
}

// journalDevice is a device of a plan in the journal, without what the run does there.
func journalDevice(d *deploy.DevicePlan) journal.Device {
	return journal.Device{
		Name: d.Device.Name, Role: string(d.Device.Role), About: d.Device.About,
		At: journal.Place{File: d.Device.At.Filename, Line: d.Device.At.Start.Line}, Login: journal.Login(d.Device.Login),
	}
}

func (w *writer) file(f *target.File, s deploy.FileState) journal.File {
	jf := journal.File{Path: f.Path, Mode: uint32(f.Mode.Perm()), Base: s.Base, Target: s.Target, Step: w.step(f.Activate)}
	if f.Live != nil {
		key := spell(f.Live)
		n, ok := w.queries[key]
		if !ok {
			n = len(w.h.Queries)
			w.queries[key] = n
			w.h.Queries = append(w.h.Queries, journal.Query(*f.Live))
		}
		jf.Query = &n
	}
	if f.Precheck != "" {
		n, ok := w.checks[f.Precheck]
		if !ok {
			n = len(w.h.Checks)
			w.checks[f.Precheck] = n
			w.h.Checks = append(w.h.Checks, f.Precheck)
		}
		jf.Check = &n
	}
	return jf
}

func (w *writer) step(s target.Step) int {
	js := journal.Step{
		Cmd: s.Cmd, Stdin: s.Stdin, Disrupts: s.Disrupts, Outage: journal.Outage(s.Outage), Undo: (*journal.Query)(s.Undo),
		Loaded: (*journal.Query)(s.Loaded),
		Keep:   s.Keep, Back: (*journal.Query)(s.Back), Units: s.Units, Timeout: s.Timeout, Takes: s.Takes, Soak: s.Soak,
		Away: s.Away,
	}
	key := spellStep(&s)
	n, ok := w.steps[key]
	if !ok {
		n = len(w.h.Steps)
		w.steps[key] = n
		w.h.Steps = append(w.h.Steps, js)
	}
	return n
}

func spellStep(s *target.Step) string {
	return fmt.Sprintf("%q %q %q %d %q %q %q %q %q %d %d %d %d", s.Cmd, s.Stdin, s.Disrupts, s.Outage, spell(s.Undo), spell(s.Loaded), s.Keep,
		spell(s.Back), s.Units, s.Timeout, s.Takes, s.Soak, s.Away)
}

func spell(q *target.Query) string {
	if q == nil {
		return ""
	}
	return q.Cmd + "\x00" + string(q.Stdin)
}

// reader makes devices and plans of a header again.
type reader struct {
	h     *journal.Header
	steps []target.Step
}

func readHeader(h *journal.Header) *reader {
	r := &reader{h: h}
	for _, s := range h.Steps {
		r.steps = append(r.steps, target.Step{
			Cmd: s.Cmd, Stdin: s.Stdin, Disrupts: s.Disrupts, Outage: ir.Outage(s.Outage), Undo: (*target.Query)(s.Undo),
			Loaded: (*target.Query)(s.Loaded),
			Keep:   s.Keep, Back: (*target.Query)(s.Back), Units: s.Units, Timeout: s.Timeout, Takes: s.Takes, Soak: s.Soak,
			Away: s.Away,
		})
	}
	return r
}

// device is a device of the run, without files.
func (r *reader) device(d *journal.Device) *target.Device {
	at := diag.Range{Filename: d.At.File}
	at.Start.Line, at.Start.Column = d.At.Line, 1
	at.End = at.Start
	return &target.Device{
		Name: d.Name, Role: target.Role(d.Role), About: d.About, At: at, Login: target.Login(d.Login), Target: &target.Target{},
	}
}

// file is a file of the run; what it should hold is the caller's.
func (r *reader) file(f *journal.File) (target.File, error) {
	out := target.File{Path: f.Path, Mode: fs.FileMode(f.Mode)}
	if !deploy.ValidPath(f.Path, f.Query != nil) {
		return out, fmt.Errorf("the journal names no path of rocec: %q", f.Path)
	}
	if f.Step < 0 || f.Step >= len(r.steps) {
		return out, fmt.Errorf("the journal names a step %d, and has %d", f.Step, len(r.steps))
	}
	out.Activate = r.steps[f.Step]
	if f.Query != nil {
		if *f.Query < 0 || *f.Query >= len(r.h.Queries) {
			return out, fmt.Errorf("the journal names a query %d, and has %d", *f.Query, len(r.h.Queries))
		}
		out.Live = (*target.Query)(&r.h.Queries[*f.Query])
	}
	if f.Check != nil {
		if *f.Check < 0 || *f.Check >= len(r.h.Checks) {
			return out, fmt.Errorf("the journal names a checker %d, and has %d", *f.Check, len(r.h.Checks))
		}
		out.Precheck = r.h.Checks[*f.Check]
	}
	return out, nil
}

// plan is the run's own plan, for going on with it: hashes without content.
func (r *reader) plan(devices []journal.Device) (*deploy.Plan, error) {
	p := &deploy.Plan{}
	for i := range devices {
		d := r.device(&devices[i])
		for j := range devices[i].Changes {
			f, err := r.file(&devices[i].Changes[j])
			if err != nil {
				return nil, err
			}
			f.Edit = func(old []byte) ([]byte, diag.List) { return old, nil }
			d.Files = append(d.Files, f)
		}
		dp := &deploy.DevicePlan{Device: d, Status: deploy.StatusChange}
		for j := range d.Files {
			jf := &devices[i].Changes[j]
			dp.Changes = append(dp.Changes, &deploy.Change{
				FileState: deploy.FileState{Path: jf.Path, Base: jf.Base, Target: jf.Target}, File: &d.Files[j],
			})
		}
		p.Devices = append(p.Devices, dp)
	}
	return p, nil
}

// back is the tree that holds what was there before the run, on devices that still hold what the run wrote.
func (r *reader) back(devices []journal.Device, kept func(hash string) ([]byte, error)) (*target.Tree, error) {
	before := func(base string) ([]byte, error) {
		if base == deploy.Absent {
			return nil, nil
		}
		return kept(base)
	}
	tree := &target.Tree{}
	for i := range devices {
		jd := &devices[i]
		d := r.device(jd)
		states := map[string][]byte{}
		for _, s := range slices.Concat(jd.States, jd.Changes) {
			if s.Query != nil {
				text, err := before(s.Base)
				if err != nil && s.Lost == "" {
					return nil, fmt.Errorf("%s of %s from before the run: %w", s.Path, jd.Name, err)
				}
				states[s.Path] = text
			}
		}
		steps := r.stepsBack(jd, states)
		written, alone := map[int]bool{}, map[string]bool{} // steps of files; states with steps of their own
		for _, jf := range jd.Changes {
			if jf.Query == nil {
				written[jf.Step] = true
			}
		}
		for _, jf := range jd.Changes {
			f, err := r.file(&jf)
			if err != nil {
				return nil, err
			}
			if f.Live != nil && written[jf.Step] {
				continue // the step of a file that goes back puts it back
			}
			if jf.Lost != "" {
				f.Edit = noWayBack(jd.Name, &jf)
				d.Files = append(d.Files, f)
				continue
			}
			text, err := before(jf.Base)
			if err != nil {
				return nil, fmt.Errorf("the content of %s on %s from before the run: %w", jf.Path, jd.Name, err)
			}
			f.Activate, f.WasThere = steps[jf.Step], true
			if f.Edit = goBack(jd.Name, &jf, text); f.Live != nil {
				f.Edit = func([]byte) ([]byte, diag.List) { return text, nil } // its step finds out who has changed it since
				if f.Activate.Back != nil {
					d.Identity = append(d.Identity, askWayBack(d, &f, jf.Base, text))
				}
				alone[f.Path] = true
			}
			d.Files = append(d.Files, f)
		}
		for _, js := range jd.States {
			if alone[js.Path] {
				continue
			}
			f, err := r.file(&js)
			if err != nil {
				return nil, err
			}
			f.Activate = steps[js.Step]
			f.Edit = func(old []byte) ([]byte, diag.List) { return old, nil } // kept for the undo of this run
			d.Files = append(d.Files, f)
		}
		tree.Devices = append(tree.Devices, d)
	}
	return tree, nil
}

// stepsBack gives the way back of every step of a device, once, because equal steps run once.
func (r *reader) stepsBack(d *journal.Device, states map[string][]byte) map[int]target.Step {
	queries := map[int]map[string]*target.Query{}
	files := slices.Concat(d.States, d.Changes)
	for _, f := range files {
		if f.Query != nil && *f.Query >= 0 && *f.Query < len(r.h.Queries) {
			if queries[f.Step] == nil {
				queries[f.Step] = map[string]*target.Query{}
			}
			queries[f.Step][f.Path] = (*target.Query)(&r.h.Queries[*f.Query])
		}
	}
	steps := map[int]target.Step{}
	for _, f := range files {
		if _, ok := steps[f.Step]; !ok && f.Step >= 0 && f.Step < len(r.steps) {
			steps[f.Step] = device.GoBack(r.steps[f.Step], states, queries[f.Step])
		}
	}
	return steps
}

// askWayBack asks whether a live state can go back at all, so that the plan refuses the device, and nothing else goes back without it.
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

// noWayBack refuses a file or live state that this machine cannot put back, unless it is back already.
func noWayBack(name string, f *journal.File) func([]byte) ([]byte, diag.List) {
	return func(old []byte) ([]byte, diag.List) {
		if deploy.Sum(old) == f.Base {
			return old, nil
		}
		var ds diag.List
		ds.Errorf(diag.Range{}, string(deploy.Stale), "the device changed after the plan was made",
			"%s on %s cannot go back to what was there before the run from this machine: %s.", f.Path, name, f.Lost)
		return nil, ds
	}
}

// goBack gives a file its content from before the run, unless somebody else has changed it since.
func goBack(name string, f *journal.File, before []byte) func([]byte) ([]byte, diag.List) {
	return func(old []byte) ([]byte, diag.List) {
		if h := deploy.Sum(old); h != f.Target && h != f.Base {
			var ds diag.List
			ds.Errorf(diag.Range{}, string(deploy.Stale), "the device changed after the plan was made",
				"%s on %s is neither what the run wrote nor what it found, so a later run or somebody else has changed it since. Go "+
					"back from later runs first, the last one first (rocec runs lists them), or plan and apply the fabric you want.", f.Path, name)
			return nil, ds
		}
		return before, nil
	}
}
