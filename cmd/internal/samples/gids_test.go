package samples_test

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/samples"
	"github.com/rocec/rocec/targets/nic"
)

// The file beside the samples has the GID slots of one fabric. An unusable file is an error with its name, and many fabrics replace no
// samples.
func TestKeepGIDs(t *testing.T) {
	dir := t.TempDir()
	f := samples.Open(dir, "/fabrics/pod1")
	none, err := samples.LoadGIDs(f)
	require.NoError(t, err)
	require.Empty(t, none)
	require.NoError(t, f.Save(kept(1)))
	slots := []nic.KeptGID{{
		Host: "gpu041", NIC: "ens3", Intent: "storage", When: time.Date(2026, 11, 27, 10, 2, 0, 0, time.UTC), Dev: "mlx5_0", Port: 1, Index: 3,
		Addr: netip.MustParseAddr("::ffff:10.0.0.1"),
	}}
	require.NoError(t, samples.SaveGIDs(f, slots))
	got, err := samples.LoadGIDs(samples.Open(dir, "/fabrics/pod1"))
	require.NoError(t, err)
	assert.Equal(t, slots, got)
	is, err := f.Load()
	require.NoError(t, err)
	assert.Len(t, is, 1, "the samples stay")
	files, err := filepath.Glob(filepath.Join(dir, "*.gids.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	good, err := os.ReadFile(files[0])
	require.NoError(t, err)
	for want, text := range map[string]string{
		"is damaged":                        string(good[:len(good)/2]),
		"has format 9":                      strings.Replace(string(good), `"version":1`, `"version":9`, 1),
		"belongs to another fabric, /moved": strings.Replace(string(good), "/fabrics/pod1", "/moved", 1),
		"ParseAddr":                         strings.Replace(string(good), "10.0.0.1", "10.0.0.one", 1),
	} {
		require.NoError(t, os.WriteFile(files[0], []byte(text), 0o600))
		got, err := samples.LoadGIDs(f)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, files[0])
		require.Empty(t, got)
	}
	for i := range 66 {
		f := samples.Open(dir, "/fabrics/"+string(rune('A'+i)))
		require.NoError(t, samples.SaveGIDs(f, slots))
	}
	files, err = filepath.Glob(filepath.Join(dir, "*.gids.json"))
	require.NoError(t, err)
	assert.Len(t, files, 64)
	is, err = samples.Open(dir, "/fabrics/pod1").Load()
	require.NoError(t, err)
	assert.Len(t, is, 1, "the samples stay")
}
