package view

import (
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
)

// Texts contains texts about devices: each once, in the order of first use.
type Texts struct {
	All []string
	Of  map[string][]string // by text: names of devices
}

// Add adds a device to a text.
func (t *Texts) Add(text, device string) {
	if t.Of[text] == nil {
		if t.Of == nil {
			t.Of = map[string][]string{}
		}
		t.All = append(t.All, text)
	}
	t.Of[text] = append(t.Of[text], device)
}

// of names the devices of a text, unless they are all devices of a group.
func of(names []string, g deploy.Group) string {
	if len(names) == len(g.Devices) {
		return ""
	}
	return nodeset.Text(names, nodeset.Devices, 200) + ": "
}
