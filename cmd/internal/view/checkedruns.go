package view

import (
	"fmt"

	"github.com/rocec/rocec/cmd/internal/record"
	"github.com/rocec/rocec/lang/diag"
)

// CheckedRuns prints what was found, and what it proves.
func (s *Screen) CheckedRuns(c *record.Runs) {
	whole, signed, older, running := 0, 0, 0, 0
	var open []string // runs whose author no signature proves
	for i := range c.Checked {
		r := &c.Checked[i]
		for _, why := range r.Wrong {
			s.Prose("", fmt.Sprintf("run %s: %s.", diag.Escape(r.Run), diag.Escape(why)))
		}
		switch {
		case len(r.Wrong) > 0:
			continue
		case r.Older:
			older++
			continue
		case r.Running:
			running++
			continue
		}
		for _, why := range r.Notes {
			open = append(open, fmt.Sprintf("run %s: %s", diag.Escape(r.Run), diag.Escape(why)))
		}
		whole++
		if r.SignedBy != "" {
			signed++
		} else {
			open = append(open, fmt.Sprintf("run %s is not signed: %s", diag.Escape(r.Run), diag.Escape(r.Unsigned)))
		}
	}
	fmt.Fprintf(s.Raw, "%s: %d whole, %d of these signed.\n", diag.Count(len(c.Checked), "run"), whole, signed)
	if older > 0 {
		s.Prose("", fmt.Sprintf("%s written by a rocec that made no chains: nothing is proved about it.",
			diag.Count(older, "journal")+diag.Plural(older, " was", " were")))
	}
	if running > 0 {
		s.Prose("", fmt.Sprintf("%s under way: its end is not judged.", diag.Count(running, "run")+diag.Plural(running, " is", " are")))
	}
	if d := c.Devices; d != nil {
		fits := 0
		for i := range c.Checked {
			fits += c.Checked[i].Records
		}
		fmt.Fprintf(s.Raw, "%s asked: %s of these runs there.\n", diag.Count(d.Asked, "device"), diag.Count(fits, "record"))
		for _, text := range d.Silent {
			s.Prose("", diag.Escape(text))
		}
		for _, text := range d.Others {
			s.Prose("", diag.Escape(text))
		}
	}
	if whole > signed && c.Devices == nil {
		s.Prose("", "A person who can write a journal without a signature can write all its lines again: --devices compares it with what the "+
			"devices keep.")
	}
	const most = 5
	for i, text := range open {
		if i == most {
			fmt.Fprintf(s.Raw, "and %d more\n", len(open)-most)
			break
		}
		s.Prose("", text)
	}
}
