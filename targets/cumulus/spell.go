package cumulus

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// setting is one line to be: key = value.
type setting struct {
	key, value string
	why        []ir.Origin
}

// section is settings that stand together, under a comment when rocec writes the whole file.
type section struct {
	title    string // comment lines
	settings []setting
}

func (sec *section) add(key, value string, why []ir.Origin) {
	sec.settings = append(sec.settings, setting{key, value, why})
}

// spell writes the settings in a dialect, in the order of the vendor's file. have holds the active keys of the file on
// the switch. The lists of PFC and ECN groups are wholly ours; other features' groups are only unlisted where they touch
// a port of the fabric.
func spell(s *settings, d dialect, have map[string]string) []section {
	secs := []section{s.spellTrust(d), s.spellClasses()}
	secs = append(secs, s.spellPFC(d, have), s.spellPause(d, have), s.spellECN(d, have), s.spellSchedule())
	if d.overrides {
		for _, feature := range []string{"source", "remark"} {
			if sec := unlist(feature, have, s.ports); len(sec.settings) > 0 {
				secs = append(secs, sec)
			}
		}
	}
	return secs
}

func (s *settings) spellTrust(d dialect) section {
	sec := section{title: "Classification: the header fields the switch believes, and the cos of every value of them.\n" +
		"The maps are complete: a value nobody claimed never lands in a lossless cos."}
	switch {
	case d.trustList:
		var fields []string
		if s.trustPCP {
			fields = append(fields, "802.1p")
		}
		if s.trustDSCP {
			fields = append(fields, "dscp")
		}
		sec.add(d.trust, "["+strings.Join(fields, ",")+"]", s.trustWhy)
	case s.trustDSCP:
		sec.add(d.trust, "dscp", s.trustWhy)
	default:
		sec.add(d.trust, "802.1p", s.trustWhy)
	}
	sec.add(d.remark, d.remarkOff, nil)
	both := d.pcp != d.dscp
	if both || !s.trustDSCP {
		for cos := range 8 {
			sec.add(fmt.Sprintf(d.pcp, cos), inverse(s.pcp[:], cos), s.mapWhy[cos])
		}
	}
	if s.trustDSCP || both && d.overrides { // T2's key for DSCP is in no manual, so it is written only where needed
		for cos := range 8 {
			sec.add(fmt.Sprintf(d.dscp, cos), inverse(s.dscp[:], cos), s.mapWhy[cos])
		}
	}
	return sec
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

func (s *settings) spellClasses() section {
	sec := section{title: "Priority groups: control is strict, service is RoCE, bulk is the rest. Every cos is in exactly one."}
	names := make([]string, len(s.classes))
	for i, c := range s.classes {
		names[i] = c.name
	}
	sec.add("traffic.priority_group_list", "["+strings.Join(names, ", ")+"]", nil)
	for _, c := range s.classes {
		sec.add("priority_group."+c.name+".cos_list", list(c.cos), c.why)
	}
	return sec
}

func (s *settings) spellSchedule() section {
	sec := section{title: "Scheduling: weight 0 is strict priority, the others share by weight."}
	sec.add("scheduling.algorithm", "dwrr", nil)
	for _, c := range s.classes {
		sec.add("priority_group."+c.name+".weight", strconv.Itoa(c.weight), c.why)
	}
	return sec
}

func (s *settings) spellPFC(d dialect, have map[string]string) section {
	sec := section{title: "Priority flow control: the lossless cos, and what a port may hold of it.\n" +
		"xoff_size pauses the peer; the rest of port_buffer_bytes holds what is still on its way."}
	if s.poolHint && len(s.pfc) > 0 {
		sec.title += "\nThe split of the chip's memory into lossy and lossless pools is not here but in datapath.conf."
	}
	if !listed("pfc", len(s.pfc), have) {
		return section{}
	}
	sec.groups("pfc", s.pfc, d, true)
	return sec
}

// listed tells whether the list of a feature's port groups is written: without groups only where one stands, to empty
// it; the feature is off anyway where there is none.
func listed(feature string, groups int, have map[string]string) bool {
	_, standing := have[feature+".port_group_list"]
	return groups > 0 || standing
}

// spellPause writes link pause groups; under PFC it takes the fabric's ports out of the pause groups of others, since
// a port obeys one or the other (802.1Qbb).
func (s *settings) spellPause(d dialect, have map[string]string) section {
	if len(s.pause) == 0 {
		var ports []port
		for _, g := range s.pfc {
			ports = append(ports, g.ports...)
		}
		return unlist("link_pause", have, ports)
	}
	sec := section{title: "Link pause: every class of the link is lossless, and every class waits."}
	sec.groups("link_pause", s.pause, d, false)
	return sec
}

// groups writes the list of port groups and every key of each.
func (sec *section) groups(feature string, groups []lossless, d dialect, withCos bool) {
	names := make([]string, len(groups))
	for i, g := range groups {
		names[i] = g.name
	}
	sec.add(feature+".port_group_list", "["+strings.Join(names, ", ")+"]", nil)
	for _, g := range groups {
		prefix := feature + "." + g.name + "."
		if withCos {
			sec.add(prefix+"cos_list", list(g.cos), g.why)
		}
		sec.add(prefix+"port_set", portSet(g.ports), g.why)
		sec.add(prefix+"port_buffer_bytes", strconv.Itoa(g.size.N), g.size.From)
		sec.add(prefix+"xoff_size", strconv.Itoa(g.xoff.N), g.xoff.From)
		sec.add(prefix+"xon_delta", strconv.Itoa(g.xonDelta.N), g.xonDelta.From)
		sec.add(prefix+"tx_enable", "true", g.why)
		sec.add(prefix+"rx_enable", "true", g.why)
		if d.cable && g.metres > 0 {
			sec.add(prefix+"cable_length", strconv.Itoa(g.metres), []ir.Origin{g.cableWhy})
		}
	}
}

func (s *settings) spellECN(d dialect, have map[string]string) section {
	if !listed(d.ecn, len(s.ecn), have) {
		return section{}
	}
	sec := section{title: "Congestion marking (ECN): egress queue lengths in bytes, probability in percent."}
	names := make([]string, len(s.ecn))
	for i, g := range s.ecn {
		names[i] = g.name
	}
	sec.add(d.ecn+".port_group_list", "["+strings.Join(names, ", ")+"]", nil)
	for _, g := range s.ecn {
		prefix := d.ecn + "." + g.name + "."
		sec.add(prefix+"cos_list", list(g.cos), g.why)
		sec.add(prefix+"port_set", portSet(g.ports), g.why)
		if d.ecn == ecnRed {
			sec.add(prefix+"ecn_enable", "true", g.why)
			sec.add(prefix+"red_enable", "false", g.why)
		}
		if d.marks {
			sec.add(prefix+"min_threshold_bytes", strconv.Itoa(g.min.N), g.min.From)
			sec.add(prefix+"max_threshold_bytes", strconv.Itoa(g.max.N), g.max.From)
			sec.add(prefix+"probability", strconv.Itoa(g.probability.N), g.probability.From)
		}
	}
	return sec
}

// ecnRed is the prefix of the marking keys from 4.0 on.
const ecnRed = "ecn_red"

// unlist takes the port groups out of a feature's list that would apply to one of ports. A feature the file does not
// list stays unwritten.
func unlist(feature string, have map[string]string, ports []port) section {
	var sec section
	key := feature + ".port_group_list"
	standing, ok := have[key]
	if !ok {
		return sec
	}
	var keep []string
	seen := map[string]bool{}
	for _, g := range items(standing) {
		if !seen[g] && !ours(feature, g) && !touches(have[feature+"."+g+".port_set"], ports) {
			keep = append(keep, g)
		}
		seen[g] = true
	}
	sec.add(key, "["+strings.Join(keep, ", ")+"]", nil)
	return sec
}

// ours tells whether rocec names port groups of a feature so.
func ours(feature, group string) bool {
	var base string
	switch feature {
	case "pfc":
		base = pfcGroup
	case "link_pause":
		base = pauseGroup
	case "ecn", ecnRed:
		base = ecnGroup
	default:
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

// stale tells whether a key is rocec's, or says in another dialect what rocec says: where it is not wanted, it goes.
func stale(key string, d dialect) bool {
	shape := anyCos(key)
	for i := range dialects {
		if o := &dialects[i]; key == o.trust || key == o.remark || shape == o.pcp || shape == o.dscp {
			return true
		}
	}
	feature, rest, _ := strings.Cut(key, ".")
	if rest == "port_group_list" {
		return (feature == "ecn" || feature == ecnRed) && feature != d.ecn
	}
	group, _, found := strings.Cut(rest, ".")
	return found && ours(feature, group)
}

// anyCos puts %d in the place of the cos in a key of the map; other keys come back as they are.
func anyCos(key string) string {
	const head = "traffic.cos_"
	if i := len(head); strings.HasPrefix(key, head) && len(key) > i && '0' <= key[i] && key[i] <= '7' {
		return head + "%d" + key[i+1:]
	}
	return key
}

// origins tells where each key rocec may write comes from, whichever dialect the switch turns out to speak.
func origins(s *settings, doc dialect) map[string][]ir.Origin {
	red := doc
	red.ecn = ecnRed
	all := []dialect{doc, red}
	if !doc.trustList {
		all = append(all, row("T2"), row("T3"))
	}
	m := map[string][]ir.Origin{}
	for _, d := range all {
		d.cable, d.marks = true, true
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
