package conflint

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// field is a header field that decides the class.
type field int

const (
	pcp field = iota
	dscp
)

var fieldNames = [...]struct {
	word, name string
	top        int
}{pcp: {grammar.FieldPCP, "PCP", 7}, dscp: {grammar.FieldDSCP, "DSCP", 63}}

// place is an element of a list that gives a value of a field a cos.
type place struct {
	cos int
	item
}

// scope is one map from values to cos: the map of the switch, or of a group of ports.
type scope struct {
	name    string // empty: the switch
	trust   *setting
	trusts  [2]bool
	mapped  [2]map[int][]place
	first   [2]*setting // the first key of the map
	natural int         // the cos of packets without a trusted field; -1: not stated
}

// mapping contains every scope in force.
type mapping struct {
	scopes []*scope
	whole  bool // the cos of every value is known
}

// mapping reads the map from packets to cos.
func (u *unit) mapping() *mapping {
	if u.memo != nil {
		return u.memo
	}
	m := &mapping{whole: true}
	u.memo = m
	main := u.scope(grammar.Switch, "")
	m.scopes = append(m.scopes, main)
	for _, g := range u.listed(grammar.Source) {
		s := u.scope(grammar.Source, g.text)
		for f := range s.mapped {
			if s.first[f] == nil {
				s.mapped[f] = main.mapped[f]
			}
		}
		if s.trust == nil {
			s.trusts = main.trusts
		}
		m.scopes = append(m.scopes, s)
	}
	for _, s := range m.scopes {
		for f := range s.trusts {
			m.whole = m.whole && (!s.trusts[f] || len(s.mapped[f]) > 0)
		}
		m.whole = m.whole && (s.trust != nil && s.trust.ok && !s.trust.part || s.name != "" && main.trust != nil)
	}
	m.whole = m.whole && !u.badMap()
	return m
}

// scope reads the map of the switch, or of a group of ports.
func (u *unit) scope(feature grammar.Feature, name string) *scope {
	s := &scope{name: name, natural: -1}
	for f := range s.mapped {
		s.mapped[f] = map[int][]place{}
	}
	for _, m := range []grammar.Meaning{grammar.TrustOne, grammar.TrustSet} {
		for _, k := range grammar.Find(feature, m) {
			if t := u.set[k.Spell(-1, name)]; t != nil && u.cand&k.In != 0 {
				s.trust = t
			}
		}
	}
	switch {
	case s.trust != nil:
		for _, e := range s.trust.list {
			for f := range fieldNames {
				s.trusts[f] = s.trusts[f] || e.text == fieldNames[f].word
			}
		}
	case u.cand.Only(grammar.T0 | grammar.T1): // the factory default
		s.trusts[pcp] = true
	}
	if u.cand.Only(grammar.QoSFeatures | grammar.QoSInfra) {
		s.natural = 0
		if t := u.of(feature, name, grammar.DefaultCos); t != nil {
			s.natural = t.n
		}
	}
	fields := map[grammar.Meaning]field{grammar.MapTrusted: pcp, grammar.MapPCP: pcp, grammar.MapDSCP: dscp}
	if u.trustsDSCP() {
		fields[grammar.MapTrusted] = dscp
	}
	for cos := range 8 {
		for _, m := range []grammar.Meaning{grammar.MapTrusted, grammar.MapPCP, grammar.MapDSCP} {
			for _, k := range grammar.Find(feature, m) {
				if t := u.set[k.Spell(cos, name)]; t != nil && u.cand&k.In != 0 {
					s.take(t, fields[m], cos)
				}
			}
		}
	}
	return s
}

// take adds a key of the map.
func (s *scope) take(t *setting, f field, cos int) {
	if s.first[f] == nil || diag.ComparePlace(t.keyAt, s.first[f].keyAt) < 0 {
		s.first[f] = t
	}
	for _, e := range t.list {
		s.mapped[f][e.n] = append(s.mapped[f][e.n], place{cos, e})
	}
}

// sorts reports whether the map of a field gives some value a cos.
func (s *scope) sorts(f field, cos int) bool {
	for _, places := range s.mapped[f] {
		if slices.ContainsFunc(places, func(p place) bool { return p.cos == cos }) {
			return true
		}
	}
	return false
}

// reaches reports whether a packet may get a cos.
func (m *mapping) reaches(cos int) bool {
	for _, s := range m.scopes {
		if s.natural == cos {
			return true
		}
		for f, trusted := range s.trusts {
			if trusted && s.sorts(field(f), cos) {
				return true
			}
		}
	}
	return false
}

// checkMap judges the map from packets to cos, and compares it with the lossless cos.
func (u *unit) checkMap() {
	m := u.mapping()
	for i, s := range m.scopes {
		for f := range s.mapped {
			if s.first[f] == nil && i > 0 { // the group has the map of the switch
				continue
			}
			u.mappedTwice(s, field(f))
			if s.trusts[f] {
				u.unmapped(s, field(f))
			}
		}
	}
	u.losslessMap(m)
	if c, ok := u.lossless[3]; ok && u.factoryMap() {
		u.warnf(&topicUnreachable, c.at, "PFC is on for cos 3, and no key of this file assigns a cos to packets. The "+
			"factory's map, up to 4.3, leaves cos 3 without packets: PCP 3 gets cos 4. Write the whole map, with PCP 3 in cos 3.")
	}
	u.silentTrust(m)
	if !m.whole {
		return
	}
	for _, feature := range grammar.Marking {
		for _, g := range u.listed(feature) {
			t := u.of(feature, g.text, grammar.GroupCos)
			if t == nil {
				continue
			}
			for _, c := range t.list {
				if _, said := u.lossless[c.n]; !said && !m.reaches(c.n) {
					u.warnf(&topicUnreachable, c.at, "Marking is on for cos %d, but no packet gets this cos, so nothing is marked. Mark the cos that "+
						"RoCEv2 has, or map its packets to this cos.", c.n)
				}
			}
		}
	}
}

// silentTrust warns where lossless traffic gets its cos by DSCP and no key says that the switch trusts DSCP.
func (u *unit) silentTrust(m *mapping) {
	s := m.scopes[0]
	if s.trust != nil || len(m.scopes) > 1 || u.badMap() || u.cand&(grammar.T0|grammar.T1) != 0 {
		return
	}
	for _, cos := range u.sortedCos() {
		var by [len(fieldNames)]*place
		for f := range fieldNames {
			for v := range fieldNames[f].top + 1 {
				if i := slices.IndexFunc(s.mapped[f][v], func(p place) bool { return p.cos == cos }); i >= 0 && by[f] == nil {
					by[f] = &s.mapped[f][v][i]
				}
			}
		}
		if by[pcp] == nil && by[dscp] != nil && s.natural != cos {
			u.warnf(&topicUnreachable, u.lossless[cos].at, "PFC is on for cos %d, which packets get by their DSCP, and no key says "+
				"that the switch trusts DSCP. The factory's files of 4.3 and later trust 802.1p alone. Set "+
				"traffic.packet_priority_source_set = [dscp].", cos).Note(by[dscp].at, "DSCP %d goes to cos %d here", by[dscp].n, cos)
			return
		}
	}
}

// factoryMap reports whether a traffic.conf has no key about classes, so that the factory's map is in force.
func (u *unit) factoryMap() bool {
	return u.cand.Only(grammar.TrafficConf|grammar.Datapath) && !slices.ContainsFunc(u.order, func(t *setting) bool {
		return t.row != nil && (t.row.Defines || t.feature() == grammar.Source)
	})
}

func (u *unit) mappedTwice(s *scope, f field) {
	for v := range fieldNames[f].top + 1 {
		p := s.mapped[f][v]
		if len(p) < 2 || p[0].cos == p[1].cos {
			continue
		}
		sev, why := diag.Warning, ""
		_, first := u.lossless[p[0].cos]
		if _, second := u.lossless[p[1].cos]; first != second && s.trusts[f] {
			sev, why = diag.Error, " Only one of them is lossless, so the switch may drop RoCE, or other traffic may pause it."
		}
		u.found.Report(sev, &topicValueTwice, p[1].at, "%s %d is in the lists of cos %d and cos %d. Which of them the packets get is not "+
			"documented.%s Keep it in one list.",
			fieldNames[f].name, v, p[0].cos, p[1].cos, why).Note(p[0].at, "here it goes to cos %d", p[0].cos)
	}
}

// unmapped finds values of a trusted field that no list names.
func (u *unit) unmapped(s *scope, f field) {
	name := fieldNames[f].name
	sev, why := diag.Warning, "The manuals mention a default cos for such packets, but not its number."
	if len(u.lossless) == 0 && !slices.ContainsFunc(grammar.Marking, func(f grammar.Feature) bool { return len(u.listed(f)) > 0 }) {
		sev = diag.Notice // without lossless and marked traffic nothing depends on the map, as in factory files
	}
	if u.strictMap() {
		sev, why = diag.Error, "The syntax checker of 4.1 and later refuses such a map."
	}
	at, where := s.first[f], "this switch"
	if s.name != "" {
		where = "the ports of the group " + show(s.name)
	}
	trustAt := diag.Range{}
	if s.trust != nil {
		trustAt = s.trust.valueAt
		for _, e := range s.trust.list {
			if e.text == fieldNames[f].word {
				trustAt = e.at
			}
		}
	}
	if len(s.mapped[f]) == 0 {
		if trustAt.Filename == "" || at != nil && !at.ok {
			return
		}
		if u.cand.Only(grammar.QoSFeatures|grammar.QoSInfra) && f == pcp || u.badMap() {
			return // the factory's map is the identity there
		}
		why := "The manuals do not state whether the factory's map is in force then; it sends PCP 3 to cos 4."
		switch {
		case u.cand.Only(grammar.QoSFeatures | grammar.QoSInfra):
			why = "The factory's file has the map of DSCPs in comments only, and the syntax checker of the release refuses a file without it."
		case f == dscp:
			why = "The manuals do not state whether a factory map is in force then; the files of 4.x have one in comments only."
		}
		u.found.Report(sev, &topicUnmapped, trustAt, "The switch trusts %s, and no key assigns a cos to its values. %s Write "+
			"the whole map.", name, why)
		return
	}
	var missing []int
	for v := range fieldNames[f].top + 1 {
		if len(s.mapped[f][v]) == 0 {
			missing = append(missing, v)
		}
	}
	if len(missing) == 0 || u.badMap() {
		return
	}
	if trustAt.Filename == "" {
		trustAt = at.keyAt
	}
	u.found.Report(sev, &topicUnmapped, trustAt, "On %s no list gives %s %s a cos, although %s is trusted. %s Write every value into one "+
		"of the lists.",
		where, name, numbers(missing), name, why).Note(at.keyAt, "the map begins here")
}

// badMap reports whether a list of the map could not be read: it may contain values that the map seems to lack.
func (u *unit) badMap() bool {
	if u.unread == nil {
		bad := u.unreadMap()
		u.unread = &bad
	}
	return *u.unread
}

func (u *unit) unreadMap() bool {
	for _, s := range u.sources {
		for _, m := range s.meant {
			if slices.Contains(mapTypes, m.row.Type) {
				return true
			}
		}
	}
	for _, t := range u.order {
		if t.row == nil || u.cand&t.row.In == 0 || !slices.Contains(mapTypes, t.row.Type) {
			continue
		}
		if !t.ok || strings.Count(t.value, ",")+1 > len(t.list) && strings.Trim(t.value, "[] \t") != "" {
			return true
		}
	}
	return false
}

// mapTypes are the types of the keys of the map.
var mapTypes = []grammar.Type{grammar.FieldValues, grammar.PCPs, grammar.DSCPs}

// strictMap reports whether the release has a checker that refuses incomplete maps. The file shows this by keys that no release before 4.1
// has.
func (u *unit) strictMap() bool {
	if u.cand.Only(grammar.QoSFeatures | grammar.QoSInfra) {
		return true
	}
	if !u.cand.Only(grammar.T4) {
		return false
	}
	return slices.ContainsFunc(u.order, func(t *setting) bool {
		return strings.HasSuffix(t.key, "."+grammar.CableLength.Word()) || t.feature().Since().AtLeast(4, 2)
	})
}

// losslessMap finds PCPs that go to a lossless cos of another number.
func (u *unit) losslessMap(m *mapping) {
	for _, s := range m.scopes {
		if s.name != "" && s.first[pcp] == nil && s.first[dscp] == nil {
			continue
		}
		moved := map[int][]place{}
		for v := 1; v <= fieldNames[pcp].top; v++ { // 0 is the PCP of unmarked packets, which a separate check reports
			for _, p := range s.mapped[pcp][v] {
				if _, ok := u.lossless[p.cos]; ok && s.trusts[pcp] && v != p.cos {
					moved[p.cos] = append(moved[p.cos], p)
				}
			}
		}
		for _, cos := range u.sortedCos() {
			if p := moved[cos]; len(p) > 0 {
				u.warnf(&topicMoved, p[0].at, "PCP %d goes to the lossless cos %d. A PFC frame contains a priority, and the manuals do not state "+
					"whether the switch writes the cos or the PCP there; the host pauses by its PCP. Give lossless traffic one number everywhere: "+
					"send it with PCP %d, or map PCP %d to cos %d and turn PFC on for that cos.", p[0].n, cos, cos, p[0].n, p[0].n).
					Note(u.lossless[cos].at, "cos %d is lossless", cos)
			}
		}
	}
}

// checkRemark finds rewriting of the field that identifies lossless traffic.
func (u *unit) checkRemark() {
	m := u.mapping()
	if t := u.of(grammar.Switch, "", grammar.RewriteOne); t != nil && len(t.list) > 0 && t.list[0].text == grammar.FieldPCP {
		for _, cos := range u.sortedCos() {
			for v := range 8 {
				for _, p := range m.scopes[0].mapped[pcp][v] {
					if p.cos == cos && v != cos && m.scopes[0].trusts[pcp] {
						u.warnf(&topicRemark, t.valueAt, "The switch rewrites the PCP on the way out to the cos: lossless traffic that comes with PCP %d "+
							"leaves with PCP %d, and the next hop gives it another class. Set none.", v, cos).Note(p.at, "PCP %d goes to cos %d", v, cos)
						return
					}
				}
			}
		}
	}
	enabled, maps := u.remarking()
	for f := range fieldNames {
		on, ok := enabled[fieldNames[f].word]
		if !ok {
			continue
		}
		for _, in := range maps {
			u.remarked(m.scopes[0], field(f), on, in)
		}
	}
}

// rewriting is a map of rewritten values: the map of the switch, or of a group of ports.
type rewriting struct {
	feature grammar.Feature
	group   string
}

// remarking returns, for each field, the place that turns rewriting on. It also returns the maps of rewritten values: the map of the
// switch, and those of groups on ports with PFC. On Spectrum one group turns rewriting on for ingress, and another one has the map for
// egress.
func (u *unit) remarking() (enabled map[string]item, maps []rewriting) {
	enabled = map[string]item{}
	collect := func(t *setting) {
		if t == nil {
			return
		}
		for _, e := range t.list {
			if _, ok := enabled[e.text]; !ok {
				enabled[e.text] = e
			}
		}
	}
	collect(u.of(grammar.Switch, "", grammar.RewriteSet))
	maps = append(maps, rewriting{grammar.Switch, ""})
	var paused []span
	everywhere := false
	for _, g := range u.listed(grammar.PFC) {
		if set := u.of(grammar.PFC, g.text, grammar.GroupPorts); set != nil {
			spans, every := set.spans()
			paused, everywhere = append(paused, spans...), everywhere || every
		}
	}
	paused = merge(paused)
	for _, g := range u.listed(grammar.Remark) {
		collect(u.of(grammar.Remark, g.text, grammar.RewriteSet))
		if set := u.of(grammar.Remark, g.text, grammar.GroupPorts); set != nil {
			spans, every := set.spans()
			if everywhere || every && len(paused) > 0 || slices.ContainsFunc(spans, func(s span) bool { return meets(paused, s) }) {
				maps = append(maps, rewriting{grammar.Remark, g.text})
			}
		}
	}
	return enabled, maps
}

// remarked finds lossless traffic that leaves with another value of a field than it came with.
func (u *unit) remarked(s *scope, f field, on item, in rewriting) {
	into := [...]grammar.Meaning{pcp: grammar.RewrittenPCP, dscp: grammar.RewrittenDSCP}[f]
	for _, cos := range u.sortedCos() {
		t := readable(u.setting(in.feature, into, cos, in.group))
		if t == nil || len(t.list) != 1 || !s.trusts[f] {
			continue
		}
		to := t.list[0].n
		for v := range fieldNames[f].top + 1 {
			p := s.mapped[f][v]
			if !slices.ContainsFunc(p, func(p place) bool { return p.cos == cos && p.n != to }) {
				continue
			}
			u.warnf(&topicRemark, t.list[0].at, "The switch rewrites %s on the way out: lossless traffic of cos %d that comes with %d leaves "+
				"with %d, and the next hop may give it another class. Turn rewriting off: packet_priority_remark_set = "+
				"[].", fieldNames[f].name, cos, v, to).
				Note(on.at, "rewriting is on").Note(p[0].at, "%s %d goes to cos %d", fieldNames[f].name, v, cos)
			break
		}
	}
}
