// Package parse turns the bytes of a folder into syntax within limits (by a [Reader]). It refuses text that would crash the parser of HCL,
// parses large files piece by piece, and words the mistakes that the parser finds.
//
// Nothing outside of the folder it is given is read, links are not followed, and hostile text is refused in linear time
// (limits.go names the bounds). What is wrong is appended to the list a function is handed.
package parse

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
)

// Folder is a folder of *.hcl files.
type Folder struct {
	Name string // as places name it
	FS   fs.FS
}

// Reader reads the files of one load, within the bounds of all of them together.
type Reader struct {
	Files map[string][]byte // every file read, by the name used in places

	count, bytes int
}

// NewReader returns a reader that has read nothing.
func NewReader() *Reader { return &Reader{Files: map[string][]byte{}} }

// File is one file that is parsed, or a piece.
type File struct {
	Name string
	Src  []byte // of the whole file
	Body *hclsyntax.Body

	Silences bool // [Silences] of Src, which a file that comes in pieces never does
}

// Cache knows files of an earlier load. Its methods are called in the order of the files, but for Knows.
type Cache interface {
	Knows(name string, src []byte) bool // the file need not be parsed; asked before its turn
	Take(name string) bool              // of such a file, in its turn; false: it must still be parsed
	Begin(name string, src []byte)      // a file is parsed
	End(name string, whole, sound bool) // all of its bodies were used, and the parser found nothing
}

// Read is what came of reading a folder.
type Read struct {
	Names int  // *.hcl files in the folder
	Files int  // of these, the ones that were parsed whole
	Whole bool // nothing is missing: every file was read and parsed
}

// ahead is how many files are parsed while another one is decoded. More would only hold more syntax trees in memory.
const ahead = 2

// Folder reads and parses every *.hcl file directly in a folder. It gives their bodies to use, in order of their names, large files piece
// by piece. A body may be dropped before the next one is made. Files that the cache takes are not parsed; it may be nil. It appends the
// mistakes in the text of the files.
func (r *Reader) Folder(f Folder, use func(File), cache Cache, ds *diag.List) Read {
	names, whole := r.names(f, ds)
	read := Read{Names: len(names), Whole: whole}
	results := make([]chan parsed, len(names))
	begin := func(i int) {
		if i >= len(names) {
			return
		}
		results[i] = make(chan parsed, ahead)
		var p parsed
		src, ok := f.read(names[i], MaxFile, &p.ds)
		if r.bytes += len(src); ok && r.bytes > maxTotal {
			TooLarge.Errorf(&p.ds, Start(names[i]), "All files of the fabric together are larger than 32 MiB. Name many things with nodesets "+
				"instead of one block each.")
			names = names[:i+1]
			ok = false
		}
		if !ok {
			results[i] <- p
			close(results[i])
			return
		}
		r.Files[names[i]] = src
		if cache != nil && cache.Knows(names[i], src) {
			results[i] <- parsed{known: true}
			close(results[i])
			return
		}
		go func() {
			defer close(results[i])
			pieces(names[i], src, func(p parsed) { results[i] <- p })
		}()
	}
	for i := range ahead - 1 {
		begin(i)
	}
	for i := 0; i < len(names); i++ {
		begin(i + ahead - 1)
		whole, sound, taken := true, true, false
		src := r.Files[names[i]]
		see := func(p parsed) {
			*ds = append(*ds, p.ds...)
			sound = sound && len(p.ds) == 0
			if p.body == nil {
				whole = false
				return
			}
			use(File{names[i], src, p.body, p.silences})
		}
		if cache != nil {
			cache.Begin(names[i], src)
		}
		for p := range results[i] {
			switch {
			case !p.known:
				see(p)
			case cache.Take(names[i]):
				taken = true
			default:
				pieces(names[i], src, see)
			}
		}
		if cache != nil && !taken {
			cache.End(names[i], whole, sound)
		}
		if whole {
			read.Files++
		} else {
			read.Whole = false
		}
	}
	return read
}

// names lists the files of a folder by the names used in places; whole is false when something there cannot be read.
func (r *Reader) names(f Folder, ds *diag.List) (names []string, whole bool) {
	entries, err := fs.ReadDir(f.FS, f.Name)
	if err != nil {
		Unreadable.Errorf(ds, diag.Range{}, "The folder %q cannot be read: %s. Give the folder of a fabric.", f.Name, Reason(err))
		return nil, false
	}
	whole = true
	for _, e := range entries {
		name := e.Name()
		if path.Ext(name) != ".hcl" || strings.HasPrefix(name, ".") || e.IsDir() {
			continue
		}
		full := path.Join(f.Name, name)
		if !e.Type().IsRegular() {
			Unreadable.Errorf(ds, Start(full), "%q is not a regular file. Links, pipes and devices are not followed. Put the file itself there.",
				full)
			whole = false
			continue
		}
		names = append(names, full)
	}
	if r.count += len(names); r.count > maxFiles {
		TooLarge.Errorf(ds, diag.Range{}, "The folder %q holds %d *.hcl files; at most %d are read, those of modules included. Join some of "+
			"them.", f.Name, len(names), maxFiles)
		return nil, false
	}
	return names, whole
}

// read reads a regular file of at most limit bytes of text, never more than that.
func (f Folder) read(name string, limit int, ds *diag.List) ([]byte, bool) {
	src, err := readRegular(f.FS, name, limit)
	switch {
	case errors.Is(err, ErrTooLarge):
		TooLarge.Errorf(ds, Start(name), "%q is larger than %s. Split it into several files.", name, Size(limit))
		return nil, false
	case err != nil:
		Unreadable.Errorf(ds, Start(name), "%q cannot be read: %s. Fix its permissions, or take it away.", name, Reason(err))
		return nil, false
	}
	return src, true
}

// Why a file is not read.
var (
	ErrTooLarge   = errors.New("too large")
	ErrHidden     = errors.New("is hidden: its name, or that of a folder it is in, begins with a dot; a fabric reads no such files")
	ErrLink       = errors.New("is a link or is reached through one, and links are not followed") // follows the name in a sentence
	errNotRegular = errors.New("it is not a regular file")
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
		return nil, ErrTooLarge
	}
	src, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err == nil && len(src) > limit {
		err = ErrTooLarge
	}
	return src, err
}

// hidden reports whether a name begins with a dot. Characters that a file system may leave out do not hide it.
func hidden(name string) bool {
	return strings.HasPrefix(strings.TrimLeftFunc(name, func(r rune) bool { return unicode.Is(unicode.Cf, r) }), ".")
}

// ReadBelow reads a regular file below the folder. Links are not followed: they lead out of the folder. Hidden files and the content of
// hidden folders are for others: .git/config, .env and .ssh hold secrets, and a message shows lines of the files that are read.
func (f Folder) ReadBelow(name string, limit int) ([]byte, error) {
	at := f.Name
	for part := range strings.SplitSeq(name, "/") {
		if hidden(part) {
			return nil, ErrHidden
		}
		at = path.Join(at, part)
		info, err := fs.Lstat(f.FS, at)
		if err != nil {
			return nil, err
		}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, ErrLink
		case !info.IsDir() && !info.Mode().IsRegular(): // opening a pipe would wait for its other end
			return nil, errNotRegular
		}
	}
	return readRegular(f.FS, at, limit)
}

// Named reads a file that is named at a place, below its folder, and makes it showable. The advice is for a file that is
// larger than limit.
func (r *Reader) Named(f Folder, name string, at diag.Range, limit int, advice string, ds *diag.List) (full string, src []byte, ok bool) {
	full = path.Join(f.Name, name)
	src, err := f.ReadBelow(name, limit)
	switch {
	case errors.Is(err, ErrTooLarge):
		TooLarge.Errorf(ds, at, "%q is larger than %s. %s", full, Size(limit), advice)
		return full, nil, false
	case errors.Is(err, ErrHidden):
		Unreadable.Errorf(ds, at, "%q %s. Give it another name.", full, ErrHidden)
		return full, nil, false
	case errors.Is(err, ErrLink):
		Unreadable.Errorf(ds, at, "%q %s. Put the file itself there.", full, ErrLink)
		return full, nil, false
	case err != nil:
		Unreadable.Errorf(ds, at, "%q cannot be read: %s. Correct the path, or put the file there.", full, Reason(err))
		return full, nil, false
	}
	r.Files[full] = src
	return full, src, true
}

// Reason is an error without the path, which the message names already.
func Reason(err error) string {
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
