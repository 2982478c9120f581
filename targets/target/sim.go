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
// ([Machine], [Proc]). The lab provides shells, files, interfaces and services; a target provides its vendor's tools, daemons and drivers.

// Image is a factory-new device. Every call of [Target.Image] makes a new one with separate state.
type Image struct {
	Files    map[string]string // path to content, of a fresh system
	Services []string          // active systemd units without a function: "ssh.service"
	Netdevs  []Netdev          // network interfaces
	Modules  []string          // kernel modules that can be loaded, in addition to those of every kernel
	Sims     []Sim             // parts that behave like the real ones
	Systemd  int               // version of systemd, if it is old enough to matter; 0: a current one
}

// Netdev is a network interface.
type Netdev struct {
	Name      string
	Index     int    // assigned by the machine
	MTU       int    // bytes; 0: 1500, or the MTU of Parent
	SpeedMbps int    // 0: unknown
	PCI       string // its PCI function, "0000:03:00.0"; empty: the interface is virtual
	Driver    string // kernel module of the function
	Firmware  string // version that the driver reports
	Pause     bool   // it has 802.3x link pause; initially on
	Stall     string // the tunable of stall prevention, in ms; empty: the interface lacks it
	Counters  []string
	Down      bool   // it has no link
	Master    string // the bond of which it is a port; empty: none
	Parent    string // the interface below a VLAN; empty: not a VLAN
	VLAN      int    // 1 to 4094
}

// PCIRoot is the folder of a machine's PCI functions.
const PCIRoot = "/sys/devices/pci0000:00"

// Sim is a part of a simulated device with state, such as NICs with their driver and tools, or a daemon.
type Sim interface {
	// Boot sets up the part in its state after power on. It is called each time the machine starts: the disk and the interfaces exist, memory
	// file systems are empty, and the machine's lock is held.
	Boot(m Machine)
}

// Flag is a private flag of a driver. Set returns the driver's error.
type Flag struct {
	Get func() bool
	Set func(on bool) error
}

// Machine is the interface of the lab to a [Sim]. Every method but Do is called with the lock of the machine held: from Boot, from the
// functions of a [Node] or of a service, or inside Do.
type Machine interface {
	// Do runs f with the lock held, like a system call: nothing else happens on the machine meanwhile.
	Do(f func())

	// Install makes a program that every user may run.
	Install(path string, p Program)

	// Program returns the program that another part of the machine has installed at a path since the start; nil: not found. Two drivers
	// can share a tool in this way: each passes on calls for devices of the other.
	Program(path string) Program

	// Service makes a systemd unit that starts with the machine; start runs when the unit is started, restarted or reloaded, and an error
	// fails the unit. Only Boot may call it.
	Service(unit string, start func() error)

	// Active reports whether such a unit is active. It is called outside of Do.
	Active(unit string) bool

	// Keep registers state of a running machine that is not in files. If a running machine is saved and loaded, the saved state replaces the
	// state that Boot has set. Only Boot may call it.
	Keep(name string, s State)

	// Plant makes a file of sysfs or a similar file system, Folder a folder, and Link a symbolic link, each with its parent folders.
	Plant(path string, n Node)
	Folder(path string)
	Link(path, to string)

	// Remove deletes a planted file or folder, with everything below it.
	Remove(path string)

	// ReadFile reads a file with root's rights, and AppendFile appends to it like a daemon that writes a log.
	ReadFile(path string) ([]byte, error)
	AppendFile(path, text string)

	// WriteFile replaces the content of a file with root's rights, and creates a missing file with mode 0644.
	WriteFile(path, text string)

	// Now returns the machine's clock: the time since it was first switched on. The clock continues while the machine restarts.
	Now() time.Duration

	// After calls f, with the lock held, after the given time. Stopping the machine cancels the call, and so does stop.
	After(d time.Duration, f func()) (stop func())

	// Netdev returns the present state of an interface.
	Netdev(name string) (Netdev, bool)

	// PrivateFlag gives an interface a private flag of its driver, which ethtool shows and sets. Only Boot may call it.
	PrivateFlag(netdev, name string, f Flag)

	// Counter returns the value of a counter of an interface.
	Counter(netdev, name string) uint64

	// Count adds to a counter of an interface.
	Count(netdev, name string, by uint64)

	// Marked reports whether a switch marks packets in a cos that an interface sends to an address, or, if the address is not valid, packets
	// that it receives.
	Marked(netdev string, peer netip.Addr, cos int) bool

	// Paused reports packets that an interface sends in a cos to an address. It returns how often the switch at its cable pauses it for them.
	Paused(netdev string, peer netip.Addr, cos int, packets uint64) uint64

	// Change records a change that is not a change of a file, and reports whether it is allowed.
	Change(what string) error
}

// Marker is a [Sim] of a switch that marks packets by ECN.
type Marker interface {
	// Marks returns the queue length, in bytes, at which marking begins for packets of a cos that leave by a port. It is called with the
	// machine's lock held.
	Marks(port string, cos int) (from int, ok bool)
}

// Pauser is a [Sim] of a switch that pauses senders by PFC, if it is set to.
type Pauser interface {
	// Pause makes the packets of a cos that enter by a port fill the buffer of the port. The switch either pauses the sender, or drops
	// packets, and counts it. Pause returns the number of pauses, and is called with the machine's lock held.
	Pause(port string, cos int, packets uint64) uint64
}

// Holder is a [Sim] whose interfaces have addresses, even before it is booted.
type Holder interface {
	Holds(addr netip.Addr) (netdev string, ok bool)
}

// State is the state of a part of a running machine, as a pointer to a value that encoding/json can write and read back completely.
type State interface {
	// Valid reports whether a loaded state is possible for the machine, because the saved file may contain anything.
	Valid() bool
}

// Resumer is a [State] on which files depend: Resume creates the files that it needs after it was loaded.
type Resumer interface {
	State
	Resume()
}

// Node is a file with functions for reading and writing, like the files of sysfs, debugfs and configfs.
type Node struct {
	Read  func() (string, error) // nil: it cannot be read
	Write func(string) error     // one call for each write(2); nil: it cannot be written

	// Mkdir makes the file a folder in which folders can be made: it returns the initial files of a new folder, by their paths in it. Removing
	// the folder removes them. If several parts of a machine plant one folder, the first that returns no error makes the new folder.
	Mkdir func(name string) (map[string]Node, error)
}

// TextNode is a file of one line; set may be nil.
func TextNode(get func() string, set func(string) error) Node {
	return Node{Read: func() (string, error) { return get() + "\n", nil }, Write: set}
}

// NumberNode is a file of one number; set may be nil. Writing other text is EINVAL, as in kstrtoint.
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

// Errno is an error of a device's kernel, with the text of its C library.
type Errno string

// Error returns the text.
func (e Errno) Error() string { return string(e) }

// The errors of simulated drivers and daemons.
const (
	EEXIST     Errno = "File exists"
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
	Args   []string  // Args[0] is the path by which it was called
	Stdout io.Writer // its output is passed on when it ends
	Stderr io.Writer
	Root   bool   // it runs with root's rights
	User   string // the user who runs it: "cumulus"

	// ReadFile reads a file with the rights of the program's user, relative to its working directory; "-" is its standard input.
	ReadFile func(name string) ([]byte, error)
}

// Name returns the name that the program has in its messages.
func (p *Proc) Name() string { return path.Base(p.Args[0]) }

// CommandLine returns the command as typed: "dcb pfc show dev ens1f0".
func (p *Proc) CommandLine() string { return p.Name() + " " + strings.Join(p.Args[1:], " ") }

// Print writes to Stdout.
func (p *Proc) Print(s string) { _, _ = io.WriteString(p.Stdout, s) }

// PrintJSON writes a value to Stdout, with an indent of two blanks, and returns 0.
func (p *Proc) PrintJSON(v any) int {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic("target: " + err.Error()) // tools print only texts, numbers and truth values
	}
	p.Print(string(text) + "\n")
	return 0
}

// Fail writes a line to Stderr and returns status.
func (p *Proc) Fail(status int, format string, args ...any) int {
	fmt.Fprintf(p.Stderr, format+"\n", args...)
	return status
}

// Getopt parses options like getopt_long(3) of the GNU C library, with operands anywhere. spec contains the letters, with a colon after
// each letter with a value; long maps long names to letters. set contains the values of each option in the order of the arguments.
// complaint is the message that the library would print; empty: there is no mistake.
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
