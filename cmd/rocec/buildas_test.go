package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
)

// unpacked reads a tar and holds it to what makes it the same everywhere.
func unpacked(t *testing.T, data []byte) map[string]modeAndText {
	t.Helper()
	out := map[string]modeAndText{}
	var names []string
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		require.Zero(t, h.ModTime.Unix())
		require.Zero(t, h.Uid+h.Gid)
		require.Empty(t, h.Uname+h.Gname)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		if h.Typeflag == tar.TypeSymlink {
			content = []byte("-> " + h.Linkname)
		} else {
			require.EqualValues(t, tar.TypeReg, h.Typeflag)
		}
		names = append(names, h.Name)
		out[h.Name] = modeAndText{os.FileMode(h.Mode), string(content)}
	}
	require.True(t, slices.IsSorted(names), "%v", names)
	return out
}

// eachSound calls do for every example without errors, with what build writes for it.
func eachSound(t *testing.T, do func(t *testing.T, dir string, built map[string]modeAndText)) {
	entries, err := os.ReadDir("../../examples")
	require.NoError(t, err)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		t.Run(e.Name(), func(t *testing.T) {
			dir, out := filepath.Join("../../examples", e.Name()), t.TempDir()
			if code, _, _ := rocec(t, "build", "-q", "-o", out, dir); code == exitGood {
				do(t, dir, readTree(t, out))
			}
		})
	}
}

// Every host is in one tar, which holds what build writes for it and the links of its units, and nothing else; two builds are equal.
func TestOverlay(t *testing.T) {
	eachSound(t, func(t *testing.T, dir string, built map[string]modeAndText) {
		out, again := t.TempDir(), t.TempDir()
		code, _, stderr := rocec(t, "build", "--as", "overlay", "-o", out, dir)
		require.Equal(t, exitGood, code, stderr)
		code, _, _ = rocec(t, "build", "--as", "overlay", "-o", again, dir)
		require.Equal(t, exitGood, code)
		files := readTree(t, out)
		require.Equal(t, files, readTree(t, again))
		var doc overlayDocument
		require.NoError(t, json.Unmarshal([]byte(files[overlayManifest].text), &doc))
		require.Len(t, files, len(doc.Tars)+1)
		seen := map[string]bool{}
		for _, of := range doc.Tars {
			data := []byte(files[of.File].text)
			require.Equal(t, of.SHA256, deploy.Sum(data))
			held := unpacked(t, data)
			require.Len(t, held, len(of.Paths))
			links := map[string]bool{}
			for _, p := range of.Paths {
				f := held[p.Path[1:]]
				if p.Link != "" {
					links[p.Path] = true
					assert.Equal(t, "-> "+p.Link, f.text)
					assert.Contains(t, held, p.Link[1:], "a link to nothing")
					continue
				}
				assert.Equal(t, p.SHA256, deploy.Sum([]byte(f.text)))
			}
			assert.NotEmpty(t, links)
			for _, host := range of.Hosts {
				require.False(t, seen[host], "%s is in two tars", host)
				seen[host] = true
				for name, f := range held {
					if !links["/"+name] {
						assert.Equal(t, f, built[host+"/"+name], "%s of %s", name, host)
						delete(built, host+"/"+name)
					}
				}
			}
		}
		for name := range built {
			assert.NotContains(t, name, "/etc/rocec/host/", "a value file in no tar")
		}
	})
}
