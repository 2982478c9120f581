package forms

import (
	"bytes"
	"maps"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// settingsData returns the settings of a device that its target gives as data.
func settingsData(d *target.Device) map[string]any {
	data := map[string]any{}
	for i := range d.Files {
		if f := &d.Files[i]; f.Data != nil {
			maps.Copy(data, f.Data(render(d, f)))
		}
	}
	return data
}

// settingsByKey returns the settings of the files of a device that have keys, by path. It has all settings of a file that rocec holds
// whole, and those that an edit sets where rocec only ever edits the file.
func settingsByKey(d *target.Device) map[string]map[string]string {
	all := map[string]map[string]string{}
	for i := range d.Files {
		f := &d.Files[i]
		if f.Live != nil || f.Keys == nil {
			continue
		}
		content := f.Sketch
		if content == nil {
			content = render(d, f)
		}
		of := map[string]string{}
		for _, k := range f.Keys(content) {
			of[k.Name] = k.Value
		}
		all[f.Path] = of
	}
	return all
}

// indented returns a document of JSON as a file.
func indented(doc any) []byte {
	var b bytes.Buffer
	if err := diag.WriteJSON(&b, doc, true); err != nil {
		panic(err) // into memory, of types that can be written
	}
	return b.Bytes()
}
