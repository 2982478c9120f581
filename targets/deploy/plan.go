package deploy

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// Status is what the plan has for a device.
type Status string

// The statuses, spelled as in the JSON of `rocec plan`.
const (
	StatusChange      Status = "change"
	StatusSame        Status = "same"
	StatusUnreachable Status = "unreachable"
	StatusRefused     Status = "refused"
	StatusPending     Status = "pending" // it stays as it is for now, and is a debt of the plan
	StatusOthers      Status = "others"  // others are to write what it lacks, or it could not be read and is theirs
)

// Plan says of every device of a tree what would change, in the tree's order.
type Plan struct {
	Devices []*DevicePlan
	Over    diag.List     // accept blocks of the fabric that are over, by [Plan.Accept]
	Beside  []*DevicePlan // other devices of the fabric, next to those; nothing is done to them
}

// DevicePlan is the plan of one device.
type DevicePlan struct {
	Device   *target.Device
	Status   Status
	Err      *Error             // of an unreachable or refused device: why
	Diags    diag.List          // what Edit said about the content found, but for its warnings
	Found    []*diag.Diagnostic // what the vendor's rules say of changed files as they will be; notes are left out
	Digest   string             // what the run does there, as a hash that the device is given with it; empty: none
	Waits    Wait               // of a pending device, or one that others write: why
	Changes  []*Change          // in the order of Device.Files
	Drift    []*Change          // of a device with StatusOthers: what others are to change; nil where it could not be read
	Disrupts []string           // what traffic will notice, each once
	Old, New *ir.Settings       // how it is set, as the content says, before and after; nil: not known
	Effects  []Effect           // what traffic notices, as far as the settings are known
	Removing bool               // a port stops pausing, or obeying pauses, for a priority
	Lock     *Owner             // the run that holds its lock; nil: none
	Marked   *Owner             // the run that goes on beside it and has marked it; nil: none
	Count    int                // of the runs that have written there; -1: it could not be seen
	Files    []FileState        // every file of a device that could be read, changed or not
	Writers  []string           // versions of rocec that wrote just what the device holds, when it was meant to do the same; each once
	AsLeft   bool               // it holds what one of the latest runs left there
	Accepted []Accepted         // differences that the fabric accepts, by [Plan.Accept]
	Whole    bool               // all of its differences are among them
	Left     string             // of a device that [Plan.OnlyIntent] leaves: the version that wrote it; empty: it is not left

	Watched  []Watched       // what is read of it besides its files, and what Edit warns of
	Baseline []target.Sample // what the probes measured, if they were asked
	Unseen   bool            // locks and runs could not be looked for, as that takes root
	Runs     []RunMark       // runs that left something there
	Over     []RunMark       // runs that are over there, and what became of them
	States   []LiveState     // live states that steps may change, also those that stay
	HostKey  string          // fingerprint of the key the device answered with; empty: as in [Have]
	Seen     *target.Seen    // what the device says of its ports and cables; nil: it was not asked

	taken *ir.Settings // Old, where accepted values are those of New; nil: none is accepted
}

// Pending leaves devices under maintenance as they are, whatever they hold and whether or not they answer: they are debts, which a
// later apply settles. Those that hold what they should already are none.
func (p *Plan) Pending() {
	for _, d := range p.Devices {
		if d.Device.Source == nil || d.Device.Source.Maintenance == "" || d.Status == StatusSame || d.Status == StatusOthers {
			continue
		}
		d.Status, d.Waits = StatusPending, Wait{"under maintenance", ": " + OneLine(d.Device.Source.Maintenance)}
		d.Err, d.Changes, d.Effects, d.Disrupts, d.Found, d.Diags = nil, nil, nil, nil, nil, nil
	}
}

// Accepted is the differences of a device that an accept block of the fabric accepts.
type Accepted struct {
	Block       *ir.Accept
	Differences []*ir.Difference // A is the value of the device, B that of the fabric
}

// Keeps reports whether the plan leaves the device as it is because the fabric accepts its differences.
func (d *DevicePlan) Keeps() bool { return d.Whole && d.Status == StatusSame }

// Diff compares what the tree wants with what the devices hold. It is pure. have is of the same tree.
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
	_ = g.Wait() // comparing cannot fail
	return p
}

func diff(d *target.Device, h *Have) *DevicePlan {
	p := &DevicePlan{Device: d, Status: StatusSame, Lock: h.Lock, Unseen: h.Unseen, Runs: h.Runs, Over: h.Over, HostKey: h.HostKey}
	p.Marked, p.Count = h.Marked, h.Count
	p.Baseline, p.Watched = h.Samples(), h.Watched
	if h.Err != nil {
		p.Status, p.Err = StatusUnreachable, h.Err
		if h.Err.Kind == HostKey || h.Err.Kind == Journal {
			p.Status = StatusRefused // it answers, and may be another machine, or was given something else
		}
		if len(d.Files) == 0 && len(d.Leavings) > 0 { // nothing is asked of it but to hold nothing
			p.Status, p.Err, p.Waits = StatusPending, nil, Wait{cannotBeAsked, ": " + OneLine(h.Err.Detail)}
		}
		return p
	}
	if len(h.Wrong) > 0 {
		return p.refuse(Identity, strings.Join(h.Wrong, " "))
	}
	p.Seen = h.Seen // of another device it says nothing
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
		p.watch("settings", warnings) // of what is there, whether or not it is to change
		if ds.HasErrors() && f.Live != nil {
			refused := p.refuse(Unmet, errorTexts(ds)).stays(h)
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
			if len(rights) > 0 {
				p.Changes = append(p.Changes, onlyRights(f, state, c.Data, rights))
			}
			continue
		}
		if foreign := p.lint(f, c.Data, after); foreign != "" {
			return p.refuse(Unreadable, fmt.Sprintf("%s is not a configuration of this device. %s", f.Path, foreign))
		}
		one := change(f, state, c.Data, after)
		one.Rights = rights
		one.choose(p.Baseline)
		p.Changes = append(p.Changes, one)
	}
	if len(p.Changes) > 0 {
		p.Status = StatusChange
		p.Writers, p.AsLeft = writers(p, h.Notes)
	}
	p.read(old, next)
	for _, c := range p.Changes {
		if what, _ := p.Noticed(&c.File.Activate); what != "" && !slices.Contains(p.Disrupts, what) {
			p.Disrupts = append(p.Disrupts, what)
		}
	}
	for i := range p.Baseline {
		if s := &p.Baseline[i]; s.Needed && s.Value == 0 && len(p.Changes) > 0 && !p.ByOthers() {
			return p.refuse(Unhealthy, s.Says(0)+" Nothing can be put to use without it: start it first.")
		}
	}
	return p
}

// Noticed returns what traffic notices of a step in the plan, and how long it does not pass.
func (d *DevicePlan) Noticed(s *target.Step) (disrupts string, outage ir.Outage) {
	if d.Device.Target == nil || d.Device.Target.Noticed == nil || d.Device.Source == nil {
		return s.Disrupts, s.Outage
	}
	return d.Device.Target.Noticed(d.Device.Source, s, func(path string) (before, after []byte, changes bool) {
		for _, c := range d.Changes {
			if c.Path == path {
				return c.Before, c.After, true
			}
		}
		return nil, nil, false
	})
}

// lint has a changed file judged, before and after; it says why the file is not of this device, or nothing.
func (d *DevicePlan) lint(f *target.File, before, after []byte) (foreign string) {
	if f.Lint == nil {
		return ""
	}
	if before != nil {
		if _, foreign = f.Lint(before); foreign != "" {
			return foreign
		}
	}
	found, _ := f.Lint(after)
	for _, one := range found {
		if one.Severity != diag.Notice {
			d.Found = append(d.Found, one)
		}
	}
	return ""
}

// stays has a refused device that was read keep the settings that were found: what changes beside it is judged by them.
func (d *DevicePlan) stays(h *Have) *DevicePlan {
	content := make(map[string][]byte, len(h.Files))
	for i := range h.Files {
		if h.Files[i].Reason != "" {
			return d
		}
		content[d.Device.Files[i].Path] = h.Files[i].Data
	}
	d.Old = d.settings(content)
	d.New = d.Old
	return d
}

// settings returns how files say that the device is set; nil: not known.
func (d *DevicePlan) settings(content map[string][]byte) *ir.Settings {
	if d.Device.Target == nil || d.Device.Target.Read == nil {
		return nil
	}
	return d.Device.Target.Read(d.Device.Source, func(path string) []byte { return content[path] })
}

// read says how the device is set before and after.
func (d *DevicePlan) read(old, next map[string][]byte) {
	d.Old = d.settings(old)
	d.New = d.Old
	if len(d.Changes) > 0 {
		d.New = d.settings(next)
	}
	if d.Old == nil && d.New == nil {
		return
	}
	d.watch("rules", beside(d.Device.Source, d.New))
	d.Removing = d.Old.Loses(d.New)
	if d.New != d.Old {
		var cabled []*ir.Port
		if d.Device.Source != nil {
			cabled = d.Device.Source.Ports
		}
		d.Effects = Effects(d.Old, d.New, cabled)
	}
}

// watch adds findings that stand whether or not the device is changed.
func (d *DevicePlan) watch(name string, found diag.List) {
	if len(found) > 0 {
		d.Watched = append(slices.Clip(d.Watched), Watched{Name: name, Found: found})
	}
}

// refuse turns the device down; a refused device has no changes, so nothing of it can be applied.
func (d *DevicePlan) refuse(k Kind, detail string) *DevicePlan {
	return &DevicePlan{
		Device: d.Device, Status: StatusRefused, Diags: d.Diags, Watched: d.Watched, Seen: d.Seen, Lock: d.Lock, Runs: d.Runs, Over: d.Over,
		HostKey: d.HostKey, Unseen: d.Unseen, Marked: d.Marked, Count: d.Count,
		Err: &Error{Kind: k, Device: d.Device, Detail: detail},
	}
}

// Refuse turns down those of the devices, by name, that would change. What a device was refused for first stays.
func (p *Plan) Refuse(names []string, detail string) {
	for i, d := range p.Devices {
		if d.Status == StatusChange && slices.Contains(names, d.Device.Name) {
			p.Devices[i] = d.refuse(Unlike, detail)
		}
	}
}

// Summary counts a plan.
type Summary struct {
	Change, Same, Unreachable, Refused int // devices
	Pending, Others                    int
	Accepted                           int // devices that stay as they are because the fabric accepts what differs
	Files, Live                        int // changes of files, of live states
	Disruptive                         int // devices whose traffic will notice
	Settings                           Counts
}

// Summary counts the plan.
func (p *Plan) Summary() Summary {
	var s Summary
	for _, d := range p.Devices {
		switch d.Status {
		case StatusChange:
			s.Change++
		case StatusSame:
			if d.Keeps() {
				s.Accepted++
			} else {
				s.Same++
			}
		case StatusUnreachable:
			s.Unreachable++
		case StatusRefused:
			s.Refused++
		case StatusPending:
			s.Pending++
		case StatusOthers:
			s.Others++
		}
		for _, c := range d.Changes {
			n := c.Counts()
			s.Settings.Create += n.Create
			s.Settings.Update += n.Update
			s.Settings.Delete += n.Delete
			if c.Live() {
				s.Live++
			} else {
				s.Files++
			}
		}
		if len(d.Disrupts) > 0 {
			s.Disruptive++
		}
	}
	return s
}

// Empty reports whether nothing would change.
func (p *Plan) Empty() bool {
	return !slices.ContainsFunc(p.Devices, func(d *DevicePlan) bool { return d.Status == StatusChange })
}

// Group is devices whose changes are the same, so that they fill one screen rather than forty.
type Group struct{ Devices []*DevicePlan }

// First returns the group's first device, which stands for all.
func (g *Group) First() *DevicePlan { return g.Devices[0] }

// Fold groups the devices of a plan that have the same changes, by key and value; where they came from may differ.
// Groups are in the order of their first devices. Unreachable and refused devices stand alone.
func Fold(p *Plan) []Group {
	var groups []Group
	at := map[string]int{}
	for i, d := range p.Devices {
		key := signature(d, i)
		g, ok := at[key]
		if !ok {
			g = len(groups)
			at[key] = g
			groups = append(groups, Group{})
		}
		groups[g].Devices = append(groups[g].Devices, d)
	}
	return groups
}

// signature is equal for devices that fold.
func signature(d *DevicePlan, i int) string {
	switch d.Status {
	case StatusSame:
		return string(StatusSame)
	case StatusUnreachable, StatusRefused:
		return fmt.Sprint(i)
	}
	b := fmt.Appendf(nil, "%q %q %t", d.Disrupts, d.Waits.String(), d.ByOthers())
	for _, e := range d.Effects {
		b = append(append(b, '\n'), e.String()...)
	}
	for _, c := range d.Shown() {
		b = strconv.AppendQuote(append(b, '\n'), c.Path)
		b = append(b, c.Action...)
		for _, k := range c.Keys {
			for _, text := range []string{k.Key, k.Before, k.After} {
				b = strconv.AppendQuote(append(b, ' '), text)
			}
		}
		for _, k := range c.RightsKeys() {
			b = fmt.Appendf(b, " %q %s %s", k.Key, k.Before, k.After)
		}
		if len(c.Keys) == 0 {
			b = fmt.Appendf(b, " %s %s", c.Base, c.Target)
		}
	}
	return string(b)
}
