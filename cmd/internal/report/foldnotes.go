package report

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// Findings with the same text about many places are merged for people. JSON has each of them.

// namesRoom is the maximum of bytes for folded names in a text.
const namesRoom = 60

// Names contains the words that may differ in folded texts, with the kind of each.
type Names map[string]nodeset.Kind

// NamesOf returns the names of devices, groups and interfaces of a fabric; none without a fabric.
func NamesOf(f *ir.Fabric) Names {
	names := Names{}
	if f == nil {
		return names
	}
	for _, d := range f.Devices {
		names[d.Name], names[d.Group] = nodeset.Devices, nodeset.Devices
		if d.Host == nil {
			continue
		}
		for _, n := range d.Host.NICs {
			names[n.Name] = nodeset.Interfaces
		}
		for _, b := range d.Host.Bonds {
			names[b.Name] = nodeset.Interfaces
		}
	}
	delete(names, "")
	return names
}

// FoldedText is a text that replaces several texts of a list.
type FoldedText struct {
	Text string
	Of   []int // their indexes in the list, in order
}

// Fold merges texts that are equal, or that differ only in one name, which becomes a nodeset: "rail[1-8] of the host group gpu: …". Each
// folded text is at the place of its first text.
func (n Names) Fold(texts []string) []FoldedText {
	var equal []FoldedText
	at := map[string]int{}
	for i, text := range texts {
		k, known := at[text]
		if !known {
			k = len(equal)
			at[text] = k
			equal = append(equal, FoldedText{Text: text})
		}
		equal[k].Of = append(equal[k].Of, i)
	}
	shapes := make([][]shape, len(equal))
	count := map[string]int{}
	for i, e := range equal {
		shapes[i] = n.shapes(e.Text)
		for _, s := range shapes[i] {
			count[s.text]++
		}
	}
	var out []FoldedText
	var names [][]string
	index := map[string]int{}
	for i, e := range equal {
		best := shape{}
		for _, s := range shapes[i] {
			if count[s.text] > max(1, count[best.text]) {
				best = s
			}
		}
		k, known := index[best.text]
		if best.text == "" || !known {
			k = len(out)
			out, names = append(out, FoldedText{Text: e.Text}), append(names, nil)
			if best.text != "" {
				index[best.text] = k
			}
		}
		out[k].Of = append(out[k].Of, e.Of...)
		if best.text == "" {
			continue
		}
		if names[k] = append(names[k], best.name); len(names[k]) > 1 {
			out[k].Text = strings.ReplaceAll(best.text, gaps[n[best.name]], nodeset.Text(names[k], n[best.name], namesRoom))
		}
	}
	for i := range out {
		slices.Sort(out[i].Of)
	}
	return out
}

// shape is a text with a gap in the place of a name.
type shape struct{ text, name string }

// gaps are placeholders for a name of each kind, since names of two kinds are not folded together. No text contains these characters.
var gaps = map[nodeset.Kind]string{nodeset.Devices: "\x00", nodeset.Interfaces: "\x01"}

// shapes returns the text once for each of its names, with a gap in the place of that name.
func (n Names) shapes(text string) []shape {
	words := strings.Split(text, " ")
	var out []shape
	for _, w := range words {
		name := bare(w)
		if n[name] == 0 || slices.ContainsFunc(out, func(s shape) bool { return s.name == name }) {
			continue
		}
		var b strings.Builder
		for i, other := range words {
			if i > 0 {
				b.WriteByte(' ')
			}
			if bare(other) == name {
				other = strings.Replace(other, name, gaps[n[name]], 1)
			}
			b.WriteString(other)
		}
		out = append(out, shape{b.String(), name})
	}
	return out
}

// bare returns a word without punctuation around it.
func bare(word string) string { return strings.Trim(word, ".,:;()\"") }

// folded folds the findings of a report for people: notes, and errors and warnings in files of devices.
func folded(r *Report, fix, know diag.List) (fixes, notes diag.List) {
	if r.Files != nil {
		fix = foldFindings(fix, r.Fabric)
	}
	return fix, fold(know, r.Fabric, func(*diag.Diagnostic) bool { return true })
}

// fold merges findings with the same code, severity and text about several places, at the place of the first. Findings for which fits
// returns false stay as they are.
func fold(notes diag.List, f *ir.Fabric, fits func(*diag.Diagnostic) bool) diag.List {
	names := NamesOf(f)
	type kind struct {
		code string
		sev  diag.Severity
	}
	byCode := map[kind][]int{}
	out := make(diag.List, len(notes)) // nil: merged into an earlier one
	for i, d := range notes {
		if !fits(d) {
			out[i] = d
			continue
		}
		k := kind{d.Code, d.Severity}
		byCode[k] = append(byCode[k], i)
	}
	for _, list := range byCode {
		texts := make([]string, len(list))
		for i, n := range list {
			texts[i] = notes[n].Detail
		}
		for _, folded := range names.Fold(texts) {
			first := list[folded.Of[0]]
			one := *notes[first]
			if len(folded.Of) > 1 {
				one.Detail = folded.Text
				var all diag.List
				for _, i := range folded.Of {
					all = append(all, notes[list[i]])
				}
				one.Notes = append(slices.Clone(one.Notes), diag.Note{Message: manyPlaces(all, f)})
			}
			out[first] = &one
		}
	}
	return slices.DeleteFunc(out, func(d *diag.Diagnostic) bool { return d == nil })
}

// mostHere is how many texts about one place are printed.
const mostHere = 4

// foldFindings merges errors or warnings in files of devices that have the same text and several places. It also merges findings with the
// same code and place.
func foldFindings(l diag.List, f *ir.Fabric) (out diag.List) {
	more := 0 // findings that are only counted
	end := func() {
		if more > 0 {
			out[len(out)-1].Detail += fmt.Sprintf("\n%d more of this code here; -v shows each.", more)
			more = 0
		}
	}
	here := 0
	for _, d := range fold(l, f, plain) {
		if last := len(out) - 1; last < 0 || !alike(out[last], d) {
			end()
			one := *d
			out, here = append(out, &one), 1
			continue
		}
		last := out[len(out)-1]
		if here++; here > mostHere {
			more++
			continue
		}
		last.Detail += "\n" + d.Detail
		last.Notes = append(last.Notes, d.Notes...)
	}
	end()
	return out
}

// plain reports whether a finding has a single place and text.
func plain(d *diag.Diagnostic) bool {
	return len(d.Notes) == 0 && d.Text == "" && d.Fix == nil && len(d.Loop) == 0
}

// alike reports whether two findings have the same code, severity and place, and no further places.
func alike(a, b *diag.Diagnostic) bool {
	placed := func(d *diag.Diagnostic) bool {
		return d.Text != "" || d.Fix != nil || len(d.Loop) > 0 ||
			slices.ContainsFunc(d.Notes, func(n diag.Note) bool { return n.At != (diag.Range{}) })
	}
	return a.Code == b.Code && a.Severity == b.Severity && a.At == b.At && a.At.Filename != "" && !placed(a) && !placed(b)
}

// mostPlaces is the maximum number of further places that are named for a repeated note.
const mostPlaces = 4

// manyPlaces returns how often a note was made, and on which devices if its places show them. It lists other places unchanged.
func manyPlaces(all diag.List, f *ir.Fabric) string {
	text := diag.Count(len(all), all[0].Severity.String()) + " say this"
	of := map[diag.Range]bool{} // places of notes about a device
	for _, d := range all {
		if d.At != (diag.Range{}) {
			of[d.At] = false
		}
	}
	var on []string
	if f != nil {
		for _, d := range f.Devices {
			found := false
			for at := range declared(d) {
				if _, noted := of[at]; noted {
					of[at], found = true, true
				}
			}
			if found {
				on = append(on, d.Name)
			}
		}
	}
	if len(on) > 0 {
		text += ", on " + nodeset.Text(on, nodeset.Devices, namesRoom)
	}
	var also []string
	for i, d := range all {
		if at := Place(d.At); at != "-" && !of[d.At] && (i > 0 || len(on) > 0) && !slices.Contains(also, at) {
			also = append(also, at)
		}
	}
	if len(also) > 0 {
		text += ", also at " + diag.Some(also, mostPlaces)
	}
	return text + "; -v shows each."
}

// declared ranges over the places that belong to the declaration of a device.
func declared(d *ir.Device) iter.Seq[diag.Range] {
	return func(yield func(diag.Range) bool) {
		if d.DevicePlaces != nil && !(yield(d.Decl) && yield(d.At)) {
			return
		}
		if d.Host == nil {
			yield(d.Switch.VersionAt)
			return
		}
		for _, n := range d.Host.NICs {
			if n.NICPlaces != nil && !(yield(n.At) && yield(n.ModelAt)) {
				return
			}
		}
	}
}
