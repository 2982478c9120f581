package ir

// slab stores values in chunks that never move: a pointer into it stays valid while it grows. A value is identified by its slot, an int32
// that starts at 1. A slot needs half the memory of a pointer and no work of the garbage collector. Slot 0 means no value.
type slab[T any] struct {
	chunks []*[chunkSize]T
	n      int32
}

const (
	chunkBits = 7
	chunkSize = 1 << chunkBits
)

// at returns the value in a slot; nil for slot 0.
func (s *slab[T]) at(slot int32) *T {
	if slot <= 0 {
		return nil
	}
	slot--
	return &s.chunks[slot>>chunkBits][slot&(chunkSize-1)]
}

// grow makes room for n more values, in one contiguous chunk.
func (s *slab[T]) grow(n int) {
	have := len(s.chunks)*chunkSize - int(s.n)
	if n <= have {
		return
	}
	more := (n - have + chunkSize - 1) / chunkSize
	piece := make([]T, more*chunkSize)
	for i := range more {
		s.chunks = append(s.chunks, (*[chunkSize]T)(piece[i*chunkSize:]))
	}
}

// add returns a new value and its slot.
func (s *slab[T]) add() (*T, int32) {
	s.grow(1)
	s.n++
	return s.at(s.n), s.n
}

// copy returns a slab with the same values in the same slots.
func (s *slab[T]) copy() slab[T] {
	var out slab[T]
	out.grow(int(s.n))
	out.n = s.n
	for i, c := range s.chunks[:len(out.chunks)] {
		*out.chunks[i] = *c
	}
	return out
}
