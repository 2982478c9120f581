package nodeset

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// maxDigits prevents overflow; no fabric has quadrillions of devices.
const maxDigits = 12

// maxParts bounds the ranges of one name, and so the depth of its expansion.
const maxParts = 16

type parser struct {
	kind     Kind
	src      string
	groups   []group
	n        int
	mistakes []Mistake
}

func (p *parser) bad(from, to int, format string, args ...any) {
	p.mistakes = append(p.mistakes, Mistake{From: from, To: to, Message: fmt.Sprintf(format, args...)})
}

func (p *parser) badName(from, to int, format string, args ...any) {
	p.mistakes = append(p.mistakes, Mistake{From: from, To: to, Name: true, Message: fmt.Sprintf(format, args...)})
}

// set cuts the string at the commas outside brackets and braces.
func (p *parser) set() {
	if strings.TrimSpace(p.src) == "" {
		p.bad(0, len(p.src), "The text is empty. Write a name, or leave the attribute out.")
		return
	}
	start := 0
	for i := 0; i <= len(p.src); i++ {
		switch {
		case i == len(p.src) || p.src[i] == ',':
			p.item(start, i)
			start = i + 1
		case p.src[i] == '[' || p.src[i] == '{': // a bracket that is never closed must not hide the items after it
			if end := p.closing(i, len(p.src)); end >= 0 {
				i = end
			}
		}
	}
	for i := range p.groups {
		p.n = add(p.n, p.groups[i].count())
	}
}

// item reads src[from:to], without the spaces around it.
func (p *parser) item(from, to int) {
	for from < to && p.src[from] == ' ' {
		from++
	}
	for from < to && p.src[to-1] == ' ' {
		to--
	}
	if from == to {
		at := min(from, len(p.src)-1)
		p.bad(at, at+1, "There is no text between two commas, or after the last one. Delete the comma.")
		return
	}
	colon := p.colon(from, to)
	switch {
	case p.kind == Interfaces || p.kind == Devices:
		if colon >= 0 {
			p.bad(colon, to, "Only names are expected here. Delete the colon and the text after it.")
			return
		}
		pat := p.name(from, to, p.kind == Interfaces)
		switch {
		case pat == nil:
		case p.kind == Interfaces:
			p.groups = append(p.groups, group{ports: []*pattern{pat}, from: from, to: to})
		default:
			p.groups = append(p.groups, group{device: pat, from: from, to: to})
		}
	case colon >= 0:
		if i := p.colon(colon+1, to); i >= 0 {
			p.bad(i, to, "An endpoint is device:interface, with one colon. Delete this one and the text after it.")
			return
		}
		if p.src[colon-min(colon, 1)] == ' ' || colon+1 < to && p.src[colon+1] == ' ' {
			p.bad(from, to, "An endpoint has no space next to its colon. Delete the space.")
			return
		}
		device, port := p.name(from, colon, false), p.name(colon+1, to, true)
		if device == nil { // further items are also its interfaces
			device = &pattern{}
		}
		g := group{device: device, from: from, to: to}
		if port != nil {
			g.ports = []*pattern{port}
		} else {
			g.ports = []*pattern{{}}
		}
		p.groups = append(p.groups, g)
	case len(p.groups) > 0 && len(p.groups[len(p.groups)-1].ports) > 0:
		if port := p.name(from, to, true); port != nil {
			g := &p.groups[len(p.groups)-1]
			g.ports = append(g.ports, port)
		}
	case p.kind == Members:
		if device := p.name(from, to, false); device != nil {
			p.groups = append(p.groups, group{device: device, from: from, to: to})
		}
	default:
		p.bad(from, to, "%q names no interface. Write device:interface, such as leaf[01-02]:swp[49-50].", show(p.src[from:to]))
	}
}

// name reads src[from:to] as one name with ranges. After a mistake, which it reports, it returns nil.
func (p *parser) name(from, to int, iface bool) *pattern {
	what := "device"
	if iface {
		what = "interface"
	}
	if from == to {
		at := max(from-1, 0)
		p.bad(at, min(at+1, len(p.src)), "The name of the %s is missing on this side of the colon. Write the name.", what)
		return nil
	}
	mistakes := len(p.mistakes)
	pat := &pattern{from: from, to: to, n: 1}
	if !p.pair(pat, iface) {
		p.parts(pat, iface)
	}
	if len(p.mistakes) > mistakes {
		return nil
	}
	ranges := 0
	for _, part := range pat.parts {
		if !part.many() {
			continue
		}
		ranges++
		n := len(part.words)
		for _, s := range part.spans {
			n = add(n, int(s.hi-s.lo)+1)
		}
		pat.n = mul(pat.n, n)
	}
	if ranges > maxParts {
		p.bad(from, to, "One name may have at most %d ranges and lists. Split it into several names.", maxParts)
		return nil
	}
	p.check(pat, iface)
	if len(p.mistakes) > mistakes {
		return nil
	}
	return pat
}

// pair reads swp1-swp4: the same text twice.
func (p *parser) pair(pat *pattern, iface bool) bool {
	s := p.src[pat.from:pat.to]
	for i := range len(s) {
		if s[i] != '-' {
			continue
		}
		left, right := s[:i], s[i+1:]
		text := strings.TrimRight(left, "0123456789")
		lo, hi := left[len(text):], strings.TrimPrefix(right, text)
		if text == "" || lo == "" || hi == "" || len(hi) == len(right) || strings.Trim(hi, "0123456789") != "" ||
			strings.ContainsAny(text, "[]{}") {
			continue
		}
		pat.parts = []part{{text: text}}
		if sp, ok := p.span(pat.from+len(text), pat.from+i, pat.to-len(hi), pat.to, iface, true); ok {
			pat.parts = append(pat.parts, part{spans: []span{sp}})
		}
		return true
	}
	return false
}

// parts reads text, bare ranges, brackets and braces.
func (p *parser) parts(pat *pattern, iface bool) {
	for i := pat.from; i < pat.to; {
		switch c := p.src[i]; c {
		case '[':
			end := p.closing(i, pat.to)
			if end < 0 {
				p.bad(i, pat.to, "The bracket is never closed. Write ] after the range, as in [01-04] or [1-3,7].")
				return
			}
			p.bracket(pat, i+1, end, iface)
			i = end + 1
		case '{':
			end := p.closing(i, pat.to)
			if end < 0 {
				p.bad(i, pat.to, "The brace is never closed. Write } after the words, as in leaf-{a,b}; braces cannot contain braces or brackets.")
				return
			}
			p.brace(pat, i+1, end)
			i = end + 1
		case ']':
			p.bad(i, i+1, "This bracket closes nothing. Write [ before the range, as in [01-04] or [1-3,7].")
			return
		case '}':
			p.bad(i, i+1, "This brace closes nothing. Write { before the words, as in leaf-{a,b}.")
			return
		default:
			end := i
			for end < pat.to && !strings.ContainsRune("[]{}", rune(p.src[end])) {
				end++
			}
			p.text(pat, i, end, iface)
			i = end
		}
	}
}

// listed returns the bounds of the first item of the list src[from:to] without the spaces around it, and the offset of its comma or of
// the list's end.
func (p *parser) listed(from, to int) (a, b, end int) {
	end = from
	for end < to && p.src[end] != ',' {
		end++
	}
	a, b = from, end
	for a < b && p.src[a] == ' ' {
		a++
	}
	for a < b && p.src[b-1] == ' ' {
		b--
	}
	return a, b, end
}

// bracket reads the spans in src[from:to].
func (p *parser) bracket(pat *pattern, from, to int, iface bool) {
	var spans []span
	for from <= to {
		a, b, end := p.listed(from, to)
		mid := strings.IndexByte(p.src[a:b], '-')
		var s span
		var ok bool
		if m := otherRange().FindStringSubmatch(p.src[a:b]); m != nil {
			p.bad(a, b, "A range is written with a dash. Write [%s-%s].", show(m[1]), show(m[2]))
		} else if m := letterRange().FindString(p.src[a:b]); m != "" && m[0] < m[len(m)-1] {
			p.bad(a, b, "Brackets contain numbers; there are no ranges of letters. Write the words between braces: %s.", letterWords(m))
		} else if mid < 0 {
			s, ok = p.span(a, b, a, b, iface, false)
		} else {
			s, ok = p.span(a, a+mid, a+mid+1, b, iface, false)
		}
		if ok {
			spans = append(spans, s)
		}
		from = end + 1
	}
	pat.parts = append(pat.parts, part{spans: spans})
}

// brace reads the words in src[from:to]. The characters of words are checked with the whole name.
func (p *parser) brace(pat *pattern, from, to int) {
	words := []string{}
	for from <= to {
		a, b, end := p.listed(from, to)
		switch m := braceRange().FindStringSubmatch(p.src[a:b]); {
		case a == b:
			p.bad(min(from, to), min(from, to)+1, "A word is missing here. Write words between braces, as in leaf-{a,b}.")
		case m != nil:
			p.bad(a, b, "Braces contain words. Write ranges as [%s-%s].", show(m[1]), show(m[2]))
		default:
			words = append(words, p.src[a:b])
		}
		from = end + 1
	}
	pat.parts = append(pat.parts, part{words: words})
}

// braceRange matches a range in the form of shells, or in a similar form that people write.
var braceRange = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A([0-9]+) ?(?:-|\.\.\.?|:|–|to) ?([0-9]+)\z`) })

// letterRange matches a range of single letters.
var letterRange = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A(?:[a-z] ?- ?[a-z]|[A-Z] ?- ?[A-Z])\z`) })

// letterWords returns the letters of a range in braces: "{a,b,c,d}" for "a-d".
func letterWords(r string) string {
	var words []string
	for c := r[0]; c <= r[len(r)-1]; c++ {
		words = append(words, string(rune(c)))
	}
	return "{" + strings.Join(words, ",") + "}"
}

// otherRange matches a range in the form of other languages.
var otherRange = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A([0-9]+) ?(?:\.\.\.?|:|–|to) ?([0-9]+)\z`) })

// closing returns the offset of the bracket or brace that closes the one at i, or -1 if another one opens first.
func (p *parser) closing(i, to int) int {
	closes := byte(']')
	if p.src[i] == '{' {
		closes = '}'
	}
	for j := i + 1; j < to; j++ {
		switch p.src[j] {
		case closes:
			return j
		case '[', '{':
			return -1
		}
	}
	return -1
}

// colon returns the offset of the first colon of src[from:to] outside of brackets and braces, or -1.
func (p *parser) colon(from, to int) int {
	for i := from; i < to; i++ {
		switch p.src[i] {
		case ':':
			return i
		case '[', '{':
			if end := p.closing(i, to); end >= 0 {
				i = end
			}
		}
	}
	return -1
}

// text reads literal text that may contain bare ranges.
func (p *parser) text(pat *pattern, from, to int, iface bool) {
	start := from
	for i := from; i < to; {
		if !isDigit(p.src[i]) {
			i++
			continue
		}
		lo := i
		for i < to && isDigit(p.src[i]) {
			i++
		}
		dash := i
		if i == to || p.src[i] != '-' || i+1 == to || !isDigit(p.src[i+1]) {
			continue
		}
		end := i + 1
		for end < to && isDigit(p.src[end]) {
			end++
		}
		last := end == to && to == pat.to
		if !last && !(iface && end < to && (p.src[end]|0x20) >= 'a' && (p.src[end]|0x20) <= 'z') {
			continue // rack1-2-n[1-4]: text
		}
		if lo > pat.from && p.src[lo-1] == '-' {
			p.bad(lo, end, "\"%s\" could be a range or the end of one name. Write %s for the range, or %s for the name.",
				show(p.src[lo:end]), show("["+p.src[lo:end]+"]"), show(p.src[lo:dash+1]+"["+p.src[dash+1:end]+"]"))
			return
		}
		if lo > start {
			pat.parts = append(pat.parts, part{text: p.src[start:lo]})
		}
		s, ok := p.span(lo, dash, dash+1, end, iface, true)
		if !ok {
			return
		}
		pat.parts = append(pat.parts, part{spans: []span{s}})
		i, start = end, end
	}
	if start < to {
		pat.parts = append(pat.parts, part{text: p.src[start:to]})
	}
}

// span reads the numbers src[a:b] and src[c:d]; equal places mean a single number.
func (p *parser) span(a, b, c, d int, iface, bare bool) (span, bool) {
	lo, ok := p.number(a, b)
	if !ok {
		return span{}, false
	}
	hi, ok := p.number(c, d)
	if !ok {
		return span{}, false
	}
	width := 0
	if p.src[a] == '0' {
		width = b - a
	}
	if d-c != b-a && (p.src[c] == '0' && d-c > 1 || width > d-c) {
		p.bad(a, d, "The ends of the range have different widths. Write both with the same number of digits, such as [01-10].")
		return span{}, false
	}
	if hi < lo {
		hint := ""
		if bare && !iface {
			hint = fmt.Sprintf(" If it is the end of one device's name, write %s[%s].", show(p.src[a:c]), show(p.src[c:d]))
		}
		p.bad(a, d, "The range runs backwards: %d comes after %d. Write %s, or a list such as [2-4,1].%s", lo, hi,
			show("["+p.src[c:d]+"-"+p.src[a:b]+"]"), hint)
		return span{}, false
	}
	return span{lo, hi, width}, true
}

func (p *parser) number(from, to int) (int64, bool) {
	s := p.src[from:to]
	at := min(from, len(p.src)-1)
	switch {
	case s == "":
		p.bad(at, at+1, "A number is missing here. Write ranges as [01-04] or [1-3,7].")
		return 0, false
	case strings.Trim(s, "0123456789") != "":
		p.bad(from, to, "%q is not a number. Write ranges as [01-04] or [1-3,7].", show(s))
		return 0, false
	case len(s) > maxDigits:
		p.bad(from, to, "The number has more than %d digits. Correct it.", maxDigits)
		return 0, false
	}
	var n int64
	for _, c := range []byte(s) {
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// check checks every name of the pattern against the rules of names, without making the names. Numbers are always allowed, so only the
// text and the length matter.
func (p *parser) check(pat *pattern, iface bool) {
	most := MaxDevice
	if iface {
		most = MaxInterface
	}
	if n := pat.longest(); n > most {
		p.badName(pat.from, pat.to, "%q has a name of %s with %d characters, but at most %d are allowed. Shorten the name.",
			show(p.src[pat.from:pat.to]), map[bool]string{false: "a device", true: "an interface"}[iface], n, most)
		return
	}
	dot := false // a name so far may end in a dot
	for i, part := range pat.parts {
		dots, ends := false, false
		for _, text := range part.texts() {
			for j := range len(text) {
				c := text[j]
				if i == 0 && j == 0 && !first(c, iface) || !allowed(c, iface) {
					p.badName(pat.from, pat.to, "%s", nameRule(p.src[pat.from:pat.to], c, iface))
					return
				}
			}
			dots = dots || strings.Contains(text, "..") || dot && strings.HasPrefix(text, ".")
			ends = ends || strings.HasSuffix(text, ".")
		}
		if dots {
			p.badName(pat.from, pat.to, "%q contains \"..\", which is not allowed, because names become paths. Delete one of the dots.",
				show(p.src[pat.from:pat.to]))
			return
		}
		dot = ends
	}
}

// CheckDevice returns the mistake in a device name, or "".
func CheckDevice(name string) string { return checkOne(name, false) }

// CheckInterface returns the mistake in an interface name, or "".
func CheckInterface(name string) string { return checkOne(name, true) }

func checkOne(name string, iface bool) string {
	if name == "" {
		return "The name is empty. Write a name."
	}
	p := &parser{src: name}
	p.check(&pattern{parts: []part{{text: name}}, to: len(name)}, iface)
	if len(p.mistakes) > 0 {
		return p.mistakes[0].Message
	}
	return ""
}

func first(c byte, iface bool) bool {
	return 'a' <= c && c <= 'z' || isDigit(c) || iface && ('A' <= c && c <= 'Z' || c == '_')
}

func allowed(c byte, iface bool) bool {
	return first(c, iface) || c == '.' || c == '_' || c == '-' || iface && (c == '+' || c == '@')
}

func nameRule(name string, c byte, iface bool) string {
	hint := ""
	switch {
	case c == ' ' || c == ';':
		hint = " Write a comma between two names."
	case iface && c == '/':
		hint = " Write the name that Linux gives the port, such as swp1."
	case !iface && 'A' <= c && c <= 'Z':
		hint = " Write it in lower case."
	}
	if iface {
		return fmt.Sprintf("%q is not an interface name. Use 1 to %d of the characters A-Z a-z 0-9 . _ + @ -, the first a letter, a digit or "+
			"an underscore.%s", show(name), MaxInterface, hint)
	}
	return fmt.Sprintf("%q is not a device name. Use 1 to %d of the characters a-z 0-9 . _ -, the first a letter or a digit; names become "+
		"paths and commands.%s", show(name), MaxDevice, hint)
}
