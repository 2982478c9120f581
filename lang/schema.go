package lang

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/parse"
)

// schema is the table of one kind of block: its attributes and inner blocks, and the fields of T for them.
type schema[T any] struct {
	block   string // "switch"
	label   string // the name of the label in the manual; "" without a label
	doc     string
	perName bool // self has a value
	forEach bool // for_each is allowed
	attrs   []attr[T]
	blocks  []child[T]
}

// attr is one attribute of a block.
type attr[T any] struct {
	name     string
	kind     string // the name of the type in the manual
	required bool
	early    bool   // needed before there are instances, so self has no value
	def      string // the default, for the manual
	doc      string // Markdown: a line for hovers, and a second line only for the reference
	set      func(d *decoder, en *eval.Env, into *T, e hclsyntax.Expression, ds *diag.List) eval.Outcome
}

// parsed is an attribute whose value a function reads.
func parsed[T, V any](name, kind, def, doc string, read reader[V], set func(*T, V)) attr[T] {
	return attr[T]{
		name: name, kind: kind, def: def, doc: doc,
		set: func(d *decoder, en *eval.Env, into *T, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
			v, o := read(d.Evaluator, en, e, ds)
			if o == eval.Good {
				set(into, v)
			}
			return o
		},
	}
}

// child is a block inside a block.
type child[T any] struct {
	name   string
	single bool
	label  string
	docs   func() []BlockDoc
	// add decodes b. It returns the step that must be repeated for every instance, or nil, and whether there was no mistake.
	add func(d *decoder, en *eval.Env, into *T, b *hclsyntax.Block, i int, ds *diag.List) (again step[T], ok bool)
}

// must marks an attribute as required, early as needed before instances.
func must[T any](a attr[T]) attr[T]  { a.required = true; return a }
func early[T any](a attr[T]) attr[T] { a.early = true; return a }

// one returns an attribute with a single value.
func one[T, V any](name string, k eval.Kind[V], def, doc string, field func(*T) *Value[V]) attr[T] {
	return attr[T]{
		name: name, kind: k.Name, def: def, doc: doc,
		set: func(d *decoder, en *eval.Env, into *T, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
			v, o := d.Value(en, e, ds)
			if o != eval.Good {
				return o
			}
			x, p := k.Read(v)
			if p != nil {
				d.Problem(en, e, eval.Element{V: v, Expr: e}, p, k.Want, k.Hint(v), ds)
				return eval.Failed
			}
			*field(into) = Value[V]{x, e.Range()}
			return eval.Good
		},
	}
}

// many returns an attribute with a list of values.
func many[T, V any](name string, k eval.Kind[V], def, doc string, field func(*T) *[]Value[V]) attr[T] {
	return attr[T]{
		name: name, kind: "list of " + k.Name, def: def, doc: doc,
		set: func(d *decoder, en *eval.Env, into *T, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
			elements, o := d.Elements(en, e, k.Want, ds)
			if o != eval.Good {
				return o
			}
			out := make([]Value[V], 0, len(elements))
			for _, el := range elements {
				x, p := k.Read(el.V)
				if p != nil {
					d.Problem(en, e, el, p, k.Want, k.Hint(el.V), ds)
					o = eval.Failed
					continue
				}
				out = append(out, Value[V]{x, el.Expr.Range()})
			}
			*field(into) = out
			return o
		},
	}
}

// blocksOf makes a child from a schema. Set puts the i-th block of its kind into the parent. If the block depends on self, set is
// called again for every instance. It must not change data that instances share.
func blocksOf[T, C any](s *schema[C], single bool, init func(*decoder, *C, *hclsyntax.Block, *diag.List) bool,
	set func(into *T, i int, c *C),
) child[T] {
	return child[T]{
		name: s.block, single: single, label: s.label,
		docs: s.docs,
		add: func(d *decoder, en *eval.Env, into *T, b *hclsyntax.Block, i int, ds *diag.List) (step[T], bool) {
			var proto C
			ok := init(d, &proto, b, ds)
			t := compile(d, s, b, en, &proto, ds)
			set(into, i, &t.proto)
			if len(t.steps) == 0 {
				return nil, ok && t.ok
			}
			return func(en *eval.Env, into *T, ds *diag.List) {
				c := t.proto
				t.run(en, &c, ds)
				set(into, i, &c)
			}, ok && t.ok
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

// template is a decoded block: the values that all instances share, and the steps for values that differ.
type template[T any] struct {
	proto T
	steps []step[T]
	ok    bool // the shared values have no mistake
}

// step decodes the values of one instance that differ between instances.
type step[T any] func(en *eval.Env, into *T, ds *diag.List)

// run completes one instance, which is a copy of the proto.
func (t *template[T]) run(en *eval.Env, out *T, ds *diag.List) {
	for _, step := range t.steps {
		step(en, out, ds)
	}
}

// compile decodes block b by the table s, starting from proto.
func compile[T any](d *decoder, s *schema[T], b *hclsyntax.Block, en *eval.Env, proto *T, ds *diag.List) *template[T] {
	t := &template[T]{proto: *proto}
	t.decode(d, s, b, en, ds)
	return t
}

// decode decodes block b by the table s, starting from the values of the template.
func (t *template[T]) decode(d *decoder, s *schema[T], b *hclsyntax.Block, en *eval.Env, ds *diag.List) {
	t.ok = true
	body := b.Body
	static := en.Inside(false)
	var misspelt []string // required attributes that are written under a misspelt name, and are not reported as missing
	for _, a := range parse.Attributes(body) {
		i := slices.IndexFunc(s.attrs, func(x attr[T]) bool { return x.name == a.Name })
		if i < 0 {
			if a.Name == "for_each" && s.forEach {
				continue // read by decoder.forEach
			}
			t.ok = false
			misspelt = append(misspelt, d.unknownAttribute(a, b, s.attrNames(), s.blockNames(), ds))
			continue
		}
		row := s.attrs[i]
		if s.selfKnown(en) && !row.early && d.UsesSelf(en, a.Expr) {
			t.steps = append(t.steps, func(en *eval.Env, into *T, ds *diag.List) {
				if !d.HasFailed(a.Expr) && row.set(d, en, into, a.Expr, ds) == eval.Null && row.required {
					d.Report(en, a.Expr, &eval.MissingAttribute, "The attribute is required, and null counts as not written. Give it a value.", ds)
				}
			})
			continue
		}
		switch o := row.set(d, static, &t.proto, a.Expr, ds); {
		case o == eval.Failed:
			t.ok = false
		case o == eval.Null && row.required:
			t.ok = false
			d.Report(static, a.Expr, &eval.MissingAttribute, "The attribute is required, and null counts as not written. Give it a value.", ds)
		}
	}
	for _, row := range s.attrs {
		if _, ok := body.Attributes[row.name]; row.required && !ok && !slices.Contains(misspelt, row.name) {
			t.ok = false
			doc, _, _ := strings.Cut(row.doc, "\n")
			eval.MissingAttribute.Errorf(ds, parse.Header(b), "This %s block needs %s (%s): %s%s Write the attribute.", b.Type, row.name, row.kind,
				strings.ToLower(doc[:1]), doc[1:])
		}
	}
	inside := en.Inside(s.selfKnown(en))
	first, count := map[string]diag.Range{}, map[string]int{}
	for _, inner := range body.Blocks {
		i := slices.IndexFunc(s.blocks, func(x child[T]) bool { return x.name == inner.Type })
		if i < 0 {
			t.ok = false
			d.unknownBlock(inner, b, s.attrNames(), s.blockNames(), ds)
			continue
		}
		row := s.blocks[i]
		if !checkLabels(inner, row.label, ds) {
			t.ok = false
			continue
		}
		if at, again := first[inner.Type]; again && row.single {
			t.ok = false
			duplicateBlock.Errorf(ds, parse.Header(inner), "%s block can have only one %s block. Merge the "+
				"two.", diag.Beginning(b.Type), inner.Type).
				Note(at, "the first one")
			continue
		}
		first[inner.Type] = parse.Header(inner)
		step, ok := row.add(d, inside, &t.proto, inner, count[inner.Type], ds)
		t.ok = t.ok && ok
		if step != nil {
			t.steps = append(t.steps, step)
		}
		count[inner.Type]++
	}
}

// selfKnown reports whether attributes of the block may use self. They may if the block makes instances, or is inside a block that does.
func (s *schema[T]) selfKnown(en *eval.Env) bool { return s.perName || en.Self }

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

// otherNames maps attributes that people write in the wrong block to the correct attribute of that block.
var otherNames = map[string]string{"mesh a": "lower", "mesh b": "upper", "link lower": "a", "link upper": "b"}

// unknownAttribute reports an attribute that does not exist. It returns the attribute that was probably meant, or "".
func (d *decoder) unknownAttribute(a *hclsyntax.Attribute, b *hclsyntax.Block, attrs, blocks []string, ds *diag.List) string {
	if slices.Contains(blocks, a.Name) {
		unknownAttribute.Errorf(ds, a.NameRange, "%q is a block. Write %s { ... } without the equals sign.", a.Name, a.Name)
		return ""
	}
	meant := cmp.Or(otherNames[b.Type+" "+a.Name], diag.Nearest(a.Name, attrs))
	switch {
	case a.Name == "for_each":
		unknownAttribute.Errorf(ds, a.NameRange, "for_each works on %s blocks, not on %s block. Write one block for each element, or "+
			"remove for_each.",
			d.forEachKinds(), diag.Article(b.Type))
	case a.Name == "count" && slices.Contains(attrs, "names"):
		unknownAttribute.Errorf(ds, a.NameRange, "A nodeset makes several devices with the same settings. Write names = \"%s[1-4]\" "+
			"instead of a count.",
			diag.Plain(b.Labels[0]))
	default:
		hint := diag.Listed(" Write one of these: ", attrs)
		if meant != "" {
			hint = diag.Meant(meant)
		}
		unknownAttribute.Errorf(ds, a.NameRange, "%s block has no attribute %q.%s", diag.Beginning(b.Type), diag.Cut(a.Name), hint).
			Instead(a.NameRange, meant)
		return meant
	}
	return ""
}

func (d *decoder) unknownBlock(inner, b *hclsyntax.Block, attrs, blocks []string, ds *diag.List) {
	if slices.Contains(attrs, inner.Type) {
		eval.UnknownBlock.Errorf(ds, inner.TypeRange, "%q is an attribute. Write %s = ...", inner.Type, inner.Type)
		return
	}
	where := d.standsIn(inner.Type)
	switch {
	case where != "":
		eval.UnknownBlock.Errorf(ds, inner.TypeRange, "%s block cannot contain the block %s. %s", diag.Beginning(b.Type), inner.Type, where)
	case len(blocks) == 0:
		eval.UnknownBlock.Errorf(ds, inner.TypeRange, "%s block cannot contain blocks. Delete the inner block, or move it to the block "+
			"where it belongs.",
			diag.Beginning(b.Type))
	default:
		eval.UnknownBlock.Errorf(ds, inner.TypeRange, "%s block cannot contain a block %q.%s", diag.Beginning(b.Type), diag.Cut(inner.Type),
			diag.Suggest(inner.Type, blocks)).
			Instead(inner.TypeRange, diag.Nearest(inner.Type, blocks))
	}
}

// forEachKinds lists the kinds of blocks for_each works on.
func (d *decoder) forEachKinds() string {
	var kinds []string
	for _, doc := range d.blocks() {
		if doc.ForEach {
			kinds = append(kinds, doc.Path)
		}
	}
	return diag.And(kinds)
}

// BlockDoc describes one kind of block for the manual.
type BlockDoc struct {
	Path  string // "switch", "host.nic"
	Label string // the name of the label; "" without a label
	Doc   string
	Attrs []AttrDoc

	ForEach bool // for_each is allowed
	Single  bool // the block may not be repeated
}

// AttrDoc describes one attribute for the manual.
type AttrDoc struct {
	Name, Type, Default, Doc string
	More                     string // text that only the reference has after Doc, as Markdown
	Required                 bool
}

func (s *schema[T]) docs() []BlockDoc {
	d := BlockDoc{Path: s.block, Label: s.label, Doc: s.doc, ForEach: s.forEach}
	for _, a := range s.attrs {
		doc, more, _ := strings.Cut(a.doc, "\n")
		d.Attrs = append(d.Attrs, AttrDoc{a.name, a.kind, a.def, doc, more, a.required})
	}
	out := []BlockDoc{d}
	for _, c := range s.blocks {
		for i, inner := range c.docs() {
			inner.Path, inner.Single = s.block+"."+inner.Path, inner.Single || i == 0 && c.single
			out = append(out, inner)
		}
	}
	return out
}

// standsIn returns a sentence that says where a block of this kind belongs, or "" if no such kind exists.
func (d *decoder) standsIn(kind string) string {
	if kind != "ssh" && d.atTop(kind) {
		return diag.Beginning(kind) + " block must be outside of other blocks. Move it there."
	}
	var parents []string
	for _, doc := range d.blocks() {
		if parent, ok := strings.CutSuffix(doc.Path, "."+kind); ok {
			if i := strings.LastIndexByte(parent, '.'); i >= 0 {
				parent = parent[i+1:]
			}
			parents = append(parents, diag.Article(parent))
		}
	}
	if len(parents) == 0 {
		return ""
	}
	return fmt.Sprintf("%s block must be inside %s block. Move it there.", diag.Beginning(kind), diag.Or(parents))
}

// atTop reports whether a kind is a top-level block.
func (d *decoder) atTop(kind string) bool {
	return slices.ContainsFunc(d.blocks(), func(doc BlockDoc) bool { return doc.Path == kind })
}
