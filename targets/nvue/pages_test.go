package nvue_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nvue/grammar"
)

// TestPages compares the statements about NVUE in the manual with the tables: the numbers of the preset, and the first release with a
// watchdog.
func TestPages(t *testing.T) {
	page := func(name string) string {
		text, err := os.ReadFile("../../docs/" + name)
		require.NoError(t, err)
		return strings.Join(strings.Fields(string(text)), " ")
	}
	assert.Contains(t, page("nvue.md"), fmt.Sprintf("makes priority %d lossless for %d m and serves priority %d strictly", grammar.PresetCos,
		grammar.PresetMetres, grammar.PresetCNP))
	assert.Contains(t, page("nvue.md"), fmt.Sprintf("marks traffic classes 0 and %d from %s to %s bytes with %d %%", grammar.PresetCos,
		diag.Number(grammar.PresetMin), diag.Number(grammar.PresetMax), grammar.PresetProbability))
	assert.Contains(t, page("sizing.md"), fmt.Sprintf("NVUE's preset (`nv set qos roce`) has %s B and %s B.", diag.Number(grammar.PresetMin),
		diag.Number(grammar.PresetMax)))

	rows := grammar.Elsewhere([]string{"interface", "swp1", "qos", "pfc-watchdog", "state"})
	require.Len(t, rows, 1)
	first := rows[0].Since
	release := func(minor int) string { return fmt.Sprintf("%d.%d", first[0], minor) }
	assert.Contains(t, page("checks/pfc-watchdog.md"), fmt.Sprintf("Cumulus Linux has a PFC watchdog from %s on, for front-panel ports; "+
		"%s has no watchdog.", release(first[1]), release(first[1]-1)))
	assert.Contains(t, page("known.md"), "Cumulus Linux has one from "+release(first[1])+" on")
	assert.Contains(t, page("nvue.md"), "lossless ports, from "+release(first[1])+" on | `interface.swp1.qos.pfc-watchdog.state`")
}
