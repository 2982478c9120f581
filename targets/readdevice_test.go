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
	"github.com/rocec/rocec/examples"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// judgedExamples returns the examples that compile, with their variants: folder names, each with values of variables.
func judgedExamples(t *testing.T) (out []examples.Variant) {
	t.Helper()
	entries, err := os.ReadDir("../examples")
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, examples.Variant{Name: e.Name(), Example: e.Name()})
		}
	}
	require.Greater(t, len(out), 20)
	return append(out, examples.Variants...)
}

// judgedVariant judges an example.
func judgedVariant(t *testing.T, v examples.Variant) *judge.Judged {
	t.Helper()
	o := judge.Options{}
	for i := 1; i < len(v.Args); i += 2 {
		require.Equal(t, "--var", v.Args[i-1])
		o.Lang.Vars = append(o.Lang.Vars, v.Args[i])
	}
	return judge.Judge(t.Context(), os.DirFS("../examples/"+v.Example), ".", o)
}

// writtenFiles returns the switches of an example, and the files that rocec writes for each, in a folder with its name.
func writtenFiles(t *testing.T, example string) (switches []*ir.Device, files []lint.File) {
	t.Helper()
	f := judgedVariant(t, examples.Variant{Example: example})
	require.NotNil(t, f.Fabric)
	devices, files := writtenBy(f.Tree())
	return slices.DeleteFunc(devices, func(d *ir.Device) bool { return d.Switch == nil }), files
}

// writtenBy returns the devices of a tree, and the files that rocec writes for each switch, in a folder with its name.
func writtenBy(tree *target.Tree) (devices []*ir.Device, files []lint.File) {
	for _, d := range tree.Devices {
		devices = append(devices, d.Source)
		for _, file := range d.Files {
			if d.Role != target.Switch && (file.Live != nil || !strings.HasPrefix(file.Path, "/etc/rocec/")) {
				continue // the script of a host states no settings
			}
			content, _ := file.Edit(nil)
			if file.Sketch != nil {
				content = file.Sketch
			}
			name := map[string]string{"nvue": "startup.yaml", "sonic": "config_db.json"}[d.Target.Name]
			if d.Role != target.Switch {
				name = "etc/rocec/host/" + path.Base(file.Path)
			}
			files = append(files, lint.File{Name: "saved/" + d.Name + "/" + cmp.Or(name, path.Base(file.Path)), Data: content})
		}
	}
	return devices, files
}

// In every example and on every system, a device with the files that rocec writes has only the wanted values.
func TestReadDeviceWritten(t *testing.T) {
	devices, hosts := 0, 0
	for _, v := range judgedExamples(t) {
		f := judgedVariant(t, v)
		if f.Fabric == nil {
			continue
		}
		tree := f.Tree()
		seen := map[string]bool{}
		for _, one := range tree.Devices {
			if seen[one.Group] && one.Role == target.Host {
				continue // the other hosts of a block are the same
			}
			seen[one.Group] = true
			of, files := writtenBy(&target.Tree{Devices: []*target.Device{one}})
			if len(files) == 0 {
				continue
			}
			r, why := targets.ReadDevice(of[0], files)
			require.Empty(t, why, "%s %s", v.Name, one.Name)
			assert.NotEmpty(t, r.Files)
			c := r.Compare("")
			assert.True(t, c.Whole)
			assert.Empty(t, c.Values, "%s %s", v.Name, one.Name)
			assert.NotZero(t, c.Compared, "%s %s", v.Name, one.Name)
			for _, p := range of[0].Ports {
				assert.Empty(t, r.Compare(p.Name).Values, "%s %s", v.Name, p)
			}
			if devices++; one.Role == target.Host {
				hosts++
			}
		}
	}
	assert.Greater(t, devices, 80)
	assert.Greater(t, hosts, 15)
}

// A different value is shown with the wanted one, its place, and the ports that have it.
func TestReadDeviceTampered(t *testing.T) {
	switches, files := writtenFiles(t, "clos-v2-ecn")
	d := switches[0]
	i := slices.IndexFunc(files, func(f lint.File) bool { return strings.Contains(f.Name, "/"+d.Name+"/") })
	before := string(files[i].Data)
	line := strings.Count(before[:strings.Index(before, "pfc.roce_pfc.xoff_size")], "\n") + 1
	files[i].Data = regexp.MustCompile(`(?m)^pfc.roce_pfc.xoff_size = .*$`).ReplaceAll(files[i].Data, []byte("pfc.roce_pfc.xoff_size = 20000"))
	r, why := targets.ReadDevice(d, files)
	require.Empty(t, why)
	all := r.Compare("swp1").Values
	require.NotEmpty(t, all)
	v := all[0]
	assert.Equal(t, "xoff of priority group 4 at swp1: 20000 bytes, wanted 18048 bytes", v.Name+": "+v.Read+", wanted "+v.Wanted)
	assert.Empty(t, v.Why)
	assert.Equal(t, fmt.Sprintf("%s:%d", files[i].Name, line), fmt.Sprintf("%s:%d", v.At.Filename, v.At.Start.Line))
	all = r.Compare("swp31").Values
	for _, v := range all {
		assert.NotEmpty(t, v.Why, "of another group of ports: %v", v)
	}
	all = r.Compare("nowhere").Values
	assert.Empty(t, all)
}

// Only files of the device are read; if there are none, the text names the devices that have files.
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
			map[string]string{"x/a/traffic.conf": conf, "x/b/traffic.conf": conf}, "no file belongs to leaf01: the files belong to x/a and x/b",
		},
		"by its content": {
			map[string]string{
				"x/a/traffic.conf": conf, "x/a/hostname": "leaf02\n", "x/b/traffic.conf": conf, "x/b/hostname": "leaf01\n",
			},
			"",
		},
		"twice": {
			map[string]string{"x/leaf01/traffic.conf": conf, "y/leaf01/traffic.conf": conf},
			"the files of several devices are named leaf01: x/leaf01 and y/leaf01",
		},
		"none": {nil, "there is no file"},
		"of another device": {
			map[string]string{"x/leaf02/traffic.conf": conf}, "the files belong to leaf02, another device of the fabric",
		},
		"of another system": {
			map[string]string{"x/config_db.json": "{}"},
			"leaf01 runs cumulus-linux in the fabric, and the file is of another system (config_db.json of SONiC, by the models of 202605)",
		},
		"of a host": {
			map[string]string{"x/dcb.sh": "dcb pfc set dev ens1f0 prio-pfc all:off 4:on\n"},
			"leaf01 is a switch in the fabric, and the file has settings of the NICs of a host",
		},
		"no setting": {
			map[string]string{"x/traffic.conf": "# nothing\n"},
			"no file of leaf01 can be read: x/traffic.conf: no line sets a key that rocec knows",
		},
		"not a text": {map[string]string{"x/config_db.json": "\x00\xff"}, ""},
	} {
		_, why := targets.ReadDevice(d, files(c.texts))
		if name == "not a text" {
			continue // it ends
		}
		assert.Equal(t, c.why, why, name)
	}
}
