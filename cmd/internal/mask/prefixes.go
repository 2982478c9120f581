package mask

import (
	"crypto/hmac"
	"crypto/sha256"
	"net/netip"
)

// Prefixes replaces addresses so that the common prefix of any two of them keeps its length. So a route matches the same addresses as
// before. Each bit depends on the bits before it and on the key. Addresses of private and link-local ranges stay in their range.
//
// Source: Xu, Fan, Ammar and Moon, "Prefix-preserving IP address anonymization", ICNP 2002.
type Prefixes struct {
	key  []byte
	kept []netip.Prefix
}

// NewPrefixes returns a replacement that depends on a secret key. It keeps private and special ranges (RFC 6890), and multicast: an
// address in one of them stays in it, and no other address gets there.
func NewPrefixes(key []byte) *Prefixes {
	p := &Prefixes{key: key}
	for _, text := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.2.0/24", "192.168.0.0/16",
		"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "::/8", "2001:db8::/32", "fc00::/7", "fe80::/10",
		"ff00::/8",
	} {
		p.kept = append(p.kept, netip.MustParsePrefix(text))
	}
	return p
}

// Addr returns the replacement of an address. It returns unspecified (:: and 0.0.0.0), loopback and zoned addresses unchanged.
func (p *Prefixes) Addr(a netip.Addr) netip.Addr {
	switch {
	case a.IsUnspecified() || a.IsLoopback() || a.Zone() != "":
		return a
	case a.Is4In6():
		return netip.AddrFrom16(p.Addr(a.Unmap()).As16())
	}
	bits := a.AsSlice()
	out := make([]byte, len(bits))
	for i := range len(bits) * 8 {
		bit := bits[i/8] >> (7 - i%8) & 1
		if !p.special(a, i) {
			bit ^= p.flip(a, i)
		}
		out[i/8] |= bit << (7 - i%8)
	}
	is, _ := netip.AddrFromSlice(out)
	return is
}

// special reports whether the first n bits of an address are the beginning of a longer kept prefix. If so, the next bit stays.
func (p *Prefixes) special(a netip.Addr, n int) bool {
	head := netip.PrefixFrom(a, n)
	for _, one := range p.kept {
		if one.Bits() > n && one.Addr().Is4() == a.Is4() && head.Contains(one.Addr()) {
			return true
		}
	}
	return false
}

// flip returns 1 if the bit after the first n bits of an address changes, and 0 if it stays.
func (p *Prefixes) flip(a netip.Addr, n int) byte {
	h := hmac.New(sha256.New, p.key)
	head, _ := netip.PrefixFrom(a, n).Masked().MarshalBinary() //nolint:errcheck // it has no error
	h.Write(head)
	return h.Sum(nil)[0] & 1
}
