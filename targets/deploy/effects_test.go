package deploy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// effectsOf returns the effects in a fabric with the ports swp1 to swp4.
func effectsOf(old, next *ir.Settings) string {
	var cabled []*ir.Port
	for _, name := range []string{"swp1", "swp2", "swp3", "swp4"} {
		cabled = append(cabled, ir.NewPort(&ir.Device{}, ir.PortSpec{Name: name}))
	}
	var out []string
	for _, e := range Effects(old, next, cabled) {
		out = append(out, e.String())
	}
	return strings.Join(out, "\n")
}

// state returns settings. change alters the default of all ports, and the named ports.
func state(change func(p *ir.PortSettings), names ...string) *ir.Settings {
	base := ir.UnknownPort()
	base.PausesKnown, base.TrustKnown, base.Trust = true, true, ir.Trust{PCP: true}
	for v := range base.DSCP {
		base.DSCP[v] = int8(v / 8)
	}
	base.Strict, base.Share = 1<<6, [8]uint8{16, 16, 16, 16, 32, 32, 0, 16}
	changed := base
	change(&changed)
	if len(names) == 0 {
		return &ir.Settings{Rest: &changed}
	}
	s := &ir.Settings{Rest: &base}
	for _, n := range names {
		s.Set(n, changed)
	}
	return s
}

func TestEffects(t *testing.T) {
	plain := state(func(*ir.PortSettings) {})
	lossless := func(cos int) func(*ir.PortSettings) {
		return func(p *ir.PortSettings) { p.Sends, p.Obeys, p.Headroom = 1<<cos, 1<<cos, 50_000 }
	}
	pfcAlone := func(mask uint8) func(*ir.PortSettings) {
		return func(p *ir.PortSettings) {
			d := p.Detail.Get()
			d.PFC = ir.Of(mask)
			p.PausesKnown, p.Detail = false, ir.NewDetail(d)
		}
	}
	dscp := func(p *ir.PortSettings) { p.Trust = ir.Trust{DSCP: true} }
	// shared is a NIC with three queues: other traffic, cos 3, and cos 6.
	shared := func(p *ir.PortSettings) {
		d := p.Detail.Get()
		d.Queue = [8]int8{0, 0, 0, 1, 0, 0, 2, 0}
		p.Detail, p.Strict, p.Share = ir.NewDetail(d), 1<<6, [8]uint8{50, 50, 50, 50, 50, 50, 0, 50}
	}
	single := func(p *ir.PortSettings) {
		d := p.Detail.Get()
		d.Queue = [8]int8{}
		p.Detail, p.Strict, p.Share = ir.NewDetail(d), 255, [8]uint8{}
	}
	both := func(fs ...func(*ir.PortSettings)) func(*ir.PortSettings) {
		return func(p *ir.PortSettings) {
			for _, f := range fs {
				f(p)
			}
		}
	}
	for _, c := range []struct {
		name      string
		old, next *ir.Settings
		want      string
	}{
		{"not known", nil, plain, ""},
		{"same", plain, state(func(*ir.PortSettings) {}, "swp1", "swp9"), ""},
		{
			"lossless ends elsewhere", state(lossless(4), "swp1", "swp2", "swp9", "swp10"), state(lossless(4), "swp1", "swp2"),
			"lossless cos 4 ends on swp[9-10] (2 ports; not in this fabric)",
		},
		{
			"another cos, everywhere", state(lossless(4)), state(lossless(3), "swp1"),
			"lossless cos 4 ends on all ports\nlossless cos 3 begins on swp1",
		},
		{
			"everywhere but on a port", state(lossless(4)), state(lossless(4), "swp1"),
			"lossless cos 4 ends on swp[2-4] (3 ports)\nlossless cos 4 ends on all other ports (not in this fabric)",
		},
		{
			"pause to PFC", state(func(p *ir.PortSettings) { p.LinkPause, p.Sends, p.Obeys = true, 255, 255 }, "swp1"), state(lossless(4), "swp1"),
			"link pause ends on swp1\nlossless cos 4 begins on swp1",
		},
		{
			"PFC of a NIC whose link pause is not known", state(pfcAlone(16), "swp1"), state(pfcAlone(0), "swp1"),
			"lossless cos 4 ends on swp1",
		},
		{
			"link pause may be there", state(func(p *ir.PortSettings) { p.LinkPause, p.Sends, p.Obeys = true, 255, 255 }, "swp1"),
			state(pfcAlone(0), "swp1"), "",
		},
		{
			"one direction", plain, state(func(p *ir.PortSettings) { p.Sends = 16 }, "swp1"),
			"lossless cos 4 begins in one direction (pauses are sent and not obeyed) on swp1",
		},
		{
			"the other direction", state(func(p *ir.PortSettings) { p.Sends = 16 }, "swp1"), state(lossless(4), "swp1"),
			"obeying pauses of cos 4 begins on swp1",
		},
		{
			"headroom", state(lossless(4), "swp1"), state(both(lossless(4), func(p *ir.PortSettings) { p.Headroom = 40_000 }), "swp1"),
			"headroom shrinks from 50,000 B to 40,000 B on swp1",
		},
		{
			"trust", plain, state(dscp),
			"trust in 802.1p ends on all ports\ntrust in DSCP begins on all ports\nDSCP 48-55 move to strict queue 6 on all ports",
		},
		{
			"map", state(dscp), state(both(dscp, func(p *ir.PortSettings) { p.DSCP[26], p.DSCP[27], p.DSCP[49] = 4, 4, 0 })),
			"DSCP 49 moves to queue 0 (DWRR share 16) on all ports\nDSCP 26-27 move to queue 4 (DWRR share 32) on all ports",
		},
		{"a field nobody trusts", plain, state(func(p *ir.PortSettings) { p.DSCP[26] = 4 }), ""},
		{
			"ECN", state(func(p *ir.PortSettings) { p.Marks, p.Marking = 16, ir.Marking{Min: 1000, Max: 2000, Probability: 10} }, "swp1"),
			state(func(p *ir.PortSettings) { p.Marks, p.Marking = 48, ir.Marking{Min: 1500, Max: 2000, Probability: 10} }, "swp1"),
			"ECN of cos 5 begins on swp1\nECN thresholds go from 1,000-2,000 B, 10 % to 1,500-2,000 B, 10 % on swp1",
		},
		{
			"scheduling", plain, state(func(p *ir.PortSettings) { p.Strict, p.Share = 1, [8]uint8{0, 16, 20, 20, 32, 32, 16, 16} }),
			"queue 0 becomes strict on all ports\nqueues 2-3 go from DWRR share 16 to 20 on all ports\n" +
				"queue 6 is strict no more: DWRR share 16 on all ports",
		},
		{
			"cos that share a queue", state(single, "swp1"), state(both(dscp, shared), "swp1"),
			"trust in 802.1p ends on swp1\ntrust in DSCP begins on swp1\ncos 3,6 move to queues 1-2 on swp1\n" +
				"DSCP 48-55 move to strict queue 2 on swp1\nqueue 0 is strict no more: DWRR share 50 on swp1\n" +
				"cos 3 is strict no more: DWRR share 50 on swp1",
		},
		{
			"values of cos that share a queue", state(both(dscp, shared), "swp1"), state(both(dscp, shared, func(p *ir.PortSettings) {
				p.DSCP[24], p.DSCP[26], p.DSCP[48] = 0, 1, 3
			}), "swp1"),
			"DSCP 24,26 move to queue 0 (DWRR share 50) on swp1\nDSCP 48 moves to queue 1 (DWRR share 50) on swp1",
		},
	} {
		assert.Equal(t, c.want, effectsOf(c.old, c.next), c.name)
	}
}

// TestEffectsLaws: an equal value has no effect. Every effect names ports that differ, each port once. There is an effect on pauses
// exactly at the ports whose pauses differ.
func TestEffectsLaws(t *testing.T) {
	port := rapid.Custom(func(t *rapid.T) ir.PortSettings {
		p := ir.UnknownPort()
		p.PausesKnown = rapid.Bool().Draw(t, "known")
		p.Sends, p.Obeys = uint8(rapid.IntRange(0, 3).Draw(t, "sends")), uint8(rapid.IntRange(0, 3).Draw(t, "obeys"))
		p.TrustKnown, p.Trust.DSCP = rapid.Bool().Draw(t, "trusts"), rapid.Bool().Draw(t, "dscp")
		p.DSCP[3], p.Marks = int8(rapid.IntRange(-1, 2).Draw(t, "cos")), uint8(rapid.IntRange(0, 1).Draw(t, "marks"))
		return p
	})
	settings := rapid.Custom(func(t *rapid.T) *ir.Settings {
		rest := port.Draw(t, "rest")
		s := &ir.Settings{Rest: &rest}
		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"swp1", "swp2", "swp7", "swp8"}), rapid.ID).Draw(t, "named") {
			s.Set(name, port.Draw(t, name))
		}
		return s
	})
	cabled := []*ir.Port{ir.NewPort(&ir.Device{}, ir.PortSpec{Name: "swp1"}), ir.NewPort(&ir.Device{}, ir.PortSpec{Name: "swp2"})}
	rapid.Check(t, func(t *rapid.T) {
		a, b := settings.Draw(t, "a"), settings.Draw(t, "b")
		require.Empty(t, Effects(a, a, cabled))
		hit := map[string]bool{}
		for _, e := range Effects(a, b, cabled) {
			require.True(t, e.All != (e.Others || len(e.Ports) > 0), e.String())
			seen := map[string]bool{}
			for _, name := range e.Ports {
				require.False(t, seen[name], e.String())
				seen[name] = true
				require.Equal(t, e.Foreign, name != "swp1" && name != "swp2", e.String())
				require.NotEqual(t, *a.Port(name), *b.Port(name), e.String())
			}
			if e.Kind == LosslessBegins || e.Kind == LosslessEnds || e.Kind == PauseDirection {
				for _, name := range e.Ports {
					hit[name] = true
				}
				for _, name := range []string{"swp1", "swp2", "swp7", "swp8", "swp9"} {
					hit[name] = hit[name] || e.All
				}
				hit["swp9"] = hit["swp9"] || e.Others
			}
		}
		for _, name := range []string{"swp1", "swp2", "swp9"} {
			p, q := a.Port(name), b.Port(name)
			differ := p.PausesKnown && q.PausesKnown && (p.Sends != q.Sends || p.Obeys != q.Obeys)
			require.Equal(t, differ, hit[name], name)
		}
	})
}

// untold maps the fields whose changes have no effects to the reason.
var untold = map[ir.Field]string{
	ir.FieldSpeed: "rocec does not write it", ir.FieldMTU: "rocec does not write it", ir.FieldSystem: "it is another device then",
	ir.FieldPreset: "its values are told",
}

// TestEveryFieldHasAnEffect: for every field, a value that both sides know and that differs has an effect.
func TestEveryFieldHasAnEffect(t *testing.T) {
	told := map[ir.Field]bool{}
	missing := func() (out []ir.Field) {
		for _, f := range ir.Fields() {
			if detailKind(f) != "" && !told[f] {
				out = append(out, f)
			}
		}
		return out
	}
	one := func(t *rapid.T) {
		a, b := ir.UnknownPort(), ir.UnknownPort()
		a.Detail, b.Detail = ir.NewDetail(irtest.AnyDetail(t)), ir.NewDetail(irtest.AnyDetail(t))
		a.Stamps, b.Stamps = uint64(rapid.IntRange(0, 2).Draw(t, "stamps")), uint64(rapid.IntRange(0, 2).Draw(t, "stamps"))
		before, after := &ir.Settings{Rest: &a}, &ir.Settings{Rest: &b}
		has := map[ir.Field]bool{}
		for _, e := range Effects(before, after, nil) {
			has[e.Field], told[e.Field] = true, true
			require.NotContains(t, e.String(), "%!")
		}
		differ, _ := before.Differences(after)
		for _, d := range differ {
			require.True(t, has[d.Field] || untold[d.Field] != "" || d.Field == ir.FieldPauses, "%s: %s, %s", d.Field, d.A, d.B)
		}
	}
	for round := 0; round < 1 || round < 50 && len(missing()) > 0; round++ {
		rapid.Check(t, one)
	}
	assert.Empty(t, missing(), "never drawn")
}
