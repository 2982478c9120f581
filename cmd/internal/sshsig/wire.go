package sshsig

import (
	"encoding/binary"
	"math/big"
)

// wire reads the binary encoding of SSH (RFC 4251, section 5). After the first error every read returns nothing.
type wire struct {
	rest []byte
	bad  bool
}

func (w *wire) take(n int) []byte {
	if w.bad || n < 0 || n > len(w.rest) {
		w.bad = true
		return nil
	}
	out := w.rest[:n]
	w.rest = w.rest[n:]
	return out
}

// text reads a string: its length in four bytes, then the bytes.
func (w *wire) text() []byte { return w.take(int(w.number())) }

func (w *wire) number() uint32 {
	b := w.take(4)
	if b == nil {
		return 0
	}
	return binary.BigEndian.Uint32(b)
}

func (w *wire) long() uint64 {
	b := w.take(8)
	if b == nil {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}

func (w *wire) flag() byte {
	b := w.take(1)
	if b == nil {
		return 0
	}
	return b[0]
}

// positive reads an integer above 0.
func (w *wire) positive() *big.Int {
	b := w.text()
	if len(b) == 0 || b[0]&0x80 != 0 || len(b) > 2049 {
		w.bad = true
		return new(big.Int)
	}
	return new(big.Int).SetBytes(b)
}

// texts reads the strings in a string.
func (w *wire) texts() (out []string) {
	in := wire{rest: w.text()}
	for len(in.rest) > 0 && !in.bad {
		out = append(out, string(in.text()))
	}
	w.bad = w.bad || in.bad
	return out
}

// done reports whether every byte was read, without an error.
func (w *wire) done() bool { return !w.bad && len(w.rest) == 0 }

func appendText(to, text []byte) []byte {
	return append(binary.BigEndian.AppendUint32(to, uint32(len(text))), text...) //nolint:gosec // messages are bounded
}
