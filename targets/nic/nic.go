// Package nic contains the common part of NIC targets: how hosts get the settings of RoCE NICs, for every driver.
//
// The target of a driver ([Family]) provides a script, the settings, and the limits of its NICs. From these the package creates the files
// for every NIC of the driver that carries an intent (or whose RoCE is switched off):
//
//	/etc/rocec/host/IF.conf                    the wanted settings: sorted lines KEY=VALUE, with comments
//	/usr/local/sbin/TOOL                       the family's script that applies them; the same bytes on every host
//	/etc/systemd/system/TOOL@.service          runs it at boot, and whenever the interface comes back
//	/etc/udev/rules.d/99-rocec*.rules          runs it again when an RDMA device or a VLAN interface is created again
//	/var/lib/rocec/TOOL/IF.before              the settings from before the first apply; only the script uses it
//	nic/IF                                     not a file: the present settings, printed by "TOOL show" as KEY=VALUE
//
// TOOL is rocec-host with the suffix of the family. A host with NICs of several families has a script and a unit of each; a NIC has
// one value file, and a unit of its family.
//
// The script runs as TOOL VERB IF, or from stdin with values as arguments where its file may not exist yet. apply writes the differences
// and reads them back, and check reports differences. show prints the current settings in the format of the value file. leave restores the
// settings from before rocec. For a setting that cannot be set or read, show prints "unsupported" or "unreadable" with the reason. apply
// and check fail for such a setting, unless the value file lists its key under should.
package nic

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic/steps"
)

// Wanted reports whether rocec sets a NIC: it carries an intent, or the fabric states its parameters, or switches RoCE on the NIC or its
// virtual functions.
func Wanted(n *ir.NIC) bool {
	return !n.RoCE || len(n.VFRoCE) > 0 || n.Parameters != nil || len(n.Carries()) > 0
}

// Of returns the NICs of a host with a driver that rocec sets, in the order of the host.
func Of(d *ir.Device, by *ir.Driver) []*ir.NIC {
	own := func(n *ir.NIC) bool { return n.Model.Driver == by && Wanted(n) }
	for i, n := range d.Host.NICs {
		if own(n) {
			continue
		}
		ours := slices.Clone(d.Host.NICs[:i]) // rare: for most hosts nothing is copied
		for _, n := range d.Host.NICs[i+1:] {
			if own(n) {
				ours = append(ours, n)
			}
		}
		return ours
	}
	return d.Host.NICs
}

// BondModes are the modes of a bond in which Linux drivers join the two ports of a card into one RDMA device. In these modes a card may
// answer packets through another port than the one that received them (mlx5 lag.c, mlx4 en_netdev.c). rocec assumes this also for drivers
// whose sources do not show it.
var BondModes = []string{"active-backup", "balance-xor", "802.3ad"}

// Quote makes s one word of a POSIX shell.
func Quote(s string) string { return steps.Quote(s) }
