// Package claims compares the assumptions of verdicts on PFC loops with what devices report of their forwarding and their settings.
//
// The input is a fabric, its proofs, and an [ir.Forwarding] and the settings ([configured.Setup]) of each device that was read. The output
// is a [Standing] for each assumption, the findings about devices that contradict one, and the proof of the running tables of next hops.
// The package reads nothing itself. Settings that differ from the fabric are no findings here, because the readers of settings report them.
//
//   - rules.go: the table of assumptions: which part of a device shows them, on which devices, and whether that part is all of them;
//   - bgp.go, trees.go, parts.go: the judgements of single devices by their forwarding;
//   - tables.go: the running tables as a table of next hops; running.go: their turns, and their proof;
//   - kept.go: what a run keeps of its judgements for later ones.
package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/configured"
	"github.com/rocec/rocec/validate/proof"
	"github.com/rocec/rocec/validate/watchdogs"
)

// Seen is what devices report.
type Seen struct {
	By      string           // who read them: "rocec verify", "snapshot"
	Devices []*ir.Forwarding // at most one for a device

	Settings []*configured.Setup   // at most one for a device
	Counters []*watchdogs.Counters // at most one for a device

	At func(d *ir.Device) diag.Range // the place of findings about a device; nil: its place in the fabric
}

// State says on what an assumption rests.
type State string

// The states.
const (
	Checked   State = "checked"   // every device that the assumption concerns was read, and agrees
	Stated    State = "stated"    // the fabric states it, and not every device was read
	Unchecked State = "unchecked" // neither
)

// Standing is the state of one assumption.
type Standing struct {
	Code  proof.AssumptionCode
	State State
	By    string       // of Seen, if any device agrees or contradicts
	When  time.Time    // the oldest answer of a device that agrees; zero: not known
	Scope []*ir.Device // the devices that the assumption concerns; nil: no answer of a device shows it
	Agree []*ir.Device // of these, the devices that agree
	Not   []NotRead    // of these, the devices of which it is not known
	False []*ir.Device // devices that contradict it
	Why   string       // the first device that contradicts it by a setting, else the first of Not with a reason, and the reason
	Part  string       // a sentence without a full stop: the part of the assumption that answers show; empty: the whole assumption

	reasons map[*ir.Device]string // of False; empty: a finding has the reason
}

// NotRead is a device whose answers do not show whether it agrees.
type NotRead struct {
	Device *ir.Device
	Why    string // part of a sentence; empty: it was not read
}

// Result is the judgement of all assumptions.
type Result struct {
	Read     bool // some device was read
	Findings diag.List
	Running  *Running // nil: nothing asked for it, as no verdict depends on tables of next hops

	standings map[proof.AssumptionCode]*Standing
}

// Of returns the standing of an assumption. It is never nil.
func (r *Result) Of(code proof.AssumptionCode) *Standing {
	if r != nil {
		if s := r.standings[code]; s != nil {
			return s
		}
	}
	return &Standing{Code: code, State: Unchecked}
}

// judging works out a result.
type judging struct {
	f          *ir.Fabric
	proofs     []*proof.Proof
	seen       *Seen
	of         []*ir.Forwarding    // by Device.ID
	configured []*configured.Setup // by Device.ID
	assumed    map[proof.AssumptionCode]bool

	found   []*finding
	known   map[string]*finding
	against reasons // contradictions; an empty reason: a finding has it
	unsure  reasons
}

// finding is a contradiction, which several devices may share.
type finding struct {
	topic    *diag.Topic
	severity diag.Severity
	detail   string // with place for the devices
	devices  []*ir.Device
	oldest   time.Time // of the answers; zero: one of them has no time
}

// here is in a detail in place of the names of the devices.
const here = watchdogs.Here

// Judge compares the assumptions of the proofs of a fabric with what devices report. The proof of the running tables uses at most the
// budget. seen may be nil: then nothing was read, and a nil budget suffices.
func Judge(f *ir.Fabric, proofs []*proof.Proof, seen *Seen, budget *ir.Budget) *Result {
	j := &judging{
		f: f, proofs: proofs, seen: seen, of: make([]*ir.Forwarding, len(f.Devices)), configured: make([]*configured.Setup, len(f.Devices)),
		assumed: map[proof.AssumptionCode]bool{}, known: map[string]*finding{}, against: reasons{}, unsure: reasons{},
	}
	for _, p := range proofs {
		for _, a := range p.Assumptions {
			j.assumed[a.Code] = true
		}
	}
	out := &Result{standings: map[proof.AssumptionCode]*Standing{}}
	if seen != nil {
		for _, r := range seen.Devices {
			if r != nil && r.Device != nil {
				j.of[r.Device.ID], out.Read = r, true
			}
		}
		for _, c := range seen.Settings {
			if c != nil && c.Of != nil {
				j.configured[c.Of.ID] = c
				out.Read = out.Read || c.Settings != nil || c.Bonds != nil
			}
		}
		out.Read = out.Read || len(seen.Counters) > 0
	}
	if out.Read {
		for _, x := range configured.Judge(f, j.configured) {
			if x.Against {
				j.against.put(x.Of, x.Why, x.Code)
			} else {
				j.unsure.put(x.Of, x.Why, x.Code)
			}
		}
		j.parts()
		for _, x := range watchdogs.Judge(f, proofs, j.configured, seen.Counters) {
			j.addAt(x.When, x.Of, x.Topic, x.Severity, x.Detail)
		}
		j.bgp()
		j.trees()
		out.Running = j.running(budget)
		out.Findings = j.list()
	}
	for _, code := range proof.AssumptionCodes {
		out.standings[code] = j.standing(code)
	}
	return out
}

// severity returns an error if a verdict depends on one of the assumptions, so that a PFC loop becomes possible, else a warning.
func (j *judging) severity(codes ...proof.AssumptionCode) diag.Severity {
	if slices.ContainsFunc(codes, func(c proof.AssumptionCode) bool { return j.assumed[c] }) {
		return diag.Error
	}
	return diag.Warning
}

// add records that the forwarding of a device contradicts assumptions.
func (j *judging) add(d *ir.Device, topic *diag.Topic, severity diag.Severity, detail string, codes ...proof.AssumptionCode) {
	j.against.put(d, "", codes...)
	var when time.Time
	if r := j.of[d.ID]; r != nil {
		when = r.When
	}
	j.addAt(when, d, topic, severity, detail)
}

// addAt records a finding about a device by an answer at a time. Devices with the same detail are one finding.
func (j *judging) addAt(when time.Time, d *ir.Device, topic *diag.Topic, severity diag.Severity, detail string) {
	key := topic.Code + "\x01" + detail
	is := j.known[key]
	if is == nil {
		is = &finding{topic: topic, severity: severity, detail: detail, oldest: when}
		j.known[key] = is
		j.found = append(j.found, is)
	}
	if !slices.Contains(is.devices, d) {
		is.devices = append(is.devices, d)
	}
	is.severity = min(is.severity, severity)
	if when.Before(is.oldest) {
		is.oldest = when
	}
}

// doubt records why the answers of a device do not show whether it agrees.
func (j *judging) doubt(d *ir.Device, why string, codes ...proof.AssumptionCode) {
	j.unsure.put(d, why, codes...)
}

// reasons has the first reason against each assumption and device.
type reasons map[proof.AssumptionCode]map[*ir.Device]string

func (r reasons) put(d *ir.Device, why string, codes ...proof.AssumptionCode) {
	for _, c := range codes {
		if r[c] == nil {
			r[c] = map[*ir.Device]string{}
		}
		r[c][d] = cmp.Or(r[c][d], why)
	}
}

// mostNamed is the room for the names of devices in a finding, in letters.
const mostNamed = 120

// list returns the findings as diagnostics, at the first device of each.
func (j *judging) list() (out diag.List) {
	for _, x := range j.found {
		names := make([]string, len(x.devices))
		for i, d := range x.devices {
			names[i] = d.Name
		}
		detail := strings.ReplaceAll(x.detail, here, nodeset.Text(names, nodeset.Devices, mostNamed))
		say := x.topic.Warnf
		if x.severity == diag.Error {
			say = x.topic.Errorf
		}
		place := x.devices[0].At
		if j.seen.At != nil {
			place = j.seen.At(x.devices[0])
		}
		say(&out, place, "%s%s", diag.Escape(detail), diag.Escape(source(j.seen.By, x.oldest)))
	}
	out.Sort()
	return out
}

// source returns who read the devices, and the time of the oldest answer: " (snapshot, 27 Nov 10:02)".
func source(by string, oldest time.Time) string {
	if oldest.IsZero() {
		return " (" + by + ")"
	}
	return fmt.Sprintf(" (%s, %s)", by, Clock(oldest))
}

// clock is the form of times in texts, which are in UTC.
const clock = "2 Jan 15:04 UTC"

// Clock returns a time as texts have it.
func Clock(t time.Time) string { return t.UTC().Format(clock) }

// standing returns the state of an assumption.
func (j *judging) standing(code proof.AssumptionCode) *Standing {
	by := ""
	if j.seen != nil {
		by = j.seen.By
	}
	return newStanding(j.f, code, by, j.against[code], func(r *rule, d *ir.Device) (time.Time, *NotRead) {
		got := j.of[d.ID]
		why, unsure := j.unsure[code][d]
		if c := j.configured[d.ID]; r.settings {
			switch {
			case c != nil && c.Why != "":
				return time.Time{}, &NotRead{d, c.Why}
			case !c.Counts():
				return time.Time{}, &NotRead{d, ""}
			case unsure:
				return time.Time{}, &NotRead{d, why}
			}
			return c.When, nil
		}
		switch {
		case got == nil:
			return time.Time{}, &NotRead{d, ""}
		case !got.Read(r.reads):
			return time.Time{}, &NotRead{d, diag.Cut(got.Unread[r.reads])}
		case unsure:
			return time.Time{}, &NotRead{d, why}
		}
		return got.When, nil
	})
}

// newStanding returns the state of an assumption from the devices that contradict it, and from a function about the others: it returns the
// time of the answer of a device that agrees, or why that is not known.
func newStanding(
	f *ir.Fabric, code proof.AssumptionCode, by string, against map[*ir.Device]string, agrees func(*rule, *ir.Device) (time.Time, *NotRead),
) *Standing {
	out := &Standing{Code: code, State: Unchecked, reasons: against}
	r := ruleOf(code)
	if r == nil {
		return out
	}
	if r.states != nil && r.states(f) {
		out.State = Stated
	}
	if r.scope == nil {
		return out
	}
	out.Part = r.part
	for _, d := range r.scope(f) {
		out.Scope = append(out.Scope, d)
		if _, is := against[d]; is {
			out.False = append(out.False, d)
			continue
		}
		when, not := agrees(r, d)
		if not != nil {
			out.Not = append(out.Not, *not)
			continue
		}
		if len(out.Agree) == 0 || when.Before(out.When) {
			out.When = when
		}
		out.Agree = append(out.Agree, d)
	}
	for d := range against { // such as a host that a switch shows
		if !slices.Contains(out.False, d) {
			out.False = append(out.False, d)
		}
	}
	slices.SortFunc(out.False, func(a, b *ir.Device) int { return a.ID - b.ID })
	if len(out.Agree)+len(out.False) > 0 {
		out.By = by
	}
	out.Why = out.why()
	switch {
	case len(out.False) > 0:
		out.State = Unchecked
	case len(out.Scope) > 0 && len(out.Agree) == len(out.Scope) && r.part == "":
		out.State = Checked
	}
	return out
}

// why returns the first device that contradicts or does not show the assumption, and its reason; empty: no reason is known.
func (s *Standing) why() string {
	for _, d := range s.False {
		if why := s.reasons[d]; why != "" {
			return d.Name + ": " + diag.Escape(why)
		}
	}
	if len(s.False) > 0 {
		return "" // findings have the reasons
	}
	for _, n := range s.Not {
		if n.Why != "" {
			return n.Device.Name + ": " + diag.Escape(n.Why)
		}
	}
	return ""
}

// Text returns the state of an assumption for people: "checked on 14 of 14 switches, 27 Nov 10:02 UTC".
func (s *Standing) Text() string {
	when := ""
	if !s.When.IsZero() {
		when = ", " + Clock(s.When)
	}
	on := s.shares()
	why := ""
	if s.Why != "" {
		why = "; " + s.Why
	}
	switch {
	case len(s.False) > 0:
		return "contradicted by " + namesOf(s.False) + why
	case s.State == Checked:
		return "checked on " + on + when
	case s.Part != "" && len(s.Agree) > 0:
		return fmt.Sprintf("not checked; %s, on %s%s%s", s.Part, on, when, why)
	case len(s.Agree) > 0:
		return "not checked; read on " + on + why
	case s.State == Stated:
		return "stated in the fabric"
	}
	return "not checked" + why
}

// shares counts the devices that agree: "14 of 14 switches and 3 of 4 hosts".
func (s *Standing) shares() string {
	isSwitch := func(d *ir.Device) bool { return d.Switch != nil }
	var parts []string
	for _, kind := range []func(*ir.Device) bool{isSwitch, func(d *ir.Device) bool { return !isSwitch(d) }} {
		of := func(all []*ir.Device) (of []*ir.Device) {
			for _, d := range all {
				if kind(d) {
					of = append(of, d)
				}
			}
			return of
		}
		if all := of(s.Scope); len(all) > 0 {
			parts = append(parts, diag.Number(len(of(s.Agree)))+" of "+countOf(all))
		}
	}
	return diag.And(parts)
}

// namesOf folds the names of devices.
func namesOf(devices []*ir.Device) string {
	names := make([]string, len(devices))
	for i, d := range devices {
		names[i] = d.Name
	}
	return nodeset.Text(names, nodeset.Devices, mostNamed)
}

// countOf counts devices: "14 switches and 1 host".
func countOf(devices []*ir.Device) string {
	switches := 0
	for _, d := range devices {
		if d.Switch != nil {
			switches++
		}
	}
	var parts []string
	if switches > 0 {
		parts = append(parts, diag.Count(switches, "switch"))
	}
	if hosts := len(devices) - switches; hosts > 0 {
		parts = append(parts, diag.Count(hosts, "host"))
	}
	return diag.And(parts)
}
