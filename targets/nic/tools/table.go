package tools

import (
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/bnxt"
	"github.com/rocec/rocec/targets/nic/ice"
	"github.com/rocec/rocec/targets/nic/mlx4"
	"github.com/rocec/rocec/targets/nic/mlx5"
	"github.com/rocec/rocec/targets/nic/rxe"
)

// Printout describes a form in which a host states settings of its NICs: the output of a tool with its options, or files of a driver.
type Printout struct {
	Name    string      // the name of the tool, as in a command line
	Aliases []string    // other names of the tool
	Rows    []Statement // statements in its output, in the order in which they are tried
	Options []Statement // statements in its command line

	// command reads a command line: the values that it sets, and the NIC of its output.
	command func(p *Printout, r *reader, args []string)

	weak  weakness // the weakness of its values
	alone bool     // without arguments it prints a state

	// begins reports whether a line begins output of the tool, for output without a command line; nil: no line does.
	begins func(line string) bool

	// other reads a line without a statement; nil: every line has one.
	other func(p *Printout, r *reader, line string) bool

	// json reads an object of JSON, and reports whether the tool prints such objects.
	json func(p *Printout, r *reader, object map[string]any) bool
}

// Statement is a row of a printout.
type Statement struct {
	Key   string     // the beginning of the row, or the name of an option
	With  string     // a further text in the line; empty: any line
	Short string     // the short name of an option
	Means ir.Field   // the field that it sets
	More  []ir.Field // further ones
	Aside string     // why it sets no field

	// read reads the text after the key, and returns why it is wrong; nil: the text is not read.
	read func(r *reader, rest string) (why string)

	free bool // it is also read if the NIC is unknown
	flag bool // the option has no value
}

// Further reasons why rows set no field, beside those of package nic.
const (
	heading  = "a heading"
	counter  = "a counter, no setting"
	hardware = "it describes the hardware"
	absent   = "the NIC or its driver has no such setting"
	default_ = "the priority of packets without a value has no field"
	apps     = "the priority of an application's packets has no field"
	peer     = "it is about the peer, or advice for the peer"
	which    = "it names the interface of a device"
	asks     = "a command that sets nothing"
	shell    = "a command that sets nothing on NICs"
	boots    = "it decides when and how commands run"
)

// toolbox contains the known forms, in the order in which they are tried on the first line of an output.
type toolbox struct {
	all    []*Printout
	byName map[string]*Printout
}

// newToolbox returns a toolbox, which finds forms by the names of their commands.
func newToolbox(all ...*Printout) *toolbox {
	t := &toolbox{all, map[string]*Printout{}}
	for _, p := range all {
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			t.byName[name] = p
		}
	}
	return t
}

// of returns the tool with the name in a command line; nil: the tool is unknown. The case of a PowerShell cmdlet does not matter.
func (t *toolbox) of(word string) *Printout {
	if p := t.byName[baseOf(word)]; p != nil || !strings.Contains(word, "-") {
		return p
	}
	return t.byName[strings.ToLower(word)]
}

// baseOf returns the name of a program without its folder.
func baseOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// valueRows returns the keys of all families' value files.
var valueRows = sync.OnceValue(func() []nic.Row {
	all := slices.Concat(mlx5.Rows(), mlx4.Rows(), bnxt.Rows(), ice.Rows(), rxe.Rows())
	sort.SliceStable(all, func(i, k int) bool { return all[i].Key < all[k].Key })
	return slices.CompactFunc(all, func(a, b nic.Row) bool { return a.Key == b.Key })
})

// row reads a line with the table of a tool, and reports whether a row of the table matches.
func (p *Printout) row(r *reader, line string) bool {
	text := strings.TrimSpace(line)
	for i := range p.Rows {
		row := &p.Rows[i]
		if !strings.HasPrefix(text, row.Key) || !strings.Contains(text, row.With) {
			continue
		}
		r.apply(row, strings.TrimSpace(text[len(row.Key):]))
		return true
	}
	return p.other != nil && p.other(p, r, line)
}

// apply reads the value of a statement, and counts the statement.
func (r *reader) apply(row *Statement, rest string) {
	why := ""
	switch {
	case r.uncertain:
		r.forget(row)
	case row.read == nil:
	case len(r.on) == 0 && !row.free:
		why = noNIC
	default:
		why = row.read(r, rest)
	}
	r.count(row, why)
}
