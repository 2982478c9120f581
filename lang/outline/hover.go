package outline

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
)

// instanceDocs documents the attributes of self and each.
var instanceDocs = map[string]string{
	"self.name": "The name of this device.", "self.index": "The number of this device among the devices of the block, from 0.",
	"self.group": "The label of the block.",
	"each.key":   "The key of this element of for_each.",
	"each.value": "This element of for_each. For a set it equals each.key.",
}

// Doc describes a thing as Markdown, from the tables of the language and the text of the files. It returns "" if there is no description.
func (s *Workspace) Doc(t Thing) string {
	s.left = mostWork
	switch t.Kind {
	case ThingBlock:
		if d, ok := blockDocs().find(t.Path); ok {
			return blockText(d)
		}
	case ThingAttribute, ThingValue:
		name := t.Name
		if t.Kind == ThingValue {
			name = t.Of
		}
		if a, ok := s.attrDoc(t, name); ok {
			return attrText(a)
		}
	case ThingFunction:
		for _, f := range eval.Functions {
			if f.Name == t.Name {
				return fmt.Sprintf("`%s(%s)`\n\n%s", f.Name, f.Args, f.Doc)
			}
		}
	case ThingInstance:
		if doc := instanceDocs[t.Of+"."+t.Name]; doc != "" {
			return fmt.Sprintf("`%s.%s`\n\n%s", t.Of, t.Name, doc)
		}
	case ThingName:
		return s.nameText(t)
	case ThingDevices, ThingInterfaces:
		return s.devicesText(t)
	}
	return ""
}

func (s *Workspace) attrDoc(t Thing, name string) (lang.AttrDoc, bool) {
	if a, ok := blockDocs().attr(t.Path, name); ok {
		return s.Known.attr(t.Path, a), true
	}
	if d, _ := blockDocs().find(t.Path); name == "for_each" && d.ForEach {
		return lang.AttrDoc{
			Name: name, Type: "map or set of strings", Default: "none",
			Doc: "One block for every element, which is each.key and each.value.",
		}, true
	}
	if t.Path == "module" && t.Kind == ThingAttribute {
		if p, ok := named(s.module(t.Of), "variable", name); ok {
			return p.o.variableDoc(p.n), true
		}
	}
	return lang.AttrDoc{}, false
}

func blockText(d lang.BlockDoc) string {
	title := d.Path[strings.LastIndexByte(d.Path, '.')+1:]
	if d.Label != "" {
		title += fmt.Sprintf(" %q", d.Label)
	}
	return fmt.Sprintf("`%s`\n\n%s", title, d.Doc)
}

func attrText(a lang.AttrDoc) string {
	return fmt.Sprintf("`%s` (%s)\n\n%s", a.Name, attrDetail(a), a.Doc)
}

// variableDoc describes a variable block as an attribute of the module blocks that set the variable.
func (o *File) variableDoc(n *outlineBlock) lang.AttrDoc {
	v := lang.AttrDoc{Name: o.label(n), Type: "any"}
	if a := n.find("type"); a != nil {
		v.Type = oneLine(o.slice(a.value))
	}
	if a := n.find("default"); a != nil {
		v.Default = oneLine(o.slice(a.value))
	} else {
		v.Required = true
	}
	if s, ok := o.plainAttr(n, "description"); ok {
		v.Doc = s
	}
	return v
}

// nameText returns the text of the declaration of a name.
func (s *Workspace) nameText(t Thing) string {
	switch t.Of {
	case "local":
		for o, a := range localAttrs(s.Folder) {
			if a.text == t.Name {
				return fenced("local."+a.text+" = "+strings.TrimSpace(o.slice(a.value)), 15)
			}
		}
		return ""
	case "output":
		module, output, _ := strings.Cut(t.Name, ".")
		files := s.module(module)
		if t.Decl {
			files, output = s.Folder, t.Name
		}
		if p, ok := named(files, "output", output); ok {
			return fenced(p.o.slice(p.n.whole), 15)
		}
		return ""
	}
	p, ok := named(s.Folder, t.Of, t.Name)
	if !ok {
		return ""
	}
	text := fenced(p.o.slice(p.n.whole), 15)
	if d, ok := blockDocs().find(t.Of); ok && t.Decl {
		text += "\n\n" + d.Doc
	}
	return text
}

// devicesText lists the groups to which devices belong.
func (s *Workspace) devicesText(t Thing) string {
	devices := t.Name
	if t.Kind == ThingInterfaces {
		if t.Decl {
			if d, ok := blockDocs().find(t.Path); ok {
				return blockText(d)
			}
		}
		devices = t.Of
	}
	want := set(devices)
	if len(want) == 0 {
		return ""
	}
	text := fmt.Sprintf("`%s`", devices)
	if t.Kind == ThingInterfaces {
		text = fmt.Sprintf("`%s:%s`", devices, t.Name)
	}
	if len(want) > 1 {
		text += ": " + diag.Count(len(want), "device")
	}
	var groups []string
	for p := range s.declaring(want) {
		g := p.n.kind + "." + p.o.label(p.n)
		if m, ok := p.o.plainAttr(p.n, "model"); ok {
			g += " (" + m + ")"
		}
		groups = append(groups, g)
	}
	if len(groups) > 0 {
		text += "\n\nof " + strings.Join(groups, ", ")
	}
	return text
}

// fenced returns a text of the fabric as a Markdown code block of at most most lines.
func fenced(s string, most int) string {
	lines := strings.SplitAfter(s, "\n")
	if len(lines) > most {
		lines = append(lines[:most:most], "...")
	}
	s = strings.TrimRight(strings.Join(lines, ""), "\n")
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "hcl\n" + diag.EscapeLines(s) + "\n" + fence
}
