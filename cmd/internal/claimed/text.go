package claimed

import (
	"fmt"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/claims"
	"github.com/rocec/rocec/validate/proof"
)

// Texts returns the assumptions of a free verdict, with their states if a device was read.
func Texts(p validate.GroupProof, is *claims.Result) []string {
	out := p.AssumptionTexts()
	if is == nil || !is.Read {
		return out
	}
	for i, a := range p.Assumptions {
		out[i] += " (" + is.Of(a.Code).Text() + ")"
	}
	return out
}

// Count returns a sentence with the number of assumptions that devices confirm; empty: there is no assumption, or no device was asked.
func Count(proofs []validate.GroupProof, is *claims.Result) string {
	if is == nil {
		return ""
	}
	n := count(proofs, is)
	if n.all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s of the verdicts on PFC loops %s checked on devices; --format json has each. "+
		"See rocec explain assumptions.", n.checked, diag.Count(n.all, "assumption"), diag.Plural(n.checked, "is", "are"))
}

// KeptText returns a sentence with the number of assumptions that the last verify confirmed; empty: there is no assumption, or
// verify kept no judgement.
func KeptText(proofs []validate.GroupProof, is *claims.Result) string {
	n := count(proofs, is)
	if is == nil || !is.Read || n.all == 0 {
		return ""
	}
	text := fmt.Sprintf("Assumptions: %s checked %d of %d", Verify, n.checked, n.all)
	if !n.when.IsZero() {
		text += ", " + claims.Clock(n.when)
	}
	if n.contradicted > 0 {
		text += fmt.Sprintf("; devices contradict %d", n.contradicted)
	}
	return text + "."
}

// counted counts the assumptions of verdicts, each code once.
type counted struct {
	all, checked, contradicted int
	when                       time.Time // the oldest answer to those that are checked; zero: not known
}

func count(proofs []validate.GroupProof, is *claims.Result) (n counted) {
	known := map[proof.AssumptionCode]bool{}
	for _, p := range proofs {
		for _, a := range p.Assumptions {
			if known[a.Code] {
				continue
			}
			known[a.Code] = true
			n.all++
			s := is.Of(a.Code)
			if len(s.False) > 0 {
				n.contradicted++
			}
			if s.State != claims.Checked {
				continue
			}
			if n.checked == 0 || s.When.Before(n.when) {
				n.when = s.When
			}
			n.checked++
		}
	}
	return n
}

// RunningText returns the verdict on the routes that the switches use, for a line beside the verdict on the fabric; empty: none of their
// routes was read, or the verdict on the fabric is by them.
func RunningText(p validate.GroupProof, is *claims.Result) string {
	if is == nil || is.Running == nil {
		return ""
	}
	running := is.Running.Of(p.Group)
	switch {
	case p.Fabric.Routing == ir.TablePath && (running == nil || running.Verdict == p.Verdict):
		return ""
	case running == nil:
		return "the routes of the switches are not judged: " + is.Running.Why
	case running.Verdict == validate.Free:
		return "by the routes that the switches use: free of PFC loops"
	}
	why := validate.GroupProof{Group: p.Group, Proof: running}.Why()
	return fmt.Sprintf("by the routes that the switches use: %s: %s", running.Verdict, why)
}
