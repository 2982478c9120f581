package ir

import (
	"cmp"
	"slices"
)

// ShareClass is one of the three classes in which priorities share a link.
type ShareClass uint8

// The classes.
const (
	ClassControl ShareClass = iota // sent before all others
	ClassRoCE
	ClassRest
)

// ShareClasses returns the class of each priority of a switch, and the sum of the cos groups' weights in each class. Every target uses it.
// [ShareRatio] returns the shares of the classes, and [SharePercents] the shares of the priorities, for systems where each priority has its
// own share. Every priority has the queue of its number, even without a cos group. So no priority changes its queue when a fabric changes,
// least of all a lossless one.
//
// The control class contains strict groups, and [ControlCos] unless a group claims it. The RoCE class contains groups that are lossless or
// used by an intent.
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

// ShareRatio returns the shares of two classes. A weight of 0 means that none is stated: the class gets the rest of 100, and at least 1. If
// both are 0, the shares are equal.
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

// SharePercents returns the share of every priority in whole percents, at least 1, with a sum of 100; 0 for a strict priority. Each class
// gets its part of the two weights, or everything if the other class is empty. Within a class, cos groups with a weight share by weight,
// and each other priority counts as their mean.
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
// by rounding down, and an excess is taken from the largest part. Parts of 0 stay 0; if all parts are 0, so is the sum.
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

// QueueShare describes how the queue of a priority is scheduled.
type QueueShare struct {
	Strict  bool
	Percent int // of the link, for a queue that is not strict
	Why     []Origin
}

// Schedule returns the share of the link for the queue of every priority ([ShareClasses]). Priorities in still, which stay lossless until a
// change ends, are in the RoCE class unless they are strict.
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

// Deprived reports whether a group that carries RoCE has a smaller share of the link at a port than wanted, by more than the rounding error
// of one percent. The shares of other groups do not affect lossless traffic.
func (g *CosGroup) Deprived(f *Fabric, is, meant *PortSettings) bool {
	carries := g.Lossless || slices.ContainsFunc(f.Intents, func(in *Intent) bool { return in.Group == g })
	if !carries || is.Share == meant.Share && is.Strict == meant.Strict {
		return false
	}
	const percent = 1
	return partOf(is, g.Cos)+percent < partOf(meant, g.Cos)
}

// partOf returns the share of a cos in percent of all queues that are not strict; 0: unknown.
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
