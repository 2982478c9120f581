package claimed

import (
	"fmt"

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

// Count returns a sentence with the number of assumptions that devices confirm; empty: there is no assumption, or no device was read.
func Count(proofs []validate.GroupProof, is *claims.Result) string {
	if is == nil || !is.Read {
		return ""
	}
	known, checked := map[proof.AssumptionCode]bool{}, 0
	for _, p := range proofs {
		for _, a := range p.Assumptions {
			if !known[a.Code] && is.Of(a.Code).State == claims.Checked {
				checked++
			}
			known[a.Code] = true
		}
	}
	if len(known) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s of the verdicts on PFC loops %s checked on devices; --format json has each.", checked,
		diag.Count(len(known), "assumption"), diag.Plural(checked, "is", "are"))
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
