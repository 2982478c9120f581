package grammar

import (
	"math/bits"
	"strings"
)

// Spelling is the spelling of settings in one file. For a traffic.conf it follows the manual of a release, corrected by the file on the
// switch. For a qos_features.conf or qos_infra.conf it follows the manual alone: no file with another spelling is known.
type Spelling struct {
	dialect Dialects // exactly one dialect of the file
	release Release  // the release of the manual; zero: the file shows the dialect, and all keys of the dialect are accepted
	shown   signs
}

// Documented returns the spelling of the classification file in the manual of a release. The file is traffic.conf, or from 4.4 on
// qos_features.conf. Not ok: the manual of the release is not known.
func Documented(r Release) (s Spelling, ok bool) { return documented(r, TrafficConf|QoSFeatures) }

// Infra returns the spelling of qos_infra.conf in the manual of a release. Not ok: the release has no such file.
func Infra(r Release) (s Spelling, ok bool) { return documented(r, QoSInfra) }

func documented(r Release, in Dialects) (s Spelling, ok bool) {
	d := r.Dialects() & in
	return Spelling{dialect: d, release: r}, d != 0
}

// Of reports whether the dialect of the spelling is one of these.
func (s Spelling) Of(in Dialects) bool { return s.dialect&in != 0 }

// signs is a set of features that a file shows by its keys, where manuals and files in use disagree.
type signs int

const (
	showsSource signs = 1 << iota // the map in the spelling of T3
	showsList                     // the map in the spelling of T2
	showsRED                      // ecn_red
	showsCable                    // the length of the cable
	showsMarks                    // thresholds of marking
	showsECN                      // ecn, where the manual has both ecn and ecn_red
)

// evidence lists the parts of a key that make it a sign.
var evidence = []struct {
	of               signs
	head, part, tail string
}{
	{of: showsSource, part: ".priority_source."},
	{of: showsList, part: ".packet_priorities.8021p"},
	{of: showsList, part: ".packet_priorities.dscp"},
	{of: showsRED, head: "ecn_red."},
	{of: showsCable, tail: ".cable_length"},
	{of: showsMarks, head: "ecn.", tail: ".min_threshold_bytes"},
	{of: showsECN, head: "ecn."},
}

// Shown returns the spelling that the file on the switch accepts, where manuals and shipped files disagree. Commented templates count as
// much as settings: the factory's templates show what switchd accepts.
func (s Spelling) Shown(lines []Line) Spelling {
	if !s.Of(TrafficConf) {
		return s
	}
	var found signs
	for i := range lines {
		k := lines[i].Key
		if k == "" {
			continue
		}
		for _, e := range evidence {
			if found&e.of == 0 && strings.HasPrefix(k, e.head) && strings.Contains(k, e.part) && strings.HasSuffix(k, e.tail) {
				found |= e.of
			}
		}
	}
	if s.dialect == T1 { // from 3.5 on the manuals and the files agree on the map
		switch {
		case found&showsSource != 0:
			s = Spelling{dialect: T3}
		case found&showsList != 0:
			s = Spelling{dialect: T2}
		}
	}
	if found&showsRED != 0 || s.dialect != T4 || s.release.Compare(r43) >= 0 {
		found &^= showsECN
	}
	s.shown = found
	return s
}

// Possible returns spellings that together have every key of every spelling that [Spelling.Shown] can return.
func (s Spelling) Possible() []Spelling {
	if !s.Of(TrafficConf) {
		return []Spelling{s}
	}
	all := []Spelling{s}
	if s.dialect == T1 {
		all = append(all, Spelling{dialect: T2}, Spelling{dialect: T3})
	}
	for i := range all {
		all[i].shown = showsCable | showsMarks
		if all[i].dialect == T4 && s.release.Compare(r43) < 0 {
			all[i].shown |= showsECN
		}
	}
	s.shown = showsRED
	return append(all, s)
}

// Dialect returns the name of the dialect, such as "T1".
func (s Spelling) Dialect() string { return dialects[bits.TrailingZeros(uint(s.dialect))].name }

// InManual reports whether a manual documents the dialect. Other dialects are known only from files.
func (s Spelling) InManual() bool {
	return dialects[bits.TrailingZeros(uint(s.dialect))].from != Release{}
}

// Key returns the key of a feature that has a meaning; nil: the file accepts no such key.
func (s Spelling) Key(f Feature, m Meaning) *Key {
	for _, k := range Find(f, m) {
		if k.shown&s.shown != 0 || s.documents(k) {
			return k
		}
	}
	return nil
}

// Accepts returns the key of [Spelling.Key]. For the files of 4.4 and later it also returns a key that appears in files in use but not in
// the manual of the release. rocec does not write such a key, but counts it as in force where a file has it.
func (s Spelling) Accepts(f Feature, m Meaning) *Key {
	if k := s.Key(f, m); k != nil || s.Of(TrafficConf) {
		return k
	}
	for _, k := range Find(f, m) {
		if k.Maybe&s.dialect != 0 {
			return k
		}
	}
	return nil
}

// documents reports whether the manual of the spelling has a key.
func (s Spelling) documents(k *Key) bool {
	return k.In&s.dialect != 0 && (s.release == Release{} || s.release.Compare(k.Since) >= 0)
}

// Marking returns the feature that marks on groups of ports: the feature that the file shows, else the first one in the manual. Empty: no
// feature does.
func (s Spelling) Marking() (printed Feature) {
	for _, f := range Marking {
		groups := Find(f, Groups)[0]
		switch {
		case groups.shown&s.shown != 0:
			return f
		case printed == "" && s.documents(groups):
			printed = f
		}
	}
	return printed
}

// DefaultMarking returns the feature that marks on every port; empty: no feature does.
func (s Spelling) DefaultMarking() Feature {
	for _, f := range DefaultMarking {
		if s.Key(f, Marks) != nil {
			return f
		}
	}
	return ""
}
