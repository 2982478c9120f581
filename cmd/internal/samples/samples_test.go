package samples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/samples"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

func kept(n uint64) map[string]*deploy.Kept {
	return map[string]*deploy.Kept{"leaf1": {
		At: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), Boot: "one",
		Samples: []target.Sample{{Name: "drops", On: "swp1", Value: n}, {Name: "BGP neighbour swp1 of vrf \"x\"", Value: 1}},
		Facts:   []target.Fact{{Name: "memory model", Value: "pool of 100 %"}},
	}}
}

func TestKeep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "samples")
	f := samples.Open(dir, "/fabrics/pod1")
	none, err := f.Load()
	require.NoError(t, err)
	require.Empty(t, none)
	require.NoError(t, f.Save(kept(18446744073709551615)))
	info, err := os.Stat(f.Path())
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	info, err = os.Stat(dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())

	got, err := samples.Open(dir, "/fabrics/pod1").Load()
	require.NoError(t, err)
	want := kept(18446744073709551615)
	assert.ElementsMatch(t, want["leaf1"].Samples, got["leaf1"].Samples)
	got["leaf1"].Samples = want["leaf1"].Samples
	assert.Equal(t, want, got)

	other := samples.Open(dir, "/fabrics/pod2")
	require.NotEqual(t, f.Path(), other.Path())
	none, err = other.Load()
	require.NoError(t, err)
	require.Empty(t, none, "another fabric has other samples")
	require.NoError(t, f.Save(kept(7)))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "only the file is left")
}

// An unusable file is an error with its name, and the next save replaces the file.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	f := samples.Open(dir, "/fabrics/pod1")
	require.NoError(t, f.Save(kept(1)))
	good, err := os.ReadFile(f.Path())
	require.NoError(t, err)
	for want, text := range map[string]string{
		"is damaged":                        string(good[:len(good)/2]),
		"damaged: unexpected end":           "",
		"has format 9":                      strings.Replace(string(good), `"version":1`, `"version":9`, 1),
		"has format 0":                      "{}",
		"belongs to another fabric, /moved": strings.Replace(string(good), "/fabrics/pod1", "/moved", 1),
		"damaged: json: cannot unmarshal":   strings.Replace(string(good), `{"swp1":1}`, `{"swp1":-1}`, 1),
	} {
		require.NotEqual(t, string(good), text)
		require.NoError(t, os.WriteFile(f.Path(), []byte(text), 0o600))
		got, err := f.Load()
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, f.Path())
		require.Empty(t, got)
		require.NoError(t, f.Save(kept(1)))
		_, err = f.Load()
		require.NoError(t, err)
	}
	require.NoError(t, os.Remove(f.Path()))
	require.NoError(t, os.Mkdir(f.Path(), 0o700))
	_, err = f.Load()
	require.ErrorContains(t, err, "is not a file")
	require.Error(t, f.Save(kept(1)))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "a save that fails leaves nothing")
}

// Only the samples of the most recently verified fabrics are kept.
func TestPrune(t *testing.T) {
	dir := t.TempDir()
	for i := range 70 {
		f := samples.Open(dir, fmt.Sprint("/fabrics/", i))
		require.NoError(t, f.Save(kept(1)))
		at := time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC)
		require.NoError(t, os.Chtimes(f.Path(), at, at))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes"), nil, 0o600))
	require.NoError(t, samples.Open(dir, "/fabrics/0").Save(kept(2)))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 65, "64, and a file that is not rocec's")
	for i, there := range map[int]bool{0: true, 6: false, 7: true, 69: true} {
		got, err := samples.Open(dir, fmt.Sprint("/fabrics/", i)).Load()
		require.NoError(t, err)
		assert.Equal(t, there, got != nil, i)
	}
}
