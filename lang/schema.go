package lang

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/rocec/rocec/lang/diag"
)

// schema is a kind of block as a table: what may stand in it and where it goes in a T.
type schema[T any] struct {
	block   string // "switch"
	label   string // what the label is called in the manual; "" when there is none
	doc     string
	perName bool // self is known
	forEach bool // for_each is allowed
	attrs   []attr[T]
	blocks  []child[T]
}

// attr is one attribute of a block.
type attr[T any] struct {
	name     string
	kind     string // as the manual names it
	required bool
	early    bool   // needed before there are instances: self is not known
	def      string // as the manual writes it
	doc      string
	set      func(l *loader, en *env, into *T, e hclsyntax.Expression) outcome
}

// child is a block inside a block.
type child[T any] struct {
	name   string
	single bool
	label  string
	docs   func() []BlockDoc
	// add decodes b. It returns what must be done again for every instance, or nil.
	add func(l *loader, en *env, into *T, b *hclsyntax.Block, i int) func(en *env, into *T)
}

// must marks an attribute as required, early as needed before instances.
func must[T any](a attr[T]) attr[T]  { a.required = true; return a }
func early[T any](a attr[T]) attr[T] { a.early = true; return a }

// one is an attribute of a single value.
func one[T, V any](name string, k kind[V], def, doc string, field func(*T) *Value[V]) attr[T] {
	return attr[T]{name: name, kind: k.name, def: def, doc: doc, set: func(l *loader, en *env, into *T, e hclsyntax.Expression) outcome {
		v, o := l.value(en, e)
		if o != good {
			return o
		}
		x, p := k.read(v)
		if p != nil {
			l.problem(en, e, element{v, e}, p, k.want, k.hint(v))
			return failed
		}
		*field(into) = Value[V]{x, e.Range()}
		return good
	}}
}

// many is an attribute of a list of values.
func many[T, V any](name string, k kind[V], def, doc string, field func(*T) *[]Value[V]) attr[T] {
	return attr[T]{name: name, kind: "list of " + k.name, def: def, doc: doc, set: func(l *loader, en *env, into *T, e hclsyntax.Expression) outcome {
		elements, o := l.elements(en, e, k.want)
		if o != good {
			return o
		}
		out := make([]Value[V], 0, len(elements))
		for _, el := range elements {
			x, p := k.read(el.v)
			if p != nil {
				l.problem(en, e, el, p, k.want, k.hint(el.v))
				o = failed
				continue
			}
			out = append(out, Value[V]{x, el.expr.Range()})
		}
		*field(into) = out
		return o
	}}
}

// problem reports why an element cannot be read.
func (l *loader) problem(en *env, whole hclsyntax.Expression, el element, p *problem, want, hint string) {
	if p.topic == nil {
		l.report(en, el.expr, &wrongType, fmt.Sprintf("Expected %s, not %s.%s", want, describe(el.v), hint))
	} else if d := l.report(en, el.expr, p.topic, p.detail); d != nil && p.meant != "" {
		if _, written := literal(bare(el.expr)); written { // and not computed
			d.Instead(el.expr.Range(), strconv.Quote(p.meant))
		}
	}
	l.fail(whole)
}

// blocksOf makes a child out of a schema. Set puts the i-th block of its kind into the parent; it is called again for
// every instance when something in the block depends on self, and must not change what instances share.
func blocksOf[T, C any](s *schema[C], single bool, init func(*loader, *C, *hclsyntax.Block), set func(into *T, i int, c *C)) child[T] {
	return child[T]{
		name: s.block, single: single, label: s.label,
		docs: func() []BlockDoc { return s.docs(s.block) },
		add: func(l *loader, en *env, into *T, b *hclsyntax.Block, i int) func(*env, *T) {
			var proto C
			init(l, &proto, b)
			t := compile(l, s, b, en, &proto)
			set(into, i, &t.proto)
			if len(t.steps) == 0 {
				return nil
			}
			return func(en *env, into *T) {
				c := t.proto
				t.run(en, &c)
				set(into, i, &c)
			}
		},
	}
}

// put sets the i-th element of a slice that other instances may share.
func put[E any](s []E, i int, e E) []E {
	if i == len(s) {
		return append(s, e)
	}
	s = slices.Clone(s)
	s[i] = e
	return s
}

// template is a decoded block: what is the same for every instance, and the steps for what is not.
type template[T any] struct {
	proto T
	steps []func(en *env, into *T)
	ok    bool // no mistake so far
}

// run finishes one instance, a copy of the proto.
func (t *template[T]) run(en *env, out *T) {
	for _, step := range t.steps {
		step(en, out)
	}
}

// compile decodes block b by the table s, starting from proto.
func compile[T any](l *loader, s *schema[T], b *hclsyntax.Block, en *env, proto *T) *template[T] {
	t := &template[T]{proto: *proto, ok: true}
	body := b.Body
	static := *en
	static.self = false
	before := len(l.diags)
	var misspelt []string // attributes that are there under another name, and so not missing
	for _, a := range sortedAttributes(body) {
		i := slices.IndexFunc(s.attrs, func(x attr[T]) bool { return x.name == a.Name })
		if i < 0 {
			if a.Name == "for_each" && s.forEach {
				continue // read by loader.forEach
			}
			misspelt = append(misspelt, l.unknownAttribute(a, b, s.attrNames(), s.blockNames()))
			continue
		}
		row := s.attrs[i]
		if s.selfKnown(en) && !row.early && usesSelf(a.Expr) {
			t.steps = append(t.steps, func(en *env, into *T) {
				if !l.failed[a.Expr] && row.set(l, en, into, a.Expr) == null && row.required {
					l.report(en, a.Expr, &missingAttribute, "The attribute is required, and null counts as not written. Give it a value.")
				}
			})
			continue
		}
		if row.set(l, &static, &t.proto, a.Expr) == null && row.required {
			l.report(&static, a.Expr, &missingAttribute, "The attribute is required, and null counts as not written. Give it a value.")
		}
	}
	for _, row := range s.attrs {
		if _, ok := body.Attributes[row.name]; row.required && !ok && !slices.Contains(misspelt, row.name) {
			missingAttribute.Errorf(&l.diags, header(b), "This %s block needs %s (%s): %s%s Write it.", b.Type, row.name, row.kind, strings.ToLower(row.doc[:1]), row.doc[1:])
		}
	}
	inside := *en
	inside.self = s.selfKnown(en)
	first, count := map[string]diag.Range{}, map[string]int{}
	for _, inner := range body.Blocks {
		i := slices.IndexFunc(s.blocks, func(x child[T]) bool { return x.name == inner.Type })
		if i < 0 {
			l.unknownBlock(inner, b, s.attrNames(), s.blockNames())
			continue
		}
		row := s.blocks[i]
		if !l.checkLabels(inner, row.label) {
			continue
		}
		if at, again := first[inner.Type]; again && row.single {
			duplicateBlock.Errorf(&l.diags, header(inner), "%s block holds one %s block. Merge the two.", beginning(b.Type), inner.Type).
				Note(at, "the first one")
			continue
		}
		first[inner.Type] = header(inner)
		if step := row.add(l, &inside, &t.proto, inner, count[inner.Type]); step != nil {
			t.steps = append(t.steps, step)
		}
		count[inner.Type]++
	}
	t.ok = len(l.diags) == before
	return t
}

// selfKnown tells whether attributes of the block may use self: the block makes instances, or stands in one that does.
func (s *schema[T]) selfKnown(en *env) bool { return s.perName || en.self }

func (s *schema[T]) attrNames() (names []string) {
	for _, a := range s.attrs {
		names = append(names, a.name)
	}
	if s.forEach {
		names = append(names, "for_each")
	}
	return names
}

func (s *schema[T]) blockNames() (names []string) {
	for _, b := range s.blocks {
		names = append(names, b.name)
	}
	return names
}

// otherNames are attributes people look for in the wrong block, by the name they have there.
var otherNames = map[string]string{"mesh a": "lower", "mesh b": "upper", "link lower": "a", "link upper": "b"}

// unknownAttribute reports an attribute that does not exist and returns the one that was meant, or "".
func (l *loader) unknownAttribute(a *hclsyntax.Attribute, b *hclsyntax.Block, attrs, blocks []string) string {
	if slices.Contains(blocks, a.Name) {
		unknownAttribute.Errorf(&l.diags, a.NameRange, "%q is a block. Write %s { ... } without the equals sign.", a.Name, a.Name)
		return ""
	}
	meant := cmp.Or(otherNames[b.Type+" "+a.Name], diag.Nearest(a.Name, attrs))
	switch {
	case a.Name == "for_each":
		unknownAttribute.Errorf(&l.diags, a.NameRange, "for_each works on %s blocks, not on %s block. Write one block for each, or take it away.", l.forEachKinds(), article(b.Type))
	case a.Name == "count" && slices.Contains(attrs, "names"):
		unknownAttribute.Errorf(&l.diags, a.NameRange, "Several like devices are made by a nodeset. Write names = \"%s[1-4]\" instead of a count.", shown(b.Labels[0]))
	default:
		hint := list(" Write one of these: ", attrs)
		if meant != "" {
			hint = diag.Meant(meant)
		}
		unknownAttribute.Errorf(&l.diags, a.NameRange, "%s block has no attribute %q.%s", beginning(b.Type), diag.Cut(a.Name), hint).
			Instead(a.NameRange, meant)
		return meant
	}
	return ""
}

func (l *loader) unknownBlock(inner, b *hclsyntax.Block, attrs, blocks []string) {
	if slices.Contains(attrs, inner.Type) {
		unknownBlock.Errorf(&l.diags, inner.TypeRange, "%q is an attribute. Write %s = ...", inner.Type, inner.Type)
		return
	}
	where := l.standsIn(inner.Type)
	switch {
	case where != "":
		unknownBlock.Errorf(&l.diags, inner.TypeRange, "%s block holds no %s block. %s", beginning(b.Type), inner.Type, where)
	case len(blocks) == 0:
		unknownBlock.Errorf(&l.diags, inner.TypeRange, "%s block holds no blocks. Delete it, or move it to where it belongs.", beginning(b.Type))
	default:
		unknownBlock.Errorf(&l.diags, inner.TypeRange, "%s block holds no block %q.%s", beginning(b.Type), diag.Cut(inner.Type),
			didYouMean(inner.Type, blocks)).
			Instead(inner.TypeRange, diag.Nearest(inner.Type, blocks))
	}
}

// forEachKinds lists the kinds of blocks for_each works on.
func (l *loader) forEachKinds() string {
	var kinds []string
	for _, d := range l.blocks() {
		if d.ForEach {
			kinds = append(kinds, d.Path)
		}
	}
	return diag.And(kinds)
}

// BlockDoc is one kind of block as the manual shows it.
type BlockDoc struct {
	Path  string // "switch", "host.nic"
	Label string // what the label is called; "" when there is none
	Doc   string
	Attrs []AttrDoc

	ForEach bool // for_each is allowed
}

// AttrDoc is one attribute as the manual shows it.
type AttrDoc struct {
	Name, Type, Default, Doc string
	Required                 bool
}

func (s *schema[T]) docs(path string) []BlockDoc {
	d := BlockDoc{Path: path, Label: s.label, Doc: s.doc, ForEach: s.forEach}
	for _, a := range s.attrs {
		d.Attrs = append(d.Attrs, AttrDoc{a.name, a.kind, a.def, a.doc, a.required})
	}
	out := []BlockDoc{d}
	for _, c := range s.blocks {
		for _, inner := range c.docs() {
			inner.Path = path + "." + inner.Path
			out = append(out, inner)
		}
	}
	return out
}

// entry finds the key and the value of an object that is written out, or gives the whole expression for both.
func entry(e hclsyntax.Expression, key string) (k, v hclsyntax.Expression) {
	object, ok := bare(e).(*hclsyntax.ObjectConsExpr)
	if !ok {
		return e, e
	}
	for _, item := range object.Items {
		name, ok := literal(bareKey(item.KeyExpr))
		if !ok {
			if word := hcl.ExprAsKeyword(item.KeyExpr); word != key {
				continue
			}
			return item.KeyExpr, item.ValueExpr
		}
		if s, err := convert.Convert(name, cty.String); err == nil && !s.IsNull() && s.AsString() == key {
			return item.KeyExpr, item.ValueExpr
		}
	}
	return e, e
}

func bareKey(e hclsyntax.Expression) hclsyntax.Expression {
	if k, ok := e.(*hclsyntax.ObjectConsKeyExpr); ok {
		return k.Wrapped
	}
	return e
}
