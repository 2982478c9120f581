package topology

import (
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// mostStrays is the most undeclared devices that are compared with the declared devices. Each is compared with all of them.
const mostStrays = 20

// shortestStray is the shortest name of a device that is reported, because short names are often similar by chance.
const shortestStray = 4

// undeclared reports devices that only cables name, if the file declares a device with a similar name. Such a name is usually a
// mistake, and would be a separate device of the fabric. Most devices differ only in their numbers, so a name that differs only in its
// number is reported only if nearly all devices are declared.
func (r *reader) undeclared() {
	if len(r.declared) == 0 || r.ds.HasErrors() {
		return
	}
	type found struct {
		name string
		at   diag.Range
	}
	var strays []found
	seen := map[string]bool{}
	for i := range r.edges {
		for _, e := range []*End{&r.edges[i].A, &r.edges[i].B} {
			if len(e.Device) >= shortestStray && !r.declared[e.Device] && !seen[e.Device] {
				seen[e.Device] = true
				strays = append(strays, found{e.Device, e.DeviceAt})
			}
		}
	}
	declared := slices.Sorted(maps.Keys(r.declared))
	few := 4*len(strays) <= len(declared)
	var last *diag.Diagnostic
	for _, s := range strays[:min(len(strays), mostStrays)] {
		near := diag.Nearest(s.name, declared)
		if near == "" || !few && withoutDigits(near) == withoutDigits(s.name) {
			continue
		}
		if r.strays == nil {
			r.strays = map[string]string{}
		}
		r.strays[s.name] = near
		last = Stray.Warnf(&r.ds, s.at, "The file declares %s and no %s, which only cables name. Did you mean %s? If it is another "+
			"device, declare it like the others.", diag.Count(len(declared), "device"), quote(s.name), quote(near))
	}
	if more := len(strays) - mostStrays; more > 0 && last != nil {
		last.Note(diag.Range{}, "%s that only cables name %s left out of this comparison", diag.Count(more, "further device"),
			diag.Plural(more, "was", "were"))
	}
}

func withoutDigits(s string) string {
	return strings.Map(func(c rune) rune {
		if '0' <= c && c <= '9' {
			return -1
		}
		return c
	}, s)
}
