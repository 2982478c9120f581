package view

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// reason returns in a few words why a device cannot be planned. Errors with the same reason differ only in names and addresses.
func reason(d *deploy.DevicePlan) string {
	switch {
	case d.Err.NoAddress:
		return string(d.Status) + ": no address"
	case d.Err.Code != "":
		return string(d.Status) + ": " + d.Err.Code
	}
	return string(d.Status) + ": " + string(d.Err.Kind)
}

// addresses matches IP addresses, some with a port.
var addresses = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[?(?:\b(?:\d{1,3}\.){3}\d{1,3}\b|\b[0-9a-f]{0,4}:[0-9a-f:]*:[0-9a-f]*(?:%\w+)?)\]?(?::\d+)?`)
})

// foldTroubles groups devices that cannot be planned and whose errors differ only in names and addresses.
func foldTroubles(groups []deploy.Group) []deploy.Group {
	var out []deploy.Group
	at := map[string]int{}
	for _, g := range groups {
		d := g.First()
		if d.Err == nil {
			out = append(out, g)
			continue
		}
		key := reason(d)
		if !d.Err.NoAddress {
			key += " " + addresses().ReplaceAllString(strings.ReplaceAll(d.Err.Detail, d.Device.Name, "\x00"), "\x01")
		}
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			out = append(out, deploy.Group{})
		}
		out[i].Devices = append(out[i].Devices, g.Devices...)
	}
	return out
}

// foldKinds merges groups of one block whose changes have the same effects, if no change is that of most devices: then devices differ by
// design. Otherwise it keeps each group, so that a device that differs from the rest of its block is visible. kinds counts the groups in
// each.
func foldKinds(groups []deploy.Group) (out []deploy.Group, kinds []int) {
	key := func(g deploy.Group) string {
		d := g.First()
		if d.Err != nil || d.Status != deploy.StatusChange {
			return ""
		}
		var k strings.Builder
		fmt.Fprintf(&k, "%q %q %q %q", d.Device.Role, d.Device.Group, d.Device.About, d.Disrupts)
		for _, e := range d.Effects {
			k.WriteString("\n" + e.What())
		}
		return k.String()
	}
	devices, largest, of := map[string]int{}, map[string]int{}, map[string]int{}
	for _, g := range groups {
		k, n := key(g), len(g.Devices)
		devices[k] += n
		largest[k] = max(largest[k], n)
		of[k]++
	}
	at := map[string]int{}
	for _, g := range groups {
		k := key(g)
		if k == "" || of[k] < 3 || 2*largest[k] > devices[k] {
			out, kinds = append(out, g), append(kinds, 0)
			continue
		}
		i, known := at[k]
		if !known {
			i = len(out)
			at[k] = i
			out, kinds = append(out, deploy.Group{}), append(kinds, 0)
		}
		out[i].Devices = append(out[i].Devices, g.Devices...)
		kinds[i]++
	}
	return out, kinds
}

// foldedFile contains changes of one device that differ only in the name of a file, such as those of its NICs.
type foldedFile struct {
	*deploy.Change        // the first
	label          string // "/etc/rocec/host/ens[1-8]f0.conf"
	count          int
}

// foldChanges folds the changes of a device, or lists each change.
func foldChanges(changes []*deploy.Change, alone bool) []foldedFile {
	type stems struct {
		dir, ext string
		names    []string
	}
	var out []foldedFile
	var parts []*stems
	at := map[string]int{}
	for _, c := range changes {
		dir, base := path.Split(c.Path)
		ext := path.Ext(base)
		stem := strings.TrimSuffix(base, ext)
		var key strings.Builder
		fmt.Fprintf(&key, "%q %q %s", dir, ext, c.Action)
		for _, k := range slices.Concat(c.Keys, c.RightsKeys()) {
			fmt.Fprintf(&key, " %q %q %q", k.Key, k.Before, k.After)
		}
		i, known := at[key.String()]
		if !known || alone || len(c.Keys) == 0 { // a file that is compared as a whole is not folded
			i = len(out)
			at[key.String()] = i
			out = append(out, foldedFile{Change: c, label: c.Path})
			parts = append(parts, &stems{dir: dir, ext: ext})
		}
		out[i].count++
		parts[i].names = append(parts[i].names, stem)
	}
	for i := range out {
		if out[i].count > 1 {
			p := parts[i]
			sets := nodeset.Fold(p.names, nodeset.Interfaces)
			stem := sets[0]
			if len(sets) > 1 {
				stem = "{" + strings.Join(sets, ",") + "}" // as a shell expands it
			}
			out[i].label = p.dir + stem + p.ext
		}
		out[i].label = target.Escape(out[i].label)
	}
	return out
}
