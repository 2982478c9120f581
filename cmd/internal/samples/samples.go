// Package samples keeps the measurements of `rocec verify` until the next verify: one [File] for a fabric, in a folder of the user.
// A second file beside it keeps which assumptions of verdicts the devices showed, for plan. A third one keeps the GID slots of the last
// verify --gids.
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
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate/claims"
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
	var doc document
	if there, err := f.read(f.path, &doc); err != nil || !there {
		return nil, err
	}
	if err := f.fits(f.path, doc.Version, doc.Fabric); err != nil {
		return nil, err
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

// read decodes a file. It reports whether the file exists.
func (f *File) read(path string, into any) (there bool, err error) {
	folder, err := safefile.OpenFolder(f.dir, ownFolders)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer folder.Close()
	text, err := folder.ReadFile(filepath.Base(path), most)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return false, fmt.Errorf("%s is damaged: %w", path, err)
	}
	return true, nil
}

// fits refuses a file with another format, or of another fabric.
func (f *File) fits(path string, format int, fabric string) error {
	if format != version {
		return fmt.Errorf("%s has format %d; this rocec reads format %d", path, format, version)
	}
	if fabric != f.fabric {
		return fmt.Errorf("%s belongs to another fabric, %s", path, fabric)
	}
	return nil
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
	return f.write(f.path, doc)
}

// write replaces a file.
func (f *File) write(path string, doc any) error {
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
	if err := folder.WriteFile(filepath.Base(path), text); err != nil {
		return err
	}
	return prune(folder)
}

// The ends of the names of files beside the samples: the judgements of assumptions, and the GID slots.
const (
	claimsName = ".claims.json"
	gidsName   = ".gids.json"
)

// beside returns the file beside the samples whose name has an end.
func (f *File) beside(end string) string { return strings.TrimSuffix(f.path, ".json") + end }

// claimsDocument is the content of the file of judgements.
type claimsDocument struct {
	Version int               `json:"version"`
	Fabric  string            `json:"fabric"`
	Claims  []claims.Recorded `json:"claims"`
}

// LoadClaims returns the judgements of assumptions; nil if the file does not exist. It fails if the file is damaged, or not from rocec.
func (f *File) LoadClaims() ([]claims.Recorded, error) {
	var doc claimsDocument
	path := f.beside(claimsName)
	if there, err := f.read(path, &doc); err != nil || !there {
		return nil, err
	}
	if err := f.fits(path, doc.Version, doc.Fabric); err != nil {
		return nil, err
	}
	return doc.Claims, nil
}

// SaveClaims replaces the judgements in the file.
func (f *File) SaveClaims(all []claims.Recorded) error {
	return f.write(f.beside(claimsName), claimsDocument{version, f.fabric, all})
}

// gidsDocument is the content of the file of GID slots.
type gidsDocument struct {
	Version int           `json:"version"`
	Fabric  string        `json:"fabric"`
	GIDs    []nic.KeptGID `json:"gids"`
}

// LoadGIDs returns the GID slots of the last verify --gids; nil if there is no such file. It fails if the file is damaged, or not from
// rocec.
func LoadGIDs(f *File) ([]nic.KeptGID, error) {
	var doc gidsDocument
	path := f.beside(gidsName)
	if there, err := f.read(path, &doc); err != nil || !there {
		return nil, err
	}
	if err := f.fits(path, doc.Version, doc.Fabric); err != nil {
		return nil, err
	}
	return doc.GIDs, nil
}

// SaveGIDs replaces the GID slots in the file.
func SaveGIDs(f *File, all []nic.KeptGID) error {
	return f.write(f.beside(gidsName), gidsDocument{version, f.fabric, all})
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
	var files, claimed, gids []file
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // deleted, or not from rocec
		}
		switch {
		case strings.HasSuffix(e.Name(), claimsName):
			claimed = append(claimed, file{e.Name(), info.ModTime()})
		case strings.HasSuffix(e.Name(), gidsName):
			gids = append(gids, file{e.Name(), info.ModTime()})
		case strings.HasSuffix(e.Name(), ".json"), strings.HasPrefix(e.Name(), safefile.Temporary):
			files = append(files, file{e.Name(), info.ModTime()})
		}
	}
	for _, all := range [][]file{files, claimed, gids} {
		sort.Slice(all, func(i, k int) bool { return all[k].at.Compare(all[i].at) < 0 })
		for _, old := range all[min(len(all), fabrics):] {
			if err := folder.Remove(old.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
