package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/view"
)

// The second verify --gids names an index, a device and a GID that differ from those of the first, once, and exits with 1. It ignores a
// damaged record with a message.
func TestMovedGIDs(t *testing.T) {
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	lab := filepath.Join(t.TempDir(), "lab")
	args := []string{"verify", "--gids", "-C", "../../examples/rack-v1-pfc", "--lab=" + lab, "--target", "store1"}
	code, first, stderr := rocec(t, args...)
	require.Equal(t, exit.Good, code, first+stderr)
	files, err := filepath.Glob(filepath.Join(getenv(t, "XDG_STATE_HOME"), "rocec", "samples", "*.gids.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	kept, err := os.ReadFile(files[0])
	require.NoError(t, err)
	code, again, stderr := rocec(t, args...)
	require.Equal(t, exit.Good, code, stderr)
	require.Equal(t, first, again, "nothing moved")

	moved := strings.NewReplacer(`"index":4`, `"index":3`, "rocep3s0f0", "mlx5_0").Replace(string(kept))
	require.NotEqual(t, string(kept), moved)
	require.NoError(t, os.WriteFile(files[0], []byte(moved), 0o600))
	code, text, stderr := rocec(t, args...)
	require.Equal(t, exit.Errors, code, text+stderr)
	assert.Contains(t, text, "store1:ens1f0: the GID index of nvme was 3 at ")
	assert.Contains(t, text, "and is 4 now. NCCL_IB_GID_INDEX=3 in a job is wrong: slot 3 of rocep3s0f0 has 198.18.0.1 of type RoCE v2")
	assert.Contains(t, text, "the RDMA device of nvme was mlx5_0 at ")

	require.NoError(t, os.WriteFile(files[0], []byte(moved), 0o600))
	code, text, _ = rocec(t, append(args, "--format", "json")...)
	require.Equal(t, exit.Errors, code)
	var doc view.GIDsDocument
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	assert.False(t, doc.Good)
	require.Len(t, doc.Hosts, 1)
	assert.Equal(t, "moved", doc.Hosts[0].Status)
	was := doc.Hosts[0].Use[0].Was
	require.NotNil(t, was)
	assert.Equal(t, []any{"mlx5_0", 3, 2}, []any{was.Dev, was.Index, len(was.Moved)})

	code, text, _ = rocec(t, args...)
	assert.Equal(t, exit.Good, code, "the new index is kept: %s", text)
	require.NoError(t, os.WriteFile(files[0], kept[:len(kept)/2], 0o600))
	code, text, stderr = rocec(t, args...)
	assert.Equal(t, exit.Good, code)
	assert.Equal(t, first, text)
	assert.Contains(t, stderr, "the GID indexes of the last verify --gids cannot be used, so no index counts as moved")
}
