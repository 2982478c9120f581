package sonic_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/sonic"
)

// known returns the table of targets with SONiC in it.
func known() ir.Known {
	k := targets.Known
	k.OS = append(slices.DeleteFunc(slices.Clone(k.OS), func(os *ir.OS) bool { return os.Name == sonic.OS.Name }), sonic.OS)
	return k
}

// compiled compiles two switches of models, with the links between them as lines of "a b", or "a b speed".
func compiled(t *testing.T, models [2]string, version string, links ...string) (*ir.Fabric, diag.List) {
	var b strings.Builder
	b.WriteString("fabric \"f\" { cable_length = \"3m\" }\n")
	for i, m := range models {
		fmt.Fprintf(&b, "switch \"s%d\" {\n  model   = %q\n  os      = \"SONiC\"\n  version = %q\n}\n", i+1, m, version)
	}
	for i, l := range links {
		words := append(strings.Fields(l), "")
		fmt.Fprintf(&b, "link \"l%d\" {\n  a = \"s1:%s\"\n  b = \"s2:%s\"\n", i, words[0], words[1])
		if words[2] != "" {
			fmt.Fprintf(&b, "  speed = %q\n", words[2])
		}
		b.WriteString("}\n")
	}
	src, ds := lang.Load(fstest.MapFS{"fabric.hcl": {Data: []byte(b.String())}}, ".", lang.Options{})
	for _, d := range ds {
		require.Fail(t, "a mistake in the language", "%s\n%s", d.Detail, b.String())
	}
	return compiler.Compile(src, known())
}

// portsOf names the ports of a switch, with their speeds.
func portsOf(f *ir.Fabric, name string) string {
	d := f.Devices[slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Name == name })]
	var out []string
	for _, p := range d.Ports {
		out = append(out, fmt.Sprintf("%s %s", p.Name, platform.SpeedText(p.Speed())))
	}
	return strings.Join(out, ", ")
}

// A port and its first part have the same name. The other ports in use decide which of the two a name means. In the end the ports have
// their final names.
func TestSplitPortsCompile(t *testing.T) {
	for _, c := range []struct {
		model string
		links []string
		want  string // the ports of s1
	}{
		{"sn2700", []string{"Ethernet0 Ethernet0", "Ethernet4 Ethernet4"}, "Ethernet0 100G, Ethernet4 100G"},
		{"sn2700", []string{"Ethernet0 Ethernet0", "Ethernet2 Ethernet2"}, "Ethernet0 50G, Ethernet2 50G"},
		{
			"sn2700",
			[]string{"Ethernet0 Ethernet0 25G", "Ethernet1 Ethernet1 25G", "Ethernet2 Ethernet2 25G"},
			"Ethernet0 25G, Ethernet1 25G, Ethernet2 25G",
		},
		{"sn2700", []string{"Ethernet2 Ethernet2"}, "Ethernet2 50G"},
		{"sn2700", []string{"Ethernet2 Ethernet4 50G", "Ethernet0 Ethernet8 50G"}, "Ethernet0 50G, Ethernet2 50G"},
		{"sn2700", []string{"etp10 etp1", "etp2 etp2"}, "Ethernet4 100G, Ethernet36 100G"},
		{"sn2700", []string{"etp1a etp1a", "etp1b etp1b"}, "Ethernet0 50G, Ethernet2 50G"},
		{"sn4700", []string{"etp1a etp1a 100G", "etp1d etp1d 100G"}, "Ethernet0 100G, Ethernet6 100G"},
		{
			"sn4700",
			[]string{"Ethernet0 Ethernet0", "Ethernet4 Ethernet4", "Ethernet6 Ethernet6"},
			"Ethernet0 200G, Ethernet4 100G, Ethernet6 100G",
		},
		{"sn5640", []string{"etp1 etp1", "etp65 etp66"}, "Ethernet0 800G, Ethernet512 25G"},
		{"sn6600", []string{"Ethernet0 Ethernet0", "Ethernet4 Ethernet4"}, "Ethernet0 800G, Ethernet4 800G"},
		{"7060cx-32s", []string{"Ethernet0 Ethernet4", "Ethernet124 Ethernet120"}, "Ethernet0 100G, Ethernet124 100G"},
		{"s6100", []string{"Ethernet0 Ethernet1", "Ethernet1 Ethernet0"}, "Ethernet0 40G, Ethernet1 40G"},
	} {
		f, ds := compiled(t, [2]string{c.model, c.model}, "202605", c.links...)
		require.Empty(t, ds, c.links)
		assert.Equal(t, c.want, portsOf(f, "s1"), c.links)
	}
}

func TestSplitPortsAreJudged(t *testing.T) {
	for _, c := range []struct {
		model     string
		links     []string
		code, say string
	}{
		{"sn2700", []string{"etp1 etp1", "etp1b etp2"}, "port-split-and-whole", "is used both whole and split: Ethernet0 and Ethernet2"},
		{"sn2700", []string{"etp1 etp1", "Ethernet0 etp2"}, "port-used-twice", "s1:Ethernet0 is the end of two cables"},
		{"sn2700", []string{"Ethernet0 Ethernet0", "Ethernet2 Ethernet4 100G"}, "speed-mismatch", "it has 50G at most"},
		{
			"sn2700",
			[]string{"Ethernet128 Ethernet0"},
			"unknown-port",
			`no port "Ethernet128". It has Ethernet0-124 in steps of 4 (100G, splits into 4)`,
		},
		{"sn2700", []string{"swp1 Ethernet0"}, "unknown-port", `no port "swp1"`},
		{"sn2410", []string{"Ethernet1 Ethernet0"}, "unknown-port", "a port of 25G has one lane and cannot be split"},
		{"sn2410", []string{"etp1a Ethernet0"}, "unknown-port", "a port of 25G has one lane and cannot be split"},
		{"sn2700", []string{"etp1e Ethernet0"}, "unknown-port", "splits into 4 at most"},
		{"sn2700", []string{"Ethernet1 Ethernet8", "Ethernet4 Ethernet12"}, "port-split-and-whole", "split into four disables the next one"},
		{"sn2700", []string{"Ethernet5 Ethernet8"}, "unknown-port", "only odd ports split into four; Ethernet4 is even"},
		{"sn4700", []string{"Ethernet1 Ethernet16", "Ethernet8 Ethernet24"}, "port-split-and-whole", "split into eight disables the next one"},
	} {
		_, ds := compiled(t, [2]string{c.model, c.model}, "202505", c.links...)
		i := slices.IndexFunc(ds, func(d *diag.Diagnostic) bool { return d.Code == c.code })
		require.GreaterOrEqual(t, i, 0, c.links)
		assert.Contains(t, ds[i].Detail, c.say, c.links)
	}
	for _, links := range [][]string{
		{"Ethernet0 Ethernet0", "Ethernet2 Ethernet2", "Ethernet4 Ethernet4"}, // split into two, which leaves the next port usable
		{"Ethernet4 Ethernet4", "Ethernet6 Ethernet6"},
	} {
		_, ds := compiled(t, [2]string{"sn2700", "sn2700"}, "202505", links...)
		assert.Empty(t, ds, links)
	}
}

// Names do not depend on the order of links: the same cables in another order give the same ports.
func TestOrderOfLinksDoesNotMatter(t *testing.T) {
	links := []string{"Ethernet0 Ethernet0", "etp2b etp2b", "Ethernet2 Ethernet2", "etp2a etp2a", "etp9 etp9"}
	f, ds := compiled(t, [2]string{"sn2700", "sn2700"}, "202505", links...)
	require.Empty(t, ds)
	want := portsOf(f, "s1")
	slices.Reverse(links)
	f, ds = compiled(t, [2]string{"sn2700", "sn2700"}, "202505", links...)
	require.Empty(t, ds)
	assert.Equal(t, want, portsOf(f, "s1"))
	assert.Equal(t, "Ethernet0 50G, Ethernet2 50G, Ethernet4 50G, Ethernet6 50G, Ethernet32 100G", want)
}

func TestReleaseIsJudged(t *testing.T) {
	for _, version := range []string{"202505.12", "20230531.19", "SONiC-OS-202411.0-dirty", "SONiC.202311_RC.5-9f00_Internal"} {
		_, ds := compiled(t, [2]string{"sn2700", "sn2700"}, version, "Ethernet0 Ethernet0")
		require.Empty(t, ds, version)
	}
	_, ds := compiled(t, [2]string{"sn2700", "sn2700"}, "5.9", "Ethernet0 Ethernet0")
	require.Len(t, ds, 2)
	assert.Equal(t, "version-invalid", ds[0].Code)
	assert.Contains(t, ds[0].Detail, "is not a release of SONiC")
	f, ds := compiled(t, [2]string{"sn2700", "7260cx3-64"}, "SONiC.202505.12-1a2b3c4", "Ethernet0 Ethernet252")
	require.Empty(t, ds)
	assert.Equal(t, "sonic", f.Devices[0].Switch.OS, "however it is spelled")
	assert.Equal(t, "SONiC", f.Devices[0].Switch.Can.System)
	assert.Equal(t, 50, f.Devices[0].Switch.Can.Memory.Percent)
	assert.Equal(t, ir.Alpha{Num: 1, Den: 8}, f.Devices[1].Switch.Can.Memory.Alpha)
}
