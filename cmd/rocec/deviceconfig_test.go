package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

// The judges of switch files find no error in the files that rocec writes. The test judges every golden file, one fabric at a time.
func TestGoldenDeviceFiles(t *testing.T) {
	fabrics, err := filepath.Glob("../../golden/*")
	require.NoError(t, err)
	good := 0
	for _, dir := range fabrics {
		var files []lint.File
		require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !targets.Linters().Knows(name) {
				return err
			}
			data, err := os.ReadFile(name) // many files are links into golden/shared
			files = append(files, lint.File{Name: name, Data: data})
			return err
		}))
		r := targets.JudgeFiles(files)
		for _, d := range r.Diagnostics {
			require.Equal(t, diag.Notice, d.Severity, "%s %s", d.At.Filename, d.Detail)
		}
		for i := range r.Files {
			require.Empty(t, r.Files[i].Why, files[i].Name)
			good++
		}
	}
	require.Greater(t, good, 20)
}

// The report on many files counts them by dialect.
func TestDeviceFleet(t *testing.T) {
	dir := t.TempDir()
	for i := range 21 { // up to 20 files are named individually
		name := filepath.Join(dir, fmt.Sprintf("leaf%02d-traffic.conf", i))
		require.NoError(t, os.WriteFile(name, []byte("traffic.packet_priority_source = 802.1p\n"), 0o600))
	}
	for name, text := range map[string]string{"x.qos_features.conf": "default_ecn_conf.ecn_enable = true\n", "README": "the rows\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	code, stdout, _ := rocec(t, "validate", "--device-config", dir, "--warnings-as-errors")
	require.Equal(t, exit.Good, code)
	require.Contains(t, stdout, "\n1 file is good: "+dir+"/x.qos_features.conf (qos_features.conf of Cumulus Linux 4.4)\n"+
		"21 files are of switches without any RoCE configuration:\n  21 files: traffic.conf of Cumulus Linux 2.5 to 3.4\n"+
		"1 further file was passed over: not the name of a switch's file\n")
}

// In every format, names are on one line and have no control characters.
func TestDeviceNames(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a\x1b[31m\nerror: b")
	require.NoError(t, os.Mkdir(name, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(name, "traffic.conf"), []byte("pfc.port_group_list = []\nx\x1b\n"), 0o600))
	for _, format := range []string{"text", "json", "sarif", "junit", "github", "gitlab"} {
		code, stdout, _ := rocec(t, "validate", "--device-config", dir, "--format", format, "--color", "never")
		require.Equal(t, exit.Errors, code, format)
		require.NotContains(t, stdout, "\x1b", format)
		require.NotContains(t, stdout, "\nerror: b", format)
	}
}

// Each type of file has its judge. The findings are in the order of the file names, and each has the type of its file.
func TestDeviceJudges(t *testing.T) {
	conf := []byte("pfc.port_group_list = []\n")
	r := targets.Linters().Check([]lint.File{
		{Name: "c/traffic.conf", Data: conf},
		{Name: "b/config_db.json", Data: []byte(`{"SCHEDULER": {"s": {"type": "dwrr"}}}`)},
		{Name: "a/traffic.conf", Data: []byte("x\n")},
		{Name: "d/config_db.json", Why: "It is gone."},
		{Name: "e/config_db.json"},
		{Name: "f/x_config_db.json", Data: []byte(`{"VERSIONS": {"DATABASE": {"VERSION": "version_202411_01"}}}`)},
		{Name: "g/saved.json", Data: []byte(`{"set": {"qos": {"roce": {}}}}`)},
	})
	require.Equal(t, []lint.Taken{
		{Dialect: "traffic.conf of Cumulus Linux 3.1.1 to 4.3", Plain: true},
		{Dialect: "config_db.json of SONiC, by the models of 202605; a part, without DEVICE_METADATA|localhost"},
		{Why: "no line sets a key that rocec knows"},
		{Why: "it cannot be read"},
		{Dialect: "config_db.json of SONiC, by the models of 202605", Why: "it is empty"},
		{Dialect: "config_db.json of SONiC 202411", Why: "it has no table of ports, QoS or buffers"},
		{Dialect: "configuration of NVUE, no release stated, checked as 5.18"},
	}, r.Files)
	var names []string
	for _, d := range r.Diagnostics {
		names = append(names, d.At.Filename+" "+d.Code)
	}
	require.Equal(t, []string{
		"a/traffic.conf conf-dialect", "a/traffic.conf conf-syntax", "b/config_db.json conf-sonic-value", "d/config_db.json conf-unreadable",
		"e/config_db.json conf-sonic-text", "f/x_config_db.json conf-not-judged",
	}, names)
}

// In a folder, a file of any name is judged if its text begins like an NVUE configuration. Other files with such names are skipped.
func TestDeviceFolderText(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"leaf1.txt": "u@leaf1:~$ nv config show -o commands\nnv set interface swp1 type swp\n", "leaf2.nv": "nv set qos roce\n",
		"notes.txt": "nothing of a switch\n", "startup.nv": "nv set qos pfc a tx maybe\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	code, stdout, _ := rocec(t, "validate", "--device-config", dir, "--color", "never")
	require.Equal(t, exit.Errors, code)
	require.Contains(t, stdout, "\n1 further file was passed over: ")
	require.Contains(t, stdout, "\n3 files: 1 without RoCE, 2 judged as a part (it has only lines of nv set, ")
	require.Contains(t, stdout, "error[conf-nvue-value]")
}

// Every file with settings that build writes for an example is recognised in its folder. It is judged alone, and together with its
// fabric.
func TestBuiltFilesJudged(t *testing.T) {
	entries, err := os.ReadDir("../../examples")
	require.NoError(t, err)
	built := 0
	for _, e := range entries {
		dir, out := filepath.Join("../../examples", e.Name()), filepath.Join(t.TempDir(), "out")
		if !e.IsDir() {
			continue
		}
		if code, _, _ := rocec(t, "build", "-q", dir, "-o", out); code != 0 {
			continue
		}
		built++
		for _, args := range [][]string{{"validate"}, {"validate", dir}} {
			code, stdout, stderr := rocec(t, append(args, "--format", "json", "--device-config", out)...)
			require.Zero(t, code, "%s: %s", e.Name(), stderr)
			var doc struct {
				Errors    int `json:"error_count"`
				Warnings  int `json:"warning_count"`
				NotJudged []struct{ File, Why string }
				Judged    []struct{ File string }
			}
			require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
			assert.Zero(t, doc.Errors+doc.Warnings, "%s: %v", e.Name(), args)
			assert.Empty(t, doc.NotJudged, e.Name())
			assert.NotEmpty(t, doc.Judged, e.Name())
		}
		folded := filepath.Join(t.TempDir(), "folded") // the name of a folder for equal devices contains all of them
		code, _, stderr := rocec(t, "build", "-q", "--fold", dir, "-o", folded)
		require.Zero(t, code, stderr)
		code, stdout, _ := rocec(t, "validate", dir, "--device-config", folded, "--color", "never")
		require.Zero(t, code, "%s: %s", e.Name(), stdout)
		assert.NotContains(t, stdout, "the fabric has no device", e.Name())
		assert.NotContains(t, stdout, "warning[", e.Name())
		names := []string{"nvue.yaml", "nvue.commands", "config_db.json", "config_db.patch.json", "traffic.conf", "qos_features.conf"}
		for _, name := range names {
			for _, file := range filesNamed(t, out, name) { // each device alone, under its name
				code, stdout, _ := rocec(t, "validate", "--device-config", file, "--color", "never")
				if name == "nvue.commands" {
					assert.Contains(t, stdout, "judged as a part", file)
					continue
				}
				assert.Zero(t, code, "%s: %s", file, stdout)
			}
		}
	}
	assert.Greater(t, built, 12)
}

// filesNamed returns the first file of a name in each folder of a tree, for one device.
func filesNamed(t *testing.T, dir, name string) (out []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == name && len(out) == 0 {
			out = append(out, path)
		}
		return err
	}))
	return out
}
