package targets_test

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// writtenFiles returns the switches of an example, and what rocec writes for each below its name.
func writtenFiles(t *testing.T, example string) (switches []*ir.Device, files []lint.File) {
	t.Helper()
	f := judge.Judge(t.Context(), os.DirFS("../examples/"+example), ".", judge.Options{})
	require.NotNil(t, f.Fabric)
	for _, d := range f.Tree().Devices {
		if d.Role != target.Switch {
			continue
		}
		switches = append(switches, d.Source)
		for _, file := range d.Files {
			content, _ := file.Edit(nil)
			if file.Sketch != nil {
				content = file.Sketch
			}
			name := map[string]string{"nvue": "startup.yaml", "sonic": "config_db.json"}[d.Target.Name]
			files = append(files, lint.File{Name: "saved/" + d.Name + "/" + cmp.Or(name, path.Base(file.Path)), Data: content})
		}
	}
	return switches, files
}

// A switch that has what rocec writes has other values only for the reasons that its target declares.
func TestReadDeviceWritten(t *testing.T) {
	for _, example := range []string{"clos-v2-ecn", "sonic-leaf-spine", "gpu-pod", "mixed-releases", "storage-and-training"} {
		switches, files := writtenFiles(t, example)
		require.NotEmpty(t, switches)
		for _, d := range switches {
			r, why := targets.ReadDevice(d, files)
			require.Empty(t, why, "%s %s", example, d.Name)
			assert.NotEmpty(t, r.Files)
			all, whole := r.Unwanted("")
			assert.True(t, whole)
			for _, v := range all {
				assert.NotEmpty(t, v.Why, "%s %s %v", example, d.Name, v)
			}
		}
	}
}

// Another value is shown beside the wanted one, with its place, at the ports that have it.
func TestReadDeviceTampered(t *testing.T) {
	switches, files := writtenFiles(t, "clos-v2-ecn")
	d := switches[0]
	i := slices.IndexFunc(files, func(f lint.File) bool { return strings.Contains(f.Name, "/"+d.Name+"/") })
	before := string(files[i].Data)
	line := strings.Count(before[:strings.Index(before, "pfc.roce_pfc.xoff_size")], "\n") + 1
	files[i].Data = regexp.MustCompile(`(?m)^pfc.roce_pfc.xoff_size = .*$`).ReplaceAll(files[i].Data, []byte("pfc.roce_pfc.xoff_size = 20000"))
	r, why := targets.ReadDevice(d, files)
	require.Empty(t, why)
	all, _ := r.Unwanted("swp1")
	require.NotEmpty(t, all)
	v := all[0]
	assert.Equal(t, "xoff of priority group 4 at swp1: 20000 bytes, wanted 18048 bytes", v.Name+": "+v.Read+", wanted "+v.Wanted)
	assert.Empty(t, v.Why)
	assert.Equal(t, fmt.Sprintf("%s:%d", files[i].Name, line), fmt.Sprintf("%s:%d", v.At.Filename, v.At.Start.Line))
	all, _ = r.Unwanted("swp31")
	for _, v := range all {
		assert.NotEmpty(t, v.Why, "of another group of ports: %v", v)
	}
	all, _ = r.Unwanted("nowhere")
	assert.Empty(t, all)
}

// Files are those of the device; where none is, the text names the devices that have some.
func TestReadDeviceFiles(t *testing.T) {
	switches, _ := writtenFiles(t, "clos-v2-ecn")
	d, conf := switches[0], "pfc.port_group_list = []\n"
	for name, c := range map[string]struct {
		texts map[string]string
		why   string
	}{
		"one device":  {map[string]string{"x/traffic.conf": conf}, ""},
		"by its name": {map[string]string{"x/leaf01-traffic.conf": conf, "x/leaf02-traffic.conf": conf}, ""},
		"of others": {
			map[string]string{"x/a/traffic.conf": conf, "x/b/traffic.conf": conf}, "no file is of leaf01: they are of x/a and x/b",
		},
		"twice": {
			map[string]string{"x/leaf01/traffic.conf": conf, "y/leaf01/traffic.conf": conf},
			"the files of several devices are named leaf01: x/leaf01 and y/leaf01",
		},
		"none":       {nil, "there is no file"},
		"not a text": {map[string]string{"x/config_db.json": "\x00\xff"}, ""},
	} {
		_, why := targets.ReadDevice(d, files(c.texts))
		if name == "not a text" {
			continue // it ends
		}
		assert.Equal(t, c.why, why, name)
	}
}
