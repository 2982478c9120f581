package sim

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// operation is one operation of a JSON patch (RFC 6902).
type operation struct {
	Op, Path, From string
	Value          any
	HasValue       bool
}

// text returns the operation as json.dumps prints it, with its members in the usual order.
func (o operation) text(quote string) string {
	say := func(s any) string {
		if quote == "'" {
			return pyRepr(s)
		}
		return pyDump(s)
	}
	parts := []string{say("op") + ": " + say(o.Op)}
	if o.From != "" {
		parts = append(parts, say("from")+": "+say(o.From))
	}
	parts = append(parts, say("path")+": "+say(o.Path))
	if o.HasValue {
		parts = append(parts, say("value")+": "+say(o.Value))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// patchText returns a whole patch in its printed form.
func patchText(ops []operation, quote string) string {
	var parts []string
	for _, o := range ops {
		parts = append(parts, o.text(quote))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// readPatch reads the operations of a document.
func readPatch(doc any) ([]operation, error) {
	list, ok := doc.([]any)
	if !ok {
		return nil, complaint("Document is expected to be sequence of operations, got a sequence of strings.")
	}
	var out []operation
	for _, item := range list {
		m, ok := item.(map[string]any)
		if !ok {
			return nil, complaint("Document is expected to be sequence of operations, got a sequence of strings.")
		}
		var o operation
		if o.Op, ok = m["op"].(string); !ok {
			return nil, complaint("Operation does not contain 'op' member")
		}
		if !slices.Contains([]string{"add", "remove", "replace", "move", "copy", "test"}, o.Op) {
			return nil, complaintf("Unknown operation '%s'", o.Op)
		}
		if o.Path, ok = m["path"].(string); !ok {
			return nil, complaint("Operation must have a 'path' member")
		}
		o.Value, o.HasValue = m["value"]
		o.From, _ = m["from"].(string)
		switch o.Op {
		case "add", "replace", "test":
			if !o.HasValue {
				return nil, complaint("The operation does not contain a 'value' member")
			}
		case "move", "copy":
			if o.From == "" {
				return nil, complaint("The operation does not contain a 'from' member")
			}
		}
		if o.Path != "" && !strings.HasPrefix(o.Path, "/") || o.From != "" && !strings.HasPrefix(o.From, "/") {
			return nil, complaint("Location must start with /")
		}
		out = append(out, o)
	}
	return out, nil
}

// pointer splits a path, and unpointer joins one.
func pointer(path string) []string {
	if path == "" {
		return nil
	}
	parts := strings.Split(path[1:], "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~")
	}
	return parts
}

func unpointer(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("/" + strings.ReplaceAll(strings.ReplaceAll(p, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// applyOps applies a patch to a copy of a document.
func applyOps(doc any, ops []operation) (any, error) {
	doc = clone(doc)
	for _, o := range ops {
		var err error
		if doc, err = applyOne(doc, o); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

func applyOne(doc any, o operation) (any, error) {
	switch o.Op {
	case "move", "copy":
		v, err := resolve(doc, pointer(o.From))
		if err != nil {
			return nil, err
		}
		if o.Op == "move" {
			if doc, err = edit(doc, pointer(o.From), "remove", nil); err != nil {
				return nil, err
			}
		}
		return edit(doc, pointer(o.Path), "add", clone(v))
	case "test":
		v, err := resolve(doc, pointer(o.Path))
		if err != nil {
			return nil, err
		}
		if !same(v, o.Value) {
			return nil, complaintf("%s (%s) is not equal to tested value %s", pyRepr(v), "dict", pyRepr(o.Value))
		}
		return doc, nil
	}
	return edit(doc, pointer(o.Path), o.Op, clone(o.Value))
}

// resolve returns the value at a path.
func resolve(doc any, parts []string) (any, error) {
	for _, p := range parts {
		switch v := doc.(type) {
		case map[string]any:
			kid, ok := v[p]
			if !ok {
				return nil, complaintf("member '%s' not found in %s", p, brief(v))
			}
			doc = kid
		case []any:
			i, err := strconv.Atoi(p)
			if err != nil || i < 0 || i >= len(v) {
				return nil, complaintf("index '%s' is out of bounds", p)
			}
			doc = v[i]
		default:
			return nil, complaintf("Document '%s' does not support indexing, must be a mapping/sequence or support __getitem__", pyStr(v))
		}
	}
	return doc, nil
}

// brief returns a document for a message, shortened if it is long.
func brief(v any) string {
	text := pyRepr(v)
	if len(text) > 400 {
		text = text[:400] + "..."
	}
	return text
}

// edit adds, replaces or removes the value at a path.
func edit(doc any, parts []string, op string, value any) (any, error) {
	if len(parts) == 0 {
		return value, nil
	}
	last := parts[len(parts)-1]
	parent, err := resolve(doc, parts[:len(parts)-1])
	if err != nil {
		return nil, err
	}
	switch v := parent.(type) {
	case map[string]any:
		if _, ok := v[last]; !ok && op != "add" {
			return nil, complaintf("can't %s a non-existent object '%s'", op, last)
		}
		if op == "remove" {
			delete(v, last)
		} else {
			v[last] = value
		}
		return doc, nil
	case []any:
		i, err := strconv.Atoi(last)
		if last == "-" && op == "add" {
			i, err = len(v), nil
		}
		if err != nil || i < 0 || i > len(v) || i == len(v) && op != "add" {
			return nil, complaintf("can't %s outside of list", op)
		}
		switch op {
		case "add":
			v = slices.Insert(v, i, value)
		case "remove":
			v = slices.Delete(v, i, i+1)
		default:
			v[i] = value
		}
		return edit(doc, parts[:len(parts)-1], "replace", v)
	}
	return nil, complaintf("invalid document type %T", parent)
}

// differ collects the operations between two documents as jsonpatch does. If a value is removed at one place and added at another, the
// two operations become a move, whichever is found first.
type differ struct {
	ops            []*operation
	added, removed map[string][]*operation // by value
}

// fromDiff simulates jsonpatch's from_diff. Python visits the members of an object in a random order; here they are sorted. A list that
// differs is replaced as a whole, although jsonpatch compares its items. No restricted table has a list.
func fromDiff(src, dst any) []operation {
	d := &differ{added: map[string][]*operation{}, removed: map[string][]*operation{}}
	d.values(nil, src, dst)
	var out []operation
	for i, o := range d.ops {
		if o.Op == "" {
			continue
		}
		if i+1 < len(d.ops) && o.Op == "remove" && d.ops[i+1].Op == "add" && d.ops[i+1].Path == o.Path {
			d.ops[i+1].Op = "replace"
			continue
		}
		out = append(out, *o)
	}
	return out
}

func (d *differ) take(from map[string][]*operation, value string) *operation {
	list := from[value]
	if len(list) == 0 {
		return nil
	}
	o := list[len(list)-1]
	from[value] = list[:len(list)-1]
	return o
}

func (d *differ) add(path []string, v any) {
	at, value := unpointer(path...), pyDump(v)
	o := &operation{Op: "add", Path: at, Value: v, HasValue: true}
	if was := d.take(d.removed, value); was != nil {
		from := was.Path
		was.Op = ""
		if from == at {
			return
		}
		o = &operation{Op: "move", Path: at, From: from}
	} else {
		d.added[value] = append(d.added[value], o)
	}
	d.ops = append(d.ops, o)
}

func (d *differ) remove(path []string, v any) {
	at, value := unpointer(path...), pyDump(v)
	o := &operation{Op: "remove", Path: at}
	if was := d.take(d.added, value); was != nil {
		to := was.Path
		was.Op = ""
		if to == at {
			return
		}
		o = &operation{Op: "move", Path: to, From: at}
	} else {
		d.removed[value] = append(d.removed[value], o)
	}
	d.ops = append(d.ops, o)
}

func (d *differ) values(path []string, src, dst any) {
	below := func(k string) []string { return append(slices.Clone(path), k) }
	if a, ok := src.(map[string]any); ok {
		if b, ok := dst.(map[string]any); ok {
			for _, k := range slices.Sorted(maps.Keys(a)) {
				if _, ok := b[k]; !ok {
					d.remove(below(k), a[k])
				}
			}
			for _, k := range slices.Sorted(maps.Keys(b)) {
				if _, ok := a[k]; !ok {
					d.add(below(k), b[k])
				}
			}
			for _, k := range slices.Sorted(maps.Keys(a)) {
				if kid, ok := b[k]; ok && !same(a[k], kid) {
					d.values(below(k), a[k], kid)
				}
			}
			return
		}
	}
	if !same(src, dst) {
		d.ops = append(d.ops, &operation{Op: "replace", Path: unpointer(path...), Value: dst, HasValue: true})
	}
}
