package targets

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/forwarding"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/settings"
)

// Made describes how a fabric was made from files. Guessed values of the fabric do not complete the files.
type Made struct {
	Releases map[string]bool   // devices whose release no file states
	Names    map[string]string // of devices, by their files
	Checked  *Checked          // results of linters for the files; nil: the linters judge them again
}

// judging is the state while files are judged.
type judging struct {
	linters lint.Linters
	checked *Checked // results of linters; nil: not known yet
	files   []lint.File
	fabric  *ir.Fabric            // nil: each device is judged by its files alone
	made    *Made                 // how the fabric was made from the files; nil: people described it
	named   map[string]*ir.Device // of the fabric
	sent    *sentMarks            // by members of the fabric; nil: not counted yet
	devices []device
	shown   bool            // rows that are not understood are listed beside no findings
	id      target.Identity // of the current device; its parts are empty if no fabric has the device
	taken   []lint.Taken
	read    []reading
	found   diag.List
	linted  map[string]diag.List // the findings of linters above a note, by file

	switches []*settings.Reading              // one for each device, for the rules that compare several
	ends     map[*ir.Device]*settings.Reading // the same by device of the fabric, including hosts

	written map[[sha256.Size]byte]*ir.Settings
	compare func(*besideRead) // receives a device with differences; nil: they are counted in a note
}

// besideRead is a device whose files were read and compared with its fabric.
type besideRead struct {
	*device
	read   *target.Understood
	unlike []string          // statements of the files about the device itself that differ from the fabric
	told   map[ir.Field]bool // fields for which a finding reports a value
}

// reading is the result of the reader of a system for a file.
type reading struct {
	row  *target.Target     // nil: tools of a host
	own  *target.Understood // of the file alone; nil: the file was not read
	host bool
	not  []target.NotRead // further rows that are not understood in combination with the other files of the device

	neighbours map[string][]target.Neighbour // from a file that contains nothing else
	named      string                        // the device name, from a file that contains nothing else
	speeds     map[string]int                // of interfaces, from a file that contains nothing else
	states     *target.Target                // the row whose release the file states; nil: the file states no release
	counters   bool                          // the file contains only counters of pauses
	routes     bool                          // the file contains only the routing of the device
	forwarding *forwarding.Answer            // from a file that contains only forwarding; nil: it is no such answer
	unrouted   string                        // why a file with the name of such an answer is not read; empty: it is read, or has another name
	forwards   *forwardAnswer                // from a file with another answer about forwarding; nil: it is no such answer
	unshown    string                        // why a file with the name of such an answer is not read; empty: it is read, or has another name
}

// settings reports whether a file may contain settings: some files contain only one other kind of fact.
func (r *reading) settings() bool {
	return r.neighbours == nil && r.states == nil && !r.routes && r.named == "" && r.speeds == nil && r.forwarding == nil &&
		r.unrouted == "" && r.forwards == nil && r.unshown == "" && !r.counters
}

// tooLarge returns the reason why a file beyond its linter's size limit is not read: it may be cut off. Empty: it is complete.
func (j *judging) tooLarge(f lint.File) string {
	if most := max(j.linters.Of(f).Most, MostObjects(f)); len(f.Data) > most {
		return fmt.Sprintf("it is larger than %d MiB", most>>20)
	}
	return ""
}

// rowOf returns the row whose linter accepts a file; nil: it has no reader, or the file is too large.
func (j *judging) rowOf(f lint.File) *target.Target {
	one := j.linters.Of(f)
	for _, row := range All {
		if row.Files == one && row.Understand != nil && len(f.Data) <= one.Most {
			return row
		}
	}
	return nil
}

// sameFiles returns the files that contain the same settings as another file of their device, in another form.
func sameFiles(j *judging) map[int]bool {
	out := map[int]bool{}
	for _, d := range j.devices {
		for _, i := range d.files {
			one := j.linters.Of(j.files[i])
			out[i] = one.Same[0] != "" && lint.Named(j.files[i].Name, one.Same[0]) && slices.ContainsFunc(d.files, func(k int) bool {
				return lint.Named(j.files[k].Name, one.Same[1]) && j.linters.Of(j.files[k]) == one
			})
		}
	}
	return out
}

// addNot records rows of a file that are understood alone, but not together with the other files of the device.
func (j *judging) addNot(i int, not []target.NotRead) {
	own := map[diag.Range]bool{}
	for _, n := range j.read[i].own.Coverage.Not {
		own[n.At] = true
	}
	for _, n := range not {
		if n.At.Filename == j.files[i].Name && !own[n.At] {
			j.read[i].not = append(j.read[i].not, n)
		}
	}
}

// missedRows counts the rows that are not understood, with the reasons, as a part of a sentence; empty: every row is understood.
func missedRows(c *target.Coverage) string {
	if len(c.Not) == 0 {
		return ""
	}
	whys, rows := c.Reasons()
	return fmt.Sprintf("%d of its %s %s not understood: %s", len(c.Not), diag.Count(c.Rows, "row"), diag.Plural(len(c.Not), "is", "are"),
		reasonText(whys, rows))
}

// mostRows limits the rows that are not understood and that a finding names.
const mostRows = 6

// mostWhys limits the reasons in a sentence.
const mostWhys = 2

func reasonText(whys []string, rows map[string]int) string {
	var out []string
	for i, why := range whys {
		if i == mostWhys {
			out = append(out, diag.Count(len(whys)-i, "further reason"))
			break
		}
		out = append(out, fmt.Sprintf("%s (%s)", strings.TrimSuffix(why, "."), diag.Count(rows[why], "row")))
	}
	return strings.Join(out, "; ")
}

// unread reports the rows of a file that are not understood, at the first of them.
func unread(f lint.File, c *target.Coverage, why string) *diag.Diagnostic {
	var ds diag.List
	d := lint.Unjudged.Warnf(&ds, f.Top(), "%s is judged in part: %s. The first such row is %s. No rule judges its settings.",
		diag.Escape(f.Name), diag.Escape(why), diag.Escape(diag.Cut(c.Not[0].Row)))
	placed := slices.DeleteFunc(slices.Clone(c.Not), func(n target.NotRead) bool { return n.At.Filename == "" })
	if len(placed) == 0 {
		return d
	}
	d.At = placed[0].At
	for _, n := range placed[1:min(len(placed), mostRows)] {
		d.Note(n.At, "%s is not judged: %s.", diag.Escape(diag.Cut(n.Row)), strings.TrimSuffix(n.Why, "."))
	}
	if more := len(c.Not) - mostRows; more > 0 {
		d.Note(diag.Range{}, "The same holds for %s.", diag.Count(more, "further row"))
	}
	return d
}

// dropFound removes, from the rows that are not understood, those at which a finding of the file's linter begins: they have a verdict.
func dropFound(c *target.Coverage, ds diag.List) {
	c.Not = slices.DeleteFunc(c.Not, func(n target.NotRead) bool {
		in := func(at diag.Range) bool {
			return at.Filename == n.At.Filename && n.At.Start.Byte <= at.Start.Byte && at.Start.Byte < max(n.At.End.Byte, n.At.Start.Byte+1)
		}
		return n.At.Filename != "" && slices.ContainsFunc(ds, func(d *diag.Diagnostic) bool {
			return in(d.At) || slices.ContainsFunc(d.Notes, func(note diag.Note) bool { return in(note.At) })
		})
	})
}

// parts lists the fields that rows set, and the reasons why other rows set none.
func parts(c *target.Coverage) (out []lint.Part) {
	for _, f := range ir.Fields() {
		if n := c.Means[f]; n > 0 {
			out = append(out, lint.Part{What: f.String(), Rows: n, Means: true})
		}
	}
	for _, why := range slices.Sorted(maps.Keys(c.Aside)) {
		out = append(out, lint.Part{What: why, Rows: c.Aside[why]})
	}
	return out
}

// topOf returns the beginning of the first file of a device with settings, which is the place of findings about the whole device.
func topOf(j *judging, d *device) diag.Range {
	i := slices.IndexFunc(d.files, func(i int) bool {
		return j.read[i].settings()
	})
	return j.files[d.files[max(i, 0)]].Top()
}
