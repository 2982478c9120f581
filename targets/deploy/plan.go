package deploy

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// Status is the plan's result for a device.
type Status string

// The statuses, spelled as in the JSON of `rocec plan`.
const (
	StatusChange      Status = "change"
	StatusSame        Status = "same"
	StatusUnreachable Status = "unreachable"
	StatusRefused     Status = "refused"
	StatusPending     Status = "pending" // the device keeps its old settings for now, and is a debt of the plan
	StatusOthers      Status = "others"  // others write the device, and it is not up to date or could not be read
)

// Plan contains the changes of every device of a tree, in the order of the tree.
type Plan struct {
	Devices []*DevicePlan
	Over    diag.List     // expired accept blocks of the fabric, by [Plan.Accept]
	Beside  []*DevicePlan // other devices of the fabric, next to Devices; the plan does not change them
}

// DevicePlan is the plan of one device.
type DevicePlan struct {
	Device   *target.Device
	Status   Status
	Err      *Error             // for an unreachable or refused device: the reason
	Diags    diag.List          // diagnostics of Edit about the content found, without warnings
	Found    []*diag.Diagnostic // findings of the vendor's rules in the new files, without notes
	Linted   diag.List          // errors and warnings of those rules in the current files
	Digest   string             // hash of the device's part of the run, which the device receives; empty: no hash
	Waits    Wait               // for a pending device, or a device that others write: the reason
	Changes  []*Change          // in the order of Device.Files
	Drift    []*Change          // for a device with StatusOthers: the changes that others have to make; nil if it could not be read
	Disrupts []string           // the effects on traffic, each once
	Old, New *ir.Settings       // its settings before and after, read from the content; nil: unknown
	Effects  []Effect           // the effects on traffic, as far as the settings are known
	Removing bool               // a port stops sending or obeying pauses for a priority
	Lock     *Owner             // the run that holds the device's lock; nil: none
	Marked   *Owner             // the run that changes neighbours and has marked the device; nil: none
	Count    int                // number of the runs that have written to the device; -1: not readable
	Files    []FileState        // every file of a device that could be read, changed or not
	Writers  []string           // versions of rocec that wrote the present content for the same intent, each once
	AsLeft   bool               // one of the latest runs wrote its content
	Accepted []Accepted         // differences that the fabric accepts, by [Plan.Accept]
	Whole    bool               // Accepted contains all of its differences
	Left     string             // for a device that [Plan.LeaveDerived] leaves: the version that wrote it; otherwise empty
	Filed    *Filed             // for a device that was compared by files; nil: the device was read

	Watched  []Watched       // readings of the watches, and the warnings of Edit
	Baseline []target.Sample // the samples of the probes, if they were run
	Unseen   bool            // locks and runs were not readable, because that needs root
	Gate     *Gate           // of the device; nil: as in [Have]
	Free     bool            // the login is root there, or becomes it without the gate
	Runs     []RunMark       // runs with leftovers on the device
	Over     []RunMark       // runs that have ended on the device, with their results
	States   []LiveState     // live states that steps may change, including unchanged ones
	HostKey  string          // fingerprint of the key the device answered with; empty: as in [Have]
	Seen     *target.Seen    // the ports and cables that the device reports; nil: not asked

	taken *ir.Settings // Old with the accepted values replaced by those of New; nil: none is accepted
}

// Pending removes the changes of devices under maintenance, whatever their content is and whether or not they answer. Unless such a
// device is up to date, it becomes a debt, which a later apply settles.
func (p *Plan) Pending() {
	for _, d := range p.Devices {
		if d.Device.Source == nil || d.Device.Source.Maintenance == "" || d.Status == StatusSame || d.Status == StatusOthers {
			continue
		}
		d.Status, d.Waits = StatusPending, Wait{"under maintenance", ": " + OneLine(d.Device.Source.Maintenance)}
		d.Err, d.Changes, d.Effects, d.Disrupts, d.Found, d.Diags = nil, nil, nil, nil, nil, nil
	}
}

// Accepted contains the differences and findings of a device that an accept block of the fabric accepts.
type Accepted struct {
	Block       *ir.Accept
	Differences []*ir.Difference // A is the value of the device, B the value of the fabric
	Found       diag.List        // warnings of the rules about values that rocec does not write
}

// accepts returns the value names of the blocks that accept a difference.
func (d *DevicePlan) accepts() (names []string) {
	for _, a := range d.Accepted {
		names = append(names, a.Block.Differs...)
	}
	return names
}

// Keeps reports whether the plan does not change the device because the fabric accepts its differences.
func (d *DevicePlan) Keeps() bool { return d.Whole && d.Status == StatusSame }

// Noticed returns the effect of a step of the plan on traffic, and how long traffic is interrupted.
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

// watch adds findings that apply whether or not the device is changed.
func (d *DevicePlan) watch(name string, found diag.List) {
	if len(found) > 0 {
		d.Watched = append(slices.Clip(d.Watched), Watched{Name: name, Found: found})
	}
}

// refuse refuses the device. A refused device has no changes, so no apply can change it.
func (d *DevicePlan) refuse(k Kind, detail string) *DevicePlan {
	return &DevicePlan{
		Device: d.Device, Status: StatusRefused, Diags: d.Diags, Watched: d.Watched, Linted: d.Linted, Seen: d.Seen, Lock: d.Lock, Runs: d.Runs,
		Over: d.Over, HostKey: d.HostKey, Unseen: d.Unseen, Marked: d.Marked, Count: d.Count,
		Err: &Error{Kind: k, Device: d.Device, Detail: detail},
	}
}

// Refuse refuses the named devices that would change. A device that was refused before keeps its first reason.
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
	Accepted                           int // unchanged devices, because the fabric accepts the difference
	Files, Live                        int // changes of files, and of live states
	Disruptive                         int // devices whose change affects traffic
	Settings                           Counts
}

// Summary returns the counts of the plan.
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

// Empty reports whether the plan has no changes.
func (p *Plan) Empty() bool {
	return !slices.ContainsFunc(p.Devices, func(d *DevicePlan) bool { return d.Status == StatusChange })
}

// Group contains devices with equal changes, so that a report shows them once.
type Group struct{ Devices []*DevicePlan }

// First returns the first device of the group, which represents all.
func (g *Group) First() *DevicePlan { return g.Devices[0] }

// Fold groups the devices of a plan with equal changes of keys and values; the origins in the fabric may differ. Groups are in the order
// of their first devices. Each unreachable or refused device has its own group.
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

// signature returns a text that is equal for devices of one group.
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
