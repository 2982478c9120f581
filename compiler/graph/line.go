package graph

import "slices"

// Line is the line graph of a graph. Its vertices are arcs, identified by their receiving port. Its edges are turns from port to port, as
// in [ir.Turns]. A mask over it has a bit for every port of every vertex. The ports of each vertex start at a new word, as in the bit rows
// of turns.
type Line struct {
	*Graph
	Words []int32 // by vertex of the graph: the first of its words in a mask
	Size  int     // number of words in a mask
	Word  []int32 // by Port.ID of the receiving port of an arc: the word of a mask with the bit of the sending port
	Bit   []uint8 // the number of that bit in the word
	next  []int32 // by bit of a mask: the Port.ID of the receiving port of the arc from there
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
	t.next = slices.Repeat([]int32{-1}, 64*t.Size) // a turn to a port without an arc is a bug, and panics
	for v, row := range n.Arcs {
		for j := range row {
			a := &row[j]
			t.Word[a.In], t.Bit[a.In] = t.Words[v]+a.Index/64, uint8(a.Index%64)
			t.next[64*t.Words[v]+a.Index] = a.In
		}
	}
	return t
}

// Next returns the vertex of the line graph for the arc that leaves v by the port with the given index.
func (t *Line) Next(v int32, index int) int32 { return t.next[64*int(t.Words[v])+index] }
