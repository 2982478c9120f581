package topology

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAir(t *testing.T) {
	src, err := os.ReadFile("testdata/samples/air-small.json")
	require.NoError(t, err)
	c, ds := ReadAll("air", "cables", src, Options{Most: many})
	require.Empty(t, ds)
	assert.Equal(t, map[string]Node{
		"leaf1": {System: "cumulus-vx-5.11.0"}, "spine1": {System: "cumulus-vx-5.11.0"}, "gpu1": {System: "generic/ubuntu2404"},
	}, c.Nodes)
	assert.Equal(t, map[string]int{"exit": 1}, c.Others)
	assert.Equal(t, "pod1", c.Fabric)
}

func TestAirMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`{"nodes": {}`:  "This is not JSON",
		`{"nodes": {}}`: `it has no list "links"`,
		`[]`:            `it has no list "links"`,
		`{"links": [[{"node": "a"}, {"node":"b"}]]}`:     "This endpoint has no interface",
		`{"links": [[{"node": "a", "interface": "x"}]]}`: "A link is a list of two ends",
		`{"links": ["a:b"]}`:                             "A link is a list of two ends",
		``:                                               "This is not JSON",
	} {
		_, ds := ReadAll("air", "cables", []byte(text), Options{Most: many})
		require.Len(t, ds, 1, text)
		assert.Contains(t, ds[0].Detail, want, text)
		checkPlaces(t, []byte(text), nil, ds)
	}
}
