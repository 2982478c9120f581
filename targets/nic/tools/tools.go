// Package tools reads the settings of the NICs of a host without rocec. A [Printout] describes the output of a tool, the options by which
// the tool sets a value, or a file of the driver.
//
// The package reads the pasted text of a terminal, and files with the output of one command. It also reads value files of rocec, and shell
// scripts and systemd units with such commands. The command line above an output, the name of the file, or the first line of the output
// shows which tool printed it. Lines of an unknown tool are counted as not understood.
//
// Reading never fails. A value is stated or unknown: the only default of a system that the package assumes is the map of a VLAN. If a
// setting has two values, the later one counts, and a running value overrides one that a script sets. The tool lldptool prints the
// configuration of lldpad; its values only count if no other tool printed them.
package tools

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/nicoperator"
	"github.com/rocec/rocec/targets/target"
)

// The limits of the input. Content beyond them is counted as not understood.
const (
	mostBytes  = 32 << 20 // in one file
	mostLine   = 64 << 10 // in one line that is not JSON
	mostMissed = 1000     // rows of one file that are listed separately
	mostBroken = 100      // documents of JSON in one file that end too early
)

// The reasons why a row is not understood.
const (
	noTool    = "no known tool prints it"
	noNIC     = "no command line above it shows its interface: write the interface into the name of the file, such as mlnx_qos_ens1f0.txt"
	noNetdev  = "the interface of the RDMA device is unknown: also print rdma link, ibdev2netdev or show_gids"
	noSense   = "the value is not valid here"
	noOption  = "the tool has no such option"
	noCommand = "an unknown command"
	tooMuch   = "it is too long to be read"
	variable  = "the value of a variable is unknown here"
	maybe     = "it runs under a condition, in a loop or in a function"
	replaced  = "it is unknown whether the previous command succeeds"
)

// place identifies a value of a port; index -1 is the whole field.
type place struct {
	port  string
	field ir.Field
	index int
}

// host contains the values of a host that were read so far.
type host struct {
	box      *toolbox
	id       target.Identity
	nics     map[string]*card
	links    map[string]*link
	netdevs  map[string]string // by RDMA device, PCI address, or number of niccli
	drivers  map[string]string // by RDMA device
	firmware map[string]string // by RDMA device
	aliases  map[string]bool   // names of adapters in Windows
	values   map[string]valueFile
	coverage target.Coverage

	keep       *keeping // the replacements of lines; nil: not wanted
	places     map[place]diag.Range
	wherever   bool // places are wanted
	unresolved bool // some device had no interface yet
}

// valueFile is the content of a value file of rocec.
type valueFile struct {
	settings ir.PortSettings
	stored   bool
}

// read reads all files: first the files that the host reads when it starts, then captures of output.
func (h *host) read(contents map[string][]byte) {
	paths := slices.Sorted(maps.Keys(contents))
	for _, stored := range []bool{true, false} {
		for _, path := range paths {
			h.file(path, contents[path], stored)
		}
	}
}

// file reads a file if it is stored configuration and stored is true, or if neither is so.
func (h *host) file(path string, content []byte, stored bool) {
	r := &reader{h: h, path: path, stored: stored, commands: stored}
	if name, is := nic.IsValues(path); is && (strings.HasSuffix(path, ".conf") || isState(content)) {
		if stored {
			h.valueFile(name, path, content)
		}
		return
	}
	if nicoperator.Is(content) {
		if stored {
			h.objects(nicoperator.Understand(path, content, h.id))
		}
		return
	}
	if len(content) > mostBytes {
		if stored {
			r.miss(path, tooMuch)
		}
		return
	}
	text, same := plainText(content)
	if same {
		r.source = text
	}
	switch isUnit, isScript := unit(path, text), h.box.script(path, text); {
	case isUnit != "" && stored:
		r.unit(text, isUnit)
	case isUnit == "" && isScript && stored:
		r.script(text)
	case isUnit == "" && !isScript && !stored:
		if h.keep != nil {
			h.keep.capture = true
		}
		r.capture(text)
	}
	r.end()
}

// isState reports whether a text is the output of show of rocec's script: its first line has a key of a value file.
func isState(content []byte) bool {
	line, _, _ := bytes.Cut(content, []byte("\n"))
	key, _, ok := strings.Cut(string(line), "=")
	return ok && slices.ContainsFunc(valueRows(), func(r nic.Row) bool { return r.Key == key })
}

// valueFile reads a value file of rocec.
func (h *host) valueFile(name, path string, content []byte) {
	p, c := nic.UnderstandValues(path, content, valueRows(), func(f ir.Field, index int, at diag.Range) {
		if h.wherever {
			h.places[place{name, f, index}] = at
		}
	})
	h.coverage.Add(c)
	h.value(name, valueFile{p, !strings.HasPrefix(strings.TrimPrefix(path, "/"), "nic/")})
}

// objects takes the settings in objects of the NIC configuration operator, which are stored ones.
func (h *host) objects(u *nicoperator.Understood) {
	h.coverage.Add(u.Coverage)
	for name, p := range u.Ports {
		h.value(name, valueFile{p, true})
		for f, at := range u.Where[name] {
			if h.wherever {
				h.places[place{name, f, -1}] = at
			}
		}
	}
}

// value keeps the values of a NIC.
func (h *host) value(name string, v valueFile) {
	if h.values == nil {
		h.values = map[string]valueFile{}
	}
	h.values[name] = v
}

// card returns the NIC with a name. It creates the NIC if necessary.
func (h *host) card(name string) *card {
	n := h.nics[name]
	if n == nil {
		if h.nics == nil {
			h.nics = map[string]*card{}
		}
		n = newCard(name)
		h.nics[name] = n
	}
	return n
}

// netdev returns the interface of an RDMA device, a PCI address or a number of niccli; empty: unknown.
func (h *host) netdev(device string) string {
	name := h.netdevs[device]
	if name == "" {
		h.unresolved = true
	}
	return name
}

// names stores the interface of a device. The first interface counts, since a GID table continues with the VLANs of the interface.
func (h *host) names(device, netdev string) {
	if h.netdevs == nil {
		h.netdevs = map[string]string{}
	}
	if h.netdevs[device] == "" && device != "" && isName(netdev) {
		h.netdevs[device] = netdev
	}
}

// reader reads one file.
type reader struct {
	h      *host
	path   string
	source string // the bytes of the file; empty: its text has other bytes
	starts []int  // where lines begin in source, after a place was requested
	stored bool
	line   int
	text   string // the present row
	missed int

	commands  bool // the file is a script: several commands in a line count once
	missedAt  int  // the line and the reason of the last missed row
	missedWhy string

	uncertain bool     // the commands may not run: values that they set become unknown
	quiet     bool     // the statements were already counted
	weak      weakness // the weakness of the values

	tool    *Printout
	section // the present output of the tool
}

// section is the state of reading one output of a tool.
type section struct {
	on      []*card // the NICs of the output; empty: not stated
	device  string  // the RDMA device, for a tool of RDMA devices
	file    string  // the printed file
	heading string  // the heading of the present part
	class   int     // the traffic class of the present part; -1: none
	app     [3]int  // priority, selector and protocol of an application entry
	link    *link
	columns []string // the columns of a table, from its heading
}

// at returns the place of the present row.
func (r *reader) at() diag.Range {
	at := diag.Range{Filename: r.path}
	at.Start.Line, at.Start.Column, at.End.Line, at.End.Column = r.line, 1, r.line, len(r.text)+1
	if r.starts == nil {
		r.starts = append(r.starts, 0)
		for i := range len(r.source) {
			if r.source[i] == '\n' {
				r.starts = append(r.starts, i+1)
			}
		}
	}
	if r.line > 0 && r.line <= len(r.starts) && r.source != "" {
		from := r.starts[r.line-1]
		line, _, _ := strings.Cut(r.source[from:], "\n")
		at.Start.Byte, at.End.Byte = from, from+min(len(r.text), len(line))
	}
	return at
}

// miss counts a row that is not understood.
func (r *reader) miss(row, why string) {
	if r.uncertain || r.quiet || r.commands && r.missedAt == r.line && r.missedWhy == why { // it was counted
		return
	}
	r.missedAt, r.missedWhy = r.line, why
	r.missed++
	if r.missed <= mostMissed {
		if len(row) > 200 {
			row = row[:200]
		}
		r.h.coverage.Miss(strings.TrimSpace(strings.ToValidUTF8(row, "?")), why, r.at())
	}
}

// end ends a file.
func (r *reader) end() {
	r.leave()
	if more := r.missed - mostMissed; more > 0 {
		r.h.coverage.Miss("further lines", noTool, r.at())
		r.h.coverage.Rows += more - 1
	}
}

// count counts a statement of the table; why states a fault of its value.
func (r *reader) count(row *Statement, why string) {
	switch {
	case r.uncertain || r.quiet:
	case why != "":
		r.miss(r.text, why)
	case row.Means == ir.NoField:
		r.h.coverage.Leave(row.Aside)
	default:
		r.h.coverage.Mean(row.Means)
		for _, f := range row.More {
			r.h.coverage.Means[f]++
		}
	}
}
