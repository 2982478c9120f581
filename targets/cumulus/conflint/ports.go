package conflint

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// span is one item of a port_set: a port, or a range with both ends.
type span struct {
	grammar.Span
	item
}

// count returns the least number of ports in a span: a whole port counts once, although it may be split.
func (s span) count() int {
	if s.A.N == s.B.N {
		return max(s.B.Sub, 0) - max(s.A.Sub, 0) + 1
	}
	return s.B.N - s.A.N + 1
}

// spans returns the readable items of a port_set; every: it contains the word for all ports.
func (t *setting) spans() (out []span, every bool) {
	for _, e := range t.list {
		if e.text == grammar.AllPorts {
			return nil, true
		}
		s, why := parseSpan(e)
		if why == "" {
			out = append(out, s)
		}
	}
	return out, false
}

// parseSpan reads swp1, swp1-swp4 or swp6s0-swp6s3.
func parseSpan(e item) (span, string) {
	if strings.ContainsAny(e.text, " \t;") {
		return span{}, "Separate ports and ranges with commas, without spaces: swp1-swp4,swp6."
	}
	first, last, ranged := strings.Cut(e.text, "-")
	a, ok := parsePort(first)
	if !ok {
		return span{}, portWhy(first)
	}
	if !ranged {
		return span{grammar.Span{A: a, B: a}, e}, ""
	}
	b, ok := parsePort(last)
	switch {
	case !ok && last != "" && strings.Trim(last, "0123456789") == "":
		return span{}, "Write both ends of a range in full: " + first + "-swp" + last + "."
	case !ok:
		return span{}, portWhy(last)
	}
	if a.Compare(b) > 0 {
		return span{}, "The range runs backwards. Write the lower port first."
	}
	return span{grammar.Span{A: a, B: b}, e}, ""
}

func parsePort(name string) (grammar.Port, bool) {
	p, ok := grammar.ParsePort(name)
	return p, ok && p.Sub < grammar.MostParts
}

// portWhy returns why a name is not the name of a port.
func portWhy(name string) string {
	const ports = " is not a front-panel port such as swp1, or swp6s0 to swp6s3 (or s7) where swp6 is split."
	lower := strings.ToLower(name)
	if _, ok := parsePort(lower); ok {
		return show(name) + " is not a port: names of ports have lower-case letters. Did you mean " + show(lower) + "?"
	}
	if strings.HasPrefix(lower, "swp") {
		return show(name) + ports
	}
	return show(name) + ports + " A port set cannot contain bonds, bridges and eth0: for a bond, name its members."
}

// parsePorts reads a port_set.
func (u *unit) parsePorts(t *setting, text string, at diag.Range) {
	if strings.HasPrefix(text, "[") {
		if !strings.HasSuffix(text, "]") || len(text) < 2 {
			u.errorf(&topicPort, at, "%s is set to %s, where the bracket is not closed. Write a port set without brackets: "+
				"swp1-swp4,swp6.", t.key, show(text))
			return
		}
		if u.cand&grammar.Q2 == 0 {
			u.warnf(&topicPort, at, "%s is in brackets. No manual up to 4.4 shows brackets around a port set; remove them.", t.key)
		}
		text, at = text[1:len(text)-1], inner(at, 1, len(text)-1)
	}
	t.ok = true
	if strings.TrimSpace(text) == "" {
		u.warnf(&topicIncomplete, t.keyAt, "%s names no port, so the group has no effect. Name its ports, or take the group out of the "+
			"list.", t.key)
		return
	}
	if strings.Count(text, ",") >= grammar.MostElements {
		u.errorf(&topicPort, at, "%s has more than %d items, of which the first %d are judged. Write consecutive ports as ranges: "+
			"swp1-swp4.", t.key, grammar.MostElements, grammar.MostElements)
	}
	for _, e := range elements(text, at) {
		if e.text == grammar.AllPorts {
			if u.cand&grammar.QoSFeatures == 0 {
				u.errorf(&topicPort, e.at, "%s cannot be %s: that word is in the manuals from 4.4 on. Name the ports.", t.key, grammar.AllPorts)
				t.ok = false
				continue
			}
			t.list = append(t.list, e)
			continue
		}
		if e.text == "" {
			u.errorf(&topicPort, at, "%s has a comma without a port beside it. Remove the comma.", t.key)
			t.ok = false
			continue
		}
		if _, why := parseSpan(e); why != "" {
			u.errorf(&topicPort, e.at, "%s cannot contain %s. %s", t.key, show(e.text), why)
			t.ok = false
			continue
		}
		t.list = append(t.list, e)
	}
}

// owned is a span of a port group.
type owned struct {
	span
	group *setting // its port_set
}

// overlap calls found once for each pair of groups that share a port.
func overlap(spans []owned, found func(a, b owned)) {
	sort.SliceStable(spans, func(i, k int) bool { return cmp.Or(spans[i].A.Compare(spans[k].A), spans[i].B.Compare(spans[k].B)) < 0 })
	type pair struct{ a, b *setting }
	said := map[pair]bool{}
	var open owned // the span that ends last so far
	for i, s := range spans {
		if i > 0 && s.A.Compare(open.B) <= 0 {
			p := pair{open.group, s.group}
			if !said[p] && !said[pair{p.b, p.a}] {
				said[p] = true
				found(open, s)
			}
		}
		if i == 0 || s.B.Compare(open.B) > 0 {
			open = s
		}
	}
}

// wholeAndSplit finds a port that one port set names as a whole while another port set names a part of that port. One of the two cannot
// exist.
func (u *unit) wholeAndSplit() {
	whole, part := map[int]item{}, map[int]item{}
	var order []int
	for _, f := range grammar.Grouped {
		for _, g := range u.listed(f) {
			set := u.setting(f, grammar.GroupPorts, -1, g.text)
			if set == nil {
				continue
			}
			spans, _ := set.spans()
			for _, s := range spans {
				for _, p := range []grammar.Port{s.A, s.B} {
					named := whole
					if p.Sub >= 0 {
						named = part
					}
					if _, ok := named[p.N]; !ok {
						named[p.N] = s.item
						order = append(order, p.N)
					}
				}
			}
		}
	}
	slices.Sort(order)
	for _, n := range slices.Compact(order) {
		w, ok := whole[n]
		p, too := part[n]
		if ok && too {
			u.errorf(&topicPort, w.at, "swp%d is named as a whole port here, and as a split port elsewhere. A split port exists only as its "+
				"parts, and a whole port has no parts, so one of the two names no port. Compare with /etc/cumulus/ports.conf on the "+
				"switch.", n).Note(p.at, "a part is named here")
		}
	}
}

// checkPorts finds ports in two groups of one feature, and ports with both PFC and link pause.
func (u *unit) checkPorts() {
	u.wholeAndSplit()
	for _, f := range grammar.Grouped {
		if f == grammar.Remark { // on Spectrum one group turns rewriting on for ingress ports, and another has the map for egress
			continue
		}
		var spans []owned
		var everywhere, somewhere *setting
		for _, g := range u.listed(f) {
			if set := u.setting(f, grammar.GroupPorts, -1, g.text); set != nil {
				list, every := set.spans()
				if every && everywhere == nil {
					everywhere = set
				} else if every || len(list) > 0 {
					somewhere = set
				}
				for _, s := range list {
					spans = append(spans, owned{s, set})
				}
			}
		}
		if everywhere != nil && somewhere != nil {
			u.errorf(&topicPortTwice, somewhere.valueAt, "%s names ports that are also in %s, which names all ports. The manuals do not state "+
				"which group counts for such a port. Let every port be in one group of "+
				"%s.", somewhere.key, everywhere.key, f).Note(everywhere.valueAt, "all ports are named here")
		}
		overlap(spans, func(a, b owned) {
			if comparePlace(b, a) < 0 {
				a, b = b, a
			}
			if a.group == b.group {
				u.noticef(&topicPortTwice, b.at, "%s names %s twice. Remove one of them.", a.group.key, common(a.span, b.span))
				return
			}
			u.errorf(&topicPortTwice, b.at, "%s is in %s and in %s. A port has the settings of one group of %s; the manuals do not state which "+
				"group that is. Take the port out of "+
				"one.", common(a.span, b.span), a.group.key, b.group.key, f).Note(a.at, "the other group names it here")
		})
	}
	u.pfcAndPause()
}

func comparePlace(a, b owned) int { return diag.ComparePlace(a.at, b.at) }

// common names the ports that two spans share.
func common(a, b span) string {
	first, last := a.A, a.B
	if first.Compare(b.A) < 0 {
		first = b.A
	}
	if b.B.Compare(last) < 0 {
		last = b.B
	}
	if first == last {
		return first.String()
	}
	return first.String() + "-" + last.String()
}

// pfcAndPause finds ports with both PFC and link pause.
func (u *unit) pfcAndPause() {
	const why = "A port obeys either PFC or link pause, never both (IEEE 802.1Qbb): link pause would stop classes that PFC must not stop. " +
		"Take the ports out of one of the groups."
	var spans []owned
	var every, some [2]*setting
	class := map[*setting]int{}
	for i, f := range grammar.Pausing {
		for _, g := range u.listed(f) {
			set := u.setting(f, grammar.GroupPorts, -1, g.text)
			if set == nil {
				continue
			}
			list, whole := set.spans()
			if whole {
				every[i] = set
			}
			if whole || len(list) > 0 {
				some[i] = set
			}
			class[set] = i
			for _, s := range list {
				spans = append(spans, owned{s, set})
			}
		}
	}
	for i, e := range every {
		if o := some[1-i]; e != nil && o != nil {
			u.errorf(&topicPFCAndPause, o.valueAt, "%s names ports, and %s names all ports. "+
				"%s", o.key, e.key, why).Note(e.valueAt, "all ports are named here")
			return
		}
	}
	sort.SliceStable(spans, func(i, k int) bool { return cmp.Or(spans[i].A.Compare(spans[k].A), spans[i].B.Compare(spans[k].B)) < 0 })
	var open [2]*owned // by feature, the span that ends last so far
	type pair struct{ a, b *setting }
	said := map[pair]bool{}
	for i := range spans {
		s := &spans[i]
		c := class[s.group]
		if o := open[1-c]; o != nil && s.A.Compare(o.B) <= 0 {
			var both [2]*owned
			both[c], both[1-c] = s, o
			if p := (pair{s.group, o.group}); !said[p] {
				said[p], said[pair{p.b, p.a}] = true, true
				u.errorf(&topicPFCAndPause, both[1].at, "%s gets PFC from %s and link pause from %s. "+
					"%s", common(s.span, o.span), both[0].group.key, both[1].group.key, why).
					Note(both[0].at, "PFC is here")
			}
		}
		if open[c] == nil || s.B.Compare(open[c].B) > 0 {
			open[c] = s
		}
	}
}
