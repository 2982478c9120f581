package targets_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
)

// atHosts sets link pause at the hosts only.
const atHosts = `flow_control = "pause" # and PFC between the switches`

// bothFabric returns a fabric of a leaf with two hosts, and a spine; classes contains its cos groups and intents.
func bothFabric(t *testing.T, version, classes, more string) *target.Tree {
	hosts := ""
	if more == atHosts {
		hosts, more = more, ""
	}
	front, system := "swp", ""
	if !strings.Contains(version, ".") { // a branch of SONiC
		front, system = "etp", "os = \"sonic\""
	}
	tree, ds := targets.Render(compilertest.Compile(t, fmt.Sprintf(`
fabric "f" {
  routing  = "up-down"
  %s
}
%s
switch "leaf" {
  model   = "sn2700"
  version = %q
  %[6]s
}
switch "spine" {
  model   = "sn2700"
  version = %[3]q
  %[6]s
  tier    = 2
}
host "h" {
  names = "h[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}
link "hosts" {
  a      = "h[1-2]:ens1f0"
  b      = "leaf:%[5]s[1-2]"
  speed  = "25G"
  length = "3m"
  %[4]s
}
link "up" {
  a      = "leaf:%[5]s31"
  b      = "spine:%[5]s1"
  length = "30m"
}
`, more, classes, version, hosts, front, system)))
	require.False(t, ds.HasErrors(), fmt.Sprint(ds))
	return tree
}

// class returns a cos group and its intent.
func class(name string, cos, dscp int, more string) string {
	return fmt.Sprintf(`
cos_group %q {
  cos  = %d
  dscp = [%d]
  %s
}
roce %[1]q {
  version   = 2
  cos_group = cos_group.%[1]s
  members   = [host.h]
}
`, name, cos, dscp, more)
}

// TestBoth: while a class moves, the content of a device reads back as its former and its wanted settings at once. Writing that content
// again changes nothing, and the next change leads to the wanted content.
func TestBoth(t *testing.T) {
	const lossless = "lossless = true"
	for _, c := range []struct{ name, old, new string }{
		{"moved", class("rdma", 3, 26, lossless), class("rdma", 4, 34, lossless)},
		{"back", class("rdma", 4, 34, lossless), class("rdma", 3, 26, lossless)},
		{"added", class("rdma", 3, 26, lossless), class("rdma", 3, 26, lossless) + class("more", 4, 34, lossless)},
		{"taken away", class("rdma", 3, 26, lossless) + class("more", 4, 34, lossless), class("rdma", 3, 26, lossless)},
		{"ended", class("rdma", 3, 26, lossless), class("rdma", 3, 26, "")},
		{"begun", class("rdma", 3, 26, ""), class("rdma", 3, 26, lossless)},
		{"the same", class("rdma", 3, 26, lossless), class("rdma", 3, 26, lossless)},
		{"another DSCP", class("rdma", 3, 26, lossless), class("rdma", 3, 27, lossless)},
	} {
		for _, version := range []string{"3.4.3", "3.7.16", "4.3.0", "4.4.0", "5.3.0", "5.9.0", "202205", "202505", "202511"} {
			old, next := bothFabric(t, version, c.old, ""), bothFabric(t, version, c.new, "")
			for i, d := range next.Devices {
				name := c.name + ", " + version + ", " + d.Name
				was, is, both := map[string][]byte{}, map[string][]byte{}, map[string][]byte{}
				reads := func(files map[string][]byte) *ir.Settings {
					return d.Target.Read(d.Source, func(path string) []byte { return files[path] })
				}
				for j, f := range d.Files {
					was[f.Path] = wholeOf(t, old.Devices[i], old.Devices[i].Files[j])
					is[f.Path], _ = f.Edit(was[f.Path])
				}
				for _, marked := range []bool{false, true} {
					files, not := d.Target.Transition(d.Source, func(path string) []byte { return was[path] }, marked)
					require.Empty(t, not, name)
					want := reads(was).Transition(reads(is))
					for _, f := range d.Files {
						if both[f.Path] = is[f.Path]; files[f.Path] != nil {
							both[f.Path] = files[f.Path]
						}
						if f.Lint != nil {
							found, foreign := f.Lint(both[f.Path])
							for _, one := range found {
								// values of one of the contents, or of both together
								known := []string{"conf-lossless-many", "conf-cos-3", "conf-ecn-thresholds", "conf-nvue-pause", "conf-unmarked"}
								require.Contains(t, known, one.Code, "%s: %s", name, one.Detail)
							}
							require.Empty(t, foreign, name)
						}
						last, _ := f.Edit(both[f.Path])
						require.Equal(t, string(is[f.Path]), string(last), name)
					}
					again, _ := d.Target.Transition(d.Source, func(path string) []byte { return both[path] }, marked)
					for path, content := range again {
						require.Equal(t, string(both[path]), string(content), name)
					}
					got := reads(both)
					for _, p := range d.Source.Ports {
						sameBoth(t, name+" "+p.Name, *want.Port(p.Name), *got.Port(p.Name))
						stamps := reads(was).Port(p.Name).Stamps
						if marked {
							stamps = reads(is).Port(p.Name).Stamps
						}
						require.Equal(t, stamps, got.Port(p.Name).Stamps, name)
					}
				}
			}
		}
	}
}

// sameBoth compares settings that concern losslessness. The map of a switch applies to all its ports, so a port without pauses may have
// entries that another port needs.
func sameBoth(t *testing.T, name string, want, got ir.PortSettings) {
	type lossless struct {
		trust, pauses bool
		ir.Trust
		sends, obeys uint8
		dscp         [64]int8
	}
	of := func(p ir.PortSettings) lossless {
		return lossless{p.TrustKnown, p.PausesKnown, p.Trust, p.Sends, p.Obeys, p.DSCP}
	}
	if want.Lossless() == 0 {
		want.DSCP = got.DSCP
	}
	require.Equal(t, of(want), of(got), name)
	require.GreaterOrEqual(t, got.Headroom, want.Headroom, name)
}

// TestBothRefused: a device reports settings that it cannot have at the same time.
func TestBothRefused(t *testing.T) {
	const lossless = "lossless = true"
	const large = "\n  pfc {\n    buffer = \"4000000B\"\n    xoff = \"18000B\"\n  }"
	two := class("rdma", 3, 26, lossless) + class("more", 4, 34, lossless)
	tagged := `
cos_group "rdma" {
  cos      = 3
  lossless = true
}
roce "rdma" {
  version   = 2
  cos_group = cos_group.rdma
  members   = [host.h]
  vlan      = 7
}
`
	for _, c := range []struct {
		name, old, pause, new string
		now                   string            // the flow control in the fabric block then
		want                  map[string]string // by device
	}{
		{
			"three classes", two, "", class("rdma", 5, 46, lossless), "",
			map[string]string{"leaf": "port swp1 would have 3 lossless classes, and Spectrum carries 2", "h1": ""},
		},
		{
			"memory", class("rdma", 3, 26, lossless+large), "", class("rdma", 4, 34, lossless+large), "",
			map[string]string{"leaf": "B more than the packet buffer of Spectrum has", "h1": ""},
		},
		{
			"link pause", two, `flow_control = "pause"`, two, "",
			map[string]string{"leaf": "a port uses PFC or link pause", "h1": "a port uses PFC or link pause"},
		},
		{
			"link pause at the hosts", two, atHosts, two, "",
			map[string]string{"leaf": "a port uses PFC or link pause", "h1": "a port uses PFC or link pause", "spine": ""},
		},
		{
			"link pause at the hosts, now", two, "", two, atHosts,
			map[string]string{"leaf": "a port uses PFC or link pause", "h1": "a port uses PFC or link pause", "spine": ""},
		},
		{
			"link pause at the hosts, and another class", class("rdma", 3, 26, lossless), atHosts, class("rdma", 4, 34, lossless), atHosts,
			map[string]string{"leaf": "", "h1": "", "spine": ""},
		},
		{
			"trust", tagged, "", class("rdma", 3, 26, lossless), "",
			map[string]string{"leaf": "trusts one header field", "h1": "a NIC trusts either DSCP or PCP"},
		},
	} {
		old, next := bothFabric(t, "3.4.3", c.old, c.pause), bothFabric(t, "3.4.3", c.new, c.now)
		for i, d := range next.Devices {
			want, asked := c.want[d.Name]
			if !asked {
				continue
			}
			content := func(path string) []byte {
				for _, f := range old.Devices[i].Files {
					if f.Path == path {
						text, _ := f.Edit(nil)
						return text
					}
				}
				return nil
			}
			_, not := d.Target.Transition(d.Source, content, false)
			assert.True(t, strings.HasSuffix(not, want+".") || want == "" && not == "", "%s %s: %s", c.name, d.Name, not)
		}
	}
}

// TestBothUnsized: a class in a port group of others, whose buffer the switch sizes, is kept without sizes. It cannot be kept beside
// another class.
func TestBothUnsized(t *testing.T) {
	const theirs = `traffic.packet_priority_source_set = [dscp]
traffic.cos_3.priority_source.dscp = [26]
pfc.port_group_list = [default-global]
pfc.default-global.port_set = swp1-swp2
pfc.default-global.cos_list = [3]
pfc.default-global.cable_length = 10
`
	for lossless, want := range map[string]string{
		"":                "",
		"lossless = true": "port swp1 leaves the buffer of its lossless classes to the switch",
	} {
		leaf := bothFabric(t, "5.3.0", class("rdma", 4, 34, lossless), "").Devices[2]
		require.Equal(t, "leaf", leaf.Name)
		features := leaf.Files[1].Path
		files, not := leaf.Target.Transition(leaf.Source, func(path string) []byte {
			if path == features {
				return []byte(theirs)
			}
			return nil
		}, false)
		assert.Equal(t, want == "", not == "")
		assert.Contains(t, not, want)
		if want == "" {
			text := string(files[features])
			assert.Contains(t, text, "pfc.roce_pfc.cos_list = [3]\n")
			assert.NotContains(t, text, "port_buffer_bytes")
		}
	}
}
