package savedplan

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/rights"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/wholefile"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

// How long a plan may be applied.
const (
	DefaultValidity = 7 * 24 * time.Hour
	MostValidity    = 90 * 24 * time.Hour
)

// suffix begins the names of signatures beside a plan: FILE.ROLE-KEY.sig.
func suffix(role string) string { return "." + strings.TrimPrefix(role, "rocec-") + "-" }

// mostSignatures bounds the signatures beside a plan.
const mostSignatures = 64

// Sign signs a saved plan in a role with the key of the person, and writes the signature beside the file. It returns the path.
func Sign(ctx context.Context, r *rights.Rights, plan string, saved *deploy.Saved, role string) (string, error) {
	armored, err := r.Sign(ctx, role, saved.Bytes())
	if err != nil {
		return "", exit.Fail(exit.Usage, "%v", err)
	}
	sig, err := sshsig.Parse(armored)
	if err != nil {
		return "", exit.Fail(exit.Machines, "the signature of ssh-keygen: %v", err)
	}
	key := sha256.Sum256([]byte(sig.Key.String()))
	name := plan + suffix(role) + hex.EncodeToString(key[:6]) + ".sig"
	if err := wholefile.ReplaceLink(name, armored, 0o644); err != nil {
		return "", exit.Fail(exit.Usage, "the signature could not be written: %v", err)
	}
	return name, nil
}

// Signed are the signatures beside a plan file.
type Signed struct {
	Sums      sshsig.Sums
	Approvals []journal.Signature // a person may have several
	Makers    []string            // persons who signed as makers of the plan
	Rejected  []Rejected
}

// Rejected is a signature that does not count.
type Rejected struct {
	File string // its name
	Why  string
}

// ReadSigned reads the signatures beside the file of a saved plan, and finds their persons among the signers at a time.
func ReadSigned(plan string, saved *deploy.Saved, signers *sshsig.Signers, at time.Time) (*Signed, error) {
	out := &Signed{Sums: sshsig.SumsOf(saved.Bytes())}
	entries, err := os.ReadDir(filepath.Dir(plan))
	if err != nil {
		return nil, exit.Fail(exit.Usage, "%v", err)
	}
	count := 0
	for _, e := range entries {
		role := ""
		for _, one := range []string{sshsig.RolePlan, sshsig.RoleApprove} {
			if strings.HasPrefix(e.Name(), filepath.Base(plan)+suffix(one)) && strings.HasSuffix(e.Name(), ".sig") {
				role = one
			}
		}
		if role == "" {
			continue
		}
		if count++; count > mostSignatures {
			return nil, exit.Fail(exit.Usage, "there are more than %d signatures beside %s", mostSignatures, diag.Escape(plan))
		}
		if !e.Type().IsRegular() { // a pipe would stall the read
			out.Rejected = append(out.Rejected, Rejected{e.Name(), "it is no regular file"})
			continue
		}
		armored, who, err := verified(filepath.Join(filepath.Dir(plan), e.Name()), role, out.Sums, signers, at)
		switch {
		case err != nil:
			out.Rejected = append(out.Rejected, Rejected{e.Name(), err.Error()})
		case role == sshsig.RolePlan:
			out.Makers = append(out.Makers, who)
		default:
			out.Approvals = append(out.Approvals, journal.Signature{Person: who, Signature: string(armored)})
		}
	}
	return out, nil
}

// verified reads a signature in a role, and returns its person.
func verified(name, role string, sums sshsig.Sums, signers *sshsig.Signers, at time.Time) (armored []byte, who string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	if armored, err = io.ReadAll(io.LimitReader(f, sshsig.MaxSize+1)); err != nil {
		return nil, "", err
	}
	who, err = verifiedSums(armored, role, sums, signers, at)
	return armored, who, err
}

// verifiedSums returns the person who signed the message with the given sums in a role.
func verifiedSums(armored []byte, role string, sums sshsig.Sums, signers *sshsig.Signers, at time.Time) (string, error) {
	sig, err := sshsig.Parse(armored)
	if err != nil {
		return "", err
	}
	if err := sig.VerifySums(sums, role); err != nil {
		return "", err
	}
	return signers.Find(sig, at)
}

// Usable refuses a plan whose validity has ended. It refuses a plan that wants approvals and was applied before: an approval is good for
// one run. runs are the runs of this machine.
func Usable(plan string, saved *deploy.Saved, wanted int, runs []*journal.Log, now time.Time) error {
	file := diag.Escape(plan)
	terms := saved.Terms
	if terms == nil {
		return exit.Fail(exit.Usage, "%s has no terms that persons could approve: make the plan again", file)
	}
	if !now.Before(terms.Expires) {
		return exit.Fail(exit.Usage, "%s was valid until %s. Nothing was changed; make the plan again.", file, terms.Expires.Format(time.RFC3339))
	}
	for _, l := range runs {
		if wanted > 0 && l.Agreement != nil && l.Agreement.Nonce == terms.Nonce && l.Lab == "" {
			return exit.Fail(exit.Usage, "%s was applied by run %s already, and an approval is good for one run. Make the plan again, and "+
				"have it approved.", file, l.Run)
		}
	}
	return nil
}

// Agree returns the agreement to a plan that is about to be applied, with the signature of the person who applies it. It refuses a plan
// that too few other persons approve.
func Agree(ctx context.Context, r *rights.Rights, plan string, saved *deploy.Saved, wanted int, now time.Time) (*journal.Agreement, error) {
	file := diag.Escape(plan)
	signers, from, err := r.Signers()
	if err != nil {
		return nil, exit.Fail(exit.Machines, "%v. The plan wants %s, and their keys are listed there.", err, diag.Count(wanted, "approval"))
	}
	signed, err := ReadSigned(plan, saved, signers, now)
	if err != nil {
		return nil, err
	}
	out := &journal.Agreement{Nonce: saved.Terms.Nonce, Plan: signed.Sums, Wanted: wanted}
	statement := out.Submission()
	armored, err := r.Sign(ctx, sshsig.RoleApply, statement)
	if err != nil {
		return nil, exit.Fail(exit.Usage, "the plan wants approvals, so the person who applies it signs, too: %v", err)
	}
	out.Submitted.Signature = string(armored)
	if out.Submitted.Person, err = rights.Verify(signers, armored, sshsig.RoleApply, statement, now); err != nil {
		return nil, exit.Fail(exit.Usage, "you may not apply this plan: %v (%s)", err, diag.Escape(from))
	}
	var rejected []string
	for _, one := range signed.Rejected {
		rejected = append(rejected, one.File+": "+one.Why)
	}
	rejected = append(rejected, count(out, signed.Approvals)...)
	if len(out.Approvals) < wanted {
		return nil, exit.Fail(exit.Usage, "%s wants %s and has %d%s. Nothing was changed. Approve it: %s", file, diag.Count(wanted, "approval"),
			len(out.Approvals), listed(out.Approvals, rejected), diag.Rocec("approve", diag.Path("PLAN", plan)))
	}
	return out, nil
}

// count adds the approvals that count to an agreement, and returns why the others do not.
func count(out *journal.Agreement, approvals []journal.Signature) (rejected []string) {
	for _, one := range approvals {
		i := slices.IndexFunc(out.Approvals, one.Same)
		switch {
		case one.Same(out.Submitted):
			rejected = append(rejected, out.Submitted.Person+" applies the plan, so the approval of "+one.Person+" does not count")
		case i >= 0:
			rejected = append(rejected, "the approvals of "+out.Approvals[i].Person+" and "+one.Person+" have one key or name")
		default:
			out.Approvals = append(out.Approvals, one)
		}
	}
	return rejected
}

// Verify judges an agreement to the bytes of a plan that another machine made, by the signers of this one. It returns the agreement with
// the approvals that count. by is the person who submitted the plan. The error is a part of a sentence.
func Verify(of *journal.Agreement, saved *deploy.Saved, by string, wanted int, signers *sshsig.Signers, now time.Time) (
	*journal.Agreement, error,
) {
	out := &journal.Agreement{Nonce: saved.Terms.Nonce, Plan: sshsig.SumsOf(saved.Bytes()), Wanted: wanted}
	if of == nil {
		if wanted > 0 {
			return nil, fmt.Errorf("the plan wants %s and has 0", diag.Count(wanted, "approval"))
		}
		return nil, nil //nolint:nilnil // no approval is wanted, so there is no agreement
	}
	who, err := rights.Verify(signers, []byte(of.Submitted.Signature), sshsig.RoleApply, out.Submission(), now)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the signature of the submission: %w", err)
	case who != by:
		return nil, fmt.Errorf("%s signed the submission of the plan, and %s sent it", who, by)
	}
	out.Submitted = journal.Signature{Person: who, Signature: of.Submitted.Signature}
	var approvals []journal.Signature
	var rejected []string
	for _, one := range of.Approvals[:min(len(of.Approvals), mostSignatures)] {
		who, err := verifiedSums([]byte(one.Signature), sshsig.RoleApprove, out.Plan, signers, now)
		if err != nil {
			rejected = append(rejected, one.Person+": "+err.Error())
			continue
		}
		approvals = append(approvals, journal.Signature{Person: who, Signature: one.Signature})
	}
	rejected = append(rejected, count(out, approvals)...)
	if len(out.Approvals) < wanted {
		return nil, fmt.Errorf("the plan wants %s and has %d%s", diag.Count(wanted, "approval"), len(out.Approvals),
			listed(out.Approvals, rejected))
	}
	return out, nil
}

// listed names the persons who approve, and the signatures that do not count.
func listed(approvals []journal.Signature, rejected []string) string {
	text := ""
	if len(approvals) > 0 {
		names := make([]string, len(approvals))
		for i, s := range approvals {
			names[i] = diag.Escape(s.Person)
		}
		text = " (" + strings.Join(names, ", ") + ")"
	}
	if len(rejected) > 0 {
		text += "; " + diag.Escape(strings.Join(rejected, "; "))
	}
	return text
}

// SameTerms refuses a plan whose waves or message are not those of the run that is about to begin.
func SameTerms(plan string, terms *deploy.Terms, waves []string, message string) error {
	if message != "" && message != terms.Message {
		return exit.Fail(exit.Usage, "%s was approved with the message %q, not with %q. Leave out -m.", diag.Escape(plan), terms.Message,
			message)
	}
	wave := func(of []string, i int) string {
		if i < len(of) {
			return diag.Escape(of[i])
		}
		return "missing"
	}
	for i := range max(len(terms.Waves), len(waves)) {
		if was, is := wave(terms.Waves, i), wave(waves, i); was != is {
			return exit.Fail(exit.Machines, "%s was approved with other waves than the run would have now: wave %d is %s, and was %s. Nothing "+
				"was changed; make the plan again.", diag.Escape(plan), i+1, is, was)
		}
	}
	return nil
}

// Describe describes the signatures beside a plan, for a person: who made and approved it.
func Describe(s *Signed) (lines []string) {
	for _, who := range s.Makers {
		lines = append(lines, fmt.Sprintf("made by %s", who))
	}
	for _, one := range s.Approvals {
		lines = append(lines, fmt.Sprintf("approved by %s", one.Person))
	}
	for _, why := range s.Rejected {
		lines = append(lines, "does not count: "+why.File+": "+why.Why)
	}
	return lines
}
