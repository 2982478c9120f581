package alerts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/rocec/rocec/cmd/internal/metrics"
	"github.com/rocec/rocec/compiler/ir"
)

// The document of Grafana. Source: "Dashboard JSON model" of the documentation of Grafana, and its dashboards of schema version 36
// (Grafana 9), which later releases migrate.
type (
	board struct {
		UID           string     `json:"uid"`
		Title         string     `json:"title"`
		Tags          []string   `json:"tags"`
		SchemaVersion int        `json:"schemaVersion"`
		Editable      bool       `json:"editable"`
		Refresh       string     `json:"refresh"`
		Time          timeRange  `json:"time"`
		Templating    templating `json:"templating"`
		Links         []link     `json:"links"`
		Panels        []*panel   `json:"panels"`
	}

	timeRange struct {
		From string `json:"from"`
		To   string `json:"to"`
	}

	templating struct {
		List []variable `json:"list"`
	}

	variable struct {
		Name       string  `json:"name"`
		Label      string  `json:"label"`
		Type       string  `json:"type"`
		Query      string  `json:"query"`
		Source     *source `json:"datasource,omitempty"`
		Multi      bool    `json:"multi,omitempty"`
		IncludeAll bool    `json:"includeAll,omitempty"`
		AllValue   string  `json:"allValue,omitempty"`
		Refresh    int     `json:"refresh,omitempty"` // 2: whenever the time range changes
	}

	link struct {
		Title string `json:"title"`
		Type  string `json:"type"`
		URL   string `json:"url"`
	}

	source struct {
		Type string `json:"type"`
		UID  string `json:"uid"`
	}

	panel struct {
		ID          int         `json:"id"`
		Type        string      `json:"type"`
		Title       string      `json:"title"`
		Description string      `json:"description,omitempty"`
		Source      *source     `json:"datasource,omitempty"`
		Grid        grid        `json:"gridPos"`
		Targets     []query     `json:"targets,omitempty"`
		Config      *panelUnits `json:"fieldConfig,omitempty"`
	}

	grid struct {
		H int `json:"h"`
		W int `json:"w"`
		X int `json:"x"`
		Y int `json:"y"`
	}

	query struct {
		Ref    string  `json:"refId"`
		Source *source `json:"datasource"`
		Expr   string  `json:"expr"`
		Legend string  `json:"legendFormat"`
	}

	panelUnits struct {
		Defaults  unit       `json:"defaults"`
		Overrides []struct{} `json:"overrides"`
	}

	unit struct {
		Unit string `json:"unit"`
	}
)

// mostSeries is the number of series that a panel shows: those with the highest values.
const mostSeries = 20

// gridWidth is the width of a dashboard in Grafana's units, and panelHeight our height of a panel.
const (
	gridWidth   = 24
	panelHeight = 8
)

// datasource is the data source that the person chooses in the dashboard.
var datasource = &source{Type: "prometheus", UID: "${datasource}"}

// onDevice limits a panel to the devices that the person chooses.
const onDevice = `device=~"$device"`

// Dashboard returns a dashboard of a fabric for Grafana, with a row for each lossless priority.
func Dashboard(f *ir.Fabric) []byte {
	fs := factsOf(f)
	sum := sha256.Sum256([]byte(fs.fabric))
	b := &board{
		UID: "rocec-" + hex.EncodeToString(sum[:8]), Title: "rocec: fabric " + fs.fabric, Tags: []string{"rocec"}, SchemaVersion: 36,
		Editable: true, Refresh: "1m", Time: timeRange{"now-6h", "now"},
		Templating: templating{[]variable{
			{Name: "datasource", Label: "Data source", Type: "datasource", Query: "prometheus"},
			{
				Name: "device", Label: "Device", Type: "query", Query: "label_values(" + fs.of(metrics.DeviceRead) + ", device)", Source: datasource,
				Multi: true, IncludeAll: true, AllValue: ".*", Refresh: 2,
			},
		}},
		Links: []link{{"The metrics and alerts", "link", Runbook}},
	}
	b.look(fs)
	for _, prio := range fs.lossless {
		b.priority(fs, prio)
	}
	if fs.marked != nil {
		b.notices(fs)
	}
	data, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		panic(err) // all values are texts and numbers
	}
	return append(data, '\n')
}

// row begins a row of panels.
func (b *board) row(title string) { b.add(&panel{Type: "row", Title: title}, gridWidth, 1) }

// add places a panel beside the last one, or below it if there is no room.
func (b *board) add(p *panel, w, h int) {
	p.ID, p.Grid = len(b.Panels)+1, grid{H: h, W: w}
	if len(b.Panels) > 0 {
		last := b.Panels[len(b.Panels)-1].Grid
		p.Grid.X, p.Grid.Y = last.X+last.W, last.Y
		if p.Grid.X+w > gridWidth {
			p.Grid.X, p.Grid.Y = 0, last.Y+last.H
		}
	}
	b.Panels = append(b.Panels, p)
}

// panel adds a panel with one expression.
func (b *board) panel(kind, title, description, unitOf, legend, expr string) {
	w := gridWidth / 2
	if kind == stat {
		w = gridWidth / 4
	}
	b.add(&panel{
		Type: kind, Title: title, Description: description, Source: datasource,
		Targets: []query{{"A", datasource, expr, legend}}, Config: &panelUnits{unit{unitOf}, []struct{}{}},
	}, w, panelHeight)
}

// The kinds of panels, the units, and the legend of a port, as Grafana names them.
const (
	stat       = "stat"
	graphs     = "timeseries"
	inSeconds  = "s"
	inBytes    = "bytes"
	asPart     = "percentunit"
	plain      = "short"
	legendPort = "{{device}}:{{port}}"
)

func (b *board) look(fs *facts) {
	b.row("The last look")
	b.panel(stat, "Age of the last look", "All other panels are about that time.", inSeconds, "age", "time() - "+fs.of(metrics.LastLook))
	b.panel(stat, "Devices that were not read", "Their counters are not known.", plain, "devices",
		"count("+fs.of(metrics.DeviceRead)+" == 0) or vector(0)")
	b.panel(stat, "Devices by status", "The statuses of rocec verify.", plain, "{{state}}",
		"count by (state) ("+fs.of(metrics.DeviceState)+")")
	b.panel(stat, "Findings", "", plain, "{{severity}} {{code}}", fs.of(metrics.Findings))
}

func (b *board) priority(fs *facts, prio string) {
	b.row(fmt.Sprintf("Priority %s: cos group %s", prio, fs.group[prio]))
	match := []string{among([]string{prio}), onDevice}
	top := func(expr string) string { return fmt.Sprintf("topk(%d, %s)", mostSeries, expr) }
	b.panel(graphs, "Part of the time in which ports are paused", "The port must not send.", asPart, legendPort,
		top("rate("+fs.of(metrics.ReceivedPause, match...)+window+")"))
	b.panel(graphs, "PFC frames received", "", "cps", legendPort, top("rate("+fs.of(metrics.ReceivedFrames, match...)+window+")"))
	b.panel(graphs, "PFC frames at ports where the healthy fabric pauses nothing",
		"Such a pause begins at a host that does not take its packets, or traffic goes another way.", "cps", legendPort,
		top("rate("+fs.of(metrics.ReceivedFrames, match...)+window+") and"+onPort+fs.of(metrics.PortPauses)+" == 0"))
	b.panel(graphs, "Bytes in queues", "", inBytes, legendPort, top(fs.of(metrics.QueueBytes, match...)))
	b.panel(graphs, "Lost packets", "Packets that the lossless buffer dropped in 15 minutes.", plain, legendPort,
		top("increase("+fs.of(metrics.Dropped, match...)+window+")"))
	b.panel(graphs, "Cuts by watchdogs", "Times in 15 minutes that a watchdog cut the queue.", plain, legendPort,
		top("increase("+fs.of(metrics.WatchdogCuts, match...)+window+")"))
	if fs.headroom {
		b.panel(graphs, "Part of the derived headroom that was used", "The most bytes in the headroom, beside the headroom of the fabric.",
			asPart, legendPort, top(fs.of(metrics.HeadroomPeak, match...)+" /"+onPort+fs.of(metrics.PortHeadroom)))
	}
}

func (b *board) notices(fs *facts) {
	b.row("Congestion control")
	b.panel(graphs, "Marked packets", "", "cps", "{{device}}",
		fmt.Sprintf("topk(%d, sum by (device) (rate(%s%s)))", mostSeries, fs.of(metrics.Marked, among(fs.marked), onDevice), window))
	b.panel(graphs, "Notifications sent", "By the receivers of marked packets.", "cps", "sent",
		sumOf("rate("+fs.of(metrics.NoticesSent)+window+")"))
	b.panel(graphs, "Part of the notifications after which senders slow down", "It is known only while no NIC is missing.", asPart, "part",
		sumOf("rate("+fs.of(metrics.NoticesHandled)+window+")")+" /"+onFabric+"("+sumOf("rate("+fs.of(metrics.NoticesSent)+window+")")+" > 0)")
	b.panel(stat, "NICs whose notifications are not known", "", plain, "NICs", fs.of(metrics.NoticesUnknown))
}
