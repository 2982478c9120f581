package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// vendorWord is the name of an operating system of switches, of a NIC driver, of a vendor's file or daemon, or the code of a
// grammar of ports. The names of ports in examples (swp1, as Linux calls those of any switch) are none.
var vendorWord = regexp.MustCompile(`(?i)cumulus|sonic|nvue|mlx[0-9]|mlnx|bnxt|\bice\b|irdma|qede|\bionic|\brxe\b|rdma_rxe|softroce|hostnic|` +
	`traffic\.conf|datapath\.conf|qos_(features|infra)|switchd|pfc-prevention|^swp$|swp%|^ethernet$|ethernet%`)

// vendorFields are fields whose texts may have such words: the manual, and where a fact was taken from.
var vendorFields = map[string]string{
	"Source":         "where a fact was taken from",
	"LosslessSource": "where a fact was taken from",
}

// vendorPlaces are the files below targets with further words, each with its reason.
var vendorPlaces = map[string]string{
	"compiler/platform/published.go":      "the published tables of headroom are named by who published them: sources of facts",
	"compiler/platform/publishedtable.go": "the files they stand in",
}

// No room below targets names an operating system, a driver or a vendor's file, in identifiers or in strings: such things are
// data that the table of targets brings (ir.Known).
func TestNoVendorsBelowTargets(t *testing.T) {
	found := map[string]bool{}
	files := 0
	for _, room := range []string{"lang", "compiler", "validate"} {
		require.NoError(t, filepath.WalkDir("../../"+room, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return err
			}
			files++
			at := strings.TrimPrefix(filepath.ToSlash(name), "../../")
			for _, word := range vendorWords(t, name) {
				found[at] = true
				if vendorPlaces[at] == "" {
					t.Errorf("%s: %s", at, word)
				}
			}
			return nil
		}))
	}
	require.Greater(t, files, 100)
	for at := range vendorPlaces {
		assert.True(t, found[at], "%s has no such word any more", at)
	}
}

// vendorWords lists where a file names a vendor's thing.
func vendorWords(t *testing.T, name string) (words []string) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	add := func(at token.Pos, text string) {
		if vendorWord.MatchString(text) {
			words = append(words, strconv.Itoa(fset.Position(at).Line)+": "+text)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && vendorFields[key.Name] != "" {
				return false
			}
		case *ast.ValueSpec: // a constant that is a source
			if vendorFields[n.Names[0].Name] != "" {
				return false
			}
		case *ast.Ident:
			add(n.Pos(), n.Name)
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				text, err := strconv.Unquote(n.Value)
				require.NoError(t, err)
				add(n.Pos(), text)
			}
		}
		return true
	})
	return words
}

// The test above would see what it looks for.
func TestVendorWords(t *testing.T) {
	for _, text := range []string{
		"cumulus-linux", "Cumulus Linux has no PFC", "os == \"sonic\"", "mlx5", "mlx5Buffer", "MLX5", "the ice driver", "swp%d", "swp",
		"Ethernet%d",
		"traffic.conf", "SoftRoCE", "restart switchd",
	} {
		assert.Regexp(t, vendorWord, text)
	}
	for _, text := range []string{"leaf1:swp1", "device", "choice", "Ethernet speed", "service", "mixer", "slices"} {
		assert.NotRegexp(t, vendorWord, text)
	}
}
