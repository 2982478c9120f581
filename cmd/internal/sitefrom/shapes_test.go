package sitefrom

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/site"
)

var update = flag.Bool("update", false, "rewrite the pages of testdata/shapes")

// pageFile is the file of a shape with its page.
const pageFile = "page"

// Each file of testdata/shapes is a network in the shape of public ones, with the page of its audit. The comment names the shape. Its
// line "audit: ARGUMENTS" replaces the source, the folder collected. Files below a folder with the name of an archive are packed into
// this archive, and $DIR is the parent folder.
func TestShapes(t *testing.T) {
	names, err := filepath.Glob("testdata/shapes/*.txtar")
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(names), 30)
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			abs, err := filepath.Abs(name)
			require.NoError(t, err)
			ar, err := txtar.ParseFile(name)
			require.NoError(t, err)
			sources, cabling := unpack(t, ar)
			is := page(t, sources, cabling)
			i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == pageFile })
			if *update {
				if i < 0 {
					i = len(ar.Files)
					ar.Files = append(ar.Files, txtar.File{Name: pageFile})
				}
				ar.Files[i].Data = []byte(is)
				require.NoError(t, os.WriteFile(abs, txtar.Format(ar), 0o644))
				return
			}
			require.GreaterOrEqual(t, i, 0, "go test -update writes the page")
			assert.Equal(t, string(ar.Files[i].Data), is)
			assert.Equal(t, is, page(t, sources, cabling), "the same input gives the same page")
		})
	}
}

// unpack writes the files of a shape to a folder, which becomes the working directory.
func unpack(t *testing.T, ar *txtar.Archive) (sources, cabling []string) {
	t.Helper()
	t.Chdir(t.TempDir())
	packed := map[string][]txtar.File{}
	for _, f := range ar.Files {
		switch archive, rest, ok := strings.Cut(f.Name, ".tar.gz/"); {
		case f.Name == pageFile:
		case ok:
			packed[archive+".tar.gz"] = append(packed[archive+".tar.gz"], txtar.File{Name: rest, Data: f.Data})
		default:
			require.NoError(t, os.MkdirAll(path.Dir(f.Name), 0o755))
			require.NoError(t, os.WriteFile(f.Name, f.Data, 0o644))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(packed)) {
		require.NoError(t, os.WriteFile(name, pack(t, packed[name]), 0o644))
	}
	args := "collected"
	for line := range strings.Lines(string(ar.Comment)) {
		if rest, ok := strings.CutPrefix(line, "audit: "); ok {
			args = rest
		}
	}
	dir, err := os.Getwd()
	require.NoError(t, err)
	words := strings.Fields(strings.ReplaceAll(args, "$DIR", filepath.Base(dir)))
	for i := 0; i < len(words); i++ {
		if words[i] == "--cabling" {
			i++
			cabling = append(cabling, words[i])
			continue
		}
		sources = append(sources, words[i])
	}
	return sources, cabling
}

func pack(t *testing.T, files []txtar.File) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, f := range files {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: f.Name, Mode: 0o644, Size: int64(len(f.Data))}))
		_, err := w.Write(f.Data)
		require.NoError(t, err)
	}
	require.NoError(t, errors.Join(w.Close(), z.Close()))
	return b.Bytes()
}

// page audits sources as the verb does, and returns the output.
func page(t *testing.T, sources, cabling []string) string {
	t.Helper()
	var out, other bytes.Buffer
	p := &person.Person{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &other, Getenv: func(string) string { return "" }, Color: "never"}
	n, err := Maker{globals.New(p, globals.Build{})}.Audit(t.Context(), sources, cabling)
	if err == nil {
		site.Page(&out, n.Part, n.Report, report.Options{Width: 120})
		if n.Failed() {
			out.WriteString("exit status 1\n")
		}
		return other.String() + out.String()
	}
	return fmt.Sprintf("%srocec: %v\n", other.String()+out.String(), err)
}
