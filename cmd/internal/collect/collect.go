// Package collect makes a snapshot of devices, a [Collection], from files that people keep, and from answers of devices that it asks. It
// leaves out rows that rocec does not read.
package collect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/mask"
	"github.com/rocec/rocec/cmd/internal/wholefile"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/snapshot"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// Collection is a snapshot that is being made. The zero value has no device.
type Collection struct {
	Manifest snapshot.Manifest
	NotKept  []string // files that are left out, and why, a line each
	files    map[string][]byte
	logins   map[string]target.Login // of devices that were asked in this run
	secrets  mask.Mask
	before   map[string]bool // files of an earlier collection that this run has not replaced yet
}

// put adds a file of a device, without rows and secrets that must not be kept. The error is a part of a sentence.
func (c *Collection) put(d *snapshot.Device, a snapshot.Answer, data []byte) error {
	kept, dropped, err := targets.Keep(lint.File{Name: a.File, Data: data})
	if err != nil {
		return err
	}
	text, secrets := c.secrets.Secrets(string(kept))
	a.Dropped = dropped + secrets
	switch had, twice := c.files[a.File]; {
	case c.before[a.File]: // the new file replaces the one of an earlier collection
		delete(c.before, a.File)
		d.Answers = slices.DeleteFunc(d.Answers, func(other snapshot.Answer) bool { return other.File == a.File })
	case twice && string(had) == text:
		return nil
	case twice:
		return errTwice
	}
	if c.files == nil {
		c.files = map[string][]byte{}
	}
	c.files[a.File] = []byte(text)
	a.SHA256, a.Size = snapshot.Sum(c.files[a.File]), len(text)
	d.Answers = append(d.Answers, a)
	return nil
}

var errTwice = errors.New("another file of this name is in the snapshot")

// device returns the device with a name, and adds it to the collection if needed.
func (c *Collection) device(name string) *snapshot.Device {
	i := slices.IndexFunc(c.Manifest.Devices, func(d snapshot.Device) bool { return d.Name == name })
	if i < 0 {
		i = len(c.Manifest.Devices)
		c.Manifest.Devices = append(c.Manifest.Devices, snapshot.Device{Name: name})
	}
	return &c.Manifest.Devices[i]
}

// Has reports whether a device has already answered.
func (c *Collection) Has(name string) bool {
	return slices.ContainsFunc(c.Manifest.Devices, func(d snapshot.Device) bool { return d.Name == name && d.Failed == "" })
}

// remove removes a device and its files from the collection.
func (c *Collection) remove(name string) {
	c.Manifest.Devices = slices.DeleteFunc(c.Manifest.Devices, func(d snapshot.Device) bool {
		if d.Name == name {
			for _, a := range d.Answers {
				delete(c.files, a.File)
			}
		}
		return d.Name == name
	})
}

// Add adds the files of a source. Each keeps its path below the source.
func (c *Collection) Add(found *devicefiles.Found) {
	for _, f := range found.Files {
		if f.Why != "" {
			c.NotKept = append(c.NotKept, f.Name+": "+f.Why)
			continue
		}
		rel := f.Name
		if dir := diag.Escape(path.Clean(filepath.ToSlash(found.Dir))); dir != "." {
			rel = strings.TrimPrefix(f.Name, dir+"/")
		}
		of := targets.DeviceOf(rel)
		if of == "." {
			of = path.Base(filepath.ToSlash(absolute(found.Dir)))
			rel = path.Join(of, rel)
		}
		if err := c.put(c.device(nameOf(of)), snapshot.Answer{File: rel}, f.Data); err != nil && !errors.Is(err, targets.ErrOther) {
			c.NotKept = append(c.NotKept, f.Name+": "+err.Error())
		}
	}
	for _, m := range found.Snapshots { // facts about devices in other snapshots
		for _, had := range m.Devices {
			d := c.device(had.Name)
			d.Address, d.When, d.Clock, d.Host, d.Failed = had.Address, had.When, had.Clock, had.Host, had.Failed
		}
		c.Manifest.Masked = c.Manifest.Masked || m.Masked
	}
}

func absolute(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		return full
	}
	return dir
}

// nameOf returns the name of a device in the manifest. It is the last element of the path after which its files are named.
func nameOf(of string) string {
	name := strings.Map(func(r rune) rune {
		if snapshot.ValidName("x" + string(r)) {
			return r
		}
		return '_'
	}, path.Base(of))
	if !snapshot.ValidName(name) {
		name = "x" + name
	}
	return name
}

// Files returns the files of the snapshot, sorted by name, with the manifest first.
func (c *Collection) Files() ([]snapshot.File, error) {
	c.Manifest.Devices = slices.DeleteFunc(c.Manifest.Devices, func(d snapshot.Device) bool { return len(d.Answers) == 0 && d.Failed == "" })
	c.Manifest.Sort()
	data, err := c.Manifest.Bytes()
	if err != nil {
		return nil, err
	}
	out := []snapshot.File{{Name: snapshot.Name, Data: data}}
	for _, d := range c.Manifest.Devices {
		for _, a := range d.Answers {
			if a.Failed == "" {
				out = append(out, snapshot.File{Name: a.File, Data: c.files[a.File]})
			}
		}
	}
	return out, nil
}

// IsArchive reports whether a path has the ending of an archive that rocec writes.
func IsArchive(name string) bool {
	return strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")
}

// Save writes the snapshot to an archive or a folder.
func (c *Collection) Save(to string) error {
	files, err := c.Files()
	if err != nil {
		return err
	}
	if IsArchive(to) {
		data, err := snapshot.Pack(files)
		if err != nil {
			return err
		}
		return wholefile.Replace(to, data, 0o600)
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range slices.Backward(files) { // the manifest comes last: before it the folder is no snapshot
		name := filepath.Join(to, filepath.FromSlash(f.Name))
		if err := root.MkdirAll(filepath.FromSlash(path.Dir(f.Name)), 0o700); err != nil { // a link leads nowhere else
			return err
		}
		if err := wholefile.Replace(name, f.Data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Resume returns the snapshot in a path, to be continued. It is empty if the path does not exist. It leaves out a device with a changed
// file. The error is a sentence that states why the path has no usable snapshot.
func Resume(from string) (*Collection, error) {
	c := &Collection{files: map[string][]byte{}, before: map[string]bool{}}
	info, err := os.Stat(from)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
	case err != nil:
		return nil, err
	case info.IsDir() == IsArchive(from):
		return nil, fmt.Errorf("%s exists and is not a snapshot; rocec overwrites nothing else", from)
	}
	files, err := had(from, info.IsDir())
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.Name == snapshot.Name {
			m, err := snapshot.Read(f.Data)
			if err != nil {
				return nil, fmt.Errorf("%s is not a snapshot that rocec can continue: %w", from, err)
			}
			c.Manifest = *m
		} else {
			c.files[f.Name], c.before[f.Name] = f.Data, true
		}
	}
	if c.Manifest.FormatVersion == "" && len(files) > 0 {
		return nil, fmt.Errorf("%s is no snapshot: it has no %s, and rocec overwrites nothing else", from, snapshot.Name)
	}
	if c.Manifest.Masked {
		return nil, fmt.Errorf("%s is masked, so no device can be added: name another file", from)
	}
	for _, d := range slices.Clone(c.Manifest.Devices) {
		if slices.ContainsFunc(d.Answers, func(a snapshot.Answer) bool {
			return a.Failed == "" && snapshot.Sum(c.files[a.File]) != a.SHA256
		}) {
			c.remove(d.Name)
		}
	}
	return c, nil
}

// mostFolder bounds the files of a snapshot folder that is continued.
const mostFolder = 100_000

// had reads the files of the snapshot in a path.
func had(from string, folder bool) ([]snapshot.File, error) {
	if !folder {
		f, err := os.Open(from)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		files, err := snapshot.Unpack(f)
		if err != nil {
			return nil, fmt.Errorf("%s is no snapshot: %w", from, err)
		}
		return files, nil
	}
	root, err := os.OpenRoot(from)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	data, err := root.ReadFile(snapshot.Name)
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := fs.ReadDir(root.FS(), ".")
		if err == nil && len(entries) > 0 {
			err = fmt.Errorf("%s is no snapshot: it has no %s, and rocec overwrites nothing else", from, snapshot.Name)
		}
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	m, err := snapshot.Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(from, snapshot.Name), err)
	}
	out := []snapshot.File{{Name: snapshot.Name, Data: data}}
	for _, d := range m.Devices {
		for _, a := range d.Answers {
			if len(out) > mostFolder {
				return nil, fmt.Errorf("%s has more than %s files", from, diag.Number(mostFolder))
			}
			name := filepath.FromSlash(a.File)
			if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() != int64(a.Size) {
				continue // it is asked for again
			}
			if data, err := root.ReadFile(name); err == nil {
				out = append(out, snapshot.File{Name: a.File, Data: data})
			}
		}
	}
	return out, nil
}
