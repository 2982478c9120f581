package session

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/safefile"
	"github.com/rocec/rocec/targets/target"
)

// The values of --lab that are not folders. A folder with such a name is written ./auto.
const (
	LabKept  = "auto" // the lab of this fabric, below the user's cache
	LabFresh = "new"  // a lab that ends with the command
)

// LabFlag is the value of --lab[=FOLDER]; empty: the devices are real.
type LabFlag string

// String implements pflag.Value.
func (f *LabFlag) String() string { return string(*f) }

// Set implements pflag.Value.
func (f *LabFlag) Set(s string) error {
	if s == "" {
		return errors.New("it is empty; --lab without a value is the lab of this fabric")
	}
	*f = LabFlag(s)
	return nil
}

// Type implements pflag.Value.
func (f *LabFlag) Type() string { return "folder" }

// Folder returns the folder of the lab of a fabric; empty: the lab is not kept.
func (f LabFlag) Folder(fabric string) (string, error) {
	switch f {
	case LabFresh:
		return "", nil
	case LabKept:
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", exit.Fail(exit.Usage, "there is no folder to keep the lab in: %v; name one with --lab=FOLDER, or --lab=new keeps nothing",
				err)
		}
		abs, err := filepath.Abs(fabric)
		if err != nil {
			return "", exit.Fail(exit.Usage, "%v", err)
		}
		sum := sha256.Sum256([]byte(abs))
		return filepath.Join(cache, "rocec", "lab", hex.EncodeToString(sum[:8])), nil
	}
	return filepath.Abs(string(f))
}

// LabError returns the message for an error of opening a lab.
func LabError(err error) error {
	if inUse, ok := errors.AsType[*lab.InUse](err); ok {
		return exit.Fail(exit.Locked, "%v; wait for it to end", inUse)
	}
	return exit.Fail(exit.Machines, "the lab: %v", err)
}

// CheckLabs checks the folders between the user's cache and the lab of a fabric. It refuses folders that another user could have written.
func CheckLabs(dir string) error {
	cache, err := os.UserCacheDir()
	if labs := filepath.Join(cache, "rocec", "lab"); err == nil && filepath.Dir(dir) == labs {
		f, err := safefile.OpenFolder(labs, 2)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return LabError(err)
		}
		return f.Close()
	}
	return nil
}

// StartLab opens the lab of a fabric.
func (s *Session) StartLab(fabric string, tree *target.Tree, which LabFlag) (*lab.Lab, error) {
	dir, err := which.Folder(fabric)
	if err != nil {
		return nil, err
	}
	defer s.Progress("Starting "+diag.Count(len(tree.Devices), "simulated device"), false).Watch(func() string { return "" })()
	if dir == "" {
		l, err := lab.Start(tree)
		if err != nil {
			return nil, LabError(err)
		}
		return l, nil
	}
	if err := CheckLabs(dir); err != nil {
		return nil, err
	}
	l, err := lab.Open(dir, tree, s.Owner())
	if err != nil {
		return nil, LabError(err)
	}
	return l, nil
}
