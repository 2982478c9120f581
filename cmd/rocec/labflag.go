package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/safefile"
	"github.com/rocec/rocec/targets/target"
)

// The words of --lab that are not folders; a folder of such a name is written ./auto.
const (
	labKept  = "auto" // the one of this fabric, below the user's cache
	labFresh = "new"  // one that is gone with the command
)

// labFlag is --lab[=FOLDER]: which lab stands for the devices; empty: they are real.
type labFlag string

// String implements pflag.Value.
func (f *labFlag) String() string { return string(*f) }

// Set implements pflag.Value.
func (f *labFlag) Set(s string) error {
	if s == "" {
		return errors.New("it is empty; --lab alone is the lab of this fabric")
	}
	*f = labFlag(s)
	return nil
}

// Type implements pflag.Value.
func (f *labFlag) Type() string { return "folder" }

// labFlags adds --lab to a verb.
func labFlags(cmd *cobra.Command, to *labFlag) {
	f := cmd.Flags().VarPF(to, "lab", "", "use a lab: every device simulated inside the process, kept in a folder for the "+
		"next command (auto: below your cache, one a fabric; new: not kept)")
	f.NoOptDefVal = labKept
}

// freshLab refuses --lab new, which is --lab and a folder or device of that name, unless there is one.
func freshLab(cmd *cobra.Command, args []string) error {
	flag := cmd.Flags().Lookup("lab")
	if flag == nil || flag.Value.String() != labKept || !slices.Contains(args, labFresh) {
		return nil
	}
	if _, err := os.Lstat(labFresh); err == nil {
		return nil
	}
	return exit.Fail(exit.Usage, "--lab %[1]s is --lab, and then the name %[1]s. For a lab that is not kept write --lab=%[1]s", labFresh)
}

// folder is where the lab of a fabric is kept; empty: it is not.
func (f labFlag) folder(fabric string) (string, error) {
	switch f {
	case labFresh:
		return "", nil
	case labKept:
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

// labError is what opening a lab failed with, for the person.
func labError(err error) error {
	if inUse, ok := errors.AsType[*lab.InUse](err); ok {
		return exit.Fail(exit.Locked, "%v; wait for it to end", inUse)
	}
	return exit.Fail(exit.Machines, "the lab: %v", err)
}

// checkLabs refuses the folders above the lab of a fabric, below the user's cache, that another user could have written.
func checkLabs(dir string) error {
	cache, err := os.UserCacheDir()
	if labs := filepath.Join(cache, "rocec", "lab"); err == nil && filepath.Dir(dir) == labs {
		f, err := safefile.OpenFolder(labs, 2)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return labError(err)
		}
		return f.Close()
	}
	return nil
}

// startLab opens the lab of a fabric.
func (a *app) startLab(fabric string, tree *target.Tree, which labFlag) (*lab.Lab, error) {
	dir, err := which.folder(fabric)
	if err != nil {
		return nil, err
	}
	if dir == "" {
		l, err := lab.Start(tree)
		if err != nil {
			return nil, labError(err)
		}
		return l, nil
	}
	if err := checkLabs(dir); err != nil {
		return nil, err
	}
	l, err := lab.Open(dir, tree, a.owner())
	if err != nil {
		return nil, labError(err)
	}
	return l, nil
}

// owner says who is changing something, to others who want to.
func (a *app) owner() string {
	host, _ := os.Hostname() // empty where the machine does not know it
	return deploy.Process{User: loginName(a.getenv), Host: host, PID: os.Getpid()}.String()
}
