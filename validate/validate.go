// Package validate finds what would hurt: checks over the compiled fabric, each a [Check] in the table of checks.go. The check with the
// code pfc-loop is in pfc-loop.go, the facts that several checks use in facts.go, and their common texts in say.go.
//
// A check is pure and sees the whole fabric through its [Pass]. It reports mistakes of the person as diagnostics with its code; it never
// decides what to write. A rule about a vendor's key or release belongs to a target, and a rule without which the IR would be wrong
// belongs to the compiler.
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
	Summary string   // the constant text of its diagnostics
	Answers []string // ids of the rows of docs/known.md that it reports, such as "K3"
	Loops   bool     // it reports the PFC-loop proof, so it does not judge ways out of a PFC loop
	Parts   bool     // it reports members without a path; a way out of a PFC loop must not add such a finding
	OnHop   bool     // it judges something on the path of packets: a walk finds it at a hop, by the same rule
	Run     func(*Pass)

	// Single reports a finding of a walk that Run may leave out: the finding depends on failed links, or Run has it for another pair of
	// members. nil: Run has all findings of walks.
	Single func(*Pass, *walk.Finding)
}

// Topic returns the check's row for `rocec explain`.
func (c *Check) Topic() diag.Topic { return diag.Topic{Code: c.Code, Summary: c.Summary} }

// Pass has the input of one check, and collects its reports.
type Pass struct {
	Fabric *ir.Fabric
	check  *Check
	found  diag.List
	loops  func() []*proof.Proof // the PFC-loop proof, common to all checks
	all    []*Check              // the table, to judge changes that a check proposes
	steps  int64                 // the initial budget, in steps
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

// Noticef reports a note at a place and returns it for further notes.
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

// Wait is one buffer of a circle, the ingress buffer of port In, and the turn by which it waits for the next buffer to drain.
type Wait = proof.Wait

// Proof is the PFC-loop proof of a set of lossless cos groups that are judged together.
type Proof = proof.Proof

// GroupProof is one lossless cos group and the proof it is part of.
type GroupProof struct {
	Group *ir.CosGroup
	*Proof
}

// Findings is the result of [Run].
type Findings struct {
	Diagnostics diag.List
	Proofs      []GroupProof // one per lossless cos group, by cos
}

// Say returns the diagnostic of a finding of a walk through f that [Run] does not report. It has the same code and place as a diagnostic
// of Run about the same fact. It returns nil if the finding does no harm, or if another stage reports it.
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

// DefaultBudget is the default budget of the PFC-loop proof, in steps: 60 s at [StepsPerSecond].
const DefaultBudget = 60 * StepsPerSecond

// StepsPerSecond is the number of steps of one second of budget, by definition. A budget counts steps, so that a verdict is the same on
// every machine.
const StepsPerSecond = 100_000_000

// Run runs every check of the table on f. The PFC-loop proof uses at most the budget; nil means [DefaultBudget]. A check with its own
// search uses at most a part of that in addition. The result does not depend on the machine.
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
