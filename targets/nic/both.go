package nic

import (
	"fmt"
	"math/bits"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic/steps"
)

// both returns the value files and states of NICs that keep their old lossless priorities beside the new ones. It returns none for a NIC
// whose settings are unknown, or that no longer carries an intent: such a NIC gets its new settings at once.
func (f *Family) both(d *ir.Device, content func(path string) []byte, marked bool) (map[string][]byte, string) {
	files := map[string][]byte{}
	for _, n := range Of(d, f.Driver) {
		text := held(n, content)
		s := f.Lower(n)
		if text == nil || len(s.Intents) == 0 {
			continue
		}
		if why := s.join(text, marked); why != "" {
			return nil, fmt.Sprintf("%s cannot hold the old and the new lossless classes at the same time: %s.", n.Name, why)
		}
		live := steps.StateName(n.Name)
		state, _ := s.editState(content(live))
		files[steps.ConfPath(n.Name)], files[live] = s.appendFile(make([]byte, 0, fileSize)), state
	}
	return files, ""
}

// join adds the old settings of a NIC to the wanted ones; why states the obstacle.
func (s *Settings) join(text []byte, marked bool) (why string) {
	old, value := readValues(text), ValueIn(text)
	if !marked {
		have, next := value("traffic_rules"), ValueIn(s.appendState(nil))("traffic_rules")
		if _, is := Cannot(have); have != "" && !is && have != next {
			return "the exceptions by address (traffic_class) change, too; change them in a separate run"
		}
		s.TOS = -1
		if tos, err := strconv.ParseUint(value("tos"), 10, 8); err == nil {
			s.TOS = int(tos)
		}
	}
	was, is := old.Lossless(), uint8(0)
	for prio, on := range s.PFC {
		if on {
			is |= 1 << prio
		}
	}
	switch {
	case was == 0:
		return ""
	case old.LinkPause != s.Pause && (s.Pause || is != 0):
		return "a port uses PFC or link pause"
	case s.Pause:
		return ""
	case old.LinkPause: // no priority will be lossless
		s.Pause = true
		return ""
	case !old.TrustKnown:
		return "it is not known whether the NIC trusts DSCP or PCP"
	case old.Trust.DSCP != s.ByDSCP:
		return "a NIC trusts either DSCP or PCP"
	}
	if most := s.NIC.Can().Lossless; most > 0 && bits.OnesCount8(was|is) > most {
		return fmt.Sprintf("these are %d lossless priorities, but the NIC has %d", bits.OnesCount8(was|is), most)
	}
	for v, prio := range old.DSCP {
		if prio >= 0 && was>>prio&1 == 1 && is>>s.DSCP[v]&1 == 0 {
			s.DSCP[v] = uint8(prio)
		}
	}
	s.run()
	s.keepClasses(was&^is, old)
	return ""
}

// keepClasses puts priorities that are still lossless into separate traffic classes, each with the share of an average class.
func (s *Settings) keepClasses(priorities uint8, old ir.PortSettings) {
	var weight [8]int
	classes := 0
	for tc, share := range s.Share {
		if weight[tc] = int(share); s.ETS[tc] {
			classes++
		}
	}
	for prio := range 8 {
		if priorities>>prio&1 == 0 {
			continue
		}
		s.PFC[prio] = true
		s.TC[prio] = uint8(prio)
		if s.ETS[prio] = old.Strict>>prio&1 == 0; s.ETS[prio] {
			weight[prio] = max(weight[prio], 100/classes)
		}
	}
	s.Share = ir.CardShares(weight)
}
