// Package baseline reads and edits a baseline: a [Baseline] is a file of HCL that lists known findings, and who accepts them.
//
//	devices = ["leaf[01-04]", "spine[01-02]"]
//
//	known "conf-headroom" {
//	  owner  = "net-team"
//	  reason = "NET-123: the preset of the vendor goes with the next release"
//	  until  = "2027-03-01"
//	  findings = {
//	    "0f1d8a6c5b3e42979d0c6a1f7b2e8d34" = "error leaf02/config_db.json: Ethernet0 reserves 30,720 B"
//	  }
//	}
//
// A block lists the findings of one code that one person accepts for one reason. A row is a fingerprint, and a text that begins with
// the severity of the finding. The rest of the text is for readers. The list devices names the devices whose files were judged when the
// rows were written. A finding may depend on each of these devices, so no row counts as fixed in a run that lacks one.
package baseline

import (
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/parse"
)

// Invalid is the code of a file that cannot be used.
var Invalid = diag.Topic{Code: "baseline-invalid", Summary: "the baseline cannot be used"}

// Baseline is the content of a baseline file.
type Baseline struct {
	Name    string
	Src     []byte
	devices []string
	at      diag.Range // place of the list of devices
	blocks  []*Block
	rows    map[string]*Entry // by fingerprint
}

// Block is a list of findings of one code that one person accepts.
type Block struct {
	Code                 string
	Owner, Reason, Until string // Until is the last day, by UTC; empty: the block does not expire

	label diag.Range // of the code
	span  diag.Range // of the whole block
	end   int        // offset of the brace that closes the rows
	rows  []*Entry
}

// Entry is a row of a baseline: a finding that a person accepts.
type Entry struct {
	*Block
	Fingerprint string
	Severity    diag.Severity // when the row was written
	Text        string        // the text after the severity: the place and the message
	At          diag.Range

	value diag.Range
}

// Place is the name of the file that the row is about; empty: the finding has no place.
func (r *Entry) Place() string {
	place, _, _ := strings.Cut(r.Text, ": ")
	return place
}

// Expired reports whether the last day of a block is over.
func (b *Block) Expired(today time.Time) bool {
	return b.Until != "" && b.Until < today.UTC().Format(time.DateOnly)
}

// Read reads the text of a file, at most [parse.MaxFile] bytes. The baseline is nil after an error.
func Read(name string, src []byte) (*Baseline, diag.List) {
	r := &reader{b: &Baseline{Name: name, Src: src, rows: map[string]*Entry{}}}
	if len(src) > parse.MaxFile {
		parse.TooLarge.Errorf(&r.ds, parse.Start(name), "%q is larger than %s. Leave out findings that are fixed, or write a baseline "+
			"for each part of the network.", name, parse.Size(parse.MaxFile))
		return nil, r.ds
	}
	body, ok := parse.Body(name, src, &r.ds)
	if !ok {
		return nil, r.ds
	}
	for _, a := range parse.Attributes(body) {
		if a.Name == "devices" {
			r.devices(a)
			continue
		}
		r.errorf(a.NameRange, "%q is outside of a block. Write it into a block such as known \"pfc-loop\" { }.", diag.Cut(a.Name))
	}
	for _, b := range body.Blocks {
		r.block(b)
	}
	if r.ds.HasErrors() {
		r.ds.Sort()
		return nil, r.ds
	}
	return r.b, nil
}

// reader collects the blocks of a file.
type reader struct {
	b  *Baseline
	ds diag.List
}

func (r *reader) errorf(at diag.Range, format string, args ...any) *diag.Diagnostic {
	return Invalid.Errorf(&r.ds, at, format, args...)
}

// devices reads the list of devices: nodesets, or names that are not valid in a nodeset.
func (r *reader) devices(a *hclsyntax.Attribute) {
	list, ok := a.Expr.(*hclsyntax.TupleConsExpr)
	if !ok {
		r.errorf(a.Expr.Range(), "devices is a list such as [\"leaf[01-04]\"].")
		return
	}
	r.b.at = a.Expr.Range()
	for _, e := range list.Exprs {
		text, ok := literal(e)
		if !ok {
			r.errorf(e.Range(), "devices is a list of names in quotes, such as \"leaf[01-04]\".")
			continue
		}
		set, wrong := nodeset.Parse(text, nodeset.Devices)
		switch {
		case len(wrong) > 0:
			r.b.devices = append(r.b.devices, text)
		case set.Len() > mostDevices-len(r.b.devices):
			r.errorf(e.Range(), "The list names more than %s devices.", diag.Number(mostDevices))
			return
		default:
			for name := range set.All() {
				r.b.devices = append(r.b.devices, name.Device)
			}
		}
	}
}

// mostDevices bounds the devices of a baseline.
const mostDevices = 100_000

// names are the attributes of a block.
var names = []string{"owner", "reason", "until", "findings"}

func (r *reader) block(b *hclsyntax.Block) {
	switch {
	case b.Type != "known":
		r.errorf(b.TypeRange, "There is no block %q in a baseline. Its blocks are known \"CODE\" { }.", diag.Cut(b.Type))
		return
	case len(b.Labels) != 1:
		r.errorf(parse.Header(b), "A block has one label, the code of its findings: known \"pfc-loop\" { }.")
		return
	}
	one := &Block{Code: b.Labels[0], label: b.LabelRanges[0], span: b.Range(), end: -1}
	one.span.End = b.CloseBraceRange.End
	for _, inner := range b.Body.Blocks {
		r.errorf(inner.TypeRange, "A block in a block is not known. Write findings = { } for the rows.")
	}
	for _, a := range parse.Attributes(b.Body) {
		switch a.Name {
		case "owner":
			one.Owner = r.text(a)
		case "reason":
			one.Reason = r.text(a)
		case "until":
			if one.Until = r.text(a); one.Until == "" {
				continue
			}
			if _, err := time.Parse(time.DateOnly, one.Until); err != nil {
				r.errorf(a.Expr.Range(), "%q is not a date. Write the last day such as \"2027-03-01\", or leave until out.", diag.Cut(one.Until))
			}
		case "findings":
			r.findings(one, a)
		default:
			r.errorf(a.NameRange, "There is no %q in a block of a baseline.%s", diag.Cut(a.Name), diag.Suggest(a.Name, names))
		}
	}
	if one.end < 0 && !r.ds.HasErrors() {
		r.errorf(parse.Header(b), "The block has no findings. Write findings = { }, or remove the block.")
	}
	r.b.blocks = append(r.b.blocks, one)
}

// text reads a string on one line, without functions or references.
func (r *reader) text(a *hclsyntax.Attribute) string {
	s, ok := literal(a.Expr)
	if !ok || strings.ContainsAny(s, "\n\r") {
		r.errorf(a.Expr.Range(), "%s is a text in quotes, on one line.", a.Name)
	}
	return strings.TrimSpace(s)
}

func literal(e hclsyntax.Expression) (string, bool) {
	v, ok := parse.Literal(e)
	if !ok || v.IsNull() || v.Type() != cty.String {
		return "", false
	}
	return v.AsString(), true
}

// severities are the first words of rows.
var severities = map[string]diag.Severity{"error": diag.Error, "warning": diag.Warning, "note": diag.Notice}

// findings reads the rows of a block.
func (r *reader) findings(one *Block, a *hclsyntax.Attribute) {
	object, ok := a.Expr.(*hclsyntax.ObjectConsExpr)
	if !ok {
		r.errorf(a.Expr.Range(), "findings is a list of rows in braces, each FINGERPRINT = \"SEVERITY PLACE\". `rocec audit "+
			"--write-baseline` writes them.")
		return
	}
	one.end = object.SrcRange.End.Byte - 1
	for _, item := range object.Items {
		row := &Entry{Block: one, At: item.KeyExpr.Range(), value: item.ValueExpr.Range()}
		row.Fingerprint, ok = literal(parse.Key(item.KeyExpr))
		if !ok || !fingerprint(row.Fingerprint) {
			r.errorf(row.At, "A row begins with a fingerprint in quotes: 32 digits, 0 to 9 and a to f.")
			continue
		}
		text, ok := literal(item.ValueExpr)
		word, rest, _ := strings.Cut(text, " ")
		row.Severity, row.Text = severities[word], rest
		if !ok || row.Severity == 0 {
			r.errorf(row.value, "The text of a row is in quotes, and begins with error or warning: the severity of the finding when the row "+
				"was written.")
			continue
		}
		if first := r.b.rows[row.Fingerprint]; first != nil {
			r.errorf(row.At, "The finding has a row already. Delete one of the two rows.").Note(first.At, "the first row")
			continue
		}
		r.b.rows[row.Fingerprint] = row
		one.rows = append(one.rows, row)
	}
}

func fingerprint(s string) bool {
	return len(s) == 32 && strings.Trim(s, "0123456789abcdef") == ""
}
