package conflint_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/cumulus/conflint"
	nvue "github.com/rocec/rocec/targets/nvue/lint"
	"github.com/rocec/rocec/targets/target/lint"
)

// want is a line of a test file: a code, the distance in lines to the finding below, and a pattern for its text.
var want = regexp.MustCompile(`(?m)^#want ([a-z0-9-]+) (-?\d+) "(.*)"\r?$`)

// dialects returns the dialect of each file.
func dialects(r lint.Result) (out []string) {
	for _, f := range r.Files {
		out = append(out, f.Dialect)
	}
	return out
}

type place struct {
	file string
	line int
}

// read returns the files of a case: one file, or the files of a folder.
func read(t *testing.T, name string) []lint.File {
	t.Helper()
	var files []lint.File
	require.NoError(t, filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files = append(files, lint.File{Name: filepath.ToSlash(path), Data: data})
		return err
	}))
	return files
}

// find returns the folder or file of a case.
func find(t *testing.T, name string) string {
	t.Helper()
	if _, err := os.Stat(name + ".conf"); err == nil {
		return name + ".conf"
	}
	require.DirExists(t, name)
	return name
}

// Every code has a bad case with exactly the wanted findings, among them that code, and a good case without findings.
func TestTopics(t *testing.T) {
	codes := map[string]bool{}
	for _, topic := range slices.Concat(conflint.Rules, nvue.Linter.Unjudged, nvue.Topics, []diag.Topic{lint.Unjudged}) {
		assert.NotContains(t, codes, topic.Code)
		codes[topic.Code] = true
		assert.Regexp(t, `^conf(-[a-z0-9]+)+$`, topic.Code)
		assert.NotEmpty(t, topic.Summary)
		assert.False(t, strings.HasSuffix(topic.Summary, "."), topic.Code)
		t.Run(topic.Code, func(t *testing.T) {
			bad := find(t, filepath.Join("testdata", topic.Code, "bad"))
			judge(t, read(t, bad), topic)
			for _, d := range targets.JudgeFiles(read(t, find(t, filepath.Join("testdata", topic.Code, "good")))).Diagnostics {
				t.Errorf("good: %s: %s: %s", d.At, d.Code, d.Detail)
			}
		})
	}
	dirs, err := os.ReadDir("testdata")
	require.NoError(t, err)
	for _, d := range dirs {
		if d.Name() != "sound" && d.Name() != "fuzz" && d.Name() != "rapid" {
			assert.Contains(t, codes, d.Name(), "testdata/%s has no topic", d.Name())
		}
	}
}

// judge compares the findings in files with the wanted ones.
func judge(t *testing.T, files []lint.File, own diag.Topic) {
	t.Helper()
	type wanted struct {
		code string
		text *regexp.Regexp
	}
	wants := map[place][]wanted{}
	for _, f := range files {
		for _, m := range want.FindAllSubmatchIndex(f.Data, -1) {
			off, err := strconv.Atoi(string(f.Data[m[4]:m[5]]))
			require.NoError(t, err)
			line := strings.Count(string(f.Data[:m[0]]), "\n") + 1 + off
			p := place{f.Name, line}
			for off > 0 && want.Match(lineOf(f.Data, p.line)) { // one line may have several wants above it
				p.line++
			}
			wants[p] = append(wants[p], wanted{string(f.Data[m[2]:m[3]]), regexp.MustCompile(string(f.Data[m[6]:m[7]]))})
		}
	}
	found := false
	for _, d := range targets.JudgeFiles(files).Diagnostics {
		p := place{d.At.Filename, d.At.Start.Line}
		i := slices.IndexFunc(wants[p], func(w wanted) bool { return w.code == d.Code && w.text.MatchString(d.Detail) })
		if i < 0 {
			t.Errorf("not wanted: %s: %s %s: %s", d.At, d.Severity, d.Code, d.Detail)
			continue
		}
		wants[p] = slices.Delete(wants[p], i, i+1)
		if d.Code == own.Code {
			found = true
			assert.Equal(t, own.Summary, d.Summary)
		}
	}
	for p, left := range wants {
		for _, w := range left {
			t.Errorf("%s:%d: not found: %s %s", p.file, p.line, w.code, w.text)
		}
	}
	assert.True(t, found, "the bad case has a finding with the code")
}

// lineOf returns a line of data by its number.
func lineOf(data []byte, number int) []byte {
	lines := strings.Split(string(data), "\n")
	if number < 1 || number > len(lines) {
		return nil
	}
	return []byte(lines[number-1])
}

// Whole files of a careful engineer, one for each dialect, cause at most the note about cos 3, which the vendor's presets make lossless.
func TestSound(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join("testdata", "sound"))
	require.NoError(t, err)
	want := map[string]string{
		"t0.conf":       "traffic.conf of Cumulus Linux 2.5 to 3.1.0",
		"t1.conf":       "traffic.conf of Cumulus Linux 3.1.1 to 3.4",
		"t1-dscp.conf":  "traffic.conf of Cumulus Linux 3.1.1 to 3.4",
		"t1-pause.conf": "traffic.conf of Cumulus Linux 3.1.1 to 3.4",
		"t1-nomap.conf": "traffic.conf of Cumulus Linux 3.1.1 to 4.3",
		"t2.conf":       "traffic.conf of Cumulus Linux 3.4",
		"t3-preset":     "traffic.conf of Cumulus Linux 3.5 to 4.3, datapath.conf of Cumulus Linux 2.5 to 4.3",
		"t3-ports.conf": "traffic.conf of Cumulus Linux 3.5 to 3.7",
		"t4.conf":       "traffic.conf of Cumulus Linux 4.0 to 4.3",
		"q1":            "qos_features.conf of Cumulus Linux 4.4, qos_infra.conf of Cumulus Linux 4.4 to 5.x",
		"q2":            "qos_features.conf of Cumulus Linux 5.x, qos_infra.conf of Cumulus Linux 4.4 to 5.x",
	}
	require.Len(t, entries, len(want))
	for _, e := range entries {
		t.Run(e.Name(), func(t *testing.T) {
			r := conflint.Check(read(t, filepath.Join("testdata", "sound", e.Name())))
			require.Equal(t, want[e.Name()], strings.Join(dialects(r), ", "))
			for _, d := range r.Diagnostics {
				t.Errorf("%s: %s %s: %s", d.At, d.Severity, d.Code, d.Detail)
			}
		})
	}
}

// The linter finds nothing in the files that rocec writes: every traffic.conf of golden/.
func TestGolden(t *testing.T) {
	seen := 0
	for _, f := range read(t, filepath.FromSlash("../../../golden")) {
		if !conflint.Linter.Knows(f.Name) {
			continue
		}
		seen++
		r := conflint.Check([]lint.File{f})
		assert.NotEmpty(t, r.Files[0].Dialect)
		for _, d := range r.Diagnostics {
			if d.Code != "conf-cos-3" {
				t.Errorf("%s: %s %s: %s", d.At, d.Severity, d.Code, d.Detail)
			}
		}
	}
	require.Positive(t, seen)
}
