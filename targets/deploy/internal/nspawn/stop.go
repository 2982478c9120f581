//go:build linux

package nspawn

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Command is an execution of a program that changes state, or may change it.
type Command struct {
	N    int      // 1 for the first since [Device.StopAt]
	Args []string // Args[0] is the name of the program
	Unit string   // the systemd unit of the command: "ssh.service", "rocec-undo-7.service"
}

// String returns the number and the command line.
func (c Command) String() string { return fmt.Sprintf("%d: %s", c.N, strings.Join(c.Args, " ")) }

// When is the moment before or after a command.
type When string

// A device stops before a command has run or after it has ended.
const (
	Before When = "before"
	After  When = "after"
)

// control answers the shims of a device.
type control struct {
	listener *net.UnixListener
	old      []limitation

	mu       sync.Mutex
	commands []Command
	at       int // number of the command to stop at; 0: no stop
	when     When
	stopped  chan Command
	released chan struct{} // closed by Release
	delay    time.Duration
	delayed  int
	hang     string // command lines with this prefix wait
	hung     int
}

// listen starts the control of one device.
func listen(path string, old []limitation) (*control, error) {
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o777); err != nil { // any user of the device may run a command
		return nil, errors.Join(err, l.Close())
	}
	c := &control{listener: l, old: old, stopped: make(chan Command, 1), released: make(chan struct{})}
	go func() {
		for {
			conn, err := l.AcceptUnix()
			if err != nil {
				return // closed
			}
			go func() {
				defer conn.Close()
				c.answer(conn)
			}()
		}
	}()
	return c, nil
}

func (c *control) close() {
	c.listener.Close()
	c.release()
}

// hold states what a command waits for: a delay, [Device.Release], or both of them.
type hold struct {
	Command
	delay    time.Duration
	hang     bool
	when     When // "": no stop
	stopped  chan<- Command
	released <-chan struct{}
}

// stop reports that the device has stopped, and waits until it is released.
func (h *hold) stop() {
	h.stopped <- h.Command
	<-h.released
}

// answer lets one command run after its hold. It ignores errors, because the command may be killed while it waits.
func (c *control) answer(conn *net.UnixConn) {
	buf := make([]byte, 128<<10)
	n, err := conn.Read(buf)
	if err != nil {
		return
	}
	args := strings.Split(strings.TrimSuffix(string(buf[:n]), "\x00"), "\x00")
	h := c.begin(args, unitOf(conn))
	time.Sleep(h.delay)
	if h.hang {
		<-h.released
	}
	if h.when == Before {
		h.stop()
	}
	args, complaint := c.lower(args)
	if complaint != "" {
		_, _ = conn.Write([]byte("e\x01" + complaint + "\n\x00"))
		return
	}
	run := "x"
	if h.when == After {
		run = "w"
	}
	if _, err := conn.Write([]byte(run + strings.Join(args, "\x00") + "\x00")); err != nil || h.when != After {
		return
	}
	var status [4]byte
	if _, err := conn.Read(status[:]); err == nil {
		h.stop()
	}
}

// lower applies the limitations of the device to a command line. It returns another command line, or a complaint.
func (c *control) lower(args []string) (instead []string, complaint string) {
	for _, l := range c.old {
		if instead, complaint := l(args); instead != nil || complaint != "" {
			return instead, complaint
		}
	}
	if len(args) == 1 && filepath.Base(args[0]) == "sync" {
		return []string{"sync", "-f", "/"}, "" // sync only the device's disk; otherwise the kernel syncs all disks of this machine
	}
	return args, ""
}

// reads reports whether a command changes nothing. Tests do not stop at such a command, because the state before and after it is the
// same.
func reads(args []string) bool {
	words := map[string][]string{
		"dcb":  {"show"},
		"sync": {"--help"},
		"systemctl": {
			"--version", "cat", "is-active", "is-enabled", "is-failed", "is-system-running", "list-timers", "list-units", "show", "status",
		},
	}[filepath.Base(args[0])]
	return slices.ContainsFunc(args[1:], func(arg string) bool { return slices.Contains(words, arg) })
}

// begin counts a command that changes state, and returns its hold.
func (c *control) begin(args []string, unit string) hold {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := hold{Command: Command{Args: args, Unit: unit}, delay: c.delay, stopped: c.stopped, released: c.released}
	if !reads(args) {
		h.N = len(c.commands) + 1
		c.commands = append(c.commands, h.Command)
		if h.N == c.at {
			h.when = c.when
		}
	}
	if h.delay > 0 {
		c.delayed++
	}
	if c.hang != "" && strings.HasPrefix(strings.Join(args, " "), c.hang) {
		h.hang = true
		c.hung++
	}
	return h
}

func (c *control) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.released)
	c.released = make(chan struct{})
	c.at, c.hang = 0, ""
}

// unitOf returns the systemd unit of the process at the other end of conn. It is empty if the process has ended.
func unitOf(conn *net.UnixConn) string {
	raw, err := conn.SyscallConn()
	if err != nil {
		return ""
	}
	var who *syscall.Ucred
	asked := raw.Control(func(fd uintptr) { who, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED) })
	if errors.Join(asked, err) != nil {
		return ""
	}
	groups, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", who.Pid))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(groups)) {
		_, path, ok := strings.Cut(strings.TrimSpace(line), ":name=systemd:")
		if !ok {
			path, ok = strings.CutPrefix(strings.TrimSpace(line), "0::")
		}
		if ok && filepath.Base(path) != "/" {
			return filepath.Base(path)
		}
	}
	return ""
}

// StopAt stops the device at the n-th command from now on, before or after the command. The device waits there for [Device.Release]. With
// n = 0 the commands are only counted.
func (d *Device) StopAt(n int, when When) {
	c := d.control
	c.release()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.when, c.commands, c.stopped = n, when, nil, make(chan Command, 1)
}

// Stopped returns a channel that receives the command at which the device stops.
func (d *Device) Stopped() <-chan Command {
	d.control.mu.Lock()
	defer d.control.mu.Unlock()
	return d.control.stopped
}

// Release lets a stopped device and hanging commands continue.
func (d *Device) Release() { d.control.release() }

// Commands returns the commands since StopAt, in order.
func (d *Device) Commands() []Command {
	d.control.mu.Lock()
	defer d.control.mu.Unlock()
	return slices.Clone(d.control.commands)
}

// Transcript returns the commands since StopAt, a line each.
func (d *Device) Transcript() string {
	var b strings.Builder
	for _, c := range d.Commands() {
		fmt.Fprintf(&b, "%s [%s]\n", c, c.Unit)
	}
	return b.String()
}

// limitation simulates a feature that a program of an old system lacks. It returns another command line, or the error message of the
// program. Both are empty if the command line does not use the feature.
type limitation func(args []string) (instead []string, complaint string)

// jessie is the limitation of the programs of Debian 8 that a change uses: coreutils 8.23 and systemd 215.
var jessie = []limitation{
	func(args []string) ([]string, string) {
		if filepath.Base(args[0]) != "sync" || len(args) == 1 {
			return nil, ""
		}
		return []string{"sh", "-c", `echo "sync: ignoring all arguments" >&2; exec ` + programs + "/sync -f /"}, ""
	},
	func(args []string) ([]string, string) {
		return nil, unknown(args, "systemd-run", "--on-", "--timer-property", "--pipe", "--wait", "--collect", "--no-block")
	},
	func(args []string) ([]string, string) { return nil, unknown(args, "systemctl", "--now") },
}

// unknown returns the error message of a program for the first argument that begins with one of options. The program does not know these
// options.
func unknown(args []string, program string, options ...string) string {
	if filepath.Base(args[0]) != program {
		return ""
	}
	for _, arg := range args[1:] {
		if !strings.HasPrefix(arg, "-") || arg == "--" {
			break // the command to run
		}
		for _, o := range options {
			if strings.HasPrefix(arg, o) {
				name, _, _ := strings.Cut(arg, "=")
				return fmt.Sprintf("%s: unrecognized option '%s'", program, name)
			}
		}
	}
	return ""
}
