package validate

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// SSHAddressDuplicate reports devices with the same SSH address.
var SSHAddressDuplicate = &Check{
	Code:    "ssh-address-duplicate",
	Summary: "two devices are reached at one address",
	Answers: []string{"X2"},
	Run: func(p *Pass) {
		type login struct {
			address, jump string
			port          int
		}
		type pair struct{ first, again diag.Range }
		type clash struct{ first, again *ir.Device }
		var found folds[pair, clash]
		owner := make(map[login]*ir.Device, len(p.Fabric.Devices))
		for _, d := range p.Fabric.Devices {
			if d.ByHand != nil {
				continue
			}
			address := strings.ToLower(cmp.Or(d.SSH.Address, d.Name))
			if ip, err := netip.ParseAddr(address); err == nil {
				address = ip.Unmap().String()
			}
			k := login{address, d.SSH.Jump, cmp.Or(d.SSH.Port, 22)}
			of := owner[k]
			if of == nil {
				owner[k] = d
				continue
			}
			if diag.ComparePlace(diag.FirstPlace(of.SSHAt, of.At), diag.FirstPlace(d.SSHAt, d.At)) > 0 {
				of, d = d, of
			}
			found.add(pair{diag.FirstPlace(of.SSHAt, of.At), diag.FirstPlace(d.SSHAt, d.At)}, clash{of, d})
		}
		found.each(func(at pair, all []clash) {
			a, b := all[0].first, all[0].again
			more := ""
			if len(all) > 1 {
				more = fmt.Sprintf(" (and %s more like them)", diag.Count(len(all)-1, "device"))
			}
			d := p.Errorf(at.again, "%s and %s are both reached at %s%s: rocec would write one machine twice and the other not at all. Give "+
				"every device its own address.", a.Name, b.Name, cmp.Or(b.SSH.Address, b.Name), more)
			if at.first != at.again {
				d.Note(at.first, "the address of %s", a.Name)
			}
		})
	},
}
