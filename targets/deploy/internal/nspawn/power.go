//go:build linux

package nspawn

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
)

// bootScript runs a device that is switched on.
//
//go:embed image/boot.sh
var bootScript string

// plug makes the cable between this machine and the device. Its far end stays in the namespace of the outlet until the device is switched
// on. The neighbour entry is permanent, so that packets to a device that is off are dropped silently and cause no "unreachable".
func (d *Device) plug() error {
	var err error
	if d.outlet, err = spawn(syscall.CLONE_NEWNET, nil, "sleep", "infinity"); err != nil {
		return err
	}
	link := d.slot.link()
	for _, args := range [][]string{
		{
			"link", "add", link, "address", d.slot.mac(0), "type", "veth",
			"peer", "name", "eth0", "address", d.slot.mac(1), "netns", d.outlet.pid(),
		},
		{"addr", "add", d.slot.addr(0) + "/31", "dev", link},
		{"link", "set", link, "up"},
		{"neigh", "replace", d.Addr, "lladdr", d.slot.mac(1), "dev", link, "nud", "permanent"},
	} {
		if err := run("ip", args...); err != nil {
			return err
		}
	}
	return nil
}

// ip runs ip in the network namespace of a process.
func (p *process) ip(args ...string) error {
	return run("nsenter", append([]string{"--net=/proc/" + p.pid() + "/ns/net", "ip"}, args...)...)
}

// PowerOn switches a device on and waits until a login is possible.
func (d *Device) PowerOn() error {
	before, err := d.switchOn()
	if err != nil {
		return err
	}
	return d.awaitBoot(before)
}

// switchOn switches the device on and returns the number of its earlier boots.
func (d *Device) switchOn() (before int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.power != nil {
		return 0, fmt.Errorf("%s is switched on already", d.Name)
	}
	return d.ups, d.on()
}

// on starts the process that runs the device. The caller holds d.mu.
func (d *Device) on() error {
	console, err := os.OpenFile(d.console, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer console.Close()
	if err := os.MkdirAll(d.slot.path("root"), 0o755); err != nil {
		return err
	}
	var usr, ports []string
	for _, dir := range userland {
		usr = append(usr, fmt.Sprintf("--bind-ro=%s/usr/%s:/usr/%[2]s", d.image, dir))
	}
	for _, p := range d.options.Ports {
		ports = append(ports, fmt.Sprintf("%s:%d", p.Name, cmp.Or(p.MTU, 1500)))
	}
	sysfs := "no"
	if d.Kind.nics {
		sysfs = "yes" // systemd makes device units only if this folder is writable
	}
	d.power, err = spawn(syscall.CLONE_NEWPID|syscall.CLONE_NEWNS|syscall.CLONE_NEWNET, console, "sh", "-c", bootScript, "boot",
		d.slot.path(""), d.slot.cgroup(), d.slot.disk(), strings.Join(usr, " "), sysfs, strings.Join(ports, " "), strings.Join(cgroups(), " "))
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return d.outlet.ip("link", "set", "eth0", "netns", d.power.pid()) },
		func() error { return d.power.ip("addr", "add", d.Addr+"/31", "dev", "eth0") },
		func() error { return d.power.ip("link", "set", "eth0", "up") },
	} {
		if err := step(); err != nil {
			console, _ := os.ReadFile(d.console) // the output of the incomplete boot
			return fmt.Errorf("%w\n%s", err, console[max(0, len(console)-2000):])
		}
	}
	return nil
}

// bootTime is the time limit for a boot, and for other short operations of this file. It ends hanging tests: a boot takes half a second,
// and many seconds on a busy machine.
const bootTime = 10 * time.Minute

// awaitBoot waits until the number of boots is more than before, and until sshd answers.
func (d *Device) awaitBoot(before int) error {
	for end := time.Now().Add(bootTime); ; time.Sleep(5 * time.Millisecond) {
		d.mu.Lock()
		power, ups := d.power, d.ups
		d.mu.Unlock()
		switch {
		case power == nil:
			return fmt.Errorf("%s was switched off", d.Name)
		case ups > before:
			return patience(d.answers)
		case time.Now().After(end):
			return fmt.Errorf("%s did not boot in %s\n%s", d.Name, bootTime, d.Console())
		}
		select {
		case <-power.done:
			return fmt.Errorf("%s did not boot: %v\n%s", d.Name, power.cmd.ProcessState, d.Console())
		default:
		}
	}
}

// answers reports whether sshd answers.
func (d *Device) answers() error {
	c, err := net.DialTimeout("tcp", d.Addr+":22", 5*time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	_, err = c.Read(make([]byte, 3)) // SSH-2.0-…
	return err
}

// patience repeats a failing call until it succeeds, for as long as a boot may take.
func patience(do func() error) error {
	var err error
	for end := time.Now().Add(bootTime); ; time.Sleep(5 * time.Millisecond) {
		if err = do(); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// notified listens to systemd-nspawn, which reports the process of the device's PID 1, and the end of the boot.
func (d *Device) notified() error {
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: d.slot.path("notify"), Net: "unixgram"})
	if err != nil {
		return err
	}
	d.notify = c
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := c.Read(buf)
			if err != nil {
				return // closed
			}
			for line := range strings.Lines(string(buf[:n])) {
				key, _, _ := strings.Cut(line, "=")
				switch key {
				case "X_NSPAWN_LEADER_PID": // the process of PID 1 in its namespace; the device is not up yet
					d.setLeader(0)
				case "READY":
					d.setLeader(d.findLeader())
				}
			}
		}
	}()
	return nil
}

func (d *Device) setLeader(pid int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.leader = pid; pid > 0 {
		d.ups++
	}
}

// findLeader returns the child of systemd-nspawn; 0: the device has ended meanwhile.
func (d *Device) findLeader() int {
	d.mu.Lock()
	power := d.power
	d.mu.Unlock()
	if power == nil {
		return 0
	}
	children := sshdtest.Children()
	for _, nspawn := range children[power.cmd.Process.Pid] {
		for _, pid := range children[nspawn] {
			return pid
		}
	}
	return 0
}

// up returns the process that is PID 1 of the device.
func (d *Device) up() (pid int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.leader == 0 {
		return 0, fmt.Errorf("%s is not up", d.Name)
	}
	return d.leader, nil
}

// off cuts the power: it takes the cable down, calls doom, and kills all processes at once.
func (d *Device) off(doom func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.power == nil {
		return nil
	}
	err := d.power.ip("link", "set", "eth0", "netns", d.outlet.pid())
	if doom != nil && err == nil {
		err = doom()
	}
	err = errors.Join(err, d.power.kill())
	d.power, d.leader = nil, 0
	return errors.Join(err, patience(func() error {
		if loop := d.loop(); loop != "" {
			return fmt.Errorf("the disk of %s is still in use (%s)", d.Name, loop)
		}
		return nil
	}))
}

// loop returns the name of the block device from which the disk is mounted, "loop3"; empty: not mounted.
func (d *Device) loop() string {
	files, _ := filepath.Glob("/sys/block/loop*/loop/backing_file") // the pattern is valid
	for _, file := range files {
		if path, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(path)) == d.slot.disk() {
			return filepath.Base(filepath.Dir(filepath.Dir(file)))
		}
	}
	return ""
}
