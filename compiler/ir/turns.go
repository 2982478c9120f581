package ir

import "slices"

// Router gives the turns that lossless traffic of group g takes when the links in down are down. It is pure and safe
// for concurrent use. Its error says why the routing cannot be followed (a routing the model does not know yet).
type Router func(g *CosGroup, down []*Link) (*Turns, error)

// Turns is the set of turns (in-port, out-port) at switches, and at hosts that forward.
//
// Together with the cabling it is the buffer dependency graph: the node of an in-port p is p's ingress buffer, and a
// turn (p, q) is the edge to the buffer of the port at the other end of q's cable. Turns from or to the ports of hosts
// that do not forward are left out: such hosts neither wait for nor pass on a pause.
type Turns struct {
	Group *CosGroup

	// Rows holds one bit row per in-port, indexed by Port.ID; bit i of a row stands for port i of the same device
	// (Port.Index). A nil row: nothing that came in there leaves again.
	Rows [][]uint64

	// Witness names one flow that makes the turn (in, out): the ports it passes, from the sending host's port to the
	// receiving host's port, in order; of a host that forwards, the ports are those it is passed by. It is computed on
	// demand, is safe for concurrent use, is the same on every run, and is nil for what is no turn.
	Witness func(in, out *Port) []*Port
}

// Turn is traffic that comes into a device by In and leaves it by Out.
type Turn struct{ In, Out *Port }

// Has tells whether traffic that came in by in may leave by out.
func (t *Turns) Has(in, out *Port) bool {
	row := t.Rows[in.ID]
	return row != nil && row[out.Index/64]&(1<<(out.Index%64)) != 0
}

// Add records the turn (in, out).
func (t *Turns) Add(in, out *Port) {
	row := t.Rows[in.ID]
	if row == nil {
		row = make([]uint64, (len(in.Device.Ports)+63)/64)
		t.Rows[in.ID] = row
	}
	row[out.Index/64] |= 1 << (out.Index % 64)
}

// Path returns one shortest way of g's traffic from a sending host's port to a receiving host's port: the ports it
// passes, both ends included; nil when there is none. may tells which turns between switches are allowed ([Turns.Has]);
// what a host sends may leave its first switch by every port that carries g.
func Path(g *CosGroup, from, to *Port, may func(in, out *Port) bool) []*Port {
	start, goal := from.Peer(), to.Peer()
	came := map[*Port]*Port{start: nil} // in-port to the in-port before it
	for queue := []*Port{start}; len(queue) > 0; queue = queue[1:] {
		in := queue[0]
		if in.Device == goal.Device {
			path := []*Port{to, goal, in}
			for p := in; came[p] != nil; p = came[p] {
				path = append(path, p.Peer(), came[p])
			}
			path = append(path, from)
			slices.Reverse(path)
			return path
		}
		for _, out := range in.Device.Ports {
			next := out.Peer()
			if _, seen := came[next]; seen || next.Device.Switch == nil || g.Lossless && next.Carries(g) == nil || in != start && !may(in, out) {
				continue
			}
			came[next] = in
			queue = append(queue, next)
		}
	}
	return nil
}
