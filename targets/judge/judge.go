// Package judge is the pipeline as one call: from the files of a folder to all results about the fabric that need no device ([Judged]).
// Verbs, the language server and tests run it. It reads only from the file systems that it gets.
package judge

import (
	"context"
	"io/fs"
	"math"
	"path"
	"slices"

	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate"
)

// Options are the settings of a run. The zero value is a run with the defaults of every stage.
type Options struct {
	Lang   lang.Options // values of variables, bounds, and how the folders of modules are opened
	Budget *ir.Budget   // for the PFC-loop proof; nil: the default of package validate
	Others []diag.Topic // codes of findings that are not about a fabric; rocec reports a comment in a fabric that names such a code

	Change func(*lang.Source) // changes the source before it is compiled; nil: no change
}

// Judged contains the results of the pipeline for one folder. After an error, the results of later stages are nil.
type Judged struct {
	Source  *lang.Source          // files, comments, module calls and shown values; the compiler has released the rest
	Fabric  *ir.Fabric            // nil if the source has errors
	Proofs  []validate.GroupProof // one per lossless cos group, by cos
	Diags   diag.List             // from all stages, sorted, without diagnostics that comments silence
	Ignored []lang.Ignored        // silenced by comments

	tree *target.Tree // see Tree
}

// Judge runs the pipeline on folder dir of fsys: load, compile, validate, and the checks of targets. Errors of the first two stages stop
// it. validate and the targets both run, so that a person sees all findings at once. When ctx is done, Judge ends before the next stage
// with the findings so far; the proof, which takes longest, gives up.
func Judge(ctx context.Context, fsys fs.FS, dir string, o Options) *Judged {
	o.Lang.Done = ctx.Done()
	src, found := lang.Load(fsys, dir, o.Lang)
	j := &Judged{
		Source: &lang.Source{Files: src.Files, Ignores: src.Ignores, Calls: src.Calls, Values: src.Values, Lock: src.Lock},
		Diags:  found,
	}
	if !j.Diags.HasErrors() && ctx.Err() == nil {
		if o.Change != nil {
			o.Change(src)
		}
		var ds diag.List
		j.Fabric, ds = compiler.Compile(src, targets.Known) // src is not used from here on, because Compile releases the sources
		j.Diags = append(j.Diags, ds...)
	}
	whole := !j.Diags.HasErrors() && ctx.Err() == nil
	if whole {
		budget := o.Budget
		if budget == nil {
			budget = ir.NewBudget(validate.DefaultBudget)
		}
		stop := context.AfterFunc(ctx, func() { budget.Spend(math.MaxInt / 2) })
		report := validate.Run(j.Fabric, budget)
		stop()
		j.Proofs = report.Proofs
		j.Diags = append(append(j.Diags, report.Diagnostics...), targets.Check(j.Fabric)...)
	}
	j.Diags.Sort()
	j.noteCalls()
	j.Diags, j.Ignored = j.Source.Suppress(j.Diags, kinds(o.Others), targets.Merged(), whole)
	return j
}

// Tree returns the files of every device. It renders them at the first call: most verbs need only the findings, and the files need more
// memory than the fabric. Nil: there is no fabric.
func (j *Judged) Tree() *target.Tree {
	if j.tree == nil && j.Fabric != nil {
		j.tree, _ = targets.Render(j.Fabric) // its diagnostics come from targets.Check, and are already among Diags
	}
	return j.tree
}

// noteCalls adds notes to findings in a module that name the module blocks that call it. Findings of package lang already have these notes.
func (j *Judged) noteCalls() {
	const most = 3
	for _, d := range j.Diags {
		if d.At.Filename == "" {
			continue
		}
		for i, call := range j.Source.Calls[path.Dir(d.At.Filename)] {
			if i < most && !slices.ContainsFunc(d.Notes, func(n diag.Note) bool { return n.At == call }) {
				d.Note(call, "in the module called here")
			}
		}
	}
}
