package deploy

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// Status is the verdict of the plan on a device.
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

// Plan has the changes of every device of a tree, in the order of the tree.
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
	Diags    diag.List          // diagnostics of Edit about the content found, without warnings
	Found    []*diag.Diagnostic // findings of the vendor's rules in the new files, without notes
	Linted   diag.List          // the errors and warnings that those rules report of the files as they are
	Digest   string             // a hash of the run's part there, which the device receives with it; empty: no hash
	Waits    Wait               // of a pending device, or one that others write: why
	Changes  []*Change          // in the order of Device.Files
	Drift    []*Change          // of a device with StatusOthers: the changes for others; nil if it could not be read
	Disrupts []string           // the effects on traffic, each once
	Old, New *ir.Settings       // its settings before and after, by the content; nil: unknown
	Effects  []Effect           // the effects on traffic, as far as the settings are known
	Removing bool               // a port stops pausing, or obeying pauses, for a priority
	Lock     *Owner             // the run that holds its lock; nil: none
	Marked   *Owner             // the run that goes on beside it and has marked it; nil: none
	Count    int                // of the runs that have written there; -1: it could not be seen
	Files    []FileState        // every file of a device that could be read, changed or not
	Writers  []string           // versions of rocec that wrote the present content for the same intent, each once
	AsLeft   bool               // its content is that of one of the latest runs
	Accepted []Accepted         // differences that the fabric accepts, by [Plan.Accept]
	Whole    bool               // all of its differences are among them
	Left     string             // of a device that [Plan.LeaveDerived] leaves: the version that wrote it; empty: it is not left
	Filed    *Filed             // of a device that was compared by files; nil: it was read

	Watched  []Watched       // readings beyond its files, and the warnings of Edit
	Baseline []target.Sample // the samples of the probes, if they were asked
	Unseen   bool            // locks and runs could not be looked for, as that takes root
	Runs     []RunMark       // runs that left something there
	Over     []RunMark       // runs that are over there, with their fates
	States   []LiveState     // live states that steps may change, also those that stay
	HostKey  string          // fingerprint of the key the device answered with; empty: as in [Have]
	Seen     *target.Seen    // the ports and cables that the device reports; nil: it was not asked

	taken *ir.Settings // Old, where accepted values are those of New; nil: none is accepted
}

// Pending leaves devices under maintenance as they are, whatever they hold and whether or not they answer. They become debts, which a
// later apply settles, unless they are up to date.
func (p *Plan) Pending() {
	for _, d := range p.Devices {
		if d.Device.Source == nil || d.Device.Source.Maintenance == "" || d.Status == StatusSame || d.Status == StatusOthers {
			continue
		}
		d.Status, d.Waits = StatusPending, Wait{"under maintenance", ": " + OneLine(d.Device.Source.Maintenance)}
		d.Err, d.Changes, d.Effects, d.Disrupts, d.Found, d.Diags = nil, nil, nil, nil, nil, nil
	}
}

// Accepted is the differences and findings of a device that an accept block of the fabric accepts.
type Accepted struct {
	Block       *ir.Accept
	Differences []*ir.Difference // A is the value of the device, B that of the fabric
	Found       diag.List        // warnings of the rules about values that rocec does not write
}

// accepts names the values of the blocks that accept a difference.
func (d *DevicePlan) accepts() (names []string) {
	for _, a := range d.Accepted {
		names = append(names, a.Block.Differs...)
	}
	return names
}

// Keeps reports whether the plan leaves the device as it is because the fabric accepts its differences.
func (d *DevicePlan) Keeps() bool { return d.Whole && d.Status == StatusSame }

// Noticed returns the effect of a step of the plan on traffic, and how long traffic does not pass.
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

// watch adds findings that stand whether or not the device is changed.
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
	Accepted                           int // devices that stay as they are because the fabric accepts the difference
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

// First returns the first device of the group, which represents all.
func (g *Group) First() *DevicePlan { return g.Devices[0] }

// Fold groups the devices of a plan that have the same changes, by key and value; where they came from may differ.
// Groups are in the order of their first devices. Each unreachable or refused device has a group of its own.
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
