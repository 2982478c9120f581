package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// The PFC-loop proof.
//
// Three engines in this order; the first that knows answers:
//
//  1. Certificates, O(links), true whatever fails. A forest: where the lossless links hold no circle, no routing can
//     make one. Up-down: climbing steps come first by tier, then peer steps, then falling steps, so every turn raises the
//     rank of the link and no turn comes back.
//  2. Exact: the turns the routing makes, for the healthy fabric and for each set of links that may be down, as long as
//     the sets can be counted out.
//  3. What is left is unknown, and says why.
//
// A circle of waiting buffers is necessary for a deadlock (Dally & Seitz 1987), not sufficient: the verdict is "prone".

// loopProof is the outcome for one set of groups that share buffers; nearly always that is one group.
type loopProof struct {
	fabric      *ir.Fabric
	groups      []*ir.CosGroup
	verdict     Verdict
	certificate string
	failures    int  // links down at once that are covered; of a prone verdict, how many must be down
	any         bool // whatever fails
	why         string

	graph *graph // of the healthy fabric; of a prone verdict, of the state it was found in

	// Of a prone verdict.
	loops *loops
	down  []*ir.Link
}

// Bounds on the exact engine over failure sets, so that validate stays a matter of a second or two. They count work,
// not time: the verdict is the same on every machine.
const (
	maxFailureSets = 2_000
	maxFailureWork = 150_000_000 // sets x destinations x (devices + link directions)
)

func proveLoops(f *ir.Fabric) []*loopProof {
	var out []*loopProof
	for _, groups := range shareBuffers(f) {
		p := &loopProof{groups: groups, fabric: f}
		p.prove()
		out = append(out, p)
	}
	return out
}

// shareBuffers sorts the lossless groups into sets whose traffic can fill one another's buffers: all of them under
// link pause, or where a chip keeps one priority group for them.
func shareBuffers(f *ir.Fabric) [][]*ir.CosGroup {
	var lossless []*ir.CosGroup
	for _, g := range f.CosGroups {
		if g.Lossless {
			lossless = append(lossless, g)
		}
	}
	if len(lossless) > 1 && (f.FlowControl == ir.Pause || slices.ContainsFunc(f.Devices, sharesGroup)) {
		return [][]*ir.CosGroup{lossless}
	}
	var out [][]*ir.CosGroup
	for i := range lossless {
		out = append(out, lossless[i:i+1])
	}
	return out
}

// sharesGroup tells whether the device counts all lossless groups of a port in one buffer.
func sharesGroup(d *ir.Device) bool {
	return d.Switch != nil && d.Switch.Model != nil && d.Switch.Model.ASIC != nil && d.Switch.Model.ASIC.SharedPG
}

func (p *loopProof) prove() {
	lossless := p.losslessLinks()
	if forest(p.fabric, lossless) {
		p.verdict, p.certificate, p.any = Free, "forest", true
		p.why = "no lossless link joins two switches, so there is nothing to make a circle of"
		if len(lossless) > 0 {
			p.why = fmt.Sprintf("%s between switches without a circle: no routing can make one", plural(len(lossless), "lossless link"))
		}
		return
	}
	if p.fabric.Routing == ir.UpDown && tiered(lossless) {
		p.verdict, p.certificate, p.any = Free, "up-down", true
		p.why = "rank the lossless links: climbing by tier, then peer steps, then falling by tier; every turn of up-down raises the rank"
		return
	}
	p.exact()
}

// losslessLinks returns the links between devices that forward that any of the groups crosses lossless.
func (p *loopProof) losslessLinks() []*ir.Link {
	var out []*ir.Link
	for _, l := range p.fabric.Links {
		if forwards(l.A.Device) && forwards(l.B.Device) && slices.ContainsFunc(p.groups, func(g *ir.CosGroup) bool {
			return l.A.Carries(g) != nil && l.B.Carries(g) != nil
		}) {
			out = append(out, l)
		}
	}
	return out
}

func forwards(d *ir.Device) bool { return d.Switch != nil || d.Host.Forwards }

// forest tells whether the links hold no circle. Parallel links between two devices are none, since no route turns
// back to where it came from; only flooding does.
func forest(f *ir.Fabric, links []*ir.Link) bool {
	root := make([]int, len(f.Devices))
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	joined := map[[2]int]bool{}
	for _, l := range links {
		a, b := l.A.Device.ID, l.B.Device.ID
		pair := [2]int{min(a, b), max(a, b)}
		if joined[pair] && f.Routing != ir.Flooding {
			continue
		}
		joined[pair] = true
		if a, b = find(a), find(b); a == b {
			return false
		}
		root[a] = b
	}
	return true
}

// tiered tells whether every link goes up, goes down, or is a peer step, and no host stands as a valley between two
// switches.
func tiered(links []*ir.Link) bool {
	below := map[*ir.Device]*ir.Device{} // a host that forwards, and the one device it hangs on
	for _, l := range links {
		if height(l.A.Device) == height(l.B.Device) && !l.Peer {
			return false
		}
		for _, p := range []*ir.Port{l.A, l.B} {
			if p.Device.Host == nil {
				continue
			}
			if on, known := below[p.Device]; known && on != p.Peer().Device {
				return false
			}
			below[p.Device] = p.Peer().Device
		}
	}
	return true
}

// height is the tier of a device that forwards; hosts stand below every switch.
func height(d *ir.Device) int {
	if d.Switch != nil {
		return d.Switch.Tier
	}
	return 0
}

// exact follows the routes of the healthy fabric, then of every set of failed links it has to and can.
func (p *loopProof) exact() {
	if free, err := p.circle(nil); err != nil {
		p.verdict, p.why = Unknown, err.Error()
		return
	} else if !free {
		return
	}
	size := fmt.Sprintf("the turns of %s make no circle among %s", p.fabric.Routing, plural(p.graph.size(), "buffer"))
	p.certificate = "exact"
	if p.fabric.Routing != ir.ShortestPath { // fewer links only take turns away
		p.verdict, p.any = Free, true
		p.why = size + ", and fewer links make fewer turns"
		return
	}
	links := mayFail(p.fabric)
	n := min(p.fabric.Failures, len(links))
	sets := 0
	for k := 1; k <= n; k++ {
		more := choose(len(links), k, maxFailureSets+1)
		if sets+more > maxFailureSets || (sets+more)*p.work() > maxFailureWork {
			p.verdict, p.certificate = Unknown, ""
			p.why = fmt.Sprintf("the healthy fabric is free%s, but with %s down of %d there are too many cases to follow one "+
				"by one, and shortest paths found anew after a failure can come down and go up again",
				covered(p.failures), plural(k, "link"), len(links))
			return
		}
		sets += more
		for down := range combinations(links, k) {
			free, err := p.circle(down)
			if err != nil {
				p.verdict, p.certificate, p.why = Unknown, "", err.Error()
				return
			}
			if !free {
				p.failures, p.certificate = k, ""
				return
			}
		}
		p.failures = k
	}
	p.failures = p.fabric.Failures
	p.verdict = Free
	p.why = size
	if sets > 0 {
		p.why += fmt.Sprintf(", and none with any of the %d sets of up to %s down", sets, plural(n, "link"))
	}
}

func covered(k int) string {
	if k == 0 {
		return ""
	}
	return fmt.Sprintf(", also with any %s down", plural(k, "link"))
}

// circle judges one state of the fabric. A circle found is the proof's result.
func (p *loopProof) circle(down []*ir.Link) (free bool, err error) {
	g, err := newGraph(p.fabric, p.groups, down)
	if err != nil {
		return false, err
	}
	if p.graph == nil {
		p.graph = g
	}
	l := g.loops()
	if l == nil {
		return true, nil
	}
	p.verdict, p.graph, p.loops, p.down = Prone, g, l, slices.Clone(down)
	p.why = fmt.Sprintf("%s wait for each other in a circle: %s", plural(len(l.circle), "buffer"), circleText(l.circle))
	return false, nil
}

// work is what one run of the exact engine costs, in steps.
func (p *loopProof) work() int {
	nodes, directions := 0, 0
	at := map[*ir.Device]bool{}
	for _, d := range p.fabric.Devices {
		if forwards(d) {
			nodes++
		}
	}
	for _, l := range p.fabric.Links {
		switch a, b := forwards(l.A.Device), forwards(l.B.Device); {
		case a && b:
			directions += 2
		case a:
			at[l.A.Device] = true
		case b:
			at[l.B.Device] = true
		}
	}
	return len(p.groups) * ((len(at)+1)*(nodes+directions) + len(p.fabric.Links))
}

// mayFail returns the links whose failure can lead lossless traffic elsewhere: those between devices that forward, and
// those of bonds that balance, where the rest of the bond takes over. Of bonds that are alike, as many as links may fail
// are enough. The cable of a host with no other only takes its traffic away.
func mayFail(f *ir.Fabric) []*ir.Link {
	var out []*ir.Link
	alike := map[string]int{}    // attachment to how many bonds of it are taken
	taken := map[*ir.Bond]bool{} // or left
	for _, l := range f.Links {
		if forwards(l.A.Device) && forwards(l.B.Device) {
			out = append(out, l)
			continue
		}
		for _, p := range []*ir.Port{l.A, l.B} {
			if p.NIC == nil || p.NIC.Bond == nil || p.NIC.Bond.Mode == "active-backup" {
				continue
			}
			take, known := taken[p.NIC.Bond]
			if !known {
				at := attachment(p.NIC)
				alike[at]++
				take = alike[at] <= f.Failures
				taken[p.NIC.Bond] = take
			}
			if take {
				out = append(out, l)
			}
		}
	}
	return out
}

// attachment names what the rest of the fabric can tell about a bond: where it hangs and whom it talks with.
func attachment(n *ir.NIC) string {
	var b strings.Builder
	for _, m := range n.Bond.NICs {
		if m.Port != nil {
			fmt.Fprintf(&b, "%s ", m.Port.Peer().Device.Name)
		}
	}
	for _, in := range n.Intents {
		fmt.Fprintf(&b, "/%s", in.Name)
	}
	return b.String()
}

// choose returns n over k, or limit if that is less.
func choose(n, k, limit int) int {
	c := 1
	for i := 1; i <= k; i++ {
		if c = c * (n - k + i) / i; c >= limit {
			return limit
		}
	}
	return c
}

// combinations yields every choice of k links, in order. The slice is reused.
func combinations(links []*ir.Link, k int) func(func([]*ir.Link) bool) {
	return func(yield func([]*ir.Link) bool) {
		at := make([]int, k)
		set := make([]*ir.Link, k)
		for i := range at {
			at[i] = i
		}
		for {
			for i, j := range at {
				set[i] = links[j]
			}
			if !yield(set) {
				return
			}
			i := k - 1
			for i >= 0 && at[i] == len(links)-k+i {
				i--
			}
			if i < 0 {
				return
			}
			at[i]++
			for j := i + 1; j < k; j++ {
				at[j] = at[j-1] + 1
			}
		}
	}
}

// assumptions are what every free verdict rests on.
func (p *loopProof) assumptions() []string {
	out := []string{
		"hosts drain what they receive and, unless they say forwards = true, pass nothing on",
		"headroom is as checked, so that a full buffer pauses and does not drop",
		"every lossless priority group keeps a guaranteed minimum of at least one frame",
		"no flooded, multicast or unknown-unicast frame is classified lossless",
		"the switches classify as the cos groups say, at every hop",
	}
	if p.certificate == "exact" && p.fabric.FlowControl != ir.Pause {
		out = append(out, "only the members of the roce blocks send in the cos group")
	}
	switch {
	case p.certificate == "forest":
		out = append(out, "no switch sends a frame back where it came from, as in a routing loop")
	case p.fabric.Routing == ir.UpDown:
		out = append(out, "the switches' routing never sends traffic up again after it came down, also while it converges")
	case p.fabric.Routing == ir.ShortestPath:
		out = append(out, "every link costs the same, and the state judged is the one after routing has converged")
	}
	return out
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
