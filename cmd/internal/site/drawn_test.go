package site

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/site/sitetest"
	"github.com/rocec/rocec/cmd/internal/start"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
)

// systems are the releases in the fabrics of TestDrawn: the oldest and the newest release of each way to configure a switch.
var systems = []string{
	"cumulus-linux@3.7.16", "cumulus-linux@4.3.0", "cumulus-linux@4.4.5", "cumulus-linux@5.3.1", "cumulus-linux@5.9.1",
	"cumulus-linux@5.11.1", "sonic@202205", "sonic@202311", "sonic@202505",
}

// The fabric drawn from the files of a fabric equals that fabric, on every shape, system and release. It has the same cables and the same
// classes at each port, and no file has an error.
func TestDrawn(t *testing.T) {
	draws := 300
	switch {
	case machinetest.Quick():
		draws = 12
	case !*whole:
		draws = 60
	}
	met := map[string]int{}
	for seed := range uint64(draws) {
		draw := rand.New(rand.NewPCG(seed, 11))
		shape, ok := start.FindShape(start.ShapeNames()[draw.IntN(len(start.ShapeNames()))])
		require.True(t, ok)
		word := systems[draw.IntN(len(systems))]
		var on start.System
		for _, os := range targets.Known.OS {
			if rest, is := cutName(word, os.Name); is {
				on = start.System{OS: os, Version: rest}
			}
		}
		require.NotNil(t, on.OS, word)
		hosts := 8 * (1 + draw.IntN(6))
		name := fmt.Sprintf("seed %d: %s of %d hosts, %s", seed, shape.Name, hosts, word)
		fsys := fstest.MapFS{}
		for _, f := range start.Shaped(shape, hosts, on) {
			fsys[f.Name] = &fstest.MapFile{Data: f.Data}
		}
		j := judge.Judge(t.Context(), fsys, ".", judge.Options{})
		if j.Fabric == nil || j.Diags.HasErrors() { // the release does not run on the models of the shape
			met["refused"]++
			continue
		}
		met[word]++
		met[shape.Name]++
		files := sitetest.FilesOf(t, j)
		s, ds := Of(t.Context(), files, Options{Most: 1 << 20})
		require.Empty(t, ds, name)
		require.NotNil(t, s.Judged.Fabric, name)
		require.False(t, s.Judged.Diags.HasErrors(), "%s: %v", name, texts(s.Judged.Diags))
		require.Equal(t, cablesOf(j.Fabric), cablesOf(s.Judged.Fabric), name)
		require.Equal(t, portClasses(j.Fabric), portClasses(s.Judged.Fabric), name)
		for _, d := range targets.JudgeFilesOf(s.Judged.Fabric, files).Diagnostics {
			require.NotEqual(t, diag.Error, d.Severity, "%s: %s: %s", name, d.Code, d.Detail)
		}
		require.Empty(t, worseThanAudit(t, s, files), name)
	}
	t.Log(met)
	if draws >= 60 {
		for _, kind := range slices.Concat(start.ShapeNames(), systems) {
			assert.NotZero(t, met[kind], kind)
		}
	}
}

// cutName cuts the name of a system off a word such as sonic@202505.
func cutName(word, name string) (release string, ok bool) {
	if len(word) > len(name) && word[:len(name)] == name && word[len(name)] == '@' {
		return word[len(name)+1:], true
	}
	return "", false
}
