// Package metrics has the tables of the metrics of rocec and rocecd (each a [Metric]), and writes what one verify has read, and the state
// of a team, as OpenMetrics.
//
// The names, units and labels are a promise (docs/metrics.md): a later rocec may add metrics, but renames and removes none. The counters
// are those of [ir.PauseCounters], by one name each, so that no name depends on a vendor. A counter that a device does not have has no
// sample.
package metrics

import "github.com/rocec/rocec/compiler/ir"

// Kind is the type of a metric. The textfile collector of node_exporter refuses a file with any other type of OpenMetrics.
type Kind string

// The types.
const (
	Counter Kind = "counter"
	Gauge   Kind = "gauge"
)

// Metric is a row of the table.
type Metric struct {
	Name   string // in a query: the name of a counter ends in _total
	Kind   Kind
	Unit   string   // a part of the name; empty: the metric has no unit of OpenMetrics
	Labels []string // after the label fabric, which every sample has
	Help   string   // a sentence

	field func(*ir.PauseCounters) ir.Counter                      // the counter of the metric; nil: write has its samples
	write func(l *Look, put func(value string, labels ...string)) // as labels, the values of Labels
}

// OfPriority reports whether the metric is a counter of [ir.PauseCounters], which not every device has.
func (m *Metric) OfPriority() bool { return m.field != nil }

// The names that rules and dashboards use.
const (
	ReceivedFrames = "rocec_pfc_received_frames_total"
	ReceivedPause  = "rocec_pfc_received_pause_seconds_total"
	Dropped        = "rocec_lossless_dropped_packets_total"
	WatchdogCuts   = "rocec_watchdog_cuts_total"
	Marked         = "rocec_ecn_marked_packets_total"
	NoticesSent    = "rocec_notifications_sent_total"
	NoticesHandled = "rocec_notifications_handled_total"
	NoticesUnknown = "rocec_notifications_unknown_nics"
	QueueBytes     = "rocec_queue_bytes"
	HeadroomPeak   = "rocec_headroom_peak_bytes"
	PortLossless   = "rocec_port_lossless"
	PortHeadroom   = "rocec_port_headroom_derived_bytes"
	PortPauses     = "rocec_port_pauses_expected"
	DeviceState    = "rocec_device_state"
	DeviceRead     = "rocec_device_read"
	LastLook       = "rocec_last_look_timestamp_seconds"
	Findings       = "rocec_findings"
)

// The labels of samples at ports.
const (
	LabelFabric   = "fabric"
	LabelDevice   = "device"
	LabelPort     = "port"
	LabelPriority = "priority"
)

// The units, as OpenMetrics names them.
const (
	unitFrames  = "frames"
	unitPackets = "packets"
	unitBytes   = "bytes"
	unitSeconds = "seconds"
)

// byPriority are the labels of a metric of one priority at one port.
var byPriority = []string{LabelDevice, LabelPort, LabelPriority}

// Table has every metric of a look, in the order of the output.
var Table = []*Metric{
	{
		Name: ReceivedFrames, Kind: Counter, Unit: unitFrames, Labels: byPriority,
		field: func(c *ir.PauseCounters) ir.Counter { return c.Received },
		Help:  "PFC frames that the port received for the priority. Most chips also count frames that end a pause.",
	},
	{
		Name: "rocec_pfc_sent_frames_total", Kind: Counter, Unit: unitFrames, Labels: byPriority,
		field: func(c *ir.PauseCounters) ir.Counter { return c.Sent },
		Help:  "PFC frames that the port sent for the priority. Most chips also count frames that end a pause.",
	},
	{
		Name: ReceivedPause, Kind: Counter, Unit: unitSeconds, Labels: byPriority,
		field: func(c *ir.PauseCounters) ir.Counter { return c.ReceivedTime },
		Help:  "Time in which the port was not allowed to send the priority.",
	},
	{
		Name: "rocec_pfc_sent_pause_seconds_total", Kind: Counter, Unit: unitSeconds, Labels: byPriority,
		field: func(c *ir.PauseCounters) ir.Counter { return c.SentTime },
		Help:  "Time in which the port did not allow its peer to send the priority.",
	},
	{
		Name: "rocec_queue_sent_packets_total", Kind: Counter, Unit: unitPackets, Labels: byPriority,
		field: func(c *ir.PauseCounters) ir.Counter { return c.Packets },
		Help:  "Packets that the queue of the priority sent.",
	},
	{
		Name: Dropped, Kind: Counter, Unit: unitPackets, Labels: byPriority,
		field: func(c *ir.PauseCounters) ir.Counter { return c.Dropped },
		Help:  "Packets that the lossless buffer of the priority dropped.",
	},
	{
		Name: WatchdogCuts, Kind: Counter, Labels: byPriority,
		field: func(c *ir.PauseCounters) ir.Counter { return c.Cut },
		Help:  "Times that a PFC watchdog cut the queue of the priority.",
	},
	{
		Name: "rocec_watchdog_cutting", Kind: Gauge, Labels: byPriority,
		field: func(c *ir.PauseCounters) ir.Counter { return c.Cutting },
		Help:  "1 while a PFC watchdog cuts the queue of the priority, and 0 while it watches the queue.",
	},
	{
		Name: Marked, Kind: Counter, Unit: unitPackets, Labels: byPriority,
		field: func(c *ir.PauseCounters) ir.Counter { return c.Marked },
		Help:  "Packets of the priority with a mark of congestion (ECN).",
	},
	{
		Name: QueueBytes, Kind: Gauge, Unit: unitBytes, Labels: byPriority,
		field: func(c *ir.PauseCounters) ir.Counter { return c.Waiting },
		Help:  "Bytes in the queue of the priority now.",
	},
	{
		Name: "rocec_headroom_bytes", Kind: Gauge, Unit: unitBytes, Labels: byPriority,
		field: func(c *ir.PauseCounters) ir.Counter { return c.Headroom },
		Help:  "Bytes in the headroom of the lossless buffer now.",
	},
	{
		Name: HeadroomPeak, Kind: Gauge, Unit: unitBytes, Labels: byPriority,
		field: func(c *ir.PauseCounters) ir.Counter { return c.Peak },
		Help:  "The most bytes in the headroom of the lossless buffer since the device last cleared the value.",
	},
	{
		Name: NoticesSent, Kind: Counter, Labels: []string{LabelDevice, LabelPort}, write: noticesSent,
		Help: "Congestion notification packets (CNP) that the NIC sent, as the receiver of marked packets.",
	},
	{
		Name: NoticesHandled, Kind: Counter, Labels: []string{LabelDevice, LabelPort}, write: noticesHandled,
		Help: "Congestion notification packets (CNP) after which the NIC slowed down, as the sender of marked packets.",
	},
	{
		Name: NoticesUnknown, Kind: Gauge, write: noticesUnknown,
		Help: "NICs that exchange marked traffic and whose notifications are not known.",
	},
	{
		Name: PortLossless, Kind: Gauge, Labels: []string{LabelDevice, LabelPort, LabelPriority, "group"}, write: portLossless,
		Help: "1 for each priority that the fabric makes lossless by PFC at the port, with its cos group.",
	},
	{
		Name: PortHeadroom, Kind: Gauge, Unit: unitBytes, Labels: byPriority, write: portHeadroom,
		Help: "Headroom that the fabric derives or states for the lossless buffer at a switch port.",
	},
	{
		Name: PortPauses, Kind: Gauge, Labels: byPriority, write: portPauses,
		Help: "1 if a device behind the port may pause it when the healthy fabric is congested, otherwise 0.",
	},
	{
		Name: DeviceState, Kind: Gauge, Labels: []string{LabelDevice, "state"}, write: deviceState,
		Help: "1 for the status of the device in verify: good, other, drift, refused or pending.",
	},
	{
		Name: DeviceRead, Kind: Gauge, Labels: []string{LabelDevice}, write: deviceRead,
		Help: "1 if the last look read the device, otherwise 0.",
	},
	{
		Name: LastLook, Kind: Gauge, Unit: unitSeconds, write: lastLook,
		Help: "Time at which the last look began to read the devices, in seconds since 1970.",
	},
	{
		Name: Findings, Kind: Gauge, Labels: []string{"code", "severity"}, write: findings,
		Help: "Findings of the last look, by code and severity.",
	},
	{
		Name: "rocec_build_info", Kind: Gauge, Labels: []string{"version"}, write: buildInfo,
		Help: "1, with the version of the rocec that looked.",
	},
}

// samples calls put for each sample of the metric.
func (m *Metric) samples(l *Look, put func(value string, labels ...string)) {
	if !m.OfPriority() {
		m.write(l, put)
		return
	}
	text := whole
	if m.Unit == unitSeconds {
		text = seconds
	}
	l.counters(func(device string, c *ir.PauseCounters) {
		if n := m.field(c); n.Known {
			put(text(n.Value), device, c.Port, priority(c.Priority))
		}
	})
}
