// Package record checks the record of [Runs]: the journals of this machine by themselves, and against the records that devices keep. It
// writes the record of one run for a change board.
package record

import (
	"fmt"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/lang/diag"
)

// Runs is the result of a check of all runs, and the JSON of runs --check.
type Runs struct {
	FormatVersion string    `json:"format_version"`
	Checked       []Checked `json:"checked"`
	Devices       *Held     `json:"devices,omitempty"` // with --devices

	proofs map[string]*journal.Proof
}

// Checked is the result of the check of one run.
type Checked struct {
	Run      string   `json:"run"`
	Head     string   `json:"head"`                // SHA-256 of the last line
	Wrong    []string `json:"wrong"`               // each a sentence without a full stop
	SignedBy string   `json:"signed_by,omitempty"` // who signed the end of the run
	Unsigned string   `json:"unsigned,omitempty"`  // why no person is known to have signed it
	Notes    []string `json:"notes,omitempty"`     // about approvals, each a sentence without a full stop
	Older    bool     `json:"older,omitempty"`     // a rocec without chains wrote the journal
	Running  bool     `json:"running,omitempty"`
	Records  int      `json:"records,omitempty"` // devices whose record of the run fits
}

// Held has the records that devices keep about runs.
type Held struct {
	Asked  int      `json:"asked"`
	Silent []string `json:"silent,omitempty"` // devices that did not answer, and why
	Others []string `json:"others,omitempty"` // runs of other machines, each with a device and the head
}

// Good reports whether nothing is wrong, and every device answered.
func (r *Runs) Good() bool {
	for i := range r.Checked {
		if len(r.Checked[i].Wrong) > 0 {
			return false
		}
	}
	return r.Devices == nil || len(r.Devices.Silent) == 0
}

// Check checks the journals of all runs in a folder: the chain of lines, the signatures, and the contents from before. signers is nil
// if the site has no such file. A run without an end is judged by the time now.
func Check(dir *journal.Dir, signers *sshsig.Signers, mustSign bool, now time.Time) (*Runs, error) {
	names, err := dir.Names()
	if err != nil {
		return nil, err
	}
	out := &Runs{FormatVersion: report.FormatVersion, Checked: []Checked{}, proofs: map[string]*journal.Proof{}}
	chained := "" // the first run with a chain
	for _, name := range names {
		one := Checked{Run: name, Wrong: []string{}}
		p, err := dir.Check(name)
		if err != nil {
			one.Wrong = append(one.Wrong, err.Error())
		} else {
			out.proofs[name] = p
			one.Head, one.Older, one.Running = p.Head, p.None, p.Log.Alive
			if p.None && chained != "" {
				p.Wrong = append(p.Wrong, "the lines have no hashes, and those of the earlier run "+chained+" have them")
			}
			if !p.None && chained == "" && len(p.Heads) > 1 {
				chained = name
			}
			one.Wrong = append(one.Wrong, p.Wrong...)
			judgeSignature(&one, p, signers, now)
			judgeAgreement(&one, p.Log, signers)
			if mustSign && one.SignedBy == "" && !p.Log.Alive && p.Log.Lab == "" {
				one.Wrong = append(one.Wrong, "a policy wants the run to be signed: "+one.Unsigned)
			}
		}
		out.Checked = append(out.Checked, one)
	}
	return out, nil
}

// Only leaves out all runs but one.
func (r *Runs) Only(run string) {
	r.Checked = slices.DeleteFunc(r.Checked, func(one Checked) bool { return one.Run != run })
}

// judgeSignature judges the signatures of a journal, where signers is nil without a file of them.
func judgeSignature(one *Checked, p *journal.Proof, signers *sshsig.Signers, now time.Time) {
	at := now
	if p.Log.Ended != nil {
		at = *p.Log.Ended
	}
	one.Unsigned = "the command had no key"
	for i, signed := range p.Log.Signed {
		statement := journal.Head{Run: p.Log.Run, Head: signed.Head}.Statement()
		sig, err := sshsig.Parse([]byte(signed.Signature))
		if err == nil {
			err = sig.Verify(statement, sshsig.RoleRun)
		}
		if err != nil {
			one.Wrong = append(one.Wrong, fmt.Sprintf("signature %d of its end: %v", i+1, err))
			continue
		}
		one.SignedBy, one.Unsigned = "", fmt.Sprintf("%s signed it, and this machine has no file of allowed signers", sig.Key)
		if signers == nil {
			continue
		}
		if one.SignedBy, err = signers.Find(sig, at); err != nil {
			one.Unsigned = fmt.Sprintf("%s signed it: %v", sig.Key, err)
		}
	}
	if p.Unsigned > 0 && len(p.Log.Signed) > 0 {
		one.Unsigned = fmt.Sprintf("%s follow the last signature", diag.Count(p.Unsigned, "line"))
		one.SignedBy = ""
	}
	if one.SignedBy != "" {
		one.Unsigned = ""
	}
}

// judgeAgreement judges the signatures of those who agreed to the plan of a run.
func judgeAgreement(one *Checked, l *journal.Log, signers *sshsig.Signers) {
	a := l.Agreement
	if a == nil {
		return
	}
	judge := func(s *journal.Signature, role string, sums sshsig.Sums) {
		sig, err := sshsig.Parse([]byte(s.Signature))
		if err == nil {
			err = sig.VerifySums(sums, role)
		}
		if err != nil {
			one.Wrong = append(one.Wrong, fmt.Sprintf("the signature of %s (%s): %v", s.Person, role, err))
			return
		}
		if signers == nil {
			one.Notes = append(one.Notes, fmt.Sprintf("this machine has no file of allowed signers, so the key of %s (%s) is not checked",
				s.Person, role))
			return
		}
		switch who, err := signers.Find(sig, l.Began); {
		case err != nil: // a person may have left
			one.Notes = append(one.Notes, fmt.Sprintf("the key of %s (%s): %v", s.Person, role, err))
		case who != s.Person:
			one.Wrong = append(one.Wrong, fmt.Sprintf("the signature of %s (%s) has the key of %s", s.Person, role, who))
		}
	}
	for i := range a.Approvals {
		judge(&a.Approvals[i], sshsig.RoleApprove, a.Plan)
		if a.Approvals[i].Same(a.Submitted) || slices.ContainsFunc(a.Approvals[:i], a.Approvals[i].Same) {
			one.Wrong = append(one.Wrong, fmt.Sprintf("the approval of %s is of a person or key that is there already", a.Approvals[i].Person))
		}
	}
	if len(a.Approvals) < a.Wanted {
		one.Wrong = append(one.Wrong, fmt.Sprintf("the plan wanted %s, and the journal has %d", diag.Count(a.Wanted, "approval"),
			len(a.Approvals)))
	}
	judge(&a.Submitted, sshsig.RoleApply, sshsig.SumsOf(a.Submission()))
}
