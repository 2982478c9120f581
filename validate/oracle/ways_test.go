package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate"
)

// devicesOf reads "s[1-2], s4 and s7".
func devicesOf(t require.TestingT, f *ir.Fabric, text string) []*ir.Device {
	var out []*ir.Device
	for word := range strings.SplitSeq(strings.ReplaceAll(text, " and ", ", "), ", ") {
		set, mistakes := nodeset.Parse(word, nodeset.Devices)
		require.Empty(t, mistakes, text)
		for n := range set.All() {
			i := slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Name == n.Device })
			require.GreaterOrEqual(t, i, 0, "%s of %s", n.Device, text)
			out = append(out, f.Devices[i])
		}
	}
	return out
}

// ways parses the ways out in a report.
func ways(message string) []string {
	var out []string
	for line := range strings.SplitSeq(message, "\n") {
		if n, rest, ok := strings.Cut(line, ". "); ok {
			if _, err := strconv.Atoi(n); err == nil {
				out = append(out, rest)
			}
		}
	}
	return out
}

// unplug takes a cable out of the fabric.
func unplug(f *ir.Fabric, l *ir.Link) {
	f.Links = slices.DeleteFunc(f.Links, func(o *ir.Link) bool { return o == l })
	for i, l := range f.Links {
		l.ID = i
	}
	for _, p := range []*ir.Port{l.A(), l.B()} {
		f.Ports = slices.DeleteFunc(f.Ports, func(o *ir.Port) bool { return o == p })
		p.Device().Ports = slices.DeleteFunc(p.Device().Ports, func(o *ir.Port) bool { return o == p })
		for i, o := range p.Device().Ports {
			o.Index = i
		}
	}
	for i, p := range f.Ports {
		p.ID = i
	}
}

// part gives the members on some switches separate intents.
func part(f *ir.Fabric, on []*ir.Device) {
	for _, in := range slices.Clone(f.Intents) {
		own := &ir.Intent{Name: in.Name + "2", Version: in.Version, Group: in.Group, At: in.At}
		in.Members = slices.DeleteFunc(slices.Clone(in.Members), func(m *ir.Member) bool {
			if !slices.Contains(on, m.NIC.Port.Peer().Device()) {
				return false
			}
			own.Members = append(own.Members, m)
			m.NIC.Intents = []*ir.Intent{own}
			return true
		})
		f.Intents = append(f.Intents, own)
	}
}

// takeOut removes the NICs of a list from their intents.
func takeOut(t require.TestingT, f *ir.Fabric, list string) {
	for name := range strings.SplitSeq(strings.ReplaceAll(list, " and ", ", "), ", ") {
		out := 0
		for _, in := range f.Intents {
			in.Members = slices.DeleteFunc(slices.Clone(in.Members), func(m *ir.Member) bool {
				if m.NIC.Device.Name+":"+m.NIC.Name != name {
					return false
				}
				out++
				m.NIC.Intents = slices.DeleteFunc(slices.Clone(m.NIC.Intents), func(o *ir.Intent) bool { return o == in })
				return true
			})
		}
		require.Positive(t, out, name)
	}
}

var (
	tierOn = regexp.MustCompile(`tier = (\d+) on (.+?)(?:, tier|$)`)
	fewer  = regexp.MustCompile(`^let fewer members talk: .* those on (.+) are in a block of their own`)
	alone  = regexp.MustCompile(`^let fewer members talk: take (.+?) out of roce`)
	aCable = regexp.MustCompile(`^take out one cable of the circle, for example (\S+) - (\S+) \(`)
	keeps  = regexp.MustCompile(`^lossless = true on cos group "(.+?)"`)
)

// apply makes the change of a way out, and returns its kind.
func apply(t require.TestingT, f *ir.Fabric, way string) (kind string) {
	tiers, _, ok := strings.Cut(way, "; have the switches")
	switch {
	case ok && strings.HasPrefix(tiers, "tier = "):
		for {
			m := tierOn.FindStringSubmatch(tiers)
			if m == nil {
				break
			}
			n, err := strconv.Atoi(m[1])
			require.NoError(t, err)
			for _, d := range devicesOf(t, f, m[2]) {
				d.Switch.Tier = n
			}
			tiers = strings.TrimPrefix(tiers[len("tier = ")+len(m[1])+len(" on ")+len(m[2]):], ", ")
		}
		f.Routing = ir.UpDown
		return "tiers"
	case ok && strings.HasPrefix(tiers, "peer = true on "):
		for _, l := range f.Links {
			l.Peer = l.Peer || l.A().Device().Height() == l.B().Device().Height()
		}
		f.Routing = ir.UpDown
		return "peers"
	case strings.HasPrefix(way, "have the switches' routing never send traffic up again"):
		f.Routing = ir.UpDown
		return "up-down"
	case strings.Contains(way, "AS numbers (asn) shared between switches"):
		if strings.HasPrefix(way, "eBGP on the switches") {
			f.Routing = ir.EBGP
		}
		for i, d := range f.Devices {
			if d.Switch != nil {
				d.Switch.ASN = 1000 + i
			}
		}
		_, plan, _ := strings.Cut(way, "shared between switches: one for ")
		plan, _, _ = strings.Cut(plan, ", so that")
		plan, _, _ = strings.Cut(plan, ", and a different one")
		for i, set := range strings.Split(plan, ", one for ") {
			for _, d := range devicesOf(t, f, set) {
				d.Switch.ASN = 1 + i
			}
		}
		return "AS numbers"
	case aCable.MatchString(way):
		m := aCable.FindStringSubmatch(way)
		i := slices.IndexFunc(f.Links, func(l *ir.Link) bool { return l.A().String() == m[1] && l.B().String() == m[2] })
		require.GreaterOrEqual(t, i, 0)
		unplug(f, f.Links[i])
		return "cable"
	case strings.HasPrefix(way, "failures = "):
		_, err := fmt.Sscanf(way, "failures = %d", &f.Failures)
		require.NoError(t, err)
		return "failures"
	case fewer.MatchString(way):
		part(f, devicesOf(t, f, fewer.FindStringSubmatch(way)[1]))
		return "fewer members"
	case alone.MatchString(way):
		takeOut(t, f, alone.FindStringSubmatch(way)[1])
		return "fewer members"
	case strings.HasPrefix(way, "bounce = cos_group.bulk on "), strings.HasPrefix(way, "a separate lossless cos group"):
		into := f.CosGroups[slices.IndexFunc(f.CosGroups, func(g *ir.CosGroup) bool { return g.Name == "bulk" })]
		from := f.CosGroups[0]
		if !strings.HasPrefix(way, "bounce") {
			g := &ir.CosGroup{Name: "own", Cos: 5, Lossless: true, Bounce: into}
			f.CosGroups = append(f.CosGroups, g)
			for _, p := range f.Ports {
				if p.Carries(from) != nil {
					p.SetBuffers(append(slices.Clone(p.Buffers()), &ir.Buffer{Group: g}))
				}
			}
			into = g
		}
		from.Bounce = into
		return "bounce"
	case keeps.MatchString(way):
		keep := keeps.FindStringSubmatch(way)[1]
		for _, g := range f.CosGroups {
			g.Lossless = g.Lossless && g.Name == keep
		}
		for _, p := range f.Ports {
			p.SetBuffers(slices.DeleteFunc(slices.Clone(p.Buffers()), func(b *ir.Buffer) bool { return !b.Group.Lossless }))
		}
		return "one lossless group"
	case strings.HasPrefix(way, "run spanning tree on every link"):
		f.Routing = ir.SpanningTree
		return "spanning tree"
	case strings.HasPrefix(way, "allow_deadlock"):
		return ""
	}
	require.Fail(t, "a way out that a person cannot apply", way)
	return ""
}

// errorsOf returns the codes of errors.
func errorsOf(r validate.Findings) map[string]bool {
	out := map[string]bool{}
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error {
			out[d.Code] = true
		}
	}
	return out
}

// distances returns the number of cables of the shortest flow between every two members, by enumerating paths. Flows over one switch only
// are left out.
func distances(f *ir.Fabric, seed uint64, down ...*ir.Link) map[[2]string]int {
	b := state(f, down, rand.New(rand.NewPCG(seed, 7)))
	out := map[[2]string]int{}
	for _, g := range f.CosGroups {
		if !g.Lossless || f.FlowControl == ir.Pause {
			continue
		}
		for _, flow := range b.Flows(g) {
			from, to := flow.Ports[0], flow.Ports[len(flow.Ports)-1]
			pair, cables := [2]string{from.Device().Name, to.Device().Name}, len(flow.Ports)/2
			if out[pair] == 0 || cables < out[pair] {
				out[pair] = cables
			}
		}
	}
	return out
}

// draws returns the distances for some choices between equal routes; one result if there is no choice.
func draws(f *ir.Fabric, seed uint64, down ...*ir.Link) []map[[2]string]int {
	out := []map[[2]string]int{distances(f, seed, down...)}
	for i := uint64(1); i < 5 && f.Routing == ir.EBGP && !uniqueASNs(f); i++ {
		out = append(out, distances(f, seed^i<<32, down...))
	}
	return out
}

// joined counts the draws in which a pair has a path.
func joined(draws []map[[2]string]int, pair [2]string) (n int) {
	for _, d := range draws {
		if d[pair] > 0 {
			n++
		}
	}
	return n
}

// partedByOne reports whether one failed link between switches cuts off a pair of members in the changed fabric that has a path today.
// always: with all choices between equal routes in both fabrics; sometimes: in some of the draws.
func partedByOne(today, changed *ir.Fabric, seed uint64) (always, sometimes bool) {
	whole := distances(changed, seed)
	for _, l := range changed.Links {
		i := slices.IndexFunc(today.Links, func(o *ir.Link) bool { return o.A().String() == l.A().String() })
		if l.A().Device().Switch == nil || l.B().Device().Switch == nil {
			continue
		}
		before, after := draws(today, seed, today.Links[i]), draws(changed, seed, l)
		for pair := range whole {
			was, is := joined(before, pair), joined(after, pair)
			always = always || was == len(before) && is == 0
			sometimes = sometimes || was > 0 && is < len(after)
		}
	}
	return always, sometimes
}

// assertWaysHelp applies each way out in the report on a drawn fabric, and counts the kinds of ways.
func assertWaysHelp(t require.TestingT, routing ir.Routing, seed uint64, failures int, met map[string]int) {
	fresh := func() *ir.Fabric {
		f := drawnFabric(rand.New(rand.NewPCG(seed, 83)), routing, failures)
		f.CosGroups = append(f.CosGroups, &ir.CosGroup{Name: "bulk", Cos: 0})
		for _, d := range f.Devices {
			if d.Switch != nil {
				d.Switch.Can.Lossless = 4
			}
		}
		f.Routes = routes.New(f)
		return f
	}
	r := validate.Run(fresh(), ir.NewBudget(smallBudget))
	i := slices.IndexFunc(r.Diagnostics, func(d *diag.Diagnostic) bool { return d.Code == "pfc-loop" })
	if i < 0 {
		return
	}
	require.Empty(t, r.Diagnostics[i].Fix.Edits)
	helped := 0
	listed := ways(r.Diagnostics[i].Fix.Message)
	errors := errorsOf(r)
	before, today := distances(fresh(), seed), fresh()
	for i, way := range listed {
		f := fresh()
		kind := apply(t, f, way)
		met[kind]++
		if kind == "" {
			require.Len(t, listed, i+1, "accepting the loop is the last way")
			continue
		}
		helped++
		f.Routes = routes.New(f)
		again := validate.Run(f, ir.NewBudget(100*smallBudget))
		p := gravest(t, again)
		require.Equal(t, validate.Free, p.Verdict, "%s: %s", way, p.Why())
		for code := range errorsOf(again) {
			require.True(t, errors[code], "%s brings %s", way, code)
		}
		if len(before) == 0 || kind == "fewer members" || kind == "bounce" || kind == "one lossless group" {
			continue
		}
		after := draws(f, seed)
		longer := false
		for pair, cables := range before {
			require.NotZero(t, after[0][pair], "%s: no route from %s to %s", way, pair[0], pair[1])
			if kind != "failures" { // it changes no route
				require.Equal(t, len(after), joined(after, pair), "%s: perhaps no route from %s to %s", way, pair[0], pair[1])
			}
			longer = longer || after[0][pair] > cables
		}
		switch {
		case strings.Contains(way, "no path gets longer"):
			require.False(t, longer, way)
			met["no longer"]++
		case strings.Contains(way, "longer paths, at most"):
			require.True(t, longer, way)
			met["longer"]++
		}
		switch always, sometimes := partedByOne(today, f, seed); {
		case strings.Contains(way, "no pair loses its last path"):
			require.False(t, sometimes, way)
			met["not cut off"]++
		case strings.Contains(way, "the last path when a certain link fails"):
			require.True(t, always, way)
			met["cut off"]++
		case strings.Contains(way, "may lose the last path") && sometimes:
			met["perhaps cut off"]++
		}
	}
	require.NotZero(t, helped, "there is a way out")
}

// Every way out of a PFC loop, applied as written, makes the fabric free, and no pair loses a path by new tiers.
func TestWaysOutHelp(t *testing.T) {
	t.Parallel()
	routings := []ir.Routing{ir.ShortestPath, ir.ShortestPath, ir.EBGP, ir.AnyPath, ir.Flooding}
	met := map[string]int{}
	for seed := range uint64(300) {
		assertWaysHelp(t, routings[seed%5], seed, int(seed/5)%3, met)
	}
	assertWaysHelp(t, ir.EBGP, 0x749d, 0, met) // a pair has no path in one direction only
	t.Log(met)
	for _, kind := range []string{
		"tiers", "up-down", "AS numbers", "cable", "failures", "fewer members", "bounce", "spanning tree", "longer", "no longer", "cut off",
		"not cut off",
	} {
		assert.NotZero(t, met[kind], kind)
	}
	rapid.Check(t, func(t *rapid.T) {
		routing := rapid.SampledFrom(routings).Draw(t, "routing")
		assertWaysHelp(t, routing, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 2).Draw(t, "failures"), met)
	})
}
