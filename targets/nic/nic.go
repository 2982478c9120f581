// Package nic is what NIC targets have in common.
package nic

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// Wanted reports whether rocec has something to say about a NIC: it carries an intent, or RoCE is switched on it or its virtual
// functions.
func Wanted(n *ir.NIC) bool { return !n.RoCE || len(n.VFRoCE) > 0 || len(n.Carries()) > 0 }

// BondModes are the modes of a bond in which Linux drivers join the two ports of a card into one RDMA device: those in which
// either port may send what the other received (mlx5 lag.c, mlx4 en_netdev.c). Drivers whose sources do not say are taken to do
// the same.
var BondModes = []string{"active-backup", "balance-xor", "802.3ad"}

// Of gives the NICs of a host that a driver has and rocec has something to say about, in the order of the host.
func Of(d *ir.Device, by *ir.Driver) []*ir.NIC {
	own := func(n *ir.NIC) bool { return n.Model.Driver == by && Wanted(n) }
	for i, n := range d.Host.NICs {
		if own(n) {
			continue
		}
		ours := slices.Clone(d.Host.NICs[:i]) // rare: the usual host copies nothing
		for _, n := range d.Host.NICs[i+1:] {
			if own(n) {
				ours = append(ours, n)
			}
		}
		return ours
	}
	return d.Host.NICs
}
