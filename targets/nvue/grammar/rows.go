package grammar

// Meaning is what a path sets, whatever a release calls it.
type Meaning int

// The meanings that rocec writes, reads or judges. Those of a profile begin with its table's name.
const (
	NoMeaning Meaning = iota
	PresetOn
	PresetMode
	PresetCable
	Trust
	MapPCP
	MapDSCP
	PortDefault
	Rewrite
	RewritePCP
	RewriteDSCP
	PFCPriority
	PFCSends
	PFCObeys
	PFCCable
	PFCBuffer
	PFCXoff
	PFCXonDelta
	PauseSends
	PauseObeys
	PauseCable
	PauseBuffer
	PauseXoff
	PauseXonDelta
	QueueOf
	QueueMode
	QueuePercent
	ECNOn
	REDOn
	ECNMin
	ECNMax
	ECNProbability
	PoolPercent
	PoolPriority
	WatchdogInterval
	WatchdogCount
	PortMapping
	PortRemark
	PortPFC
	PortPause
	PortECN
	PortScheduler
	PortShaper
	PortWatchdog
	RoutingAdaptive
	PortAdaptive
)

// Row is one path of the tree, as the manuals of some releases have it.
type Row struct {
	// Path is its keys with dots between them. Those in angle brackets stand for any of their kind: <profile>, <interface>, <pool>,
	// <group>, <dscp>, and <n>, which is 0 to 7.
	Path string
	Type
	Means   Meaning
	Since   Release // the first that has it; zero: the first of all, 5.4
	Before  Release // the first that has it no more; zero: none
	Default string  // what counts where it is not set; empty: nothing, or not known
	Source  string  // the manual
	Unsure  string  // what the manuals leave open, in a sentence; empty: nothing
}

// First is the first release in which NVUE has all of qos but what is marked; 5.0 to 5.2 know qos roce alone, and 5.3 some profiles.
// Source: NVUE Reference, Set and Unset Commands, QoS, version history.
var First = Release{5, 4}

// The sources of the rows.
const (
	setReference = "NVUE Reference, Set and Unset Commands, QoS"
	chapter      = "Cumulus Linux 5.17, Quality of Service"
	preset       = "Cumulus Linux 5.14, RDMA over Converged Ethernet"
	commands     = "nv list-commands of 5.4"
	routing      = "NVUE Reference, Adaptive Routing"
)

const unsureWord = "The manual of 5.17 prints enable and enabled; the form that the switch shows is kept."

var (
	onOff  = Switch("enable", "disable")
	metres = Range(1, 100_000, Metres)
	size   = Range(1, 4_294_967_295, Bytes) // from 1 on by the OpenAPI of 5.3, which has no upper bound
	zero7  = Range(0, 7, "")
)

// Rows is every path below qos that a manual of 5.4 to 5.18 documents and that lossless traffic notices; of the others the place
// alone, as [Anything], so that they are known for what they are.
var Rows = []Row{
	{
		Path: "qos.roce.enable", Type: Switch("on", "off"), Means: PresetOn, Before: Release{5, 15}, Default: "off", Source: setReference,
	},
	{
		Path: "qos.roce.state", Type: Switch("enabled", "disabled"), Means: PresetOn, Since: Release{5, 15}, Default: "disabled",
		Source: setReference,
	},
	{
		Path: "qos.roce.mode", Type: Enum("lossless", "lossy"), Means: PresetMode, Before: Release{5, 12}, Default: "lossless",
		Source: setReference,
	},
	{
		Path: "qos.roce.mode", Type: Enum("lossless", "lossy", "lossless-single-ipool", "lossy-multi-tc"), Means: PresetMode,
		Since: Release{5, 12}, Default: "lossless", Source: setReference,
		Unsure: "lossy-multi-tc is in the manual of 5.14, and absent from the reference.",
	},
	{
		Path: "qos.roce.cable-length", Type: metres, Means: PresetCable, Default: "100", Source: setReference,
		Unsure: "An older reference has it up to 5.3 alone, and that of 5.17 again; rocec never writes it.",
	},

	{
		Path: "qos.mapping.<profile>.trust", Type: Enum("l2", "l3", "both", "port"), Means: Trust, Default: "l2", Source: commands,
	},
	{Path: "qos.mapping.<profile>.pcp.<n>.switch-priority", Type: zero7, Means: MapPCP, Source: commands},
	{Path: "qos.mapping.<profile>.dscp.<dscp>.switch-priority", Type: zero7, Means: MapDSCP, Source: commands},
	{Path: "qos.mapping.<profile>.port-default-sp", Type: zero7, Means: PortDefault, Default: "0", Source: commands},

	{Path: "qos.remark.<profile>.rewrite", Type: Enum("l2", "l3", "both"), Means: Rewrite, Source: commands},
	{Path: "qos.remark.<profile>.switch-priority.<n>.pcp", Type: zero7, Means: RewritePCP, Source: commands},
	{Path: "qos.remark.<profile>.switch-priority.<n>.dscp", Type: Range(0, 63, ""), Means: RewriteDSCP, Source: commands},

	{Path: "qos.pfc.<profile>.switch-priority", Type: Type{Kind: Set}, Means: PFCPriority, Source: commands},
	{Path: "qos.pfc.<profile>.tx", Type: onOff, Means: PFCSends, Default: "enable", Source: commands, Unsure: unsureWord},
	{Path: "qos.pfc.<profile>.rx", Type: onOff, Means: PFCObeys, Default: "enable", Source: commands, Unsure: unsureWord},
	{
		Path: "qos.pfc.<profile>.cable-length", Type: metres, Means: PFCCable, Default: "10", Source: chapter,
		Unsure: "The OpenAPI of 5.3 has 100 as the default; rocec always writes it.",
	},
	{Path: "qos.pfc.<profile>.port-buffer", Type: size, Means: PFCBuffer, Source: commands},
	{Path: "qos.pfc.<profile>.xoff-threshold", Type: size, Means: PFCXoff, Source: commands},
	{
		Path: "qos.pfc.<profile>.xon-threshold", Type: size, Means: PFCXonDelta, Source: chapter,
		Unsure: "The manual of 5.17 has it as bytes below xoff-threshold; an older one counts it from 0.",
	},
	{
		Path: "qos.pfc.<profile>.small-packet-probability", Type: Range(0, 100, Percent), Since: Release{5, 17}, Source: setReference,
		Unsure: "The chapter of 5.17 has it below the interface; rocec never writes it, and the switch counts small packets alone.",
	},

	{Path: "qos.link-pause.<profile>.tx", Type: onOff, Means: PauseSends, Default: "enable", Source: commands, Unsure: unsureWord},
	{Path: "qos.link-pause.<profile>.rx", Type: onOff, Means: PauseObeys, Default: "enable", Source: commands, Unsure: unsureWord},
	{Path: "qos.link-pause.<profile>.cable-length", Type: metres, Means: PauseCable, Default: "10", Source: commands},
	{Path: "qos.link-pause.<profile>.port-buffer", Type: size, Means: PauseBuffer, Source: commands},
	{Path: "qos.link-pause.<profile>.xoff-threshold", Type: size, Means: PauseXoff, Source: commands},
	{Path: "qos.link-pause.<profile>.xon-threshold", Type: size, Means: PauseXonDelta, Source: commands, Unsure: "As of PFC."},

	{
		Path: "qos.egress-queue-mapping.default-global.switch-priority.<n>.traffic-class", Type: zero7, Means: QueueOf, Source: commands,
	},
	{
		Path: "qos.egress-scheduler.<profile>.traffic-class.<n>.mode", Type: Enum("dwrr", "strict"), Means: QueueMode, Source: commands,
	},
	{
		Path: "qos.egress-scheduler.<profile>.traffic-class.<n>.bw-percent", Type: Range(0, 100, Percent), Means: QueuePercent,
		Source: commands, Unsure: "The reference has 1 to 100, the commands of 5.4 have 0, too; rocec writes 1 at least.",
	},

	{
		Path: "qos.congestion-control.<profile>.traffic-class.<n>.ecn", Type: onOff, Means: ECNOn, Source: commands, Unsure: unsureWord,
	},
	{
		Path: "qos.congestion-control.<profile>.traffic-class.<n>.red", Type: onOff, Means: REDOn, Source: commands,
		Unsure: unsureWord + " The OpenAPI of 5.3 has enable as the default; rocec always writes it.",
	},
	{
		Path: "qos.congestion-control.<profile>.traffic-class.<n>.min-threshold", Type: size, Means: ECNMin, Default: "150000",
		Source: commands,
	},
	{
		Path: "qos.congestion-control.<profile>.traffic-class.<n>.max-threshold", Type: size, Means: ECNMax, Default: "1500000",
		Source: commands,
	},
	{
		Path: "qos.congestion-control.<profile>.traffic-class.<n>.probability", Type: Range(0, 100, Percent), Means: ECNProbability,
		Default: "100", Source: commands,
	},
	{
		Path: "qos.congestion-control.<profile>.traffic-class.<n>.mode", Type: Enum("absolute", "relative"), Since: Release{5, 17},
		Default: "absolute", Source: chapter,
	},
	{
		Path: "qos.congestion-control.<profile>.traffic-class.<n>.min-threshold-percent", Type: Range(0, 100, Percent),
		Since: Release{5, 17}, Source: chapter,
	},
	{
		Path: "qos.congestion-control.<profile>.traffic-class.<n>.max-threshold-percent", Type: Range(0, 100, Percent),
		Since: Release{5, 17}, Source: chapter,
	},

	{Path: "qos.traffic-pool.<pool>.memory-percent", Type: Range(1, 100, Percent), Means: PoolPercent, Source: commands},
	{Path: "qos.traffic-pool.<pool>.switch-priority", Type: Type{Kind: Set}, Means: PoolPriority, Source: commands},

	{
		Path: "qos.pfc-watchdog.polling-interval", Type: Range(1, 100_000, Millis), Means: WatchdogInterval, Since: Release{5, 6},
		Default: "100", Source: setReference, Unsure: "The manuals print no bounds.",
	},
	{
		Path: "qos.pfc-watchdog.robustness", Type: Range(1, 100_000, ""), Means: WatchdogCount, Since: Release{5, 6}, Default: "3",
		Source: setReference, Unsure: "The manuals print no bounds.",
	},

	{Path: "qos.egress-shaper.<profile>", Type: Type{Kind: Anything}, Source: commands},
	{
		Path: "qos.advance-buffer-config.default-global.ingress-pool", Type: Type{Kind: Anything}, Before: Release{5, 11}, Source: commands,
	},
	{
		Path: "qos.advance-buffer-config.default-global.egress-pool", Type: Type{Kind: Anything}, Before: Release{5, 11}, Source: commands,
	},
	{
		Path: "qos.advance-buffer-config.default-global.ingress-service-pool", Type: Type{Kind: Anything}, Since: Release{5, 11},
		Source: setReference,
	},
	{
		Path: "qos.advance-buffer-config.default-global.egress-service-pool", Type: Type{Kind: Anything}, Since: Release{5, 11},
		Source: setReference,
	},
	{
		Path: "qos.advance-buffer-config.default-global.ingress-lossy-buffer.priority-group.<oldgroup>", Type: Type{Kind: Anything},
		Before: Release{5, 10}, Source: commands,
	},
	{
		Path: "qos.advance-buffer-config.default-global.ingress-lossy-buffer.priority-group.<group>", Type: Type{Kind: Anything},
		Since: Release{5, 10}, Source: setReference,
	},
	{
		Path: "qos.advance-buffer-config.default-global.ingress-lossless-buffer.priority-group.<group>.switch-priority",
		Type: Type{Kind: Set}, Since: Release{5, 17}, Source: chapter,
	},
	{
		Path: "qos.advance-buffer-config.default-global.ingress-lossless-buffer.service-pool", Type: Type{Kind: Anything}, Source: commands,
	},
	{
		Path: "qos.advance-buffer-config.default-global.ingress-lossless-buffer.shared-alpha", Type: Enum(alphas...), Default: "alpha_1",
		Source: commands,
	},
	{
		Path: "qos.advance-buffer-config.default-global.ingress-lossless-buffer.shared-bytes", Type: Range(0, 4_294_967_295, Bytes),
		Source: commands,
	},
	{Path: "qos.advance-buffer-config.default-global.<buffer>", Type: Type{Kind: Anything}, Source: commands},

	{Path: "interface.<interface>.qos.mapping.profile", Type: Type{Kind: Profile}, Means: PortMapping, Source: commands},
	{Path: "interface.<interface>.qos.remark.profile", Type: Type{Kind: Profile}, Means: PortRemark, Source: commands},
	{Path: "interface.<interface>.qos.pfc.profile", Type: Type{Kind: Profile}, Means: PortPFC, Source: commands},
	{Path: "interface.<interface>.qos.link-pause.profile", Type: Type{Kind: Profile}, Means: PortPause, Source: commands},
	{Path: "interface.<interface>.qos.congestion-control.profile", Type: Type{Kind: Profile}, Means: PortECN, Source: commands},
	{Path: "interface.<interface>.qos.egress-scheduler.profile", Type: Type{Kind: Profile}, Means: PortScheduler, Source: commands},
	{Path: "interface.<interface>.qos.egress-shaper.profile", Type: Type{Kind: Profile}, Means: PortShaper, Source: commands},
	{
		Path: "interface.<interface>.qos.pfc-watchdog.state", Type: onOff, Means: PortWatchdog, Since: Release{5, 6}, Default: "disable",
		Source: setReference, Unsure: unsureWord,
	},
	{
		Path: "interface.<interface>.qos.small-packet-probability", Type: Range(0, 100, Percent), Since: Release{5, 17}, Source: chapter,
		Unsure: "The reference has it in the PFC profile.",
	},
	{Path: "interface.<interface>.qos.shared-headroom-pool", Type: onOff, Since: Release{5, 17}, Source: chapter, Unsure: unsureWord},
	{
		Path: "interface.<interface>.qos.headroom.lossy.extra-threshold", Type: Range(192, 1_236_480, Bytes), Since: Release{5, 16},
		Default: "153600", Source: setReference,
	},

	{
		Path: "router.adaptive-routing.enable", Type: Switch("on", "off"), Means: RoutingAdaptive, Before: Release{5, 15}, Default: "off",
		Source: routing,
	},
	{
		Path: "router.adaptive-routing.state", Type: Switch("enabled", "disabled"), Means: RoutingAdaptive, Since: Release{5, 15},
		Default: "disabled", Source: routing, Unsure: "No reference of 5.15 and later prints the name; rocec reads either and writes none.",
	},
	{
		Path: "interface.<interface>.router.adaptive-routing.enable", Type: Switch("on", "off"), Means: PortAdaptive,
		Before: Release{5, 15}, Default: "off", Source: routing,
	},
	{
		Path: "interface.<interface>.router.adaptive-routing.state", Type: Switch("enabled", "disabled"), Means: PortAdaptive,
		Since: Release{5, 15}, Default: "disabled", Source: routing, Unsure: "As above.",
	},
}

// The shares of a pool that one buffer may take.
var alphas = []string{
	"alpha_0", "alpha_1_128", "alpha_1_64", "alpha_1_32", "alpha_1_16", "alpha_1_8", "alpha_1_4", "alpha_1_2", "alpha_1", "alpha_2",
	"alpha_4", "alpha_8", "alpha_16", "alpha_32", "alpha_64", "alpha_infinity",
}

// The names that a wildcard of a path stands for; those that are not here are any.
var wildcards = map[string][]string{
	"<pool>":     {"default-lossy", "default-lossless", "mc-lossy", "roce-lossy", "roce-lossless"},
	"<group>":    {"bulk", "service1", "service2", "service3", "service4", "service5", "service6", "service7"},
	"<oldgroup>": {"bulk", "control", "service1", "service2", "service3", "service4", "service5", "service6"},
}
