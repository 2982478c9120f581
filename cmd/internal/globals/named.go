package globals

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rocec/rocec/targets/deploy/safefile"
)

// A person may name a file in a checkout from a stranger, such as a file for --var-file. If the file is a symbolic link, the stranger has
// chosen its target: messages about it show places, but no text.

// OpenNamed opens a file that the person named on the command line. out reports that the last element of its name is a symbolic link out
// of its folder. Links of the system, such as /dev/stdin, are trusted.
func OpenNamed(name string) (f *os.File, out bool, err error) {
	if f, err = os.Open(name); err != nil {
		return nil, false, err
	}
	return f, !safefile.OfSystem(name) && !inItsFolder(f, name), nil
}

// inItsFolder reports whether a name leads to an open file without leaving the folder of the name.
func inItsFolder(f *os.File, name string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	dir, err := realPath(filepath.Dir(name))
	if err != nil {
		return false
	}
	real, err := realPath(name)
	if err != nil {
		return false
	}
	_, below := within(dir, real)
	info, err := os.Lstat(real)
	return below && err == nil && os.SameFile(info, opened)
}

// ReadBounded reads at most 1 MiB of a file that the person named on the command line.
func ReadBounded(name string) ([]byte, error) {
	data, _, err := ReadNamed(name)
	return data, err
}

// ReadNamed reads a file as [ReadBounded] does, and reports whether messages hide its text, as [OpenNamed] does.
func ReadNamed(name string) (data []byte, out bool, err error) {
	f, out, err := OpenNamed(name)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	const most = 1 << 20
	data, err = io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, false, err
	}
	if len(data) > most {
		return nil, false, fmt.Errorf("%s is larger than 1 MiB", name)
	}
	return data, out, nil
}
