package deploy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// says formats a sample as "NAME ON N".
func says(s target.Sample) target.Sample {
	s.Says = func(n uint64) string { return fmt.Sprintf("%s %s %d", s.Name, s.On, n) }
	return s
}

func drops(on string, n uint64) target.Sample {
	return says(target.Sample{Name: "drops", On: on, Value: n, Unit: target.UnitPackets, Counter: true})
}

func silent(on string, n uint64) target.Sample {
	return target.Sample{Name: "pauses", On: on, Value: n, Unit: target.UnitFrames, Counter: true}
}

func starts(n uint64) target.Sample {
	return says(target.Sample{Name: "start", Value: n, Unit: target.UnitMicroseconds, Counter: true, Hard: true})
}

func link(on string, up bool) target.Sample { return target.Gauge("link", on, up, on+" has no link.") }

func TestSamples(t *testing.T) {
	type list = []target.Sample
	for _, c := range []struct {
		name              string
		before, now       list
		lost, moved, rose string
	}{
		{"nothing", nil, nil, "", "", ""},
		{"nothing changed", list{link("a", true), drops("a", 3), starts(7)}, list{link("a", true), drops("a", 3), starts(7)}, "", "", ""},
		{"a link is lost", list{link("a", true), link("b", true)}, list{link("a", false), link("b", true)}, "a has no link.", "", ""},
		{"a link cannot be read any more", list{link("a", true)}, nil, "a has no link.", "", ""},
		{"a link was down before", list{link("a", false)}, list{link("a", false)}, "", "", ""},
		{"nobody knew of the link", nil, list{link("a", false)}, "", "", ""},
		{"a link comes", list{link("a", false)}, list{link("a", true)}, "", "", ""},
		{"a daemon started again", list{starts(7)}, list{starts(9)}, "", "start  2", ""},
		{"its start was unknown", nil, list{starts(9)}, "", "", ""},
		{"its start cannot be read any more", list{starts(7)}, nil, "", "", ""},
		{"a counter rose", list{drops("a", 3), drops("b", 3)}, list{drops("a", 3), drops("b", 5)}, "", "", "drops b 2"},
		{"a counter began anew", list{drops("a", 30)}, list{drops("a", 4)}, "", "", "drops a 4"},
		{"and nothing happened since", list{drops("a", 30)}, list{drops("a", 0)}, "", "", ""},
		{"a counter that was not known", list{drops("b", 1)}, list{drops("a", 4)}, "", "", ""},
		{"without words", list{silent("a", 1)}, list{silent("a", 4)}, "", "", "pauses a 3"},
	} {
		var rose []string
		for _, r := range deploy.Rose(c.before, c.now) {
			if r.Says == "" {
				rose = append(rose, fmt.Sprint(r.Name, " ", r.On, " ", r.By))
			} else {
				rose = append(rose, r.Says)
			}
		}
		assert.Equal(t, c.lost, strings.Join(deploy.Lost(c.before, c.now), "|"), c.name)
		assert.Equal(t, c.moved, strings.Join(deploy.Moved(c.before, c.now), "|"), c.name)
		assert.Equal(t, c.rose, strings.Join(rose, "|"), c.name)
	}
	evil := target.Gauge("link", "a", true, "\x1b[31m is gone")
	assert.NotContains(t, deploy.Lost([]target.Sample{evil}, nil)[0], "\x1b")
}

// TestSampleLaws: between a read and itself, no sample is lost, moved or risen. For three reads, the two rises add up to the rise between
// the first and the last read, unless a counter was reset. The order within a read does not matter.
func TestSampleLaws(t *testing.T) {
	draw := func(t *rapid.T, label string) []target.Sample {
		var out []target.Sample
		for i := range 6 {
			on := string(rune('a' + i%3))
			n := rapid.Uint64Range(0, 5).Draw(t, label)
			switch {
			case rapid.IntRange(0, 4).Draw(t, label) == 0: // not known
			case i < 3:
				out = append(out, link(on, n > 2))
			default:
				out = append(out, drops(on, n))
			}
		}
		return out
	}
	by := func(rises []deploy.Rise) map[string]uint64 {
		m := map[string]uint64{}
		for _, r := range rises {
			m[r.On] = r.By
		}
		return m
	}
	values := func(samples []target.Sample) map[string]uint64 {
		m := map[string]uint64{}
		for _, s := range samples {
			if s.Counter {
				m[s.On] = s.Value
			}
		}
		return m
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := draw(t, "a"), draw(t, "b"), draw(t, "c")
		require.Empty(t, deploy.Lost(a, a))
		require.Empty(t, deploy.Moved(a, a))
		require.Empty(t, deploy.Rose(a, a))
		va, vb, vc := values(a), values(b), values(c)
		ab, bc, ac := by(deploy.Rose(a, b)), by(deploy.Rose(b, c)), by(deploy.Rose(a, c))
		for on, x := range va {
			y, knownB := vb[on]
			z, knownC := vc[on]
			if knownB && knownC && x <= y && y <= z {
				require.Equal(t, ac[on], ab[on]+bc[on])
			}
		}
		shuffled := rapid.Permutation(b).Draw(t, "shuffled")
		require.ElementsMatch(t, deploy.Lost(a, b), deploy.Lost(a, shuffled))
		require.Equal(t, by(deploy.Rose(a, b)), by(deploy.Rose(a, shuffled)))
	})
}

// TestBase tests the base of samples, and the findings relative to the base.
func TestBase(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	kept := &deploy.Kept{At: noon, Boot: "one", Samples: []target.Sample{ // as read from a file
		{Name: "drops", On: "a", Value: 10}, {Name: "link", On: "a", Value: 1}, {Name: "pauses", On: "a", Value: 10},
	}}
	have := func(boot string) *deploy.Have {
		down := link("a", false)
		return &deploy.Have{Boot: boot, Uptime: 90, Probes: []deploy.Judged{
			{Name: "links", Samples: []target.Sample{down}, Wrong: []string{down.Says(0)}},
			{Name: "counters", Samples: []target.Sample{drops("a", 12), silent("a", 11), starts(5)}},
			{Name: "neighbours", Samples: []target.Sample{target.Gauge("neighbour", "", false, "it is gone.")}},
		}}
	}
	judge := func(b deploy.Base, h *deploy.Have) string {
		probes, rose := b.Judge(h.Probes)
		var out []string
		for _, p := range probes {
			for _, w := range p.Wrong {
				out = append(out, p.Name+": "+w)
			}
		}
		for _, r := range rose {
			out = append(out, fmt.Sprintf("%s+%d %s", r.Name, r.By, r.Unit))
		}
		return strings.Join(out, "|")
	}
	h := have("one")
	b := deploy.NewBase(deploy.SinceLast, kept, h, noon.Add(time.Hour))
	assert.Equal(t, deploy.SinceLast, b.Since)
	assert.Equal(t, time.Hour, b.Ago)
	const since = "links: a has no link.|counters: drops a 2|drops+2 packets|pauses+1 frames"
	assert.Equal(t, since, judge(b, h), "a lost link is reported once")
	assert.Equal(t, since, judge(b, h), "judging changes nothing")
	assert.Len(t, h.Probes[1].Wrong, 0)

	b = deploy.NewBase(deploy.SinceLast, kept, h, noon.Add(-time.Hour))
	assert.Zero(t, b.Ago, "the clock went back")

	const totals = "links: a has no link.|counters: drops a 12|drops+12 packets|pauses+11 frames"
	for _, c := range []struct {
		since deploy.Since
		kept  *deploy.Kept
		boot  string
	}{{deploy.SinceLast, kept, "two"}, {deploy.SinceBoot, nil, "one"}, {deploy.SinceRead, kept, "two"}} {
		h := have(c.boot)
		b := deploy.NewBase(c.since, c.kept, h, noon)
		assert.Equal(t, deploy.SinceBoot, b.Since)
		assert.Equal(t, 90*time.Second, b.Ago)
		assert.Equal(t, totals, judge(b, h), "a restart: the totals of the counters since then")
		assert.EqualValues(t, 12, h.Probes[1].Samples[0].Value, "the read is as it was")
	}

	kept.Samples = append(kept.Samples, target.Sample{Name: "neighbour", Value: 1})
	b = deploy.NewBase(deploy.SinceLast, kept, h, noon)
	assert.Contains(t, judge(b, h), "|neighbours: it is gone.|")
}
