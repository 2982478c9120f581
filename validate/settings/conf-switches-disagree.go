package settings

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// SwitchesDisagree finds switches between which a lossless packet loses its class, over any ports that may connect them.
var SwitchesDisagree = Rule{
	Topic: diag.Topic{Code: "conf-switches-disagree", Summary: "switches disagree about lossless traffic"},
	several: func(all []*member) (out []*contrast) {
		by := map[string][]*member{}
		for _, m := range all {
			by[path.Dir(m.Name)] = append(by[path.Dir(m.Name)], m)
		}
		for _, folder := range slices.Sorted(maps.Keys(by)) { // two folders may be two fabrics
			out = append(out, disagreements(by[folder])...)
		}
		return out
	},
}

func disagreements(all []*member) (out []*contrast) {
	if c := disagree(all, priorityWords, wordsOfPFC); c != nil {
		c.text = "The switches disagree about PFC: " + c.text + ". If they are connected, one end does not obey the pauses of the " +
			"other, and packets are dropped. Give all switches on the way of RoCE the same priorities."
		out = append(out, c)
	}
	if c := disagree(all, trusts, wordsOfTrust); c != nil {
		c.text = "The switches disagree about trust: ports with PFC sort packets " + c.text + ". If they are connected, a packet that is " +
			"lossless at one is lossy at the other. Let all of them trust the same field."
		out = append(out, c)
	}
	return append(out, mapsDisagree(all)...)
}

// A word is a value of a port. Two switches agree if ports of both have the same word.
type word int

// linkPause is the word for ports with link pause. The other words are masks of priorities.
const linkPause word = 1 << 8

// priorityWords returns the priorities of each kind of ports with PFC. Ports without PFC count only if the switch has no others, because
// any switch has ports for other traffic.
func priorityWords(m *member) (words []word, at place) {
	at.field = ir.FieldPauses
	for _, k := range m.ports {
		switch {
		case !k.PausesKnown && !m.pfc:
			return nil, at // the switch may have PFC
		case !k.PausesKnown:
		case k.LinkPause:
			words, at = append(words, linkPause), place{k.port, ir.FieldLinkPause, 0}
		case k.Sends|k.Obeys != 0:
			words, at.port, at.index = append(words, word(k.Sends|k.Obeys)), k.port, lowest(k.Sends|k.Obeys)
		}
	}
	if !m.pfc && len(m.ports) > 0 {
		words = []word{0}
	}
	return words, at
}

// lowest returns the lowest priority of a mask.
func lowest(mask uint8) int {
	for cos := range 8 {
		if mask>>cos&1 == 1 {
			return cos
		}
	}
	return 0
}

func wordsOfPFC(words []word) string {
	var mask uint8
	for _, w := range words {
		mask |= uint8(w & 0xff)
	}
	switch pause := slices.Contains(words, linkPause); {
	case pause && mask == 0:
		return "link pause instead"
	case pause:
		return priorities(mask) + " or link pause"
	}
	return priorities(mask)
}

// The words for trust.
const (
	trustsNone word = iota
	trustsDSCP
	trustsPCP
)

func trusts(m *member) (words []word, at place) {
	at.field = ir.FieldTrust
	if !m.pfc {
		return nil, at // the switch has no lossless class
	}
	for _, k := range m.roce {
		if !k.TrustKnown || k.LinkPause {
			continue
		}
		at.port = k.port
		if k.Trust.DSCP {
			words = append(words, trustsDSCP)
		}
		if k.Trust.PCP {
			words = append(words, trustsPCP)
		}
		if k.Trust == (ir.Trust{}) {
			words = append(words, trustsNone)
		}
	}
	return words, at
}

func wordsOfTrust(words []word) string {
	switch {
	case slices.Contains(words, trustsDSCP) && slices.Contains(words, trustsPCP):
		return "by DSCP and PCP"
	case slices.Contains(words, trustsDSCP):
		return "by DSCP"
	case slices.Contains(words, trustsPCP):
		return "by PCP"
	}
	return "by no field"
}

// mapsDisagree finds DSCP values that switches put into different classes, if one of these has PFC. Values with equal disagreements are
// one finding.
func mapsDisagree(all []*member) (out []*contrast) {
	by := map[string]*contrast{}
	values := map[*contrast][]string{}
	for dscp := range 64 {
		if !slices.ContainsFunc(all, func(m *member) bool { return m.lossless(dscp) }) {
			continue
		}
		c := disagree(all, func(m *member) ([]word, place) { return classes(m, dscp) }, wordsOfClass)
		if c == nil {
			continue
		}
		if by[c.text] == nil {
			by[c.text] = c
			out = append(out, c)
		}
		values[by[c.text]] = append(values[by[c.text]], fmt.Sprint(dscp))
	}
	for _, c := range out {
		c.text = fmt.Sprintf("The switches disagree about DSCP %s: the class is %s. If they are connected, packets change their class on the "+
			"way: a pause for one class does not stop the other, and packets are dropped. Make all maps equal.", diag.Some(values[c], 8), c.text)
	}
	return out
}

// lossless reports whether a port with PFC puts a DSCP value into a class with PFC.
func (m *member) lossless(dscp int) bool {
	return slices.ContainsFunc(m.ports, func(k portKind) bool {
		cos := k.DSCP[dscp]
		return k.TrustKnown && k.Trust.DSCP && k.PausesKnown && !k.LinkPause && cos >= 0 && (k.Sends|k.Obeys)>>cos&1 == 1
	})
}

// classes returns the cos into which a switch puts a DSCP value.
func classes(m *member, dscp int) (words []word, at place) {
	at = place{"", ir.FieldDSCP, dscp}
	for _, k := range m.roce {
		if k.TrustKnown && k.Trust.DSCP && k.DSCP[dscp] >= 0 {
			words, at.port = append(words, word(k.DSCP[dscp])), k.port
		}
	}
	return words, at
}

func wordsOfClass(words []word) string {
	words = slices.Compact(slices.Sorted(slices.Values(words)))
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = fmt.Sprintf("cos %d", w)
	}
	return diag.Or(out)
}

// camp has switches that agree: each has a word in common with another switch of the camp.
type camp struct {
	of    []*member
	at    []place
	words []word
}

// mostCamps bounds the camps in a message.
const mostCamps = 4

// disagree returns a finding if the switches form several camps: then no cabling of all switches has agreeing ends at each cable. Switches
// without a word do not count. The result is nil if all agree.
//
// Two leaves without a common word are in one camp if a spine has ports with both words. The cabling is not known, so such a fabric may be
// correct.
func disagree(all []*member, wordsOf func(*member) ([]word, place), say func([]word) string) *contrast {
	parts := campsOf(all, wordsOf)
	if len(parts) < 2 {
		return nil
	}
	slices.SortStableFunc(parts, func(a, b *camp) int { return cmp.Compare(len(b.of), len(a.of)) })
	var texts []string
	odd := parts[len(parts)-1]
	for _, p := range slices.Backward(parts) {
		if len(p.of) == len(odd.of) && p.words[0] != 0 { // a setting that is on has a place
			odd = p
			break
		}
	}
	c := &contrast{spot: spot{of: odd.of[0].Reading, at: odd.at[0]}, sev: diag.Warning}
	for i, p := range parts {
		if i < mostCamps {
			texts = append(texts, say(p.words)+" at "+namesOf(p.of))
		}
		if p != odd {
			note := spot{of: p.of[0].Reading, at: p.at[0], text: "of " + p.of[0].short + ": " + say(p.words)}
			c.notes = append(c.notes, note)
		}
	}
	if more := len(parts) - mostCamps; more > 0 {
		texts = append(texts, fmt.Sprintf("others at %s of switches", diag.Count(more, "further group")))
	}
	c.text = strings.Join(texts, "; ")
	return c
}

// campsOf groups switches by their words, in the order of each camp's first switch.
func campsOf(all []*member, wordsOf func(*member) ([]word, place)) (parts []*camp) {
	by := map[word]*camp{}
	for _, m := range all {
		words, at := wordsOf(m)
		if len(words) == 0 {
			continue
		}
		var into *camp
		for _, w := range words {
			switch of := by[w]; {
			case of == nil || of == into:
			case into == nil:
				into = of
			default:
				into.of, into.at, into.words = append(into.of, of.of...), append(into.at, of.at...), append(into.words, of.words...)
				for _, w := range of.words {
					by[w] = into
				}
				parts = slices.DeleteFunc(parts, func(p *camp) bool { return p == of })
			}
		}
		if into == nil {
			into = &camp{}
			parts = append(parts, into)
		}
		into.of, into.at = append(into.of, m), append(into.at, at)
		for _, w := range words {
			if by[w] != into {
				by[w] = into
				into.words = append(into.words, w)
			}
		}
	}
	return parts
}
