package site

import (
	"maps"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// notification is the customary DSCP of congestion notifications, and custom is that of RoCE (AF31).
const notification, custom = 48, 26

// kindOfRoCE is the sign that a port carries RoCE.
type kindOfRoCE int

const (
	byPFC    kindOfRoCE = iota
	byMarks             // no PFC, but a queue marks
	byCustom            // neither: the class of DSCP 26, which senders use by custom
)

// votes counts the settings of ports with RoCE.
type votes struct {
	by      kindOfRoCE
	roce    int        // ports that count
	carried [8]int     // ports with PFC for a priority, or else marks
	dscp    [64][8]int // ports
	one     [64][8]int // ports of the current switch
	most    [64][8]int // switches on which most ports map a value to a cos
	all     int        // switches that sort by DSCP
	hosts   [64][8]int // ports of hosts with PFC
	pcp     [8][8]int
	told    struct{ dscp, pcp int }
	strict  [8]int
	weight  [8]map[int]int
	marks   [8]map[ir.Marking]int
	mtu     map[int]int
}

func count[K comparable](m *map[K]int, k K, n int) {
	if *m == nil {
		*m = map[K]int{}
	}
	(*m)[k] += n
}

// most returns the key with the most votes; of equal keys, the first by order.
func most[K comparable](m map[K]int, order func(a, b K) int) (best K) {
	n := 0
	for _, k := range slices.SortedFunc(maps.Keys(m), order) {
		if m[k] > n {
			best, n = k, m[k]
		}
	}
	return best
}

// port counts n ports with equal settings.
func (v *votes) port(p *ir.PortSettings, n int) {
	d := p.Detail.Get()
	carries := v.carriedBy(p, &d)
	if carries == 0 {
		return
	}
	v.roce += n
	if d.MTU.Is == ir.Stated {
		count(&v.mtu, d.MTU.Value, n)
	}
	for cos := range 8 {
		if carries>>cos&1 == 1 {
			v.carried[cos] += n
		}
		q := d.Queue[cos]
		if q < 0 {
			q = int8(cos)
		}
		if queue := d.Queues[q]; queue.Strict.Known() && queue.Strict.Value {
			v.strict[cos] += n
		} else if queue.Share.Known() {
			count(&v.weight[cos], queue.Share.Value, n)
		}
		switch queue := d.Queues[q]; {
		case queue.ECN.Known() && queue.ECN.Value && queue.MarkMin.Known() && queue.MarkMax.Known():
			count(&v.marks[cos], ir.Marking{Min: queue.MarkMin.Value, Max: queue.MarkMax.Value, Probability: queue.Probability.Value}, n)
		case queue.ECN.Known() && !queue.ECN.Value:
			count(&v.marks[cos], ir.Marking{}, n)
		}
	}
	if !p.TrustKnown {
		return
	}
	if p.Trust.DSCP {
		v.told.dscp += n
		for value, cos := range p.DSCP {
			if cos >= 0 {
				v.dscp[value][cos] += n
				v.one[value][cos] += n
			}
		}
	}
	if p.Trust.PCP {
		v.told.pcp += n
		for value, cos := range p.PCP {
			if cos >= 0 {
				v.pcp[value][cos] += n
			}
		}
	}
}

// end finishes a switch, and counts the majority of its ports.
func (v *votes) end() {
	sorts := 0
	for value := range v.one {
		if cos := of(v.one[value]); cos >= 0 {
			v.most[value][cos]++
			sorts = 1
		}
	}
	v.all += sorts
	v.one = [64][8]int{}
}

// host counts a port of a host. Without PFC, its map tells nothing about lossless traffic.
func (v *votes) host(p *ir.PortSettings) {
	pfc := p.Detail.Get().PFC
	if p.Sends|p.Obeys == 0 && pfc.Value == 0 || p.LinkPause || !p.TrustKnown || !p.Trust.DSCP {
		return
	}
	for value, cos := range p.DSCP {
		if cos >= 0 {
			v.hosts[value][cos]++
		}
	}
}

// sorted reports whether a DSCP belongs to a class that carries RoCE, because most ports map it so. A quarter of the ports or of the
// switches suffices if there are several switches, or the hosts agree, and if the hosts do not map it elsewhere.
func (v *votes) sorted(value, cos int) bool {
	usual := of(v.dscp[value])
	if usual == cos || usual >= 0 && slices.Contains(v.mapped(), usual) {
		return usual == cos
	}
	ports, hosts := 0, of(v.hosts[value])
	for _, n := range v.dscp[value] {
		ports += n
	}
	switches := v.most[value][cos]
	quarter := v.dscp[value][cos] > 0 && (v.dscp[value][cos]*4 >= ports || switches*4 >= v.all)
	return quarter && (hosts == cos || hosts < 0 && switches > 1)
}

// carriedBy returns the priorities of a port that carry RoCE.
func (v *votes) carriedBy(p *ir.PortSettings, d *ir.PortDetail) (mask uint8) {
	switch v.by {
	case byPFC:
		if p.PausesKnown && !p.LinkPause {
			mask = p.Sends | p.Obeys
		}
	case byMarks:
		for cos := range 8 {
			if q := d.Queue[cos]; q >= 0 && d.Queues[q].ECN.Is == ir.Stated && d.Queues[q].ECN.Value {
				mask |= 1 << cos
			}
		}
	case byCustom:
		if cos := p.DSCP[custom]; p.TrustKnown && p.Trust.DSCP && cos >= 0 {
			mask = 1 << cos
		}
	}
	return mask
}

// of returns the cos with the most votes; -1: there are no votes.
func of(votes [8]int) int {
	best := slices.Max(votes[:])
	if best == 0 {
		return -1
	}
	return slices.Index(votes[:], best)
}

// mapped lists the classes that carry RoCE.
func (v *votes) mapped() (all []int) {
	for cos, n := range v.carried {
		if n > 0 && n*4 >= v.roce {
			all = append(all, cos)
		}
	}
	return all
}

// isStrict reports whether the queue of a class is strict on most ports that state how it is served.
func (v *votes) isStrict(cos int) bool {
	stated := v.strict[cos]
	for _, n := range v.weight[cos] {
		stated += n
	}
	return v.strict[cos]*2 > stated
}
