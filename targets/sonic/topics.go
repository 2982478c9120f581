package sonic

import "github.com/rocec/rocec/lang/diag"

// Topics is every code this package reports.
var Topics = []diag.Topic{
	topicRelease, topicModel, topicLookup, topicMemory, topicImage, topicPause, topicTrust, topicGroup, topicSizes, topicMarks,
	topicBounce, topicConfig, topicChips, topicPort, topicAdmin, topicPool, topicCable, topicPatch,
}

var topicImage = diag.Topic{
	Code:    "sonic-image",
	Summary: "the switch runs a release that is not known",
	Doc: `
What a patch may change is decided by the image that the switch runs, and by its date; rocec reads
both from build_version in /etc/sonic/sonic_version.yml. An image of a branch that it does not know,
such as one that was built from master, may take other patches, or none.

Example:

    $ grep build_version /etc/sonic/sonic_version.yml
    build_version: 'SONiC.master.1047812-4a4a6ac3c'

Fix: install an image of a branch that rocec knows, and say which in the fabric.

    switch "leaf" {
      os      = "sonic"
      version = "202505"
    }
`,
}

var topicPause = diag.Topic{
	Code:    "sonic-pause",
	Summary: "SONiC has no table for link pause",
	Doc: `
A cable can be lossless by PFC, which pauses priorities, or by link pause, which pauses all. The
tables of SONiC that rocec knows turn on PFC alone.

Example:

    switch "leaf" {
      os      = "sonic"
      version = "202505"
    }
    link "storage" {
      a            = "node[01-32]:ens1f0"
      b            = "leaf[1-4]:Ethernet[0,4,8,12,16,20,24,28]"
      flow_control = "pause"
    }

Fix: use PFC, which is what a link means that says nothing.

    link "storage" {
      a            = "node[01-32]:ens1f0"
      b            = "leaf[1-4]:Ethernet[0,4,8,12,16,20,24,28]"
      flow_control = "pfc"
    }
`,
}

var topicTrust = diag.Topic{
	Code:    "sonic-trust",
	Summary: "a port would have to go by DSCP and by PCP",
	Doc: `
A port of SONiC has a map from DSCP to classes, or one from PCP. Both can be bound, and no document
says which of them counts then. RoCEv1 has no DSCP, so where it comes in by the same port as
RoCEv2 that is told by DSCP, one of the two is in the wrong class.

Example: leaves that are bridged, so that both kinds come by their uplinks.

    fabric "sonic" {
      routing = "spanning-tree"
    }
    switch "leaf" {
      os      = "sonic"
      version = "202505"
    }
    roce "nvme" {
      version = 1 # no cnp
      vlan    = 100
    }
    roce "collectives" {
      version = 2
    }

Fix: tell all of it by DSCP, or keep it on switches of its own.

    roce "nvme" {
      version = 2
      cnp     = cos_group.cnp
    }
`,
}

var topicGroup = diag.Topic{
	Code:    "sonic-cos",
	Summary: "a lossless group has the priority group of lossy traffic",
	Doc: `
Every class of SONiC counts in a priority group of the port. All that is lossy is in group 0, which
the template of the switch gives a buffer; no other group has one for lossy traffic. A lossless
cos 0 would share it, and pause what nobody asked to be lossless.

Example:

    switch "leaf" {
      os      = "sonic"
      version = "202505"
    }
    cos_group "storage" {
      cos      = 0
      lossless = true
    }
    cos_group "default" {
      cos = 1
    }

Fix: give the group another cos. 3 and 4 are those of the templates.

    cos_group "storage" {
      cos      = 3
      lossless = true
    }
`,
}

var topicSizes = diag.Topic{
	Code:    "sonic-sizes",
	Summary: "stated sizes of buffers are not written on SONiC",
	Doc: `
What a port keeps back for a lossless group comes from pg_profile_lookup.ini of the switch, by its
speed and the length of its cable, or is computed there. A profile with other sizes would be
replaced at the next event of the port, so rocec writes none; verify reads what the switch keeps.

Example:

    switch "leaf" {
      os      = "sonic"
      version = "202505"
    }
    cos_group "storage" {
      lossless = true
      pfc {
        buffer = "200000B"
      }
    }

Fix: leave the sizes out, and state the length of cables.

    cos_group "storage" {
      lossless = true # no pfc
    }
    link "storage" {
      a      = "node[01-32]:ens1f0"
      b      = "leaf[1-4]:Ethernet[0,4,8,12,16,20,24,28]"
      length = "5m"
    }
`,
}

var topicMarks = diag.Topic{
	Code:    "sonic-marking",
	Summary: "this release lets no patch make the profiles of marking",
	Doc: `
Up to 202411 a patch changes the thresholds of the profile AZURE_LOSSLESS and of no other; 202505
changes those of any profile that is there. No patch makes one before 202511. So all queues of such
a switch mark alike, by a profile that marks already.

Example:

    switch "leaf" {
      os      = "sonic"
      version = "202405"
    }
    cos_group "storage" {
      ecn {
        min = "150KiB"
        max = "1500KiB"
      }
    }
    cos_group "training" {
      ecn {
        min = "300KiB"
        max = "3000KiB"
      }
    }

Fix: state the thresholds of every group alike, or use an image of 202511 or later.

    switch "leaf" {
      os      = "sonic"
      version = "202511"
    }
`,
}

var topicBounce = diag.Topic{
	Code:    "sonic-bounce",
	Summary: "traffic that comes down and goes up again is not moved by rocec",
	Doc: `
A cos group with bounce is free of PFC loops because traffic that turns up again changes its
group. rocec writes no rule that does so in SONiC.

Example:

    switch "leaf" {
      os      = "sonic"
      version = "202505"
    }
    fabric "sonic" {
      routing = "shortest-path"
    }
    cos_group "storage" {
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

var topicConfig = diag.Topic{
	Code:    "sonic-config",
	Summary: "the configuration of a switch cannot be edited",
	Doc: `
rocec reads the running configuration before it changes something. A text in which a key stands
twice, that is deeper than tables, rows and fields, or larger than 64 MiB, is none that
sonic-cfggen prints, and nothing is built on it.

Example:

    {
      "PORT_QOS_MAP": {
        "Ethernet0": {"pfc_enable": "3", "pfc_enable": "3,4"}
      }
    }

Fix: see what the switch prints.

    $ sonic-cfggen -d --print-data
`,
}

var topicChips = diag.Topic{
	Code:    "sonic-chips",
	Summary: "the switch has several chips, each with a configuration of its own",
	Doc: `
A chassis, and some fixed switches, are several switches in one: each chip has its own CONFIG_DB,
and paths of a patch begin with its name. rocec writes switches of one chip.

Example:

    {
      "asic0": {"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}}}
    }

Fix: set the switch by hand, and say so.

    switch "leaf" {
      by_hand {}
    }
`,
}

var topicPort = diag.Topic{
	Code:    "sonic-port",
	Summary: "the switch has no such port",
	Doc: `
A port of SONiC is named by the first of its lanes. Which ports there are depends on the hwsku and
on how ports are split; the table PORT lists them, with the names of the front panel as alias.

Example:

    {
      "PORT": {
        "Ethernet0": {"lanes": "0,1,2,3", "alias": "etp1", "speed": "100000"},
        "Ethernet4": {"lanes": "4,5,6,7", "alias": "etp2", "speed": "100000"}
      }
    }

Fix: cable the port that is there, or split it on the switch before rocec sets it.

    $ sudo config interface breakout Ethernet0 '2x50G'
`,
}

var topicAdmin = diag.Topic{
	Code:    "sonic-admin-status",
	Summary: "a lossless port says no admin_status",
	Doc: `
The buffer manager makes the lossless priority group of a port when it knows speed, length of
cable, PFC, and whether the port is up. After a breakout the new ports often have no admin_status
in PORT, and up to 202505 it waits for one forever: the port sends no pauses and drops. From 202511
on it takes such a port for down.

Example:

    {
      "PORT": {"Ethernet2": {"lanes": "2,3", "speed": "50000"}}
    }

Fix: say whether the port is up.

    $ sudo config interface startup Ethernet2
`,
}

var topicPool = diag.Topic{
	Code:    "sonic-pool",
	Summary: "the switch has no pool for lossless traffic",
	Doc: `
Profiles of lossless priority groups belong to the pool ingress_lossless_pool, whose size the
template of the hwsku knows. A switch that was installed without QoS has no pools, and its buffer
manager then makes no lossless priority group. Pools are not made while traffic runs, and rocec
does not write them.

Example:

    {
      "DEVICE_METADATA": {"localhost": {"buffer_model": "traditional"}},
      "PORT": {"Ethernet0": {"speed": "100000", "admin_status": "up"}}
    }

Fix: have the switch boot with the buffers of its template, which it prints without
changing anything.

    $ sudo config qos reload --dry_run /tmp/qos.json
`,
}

var topicCable = diag.Topic{
	Code:    "sonic-cable",
	Summary: "the switch has no sizes for a speed and a length of cable",
	Doc: `
In the traditional buffer model the sizes of a lossless priority group stand in
pg_profile_lookup.ini of the hwsku, a row for each speed and length; lengths are 5, 40 and 300 m on
most switches. For a pair that is not there the buffer manager logs an error and makes no group:
the port is lossy, though everything else says otherwise. rocec rounds the length of a cable up to
one that is there, and refuses a cable that none reaches.

Example:

    link "far" {
      a      = "node[01-04]:ens1f0"
      b      = "leaf1:Ethernet[0,4,8,12]"
      length = "450m"
    }

Fix: use a shorter cable, or add the row, with sizes of the vendor, on the switch.

    $ cat /usr/share/sonic/device/PLATFORM/HWSKU/pg_profile_lookup.ini
`,
}

var topicPatch = diag.Topic{
	Code:    "sonic-patch",
	Summary: "the switch does not take a change by a patch",
	Doc: `
config apply-patch holds every patch to an allow-list: which fields of which tables may be added,
replaced or removed, by chip and by the date of the image. It knows a switch by its hwsku; of one
that it does not know, it refuses every table on the list. The list differs from branch to branch.
rocec asks it before anything is tried, and uses the commands that write the tables themselves where
there are some: pfcwd for PFC_WD, ecnconfig for thresholds of marking.

Example:

    [
      {"op": "add", "path": "/WRED_PROFILE/ROCEC", "value": {"ecn": "ecn_all"}}
    ]

Fix: what the message says; often an image of 202511 or later.

    $ show version
`,
}
