package conflint

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// checkMarking judges the thresholds of ECN and RED, of groups in force and of the default profile.
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
		what := "every packet is marked, also where no queue is"
		if t == chance {
			what = "packets are marked above the maximum only, and then all of them"
		}
		if t == high {
			what = "no queue may build up at all"
		}
		sev := diag.Error
		if t == chance {
			sev = diag.Warning
		}
		u.found.Report(sev, &topicThresholds, t.valueAt, "%s is 0: %s. Set it above 0; the vendor's preset has 153600, 1536000 and "+
			"100.", t.key, what)
	}
	if low != nil && high != nil && low.n > 0 && high.n > 0 && low.n > high.n {
		u.errorf(&topicThresholds, high.valueAt, "%s is %s bytes, and the minimum %s: the probability holds between the two, "+
			"so the maximum must not be the smaller. "+
			"The vendor's preset has 153600 and 1536000.", high.key, diag.Number(high.n), diag.Number(low.n)).Note(low.valueAt,
			"marking begins here")
	}
	memory, what := u.memory()
	for _, t := range []*setting{low, high} {
		if t != nil && t.n > memory {
			u.warnf(&topicThresholds, t.valueAt, "%s is %s. %s has %s, so no queue gets that long. The vendor's preset has "+
				"153600 and 1536000.",
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
		u.warnf(&topicThresholds, t.keyAt, "%s is set and %s is not: its default may be on the wrong side. Set "+
			"both.", t.key, grammar.Spell(f, other, -1, group))
	}
	red, marks := get(grammar.DropsEarly), get(grammar.Marks)
	if red != nil && !red.on && marks != nil && !marks.on && !u.carries(f, group) {
		u.noticef(&topicThresholds, marks.valueAt, "%s neither marks nor drops: ecn_enable and red_enable are both false.", profile(f, group))
	}
}

// carries reports whether a group that marks has a lossless cos. That such a cos is not marked is a finding of its own.
func (u *unit) carries(f grammar.Feature, group string) bool {
	cos, queues := u.of(f, group, grammar.GroupCos), u.of(f, group, grammar.GroupQueues)
	has := func(t *setting, n int) bool {
		return t != nil && slices.ContainsFunc(t.list, func(e item) bool { return e.n == n })
	}
	return slices.ContainsFunc(u.sortedCos(), func(c int) bool { return has(cos, c) || has(queues, u.queueOf(c)) })
}

// queueOf is the egress queue of a cos: the same number, unless qos_infra.conf says otherwise.
func (u *unit) queueOf(cos int) int {
	if t := u.numbered(grammar.QueueOfCos, grammar.EgressQueue, cos); t != nil {
		return t.n
	}
	return cos
}

// checkBandwidth adds up the shares of egress queues, and looks for the queue of lossless traffic among them.
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
		u.errorf(&topicBandwidth, last.valueAt, "The queues of %s get %d percent together, and a link has 100. The release "+
			"refuses it, or gives other shares than written. Lower some of them.", profile(f, group), sum)
	}
	for _, cos := range u.sortedCos() {
		q := u.queueOf(cos)
		if queues[q] == nil {
			u.warnf(&topicBandwidth, last.keyAt, "%s gives queue %d, which the lossless cos %d uses, no share: it is "+
				"served only when all others are empty. "+
				"Set %s.", profile(f, group), q, cos, grammar.Spell(f, grammar.QueueShare, q, group)).
				Note(u.lossless[cos].at, "cos %d is lossless", cos)
		}
	}
}

// profile names the settings of a group of a feature, or of its only profile: what their keys begin with.
func profile(f grammar.Feature, group string) string {
	if group == "" {
		return string(f)
	}
	return string(f) + "." + group
}

// ways are the two ways through a switch, and the pools of each.
var ways = []struct {
	name     string
	pools    grammar.Feature
	lossless grammar.Meaning // which of them lossless traffic uses
}{
	{"ingress", grammar.IngressPool, grammar.LosslessIngressPool},
	{"egress", grammar.EgressPool, grammar.LosslessEgressPool},
}

// checkPools adds up the memory pools, and wants one for lossless traffic where the release needs it.
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
		if sum-infinite <= 100 { // the vendor's own preset of 3.7 lets the lossless egress pool overlap
			continue
		}
		u.errorf(&topicPools, last.valueAt, "The %s pools take %g percent of the chip's memory together. They cannot be more "+
			"than 100: lower some of them.", way.name, sum)
	}
	in := u.setting(grammar.FlowControl, grammar.LosslessIngressPool, -1, "")
	out := u.setting(grammar.FlowControl, grammar.LosslessEgressPool, -1, "")
	if in != nil && out != nil && in.ok && out.ok && in.n != out.n {
		u.warnf(&topicPools, out.valueAt, "Lossless traffic comes in by pool %d and goes out by pool %d. The manuals of 4.4 "+
			"and 5.x have one lossless pool a switch. Use one number.",
			in.n, out.n).Note(in.valueAt, "the pool of the way in")
	}
	pausing := u.pausingGroups()
	if len(pausing) == 0 || !u.has(grammar.QoSInfra) {
		return
	}
	if in != nil && in.ok {
		for _, t := range u.order {
			if t.row != nil && t.row.Means == grammar.GroupPool && t.value == fmt.Sprint(in.n) {
				u.errorf(&topicPools, in.valueAt, "Lossless traffic comes in by pool %d, and so does the lossy traffic of the "+
					"priority group %s, which can fill it. From 4.4 on the manuals want a pool for lossless traffic alone: "+
					"give it one of its own, with half of the memory.", in.n, show(t.group)).Note(t.valueAt, "lossy traffic is here")
				return
			}
		}
	}
	for _, way := range ways {
		t := u.setting(grammar.FlowControl, way.lossless, -1, "")
		if t == nil {
			u.errorf(&topicPools, pausing[0].at, "PFC or link pause is on, and qos_infra.conf sets no "+
				"%s. From 4.4 on the manuals want a pool for lossless "+
				"traffic first: set it, and give the pool half of the memory.", grammar.Spell(grammar.FlowControl, way.lossless, -1, ""))
			return
		}
		if !t.ok {
			continue
		}
		p := u.setting(way.pools, grammar.PoolShare, t.n, "")
		if p == nil {
			u.errorf(&topicPools, t.valueAt, "Lossless traffic uses %s pool %d, and %s is not set, so "+
				"the pool has no memory. Set it, say to 50.0.", way.name, t.n, grammar.Spell(way.pools, grammar.PoolShare, t.n, ""))
		} else if p.ok && p.real == 0 {
			u.errorf(&topicPools, p.valueAt, "%s is 0, and lossless traffic uses this pool: there is no memory for it. Set it, "+
				"say to 50.0.", p.key).
				Note(t.valueAt, "lossless traffic uses it")
		}
	}
}

// overlapping reports whether egress pools may exceed the memory together. They may in the file of Broadcom's chips, which gives groups
// percents of their pools. As 3.x ships it they are 75, 90 and 90.
func (u *unit) overlapping() bool {
	return slices.ContainsFunc(u.order, func(t *setting) bool {
		return t.row != nil && (t.row.Means == grammar.GroupUnlimited || t.row.Means == grammar.GroupShared || t.row.Means == grammar.GroupLeast)
	})
}

// flowPool is the number of the lossless pool of datapath.conf; -1: not said.
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
	u.found.Report(sev, &topicCutThrough, t.valueAt, "Link pause is on, and so is cut-through forwarding. The manuals of 3.x say "+
		"that on Broadcom the two together give overruns, underruns "+
		"and damaged packets. %s cut_through_enable = false, or use PFC.", which).Note(groups[0].at, "link pause is on")
}

// checkWatchdog finds watched ports that nothing can pause.
func (u *unit) checkWatchdog() {
	var paused []span
	everywhere := false
	u.pausing(func(f grammar.Feature, g item) {
		if set := u.setting(f, grammar.GroupPorts, -1, g.text); set != nil {
			spans, every := set.spans()
			paused, everywhere = append(paused, spans...), everywhere || every || !set.ok // what could not be read may be any port
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
			u.noticef(&topicWatchdog, set.valueAt, "%s names all ports; the watchdog works on those with PFC or link pause "+
				"only.", set.key)
			continue
		}
		for _, s := range spans {
			i := reaching(merged, s.A)
			if i == len(merged) || merged[i].A.Compare(s.A) > 0 || merged[i].B.Compare(s.B) < 0 {
				u.warnf(&topicWatchdog, s.at, "%s is watched, and no group in force gives all these ports PFC or link pause. The "+
					"watchdog works on such ports only. "+
					"Take it out, or turn PFC on there.", s.text)
			}
		}
	}
}

// reaching gives the first of merged spans that ends at a port or behind it.
func reaching(merged []span, p grammar.Port) int {
	i, _ := slices.BinarySearchFunc(merged, p, func(m span, p grammar.Port) int { return m.B.Compare(p) })
	return i
}

// meets reports whether a span shares a port with merged ones.
func meets(merged []span, s span) bool {
	i := reaching(merged, s.A)
	return i < len(merged) && merged[i].A.Compare(s.B) <= 0
}

// merge sorts spans and joins those that touch.
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
