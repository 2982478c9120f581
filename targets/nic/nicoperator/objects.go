package nicoperator

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rocec/rocec/compiler/ir"
)

// The kinds of objects that state settings of NICs, and their API.
const (
	KindTemplate = "NicConfigurationTemplate"
	KindDevice   = "NicDevice"

	api     = "configuration.net.nvidia.com/"
	version = "v1alpha1"
)

// The limits of a file. A tree of nodes needs twenty times the memory of its text, so that only one piece of a file is a tree at a time.
const (
	MostFile  = 32 << 20 // bytes of a file: 20,000 NICs
	mostPiece = 1 << 20  // bytes of an object, or of a document that is no list as kubectl prints it
	mostOf    = 50_000   // pieces of a file
	mostIn    = 5_000    // objects of a piece: an object with settings has 300 bytes or more
	mostDepth = 24       // objects and lists in each other
	headSize  = 64 << 10 // bytes in which an object of the operator is searched
)

// Object is an object of the operator, or the reason why it was not read.
type Object struct {
	Kind, Name string
	Node       string   // the node of a NicDevice, or of the label kubernetes.io/hostname that a template selects; empty: not stated
	Interfaces []string // of a NicDevice
	NICType    string   // that a template selects: the PCI device id
	Narrow     string   // the field by which a template selects single NICs; empty: it selects all NICs of its type
	Values     []Stated
	Wrong      []Wrong

	text    string         // of the piece of the file
	indexes map[string]int // of values, by path in the template
}

// Stated is a value of a field that was read.
type Stated struct {
	Row   string // the last part of the path, and the value
	Text  string // the value
	Means ir.Field
	Aside string // the reason why it sets no field
	Line  int
}

// Wrong is a row that is not understood.
type Wrong struct {
	Row, Why string
	Line     int
}

// Is reports whether a text has an object of the operator, by its first bytes.
func Is(text []byte) bool {
	head := text[:min(len(text), headSize)]
	return bytes.Contains(head, []byte("apiVersion: "+api)) || bytes.Contains(head, []byte(`"apiVersion": "`+api)) ||
		bytes.Contains(head, []byte(`apiVersion: "`+api))
}

// piece is a part of a file: a document, or an element of a list as kubectl prints it.
type piece struct {
	line int // the number of its first line
	text string
}

// Refuses returns the reason why a file is too large to be divided by node, as a sentence; empty: it is not.
func Refuses(data []byte) string {
	switch {
	case len(data) > MostFile:
		return fmt.Sprintf("It is larger than %d MiB.", MostFile>>20)
	case len(piecesOf(string(data))) > mostOf:
		return fmt.Sprintf("It has more than %d objects.", mostOf)
	}
	return ""
}

// piecesOf divides a file into documents, and a list of kubectl into its elements: such a list has its elements without indentation, below
// the key items. A line without indentation cannot be inside of an element, because texts of several lines are indented in YAML. piecesOf
// returns at most one piece more than the limit.
func piecesOf(text string) (out []piece) {
	line, from, start := 1, 1, 0 // of the present piece
	items := false
	end := func(at int) {
		if part := text[start:at]; len(out) <= mostOf && strings.TrimSpace(part) != "" {
			out = append(out, piece{from, part})
		}
		start, from = at, line
	}
	for at := 0; at < len(text); line++ {
		next := at + len(text[at:])
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		row := strings.TrimRight(text[at:next], " \t\r\n")
		switch {
		case row == "---" || strings.HasPrefix(row, "--- ") || row == "...":
			end(at)
			start, from, items = at+3, line, false
		case row == "items:":
			end(at)
			start, from, items = next, line+1, true
		case items && strings.HasPrefix(row, "- "):
			end(at)
		case items && row != "" && row[0] != ' ' && row[0] != '#':
			end(at)
			items = false
		}
		at = next
	}
	end(len(text))
	return out
}

// Objects returns the objects in a file. Reading never fails: an object that cannot be read has a reason in Wrong.
func Objects(text string) (out []Object) {
	for i, p := range piecesOf(text) {
		if i == mostOf {
			return append(out, p.refused(fmt.Sprintf("the file has more than %d objects, and rocec does not read the others", mostOf)))
		}
		out = append(out, p.objects()...)
	}
	return out
}

// refused returns a piece that is not read, with the reason.
func (p *piece) refused(why string) Object {
	first, _, _ := strings.Cut(strings.TrimSpace(p.text), "\n")
	return Object{Wrong: []Wrong{{first, why, p.line}}, text: p.text}
}

// The keys of objects: of each one, and of a list of kubectl beside its elements.
var (
	ofObjects = []string{"apiVersion", "kind", "metadata", "spec", "status"}
	listRows  = ofObjects[:3]
)

// null is the tag of YAML for a field that is absent.
const null = "!!null"

const unknownField = "the schema of the operator has no such field"

// objects returns the objects in a piece; none if it has only the keys of a list.
func (p *piece) objects() []Object {
	fail := func(why string) []Object { return []Object{p.refused(why)} }
	if len(p.text) > mostPiece {
		return fail(fmt.Sprintf("it is larger than %d MiB, and it is no list as kubectl prints it", mostPiece>>20))
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(p.text), &doc); err != nil {
		return fail("it is not YAML: " + strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return nil // only comments
	}
	if why := plain(&doc, 0); why != "" {
		return fail(why)
	}
	root := doc.Content[0]
	all := []*yaml.Node{root}
	switch {
	case root.Kind == yaml.SequenceNode:
		all = root.Content
	case root.Kind != yaml.MappingNode:
		return fail("it is no object")
	default:
		if items := get(root, "items"); items != nil && items.Kind == yaml.SequenceNode {
			all = items.Content
		}
	}
	if len(all) > mostIn {
		return fail(fmt.Sprintf("it has more than %d objects, and it is no list as kubectl prints it", mostIn))
	}
	var out []Object
	for _, n := range all {
		if n.Kind != yaml.MappingNode {
			return fail("it is no object")
		}
		if get(n, "kind") != nil && onlyKeys(n, listRows) && strings.HasSuffix(textOf(get(n, "kind")), "List") {
			continue // the list was divided
		}
		if onlyKeys(n, listRows) && (get(n, "kind") == nil || get(n, "apiVersion") == nil) {
			continue
		}
		o := read(n, p.line-1)
		if o.text = p.text; len(all) > 1 {
			o.text = encoded(n)
		}
		out = append(out, o)
	}
	return out
}

// plain returns the reason why a tree is refused; empty: it has neither anchors nor aliases, and is not too deep.
func plain(n *yaml.Node, depth int) string {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return "it has an anchor or an alias of YAML, which kubectl does not print"
	case depth > mostDepth:
		return fmt.Sprintf("its objects are more than %d levels deep", mostDepth)
	}
	for _, kid := range n.Content {
		if why := plain(kid, depth+1); why != "" {
			return why
		}
	}
	return ""
}

// onlyKeys reports whether a mapping has only some keys.
func onlyKeys(n *yaml.Node, names []string) bool {
	for i := 0; i < len(n.Content); i += 2 {
		if !slices.Contains(names, n.Content[i].Value) {
			return false
		}
	}
	return true
}

// get returns a value of a mapping; nil: it has no such key.
func get(n *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		var found *yaml.Node
		if n.Kind == yaml.MappingNode {
			for i := 0; i < len(n.Content); i += 2 {
				if n.Content[i].Value == key {
					found = n.Content[i+1]
					break
				}
			}
		}
		if n = found; n == nil {
			return nil
		}
	}
	return n
}

// textOf returns the text of a scalar; empty for other nodes.
func textOf(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// encoded returns a tree as a text.
func encoded(n *yaml.Node) string {
	text, err := yaml.Marshal(n)
	if err != nil {
		panic("nicoperator: " + err.Error()) // the tree was decoded
	}
	return string(text)
}

// read reads an object. before is the number of lines before its piece.
func read(n *yaml.Node, before int) Object {
	o := Object{Kind: textOf(get(n, "kind")), Name: textOf(get(n, "metadata", "name"))}
	is := textOf(get(n, "apiVersion"))
	line := n.Line + before
	set := fields()[o.Kind]
	switch {
	case !strings.HasPrefix(is, api) || set == nil:
		o.Values = append(o.Values, Stated{Row: "kind: " + o.Kind, Aside: "an object that states no settings of NICs", Line: line})
		return o
	case is != api+version:
		o.Wrong = append(o.Wrong, Wrong{"apiVersion: " + is, "rocec reads only " + version + " of this API", line})
		return o
	}
	r := &objectReader{o: &o, set: set, before: before}
	r.entries(n, func(key, _ *yaml.Node) {
		if !slices.Contains(ofObjects, key.Value) {
			r.wrong(key, key.Value, unknownField)
		}
	})
	if get(n, "spec") == nil && o.Kind == KindTemplate {
		r.wrong(n, o.Kind, "it has no spec")
	}
	for _, part := range []string{"spec", "status"} {
		if v := get(n, part); v != nil {
			r.walk(v, part, part)
		}
	}
	o.Node = textOf(get(n, "status", "node"))
	if o.Kind == KindTemplate {
		o.NICType = textOf(get(n, "spec", "nicSelector", "nicType"))
		o.Node = textOf(get(n, "spec", "nodeSelector", hostLabel))
		for _, by := range []string{"pciAddresses", "serialNumbers", "partNumbers"} {
			if v := get(n, "spec", "nicSelector", by); v != nil && len(v.Content) > 0 {
				o.Narrow = by
			}
		}
	}
	if ports := get(n, "status", "ports"); ports != nil && o.Kind == KindDevice {
		for _, p := range ports.Content {
			if name := textOf(get(p, "networkInterface")); name != "" {
				o.Interfaces = append(o.Interfaces, name)
			}
		}
	}
	qos := get(n, strings.Split(set.at+"roceOptimized.qos", ".")...)
	o.decide(qos != nil && qos.Tag != null)
	return o
}

// hostLabel is the label with the host name of a node, which the kubelet sets.
const hostLabel = "kubernetes.io/hostname"

// objectReader reads the fields of one object.
type objectReader struct {
	o      *Object
	set    *fieldSet
	before int
}

func (r *objectReader) wrong(n *yaml.Node, row, why string) {
	r.o.Wrong = append(r.o.Wrong, Wrong{row, why, n.Line + r.before})
}

// walk reads a node at a path; row is its last key.
func (r *objectReader) walk(n *yaml.Node, path, row string) {
	f := r.set.byPath[path]
	if f == nil {
		r.wrong(n, row, unknownField)
		return
	}
	if n.Kind == yaml.ScalarNode {
		if n.Tag == null {
			return // an absent field
		}
		row += ": " + n.Value
	}
	switch f.Type {
	case Group:
		r.group(n, path, row)
	case List:
		if n.Kind != yaml.SequenceNode {
			r.wrong(n, row, "it is no list")
			return
		}
		if f.Longest > 0 && len(n.Content) > f.Longest {
			r.wrong(n, row, fmt.Sprintf("it has more than %d elements", f.Longest))
		}
		for _, kid := range n.Content {
			r.walk(kid, path+"[]", row)
		}
	case Labels:
		if n.Kind != yaml.MappingNode {
			r.wrong(n, row, "it is no object")
			return
		}
		r.entries(n, func(key, value *yaml.Node) {
			r.scalar(value, &Field{Type: Text, Aside: f.Aside}, path, key.Value+": "+value.Value)
		})
	default:
		r.scalar(n, f, path, row)
	}
}

// group reads an object. Its fields are not judged if the table does not have them.
func (r *objectReader) group(n *yaml.Node, path, row string) {
	if n.Kind != yaml.MappingNode {
		r.wrong(n, row, "it is no object")
		return
	}
	if !r.set.inside[path] {
		return
	}
	have := map[string]bool{}
	r.entries(n, func(key, value *yaml.Node) {
		have[key.Value] = value.Tag != null
		r.walk(value, path+"."+key.Value, key.Value)
	})
	for _, name := range r.set.required[path] {
		if !have[name] {
			r.wrong(n, row, "it has no "+name)
		}
	}
}

// entries passes the entries of a mapping to read. Programs differ in which of two entries with one key counts, so such a key is wrong.
func (r *objectReader) entries(n *yaml.Node, read func(key, value *yaml.Node)) {
	have := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if have[key.Value] {
			r.wrong(key, key.Value, "the object has this field twice")
			continue
		}
		have[key.Value] = true
		read(key, n.Content[i+1])
	}
}

// scalar reads a value.
func (r *objectReader) scalar(n *yaml.Node, f *Field, path, row string) {
	if why := f.Refuses(n); why != "" {
		r.wrong(n, row, why)
		return
	}
	r.o.Values = append(r.o.Values, Stated{row, n.Value, f.Means, f.Aside, n.Line + r.before})
	r.o.at(path, len(r.o.Values)-1)
}

// Refuses returns the reason why a field cannot have a value; empty: it can.
func (f *Field) Refuses(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode {
		return "it is no " + tags[f.Type].word
	}
	number, err := strconv.Atoi(n.Value)
	switch {
	case n.Tag != tags[f.Type].tag:
		return "it is no " + tags[f.Type].word
	case f.Type == Whole && (err != nil || strconv.Itoa(number) != n.Value): // 0104 is 68 in YAML
		return "it is no number that rocec reads"
	case f.Among != nil && !slices.Contains(f.Among, n.Value):
		return "it is not one of " + strings.Join(f.Among, ", ")
	case f.Bounded && (number < f.Least || f.Most > 0 && number > f.Most):
		return "it is out of range"
	case f.Longest > 0 && len([]rune(n.Value)) > f.Longest:
		return fmt.Sprintf("it is longer than %d characters", f.Longest)
	case f.Pattern != "" && !f.form.MatchString(n.Value):
		return "it does not have the form that the schema wants"
	}
	return ""
}

// tags are the tags of YAML and the words for the types of values.
var tags = [...]struct{ tag, word string }{Text: {"!!str", "string"}, Whole: {"!!int", "number"}, Switch: {"!!bool", "boolean"}}
