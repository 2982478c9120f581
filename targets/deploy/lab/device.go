package lab

import (
	"context"
	"io"
	"io/fs"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/targets/deploy/lab/systemd"
	"github.com/rocec/rocec/targets/deploy/lab/unix"
	"github.com/rocec/rocec/targets/target"
)

// Device is one simulated device, with the methods by which a test reads and changes it.
type Device struct {
	Name    string
	image   target.Image // the parts of the device, and the files on its disk when it was new
	machine *unix.Machine
	fs      *unix.FileSystem // of the machine
	net     *network
	init    *systemd.Manager
	cut     func()                                             // function that cuts the connections to the device; nil: no connections
	marked  func(netdev string, peer netip.Addr, cos int) bool // see [machine.Marked]; nil: the device is in no network

	// paused is as in [machine.Paused]; nil: as marked
	paused func(netdev string, peer netip.Addr, cos int, packets uint64) uint64

	turning sync.Mutex        // held while the device is switched off and on
	disk    map[string]string // the first content of its disk
	woken   bool              // the device was restored from a saved state
	cabled  bool              // a cable was plugged in or pulled out
	boots   int               // number of starts

	// The fields below are state of the kernel, and guarded by the lock of fs.
	kept      map[string]target.State   // the state of the image's parts while the device runs
	installed map[string]target.Program // by path, since the start of the device
	later     map[*unix.Alarm]bool      // the alarms of the image's parts

	mu       sync.Mutex // guards the fields below; never held together with the lock of fs
	commands []string
	programs []string
	breaks   []breakage
	noSudo   bool
}

// breakage is a command that a test broke.
type breakage struct {
	prefix string
	unix.Fault
}

// NewDevice makes a factory-new device. It is switched on and in no network.
func NewDevice(td *target.Device) *Device {
	d := blank(td, 0)
	d.machine.PlantOn(d.fs)
	d.fs.PlantFiles(d.image.Files)
	d.disk = d.image.Files
	d.powerOn()
	d.fs.ForgetChanges()
	return d
}

// folders lists the folders of a new disk.
var folders = []string{
	"/etc/systemd/system", "/etc/modules-load.d", "/home", "/tmp", "/var/tmp", "/var/lib", "/var/log", "/usr/bin", "/usr/sbin",
	"/usr/local/bin", "/usr/local/sbin", "/usr/lib/systemd/system",
}

// blank returns a device with an empty disk and without power. Its clock begins at a given time.
func blank(td *target.Device, at time.Duration) *Device {
	var img target.Image
	if td.Target != nil && td.Target.Image != nil {
		img = td.Target.Image(td.Source)
	}
	d := &Device{Name: td.Name, image: img, net: newNetwork(slices.Concat(modules, img.Modules))}
	d.machine = unix.New(unix.System{
		Name: td.Name, Users: unix.Users(loginNames(td)), Folders: folders, Memory: []string{"/run/systemd/system", "/run/lock"},
	}, at, unix.Hooks{Ran: d.ran, MaySudo: d.sudoAllowed})
	d.fs = d.machine.FS
	d.net.fs = d.fs
	d.init = systemd.New(d.machine, systemd.Options{Version: img.Systemd, Interfaces: d.net.names})
	d.machine.Install(map[string]unix.Command{"/usr/sbin/reboot": d.cmdReboot})
	d.machine.Install(d.net.programs())
	d.machine.Install(d.init.Programs())
	return d
}

// loginName returns the login user if the fabric names none: the first user of a factory-new device.
func loginName(td *target.Device) string {
	switch {
	case td.Login.User != "":
		return td.Login.User
	case td.Target != nil && td.Target.User != "":
		return td.Target.User
	}
	return "root"
}

// loginNames returns the users of a device except root.
func loginNames(td *target.Device) []string {
	names := []string{loginName(td)}
	if td.Target != nil && td.Target.User != "" && td.Target.User != names[0] {
		names = append(names, td.Target.User)
	}
	return names
}

func (d *Device) sudoAllowed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.noSudo
}

// maxLog bounds the log of commands.
const maxLog = 100_000

// ran records a starting program. If a test broke the program, ran returns the fault.
func (d *Device) ran(args []string) *unix.Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	line := strings.Join(args, " ")
	if len(d.programs) < maxLog {
		d.programs = append(d.programs, line)
	}
	for _, b := range d.breaks {
		if line == b.prefix || strings.HasPrefix(line, b.prefix+" ") {
			return &b.Fault
		}
	}
	return nil
}

func (d *Device) asked(cmd string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.commands) < maxLog {
		d.commands = append(d.commands, cmd)
	}
}

// ReadFile returns the content of a file of the device.
func (d *Device) ReadFile(path string) ([]byte, error) { return d.fs.ReadFile(path) }

// WriteFile writes a file on the device, without a process of the device. It makes missing directories, makes root the owner, and
// replaces an existing file.
func (d *Device) WriteFile(path string, data []byte, mode fs.FileMode) {
	d.fs.PlantFile(path, data, mode)
}

// RemoveFile removes a file, without a process of the device.
func (d *Device) RemoveFile(path string) error { return d.fs.RemoveFile(path) }

// Mode returns the mode, owner and group of a file.
func (d *Device) Mode(path string) (mode fs.FileMode, uid, gid int, err error) {
	return d.fs.Attributes(path)
}

// FailWrites makes the whole device read-only: files, settings of NICs and services. Every change fails as on a read-only file system.
func (d *Device) FailWrites() { d.fs.Freeze(true) }

// AllowWrites undoes [Device.FailWrites].
func (d *Device) AllowWrites() { d.fs.Freeze(false) }

// FillDisk leaves room for n more bytes of files.
func (d *Device) FillDisk(n int) { d.fs.Fill(n) }

// Writes returns all requested changes since the start of the device, including failed ones: "write /etc/x", "systemctl restart
// app.service", "ethtool -A ens1f0 rx off".
func (d *Device) Writes() []string { return d.fs.Changes() }

// Break makes every command that begins with the words of cmd fail with a status and a message. The command does not run.
func (d *Device) Break(cmd string, status int, stderr string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.breaks = append(d.breaks, breakage{cmd, unix.Fault{Status: status, Stderr: stderr}})
}

// Repair undoes every [Device.Break].
func (d *Device) Repair() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.breaks = nil
}

// RevokeSudo removes the right to use sudo from every user.
func (d *Device) RevokeSudo() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.noSudo = true
}

// Commands returns the command of every session, in the order of arrival.
func (d *Device) Commands() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.commands)
}

// Programs returns every program that ran, with its arguments.
func (d *Device) Programs() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.programs)
}

// Sims returns the simulated parts of the device's target, for tests.
func (d *Device) Sims() []target.Sim { return d.image.Sims }

// Run runs a command for a user like sshd, but without a network connection. It returns the output and the exit status. It panics if the
// device has no such user.
func (d *Device) Run(ctx context.Context, user, cmd, stdin string) (stdout, stderr string, status int) {
	d.asked(cmd)
	return d.machine.Run(ctx, user, cmd, stdin)
}

// exec runs the command of an exec request.
func (d *Device) exec(ctx context.Context, u *unix.User, cmd string, stdin io.ReadCloser, stdout, stderr io.Writer) int {
	d.asked(cmd)
	return d.machine.Exec(ctx, u, cmd, stdin, stdout, stderr)
}

// interact runs the login shell of a shell request.
func (d *Device) interact(ctx context.Context, u *unix.User, terminal bool, stdin io.ReadCloser, stdout, stderr io.Writer) int {
	d.asked("")
	return d.machine.Interact(ctx, u, terminal, stdin, stdout, stderr)
}

// Active reports whether a systemd unit is active.
func (d *Device) Active(name string) bool { return d.init.Active(name) }

// Elapse makes every timer of the device fire now, and waits for the commands.
func (d *Device) Elapse() { d.init.Elapse() }

// Pass advances a device's clock at once. Timers and sleeps that would end within this time end now.
func (d *Device) Pass(t time.Duration) { d.machine.Clock.Pass(t) }
