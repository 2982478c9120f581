package baseline

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// Why states the reasons why a finding counts in spite of its row.
func (k *Known) Why() string {
	var parts []string
	if k.Worse {
		parts = append(parts, fmt.Sprintf("it was %s when this row was written", diag.Article(k.Entry.Severity.String())))
	}
	if k.Expired {
		parts = append(parts, fmt.Sprintf("the row held until %s", k.Until))
	}
	if k.Owner != "" {
		parts = append(parts, "its owner is "+k.Owner)
	}
	return strings.Join(parts, "; ")
}

// Accepted states the owner, the last day and the reason of a block.
func (b *Block) Accepted() string {
	text := "no owner"
	if b.Owner != "" {
		text = "owner " + b.Owner
	}
	if b.Until != "" {
		text += ", until " + b.Until
	}
	if b.Reason == "" {
		return text + ", without a reason"
	}
	return text + ": " + b.Reason
}

// The bounds of a sentence: the number of rows that it names, and the bytes of the names of devices.
const (
	mostNamed   = 20
	devicesRoom = 60
)

// Sentences states how many rows can be removed, may be fixed, or lack an owner or a reason.
func (c *Compared) Sentences() (lines []string) {
	if c == nil {
		return nil
	}
	rows := func(rows []*Entry) string {
		lines := map[string][]string{}
		var codes, names []string
		for _, row := range rows {
			if lines[row.Code] == nil {
				codes = append(codes, row.Code)
			}
			lines[row.Code] = append(lines[row.Code], fmt.Sprint(row.At.Start.Line))
		}
		for _, code := range codes {
			n := len(lines[code])
			names = append(names, fmt.Sprintf("%s (%s %s)", code, diag.Plural(n, "line", "lines"), diag.Some(lines[code], mostNamed)))
		}
		return diag.Some(names, mostNamed)
	}
	if n := len(c.Fixed); n > 0 {
		lines = append(lines, fmt.Sprintf("fixed: %s of %s %s no finding any more; --write-baseline removes %s: %s", diag.Count(n, "row"),
			c.Name, diag.Plural(n, "matches", "match"), diag.Plural(n, "it", "them"), rows(c.Fixed)))
	}
	if n := len(c.Absent); n > 0 {
		why := "not all of their files were judged as a whole"
		if len(c.Lacking) > 0 {
			why = "not judged as a whole: files of " + nodeset.Text(c.Lacking, nodeset.Devices, devicesRoom)
		}
		lines = append(lines, fmt.Sprintf("not known: whether %s of %s %s fixed (%s): %s", diag.Count(n, "row"), c.Name,
			diag.Plural(n, "is", "are"), why, rows(c.Absent)))
	}
	if n := c.Unowned(); n > 0 {
		lines = append(lines, fmt.Sprintf("%s of %s %s no owner or no reason", diag.Count(n, "row"), c.Name, diag.Plural(n, "has", "have")))
	}
	return lines
}

// Known lists the findings that do not count; c may be nil.
func (c *Compared) Known() []Known {
	if c == nil {
		return nil
	}
	return c.Held
}

// States has the states of findings, by the names of SARIF.
type States struct {
	any  bool // there is a baseline
	held map[*diag.Diagnostic]*Block
	back map[*diag.Diagnostic]Known
}

// States returns the states of findings; c may be nil.
func (c *Compared) States() *States {
	s := &States{any: c != nil, held: map[*diag.Diagnostic]*Block{}, back: map[*diag.Diagnostic]Known{}}
	if c == nil {
		return s
	}
	for _, k := range c.Held {
		s.held[k.Diagnostic] = k.Block
	}
	for _, k := range c.Returned {
		s.back[k.Diagnostic] = k
	}
	return s
}

// Accepted returns the block that accepts a finding; nil: the finding counts.
func (s *States) Accepted(d *diag.Diagnostic) *Block { return s.held[d] }

// Of returns the state of a finding. A finding with a row of the same severity is unchanged, even if the row expired. Notes have no
// rows, so they are new. Without a baseline no finding has a state.
func (s *States) Of(d *diag.Diagnostic) string {
	k, back := s.back[d]
	switch {
	case !s.any:
		return ""
	case s.held[d] != nil, back && !k.Worse:
		return "unchanged"
	case back:
		return "updated"
	}
	return "new"
}
