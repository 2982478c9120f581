package conflint

import "github.com/rocec/rocec/lang/diag"

// The codes about what the settings mean together.
var topicValueTwice = diag.Topic{
	Code:    "conf-value-twice",
	Summary: "a value is listed twice",
	Doc: `
One PCP or DSCP in the lists of two cos: which one its packets get is not documented, and may
differ between releases. If one of the two is lossless and the other is not, RoCE is lossless on
some of the switches, or other traffic pauses it: then it is an error.

Example:

    traffic.cos_4.priority_source.dscp = [26]
    traffic.cos_1.priority_source.dscp = [8,10,26]

Fix: keep the value in one list. Twice in the same list is only a note.

    traffic.cos_1.priority_source.dscp = []
`,
}

var topicUnmapped = diag.Topic{
	Code:    "conf-value-unmapped",
	Summary: "a value of a believed field has no cos",
	Doc: `
Every value of every field the switch believes should have a cos. The manuals speak of a default
for the rest without saying which; the syntax checker of 4.1 and later refuses the file. With no
map at all the factory's counts, and up to 4.3 that sends PCP 3, the usual RoCE priority, to cos
4.

Example: DSCP is believed, and 9 of 64 values are mapped.

    traffic.packet_priority_source_set = [802.1p,dscp]
    traffic.cos_0.priority_source.dscp = [0,1,2,3,4,5,6]

Fix: write all 64 values, those nobody uses into cos 0; or do not believe the field.

    traffic.packet_priority_source_set = [802.1p]
`,
}

var topicUnreachable = diag.Topic{
	Code:    "conf-pfc-unreachable",
	Summary: "PFC or ECN on a cos no packet reaches",
	Doc: `
PFC and ECN name the switch's internal cos, not the PCP of the packet. If the map sends RoCE to
another cos than the one PFC is on, everything looks configured and packets are lost under load.
The map of the factory up to 4.3 does just that: PCP 3 goes to cos 4.

Example:

    traffic.cos_3.packet_priorities = []
    traffic.cos_4.packet_priorities = [3,4]
    traffic.cos_5.packet_priorities = [5]
    pfc.roce.cos_list = [3]

Fix: map PCP 3 to cos 3, or turn PFC on for the cos it has. A DSCP map does nothing
while dscp is not among the believed fields.

    traffic.cos_3.packet_priorities = [3]
    traffic.cos_4.packet_priorities = [4]
`,
}

var topicMoved = diag.Topic{
	Code:    "conf-cos-moved",
	Summary: "lossless traffic changes its number",
	Doc: `
A PFC frame says which priority to stop. The host stops by PCP; the switch works with its internal
cos; no manual says which of the two numbers it writes into the frame. Where both are the same
number the question does not come up.

Example: the hosts send PCP 3.

    traffic.cos_4.packet_priorities = [3,4]
    traffic.cos_5.packet_priorities = [5]
    pfc.roce.cos_list = [4]

Fix: PCP k to cos k for lossless traffic, at every hop, and PFC on k at the hosts.

    traffic.cos_4.packet_priorities = [4]
    traffic.cos_3.packet_priorities = [3]
`,
}

var topicUnmarked = diag.Topic{
	Code:    "conf-lossless-default",
	Summary: "unmarked traffic becomes lossless",
	Doc: `
Packets nobody marked have PCP 0 and DSCP 0. If those go to a lossless cos, every ssh session and
every backup pauses links and shares the buffers of RoCE.

Example:

    traffic.cos_0.priority_source.dscp = [1,2,3,4,5,6,7]
    traffic.cos_4.priority_source.dscp = [0,26]
    pfc.roce.cos_list = [4]

Fix: map 0 to a lossy cos, usually 0.

    traffic.cos_0.priority_source.dscp = [0,1,2,3,4,5,6,7]
    traffic.cos_4.priority_source.dscp = [26]
`,
}

var topicHalf = diag.Topic{
	Code:    "conf-pfc-half",
	Summary: "PFC or link pause in one direction only",
	Doc: `
tx_enable lets the switch ask for a pause, rx_enable makes it obey one. Without tx the switch
loses frames, without rx the peer does. The same holds for link pause, where obeying alone may be
wanted.

Example:

    pfc.roce.tx_enable = true
    pfc.roce.rx_enable = false

Fix: both true.

    pfc.roce.rx_enable = true
`,
}

var topicSizes = diag.Topic{
	Code:    "conf-sizes",
	Summary: "PFC sizes contradict each other",
	Doc: `
A port pauses its peer when the buffer has filled to xoff_size, and lets it go on when it has
drained by xon_delta below that. A port whose xoff_size is not below its buffer never pauses in
time; one whose xon_delta is above xoff_size never lets go; one whose xoff_size is below a frame
pauses at every frame. Where both are equal, as in the vendor's preset of 4.1, the peer goes on only
when the buffer is empty: that is a note.

    0 < xoff_size < port_buffer_bytes      the pause is sent at xoff_size; the rest is headroom
    0 <= xon_delta <= xoff_size            the peer is resumed at xoff_size less xon_delta

Example:

    pfc.roce.port_buffer_bytes = 18000
    pfc.roce.xoff_size = 18000

Fix: a buffer of xoff_size plus the headroom. The vendor's preset of 3.7 has

    pfc.roce.port_buffer_bytes = 70000
    pfc.roce.xoff_size = 18000
    pfc.roce.xon_delta = 0
`,
}

var topicHeadroom = diag.Topic{
	Code:    "conf-headroom",
	Summary: "PFC headroom too small",
	Doc: `
After a pause was sent bytes go on arriving: a frame on either side, the cable's, and what the
peer sends until it has understood. The room for them is port_buffer_bytes less xoff_size. Neither
speed nor MTU are in the file, so the slowest case is taken, and the text says it: what is too
small at 10G with an MTU of 1500 is too small everywhere (error); what is too small at 10G with
9216 suits small frames on slow ports only (warning). A port_buffer_bytes that is missing is judged
with the default of the release: 25,000 up to 4.2, and derived from the port from 4.3 on.

Example: the defaults of the manuals up to 3.7 keep 15,000 bytes.

    pfc.roce.port_buffer_bytes = 25000
    pfc.roce.xoff_size = 10000

Fix: the vendor's preset leaves 52,000 bytes. By SONiC's tables for Spectrum that is
enough for 100G on 40 m; other chips and longer cables need more. For the sum of a port of yours,
describe the fabric and let rocec derive it.

    pfc.roce.port_buffer_bytes = 70000
    pfc.roce.xoff_size = 18000
`,
}

var topicMemory = diag.Topic{
	Code:    "conf-memory",
	Summary: "more buffer promised than there is",
	Doc: `port_buffer_bytes is kept for each port of the group. The sum over all ports has to fit into the
chip. The chip is not in the file, so the largest one that ran the release is taken.

Example: 64 ports with 1 MB each on 3.4, whose largest chip has 16 MB.

    pfc.roce.port_set = swp1-swp64
    pfc.roce.port_buffer_bytes = 1000000

Fix: smaller buffers, or PFC only where RoCE passes.`,
}

var topicCos3 = diag.Topic{
	Code:    "conf-cos-3",
	Summary: "cos 3 is lossless",
	Doc: `
The templates of every release reserve cos 3 for traffic of the switch's own CPU. The vendor's
RoCE presets use it on Spectrum nevertheless; for Broadcom there is no such preset. Where the file
does not tell the chip this is a note.

Example:

    pfc.roce.cos_list = [3]
    traffic.cos_3.packet_priorities = [3]
    traffic.cos_5.packet_priorities = [5]

Fix: nothing on Spectrum. On Broadcom take cos 4 or 5, on the hosts too.

    pfc.roce.cos_list = [4]
`,
}

var topicStrict = diag.Topic{
	Code:    "conf-lossless-strict",
	Summary: "lossless traffic is served before all others",
	Doc: `
Weight 0 (up to 4.3) or bw_percent 0 (from 4.3 on) is strict priority: the queue is served as long
as it holds anything. Lossless traffic fills links for hours, and whatever comes after it waits,
routing protocols and CNPs among it.

Example:

    pfc.roce.cos_list = [4]
    priority_group.control.cos_list = [4,6,7]
    priority_group.control.weight = 0
    priority_group.service.cos_list = [5]
    priority_group.bulk.cos_list = [0,1,2,3]

Fix: put the lossless cos into service with a weight; leave strict priority to CNPs and
control traffic.

    priority_group.control.cos_list = [6,7]
    priority_group.service.cos_list = [4,5]
`,
}

var topicShared = diag.Topic{
	Code:    "conf-lossless-shared",
	Summary: "lossless traffic shares its priority group",
	Doc: `
A priority group has one weight. How the cos inside it share that weight is not documented. From
4.4 on shares belong to egress queues: a lossless cos that leaves by the queue of a lossy one
(cos_egr_queue.cos_N.uc) has no share of its own, and waits behind what may be dropped.

Example:

    priority_group.service.cos_list = [2,4]
    priority_group.service.weight = 32
    priority_group.bulk.cos_list = [0,1,3,5]
    pfc.roce.cos_list = [4]

Fix: nothing, if no share was promised. Else put the lossless cos alone into service,
or, from 4.4 on, give it an egress queue of its own.

    priority_group.service.cos_list = [4]
    priority_group.bulk.cos_list = [0,1,2,3,5]
`,
}

var topicMany = diag.Topic{
	Code:    "conf-lossless-many",
	Summary: "several lossless cos on one port",
	Doc: `
Each lossless cos wants headroom at each port. On Spectrum all lossless cos of a port share one
buffer, so that congestion of one pauses the others; on Broadcom two are usual.

Example:

    pfc.roce.cos_list = [2,4,5]

Fix: one lossless cos for all of RoCE.

    pfc.roce.cos_list = [4]
`,
}

var topicThresholds = diag.Topic{
	Code:    "conf-ecn-thresholds",
	Summary: "ECN thresholds that cannot work",
	Doc: `
Between min_threshold_bytes and max_threshold_bytes of queue, packets are marked with the
probability given; above the maximum all are.

Example:

    ecn.mark.min_threshold_bytes = 1536000
    ecn.mark.max_threshold_bytes = 153600

Fix: the minimum below the maximum, both above 0, the probability 1 to 100. The
vendor's presets have these (3.7), or 150000, 1500000 and 100 (5.x).

    ecn.mark.min_threshold_bytes = 153600
    ecn.mark.max_threshold_bytes = 1536000
    ecn.mark.probability = 100
`,
}

var topicRED = diag.Topic{
	Code:    "conf-red-lossless",
	Summary: "early drops in a lossless class",
	Doc: `
red_enable drops packets that cannot be marked once the queue is long. In a lossless class that is
a loss nobody expects: RoCEv1 never carries the ECN bits, and CNPs of some NICs do not.

Example:

    ecn_red.mark.cos_list = [4]
    ecn_red.mark.red_enable = true
    pfc.roce.cos_list = [4]

Fix:

    ecn_red.mark.red_enable = false
`,
}

var topicWeights = diag.Topic{
	Code:    "conf-weights",
	Summary: "weights of priority groups that share nothing",
	Doc: `
Up to 4.3 each priority group has a weight from 0 to 127. 0 is strict priority, the others share
what is left by their weights. With 0 for every group nothing is shared: the first that has
something to send stops the rest. A group without a weight gets that of the factory (control 0,
service 32, bulk 16), which was chosen without knowing the others. It is a share, not a rank:
1 beside 16 is 1 in 17.

Example:

    priority_group.control.weight = 0
    priority_group.service.weight = 0
    priority_group.bulk.weight = 0

Fix: 0 for control alone; equal weights give RoCE in service and the rest in bulk half of
the link each. The hosts should have the same shares.

    priority_group.service.weight = 16
    priority_group.bulk.weight = 16
`,
}

var topicBandwidth = diag.Topic{
	Code:    "conf-bandwidth",
	Summary: "shares of the link that do not add up",
	Doc: `
bw_percent of the queues of one profile may come to 100 at most. 0 is strict priority; a queue
that is left out is served only when all others are empty.

Example:

    default_egress_sched.egr_queue_0.bw_percent = 60
    default_egress_sched.egr_queue_4.bw_percent = 60
    default_egress_sched.egr_queue_7.bw_percent = 0

Fix: lower some, and give the queue of the lossless cos a share.

    default_egress_sched.egr_queue_0.bw_percent = 12
    default_egress_sched.egr_queue_4.bw_percent = 24
`,
}

var topicPools = diag.Topic{
	Code:    "conf-pools",
	Summary: "memory pools that cannot work",
	Doc: `
From 4.4 on the manuals want the memory split before PFC is turned on: a pool for lossless
traffic, in qos_infra.conf, named by flow_control.ingress_service_pool and its egress twin. The
pools of one direction come to 100 percent at most, and the lossless pool is none that a priority
group uses for lossy traffic. (In datapath.conf of 3.7 the vendor's own preset lets the lossless
egress pool overlap the others; that is not reported.) A datapath.conf that lies beside a
traffic.conf with PFC must give the pool of the lossless cos memory: the one that
flow_control.service_pool names, on Broadcom that of its priority group.

Example: PFC in qos_features.conf, and in qos_infra.conf

    ingress_service_pool.0.percent = 100.0
    ingress_service_pool.1.percent = 50.0

Fix: 50.0 for pool 0 and for pool 1, in both directions, and flow_control on pool 1.

    ingress_service_pool.0.percent = 50.0
    flow_control.ingress_service_pool = 1
`,
}

var topicShaper = diag.Topic{
	Code:    "conf-shaper",
	Summary: "rate limits that contradict each other",
	Doc: `
shaper = [min,max] of a queue is in kb/s, and so is the limit of the whole port, so min <= max <=
port must hold. With limits that contradict each other nobody can say how much the queue gets.

Example:

    shaping.slow.egr_queue_3.shaper = [200000,100000]

Fix: put the smaller number first, and keep it below the port's.

    shaping.slow.egr_queue_3.shaper = [100000,200000]
`,
}

var topicRemark = diag.Topic{
	Code:    "conf-remark",
	Summary: "lossless traffic is remarked",
	Doc: `
Rewriting PCP or DSCP on the way out makes the next hop sort the packet by the new value. Lossless
traffic needs the same value at every hop.

Example: PCP 3 goes to cos 4, and leaves with PCP 4.

    traffic.remark_packet_priority = 802.1p
    traffic.cos_4.packet_priorities = [3,4]
    traffic.cos_5.packet_priorities = [5]
    pfc.roce.cos_list = [4]

Fix: switch remarking off (from 3.5 on: packet_priority_remark_set = []).

    traffic.remark_packet_priority = none
`,
}

var topicCutThrough = diag.Topic{
	Code:    "conf-cut-through",
	Summary: "link pause together with cut-through",
	Doc: `
A switch in cut-through mode sends a packet on before it has come in as a whole. The manuals of
3.x say that on Broadcom link pause and cut-through give the errors TOVR and TUFL. On Spectrum the
key has no effect, so without the chip this is a note.

Example:

    cut_through_enable = true
    link_pause.port_group_list = [hosts]
    link_pause.hosts.port_set = swp9-swp12
    link_pause.hosts.port_buffer_bytes = 70000
    link_pause.hosts.xoff_size = 18000
    link_pause.hosts.xon_delta = 0
    link_pause.hosts.tx_enable = true
    link_pause.hosts.rx_enable = true

Fix: no cut-through, or PFC instead of link pause.

    cut_through_enable = false
`,
}

var topicWatchdog = diag.Topic{
	Code:    "conf-watchdog",
	Summary: "the PFC watchdog on ports without PFC",
	Doc: `
The watchdog breaks a pause that does not end, on ports with PFC or link pause. On other ports
there is nothing to watch: either the list is too long, or PFC is missing where somebody expected
it.

Example:

    pfc.default-global.port_set = swp1-swp4
    pfc_watchdog.port_group_list = [all]
    pfc_watchdog.all.port_set = swp1-swp8

Fix: watch the ports of the PFC groups.

    pfc_watchdog.all.port_set = swp1-swp4
`,
}
