package lang

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/lock"
	"github.com/rocec/rocec/lang/nexthops"
)

// ahead is how many files are parsed while another one is decoded. More would only hold more syntax trees in memory.
const ahead = 2

// parse reads and parses every *.hcl file directly in a folder and gives their bodies to use, in order of their names, large
// files piece by piece; a body may be dropped before the next one is made. It returns what is wrong with the text of the
// files.
func (l *loader) parse(f *folder, use func(*hclsyntax.Body)) diag.List {
	type parsed struct {
		body *hclsyntax.Body
		ds   diag.List
		kept *keptFile // instead of a body: what the file came to before
	}
	var found diag.List
	keep := map[string]*keptFile{}
	names := l.fileNames(f, &found)
	results := make([]chan parsed, len(names))
	begin := func(i int) {
		if i >= len(names) {
			return
		}
		results[i] = make(chan parsed, ahead)
		var p parsed
		src, ok := f.readFile(names[i], maxFile, &p.ds)
		if l.fileBytes += len(src); ok && l.fileBytes > maxTotal {
			tooLarge.Errorf(&p.ds, start(names[i]), "All files of the fabric together are larger than 32 MiB. Name many things with nodesets instead of one block each.")
			names = names[:i+1]
			ok = false
		}
		if !ok {
			results[i] <- p
			close(results[i])
			return
		}
		l.src.Files[names[i]] = src
		if kept := l.options.Kept.find(names[i], src); kept != nil && f == l.root {
			results[i] <- parsed{kept: kept}
			close(results[i])
			return
		}
		go func() {
			defer close(results[i])
			parsePieces(names[i], src, func(body *hclsyntax.Body, ds diag.List) { results[i] <- parsed{body: body, ds: ds} })
		}()
	}
	for i := range ahead - 1 {
		begin(i)
	}
	for i := 0; i < len(names); i++ {
		begin(i + ahead - 1)
		whole, src := true, l.src.Files[names[i]]
		silences := mayIgnore(src) // then it comes in one piece
		watch := l.watch(f, src)
		kept := (*keptFile)(nil)
		take := func(body *hclsyntax.Body, ds diag.List) {
			found = append(found, ds...)
			watch.see(body)
			if body == nil {
				whole = false
				return
			}
			if silences {
				l.readIgnores(f, body, src, names[i])
			}
			use(body)
		}
		for p := range results[i] {
			switch {
			case p.kept == nil:
				take(p.body, p.ds)
			case l.again(f, p.kept):
				kept = p.kept
			default:
				parsePieces(names[i], src, take)
			}
		}
		if whole {
			f.files++
		}
		if kept == nil && whole && !silences && len(found) == 0 {
			kept = watch.done()
		}
		if kept != nil {
			keep[names[i]] = kept
		}
	}
	if k := l.options.Kept; k != nil && f == l.root {
		k.files = keep
	}
	return found
}

// pieceSize is how much of a file is parsed at once where it can be cut: about as many tokens as fit before the lexer's list of
// them grows in small steps.
const pieceSize = 2 << 10

// parsePieces parses a file piece by piece, if it can be cut, and gives each body to use, or nil and why there is none.
func parsePieces(name string, src []byte, use func(*hclsyntax.Body, diag.List)) {
	var ds diag.List
	if !checkText(name, src, &ds) {
		use(nil, ds)
		return
	}
	ends, simple := simpleShape(src, pieceSize)
	if !simple {
		tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos) // its mistakes come again from the parser
		if !checkTokens(tokens, &ds) {
			use(nil, ds)
			return
		}
	}
	if !simple || mayIgnore(src) { // a comment and what it means stay together
		ends = []int{len(src)}
	}
	pos := hcl.InitialPos
	for _, end := range ends {
		var ds diag.List
		body, _ := parsePiece(name, src, pos, end, &ds)
		if body == nil && len(ends) > 1 { // a header and a brace on the line below it may be pieces: only the whole tells
			var whole diag.List
			if b, _ := parsePiece(name, src, hcl.InitialPos, len(src), &whole); b == nil {
				ds = slices.DeleteFunc(whole, func(d *diag.Diagnostic) bool { // those were found in their pieces
					return d.Code == duplicateAttribute.Code && d.At.Start.Byte < pos.Byte
				})
			}
			use(nil, ds)
			return
		}
		use(body, ds)
		pos = hcl.Pos{Line: pos.Line + bytes.Count(src[pos.Byte:end], []byte("\n")), Column: 1, Byte: end}
	}
}

// fileNames lists the files of a folder by the names used in places.
func (l *loader) fileNames(f *folder, found *diag.List) []string {
	entries, err := fs.ReadDir(f.fsys, f.name)
	if err != nil {
		unreadable.Errorf(found, diag.Range{}, "The folder %q cannot be read: %s. Give the folder of a fabric.", f.name, reason(err))
		return nil
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if path.Ext(name) != ".hcl" || strings.HasPrefix(name, ".") || e.IsDir() {
			continue
		}
		full := path.Join(f.name, name)
		if !e.Type().IsRegular() {
			unreadable.Errorf(found, start(full), "%q is no regular file. Links, pipes and devices are not followed. Put the file itself there.", full)
			continue
		}
		names = append(names, full)
	}
	if l.fileCount += len(names); l.fileCount > maxFiles {
		tooLarge.Errorf(found, diag.Range{}, "The folder %q holds %d *.hcl files; at most %d are read, those of modules included. Join some of them.", f.name, len(names), maxFiles)
		return nil
	}
	if len(names) == 0 && !found.HasErrors() {
		if f != l.root {
			unreadable.Errorf(found, diag.Range{}, "There is no *.hcl file in the folder %q of the module. Write one, or correct source.", f.name)
		} else {
			noFabric.Errorf(found, diag.Range{}, "There is no *.hcl file in %s. Write one, or name the folder of a fabric.", quoteDir(f.name))
		}
	}
	return names
}

// readFile reads a regular file of at most limit bytes of text, never more than that.
func (f *folder) readFile(name string, limit int, ds *diag.List) ([]byte, bool) {
	src, err := readRegular(f.fsys, name, limit)
	switch {
	case errors.Is(err, errTooLarge):
		tooLarge.Errorf(ds, start(name), "%q is larger than %s. Split it into several files.", name, size(limit))
		return nil, false
	case err != nil:
		unreadable.Errorf(ds, start(name), "%q cannot be read: %s. Mend its permissions, or take it away.", name, reason(err))
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

// readBelow reads a regular file below the folder. Links are not followed: they lead out of it.
func (f *folder) readBelow(name string, limit int) ([]byte, error) {
	at := f.name
	for part := range strings.SplitSeq(name, "/") {
		at = path.Join(at, part)
		info, err := fs.Lstat(f.fsys, at)
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
	return readRegular(f.fsys, at, limit)
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
	full, src, ok := l.readNamed(l.root, f.Table, nexthops.MaxFile, "Leave out what no member of the fabric is reached by.")
	if !ok {
		return
	}
	if at, ok := notText(full, src); ok {
		invalidUTF8.Errorf(&l.diags, at, "%q is not UTF-8 text at byte %d. Save it as UTF-8.", full, at.Start.Byte)
		return
	}
	l.src.NextHops = nexthops.Read(full, src, &l.diags)
}

// loadLock reads fabric.lock, where there is one.
func (l *loader) loadLock() {
	if l.options.Unlocked {
		return
	}
	full := path.Join(l.root.name, lock.Name)
	if _, err := fs.Lstat(l.root.fsys, full); errors.Is(err, fs.ErrNotExist) {
		return
	}
	full, src, ok := l.readNamed(l.root, Value[string]{lock.Name, start(full)}, lock.MaxFile, "A lock is short: look at what the file is.")
	if !ok {
		return
	}
	if at, ok := notText(full, src); ok {
		invalidUTF8.Errorf(&l.diags, at, "%q is not UTF-8 text at byte %d. Take it from version control, or write it anew with "+
			"`rocec lock-sizes --refresh`.", full, at.Start.Byte)
		return
	}
	f := lock.Read(full, src, &l.diags)
	if name := l.src.Fabric.Name; f != nil && name != "" && f.Fabric != name {
		lock.Invalid.Errorf(&l.diags, f.FabricAt, "This is the fabric.lock of %q, and the fabric is %q. Take the right file; or, when the "+
			"fabric was renamed, write it anew with `rocec lock-sizes --refresh`.", diag.Cut(f.Fabric), name).Note(l.src.Fabric.Decl, "the fabric")
		return
	}
	l.src.Lock = f
}

// readNamed reads a file that an attribute names, below its folder, and makes it showable. The advice is for a file that is
// larger than limit.
func (l *loader) readNamed(f *folder, file Value[string], limit int, advice string) (full string, src []byte, ok bool) {
	full = path.Join(f.name, file.V)
	src, err := f.readBelow(file.V, limit)
	switch {
	case errors.Is(err, errTooLarge):
		tooLarge.Errorf(&l.diags, file.At, "%q is larger than %s. %s", full, size(limit), advice)
		return full, nil, false
	case errors.Is(err, errLink):
		unreadable.Errorf(&l.diags, file.At, "%q %s. Put the file itself there.", full, errLink)
		return full, nil, false
	case err != nil:
		unreadable.Errorf(&l.diags, file.At, "%q cannot be read: %s. Correct the path, or put the file there.", full, reason(err))
		return full, nil, false
	}
	l.src.Files[full] = src
	return full, src, true
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
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file or folder"
	case errors.Is(err, fs.ErrPermission):
		return "permission is denied"
	}
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
	return parsePiece(name, src, hcl.InitialPos, len(src), ds)
}

// parsePiece parses the bytes of a file from a place to an end, which checkTokens has seen.
func parsePiece(name string, src []byte, from hcl.Pos, end int, ds *diag.List) (*hclsyntax.Body, bool) {
	file, hds := hclsyntax.ParseConfig(src[from.Byte:end], name, from)
	body, _ := file.Body.(*hclsyntax.Body)
	whole := true
	for _, d := range hds {
		switch {
		case d.Severity != hcl.DiagError:
		case d.Summary == redefined:
			reportRedefined(body, d, src, ds)
		default:
			whole = false
		}
	}
	if !whole {
		tokens, _ := hclsyntax.LexConfig(src[from.Byte:end], name, from)
		reportSyntax(hds, name, src[:end], tokens, ds)
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

// checkText refuses what is not UTF-8 text, and what could only be lexed into more tokens than are allowed.
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
		what := "is not UTF-8 text"
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
