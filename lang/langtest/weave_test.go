package langtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/stretchr/testify/require"
)

func TestWeave(t *testing.T) {
	const ground = `fabric "f" { mtu = 9000 }
switch "leaf" {
  names   = "leaf[1-2]"
  model   = "sn2700"
  version = "4.3.0"
  tier    = 1
  ssh { user = "root" }
}
host "gpu" {
  nic "a" { model = "m" }
}
`
	for _, c := range []struct{ name, excerpt, want string }{
		{"the excerpt has precedence", `switch "leaf" { tier = 2 }`, `fabric "f" { mtu = 9000 }
			host "gpu" {
			  nic "a" { model = "m" }
			}
			switch "leaf" {
			  model = "sn2700"
			  names = "leaf[1-2]"
			  ssh { user = "root" }
			  tier = 2
			  version = "4.3.0"
			}`},
		{"left out on purpose", "switch \"leaf\" {\n  tier = 2 # no names, no ssh\n}", `fabric "f" { mtu = 9000 }
			host "gpu" {
			  nic "a" { model = "m" }
			}
			switch "leaf" {
			  model = "sn2700"
			  tier = 2
			  version = "4.3.0"
			}`},
		{"blocks left out on purpose", "# no host.gpu and no fabric.f here\n# want \"no switch.leaf\"\n", `switch "leaf" {
			  model = "sn2700"
			  names = "leaf[1-2]"
			  ssh { user = "root" }
			  tier = 1
			  version = "4.3.0"
			}`},
		{"a new name copies required attributes", `switch "spine" {}`, `fabric "f" { mtu = 9000 }
			host "gpu" {
			  nic "a" { model = "m" }
			}
			switch "leaf" {
			  model = "sn2700"
			  names = "leaf[1-2]"
			  ssh { user = "root" }
			  tier = 1
			  version = "4.3.0"
			}
			switch "spine" {
			  model = "sn2700"
			  version = "4.3.0"
			}`},
		{"blocks inside, by kind", "host \"gpu\" {\n  nic \"b\" { mtu = 1500 }\n}", `fabric "f" { mtu = 9000 }
			host "gpu" {
			  nic "b" {
			    model = "m"
			    mtu = 1500
			  }
			}
			switch "leaf" {
			  model = "sn2700"
			  names = "leaf[1-2]"
			  ssh { user = "root" }
			  tier = 1
			  version = "4.3.0"
			}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := Weave(c.excerpt, ground)
			require.NoError(t, err)
			p, ok := parseHCL(w.String())
			require.True(t, ok, w.String())
			want, ok := parseHCL(c.want)
			require.True(t, ok)
			require.Equal(t, plain(want, want.body), plain(p, p.body))
			lines := strings.Split(c.excerpt, "\n")
			back := make([]string, len(lines))
			for at, b := range []byte(w.String()) {
				if line := w.Line(at); line > 0 && b != '\n' {
					back[line-1] += string(b)
				}
			}
			require.Equal(t, lines, back, "every byte of the excerpt is known by its line")
		})
	}
	w, err := Weave(`switch "leaf" {`, ground, "host.gpu")
	require.NoError(t, err)
	require.Equal(t, `switch "leaf" {`, strings.SplitN(w.String(), "\n", 2)[0], "an excerpt that cannot be read is not changed")
	require.NotContains(t, w.String(), "gpu")
	_, err = Weave("", ground+"{")
	require.Error(t, err)
}

func TestComplete(t *testing.T) {
	w, err := Complete("# background: tor\n\nhost \"gpu\" {\n  names = \"gpu[1-3]\" # more than the background has\n}\n")
	require.NoError(t, err)
	require.Contains(t, w.String(), "names = \"gpu[1-3]\"")
	require.NotContains(t, w.String(), "names = \"gpu[1-2]\"")
	require.Contains(t, w.String(), `switch "tor"`)
	require.Equal(t, 4, w.Line(strings.Index(w.String(), "gpu[1-3]")))
	require.Zero(t, w.Line(strings.Index(w.String(), `switch "tor"`)))

	const alone = "# background: none\nfabric \"a\" {}\n"
	w, err = Complete(alone)
	require.NoError(t, err)
	require.Equal(t, alone, w.String())

	for _, fixture := range []string{"", "fabric \"a\" {}\n", "# background: nothing-of-this-name\n", "\n# background: tor\n"} {
		_, err = Complete(fixture)
		require.Error(t, err, "%q", fixture)
	}
	for _, name := range Backgrounds() {
		files, err := Background(name)
		require.NoError(t, err)
		require.NotEmpty(t, files[FabricFile], name)
	}
}

func TestWants(t *testing.T) {
	wants := Wants("a\nb # want \"x: .*\" # want \"says \\\"y\\\"\"\n")
	require.Len(t, wants, 1)
	require.Len(t, wants[2], 2)
	require.Equal(t, "x: .*", wants[2][0].String())
	require.True(t, wants[2][1].MatchString(`says "y"`))
}

// plain returns a body as sorted lines, without its layout.
func plain(p parsed, body *hclsyntax.Body) string {
	var parts []string
	for name, a := range body.Attributes {
		parts = append(parts, name+" = "+p.slice(a.Expr.Range().Start.Byte, a.Expr.Range().End.Byte)+"\n")
	}
	for _, b := range body.Blocks {
		parts = append(parts, b.Type+strings.Join(b.Labels, " ")+" {\n"+plain(p, b.Body)+"}\n")
	}
	slices.Sort(parts)
	return strings.Join(parts, "")
}
