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
	Shared       bool       // it is in a module outside of the fabric's folder: in another fabric it may silence something
}

const ignoreWord = "rocec:ignore"

// Ignores collects the comments of one file that silence diagnostics.
func Ignores(f File, ds *diag.List) []*Ignore {
	src := f.Src
	var out []*Ignore
	tokens, _ := hclsyntax.LexConfig(src, f.Name, hcl.InitialPos)
	lines := bytes.Split(src, []byte("\n"))
	meant := make([]int, len(lines)) // by line: the first one at or after it that is not a comment
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
			IgnoreInvalid.Warnf(ds, at, "The comment silences nothing as it is spelt. Write # rocec:ignore CODE reason, with a colon, without "+
				"spaces in it, in small letters.")
			continue
		}
		if !ok || after != "" && after[0] != ' ' && after[0] != '\t' && after[0] != '*' {
			continue // a comment about rocec:ignore
		}
		g := &Ignore{At: at}
		var rest string
		g.Code, rest, _ = strings.Cut(strings.ReplaceAll(strings.TrimSpace(after), "\t", " "), " ")
		g.Reason = strings.TrimSpace(rest)
		if ok = line < len(lines); ok {
			g.Covers, ok = starts[meant[line]+1] // comments in between are skipped
		}
		switch {
		case g.Code == "":
			IgnoreInvalid.Warnf(ds, at, "The comment names no code. Write # rocec:ignore CODE reason, with a code that rocec validate prints in "+
				"brackets.")
		case g.Reason == "":
			IgnoreInvalid.Warnf(ds, at, "The comment gives no reason. Write why %s does not matter here: # rocec:ignore %s reason.",
				diag.Plain(g.Code), diag.Plain(g.Code))
		case strings.HasPrefix(text, "/*"):
			IgnoreInvalid.Warnf(ds, at, "Write this comment with # on a line of its own.")
		case len(bytes.TrimSpace(lines[line-1][:lineOffset(src, t.Range.Start.Byte)])) > 0:
			IgnoreInvalid.Warnf(ds, at, "The comment shares its line with other text. Put it on a line of its own, directly before the attribute "+
				"or block that is meant.")
		case !ok:
			IgnoreInvalid.Warnf(ds, at, "No attribute or block begins on the next line. Put the comment directly before the one that is meant.")
		default:
			out = append(out, g)
		}
	}
	return out
}

// nearlyIgnore is how people write the comment from memory.
var nearlyIgnore = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\Arocec[ \t]*[:_-]?[ \t]*ignore[ \t:]`) })

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
