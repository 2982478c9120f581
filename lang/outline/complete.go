package outline

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/dscp"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/nodeset"
)

// Candidate is one completion of a text.
type Candidate struct {
	Label  string // the text in the list
	Kind   CandidateKind
	Detail string // the text beside the label
	Doc    string
	Insert string     // the text to write at At; the cursor is at "$1" first, and at "$0" at the end
	At     diag.Range // the replaced text
}

// CandidateKind is the kind of a [Candidate].
type CandidateKind int

// The kinds of candidates.
const (
	BlockCandidate CandidateKind = iota + 1
	AttributeCandidate
	ValueCandidate
	ReferenceCandidate
	FunctionCandidate
	NameCandidate // the name of a device, an interface or a model
)

// mostCandidates is the most candidates of a list. A longer list is too long to read.
const mostCandidates = 500

// completer collects candidates at one place.
type completer struct {
	s      *Workspace
	o      *File
	n      *outlineBlock
	offset int
	at     span   // the text to replace
	prefix string // the part of that text before the cursor
	out    []Candidate
	more   bool // some were left out
}

// Complete returns the candidates for an offset. incomplete reports that there are more candidates than the list has.
func (s *Workspace) Complete(o *File, offset int) (list []Candidate, incomplete bool) {
	if offset < 0 || offset > len(o.src) || o.inComment(offset) {
		return nil, false
	}
	s.left = mostWork
	c := &completer{s: s, o: o, offset: offset, n: o.blockAt(offset)}
	for _, b := range c.n.blocks {
		if b.header.holds(offset) && !b.at.holds(offset) { // a label can be any name
			return nil, false
		}
	}
	for _, a := range c.n.attrs {
		if a.name.to < offset && offset <= o.valueEnd(a) && offset >= a.value.from {
			c.value(a)
			return c.out, c.more
		}
	}
	c.item()
	return c.out, c.more
}

// inComment reports whether an offset is in a comment.
func (o *File) inComment(offset int) bool {
	return slices.ContainsFunc(o.tokens, func(t hclsyntax.Token) bool {
		return t.Type == hclsyntax.TokenComment && t.Range.Start.Byte < offset &&
			(offset < t.Range.End.Byte || offset == t.Range.End.Byte && !strings.HasSuffix(string(t.Bytes), "\n") &&
				!strings.HasSuffix(string(t.Bytes), "*/"))
	})
}

// valueEnd returns the end of a value and of the spaces after it.
func (o *File) valueEnd(a *attribute) int {
	end := a.value.to
	for end < len(o.src) && (o.src[end] == ' ' || o.src[end] == '\t') {
		end++
	}
	return end
}

// add adds a candidate if it matches the typed text.
func (c *completer) add(x Candidate) {
	if !strings.HasPrefix(strings.ToLower(x.Label), strings.ToLower(c.prefix)) &&
		!strings.HasPrefix(strings.ToLower(x.Insert), strings.ToLower(c.prefix)) {
		return
	}
	if len(c.out) == mostCandidates {
		c.more = true
		return
	}
	if x.Insert == "" {
		x.Insert = x.Label
	}
	x.At = c.o.at(c.at)
	c.out = append(c.out, x)
}

func (c *completer) addAll(kind CandidateKind, labels []string) {
	for _, l := range labels {
		c.add(Candidate{Label: l, Kind: kind})
	}
}

// item proposes attributes and blocks, if the line has no other text.
func (c *completer) item() {
	from := c.offset
	for from > 0 && isWord(c.o.src[from-1]) {
		from--
	}
	start := max(c.o.lineStart(c.offset), c.n.body.from)
	if from < start || strings.TrimSpace(string(c.o.src[start:from])) != "" {
		return
	}
	to := c.offset
	for to < len(c.o.src) && isWord(c.o.src[to]) {
		to++
	}
	c.at, c.prefix = span{from, to}, string(c.o.src[from:c.offset])
	assigned := slices.ContainsFunc(c.n.attrs, func(a *attribute) bool { return a.name.from == from })
	headed := slices.ContainsFunc(c.n.blocks, func(b *outlineBlock) bool { return b.at.from == from })
	doc, known := blockDocs().find(c.n.path)
	if c.n.path != "" && c.n.path != "module" && !known {
		return
	}
	if !headed {
		for _, a := range doc.Attrs {
			if c.written(a.Name) {
				continue
			}
			c.attribute(a, assigned)
		}
		if doc.ForEach && !c.written("for_each") {
			c.attribute(lang.AttrDoc{
				Name: "for_each", Type: "map or set of strings", Default: "none",
				Doc: "One block for every element, which is each.key and each.value.",
			}, assigned)
		}
		if c.n.path == "module" {
			for p := range blocksIn(c.s.module(c.o.label(c.n)), "variable") {
				if v := p.o.variableDoc(p.n); !c.written(v.Name) {
					c.attribute(v, assigned)
				}
			}
		}
	}
	if assigned {
		return
	}
	for _, b := range blockDocs().children(c.n.path) {
		name := b.Path[strings.LastIndexByte(b.Path, '.')+1:]
		if name == "fabric" && !headed && slices.ContainsFunc(c.s.Folder, func(o *File) bool { return o.Has(name) }) {
			continue
		}
		x := Candidate{Label: name, Kind: BlockCandidate, Detail: "block", Doc: b.Doc}
		switch {
		case headed:
			x.Insert = name
		case b.Label != "":
			x.Insert = name + " \"$1\" {\n  $0\n}"
		default:
			x.Insert = name + " {\n  $0\n}"
		}
		c.add(x)
	}
}

// written reports whether the block has an attribute already, at another place.
func (c *completer) written(name string) bool {
	a := c.n.find(name)
	return a != nil && !a.name.holds(c.offset)
}

func (c *completer) attribute(a lang.AttrDoc, assigned bool) {
	x := Candidate{Label: a.Name, Kind: AttributeCandidate, Detail: attrDetail(c.s.Known.attr(c.n.path, a)), Doc: a.Doc, Insert: a.Name}
	switch {
	case assigned:
	case strings.HasPrefix(a.Type, "list of"):
		x.Insert += " = [$0]"
	case isText(a):
		x.Insert += " = \"$0\""
	default:
		x.Insert += " = $0"
	}
	c.add(x)
}

// attrDetail returns the type of an attribute, and its default.
func attrDetail(a lang.AttrDoc) string {
	switch {
	case a.Required:
		return a.Type + ", required"
	case a.Default != "":
		return a.Type + ", default " + a.Default
	}
	return a.Type
}

// isText reports whether values of an attribute are mostly written in quotes.
func isText(a lang.AttrDoc) bool {
	switch a.Type {
	case "string", "path", "speed", "size", "length", "address or prefix":
		return true
	}
	return len(choices(a)) > 0 || nodesetKind(a) == nodeset.Devices || nodesetKind(a) == nodeset.Endpoints
}

// choices returns the words that an attribute, or an element of its list, accepts.
func choices(a lang.AttrDoc) []string {
	words := strings.TrimPrefix(a.Type, "list of ")
	if !strings.HasPrefix(words, `"`) {
		return nil
	}
	return strings.Split(strings.Trim(words, `"`), `", "`)
}

func isWord(b byte) bool {
	return b == '_' || b == '-' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}

// value proposes values of an attribute.
func (c *completer) value(a *attribute) {
	var open []int // tokens
	last := -1
	for i := a.first; i < a.last && c.o.tokens[i].Range.Start.Byte < c.offset; i++ {
		last = i
		switch t := c.o.tokens[i].Type; t {
		case hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl,
			hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen:
			open = append(open, i)
		case hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd,
			hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen:
			if n := len(open); n > 0 && closer[c.o.tokens[open[n-1]].Type] == t {
				open = open[:n-1]
			}
		}
	}
	doc, _ := blockDocs().attr(c.n.path, a.text)
	if n := len(open); n > 0 {
		switch c.o.tokens[open[n-1]].Type {
		case hclsyntax.TokenOQuote:
			c.text(a, doc, open[n-1])
			return
		case hclsyntax.TokenOHeredoc:
			return
		}
	}
	inText := slices.ContainsFunc(open, func(i int) bool { return c.o.tokens[i].Type == hclsyntax.TokenOQuote })
	c.at = span{c.offset, c.offset}
	prev := last
	if last >= 0 {
		if t := c.o.tokens[last]; t.Type == hclsyntax.TokenIdent && t.Range.End.Byte >= c.offset {
			c.at = tokenSpan(t)
			c.prefix = c.o.slice(span{c.at.from, c.offset})
			prev = last - 1
		}
	}
	if prev >= a.first && c.o.tokens[prev].Type == hclsyntax.TokenDot {
		c.behindDot(a, prev)
		return
	}
	if prev >= a.first && c.prefix == "" {
		switch c.o.tokens[prev].Type {
		case hclsyntax.TokenNumberLit, hclsyntax.TokenCQuote, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenCBrace,
			hclsyntax.TokenIdent:
			return // after a complete value
		}
	}
	if !inText {
		c.plain(a, doc)
	}
	c.roots()
	for _, f := range eval.Functions {
		c.add(Candidate{Label: f.Name, Kind: FunctionCandidate, Detail: f.Name + "(" + f.Args + ")", Doc: f.Doc, Insert: f.Name + "($0)"})
	}
}

// plain proposes complete values.
func (c *completer) plain(a *attribute, doc lang.AttrDoc) {
	quoted := func(kind CandidateKind, words []string) {
		for _, w := range words {
			c.add(Candidate{Label: w, Kind: kind, Insert: `"` + w + `"`})
		}
	}
	quoted(ValueCandidate, choices(doc))
	quoted(NameCandidate, c.models(a))
	switch {
	case doc.Type == "bool":
		c.addAll(ValueCandidate, []string{"true", "false"})
	case doc.Type == "type":
		c.addAll(ValueCandidate, []string{"string", "number", "bool", "any"})
		for _, t := range []string{"list", "set", "map", "object", "tuple", "optional"} {
			c.add(Candidate{Label: t, Kind: ValueCandidate, Insert: t + "($0)"})
		}
	}
	for _, kind := range []string{"cos_group", "switch", "host"} {
		if strings.Contains(doc.Type, "reference to "+kind) {
			for _, l := range labels(c.s.Folder, kind) {
				c.add(Candidate{Label: kind + "." + l, Kind: ReferenceCandidate})
			}
		}
	}
}

// roots proposes the words with which references start.
func (c *completer) roots() {
	for _, root := range []string{"var", "local", "cos_group", "switch", "host", "module"} {
		n := len(labels(c.s.Folder, refKinds[root]))
		if root == "local" {
			for range localAttrs(c.s.Folder) {
				n++
				break
			}
		}
		if n > 0 {
			c.add(Candidate{Label: root, Kind: ReferenceCandidate, Insert: root + "."})
		}
	}
	if c.inDevice() {
		c.add(Candidate{Label: "self", Kind: ReferenceCandidate, Insert: "self."})
	}
	if c.hasForEach() {
		c.add(Candidate{Label: "each", Kind: ReferenceCandidate, Insert: "each."})
	}
}

func (c *completer) inDevice() bool {
	return strings.HasPrefix(c.n.path, "switch") && !strings.HasPrefix(c.n.path, "switch_model") || strings.HasPrefix(c.n.path+".", "host.")
}

func (c *completer) hasForEach() bool {
	for n := c.n; n != nil; n = n.parent {
		if n.find("for_each") != nil {
			return true
		}
	}
	return false
}

// behindDot proposes names after a dot, which is the token dot.
func (c *completer) behindDot(a *attribute, dot int) {
	var chain []string
	i := dot - 1
	for i >= a.first {
		if c.o.tokens[i].Type == hclsyntax.TokenCBrack { // module.pod["a"].
			for i >= a.first && c.o.tokens[i].Type != hclsyntax.TokenOBrack {
				i--
			}
			i--
			continue
		}
		if c.o.tokens[i].Type != hclsyntax.TokenIdent {
			return
		}
		chain = append(chain, string(c.o.tokens[i].Bytes))
		if i-1 < a.first || c.o.tokens[i-1].Type != hclsyntax.TokenDot {
			break
		}
		i -= 2
	}
	slices.Reverse(chain)
	switch {
	case len(chain) == 2 && chain[0] == "module":
		c.named(c.s.module(chain[1]), "output")
	case len(chain) != 1:
	case chain[0] == "self":
		c.instance("self")
	case chain[0] == "each":
		c.instance("each")
	case chain[0] == "local":
		for o, l := range localAttrs(c.s.Folder) {
			c.add(Candidate{Label: l.text, Kind: ReferenceCandidate, Detail: oneLine(o.slice(l.value))})
		}
	default:
		if kind, ok := refKinds[chain[0]]; ok {
			c.named(c.s.Folder, kind)
		}
	}
}

func (c *completer) instance(root string) {
	for _, name := range []string{"group", "index", "key", "name", "value"} {
		if doc, ok := instanceDocs[root+"."+name]; ok {
			c.add(Candidate{Label: name, Kind: ReferenceCandidate, Doc: doc})
		}
	}
}

// named proposes the labels of blocks.
func (c *completer) named(files []*File, kind string) {
	for _, l := range labels(files, kind) {
		x := Candidate{Label: l, Kind: ReferenceCandidate, Detail: kind}
		if p, ok := named(files, kind, l); ok && kind == "variable" {
			v := p.o.variableDoc(p.n)
			x.Detail, x.Doc = attrDetail(v), v.Doc
		}
		c.add(x)
	}
}

// models returns the names of models for an attribute, from the tables and from blocks.
func (c *completer) models(a *attribute) []string {
	k := &c.s.Known
	switch c.n.path + "." + a.text {
	case "switch.model":
		return slices.Concat(labels(c.s.Fabric, "switch_model"), k.SwitchModels)
	case "host.nic.model":
		return slices.Concat(labels(c.s.Fabric, "nic_model"), k.NICModels)
	case "switch_model.asic":
		return k.ASICs
	case "nic_model.family":
		return k.Families
	case "switch.os":
		return k.Systems
	case "switch.config":
		return k.Configs
	}
	return nil
}

// text proposes the content of a string, which begins at token i.
func (c *completer) text(a *attribute, doc lang.AttrDoc, i int) {
	s := span{c.o.tokens[i].Range.End.Byte, c.offset}
	for j := i + 1; j < len(c.o.tokens); j++ {
		if t := c.o.tokens[j].Type; t != hclsyntax.TokenQuotedLit {
			if t != hclsyntax.TokenCQuote { // computed
				return
			}
			break
		}
		s.to = max(c.offset, c.o.tokens[j].Range.End.Byte)
	}
	if kind := nodesetKind(doc); kind != 0 {
		if a.text != "names" || !declaresDevices(c.n) {
			c.nodeset(s, kind)
		}
		return
	}
	c.at, c.prefix = s, c.o.slice(span{s.from, c.offset})
	c.addAll(ValueCandidate, choices(doc))
	c.addAll(NameCandidate, c.models(a))
	switch {
	case strings.HasSuffix(doc.Type, "DSCP"):
		c.addAll(ValueCandidate, dscp.Names())
	case doc.Type == "speed":
		c.addAll(ValueCandidate, []string{"10G", "25G", "40G", "50G", "100G", "200G", "400G"})
	}
}

// nodeset proposes devices and, after a colon, their interfaces.
func (c *completer) nodeset(s span, kind nodeset.Kind) {
	before := c.o.slice(span{s.from, c.offset})
	if strings.Count(before, "[") > strings.Count(before, "]") {
		return
	}
	items := c.o.items(span{s.from, c.offset}, kind, c.n, false)
	item := items[len(items)-1]
	end := c.offset // start of the name at the cursor
	for end < s.to && (isWord(c.o.src[end]) || strings.IndexByte(".[]", c.o.src[end]) >= 0) {
		end++
	}
	switch {
	case kind == nodeset.Interfaces:
		c.at = span{item.whole.from, end}
		if c.n.parent != nil {
			c.interfaces(c.o.nicNames(c.n.parent))
		}
		return
	case item.iface.from >= 0:
		c.at = span{item.iface.from, end}
		c.interfaces(c.s.interfacesOf(c.o.slice(item.device)))
		if !item.inherited {
			return
		}
	}
	c.at = span{item.whole.from, end}
	c.prefix = c.o.slice(span{c.at.from, c.offset})
	wanted := func(n *outlineBlock) bool { return kind != nodeset.Members || n.kind == "host" }
	for _, o := range c.s.Fabric {
		for _, n := range o.namings() {
			if !n.declares || n.device.from < 0 || !wanted(n.block) {
				continue
			}
			detail := n.block.kind + "." + o.label(n.block)
			whole := o.slice(n.device)
			c.add(Candidate{Label: whole, Kind: NameCandidate, Detail: detail})
			for d := range o.devices(n) {
				if c.s.left--; c.s.left < 0 || c.more {
					return
				}
				if d != whole {
					c.add(Candidate{Label: d, Kind: NameCandidate, Detail: detail})
				}
			}
		}
	}
}

func (c *completer) interfaces(names []string) {
	c.prefix = c.o.slice(span{c.at.from, c.offset})
	c.addAll(NameCandidate, names)
}
