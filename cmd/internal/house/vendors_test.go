package house

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// vendorWord matches the name of a switch operating system, a NIC driver, or a vendor's file or daemon, and the code of a grammar of
// ports. Port names in examples do not count (swp1 is the Linux name on any switch).
var vendorWord = regexp.MustCompile(`(?i)cumulus|sonic|nvue|mlx[0-9]|mlnx|bnxt|\bice\b|irdma|qede|\bionic|\brxe\b|rdma_rxe|softroce|hostnic|` +
	`traffic\.conf|datapath\.conf|qos_(features|infra)|switchd|pfc-prevention|^swp$|swp%|^ethernet$|ethernet%`)

// vendorFields are fields whose texts may have such words: the manual, and the source of a fact.
var vendorFields = map[string]string{
	"Source":         "the source of a fact",
	"LosslessSource": "the source of a fact",
}

// vendorPlaces are the files below targets with further words, each with its reason.
var vendorPlaces = map[string]string{
	"compiler/platform/published.go":      "the names of published headroom tables contain the publisher: sources of facts",
	"compiler/platform/publishedtable.go": "the files of these tables",
	"compiler/platform/modelrows.go":      "the names of rows of models and hardware tests contain the publisher",
	"compiler/platform/modelrowstable.go": "the files of these rows",
}

// vendorFree are further rooms and files that get such names from the table of targets. They are above targets, except the contract of
// linters.
var vendorFree = []string{"cmd/internal/report", "cmd/rocec/deviceconfig.go", "cmd/rocec/validate.go", "targets/target/lint"}

// No room below targets names an operating system, a driver or a vendor's file, in identifiers or in strings. Such names are data of the
// table of targets (ir.Known). The same applies to the rooms and files of vendorFree.
func TestNoVendorsBelowTargets(t *testing.T) {
	m := theModule(t)
	found := map[string]bool{}
	names := m.names("lang", "compiler", "validate")
	for _, room := range vendorFree {
		own := m.names(room)
		if m.files[room] != nil {
			own = []string{room}
		}
		require.NotEmpty(t, own, room)
		names = append(names, own...)
	}
	for _, name := range names {
		for _, word := range vendorWords(t, m, name) {
			found[name] = true
			if vendorPlaces[name] == "" {
				t.Error(word)
			}
		}
	}
	require.Greater(t, len(names), 100)
	for at := range vendorPlaces {
		assert.True(t, found[at], "%s no longer has such a word", at)
	}
}

// vendorWords lists the places of vendor words in a file.
func vendorWords(t *testing.T, m *module, name string) (words []string) {
	add := func(n ast.Node, text string) {
		if vendorWord.MatchString(text) {
			words = append(words, m.place(n)+": "+text)
		}
	}
	ast.Inspect(m.files[name], func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && vendorFields[key.Name] != "" {
				return false
			}
		case *ast.ValueSpec: // a constant that names a source
			if vendorFields[n.Names[0].Name] != "" {
				return false
			}
		case *ast.Ident:
			add(n, n.Name)
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				text, err := strconv.Unquote(n.Value)
				require.NoError(t, err)
				add(n, text)
			}
		}
		return true
	})
	return words
}

// The test above finds vendor words where they are.
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
