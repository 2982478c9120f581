package sonic

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// lookup is the public pg_profile_lookup.ini of some hwskus: the pairs of speed and cable length for which it has a row. In the
// traditional buffer model, a port with any other pair has no lossless priority group.
type lookup struct {
	hwskus string // separated by spaces
	rows   []lookupRow
	noFile bool // the hwskus have no such file
}

// lookupRow lists speeds, in Mb/s, whose rows have the same lengths, in metres, ascending.
type lookupRow struct{ speeds, metres []int }

// Lookup is the public pg_profile_lookup.ini of a hwsku. It is only an expectation: the file on the switch decides.
type Lookup struct{ of *lookup }

// FindLookup returns the lookup file of a hwsku on a platform; an empty platform is any. Not ok: the table does not know the hwsku.
func FindLookup(platform, hwsku string) (Lookup, bool) {
	all := lookupsByHwSKU()
	l, ok := all[platform+"/"+hwsku]
	if !ok {
		l, ok = all[hwsku]
	}
	return Lookup{l}, ok
}

// Lengths returns the lengths in metres for which the file has rows at a speed in Mb/s, ascending. None: a port of that speed never
// becomes lossless.
func (l Lookup) Lengths(speed int) []int {
	for _, r := range l.of.rows {
		if slices.Contains(r.speeds, speed) {
			return slices.Clone(r.metres)
		}
	}
	return nil
}

// filesWith returns the lengths of each hwsku of a model that has rows for a speed.
func filesWith(m *platform.Switch, speed int) [][]int {
	var out [][]int
	for _, hwsku := range HwSKUs(m) {
		if l, ok := FindLookup("", hwsku); ok {
			if of := l.Lengths(speed); len(of) > 0 {
				out = append(out, of)
			}
		}
	}
	return out
}

// CheckLookup checks whether lossless ports of a switch can have a row in a public lookup file. It only warns, since the file of the
// switch decides. Chips of Spectrum need no row, since SONiC can compute their headroom.
func CheckLookup(d *ir.Device) (ds diag.List) {
	m := d.Switch.Model
	if _, known := models()[m.Name]; !known || !isKnown(m) || m.ASIC.Vendor == platform.Mellanox {
		return nil
	}
	judged := map[int]bool{}
	for _, p := range d.Ports {
		if len(p.Buffers()) == 0 || p.ByPause() || judged[p.Speed()] {
			continue
		}
		files := filesWith(m, p.Speed())
		longest := 0
		for _, of := range files {
			longest = max(longest, slices.Max(of))
		}
		what := fmt.Sprintf("no row for %s", platform.SpeedText(p.Speed()))
		switch {
		case len(files) > 0 && p.Link().Length.Metres <= float64(longest):
			continue
		case len(files) > 0:
			what = fmt.Sprintf("no row for %s and %g m; the longest is %d m", platform.SpeedText(p.Speed()), p.Link().Length.Metres, longest)
		}
		judged[p.Speed()] = true
		topicLookup.Warnf(&ds, d.Decl, "The switches of switch %q are %s, and the lookup files of its hwskus (%s), as SONiC ships them, have "+
			"%s. A port without a row is not lossless, whatever else the switch has. Its own pg_profile_lookup.ini decides.",
			d.Group, m.Title, strings.Join(HwSKUs(m), ", "), what).Note(p.At, "such a port")
	}
	return ds
}

var lookupsByHwSKU = sync.OnceValue(func() map[string]*lookup {
	all := map[string]*lookup{}
	for i := range lookups {
		for hwsku := range strings.FieldsSeq(lookups[i].hwskus) {
			all[hwsku] = &lookups[i]
		}
	}
	return all
})
