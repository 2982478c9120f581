package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/savedplan"
	"github.com/rocec/rocec/cmd/internal/teamplan"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/target"
)

// ShareOptions names the devices of a share.
type ShareOptions struct {
	ChangeOptions
	Dir    string // folder of the fabric
	Fabric string // its name
	Commit string // of its repository
	Inputs string // SHA-256 over its files, as [savedplan.Inputs]
	Site   string
	Only   []string // as --target
	Rules  sequence.Rules

	Settled string        // as [Settled], for a share that is only planned
	Plan    *deploy.Saved // the share is about to be carried out; nil: it is only planned
}

// Share is the part of a change of a team that one site makes: its devices as they are now, and the order in which it changes them.
type Share struct {
	s       *Session
	o       *ShareOptions
	report  *report.Report
	devices *Fleet
	plan    *deploy.Plan
	seq     *sequence.Sequence
}

// OpenShare loads the fabric, compares the devices of a site with it, and orders the change. Close the share after use.
func OpenShare(ctx context.Context, s *Session, o *ShareOptions) (_ *Share, err error) {
	f, err := s.LoadGood(o.Dir)
	if err != nil {
		return nil, err
	}
	given := savedplan.Given{Tool: s.Rocec.Version, Vars: s.Vars, VarFiles: s.VarFiles, Environ: s.Environ}
	switch {
	case f.Fabric.Name != o.Fabric:
		return nil, fmt.Errorf("the commit %s has the fabric %q, not %q", o.Commit, f.Fabric.Name, o.Fabric)
	case savedplan.Inputs(&given, f) != o.Inputs:
		return nil, fmt.Errorf("the files of the fabric at the commit %s are not those of the plan: their hash differs. A plan of a team takes "+
			"the files of the commit alone, and no variables", o.Commit)
	}
	tree, err := ofSite(f, o.Site, o.Only)
	if err != nil {
		return nil, err
	}
	rules := o.Rules
	settled := o.Settled
	if o.Plan != nil {
		settled = Settled(f.Fabric, o.Plan, o.Site)
	}
	if rules.Elsewhere, err = elsewhere(f.Fabric, o.Site, settled); err != nil {
		return nil, err
	}
	devices, err := fleetOf(s, o.Dir, f, tree, o.Lab)
	if err != nil {
		return nil, err
	}
	sh := &Share{s: s, o: o, report: f, devices: devices}
	defer func() {
		if err != nil {
			sh.Close(&err)
		}
	}()
	devices.Look, devices.Read = true, ReadOptions{Parallel: o.Parallel}
	if o.Plan != nil {
		sh.plan = devices.CompareForChange(ctx)
	} else {
		sh.plan = devices.Compare(ctx)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	JudgePorts(f.Fabric, sh.plan, o.TrustFabric)
	if sh.plan, sh.seq, err = devices.InOrder(f.Fabric, f.Tree(), sh.plan, rules); err != nil {
		return nil, err
	}
	devices.ReadLocks(ctx, sh.plan, sh.seq)
	return sh, ctx.Err()
}

// Close ends the connections of the share.
func (sh *Share) Close(err *error) { sh.devices.Close(err) }

// Approvals returns how many approvals the fabric and the policies of the site want.
func (sh *Share) Approvals() (int, error) {
	r, err := Rights(sh.s, sh.o.Lab != "")
	if err != nil {
		return 0, err
	}
	return r.Approvals(sh.report.Fabric.Approvals), nil
}

// Settled returns, as a nodeset, the devices of other sites that have the settings of the fabric when a site begins its share of a plan:
// their sites found them so, or change them before. A site whose share is the first of several steps settles no device. Where no cable
// joins sites, no site depends on the settings of another, and the nodeset is empty.
func Settled(f *ir.Fabric, plan *deploy.Saved, site string) string {
	if !slices.ContainsFunc(f.Links, func(l *ir.Link) bool { return l.A().Device().Site != l.B().Device().Site }) {
		return ""
	}
	of := map[string]string{}
	for _, d := range f.Devices {
		of[d.Name] = d.Site
	}
	first, stepped := map[string]bool{}, map[string]bool{site: true}
	own := slices.IndexFunc(plan.Terms.Shares, func(s deploy.TermShare) bool { return s.Site == site })
	for i, s := range plan.Terms.Shares {
		first[s.Site] = i < own
		stepped[s.Site] = stepped[s.Site] || s.Steps > 1
	}
	var out []string
	for i := range plan.Devices {
		d := &plan.Devices[i]
		if by := of[d.Name]; !stepped[by] && (d.Status == deploy.StatusSame || d.Status == deploy.StatusChange && first[by]) {
			out = append(out, d.Name)
		}
	}
	return SetOf(out)
}

// elsewhere returns the devices of other sites, and whether they are settled.
func elsewhere(f *ir.Fabric, site, settled string) (map[*ir.Device]bool, error) {
	names, err := teamplan.Names(settled)
	if err != nil && settled != "" {
		return nil, err
	}
	in := map[string]bool{}
	for _, name := range names {
		in[name] = true
	}
	out := map[*ir.Device]bool{}
	for _, d := range f.Devices {
		if d.Site != site {
			out[d] = in[d.Name]
		}
	}
	return out, nil
}

// ofSite returns the devices of a site that --target names.
func ofSite(f *report.Report, site string, only []string) (*target.Tree, error) {
	tree, err := SelectDevices(f.Tree(), only)
	if err != nil {
		return nil, err
	}
	out := &target.Tree{}
	for _, d := range tree.Devices {
		if d.Source != nil && d.Source.Site == site {
			out.Devices = append(out.Devices, d)
		}
	}
	if len(out.Devices) == 0 {
		return nil, fmt.Errorf("the fabric has no device of the site %s that the plan names", site)
	}
	return out, nil
}

// Part returns the share as a part of a plan, for the person who asked.
func (sh *Share) Part() (*teamplan.SitePart, error) {
	devices, err := sh.plan.Saved()
	if err != nil {
		return nil, err
	}
	terms := TermsOf(sh.s, sh.o.Dir, sh.report, sh.plan, sh.seq)
	out := &teamplan.SitePart{
		Site: sh.o.Site, Devices: devices, Waves: terms.Waves, Disrupts: terms.Disrupts, Takes: terms.Takes, Steps: max(len(sh.seq.Steps), 1),
		Changes: []teamplan.DeviceChange{}, Refused: []string{},
	}
	for _, d := range sh.plan.Devices {
		if d.Err != nil { // its detail may have an address
			out.Refused = append(out.Refused, fmt.Sprintf("%s: %s (%s)", d.Device.Name, d.Status, d.Err.Kind))
		}
		if d.Status != deploy.StatusChange {
			continue
		}
		c := teamplan.DeviceChange{Device: d.Device.Name, Status: d.Status, Files: len(d.Changes), Disrupts: d.Disrupts}
		for _, e := range d.Effects {
			c.Effects = append(c.Effects, e.String())
		}
		out.Changes = append(out.Changes, c)
	}
	for _, d := range Against(sh.plan, sh.seq, sh.o.TrustByHand) {
		out.Refused = append(out.Refused, d.Code+": "+deploy.OneLine(d.Detail))
	}
	return out, nil
}

// Carry is the work of a site for the plan of a team.
type Carry struct {
	Team      *journal.Team
	Agreement *journal.Agreement
	Saved     *deploy.Saved
	First     int // the first wave of the share, from 1 in the order of the plan
	Waves     int // of the share

	Await func(ctx context.Context, wave int) error                // returns when a wave may begin, or why it never does
	Ended func(wave int, devices []string, good bool, text string) // hears of each wave of the plan that is over
}

// Apply carries out the share, or the rest of the share after the site was stopped. The devices must be as the plan saw them, or have the
// content of the plan already. The error states why nothing was changed.
func (sh *Share) Apply(ctx context.Context, c *Carry) (*deploy.Results, error) {
	if err := sh.plan.Matches(sh.part(c.Saved)); err != nil {
		return nil, err
	}
	of, err := within(c.Saved.Terms.Waves[c.First-1:c.First-1+c.Waves], wavesOf(sh.seq))
	if err != nil {
		return nil, err
	}
	w := &planWaves{c: c, of: of, results: map[int][]*deploy.Result{}}
	w.skip(-1)
	if sh.plan.Empty() {
		return &deploy.Results{}, nil
	}
	if err := MayChange(sh.devices, sh.report, sh.o.Dir, sh.plan, sh.seq, &sh.o.ChangeOptions); err != nil {
		return nil, refusal(err)
	}
	return sh.s.Apply(ctx, Job{
		ChangeOptions: sh.o.ChangeOptions, Order: sh.seq.Order, Fabric: sh.o.Dir, Name: sh.o.Fabric, Report: sh.report, Only: sh.o.Only,
		Devices: sh.devices, Plan: sh.plan, Agreement: c.Agreement, Team: c.Team, Commit: sh.o.Commit,
		Hooks: sh.o.Programs(),
		Await: func(ctx context.Context, n int, _ *deploy.Wave) error { return c.Await(ctx, c.First+of[n]) },
		Ended: w.ended,
	})
}

// refusal returns the error of a verb, whose text may be on the terminal alone.
func refusal(err error) error {
	if e, ok := errors.AsType[*exit.Error](err); ok && e.Message == "" {
		return errors.New("the rules of changes refuse it; the log of the site has the reasons")
	}
	return err
}

// part returns the devices of a plan that the share has.
func (sh *Share) part(saved *deploy.Saved) *deploy.Saved {
	in := map[string]bool{}
	for _, d := range sh.report.Fabric.Devices {
		in[d.Name] = d.Site == sh.o.Site
	}
	out := *saved
	out.Devices = slices.DeleteFunc(slices.Clone(saved.Devices), func(d deploy.SavedDevice) bool { return !in[d.Name] })
	return &out
}

// within returns, for each wave of a run, the wave of the plan that contains it, from 0. Each wave of the plan is at least one wave of the
// run, or has no device left. If all devices are left, the waves are the same. So no device changes beside others than persons agreed to.
func within(plan, now []string) ([]int, error) {
	of, left := map[string]int{}, 0
	for i, text := range plan {
		names, err := teamplan.Names(text)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			of[name] = i
		}
		left += len(names)
	}
	out := make([]int, len(now))
	for n, text := range now {
		names, err := teamplan.Names(text)
		if err != nil {
			return nil, err
		}
		for i, name := range names {
			wave, known := of[name]
			switch {
			case !known:
				return nil, fmt.Errorf("%s would change, and is in no wave of the plan", name)
			case i > 0 && wave != out[n] || n > 0 && wave < out[n-1]:
				return nil, errors.New("the waves would be others now than in the plan, as the state of the network has changed: make the plan again")
			}
			out[n] = wave
		}
		left -= len(names)
	}
	if left == 0 && !slices.Equal(plan, now) {
		return nil, errors.New("the waves would be others now than in the plan, as the state of the network has changed: make the plan again")
	}
	return out, nil
}

// planWaves turns the waves of a run into the waves of the plan.
type planWaves struct {
	c       *Carry
	of      []int // the wave of the plan, from 0, by the wave of the run
	results map[int][]*deploy.Result
}

// ended hears of a wave of the run.
func (w *planWaves) ended(n int, results []*deploy.Result) {
	wave := w.of[n]
	w.results[wave] = append(w.results[wave], results...)
	if n+1 < len(w.of) && w.of[n+1] == wave && good(results) {
		return // a part of the wave of the plan is left
	}
	var names []string
	var why []string
	for _, r := range w.results[wave] {
		names = append(names, r.Device.Name)
		if !good([]*deploy.Result{r}) {
			why = append(why, fmt.Sprintf("%s is %s", r.Device.Name, r.Outcome))
		}
	}
	slices.SortFunc(names, nodeset.Compare)
	w.c.Ended(w.c.First+wave, names, len(why) == 0, strings.Join(why, ", "))
	if len(why) == 0 {
		w.skip(n)
	}
}

// skip reports the waves of the plan after a wave of the run that have no device left, as a site that was stopped has changed them.
func (w *planWaves) skip(n int) {
	next, begin := w.c.Waves, 0
	if n+1 < len(w.of) {
		next = w.of[n+1]
	}
	if n >= 0 {
		begin = w.of[n] + 1
	}
	for wave := begin; wave < next; wave++ {
		w.c.Ended(w.c.First+wave, nil, true, "")
	}
}

// good reports whether devices have the settings of the plan, or hold them until they are confirmed.
func good(results []*deploy.Result) bool {
	return !slices.ContainsFunc(results, func(r *deploy.Result) bool {
		return r.Outcome != deploy.Applied && r.Outcome != deploy.Unconfirmed && r.Outcome != deploy.Unchanged
	})
}

// Nodes returns names as a nodeset of any length.
func Nodes(names []string) string { return nodeset.Text(names, nodeset.Devices, math.MaxInt) }
