package conflint

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// checkMarking judges the thresholds of ECN and RED, in groups in force and in the default profile.
func (u *unit) checkMarking() {
	for _, f := range grammar.Marking {
		for _, g := range u.listed(f) {
			u.marking(f, g.text)
		}
	}
	for _, f := range grammar.DefaultMarking {
		u.marking(f, "")
	}
}

// marking judges one group of a feature, or its only profile.
func (u *unit) marking(f grammar.Feature, group string) {
	get := func(m grammar.Meaning) *setting { return u.of(f, group, m) }
	low, high, chance := get(grammar.MinThreshold), get(grammar.MaxThreshold), get(grammar.Probability)
	for _, t := range []*setting{low, high, chance} {
		if t == nil || t.n > 0 {
			continue
		}
		what := "every packet is marked, even without a queue"
		if t == chance {
			what = "no packet is marked below the maximum, and every packet above it"
		}
		if t == high {
			what = "every packet in a queue is marked"
		}
		sev := diag.Error
		if t == chance {
			sev = diag.Warning
		}
		u.found.Report(sev, &topicThresholds, t.valueAt, "%s is 0: %s. Set it above 0; the vendor's preset has 153600, 1536000 and "+
			"100.", t.key, what)
	}
	if low != nil && high != nil && low.n > 0 && high.n > 0 && low.n > high.n {
		u.errorf(&topicThresholds, high.valueAt, "%s is %s bytes, and the minimum %s: the probability applies between them, so the maximum "+
			"must not be smaller than the minimum. The vendor's preset has 153600 and "+
			"1536000.", high.key, diag.Number(high.n), diag.Number(low.n)).Note(low.valueAt,
			"marking begins here")
	}
	memory, what := u.memory()
	for _, t := range []*setting{low, high} {
		if t != nil && t.n > memory {
			u.warnf(&topicThresholds, t.valueAt, "%s is %s. %s has %s, so no queue can reach that length. The vendor's preset has 153600 and "+
				"1536000.",
				t.key, bytesText(t.n), what, bytesText(memory))
			break
		}
	}
	lone := (low == nil) != (high == nil)
	if lone && u.setting(f, grammar.MinThreshold, -1, group) == low && u.setting(f, grammar.MaxThreshold, -1, group) == high {
		t, other := low, grammar.MaxThreshold
		if t == nil {
			t, other = high, grammar.MinThreshold
		}
		u.warnf(&topicThresholds, t.keyAt, "%s is set, but %s is not. With its default the minimum may be above the maximum. Set "+
			"both.", t.key, grammar.Spell(f, other, -1, group))
	}
	red, marks := get(grammar.DropsEarly), get(grammar.Marks)
	if red != nil && !red.on && marks != nil && !marks.on && !u.carries(f, group) {
		u.noticef(&topicThresholds, marks.valueAt, "%s neither marks nor drops: ecn_enable and red_enable are both false.", profile(f, group))
	}
}

// carries reports whether a marking group has a lossless cos. A separate check reports a lossless cos without marking.
func (u *unit) carries(f grammar.Feature, group string) bool {
	cos, queues := u.of(f, group, grammar.GroupCos), u.of(f, group, grammar.GroupQueues)
	has := func(t *setting, n int) bool {
		return t != nil && slices.ContainsFunc(t.list, func(e item) bool { return e.n == n })
	}
	return slices.ContainsFunc(u.sortedCos(), func(c int) bool { return has(cos, c) || has(queues, u.queueOf(c)) })
}

// queueOf returns the egress queue of a cos: the queue that qos_infra.conf states, else the queue with the number of the cos.
func (u *unit) queueOf(cos int) int {
	if t := u.numbered(grammar.QueueOfCos, grammar.EgressQueue, cos); t != nil {
		return t.n
	}
	return cos
}

// checkBandwidth checks the sum of the shares of egress queues, and that the queues of lossless cos have a share.
func (u *unit) checkBandwidth() {
	u.bandwidth(grammar.DefaultSched, "")
	for _, g := range u.listed(grammar.EgressSched) {
		u.bandwidth(grammar.EgressSched, g.text)
	}
}

// bandwidth judges the shares of one group of a feature, or of its only profile.
func (u *unit) bandwidth(f grammar.Feature, group string) {
	var queues [8]*setting
	var last *setting
	sum, whole := 0, true
	for q := range queues {
		t := u.setting(f, grammar.QueueShare, q, group)
		if t == nil {
			continue
		}
		queues[q], last = t, t
		whole = whole && t.ok
		sum += t.n
	}
	if last == nil || !whole {
		return
	}
	if sum > 100 {
		u.errorf(&topicBandwidth, last.valueAt, "The shares of the queues in %s sum to %d percent, and a link has 100. The release refuses "+
			"the file, or gives queues other shares than stated. Lower some shares.", profile(f, group), sum)
	}
	for _, cos := range u.sortedCos() {
		q := u.queueOf(cos)
		if queues[q] == nil {
			u.warnf(&topicBandwidth, last.keyAt, "%s gives queue %d, which the lossless cos %d uses, no share: the queue is served only when "+
				"all others are empty. Set %s.", profile(f, group), q, cos, grammar.Spell(f, grammar.QueueShare, q, group)).
				Note(u.lossless[cos].at, "cos %d is lossless", cos)
		}
	}
}

// profile returns the beginning of the keys of a group of a feature, or of its only profile.
func profile(f grammar.Feature, group string) string {
	if group == "" {
		return string(f)
	}
	return string(f) + "." + group
}

// ways are the two directions through a switch, each with its pools.
var ways = []struct {
	name     string
	pools    grammar.Feature
	lossless grammar.Meaning // names the pool that lossless traffic uses
}{
	{"ingress", grammar.IngressPool, grammar.LosslessIngressPool},
	{"egress", grammar.EgressPool, grammar.LosslessEgressPool},
}

// checkPools checks the sum of the memory pools, and that lossless traffic has a pool if the release requires one.
func (u *unit) checkPools() {
	for _, way := range ways {
		sum, infinite := 0.0, 0.0
		var last *setting
		for p := range 8 {
			t := u.numbered(way.pools, grammar.PoolShare, p)
			if t == nil {
				continue
			}
			sum += t.real
			last = t
			if t.row.In&u.cand&grammar.Datapath != 0 && way.pools == grammar.EgressPool && u.flowPool() == p {
				infinite = t.real
			}
		}
		if last == nil || sum <= 100 || way.pools == grammar.EgressPool && u.overlapping() {
			continue
		}
		if sum-infinite <= 100 { // in the vendor's preset of 3.7 the lossless egress pool overlaps the others
			continue
		}
		u.errorf(&topicPools, last.valueAt, "The %s pools sum to %g percent of the chip's memory, which is more than 100. Lower some of "+
			"them.", way.name, sum)
	}
	in := u.setting(grammar.FlowControl, grammar.LosslessIngressPool, -1, "")
	out := u.setting(grammar.FlowControl, grammar.LosslessEgressPool, -1, "")
	if in != nil && out != nil && in.ok && out.ok && in.n != out.n {
		u.warnf(&topicPools, out.valueAt, "Lossless traffic uses ingress pool %d and egress pool %d. In the manuals of 4.4 and 5.x a switch "+
			"has one lossless pool. Use one number.",
			in.n, out.n).Note(in.valueAt, "the ingress pool")
	}
	pausing := u.pausingGroups()
	if len(pausing) == 0 || !u.has(grammar.QoSInfra) {
		return
	}
	if in != nil && in.ok {
		for _, t := range u.order {
			if t.row != nil && t.row.Means == grammar.GroupPool && t.value == fmt.Sprint(in.n) {
				u.errorf(&topicPools, in.valueAt, "Lossless traffic uses ingress pool %d, and so does the lossy traffic of the priority group %s, "+
					"which can fill the pool. From 4.4 on the manuals require a pool for lossless traffic alone: give it a separate pool, with half "+
					"of the memory.", in.n, show(t.group)).Note(t.valueAt, "lossy traffic is here")
				return
			}
		}
	}
	for _, way := range ways {
		t := u.setting(grammar.FlowControl, way.lossless, -1, "")
		if t == nil {
			u.errorf(&topicPools, pausing[0].at, "PFC or link pause is on, and qos_infra.conf sets no %s. From 4.4 on the manuals require a "+
				"pool for lossless traffic before PFC: set it, and give the pool half of the "+
				"memory.", grammar.Spell(grammar.FlowControl, way.lossless, -1, ""))
			return
		}
		if !t.ok {
			continue
		}
		p := u.setting(way.pools, grammar.PoolShare, t.n, "")
		if p == nil {
			u.errorf(&topicPools, t.valueAt, "Lossless traffic uses %s pool %d, and %s is not set, so the pool has no memory. Set it, for "+
				"example to 50.0.", way.name, t.n, grammar.Spell(way.pools, grammar.PoolShare, t.n, ""))
		} else if p.ok && p.real == 0 {
			u.errorf(&topicPools, p.valueAt, "%s is 0, and lossless traffic uses this pool: there is no memory for it. Set it, for example to "+
				"50.0.", p.key).
				Note(t.valueAt, "lossless traffic uses it")
		}
	}
}

// overlapping reports whether the sum of the egress pools may exceed the memory. It may in the file of Broadcom's chips, which gives
// groups percents of their pools. In the shipped file of 3.x the egress pools have 75, 90 and 90 percent.
func (u *unit) overlapping() bool {
	return slices.ContainsFunc(u.order, func(t *setting) bool {
		return t.row != nil && (t.row.Means == grammar.GroupUnlimited || t.row.Means == grammar.GroupShared || t.row.Means == grammar.GroupLeast)
	})
}

// flowPool returns the number of the lossless pool in datapath.conf; -1: it is not stated.
func (u *unit) flowPool() int {
	if t := u.of(grammar.FlowControl, "", grammar.LosslessPool); t != nil {
		return t.n
	}
	return -1
}

// checkCutThrough finds link pause beside cut-through forwarding.
func (u *unit) checkCutThrough() {
	t := u.setting(grammar.Forwarding, grammar.CutThrough, -1, "")
	groups := u.listed(grammar.LinkPause)
	if t == nil || len(groups) == 0 || !u.cand.Only(grammar.T0|grammar.T1|grammar.T2|grammar.T3) || u.spectrum() {
		return
	}
	if on, _ := grammar.Bool(strings.Trim(t.value, `"`)); !on {
		return
	}
	sev, which := diag.Notice, "If this is a Broadcom switch, set"
	if u.cand.Only(grammar.T0) || u.broadcom() {
		sev, which = diag.Warning, "Set"
	}
	u.found.Report(sev, &topicCutThrough, t.valueAt, "Link pause is on, and so is cut-through forwarding. The manuals of 3.x say that on "+
		"Broadcom the two together cause overruns, underruns and damaged packets. %s cut_through_enable = false, or use "+
		"PFC.", which).Note(groups[0].at, "link pause is on")
}

// checkWatchdog finds watched ports without PFC and link pause.
func (u *unit) checkWatchdog() {
	var paused []span
	everywhere := false
	u.pausing(func(f grammar.Feature, g item) {
		if set := u.setting(f, grammar.GroupPorts, -1, g.text); set != nil {
			spans, every := set.spans()
			paused, everywhere = append(paused, spans...), everywhere || every || !set.ok // an unreadable item may be any port
		}
	})
	if everywhere {
		return
	}
	merged := merge(paused)
	for _, g := range u.listed(grammar.Watchdog) {
		set := u.of(grammar.Watchdog, g.text, grammar.GroupPorts)
		if set == nil {
			continue
		}
		spans, every := set.spans()
		if every {
			u.noticef(&topicWatchdog, set.valueAt, "%s names all ports; the watchdog works only on those with PFC or link pause.", set.key)
			continue
		}
		for _, s := range spans {
			i := reaching(merged, s.A)
			if i == len(merged) || merged[i].A.Compare(s.A) > 0 || merged[i].B.Compare(s.B) < 0 {
				u.warnf(&topicWatchdog, s.at, "The watchdog is on for %s, but not all of these ports have PFC or link pause, and it works on such "+
					"ports only. Remove the others, or turn PFC on there.", s.text)
			}
		}
	}
}

// reaching returns the index of the first of merged spans that ends at a port or after it.
func reaching(merged []span, p grammar.Port) int {
	i, _ := slices.BinarySearchFunc(merged, p, func(m span, p grammar.Port) int { return m.B.Compare(p) })
	return i
}

// meets reports whether a span shares a port with one of the merged spans.
func meets(merged []span, s span) bool {
	i := reaching(merged, s.A)
	return i < len(merged) && merged[i].A.Compare(s.B) <= 0
}

// merge sorts spans and joins those that overlap or are adjacent.
func merge(list []span) []span {
	list = slices.Clone(list)
	sort.Slice(list, func(i, k int) bool { return list[i].A.Compare(list[k].A) < 0 })
	var out []span
	for _, s := range list {
		if n := len(out); n > 0 && (s.A.Compare(out[n-1].B) <= 0 || s.A.N == out[n-1].B.N+1 && s.A.Sub < 0 ||
			s.A.N == out[n-1].B.N && s.A.Sub == out[n-1].B.Sub+1) {
			if s.B.Compare(out[n-1].B) > 0 {
				out[n-1].B = s.B
			}
			continue
		}
		out = append(out, s)
	}
	return out
}
