package lsp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/outline"
)

func (s *Server) completion(p positionParams) (any, *responseError) {
	d, bad := s.document(p.TextDocument.URI)
	if bad != nil {
		return nil, bad
	}
	found, incomplete := s.scope(d).Complete(d.outlined(), d.text.offset(p.Position))
	list := completionList{IsIncomplete: incomplete, Items: []completionItem{}}
	snippets := s.client.Capabilities.TextDocument.Completion.CompletionItem.SnippetSupport
	for i, c := range found {
		item := completionItem{
			Label: c.Label, Kind: completionKinds[c.Kind], Detail: c.Detail, SortText: fmt.Sprintf("%04d", i), InsertTextFormat: 1,
			TextEdit: textEdit{d.text.span(c.At.Start.Byte, c.At.End.Byte), c.Insert},
		}
		if typed := string(d.text.src[c.At.Start.Byte:c.At.End.Byte]); strings.HasPrefix(c.Insert, typed) && !strings.HasPrefix(c.Label, typed) {
			item.FilterText = c.Insert
		}
		if c.Doc != "" {
			item.Documentation = &markup{"plaintext", c.Doc}
		}
		if strings.Contains(c.Insert, "$0") {
			if snippets {
				item.InsertTextFormat = 2
			} else {
				item.TextEdit.NewText = strings.NewReplacer("$0", "", "$1", "").Replace(c.Insert)
			}
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}

// completionKinds maps candidates to the protocol's kinds.
var completionKinds = map[outline.CandidateKind]int{
	outline.BlockCandidate: 7, outline.AttributeCandidate: 10, outline.ValueCandidate: 12, outline.ReferenceCandidate: 18,
	outline.FunctionCandidate: 3, outline.NameCandidate: 20,
}

// thing finds the thing at a position of an open document.
func (s *Server) thing(p positionParams) (*document, outline.Thing, bool, *responseError) {
	d, bad := s.document(p.TextDocument.URI)
	if bad != nil {
		return nil, outline.Thing{}, false, bad
	}
	t, ok := d.outlined().At(d.text.offset(p.Position))
	return d, t, ok, nil
}

func (s *Server) hover(p positionParams) (any, *responseError) {
	d, t, ok, bad := s.thing(p)
	if bad != nil {
		return nil, bad
	}
	parts, span := s.findings(d, p.Position)
	if !ok {
		if parts == nil {
			return nil, nil
		}
		return hover{markup{"markdown", strings.Join(parts, rule)}, span}, nil
	}
	if c := s.checks.fabrics[d.fabric]; d.fabric != "" && c != nil && c.describe != nil {
		if text := c.describe(t); text != "" {
			parts = append(parts, text)
		}
	}
	if text := s.scope(d).Doc(t); text != "" {
		parts = append(parts, text)
	}
	if parts == nil {
		return nil, nil
	}
	return hover{markup{"markdown", strings.Join(parts, rule)}, d.text.span(t.At.Start.Byte, t.At.End.Byte)}, nil
}

// rule is the line between the parts of a hover.
const rule = "\n\n---\n\n"

// findings returns the descriptions of the codes at a place, each code once, and the range of the first diagnostic.
func (s *Server) findings(d *document, at position) (parts []string, span textRange) {
	if s.options.About == nil {
		return nil, textRange{}
	}
	told := map[string]bool{}
	for _, fabric := range slices.Sorted(maps.Keys(s.checks.fabrics)) {
		for _, f := range s.checks.fabrics[fabric].found[d.name] {
			if told[f.found.Code] || !overlap(f.sent.Range, textRange{at, at}) {
				continue
			}
			told[f.found.Code] = true
			if text := s.options.About(f.found.Code); text != "" {
				if parts == nil {
					span = f.sent.Range
				}
				parts = append(parts, text)
			}
		}
	}
	return parts, span
}

func (s *Server) definition(p positionParams) (any, *responseError) {
	d, t, ok, bad := s.thing(p)
	if bad != nil || !ok {
		return nil, bad
	}
	places := s.scope(d).Definition(t)
	if c := s.checks.fabrics[d.fabric]; len(places) == 0 && d.fabric != "" && c != nil && c.define != nil {
		places = c.define(t)
	}
	return s.locations(places), nil
}

func (s *Server) references(p referenceParams) (any, *responseError) {
	d, t, ok, bad := s.thing(p.positionParams)
	if bad != nil || !ok {
		return nil, bad
	}
	return s.locations(s.scope(d).References(t, p.Context.IncludeDeclaration)), nil
}

func (s *Server) locations(places []diag.Range) []location {
	out := []location{}
	v := &view{s: s, texts: map[string]*text{}}
	for _, at := range places {
		if r, ok := v.place(at); ok {
			out = append(out, location{s.uri(at.Filename), r})
		}
	}
	return out
}

func (s *Server) documentSymbol(p documentParams) (any, *responseError) {
	d, bad := s.document(p.TextDocument.URI)
	if bad != nil {
		return nil, bad
	}
	tree := s.symbols(d, d.outlined().Symbols())
	if s.client.Capabilities.TextDocument.DocumentSymbol.Hierarchical {
		return tree, nil
	}
	flat := []symbolInformation{}
	var walk func(in string, l []documentSymbol)
	walk = func(in string, l []documentSymbol) {
		for _, x := range l {
			flat = append(flat, symbolInformation{x.Name, x.Kind, location{d.uri, x.Range}, in})
			walk(x.Name, x.Children)
		}
	}
	walk("", tree)
	return flat, nil
}

func (s *Server) symbols(d *document, l []outline.Symbol) []documentSymbol {
	out := []documentSymbol{}
	for _, x := range l {
		name := x.Name
		if x.Kind != "attribute" && x.Kind != "local" {
			name = strings.TrimSpace(x.Kind + " " + x.Name)
		}
		kind, ok := symbolKinds[x.Kind]
		if !ok {
			kind = 19 // object
		}
		out = append(out, documentSymbol{
			Name: diag.Escape(name), Detail: diag.Escape(x.Detail), Kind: kind,
			Range: d.text.span(x.Whole.Start.Byte, x.Whole.End.Byte), SelectionRange: d.text.span(x.At.Start.Byte, x.At.End.Byte),
			Children: s.symbols(d, x.Children),
		})
	}
	return out
}

// symbolKinds are the protocol's kinds of symbols; a block that is not listed is an object.
var symbolKinds = map[string]int{
	"fabric": 3, "module": 2, "cos_group": 23, "switch": 5, "host": 5, "variable": 13, "local": 14, "output": 13, "attribute": 7,
	"nic": 11, "bond": 11, "roce": 24, "switch_model": 10, "nic_model": 10,
}

func (s *Server) formatting(p documentParams) (any, *responseError) {
	d, bad := s.document(p.TextDocument.URI)
	if bad != nil {
		return nil, bad
	}
	out, ds := lang.Format(d.name, d.text.src)
	if ds.HasErrors() {
		first := ds[0]
		return nil, errorf(requestFailed, "the text cannot be formatted: %s",
			diag.Escape(fmt.Sprintf("line %d: %s", first.At.Start.Line, first.Detail)))
	}
	edits := d.text.edits(out)
	if edits == nil {
		edits = []textEdit{}
	}
	return edits, nil
}

func (s *Server) codeAction(p codeActionParams) (any, *responseError) {
	d, bad := s.document(p.TextDocument.URI)
	if bad != nil {
		return nil, bad
	}
	actions, ignores := []codeAction{}, []codeAction{}
	if only := p.Context.Only; only != nil && !slices.ContainsFunc(only, func(k string) bool { return k == "" || k == "quickfix" }) {
		return actions, nil
	}
	for _, fabric := range slices.Sorted(maps.Keys(s.checks.fabrics)) {
		c := s.checks.fabrics[fabric]
		for _, f := range c.found[d.name] {
			if !overlap(f.sent.Range, p.Range) {
				continue
			}
			if f.edits != nil {
				if edit, ok := s.workspaceEdit(f.edits, c.versions); ok {
					actions = append(actions, codeAction{Title: title(f.found.Fix), Kind: "quickfix", Diagnostics: []diagnostic{f.sent}, Edit: edit})
				}
			}
			if edit, ok := s.ignoring(d, f); ok {
				if edit, ok := s.workspaceEdit(edit, c.versions); ok {
					ignores = append(ignores, codeAction{
						Title: fmt.Sprintf("Ignore %s, with a reason", f.found.Code), Kind: "quickfix", Diagnostics: []diagnostic{f.sent}, Edit: edit,
					})
				}
			}
		}
	}
	if len(actions) == 1 {
		actions[0].IsPreferred = true
	}
	return append(actions, ignores...), nil
}

// ignoring returns the edit that inserts the ignore comment above the place of a finding. The person must write the reason.
func (s *Server) ignoring(d *document, f finding) ([]fileEdit, bool) {
	if f.found.At.Filename != d.name || s.options.Ignore == nil || !s.options.Ignore(f.found) {
		return nil, false
	}
	at, indent, ok := d.outlined().Statement(f.found.At.Start.Byte)
	if !ok {
		return nil, false
	}
	return []fileEdit{{d.name, textEdit{d.text.span(at, at), "# rocec:ignore " + f.found.Code + " \n" + indent}}}, true
}

// title returns the text of a fix on one line.
func title(f *diag.Fix) string {
	first, _, _ := strings.Cut(strings.TrimRight(f.Message, "."), "\n")
	if first == "" {
		first = "Write " + f.Edits[0].New
	}
	return diag.Escape(first)
}

// workspaceEdit joins the edits of a fix, unless a document has changed since.
func (s *Server) workspaceEdit(edits []fileEdit, versions map[string]*int) (workspaceEdit, bool) {
	byFile := map[string][]textEdit{}
	for _, e := range edits {
		if d := s.docs[e.file]; d != nil && (versions[e.file] == nil || d.version == nil || *d.version != *versions[e.file]) {
			return workspaceEdit{}, false
		}
		byFile[e.file] = append(byFile[e.file], e.edit)
	}
	var out workspaceEdit
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		if s.client.Capabilities.Workspace.WorkspaceEdit.DocumentChanges {
			out.DocumentChanges = append(out.DocumentChanges, documentEdit{versionedID{s.uri(file), versions[file]}, byFile[file]})
			continue
		}
		if out.Changes == nil {
			out.Changes = map[string][]textEdit{}
		}
		out.Changes[s.uri(file)] = byFile[file]
	}
	return out, true
}

// overlap reports whether two ranges share a place; an empty range contains its start.
func overlap(a, b textRange) bool { return !before(a.End, b.Start) && !before(b.End, a.Start) }

func before(a, b position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}
