package session

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/savedplan"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
)

// TermsOf returns the terms of a plan that is saved now, without its validity, message and approvals.
func TermsOf(s *Session, dir string, f *report.Report, plan *deploy.Plan, seq *sequence.Sequence) *deploy.Terms {
	terms := &deploy.Terms{
		Name: f.Fabric.Name, Made: s.clock.Now().UTC().Truncate(time.Second), Nonce: rand.Text(), Waves: wavesOf(seq),
		Takes: int(seq.Takes().Round(time.Second).Seconds()), Disrupts: []string{},
	}
	if folder, err := filepath.Abs(dir); err == nil {
		terms.Commit = CommitOf(folder)
	}
	var texts []string
	of := map[string][]string{}
	for _, d := range plan.Devices {
		for _, text := range d.Disrupts {
			if of[text] == nil {
				texts = append(texts, text)
			}
			of[text] = append(of[text], d.Device.Name)
		}
	}
	for _, text := range texts {
		terms.Disrupts = append(terms.Disrupts, fmt.Sprintf("%s (%s)", text, nodeset.Text(of[text], nodeset.Devices, math.MaxInt)))
	}
	return terms
}

// wavesOf returns the devices of each wave, as nodesets.
func wavesOf(seq *sequence.Sequence) []string {
	out := []string{}
	if seq.Order == nil {
		return out
	}
	for _, w := range seq.Order.Waves {
		var names []string
		for _, d := range w.Devices {
			names = append(names, d.Device.Name)
		}
		out = append(out, SetOf(names))
	}
	return out
}

// SetOf returns the names of devices as a nodeset that a program reads.
func SetOf(names []string) string {
	slices.SortFunc(names, nodeset.Compare)
	return strings.Join(nodeset.Fold(names, nodeset.Devices), ",")
}

// Wanted returns the number of persons who have to approve the plan of an apply. A rehearsal needs no approval.
func Wanted(s *Session, f *report.Report, rehearsal bool) (int, error) {
	r, err := Rights(s, rehearsal)
	if err != nil || rehearsal {
		return 0, err
	}
	return r.Approvals(f.Fabric.Approvals), nil
}

// agreed refuses a change without an agreement where approvals are wanted: by the policy, by the fabric, or because persons agreed to the
// run that a rollback undoes.
func agreed(s *Session, f *report.Report, undoes string) error {
	r, err := Rights(s, false)
	if err != nil {
		return err
	}
	wanted := 0
	if f != nil {
		wanted = f.Fabric.Approvals
	}
	if undoes != "" {
		undone, err := s.ReadRun(undoes)
		if err != nil {
			return err
		}
		if undone.Agreement != nil {
			wanted = max(wanted, undone.Agreement.Wanted)
		}
	}
	if wanted = r.Approvals(wanted); wanted == 0 {
		return nil
	}
	return exit.Fail(exit.Usage, "this change wants %s, and only a saved plan has them: change the fabric, then rocec plan --out FILE, "+
		"rocec approve FILE, rocec apply --plan FILE. Nothing was changed.", diag.Count(wanted, "approval"))
}

// Usable refuses a saved plan that may not be applied any more, and an apply without a plan where approvals are wanted.
func Usable(s *Session, f *report.Report, plan string, saved *deploy.Saved, rehearsal bool) error {
	wanted, err := Wanted(s, f, rehearsal)
	switch {
	case err != nil:
		return err
	case saved == nil && wanted == 0:
		return nil
	case saved == nil:
		return exit.Fail(exit.Usage, "the fabric or the policy wants %s, so apply takes a plan that persons have approved: "+
			"rocec plan --out FILE, rocec approve FILE, rocec apply --plan FILE. Nothing was changed.", diag.Count(wanted, "approval"))
	}
	if !rehearsal { // which needs no approval, and uses none up
		wanted = max(wanted, saved.Terms.Wants())
	}
	dir, logs, unreadable, err := s.ReadRuns()
	if err != nil {
		return err
	}
	if wanted > 0 && len(unreadable) > 0 {
		return exit.Fail(exit.Machines, "the journal %s in %s cannot be read (%v), so rocec does not know whether the plan was applied before. "+
			"Nothing was changed.", diag.Escape(unreadable[0].Name), diag.Escape(dir.Path()), unreadable[0].Err)
	}
	return savedplan.Usable(plan, saved, wanted, logs, s.clock.Now())
}

// Agree returns the agreement to the saved plan of an apply on real devices; nil: no approval is wanted.
func Agree(ctx context.Context, s *Session, f *report.Report, plan string, saved *deploy.Saved, seq *sequence.Sequence, message string) (
	*journal.Agreement, error,
) {
	wanted, err := Wanted(s, f, false)
	if err != nil || saved == nil {
		return nil, err
	}
	if wanted = max(wanted, saved.Terms.Wants()); wanted == 0 {
		return nil, nil
	}
	if err := savedplan.SameTerms(plan, saved.Terms, wavesOf(seq), message); err != nil {
		return nil, err
	}
	r, err := Rights(s, false)
	if err != nil {
		return nil, err
	}
	return savedplan.Agree(ctx, r, plan, saved, wanted, s.clock.Now())
}
