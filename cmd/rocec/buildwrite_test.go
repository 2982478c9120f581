package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/lang/langtest"
)

// built runs build on a fabric and returns its output.
func built(tb testing.TB, args ...string) string {
	tb.Helper()
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), &person.Person{
		Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Getenv: func(string) string { return "" },
	},
		append([]string{"build"}, args...))
	require.Equal(tb, exit.Good, code, stderr.String())
	return stdout.String()
}

// treeOf returns every file below a folder with its mode and bytes.
func treeOf(t *testing.T, dir string) map[string]modeAndText {
	t.Helper()
	out := map[string]modeAndText{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		require.NoError(t, err)
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		out[name] = modeAndText{info.Mode(), string(data)}
		return nil
	}))
	return out
}

// build detects every manual edit of its files: it does not trust times or sizes. It does not rewrite an unchanged file.
func TestBuildSeesEveryEdit(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	built(t, "-o", out, "../../examples/rack-v1-pfc")
	want := treeOf(t, out)
	require.Len(t, want, 21)
	file := filepath.Join(out, "store1/usr/local/sbin/rocec-host")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	kept := filepath.Join(out, "store2/usr/local/sbin/rocec-host")
	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	require.NoError(t, os.Chtimes(kept, long, long))

	rewrite := func(data []byte) func() {
		return func() { require.NoError(t, os.WriteFile(file, data, 0o755)) }
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-2] ^= 1
	for name, edit := range map[string]func(){
		"nothing":        nil,
		"one bit":        rewrite(flipped),
		"the first byte": rewrite(append([]byte("X"), whole[1:]...)),
		"longer":         rewrite(append(bytes.Clone(whole), '\n')),
		"shorter":        rewrite(whole[:len(whole)-1]),
		"empty":          rewrite(nil),
		"the mode":       func() { require.NoError(t, os.Chmod(file, 0o644)) },
		"gone":           func() { require.NoError(t, os.Remove(file)) },
		"a whole folder": func() { require.NoError(t, os.RemoveAll(filepath.Join(out, "store1/usr"))) },
	} {
		t.Run(name, func(t *testing.T) {
			info, err := os.Stat(file)
			require.NoError(t, err)
			written := 0
			if edit != nil {
				edit()
				written = 1
			}
			if _, err := os.Stat(file); err == nil { // like a tool that restores times
				require.NoError(t, os.Chtimes(file, info.ModTime(), info.ModTime()))
			}
			said := built(t, "-o", out, "../../examples/rack-v1-pfc")
			require.Contains(t, said, fmt.Sprintf(" %d file", written))
			require.Contains(t, said, fmt.Sprintf(" written, %d unchanged", 21-written))
			require.Equal(t, want, treeOf(t, out))
			again, err := os.Stat(kept)
			require.NoError(t, err)
			require.True(t, again.ModTime().Equal(long), "an unchanged file keeps its time")
		})
	}
}

// Files of a build share no storage: an edit of one file in place changes no other file.
func TestBuildLinksNothing(t *testing.T) {
	out := t.TempDir()
	built(t, "-o", out, "../../examples/rack-v1-pfc")
	var all []os.FileInfo
	for name := range treeOf(t, out) {
		info, err := os.Stat(name)
		require.NoError(t, err)
		for _, other := range all {
			require.False(t, os.SameFile(info, other), name)
		}
		all = append(all, info)
	}
}

// BenchmarkRebuild builds again without any change: 2,560, 5,120 and 10,240 hosts.
func BenchmarkRebuild(b *testing.B) {
	for _, pods := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("%d-hosts", 2560*pods), func(b *testing.B) {
			dir, out := b.TempDir(), b.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "fabric.hcl"), langtest.Scale(pods), 0o644); err != nil {
				b.Fatal(err)
			}
			built(b, "-q", "-o", out, dir)
			b.ReportAllocs()
			for b.Loop() {
				if said := built(b, "-o", out, dir); !strings.Contains(said, " 0 files of ") {
					b.Fatal(said)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*2560*pods), "ns/host")
		})
	}
}
