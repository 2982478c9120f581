package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/bench"
	"github.com/rocec/rocec/cmd/internal/bundle"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/mask"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/deploy/traffic"
	"github.com/rocec/rocec/targets/deploy/trial"
	"github.com/rocec/rocec/targets/target"
)

// levels is a selftest of level 1 or higher, which changes devices and undoes the changes.
type levels struct {
	a       *app
	f       *report.Report
	devices *session.Fleet
	only    *target.Tree // the devices that --target names
	bench   *bench.Bench
	o       selftestOptions

	text  *bundle.Bundle
	mask  *mask.Mask
	bad   bool // a trial or a claim does not hold
	proof bool // a trial holds that has seen a difference

	trials int
}

// selftestAt runs a level that changes devices.
func (a *app) selftestAt(ctx context.Context, dir string, o selftestOptions) (err error) {
	if o.out != "" {
		if err := maySave(a.Person, o); err != nil {
			return err
		}
	}
	until, err := moment(o.notAfter, time.Now())
	if err != nil {
		return err
	}
	f, devices, err := a.Open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.Close(&err)
	rules := orderOptions{minCapacity: defaultCapacity, darkSet: func() bool { return false }, budget: a.Steps}
	l := &levels{a: a, f: f, devices: devices, only: devices.Tree, o: o}
	l.bench = &bench.Bench{
		Session: a.Session, Report: f, Whole: f.Tree(), Devices: devices,
		Options: bench.Options{
			Dir: dir, NotAfter: until, Lab: o.lab, Approve: o.approve, Rules: rules.rules(1, new(time.Duration)),
			Show: func(of *ir.Fabric, p *deploy.Plan, order *sequence.Sequence) {
				v := a.planView(dir, view.Options{})
				v.Fabric, v.Sequence, v.Tool = of, order, a.Rocec.Tool
				v.Print(p)
			},
		},
	}
	if err := errors.Join(l.run(ctx), l.save(ctx)); err != nil {
		return err
	}
	if l.bad || !l.proof {
		return exit.With(exit.Errors)
	}
	return nil
}

// save shows and saves the text, if a trial was made. The trials of a failed level are in it, too.
func (l *levels) save(ctx context.Context) error {
	if l.o.out == "" || l.trials == 0 {
		return nil
	}
	text := l.text.Text(l.mask)
	fmt.Fprint(l.a.Stdout, text)
	return saveBundle(ctx, l.a.Person, text, l.o)
}

// run runs the trials of the level.
func (l *levels) run(ctx context.Context) error {
	switch l.o.level {
	case 1:
		if err := l.ask(ctx, l.only); err != nil {
			return err
		}
		for _, d := range l.only.Devices {
			if err := l.write(ctx, d); err != nil {
				return err
			}
		}
		return nil
	case 2:
		m, err := l.marking(ctx)
		if err != nil {
			return err
		}
		if err := l.ask(ctx, oneOf(l.bench.Whole, m.Queue.Device().Name)); err != nil {
			return err
		}
		return l.marks(ctx, m)
	}
	return l.onBench(ctx)
}

// oneOf returns the part of a tree with one device.
func oneOf(whole *target.Tree, name string) *target.Tree {
	return &target.Tree{Devices: slices.DeleteFunc(slices.Clone(whole.Devices), func(d *target.Device) bool { return d.Name != name })}
}

// ask asks devices for their claims, as level 0 does, before they are changed.
func (l *levels) ask(ctx context.Context, tree *target.Tree) error {
	read, end := l.a.Reading()
	defer end()
	l.o.Limit(&read)
	read.Probes = rollout.Every
	asked, questions := bundle.Ask(tree)
	found := rollout.Observe(ctx, l.devices.Dial, questions, read)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted")
	}
	l.text, l.mask = bundle.New(l.f.Fabric, asked, found.Devices)
	l.text.Tool, l.text.Lab, l.text.Level = l.a.Rocec.Tool, l.devices.Lab != nil, l.o.level
	for _, s := range l.text.Devices {
		if s.NotRead != "" {
			return exit.Fail(exit.Machines, "%s: %s", s.Name, diag.Escape(s.NotRead))
		}
		for _, one := range s.Answers {
			if one.Verdict == target.DoesNotHold {
				l.a.Screen().Trial(s.Name, one.Claim.ID, one.Verdict, one.Claim.Says)
				l.bad = true
			}
		}
	}
	return nil
}

// add adds a trial to the bundle, and prints its verdict.
func (l *levels) add(device, id string, read []trial.Reading) {
	t := l.text.Trial(l.mask, device, id, read)
	l.a.Screen().Trial(device, id, t.Verdict, t.Why)
	l.count(t.Verdict, strings.Contains(id, trial.Control) || id == trial.MarksID)
}

// count counts a verdict. sees reports whether the trial can only hold if its readings show differences.
func (l *levels) count(v target.Verdict, sees bool) {
	l.trials++
	l.bad = l.bad || v == target.DoesNotHold
	l.proof = l.proof || sees && v == target.Holds
}

// write writes to one device, reads and undoes.
func (l *levels) write(ctx context.Context, d *target.Device) error {
	w, err := l.bench.Write(ctx, d)
	if w == nil {
		return err
	}
	if w.Field != "" {
		fmt.Fprintf(l.a.Fitted(l.a.Stdout), "The control on %s: %s.\n", d.Name, diag.Escape(w.Field))
	}
	for _, id := range w.IDs {
		l.add(d.Name, id, w.Read[id])
	}
	if len(w.IDs) == 0 && err == nil {
		fmt.Fprintf(l.a.Stdout, "%s: not decided: no value of the fabric could be changed for a control.\n", d.Name)
	}
	return err
}

// marking returns the proof of marking of the first intent that can prove it.
func (l *levels) marking(ctx context.Context) (*traffic.Marking, error) {
	sends, docs, err := l.a.exchanges(ctx, l.f.Fabric, l.bench.Whole, l.devices, l.o.traffic)
	if err != nil {
		return nil, err
	}
	var whys []string
	for i, x := range sends {
		why := docs[i].Reason
		if why == "" {
			var m *traffic.Marking
			if m, why = traffic.NewMarking(x); m != nil {
				return m, nil
			}
		}
		whys = append(whys, docs[i].Intent+": "+why)
	}
	return nil, exit.Fail(exit.Errors, "no intent can prove marking: %s. Nothing was changed.", strings.Join(whys, "; "))
}

// marks proves that a switch marks.
func (l *levels) marks(ctx context.Context, m *traffic.Marking) error {
	stages, found, err := l.bench.Marks(ctx, m)
	if err != nil {
		return err
	}
	l.text.Trial(l.mask, m.Queue.Device().Name, trial.MarksID, trial.MarkReadings(stages))
	l.a.Screen().Marking(m, found)
	l.count(found.Verdict, true)
	return nil
}

// onBench runs level 1 on each switch, one after the other, and then the proofs of pauses and marks.
func (l *levels) onBench(ctx context.Context) error {
	if !l.bench.OnBench() {
		return exit.Fail(exit.Usage, "level 3 is for a fabric with bench = true. Nothing was changed.")
	}
	switches := &target.Tree{}
	for _, d := range l.only.Devices {
		if d.Role == target.Switch && !d.Source.ByOthers && len(d.Files) > 0 {
			switches.Devices = append(switches.Devices, d)
		}
	}
	if len(switches.Devices) == 0 {
		return exit.Fail(exit.Usage, "rocec writes no switch of these devices. Nothing was changed.")
	}
	if err := l.ask(ctx, switches); err != nil {
		return err
	}
	for _, d := range switches.Devices {
		if err := l.write(ctx, d); err != nil {
			return err
		}
	}
	for _, d := range switches.Devices {
		if err := l.traffic(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// traffic proves marks and pauses of one switch. A proof that cannot be made is not decided, with its reason.
func (l *levels) traffic(ctx context.Context, d *target.Device) error {
	senders, to := receiverAt(d.Source)
	why := "no intent with a lossless class has three hosts, one of them at a port of the switch"
	if len(senders) > 1 {
		one, none := l.exchange(ctx, senders[0]+","+to)
		two, none2 := l.exchange(ctx, senders[1]+","+to)
		if why = cmp.Or(none, none2); why == "" {
			two.Port += 100
			read, failed, err := l.bench.Pauses(ctx, d.Source, one, two)
			if err != nil {
				return err
			}
			if why = failed; why == "" {
				l.add(d.Name, trial.PausesID, read)
			}
		}
	}
	if why != "" {
		l.a.Screen().Trial(d.Name, trial.PausesID, target.NotDecided, diag.Escape(why))
	}
	why = "no host of an intent is at a port of the switch"
	if len(senders) > 0 {
		x, none := l.exchange(ctx, senders[0]+","+to)
		if why = none; why == "" {
			var m *traffic.Marking
			if m, why = traffic.NewMarking(x); m != nil {
				return l.marks(ctx, m)
			}
		}
	}
	l.a.Screen().Trial(d.Name, trial.MarksID, target.NotDecided, diag.Escape(why))
	return nil
}

// exchange returns the exchange between two hosts; why is the reason if there is none.
func (l *levels) exchange(ctx context.Context, pair string) (x *traffic.Exchange, why string) {
	l.devices.Tree = l.bench.Whole // trials have reduced it to one device
	sends, docs, err := l.a.exchanges(ctx, l.f.Fabric, l.bench.Whole, l.devices, pair)
	if err != nil {
		return nil, err.Error()
	}
	for i, x := range sends {
		if x.Intent.Group.Lossless {
			return x, docs[i].Reason
		}
	}
	return nil, "no intent of " + pair + " has a lossless class"
}

// receiverAt returns a host at a port of a switch, and other hosts that send to it in a lossless class.
func receiverAt(d *ir.Device) (senders []string, to string) {
	for _, in := range d.Fabric.Intents {
		if !in.Group.Lossless {
			continue
		}
		for _, m := range slices.Backward(in.Members) {
			if m.NIC.Port == nil || m.NIC.Port.Peer().Device() != d {
				continue
			}
			to = m.NIC.Device.Name
			for _, other := range in.Members {
				if name := other.NIC.Device.Name; name != to && other.NIC.Port != nil && !slices.Contains(senders, name) {
					senders = append(senders, name)
				}
			}
			return senders, to
		}
	}
	return nil, ""
}
