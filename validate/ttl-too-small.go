package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// TTLTooSmall reports NICs whose packets routers drop because their TTL ends.
var TTLTooSmall = &Check{
	Code:    "ttl-too-small",
	Summary: "the TTL runs out on the way",
	Answers: []string{"X1"},
	Run: func(p *Pass) {
		type start struct{ domain, ttl int }
		nics := map[diag.Range]bool{} // by nic block: reported
		var r *routers
		for _, in := range p.Fabric.Intents {
			fine := map[start]bool{} // by device and TTL: packets reach all members
			if in.Version != 2 {
				continue
			}
			for _, m := range in.Members {
				at := walk.AttachedTo(m.NIC)
				if m.NIC.TTL <= 0 || at == nil || nics[m.NIC.At] {
					continue
				}
				if r == nil {
					r = newRouters(p.Fabric)
				}
				from := start{r.domain[at.ID], m.NIC.TTL}
				if fine[from] || m.NIC.TTL >= r.most+2 {
					continue
				}
				far, passes := r.farthest(in, at, m.NIC.TTL)
				if far == nil {
					fine[from] = true
					continue
				}
				nics[m.NIC.At] = true
				p.Errorf(diag.FirstPlace(m.NIC.TTLAt, m.NIC.At),
					"Packets of %s have ttl = %d, and the path to %s, another member of roce %q, has at least %d routers: router number %d decrements "+
						"the TTL to 0 and drops them. Leave ttl out, or write %d or more.",
					nicName(m.NIC), m.NIC.TTL, nicName(far.NIC), in.Name, passes, m.NIC.TTL, passes+1).
					Note(far.NIC.At, "%s", nicName(far.NIC))
			}
		}
	},
}

// routers is the graph of broadcast domains, joined by routed links.
type routers struct {
	domain []int         // by Device.ID
	next   map[int][]int // adjacent domains
	dist   map[int]map[int]int
	most   int // upper bound on the distance of two domains
}

func newRouters(f *ir.Fabric) *routers {
	r := &routers{domain: walk.DomainsOf(f)(), next: map[int][]int{}, dist: map[int]map[int]int{}}
	type pair struct{ a, b int }
	known := map[pair]bool{}
	for _, l := range f.Links {
		a, b := r.domain[l.A().Device().ID], r.domain[l.B().Device().ID]
		if l.Routed && l.A().Device().Forwards() && l.B().Device().Forwards() && !known[pair{a, b}] {
			known[pair{a, b}], known[pair{b, a}] = true, true
			r.next[a] = append(r.next[a], b)
			r.next[b] = append(r.next[b], a)
		}
	}
	seen := map[int]bool{}
	for _, d := range r.domain {
		if seen[d] {
			continue
		}
		for domain, far := range r.from(d) { // no path over d is longer than twice the eccentricity of d
			seen[domain] = true
			r.most = max(r.most, 2*far)
		}
	}
	return r
}

// farthest returns the farthest member that packets from a device with that TTL do not reach, the first of several, and the number of
// routers on the path. It returns nil if all members can be reached.
func (r *routers) farthest(in *ir.Intent, from *ir.Device, ttl int) (far *ir.Member, passes int) {
	dist := r.from(r.domain[from.ID])
	for _, m := range in.Members {
		if at := walk.AttachedTo(m.NIC); at != nil {
			if d := dist[r.domain[at.ID]]; d > 0 && ttl < d+2 && d+1 > passes { // d links join d+1 routers
				far, passes = m, d+1
			}
		}
	}
	return far, passes
}

// from returns the number of routed links from a domain to every other.
func (r *routers) from(domain int) map[int]int {
	if r.dist[domain] != nil {
		return r.dist[domain]
	}
	dist := map[int]int{domain: 0}
	for todo := []int{domain}; len(todo) > 0; todo = todo[1:] {
		for _, n := range r.next[todo[0]] {
			if _, seen := dist[n]; !seen {
				dist[n] = dist[todo[0]] + 1
				todo = append(todo, n)
			}
		}
	}
	r.dist[domain] = dist
	return dist
}
