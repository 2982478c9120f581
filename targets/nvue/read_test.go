package nvue_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nvue"
)

// readsBack compares the settings of a tree with the fabric, except headroom, which the switch derives.
func readsBack(t require.TestingT, d *ir.Device, text []byte) {
	got, want := nvue.Read(d, text), d.Wanted()
	require.NotNil(t, got)
	agree := func(of string, want, got *ir.PortSettings) {
		spare := got.Trust == ir.Trust{PCP: true, DSCP: true}
		if want.TrustKnown && d.Fabric.FlowControl != ir.Pause && len(d.Switch.Intents) > 0 {
			require.True(t, got.TrustKnown, of)
			require.True(t, spare || want.Trust == got.Trust, "%s trusts %s, not %s", of, got.Trust, want.Trust)
		}
		for v, cos := range want.DSCP {
			if cos >= 0 {
				require.Equal(t, cos, got.DSCP[v], "%s: DSCP %d", of, v)
			}
		}
		for v, cos := range want.PCP {
			if cos >= 0 {
				require.Equal(t, cos, got.PCP[v], "%s: PCP %d", of, v)
			}
		}
		type pauses struct {
			known, link  bool
			sends, obeys uint8
		}
		require.Equal(t, pauses{true, want.LinkPause, want.Sends, want.Obeys}, pauses{got.PausesKnown, got.LinkPause, got.Sends, got.Obeys}, of)
	}
	for _, p := range d.Ports {
		w, g := want.Port(p.Name), got.Port(p.Name)
		agree(p.String(), w, g)
		if len(p.Marks()) > 0 { // otherwise ECN of default-global belongs to others
			require.Equal(t, w.Marks, g.Marks, p.String())
			require.Equal(t, w.Marking, g.Marking, p.String())
		}
		sum := 0
		for _, grp := range d.Fabric.CosGroups {
			require.Equal(t, grp.Strict, g.Strict>>grp.Cos&1 == 1, "%s: %s", p, grp.Name)
			require.NotEqual(t, grp.Strict, g.Share[grp.Cos] > 0, "%s: %s is strict or has a share", p, grp.Name)
			if !grp.Strict {
				sum += int(g.Share[grp.Cos])
			}
		}
		require.LessOrEqual(t, sum, 100)
		for v, cos := range g.DSCP { // no unclaimed value is lossless
			if g.Trust.DSCP && !g.LinkPause && g.Sends>>cos&1 == 1 {
				require.Equal(t, cos, w.DSCP[v], "%s: DSCP %d", p, v)
			}
		}
		require.True(t, d.Switch.Can.PFC)
	}
	if want.Rest != nil {
		agree(d.Name+", other ports", want.Rest, got.Rest)
	}
}

// TestReadExamples: the trees written for the examples read back as the settings of their fabrics. The trees are written from nothing,
// and into a factory's tree.
func TestReadExamples(t *testing.T) {
	for _, release := range []string{"5.4.0", "5.18.0"} {
		for _, d := range everything(t, release) {
			w := wish(t, d, nvue.ReplacePreset)
			for _, old := range []string{"", "qos: {roce: {}}"} {
				out := edit(t, w, old)
				readsBack(t, d, []byte(out))
			}
		}
	}
}

// random returns a rack with other classes, cables and releases.
func random(t *rapid.T) (text, release string) {
	release = rapid.SampledFrom([]string{"5.4.0", "5.6.1", "5.9.0", "5.11.0", "5.15.0", "5.18.0"}).Draw(t, "release")
	cos := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7}).Draw(t, "cos")
	dscp := rapid.Permutation([]int{0, 8, 10, 18, 24, 26, 27, 34, 46, 48, 56}).Draw(t, "dscp")
	version := rapid.IntRange(1, 2).Draw(t, "version")
	lossless := rapid.SampledFrom([]string{"true", "true", "true", "false"}).Draw(t, "lossless")
	var b strings.Builder
	b.WriteString("fabric \"rack\" {\n  routing = \"up-down\"\n  mtu     = 9216\n}\n")
	group := func(name string, i int, more string) {
		fmt.Fprintf(&b, "cos_group %q {\n  cos = %d\n", name, cos[i])
		if version == 2 {
			fmt.Fprintf(&b, "  dscp = [%d]\n", dscp[i])
		}
		b.WriteString(more + "}\n")
	}
	weight := func(name string) string {
		if n := rapid.IntRange(0, 100).Draw(t, name); n > 0 {
			return fmt.Sprintf("  weight = %d\n", n)
		}
		return ""
	}
	ecn := ""
	if rapid.Bool().Draw(t, "ecn") && version == 2 {
		ecn = "  ecn {}\n"
	}
	group("rdma", 0, "  lossless = "+lossless+"\n"+weight("weight")+ecn)
	cnp := ""
	if version == 2 {
		group("cnp", 1, "  strict = true\n")
		cnp = "  cnp = cos_group.cnp\n"
	} else {
		cnp = "  vlan = 100\n"
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "others") {
		group(fmt.Sprintf("other%d", i), 2+i, weight("other"))
	}
	fmt.Fprintf(&b, "roce \"nvme\" {\n  version = %d\n  cos_group = cos_group.rdma\n  members = [host.store]\n%s}\n", version, cnp)
	fmt.Fprintf(&b, "switch \"tor\" {\n  names = \"tor1\"\n  model = \"sn4700\"\n  version = %q\n}\n", release)
	n := rapid.IntRange(2, 6).Draw(t, "hosts")
	fmt.Fprintf(&b, "host \"store\" {\n  names = \"store[1-%d]\"\n  nic \"ens1f0\" {\n    model = \"connectx-6\"\n  }\n}\n", n)
	pause := rapid.IntRange(0, 5).Draw(t, "pause") == 0
	for i := range n {
		fmt.Fprintf(&b, "link \"l%d\" {\n  a = \"store%d:ens1f0\"\n  b = \"tor1:swp%d\"\n  speed = %q\n  length = \"%dm\"\n", i, i+1, 2*i+1,
			rapid.SampledFrom([]string{"25G", "100G", "200G"}).Draw(t, "speed"), rapid.SampledFrom([]int{1, 3, 5, 6, 30, 99, 101}).Draw(t, "length"))
		if pause {
			b.WriteString("  flow_control = \"pause\"\n")
		}
		b.WriteString("}\n")
	}
	return b.String(), release
}

// TestRandom: the laws of an edit and of reading back, for random racks and random trees on their switches.
func TestRandom(t *testing.T) {
	fact := factory(t)
	rapid.Check(t, func(rt *rapid.T) {
		text, release := random(rt)
		d := find(t, compilertest.Compile(t, text), "tor1")
		w, ds := nvue.For(d, nvue.ReplacePreset)
		require.False(rt, ds.HasErrors())
		old := rapid.SampledFrom([]string{"", fact, "qos: {roce: {}}", "qos: {mapping: {default-global: {trust: both}}}"}).Draw(rt, "old")
		laws(rt, w, release, old)
		out, _ := w.Edit([]byte(old))
		readsBack(rt, d, out)
	})
}

// TestRead: the settings of a switch whose tree lacks values, and values that are unknown.
func TestRead(t *testing.T) {
	d := device(t, rack, "tor1")
	port := func(text string) *ir.PortSettings { return nvue.Read(d, []byte(text)).Port("swp1") }

	p := port("{}") // set by the factory
	assert.Equal(t, ir.Trust{PCP: true}, p.Trust)
	assert.Equal(t, int8(3), p.DSCP[26])
	assert.Equal(t, int8(7), p.PCP[7])
	assert.True(t, p.PausesKnown)
	assert.Zero(t, p.Sends|p.Obeys)
	assert.Equal(t, uint8(1), p.Marks)
	assert.Equal(t, ir.Marking{Min: 150000, Max: 1500000, Probability: 100}, p.Marking)
	assert.Equal(t, [8]uint8{12, 13, 12, 13, 12, 13, 12, 13}, p.Share)

	p = port("qos: {roce: {}}") // the preset
	assert.Equal(t, ir.Trust{PCP: true, DSCP: true}, p.Trust)
	assert.Equal(t, uint8(1<<3), p.Sends)
	assert.Equal(t, uint8(1<<3), p.Obeys)
	assert.Equal(t, uint8(0xff&^(1<<6)), p.Marks, "classes 0 and 3")
	assert.Equal(t, uint8(1<<6), p.Strict)
	assert.Equal(t, uint8(50), p.Share[3])

	p = port("qos: {roce: {mode: lossy}}")
	assert.True(t, p.PausesKnown)
	assert.Zero(t, p.Sends|p.Obeys)
	assert.False(t, port("qos: {roce: {}, pfc: {default-global: {switch-priority: {2: {}}}}}").PausesKnown, "joined or replaced")
	assert.Zero(t, port("qos: {roce: {enable: 'off'}}").Sends)

	p = port("qos: {pfc: {a: {switch-priority: {'3,5': {}}, tx: disable, port-buffer: 50000, xoff-threshold: 20000}}}\n" +
		"interface: {swp1-4: {qos: {pfc: {profile: a}}}}")
	assert.Equal(t, uint8(0), p.Sends)
	assert.Equal(t, uint8(1<<3|1<<5), p.Obeys)
	assert.Equal(t, 30000, p.Headroom)
	assert.False(t, port("interface: {swp1: {qos: {pfc: {profile: gone}}}}").PausesKnown)
	assert.False(t, port("interface: {swp1: {qos: {mapping: {profile: gone}}}}").TrustKnown)

	p = port("qos: {link-pause: {a: {rx: enable}}}\ninterface: {swp1: {qos: {link-pause: {profile: a}}}}")
	assert.True(t, p.LinkPause)
	assert.Equal(t, uint8(0xff), p.Sends, "on if no key is set")
	assert.Zero(t, port("qos: {link-pause: {}}").Sends)

	p = port("qos: {pfc: {a: {switch-priority: {3: {}}}}}\ninterface: {bond1: {bond: {member: {swp1: {}}}, qos: {pfc: {profile: a}}}}")
	assert.Equal(t, uint8(1<<3), p.Sends, "the settings of its bond")

	p = port("qos: {mapping: {default-global: {trust: port, dscp: {26: {switch-priority: 9}}}}}")
	assert.Equal(t, ir.Trust{}, p.Trust)
	assert.True(t, p.TrustKnown)
	assert.Equal(t, int8(-1), p.DSCP[26])

	p = port("qos: {congestion-control: {default-global: {traffic-class: {0: {ecn: disable}, 3: {ecn: enable, mode: relative}}}}}")
	assert.Equal(t, uint8(1<<3), p.Marks)
	assert.Equal(t, ir.Marking{}, p.Marking, "relative to the free memory")

	p = port("qos: {congestion-control: {default-global: {traffic-class: {3: {ecn: enable}}}}}")
	assert.Equal(t, uint8(1<<3), p.Marks, "a stated class replaces all classes of the factory")

	for _, text := range []string{"", "a: *x", "hello"} {
		assert.Nil(t, nvue.Read(d, []byte(text)), "%q", text)
	}
}

// TestAdaptive: the interfaces that choose paths by load.
func TestAdaptive(t *testing.T) {
	const ports = "interface: {'swp1-2,swp10': {router: {adaptive-routing: {enable: on}}}, " +
		"swp3: {router: {adaptive-routing: {enable: 'off'}}}, swp4: {router: {adaptive-routing: {state: enabled}}}}\n"
	assert.Empty(t, nvue.Adaptive([]byte(ports)), "adaptive routing is off for the whole switch")
	for _, on := range []string{"enable: 'on'", "state: enabled"} {
		assert.Equal(t, []string{"swp1", "swp2", "swp4", "swp10"}, nvue.Adaptive([]byte(ports+"router: {adaptive-routing: {"+on+"}}")))
	}
	assert.Empty(t, nvue.Adaptive([]byte("a: *x")))
}

// FuzzRead: for any bytes from a switch, reading and editing end.
func FuzzRead(f *testing.F) {
	f.Add([]byte("qos: {roce: {}, pfc: {default-global: {switch-priority: {2: {}}}}}"))
	f.Add([]byte("qos: {pfc: hello, mapping: {default-global: [1, 2]}, roce: on}\ninterface: {swp1-4: {qos: 3}, bond1: {bond: {member: x}}}"))
	f.Add([]byte("interface: {swp1: {qos: {pfc: {profile: {}}}}, swp2: []}\nrouter: null"))
	d := device(f, rack, "tor1")
	w := wish(f, d, nvue.AskPreset)
	f.Fuzz(func(t *testing.T, data []byte) {
		nvue.Read(d, data)
		w.Keys(data)
		out, ds := w.Edit(data)
		if ds.HasErrors() {
			require.Nil(t, out)
			return
		}
		again, ds := w.Edit(out)
		require.False(t, ds.HasErrors())
		require.Equal(t, string(out), string(again))
	})
}

// BenchmarkRender renders, edits and compares the trees of switches with 10,000 ports together.
func BenchmarkRender(b *testing.B) {
	const switches, ports = 40, 250
	var text strings.Builder
	text.WriteString(rack[:strings.Index(rack, "switch \"tor\"")])
	fmt.Fprintf(&text, "switch \"tor\" {\n  names = \"tor[1-%d]\"\n  model = \"sn5600\"\n  version = \"5.9.0\"\n}\n", switches)
	fmt.Fprintf(&text, "host \"store\" {\n  names = \"store[1-%d]\"\n  nic \"ens1f0\" {\n    model = \"connectx-6\"\n  }\n}\n", switches*ports)
	for s := range switches {
		fmt.Fprintf(&text, "link \"l%d\" {\n  a = \"store[%d-%d]:ens1f0\"\n  b = \"tor%d:swp[1-62]s[0-3],swp63s[0-1]\"\n"+
			"  speed = \"100G\"\n  length = \"%dm\"\n}\n", s, s*ports+1, (s+1)*ports, s+1, 1+s)
	}
	f := compilertest.Compile(b, text.String())
	fact := []byte(factory(b))
	n := 0
	for b.Loop() {
		n = 0
		for _, d := range f.Devices {
			if d.Switch == nil {
				continue
			}
			w, _ := nvue.For(d, nvue.AskPreset)
			out, ds := w.Edit(fact)
			require.False(b, ds.HasErrors())
			docs, err := nvue.Patch(fact, out)
			require.NoError(b, err)
			require.NotEmpty(b, docs)
			n += len(d.Ports)
		}
	}
	require.Equal(b, switches*ports, n)
}

// TestReadPorts: only front ports are read: members and not their bond, parts and not the split port, and no management port.
func TestReadPorts(t *testing.T) {
	s := nvue.Read(device(t, rack, "tor1"), []byte("interface: {eth0: {type: eth}, lo: {type: loopback}, swp9: {link: {breakout: {2x: {}}}}, "+
		"swp9s0: {link: {mtu: 9000}}, bond1: {bond: {member: {'swp9s0-1': {}}}}, swp12: {description: x}}"))
	require.NotNil(t, s)
	var names []string
	for _, p := range device(t, rack, "tor1").Ports {
		names = append(names, p.Name)
	}
	assert.ElementsMatch(t, append(names, "swp9s0", "swp9s1", "swp12"), slices.Collect(maps.Keys(s.Ports)))
}
