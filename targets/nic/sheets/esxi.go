package sheets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// esxi returns the part of a sheet with commands of ESXi. Sources: VMware's "Configuring lossless Ethernet for NVMe over RDMA" (pause,
// pfctx and pfcrx, trust_state and dscp_force of nmlx5); NVIDIA's manual of the native driver 4.17.15.16 (ecn); Mellanox's "HowTo Run RoCE
// over L2 Enabled with PFC (ESXi)" (nmlx4_en; the two masks must be equal, and apply to all ports of the host); Broadcom's ESXCLI command
// reference.
func esxi(nics []*hand) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	b.WriteString("## Commands (ESXi)\n\nRun these in the shell of the host, as root, in maintenance mode: the parameters of a driver " +
		"need a restart of the\nhost. `parameters set` replaces all parameters of the driver: add those that `parameters list` prints with a " +
		"value.\n\n```\n")
	for _, driver := range drivers(nics) {
		module(line, driver, nics)
	}
	for _, n := range nics {
		if n.flow == ir.Pause {
			line("esxcli network nic pauseParams set -n %s -r true -t true", n.NIC.Name)
		} else {
			line("esxcli network nic pauseParams set -n %s -r false -t false", n.NIC.Name)
		}
	}
	for _, mtu := range mtus(nics) {
		line("# In the place of vSwitch1 and vmk1: the switch and the adapters of the kernel above these NICs.")
		line("esxcli network vswitch standard set -v vSwitch1 -m %d", mtu)
		line("esxcli network ip interface set -i vmk1 -m %d", mtu)
	}
	line("reboot")
	b.WriteString("```\n\n")
	for _, driver := range drivers(nics) {
		if n := of(nics, driver); slices.ContainsFunc(n, func(h *hand) bool { return h.mask() != n[0].mask() }) {
			line("- The NICs of the driver need different PFC, but its parameters apply to all ports of the host: ask the maker for values by " +
				"port.")
		}
	}
	b.WriteString(remarks(nics, marksOnESXi))
	b.WriteByte('\n')
	return b.String()
}

// module writes the parameters of a driver, which apply to all its ports.
func module(line func(format string, args ...any), driver string, nics []*hand) {
	n := of(nics, driver)[0]
	if n.firmware() || n.flow == ir.Pause {
		return
	}
	masks := fmt.Sprintf("pfctx=0x%02x pfcrx=0x%02x", n.mask(), n.mask())
	switch driver {
	case "mlx5":
		trust := 1 // PCP
		if n.trust.DSCP {
			trust = 2
		}
		ecn := 0
		if n.ECN != [8]bool{} && n.NIC.SlowsDown() {
			ecn = 1
		}
		line("esxcli system module parameters list -m nmlx5_core")
		line("esxcli system module parameters set -m nmlx5_core -p \"%s trust_state=%d ecn=%d\"", masks, trust, ecn)
		if p := n.NIC.Packet(n.Intents[0]); p.IP && n.trust.DSCP {
			line("esxcli system module parameters list -m nmlx5_rdma")
			line("esxcli system module parameters set -m nmlx5_rdma -p \"dscp_force=%d\"", p.DSCP)
		}
	case "mlx4":
		line("esxcli system module parameters list -m nmlx4_en")
		line("esxcli system module parameters set -m nmlx4_en -p \"%s\"", masks)
	}
}

// marksOnESXi writes remarks about settings that are uncertain, or for which ESXi has no command.
func marksOnESXi(n *hand, item func(format string, args ...any)) {
	known := n.driver() == "mlx5" || n.driver() == "mlx4"
	switch {
	case n.firmware():
		item("ESXi accepts PFC from the switch if the driver has DCBX (ESXi 7.0 or later): ask the maker of the NIC.")
		return
	case !known:
		item("ask the maker for the driver parameters of the priorities with PFC (mask 0x%02x) and of trust.", n.mask())
	case n.driver() == "mlx5":
		item("ask the maker whether `dcbx` of nmlx5_core must be off, so that a switch does not replace these values.")
	}
	if n.flow == ir.PFCTx || n.flow == ir.PFCRx {
		item("the two masks of PFC must be equal, so PFC in one direction is impossible.")
	}
	for i, in := range n.Intents {
		p := n.NIC.Packet(in)
		switch {
		case !p.IP || !n.trust.DSCP:
			if p.Tagged {
				item("RoCE of %s has PCP %d in VLAN %d: ask the maker how the driver gives RDMA packets a PCP.", cell(in.Name), p.PCP, in.VLAN)
			}
		case i > 0 && p.DSCP != n.NIC.Packet(n.Intents[0]).DSCP:
			item("`dscp_force` is one value for all RDMA packets, but %s needs DSCP %d: ask the maker.", cell(in.Name), p.DSCP)
		case n.driver() == "mlx5" && p.DSCP>>3 == in.Group.Cos:
			item("ask the maker for the map from DSCP: by default, cards of this family use DSCP / 8, which is priority %d for DSCP %d.",
				in.Group.Cos, p.DSCP)
		default:
			item("ask the maker how to map DSCP %d to priority %d: no parameter is known for the map.", p.DSCP, in.Group.Cos)
		}
	}
	if n.CNP != nil {
		item("ask the maker how CNPs get DSCP %d and priority %d.", n.NIC.CNP(n.Intents[0]).DSCP, n.CNP.Cos)
	}
	item("ask the maker for the shares of traffic classes: ESXi has no command for them.")
}

// drivers lists the drivers of NICs, in the order of the NICs.
func drivers(nics []*hand) (out []string) {
	for _, n := range nics {
		if !slices.Contains(out, n.driver()) {
			out = append(out, n.driver())
		}
	}
	return out
}

// of returns the NICs of a driver.
func of(nics []*hand, driver string) (out []*hand) {
	for _, n := range nics {
		if n.driver() == driver {
			out = append(out, n)
		}
	}
	return out
}

func mtus(nics []*hand) (out []int) {
	for _, n := range nics {
		if n.NIC.MTU > 0 && !slices.Contains(out, n.NIC.MTU) {
			out = append(out, n.NIC.MTU)
		}
	}
	return out
}

// esxiPrints returns the part of a sheet about giving the settings to rocec.
func esxiPrints(nics []*hand) string {
	var b strings.Builder
	b.WriteString("\nTo let rocec compare the host with the fabric, copy the file `esxi.txt` into a folder with the name of the host, " +
		"and\nrun `rocec validate DIR --device-config FOLDER`:\n\n```\n{ set -x; esxcli network nic list")
	for _, n := range nics {
		fmt.Fprintf(&b, "; esxcli network nic get -n %[1]s; esxcli network nic dcb status get -n %[1]s", n.NIC.Name)
	}
	for _, driver := range drivers(nics) {
		switch driver {
		case "mlx5":
			b.WriteString("; esxcli system module parameters list -m nmlx5_core; esxcli system module parameters list -m nmlx5_rdma")
		case "mlx4":
			b.WriteString("; esxcli system module parameters list -m nmlx4_en")
		}
	}
	b.WriteString("; } > esxi.txt 2>&1\n```\n")
	return b.String()
}
