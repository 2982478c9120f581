package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stdOnly lists the gate of devices and the packages that it links: those that make commands of devices from names, and that which checks
// signatures. They import only each other and the standard library.
var stdOnly = []string{
	"cmd/internal/sshsig",
	"cmd/rocec-txn",
	"targets/commands",
	"targets/cumulus/steps",
	"targets/deploy/device/scripts",
	"targets/deploy/order",
	"targets/nic/bnxt/steps",
	"targets/nic/ice/steps",
	"targets/nic/mlx4/steps",
	"targets/nic/mlx5/steps",
	"targets/nic/rxe/steps",
	"targets/nic/steps",
	"targets/nic/steps/store",
	"targets/nvue/steps",
	"targets/sonic/steps",
}

// TestStandardLibraryAlone: the packages of stdOnly import nothing of other modules, and of rocec only each other.
func TestStandardLibraryAlone(t *testing.T) {
	var seen []string
	for _, p := range theModule(t).pkgs {
		if !slices.Contains(stdOnly, p.name) {
			continue
		}
		seen = append(seen, p.name)
		for _, imp := range p.imports {
			room, ours := strings.CutPrefix(imp, modulePath)
			first, _, _ := strings.Cut(imp, "/")
			if ours && !slices.Contains(stdOnly, room) || !ours && strings.Contains(first, ".") {
				t.Errorf("%s imports %s: a program of the standard library alone links it", p.name, imp)
			}
		}
	}
	assert.ElementsMatch(t, stdOnly, seen)
}

// mostOfGate is the limit of the lines of the gate, without tests: a person can read all of it.
const mostOfGate = 800

// TestGateIsSmall: the program that runs as root on devices stays small, and links nothing that stdOnly does not list.
func TestGateIsSmall(t *testing.T) {
	m := theModule(t)
	lines := 0
	for _, name := range m.names("cmd/rocec-txn") {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		lines += strings.Count(string(text), "\n")
	}
	assert.Greater(t, lines, 400)
	assert.Less(t, lines, mostOfGate)
	out, err := exec.Command("go", "list", "-deps", modulePath+"cmd/rocec-txn").Output()
	require.NoError(t, err)
	for imp := range strings.Lines(string(out)) {
		imp = strings.TrimSpace(imp)
		if first, _, nested := strings.Cut(imp, "/"); nested && strings.Contains(first, ".") {
			room, ours := strings.CutPrefix(imp, modulePath)
			assert.True(t, ours && slices.Contains(stdOnly, room), imp)
		}
	}
}
