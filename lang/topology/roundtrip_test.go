package topology

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// writers has functions that write cables in the form of other programs. Each cable is a device, a port, a device, a port and a speed.
var writers = map[string]func(t *rapid.T, cables [][5]string) []byte{
	"ptm": func(t *rapid.T, cables [][5]string) []byte {
		quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }
		var b bytes.Buffer
		b.WriteString("graph \"g\" {\n")
		for _, c := range cables {
			fmt.Fprintf(&b, "%s:%s -- %s:%s [speed=%s];\n", quote(c[0]), quote(c[1]), quote(c[2]), quote(c[3]), quote(c[4]))
		}
		b.WriteString("}\n")
		return b.Bytes()
	},
	"containerlab": func(t *rapid.T, cables [][5]string) []byte {
		type end struct {
			Node, Interface string
		}
		type link struct {
			Type      string
			Endpoints any
			Vars      map[string]string
		}
		links := []link{}
		for _, c := range cables {
			l := link{"veth", []end{{c[0], c[1]}, {c[2], c[3]}}, map[string]string{"speed": c[4]}}
			if rapid.Bool().Draw(t, "short") {
				l.Type, l.Endpoints = "", []string{c[0] + ":" + c[1], c[2] + ":" + c[3]}
			}
			links = append(links, l)
		}
		out, err := yaml.Marshal(map[string]any{"name": "lab", "topology": map[string]any{"links": links, "defaults": "x"}})
		require.NoError(t, err)
		return out
	},
	"csv": func(t *rapid.T, cables [][5]string) []byte {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.Comma = []rune(",;\t")[rapid.IntRange(0, 2).Draw(t, "separator")]
		w.UseCRLF = rapid.Bool().Draw(t, "crlf")
		require.NoError(t, w.Write([]string{"note", "b_port", "a_device", "speed", "b_device", "a_port"}))
		for _, c := range cables {
			require.NoError(t, w.Write([]string{c[0], c[3], c[0], c[4], c[2], c[1]}))
		}
		w.Flush()
		return b.Bytes()
	},
}

// Reading the output of another program gives its cables, for any names. A placeholder for a name is not read as a name. A speed that
// begins with a digit may be read as a speed.
func TestReadsWhatOthersWrite(t *testing.T) {
	names := rapid.StringOfN(rapid.RuneFrom(nil, unicode.L, unicode.N, unicode.P, unicode.S, unicode.Zs), 1, 12,
		-1).Filter(func(s string) bool {
		return strings.TrimSpace(s) == s && !strings.ContainsAny(s, ":\\") && s[0] != '#' && !templateMark().MatchString(s) &&
			!variableMark().MatchString(s)
	})
	speeds := names.Filter(func(s string) bool { return s[0] < '0' || s[0] > '9' })
	for format, write := range writers {
		rapid.Check(t, func(t *rapid.T) {
			cables := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) (c [5]string) {
				for i := range c[:4] {
					c[i] = names.Draw(t, "name")
				}
				c[4] = speeds.Draw(t, "speed")
				return c
			}), 1, 5).Draw(t, "cables")
			readBack(t, format, write(t, cables), cables)
		})
	}
}

// readBack compares the cables that are read from a file with the cables that were written.
func readBack(t require.TestingT, format string, src []byte, cables [][5]string) {
	edges, ds := readEdges(format, "cables", src, many)
	require.Empty(t, ds, string(src))
	var got [][5]string
	for _, e := range edges {
		got = append(got, [5]string{e.A.Device, e.A.Port, e.B.Device, e.B.Port, e.Attrs[0].Text})
	}
	require.Equal(t, cables, got, string(src))
}

// Names that earlier versions read wrongly.
func TestReadsOddNames(t *testing.T) {
	for format, write := range writers {
		for _, name := range []string{"{%", "%}", "{{", "}}", "${", "$A", "{%{{", "PK"} {
			cables := [][5]string{{name, "p", "b", name, "x"}, {"a", name, name, "q", "x"}}
			rapid.Check(t, func(t *rapid.T) { readBack(t, format, write(t, cables), cables) })
		}
	}
}
