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
	Place       string // the name of its file, in a way that stays the same; empty: it has no place
}

// Known is a finding with its row.
type Known struct {
	Finding
	*Entry
	Worse, Expired bool // the reasons for which it counts
}

// Compared is the findings of a run beside a baseline.
type Compared struct {
	*Baseline
	Held     []Known  // they do not count
	Returned []Known  // they are worse, or expired
	Fixed    []*Entry // they match nothing, and all devices and files were judged
	Absent   []*Entry // they match nothing, and a device or a file was not judged as a whole
	Lacking  []string // devices of the baseline that were not judged

	new  []Finding
	read []string
}

// Scope is the findings of a run, and the devices and files that it judged.
type Scope struct {
	Findings []Finding
	Devices  []string          // all of whose files were judged as a whole
	Files    map[string]bool   // by place: files that were judged as a whole
	Made     func(string) bool // reports whether a place is in files that the run makes of all others
	Today    time.Time
}

// Compare compares the findings of a run with the rows. Notes never count, so no row is looked for.
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

// New counts the errors and warnings that no row has.
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
