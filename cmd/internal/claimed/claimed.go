// Package claimed has verdicts on PFC loops with the states of their assumptions, as texts and as JSON (a [LoopVerdict]).
package claimed

import (
	"slices"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/claims"
	"github.com/rocec/rocec/validate/proof"
)

// Compare compares the assumptions of verdicts with what devices report; nil: no device was read. The proof of the running routes of the
// devices uses at most the budget.
func Compare(f *ir.Fabric, proofs []validate.GroupProof, seen *claims.Seen, budget *ir.Budget) *claims.Result {
	return claims.Judge(f, each(proofs), seen, budget)
}

// each returns the proofs of groups, each once.
func each(proofs []validate.GroupProof) (all []*proof.Proof) {
	for _, p := range proofs {
		if !slices.Contains(all, p.Proof) {
			all = append(all, p.Proof)
		}
	}
	return all
}

// Keep returns what later runs may use of the states: those of a read at a time, and older ones of devices that it did not read.
func Keep(f *ir.Fabric, proofs []validate.GroupProof, is *claims.Result, when time.Time, old []claims.Recorded) []claims.Recorded {
	return is.Keep(f, each(proofs), when, old)
}

// Recall returns the states of the assumptions of verdicts by what verify kept.
func Recall(f *ir.Fabric, proofs []validate.GroupProof, kept []claims.Recorded) *claims.Result {
	return claims.Recall(f, each(proofs), Verify, kept)
}

// Verify is the reader of devices whose judgements are kept.
const Verify = "rocec verify"

// Document has the verdicts of a fabric for plan and verify.
type Document struct {
	Loops  []LoopVerdict `json:"pfc_loops"`
	Claims []Finding     `json:"claims"` // assumptions that devices contradict
}

// LoopVerdict is a verdict with the states of its assumptions.
type LoopVerdict struct {
	CosGroup string   `json:"cos_group"`
	Verdict  string   `json:"verdict"`
	Facts    facts    `json:"facts"`
	Running  *Running `json:"running,omitempty"` // the verdict on the routes that the switches use
}

type facts struct {
	Assumptions []Assumption `json:"assumptions"`
}

// Finding is an assumption of a verdict that devices contradict.
type Finding struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	File     string `json:"file"`
	Line     int    `json:"line"`
}

// JSON returns the verdicts of a fabric. is has the states of their assumptions; nil: no device was read.
func JSON(f *ir.Fabric, proofs []validate.GroupProof, is *claims.Result) Document {
	if is == nil {
		is = Compare(f, proofs, nil, nil)
	}
	out := Document{[]LoopVerdict{}, []Finding{}}
	for _, p := range proofs {
		v := LoopVerdict{p.Group.Name, string(p.Verdict), facts{[]Assumption{}}, NewRunning(is.Running, p.Group)}
		v.Facts.Assumptions = append(v.Facts.Assumptions, Assumptions(p, is)...)
		out.Loops = append(out.Loops, v)
	}
	for _, x := range is.Findings {
		out.Claims = append(out.Claims, Finding{x.Code, x.Severity.String(), x.Detail, x.At.Filename, x.At.Start.Line})
	}
	return out
}

// Wrong reports whether a finding is an error.
func (d *Document) Wrong() bool {
	return slices.ContainsFunc(d.Claims, func(x Finding) bool { return x.Severity == diag.Error.String() })
}

// Assumption is an assumption with its state.
type Assumption struct {
	Code      string   `json:"code"`
	CosGroups []string `json:"cos_groups,omitempty"`
	Devices   []string `json:"devices,omitempty"` // those that by_hand or mlag names, or else those that agree
	System    string   `json:"system,omitempty"`
	Chips     []string `json:"chips,omitempty"`

	State   claims.State `json:"state"`
	By      string       `json:"by,omitempty"`             // who read the devices
	When    string       `json:"when,omitempty"`           // the oldest answer of a device that agrees; missing: not known
	InAll   int          `json:"devices_in_all,omitempty"` // number of devices that the assumption concerns
	Not     []string     `json:"devices_not_read,omitempty"`
	Against []string     `json:"devices_against,omitempty"` // devices that contradict it
	Why     string       `json:"why,omitempty"`             // one of these devices, and its setting or the reason
	Part    string       `json:"part,omitempty"`            // the part that answers show; missing: they show the whole assumption
}

// Assumptions returns the assumptions of a verdict. is has their states.
func Assumptions(p validate.GroupProof, is *claims.Result) (out []Assumption) {
	for _, a := range p.Assumptions {
		one := Assumption{Code: string(a.Code), System: a.System, Chips: a.Chips, Devices: names(slices.Concat(a.Hand, a.Pairs))}
		if a.Group != nil {
			one.CosGroups = []string{a.Group.Name}
		}
		s := is.Of(a.Code)
		one.State, one.By, one.Against, one.Why = s.State, s.By, names(s.False), s.Why
		if s.By != "" {
			one.InAll, one.Part, one.Devices = len(s.Scope), s.Part, append(one.Devices, names(s.Agree)...)
			if !s.When.IsZero() {
				one.When = s.When.UTC().Format(time.RFC3339)
			}
			for _, n := range s.Not {
				one.Not = append(one.Not, n.Device.Name)
			}
		}
		out = append(out, one)
	}
	return out
}

func names(devices []*ir.Device) (out []string) {
	for _, d := range devices {
		out = append(out, d.Name)
	}
	return out
}

// Running is the verdict on the tables of next hops of the switches.
type Running struct {
	Verdict      string `json:"verdict"`
	Why          string `json:"why"`
	Destinations int    `json:"destinations,omitempty"`
	Targets      int    `json:"targets,omitempty"` // destinations that differ in their next hops
}

// NewRunning returns the verdict on the running routes for a group; nil: no routes were read.
func NewRunning(r *claims.Running, g *ir.CosGroup) *Running {
	if r == nil {
		return nil
	}
	p := r.Of(g)
	if p == nil {
		return &Running{Verdict: string(validate.Unknown), Why: diag.Escape(r.Why)}
	}
	return &Running{string(p.Verdict), validate.GroupProof{Group: g, Proof: p}.Why(), r.Destinations, r.Targets}
}
