package samples_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/samples"
	"github.com/rocec/rocec/validate/claims"
	"github.com/rocec/rocec/validate/proof"
)

func judgements() []claims.Recorded {
	at := time.Date(2026, 11, 27, 10, 2, 0, 0, time.UTC)
	return []claims.Recorded{
		{Code: proof.NoIBGP, Device: "leaf1", When: at, Facts: "01"},
		{Code: proof.NoTunnels, Device: "leaf1", Agrees: true, When: at, Facts: "01"},
		{Code: proof.NoTunnels, Device: "leaf2", Agrees: true, When: at, Facts: "02"},
	}
}

// The file beside the samples has the judgements, for its owner alone.
func TestKeepClaims(t *testing.T) {
	dir := t.TempDir()
	f := samples.Open(dir, "/fabrics/pod1")
	none, err := f.LoadClaims()
	require.NoError(t, err)
	require.Empty(t, none)
	require.NoError(t, f.Save(kept(1)))
	require.NoError(t, f.SaveClaims(judgements()))
	info, err := os.Stat(f.ClaimsPath())
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	got, err := samples.Open(dir, "/fabrics/pod1").LoadClaims()
	require.NoError(t, err)
	assert.Equal(t, judgements(), got)
	is, err := f.Load()
	require.NoError(t, err)
	assert.Len(t, is, 1, "the samples stay")
	none, err = samples.Open(dir, "/fabrics/pod2").LoadClaims()
	require.NoError(t, err)
	assert.Empty(t, none)
}

// An unusable file is an error with its name. A time at the end of all times can be written again.
func TestDamagedClaims(t *testing.T) {
	f := samples.Open(t.TempDir(), "/fabrics/pod1")
	require.NoError(t, f.SaveClaims(judgements()))
	good, err := os.ReadFile(f.ClaimsPath())
	require.NoError(t, err)
	for want, text := range map[string]string{
		"is damaged":                        string(good[:len(good)/2]),
		"has format 9":                      strings.Replace(string(good), `"version":1`, `"version":9`, 1),
		"belongs to another fabric, /moved": strings.Replace(string(good), "/fabrics/pod1", "/moved", 1),
		"is damaged: parsing time":          strings.Replace(string(good), "2026-11-27T10:02", "yesterday", 1),
	} {
		require.NotEqual(t, string(good), text)
		require.NoError(t, os.WriteFile(f.ClaimsPath(), []byte(text), 0o600))
		got, err := f.LoadClaims()
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, f.ClaimsPath())
		require.Empty(t, got)
	}
	odd := strings.Replace(string(good), "2026-11-27T10:02:00Z", "9999-12-31T23:59:59-01:00", 1)
	require.NoError(t, os.WriteFile(f.ClaimsPath(), []byte(odd), 0o600))
	got, err := f.LoadClaims()
	require.NoError(t, err)
	assert.Len(t, got, 3)
	require.NoError(t, f.SaveClaims(got))
}

// The judgements of many fabrics replace no samples.
func TestPruneClaims(t *testing.T) {
	dir := t.TempDir()
	for i := range 66 {
		f := samples.Open(dir, fmt.Sprint("/fabrics/", i))
		require.NoError(t, f.Save(kept(1)))
		require.NoError(t, f.SaveClaims(judgements()))
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	of := 0
	for _, e := range left {
		if strings.HasSuffix(e.Name(), ".claims.json") {
			of++
		}
	}
	assert.Equal(t, []int{64, 64}, []int{of, len(left) - of})
}
