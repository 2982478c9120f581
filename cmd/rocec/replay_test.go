package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/report"
)

// replayed is a finding in a file, with the values by which a reader of SARIF recognises it.
type replayed struct{ level, code, at, fingerprint string }

// differs reads two lists, with a reason for each row. The baseline is from before codes were merged. gone has findings of the baseline
// whose fingerprints no longer exist, and fresh has findings that the baseline lacks.
func differs(t *testing.T) (gone, fresh map[string]string) {
	t.Helper()
	data, err := os.ReadFile("testdata/replaydiffers.txt")
	require.NoError(t, err)
	of := map[string]map[string]string{"gone": {}, "new": {}}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		require.Len(t, f, 3, line)
		of[f[0]][f[1]] = f[2]
	}
	return of["gone"], of["new"]
}

// TestReplay: a log of SARIF from before codes were merged still matches the findings of today. testdata/replay.txt has the earlier
// findings, with file, level, code, place and fingerprint. No finding is new or opened again, except those listed with a reason, and no
// level falls.
func TestReplay(t *testing.T) {
	data, err := os.ReadFile("testdata/replay.txt")
	require.NoError(t, err)
	before := map[string][]replayed{}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		require.Len(t, f, 5, line)
		before[f[0]] = append(before[f[0]], replayed{f[1], f[2], f[3], f[4]})
	}
	replayGone, replayNew := differs(t)
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, ".git"), 0o755))
	var cases []string
	for to, from := range map[string]string{
		"replay": "testdata/replay", "conflint": "../../targets/cumulus/conflint/testdata", "themes": "../../targets/testdata/themes",
	} {
		require.NoError(t, os.CopyFS(filepath.Join(root, to), os.DirFS(from)))
		depth := to + "/*"
		if to == "conflint" {
			depth += "/*"
		}
		found, err := filepath.Glob(filepath.Join(root, depth))
		require.NoError(t, err)
		for _, one := range found {
			name, err := filepath.Rel(root, one)
			require.NoError(t, err)
			cases = append(cases, filepath.ToSlash(name))
		}
	}
	require.Greater(t, len(cases), 100)
	t.Chdir(root)
	known := 0
	gone, fresh := maps.Clone(replayGone), maps.Clone(replayNew)
	for _, name := range cases {
		if strings.HasPrefix(name, "conflint/fuzz/") || strings.HasPrefix(name, "conflint/rapid/") {
			continue
		}
		now := replayOf(t, name)
		for _, old := range before[name] {
			i := slices.IndexFunc(now, func(n replayed) bool { return n.fingerprint == old.fingerprint })
			key := fmt.Sprintf("%s %s %s", name, old.code, old.at)
			if i < 0 {
				assert.NotEmpty(t, replayGone[key], "%s: the finding is not recognised", key)
				delete(gone, key)
				continue
			}
			known++
			assert.LessOrEqual(t, rank(now[i].level), rank(old.level), "%s: the level has fallen to %s", key, now[i].level)
		}
		for _, n := range now {
			if !slices.ContainsFunc(before[name], func(old replayed) bool { return n.fingerprint == old.fingerprint }) {
				key := fmt.Sprintf("%s %s %s", name, n.code, n.at)
				assert.NotEmpty(t, replayNew[key], "%s: it is new", key)
				delete(fresh, key)
			}
		}
	}
	assert.Greater(t, known, 100)
	assert.Empty(t, gone, "listed as gone, but recognised")
	assert.Empty(t, fresh, "listed as new, but not found")
}

func rank(level string) int { return slices.Index([]string{"error", "warning", "note"}, level) }

// replayOf returns the findings of a file or of a folder of files.
func replayOf(t *testing.T, name string) (out []replayed) {
	t.Helper()
	_, stdout, stderr := rocec(t, "validate", "--device-config", name, "--format", "sarif")
	var log report.SARIFLog
	require.NoError(t, json.Unmarshal([]byte(stdout), &log), stderr)
	for _, r := range log.Runs[0].Results {
		at := r.Locations[0].PhysicalLocation
		out = append(out, replayed{
			r.Level, r.RuleID, fmt.Sprintf("%s:%d", path.Base(at.ArtifactLocation.URI), at.Region.StartLine),
			r.PartialFingerprints[report.FingerprintVersion],
		})
	}
	return out
}
