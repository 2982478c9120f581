package ir

import (
	"cmp"
	"slices"
)

// ShareClass is which of three shares of a link a priority is in.
type ShareClass uint8

// The classes.
const (
	ClassControl ShareClass = iota // sent before all others
	ClassRoCE
	ClassRest
)

// ShareClasses lays the priorities of a switch into classes, and gives the sum of the weights that cos groups state in each. Every target
// uses it, whatever its system can spell. [ShareRatio] returns the shares of the classes, and [SharePercents] those of the priorities, for
// systems where priorities have their own. Every priority has the queue of its number, even without a cos group. So no priority changes
// its queue when a fabric changes, least of all one that is lossless before or after.
//
// Strict groups are control, and [ControlCos] unless a group claims it; groups that are lossless or that an intent travels in are RoCE.
func ShareClasses(f *Fabric) (of [8]ShareClass, stated [3]int) {
	roce := map[*CosGroup]bool{}
	for _, in := range f.Intents {
		roce[in.Group] = true
	}
	owned := [8]bool{}
	for _, g := range f.CosGroups {
		if owned[g.Cos] {
			continue
		}
		owned[g.Cos] = true
		switch {
		case g.Strict:
			of[g.Cos] = ClassControl
		case g.Lossless || roce[g]:
			of[g.Cos] = ClassRoCE
		default:
			of[g.Cos] = ClassRest
		}
		stated[of[g.Cos]] += g.Weight
	}
	for cos := range of {
		if !owned[cos] && cos != ControlCos {
			of[cos] = ClassRest
		}
	}
	return of, stated
}

// ShareRatio gives the weights of two classes. A weight of 0 is not stated: that class gets the rest of a hundred, and at least 1. If both
// are 0, the two are equal.
func ShareRatio(roce, rest int) (int, int) {
	switch {
	case roce <= 0 && rest <= 0:
		return 50, 50
	case roce <= 0:
		return max(100-rest, 1), rest
	case rest <= 0:
		return roce, max(100-roce, 1)
	}
	return roce, rest
}

// SharePercents gives every priority its part of a link in whole percents, at least 1, with a sum of 100; 0 where it is strict. A class as
// a whole has its part of both weights, or all where the other class is empty. In it, cos groups that state a weight share by it, and the
// rest count as their mean.
func SharePercents(of [8]ShareClass, roce, rest int, groups []*CosGroup) [8]int {
	var stated, owned [8]int
	for _, g := range groups {
		if owned[g.Cos] == 0 && !g.Strict {
			stated[g.Cos] = g.Weight
		}
		owned[g.Cos]++
	}
	weight := [3]int{ClassRoCE: roce, ClassRest: rest}
	total := 0
	for c, w := range weight {
		if slices.Contains(of[:], ShareClass(c)) {
			total += w
		}
	}
	var parts [8]float64
	for c, w := range weight {
		if w == 0 {
			continue
		}
		sum, count, members := 0, 0, 0
		for cos := range of {
			if of[cos] != ShareClass(c) {
				continue
			}
			members++
			if stated[cos] > 0 {
				sum, count = sum+stated[cos], count+1
			}
		}
		mean := 1.0
		if count > 0 {
			mean = float64(sum) / float64(count)
		}
		whole := float64(sum) + mean*float64(members-count)
		for cos := range of {
			if of[cos] == ShareClass(c) {
				parts[cos] = cmp.Or(float64(stated[cos]), mean) * 100 * float64(w) / float64(total) / whole
			}
		}
	}
	return WholePercents(parts)
}

// WholePercents rounds parts of a hundred to whole percents of at least 1 whose sum is 100. The remainder goes to the parts that lose most
// by rounding down, and an excess is taken from the largest part. Parts of 0 stay; where there are no others, so does the sum.
func WholePercents(parts [8]float64) (out [8]int) {
	var order []int
	sum := 0
	for i, p := range parts {
		if p > 0 {
			order = append(order, i)
			out[i] = max(int(p), 1)
			sum += out[i]
		}
	}
	if len(order) == 0 {
		return out
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(parts[b]-float64(out[b]), parts[a]-float64(out[a]))
	})
	for i := 0; sum < 100; i++ {
		out[order[i%len(order)]]++
		sum++
	}
	for ; sum > 100; sum-- {
		largest := slices.MaxFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(out[a], out[b]), cmp.Compare(b, a)) })
		out[largest]--
	}
	return out
}

// QueueShare is how the queue of a priority is served.
type QueueShare struct {
	Strict  bool
	Percent int // of the link, of one that is not strict
	Why     []Origin
}

// Schedule gives the queue of every priority its part of a link ([ShareClasses]). Priorities of still, which are lossless until a change
// ends, share as RoCE does, unless they are strict.
func Schedule(f *Fabric, still uint8) (out [8]QueueShare) {
	of, stated := ShareClasses(f)
	for cos := range of {
		if still>>cos&1 == 1 && of[cos] == ClassRest {
			of[cos] = ClassRoCE
		}
	}
	roce, rest := ShareRatio(stated[ClassRoCE], stated[ClassRest])
	percents := SharePercents(of, roce, rest, f.CosGroups)
	for cos := range out {
		x := QueueShare{Strict: of[cos] == ClassControl, Percent: percents[cos]}
		for _, g := range f.CosGroups {
			if g.Cos == cos {
				x.Why = append(x.Why, Origin{At: g.At, Why: "cos group " + g.Name})
			}
		}
		switch {
		case x.Why != nil:
		case x.Strict:
			x.Why = []Origin{{Why: "traffic of the network itself"}}
		default:
			x.Why = []Origin{{Why: "traffic of no cos group"}}
		}
		out[cos] = x
	}
	return out
}

// Deprived reports whether a group that carries RoCE has less of the link at a port than it is meant to have, by more than the percent that
// rounding takes. Lossless traffic does not notice how other groups share the rest.
func (g *CosGroup) Deprived(f *Fabric, is, meant *PortSettings) bool {
	carries := g.Lossless || slices.ContainsFunc(f.Intents, func(in *Intent) bool { return in.Group == g })
	if !carries || is.Share == meant.Share && is.Strict == meant.Strict {
		return false
	}
	const percent = 1
	return partOf(is, g.Cos)+percent < partOf(meant, g.Cos)
}

// partOf is the share of a cos in percent of all queues that are not strict; 0: it is not known.
func partOf(p *PortSettings, cos int) float64 {
	sum, d, seen := 0, p.Detail.Get(), uint8(0)
	for k, share := range p.Share {
		q := d.Queue[k]
		if q >= 0 && seen>>q&1 == 1 || p.Strict>>k&1 == 1 {
			continue
		}
		if sum += int(share); q >= 0 {
			seen |= 1 << q
		}
	}
	return float64(p.Share[cos]) * 100 / float64(max(sum, 1))
}
