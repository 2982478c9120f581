package cumulus

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/cumulus/steps"
)

// setting is one wanted line: key = value.
type setting struct {
	key, value string
	why        []ir.Origin
}

// section is a group of consecutive settings. In a file that rocec writes from nothing, a comment is above them.
type section struct {
	title    string // comment lines
	settings []setting
}

// add appends a setting if the file accepts its key. The key is found by its feature and meaning. cos is -1 for a key without
// cos, and group is "" for a key without a port group or priority group.
func (sec *section) add(d grammar.Spelling, f grammar.Feature, m grammar.Meaning, cos int, group, value string, why []ir.Origin) {
	if k := d.Key(f, m); k != nil {
		sec.settings = append(sec.settings, setting{k.Spell(cos, group), value, why})
	}
}

// names appends the list of groups of a feature.
func (sec *section) names(d grammar.Spelling, f grammar.Feature, m grammar.Meaning, groups []string) {
	sec.add(d, f, m, -1, "", "["+strings.Join(groups, ", ")+"]", nil)
}

// spell returns the settings in a spelling, in the order of the vendor's file. have contains the active keys of the file on the switch. The
// result also removes ports of the fabric from port groups of others.
func spell(s *settings, d grammar.Spelling, have grammar.Values) []section {
	secs := []section{s.spellTrust(d, have), s.spellClasses(d)}
	secs = append(secs, s.spellPFC(d, have), s.spellPause(d, have), s.spellECN(d, have), s.spellDefaultECN(d, have),
		s.spellSchedule(d), s.spellShares(d))
	for _, sec := range []section{
		s.spellSource(d, have),
		unlist(d, grammar.Remark, have, s.ports),
		unlist(d, grammar.EgressSched, have, s.fabric), // the fabric's weights apply to the whole switch
	} {
		if len(sec.settings) > 0 {
			secs = append(secs, sec)
		}
	}
	if d.Marking() == "" { // with a profile for every port, groups must not mark some ports differently
		secs = append(secs, unlist(d, grammar.ECNRED, have, s.fabric))
	}
	return secs
}

// spellSource returns the port group that trusts PCP alone. The group has its own map, since the manuals do not state that a group without
// a map uses the map of the switch. If the fabric needs no such group, spellSource removes the fabric's ports from the groups of others.
func (s *settings) spellSource(d grammar.Spelling, have grammar.Values) section {
	if len(s.byPCP) == 0 {
		return unlist(d, grammar.Source, have, s.ports)
	}
	const f = grammar.Source
	sec := section{title: "Classification by ports: RoCEv2 told by PCP comes in here, and its DSCP is not to decide."}
	group := groupNames[f]
	theirs, cut := others(d, f, have, union(s.ports, s.byPCP))
	sec.names(d, f, grammar.Groups, append([]string{group}, theirs...))
	sec.settings = append(sec.settings, cut...)
	sec.add(d, f, grammar.GroupPorts, -1, group, grammar.PortSet(s.byPCP), s.byPCPWhy)
	sec.add(d, f, grammar.TrustSet, -1, group, "["+grammar.FieldPCP+"]", s.byPCPWhy)
	sec.add(d, f, grammar.DefaultCos, -1, group, strconv.Itoa(s.plain), nil)
	for cos := range 8 {
		sec.add(d, f, grammar.MapPCP, cos, group, inverse(s.pcp[:], cos), s.mapWhy[cos])
	}
	return sec
}

// union returns the ports of both lists, sorted.
func union(a, b []grammar.Port) []grammar.Port {
	out := slices.Concat(a, b)
	slices.SortFunc(out, grammar.Port.Compare)
	return slices.Compact(out)
}

func (s *settings) spellTrust(d grammar.Spelling, have grammar.Values) section {
	sec := section{title: "Classification: the header fields the switch believes, and the cos of every value of them.\n" +
		"The maps are complete: a value nobody claimed never lands in a lossless cos."}
	sec.settings = make([]setting, 0, 2+2*8) // both maps
	trustPCP, trustDSCP := s.trusted(have)
	var fields []string
	if trustPCP {
		fields = append(fields, grammar.FieldPCP)
	}
	if trustDSCP {
		fields = append(fields, grammar.FieldDSCP)
	}
	sec.add(d, grammar.Switch, grammar.TrustOne, -1, "", fields[len(fields)-1], s.trustWhy)
	sec.add(d, grammar.Switch, grammar.TrustSet, -1, "", "["+strings.Join(fields, ",")+"]", s.trustWhy)
	sec.add(d, grammar.Switch, grammar.DefaultCos, -1, "", strconv.Itoa(s.plain), nil)
	for _, m := range []grammar.Meaning{grammar.RewriteOne, grammar.RewriteSet} {
		if k := d.Key(grammar.Switch, m); k != nil {
			sec.add(d, grammar.Switch, m, -1, "", k.Type.Empty(), nil)
		}
	}
	trusted := s.pcp[:]
	if s.trustDSCP {
		trusted = s.dscp[:]
	}
	s.spellMap(&sec, d, grammar.MapTrusted, trusted)
	s.spellMap(&sec, d, grammar.MapPCP, s.pcp[:])
	if trustDSCP || d.InManual() { // a key that no manual documents is only written where the switch needs it
		s.spellMap(&sec, d, grammar.MapDSCP, s.dscp[:])
	}
	return sec
}

// trusted returns the fields that the switch must trust: those that the fabric needs. A switch that also trusts the other field continues
// to do so where that changes nothing for packets of intents.
func (s *settings) trusted(have grammar.Values) (pcp, dscp bool) {
	set, _ := have.Get(grammar.Switch, grammar.TrustSet, -1, "")
	fields := grammar.Items(set)
	both := slices.Contains(fields, grammar.FieldPCP) && slices.Contains(fields, grammar.FieldDSCP)
	return s.trustPCP || both && s.sparePCP, s.trustDSCP || both && s.spareDSCP
}

// spellMap appends the lists of the values of a header field, one for each cos.
func (s *settings) spellMap(sec *section, d grammar.Spelling, m grammar.Meaning, to []int) {
	k := d.Key(grammar.Switch, m)
	for cos := range 8 {
		if k != nil {
			sec.settings = append(sec.settings, setting{k.Spell(cos, ""), inverse(to, cos), s.mapWhy[cos]})
		}
	}
}

// inverse lists the values that a map sends to cos.
func inverse(to []int, cos int) string {
	var values []int
	for v, c := range to {
		if c == cos {
			values = append(values, v)
		}
	}
	return list(values)
}

// list spells numbers: "[0,1,2]".
func list(values []int) string {
	b := []byte{'['}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(v), 10)
	}
	return string(append(b, ']'))
}

func (s *settings) spellClasses(d grammar.Spelling) section {
	sec := section{title: "Priority groups: control is strict, service is RoCE, bulk is the rest. Every cos is in exactly one."}
	names := make([]string, len(s.classes))
	for i, c := range s.classes {
		names[i] = c.name
	}
	sec.names(d, grammar.Switch, grammar.PriorityGroups, names)
	for _, c := range s.classes {
		sec.add(d, grammar.PriorityGroup, grammar.GroupCos, -1, c.name, list(c.cos), c.why)
	}
	return sec
}

func (s *settings) spellSchedule(d grammar.Spelling) section {
	sec := section{title: "Scheduling: weight 0 is strict priority, the others share by weight."}
	sec.add(d, grammar.Scheduling, grammar.Algorithm, -1, "", "dwrr", nil)
	for _, c := range s.classes {
		sec.add(d, grammar.PriorityGroup, grammar.Weight, -1, c.name, strconv.Itoa(c.weight), c.why)
	}
	return sec
}

func (s *settings) spellPFC(d grammar.Spelling, have grammar.Values) section {
	sec := section{title: "Priority flow control: the lossless cos, and what a port may hold of it.\n" +
		"xoff_size pauses the peer; the rest of port_buffer_bytes holds what is still on its way."}
	if s.poolHint && len(s.pfc) > 0 {
		file := steps.MemoryFile
		if d.Of(grammar.QoSFeatures) {
			file = infraName
		}
		sec.title += "\nThe split of the chip's memory into lossy and lossless pools is not here but in " + file + "."
	}
	if !listed(grammar.PFC, len(s.pfc), have) {
		return section{}
	}
	sec.groups(d, grammar.PFC, s.pfc, have, s.fabric)
	return sec
}

// listed reports whether to write the list of a feature's port groups. Without groups, only an existing list is written, to empty it: a
// feature without a list is off.
func listed(f grammar.Feature, groups int, have grammar.Values) bool {
	_, standing := have.Get(f, grammar.Groups, -1, "")
	return groups > 0 || standing
}

// spellPause returns the link pause groups. Under PFC it removes the fabric's ports from the pause groups of others, since a port obeys
// either PFC or link pause (802.1Qbb).
func (s *settings) spellPause(d grammar.Spelling, have grammar.Values) section {
	if len(s.pause) == 0 {
		var ports []grammar.Port
		for _, g := range s.pfc {
			ports = append(ports, g.ports...)
		}
		return unlist(d, grammar.LinkPause, have, ports)
	}
	sec := section{title: "Link pause: every class of the link is lossless, and every class waits."}
	sec.groups(d, grammar.LinkPause, s.pause, have, s.fabric)
	return sec
}

// groups appends the list of port groups of a pausing feature, and every key of rocec's groups. The list includes groups of others with
// ports that are not in the fabric.
func (sec *section) groups(d grammar.Spelling, f grammar.Feature, groups []lossless, have grammar.Values, fabric []grammar.Port) {
	names := make([]string, len(groups))
	for i, g := range groups {
		names[i] = g.name
	}
	theirs, cut := others(d, f, have, fabric)
	sec.settings = make([]setting, 0, 1+8*len(groups)+len(cut))
	sec.names(d, f, grammar.Groups, append(names, theirs...))
	sec.settings = append(sec.settings, cut...)
	for _, g := range groups {
		sec.add(d, f, grammar.GroupCos, -1, g.name, list(g.cos), g.why) // link pause has no such key
		sec.add(d, f, grammar.GroupPorts, -1, g.name, grammar.PortSet(g.ports), g.why)
		if g.size.N > 0 { // 0: taken from a group of others that leaves the sizes to the switch ([joining.groups])
			sec.add(d, f, grammar.Buffer, -1, g.name, strconv.Itoa(g.size.N), g.size.From)
			sec.add(d, f, grammar.Xoff, -1, g.name, strconv.Itoa(g.xoff.N), g.xoff.From)
			sec.add(d, f, grammar.XonDelta, -1, g.name, strconv.Itoa(g.xonDelta.N), g.xonDelta.From)
		}
		sec.add(d, f, grammar.SendsPause, -1, g.name, "true", g.why)
		sec.add(d, f, grammar.ObeysPause, -1, g.name, "true", g.why)
		if g.metres > 0 {
			sec.add(d, f, grammar.CableLength, -1, g.name, strconv.Itoa(g.metres), []ir.Origin{g.cableWhy})
		}
	}
}

func (s *settings) spellECN(d grammar.Spelling, have grammar.Values) section {
	f := d.Marking()
	if f == "" || !listed(f, len(s.ecn), have) {
		return section{}
	}
	sec := section{title: markingTitle}
	names := make([]string, len(s.ecn))
	for i, g := range s.ecn {
		names[i] = g.name
	}
	theirs, cut := others(d, f, have, s.fabric)
	sec.settings = make([]setting, 0, 1+7*len(s.ecn)+len(cut))
	sec.names(d, f, grammar.Groups, append(names, theirs...))
	sec.settings = append(sec.settings, cut...)
	for _, g := range s.ecn {
		sec.add(d, f, grammar.GroupCos, -1, g.name, list(g.cos), g.why)
		sec.add(d, f, grammar.GroupQueues, -1, g.name, list(g.cos), g.why) // a cos leaves by the queue of its number
		sec.add(d, f, grammar.GroupPorts, -1, g.name, grammar.PortSet(g.ports), g.why)
		sec.add(d, f, grammar.Marks, -1, g.name, "true", g.why)
		sec.add(d, f, grammar.DropsEarly, -1, g.name, "false", g.why)
		sec.add(d, f, grammar.MinThreshold, -1, g.name, strconv.Itoa(g.min.N), g.min.From)
		sec.add(d, f, grammar.MaxThreshold, -1, g.name, strconv.Itoa(g.max.N), g.max.From)
		sec.add(d, f, grammar.Probability, -1, g.name, strconv.Itoa(g.probability.N), g.probability.From)
	}
	return sec
}

// unlist removes ports from the port groups that the list of a feature names. If the file has no such list, unlist writes nothing.
func unlist(d grammar.Spelling, f grammar.Feature, have grammar.Values, ports []grammar.Port) section {
	var sec section
	if _, standing := have.Get(f, grammar.Groups, -1, ""); !standing {
		return sec
	}
	keep, cut := others(d, f, have, ports)
	if k := d.Accepts(f, grammar.Groups); k != nil {
		sec.settings = append(sec.settings, setting{key: k.Pattern, value: "[" + strings.Join(keep, ", ") + "]"})
	}
	sec.settings = append(sec.settings, cut...)
	return sec
}

// others takes ports away from the port groups that others have set for a feature. keep contains the groups that stay in the list of the
// feature. cut contains the new port_set of each group that loses ports. A group does not stay if it has no port left, or if its port_set
// cannot be split.
func others(d grammar.Spelling, f grammar.Feature, have grammar.Values, taken []grammar.Port) (keep []string, cut []setting) {
	key := d.Accepts(f, grammar.GroupPorts)
	seen := map[string]bool{}
	for _, g := range listedGroups(have, f) {
		if seen[g] || ours(f, g) || key == nil {
			continue
		}
		seen[g] = true
		set := have[key.Spell(-1, g)]
		rest, ok := without(set, taken)
		rewritten := groupNames[f] != "" && f != grammar.Source // the features whose list rocec writes
		switch {
		case !ok || set != "" && rest == "" || set == "" && rewritten:
			continue
		case rest != set:
			cut = append(cut, setting{key: key.Spell(-1, g), value: rest})
		}
		keep = append(keep, g)
	}
	return keep, cut
}

// groupNames contains the name of rocec's first port group of each feature. The second group is roce_pfc_2, and so on.
var groupNames = map[grammar.Feature]string{
	grammar.PFC:       "roce_pfc",
	grammar.LinkPause: "roce_pause",
	grammar.ECN:       "roce_ecn",
	grammar.ECNRED:    "roce_ecn",
	grammar.Source:    "roce_trust",
}

// ours reports whether a name is one that rocec gives to port groups of a feature.
func ours(f grammar.Feature, group string) bool {
	base, ok := groupNames[f]
	if !ok {
		return false
	}
	rest, ok := strings.CutPrefix(group, base)
	if !ok || rest == "" {
		return ok
	}
	n, ok := strings.CutPrefix(rest, "_")
	i, isNumber := number(n)
	return ok && isNumber && i >= 2
}

// number reads a small decimal number without leading zeros.
func number(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 16)
	return int(n), err == nil && strconv.FormatUint(n, 10) == s
}

// classification contains the meanings of the keys of the whole switch that rocec sets in some dialect.
var classification = []grammar.Meaning{
	grammar.TrustOne, grammar.TrustSet, grammar.DefaultCos, grammar.RewriteOne, grammar.RewriteSet, grammar.MapTrusted,
	grammar.MapPCP, grammar.MapDSCP,
}

// stale reports whether a key is rocec's, or has the meaning of one of rocec's keys in another dialect. An edit removes such keys if they
// are not wanted.
func stale(key string, d grammar.Spelling) bool {
	words := strings.Split(key, ".")
	f := grammar.Feature(words[0])
	k, _, _ := grammar.Match(words)
	switch {
	case k != nil && f == grammar.Switch:
		return slices.Contains(classification, k.Means)
	case k != nil && k.Means == grammar.Groups:
		return slices.Contains(grammar.Marking, f) && d.Marking() != "" && f != d.Marking()
	}
	return len(words) > 2 && ours(f, words[1])
}

// origins returns the origins of each key that rocec may write, in every spelling that the file on the switch may accept.
func origins(s *settings, doc grammar.Spelling) map[string][]ir.Origin {
	m := map[string][]ir.Origin{}
	for _, d := range doc.Possible() {
		for _, sec := range spell(s, d, nil) {
			for _, set := range sec.settings {
				if len(set.why) > 0 {
					m[set.key] = set.why
				}
			}
		}
	}
	return m
}
