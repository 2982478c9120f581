package settings_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/settings"
)

// fleet has switches of one model by name, each with a change of the settings of roce.
type fleet map[string]func(w *world)

// compare judges a fleet in a random order. Places are lines of files with the names of the switches: the port's number, and the index.
func (f fleet) compare() diag.List {
	var into sink
	var all []*settings.Reading
	for name, change := range f {
		s := &ir.Settings{Pools: map[string]ir.Pool{}}
		s.System.Model = ir.Of("sn2700")
		s.Set("swp1", roce(func(p *ir.PortSettings, d *ir.PortDetail) {
			if change != nil {
				change(&world{s, p, d, &d.Groups[3], &d.Queues[3]})
			}
		}))
		at := diag.Range{Filename: name}
		all = append(all, &settings.Reading{
			Name: name, Settings: settings.Sample(s), At: at, Pair: map[bool]string{true: "pair"}[strings.HasPrefix(name, "pair-")],
			Where: func(port string, f ir.Field, index int) (diag.Range, bool) {
				at := at
				at.Start.Line = int(f)
				return at, port != ""
			},
		})
	}
	settings.Compare(all, &into)
	return into.List
}

// told returns the findings as text.
func (f fleet) told() (out []string) {
	for _, d := range f.compare() {
		out = append(out, d.Code+" "+d.At.Filename+": "+d.Detail)
	}
	return out
}

// second adds a kind of ports to the switch.
func second(change func(p *ir.PortSettings, d *ir.PortDetail)) func(w *world) {
	return func(w *world) { w.s.Set("swp2", roce(change)) }
}

func pfc(mask uint8) func(w *world) { return func(w *world) { w.p.Sends, w.p.Obeys = mask, mask } }

func ports(mask uint8) func(p *ir.PortSettings, d *ir.PortDetail) {
	return func(p *ir.PortSettings, _ *ir.PortDetail) { p.Sends, p.Obeys = mask, mask }
}

// TestPairDiffers: two switches of one MLAG have a finding for settings that do not concern classes, if each has a value that the other
// lacks.
func TestPairDiffers(t *testing.T) {
	min := func(n int) func(w *world) { return func(w *world) { w.q.MarkMin = ir.Of(n) } }
	headroom := func(n int) func(w *world) { return func(w *world) { w.g.Headroom = ir.Of(n) } }
	const pair = "pair-"
	for _, c := range []struct {
		name string
		of   fleet
		want []string
	}{
		{"alike", fleet{pair + "a": nil, pair + "b": nil}, nil},
		{"none of an MLAG", fleet{"a": nil, "b": min(1_000)}, nil},
		{"one of an MLAG", fleet{pair + "a": nil, "b": min(1_000)}, nil},
		{"marking", fleet{pair + "a": nil, pair + "b": min(1_000)}, []string{
			"pair-b: The switches pair-a and pair-b are the two of an MLAG, and one setting differs: ECN marking of queue 3, from: 1000 bytes, " +
				"and 150000 bytes at pair-a. A packet of a bond can reach either of them. Give both the same setting.",
		}},
		{"headroom and marking", fleet{pair + "a": headroom(70_000), pair + "b": min(1_000)}, []string{
			"pair-b: The switches pair-a and pair-b are the two of an MLAG, and one setting differs: headroom",
			"pair-b: The switches pair-a and pair-b are the two of an MLAG, and one setting differs: ECN marking",
		}},
		{"a further kind of ports", fleet{pair + "a": nil, pair + "b": second(func(_ *ir.PortSettings, d *ir.PortDetail) {
			d.Queues[3].MarkMin = ir.Of(1_000)
		})}, nil},
		{"not known", fleet{pair + "a": nil, pair + "b": func(w *world) { w.q.MarkMin = unknown(1_000) }}, nil},
		{"other cables", fleet{pair + "a": nil, pair + "b": with(headroom(70_000), func(w *world) { w.d.Cable = ir.Of(40) })}, nil},
		{"no PFC", fleet{pair + "a": nil, pair + "b": with(min(1_000), off)}, nil},
	} {
		var got []string
		for _, one := range c.of.told() {
			if text, is := strings.CutPrefix(one, "conf-pair-differs "); is {
				got = append(got, text)
			}
		}
		if assert.Len(t, got, len(c.want), "%s: %q", c.name, got) {
			for i, want := range c.want {
				assert.True(t, strings.HasPrefix(got[i], want), "%s: %q", c.name, got[i])
			}
		}
	}
}

// TestDisagree: switches agree if ports of both have equal settings, or by a third switch. An unknown setting agrees with all.
func TestDisagree(t *testing.T) {
	trust := func(trust ir.Trust) func(w *world) { return func(w *world) { w.p.Trust = trust } }
	dscp := func(v int, cos int8) func(w *world) { return func(w *world) { w.p.DSCP[v] = cos } }
	const about = "The switches disagree about "
	for _, c := range []struct {
		name string
		of   fleet
		want []string // switch: beginning of the text
	}{
		{"one", fleet{"a": nil}, nil},
		{"alike", fleet{"a": nil, "b": nil}, nil},
		{"priorities", fleet{"a": nil, "b": pfc(1 << 4)}, []string{"b: " + about + "PFC: priority 3 at a; priority 4 at b. If"}},
		{"more priorities", fleet{"a": nil, "b": pfc(3 << 3)}, []string{
			"b: " + about + "PFC: priority 3 at a; the priorities 3,4 at b. If",
		}},
		{"none", fleet{"a": nil, "b": off}, []string{"a: " + about + "PFC: priority 3 at a; no priority at b. If"}},
		{"one of three has none", fleet{"a": nil, "b": off, "c": nil}, []string{
			"b: " + about + "PFC: priority 3 at a and c; no priority at b. If",
		}},
		{"pauses one way", fleet{"a": nil, "b": func(w *world) { w.p.Obeys = 0 }}, nil},
		{"pauses the other way", fleet{"a": nil, "b": func(w *world) { w.p.Sends = 0 }}, nil},
		{"link pause", fleet{"a": nil, "b": pause}, []string{"b: " + about + "PFC: priority 3 at a; link pause instead at b. If"}},
		{"PFC or link pause", fleet{
			"a": second(func(p *ir.PortSettings, _ *ir.PortDetail) { p.LinkPause, p.Sends, p.Obeys = true, 0xff, 0xff }), "b": pause, "c": off,
		}, []string{"c: " + about + "PFC: priority 3 or link pause at a and b; no priority at c. If"}},
		{"link pause on both", fleet{"a": pause, "b": pause}, nil},
		{"not known", fleet{"a": nil, "b": func(w *world) { w.p.PausesKnown = false }}, nil},
		{"not known at ports without", fleet{"a": nil, "b": with(off, second(func(p *ir.PortSettings, _ *ir.PortDetail) {
			p.PausesKnown = false
		}))}, nil},
		{"not known at ports beside", fleet{
			"a": nil, "b": second(func(p *ir.PortSettings, _ *ir.PortDetail) { p.PausesKnown, p.Sends, p.Obeys = false, 1<<4, 1<<4 }),
		}, nil},
		{"another priority beside ports that are not known", fleet{
			"a": nil, "b": with(pfc(1<<4), second(func(p *ir.PortSettings, _ *ir.PortDetail) { p.PausesKnown = false })),
		}, []string{"b: " + about + "PFC: priority 3 at a; priority 4 at b."}},
		{"ports without PFC beside", fleet{"a": second(ports(0)), "b": nil}, nil},
		{"ports without PFC beside, and none", fleet{"a": second(ports(0)), "b": off}, []string{
			"a: " + about + "PFC: priority 3 at a; no",
		}},
		{"both by a spine", fleet{"leaf1": nil, "leaf2": pfc(1 << 4), "spine": second(ports(1 << 4))}, nil},
		{"both by a spine that comes first", fleet{"leaf1": nil, "leaf2": pfc(1 << 4), "a": second(ports(1 << 4))}, nil},
		{"two spines for three", fleet{
			"leaf1": nil, "leaf2": pfc(1 << 4), "leaf3": pfc(1 << 5), "spine1": second(ports(1 << 4)),
			"spine2": with(pfc(1<<4), second(ports(1<<5))),
		}, nil},
		{"a spine for two of three", fleet{"leaf1": nil, "leaf2": pfc(1 << 4), "leaf3": pfc(1 << 5), "spine1": second(ports(1 << 4))}, []string{
			"leaf3: " + about + "PFC: the priorities 3,4 at leaf[1-2] and spine1; priority 5 at leaf3. If",
		}},
		{"two spines for two of three", fleet{
			"leaf1": nil, "leaf2": pfc(1 << 4), "leaf3": pfc(1 << 5), "spine1": second(ports(1 << 4)), "spine2": second(ports(1 << 4)),
		}, []string{"leaf3: " + about + "PFC: the priorities 3,4 at leaf[1-2] and spine[1-2]; priority 5 at leaf3. If"}},
		{"many", fleet{"a": pfc(1), "b": pfc(2), "c": pfc(4), "d": pfc(8), "e": pfc(16), "f": pfc(32), "g": pfc(32)}, []string{
			"e: " + about + "PFC: priority 5 at f and g; priority 0 at a; priority 1 at b; priority 2 at c; " +
				"others at 2 further groups of switches. If",
		}},
		{"four", fleet{"a": pfc(1), "b": pfc(2), "c": pfc(4), "d": pfc(8)}, []string{
			"d: " + about + "PFC: priority 0 at a; priority 1 at b; priority 2 at c; priority 3 at d. If",
		}},
		{"five", fleet{"a": pfc(1), "b": pfc(2), "c": pfc(4), "d": pfc(8), "e": pfc(16)}, []string{
			"e: " + about + "PFC: priority 0 at a; priority 1 at b; priority 2 at c; priority 3 at d; others at 1 further group of switches. If",
		}},
		{"trust", fleet{"a": nil, "b": trust(ir.Trust{PCP: true})}, []string{
			"b: " + about + "trust: ports with PFC sort packets by DSCP at a; by PCP at b. If",
		}},
		{"no trust", fleet{"a": nil, "b": trust(ir.Trust{})}, []string{
			"a: " + about + "trust: ports with PFC sort packets by DSCP at a; by no field at b. If",
		}},
		{"trust of both fields", fleet{"a": nil, "b": trust(ir.Trust{PCP: true, DSCP: true})}, nil},
		{"trust of both fields beside none", fleet{"a": trust(ir.Trust{}), "b": trust(ir.Trust{PCP: true, DSCP: true})}, []string{
			"b: " + about + "trust: ports with PFC sort packets by no field at a; by DSCP and PCP at b. If",
		}},
		{"trust not known", fleet{"a": nil, "b": func(w *world) { w.p.Trust, w.p.TrustKnown = ir.Trust{PCP: true}, false }}, nil},
		{"trust under link pause", fleet{"a": pause, "b": with(pause, trust(ir.Trust{PCP: true}))}, nil},
		{"trust without PFC", fleet{"a": off, "b": with(off, trust(ir.Trust{PCP: true}))}, nil},
		{"trust at ports without PFC", fleet{"a": nil, "b": second(func(p *ir.PortSettings, _ *ir.PortDetail) {
			p.Trust, p.Sends, p.Obeys = ir.Trust{PCP: true}, 0, 0
		})}, nil},
		{"lossless DSCP", fleet{"a": nil, "b": dscp(26, 4)}, []string{"b: " + about + "DSCP 26: the class is cos 3 at a; cos 4 at b. If"}},
		{"lossless DSCP in cos 0", fleet{"a": nil, "b": dscp(26, 0)}, []string{
			"a: " + about + "DSCP 26: the class is cos 3 at a; cos 0 at b. If",
		}},
		{"cos 0 is lossless", fleet{"a": pfc(1), "b": with(pfc(1), dscp(9, 2))}, []string{
			"b: " + about + "DSCP 9: the class is cos 0 at a; cos 2 at b",
		}},
		{"several DSCP", fleet{"a": with(dscp(24, 3), dscp(25, 3)), "b": nil}, []string{
			"a: " + about + "DSCP 24 and 25: the class is cos 3 at a; cos 0 at b. If",
		}},
		{"lossy DSCP", fleet{"a": nil, "b": dscp(48, 5)}, nil},
		{"DSCP not mapped", fleet{"a": nil, "b": dscp(26, -1)}, nil},
		{"DSCP by trust of PCP", fleet{
			"a": trust(ir.Trust{PCP: true, DSCP: true}), "b": with(dscp(26, 4), trust(ir.Trust{PCP: true})),
		}, nil},
		{"DSCP by no known trust", fleet{"a": nil, "b": func(w *world) { w.p.DSCP[26], w.p.TrustKnown = 4, false }}, nil},
		{"lossless by no trust", fleet{"a": trust(ir.Trust{PCP: true}), "b": with(dscp(26, 4), trust(ir.Trust{PCP: true}))}, nil},
		{"lossless by no known trust", fleet{
			"a": func(w *world) { w.p.TrustKnown = false }, "b": with(dscp(26, 4)),
		}, nil},
		{"lossless by no known trust alone", fleet{
			"a": func(w *world) { w.p.TrustKnown = false }, "b": dscp(26, 4), "c": dscp(26, 5),
		}, nil},
		{"lossless by trust of PCP alone", fleet{
			"a": trust(ir.Trust{PCP: true}), "b": with(dscp(26, 4), trust(ir.Trust{PCP: true, DSCP: true})),
			"c": with(dscp(26, 5), trust(ir.Trust{PCP: true, DSCP: true})),
		}, nil},
		{"lossless by pauses that are not known alone", fleet{
			"a": func(w *world) { w.p.PausesKnown = false }, "b": dscp(26, 4), "c": dscp(26, 5),
		}, nil},
		{"DSCP where pauses are not known", fleet{"a": nil, "b": func(w *world) { w.p.PausesKnown, w.p.DSCP[26] = false, 4 }}, []string{
			"b: " + about + "DSCP 26: the class is cos 3 at a; cos 4 at b. If",
		}},
		{"DSCP at ports whose pauses are not known", fleet{"a": nil, "b": with(dscp(26, -1), second(
			func(p *ir.PortSettings, _ *ir.PortDetail) { p.PausesKnown, p.DSCP[26] = false, 4 },
		))}, nil},
		{"DSCP under link pause", fleet{"a": pause, "b": with(pause, dscp(26, 4))}, nil},
		{"DSCP of no PFC", fleet{"a": off, "b": with(off, dscp(26, 4))}, nil},
		{"DSCP of pauses that are not known", fleet{
			"a": func(w *world) { w.p.PausesKnown = false }, "b": func(w *world) { w.p.PausesKnown, w.p.DSCP[26] = false, 4 },
		}, nil},
		{"two classes at one", fleet{"a": nil, "b": with(dscp(26, 4), second(nil))}, nil},
		{"two classes at one, and another", fleet{"a": dscp(26, 5), "b": with(dscp(26, 4), second(nil)), "c": nil}, []string{
			"a: " + about + "DSCP 26: the class is cos 3 or cos 4 at b and c; cos 5 at a. If",
		}},
		{"another class at ports without PFC", fleet{"a": nil, "b": second(func(p *ir.PortSettings, _ *ir.PortDetail) {
			p.DSCP[26], p.Sends, p.Obeys = 4, 0, 0
		})}, nil},
		{"names in a folder", fleet{"x/a": nil, "x/b": pfc(1 << 4)}, []string{"x/b: " + about + "PFC: priority 3 at a; priority 4 at b"}},
		{"two folders", fleet{"x/a": nil, "y/b": pfc(1 << 4)}, nil},
		{"each of two folders", fleet{"x/a": nil, "x/b": pfc(1 << 4), "y/c": nil, "y/d": off}, []string{"x/b: " + about, "y/c: " + about}},
		{"names of one kind", fleet{"x/a": nil, "x/b": pfc(1 << 4), "y/a": nil}, []string{
			"x/a: " + about + "PFC: priority 4 at b; priority 3 at x/a",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			told := c.of.told()
			require.Len(t, told, len(c.want), "%q", told)
			for i, want := range c.want {
				want = "conf-switches-disagree " + want
				assert.True(t, strings.HasPrefix(told[i], want), "%q\nis not\n%q", told[i], want)
			}
		})
	}
	found := fleet{"a": nil, "b": pfc(1 << 4), "c": pfc(1 << 5), "d": pfc(1 << 6), "e": pfc(1 << 7)}.compare()
	require.Len(t, found, 1)
	assert.Equal(t, int(ir.FieldPauses), found[0].At.Start.Line)
	require.Len(t, found[0].Notes, 3)
	assert.Equal(t, "of a: priority 3", found[0].Notes[0].Message)
	assert.Equal(t, diag.Warning, found[0].Severity)
}

// of16 returns sixteen switches with some changes.
func of16(change func(w *world), which ...int) fleet {
	f := fleet{}
	for n := 1; n <= 16; n++ {
		f[fmt.Sprintf("leaf%02d", n)] = nil
	}
	for _, n := range which {
		f[fmt.Sprintf("leaf%02d", n)] = change
	}
	return f
}

// TestDiffers: a switch that differs from its role in one value has a finding with that value. A switch that differs in several has none.
func TestDiffers(t *testing.T) {
	headroom := func(w *world) { w.g.Headroom = ir.Of(50_000) }
	share := func(w *world) { w.q.Share = ir.Of(9) }
	marks := func(w *world) { w.q.MarkMin = ir.Of(160_000) }
	everyShare := func(f fleet) fleet {
		for name, change := range f {
			f[name] = func(w *world) {
				w.q.Share = ir.Of(50)
				if change != nil {
					change(w)
				}
			}
		}
		return f
	}
	is := func(f ir.Field, what string) string {
		return "conf-switch-differs leaf07: One setting of leaf07 differs from the other 15 switches whose names, systems and models are " +
			"alike: " + f.String() + what
	}
	three := func(change func(w *world)) fleet { return fleet{"leaf1": nil, "leaf2": nil, "leaf3": change} }
	for _, c := range []struct {
		name string
		of   fleet
		want []string
	}{
		{"alike", of16(nil), nil},
		{"headroom", of16(headroom, 7), []string{is(ir.FieldHeadroom, " of priority group 3: 50000 bytes, and 60000 bytes there. Unless")}},
		{"of three", three(marks), []string{"conf-switch-differs leaf3: One setting of leaf3 differs from the other 2 switches whose"}},
		{"of two", fleet{"leaf1": nil, "leaf2": marks}, nil},
		{"two of three", fleet{"leaf1": nil, "leaf2": marks, "leaf3": marks}, []string{"conf-switch-differs leaf1"}},
		{"each of three", fleet{"leaf1": nil, "leaf2": marks, "leaf3": func(w *world) { w.q.MarkMin = ir.Of(9) }}, nil},
		{"two of sixteen", of16(marks, 3, 7), []string{
			"conf-switch-differs leaf03: One setting of leaf[03,07] differs from the other 14 switches",
		}},
		{"three of sixteen", of16(marks, 3, 7, 9), nil},
		{"two in their own ways", func() fleet { f := of16(marks, 3); f["leaf07"] = headroom; return f }(), []string{
			"conf-switch-differs leaf03", is(ir.FieldHeadroom, ""),
		}},
		{"two settings", of16(with(headroom, marks), 7), nil},
		{"two values of a setting", of16(func(w *world) { w.q.MarkMin, w.q.MarkMax = ir.Of(160_000), ir.Of(1_600_000) }, 7), []string{
			is(ir.FieldMarking, " of queue 3, from: 160000 bytes, and 150000 bytes there. 1 further value of the setting differs, too. Unless"),
		}},
		{"a value that the others do not state", of16(share, 7), nil},
		{"a value that two others state", func() fleet { f := of16(share, 7); f["leaf01"], f["leaf02"] = share, share; return f }(), nil},
		{"a share", everyShare(of16(share, 7)), []string{is(ir.FieldShare, " of queue 3: 9, and 50 there. Unless")}},
		{"by default", of16(func(w *world) { w.q.MarkMin = ir.ByDefault(150_000) }, 7), nil},
		{"other names", fleet{"leaf1": nil, "leaf2": nil, "border3": marks}, nil},
		{"names of two numbers", fleet{"r1leaf1": nil, "r2leaf10": nil, "r10leaf2": marks}, []string{"conf-switch-differs r10leaf2"}},
		{"names of 0 and 9", fleet{"leaf0": nil, "leaf9": nil, "leaf90": marks}, []string{"conf-switch-differs leaf90"}},
		{"other names of one length", fleet{"leaf1": nil, "leaf2": nil, "edge3": marks}, nil},
		{"names with other marks", fleet{"leaf-1": nil, "leaf-2": nil, "leaf.3": marks}, nil},
		{"a name without a number", fleet{"leaf1": nil, "leaf2": nil, "leaf": marks}, nil},
		{"a name that ends in a mark", fleet{"leaf-1": nil, "leaf-2": nil, "leaf-": marks}, nil},
		{"names of digits", fleet{"0a": nil, "19a": nil, "2a": marks}, []string{"conf-switch-differs 2a"}},
		{"names without digits", fleet{"a/": nil, "a:": nil, "a": marks}, nil},
		{"another model", of16(with(marks, func(w *world) { w.s.System.Model = ir.Of("sn2410") }), 7), nil},
		{"another SKU", of16(with(marks, func(w *world) { w.s.System.SKU = ir.Of("x") }), 7), nil},
		{"another system", of16(with(marks, func(w *world) { w.s.System.OS = ir.Of("x") }), 7), nil},
		{"no model", fleet{"leaf1": bare(nil), "leaf2": bare(nil), "leaf3": bare(marks)}, []string{
			"conf-switch-differs leaf3: One setting of leaf3 differs from the other 2 switches whose names and systems are alike: ",
		}},
		{"without PFC", fleet{"leaf1": off, "leaf2": off, "leaf3": with(off, marks)}, nil},
		{"at ports without PFC", of16(second(func(p *ir.PortSettings, d *ir.PortDetail) {
			p.Sends, p.Obeys, d.Queues[3].MarkMin = 0, 0, ir.Of(9)
		}), 7), nil},
		{"at other ports", of16(second(func(_ *ir.PortSettings, d *ir.PortDetail) { d.Queues[3].MarkMin = ir.Of(9) }), 7), []string{
			is(ir.FieldMarking, " of queue 3, from: 9 bytes, and 150000 bytes there"),
		}},
		{"beside two usual values", every(second(func(_ *ir.PortSettings, d *ir.PortDetail) { d.Queues[3].MarkMin = ir.Of(9) }), func(w *world) {
			w.s.Set("swp3", roce(func(_ *ir.PortSettings, d *ir.PortDetail) { d.Queues[3].MarkMin = ir.Of(8) }))
		}), []string{is(ir.FieldMarking, " of queue 3, from: 8 bytes, and 150000 bytes there")}},
		{"no ports of a kind", func() fleet {
			f := of16(nil, 7)
			for name := range f {
				if name != "leaf07" {
					f[name] = second(func(_ *ir.PortSettings, d *ir.PortDetail) { d.Queues[3].MarkMin = ir.Of(9) })
				}
			}
			return f
		}(), nil},
		{"headroom of another cable", of16(with(headroom, func(w *world) { w.d.Cable = ir.Of(4) }), 7), nil},
		{"headroom of another speed", of16(with(headroom, func(w *world) { w.d.Speed = ir.Of[int64](50e9) }), 7), nil},
		{"marks of another cable", of16(with(marks, func(w *world) { w.d.Cable = ir.Of(4) }), 7), []string{is(ir.FieldMarking, "")}},
		{"marks of another speed", of16(with(marks, func(w *world) { w.d.Speed = ir.Of[int64](50e9) }), 7), nil},
		{"rates of another speed", everyRate(func(w *world) {
			w.d.Speed, w.d.Shaper = ir.Of[int64](50e9), ir.Of[int64](8)
			w.q.MinRate, w.q.MaxRate = ir.Of[int64](8), ir.Of[int64](8)
		}), nil},
		{"a shaper", everyRate(func(w *world) { w.d.Shaper = ir.Of[int64](8) }), []string{
			is(ir.FieldShaper, ": 8 bit/s, and 0 bit/s there"),
		}},
		{
			"share of another speed and cable", everyShare(of16(with(share, func(w *world) {
				w.d.Speed, w.d.Cable = ir.Of[int64](50e9), ir.Of(4)
			}), 7)),
			[]string{is(ir.FieldShare, "")},
		},
		{"sizes of one setting", everySize(func(w *world) {
			w.g.Buffer, w.g.Xoff, w.g.Xon, w.g.Headroom = ir.Of(9), ir.Of(9), ir.Of(9), ir.Of(9)
		}), []string{
			is(ir.FieldBuffer, " of priority group 3: 9 bytes, and 80000 bytes there. 3 further values of the setting differ, too."),
		}},
		{"WRED of one setting", of16(func(w *world) {
			w.q.Drop, w.q.ECN = ir.Of(true), ir.Of(false)
		}, 7), []string{is(ir.FieldMarking, " of queue 3: off, and on there. 1 further value")}},
		{"fate of one setting", func() fleet {
			f := of16(nil)
			for name := range f {
				f[name] = func(w *world) {
					if w.q.Unmarkable = ir.Of(ir.Passed); name == "leaf07" {
						w.q.Unmarkable, w.q.Drop = ir.Of(ir.Dropped), ir.Of(true)
					}
				}
			}
			return f
		}(), []string{is(ir.FieldUnmarkable, " of queue 3: dropped, and queued there. 1 further value")}},
		{"strict of one setting", everyShare(of16(func(w *world) { w.q.Strict, w.q.Share = ir.Of(true), ir.Of(0) }, 7)), []string{
			is(ir.FieldStrict, " of queue 3: on, and off there. 1 further value"),
		}},
		{"all cables differ", func() fleet {
			f := of16(headroom, 7)
			for name, change := range f {
				f[name] = func(w *world) {
					w.d.Cable = ir.Of(int(name[5]) + 256*int(name[4]))
					if change != nil {
						change(w)
					}
				}
			}
			return f
		}(), nil},
		{"a pool", of16(func(w *world) { w.s.Pools["i"] = ir.Pool{Size: ir.Of(8), Mode: ir.Of(ir.PoolStatic)} }, 7), nil},
		{"the size of a pool", pools(), []string{
			is(ir.FieldPool, "")[:len(is(ir.FieldPool, ""))-len("pool")] + "size of the pool i: 8 bytes, and 9 bytes there",
		}},
		{"notifications", of16(func(w *world) { w.p.DSCP[48] = 5 }, 7), []string{is(ir.FieldDSCP, " of DSCP 48: cos 5, and cos 6 there")}},
		{"MTU", three(func(w *world) { w.d.MTU = ir.Of(1500) }), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			told := c.of.told()
			require.Len(t, told, len(c.want), "%q", told)
			for i, want := range c.want {
				assert.True(t, strings.HasPrefix(told[i], want), "%q\nis not\n%q", told[i], want)
			}
		})
	}
	found := of16(headroom, 7).compare()
	assert.Equal(t, diag.Notice, found[0].Severity)
	assert.Equal(t, int(ir.FieldHeadroom), found[0].At.Start.Line)
	require.Len(t, found[0].Notes, 1)
	assert.Equal(t, "leaf01", found[0].Notes[0].At.Filename)
	assert.Equal(t, int(ir.FieldHeadroom), found[0].Notes[0].At.Start.Line)
	assert.Equal(t, "of leaf01: 60000 bytes", found[0].Notes[0].Message)
	for name, change := range map[string]func(w *world){
		"trust":            func(w *world) { w.p.Trust = ir.Trust{PCP: true} },
		"PFC":              pfc(1 << 4),
		"link pause":       func(w *world) { w.p.LinkPause = true },
		"a lossless class": func(w *world) { w.p.DSCP[26] = 4 },
		"a class that is lossless at this switch alone": func(w *world) { w.p.DSCP[27] = 3 },
	} {
		for _, told := range of16(change, 7).told() {
			assert.True(t, strings.HasPrefix(told, "conf-switches-disagree"), "%s: %s", name, told)
		}
	}
}

func bare(change func(w *world)) func(w *world) {
	return func(w *world) {
		if w.s.System.Model = (ir.Setting[string]{}); change != nil {
			change(w)
		}
	}
}

// every applies a change to all switches of of16 except the seventh.
func every(set, change func(w *world)) fleet {
	f := of16(nil)
	for name := range f {
		if f[name] = set; name == "leaf07" {
			f[name] = with(set, change)
		}
	}
	return f
}

func everyRate(change func(w *world)) fleet {
	return every(func(w *world) {
		w.d.Shaper, w.q.MinRate, w.q.MaxRate = ir.Of[int64](0), ir.Of[int64](0), ir.Of[int64](0)
	}, change)
}

func everySize(change func(w *world)) fleet {
	return every(func(w *world) { w.g.Buffer, w.g.Xoff, w.g.Xon = ir.Of(80_000), ir.Of(20_000), ir.Of(18_000) }, change)
}

func pools() fleet {
	return every(func(w *world) { w.s.Pools["i"] = ir.Pool{Size: ir.Of(9)} }, func(w *world) { w.s.Pools["i"] = ir.Pool{Size: ir.Of(8)} })
}

// TestManyVariants: a role with more variants than the rule compares has one note; 256 variants have none.
func TestManyVariants(t *testing.T) {
	for _, n := range []int{256, 257} {
		f := fleet{}
		for i := range n {
			f[fmt.Sprintf("leaf%d", i)] = func(w *world) { w.q.MarkMin = ir.Of(1 + i) }
		}
		assert.Len(t, f.told(), n-256)
	}
}

// TestWithoutPlaces: a switch without known settings agrees with all, and a finding without a place is at the top of a file.
func TestWithoutPlaces(t *testing.T) {
	s := &ir.Settings{}
	s.Set("swp1", roce(nil))
	a := &settings.Reading{Name: "a", Settings: s, At: diag.Range{Filename: "a"}}
	var into sink
	settings.Compare([]*settings.Reading{a, {Name: "b", Settings: &ir.Settings{}}}, &into)
	assert.Empty(t, into.List)
	other := &ir.Settings{}
	other.Set("swp1", roce(ports(1<<4)))
	b := &settings.Reading{Name: "b", Settings: other, At: diag.Range{Filename: "b"}}
	for _, where := range []func(port string, f ir.Field, index int) (diag.Range, bool){
		nil,
		func(string, ir.Field, int) (diag.Range, bool) { return diag.Range{}, true },
		func(string, ir.Field, int) (diag.Range, bool) { return diag.Range{Filename: "x"}, false },
	} {
		b.Where = where
		into = sink{}
		settings.Compare([]*settings.Reading{a, b}, &into)
		require.Len(t, into.List, 1)
		assert.Equal(t, "b", into.List[0].At.Filename)
	}
}

// TestSample: Compare has equal findings for settings with one port of each kind and for complete ones.
func TestSample(t *testing.T) {
	rest := roce(ports(0))
	s := &ir.Settings{Rest: &rest}
	for i := range 40 {
		s.Set(fmt.Sprintf("swp%d", 10+i), roce(ports(uint8(1<<(i%2)))))
	}
	s.Ports["swp9"] = s.Rest
	of := settings.Sample(s)
	assert.Len(t, of.Ports, 3)
	assert.Same(t, s.Ports["swp10"], of.Ports["swp10"])
	assert.Same(t, s.Ports["swp11"], of.Ports["swp11"])
	assert.Same(t, s.Rest, of.Rest)
	assert.Empty(t, settings.Sample(&ir.Settings{}).Ports)
}

// TestAnyFleet: no settings make a rule about several switches fail, and the order of switches changes nothing.
func TestAnyFleet(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var all []*settings.Reading
		for i := range 2 + r.IntN(6) {
			all = append(all, &settings.Reading{Name: fmt.Sprintf("a%d", i), Settings: random(r)})
		}
		var first, again sink
		settings.Compare(all, &first)
		r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		settings.Compare(all, &again)
		require.Len(t, again.List, len(first.List))
		for i, d := range first.List {
			require.Equal(t, d.Detail, again.List[i].Detail)
			require.Regexp(t, `^[A-Z].*\.$`, d.Detail)
			require.NotContains(t, d.Detail, "%!")
		}
	}
}
