package house

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scratch is the repository with added files. The go command reads these files from a separate folder, in place of the files of the
// repository (-overlay). So unchanged packages come from the build cache.
type scratch struct {
	t       *testing.T
	root    string // of the repository
	dir     string
	overlay struct{ Replace map[string]string }
	touched []string // "file", or "file +" with a plus for every line that is added
}

func newScratch(t *testing.T) *scratch {
	t.Helper()
	abs, err := filepath.Abs(root)
	require.NoError(t, err)
	s := &scratch{t: t, root: abs, dir: t.TempDir()}
	s.overlay.Replace = map[string]string{}
	return s
}

func (s *scratch) write(name string, data []byte) {
	to := filepath.Join(s.dir, name)
	require.NoError(s.t, os.MkdirAll(filepath.Dir(to), 0o755))
	require.NoError(s.t, os.WriteFile(to, data, 0o644))
	s.overlay.Replace[filepath.Join(s.root, name)] = to
}

// read returns the present content of a file.
func (s *scratch) read(name string) []byte {
	from := filepath.Join(s.root, name)
	if changed, ok := s.overlay.Replace[from]; ok {
		from = changed
	}
	data, err := os.ReadFile(from)
	require.NoError(s.t, err)
	return data
}

// add adds a new file.
func (s *scratch) add(name string, data []byte) {
	_, err := os.Stat(filepath.Join(s.root, name))
	require.ErrorIs(s.t, err, fs.ErrNotExist, "%s already exists", name)
	s.write(name, data)
	s.touched = append(s.touched, name)
}

// addBelow adds the files below a folder of testdata/adding as new files.
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

// lines adds lines to a file, each after an existing line.
func (s *scratch) lines(name string, after map[string]string) {
	data := s.read(name)
	for line, new := range after {
		require.Equal(s.t, 1, bytes.Count(data, []byte(line+"\n")), "%s: %s", name, line)
		data = bytes.Replace(data, []byte(line+"\n"), []byte(line+"\n"+new+"\n"), 1)
	}
	s.write(name, data)
	s.touched = append(s.touched, name+strings.Repeat(" +", len(after)))
}

// judge runs tests of a package with the added files. It first adds the package's adding_test.go from testdata/adding, which contains
// TestAdded.
func (s *scratch) judge(pkg string, tests ...string) {
	name := pkg + "/adding_test.go"
	data, err := os.ReadFile(filepath.Join("testdata/adding", name))
	require.NoError(s.t, err)
	s.write(name, data)
	out := s.goCommand("test", "-vet=off", "-v", "-run", "^("+strings.Join(tests, "|")+")$", "./"+pkg)
	for _, test := range tests {
		require.Contains(s.t, out, "--- PASS: "+test)
	}
}

// goCommand runs the go command offline on the repository with the added files, and returns its output.
func (s *scratch) goCommand(args ...string) string {
	overlay := filepath.Join(s.dir, "overlay.json")
	data, err := json.Marshal(s.overlay)
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(overlay, data, 0o644))
	cmd := exec.Command("go", slices.Insert(args, 1, "-overlay="+overlay)...)
	cmd.Dir = s.root
	cmd.Env = append(os.Environ(), "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, "go %s\n%s", strings.Join(args, " "), out)
	return string(out)
}

// TestAddingAThing adds a check, an operating system, a NIC family and a switch model with only the files that docs/architecture.md
// names. Tests in the same overlay show that the added things work.
func TestAddingAThing(t *testing.T) {
	if testing.Short() {
		t.Skip("make check does not compile a changed copy; make test does")
	}
	t.Parallel()
	s := newScratch(t)
	for i, code := range []string{"sample-check", "sample-other"} { // the first code answers a row of docs/known.md, the second code none
		s.touched = nil
		s.addBelow("validate/" + code + ".go")
		s.addBelow("validate/testdata/" + code)
		s.addBelow("docs/checks/" + code + ".md")
		s.lines("validate/checks.go", []map[string]string{{"	SpeedStep,": "	SampleCheck,"}, {"	SampleCheck,": "	SampleOther,"}}[i])
		assert.Equal(t, []string{
			"validate/" + code + ".go", "validate/testdata/" + code + "/bad.hcl", "validate/testdata/" + code + "/good.hcl",
			"docs/checks/" + code + ".md", "validate/checks.go +",
		}, s.touched, "a check")
	}

	s.touched = nil
	s.addBelow("targets/sampleos")
	s.addBelow("docs/checks/conf-sample.md")
	s.lines("targets/targets.go", map[string]string{
		`	"github.com/rocec/rocec/targets/nic/rxe"`: `	"github.com/rocec/rocec/targets/sampleos"`,
		"	cumulus.Target,":                          "	sampleos.Target,",
	})
	assert.Equal(t, []string{
		"targets/sampleos/lint.go", "targets/sampleos/sampleos.go", "docs/checks/conf-sample.md", "targets/targets.go + +",
	}, s.touched, "an operating system: its folder, the page of its code, its row and import")

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
	cmd := exec.Command(checks, "-test.run", "^TestChecks$/^(sample-(check|other)|)$", "-test.v")
	cmd.Dir = filepath.Join(s.dir, "validate") // where its fixtures are
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestChecks/sample-check")
	require.Contains(t, string(out), "--- PASS: TestChecks/sample-other")
	s.judge("targets/judge", "TestAdded")
	s.judge("cmd/rocec", "TestAdded", "TestKnown")

	s = newScratch(t) // no package above depends on a switch model
	s.lines("compiler/platform/switches.go", map[string]string{"var Switches = []*Switch{": `	{
		Name: "sample-32", Title: "Sample 32", ASIC: asic("trident3"), Ports: []PortRange{qsfp28(1, 32)},
		Source: "made up",
	},`})
	assert.Equal(t, []string{"compiler/platform/switches.go +"}, s.touched, "a switch model: its row")
	s.judge("compiler/platform", "TestAdded", "TestTablesAreSound")
}
