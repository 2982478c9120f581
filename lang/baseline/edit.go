package baseline

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

const preamble = `# Findings that are known. Fill in owner, reason and until, the last day. Move rows that have another owner or another
# reason into a block of their own. "rocec audit --write-baseline" adds rows and removes those of findings that are fixed.
`

// Edited returns the text of the baseline for the next run. It adds a row for each new finding, raises the severity of findings that
// are worse, and removes fixed rows. All other text stays as people wrote it. New rows are in blocks without an owner.
func (c *Compared) Edited() []byte {
	e := &editor{src: c.Src}
	for _, k := range c.Returned {
		if k.Worse {
			e.replace(k.value.Start.Byte, k.value.End.Byte, text(k.Finding))
		}
	}
	devices := c.list()
	if c.at.Filename != "" {
		e.replace(c.at.Start.Byte, c.at.End.Byte, devices)
		devices = ""
	}
	gone := map[*Entry]bool{}
	for _, row := range c.Fixed {
		gone[row] = true
	}
	over := func(b *Block) bool { // each finding is fixed
		return len(b.rows) > 0 && !slices.ContainsFunc(b.rows, func(r *Entry) bool { return !gone[r] })
	}
	open := map[string]*Block{}
	for _, b := range c.blocks {
		if !over(b) && b.Owner == "" && b.Reason == "" && b.Until == "" && open[b.Code] == nil {
			open[b.Code] = b
		}
	}
	adds, blocks := map[*Block][]Finding{}, map[string][]Finding{}
	for _, f := range c.new {
		if b := open[f.Code]; b != nil {
			adds[b] = append(adds[b], f)
		} else {
			blocks[f.Code] = append(blocks[f.Code], f)
		}
	}
	for _, b := range c.blocks {
		if over(b) {
			e.remove(b.span.Start.Byte, b.span.End.Byte)
			continue
		}
		for _, row := range b.rows {
			if gone[row] {
				e.remove(row.At.Start.Byte, row.value.End.Byte)
			}
		}
		if len(adds[b]) > 0 {
			e.insert(b.end, rows(adds[b]))
		}
	}
	out := bytes.TrimRight(e.bytes(), " \t\r\n")
	var b bytes.Buffer
	if len(bytes.TrimSpace(out)) == 0 {
		out = []byte(strings.TrimRight(preamble, "\n"))
	}
	if devices != "" && len(c.Src) > 0 {
		fmt.Fprintf(&b, "devices = %s\n\n", devices)
		devices = ""
	}
	b.Write(out)
	b.WriteByte('\n')
	if devices != "" {
		fmt.Fprintf(&b, "\ndevices = %s\n", devices)
	}
	codes := make([]string, 0, len(blocks))
	for code := range blocks {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	for _, code := range codes {
		fmt.Fprintf(&b, "\nknown %q {\n  owner  = \"\"\n  reason = \"\"\n  until  = \"\"\n  findings = {\n%s  }\n}\n", code, rows(blocks[code]))
	}
	return b.Bytes()
}

// list returns the devices of the next baseline, as HCL: the judged devices, and the devices whose rows remain.
func (c *Compared) list() string {
	names := slices.Clone(c.read)
	if len(c.Absent) > 0 {
		names = append(names, c.devices...)
	}
	var values []cty.Value
	for _, set := range nodeset.Fold(names, nodeset.Devices) {
		values = append(values, cty.StringVal(set))
	}
	if len(values) == 0 {
		return "[]"
	}
	return string(hclwrite.TokensForValue(cty.TupleVal(values)).Bytes())
}

// rows returns the lines of findings.
func rows(all []Finding) string {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "    %q = %s\n", f.Fingerprint, text(f))
	}
	return b.String()
}

// longestText bounds the sentence of a row, in bytes.
const longestText = 100

// text returns the text of a row, as HCL: severity, place, and the beginning of the message for readers.
func text(f Finding) string {
	s := diag.Escape(f.Place)
	if first, _, _ := strings.Cut(f.Detail, ". "); first != "" {
		first = strings.TrimRight(first, ".")
		if len(first) > longestText {
			end := longestText
			for end > 0 && !utf8.RuneStart(first[end]) {
				end--
			}
			first = first[:end] + "..."
		}
		s += ": " + diag.Escape(first)
	}
	return string(hclwrite.TokensForValue(cty.StringVal(f.Severity.String() + " " + s)).Bytes())
}

// editor replaces parts of a text.
type editor struct {
	src   []byte
	edits []edit
}

type edit struct {
	from, to int
	text     string
}

func (e *editor) replace(from, to int, text string) { e.edits = append(e.edits, edit{from, to, text}) }

// remove removes a part and the comma after it. If the line has no other text than a comment, it removes the line.
func (e *editor) remove(from, to int) {
	behind := func(set string) {
		for to < len(e.src) && strings.IndexByte(set, e.src[to]) >= 0 {
			to++
		}
	}
	behind(" \t")
	behind(",")
	behind(" \t")
	start := from
	for start > 0 && strings.IndexByte(" \t", e.src[start-1]) >= 0 {
		start--
	}
	alone := start == 0 || e.src[start-1] == '\n'
	rest := e.src[to:]
	if i := bytes.IndexByte(rest, '\n'); alone {
		if i < 0 {
			i = len(rest) - 1
		}
		line := bytes.TrimSpace(rest[:i+1])
		if len(line) == 0 || line[0] == '#' || bytes.HasPrefix(line, []byte("//")) {
			from, to = start, to+i+1
		}
	}
	e.replace(from, to, "")
}

// insert writes lines in front of the brace at a byte.
func (e *editor) insert(at int, lines string) {
	start := at
	for start > 0 && strings.IndexByte(" \t", e.src[start-1]) >= 0 {
		start--
	}
	if start == 0 || e.src[start-1] != '\n' { // the brace follows other text on its line
		e.replace(at, at, "\n"+lines+"  ")
		return
	}
	e.replace(start, start, lines)
}

func (e *editor) bytes() []byte {
	sort.SliceStable(e.edits, func(i, k int) bool { return e.edits[i].from < e.edits[k].from })
	var out []byte
	at := 0
	for _, one := range e.edits {
		from := max(one.from, at)
		out = append(append(out, e.src[at:from]...), one.text...)
		at = max(at, one.to)
	}
	return append(out, e.src[at:]...)
}
