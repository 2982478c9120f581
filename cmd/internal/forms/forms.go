// Package forms makes a [Layout], which arranges the files of devices in one folder, as `rocec build` writes them. The arrangements are a
// folder for each device, a folded tree, and the forms for other tools. Package forms reads the folder that it gets as a value, and
// writes nothing.
package forms

import (
	"io/fs"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
)

// Form is a way to hand over settings to those who write devices themselves.
type Form struct {
	Name string // the value of --as
	For  string // its kind of devices, in the singular

	Whole bool // it is about the whole fabric, so that it selects no devices

	// Tree returns the devices of a fabric from which the form selects.
	Tree func(*ir.Fabric) *target.Tree

	// Operator is set if the form takes the options of NICs in Kubernetes.
	Operator bool

	parts  []string // patterns of names that a reader of the folder takes for parts of the form
	layout func(*ir.Fabric, *target.Tree, Supplied) Layout
}

// table has the forms in the order of the documentation.
var table = []*Form{
	{Name: "overlay", For: "host", Tree: targets.Files, parts: []string{"*.tar"}, layout: overlay},
	{
		Name: "ansible", For: "host, and no switch that others write,", Tree: targets.Files,
		parts: []string{"group_vars/" + ansibleGroup + "*", "host_vars/*"}, layout: ansible,
	},
	{Name: "netbox", For: "switch that others write", Tree: targets.Files, parts: []string{"*.json"}, layout: netbox},
	{Name: "prometheus", For: "device that rocec reads", Whole: true, Tree: targets.Files, layout: prometheus},
	{Name: "handover", For: "host", Tree: setByHand, parts: []string{"*.md"}, layout: handover},
	{
		Name: "nic-template", For: "host whose NICs the operator can set", Operator: true, Tree: targets.Files,
		parts: []string{"*.yaml"}, layout: nicTemplate,
	},
}

// Names returns the names of the forms.
func Names() []string {
	names := make([]string, len(table))
	for i, f := range table {
		names[i] = f.Name
	}
	return names
}

// Find returns the form with a name, or nil.
func Find(name string) *Form {
	for _, f := range table {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Layout returns the files of the form for devices of its tree. The same fabric gives the same bytes.
func (f *Form) Layout(fabric *ir.Fabric, tree *target.Tree, o Supplied) Layout {
	l := f.layout(fabric, tree, o)
	l.parts = f.parts
	return l
}

// Leftover returns a file in a folder that looks like a part of the form but is not one, or "". A reader of the folder would use such a
// file.
func (l Layout) Leftover(folder fs.FS) (string, error) {
	var found []string
	for _, pattern := range l.parts {
		names, err := fs.Glob(folder, pattern)
		if err != nil {
			return "", err
		}
		found = append(found, names...)
	}
	mine := nameSet(l.Files)
	if i := slices.IndexFunc(found, func(name string) bool { return !mine[name] }); i >= 0 {
		return found[i], nil
	}
	return "", nil
}
