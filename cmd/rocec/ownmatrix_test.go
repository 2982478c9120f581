//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
)

// another is the id of a user other than root, without an account. The tests make this user the owner of files, which only root may do.
const another = 64018

func givesFilesAway(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatal("only root can change the owner of files, and CI runs as root")
	}
	t.Skip("only root can change the owner of files: run the tests as root")
}

// ownFile is one of rocec's own files or folders, and the verbs that read it.
type ownFile struct {
	name  string
	path  string // below the folder of the test
	verbs [][]string
	warns bool // the verbs continue without it, and report that
}

// spoiling is a way in which another user could have written a file or folder. In a good row only root can write the file, and the verbs
// use it.
type spoiling struct {
	name string
	mode fs.FileMode // 0: unchanged
	uid  int
	link bool
	good bool
}

// spoilings are the rows of the matrix for a file; a folder on the path may be spoiled, too. Every mode is tested with some file. Package
// safefile and -whole test all combinations.
func spoilings(folder bool, turn int) (out []spoiling) {
	x := fs.FileMode(0)
	if folder {
		x = 0o111
	}
	inTurn := func(modes ...fs.FileMode) []fs.FileMode {
		if *whole {
			return modes
		}
		i := turn % len(modes)
		return modes[i : i+1]
	}
	for _, mode := range inTurn(0o600, 0o644, 0o604, 0o640) {
		out = append(out,
			spoiling{name: fmt.Sprintf("of root with %04o", mode|x), mode: mode | x, good: true},
			spoiling{name: fmt.Sprintf("of another user with %04o", mode|x), mode: mode | x, uid: another})
	}
	for _, mode := range inTurn(0o660, 0o666, 0o620, 0o602, 0o606, 0o646) {
		out = append(out,
			spoiling{name: fmt.Sprintf("of root with %04o", mode|x), mode: mode | x},
			spoiling{name: fmt.Sprintf("of another user with %04o", mode|x), mode: mode | x, uid: another})
	}
	return append(out, spoiling{name: "a link", link: true})
}

// do spoils a file, and returns a function that repairs it.
func (s *spoiling) do(t *testing.T, path string) (undo func()) {
	t.Helper()
	info, err := os.Lstat(path)
	require.NoError(t, err)
	if s.link {
		moved := filepath.Join(t.TempDir(), "moved")
		require.NoError(t, os.Rename(path, moved))
		require.NoError(t, os.Symlink(moved, path))
		return func() {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Rename(moved, path))
		}
	}
	require.NoError(t, os.Chown(path, s.uid, s.uid))
	require.NoError(t, os.Chmod(path, s.mode))
	return func() {
		require.NoError(t, os.Chown(path, 0, 0))
		require.NoError(t, os.Chmod(path, info.Mode().Perm()))
	}
}

// No verb uses one of rocec's own files that another user could have written: the journal, the state folder, kept contents, saved plans,
// samples and labs. The content does not matter. Each verb names the file and the command that repairs it. Good files are used.
func TestOwnFileMatrix(t *testing.T) {
	machinetest.Long(t)
	givesFilesAway(t)
	setenv(t, "COLUMNS", "1000")
	base := t.TempDir()
	setenv(t, "XDG_STATE_HOME", filepath.Join(base, "state"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(base, "cache"))
	fabric := filepath.Join(base, "fabric")
	require.NoError(t, os.CopyFS(fabric, os.DirFS("../../examples/rack-v1-pfc")))
	want := func(code int, args ...string) string {
		t.Helper()
		got, stdout, stderr := rocec(t, args...)
		require.Equal(t, code, got, "%s\n%s\n%s", args, stdout, stderr)
		return stdout + stderr
	}
	want(exit.Good, "apply", "--lab", "--auto-approve", "--soak", "0s", "-m", "the honest reason", fabric)
	want(exit.Good, "verify", "--lab", fabric)
	one := func(pattern string) string {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(base, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		path, err := filepath.Rel(base, found[0])
		require.NoError(t, err)
		return path
	}
	journal := one("state/rocec/runs/*.jsonl")
	run := strings.TrimSuffix(filepath.Base(journal), ".jsonl")
	var saved bytes.Buffer
	require.NoError(t, deploy.SavePlan(&saved, &deploy.Plan{}, deploy.Meta{Tool: buildVersion().Version, Fabric: fabric}))
	plan := filepath.Join(base, "p.plan")
	require.NoError(t, os.WriteFile(plan, saved.Bytes(), 0o600))

	rollback := []string{"rollback", "--auto-approve", "--soak", "0s", run}
	runs := [][]string{{"runs"}, {"runs", run}, {"runs", "last"}, rollback, {"confirm", run}, {"resume", run}, {"rollback", "last"}}
	back := [][]string{{"rollback", run}, rollback} // the first verb only asks
	labs := [][]string{{"lab", "exec", "-C", fabric, "store1", "true"}, {"plan", "--lab", fabric}}
	verify := [][]string{{"verify", "--lab", "--since", "boot", "--target", "store1", fabric}}
	lab := filepath.Dir(one("cache/rocec/lab/*/lab.json"))
	for i, own := range []ownFile{
		{"the journal", journal, runs, false},
		{"the folder of runs", "state/rocec/runs", runs, false},
		{"the state folder", "state/rocec", runs, false},
		{"a kept content", keptBefore(t, filepath.Join(base, journal)), back, false},
		{"the folder of kept contents", "state/rocec/runs/" + run + "/before", back, false},
		{"the folder of a run", "state/rocec/runs/" + run, back, false},
		{"the samples", one("state/rocec/samples/*[0-9a-f].json"), verify, true},
		{"the folder of samples", "state/rocec/samples", verify, true},
		{"a saved plan", "p.plan", [][]string{{"show", "--plan", plan}, {"apply", "--plan", plan, fabric}}, false},
		{"the manifest of a lab", filepath.Join(lab, "lab.json"), labs, false},
		{"the lock of a lab", filepath.Join(lab, "lock"), labs, false},
		{"a device of a lab", filepath.Join(lab, "devices", "store1"), labs[:1], false},
		{"the devices of a lab", filepath.Join(lab, "devices"), labs, false},
		{"the folder of a lab", lab, labs, false},
		{"the folder of labs", "cache/rocec/lab", labs, false},
		{"the cache folder", "cache/rocec", labs, false},
	} {
		t.Run(own.name, func(t *testing.T) {
			path := filepath.Join(base, own.path)
			info, err := os.Stat(path)
			require.NoError(t, err)
			for _, s := range spoilings(info.IsDir(), i) {
				for _, hostile := range []bool{false, true} {
					if hostile && (info.IsDir() || s.good) {
						continue
					}
					name := fmt.Sprintf("%s, hostile %v", s.name, hostile)
					honest := spoil(t, path, hostile)
					undo := s.do(t, path)
					own.try(t, s, path, name)
					if s.good && own.name != "a saved plan" {
						info, err := os.Stat(path)
						require.NoError(t, err)
						assert.Zero(t, info.Mode().Perm()&0o077, "%s: other users can access it", name)
					}
					undo()
					if honest != nil {
						require.NoError(t, os.WriteFile(path, honest, 0o600))
					}
				}
			}
		})
	}
	assert.Contains(t, want(exit.Good, "runs"), "the honest reason")
	assert.Contains(t, want(exit.Good, rollback...), "6 applied")
}

// spoil puts hostile content into a file, and returns the original content. The result is nil if the file stays unchanged.
func spoil(t *testing.T, path string, hostile bool) []byte {
	t.Helper()
	if !hostile {
		return nil
	}
	honest, err := os.ReadFile(path)
	require.NoError(t, err)
	text := bytes.ReplaceAll(honest, []byte("the honest reason"), []byte("the hostile one"))
	text = bytes.ReplaceAll(text, []byte(`"cmd":"`), []byte(`"cmd":"touch /hostile; `))
	require.NoError(t, os.WriteFile(path, append(text, "\n"...), 0o600))
	return honest
}

// try runs every verb that reads the file.
func (own *ownFile) try(t *testing.T, s spoiling, path, name string) {
	t.Helper()
	verbs := own.verbs
	if s.good {
		verbs = verbs[:1]
	}
	for _, verb := range verbs {
		code, stdout, stderr := rocec(t, verb...)
		out := stdout + stderr
		if s.good {
			assert.NotContains(t, out, "is not used", "%s: %s", name, verb)
			continue
		}
		assert.Contains(t, out, path+" is not used: ", "%s: %s", name, verb)
		switch {
		case s.link:
			assert.Contains(t, out, "it is a symbolic link", "%s: %s", name, verb)
		case s.uid != 0:
			assert.Contains(t, out, "the user 64018 owns it", "%s: %s", name, verb)
		default:
			assert.Contains(t, out, "chmod go-w "+path, "%s: %s", name, verb)
		}
		if !own.warns && len(verb) > 1 {
			assert.NotEqual(t, exit.Good, code, "%s: %s", name, verb)
		}
		assert.NotContains(t, out, "the hostile one", "%s: %s", name, verb)
	}
}

// keptBefore returns the path of a content from before a run, below the folder that has the state folder.
func keptBefore(t *testing.T, journal string) string {
	t.Helper()
	text, err := os.ReadFile(journal)
	require.NoError(t, err)
	m := regexp.MustCompile(`"base":"([0-9a-f]{64})"`).FindSubmatch(text)
	require.NotNil(t, m)
	return filepath.Join("state/rocec/runs", strings.TrimSuffix(filepath.Base(journal), ".jsonl"), "before", string(m[1]))
}
