package lang

import (
	"sort"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// Ignored is a diagnostic a comment silences.
type Ignored struct {
	*diag.Diagnostic
	By *Ignore
}

// Ignorable is whether a comment can silence diagnostics of a code.
type Ignorable int

// The zero value is a code that does not exist.
const (
	NoCode Ignorable = iota
	Never
	UnlessError // warnings and notes of the code
	Always
)

// Suppress takes the diagnostics out of l that a comment silences, and adds what is wrong with the comments. A comment with a former code
// silences the codes that this one was merged into. With judged every stage has run: only then a comment that silences nothing is
// reported.
func (s *Source) Suppress(l diag.List, kinds map[string]Ignorable, merged map[string][]string, judged bool) (diag.List, []Ignored) {
	if len(s.Ignores) == 0 {
		return l, nil
	}
	type subject struct{ file, code string }
	comments := map[subject][]*Ignore{} // in the order they are written; what they cover is as well
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
	const mostHints = 20 // each looks at every code
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
			ignoreUnknown.Warnf(&kept, g.At, "There is no code %q.%s Write one that rocec validate prints in brackets; rocec explain --list "+
				"shows all.", diag.Cut(g.Code), near)
		case code == "pfc-loop":
			ignoreRefused.Warnf(&kept, g.At, "A PFC loop freezes the fabric, so no comment hides it. Fix the routing, or write allow_deadlock = "+
				"\"reason\" in the cos_group, which plan and apply repeat every time.")
		case code == "pfc-loop-unknown":
			ignoreRefused.Warnf(&kept, g.At, "Without a proof the fabric may freeze, so no comment hides a missing proof. Follow what the "+
				"error says, or write allow_unproven = \"reason\" in the cos_group, which plan and apply repeat every time.")
		case k == Never || refused[g]:
			ignoreRefused.Warnf(&kept, g.At, "%q is an error that leaves a device without its settings, so no comment hides it. Correct the place "+
				"it points at, and delete the comment.", g.Code)
		case judged && !g.Shared:
			d := ignoreUnused.Warnf(&kept, g.At, "There is no finding %q on the next line. Delete the comment, or put it directly before the "+
				"attribute or block the finding points at.", g.Code)
			if other := first[subject{g.At.Filename, code}]; other != nil {
				d.Note(other.At, "a finding of this code is here")
			}
		}
	}
	kept.Sort()
	return kept, ignored
}

// covering returns the first of the comments, which are in order, that covers a place, or nil.
func covering(comments []*Ignore, at diag.Range) *Ignore {
	starts := func(b int) int { // how many begin before b
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
