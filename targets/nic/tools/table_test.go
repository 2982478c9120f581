package tools

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// Every row of every table, and of value files, either sets a field or has the reason why it sets none. A row that sets a field has a read
// function.
func TestMeans(t *testing.T) {
	for _, p := range append(slices.Clone(readable().all), peersLLDP) {
		for _, row := range append(append([]Statement{}, p.Rows...), p.Options...) {
			assert.NotEqual(t, row.Means == ir.NoField, row.Aside == "", "%s %s", p.Name, row.Key)
			if row.Means != ir.NoField && p != ipTool && p != vconfig { // they are read with the interface
				assert.NotNil(t, row.read, "%s %s", p.Name, row.Key)
			}
		}
	}
	for _, row := range valueRows() {
		assert.NotEqual(t, row.Means == ir.NoField, row.Aside == "", row.Key)
	}
}

// Every field of a row can be forgotten, so that no doubtful command leaves a value behind.
func TestForget(t *testing.T) {
	for _, p := range readable().all {
		for _, row := range append(append([]Statement{}, p.Rows...), p.Options...) {
			for _, f := range append([]ir.Field{row.Means}, row.More...) {
				if f == ir.NoField || f == ir.FieldSystem {
					continue
				}
				var zero, all facts
				all = unknownFacts()
				zero.vlans, zero.rules = [][8]int8{{}}, []int{0}
				before := zero.describe()
				zero.forget(f, &all)
				assert.NotEqual(t, before, zero.describe(), "%s: %s", p.Name, f)
			}
		}
	}
}

// Reading never panics or fails, gives equal results for equal bytes, and counts each row at most once.
func FuzzUnderstand(f *testing.F) {
	for _, name := range []string{
		"mlx5.txt", "mlx5-ofed4.txt", "mlx4.txt", "bnxt.txt", "rxe.txt", "dcb.txt", "dcb-json.txt", "lldp.txt", "setup.sh", "doubts.sh",
		"buffers.txt", "windows.txt", "esxi.txt",
		"roce@ens1f0.service",
	} {
		f.Add(name, read(f, "testdata/"+name))
	}
	f.Add("etc/rocec/host/eth0.conf", []byte("pfc=0,0,0,1,0,0,0,0\nx\n=\nmtu=unsupported: no\n"))
	f.Add("x", []byte("$ ethtool -A eth0 rx\n==> /sys/class/net/*/mtu <==\n[{\"ifname\":1}]\n{\"tc_bw\":[[1]]}\n"))
	f.Fuzz(func(t *testing.T, path string, content []byte) {
		id := target.Identity{Ports: []string{"eth0"}}
		u := Understand(id, map[string][]byte{path: content})
		assert.Equal(t, describe(u), describe(Understand(id, map[string][]byte{path: content})))
		sum := len(u.Coverage.Not)
		for _, n := range u.Coverage.Aside {
			sum += n
		}
		for _, n := range u.Coverage.Means {
			assert.GreaterOrEqual(t, n, 0)
			sum += n
		}
		assert.GreaterOrEqual(t, sum+max(0, u.Coverage.Rows-mostMissed), u.Coverage.Rows)
		for name := range u.Settings.Ports {
			u.Where(name, ir.FieldPauses, 3)
		}
	})
}
