package whatif

import (
	"time"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/validate/sim"
)

// Document is the output of `rocec whatif --format json`.
type Document struct {
	FormatVersion string        `json:"format_version"`
	Loop          *jsonLoop     `json:"loop,omitempty"`
	Incast        *jsonIncast   `json:"incast,omitempty"`
	Flows         []jsonFlow    `json:"flows"`
	Runs          int           `json:"runs"`
	Ended         bool          `json:"search_ended"`
	Simulation    jsonObserved  `json:"simulation"`
	LineRate      *jsonObserved `json:"line_rate,omitempty"`
	Way           *jsonWay      `json:"way,omitempty"`
}

type jsonLoop struct {
	Number    int        `json:"number"`
	Of        int        `json:"of"`
	CosGroups []string   `json:"cos_groups"`
	Circle    []jsonWait `json:"circle"`
	Down      [][]string `json:"down"`
}

type jsonWait struct {
	Device   string `json:"device"`
	In       string `json:"in"`
	Out      string `json:"out"`
	CosGroup string `json:"cos_group"`
}

type jsonIncast struct {
	Intent   string `json:"intent"`
	CosGroup string `json:"cos_group"`
	Priority int    `json:"priority"`
	To       string `json:"to"`
}

type jsonFlow struct {
	From     string   `json:"from"`
	To       string   `json:"to"`
	By       []string `json:"by"`
	Percent  int      `json:"percent"`
	Received int      `json:"received_percent"`
}

type jsonBuffer struct {
	Port     string `json:"port"`
	CosGroup string `json:"cos_group,omitempty"` // empty: it counts several
}

type jsonMark struct {
	At       float64 `json:"at_us"`
	Port     string  `json:"port"`
	CosGroup string  `json:"cos_group"`
	Queue    int     `json:"queue_bytes"`
}

type jsonPause struct {
	jsonBuffer
	Paused   string  `json:"paused"`
	At       float64 `json:"at_us"`
	Times    int     `json:"times"`
	For      float64 `json:"for_us"`
	Xoff     int     `json:"first_bytes"`
	Fill     int     `json:"most_bytes"`
	Headroom int     `json:"headroom_bytes"`
	Room     *int    `json:"headroom_size_bytes,omitempty"` // nil: not known
}

type jsonDrop struct {
	jsonBuffer
	At       float64 `json:"at_us"`
	Frames   int     `json:"frames"`
	Lossless bool    `json:"lossless"`
	Obeyed   bool    `json:"pauses_obeyed"`
}

type jsonObserved struct {
	FirstMark *jsonMark    `json:"first_mark,omitempty"`
	Marked    int          `json:"marked_frames"`
	Pauses    []jsonPause  `json:"pauses"`
	Drops     []jsonDrop   `json:"drops"`
	Delivered []int        `json:"delivered_frames"`
	Locks     bool         `json:"locks"`
	LockedAt  *float64     `json:"locked_at_us,omitempty"`
	Locked    []jsonBuffer `json:"locked"`
	Stopped   float64      `json:"stopped_at_us"`
	Drains    *bool        `json:"drains,omitempty"` // nil: not known, since the simulation ended
	Empty     *float64     `json:"empty_after_us,omitempty"`
	Left      int          `json:"left_bytes"`
	Assumed   []jsonBuffer `json:"sizes_not_known"`
	Ended     bool         `json:"ended"`
}

type jsonWay struct {
	Text       string        `json:"text"`
	Untried    string        `json:"not_simulated,omitempty"`
	Flows      []jsonFlow    `json:"flows"`
	Lost       int           `json:"flows_without_path"`
	Simulation *jsonObserved `json:"simulation,omitempty"`
}

// JSON returns the document of a study.
func (s *Study) JSON() *Document {
	d := &Document{
		FormatVersion: report.FormatVersion, Flows: flowsOf(s.Found.Loads, s.Found.Receivers), Runs: s.Found.Runs, Ended: s.Found.Ended,
		Simulation: observedOf(&s.Found.Observed),
	}
	if x := s.Incast; x != nil {
		d.Incast = &jsonIncast{x.Intent.Name, x.Intent.Group.Name, x.Intent.Group.Cos, x.To.String()}
	}
	if l := s.Loop; l != nil {
		d.Loop = &jsonLoop{Number: l.Number, Of: l.Of, Down: [][]string{}}
		for _, g := range l.Proof.Groups {
			d.Loop.CosGroups = append(d.Loop.CosGroups, g.Name)
		}
		for _, h := range l.Circle {
			d.Loop.Circle = append(d.Loop.Circle, jsonWait{h.In.Device().Name, h.In.Name, h.Out.Name, h.Group.Name})
		}
		for _, c := range l.Down {
			d.Loop.Down = append(d.Loop.Down, []string{c.A().String(), c.B().String()})
		}
		if s.Found.Runs > 1 {
			plain := observedOf(&s.Found.Plain)
			d.LineRate = &plain
		}
	}
	if w := s.Way; w != nil {
		d.Way = &jsonWay{Text: w.Text, Untried: w.Untried, Flows: flowsOf(w.Loads, w.Receivers), Lost: w.Lost}
		if w.Untried == "" {
			o := observedOf(&w.Observed)
			d.Way.Simulation = &o
		}
	}
	return d
}

func flowsOf(loads []sim.Load, slow map[*ir.Port]int) []jsonFlow {
	out := []jsonFlow{}
	for _, l := range loads {
		f := jsonFlow{From: l.Flow.Ports[0].String(), To: end(l.Flow).String(), By: []string{}, Percent: l.Percent, Received: 100}
		if s := slow[end(l.Flow)]; s > 0 {
			f.Received = s
		}
		for i := 1; i+1 < len(l.Flow.Ports); i += 2 {
			f.By = append(f.By, l.Flow.Ports[i].Device().Name)
		}
		out = append(out, f)
	}
	return out
}

func buffersOf(all []sim.Buffer) []jsonBuffer {
	out := []jsonBuffer{}
	for _, b := range all {
		out = append(out, bufferOf(b))
	}
	return out
}

func bufferOf(b sim.Buffer) jsonBuffer {
	out := jsonBuffer{Port: b.In.String()}
	if g := groupOf(b); g != nil {
		out.CosGroup = g.Name
	}
	return out
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func observedOf(o *sim.Observed) jsonObserved {
	out := jsonObserved{
		Marked: o.Marked, Pauses: []jsonPause{}, Drops: []jsonDrop{}, Delivered: o.Delivered, Locks: len(o.Locked) > 0,
		Locked: buffersOf(o.Locked), Stopped: microseconds(o.Stopped), Left: o.Left, Assumed: buffersOf(o.Assumed), Ended: o.Ended,
	}
	if m := o.Mark; m != nil {
		out.FirstMark = &jsonMark{microseconds(m.At), m.Out.String(), m.Group.Name, m.Queue}
	}
	for _, p := range o.Pauses {
		j := jsonPause{
			jsonBuffer: bufferOf(p.Buffer), Paused: p.In.Peer().String(), At: microseconds(p.At), Times: p.Times, For: microseconds(p.For),
			Xoff: p.Xoff, Fill: p.Fill, Headroom: p.Headroom,
		}
		if p.Room >= 0 {
			j.Room = &p.Room
		}
		out.Pauses = append(out.Pauses, j)
	}
	for _, d := range o.Drops {
		out.Drops = append(out.Drops, jsonDrop{bufferOf(d.Buffer), microseconds(d.At), d.Frames, d.Lossless, d.Obeyed})
	}
	if out.Locks {
		at := microseconds(o.LockedAt)
		out.LockedAt = &at
	}
	if !o.Ended {
		out.Drains = &o.Drained
	}
	if o.Drained {
		after := microseconds(o.Empty)
		out.Empty = &after
	}
	return out
}
