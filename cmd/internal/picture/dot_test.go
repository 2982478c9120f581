package picture

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/topology"
)

// graphviz runs a program of the real graphviz on a document.
func graphviz(t *testing.T, doc []byte, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(machinetest.Need(t, program), args...)
	cmd.Stdin = strings.NewReader(string(doc))
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(t, err, errs.String())
	require.Empty(t, errs.String())
	return string(out)
}

// counted returns the numbers of devices and links of a document, as graphviz's gc counts them.
func counted(t *testing.T, doc []byte) []string {
	t.Helper()
	return strings.Fields(graphviz(t, doc, "gc", "-n", "-e"))[:2]
}

// The real dot reads the document: it has every device and link, tiers are ranks, and the loop is red and numbered.
func TestDot(t *testing.T) {
	for _, s := range scenes(t) {
		t.Run(s.name, func(t *testing.T) {
			doc := Dot(s.fabric, s.proofs)
			require.Equal(t, []string{strconv.Itoa(len(s.fabric.Devices)), strconv.Itoa(len(s.fabric.Links))}, counted(t, doc))
			if len(s.fabric.Devices) > 60 {
				return // graphviz needs long for its layout
			}
			require.Contains(t, graphviz(t, doc, "dot", "-Tsvg"), "<svg")
			var out struct {
				Objects []struct{ Name, Pos string }
				Edges   []struct{ Color, Label string }
			}
			require.NoError(t, json.Unmarshal([]byte(graphviz(t, doc, "dot", "-Tjson")), &out))
			var numbers []string
			failed := 0
			for _, e := range out.Edges {
				if e.Color == "red" {
					numbers = append(numbers, strings.Split(e.Label, ", ")...)
				}
				if e.Label == "failed" {
					failed++
				}
			}
			wantNumbers, wantFailed := 0, 0
			if all := circles(s.proofs); len(all) > 0 {
				wantNumbers, wantFailed = len(all[0].loop.Circle), len(all[0].loop.Down)
			}
			assert.Len(t, numbers, wantNumbers)
			assert.Equal(t, wantFailed, failed)

			tierAt := map[string]map[int]bool{} // tiers by y coordinate
			for _, o := range out.Objects {
				i := slices.IndexFunc(s.fabric.Devices, func(d *ir.Device) bool { return d.Name == o.Name })
				if i < 0 {
					continue // a rank
				}
				_, y, _ := strings.Cut(o.Pos, ",")
				if tierAt[y] == nil {
					tierAt[y] = map[int]bool{}
				}
				tierAt[y][height(s.fabric.Devices[i])] = true
			}
			for y, tiers := range tierAt {
				assert.Len(t, tiers, 1, "at %s", y)
			}
		})
	}
}

// Each arrow of the loop points to the switch with the buffer. Tiers are above each other.
func TestDotLoop(t *testing.T) {
	f := irtest.LeafSpine(ir.ShortestPath, 4, 2).Fabric()
	doc := string(Dot(f, prone(f, loop(t, f, "S0>L2 L2>S1 S1>L3 L3>S0", "L0-S1 L1-S0"))))
	golden(t, "failed.dot", []byte(doc))
	for _, want := range []string{
		`"S0" -- "L2" [tooltip="L2:p0 - S0:p2", color=red, fontcolor=red, penwidth=2.5, dir=forward, label="1"]`,
		`"S1" -- "L2" [tooltip="L2:p1 - S1:p2", color=red, fontcolor=red, penwidth=2.5, dir=back, label="2"]`,
		`"S1" -- "L0" [tooltip="L0:p1 - S1:p0", style=dashed, label="failed"]`,
	} {
		assert.Contains(t, doc, want)
	}
	ring := irtest.Ring(ir.ShortestPath, 3).Fabric()
	both := string(Dot(ring, prone(ring, loop(t, ring, "R0>R1 R1>R0", ""))))
	assert.Contains(t, both, `dir=both, label="1, 2"`)
}

// The file for PTM is read back as the fabric's cables, each once. The real dot reads the file, too.
func TestPTM(t *testing.T) {
	all := scenes(t)
	hostile := irtest.LeafSpine(ir.UpDown, 2, 1).Rename(func(s string) string { return s + `"; x [/` }).Fabric()
	for _, s := range append(all, scene{"hostile", hostile, nil}) {
		cabling, ds := topology.ReadAll("ptm", "topology.dot", PTM(s.fabric, s.proofs), topology.Options{Most: len(s.fabric.Links) + 1})
		require.Empty(t, ds, s.name)
		var got, want []string
		for _, e := range cabling.Edges {
			require.Empty(t, e.Attrs)
			got = append(got, e.A.Device+":"+e.A.Port+" - "+e.B.Device+":"+e.B.Port)
		}
		for _, l := range s.fabric.Links {
			a, z := ends(l)
			want = append(want, a.String()+" - "+z.String())
		}
		require.ElementsMatch(t, want, got, s.name)
	}
	ring := example(t, "ring-pfc-loop")
	doc := PTM(ring, nil)
	golden(t, "ring.ptm", doc)
	assert.Equal(t, []string{"8", "8"}, counted(t, doc))
	assert.Equal(t, []string{"5", "4"}, counted(t, PTM(hostile, nil)))
	assert.Equal(t, []string{"5", "4"}, counted(t, Dot(hostile, nil)))
}

// The JSON document fits its schema and contains every device, link and loop, sorted.
func TestJSON(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "..", "docs", "schema", "graph.json"))
	require.NoError(t, err)
	for _, s := range scenes(t) {
		data := JSON(s.fabric, s.proofs)
		var any any
		require.NoError(t, json.Unmarshal(data, &any))
		require.NoError(t, schema.Validate(any), s.name)
		var doc document
		require.NoError(t, json.Unmarshal(data, &doc))
		require.Len(t, doc.Devices, len(s.fabric.Devices))
		require.Len(t, doc.Links, len(s.fabric.Links))
		require.Len(t, doc.Loops, len(circles(s.proofs)))
		require.True(t, slices.IsSortedFunc(doc.Links, func(a, b jsonLink) int {
			return nodeset.Compare(a.A.Device+":"+a.A.Port, b.A.Device+":"+b.A.Port)
		}), s.name)
	}
	ring := example(t, "ring-pfc-loop")
	golden(t, "ring.json", JSON(ring, prone(ring, loop(t, ring, "sw2>sw1 sw1>sw4 sw4>sw3 sw3>sw2", ""))))
}
