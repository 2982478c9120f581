package diag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// WriteJSON writes v as a JSON document and a newline, indented or on one line. The characters <, > and & are not escaped. Every
// character that is not printable, such as a control of a terminal or of the direction of text, is a JSON escape. So the document is
// safe to print and has the same value.
func WriteJSON(w io.Writer, v any, indented bool) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if indented {
		enc.SetIndent("", "  ")
	}
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(printableJSON(b.Bytes()))
	return err
}

// printableJSON escapes the characters of a JSON text that are not printable, and commands that CI systems find within a line. Outside
// of strings the only such characters are newlines.
func printableJSON(text []byte) []byte {
	if bytes.Contains(text, []byte("##")) {
		text = hashCommand().ReplaceAll(text, []byte(`\u0023#$1[`))
	}
	var out []byte // nil as long as nothing had to be escaped
	from := 0
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r >= 0x7f && !unicode.IsPrint(r) {
			out = append(out, text[from:i]...)
			if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
				out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
			} else {
				out = fmt.Appendf(out, `\u%04x`, r)
			}
			from = i + n
		}
		i += n
	}
	if out == nil {
		return text
	}
	return append(out, text[from:]...)
}

type jsonPos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Byte   int `json:"byte"`
}

type jsonRange struct {
	Filename string  `json:"filename"`
	Start    jsonPos `json:"start"`
	End      jsonPos `json:"end"`
}

type jsonNote struct {
	Message string     `json:"message"`
	Range   *jsonRange `json:"range,omitempty"`
}

type jsonEdit struct {
	Range *jsonRange `json:"range"`
	New   string     `json:"new"`
}

type jsonFix struct {
	Message string     `json:"message"`
	Edits   []jsonEdit `json:"edits"`
}

type jsonWait struct {
	Device   string     `json:"device"`
	In       string     `json:"in"`
	Out      string     `json:"out"`
	CosGroup string     `json:"cos_group"`
	Range    *jsonRange `json:"range,omitempty"`
}

type jsonDiagnostic struct {
	Code     string     `json:"code"`
	Severity string     `json:"severity"`
	Summary  string     `json:"summary"`
	Detail   string     `json:"detail"`
	Range    *jsonRange `json:"range,omitempty"`
	Notes    []jsonNote `json:"notes,omitempty"`
	Text     string     `json:"text,omitempty"`
	Fix      *jsonFix   `json:"fix,omitempty"`
	Loop     []jsonWait `json:"loop,omitempty"`
}

func rangeJSON(r Range) *jsonRange {
	if r.Filename == "" {
		return nil
	}
	return &jsonRange{r.Filename, jsonPos(r.Start), jsonPos(r.End)}
}

// MarshalJSON writes the members that `rocec validate --format json` promises.
func (d *Diagnostic) MarshalJSON() ([]byte, error) {
	j := jsonDiagnostic{
		Code: d.Code, Severity: d.Severity.String(), Summary: d.Summary, Detail: d.Detail,
		Range: rangeJSON(d.At), Text: d.Text,
	}
	for _, n := range d.Notes {
		j.Notes = append(j.Notes, jsonNote{n.Message, rangeJSON(n.At)})
	}
	if d.Fix != nil {
		j.Fix = &jsonFix{Message: d.Fix.Message, Edits: []jsonEdit{}}
		for _, e := range d.Fix.Edits {
			j.Fix.Edits = append(j.Fix.Edits, jsonEdit{rangeJSON(e.At), e.New})
		}
	}
	for _, h := range d.Loop {
		j.Loop = append(j.Loop, jsonWait{h.Device, h.In, h.Out, h.CosGroup, rangeJSON(h.At)})
	}
	return json.Marshal(j)
}
