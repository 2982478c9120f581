package lab

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/deploy/lab/systemd"
	"github.com/rocec/rocec/targets/deploy/lab/unix"
	"github.com/rocec/rocec/targets/target"
)

// For a device that is put away, the lab keeps the difference between its disk and its first image. The device is not switched off. So
// the lab also keeps the state of its kernel and daemons, the running timers and the sleeping shells.

// record is the saved state of a device that was put away.
type record struct {
	unix.SavedMachine
	systemd.SavedUnits
	Image    string // hash of the content of its new disk
	Hardware string // hash of its parts; a device with other parts starts as new
	Boots    int
	Netdevs  []savedNetdev
	Kept     map[string]json.RawMessage
}

type savedNetdev struct {
	target.Netdev
	RX, TX bool
	Egress map[int]int `json:",omitempty"`
	Given  []string    `json:",omitempty"`
	Counts map[string]uint64
}

// maxRecord bounds the size of a record that is read. No saved device exceeds it.
const maxRecord = 2 * unix.DiskSize

// touched reports whether the device may differ from a new device.
func (d *Device) touched() bool {
	d.fs.Lock()
	defer d.fs.Unlock()
	return d.woken || d.cabled || d.fs.Changed() || d.boots > 1
}

// imageOf returns the name of the content of a disk.
func imageOf(files map[string]string) string {
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%q %q\n", path, files[path])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hardware returns a hash of the parts of a device.
func (d *Device) hardware() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %d\n", d.image.Services, d.net.modules, d.image.Systemd)
	for _, n := range d.image.Netdevs {
		fmt.Fprintf(h, "%+v\n", n)
	}
	d.fs.Lock()
	defer d.fs.Unlock()
	for _, name := range slices.Sorted(maps.Keys(d.kept)) {
		fmt.Fprintf(h, "%q %T\n", name, d.kept[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// record saves the device. files is the first content of its disk. The clock must be stopped.
func (d *Device) record(files map[string]string) *record {
	fresh := unix.NewFileSystem()
	d.machine.PlantOn(fresh)
	fresh.PlantFiles(files)
	r := &record{Image: imageOf(files), Hardware: d.hardware(), Boots: d.boots, SavedMachine: d.machine.Save(fresh), SavedUnits: d.init.Save()}

	d.fs.Lock()
	defer d.fs.Unlock()
	for _, n := range d.net.sorted() {
		r.Netdevs = append(r.Netdevs, savedNetdev{n.Netdev, n.rx, n.tx, n.egress, n.given, n.counters})
	}
	r.Kept = map[string]json.RawMessage{}
	for name, state := range d.kept {
		data, err := json.Marshal(state)
		if err != nil {
			panic("lab: state that cannot be kept: " + err.Error()) // the contract of Keep forbids this
		}
		r.Kept[name] = data
	}
	return r
}

// encode converts a record to one compressed document. Every change of a device writes a document, so speed is more important than size.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(json.NewEncoder(z).Encode(v), z.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// decode is the inverse of encode.
func decode(data []byte, v any) error {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxRecord+1))
	switch {
	case err != nil:
		return err
	case len(text) > maxRecord:
		return errors.New("it is too large")
	}
	return json.Unmarshal(text, v)
}

// restore makes the device from its record. files is the first content of its disk.
func restore(td *target.Device, r *record, files map[string]string) (*Device, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	d := blank(td, r.Clock)
	d.woken, d.disk, d.boots = true, files, r.Boots
	d.machine.PlantOn(d.fs)
	d.fs.PlantFiles(files)
	if err := d.machine.RestoreDisk(&r.SavedMachine); err != nil {
		return nil, err
	}
	d.plantKernel()
	if d.hardware() != r.Hardware {
		d.fs.Lock()
		d.fs.Forget()
		d.net.reset()
		d.fs.Unlock()
		d.init.Restore(&systemd.SavedUnits{Disabled: r.Disabled})
		d.powerOn()
		return d, nil
	}
	if err := d.resume(r); err != nil {
		d.shut()
		return nil, err
	}
	d.fs.ForgetChanges()
	return d, nil
}

// check returns an error for a record that no device would have saved.
func (r *record) check() error {
	if r.Boots < 1 || r.Boots > 1<<30 {
		return errors.New("a number is out of range")
	}
	return cmp.Or(r.SavedMachine.Check(), r.SavedUnits.Check())
}

// resume restores the kept state of a device whose kernel has just been made.
func (d *Device) resume(r *record) error {
	if err := d.machine.RestoreMemory(&r.SavedMachine); err != nil {
		return err
	}
	d.fs.Lock()
	err := errors.Join(d.resumeNetdevs(r.Netdevs), d.resumeKept(r.Kept))
	d.fs.Unlock()
	if err != nil {
		return err
	}
	d.machine.PowerOn(r.Booted)
	d.init.Restore(&r.SavedUnits)
	if err := d.machine.RestoreSleepers(&r.SavedMachine); err != nil {
		return err
	}
	d.init.Rearm(&r.SavedUnits, r.Clock)
	return nil
}

// resumeNetdevs is called with the file system's lock held.
func (d *Device) resumeNetdevs(list []savedNetdev) error {
	for _, s := range list {
		n := d.net.netdevs[s.Name]
		if n == nil {
			if s.Parent == "" || d.net.netdevs[s.Parent] == nil || s.VLAN < 1 || s.VLAN > 4094 || s.Name == "" || len(s.Name) > 15 ||
				strings.ContainsAny(s.Name, "/\x00") || s.Name == "." || s.Name == ".." {
				return fmt.Errorf("the interface %q cannot be", s.Name)
			}
			d.net.add(target.Netdev{Name: s.Name, Parent: s.Parent, VLAN: s.VLAN})
			n = d.net.netdevs[s.Name]
		}
		if s.MTU < 68 || s.MTU > 65536 {
			return fmt.Errorf("the interface %q has an MTU of %d", s.Name, s.MTU)
		}
		n.MTU, n.Index, n.rx, n.tx, n.Down = s.MTU, s.Index, s.RX, s.TX, s.Down
		if ms, err := strconv.Atoi(s.Stall); err == nil && n.Stall != "" && ms >= 0 && ms <= 8000 {
			n.Stall = strconv.Itoa(ms)
		}
		n.given = s.Given
		if n.egress != nil && s.Egress != nil {
			n.egress = s.Egress
		}
		if s.Counts != nil {
			n.counters = s.Counts
		}
	}
	have := map[string]bool{}
	for _, s := range list {
		have[s.Name] = true
	}
	for _, n := range d.net.sorted() {
		if !have[n.Name] {
			d.net.drop(n)
		}
	}
	return nil
}

// resumeKept is called with the file system's lock held.
func (d *Device) resumeKept(kept map[string]json.RawMessage) error {
	for name, state := range d.kept {
		data, ok := kept[name]
		if !ok {
			return fmt.Errorf("%s is missing", name)
		}
		if err := json.Unmarshal(data, state); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !state.Valid() {
			return fmt.Errorf("%s is in no state it can be in", name)
		}
		if r, ok := state.(target.Resumer); ok {
			r.Resume()
		}
	}
	return nil
}
