package conflint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// setting returns the setting with the key of a feature and a meaning, or nil if it is not set. n is the cos, queue or pool, -1 for a key
// without number. group is "" for a key without group.
func (u *unit) setting(f grammar.Feature, m grammar.Meaning, n int, group string) *setting {
	return u.set[grammar.Spell(f, m, n, group)]
}

// of returns a setting of a group, or nil if it is not set or cannot be read.
func (u *unit) of(f grammar.Feature, group string, m grammar.Meaning) *setting {
	return readable(u.setting(f, m, -1, group))
}

// numbered returns a setting of a cos, queue or pool, or nil if it is not set or cannot be read.
func (u *unit) numbered(f grammar.Feature, m grammar.Meaning, n int) *setting {
	return readable(u.setting(f, m, n, ""))
}

func readable(t *setting) *setting {
	if t != nil && t.ok {
		return t
	}
	return nil
}

// listed returns the groups of a feature that are in force.
func (u *unit) listed(f grammar.Feature) []item {
	if t := u.of(f, "", grammar.Groups); t != nil {
		return t.list
	}
	return nil
}

// pausingGroups returns the groups of PFC and link pause that are in force.
func (u *unit) pausingGroups() []item {
	var out []item
	for _, f := range grammar.Pausing {
		out = append(out, u.listed(f)...)
	}
	return out
}

// checkGroups compares the lists of port groups with the groups that keys define.
func (u *unit) checkGroups() {
	for _, f := range grammar.Grouped {
		list := u.setting(f, grammar.Groups, -1, "")
		if list != nil && !list.ok {
			continue
		}
		keys := map[string][]*setting{}
		var found []string
		for _, t := range u.order {
			if t.row == nil || t.feature() != f || !t.row.Grouped() || u.cand&t.row.Could() == 0 {
				continue
			}
			if keys[t.group] == nil {
				found = append(found, t.group)
			}
			keys[t.group] = append(keys[t.group], t)
		}
		named := map[string]bool{}
		for _, g := range u.listed(f) {
			named[g.text] = true
		}
		loose := slices.DeleteFunc(slices.Clone(found), func(g string) bool { return named[g] })
		if len(loose) <= mostAstray {
			loose = slices.DeleteFunc(loose, func(g string) bool { return u.astray(f, g, keys) })
		}
		for _, g := range u.listed(f) {
			if keys[g.text] != nil {
				u.complete(f, g, keys[g.text])
				continue
			}
			d := u.errorf(&topicUndefined, g.at, "%s names the group %s, and no key %s.%s.* defines it. The list element has no effect. Define "+
				"the group, or take it out of the list.", list.key, show(g.text), f, g.text)
			if len(loose) > 0 { // a misspelled name: one finding is enough
				d.Note(keys[loose[0]][0].keyAt, "%s.%s is defined, but not listed: should the names be the same?", f, loose[0])
				loose = loose[1:]
			}
		}
		for _, g := range loose {
			u.unlisted(f, g, keys[g], list)
		}
	}
}

// astray reports the keys of an unlisted group if its name is most likely misspelled: a listed group has nearly the same name, and none of
// these keys. It returns whether that is so.
func (u *unit) astray(f grammar.Feature, g string, keys map[string][]*setting) bool {
	in := func(right string, t *setting) string { return t.row.Spell(t.number, right) }
	var near []string
	for _, l := range u.listed(f) {
		if keys[l.text] != nil && !slices.ContainsFunc(keys[g], func(t *setting) bool { return u.set[in(l.text, t)] != nil }) {
			near = append(near, l.text)
		}
	}
	right := diag.Nearest(g, near)
	if right == "" {
		return false
	}
	for _, t := range keys[g] {
		u.meant[in(right, t)] = true
	}
	first := keys[g][0]
	u.errorf(&topicUnlisted, first.keyAt, "%s.port_group_list does not name the group %s, so this key sets nothing. The list contains the "+
		"group %s, which has no such key. Did you mean %q?", f, show(g), show(right), in(right, first)).
		Note(u.setting(f, grammar.Groups, -1, "").valueAt, "the groups in force")
	return true
}

// mostAstray is the number of unlisted groups up to which their names are compared with those of listed ones. More unlisted groups are not
// misspelled.
const mostAstray = 16

func (u *unit) unlisted(f grammar.Feature, g string, keys []*setting, list *setting) {
	t := keys[0]
	many := diag.Count(len(keys), "key")
	switch {
	case list == nil && u.meant[grammar.Spell(f, grammar.Groups, -1, "")]: // said already
	case list == nil:
		sev := diag.Warning
		if f == grammar.PFC {
			sev = diag.Error
		}
		u.found.Report(sev, &topicUnlisted, t.keyAt, "The group %s of %s is defined by %s, but %s.port_group_list is not set, so the "+
			"feature is off on every port. "+
			"Set %s.port_group_list = [%s], or remove the keys.", show(g), f, many, f, f, g)
	case list.empty:
		u.noticef(&topicUnlisted, t.keyAt, "The group %s of %s is defined by %s, and the list of groups is empty: the feature "+
			"is off.", show(g), f, many).
			Note(list.valueAt, "no group is in force")
	default:
		u.warnf(&topicUnlisted, t.keyAt, "The group %s of %s is defined by %s, but %s does not name it, so the keys set nothing. Add the "+
			"group to the list, or remove its keys.", show(g), f, many, list.key).Note(list.valueAt, "the groups in force")
	}
}

// complete finds missing keys of a listed group.
func (u *unit) complete(f grammar.Feature, g item, keys []*setting) {
	has := func(m grammar.Meaning) bool {
		name := grammar.Spell(f, m, -1, g.text)
		return u.set[name] != nil || u.meant[name]
	}
	at := keys[0].keyAt
	if !has(grammar.GroupPorts) {
		u.errorf(&topicIncomplete, g.at, "The group %s of %s has no port_set, so it applies to no port. Set "+
			"%s.", show(g.text), f, grammar.Spell(f, grammar.GroupPorts, -1, g.text)).
			Note(at, "its keys begin here")
	}
	switch f {
	case grammar.PFC:
		u.completePFC(g, has, at)
	case grammar.ECN, grammar.ECNRED:
		if !has(grammar.GroupCos) && !has(grammar.GroupQueues) {
			wanted := grammar.GroupCos
			if u.cand.Only(grammar.QoSFeatures | grammar.QoSInfra) {
				wanted = grammar.GroupQueues
			}
			u.warnf(&topicIncomplete, g.at, "The group %s of %s has no %s, so nothing is marked. Set "+
				"%s.", show(g.text), f, wanted.Word(), grammar.Spell(f, wanted, -1, g.text)).
				Note(at, "its keys begin here")
		}
	}
}

func (u *unit) completePFC(g item, has func(grammar.Meaning) bool, at diag.Range) {
	cos := u.setting(grammar.PFC, grammar.GroupCos, -1, g.text)
	switch {
	case cos == nil && has(grammar.GroupCos), u.obeysOnly(g.text): // meant
	case cos == nil && u.cand.Only(grammar.QoSFeatures|grammar.QoSInfra):
		u.warnf(&topicIncomplete, g.at, "The group %s of pfc has no cos_list: its ports obey pauses, but send none. Set pfc.%s.cos_list to "+
			"the lossless cos.",
			show(g.text), g.text).Note(at, "its keys begin here")
	case cos == nil:
		u.errorf(&topicIncomplete, g.at, "The group %s of pfc has no cos_list, so nothing is lossless on its ports. Set "+
			"pfc.%s.cos_list to the lossless cos.",
			show(g.text), g.text).Note(at, "its keys begin here")
	case cos.empty:
		u.warnf(&topicIncomplete, cos.valueAt, "%s is empty, so nothing is lossless on the ports of the group. Name the "+
			"lossless cos, or take the group out of pfc.port_group_list.", cos.key)
	}
	if !u.cand.Only(grammar.T1 | grammar.T2 | grammar.T3 | grammar.T4) {
		return
	}
	var missing []string
	for _, m := range []grammar.Meaning{grammar.Buffer, grammar.Xoff, grammar.XonDelta} {
		if !has(m) {
			missing = append(missing, m.Word())
		}
	}
	if !u.defaulted(g, missing, at) && len(missing) > 0 && u.cand.Only(grammar.T1|grammar.T2|grammar.T3) {
		u.warnf(&topicIncomplete, g.at, "The group %s of pfc lacks %s. The manuals up to 3.7 require the sizes; their defaults "+
			"(buffer 25,000, xoff 10,000, "+
			"delta 2,000 bytes) leave 15,000 bytes of headroom, too little for jumbo frames. Set "+
			"them.", show(g.text), strings.Join(missing, ", ")).
			Note(at, "its keys begin here")
	}
}

// pausing calls f for each listed group of PFC and link pause.
func (u *unit) pausing(f func(feature grammar.Feature, g item)) {
	for _, feature := range grammar.Pausing {
		for _, g := range u.listed(feature) {
			f(feature, g)
		}
	}
}

// losslessGroup is the lossless priority group of releases without port groups.
const losslessGroup = "lossless"

// losslessCos returns the cos of the PFC groups in force, each with the first list element that names it.
func (u *unit) losslessCos() map[int]item {
	m := map[int]item{}
	for _, g := range u.listed(grammar.PFC) {
		if t := u.of(grammar.PFC, g.text, grammar.GroupCos); t != nil {
			for _, c := range t.list {
				if _, ok := m[c.n]; !ok {
					m[c.n] = c
				}
			}
		}
	}
	if t := u.of(grammar.PriorityGroup, losslessGroup, grammar.GroupCos); t != nil && u.cand.Only(grammar.T0) { // releases before port groups
		for _, c := range t.list {
			m[c.n] = c
		}
	}
	return m
}

// sortedCos returns the lossless cos in ascending order.
func (u *unit) sortedCos() []int {
	var out []int
	for c := range u.lossless {
		out = append(out, c)
	}
	slices.Sort(out)
	return out
}

// numbers spells sorted numbers, runs as ranges: "0-3, 5".
func numbers(list []int) string {
	var out []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if j > i {
			out = append(out, fmt.Sprintf("%d-%d", list[i], list[j]))
		} else {
			out = append(out, fmt.Sprint(list[i]))
		}
		i = j + 1
	}
	return strings.Join(out, ", ")
}
