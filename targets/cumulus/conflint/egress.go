package conflint

import (
	"slices"

	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// groupOf returns the priority group whose list contains a cos; empty: no list contains it.
func (u *unit) groupOf(cos int) string {
	for _, t := range u.order {
		if t.row == nil || !t.ok || t.feature() != grammar.PriorityGroup || t.row.Means != grammar.GroupCos || u.cand&t.row.In == 0 {
			continue
		}
		if slices.ContainsFunc(t.list, func(i item) bool { return i.n == cos }) {
			return t.group
		}
	}
	return ""
}

// checkMemoryBeside judges the memory that a datapath.conf gives the lossless cos of a traffic.conf in the same folder.
func (u *unit) checkMemoryBeside() {
	if !u.has(grammar.Datapath) || len(u.lossless) == 0 {
		return
	}
	told := map[string]bool{}
	for _, cos := range u.sortedCos() {
		g := u.groupOf(cos)
		if g == "" || told[g] {
			continue
		}
		told[g] = true
		u.limitedQueues(cos, g)
		u.emptyPools(cos, g)
	}
	u.losslessPool()
}

// limitedQueues finds a lossless cos in a group whose queues are limited. Only the file of Broadcom's chips has such limits; by default it
// limits the queues of bulk.
func (u *unit) limitedQueues(cos int, g string) {
	t := u.of(grammar.PriorityGroup, g, grammar.GroupUnlimited)
	if t == nil || t.on {
		return
	}
	fix := "Set it to true."
	if g != "service" {
		fix = "Put cos " + numbers([]int{cos}) + " into service, whose queues the release does not limit."
	}
	u.warnf(&topicEgress, u.lossless[cos].at, "The lossless cos %d is in the priority group %s, and %s is false: its queues are limited, "+
		"and a full queue drops packets although no port was paused. %s", cos, g, t.key, fix).Note(t.valueAt, "the queues of %s are limited", g)
}

// emptyPools finds a lossless cos in a group without memory. Ingress pool 0 is not reported: it has 0 percent in the file that the release
// ships.
func (u *unit) emptyPools(cos int, g string) {
	least, shared := u.of(grammar.PriorityGroup, g, grammar.GroupLeast), u.of(grammar.PriorityGroup, g, grammar.GroupShared)
	if least != nil && least.real == 0 && shared != nil && shared.real == 0 {
		u.errorf(&topicPools, shared.valueAt, "%s is 0, and so is %s, and the lossless cos %d is in the group: the group has no part of a "+
			"pool. The release has 4 percent shared for service.", shared.key, least.key, cos).Note(u.lossless[cos].at, "cos %d is lossless", cos)
	}
	pool := u.of(grammar.PriorityGroup, g, grammar.GroupPool)
	if pool == nil || !u.overlapping() {
		return
	}
	text, _ := grammar.Unquote(pool.value)
	n, ok := grammar.Number(text, 7)
	for _, way := range ways {
		if p := u.numbered(way.pools, grammar.PoolShare, n); ok && p != nil && p.real == 0 && (n > 0 || way.pools == grammar.EgressPool) {
			u.errorf(&topicPools, p.valueAt, "%s is 0, and the lossless cos %d, in the priority group %s, uses this pool: there is no memory "+
				"for it.", p.key, cos, g).Note(pool.valueAt, "the pool of %s", g)
		}
	}
}

// losslessPool judges the pool that flow_control.service_pool names, in the file for Spectrum.
func (u *unit) losslessPool() {
	if t := u.of(grammar.FlowControl, "", grammar.LosslessPool); t != nil && t.n > 0 {
		for _, way := range ways {
			p := u.setting(way.pools, grammar.PoolShare, t.n, "")
			switch {
			case p == nil:
				u.errorf(&topicPools, t.valueAt, "Lossless traffic uses %s pool %d, and %s is not set, so the pool has no memory. Set it; the "+
					"vendor's preset has 50.0 for ingress and 100.0 for egress.", way.name, t.n,
					grammar.Spell(way.pools, grammar.PoolShare, t.n, ""))
			case p.ok && p.real == 0:
				u.errorf(&topicPools, p.valueAt, "%s is 0, and lossless traffic uses this pool: there is no memory for it. The vendor's preset has "+
					"50.0 for ingress and 100.0 for egress.", p.key).Note(t.valueAt, "lossless traffic uses it")
			}
		}
	}
	if t := u.setting(grammar.FlowControl, grammar.LosslessEgressQuota, -1, ""); t != nil {
		text, _ := grammar.Unquote(t.value)
		if q, ok := grammar.ReadQuota(text); ok && q != grammar.Infinite {
			u.warnf(&topicEgress, t.valueAt, "By %s a queue of lossless traffic may hold only a part of its pool, and drops further packets "+
				"although no port was paused. Set it to 15 (no limit), or remove the line.", t.key)
		}
	}
}
