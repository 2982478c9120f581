package session

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/docs/evidence"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/target"
)

// NothingToDo ends an apply without changes. Unreadable devices still cause an exit status.
func (s *Session) NothingToDo(plan *deploy.Plan, format string) error {
	held := sequence.Bars(plan, nil, "")
	switch {
	case format == "json" && len(held) > 0:
		writeStopped(s.Stdout, plan, held, deploy.OtherRun, held[0].Holds(held[0].Names()...))
	case format == "json":
		WriteUntouched(s.Stdout, plan)
	}
	if Troubled(plan) {
		return exit.With(exit.Machines)
	}
	var texts []string
	for _, h := range held { // the setting in use there may not last
		texts = append(texts, h.Holds(h.Names()...)+" "+h.GoOn(h.Names()...))
	}
	if len(texts) > 0 {
		return exit.Fail(exit.Locked, "%s", strings.Join(texts, "\n"))
	}
	return nil
}

// Outcome maps results to an exit status.
func Outcome(r *deploy.Results) error {
	if r.Complete() {
		return nil
	}
	locked, machine := false, false
	for _, d := range r.Devices {
		if d.Err != nil {
			locked = locked || d.Err.Kind == deploy.Locked
			machine = machine || d.Err.Kind.Machine()
		}
	}
	switch {
	case r.Interrupted:
		return exit.With(exit.Interrupted)
	case !r.Touched() && (locked || r.Stopped == deploy.OtherRun):
		return exit.With(exit.Locked)
	case !r.Touched() && (machine || r.Stopped == deploy.NotMarked && r.Because.Machine()):
		return exit.With(exit.Machines)
	}
	return exit.With(exit.Incomplete)
}

// Troubled reports whether a plan lacks a device that could not be read, or that it refuses.
func Troubled(p *deploy.Plan) bool {
	s := p.Summary()
	return s.Unreachable+s.Refused > 0
}

// Against returns the refusals of a plan by rules. They name devices whose change would break paths or losslessness, and devices that
// would enable PFC opposite unread devices.
func Against(plan *deploy.Plan, seq *sequence.Sequence, trust bool) diag.List {
	ds := seq.Refusals()
	if !trust {
		ds = append(ds, plan.Unread(seq.Rules.Away)...)
	}
	return ds
}

// Refuse prints the refusals of a plan by rules, and returns an error if there are any.
func (s *Session) Refuse(f *report.Report, plan *deploy.Plan, seq *sequence.Sequence, trust bool) error {
	ds := Against(plan, seq, trust)
	if len(ds) == 0 {
		return nil
	}
	return s.refusal(f, ds)
}

// refusal prints the reasons against a plan.
func (s *Session) refusal(f *report.Report, ds diag.List) error {
	p := &diag.Printer{Files: f.Source.Files, Color: s.Paints(s.Stderr), Width: s.Width(s.Stderr)}
	p.Print(s.Stderr, ds) //nolint:errcheck // a closed terminal shows no error
	return exit.With(exit.Errors)
}

// WantsAccepted refuses a plan that changes real devices of a kind without a report of users, unless the person accepts it.
func (f *Fleet) WantsAccepted(of *report.Report, plan *deploy.Plan, accept bool) error {
	if accept || f.Accepted(plan) {
		return nil
	}
	return f.s.refusal(of, plan.Unaccepted(evidence.Reported))
}

// Accepted reports whether a plan needs no flag of the person: users have reported on its kinds of devices, the fabric accepts them, or
// they are simulated.
func (f *Fleet) Accepted(plan *deploy.Plan) bool {
	return f.Lab != nil || len(plan.Unaccepted(evidence.Reported)) == 0
}

// InOrder orders a plan. For a change of several steps it returns the plan of the first step, and a sequence with all steps.
func (f *Fleet) InOrder(of *ir.Fabric, whole *target.Tree, plan *deploy.Plan, r sequence.Rules) (*deploy.Plan, *sequence.Sequence, error) {
	seq, ds := sequence.New(of, own(f.s, whole), plan, r)
	if seq != nil {
		plan, seq, ds = seq.Next(f.found)
	}
	if seq == nil {
		return nil, nil, exit.Fail(exit.Errors, "%s", ds[0].Detail)
	}
	return plan, seq, nil
}

// OnlyOthers refuses a change if others write all of its devices.
func OnlyOthers(tree *target.Tree) error {
	if slices.ContainsFunc(tree.Devices, func(d *target.Device) bool { return !d.Source.ByOthers }) {
		return nil
	}
	names := make([]string, len(tree.Devices))
	for i, d := range tree.Devices {
		names[i] = d.Name
	}
	return exit.Fail(exit.Errors, "Others write %s (%s), and rocec changes nothing there. %s writes the files for them, and rocec verify "+
		"compares their settings with the fabric. To let rocec write a device, set written_by = \"rocec\".",
		nodeset.Text(names, nodeset.Devices, 200), report.Place(tree.Devices[0].Source.WrittenByAt), view.ForOthers(tree.Devices[0].Role))
}

// Matches refuses a plan that is not the saved one. A rehearsal has other host keys and contents, so it compares only the contents that
// devices are to get.
func Matches(f *Fleet, plan *deploy.Plan, saved *deploy.Saved) error {
	if f.Lab != nil {
		return plan.SameTargets(saved)
	}
	return plan.Matches(saved)
}

// MayChange refuses a plan that the policies, other runs or the rules of changes forbid, and prints the reasons.
func MayChange(f *Fleet, of *report.Report, dir string, plan *deploy.Plan, seq *sequence.Sequence, o *ChangeOptions) error {
	s := f.s
	untouched := func(err error) error {
		if o.Format == "json" {
			WriteUntouched(s.Stdout, plan)
		}
		return err
	}
	if err := Permitted(s, of, o.Message, o.Lab != ""); err != nil {
		return untouched(err)
	}
	if err := f.Barred(of, dir, plan, seq, "", o); err != nil {
		return err
	}
	if s := plan.Summary(); s.Unreachable+s.Refused > o.MaxFailures && (s.Refused > o.MaxFailures || seq.Lossy()) {
		return untouched(exit.Fail(exit.Machines, "%s cannot be changed, and a link with PFC at one end only loses frames. Nothing was changed. "+
			"Fix them, leave them out with --target, or go on without them with --max-failures %d.",
			diag.Count(s.Unreachable+s.Refused, "device"), s.Unreachable+s.Refused))
	}
	if err := s.Refuse(of, plan, seq, o.TrustByHand); err != nil {
		return untouched(err)
	}
	if err := f.WantsAccepted(of, plan, o.Accept); err != nil {
		return untouched(err)
	}
	return nil
}
