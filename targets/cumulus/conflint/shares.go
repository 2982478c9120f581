package conflint

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// groupNames returns the names of the priority groups of a release.
func (u *unit) groupNames() []string {
	switch {
	case u.cand.Only(grammar.T0):
		return []string{"control", "service", "bulk", losslessGroup}
	case u.cand.Only(grammar.TrafficConf | grammar.Datapath):
		return []string{"control", "service", "bulk"}
	}
	return []string{"control", "bulk", "service1", "service2", "service3", "service4", "service5", "service6"}
}

// checkPriorityGroups compares the list of priority groups with the groups, and checks that every cos is in exactly one group.
func (u *unit) checkPriorityGroups() {
	list := u.setting(grammar.Switch, grammar.PriorityGroups, -1, "")
	if list != nil && !list.ok {
		return
	}
	var lists []*setting
	for _, t := range u.order {
		if t.row != nil && t.feature() == grammar.PriorityGroup && t.row.Means == grammar.GroupCos && u.cand&t.row.In != 0 {
			lists = append(lists, t)
		}
	}
	names := u.groupNames()
	complete := true
	named := map[string]bool{}
	if list != nil {
		for _, g := range list.list {
			named[g.text] = true
			switch {
			case !slices.Contains(names, g.text):
				complete = false
				named[diag.Nearest(g.text, names)] = true // one finding is enough
				u.errorf(&topicPriorityGroup, g.at, "%s names %s, but the priority groups of this release are "+
					"%s.%s", list.key, show(g.text), strings.Join(names, ", "),
					diag.DidYouMean(g.text, names))
			case u.setting(grammar.PriorityGroup, grammar.GroupCos, -1, g.text) == nil && u.cand.Only(grammar.TrafficConf):
				complete = false
				u.errorf(&topicPriorityGroup, g.at, "The priority group %s is listed, but no key priority_group.%s.cos_list states its cos. Set "+
					"it.", g.text, g.text)
			}
		}
	}
	first := map[int]item{}
	firstIn := map[int]string{}
	for _, t := range lists {
		g := t.group
		if list != nil && !named[g] {
			complete = false
			u.errorf(&topicPriorityGroup, t.keyAt, "The priority group %s has a list of cos, but %s does not name the group, so these cos are "+
				"in no group. Add the group to the list.",
				show(g), list.key).Note(list.valueAt, "the listed groups")
			continue
		}
		complete = complete && t.ok && (t.value == "[]" || strings.Count(t.value, ",")+1 <= len(t.list))
		for _, c := range t.list {
			if o, ok := first[c.n]; ok {
				u.errorf(&topicCosTwice, c.at, "Cos %d is in the priority groups %s and %s. Each cos has one queue, and so one group. Take it out "+
					"of one group.",
					c.n, firstIn[c.n], g).Note(o.at, "here it is in %s", firstIn[c.n])
				continue
			}
			first[c.n], firstIn[c.n] = c, g
		}
	}
	var missing []int
	for cos := range 8 {
		if _, ok := first[cos]; !ok {
			missing = append(missing, cos)
		}
	}
	if len(missing) > 0 && len(lists) > 0 && complete {
		at := lists[0].keyAt
		if list != nil {
			at = list.valueAt
		}
		are, their := "is", "its"
		if len(missing) > 1 {
			are, their = "are", "their"
		}
		u.errorf(&topicCosMissing, at, "Cos %s %s in no priority group, so %s packets have no share of the link and may not "+
			"be sent at all. "+
			"Put every cos from 0 to 7 into one group; bulk is for the rest.", numbers(missing), are, their)
	}
	u.shares(firstIn)
	u.checkAbove(firstIn)
	u.checkNotifications(firstIn)
	u.checkWeights(lists)
}

// checkWeights checks that either all priority groups have a weight or none has, and that not all weights are 0.
func (u *unit) checkWeights(lists []*setting) {
	var with, without []*setting
	strict := 0
	for _, t := range lists {
		w := u.setting(grammar.PriorityGroup, grammar.Weight, -1, t.group)
		switch {
		case w == nil:
			without = append(without, t)
		case w.ok && w.n == 0:
			strict++
			fallthrough
		default:
			with = append(with, w)
		}
	}
	if !u.cand.Only(grammar.TrafficConf|grammar.Datapath) || len(with) == 0 {
		return
	}
	for _, t := range without {
		if !slices.Contains(u.groupNames(), t.group) {
			continue
		}
		u.noticef(&topicWeights, t.keyAt, "The priority group %s has no weight, although others have one: it gets the factory default "+
			"(control 0, service 32, bulk 16). Set priority_group.%s.weight to state its share.", show(t.group), t.group)
	}
	if strict > 1 && strict == len(lists) {
		u.warnf(&topicWeights, with[len(with)-1].valueAt, "Every priority group has weight 0, strict priority, so nothing is shared and the "+
			"groups served later can starve. Keep 0 for control, and give the others weights; the vendor's preset has 16 and 16.")
	}
}

// shares reports lossless cos in a strict priority group, or in a group with lossy cos.
func (u *unit) shares(groupOf map[int]string) {
	if !u.cand.Only(grammar.TrafficConf | grammar.Datapath) {
		return
	}
	m := u.mapping()
	some := false // some group has a weight above 0; if none has, checkWeights reports it
	for _, g := range groupOf {
		_, strict := u.strict(g)
		some = some || !strict
	}
	if !some {
		return
	}
	for _, cos := range u.sortedCos() {
		g, ok := groupOf[cos]
		if !ok || m.whole && !m.reaches(cos) {
			continue
		}
		if at, strict := u.strict(g); strict {
			d := u.warnf(&topicStrict, u.lossless[cos].at, "The lossless cos %d is in the priority group %s, which is served before all others. "+
				"Lossless traffic is bulk data: it can starve all other traffic, even routing protocols. Give its group a weight above 0.", cos, g)
			if at.Filename != "" {
				d.Note(at, "weight 0 is strict priority")
			}
			continue
		}
		var others []int
		for c := range 8 {
			if _, lossless := u.lossless[c]; groupOf[c] == g && !lossless && (!m.whole || m.reaches(c)) {
				others = append(others, c)
			}
		}
		if len(others) > 0 {
			u.noticef(&topicShared, u.lossless[cos].at, "The lossless cos %d is in the priority group %s together with the lossy cos %s. The "+
				"manuals do not state how they share the weight of the group, so RoCE has no guaranteed share. To guarantee one, put it alone into "+
				"service.", cos, g, numbers(others))
		}
	}
}

// strict reports whether a priority group is served first, and returns the place of its weight, if the file states one.
func (u *unit) strict(g string) (diag.Range, bool) {
	t := u.setting(grammar.PriorityGroup, grammar.Weight, -1, g)
	if t == nil || !t.ok {
		return diag.Range{}, g == "control" && t == nil
	}
	return t.valueAt, t.n == 0
}
