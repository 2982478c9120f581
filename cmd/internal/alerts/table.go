package alerts

import (
	"fmt"
	"strconv"

	"github.com/rocec/rocec/cmd/internal/metrics"
)

// The severities.
const (
	critical = "critical"
	warning  = "warning"
)

// The limits of the rules. They are ours: no standard states them.
const (
	unexpectedRate = 10  // pauses in a second, at a port that expects none: at 100 Gb/s less than 0.4 % of the time
	pausedShare    = 0.5 // of the time
	headroomShare  = 0.9 // of the derived headroom
	fewPackets     = 900 // marks or notifications in a window, below which their ratio says nothing
	answeredShare  = 0.5 // of the sent notifications
)

// Table has every alert, in the order of the rules.
var Table = []*Alert{
	{
		Name: "RocecLookOld", Severity: warning,
		Summary: `The last look at fabric {{ $labels.fabric }} is {{ $value | printf "%.0f" }} seconds old, ` +
			"so all other alerts are about the past.",
		expr:     func(fs *facts) string { return fmt.Sprintf("time() - %s > %d", fs.of(metrics.LastLook), windowSeconds) },
		examples: lookOld,
	},
	{
		Name: "RocecLookMissing", Severity: warning, For: "15m",
		Summary:  "There is no look at fabric {{ $labels.fabric }}: Prometheus has no metrics of rocec verify.",
		expr:     func(fs *facts) string { return "absent(" + fs.of(metrics.LastLook) + ")" },
		examples: lookMissing,
	},
	{
		Name: "RocecDeviceUnread", Severity: warning, For: "15m",
		Summary:  "The last looks did not read {{ $labels.device }}, so its counters are not known.",
		expr:     func(fs *facts) string { return fs.of(metrics.DeviceRead) + " == 0" },
		examples: deviceUnread,
	},
	{
		Name: "RocecDrift", Severity: warning, For: "15m",
		Summary:  "{{ $labels.device }} is not as the fabric is written: its status is {{ $labels.state }}.",
		expr:     func(fs *facts) string { return fs.of(metrics.DeviceState, `state=~"drift|refused"`) + " == 1" },
		examples: drift,
	},
	{
		Name: "RocecFinding", Severity: warning, For: "15m",
		Summary:  "The last look found errors with the code {{ $labels.code }}.",
		expr:     func(fs *facts) string { return fs.of(metrics.Findings, `severity="error"`) + " > 0" },
		examples: finding,
	},
	{
		Name: "RocecLosslessDrop", Severity: critical,
		Summary: atPort + ` dropped {{ $value | printf "%.0f" }} packets of priority {{ $labels.priority }}, which is lossless, in 15 minutes.`,
		expr: func(fs *facts) string {
			return ifLossless(fs, "increase("+fs.of(metrics.Dropped, among(fs.lossless))+window+") > 0")
		},
		examples: func(fs *facts) []example { return risesAtLossless(fs, metrics.Dropped) },
	},
	{
		Name: "RocecWatchdogCut", Severity: critical,
		Summary: atPort + ` cut the queue of priority {{ $labels.priority }} {{ $value | printf "%.0f" }} times in 15 minutes, ` +
			"so its packets were lost.",
		expr: func(fs *facts) string {
			return ifLossless(fs, "increase("+fs.of(metrics.WatchdogCuts, among(fs.lossless))+window+") > 0")
		},
		examples: func(fs *facts) []example { return risesAtLossless(fs, metrics.WatchdogCuts) },
	},
	{
		Name: "RocecPausedLong", Severity: critical, For: "5m",
		Summary: "Priority {{ $labels.priority }} is paused at " + atPort + " for {{ $value | humanizePercentage }} of the time.",
		expr: func(fs *facts) string {
			return ifLossless(fs, "rate("+fs.of(metrics.ReceivedPause, among(fs.lossless))+window+") > "+number(pausedShare))
		},
		examples: pausedLong,
	},
	{
		Name: "RocecPauseUnexpected", Severity: warning, For: "5m",
		Summary: atPort + ` receives {{ $value | printf "%.0f" }} PFC frames a second for priority {{ $labels.priority }}, ` +
			"and the healthy fabric pauses nothing there.",
		expr: func(fs *facts) string {
			if fs.lossless == nil {
				return ""
			}
			return fmt.Sprintf("rate(%s%s) > %d\nand%s%s == 0", fs.of(metrics.ReceivedFrames, among(fs.lossless)), window, unexpectedRate, onPort,
				fs.of(metrics.PortPauses))
		},
		examples: pauseUnexpected,
	},
	{
		Name: "RocecPauseOfLossyPriority", Severity: warning,
		Summary: atPort + " receives PFC frames for priority {{ $labels.priority }}, which the fabric does not make lossless there.",
		expr: func(fs *facts) string {
			return fmt.Sprintf("increase(%s%s) > 0\nunless%s%s == 1", fs.of(metrics.ReceivedFrames), window, onPort, fs.of(metrics.PortLossless))
		},
		examples: pauseOfLossy,
	},
	{
		Name: "RocecHeadroomShort", Severity: warning,
		Summary: `{{ $value | printf "%.0f" }} bytes were in the headroom of priority {{ $labels.priority }} at ` + atPort +
			", more than 90 % of the headroom of the fabric.",
		expr: func(fs *facts) string {
			if !fs.headroom {
				return ""
			}
			return fmt.Sprintf("%s\n>%s(%s * %s)", fs.of(metrics.HeadroomPeak, among(fs.lossless)), onPort, number(headroomShare),
				fs.of(metrics.PortHeadroom))
		},
		examples: headroomShort,
	},
	{
		Name: "RocecMarksUnanswered", Severity: warning, For: "5m",
		Summary: "Packets of fabric {{ $labels.fabric }} got marks of congestion, and no NIC sent a notification in 15 minutes.",
		expr: func(fs *facts) string {
			return withNotices(fs, fmt.Sprintf("%s > %d\nand%s%s == 0",
				sumOf("increase("+fs.of(metrics.Marked, among(fs.marked))+window+")"), fewPackets, onFabric,
				sumOf("increase("+fs.of(metrics.NoticesSent)+window+")")))
		},
		examples: marksUnanswered,
	},
	{
		Name: "RocecNotificationsIgnored", Severity: warning, For: "5m",
		Summary: "Senders of fabric {{ $labels.fabric }} slow down after {{ $value | humanizePercentage }} of the notifications of congestion.",
		expr: func(fs *facts) string {
			sent := sumOf("increase(" + fs.of(metrics.NoticesSent) + window + ")")
			return withNotices(fs, fmt.Sprintf("%s\n/%s(%s > %d) < %s",
				sumOf("increase("+fs.of(metrics.NoticesHandled)+window+")"), onFabric, sent, fewPackets, number(answeredShare)))
		},
		examples: noticesIgnored,
	},
}

// ifLossless keeps the ports at which the fabric makes the priority lossless.
func ifLossless(fs *facts, expr string) string {
	if fs.lossless == nil {
		return ""
	}
	return expr + "\nand" + onPort + fs.of(metrics.PortLossless) + " == 1"
}

// withNotices keeps an expression about notifications only while the notifications of every NIC are known: any other NIC could have sent or
// handled any number.
func withNotices(fs *facts, expr string) string {
	if fs.marked == nil {
		return ""
	}
	return expr + "\nand" + onFabric + fs.of(metrics.NoticesUnknown) + " == 0"
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
