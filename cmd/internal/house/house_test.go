package house

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "lower the ceilings to the figures, and give new packages a row")

const ceilingsFile = "testdata/ceilings.txt"

// figure is a measured value, with the places that it counts.
type figure struct {
	n     int
	where []string
}

func (f *figure) add(where string, a ...any) {
	f.n++
	f.where = append(f.where, fmt.Sprintf(where, a...))
}

// places lists the places of a figure, those in the most recently written files first, since the new place is among them.
func (f *figure) places() string {
	const most = 100
	written := map[string]time.Time{}
	file := func(where string) string { return where[:max(0, strings.IndexAny(where, ": "))] }
	for _, where := range f.where {
		if info, err := os.Stat(filepath.Join(root, file(where))); err == nil {
			written[file(where)] = info.ModTime()
		}
	}
	sorted := slices.Clone(f.where)
	slices.SortStableFunc(sorted, func(a, b string) int { return written[file(b)].Compare(written[file(a)]) })
	var out strings.Builder
	for _, where := range sorted[:min(most, len(sorted))] {
		fmt.Fprintf(&out, "\n\t%.150s", where)
	}
	if len(sorted) > most {
		fmt.Fprintf(&out, "\n\tand %d more", len(sorted)-most)
	}
	return out.String()
}

// figures has a figure by row and measure of [ceilingsFile].
type figures map[string]map[string]*figure

// of returns a figure, and makes it if it is missing.
func (f figures) of(row, measure string) *figure {
	if f[row] == nil {
		f[row] = map[string]*figure{}
	}
	if f[row][measure] == nil {
		f[row][measure] = &figure{}
	}
	return f[row][measure]
}

// without is the ceiling of a measure that a row does not name.
var without = map[string]int{"cycle": 1, "methods": 10}

// releases are measures that also depend on the release of Go. Their ceilings have a margin of a quarter of a percent, since a patch
// release of Go changes the binary by some kilobytes.
var releases = map[string]bool{"bytes": true, "init-allocs": true}

// A ceiling may only be lowered. The test fails for a figure above its ceiling, and for a figure that is more than a percent below. With
// -update such a ceiling is lowered, and a new package gets a row.
func TestMeasures(t *testing.T) {
	m := theModule(t)
	found := figures{}
	measurePackages(m, found)
	measureNames(m, found)
	measureNouns(m, found)
	measureReadEnglish(m, found)
	measureSentences(t, m, found)
	measureGolden(t, found)
	measureColumns(t, found)
	unmeasured := measureBinary(t, found)

	data, err := os.ReadFile(ceilingsFile)
	require.NoError(t, err)
	head, ceilings, err := readCeilings(data)
	require.NoError(t, err)
	for _, row := range unmeasured {
		found[row] = ceilings[row]
	}
	wrong, lowered := judgeCeilings(found, ceilings)
	if *update {
		wrong = slices.DeleteFunc(wrong, func(w ceilingError) bool { return w.outdated })
		require.NoError(t, os.WriteFile(ceilingsFile, writeCeilings(head, lowered), 0o644))
	}
	for _, w := range wrong {
		t.Error(w.text)
	}
	if testing.Verbose() {
		report(t, m, found)
	}
}

// ceilingError describes a ceiling that does not fit its figure.
type ceilingError struct {
	text     string
	outdated bool // whether -update corrects the ceiling
}

// judgeCeilings compares ceilings with figures. It returns the errors, and the ceilings that -update writes.
func judgeCeilings(found, ceilings figures) (wrong []ceilingError, lowered figures) {
	lowered = figures{}
	outdated := func(format string, a ...any) {
		wrong = append(wrong, ceilingError{fmt.Sprintf(format, a...) + " (go test ./cmd/internal/house -update)", true})
	}
	for row, measures := range ceilings {
		if found[row] == nil {
			outdated("%s is no package any more: take its row out of %s", row, ceilingsFile)
			continue
		}
		for measure := range measures {
			found.of(row, measure)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(found)) {
		isNew := ceilings[row] == nil
		if isNew {
			outdated("%s has no row in %s", row, ceilingsFile)
		}
		lowered[row] = map[string]*figure{}
		for _, measure := range slices.Sorted(maps.Keys(found[row])) {
			f, ceiling := found[row][measure], without[measure]
			named := ceilings[row][measure] != nil
			if named {
				ceiling = ceilings[row][measure].n
			}
			next := ceiling
			switch {
			case isNew || named && f.n < ceiling-ceiling/100:
				next = f.n
				if releases[measure] {
					next += next / 400
				}
				if !isNew {
					outdated("%s %s is %d: lower the ceiling of %d to %d", row, measure, f.n, ceiling, next)
				}
			case f.n > ceiling:
				text := fmt.Sprintf("%s %s is %d, above its ceiling of %d:%s", row, measure, f.n, ceiling, f.places())
				wrong = append(wrong, ceilingError{text, false})
			}
			if next > without[measure] {
				lowered[row][measure] = &figure{n: next}
			}
		}
	}
	return wrong, lowered
}

// readCeilings reads rows "row measure=figure …" below a head of comments.
func readCeilings(data []byte) (head string, ceilings figures, err error) {
	ceilings = figures{}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			head += line
			continue
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if ceilings[words[0]] != nil {
			return "", nil, fmt.Errorf("%s: %s twice", ceilingsFile, words[0])
		}
		ceilings[words[0]] = map[string]*figure{}
		for _, word := range words[1:] {
			measure, n, _ := strings.Cut(word, "=")
			if ceilings.of(words[0], measure).n, err = strconv.Atoi(n); err != nil {
				return "", nil, fmt.Errorf("%s: %s: %w", ceilingsFile, line, err)
			}
		}
	}
	return head, ceilings, nil
}

func writeCeilings(head string, ceilings figures) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	for _, row := range slices.Sorted(maps.Keys(ceilings)) {
		b.WriteString(row)
		for _, measure := range slices.Sorted(maps.Keys(ceilings[row])) {
			fmt.Fprintf(&b, " %s=%d", measure, ceilings[row][measure].n)
		}
		b.WriteString("\n")
	}
	return b.Bytes()
}

// report logs every figure, and the lines of each package. Only in cmd/rocec do lines have a ceiling.
func report(t *testing.T, m *module, found figures) {
	lines := linesOf(m)
	var b strings.Builder
	for _, row := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&b, "\n%s:", row)
		if n, ok := lines[row]; ok && found[row]["lines"] == nil {
			fmt.Fprintf(&b, " lines %d", n)
		}
		for _, measure := range slices.Sorted(maps.Keys(found[row])) {
			fmt.Fprintf(&b, " %s %d", measure, found[row][measure].n)
		}
	}
	t.Log(b.String())
}

// judgeCeilings raises no ceiling, lowers ceilings that are a percent too high, and adds rows only for new packages.
func TestCeilings(t *testing.T) {
	const head = "# head\n"
	for name, c := range map[string]struct{ ceilings, found, want, wrong string }{
		"fits":             {"a refs=7\nb\n", "a refs=7 cycle=1\nb methods=10\n", "a refs=7\nb\n", ""},
		"above":            {"a refs=7\n", "a refs=8\n", "a refs=7\n", "a refs is 8, above its ceiling of 7"},
		"below by default": {"a\n", "a cycle=0 methods=3\n", "a\n", ""},
		"above by default": {"a\n", "a methods=11\n", "a\n", "a methods is 11, above its ceiling of 10"},
		"below":            {"a refs=7\n", "a refs=6\n", "a refs=6\n", "a refs is 6: lower the ceiling of 7 to 6"},
		"gone":             {"a cycle=3 refs=1\n", "a cycle=1 refs=1\n", "a refs=1\n", "a cycle is 1: lower the ceiling of 3 to 1"},
		"not measured":     {"a refs=3\n", "a cycle=1\n", "a\n", "a refs is 0: lower the ceiling of 3 to 0"},
		"within a percent": {"a refs=700\n", "a refs=693\n", "a refs=700\n", ""},
		"below a percent":  {"a refs=700\n", "a refs=692\n", "a refs=692\n", "lower the ceiling of 700 to 692"},
		"with a margin":    {"a bytes=70000\n", "a bytes=40000\n", "a bytes=40100\n", "lower the ceiling of 70000 to 40100"},
		"a new package":    {"b\n", "a methods=99\nb\n", "a methods=99\nb\n", "a has no row"},
		"no package":       {"a refs=7\nb\n", "b\n", "b\n", "a is no package any more"},
	} {
		_, ceilings, err := readCeilings([]byte(c.ceilings))
		require.NoError(t, err)
		_, found, err := readCeilings([]byte(c.found))
		require.NoError(t, err)
		wrong, lowered := judgeCeilings(found, ceilings)
		assert.Equal(t, head+c.want, string(writeCeilings(head, lowered)), name)
		if c.wrong == "" {
			assert.Empty(t, wrong, name)
			continue
		}
		require.Len(t, wrong, 1, name)
		assert.Contains(t, wrong[0].text, c.wrong, name)
		assert.Equal(t, c.ceilings != c.want, wrong[0].outdated, name)
	}
	for _, bad := range []string{"a\na\n", "a refs\n", "a refs=x\n"} {
		_, _, err := readCeilings([]byte(bad))
		assert.Error(t, err, bad)
	}
}
