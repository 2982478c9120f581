package grammar

import (
	"slices"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	cl "github.com/rocec/rocec/targets/cumulus/grammar"
)

// Release is a release of Cumulus Linux.
type Release = cl.Release

// Meaning is the effect of a path, independent of its spelling.
type Meaning int

// The meanings that rocec writes, reads or checks. The names of profile meanings begin with the name of their table.
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

// Row is one path of the tree, as the manuals of some releases document it.
type Row struct {
	// Path has the keys with dots between them. Names in angle brackets match any name of their kind: <profile>, <interface>, <pool>,
	// <group>, <dscp>, and <n>, which is 0 to 7.
	Path string
	Type
	Means   Meaning
	Since   Release // the first release with the path; zero: 5.4
	Before  Release // the first release that lacks it again; zero: none
	Default string  // the effective value if the path is not set; empty: none, or unknown
	Source  string  // the manual
	Unsure  string  // what the manuals leave open, in a sentence; may be empty

	// Each row has one of these: the field of a device's settings that it sets, the reason why it sets none, or the reason why rocec does
	// not understand it.
	Field ir.Field
	Aside string
	Open  string
}

// First is the first release in which NVUE has all of qos, except for rows with a later Since. Releases 5.0 to 5.2 have only qos roce,
// and 5.3 has some profiles. Source: NVUE Reference, Set and Unset Commands, QoS, version history.
var First = Release{5, 4}

// The sources of the rows.
const (
	setReference = "NVUE Reference, Set and Unset Commands, QoS"
	chapter      = "Cumulus Linux 5.17, Quality of Service"
	preset       = "Cumulus Linux 5.14, RDMA over Converged Ethernet"
	commands     = "nv list-commands of 5.4"
	routing      = "NVUE Reference, Adaptive Routing"
)

const unsureWord = "The manual of 5.17 prints enable and enabled; rocec keeps the form that the switch shows."

var (
	onOff  = Switch("enable", "disable")
	metres = Range(1, 100_000, Metres)
	size   = Range(1, 4_294_967_295, Bytes) // from 1 on, by the OpenAPI of 5.3, which has no upper bound
	zero7  = Range(0, 7, "")
)

// Rows lists every path below qos that affects lossless traffic and that a manual of 5.4 to 5.18 documents. For other paths, it lists
// only the first keys, as [Anything], so that these paths count as known. A row below an [Anything] is a path that readers understand.
var Rows = sync.OnceValue(func() []Row {
	return slices.Concat(classRows(), pauseRows(), queueRows(), shaperRows(), bufferRows(), portRows(), otherRows())
})

// classRows returns the rows of the preset, maps and remarks.
func classRows() []Row {
	return []Row{
		{
			Path: "qos.roce.enable", Field: ir.FieldPreset, Type: Switch("on", "off"), Means: PresetOn, Before: Release{5, 15},
			Default: "off", Source: setReference,
		},
		{
			Path: "qos.roce.state", Field: ir.FieldPreset, Type: Switch("enabled", "disabled"), Means: PresetOn, Since: Release{5, 15},
			Default: "disabled", Source: setReference,
		},
		{
			Path: "qos.roce.mode", Field: ir.FieldPreset, Type: Enum("lossless", "lossy"), Means: PresetMode, Before: Release{5, 12},
			Default: "lossless", Source: setReference,
		},
		{
			Path: "qos.roce.mode", Field: ir.FieldPreset, Type: Enum("lossless", "lossy", "lossless-single-ipool", "lossy-multi-tc"),
			Means: PresetMode, Since: Release{5, 12}, Default: "lossless", Source: setReference,
			Unsure: "lossy-multi-tc is in the manual of 5.14, and absent from the reference.",
		},
		{
			Path: "qos.roce.cable-length", Field: ir.FieldCable, Type: metres, Means: PresetCable, Default: "100", Source: setReference,
			Unsure: "An older reference has it only up to 5.3, and the reference of 5.17 has it again; rocec never writes it.",
		},

		{
			Path: "qos.mapping.<profile>.trust", Field: ir.FieldTrust, Type: Enum("l2", "l3", "both", "port"), Means: Trust, Default: "l2",
			Source: commands,
		},
		{Path: "qos.mapping.<profile>.pcp.<n>.switch-priority", Field: ir.FieldPCP, Type: zero7, Means: MapPCP, Source: commands},
		{Path: "qos.mapping.<profile>.dscp.<dscp>.switch-priority", Field: ir.FieldDSCP, Type: zero7, Means: MapDSCP, Source: commands},
		{
			Path: "qos.mapping.<profile>.port-default-sp", Field: ir.FieldDefaultCos, Type: zero7, Means: PortDefault, Default: "0",
			Source: commands,
		},

		{Path: "qos.remark.<profile>.rewrite", Field: ir.FieldRewrite, Type: Enum("l2", "l3", "both"), Means: Rewrite, Source: commands},
		{Path: "qos.remark.<profile>.switch-priority.<n>.pcp", Field: ir.FieldRewrite, Type: zero7, Means: RewritePCP, Source: commands},
		{
			Path: "qos.remark.<profile>.switch-priority.<n>.dscp", Field: ir.FieldRewrite, Type: Range(0, 63, ""), Means: RewriteDSCP,
			Source: commands,
		},
	}
}

// pauseRows returns the rows of PFC and link pause.
func pauseRows() []Row {
	return []Row{
		{Path: "qos.pfc.<profile>.switch-priority", Field: ir.FieldPauses, Type: Type{Kind: Set}, Means: PFCPriority, Source: commands},
		{
			Path: "qos.pfc.<profile>.tx", Field: ir.FieldPauses, Type: onOff, Means: PFCSends, Default: "enable", Source: commands,
			Unsure: unsureWord,
		},
		{
			Path: "qos.pfc.<profile>.rx", Field: ir.FieldPauses, Type: onOff, Means: PFCObeys, Default: "enable", Source: commands,
			Unsure: unsureWord,
		},
		{
			Path: "qos.pfc.<profile>.cable-length", Field: ir.FieldCable, Type: metres, Means: PFCCable, Default: "10", Source: chapter,
			Unsure: "The OpenAPI of 5.3 has 100 as the default; rocec always writes it.",
		},
		{Path: "qos.pfc.<profile>.port-buffer", Field: ir.FieldBuffer, Type: size, Means: PFCBuffer, Source: commands},
		{Path: "qos.pfc.<profile>.xoff-threshold", Field: ir.FieldXoff, Type: size, Means: PFCXoff, Source: commands},
		{
			Path: "qos.pfc.<profile>.xon-threshold", Field: ir.FieldXon, Type: size, Means: PFCXonDelta, Source: chapter,
			Unsure: "The manual of 5.17 defines it as bytes below xoff-threshold; an older manual counts from 0.",
		},
		{
			Path: "qos.pfc.<profile>.small-packet-probability", Aside: asideSmall, Type: Range(0, 100, Percent), Since: Release{5, 17},
			Source: setReference,
			Unsure: "The chapter of 5.17 has it below the interface; rocec never writes it, and the switch counts only small packets.",
		},

		{
			Path: "qos.link-pause.<profile>.tx", Field: ir.FieldLinkPause, Type: onOff, Means: PauseSends, Default: "enable",
			Source: commands, Unsure: unsureWord,
		},
		{
			Path: "qos.link-pause.<profile>.rx", Field: ir.FieldLinkPause, Type: onOff, Means: PauseObeys, Default: "enable",
			Source: commands, Unsure: unsureWord,
		},
		{
			Path: "qos.link-pause.<profile>.cable-length", Field: ir.FieldCable, Type: metres, Means: PauseCable, Default: "10",
			Source: commands,
		},
		{Path: "qos.link-pause.<profile>.port-buffer", Field: ir.FieldBuffer, Type: size, Means: PauseBuffer, Source: commands},
		{Path: "qos.link-pause.<profile>.xoff-threshold", Field: ir.FieldXoff, Type: size, Means: PauseXoff, Source: commands},
		{
			Path: "qos.link-pause.<profile>.xon-threshold", Field: ir.FieldXon, Type: size, Means: PauseXonDelta, Source: commands,
			Unsure: "As of PFC.",
		},
	}
}

// queueRows returns the rows of queues, marks, pools and the watchdog.
func queueRows() []Row {
	return []Row{
		{
			Path: "qos.egress-queue-mapping.default-global.switch-priority.<n>.traffic-class", Field: ir.FieldQueue, Type: zero7,
			Means: QueueOf, Source: commands,
		},
		{
			Path: "qos.egress-scheduler.<profile>.traffic-class.<n>.mode", Field: ir.FieldStrict, Type: Enum("dwrr", "strict"),
			Means: QueueMode, Source: commands,
		},
		{
			Path: "qos.egress-scheduler.<profile>.traffic-class.<n>.bw-percent", Field: ir.FieldShare, Type: Range(0, 100, Percent),
			Means: QueuePercent, Source: commands,
			Unsure: "The reference allows 1 to 100, and the commands of 5.4 also 0; rocec writes at least 1.",
		},

		{
			Path: "qos.congestion-control.<profile>.traffic-class.<n>.ecn", Field: ir.FieldMarking, Type: onOff, Means: ECNOn,
			Source: commands, Unsure: unsureWord,
		},
		{
			Path: "qos.congestion-control.<profile>.traffic-class.<n>.red", Field: ir.FieldDrop, Type: onOff, Means: REDOn,
			Source: commands, Unsure: unsureWord + " The OpenAPI of 5.3 has enable as the default; rocec always writes it.",
		},
		{
			Path: "qos.congestion-control.<profile>.traffic-class.<n>.min-threshold", Field: ir.FieldMarking, Type: size, Means: ECNMin,
			Default: "150000", Source: commands,
		},
		{
			Path: "qos.congestion-control.<profile>.traffic-class.<n>.max-threshold", Field: ir.FieldMarking, Type: size, Means: ECNMax,
			Default: "1500000", Source: commands,
		},
		{
			Path: "qos.congestion-control.<profile>.traffic-class.<n>.probability", Field: ir.FieldMarking, Type: Range(0, 100, Percent),
			Means: ECNProbability, Default: "100", Source: commands,
		},
		{
			Path: "qos.congestion-control.<profile>.traffic-class.<n>.mode", Field: ir.FieldMarking, Type: Enum("absolute", "relative"),
			Since: Release{5, 17}, Default: "absolute", Source: chapter,
		},
		{
			Path: "qos.congestion-control.<profile>.traffic-class.<n>.min-threshold-percent", Field: ir.FieldMarking,
			Type: Range(0, 100, Percent), Since: Release{5, 17}, Source: chapter,
		},
		{
			Path: "qos.congestion-control.<profile>.traffic-class.<n>.max-threshold-percent", Field: ir.FieldMarking,
			Type: Range(0, 100, Percent), Since: Release{5, 17}, Source: chapter,
		},

		{
			Path: "qos.traffic-pool.<pool>.memory-percent", Field: ir.FieldPool, Type: Range(1, 100, Percent), Means: PoolPercent,
			Source: commands,
		},
		{
			Path: "qos.traffic-pool.<pool>.switch-priority", Field: ir.FieldGroupPool, Type: Type{Kind: Set}, Means: PoolPriority,
			Source: commands,
		},

		{
			Path: "qos.pfc-watchdog.polling-interval", Field: ir.FieldWatchdog, Type: Range(1, 100_000, Millis), Means: WatchdogInterval,
			Since: Release{5, 6}, Default: "100", Source: setReference, Unsure: "The manuals print no bounds.",
		},
		{
			Path: "qos.pfc-watchdog.robustness", Field: ir.FieldWatchdog, Type: Range(1, 100_000, ""), Means: WatchdogCount,
			Since: Release{5, 6}, Default: "3", Source: setReference, Unsure: "The manuals print no bounds.",
		},
	}
}

// portRows returns the QoS rows of interfaces.
func portRows() []Row {
	return []Row{
		{
			Path: "interface.<interface>.qos.mapping.profile", Field: ir.FieldTrust, Type: Type{Kind: Profile}, Means: PortMapping,
			Source: commands,
		},
		{
			Path: "interface.<interface>.qos.remark.profile", Field: ir.FieldRewrite, Type: Type{Kind: Profile}, Means: PortRemark,
			Source: commands,
		},
		{Path: "interface.<interface>.qos.pfc.profile", Field: ir.FieldPauses, Type: Type{Kind: Profile}, Means: PortPFC, Source: commands},
		{
			Path: "interface.<interface>.qos.link-pause.profile", Field: ir.FieldLinkPause, Type: Type{Kind: Profile}, Means: PortPause,
			Source: commands,
		},
		{
			Path: "interface.<interface>.qos.congestion-control.profile", Field: ir.FieldMarking, Type: Type{Kind: Profile}, Means: PortECN,
			Source: commands,
		},
		{
			Path: "interface.<interface>.qos.egress-scheduler.profile", Field: ir.FieldShare, Type: Type{Kind: Profile},
			Means: PortScheduler, Source: commands,
		},
		{
			Path: "interface.<interface>.qos.egress-shaper.profile", Field: ir.FieldShaper, Type: Type{Kind: Profile}, Means: PortShaper,
			Source: commands,
		},
		{
			Path: "interface.<interface>.qos.pfc-watchdog.state", Field: ir.FieldWatchdog, Type: onOff, Means: PortWatchdog,
			Since: Release{5, 6}, Default: "disable", Source: setReference, Unsure: unsureWord,
		},
		{
			Path: "interface.<interface>.qos.small-packet-probability", Aside: asideSmall, Type: Range(0, 100, Percent),
			Since: Release{5, 17}, Source: chapter, Unsure: "The reference has it in the PFC profile.",
		},
		{
			Path: "interface.<interface>.qos.shared-headroom-pool", Open: openShared, Type: onOff, Since: Release{5, 17}, Source: chapter,
			Unsure: unsureWord,
		},
		{
			Path: "interface.<interface>.qos.headroom.lossy.extra-threshold", Aside: asideLossy, Type: Range(192, 1_236_480, Bytes),
			Since: Release{5, 16}, Default: "153600", Source: setReference,
		},

		{
			Path: "router.adaptive-routing.enable", Aside: asideRouting, Type: Switch("on", "off"), Means: RoutingAdaptive,
			Before: Release{5, 15}, Default: "off", Source: routing,
		},
		{
			Path: "router.adaptive-routing.state", Aside: asideRouting, Type: Switch("enabled", "disabled"), Means: RoutingAdaptive,
			Since: Release{5, 15}, Default: "disabled", Source: routing,
			Unsure: "No reference of 5.15 and later prints the name; rocec reads both names and writes neither.",
		},
		{
			Path: "interface.<interface>.router.adaptive-routing.enable", Aside: asideRouting, Type: Switch("on", "off"),
			Means: PortAdaptive, Before: Release{5, 15}, Default: "off", Source: routing,
		},
		{
			Path: "interface.<interface>.router.adaptive-routing.state", Aside: asideRouting, Type: Switch("enabled", "disabled"),
			Means: PortAdaptive, Since: Release{5, 15}, Default: "disabled", Source: routing, Unsure: "As above.",
		},
	}
}

// The names that a wildcard of a path matches. Wildcards that are not in the list match any name.
var wildcards = map[string][]string{
	"<pool>":     {"default-lossy", "default-lossless", "mc-lossy", "roce-lossy", "roce-lossless"},
	"<group>":    {"bulk", "service1", "service2", "service3", "service4", "service5", "service6", "service7"},
	"<oldgroup>": {"bulk", "control", "service1", "service2", "service3", "service4", "service5", "service6"},
}

// The reasons why a row sets no field, or why rocec does not understand it.
const (
	asideSmall     = "the switch derives headroom from it, by a formula that is not public"
	asideLossy     = "lossy traffic alone"
	asideRouting   = "routing"
	asideMulticast = "multicast"
	asideLabel     = "a name or a comment"
	asidePortPool  = "a part of a pool for a port as a whole"
	asideOwn       = "memory that a queue has in addition to its limit"
	asideKind      = "which interfaces are ports"
	asideMembers   = "which ports have the settings of a bond"
	asideLink      = "the link, except its speed and MTU"
	asideBridge    = "bridging"
	asideSystem    = "the system itself"
	asideTraffic   = "access lists and services"

	openBelow  = "no manual that rocec knows describes it"
	openShared = "the manuals leave open how much headroom ports share because of it"
)

// The values for the share of a pool that one buffer may use.
var alphas = []string{
	"alpha_0", "alpha_1_128", "alpha_1_64", "alpha_1_32", "alpha_1_16", "alpha_1_8", "alpha_1_4", "alpha_1_2", "alpha_1", "alpha_2",
	"alpha_4", "alpha_8", "alpha_16", "alpha_32", "alpha_64", "alpha_infinity",
}

var (
	anything = Type{Kind: Anything}
	bytes0   = Range(0, 4_294_967_295, Bytes)
	kbits    = Range(0, MostKbits, Kbits)
	pools    = Range(0, 255, "") // the manuals print no bound
	alpha    = Enum(alphas...)
)

// MostKbits is the rate of a shaper that does not limit. Source: Cumulus Linux 5.x, Quality of Service, Shaping.
const MostKbits = 2_147_483_647

// shaperRows returns the rows of egress-shaper profiles. Rates are in kbit/s (Cumulus Linux 5.x, Quality of Service, Shaping).
func shaperRows() []Row {
	return []Row{
		{Path: "qos.egress-shaper.<profile>", Open: openBelow, Type: anything, Source: commands},
		{Path: "qos.egress-shaper.<profile>.port-max-rate", Field: ir.FieldShaper, Type: kbits, Source: commands},
		{
			Path: "qos.egress-shaper.<profile>.traffic-class.<n>.min-rate", Field: ir.FieldMinRate, Type: kbits, Default: "0",
			Source: commands,
		},
		{Path: "qos.egress-shaper.<profile>.traffic-class.<n>.max-rate", Field: ir.FieldMaxRate, Type: kbits, Source: commands},
	}
}

// advance is the path above the rows of buffers, without a trailing dot.
const advance = "qos.advance-buffer-config.default-global"

// bufferRows returns the rows of advance-buffer-config: memory pools, and the buffers that use them.
func bufferRows() []Row {
	return slices.Concat(
		poolRows("ingress-pool", Release{}, Release{5, 11}, commands),
		poolRows("egress-pool", Release{}, Release{5, 11}, commands),
		poolRows("ingress-service-pool", Release{5, 11}, Release{}, setReference),
		poolRows("egress-service-pool", Release{5, 11}, Release{}, setReference),
		groupRows("<oldgroup>", Release{}, Release{5, 10}, commands),
		groupRows("<group>", Release{5, 10}, Release{}, setReference),
		[]Row{
			{
				Path: advance + ".ingress-lossless-buffer.priority-group.<group>.switch-priority", Field: ir.FieldGroup,
				Type: Type{Kind: Set}, Since: Release{5, 17}, Source: chapter,
			},
			{Path: advance + ".ingress-lossless-buffer.service-pool", Field: ir.FieldGroupPool, Type: anything, Source: commands},
			{
				Path: advance + ".ingress-lossless-buffer.shared-alpha", Field: ir.FieldGroupLimit, Type: alpha, Default: "alpha_1",
				Source: commands,
			},
			{Path: advance + ".ingress-lossless-buffer.shared-bytes", Field: ir.FieldGroupLimit, Type: bytes0, Source: commands},

			{Path: advance + ".egress-lossless-buffer", Open: openBelow, Type: anything, Source: commands},
			{Path: advance + ".egress-lossless-buffer.reserved", Aside: asideOwn, Type: bytes0, Source: commands},
			{Path: advance + ".egress-lossless-buffer.service-pool", Field: ir.FieldQueuePool, Type: pools, Source: commands},
			{
				Path: advance + ".egress-lossless-buffer.shared-alpha", Field: ir.FieldQueueLimit, Type: alpha, Default: "alpha_infinity",
				Source: commands,
			},
			{Path: advance + ".egress-lossless-buffer.shared-bytes", Field: ir.FieldQueueLimit, Type: bytes0, Source: commands},

			{Path: advance + ".egress-lossy-buffer", Open: openBelow, Type: anything, Source: commands},
			{Path: advance + ".egress-lossy-buffer.traffic-class.<class>.reserved", Aside: asideOwn, Type: bytes0, Source: commands},
			{
				Path: advance + ".egress-lossy-buffer.traffic-class.<class>.service-pool", Field: ir.FieldQueuePool, Type: pools,
				Source: commands,
			},
			{
				Path: advance + ".egress-lossy-buffer.traffic-class.<class>.shared-alpha", Field: ir.FieldQueueLimit, Type: alpha,
				Source: commands,
			},
			{
				Path: advance + ".egress-lossy-buffer.traffic-class.<class>.shared-bytes", Field: ir.FieldQueueLimit, Type: bytes0,
				Source: commands,
			},
			{Path: advance + ".egress-lossy-buffer.multicast-switch-priority", Aside: asideMulticast, Type: anything, Source: commands},
			{Path: advance + ".egress-lossy-buffer.multicast-port", Aside: asideMulticast, Type: anything, Source: commands},

			{Path: advance + ".ingress-mgmt-buffer", Aside: asideSystem, Type: anything, Source: setReference},
			{Path: advance + ".egress-mgmt-buffer", Aside: asideSystem, Type: anything, Source: setReference},
			{Path: advance + ".<buffer>", Open: openBelow, Type: anything, Source: commands},
		},
	)
}

// poolRows returns the rows of the pools of one side. name is the key that a release has for these pools.
func poolRows(name string, since, before Release, source string) []Row {
	rows := []Row{
		{Path: "", Open: openBelow, Type: anything},
		{Path: ".<pool-id>.memory-percent", Field: ir.FieldPool, Type: Range(0, 100, Percent)},
		{Path: ".<pool-id>.mode", Field: ir.FieldPool, Type: Enum("static", "dynamic")},
		{Path: ".<pool-id>.infinite", Field: ir.FieldPool, Type: Switch("true", "false"), Default: "false"},
		{Path: ".<pool-id>.reserved", Aside: asidePortPool, Type: bytes0},
		{Path: ".<pool-id>.shared-alpha", Aside: asidePortPool, Type: alpha},
		{Path: ".<pool-id>.shared-bytes", Aside: asidePortPool, Type: bytes0},
	}
	return placed(rows, advance+"."+name, since, before, source)
}

// groupRows returns the rows of the priority groups of lossy traffic. name is a wildcard for the group names of some releases.
func groupRows(name string, since, before Release, source string) []Row {
	rows := []Row{
		{Path: "", Open: openBelow, Type: anything},
		{Path: ".name", Aside: asideLabel, Type: Type{Kind: Word}},
		{Path: ".reserved", Field: ir.FieldBuffer, Type: bytes0},
		{Path: ".headroom", Field: ir.FieldHeadroom, Type: bytes0},
		{Path: ".service-pool", Field: ir.FieldGroupPool, Type: pools},
		{Path: ".shared-alpha", Field: ir.FieldGroupLimit, Type: alpha},
		{Path: ".shared-bytes", Field: ir.FieldGroupLimit, Type: bytes0},
		{Path: ".switch-priority", Field: ir.FieldGroup, Type: Type{Kind: Set}},
	}
	return placed(rows, advance+".ingress-lossy-buffer.priority-group."+name, since, before, source)
}

// placed returns rows with a path before their own, for some releases.
func placed(rows []Row, path string, since, before Release, source string) []Row {
	for i := range rows {
		r := &rows[i]
		r.Path, r.Since, r.Before, r.Source = path+r.Path, since, before, source
	}
	return rows
}

// otherRows returns the rest of the tree, which all releases have: speed and MTU of links, and the first keys of all other paths.
func otherRows() []Row {
	return []Row{
		{Path: "interface.<interface>.link.speed", Field: ir.FieldSpeed, Type: Type{Kind: Word}, Source: ports},
		{Path: "interface.<interface>.link.mtu", Field: ir.FieldMTU, Type: Range(552, 9216, Bytes), Default: "9216", Source: ports},
		{Path: "interface.<interface>.link", Aside: asideLink, Type: anything, Source: ports},
		{Path: "interface.<interface>.type", Aside: asideKind, Type: Type{Kind: Word}, Source: ports},
		{Path: "interface.<interface>.bond.member", Aside: asideMembers, Type: Type{Kind: Members}, Source: ports},
		{Path: "interface.<interface>.bond", Aside: asideBridge, Type: anything, Source: ports},
		{Path: "interface.<interface>.bridge", Aside: asideBridge, Type: anything, Source: ports},
		{Path: "interface.<interface>.description", Aside: asideLabel, Type: Type{Kind: Word}, Source: ports},
		{Path: "interface.<interface>.acl", Aside: asideTraffic, Type: anything, Source: ports},
		{Path: "interface.<interface>.evpn", Aside: asideRouting, Type: anything, Source: ports},
		{Path: "interface.<interface>.ip", Aside: asideRouting, Type: anything, Source: ports},
		{Path: "interface.<interface>.ipv4", Aside: asideRouting, Type: anything, Source: ports},
		{Path: "interface.<interface>.ipv6", Aside: asideRouting, Type: anything, Source: ports},
		{Path: "interface.<interface>.lldp", Aside: asideSystem, Type: anything, Source: ports},
		{Path: "interface.<interface>.ptp", Aside: asideSystem, Type: anything, Source: ports},
		{Path: "interface.<interface>.router", Aside: asideRouting, Type: anything, Source: ports},
		{Path: "interface.<interface>.synce", Aside: asideSystem, Type: anything, Source: ports},
		{Path: "interface.<interface>.tunnel", Aside: asideRouting, Type: anything, Source: ports},
		{Path: "interface.<interface>.vlan", Aside: asideBridge, Type: anything, Source: ports},
		{Path: "interface.<interface>.vrf", Aside: asideRouting, Type: anything, Source: ports},
		{Path: "interface.<interface>.base-interface", Aside: asideBridge, Type: anything, Source: ports},
		{Path: "acl", Aside: asideTraffic, Type: anything, Source: ports},
		{Path: "bridge", Aside: asideBridge, Type: anything, Source: ports},
		{Path: "evpn", Aside: asideRouting, Type: anything, Source: ports},
		{Path: "ib", Aside: asideSystem, Type: anything, Source: ports},
		{Path: "maintenance", Aside: asideSystem, Type: anything, Source: ports},
		{Path: "mlag", Aside: asideBridge, Type: anything, Source: ports},
		{Path: "nve", Aside: asideRouting, Type: anything, Source: ports},
		{Path: "platform", Aside: asideSystem, Type: anything, Source: ports},
		{Path: "router", Aside: asideRouting, Type: anything, Source: ports},
		{Path: "service", Aside: asideTraffic, Type: anything, Source: ports},
		{Path: "system", Aside: asideSystem, Type: anything, Source: ports},
		{Path: "vrf", Aside: asideRouting, Type: anything, Source: ports},
	}
}

const ports = "NVUE Reference, Set and Unset Commands"
