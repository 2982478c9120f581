package forms

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"sort"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// group is a set of devices with the same files and links.
type group struct {
	name    string // for files and folders
	devices []*target.Device
	entries []entry // sorted by path
}

// entry is a file or a symbolic link at a path of a device.
type entry struct {
	path string
	mode fs.FileMode
	data []byte
	to   string // the target of a link
}

// equal reports whether two entries have the same path and content.
func (e entry) equal(f entry) bool {
	return e.path == f.path && e.mode == f.mode && e.to == f.to && bytes.Equal(e.data, f.data)
}

// first returns a device that represents all.
func (g *group) first() *target.Device { return g.devices[0] }

// names returns the names of the devices.
func (g *group) names() []string {
	out := make([]string, len(g.devices))
	for i, d := range g.devices {
		out[i] = d.Name
	}
	return out
}

func isHost(d *target.Device) bool { return d.Role == target.Host }

// othersSwitch reports whether a switch is written by others. The forms contain only such switches, because rocec itself writes the rest.
func othersSwitch(d *target.Device) bool { return d.Role == target.Switch && d.Source.ByOthers }

// countDevices returns the number of devices in groups.
func countDevices(groups []*group) int {
	n := 0
	for _, g := range groups {
		n += len(g.devices)
	}
	return n
}

// groupAlike groups some devices of a tree by their wanted files. Groups are in the order of their first devices.
func groupAlike(tree *target.Tree, is func(*target.Device) bool) []*group {
	var groups []*group
	at := map[string]*group{}
	for _, d := range tree.Devices {
		if !is(d) {
			continue
		}
		entries := entriesOf(d)
		h := sha256.New()
		for _, e := range entries {
			fmt.Fprintf(h, "%q %o %q %d\n", e.path, e.mode, e.to, len(e.data))
			h.Write(e.data)
		}
		key := string(h.Sum(nil))
		g := at[key]
		if g == nil {
			g = &group{entries: entries}
			at[key] = g
			groups = append(groups, g)
		}
		g.devices = append(g.devices, d)
	}
	for _, g := range groups {
		g.name, _ = folderName(g.names())
	}
	return groups
}

// entriesOf returns the files of a device and the links that enable them, sorted by path.
func entriesOf(d *target.Device) []entry {
	var out []entry
	for f := range builtFor(d) {
		out = append(out, entry{path: f.Path, mode: f.Mode, data: render(d, f)})
	}
	if d.Target.Enable != nil {
		for _, l := range d.Target.Enable(d.Source) {
			out = append(out, entry{path: l.Path, mode: 0o777, to: l.To})
		}
	}
	sort.Slice(out, func(i, k int) bool {
		a, b := out[i], out[k]
		return strings.Compare(a.path, b.path) < 0
	})
	return out
}
