package main

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// handoverTree is the hosts that others set by hand, as devices that --target can name; they have no files.
func handoverTree(f *ir.Fabric) *target.Tree {
	tree := &target.Tree{}
	_, hosts := f.ByHand()
	for _, d := range hosts {
		if nic.Sheet(d) != "" {
			tree.Devices = append(tree.Devices, &target.Device{Name: d.Name, Group: d.Group, At: d.At, Role: target.Host, Source: d})
		}
	}
	return tree
}

// handoverFiles are the groups of hosts that must be set alike, and a sheet for each.
func handoverFiles(f *ir.Fabric, tree *target.Tree) (groups []*likeDevices, files []formFile) {
	var order []string
	of := map[string][]*target.Device{}
	for _, d := range tree.Devices {
		text := nic.Sheet(d.Source)
		if of[text] == nil {
			order = append(order, text)
		}
		of[text] = append(of[text], d)
	}
	for _, text := range order {
		g := &likeDevices{devices: of[text]}
		name, set := folderName(g.names())
		confirmed := ""
		if h := g.first().Source.ByHand; h.Confirmed != "" {
			confirmed = fmt.Sprintf(" The fabric notes of it: %s.", diag.Markdown(diag.Shorten(h.Confirmed)))
		}
		head := fmt.Sprintf("# %s\n\nHow %s of the fabric %s must be set, so that the switches and the other hosts fit.%s rocec writes and "+
			"reads "+
			"nothing there;\nit judges the fabric as if it were so.\n\n",
			diag.Escape(set), diag.Count(len(g.devices), "host"), diag.Escape(f.Name), confirmed)
		groups = append(groups, g)
		files = append(files, formFile{name + ".md", []byte(head + text)})
	}
	return groups, files
}
