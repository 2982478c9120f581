package sim

import "sort"

// locked returns the largest set of paused buffers in which each keeps, above its xon, bytes that wait for buffers of the set. None of
// these bytes can ever move, because each waits for the end of a pause that it prevents itself. The set is a greatest fixpoint: it begins
// with all buffers that hold their peer, and loses those that can still drain.
//
// A threshold that depends on free memory is taken as high as it can become, when everything else has left the device.
func (r *engine) locked() []Buffer {
	in, left := r.inside, 0
	for i := range r.buffers {
		b := &r.buffers[i]
		if in[i] = b.asked && b.held && b.flying == 0; in[i] {
			left++
		}
	}
	for changed := true; changed && left > 0; {
		changed = false
		clear(r.stuck)
		clear(r.kept)
		for _, p := range r.pairs {
			if q := r.queues[p.queue].waits; q >= 0 && in[q] {
				r.stuck[p.buffer] += p.bytes
			}
		}
		for i := range r.buffers {
			b := &r.buffers[i]
			r.kept[b.device] += min(b.pool, max(r.stuck[i]-b.reserve, 0))
		}
		for i := range r.buffers {
			b := &r.buffers[i]
			if !in[i] {
				continue
			}
			own, rest := min(b.pool, max(r.stuck[i]-b.reserve, 0)), max(r.stuck[i]-b.xoff, 0)
			free := r.pools[b.device] - (r.kept[b.device] - own) - rest
			if r.stuck[i] <= max(b.xoff+share(r.devices[b.device].alpha, rest, free)-b.delta, 0) {
				in[i], changed = false, true
				left--
			}
		}
	}
	var out []Buffer
	for i := range r.buffers {
		if in[i] {
			out = append(out, r.buffers[i].Buffer)
		}
	}
	sort.Slice(out, func(i, k int) bool { return out[i].In.ID < out[k].In.ID })
	return out
}
