package conflint

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// cnpDSCP is the DSCP of congestion notifications from NICs and in the vendor's presets.
const cnpDSCP = 48

// marked returns each cos that is marked, with the first list element that names it. It skips groups whose marking is off.
func (u *unit) marked() map[int]item {
	m := map[int]item{}
	for _, f := range grammar.Marking {
		for _, g := range u.listed(f) {
			t := u.of(f, g.text, grammar.GroupCos)
			if on := u.of(f, g.text, grammar.Marks); t == nil || on != nil && !on.on {
				continue
			}
			for _, c := range t.list {
				if _, ok := m[c.n]; !ok {
					m[c.n] = c
				}
			}
		}
	}
	return m
}

// checkNotifications finds congestion notifications that wait behind other traffic while marking is on.
func (u *unit) checkNotifications(groupOf map[int]string) {
	marked := u.marked()
	m := u.mapping()
	if len(marked) == 0 || !m.whole {
		return
	}
	for _, s := range m.scopes {
		p := s.mapped[dscp][cnpDSCP]
		if !s.trusts[dscp] || len(p) != 1 { // another check reports a value in two lists
			continue
		}
		cos := p[0].cos
		if _, also := marked[cos]; also { // CNPs in a marked queue are a different problem, and not always a mistake
			continue
		}
		if _, lossless := u.lossless[cos]; lossless {
			continue
		}
		ordinary := s.mapped[dscp][0]
		if len(ordinary) == 0 {
			continue
		}
		g := groupOf[cos]
		if _, first := u.strict(g); g == "" || first || groupOf[ordinary[0].cos] != g {
			continue
		}
		at := u.firstMarked(marked)
		u.warnf(&topicNotifications, p[0].at, "DSCP %d, the DSCP of congestion notifications (CNPs), goes to cos %d, which is in the "+
			"priority group %s together with unmarked traffic. Marking is on, so senders of RoCEv2 slow down only when CNPs reach them: late if "+
			"CNPs wait, never if CNPs are dropped. Put cos %d into control, which is served first.", cnpDSCP, cos, g, cos).
			Note(at.at, "cos %d is marked", at.n)
		return
	}
}

// firstMarked returns the list element of the marked cos that comes first in the file.
func (u *unit) firstMarked(marked map[int]item) (first item) {
	for _, c := range marked {
		if first.at.Filename == "" || diag.ComparePlace(c.at, first.at) < 0 {
			first = c
		}
	}
	return first
}

// checkTrusts finds a marked, lossless cos that packets get only by their PCP, on ports that trust both fields. Marking shows that the cos
// is for RoCEv2. But on such ports the DSCP of RoCEv2 packets decides, so they never get this cos.
func (u *unit) checkTrusts() {
	m := u.mapping()
	if !m.whole {
		return
	}
	marked := u.marked()
	for _, cos := range u.sortedCos() {
		mark, ok := marked[cos]
		if !ok || slices.ContainsFunc(m.scopes, func(s *scope) bool { return s.trusts[pcp] && !s.trusts[dscp] && s.sorts(pcp, cos) }) {
			continue // ports that trust PCP alone give RoCEv2 this cos
		}
		for _, s := range m.scopes {
			if !s.trusts[pcp] || !s.trusts[dscp] {
				continue
			}
			var by [2]*place
			for f := range fieldNames {
				for v := range fieldNames[f].top + 1 {
					if i := slices.IndexFunc(s.mapped[f][v], func(p place) bool { return p.cos == cos }); i >= 0 && by[f] == nil {
						by[f] = &s.mapped[f][v][i]
					}
				}
			}
			if by[pcp] == nil || by[dscp] != nil {
				continue
			}
			d := u.warnf(&topicTrusts, by[pcp].at, "PCP %d goes to the lossless cos %d, no DSCP does, and both fields are trusted. By the "+
				"manual of 4.4 the DSCP decides for a tagged IP packet (earlier manuals do not state). So tagged RoCEv2 gets another cos and is not "+
				"lossless; only RoCEv1 gets this cos. Marking is on for it, so it must be meant for RoCEv2. Map the DSCP of RoCEv2 to cos %d, or "+
				"trust 802.1p alone.",
				by[pcp].n, cos, cos).Note(mark.at, "cos %d is marked", cos)
			if s.trust != nil {
				d.Note(s.trust.valueAt, "both are trusted")
			}
			break
		}
	}
}

// checkSchedulers finds files that state shares of the link twice: as weights of priority groups and as shares of queues.
func (u *unit) checkSchedulers() {
	if !u.cand.Only(grammar.TrafficConf | grammar.Datapath) {
		return
	}
	var queues, weights []*setting
	for _, t := range u.order {
		if t.row == nil || !t.ok {
			continue
		}
		switch {
		case t.row.Means == grammar.Weight:
			weights = append(weights, t)
		case t.row.Means == grammar.QueueShare && (t.feature() == grammar.DefaultSched || u.names(t.feature(), t.group)):
			queues = append(queues, t)
		}
	}
	if len(queues) == 0 || len(weights) == 0 {
		return
	}
	u.warnf(&topicSchedulers, queues[0].keyAt, "%s gives queues shares of the link, and so does %s with %s. The manuals do not state which "+
		"of them counts; shares of queues are the newer form, and the only one after 4.3. The share of RoCE is unknown until you measure it. "+
		"Keep one of the two forms.",
		queues[0].words[0], weights[0].key, diag.Count(len(weights)-1, "more weight")).Note(weights[0].keyAt, "the weights begin here")
}

// names reports whether the list of a feature contains a group.
func (u *unit) names(f grammar.Feature, group string) bool {
	return slices.ContainsFunc(u.listed(f), func(i item) bool { return i.text == group })
}

// checkAbove finds unmarked traffic that is served before RoCE, and a very small share for RoCE.
func (u *unit) checkAbove(groupOf map[int]string) {
	if !u.cand.Only(grammar.TrafficConf | grammar.Datapath) {
		return
	}
	m := u.mapping()
	for _, cos := range u.sortedCos() {
		g, ok := groupOf[cos]
		if _, first := u.strict(g); !ok || first || m.whole && !m.reaches(cos) {
			continue
		}
		for _, s := range m.scopes {
			for f := range fieldNames {
				p := s.mapped[f][0]
				if !s.trusts[f] || len(p) == 0 {
					continue
				}
				above := groupOf[p[0].cos]
				at, first := u.strict(above)
				if above == "" || !first {
					continue
				}
				if at.Filename == "" {
					at = p[0].at
				}
				u.warnf(&topicAbove, at, "The priority group %s is served before all others, and %s 0, the value of unmarked packets, goes to cos "+
					"%d in it. Much unmarked traffic starves the lossless cos %d: its queue grows, and pauses spread. Give the group a weight above "+
					"0, and leave strict priority to control traffic and CNPs.", above, fieldNames[f].name, p[0].cos, cos).
					Note(p[0].at, "unmarked packets go there").Note(u.lossless[cos].at, "cos %d is lossless", cos)
				return
			}
		}
		w := u.setting(grammar.PriorityGroup, grammar.Weight, -1, g)
		if w == nil || !w.ok || w.n != 1 {
			continue
		}
		others := 0
		for _, name := range u.groupNames() {
			if o := readable(u.setting(grammar.PriorityGroup, grammar.Weight, -1, name)); o != nil && name != g {
				others += o.n
			}
		}
		if others >= tiny {
			u.warnf(&topicWeights, w.valueAt, "%s is 1, and the other weights are %d together: the lossless cos %d gets 1/%d of a busy link, so "+
				"pauses slow its senders for the benefit of other traffic. A weight is a share, not a rank; the vendor's preset has 16 and 16.",
				w.key, others, cos, others+1).
				Note(u.lossless[cos].at, "cos %d is lossless", cos)
			return
		}
	}
}

// tiny is the smallest sum of the other weights at which checkAbove reports a weight of 1 as too small.
const tiny = 10

// These are the default sizes of a PFC group up to 4.2; from 4.3 on the switch derives them. Sources: the manuals of 3.1.2 to 4.2.
const (
	defaultBuffer = 25000
	defaultXoff   = 10000
)

// defaulted judges a PFC group without port_buffer_bytes by the default sizes of the release. at is the place where the keys of the group
// begin. defaulted returns whether it reported a finding.
func (u *unit) defaulted(g item, missing []string, at diag.Range) bool {
	if len(missing) == 0 || !slices.Contains(missing, grammar.Buffer.Word()) {
		return false
	}
	xoff := u.of(grammar.PFC, g.text, grammar.Xoff)
	threshold, what := defaultXoff, "the default xoff_size of 10,000"
	if xoff != nil {
		threshold, what = xoff.n, "xoff_size of "+diag.Number(xoff.n)
	} else if !slices.Contains(missing, grammar.Xoff.Word()) {
		return false // it could not be read
	}
	if threshold == 0 {
		return false
	}
	least := platform.Arrives(ordinary, 5)
	room := defaultBuffer - threshold
	old := u.cand.Only(grammar.T1 | grammar.T2 | grammar.T3)
	if room >= least && old || !old && u.since(grammar.Release{4, 3}) {
		return false
	}
	if room >= least {
		u.warnf(&topicHeadroom, g.at, "The group %s of pfc lacks port_buffer_bytes. From 4.3 on the switch derives it from the port; up to "+
			"4.2 it is %s bytes by default. Less %s this leaves %s bytes of headroom, too little for jumbo frames. Set the key, unless the "+
			"switch runs 4.3.",
			show(g.text), diag.Number(defaultBuffer), what, diag.Number(room)).Note(at, "its keys begin here")
		return true
	}
	sev, until := diag.Error, "Up to 3.7"
	if !old {
		sev, until = diag.Warning, "Up to 4.2"
	}
	d := u.found.Report(sev, &topicHeadroom, g.at, "The group %s of pfc lacks port_buffer_bytes. %s it is %s bytes by default, which less "+
		"%s leaves %s of headroom. Even at 10G, with an MTU of 1500 and a cable of 5 m, %s bytes can arrive after a pause was sent: the "+
		"switch loses frames. Set %s.",
		show(g.text), until, diag.Number(defaultBuffer), what, strings.TrimSpace(leaves(room)), diag.Number(least),
		grammar.Spell(grammar.PFC, grammar.Buffer, -1, g.text)).Note(at, "its keys begin here")
	if xoff != nil {
		d.Note(xoff.valueAt, "the pause is sent here")
	}
	return true
}

// leaves spells the headroom that is left.
func leaves(room int) string {
	if room <= 0 {
		return "nothing"
	}
	return bytesText(room)
}

// since reports whether the files set a key that no manual before a release has.
func (u *unit) since(r grammar.Release) bool {
	return slices.ContainsFunc(u.order, func(t *setting) bool { return t.row != nil && t.row.Since.Compare(r) >= 0 })
}
