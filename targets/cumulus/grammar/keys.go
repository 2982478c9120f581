package grammar

import (
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Key is a row of the table: a key that some release documents.
type Key struct {
	Pattern string   // N: a cos, queue or pool, 0 to 7; G: the name of a group
	In      Dialects // the dialects whose manuals have it
	Since   Release  // the first release of these dialects whose manual has it; zero: all have it
	Maybe   Dialects // the dialects of files in use that have it, against the manuals
	Type    Type     // the type of its value
	Means   Meaning
	Sets    ir.Field // the field of a device's settings; NoField: see Why
	Why     string   // why it sets no field, as part of a sentence
	Defines bool     // a key of the classification, whose spelling identifies the dialect
	Hint    bool     // its value is not judged; it is only a hint at the release
	Aside   bool     // not recognised by [Match], as it does not identify the dialect
	Below   bool     // for a key with Aside: every key that begins with it, too

	Seen Dialects // further dialects in whose files it was seen; only [Describe] accepts it there

	shown signs    // signs that a file accepts the key, even if the manual lacks it
	words []string // of the pattern
	slots []byte   // the letters G and N of the pattern, in order; two at most
	texts []string // the texts before, between and after the slots
}

// rows is the table. The sources are these chapters of the Cumulus Linux manuals: "Buffer and Queue Management" of 2.5, 3.1.2, 3.2.1,
// 3.3.2, 3.4.3, 3.5 and 3.7, "Quality of Service" of 4.2, 4.3, 4.4 and 5.x, and the RoCE chapters of 3.7, 4.3 and 4.4. Rows with Maybe are
// from files in public use.
//
// Where a dialect has two keys with one meaning (ecn and ecn_red in T3), the first is that of its manual.
var rows = []Key{
	// The trusted header fields, and the cos of their values. Up to 3.4 the switch trusts one field, which a word states; the values of the
	// map are PCPs or DSCPs accordingly. From 3.5 on a list states the fields.
	{Pattern: "traffic.packet_priority_source", In: T0 | T1, Type: Field, Means: TrustOne, Sets: ir.FieldTrust, Defines: true},
	{
		Pattern: "traffic.packet_priority_source_set", In: T2 | T3 | T4 | QoSFeatures,
		Type: Fields, Means: TrustSet, Sets: ir.FieldTrust, Defines: true,
	},
	{Pattern: "traffic.port_default_priority", In: QoSFeatures, Type: Cos, Means: DefaultCos, Sets: ir.FieldDefaultCos},
	{Pattern: "traffic.cos_N.packet_priorities", In: T0 | T1, Type: FieldValues, Means: MapTrusted, Sets: ir.FieldPCP, Defines: true},
	{Pattern: "traffic.cos_N.packet_priorities.8021p", In: T2, Type: PCPs, Means: MapPCP, Sets: ir.FieldPCP, Defines: true},
	{Pattern: "traffic.cos_N.packet_priorities.dscp", In: T2, Type: DSCPs, Means: MapDSCP, Sets: ir.FieldDSCP, Defines: true},
	{
		Pattern: "traffic.cos_N.priority_source.8021p", In: T3 | T4 | QoSFeatures,
		Type: PCPs, Means: MapPCP, Sets: ir.FieldPCP, Defines: true,
	},
	{
		Pattern: "traffic.cos_N.priority_source.dscp", In: T3 | T4 | QoSFeatures,
		Type: DSCPs, Means: MapDSCP, Sets: ir.FieldDSCP, Defines: true,
	},
	{Pattern: "source.port_group_list", In: T3 | T4 | QoSFeatures, Type: Names, Means: Groups, Sets: ir.FieldTrust},
	{Pattern: "source.G.port_set", In: T3 | T4 | QoSFeatures, Type: Ports, Means: GroupPorts, Sets: ir.FieldTrust},
	{Pattern: "source.G.packet_priority_source_set", In: T3 | T4 | QoSFeatures, Type: Fields, Means: TrustSet, Sets: ir.FieldTrust},
	{Pattern: "source.G.port_default_priority", In: QoSFeatures, Type: Cos, Means: DefaultCos, Sets: ir.FieldDefaultCos},
	{Pattern: "source.G.cos_N.priority_source.8021p", In: T3 | T4 | QoSFeatures, Type: PCPs, Means: MapPCP, Sets: ir.FieldPCP},
	{Pattern: "source.G.cos_N.priority_source.dscp", In: T3 | T4 | QoSFeatures, Type: DSCPs, Means: MapDSCP, Sets: ir.FieldDSCP},

	// Rewriting on egress.
	{
		Pattern: "traffic.remark_packet_priority", In: T0 | T1 | T2,
		Type: FieldOrNone, Means: RewriteOne, Sets: ir.FieldRewrite, Defines: true,
	},
	{
		Pattern: "traffic.packet_priority_remark_set", In: T3 | T4 | QoSFeatures,
		Type: RewrittenFields, Means: RewriteSet, Sets: ir.FieldRewrite, Defines: true,
	},
	{Pattern: "traffic.cos_N.priority_remark.8021p", In: T3 | T4 | QoSFeatures, Type: OnePCP, Means: RewrittenPCP, Sets: ir.FieldRewrite},
	{Pattern: "traffic.cos_N.priority_remark.dscp", In: T3 | T4 | QoSFeatures, Type: OneDSCP, Means: RewrittenDSCP, Sets: ir.FieldRewrite},
	{Pattern: "remark.port_group_list", In: T3 | T4 | QoSFeatures, Type: Names, Means: Groups, Sets: ir.FieldRewrite},
	{Pattern: "remark.G.port_set", In: T3 | T4 | QoSFeatures, Type: Ports, Means: GroupPorts, Sets: ir.FieldRewrite},
	{
		Pattern: "remark.G.packet_priority_remark_set", In: T3 | T4 | QoSFeatures,
		Type: RewrittenFields, Means: RewriteSet, Sets: ir.FieldRewrite,
	},
	{Pattern: "remark.G.cos_N.priority_remark.8021p", In: T3 | T4 | QoSFeatures, Type: OnePCP, Means: RewrittenPCP, Sets: ir.FieldRewrite},
	{Pattern: "remark.G.cos_N.priority_remark.dscp", In: T3 | T4 | QoSFeatures, Type: OneDSCP, Means: RewrittenDSCP, Sets: ir.FieldRewrite},

	// Priority groups; up to 3.1.0 one group, for all ports, was lossless.
	{Pattern: "traffic.priority_group_list", In: TrafficConf | QoSInfra, Type: Names, Means: PriorityGroups, Sets: ir.FieldGroup},
	{Pattern: "priority_group.G.cos_list", In: TrafficConf | QoSInfra, Type: CosList, Means: GroupCos, Sets: ir.FieldGroup},
	{Pattern: "priority_group.G.alias", In: T4 | QoSInfra, Maybe: T3, Type: Anything, Why: whyName},
	{Pattern: "priority_group.G.weight", In: TrafficConf, Type: DWRRWeight, Means: Weight, Sets: ir.FieldShare},
	{Pattern: "priority_group.G.id", In: QoSInfra | D, Type: Anything, Means: GroupID, Sets: ir.FieldGroup},
	{Pattern: "priority_group.G.service_pool", In: QoSInfra | D, Type: Anything, Means: GroupPool, Sets: ir.FieldGroupPool},
	{Pattern: "priority_group.lossless.lossless_flag", In: T0, Type: Boolean, Means: LosslessFlag, Why: whyOldest},
	{Pattern: "priority_group.lossless.port_group_0.port_buffer_bytes", In: T0, Type: Size, Why: whyOldest},
	{Pattern: "priority_group.lossless.port_group_0.port_range", In: T0, Type: Anything, Why: whyOldest},

	// Scheduling. The queues and shapers are in the manual of 4.3 and not in that of 4.2.
	{Pattern: "scheduling.algorithm", In: TrafficConf | QoSInfra, Type: DWRR, Means: Algorithm, Sets: ir.FieldShare},
	{
		Pattern: "default_egress_sched.egr_queue_N.bw_percent", In: T4 | QoSFeatures, Since: r43,
		Type: Percent, Means: QueueShare, Sets: ir.FieldShare,
	},
	{Pattern: "egress_sched.port_group_list", In: T4 | QoSFeatures, Since: r43, Type: Names, Means: Groups, Sets: ir.FieldShare},
	{Pattern: "egress_sched.G.port_set", In: T4 | QoSFeatures, Since: r43, Type: Ports, Means: GroupPorts, Sets: ir.FieldShare},
	{
		Pattern: "egress_sched.G.egr_queue_N.bw_percent", In: T4 | QoSFeatures, Since: r43,
		Type: Percent, Means: QueueShare, Sets: ir.FieldShare,
	},
	{Pattern: "shaping.port_group_list", In: T4 | QoSFeatures, Since: r43, Type: Names, Means: Groups, Sets: ir.FieldShaper},
	{Pattern: "shaping.G.port_set", In: T4 | QoSFeatures, Since: r43, Type: Ports, Means: GroupPorts, Sets: ir.FieldShaper},
	{Pattern: "shaping.G.egr_queue_N.shaper", In: T4 | QoSFeatures, Since: r43, Type: RatePair, Means: QueueRate, Sets: ir.FieldMaxRate},
	{Pattern: "shaping.G.port.shaper", In: T4 | QoSFeatures, Since: r43, Type: Size, Means: PortRate, Sets: ir.FieldShaper},

	// PFC. cable_length is in the manual of 4.3; no earlier manual has it in its template or list of keys.
	{Pattern: "pfc.port_group_list", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Names, Means: Groups, Sets: ir.FieldPauses},
	{Pattern: "pfc.G.cos_list", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: CosList, Means: GroupCos, Sets: ir.FieldPauses},
	{Pattern: "pfc.G.port_set", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Ports, Means: GroupPorts, Sets: ir.FieldPauses},
	{Pattern: "pfc.G.port_buffer_bytes", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Size, Means: Buffer, Sets: ir.FieldBuffer},
	{Pattern: "pfc.G.xoff_size", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Size, Means: Xoff, Sets: ir.FieldXoff},
	{Pattern: "pfc.G.xon_delta", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Size, Means: XonDelta, Sets: ir.FieldXon},
	{Pattern: "pfc.G.tx_enable", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Boolean, Means: SendsPause, Sets: ir.FieldPauses},
	{Pattern: "pfc.G.rx_enable", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Boolean, Means: ObeysPause, Sets: ir.FieldPauses},
	{
		Pattern: "pfc.G.cable_length", In: T4 | QoSFeatures, Since: r43, Maybe: T3,
		Type: Size, Means: CableLength, Sets: ir.FieldCable, shown: showsCable,
	},

	// Pausing of whole links; without sizes up to 3.1.0.
	{Pattern: "link_pause.port_group_list", In: TrafficConf | QoSFeatures, Type: Names, Means: Groups, Sets: ir.FieldLinkPause},
	{Pattern: "link_pause.G.port_set", In: TrafficConf | QoSFeatures, Type: Ports, Means: GroupPorts, Sets: ir.FieldLinkPause},
	{Pattern: "link_pause.G.tx_enable", In: TrafficConf | QoSFeatures, Type: Boolean, Means: SendsPause, Sets: ir.FieldLinkPause},
	{Pattern: "link_pause.G.rx_enable", In: TrafficConf | QoSFeatures, Type: Boolean, Means: ObeysPause, Sets: ir.FieldLinkPause},
	{Pattern: "link_pause.G.port_buffer_bytes", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Size, Means: Buffer, Sets: ir.FieldBuffer},
	{Pattern: "link_pause.G.xoff_size", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Size, Means: Xoff, Sets: ir.FieldXoff},
	{Pattern: "link_pause.G.xon_delta", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Size, Means: XonDelta, Sets: ir.FieldXon},
	{
		Pattern: "link_pause.G.cable_length", In: T4 | QoSFeatures, Since: r43, Maybe: T3,
		Type: Size, Means: CableLength, Sets: ir.FieldCable, shown: showsCable,
	},

	// Marking. Manuals up to 3.7 print ecn; files of 3.7 and the manual of 4.3 have ecn_red. The manuals of 4.0 to 4.2 print ecn in examples
	// and ecn_red in lists, so for these releases the file decides. The manuals of 3.1.2 and 3.2.1 show no thresholds; that of 3.3.2 does.
	{Pattern: "ecn.port_group_list", In: T1 | T2 | T3, Maybe: T4, Type: Names, Means: Groups, Sets: ir.FieldMarking, shown: showsECN},
	{Pattern: "ecn.G.cos_list", In: T1 | T2 | T3, Maybe: T4, Type: CosList, Means: GroupCos, Sets: ir.FieldMarking, shown: showsECN},
	{Pattern: "ecn.G.port_set", In: T1 | T2 | T3, Maybe: T4, Type: Ports, Means: GroupPorts, Sets: ir.FieldMarking, shown: showsECN},
	{
		Pattern: "ecn.G.min_threshold_bytes", In: T1 | T2 | T3, Since: r33, Maybe: T4,
		Type: Size, Means: MinThreshold, Sets: ir.FieldMarking, shown: showsMarks | showsECN,
	},
	{
		Pattern: "ecn.G.max_threshold_bytes", In: T1 | T2 | T3, Since: r33, Maybe: T4,
		Type: Size, Means: MaxThreshold, Sets: ir.FieldMarking, shown: showsMarks | showsECN,
	},
	{
		Pattern: "ecn.G.probability", In: T1 | T2 | T3, Since: r33, Maybe: T4,
		Type: Percent, Means: Probability, Sets: ir.FieldMarking, shown: showsMarks | showsECN,
	},
	{
		Pattern: "ecn_red.port_group_list", In: T3 | T4 | Q2, Maybe: T2 | Q1,
		Type: Names, Means: Groups, Sets: ir.FieldMarking, shown: showsRED,
	},
	{Pattern: "ecn_red.G.cos_list", In: T3 | T4, Maybe: T2, Type: CosList, Means: GroupCos, Sets: ir.FieldMarking, shown: showsRED},
	{Pattern: "ecn_red.G.egress_queue_list", In: Q2, Maybe: Q1, Type: CosList, Means: GroupQueues, Sets: ir.FieldMarking},
	{
		Pattern: "ecn_red.G.port_set", In: T3 | T4 | Q2, Maybe: T2 | Q1,
		Type: Ports, Means: GroupPorts, Sets: ir.FieldMarking, shown: showsRED,
	},
	{
		Pattern: "ecn_red.G.ecn_enable", In: T3 | T4 | Q2, Maybe: T2 | Q1,
		Type: Boolean, Means: Marks, Sets: ir.FieldMarking, shown: showsRED,
	},
	{
		Pattern: "ecn_red.G.red_enable", In: T3 | T4 | Q2, Maybe: T2 | Q1,
		Type: Boolean, Means: DropsEarly, Sets: ir.FieldDrop, shown: showsRED,
	},
	{
		Pattern: "ecn_red.G.min_threshold_bytes", In: T3 | T4 | Q2, Maybe: T2 | Q1,
		Type: Size, Means: MinThreshold, Sets: ir.FieldMarking, shown: showsRED,
	},
	{
		Pattern: "ecn_red.G.max_threshold_bytes", In: T3 | T4 | Q2, Maybe: T2 | Q1,
		Type: Size, Means: MaxThreshold, Sets: ir.FieldMarking, shown: showsRED,
	},
	{
		Pattern: "ecn_red.G.probability", In: T3 | T4 | Q2, Maybe: T2 | Q1,
		Type: Percent, Means: Probability, Sets: ir.FieldMarking, shown: showsRED,
	},
	{Pattern: "default_ecn_conf.egress_queue_list", In: Q1, Type: CosList, Means: GroupQueues, Sets: ir.FieldMarking, Defines: true},
	{Pattern: "default_ecn_conf.ecn_enable", In: Q1, Type: Boolean, Means: Marks, Sets: ir.FieldMarking, Defines: true},
	{Pattern: "default_ecn_conf.red_enable", In: Q1, Type: Boolean, Means: DropsEarly, Sets: ir.FieldDrop, Defines: true},
	{Pattern: "default_ecn_conf.min_threshold_bytes", In: Q1, Type: Size, Means: MinThreshold, Sets: ir.FieldMarking, Defines: true},
	{Pattern: "default_ecn_conf.max_threshold_bytes", In: Q1, Type: Size, Means: MaxThreshold, Sets: ir.FieldMarking, Defines: true},
	{Pattern: "default_ecn_conf.probability", In: Q1, Type: Percent, Means: Probability, Sets: ir.FieldMarking, Defines: true},
	{Pattern: "default_ecn_red_conf.egress_queue_list", In: Q2, Type: CosList, Means: GroupQueues, Sets: ir.FieldMarking, Defines: true},
	{Pattern: "default_ecn_red_conf.ecn_enable", In: Q2, Type: Boolean, Means: Marks, Sets: ir.FieldMarking, Defines: true},
	{Pattern: "default_ecn_red_conf.red_enable", In: Q2, Type: Boolean, Means: DropsEarly, Sets: ir.FieldDrop, Defines: true},
	{Pattern: "default_ecn_red_conf.min_threshold_bytes", In: Q2, Type: Size, Means: MinThreshold, Sets: ir.FieldMarking, Defines: true},
	{Pattern: "default_ecn_red_conf.max_threshold_bytes", In: Q2, Type: Size, Means: MaxThreshold, Sets: ir.FieldMarking, Defines: true},
	{Pattern: "default_ecn_red_conf.probability", In: Q2, Type: Percent, Means: Probability, Sets: ir.FieldMarking, Defines: true},

	{Pattern: "pfc_watchdog.port_group_list", In: Q2, Type: Names, Means: Groups, Sets: ir.FieldWatchdog},
	{Pattern: "pfc_watchdog.G.port_set", In: Q2, Type: Ports, Means: GroupPorts, Sets: ir.FieldWatchdog},

	// Queues and memory pools.
	{Pattern: "cos_egr_queue.cos_N.uc", In: QoSInfra, Seen: D, Type: Cos, Means: EgressQueue, Sets: ir.FieldQueue},
	{Pattern: "cos_egr_queue.cos_N.cpu", In: QoSInfra, Seen: D, Type: Cos, Why: whyCPU},
	{Pattern: "ingress_service_pool.N.percent", In: QoSInfra | D, Type: Share, Means: PoolShare, Sets: ir.FieldPool},
	{Pattern: "egress_service_pool.N.percent", In: QoSInfra | D, Type: Share, Means: PoolShare, Sets: ir.FieldPool},
	{Pattern: "ingress_service_pool.N.mode", In: QoSInfra | D, Type: Anything, Means: PoolMode, Sets: ir.FieldPool},
	{Pattern: "egress_service_pool.N.mode", In: QoSInfra | D, Type: Anything, Means: PoolMode, Sets: ir.FieldPool},
	{Pattern: "egress_service_pool.N.infinite_flag", In: QoSInfra, Type: Boolean, Means: PoolInfinite, Sets: ir.FieldPool},
	{Pattern: "flow_control.service_pool", In: D, Type: Cos, Means: LosslessPool, Sets: ir.FieldGroupPool},
	{Pattern: "flow_control.ingress_service_pool", In: QoSInfra, Type: Cos, Means: LosslessIngressPool, Sets: ir.FieldGroupPool},
	{Pattern: "flow_control.egress_service_pool", In: QoSInfra, Type: Cos, Means: LosslessEgressPool, Sets: ir.FieldQueuePool},

	// Quotas of dynamic pools, as codes ([ReadQuota]), are in the RoCE chapter of 3.7 and in qos_infra.conf of 4.4. Percents of a buffer, and
	// egress buffers without a limit, are in the datapath.conf of 3.x for Broadcom.
	{
		Pattern: "flow_control.ingress_buffer.dynamic_quota", In: QoSInfra | D,
		Type: Anything, Means: LosslessQuota, Sets: ir.FieldGroupLimit,
	},
	{
		Pattern: "flow_control.egress_buffer.dynamic_quota", In: QoSInfra, Maybe: D,
		Type: Anything, Means: LosslessEgressQuota, Sets: ir.FieldQueueLimit,
	},
	{Pattern: "flow_control.egress_buffer.reserved", In: QoSInfra, Type: Size, Means: LosslessEgressOwn, Why: whyOwn},
	{
		Pattern: "priority_group.G.ingress_buffer.dynamic_quota", In: QoSInfra | D,
		Type: Anything, Means: GroupQuota, Sets: ir.FieldGroupLimit,
	},
	{
		Pattern: "priority_group.G.egress_buffer.uc.sp_dynamic_quota", In: D,
		Type: Anything, Means: GroupUnicastQuota, Sets: ir.FieldQueueLimit,
	},
	{Pattern: "priority_group.G.egress_buffer.mc.sp_dynamic_quota", In: D, Type: Anything, Means: GroupMulticastQuota, Why: whyMulticast},
	{Pattern: "priority_group.G.ingress_buffer.min_percent", In: D, Type: Share, Means: GroupLeast, Why: whyPercents},
	{Pattern: "priority_group.G.ingress_buffer.shared_percent", In: D, Type: Share, Means: GroupShared, Why: whyPercents},
	{Pattern: "priority_group.G.unlimited_egress_buffer", In: D, Type: Boolean, Means: GroupUnlimited, Sets: ir.FieldQueueLimit},

	// The limits of a port in a pool, from the recipe of 4.4 and 5.x for lossless traffic. In 4.4 the two egress keys have no uc, in 5.x they
	// do.
	{Pattern: "port.service_pool.N.ingress_buffer.reserved", In: QoSInfra, Type: Size, Means: PortIngressOwn, Why: whyOwn},
	{
		Pattern: "port.service_pool.N.ingress_buffer.dynamic_quota", In: QoSInfra,
		Type: Anything, Means: PortIngressQuota, Sets: ir.FieldGroupLimit,
	},
	{Pattern: "port.service_pool.N.egress_buffer.reserved", In: I1, Type: Size, Means: PortEgressOwn, Why: whyOwn},
	{Pattern: "port.service_pool.N.egress_buffer.dynamic_quota", In: I1, Type: Anything, Means: PortEgressQuota, Sets: ir.FieldQueueLimit},
	{Pattern: "port.service_pool.N.egress_buffer.uc.reserved", In: I2, Type: Size, Means: PortEgressOwn, Why: whyOwn},
	{
		Pattern: "port.service_pool.N.egress_buffer.uc.dynamic_quota", In: I2,
		Type: Anything, Means: PortEgressQuota, Sets: ir.FieldQueueLimit,
	},

	// These keys are not judged; they are new in 4.x.
	{Pattern: "hash_config.enable", In: T4, Type: Anything, Why: whyPaths, Hint: true},
	{Pattern: "lag_hash_config.enable", In: T4, Type: Anything, Why: whyPaths, Hint: true},

	// Cut-through forwarding, in every release.
	{Pattern: "cut_through_enable", In: TrafficConf, Type: Boolean, Means: CutThrough, Why: whyForwarding, Aside: true},

	// Regions of the memory that comments of qos_infra.conf describe, and for Broadcom the datapath.conf of 3.x. Multicast and the switch's
	// own CPU have separate regions.
	{
		Pattern: "egress_buffer.egr_queue_N.uc.service_pool", In: QoSInfra,
		Type: Cos, Means: QueuePool, Sets: ir.FieldQueuePool, Aside: true,
	},
	{
		Pattern: "egress_buffer.egr_queue_N.uc.dynamic_quota", In: QoSInfra,
		Type: Anything, Means: QueueQuota, Sets: ir.FieldQueueLimit, Aside: true,
	},
	{
		Pattern: "egress_buffer.egr_queue_N.uc.shared_size", In: QoSInfra,
		Type: Size, Means: QueueShared, Sets: ir.FieldQueueLimit, Aside: true,
	},
	{Pattern: "egress_buffer.egr_queue_N.uc.reserved", In: QoSInfra, Type: Size, Why: whyOwn, Aside: true},
	{Pattern: "egress_buffer.egr_queue_N.mc", In: QoSInfra, Type: Anything, Why: whyMulticast, Aside: true, Below: true},
	{Pattern: "egress_buffer.cos_N.mc", In: QoSInfra, Type: Anything, Why: whyMulticast, Aside: true, Below: true},
	{
		Pattern: "priority_group.G.ingress_buffer.reserved", In: QoSInfra,
		Type: Size, Means: GroupOwn, Sets: ir.FieldBuffer, Aside: true,
	},
	{
		Pattern: "priority_group.G.ingress_buffer.shared_size", In: QoSInfra,
		Type: Size, Means: GroupSharedSize, Sets: ir.FieldGroupLimit, Aside: true,
	},
	{Pattern: "port.service_pool.N.ingress_buffer.shared_size", In: QoSInfra, Type: Size, Why: whyPort, Aside: true},
	{Pattern: "port.service_pool.N.egress_buffer.uc.shared_size", In: QoSInfra, Type: Size, Why: whyPort, Aside: true},
	{Pattern: "port.management", In: QoSInfra, Type: Anything, Why: whyCPU, Aside: true, Below: true},
	{Pattern: "port.egress_buffer.mc", In: QoSInfra, Type: Anything, Why: whyMulticast, Aside: true, Below: true},
	{
		Pattern: "priority_group.G.egress_buffer.uc.sp_percent", In: D,
		Type: Share, Why: whyPercents, Aside: true,
	},
	{Pattern: "priority_group.G.egress_buffer.uc.min_percent", In: D, Type: Share, Why: whyPercents, Aside: true},
	{Pattern: "priority_group.G.egress_buffer.mc", In: D, Type: Anything, Why: whyMulticast, Aside: true, Below: true},
	{Pattern: "priority_group.G.egress_buffer.cpu", In: D, Type: Anything, Why: whyCPU, Aside: true, Below: true},
	{Pattern: "link_pause.port_group_0.minimum_cell_limit", In: D, Type: Size, Why: whyCells, Aside: true},
	{Pattern: "link_pause.port_group_0.shared_cell_limit", In: D, Type: Size, Why: whyCells, Aside: true},

	// Settings of other features in the same files. Sources: the sample files in the chapters named above.
	{Pattern: "dos_enable", In: TrafficConf, Type: Boolean, Why: whyAttacks, Aside: true},
	{Pattern: "dos", In: D, Type: Anything, Why: whyAttacks, Aside: true, Below: true},
	{Pattern: "resilient_hash_enable", In: TrafficConf, Type: Boolean, Why: whyPaths, Aside: true},
	{Pattern: "resilient_hash_entries_ecmp", In: TrafficConf, Type: Anything, Why: whyPaths, Aside: true},
	{Pattern: "resilient_hash_active_timer", In: QoSInfra | D, Type: Anything, Why: whyPaths, Aside: true},
	{Pattern: "resilient_hash_unbalanced_timer", In: QoSInfra | D, Type: Anything, Why: whyPaths, Aside: true},
	{Pattern: "symmetric_hash_enable", In: TrafficConf, Type: Boolean, Why: whyPaths, Aside: true},
	{Pattern: "hash_config", In: T4, Type: Anything, Why: whyPaths, Aside: true, Below: true},
	{Pattern: "lag_hash_config", In: T4, Type: Anything, Why: whyPaths, Aside: true, Below: true},
	{Pattern: "ecmp_max_paths", In: TrafficConf, Type: Anything, Why: whyPaths, Aside: true},
	{Pattern: "ecmp_hash_seed", In: TrafficConf, Type: Anything, Why: whyPaths, Aside: true},
	{Pattern: "sflow", In: TrafficConf, Type: Anything, Why: whySamples, Aside: true, Below: true},
	{Pattern: "forwarding_table", In: TrafficConf, Type: Anything, Why: whyTables, Aside: true, Below: true},
	{Pattern: "vxlan_routing_overlay", In: D, Type: Anything, Why: whyTables, Aside: true, Below: true},
}

// The reasons why keys set no field of a device's settings.
const (
	whyName       = "a name for people"
	whyOldest     = "the one lossless group of releases before 3.1.1, which rocec does not read"
	whyCPU        = "packets of the switch's own CPU"
	whyMulticast  = "multicast, and RoCE is unicast"
	whyOwn        = "memory that is reserved for a queue or a port: it is not a limit"
	whyPercents   = "a percentage of a Broadcom chip's memory, of which no manual states the base"
	whyCells      = "cells of a Broadcom chip for link pause, whose effect no manual states"
	whyPort       = "the limit of a whole port in a static pool"
	whyForwarding = "when a packet is forwarded: this changes no buffer and no queue"
	whyPaths      = "the choice between equal paths"
	whyAttacks    = "checks against denial of service"
	whySamples    = "samples for sFlow"
	whyTables     = "sizes and profiles of forwarding tables"
)

// Keys returns the table.
var Keys = sync.OnceValue(func() []Key { return worded(rows) })

// The releases at which a key first appears inside a dialect.
var r33, r43 = Release{3, 3}, Release{4, 3}

// worded splits the patterns of the table into words and slots.
func worded(keys []Key) []Key {
	for i := range keys {
		k := &keys[i]
		k.words = strings.Split(k.Pattern, ".")
		from := 0
		for at, c := range []byte(k.Pattern) {
			if c == 'G' || c == 'N' { // words of keys have only lower-case letters
				k.slots, k.texts = append(k.slots, c), append(k.texts, k.Pattern[from:at])
				from = at + 1
			}
		}
		k.texts = append(k.texts, k.Pattern[from:])
	}
	return keys
}

// byFeature contains the keys of each feature, without those with [Key.Aside].
var byFeature = sync.OnceValue(func() map[Feature][]*Key {
	m := map[Feature][]*Key{}
	for i := range Keys() {
		if k := &Keys()[i]; !k.Aside {
			m[k.Feature()] = append(m[k.Feature()], k)
		}
	}
	return m
})

// Feature is the first word of the key.
func (k *Key) Feature() Feature { return Feature(k.words[0]) }

// Grouped reports whether the key has the name of a group in it.
func (k *Key) Grouped() bool { return slices.Contains(k.words, "G") }

// Could returns every dialect that a line with the key may have.
func (k *Key) Could() Dialects { return k.In | k.Maybe }

// Spell spells the key for a cos, queue or pool and for a group. It ignores arguments that the key does not have.
func (k *Key) Spell(n int, group string) string {
	fill := func(i int) string {
		if k.slots[i] == 'G' {
			return group
		}
		return "0123456789"[n : n+1]
	}
	switch t := k.texts; len(k.slots) {
	case 0:
		return k.Pattern
	case 1:
		return t[0] + fill(0) + t[1]
	default:
		return t[0] + fill(0) + t[1] + fill(1) + t[2]
	}
}

// Match returns the key that the words of a line spell, or nil if no release has such a key. n is the cos, queue or pool in the words (-1
// if none), and group is the group ("" if none).
func Match(words []string) (k *Key, n int, group string) {
	for _, k := range byFeature()[Feature(words[0])] {
		if count, _ := k.misfits(words); count != 0 {
			continue
		}
		n, group = k.slotsOf(words)
		return k, n, group
	}
	return nil, -1, ""
}

// slotsOf returns the cos, queue or pool and the group in the words of a line with the key.
func (k *Key) slotsOf(words []string) (n int, group string) {
	n = -1
	for i, w := range k.words {
		if w == "G" {
			group = words[i]
		} else if strings.HasSuffix(w, "N") {
			n = int(words[i][len(words[i])-1] - '0')
		}
	}
	return n, group
}

// misfits returns the number of words that do not fit the pattern, and the index of the last of them. The number is -1 if the line has
// more or fewer words than the pattern.
func (k *Key) misfits(words []string) (count, last int) {
	if len(k.words) != len(words) {
		return -1, 0
	}
	for i, p := range k.words {
		if !fits(p, words[i]) {
			count, last = count+1, i
		}
	}
	return count, last
}

func fits(pattern, word string) bool {
	if pattern == "G" {
		return word != ""
	}
	if head, ok := strings.CutSuffix(pattern, "N"); ok {
		rest, ok := strings.CutPrefix(word, head)
		return ok && len(rest) == 1 && '0' <= rest[0] && rest[0] <= '7'
	}
	return pattern == word
}

// Outside returns the key that the words of a line would spell with a cos, queue or pool up to 7, or nil.
func Outside(words []string) *Key {
	near := slices.Clone(words)
	for i, w := range words {
		if head := strings.TrimRight(w, "0123456789"); head != w && (head == "" || strings.HasSuffix(head, "_")) {
			near[i] = head + "0"
		}
	}
	k, _, _ := Match(near)
	return k
}

// Nearest returns the key that a person most likely meant by unknown words: all words but one fit, and that word is nearly right. Empty:
// no key is near.
func Nearest(words []string) string {
	wrong := -1
	var candidates []string
	for i := range Keys() {
		k := &Keys()[i]
		count, at := k.misfits(words)
		if k.Aside || count != 1 || wrong >= 0 && at != wrong {
			continue
		}
		wrong = at
		candidates = append(candidates, k.words[at])
	}
	if wrong < 0 {
		return ""
	}
	near := diag.Nearest(words[wrong], candidates)
	if near == "" { // a shortened word: xoff for xoff_size
		longer := slices.DeleteFunc(slices.Clone(candidates), func(c string) bool { return !strings.HasPrefix(c, words[wrong]+"_") })
		if longer = slices.Compact(longer); len(longer) == 1 {
			near = longer[0]
		}
	}
	if near == "" || near == "G" || strings.HasSuffix(near, "N") {
		return ""
	}
	fixed := slices.Clone(words)
	fixed[wrong] = near
	return strings.Join(fixed, ".")
}
