package cumulus

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
)

// readText reads a traffic.conf of a switch of a release with ports swp1s0, swp2 and swp3.
func readText(t testing.TB, version, text string) *ir.Settings {
	t.Helper()
	s := newSample(t, "sn2700", version)
	for _, p := range []string{"swp1s0", "swp2", "swp3"} {
		s.cable(p, 3)
	}
	r, _, _ := documented(version)
	return read(s.sw, func(path string) []byte {
		if path == infraPath {
			return nil
		}
		require.Equal(t, confPath(r), path)
		return []byte(text)
	})
}

// values returns the values that get a cos.
func values(to []int8, cos int8) (out []int) {
	for v, c := range to {
		if c == cos {
			out = append(out, v)
		}
	}
	return out
}

func TestRead(t *testing.T) {
	require.Nil(t, readText(t, "4.3.0", ""))
	require.Nil(t, read(newSample(t, "sn2700", "6.1.0").sw, func(string) []byte { return []byte("a = 1\n") }))

	// The factory's file: the PCP decides, in some releases also the DSCP; nothing is lossless; cos 7 is strict.
	for version, trust := range map[string]ir.Trust{"3.4.3": {PCP: true}, "3.7.16": {PCP: true, DSCP: true}, "4.3.0": {PCP: true}} {
		_, doc, _ := documented(version)
		p := readText(t, version, factoryFile(doc.Dialect())).Port("swp2")
		assert.Equal(t, trust, p.Trust)
		assert.True(t, p.TrustKnown && p.PausesKnown)
		assert.Equal(t, []int{3, 4}, values(p.PCP[:], 4), "%v", p.PCP)
		assert.Equal(t, int8(-1), p.DSCP[26], "the file states no such map")
		assert.Zero(t, p.Sends|p.Obeys|p.Marks)
		assert.Equal(t, uint8(1<<7), p.Strict)
		assert.Equal(t, [8]uint8{16, 16, 32, 16, 16, 16, 16, 0}, p.Share)
	}

	s := readText(t, "4.3.0", `
traffic.packet_priority_source_set = [dscp] # 802.1p
traffic.cos_4.priority_source.dscp = [26, 27]
traffic.cos_5.priority_source.dscp = [27]
source.port_group_list = [edge]
source.edge.port_set = swp9
source.edge.packet_priority_source_set = [802.1p,dscp]
source.edge.cos_1.priority_source.dscp = [26]
pfc.port_group_list = [a, b, a]
pfc.a.port_set = swp1-swp2
pfc.a.cos_list = [4]
pfc.a.port_buffer_bytes = 70000
pfc.a.xoff_size = 18000
pfc.b.port_set = swp1s0-swp3
pfc.b.cos_list = [5]
pfc.b.tx_enable = false
pfc.unlisted.port_set = swp9
pfc.unlisted.cos_list = [1]
link_pause.port_group_list = [lp]
link_pause.lp.port_set = swp20
link_pause.lp.rx_enable = false
ecn_red.port_group_list = [m]
ecn_red.m.port_set = swp2
ecn_red.m.cos_list = [4,5]
ecn_red.m.min_threshold_bytes = 1000
ecn_red.m.max_threshold_bytes = 2000
ecn_red.m.probability = 10
default_egress_sched.egr_queue_4.bw_percent = 0
egress_sched.port_group_list = [e]
egress_sched.e.port_set = swp9
egress_sched.e.egr_queue_4.bw_percent = 50
`)
	p := s.Port("swp2")
	assert.Equal(t, ir.Trust{DSCP: true}, p.Trust)
	assert.Equal(t, int8(4), p.DSCP[26])
	assert.Equal(t, int8(-1), p.DSCP[27], "the lists of two cos contain it")
	assert.Equal(t, [2]uint8{1 << 4, 1<<4 | 1<<5}, [2]uint8{p.Sends, p.Obeys}, "it is in both groups")
	assert.Equal(t, uint8(1<<4|1<<5), p.Marks)
	assert.Equal(t, ir.Marking{Min: 1000, Max: 2000, Probability: 10}, p.Marking)
	assert.Equal(t, 52000, readText(t, "4.3.0", "pfc.port_group_list=[a]\npfc.a.port_set=swp2\n"+
		"pfc.a.port_buffer_bytes=70000\npfc.a.xoff_size=18000\n").
		Port("swp2").Headroom)
	assert.Equal(t, uint8(1<<5), s.Port("swp1s0").Obeys, "a range of whole and split ports")
	edge := s.Port("swp9")
	assert.Equal(t, ir.Trust{PCP: true, DSCP: true}, edge.Trust)
	assert.Equal(t, int8(1), edge.DSCP[26])
	assert.Zero(t, edge.Obeys, "its group is not listed")
	assert.Equal(t, uint8(50), edge.Share[4])
	assert.Equal(t, uint8(1<<4), s.Rest.Strict)
	lp := s.Port("swp20")
	assert.True(t, lp.LinkPause)
	assert.Equal(t, [2]uint8{0xff, 0}, [2]uint8{lp.Sends, lp.Obeys})
	assert.Same(t, s.Rest, s.Port("swp31"))
}

// TestReadQueues reads the files of 4.4 and later. Queues have shares and marks, one word may name all ports, and qos_infra.conf has the
// queue of each cos.
func TestReadQueues(t *testing.T) {
	for version, dialect := range map[string]string{"4.4.0": "Q1", "5.3.0": "Q2"} {
		p := readText(t, version, factoryFile(dialect)).Port("swp2")
		assert.Equal(t, ir.Trust{PCP: true}, p.Trust)
		assert.Equal(t, []int{4}, values(p.PCP[:], 4))
		assert.Equal(t, []int{3}, values(p.PCP[:], 3))
		assert.Zero(t, p.Sends|p.Obeys|p.Strict)
		assert.Equal(t, uint8(1), p.Marks, "queue 0")
		assert.Equal(t, ir.Marking{Min: 150000, Max: 1500000, Probability: 100}, p.Marking)
		assert.Equal(t, [8]uint8{12, 13, 12, 13, 12, 13, 12, 13}, p.Share)
	}
	files := map[string]string{
		featuresPath: `
pfc.port_group_list = [some, default-global]
pfc.some.port_set = swp1
pfc.some.cos_list = [5]
pfc.default-global.port_set = allports
pfc.default-global.cos_list = [3]
ecn_red.port_group_list = [m]
ecn_red.m.port_set = [swp1,swp3]
ecn_red.m.egress_queue_list = [6]
ecn_red.m.min_threshold_bytes = 1000
default_egress_sched.egr_queue_6.bw_percent = 50
default_egress_sched.egr_queue_5.bw_percent = 0
`,
		infraPath: "cos_egr_queue.cos_3.uc = 6\ncos_egr_queue.cos_6.uc = 0\ncos_egr_queue.cos_7.uc = 9\n",
	}
	s := read(newSample(t, "sn3700", "5.3.0").sw, func(path string) []byte { return []byte(files[path]) })
	assert.Equal(t, uint8(1<<3|1<<5), s.Port("swp1").Sends)
	assert.Equal(t, uint8(1<<3), s.Port("swp30").Sends, "allports")
	assert.Equal(t, uint8(1<<3), s.Port("swp1").Marks, "cos 3 leaves by queue 6, and cos 6 by another")
	assert.Equal(t, uint8(1<<3), s.Port("swp3").Marks)
	assert.Zero(t, s.Port("swp30").Marks)
	assert.Equal(t, [8]uint8{3: 50}, s.Port("swp1").Share)
	assert.Equal(t, uint8(1<<5), s.Port("swp1").Strict)
}

func TestRemoving(t *testing.T) {
	conf := func(list, cos, set string) string {
		return "pfc.port_group_list = " + list + "\npfc.g.cos_list = " + cos + "\npfc.g.port_set = " + set + "\n"
	}
	loses := func(old, next string) bool { return readText(t, "4.3.0", old).Loses(readText(t, "4.3.0", next)) }
	old := conf("[g]", "[4]", "swp1-swp4")
	assert.False(t, loses("", old))
	assert.False(t, loses(old, old))
	assert.False(t, loses(old, conf("[g]", "[4,5]", "swp1-swp4,swp9s0-swp9s3")), "adding")
	assert.False(t, loses(old, conf("[g]", "[4]", "swp1,swp2,swp3,swp4")), "another spelling")
	assert.True(t, loses(old, conf("[g]", "[5]", "swp1-swp4")), "another cos")
	assert.True(t, loses(old, conf("[g]", "[4]", "swp1-swp3")), "a port less")
	assert.True(t, loses(old, conf("[]", "[4]", "swp1-swp4")), "off")
	pause := "link_pause.port_group_list = [p]\nlink_pause.p.port_set = swp1\n"
	assert.True(t, loses(pause, old), "from link pause to PFC: link pause is removed")
	assert.False(t, loses(conf("[x]", "[4]", "swp1"), "a = 1\n"), "an empty list")
}

// FuzzRead: any content of a switch can be read with limited work, and reading it twice returns the same.
func FuzzRead(f *testing.F) {
	for _, d := range []string{"T1", "T2", "T3", "T4", "Q1", "Q2"} {
		f.Add(factoryFile(d))
	}
	f.Add("pfc.port_group_list = [g]\npfc.g.cos_list = [4\npfc.g.port_set = swp1s9-swp3,swp0,x-y\n\x00")
	f.Add("pfc.port_group_list = [g" + strings.Repeat(",g,h", 1000) + "]\npfc.g.port_set = swp1-swp60000" +
		strings.Repeat(",swp1-swp4000", 10_000))
	f.Fuzz(func(t *testing.T, text string) {
		for _, version := range []string{"3.1.1", "4.3.0", "4.4.0", "5.3.0"} {
			require.Equal(t, readText(t, version, text), readText(t, version, text))
		}
	})
}
