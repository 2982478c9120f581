//go:build linux

package matrix

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
)

// mutant is a mistake in the scripts for devices that only shows after a loss of power or of the disk.
type mutant struct {
	name     string
	file     string // path below package device
	old, new string
	kind     *nspawn.Kind
	shows    string // prefix of a moment that shows the mistake; it is tried first, and only it if all cells would take too long
	hidden   string // why no cell shows it; empty: a cell does
}

// scripts is the folder of the scripts.
const scripts = "../../device/"

// mutants returns the handwritten mutants, and one mutant for every omitted flush.
func mutants(t *testing.T) []mutant {
	t.Helper()
	all := []mutant{
		{
			name: "no unit that undoes at boot", file: "run.sh", old: "\t\tarm_boot\n", new: "", kind: nspawn.Switch43,
			shows: "sync /var/lib/rocec/txn-RUN/step.00/begun",
		},
		{
			name: "the boot unit is not linked", file: "run.sh", old: `must "write $boot_link" ln -sf "$boot_unit" "$boot_link"`, new: ":",
			kind:  nspawn.Switch43,
			shows: "sync /var/lib/rocec/txn-RUN/step.00/begun",
		},
		{
			name: "the boot unit comes after switchd", file: "run.sh", old: `Before=sysinit.target $units`, new: "After=multi-user.target",
			kind:  nspawn.Switch43,
			shows: "sync /var/lib/rocec/txn-RUN/step.00/begun",
		},
		{
			name: "armed after the rename", file: "run.sh",
			old: "\t\tmove prepared armed\n\t) || {", new: "\t) || {", kind: nspawn.Switch43,
			shows: "sync /etc/cumulus/datapath",
		},
	}
	for _, file := range []string{"begin.sh", "run.sh", "undo.sh"} {
		text, err := os.ReadFile(scripts + file)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			_, what, ok := strings.Cut(line, `flush "`)
			if !ok || strings.HasPrefix(line, "#") {
				continue
			}
			what, _, _ = strings.Cut(strings.TrimSpace(what), " #")
			before, _, _ := strings.Cut(string(text), line)
			m := mutant{
				name: fmt.Sprintf("%s, line %d: no flush of \"%s", file, 1+strings.Count(before, "\n"), what), file: file, kind: nspawn.Switch43,
				old: line, new: strings.Replace(line, `flush "`, `: "`, 1),
			}
			if strings.Count(string(text), line) > 1 { // if a line occurs twice: the first occurrence
				m.old = before[max(0, len(before)-40):] + line
				m.new = before[max(0, len(before)-40):] + strings.Replace(line, `flush "`, `: "`, 1)
			}
			all = append(all, m)
		}
	}
	return all
}

// build builds rocec with a mutant.
func (m *mutant) build(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(scripts + m.file)
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), m.old), "%s: what it replaces", m.name)
	dir := t.TempDir()
	mutated := strings.Replace(string(text), m.old, m.new, 1)
	if strings.HasPrefix(m.name, "armed after") {
		require.Equal(t, 1, strings.Count(mutated, "(replace && "), m.name)
		mutated = strings.Replace(mutated, "(replace && ", "(replace && move prepared armed && ", 1)
	}
	require.NoError(t, os.WriteFile(dir+"/mutant", []byte(mutated), 0o600))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: dir + "/mutant"}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dir+"/overlay", overlay, 0o600))
	out := filepath.Join(dir, "rocec")
	cmd := exec.Command("go", "build", "-tags", "faults", "-overlay", dir+"/overlay", "-o", out, "github.com/rocec/rocec/cmd/rocec")
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", said)
	return out
}

// hunt runs the cells that could show a mutant, until a cell shows it. It returns that cell, or the number of cells that did not show it.
func (m *mutant) hunt(t *testing.T) (shown *nspawn.Result, cells int) {
	t.Helper()
	bin := m.build(t)
	refs := references()
	r := refs[slices.IndexFunc(refs, func(r *reference) bool { return r.kind == m.kind })]
	require.True(t, learnAll(t, bin, []*reference{r}))
	fatal := slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return !f.power && !f.disk })
	var found atomic.Bool
	all := r.cells(bin, fatal)
	first := func(c nspawn.Cell) int {
		_, at, _ := strings.Cut(c.At, ": ")
		if m.shows != "" && strings.HasPrefix(at, m.shows) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b nspawn.Cell) int { return cmp.Compare(first(a), first(b)) })
	if !*whole {
		all = slices.DeleteFunc(all, func(c nspawn.Cell) bool { return first(c) > 0 })
	}
	for i := range all {
		do := all[i].Run
		all[i].Run = func(ctx context.Context, d *nspawn.Device) (string, error) {
			if found.Load() {
				return "not needed", nil
			}
			end, err := do(ctx, d)
			if b, ok := errors.AsType[*broken](err); ok {
				found.Store(true)
				return string(b.promise), nil
			}
			return end, err
		}
	}
	table := nspawn.Matrix(t, devices(), all)
	for i := range table {
		if slices.Contains(promises, promise(table[i].End)) {
			return &table[i], len(table)
		}
	}
	return nil, len(table)
}

// For every mistake by which a loss of power could leave an incomplete state, a cell of the matrix fails.
func TestMutants(t *testing.T) {
	if slice() {
		t.Skip("minutes for each mistake: with -whole, or -most 2 and more")
	}
	rocec(t)
	var b strings.Builder
	b.WriteString("| left out or changed | shown by | promise broken |\n| --- | --- | --- |\n")
	for _, m := range mutants(t) {
		if !*whole && m.shows == "" || !strings.Contains(m.name, *only) {
			continue
		}
		begin := time.Now()
		shown, cells := m.hunt(t)
		switch {
		case shown != nil:
			fmt.Fprintf(&b, "| %s | %s, %s | %s |\n", m.name, shown.Fault, shown.At, shown.End)
			t.Logf("%s: %s, %s: %s (%s)", m.name, shown.Fault, shown.At, shown.End, time.Since(begin).Round(time.Second))
		case m.hidden == "":
			fmt.Fprintf(&b, "| %s | none of %d cells | |\n", m.name, cells)
			t.Errorf("%s: none of %d cells shows it", m.name, cells)
		default:
			fmt.Fprintf(&b, "| %s | none of %d cells: %s | |\n", m.name, cells, m.hidden)
		}
	}
	publish("mutants", b.String())
}
