package compiler

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/targets"
)

// halls returns a fabric of one switch with a host, and the given number of long cables to other switches with one host each.
func halls(model string, cables int, length, pfc string) string {
	return fmt.Sprintf(`
fabric "dci" { cable_length = "3m" }
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  %[4]s
}
roce "r" {
  version   = 2
  cos_group = cos_group.rdma
  members   = [host.gpu]
}
switch "hall" {
  names   = "hall[0-%[2]d]"
  model   = "%[1]s"
  version = "4.3.0"
}
host "gpu" {
  names = "gpu[0-%[2]d]"
  nic "ens1f0" { model = "connectx-5" }
}
link "hosts" {
  a     = "gpu[0-%[2]d]:ens1f0"
  b     = "hall[0-%[2]d]:swp32"
  speed = "100G"
}
link "halls" {
  a      = "hall0:swp[1-%[2]d]"
  b      = "hall[1-%[2]d]:swp31"
  speed  = "100G"
  length = "%[3]s"
}
`, model, cables, length, pfc)
}

func TestLongCables(t *testing.T) {
	for _, c := range []struct {
		name, text string
		port       string
		xoff, xon  int
		why        string
	}{
		{"one kilometre keeps the preset", halls("sn2700", 2, "1km", ""), "hall0:swp1", 18_048, 16_032, "preset: 18000 B before the pause"},
		{
			"above it the round trip counts", halls("sn2700", 2, "10km", ""), "hall0:swp1", 1_299_936, 1_297_920,
			"a cable of more than 1000 m: below xon lie 1297878 B, which feed the egress for the round trip that follows",
		},
		{"the short cables of the same switch keep it", halls("sn2700", 2, "10km", ""), "hall0:swp32", 18_048, 16_032, "preset"},
		{
			"a memory that holds no more", halls("sn2700", 3, "10km", ""), "hall0:swp1", 18_048, 16_032,
			"the memory of the switch does not hold 1297878 B at every such port",
		},
		{"the other end has room", halls("sn2700", 3, "10km", ""), "hall1:swp31", 1_299_936, 1_297_920, "round trip"},
		{"a written value applies", halls("sn2700", 2, "10km", `pfc { xoff = "20000B" }`), "hall0:swp1", 20_000, 17_984, "pfc.xoff"},
		{"a written buffer leaves xoff short", halls("sn2700", 2, "10km", `pfc { buffer = "3000000B" }`), "hall0:swp1", 18_048, 16_032, "preset"},
		{
			"a written xon_delta is larger", halls("sn2700", 2, "10km", `pfc { xon_delta = "9600B" }`), "hall0:swp1",
			1_307_520, 1_297_920, "round trip",
		},
	} {
		f, ds := Compile(loaded(t, fstest.MapFS{"fabric.hcl": {Data: []byte(c.text)}}, "."), targets.Known)
		require.Empty(t, texts(ds), c.name)
		b := port(f, c.port).Buffers()[0]
		assert.Equal(t, [2]int{c.xoff, c.xon}, [2]int{b.Xoff.N, b.Xoff.N - b.XonDelta.N}, c.name)
		assert.GreaterOrEqual(t, b.Headroom(), b.Need, c.name)
		assert.Contains(t, fmt.Sprint(b.Xoff.From), c.why, c.name)
		assert.Equal(t, 9216+int(b.Terms[1].Bytes)+819+25_216, b.RoundTrip, c.name)
	}
}

// Values that are derived for a long cable do not make a memory tight.
func TestLongCablesLeaveRoom(t *testing.T) {
	for cables := 1; cables <= 5; cables++ {
		f, ds := Compile(loaded(t, fstest.MapFS{"fabric.hcl": {Data: []byte(halls("sn2700", cables, "10km", ""))}}, "."), targets.Known)
		require.Empty(t, texts(ds))
		d := device(f, "hall0")
		short := d.Memory()
		for _, p := range d.Ports {
			for _, b := range p.Buffers() {
				short.Lossless -= b.Xoff.N - cells(d.Switch.Model.ASIC, presetXoff)
			}
		}
		if d.Memory().Tight() {
			assert.True(t, short.Tight(), "%d cables", cables)
		}
	}
}

// A fabric.lock of an older rocec has rows with fewer inputs. They apply to all inputs that rocec distinguishes now.
func TestOldLockHoldsForSpecialInputs(t *testing.T) {
	text := halls("sn2700", 3, "10km", "")
	file := fstest.MapFS{"fabric.hcl": {Data: []byte(text)}}
	f, ds := Compile(loaded(t, file, "."), targets.Known)
	require.Empty(t, texts(ds))
	var inputs []string
	for _, s := range f.Sizes {
		inputs = append(inputs, s.Fresh.Inputs)
	}
	assert.Equal(t, []string{
		"asic=spectrum speed=100G length=3m mtu=9216",
		"asic=spectrum speed=100G length=10000m mtu=9216 memory=tight",
		"asic=spectrum speed=100G length=10000m mtu=9216",
	}, inputs)

	file["fabric.hcl"] = &fstest.MapFile{Data: []byte(strings.Replace(text, `fabric "dci" { cable_length = "3m" }`, `fabric "dci" {
  cable_length = "3m"
  mtu          = 1500
}`, 1))}
	f, ds = Compile(loaded(t, file, "."), targets.Known)
	require.Empty(t, texts(ds))
	assert.Equal(t, "asic=spectrum speed=100G length=3m mtu=1500 rdma_mtu=1024", f.Sizes[0].Fresh.Inputs)
}

// The members decide the largest RDMA packet, not the MTU of the fabric. A group without members is sized for the largest frame.
func TestLastFrameIsTheMembers(t *testing.T) {
	a := &author{line: 8500}
	for _, c := range []struct {
		mtu, payload int
		why          string
		bytes        int
	}{
		{0, 4096, "of an RDMA MTU of 4096, with headers of 96 B and 22 B", 4214},
		{9000, 4096, "of an RDMA MTU of 4096", 4214},
		{4200, 4096, "of an RDMA MTU of 4096", 4214},
		{4191, 2048, "of an RDMA MTU of 2048", 2166},
		{1500, 1024, "of an RDMA MTU of 1024", 1142},
	} {
		s := pair("z9100", "10G", 5)
		for _, h := range s.Hosts {
			for _, n := range h.NICs {
				if c.mtu > 0 {
					n.MTU = val(a, c.mtu)
				}
			}
		}
		p := port(compiled(t, s), "s0:swp1")
		b := p.Buffers()[0]
		assert.Equal(t, c.payload, b.Group.RDMAMTU)
		last := b.Terms[len(b.Terms)-3]
		assert.Equal(t, "frame the peer had begun", last.Name)
		assert.Contains(t, last.Why, c.why)
		assert.Equal(t, c.bytes, last.Bytes)
	}
	s := pair("z9100", "10G", 5)
	s.CosGroups = append(s.CosGroups, &lang.CosGroup{
		Name: "other", Decl: a.at(), Cos: val(a, 5), DSCP: []lang.Value[int]{val(a, 40)}, Lossless: val(a, true),
	})
	for _, b := range port(compiled(t, s), "s0:swp1").Buffers() {
		if b.Group.Name == "other" {
			assert.Zero(t, b.Group.RDMAMTU)
			want := ir.Term{Name: "frame the peer had begun", Bytes: 9238, Why: "as large as the MTU allows and 22 B"}
			assert.Equal(t, want, b.Terms[len(b.Terms)-3])
			return
		}
	}
	assert.Fail(t, "no buffer for the group without members")
}

// For every cable above a kilometre and every chip, the bytes below xon last for the round trip unless memory is tight, and every pause
// leaves enough headroom.
func TestLongCablesFeedTheRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(platform.Switches).Draw(t, "model")
		k := bufferKey{
			group: &ir.CosGroup{}, asic: m.ASIC, tables: (&sizing{models: map[*platform.Switch]*tables{}}).published(m),
			metres: rapid.Float64Range(1, 40_000).Draw(t, "metres"), mbps: rapid.SampledFrom(platform.Speeds).Draw(t, "speed"),
			mtu: rapid.IntRange(1280, 9216).Draw(t, "mtu"), rdma: ir.LargestRDMA, tight: rapid.Bool().Draw(t, "tight"),
		}
		b := switchBuffer(k)
		xon := b.Xoff.N - b.XonDelta.N
		if k.metres > ir.LongCable && !k.tight {
			require.GreaterOrEqual(t, xon, b.RoundTrip)
			require.Less(t, xon-b.RoundTrip, m.ASIC.Cell)
		} else {
			require.Equal(t, cells(m.ASIC, presetXoff)-cells(m.ASIC, presetXonDelta), xon)
		}
		require.GreaterOrEqual(t, b.Headroom(), b.Need)
		require.GreaterOrEqual(t, b.RoundTrip, onCable(k.mbps, k.metres))
	})
}
