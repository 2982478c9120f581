package ir

import "fmt"

// MemoryModel is how an operating system shares out what no lossless port reserves of a chip's memory, and what its threshold of pausing
// counts. Every fact has where it was taken from, as a part of a sentence that begins with "assumed" where nothing settles it. It is
// comparable; the zero MemoryModel means [ChipMemory].
type MemoryModel struct {
	// Percent of that memory is the pool that lossless buffers share, 1 to 100.
	Percent     int
	PercentFrom string

	// Alpha is the share of a lossless buffer: beyond its own reserve it may hold Alpha times the free part of the pool.
	Alpha     Alpha
	AlphaFrom string

	// Absolute: a port pauses once it holds xoff bytes, whatever is free. Else it uses up its share of the pool first, and xoff
	// counts what comes after that.
	Absolute bool
	XoffFrom string

	Pool bool // lossless traffic has that pool for itself
}

// ChipMemory returns the model that is assumed for a chip with an unknown system: one pool for all traffic, with a share of 1.
func ChipMemory() MemoryModel {
	const from = "assumed: nothing is known of the system"
	return MemoryModel{Percent: 100, PercentFrom: from, Alpha: Alpha{1, 1}, AlphaFrom: from, XoffFrom: from}
}

// Alpha is a factor of dynamic thresholds, Num / Den; with Den 0 nothing is limited, and with Num 0 nothing may be held.
type Alpha struct{ Num, Den int }

// String writes "2", "1/8" or "unlimited".
func (a Alpha) String() string {
	switch {
	case a.Den == 0:
		return "unlimited"
	case a.Den == 1 || a.Num == 0:
		return fmt.Sprint(a.Num)
	}
	return fmt.Sprintf("%d/%d", a.Num, a.Den)
}

// of is Alpha x pool / (1 + Alpha x n): what each of n buffers holds that fill a pool side by side.
func (a Alpha) of(pool, n int) int {
	if a.Num == 0 || pool <= 0 {
		return 0
	}
	return a.Num * pool / (a.Den + a.Num*max(n, 1))
}
