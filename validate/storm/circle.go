package storm

import "slices"

// Stopped is the share of a window from which a queue cannot have sent: the port was paused all the time but for the edges of the window.
const stopped = 0.999

// circles finds the circles that have locked: each channel is paused for nearly the whole time, none of the queues sends, and no origin
// outside of the circle explains the pauses. A circle may return by the cable on which it came, because a routing loop between two devices
// does.
func (t *tree) circles() {
	next := func(i int32) []int32 {
		if !t.channels[i].full() {
			return nil
		}
		out := slices.DeleteFunc(slices.Clone(t.to[i]), func(n int32) bool { return !t.channels[n].full() })
		back := t.id(t.channels[i].port.Peer(), int(i)%len(t.cos))
		if t.channels[back].exists && t.channels[back].full() {
			out = append(out, int32(back))
		}
		return out
	}
	for _, part := range components(len(t.channels), next) {
		t.part(part, next)
	}
	t.spread()
}

// part judges a strongly connected component.
func (t *tree) part(part []int32, next func(int32) []int32) {
	explained, sends, still := false, false, true
	for _, i := range part {
		c := &t.channels[i]
		explained = explained || t.marks[i]&(toOrigin|toHidden) != 0
		sends = sends || c.sends == yes
		still = still && (c.sends == no || c.least >= stopped)
	}
	switch {
	case explained:
	case sends:
		for _, i := range part {
			t.marks[i] |= toSender
		}
	case !still:
		for _, i := range part {
			t.hide(NoProgress, int(i), t.channels[i].port.Device(), []int{int(i)})
		}
	case t.out.Windows < 2:
		t.hide(OneWindow, int(part[0]), t.channels[part[0]].port.Device(), []int{int(part[0])})
	default:
		for _, i := range part {
			t.marks[i] |= inCircle
		}
		t.rings = append(t.rings, ring(part, next))
	}
}

// ring returns a shortest circle of a component through its first channel.
func ring(part []int32, next func(int32) []int32) []int32 {
	slices.Sort(part)
	first := part[0]
	from := map[int32]int32{}
	todo := []int32{first}
	for at := 0; at < len(todo); at++ {
		for _, n := range next(todo[at]) {
			if n == first {
				out := []int32{todo[at]}
				for out[len(out)-1] != first {
					out = append(out, from[out[len(out)-1]])
				}
				slices.Reverse(out)
				return out
			}
			if _, seen := from[n]; !seen && slices.Contains(part, n) {
				from[n] = todo[at]
				todo = append(todo, n)
			}
		}
	}
	panic("storm: a component without a circle")
}

// components returns the strongly connected components with a circle, by Tarjan's algorithm without recursion.
func components(size int, next func(int32) []int32) (out [][]int32) {
	type frame struct {
		node int32
		todo []int32
	}
	index, low := make([]int32, size), make([]int32, size) // from 1; 0: not visited
	on := make([]bool, size)
	var stack []int32
	count := int32(0)
	for start := range int32(size) {
		if index[start] != 0 || len(next(start)) == 0 {
			continue
		}
		frames := []frame{{node: start, todo: nil}}
		for open := true; len(frames) > 0; {
			f := &frames[len(frames)-1]
			if open {
				count++
				index[f.node], low[f.node], on[f.node] = count, count, true
				stack = append(stack, f.node)
				f.todo, open = next(f.node), false
			}
			if len(f.todo) > 0 {
				n := f.todo[0]
				f.todo = f.todo[1:]
				switch {
				case index[n] == 0:
					frames, open = append(frames, frame{node: n}), true
				case on[n]:
					low[f.node] = min(low[f.node], index[n])
				}
				continue
			}
			if low[f.node] == index[f.node] {
				at := slices.Index(stack, f.node)
				if len(stack)-at > 1 {
					out = append(out, slices.Clone(stack[at:]))
				}
				for _, n := range stack[at:] {
					on[n] = false
				}
				stack = stack[:at]
			}
			done := *f
			if frames = frames[:len(frames)-1]; len(frames) > 0 {
				up := &frames[len(frames)-1]
				low[up.node] = min(low[up.node], low[done.node])
			}
		}
	}
	return out
}
