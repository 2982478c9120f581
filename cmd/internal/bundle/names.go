package bundle

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/mask"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/destination"
	"github.com/rocec/rocec/targets"
)

// fabricMask returns a mask for the names of a fabric that belong to no device.
func fabricMask(f *ir.Fabric) *mask.Mask {
	m := &mask.Mask{}
	if !isCommon(f.Name) {
		m.KnowAs(mask.Name, f.Name)
	}
	return m
}

// knowDevice makes the word of a device of the fabric. The mask replaces the name and the address of the device by this word.
func knowDevice(m *mask.Mask, d *ir.Device) (word string) {
	word = m.Word(mask.Device)
	m.Know(d.Name, word)
	knowHost(m, word, d.SSH.Address)
	knowUser(m, d.SSH.User)
	hops, _ := destination.Jump(d.SSH.Jump) // lang has checked it
	for _, hop := range hops {
		knowUser(m, hop.User)
		m.KnowAs(mask.Name, hop.Host)
		if name, domain, ok := strings.Cut(hop.Host, "."); ok && !address(hop.Host) {
			m.KnowAs(mask.Name, name)
			m.KnowAs(mask.Name, domain)
		}
	}
	return word
}

// address reports whether a host name is an address.
func address(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// knowHost adds a name of a host to the mask, with and without its domain, and the domain.
func knowHost(m *mask.Mask, word, host string) {
	m.Know(host, word)
	name, domain, ok := strings.Cut(host, ".")
	if !ok || address(host) {
		return
	}
	m.Know(name, word)
	m.KnowAs(mask.Name, domain)
}

// knowUser adds the name of a user to the mask.
func knowUser(m *mask.Mask, user string) {
	if !isCommon(user) {
		m.KnowAs(mask.User, user)
	}
}

// isCommon reports whether the name of a user, host or fabric is on every system, is a factory default, or names a system. Such a name
// identifies no owner, and occurs in paths and commands.
func isCommon(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains([]string{"root", "nobody", "localhost"}, name) ||
		slices.ContainsFunc(targets.Known.OS, func(os *ir.OS) bool { return os.User == name || os.Name == name })
}
