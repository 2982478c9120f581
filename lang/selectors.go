package lang

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
	"github.com/rocec/rocec/lang/topology"
)

// mostSelectors is how many cables blocks a topology block may hold: each is asked about every cable of the file.
const mostSelectors = 1000

// selector names cables of a cabling file: any of its terms does.
//
//	selector = term { "," term } .
//	term     = end [ " -- " end ] .
//	end      = pattern [ ":" pattern ] .
//
// A pattern is a name with *, ? and [01-04] in it. A term of one end names the cables that have such an end, one of two ends those
// between both.
type selector struct {
	terms []*selectorTerm
}

type selectorTerm struct {
	text  string
	at    diag.Range
	ends  []selectorEnd // one or two
	found bool          // a cable of the file is meant
}

// selectorEnd is what an end of a cable must be called.
type selectorEnd struct {
	device, port *namePattern // nil: any
	run          *namePattern // "swp49-50" as a run of ports, where no port is called so
}

// namePattern matches names.
type namePattern struct {
	tokens []patternToken
	known  map[string]bool // names that were asked for
}

// patternToken is text, or one of the others.
type patternToken struct {
	text  string
	any   bool // *
	one   bool // ?
	spans [][3]int
}

// match reports whether a pattern matches a name. It moves the set of places that can be reached from token to token, so that its
// time does not explode however many stars there are.
func (p *namePattern) match(name string) bool {
	if p == nil {
		return true
	}
	ok, known := p.known[name]
	if known {
		return ok
	}
	reached := make([]bool, len(name)+1)
	reached[0] = true
	for _, t := range p.tokens {
		next := make([]bool, len(name)+1)
		for i, here := range reached {
			if here {
				t.from(name, i, next)
			}
		}
		reached = next
	}
	p.known[name] = reached[len(name)]
	return reached[len(name)]
}

// from marks the places behind the token, read at place i of a name.
func (t patternToken) from(name string, i int, next []bool) {
	switch {
	case t.any:
		for j := i; j <= len(name); j++ {
			next[j] = true
		}
	case t.one:
		if i < len(name) {
			next[i+1] = true
		}
	case t.spans != nil:
		for j := i + 1; j <= len(name) && j-i <= 9 && '0' <= name[j-1] && name[j-1] <= '9'; j++ {
			n, err := strconv.Atoi(name[i:j])
			for _, s := range t.spans {
				if err == nil && s[0] <= n && n <= s[1] && j-i == max(s[2], len(strconv.Itoa(n))) {
					next[j] = true
				}
			}
		}
	case strings.HasPrefix(name[i:], t.text):
		next[i+len(t.text)] = true
	}
}

var (
	spanText = regexp.MustCompile(`^(\d{1,9})(?:-(\d{1,9}))?$`)
	runText  = regexp.MustCompile(`^(.*\D)(\d{1,9})-(\d{1,9})$`)
)

// newNamePattern reads a pattern. It returns what is wrong with it, or "".
func newNamePattern(s string) (*namePattern, string) {
	p := &namePattern{known: map[string]bool{}}
	for s != "" {
		i := strings.IndexAny(s, "*?[]")
		switch {
		case i < 0:
			p.tokens = append(p.tokens, patternToken{text: s})
			return p, ""
		case i > 0:
			p.tokens = append(p.tokens, patternToken{text: s[:i]})
			s = s[i:]
		case s[0] == '*':
			p.tokens = append(p.tokens, patternToken{any: true})
			s = s[1:]
		case s[0] == '?':
			p.tokens = append(p.tokens, patternToken{one: true})
			s = s[1:]
		default:
			inside, rest, closed := strings.Cut(s[1:], "]")
			if s[0] == ']' || !closed {
				return nil, "A bracket is missing."
			}
			var spans [][3]int
			for part := range strings.SplitSeq(inside, ",") {
				m := spanText.FindStringSubmatch(strings.TrimSpace(part))
				if m == nil {
					return nil, fmt.Sprintf("Between [ and ] stand numbers, such as [01-04,7], not %q.", diag.Cut(part))
				}
				lo, _ := strconv.Atoi(m[1])
				hi := lo
				if m[2] != "" {
					hi, _ = strconv.Atoi(m[2])
				}
				if hi < lo {
					return nil, fmt.Sprintf("%q runs backwards.", part)
				}
				width := 0
				if len(m[1]) > 1 {
					width = len(m[1])
				}
				spans = append(spans, [3]int{lo, hi, width})
			}
			p.tokens = append(p.tokens, patternToken{spans: spans})
			s = rest
		}
	}
	return p, ""
}

// initCables reads the selector of a cables block.
func initCables(d *decoder, k *linkBlock, b *hclsyntax.Block, ds *diag.List) bool {
	k.Decl, k.Kind, k.Name = parse.Header(b), b.Type, b.Labels[0]
	label := d.Label(b)
	wrong := func(from, to int, why string) bool {
		badSelector.Errorf(ds, label.At(from, to), "%s Write DEVICE, DEVICE:PORT, or two of these with -- between them, such as "+
			"\"leaf*:swp[49-50]\" or \"leaf01 -- leaf02\"; several are separated by commas.", why)
		return false
	}
	depth, from := 0, 0
	for i := 0; i <= len(label.S); i++ {
		if i < len(label.S) {
			switch label.S[i] {
			case '[':
				depth++
			case ']':
				depth--
			}
			if label.S[i] != ',' || depth > 0 {
				continue
			}
		}
		text := strings.TrimSpace(label.S[from:i])
		if text == "" {
			return wrong(from, i, "Here is no selector.")
		}
		lead := len(label.S[from:i]) - len(strings.TrimLeft(label.S[from:i], " \t"))
		term := &selectorTerm{text: text, at: label.At(from+lead, from+lead+len(text))}
		ends := strings.Split(text, "--")
		if len(ends) > 2 {
			return wrong(from, i, "A cable has two ends, and here are more.")
		}
		for _, end := range ends {
			e, why := newSelectorEnd(strings.TrimSpace(end))
			if why != "" {
				return wrong(from, i, why)
			}
			term.ends = append(term.ends, e)
		}
		k.selector.terms = append(k.selector.terms, term)
		from = i + 1
	}
	return true
}

func newSelectorEnd(s string) (e selectorEnd, why string) {
	device, port, both := strings.Cut(s, ":")
	if device == "" || both && port == "" {
		return e, "The name of a device or port is missing."
	}
	if e.device, why = newNamePattern(device); why != "" || !both {
		return e, why
	}
	if e.port, why = newNamePattern(port); why != "" {
		return e, why
	}
	if m := runText.FindStringSubmatch(port); m != nil && !strings.ContainsAny(port, "[]") {
		lo, _ := strconv.Atoi(m[2])
		if hi, _ := strconv.Atoi(m[3]); lo < hi {
			e.run, why = newNamePattern(m[1] + "[" + m[2] + "-" + m[3] + "]")
		}
	}
	return e, why
}

// means reports whether a term names a cable; runs: with ports as runs, where they can be read so.
func (t *selectorTerm) means(e *topology.Edge, runs bool) bool {
	is := func(s selectorEnd, end topology.End) bool {
		port := s.port
		if runs && s.run != nil {
			port = s.run
		}
		return s.device.match(end.Device) && port.match(end.Port)
	}
	if len(t.ends) == 1 {
		return is(t.ends[0], e.A) || is(t.ends[0], e.B)
	}
	return is(t.ends[0], e.A) && is(t.ends[1], e.B) || is(t.ends[0], e.B) && is(t.ends[1], e.A)
}

// hasRuns reports whether a term can be read with ports as runs.
func (t *selectorTerm) hasRuns() bool {
	return slices.ContainsFunc(t.ends, func(e selectorEnd) bool { return e.run != nil })
}

// selected gives the cables blocks that name each cable, by its index; a term that names none is reported.
func selected(blocks []*linkBlock, edges []topology.Edge, ds *diag.List) [][]*linkBlock {
	if len(blocks) == 0 {
		return nil
	}
	out := make([][]*linkBlock, len(edges))
	for _, k := range blocks {
		for _, t := range k.selector.terms {
			for _, runs := range []bool{false, true} {
				if t.found || runs && !t.hasRuns() {
					continue
				}
				for i := range edges {
					if !t.means(&edges[i], runs) {
						continue
					}
					t.found = true
					if n := len(out[i]); n == 0 || out[i][n-1] != k {
						out[i] = append(out[i], k)
					}
				}
			}
			if !t.found {
				cablesNone.Errorf(ds, t.at, "%q names no cable of the file. Correct it, or delete it if the cable is gone.", diag.Cut(t.text))
			}
		}
	}
	return out
}

// together makes one of the blocks that name a cable, in order. Two that say different things are reported, each pair once.
func (c *cabling) together(blocks []*linkBlock) *linkBlock {
	if len(blocks) == 1 {
		return blocks[0]
	}
	key := ""
	for _, k := range blocks {
		key += fmt.Sprintf("%p ", k)
	}
	if sum := c.sums[key]; sum != nil {
		return sum
	}
	all := *blocks[0]
	for _, k := range blocks[1:] {
		agree(c, &all.drop, k.drop, "ignore", k)
		agree(c, &all.Speed, k.Speed, "speed", k)
		agree(c, &all.Length, k.Length, "length", k)
		agree(c, &all.MTU, k.MTU, "mtu", k)
		agree(c, &all.Routed, k.Routed, "routed", k)
		agree(c, &all.Peer, k.Peer, "peer", k)
		agree(c, &all.FlowControl, k.FlowControl, "flow_control", k)
		agree(c, &all.Bond, k.Bond, "bond", k)
		agree(c, &all.Planned, k.Planned, "planned", k)
	}
	c.sums[key] = &all
	return &all
}

// agree takes what a block says, if nothing else was said before.
func agree[V comparable](c *cabling, into *Value[V], said Value[V], name string, k *linkBlock) {
	switch {
	case !said.Set():
	case !into.Set():
		*into = said
	case into.V != said.V && !c.told[[2]diag.Range{into.At, said.At}]:
		if c.told == nil {
			c.told = map[[2]diag.Range]bool{}
		}
		c.told[[2]diag.Range{into.At, said.At}] = true
		cablesContradict.Errorf(c.ds, said.At, "A cable that %q names has another %s by a block before. Take one of the two out, or "+
			"let the selectors name different cables.", diag.Cut(k.Name), name).Note(into.At, "the other one")
	}
}

// lay puts what a cables block says over what the topology block and the file say of a cable.
func (b *LinkBlock) lay(k *linkBlock) {
	over(&b.Speed, k.Speed)
	over(&b.Length, k.Length)
	over(&b.MTU, k.MTU)
	over(&b.Routed, k.Routed)
	over(&b.Peer, k.Peer)
	over(&b.FlowControl, k.FlowControl)
	over(&b.Bond, k.Bond)
	over(&b.Planned, k.Planned)
}

func over[V any](into *Value[V], said Value[V]) {
	if said.Set() {
		*into = said
	}
}
