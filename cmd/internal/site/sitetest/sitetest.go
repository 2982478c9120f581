// Package sitetest makes the files that people collect from the devices of a fabric, for tests.
package sitetest

import (
	"cmp"
	"encoding/json"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target/lint"
)

// LLDP returns what `lldpctl -f json` prints on a device.
func LLDP(t testing.TB, d *ir.Device) []byte {
	t.Helper()
	type object = map[string]any
	ports := []object{}
	for _, p := range d.Ports {
		if p.Link() == nil || p.Link().Planned {
			continue
		}
		peer := p.Peer()
		ports = append(ports, object{p.Name: object{
			"chassis": object{peer.Device().Name: object{}},
			"port":    object{"id": object{"type": "ifname", "value": peer.Name}},
		}})
	}
	out, err := json.Marshal(object{"lldp": object{"interface": ports}})
	require.NoError(t, err)
	return out
}

// FilesOf returns the files of the switches of a fabric, as people collect them, with the neighbours in LLDP.
func FilesOf(t testing.TB, j *judge.Judged) (files []lint.File) {
	t.Helper()
	for _, d := range j.Tree().Devices {
		if d.Source.Switch == nil {
			continue
		}
		for _, f := range d.Files {
			content := f.Sketch
			if content == nil {
				content, _ = f.Edit(nil)
			}
			name := cmp.Or(map[string]string{"nvue": "startup.yaml", "sonic": "config_db.json"}[d.Target.Name], f.Path)
			files = append(files, lint.File{Name: path.Join("site", d.Source.Name, name), Data: content})
		}
		files = append(files, lint.File{Name: path.Join("site", d.Source.Name, "lldp.json"), Data: LLDP(t, d.Source)})
	}
	return files
}
