package validate

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/proof"
)

// adviceShare is the share of the budget for the search for ways out, in addition to the proof. With the default budget it is a quarter of
// a second, which is also its minimum.
const adviceShare = 240

// adviser finds ways out of PFC loops. For each change, it runs the proof and all checks again. It offers the change if the proof is free,
// no check finds a new error, and every pair of members still has a route. It measures the price on the changed routes.
type adviser struct {
	*proof.Proof
	pass    *Pass
	budget  *ir.Budget
	ways    []string
	trials  []*trial // of the ways; nil for a way that has no trial
	tried   *trial   // the last trial that helps, until its way is added
	untried []string // trials that did not fit into the budget
	planned int      // number of the way with a plan of AS numbers, from 1; 0: none

	before     map[finding]bool // findings in the unchanged fabric; nil: not judged yet
	pairs      []*pair          // pairs of members that talk
	every      int              // one in so many pairs is measured
	neighbours [][]*ir.Device   // cache, by Device.ID: the switches cabled to it
}

// finding is the key by which findings of two runs of a check are compared.
type finding struct {
	code     string
	severity diag.Severity
	at       diag.Range
}

func newAdviser(p *Pass, l *proof.Proof) *adviser {
	return &adviser{Proof: l, pass: p, budget: ir.NewBudget(max(p.steps, DefaultBudget) / adviceShare)}
}

// waysOut ranks the changes that break every circle, cheapest first, each with its price. Changes that forbid the turn come first, then
// those that make it lossy, fewer cables, fewer tolerated failures, fewer members that talk, and last the accepted risk. No change has
// edits for a program: it describes devices, and rocec writes nothing that makes devices behave so.
func (p *Pass) waysOut(l *proof.Proof) *diag.Fix {
	a := newAdviser(p, l)
	for _, propose := range a.proposals() {
		propose()
	}
	return a.fix()
}

// proposals returns the searches for ways out, cheapest first.
func (a *adviser) proposals() []func() {
	return []func(){a.lay, a.routing, a.groups, a.cable, a.promise, a.talkers, a.accept}
}

// accept proposes to accept the risk.
func (a *adviser) accept() {
	a.add("allow_deadlock = \"reason\" on %s (price: the risk stays, and plan and apply repeat it every time)", groupsText(a.Groups))
}

// fix lists the ways out, and the trials that were left out.
func (a *adviser) fix() *diag.Fix {
	fix := waysText(a.ways)
	if a.untried != nil {
		fix.Message += fmt.Sprintf("\nnot judged: %s, as the search for ways out ended; --budget %s gives it more", diag.And(a.untried),
			budgetValue(10*a.pass.steps))
	}
	return fix
}

// more returns a further price to append to another one.
func (t *trial) more() string {
	if t.price == "" {
		return ""
	}
	return "; " + t.price
}

func (a *adviser) add(format string, args ...any) {
	a.ways = append(a.ways, fmt.Sprintf(format, args...))
	a.trials, a.tried = append(a.trials, a.tried), nil
}

// trial is a judged fabric with a change.
type trial struct {
	fabric *ir.Fabric
	change proof.Change
	price  string // the measured price, and new warnings
}

// try judges the fabric with a change. It returns nil if the change does not help, or does harm. It remembers trials that did not fit into
// the budget.
func (a *adviser) try(what string, c proof.Change) *trial {
	changed, proofs, free, ok := a.Try(c, a.budget)
	if ok && !free {
		return nil
	}
	var warnings []string
	if ok {
		if warnings, free, ok = a.checked(changed, proofs, c); ok && !free {
			return nil
		}
	}
	if !ok {
		if !slices.Contains(a.untried, what) {
			a.untried = append(a.untried, what)
		}
		return nil
	}
	t := &trial{fabric: changed, change: c}
	var parts []string
	if c.Apart == nil && c.Bounce == nil && c.Lossy == nil && c.Fewer == 0 { // other changes change no route
		cost := a.measure(changed)
		if cost.lost > 0 {
			return nil
		}
		parts = append(parts, cost.text())
	}
	if warnings != nil {
		parts = append(parts, fmt.Sprintf("validate then warns of %s", diag.And(warnings)))
	}
	t.price, a.tried = strings.Join(parts, "; "), t
	return t
}

// checked runs all checks on the changed fabric. fine reports that they find no new error, and no new members without a path. warnings are
// the codes of new warnings. ok is false if the budget ran out.
func (a *adviser) checked(changed *ir.Fabric, proofs []*proof.Proof, c proof.Change) (warnings []string, fine, ok bool) {
	const each = 40 // steps for every device, port and link
	if !a.budget.Spend(each * (len(changed.Devices) + len(changed.Ports) + len(changed.Links))) {
		return nil, false, false
	}
	if a.before == nil {
		a.before = map[finding]bool{}
		for d := range a.pass.others(a.Fabric, a.pass.loops) {
			a.before[finding{d.Code, d.Severity, d.At}] = true
		}
	}
	for d, check := range a.pass.others(changed, func() []*proof.Proof { return proofs }) {
		switch {
		case a.before[finding{d.Code, d.Severity, d.At}]:
		case c.Detour && d.At.Filename == "": // about the group that only the trial has
		case c.Apart != nil && check.Parts && d.Severity != diag.Error: // the change itself makes a block with one member
		case d.Severity == diag.Error || check.Parts:
			return nil, false, true
		case d.Severity == diag.Warning && !slices.Contains(warnings, d.Code):
			warnings = append(warnings, d.Code)
		}
	}
	return warnings, true, true
}

// others yields the findings of all checks in a fabric, except those about the proof.
func (p *Pass) others(f *ir.Fabric, loops func() []*proof.Proof) iter.Seq2[*diag.Diagnostic, *Check] {
	return func(yield func(*diag.Diagnostic, *Check) bool) {
		for _, c := range p.all {
			if c.Loops {
				continue
			}
			own := &Pass{Fabric: f, check: c, loops: loops, all: p.all, steps: p.steps}
			c.Run(own)
			for _, d := range own.found {
				if !yield(d, c) {
					return
				}
			}
		}
	}
}

// routing proposes routing that avoids the circle.
func (a *adviser) routing() {
	f := a.Fabric
	switch f.Routing {
	case ir.Flooding:
		if t := a.try("spanning tree", proof.Change{Routing: ir.SpanningTree}); t != nil {
			a.add(`run spanning tree on every link of the switches, which rocec neither writes nor sees, and then write routing = "spanning-tree" `+
				`(price: blocked links carry nothing; %s)`, t.price)
		}
	case ir.TablePath:
		if at := valleys(a.Loops[0].Circle); a.Tiered() && at != nil && a.try(upDownRouting, proof.Change{Routing: ir.UpDown}) != nil {
			a.add("correct the next hops at %s, and wherever else traffic goes up again after it came down (price: pairs left without such a path "+
				"by failures lose each other)", nodeset.Text(at, nodeset.Devices, namesRoom))
		}
	case ir.ShortestPath, ir.EBGP, ir.AnyPath:
		a.asPlan()
		a.upDown()
	}
}

// asPlan proposes AS numbers that forbid paths down and up again.
func (a *adviser) asPlan() {
	plan := a.ASPlan()
	if plan == nil {
		return
	}
	numbers := map[*ir.Device]int{}
	for i, d := range a.Fabric.Devices {
		if d.Switch != nil {
			numbers[d] = len(plan) + i + 1
		}
	}
	for i, set := range plan {
		for _, d := range set {
			numbers[d] = i + 1
		}
	}
	if t := a.try("AS numbers", proof.Change{Routing: ir.EBGP, ASN: numbers}); t != nil {
		a.add("%s (price: %s)", planWay(a.Fabric, plan), t.price)
		a.planned = len(a.ways)
	}
}

// routers proposes routing that never goes up again with the present tiers, and reports whether it helps.
func (a *adviser) routers() bool {
	if !a.Tiered() {
		return false
	}
	t := a.try(upDownRouting, proof.Change{Routing: ir.UpDown})
	if t == nil {
		return false
	}
	by := ""
	if a.planned > 0 {
		by = fmt.Sprintf(", for example by the AS numbers of %d", a.planned)
	}
	a.add("%s%s (price: %s)", routersText, by, t.price)
	return true
}

// upDown proposes routing that never goes up again: with the present tiers, with peer links, or with other tiers.
func (a *adviser) upDown() {
	if a.routers() {
		return
	}
	level, orients := a.TieredBut()
	if orients && len(level) > 0 && spreadOverTiers(a.Fabric) {
		if t := a.try(upDownRouting, proof.Change{Routing: ir.UpDown, Peers: level}); t != nil {
			a.add("peer = true on %s; %s; a path has at most one peer step, between up and down (price: %s)",
				someOf(blocksOf(level)), routersText, t.price)
			return
		}
	}
	a.tiers()
}

// upDownRouting names a trial that did not fit into the budget.
const upDownRouting = "routing that goes up, then down"

// groups proposes cos groups that make the circle lossy.
func (a *adviser) groups() {
	f := a.Fabric
	if a.MayBounce() {
		const may = "if the switches can move traffic that goes up again after coming down"
		const what = "bounces into another cos group"
		if lossy := slices.IndexFunc(f.CosGroups, func(g *ir.CosGroup) bool { return !g.Lossless && !g.Strict }); lossy >= 0 {
			into := f.CosGroups[lossy]
			if t := a.try(what, proof.Change{Bounce: into}); t != nil {
				a.add("bounce = cos_group.%s on %s, %s (price: such frames may be dropped%s)", into.Name, groupsText(a.Groups), may, t.more())
			}
			if oneMoreLossless(f) {
				if t := a.try(what, proof.Change{Bounce: into, Detour: true}); t != nil {
					a.add("a separate lossless cos group for it, %s, with bounce = cos_group.%s (price: one of the few lossless groups of the "+
						"chips; only frames that go up twice may be dropped%s)", may, into.Name, t.more())
				}
			}
		}
	}
	if len(a.Groups) == 1 || f.FlowControl == ir.Pause || !slices.ContainsFunc(f.Devices, (*ir.Device).SharesBuffer) {
		return
	}
	for _, keep := range a.Groups {
		others := slices.DeleteFunc(slices.Clone(a.Groups), func(g *ir.CosGroup) bool { return g == keep })
		if t := a.try("fewer lossless cos groups", proof.Change{Lossy: others}); t != nil {
			a.add("lossless = true on %s only, and not on %s, since the chips keep one buffer for all of them (price: the others may drop "+
				"frames%s)", groupsText([]*ir.CosGroup{keep}), groupsText(others), t.more())
			return
		}
	}
}

// cable proposes a cable to take out.
func (a *adviser) cable() {
	cut := a.Cut
	if cut == nil {
		return
	}
	t := a.try("fewer cables", proof.Change{Without: cut})
	if t == nil {
		return
	}
	covers := ""
	if n := a.Fabric.Failures; n > 0 {
		covers = fmt.Sprintf("; it has been tried, also with up to %s more down", diag.Count(n, "link"))
	}
	a.add("take out one cable of the circle, for example %s - %s (price: its %s; %s%s)", cut.A(), cut.B(), rateText(cut.Speed.N), t.price,
		covers)
}

// lay proposes to lay the planned cables whose absence makes the circle.
func (a *adviser) lay() {
	n := len(planned(a.Loops[0].Down))
	if n == 0 || a.try("planned cables that are laid", proof.Change{Laid: true}) == nil {
		return
	}
	a.add("lay the planned %s before RoCE runs between these members (with all cables laid there is no circle)",
		diag.Plural(n, "cable", "cables"))
}

// promise proposes to tolerate fewer failures.
func (a *adviser) promise() {
	n := a.Proof.Failures
	if n == 0 || !a.Fewest {
		return
	}
	if a.try("a smaller number of failures", proof.Change{Fewer: a.Fabric.Failures - (n - 1)}) != nil {
		a.add("failures = %d (price: the proof no longer covers %s down)", n-1, diag.Count(n, "link"))
	}
}

// talkers proposes that fewer members talk. It separates the members on one or two switches at the ends of the flows that fill the circle.
func (a *adviser) talkers() {
	f, flows := a.Fabric, a.Loops[0].Flows
	if f.Routing == ir.AnyPath || f.Routing == ir.Flooding || len(flows) < 2 {
		return
	}
	const most = 8
	var ends []*ir.Device
	for _, flow := range flows {
		for _, p := range []*ir.Port{flow.Ports[0], flow.Ports[len(flow.Ports)-1]} {
			d := p.Device()
			if !d.Forwards() {
				d = p.Peer().Device()
			}
			if !slices.Contains(ends, d) && len(ends) < most {
				ends = append(ends, d)
			}
		}
	}
	var sets [][]*ir.Device
	for _, d := range ends {
		sets = append(sets, []*ir.Device{d})
	}
	for i, d := range ends {
		for _, e := range ends[i+1:] {
			sets = append(sets, []*ir.Device{d, e})
		}
	}
	for _, set := range sets {
		lost, all := a.partedBy(set)
		if lost == 0 {
			continue
		}
		if t := a.try("fewer members that talk", proof.Change{Apart: set}); t != nil {
			how := fmt.Sprintf("split %s so that those on %s are in a block of their own", a.intentsText(), deviceNames(set))
			if alone := a.aloneOn(set); alone != "" {
				how = alone
			}
			a.add("let fewer members talk: %s (price: %s of %s of members have no RoCE between them%s)", how, diag.Number(lost),
				diag.Count(all, "pair"), t.more())
			return
		}
		if a.budget.Left() == 0 {
			return
		}
	}
}

// aloneOn returns text that takes out the members on some switches, if a separate block for them would have one member and so no traffic;
// empty if the block would have more.
func (a *adviser) aloneOn(set []*ir.Device) string {
	var nics, blocks []string
	for _, in := range a.Fabric.Intents {
		if !slices.Contains(a.Groups, in.Group) {
			continue
		}
		on := slices.DeleteFunc(slices.Clone(in.Members), func(m *ir.Member) bool { return !proof.OnAny(m.NIC, set) })
		switch {
		case len(on) > 1, len(on) == 1 && on[0].NIC.Bond != nil:
			return ""
		case len(on) == 1:
			if n := on[0].NIC.Device.Name + ":" + on[0].NIC.Name; !slices.Contains(nics, n) {
				nics = append(nics, n)
			}
			blocks = append(blocks, fmt.Sprintf("roce %q", in.Name))
		}
	}
	if nics == nil {
		return ""
	}
	return fmt.Sprintf("take %s out of %s, with roce = false on %s", diag.And(nics), someOf(blocks),
		diag.Plural(len(nics), "that NIC", "those NICs"))
}

// partedBy counts the pairs of members that talk. lost counts those that no longer talk if the members on some switches have a separate
// block.
func (a *adviser) partedBy(set []*ir.Device) (lost, all int) {
	for _, in := range a.Fabric.Intents {
		if !slices.Contains(a.Groups, in.Group) {
			continue
		}
		on := 0
		for _, m := range in.Members {
			if proof.OnAny(m.NIC, set) {
				on++
			}
		}
		lost += on * (len(in.Members) - on)
		all += len(in.Members) * (len(in.Members) - 1) / 2
	}
	return lost, all
}

// intentsText returns the names of the roce blocks with traffic in the groups.
func (a *adviser) intentsText() string {
	var out []string
	for _, in := range a.Fabric.Intents {
		if slices.Contains(a.Groups, in.Group) {
			out = append(out, fmt.Sprintf("roce %q", in.Name))
		}
	}
	return someOf(out)
}

// planWay returns text about switches that share AS numbers.
func planWay(f *ir.Fabric, plan [][]*ir.Device) string {
	if f.Routing == ir.EBGP {
		return planText(plan) + ", so that the AS-loop check refuses every path down and up again; configure the switches so, which rocec " +
			"neither " +
			"writes nor sees yet"
	}
	return "eBGP on the switches by this plan, which rocec neither writes nor sees yet, and only then routing = \"ebgp\" with " +
		planText(plan) +
		", and a different one for every other switch: the AS-loop check refuses every path down and up again"
}

// routersText describes the routing for which routing = "up-down" is true. rocec writes no such routing.
const routersText = `have the switches' routing never send traffic up again after it came down (rocec neither writes nor sees that yet), ` +
	`and only then write routing = "up-down"`

// oneMoreLossless reports whether all switches support another lossless group with a separate buffer.
func oneMoreLossless(f *ir.Fabric) bool {
	lossless := 0
	for _, g := range f.CosGroups {
		if g.Lossless {
			lossless++
		}
	}
	return f.FlowControl == ir.PFC && !f.Coupled() && !slices.ContainsFunc(f.Devices, func(d *ir.Device) bool {
		return d.Switch != nil && (d.Switch.Can.Shared || d.Switch.Can.Lossless <= lossless)
	})
}

// valleys returns the names of the devices at which the circle goes up again after it came down.
func valleys(circle []Wait) []string {
	var out []string
	for _, h := range circle {
		if h.Valley() && !slices.Contains(out, h.In.Device().Name) {
			out = append(out, h.In.Device().Name)
		}
	}
	return out
}

func waysText(ways []string) *diag.Fix {
	var b strings.Builder
	b.WriteString("any one of these, cheapest first:")
	for i, w := range ways {
		fmt.Fprintf(&b, "\n%d. %s", i+1, w)
	}
	return &diag.Fix{Message: b.String()}
}

// planText returns the switches that should share an AS number.
func planText(plan [][]*ir.Device) string {
	const most = 4
	var sets []string
	for i, set := range plan {
		if i == most {
			sets = append(sets, fmt.Sprintf("likewise for %s", diag.Count(len(plan)-most, "more set")))
			break
		}
		sets = append(sets, "one for "+deviceNames(set))
	}
	return "AS numbers (asn) shared between switches: " + strings.Join(sets, ", ")
}

// spreadOverTiers reports whether the switches have more than one tier.
func spreadOverTiers(f *ir.Fabric) bool {
	first := 0
	for _, d := range f.Devices {
		if d.Switch != nil {
			if first != 0 && d.Switch.Tier != first {
				return true
			}
			first = d.Switch.Tier
		}
	}
	return false
}

// blocksOf returns the names of the blocks that lay the links.
func blocksOf(links []*ir.Link) []string {
	var out []string
	for _, l := range links {
		name := l.Block
		if name == "" {
			name = fmt.Sprintf("%s - %s", l.A(), l.B())
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
