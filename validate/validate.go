// Package validate finds what would hurt: checks over the compiled fabric, each a [Check] in the table of checks.go. The check with the
// code pfc-loop is pfc-loop.go; what several checks ask of a fabric is in facts.go, the words they share in say.go.
//
// A check is pure and sees the whole fabric through its [Pass]. It reports mistakes of the person as diagnostics under
// its own code; it never decides what to write. If the sentence names a vendor's key or release it belongs to a
// target; if the IR would lie without it, to the compiler.
package validate

import (
	"slices"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/proof"
	"github.com/rocec/rocec/validate/walk"
)

// Check is one documented judgement.
type Check struct {
	Code    string
	Summary string   // constant text of its diagnostics
	Answers []string // ids of the rows of docs/known.md that it answers, such as "K3"; empty: it answers none
	Loops   bool     // it reports the PFC-loop proof, and is not asked whether a way out of a PFC loop does harm
	Parts   bool     // it reports members that do not reach each other, which no way out of a PFC loop may bring
	OnHop   bool     // packets meet what it judges: a walk finds it at a hop, by the same rule
	Run     func(*Pass)

	// Single reports a finding of a walk that Run may leave out: it depends on which links are down, or is of a pair of members that
	// another pair represents in Run. Nil: what walks find, Run has found.
	Single func(*Pass, *walk.Finding)
}

// Topic returns the check's row for `rocec explain`.
func (c *Check) Topic() diag.Topic { return diag.Topic{Code: c.Code, Summary: c.Summary} }

// Pass is what one check sees, and where it reports.
type Pass struct {
	Fabric *ir.Fabric
	check  *Check
	found  diag.List
	loops  func() []*proof.Proof // the PFC-loop proof, made once for all checks
	all    []*Check              // the table, for what a check would change
	steps  int64                 // the work that the budget held at the beginning
}

// report returns Errorf, Warnf or Noticef; nil for severity 0.
func (p *Pass) report(s diag.Severity) func(at diag.Range, format string, args ...any) *diag.Diagnostic {
	switch s {
	case diag.Error:
		return p.Errorf
	case diag.Warning:
		return p.Warnf
	case diag.Notice:
		return p.Noticef
	}
	return nil
}

// Errorf reports an error at a place and returns it for notes.
func (p *Pass) Errorf(at diag.Range, format string, args ...any) *diag.Diagnostic {
	return p.found.Errorf(at, p.check.Code, p.check.Summary, format, args...)
}

// Warnf reports a warning at a place and returns it for notes.
func (p *Pass) Warnf(at diag.Range, format string, args ...any) *diag.Diagnostic {
	return p.found.Warnf(at, p.check.Code, p.check.Summary, format, args...)
}

// Noticef reports what is worth knowing at a place and returns it for notes.
func (p *Pass) Noticef(at diag.Range, format string, args ...any) *diag.Diagnostic {
	return p.found.Noticef(at, p.check.Code, p.check.Summary, format, args...)
}

// Verdict is the outcome of the PFC-loop proof.
type Verdict = proof.Verdict

// The verdicts. There is no "will deadlock": a circle of waiting buffers is necessary, never sufficient.
const (
	Free    = proof.Free
	Prone   = proof.Prone
	Unknown = proof.Unknown
)

// Loop is one circle of buffers that can only drain into each other.
type Loop = proof.Loop

// Wait is one buffer of a circle, that of in-port In, and the turn by which it waits for the next one to drain.
type Wait = proof.Wait

// Proof is the PFC-loop proof of a set of lossless cos groups that are judged together.
type Proof = proof.Proof

// GroupProof is one lossless cos group and the proof it is part of.
type GroupProof struct {
	Group *ir.CosGroup
	*Proof
}

// Findings is what [Run] found.
type Findings struct {
	Diagnostics diag.List
	Proofs      []GroupProof // one per lossless cos group, by cos
}

// Say returns the diagnostic of a finding of a walk through f that [Run] does not report. Both have the same code and place where they are
// about the same fact. It returns nil where the finding does no harm, or another stage reports it.
func Say(f *ir.Fabric, x *walk.Finding) *diag.Diagnostic {
	i := slices.IndexFunc(Checks, func(c *Check) bool { return c.Code == x.Code })
	if i < 0 {
		return nil
	}
	p := &Pass{Fabric: f, check: Checks[i]}
	if p.check.Single != nil {
		p.check.Single(p, x)
	} else {
		p.check.Run(p)
	}
	if i := slices.IndexFunc(p.found, func(d *diag.Diagnostic) bool { return d.At == x.At }); i >= 0 {
		return p.found[i]
	}
	return nil
}

// DefaultBudget is the work the PFC-loop proof may take by default, in steps: 60 s at [StepsPerSecond].
const DefaultBudget = 60 * StepsPerSecond

// StepsPerSecond is the work of a second of budget, by definition: a budget counts work, so that a verdict is the same on every machine.
const StepsPerSecond = 100_000_000

// Run runs every check of the table on f. The PFC-loop proof takes at most the work of the budget; nil means [DefaultBudget]. A check with
// a search of its own takes at most a part in addition. Run is deterministic whatever the machine.
func Run(f *ir.Fabric, budget *ir.Budget) Findings {
	if budget == nil {
		budget = ir.NewBudget(DefaultBudget)
	}
	var r Findings
	steps := budget.Left()
	loops := sync.OnceValue(func() []*proof.Proof { return proof.All(f, budget) })
	for _, c := range Checks {
		p := &Pass{Fabric: f, check: c, loops: loops, all: Checks, steps: steps}
		c.Run(p)
		r.Diagnostics = append(r.Diagnostics, p.found...)
	}
	for _, p := range loops() {
		for _, g := range p.Groups {
			r.Proofs = append(r.Proofs, GroupProof{g, p})
		}
	}
	slices.SortStableFunc(r.Proofs, func(a, b GroupProof) int { return a.Group.Cos - b.Group.Cos })
	r.Diagnostics.Sort()
	return r
}
