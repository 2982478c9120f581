package view

import (
	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate/claims"
)

// PlanDocument is the JSON of plan.
type PlanDocument struct {
	FormatVersion string       `json:"format_version"`
	Devices       []planDevice `json:"devices"`
	Summary       planSummary  `json:"summary"`
	Waves         []planWave   `json:"waves"`
	Steps         []planStep   `json:"steps,omitempty"` // of a change with several steps; this plan is for the first

	ByHand  ByHand        `json:"by_hand"`               // devices that are not read
	Refused []planRefusal `json:"refused"`               // rules the plan breaks
	Over    []planRefusal `json:"accept_over,omitempty"` // expired accept blocks
	Seen    SeenDocument  `json:"seen"`                  // reports of devices about their ports and cables
	Held    []planHeld    `json:"held"`                  // devices that other runs hold: apply exits with 5
	Marks   planMarks     `json:"marks"`                 // of the run

	Evidence []planEvidence `json:"evidence"` // evidence that written settings work, by target and release

	Loops []claimed.LoopVerdict `json:"pfc_loops"` // the verdicts; plan asks no device for its forwarding
}

// ByHand contains the devices that others set.
type ByHand struct {
	Switches []string `json:"switches"`
	Hosts    []string `json:"hosts"`
}

// ByHandJSON returns the devices of a fabric that others set.
func ByHandJSON(f *ir.Fabric) ByHand {
	switches, hosts := f.ByHand()
	return ByHand{DeviceNames(switches), DeviceNames(hosts)}
}

// LoopsJSON returns the verdicts on a fabric. is has the states of their assumptions by the last verify.
func LoopsJSON(r *report.Report, is *claims.Result) []claimed.LoopVerdict {
	return claimed.JSON(r.Fabric, r.Proofs, is).Loops
}

// planRefusal is a rule that a plan breaks.
type planRefusal struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	File    string `json:"file"`
	Line    int    `json:"line"`
}

// RefusedJSON returns the rules that a plan breaks.
func RefusedJSON(ds diag.List) []planRefusal {
	out := []planRefusal{}
	for _, d := range ds {
		out = append(out, planRefusal{d.Code, d.Detail, d.At.Filename, d.At.Start.Line})
	}
	return out
}

type planDevice struct {
	Name     string       `json:"name"`
	Status   string       `json:"status"`
	Reason   string       `json:"reason,omitempty"`
	Disrupts []string     `json:"disrupts"`
	Effects  []planEffect `json:"effects"`
	Changes  []FileChange `json:"changes"`
	Drift    []FileChange `json:"drift,omitempty"` // with status others: the changes that others must make

	Accepted []Accepted    `json:"accepted,omitempty"`
	Findings []planFinding `json:"findings"` // of the vendor's rules about the future files, and about other facts that are read
	Notes    []string      `json:"notes"`    // consequences of helpful settings that the device cannot have
	Cause    *Cause        `json:"rocec_changed,omitempty"`

	Gate *gateOnJSON `json:"gate"` // nil: none, or not known
	Root bool        `json:"root"` // the login becomes root without the gate
}

// planFinding is a finding in a file of a device, or at a line of the fabric.
type planFinding struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Path     string `json:"path"`
	Line     int    `json:"line"`
	Message  string `json:"message"`
}

func findingsJSON(d *deploy.DevicePlan) []planFinding {
	out := []planFinding{}
	for _, f := range d.Found {
		out = append(out, planFinding{f.Code, f.Severity.String(), f.At.Filename, f.At.Start.Line, f.Detail})
	}
	for _, w := range d.Watched {
		for _, f := range w.Found {
			if f.Severity == diag.Notice {
				continue
			}
			out = append(out, planFinding{f.Code, f.Severity.String(), f.At.Filename, f.At.Start.Line, f.Detail})
		}
	}
	return out
}

// planEffect is an effect on traffic, with its place.
type planEffect struct {
	Effect   string   `json:"effect"`           // its kind
	Action   string   `json:"action"`           // for a change: the effect begins, ends, or changes
	Setting  string   `json:"setting"`          // for a difference in verify
	Of       string   `json:"of,omitempty"`     // owner of the setting: "queues 0-2"; empty: the port
	Before   string   `json:"before,omitempty"` // empty: unknown, or several
	After    string   `json:"after,omitempty"`
	What     string   `json:"what"`
	Ports    []string `json:"ports"`     // empty: see where
	Where    string   `json:"where"`     // "ports" (those listed), "all", "others" (those that no file names)
	InFabric bool     `json:"in_fabric"` // the ports are in the fabric; true for all ports
	Text     string   `json:"text"`
}

func effectsJSON(d *deploy.DevicePlan) []planEffect {
	out := []planEffect{}
	for _, e := range d.Effects {
		out = append(out, planEffect{
			string(e.Kind), string(e.Action), e.Field.String(), target.Escape(e.Of), target.Escape(e.Before), target.Escape(e.After),
			e.What(), append([]string{}, e.Ports...), whereOf(&e), !e.Foreign, e.String(),
		})
	}
	return out
}

type FileChange struct {
	Path   string    `json:"path"`
	Action string    `json:"action"`
	Keys   []planKey `json:"keys"`

	Rights []planRights `json:"rights,omitempty"` // owners and modes that the change corrects

	Notes []string `json:"notes,omitempty"` // how the change is checked and activated
}

// planRights is the owner or mode of a file, or of a folder of rocec on the way to it.
type planRights struct {
	Path   string    `json:"path"`
	Before planOwned `json:"before"`
	After  planOwned `json:"after"`
}

type planOwned struct {
	Owner string `json:"owner"` // "UID:GID"
	Mode  string `json:"mode"`  // "0755"
}

type planKey struct {
	Key    string  `json:"key"`
	Before *string `json:"before"`
	After  *string `json:"after"`
}

type planSummary struct {
	Change      int `json:"change"`
	Same        int `json:"same"`
	Unreachable int `json:"unreachable"`
	Refused     int `json:"refused"`
	Waves       int `json:"waves"`
	Pending     int `json:"pending"`  // devices that cannot be changed now
	Others      int `json:"others"`   // devices that others must write
	Accepted    int `json:"accepted"` // devices whose differences the fabric accepts
	Create      int `json:"create"`   // settings
	Update      int `json:"update"`
	Delete      int `json:"delete"`
}

// PlanJSON returns the document of a plan with its order. tool is this version of rocec.
func PlanJSON(p *deploy.Plan, seq *sequence.Sequence, tool string) PlanDocument {
	s := p.Summary()
	doc := PlanDocument{
		FormatVersion: report.FormatVersion, Devices: []planDevice{}, Refused: []planRefusal{},
		Over: RefusedJSON(p.Over),
		Summary: planSummary{
			s.Change, s.Same, s.Unreachable, s.Refused, len(seq.Waves), s.Pending, s.Others, s.Accepted,
			s.Settings.Create, s.Settings.Update, s.Settings.Delete,
		},
	}
	doc.Waves, doc.Steps = wavesJSON(seq), stepsJSON(seq)
	beside, cannot := seq.Marked()
	doc.Held, doc.Marks = heldJSON(p, seq), planMarks{DeviceNames(beside), DeviceNames(cannot)}
	for _, d := range p.Devices {
		pd := planDevice{
			Name: d.Device.Name, Status: string(d.Status),
			Disrupts: append([]string{}, d.Disrupts...), Effects: effectsJSON(d),
			Changes: ChangesJSON(d.Changes), Drift: ChangesJSON(d.Drift), Accepted: AcceptedJSON(d),
			Findings: findingsJSON(d), Notes: []string{}, Cause: CauseJSON(d, tool),
			Gate: gateJSON(d), Root: d.Free,
		}
		if d.Keeps() {
			pd.Status = statusAccepted
		}
		for _, note := range d.Diags {
			if note.Severity == diag.Notice {
				pd.Notes = append(pd.Notes, note.Detail)
			}
		}
		for _, w := range d.Watched {
			for _, f := range w.Found {
				if f.Severity == diag.Notice {
					pd.Notes = append(pd.Notes, f.Detail)
				}
			}
		}
		if pd.Reason = d.Waits.String(); d.Err != nil {
			pd.Reason = d.Err.Detail
		}
		doc.Devices = append(doc.Devices, pd)
	}
	return doc
}

// ChangesJSON returns changes of files and live states.
func ChangesJSON(changes []*deploy.Change) []FileChange {
	out := []FileChange{}
	for _, c := range changes {
		pc := FileChange{Path: c.Path, Action: string(c.Action), Keys: []planKey{}}
		if c.Action == deploy.Activate { // already written, but not activated: in the document, an update without keys
			pc.Action = string(deploy.Update)
		}
		pc.Notes = c.Says
		for _, r := range c.Rights {
			pc.Rights = append(pc.Rights, planRights{
				r.Path, planOwned{r.Before.Owner(), r.Before.Perm()}, planOwned{r.After.Owner(), r.After.Perm()},
			})
		}
		for _, k := range c.Keys {
			pk := planKey{Key: k.Key}
			if k.Action != deploy.Create {
				pk.Before = &k.Before
			}
			if k.Action != deploy.Delete {
				pk.After = &k.After
			}
			pc.Keys = append(pc.Keys, pk)
		}
		out = append(out, pc)
	}
	return out
}
