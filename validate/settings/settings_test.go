package settings_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/settings"
)

// sink keeps all findings.
type sink struct{ diag.List }

func (s *sink) Omit(*diag.Topic) bool { return false }

func (s *sink) Report(sev diag.Severity, t *diag.Topic, at diag.Range, format string, args ...any) *diag.Diagnostic {
	switch sev {
	case diag.Error:
		return t.Errorf(&s.List, at, format, args...)
	case diag.Warning:
		return t.Warnf(&s.List, at, format, args...)
	}
	return t.Noticef(&s.List, at, format, args...)
}

func judge(s *ir.Settings) diag.List {
	var into sink
	settings.Judge(&settings.Reading{Settings: s}, &into)
	return into.List
}

// roce returns a port with PFC for cos 3, with known maps and queues and without findings.
func roce(change func(p *ir.PortSettings, d *ir.PortDetail)) ir.PortSettings {
	p := ir.UnknownPort()
	for v := range p.DSCP {
		p.DSCP[v] = 0
	}
	p.DSCP[26], p.DSCP[48] = 3, 6
	p.Trust, p.TrustKnown = ir.Trust{DSCP: true}, true
	p.Sends, p.Obeys, p.PausesKnown = 1<<3, 1<<3, true
	d := ir.UnknownDetail()
	for cos := range 8 {
		d.Queue[cos], d.Group[cos] = int8(cos), 0
		d.Queues[cos] = ir.QueueSettings{Strict: ir.Of(false), ECN: ir.Of(false), Drop: ir.Of(false)}
	}
	d.Group[3] = 3
	d.Groups[3] = ir.GroupSettings{Headroom: ir.Of(60_000), Lossless: ir.Of(true)}
	d.Speed, d.Cable = ir.Of[int64](100e9), ir.Of(5)
	d.Queues[3].ECN, d.Queues[3].MarkMin, d.Queues[3].MarkMax = ir.Of(true), ir.Of(150_000), ir.Of(1_500_000)
	if change != nil {
		change(&p, &d)
	}
	p.Detail = ir.NewDetail(d)
	return p
}

func of(change func(p *ir.PortSettings, d *ir.PortDetail)) *ir.Settings {
	s := &ir.Settings{}
	s.Set("swp1", roce(change))
	return s
}

// TestRules: each rule has a finding that no other rule has, at the edge of its condition.
func TestRules(t *testing.T) {
	require.Empty(t, judge(of(nil)))
	for _, c := range []struct {
		name, want string
		change     func(p *ir.PortSettings, d *ir.PortDetail)
	}{
		{"nothing", "", nil},
		{"headroom below the cable", "conf-headroom", func(_ *ir.PortSettings, d *ir.PortDetail) { d.Groups[3].Headroom = ir.Of(1_100) }},
		{"headroom of a slow port", "", func(_ *ir.PortSettings, d *ir.PortDetail) {
			d.Groups[3].Headroom, d.Speed = ir.Of(2_000), ir.Of[int64](1e9)
		}},
		{"headroom without a cable", "conf-headroom", func(_ *ir.PortSettings, d *ir.PortDetail) { d.Cable = ir.Setting[int]{} }},
		{"red on a lossy queue", "", func(_ *ir.PortSettings, d *ir.PortDetail) { d.Queues[0].Drop = ir.Of(true) }},
		{"marking of an unused queue", "", func(_ *ir.PortSettings, d *ir.PortDetail) { d.Queues[2].ECN = ir.Setting[bool]{} }},
		{"unmarked class identified by PCP", "", func(p *ir.PortSettings, d *ir.PortDetail) {
			p.Trust, d.Queues[3] = ir.Trust{PCP: true}, ir.QueueSettings{ECN: ir.Of(false), Drop: ir.Of(false)}
		}},
		{"marks and drops, identified by PCP", "conf-red-lossless", func(p *ir.PortSettings, d *ir.PortDetail) {
			p.Trust, d.Queues[3].Unmarkable = ir.Trust{PCP: true}, ir.Of(ir.Dropped)
		}},
		{"marks and drops, identified by DSCP", "", func(_ *ir.PortSettings, d *ir.PortDetail) { d.Queues[3].Unmarkable = ir.Of(ir.Dropped) }},
		{"alpha 1", "conf-egress-limited", func(_ *ir.PortSettings, d *ir.PortDetail) {
			d.Queues[3].Limit = ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: -1})
		}},
		{"alpha 8", "", func(_ *ir.PortSettings, d *ir.PortDetail) {
			d.Queues[3].Limit = ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: 3})
		}},
		{"no shared memory", "conf-egress-limited", func(_ *ir.PortSettings, d *ir.PortDetail) {
			d.Queues[3].Limit = ir.Of(ir.Limit{Kind: ir.LimitZero})
		}},
		{"bytes below the marks", "conf-egress-limited", func(_ *ir.PortSettings, d *ir.PortDetail) {
			d.Queues[3].Limit = ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 1_499_999})
		}},
		{"bytes above the marks", "", func(_ *ir.PortSettings, d *ir.PortDetail) {
			d.Queues[3].Limit = ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 1_500_000})
		}},
		{"a limit of a lossy queue", "", func(_ *ir.PortSettings, d *ir.PortDetail) { d.Queues[0].Limit = ir.Of(ir.Limit{Kind: ir.LimitZero}) }},
		{"a shaper at the speed of the port", "", func(_ *ir.PortSettings, d *ir.PortDetail) { d.Shaper = ir.Of[int64](100e9) }},
		{"a shaper below it", "conf-throttled", func(_ *ir.PortSettings, d *ir.PortDetail) { d.Shaper = ir.Of[int64](100e9 - 1) }},
		{"a slow watchdog", "conf-watchdog-idle", func(_ *ir.PortSettings, d *ir.PortDetail) {
			d.Watchdog = ir.WatchdogSettings{Action: ir.Of(ir.WatchdogDrop), Detect: ir.Of(time.Minute)}
		}},
		{"a watchdog on a port without PFC", "", func(p *ir.PortSettings, d *ir.PortDetail) {
			p.Sends, p.Obeys = 0, 0
			d.Watchdog = ir.WatchdogSettings{Action: ir.Of(ir.WatchdogAlert)}
		}},
		{"a map of few values", "", func(p *ir.PortSettings, _ *ir.PortDetail) {
			for v := range p.DSCP {
				p.DSCP[v] = -1
			}
			p.DSCP[26] = 3
		}},
		{"link pause", "", func(p *ir.PortSettings, d *ir.PortDetail) {
			p.LinkPause, p.Sends, p.Obeys = true, 0xff, 0xff
			d.Queues[3].Strict = ir.Of(true)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := judge(of(c.change))
			if c.want == "" {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			assert.Equal(t, c.want, found[0].Code)
			assert.True(t, strings.HasPrefix(found[0].Detail, "At swp1, "), found[0].Detail)
		})
	}
}

// TestUnknown: a device without known settings has no findings.
func TestUnknown(t *testing.T) {
	rest := ir.UnknownPort()
	for _, s := range []*ir.Settings{nil, {}, {Rest: &rest}} {
		if s == nil {
			continue
		}
		s.Set("swp1", rest)
		assert.Empty(t, judge(s))
	}
}

// TestAlike: ports with equal settings have one finding, and so have ports of several kinds with equal findings.
func TestAlike(t *testing.T) {
	strict := func(_ *ir.PortSettings, d *ir.PortDetail) { d.Queues[3].Strict = ir.Of(true) }
	s := &ir.Settings{}
	for i := 1; i <= 40; i++ {
		s.Set(fmt.Sprintf("swp%d", i), roce(func(p *ir.PortSettings, d *ir.PortDetail) {
			strict(p, d)
			d.Cable = ir.Of(1 + i%5)
		}))
	}
	rest := roce(strict)
	s.Rest = &rest
	found := judge(s)
	require.Len(t, found, 1)
	assert.True(t, strings.HasPrefix(found[0].Detail, "At swp1, swp2, swp3, swp4, swp5, swp6, swp7 and 33 more and every other port, "+
		"queue 3 has "),
		found[0].Detail)
	s.Ports = nil
	assert.True(t, strings.HasPrefix(judge(s)[0].Detail, "At every port, queue 3 has "))
}

// random draws settings. Each value may be unknown or absurd.
func random(r *rand.Rand) *ir.Settings {
	number := func() int { return []int{0, 1, 9, 1500, 60_000, 1 << 20, 1 << 40, -1}[r.IntN(8)] }
	setting := func() ir.Setting[int] { return ir.Setting[int]{Value: number(), Is: ir.Knowledge(r.IntN(3))} }
	wide := func() ir.Setting[int64] {
		return ir.Setting[int64]{Value: int64(number()) * 1_000_000, Is: ir.Knowledge(r.IntN(3))}
	}
	yes := func() ir.Setting[bool] { return ir.Setting[bool]{Value: r.IntN(2) == 1, Is: ir.Knowledge(r.IntN(3))} }
	limit := func() ir.Setting[ir.Limit] {
		n := r.IntN(20) - 10
		if r.IntN(4) == 0 {
			n = number()
		}
		return ir.Setting[ir.Limit]{Value: ir.Limit{Kind: ir.LimitKind(r.IntN(6)), N: n}, Is: ir.Knowledge(r.IntN(3))}
	}
	pool := func() ir.Setting[string] {
		return ir.Setting[string]{Value: []string{"", "a", "b"}[r.IntN(3)], Is: ir.Knowledge(r.IntN(3))}
	}
	s := &ir.Settings{Pools: map[string]ir.Pool{"a": {
		Ingress: true, Size: setting(), Percent: setting(), Shared: setting(),
		Mode: ir.Setting[ir.PoolMode]{Value: ir.PoolMode(r.IntN(2)), Is: ir.Knowledge(r.IntN(3))},
	}}}
	s.System.Model = ir.Of([]string{"", "sn2700", "sn4600c", "z9332f"}[r.IntN(4)])
	for i := range 1 + r.IntN(4) {
		s.Set(fmt.Sprintf("swp%d", i), roce(func(p *ir.PortSettings, d *ir.PortDetail) {
			p.Sends, p.Obeys, p.LinkPause = uint8(r.IntN(256)), uint8(r.IntN(256)), r.IntN(8) == 0
			p.Trust = ir.Trust{DSCP: r.IntN(2) == 0, PCP: r.IntN(2) == 0}
			d.Shaper, d.Speed, d.Cable, d.MTU, d.AsymmetricPFC, d.RewriteDSCP = wide(), wide(), setting(), setting(), yes(), yes()
			d.Watchdog.Action = ir.Setting[ir.WatchdogAction]{Value: ir.WatchdogAction(r.IntN(4)), Is: ir.Knowledge(r.IntN(3))}
			d.Watchdog.Watches = ir.Setting[uint8]{Value: uint8(r.IntN(3)), Is: ir.Knowledge(r.IntN(3))}
			for n := range 8 {
				d.Queue[n], d.Group[n] = int8(r.IntN(9)-1), int8(r.IntN(9)-1)
				p.DSCP[r.IntN(64)], p.PCP[n] = int8(r.IntN(9)-1), int8(r.IntN(9)-1)
				d.Groups[n] = ir.GroupSettings{
					Buffer: setting(), Xoff: setting(), Xon: setting(), Headroom: setting(), Limit: limit(), Pool: pool(), Lossless: yes(),
				}
				d.Queues[n] = ir.QueueSettings{
					Strict: yes(), Share: setting(), MaxRate: wide(), ECN: yes(), MarkMin: setting(), MarkMax: setting(), Probability: setting(),
					Drop: yes(), DropMin: setting(), Limit: limit(), Pool: pool(),
				}
			}
		}))
	}
	return s
}

// TestAnySettings: no settings make a rule fail, each finding is a sentence about a port, and equal settings have equal findings.
func TestAnySettings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	met := map[string]bool{}
	for range 2000 {
		s := random(r)
		found := judge(s)
		for _, d := range found {
			met[d.Code] = true
			require.Regexp(t, `^[A-Z].*\.$`, d.Detail)
			require.NotContains(t, d.Detail, "%!", d.Detail)
		}
		again := judge(s)
		require.Len(t, again, len(found))
		for i := range found {
			require.Equal(t, found[i].Detail, again[i].Detail)
		}
	}
	for _, topic := range settings.Topics() {
		assert.True(t, met[topic.Code], "%s was not met", topic.Code)
	}
}
