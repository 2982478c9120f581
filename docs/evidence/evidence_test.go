package evidence

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const bundle = Title + `
devices: real

=== device-1, device-2
target:  nvue
release: 5.12.0
model:   sn5600
--- nvue-applied
answer:
  | target: made up

=== device-3
target:  mlx5 rxe
--- cma-tos

=== device-4
target:  nvue
release: 5.13.0
not read: device-unreachable
`

func TestRead(t *testing.T) {
	got, err := Read(fstest.MapFS{"b.txt": {Data: []byte(bundle)}, "README.md": {Data: []byte("no report")}})
	require.NoError(t, err)
	assert.Equal(t, map[Key][]string{
		{"nvue", "5.12.0"}: {"b.txt"}, {"mlx5", ""}: {"b.txt"}, {"rxe", ""}: {"b.txt"},
	}, got, "5.13.0 did not answer")

	for text, says := range map[string]string{
		"":                          "does not begin with",
		Title + "\ndevices: real\n": "no device has answered",
		Title + "\n=== device-1\n":  "simulated",
		"x\n" + bundle:              "does not begin with",
		Title + "\ndevices: simulated\n=== device-1\ndevices: real\ntarget: nvue\n--- x\n": "simulated",
	} {
		_, err := Read(fstest.MapFS{"a.txt": {Data: []byte(text)}})
		require.ErrorContains(t, err, says, text)
		assert.ErrorContains(t, err, "a.txt: ")
	}
}

// TestReports: every report of the folder can be read; the README lists each.
func TestReports(t *testing.T) {
	all, err := Read(Files)
	require.NoError(t, err)
	text, err := Files.ReadFile("README.md")
	require.NoError(t, err)
	for k, names := range all {
		for _, name := range names {
			assert.Contains(t, string(text), "("+name+")", k)
		}
	}
}
