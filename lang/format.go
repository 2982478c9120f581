package lang

import (
	"bytes"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/parse"
)

// Format returns src in canonical form: two spaces a level, equals signs and comments behind values aligned, one newline at
// the end. Order, comments, empty lines and line ends (LF or CRLF) stay as they are; a byte order mark goes. Text that is not
// valid HCL, or over the limits of [Load], is not touched: the result is nil and the list says why. Formatting the result
// again changes nothing.
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

// TooLarge is the code of what [Format] finds in a text that is larger than a file of a fabric may be.
var TooLarge = parse.TooLarge.Code

// Quote returns a text in quotes, as HCL reads it back: with escapes for quotes, control characters and what begins a template.
func Quote(s string) string { return string(hclwrite.TokensForValue(cty.StringVal(s)).Bytes()) }

// canonical formats text that is known to parse, and ends it in one newline of the kind of the last one.
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
