package lab

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/targets/deploy/safefile"
	"github.com/rocec/rocec/targets/target"
)

// format is the version of the folder of a lab. A folder of another version is refused.
const format = 1

// store is the folder in which a lab keeps its devices:
//
//	lab.json             the format of the folder, and the seed of its keys
//	lock                 locked while a process uses the lab; contains the name of that process
//	images/HASH          the files of a new disk, for each kind of device
//	devices/NAME         a device that differs from a new one (see [record])
//
// The lab reads and writes nothing outside of the folder, and follows no link in it. It refuses files and folders that another user could
// have written, because the keys of the devices derive from the seed, and a rehearsal relies on the content of the devices.
type store struct {
	dir    string
	folder *safefile.Folder
	lock   *os.File

	mu     sync.Mutex
	images map[string]map[string]string // images that were read or written
}

// manifest is lab.json.
type manifest struct {
	Format int    `json:"rocec_lab"`
	Seed   []byte `json:"seed"`
}

// InUse is the error for a lab's folder that another process uses.
type InUse struct{ Dir, By string }

// Error implements error.
func (e *InUse) Error() string { return fmt.Sprintf("the lab in %s is in use by %s", e.Dir, e.By) }

// Open starts a fleet whose devices are kept in a folder. It makes the folder if it is missing. The devices have the state that they had
// when the lab was closed; their clocks stopped meanwhile. who names the user of the lab in the errors of other processes (see [InUse]).
// Devices that are not in the tree stay in the folder.
func Open(dir string, tree *target.Tree, who string) (*Lab, error) {
	s, seed, err := openStore(dir, who)
	if err != nil {
		return nil, err
	}
	l, err := newLab(tree, seed, s)
	if err != nil {
		s.close() //nolint:errcheck // the first error says more
	}
	return l, err
}

// Reset makes the named devices of a lab's folder new, as if their systems were reinstalled. Without names it resets every device. It
// refuses a folder that is not a lab's, and a folder that another process uses. A missing folder is not an error.
func Reset(dir, who string, devices ...string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s, err := lockStore(dir, who)
	if err != nil {
		return err
	}
	for _, name := range devices {
		if err := s.folder.Remove("devices/" + name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, s.close())
		}
	}
	if len(devices) > 0 {
		return s.close()
	}
	err = errors.Join(s.folder.RemoveAll("devices"), s.folder.RemoveAll("images"), s.folder.Remove(manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, s.close())
}

const manifestFile = "lab.json"

// lockStore opens the folder of a lab, or an empty folder, exclusively for this process.
func lockStore(dir, who string) (*store, error) {
	if err := ours(dir); err != nil {
		return nil, err
	}
	folder, err := safefile.OpenFolder(dir, 1)
	if err != nil {
		return nil, err
	}
	s := &store{dir: dir, folder: folder, images: map[string]map[string]string{}}
	s.lock, err = folder.OpenFile("lock", os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	if err := lockFile(s.lock); err != nil {
		by, _ := io.ReadAll(io.LimitReader(s.lock, 200))
		s.lock.Close()
		folder.Close()
		if errors.Is(err, errLocked) {
			return nil, &InUse{dir, strings.TrimSpace(string(by))}
		}
		return nil, fmt.Errorf("locking %s: %w", filepath.Join(dir, "lock"), err)
	}
	_ = s.lock.Truncate(0) // the text is for people, and the lock works without it
	_, _ = s.lock.WriteAt([]byte(who+"\n"), 0)
	return s, nil
}

// ours checks that a folder is a lab's, or empty, before anything in the folder changes.
func ours(dir string) error {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return err // opening a path that is not a folder fails
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		switch name := f.Name(); {
		case slices.Contains([]string{manifestFile, "lock", "devices", "images"}, name), strings.HasPrefix(name, safefile.Temporary):
		default:
			return fmt.Errorf("%s is not the folder of a lab: it holds %q", dir, name)
		}
	}
	return nil
}

func openStore(dir, who string) (*store, []byte, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	s, err := lockStore(dir, who)
	if err != nil {
		return nil, nil, err
	}
	seed, err := s.manifest()
	if err == nil {
		err = errors.Join(s.tidy(), s.folder.MakeFolder("devices"), s.folder.MakeFolder("images"))
	}
	if err != nil {
		return nil, nil, errors.Join(err, s.close())
	}
	return s, seed, nil
}

// tidy removes incomplete files of processes that died.
func (s *store) tidy() error {
	files, err := s.folder.ReadDir()
	for _, f := range files {
		if strings.HasPrefix(f.Name(), safefile.Temporary) {
			err = errors.Join(err, s.folder.Remove(f.Name()))
		}
	}
	return err
}

// manifest reads lab.json, or writes a new one.
func (s *store) manifest() ([]byte, error) {
	data, err := s.read(manifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		m := manifest{Format: format, Seed: make([]byte, 32)}
		rand.Read(m.Seed) //nolint:errcheck // it never fails
		data, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		return m.Seed, s.folder.WriteFile(manifestFile, append(data, '\n'))
	}
	if err != nil {
		return nil, err
	}
	var m manifest
	switch err := json.Unmarshal(data, &m); {
	case err == nil && m.Format != format && m.Format > 0:
		return nil, fmt.Errorf("the lab in %s is of another rocec: its format is %d, this one has format %d; %s",
			s.dir, m.Format, format, s.remedy())
	case err != nil || m.Format != format || len(m.Seed) != 32:
		return nil, s.damaged(manifestFile, errors.New("it is not a description of a lab"))
	}
	return m.Seed, nil
}

func (s *store) damaged(name string, err error) error {
	return fmt.Errorf("%s is damaged: %w; %s", filepath.Join(s.dir, name), err, s.remedy())
}

// remedy returns the command that makes an unusable folder usable again.
func (s *store) remedy() string {
	return "to begin with new devices, run: " + target.ResetLabCommand(s.dir)
}

// read reads a file of unknown content, up to a size limit.
func (s *store) read(name string) ([]byte, error) {
	data, err := s.folder.ReadFile(name, maxRecord)
	if errors.Is(err, safefile.ErrNotFile) || errors.Is(err, safefile.ErrTooLarge) {
		return nil, s.damaged(name, errors.New("it is not a file of a lab"))
	}
	return data, err
}

func (s *store) close() error {
	return errors.Join(unlockFile(s.lock), s.lock.Close(), s.folder.Close())
}

// wake makes a device from its record, or a factory-new device if there is no record. away is the record in a lab without a folder.
func (s *store) wake(td *target.Device, away []byte) (*Device, error) {
	data, name := away, td.Name
	if s != nil {
		name = filepath.Join("devices", td.Name)
		var err error
		data, err = s.read("devices/" + td.Name)
		if errors.Is(err, fs.ErrNotExist) {
			data, err = nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	if data == nil {
		return NewDevice(td), nil
	}
	var r record
	err := decode(data, &r)
	var files map[string]string
	if err == nil {
		files, err = s.image(td, r.Image)
	}
	var d *Device
	if err == nil {
		d, err = restore(td, &r, files)
	}
	if _, refused := errors.AsType[*safefile.Refused](err); err != nil && s != nil && !refused {
		err = s.damaged(name, err)
	}
	return d, err
}

// image returns the files of a new disk.
func (s *store) image(td *target.Device, hash string) (map[string]string, error) {
	if td.Target != nil && td.Target.Image != nil {
		if files := td.Target.Image(td.Source).Files; imageOf(files) == hash {
			return files, nil
		}
	} else if imageOf(nil) == hash {
		return nil, nil
	}
	if s == nil || len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		return nil, errors.New("it began as no known image")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if files, ok := s.images[hash]; ok {
		return files, nil
	}
	data, err := s.read("images/" + hash)
	if err != nil {
		return nil, err
	}
	var files map[string]string
	if err := decode(data, &files); err != nil || imageOf(files) != hash {
		return nil, fmt.Errorf("its image %s is damaged", hash)
	}
	s.images[hash] = files
	return files, nil
}

// put saves a device. A lab without a folder keeps the returned record.
func (s *store) put(d *Device) ([]byte, error) {
	d.machine.Clock.Hold()
	r := d.record(d.disk)
	data, err := encode(r)
	if err != nil || s == nil {
		return data, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.images[r.Image]; !known {
		image, err := encode(d.disk)
		if err == nil {
			err = s.folder.WriteFile("images/"+r.Image, image)
		}
		if err != nil {
			return nil, err
		}
		s.images[r.Image] = d.disk
	}
	return nil, s.folder.WriteFile("devices/"+d.Name, data)
}
