// Package safefile reads and writes rocec's own files: journals, kept contents, samples, labs and saved plans. It refuses a file or
// folder that another user could have written ([Refused]), as sshd does with StrictModes.
//
// A file or folder is refused if its owner is neither the user nor root, if its group or others may write it, or if it is a symbolic
// link. The checks read the open file (fstat), so that the path cannot change between the check and the use. If other users may only read
// a file of the user, the package removes their right. That protects the content and does not affect trust.
//
// New folders have mode 0700, and new files 0600. Where files have no owners (Windows, a browser), only links are refused.
package safefile

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// Modes of rocec's own files and folders.
const (
	fileMode   fs.FileMode = 0o600
	folderMode fs.FileMode = 0o700
)

// ErrNotFile is the error for a folder, a pipe or a device in the place of a file. ErrTooLarge is the error for a file above the size
// limit of its kind.
var (
	ErrNotFile  = errors.New("is not a file")
	ErrTooLarge = errors.New("is larger")
)

// Refused is the error for a file or folder that rocec does not use.
type Refused struct {
	Path string
	Why  string // the wrong owner or mode
	Do   string // commands that correct it
}

// Error returns the path, the reason and the commands.
func (r *Refused) Error() string {
	return fmt.Sprintf("%s is not used: %s. %s", diag.Escape(r.Path), r.Why, r.Do)
}

// Open opens a file that the person names, for reading. It refuses the file by the rules of the package. It keeps the mode, because other
// users may read such a file.
func Open(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		if info, lerr := os.Lstat(name); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, linked(name)
		}
		return nil, err
	}
	if err := checkOpen(f, name, os.Lstat, name); err != nil {
		return nil, closing(f, err)
	}
	return f, nil
}

// Replace writes a file of the user with mode 0600. It renames a new file over the old one. So it replaces a link, and does not write to
// a file that another user has prepared.
func Replace(name string, data []byte) error {
	dir, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	return replace(dir, filepath.Base(name), data)
}

// replace writes a new file and renames it over name.
func replace(dir *os.Root, name string, data []byte) error {
	unique := make([]byte, 8)
	rand.Read(unique) //nolint:errcheck // it never fails
	tmp := Temporary + hex.EncodeToString(unique)
	file, err := dir.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = cmp.Or(err, file.Close()); err == nil {
		err = dir.Rename(tmp, name)
	}
	if err != nil {
		dir.Remove(tmp) //nolint:errcheck // the first error is the one to report
	}
	return err
}

// Temporary is the name prefix of incomplete files. A process that dies may leave such a file.
const Temporary = ".new-"

// checkOpen checks an open file, and uses lstat of the name to detect a link.
func checkOpen(f *os.File, path string, lstat func(string) (fs.FileInfo, error), name string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := sameName(info, path, lstat, name); err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s %w", diag.Escape(path), ErrNotFile)
	}
	return check(path, info)
}

// sameName refuses the target of a link, because the name itself must be the open file.
func sameName(opened fs.FileInfo, path string, lstat func(string) (fs.FileInfo, error), name string) error {
	info, err := lstat(name)
	if err != nil {
		return err
	}
	if !os.SameFile(info, opened) {
		return linked(path)
	}
	return nil
}

func linked(path string) error {
	do := "Put the file or folder itself there, or remove the link: " + diag.Command("rm", diag.Path("FILE", path))
	if OfSystem(path) { // such as /dev/stdin and /dev/fd/63: the person cannot remove this link
		do = "Save the content as a file, and name that"
	}
	return &Refused{path, "it is a symbolic link, and its target may belong to another user", do}
}

// OfSystem reports whether a path belongs to the kernel or to the devices of the machine. Memory file systems of programs do not count,
// because every user may write there.
func OfSystem(path string) bool {
	abs, err := filepath.Abs(path)
	below := func(dir string) bool { return strings.HasPrefix(abs, dir) }
	return err == nil && (below("/proc/") || below("/dev/") && !below("/dev/shm/") && !below("/dev/mqueue/"))
}

// OfOthers returns why a shared file or folder is not under the user's control: its owner is neither the user nor root, or every user may
// write it. Unlike rocec's own files, its group may write it. OfOthers returns "" for a file under the user's control.
func OfOthers(info fs.FileInfo) string {
	uid, owned := owner(info)
	switch {
	case !owned:
		return ""
	case uid != 0 && uid != os.Geteuid():
		return fmt.Sprintf("the user %d owns it, who is neither you (%d) nor root", uid, os.Geteuid())
	case info.Mode().Perm()&0o002 != 0:
		return fmt.Sprintf("its mode %04o lets every user write it", info.Mode().Perm())
	}
	return ""
}

// check checks owner and mode.
func check(path string, info fs.FileInfo) error {
	uid, owned := owner(info)
	if !owned {
		return nil
	}
	mode := info.Mode().Perm()
	var why, do []string
	if me := os.Geteuid(); uid != 0 && uid != me {
		why = append(why, fmt.Sprintf("the user %d owns it, who is neither you (%d) nor root", uid, me))
		chown := "chown"
		if me != 0 {
			chown = "sudo chown"
		}
		do = append(do, diag.Command(chown, diag.Arg("USER", strconv.Itoa(me)), diag.Path("FILE", path)))
	}
	if mode&0o022 != 0 {
		why = append(why, fmt.Sprintf("its mode %04o lets %s write it", mode, writers(mode)))
		do = append(do, diag.Command("chmod go-w", diag.Path("FILE", path)))
	}
	if len(why) == 0 {
		return nil
	}
	r := &Refused{path, strings.Join(why, ", and "), "Another user may have changed it. "}
	switch {
	case info.Mode()&fs.ModeSticky != 0: // such as /tmp
		r.Do = "Use a folder of your own"
	case info.IsDir():
		r.Do += "Use another folder, or if you trust all that is in it: " + strings.Join(do, " && ")
	default:
		r.Do += "Remove it, or if you trust its content: " + strings.Join(do, " && ")
	}
	return r
}

func writers(mode fs.FileMode) string {
	switch mode & 0o022 {
	case 0o020:
		return "its group"
	case 0o002:
		return "every user"
	}
	return "its group and every user"
}

// restricted returns the mode without the read rights of other users. change is false if they have none, or if the user does not own the
// file.
func restricted(info fs.FileInfo) (mode fs.FileMode, change bool) {
	uid, owned := owner(info)
	mode = info.Mode().Perm()
	return mode &^ 0o077, owned && uid == os.Geteuid() && mode&0o077 != 0
}

func closing(f io.Closer, err error) error {
	f.Close() //nolint:errcheck // the first error is the one to report
	return err
}
