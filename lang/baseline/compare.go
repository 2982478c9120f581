package baseline

import (
	"slices"
	"time"

	"github.com/rocec/rocec/lang/diag"
)

// Finding is a finding of a run.
type Finding struct {
	*diag.Diagnostic
	Fingerprint string
	Place       string // the name of its file, which is the same in every run; empty: the finding has no place
}

// Known is a finding that has a row in the baseline.
type Known struct {
	Finding
	*Entry
	Worse, Expired bool // reasons why the finding counts in spite of its row
}

// Compared is the result of comparing the findings of a run with a baseline.
type Compared struct {
	*Baseline
	Held     []Known  // findings that do not count
	Returned []Known  // findings that are worse than their row, or whose row expired
	Fixed    []*Entry // rows without a finding, where all devices and files were judged
	Absent   []*Entry // rows without a finding, where a device or file was not judged completely
	Lacking  []string // devices of the baseline that were not judged

	new  []Finding
	read []string
}

// Scope contains the findings of a run, and the devices and files that the run judged.
type Scope struct {
	Findings []Finding
	Devices  []string          // devices of which all files were judged completely
	Files    map[string]bool   // by place: files that were judged completely
	Made     func(string) bool // reports whether a place is in a file that the run derives from all others
	Today    time.Time
}

// Compare compares the findings of a run with the rows. Notes never count, so they need no row.
func (b *Baseline) Compare(run Scope) (*Compared, diag.List) {
	c := &Compared{Baseline: b, read: run.Devices}
	for _, name := range b.devices {
		if !slices.Contains(run.Devices, name) {
			c.Lacking = append(c.Lacking, name)
		}
	}
	var ds diag.List
	seen := map[*Entry]bool{}
	for _, f := range run.Findings {
		row := b.rows[f.Fingerprint]
		switch {
		case row == nil && f.Severity != diag.Notice:
			c.new = append(c.new, f)
			continue
		case row == nil:
			continue
		}
		seen[row] = true
		if row.Code != f.Code && row.Code != f.Formerly {
			Invalid.Errorf(&ds, row.label, "The finding of a row has the code %s. Write it into a block known %[1]q.", f.Code).
				Note(row.At, "the row")
		}
		k := Known{Finding: f, Entry: row, Worse: f.Severity < row.Severity, Expired: row.Expired(run.Today)}
		if k.Worse || k.Expired && f.Severity != diag.Notice {
			c.Returned = append(c.Returned, k)
		} else {
			c.Held = append(c.Held, k)
		}
	}
	whole := len(c.Lacking) == 0
	for _, block := range b.blocks {
		for _, row := range block.rows {
			whole = whole && (run.Made(row.Place()) || run.Files[row.Place()])
		}
	}
	for _, block := range b.blocks {
		for _, row := range block.rows {
			switch {
			case seen[row]:
			case whole:
				c.Fixed = append(c.Fixed, row)
			default:
				c.Absent = append(c.Absent, row)
			}
		}
	}
	return c, ds
}

// New counts the errors and warnings without a row.
func (c *Compared) New() int { return len(c.new) }

// Unowned counts the rows of findings, held or returned, that have no owner or no reason.
func (c *Compared) Unowned() (n int) {
	for _, list := range [][]Known{c.Held, c.Returned} {
		for _, k := range list {
			if k.Owner == "" || k.Reason == "" {
				n++
			}
		}
	}
	return n
}
