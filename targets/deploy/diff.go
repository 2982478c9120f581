package deploy

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// Diff compares the content that the tree wants with the content of the devices. It is pure. have must belong to the same tree.
func Diff(tree *target.Tree, have *Observed) *Plan {
	p := &Plan{Devices: make([]*DevicePlan, len(tree.Devices))}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, d := range tree.Devices {
		g.Go(func() error {
			p.Devices[i] = diff(d, have.Devices[i])
			return nil
		})
	}
	_ = g.Wait() // the comparison cannot fail
	return p
}

func diff(d *target.Device, h *Have) *DevicePlan {
	p := &DevicePlan{Device: d, Status: StatusSame, Lock: h.Lock, Unseen: h.Unseen, Runs: h.Runs, Over: h.Over, HostKey: h.HostKey}
	p.Marked, p.Count, p.Gate, p.Free = h.Marked, h.Count, h.Gate, h.Free
	p.Baseline, p.Watched = h.Samples(), h.Watched
	if h.Err != nil {
		p.Status, p.Err = StatusUnreachable, h.Err
		if h.Err.Kind == HostKey || h.Err.Kind == Journal {
			p.Status = StatusRefused // the device answers, but may be another machine, or has received another journal
		}
		if len(d.Files) == 0 && len(d.Cleanups) > 0 { // the device should have no file
			p.Status, p.Err, p.Waits = StatusPending, nil, Wait{cannotBeAsked, ": " + OneLine(h.Err.Detail)}
		}
		return p
	}
	if len(h.Wrong) > 0 {
		return p.refuse(Identity, strings.Join(h.Wrong, " "))
	}
	p.Seen = h.Seen // ports and cables of another device would be useless
	p.watch("rights", h.judgeRights(d))
	first := slices.IndexFunc(d.Files, func(f target.File) bool { return f.Live == nil })
	old, next := make(map[string][]byte, len(d.Files)), make(map[string][]byte, len(d.Files))
	for i := range d.Files {
		f, c := &d.Files[i], h.Files[i]
		if c.Reason != "" {
			return p.refuse(Unreadable, fmt.Sprintf("%s: %s.", f.Path, c.Reason))
		}
		after, ds := f.Edit(c.Data)
		if i := slices.IndexFunc(ds, func(d *diag.Diagnostic) bool { return d.Code == string(Stale) }); i >= 0 {
			return p.refuse(Stale, ds[i].Detail)
		}
		notes, warnings := parted(ds)
		p.Diags = append(p.Diags, notes...)
		p.watch("settings", warnings) // about the content as it is, whether or not it is to change
		if ds.HasErrors() && f.Live != nil {
			lintChanged(p, f, c.Data, nil)
			refused := stays(p.refuse(Unmet, errorTexts(ds)), h)
			refused.Err.Code = firstError(ds).Code
			return refused
		}
		if ds.HasErrors() {
			return p.refuse(Unreadable, fmt.Sprintf("%s cannot be edited: %s", f.Path, firstText(ds)))
		}
		state := FileState{Path: f.Path, Base: c.sum(), Target: Sum(after)}
		p.Files = append(p.Files, state)
		old[f.Path], next[f.Path] = c.Data, after
		if f.Live != nil && f.Activate.Undo != nil {
			p.States = append(p.States, LiveState{f.Path, c.Data})
		}
		pending := f.Live == nil && !h.Lock.Held() && slices.Contains(h.Pending, f.Path)
		rights := h.rights(f, &c, i == first)
		if state.Base == state.Target && !pending {
			lintHeld(p, f, c.Data)
			if len(rights) > 0 {
				p.Changes = append(p.Changes, onlyRights(f, state, c.Data, rights))
			}
			continue
		}
		if foreign := lintChanged(p, f, c.Data, after); foreign != "" {
			return p.refuse(Unreadable, fmt.Sprintf("%s is not a configuration of this device. %s", f.Path, foreign))
		}
		one := change(f, state, c.Data, after)
		one.Rights = rights
		one.choose(p.Baseline)
		p.Changes = append(p.Changes, one)
	}
	p.watch(filesWatch, wrong(p))
	if len(p.Changes) > 0 {
		p.Status = StatusChange
		p.Writers, p.AsLeft = writers(p, h.Notes)
	}
	compare(p, old, next)
	p.Disrupts = disrupts(p)
	for i := range p.Baseline {
		if s := &p.Baseline[i]; s.Needed && s.Value == 0 && len(p.Changes) > 0 && !p.ByOthers() {
			return p.refuse(Unhealthy, s.Says(0)+" Nothing can be put to use without it: start it first.")
		}
	}
	return p
}

// disrupts returns how the steps of a plan disturb traffic, each kind once.
func disrupts(p *DevicePlan) (out []string) {
	for _, c := range p.Changes {
		if what, _ := p.Noticed(&c.File.Activate); what != "" && !slices.Contains(out, what) {
			out = append(out, what)
		}
	}
	return out
}

// stays makes the plan use the current settings of a refused device, if it was read. The checks of changes on its neighbours use these
// settings.
func stays(d *DevicePlan, h *Have) *DevicePlan {
	content := make(map[string][]byte, len(h.Files))
	for i := range h.Files {
		if h.Files[i].Reason != "" {
			return d
		}
		content[d.Device.Files[i].Path] = h.Files[i].Data
	}
	d.Old = settingsOf(d, content)
	d.New = d.Old
	return d
}

// settingsOf returns the device's settings in its files; nil: not known.
func settingsOf(d *DevicePlan, content map[string][]byte) *ir.Settings {
	if d.Device.Target == nil || d.Device.Target.Read == nil {
		return nil
	}
	return d.Device.Target.Read(d.Device.Source, func(path string) []byte { return content[path] })
}

// compare sets the settings of the device before and after.
func compare(d *DevicePlan, old, next map[string][]byte) {
	d.Old = settingsOf(d, old)
	d.New = d.Old
	if len(d.Changes) > 0 {
		d.New = settingsOf(d, next)
	}
	if d.Old == nil && d.New == nil {
		return
	}
	d.watch(rulesWatch, diagnostics(beside(d.Device, d.New)))
	d.Removing = d.Old.Loses(d.New)
	if d.New != d.Old {
		var cabled []*ir.Port
		if d.Device.Source != nil {
			cabled = d.Device.Source.Ports
		}
		d.Effects = Effects(d.Old, d.New, cabled)
	}
}
