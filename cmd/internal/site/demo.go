package site

import (
	"embed"
	"io/fs"

	"github.com/rocec/rocec/targets/target/lint"
)

//go:embed demo
var demo embed.FS

// DemoFolder is the folder of [Demo] in places of findings.
const DemoFolder = "demo"

// demoNext is the end of the page of [Demo], which states how to audit another network.
const demoNext = `
This network is built in. For yours:
  rocec collect leaf01 spine1 -o site.tar.gz   # or a folder of files that you have
  rocec audit site.tar.gz
  rocec help audit.md
`

// Demo returns the files of a small network with faults: two spines and three leaves with files, a fourth leaf without a file, and a host
// without PFC.
func Demo() (files []lint.File) {
	err := fs.WalkDir(demo, DemoFolder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := demo.ReadFile(name)
		files = append(files, lint.File{Name: name, Data: data})
		return err
	})
	if err != nil {
		panic(err) // the files are embedded in the program
	}
	return files
}
