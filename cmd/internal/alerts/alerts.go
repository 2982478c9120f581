// Package alerts makes the rules for Prometheus of a fabric, each from an [Alert], with unit tests for promtool and a dashboard for
// Grafana. They read the metrics of package metrics.
//
// The number of rules does not depend on the size of the fabric: a rule covers all ports, and joins counters with the series
// rocec_port_… of the same look, which have the facts of the fabric about each port.
package alerts

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/cmd/internal/metrics"
	"github.com/rocec/rocec/compiler/ir"
)

// Alert is a row of the table: a rule, and examples of series for which it fires or does not fire.
type Alert struct {
	Name     string
	Severity string // "critical": lossless traffic is lost or stopped; "warning": it can wait until working hours
	For      string // how long the expression must be true; empty: one evaluation is enough
	Summary  string // a template of Prometheus

	expr     func(*facts) string // empty: the fabric needs no such rule
	examples func(*facts) []example
}

// example is a unit test of a rule.
type example struct {
	series []series
	at     string            // the time of the evaluation
	fires  map[string]string // the labels of the alert, without alertname and severity; nil: the rule does not fire
	value  string            // the value in the summary, as its template prints it
}

// series are the values of one series, one for each minute, in the notation of promtool.
type series struct {
	name   string
	labels []string // names and values in turn
	values string
}

// facts are the facts of a fabric that rules need.
type facts struct {
	fabric   string   // the name of the fabric
	lossless []string // the priorities that PFC makes lossless, sorted; nil: none
	marked   []string // those of them whose traffic is marked and answered by notifications
	headroom bool     // the headroom of some buffer is known

	group map[string]string // the name of the cos group by priority

	host, inner place // for examples: a port whose peer does not forward, and a port whose peer forwards, each with a lossless priority
}

// place is a priority at a port.
type place struct{ device, port, priority string }

// factsOf returns the facts of a fabric.
func factsOf(f *ir.Fabric) *facts {
	fs := &facts{fabric: f.Name, group: map[string]string{}}
	for _, p := range f.Ports {
		for _, b := range metrics.Lossless(p) {
			prio := strconv.Itoa(b.Group.Cos)
			fs.group[prio] = b.Group.Name
			if !slices.Contains(fs.lossless, prio) {
				fs.lossless = append(fs.lossless, prio)
			}
			fs.headroom = fs.headroom || metrics.Headroom(p, b) > 0
			at := &fs.host
			if p.Peer().Device().Forwards() {
				at = &fs.inner
			}
			if *at == (place{}) {
				*at = place{p.Device().Name, p.Name, prio}
			}
		}
	}
	slices.Sort(fs.lossless)
	for _, in := range f.Intents {
		prio := strconv.Itoa(in.Group.Cos)
		if metrics.Notifies(in) && slices.Contains(fs.lossless, prio) && !slices.Contains(fs.marked, prio) {
			fs.marked = append(fs.marked, prio)
		}
	}
	slices.Sort(fs.marked)
	for _, at := range []*place{&fs.host, &fs.inner} {
		if *at == (place{}) {
			*at = place{"leaf1", "swp1", "3"}
		}
	}
	return fs
}

// of returns the selector of a metric's series of the fabric, with further matchers.
func (fs *facts) of(metric string, matchers ...string) string {
	return metric + "{" + strings.Join(append([]string{metrics.LabelFabric + "=" + strconv.Quote(fs.fabric)}, matchers...), ",") + "}"
}

// among returns the matcher of priorities.
func among(priorities []string) string {
	return metrics.LabelPriority + `=~"` + strings.Join(priorities, "|") + `"`
}

// window is the range of rates. The rules expect a look every five minutes, so it has three of them. windowSeconds is its length.
const (
	window        = "[15m]"
	windowSeconds = 900
)

// onPort joins series of the same priority at the same port. Other labels, such as those of the scrape, do not matter.
const onPort = " on (" + metrics.LabelFabric + ", " + metrics.LabelDevice + ", " + metrics.LabelPort + ", " + metrics.LabelPriority + ") "

// onFabric joins sums of a fabric.
const onFabric = " on (" + metrics.LabelFabric + ") "

func sumOf(text string) string { return "sum by (" + metrics.LabelFabric + ") (" + text + ")" }

// at returns a series of the fabric at a place.
func (fs *facts) at(metric string, p place, values string) series {
	return series{metric, []string{
		metrics.LabelFabric, fs.fabric, metrics.LabelDevice, p.device, metrics.LabelPort, p.port, metrics.LabelPriority, p.priority,
	}, values}
}

// whole returns a series of the fabric with further labels.
func (fs *facts) whole(metric, values string, labels ...string) series {
	return series{metric, append([]string{metrics.LabelFabric, fs.fabric}, labels...), values}
}

// labels returns the labels of an alert at a place.
func (fs *facts) labels(p place) map[string]string {
	return map[string]string{
		metrics.LabelFabric: fs.fabric, metrics.LabelDevice: p.device, metrics.LabelPort: p.port, metrics.LabelPriority: p.priority,
	}
}

// ofFabric returns the labels of an alert about the fabric, and further ones.
func (fs *facts) ofFabric(labels ...string) map[string]string {
	out := map[string]string{metrics.LabelFabric: fs.fabric}
	for i := 0; i < len(labels); i += 2 {
		out[labels[i]] = labels[i+1]
	}
	return out
}

// ruled returns the rows of the table for a fabric, with their expressions.
func (fs *facts) ruled() (rows []*Alert, exprs []string) {
	for _, a := range Table {
		if expr := a.expr(fs); expr != "" {
			rows, exprs = append(rows, a), append(exprs, expr)
		}
	}
	return rows, exprs
}

// text returns the summary of an alert as Prometheus prints it.
func (a *Alert) text(labels map[string]string, value string) string {
	pairs := []string{asNumber, value, asShare, value}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		pairs = append(pairs, "{{ $labels."+name+" }}", labels[name])
	}
	return strings.NewReplacer(pairs...).Replace(a.Summary)
}

// asNumber and asShare are the forms of a value in a summary.
const (
	asNumber = `{{ $value | printf "%.0f" }}`
	asShare  = `{{ $value | humanizePercentage }}`
)

// atPort is the place of an alert in a summary.
const atPort = "{{ $labels.device }}:{{ $labels.port }}"
