package diag

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Printer writes diagnostics for people: the mistake, the source lines with carets under the wrong part (also without colour), the
// reason and the remedy.
type Printer struct {
	Files map[string][]byte // sources by the file name of ranges; for a missing file only the place is printed
	Color bool
	Width int // columns to wrap prose at; 0: 100
	Most  int // the most diagnostics of one code to print; the number of the others is printed; 0: all
}

// Styles of the terminal, which all of rocec uses. No output depends on colour alone.
const (
	Bold   = "1"
	Dim    = "2"
	Red    = "1;31"
	Yellow = "1;33"
	Green  = "32"
	Cyan   = "36"
	Fault  = "1;4"
)

// Paint wraps s in a style when on.
func Paint(on bool, style, s string) string {
	if !on || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// Print writes every diagnostic of l, in the order of l, each followed by an empty line.
func (p *Printer) Print(w io.Writer, l List) error {
	var b strings.Builder
	shown, left := map[string]int{}, map[string]int{}
	var order []string
	for _, d := range l {
		if shown[d.Code]++; p.Most > 0 && shown[d.Code] > p.Most {
			if left[d.Code]++; left[d.Code] == 1 {
				order = append(order, d.Code)
			}
			continue
		}
		p.one(&b, d)
	}
	for _, code := range order {
		fmt.Fprintf(&b, "... and %d more with the code %s\n\n", left[code], code)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Printer) one(b *strings.Builder, d *Diagnostic) {
	style := map[Severity]string{Error: Red, Warning: Yellow, Notice: Cyan}[d.Severity]
	fmt.Fprintf(b, "%s: %s\n", Paint(p.Color, style, fmt.Sprintf("%s[%s]", d.Severity, d.Code)), Paint(p.Color, Bold, Escape(d.Summary)))
	gutter := p.gutter(d)
	if d.Severity == Notice { // a note asks for no change, so no line is shown
		if d.At.Filename != "" {
			fmt.Fprintf(b, "  --> %s\n", p.where(d.At))
		}
		p.prose(b, "  ", d.Detail)
		for _, n := range d.Notes {
			if n.At.Filename == "" {
				p.prose(b, "  ", n.Message)
			}
		}
		b.WriteByte('\n')
		return
	}
	p.place(b, gutter, d.At, '^', "")
	p.prose(b, "  ", d.Detail)
	for _, n := range d.Notes {
		if n.At.Filename == "" {
			p.prose(b, "  note: ", n.Message)
			continue
		}
		p.place(b, gutter, n.At, '-', n.Message)
	}
	if d.Text != "" {
		b.WriteByte('\n')
		for line := range strings.SplitSeq(strings.TrimRight(d.Text, "\n"), "\n") {
			b.WriteString(strings.TrimRight("  "+Escape(line), " "))
			b.WriteByte('\n')
		}
	}
	if d.Fix != nil && !d.Fix.Told {
		b.WriteByte('\n')
		p.prose(b, "  "+Paint(p.Color, Cyan, "help")+": ", d.Fix.Message)
		for _, e := range d.Fix.Edits {
			fmt.Fprintf(b, "    %s: write %s\n", Escape(e.At.String()), Paint(p.Color, Green, Escape(Shorten(e.New))))
		}
	}
	b.WriteByte('\n')
}

// where returns a place as file:line:column.
func (p *Printer) where(at Range) string {
	return Paint(p.Color, Cyan, fmt.Sprintf("%s:%d:%d", Escape(at.Filename), at.Start.Line, at.Start.Column))
}

// gutter returns the width of the longest line number in the places of d, so that its bars are in one column.
func (p *Printer) gutter(d *Diagnostic) int {
	most := d.At.End.Line
	for _, n := range d.Notes {
		most = max(most, n.At.End.Line)
	}
	return max(2, len(fmt.Sprint(most)))
}

// maxLines is the most source lines of one place that are shown. If a place has more, the first two and the last are shown.
const maxLines = 6

func (p *Printer) place(b *strings.Builder, gutter int, at Range, mark rune, label string) {
	if at.Filename == "" {
		return
	}
	pad := strings.Repeat(" ", gutter)
	bar := Paint(p.Color, Dim, "|")
	fmt.Fprintf(b, "%s--> %s\n", pad, p.where(at))
	lines := sourceLines(p.Files[at.Filename], at)
	if lines == nil {
		if label != "" {
			fmt.Fprintf(b, "%s = %s\n", pad, Escape(label))
		}
		return
	}
	fmt.Fprintf(b, "%s %s\n", pad, bar)
	for i, l := range lines {
		if len(lines) > maxLines && i >= 2 && i < len(lines)-1 {
			if i == 2 {
				fmt.Fprintf(b, "%s %s ...\n", pad, bar)
			}
			continue
		}
		l.cut()
		before, fault, after := show(l.text[:l.from]), show(l.text[l.from:l.to]), show(l.text[l.to:])
		text := strings.TrimRight(before+Paint(p.Color, Fault, fault)+after, " ")
		fmt.Fprintf(b, "%s %s %s\n", Paint(p.Color, Dim, fmt.Sprintf("%*d", gutter, l.number)), bar, text)
		marks := strings.Repeat(" ", displayWidth(before)) + strings.Repeat(string(mark), max(1, displayWidth(fault)))
		if label != "" && i == len(lines)-1 {
			marks += " " + Escape(label)
		}
		fmt.Fprintf(b, "%s %s %s\n", pad, bar, marks)
	}
}

// prose writes text wrapped to the width; continuation lines begin under the first word. A path stays on the line of the word before it
// ([StartsPath]).
func (p *Printer) prose(b *strings.Builder, lead, text string) {
	width := p.Width
	if width == 0 {
		width = 100
	}
	width = max(width, 40)
	for para := range strings.SplitSeq(EscapeLines(text), "\n") {
		line, used := lead, visible(lead)
		indent := strings.Repeat(" ", used)
		empty := true
		for _, word := range unbroken(strings.Fields(para)) {
			w := displayWidth(word)
			if !empty && used+1+w > width {
				b.WriteString(line + "\n")
				line, used, empty = indent, len(indent), true
			}
			if !empty {
				line += " "
				used++
			}
			line += word
			used += w
			empty = false
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
		lead = strings.Repeat(" ", visible(lead))
	}
}

// unbroken joins each word that is a path to the word before it.
func unbroken(words []string) []string {
	var out []string
	for _, word := range words {
		if len(out) > 0 && StartsPath(word) {
			out[len(out)-1] += " " + word
		} else {
			out = append(out, word)
		}
	}
	return out
}

// Prose writes a lead and text, wrapped to the printer's width. Later lines are indented by the width of the lead.
func (p *Printer) Prose(w io.Writer, lead, text string) error {
	var b strings.Builder
	p.prose(&b, lead, text)
	_, err := io.WriteString(w, b.String())
	return err
}

// visible returns the width of s without escape sequences.
func visible(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] == '\x1b' {
			for i < len(s) && s[i] != 'm' {
				i++
			}
			continue
		}
		n++
	}
	return n
}

// show prepares source text for the terminal: tabs become four spaces, the rest is escaped.
func show(s string) string { return Escape(strings.ReplaceAll(s, "\t", "    ")) }

type sourceLine struct {
	number   int
	text     string // without its line end
	from, to int    // the bytes of text at fault
}

// maxLine is the most bytes of one source line that are shown.
const maxLine = 160

// cut shortens a long line to the text around the part at fault.
func (l *sourceLine) cut() {
	if len(l.text) <= maxLine {
		return
	}
	const mark = "..."
	start := l.from - maxLine/4
	for start > 0 && !utf8.RuneStart(l.text[start]) {
		start--
	}
	if start > len(mark) {
		l.text = mark + l.text[start:]
		l.from, l.to = l.from-start+len(mark), l.to-start+len(mark)
	}
	if end := maxLine - len(mark); len(l.text) > maxLine {
		for end > 0 && !utf8.RuneStart(l.text[end]) {
			end--
		}
		l.text = l.text[:end]
		l.from, l.to = min(l.from, end), min(l.to, end)
		l.text += mark
	}
}

// sourceLines returns the lines of at from src, or nil if src does not contain them.
func sourceLines(src []byte, at Range) []sourceLine {
	start, end := at.Start.Byte, at.End.Byte
	if bytes.IndexByte(src[:min(len(src), 512)], 0) >= 0 { // a binary file, which is not shown
		return nil
	}
	if len(src) == 0 || start < 0 || start > len(src) || end < start || end > len(src) {
		return nil
	}
	var out []sourceLine
	pos := bytes.LastIndexByte(src[:start], '\n') + 1
	for n := at.Start.Line; ; n++ {
		stop := len(src)
		if i := bytes.IndexByte(src[pos:], '\n'); i >= 0 {
			stop = pos + i
		}
		text := strings.TrimSuffix(string(src[pos:stop]), "\r")
		from, to := min(max(start-pos, 0), len(text)), min(max(end-pos, 0), len(text))
		if n > at.Start.Line { // on later lines of a place, the wrong part begins at the first letter
			from = len(text) - len(strings.TrimLeft(text, " \t"))
			to = max(to, from)
		}
		out = append(out, sourceLine{n, text, from, to})
		if end <= stop+1 || stop == len(src) {
			return out
		}
		pos = stop + 1
	}
}
