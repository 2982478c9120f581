package targets

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/tools"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// JudgeFiles judges configuration files of devices without a fabric, each by the linter of its system. A file is good only where the
// reader of its system understands every row, too. A text that tools of a host printed is read, and not judged: no rule is about it yet.
func JudgeFiles(files []lint.File) lint.Result {
	linters := Linters()
	var theirs []lint.File // of linters
	var at []int
	r := lint.Result{Files: make([]lint.Taken, len(files))}
	for i, f := range files {
		if taken, found := printedByHost(linters, f); found {
			r.Files[i] = taken
			r.Diagnostics = append(r.Diagnostics, lint.NotJudged(f.Name, taken.Why, "Its switches can be judged by their files."))
			continue
		}
		theirs, at = append(theirs, f), append(at, i)
	}
	judged := linters.Check(theirs)
	r.Diagnostics = append(r.Diagnostics, judged.Diagnostics...)
	r.Diagnostics.Sort()
	for k, f := range theirs {
		taken := judged.Files[k]
		if read := understand(linters.Of(f), f); read != nil && f.Why == "" && taken.Dialect != "" {
			dropFound(&read.Coverage, judged.Diagnostics)
			taken.Understood = parts(&read.Coverage)
			if why := notRead(&read.Coverage); why != "" && taken.Why == "" {
				taken.Why, taken.Plain = why, false
				r.Diagnostics = append(r.Diagnostics, unread(f, &read.Coverage, why))
			}
		}
		r.Files[at[k]] = taken
	}
	r.Diagnostics.Sort()
	return r
}

// understand reads a file by the reader of the system that a linter is for; nil: it has none.
func understand(one *lint.Linter, f lint.File) *target.Understood {
	for _, row := range All {
		if row.Files == one && row.Understand != nil && len(f.Data) <= one.Most {
			return row.Understand(target.Identity{}, map[string][]byte{f.Name: f.Data})
		}
	}
	return nil
}

// printedByHost reports whether a text that no linter takes by its form or its name is what tools of a host print.
func printedByHost(linters lint.Linters, f lint.File) (taken lint.Taken, found bool) {
	if f.Why != "" || linters.Knows(f.Name) || linters.Of(f).Takes != nil {
		return lint.Taken{}, false
	}
	c := tools.Understand(target.Identity{}, map[string][]byte{f.Name: f.Data}).Coverage
	if len(c.Means) == 0 {
		return lint.Taken{}, false
	}
	why := fmt.Sprintf("rocec understands %d of its %s, and has no rule about hosts without a fabric",
		c.Rows-len(c.Not), diag.Count(c.Rows, "row"))
	return lint.Taken{Dialect: "settings of the NICs of a host", Why: why, Understood: parts(&c)}, true
}

// notRead says why a configuration is not understood as a whole, as a part of a sentence; empty: it is.
func notRead(c *target.Coverage) string {
	if c.Part != "" {
		return c.Part
	}
	if c.Whole() {
		return ""
	}
	whys, rows := c.Reasons()
	return fmt.Sprintf("%d of its %s %s not understood: %s", len(c.Not), diag.Count(c.Rows, "row"), diag.Plural(len(c.Not), "is", "are"),
		reasonText(whys, rows))
}

// mostWhys is how many reasons a sentence has.
const mostWhys = 2

func reasonText(whys []string, rows map[string]int) string {
	var out []string
	for i, why := range whys {
		if i == mostWhys {
			out = append(out, diag.Count(len(whys)-i, "further reason"))
			break
		}
		out = append(out, fmt.Sprintf("%s (%s)", strings.TrimSuffix(why, "."), diag.Count(rows[why], "row")))
	}
	return strings.Join(out, "; ")
}

// unread reports the rows of a file that are not understood, at the first of them.
func unread(f lint.File, c *target.Coverage, why string) *diag.Diagnostic {
	d := lint.NotJudged(f.Name, why, "What such a row sets is not judged.")
	for _, n := range c.Not {
		if n.At.Filename != "" {
			d.At = n.At
			break
		}
	}
	return d
}

// dropFound takes the rows in which a finding of the linter or one of its notes begins out of those that are not understood: they have a
// verdict.
func dropFound(c *target.Coverage, ds diag.List) {
	c.Not = slices.DeleteFunc(c.Not, func(n target.NotRead) bool {
		in := func(at diag.Range) bool {
			return at.Filename == n.At.Filename && at.Filename != "" &&
				n.At.Start.Byte <= at.Start.Byte && at.Start.Byte < max(n.At.End.Byte, n.At.Start.Byte+1)
		}
		return slices.ContainsFunc(ds, func(d *diag.Diagnostic) bool {
			return d.Severity != diag.Notice && (in(d.At) || slices.ContainsFunc(d.Notes, func(n diag.Note) bool { return in(n.At) }))
		})
	})
}

// parts lists the fields that rows set, and the reasons why others set none.
func parts(c *target.Coverage) (out []lint.Part) {
	for _, f := range ir.Fields() {
		if n := c.Means[f]; n > 0 {
			out = append(out, lint.Part{What: f.String(), Rows: n, Means: true})
		}
	}
	for _, why := range slices.Sorted(maps.Keys(c.Aside)) {
		out = append(out, lint.Part{What: why, Rows: c.Aside[why]})
	}
	return out
}
