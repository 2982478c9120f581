package seen

import "github.com/rocec/rocec/lang/diag"

// Topics are the codes of what devices are found to be unlike the fabric in.
var Topics = []diag.Topic{topicCable, topicMissing, topicSpeed, topicMTU, topicVLAN, topicBond, topicMLAG}

var topicCable = diag.Topic{
	Code: "cable-elsewhere", Summary: "cable is not where the fabric says", Doc: `
Sizes follow from the lengths and speeds of cables, and the proof from who is cabled to whom. plan,
apply and verify ask switches and hosts by LLDP (lldpctl) who stands at the other end, and compare.
Names count as the devices tell them themselves, and else as the fabric writes them, with or without
a domain. Cables that have changed places are one finding. A name that nobody of the fabric has is a
warning. Where neither end sees the other, the cable is named as not read.

Example: two cables of leaf03 have changed places.

    error[cable-elsewhere]: cable is not where the fabric says
      leaf03:swp31 is on spine02:swp3, the fabric says spine01:swp3; leaf03:swp32 is on
      spine01:swp3, the fabric says spine02:swp3. These 2 cables have changed places: swap them, or
      correct the fabric.

plan and apply refuse to change the devices at both ends of such a cable: the change would rely on a
peer that stands elsewhere. A device that already holds what it should is not refused.

Fix: swap the cables, or correct the link. Where the change must not wait, --trust-fabric
makes it in spite of the finding.
`,
}

var topicMissing = diag.Topic{
	Code: "port-missing", Summary: "device does not have a port of the fabric", Doc: `
How a port is split is set on the switch, and rocec does not write it. A file that names a port the
switch does not have is refused by its daemon, or leaves the port that is there without PFC. What
counts is the interfaces of the kernel; the file that splits ports is only quoted.

Example: the fabric has swp1s0, and on the switch the port is whole:

    error[port-missing]: device does not have a port of the fabric
      leaf01:swp1s0 is not there: swp1 is not split; ports.conf says 1=100G.

plan and apply refuse to change that switch.

Fix: split the port on the switch, or correct the link. --trust-fabric makes the change
in spite of the finding.
`,
}

var topicSpeed = diag.Topic{
	Code: "port-speed", Summary: "port runs at another speed than the fabric says", Doc: `
What arrives between a pause and its effect grows with the speed of the link. Headroom that was
sized for 25G drops lossless packets at 100G: an error where a switch port with a lossless group is
faster than written. A slower link loses nothing, but carries less than the fabric counts on: a
warning. Links that are down have no speed, and say nothing.

Example:

    error[port-speed]: port runs at another speed than the fabric says
      leaf01:swp5 has a link of 100G; the fabric says 25G. Its headroom is sized for the slower one,
      and loses lossless packets on the faster.

Fix: correct speed in the link, or set the speed of the port. plan does not refuse the
device: its change makes nothing worse.
`,
}

var topicMTU = diag.Topic{
	Code: "port-mtu", Summary: "switch port has another MTU than the fabric says", Doc: `
Many a switch comes with an MTU of 1500 at its ports, and rocec does not write it. A frame larger
than the MTU of a port on its way is dropped, and no counter of RoCE says so: an error where hosts
send such frames. A larger MTU than the fabric says is a warning, since headroom counts frames of
the fabric's.

Example:

    error[port-mtu]: switch port has another MTU than the fabric says
      tor1:swp[1-4] has an MTU of 1500; the fabric says 9216, and hosts send frames of 4200.

Fix: set the MTU in the configuration of the interfaces of the switch, or correct mtu.
`,
}

var topicVLAN = diag.Topic{
	Code: "port-vlan", Summary: "switch port does not carry the VLAN of an intent with a tag", Doc: `
Frames of an intent with a vlan carry their priority in the VLAN header. A switch port that is not
in the VLAN drops them; one that carries it untagged takes the priority off, and the VLAN interface
of the host does not receive them. rocec never writes VLANs of switches. It reads them (bridge, and
subinterfaces such as swp1.100) at every port to a host of the intent, and between switches for what
is told by PCP and bridged there: RoCEv1, and RoCEv2 of a cos group without DSCP. On the peer link
of an MLAG pair a VLAN that is not there is a warning, since traffic passes there after a failure
alone.

Example:

    error[port-vlan]: switch port does not carry the VLAN of an intent with a tag
      tor1:swp3 does not carry VLAN 100, in which roce "nvme" travels: its frames are dropped here.

Fix: add the VLAN to the port (bridge-vids), tagged, in the configuration of the switch.
`,
}

var topicBond = diag.Topic{
	Code: "port-bond", Summary: "ports are not in the bonds that the fabric has", Doc: `
A bond of a host that balances (802.3ad, balance-xor) needs a bond at the switch, or one of the MLAG
pair: without one the switch sees the host's address move between ports, and packets arrive out of
order. A bond with a spare port (active-backup) needs none.

Between two switches, bond = true makes the cables of a block one link. Bridges and the proof of PFC
loops count them so: two bridged cables that are apart are a circle of their own. Every switch is
read by itself: a cable in no bond or in another one, and ports that the fabric has elsewhere, are
errors where bridged lossless traffic passes, and plan and apply refuse to change that switch;
elsewhere, and for ports that the fabric does not have at all, it is a warning. So is LACP that only
one side speaks. Bonds of one cable, and cables that are planned, are not judged. One bond may go to
both switches of an MLAG pair.

Example:

    warning[port-bond]: ports are not in the bonds that the fabric has
      tor1:swp3 is in no bond, and store1 sends by all ports of bond0 (mode 802.3ad).

Fix: make the ports one bond on the switch, or correct mode in the bond block, or bond in
the block of the cables. --trust-fabric makes a change in spite of the finding.
`,
}

var topicMLAG = diag.Topic{
	Code: "mlag-unlike", Summary: "MLAG of a switch is not as the fabric says", Doc: `
apply changes the switches of an MLAG pair one after the other, and the proof knows the ways over
both. A pair that the fabric does not know may be restarted at once; one that exists in the fabric
alone leaves hosts with bonds that do not work.

Example:

    warning[mlag-unlike]: MLAG of a switch is not as the fabric says
      leaf01 is a switch of an MLAG pair, and the fabric does not say so.

Fix: write mlag = "NAME" at both switches, or correct the switch.
`,
}
