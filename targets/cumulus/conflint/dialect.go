package conflint

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// dialects is a set of spellings: which file, of which releases.
type dialects uint

// The dialects, oldest first within each file. Sources: the chapters on buffers and quality of service of the Cumulus
// Linux manuals 2.5 to 5.x. T2 is in no manual: it was seen in a file of 2017, probably as shipped with 3.4.
const (
	T0 dialects = 1 << iota
	T1
	T2
	T3
	T4
	Q1
	Q2
	I1
	I2
	D
)

const (
	traffic  = T0 | T1 | T2 | T3 | T4
	features = Q1 | Q2
	infra    = I1 | I2
)

// spellings names each dialect, in the order of its bits.
var spellings = []struct{ file, from, to string }{
	{"traffic.conf", "2.5", "3.1.0"},
	{"traffic.conf", "3.1.1", "3.4"},
	{"traffic.conf", "3.4", "3.4"},
	{"traffic.conf", "3.5", "3.7"},
	{"traffic.conf", "4.0", "4.3"},
	{"qos_features.conf", "4.4", "4.4"},
	{"qos_features.conf", "5.x", "5.x"},
	{"qos_infra.conf", "4.4", "4.4"},
	{"qos_infra.conf", "5.x", "5.x"},
	{"datapath.conf", "2.5", "4.3"},
}

// String names the dialects of one file: "traffic.conf of Cumulus Linux 3.5 to 4.3". Of several files it names each.
func (d dialects) String() string {
	var parts []string
	for _, of := range []dialects{traffic, features, infra, D} {
		in := d & of
		if in == 0 {
			continue
		}
		first, last := spellings[bits.TrailingZeros(uint(in))], spellings[bits.Len(uint(in))-1]
		releases := first.from
		if last.to != first.from {
			releases += " to " + last.to
		}
		parts = append(parts, fmt.Sprintf("%s of Cumulus Linux %s", first.file, releases))
	}
	return diag.Or(parts)
}

// only tells whether every dialect of d is among o. What lies beside traffic.conf or qos_features.conf does not count.
func (d dialects) only(o dialects) bool {
	if d&traffic != 0 {
		d &^= D
	}
	if d&features != 0 {
		d &^= infra
	}
	return d&^o == 0
}

// family tells which files a switch of these dialects reads together.
func (d dialects) family() string {
	if d&(features|infra) != 0 && d&traffic == 0 {
		return "qos"
	}
	return "traffic"
}

// kind is which file a source is.
type kind int

const (
	unknownKind kind = iota
	trafficKind
	featuresKind
	infraKind
	datapathKind
)

var kinds = map[string]kind{
	"traffic.conf": trafficKind, "qos_features.conf": featuresKind, "qos_infra.conf": infraKind, "datapath.conf": datapathKind,
}

var kindDialects = map[kind]dialects{
	unknownKind: traffic | features | infra | D, trafficKind: traffic, featuresKind: features, infraKind: infra, datapathKind: D,
}

func kindOf(name string) kind {
	_, base := split(name)
	return kinds[base]
}

// idle tells whether a file may hold nothing rocec judges without being the wrong one: a datapath.conf, whose keys are
// documented in part, and beside qos_features.conf a qos_infra.conf, and a traffic.conf, which has no classes any more.
func (s *source) idle(newer bool) bool {
	if s.kind != datapathKind && (!newer || s.kind != trafficKind && s.kind != infraKind) {
		return false
	}
	return !slices.ContainsFunc(s.settings, func(t *setting) bool {
		return t.row != nil && !t.row.hint || s.kind == trafficKind && knownFeature(t.words[0])
	})
}

// could is every dialect a key may be of.
func (t *setting) could() dialects { return t.row.in | t.row.maybe }

// recognise settles the dialects of a source by the keys it sets: first those that define a dialect, then the others.
// It leaves no candidate where there is none.
func (s *source) recognise(u *unit) {
	all := kindDialects[s.kind]
	cand, known := all, false
	var by []*setting // what narrowed the candidates, in order
	for _, defines := range []bool{true, false} {
		odd := map[string][]*setting{} // keys that do not fit, by feature
		var order []string
		put := func(t *setting) {
			if odd[t.words[0]] == nil {
				order = append(order, t.words[0])
			}
			odd[t.words[0]] = append(odd[t.words[0]], t)
		}
		for _, t := range s.settings {
			switch {
			case t.row == nil || t.row.defines != defines:
			case cand&t.could() != 0:
				known = known || !t.row.hint
				if cand&t.could() != cand {
					cand, by = cand&t.could(), append(by, t)
				}
			case t.row.hint:
			case defines && by != nil && all&t.could() != 0:
				s.mixed(u, t, against(by, t), all)
				s.cand = 0
				return
			default:
				known = true
				put(t)
			}
		}
		for _, key := range order {
			s.foreign(u, odd[key], cand, against(by, odd[key][0]))
		}
	}
	if !known {
		lines := 0 // of a file of another kind the first line that is no setting says enough
		u.diags = slices.DeleteFunc(u.diags, func(d *diag.Diagnostic) bool {
			if d.Code == topicSyntax.Code {
				lines++
			}
			return d.Code == topicSyntax.Code && lines > 1
		})
		u.errorf(&topicDialect, s.top(), "No line of this file sets a key of any release of traffic.conf, qos_features.conf, "+
			"qos_infra.conf or datapath.conf "+
			"that rocec knows, so it cannot be judged.%s See that it is the right file, and that it came over whole.", s.hinted())
		s.cand = 0
		return
	}
	s.settle(cand)
	s.perhaps(u, by)
	s.unknownKeys(u)
}

// perhaps reports keys the manuals of the release do not have, and files in use may.
func (s *source) perhaps(u *unit, by []*setting) {
	odd := map[string][]*setting{}
	var order []string
	for _, t := range s.settings {
		if t.row == nil || s.cand&t.row.in != 0 || s.cand&t.row.maybe == 0 {
			continue
		}
		if odd[t.words[0]] == nil {
			order = append(order, t.words[0])
		}
		odd[t.words[0]] = append(odd[t.words[0]], t)
	}
	for _, key := range order {
		s.foreign(u, odd[key], s.cand, against(by, odd[key][0]))
	}
}

// settle keeps the dialects whose manuals have most of the keys, before those only files in use speak for; and of several
// files a nameless one can be, the first.
func (s *source) settle(cand dialects) {
	least := len(s.settings) + 1
	for bit := T0; bit <= D; bit <<= 1 {
		if cand&bit == 0 {
			continue
		}
		lacking := 0
		for _, t := range s.settings {
			if t.row != nil && t.row.in&bit == 0 {
				lacking++
			}
		}
		switch {
		case lacking < least:
			least, s.cand = lacking, bit
		case lacking == least:
			s.cand |= bit
		}
	}
	cand = s.cand
	if s.kind != unknownKind {
		return
	}
	for _, k := range []kind{trafficKind, featuresKind, infraKind, datapathKind} {
		if cand&kindDialects[k] != 0 {
			s.kind, s.cand = k, cand&kindDialects[k]
			return
		}
	}
}

// against gives the first key that speaks against another one; nil: none does.
func against(by []*setting, t *setting) *setting {
	for _, b := range by {
		if b.could()&t.could() == 0 {
			return b
		}
	}
	if len(by) > 0 {
		return by[len(by)-1]
	}
	return nil
}

// mixed reports a key that no release reads together with one before it.
func (s *source) mixed(u *unit, t, by *setting, all dialects) {
	seen := ""
	if t.could()&(T1|T2) != 0 && by.could()&(T1|T2) != 0 {
		seen = " (3.4 was seen with either, never with both)"
	}
	u.errorf(&topicMixed, t.keyAt, "%s is a key of %s, but line %d sets %s, a key of %s. No release reads both%s, so this file is "+
		"half in force at best. Keep the spelling of the release the switch runs (VERSION_ID in /etc/os-release) and rewrite the rest.",
		t.key, within(t.could(), all), by.keyAt.Start.Line, by.key, within(by.could(), all), seen).
		Note(by.keyAt, "the other spelling begins here")
}

// within leaves those dialects of d a file of its name can be, if there are any.
func within(d, all dialects) dialects {
	if d&all != 0 {
		return d & all
	}
	return d
}

// foreign reports keys of other releases, those of one feature as one finding.
func (s *source) foreign(u *unit, keys []*setting, cand dialects, by *setting) {
	t, all := keys[0], kindDialects[s.kind]
	also := ""
	if len(keys) > 1 {
		also = fmt.Sprintf(" The same holds for %s of %s.* in this file.", diag.Count(len(keys)-1, "further key"), t.words[0])
	}
	var d *diag.Diagnostic
	if cand&t.row.maybe != 0 {
		d = u.warnf(&topicForeign, t.keyAt, "%s is documented for %s. Whether %s takes it is not known: the manuals and files in use "+
			"disagree.%s Look at the templates in the switch's own file for the spelling it takes.", t.key, within(t.row.in, all), cand, also)
	} else {
		d = u.errorf(&topicForeign, t.keyAt, "%s is a key of %s, and this file is %s. The switch ignores it or refuses the file.%s "+
			"Use the key of the release the switch runs, or remove it.", t.key, within(t.could(), all), cand, also)
	}
	if by != nil && by != t {
		d.Note(by.keyAt, "the release is told by this key")
	}
}

// hinted tells what commented lines look like; they are a hint and no more.
func (s *source) hinted() string {
	cand := kindDialects[s.kind]
	for _, key := range s.hidden {
		if r := match(strings.Split(key, ".")); r != nil && cand&r.in != 0 {
			cand &= r.in
		}
	}
	if len(s.hidden) == 0 || cand == kindDialects[s.kind] {
		return ""
	}
	return fmt.Sprintf(" Its commented lines look like a %s; nothing in them is in force.", cand)
}

// unknownKeys reports keys below known features that no release has, and features nearly spelled right.
func (s *source) unknownKeys(u *unit) {
	if s.kind == infraKind || s.kind == datapathKind { // their keys are documented in part only
		return
	}
	for _, t := range s.settings {
		if t.row != nil {
			continue
		}
		if r := outside(t.words); r != nil {
			s.meant = append(s.meant, meaning{t.key, r})
			u.errorf(&topicUnknown, t.keyAt, "No release has the key %s: cos, queues and pools are numbered from 0 to 7. This line "+
				"sets nothing, or keeps the file from being read. Use one of these numbers, or remove it.", show(t.key))
			continue
		}
		right, near := suggest(t.words)
		switch {
		case near:
			s.meant = append(s.meant, meaning{right, match(strings.Split(right, "."))})
			u.errorf(&topicUnknown, t.keyAt, "No release has the key %s, so this line sets nothing, or keeps the file from "+
				"being read. Did you mean %q?",
				show(t.key), right)
		case knownFeature(t.words[0]) && len(t.words) > 1:
			u.warnf(&topicUnknown, t.keyAt, "No manual from 2.5 to 5.x that rocec knows has the key %s, although they have "+
				"others of %s.*. It may set nothing. "+
				"Compare it with the templates in the switch's own file.", show(t.key), t.words[0])
		}
	}
}
