package lang

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nexthops"
)

// parse reads and parses every *.hcl file directly in the folder, in order of their names.
func (l *loader) parse() []*hclsyntax.Body {
	names := l.fileNames()
	type result struct {
		body *hclsyntax.Body
		ds   diag.List
	}
	results := make([]result, len(names))
	total := 0
	for i, name := range names {
		src, ok := l.readFile(name, maxFile, &results[i].ds)
		if !ok {
			continue
		}
		if total += len(src); total > maxTotal {
			tooLarge.Errorf(&results[i].ds, start(name), "All files of the fabric together are larger than 32 MiB.")
			break
		}
		l.src.Files[name] = src
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2) // more would only hold more token streams in memory
	for i, name := range names {
		src, ok := l.src.Files[name]
		if !ok {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i].body, _ = parseFile(name, src, &results[i].ds)
		})
	}
	wg.Wait()
	var bodies []*hclsyntax.Body
	for _, r := range results {
		l.diags = append(l.diags, r.ds...)
		if r.body != nil {
			bodies = append(bodies, r.body)
		}
	}
	return bodies
}

// fileNames lists the files of the fabric by the names used in ranges.
func (l *loader) fileNames() []string {
	entries, err := fs.ReadDir(l.fsys, l.dir)
	if err != nil {
		unreadable.Errorf(&l.diags, diag.Range{}, "The folder %q cannot be read: %s.", l.dir, reason(err))
		return nil
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if path.Ext(name) != ".hcl" || strings.HasPrefix(name, ".") || e.IsDir() {
			continue
		}
		full := path.Join(l.dir, name)
		if !e.Type().IsRegular() {
			unreadable.Errorf(&l.diags, start(full), "%q is no regular file. Links, pipes and devices are not followed.", full)
			continue
		}
		names = append(names, full)
	}
	if len(names) > maxFiles {
		tooLarge.Errorf(&l.diags, diag.Range{}, "The folder %q holds %d *.hcl files; at most %d are read.", l.dir, len(names), maxFiles)
		return nil
	}
	if len(names) == 0 && !l.diags.HasErrors() {
		noFabric.Errorf(&l.diags, diag.Range{}, "There is no *.hcl file in %s. Write one, or name the folder of a fabric.", quoteDir(l.dir))
	}
	return names
}

// readFile reads a regular file of at most limit bytes of text, never more than that.
func (l *loader) readFile(name string, limit int, ds *diag.List) ([]byte, bool) {
	src, err := readRegular(l.fsys, name, limit)
	switch {
	case errors.Is(err, errTooLarge):
		tooLarge.Errorf(ds, start(name), "%q is larger than %s. Split it into several files.", name, size(limit))
		return nil, false
	case err != nil:
		unreadable.Errorf(ds, start(name), "%q cannot be read: %s.", name, reason(err))
		return nil, false
	}
	return src, true
}

var (
	errTooLarge   = errors.New("too large")
	errNotRegular = errors.New("it is no regular file")
)

func readRegular(fsys fs.FS, name string, limit int) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	if info.Size() > int64(limit) {
		return nil, errTooLarge
	}
	src, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err == nil && len(src) > limit {
		err = errTooLarge
	}
	return src, err
}

// errLink completes a sentence that begins with the name of the file.
var errLink = errors.New("is, or lies behind, a link, which is not followed")

// readBelow reads a regular file below the fabric's folder. Links are not followed: they lead out of it.
func (l *loader) readBelow(name string, limit int) ([]byte, error) {
	at := l.dir
	for part := range strings.SplitSeq(name, "/") {
		at = path.Join(at, part)
		info, err := fs.Lstat(l.fsys, at)
		if err != nil {
			return nil, err
		}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, errLink
		case !info.IsDir() && !info.Mode().IsRegular(): // opening a pipe would wait for its other end
			return nil, errNotRegular
		}
	}
	return readRegular(l.fsys, at, limit)
}

// loadTable reads the file of next hops.
func (l *loader) loadTable() {
	f := &l.src.Fabric
	byTable := f.Routing.V == "table"
	switch {
	case byTable && f.Table.Set():
	case l.diags.HasErrors(): // either attribute may have a mistake of its own
		return
	case byTable:
		missingAttribute.Errorf(&l.diags, f.Routing.At, "Routing by a table needs the file of next hops. Say table = \"fib.json\" in the fabric block.")
		return
	case f.Table.Set():
		tableUnused.Errorf(&l.diags, f.Table.At, "The fabric names a table of next hops, and its routing is not \"table\". Say routing = \"table\", or delete this attribute.")
		return
	default:
		return
	}
	full := path.Join(l.dir, f.Table.V)
	src, err := l.readBelow(f.Table.V, nexthops.MaxFile)
	switch {
	case errors.Is(err, errTooLarge):
		tooLarge.Errorf(&l.diags, f.Table.At, "%q is larger than %s. Leave out what no member of the fabric is reached by.", full, size(nexthops.MaxFile))
		return
	case errors.Is(err, errLink):
		unreadable.Errorf(&l.diags, f.Table.At, "%q %s.", full, errLink)
		return
	case err != nil:
		unreadable.Errorf(&l.diags, f.Table.At, "%q cannot be read: %s.", full, reason(err))
		return
	}
	l.src.Files[full] = src
	if at, ok := notText(full, src); ok {
		invalidUTF8.Errorf(&l.diags, at, "%q is no UTF-8 text at byte %d. Save it as UTF-8.", full, at.Start.Byte)
		return
	}
	l.src.NextHops = nexthops.Read(full, src, &l.diags)
}

// notText returns the place of the first byte that is no UTF-8, or of a NUL.
func notText(name string, src []byte) (diag.Range, bool) {
	bad := bytes.IndexByte(src, 0)
	for i := 0; i < len(src) && (bad < 0 || i < bad); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			bad = i
			break
		}
		i += n
	}
	if bad < 0 {
		return diag.Range{}, false
	}
	line := bytes.Count(src[:bad], []byte("\n")) + 1
	column := utf8.RuneCount(src[bytes.LastIndexByte(src[:bad], '\n')+1:bad]) + 1
	pos := hcl.Pos{Line: line, Column: column, Byte: bad}
	end := pos
	end.Byte++
	end.Column++
	return diag.Range{Filename: name, Start: pos, End: end}, true
}

// reason is an error without the path, which the message names already.
func reason(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return err.Error()
}

// parseFile parses one file behind all defences. The body is nil when there are mistakes, except for repeated
// attributes.
func parseFile(name string, src []byte, ds *diag.List) (*hclsyntax.Body, bool) {
	if !checkText(name, src, ds) {
		return nil, false
	}
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos) // its mistakes come again from the parser
	if !checkTokens(tokens, ds) {
		return nil, false
	}
	file, hds := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
	body, _ := file.Body.(*hclsyntax.Body)
	whole := true
	for _, d := range hds {
		if d.Severity != hcl.DiagError {
			continue
		}
		if d.Summary == "Attribute redefined" {
			reportRedefined(body, d, src, ds)
			continue
		}
		whole = false
		at := start(name)
		if d.Subject != nil {
			at = *d.Subject
		}
		syntax.Errorf(ds, at, "%s. %s", d.Summary, d.Detail)
		if d.Summary == "Invalid multi-line string" { // a quote is missing: all that follows is read inside out
			break
		}
	}
	if !whole || body == nil {
		return nil, false
	}
	return body, true
}

// reportRedefined finds the first place of an attribute the parser says is set again.
func reportRedefined(body *hclsyntax.Body, d *hcl.Diagnostic, src []byte, ds *diag.List) {
	name := string(d.Subject.SliceBytes(src))
	out := duplicateAttribute.Errorf(ds, *d.Subject, "%q is set twice in one block. Delete one of the two.", name)
	for body != nil {
		var inner *hclsyntax.Body
		for _, b := range body.Blocks {
			if b.Range().Start.Byte <= d.Subject.Start.Byte && d.Subject.Start.Byte < b.CloseBraceRange.End.Byte {
				inner = b.Body
			}
		}
		if inner == nil {
			if a, ok := body.Attributes[name]; ok {
				out.Note(a.NameRange, "set here first")
			}
		}
		body = inner
	}
}

// checkText refuses what is no UTF-8 text, and what could only be lexed into more tokens than are allowed.
func checkText(name string, src []byte, ds *diag.List) bool {
	bad, marks := -1, 0
	for i := 0; i < len(src); {
		c := src[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(src[i:])
			if r == utf8.RuneError && n == 1 {
				bad = i
				break
			}
			i += n
			continue
		}
		if c == 0 {
			bad = i
			break
		}
		if mark[c] {
			marks++
		}
		i++
	}
	if bad >= 0 {
		at, _ := notText(name, src)
		what := "is no UTF-8 text"
		if src[bad] == 0 {
			what = "holds a NUL byte"
		}
		invalidUTF8.Errorf(ds, at, "%q %s at byte %d. Save it as UTF-8.", name, what, bad)
		return false
	}
	if marks > 2*maxTokens {
		tooLarge.Errorf(ds, start(name), "The file has more than 200,000 tokens. Split it into several files.")
		return false
	}
	return true
}

// mark tells the ASCII characters that make tokens of their own outside of text and comments.
var mark = func() (m [utf8.RuneSelf]bool) {
	for _, c := range "()[]{}!?-+*/%<>=&|.,:\"'\\^;`@~$\n" {
		m[c] = true
	}
	return m
}()

// size writes bytes the way the language does.
func size(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
