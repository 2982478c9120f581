package forms

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/nic/nicoperator"
	"github.com/rocec/rocec/targets/target"
)

// nicTemplate returns the objects of the NIC configuration operator, a file for each group of hosts that need the same ones.
func nicTemplate(_ *ir.Fabric, tree *target.Tree, o Supplied) Layout {
	var hosts []*ir.Device
	for _, d := range tree.Devices {
		if isHost(d) && len(d.Files) > 0 {
			hosts = append(hosts, d.Source)
		}
	}
	files, refused, wrong := nicoperator.Write(hosts, o.Operator)
	l := Layout{Wrong: wrong}
	for _, r := range refused {
		set := strings.Join(nodeset.Fold(r.Hosts, nodeset.Devices), ",")
		l.Notes = append(l.Notes, fmt.Sprintf("No template describes %s: %s.", set, diag.Escape(r.Why)))
	}
	for _, f := range files {
		l.Hosts += len(f.Hosts)
		if f.Note != "" {
			l.Notes = append(l.Notes, diag.Escape(f.Note))
		}
		name, _ := folderName(f.Hosts)
		l.Files = append(l.Files, made(name+".yaml", f.Text))
	}
	return l
}
