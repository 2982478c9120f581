package operands

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/meaning"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/site"
)

// A host with files on both sides is compared like a switch: if PFC ends, that is an effect and a new error of the audit.
func TestHostsOfFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(dir string, words ...string) {
		for _, f := range site.Demo() {
			name := strings.Replace(f.Name, site.DemoFolder, dir, 1)
			data := f.Data
			if filepath.Base(name) == "mlnx_qos.txt" {
				data = []byte(strings.NewReplacer(words...).Replace(string(data)))
			}
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
			require.NoError(t, os.WriteFile(name, data, 0o644))
		}
	}
	write("off")
	write("on", "enabled     0   0   0   0 ", "enabled     0   0   0   1 ")
	g := globals.New(&person.Person{
		Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Getenv: func(string) string { return "" },
	}, globals.Build{})
	compare := func(names ...string) *meaning.Meaning {
		a, b, err := Resolve(t.Context(), ".", names)
		require.NoError(t, err)
		was, err := a.State(t.Context(), g)
		require.NoError(t, err)
		is, err := b.State(t.Context(), g)
		require.NoError(t, err)
		return meaning.Of(was, is)
	}
	m := compare("on", "off")
	require.NotEmpty(t, m.Effects)
	assert.Equal(t, "lossless cos 3 ends", m.Effects[0].What())
	assert.Equal(t, "gpu03", m.Effects[0].On[0].Device)
	require.True(t, m.Worse())
	assert.Equal(t, "conf-fabric-lossless", m.New[0].Code)
	assert.Contains(t, m.New[0].At.Filename, "gpu03")
	assert.False(t, compare("off", "on").Worse())
	assert.True(t, compare("off", "off").Empty())
}
