package targets_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/lock"
	"github.com/rocec/rocec/targets/judge"
)

// losslessMarks returns the marks of the lossless group of a switch.
func losslessMarks(f *ir.Fabric) (out []*ir.Mark, d *ir.Device) {
	for _, d = range f.Devices {
		for _, p := range d.Ports {
			for _, m := range p.Marks() {
				if m.Group.Lossless && d.Switch != nil {
					out = append(out, m)
				}
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return out, d
}

// TestGentleMarks: if a switch drops packets that it cannot mark, the probability rises to 5 % at the length to which one port can fill a
// queue. Other switches keep the slope of the vendor's preset, and values of a person always apply.
func TestGentleMarks(t *testing.T) {
	for _, c := range []struct {
		model, system, slow, fast string
		drops                     bool
	}{
		{"sn2700", `version = "4.3.0"`, "swp[1-2]", "swp[3-4]", false},
		{"sn3700", `version = "5.9.0"`, "swp[1-2]", "swp[3-4]", false},
		{"sn2700", "os = \"sonic\"\n  version = \"202405\"", "etp[1-2]", "etp[3-4]", true},
		{"sn2700", "os = \"sonic\"\n  version = \"202511\"", "etp[1-2]", "etp[3-4]", true},
		{"s6000", `version = "4.2.0"`, "swp1s[0-1]", "swp[5-6]", true},
	} {
		written := func(ecn string) string {
			text := fmt.Sprintf(mixedSpeeds, ecn, "", c.model, c.system, c.slow, c.fast)
			if c.model == "s6000" { // has ports with 40G
				text = fmt.Sprintf(fortyGig, ecn, c.model, c.system)
			}
			return text
		}
		marks, d := losslessMarks(compilertest.Compile(t, written("")))
		require.NotEmpty(t, marks, c.system)
		for _, m := range marks {
			limit := d.Memory().QueueLimit()
			if !c.drops {
				assert.Equal(t, 100, m.Probability.N, c.system)
				assert.Equal(t, 10*m.Min.N, m.Max.N, c.system)
				continue
			}
			assert.Equal(t, 5, m.Probability.N, c.system)
			assert.LessOrEqual(t, m.Max.N, limit, c.system)
			assert.Greater(t, m.Max.N, limit-1<<20-d.Switch.Model.ASIC.MarkStep, "%s: whole MiB, in steps of the chip", c.system)
			assert.Greater(t, m.Max.N, 10*m.Min.N, c.system)
		}
		marks, _ = losslessMarks(compilertest.Compile(t, written("\n    max         = \"1MiB\"\n    probability = 20\n  ")))
		for _, m := range marks {
			assert.Equal(t, [2]int{1 << 20, 20}, [2]int{m.Max.N, m.Probability.N}, c.system)
		}
	}
}

// fortyGig is a rack of 40G with one lossless group that is marked.
const fortyGig = `
fabric "rack" { cable_length = "3m" }
cos_group "rdma" {
  cos      = 4
  dscp     = [26]
  lossless = true
  ecn {%s}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
roce "train" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.node]
}
switch "tor" {
  names = "tor"
  model = "%s"
  %s
}
host "node" {
  names = "node[1-3]"
  nic "e1" { model = "connectx-5" }
}
link "node" {
  a     = "node[1-3]:e1"
  b     = "tor:swp[5-7]"
  speed = "40G"
}
`

// TestGentleMarksPinned: a fabric.lock of an older rocec, which had one slope for all systems, still applies.
func TestGentleMarksPinned(t *testing.T) {
	hcl := fmt.Sprintf(mixedSpeeds, "", "", "sn3700", "os = \"sonic\"\n  version = \"202511\"", "etp[1-2]", "etp[3-4]")
	var rows []*lock.Row
	for _, speed := range []struct {
		name string
		min  int
	}{{"25G", 46080}, {"100G", 156672}} {
		rows = append(rows, &lock.Row{
			Kind: lock.Mark, Inputs: "asic=spectrum2 speed=" + speed.name + " mtu=9216",
			Numbers: []lock.Number{{Name: "min", N: speed.min}, {Name: "max", N: 10 * speed.min}, {Name: "probability", N: 100}},
		})
	}
	pinned := judge.Judge(t.Context(), fstest.MapFS{
		"fabric.hcl": {Data: []byte(hcl)}, lock.Name: {Data: lock.Format(&lock.File{Fabric: "rack", Rocec: "0.1.0", Rows: rows})},
	}, ".", judge.Options{})
	require.NotNil(t, pinned.Fabric)
	marks, _ := losslessMarks(pinned.Fabric)
	require.NotEmpty(t, marks)
	for _, m := range marks {
		assert.Equal(t, [2]int{10 * m.Min.N, 100}, [2]int{m.Max.N, m.Probability.N})
	}
}
