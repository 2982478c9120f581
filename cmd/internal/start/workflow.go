package start

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// workflowFile is the workflow of a new fabric, for a fabric in the root of a repository. GitHub reads workflows only in the root. The
// workflow of a fabric in a subfolder is written to the root, and judges that folder.
const workflowFile = ".github/workflows/rocec.yml"

// Workflow is the workflow of a fabric that is not in the root of its repository.
type Workflow struct {
	File File   // its name is relative to the root of the repository; empty: nothing to write there
	Why  string // why no workflow is written, and what the person must do; empty: it is written
}

// PlaceWorkflow removes the workflow from the files of a fabric whose folder is below the root of a repository. below is the path of the
// folder from the root; empty if the fabric is in the root, or outside of any repository. taken reports whether a file exists in the
// root.
func PlaceWorkflow(files []File, below string, taken func(name string) bool) ([]File, Workflow) {
	i := slices.IndexFunc(files, func(f File) bool { return f.Name == workflowFile })
	if i < 0 || below == "" {
		return files, Workflow{}
	}
	if !diag.PlainWord(below) {
		return files, Workflow{Why: "GitHub reads workflows in the root of the repository only: move " + path.Join(below, workflowFile) +
			" there, and have its commands name the folder of the fabric"}
	}
	names := []string{workflowFile}
	if base := path.Base(below); IsName(base) {
		names = append(names, ".github/workflows/rocec-"+base+".yml")
	}
	rest := slices.Delete(slices.Clone(files), i, i+1)
	for _, name := range names {
		if taken(name) {
			continue
		}
		data, folder := files[i].Data, below
		if strings.HasPrefix(folder, "-") {
			folder = "./" + folder // no flag
		}
		for _, command := range []string{"rocec fmt --check", "rocec validate --format github"} {
			data = bytes.Replace(data, []byte(command+"\n"), []byte(command+" "+folder+"\n"), 1)
		}
		return rest, Workflow{File: File{Name: name, Data: data}}
	}
	return rest, Workflow{Why: "no workflow was written: the repository has " + names[len(names)-1] + " already. Add `" +
		diag.Rocec("validate --format github", diag.Path("DIR", below)) + "` to one"}
}
