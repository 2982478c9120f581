package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
)

// manifestName matches the name of an overlay's manifest file.
const manifestName = "manifest.json"

// manifest has the members of a manifest that tests read.
type manifest struct {
	Tars []struct {
		File, SHA256 string
		Hosts        []string
		Paths        []struct{ Path, SHA256, Link string }
	}
}

// modeAndText is the mode and the content of a file.
type modeAndText struct {
	mode os.FileMode
	text string
}

// unpacked reads a tar and checks the properties that make it equal on every machine.
func unpacked(t *testing.T, data []byte) map[string]modeAndText {
	t.Helper()
	out := map[string]modeAndText{}
	var names []string
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		require.Zero(t, h.ModTime.Unix())
		require.Zero(t, h.Uid+h.Gid)
		if h.Typeflag == tar.TypeReg {
			require.Zero(t, h.Mode&0o7022, "%s: only root may write, as on a host", h.Name)
		}
		require.Empty(t, h.Uname+h.Gname)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		if h.Typeflag == tar.TypeSymlink {
			content = []byte("-> " + h.Linkname)
		} else {
			require.EqualValues(t, tar.TypeReg, h.Typeflag)
		}
		names = append(names, h.Name)
		out[h.Name] = modeAndText{os.FileMode(h.Mode), string(content)}
	}
	require.True(t, slices.IsSorted(names), "%v", names)
	return out
}

// eachSound calls do for every example without errors, with the output of build.
func eachSound(t *testing.T, do func(t *testing.T, dir string, built map[string]modeAndText)) {
	entries, err := os.ReadDir("../../examples")
	require.NoError(t, err)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		t.Run(e.Name(), func(t *testing.T) {
			dir, out := filepath.Join("../../examples", e.Name()), t.TempDir()
			if code, _, _ := rocec(t, "build", "-q", "-o", out, dir); code == exit.Good {
				do(t, dir, readTree(t, out))
			}
		})
	}
}

// Every host is in one tar, which contains only the files that build writes for it and the links of its units. Two builds are equal.
func TestOverlay(t *testing.T) {
	machinetest.Long(t)
	eachSound(t, func(t *testing.T, dir string, built map[string]modeAndText) {
		out, again := t.TempDir(), t.TempDir()
		code, _, stderr := rocec(t, "build", "--as", "overlay", "-o", out, dir)
		require.Equal(t, exit.Good, code, stderr)
		code, _, _ = rocec(t, "build", "--as", "overlay", "-o", again, dir)
		require.Equal(t, exit.Good, code)
		files := readTree(t, out)
		require.Equal(t, files, readTree(t, again))
		var doc manifest
		require.NoError(t, json.Unmarshal([]byte(files[manifestName].text), &doc))
		require.Len(t, files, len(doc.Tars)+1)
		seen := map[string]bool{}
		for _, of := range doc.Tars {
			data := []byte(files[of.File].text)
			require.Equal(t, of.SHA256, deploy.Sum(data))
			held := unpacked(t, data)
			require.Len(t, held, len(of.Paths))
			links := map[string]bool{}
			for _, p := range of.Paths {
				f := held[p.Path[1:]]
				if p.Link != "" {
					links[p.Path] = true
					assert.Equal(t, "-> "+p.Link, f.text)
					assert.Contains(t, held, p.Link[1:], "a link to nothing")
					continue
				}
				assert.Equal(t, p.SHA256, deploy.Sum([]byte(f.text)))
			}
			assert.NotEmpty(t, links)
			for _, host := range of.Hosts {
				require.False(t, seen[host], "%s is in two tars", host)
				seen[host] = true
				for name, f := range held {
					if !links["/"+name] {
						assert.Equal(t, f, built[host+"/"+name], "%s of %s", name, host)
						delete(built, host+"/"+name)
					}
				}
			}
		}
		for name := range built {
			assert.NotContains(t, name, "/etc/rocec/host/", "a value file in no tar")
		}
	})
}

// The variables of every host contain the files that build writes for it, and their settings. Every YAML reader reads the same values.
func TestAnsible(t *testing.T) {
	machinetest.Long(t)
	eachSound(t, func(t *testing.T, dir string, built map[string]modeAndText) {
		out := t.TempDir()
		code, _, stderr := rocec(t, "build", "-q", "--as", "ansible", "-o", out, dir)
		require.Equal(t, exit.Good, code, stderr)
		files := readTree(t, out)
		read := func(name string, into any) {
			t.Helper()
			require.Contains(t, files, name)
			require.NoError(t, yaml.Unmarshal([]byte(files[name].text), into))
		}
		type variables struct {
			Common   []struct{ Path, Mode, Content string } `yaml:"rocec_common_files"`
			Files    []struct{ Path, Mode, Content string } `yaml:"rocec_files"`
			Links    []struct{ Path, To string }            `yaml:"rocec_links"`
			Settings map[string]map[string]string           `yaml:"rocec_settings"`
		}
		var inventory struct {
			Rocec struct {
				Hosts    map[string]any
				Children map[string]struct{ Hosts map[string]any }
			}
		}
		var common variables
		read("inventory.yml", &inventory)
		read("group_vars/rocec.yml", &common)
		of := map[string]string{}
		for host := range inventory.Rocec.Hosts {
			of[host] = "host_vars/" + host + ".yml"
		}
		for group, members := range inventory.Rocec.Children {
			require.Regexp(t, `^rocec_[A-Za-z0-9_]+$`, group)
			for host := range members.Hosts {
				require.Empty(t, of[host], "%s is there twice", host)
				of[host] = "group_vars/" + group + ".yml"
			}
		}
		for host, name := range of {
			var own variables
			read(name, &own)
			require.NotEmpty(t, own.Links)
			for _, f := range slices.Concat(common.Common, own.Files) {
				mode, err := strconv.ParseUint(f.Mode, 8, 32)
				require.NoError(t, err)
				assert.Equal(t, modeAndText{os.FileMode(mode), f.Content}, built[host+f.Path], f.Path)
				delete(built, host+f.Path)
				var lines []string
				for key, value := range own.Settings[f.Path] {
					lines = append(lines, key+"="+value)
				}
				if len(lines) > 0 {
					assert.ElementsMatch(t, lines, settingsOf(f.Content))
				}
			}
		}
		for name := range built {
			assert.NotContains(t, name, "/etc/rocec/host/", "a value file of no host")
		}
	})
}

// settingsOf returns the lines of a value file that are not comments.
func settingsOf(content string) []string {
	return slices.DeleteFunc(strings.Split(strings.TrimSuffix(content, "\n"), "\n"), func(l string) bool { return strings.HasPrefix(l, "#") })
}

// The forms of an example, and of an example with switches that other tools write, equal testdata/forms. golden/ has the contents of the
// files.
func TestForms(t *testing.T) {
	const mine, others = "../../examples/bonded-pair", "testdata/otherswitches"
	for _, tc := range []struct{ form, dir, golden string }{
		{"overlay", mine, "overlay"},
		{"ansible", mine, "ansible"},
		{"handover", mine, "handover"},
		{"ansible", others, "ansible-switches"},
		{"netbox", others, "netbox"},
	} {
		out := t.TempDir()
		code, _, stderr := rocec(t, "build", "-q", "--as", tc.form, "-o", out, tc.dir)
		require.Equal(t, exit.Good, code, stderr)
		for name, f := range readTree(t, out) {
			if strings.HasSuffix(name, ".tar") || strings.HasSuffix(name, "group_vars/rocec.yml") || name == manifestName {
				continue // these contain the script, or its hashes
			}
			golden := filepath.Join("testdata", "forms", tc.golden, name)
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
				require.NoError(t, os.WriteFile(golden, []byte(f.text), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), f.text, name)
		}
	}
}

// For switches that other tools write, the forms contain the same as build: files byte for byte, settings by key, and the data from
// targets.
func TestFormsOfSwitches(t *testing.T) {
	const dir = "testdata/otherswitches"
	out, ansible, netbox := t.TempDir(), t.TempDir(), t.TempDir()
	for _, args := range [][]string{{"-o", out}, {"--as", "ansible", "-o", ansible}, {"--as", "netbox", "-o", netbox}} {
		code, _, stderr := rocec(t, append(append([]string{"build", "-q"}, args...), dir)...)
		require.Equal(t, exit.Good, code, stderr)
	}
	built, vars, contexts := readTree(t, out), readTree(t, ansible), readTree(t, netbox)
	var inventory map[string]struct {
		Hosts    map[string]any
		Children map[string]struct{ Hosts map[string]any }
	}
	require.NoError(t, yaml.Unmarshal([]byte(vars["inventory.yml"].text), &inventory))
	of := map[string]string{}
	for name := range inventory["rocec_switches"].Hosts {
		of[name] = "host_vars/" + name + ".yml"
	}
	for group, members := range inventory["rocec_switches"].Children {
		require.NotContains(t, inventory["rocec"].Children, group, "a group of switches and of hosts")
		for name := range members.Hosts {
			of[name] = "group_vars/" + group + ".yml"
		}
	}
	require.Len(t, contexts, len(of), "one context for each switch")
	assert.NotContains(t, of, "spine1", "rocec writes it")
	for name, file := range of {
		var own struct {
			Files    []struct{ Path, Mode, Content string } `yaml:"rocec_files"`
			Settings map[string]map[string]string           `yaml:"rocec_settings"`
			Data     map[string]any                         `yaml:"rocec_data"`
		}
		require.NoError(t, yaml.Unmarshal([]byte(vars[file].text), &own))
		require.NotEmpty(t, own.Files)
		for _, f := range own.Files {
			assert.Equal(t, built[name+f.Path].text, f.Content, f.Path)
			delete(built, name+f.Path)
		}
		var context map[string]map[string]any
		require.NoError(t, json.Unmarshal([]byte(contexts[name+".json"].text), &context))
		require.Len(t, context, 1, "a separate key")
		data := context["rocec"]
		files, _ := json.Marshal(own.Settings)
		if held, ok := data["files"]; ok {
			got, _ := json.Marshal(held)
			assert.JSONEq(t, string(files), string(got))
			delete(data, "files")
		} else {
			assert.Empty(t, own.Settings)
		}
		want, _ := json.Marshal(own.Data)
		got, _ := json.Marshal(data)
		assert.JSONEq(t, string(want), string(got), "%s", name)
		for path := range own.Settings {
			delete(built, name+path+".rocec-edit")
		}
	}
	for path := range built {
		assert.NotContains(t, path, "leaf", "in no form")
	}
}
