package session

import (
	"context"
	"errors"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/rights"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/policy"
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
		w.Allows, files = allows(f.Source), f.Source.Files
	}
	if err := r.Judge(w, files); err != nil {
		return err
	}
	return recorded(s, r, f == nil)
}

// allows returns the places at which a fabric has an attribute that a policy may forbid.
func allows(s *lang.Source) map[string][]diag.Range {
	out := map[string][]diag.Range{}
	for _, g := range s.CosGroups {
		if g.AllowDeadlock.V != "" {
			out[policy.AllowDeadlock] = append(out[policy.AllowDeadlock], g.AllowDeadlock.At)
		}
		if g.AllowUnproven.V != "" {
			out[policy.AllowUnproven] = append(out[policy.AllowUnproven], g.AllowUnproven.At)
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
