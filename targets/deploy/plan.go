package deploy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
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

// LiveState is a live state as it was found.
type LiveState struct {
	Path string
	Text []byte
}

// FileState is the content of a file before and after, as SHA-256 in hex, or "absent".
type FileState struct{ Path, Base, Target string }

// Change is what happens to one file or live state.
type Change struct {
	FileState
	File          *target.File // its Activate is the step of this change
	Action        Action
	Before, After []byte // nil: no file
	Keys          []KeyChange
	Rights        []RightsChange // what others than root may change of it, and of folders of rocec
	Unchanged     int            // keys of ours that stay
	NotOurs       int            // keys that are not ours and are left alone
	Says          []string       // what is worth knowing of how the change is checked and put to use, as sentences
}

// KeyChange is what happens to one setting.
type KeyChange struct {
	Key           string
	Action        Action // Create, Update or Delete
	Before, After string // empty where there is none
	From          []target.Origin
}

// Live reports whether the change is of a live state rather than a file.
func (c *Change) Live() bool { return c.File.Live != nil }

// Writes reports whether the change puts bytes in place or takes them away.
func (c *Change) Writes() bool { return !c.Live() && c.Base != c.Target }

// Absent is the SHA-256 of what is not there; the scripts say the same.
const Absent = "absent"

// Sum is the SHA-256 of content in hex, or [Absent].
func Sum(content []byte) string {
	if content == nil {
		return Absent
	}
	h := sha256.Sum256(content)
	return hex.EncodeToString(h[:])
}

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

// parted gives what an edit warns of, and what it says besides.
func parted(ds diag.List) (rest, warnings diag.List) {
	for _, d := range ds {
		if d.Severity == diag.Warning {
			warnings = append(warnings, d)
		} else {
			rest = append(rest, d)
		}
	}
	return rest, warnings
}

// errorTexts joins what every error says.
func errorTexts(ds diag.List) string {
	var texts []string
	for _, d := range ds {
		if d.Severity == diag.Error {
			texts = append(texts, d.Detail)
		}
	}
	return strings.Join(texts, " ")
}

func firstError(ds diag.List) *diag.Diagnostic {
	return ds[slices.IndexFunc(ds, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error })]
}

func firstText(ds diag.List) string {
	d := firstError(ds)
	return d.Summary + ": " + d.Detail
}

func change(f *target.File, state FileState, before, after []byte) *Change {
	c := &Change{FileState: state, File: f, Before: before, After: after, Action: Update}
	switch {
	case state.Base == state.Target:
		c.Action = Activate
	case state.Base == Absent && f.Live == nil:
		c.Action = Create
	case after == nil:
		c.Action = Delete
	}
	if f.Keys != nil && (before != nil || state.Base == Absent) {
		c.compareKeys()
	}
	return c
}

// onlyRights is a change of owners and modes. It has no step, because the content stays.
func onlyRights(f *target.File, state FileState, content []byte, rights []RightsChange) *Change {
	still := *f
	still.Activate = target.Step{}
	c := change(&still, state, content, content)
	c.Action, c.Rights = Update, rights
	return c
}

// choose settles the step of a change of content. Of a file that holds what it should nobody knows what the apply that put it there has
// changed, so it is the step for any change.
func (c *Change) choose(have []target.Sample) {
	if c.File.Choose == nil || c.Base == c.Target {
		return
	}
	own := *c.File
	own.Activate, c.Says = c.File.Choose(c.Before, c.After, have)
	c.File = &own
}

// compareKeys fills Keys in the order of the new content, followed by keys that go away in the order of the old one.
func (c *Change) compareKeys() {
	keys := func(content []byte) []target.Key {
		if content == nil {
			return nil
		}
		return c.File.Keys(content)
	}
	old, now := keys(c.Before), keys(c.After)
	value := func(keys []target.Key) map[string]string {
		m := make(map[string]string, len(keys))
		for _, k := range keys {
			m[k.Name] = k.Value
		}
		return m
	}
	was, is := value(old), value(now)
	add := func(k KeyChange) {
		if c.File.Why != nil {
			k.From = c.File.Why(k.Key)
		}
		c.Keys = append(c.Keys, k)
	}
	seen := map[string]bool{}
	for _, k := range now {
		if seen[k.Name] {
			continue
		}
		seen[k.Name] = true
		before, had := was[k.Name]
		after := is[k.Name]
		switch {
		case !had:
			add(KeyChange{Key: k.Name, Action: Create, After: after})
		case before != after:
			add(KeyChange{Key: k.Name, Action: Update, Before: before, After: after})
		case k.Ours:
			c.Unchanged++
		default:
			c.NotOurs++
		}
	}
	for _, k := range old {
		if _, stays := is[k.Name]; !stays && !seen[k.Name] {
			seen[k.Name] = true
			add(KeyChange{Key: k.Name, Action: Delete, Before: was[k.Name]})
		}
	}
}

// Differs says in which keys content differs from what the file should hold: "/etc/x is not as written: cos is 3, not 4";
// empty: it is as it should be.
func Differs(f *target.File, content []byte) string {
	should, ds := f.Edit(content)
	if ds.HasErrors() {
		return f.Path + ": " + firstText(ds)
	}
	is := FileState{Path: f.Path, Base: Sum(content), Target: Sum(should)}
	if is.Base == is.Target {
		return ""
	}
	var parts []string
	for _, k := range change(f, is, content, should).Keys {
		switch k.Action {
		case Create:
			parts = append(parts, k.Key+" is missing")
		case Delete:
			parts = append(parts, k.Key+" is there")
		default:
			parts = append(parts, fmt.Sprintf("%s is %s, not %s", k.Key, k.Before, k.After))
		}
	}
	if len(parts) == 0 {
		return f.Path + " is not as written"
	}
	return f.Path + " is not as written: " + strings.Join(parts, ", ")
}

// Unified returns the change as a unified diff of the two contents, for --diff; empty when they are equal.
func (c *Change) Unified() string {
	if bytes.Equal(c.Before, c.After) {
		return ""
	}
	from, to := "a"+c.Path, "b"+c.Path
	if c.Live() {
		from, to = "live/"+c.Path, "wanted/"+c.Path
	}
	if c.Before == nil {
		from = "/dev/null"
	}
	if c.After == nil {
		to = "/dev/null"
	}
	before, after := string(c.Before), string(c.After)
	text, err := udiff.ToUnified(from, to, before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil {
		panic("deploy: " + err.Error()) // the edits come from the same text
	}
	return diag.EscapeLines(text)
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

// Counts is how many settings are created, changed and removed.
type Counts struct{ Create, Update, Delete int }

// Counts counts the settings of a change.
func (c *Change) Counts() (n Counts) {
	for _, k := range c.Keys {
		switch k.Action {
		case Create:
			n.Create++
		case Update:
			n.Update++
		case Delete:
			n.Delete++
		}
	}
	return n
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
