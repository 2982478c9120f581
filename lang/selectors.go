package lang

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/parse"
	"github.com/rocec/rocec/lang/topology"
)

// mostQuestions bounds the comparisons of selectors: each selector is compared with every device, port and cable of the file. mostNamed
// bounds the cables that they select.
const (
	mostQuestions = 100_000_000
	mostNamed     = 10_000_000
)

// selector selects the cables of a cabling file that any of its terms selects.
//
//	selector = term { "," term } .
//	term     = end [ " -- " end ] .
//	end      = pattern [ ":" pattern ] .
//
// A pattern is a name that may contain *, ? and [01-04]. A term of one end selects the cables that have such an end. A term of two ends
// selects the cables between such ends.
type selector struct {
	terms []*selectorTerm
}

type selectorTerm struct {
	text  string
	at    diag.Range
	ends  []selectorEnd // one or two
	found bool          // the term selects a cable of the file
}

// selectorEnd has the patterns for the names of one end of a cable.
type selectorEnd struct {
	device, port *namePattern // nil: any
	run          *namePattern // "swp49-50" as a range of ports, which is used if no port has this name
}

// namePattern matches names.
type namePattern struct {
	tokens []patternToken
}

// patternToken is text, or one of the other fields if text is empty.
type patternToken struct {
	text  string
	any   bool // *
	one   bool // ?
	spans [][3]int
}

// match reports whether a pattern matches a name. It computes the set of offsets that each token can reach, so its time is not
// exponential in the number of stars.
func (p *namePattern) match(name string) bool {
	if p == nil {
		return true
	}
	if len(p.tokens) == 0 || p.tokens[0].text != "" && !strings.HasPrefix(name, p.tokens[0].text) {
		return false
	}
	var room [2][64]bool
	reached, next := room[0][:], room[1][:]
	if len(name)+1 > len(reached) {
		reached, next = make([]bool, len(name)+1), make([]bool, len(name)+1)
	}
	reached, next = reached[:len(name)+1], next[:len(name)+1]
	reached[0] = true
	for _, t := range p.tokens {
		clear(next)
		for i, here := range reached {
			if here {
				t.from(name, i, next)
			}
		}
		reached, next = next, reached
	}
	return reached[len(name)]
}

// from marks the offsets after the token, if it is matched at offset i of a name.
func (t patternToken) from(name string, i int, next []bool) {
	switch {
	case t.any:
		for j := i; j <= len(name) && !next[j]; j++ { // all offsets after a marked one are marked, too
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
	// The spaces are needed, because rack-1--leaf-2 can be the name of a device.
	betweenEnds = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|\s)--(?:\s|$)`) })

	spanText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d{1,9})(?:-(\d{1,9}))?$`) })
	runText  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*\D)(\d{1,9})-(\d{1,9})$`) })
)

// newNamePattern reads a pattern. The text is the mistake in it, or "".
func newNamePattern(s string) (*namePattern, string) {
	p := &namePattern{}
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
				m := spanText().FindStringSubmatch(strings.TrimSpace(part))
				if m == nil {
					return nil, fmt.Sprintf("Brackets contain numbers, such as [01-04,7], not %q.", diag.Cut(part))
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
			return wrong(from, i, "The selector is empty.")
		}
		lead := len(label.S[from:i]) - len(strings.TrimLeft(label.S[from:i], " \t"))
		term := &selectorTerm{text: text, at: label.At(from+lead, from+lead+len(text))}
		ends := betweenEnds().Split(text, -1)
		if len(ends) > 2 {
			return wrong(from, i, "The selector has more than two ends, but a cable has two.")
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
	if m := runText().FindStringSubmatch(port); m != nil && !strings.ContainsAny(port, "[]") {
		lo, _ := strconv.Atoi(m[2])
		if hi, _ := strconv.Atoi(m[3]); lo < hi {
			e.run, why = newNamePattern(m[1] + "[" + m[2] + "-" + m[3] + "]")
		}
	}
	return e, why
}

// work returns the cost of comparing the term with one name. A long pattern costs as much as several short ones.
func (t *selectorTerm) work() int {
	parts := 0
	for _, e := range t.ends {
		for _, p := range []*namePattern{e.device, e.port} {
			if p == nil {
				continue
			}
			for _, token := range p.tokens {
				parts += 1 + len(token.spans)
			}
		}
	}
	return 1 + parts/16
}

// hasRuns reports whether a port in the term can be read as a range.
func (t *selectorTerm) hasRuns() bool {
	return slices.ContainsFunc(t.ends, func(e selectorEnd) bool { return e.run != nil })
}

// cableNames has each name of a cabling file once. The ends of its cables are indexes of names.
type cableNames struct {
	devices, ports []string
	ends           [][2][2]int32 // for each cable and each end: the index of the device and of the port
}

func namesOf(edges []topology.Edge) *cableNames {
	n := &cableNames{ends: make([][2][2]int32, len(edges))}
	devices, ports := map[string]int32{}, map[string]int32{}
	number := func(names map[string]int32, list *[]string, name string) int32 {
		i, ok := names[name]
		if !ok {
			i = int32(len(*list))
			names[name] = i
			*list = append(*list, name)
		}
		return i
	}
	for i := range edges {
		for k, e := range []*topology.End{&edges[i].A, &edges[i].B} {
			n.ends[i][k] = [2]int32{number(devices, &n.devices, e.Device), number(ports, &n.ports, e.Port)}
		}
	}
	return n
}

// matching reports for each name whether a pattern matches it.
func matching(p *namePattern, names []string) []bool {
	out := make([]bool, len(names))
	for i, name := range names {
		out[i] = p.match(name)
	}
	return out
}

// named calls f for every cable that a term selects. With runs, it reads ports as ranges if possible.
func (n *cableNames) named(t *selectorTerm, runs bool, f func(cable int)) {
	var devices, ports [2][]bool // for each end of the term
	for k, e := range t.ends {
		port := e.port
		if runs && e.run != nil {
			port = e.run
		}
		devices[k], ports[k] = matching(e.device, n.devices), matching(port, n.ports)
	}
	is := func(k int, end [2]int32) bool { return devices[k][end[0]] && ports[k][end[1]] }
	for i, e := range n.ends {
		switch {
		case len(t.ends) == 1 && (is(0, e[0]) || is(0, e[1])),
			len(t.ends) == 2 && (is(0, e[0]) && is(1, e[1]) || is(0, e[1]) && is(1, e[0])):
			f(i)
		}
	}
}

// mostGuesses is the most selectors without a cable for which similar names are searched, because each search compares all names of the
// file.
const mostGuesses = 20

// stranger returns a sentence about a device of a term that the file does not have, with the device that was probably meant. It returns
// "" if the file has the devices.
func (n *cableNames) stranger(t *selectorTerm) string {
	for _, e := range t.ends {
		if e.device == nil || len(e.device.tokens) != 1 || e.device.tokens[0].text == "" {
			continue // a pattern, not a name
		}
		if name := e.device.tokens[0].text; !slices.Contains(n.devices, name) {
			return fmt.Sprintf(" The file has no device %q.%s", diag.Cut(name), diag.DidYouMean(name, n.devices))
		}
	}
	return ""
}

// selected returns the cables blocks that select each cable, by its index, and reports terms that select no cable. ok is false if that
// would take too long.
func selected(blocks []*linkBlock, edges []topology.Edge, ds *diag.List) (named [][]*linkBlock, ok bool) {
	if len(blocks) == 0 || len(edges) == 0 {
		return nil, true
	}
	n := namesOf(edges)
	terms, work, answers := 0, 0, 0
	for _, k := range blocks {
		for _, t := range k.selector.terms {
			terms++
			work += t.work()
		}
	}
	if size := len(n.devices) + len(n.ports) + len(edges); work > mostQuestions/size {
		topology.TooLarge.Errorf(ds, blocks[0].Decl, "The cables blocks have %s, which are too many or too long to compare with %s. "+
			"Select several cables by one selector, with *, ? and [01-04].", diag.Count(terms, "selector"), diag.Count(len(edges), "cable"))
		return nil, false
	}
	misses := 0
	named = make([][]*linkBlock, len(edges))
	for _, k := range blocks {
		for _, t := range k.selector.terms {
			for _, runs := range []bool{false, true} {
				if t.found || runs && !t.hasRuns() {
					continue
				}
				n.named(t, runs, func(i int) {
					t.found = true
					if all := named[i]; answers < mostNamed && (len(all) == 0 || all[len(all)-1] != k) {
						named[i] = append(all, k)
						answers++
					}
				})
			}
			if answers == mostNamed {
				topology.TooLarge.Errorf(ds, k.Decl, "The cables blocks up to here select the %s of the file %s times. Put values of "+
					"many cables into the topology block, and select only cables with other values in cables "+
					"blocks.", diag.Count(len(edges), "cable"), diag.Number(mostNamed))
				return nil, false
			}
			if !t.found {
				why := ""
				if misses++; misses <= mostGuesses {
					why = n.stranger(t)
				}
				cablesNone.Errorf(ds, t.at, "%q selects no cable of the file.%s Correct the selector, or delete it if the cable is gone.",
					diag.Cut(t.text), why)
			}
		}
	}
	return named, true
}

// together merges the blocks that select a cable, in order. It reports two blocks with different values, each pair once.
func (c *cabling) together(blocks []*linkBlock) *linkBlock {
	if len(blocks) == 1 {
		return blocks[0]
	}
	var b strings.Builder
	for _, k := range blocks {
		fmt.Fprintf(&b, "%p ", k)
	}
	key := b.String()
	if sum := c.sums[key]; sum != nil {
		return sum
	}
	all := *blocks[0]
	for _, k := range blocks[1:] {
		agree(c, &all.drop, k.drop, "ignore", k)
		agree(c, &all.Speed, k.Speed, "speed", k)
		agree(c, &all.Length, k.Length, "length", k)
		agree(c, &all.MTU, k.MTU, "mtu", k)
		agree(c, &all.marks.Routed, k.marks.Routed, "routed", k)
		agree(c, &all.marks.Peer, k.marks.Peer, "peer", k)
		agree(c, &all.FlowControl, k.FlowControl, "flow_control", k)
		agree(c, &all.marks.Bond, k.marks.Bond, "bond", k)
		agree(c, &all.marks.Planned, k.marks.Planned, "planned", k)
	}
	c.sums[key] = &all
	return &all
}

// agree copies the value of a block if no earlier block has one, and reports a different value.
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
		cablesContradict.Errorf(c.ds, said.At, "A cable that %q selects has another %s in an earlier block. Delete one of the two "+
			"values, or let the selectors select different cables.", diag.Cut(k.Name), name).Note(into.At, "the other one")
	}
}

// lay replaces the values that the topology block and the file have for a cable by the values of a cables block.
func (b *LinkBlock) lay(k *linkBlock) {
	over(&b.Speed, k.Speed)
	over(&b.Length, k.Length)
	over(&b.MTU, k.MTU)
	over(&b.FlowControl, k.FlowControl)
	marks := *b.Marked()
	over(&marks.Routed, k.marks.Routed)
	over(&marks.Peer, k.marks.Peer)
	over(&marks.Bond, k.marks.Bond)
	over(&marks.Planned, k.marks.Planned)
	b.mark(marks)
}

func over[V any](into *Value[V], said Value[V]) {
	if said.Set() {
		*into = said
	}
}

// acceptable is the kind of the names of values in which a switch may differ. Package ir has the settings for each name.
var acceptable = eval.OneOf("headroom", "limits", "maps", "marking", "shaper", "shares", "trust", "watchdog")

var acceptSchema = schema[Accept]{
	block: "accept", label: "DEVICES", doc: "Values in which switches may differ from the fabric, with the reason.",
	attrs: []attr[Accept]{
		must(many("differs", acceptable, "", "The values that may differ.\nSee [accept](language.md#accept-devices).",
			func(a *Accept) *[]Value[string] { return &a.Differs })),
		must(one("reason", eval.ReasonText, "", "Why the switches may differ; plan and verify repeat the "+
			"reason.", func(a *Accept) *Value[string] { return &a.Reason })),
		must(one("by", eval.Person, "", "Who accepts the difference.", func(a *Accept) *Value[string] { return &a.By })),
		one("until", eval.Date, "none", "The last day of the block, by UTC.\nAfter that day plan and verify ignore the block, and "+
			"report that it expired.",
			func(a *Accept) *Value[string] { return &a.Until }),
	},
}

// decodeAccepts decodes the accept blocks of a folder. Their labels are resolved later, when all devices are known.
func (l *loader) decodeAccepts(blocks []*hclsyntax.Block, en *eval.Env, ds *diag.List) {
	for _, b := range blocks {
		a := compile(l.decoder, &acceptSchema, b, en, &Accept{Decl: parse.Header(b), label: l.decoder.Label(b)}, ds).proto
		l.src.Accepts = append(l.src.Accepts, &a)
	}
}

// mostAccepted bounds the names of devices in all accept blocks together.
const mostAccepted = 1_000_000

const acceptWants = `Write names of devices, such as "leaf[01-04]" or "leaf*"; several are separated by commas.`

// resolveAccepts resolves the labels of accept blocks to devices. A part of a label is a nodeset, or a pattern with * and ?.
func (l *loader) resolveAccepts(ds *diag.List) {
	work, named := 0, 0
	for _, a := range l.src.Accepts {
		ok := labelParts(a.label, func(part eval.Text) bool {
			before := len(a.Devices)
			fits := true
			switch {
			case part.S == "":
				badLabel.Errorf(ds, part.Base, "The name of a device is missing. %s", acceptWants)
			case strings.ContainsAny(part.S, "*?"):
				fits = l.acceptPattern(a, part, &work, ds)
			default:
				fits = l.acceptNodeset(a, part, mostAccepted-named, ds)
			}
			named += len(a.Devices) - before
			return fits && named <= mostAccepted
		})
		if !ok {
			a.Devices = nil
			tooManyObjects.Errorf(ds, a.Decl, "The labels of accept blocks up to here name more than %s devices, or are too long to "+
				"compare with all devices. "+
				"Write fewer blocks.", diag.Number(mostAccepted))
			return
		}
	}
}

// labelParts calls f for each part of a label, until it returns false. Commas in brackets do not separate parts.
func labelParts(label eval.Text, f func(part eval.Text) bool) bool {
	depth, from := 0, 0
	for i := 0; i <= len(label.S); i++ {
		if i < len(label.S) {
			switch label.S[i] {
			case '[', '{':
				depth++
			case ']', '}':
				depth--
			}
			if label.S[i] != ',' || depth > 0 {
				continue
			}
		}
		text := strings.TrimLeft(label.S[from:i], " \t")
		start := i - len(text)
		text = strings.TrimRight(text, " \t")
		part := eval.Text{S: text, Base: label.At(start, start+len(text)), Exact: label.Exact}
		if !f(part) {
			return false
		}
		from = i + 1
	}
	return true
}

// acceptPattern adds the devices that a pattern matches. It returns false if the patterns need too much work.
func (l *loader) acceptPattern(a *Accept, part eval.Text, work *int, ds *diag.List) bool {
	p, why := newNamePattern(part.S)
	if why != "" {
		badLabel.Errorf(ds, part.Base, "%s %s", why, acceptWants)
		return true
	}
	term := selectorTerm{ends: []selectorEnd{{device: p}}}
	devices := len(l.src.Switches) + len(l.src.Hosts)
	if *work += devices * term.work(); *work > mostQuestions || l.decoder.Stopped() {
		return false
	}
	at := part.Base
	for _, s := range l.src.Switches {
		if p.match(s.Name) {
			a.Devices = append(a.Devices, Accepted{s.Name, &at, true})
		}
	}
	for _, h := range l.src.Hosts {
		if p.match(h.Name) {
			a.Devices = append(a.Devices, Accepted{h.Name, &at, true})
		}
	}
	return true
}

// acceptNodeset adds the devices of a nodeset, up to a limit. It returns false if there are more.
func (l *loader) acceptNodeset(a *Accept, part eval.Text, most int, ds *diag.List) bool {
	set, ok := l.decoder.countText(part, nodeset.Devices, ds)
	if !ok {
		return true // reported
	}
	if set.Len() > most {
		return false
	}
	for n := range set.All() {
		at := part.At(n.From, n.To)
		a.Devices = append(a.Devices, Accepted{n.Device, &at, false})
	}
	return true
}
