package target

import (
	"slices"
	"strconv"
	"strings"
)

// Inspection is the query that reads the values of a device that the fabric assumes and rocec does not write. Parse reads its answer.
type Inspection struct {
	Query
	Parse func(answer []byte) *Seen // never nil, for any bytes
}

// Part is a part of Seen; its text is used in the JSON and in sentences.
type Part string

// The parts.
const (
	PartPorts      Part = "ports"
	PartVLANs      Part = "VLANs"
	PartBonds      Part = "bonds"
	PartMLAG       Part = "MLAG state"
	PartNeighbours Part = "LLDP neighbours"
)

// Parts are all parts, in the order in which they are printed.
var Parts = []Part{PartPorts, PartVLANs, PartBonds, PartMLAG, PartNeighbours}

// Seen is a device's answer about its ports and their neighbours, independent of the vendor. Parts that could not be read are in Unread,
// and count neither as good nor as bad.
type Seen struct {
	Name   string               // the device's hostname; empty: not stated
	Ports  map[string]*SeenPort // by name: the cabled ports of the fabric that the device has
	Spare  map[string]bool      // the names of its other ports, which the fabric does not cable; empty for a NIC
	Absent map[string]string    // by name of a cabled port that is missing: the interface that exists instead, as a clause
	Bonds  map[string]*SeenBond // by name
	MLAG   bool                 // the device is in an MLAG pair
	Unread map[Part]string      // the reason, in a few words: "lldpctl is not installed"
}

// SeenPort is a port of a device.
type SeenPort struct {
	MTU        int          // bytes; 0: not stated
	Speed      int          // Mb/s; 0: not stated, for example without a link
	Up         bool         // the port has a link
	MAC        string       // its MAC address, in lower case; empty: not stated
	Bond       string       // the bond of the port; empty: none
	VLANs      map[int]bool // VLANs of the fabric at the port: whether frames leave with a tag
	Neighbours []Neighbour
}

// SeenBond is a bond of ports.
type SeenBond struct {
	Mode    string   // in the spelling of the kernel: "802.3ad", "balance-xor"
	Ports   []string // its ports, in the order of the kernel
	Partner bool     // the other side speaks LACP, or the mode needs no partner
}

// Neighbour is the device at the other end of a port, as it describes itself by LLDP.
type Neighbour struct {
	Device string // its name; empty: not stated
	Ports  []string
	MAC    string // the address by which it names its port, if it does

	Address string // its management address; empty: not stated
	System  string // its description of its system; empty: none
}

// NotRead records that a part was not read. The first reason stays.
func (s *Seen) NotRead(p Part, why string) {
	if s.Unread == nil {
		s.Unread = map[Part]string{}
	}
	if _, known := s.Unread[p]; !known {
		s.Unread[p] = why
	}
}

// Read reports whether a part was read.
func (s *Seen) Read(p Part) bool {
	if s == nil {
		return false
	}
	_, not := s.Unread[p]
	return !not
}

// mostOfPart limits the bytes that are read of one program's output. [LookScript] cuts the output there, and [Lines.Part] accepts no more.
// It is twice the size of 128 neighbours of two kilobytes each.
const mostOfPart = 524288

// LookScript is the beginning of the script of an [Inspection]. Its function port NAME... prints a line for each existing interface. part
// NAME COMMAND... prints the output of a command as one line, with its status at the end. Output cannot forge a line, because each answer
// is one line.
const LookScript = `port() {
for i in "$@"; do
d=/sys/class/net/$i m='' s='' c='' a=''
[ -e "$d" ] || continue
{ read -r m <"$d/mtu"; read -r s <"$d/speed"; read -r c <"$d/carrier"; read -r a <"$d/address"; } 2>/dev/null
printf 'port %s %s %s %s %s\n' "$i" "${m:--}" "${s:--}" "${c:--}" "${a:--}"
done
echo 'end port'
}
part() {
n=$1
shift
printf '%s ' "$n"
{ timeout 5 "$@" 2>/dev/null; echo " $?"; } | head -c 524288 | tr '\n' ' '
echo
}
printf 'name %s\n' "$(uname -n)"
`

// Lines are the lines of an answer to a [LookScript], by their first word.
type Lines map[string][]string

// mostLines limits the lines: interfaces and bonds of the largest switch, with VLANs on each.
const mostLines = 65536

// ReadLines splits an answer into lines.
func ReadLines(answer []byte) Lines {
	out := Lines{}
	n := 0
	for line := range strings.Lines(string(answer)) {
		if n++; n > mostLines {
			break
		}
		word, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		out[word] = append(out[word], rest)
	}
	return out
}

// Ended reports whether all lines of a word have arrived.
func (l Lines) Ended(word string) bool {
	return slices.Contains(l["end"], word)
}

// Part returns the output of a command; why states why it is unknown, and is empty otherwise.
func (l Lines) Part(name, command string) (text, why string) {
	if len(l[name]) != 1 {
		return "", "the answer breaks off"
	}
	line := strings.TrimRight(l[name][0], " ")
	text, status := "", line
	if i := strings.LastIndexByte(line, ' '); i >= 0 {
		text, status = line[:i], line[i+1:]
	}
	n, err := strconv.ParseUint(status, 10, 8)
	switch {
	case err != nil || len(text) > mostOfPart: // the script cuts there, but a hostile device may not
		return "", "the answer of " + command + " breaks off, or is longer than " + strconv.Itoa(mostOfPart>>10) + " KiB"
	case n == 124 || n == 137:
		return "", command + " does not answer"
	case n == 126 || n == 127:
		return "", command + notInstalled
	case n > 0:
		return "", command + " fails, with status " + strconv.FormatUint(n, 10)
	}
	return text, ""
}

const notInstalled = " is not installed"

// NotInstalled reports whether a reason of [Lines.Part] is that the program is not installed.
func NotInstalled(why string) bool { return strings.HasSuffix(why, notInstalled) }

// ReadPorts reads the lines of ports, and the name of the device. It leaves out the ports for which want is false.
func (l Lines) ReadPorts(s *Seen, want func(name string) bool) {
	if names := l["name"]; len(names) == 1 && len(names[0]) <= mostName {
		s.Name = strings.TrimSpace(names[0])
	}
	s.Ports = map[string]*SeenPort{}
	for _, line := range l["port"] {
		f := strings.Fields(line)
		if len(f) != 5 || !want(f[0]) {
			continue
		}
		number := func(text string) int {
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 {
				return 0
			}
			return n
		}
		p := &SeenPort{MTU: number(f[1]), Speed: number(f[2]), Up: f[3] == "1", MAC: mac(f[4])}
		if !p.Up {
			p.Speed = 0 // of the last link, or the wanted speed
		}
		s.Ports[f[0]] = p
	}
	if !l.Ended("port") {
		s.NotRead(PartPorts, "the answer breaks off")
	}
}

// mac returns a MAC address in lower case; empty: the text has another form.
func mac(text string) string {
	if len(text) != len("00:00:00:00:00:00") || strings.Trim(text, "0123456789abcdefABCDEF:") != "" {
		return ""
	}
	return strings.ToLower(text)
}

// ReadNeighbours reads the part "lldp", from lldpctl, and sets the neighbours of ports.
func (l Lines) ReadNeighbours(s *Seen) {
	text, why := l.Part("lldp", "lldpctl")
	if why != "" {
		s.NotRead(PartNeighbours, why)
		return
	}
	of, ok := Neighbours([]byte(text))
	if !ok {
		s.NotRead(PartNeighbours, "what lldpctl prints is not known")
		return
	}
	for name, p := range s.Ports {
		p.Neighbours = of[name]
	}
}
