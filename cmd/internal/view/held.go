package view

import (
	"math"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/deploy/txn"
)

// held names the runs that hold devices of a plan, or neighbours of these devices.
func (v *Plan) held(p *deploy.Plan) {
	for _, h := range sequence.Bars(p, v.Sequence, v.Own) {
		v.Prose(v.Paint(diag.Yellow, "note:")+" ", h.Holds(h.Names()...)+" "+h.GoOn(h.Names()...))
	}
	var unseen []string
	for _, d := range p.Devices {
		if d.Unseen {
			unseen = append(unseen, d.Device.Name)
		}
	}
	if len(unseen) > 0 {
		v.Prose(v.Paint(diag.Yellow, "note:")+" ", "it is unknown whether another run is under way on "+
			nodeset.Text(unseen, nodeset.Devices, math.MaxInt)+
			": reading locks there needs root.")
	}
}

// marks names the switches that carry the mark of the run but are not changed.
func (v *Plan) marks(s *sequence.Sequence) {
	beside, cannot := s.Marked()
	if len(beside) > 0 {
		v.Prose("  "+v.Paint(diag.Yellow, "marked:")+" ", namesText(beside)+", so that no other run changes "+
			diag.Plural(len(beside), "it", "them")+" meanwhile")
	}
	if len(cannot) > 0 {
		text := namesText(cannot)
		v.Prose("  "+v.Paint(diag.Yellow, "not marked:")+" ", text+". Other runs cannot see this one there: make sure that no change of "+
			diag.Plural(len(cannot), "it", "them")+" goes on meanwhile")
	}
}

// planMarks contains switches that carry the mark of the run, or should, in the JSON of plan.
type planMarks struct {
	Beside []string `json:"beside"` // carry the mark of the run, and are not changed
	Cannot []string `json:"cannot"` // cannot carry it: rocec does not write them, or they are hosts
}

// planHeld is a run that holds devices, in the JSON of plan.
type planHeld struct {
	Run     string   `json:"run"`
	Owner   string   `json:"owner,omitempty"`
	Since   string   `json:"since,omitempty"`
	Mark    string   `json:"mark,omitempty"` // how far it came; empty: it is under way next to the devices
	Until   int      `json:"until_seconds,omitempty"`
	Devices []string `json:"devices"`
}

func heldJSON(p *deploy.Plan, s *sequence.Sequence) []planHeld {
	out := []planHeld{}
	for _, h := range sequence.Bars(p, s, "") {
		held := planHeld{h.Txn, h.Who, h.Since, "", int(h.Until.Seconds()), h.Names()}
		if h.Mark != txn.Absent {
			held.Mark = h.Mark.String()
		}
		out = append(out, held)
	}
	return out
}

// MarkText returns a text about how far a run came on a device.
func MarkText(mark txn.Mark) string {
	if text := deploy.MarkText(mark); text != "" {
		return "; " + text
	}
	return ""
}
