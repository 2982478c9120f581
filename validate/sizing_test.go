package validate_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/validate"
)

// rack is one switch with hosts, and the settings that differ from the defaults.
type rack struct {
	model, speed, length string
	hosts, mtu           int
	first                int    // port of the hosts; 0: 1
	group                string // lines of the cos group
	more                 string // lines of the switch
	nic                  string
}

func (r rack) source() []byte {
	return fmt.Appendf(nil, `
fabric "rack" {}
cos_group "rdma" {
  cos      = 4
  dscp     = [26]
  lossless = true
  %s
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
roce "all" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu]
}
switch "tor" {
  names = "tor1"
  model = %q
  %s
}
host "gpu" {
  names = "gpu[1-%d]"
  nic "eth0" { model = %q }
}
link "hosts" {
  a      = "gpu[1-%d]:eth0"
  b      = "tor1:swp[%d-%d]"
  speed  = %q
  length = %q
  mtu    = %d
}
`, r.group, r.model, r.more, r.hosts, r.nic, r.hosts, max(r.first, 1), max(r.first, 1)+r.hosts-1, r.speed, r.length, cmp.Or(r.mtu, 9216))
}

// sizing has the codes of the checks about sizes.
var sizing = []string{
	"headroom-too-small", "buffer-overcommitted", "headroom-pool", "nic-headroom", "ecn-thresholds", "ecn-after-pfc", "ecn-min-small",
	"ecn-max-unreachable", "ecn-slow-egress",
}

func (r rack) findings(t testing.TB) diag.List {
	var out diag.List
	for _, d := range validate.Run(compilertest.Compile(t, r.source()), nil).Diagnostics {
		if slices.Contains(sizing, d.Code) {
			out = append(out, d)
		}
	}
	return out
}

func codes(ds diag.List) []string {
	var out []string
	for _, d := range ds {
		out = append(out, fmt.Sprintf("%s %s", d.Severity, d.Code))
	}
	return out
}

func TestSizing(t *testing.T) {
	plain := rack{model: "sn2700", speed: "100G", length: "3m", hosts: 16, group: "ecn {}", nic: "connectx-5"}
	for _, c := range []struct {
		name   string
		change func(*rack)
		want   []string
		detail string // of the first
	}{
		{"a sound rack", func(*rack) {}, nil, ""},
		{"less than two frames for each buffer", func(r *rack) {
			r.group = "ecn {}\npfc { buffer = 820000 }"
		}, []string{"error buffer-overcommitted"}, "88,544 B remain shared, less than two frames for each lossless buffer (294,912 B)"},
		{"more than the chip has", func(r *rack) {
			r.group = "ecn {}\npfc { buffer = 900000 }"
		}, []string{"error buffer-overcommitted"}, "454,176 B more than the chip has"},
		{"a switch set by hand is judged, too", func(r *rack) {
			r.group, r.more = "ecn {}\npfc { buffer = 900000 }", "by_hand {}"
		}, []string{"error buffer-overcommitted"}, "A headroom_pool would free memory, but traffic would be lossless only statistically"},
		{"a pool frees memory", func(r *rack) {
			r.group, r.more = "ecn {}\npfc { buffer = 900000 }", "headroom_pool = \"4MiB\""
		}, []string{"warning headroom-pool"}, "the pool covers 4 of 16 port buffers at once"},
		{"a pool as large as the sum has no finding", func(r *rack) { r.more = fmt.Sprintf("headroom_pool = %d", 16*72_288) }, nil, ""},
		{"one byte less", func(r *rack) {
			r.more = fmt.Sprintf("headroom_pool = %d", 16*72_288-1)
		}, []string{"warning headroom-pool"}, "15 of 16"},
		{
			"less than one", func(r *rack) { r.more = "headroom_pool = 70000" },
			[]string{"error headroom-pool"},
			"one port alone can receive 72,288 B",
		},
		{
			"min at the bound", func(r *rack) { r.group = "ecn { min = 195319 }" },
			[]string{"warning ecn-after-pfc"},
			"min = 195,319 B (Spectrum makes it 196,608 B)",
		},
		{
			"min below the bound that the chip rounds above it", func(r *rack) { r.group = "ecn { min = 190465 }" },
			[]string{"warning ecn-after-pfc"},
			"derived; or write at most 190,464 B",
		},
		{"min below the bound", func(r *rack) { r.group = "ecn { min = 190464 }" }, nil, ""},
		{"min that the chip rounds up to another max", func(r *rack) {
			r.group = "ecn {\nmin = 20000\nmax = 24000\n}"
		}, []string{"error ecn-thresholds"}, "Spectrum has thresholds in steps of 6,144 B: it rounds both to 24,576 B"},
		{"min that comes late though it is derived", func(r *rack) {
			r.group = "ecn {}\npfc { buffer = 800000 }"
		}, []string{"warning ecn-after-pfc", "warning buffer-overcommitted"}, "No min is both below that and above two frames"},
		{"min late and long on a slow port is one finding", func(r *rack) {
			r.speed, r.group = "10G", "ecn { min = 500000 }"
		}, []string{"warning ecn-after-pfc"}, ""},
		{"min at twice an absolute xoff", func(r *rack) {
			r.model, r.group = "z9100", "ecn { min = 36192 }"
		}, []string{"note ecn-after-pfc"}, "xoff = 18,096 B, however much memory is free (assumed: the manuals do not state where " +
			"such a chip begins to count xoff): marks come before pauses where 3 ports or more fill a queue at once. 15 ports can send into " +
			"one queue there. " +
			"Leave min out"},
		{"min below it", func(r *rack) { r.model, r.group = "z9100", "ecn { min = 36191 }" }, nil, ""},
		{"min that no incast there reaches", func(r *rack) {
			r.model, r.hosts, r.group = "z9100", 4, "ecn { min = 150000 }"
		}, []string{"warning ecn-after-pfc"}, "The 3 ports that can fill one queue there hold 54,288 B when all of them pause"},
		{"min just below it", func(r *rack) {
			r.model, r.hosts, r.group = "z9100", 4, "ecn { min = 54287 }"
		}, []string{"note ecn-after-pfc"}, "where 3 ports or more"},
		{"three frames are more than an incast holds", func(r *rack) {
			r.model, r.hosts, r.group = "z9100", 4, "ecn {}\npfc { xoff = 6032 }"
		}, []string{"note ecn-after-pfc"}, "3 ports can send into one queue there, so that marks never come first. That min is derived"},
		{"one host and another make no incast", func(r *rack) {
			r.model, r.hosts, r.group = "z9100", 2, "ecn { min = 150000 }"
		}, nil, ""},
		{"no memory, no bound", func(r *rack) {
			r.group = "pfc { buffer = 840000 }\necn { min = 30000 }"
		}, []string{"error buffer-overcommitted"}, ""},
		{"no min helps", func(r *rack) {
			r.group = "ecn { min = 30000 }\npfc { buffer = 800000 }"
		}, []string{"warning ecn-after-pfc", "warning buffer-overcommitted"}, "No min is both below that and above two frames"},
		{"min of less than two frames", func(r *rack) { r.group = "ecn { min = 12288 }" }, []string{"warning ecn-min-small"}, ""},
		{"min of two frames", func(r *rack) { r.group = "ecn { min = 18432 }" }, nil, ""},
		{"min that the chip makes two frames", func(r *rack) { r.group = "ecn { min = 12289 }" }, nil, ""},
		{"frames of a smaller MTU", func(r *rack) { r.mtu, r.group = 4200, "ecn { min = 8400 }" }, nil, ""},
		{
			"min derived from max", func(r *rack) { r.group = "ecn { max = 80000 }" },
			[]string{"warning ecn-min-small"},
			"min = 12,288 B, derived from max",
		},
		{"max at what a queue holds", func(r *rack) {
			r.group = "ecn { max = 3125112 }"
		}, []string{"warning ecn-max-unreachable"}, "write a max of at most 3,121,152 B, which a queue on tor1 can reach"},
		{"max that the chip rounds up to it", func(r *rack) {
			r.group = "ecn { max = 3125111 }"
		}, []string{"warning ecn-max-unreachable"}, "max = 3,125,111 B (Spectrum makes it 3,127,296 B)"},
		{"max below it", func(r *rack) { r.group = "ecn { max = 3121152 }" }, nil, ""},
		{
			"long on a slow port", func(r *rack) { r.speed, r.group = "10G", "ecn { min = 157500 }" },
			[]string{"note ecn-slow-egress"},
			"write at most 153,600 B",
		},
		{"just not", func(r *rack) { r.speed, r.group = "10G", "ecn { min = 153600 }" }, nil, ""},
		{
			"another check reports a missing ramp", func(r *rack) { r.group = "ecn {\nmin = 9000000\nmax = 8000000\n}" },
			[]string{"error ecn-thresholds"},
			"",
		},
		{"a NIC's longest cable", func(r *rack) { r.length, r.nic = "999m", "connectx-7" }, nil, ""},
		{
			"a longer one", func(r *rack) { r.length, r.nic, r.hosts = "1000m", "connectx-7", 8 },
			[]string{"warning nic-headroom"},
			"at most 999 m of cable",
		},
		{
			"a NIC with little memory", func(r *rack) { r.length, r.hosts = "990m", 8 },
			[]string{"warning nic-headroom"},
			"has 262,016 B of memory",
		},
		{"a NIC with little memory and two groups", func(r *rack) {
			r.length, r.hosts, r.group = "500m", 8, "ecn {}\n}\ncos_group \"storage\" {\ncos = 3\nlossless = true"
		}, []string{"warning nic-headroom"}, "each need 345,022 B for 2 lossless groups (100G, 500 m)"},
		{"a driver that publishes nothing", func(r *rack) { r.length, r.nic, r.hosts = "1200m", "e810", 8 }, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := plain
			c.change(&r)
			ds := r.findings(t)
			require.Equal(t, c.want, codes(ds))
			if c.detail != "" {
				assert.Contains(t, ds[0].Detail, c.detail)
			}
		})
	}
}

// A written buffer that is smaller than the published row of the model is a warning that names the row.
func TestHeadroomBelowRow(t *testing.T) {
	for _, c := range []struct {
		headroom int
		severity diag.Severity
		detail   string
		notes    string
	}{
		{160_512, 0, "", ""},
		{
			160_511, diag.Warning,
			"where 160,512 B is published: 7050cx3-32s, 10G at 5 m: 160000 B, MTU 9100, for MTU 9216 (SONiC device/arista/",
			"",
		},
		{48_000, diag.Warning, "the group can lose frames when many of them are small", "the published row of the model: 7050cx3-32s, 10G"},
		{30_000, diag.Error, "is likely to lose frames", ""},
	} {
		r := rack{model: "7050cx3-32s", speed: "10G", length: "3m", hosts: 2, nic: "connectx-5", more: "version = \"3.7.12\""}
		r.group = fmt.Sprintf("ecn {}\npfc {\nxoff = 18000\nxon_delta = 2000\nbuffer = %d\n}", c.headroom+18_000)
		var found diag.List
		for _, d := range r.findings(t) {
			if d.Code == "headroom-too-small" {
				found = append(found, d)
			}
		}
		if c.detail == "" {
			assert.Empty(t, found)
			continue
		}
		require.Len(t, found, 1)
		assert.Equal(t, c.severity, found[0].Severity)
		assert.Contains(t, found[0].Detail, c.detail)
		assert.Contains(t, fmt.Sprint(found[0].Notes), c.notes)
	}
}

// Derived sizes have no findings, unless the memory is too small.
func TestDerivedSizesAreSound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		model := rapid.SampledFrom(platform.Switches).Filter(func(s *platform.Switch) bool {
			return targets.Known.DefaultOS().Can(s.ASIC, "").PFC && s.Ports[0].Speed >= 10_000
		}).Draw(rt, "model")
		var speeds []int
		first := model.Ports[0]
		for _, s := range platform.Speeds {
			if s >= 10_000 && platform.Runs(first.Speed, first.Lanes, s) {
				speeds = append(speeds, s)
			}
		}
		r := rack{
			model: model.Name, nic: "soft-roce", group: "ecn {}",
			speed:  platform.SpeedText(rapid.SampledFrom(speeds).Draw(rt, "speed")),
			length: fmt.Sprintf("%dm", rapid.IntRange(1, 1000).Draw(rt, "metres")),
			hosts:  rapid.IntRange(2, first.Last-first.First+1).Draw(rt, "hosts"),
			first:  first.First,
		}
		for _, d := range r.findings(t) {
			if d.Code != "buffer-overcommitted" {
				rt.Fatalf("%v: %s: %s", r, d.Code, d.Detail)
			}
		}
	})
}

// If a port may hold only xoff, a derived min is right for all ports of a switch that send at once. Traffic from other switches comes in
// by few ports, which pause before the queue marks.
func TestMarksOfWhatOtherSwitchesSend(t *testing.T) {
	src := strings.NewReplacer(`asic  = "spectrum"`, `asic  = "tomahawk"`, "gpu[1-4]", "gpu[1-32]", ":swp128", ":swp[121-128]").
		Replace(string(clos(4, 2, 0)))
	require.Contains(t, src, "tomahawk")
	noted := func(src string) (out []string) {
		for _, d := range validate.Run(compilertest.Compile(t, []byte(src)), nil).Diagnostics {
			if d.Code == "ecn-after-pfc" {
				assert.Equal(t, diag.Notice, d.Severity)
				out = append(out, d.Detail)
			}
		}
		return out
	}
	found := noted(src)
	require.Len(t, found, 1)
	assert.Contains(t, found[0], "On leaf1 and 3 switches more")
	assert.Contains(t, found[0], "marks come before pauses where 9 ports or more fill a queue at once. 9 ports can send into one queue there")
	assert.Contains(t, found[0], "traffic from other switches comes in by 2 ports, and is paused first. That min is derived")
	assert.Empty(t, noted(strings.Replace(src, "ecn {}", "ecn { min = 36191 }", 1)), "two are enough")
}

// Equal switches of a block have one finding, at the written size.
func TestOvercommittedSwitchesAreFolded(t *testing.T) {
	src := strings.Replace(string(clos(4, 2, 0)), "ecn {}", "ecn {}\n  pfc { buffer = \"30MiB\" }", 1)
	var told []string
	for _, d := range validate.Run(compilertest.Compile(t, []byte(src)), nil).Diagnostics {
		if d.Code == "buffer-overcommitted" {
			told = append(told, d.Detail)
			assert.Contains(t, src[d.At.Start.Byte:d.At.End.Byte], "30MiB")
		}
	}
	require.Len(t, told, 2, "one for each block")
	assert.Contains(t, strings.Join(told, "\n"), "and 3 switches like it have each")
	assert.Contains(t, strings.Join(told, "\n"), "and 1 switch like it have each")
}

// The offered max is one that queues on every switch reach, and not only those of the finding's switch. The finding names max, also if min
// is written.
func TestMaxHoldsOnEverySwitch(t *testing.T) {
	const above = "max = 9,216,000 B on. On spine1" // on the leaves this min is too late, and their memory is fuller
	src := strings.Replace(upDown, `"3m"`, `"5m"`, 1) + intent("all", "host.h") + switches("leaf", "leaf[1-2]", "1") +
		switches("spine", "spine[1-2]", "2") + "host \"h\" {\n names = \"h[1-4]\"\n nic \"eth0\" { model = \"connectx-5\" }\n}\n" +
		cables("hosts", "h[1-4]:eth0", "leaf[1-2]:swp[1-2]", `speed = "25G"`) +
		"mesh \"up\" {\n lower = \"leaf[1-2]:swp[31-32]\"\n upper = \"spine[1-2]:swp[1-2]\"\n}\n"
	of := func(ecn string) []*diag.Diagnostic {
		found := validate.Run(compilertest.Compile(t, []byte(strings.Replace(src, "ecn {}", ecn, 1))), nil).Diagnostics
		return slices.DeleteFunc(found, func(d *diag.Diagnostic) bool { return d.Code != "ecn-max-unreachable" })
	}
	first := of(`ecn { min = "900KiB" }`)
	require.Len(t, first, 1)
	require.Contains(t, first[0].Detail, above)
	m := regexp.MustCompile(`or write a max of at most ([\d,]+) B, which a queue on every switch can reach`).FindStringSubmatch(
		first[0].Detail)
	require.NotNil(t, m, first[0].Detail)
	limit, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	require.NoError(t, err)
	assert.Empty(t, of(fmt.Sprintf("ecn {\nmin = \"900KiB\"\nmax = %d\n}", limit)))
	assert.Len(t, of(fmt.Sprintf("ecn {\nmin = \"900KiB\"\nmax = %d\n}", limit+1)), 1, "the chip rounds it up")
}
