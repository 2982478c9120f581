package forms

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/sheets"
	"github.com/rocec/rocec/targets/target"
)

// setByHand returns the hosts that are set by hand, as devices without files, so that --target can name them.
func setByHand(f *ir.Fabric) *target.Tree {
	tree := &target.Tree{}
	_, hosts := f.ByHand()
	for _, d := range hosts {
		if sheets.Of(d) != "" {
			tree.Devices = append(tree.Devices, &target.Device{Name: d.Name, Group: d.Group, At: d.At, Role: target.Host, Source: d})
		}
	}
	return tree
}

// handover returns a sheet for each group of hosts that need the same settings.
func handover(f *ir.Fabric, tree *target.Tree, _ Supplied) Layout {
	var order []string
	of := map[string]*group{}
	for _, d := range tree.Devices {
		text := string(sheets.Of(d.Source))
		if of[text] == nil {
			order = append(order, text)
			of[text] = &group{}
		}
		of[text].devices = append(of[text].devices, d)
	}
	l := Layout{Hosts: len(tree.Devices)}
	for _, text := range order {
		g := of[text]
		name, set := folderName(g.names())
		confirmed := ""
		if h := g.first().Source.ByHand; h.Confirmed != "" {
			confirmed = fmt.Sprintf(" The fabric notes of it: %s.", diag.Markdown(diag.Shorten(h.Confirmed)))
		}
		head := fmt.Sprintf("# %s\n\nHow %s of the fabric %s must be set, so that the switches and the other hosts fit.%s rocec writes "+
			"nothing there;\nit judges the fabric as if it were so.\n\n",
			diag.Escape(set), diag.Count(len(g.devices), "host"), diag.Escape(f.Name), confirmed)
		l.Files = append(l.Files, made(name+".md", []byte(head+text)))
	}
	return l
}
