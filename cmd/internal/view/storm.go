package view

import (
	"math"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/validate/storm"
)

// StormDocument is the JSON of storm.
type StormDocument struct {
	FormatVersion string        `json:"format_version"`
	Verdict       string        `json:"verdict"`
	Windows       int           `json:"windows"`
	WindowSeconds float64       `json:"window_seconds"` // the length of the shortest window; 0: unknown
	Ports         int           `json:"ports"`
	Judged        int           `json:"judged"`
	Origins       []StormOrigin `json:"origins"`
	Locks         []StormLock   `json:"locks"`
	NotKnown      []StormPlace  `json:"not_known"`
	Paused        []StormWait   `json:"paused"`
	Congested     []string      `json:"congested"`
	Cuts          []string      `json:"cuts"`
	Cutting       []string      `json:"cutting"`
	NotCounted    int           `json:"not_counted,omitempty"`
	NotRead       StormNotRead  `json:"not_read"`

	NotJudged []StormUntimed `json:"not_judged,omitempty"`
	ReadAt    []time.Time    `json:"read_at,omitempty"` // the last answer of each reading, if readings are kept ones
}

// StormOrigin is a port where a storm begins.
type StormOrigin struct {
	Kind      string          `json:"kind"`
	Device    string          `json:"device"`
	Port      string          `json:"port"`
	Peer      string          `json:"peer"`
	Priority  int             `json:"priority"`
	Share     float64         `json:"share"`
	Waits     []string        `json:"waits"`
	Hosts     []string        `json:"hosts"`
	Watchdogs []StormWatchdog `json:"watchdogs"`
	Counters  []StormCounter  `json:"counters"`
}

// StormWatchdog is a port with a watchdog, and how it is known.
type StormWatchdog struct {
	Port string `json:"port"`
	By   string `json:"by"`
}

// StormCounter is a counter with its values in the readings.
type StormCounter struct {
	Port    string   `json:"port"`
	Name    string   `json:"name"`
	Unit    string   `json:"unit"`
	Samples []uint64 `json:"samples"`
}

// StormLock is a circle of buffers that wait for each other.
type StormLock struct {
	Priority int      `json:"priority"`
	Circle   []string `json:"circle"`
	Waits    int      `json:"waits"`
	Hosts    []string `json:"hosts"`
}

// StormPlace is a place where an origin may be.
type StormPlace struct {
	Reason   string   `json:"reason"`
	Device   string   `json:"device"`
	Ports    []string `json:"ports"`
	Priority int      `json:"priority"`
}

// StormWait is a port that is paused.
type StormWait struct {
	Port     string   `json:"port"`
	Peer     string   `json:"peer"`
	Priority int      `json:"priority"`
	Least    float64  `json:"least"`
	Most     float64  `json:"most"`
	Frames   *float64 `json:"frames_per_second,omitempty"`
	By       string   `json:"by,omitempty"`
}

// StormNotRead lists what was not read.
type StormNotRead struct {
	Devices []StormSilent `json:"devices"`
	Ports   []string      `json:"ports"`
}

// StormSilent is a device that was not read, or not completely.
type StormSilent struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	Silent bool   `json:"silent"` // none of its counters was read
}

// StormUntimed is a device whose readings make no window.
type StormUntimed struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// StormJSON returns the document of a judgement.
func StormJSON(f *ir.Fabric, p *storm.Pauses) *StormDocument {
	doc := &StormDocument{
		FormatVersion: report.FormatVersion, Verdict: string(p.Verdict), Windows: p.Windows, WindowSeconds: round(p.Length.Seconds()),
		Ports: p.Ports, Judged: p.Judged, Origins: []StormOrigin{}, Locks: []StormLock{}, NotKnown: []StormPlace{}, Paused: []StormWait{},
		Congested: portNames(p.Congested), Cuts: waitNames(p.Cut), Cutting: waitNames(p.Cutting), NotCounted: p.More,
		NotRead: StormNotRead{Devices: []StormSilent{}, Ports: portNames(p.Missing)},
	}
	for i := range p.Origins {
		o := &p.Origins[i]
		one := StormOrigin{
			Kind: string(o.Kind), Device: o.Port.Device().Name, Port: o.Port.String(), Peer: o.Port.Peer().String(), Priority: o.Cos,
			Share: round(o.Least), Waits: waitNames(o.Waits), Hosts: hostNames(o.Hosts), Watchdogs: []StormWatchdog{},
			Counters: []StormCounter{},
		}
		for _, w := range o.Watchdogs {
			one.Watchdogs = append(one.Watchdogs, StormWatchdog{w.Port.String(), string(w.By)})
		}
		for _, c := range o.Counters {
			one.Counters = append(one.Counters, StormCounter{c.Port.String(), c.Name, c.Unit, c.Values})
		}
		doc.Origins = append(doc.Origins, one)
	}
	for i := range p.Locks {
		l := &p.Locks[i]
		doc.Locks = append(doc.Locks, StormLock{Priority: l.Cos, Circle: waitNames(l.Waits), Waits: l.Ports, Hosts: hostNames(l.Hosts)})
	}
	for _, h := range p.Hidden {
		doc.NotKnown = append(doc.NotKnown, StormPlace{string(h.Why), h.Device.Name, portNames(h.Ports), h.Cos})
	}
	for _, w := range p.Waits {
		one := StormWait{
			Port: w.Port.String(), Peer: w.Port.Peer().String(), Priority: w.Cos, Least: round(w.Least), Most: round(w.Most), By: string(w.By),
		}
		if w.Frames >= 0 {
			one.Frames = &w.Frames
		}
		doc.Paused = append(doc.Paused, one)
	}
	for _, d := range f.Devices {
		silent := slices.Contains(p.Silent, d)
		if why := p.Why[d]; why != "" || silent {
			doc.NotRead.Devices = append(doc.NotRead.Devices, StormSilent{d.Name, why, silent})
		}
		if why := p.Untimed[d]; why != "" {
			doc.NotJudged = append(doc.NotJudged, StormUntimed{d.Name, why})
		}
	}
	return doc
}

// round rounds to three digits after the point.
func round(v float64) float64 { return math.Round(v*1000) / 1000 }

func portNames(ports []*ir.Port) []string {
	out := make([]string, 0, len(ports))
	for _, p := range ports {
		out = append(out, p.String())
	}
	return out
}

func waitNames(waits []storm.PausedPort) []string {
	out := make([]string, 0, len(waits))
	for _, w := range waits {
		out = append(out, w.Port.String())
	}
	return out
}

func hostNames(hosts []*ir.Device) []string {
	out := make([]string, 0, len(hosts))
	for _, d := range hosts {
		out = append(out, d.Name)
	}
	return out
}
