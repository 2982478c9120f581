package lint

import "github.com/rocec/rocec/lang/diag"

// Topics is every code this package reports.
var Topics = []diag.Topic{
	topicTree, topicPath, topicValue, topicWord, topicProfile, topicMember, topicPause, topicPool, topicCable, topicMap, topicECN, topicShares,
	topicPreset,
}

var topicTree = diag.Topic{
	Code:    "conf-nvue-tree",
	Summary: "a configuration of NVUE cannot be read",
	Doc: `
A tree in which a key stands twice, or that is written with anchors, aliases or merge keys, says
different things to different readers. NVUE writes none of these, and refuses what is no YAML.

Example:

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          roce: {}
          roce:
            mode: lossy

Fix: leave one of the two.

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          roce:
            mode: lossy
`,
}

var topicPath = diag.Topic{
	Code:    "conf-nvue-path",
	Summary: "the release has no such path of NVUE",
	Doc: `
Paths were added and renamed between releases: "qos roce enable" is "state" from 5.15 on, the
pools of advance-buffer-config got other names in 5.11, the watchdog came with 5.6. A startup.yaml
of another release, or with a slip, is refused as a whole, and the switch comes up without it.
rocec knows what stands below qos.

Example:

    - header:
        version: Cumulus Linux 5.15.0
    - set:
        qos:
          roce:
            enable: 'on'

Fix: write the path of the release.

    - header:
        version: Cumulus Linux 5.15.0
    - set:
        qos:
          roce:
            state: enabled
`,
}

var topicValue = diag.Topic{
	Code:    "conf-nvue-value",
	Summary: "NVUE does not take this value",
	Doc: `
NVUE holds every value to a type, and refuses a configuration with one that does not fit.

Example:

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          mapping:
            default-global:
              trust: dscp

Fix: write one of the values the text names.

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          mapping:
            default-global:
              trust: l3
`,
}

var topicWord = diag.Topic{
	Code:    "conf-nvue-word",
	Summary: "YAML 1.1 does not read a word without quotes as text",
	Doc: `
To readers of YAML 1.1, on, off, yes and no without quotes are true and false, and a key of digits
is a number. NVUE writes all of these in quotes, since its own values are text.

Example:

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          roce:
            enable: on

Fix: put the word in quotes.

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          roce:
            enable: 'on'
`,
}

var topicProfile = diag.Topic{
	Code:    "conf-nvue-profile",
	Summary: "a port has a profile that is not declared",
	Doc: `
An interface names the profile it has in each table; the table declares it. Where the names differ
by a letter, NVUE refuses the configuration, and nothing of it is in force.

Example:

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        interface:
          swp1:
            qos:
              pfc:
                profile: roce

Fix: declare the profile, or name one that is declared.

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        interface:
          swp1:
            qos:
              pfc:
                profile: default-global
`,
}

var topicMember = diag.Topic{
	Code:    "conf-nvue-member",
	Summary: "settings of QoS stand at an interface that cannot have them",
	Doc: `
NVUE takes settings of QoS for a bond, and refuses them for its members. The watchdog of PFC is
the other way round: it is set for front-panel ports alone.

Example:

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        interface:
          bond1:
            bond:
              member:
                swp1: {}
          swp1:
            qos:
              mapping:
                profile: default-global

Fix: move them to the bond.

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        interface:
          bond1:
            bond:
              member:
                swp1: {}
            qos:
              mapping:
                profile: default-global
`,
}

var topicPause = diag.Topic{
	Code:    "conf-nvue-pause",
	Summary: "pauses go one way, or are of two kinds",
	Doc: `
A port pauses its peer and obeys it, by PFC or by link pause. With tx off it drops what arrives
beyond its buffer; with rx off it sends into the full buffer of its peer; with PFC and link pause
on one port, the peer obeys one of them.

Example:

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          pfc:
            default-global:
              cable-length: 10
              switch-priority:
                '3': {}
              tx: disable
          traffic-pool:
            default-lossless:
              memory-percent: 50
            default-lossy:
              memory-percent: 50

Fix: turn both on.

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          pfc:
            default-global:
              cable-length: 10
              switch-priority:
                '3': {}
              tx: enable
          traffic-pool:
            default-lossless:
              memory-percent: 50
            default-lossy:
              memory-percent: 50
`,
}

var topicPool = diag.Topic{
	Code:    "conf-nvue-pool",
	Summary: "lossless traffic has no memory of its own",
	Doc: `
From the factory all memory is in the pool default-lossy. Before PFC or link pause is set, the
manual has half of it given to default-lossless. The preset does so by itself, in the pool
roce-lossless. All pools together have 100 % at most.

Example:

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          pfc:
            default-global:
              cable-length: 10
              switch-priority:
                '3': {}

Fix: give both pools a half.

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          pfc:
            default-global:
              cable-length: 10
              switch-priority:
                '3': {}
          traffic-pool:
            default-lossless:
              memory-percent: 50
            default-lossy:
              memory-percent: 50
`,
}

var topicCable = diag.Topic{
	Code:    "conf-nvue-cable",
	Summary: "a lossless profile states no length of cable",
	Doc: `
The switch derives headroom from the speed of the port, its MTU and the length that the profile
states. Where none stands it takes 10 m: with longer cables, what is on the way when a pause is
sent does not fit, and is dropped under load.

Example:

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          pfc:
            default-global:
              switch-priority:
                '3': {}
          traffic-pool:
            default-lossless:
              memory-percent: 50
            default-lossy:
              memory-percent: 50

Fix: state the length of the longest cable of the profile's ports.

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          pfc:
            default-global:
              cable-length: 40
              switch-priority:
                '3': {}
          traffic-pool:
            default-lossless:
              memory-percent: 50
            default-lossy:
              memory-percent: 50
`,
}

var topicMap = diag.Topic{
	Code:    "conf-nvue-map",
	Summary: "what is lossless is not what the map sends there",
	Doc: `
PFC is set for priorities inside the switch. Which packets are in them, the trusted field and its
map say. A priority that no value leads to is lossless for nobody; one that unmarked packets are
in makes all traffic lossless.

Example:

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          mapping:
            default-global:
              trust: port
          pfc:
            default-global:
              cable-length: 10
              switch-priority:
                '3': {}
          traffic-pool:
            default-lossless:
              memory-percent: 50
            default-lossy:
              memory-percent: 50

Fix: trust the field that tells the traffic, and map its value to the priority.

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          mapping:
            default-global:
              trust: l2
          pfc:
            default-global:
              cable-length: 10
              switch-priority:
                '3': {}
          traffic-pool:
            default-lossless:
              memory-percent: 50
            default-lossy:
              memory-percent: 50
`,
}

var topicECN = diag.Topic{
	Code:    "conf-nvue-ecn",
	Summary: "lossless traffic is not marked, or is dropped early",
	Doc: `
RoCEv2 senders slow down when their packets are marked. Where the traffic class of a lossless
priority does not mark, pauses do all the work, and spread. Where it has red, it drops what PFC is
to save.

Example:

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          mapping:
            default-global:
              trust: l3
          pfc:
            default-global:
              cable-length: 10
              switch-priority:
                '3': {}
          traffic-pool:
            default-lossless:
              memory-percent: 50
            default-lossy:
              memory-percent: 50

Fix: mark the class.

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          congestion-control:
            default-global:
              traffic-class:
                '3':
                  ecn: enable
          mapping:
            default-global:
              trust: l3
          pfc:
            default-global:
              cable-length: 10
              switch-priority:
                '3': {}
          traffic-pool:
            default-lossless:
              memory-percent: 50
            default-lossy:
              memory-percent: 50
`,
}

var topicShares = diag.Topic{
	Code:    "conf-nvue-shares",
	Summary: "the shares of a scheduler do not add up",
	Doc: `
The classes of a scheduler that are not strict have percentages, 100 together at most. One that is
dwrr and states none is refused.

Example:

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          egress-scheduler:
            default-global:
              traffic-class:
                '0':
                  mode: dwrr
                  bw-percent: 60
                '3':
                  mode: dwrr
                  bw-percent: 50

Fix: share out 100.

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          egress-scheduler:
            default-global:
              traffic-class:
                '0':
                  mode: dwrr
                  bw-percent: 50
                '3':
                  mode: dwrr
                  bw-percent: 50
`,
}

var topicPreset = diag.Topic{
	Code:    "conf-nvue-preset",
	Summary: "the preset and settings of default-global contradict each other",
	Doc: `
"qos roce" fills the profiles of default-global. What is set there besides goes before it, and
shows in the exception list of "nv show qos roce". For a set of priorities no manual says whether
it replaces the preset's or joins it.

Example:

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          mapping:
            default-global:
              trust: l2
          roce:
            enable: 'on'

Fix: leave the preset alone, or set everything without it.

    - header:
        version: Cumulus Linux 5.9.0
    - set:
        qos:
          roce:
            enable: 'on'
`,
}
