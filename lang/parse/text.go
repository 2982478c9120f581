package parse

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"github.com/rocec/rocec/lang/diag"
)

// CheckText refuses bytes that are not UTF-8 text, and text that must have more tokens than are allowed.
func CheckText(name string, src []byte, ds *diag.List) bool {
	bad, marks := -1, 0
	for i := 0; i < len(src); {
		c := src[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(src[i:])
			if r == utf8.RuneError && n == 1 {
				bad = i
				break
			}
			i += n
			continue
		}
		if c == 0 {
			bad = i
			break
		}
		if mark[c] {
			marks++
		}
		i++
	}
	if bad >= 0 {
		at, _ := NotText(name, src)
		what := "is not UTF-8 text"
		if src[bad] == 0 {
			what = "contains a NUL byte"
		}
		InvalidUTF8.Errorf(ds, at, "%q %s at byte %d. Save it as UTF-8.", name, what, bad)
		return false
	}
	if marks > 2*maxTokens {
		TooLarge.Errorf(ds, Start(name), "The file has more than 200,000 tokens. Split it into several files.")
		return false
	}
	return true
}

// mark has the ASCII characters that are separate tokens outside of text and comments.
var mark = func() (m [utf8.RuneSelf]bool) {
	for _, c := range "()[]{}!?-+*/%<>=&|.,:\"'\\^;`@~$\n" {
		m[c] = true
	}
	return m
}()

// NotText returns the place of the first byte that is not UTF-8, or of a NUL.
func NotText(name string, src []byte) (diag.Range, bool) {
	bad := bytes.IndexByte(src, 0)
	for i := 0; i < len(src) && (bad < 0 || i < bad); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			bad = i
			break
		}
		i += n
	}
	if bad < 0 {
		return diag.Range{}, false
	}
	line := bytes.Count(src[:bad], []byte("\n")) + 1
	column := utf8.RuneCount(src[bytes.LastIndexByte(src[:bad], '\n')+1:bad]) + 1
	pos := hcl.Pos{Line: line, Column: column, Byte: bad}
	end := pos
	end.Byte++
	end.Column++
	return diag.Range{Filename: name, Start: pos, End: end}, true
}

// Size returns a number of bytes in the notation of the language.
func Size(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
