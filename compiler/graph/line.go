package graph

import "slices"

// Line is the line graph of a graph. Its vertices are arcs, each by the ID of the port it comes in by. Its edges are turns from port to
// port, as [ir.Turns] has them. A mask over it has a bit for every port of every vertex. The ports of a vertex have words of their own, as
// the bit rows of turns do.
type Line struct {
	*Graph
	Words []int32 // by vertex of the graph: where its words begin in a mask
	Size  int     // words of a mask
	Word  []int32 // by Port.ID of the port an arc comes in by: the word of a mask that holds the bit of the port it leaves by
	Bit   []uint8 // and which bit of that word it is
	next  []int32 // by bit of a mask: the Port.ID of the port that the arc out of there comes in by
}

// NewLine returns the line graph of a graph.
func NewLine(n *Graph) *Line {
	t := &Line{
		Graph: n, Words: make([]int32, len(n.Vertices)), Word: make([]int32, len(n.Fabric.Ports)),
		Bit: make([]uint8, len(n.Fabric.Ports)),
	}
	for v, words := range n.RowWords {
		t.Words[v] = int32(t.Size)
		t.Size += int(words)
	}
	t.next = slices.Repeat([]int32{-1}, 64*t.Size) // a turn to where no arc begins is a bug, and panics
	for v, row := range n.Arcs {
		for j := range row {
			a := &row[j]
			t.Word[a.In], t.Bit[a.In] = t.Words[v]+a.Index/64, uint8(a.Index%64)
			t.next[64*t.Words[v]+a.Index] = a.In
		}
	}
	return t
}

// Next returns the vertex that the arc out of a port comes in by, of the port with a number on a vertex of the graph.
func (t *Line) Next(v int32, index int) int32 { return t.next[64*int(t.Words[v])+index] }
