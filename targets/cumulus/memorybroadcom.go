package cumulus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

// The file of Broadcom's chips has no pool for lossless traffic: a lossless cos uses the memory of its priority group. In releases of 3.x
// the groups control, service and bulk are in the pools 1, 2 and 0. On ingress these pools have 3, 2 and 0 percent of the memory; on egress
// 90, 90 and 75 percent. The groups have min_percent 0, 0 and 40, and shared_percent 44, 4 and 20. Source: such a file, printed by an image
// of 3.2. No manual states the base of these percents (bulk uses a pool of 0 percent), so rocec only rejects values that are certainly
// wrong.

// broadcomGroup contains what the file states about the memory of a priority group.
type broadcomGroup struct {
	name          string
	pool          int
	in, out       share // percents of the pool
	least, shared share // percents of the group
	others        []string
}

func broadcomGroupOf(have grammar.Values, group string) broadcomGroup {
	pool := func(of string) (int, bool) {
		v, ok := have.Get(grammar.PriorityGroup, grammar.GroupPool, -1, of)
		text, _ := grammar.Unquote(v)
		n, isNumber := grammar.Number(text, 7)
		return n, ok && isNumber
	}
	g := broadcomGroup{
		name:   group,
		least:  shareOf(have, grammar.PriorityGroup, grammar.GroupLeast, -1, group),
		shared: shareOf(have, grammar.PriorityGroup, grammar.GroupShared, -1, group),
	}
	g.pool, _ = pool(group)
	g.in = shareOf(have, grammar.IngressPool, grammar.PoolShare, g.pool, "")
	g.out = shareOf(have, grammar.EgressPool, grammar.PoolShare, g.pool, "")
	for _, other := range []string{control, service, bulk} {
		if n, stated := pool(other); other != group && stated && n == g.pool {
			g.others = append(g.others, other)
		}
	}
	return g
}

// broadcom judges the memory of the priority groups with lossless cos, in the file of Broadcom's chips.
func (j *memoryJudge) broadcom(have grammar.Values) []target.Fact {
	d := j.device
	if j.overdrawn(ingressPools(have)) {
		return nil
	}
	roce := roceGroups(d.Fabric)
	seen := map[string]bool{}
	var facts []target.Fact
	for _, g := range d.Fabric.CosGroups {
		group := classOf(g, roce)
		if !slices.ContainsFunc(d.Ports, func(p *ir.Port) bool { return p.Carries(g) != nil }) || seen[group] {
			continue
		}
		seen[group] = true
		if !j.pool(broadcomGroupOf(have, group), g) {
			continue
		}
		key := memoryKey(grammar.PriorityGroup, grammar.GroupUnlimited, -1, group)
		v, stated := have[key]
		text, _ := grammar.Unquote(v)
		switch on, _ := grammar.Bool(text); {
		case !stated:
			topicMemoryUnread.Noticef(j.found, j.at, "%s does not state %s, so it is unknown whether queues of the lossless cos group %q are "+
				"limited. The file of the release states the key.", j.path, key, g.Name)
		case !on:
			topicMemoryEgress.Errorf(j.found, j.at, "By %s the queues of priority group %s are limited (%s is false), and the lossless cos "+
				"group %q is in it: a full queue drops packets although ports upstream were not paused. The proof assumes that queues do not drop. "+
				"Set the key to true.",
				j.path, group, key, g.Name)
		default:
			facts = append(facts, target.Fact{Name: "memory model", Value: fmt.Sprintf("queues of priority group %s, with the "+
				"lossless cos group %s, are not limited; %s (%s)", group, g.Name, broadcomGroupOf(have, group).text(), j.path)})
		}
	}
	return facts
}

// pool judges the ingress and egress memory of a priority group. It returns false for a group without memory, which gets no further
// finding.
func (j *memoryJudge) pool(b broadcomGroup, g *ir.CosGroup) bool {
	in, out := memoryKey(grammar.IngressPool, grammar.PoolShare, b.pool, ""), memoryKey(grammar.EgressPool, grammar.PoolShare, b.pool, "")
	least := memoryKey(grammar.PriorityGroup, grammar.GroupLeast, -1, b.name)
	shared := memoryKey(grammar.PriorityGroup, grammar.GroupShared, -1, b.name)
	uses := fmt.Sprintf("By %s the lossless cos group %q uses pool %d, as priority group %s does", j.path, g.Name, b.pool, b.name)
	none := ""
	switch {
	case b.pool > 0 && b.in.none():
		none = in + " " + b.in.missing()
	case b.out.none():
		none = out + " " + b.out.missing()
	case b.shared.stated && b.shared.percent == 0 && b.least.percent == 0:
		none = shared + " is 0, and " + least + " " + b.least.missing()
	}
	if none != "" {
		topicMemoryPool.Errorf(j.found, j.at, "%s, but %s: its packets have no memory. In the file of the release the pool of service has 2 "+
			"percent on ingress and 90 on egress, and the group a shared_percent of 4.", uses, none)
		return false
	}
	if len(b.others) > 0 {
		topicMemoryShared.Noticef(j.found, j.at, "%s, and so %s %s: traffic of other groups can fill the pool, and ports then pause early. "+
			"In the file of the release each group has a pool.", uses, diag.Plural(len(b.others), "does", "do"), strings.Join(b.others, " and "))
	}
	mem := j.device.Memory()
	holds, enters := b.out.percent/100*float64(mem.Chip), float64(mem.Lossless)+b.in.percent/100*float64(mem.Chip-mem.Lossless)
	if holds < enters && mem.Fits() {
		topicMemoryEgress.Warnf(j.found, j.at, "%s. On egress the pool has %g %% of the memory (%s), %s, but %s can enter: the buffers of "+
			"%s, and the ingress pool. The manuals do not state whether unlimited_egress_buffer lifts that limit; if not, the switch drops the "+
			"excess after it accepted it. The file of the release has "+
			"90.", uses, b.out.percent, out, diag.Bytes(int(holds)), diag.Bytes(int(enters)),
			diag.Count(mem.Buffers, "lossless port"))
	}
	if !b.shared.stated {
		topicMemoryUnread.Noticef(j.found, j.at, "%s does not state %s, so the share of the lossless cos group %q in pool %d is unknown. The "+
			"file of the release states the key.", j.path, shared, g.Name, b.pool)
	}
	return true
}

// none reports whether a pool has no memory; missing states the reason, as part of a sentence.
func (s share) none() bool { return !s.stated || s.percent == 0 }

func (s share) missing() string {
	if s.stated {
		return "is 0"
	}
	return "is not set"
}

// text describes the memory of the group.
func (b broadcomGroup) text() string {
	part := func(s share) string {
		if !s.stated {
			return "?"
		}
		return fmt.Sprintf("%g %%", s.percent)
	}
	return fmt.Sprintf("pool %d with %s in and %s out, min_percent %s, shared_percent %s", b.pool,
		part(b.in), part(b.out), part(b.least), part(b.shared))
}
