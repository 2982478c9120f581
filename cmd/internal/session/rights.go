package session

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/rights"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/policy"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/ssh"
)

// KeyVariable names the file that a person signs with, where --sign-key does not.
const KeyVariable = "ROCEC_SIGN_KEY"

// Rights reads the policies, once. For a rehearsal only those of --policy hold, so that a person can rehearse a policy.
func Rights(s *Session, rehearsal bool) (*rights.Rights, error) {
	if r := s.rights[rehearsal]; r != nil {
		return r, nil
	}
	o := s.Site
	if rehearsal {
		o.Folder = ""
	}
	if o.Key == "" {
		o.Key = s.Getenv(KeyVariable)
	}
	r, err := rights.Read(s.Person, o)
	if err != nil {
		return nil, err
	}
	s.rights[rehearsal] = r
	return r, nil
}

// Permitted refuses a change that a policy of the site forbids, and prints the reasons. Before a new change it connects to the central
// records. f is nil where the change goes back from a run.
func Permitted(s *Session, f *report.Report, message string, rehearsal bool) error {
	r, err := Rights(s, rehearsal)
	if err != nil {
		return err
	}
	w := &policy.Wish{Flags: s.Changed, Message: message, At: s.clock.Now()}
	var files map[string][]byte
	if f != nil {
		w.Allows, files = allows(f.Fabric), f.Source.Files
	}
	if err := r.Refuse(r.Findings(w), files); err != nil {
		return err
	}
	return recorded(s, r, f == nil)
}

// PermittedPart refuses a part of a change that begins no run, if a policy forbids it.
func PermittedPart(s *Session, part policy.Part, rehearsal bool) error {
	r, err := Rights(s, rehearsal)
	if err != nil {
		return err
	}
	return r.Refuse(r.Findings(&policy.Wish{Part: part, Flags: s.Changed}), nil)
}

// Foreseen returns the findings of the policies about the apply of a plan, without those about its time and its signature. refuse prints
// them, and returns an error if there are any.
func Foreseen(s *Session, f *report.Report, plan *deploy.Plan, message string, rehearsal bool) (
	ds diag.List, refuse func() error, err error,
) {
	r, err := Rights(s, rehearsal)
	if err != nil {
		return nil, nil, err
	}
	if !plan.Empty() {
		ds = r.Findings(&policy.Wish{Part: policy.Plan, Flags: s.Changed, Allows: allows(f.Fabric), Message: message})
	}
	return ds, func() error { return r.Refuse(ds, f.Source.Files) }, nil
}

// limit sets what the policies let logins do.
func limit(cfg *ssh.Config, r *rights.Rights) {
	var limits []*policy.Policy
	for _, p := range r.Policies {
		if p.ForbidsKeysOnDisk() {
			cfg.AgentOnly = "the policy forbids " + policy.KeysOnDisk + " (" + report.Place(p.Place(policy.KeysOnDisk)) + ")"
		}
		if p.Place("prefixes") != (diag.Range{}) {
			limits = append(limits, p)
		}
	}
	if len(limits) == 0 {
		return
	}
	cfg.Permit = func(addr netip.Addr) error {
		for _, p := range limits {
			if !p.Allows(addr) {
				return fmt.Errorf("%s is in no prefix of the policy (%s)", addr, report.Place(p.Place("prefixes")))
			}
		}
		return nil
	}
}

// allows returns the places at which a fabric has an attribute that a policy may forbid.
func allows(f *ir.Fabric) map[string][]diag.Range {
	out := map[string][]diag.Range{}
	for _, g := range f.CosGroups {
		if g.AllowDeadlock != "" {
			out[policy.AllowDeadlock] = append(out[policy.AllowDeadlock], g.AllowAt)
		}
		if g.AllowUnproven != "" {
			out[policy.AllowUnproven] = append(out[policy.AllowUnproven], g.UnprovenAt)
		}
	}
	return out
}

// finish ends the journal of a run, with a signature where the person has named a key.
func finish(ctx context.Context, s *Session, log *journal.Run, rehearsal bool) error {
	r, err := Rights(s, rehearsal)
	if err != nil || r.Key == "" {
		return errors.Join(err, log.Finish(nil))
	}
	return log.Finish(func(statement []byte) ([]byte, error) {
		return r.Sign(context.WithoutCancel(ctx), sshsig.RoleRun, statement)
	})
}
