package forms

import (
	"bytes"
	"maps"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// settingsData returns the settings of a device that its target has as data.
func settingsData(d *target.Device) map[string]any {
	data := map[string]any{}
	for i := range d.Files {
		if f := &d.Files[i]; f.Data != nil {
			maps.Copy(data, f.Data(render(d, f)))
		}
	}
	return data
}

// settingsByKey returns, by path, the settings of the files of a device that have keys. For a file that rocec writes completely these are
// all settings; for a file that rocec only edits, the settings of the edit.
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
		panic(err) // written to memory, with types that can be encoded
	}
	return b.Bytes()
}
