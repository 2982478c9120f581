package house

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// stdOnly lists the packages that make commands of devices from names. The gate on devices links them, so they import only each other and
// the standard library.
var stdOnly = []string{
	"cmd/internal/sshsig",
	"cmd/rocec-txn",
	"targets/commands",
	"targets/cumulus/steps",
	"targets/deploy/device/scripts",
	"targets/deploy/order",
	"targets/nic/mlx4/steps",
	"targets/nic/mlx5/steps",
	"targets/nic/rxe/steps",
	"targets/nic/steps",
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
