package snapshot

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"sort"
	"strings"
	"time"

	"github.com/rocec/rocec/lang/diag"
)

// Bounds of an archive.
const (
	mostArchive = 256 << 20 // bytes of the archive itself
	mostUnpack  = 256 << 20 // bytes of its files
	mostEntries = 200_000
	mostName    = 1 << 10 // bytes of a name
)

// File is a file of an archive.
type File struct {
	Name string // path below the archive, clean and with slashes
	Data []byte
	Why  string // the reason, as a sentence, why it could not be read; empty: it was read
}

// IsArchive reports whether the first bytes of a file are those of an archive that [Unpack] reads: tar, tar by gzip, or zip.
func IsArchive(head []byte) bool {
	return strings.HasPrefix(string(head), gzipMagic) || strings.HasPrefix(string(head), zipMagic) || isTar(head)
}

// HeadSize is the number of bytes of a file that [IsArchive] needs.
const HeadSize = 512

const (
	gzipMagic = "\x1f\x8b\x08"
	zipMagic  = "PK\x03\x04"
)

// isTar looks for the magic of POSIX.1 (ustar) and of GNU tar at its place in a header.
func isTar(head []byte) bool {
	const at = 257
	return len(head) >= at+5 && string(head[at:at+5]) == "ustar"
}

// Unpack returns the regular files of an archive, in the order of names. Links, duplicate names and names that lead out of the archive have
// no data, and Why states the reason. The error is a sentence without a full stop: the archive is cut off, too large, or no archive.
func Unpack(r io.Reader) ([]File, error) {
	u := &unpacking{at: map[string]int{}}
	head := make([]byte, HeadSize)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	head = head[:n]
	r = &limited{r: io.MultiReader(bytes.NewReader(head), r), left: mostArchive}
	switch {
	case strings.HasPrefix(string(head), gzipMagic):
		unzipped, err := gzip.NewReader(r)
		if err != nil {
			return nil, cutOff(err)
		}
		err = u.tar(unzipped)
		if err != nil {
			return nil, cutOff(err)
		}
	case strings.HasPrefix(string(head), zipMagic):
		data, err := io.ReadAll(r)
		if err == nil {
			err = u.zip(data)
		}
		if err != nil {
			return nil, cutOff(err)
		}
	case isTar(head):
		if err := u.tar(r); err != nil {
			return nil, cutOff(err)
		}
	default:
		return nil, errors.New("it is no archive of tar or zip")
	}
	sort.Slice(u.files, func(i, k int) bool { return u.files[i].Name < u.files[k].Name })
	return u.files, nil
}

// errBound is the error for an archive that exceeds the limits.
const errBound = boundError("")

type boundError string

// Error returns the limits.
func (boundError) Error() string {
	return fmt.Sprintf("it is larger than %d MiB, packed or unpacked, or has more than %s entries", mostUnpack>>20, diag.Number(mostEntries))
}

// cutOff words the error of a library.
func cutOff(err error) error {
	if errors.Is(err, errBound) {
		return errBound
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("it is cut off")
	}
	return fmt.Errorf("it is not whole: %w", err)
}

// limited reads up to a number of bytes, and then fails.
type limited struct {
	r    io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		var one [1]byte
		if n, err := l.r.Read(one[:]); n == 0 {
			return 0, err
		}
		return 0, errBound
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// unpacking is the state while an archive is read.
type unpacking struct {
	files   []File
	at      map[string]int // by name: the index of the file
	entries int
	size    int64
}

// tar reads the entries of a tar archive, and all bytes after them, because the checksum of gzip is at the end.
func (u *unpacking) tar(r io.Reader) error {
	all := &limited{r: r, left: mostUnpack + mostEntries*1024}
	in := tar.NewReader(all)
	for {
		h, err := in.Next()
		if err == io.EOF { //nolint:errorlint // the reader returns it as it is
			_, err := io.Copy(io.Discard, all)
			return err
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return err
		}
		switch h.Typeflag {
		case tar.TypeDir, tar.TypeXGlobalHeader:
			if err := u.count(); err != nil {
				return err
			}
		case tar.TypeReg:
			if err := u.take(h.Name, in, ""); err != nil {
				return err
			}
		default:
			if err := u.take(h.Name, nil, "It is not a regular file of the archive."); err != nil {
				return err
			}
		}
	}
}

// zip reads the entries of a zip archive.
func (u *unpacking) zip(data []byte) error {
	in, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	for _, f := range in.File {
		switch mode := f.Mode(); {
		case mode.IsDir():
			err = u.count()
		case !mode.IsRegular():
			err = u.take(f.Name, nil, "It is not a regular file of the archive.")
		case f.Flags&1 != 0:
			err = u.take(f.Name, nil, "It is encrypted.")
		default:
			err = u.entry(f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacking) entry(f *zip.File) error {
	r, err := f.Open()
	if err != nil {
		return u.take(f.Name, nil, "It cannot be unpacked: "+err.Error()+".")
	}
	defer r.Close()
	return u.take(f.Name, r, "")
}

// count counts an entry.
func (u *unpacking) count() error {
	if u.entries++; u.entries > mostEntries {
		return errBound
	}
	return nil
}

// take adds a file.
func (u *unpacking) take(name string, r io.Reader, why string) error {
	if err := u.count(); err != nil {
		return err
	}
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	switch {
	case why != "":
	case len(name) > mostName:
		clean, why = clean[:64], fmt.Sprintf("Its name is longer than %d bytes.", mostName)
	case clean == "." || clean == ".." || strings.HasPrefix(clean, "../") || path.IsAbs(clean) || strings.ContainsRune(clean, 0):
		why = "Its name leads out of the archive."
	}
	var data []byte
	if why == "" {
		var err error
		if data, err = io.ReadAll(&limited{r: r, left: mostUnpack - u.size}); err != nil {
			return err
		}
	}
	u.size += int64(len(data))
	if first, twice := u.at[clean]; twice {
		u.files[first].Data, u.files[first].Why = nil, "The archive has two entries of this name."
		return nil
	}
	u.at[clean] = len(u.files)
	u.files = append(u.files, File{Name: clean, Data: data, Why: why})
	return nil
}

// Pack returns the files as gzipped tar, in their order. Equal files give equal bytes.
func Pack(files []File) ([]byte, error) {
	var out bytes.Buffer
	packed, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	to := tar.NewWriter(packed)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.Name, Size: int64(len(f.Data)), Mode: 0o644, ModTime: time.Unix(0, 0)}
		if err := to.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := to.Write(f.Data); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(to.Close(), packed.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
