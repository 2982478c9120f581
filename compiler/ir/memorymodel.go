package ir

import "fmt"

// MemoryModel describes how an operating system divides the chip's memory that lossless ports do not reserve, and which bytes its pause
// threshold counts. Every fact has its source as part of a sentence, which begins with "assumed" if no source states the fact. It is
// comparable; the zero MemoryModel stands for [ChipMemory].
type MemoryModel struct {
	// Percent is the part of that memory, 1 to 100, in the pool that lossless buffers share.
	Percent     int
	PercentFrom string

	// Alpha limits a lossless buffer: in addition to its reserve it may use Alpha times the free part of the pool.
	Alpha     Alpha
	AlphaFrom string

	// Absolute: a port pauses when it holds xoff bytes, regardless of free memory. Otherwise it first uses its share of the pool, and xoff
	// counts the bytes after that.
	Absolute bool
	XoffFrom string

	Pool bool // the pool is only for lossless traffic
}

// ChipMemory returns the model that is assumed for a chip with an unknown system: one pool for all traffic, with a share of 1.
func ChipMemory() MemoryModel {
	const from = "assumed: nothing is known of the system"
	return MemoryModel{Percent: 100, PercentFrom: from, Alpha: Alpha{1, 1}, AlphaFrom: from, XoffFrom: from}
}

// Alpha is a factor of dynamic thresholds, Num / Den; Den 0 means no limit, and Num 0 means no memory.
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

// of returns Alpha x pool / (1 + Alpha x n): the bytes of each of n buffers that fill a pool together.
func (a Alpha) of(pool, n int) int {
	if a.Num == 0 || pool <= 0 {
		return 0
	}
	return a.Num * pool / (a.Den + a.Num*max(n, 1))
}
