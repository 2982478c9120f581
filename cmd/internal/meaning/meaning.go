// Package meaning compares two states of a network: two versions of a fabric, or a fabric and the files of its devices. A [Meaning]
// contains the effects on traffic, worded as in a plan, and the devices, cables, verdicts and findings that differ. It asks no device.
package meaning

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target/lint"
)

// Side is one side of a comparison: a fabric, or files of devices.
type Side struct {
	Name   string // escaped for printing
	Commit string // of a revision
	Dir    string // the folder, with which places of findings begin
	Absent bool   // the revision has no such folder

	Report *report.Report    // given for a fabric; derived here for files
	Files  []lint.File       // of devices
	Hidden map[string][]byte // files whose text must not be printed
	Audit  func() *Audited   // judges files as a network; nil: impossible

	audited *Audited
}

// Audited is a network that is derived from files, with the findings of an audit.
type Audited struct {
	*report.Report
	Guessed func(l *ir.Link) bool // no file states the length of the cable
}

// fabric returns the fabric of a side; nil: the side has files, or the fabric has errors.
func (s *Side) fabric() *ir.Fabric {
	if s.Files != nil || s.Report == nil {
		return nil
	}
	return s.Report.Fabric
}

// Compiles reports whether a side can be compared.
func (s *Side) Compiles() bool { return s.Files != nil || s.Absent || s.fabric() != nil }

// Meaning is the difference between A and B, mainly its effects on traffic.
type Meaning struct {
	A, B *Side

	Effects        []Effect // effects that can lose packets first
	Added, Removed []string // devices, in natural order
	Turned         []Turned // devices whose kind differs
	Links          Links
	Verdicts       []Proved
	New, Fixed     []*diag.Diagnostic // errors and warnings, by severity and place
	Alone          []string           // devices of the fabric for which the other side has no file
	Unread         []targets.NotRead  // files that were not read

	known map[[2]string][]deploy.Effect // by the texts of a device on both sides
}

// Effect is an effect on traffic, and the devices that have it.
type Effect struct {
	deploy.Shift
	On []On
}

// On is a device with an effect, and its ports.
type On struct {
	Device string
	deploy.Effect
}

// Turned contains devices whose system, release or model differs.
type Turned struct {
	Devices             []string
	What, Before, After string
}

// Links contains cables, each named by its ends: "leaf1:swp1 - gpu1:ens1f0".
type Links struct {
	Added, Removed []string
	Changed        []Turned // Devices are the cables
}

// Proved is a lossless cos group whose verdicts on PFC loops differ. Empty: the group is not lossless on that side.
type Proved struct{ Group, Before, After string }

// Empty reports whether nothing differs.
func (m *Meaning) Empty() bool {
	return len(m.Effects)+len(m.Added)+len(m.Removed)+len(m.Turned)+len(m.Links.Added)+len(m.Links.Removed)+len(m.Links.Changed)+
		len(m.Verdicts)+len(m.New)+len(m.Fixed) == 0
}

// Worse reports whether B has an error that A does not have.
func (m *Meaning) Worse() bool {
	return slices.ContainsFunc(m.New, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error })
}

// Of compares two states.
func Of(a, b *Side) *Meaning {
	m := &Meaning{A: a, B: b}
	was, is := m.devices()
	for _, name := range names(was, is) {
		old, now := was[name], is[name]
		switch {
		case old == nil:
			m.Added = append(m.Added, name)
		case now == nil:
			m.Removed = append(m.Removed, name)
		default:
			m.device(name, old, now)
		}
	}
	slices.SortStableFunc(m.Effects, func(x, y Effect) int {
		return cmp.Or(cmp.Compare(x.Kind.Order(), y.Kind.Order()), cmp.Compare(x.What(), y.What()))
	})
	if x, y := a.fabric(), b.fabric(); x != nil && y != nil {
		m.Links = links(x, y, func(*ir.Link) bool { return false })
		m.Verdicts = verdicts(a.Report, b.Report)
	}
	if x, y := a.audited, b.audited; x != nil && y != nil {
		m.Links = links(x.Fabric, y.Fabric, func(l *ir.Link) bool { return x.Guessed(l) || y.Guessed(l) })
		m.Verdicts = verdicts(x.Report, y.Report)
	}
	m.findings()
	return m
}

func names[T any](maps_ ...map[string]T) []string {
	all := map[string]bool{}
	for _, of := range maps_ {
		for name := range of {
			all[name] = true
		}
	}
	return slices.SortedFunc(maps.Keys(all), nodeset.Compare)
}

// asSet is a device of one side, with its settings.
type asSet struct {
	wanted   *ir.Settings // nil: the device is not from a fabric
	alike    string       // devices with the same text have the same settings; empty: no other has these
	settings func() *ir.Settings
	ports    []*ir.Port
	kind     map[string]string
}

// devices returns the devices of both sides.
func (m *Meaning) devices() (was, is map[string]*asSet) {
	a, b := m.A, m.B
	switch x, y := a.fabric(), b.fabric(); {
	case a.Files != nil && b.Files != nil:
		audit(a, b)
		return m.surveyed(a), m.surveyed(b)
	case a.Files != nil && y != nil:
		was, is = m.beside(y, a)
	case b.Files != nil && x != nil:
		is, was = m.beside(x, b)
	case (x != nil || a.Absent) && (y != nil || b.Absent):
		was, is = described(x), described(y)
	}
	for _, s := range []*Side{a, b} { // files whose other side has errors
		if s.Files != nil && s.Report == nil {
			s.judge(nil)
		}
	}
	return was, is
}

// described returns the devices of a fabric, each as rocec writes it.
func described(f *ir.Fabric) map[string]*asSet {
	out := map[string]*asSet{}
	if f == nil {
		return out
	}
	var wishes ir.Wishes
	var a alike
	for _, d := range f.Devices {
		wanted := wishes.Of(d)
		out[d.Name] = &asSet{
			wanted: wanted, alike: a.of(d, wanted), ports: d.Ports, kind: kindOf(d), settings: func() *ir.Settings { return targets.Meant(d) },
		}
	}
	return out
}

// kindOf describes a device by its role, system, release and model, keyed by these words.
func kindOf(d *ir.Device) map[string]string {
	out := map[string]string{"role": "host"}
	if s := d.Switch; s != nil {
		out = map[string]string{"role": "switch", "system": s.OS, "release": s.Version}
		if s.Model != nil {
			out["model"] = s.Model.Name
		}
	}
	if d.ByHand != nil {
		out["set by"] = "hand"
	}
	return out
}

// beside returns the devices to which files belong, with the settings in the files, and with the settings after rocec has written the
// fabric.
func (m *Meaning) beside(f *ir.Fabric, s *Side) (stated, meant map[string]*asSet) {
	stated, meant = map[string]*asSet{}, map[string]*asSet{}
	r, all := targets.CompareFiles(f, s.Files)
	s.judged(r)
	for _, c := range all {
		if stated[c.Device.Name] != nil {
			continue
		}
		of := func(is *ir.Settings) *asSet {
			return &asSet{ports: c.Device.Ports, settings: func() *ir.Settings { return is }}
		}
		stated[c.Device.Name], meant[c.Device.Name] = of(c.Read), of(c.Meant)
	}
	for _, d := range f.Devices {
		if stated[d.Name] == nil {
			m.Alone = append(m.Alone, d.Name)
		}
	}
	return stated, meant
}

// audit judges the files of both sides as networks. If one network cannot be derived, only the rules for single files judge both sides.
func audit(sides ...*Side) {
	var all []*Audited
	for _, s := range sides {
		if s.Audit == nil {
			continue
		}
		if n := s.Audit(); n != nil && n.Fabric != nil {
			all = append(all, n)
		}
	}
	for i, s := range sides {
		if len(all) < len(sides) {
			s.judge(nil)
			continue
		}
		s.audited, s.Report = all[i], all[i].Report
	}
}

// surveyed returns the devices of files that are compared without a fabric.
func (m *Meaning) surveyed(s *Side) map[string]*asSet {
	out := map[string]*asSet{}
	survey := targets.SurveyFiles(s.Files)
	for i := range survey.Devices {
		d := &survey.Devices[i]
		if d.Read == nil {
			continue
		}
		kind := map[string]string{"role": "host"}
		if d.OS != nil {
			kind = map[string]string{"role": "switch", "system": d.OS.Name}
		}
		out[d.Name] = &asSet{kind: kind, settings: func() *ir.Settings { return d.Read.Settings }}
	}
	m.Unread = append(m.Unread, survey.Not...)
	return out
}

// judge judges the files of a side, with or without a fabric.
func (s *Side) judge(f *ir.Fabric) {
	if f == nil {
		s.judged(targets.JudgeFiles(s.Files))
		return
	}
	s.judged(targets.JudgeFilesOf(f, s.Files))
}

func (s *Side) judged(r lint.Result) {
	s.Report = report.OfFiles(s.Dir, s.Files, s.Hidden, r)
}

// device adds the differences of a device.
func (m *Meaning) device(name string, old, now *asSet) {
	for _, what := range slices.Sorted(maps.Keys(old.kind)) {
		m.turn(name, what, old.kind[what], now.kind[what])
	}
	for _, what := range slices.Sorted(maps.Keys(now.kind)) {
		if _, both := old.kind[what]; !both {
			m.turn(name, what, "", now.kind[what])
		}
	}
	if old.wanted != nil && now.wanted != nil && old.wanted.Equal(now.wanted) && maps.Equal(old.wanted.Pools, now.wanted.Pools) &&
		maps.Equal(old.kind, now.kind) {
		return // rocec writes the same settings
	}
	for _, e := range m.effects(old, now) {
		i := slices.IndexFunc(m.Effects, func(have Effect) bool { return have.Shift == e.Shift })
		if i < 0 {
			i, m.Effects = len(m.Effects), append(m.Effects, Effect{Shift: e.Shift})
		}
		m.Effects[i].On = append(m.Effects[i].On, On{name, e})
	}
}

// effects returns the effects on a device. Devices with the same settings share the result.
func (m *Meaning) effects(old, now *asSet) []deploy.Effect {
	key := [2]string{old.alike, now.alike}
	if all, known := m.known[key]; known && key[0] != "" && key[1] != "" {
		return all
	}
	all := deploy.Effects(old.settings(), now.settings(), slices.Concat(old.ports, now.ports))
	if m.known == nil {
		m.known = map[[2]string][]deploy.Effect{}
	}
	m.known[key] = all
	return all
}

func (m *Meaning) turn(name, what, before, after string) {
	if before != after {
		m.Turned = turned(m.Turned, name, what, before, after)
	}
}

// turned adds a name to the row with its values.
func turned(rows []Turned, name, what, before, after string) []Turned {
	i := slices.IndexFunc(rows, func(t Turned) bool { return t.What == what && t.Before == before && t.After == after })
	if i < 0 {
		i, rows = len(rows), append(rows, Turned{What: what, Before: before, After: after})
	}
	rows[i].Devices = append(rows[i].Devices, name)
	return rows
}

// links compares the cables of two fabrics. It ignores guessed lengths.
func links(a, b *ir.Fabric, guessed func(l *ir.Link) bool) (out Links) {
	was, is := cables(a), cables(b)
	for _, name := range names(was, is) {
		old, now := was[name], is[name]
		switch {
		case old == nil:
			out.Added = append(out.Added, name)
		case now == nil:
			out.Removed = append(out.Removed, name)
		default:
			x, y := factsOf(old), factsOf(now)
			for i, what := range linkFacts {
				if x[i] != y[i] && (what != lengthFact || !guessed(old) && !guessed(now)) {
					out.Changed = turned(out.Changed, name, what, x[i], y[i])
				}
			}
		}
	}
	return out
}

func cables(f *ir.Fabric) map[string]*ir.Link {
	out := make(map[string]*ir.Link, len(f.Links))
	for _, l := range f.Links {
		ends := []string{l.A().String(), l.B().String()}
		slices.SortFunc(ends, nodeset.Compare)
		out[strings.Join(ends, " - ")] = l
	}
	return out
}

// lengthFact is the fact of a cable that drafts guess.
const lengthFact = "length"

// linkFacts names the facts of a cable.
var linkFacts = []string{"speed", lengthFact, "flow control", "planned", "bond"}

// factsOf returns the values of the facts of a cable, in the order of linkFacts.
func factsOf(l *ir.Link) []string {
	yes := map[bool]string{true: "yes", false: "no"}
	return []string{
		fmt.Sprintf("%s Mb/s", diag.Number(l.A().Speed())), fmt.Sprintf("%g m", l.Length.Metres), string(l.A().FlowControl()),
		yes[l.Planned], yes[l.Bond > 0],
	}
}

// verdicts compares the verdicts of two fabrics on each lossless cos group.
func verdicts(a, b *report.Report) (out []Proved) {
	of := func(r *report.Report) map[string]string {
		all := map[string]string{}
		for _, p := range r.Proofs {
			all[p.Group.Name] = report.Verdict(p)
		}
		return all
	}
	was, is := of(a), of(b)
	all := names(was, is)
	slices.Sort(all)
	for _, group := range all {
		if was[group] != is[group] {
			out = append(out, Proved{group, was[group], is[group]})
		}
	}
	return out
}

// findings finds the errors and warnings that only one side has, by their fingerprints. If one side has files, findings of the fabric
// itself do not count, as they are from other rules.
func (m *Meaning) findings() {
	a, b := fingerprints(m.A), fingerprints(m.B)
	switch {
	case m.A.Files != nil && m.B.Files == nil && m.B.Compiles():
		b = nil
	case m.B.Files != nil && m.A.Files == nil && m.A.Compiles():
		a = nil
	}
	only := func(of, other map[string]*diag.Diagnostic) (out []*diag.Diagnostic) {
		for key, d := range of {
			if other[key] == nil && d.Severity != diag.Notice {
				out = append(out, d)
			}
		}
		slices.SortFunc(out, func(x, y *diag.Diagnostic) int {
			return cmp.Or(cmp.Compare(x.Severity, y.Severity), diag.ComparePlace(x.At, y.At), cmp.Compare(x.Code, y.Code),
				cmp.Compare(x.Detail, y.Detail))
		})
		return out
	}
	m.New, m.Fixed = only(b, a), only(a, b)
}

// fingerprints returns the findings of a side by their fingerprints, with places relative to its folder. So the fingerprints of two
// folders or two revisions can be compared.
func fingerprints(s *Side) map[string]*diag.Diagnostic {
	out := map[string]*diag.Diagnostic{}
	if s.Report == nil {
		return out
	}
	rel := func(at diag.Range) diag.Range {
		if rest, ok := strings.CutPrefix(at.Filename, s.Dir+"/"); ok && s.Dir != "." {
			at.Filename = rest
		}
		return at
	}
	source := *s.Report.Source
	source.Files = map[string][]byte{}
	for name, data := range s.Report.Source.Files {
		source.Files[rel(diag.Range{Filename: name}).Filename] = data
	}
	copied := &report.Report{Judged: &judge.Judged{Source: &source}, Dir: "."}
	of := map[*diag.Diagnostic]*diag.Diagnostic{}
	for _, d := range s.Report.Diags {
		one := *d
		one.At, one.Notes = rel(d.At), slices.Clone(d.Notes)
		for i := range one.Notes {
			one.Notes[i].At = rel(one.Notes[i].At)
		}
		copied.Diags, of[&one] = append(copied.Diags, &one), d
	}
	for d, key := range report.Fingerprints(copied) {
		out[key] = of[d]
	}
	return out
}

// Place returns the place of a finding, relative to the folder of its side.
func (s *Side) Place(d *diag.Diagnostic) diag.Range {
	at := d.At
	if rest, ok := strings.CutPrefix(at.Filename, s.Dir+"/"); ok {
		at.Filename = path.Clean(rest)
	}
	return at
}
