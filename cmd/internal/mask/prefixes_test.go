package mask

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// common returns the length of the common prefix of two addresses.
func common(a, b netip.Addr) int {
	n := 0
	for n < a.BitLen() && netip.PrefixFrom(a, n+1).Contains(b) {
		n++
	}
	return n
}

// Masking keeps the length of the common prefix of two addresses, and each address stays in its private range.
func TestPrefixesLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := NewPrefixes(rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, "key"))
		size := rapid.SampledFrom([]int{4, 16}).Draw(t, "size")
		draw := func() netip.Addr {
			raw := rapid.SliceOfN(rapid.Byte(), size, size).Draw(t, "address")
			if rapid.Bool().Draw(t, "private") {
				raw[0] = 10
			}
			a, _ := netip.AddrFromSlice(raw)
			return a
		}
		a, b := draw(), draw()
		if n := rapid.IntRange(0, size*8).Draw(t, "alike"); !a.Is4In6() { // many have no bit in common
			raw, from := b.AsSlice(), a.AsSlice()
			for i := range n {
				raw[i/8] = raw[i/8]&^(1<<(7-i%8)) | from[i/8]&(1<<(7-i%8))
			}
			b, _ = netip.AddrFromSlice(raw)
		}
		for _, one := range []netip.Addr{a, b} {
			if one.IsUnspecified() || one.IsLoopback() || one.Is4In6() {
				require.Equal(t, one, p.Addr(one))
				return
			}
		}
		x, y := p.Addr(a), p.Addr(b)
		require.Equal(t, common(a, b), common(x, y), "%v %v became %v %v", a, b, x, y)
		require.Equal(t, x, p.Addr(a))
		for _, one := range p.kept {
			require.Equal(t, one.Contains(a), one.Contains(x), "%v became %v", a, x)
		}
	})
}

// Another key makes other addresses.
func TestPrefixesKey(t *testing.T) {
	met := map[netip.Addr]bool{}
	a := netip.MustParseAddr("10.1.2.3")
	for k := range byte(20) {
		met[NewPrefixes([]byte{k}).Addr(a)] = true
	}
	require.Greater(t, len(met), 15)
	require.Equal(t, "0.0.0.0", NewPrefixes(nil).Addr(netip.IPv4Unspecified()).String())
}
