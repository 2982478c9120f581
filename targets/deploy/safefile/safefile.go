// Package safefile reads and writes the files of rocec's own: journals, kept contents, samples, labs and saved plans. It refuses
// a file or folder that another user could have written ([Refused]), as sshd does with StrictModes.
//
// A file or folder is refused if its owner is neither the user nor root, if its group or others may write it, or if it is a
// symbolic link. The checks read the file that is open (fstat), so that the path cannot change between the check and the use.
// If others may only read a file of the user, their right is removed: that protects its content, and does not affect trust.
//
// New folders have mode 0700, and new files 0600. Where files have no owners (Windows, a browser), links alone are refused.
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

// ErrNotFile is a folder, a pipe or a device in the place of a file, and ErrTooLarge a file over the bound of its kind.
var (
	ErrNotFile  = errors.New("is not a file")
	ErrTooLarge = errors.New("is larger")
)

// Refused is a file or folder that is not used.
type Refused struct {
	Path string
	Why  string // the owner or the mode that is wrong
	Do   string // commands that put it right
}

// Error returns the path, the reason and the commands.
func (r *Refused) Error() string {
	return fmt.Sprintf("%s is not used: %s. %s", diag.Escape(r.Path), r.Why, r.Do)
}

// Open opens a file that the person names, to read it. It refuses the file as the package says, and leaves its mode as it is: a
// file that others may read is good.
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

// Replace writes a file of the user's own, with mode 0600. It renames a new file over the old one, so that a link there is replaced, and
// no file that another user has prepared is written.
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

// Temporary begins the names of files that are being written. A process that dies leaves one.
const Temporary = ".new-"

// checkOpen judges a file that is open: by itself, and by lstat of the name, which shows a link.
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

// sameName refuses the target of a link: the name itself must be the open file.
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
	if OfSystem(path) { // as /dev/stdin and /dev/fd/63: no link of the person's to remove
		do = "Save the content as a file, and name that"
	}
	return &Refused{path, "it is a symbolic link, and what it leads to may be of another user", do}
}

// OfSystem reports whether a path is of the kernel or of the devices of the machine. What programs keep in memory is not: every user may
// write there.
func OfSystem(path string) bool {
	abs, err := filepath.Abs(path)
	below := func(dir string) bool { return strings.HasPrefix(abs, dir) }
	return err == nil && (below("/proc/") || below("/dev/") && !below("/dev/shm/") && !below("/dev/mqueue/"))
}

// OfOthers returns why a file or folder that others may share is not the user's. Its owner is neither the user nor root, or every user
// may write it. Unlike for the files of rocec's own, its group may write it. It returns "" for a file of the user.
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

// check judges owner and mode.
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
	case info.Mode()&fs.ModeSticky != 0: // as /tmp is meant to be
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

// restricted returns the mode with which others may not read the file; change is false if they may not now, or the user does
// not own it.
func restricted(info fs.FileInfo) (mode fs.FileMode, change bool) {
	uid, owned := owner(info)
	mode = info.Mode().Perm()
	return mode &^ 0o077, owned && uid == os.Geteuid() && mode&0o077 != 0
}

func closing(f io.Closer, err error) error {
	f.Close() //nolint:errcheck // the first error is the one to report
	return err
}
