package conflint

import "github.com/rocec/rocec/lang/diag"

// The codes about settings that are sound alone and not beside others.
var topicNotifications = diag.Topic{
	Code:    "conf-cnp-bulk",
	Summary: "congestion notifications wait behind unmarked traffic",
	Doc: `
Marking works as fast as the notification (CNP) of a mark comes back to the sender. NICs send it
with DSCP 48 unless told otherwise. In a priority group with unmarked traffic it waits in that
traffic's congestion, or is dropped there: senders go on, queues grow to where pauses begin, and
marking looks as if it did nothing.

Example:

    traffic.cos_6.priority_source.dscp = [48]
    priority_group.control.cos_list = [7]
    priority_group.bulk.cos_list = [0,1,2,3,5,6]
    ecn_red.mark.cos_list = [4]

Fix: put the cos of CNPs into control, which is served first.

    priority_group.control.cos_list = [6,7]
    priority_group.bulk.cos_list = [0,1,2,3,5]
`,
}

var topicTrusts = diag.Topic{
	Code:    "conf-two-trusts",
	Summary: "the PCP leads to the lossless cos and the DSCP decides",
	Doc: `
A switch that believes 802.1p and dscp sorts a tagged IP packet by its DSCP; the PCP counts only
where there is no IP header. The manual of 4.4 says so, and those before say nothing. RoCEv2 that
hosts mark by PCP then has DSCP 0 and is best effort, though every list looks right. Where the cos
is not marked, as for RoCEv1, the PCP is enough and nothing is said.

Example:

    traffic.packet_priority_source_set = [802.1p,dscp]
    traffic.cos_4.priority_source.8021p = [4]
    traffic.cos_4.priority_source.dscp = []
    pfc.roce.cos_list = [4]
    ecn_red.mark.cos_list = [4]

Fix: give the cos the DSCP that the hosts send, or believe one field.

    traffic.cos_4.priority_source.dscp = [26]
`,
}

var topicSchedulers = diag.Topic{
	Code:    "conf-two-schedulers",
	Summary: "weights of priority groups beside shares of queues",
	Doc: `
In 4.3 the link can be shared by weights of priority groups, as in every release before, or by
percentages of egress queues (default_egress_sched, egress_sched), as in every release after. The
file of the factory has the weights in force and the percentages in comments. No manual says which
counts where both are in force.

Example:

    priority_group.service.weight = 32
    default_egress_sched.egr_queue_4.bw_percent = 12

Fix: keep one. rocec writes weights; to test which counts, fill two queues and compare.

    # default_egress_sched.egr_queue_4.bw_percent = 12
`,
}

var topicAbove = diag.Topic{
	Code:    "conf-strict-above",
	Summary: "unmarked traffic is served before RoCE",
	Doc: `
Weight 0 is strict priority: the group is served whenever it has a packet, and the others share what
is left. For control traffic and CNPs, which are few, that is right. For the group of unmarked
traffic it means that any copy of a file can stop RoCE: the lossless queue grows, its ports pause
their peers, and the congestion spreads to links that have none.

Example:

    priority_group.service.cos_list = [4]
    priority_group.service.weight = 16
    priority_group.bulk.weight = 0

Fix: give the group a weight.

    priority_group.bulk.weight = 16
`,
}

var topicNVUE = diag.Topic{
	Code:    "conf-nvue",
	Summary: "a configuration of NVUE is not judged",
	Doc: `
From 5.0 on NVUE holds the configuration as a tree and applies /etc/nvue.d/startup.yaml at boot.
What may stand below qos changed with the releases. rocec judges a startup.yaml whose header states
a release from 5.4 on that it knows. Of another one it says nothing; NVUE writes qos_features.conf
and qos_infra.conf from it, which switchd reads, and which rocec judges.

Example:

    - header:
        model: sn4700
        nvue-api-version: nvue_v1
        version: Cumulus Linux 5.2.0
    - set:
        qos:
          roce: {}

Fix: judge the files of the switch.

    $ rocec validate --device-config qos_features.conf
`,
}
