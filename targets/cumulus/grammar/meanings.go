package grammar

// Feature is the subject of all keys with one first word, named by that word.
type Feature string

// The features that readers and writers of a file ask for.
const (
	Switch        Feature = "traffic" // the classification of the whole switch
	Source        Feature = "source"  // the same for groups of ports
	Remark        Feature = "remark"
	PriorityGroup Feature = "priority_group"
	Scheduling    Feature = "scheduling"
	DefaultSched  Feature = "default_egress_sched"
	EgressSched   Feature = "egress_sched"
	Shaping       Feature = "shaping"
	PFC           Feature = "pfc"
	LinkPause     Feature = "link_pause"
	ECN           Feature = "ecn"     // marking, up to 3.7
	ECNRED        Feature = "ecn_red" // marking and early drops, from 3.7 on
	DefaultECN    Feature = "default_ecn_conf"
	DefaultECNRED Feature = "default_ecn_red_conf"
	Watchdog      Feature = "pfc_watchdog"
	QueueOfCos    Feature = "cos_egr_queue"
	IngressPool   Feature = "ingress_service_pool"
	EgressPool    Feature = "egress_service_pool"
	FlowControl   Feature = "flow_control"
	PortPool      Feature = "port"          // what each port may hold of a pool
	EgressBuffer  Feature = "egress_buffer" // what an egress queue may hold of a pool
	Forwarding    Feature = "cut_through_enable"
)

// The features of one kind, oldest first.
var (
	// Grouped features apply to groups of ports; a list names the groups in force.
	Grouped = []Feature{Source, Remark, PFC, LinkPause, ECN, ECNRED, EgressSched, Shaping, Watchdog}
	// Pausing features make ports lossless.
	Pausing = []Feature{PFC, LinkPause}
	// Marking features mark on groups of ports.
	Marking = []Feature{ECN, ECNRED}
	// DefaultMarking features mark on every port.
	DefaultMarking = []Feature{DefaultECN, DefaultECNRED}
)

// Meaning is the meaning of a key. Keys of several features and dialects share one.
type Meaning int

// The meanings of keys. A key that no code asks for has the zero Meaning.
const (
	_ Meaning = iota

	TrustOne   // the one header field that decides the cos
	TrustSet   // the header fields that decide the cos
	DefaultCos // the cos of packets without a trusted field
	MapTrusted // the values of the one trusted field that get a cos
	MapPCP     // the PCPs that get a cos
	MapDSCP    // the DSCPs that get a cos

	RewriteOne    // the one header field that is rewritten on the way out
	RewriteSet    // the header fields that are rewritten on the way out
	RewrittenPCP  // the PCP with which packets of a cos leave
	RewrittenDSCP // the DSCP with which packets of a cos leave

	Groups      // the groups of ports in force
	GroupPorts  // the ports of a group
	GroupCos    // the cos of a group
	GroupQueues // the egress queues of a group
	GroupPool   // the memory pool of a group
	GroupID     // the number of a group's ingress buffer
	GroupQuota  // the share of a group in its ingress pool, as a code
	GroupLeast  // the percent of its pool that a group has for itself
	GroupShared // the percent of its pool that a group shares

	GroupUnlimited      // queues of the group have no limit
	GroupUnicastQuota   // the share of a group's unicast queues in their egress pool, as a code
	GroupMulticastQuota // and of its multicast queues

	PriorityGroups // the priority groups there are
	Weight         // the DWRR weight of a priority group; 0 is strict priority
	LosslessFlag   // whether the priority group named lossless is lossless
	Algorithm      // how priority groups share a link
	QueueShare     // the percent of a link an egress queue gets; 0 is strict priority
	QueueRate      // the least and the most kb/s of an egress queue
	PortRate       // the most kb/s of a port

	Buffer      // the bytes a port has for lossless traffic
	Xoff        // the filling at which it pauses its peer
	XonDelta    // how far below Xoff it lets its peer go on
	SendsPause  // it pauses its peer
	ObeysPause  // it stops when its peer says so
	CableLength // metres

	MinThreshold // the queue length in bytes where marking begins
	MaxThreshold // and where every packet is marked
	Probability  // percent, at MaxThreshold
	Marks        // packets are marked
	DropsEarly   // packets that cannot be marked are dropped

	EgressQueue         // the egress queue of a cos
	PoolShare           // the percent of the chip's memory a pool has
	LosslessPool        // the pool of lossless traffic, both ways
	LosslessIngressPool // on the way in
	LosslessEgressPool  // on the way out
	PoolMode            // 1: quotas are a share of the free memory; 0: they are fixed
	LosslessQuota       // the share of lossless traffic in its ingress pool, as a code
	LosslessEgressQuota // and in its egress pool
	LosslessEgressOwn   // the bytes each of its queues has for itself
	PoolInfinite        // queues of the pool are not limited
	PortIngressOwn      // the bytes of a pool that a port has for itself on the way in
	PortIngressQuota    // its share of the free memory there, as a code
	PortEgressOwn       // the same on the way out
	PortEgressQuota

	GroupOwn        // the bytes that a priority group has for itself
	GroupSharedSize // the bytes of a static pool that it shares
	QueuePool       // the memory pool of an egress queue
	QueueQuota      // its share of the free memory there, as a code
	QueueShared     // the bytes of a static pool that it shares

	CutThrough // a packet is forwarded before it has come in whole

	meanings // the number of meanings
)
