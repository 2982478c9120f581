package compiler

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// Topics is the table of codes the compiler reports, sorted; `rocec explain` prints their Docs.
var Topics = sortedTopics(
	topicUnknownModel, topicModelInvalid, topicVersionInvalid, topicTierInvalid,
	topicUnknownDevice, topicUnknownInterface, topicUnknownPort, topicPortTwice, topicPortSplit,
	topicLinkToItself, topicLinkHosts, topicLinkBond, topicSpeed, topicLengthMissing, topicRoutingMissing, topicASNMissing,
	topicUnknownMember, topicMemberOff, topicBondInvalid,
	topicTableName, topicTableTwice, topicTablePort, topicTableMissing, topicTableTooLarge, topicRoutingLoop, topicNoRoute,
	topicLockChanged, topicLockIncomplete, topicWrittenByHand,
	topicMemoryByHand, topicConfigInvalid,
)

func sortedTopics(all ...*diag.Topic) []diag.Topic {
	out := make([]diag.Topic, len(all))
	for i, t := range all {
		out[i] = *t
		out[i].Doc = strings.Trim(t.Doc, "\n")
	}
	slices.SortFunc(out, func(a, b diag.Topic) int { return strings.Compare(a.Code, b.Code) })
	return out
}

var (
	topicUnknownModel = &diag.Topic{Code: "unknown-model", Summary: "there is no such hardware model", Doc: `
A switch or NIC model, a chip or a NIC family is named that is neither in the tables of rocec nor
declared in the fabric. Ports, speeds and buffer sizes come from the model, so nothing can be
derived without it. Case, hyphens and the maker's name do not matter: "SN2700", "msn2700" and
"mellanox-sn2700" are one model. docs/platforms.md lists them.

Example:

    switch "leaf" {
      model = "lab32"
    }

Fix: correct the name, or declare the hardware. A switch_model has ports that are all
alike; a box with two kinds of ports is described by the kind that carries RoCE, as long as its
numbers fit. nic_model does the same for NICs.

    switch_model "lab32" {
      asic  = "spectrum"
      ports = 32
      speed = "100G"
    }
`}

	topicModelInvalid = &diag.Topic{Code: "model-invalid", Summary: "the declared hardware cannot exist", Doc: `
A switch_model or nic_model block describes hardware that cannot exist: ports faster than the chip
can drive, a speed that is no Ethernet speed, no ports or thousands of them, or a name the tables
know already (then two meanings of one name would be possible). Every size derived from it would be
wrong.

Example:

    switch_model "lab32" {
      asic  = "trident2"
      ports = 32
      speed = "100G" # Trident II ends at 40G
    }

Fix: take the values from the data sheet of the box.

    switch_model "lab32" {
      speed = "40G"
    }
`}

	topicVersionInvalid = &diag.Topic{Code: "version-invalid", Summary: "the release is not a release", Doc: `
The release of a switch is two or three numbers with dots between them, as the device prints it:
"3.4.3", "3.7.16", "4.3.0". It decides which keys the switch understands, so it is not guessed.

Example:

    switch "leaf" {
      version = "4.3.0.7"
    }

Fix: write VERSION_ID of /etc/os-release on the switch, in quotes.

    switch "leaf" {
      version = "4.3.0"
    }
`}

	topicTierInvalid = &diag.Topic{Code: "tier-invalid", Summary: "a tier is below the hosts", Doc: `
A tier is the height of a switch: 1 where hosts are, 2 above those, and so on. It orders "up" and
"down" for routing = "up-down", and nothing is below a host.

Example:

    switch "leaf" {
      tier = 0
    }

Fix: count from 1; or leave tier out to have it counted: 1 plus the number of links to
the nearest switch that has a host.

    switch "leaf" {
      tier = 1
    }
`}

	topicUnknownDevice = &diag.Topic{Code: "unknown-device", Summary: "there is no such device", Doc: `
A link, a mesh or the root of a spanning tree names a device that no switch or host block makes. A
cable to nowhere would leave a port without PFC.

Example:

    link "gpus" {
      a = "gpu[01-04]:ens1f0" # the hosts are gpu1 to gpu4
      b = "leaf[1-4]:swp1"
    }

Fix: mind the zeros: "gpu[1-4]" makes gpu1 to gpu4, "gpu[01-04]" makes gpu01 to gpu04.

    link "gpus" {
      a = "gpu[1-4]:ens1f0"
    }
`}

	topicUnknownInterface = &diag.Topic{Code: "unknown-interface", Summary: "the interface has no nic block", Doc: `
A cable ends at an interface of a host, or a bond joins one, for which the host has no nic block.
The block gives the model, and with it speed and capabilities; without it the link cannot be sized.

Example:

    host "gpu" {
      nic "ens1f0" { model = "connectx-5" }
    }
    link "gpus" {
      a = "gpu[1-4]:ens1f1" # no such nic block
      b = "leaf[1-4]:swp1"
    }

Fix: add a nic block, or correct the name. A bond is cabled by its NICs, each with a link
of its own.

    link "gpus" {
      a = "gpu[1-4]:ens1f0"
    }
`}

	topicUnknownPort = &diag.Topic{Code: "unknown-port", Summary: "the switch has no such port", Doc: `
A cable ends at a port the model of the switch does not have. Ports are named as Cumulus Linux names
them: swp1, swp2, and swp5s0 to swp5s3 for the parts of a split port. Ports of one lane (SFP+,
SFP28) cannot be split.

Example:

    link "up" {
      a = "leaf1:swp33" # an SN2700 ends at swp32
      b = "spine1:swp9"
    }

Fix: the message lists the ports of the model. If the hardware differs from the table,
declare it as a switch_model.

    link "up" {
      a = "leaf1:swp30"
    }
`}

	topicPortTwice = &diag.Topic{Code: "port-used-twice", Summary: "a port is used twice", Doc: `
Two cables end at one port, so one of the two is not there. Often two nodesets overlap, or a mesh
and a link claim the same uplink.

Example:

    link "gpus" {
      b = "leaf[1-4]:swp1"
    }
    link "stores" {
      b = "leaf[1-4]:swp1" # swp1 again
    }

Fix: correct one of the two; both places are shown.

    link "stores" {
      b = "leaf[1-4]:swp2"
    }
`}

	topicPortSplit = &diag.Topic{Code: "port-split-and-whole", Summary: "a port is used whole and split", Doc: `
Splitting swp5 into swp5s0 to swp5s3 removes swp5: the four lanes are used once. A fabric that
cables swp5 and swp5s0 of one switch contradicts itself.

On the SN2700 and SN2410 a port split into four takes the next port with it: with swp11s0 to
swp11s3 there is no swp12, and only odd ports split into four. Splitting into two (swp11s0,
swp11s1) costs no neighbour. On the SN4600 and SN4600C a port split into four takes the other one
of its pair (1 and 2, 3 and 4) with it, on the SN4410, SN4700, SN5400 and SN5600 one that is split
into eight does.

Example:

    link "gpus" {
      b     = "leaf[1-4]:swp5s0"
      speed = "25G"
    }
    link "stores" {
      b     = "leaf[1-4]:swp5"
      speed = "25G"
    }

Fix: name the parts everywhere, or the whole.

    link "stores" {
      b = "leaf[1-4]:swp5s1"
    }
`}

	topicLinkToItself = &diag.Topic{Code: "link-to-itself", Summary: "a cable runs from a device to itself", Doc: `
Both ends of a cable are on one device. In a nodeset the two sides are paired in order, so one side
that was not shifted by one often causes it.

Example:

    link "ring" {
      a = "leaf[1-4]:swp15"
      b = "leaf[1-4]:swp16"
    }

Fix: name the devices in the order of the other ends: leaf1 to leaf2, and so on, leaf4
to leaf1. Between switches of one tier they are peer links.

    link "ring" {
      b    = "leaf[2-4,1]:swp16"
      peer = true
    }
`}

	topicLinkHosts = &diag.Topic{Code: "link-between-hosts", Summary: "a cable runs between two hosts", Doc: `
A link joins two hosts, none of which forwards. rocec configures switches and the hosts on them; a
cable between two hosts has no switch whose buffers could be sized.

Example:

    link "direct" {
      a = "gpu1:ens1f0"
      b = "store1:ens1f0"
    }

Fix: leave such cables out. A host that routes or bridges counts as a switch: say
forwards = true in its block.
`}

	topicLinkBond = &diag.Topic{Code: "link-bond", Summary: "the cables cannot be one bond", Doc: `
bond = true in a link, mesh or topology block says that the cables between every two of its
switches are one bond (a LAG): they carry traffic together, bridges and spanning tree see one link,
and it is up as long as one of them is. This is said when an end of a cable is a host, whose bonds
stand in its host block, and when cables of one bond run at different speeds: ports of a bond run at
one speed.

Example:

    link "stores" {
      a    = "store1:ens2f[0-1]"
      b    = "leaf[1-2]:swp1"
      bond = true # store1 is a host
    }

Fix: for a host, a bond block in the host block; for switches, one speed for all cables
of the bond.

    link "stores" { bond = false }
    host "store" {
      bond "bond0" {
        nics = ["ens2f0", "ens2f1"]
        mode = "802.3ad"
      }
    }
`}

	topicSpeed = &diag.Topic{Code: "speed-mismatch", Summary: "a port cannot run at this speed", Doc: `
Both ends of a cable run at one speed; headroom and ECN thresholds depend on it. Without a speed in
the link block it is that of the slower end. This is said when a stated speed is faster than one of
the ports, when it is no Ethernet speed, when a port cannot run at it (40G takes four lanes, so a
port split in two has no 40G; QSFP+ lanes run at 10G, so a 40G port has no 25G), or when no end
tells a speed (soft-roce).

Example:

    host "gpu" {
      nic "ens1f0" { model = "connectx-4-lx" } # 50G at most
    }
    link "gpus" {
      speed = "100G"
    }

Fix: state the speed the cable really runs at.

    link "gpus" {
      speed = "50G"
    }
`}

	topicLengthMissing = &diag.Topic{Code: "cable-length-missing", Summary: "a lossless link has no length", Doc: `
When a switch sends a pause, what is on the cable still arrives, and so does what the peer sends
until the pause reaches it. At 100G that is 126 bytes per metre. The headroom that must catch it
depends on the length, and a length assumed too short is silent loss under load. So rocec does not
assume one.

Example:

    fabric "pod1" {
      routing = "up-down" # no cable_length
    }
    link "gpus" {
      a = "gpu[1-4]:ens1f0" # no length
      b = "leaf[1-4]:swp1"
    }

Fix: give it where it is known, as length of the link, or once for every link that states
none. Too long is safe and costs buffer.

    fabric "pod1" {
      cable_length = "10m"
    }
`}

	topicRoutingMissing = &diag.Topic{Code: "routing-missing", Summary: "a lossless group crosses a ring and no routing is given", Doc: `
A lossless group crosses a ring of links: switches that pause each other in a circle can stop for
good (a PFC loop). Whether they can depends on the paths traffic takes, so the fabric must say.
Where the links that carry the group form a tree, every routing is the same and none is needed. Two
parallel links are a ring too, unless their block says bond = true: then they are one link (a LAG),
as the cables between an MLAG pair mostly are.

    up-down         never up again after coming down; you vouch for it
    ebgp            eBGP with AS-path loop check; every switch has an asn
    shortest-path   every shortest path, recomputed after failures (OSPF, IS-IS)
    spanning-tree   one tree of the bridged network
    flooding        bridged, with flooding of unknown destinations
    any             every path
    table           the next hops of a file (table = "fib.json")

Example:

    fabric "pod1" {
      cable_length = "3m" # no routing
    }
    mesh "uplinks" {
      lower = "leaf[1-4]:swp[31-32]"
      upper = "spine[1-2]:swp[1-4]"
    }

Fix: where the ring is cables between the same two switches that are one bond, say bond =
true in their block. Otherwise say how your switches forward. With leaves and spines that is usually

    fabric "pod1" {
      routing = "up-down"
    }
`}

	topicASNMissing = &diag.Topic{Code: "asn-missing", Summary: "a switch has no AS number", Doc: `
With routing = "ebgp" a route is refused where its AS path holds the switch's own number. Whether a
path can go up again after coming down therefore depends on the numbers: when all spines share one,
and the aggregation switches of a pod share one (RFC 7938), it cannot. rocec needs the asn of every
switch to know.

Example:

    fabric "pod1" {
      routing = "ebgp"
    }
    switch "leaf" {
      asn = 65101 + self.index
    }
    switch "spine" {
      names = "spine[1-2]" # no asn
    }

Fix: give every switch its number.

    switch "spine" {
      asn = 65000
    }
`}

	topicUnknownMember = &diag.Topic{Code: "unknown-member", Summary: "there is no such member", Doc: `
The members of a roce block are host groups (host.gpu), hosts ("gpu1") or interfaces ("gpu1:ens1f0",
nodesets of them, or a bond of the host). This one does not exist, is a switch, or names an
interface for which the host has no nic block; its traffic would be lossy.

Example:

    roce "training" {
      members = ["gpu[01-04]"] # the hosts are gpu1 to gpu4
    }

Fix: take the name the message offers, or the group.

    roce "training" {
      members = ["gpu[1-4]"]
    }
`}

	topicMemberOff = &diag.Topic{Code: "member-without-roce", Summary: "a member has RoCE switched off", Doc: `
A member of an intent has RoCE switched off: its nic block says roce = false, or the host has no nic
block with RoCE at all. Traffic of the intent could neither start nor end there.

Example:

    host "store" {
      nic "ens1f0" {
        model = "connectx-5"
        roce  = false
      }
    }
    roce "training" { members = [host.gpu, host.store] }

Fix: take out roce = false, or the member. A host group stands for every NIC of its hosts
with RoCE on.

    roce "training" { members = [host.gpu] }
`}

	topicBondInvalid = &diag.Topic{Code: "bond-invalid", Summary: "the bond cannot carry RoCE", Doc: `
RoCE runs over a bond only as RoCE LAG of one card: the bond joins exactly the two ports of that
card and nothing else, in mode active-backup, balance-xor or 802.3ad. In any other form the driver
leaves LAG mode, and each port is an RDMA device of its own without failover.

Example:

    host "store" {
      bond "bond0" {
        nics = ["ens2f0"]
        mode = "802.3ad"
      }
    }

Fix: name both ports of the card, and give both the same treatment.

    host "store" {
      bond "bond0" {
        nics = ["ens2f0", "ens2f1"]
      }
    }
`}
)
