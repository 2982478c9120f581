package main

import (
	"maps"

	"github.com/rocec/rocec/targets/target"
)

// NetBox keeps data of devices in config contexts: objects of JSON without a fixed shape, which it merges key by key. What is written here
// is the data of one, below a key of its own, so that it stands beside what other contexts hold.

// netboxKey is that key.
const netboxKey = "rocec"

// netboxFiles are the data of each device: its settings as its target gives them as data, and those of files by path and key.
func netboxFiles(groups []*likeDevices) (out []formFile) {
	for _, g := range groups {
		data := settingsData(g.first())
		if files := settingsByKey(g.first()); len(files) > 0 {
			data["files"] = files
		}
		text := indented(map[string]any{netboxKey: data})
		for _, name := range g.names() {
			out = append(out, formFile{name + ".json", text})
		}
	}
	return out
}

// settingsData are the settings of a device that its target gives as data.
func settingsData(d *target.Device) map[string]any {
	data := map[string]any{}
	for i := range d.Files {
		if f := &d.Files[i]; f.Data != nil {
			maps.Copy(data, f.Data(render(d, f)))
		}
	}
	return data
}

// settingsByKey are the settings of the files of a device that have keys, by path: of files that are held whole all of them, of one that is
// only ever edited what an edit sets.
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
