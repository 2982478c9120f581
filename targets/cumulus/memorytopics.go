package cumulus

import "github.com/rocec/rocec/lang/diag"

// The codes about how a chip's memory is shared out. All but the first are about a file on a switch.

var topicMemoryWritten = diag.Topic{
	Code:    "cumulus-memory-written",
	Summary: "rocec cannot write how this switch shares out its memory",
	Doc: `
memory = "written" gives lossless traffic a pool of its own in the datapath.conf of the switch, with
the values of the vendor's own preset for lossless RoCE: half of the memory on the way in, no limit
on the way out, and twice what is free for each port. Only Spectrum has such pools, and the keys are
documented from 3.7 on; from 4.4 on rocec makes such a pool unasked, in qos_infra.conf. And half of
the memory must hold what the lossless ports need at least: two frames for each of their buffers.

Example:

    switch "leaf" {
      memory  = "written"
      version = "3.4.3"
    }

Fix: take memory out, or upgrade the switch.

    switch "leaf" {
      version = "4.3.0"
    }
`,
}

var topicMemoryPool = diag.Topic{
	Code:    "cumulus-memory-pool",
	Summary: "the pool of lossless traffic on the switch has no memory",
	Doc: `
In datapath.conf, flow_control.service_pool says which pool lossless traffic uses, and
ingress_service_pool.N.percent and egress_service_pool.N.percent how large it is. A pool of 0
percent is not made, and neither is one whose percent stands nowhere; ingress pools that come to
more than 100 percent do not fit the chip. Lossless packets then have their headroom and nothing
else, or switchd does not start. On Broadcom a lossless cos uses the pool of its priority group
(priority_group.service.service_pool), of which the group has min_percent for itself and
shared_percent with others; both 0 give it nothing.

Example: in datapath.conf on the switch

    flow_control.service_pool = 1
    ingress_service_pool.0.percent = 100.0

Fix: give the pool its part, and the other pool less. Where the switch block says
memory = "written", rocec does it.

    flow_control.service_pool = 1
    ingress_service_pool.0.percent = 50.0
    ingress_service_pool.1.percent = 50.0
    egress_service_pool.1.percent = 100.0

The file is judged as rocec leaves it: what other lines give to pools beyond what there is, is found
there too, and so it is in qos_infra.conf, from 4.4 on.
`,
}

var topicMemoryShared = diag.Topic{
	Code:    "cumulus-memory-shared",
	Summary: "lossless traffic has no pool of its own on the switch",
	Doc: `
Releases come with one pool for all traffic. PFC works with it: each port has its headroom for
itself. But lossy traffic can fill the pool. Then lossless ports have no share left, pause as soon
as they hold xoff, and traffic upstream stands still for the sake of others; and ECN marks come
after pauses unless many ports send to one at once. From 3.7 on, the vendor's own preset for
lossless RoCE on Spectrum makes a second pool. The same is found where a pool was made for lossless
traffic, and a lossy priority group uses it too; and on Broadcom where the group with RoCE uses the
pool of another: releases come with a pool for each.

Example: in datapath.conf on the switch, as it comes

    ingress_service_pool.0.percent = 100.0

Fix: nothing has to be done where little lossy traffic crosses the switch. On Spectrum,
memory = "written" in the switch block has rocec make the pool, from 3.7 on, at the price of a
restart of switchd. Where the message names lines that put other groups into the pool, change those.
`,
}

var topicMemorySmall = diag.Topic{
	Code:    "cumulus-memory-small",
	Summary: "the pool of lossless traffic on the switch is too small",
	Doc: `
What no port reserves for itself is shared out by pools. The pool of lossless traffic must hold two
frames for each lossless buffer of the switch, or ports pause all the time: a frame that comes while
one is being sent already has to wait. The quota of lossless traffic must let a port have them:
dynamic_quota = 0 leaves it nothing, however large the pool is.

From 4.4 on rocec writes that pool, half of the memory, so there the fabric is judged before a
switch is seen; and lossless buffers that reserve more than half of the memory are a warning, since
no manual says whether they count in the pool.

Example: in datapath.conf on the switch

    flow_control.service_pool = 1
    ingress_service_pool.1.percent = 1.0

Fix: give the pool more; the vendor's preset has half of the memory. Or let ports reserve
less: shorter cables, fewer lossless ports.
`,
}

var topicMemoryEgress = diag.Topic{
	Code:    "cumulus-memory-egress",
	Summary: "queues of lossless traffic are limited on the switch",
	Doc: `
A lossless packet that was let in must not be dropped on its way out. So its queues must hold as
much as its ports may let in: the proof takes for granted that they are not limited. What limits
them stands in datapath.conf: on Spectrum the size of the egress pool and a quota of it; on Broadcom
unlimited_egress_buffer of the priority group the cos is in, which is false for bulk as the release
comes. rocec puts RoCE into service, where it is true. Whether that lifts the size of the group's
egress pool as well is not published: one that holds less than may come in is a warning.

Example: in datapath.conf on a switch with a Broadcom chip

    priority_group.service.unlimited_egress_buffer = false

Fix: set it to true; on Spectrum give the egress pool 100 percent, and take the quota out
or set it to 15. switchd reads the file when it starts.
`,
}

var topicMemoryMarks = diag.Topic{
	Code:    "cumulus-memory-marks",
	Summary: "by the memory of the switch, pauses come before marks",
	Doc: `
ECN min is held below the length of a queue from which on ports can pause (see ecn-after-pfc). That
bound depends on the pool of lossless traffic and on the share of it that a port may take, alpha.
Before the switch is read both are assumed; this is about what the switch says.

Example: in datapath.conf on the switch, with twenty ports in use

    ingress_service_pool.1.percent = 10.0
    flow_control.ingress_buffer.dynamic_quota = 6

Fix: give the pool more, or a larger quota (8 is alpha 1, 9 alpha 2); or write min in the
ecn block below the bound that the message names.
`,
}

var topicMemoryUnread = diag.Topic{
	Code:    "cumulus-memory-unread",
	Summary: "how the switch shares out its memory is not known",
	Doc: `
rocec reads datapath.conf on every switch with lossless ports, from the first of its places that has
one: below /usr/lib/python2.7/dist-packages/cumulus/__chip_config, else below /etc. Where there is
none, where it cannot be read, or where what stands there is no such file, nothing is taken for good
and nothing is judged; where a line it needs is missing, it says which. Where the switch block says
memory = "written", a file that cannot be edited refuses the switch; one that can is judged as the
edit leaves it.

Example: in datapath.conf on the switch

    ingress_service_pool.0.percent = half

Fix: correct the file on the switch; dpkg -V names packages whose files were changed, and
installing the package again brings the file back.
`,
}
