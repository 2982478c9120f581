package nvue_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nvue"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

// fullYAML is a startup.yaml whose tree has each kind of setting.
const fullYAML = `- header:
    model: SN4700
    nvue-api-version: nvue_v1
    rev-id: 1.0
    version: Cumulus Linux 5.9.1
- set:
    bridge:
      domain:
        br_default:
          untagged: 1
    interface:
      bond1:
        bond:
          member:
            swp5-6: {}
        link:
          mtu: 9000
        qos:
          pfc:
            profile: far
        type: bond
      eth0:
        type: eth
      swp1-4,swp7s0-1:
        link:
          speed: 100G
        qos:
          congestion-control:
            profile: marks
          egress-scheduler:
            profile: shares
          egress-shaper:
            profile: slow
          mapping:
            profile: in
          pfc:
            profile: near
          remark:
            profile: out
        type: swp
      swp1-2:
        qos:
          pfc-watchdog:
            state: enable
      swp5-6:
        type: swp
      swp9:
        qos:
          link-pause:
            profile: pausing
        type: swp
    qos:
      advance-buffer-config:
        default-global:
          egress-lossless-buffer:
            shared-alpha: alpha_64
          egress-lossy-buffer:
            traffic-class:
              '0':
                service-pool: 3
                shared-bytes: 2000000
          egress-pool:
            '3':
              memory-percent: 20
              mode: static
          ingress-lossless-buffer:
            shared-alpha: alpha_1_128
          ingress-lossy-buffer:
            priority-group:
              control:
                reserved: 10000
                shared-alpha: alpha_2
                switch-priority:
                  '6': {}
                  '7': {}
          ingress-pool:
            '0':
              infinite: true
      congestion-control:
        marks:
          traffic-class:
            '3':
              ecn: enable
              max-threshold: 1500000
              min-threshold: 150000
              probability: 20
              red: enable
      egress-queue-mapping:
        default-global:
          switch-priority:
            '2':
              traffic-class: 7
      egress-scheduler:
        shares:
          traffic-class:
            '0':
              bw-percent: 40
              mode: dwrr
            '3':
              bw-percent: 50
              mode: dwrr
            '6':
              mode: strict
      egress-shaper:
        slow:
          port-max-rate: 50000000
          traffic-class:
            '3':
              max-rate: 40000000
              min-rate: 1000000
      link-pause:
        pausing:
          rx: disable
      mapping:
        in:
          dscp:
            '26':
              switch-priority: 3
          port-default-sp: 2
          trust: both
      pfc:
        far:
          cable-length: 300
          switch-priority:
            '3': {}
        near:
          port-buffer: 80000
          switch-priority:
            '3': {}
            '4': {}
          tx: enable
          xoff-threshold: 20000
          xon-threshold: 5000
      pfc-watchdog:
        polling-interval: 200
        robustness: 5
      remark:
        out:
          rewrite: l3
          switch-priority:
            '3':
              dscp: 26
      traffic-pool:
        default-lossless:
          memory-percent: 40
        default-lossy:
          memory-percent: 40
    system:
      hostname: leaf1
`

func understand(name, text string) *target.Understood {
	return nvue.Understand(target.Identity{}, map[string][]byte{name: []byte(text)})
}

// TestUnderstand: each value of a tree is a setting of its ports, and missing values have the system's defaults.
func TestUnderstand(t *testing.T) {
	u := understand("startup.yaml", fullYAML)
	s, c := u.Settings, &u.Coverage
	assert.Empty(t, c.Not)
	assert.Empty(t, c.Part)
	assert.True(t, c.Whole() && c.RoCE())
	assert.Equal(t, ir.Stored, s.Moment)
	assert.Equal(t, ir.System{
		OS: ir.Of("cumulus-linux"), Release: ir.Of("5.9.1"), Model: ir.Of("sn4700"), Chip: ir.ByDefault("spectrum3"),
		Preset: ir.ByDefault(""),
	}, s.System)

	p := s.Port("swp1")
	assert.Equal(t, uint8(1<<3|1<<4), p.Sends)
	assert.Equal(t, 60000, p.Headroom)
	assert.Equal(t, uint8(1<<3), p.Marks)
	d := p.Detail.Get()
	assert.Equal(t, [8]int8{0, 1, 7, 3, 4, 5, 6, 7}, d.Queue)
	assert.Equal(t, [8]int8{0, 0, 0, 3, 3, 0, 6, 6}, d.Group, "two lossless priorities are one group up to 5.16")
	assert.Equal(t, ir.GroupSettings{
		Buffer: ir.Of(80000), Xoff: ir.Of(20000), Headroom: ir.Of(60000), Limit: ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: -7}),
		Pool: ir.ByDefault("default-lossless"), Lossless: ir.Of(true),
	}, d.Groups[3], "the meaning of xon is unsure before 5.17")
	assert.Equal(t, ir.GroupSettings{
		Buffer: ir.Of(10000), Limit: ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: 1}), Lossless: ir.ByDefault(false),
	}, d.Groups[6])
	assert.Equal(t, ir.ByDefault("ingress-service-pool.0"), d.Groups[0].Pool)
	q := d.Queues[3]
	assert.Equal(t, ir.QueueSettings{
		Strict: ir.Of(false), Share: ir.Of(50), MinRate: ir.Of(int64(1e9)), MaxRate: ir.Of(int64(40e9)), ECN: ir.Of(true),
		MarkMin: ir.Of(150000), MarkMax: ir.Of(1500000), Probability: ir.Of(20), Unmarkable: ir.Of(ir.Dropped), Drop: ir.Of(true),
		DropMin: ir.Of(150000), DropMax: ir.Of(1500000), Limit: ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: 6}),
		Pool: ir.ByDefault("default-lossless"),
	}, q)
	assert.Equal(t, ir.Of(true), d.Queues[6].Strict)
	assert.Equal(t, ir.ByDefault(0), d.Queues[1].Share, "a class that is missing in a profile")
	assert.Equal(t, ir.ByDefault(false), d.Queues[1].ECN)
	assert.Equal(t, ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 2000000}), d.Queues[0].Limit)
	assert.Equal(t, ir.Of("egress-service-pool.3"), d.Queues[0].Pool)
	assert.Equal(t, ir.Of(int64(50e9)), d.Shaper)
	assert.Equal(t, ir.Of(true), d.RewriteDSCP)
	assert.Equal(t, ir.Of(false), d.RewritePCP)
	assert.Equal(t, ir.Of(int64(100e9)), d.Speed)
	assert.Equal(t, ir.ByDefault(9216), d.MTU)
	assert.Equal(t, ir.ByDefault(10), d.Cable)
	assert.Equal(t, ir.Of(int8(2)), d.DefaultCos)
	assert.Equal(t, ir.WatchdogSettings{
		Action: ir.Of(ir.WatchdogDrop), Watches: ir.Of(uint8(1<<3 | 1<<4)), Poll: ir.Of(200 * time.Millisecond),
		Detect: ir.Of(time.Second), Restore: ir.Of(200 * time.Millisecond),
	}, d.Watchdog)

	assert.Same(t, p, s.Port("swp2"), "equal ports share their settings")
	assert.Same(t, s.Port("swp3"), s.Port("swp7s1"))
	assert.Equal(t, ir.ByDefault(ir.WatchdogOff), s.Port("swp3").Detail.Get().Watchdog.Action)
	bonded := s.Port("swp5")
	assert.Equal(t, uint8(1<<3), bonded.Sends, "the settings of its bond")
	assert.Equal(t, ir.Of(300), bonded.Detail.Get().Cable)
	assert.Equal(t, ir.Of(9000), bonded.Detail.Get().MTU)
	pause := s.Port("swp9")
	assert.True(t, pause.LinkPause)
	assert.Equal(t, [2]uint8{0xff, 0}, [2]uint8{pause.Sends, pause.Obeys})
	assert.Equal(t, [8]int8{}, pause.Detail.Get().Group, "one group has all priorities")
	assert.Equal(t, ir.ByDefault(12), s.Rest.Detail.Get().Queues[0].Share)
	assert.Equal(t, map[string]ir.Pool{
		"default-lossless":       {Ingress: true, Egress: true, Percent: ir.Of(40)},
		"default-lossy":          {Egress: true, Percent: ir.Of(40)},
		"ingress-service-pool.0": {Ingress: true, Infinite: ir.Of(true)},
		"egress-service-pool.3":  {Egress: true, Percent: ir.Of(20), Mode: ir.Of(ir.PoolStatic), Infinite: ir.ByDefault(false)},
	}, s.Pools)
	for _, name := range []string{"eth0", "bond1"} {
		assert.NotContains(t, s.Ports, name)
	}
}

// TestUnderstandXon: from 5.17 on xon-threshold counts down from xoff-threshold.
func TestUnderstandXon(t *testing.T) {
	u := understand("startup.yaml", strings.Replace(strings.Replace(fullYAML, "5.9.1", "5.17.0", 1), "            '4': {}\n", "", 1))
	assert.Equal(t, ir.Of(15000), u.Settings.Port("swp1").Detail.Get().Groups[3].Xon)
	assert.NotEmpty(t, u.Coverage.Not, "pools have other names in 5.17")
	two := understand("startup.yaml", strings.Replace(fullYAML, "5.9.1", "5.17.0", 1)).Settings.Port("swp1").Detail.Get()
	assert.Equal(t, int8(-1), two.Group[3], "it is unknown whether there are one or two groups")
}

// TestUnderstandPreset: the settings of the preset are defaults, in each of its modes.
func TestUnderstandPreset(t *testing.T) {
	u := understand("applied.yaml", "qos: {roce: {}}\ninterface: {swp1: {type: swp}}\n")
	s := u.Settings
	assert.Equal(t, ir.Running, s.Moment)
	assert.Equal(t, ir.Of("roce lossless"), s.System.Preset)
	p, d := s.Port("swp1"), s.Port("swp1").Detail.Get()
	assert.Equal(t, [2]uint8{1 << 3, 1 << 3}, [2]uint8{p.Sends, p.Obeys})
	assert.Equal(t, [8]int8{0, 0, 0, 3, 0, 0, 6, 0}, d.Queue)
	assert.Equal(t, ir.ByDefault(100), d.Cable)
	assert.Equal(t, ir.GroupSettings{
		Limit: ir.ByDefault(ir.Limit{Kind: ir.LimitAlpha}), Pool: ir.ByDefault("roce-lossless"), Lossless: ir.ByDefault(true),
	}, d.Groups[3])
	assert.Equal(t, ir.QueueSettings{
		Strict: ir.ByDefault(false), Share: ir.ByDefault(50), MinRate: ir.ByDefault(int64(0)), MaxRate: ir.ByDefault(int64(0)),
		ECN: ir.ByDefault(true), MarkMin: ir.ByDefault(150000), MarkMax: ir.ByDefault(1500000), Probability: ir.ByDefault(100),
		Unmarkable: ir.ByDefault(ir.Passed), Drop: ir.ByDefault(false), Limit: ir.ByDefault(ir.Limit{}),
		Pool: ir.ByDefault("roce-reserved-egress"),
	}, d.Queues[3])
	assert.Equal(t, ir.ByDefault(true), d.Queues[6].Strict)
	half := ir.Pool{Ingress: true, Egress: true, Percent: ir.ByDefault(50), Mode: ir.ByDefault(ir.PoolDynamic)}
	roce := half
	roce.Egress = false
	assert.Equal(t, map[string]ir.Pool{
		"default-lossy": half, "roce-lossless": roce,
		"roce-reserved-egress": {Egress: true, Mode: ir.ByDefault(ir.PoolDynamic), Infinite: ir.ByDefault(true)},
	}, s.Pools)

	u = understand("x", "qos: {roce: {enable: on, mode: lossless-single-ipool, cable-length: 30}}\ninterface: {swp1: {type: swp}}\n")
	d = u.Settings.Port("swp1").Detail.Get()
	assert.Equal(t, ir.Of(30), d.Cable)
	assert.Equal(t, ir.ByDefault("default-lossy"), d.Groups[3].Pool)
	assert.Equal(t, ir.ByDefault(100), u.Settings.Pools["default-lossy"].Percent)
	assert.Equal(t, ir.MomentUnknown, u.Settings.Moment)

	u = understand("x", "qos: {roce: {mode: lossy}}\n")
	assert.Zero(t, u.Settings.Rest.Sends)
	assert.True(t, u.Settings.Rest.PausesKnown)
	assert.False(t, understand("x", "qos: {roce: {mode: lossy-multi-tc}}\n").Settings.Rest.PausesKnown, "no manual documents its settings")
	off := understand("x", "qos: {roce: {state: disabled}}\n").Settings
	assert.Equal(t, ir.Of(""), off.System.Preset)
	assert.Zero(t, off.Rest.Sends)
	for _, text := range []string{"qos: {roce: {enable: perhaps}}", "qos: {roce: &a {}}", "qos: *a"} {
		s := understand("x", text+"\ninterface: {swp1: {type: swp}}\n").Settings
		assert.False(t, s.Rest.PausesKnown || s.Rest.TrustKnown, text)
		assert.False(t, s.System.Preset.Known(), text)
		assert.Equal(t, int8(-1), s.Rest.Detail.Get().Queue[3], text)
	}
}

// forms returns a tree in each form that people keep, as the switch prints it.
func forms(t require.TestingT, yaml string) map[string]string {
	cfg, err := grammar.Read([]byte(yaml))
	require.NoError(t, err)
	shell := "cumulus@leaf1:mgmt:~$ nv config show -o commands\n"
	return map[string]string{
		"yaml": string(cfg.YAML()), "commands": shell + string(grammar.Commands("set", cfg.Set)), "json": jsonOf(cfg),
		"terminal": "cumulus@leaf1:mgmt:~$ nv config show\n" + yaml,
	}
}

func jsonOf(cfg *grammar.Config) string {
	var of func(t *grammar.Tree) string
	of = func(t *grammar.Tree) string {
		switch {
		case t.IsMap():
			var parts []string
			for _, k := range t.Keys() {
				parts = append(parts, fmt.Sprintf("%q: %s", k, of(t.Kids[k])))
			}
			return "{" + strings.Join(parts, ", ") + "}"
		case t.Text:
			return fmt.Sprintf("%q", t.Value)
		}
		return t.Value
	}
	header := ""
	if cfg.Header != nil {
		header = `{"header": ` + of(cfg.Header) + "}, "
	}
	return "[" + header + `{"set": ` + of(cfg.Set) + "}]"
}

// TestUnderstandForms: YAML, JSON and commands of one tree have the same settings.
func TestUnderstandForms(t *testing.T) {
	id := target.Identity{Release: "5.9.1"}
	want := nvue.Understand(id, map[string][]byte{"x": []byte(fullYAML)})
	for form, text := range forms(t, fullYAML) {
		u := nvue.Understand(id, map[string][]byte{"x": []byte(text)})
		assert.Empty(t, u.Coverage.Not, form)
		assert.Empty(t, u.Coverage.Part, form)
		assert.True(t, want.Settings.Equal(u.Settings), form)
		assert.Equal(t, want.Settings.Pools, u.Settings.Pools, form)
		if form == "commands" || form == "terminal" {
			assert.Equal(t, ir.Running, u.Settings.Moment, form)
		}
	}
}

// TestUnderstandCommands: the settings of a script of nv set lines, and that the script is a part.
func TestUnderstandCommands(t *testing.T) {
	u := understand("leaf1.nv", `#!/bin/bash
# RoCE on the ports to hosts
set -e
sudo nv set interface swp1-4,swp7s0-3 link speed 400G; nv set interface "swp9" link mtu '9000'
nv set qos pfc lossless switch-priority 3,4
nv set qos pfc lossless cable-length 50
nv set interface swp1-4,swp7s0-3 \
  qos pfc profile lossless
nv set interface swp2 qos pfc profile other
nv set interface swp3 qos pfc profile lossless
nv unset interface swp3 qos pfc
nv set interface swp1 qos pfc-watchdog
nv set qos egress-queue-mapping default-global switch-priority 2 traffic-class 7
nv set interface $PORT qos pfc profile lossless
nv set qos pfc lossless tx
nv set interface swp1 description "to host 'a'
frobnicate
nv config apply -y && nv config save
`)
	s, c := u.Settings, &u.Coverage
	assert.Contains(t, c.Part, "script")
	require.Len(t, c.Not, 4)
	for i, line := range []int{14, 15, 16, 17} {
		assert.Equal(t, line, c.Not[i].At.Start.Line)
	}
	p := s.Port("swp7s3")
	require.NotNil(t, p)
	d := p.Detail.Get()
	assert.False(t, p.PausesKnown, "tx has no value")
	assert.Equal(t, ir.Of(int64(400e9)), d.Speed)
	assert.Equal(t, ir.Setting[int]{}, d.MTU, "the part lacks it")
	assert.False(t, p.TrustKnown)
	assert.Equal(t, [8]int8{-1, -1, 7, -1, -1, -1, -1, -1}, d.Queue)
	assert.Equal(t, int8(-1), p.DSCP[26])
	assert.Equal(t, ir.Of(9000), s.Port("swp9").Detail.Get().MTU)
	assert.Equal(t, ir.WatchdogDrop, s.Port("swp1").Detail.Get().Watchdog.Action.Value)
	assert.False(t, s.Port("swp2").PausesKnown, "its profile is set elsewhere")
	assert.False(t, s.Port("swp3").PausesKnown, "it was removed")

	u = understand("x", "nv set qos pfc a switch-priority 3\nnv set interface swp1 qos pfc profile a\n")
	assert.NotEmpty(t, u.Coverage.Part)
	p = u.Settings.Port("swp1")
	assert.True(t, p.PausesKnown)
	assert.Equal(t, uint8(1<<3), p.Sends, "on by default in a profile that it sets")
	assert.Equal(t, ir.ByDefault(10), p.Detail.Get().Cable)
	assert.False(t, u.Settings.Rest.PausesKnown)

	u = understand("x", "nv set interface eth0 type eth\nnv set interface swp1 type swp\nnv set system hostname a\n")
	assert.Empty(t, u.Coverage.Part, "as nv config show -o commands prints it")
	assert.True(t, u.Settings.Port("swp1").PausesKnown)
	assert.False(t, u.Coverage.RoCE())
}

// TestUnderstandSlips: a slip makes only its line or its node unreadable, and values that it may have set are unknown.
func TestUnderstandSlips(t *testing.T) {
	for name, c := range map[string]struct {
		from, to string
		below    int // number of lines before the first change
		unknown  func(s *ir.Settings) bool
	}{
		"line without a key": {"          tx: enable\n", "          tx enable\n", 0, nil},
		"tab":                {"          tx: enable\n", "\t\ttx: enable\n", 0, nil},
		"two values": {
			"          tx: enable\n", "          tx: enable: x\n", 0,
			func(s *ir.Settings) bool { return !s.Port("swp1").PausesKnown },
		},
		"anchor": {
			"trust: both", "trust: &a both", 0,
			func(s *ir.Settings) bool { return !s.Port("swp1").TrustKnown },
		},
		"twice": {
			"          trust: both\n", "          trust: both\n          trust: l2\n", 1,
			func(s *ir.Settings) bool { return !s.Port("swp1").TrustKnown },
		},
		"an invalid value": {
			"port-max-rate: 50000000", "port-max-rate: fast", 0,
			func(s *ir.Settings) bool { return !s.Port("swp1").Detail.Get().Shaper.Known() },
		},
		"unknown path": {"port-max-rate:", "port-max-rates:", 0, nil},
		"no mapping": {
			"        default-global:\n          switch-priority:\n            '2':\n              traffic-class: 7\n",
			"        default-global: 7\n", 0,
			func(s *ir.Settings) bool { return s.Port("swp1").Detail.Get().Queue[3] >= 0 }, // no value below, so the defaults apply
		},
	} {
		require.Contains(t, fullYAML, c.from, name)
		u := understand("startup.yaml", strings.Replace(fullYAML, c.from, c.to, 1))
		require.NotEmpty(t, u.Coverage.Not, name)
		at := 1 + c.below + strings.Count(fullYAML[:strings.Index(fullYAML, c.from)], "\n")
		assert.Equal(t, at, u.Coverage.Not[0].At.Start.Line, name)
		if c.unknown != nil {
			assert.True(t, c.unknown(u.Settings), name)
		}
		assert.Equal(t, uint8(1<<3), u.Settings.Port("swp5").Sends, "%s: the rest is read", name)
		assert.Equal(t, ir.Of(40), u.Settings.Pools["default-lossless"].Percent, name)
	}
	cut := forms(t, fullYAML)["json"]
	cut = cut[:strings.Index(cut, `"remark"`)]
	u := understand("startup.json", cut)
	assert.NotEmpty(t, u.Coverage.Not)
	assert.Equal(t, "5.9.1", u.Settings.System.Release.Value)

	for _, text := range []string{
		"", "hello", "\x00", "{", "[[[", "- - - -", "nv set", "nv unset ", "%x\n%y\n", "a: b: c:\n",
		strings.Repeat("[", 500),
	} {
		u := understand("x", text)
		require.NotNil(t, u.Settings, "%q", text)
		assert.NotEmpty(t, u.Coverage.Part, "%q: it is not a whole configuration", text)
	}
	u = understand("x", strings.Repeat("nv set interface swp1 type swp\n", 400_000))
	require.Len(t, u.Coverage.Not, 1)
	assert.Contains(t, u.Coverage.Not[0].Why, "8 MiB")
	assert.Nil(t, u.Settings.Rest)
}

// TestUnderstandMoments: of two texts of one switch, the running one is read.
func TestUnderstandMoments(t *testing.T) {
	stored := "interface: {swp1: {type: swp}}\nqos: {roce: {}}\n"
	u := nvue.Understand(target.Identity{Release: "5.3.0"}, map[string][]byte{
		"etc/nvue.d/startup.yaml": []byte(stored),
		"nvue/applied":            []byte("- header: {version: Cumulus Linux 5.6.0}\n- set: {interface: {swp1: {type: swp}}}\n"),
	})
	assert.Equal(t, ir.Running, u.Settings.Moment)
	assert.Zero(t, u.Settings.Port("swp1").Sends)
	assert.Equal(t, "5.6.0", u.Settings.System.Release.Value)
	assert.Equal(t, 2, u.Coverage.Aside["another text is of a later moment"])

	u = nvue.Understand(target.Identity{Release: "5.3.0"}, map[string][]byte{"startup.yaml": []byte(stored)})
	assert.False(t, u.Settings.Rest.Detail.Get().MTU.Known(), "no default of a release before 5.4 is known")

	patch := "- unset: {qos: {roce: }}\n- set: {qos: {pfc: {a: {switch-priority: {'3': {}}}}}}\n"
	u = nvue.Understand(target.Identity{}, map[string][]byte{"a-startup.yaml": []byte(stored), "b-patch.yaml": []byte(patch)})
	assert.Zero(t, u.Settings.Rest.Sends, "the patch removed the preset")
	assert.Contains(t, understand("x", patch).Coverage.Part, "patch")
}

// TestUnderstandPlaces: each field that the tree states has its place.
func TestUnderstandPlaces(t *testing.T) {
	u := understand("startup.yaml", fullYAML)
	lines := strings.Split(fullYAML, "\n")
	for f, want := range map[ir.Field]string{
		ir.FieldTrust: "trust: both", ir.FieldPauses: "'3': {}", ir.FieldQueueLimit: "shared-alpha: alpha_64", ir.FieldShare: "bw-percent: 50",
		ir.FieldStrict: "mode: dwrr", ir.FieldMarking: "ecn: enable", ir.FieldDrop: "red: enable", ir.FieldUnmarkable: "red: enable",
		ir.FieldShaper: "port-max-rate: 50000000", ir.FieldMinRate: "min-rate: 1000000", ir.FieldMaxRate: "max-rate: 40000000",
		ir.FieldBuffer: "port-buffer: 80000", ir.FieldXoff: "xoff-threshold: 20000", ir.FieldXon: "xon-threshold: 5000",
		ir.FieldHeadroom: "port-buffer: 80000", ir.FieldGroupLimit: "shared-alpha: alpha_1_128", ir.FieldRewrite: "rewrite: l3",
		ir.FieldWatchdog: "state: enable", ir.FieldSpeed: "speed: 100G", ir.FieldDefaultCos: "port-default-sp: 2",
		ir.FieldSystem: "version: Cumulus Linux 5.9.1",
	} {
		at, ok := u.Where("swp1", f, 3)
		if assert.True(t, ok, f.String()) {
			assert.Equal(t, want, strings.TrimSpace(lines[at.Start.Line-1]), f.String())
			assert.Equal(t, "startup.yaml", at.Filename)
		}
	}
	for _, c := range []struct {
		port  string
		f     ir.Field
		index int
		want  string
	}{
		{"swp1", ir.FieldDSCP, 26, "switch-priority: 3"},
		{"swp1", ir.FieldQueue, 2, "traffic-class: 7"},
		{"swp5", ir.FieldCable, 3, "cable-length: 300"},
		{"swp5", ir.FieldMTU, 0, "mtu: 9000"},
		{"swp1", ir.FieldQueuePool, 0, "service-pool: 3"},
		{"default-lossless", ir.FieldPool, 0, "default-lossless:"},
		{"swp9", ir.FieldLinkPause, 0, "profile: pausing"},
		{"swp1", ir.FieldGroup, 6, "switch-priority:"},
	} {
		at, ok := u.Where(c.port, c.f, c.index)
		if assert.True(t, ok, c.want) {
			assert.Equal(t, c.want, strings.TrimSpace(lines[at.Start.Line-1]), c.want)
		}
	}
	_, ok := u.Where("swp3", ir.FieldWatchdog, 0)
	assert.True(t, ok, "its times apply to all ports")
	_, ok = u.Where("swp1", ir.FieldStamps, 0)
	assert.False(t, ok)
	at, ok := understand("x", "# a\nnv set qos roce\n").Where("swp1", ir.FieldPauses, 3)
	assert.True(t, ok)
	assert.Equal(t, 2, at.Start.Line)
}

// TestUnderstandWritten: Understand reads rocec's own trees with the same result as Read, and reads every stated value.
func TestUnderstandWritten(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text, release := random(rt)
		d := find(t, compilertest.Compile(t, text), "tor1")
		w, ds := nvue.For(d, nvue.ReplacePreset)
		require.False(rt, ds.HasErrors())
		out, _ := w.Edit(nil)
		n := parse(rt, string(out))
		for form, text := range forms(rt, string(out)) {
			u := nvue.Understand(target.Identity{Release: release}, map[string][]byte{"nvue/applied": []byte(text)})
			require.Empty(rt, u.Coverage.Not, form)
			read := nvue.Read(d, out)
			for _, p := range d.Ports {
				got, want := *u.Settings.Port(p.Name), *read.Port(p.Name)
				detail := got.Detail.Get()
				require.True(rt, want == got, "%s: %s by Read", form, p)
				agrees(rt, n, d, p, &detail)
			}
		}
	})
}

// agrees compares details with the text, which it reads as plain maps.
func agrees(t require.TestingT, n naive, d *ir.Device, p *ir.Port, detail *ir.PortDetail) {
	for cos := range 8 {
		k := fmt.Sprint(cos)
		require.EqualValues(t, n.at(t, "qos", "egress-queue-mapping", "default-global", "switch-priority", k, "traffic-class"), detail.Queue[cos])
		scheduler := n.at(t, "interface", p.Name, "qos", "egress-scheduler", "profile").(string)
		at := []string{"qos", "egress-scheduler", scheduler, "traffic-class", k}
		strict := n.at(t, append(at, "mode")...) == "strict"
		require.Equal(t, ir.Of(strict), detail.Queues[cos].Strict)
		if !strict {
			require.Equal(t, ir.Of(n.at(t, append(at, "bw-percent")...).(int)), detail.Queues[cos].Share)
		}
	}
	for _, m := range p.Marks() {
		q := detail.Queues[m.Group.Cos]
		require.Equal(t, ir.Of(true), q.ECN)
		require.Equal(t, ir.Of(m.Min.N), q.MarkMin)
		require.Equal(t, ir.Of(m.Max.N), q.MarkMax)
		require.Equal(t, ir.Of(ir.Passed), q.Unmarkable)
	}
	if len(p.Buffers()) > 0 {
		require.GreaterOrEqual(t, float64(detail.Cable.Value), p.Link().Length.Metres)
		require.Equal(t, ir.Stated, detail.Cable.Is)
	}
	for _, b := range p.Buffers() {
		if d.Fabric.FlowControl != ir.Pause {
			require.Equal(t, ir.Of(true), detail.Groups[detail.Group[b.Group.Cos]].Lossless)
		}
	}
}

// TestUnderstandOrder: order, comments and unknown keys do not matter.
func TestUnderstandOrder(t *testing.T) {
	want := understand("startup.yaml", fullYAML)
	commands := strings.Split(strings.TrimSpace(string(grammar.Commands("set", mustRead(t, fullYAML).Set))), "\n")
	rapid.Check(t, func(rt *rapid.T) {
		lines := slices.Clone(commands)
		r := rand.New(rand.NewSource(rapid.Int64().Draw(rt, "seed")))
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		unknown := 0
		for i := range lines {
			switch r.Intn(12) {
			case 0:
				lines[i] += " # " + commands[r.Intn(len(commands))]
			case 1:
				lines[i] = "\n  " + lines[i]
			case 2:
				lines[i] += "\nnv set qos news" + fmt.Sprint(i) + " x 3"
				unknown++
			}
		}
		u := nvue.Understand(target.Identity{Release: "5.9.1"}, map[string][]byte{"startup.nv": []byte(strings.Join(lines, "\n"))})
		require.Len(rt, u.Coverage.Not, unknown)
		require.True(rt, want.Settings.Equal(u.Settings))
		require.Equal(rt, want.Settings.Pools, u.Settings.Pools)
		again := u.Coverage.Means[ir.FieldPauses]
		require.Positive(rt, again)
	})
}

func mustRead(t require.TestingT, text string) *grammar.Config {
	cfg, err := grammar.Read([]byte(text))
	require.NoError(t, err)
	return cfg
}

// FuzzUnderstand: for any text, Understand ends, and reading the text twice gives equal results.
func FuzzUnderstand(f *testing.F) {
	for _, text := range forms(f, fullYAML) {
		f.Add([]byte(text))
		f.Add([]byte(text[:len(text)/2]))
	}
	for _, text := range []string{
		"qos: {roce: *x, pfc: hello}\ninterface: {swp1-4: {qos: 3}, bond1: {bond: {member: x}}}", "- set:\n    qos\n      pfc: {\n - x\n",
		`{"qos": {"roce": {}, "roce": {}, "pfc" {]`,
		"nv set qos pfc a switch-priority 3-\nnv set interface swp1-99999 qos pfc profile a\nnv set '",
		"qos: {mapping: {a: {dscp: {0-63: {switch-priority: 3}, 5: {switch-priority: 4}}}}}\n'x': [", "%YAML 1.2\n---\na: 1\n---\nb: 2\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		contents := map[string][]byte{"startup.yaml": data}
		a, b := nvue.Understand(target.Identity{}, contents), nvue.Understand(target.Identity{Ports: []string{"swp1"}}, contents)
		require.NotNil(t, a.Settings)
		require.Equal(t, a.Coverage, b.Coverage)
		for _, field := range ir.Fields() {
			a.Where("swp1", field, 3)
		}
	})
}

// TestUnderstandCost: reading a tree of 10,000 ports needs less than half a second of processor time, wherever it has a slip.
func TestUnderstandCost(t *testing.T) {
	sound := large()
	for name, text := range map[string]string{
		"sound": sound, "first": strings.Replace(sound, "type: swp", "type swp", 1),
		"last":  strings.Replace(sound, "swp10000:\n        type: swp", "swp10000:\n        type swp", 1),
		"quote": strings.Replace(sound, "profile: p4", "profile: 'p4", 1),
	} {
		best := time.Hour
		for range 3 {
			best = min(best, targettest.ProcessorTime(t, func() { require.Len(t, understand("x", text).Settings.Ports, 10_000) }))
		}
		assert.Less(t, best, 500*time.Millisecond, name)
		t.Logf("%s: %v", name, best)
	}
}

// BenchmarkUnderstand reads trees of 10,000 ports.
func BenchmarkUnderstand(b *testing.B) {
	for form, content := range forms(b, large()) {
		b.Run(form, func(b *testing.B) {
			for b.Loop() {
				require.Len(b, understand("x", content).Settings.Ports, 10_000)
			}
		})
	}
}

// large returns a tree of 10,000 ports.
func large() string {
	var text strings.Builder
	text.WriteString("- header:\n    version: Cumulus Linux 5.9.1\n- set:\n    interface:\n")
	for i := range 10_000 {
		fmt.Fprintf(&text, "      swp%d:\n        type: swp\n        link:\n          mtu: 9216\n        qos:\n", i+1)
		fmt.Fprintf(&text, "          pfc:\n            profile: p%d\n", i%5)
		text.WriteString("          congestion-control:\n            profile: ecn\n          egress-scheduler:\n            profile: s\n")
	}
	return text.String()
}
