package graph

// CSR contains arcs in compressed sparse rows: the arcs of vertex v have the indexes First[v] up to First[v+1].
type CSR struct {
	First    []int32
	To, Link []int32
}

// NewCSR returns a CSR with the given number of vertices. each calls arc for every arc, in the order of the rows. It is called twice and
// must use the same order, because a counting sort puts the arcs into rows.
func NewCSR(vertices int, each func(arc func(from, to, link int32))) CSR {
	c := CSR{First: make([]int32, vertices+2)}
	each(func(from, _, _ int32) { c.First[from+2]++ })
	for v := range vertices {
		c.First[v+2] += c.First[v+1]
	}
	c.To, c.Link = make([]int32, c.First[vertices+1]), make([]int32, c.First[vertices+1])
	each(func(from, to, link int32) {
		i := c.First[from+1]
		c.To[i], c.Link[i] = to, link
		c.First[from+1]++
	})
	c.First = c.First[:vertices+1]
	return c
}

// At returns the neighbours of v and the links to them.
func (c *CSR) At(v int32) (to, link []int32) {
	i, j := c.First[v], c.First[v+1]
	return c.To[i:j], c.Link[i:j]
}

// Cost returns the approximate number of budget steps for one walk over the CSR.
func (c *CSR) Cost() int { return len(c.To)/4 + len(c.First) + 1 }
