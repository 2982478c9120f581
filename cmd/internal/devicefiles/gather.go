package devicefiles

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/snapshot"
	"github.com/rocec/rocec/targets/target/lint"
)

// The bounds of a folder of device files.
const (
	deviceDepth   = 16
	deviceEntries = 200_000
	deviceFiles   = 100_000 // 5,000 devices with 20 answers each
	deviceBytes   = 256 << 20
)

// NoFile is the error for a folder without any file of a device.
type NoFile struct{ error }

// Unwrap returns the error that ends the process.
func (e *NoFile) Unwrap() error { return e.error }

// gathering collects the files of a folder or an archive, found one after the other.
type gathering struct {
	dir       string
	files     []lint.File
	passed    int
	size      int
	sums      map[string]string // by path below dir: the digest of the file
	at        map[string]int    // by path below dir: the index of the file
	manifests map[string][]byte // by folder below dir
}

func newGathering(dir string) *gathering {
	return &gathering{dir: dir, sums: map[string]string{}, at: map[string]int{}, manifests: map[string][]byte{}}
}

// shown returns the name of a file for messages.
func (g *gathering) shown(name string) string {
	return diag.Escape(path.Join(filepath.ToSlash(g.dir), name))
}

func (g *gathering) tooMuch() error {
	return fmt.Errorf("%s contains more than %s files of switches, %s files of any kind, or %d MiB: name a smaller folder",
		g.dir, diag.Number(deviceFiles), diag.Number(deviceEntries), deviceBytes>>20)
}

// wants reports whether a file has a known name. It counts the other files as skipped.
func (g *gathering) wants(name string) bool {
	if path.Base(name) == snapshot.Name || targets.Searched(lint.File{Name: name}, false) {
		return true
	}
	g.passed++
	return false
}

// take reads a file with a known name. why is a sentence that states why the file cannot be read; empty if it can.
func (g *gathering) take(name string, f io.Reader, why string) error {
	file := lint.File{Name: g.shown(name), Why: why}
	sum := ""
	switch {
	case why != "":
	case path.Base(name) == snapshot.Name:
		data, err := io.ReadAll(io.LimitReader(f, snapshot.MaxManifest+1))
		if err == nil {
			g.manifests[path.Dir(name)] = data
			return nil
		}
		file.Why = readWhy(err)
	default:
		file.Data, file.Why, sum = readDeviceFile(name, f)
	}
	if !targets.Searched(file, true) && file.Why == "" {
		g.passed++
		return nil
	}
	if g.size += len(file.Data); len(g.files) >= deviceFiles || g.size > deviceBytes {
		return g.tooMuch()
	}
	g.sums[name], g.at[name] = sum, len(g.files)
	g.files = append(g.files, file)
	return nil
}

// end returns the files, without files that belong to no device, and the manifests among them.
func (g *gathering) end() (files []lint.File, passed int, snapshots []*snapshot.Manifest, err error) {
	for _, dir := range slices.Sorted(maps.Keys(g.manifests)) {
		m, err := snapshot.Read(g.manifests[dir])
		if err != nil {
			g.files = append(g.files, lint.File{Name: g.shown(path.Join(dir, snapshot.Name)), Why: sentence(err)})
			continue
		}
		snapshots = append(snapshots, m)
		g.hold(dir, m)
	}
	files, lone := targets.WithoutLone(targets.ByNode(g.files))
	if names := targets.Linters().Names(); len(files) == 0 && len(snapshots) == 0 {
		return nil, 0, nil, &NoFile{exit.Fail(exit.Usage, "no file below %s has the name of a device's file: %s; for a host %s; "+
			"the same behind a device, as leaf01-%s; or a configuration of NVUE, startup.yaml. rocec collect saves the files of devices", g.dir,
			strings.Join(names, ", "), strings.Join(targets.HostFiles(), ", "), names[0])}
	}
	return files, g.passed + lone, snapshots, nil
}

// hold checks the files below a folder against its manifest.
func (g *gathering) hold(dir string, m *snapshot.Manifest) {
	have := map[string]string{}
	for name, sum := range g.sums {
		if rest, below := strings.CutPrefix(name, dir+"/"); below || dir == "." {
			if dir == "." {
				rest = name
			}
			have[rest] = sum
		}
	}
	wrong := m.Judge(have)
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		full := path.Join(dir, name)
		if i, there := g.at[full]; there {
			if g.sums[full] == "" { // it was not read completely, for its own reason or its size
				continue
			}
			g.files[i].Data, g.files[i].Why = nil, wrong[name]
			continue
		}
		if targets.Searched(lint.File{Name: full}, false) {
			g.files = append(g.files, lint.File{Name: g.shown(full), Why: wrong[name]})
		}
	}
}

// sentence turns an error into a sentence.
func sentence(err error) string {
	text := err.Error()
	return diag.Escape(strings.ToUpper(text[:1]) + text[1:] + ".")
}

// archive reads the files of an archive called name.
func archive(name string, r io.Reader) (files []lint.File, passed int, snapshots []*snapshot.Manifest, err error) {
	all, err := snapshot.Unpack(r)
	if err != nil {
		return nil, 0, nil, exit.Fail(exit.Usage, "%s: %s", diag.Escape(name), diag.Escape(err.Error()))
	}
	g := newGathering(name)
	for _, f := range all {
		if !g.wants(f.Name) {
			continue
		}
		if err := g.take(f.Name, bytes.NewReader(f.Data), f.Why); err != nil {
			return nil, 0, nil, exit.Fail(exit.Usage, "%v", err)
		}
	}
	return g.end()
}

// readDeviceFile reads a file, up to one byte more than the limit of its linter. why is a sentence that states why the file cannot be
// read. sum is the digest of the bytes; it is empty if the file was not read to its end.
func readDeviceFile(name string, f io.Reader) (data []byte, why, sum string) {
	file := lint.File{Name: name}
	linters := targets.Linters()
	bound := func() int { return max(linters.Of(file).Most, targets.MostRouting(name), targets.MostObjects(file)) }
	for most := linters.First(); ; most = bound() { // the beginning shows the kind of file
		rest, err := io.ReadAll(io.LimitReader(f, int64(most+1-len(file.Data))))
		if err != nil {
			return nil, readWhy(err), ""
		}
		file.Data = append(file.Data, rest...)
		if len(file.Data) <= most || most == bound() {
			break
		}
	}
	if len(file.Data) > bound() {
		return linters.Unmarked(file), "", "" // the rest was not read
	}
	return linters.Unmarked(file), "", snapshot.Sum(file.Data)
}

// readWhy returns the cause of a read error as a sentence.
func readWhy(err error) string {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return "It cannot be read: " + err.Error() + "."
}
