package walk

import (
	"cmp"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// Like reports whether two traces differ only in names of devices and ports. same compares their findings, hop by hop and lane by lane.
func (t *Trace) Like(o *Trace, same func(a, b []*Finding) bool) bool {
	if t.Intent != o.Intent || t.NoCNP != o.NoCNP || (t.CNP == nil) != (o.CNP == nil) {
		return false
	}
	return t.Data.like(o.Data, same) && (t.CNP == nil || t.CNP.like(o.CNP, same))
}

func (w *Walk) like(o *Walk, same func(a, b []*Finding) bool) bool {
	return len(w.From) == len(o.From) && len(w.To) == len(o.To) && w.CNP == o.CNP && w.Packet == o.Packet && w.Group == o.Group &&
		w.Size == o.Size && w.Promised == o.Promised && w.Ways == o.Ways && w.Cables == o.Cables && w.Most == o.Most &&
		w.Every == o.Every && w.Mixed == o.Mixed &&
		slices.EqualFunc(w.Hops, o.Hops, func(a, b *Hop) bool { return a.like(b, same) })
}

func (h *Hop) like(o *Hop, same func(a, b []*Finding) bool) bool {
	lanes := func(a, b *Lane) bool {
		return len(a.Ports) == len(b.Ports) && a.Group == b.Group && a.side == b.side &&
			(a.Ports[0].NIC == nil) == (b.Ports[0].NIC == nil) && a.Ports[0].ByPause() == b.Ports[0].ByPause() && same(a.Findings, b.Findings)
	}
	a, b := h.Devices[0], o.Devices[0]
	return h.Far == o.Far && len(h.Devices) == len(o.Devices) && groupName(a) == groupName(b) && (a.ByHand == nil) == (b.ByHand == nil) &&
		h.Unsorted == o.Unsorted &&
		h.Packet == o.Packet && h.Group == o.Group && h.Trust == o.Trust && h.Sort == o.Sort && same(h.Findings, o.Findings) &&
		slices.EqualFunc(h.In, o.In, lanes) && slices.EqualFunc(h.Out, o.Out, lanes)
}

// Union merges several traces that are alike: every hop has the devices, and every lane the ports, of all traces. The ends are those of
// the first trace.
func Union(traces []*Trace) *Trace {
	out := *traces[0]
	walks := func(of func(*Trace) *Walk) *Walk {
		var all []*Walk
		for _, t := range traces {
			all = append(all, of(t))
		}
		if all[0] == nil {
			return nil
		}
		return union(all)
	}
	out.Data = walks(func(t *Trace) *Walk { return t.Data })
	out.CNP = walks(func(t *Trace) *Walk { return t.CNP })
	return &out
}

func union(walks []*Walk) *Walk {
	out := *walks[0]
	out.Hops = nil
	for i, first := range walks[0].Hops {
		hop := *first
		hop.Devices, hop.Findings, hop.In, hop.Out = nil, nil, slices.Clone(first.In), slices.Clone(first.Out)
		for j := range hop.In {
			hop.In[j] = unionLane(walks, func(w *Walk) *Lane { return w.Hops[i].In[j] })
		}
		for j := range hop.Out {
			hop.Out[j] = unionLane(walks, func(w *Walk) *Lane { return w.Hops[i].Out[j] })
		}
		for _, w := range walks {
			hop.Devices = append(hop.Devices, w.Hops[i].Devices...)
			hop.Findings = addFindings(hop.Findings, w.Hops[i].Findings)
		}
		slices.SortFunc(hop.Devices, func(a, b *ir.Device) int { return cmp.Compare(a.ID, b.ID) })
		hop.Devices = slices.Compact(hop.Devices)
		out.Hops = append(out.Hops, &hop)
	}
	return &out
}

func unionLane(walks []*Walk, of func(*Walk) *Lane) *Lane {
	out := *of(walks[0])
	out.Ports, out.Findings = nil, nil
	for _, w := range walks {
		out.Ports = append(out.Ports, of(w).Ports...)
		out.Findings = addFindings(out.Findings, of(w).Findings)
	}
	slices.SortFunc(out.Ports, func(a, b *ir.Port) int { return cmp.Compare(a.ID, b.ID) })
	out.Ports = slices.Compact(out.Ports)
	return &out
}

// addFindings appends the findings with a new code and place.
func addFindings(all, more []*Finding) []*Finding {
	for _, x := range more {
		if !slices.ContainsFunc(all, func(y *Finding) bool { return x.Code == y.Code && x.At == y.At }) {
			all = append(all, x)
		}
	}
	return all
}
