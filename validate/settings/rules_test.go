package settings_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/settings"
)

// world is the switch of a row: that of roce, which a row changes.
type world struct {
	s *ir.Settings
	p *ir.PortSettings
	d *ir.PortDetail
	g *ir.GroupSettings // of cos 3
	q *ir.QueueSettings
}

// row is a change with the expected findings, each a code or the beginning of a text: "conf-x", or "conf-x: the cable".
type row struct {
	want   string
	change func(w *world)
}

func unknown[T comparable](v T) ir.Setting[T] { return ir.Setting[T]{Value: v} }

// off switches PFC off, pause puts link pause instead.
func off(w *world) { w.p.Sends, w.p.Obeys = 0, 0 }

func pause(w *world) { w.p.LinkPause, w.p.Sends, w.p.Obeys = true, 0xff, 0xff }

// zero moves cos 3 to queue 0 and to priority group 0, and the others to 1. nowhere moves it to an unknown queue and group.
func zero(w *world) {
	w.d.Queues[0], w.d.Groups[0] = *w.q, *w.g
	w.d.Queue, w.d.Group = [8]int8{1, 1, 1, 0, 1, 1, 1, 1}, [8]int8{1, 1, 1, 0, 1, 1, 1, 1}
	w.q, w.g = &w.d.Queues[0], &w.d.Groups[0]
	w.d.Queues[3], w.d.Groups[3] = ir.QueueSettings{}, ir.GroupSettings{}
}

func nowhere(w *world) {
	w.d.Queue, w.d.Group = [8]int8{-1, -1, -1, -1, -1, -1, -1, -1}, [8]int8{-1, -1, -1, -1, -1, -1, -1, -1}
}

// also makes cos 4 lossless, too, with DSCP 28 and the settings of cos 3.
func also(w *world) {
	w.p.Sends, w.p.Obeys, w.p.DSCP[28] = 3<<3, 3<<3, 4
	w.d.Queues[4], w.d.Groups[4], w.d.Group[4] = *w.q, *w.g, 4
}

// other adds a port by which packets of cos 3 come in.
func other(w *world) { w.s.Set("swp2", roce(nil)) }

// derived makes the switch derive the headroom of a cable, from a pool of some bytes.
func derived(speed int64, metres, pool int) func(w *world) {
	return func(w *world) {
		w.d.Speed, w.d.Cable, w.g.Headroom = ir.Setting[int64]{Value: speed}, ir.Of(metres), ir.Setting[int]{}
		if speed > 0 {
			w.d.Speed.Is = ir.Stated
		}
		w.s.Pools["i"], w.g.Pool = ir.Pool{Size: ir.Of(pool)}, ir.Of("i")
	}
}

// reserved gives the priority group reserved bytes, in a pool with headroom that ports share.
func reserved(own, xon, shared int) func(w *world) {
	return func(w *world) {
		model(w)
		w.g.Buffer, w.g.Xon, w.g.Pool = ir.Of(own), ir.Of(xon), ir.Of("i")
		w.s.Pools["i"] = ir.Pool{Shared: ir.Of(shared)}
	}
}

// model makes the switch an SN2700, which has published tables.
func model(w *world) { w.s.System.Model = ir.Of("sn2700") }

// with combines several changes.
func with(all ...func(w *world)) func(w *world) {
	return func(w *world) {
		for _, do := range all {
			do(w)
		}
	}
}

func (r row) run(t *testing.T) {
	t.Helper()
	s := &ir.Settings{Pools: map[string]ir.Pool{}}
	s.Set("swp1", roce(func(p *ir.PortSettings, d *ir.PortDetail) {
		r.change(&world{s, p, d, &d.Groups[3], &d.Queues[3]})
	}))
	var wants []string
	if r.want != "" {
		wants = strings.Split(r.want, "; ")
	}
	found := judge(s)
	texts := make([]string, len(found))
	for i, d := range found {
		texts[i] = d.Code + ": " + strings.TrimPrefix(d.Detail, "At swp1, ")
	}
	if assert.Len(t, texts, len(wants), "%q", texts) {
		for i, want := range wants {
			assert.True(t, strings.HasPrefix(texts[i], want), "%q is not %q", texts[i], want)
		}
	}
}

// TestRows: each condition of each rule has a row on both sides of its edge. An unknown setting causes no finding, with any value.
func TestRows(t *testing.T) {
	for name, rows := range map[string][]row{
		"cable-zero": {
			{"conf-cable-zero", func(w *world) { w.d.Cable = ir.Of(0) }},
			{"", func(w *world) { w.d.Cable, w.g.Headroom = ir.ByDefault(0), ir.ByDefault(60_000) }},
			{"", func(w *world) { w.d.Cable = ir.Of(0); off(w) }},
		},
		"cnp-bulk": {
			{"conf-cnp-bulk", func(w *world) { w.p.DSCP[48] = 0 }},
			{"", func(w *world) { w.p.DSCP[48], w.p.TrustKnown = 0, false }},
			{"", func(w *world) { w.p.DSCP[48], w.p.Trust = 0, ir.Trust{PCP: true} }},
			{"", func(w *world) { w.p.DSCP[48] = 0; off(w) }},
			{"conf-value-unmapped", func(w *world) { w.p.DSCP[48], w.p.DSCP[0] = -1, -1 }},
			{"conf-lossless-default", func(w *world) { also(w); w.p.DSCP[48], w.p.DSCP[0] = 3, 3 }},
			{"", func(w *world) { w.p.DSCP[48], w.q.ECN = 0, unknown(true) }},
			{"", func(w *world) { w.p.DSCP[48], w.q.ECN, w.d.Queues[0].ECN = 0, unknown(true), ir.Of(true) }},
		},
		"ecn-thresholds": {
			{"conf-ecn-thresholds: marking of queue 3 begins at 100,001 B, and its pool has 100,000 B", func(w *world) {
				w.s.Pools["e"] = ir.Pool{Size: ir.Of(100_000)}
				w.q.Pool, w.q.MarkMin = ir.Of("e"), ir.Of(100_001)
			}},
			{"", func(w *world) {
				w.s.Pools["e"] = ir.Pool{Size: ir.Of(100_000)}
				w.q.Pool, w.q.MarkMin = ir.Of("e"), ir.Of(100_000)
			}},
			{"", func(w *world) {
				w.s.Pools["e"] = ir.Pool{Size: ir.Of(100_000)}
				w.q.Pool, w.q.MarkMin, w.q.ECN = ir.Of("e"), ir.Of(100_001), unknown(true)
			}},
			{"", func(w *world) {
				w.s.Pools["e"] = ir.Pool{Size: ir.Of(100_000)}
				w.q.Pool, w.q.MarkMin = ir.Of("e"), unknown(100_001)
			}},
			{"", func(w *world) {
				w.s.Pools["e"] = ir.Pool{Size: unknown(100_000)}
				w.q.Pool, w.q.MarkMin = ir.Of("e"), ir.Of(100_001)
			}},
			{"", func(w *world) {
				w.s.Pools["e"] = ir.Pool{Size: ir.Of(100_000)}
				w.q.Pool, w.q.MarkMin = unknown("e"), ir.Of(100_001)
			}},
			{"conf-ecn-thresholds: marking of queue 3 begins at 20,000,000 B, and the chip has 13,945,824 B", func(w *world) {
				model(w)
				w.q.MarkMin = ir.Of(20_000_000)
			}},
			{"", func(w *world) { w.g.Limit = ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 150_001}) }},
			{"conf-ecn-thresholds: marking of queue 3 begins at 150,000 B, and a port pauses cos 3 at 150,000 B", func(w *world) {
				w.g.Limit = ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 150_000})
			}},
			{"conf-ecn-thresholds: marking of queue 0 begins", func(w *world) {
				w.g.Limit = ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 150_000})
				zero(w)
			}},
			{"", func(w *world) { w.g.Limit = unknown(ir.Limit{Kind: ir.LimitBytes, N: 150_000}) }},
			{"", func(w *world) { w.g.Limit, w.q.ECN = ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 1}), unknown(true) }},
			{"", func(w *world) { w.g.Limit, w.q.MarkMin = ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 1}), unknown(9) }},
			{"", func(w *world) { w.g.Limit = ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 1}); nowhere(w) }},
			{"", func(w *world) { w.g.Limit = ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 1}); nowhere(w); w.d.Queue[3] = 3 }},
			{"conf-ecn-thresholds: marking of queue 3 begins at 153,600 B", func(w *world) {
				model(w)
				w.g.Limit = ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 153_600})
			}},
			{"", func(w *world) { model(w); w.g.Limit = ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 153_601}) }},
		},
		"memory": {
			{"conf-ecn-thresholds", func(w *world) {
				w.g.Buffer, w.g.Limit = ir.Of(80_000), ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 130_000})
			}},
			{"", func(w *world) {
				w.g.Buffer, w.g.Limit = ir.Of(80_000), ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 130_001})
			}},
			{"", func(w *world) {
				w.g.Buffer, w.g.Headroom, w.g.Limit = ir.Of(80_000), unknown(60_000), ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 130_000})
			}},
			{"conf-ecn-thresholds", func(w *world) {
				w.g.Buffer, w.g.Limit = unknown(80_000), ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 150_000})
			}},
			{"conf-ecn-thresholds", func(w *world) { w.g.Buffer, w.g.Limit = ir.Of(210_000), ir.Of(ir.Limit{Kind: ir.LimitZero}) }},
			{"", func(w *world) { w.g.Buffer, w.g.Limit = ir.Of(210_001), ir.Of(ir.Limit{Kind: ir.LimitZero}) }},
			{"", func(w *world) { w.g.Limit = ir.Of(ir.Limit{Kind: ir.LimitNone}) }},
			{"", func(w *world) { w.g.Limit = ir.Of(ir.Limit{Kind: ir.LimitPercent, N: 1}) }},
			{"conf-ecn-thresholds", alpha(0, 300_000)},
			{"", alpha(0, 300_002)},
			{"conf-ecn-thresholds", alpha(1, 225_000)},
			{"", alpha(1, 225_002)},
			{"conf-ecn-thresholds", alpha(-1, 450_000)},
			{"", alpha(-1, 450_003)},
			{"", with(alpha(0, 300_000), func(w *world) { w.g.Pool = unknown("i") })},
			{"", with(alpha(0, 300_000), func(w *world) { w.s.Pools["i"] = ir.Pool{Percent: ir.Of(1)} })},
			{"conf-ecn-thresholds: marking of queue 3 begins at 139,459 B, and its pool has 139,458 B", percent(1, 139_459)},
			{"", percent(1, 139_458)},
			{"conf-ecn-thresholds: marking of queue 3 begins at 13,945,801 B, and its pool has 13,945,800 B", percent(100, 13_945_801)},
			{"", percent(101, 13_945_824)},
			{"conf-ecn-thresholds: marking of queue 3 begins at 13,945,825 B, and the chip has", percent(101, 13_945_825)},
			{"", percent(0, 13_945_824)},
			{"conf-ecn-thresholds: marking of queue 3 begins at 13,945,825 B, and the chip has", percent(0, 13_945_825)},
			{"", alpha(0, 300_001)},
			{"", with(percent(1, 139_459), func(w *world) { w.s.Pools["e"] = ir.Pool{Percent: unknown(1)} })},
			{"", with(percent(1, 139_459), func(w *world) { w.s.Pools["e"] = ir.Pool{Size: ir.Of(0), Percent: unknown(1)} })},
		},
		"egress-limited": {
			{"", func(w *world) { w.q.Limit = ir.Of(ir.Limit{Kind: ir.LimitAlpha}) }},
			{"", func(w *world) { w.q.Limit = unknown(ir.Limit{Kind: ir.LimitZero}) }},
			{"", func(w *world) { w.q.Limit = ir.Of(ir.Limit{Kind: ir.LimitZero}); nowhere(w) }},
			{"conf-egress-limited: queue 0 gets nothing", func(w *world) { w.q.Limit = ir.Of(ir.Limit{Kind: ir.LimitZero}); zero(w) }},
			{"conf-egress-limited: queue 3 can use at most 1/8 of", func(w *world) { w.q.Limit = ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: -3}) }},
			{"conf-egress-limited: queue 3 holds at most 1,999,999 B", func(w *world) {
				w.q.Limit, w.d.MTU = ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 1_999_999}), ir.Of(2_000_000)
			}},
			{"", func(w *world) {
				w.q.Limit, w.d.MTU = ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 2_000_000}), ir.Of(2_000_000)
			}},
		},
		"headroom": {
			{
				"conf-headroom: priority group 3 of cos 3 keeps 1,523 B of headroom, and at 100G with a cable of 5 m at least 1,524 B",
				func(w *world) { w.g.Headroom = ir.Of(1_523) },
			},
			{"", func(w *world) { w.g.Headroom = ir.Of(1_524) }},
			{"conf-headroom", func(w *world) { w.g.Headroom = ir.ByDefault(1_523) }},
			{"conf-headroom", func(w *world) { w.g.Headroom = ir.Of(1_523); zero(w) }},
			{"conf-headroom: priority group 3 keeps 1,523 B", func(w *world) { w.g.Headroom = ir.Of(1_523); nowhere(w) }},
			{"", func(w *world) { w.g.Headroom, w.d.Group[3] = ir.Of(1_523), 4 }},
			{"", func(w *world) { w.g.Headroom = ir.Of(1_523); off(w) }},
			{"conf-headroom: priority group 3 keeps", func(w *world) { w.g.Headroom, w.p.PausesKnown = ir.Of(1_523), false }},
			{"", func(w *world) { w.g.Headroom = ir.Of(1_523); pause(w) }},
			{"", func(w *world) { w.g.Headroom, w.g.Lossless = ir.Of(1_523), ir.Of(false) }},
			{"", func(w *world) { w.g.Headroom = unknown(1_523) }},
			{"conf-headroom: priority group 3 of cos 3 keeps 0 B", func(w *world) { w.g.Headroom = ir.Of(0) }},
			{"", func(w *world) { w.g.Headroom, w.g.Xoff = ir.Of(0), ir.Of(9) }},
			{"", func(w *world) { w.g.Headroom = ir.ByDefault(0) }},
			{"conf-headroom: no speed is stated: priority group 3 of cos 3 keeps 1,523 B of headroom for a cable of 5 m, and at " +
				"100G", func(w *world) {
				w.d.Speed, w.g.Headroom = unknown[int64](100e9), ir.Of(1_523)
			}},
			{"", func(w *world) { w.d.Speed, w.g.Headroom = unknown[int64](100e9), ir.Of(1_524) }},
			{"conf-headroom: no speed is stated", func(w *world) {
				model(w)
				w.d.Speed, w.g.Headroom = unknown[int64](100e9), ir.Of(1_523)
			}},
			{"", func(w *world) { w.d.Speed, w.g.Headroom = ir.Of[int64](0), ir.Of(1_000) }},
			{"conf-headroom", func(w *world) { w.d.Speed, w.g.Headroom = ir.Of[int64](1.6e12), ir.Of(9_023) }},
			{"", func(w *world) { w.d.Speed, w.g.Headroom = ir.Of[int64](1.600001e12), ir.Of(9_023) }},
			{"conf-headroom", func(w *world) { w.d.Cable = ir.Of(1000) }},
			{"", func(w *world) { w.d.Cable = ir.Of(1001) }},
			{"", func(w *world) { model(w); w.d.Speed = unknown[int64](100e9) }},
			{"", func(w *world) { w.d.Speed, w.d.Cable = unknown[int64](100e9), unknown(5) }},
			{"conf-headroom: no length of cable is stated. The 60,000 B of headroom of priority group 3 of cos 3 are enough", func(w *world) {
				model(w)
				w.d.Speed, w.d.Cable = unknown[int64](100e9), unknown(5)
			}},
			{"conf-headroom: no length of cable is stated", func(w *world) { w.d.Cable = ir.ByDefault(5) }},
			{"", func(w *world) { w.d.Cable, w.g.Headroom = unknown(5), ir.ByDefault(60_000) }},
		},
		"headroom that the switch derives": {
			{"", derived(100e9, 100_000, 10_001_024)},
			{"conf-headroom: the cable has 100,000 m: at 100G at least 10,001,024 B arrive at each of 1 port after a pause, and its pool has " +
				"10,001,023 B", derived(100e9, 100_000, 10_001_023)},
			{"conf-headroom: the cable has 100,000 m: at 10G at least 1,001,024 B", derived(0, 100_000, 1_001_023)},
			{"", derived(0, 100_000, 1_001_024)},
			{"", with(derived(100e9, 100_000, 1), func(w *world) { w.d.Cable = ir.ByDefault(100_000) })},
			{"", with(derived(100e9, 100_000, 1), func(w *world) { w.s.Pools["i"] = ir.Pool{Size: unknown(1)} })},
			{"", with(derived(100e9, 100_000, 1), func(w *world) { w.g.Lossless = unknown(true) })},
			{"", with(derived(1.600001e12, 100_000, 1))},
		},
		"headroom that is not reserved": {
			{"", reserved(80_000, 20_000, 0)},
			{"conf-headroom: priority group 3 of cos 3 keeps 60,000 B of headroom, which begins at 20,000 B: that needs 80,000 B, and the group " +
				"reserves 79,999 B, in the pool i", reserved(79_999, 20_000, 0)},
			{"conf-headroom", reserved(59_999, 0, 0)},
			{"", reserved(60_000, 0, 0)},
			{"", reserved(59_999, 0, 60_000)},
			{"", with(reserved(1, 0, 0), func(w *world) { w.s.Pools["i"] = ir.Pool{Shared: unknown(0)} })},
			{"", with(reserved(1, 0, 0), func(w *world) { w.g.Buffer = unknown(1) })},
			{"", with(reserved(1, 0, 0), func(w *world) { w.s.System.Model = ir.Setting[string]{} })},
			{"", with(reserved(1, 0, 0), func(w *world) {
				w.s.System.Model, w.s.System.Chip = ir.Setting[string]{}, ir.Of("trident3")
			})},
			{"", with(reserved(1, 0, 0), func(w *world) { w.g.Pool = unknown("i") })},
			{"", with(reserved(1, 0, 0), func(w *world) { w.g.Headroom = unknown(60_000) })},
		},
		"ECN of 0": {
			{"conf-ecn-thresholds: a threshold of marking of queue 3 is 0", func(w *world) { w.q.MarkMin = ir.Of(0) }},
			{"conf-ecn-thresholds: a threshold of marking of queue 3 is 0", func(w *world) { w.q.MarkMax = ir.Of(0) }},
			{"conf-ecn-thresholds: queue 3 marks, and no thresholds are stated", func(w *world) {
				w.q.MarkMin, w.q.MarkMax = ir.ByDefault(0), ir.ByDefault(0)
			}},
			{"conf-ecn-thresholds: the probability of marking of queue 3 is 0", func(w *world) { w.q.Probability = ir.Of(0) }},
			{"conf-ecn-thresholds: the probability of marking of queue 0 is 0", func(w *world) {
				w.d.Queues[0].ECN, w.d.Queues[0].Probability = ir.Of(true), ir.Of(0)
			}},
			{"", func(w *world) { w.q.Probability = ir.Of(1) }},
			{"", func(w *world) { w.q.Probability = unknown(0) }},
			{"", func(w *world) { w.q.MarkMin, w.q.MarkMax = unknown(0), unknown(0) }},
			{"", func(w *world) { w.d.Queues[0].Probability = ir.Of(0) }},
		},
		"headroom by tables": {
			{"", published(100e9, 5, 30_720)},
			{
				"conf-headroom: priority group 3 of cos 3 keeps 30,719 B of headroom, and at 100G with a cable of 5 m the published size is 30,720 B",
				published(100e9, 5, 30_719),
			},
			{"", published(40e9, 40, 32_768)},
			{"conf-headroom", published(40e9, 40, 32_767)},
			{"conf-headroom", published(100e9, 6, 38_911)},
			{"", published(100e9, 6, 38_912)},
			{"", with(published(25e9, 40, 53_248), two)},
			{
				"conf-headroom: priority group 3 of cos 3 keeps 53,247 B of headroom, and at 25G with a cable of 40 m the published size is 53,248 B",
				with(published(25e9, 40, 53_247), two),
			},
			{"conf-headroom: priority group 3 of cos 3 keeps 53,247 B of headroom, and at 25G with a cable of 5 m the published size is 53,248 B " +
				"(SONiC device/common/profiles/th/6100/", with(published(25e9, 5, 53_247), two)},
		},
		"reach": {
			{
				"conf-headroom: no length of cable is stated. The 43,775 B of headroom of priority group 3 of cos 3 are enough for 100G over " +
					"at most 1 m",
				reach(18_432+25_216+127, 0),
			},
			{"conf-headroom: priority group 3 of cos 3 keeps 43,774 B of headroom. At 100G, frames of 9216 bytes", reach(18_432+25_216+126, 0)},
			{"conf-headroom: priority group 3 of cos 3 keeps 28,342 B of headroom. At 100G, frames of 1500 bytes", reach(3_000+25_216+126, 1500)},
			{"conf-headroom: no length", reach(3_000+25_216+254, 1500)},
		},
		"lossless-default": {
			{"conf-lossless-default: DSCP 0", func(w *world) { w.p.DSCP[0] = 3 }},
			{"", func(w *world) { w.p.DSCP[0], w.p.TrustKnown = 3, false }},
			{"", func(w *world) { w.p.DSCP[0], w.p.Trust = 3, ir.Trust{PCP: true} }},
			{"", func(w *world) { w.p.DSCP[0] = -1 }},
			{"", func(w *world) { w.p.DSCP[0] = 3; pause(w) }},
			{"conf-lossless-default: DSCP 0", func(w *world) {
				w.p.Sends, w.p.Obeys, w.d.Queues[0], w.d.Groups[0] = 1, 1, *w.q, *w.g
				w.d.Group = [8]int8{0, 1, 1, 1, 1, 1, 1, 1}
			}},
			{"conf-lossless-default: PCP 0", func(w *world) { w.p.PCP[0], w.p.Trust = 3, ir.Trust{PCP: true} }},
			{"conf-lossless-default: PCP 0", func(w *world) { w.p.PCP[0], w.p.Trust = 3, ir.Trust{PCP: true, DSCP: true} }},
			{"conf-lossless-default: DSCP 0", func(w *world) { w.p.DSCP[0], w.p.PCP[0], w.p.Trust = 3, 3, ir.Trust{PCP: true, DSCP: true} }},
			{"conf-pfc-unreachable", func(w *world) { w.p.PCP[0], w.p.Trust = 2, ir.Trust{PCP: true} }},
			{"", func(w *world) { w.p.PCP[0], w.p.Trust = -1, ir.Trust{PCP: true} }},
			{"conf-lossless-default: PCP 0", func(w *world) {
				w.p.PCP[0], w.p.Trust = 0, ir.Trust{PCP: true}
				w.p.Sends, w.p.Obeys = 1, 1
			}},
			{"conf-lossless-default: packets without", func(w *world) { w.d.DefaultCos = ir.ByDefault[int8](3) }},
			{"", func(w *world) { w.d.DefaultCos = unknown[int8](3) }},
			{"", func(w *world) { w.d.DefaultCos = ir.Of[int8](2) }},
		},
		"lossless-shared": {
			{"conf-lossless-shared: cos 0, which is lossy, fills", func(w *world) { w.d.Group[0] = 3 }},
			{"conf-lossless-shared: cos 0, which is lossy, fills", with(zero, func(w *world) { w.d.Group[0] = 0 })},
			{"", func(w *world) { w.d.Group[1] = 3 }},
			{"", func(w *world) { w.d.Group[0], w.g.Lossless = 3, unknown(true) }},
			{"conf-lossless-shared: cos 0, which is lossy, leaves", func(w *world) { w.d.Queue[0] = 3 }},
			{"conf-lossless-shared: cos 0, which is lossy, leaves", with(zero, func(w *world) { w.d.Queue[0] = 0 })},
			{"", nowhere},
			{"conf-lossless-shared: cos 1", func(w *world) { w.d.Group[1], w.d.DefaultCos = 3, ir.Of[int8](1) }},
			{"conf-lossless-shared: cos 1", func(w *world) { w.d.Group[1], w.p.PCP[5], w.p.Trust.PCP = 3, 1, true }},
			{"", func(w *world) { w.d.Group[1], w.p.PCP[5], w.p.Trust.PCP = 3, 2, true }},
			{"", func(w *world) { w.d.Group[1], w.p.PCP[5] = 3, 1 }},
			{"", func(w *world) { w.d.Group[1], w.p.PCP[5], w.p.Trust.PCP, w.p.TrustKnown = 3, 1, true, false }},
			{"", func(w *world) { also(w); w.d.Queue[4], w.d.Group[4] = 3, 3 }},
		},
		"lossless-strict": {
			{"conf-lossless-strict", func(w *world) { w.q.Strict = ir.ByDefault(true) }},
			{"conf-lossless-strict: queue 0", func(w *world) { w.q.Strict = ir.Of(true); zero(w) }},
			{"", func(w *world) { w.q.Strict = unknown(true) }},
			{"", func(w *world) { w.q.Strict = ir.Of(true); nowhere(w) }},
		},
		"pfc-asymmetric": {
			{"conf-pfc-asymmetric", func(w *world) { w.d.AsymmetricPFC = ir.Of(true) }},
			{"conf-pfc-asymmetric", func(w *world) { w.d.AsymmetricPFC, w.p.Sends = ir.Of(true), 0 }},
			{"conf-pfc-asymmetric", func(w *world) { w.d.AsymmetricPFC, w.p.Obeys = ir.Of(true), 0 }},
			{"", func(w *world) { w.d.AsymmetricPFC, w.p.PausesKnown = ir.Of(true), false }},
			{"", func(w *world) { w.d.AsymmetricPFC = unknown(true) }},
			{"", func(w *world) { w.d.AsymmetricPFC = ir.Of(true); off(w) }},
		},
		"red-lossless": {
			{"conf-red-lossless: WRED drops packets of queue 3 and marks none", func(w *world) { w.q.Drop, w.q.ECN = ir.Of(true), ir.Of(false) }},
			{"conf-red-lossless: WRED drops packets of queue 3 from 9 B on and marks none", func(w *world) {
				w.q.Drop, w.q.ECN, w.q.DropMin = ir.ByDefault(true), ir.Of(false), ir.Of(9)
			}},
			{"conf-red-lossless: WRED drops packets of queue 0", func(w *world) { w.q.Drop, w.q.ECN = ir.Of(true), ir.Of(false); zero(w) }},
			{"", func(w *world) { w.q.Drop, w.q.ECN = ir.Of(true), ir.Of(false); nowhere(w) }},
			{"", func(w *world) { w.q.Drop, w.q.ECN = ir.Of(true), unknown(false) }},
			{"conf-red-lossless: WRED drops packets of queue 3 that cannot be marked", func(w *world) { w.q.Drop = ir.Of(true) }},
			{"", func(w *world) { w.q.Drop = ir.ByDefault(true) }},
			{"conf-red-lossless: queue 3 marks packets that have ECN bits", func(w *world) {
				w.p.Trust, w.q.Unmarkable = ir.Trust{PCP: true}, ir.ByDefault(ir.Dropped)
			}},
			{"", func(w *world) { w.p.Trust, w.q.Unmarkable = ir.Trust{PCP: true}, ir.Of(ir.Passed) }},
			{"", func(w *world) {
				w.p.Trust, w.q.Unmarkable, w.p.TrustKnown = ir.Trust{PCP: true}, ir.Of(ir.Dropped), false
			}},
			{"", func(w *world) { w.p.Trust, w.q.Unmarkable = ir.Trust{PCP: true, DSCP: true}, ir.Of(ir.Dropped) }},
		},
		"remark": {
			{"conf-remark", func(w *world) { w.d.RewriteDSCP = ir.Of(true) }},
			{"conf-remark", func(w *world) { w.d.RewriteDSCP = ir.ByDefault(true) }},
			{"", func(w *world) { w.d.RewriteDSCP = unknown(true) }},
			{"", func(w *world) { w.d.RewriteDSCP = ir.Of(true); off(w) }},
			{"", func(w *world) { w.d.RewriteDSCP = ir.Of(true); pause(w) }},
			{"", func(w *world) { w.d.RewriteDSCP, w.p.TrustKnown = ir.Of(true), false }},
			{"", func(w *world) { w.d.RewriteDSCP, w.p.Trust = ir.Of(true), ir.Trust{PCP: true} }},
		},
		"sizes": {
			{"conf-sizes", func(w *world) { w.g.Xoff, w.g.Xon = ir.ByDefault(18_000), ir.Of(18_000) }},
			{"conf-sizes", func(w *world) { w.g.Xoff, w.g.Xon = ir.Of(18_000), ir.Of(18_000); zero(w) }},
			{"", func(w *world) { w.g.Xoff, w.g.Xon = ir.Of(18_000), ir.Of(18_000); nowhere(w) }},
			{"", func(w *world) { w.g.Xoff, w.g.Xon = ir.Of(18_000), ir.Of(17_999) }},
			{"", func(w *world) { w.g.Xoff, w.g.Xon = ir.Of(18_000), ir.ByDefault(18_000) }},
			{"", func(w *world) { w.g.Xoff, w.g.Xon = unknown(18_000), ir.Of(18_000) }},
			{"", func(w *world) { w.g.Xoff, w.g.Xon = ir.Of(18_000), unknown(18_000) }},
			{"", func(w *world) { w.g.Xoff, w.g.Xon = ir.Of(0), ir.Of(0) }},
		},
		"throttled": {
			{"conf-throttled: a shaper limits the port to 99.99 Gbit/s", func(w *world) { w.d.Shaper = ir.Of[int64](99.99e9) }},
			{"conf-throttled: a shaper limits the port to 1 bit/s", func(w *world) { w.d.Speed, w.d.Shaper = unknown[int64](1), ir.Of[int64](1) }},
			{"conf-throttled: a shaper limits the port to 1 kbit/s", func(w *world) { w.d.Shaper = ir.Of[int64](1000) }},
			{"conf-throttled: a shaper limits the port to 1 Mbit/s", func(w *world) { w.d.Shaper = ir.Of[int64](1_000_000) }},
			{"conf-throttled: a shaper limits the port to 1 Gbit/s", func(w *world) { w.d.Shaper = ir.ByDefault[int64](1e9) }},
			{"", func(w *world) { w.d.Shaper = ir.Of[int64](0) }},
			{"", func(w *world) { w.d.Shaper = unknown[int64](1) }},
			{"", func(w *world) { w.d.Shaper = ir.Of[int64](1); off(w) }},
			{"conf-throttled: queue 3 sends at most 1 Gbit/s", func(w *world) { w.q.MaxRate = ir.Of[int64](1e9) }},
			{"conf-throttled: queue 0 sends at most 1 Gbit/s", func(w *world) { w.q.MaxRate = ir.Of[int64](1e9); zero(w) }},
			{"", func(w *world) { w.q.MaxRate = ir.Of[int64](1e9); nowhere(w) }},
			{"", func(w *world) { w.q.MaxRate = ir.Of[int64](100e9) }},
			{"", func(w *world) { w.d.Queues[0].MaxRate = ir.Of[int64](1e9) }},
		},
		"rates that contradict each other": {
			{"conf-shaper: queue 0 is limited to 1 Gbit/s, and guaranteed 2 Gbit/s", rates(2e9, 1e9, 0)},
			{"", rates(1e9, 1e9, 1e9)},
			{"conf-shaper: queue 0 is guaranteed 2 Gbit/s, and the whole port is limited to 1 Gbit/s", rates(2e9, 0, 1e9)},
			{"conf-shaper: queue 0 is limited to 2 Gbit/s, and the whole port to 1 Gbit/s", rates(0, 2e9, 1e9)},
			{"conf-shaper: queue 0 is limited to 2 Gbit/s", rates(1e9, 2e9, 1e9)},
			{"", rates(2e9, 0, 0)},
			{"", with(rates(2e9, 0, 1e9), func(w *world) { w.d.Queues[0].MinRate.Is = ir.NotKnown })},
			{"", with(rates(0, 2e9, 1e9), func(w *world) { w.d.Queues[0].MaxRate.Is = ir.NotKnown })},
			{"", with(rates(2e9, 2e9, 1e9), func(w *world) { w.d.Shaper.Is = ir.NotKnown })},
		},
		"promised rates": {
			{"conf-throttled: lossy queues are guaranteed 50 Gbit/s of 100 Gbit/s", promise(50e9+1, 0)},
			{"", promise(50e9, 0)},
			{"conf-throttled: lossy queues are guaranteed 60 Gbit/s", promise(30e9, 30e9)},
			{"conf-throttled: lossy queues are guaranteed 100 Gbit/s", promise(100e9, 0)},
			{"", promise(100e9+1, 0)},
			{"", promise(50e9, -1e9)},
			{"", with(promise(0, 0), func(w *world) { w.q.MinRate = ir.Of[int64](60e9) })},
			{"", with(promise(0, 0), also, func(w *world) { w.q.MinRate = ir.Of[int64](60e9) })},
			{"", func(w *world) { w.d.Queues[0].MinRate = unknown[int64](60e9) }},
			{"", with(promise(60e9, 0), func(w *world) { w.d.Speed = unknown[int64](100e9) })},
			{"", with(promise(60e9, 0), off)},
			{"", with(promise(60e9, 0), pause)},
			{"conf-throttled: lossy queues are guaranteed 1 bit/s of 1 bit/s", with(promise(1, 0), func(w *world) { w.d.Speed = ir.Of[int64](1) })},
			{"", with(promise(1, 0), func(w *world) { w.d.Speed = ir.Of[int64](-4e6) })},
		},
		"unmarked": {
			{"conf-unmarked: queue 3 has thresholds", func(w *world) { w.q.ECN = ir.Of(false) }},
			{"conf-unmarked: queue 3 has thresholds", func(w *world) { w.q.ECN, w.q.MarkMin = ir.ByDefault(false), ir.ByDefault(150_000) }},
			{"conf-unmarked: queue 3 has thresholds", func(w *world) { w.q.ECN, w.q.MarkMax = ir.Of(false), ir.ByDefault(150_000) }},
			{"conf-unmarked: queue 3 marks nothing", func(w *world) {
				w.q.ECN, w.q.MarkMin, w.q.MarkMax = ir.Of(false), ir.ByDefault(150_000), ir.ByDefault(150_000)
			}},
			{"conf-unmarked: queue 0", func(w *world) { w.q.ECN = ir.Of(false); zero(w) }},
			{"", func(w *world) { w.q.ECN = ir.Of(false); nowhere(w) }},
			{"", func(w *world) { w.q.ECN = unknown(false) }},
			{"", func(w *world) { w.q.ECN, w.p.TrustKnown = ir.Of(false), false }},
			{"", func(w *world) { w.q.ECN, w.p.Trust = ir.Of(false), ir.Trust{PCP: true} }},
			{"conf-pfc-unreachable", func(w *world) { w.q.ECN, w.p.DSCP[26] = ir.Of(false), 0 }},
		},
		"pfc-unreachable": {
			{"conf-pfc-unreachable: PFC is on for cos 3, and no packet that comes in gets this cos: the port trusts DSCP, and maps no value to " +
				"it. RoCE", func(w *world) { w.p.DSCP[26] = 0 }},
			{"", func(w *world) { w.p.DSCP[26] = 0; off(w) }},
			{"", func(w *world) { w.p.DSCP[26] = 0; pause(w) }},
			{"", func(w *world) { w.p.DSCP[26], w.p.Trust, w.p.TrustKnown = 0, ir.Trust{}, false }},
			{"conf-pfc-unreachable: PFC is on for cos 3, and no packet that comes in gets this cos: the port trusts no field", func(w *world) {
				w.p.Trust, w.d.DefaultCos = ir.Trust{}, ir.Of[int8](0)
			}},
			{"conf-lossless-default", func(w *world) { w.p.Trust, w.d.DefaultCos = ir.Trust{}, ir.Of[int8](3) }},
			{"", func(w *world) { w.p.Trust, w.d.DefaultCos = ir.Trust{}, unknown[int8](0) }},
			{"conf-lossless-default", func(w *world) { w.p.DSCP[26], w.d.DefaultCos = 0, ir.Of[int8](3) }},
			{"", func(w *world) { w.p.Trust = ir.Trust{PCP: true} }},
			{"conf-pfc-unreachable: PFC is on for cos 3, and no packet that comes in gets this cos: the port trusts PCP, and maps no value to " +
				"it", func(w *world) { w.p.Trust, w.p.PCP[1] = ir.Trust{PCP: true}, 0 }},
			{"", func(w *world) { w.p.Trust, w.p.PCP[1] = ir.Trust{PCP: true}, 3 }},
			{"", func(w *world) { w.p.DSCP[26], w.p.Trust = 0, ir.Trust{DSCP: true, PCP: true} }},
			{"conf-pfc-unreachable: PFC is on for cos 3, and no packet that comes in gets this cos: the port trusts DSCP and PCP", func(w *world) {
				w.p.DSCP[26], w.p.Trust, w.p.PCP[1], w.p.TrustKnown = 0, ir.Trust{DSCP: true, PCP: true}, 1, false
			}},
			{"conf-pfc-unreachable", func(w *world) { other(w); w.p.Trust, w.p.PCP[1] = ir.Trust{PCP: true}, 0 }},
			{"", func(w *world) { other(w); w.p.Trust, w.p.PCP[1], w.p.Sends = ir.Trust{PCP: true}, 0, 0 }},
		},
		"value-unmapped": {
			{"conf-value-unmapped", func(w *world) { w.p.DSCP[48] = -1 }},
			{"", func(w *world) { w.p.DSCP[48] = 0; w.q.ECN = unknown(true) }},
			{"", func(w *world) { w.p.DSCP[48], w.p.TrustKnown = -1, false }},
			{"", func(w *world) { w.p.DSCP[48], w.p.Trust = -1, ir.Trust{PCP: true} }},
			{"", func(w *world) { w.p.DSCP[48] = -1; off(w) }},
			{"", func(w *world) { w.p.DSCP[48] = -1; pause(w) }},
			{"conf-value-unmapped", mapped(32)},
			{"", mapped(31)},
		},
		"watchdog-idle": {
			{"conf-watchdog-idle: the PFC watchdog only reports", watch(ir.Of(ir.WatchdogAlert))},
			{"", watch(ir.Of(ir.WatchdogDrop))},
			{"", watch(unknown(ir.WatchdogAlert))},
			{"", with(watch(ir.Of(ir.WatchdogAlert)), off)},
			{"", with(watch(ir.Of(ir.WatchdogAlert)), pause)},
			{"conf-watchdog-idle: the PFC watchdog watches no priority", with(watch(ir.Of(ir.WatchdogDrop)), func(w *world) {
				w.d.Watchdog.Watches = ir.Of[uint8](0)
			})},
			{"", with(watch(ir.Of(ir.WatchdogOff)), func(w *world) { w.d.Watchdog.Watches = ir.Of[uint8](0) })},
			{"", with(watch(ir.Of(ir.WatchdogDrop)), func(w *world) { w.d.Watchdog.Watches = unknown[uint8](0) })},
			{"", with(watch(ir.Of(ir.WatchdogDrop)), func(w *world) { w.d.Watchdog.Watches = ir.Of[uint8](1 << 3) })},
			{"", with(watch(ir.Of(ir.WatchdogDrop)), func(w *world) { w.d.Watchdog.Detect = ir.Of(5 * time.Second) })},
			{"", with(watch(ir.Of(ir.WatchdogDrop)), func(w *world) { w.d.Watchdog.Detect = unknown(time.Hour) })},
			{"conf-watchdog-idle: the PFC watchdog acts after 5.001s", with(watch(ir.ByDefault(ir.WatchdogForward)), func(w *world) {
				w.d.Watchdog.Detect = ir.ByDefault(5001 * time.Millisecond)
			})},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range rows {
				r.run(t)
			}
		})
	}
}

// alpha limits the group to a part of a pool. percent makes the queue mark from a length on, in a part of the chip's memory.
func alpha(n, size int) func(w *world) {
	return func(w *world) {
		w.g.Limit, w.g.Pool = ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: n}), ir.Of("i")
		w.s.Pools["i"] = ir.Pool{Size: ir.Of(size)}
	}
}

func percent(n, from int) func(w *world) {
	return func(w *world) {
		model(w)
		w.q.Pool, w.q.MarkMin = ir.Of("e"), ir.Of(from)
		w.s.Pools["e"] = ir.Pool{Size: ir.Of(0), Percent: ir.Of(n)}
	}
}

func published(speed int64, metres, room int) func(w *world) {
	return func(w *world) {
		model(w)
		w.d.Speed, w.d.Cable, w.g.Headroom = ir.Of(speed), ir.Of(metres), ir.Of(room)
	}
}

// two makes the switch one whose chip has two published tables that differ in a figure.
func two(w *world) { w.s.System.Model = ir.Of("as7712-32x") }

func reach(room, mtu int) func(w *world) {
	return func(w *world) {
		w.d.Cable, w.d.MTU, w.g.Headroom = unknown(5), ir.Setting[int]{Value: mtu, Is: ir.Stated}, ir.Of(room)
	}
}

func promise(first, second int64) func(w *world) {
	return func(w *world) { w.d.Queues[0].MinRate, w.d.Queues[1].MinRate = ir.Of(first), ir.Of(second) }
}

// rates sets the guaranteed rate and the limit of a lossy queue, and the limit of its port. 0 sets no rate.
func rates(low, high, port int64) func(w *world) {
	return func(w *world) {
		off(w)
		w.d.Queues[0].MinRate, w.d.Queues[0].MaxRate, w.d.Shaper = ir.Of(low), ir.Of(high), ir.Of(port)
	}
}

func mapped(n int) func(w *world) {
	return func(w *world) {
		for v := range w.p.DSCP {
			if w.p.DSCP[v] = -1; v < n {
				w.p.DSCP[v] = 0
			}
		}
		w.p.DSCP[26] = 3
	}
}

func watch(action ir.Setting[ir.WatchdogAction]) func(w *world) {
	return func(w *world) { w.d.Watchdog.Action = action }
}

// pooled puts the group or the queue of cos 3 into a pool, with a limit.
func pooled(queue bool, kind ir.LimitKind, mode ir.PoolMode) func(w *world) {
	return func(w *world) {
		w.s.Pools["a"] = ir.Pool{Ingress: !queue, Egress: queue, Mode: ir.Of(mode)}
		limit := ir.Of(ir.Limit{Kind: kind, N: 2_000_000})
		if kind == ir.LimitAlpha {
			limit.Value.N = 3
		}
		if queue {
			w.q.Limit, w.q.Pool = limit, ir.Of("a")
		} else {
			w.g.Limit, w.g.Pool = limit, ir.Of("a")
		}
	}
}

// shared makes ports share headroom in the pool of the group. lossy puts the lossless queues into the pool of the lossy ones.
func shared(n int) func(w *world) {
	return func(w *world) {
		w.g.Pool = ir.Of("a")
		w.s.Pools["a"] = ir.Pool{Ingress: true, Shared: ir.Of(n)}
	}
}

func lossy(w *world) {
	w.s.Pools["lossy"], w.s.Pools["lossless"] = ir.Pool{Egress: true}, ir.Pool{Egress: true}
	for n := range w.d.Queues {
		w.d.Queues[n].Pool = ir.Of("lossy")
	}
}

// TestPools has the rows about pools.
func TestPools(t *testing.T) {
	for _, r := range []row{
		{"conf-pools: priority group 3 is limited to a part", pooled(false, ir.LimitAlpha, ir.PoolStatic)},
		{"", pooled(false, ir.LimitAlpha, ir.PoolDynamic)},
		{"conf-pools: priority group 3 is limited to 2,000,000 B", pooled(false, ir.LimitBytes, ir.PoolDynamic)},
		{"", pooled(false, ir.LimitBytes, ir.PoolStatic)},
		{"", pooled(false, ir.LimitNone, ir.PoolStatic)},
		{"", pooled(false, ir.LimitNone, ir.PoolDynamic)},
		{"", with(pooled(false, ir.LimitBytes, ir.PoolDynamic), func(w *world) { w.g.Lossless = ir.Of(false) })},
		{"", with(pooled(false, ir.LimitBytes, ir.PoolDynamic), func(w *world) { w.g.Limit.Is = ir.NotKnown })},
		{"", with(pooled(false, ir.LimitBytes, ir.PoolDynamic), func(w *world) { w.g.Pool.Is = ir.NotKnown })},
		{"", with(pooled(false, ir.LimitBytes, ir.PoolDynamic), func(w *world) { w.s.Pools["a"] = ir.Pool{Mode: unknown(ir.PoolDynamic)} })},
		{"conf-pools", with(pooled(false, ir.LimitBytes, ir.PoolDynamic), func(w *world) {
			w.s.Pools["a"] = ir.Pool{Mode: ir.ByDefault(ir.PoolDynamic)}
		})},
		{"conf-pools: queue 3 is limited to a part", pooled(true, ir.LimitAlpha, ir.PoolStatic)},
		{"conf-pools: queue 3 is limited to 2,000,000 B", pooled(true, ir.LimitBytes, ir.PoolDynamic)},
		{"conf-pools: queue 0 is limited to 2,000,000 B", with(pooled(true, ir.LimitBytes, ir.PoolDynamic), zero)},
		{"", with(pooled(true, ir.LimitBytes, ir.PoolDynamic), nowhere)},

		{"conf-pools: priority group 3 needs 60,000 B", shared(59_999)},
		{"", shared(60_000)},
		{"", shared(0)},
		{"", with(shared(1), func(w *world) { w.g.Headroom.Is = ir.NotKnown })},
		{"", with(shared(1), func(w *world) { w.g.Pool.Is = ir.NotKnown })},
		{"", with(shared(1), func(w *world) { w.g.Lossless = ir.Of(false) })},
		{"", with(shared(1), func(w *world) { w.s.Pools["a"] = ir.Pool{Shared: unknown(1)} })},

		{"conf-pools: queue 3, by which lossless traffic leaves, is in the pool lossy of the lossy queues, and not in lossless", lossy},
		{"conf-pools: queue 3", with(lossy, func(w *world) { w.d.Queues[5].Pool = ir.Setting[string]{} })},
		{"conf-pools: queue " +
			"3", with(lossy, func(w *world) { w.d.Queues[0].Pool = ir.Of("lossless") })}, // a queue of the template without PFC
		{"", with(lossy, func(w *world) { // as many there
			for queue := range 4 {
				w.d.Queues[[]int{0, 1, 2, 4}[queue]].Pool = ir.Of("lossless")
			}
		})},
		{"", with(lossy, func(w *world) { w.q.Pool = ir.Of("lossless") })},
		{"", with(lossy, func(w *world) { w.q.Pool.Is = ir.NotKnown })},
		{"", with(lossy, func(w *world) { delete(w.s.Pools, "lossless") })},
		{"", with(lossy, func(w *world) { w.s.Pools["lossless"] = ir.Pool{Ingress: true} })},
		{"", with(lossy, func(w *world) { w.s.Pools["lossless"] = ir.Pool{Ingress: true, Egress: true} })},
		{"", with(lossy, func(w *world) { w.s.Pools["lossless"] = ir.Pool{} })},
		{"", with(lossy, also, func(w *world) {
			for n := range w.d.Queues {
				if n != 3 && n != 4 {
					w.d.Queues[n].Pool = ir.Setting[string]{}
				}
			}
		})},

		{"conf-pools: The pool a has 13,945,825 B, and the chip", tooLarge(13_945_825)},
		{"", tooLarge(13_945_824)},
		{"", with(tooLarge(13_945_825), func(w *world) { w.s.Pools["a"] = ir.Pool{Egress: true, Size: ir.Of(13_945_825)} })},
		{"", with(tooLarge(13_945_825), func(w *world) { w.s.Pools["a"] = ir.Pool{Ingress: true, Size: unknown(13_945_825)} })},
		{"", with(tooLarge(13_945_825), func(w *world) { w.s.System.Model = ir.Setting[string]{} })},
		{"conf-pools", with(tooLarge(13_945_825), func(w *world) {
			w.s.System.Model, w.s.System.Chip = ir.Setting[string]{}, ir.ByDefault("spectrum")
		})},
	} {
		r.run(t)
	}
}

func tooLarge(size int) func(w *world) {
	return func(w *world) {
		model(w)
		w.s.Pools["a"] = ir.Pool{Ingress: true, Size: ir.Of(size)}
	}
}

// TestPlaces: a finding is at the value, or else at the value that makes the port lossless, or else at the top. A finding of a linter at
// that line is not repeated. If the value is missing, or the linter judges the whole subject, its finding at any line counts.
func TestPlaces(t *testing.T) {
	s := of(func(_ *ir.PortSettings, d *ir.PortDetail) {
		d.Shaper, d.Cable = ir.Of[int64](60e9), ir.Of(5)
		d.Queues[0].MinRate, d.Queues[1].MinRate = ir.Of[int64](0), ir.Of[int64](60e9)
		d.Queues[3].Strict = ir.Of(true)
	})
	at := func(line int) diag.Range {
		r := diag.Range{Filename: "f"}
		r.Start.Line = line
		return r
	}
	type asked struct {
		field ir.Field
		index int
	}
	places := map[asked]int{{ir.FieldShaper, 0}: 7, {ir.FieldMinRate, 1}: 8, {ir.FieldMinRate, 0}: 6, {ir.FieldPauses, 3}: 9}
	lines := func(judged func(code string, sev diag.Severity, file string, line int) bool) map[int]string {
		var into sink
		where := func(port string, f ir.Field, index int) (diag.Range, bool) {
			line, ok := places[asked{f, index}]
			return at(line), ok && port == "swp1"
		}
		settings.Judge(&settings.Reading{Settings: s, At: at(1), Judged: judged, Where: where}, &into)
		out := map[int]string{}
		for _, d := range into.List {
			out[d.At.Start.Line] = d.Code
		}
		return out
	}
	assert.Equal(t, map[int]string{7: "conf-throttled", 8: "conf-throttled", 9: "conf-lossless-strict"}, lines(nil))
	got := map[string][]int{}
	lines(func(code string, sev diag.Severity, file string, line int) bool {
		assert.Equal(t, "f", file)
		assert.Equal(t, diag.Warning, sev)
		got[code] = append(got[code], line)
		return false
	})
	assert.Equal(t, map[string][]int{"conf-throttled": {7, 8}, "conf-lossless-strict": {0}}, got)
	assert.Empty(t, lines(func(string, diag.Severity, string, int) bool { return true }))
	places[asked{ir.FieldStrict, 3}] = 10
	assert.Equal(t, "conf-lossless-strict", lines(nil)[10])
	lines(func(code string, _ diag.Severity, _ string, line int) bool {
		assert.Equal(t, code == "conf-lossless-strict", line == 0, "%s: a linter that has the code judges the subject", code)
		return false
	})
	delete(places, asked{ir.FieldShaper, 0})
	delete(places, asked{ir.FieldPauses, 3})
	assert.Equal(t, map[int]string{1: "conf-throttled", 8: "conf-throttled", 10: "conf-lossless-strict"}, lines(nil))
	lines(func(code string, _ diag.Severity, _ string, line int) bool {
		assert.NotEqual(t, 1, line, "%s: the line of a value without a place is 0", code)
		return false
	})
}
