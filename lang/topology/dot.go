package topology

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// maxDepth is how deep groups in braces may be nested.
const maxDepth = 64

// readDot reads a topology.dot.
//
//	graph     = [ "strict" ] "graph" [ name ] "{" { statement } "}" .
//	statement = ( cable | node | default | name "=" name | group ) [ ";" ] .
//	cable     = endpoint "--" endpoint [ attributes ] .
//	endpoint  = name ":" name [ ":" compass ] .
//	node      = name [ attributes ] .
//	default   = ( "graph" | "node" | "edge" ) attributes .
//	group     = [ "subgraph" [ name ] ] "{" { statement } "}" .
//
// This is the dot language without features that a cabling file does not need: directed edges, groups as ends of edges, chains of edges
// and HTML as names. Other attributes of edges (of PTM, of labs, of drawings) are ignored.
func readDot(r *reader) {
	r.grow(strings.Count(r.text, "--"))
	d := &dot{lexer: lexer{reader: r, pos: r.begin}}
	d.next()
	if d.keyword("strict") {
		d.next()
	}
	switch {
	case d.keyword("digraph"):
		d.unexpected("A cable has no direction, so a cabling file is a graph. Write \"graph\" instead of \"digraph\", and -- instead of ->.")
		return
	case !d.keyword("graph"):
		d.unexpected("A topology.dot begins with graph NAME {. This is %s.", d.what())
		return
	}
	if d.next(); d.tok.kind == name {
		d.next()
	}
	if d.tok.kind != '{' {
		d.unexpected("After graph NAME the bracket { was expected. This is %s.", d.what())
		return
	}
	d.braces(1)
	if d.tok.kind != end {
		d.unexpected("The graph ends before this place, but more text follows. A file contains one graph.")
	}
}

// dot parses a graphviz file.
type dot struct {
	lexer
	defaults []Attr // the attributes that "edge [...]" set for the edges after it
	said     Node   // the attributes of a device from the last list of attributes
	ends     []dotEnd
}

// dotEnd is an end of an edge in the text.
type dotEnd struct {
	device, port word // port.to is 0 if there is no port
	last         int  // end of the text
}

// keyword reports whether the token is a keyword; case does not matter, quotes do.
func (d *dot) keyword(word string) bool {
	return d.tok.kind == name && !d.tok.quoted && strings.EqualFold(d.tok.v, word)
}

// unexpected reports the current token and ends the reading.
func (d *dot) unexpected(format string, args ...any) *diag.Diagnostic {
	n := d.fail(&Syntax, d.tok.from, d.tok.to, format, args...)
	d.tok = token{word: word{from: d.pos, to: d.pos}}
	return n
}

// what returns the current token for a message.
func (d *dot) what() string {
	switch d.tok.kind {
	case end:
		return "the end of the file"
	case name:
		return "the name " + quote(d.tok.v)
	case html:
		return "HTML text"
	case edge, directed:
		return "an edge"
	}
	return quote(d.tok.v)
}

func quote(s string) string { return `"` + diag.Cut(s) + `"` }

// braces reads { statements }.
func (d *dot) braces(depth int) {
	open := d.tok
	if depth > maxDepth {
		d.fail(&TooLarge, open.from, open.to, "Here groups are nested more than %d deep.", maxDepth)
		d.next()
		return
	}
	for d.next(); d.tok.kind != '}'; {
		if d.tok.kind == end {
			d.unexpected("The file ends here, but } is missing. Write it where the graph ends.").Note(d.at(open.from, open.to),
				"the bracket that is not closed")
			return
		}
		d.statement(depth)
	}
	d.next()
}

func (d *dot) statement(depth int) {
	switch {
	case d.tok.kind == ';':
		d.next()
	case d.tok.kind == '{' || d.keyword("subgraph"):
		group := d.group(depth)
		if d.tok.kind == edge || d.tok.kind == directed {
			d.groupAsEnd(group)
			d.chain(depth, true)
		}
	case d.keyword("graph") || d.keyword("node") || d.keyword("edge"):
		edges := d.keyword("edge")
		keyword := d.tok.v
		if d.next(); d.tok.kind != '[' {
			d.unexpected("After %s attributes in [ ] were expected. A device of that name needs quotes: %s.", quote(keyword), quote(keyword))
			return
		}
		attrs := d.attributes()
		if edges {
			d.defaults = merge(attrs, d.defaults)
		}
	case d.keyword("digraph") || d.keyword("strict"):
		d.unexpected("%s is a word of the dot language. A device of that name needs quotes.", quote(d.tok.v))
	case d.tok.kind == name:
		d.cable(depth)
	case d.tok.kind == html:
		d.unexpected("A device has a plain name, not HTML text.")
	case d.tok.kind == edge || d.tok.kind == directed:
		d.unexpected("An end is missing before this edge, such as \"leaf01\":\"swp1\".")
	default:
		d.unexpected("A cable was expected here, such as \"leaf01\":\"swp1\" -- \"spine01\":\"swp1\". This is %s.", d.what())
	}
}

// group reads a group in braces, with or without a name, and returns its first token. Defaults that are set in a group apply only in it.
func (d *dot) group(depth int) word {
	begin := d.tok.word
	if d.keyword("subgraph") {
		if d.next(); d.tok.kind == name {
			d.next()
		}
	}
	if d.tok.kind == '{' {
		defaults := d.defaults
		d.braces(depth + 1)
		d.defaults = defaults
	}
	return begin
}

func (d *dot) groupAsEnd(group word) {
	d.mistake(&Endpoint, group.from, group.to, "A group of devices is the end of an edge here, but a group has no ports. Write a line "+
		"for each cable: \"leaf01\":\"swp1\" -- \"spine01\":\"swp1\".")
}

// cable reads a statement that begins with a name: a cable, a node, or name = value.
func (d *dot) cable(depth int) {
	first := d.tok
	if d.next(); d.tok.kind == '=' {
		if d.next(); d.tok.kind != name && d.tok.kind != html {
			d.unexpected("After %s = a value was expected. This is %s.", diag.Cut(first.v), d.what())
			return
		}
		d.next()
		return
	}
	a, ok := d.endpoint(first)
	if d.tok.kind == edge || d.tok.kind == directed {
		d.ends = append(d.ends[:0], a)
		d.chain(depth, !ok)
		return
	}
	if d.tok.kind == name && d.tok.from == a.last {
		d.unexpected("Two names touch each other here. Is a quote missing, or one too many?")
		return
	}
	if a.port.to > 0 && ok {
		d.mistake(&Endpoint, first.from, a.last, "This cable has one end: the edge -- and the other end are missing, such as -- "+
			"\"spine01\":\"swp1\".")
		if d.tok.kind == name && !strings.Contains(d.text[a.last:d.tok.from], "\n") { // the next name was probably meant as the other end
			other := d.tok
			d.next()
			d.endpoint(other)
			d.chain(depth, true)
			return
		}
	}
	d.attributes()
	if a.port.to == 0 {
		d.node(first.v, d.said)
	}
}

// endpoint reads the port after the name of a device. It returns false after a mistake.
func (d *dot) endpoint(device token) (e dotEnd, ok bool) {
	e, ok = dotEnd{device: device.word, last: device.to}, true
	for n := 1; d.tok.kind == ':'; n++ {
		colon := d.tok
		if d.next(); d.tok.kind != name {
			d.fail(&Syntax, colon.from, colon.to, "The name of a port was expected after the colon. This is %s.", d.what())
			d.tok = token{}
			return e, false
		}
		switch {
		case n == 1:
			e.port = d.tok.word
		case n > 2 || !slices.Contains(compass, d.tok.v):
			d.mistake(&Syntax, d.tok.from, d.tok.to, "An end is device:port, but a further name follows here. A port whose name has a "+
				"colon needs quotes.")
			ok = false
		}
		e.last = d.tok.to
		d.next()
	}
	for _, w := range []word{e.device, e.port} {
		switch {
		case w.to == 0: // no port, which is a mistake only in an edge
		case strings.ContainsAny(w.v, "\r\n"):
			line := w.from + max(strings.IndexAny(d.text[w.from:], "\r\n"), 1)
			d.fail(&Syntax, w.from, line, "The name in quotes that begins here continues in the next line. Is a quote missing?")
			d.tok = token{}
			return e, false
		case w.v == "" && ok:
			d.mistake(&Endpoint, w.from, w.to, "The name is empty.")
			ok = false
		}
	}
	return e, ok
}

// compass has the compass points that may follow a port in a drawing. They are ignored.
var compass = []string{"n", "ne", "e", "se", "s", "sw", "w", "nw", "c", "_"}

// chain reads the edges after a first end, which is in ends, and adds the cable. If bad is true, a mistake was reported, so chain
// neither adds a cable nor reports a mistake.
func (d *dot) chain(depth int, bad bool) {
	edges := 0
	for ; d.tok.kind == edge || d.tok.kind == directed; edges++ {
		if d.tok.kind == directed {
			d.unexpected("A cable has no direction. Write -- instead of ->.")
			return
		}
		line := d.tok
		d.next()
		switch {
		case d.tok.kind == '{' || d.keyword("subgraph"):
			ends := slices.Clone(d.ends) // reading the group changes ends
			group := d.group(depth)
			d.ends = ends
			if !bad {
				d.groupAsEnd(group)
			}
			bad = true
		case d.tok.kind != name:
			d.fail(&Syntax, line.from, line.to, "An end was expected after this edge, such as \"spine01\":\"swp1\". This is %s.", d.what())
			d.tok = token{}
			return
		default:
			device := d.tok
			d.next()
			e, ok := d.endpoint(device)
			if bad = bad || !ok; len(d.ends) < 3 {
				d.ends = append(d.ends, e)
			}
			if d.tok.kind == name && d.tok.from == e.last {
				d.unexpected("Two names touch each other here. Is a quote missing, or one too many?")
				return
			}
		}
	}
	attrs := d.attributes()
	switch {
	case d.failed || bad:
		return
	case edges > 1:
		middle := d.ends[1]
		d.mistake(&Endpoint, middle.device.from, middle.last,
			"This end is between two edges, so two cables would end in one port. Write a line for each cable.")
		return
	}
	for _, e := range d.ends {
		if e.port.to == 0 {
			hint := "Write " + quote(e.device.v) + ":\"swp1\", with the port of the cable."
			if device, port, ok := split(e.device); ok {
				hint = "Put the colon between device and port outside of the quotes: " + quote(device.v) + ":" + quote(port.v) + "."
			}
			d.mistake(&Endpoint, e.device.in, e.device.out, "%s is a device without a port. %s", quote(e.device.v), hint)
			return
		}
	}
	a, b := d.end(d.ends[0].device, d.ends[0].port), d.end(d.ends[1].device, d.ends[1].port)
	d.add(a, b, merge(attrs, d.defaults), over(a.At, b.At))
}

// attributes reads any number of [ ... ] and returns the attributes of the cable.
func (d *dot) attributes() (attrs []Attr) {
	d.said = Node{}
	for d.tok.kind == '[' {
		open := d.tok
		for d.next(); d.tok.kind != ']'; {
			switch d.tok.kind {
			case ',', ';':
				d.next()
			case name:
				key := d.tok
				if d.next(); d.tok.kind != '=' {
					continue // in dot this is key = true
				}
				switch d.next(); {
				case d.tok.kind == name:
					attrs = d.attribute(attrs, key.v, d.tok.word)
					d.says(key.v, d.tok.v)
					d.nearlyRead(key.word)
				case d.tok.kind == html && slices.Contains(attrNames[:], key.v):
					d.mistake(&Syntax, d.tok.from, d.tok.to, "%s is a string such as \"100G\" or \"3m\", not HTML text.", key.v)
				case d.tok.kind != html:
					d.unexpected("After %s = a value was expected. This is %s.", diag.Cut(key.v), d.what())
					return nil
				}
				d.next()
			case end:
				d.unexpected("The file ends here, but ] is missing. Write it after the attributes.").Note(d.at(open.from, open.to),
					"the bracket that is not closed")
				return nil
			default:
				d.unexpected("Attributes such as speed=\"100G\" were expected between [ and ]. This is %s.", d.what())
				return nil
			}
		}
		d.next()
	}
	return attrs
}

// says stores an attribute of a device.
func (d *dot) says(key, value string) {
	switch strings.ToLower(key) {
	case "function", "role":
		d.said.Function = value
	case "os":
		d.said.System = value
	case "version":
		d.said.Version = value
	case "model", "platform":
		d.said.Model = value
	}
}

// merge returns attributes, and the defaults for missing attributes.
func merge(attrs, defaults []Attr) []Attr {
	if len(attrs) == 0 {
		return slices.Clip(defaults)
	}
	for _, a := range defaults {
		if !slices.ContainsFunc(attrs, func(b Attr) bool { return a.Name == b.Name }) {
			attrs = append(attrs, a)
		}
	}
	return attrs
}
