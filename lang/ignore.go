package lang

import (
	"bytes"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
)

// Ignore is a comment "# rocec:ignore CODE reason" on its own line before an attribute or a block.
type Ignore struct {
	Code, Reason string
	At           diag.Range // the comment
	Covers       diag.Range // the attribute, or the header of the block
	Shared       bool       // it stands in a module outside of the fabric's folder: in another fabric it may silence something
}

// Ignored is a diagnostic a comment silences.
type Ignored struct {
	*diag.Diagnostic
	By *Ignore
}

// Ignorable says whether a comment can silence diagnostics of a code.
type Ignorable int

// The zero value is a code that does not exist.
const (
	NoCode Ignorable = iota
	Never
	UnlessError // warnings and notes of the code
	Always
)

// Suppress takes the diagnostics out of l that a comment silences, and adds what is wrong with the comments. Judged tells
// that every stage has run: only then a comment that silences nothing is reported.
func (s *Source) Suppress(l diag.List, kinds map[string]Ignorable, judged bool) (diag.List, []Ignored) {
	if len(s.Ignores) == 0 {
		return l, nil
	}
	type subject struct{ file, code string }
	comments := map[subject][]*Ignore{} // in the order they are written; what they cover is as well
	for _, g := range s.Ignores {
		of := subject{g.At.Filename, g.Code}
		comments[of] = append(comments[of], g)
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
		switch k := kinds[g.Code]; {
		case used[g]:
		case k == NoCode:
			if code, _, list := strings.Cut(g.Code, ","); list && kinds[code] != NoCode {
				ignoreUnknown.Warnf(&kept, g.At, "One comment silences one code. Write %s without the comma, and a comment for each further code.", code)
				continue
			}
			near := ""
			if hints++; hints <= mostHints {
				if code := diag.Nearest(g.Code, sortedKeys(kinds)); code != "" {
					near = diag.Meant(code)
				}
			}
			ignoreUnknown.Warnf(&kept, g.At, "There is no code %q.%s Write one that rocec validate prints in brackets; rocec explain --list "+
				"shows all.", diag.Cut(g.Code), near)
		case g.Code == "pfc-loop":
			ignoreRefused.Warnf(&kept, g.At, "A PFC loop freezes the fabric, so no comment hides it. Mend the routing, or write allow_deadlock = \"reason\" in the cos_group, which plan and apply repeat every time.")
		case g.Code == "pfc-loop-unknown":
			ignoreRefused.Warnf(&kept, g.At, "Without a proof the fabric may freeze, so no comment hides that there is none. Follow what the "+
				"error says, or write allow_unproven = \"reason\" in the cos_group, which plan and apply repeat every time.")
		case k == Never || refused[g]:
			ignoreRefused.Warnf(&kept, g.At, "%q is an error that leaves a device without its settings, so no comment hides it. Correct what it "+
				"points at, and delete the comment.", g.Code)
		case judged && !g.Shared:
			d := ignoreUnused.Warnf(&kept, g.At, "There is no finding %q on the next line. Delete the comment, or put it directly before the attribute or block the finding points at.", g.Code)
			if other := first[subject{g.At.Filename, g.Code}]; other != nil {
				d.Note(other.At, "a finding of this code is here")
			}
		}
	}
	kept.Sort()
	return kept, ignored
}

// covering returns the first of the comments, which are in order, that stands before what a place lies in, or nil.
func covering(comments []*Ignore, at diag.Range) *Ignore {
	starts := func(b int) int { // how many begin before b
		return sort.Search(len(comments), func(i int) bool { return comments[i].Covers.Start.Byte >= b })
	}
	last := starts(at.Start.Byte + 1)
	if last == 0 {
		return nil
	}
	g := comments[starts(comments[last-1].Covers.Start.Byte)]
	if !g.covers(at) {
		return nil
	}
	return g
}

// covers tells whether a place lies in what the comment stands before.
func (g *Ignore) covers(at diag.Range) bool {
	return at.Filename == g.Covers.Filename && g.Covers.Start.Byte <= at.Start.Byte && at.Start.Byte < max(g.Covers.End.Byte, g.Covers.Start.Byte+1)
}

const ignoreWord = "rocec:ignore"

// readIgnores collects the comments of one file that silence diagnostics. The body is that of the whole file.
func (l *loader) readIgnores(f *folder, body *hclsyntax.Body, src []byte, name string) {
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
	lines := bytes.Split(src, []byte("\n"))
	meant := make([]int, len(lines)) // by line: the first one at or after it that is no comment
	for i := len(lines) - 1; i >= 0; i-- {
		meant[i] = i
		if i+1 < len(lines) && isComment(lines[i]) {
			meant[i] = meant[i+1]
		}
	}
	starts := map[int]diag.Range{}
	startsIn(body, starts)
	for _, t := range tokens {
		if t.Type != hclsyntax.TokenComment || !mayIgnore(t.Bytes) {
			continue
		}
		text, line := strings.TrimSpace(string(t.Bytes)), t.Range.Start.Line
		at := t.Range
		at.End = at.Start
		at.End.Byte += len(text)
		at.End.Column += utf8.RuneCountInString(text)
		says := strings.TrimLeft(text, "#/* \t")
		after, ok := strings.CutPrefix(says, ignoreWord)
		if !ok && nearlyIgnore.MatchString(says) {
			ignoreInvalid.Warnf(&l.diags, at, "The comment silences nothing as it is spelt. Write # rocec:ignore CODE reason, with a colon, without spaces in it, in small letters.")
			continue
		}
		if !ok || after != "" && after[0] != ' ' && after[0] != '\t' && after[0] != '*' {
			continue // a comment that speaks of it
		}
		g := &Ignore{At: at, Shared: f.outside}
		var rest string
		g.Code, rest, _ = strings.Cut(strings.ReplaceAll(strings.TrimSpace(after), "\t", " "), " ")
		g.Reason = strings.TrimSpace(rest)
		if ok = line < len(lines); ok {
			g.Covers, ok = starts[meant[line]+1] // comments in between are skipped
		}
		switch {
		case g.Code == "":
			ignoreInvalid.Warnf(&l.diags, at, "The comment names no code. Write # rocec:ignore CODE reason, with a code that rocec validate prints in brackets.")
		case g.Reason == "":
			ignoreInvalid.Warnf(&l.diags, at, "The comment gives no reason. Write why %s does not matter here: # rocec:ignore %s reason.", shown(g.Code), shown(g.Code))
		case strings.HasPrefix(text, "/*"):
			ignoreInvalid.Warnf(&l.diags, at, "Write this comment with # on a line of its own.")
		case len(bytes.TrimSpace(lines[line-1][:lineOffset(src, t.Range.Start.Byte)])) > 0:
			ignoreInvalid.Warnf(&l.diags, at, "The comment stands behind something. Put it on a line of its own, directly before the attribute or block that is meant.")
		case !ok:
			ignoreInvalid.Warnf(&l.diags, at, "No attribute or block begins on the next line. Put the comment directly before the one that is meant.")
		default:
			l.src.Ignores = append(l.src.Ignores, g)
		}
	}
}

// mayIgnore tells whether a text may hold such a comment, or one that was meant to be.
func mayIgnore(text []byte) bool {
	return bytes.Contains(text, []byte("ignore")) && bytes.Contains(text, []byte("ocec")) || bytes.Contains(text, []byte("ROCEC")) || bytes.Contains(text, []byte("Ignore"))
}

// nearlyIgnore is how people write the comment from memory.
var nearlyIgnore = regexp.MustCompile(`(?i)\Arocec[ \t]*[:_-]?[ \t]*ignore[ \t:]`)

// lineOffset is how many bytes of its line come before a byte of src.
func lineOffset(src []byte, at int) int { return at - (bytes.LastIndexByte(src[:at], '\n') + 1) }

func isComment(line []byte) bool {
	line = bytes.TrimSpace(line)
	return bytes.HasPrefix(line, []byte("#")) || bytes.HasPrefix(line, []byte("//"))
}

// startsIn collects what begins on each line: attributes whole, blocks by their header, or whole when they are on one line.
func startsIn(body *hclsyntax.Body, starts map[int]diag.Range) {
	for _, b := range body.Blocks {
		startsIn(b.Body, starts)
		at := header(b)
		if b.OpenBraceRange.Start.Line == b.CloseBraceRange.Start.Line {
			at = b.Range()
		}
		starts[at.Start.Line] = at
	}
	for _, a := range body.Attributes {
		if at, ok := starts[a.SrcRange.Start.Line]; !ok || at.Start.Byte > a.SrcRange.Start.Byte {
			starts[a.SrcRange.Start.Line] = a.SrcRange
		}
	}
}
