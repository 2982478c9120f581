package forms

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// NetBox keeps data of devices in config contexts: JSON objects without a fixed schema, which it merges key by key. A file has the data
// of one context below the key rocec, so other contexts cannot overwrite it.

// netboxKey is that key.
const netboxKey = "rocec"

// netbox returns the data of each switch written by others: the settings that its target has as data, and the settings of files by path
// and key.
func netbox(_ *ir.Fabric, tree *target.Tree, _ Supplied) Layout {
	switches := groupAlike(tree, othersSwitch)
	l := Layout{Switches: countDevices(switches)}
	for _, g := range switches {
		data := settingsData(g.first())
		if files := settingsByKey(g.first()); len(files) > 0 {
			data["files"] = files
		}
		text := indented(map[string]any{netboxKey: data})
		for _, name := range g.names() {
			l.Files = append(l.Files, made(name+".json", text))
		}
	}
	return l
}
