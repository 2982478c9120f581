package main

import (
	"slices"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
)

// onlyOthers refuses to change devices when others write all of them.
func onlyOthers(tree *target.Tree) error {
	if slices.ContainsFunc(tree.Devices, func(d *target.Device) bool { return !d.Source.ByOthers }) {
		return nil
	}
	names := make([]string, len(tree.Devices))
	for i, d := range tree.Devices {
		names[i] = d.Name
	}
	return exit.Fail(exit.Errors, "Others write %s (%s), and rocec changes nothing there. %s writes what they need, and rocec verify "+
		"judges what they have set; where rocec is to write them, say written_by = \"rocec\".",
		nodeset.Text(names, nodeset.Devices, 200), report.Place(tree.Devices[0].Source.WrittenByAt), view.ForOthers(tree.Devices[0].Role))
}
