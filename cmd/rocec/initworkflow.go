package main

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/start"
	"github.com/rocec/rocec/lang/diag"
)

// GitHub reads workflows in the root of a repository only. The one of a fabric that begins in a folder below is written there, and
// judges that folder.

// workflowFile is the workflow of a fabric as it comes, for a fabric in the root of a repository.
const workflowFile = ".github/workflows/rocec.yml"

// elsewhere is a file of a new fabric that is not written to its folder.
type elsewhere struct {
	root string     // the folder it is written below; empty: there is none
	file start.File // with its name from there
	why  string     // why it is not written there either, and what the person must do; empty: it is
}

// placeWorkflow takes the workflow out of the files of a fabric in dir, where dir lies in a repository and is not its root.
func placeWorkflow(dir string, files []start.File) ([]start.File, elsewhere) {
	i := slices.IndexFunc(files, func(f start.File) bool { return f.Name == workflowFile })
	root, below := repositoryOf(dir)
	if i < 0 || below == "" {
		return files, elsewhere{}
	}
	if !diag.PlainWord(below) {
		return files, elsewhere{why: "GitHub reads workflows in the root of the repository only: move " + path.Join(below, workflowFile) +
			" there, and have its commands name the folder of the fabric"}
	}
	names := []string{workflowFile}
	if base := path.Base(below); start.IsName(base) {
		names = append(names, ".github/workflows/rocec-"+base+".yml")
	}
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name))); err == nil {
			continue
		}
		data, folder := files[i].Data, below
		if strings.HasPrefix(folder, "-") {
			folder = "./" + folder // no flag
		}
		for _, command := range []string{"rocec fmt --check", "rocec validate --format github"} {
			data = bytes.Replace(data, []byte(command+"\n"), []byte(command+" "+folder+"\n"), 1)
		}
		return slices.Delete(slices.Clone(files), i, i+1), elsewhere{root: root, file: start.File{Name: name, Data: data}}
	}
	return slices.Delete(slices.Clone(files), i, i+1), elsewhere{why: "no workflow was written: the repository has " + names[len(names)-1] +
		" already. Add `" +
		diag.Rocec("validate --format github", diag.Path("DIR", below)) + "` to one"}
}

// repositoryOf returns the nearest folder above dir that holds .git, and dir from there with slashes; nothing where there is none,
// or where it is dir.
func repositoryOf(dir string) (root, below string) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", ""
	}
	for up := abs; ; up = filepath.Dir(up) {
		if _, err := os.Lstat(filepath.Join(up, ".git")); err == nil {
			if rel, err := filepath.Rel(up, abs); err == nil && rel != "." {
				return up, filepath.ToSlash(rel)
			}
			return "", ""
		}
		if up == filepath.Dir(up) {
			return "", ""
		}
	}
}

// from is the name of the file for a person who stands in the working directory.
func (e *elsewhere) from() string {
	name := filepath.Join(e.root, filepath.FromSlash(e.file.Name))
	if here, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(here, name); err == nil {
			return rel
		}
	}
	return name
}
