package cumulus

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/conflint"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// releases contains every published release from 3.1.1 to 5.3, some that may have been published, and a later one.
func releases() (out []string) {
	for _, line := range []struct{ major, minor, first, last int }{
		{3, 1, 1, 2},
		{3, 2, 0, 1},
		{3, 3, 0, 2},
		{3, 4, 0, 3},
		{3, 5, 0, 3},
		{3, 6, 0, 2},
		{3, 7, 0, 16},
		{4, 0, 0, 1},
		{4, 1, 0, 1},
		{4, 2, 0, 1},
		{4, 3, 0, 4},
		{4, 4, 0, 5},
		{5, 0, 0, 1},
		{5, 1, 0, 0},
		{5, 2, 0, 1},
		{5, 3, 0, 1},
		{5, 9, 0, 1},
	} {
		for patch := line.first; patch <= line.last; patch++ {
			out = append(out, fmt.Sprintf("%d.%d.%d", line.major, line.minor, patch))
		}
	}
	return out
}

// TestWrittenIsInTheGrammar checks every setting that rocec writes for a release. The file accepts its key, its value has the key's type,
// and the linter reports nothing about it. The test covers files written from nothing and edits of the factory's file. A file written from
// nothing contains only keys in the manual of the release.
func TestWrittenIsInTheGrammar(t *testing.T) {
	written := map[*grammar.Key]bool{}
	for _, version := range releases() {
		r, doc, ok := documented(version)
		require.True(t, ok, version)
		for roce := 1; roce <= 2; roce++ {
			for _, flow := range []ir.FlowControl{ir.PFC, ir.Pause} {
				s := canonicalSample(t, "sn2700", version, roce)
				s.fabric.FlowControl = flow
				files, ds := Target.Render(s.sw)
				require.False(t, ds.HasErrors(), "%v", text(ds))
				old := []string{"", factoryFile(doc.Dialect())}
				if doc.Dialect() == "T1" {
					old = append(old, factoryFile("T2"))
				}
				if split(r) {
					infraIsInTheGrammar(t, files[0], r, written)
				}
				file := files[len(files)-1]
				for _, old := range old {
					content, ds := file.Edit([]byte(old))
					require.Empty(t, ds)
					lines, err := grammar.Parse(content)
					require.NoError(t, err)
					accepts := doc.Shown(lines)
					for _, set := range file.Keys(content) {
						if !set.Ours {
							continue
						}
						k, _, _ := grammar.Match(strings.Split(set.Name, "."))
						require.NotNil(t, k, "%s: %s", version, set.Name)
						written[k] = true
						assert.Same(t, k, accepts.Key(k.Feature(), k.Means), "%s: %s", version, set.Name)
						assert.True(t, k.Type.Takes(set.Value, k.In), "%s: %s = %s", version, set.Name, set.Value)
						if old == "" {
							assert.NotZero(t, k.In&r.Dialects(), "%s: %s", version, set.Name)
							assert.GreaterOrEqual(t, r.Compare(k.Since), 0, "%s: %s", version, set.Name)
						}
					}
					found := conflint.Check([]lint.File{{Name: "mlx/" + path.Base(file.Path), Data: content}})
					assert.Empty(t, text(found.Diagnostics), "%s\n%s", version, content)
				}
			}
		}
	}
	assert.Len(t, written, 72)
}

// infraIsInTheGrammar checks the same for the settings that are written into the factory's qos_infra.conf.
func infraIsInTheGrammar(t *testing.T, file target.File, r grammar.Release, written map[*grammar.Key]bool) {
	t.Helper()
	spelling, ok := grammar.Infra(r)
	require.True(t, ok)
	content, ds := file.Edit([]byte(factoryFile(spelling.Dialect())))
	require.Empty(t, ds)
	for _, set := range file.Keys(content) {
		if !set.Ours {
			continue
		}
		k, _, _ := grammar.Match(strings.Split(set.Name, "."))
		require.NotNil(t, k, "%s: %s", r, set.Name)
		written[k] = true
		assert.Same(t, k, spelling.Key(k.Feature(), k.Means), "%s: %s", r, set.Name)
		assert.True(t, k.Takes(set.Value, grammar.QoSInfra), "%s: %s = %s", r, set.Name, set.Value)
		assert.NotZero(t, k.In&r.Dialects(), "%s: %s", r, set.Name)
	}
	found := conflint.Check([]lint.File{{Name: "mlx/" + path.Base(file.Path), Data: content}})
	assert.Empty(t, text(found.Diagnostics), "%s\n%s", r, content)
}

// TestKeysStandInTheGrammar: the code of no other package contains a key or a word of a key. Sentences for people may.
func TestKeysStandInTheGrammar(t *testing.T) {
	words, features := map[string]bool{}, map[string]bool{}
	for _, k := range grammar.Keys() {
		for w := range strings.SplitSeq(k.Pattern, ".") {
			if strings.Contains(strings.TrimSuffix(w, "_N"), "_") {
				words[w] = true
			}
		}
		if k.Feature() != grammar.PortPool { // "port" is also a common word
			features[string(k.Feature())] = true
		}
	}
	key := regexp.MustCompile(`^[a-z0-9_.%-]+$`)
	looked := 0
	for _, dir := range []string{".", "conflint", "sim"} {
		files, err := filepath.Glob(dir + "/*.go")
		require.NoError(t, err)
		for _, file := range files {
			// Claims quote the spelling of documents, even if the grammar differs: a device decides which is right.
			if strings.HasSuffix(file, "_test.go") || file == "claims.go" {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			require.NoError(t, err)
			ast.Inspect(f, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				s, err := strconv.Unquote(lit.Value)
				require.NoError(t, err)
				looked++
				if !key.MatchString(s) {
					return true
				}
				assert.False(t, features[s], "%s: %q", file, s)
				for w := range strings.SplitSeq(s, ".") {
					assert.False(t, words[w], "%s: %q", file, s)
				}
				return true
			})
		}
	}
	require.Greater(t, looked, 300)
	_, err := os.Stat("grammar/keys.go")
	require.NoError(t, err)
}
