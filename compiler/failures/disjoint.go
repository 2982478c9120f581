package failures

import "slices"

// flow finds disjoint shortest paths to one destination.
type flow struct {
	*bfs
	target Target
	hops   [][]crossing // by vertex: its links to the next hops; device is the hop
	have   []bool       // by vertex: hops is filled in
	used   []bool       // by Link.ID: a path uses the link, or the link is gone
	back   [][]crossing // by vertex: links by which paths arrive; device is the previous device
	filled []int32      // vertices where back is not empty
	been   []bool
	visits []int32
	steps  int
	found  int // paths, of the current pair

	levels *levels // if set, distances come from levels, for its destination at, and not from dist
	at     int
}

func (c *cutter) newFlow() *flow {
	n := c.size()
	return &flow{
		bfs: c.newBFS(), target: Target{-1, 0}, hops: make([][]crossing, n), have: make([]bool, n), used: make([]bool, len(c.Ends)),
		back: make([][]crossing, n), been: make([]bool, n),
	}
}

// turnTo sets the destination.
func (f *flow) turnTo(d Target) {
	f.search(d.vertex, d.sub)
	f.target, f.levels = d, nil
	clear(f.have)
}

// turnToLevel sets the destination to the one that levels has at index at.
func (f *flow) turnToLevel(l *levels, at int) {
	f.to, f.f, f.target = l.to[at].vertex, &f.w.subs[l.to[at].sub], l.to[at]
	f.levels, f.at = l, at
	clear(f.have)
}

// disjoint returns the number of shortest paths from a device without a common link, at most limit, and the links of one such path. Links
// in gone are not used.
func (f *flow) disjoint(from int32, gone []int32, limit int) (int, []int32) {
	for _, id := range gone {
		f.used[id] = true
	}
	f.found = 0
	var path []int32
	for f.found < limit && f.push(from) {
		if f.found++; f.found == 1 {
			for _, v := range f.filled {
				path = append(path, f.back[v][0].link)
			}
		}
		f.forget()
	}
	f.forget()
	for _, v := range f.filled {
		for _, x := range f.back[v] {
			f.used[x.link] = false
		}
		f.back[v] = f.back[v][:0]
	}
	f.filled = f.filled[:0]
	for _, id := range gone {
		f.used[id] = false
	}
	slices.Sort(path)
	return f.found, path
}

// forget resets the visited vertices after a search.
func (f *flow) forget() {
	for _, v := range f.visits {
		f.been[v] = false
	}
	f.visits = f.visits[:0]
}

// push finds one more path from v, and reroutes earlier paths if needed.
func (f *flow) push(v int32) bool {
	if v == f.to {
		return true
	}
	f.been[v] = true
	f.visits = append(f.visits, v)
	if !f.have[v] {
		f.have[v] = true
		f.hops[v] = f.hops[v][:0]
		if f.levels != nil {
			f.hops[v] = f.levels.hops(f.hops[v], v, f.at)
		} else {
			to, link, dist := f.next(v)
			for i, u := range to {
				if f.dist[u] == dist {
					f.hops[v] = append(f.hops[v], crossing{u, link[i]})
				}
			}
		}
	}
	hops := f.hops[v]
	for i := range hops {
		x := hops[(i+f.found)%len(hops)] // do not begin with the links that earlier paths probably use
		f.steps++
		if !f.used[x.link] && !f.been[x.device] && f.push(x.device) {
			f.used[x.link] = true
			if len(f.back[x.device]) == 0 {
				f.filled = append(f.filled, x.device)
			}
			f.back[x.device] = append(f.back[x.device], crossing{v, x.link})
			return true
		}
	}
	for i, x := range f.back[v] {
		f.steps++
		if !f.been[x.device] && f.push(x.device) {
			f.used[x.link] = false
			f.back[v] = slices.Delete(f.back[v], i, i+1)
			return true
		}
	}
	return false
}

// work returns the number of steps since the last call.
func (f *flow) work() int {
	n := f.steps/2 + 1
	f.steps = 0
	return n
}
