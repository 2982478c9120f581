package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/judge/judgetest"
)

// scratch is the repository with something added to it. Its files lie in a folder of their own and are laid over those of the
// repository when the go command reads them (-overlay), so that what did not change comes from the build cache.
type scratch struct {
	t       *testing.T
	root    string // of the repository
	dir     string
	overlay struct{ Replace map[string]string }
	touched []string // "file", or "file +" with a plus for every line that is added
}

func newScratch(t *testing.T) *scratch {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	s := &scratch{t: t, root: root, dir: t.TempDir()}
	s.overlay.Replace = map[string]string{}
	return s
}

func (s *scratch) write(name string, data []byte) {
	to := filepath.Join(s.dir, name)
	require.NoError(s.t, os.MkdirAll(filepath.Dir(to), 0o755))
	require.NoError(s.t, os.WriteFile(to, data, 0o644))
	s.overlay.Replace[filepath.Join(s.root, name)] = to
}

// read gives a file as it is by now.
func (s *scratch) read(name string) []byte {
	from := filepath.Join(s.root, name)
	if changed, ok := s.overlay.Replace[from]; ok {
		from = changed
	}
	data, err := os.ReadFile(from)
	require.NoError(s.t, err)
	return data
}

// add makes a new file.
func (s *scratch) add(name string, data []byte) {
	_, err := os.Stat(filepath.Join(s.root, name))
	require.ErrorIs(s.t, err, fs.ErrNotExist, "%s is there already", name)
	s.write(name, data)
	s.touched = append(s.touched, name)
}

// addBelow makes new files of those below testdata/adding.
func (s *scratch) addBelow(dir string) {
	from := "testdata/adding"
	require.NoError(s.t, filepath.WalkDir(filepath.Join(from, dir), func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			data, err := os.ReadFile(name)
			require.NoError(s.t, err)
			rel, err := filepath.Rel(from, name)
			require.NoError(s.t, err)
			s.add(filepath.ToSlash(rel), data)
		}
		return err
	}))
}

// lines adds lines to a file, each after one that is there.
func (s *scratch) lines(name string, after map[string]string) {
	data := s.read(name)
	for line, new := range after {
		require.Equal(s.t, 1, bytes.Count(data, []byte(line+"\n")), "%s: %s", name, line)
		data = bytes.Replace(data, []byte(line+"\n"), []byte(line+"\n"+new+"\n"), 1)
	}
	s.write(name, data)
	s.touched = append(s.touched, name+strings.Repeat(" +", len(after)))
}

// goCommand runs the go command on the repository with what is added, offline.
func (s *scratch) goCommand(args ...string) {
	overlay := filepath.Join(s.dir, "overlay.json")
	data, err := json.Marshal(s.overlay)
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(overlay, data, 0o644))
	cmd := exec.Command("go", slices.Insert(args, 1, "-overlay="+overlay)...)
	cmd.Dir = s.root
	cmd.Env = append(os.Environ(), "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, "go %s\n%s", strings.Join(args, " "), out)
}

// A check, an operating system and a NIC family can be added by the files that docs/architecture.md names, and work: in a copy of
// the repository they are, and nothing else is touched.
func TestAddingAThing(t *testing.T) {
	if testing.Short() {
		t.Skip("make check does not compile a changed copy; make test does")
	}
	s := newScratch(t)
	s.addBelow("validate")
	s.addBelow("docs")
	s.lines("validate/checks.go", map[string]string{"	SpeedStep,": "	SampleCheck,"})
	assert.Equal(t, []string{
		"validate/sample-check.go", "validate/testdata/sample-check/bad.hcl", "validate/testdata/sample-check/good.hcl",
		"docs/checks/sample-check.md", "validate/checks.go +",
	}, s.touched, "a check")

	s.touched = nil
	s.addBelow("targets/sampleos")
	s.lines("targets/targets.go", map[string]string{
		`	"github.com/rocec/rocec/targets/nic/rxe"`: `	"github.com/rocec/rocec/targets/sampleos"`,
		"	cumulus.Target,":                          "	sampleos.Target,",
	})
	assert.Equal(t, []string{"targets/sampleos/sampleos.go", "targets/targets.go + +"}, s.touched,
		"an operating system: its folder, its row and import")

	s.touched = nil
	family := s.read("targets/nic/nictest/nictest.go")
	s.add("targets/nic/sample/sample.go", bytes.Replace(family, []byte("\npackage nictest\n"), []byte("\npackage sample\n"), 1))
	s.lines("targets/targets.go", map[string]string{
		`	"github.com/rocec/rocec/targets/nic/qede"`: `	"github.com/rocec/rocec/targets/nic/sample"`,
		"	rxe.Target,": "	sample.Target,",
	})
	assert.Equal(t, []string{"targets/nic/sample/sample.go", "targets/targets.go + +"}, s.touched,
		"a NIC family: its folder, its row and import")

	checks := filepath.Join(s.dir, "checks.test")
	s.goCommand("test", "-c", "-vet=off", "-o", checks, "./validate")
	cmd := exec.Command(checks, "-test.run", "^TestChecks$/^(sample-check|)$", "-test.v")
	cmd.Dir = filepath.Join(s.dir, "validate")
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Contains(t, string(said), "--- PASS: TestChecks/sample-check")
	bin := filepath.Join(s.dir, "rocec")
	s.goCommand("build", "-o", bin, "./cmd/rocec")

	said, err = exec.Command(bin, "explain", "sample-check").CombinedOutput()
	require.NoError(t, err, "%s", said)
	assert.Contains(t, string(said), "sample-check: a cos group is called sample\n")

	text := strings.ReplaceAll(strings.ReplaceAll(judgetest.TwoFamilies, `version = "4.3.0"`, "os = \"sample\"\n  version = \"2\""), ":swp", ":port")
	fabric := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(fabric, "fabric.hcl"), []byte(text+"cos_group \"sample\" {\n  cos = 1\n}\n"), 0o644))
	said, err = exec.Command(bin, "validate", fabric).CombinedOutput()
	require.NoError(t, err, "%s", said)
	assert.Contains(t, string(said), "note[sample-check]: a cos group is called sample")
	out := filepath.Join(fabric, "out")
	said, err = exec.Command(bin, "build", "-o", out, fabric).CombinedOutput()
	require.NoError(t, err, "%s", said)
	var built []string
	require.NoError(t, filepath.WalkDir(out, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.Contains(name, "gpu2") {
			rel, _ := filepath.Rel(out, name)
			built = append(built, path.Clean(filepath.ToSlash(rel)))
		}
		return err
	}))
	slices.Sort(built)
	assert.Equal(t, []string{
		"gpu1/etc/rocec/host/ens1f0.conf", "gpu1/etc/rocec/host/ens2f0.conf", "gpu1/etc/systemd/system/rocec-host-sample@.service",
		"gpu1/etc/systemd/system/rocec-host@.service",
		"gpu1/etc/udev/rules.d/99-rocec-sample.rules", "gpu1/etc/udev/rules.d/99-rocec.rules",
		"gpu1/usr/local/sbin/rocec-host", "gpu1/usr/local/sbin/rocec-host-sample", "leaf1/etc/sample.conf",
	}, built)
	conf, err := os.ReadFile(filepath.Join(out, "leaf1/etc/sample.conf"))
	require.NoError(t, err)
	assert.Equal(t, "port1 lossless 3\nport2 lossless 3\nport3 lossless 3\nport4 lossless 3\n", string(conf))

	// its words are judged by its own rules
	wrong := strings.Replace(text, `version = "2"`, `version = "3"`, 1)
	require.NoError(t, os.WriteFile(filepath.Join(fabric, "fabric.hcl"), []byte(wrong), 0o644))
	said, err = exec.Command(bin, "validate", fabric).CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(said), "is not a release of Sample OS")
}
