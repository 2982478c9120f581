package lang

import (
	"sort"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// Ignored is a diagnostic that a comment silences.
type Ignored struct {
	*diag.Diagnostic
	By *Ignore
}

// Ignorable states whether a comment can silence diagnostics of a code.
type Ignorable int

// The zero value is a code that does not exist.
const (
	NoCode Ignorable = iota
	Never
	UnlessError // a comment silences only warnings and notes of the code
	Always
)

// Suppress removes the diagnostics from l that a comment silences, and adds diagnostics about wrong comments. A comment with a former
// code silences the codes that replaced the former code. judged states that every stage has run. Only then Suppress reports a comment
// that silences nothing.
func (s *Source) Suppress(l diag.List, kinds map[string]Ignorable, merged map[string][]string, judged bool) (diag.List, []Ignored) {
	if len(s.Ignores) == 0 {
		return l, nil
	}
	type subject struct{ file, code string }
	comments := map[subject][]*Ignore{} // in the order of the file; the covered parts have the same order
	codes := func(g *Ignore) []string {
		if now := merged[g.Code]; now != nil {
			return now
		}
		return []string{g.Code}
	}
	for _, g := range s.Ignores {
		for _, code := range codes(g) {
			of := subject{g.At.Filename, code}
			comments[of] = append(comments[of], g)
		}
	}
	used, refused := map[*Ignore]bool{}, map[*Ignore]bool{}
	first := map[subject]*diag.Diagnostic{}
	var kept diag.List
	var ignored []Ignored
	for _, d := range l {
		of := subject{d.At.Filename, d.Code}
		if first[of] == nil {
			first[of] = d
		}
		g := covering(comments[of], d.At)
		switch {
		case g == nil:
			kept = append(kept, d)
		case kinds[d.Code] == Always || kinds[d.Code] == UnlessError && d.Severity != diag.Error:
			used[g] = true
			ignored = append(ignored, Ignored{d, g})
		default:
			refused[g] = true
			kept = append(kept, d)
		}
	}
	const mostHints = 20 // each search compares every code
	hints := 0
	for _, g := range s.Ignores {
		code := codes(g)[0]
		switch k := kinds[code]; {
		case used[g]:
		case k == NoCode:
			if first, _, list := strings.Cut(g.Code, ","); list && kinds[first] != NoCode {
				ignoreUnknown.Warnf(&kept, g.At, "One comment silences one code. Write %s without the comma, and a comment for each further code.",
					first)
				continue
			}
			near := ""
			if hints++; hints <= mostHints {
				if code := diag.Nearest(g.Code, keys(kinds)); code != "" {
					near = diag.Meant(code)
				}
			}
			ignoreUnknown.Warnf(&kept, g.At, "There is no code %q.%s Write a code that rocec validate prints in brackets; rocec explain --list "+
				"shows all.", diag.Cut(g.Code), near)
		case code == "pfc-loop":
			ignoreRefused.Warnf(&kept, g.At, "A PFC loop can freeze the fabric, so a comment cannot silence it. Fix the routing, or "+
				"write allow_deadlock = \"reason\" in the cos_group. plan and apply repeat the reason every time.")
		case code == "pfc-loop-unknown":
			ignoreRefused.Warnf(&kept, g.At, "Without a proof the fabric may freeze, so a comment cannot silence a missing proof. "+
				"Follow the advice of the error, or write allow_unproven = \"reason\" in the cos_group. plan and apply repeat the reason every time.")
		case k == Never || refused[g]:
			ignoreRefused.Warnf(&kept, g.At, "%q is an error that leaves a device without its settings, so a comment cannot silence "+
				"it. Correct the place of the error, and delete the comment.", g.Code)
		case judged && !g.Shared:
			d := ignoreUnused.Warnf(&kept, g.At, "There is no finding %q on the next line. Delete the comment, or move it directly "+
				"before the attribute or block at which the finding is reported.", g.Code)
			if other := first[subject{g.At.Filename, code}]; other != nil {
				d.Note(other.At, "a finding of this code is here")
			}
		}
	}
	kept.Sort()
	return kept, ignored
}

// covering returns the first comment that covers a place, or nil. The comments are in order.
func covering(comments []*Ignore, at diag.Range) *Ignore {
	starts := func(b int) int { // number of comments that begin before b
		return sort.Search(len(comments), func(i int) bool { return comments[i].Covers.Start.Byte >= b })
	}
	last := starts(at.Start.Byte + 1)
	if last == 0 {
		return nil
	}
	g := comments[starts(comments[last-1].Covers.Start.Byte)]
	if !covers(g, at) {
		return nil
	}
	return g
}

// covers reports whether a place is in the attribute or block after the comment.
func covers(g *Ignore, at diag.Range) bool {
	return at.Filename == g.Covers.Filename && g.Covers.Start.Byte <= at.Start.Byte &&
		at.Start.Byte < max(g.Covers.End.Byte, g.Covers.Start.Byte+1)
}
