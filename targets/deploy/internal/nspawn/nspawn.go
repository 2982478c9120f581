//go:build linux

// Package nspawn boots real devices for tests. A device is a Debian userland with systemd, OpenSSH, sudo and its own ext4 disk, as a
// container of systemd-nspawn with its own network namespace. Small programs below image/ simulate the parts of Cumulus Linux and of mlx5
// NICs that a change can touch; all other parts are real.
//
// A test can inject a fault at a chosen moment. The programs by which a protocol changes state (mkdir, mv, sync, systemctl, …) ask the
// test before they run and after they end. They do so under every caller: a login, sudo, a unit, a timer. So a test stops a device at the
// N-th command ([Device.StopAt]), injects a fault ([Device.PowerCut], [Device.FillDisk], …), and lets the device go on. Every fault
// proves that it happened ([Fault.Fired]). [Matrix] runs many such cells and counts their results. The package needs root, cgroups, loop
// devices and the packages that .ci/deps installs. If a requirement is missing, the test fails and names it. The userland is made once,
// by mmdebstrap, and kept in /var/cache/rocec-test. The processes of a device end with the test, also when the test is killed. The next
// test sweeps the other leftovers of a killed test.
package nspawn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
)

// Kind is the kind of a device.
type Kind struct {
	Name string
	User string // the login user, who may use sudo without a password
	OS   string // "Cumulus Linux 3.7.12"

	trees []string     // folders of image/ that are copied over the userland, one after the other
	units []string     // units that start at boot
	old   []limitation // limitations of its programs
	nics  bool         // the ports are NICs of the driver mlx5_core
}

// The kinds of devices.
var (
	// Switch37 runs Cumulus Linux 3.7: a switchd that restarts, and the programs of Debian 8, whose sync ignores file arguments and whose
	// systemd-run makes no timers.
	Switch37 = &Kind{
		Name: "switch37", User: "cumulus", OS: "Cumulus Linux 3.7.12",
		trees: []string{"device", "switch", "switch37"}, units: []string{"switchd.service"}, old: jessie,
	}
	// Switch43 runs Cumulus Linux 4.3: a switchd with a reload node, and a syntax checker.
	Switch43 = &Kind{
		Name: "switch43", User: "cumulus", OS: "Cumulus Linux 4.3.0",
		trees: []string{"device", "switch", "switch43"}, units: []string{"switchd.service"},
	}
	// Host runs Debian 12, with NICs of the driver mlx5_core that forget their settings at a reboot.
	Host = &Kind{
		Name: "host", User: "admin", OS: "Debian GNU/Linux 12",
		trees: []string{"device", "host"}, units: []string{"nics.service"}, nics: true,
	}
)

var kinds = []*Kind{Switch37, Switch43, Host}

// Options are the differences between devices.
type Options struct {
	Name  string            // host name; empty: the kind's name and a number
	Files map[string]string // further files of its disk, by path; a file that begins with "#!" is executable
	Ports []Port            // network interfaces after eth0
}

// Port is a network interface of a device, whose link is up.
type Port struct {
	Name string
	MTU  int // 0: 1500
}

// Device is a booted device. Its methods may be called from any goroutine. A method that fails returns an error or a [Fault] that did not
// fire. It does not end the test, so other goroutines may call it, too.
type Device struct {
	Name    string
	Kind    *Kind
	Addr    string        // its address, 198.51.100.N; sshd listens on port 22
	User    string        // the login user; root may log in, too
	Key     *sshdtest.Key // key that lets the user log in
	HostKey *sshdtest.Key // host key of the server; its Fingerprint is the host_key of an ssh block
	Known   string        // a known_hosts file with that key

	image   string // the folder of Image
	options Options
	slot    *slot
	control *control
	notify  *net.UnixConn // socket to which systemd-nspawn reports
	console string        // the file with the output of the boot
	boot    time.Duration // duration of the first boot

	mu     sync.Mutex
	outlet *process // contains the far end of the cable while the device is off
	power  *process // process of this boot, which mounts the disk and runs systemd-nspawn; nil: off
	leader int      // the process that is PID 1 on the device; 0: not up
	ups    int      // number of completed boots
}

// Start boots a device, which ends with the test. With -short, Start skips the test.
func Start(t testing.TB, kind *Kind, o Options) *Device {
	t.Helper()
	return Fleet(t, kind, []Options{o})[0]
}

// Fleet boots several devices of a kind side by side.
func Fleet(t testing.TB, kind *Kind, options []Options) []*Device {
	t.Helper()
	img := Image(t)
	devices, errs := make([]*Device, len(options)), make([]error, len(options))
	var wg sync.WaitGroup
	for i, o := range options {
		wg.Go(func() { devices[i], errs[i] = start(img, kind, o) })
	}
	wg.Wait()
	t.Cleanup(func() {
		for _, d := range devices {
			if d == nil {
				continue
			}
			if t.Failed() {
				t.Logf("%s (%s): commands:\n%s\nconsole:\n%s", d.Name, d.Kind.Name, d.Transcript(), d.Console())
			}
			if err := d.close(); err != nil {
				t.Errorf("%s: %v", d.Name, err)
			}
		}
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, d := range devices {
		if Slow(d) > 1 {
			t.Logf("%s booted in %s: the times of its timers are %.1f times as long", d.Name, d.boot.Round(time.Millisecond), Slow(d))
		}
	}
	return devices
}

// start makes a device from the image and boots it. The caller must close the returned device.
func start(img string, kind *Kind, o Options) (d *Device, err error) {
	s, err := claim()
	if err != nil {
		return nil, err
	}
	d = &Device{
		Name: o.Name, Kind: kind, Addr: s.addr(1), User: kind.User,
		image: img, options: o, slot: s, console: s.path("console"),
	}
	if d.Name == "" {
		d.Name = fmt.Sprintf("%s-%d", kind.Name, s.n)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w\n%s", d.Name, err, d.Console()), d.close())
			d = nil
		}
	}()
	if err := os.Mkdir(s.path("shared"), 0o755); err != nil {
		return d, err
	}
	if err := os.WriteFile(s.path("shared/clock"), make([]byte, 8), 0o644); err != nil {
		return d, err
	}
	if d.control, err = listen(s.path("shared/control"), kind.old); err != nil {
		return d, err
	}
	if err := d.notified(); err != nil {
		return d, err
	}
	if err := d.seed(); err != nil {
		return d, err
	}
	if err := copyDisk(filepath.Join(img, kind.Name+".ext4"), s.disk()); err != nil {
		return d, err
	}
	if err := d.plug(); err != nil {
		return d, err
	}
	begin := time.Now()
	err = d.PowerOn()
	d.boot = time.Since(begin)
	return d, err
}

// quietBoot is the longest time of a boot on a machine that runs only devices, two for each core.
const quietBoot = 1500 * time.Millisecond

// Slow returns by which factor the machine is slower than a quiet one, measured by the device's first boot. It is at least 1.
func Slow(d *Device) float64 { return max(1, d.boot.Seconds()/quietBoot.Seconds()) }

// Slowed returns a time for a real timer on the device, such as a dead-man's switch, in whole seconds. It multiplies the time by
// [Device.Slow], so that the timer does not fire because the machine is busy.
func (d *Device) Slowed(quiet time.Duration) time.Duration {
	return time.Duration(math.Ceil(quiet.Seconds()*Slow(d))) * time.Second
}

// close switches the device off and removes all its parts.
func (d *Device) close() error {
	var errs []error
	if d.control != nil {
		d.control.close()
	}
	errs = append(errs, d.off(nil))
	if d.outlet != nil {
		errs = append(errs, d.outlet.kill())
	}
	if d.notify != nil {
		errs = append(errs, d.notify.Close())
	}
	errs = append(errs, d.slot.release())
	return errors.Join(errs...)
}

func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// seed writes the files that are specific to this device, and the files of the options. They are copied over its disk at the first boot.
func (d *Device) seed() error {
	files := map[string]string{"/etc/hostname": d.Name + "\n", "/etc/hosts": "127.0.0.1 localhost\n127.0.1.1 " + d.Name + "\n"}
	keys := d.slot.path("keys")
	if err := os.Mkdir(keys, 0o700); err != nil {
		return err
	}
	var err error
	if d.HostKey, err = sshdtest.MakeKey(filepath.Join(keys, "host"), "ed25519", ""); err != nil {
		return err
	}
	if d.Key, err = sshdtest.MakeKey(filepath.Join(keys, "client"), "ed25519", ""); err != nil {
		return err
	}
	d.Known = filepath.Join(keys, "known_hosts")
	if err := os.WriteFile(d.Known, []byte(d.Addr+" "+d.HostKey.Public+"\n"), 0o600); err != nil {
		return err
	}
	files["/etc/ssh/ssh_host_ed25519_key"] = string(d.HostKey.PEM)
	files["/etc/ssh/ssh_host_ed25519_key.pub"] = d.HostKey.Public + "\n"
	files["/root/.ssh/authorized_keys"] = d.Key.Public + "\n"
	files["/home/"+d.User+"/.ssh/authorized_keys"] = d.Key.Public + "\n"
	maps.Copy(files, d.options.Files)
	for path, text := range files {
		if err := d.seedFile(path, text); err != nil {
			return err
		}
	}
	return nil
}

// python27 is the folder of packages of Cumulus Linux. On the devices of this package it is a link into the disk.
const python27 = "/usr/lib/python2.7/"

func (d *Device) seedFile(path, text string) error {
	if rest, ok := strings.CutPrefix(path, python27); ok {
		path = "/usr/cumulus/python2.7/" + rest
	}
	for _, dir := range userland {
		if strings.HasPrefix(path, "/usr/"+dir+"/") || !filepath.IsAbs(path) {
			return fmt.Errorf("%s cannot be a file of a device: it is in the userland that all devices share", path)
		}
	}
	mode := os.FileMode(0o644)
	switch {
	case strings.HasPrefix(text, "#!"):
		mode = 0o755
	case strings.HasSuffix(path, "_key"):
		mode = 0o600
	}
	name := filepath.Join(d.slot.path("seed"), path)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), mode)
}

// Exec runs a script as root from outside of the device: without a login, and with programs that no stop point stops.
func (d *Device) Exec(script string) ([]byte, error) {
	pid, err := d.up()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), bootTime)
	defer cancel()
	cmd := command(ctx, "nsenter", "--all", "--root", "--wd", "--target", fmt.Sprint(pid),
		"env", "-i", "PATH="+programs+":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin", "sh", "-c", script)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%s: %w: %s", d.Name, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// root opens the device's file system; a link to a path outside is an error.
func (d *Device) root() (*os.Root, error) {
	pid, err := d.up()
	if err != nil {
		return nil, err
	}
	return os.OpenRoot(fmt.Sprintf("/proc/%d/root", pid))
}

// mounted opens the device's disk. The device may be up or still booting.
func (d *Device) mounted() (*os.Root, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.power == nil {
		return nil, fmt.Errorf("%s is switched off", d.Name)
	}
	return os.OpenRoot("/proc/" + d.power.pid() + "/root" + d.slot.path("root"))
}

// within calls do with the device's file system and the path relative to its root.
func (d *Device) within(path string, do func(r *os.Root, name string) error) error {
	r, err := d.root()
	if err != nil {
		return err
	}
	defer r.Close()
	return do(r, strings.TrimPrefix(path, "/"))
}

// ReadFile reads a file of the device.
func (d *Device) ReadFile(path string) (content []byte, err error) {
	err = d.within(path, func(r *os.Root, name string) error {
		content, err = r.ReadFile(name)
		return err
	})
	return content, err
}

// Glob returns the files of the device whose whole path matches a pattern of package path.
func (d *Device) Glob(pattern string) (names []string, err error) {
	err = d.within(pattern, func(r *os.Root, name string) error {
		names, err = fs.Glob(r.FS(), name)
		return err
	})
	return names, err
}

// WriteFile writes a file of the device in place; a new one gets the mode 0644.
func (d *Device) WriteFile(path string, content []byte) error {
	return d.within(path, func(r *os.Root, name string) error { return r.WriteFile(name, content, 0o644) })
}

// Turn sets a knob of the simulated programs below image/ to a line, such as "load-delay" to "2". An empty line turns the knob off. The
// setting survives reboots.
func (d *Device) Turn(knob, line string) error {
	path := d.slot.path("shared/" + knob)
	if line == "" {
		return remove(path)
	}
	return os.WriteFile(path, []byte(line+"\n"), 0o644)
}

// Console returns the output of the boot.
func (d *Device) Console() string {
	text, _ := os.ReadFile(d.console) // there is no output before the first boot
	return string(text)
}
