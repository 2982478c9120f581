package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/replay"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/txn"
)

// This file adopts a run that another machine or user started. It makes a run in the journal of this machine from the answers of the
// devices and the rendered fabric. The verbs then go on as with any run.

// runName matches the name of a run, a beginning of it that includes the day, or its last four characters.
var runName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d{8}(t\d{0,6}z?(-[0-9a-f]{0,4})?)?|[0-9a-f]{4})$`)
})

// takenUp reads the journal of a run. If the run was started elsewhere, it adopts the run from the devices of the fabric. The plan
// contains these devices as they were read; nil: the run was started here.
func (s *Session) takenUp(ctx context.Context, name string, only []string, which LabFlag) (*journal.Log, *deploy.Plan, error) {
	l, err := s.ReadRun(name)
	if u, ok := errors.AsType[*unknownRun](err); ok {
		if !runName().MatchString(name) {
			return nil, nil, exit.Fail(exit.Usage, "%s. A run that another machine started is looked for on devices by its name, such as "+
				"20261121t065136z-3f9a", u.end.Message)
		}
		if !HasFabric(s.Here()) {
			return nil, nil, exit.Fail(exit.Usage, "%s. If another machine started it, name the fabric, so that its devices can be asked: "+
				"-C DIR (%s is not a fabric)", u.end.Message, diag.Escape(s.Here()))
		}
		return s.adopt(ctx, name, only, which, nil)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := sameLab(l, which); err != nil {
		return nil, nil, err
	}
	if l.Older() && !l.Alive && s.Dir == "" && !HasFabric(l.Fabric) {
		return nil, nil, exit.Fail(exit.Usage, "An earlier rocec wrote the journal of run %s. It contains commands, and this rocec runs none "+
			"of them. It must ask the devices instead, but there is no fabric in %s: name it with -C DIR.", l.Run, diag.Escape(l.Fabric))
	}
	if (l.Adopted != nil || l.Older()) && !l.Alive {
		return s.adopt(ctx, l.Run, only, "", l)
	}
	return l, nil, nil
}

// sameLab refuses --lab for a run that was not in that lab.
func sameLab(l *journal.Log, which LabFlag) error {
	switch {
	case which == "" || which == LabFresh:
		return nil
	case l.Lab == "":
		return exit.Fail(exit.Usage, "run %s was done on real devices, not in a lab: leave out --lab", l.Run)
	}
	dir, err := which.Folder(l.Fabric)
	if err != nil || dir == l.Lab {
		return err
	}
	return exit.Fail(exit.Usage, "run %s was a rehearsal in the lab %s, not in %s: leave out --lab", l.Run, diag.Escape(l.Lab),
		diag.Escape(dir))
}

// adoption is a run that is being adopted.
type adoption struct {
	s       *Session
	name    string // name of the run: as the person wrote it, later in full
	devices *Fleet
	plan    *deploy.Plan    // of the devices, as they were read
	dir     string          // the fabric's folder, absolute
	fabric  string          // its name
	names   map[string]bool // names of all its devices
	some    bool            // --target limits the devices

	known   *journal.Log // nil: the journal does not have the run yet
	before  [][]byte
	marks   map[string]txn.Mark // by device with a trace of the run: how far it came
	told    map[string]bool     // devices that reported their state of the run
	unasked []journal.Left
}

// adopt searches a run on the devices of the fabric, and adopts it. With known it searches for facts that this log does not have yet.
func (s *Session) adopt(ctx context.Context, name string, only []string, which LabFlag, known *journal.Log) (
	*journal.Log, *deploy.Plan, error,
) {
	dir := s.Here()
	if known != nil {
		which = LabFlag(known.Lab)
		if s.Dir == "" {
			dir = known.Fabric
		}
		if len(s.Vars)+len(s.VarFiles) == 0 {
			s.Vars, s.VarFiles = known.Vars, known.VarFiles
		}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, exit.Fail(exit.Usage, "%v", err)
	}
	f, devices, err := s.Open(dir, only, which)
	if err != nil {
		return nil, nil, err
	}
	names := map[string]bool{}
	for _, d := range f.Tree().Devices {
		names[d.Name] = true
	}
	t := &adoption{
		s: s, name: name, devices: devices, dir: abs, fabric: f.Fabric.Name, names: names, some: len(only) > 0,
		known: known, marks: map[string]txn.Mark{}, told: map[string]bool{},
	}
	l, err := t.takeUp(ctx)
	devices.Close(&err)
	if l != nil { // only facts that devices have just reported are trusted
		for i := range l.Devices {
			l.Devices[i].Told = t.told[l.Devices[i].Name]
		}
	}
	return l, t.plan, err
}

func (t *adoption) takeUp(ctx context.Context) (*journal.Log, error) {
	t.devices.beside = nil
	t.plan = t.devices.Compare(ctx)
	if ctx.Err() != nil {
		return nil, exit.Fail(exit.Interrupted, "interrupted; nothing was changed")
	}
	if err := t.find(); err != nil {
		return nil, err
	}
	h := t.header()
	held := t.ask(ctx)
	if ctx.Err() != nil {
		return nil, exit.Fail(exit.Interrupted, "interrupted; nothing was changed")
	}
	t.fill(h, held)
	t.tell(h)
	if len(h.Devices) == 0 && len(t.marks) == 0 {
		return nil, exit.Fail(exit.Machines, "no device of the fabric in %s that could be asked has a trace of run %s; a device keeps "+
			"its last ten runs. An earlier rocec wrote its journal, which contains commands, and this rocec runs none of them.",
			diag.Escape(t.dir), t.name)
	}
	if len(h.Devices) == 0 {
		return nil, exit.Fail(exit.Machines, "run %s is on %s, and cannot be read there", t.name, diag.Count(len(t.marks), "device"))
	}
	return t.write(h)
}

// find sorts the devices into holders of the run and devices that could not be asked.
func (t *adoption) find() error {
	names := map[string]bool{}
	for _, d := range t.plan.Devices {
		switch {
		case d.Err != nil && (d.Status == deploy.StatusUnreachable || d.Err.Kind == deploy.HostKey || d.Err.Kind == deploy.Identity):
			t.unasked = append(t.unasked, journal.Left{Name: d.Device.Name, Why: d.Err.Detail})
			continue
		case d.Unseen:
			t.unasked = append(t.unasked, journal.Left{Name: d.Device.Name, Why: "the login user cannot read runs there: this needs root"})
			continue
		}
		for _, run := range runsOn(d) {
			if run == t.name || strings.HasPrefix(run, t.name) || strings.HasSuffix(run, "-"+t.name) {
				names[run] = true
			}
		}
	}
	switch {
	case names[t.name]:
	case len(names) > 1:
		return exit.Fail(exit.Usage, "%q begins %s on the devices of the fabric in %s. Write more of the name.", t.name,
			diag.Count(len(names), "run"), diag.Escape(t.dir))
	case len(names) == 1:
		for name := range names {
			t.name = name
		}
	case t.known == nil:
		return t.nowhere()
	}
	for _, d := range t.plan.Devices {
		if there, mark := markOn(d, t.name); there || mark != txn.Absent {
			t.marks[d.Device.Name] = mark
		}
	}
	return nil
}

// holds reports whether a device has a trace of the run.
func (t *adoption) holds(device string) bool {
	_, ok := t.marks[device]
	return ok
}

// runsOn returns the runs of which a device has a trace.
func runsOn(d *deploy.DevicePlan) []string {
	var out []string
	if d.Lock != nil && deploy.ValidRun(d.Lock.Txn) {
		out = append(out, d.Lock.Txn)
	}
	for _, r := range slices.Concat(d.Runs, d.Over) {
		out = append(out, r.Run)
	}
	return out
}

// nowhere returns the error for a run that was not found, with the places that were searched.
func (t *adoption) nowhere() error {
	dir, err := t.s.Journals()
	if err != nil {
		return err
	}
	asked := len(t.plan.Devices) - len(t.unasked)
	text := fmt.Sprintf("no run %q: this user started no run of that name on this machine (the journals are in %s), and %s of the fabric "+
		"in %s "+
		"that could be asked %s no trace of it; a device keeps its last ten runs.", t.name, dir.Path(), diag.Count(asked, "device"),
		diag.Escape(t.dir), has(asked))
	code := exit.Usage
	if len(t.unasked) > 0 {
		code = exit.Machines
		text += fmt.Sprintf(" It is unknown whether the run is on these devices: %s.", unaskedText(t.unasked))
	}
	return exit.Fail(code, "%s Runs of this machine: rocec runs. Another fabric: -C DIR. A rehearsal: --lab.", text)
}

func has(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// unaskedText lists devices that could not be asked, with the reasons.
func unaskedText(left []journal.Left) string {
	by := map[string][]string{}
	var whys []string
	for _, l := range left {
		if len(by[l.Why]) == 0 {
			whys = append(whys, l.Why)
		}
		by[l.Why] = append(by[l.Why], l.Name)
	}
	const most = 5
	var parts []string
	for _, why := range whys[:min(len(whys), most)] {
		parts = append(parts, fmt.Sprintf("%s (%s)", nodeset.Text(by[why], nodeset.Devices, 200), strings.TrimRight(why, ".")))
	}
	if n := len(whys) - most; n > 0 {
		parts = append(parts, fmt.Sprintf("and others for %d more causes", n))
	}
	return diag.Escape(strings.Join(parts, "; "))
}

// header returns the first line of the journal, from the log or new, without facts from devices.
func (t *adoption) header() *journal.Header {
	now := t.s.clock.Now().UTC()
	h := &journal.Header{Run: t.name}
	if t.known != nil {
		known := t.known.Header
		h = &known
		h.Devices, h.Steps = slices.Clone(h.Devices), slices.Clone(h.Steps)
		h.Queries, h.Checks = slices.Clone(h.Queries), slices.Clone(h.Checks)
		if h.Older() {
			h.Devices, h.Steps, h.Queries, h.Checks = nil, nil, nil, nil
			h.Fabric, h.Name = t.dir, t.fabric
		}
	} else {
		h.Key, h.Began, h.Tool = newKey(), beganAt(t.name, now), t.s.Rocec.Version
		h.Fabric, h.Name, h.Lab = t.dir, t.fabric, t.devices.LabDir
	}
	h.Vars = t.s.Vars
	h.VarFiles = nil
	for _, name := range t.s.VarFiles {
		if abs, err := filepath.Abs(name); err == nil {
			h.VarFiles = append(h.VarFiles, abs)
		}
	}
	h.Host, h.PID = HostName(), os.Getpid()
	h.Adopted = &journal.Adoption{By: t.s.Owner(), At: now}
	return h
}

func newKey() string {
	key := make([]byte, 8)
	rand.Read(key) //nolint:errcheck // it never fails
	return hex.EncodeToString(key)
}

// beganAt returns the time when a run began, from its name.
func beganAt(run string, now time.Time) time.Time {
	stamp, _, _ := strings.Cut(run, "-")
	if at, err := time.Parse("20060102T150405Z", strings.ToUpper(stamp)); err == nil && at.Before(now) {
		return at
	}
	return now
}

// ask reads the part of each device in the run, even if the journal has it: others may have written the journal. Devices with an invalid
// answer count as not asked.
func (t *adoption) ask(ctx context.Context) map[string]*device.Held {
	type answer struct {
		name string
		held *device.Held
		err  *deploy.Error
	}
	answers := make([]answer, len(t.plan.Devices))
	var all sync.WaitGroup
	slots := make(chan struct{}, DefaultParallel)
	for i, d := range t.plan.Devices {
		name := d.Device.Name
		if !t.holds(name) {
			continue
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			dev := device.New(d.Device, t.devices.Dial, t.s.sudo, t.s.clock)
			defer dev.Close()
			answers[i].name = name
			if answers[i].err = dev.Connect(ctx, ""); answers[i].err == nil {
				answers[i].held, answers[i].err = dev.Held(ctx, t.name, d.Lock)
			}
		})
	}
	all.Wait()
	out := map[string]*device.Held{}
	for _, an := range answers {
		switch {
		case an.err != nil:
			t.unasked = append(t.unasked, journal.Left{Name: an.name, Why: an.err.Detail})
			delete(t.marks, an.name)
		case an.held != nil && an.held.About.Device != "" && an.held.About.Device != an.name:
			t.unasked = append(t.unasked, journal.Left{Name: an.name, Why: "the run calls this machine " + an.held.About.Device})
			delete(t.marks, an.name)
		case an.held != nil:
			out[an.name] = an.held
		}
	}
	return out
}

// fill adds the reports of devices to the header.
func (t *adoption) fill(h *journal.Header, held map[string]*device.Held) {
	w := replay.NewWriter(h)
	named, count := map[string]bool{}, 0
	for _, d := range t.plan.Devices {
		one := held[d.Device.Name]
		if one == nil {
			continue
		}
		about := &one.About
		for _, name := range about.Devices {
			named[name] = true
		}
		count = max(count, about.Count)
		h.Owner, h.Message, h.Commit = cmp.Or(h.Owner, about.Owner), cmp.Or(h.Message, about.Message), cmp.Or(h.Commit, about.Commit)
		h.Undoes = cmp.Or(h.Undoes, about.Undoes)
		if h.Hold == "" && about.Hold > 0 {
			h.Hold = about.Hold.String()
		}
		h.Adopted.Hooks = h.Adopted.Hooks || about.Hooks
		jd, before := w.Adopt(d, one)
		jd.Head = about.Head
		t.before = append(t.before, before...)
		t.told[jd.Name] = true
		if i := slices.IndexFunc(h.Devices, func(d journal.Device) bool { return d.Name == jd.Name }); i >= 0 {
			h.Devices[i] = jd
		} else {
			h.Devices = append(h.Devices, jd)
		}
	}
	if t.known != nil && t.known.Adopted != nil {
		for _, name := range t.known.Adopted.Devices {
			named[name] = true
		}
	}
	h.Owner = cmp.Or(h.Owner, "unknown")
	t.others(h, named, count)
}

// others records, for devices of the run that are not in the header, whether they have a trace of the run.
func (t *adoption) others(h *journal.Header, named map[string]bool, count int) {
	h.Adopted.Devices = slices.SortedFunc(maps.Keys(named), nodeset.Compare)
	asked := map[string]bool{}
	for _, d := range t.plan.Devices {
		asked[d.Device.Name] = true
	}
	for _, d := range h.Devices {
		asked[d.Name] = true
	}
	for _, l := range t.unasked {
		if len(named) == 0 || named[l.Name] {
			h.Adopted.Unasked = append(h.Adopted.Unasked, l)
		}
	}
	for _, name := range h.Adopted.Devices {
		switch {
		case !asked[name]:
			why := notInFabric
			if t.names[name] {
				why = "--target leaves it out"
			}
			h.Adopted.Unasked = append(h.Adopted.Unasked, journal.Left{Name: name, Why: why})
		case !t.holds(name) && !slices.ContainsFunc(t.unasked, func(l journal.Left) bool { return l.Name == name }) &&
			!slices.ContainsFunc(h.Devices, func(d journal.Device) bool { return d.Name == name }):
			h.Adopted.Absent = append(h.Adopted.Absent, name)
		}
	}
	if n := count - len(h.Devices); len(named) == 0 && n > 0 {
		h.Adopted.Unasked = append(h.Adopted.Unasked, journal.Left{
			Name: diag.Count(n, "more device"), Why: "the run has this many devices, and those that answered do not name the others",
		})
	}
}

// notInFabric is the reason why a device was not asked that has left the fabric since the run.
const notInFabric = "this fabric has no such device"

// tell reports who started the run, and the devices that could not be asked.
func (t *adoption) tell(h *journal.Header) {
	s, n := t.s, len(h.Devices)
	if t.known == nil && n > 0 {
		s.Say("Run %s was started by %s, and is not in the journal of this user on this machine. %s of the fabric in %s %s it. "+
			"This machine cannot know whether its process is still running.", h.Run, diag.Escape(h.Owner), diag.Count(n, "device"),
			diag.Escape(h.Fabric), diag.Plural(n, "holds", "hold"))
	}
	if t.known != nil && t.known.Older() {
		s.Say("An earlier rocec wrote the journal of run %s. It contains commands, and this rocec runs none of them. It asks the devices of the "+
			"fabric in %s instead: %s %s the run.", h.Run, diag.Escape(h.Fabric), diag.Count(n, "device"), diag.Plural(n, "holds", "hold"))
	}
	if len(h.Adopted.Unasked) > 0 && !t.some {
		s.Say("It is unknown whether these devices have run %s: %s.", h.Run, unaskedText(h.Adopted.Unasked))
	}
	if h.Adopted.Hooks && (t.known == nil || t.known.Older()) {
		s.Say("Run %s has programs that drain devices and put traffic back (--drain, --undrain). Rocec does not run them here. Put "+
			"traffic back by hand on drained devices.", h.Run)
	}
}

// write writes the run into the journal of this machine.
func (t *adoption) write(h *journal.Header) (*journal.Log, error) {
	dir, err := journals(t.s, h.Lab != "")
	if err != nil {
		return nil, err
	}
	var run *journal.Run
	known := map[string]bool{}
	if t.known == nil {
		run, err = dir.Begin(*h, t.s.clock.Now)
	} else if run, err = dir.Reopen(h.Run, t.s.clock.Now); err == nil {
		for _, d := range t.known.Devices {
			known[d.Name] = !t.known.Older()
		}
		err = run.Adopt(*h)
	}
	if err != nil {
		return nil, exit.Fail(exit.Machines, "the journal of run %s cannot be written: %v. Nothing was changed.", h.Run, err)
	}
	err = run.KeepBefore(t.before)
	for _, d := range h.Devices {
		if err == nil && !known[d.Name] {
			err = run.Result(journal.Line{Device: d.Name, Verb: adoptVerb, Result: "ok", Mark: t.marks[d.Name].String()})
		}
	}
	if end := run.Finish(nil); err == nil {
		err = end
	}
	if err != nil {
		return nil, exit.Fail(exit.Machines, "the journal of run %s cannot be written: %v. Nothing was changed.", h.Run, err)
	}
	return t.s.ReadRun(h.Run)
}

// adoptVerb is the verb in the journal's line about a device that reported its part of a run.
const adoptVerb = "adopt"
