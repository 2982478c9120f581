package cumulus

import "github.com/rocec/rocec/lang/diag"

// The codes about who else writes the traffic.conf of a switch.

var topicWriter = diag.Topic{
	Code:    "cumulus-other-writer",
	Summary: "something else writes the file, too",
	Doc: `
NCLU's RoCE commands (storage-optimized from 3.7 on, roce in 4.3) and its egress-sched rewrite
traffic.conf at net commit, with port groups named ROCE_PFC and ROCE_ECN; configuration tools copy a
whole file made from a template. The file holds what was written last, on every release: such a tool
undoes what rocec applied, without a word, and the next apply undoes the tool.

plan and verify ask NCLU for its commands, and look for its port groups and for comments by which
tools mark their files ("Ansible managed"). Port groups that NCLU left in a file, and of which it
knows nothing any more, are a note. Where the switch block says written_by = "others", a tool's
comment is none: it is the writer.

From 4.4 on the files are qos_features.conf and qos_infra.conf, and the other writer is NVUE: while
nvued runs, every nv config apply asks whether to write them anew, unless NVUE is told to leave them
alone. A switch of which NVUE holds qos settings itself is refused.

Example: net show configuration commands says

    net add interface swp1 storage-optimized pfc

Fix: let one of them write the file. Delete NCLU's commands and commit, or take the file
out of the tool's run and its comment out of the file; then apply.

    net del interface swp1 storage-optimized pfc
    net commit
`,
}

var topicBeside = diag.Topic{
	Code:    "cumulus-other-settings",
	Summary: "settings of others are in force beside those of the fabric",
	Doc: `
A port of the fabric is in a port group that rocec did not write: for PFC, link pause, marking, the
field that is believed (source), marks that are rewritten (remark), or shares of queues
(egress_sched). No manual says what a port does that is in two groups of a feature, and a group for
one port comes before what is said of the whole switch. rocec takes the ports of the fabric out of
such groups, and leaves the groups in force for other ports.

In 4.3 default_egress_sched gives the queues of all ports shares of the link, beside the weights of
priority groups, which rocec writes. Which of them counts is not documented. rocec makes these lines
comments, as they are in the file of the factory.

Example: in traffic.conf on the switch

    default_egress_sched.egr_queue_4.bw_percent = 12
    remark.port_group_list = [edge]
    remark.edge.port_set = swp1-swp4
    remark.edge.packet_priority_remark_set = [dscp]

Fix: apply, and tell whoever wrote them. Before that, plan shows what goes.

    # default_egress_sched.egr_queue_4.bw_percent = 12
    remark.port_group_list = []
`,
}
