package conflint

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// span is one item of a port_set, ends included.
type span struct {
	grammar.Span
	item
}

// count is how many ports a span has at least: whole ports count once, also where they may be split.
func (s span) count() int {
	if s.A.N == s.B.N {
		return max(s.B.Sub, 0) - max(s.A.Sub, 0) + 1
	}
	return s.B.N - s.A.N + 1
}

// spans reads the items of a port_set that can be read.
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
		return span{}, "Ports and ranges are joined by commas, and a range has no blanks in it: swp1-swp4,swp6."
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
		return span{}, "Files name both ends of a range in full: " + first + "-swp" + last + "."
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
	const ports = " is not a front-panel port. Those are swp1, swp2 and so on, and swp6s0 to swp6s3 (or s7) where swp6 is split."
	lower := strings.ToLower(name)
	if _, ok := parsePort(lower); ok {
		return show(name) + " is not a port: names of ports are in small letters. Did you mean " + show(lower) + "?"
	}
	if strings.HasPrefix(lower, "swp") {
		return show(name) + ports
	}
	return show(name) + ports + " Bonds, bridges and eth0 cannot be named: name the members of the bond."
}

// parsePorts reads a port_set.
func (u *unit) parsePorts(t *setting, text string, at diag.Range) {
	if strings.HasPrefix(text, "[") {
		if !strings.HasSuffix(text, "]") || len(text) < 2 {
			u.errorf(&topicPort, at, "%s is set to %s, where the bracket is not closed. Port sets stand without brackets: "+
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
		u.warnf(&topicIncomplete, t.keyAt, "%s names no port, so the group applies to none. Name its ports, or take the group "+
			"out of the list.", t.key)
		return
	}
	if strings.Count(text, ",") >= grammar.MostElements {
		u.errorf(&topicPort, at, "%s has more than %d items, of which the first %d are judged. Write runs of ports as ranges: "+
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
			u.errorf(&topicPort, e.at, "%s cannot hold %s. %s", t.key, show(e.text), why)
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

// overlap sweeps over spans and calls found once for each pair of groups that share a port.
func overlap(spans []owned, found func(a, b owned)) {
	sort.SliceStable(spans, func(i, k int) bool { return cmp.Or(spans[i].A.Compare(spans[k].A), spans[i].B.Compare(spans[k].B)) < 0 })
	type pair struct{ a, b *setting }
	said := map[pair]bool{}
	var open owned // the one that reaches furthest
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

// wholeAndSplit finds ports that one port set names whole and another one by a part: one of the two does not exist.
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
			u.errorf(&topicPort, w.at, "swp%d is named as a whole port, and a part elsewhere. A split port exists by "+
				"its parts only, and a whole one "+
				"has no parts, so one of the two names no port. Compare with /etc/cumulus/ports.conf on the "+
				"switch.", n).Note(p.at, "a part is named here")
		}
	}
}

// checkPorts finds ports in two groups of one feature, and ports with both PFC and link pause.
func (u *unit) checkPorts() {
	u.wholeAndSplit()
	for _, f := range grammar.Grouped {
		if f == grammar.Remark { // on Spectrum one group says that packets coming in are rewritten, another how on the way out
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
			u.errorf(&topicPortTwice, somewhere.valueAt, "%s names ports that %s has already: it names all. Which group counts "+
				"for them is not documented. "+
				"Let every port be in one group of %s.", somewhere.key, everywhere.key, f).Note(everywhere.valueAt, "all ports are here")
		}
		overlap(spans, func(a, b owned) {
			if comparePlace(b, a) < 0 {
				a, b = b, a
			}
			if a.group == b.group {
				u.noticef(&topicPortTwice, b.at, "%s names %s twice. One of them can go.", a.group.key, common(a.span, b.span))
				return
			}
			u.errorf(&topicPortTwice, b.at, "%s is in %s and in %s. A port has the settings of one group of %s; which of the "+
				"two is not documented. "+
				"Take it out of one.", common(a.span, b.span), a.group.key, b.group.key, f).Note(a.at, "the other group has it here")
		})
	}
	u.pfcAndPause()
}

func comparePlace(a, b owned) int { return diag.ComparePlace(a.at, b.at) }

// common names the ports two spans share.
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

// pfcAndPause finds ports whose classes are paused one by one and all at once.
func (u *unit) pfcAndPause() {
	const why = "A port obeys pauses of single classes or of the whole link, never both (IEEE 802.1Qbb); one of them would " +
		"stop classes the other promised " +
		"to keep going. Take the ports out of one."
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
			u.errorf(&topicPFCAndPause, o.valueAt, "%s names ports, and %s names all. "+
				"%s", o.key, e.key, why).Note(e.valueAt, "all ports are here")
			return
		}
	}
	sort.SliceStable(spans, func(i, k int) bool { return cmp.Or(spans[i].A.Compare(spans[k].A), spans[i].B.Compare(spans[k].B)) < 0 })
	var open [2]*owned // of each class, the span that reaches furthest
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
				u.errorf(&topicPFCAndPause, both[1].at, "%s has PFC by %s and link pause by %s. "+
					"%s", common(s.span, o.span), both[0].group.key, both[1].group.key, why).
					Note(both[0].at, "PFC is here")
			}
		}
		if open[c] == nil || s.B.Compare(open[c].B) > 0 {
			open[c] = s
		}
	}
}
