package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/start"
)

// If one file cannot be written, none of the new ones stays, and what was there before does.
func TestWriteNewAllOrNone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "lab")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "there"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "there", "old"), []byte("old"), 0o666))
	files := []start.File{
		{Name: "first", Data: []byte("1")},
		{Name: "x/y/second", Data: []byte("2")},
		{Name: "there/new"},
		{Name: "there/old", Data: []byte("new")},
	}
	require.ErrorIs(t, writeNew(dir, files), os.ErrExist)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
	left, err = os.ReadDir(filepath.Join(dir, "there"))
	require.NoError(t, err)
	require.Len(t, left, 1)
	old, err := os.ReadFile(filepath.Join(dir, "there", "old"))
	require.NoError(t, err)
	require.Equal(t, "old", string(old))

	missing := filepath.Join(t.TempDir(), "new")
	require.Error(t, writeNew(missing, []start.File{{Name: "a"}, {Name: "a"}}))
	require.NoDirExists(t, missing)
	require.NoError(t, writeNew(dir, files[:3]))
	got, err := os.ReadFile(filepath.Join(dir, "x", "y", "second"))
	require.NoError(t, err)
	require.Equal(t, "2", string(got))
}
