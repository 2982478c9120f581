package outline

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

// Workspace has the files whose names can be used at a place in an editor.
type Workspace struct {
	Folder []*File                     // the files of the folder, in which blocks, variables and locals are known
	Fabric []*File                     // the files of the whole fabric, including Folder, since device names are known everywhere
	Module func(source string) []*File // returns the files of a module's folder, by the value of source; may be nil
	Known  Known

	left int // names that may still be compared for the current question
}

// mostWork is the most names that are compared for one question. A fabric may have millions, for which a person would not wait.
const mostWork = 4_000_000

// Known contains the names in the tables of other packages.
type Known struct {
	SwitchModels, NICModels, ASICs, Families []string

	Systems []string // operating systems; the default is first
	Configs []string // values of the attribute config

	// Ports returns the names of the front-panel ports of a switch with an operating system (empty: the default). The switch has a model
	// of the tables or, if count is not 0, that many ports. Ports may be nil.
	Ports func(system, model string, count int) []string
}

// attr returns the documentation of an attribute, with the values for it in Known.
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

// blocksIn ranges over the top-level blocks of files.
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

// named returns the top-level block of files with a label.
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

// plainAttr returns the text of an attribute that is one literal string.
func (o *File) plainAttr(n *outlineBlock, name string) (string, bool) {
	if a := n.find(name); a != nil && a.last > a.first {
		if s, ok := o.plainString(a.first); ok {
			return o.slice(s), true
		}
	}
	return "", false
}

// module returns the files of the module with a label.
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

// ModuleSources returns the folders that module blocks of a file name, in the spelling of the file.
func (o *File) ModuleSources() []string {
	var out []string
	for p := range blocksIn([]*File{o}, "module") {
		if source, ok := o.plainAttr(p.n, "source"); ok {
			out = append(out, source)
		}
	}
	return out
}

// Definition returns the places at which a thing is declared, in order.
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
		if t.Path == "module" { // an attribute of a module block is a variable of the module
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

// set returns the devices of a nodeset.
func set(names string) map[string]bool {
	out := map[string]bool{}
	for n := range expandedDevices(names) {
		out[n] = true
	}
	return out
}

// devicesNamed ranges over the places that name any of the devices.
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

// declaring ranges over the blocks that declare any of the devices.
func (s *Workspace) declaring(want map[string]bool) iter.Seq[pair] {
	return func(yield func(pair) bool) {
		for o, n := range s.devicesNamed(want) {
			if n.declares && !yield(pair{o, n.block}) {
				return
			}
		}
	}
}

// interfaceDefinition returns the nic and bond blocks of interfaces or, if the devices are switches, the blocks of the switches.
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

// References returns the places of references to a thing and, with declaration, the places of its declarations, sorted.
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
		if t.Of == "switch" || t.Of == "host" { // a group without names is also a device
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

// modelRefs returns the strings that name a model.
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

// labelRefs returns the places that name the device of a block whose label is the name of the device.
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
