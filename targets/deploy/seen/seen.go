// Package seen compares the ports, cables, VLANs and bonds that devices report with those of the fabric (a [Result]). rocec does not
// write these, but everything that rocec writes relies on them. The package knows no vendor: targets provide a [target.Seen] for each
// device. It is pure. The result names parts that could not be read, and counts them as neither good nor bad.
package seen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
)

// Finding is a difference between devices and the fabric, at the line of the fabric.
type Finding struct {
	*diag.Diagnostic
	Devices []string // affected devices, in natural order
	Refuses bool     // a change of these devices may have additional bad effects
}

// Unread is a part that could not be read, with its devices and the reason.
type Unread struct {
	What    string
	Devices []string // in natural order
	Why     string
}

// String returns the part, the devices and the reason: "VLANs of leaf[01-04]: bridge is not installed".
func (u Unread) String() string {
	const room = 120 // bytes
	return fmt.Sprintf("%s of %s: %s", u.What, nodeset.Text(u.Devices, nodeset.Devices, room), u.Why)
}

// Result contains the findings of a comparison. The zero value has no finding.
type Result struct {
	Findings []Finding // by place
	Unread   []Unread
}

// Good reports whether there are no errors and no warnings.
func (r *Result) Good() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity != diag.Notice })
}

// Of returns the findings that concern at least one of the given devices, and the unread parts of these devices.
func (r *Result) Of(names map[string]bool) *Result {
	out := &Result{}
	for _, f := range r.Findings {
		if slices.ContainsFunc(f.Devices, func(d string) bool { return names[d] }) {
			out.Findings = append(out.Findings, f)
		}
	}
	for _, u := range r.Unread {
		u.Devices = slices.DeleteFunc(slices.Clone(u.Devices), func(d string) bool { return !names[d] })
		if len(u.Devices) > 0 {
			out.Unread = append(out.Unread, u)
		}
	}
	return out
}

// UnreadText lists the unread parts in one line; empty: all was read.
func (r *Result) UnreadText() string {
	var parts []string
	for _, u := range r.Unread {
		parts = append(parts, u.String())
	}
	if len(parts) == 0 {
		return ""
	}
	return "Not read, and therefore not checked: " + strings.Join(parts, "; ") + "."
}

// judge is the state of a running comparison.
type judge struct {
	f     *ir.Fabric
	seen  []*target.Seen // by the ID of the device; nil: not asked
	rows  map[row]*folded
	names []row // in the order of creation
	out   Result
}

// row contains the common part of findings that differ only in the port.
type row struct {
	topic    *diag.Topic
	severity diag.Severity
	at       diag.Range
	text     string // text with a NUL in the place of the ports
}

type folded struct {
	ports   []*ir.Port
	refuses bool
}

// Judge compares the readings of devices with the fabric. of returns the reading of a device; nil: it was not asked.
func Judge(f *ir.Fabric, of map[*ir.Device]*target.Seen) *Result {
	j := &judge{f: f, seen: make([]*target.Seen, len(f.Devices)), rows: map[row]*folded{}}
	some := false
	for d, s := range of {
		if d.Fabric == f && d.ID < len(f.Devices) && f.Devices[d.ID] == d {
			j.seen[d.ID] = s
			some = some || s != nil
		}
	}
	if !some {
		return &j.out
	}
	j.cables()
	j.ports()
	j.vlans()
	j.bonds()
	j.lags()
	j.mlag()
	j.fold()
	j.unread()
	sort.SliceStable(j.out.Findings, func(i, k int) bool {
		a, b := j.out.Findings[i], j.out.Findings[k]
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), diag.ComparePlace(a.At, b.At), cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Detail, b.Detail)) < 0
	})
	return &j.out
}

// of returns the reading of a device.
func (j *judge) of(d *ir.Device) *target.Seen { return j.seen[d.ID] }

// port returns the reading of a port whose cable exists; nil: nothing was read.
func (j *judge) port(p *ir.Port) *target.SeenPort {
	if s := j.of(p.Device()); s.Read(target.PartPorts) && !p.Link().Planned {
		return s.Ports[p.Name]
	}
	return nil
}

// say records a finding at a port. Findings that differ only in the port become one. The first %s of format is for the ports, and has no
// value in args.
func (j *judge) say(t *diag.Topic, s diag.Severity, at diag.Range, p *ir.Port, format string, args ...any) *folded {
	r := row{t, s, at, fmt.Sprintf(strings.Replace(format, "%s", "\x00", 1), args...)}
	if j.rows[r] == nil {
		j.rows[r] = &folded{}
		j.names = append(j.names, r)
	}
	j.rows[r].ports = append(j.rows[r].ports, p)
	return j.rows[r]
}

// fold converts the recorded rows to findings.
func (j *judge) fold() {
	const room = 160 // bytes, for names
	for _, r := range j.names {
		f := j.rows[r]
		var ports, devices []string
		for _, p := range f.ports {
			ports, devices = append(ports, p.String()), append(devices, p.Device().Name)
		}
		text := strings.Replace(r.text, "\x00", nodeset.Text(ports, nodeset.Endpoints, room), 1)
		j.add(r.topic, r.severity, r.at, devices, text).Refuses = f.refuses
	}
}

// add adds a finding.
func (j *judge) add(t *diag.Topic, s diag.Severity, at diag.Range, devices []string, text string) *Finding {
	slices.SortFunc(devices, nodeset.Compare)
	j.out.Findings = append(j.out.Findings, Finding{
		Diagnostic: &diag.Diagnostic{Severity: s, Code: t.Code, Summary: t.Summary, Detail: target.Escape(text), At: at},
		Devices:    slices.Compact(devices),
	})
	return &j.out.Findings[len(j.out.Findings)-1]
}

// unread groups the unread parts by part and reason. [judge.cables] handles neighbours, cable by cable.
func (j *judge) unread() {
	type key struct{ what, why string }
	of := map[key][]string{}
	for id, s := range j.seen {
		if s == nil {
			continue
		}
		for _, p := range target.Parts {
			if why, not := s.Unread[p]; not && p != target.PartNeighbours {
				k := key{string(p), target.Escape(why)}
				of[k] = append(of[k], j.f.Devices[id].Name)
			}
		}
	}
	keys := slices.SortedFunc(maps.Keys(of), func(a, b key) int { return cmp.Or(cmp.Compare(a.what, b.what), cmp.Compare(a.why, b.why)) })
	var out []Unread
	for _, k := range keys {
		out = append(out, Unread{k.what, of[k], k.why})
	}
	j.out.Unread = append(out, j.out.Unread...)
}

// first returns the place where a number was written, or or if there is no such place.
func first(n ir.Num, or diag.Range) diag.Range {
	if len(n.From) > 0 {
		return diag.FirstPlace(n.From[0].At, or)
	}
	return or
}
