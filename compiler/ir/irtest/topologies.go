package irtest

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
)

// LeafSpine returns LSa x b of the literature: every leaf L has one cable to every spine S and one host.
func LeafSpine(r ir.Routing, leaves, spines int) *Cabling {
	c := New(r)
	for l := range leaves {
		for s := range spines {
			c.Link(fmt.Sprint("L", l), fmt.Sprint("S", s))
		}
	}
	c.Tier("S", 2)
	for l := range leaves {
		c.Hosts(fmt.Sprint("L", l))
	}
	return c
}

// Ring returns a ring of n switches R, each with a host.
func Ring(r ir.Routing, n int) *Cabling {
	c := New(r)
	for i := range n {
		c.Link(fmt.Sprint("R", i), fmt.Sprint("R", (i+1)%n))
	}
	for i := range n {
		c.Hosts(fmt.Sprint("R", i))
	}
	return c
}

// FullMesh returns n switches M, each pair cabled, each with a host.
func FullMesh(r ir.Routing, n int) *Cabling {
	c := New(r)
	for i := range n {
		for j := range i {
			c.Link(fmt.Sprint("M", j), fmt.Sprint("M", i))
		}
	}
	for i := range n {
		c.Hosts(fmt.Sprint("M", i))
	}
	return c
}

// HyperX returns n x n switches Hx.y, each pair in a row or a column cabled, each with a host.
func HyperX(r ir.Routing, n int) *Cabling {
	c := New(r)
	for x := range n {
		for y := range n {
			for k := 1; k < n; k++ {
				if x+k < n {
					c.Link(at(x, y), at(x+k, y))
				}
				if y+k < n {
					c.Link(at(x, y), at(x, y+k))
				}
			}
		}
	}
	return c.everywhere(n)
}

// Torus returns n x n switches Hx.y with a ring in every row and column, each with a host.
func Torus(r ir.Routing, n int) *Cabling {
	c := New(r)
	for x := range n {
		for y := range n {
			c.Link(at(x, y), at((x+1)%n, y))
			c.Link(at(x, y), at(x, (y+1)%n))
		}
	}
	return c.everywhere(n)
}

func at(x, y int) string { return fmt.Sprintf("H%d.%d", x, y) }

func (c *Cabling) everywhere(n int) *Cabling {
	for x := range n {
		for y := range n {
			c.Hosts(at(x, y))
		}
	}
	return c
}

// Clos returns a Clos fabric of three tiers. In each pod every leaf T is cabled to every agg A. Agg i of every pod is cabled to the cores C
// of plane i. Every leaf has the given number of hosts. AS numbers follow RFC 7938: one for the cores, one for the aggs of a pod, one for
// each leaf.
func Clos(r ir.Routing, pods, leaves, aggs, coresPerPlane, hosts int) *Cabling {
	c := New(r)
	for p := range pods {
		for a := range aggs {
			agg := fmt.Sprintf("A%d.%d", p, a)
			for l := range leaves {
				c.Link(fmt.Sprintf("T%d.%d", p, l), agg)
			}
			for k := range coresPerPlane {
				c.Link(agg, fmt.Sprintf("C%d.%d", a, k))
			}
			c.Device(agg).Switch.Tier, c.Device(agg).Switch.ASN = 2, 4_200_100_000+p
		}
	}
	for p := range pods {
		for l := range leaves {
			leaf := fmt.Sprintf("T%d.%d", p, l)
			c.Device(leaf).Switch.ASN = 4_200_200_000 + p*leaves + l
			for range hosts {
				c.Hosts(leaf)
			}
		}
	}
	return c.Tier("C", 3).ASN("C", 4_200_000_000)
}

// FatTree returns the fat tree of k-port switches: k pods of k/2 leaves and k/2 aggs, (k/2)^2 cores, k^3/4 hosts.
func FatTree(r ir.Routing, k int) *Cabling { return Clos(r, k, k/2, k/2, k/2, k/2) }
