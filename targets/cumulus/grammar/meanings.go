package grammar

// Feature is the first word of keys, such as pfc. All keys with that word configure one feature.
type Feature string

// The features that readers and writers of a file use.
const (
	Switch        Feature = "traffic" // the classification of the whole switch
	Source        Feature = "source"  // the classification of groups of ports
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
	PortPool      Feature = "port"          // the limits of ports in a pool
	EgressBuffer  Feature = "egress_buffer" // the limits of egress queues in a pool
	Forwarding    Feature = "cut_through_enable"
)

// Lists of features of one kind, oldest first.
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

// Meaning is the meaning of a key. Keys of different features and dialects can have the same meaning.
type Meaning int

// The meanings of keys. A key that no code uses has the zero Meaning.
const (
	_ Meaning = iota

	TrustOne   // the one header field that decides the cos
	TrustSet   // the header fields that decide the cos
	DefaultCos // the cos of packets without a trusted field
	MapTrusted // the values of the one trusted field that get a cos
	MapPCP     // the PCPs that get a cos
	MapDSCP    // the DSCPs that get a cos

	RewriteOne    // the one header field that is rewritten on egress
	RewriteSet    // the header fields that are rewritten on egress
	RewrittenPCP  // the PCP with which packets of a cos leave
	RewrittenDSCP // the DSCP with which packets of a cos leave

	Groups      // the groups of ports in force
	GroupPorts  // the ports of a group
	GroupCos    // the cos of a group
	GroupQueues // the egress queues of a group
	GroupPool   // the memory pool of a group
	GroupID     // the number of a group's ingress buffer
	GroupQuota  // the share of a group in its ingress pool, as a code
	GroupLeast  // the percent of its pool that is reserved for a group
	GroupShared // the percent of its pool that a group shares with others

	GroupUnlimited      // whether the queues of the group have no limit
	GroupUnicastQuota   // the share of a group's unicast queues in their egress pool, as a code
	GroupMulticastQuota // the same for its multicast queues

	PriorityGroups // the names of the priority groups
	Weight         // the DWRR weight of a priority group; 0 is strict priority
	LosslessFlag   // whether the priority group named lossless is lossless
	Algorithm      // how priority groups share a link
	QueueShare     // the percent of a link that an egress queue gets; 0 is strict priority
	QueueRate      // the minimum and the maximum rate of an egress queue in kb/s
	PortRate       // the maximum rate of a port in kb/s

	Buffer      // the bytes a port has for lossless traffic
	Xoff        // the number of buffered bytes at which the port pauses its peer
	XonDelta    // how far below Xoff the port lets its peer send again
	SendsPause  // whether the port sends pauses
	ObeysPause  // whether the port obeys pauses
	CableLength // metres

	MinThreshold // the queue length in bytes where marking begins
	MaxThreshold // the queue length in bytes where every packet is marked
	Probability  // the percent of packets marked at MaxThreshold
	Marks        // whether packets are marked
	DropsEarly   // whether packets that cannot be marked are dropped

	EgressQueue         // the egress queue of a cos
	PoolShare           // a pool's percent of the chip's memory
	LosslessPool        // the pool of lossless traffic, ingress and egress
	LosslessIngressPool // the ingress pool of lossless traffic
	LosslessEgressPool  // the egress pool of lossless traffic
	PoolMode            // 1: quotas are a share of the free memory; 0: they are fixed
	LosslessQuota       // the share of lossless traffic in its ingress pool, as a code
	LosslessEgressQuota // the same in its egress pool
	LosslessEgressOwn   // the bytes reserved for each of its queues
	PoolInfinite        // whether queues of the pool have no limit
	PortIngressOwn      // the bytes of a pool that are reserved for a port on ingress
	PortIngressQuota    // its share of the free memory there, as a code
	PortEgressOwn       // the same on egress
	PortEgressQuota

	GroupOwn        // the bytes that are reserved for a priority group
	GroupSharedSize // the bytes of a static pool that it shares
	QueuePool       // the memory pool of an egress queue
	QueueQuota      // its share of the free memory there, as a code
	QueueShared     // the bytes of a static pool that it shares

	CutThrough // whether a packet is forwarded before it has arrived completely

	meanings // the number of meanings
)
