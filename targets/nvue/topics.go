package nvue

import "github.com/rocec/rocec/lang/diag"

// Topics is every code this package reports.
var Topics = []diag.Topic{
	topicRelease, topicNewer, topicChip, topicLossless, topicXon, topicBonded, topicBounce, topicTree, topicPreset, topicBond,
	topicPools, topicBeside,
}

var topicRelease = diag.Topic{
	Code:    "nvue-release",
	Summary: "this release has no tree of NVUE that rocec writes",
	Doc: `
NVUE came with Cumulus Linux 5.0 and knew the preset "qos roce" alone. Profiles of PFC came with
5.3, those of scheduling, marking and link pause with 5.4, and rocec writes from there on. What a
release of 6.x has is not known. Up to 5.3 the same is set in files.

Example:

    switch "leaf" {
      version = "6.0.0"
    }

Fix: write the release the switch runs, as in VERSION_ID of /etc/os-release.

    switch "leaf" {
      version = "5.9.0"
    }
`,
}

var topicNewer = diag.Topic{
	Code:    "nvue-newer",
	Summary: "this release is newer than what rocec knows of NVUE",
	Doc: `
Paths of the tree were renamed more than once: "qos roce enable" became "state" in 5.15, the pools
of advance-buffer-config got other names in 5.11. Of a release whose reference rocec does not
know, the paths are taken to be those of the newest known one. The switch refuses a path it does
not have, before anything is applied.

Example:

    switch "leaf" {
      version = "5.99.0"
    }

Fix: use a newer rocec, or a release that it knows.

    switch "leaf" {
      version = "5.17.0"
    }
`,
}

var topicChip = diag.Topic{
	Code:    "nvue-chip",
	Summary: "Cumulus Linux 5.x does not run on this chip",
	Doc: `
From 4.4 on, Cumulus Linux runs on Spectrum alone. A model with another chip and a release of 5.x
never met, so one of the two is a slip, and what is derived from it is wrong: cells, memory, names
of ports.

Example:

    switch "leaf" {
      model   = "z9100"
      version = "5.9.0"
    }

Fix: compare with decode-syseeprom and /etc/os-release on the switch.

    switch "leaf" {
      model = "sn2700"
    }
`,
}

var topicLossless = diag.Topic{
	Code:    "nvue-lossless-groups",
	Summary: "lossless groups of a port share one buffer",
	Doc: `
All lossless priorities of a port count in one priority group on Spectrum, up to Cumulus Linux
5.16 and in the reference of later ones. When one of them is congested, the others are paused,
too.

Example:

    switch "leaf" {
      version = "5.9.0"
    }
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
      members   = [host.gpu, host.store]
    }

Fix: put the intents into one lossless group, or leave only one of them lossless.

    cos_group "storage" {
      lossless = false
    }
`,
}

var topicXon = diag.Topic{
	Code:    "nvue-xon",
	Summary: "what xon-threshold counts is not sure on this release",
	Doc: `
The manual of Cumulus Linux 5.17 has xon-threshold as bytes below xoff-threshold, as xon_delta is.
A manual of an older 5.x translates it as if it counted from 0. rocec writes the difference. Where
a switch takes it for the threshold itself, pauses end later than meant, and the link idles. A
difference of 0 is refused: NVUE takes sizes from 1 B on.

Example:

    switch "leaf" {
      version = "5.9.0"
    }
    cos_group "rdma" {
      pfc {
        xon_delta = "2016B"
      }
    }

Fix: leave the sizes to the switch, which derives them from the length of the cable, or
compare what the switch shows with what was meant.

    $ nv show interface swp1 qos buffer ingress-priority-group
`,
}

var topicBonded = diag.Topic{
	Code:    "nvue-bond-name",
	Summary: "the name of a bond is read from the switch",
	Doc: `
NVUE takes settings of QoS for a bond, and refuses them for its members, but for the watchdog. The
fabric says which cables are of one bond, also opposite the bond of a host that balances, and not
what the switch calls it. Plan and apply read that from the tree of the switch. What is built
without a switch names the ports, and NVUE refuses that where the bond is.

Example:

    switch "leaf" {
      version = "5.9.0"
    }
    link "peerlink" {
      a    = "leaf1:swp[29-30]"
      b    = "leaf2:swp[29-30]"
      bond = true
    }

Fix: nothing, where plan and apply are used. For an image, replace the ports by the
bond in what was built.

    $ rocec plan
`,
}

var topicBounce = diag.Topic{
	Code:    "nvue-bounce",
	Summary: "traffic that comes down and goes up again is not moved by rocec",
	Doc: `
A cos group with bounce is free of PFC loops because traffic that turns up again changes its
group. rocec writes no rule that does so in NVUE.

Example:

    switch "leaf" {
      version = "5.9.0"
    }
    fabric "pod1" {
      routing = "shortest-path"
    }
    cos_group "rdma" {
      lossless = true
      bounce   = cos_group.detour
    }
    cos_group "detour" {
      cos      = 5
      dscp     = ["af21"]
      lossless = true
      ecn {}
    }

Fix: write the rules on the switch, and keep them there; or leave bounce out, and see
what the proof says.

    $ rocec explain pfc-loop
`,
}

var topicTree = diag.Topic{
	Code:    "nvue-tree",
	Summary: "the tree of a switch cannot be edited",
	Doc: `
rocec reads the applied configuration before it changes something. A text with keys that stand
twice, with anchors, aliases or merge keys, larger than 8 MiB, or with a value where NVUE has a
mapping is none that NVUE prints, and nothing is built on it.

Example:

    - set:
        qos:
          pfc: on
          pfc: off

Fix: see what the switch prints.

    $ nv config show -o yaml
`,
}

var topicPreset = diag.Topic{
	Code:    "nvue-preset",
	Summary: "the switch has the vendor's RoCE preset, and the fabric does not fit it",
	Doc: `
"nv set qos roce" makes priority 3 lossless for cables of up to 100 m, serves priority 6 strictly,
and puts all others into one class. A fabric that says the same is left with the preset. One that
does not would be configured twice: explicit settings go before those of the preset, and no manual
says whether a set of priorities is replaced or joined.

Example:

    - set:
        qos:
          roce:
            mode: lossless
          pfc:
            default-global:
              switch-priority:
                '4': {}

Fix: have the fabric say what the preset sets, or have rocec replace the preset.

    switch "leaf" {
      preset = "replace"
    }
`,
}

var topicBond = diag.Topic{
	Code:    "nvue-bond",
	Summary: "the fabric wants different settings of the members of one bond",
	Doc: `
NVUE takes settings of QoS for a bond as a whole. Members whose cables are lossless for other
priorities, or are marked by other thresholds, cannot be in one bond.

Example:

    - set:
        interface:
          bond1:
            bond:
              member:
                swp1: {}
                swp2: {}

Fix: describe the cables of the bond alike, or take the port out of the bond.

    $ nv unset interface bond1 bond member swp2
`,
}

var topicPools = diag.Topic{
	Code:    "nvue-pools",
	Summary: "other pools leave no room for the lossless one",
	Doc: `
Before a priority can be lossless, the memory of the chip is split: half of it for
default-lossless, half for default-lossy, as the manual says. A further pool with a share of its
own would bring the sum above 100 %, and NVUE refuses it.

Example:

    - set:
        qos:
          traffic-pool:
            mc-lossy:
              memory-percent: 20

Fix: take the share of the other pool away.

    $ nv unset qos traffic-pool mc-lossy memory-percent
`,
}

var topicBeside = diag.Topic{
	Code:    "nvue-beside",
	Summary: "settings of others take from lossless traffic what the fabric gives it",
	Doc: `
Marking of default-global, and shares of buffers (advance-buffer-config), are the factory's or
somebody's, and no setting of rocec's. Where they have a switch drop lossless traffic, or pause it
without need, all that rocec writes is of no use: a port whose cos group has no ecn block has the
early drops of default-global, and queues that are limited drop what PFC has saved.

Example:

    $ nv set qos congestion-control default-global traffic-class 3 red enable

Fix: take it back.

    $ nv unset qos congestion-control default-global traffic-class 3 red
`,
}
