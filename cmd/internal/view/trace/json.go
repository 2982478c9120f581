package trace

import (
	"slices"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/cmd/internal/view/facts"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/walk"
)

// The document of trace --format json, described by docs/schema/trace.json.

type Document struct {
	FormatVersion string      `json:"format_version"`
	From          string      `json:"from"`
	To            string      `json:"to"`
	Down          [][2]string `json:"down"`
	Breaks        bool        `json:"breaks"`
	Traces        []tripJSON  `json:"traces"`
	Conditions    []string    `json:"conditions,omitempty"` // assumptions about a network from files, one sentence each
}

type tripJSON struct {
	Intent  string    `json:"intent"`
	Version int       `json:"version"`
	Breaks  bool      `json:"breaks"`
	Data    walkJSON  `json:"data"`
	CNP     *walkJSON `json:"cnp,omitempty"`
	NoCNP   string    `json:"no_cnp,omitempty"`
}

type walkJSON struct {
	From       []string     `json:"from"`
	To         []string     `json:"to"`
	Packet     packetJSON   `json:"packet"`
	CosGroup   string       `json:"cos_group,omitempty"`
	Lossless   bool         `json:"lossless"`
	Ways       *uint64      `json:"ways,omitempty"`
	Cables     *int         `json:"cables,omitempty"`
	EveryPath  bool         `json:"every_path"`
	Verdict    string       `json:"verdict"`
	NotKnown   []string     `json:"not_known,omitempty"` // why the verdict is unknown
	DependsOn  string       `json:"depends_on,omitempty"`
	Hops       []hopJSON    `json:"hops"`
	FirstBreak *findingJSON `json:"first_break,omitempty"`
}

type packetJSON struct {
	DSCP   *int `json:"dscp,omitempty"`
	Tagged bool `json:"tagged"`
	PCP    *int `json:"pcp,omitempty"`
	MTU    int  `json:"mtu,omitempty"`
}

type hopJSON struct {
	Distance int           `json:"distance"`
	Devices  []string      `json:"devices"`
	Group    string        `json:"group"`
	ByHand   bool          `json:"by_hand"`
	Trust    []string      `json:"trust"`
	Packet   packetJSON    `json:"packet"`
	Field    string        `json:"field"`
	CosGroup string        `json:"cos_group,omitempty"`
	Cos      *int          `json:"cos,omitempty"`
	Meant    string        `json:"meant,omitempty"`
	Origin   *view.Origin  `json:"origin,omitempty"`
	In       []laneJSON    `json:"in"`
	Out      []laneJSON    `json:"out"`
	Faults   []findingJSON `json:"faults"`
}

type laneJSON struct {
	Ports    []string      `json:"ports"`
	Peers    []string      `json:"peers"`
	Speed    int           `json:"speed_mbps"`
	Metres   float64       `json:"metres,omitempty"`
	MTU      int           `json:"mtu,omitempty"`
	Planned  bool          `json:"planned,omitempty"`
	CosGroup string        `json:"cos_group,omitempty"`
	Lossless *losslessJSON `json:"lossless,omitempty"`
	Queue    *queueJSON    `json:"queue,omitempty"`
	ECN      *ecnJSON      `json:"ecn,omitempty"`
	Origin   *view.Origin  `json:"origin,omitempty"`
	Faults   []findingJSON `json:"faults"`
}

// losslessJSON describes how one end of a cable is lossless: the receiving end sends pauses, the sending end obeys them.
type losslessJSON struct {
	Priority    int   `json:"priority"`
	SendsPauses *bool `json:"sends_pauses,omitempty"` // missing if no file states it
	ObeysPauses *bool `json:"obeys_pauses,omitempty"`
	Xoff        *int  `json:"xoff,omitempty"`
	Headroom    *int  `json:"headroom,omitempty"`
	Need        *int  `json:"need,omitempty"`
	Floor       *int  `json:"floor,omitempty"`
	Pool        *int  `json:"pool,omitempty"`
}

type queueJSON struct {
	Cos    *int `json:"cos,omitempty"`
	Weight int  `json:"weight,omitempty"`
	Strict bool `json:"strict"`
}

type ecnJSON struct {
	Min         int `json:"min"`
	Max         int `json:"max"`
	Probability int `json:"probability"`
}

type findingJSON struct {
	Code     string       `json:"code"`
	Severity string       `json:"severity"`
	Summary  string       `json:"summary"`
	Breaks   bool         `json:"breaks"`
	What     string       `json:"what"` // the detail
	Mend     string       `json:"mend"` // the text of the fix; empty: none
	Ignored  string       `json:"ignored,omitempty"`
	Origin   *view.Origin `json:"origin,omitempty"`
}

// JSON returns the document. conditions are the assumptions of the traces.
func (s *Sayings) JSON(from, to string, down []*ir.Link, traces []*walk.Trace, conditions []string) Document {
	out := Document{
		FormatVersion: report.FormatVersion, From: from, To: to, Down: [][2]string{}, Traces: []tripJSON{}, Conditions: conditions,
	}
	for _, l := range down {
		out.Down = append(out.Down, [2]string{l.A().String(), l.B().String()})
	}
	out.Breaks = slices.ContainsFunc(traces, s.Breaks)
	for _, t := range traces {
		j := tripJSON{Intent: t.Intent.Name, Version: t.Intent.Version, Breaks: s.Breaks(t), Data: s.walkJSON(t.Data), NoCNP: t.NoCNP}
		if t.CNP != nil {
			cnp := s.walkJSON(t.CNP)
			j.CNP = &cnp
		}
		out.Traces = append(out.Traces, j)
	}
	return out
}

func (s *Sayings) walkJSON(w *walk.Walk) walkJSON {
	out := walkJSON{
		From: portList(w.From), To: portList(w.To), Packet: newPacketJSON(w.Packet), CosGroup: cosGroupName(w.Group),
		Lossless: w.Promised, EveryPath: w.Every, Verdict: verdictOf(s, w), NotKnown: doubts(s, w), Hops: []hopJSON{},
	}
	if w.Mixed != "" {
		out.DependsOn = validate.MixtureText(w.Mixed)
	}
	out.Packet.MTU = w.Size
	if w.Cables >= 0 {
		out.Cables = &w.Cables
		if w.Ways > 0 && w.Ways < walk.MaxWays {
			out.Ways = &w.Ways
		}
	}
	for _, h := range w.Hops {
		out.Hops = append(out.Hops, s.hopJSON(w, h))
	}
	if d := s.firstBreak(w); d != nil {
		first := d.json()
		out.FirstBreak = &first
	}
	return out
}

func newPacketJSON(p ir.Packet) packetJSON {
	out := packetJSON{Tagged: p.Tagged}
	if p.IP {
		out.DSCP = &p.DSCP
	}
	if p.Tagged {
		out.PCP = &p.PCP
	}
	return out
}

func (s *Sayings) hopJSON(w *walk.Walk, h *walk.Hop) hopJSON {
	out := hopJSON{
		Distance: h.Far, Group: facts.GroupName(h.Devices[0]), ByHand: h.Devices[0].ByHand != nil, Trust: []string{},
		Packet: newPacketJSON(h.Packet), Field: h.Sort.By, CosGroup: cosGroupName(h.Sort.Group), Meant: cosGroupName(h.Group),
		Origin: placeJSON(h.Sort.At),
		In:     []laneJSON{}, Out: []laneJSON{}, Faults: s.findingsJSON(h.Findings),
	}
	for _, d := range h.Devices {
		out.Devices = append(out.Devices, d.Name)
	}
	if h.Trust.DSCP {
		out.Trust = append(out.Trust, "dscp")
	}
	if h.Trust.PCP {
		out.Trust = append(out.Trust, "pcp")
	}
	if h.Sort.Cos >= 0 {
		out.Cos = &h.Sort.Cos
	}
	for _, l := range h.In {
		j := s.laneJSON(l)
		if w.Promised && l.Group != nil && l.Group.Lossless {
			j.Lossless = &losslessJSON{Priority: l.Group.Cos, SendsPauses: pausesJSON(l)}
			if l.Buffered && l.Ports[0].NIC == nil {
				j.Lossless.Need, j.Lossless.Floor = &l.Need, &l.Floor
			}
			if l.Sized {
				headroom := l.Headroom()
				j.Lossless.Xoff, j.Lossless.Headroom = &l.Xoff, &headroom
			}
			if l.Kept.Known() {
				j.Lossless.Headroom = &l.Kept.Value
			}
			if l.Pool > 0 {
				j.Lossless.Pool = &l.Pool
			}
		}
		out.In = append(out.In, j)
	}
	for _, l := range h.Out {
		j := s.laneJSON(l)
		if w.Promised && l.Group != nil && l.Group.Lossless {
			j.Lossless = &losslessJSON{Priority: l.Group.Cos, ObeysPauses: pausesJSON(l)}
		}
		if h.Devices[0].Switch != nil {
			j.Queue = queued(h, l).json()
		}
		if l.Marks && !w.CNP && (!l.Read || l.Max > 0) {
			j.ECN = &ecnJSON{l.Min, l.Max, l.Probability}
		}
		out.Out = append(out.Out, j)
	}
	return out
}

// pausesJSON returns whether an end pauses, or obeys; nil: unknown.
func pausesJSON(l *walk.Lane) *bool {
	if l.Unknown {
		return nil
	}
	return &l.Pauses
}

func (s *Sayings) laneJSON(l *walk.Lane) laneJSON {
	return laneJSON{
		Ports: portList(l.Ports), Peers: l.Peers(), Speed: l.Speed, Metres: l.Metres, MTU: l.MTU, Planned: l.Planned,
		CosGroup: cosGroupName(l.Group),
		Origin:   placeJSON(l.Ports[0].At), Faults: s.findingsJSON(l.Findings),
	}
}

func (q queue) json() *queueJSON {
	if q.cos < 0 {
		return nil
	}
	out := &queueJSON{Cos: &q.cos, Strict: q.strict}
	out.Weight = q.weight
	return out
}

func (s *Sayings) findingsJSON(findings []*walk.Finding) []findingJSON {
	out := []findingJSON{}
	for _, d := range s.Of(findings) {
		out = append(out, d.json())
	}
	return out
}

func (s *Said) json() findingJSON {
	out := findingJSON{
		Code: s.Code, Severity: s.Severity.String(), Summary: s.Summary, Breaks: s.finding.Breaks, What: s.Detail, Origin: placeJSON(s.At),
	}
	if s.Fix != nil {
		out.Mend = s.Fix.Message
	}
	if s.ignored != nil {
		out.Ignored = s.ignored.Reason
	}
	return out
}

func placeJSON(at diag.Range) *view.Origin {
	if at.Filename == "" {
		return nil
	}
	return &view.Origin{File: at.Filename, Line: at.Start.Line}
}

func cosGroupName(g *ir.CosGroup) string {
	if g == nil {
		return ""
	}
	return g.Name
}

func portList(ports []*ir.Port) []string {
	var out []string
	for _, p := range ports {
		out = append(out, p.String())
	}
	return out
}
