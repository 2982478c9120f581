package change

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

var reset = ir.Outage{Least: 30 * time.Second, Most: 2 * time.Minute}

// tasksOf changes every device of a fabric: switches first, each with a reset of all ports, then hosts.
func tasksOf(f *ir.Fabric) []*Task {
	var out []*Task
	for _, d := range f.Devices {
		t := &Task{Device: d, Kind: "switch", Outage: reset, Takes: 3 * time.Minute}
		if !d.Forwards() {
			t.Phase, t.Kind, t.Takes = 1, "host", time.Minute
		}
		out = append(out, t)
	}
	return out
}

// draw shows waves in short: one per line, with the dark hosts, the hosts cut off, and the capacity left.
func draw(waves []*Wave, refused []*Refusal) string {
	names := func(ds []*ir.Device) string {
		var out []string
		for _, d := range ds {
			out = append(out, d.Name)
		}
		return strings.Join(out, " ")
	}
	var b strings.Builder
	for _, w := range waves {
		var tasks []string
		for _, t := range w.Tasks {
			tasks = append(tasks, t.Device.Name)
		}
		kind := map[bool]string{true: "stream "}[w.Stream] + map[bool]string{true: "canary "}[w.Canary]
		fmt.Fprintf(&b, "%s%s", kind, strings.Join(tasks, " "))
		if len(w.Dark) > 0 && !w.Stream {
			fmt.Fprintf(&b, "; dark %s", names(w.Dark))
		}
		if len(w.Reduced) > 0 {
			fmt.Fprintf(&b, "; reduced %s", names(w.Reduced))
		}
		if w.Capacity < 100 {
			fmt.Fprintf(&b, "; %d%% %s to %s", w.Capacity, w.Narrow.Name, w.Towards.Name)
		}
		for _, c := range w.Cut {
			fmt.Fprintf(&b, "; cut %s from %s", names(c.Hosts), names(c.From))
		}
		if len(w.Last) > 0 {
			fmt.Fprintf(&b, "; last %s for %s", names(w.Last), names(w.Carried))
		}
		b.WriteByte('\n')
	}
	for _, r := range refused {
		fmt.Fprintf(&b, "refused %s: %s", r.Task.Device.Name, r.Why)
		if r.Without {
			b.WriteString(" already")
		}
		if len(r.Hosts) > 0 {
			fmt.Fprintf(&b, " %s", names(r.Hosts))
		}
		if len(r.From) > 0 {
			fmt.Fprintf(&b, " from %s", names(r.From))
		}
		if r.Narrow != nil {
			fmt.Fprintf(&b, " %d%% %s to %s", r.Capacity, r.Narrow.Name, r.Towards.Name)
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func leafSpine() *irtest.Cabling {
	return irtest.New(ir.ShortestPath).Links("l1-s1 l1-s2 l2-s1 l2-s2 h1-l1 h2-l2").Tier("s", 2)
}

// bonded puts the NICs of a host into one bond.
func bonded(c *irtest.Cabling, host string) {
	h := c.Device(host).Host
	b := &ir.Bond{Mode: "802.3ad", NICs: h.NICs}
	h.Bonds = []*ir.Bond{b}
	for _, n := range h.NICs {
		n.Bond = b
	}
}

func TestOrder(t *testing.T) {
	half := Rules{MinCapacity: 50, Parallel: 8}
	for _, c := range []struct {
		name   string
		fabric *irtest.Cabling
		edit   func(*irtest.Cabling)
		down   string // cables that are dead
		rules  Rules
		want   string
	}{
		{
			name: "never both spines, never two leaves with single-homed hosts", fabric: leafSpine(), rules: half,
			want: "l1; dark h1\nl2; dark h2\ns1; 50% l1 to l2\ns2; 50% l1 to l2\nstream h1 h2",
		},
		{
			name: "one device of every kind goes first", fabric: leafSpine(), rules: Rules{MinCapacity: 50, Canary: true},
			want: "canary l1; dark h1\nl2; dark h2\ns1; 50% l1 to l2\ns2; 50% l1 to l2\ncanary h1; dark h1\nstream h2",
		},
		{
			name: "two leaves together, if two hosts may be dark", fabric: leafSpine(), rules: Rules{MinCapacity: 50, MaxDark: 2},
			want: "l1 l2; dark h1 h2\ns1; 50% l1 to l2\ns2; 50% l1 to l2\nstream h1 h2",
		},
		{
			name: "more than half is wanted", fabric: leafSpine(), rules: Rules{MinCapacity: 51},
			want: "l1; dark h1\nl2; dark h2\nstream h1 h2\n" +
				"refused s1: too-narrow 50% l1 to l2\nrefused s2: too-narrow 50% l1 to l2",
		},
		{
			name: "with one spine dead the other is not restarted", fabric: leafSpine(), down: "l1-s1 l2-s1", rules: half,
			want: "l1; dark h1\nl2; dark h2\ns1\nstream h1 h2\nrefused s2: cuts-off h1 from h2",
		},
		{
			name: "unless the person allows it", fabric: leafSpine(), down: "l1-s1 l2-s1", rules: Rules{},
			want: "l1; dark h1\nl2; dark h2\ns1\ns2; cut h1 from h2\nstream h1 h2",
		},
		{
			name: "one spine alone", fabric: irtest.New(ir.ShortestPath).Links("l1-s1 l2-s1 h1-l1 h2-l2").Tier("s", 2), rules: half,
			want: "l1; dark h1\nl2; dark h2\nstream h1 h2\nrefused s1: cuts-off h1 from h2",
		},
		{
			name: "half of four spines at once", rules: half,
			fabric: irtest.New(ir.ShortestPath).Links("l1-s1 l1-s2 l1-s3 l1-s4 l2-s1 l2-s2 l2-s3 l2-s4 h1-l1 h2-l2").Tier("s", 2),
			want:   "l1; dark h1\nl2; dark h2\ns1 s2; 50% l1 to l2\ns3 s4; 50% l1 to l2\nstream h1 h2",
		},
		{
			name: "a fabric that is below the rules already", rules: half, down: "l1-s1 l1-s2 l1-s3",
			fabric: irtest.New(ir.ShortestPath).Links("l1-s1 l1-s2 l1-s3 l1-s4 l2-s1 l2-s2 l2-s3 l2-s4 h1-l1 h2-l2").Tier("s", 2),
			want: "stream h1 h2\nrefused l1: too-narrow already 25% l1 to l2\nrefused l2: too-narrow already 25% l1 to l2\n" +
				"refused s1: too-narrow already 25% l1 to l2\nrefused s2: too-narrow already 25% l1 to l2\n" +
				"refused s3: too-narrow already 25% l1 to l2\nrefused s4: too-narrow already 25% l1 to l2",
		},
		{
			name: "the two legs of a bond one after the other", rules: half,
			fabric: irtest.New(ir.ShortestPath).Links("l1-s1 l1-s2 l2-s1 l2-s2 l3-s1 l3-s2 h1-l1 h1-l2 h3-l3").Tier("s", 2),
			edit:   func(c *irtest.Cabling) { bonded(c, "h1") },
			want:   "l1 l3; dark h3\nl2; 50% l1 to l3\ns1; 50% l1 to l3\ns2; 50% l1 to l3\nstream h1 h3",
		},
		{
			name: "a bond on its last leg", rules: half, down: "h1-l2",
			fabric: irtest.New(ir.ShortestPath).Links("l1-s1 l1-s2 l2-s1 l2-s2 l3-s1 l3-s2 h1-l1 h1-l2 h3-l3").Tier("s", 2),
			edit:   func(c *irtest.Cabling) { bonded(c, "h1") },
			want:   "l2 l3; dark h3\ns1; 50% l1 to l3\ns2; 50% l1 to l3\nstream h1 h3\nrefused l1: last-leg already h1",
		},
		{
			name: "two rails of a host one after the other", rules: Rules{MinCapacity: 50, MaxDark: 10},
			fabric: irtest.New(ir.ShortestPath).Links("l1-s1 l2-s1 l1-s2 l2-s2 h1-l1 h1-l2 h2-l1 h2-l2").Tier("s", 2),
			want:   "l1; reduced h1 h2\nl2; reduced h1 h2\ns1; 50% l1 to l2\ns2; 50% l1 to l2\nstream h1 h2",
		},
		{
			name: "a host with other links is not dark, and does not count", rules: Rules{MinCapacity: 50, MaxDark: 1, Parallel: 8},
			fabric: irtest.New(ir.ShortestPath).Links("l1-s1 l2-s1 l1-s2 l2-s2 h1-l1 h1-l2 h2-l1 h2-l2 h3-l2").Tier("s", 2),
			want:   "l1; reduced h1 h2\nl2; dark h3; reduced h1 h2\ns1; 50% l1 to l2\ns2; 50% l1 to l2\nstream h1\nstream h2\nstream h3",
		},
		{
			name: "a host whose other link is down is dark", rules: Rules{MinCapacity: 50, MaxDark: 1, Parallel: 8}, down: "h1-l2",
			fabric: irtest.New(ir.ShortestPath).Links("l1-s1 l2-s1 l1-s2 l2-s2 h1-l1 h1-l2 h2-l1 h2-l2").Tier("s", 2),
			want:   "l1; dark h1; reduced h2\nl2; reduced h2\ns1; 50% l1 to l2\ns2; 50% l1 to l2\nstream h1\nstream h2",
		},
		{
			name: "leaves that leave links of several hosts missing go one after the other", rules: half,
			fabric: irtest.New(ir.ShortestPath).Links("l1-s1 l2-s1 l3-s1 l4-s1 h1-l1 h1-l2 h2-l3 h2-l4").Tier("s", 2),
			want: "l1; reduced h1\nl2; reduced h1\nl3; reduced h2\nl4; reduced h2\nstream h1 h2\n" +
				"refused s1: cuts-off h1 from h1 h2 h2",
		},
		{
			name: "the limit of dark hosts includes changed hosts", fabric: leafSpine(), rules: Rules{MinCapacity: 50, Parallel: 8, MaxDark: 1},
			want: "l1; dark h1\nl2; dark h2\ns1; 50% l1 to l2\ns2; 50% l1 to l2\nstream h1\nstream h2",
		},
		{
			name: "a limit above the number changed at once", fabric: leafSpine(), rules: Rules{MinCapacity: 50, Parallel: 2, MaxDark: 3},
			want: "l1 l2; dark h1 h2\ns1; 50% l1 to l2\ns2; 50% l1 to l2\nstream h1 h2",
		},
		{
			name: "never both switches of an MLAG pair", rules: Rules{MinCapacity: 0, MaxDark: 10}, fabric: leafSpine(),
			edit: func(c *irtest.Cabling) { c.Device("s1").Switch.MLAG, c.Device("s2").Switch.MLAG = "x", "x" },
			want: "l1 l2; dark h1 h2\ns1; 50% l1 to l2\ns2; 50% l1 to l2\nstream h1 h2",
		},
		{
			name: "a ring loses one switch at a time", rules: half,
			fabric: irtest.New(ir.ShortestPath).Links("a-b b-c c-d d-a h1-a h2-b h3-c h4-d"),
			want: "a; dark h1; 50% b to d\nb; dark h2; 50% a to c\nc; dark h3; 50% b to d\nd; dark h4; 50% a to c\n" +
				"stream h1 h2 h3 h4",
		},
		{
			name: "a chain is cut in the middle", rules: half,
			fabric: irtest.New(ir.ShortestPath).Links("a-b b-c h1-a h2-b h3-c"),
			want:   "a; dark h1\nc; dark h3\nstream h1 h2 h3\nrefused b: cuts-off h1 from h3",
		},
		{
			name: "devices that carry logins come last", fabric: leafSpine(), rules: Rules{MaxDark: 9},
			edit: func(c *irtest.Cabling) {
				h := c.Device("h1")
				h.Host.NICs[0].IP = netip.MustParsePrefix("10.0.0.1/24")
				h.SSH.Address = "10.0.0.1"
				c.Device("l2").SSH.Jump = "ops@s1:22"
			},
			want: "l1 l2; dark h1 h2; last l1 for h1\ns1; 50% l1 to l2; last s1 for l2\ns2; 50% l1 to l2\nstream h1 h2",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.edit != nil {
				c.edit(c.fabric)
			}
			dead := c.fabric.Cables(c.down)
			f := c.fabric.Fabric()
			l, err := NewGraph(f).Living(Alive{Down: dead})
			require.NoError(t, err)
			assert.Equal(t, c.want, draw(l.Order(tasksOf(f), c.rules)))
		})
	}
}

// Hosts without an intent communicate, too; their peers are not described.
func TestOrderOfHostsInNoIntent(t *testing.T) {
	f := irtest.New(ir.ShortestPath).Links("l1-s1 l1-s2 l2-s1 l2-s2 l3-s1 l4-s1 h1-l1 h2-l2 h3-l3 h4-l4").Tier("s", 2).Fabric()
	in := f.Intents[0]
	in.Members = slices.DeleteFunc(in.Members, func(m *ir.Member) bool { return m.NIC.Port.Device().Name >= "h3" })
	l, err := NewGraph(f).Living(Alive{})
	require.NoError(t, err)
	text := draw(l.Order(tasksOf(f), Rules{MinCapacity: 50, Parallel: 8}))
	assert.Contains(t, text, "l3; dark h3\nl4; dark h4\n")
	assert.Contains(t, text, "refused s1: cuts-off ")
}

// It is unknown which port of an active-backup bond is in use. So two hosts on the same leaves may need the path between the leaves.
func TestOrderBehindBondsInReserve(t *testing.T) {
	for mode, want := range map[string]string{
		"802.3ad":       "l1\nl2\ns1\nstream h1 h2",
		"active-backup": "l1\nl2\nstream h1 h2\nrefused s1: cuts-off h1 h2 from h1 h2",
	} {
		c := irtest.New(ir.ShortestPath).Links("l1-s1 l2-s1 h1-l1 h1-l2 h2-l1 h2-l2").Tier("s", 2)
		for _, h := range []string{"h1", "h2"} {
			bonded(c, h)
			c.Device(h).Host.Bonds[0].Mode = mode
		}
		f := c.Fabric()
		l, err := NewGraph(f).Living(Alive{})
		require.NoError(t, err)
		assert.Equal(t, want, draw(l.Order(tasksOf(f), Rules{MinCapacity: 50, Parallel: 8})), mode)
	}
}

// MaxDark counts the hosts that a wave changes and the hosts whose leaf it takes away. It does not count hosts that pass traffic during
// their change.
func TestMaxDark(t *testing.T) {
	f := irtest.New(ir.ShortestPath).Links("l1-s1 l1-s2 l2-s1 l2-s2 h1-l1 h2-l2 h3-l2 h4-l2").Tier("s", 2).Fabric()
	l, err := NewGraph(f).Living(Alive{})
	require.NoError(t, err)
	task := func(name string, kind string, o ir.Outage) *Task {
		i := slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Name == name })
		return &Task{Device: f.Devices[i], Kind: kind, Outage: o, Takes: time.Minute}
	}
	three := func() []*Task { return []*Task{task("h2", "a", reset), task("h3", "b", reset), task("h4", "c", reset)} }
	free := Rules{Parallel: 8, Canary: true}
	one, two := free, free
	one.MaxDark, two.MaxDark = 1, 2

	// One canary of every kind, including a leaf.
	mixed := append([]*Task{task("l1", "leaf", reset)}, three()...)
	rest := []*Task{task("h1", "a", reset), task("h1", "b", ir.Outage{})}
	order := func(r Rules) string { return draw(l.Order(append(slices.Clone(mixed), rest...), r)) }
	assert.Equal(t, "canary l1 h2 h3 h4; dark h1 h2 h3 h4\nstream h1 h1", order(free))
	assert.Equal(t, "canary l1; dark h1\ncanary h2; dark h2\ncanary h3; dark h3\ncanary h4; dark h4\nstream h1\nstream h1", order(one))
	assert.Equal(t, "canary l1 h2; dark h1 h2\ncanary h3 h4; dark h3 h4\nstream h1\nstream h1", order(two))

	// Given waves, such as the waves of a run that is undone.
	follow := func(r Rules, tasks ...*Task) string { return draw(l.Follow([][]*Task{tasks}, r)) }
	assert.Equal(t, "stream h2 h3 h4", follow(free, three()...))
	assert.Equal(t, "stream h2\nstream h3\nstream h4", follow(one, three()...))
	assert.Equal(t, "l1 h2; dark h1 h2", follow(free, task("l1", "leaf", reset), task("h2", "a", reset)))
	assert.Equal(t, "l1 h2; dark h1 h2\nrefused l1: too-dark h1 h2", follow(one, task("l1", "leaf", reset), task("h2", "a", reset)))

	assert.Equal(t, "stream h2 h3\nstream h4", follow(two, three()...))
	assert.Equal(t, "stream h1\nstream h2 h3\nstream h4", follow(two, append([]*Task{task("h1", "a", ir.Outage{})}, three()...)...))

	// Two switches of one given wave leave hosts dark.
	both := []*Task{task("l1", "leaf", reset), task("l2", "leaf", reset)}
	assert.Contains(t, follow(free, both...), "refused l1: too-dark h1 h2 h3 h4")
	four := free
	four.MaxDark = 4
	assert.NotContains(t, follow(four, both...), "refused")

	// A wave takes as long as its tasks, Parallel at a time: three tasks, two at a time, take two turns.
	free.Parallel = 2
	w, _ := l.Follow([][]*Task{three()}, free)
	assert.Equal(t, 2*time.Minute, w[0].Takes)
}

// A host that forwards is dark during its own change, even if it has links to several devices.
func TestDarkWhileForwarding(t *testing.T) {
	c := irtest.New(ir.ShortestPath).Links("l1-s1 l1-s2 l2-s1 l2-s2 h1-l1 h2-l2 h3-l2").Tier("s", 2)
	c.Device("h1").Host.Forwards = true
	f := c.Fabric()
	l, err := NewGraph(f).Living(Alive{})
	require.NoError(t, err)
	h1 := slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Name == "h1" })
	waves, refused := l.Order([]*Task{{Device: f.Devices[h1], Kind: "host", Outage: reset}}, Rules{MinCapacity: 50, MaxDark: 1})
	assert.Equal(t, "h1; dark h1", draw(waves, refused))
}

// A wave does not begin if a host has lost links since the plan was made, even if other links remain.
func TestCheckReduced(t *testing.T) {
	c := irtest.New(ir.ShortestPath).Links("l1-s1 l2-s1 l3-s1 h1-l1 h1-l2 h1-l3 h2-l3").Tier("s", 2)
	h := c.Device("h1").Host
	h.Bonds = []*ir.Bond{{Mode: "802.3ad", NICs: h.NICs[:2]}}
	for _, n := range h.NICs[:2] {
		n.Bond = h.Bonds[0]
	}
	dead := c.Cables("h1-l2")
	f := c.Fabric()
	g := NewGraph(f)
	l, err := g.Living(Alive{})
	require.NoError(t, err)
	l1 := slices.IndexFunc(f.Devices, func(d *ir.Device) bool { return d.Name == "l1" })
	waves, _ := l.Order([]*Task{{Device: f.Devices[l1], Outage: reset}}, Rules{})
	require.Equal(t, "l1; 50% l2 to l3", draw(waves, nil))
	require.Nil(t, l.Check(waves[0], Rules{}))
	l, err = g.Living(Alive{Down: dead})
	require.NoError(t, err)
	why := l.Check(waves[0], Rules{})
	require.NotNil(t, why)
	assert.Equal(t, "refused l1: last-leg already h1", draw(nil, []*Refusal{why}))
}
