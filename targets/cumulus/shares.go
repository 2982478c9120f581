package cumulus

import (
	"slices"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// share computes the share of every cos in a link, in percent, for releases with shares of queues instead of weights of priority groups
// (4.4 and later). The sum of a class is the share that its weight means up to 4.3. The cos in still are lossless until a change ends.
func (s *settings) share(f *ir.Fabric, still uint8) {
	for _, g := range f.CosGroups {
		s.groups[g.Cos] = true
	}
	for _, c := range s.classes {
		for _, cos := range c.cos {
			s.shareWhy[cos] = c.why
		}
	}
	for cos, share := range ir.Schedule(f, still) {
		s.shares[cos] = share.Percent
	}
}

// spellShares returns the shares of egress queues; cos n leaves by queue n. It returns nothing where priority groups have weights (up to
// 4.3).
func (s *settings) spellShares(d grammar.Spelling) section {
	if d.Key(grammar.PriorityGroup, grammar.Weight) != nil {
		return section{}
	}
	sec := section{title: "Shares of a link, in percent, by egress queue: 0 is strict priority. Cos n leaves by queue n."}
	for cos, share := range s.shares {
		sec.add(d, grammar.DefaultSched, grammar.QueueShare, cos, "", strconv.Itoa(share), s.shareWhy[cos])
	}
	return sec
}

const markingTitle = "Congestion marking (ECN): egress queue lengths in bytes, probability in percent."

// spellDefaultECN returns the marking profile of all ports.
//
// In 4.4 this profile is the only marking, and it is on for queue 0 in the factory's file. rocec owns its keys if the fabric marks. Queue 0
// stays in the profile unless a cos group of the fabric has cos 0. Traffic that the fabric does not describe is then marked with the
// fabric's thresholds. In 5.x port groups mark, too, and the manuals do not state what counts for a queue in both. So rocec removes the
// queues of the fabric's cos groups from the profile, and keeps every other key.
func (s *settings) spellDefaultECN(d grammar.Spelling, have grammar.Values) section {
	f := d.DefaultMarking()
	if f == "" {
		return section{}
	}
	on, stated := have.Get(f, grammar.GroupQueues, -1, "")
	unread := slices.ContainsFunc(grammar.Items(on), func(item string) bool { _, ok := grammar.Number(item, 7); return !ok })
	if d.Marking() != "" {
		if !stated || unread {
			return section{}
		}
		var sec section
		sec.add(d, f, grammar.GroupQueues, -1, "", list(s.unclaimed(on)), nil)
		return sec
	}
	if len(s.ecn) == 0 && (!stated || unread) {
		return section{}
	}
	var queues []int
	if slices.Contains(s.unclaimed(on), 0) {
		queues = append(queues, 0)
	}
	sec := section{title: markingTitle}
	if len(s.ecn) == 0 {
		sec.add(d, f, grammar.GroupQueues, -1, "", list(s.unclaimed(on)), nil)
		return sec
	}
	first := s.ecn[0] // all groups have the same thresholds, or check has refused the switch
	var why []ir.Origin
	for _, g := range s.ecn {
		queues = append(queues, g.cos...)
		why = append(why, g.why...)
	}
	slices.Sort(queues)
	sec.add(d, f, grammar.GroupQueues, -1, "", list(slices.Compact(queues)), why)
	sec.add(d, f, grammar.Marks, -1, "", "true", why)
	sec.add(d, f, grammar.DropsEarly, -1, "", "false", why)
	sec.add(d, f, grammar.MinThreshold, -1, "", strconv.Itoa(first.min.N), first.min.From)
	sec.add(d, f, grammar.MaxThreshold, -1, "", strconv.Itoa(first.max.N), first.max.From)
	sec.add(d, f, grammar.Probability, -1, "", strconv.Itoa(first.probability.N), first.probability.From)
	return sec
}

// unclaimed returns the queues in a list that belong to no cos group of the fabric.
func (s *settings) unclaimed(queues string) (out []int) {
	for _, item := range grammar.Items(queues) {
		if q, ok := grammar.Number(item, 7); ok && !s.groups[q] {
			out = append(out, q)
		}
	}
	return out
}
