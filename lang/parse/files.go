// Package parse reads and parses the files of a folder within limits (by a [Reader]). It refuses text that would crash the parser of
// HCL, parses large files piece by piece, and has messages for the mistakes that the parser finds.
//
// It reads only files in the given folder, does not follow symbolic links, and refuses hostile text in linear time (limits.go has the
// bounds). Functions append mistakes to the list in their arguments.
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
	Name string // the name in places
	FS   fs.FS
}

// Reader reads the files of one load, within the bounds for all files together.
type Reader struct {
	Files map[string][]byte // every file that was read, by its name in places

	count, bytes int
}

// NewReader returns a reader without files.
func NewReader() *Reader { return &Reader{Files: map[string][]byte{}} }

// File is one parsed file, or a parsed piece of a file.
type File struct {
	Name string
	Src  []byte // of the whole file
	Body *hclsyntax.Body

	Silences bool // [Silences] of Src; false for a file that is parsed in pieces
}

// Cache has the results of files of an earlier load. Its methods are called in the order of the files, except for Knows.
type Cache interface {
	Knows(name string, src []byte) bool // reports whether the file need not be parsed; called ahead of the order
	Take(name string) bool              // uses the result of a known file; false: the file must be parsed
	Begin(name string, src []byte)      // before a file is parsed
	End(name string, whole, sound bool) // after a file: whole if all bodies were used, sound if the parser found no mistake
}

// Read is the result of reading a folder.
type Read struct {
	Names int  // *.hcl files in the folder
	Files int  // files that were parsed completely
	Whole bool // every file was read and parsed
}

// ahead is the number of files that are parsed while another file is decoded. A larger number would only keep more syntax trees in
// memory.
const ahead = 2

// Folder reads and parses every *.hcl file directly in a folder. It calls use for the body of each file, in the order of names, and for
// large files for each piece. A body may be freed before the next one is made. It does not parse files that the cache accepts; the
// cache may be nil. It appends the mistakes in the text of the files.
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

// names returns the files of a folder, by their names in places; whole is false if a file cannot be read.
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
			Unreadable.Errorf(ds, Start(full), "%q is not a regular file. Links, pipes and devices are not read. Put the file itself there.",
				full)
			whole = false
			continue
		}
		names = append(names, full)
	}
	if r.count += len(names); r.count > maxFiles {
		TooLarge.Errorf(ds, diag.Range{}, "The folder %q has %d *.hcl files; at most %d are read, including files of modules. Join some of "+
			"them.", f.Name, len(names), maxFiles)
		return nil, false
	}
	return names, whole
}

// read reads a regular file of text. It never reads more than limit bytes.
func (f Folder) read(name string, limit int, ds *diag.List) ([]byte, bool) {
	src, err := readRegular(f.FS, name, limit)
	switch {
	case errors.Is(err, ErrTooLarge):
		TooLarge.Errorf(ds, Start(name), "%q is larger than %s. Split it into several files.", name, Size(limit))
		return nil, false
	case err != nil:
		Unreadable.Errorf(ds, Start(name), "%q cannot be read: %s. Fix its permissions, or delete the file.", name, Reason(err))
		return nil, false
	}
	return src, true
}

// The reasons why a file is not read.
var (
	ErrTooLarge = errors.New("too large")
	ErrHidden   = errors.New("is hidden: its name, or the name of a folder around it, begins with a dot; a fabric reads no such files")
	ErrLink     = errors.New("is a link, or is in a folder that is a link, and links are not " +
		"followed") // the text follows the name of the file in a message
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

// hidden reports whether a name begins with a dot. It skips characters before the dot that a file system may ignore.
func hidden(name string) bool {
	return strings.HasPrefix(strings.TrimLeftFunc(name, func(r rune) bool { return unicode.Is(unicode.Cf, r) }), ".")
}

// ReadBelow reads a regular file below the folder. It does not follow symbolic links, which may lead out of the folder. It refuses
// hidden files and files in hidden folders: .git/config, .env and .ssh contain secrets, and a message shows lines of a file.
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
		case !info.IsDir() && !info.Mode().IsRegular(): // opening a pipe would wait for a writer
			return nil, errNotRegular
		}
	}
	return readRegular(f.FS, at, limit)
}

// Named reads a file that a fabric names at a place, below its folder, and stores it so that messages can show its lines. The advice is
// for a file that is larger than limit.
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

// Reason returns the text of an error without the path, which the message has already.
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
