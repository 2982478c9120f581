package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/bundle"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/mask"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/traffic"
	"github.com/rocec/rocec/targets/deploy/trial"
	"github.com/rocec/rocec/targets/target"
)

// Levels is a selftest of level 1 or higher, which changes devices and undoes the changes.
type Levels struct {
	Bench
	session.ReadOptions
	Level   int
	Only    *target.Tree // the devices that the person names
	Traffic string       // the two hosts that send; see Exchanges

	// Exchanges prepares the exchanges between two hosts, "A,B", each with the reason if it cannot be sent.
	Exchanges func(ctx context.Context, pair string) ([]*traffic.Exchange, []view.VerifyTraffic, error)

	// The results: the text of all trials, the mask for it, and their number.
	Text   *bundle.Bundle
	Mask   *mask.Mask
	Trials int

	bad   bool // a trial or a claim does not hold
	proof bool // a trial holds that has seen a difference
}

// Proved reports whether a trial that has seen a difference holds, and every trial and claim holds or is not decided.
func (l *Levels) Proved() bool { return l.proof && !l.bad }

// Run runs the trials of the level.
func (l *Levels) Run(ctx context.Context) error {
	switch l.Level {
	case 1:
		if err := l.ask(ctx, l.Only); err != nil {
			return err
		}
		for _, d := range l.Only.Devices {
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
		if err := l.ask(ctx, oneOf(l.Whole, m.Queue.Device().Name)); err != nil {
			return err
		}
		return l.mark(ctx, m)
	}
	return l.onBench(ctx)
}

// oneOf returns the part of a tree with one device.
func oneOf(whole *target.Tree, name string) *target.Tree {
	return &target.Tree{Devices: slices.DeleteFunc(slices.Clone(whole.Devices), func(d *target.Device) bool { return d.Name != name })}
}

// ask asks devices for their claims, as level 0 does, before they are changed.
func (l *Levels) ask(ctx context.Context, tree *target.Tree) error {
	read, end := l.Reading()
	defer end()
	l.Limit(&read)
	read.Probes = rollout.Every
	asked, questions := bundle.Ask(tree)
	found := rollout.Observe(ctx, l.Devices.Dial, questions, read)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted")
	}
	l.Text, l.Mask = bundle.New(l.Report.Fabric, asked, found.Devices)
	l.Text.Tool, l.Text.Lab, l.Text.Level = l.Rocec.Tool, l.Devices.Lab != nil, l.Level
	for _, s := range l.Text.Devices {
		if s.NotRead != "" {
			return exit.Fail(exit.Machines, "%s: %s", s.Name, diag.Escape(s.NotRead))
		}
		for _, one := range s.Answers {
			if one.Verdict == target.DoesNotHold {
				l.Screen().Trial(s.Name, one.Claim.ID, one.Verdict, one.Claim.Says)
				l.bad = true
			}
		}
	}
	return nil
}

// add adds a trial to the bundle, and prints its verdict.
func (l *Levels) add(device, id string, read []trial.Reading) {
	t := l.Text.Trial(l.Mask, device, id, read)
	l.Screen().Trial(device, id, t.Verdict, t.Why)
	l.count(t.Verdict, strings.Contains(id, trial.Control) || id == trial.MarksID)
}

// count counts a verdict. sees reports whether the trial can only hold if its readings show differences.
func (l *Levels) count(v target.Verdict, sees bool) {
	l.Trials++
	l.bad = l.bad || v == target.DoesNotHold
	l.proof = l.proof || sees && v == target.Holds
}

// write writes to one device, reads and undoes.
func (l *Levels) write(ctx context.Context, d *target.Device) error {
	w, err := l.Write(ctx, d)
	if w == nil {
		return err
	}
	if w.Field != "" {
		fmt.Fprintf(l.Fitted(l.Stdout), "The control on %s: %s.\n", d.Name, diag.Escape(w.Field))
	}
	for _, id := range w.IDs {
		l.add(d.Name, id, w.Read[id])
	}
	if len(w.IDs) == 0 && err == nil {
		fmt.Fprintf(l.Stdout, "%s: not decided: no value of the fabric could be changed for a control.\n", d.Name)
	}
	return err
}

// marking returns the proof of marking of the first intent that can prove it.
func (l *Levels) marking(ctx context.Context) (*traffic.Marking, error) {
	sends, docs, err := l.Exchanges(ctx, l.Traffic)
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

// mark proves that a switch marks.
func (l *Levels) mark(ctx context.Context, m *traffic.Marking) error {
	stages, found, err := l.Marks(ctx, m)
	if err != nil {
		return err
	}
	l.Text.Trial(l.Mask, m.Queue.Device().Name, trial.MarksID, trial.MarkReadings(stages))
	l.Screen().Marking(m, found)
	l.count(found.Verdict, true)
	return nil
}

// onBench runs level 1 on each switch, one after the other, and then the proofs of pauses and marks.
func (l *Levels) onBench(ctx context.Context) error {
	if !l.OnBench() {
		return exit.Fail(exit.Usage, "level 3 is for a fabric with bench = true. Nothing was changed.")
	}
	switches := &target.Tree{}
	for _, d := range l.Only.Devices {
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
func (l *Levels) traffic(ctx context.Context, d *target.Device) error {
	senders, to := receiverAt(d.Source)
	why := "No intent with a lossless class has three hosts, one of them at a port of the switch"
	if len(senders) > 1 {
		one, none := l.exchange(ctx, senders[0]+","+to)
		two, none2 := l.exchange(ctx, senders[1]+","+to)
		if why = cmp.Or(none, none2); why == "" {
			two.Port += 100
			read, failed, err := l.Pauses(ctx, d.Source, one, two)
			if err != nil {
				return err
			}
			if why = failed; why == "" {
				l.add(d.Name, trial.PausesID, read)
			}
		}
	}
	if why != "" {
		l.Screen().Trial(d.Name, trial.PausesID, target.NotDecided, diag.Escape(why))
	}
	why = "No host of an intent is at a port of the switch"
	if len(senders) > 0 {
		x, none := l.exchange(ctx, senders[0]+","+to)
		if why = none; why == "" {
			var m *traffic.Marking
			if m, why = traffic.NewMarking(x); m != nil {
				return l.mark(ctx, m)
			}
		}
	}
	l.Screen().Trial(d.Name, trial.MarksID, target.NotDecided, diag.Escape(why))
	return nil
}

// exchange returns the exchange between two hosts; why is the reason if nothing can be sent.
func (l *Levels) exchange(ctx context.Context, pair string) (x *traffic.Exchange, why string) {
	l.Devices.Tree = l.Whole // trials have reduced it to one device
	sends, docs, err := l.Exchanges(ctx, pair)
	if err != nil {
		return nil, err.Error()
	}
	for i, x := range sends {
		if x.Intent.Group.Lossless {
			return x, docs[i].Reason
		}
	}
	return nil, "No intent of " + pair + " has a lossless class"
}

// receiverAt returns a host at a port of a switch, and other hosts that send to it in a lossless class: those at the switch come first,
// because both ends of their cables count the same pauses.
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
			var far []string
			for _, other := range in.Members {
				name := other.NIC.Device.Name
				switch {
				case name == to || other.NIC.Port == nil || slices.Contains(senders, name) || slices.Contains(far, name):
				case other.NIC.Port.Peer().Device() == d:
					senders = append(senders, name)
				default:
					far = append(far, name)
				}
			}
			return append(senders, far...), to
		}
	}
	return nil, ""
}
