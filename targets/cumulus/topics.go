package cumulus

import "github.com/rocec/rocec/lang/diag"

// topics is every code this target reports.
var topics = []diag.Topic{
	topicRelease, topicModel, topicFault, topicChip, topicTrust, topicNoPFC, topicNoECN, topicThresholds, topicDrops, topicECNGroups,
	topicLossless, topicCPU, topicCutThrough, topicWeights, topicBounce, topicPort, topicFile,
	topicMemoryWritten, topicMemoryPool, topicMemoryShared, topicMemorySmall, topicMemoryEgress, topicMemoryMarks, topicMemoryUnread,
	topicWriter, topicBeside,
}

var topicRelease = diag.Topic{
	Code:    "cumulus-release",
	Summary: "this release does not read the files rocec writes",
	Doc: `
Cumulus Linux spelled its lossless settings in several ways, in several files:

    2.5 - 3.1.0    traffic.conf with one lossless group for all ports
    3.1.1 - 3.4.x  traffic.conf; the switch believes one header field, PCP or DSCP
    3.5 - 4.3      traffic.conf; the switch may believe both
    4.4 - 5.3      qos_features.conf and qos_infra.conf
    5.4 and later  NVUE, or where the switch block says config = "files" the same files

rocec writes all but the first, and does not write NVUE (no-target). It needs the release before it
sees a switch, and compares it with /etc/os-release on the switch before it changes anything.

Example:

    switch "leaf" {
      version = "2.5.12" # one lossless group for all ports
    }

Fix: write the release the switch runs, as in VERSION_ID of /etc/os-release. A switch of
another release is set by hand (by_hand), or carries no RoCE and is left out.

    switch "leaf" {
      version = "4.3.0"
    }
`,
}

var topicModel = diag.Topic{
	Code:    "cumulus-model",
	Summary: "this release does not run on this model",
	Doc: `
Some models came with a release, and some went with one. A model and a release that never met are a
slip in one of the two, and what is derived from either is wrong: the cells and the memory of the
chip, the names of the ports, the spelling of the file, and whether a change restarts the switch.

    S5248F                                       from 3.7.0
    S5232F                                       from 3.7.2
    Z9264F, AS7816-64X, AS7726-32X, AS7326-56X   from 3.7.3
    SN3700C, SN3700 (200G from 4.2.1)            from 4.0
    SN3420, SN4600C                              from 4.2.0
    SN4700                                       from 4.2.1
    SN2201                                       from 5.2
    SN3750-SX                                    from 5.3
    SN5600                                       from 5.6 (and 5.4.0, a proof of concept)
    SN5400                                       from 5.10
    SN5600D                                      from 5.12.1
    SN5610                                       from 5.13.1
    SN5640                                       from 5.14
    SN6600                                       from 5.18
    S6000, Wedge 100                             up to 3.7
    every model with a Broadcom chip             up to 4.3
    Arista's models                              none
    SN2740, SN3800, SN4280, SN5610N              5.x: not known (a note)
    S5048F, Z9100, AS4610, AS5712, AS7312,       not 4.0
    AS7712, AG9032v1, SN2010, SN2100

Example:

    switch "spine" {
      model   = "s6000"
      version = "4.3.0"
    }

Fix: compare with the switch: decode-syseeprom tells the model, /etc/os-release the
release.

    switch "spine" {
      version = "3.7.16"
    }
`,
}

var topicFault = diag.Topic{
	Code:    "cumulus-known-fault",
	Summary: "this release has a fault that concerns lossless traffic",
	Doc: `
The vendor's release notes list faults that no configuration fixes:

    CM-28061  Trident3, 3.7.11, 3.7.12 and 4.0.0: PFC for one cos pauses every cos of the link
    CM-28150  Trident3, 4.0.0: traffic that passes is marked as congested by default
    CM-27801  SN3700C, 4.0.0: switchd does not start again with ports split into 2x50G
    CM-19724  3.5.2 to 3.7.12 and 4.0.0: PIM and MSDP are sent with cos 6
    CM-28156  Spectrum, 4.0.0: NCLU's storage-optimized pfc crashes (a note: rocec does not use it)

They stand in the notes of 4.0, which name no release in which one is gone, so a release that is
not in the list may be free of a fault or not. With CM-27957 (3.7.11, 3.7.12, 4.0.0) switchd of a
switch with many ports and VLANs may miss the watchdog of systemd after a restart: raise WatchdogSec
of switchd.service there before a change.

Example:

    switch "leaf" {
      model   = "as7726-32x" # Trident3
      version = "3.7.12"
    }

Fix: run another release there, as the message says, or leave out what the fault is
about.

    switch "leaf" {
      version = "3.7.10"
    }
`,
}

var topicChip = diag.Topic{
	Code:    "cumulus-chip",
	Summary: "the manual of this release does not list this chip",
	Doc: `
Each manual of Cumulus Linux lists the chips its lossless settings work on:

    Trident II, Trident II+, Tomahawk, Spectrum   from 3.1
    Helix4 (without PFC and ECN)                  from 3.4
    Trident3, Tomahawk2                           from 3.7
    Spectrum-2                                    from 4.0
    Spectrum-3                                    from 4.2
    Spectrum-4 and later                          from 5.0

Trident and Trident+ are in the manual of 2.5 only; Tomahawk+ counts as Tomahawk. A model and a
release that do not go together are usually a slip in one of the two. The settings are written all
the same.

Example:

    switch "spine" {
      model   = "sn3800" # Spectrum-2
      version = "3.7.16" # lists Spectrum only
    }

Fix: compare with the switch: decode-syseeprom tells the model, /etc/os-release the
release.

    switch "spine" {
      version = "4.3.0"
    }
`,
}

var topicTrust = diag.Topic{
	Code:    "cumulus-trust",
	Summary: "this release cannot believe PCP and DSCP on one switch",
	Doc: `
A switch sorts packets into classes by PCP (in the VLAN tag) or by DSCP (in the IP header). RoCEv1
has no IP header: only PCP tells it. RoCEv2 is told by DSCP when its cos group claims one.

Up to Cumulus Linux 3.4 the key traffic.packet_priority_source takes one word, 802.1p or dscp, for
the whole switch. A switch that carries both kinds would treat one of them as best effort: no PFC,
and lost packets under load. From 3.5 on the key takes a list, and both are believed; DSCP wins
where a packet has both. For ports where RoCEv2 told by PCP comes in and nothing told by DSCP, rocec
writes a port group that believes PCP alone (source.roce_trust). Some switches with 3.4 may accept
the list already; no manual says so, and rocec does not rely on it.

Example:

    switch "tor" {
      names   = "tor1"
      version = "3.4.3"
    }
    roce "nvme" {
      version = 1 # told by PCP
      members = ["store[1-4]:ens1f0"]
    }
    roce "training" {
      version   = 2 # told by DSCP
      cos_group = cos_group.rdma
      cnp       = cos_group.cnp
      members   = ["store[1-2]:ens2f0"]
    }
    cos_group "rdma" {
      cos      = 5
      dscp     = ["af31"]
      lossless = true
      ecn {}
    }
    cos_group "cnp" {
      cos    = 6
      dscp   = ["cs6"]
      strict = true
    }
    host "store" {
      nic "ens1f0" { model = "connectx-5" }
      nic "ens2f0" { model = "connectx-5" }
    }
    link "second" {
      a = "store[1-2]:ens2f0"
      b = "tor1:swp[11-12]"
    }

Fix: upgrade these switches to 3.5 or later; or let both be told by PCP, which means a
vlan for the RoCEv2 intent and no dscp in its cos group, and works inside one broadcast domain only,
because a router writes a new tag; or cable the intents to different switches.

    switch "tor" {
      version = "3.7.16"
    }
`,
}

var topicNoPFC = diag.Topic{
	Code:    "cumulus-no-pfc",
	Summary: "this switch chip has no PFC on Cumulus Linux",
	Doc: `
Lossless means that every hop can pause the one before it. A chip on which Cumulus Linux has no PFC
(Helix4) drops when it is full, so a fabric that passes it is not lossless, whatever the others do.

Example:

    switch "leaf" {
      model = "as4610-54t" # Helix4
    }
    link "gpus" {
      speed = "1G"
    }
    link "stores" {
      speed = "1G"
    }
    mesh "uplinks" {
      lower = "leaf[1-4]:swp[51-52]"
      speed = "10G"
    }

Fix: use such switches for other traffic only, or replace the model.
`,
}

var topicNoECN = diag.Topic{
	Code:    "cumulus-no-ecn",
	Summary: "this switch cannot mark congestion (ECN)",
	Doc: `
RoCEv2 senders slow down when a switch on the way marks their packets. Where a switch cannot mark,
they go on at full speed until PFC stops them, and the stop spreads backwards through the fabric.

Cumulus Linux marks on Trident II, II+, Tomahawk and Spectrum from 3.2 on (3.1: Spectrum only), on
Tomahawk2 and Trident3 from 3.7 on; never on Helix4.

Example:

    switch "leaf" {
      model   = "as7712-32x" # Tomahawk
      version = "3.1.1"
    }

Fix: use another model or release, or leave out the ecn block and live with PFC alone.

    switch "leaf" {
      version = "3.7.16"
    }
`,
}

var topicThresholds = diag.Topic{
	Code:    "cumulus-ecn-thresholds",
	Summary: "this release documents no keys for ECN thresholds",
	Doc: `
The manuals of Cumulus Linux 3.1 and 3.2 turn ECN on per port group, but show no keys for the queue
lengths where marking starts and where it is certain. rocec turns marking on and writes the
thresholds only if the traffic.conf on the switch shows their keys, in a comment or in use.
Otherwise the switch uses thresholds of its own, and min, max and probability of the ecn block have
no effect there.

Example:

    switch "leaf" {
      version = "3.2.1"
    }
    cos_group "rdma" {
      ecn {
        min = "150KiB"
      }
    }

Fix: from 3.3 on the keys are documented: upgrade, or accept the switch's own.

    switch "leaf" {
      version = "3.7.16"
    }
`,
}

var topicDrops = diag.Topic{
	Code:    "cumulus-ecn-drops",
	Summary: "marking on this chip also drops packets that cannot be marked",
	Doc: `
On Trident II the queue of a marked cos gets weighted random early drops with the same thresholds.
Packets that carry the ECN bits are marked; others in the same cos are dropped early, although the
group may be lossless. RoCEv1 never carries the bits, and congestion notifications of some NICs do
not.

Example:

    switch "leaf" {
      model   = "as6712-32x" # Trident II
      version = "3.7.16"
    }
    link "gpus" {
      speed = "40G"
    }
    link "stores" {
      speed = "40G"
    }
    cos_group "rdma" {
      ecn {}
    }

Fix: keep the cos of a RoCEv2 group for RoCEv2 data alone: another group for CNPs
(cnp = ...), another for RoCEv1. The warning stays where the chip does; nothing is lost then.
`,
}

var topicECNGroups = diag.Topic{
	Code:    "cumulus-ecn-groups",
	Summary: "two groups with different ECN thresholds share a port",
	Doc: `
In traffic.conf a port is in one ECN port group, and a port group has one min, one max and one
probability for all its cos. Two cos groups that pass the same port cannot be marked differently. So
it is in the qos_features.conf of 5.x. The manual of 4.4 has one set of them for all ports: there no
two ports of a switch can mark differently either, and marking holds for ports outside the fabric.

Example:

    cos_group "rdma" {
      ecn {
        min = "150KiB"
      }
    }
    cos_group "bulk" {
      cos  = 1
      dscp = ["cs1"]
      ecn {
        min = "300KiB"
      }
    }
    roce "backup" {
      version   = 2
      cos_group = cos_group.bulk
      cnp       = cos_group.cnp
      members   = [host.gpu, host.store]
    }

Fix: give both the same thresholds, or leave them out of both: then they are derived from
the port.

    cos_group "bulk" {
      ecn {
        min = "150KiB"
      }
    }
`,
}

var topicLossless = diag.Topic{
	Code:    "cumulus-lossless-groups",
	Summary: "a port carries several lossless groups",
	Doc: `
Each lossless group needs buffer at every port that carries it, and Spectrum keeps all lossless
groups of a port in one buffer. Two groups there are not isolated from each other: congestion in one
pauses both.

rocec gives such a port the sum of the buffers and pauses at the smallest xoff, so nothing is lost;
but what looks like two classes behaves like one. On Broadcom two are usual, more need a proof that
the memory suffices.

Example:

    cos_group "storage" {
      cos      = 5
      dscp     = ["af21"]
      lossless = true
      ecn {}
    }
    roce "nvme" {
      version   = 2
      cos_group = cos_group.storage
      cnp       = cos_group.cnp
      members   = [host.gpu, host.store] # members of training in cos_group "rdma", too
    }

Fix: one lossless group for all intents is simpler and no worse on Spectrum.

    cos_group "storage" {
      lossless = false
    }
    roce "nvme" {
      cos_group = cos_group.rdma
    }
`,
}

var topicCPU = diag.Topic{
	Code:    "cumulus-cos-3",
	Summary: "cos 3 is the switch CPU's on Broadcom",
	Doc: `
Every traffic.conf template of the vendor reserves cos 3 for traffic the switch's own CPU sends. The
vendor's RoCE presets use cos 3 on Spectrum all the same; for Broadcom no such preset exists. PCP 3
is what many NICs use for RoCE by default.

Example:

    cos_group "rdma" {
      cos = 3
    }
    switch "leaf" {
      model   = "as7712-32x" # Tomahawk
      version = "3.7.16"
    }

Fix: with rocec the number is yours to choose, and every NIC and switch gets the same:
take cos 4 or 5 where Broadcom switches carry the group.

    cos_group "rdma" {
      cos = 4
    }
`,
}

var topicCutThrough = diag.Topic{
	Code:    "cumulus-cut-through",
	Summary: "link pause and cut-through do not go together on Broadcom",
	Doc: `
A switch in cut-through mode sends a packet on before it has wholly come in. The manuals of Cumulus
Linux 3 say that on Broadcom this, together with link pause, gives overruns and underruns (the
counters TOVR and TUFL) and damaged packets. Cut-through is off there unless cut_through_enable =
true in traffic.conf, a key rocec leaves alone; from 3.7 on Broadcom switches have no cut-through.

Example:

    fabric "pod1" {
      flow_control = "pause"
    }
    switch "leaf" {
      model   = "as7712-32x" # Tomahawk
      version = "3.4.3"
    }

Fix: set cut_through_enable = false on these switches, or use flow_control = "pfc".

    fabric "pod1" {
      flow_control = "pfc"
    }
`,
}

var topicWeights = diag.Topic{
	Code:    "cumulus-weights",
	Summary: "groups of different weight share one priority group",
	Doc: `
traffic.conf up to 4.3 has three priority groups: control (strict), service and bulk. rocec puts
RoCE and lossless groups into service and the rest into bulk, each with the sum of their weights.
Inside a priority group the manuals promise no shares.

Example:

    cos_group "rdma" {
      weight = 40
    }
    cos_group "storage" {
      cos    = 5
      dscp   = ["af21"]
      weight = 20 # service gets 60; who gets what of it is the chip's choice
      ecn {}
    }
    roce "nvme" {
      version   = 2
      cos_group = cos_group.storage
      cnp       = cos_group.cnp
      members   = [host.store]
    }

Fix: give them equal weights to write down what you can count on. The hosts follow the
weights exactly.

    cos_group "rdma" {
      weight = 20
    }
`,
}

var topicBounce = diag.Topic{
	Code:    "cumulus-bounce",
	Summary: "the switch does not move bounced traffic by itself",
	Doc: `
bounce = cos_group.x sends traffic that turns up again after coming down into another lossless
group, so that a detour round failed links cannot close a circle of paused buffers. For that the
switch must look at the port the traffic came in by and the port it leaves by, and change the class
only where both lead up. traffic.conf maps classes by what the packet says and by the port it comes
in by; it knows nothing of the way out. rocec writes no ACL rules.

Example:

    fabric "pod1" {
      routing = "shortest-path"
    }
    cos_group "rdma" {
      lossless = true
      bounce   = cos_group.detour # proven under the assumption that the leaves do it
    }
    cos_group "detour" {
      cos      = 5
      dscp     = ["af21"]
      lossless = true
      ecn {}
    }

Fix: the proof takes the bounce as given: you vouch for it, as for the routing. Add rules
on every switch named (for each pair of uplinks: in by one, out by another, set the class and the
DSCP of the other group), and see with counters of the other priority that they work. Or leave
bounce away and use routing = "up-down", which needs nothing but routing that never goes up again.
`,
}

var topicPort = diag.Topic{
	Code:    "cumulus-port",
	Summary: "traffic.conf cannot name this port",
	Doc: `
Port sets in traffic.conf name front-panel ports: swp1 to swpN, and swpNs0 to swpNs3 (s7 on
eight-lane ports) where a port is split. Bonds, bridges, VLAN interfaces and eth0 cannot be named.

Example: a line that would set nothing, or keep the file from being read.

    pfc.roce.port_set = bond1,eth0

Fix: name the members of the bond, one link for each cable.
`,
}

var topicFile = diag.Topic{
	Code:    "cumulus-file",
	Summary: "the traffic.conf on the switch cannot be edited safely",
	Doc: `
rocec edits the traffic.conf it finds: its own settings are set, every other line is kept byte for
byte. It refuses a file where that could do harm: one with NUL bytes or with carriage returns inside
lines, one larger than 1 MiB, one where a list rocec has to replace is not closed on its line. Lines
that are no settings are kept, even if switchd may complain about them.

Example: in /etc/cumulus/datapath/traffic.conf on the switch

    pfc.port_group_list = [roce,
                           storage]

Fix: correct the file, or move it away on the switch; rocec then writes a whole new one, in
which the settings of others (hash seeds, sFlow rates, ...) are missing and so at the release's
defaults.
`,
}
