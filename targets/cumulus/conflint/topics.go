package conflint

import (
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nvue/lint"
)

// Topics is every code this package reports, with those of NVUE's trees.
var Topics = append([]diag.Topic{
	topicUnreadable, topicSyntax, topicDialect, topicMixed, topicForeign, topicUnknown,
	topicDuplicate, topicValue, topicUnlisted, topicUndefined, topicIncomplete, topicPort,
	topicPortTwice, topicPFCAndPause, topicPriorityGroup, topicCosTwice, topicCosMissing, topicValueTwice,
	topicUnmapped, topicUnreachable, topicMoved, topicUnmarked, topicHalf, topicSizes,
	topicHeadroom, topicMemory, topicCos3, topicStrict, topicShared, topicMany,
	topicThresholds, topicRED, topicBandwidth, topicWeights, topicPools, topicShaper, topicRemark,
	topicCutThrough, topicWatchdog, topicNotifications, topicTrusts, topicSchedulers, topicAbove, topicNVUE, topicEgress,
}, lint.Topics...)

var topicUnreadable = diag.Topic{
	Code:    "conf-unreadable",
	Summary: "the file cannot be read as settings",
	Doc: `
A file with NUL bytes, bytes that are no UTF-8, or lines that end in a carriage return alone was
cut off, compressed, or saved by another system's editor. switchd may stop at the first such byte
and run with what came before it.

Example: a copy made by a terminal that turned every newline into a carriage return.

    $ file traffic.conf
    traffic.conf: ASCII text, with CR line terminators

Fix: copy the file again, byte for byte (scp), or save it as plain UTF-8 with newlines.
Files of more than 1 MiB are not read; those of the factory have about 10 KiB.
`,
}

var topicSyntax = diag.Topic{
	Code:    "conf-syntax",
	Summary: "a line that sets nothing",
	Doc: `Every line is empty, a comment that begins with #, or key = value. The manuals do not say what
switchd does with another line: skip it, or refuse the whole file and leave the ports down.

Example:

    link pause
    pfc.port_group_list = [roce]

Fix: put a # in front of what is a comment, and complete what is a setting.`,
}

var topicDialect = diag.Topic{
	Code:    Foreign,
	Summary: "not a file of any known release",
	Doc: `
Cumulus Linux spelled these settings in several ways. rocec recognises a file by the keys it sets,
not by its name. A file that sets none of them is the wrong file, or an empty one; a switch with
such a file runs on defaults: PFC off, and PCP 3 in cos 4 up to 4.3. Beside a qos_features.conf a
traffic.conf may hold other things alone: from 4.4 on the classes are not in it.

Example:

    # pfc.port_group_list = [roce]
    # pfc.roce.cos_list = [4]

Fix: compare with the file on the switch; rocec build writes a whole one.
`,
}

var topicMixed = diag.Topic{
	Code:    "conf-mixed-dialects",
	Summary: "keys of releases that do not go together",
	Doc: `
A file put together from two releases is half in force: the switch ignores what it does not know,
and a packet whose line is ignored gets the cos of the default map.

    2.5 - 3.4    traffic.packet_priority_source       traffic.cos_N.packet_priorities
    3.4 (seen)   traffic.packet_priority_source_set   traffic.cos_N.packet_priorities.8021p
    3.5 - 4.3    traffic.packet_priority_source_set   traffic.cos_N.priority_source.8021p
    4.4, 5.x     as 3.5, in qos_features.conf, with default_ecn_conf or default_ecn_red_conf

Example:

    traffic.packet_priority_source = dscp
    traffic.cos_4.priority_source.dscp = [26]

Fix: find the release (VERSION_ID in /etc/os-release) and rewrite the other lines.
Nothing else in the file is judged until then.
`,
}

var topicForeign = diag.Topic{
	Code:    "conf-foreign-key",
	Summary: "a key of another release",
	Doc: `The file is of one release, this key of another, often because a block was copied from a newer
manual. The switch ignores it at best. Where manuals and files in use disagree it is a warning:
ecn.* after 3.7, ecn_red.* before, cable_length before 4.3.

Example: in a file of 3.4, which has no automatic headroom,

    traffic.packet_priority_source = 802.1p
    pfc.roce.cable_length = 40

Fix: use the key of the release the switch runs, or remove the line.`,
}

var topicUnknown = diag.Topic{
	Code:    "conf-unknown-key",
	Summary: "a key no release has",
	Doc: `
A key with a slip in it sets nothing, and nothing tells: the setting stays at its default. Numbers
of cos, queues and pools go from 0 to 7.

Example:

    pfc.roce.xof_size = 18000

Fix: correct the key: pfc.roce.xoff_size. Keys of features that have nothing to do with
RoCE (hash seeds, sFlow, table sizes) are not looked at.
`,
}

var topicDuplicate = diag.Topic{
	Code:    "conf-duplicate-key",
	Summary: "a key is set twice",
	Doc: `
No manual says whether the first or the last line counts, so the switch may run with the value you
did not look at. rocec judges the last, and edits that one.

Example:

    pfc.roce.xoff_size = 18000
    pfc.roce.xoff_size = 48000

Fix: remove one of the lines.

    pfc.roce.xoff_size = 18000
`,
}

var topicValue = diag.Topic{
	Code:    "conf-value",
	Summary: "a value the key cannot have",
	Doc: `
Sizes are whole numbers of bytes, cos and PCP 0 to 7, DSCP 0 to 63, weights 0 to 127, percentages
0 to 100, lists stand in brackets. A field is spelled 802.1p as a value, and 8021p inside a key.
Up to 3.4 the numbers of traffic.cos_N.packet_priorities are PCPs or DSCPs as
packet_priority_source says.

Example:

    traffic.packet_priority_source = 802.1p
    traffic.cos_4.packet_priorities = [26]

Fix: write a value of the kind the text names. Ranges such as [0-7] are in one sample
of 5.x only: write each value.

    traffic.cos_4.packet_priorities = [4]
`,
}

var topicUnlisted = diag.Topic{
	Code:    Unlisted,
	Summary: "a port group that is not in force",
	Doc: `
A port group counts when the feature's port_group_list names it; its other keys are inert without.
That is how a switch comes to have every key of PFC and no PFC.

Example:

    # pfc.port_group_list = [roce]      (still a comment)
    pfc.roce.cos_list = [4]

Fix: name the group in the list, or remove its keys. With an empty list, which turns
the feature off in so many words, this is only a note.

    pfc.port_group_list = [roce]
`,
}

var topicUndefined = diag.Topic{
	Code:    "conf-group-undefined",
	Summary: "a listed port group is not defined",
	Doc: `
The list names a group no key describes, mostly because one of the two was renamed. The feature is
then off on every port it was meant for.

Example:

    pfc.port_group_list = [ROCE_PFC]
    pfc.roce.cos_list = [4]

Fix: use one name in both places.

    pfc.port_group_list = [roce]
`,
}

var topicIncomplete = diag.Topic{
	Code:    "conf-group-incomplete",
	Summary: "a port group lacks a key",
	Doc: `
A group applies to the ports of its port_set, and PFC to the cos of its cos_list. Up to 3.7 the
manuals also require the three sizes of a PFC group: their defaults leave 15,000 bytes of
headroom. From 4.3 on sizes that are absent are derived from the port, which is better than any
number.

Example:

    pfc.port_group_list = [roce]
    pfc.roce.cos_list = [4]
    # pfc.roce.port_set

Fix: add what the message names.

    pfc.roce.port_set = swp1-swp32
`,
}

var topicPort = diag.Topic{
	Code:    "conf-port",
	Summary: "a port set with a mistake in it",
	Doc: `
A port set is swp1-swp4,swp6: front-panel ports, both ends of a range in full, no brackets. swp6s0
to swp6s3 are the parts of a split port. Bonds and bridges have no buffers and cannot be named.
allports is a word from 4.4 on.

Example:

    pfc.roce.port_set = swp1-4,bond0

Fix: both ends of a range in full, and the members of the bond.

    pfc.roce.port_set = swp1-swp4,swp7-swp8
`,
}

var topicPortTwice = diag.Topic{
	Code:    "conf-port-twice",
	Summary: "a port in two groups of one feature",
	Doc: `
A port has one set of values for a feature. The manuals do not say which group counts when two
name it, so its buffers, its thresholds or its map are those of the group you did not think of.

Example:

    pfc.port_group_list = [roce, uplinks]
    pfc.roce.port_set = swp1-swp16
    pfc.uplinks.cos_list = [4]
    pfc.uplinks.port_set = swp16,swp31-swp32

Fix: take the port out of one of them.

    pfc.uplinks.port_set = swp31-swp32
`,
}

var topicPFCAndPause = diag.Topic{
	Code:    "conf-pfc-and-pause",
	Summary: "PFC and link pause on one port",
	Doc: `
Link pause (IEEE 802.3x) stops everything on a link, PFC (802.1Qbb) one class of it. With both, a
pause of the link also stops the classes PFC keeps going, and the standard allows one of them
only.

Example:

    pfc.roce.port_set = swp1-swp32
    link_pause.port_group_list = [old]
    link_pause.old.port_set = swp1
    link_pause.old.port_buffer_bytes = 70000
    link_pause.old.xoff_size = 18000
    link_pause.old.xon_delta = 0
    link_pause.old.tx_enable = true
    link_pause.old.rx_enable = true

Fix: take the ports out of the link_pause group, or switch it off.

    link_pause.port_group_list = []
`,
}

var topicPriorityGroup = diag.Topic{
	Code:    "conf-priority-group",
	Summary: "priority groups and their list disagree",
	Doc: `
traffic.priority_group_list names the groups; each has its list of cos. Up to 4.3 they are
control, service and bulk, from 4.4 on control, bulk and service1 to service6. A cos of a group
that is not listed has no place in the scheduler.

Example:

    traffic.priority_group_list = [control, bulk]
    priority_group.service.cos_list = [4]

Fix: list the groups that have cos, and give cos to those that are listed.

    traffic.priority_group_list = [control, service, bulk]
`,
}

var topicCosTwice = diag.Topic{
	Code:    "conf-cos-twice",
	Summary: "a cos in two priority groups",
	Doc: `
Each cos has one queue, and a queue is in one priority group. With two, the weight it gets is that
of either.

Example:

    priority_group.service.cos_list = [4]
    priority_group.bulk.cos_list = [0,1,2,3,4,5]

Fix: take the cos out of one of the lists.

    priority_group.bulk.cos_list = [0,1,2,3,5]
`,
}

var topicCosMissing = diag.Topic{
	Code:    "conf-cos-missing",
	Summary: "a cos in no priority group",
	Doc: `
Every template says that each cos belongs to one priority group. A cos in none has no weight.

Example: 3 was taken out of bulk, and put into no other group.

    traffic.priority_group_list = [control, service, bulk]
    priority_group.control.cos_list = [6,7]
    priority_group.service.cos_list = [4]
    priority_group.bulk.cos_list = [0,1,2,5]

Fix: put it into one.

    priority_group.bulk.cos_list = [0,1,2,3,5]
`,
}
