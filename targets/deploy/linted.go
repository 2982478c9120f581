package deploy

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// Names of watches that every plan has: the errors of files that stay as they are, and the findings of the rules for every system.
const (
	filesWatch = "files"
	rulesWatch = "rules"
)

// lintChanged runs the rules on a changed file, before and after the change. It returns the reason why the file belongs to another
// device, or "". It skips nil content.
func lintChanged(d *DevicePlan, f *target.File, before, after []byte) (foreign string) {
	if f.Lint == nil {
		return ""
	}
	if before != nil {
		var found diag.List
		if found, foreign = f.Lint(before); foreign != "" {
			return foreign
		}
		d.Linted = append(d.Linted, grave(found)...)
	}
	if after != nil {
		found, _ := f.Lint(after)
		d.Found = append(d.Found, grave(found)...)
	}
	return ""
}

// lintHeld runs the rules on a file that does not change.
func lintHeld(d *DevicePlan, f *target.File, content []byte) {
	if f.Lint == nil || content == nil {
		return
	}
	found, _ := f.Lint(content)
	d.Linted = append(d.Linted, grave(found)...)
}

// wrong returns the errors in unchanged files, at the line that declares the device. The errors concern settings that rocec does not
// write, or that an earlier rocec has written.
func wrong(d *DevicePlan) (out diag.List) {
	for _, one := range d.Linted {
		goes := slices.ContainsFunc(d.Changes, func(c *Change) bool { return c.Path == one.At.Filename && c.Base != c.Target })
		if goes || one.Severity != diag.Error {
			continue
		}
		here := *one
		here.At, here.Notes, here.Fix, here.Text = diag.Range{}, nil, nil, ""
		if s := d.Device.Source; s != nil {
			here.At = s.At
		}
		live := slices.ContainsFunc(d.Device.Files, func(f target.File) bool { return f.Path == one.At.Filename && f.Live != nil })
		if !live {
			here.Detail = fmt.Sprintf("Line %d of %s: %s", one.At.Start.Line, one.At.Filename, one.Detail)
		}
		out = append(out, &here)
	}
	return out
}

// grave returns the errors and warnings of a list.
func grave(found diag.List) (out diag.List) {
	for _, one := range found {
		if one.Severity != diag.Notice {
			out = append(out, one)
		}
	}
	return out
}
