package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/stretchr/testify/require"
)

// An excerpt of a fabric (an example of the manual) is completed from a sound fabric, its background:
//
//   - Blocks are the same if kind and labels are. What the excerpt says wins; attributes and blocks it does not mention
//     are taken from the background; blocks inside a block, only those of a kind the excerpt's block has none of.
//   - A block the background does not have stands as it is. A switch, roce or nic block of a new name takes what it must
//     have and does not say from the first of its kind.
//   - "# no NAME" in a block of the excerpt leaves the attribute or block NAME of the background out.
type woven struct {
	text strings.Builder
	ours [][2]int // what of the text is the excerpt's, as offsets
}

func (w *woven) own(text string) {
	w.ours = append(w.ours, [2]int{w.text.Len(), w.text.Len() + len(text)})
	w.text.WriteString(text)
}

// holds says whether a place begins in the excerpt.
func (w *woven) holds(at int) bool {
	return slices.ContainsFunc(w.ours, func(o [2]int) bool { return o[0] <= at && at < o[1] })
}

type parsed struct {
	src  string
	body *hclsyntax.Body
}

// parseHCL reads a text; ok is false where it cannot be read.
func parseHCL(text string) (p parsed, ok bool) {
	f, ds := hclsyntax.ParseConfig([]byte(text), "x", hcl.InitialPos)
	if ds.HasErrors() {
		return parsed{src: text}, false
	}
	return parsed{text, f.Body.(*hclsyntax.Body)}, true
}

func (p parsed) slice(from, to int) string { return p.src[from:to] }

// sameBlock says whether two blocks are one; those that may be repeated without a label never are.
func sameBlock(a, b *hclsyntax.Block) bool {
	return a.Type == b.Type && a.Type != "traffic_class" && a.Type != "validation" && slices.Equal(a.Labels, b.Labels)
}

// needed is what a block of a new name takes from the first of its kind.
var needed = map[string][]string{
	"switch": {"model", "version"},
	"roce":   {"version", "cos_group", "members"},
	"nic":    {"model"},
}

var leftOut = regexp.MustCompile(`\bno ([a-z_]+)`)

// weave completes an excerpt from a ground. Blocks named in without ("kind.label") are not taken from it.
func weave(t *testing.T, excerpt, ground string, without []string) *woven {
	t.Helper()
	g, ok := parseHCL(ground)
	require.True(t, ok, "the background cannot be read")
	w := &woven{}
	e, ok := parseHCL(excerpt)
	if !ok { // as it is, beside the background
		w.own(excerpt)
		e.body = &hclsyntax.Body{}
	} else {
		w.body(e, e.body, g, g.body, 0, len(excerpt))
	}
	w.text.WriteString("\n")
	for _, b := range g.body.Blocks {
		if !slices.ContainsFunc(e.body.Blocks, func(o *hclsyntax.Block) bool { return sameBlock(o, b) }) &&
			!slices.Contains(without, strings.Join(append([]string{b.Type}, b.Labels...), ".")) {
			w.text.WriteString("\n" + g.slice(b.Range().Start.Byte, b.CloseBraceRange.End.Byte) + "\n")
		}
	}
	return w
}

// body writes what stands in an excerpt from one offset to another, with what blocks inside it lack.
func (w *woven) body(e parsed, body *hclsyntax.Body, g parsed, ground *hclsyntax.Body, from, to int) {
	for _, b := range body.Blocks {
		w.own(e.slice(from, b.TypeRange.Start.Byte))
		w.block(e, b, g, ground)
		from = b.CloseBraceRange.End.Byte
	}
	w.own(e.slice(from, to))
}

func (w *woven) block(e parsed, b *hclsyntax.Block, g parsed, ground *hclsyntax.Body) {
	open, end := b.OpenBraceRange.End.Byte, b.CloseBraceRange.Start.Byte
	w.own(e.slice(b.TypeRange.Start.Byte, open))
	if b.OpenBraceRange.Start.Line == b.CloseBraceRange.Start.Line {
		w.own("\n")
	}
	like := &hclsyntax.Body{}
	var only []string
	for _, o := range ground.Blocks {
		if sameBlock(o, b) {
			like, only = o.Body, nil
			break
		}
		if o.Type == b.Type && only == nil && needed[b.Type] != nil {
			like, only = o.Body, needed[b.Type]
		}
	}
	w.body(e, b.Body, g, like, open, end)
	w.text.WriteString("\n")

	without := []string{"names"}
	if only == nil {
		without = nil
	}
	rest, _, _ := strings.Cut(e.src[end:], "\n")
	for line := range strings.Lines(e.slice(open, end) + rest) {
		if _, comment, ok := strings.Cut(line, "#"); ok {
			for _, m := range leftOut.FindAllStringSubmatch(comment, -1) {
				without = append(without, m[1])
			}
		}
	}
	names := make([]string, 0, len(like.Attributes))
	for name := range like.Attributes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if b.Body.Attributes[name] == nil && !slices.Contains(without, name) && (only == nil || slices.Contains(only, name)) {
			r := like.Attributes[name].Range()
			w.text.WriteString(g.slice(r.Start.Byte, r.End.Byte) + "\n")
		}
	}
	if only == nil {
		for _, o := range like.Blocks {
			here := slices.ContainsFunc(b.Body.Blocks, func(x *hclsyntax.Block) bool { return x.Type == o.Type })
			if !here && !slices.Contains(without, o.Type) {
				w.text.WriteString(g.slice(o.Range().Start.Byte, o.CloseBraceRange.End.Byte) + "\n")
			}
		}
	}
	w.own(e.slice(end, b.CloseBraceRange.End.Byte))
}

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
		{"what is said wins", `switch "leaf" { tier = 2 }`, `fabric "f" { mtu = 9000 }
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
		{"a new name takes what it must have", `switch "spine" {}`, `fabric "f" { mtu = 9000 }
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
			w := weave(t, c.excerpt, ground, nil)
			p, ok := parseHCL(w.text.String())
			require.True(t, ok, w.text.String())
			want, ok := parseHCL(c.want)
			require.True(t, ok)
			require.Equal(t, plain(want, want.body), plain(p, p.body))
			own := 0
			for at := range w.text.Len() {
				if w.holds(at) && strings.TrimSpace(w.text.String()[at:at+1]) != "" {
					own++
				}
			}
			require.Equal(t, len(strings.Join(strings.Fields(c.excerpt), "")), own, "the excerpt's bytes are known as its own")
		})
	}
	w := weave(t, `switch "leaf" {`, ground, []string{"host.gpu"})
	require.Equal(t, `switch "leaf" {`, strings.SplitN(w.text.String(), "\n", 2)[0], "what cannot be read stands as it is")
	require.NotContains(t, w.text.String(), "gpu")
}

// plain is a body as sorted lines, whatever its layout.
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
