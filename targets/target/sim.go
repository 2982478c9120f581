package target

import (
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"path"
	"strconv"
	"strings"
	"time"
)

// This file is the contract of rehearsals: the target's part of a simulated device ([Image], [Sim], [Program]), and the lab's part
// ([Machine], [Proc]). Shells, files, interfaces and services are the lab's; a vendor's tools, daemons and drivers are their target's.

// Image is a device as it comes from the factory. Every call of [Target.Image] makes a new one, with state of its own.
type Image struct {
	Files    map[string]string // path to content, of a fresh system
	Services []string          // systemd units that are active, and do nothing: "ssh.service"
	Netdevs  []Netdev          // network interfaces
	Modules  []string          // kernel modules that can be loaded, in addition to those of every kernel
	Sims     []Sim             // what else behaves like the real thing
	Systemd  int               // version of systemd, where it is old enough to matter; 0: a current one
}

// Netdev is a network interface.
type Netdev struct {
	Name      string
	Index     int    // given by the machine
	MTU       int    // bytes; 0: 1500, or that of Parent
	SpeedMbps int    // 0: not known
	PCI       string // its function, "0000:03:00.0"; empty: the interface is virtual
	Driver    string // kernel module of the function
	Firmware  string // version, as the driver reports it
	Pause     bool   // it has 802.3x link pause; on until told otherwise
	Counters  []string
	Down      bool   // it has no link
	Master    string // the bond it is a port of; empty: none
	Parent    string // the interface below a VLAN; empty: it is no VLAN
	VLAN      int    // 1 to 4094
}

// PCIRoot is the folder of a machine's PCI functions.
const PCIRoot = "/sys/devices/pci0000:00"

// Sim is a part of a simulated device that has state: NICs with their driver and tools, a daemon.
type Sim interface {
	// Boot sets it up, in the state it is in after power on. It is called each time the machine starts, with the disk and the
	// interfaces in place, memory file systems empty and the machine's lock held.
	Boot(m Machine)
}

// Machine is the interface of the lab to a [Sim]. Every method but Do is called with the lock of the machine held: from Boot, from the
// functions of a [Node] or of a service, or inside Do.
type Machine interface {
	// Do runs f with the lock held, like a call of the kernel: nothing else happens on the machine meanwhile.
	Do(f func())

	// Install makes a program that every user may run.
	Install(path string, p Program)

	// Program returns the program that another part of the machine has installed at a path since the start; nil: there is none. Two drivers
	// share one tool this way: each passes calls for devices of the other on to it.
	Program(path string) Program

	// Service makes a systemd unit that starts with the machine; start is what starting, restarting and reloading it does, and
	// an error fails the unit. Only Boot may call it.
	Service(unit string, start func() error)

	// Active reports whether such a unit is active. It is asked outside of Do.
	Active(unit string) bool

	// Keep names state of a running machine that is not in files. A machine that is saved and loaded while it runs finds the saved state,
	// which replaces the state that Boot has set. Only Boot may call it.
	Keep(name string, s State)

	// Plant makes a file of sysfs or its kin, Folder a folder, and Link a symbolic link, each with the folders above it.
	Plant(path string, n Node)
	Folder(path string)
	Link(path, to string)

	// Remove takes away what was planted, with everything below it.
	Remove(path string)

	// ReadFile reads a file with root's rights, and AppendFile writes behind it as a daemon does that keeps a log.
	ReadFile(path string) ([]byte, error)
	AppendFile(path, text string)

	// WriteFile replaces what a file holds, as a daemon of root does that owns it; one that is not there is made, with mode 0644.
	WriteFile(path, text string)

	// Now is the machine's clock: the time since it was switched on for the first time. It goes on while the machine starts anew.
	Now() time.Duration

	// After calls f, with the lock held, when so much time has gone by. Stopping the machine takes it back, and so does stop.
	After(d time.Duration, f func()) (stop func())

	// Netdev returns the present state of an interface.
	Netdev(name string) (Netdev, bool)

	// Counter is the value of a counter of an interface.
	Counter(netdev, name string) uint64

	// Count adds to a counter of an interface.
	Count(netdev, name string, by uint64)

	// Marked reports whether a switch marks what an interface sends to an address in a cos, or receives where the address is not valid.
	Marked(netdev string, peer netip.Addr, cos int) bool

	// Change notes a change of something that is not a file, and reports whether it may be made.
	Change(what string) error
}

// Marker is a [Sim] of a switch that marks packets by ECN.
type Marker interface {
	// Marks gives the length of a queue, in bytes, from which packets of a cos are marked that leave by a port. It is called with the
	// machine's lock held.
	Marks(port string, cos int) (from int, ok bool)
}

// Holder is a [Sim] whose interfaces have addresses, whether or not it was booted.
type Holder interface {
	Holds(addr netip.Addr) (netdev string, ok bool)
}

// State is what part of a running machine holds, as a pointer to what encoding/json writes and reads back whole.
type State interface {
	// Valid reports whether a state that was read is one the machine can be in: where it was kept, anything may have been
	// written.
	Valid() bool
}

// Resumer is a [State] by which files come and go: Resume lays down those it needs after it was read back.
type Resumer interface {
	State
	Resume()
}

// Node is a file that does something when it is read or written, as those of sysfs, debugfs and configfs do.
type Node struct {
	Read  func() (string, error) // nil: it cannot be read
	Write func(string) error     // one call for each write(2); nil: it cannot be written

	// Mkdir makes the file a folder in which folders can be made: it gives the files a new one begins with, by their
	// paths in it. Removing the folder removes them. Where several parts of a machine plant one folder, the first that gives no
	// error makes it.
	Mkdir func(name string) (map[string]Node, error)
}

// TextNode is a file of one line; set may be nil.
func TextNode(get func() string, set func(string) error) Node {
	return Node{Read: func() (string, error) { return get() + "\n", nil }, Write: set}
}

// NumberNode is a file of one number; set may be nil. What is not a number is EINVAL, as kstrtoint has it.
func NumberNode(get func() int, set func(int) error) Node {
	n := TextNode(func() string { return strconv.Itoa(get()) }, nil)
	if set != nil {
		n.Write = func(s string) error {
			v, err := strconv.ParseInt(strings.TrimSuffix(s, "\n"), 0, 32)
			if err != nil {
				return EINVAL
			}
			return set(int(v))
		}
	}
	return n
}

// Errno is an error of a device's kernel; its text is the one its C library prints.
type Errno string

// Error returns the text.
func (e Errno) Error() string { return string(e) }

// The errors simulated drivers and daemons give.
const (
	EINVAL     Errno = "Invalid argument"
	EIO        Errno = "Input/output error"
	ENODEV     Errno = "No such device"
	ENOENT     Errno = "No such file or directory"
	ENOMEM     Errno = "Cannot allocate memory"
	EOPNOTSUPP Errno = "Operation not supported"
	EPERM      Errno = "Operation not permitted"
)

// Program runs a program of a simulated device; it returns the exit status.
type Program func(*Proc) int

// Proc is one run of a [Program].
type Proc struct {
	Args   []string  // Args[0] is the path it was called by
	Stdout io.Writer // what it prints is passed on when it ends
	Stderr io.Writer
	Root   bool   // it runs with root's rights
	User   string // who runs it: "cumulus"

	// ReadFile reads a file with the rights of who runs the program, from the folder it runs in; "-" is its standard input.
	ReadFile func(name string) ([]byte, error)
}

// Name returns the name that the program has in its messages.
func (p *Proc) Name() string { return path.Base(p.Args[0]) }

// CommandLine returns the command as typed: "dcb pfc show dev ens1f0".
func (p *Proc) CommandLine() string { return p.Name() + " " + strings.Join(p.Args[1:], " ") }

// Print writes to Stdout.
func (p *Proc) Print(s string) { _, _ = io.WriteString(p.Stdout, s) }

// PrintJSON writes a value to Stdout, with two blanks a level, and returns 0.
func (p *Proc) PrintJSON(v any) int {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic("target: " + err.Error()) // what tools print is texts, numbers and truth values
	}
	p.Print(string(text) + "\n")
	return 0
}

// Fail writes a line to Stderr and returns status.
func (p *Proc) Fail(status int, format string, args ...any) int {
	fmt.Fprintf(p.Stderr, format+"\n", args...)
	return status
}

// Getopt parses options as getopt_long(3) of the GNU C library does, operands anywhere. spec holds the letters, with a colon after each
// that takes a value; long maps long names to letters. set has the values of each option in the order of the arguments. complaint is the
// message that the library would print; empty: there is no mistake.
func Getopt(args []string, spec string, long map[string]byte) (set map[byte][]string, rest []string, complaint string) {
	set = map[byte][]string{}
	takes := func(c byte) bool {
		i := strings.IndexByte(spec, c)
		return i >= 0 && i+1 < len(spec) && spec[i+1] == ':'
	}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return set, append(rest, args...), ""
		case strings.HasPrefix(arg, "--"):
			name, value, hasValue := strings.Cut(arg[2:], "=")
			c, known := long[name]
			if !known {
				return nil, nil, "unrecognized option '" + arg + "'"
			}
			if takes(c) && !hasValue {
				if len(args) == 0 {
					return nil, nil, "option '" + arg + "' requires an argument"
				}
				value, args = args[0], args[1:]
			}
			set[c] = append(set[c], value)
		case len(arg) > 1 && arg[0] == '-':
			for j := 1; j < len(arg); j++ {
				c := arg[j]
				if c == ':' || strings.IndexByte(spec, c) < 0 {
					return nil, nil, fmt.Sprintf("invalid option -- '%c'", c)
				}
				if !takes(c) {
					set[c] = append(set[c], "")
					continue
				}
				value := arg[j+1:]
				if value == "" {
					if len(args) == 0 {
						return nil, nil, fmt.Sprintf("option requires an argument -- '%c'", c)
					}
					value, args = args[0], args[1:]
				}
				set[c] = append(set[c], value)
				break
			}
		default:
			rest = append(rest, arg)
		}
	}
	return set, rest, ""
}
