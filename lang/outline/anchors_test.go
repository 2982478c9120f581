package outline

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
)

// textAt returns the place of a text in a file; for a text with |...| the place between the bars.
func textAt(t *testing.T, src, text string) diag.Range {
	t.Helper()
	before, rest, marked := strings.Cut(text, "|")
	inner, after, _ := strings.Cut(rest, "|")
	if !marked {
		inner = before
		before = ""
	}
	i := strings.Index(src, before+inner+after)
	require.GreaterOrEqual(t, i, 0, text)
	from := i + len(before)
	return diag.Range{Filename: "f.hcl", Start: hcl.Pos{Byte: from}, End: hcl.Pos{Byte: from + len(inner)}}
}

func TestAnchors(t *testing.T) {
	const src = `fabric "pod" {
  mtu     = 9216
  routing = "up-down" # as the switches do
}
host "gpu" {
  names = "gpu[1-4]"
  nic "ens1f0" {
    model = "cx6"
    traffic_class {
      tos = 16
    }
    traffic_class {
      tos = 32
      dst = var.x
    }
  }
}
roce training {
  members = [host.gpu, # all
    "store[1-2]:ens1",
  host.gpu]
  tags = { a = 1 }
  text = "${var.a}-b"
}
roce "training" {}
`
	for text, want := range map[string]string{
		`fabric "pod"`:              `fabric "pod" / `,
		`|"pod"|`:                   `fabric "pod" / `,
		`|mtu|     =`:               `fabric "pod" / mtu`,
		`mtu     = 9216`:            `fabric "pod" / mtu`,
		`9216`:                      `fabric "pod" / mtu`,
		`"up-down"`:                 `fabric "pod" / routing`,
		`"|up-down|"`:               `fabric "pod" / routing`,
		`"up-|down|"`:               `fabric "pod" / routing: "down"`,
		"do\n|}|\nhost":             `fabric "pod" / : "}"`,
		`nic "ens1f0"`:              `host "gpu" / nic "ens1f0" / `,
		`gpu[|1-4|]`:                `host "gpu" / names: "1-4"`,
		`tos = |16|`:                `host "gpu" / nic "ens1f0" / traffic_class / tos`,
		`tos = |32|`:                `host "gpu" / nic "ens1f0" / traffic_class #2 / tos`,
		`var.|x|`:                   `host "gpu" / nic "ens1f0" / traffic_class #2 / dst: "x"`,
		`var.x`:                     `host "gpu" / nic "ens1f0" / traffic_class #2 / dst`,
		`roce training`:             `roce "training" / `,
		`roce "training"`:           `roce "training" / `,
		`[|host.gpu|,`:              `roce "training" / members: "host . gpu"`,
		`|host.gpu|]`:               `roce "training" / members: "host . gpu"`,
		`"|store[1-2]|:ens1"`:       `roce "training" / members: "store[1-2]"`,
		"|host.gpu, # all\n    \"|": `roce "training" / members: "host . gpu , \""`,
		`a = |1|`:                   `roce "training" / tags: "1"`,
		`"${var.a}-b"`:              `roce "training" / text`,
		`${|var.a|}`:                `roce "training" / text: "var . a"`,
	} {
		assert.Equal(t, want, NewAnchors("f.hcl", []byte(src)).At(textAt(t, src, text)), text)
	}
	a := NewAnchors("f.hcl", []byte(src))
	assert.Equal(t, "f.hcl", a.Name())
	end := hcl.Pos{Byte: len(src)}
	assert.Equal(t, `: ""`, a.At(diag.Range{Filename: "f.hcl", Start: end, End: end}), "the end of the file")
	assert.Equal(t, `: ""`, NewAnchors("f.hcl", []byte("\xff\n")).At(diag.Range{}), "a text that is not UTF-8 has no anchors")
}

// In every valid file, a token keeps its name if lines or comments are added, and for any cut of the file into pieces. Tokens with the
// same name are in one block, or in top-level blocks with the same header.
func TestAnchorsSurvive(t *testing.T) {
	tokens := func(name string, src []byte) (out hclsyntax.Tokens) {
		all, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
		for _, t := range all {
			if t.Type != hclsyntax.TokenNewline && t.Type != hclsyntax.TokenComment {
				out = append(out, t)
			}
		}
		return out
	}
	seen := 0
	for name, src := range corpus(t) {
		file, ds := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
		if ds.HasErrors() {
			continue
		}
		blockOf := func(at diag.Range) (top, block *hclsyntax.Block) {
			for body := file.Body.(*hclsyntax.Body); ; body = block.Body {
				i := slices.IndexFunc(body.Blocks, func(b *hclsyntax.Block) bool {
					return b.TypeRange.Start.Byte <= at.Start.Byte && at.Start.Byte < b.CloseBraceRange.End.Byte
				})
				if i < 0 {
					return top, block
				}
				if block = body.Blocks[i]; top == nil {
					top = block
				}
			}
		}
		var apart []byte // the file with more lines
		end := 0
		all, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
		for _, t := range all {
			if t.Type == hclsyntax.TokenNewline || t.Type == hclsyntax.TokenComment && bytes.HasSuffix(t.Bytes, []byte("\n")) {
				apart = append(append(apart, src[end:t.Range.End.Byte]...), "\n  # rows { of = [\"words\n\n"...)
				end = t.Range.End.Byte
			}
		}
		apart = append(apart, src[end:]...)

		before, after := tokens(name, src), tokens(name, apart)
		require.Len(t, after, len(before), name)
		a, b := newAnchors(name, src, 1), newAnchors(name, apart, 4*len(apart))
		first := map[string]diag.Range{} // by anchor
		for i, tok := range before {
			anchor := a.At(tok.Range)
			require.Equal(t, anchor, b.At(after[i].Range), name)
			if _, known := first[anchor]; !known {
				first[anchor] = tok.Range
			}
			top, block := blockOf(tok.Range)
			if firstTop, firstBlock := blockOf(first[anchor]); firstTop == top {
				require.Same(t, firstBlock, block, "%s: %s", name, anchor)
			} else {
				require.Equal(t, []any{firstTop.Type, firstTop.Labels}, []any{top.Type, top.Labels}, "%s: %s", name, anchor)
			}
			seen++
		}
	}
	assert.Greater(t, seen, 10_000)
}
