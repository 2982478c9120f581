package targets

import (
	"cmp"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// Compared is a device of the fabric with the settings that its files state.
type Compared struct {
	Device  *ir.Device
	Files   []string
	Top     diag.Range        // the beginning of the first file
	Read    *ir.Settings      // as the files state them
	Meant   *ir.Settings      // the same after rocec has written the settings of the fabric
	Unlike  []string          // name, release and model in the files that differ from the fabric, as parts of a sentence
	Values  []ReadValue       // that differ and that rocec would change
	Told    map[ir.Field]bool // fields for which a finding reports a value
	Missing []string          // settings that rocec writes and that the files omit
	Not     []target.NotRead  // rows that no reader understood
	Linted  diag.List         // the errors and warnings of the linter in its files
	Whole   bool              // all kinds of ports were compared
}

// Doubt returns why a missing or other value may be in force on the device, as part of a sentence; empty: the files show its settings.
func (c *Compared) Doubt() string {
	if len(c.Unlike) > 0 {
		return "its files state " + diag.And(c.Unlike)
	}
	return (&target.Coverage{Not: c.Not}).Doubt()
}

// Meant returns the settings of a device with the files that rocec writes. For values that the files omit, it returns the wanted ones.
func Meant(d *ir.Device) *ir.Settings { return cmp.Or(writtenSettings(d), d.Wanted()).Over(d.Wanted()) }

// comparedOf compares the devices to which the files belong; linted has the findings of linters above a note, by file.
func comparedOf(j *judging, linted map[string]diag.List, b *besideRead) (all []*Compared) {
	d, u := b.device, b.read
	if d.of.Host != nil && !tells(u.Settings, d.of) {
		return nil // pauses and trust of its ports are unknown
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
