package parse

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
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
	Shared       bool       // it is in a module outside of the fabric's folder, and may silence a finding of another fabric
}

const ignoreWord = "rocec:ignore"

// Ignores collects the comments of one file that silence diagnostics.
func Ignores(f File, ds *diag.List) []*Ignore {
	src := f.Src
	var out []*Ignore
	tokens, _ := hclsyntax.LexConfig(src, f.Name, hcl.InitialPos)
	lines := bytes.Split(src, []byte("\n"))
	meant := make([]int, len(lines)) // by line: the first line at or after it that is not a comment
	for i := len(lines) - 1; i >= 0; i-- {
		meant[i] = i
		if i+1 < len(lines) && isComment(lines[i]) {
			meant[i] = meant[i+1]
		}
	}
	starts := map[int]diag.Range{}
	startsIn(f.Body, starts)
	for _, t := range tokens {
		if t.Type != hclsyntax.TokenComment || !Silences(t.Bytes) {
			continue
		}
		text, line := strings.TrimSpace(string(t.Bytes)), t.Range.Start.Line
		at := t.Range
		at.End = at.Start
		at.End.Byte += len(text)
		at.End.Column += utf8.RuneCountInString(text)
		says := strings.TrimLeft(text, "#/* \t")
		after, ok := strings.CutPrefix(says, ignoreWord)
		if !ok && nearlyIgnore().MatchString(says) {
			IgnoreInvalid.Warnf(ds, at, "The comment has no effect in this spelling. Write # rocec:ignore CODE reason, with a colon, "+
				"in small letters, and without spaces around the colon.")
			continue
		}
		if !ok || after != "" && after[0] != ' ' && after[0] != '\t' && after[0] != '*' {
			continue // a comment that only mentions rocec:ignore
		}
		g := &Ignore{At: at}
		var rest string
		g.Code, rest, _ = strings.Cut(strings.ReplaceAll(strings.TrimSpace(after), "\t", " "), " ")
		g.Reason = strings.TrimSpace(rest)
		if ok = line < len(lines); ok {
			g.Covers, ok = starts[meant[line]+1] // comments between them are skipped
		}
		switch {
		case g.Code == "":
			IgnoreInvalid.Warnf(ds, at, "The comment names no code. Write # rocec:ignore CODE reason, with a code that rocec validate prints in "+
				"brackets.")
		case g.Reason == "":
			IgnoreInvalid.Warnf(ds, at, "The comment gives no reason. Write why %s does not matter here: # rocec:ignore %s reason.",
				diag.Plain(g.Code), diag.Plain(g.Code))
		case strings.HasPrefix(text, "/*"):
			IgnoreInvalid.Warnf(ds, at, "Write this comment with #, alone on its line.")
		case len(bytes.TrimSpace(lines[line-1][:lineOffset(src, t.Range.Start.Byte)])) > 0:
			IgnoreInvalid.Warnf(ds, at, "The comment shares its line with other text. Put it alone on a line, directly before the "+
				"attribute or block of the finding.")
		case !ok:
			IgnoreInvalid.Warnf(ds, at, "No attribute or block begins on the next line. Put the comment directly before the attribute "+
				"or block of the finding.")
		default:
			out = append(out, g)
		}
	}
	return out
}

// nearlyIgnore matches wrong spellings of the comment that people are likely to write.
var nearlyIgnore = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\Arocec[ \t]*[:_-]?[ \t]*ignore[ \t:]`) })

// lineOffset returns the number of bytes of the line before an offset of src.
func lineOffset(src []byte, at int) int { return at - (bytes.LastIndexByte(src[:at], '\n') + 1) }

func isComment(line []byte) bool {
	line = bytes.TrimSpace(line)
	return bytes.HasPrefix(line, []byte("#")) || bytes.HasPrefix(line, []byte("//"))
}

// startsIn collects what begins on each line: the place of an attribute, or of the header of a block. For a block on one line it is the
// whole block.
func startsIn(body *hclsyntax.Body, starts map[int]diag.Range) {
	for _, b := range body.Blocks {
		startsIn(b.Body, starts)
		at := Header(b)
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
