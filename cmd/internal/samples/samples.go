// Package samples keeps the measurements of `rocec verify` until the next verify: one [File] for a fabric, in a folder of the user.
//
// A file is JSON: the version of its form, the folder of the fabric, and an entry for every device. The entry has the time, the boot id,
// the samples by name and port, and the facts that the device reported. A device that was not read keeps its entry. Files are replaced by
// rename, so after two verifications at the same time the file has the samples of one of them.
package samples

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/safefile"
	"github.com/rocec/rocec/targets/target"
)

// Bounds.
const (
	version = 1
	most    = 512 << 20 // bytes of a file: 10,000 hosts with 8 NICs each need 100 MiB
	fabrics = 64        // fabrics whose samples are kept: those verified last
)

// ownFolders is the number of last elements in the folder's path that rocec creates: the state folder, and the folder of samples.
const ownFolders = 2

// File is the file with the samples of one fabric.
type File struct {
	dir    string
	fabric string
	path   string
}

// Open returns the file of a fabric in dir, without reading it. fabric is the absolute path of the fabric's folder, or another unique
// name.
func Open(dir, fabric string) *File {
	sum := sha256.Sum256([]byte(fabric))
	return &File{dir: dir, fabric: fabric, path: filepath.Join(dir, hex.EncodeToString(sum[:16])+".json")}
}

// document is the content of a file.
type document struct {
	Version int               `json:"version"`
	Fabric  string            `json:"fabric"`
	Devices map[string]device `json:"devices"`
}

type device struct {
	At      time.Time                    `json:"at"`
	Boot    string                       `json:"boot,omitempty"`
	Samples map[string]map[string]uint64 `json:"samples"` // name, port
	Facts   []fact                       `json:"facts,omitempty"`
}

// fact is a value that the device reported about itself.
type fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Load returns the samples by device; none if the file does not exist. It fails if the file is damaged, or not from rocec.
func (f *File) Load() (map[string]*deploy.Kept, error) {
	folder, err := safefile.OpenFolder(f.dir, ownFolders)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	text, err := folder.ReadFile(filepath.Base(f.path), most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", f.path, err)
	}
	if doc.Version != version {
		return nil, fmt.Errorf("%s has format %d; this rocec reads format %d", f.path, doc.Version, version)
	}
	if doc.Fabric != f.fabric {
		return nil, fmt.Errorf("%s belongs to another fabric, %s", f.path, doc.Fabric)
	}
	kept := make(map[string]*deploy.Kept, len(doc.Devices))
	for name, d := range doc.Devices {
		k := &deploy.Kept{At: d.At, Boot: d.Boot}
		for _, f := range d.Facts {
			k.Facts = append(k.Facts, target.Fact(f))
		}
		for sample, values := range d.Samples {
			for on, v := range values {
				k.Samples = append(k.Samples, target.Sample{Name: sample, On: on, Value: v})
			}
		}
		kept[name] = k
	}
	return kept, nil
}

// Save replaces the samples in the file, and deletes files of fabrics that were not verified for long.
func (f *File) Save(kept map[string]*deploy.Kept) error {
	doc := document{Version: version, Fabric: f.fabric, Devices: make(map[string]device, len(kept))}
	for name, k := range kept {
		d := device{At: k.At.UTC(), Boot: k.Boot, Samples: map[string]map[string]uint64{}}
		for _, f := range k.Facts {
			d.Facts = append(d.Facts, fact(f))
		}
		for _, s := range k.Samples {
			if s.Unit == target.UnitFact {
				continue
			}
			if d.Samples[s.Name] == nil {
				d.Samples[s.Name] = map[string]uint64{}
			}
			d.Samples[s.Name][s.On] = s.Value
		}
		doc.Devices[name] = d
	}
	text, err := json.Marshal(doc)
	if err != nil {
		panic("samples: " + err.Error()) // strings, numbers and times
	}
	if len(text) > most {
		return fmt.Errorf("they need more than %d MiB", most>>20)
	}
	folder, err := safefile.MakeFolder(f.dir, ownFolders)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.WriteFile(filepath.Base(f.path), text); err != nil {
		return err
	}
	return prune(folder)
}

// prune deletes the samples of all but the last fabrics, and temporary files of processes that died.
func prune(folder *safefile.Folder) error {
	entries, err := folder.ReadDir()
	if err != nil {
		return err
	}
	type file struct {
		name string
		at   time.Time
	}
	var files []file
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // deleted, or not from rocec
		}
		if strings.HasSuffix(e.Name(), ".json") || strings.HasPrefix(e.Name(), safefile.Temporary) {
			files = append(files, file{e.Name(), info.ModTime()})
		}
	}
	sort.Slice(files, func(i, k int) bool {
		a, b := files[i], files[k]
		return b.at.Compare(a.at) < 0
	})
	for _, old := range files[min(len(files), fabrics):] {
		if err := folder.Remove(old.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
