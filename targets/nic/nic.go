// Package nic is what NIC targets have in common: how hosts get the settings of RoCE NICs, whatever their driver.
//
// A target of a driver ([Family]) brings a script, what it can set, and what cannot be; this package makes of it, for every NIC of
// the driver that takes part in an intent (or whose RoCE is switched off):
//
//	/etc/rocec/host/IF.conf                    what the NIC should hold: sorted lines KEY=VALUE, comments of ours
//	/usr/local/sbin/TOOL                       the family's script that brings it about; the same bytes on every host
//	/etc/systemd/system/TOOL@.service          runs it at boot, and whenever the interface comes back
//	/etc/udev/rules.d/99-rocec*.rules          runs it again when an RDMA device or a VLAN interface is made anew
//	/var/lib/rocec/TOOL/IF.before              what the NIC held before the first apply; the script's own
//	nic/IF                                     no file: the NIC as it is, printed by "TOOL show" as KEY=VALUE
//
// TOOL is rocec-host with the suffix of the family. A host with NICs of several families has a script and a unit of each; a NIC has
// one value file, and a unit of its family.
//
// The script is run as TOOL VERB IF, or from stdin with values as arguments where its file may not be there yet: apply writes what
// differs and reads it back, check says what differs, show prints the settings as they are in the form of the value file, leave sets the
// NIC back to what it held before. What cannot be set or read shows as "unsupported" or "unreadable" with the reason: it fails, unless
// the value file lists the key under should.
package nic

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
)

// Wanted reports whether rocec has something to say about a NIC: it carries an intent, or RoCE is switched on it or its virtual
// functions.
func Wanted(n *ir.NIC) bool { return !n.RoCE || len(n.VFRoCE) > 0 || len(n.Carries()) > 0 }

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

// BondModes are the modes of a bond in which Linux drivers join the two ports of a card into one RDMA device: those in which
// either port may send what the other received (mlx5 lag.c, mlx4 en_netdev.c). Drivers whose sources do not say are taken to do
// the same.
var BondModes = []string{"active-backup", "balance-xor", "802.3ad"}
