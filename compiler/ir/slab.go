package ir

// slab holds values side by side, in chunks, so that they never move: a pointer into it stays good while it grows. A value is named by its
// slot, an int32 from 1 on, which takes half the memory of a pointer and costs the garbage collector nothing. Slot 0 is no value.
type slab[T any] struct {
	chunks []*[chunkSize]T
	n      int32
}

const (
	chunkBits = 7
	chunkSize = 1 << chunkBits
)

// at returns the value of a slot, nil of none.
func (s *slab[T]) at(slot int32) *T {
	if slot <= 0 {
		return nil
	}
	slot--
	return &s.chunks[slot>>chunkBits][slot&(chunkSize-1)]
}

// grow makes room for n more values, in one piece of memory.
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
