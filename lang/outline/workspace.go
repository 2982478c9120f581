package outline

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

// Workspace has the common knowledge of the files that a place in an editor can see.
type Workspace struct {
	Folder []*File                     // the files of the folder: here blocks, variables and locals are known
	Fabric []*File                     // the files of the whole fabric, those of Folder too: device names are known everywhere
	Module func(source string) []*File // the files of a module's folder, by what source says; may be nil
	Known  Known

	left int // names that may still be looked at for one question
}

// mostWork is how many names are looked at for one question: a fabric may have millions, and a person does not wait so long.
const mostWork = 4_000_000

// Known is what other rooms know: the names in their tables.
type Known struct {
	SwitchModels, NICModels, ASICs, Families []string

	Systems []string // operating systems; the first is the default
	Configs []string // ways to configure them

	// Ports names the front-panel ports that an operating system (empty: the default) gives a switch. The switch is of a model of the
	// tables, or if count is not 0 has so many ports. May be nil.
	Ports func(system, model string, count int) []string
}

// attr returns the documentation of an attribute, with the values that other rooms know for it.
func (k *Known) attr(block string, a lang.AttrDoc) lang.AttrDoc {
	if block == "switch" && a.Name == "os" && len(k.Systems) > 0 {
		a.Default = strconv.Quote(k.Systems[0])
	}
	return a
}

// pair is a block and its file.
type pair struct {
	o *File
	n *outlineBlock
}

// blocksIn ranges over the blocks at the top of files.
func blocksIn(files []*File, kind string) iter.Seq[pair] {
	return func(yield func(pair) bool) {
		for _, o := range files {
			for _, n := range o.root.blocks {
				if n.kind == kind && !yield(pair{o, n}) {
					return
				}
			}
		}
	}
}

// named finds a block at the top of files by its label.
func named(files []*File, kind, label string) (pair, bool) {
	for p := range blocksIn(files, kind) {
		if p.o.label(p.n) == label {
			return p, true
		}
	}
	return pair{}, false
}

// labels returns the labels of a kind of block, sorted.
func labels(files []*File, kind string) []string {
	var out []string
	for p := range blocksIn(files, kind) {
		if l := p.o.label(p.n); l != "" {
			out = append(out, l)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// localAttrs ranges over the locals of files.
func localAttrs(files []*File) iter.Seq2[*File, *attribute] {
	return func(yield func(*File, *attribute) bool) {
		for p := range blocksIn(files, "locals") {
			for _, a := range p.n.attrs {
				if !yield(p.o, a) {
					return
				}
			}
		}
	}
}

// plainAttr is the text of an attribute that is one plain string.
func (o *File) plainAttr(n *outlineBlock, name string) (string, bool) {
	if a := n.find(name); a != nil && a.last > a.first {
		if s, ok := o.plainString(a.first); ok {
			return o.slice(s), true
		}
	}
	return "", false
}

// module returns the files of the module a label names.
func (s *Workspace) module(label string) []*File {
	p, ok := named(s.Folder, "module", label)
	if !ok || s.Module == nil {
		return nil
	}
	source, ok := p.o.plainAttr(p.n, "source")
	if !ok {
		return nil
	}
	return s.Module(source)
}

// ModuleSources returns the folders that module blocks of a file name, as written.
func (o *File) ModuleSources() []string {
	var out []string
	for p := range blocksIn([]*File{o}, "module") {
		if source, ok := o.plainAttr(p.n, "source"); ok {
			out = append(out, source)
		}
	}
	return out
}

// Definition returns where a thing is declared, in order.
func (s *Workspace) Definition(t Thing) []diag.Range {
	s.left = mostWork
	var out []diag.Range
	switch t.Kind {
	case ThingName:
		switch t.Of {
		case "local":
			for o, a := range localAttrs(s.Folder) {
				if a.text == t.Name {
					out = append(out, o.at(a.name))
				}
			}
		case "output":
			module, output, _ := strings.Cut(t.Name, ".")
			files := s.module(module)
			if t.Decl {
				files, output = s.Folder, t.Name
			}
			if p, ok := named(files, "output", output); ok {
				out = append(out, p.o.at(p.n.labelOr()))
			}
		default:
			for p := range blocksIn(s.Folder, t.Of) {
				if p.o.label(p.n) == t.Name {
					out = append(out, p.o.at(p.n.labelOr()))
				}
			}
		}
	case ThingAttribute:
		if t.Path == "module" { // an attribute of a module block is a variable there
			if p, ok := named(s.module(t.Of), "variable", t.Name); ok {
				out = append(out, p.o.at(p.n.labelOr()))
			}
		}
	case ThingDevices:
		want := set(t.Name)
		for o, n := range s.devicesNamed(want) {
			if n.declares {
				out = append(out, o.at(n.device))
			}
		}
	case ThingInterfaces:
		return s.interfaceDefinition(t)
	}
	return out
}

// set is the devices a nodeset means.
func set(names string) map[string]bool {
	out := map[string]bool{}
	for n := range expandedDevices(names) {
		out[n] = true
	}
	return out
}

// devicesNamed ranges over the places that name one of the devices.
func (s *Workspace) devicesNamed(want map[string]bool) iter.Seq2[*File, naming] {
	return func(yield func(*File, naming) bool) {
		for _, o := range s.Fabric {
			for _, n := range o.namings() {
				if n.device.from >= 0 && !n.inherited && o.names(n, want, &s.left) && !yield(o, n) {
					return
				}
			}
		}
	}
}

// declaring ranges over the blocks that make one of the devices.
func (s *Workspace) declaring(want map[string]bool) iter.Seq[pair] {
	return func(yield func(pair) bool) {
		for o, n := range s.devicesNamed(want) {
			if n.declares && !yield(pair{o, n.block}) {
				return
			}
		}
	}
}

// interfaceDefinition is the nic and bond blocks of interfaces; where the devices are switches, these.
func (s *Workspace) interfaceDefinition(t Thing) []diag.Range {
	if t.Decl {
		return []diag.Range{t.At}
	}
	want := map[string]bool{}
	for n := range expandedInterfaces(t.Name) {
		want[n] = true
	}
	var out []diag.Range
	for p := range s.declaring(set(t.Of)) {
		if p.n.kind == "switch" {
			out = append(out, p.o.at(p.n.labelOr()))
			continue
		}
		for _, b := range p.n.blocks {
			if (b.kind != "nic" && b.kind != "bond") || len(b.labels) == 0 {
				continue
			}
			for n := range expandedInterfaces(p.o.label(b)) {
				if want[n] {
					out = append(out, p.o.at(b.labels[0]))
					break
				}
			}
		}
	}
	return out
}

// References returns where a thing is referred to, and, if asked for, where it is declared; sorted.
func (s *Workspace) References(t Thing, declaration bool) []diag.Range {
	s.left = mostWork
	var out []diag.Range
	switch t.Kind {
	case ThingName:
		for _, o := range s.Folder {
			for r := range o.refs() {
				if r.Of == t.Of && r.Name == t.Name {
					out = append(out, r.At)
				}
			}
			out = append(out, o.modelRefs(t)...)
		}
		if t.Of == "switch" || t.Of == "host" { // a group without names is a device too
			out = append(out, s.labelRefs(t)...)
		}
	case ThingDevices:
		for o, n := range s.devicesNamed(set(t.Name)) {
			if !n.declares {
				out = append(out, o.at(n.device))
			}
		}
	}
	if declaration {
		out = append(out, s.Definition(t)...)
	}
	slices.SortFunc(out, diag.ComparePlace)
	return slices.Compact(out)
}

// modelRefs is where a model is named by a string.
func (o *File) modelRefs(t Thing) []diag.Range {
	var out []diag.Range
	o.root.walk(func(n *outlineBlock) {
		for _, a := range n.attrs {
			if modelBlocks[n.path+"."+a.text] != t.Of || t.Of == "" {
				continue
			}
			for s := range o.strings(a) {
				if o.slice(s) == t.Name {
					out = append(out, o.at(s))
				}
			}
		}
	})
	return out
}

// labelRefs is where the devices are named whose name is the label of their block.
func (s *Workspace) labelRefs(t Thing) []diag.Range {
	p, ok := named(s.Folder, t.Of, t.Name)
	if !ok || p.n.find("names") != nil {
		return nil
	}
	return s.References(Thing{Kind: ThingDevices, Name: t.Name}, false)
}

// interfacesOf returns the interfaces of the first device of a nodeset.
func (s *Workspace) interfacesOf(devices string) []string {
	for first := range expandedDevices(devices) {
		for p := range s.declaring(map[string]bool{first: true}) {
			if p.n.kind == "host" {
				return p.o.nicNames(p.n)
			}
			return s.portsOf(p)
		}
		break
	}
	return nil
}

func (o *File) nicNames(host *outlineBlock) []string {
	var out []string
	for _, b := range host.blocks {
		if b.kind != "nic" || len(b.labels) == 0 {
			continue
		}
		for n := range expandedInterfaces(o.label(b)) {
			if len(out) == mostCandidates {
				return out
			}
			out = append(out, n)
		}
	}
	return out
}

// portsOf returns the ports of a switch block's model.
func (s *Workspace) portsOf(p pair) []string {
	model, ok := p.o.plainAttr(p.n, "model")
	if !ok || s.Known.Ports == nil {
		return nil
	}
	system, _ := p.o.plainAttr(p.n, "os")
	if m, ok := named(s.Fabric, "switch_model", model); ok {
		a := m.n.find("ports")
		if a == nil {
			return nil
		}
		n, err := strconv.Atoi(strings.TrimSpace(m.o.slice(a.value)))
		if err != nil {
			return nil
		}
		return s.Known.Ports(system, model, min(max(n, 1), 1024))
	}
	return s.Known.Ports(system, model, 0)
}
