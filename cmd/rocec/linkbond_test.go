package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The output names a bond between switches at its port, at the switch, and in the data of a picture.
func TestLinkBondIsShown(t *testing.T) {
	t.Chdir("../..")
	code, stdout, stderr := rocec(t, "show", "examples/bonded-pair", "leaf1:swp55")
	require.Zero(t, code, stderr)
	assert.Regexp(t, `\n  bond +with swp56 `, stdout)
	_, stdout, _ = rocec(t, "show", "examples/bonded-pair", "leaf1")
	assert.Contains(t, stdout, "swp56  to leaf2:swp56, 100G, 1 m, lossless: rdma, bond with swp55\n")

	code, stdout, stderr = rocec(t, "graph", "--format", "json", "examples/bonded-pair")
	require.Zero(t, code, stderr)
	var doc struct {
		Links []struct {
			A, B struct{ Device string }
			Bond int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
	bonds := map[int]int{}
	for _, l := range doc.Links {
		bonds[l.Bond]++
		assert.Equal(t, l.Bond > 0, l.A.Device == "leaf1" && l.B.Device == "leaf2", "%v", l)
	}
	assert.Equal(t, 2, bonds[1])
	assert.Len(t, bonds, 2)
}
