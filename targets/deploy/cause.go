package deploy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// Holds returns a hash over the paths and wanted contents of all files and live states of a device.
func Holds(files []FileState) string {
	return holds(files, func(f FileState) string { return f.Target })
}

func holds(files []FileState, content func(FileState) string) string {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s %s\n", content(f), f.Path)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// writers returns the versions of rocec that wrote the present content of the device for its present intent. The result left reports
// whether any run wrote that content, for any intent.
func writers(d *DevicePlan, notes []Note) (out []string, left bool) {
	if len(notes) == 0 {
		return nil, false
	}
	now, canonical := holds(d.Files, func(f FileState) string { return f.Base }), holds(d.Files, d.canonical)
	for _, n := range notes {
		here := n.Holds == now || n.Holds == canonical
		left = left || here
		if here && n.Intent == d.Device.Intent() && !slices.Contains(out, n.Tool) {
			out = append(out, n.Tool)
		}
	}
	return out, left
}

// canonical returns the hash of the content of a file in the form in which a run notes it.
func (d *DevicePlan) canonical(f FileState) string {
	for _, c := range d.Changes {
		if c.Path == f.Path && c.File.Canonical != nil && c.Before != nil {
			return Sum(c.File.Canonical(c.Before))
		}
	}
	return f.Base
}

// Cause returns the version of rocec that wrote the content of the device, if only a newer rocec causes the changes. In this case the
// intent of the device is the same, and no other writer has changed the device. Cause returns "" if there is another reason, or an
// unknown one. tool is the version that plans.
func (d *DevicePlan) Cause(tool string) string {
	unused := func(c *Change) bool { return c.Action == Activate }
	if d.Status != StatusChange || len(d.Writers) == 0 || slices.Contains(d.Writers, tool) || slices.ContainsFunc(d.Changes, unused) {
		return ""
	}
	return d.Writers[len(d.Writers)-1]
}

// LeaveDerived removes from the plan the changes of devices that would change only because rocec has changed. The run leaves those
// devices unchanged, and the rules check their current settings.
func (p *Plan) LeaveDerived(tool string) {
	for _, d := range p.Devices {
		if by := d.Cause(tool); by != "" {
			d.Status, d.Left = StatusSame, by
			d.Changes, d.Disrupts, d.Effects, d.Removing, d.New, d.Found = nil, nil, nil, false, d.Old, nil
			d.Watched = slices.DeleteFunc(slices.Clone(d.Watched), func(w Watched) bool { return w.Name == filesWatch || w.Name == rulesWatch })
			d.watch(filesWatch, wrong(d))
			names := d.accepts()
			d.watch(rulesWatch, diagnostics(slices.DeleteFunc(beside(d.Device, d.Old), func(j judged) bool { return j.accepted(names) })))
		}
	}
}
