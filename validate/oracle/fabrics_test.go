package oracle_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/validate"
)

// routed completes a fabric and sets the compiler's router.
func routed(c *irtest.Cabling) *ir.Fabric {
	f := c.Fabric()
	f.Routes = routes.New(f)
	return f
}

// smallBudget is enough for the verdicts of small fabrics. It also ends the search for the number of further failures that would make them
// prone.
const smallBudget = 4_000_000

// judged returns the gravest proof of a fabric, and gravest the gravest proof of a report.
func judged(t require.TestingT, f *ir.Fabric) validate.GroupProof {
	return gravest(t, validate.Run(f, ir.NewBudget(smallBudget)))
}

// gravest returns the proof with the gravest verdict. Of several prone ones it returns that with the fewest failures.
func gravest(t require.TestingT, r validate.Findings) validate.GroupProof {
	require.NotEmpty(t, r.Proofs)
	gravity := []validate.Verdict{validate.Free, validate.Unknown, validate.Prone}
	return slices.MaxFunc(r.Proofs, func(a, b validate.GroupProof) int {
		return cmp.Or(slices.Index(gravity, a.Verdict)-slices.Index(gravity, b.Verdict), b.Failures-a.Failures)
	})
}

// bridged makes every link a bridged link.
func bridged(c *irtest.Cabling) *irtest.Cabling {
	for _, l := range c.F.Links {
		l.Routed = false
	}
	return c
}

// lossy removes PFC from links.
func lossy(c *irtest.Cabling, links string) *irtest.Cabling {
	for _, l := range c.Cables(links) {
		l.A().SetBuffers(nil)
		l.B().SetBuffers(nil)
	}
	return c
}

// peers makes links peer links.
func peers(c *irtest.Cabling, links string) *irtest.Cabling {
	for _, l := range c.Cables(links) {
		l.Peer = true
	}
	return c
}

// shared makes every switch keep one priority group for all lossless cos groups.
func shared(c *irtest.Cabling) *irtest.Cabling {
	for _, d := range c.F.Devices {
		if d.Switch != nil {
			d.Switch.Can.Shared = true
		}
	}
	return c
}

// paused makes the fabric use link pause.
func paused(c *irtest.Cabling) *irtest.Cabling {
	c.F.FlowControl = ir.Pause
	return c
}

// pausedCables makes some of the cables use link pause, and no others.
func pausedCables(c *irtest.Cabling, some func(*ir.Link) bool) *irtest.Cabling {
	for _, l := range c.F.Links {
		if l.FlowControl = ir.PFC; some(l) {
			l.FlowControl = ir.Pause
		}
	}
	return c
}

// lossyBounces puts traffic that goes up after it came down into a lossy group.
func lossyBounces(c *irtest.Cabling) *irtest.Cabling {
	c.Bounce().Group.Bounce.Lossless = false
	for _, p := range c.F.Ports {
		p.SetBuffers(slices.DeleteFunc(slices.Clone(p.Buffers()), func(b *ir.Buffer) bool { return !b.Group.Lossless }))
	}
	return c
}

// byHand gives some of the devices that forward, one of so many, a by_hand block with random flow control.
func byHand(t *rapid.T, c *irtest.Cabling, of int, kinds ...ir.FlowControl) {
	for _, d := range c.F.Devices {
		if !d.Forwards() || rapid.IntRange(1, of).Draw(t, "by hand") > 1 {
			continue
		}
		d.ByHand = &ir.ByHand{FlowControl: rapid.SampledFrom(kinds).Draw(t, "flow control")}
		if rapid.IntRange(0, 2).Draw(t, "priorities") == 0 {
			d.ByHand.PFC = []ir.Claim{{Value: rapid.IntRange(3, 4).Draw(t, "priority")}}
		}
	}
}

// bonds adds a second cable to some cables between switches, one of so many. Both cables form one bond.
func bonds(t *rapid.T, c *irtest.Cabling, of int) {
	for i, l := range slices.Clone(c.F.Links) {
		if l.A().Device().Switch == nil || l.B().Device().Switch == nil || rapid.IntRange(1, of).Draw(t, "bond") > 1 {
			continue
		}
		l.Bond = i + 1
		c.Link(l.A().Device().Name, l.B().Device().Name).Bond = i + 1
	}
}

// bond puts the NICs of a host into a bond that balances.
func bond(d *ir.Device) {
	b := &ir.Bond{Name: "bond0", NICs: d.Host.NICs, Mode: "802.3ad"}
	d.Host.Bonds = []*ir.Bond{b}
	for _, n := range d.Host.NICs {
		n.Bond = b
	}
}

// explicit completes a fabric and sets the flows of the lists.
func explicit(c *irtest.Cabling, lists ...string) *ir.Fabric {
	f := c.Fabric()
	all := flows(c, lists...)
	f.Routes = &irtest.Explicit{Fabric: f, Flows: func(ir.State) []*ir.Flow { return all }}
	return f
}

// lists returns "h a ... b h" for every pair of the switches, over the path that the function returns.
func lists(c *irtest.Cabling, switches []string, way func(a, b string) []string) []string {
	var out []string
	for _, a := range switches {
		for _, b := range switches {
			if a != b {
				out = append(out, c.HostOf(a)+" "+strings.Join(way(a, b), " ")+" "+c.HostOf(b))
			}
		}
	}
	return out
}

func named(x, y int) string { return fmt.Sprintf("H%d.%d", x, y) }

func grid(n int) []string {
	var out []string
	for x := range n {
		for y := range n {
			out = append(out, named(x, y))
		}
	}
	return out
}

// dimensionOrder routes along the first coordinate, then along the second. If all switches of a row are joined, that is one step;
// otherwise it is the shorter way round the ring. With classes, traffic moves into the second group at the cable that closes a ring, and
// stays in it to the end of that ring.
func dimensionOrder(n int, ring, classes bool) func(a, b string) []string {
	return func(a, b string) []string {
		var at, to [2]int
		_, _ = fmt.Sscanf(a, "H%d.%d", &at[0], &at[1])
		_, _ = fmt.Sscanf(b, "H%d.%d", &to[0], &to[1])
		way := []string{a}
		for d := range at {
			step, crossed := 1, false
			if ring && (to[d]-at[d]+n)%n > n/2 {
				step = n - 1
			}
			for at[d] != to[d] {
				next := (at[d] + step) % n
				if !ring {
					next = to[d]
				}
				if classes && !crossed && (at[d]-next == n-1 || next-at[d] == n-1) {
					way, crossed = append(way, "!"), true
				}
				at[d] = next
				way = append(way, named(at[0], at[1]))
			}
			if crossed {
				way = append(way, "!") // the next ring begins in the first group
			}
		}
		return way
	}
}

// mutual makes the second group bounce back into the first.
func mutual(c *irtest.Cabling) *irtest.Cabling {
	c.Bounce()
	c.Group.Bounce.Bounce = c.Group
	return c
}

// dragonfly returns a+1 groups of a routers. Every two groups are joined by one link, and each router has one such link.
func dragonfly(r ir.Routing, a int) (c *irtest.Cabling, routers []string) {
	c = irtest.New(r)
	name := func(group, router int) string { return fmt.Sprintf("G%dR%d", group, router) }
	for i := range a + 1 {
		for x := range a {
			routers = append(routers, name(i, x))
			for y := range x {
				c.Link(name(i, y), name(i, x))
			}
			if j := (i + x + 1) % (a + 1); i < j {
				c.Link(name(i, x), name(j, (i-j+a)%(a+1)))
			}
		}
	}
	return c.Hosts(routers...), routers
}

// minimal routes to the router with the link to the other group, over that link, and to the receiver's router. With classes, traffic is in
// the second group from that link on.
func minimal(c *irtest.Cabling, classes bool) func(a, b string) []string {
	return func(a, b string) []string {
		if a[:2] == b[:2] {
			return []string{a, b}
		}
		for _, l := range c.F.Links {
			for _, p := range []*ir.Port{l.A(), l.B()} {
				from, to := p.Device().Name, p.Peer().Device().Name
				if from[:2] != a[:2] || to[:2] != b[:2] {
					continue
				}
				way := []string{a}
				if from != a {
					way = append(way, from)
				}
				if classes {
					way = append(way, "!")
				}
				way = append(way, to)
				if to != b {
					way = append(way, b)
				}
				return way
			}
		}
		panic("no link between the groups of " + a + " and " + b)
	}
}

// drawn draws up to 8 switches: a ring, leaves under spines, or any graph. It adds more links, and tiers that may contradict the links.
func drawn(r *rand.Rand, routing ir.Routing) *irtest.Cabling {
	var c *irtest.Cabling
	lower := 0 // the number of leaves
	name := func(i int) string { return fmt.Sprint("s", i) }
	switch r.IntN(3) {
	case 0:
		n := 3 + r.IntN(5)
		c = irtest.New(routing)
		for i := range n {
			c.Link(name(i), name((i+1)%n))
		}
		for range r.IntN(3) {
			if a, b := r.IntN(n), r.IntN(n); a != b {
				c.Link(name(a), name(b))
			}
		}
	case 1:
		leaves, spines := 2+r.IntN(4), 1+r.IntN(3)
		if r.IntN(2) == 0 {
			lower = leaves
		}
		c = irtest.New(routing)
		for l := range leaves {
			for s := range spines {
				if r.IntN(8) > 0 || s == 0 {
					c.Link(name(l), name(leaves+s))
				}
			}
		}
		for range r.IntN(4 - 3*min(lower, 1)) {
			if a, b := r.IntN(leaves), r.IntN(leaves); a != b {
				c.Link(name(a), name(b))
			}
		}
	default:
		n := 3 + r.IntN(6)
		c = irtest.New(routing)
		for i := 1; i < n; i++ {
			c.Link(name(i), name(r.IntN(i)))
		}
		for range 1 + r.IntN(n+1) {
			if a, b := r.IntN(n), r.IntN(n); a != b {
				c.Link(name(a), name(b))
			}
		}
	}
	bridge := routing == ir.Flooding || routing == ir.SpanningTree
	plan := r.IntN(3) // AS numbers: one per switch, one per tier, or random
	for i, d := range slices.Clone(c.F.Devices) {
		var number int
		_, _ = fmt.Sscanf(d.Name, "s%d", &number)
		switch {
		case lower == 0:
			d.Switch.Tier = 1 + r.IntN(3)
		case number < lower:
			d.Switch.Tier = 1
		default:
			d.Switch.Tier = 2
		}
		d.Switch.ASN = []int{65_000 + i, 65_000 + d.Switch.Tier, 65_000 + r.IntN(4)}[plan]
		if plan == 1 && d.Switch.Tier == 1 {
			d.Switch.ASN = 65_100 + i
		}
		if r.IntN(5) > 0 {
			c.Hosts(d.Name)
		}
	}
	for _, l := range c.F.Links {
		if l.A().Device().Host != nil || l.B().Device().Host != nil {
			continue
		}
		l.Peer = l.A().Device().Switch.Tier == l.B().Device().Switch.Tier
		l.Routed = !bridge
		if r.IntN(12) == 0 {
			l.A().SetBuffers(nil)
		}
	}
	c.Hosts("s0", "s1")
	return c
}

// drawnFabric completes a drawn fabric. Sometimes traffic that goes up after it came down is in a second group, lossless or not. Sometimes
// half of the hosts talk in a separate intent.
func drawnFabric(r *rand.Rand, routing ir.Routing, failures int) *ir.Fabric {
	c := drawn(r, routing).Failures(failures)
	if r.IntN(3) == 0 && slices.Contains([]ir.Routing{ir.ShortestPath, ir.UpDown, ir.EBGP}, routing) {
		switch r.IntN(5) {
		case 0:
			shared(c.Bounce())
		case 1:
			lossyBounces(c)
		case 2: // from a lossy group into a third one, or back into the first
			lossyBounces(c)
			behind := c.Group
			if r.IntN(3) > 0 {
				behind = &ir.CosGroup{Name: "behind", Cos: 5, At: irtest.Place(40), Lossless: true, LosslessAt: irtest.Place(41)}
				c.F.CosGroups = append(c.F.CosGroups, behind)
				for _, p := range c.F.Ports {
					if len(p.Buffers()) > 0 {
						p.SetBuffers(append(slices.Clone(p.Buffers()), &ir.Buffer{Group: behind}))
					}
				}
			}
			c.Group.Bounce.Bounce = behind
		default:
			c.Bounce()
		}
	}
	switch r.IntN(12) {
	case 0:
		paused(c)
	case 1:
		for _, l := range c.F.Links {
			if l.Routed && r.IntN(3) > 0 && routing != ir.EBGP { // eBGP needs every link routed
				l.Routed = false
			}
		}
	}
	f := routed(c)
	switch r.IntN(12) {
	case 0:
		for _, m := range f.Intents[0].Members {
			m.NIC.Intents = nil
		}
		f.Intents = nil // without intents every host may talk
		f.Routes = routes.New(f)
	case 1:
		f.Intents[0].Version = 1 // RoCEv1 does not cross routed links
		f.Routes = routes.New(f)
	}
	if routing == ir.SpanningTree {
		for _, d := range f.Devices {
			if d.Switch != nil && (f.Root == nil || r.IntN(3) == 0) {
				f.Root = d
			}
		}
	}
	if len(f.Intents) > 0 && r.IntN(3) == 0 {
		all := f.Intents[0]
		other := &ir.Intent{Name: "other", At: all.At, Version: 2, Group: c.Group}
		all.Members, other.Members = nil, nil
		for _, d := range f.Devices {
			if d.Host == nil {
				continue
			}
			for _, n := range d.Host.NICs {
				in := []*ir.Intent{all, other}[r.IntN(2)]
				in.Members = append(in.Members, &ir.Member{NIC: n})
				n.Intents = []*ir.Intent{in}
			}
		}
		f.Intents = append(f.Intents, other)
		f.Routes = routes.New(f)
	}
	return f
}

func TestDrawnFabricsAreTheSameForTheSameSeed(t *testing.T) {
	text := func() string {
		var b strings.Builder
		for _, l := range drawnFabric(rand.New(rand.NewPCG(5, 5)), ir.ShortestPath, 1).Links {
			fmt.Fprintln(&b, l.A(), l.B())
		}
		return b.String()
	}
	require.Equal(t, text(), text())
}
