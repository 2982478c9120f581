package conflint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// family returns the dialects of the main file among those that a switch reads together: qos_features.conf or traffic.conf.
func family(d grammar.Dialects) grammar.Dialects {
	if d&(grammar.QoSFeatures|grammar.QoSInfra) != 0 && d&grammar.TrafficConf == 0 {
		return grammar.QoSFeatures
	}
	return grammar.TrafficConf
}

// dialectsOf returns the possible dialects of a file by its name; for a name without a hint, every dialect.
func dialectsOf(name string) grammar.Dialects {
	_, base := split(name)
	return grammar.OfFile(base)
}

// idle reports whether a file has no key that rocec judges and may still be correct. A datapath.conf may, since only a part of its keys is
// documented. Beside a qos_features.conf, a qos_infra.conf may, and so may a traffic.conf, which no longer has classes.
func (s *source) idle(newer bool) bool {
	if s.kind != grammar.Datapath && (!newer || s.kind != grammar.TrafficConf && s.kind != grammar.QoSInfra) {
		return false
	}
	return !slices.ContainsFunc(s.settings, func(t *setting) bool {
		return t.row != nil && !t.row.Hint || s.kind == grammar.TrafficConf && t.feature().Known()
	})
}

// recognise finds the dialects of a source by the keys it sets: first those that define a dialect, then the others. It leaves no candidate
// if no dialect fits.
func (s *source) recognise(u *unit) {
	all := s.kind
	cand, known := all, false
	var by []*setting // the settings that narrowed the candidates, in order
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
			case t.row == nil || t.row.Defines != defines:
			case cand&t.row.Could() != 0:
				known = known || !t.row.Hint
				if cand&t.row.Could() != cand {
					cand, by = cand&t.row.Could(), append(by, t)
				}
			case t.row.Hint:
			case defines && by != nil && all&t.row.Could() != 0:
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
		lines := 0 // for a file of another kind, one finding about a line that is not a setting is enough
		u.found.List = slices.DeleteFunc(u.found.List, func(d *diag.Diagnostic) bool {
			if d.Code == topicSyntax.Code {
				lines++
			}
			return d.Code == topicSyntax.Code && lines > 1
		})
		u.errorf(&topicDialect, s.Top(), "No line of this file sets a key of any release of traffic.conf, qos_features.conf, qos_infra.conf "+
			"or datapath.conf that rocec knows, so it cannot be judged.%s Make sure that it is the right file, and that it was copied "+
			"completely.", s.hinted())
		s.cand = 0
		return
	}
	s.settle(cand)
	s.perhaps(u, by)
	s.unknownKeys(u)
}

// perhaps reports keys that are not in the manuals of the release, but in some files in use.
func (s *source) perhaps(u *unit, by []*setting) {
	odd := map[string][]*setting{}
	var order []string
	for _, t := range s.settings {
		if t.row == nil || s.cand&t.row.In != 0 || s.cand&t.row.Maybe == 0 || t.feature() == grammar.ECN && s.eitherECN() {
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

// eitherECN reports whether a file may be of 4.0 to 4.2, whose manuals print ecn in examples and ecn_red in lists, and uses one of them.
func (s *source) eitherECN() bool {
	return !slices.ContainsFunc(s.settings, func(t *setting) bool {
		return t.row != nil && (t.feature() == grammar.ECNRED || t.row.Since.AtLeast(4, 3))
	})
}

// settle keeps the dialects whose manuals document most of the keys. Keys that are only in files in use do not count. A file without a
// known name that could be several files is taken for the first of them.
func (s *source) settle(cand grammar.Dialects) {
	least := len(s.settings) + 1
	for bit := grammar.T0; bit <= grammar.D; bit <<= 1 {
		if cand&bit == 0 {
			continue
		}
		lacking := 0
		for _, t := range s.settings {
			if t.row != nil && t.row.In&bit == 0 {
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
	if !s.nameless {
		return
	}
	for _, file := range grammar.Files {
		if of := grammar.OfFile(file); cand&of != 0 {
			s.kind, s.cand = of&s.kind, cand&of
			return
		}
	}
}

// against returns the first setting in by that no dialect has together with t, else the last setting in by. It is nil if by is empty.
func against(by []*setting, t *setting) *setting {
	for _, b := range by {
		if b.row.Could()&t.row.Could() == 0 {
			return b
		}
	}
	if len(by) > 0 {
		return by[len(by)-1]
	}
	return nil
}

// mixed reports a key that no release reads together with an earlier key.
func (s *source) mixed(u *unit, t, by *setting, all grammar.Dialects) {
	seen := ""
	if t.row.Could()&(grammar.T1|grammar.T2) != 0 && by.row.Could()&(grammar.T1|grammar.T2) != 0 {
		seen = " (files of 3.4 have one or the other, never both)"
	}
	u.errorf(&topicMixed, t.keyAt, "%s is a key of %s, but line %d sets %s, a key of %s. No release reads both%s, so at best half of this "+
		"file is in force. Keep the spelling of the release that the switch runs (VERSION_ID in /etc/os-release) and rewrite the rest.",
		t.key, within(t.row.Could(), all), by.keyAt.Start.Line, by.key, within(by.row.Could(), all), seen).
		Note(by.keyAt, "the other spelling begins here")
}

// within returns the dialects of d that are in all; if none is, it returns d.
func within(d, all grammar.Dialects) grammar.Dialects {
	if d&all != 0 {
		return d & all
	}
	return d
}

// foreign reports keys of other releases: one finding for all keys of a feature.
func (s *source) foreign(u *unit, keys []*setting, cand grammar.Dialects, by *setting) {
	t, all := keys[0], s.kind
	also := ""
	if len(keys) > 1 {
		also = fmt.Sprintf(" The same holds for %s of %s.* in this file.", diag.Count(len(keys)-1, "further key"), t.words[0])
	}
	var d *diag.Diagnostic
	if cand&t.row.Maybe != 0 {
		d = u.warnf(&topicForeign, t.keyAt, "%s is documented for %s. Whether %s accepts it is not known: the manuals and files in use "+
			"disagree.%s The templates in the switch's own file show the spelling that it accepts.", t.key, within(t.row.In, all), cand, also)
	} else {
		d = u.errorf(&topicForeign, t.keyAt, "%s is a key of %s, and this file is %s. The switch ignores it or refuses the file.%s "+
			"Use the key of the release the switch runs, or remove it.", t.key, within(t.row.Could(), all), cand, also)
	}
	if by != nil && by != t {
		d.Note(by.keyAt, "this key identifies the release")
	}
}

// hinted returns a sentence about the dialect of the commented lines, which are only a hint. It is empty if they show no dialect.
func (s *source) hinted() string {
	cand := s.kind
	for _, key := range s.hidden {
		if r, _, _ := grammar.Match(strings.Split(key, ".")); r != nil && cand&r.In != 0 {
			cand &= r.In
		}
	}
	if len(s.hidden) == 0 || cand == s.kind {
		return ""
	}
	return fmt.Sprintf(" Its commented lines look like a %s; nothing in them is in force.", cand)
}

// unknownKeys reports keys of known features that no release has, and misspelled features.
func (s *source) unknownKeys(u *unit) {
	if s.kind == grammar.QoSInfra || s.kind == grammar.Datapath { // only a part of their keys is documented
		return
	}
	for _, t := range s.settings {
		if t.row != nil {
			continue
		}
		if r := grammar.Outside(t.words); r != nil {
			s.meant = append(s.meant, meaning{t.key, r})
			u.errorf(&topicUnknown, t.keyAt, "No release has the key %s: cos, queues and pools are numbered from 0 to 7. This line sets "+
				"nothing, or the switch refuses the file because of this line. Use one of these numbers, or remove it.", show(t.key))
			continue
		}
		right := grammar.Nearest(t.words)
		switch {
		case right != "":
			row, _, _ := grammar.Match(strings.Split(right, "."))
			s.meant = append(s.meant, meaning{right, row})
			u.errorf(&topicUnknown, t.keyAt, "No release has the key %s, so this line sets nothing, or the switch refuses the file because of "+
				"this line. Did you mean %q?",
				show(t.key), right)
		case t.feature().Known() && len(t.words) > 1:
			u.warnf(&topicUnknown, t.keyAt, "No manual from 2.5 to 5.x that rocec knows has the key %s, although they have other keys of %s.*. "+
				"It may set nothing. Compare it with the templates in the switch's own file.", show(t.key), t.words[0])
		}
	}
}
