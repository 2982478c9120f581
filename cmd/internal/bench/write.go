package bench

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/trial"
	"github.com/rocec/rocec/targets/target"
)

// Times of a trial of writing.
const (
	writeHold = 5 * time.Minute // after this time the device undoes the change by itself
	settle    = 10              // seconds after which a device is read again
)

// Written is the result of a trial of writing on one device: the readings of each trial, by its name.
type Written struct {
	Field string // the value of the control; empty: no control was made
	IDs   []string
	Read  map[string][]trial.Reading

	failed bool // a write did not come into use: nothing more is written
}

// Write writes two settings to a device, one after the other, and undoes each: a control with one value that differs from the fabric's, and
// the fabric's own. It reads the device before, meanwhile and after, and again some seconds later. The fabric's settings are not written to
// a device that has them, nor after a control that did not come into use.
func (b *Bench) Write(ctx context.Context, d *target.Device) (*Written, error) {
	w := &Written{Read: map[string][]trial.Reading{}}
	if d.Source.ByOthers || len(d.Files) == 0 {
		return nil, exit.Fail(exit.Usage, "rocec writes nothing to %s", d.Name)
	}
	have := b.read(ctx, b.Whole, d.Name)
	switch {
	case have.Err != nil:
		return nil, exit.Fail(exit.Machines, "%v", have.Err)
	case len(have.Wrong) > 0:
		return nil, exit.Fail(exit.Errors, "%s", strings.Join(have.Wrong, " "))
	}
	agreed := false
	consent := func(ctx context.Context, p *deploy.DevicePlan) error {
		if agreed {
			return nil
		}
		agreed = true
		return b.consent(ctx, writePrice(p), "Write, read and undo?", d.Name, "write")
	}
	wanted := map[string]string{}
	for _, kind := range trial.Kinds(d.Files) {
		wanted[kind] = trial.Want(have.Device, have, kind)
	}
	if c, tree := b.control(d, have, wanted); c != nil {
		w.Field = c.Field
		if err := b.one(ctx, w, trial.Control, d.Name, change{fabric: c.Fabric, tree: tree, consent: consent}, wanted); err != nil {
			return w, err
		}
	}
	same := true
	for kind, text := range wanted {
		same = same && text == trial.Have(have, kind)
	}
	if same || w.failed {
		return w, nil
	}
	return w, b.one(ctx, w, trial.Fabric, d.Name, change{fabric: b.Report.Fabric, tree: b.Whole, consent: consent}, nil)
}

// writePrice states what a trial of writing does to a device.
func writePrice(p *deploy.DevicePlan) string {
	text := fmt.Sprintf("rocec writes to %s, reads it and undoes the change, at most twice. If rocec dies, %s undoes it by itself within %d "+
		"minutes.", p.Device.Name, p.Device.Name, int(writeHold/time.Minute))
	if len(p.Disrupts) > 0 {
		text += " Each write and each undo disturbs traffic: " + strings.Join(p.Disrupts, "; ") + "."
	}
	return text
}

// control returns the first fabric with another value that changes a line of the device's settings, with its tree; nil: no value changes
// one.
func (b *Bench) control(d *target.Device, have *deploy.Have, wanted map[string]string) (*trial.Variation, *target.Tree) {
	for _, c := range trial.Controls(d.Source) {
		tree, ds := targets.Render(c.Fabric)
		if ds.HasErrors() {
			continue
		}
		for _, other := range tree.Devices {
			if other.Name != d.Name {
				continue
			}
			for kind, text := range wanted {
				if now := trial.Want(other, have, kind); text != "" && now != "" && now != text {
					return &c, tree
				}
			}
		}
	}
	return nil, nil
}

// read reads one device.
func (b *Bench) read(ctx context.Context, tree *target.Tree, device string) *deploy.Have {
	b.Devices.Narrow(tree, device)
	b.Devices.Compare(ctx)
	return b.Devices.Found()
}

// one makes one change and records its readings. wanted has the fabric's settings; nil: the change writes them.
func (b *Bench) one(ctx context.Context, w *Written, name, device string, c change, wanted map[string]string) error {
	var kinds []string
	all := map[string][]trial.Reading{}
	note := func(moment string, of func(kind string) string) {
		for _, kind := range kinds {
			all[kind] = append(all[kind], trial.Reading{Moment: moment, Text: of(kind)})
		}
	}
	look := func(ctx context.Context, moment string) {
		have := b.read(ctx, c.tree, device)
		note(moment, func(kind string) string { return trial.Have(have, kind) })
	}
	wait := func(ctx context.Context) { b.wait(ctx, device) }
	before := b.read(ctx, c.tree, device)
	kinds = trial.Kinds(before.Device.Files)
	if wanted != nil {
		note(trial.OfFabric, func(kind string) string { return wanted[kind] })
	}
	note(trial.Before, func(kind string) string { return trial.Have(before, kind) })
	note(trial.Sent, func(kind string) string { return trial.Want(before.Device, before, kind) })
	c.device, c.hold = device, writeHold
	c.message = "selftest: a change that is undone at once (" + name + ")"
	c.check = changes
	c.held = func(ctx context.Context, _ *deploy.Result) {
		look(ctx, trial.After)
		wait(ctx)
		look(ctx, trial.Later)
	}
	r, err := b.hold(ctx, &c)
	if r.did == nil {
		return err
	}
	w.failed = r.did.Outcome != deploy.Unconfirmed
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeHold)
	defer cancel()
	look(after, trial.Undone)
	wait(after)
	look(after, trial.LaterOn)
	for _, kind := range kinds {
		w.add(trial.ID(name, kind), trial.Vary(all[kind]))
	}
	loaded := []trial.Reading{{Moment: trial.Outcome, Text: trial.ResultText(r.did)}}
	if r.undid != nil {
		loaded = append(loaded, trial.Reading{Moment: trial.Undoing, Text: trial.ResultText(r.undid)})
	}
	w.add(trial.ID(name, trial.Loaded), loaded)
	return err
}

func (w *Written) add(id string, read []trial.Reading) {
	w.IDs = append(w.IDs, id)
	w.Read[id] = read
}

// wait lets some seconds pass on a device.
func (b *Bench) wait(ctx context.Context, device string) {
	queries := map[*ir.Device]target.Query{}
	for _, d := range b.Whole.Devices {
		if d.Name == device {
			queries[d.Source] = target.Query{Cmd: fmt.Sprintf("sleep %d", settle)}
		}
	}
	b.Devices.AskDevices(ctx, b.Whole, queries)
}

// changes refuses a plan that changes nothing.
func changes(p *deploy.DevicePlan) error {
	switch {
	case p.Status == deploy.StatusChange:
		return nil
	case p.Err != nil:
		return exit.Fail(exit.Errors, "%v", p.Err)
	}
	return exit.Fail(exit.Errors, "%s cannot be changed: %s", p.Device.Name, p.Status)
}
