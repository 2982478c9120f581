package report

import (
	"errors"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/claims"
	"github.com/rocec/rocec/validate/proof"
)

// jsonFacts contains the reasons, assumptions and notes of a verdict for programs. Each sentence has a code, with its numbers and names;
// the code stays when the sentence is reworded. The lists are in the order of the sentences.
type jsonFacts struct {
	Why         jsonFact             `json:"why"`
	Assumptions []claimed.Assumption `json:"assumptions,omitempty"`
	Notes       []jsonFact           `json:"notes,omitempty"`
}

// jsonFact is a code and its values; docs/formats.md lists the values of each code.
type jsonFact struct {
	Code          string       `json:"code"`
	Cause         string       `json:"cause,omitempty"`
	LosslessLinks *int         `json:"lossless_links,omitempty"`
	TopTier       *int         `json:"top_tier,omitempty"`
	Failures      *int         `json:"failures,omitempty"` // links down at once
	SetsFollowed  *int         `json:"sets_followed,omitempty"`
	SetsCovered   *int         `json:"sets_covered,omitempty"`
	SetsFound     *int         `json:"sets_found,omitempty"`
	SetsJudged    *int         `json:"sets_judged,omitempty"`
	CosGroups     []string     `json:"cos_groups,omitempty"`
	Devices       []string     `json:"devices,omitempty"`
	Links         []jsonLink   `json:"links,omitempty"`
	Circle        []jsonWait   `json:"circle,omitempty"`
	States        [][]jsonLink `json:"states,omitempty"` // the links down in each
	Flag          string       `json:"flag,omitempty"`   // raises the work limit of a proof that reached it
	Value         string       `json:"value,omitempty"`  // of the flag; roughly sufficient
}

// newJSONFacts returns the facts of a verdict. is has the states of its assumptions.
func newJSONFacts(p validate.GroupProof, is *claims.Result) jsonFacts {
	out := jsonFacts{Why: reasonFact(p.Proof), Assumptions: claimed.Assumptions(p, is)}
	for _, n := range p.Notes {
		fact := jsonFact{Code: string(n.Code), Links: jsonLinks(n.Links)}
		if n.Down > 0 {
			fact.Failures = &n.Down
		}
		out.Notes = append(out.Notes, fact)
	}
	return out
}

func reasonFact(p *validate.Proof) jsonFact {
	fact := jsonFact{Code: p.Reason.Code()}
	fact.Flag, fact.Value = validate.BudgetFlag(p)
	switch r := p.Reason.(type) {
	case proof.Certified:
		switch p.Certificate {
		case proof.ByForest:
			fact.LosslessLinks = &r.Links
		case proof.ByUpDown, proof.ByASPlan, proof.ByBounce:
			fact.TopTier = &r.Top
		}
		for _, g := range r.Chain {
			fact.CosGroups = append(fact.CosGroups, g.Name)
		}
	case proof.Searched:
		if r.Down > 0 {
			fact.Failures, fact.SetsFollowed = &r.Down, &r.Followed
			if r.Alike >= 0 {
				fact.SetsCovered = &r.Alike
			}
		}
	case proof.MixedStates:
		fact.Cause, fact.Circle, fact.Links = string(r.Mixture), jsonWaits(r.Circle), jsonLinks(r.Down)
	case proof.NotFollowed:
		if e, ok := errors.AsType[*ir.RoutingError](r.Err); ok {
			fact.Cause = string(e.Code)
			for _, d := range e.Devices {
				fact.Devices = append(fact.Devices, d.Name)
			}
			if e.Out != nil {
				fact.Links = []jsonLink{{e.Out.String(), e.In.String()}}
			}
			if e.Group != nil {
				fact.CosGroups = []string{e.Group.Name}
			}
		}
	case proof.OutOfBudget:
		fact.Failures = &r.Down
		if r.Down == 0 {
			break
		}
		if fact.SetsJudged = &r.Judged; r.Found >= 0 {
			fact.SetsFound = &r.Found
		}
		fact.Circle = jsonWaits(r.Circle)
		for _, down := range r.Conflict {
			fact.States = append(fact.States, jsonLinks(down))
		}
	}
	return fact
}

func jsonWaits(circle []validate.Wait) []jsonWait {
	out := []jsonWait{}
	for _, h := range circle {
		out = append(out, jsonWait{h.In.Device().Name, h.In.Name, h.Out.Name, h.Group.Name})
	}
	return out
}

func jsonLinks(links []*ir.Link) []jsonLink {
	out := []jsonLink{}
	for _, l := range links {
		out = append(out, jsonLink{l.A().String(), l.B().String()})
	}
	return out
}
