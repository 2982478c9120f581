package targets

import (
	"cmp"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// Compared is a device of the fabric beside what its files state.
type Compared struct {
	Device  *ir.Device
	Files   []string
	Top     diag.Range        // the beginning of the first file
	Read    *ir.Settings      // as the files state them
	Meant   *ir.Settings      // as the files would state them after rocec has written what the fabric wants
	Unlike  []string          // the name, the release and the model in the files that are not those of the fabric, as parts of a sentence
	Values  []ReadValue       // that differ, and that rocec would change
	Told    map[ir.Field]bool // fields of which a finding reports a value
	Missing []string          // settings that rocec writes and that the files do not state
	Not     []target.NotRead  // rows that are not understood
	Linted  diag.List         // the errors and warnings of the linter in its files
	Whole   bool              // all kinds of ports were compared
}

// Meant returns how a device is set by the files that rocec writes on it; values that they do not state are the wanted ones.
func Meant(d *ir.Device) *ir.Settings { return cmp.Or(writtenSettings(d), d.Wanted()).Over(d.Wanted()) }

// comparedOf compares the devices that some files are of; linted has the findings of linters above a note, by file.
func comparedOf(j *judging, linted map[string]diag.List, b *besideRead) (all []*Compared) {
	d, u := b.device, b.read
	if d.of.Host != nil && !tells(u.Settings, d.of) {
		return nil // its pauses and its trust are not known
	}
	var names []string
	var found diag.List
	for _, i := range d.files {
		if j.read[i].own != nil {
			names = append(names, j.files[i].Name)
			found = append(found, linted[j.files[i].Name]...)
		}
	}
	for _, of := range append([]*ir.Device{d.of}, d.alike...) {
		c := (&DeviceRead{Understood: u, device: of}).Compare("")
		one := &Compared{
			Device: of, Files: names, Top: topOf(j, d), Read: u.Settings, Unlike: b.unlike, Told: b.told, Missing: c.Missing, Not: u.Coverage.Not,
			Linted: found, Whole: c.Whole,
		}
		for _, v := range c.Values {
			if v.Why == "" || v.Written {
				one.Values = append(one.Values, v)
			}
		}
		one.Meant = u.Settings
		if len(one.Values)+len(one.Missing) > 0 {
			one.Meant = cmp.Or(c.written, of.Wanted()).Over(u.Settings)
		}
		all = append(all, one)
	}
	return all
}
