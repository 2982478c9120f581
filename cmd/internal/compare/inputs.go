package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rocec/rocec/examples"
	"github.com/rocec/rocec/lang/langtest"
)

// input is a fabric, or files of devices, on which both binaries run.
type input struct {
	name   string   // as it is shown
	dir    string   // the folder of the fabric, or with device a file or folder of device files
	args   []string // further arguments
	env    []string // further environment
	device bool     // for validate --device-config
}

// argsFile is the file in a fabric's folder that contains further arguments of rocec.
const argsFile = "rocec.args"

// collect returns every input of the command line. It unpacks inputs that are not folders into folders below kept.
func collect(o *options, kept string) ([]input, error) {
	var out []input
	if o.repository != "" {
		all, err := exampleInputs(o.repository)
		if err != nil {
			return nil, err
		}
		out = append(out, all...)
		for _, c := range corpora {
			all, err := c.inputs(o.repository, kept)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.pattern, err)
			}
			if len(all) == 0 {
				return nil, fmt.Errorf("%s holds no fabric", filepath.Join(o.repository, c.pattern))
			}
			out = append(out, all...)
		}
	}
	for _, folder := range o.folders {
		all, err := fabricsBelow(folder, folder)
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("%s holds no folder with an .hcl file", folder)
		}
		out = append(out, all...)
	}
	for i := range o.random {
		name := fmt.Sprintf("random/%d/%06d", o.seed, i)
		dir := filepath.Join(kept, filepath.FromSlash(name))
		if err := write(dir, map[string]string{"fabric.hcl": randomFabric(o.seed, uint64(i))}); err != nil {
			return nil, err
		}
		out = append(out, input{name: name, dir: dir})
	}
	return out, nil
}

// exampleInputs returns every example, and the variants of golden/.
func exampleInputs(repository string) ([]input, error) {
	out, err := fabricsBelow(filepath.Join(repository, "examples"), "examples")
	if err != nil {
		return nil, err
	}
	for _, v := range examples.Variants {
		out = append(out, input{
			name: path.Join("examples", v.Name), dir: filepath.Join(repository, "examples", v.Example), args: v.Args,
		})
	}
	return out, nil
}

// fabricsBelow returns dir and the folders below it that have an .hcl file. name is the shown name of dir.
func fabricsBelow(dir, name string) ([]input, error) {
	var out []input
	seen := map[string]bool{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		folder := filepath.Dir(file)
		if err != nil || d.IsDir() || filepath.Ext(file) != ".hcl" || seen[folder] {
			return err
		}
		seen[folder] = true
		rel, err := filepath.Rel(dir, folder)
		if err != nil {
			return err
		}
		in := input{name: path.Join(name, filepath.ToSlash(rel)), dir: folder}
		in.args, err = readArgs(folder)
		out = append(out, in)
		return err
	})
	return out, err
}

// readArgs reads the further arguments of a fabric, if there are any.
func readArgs(dir string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, argsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		out = append(out, strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "$DIR", dir))
	}
	return out, err
}

// corpus is a set of test data, and the function that makes inputs from its files.
type corpus struct {
	pattern string                                  // of files, from the root of the repository
	unpack  func(file, dir string) ([]input, error) // dir is a new folder to unpack into
}

// corpora lists the test data with fabrics or files of devices.
var corpora = []corpus{
	{"lang/testdata/bad/*.hcl", oneFile},
	{"lang/testdata/bad/*.txtar", archive},
	{"compiler/testdata/bad/*.hcl", oneFile},
	{"validate/testdata/*/*.hcl", excerpt},
	{"lang/langtest/backgrounds/*", folder},
	{"cmd/internal/transcripts/testdata/script/*.txtar", transcript},
	{"targets/cumulus/conflint/testdata/*/*", deviceFiles},
}

// inputs unpacks every file of a corpus into its own folder.
func (c corpus) inputs(repository, kept string) ([]input, error) {
	files, err := filepath.Glob(filepath.Join(repository, filepath.FromSlash(c.pattern)))
	if err != nil {
		return nil, err
	}
	var out []input
	for _, file := range files {
		rel, err := filepath.Rel(repository, file)
		if err != nil {
			return nil, err
		}
		all, err := c.unpack(file, filepath.Join(kept, rel))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, in := range all {
			in.name = path.Join(filepath.ToSlash(rel), in.name)
			out = append(out, in)
		}
	}
	return out, nil
}

// oneFile makes an input from a fabric of one file.
func oneFile(file, dir string) ([]input, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return []input{{dir: dir}}, write(dir, map[string]string{"fabric.hcl": string(data)})
}

// excerpt makes an input from an excerpt of a fabric, completed by a background of package langtest.
func excerpt(file, dir string) ([]input, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	w, err := langtest.Complete(string(data))
	if err != nil {
		return nil, err
	}
	return []input{{dir: dir}}, write(dir, map[string]string{langtest.FabricFile: w.String()})
}

// folder makes an input from the folder of a fabric, unchanged.
func folder(file, _ string) ([]input, error) { return []input{{dir: file}}, nil }

// archive makes an input from a fabric of several files. Lines before the first file may set arguments of rocec: var, env, max and
// varfile with a value. Other lines are only for the test.
func archive(file, dir string) ([]input, error) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		return nil, err
	}
	in := input{dir: filepath.Join(dir, "f")}
	for line := range strings.Lines(string(ar.Comment)) {
		word, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "var":
			in.args = append(in.args, "--var", value)
		case "max":
			in.args = append(in.args, "--max-objects", value)
		case "varfile":
			in.args = append(in.args, "--var-file", filepath.Join(in.dir, value))
		case "env":
			in.env = append(in.env, value)
		}
	}
	return []input{in}, writeArchive(dir, "f", ar)
}

// transcript makes inputs from a script with its files: every folder with an .hcl file is a fabric.
func transcript(file, dir string) ([]input, error) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		return nil, err
	}
	if err := writeArchive(dir, ".", ar); err != nil {
		return nil, err
	}
	return fabricsBelow(dir, "")
}

// deviceFiles makes an input from a file of a device, or a folder of such files, unchanged. It skips inputs of fuzzing.
func deviceFiles(file, _ string) ([]input, error) {
	if filepath.Base(filepath.Dir(file)) == "fuzz" {
		return nil, nil
	}
	return []input{{dir: file, device: true}}, nil
}

// writeArchive writes the files of an archive below sub to dir.
func writeArchive(dir, sub string, ar *txtar.Archive) error {
	files := map[string]string{}
	for _, f := range ar.Files {
		files[path.Join(sub, f.Name)] = string(f.Data)
	}
	return write(dir, files)
}

// write writes files below dir, which need not exist.
func write(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, text := range files {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("%s leads out of the folder", name)
		}
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
