// Package start makes the files of a new fabric: a small one that works, or a draft from the cabling file a person has.
package start

import (
	"embed"
	"path"
	"strings"
)

// small holds the files of a new fabric as they are written.
//
//go:embed small
var small embed.FS

// File is a file of a new fabric. Its name uses slashes and is relative to the fabric's folder.
type File struct {
	Name string
	Data []byte
}

// Small returns the files of the small fabric; those in instead take the place of the ones with the same name.
func Small(instead map[string][]byte) []File {
	files := []File{
		{Name: "fabric.hcl"},
		{Name: "devices.hcl"},
		{Name: "cabling.hcl"},
		{Name: ".gitignore"},
		{Name: ".github/workflows/rocec.yml"},
	}
	for i, f := range files {
		data, ok := instead[f.Name]
		if !ok {
			var err error
			if data, err = small.ReadFile("small/" + strings.TrimPrefix(path.Base(f.Name), ".")); err != nil {
				panic(err)
			}
		}
		files[i].Data = data
	}
	return files
}
