package lsp

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/outline"
)

// checks contains the fabrics that wait for a run, and the findings.
type checks struct {
	timer   <-chan time.Time
	dirty   map[string]bool // folders of fabrics that changed, and wait for the timer
	touched map[string]bool // documents that changed
	ready   map[string]bool // folders of fabrics that wait for their run
	running *run
	results chan *run

	fabrics map[string]*checked // by folder; documents without a fabric by their own name
}

// run is one run of the pipeline.
type run struct {
	fabric   string
	ctx      context.Context
	cancel   context.CancelFunc
	versions map[string]*int   // versions of the documents
	texts    map[string][]byte // texts of the documents
	result   *Result
	err      error
	bug      string
}

// checked is the result of the last run.
type checked struct {
	published map[string][]diagnostic // by file
	found     map[string][]finding
	versions  map[string]*int
	describe  func(outline.Thing) string // from the last run without errors
	define    func(outline.Thing) []diag.Range
}

// finding is a diagnostic, and its form for the client.
type finding struct {
	found *diag.Diagnostic
	sent  diagnostic
	edits []fileEdit
}

// fileEdit is one edit of a fix.
type fileEdit struct {
	file string
	edit textEdit
}

// touch records that a document changed. The server searches the fabric of the document only when the timer has expired, so typing stays
// fast.
func (s *Server) touch(d *document) {
	s.checks.touched[d.name] = true
	if d.fabric != "" {
		s.dirty(d.fabric)
	}
	s.arm()
}

// assign finds the fabric of a document.
func (s *Server) assign(d *document) {
	fabric, was := s.fabricOf(d.name), d.fabric
	d.fabric = fabric
	switch {
	case was == fabric:
	case was == "":
		s.forgetAlone(d)
	case slices.ContainsFunc(slices.Collect(maps.Values(s.docs)), func(o *document) bool { return o.fabric == was }):
		s.checks.dirty[was] = true
	default:
		s.drop(was)
	}
	if fabric == "" || was == fabric && !s.checks.touched[d.name] {
		return
	}
	s.checks.dirty[fabric] = true
	for other := range s.checks.fabrics { // a module may serve several fabrics
		if other != fabric && s.docs[other] == nil && slices.Contains(s.folders(other), path.Dir(d.name)) {
			s.checks.dirty[other] = true
		}
	}
}

// dirty records that a fabric must be judged again, and cancels a run on its older state.
func (s *Server) dirty(fabric string) {
	s.checks.dirty[fabric] = true
	delete(s.checks.ready, fabric)
	if r := s.checks.running; r != nil && r.fabric == fabric {
		r.cancel()
	}
	s.arm()
}

// arm restarts the timer.
func (s *Server) arm() { s.checks.timer = s.options.Wait(s.options.Delay) }

// startDirty judges the changed documents and fabrics.
func (s *Server) startDirty(ctx context.Context) {
	s.disk.forget()
	names := slices.Sorted(maps.Keys(s.docs))
	for range 2 { // a module's file may belong to a fabric that is found later in the list
		for _, name := range names {
			if d := s.docs[name]; s.checks.touched[name] || d.fabric == "" {
				s.assign(d)
			}
		}
	}
	for _, name := range names {
		if d := s.docs[name]; d.fabric == "" && s.checks.touched[name] {
			s.publishAlone(d, syntaxOf(d))
		}
	}
	clear(s.checks.touched)
	maps.Copy(s.checks.ready, s.checks.dirty)
	clear(s.checks.dirty)
	s.startNext(ctx)
}

// syntaxOf returns the findings of a document alone.
func syntaxOf(d *document) diag.List {
	if ext := path.Ext(d.name); isFile(d.name) && ext != ".hcl" && ext != ".hclvars" {
		return nil
	}
	_, ds := lang.Format(d.name, d.text.src)
	return ds
}

// startNext starts the next run, unless one is under way.
func (s *Server) startNext(ctx context.Context) {
	if s.checks.running != nil || len(s.checks.ready) == 0 {
		return
	}
	r := &run{fabric: slices.Min(slices.Collect(maps.Keys(s.checks.ready))), versions: map[string]*int{}, texts: map[string][]byte{}}
	delete(s.checks.ready, r.fabric)
	r.ctx, r.cancel = context.WithCancel(ctx)
	for name, d := range s.docs {
		if isFile(name) {
			r.texts[name], r.versions[name] = d.text.src, d.version
		}
	}
	s.checks.running = r
	go func() {
		defer func() {
			if v := recover(); v != nil {
				r.bug = fmt.Sprintf("%v\n%s", v, debug.Stack())
			}
			s.checks.results <- r // never blocks: one run at a time
		}()
		r.result, r.err = s.backend.Check(r.ctx, r.fabric, r.texts)
	}()
}

// stopRun cancels the run under way.
func (s *Server) stopRun() {
	if r := s.checks.running; r != nil {
		r.cancel()
	}
}

// finish accepts the result of a run, unless the text has changed since.
func (s *Server) finish(ctx context.Context, r *run) {
	s.checks.running = nil
	stale := r.ctx.Err() != nil
	r.cancel()
	switch {
	case r.bug != "":
		s.log(1, "rocec has a bug: it cannot judge %s: %s", r.fabric, r.bug)
	case r.err != nil && !stale:
		s.log(1, "%s cannot be judged: %v", r.fabric, r.err)
	case !stale && r.result != nil && s.state == running && s.outdated(r):
		s.dirty(r.fabric)
	case !stale && r.result != nil && s.state == running:
		s.accept(r)
	}
	if s.state == running {
		s.startNext(ctx)
	}
}

// outdated reports whether a file that a run has read was edited since. An edit of a module's file belongs to another fabric, and does
// not end the run.
func (s *Server) outdated(r *run) bool {
	for name := range r.result.Files {
		if d := s.docs[name]; d != nil && !bytes.Equal(d.text.src, r.texts[name]) {
			return true
		}
	}
	return false
}

// accept publishes the findings of a run.
func (s *Server) accept(r *run) {
	c := s.checks.fabrics[r.fabric]
	if c == nil {
		c = &checked{}
		s.checks.fabrics[r.fabric] = c
	}
	if r.result.Describe != nil {
		c.describe, c.define = r.result.Describe, r.result.Define
	}
	v := &view{s: s, files: r.result.Files, texts: map[string]*text{}, main: s.mainFile(r.fabric)}
	found := map[string][]finding{}
	for name, d := range s.docs {
		if d.fabric == r.fabric {
			found[name] = nil // an empty list is published, too
		}
	}
	for _, d := range r.result.Diagnostics {
		name, f := v.finding(d)
		found[name] = append(found[name], f)
	}
	s.publishAll(c, found, r.versions)
}

// publishAlone publishes the findings in a document without a fabric.
func (s *Server) publishAlone(d *document, ds diag.List) {
	c := s.checks.fabrics[d.name]
	if c == nil {
		c = &checked{}
		s.checks.fabrics[d.name] = c
	}
	v := &view{s: s, files: map[string][]byte{d.name: d.text.src}, texts: map[string]*text{}, main: d.name}
	found := map[string][]finding{d.name: nil}
	for _, x := range ds {
		_, f := v.finding(x)
		found[d.name] = append(found[d.name], f)
	}
	if s.docs[d.name] == nil || d.fabric != "" {
		s.publishAll(c, nil, nil)
		delete(s.checks.fabrics, d.name)
		return
	}
	s.publishAll(c, found, map[string]*int{d.name: d.version})
}

// forgetAlone withdraws the findings of a document without a fabric.
func (s *Server) forgetAlone(d *document) {
	if s.checks.fabrics[d.name] != nil {
		s.publishAlone(d, nil)
	}
}

// drop removes a fabric that has no open file.
func (s *Server) drop(fabric string) {
	delete(s.checks.dirty, fabric)
	delete(s.checks.ready, fabric)
	if r := s.checks.running; r != nil && r.fabric == fabric {
		r.cancel()
	}
	if c := s.checks.fabrics[fabric]; c != nil {
		s.publishAll(c, nil, nil)
		delete(s.checks.fabrics, fabric)
	}
}

// publishAll replaces the findings of a fabric, and publishes every file that has or had findings.
func (s *Server) publishAll(c *checked, found map[string][]finding, versions map[string]*int) {
	names := map[string]bool{}
	for name := range c.published {
		names[name] = true
	}
	c.found, c.published, c.versions = found, map[string][]diagnostic{}, versions
	for name, fs := range found {
		names[name] = true
		for _, f := range fs {
			c.published[name] = append(c.published[name], f.sent)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		s.publish(name, versions[name])
	}
}

// publish sends the client all findings in a file, from every fabric that contains the file.
func (s *Server) publish(name string, version *int) {
	p := publishParams{URI: s.uri(name), Version: version, Diagnostics: []diagnostic{}}
	told := map[string]bool{} // a module's file has the same mistake in every fabric
	for _, fabric := range slices.Sorted(maps.Keys(s.checks.fabrics)) {
		for _, d := range s.checks.fabrics[fabric].published[name] {
			if key := fmt.Sprint(d.Range, d.Code, d.Message); !told[key] {
				told[key] = true
				p.Diagnostics = append(p.Diagnostics, d)
			}
		}
	}
	s.notify("textDocument/publishDiagnostics", p)
}

// uri returns the URI of a file, as the client writes it.
func (s *Server) uri(name string) string {
	if d := s.docs[name]; d != nil {
		return d.uri
	}
	return fileURI(name)
}

// mainFile returns the file with the fabric block, for findings without a place.
func (s *Server) mainFile(dir string) string {
	files := s.files(dir)
	for _, o := range files {
		if o.Has("fabric") {
			return o.Name()
		}
	}
	if len(files) > 0 {
		return files[0].Name()
	}
	return path.Join(dir, "fabric.hcl")
}

// view converts places of files into places of the protocol.
type view struct {
	s     *Server
	files map[string][]byte
	texts map[string]*text
	main  string
}

// text returns the text of a file as it was read; nil if the name is no file of the client.
func (v *view) text(name string) *text {
	t, ok := v.texts[name]
	if !ok {
		if src, read := v.files[name]; read && isFile(name) {
			t = newText(src, v.s.enc)
		} else if d := v.s.docs[name]; d != nil {
			t = d.text
		} else if o := v.s.disk.outline(name); isFile(name) && o != nil {
			t = newText(o.Text(), v.s.enc)
		}
		v.texts[name] = t
	}
	return t
}

// place returns a place in a file of the client; false if it is in none.
func (v *view) place(at diag.Range) (textRange, bool) {
	t := v.text(at.Filename)
	if at.Filename == "" || t == nil {
		return textRange{}, false
	}
	return t.span(at.Start.Byte, at.End.Byte), true
}

// finding converts a diagnostic into a diagnostic of the protocol, and returns its file.
func (v *view) finding(d *diag.Diagnostic) (string, finding) {
	name, message := d.At.Filename, d.Summary+"\n"+d.Detail
	at, ok := v.place(d.At)
	if !ok {
		if name != "" {
			message = fmt.Sprintf("%s:%d: %s", name, d.At.Start.Line, message)
		}
		name = v.main
	}
	out := diagnostic{
		Range: at, Severity: map[diag.Severity]int{diag.Error: 1, diag.Warning: 2, diag.Notice: 3}[d.Severity],
		Code: d.Code, Source: "rocec",
	}
	if v.s.options.Help != nil {
		if href := v.s.options.Help(d.Code); href != "" {
			out.CodeDescription = &codeDescription{href}
		}
	}
	for _, n := range d.Notes {
		at, ok := v.place(n.At)
		if ok && v.s.client.Capabilities.TextDocument.PublishDiagnostics.RelatedInformation {
			out.RelatedInformation = append(out.RelatedInformation, relatedInformation{location{v.s.uri(n.At.Filename), at}, diag.Escape(n.Message)})
			continue
		}
		message += "\nnote: " + n.Message
	}
	if d.Text != "" {
		message += "\n" + strings.TrimRight(d.Text, "\n")
	}
	if d.Fix != nil && !d.Fix.Told {
		message += "\nhelp: " + d.Fix.Message
	}
	out.Message = diag.EscapeLines(message)
	return name, finding{d, out, v.edits(d)}
}

// edits returns the edits of a fix; none if one of them is not in a file of the client.
func (v *view) edits(d *diag.Diagnostic) []fileEdit {
	if d.Fix == nil {
		return nil
	}
	var out []fileEdit
	for _, e := range d.Fix.Edits {
		at, ok := v.place(e.At)
		if !ok {
			return nil
		}
		out = append(out, fileEdit{e.At.Filename, textEdit{at, e.New}})
	}
	return out
}
