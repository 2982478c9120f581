package lang

import (
	"bytes"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/parse"
)

// Format returns src in canonical form: two spaces a level, aligned equals signs and trailing comments, one newline at the end. It
// keeps order, comments, empty lines and line ends (LF or CRLF), and removes a byte order mark. For text that is not valid HCL, or
// exceeds the limits of [Load], the result is nil and the list states the reason. Formatting the result again changes nothing.
func Format(name string, src []byte) ([]byte, diag.List) {
	var ds diag.List
	if len(src) > parse.MaxFile {
		parse.TooLarge.Errorf(&ds, parse.Start(name), "%q is larger than %s. Split it into several files.", name, parse.Size(parse.MaxFile))
		return nil, ds
	}
	if _, ok := parse.Body(name, src, &ds); !ok {
		ds.Sort()
		return nil, ds
	}
	return canonical(src), nil
}

// BadName is the topic of names that the language does not allow.
var BadName = eval.BadName

// TooLarge is the code of [Format] for a text that is larger than a file of a fabric may be.
var TooLarge = parse.TooLarge.Code

// Quote returns a text as a quoted string of HCL. It escapes quotes, control characters and the beginnings of templates.
func Quote(s string) string { return string(hclwrite.TokensForValue(cty.StringVal(s)).Bytes()) }

// canonical formats text that is known to parse. It ends the text in one newline, of the same kind as the last newline of the text.
func canonical(src []byte) []byte {
	out := bytes.TrimPrefix(hclwrite.Format(src), []byte("\ufeff"))
	trimmed := bytes.TrimRight(out, "\n\r\t ")
	if len(trimmed) == 0 {
		return nil
	}
	end := "\n"
	if last := bytes.LastIndexByte(out, '\n'); last > 0 && out[last-1] == '\r' {
		end = "\r\n"
	}
	return append(trimmed[:len(trimmed):len(trimmed)], end...)
}
