// Package nodeset reads and writes strings that stand for many names: leaf[01-04], leaf-{a,b}[1-4], swp1-4,swp6, a[1-2]:swp[1-2].
// [Parse] reads them, [Fold] is its inverse, and [Compare] is the order of names.
//
// The input is a string and the kind of names in it. The output is a [Set] and the mistakes, each with its bytes inside the string. A
// Set has the number of its names, and makes names only in [Set.All], so counting a billion names is cheap. Bad input never panics.
//
// # Grammar
//
//	set      = item { "," item } .                      spaces around an item are ignored
//	item     = name | name ":" name .                   what is allowed where: see [Kind]
//	name     = part { part } .
//	part     = text | "[" span { "," span } "]" | "{" word { "," word } "}" | bare .
//	span     = number | number "-" number .
//	word     = text .                                   leaf-{a,b}: spaces around a word are ignored, none is empty
//	bare     = number "-" number                        swp1-4, swp49s0-3, leaf01-04
//	         | text number "-" text number .            swp1-swp4: the whole name, both texts alike
//
// Brackets and braces of one name vary like the digits of a counter, the last one fastest. In an endpoint, interfaces vary faster than
// devices. After device:interface, further items without a colon are interfaces of the same devices, so tor1:swp1-4,swp6 is five ports
// of tor1.
//
// A number that starts with a zero keeps its width: [01-04] is 01 02 03 04.
//
// A bare range is at the end of a name; in an interface name also before a letter (swp1-2s0-1). Its first number must follow a letter,
// a dot or an underscore: rack1-n3 is one name, and rack-1-2 is refused because it could mean two things. A device with the name
// rack1-2 is written rack1-[2].
//
// Device names are [a-z0-9][a-z0-9._-]{0,62} without "..". Interface names are Linux names of at most 15 letters, digits and characters
// of "._+@-", starting with a letter, a digit or an underscore. No other names are allowed, because names become paths and commands.
package nodeset

import (
	"iter"
	"math"
	"strings"
)

// Kind is the kind of names in a string.
type Kind int

// The kinds.
const (
	Devices    Kind = iota + 1 // leaf[01-04]
	Interfaces                 // swp1-4
	Endpoints                  // leaf[01-04]:swp1, always with an interface
	Members                    // store[1-4] or store[1-4]:ens1f0
)

// The longest names, in bytes.
const (
	MaxDevice    = 63
	MaxInterface = 15
)

// Name is one name of a set: a device, an interface, or both.
type Name struct {
	Device, Interface string
	From, To          int // the bytes of its item
}

// Mistake is a mistake in a nodeset, with its place.
type Mistake struct {
	From, To int    // bytes inside the string
	Name     bool   // true: a name breaks the rules of names; false: the string is not a nodeset
	Message  string // full sentences
}

// Set is a parsed nodeset.
type Set struct {
	groups []group
	n      int
}

// group is one item and the items that continue it.
type group struct {
	device   *pattern // nil in a set of interfaces
	ports    []*pattern
	from, to int // bytes of the first item
}

// Len returns the number of names in the set, at most math.MaxInt.
func (s *Set) Len() int { return s.n }

// All ranges over the names, in order.
func (s *Set) All() iter.Seq[Name] {
	return func(yield func(Name) bool) {
		for i := range s.groups {
			if !s.groups[i].each(yield) {
				return
			}
		}
	}
}

func (g *group) count() int {
	if len(g.ports) == 0 {
		return g.device.n
	}
	ports := 0
	for _, p := range g.ports {
		ports = add(ports, p.n)
	}
	if g.device == nil {
		return ports
	}
	return mul(g.device.n, ports)
}

func (g *group) each(yield func(Name) bool) bool {
	if len(g.ports) == 0 {
		for d := range g.device.all() {
			if !yield(Name{Device: d, From: g.from, To: g.to}) {
				return false
			}
		}
		return true
	}
	var inner []Name // made once and shared by all devices
	for i, p := range g.ports {
		from, to := p.from, p.to
		if i == 0 {
			from, to = g.from, g.to
		}
		for name := range p.all() {
			n := Name{Interface: name, From: from, To: to}
			if g.device == nil {
				if !yield(n) {
					return false
				}
				continue
			}
			inner = append(inner, n)
		}
	}
	if g.device == nil {
		return true
	}
	for d := range g.device.all() {
		for _, n := range inner {
			n.Device = d
			if !yield(n) {
				return false
			}
		}
	}
	return true
}

// Parse reads s. The set contains the items without mistakes. It is complete if there are no mistakes.
func Parse(s string, kind Kind) (*Set, []Mistake) {
	p := &parser{kind: kind, src: s}
	p.set()
	return &Set{p.groups, p.n}, p.mistakes
}

// add and mul saturate at math.MaxInt.
func add(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

func mul(a, b int) int {
	if b != 0 && a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}

// pattern is one name with ranges in it.
type pattern struct {
	parts    []part
	n        int // number of names
	from, to int
}

// part is literal text or, if text is empty, a list of spans or of words.
type part struct {
	text  string
	spans []span
	words []string
}

// many reports whether the part is a list.
func (p *part) many() bool { return p.spans != nil || p.words != nil }

// texts returns the texts of a part: its text or its words, and nothing for numbers.
func (p *part) texts() []string {
	switch {
	case p.words != nil:
		return p.words
	case p.spans != nil:
		return nil
	}
	return []string{p.text}
}

// span is the numbers from lo to hi, written with at least width digits.
type span struct {
	lo, hi int64
	width  int
}

// all ranges over the names of the pattern, last range fastest.
func (p *pattern) all() iter.Seq[string] {
	return func(yield func(string) bool) {
		buf := make([]byte, 0, 64)
		p.walk(0, buf, yield)
	}
}

func (p *pattern) walk(i int, buf []byte, yield func(string) bool) bool {
	if i == len(p.parts) {
		return yield(string(buf))
	}
	part := &p.parts[i]
	for _, text := range part.texts() {
		if !p.walk(i+1, append(buf, text...), yield) {
			return false
		}
	}
	for _, s := range part.spans {
		for n := s.lo; n <= s.hi; n++ {
			if !p.walk(i+1, appendPadded(buf, n, s.width), yield) {
				return false
			}
		}
	}
	return true
}

func appendPadded(buf []byte, n int64, width int) []byte {
	var digits [20]byte
	i := len(digits)
	for {
		i--
		digits[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			break
		}
	}
	for len(digits)-i < width {
		i--
		digits[i] = '0'
	}
	return append(buf, digits[i:]...)
}

// longest returns the bytes of the longest name of the pattern.
func (p *pattern) longest() int {
	n := 0
	for _, part := range p.parts {
		most := 0
		for _, text := range part.texts() {
			most = max(most, len(text))
		}
		for _, s := range part.spans {
			most = max(most, s.width, digits(s.hi))
		}
		n += most
	}
	return n
}

func digits(n int64) int {
	d := 1
	for ; n > 9; n /= 10 {
		d++
	}
	return d
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// show shortens text that a message quotes.
func show(s string) string {
	if len(s) > 40 {
		s = strings.ToValidUTF8(s[:40], "") + "..."
	}
	return s
}
