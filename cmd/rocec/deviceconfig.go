package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/conflint"
	"github.com/rocec/rocec/targets/judge"
	nvuelint "github.com/rocec/rocec/targets/nvue/lint"
	"github.com/rocec/rocec/targets/sonic/grammar"
	soniclint "github.com/rocec/rocec/targets/sonic/lint"
)

// The bounds of a folder of device files.
const (
	deviceDepth   = 16
	deviceEntries = 200_000
	deviceFiles   = 10_000
	deviceBytes   = 256 << 20
)

// deviceJudge is who judges files of one kind.
type deviceJudge struct {
	known func(name string) bool     // such a name, in a folder, is that of a file to judge
	takes func(f conflint.File) bool // the file is of the kind, by its name or by its beginning
	most  int                        // bytes of a file that are looked at
	check func([]conflint.File) conflint.Lint
	rules []diag.Topic // the codes of the rules that judge them
}

// deviceJudges are asked in this order; the last takes what no other does. NVUE's JSON is an object, too, so it goes before SONiC's.
var deviceJudges = []deviceJudge{
	{conflint.Known, conflint.IsNVUE, conflint.MaxNVUE, conflint.Check, nvuelint.Topics},
	{namedSONiC, isSONiC, grammar.MaxSize, checkSONiC, soniclint.Topics},
	{conflint.Known, func(conflint.File) bool { return true }, conflint.MaxFile, conflint.Check, conflint.Rules},
}

// judgeOf is the judge of a file, by its place in [deviceJudges].
func judgeOf(f conflint.File) int {
	return slices.IndexFunc(deviceJudges, func(j deviceJudge) bool { return j.takes(f) })
}

// checkDeviceFiles has every file judged by whose it is.
func checkDeviceFiles(files []conflint.File) conflint.Lint {
	r := conflint.Lint{Files: make([]conflint.Taken, len(files))}
	of := make([][]conflint.File, len(deviceJudges))
	at := make([][]int, len(deviceJudges))
	for i, f := range files {
		n := judgeOf(f)
		of[n], at[n] = append(of[n], f), append(at[n], i)
	}
	for n, j := range deviceJudges {
		one := j.check(of[n])
		for k, i := range at[n] {
			r.Files[i] = one.Files[k]
		}
		r.Diagnostics = append(r.Diagnostics, one.Diagnostics...)
	}
	r.Diagnostics.Sort()
	return r
}

// loadDeviceFiles judges files of devices instead of a fabric: one file, or every known one below a folder.
func (a *app) loadDeviceFiles(name string) (*report.Report, error) {
	if name == "" {
		return nil, exit.Fail(exit.Usage, "--device-config: name a file or a folder")
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, exit.Fail(exit.Usage, "--device-config: %v", err)
	}
	var files []conflint.File
	passed, hidden := 0, map[string][]byte{}
	switch {
	case info.IsDir():
		if files, passed, err = deviceFolder(name); err != nil {
			return nil, err
		}
	case !info.Mode().IsRegular():
		return nil, exit.Fail(exit.Usage, "--device-config: %s is neither a file nor a folder", name)
	default:
		out := false
		data, why := readDeviceFile(name, func() (f fs.File, err error) {
			f, out, err = openNamed(name)
			return f, err
		})
		files = []conflint.File{{Name: diag.Escape(path.Clean(filepath.ToSlash(name))), Data: data, Why: why}}
		if out {
			hidden[files[0].Name] = data
		}
	}
	r := checkDeviceFiles(files)
	hide(r.Diagnostics, hidden)
	found := &judge.Judged{Source: &lang.Source{Files: map[string][]byte{}}, Diags: r.Diagnostics}
	f := &report.Report{Judged: found, Dir: name, Hidden: hidden}
	if !info.IsDir() {
		f.Dir = filepath.Dir(name)
	}
	f.PassedOver = passed
	for i, file := range files {
		if _, is := hidden[file.Name]; !is {
			f.Source.Files[file.Name] = file.Data
		}
		f.Files = append(f.Files, report.DeviceFile{Name: file.Name, Taken: r.Files[i], Rules: deviceJudges[judgeOf(file)].rules})
	}
	return f, nil
}

// deviceFolder reads every file below a folder that has a name a judge knows, in the order of names, and counts the others. Links are
// followed inside the folder only, and never into folders.
func deviceFolder(dir string) (files []conflint.File, passed int, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, 0, exit.Fail(exit.Usage, "--device-config: %v", err)
	}
	defer root.Close()
	return findDeviceFiles(root.FS(), dir)
}

// findDeviceFiles reads the files of a folder called dir.
func findDeviceFiles(fsys fs.FS, dir string) (files []conflint.File, passed int, err error) {
	entries, size := 0, 0
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if entries++; entries > deviceEntries || len(files) > deviceFiles || size > deviceBytes {
			return fmt.Errorf("%s holds more than %s files of switches, %s files of any kind, or %d MiB: name a folder with less in it",
				dir, diag.Number(deviceFiles), diag.Number(deviceEntries), deviceBytes>>20)
		}
		switch {
		case err != nil && d == nil:
			return err
		case d.IsDir():
			if err != nil && name == "." {
				return err
			}
			if err != nil { // what can be read is judged all the same
				files = append(files, conflint.File{
					Name: diag.Escape(path.Join(filepath.ToSlash(dir), name)),
					Why:  readWhy(err) + " It is a folder, and what lies in it was not judged.",
				})
				return fs.SkipDir
			}
			if strings.Count(name, "/") >= deviceDepth {
				return fmt.Errorf("%s is deeper than %d folders", path.Join(dir, name), deviceDepth)
			}
			return nil
		case !slices.ContainsFunc(deviceJudges, func(j deviceJudge) bool { return j.known(name) }):
			passed++
			return nil
		}
		file := conflint.File{Name: diag.Escape(path.Join(filepath.ToSlash(dir), name))}
		info, err := fs.Stat(fsys, name)
		switch {
		case err != nil && d.Type()&fs.ModeSymlink != 0:
			file.Why = "It is a link that leads out of the folder, or nowhere."
		case err != nil:
			file.Why = readWhy(err)
		case info.IsDir(): // by a link
			passed++
			return nil
		case !info.Mode().IsRegular():
			file.Why = "It is not a regular file."
		default:
			file.Data, file.Why = readDeviceFile(name, func() (fs.File, error) { return fsys.Open(name) })
		}
		size += len(file.Data)
		files = append(files, file)
		return nil
	})
	if err != nil {
		return nil, 0, exit.Fail(exit.Usage, "--device-config: %v", err)
	}
	if len(files) == 0 {
		return nil, 0, exit.Fail(exit.Usage, "--device-config: no file below %s is called %s, %s, or leaf01-%s and the like", dir,
			strings.Join(conflint.Names, ", "), sonicFile, conflint.Names[0])
	}
	return files, passed, nil
}

// readDeviceFile reads a file, at most as much of it as tells that it is too large for its judge, or says why not.
func readDeviceFile(name string, open func() (fs.File, error)) (data []byte, why string) {
	f, err := open()
	if err != nil {
		return nil, readWhy(err)
	}
	defer f.Close()
	file := conflint.File{Name: name}
	for most := conflint.MaxFile; ; most = deviceJudges[judgeOf(file)].most { // whose file it is shows at its beginning
		rest, err := io.ReadAll(io.LimitReader(f, int64(most+1-len(file.Data))))
		if err != nil {
			return nil, readWhy(err)
		}
		file.Data = append(file.Data, rest...)
		if len(file.Data) <= most || most == deviceJudges[judgeOf(file)].most {
			break
		}
	}
	if isSONiC(file) { // whose judge counts bytes from behind the mark of UTF-8
		file.Data = bytes.TrimPrefix(file.Data, []byte(byteOrderMark))
	}
	return file.Data, ""
}

// readWhy is the cause of a failure to read, as a sentence.
func readWhy(err error) string {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return "It cannot be read: " + err.Error() + "."
}
