package view

import (
	"fmt"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view/senders"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/seen"
	"github.com/rocec/rocec/targets/deploy/traffic"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/sender"
	"github.com/rocec/rocec/validate/claims"
)

// The statuses of a device in verify.
const (
	VerifyGood    = "good"
	VerifyOther   = "other" // not as written, but sound: rocec has never written it, or the fabric accepts its differences
	VerifyDrift   = "drift"
	VerifyUnknown = "unknown" // there is no report about the device
)

// settingsProbe is the name of findings about files and live states.
const settingsProbe = "settings"

// VerifyDocument is the JSON of verify.
type VerifyDocument struct {
	FormatVersion string         `json:"format_version"`
	Good          bool           `json:"good"`
	Since         string         `json:"since"` // as requested
	Devices       []VerifyDevice `json:"devices"`
	Summary       map[string]int `json:"summary"` // devices by status
	Refused       bool           `json:"-"`       // not good only because of --strict
	ByHand        ByHand         `json:"by_hand"` // devices that are not read
	Seen          SeenDocument   `json:"seen"`    // reports of devices about their ports and cables

	Traffic []VerifyTraffic `json:"traffic,omitempty"`     // of --traffic
	Over    []planRefusal   `json:"accept_over,omitempty"` // expired accept blocks

	NotJudged []NotJudged `json:"not_judged,omitempty"` // files of --from

	claimed.Document // the verdicts, with the states of their assumptions
}

// VerifyDevice is a device in the document.
type VerifyDevice struct {
	Name     string          `json:"name"`
	Status   string          `json:"status"`
	By       string          `json:"written_by,omitempty"` // "others": others must change the differences
	Reason   string          `json:"reason,omitempty"`
	Unsound  bool            `json:"unsound,omitempty"` // for drift: Reason states why a device that rocec has never written is unsound
	Kept     bool            `json:"-"`                 // for other: the fabric accepts all differences
	Changes  []FileChange    `json:"changes"`
	Accepted []Accepted      `json:"accepted,omitempty"`
	Findings []VerifyFinding `json:"findings"`

	Differences []Difference    `json:"differences"`     // differences of settings that both sides have
	Hints       []VerifyFinding `json:"hints"`           // hints about states that are not wrong
	Since       *VerifySince    `json:"since,omitempty"` // nil: the device could not be read
	Rose        []deploy.Rise   `json:"rose"`
	Age         *int64          `json:"report_age_seconds,omitempty"` // with --from, by the time of the file
	Facts       []VerifyFact    `json:"facts"`                        // facts that the device reports
	Senders     []sender.Reach  `json:"senders,omitempty"`            // of a host: whose packets are in the classes of its intents
}

// VerifyFact is a fact that a device reports of itself.
type VerifyFact struct {
	Name  string `json:"name"`
	On    string `json:"on"`
	Value string `json:"value"`
}

// VerifySince is the start from which the counters of a device were compared.
type VerifySince struct {
	From    deploy.Since `json:"from"`
	Seconds int64        `json:"seconds"` // ago, rounded; 0: unknown
}

// VerifyFinding is one difference of a device from its written state, or a hint.
type VerifyFinding struct {
	Probe    string `json:"probe"`
	Message  string `json:"message"`
	Code     string `json:"code,omitempty"` // for other facts that are read; also the next three
	Severity string `json:"severity,omitempty"`
	File     string `json:"file,omitempty"` // of the fabric
	Line     int    `json:"line,omitempty"`
}

// VerifyTraffic is one exchange of verify --traffic.
type VerifyTraffic struct {
	Intent string         `json:"intent"`
	From   string         `json:"from"`
	To     string         `json:"to"`
	Tool   string         `json:"tool,omitempty"`
	Good   bool           `json:"good"`
	Reason string         `json:"reason,omitempty"` // why it was not sent, or did not finish
	Hops   []traffic.Seen `json:"hops"`

	Unproved string `json:"unproved,omitempty"` // why its class was not seen at both hosts, if no counter contradicts it
}

// driftReason returns why a device counts as drifted: for a device that rocec has never written, why it is unsound; for others, since
// which run they differ.
func driftReason(d *deploy.DevicePlan) (why string, unsound bool) {
	if d.Status == deploy.StatusChange && d.Count == 0 && !d.ByOthers() {
		why = d.Unsound()
		return why, why != ""
	}
	switch run, touched := d.Since(); {
	case touched:
		return "changed since run " + run, false
	case run != "":
		return "as run " + run + " left it: the fabric or rocec has changed since", false
	}
	return "", false
}

// VerifyJSON returns the document of verify. Its inputs are the values read from devices, the ports and cables that differ from the
// fabric, the states of assumptions, the reports used instead of reads, and the exchanges of --traffic. With strict, a device that others
// have set is not good, even if it is sound.
func VerifyJSON(
	r *report.Report, found *rollout.Verification, unlike *seen.Result, is *claims.Result, since string, from *Reports,
	sent []VerifyTraffic, strict bool,
) VerifyDocument {
	f := r.Fabric
	doc := VerifyDocument{
		FormatVersion: report.FormatVersion, Good: found.Sound(), Since: since, Devices: []VerifyDevice{},
		ByHand: ByHandJSON(f), Seen: SeenJSON(unlike), Traffic: sent, Over: RefusedJSON(found.Plan.Over),
		Document: claimed.JSON(f, r.Proofs, is),
		Summary: map[string]int{
			VerifyGood: 0, VerifyOther: 0, VerifyDrift: 0,
			string(deploy.StatusUnreachable): 0, string(deploy.StatusRefused): 0, string(deploy.StatusPending): 0,
		},
	}
	for _, h := range found.Devices {
		d := h.Drift
		v := VerifyDevice{
			Name: d.Device.Name, Age: from.seconds(d.Device.Name),
			Changes: ChangesJSON(d.Changes), Differences: differences(d),
			Findings: []VerifyFinding{}, Hints: []VerifyFinding{}, Rose: []deploy.Rise{},
			Facts: []VerifyFact{}, Accepted: AcceptedJSON(d), Senders: senders.Of(h),
		}
		if d.ByOthers() {
			v.By = "others"
		}
		if h.Base.Since != "" {
			v.Since = &VerifySince{h.Base.Since, int64(h.Base.Ago.Round(time.Second).Seconds())}
		}
		v.Rose = append(v.Rose, h.Rose...)
		for _, p := range h.Probes {
			for _, w := range p.Wrong {
				v.Findings = append(v.Findings, VerifyFinding{Probe: p.Name, Message: w})
			}
			for _, s := range p.Samples {
				if s.Hint != "" {
					v.Hints = append(v.Hints, VerifyFinding{Probe: p.Name, Message: s.Hint})
				}
				if s.Fact != "" {
					v.Facts = append(v.Facts, VerifyFact{s.Name, s.On, target.Escape(s.Fact)})
				}
			}
		}
		for _, w := range d.Watched {
			for _, found := range w.Found {
				one := VerifyFinding{w.Name, found.Detail, found.Code, found.Severity.String(), found.At.Filename, found.At.Start.Line}
				if found.Severity == diag.Notice {
					v.Hints = append(v.Hints, one)
				} else {
					v.Findings = append(v.Findings, one)
				}
			}
			for _, fact := range w.Facts {
				v.Facts = append(v.Facts, VerifyFact{fact.Name, d.Device.Name, target.Escape(fact.Value)})
			}
		}
		for _, note := range d.Diags {
			if note.Severity == diag.Notice && (note.Code != sender.Code || v.Senders == nil) {
				v.Hints = append(v.Hints, VerifyFinding{Probe: settingsProbe, Message: note.Detail})
			}
		}
		if d.Left != "" {
			text := fmt.Sprintf("Version %s wrote its present settings, and this rocec derives other values: %s lists them.", target.Escape(d.Left),
				diag.Rocec("plan", diag.Flag("--adopt-derived")))
			v.Hints = append(v.Hints, VerifyFinding{Probe: settingsProbe, Message: text})
		}
		switch {
		case d.Device.Source.Maintenance != "" && (d.Err != nil || !h.Sound()):
			v.Status, v.Reason = string(deploy.StatusPending), "under maintenance: "+d.Device.Source.Maintenance
		case d.Status == deploy.StatusPending:
			v.Status, v.Reason = string(deploy.StatusPending), d.Waits.String()
		case d.Err != nil && d.Err.Kind == deploy.Unmet && h.Other():
			v.Status = VerifyOther
			v.Reason = "sound, and set by others; plan refuses to change it"
			v.Hints = append(v.Hints, VerifyFinding{Probe: settingsProbe, Message: d.Err.Detail})
		case d.Err != nil && d.Err.Kind == deploy.Unmet: // it was read, and differs from its written state
			v.Status, v.Reason = VerifyDrift, d.Err.Detail
			v.Findings = append(v.Findings, VerifyFinding{Probe: settingsProbe, Message: d.Err.Detail})
			if d.Count == 0 && !d.ByOthers() && d.Device.Source.Switch != nil {
				v.Reason = d.Unsound()
				v.Unsound = v.Reason != ""
			}
		case d.Err != nil:
			v.Status, v.Reason = string(d.Status), d.Err.Detail
		case h.Sound():
			v.Status = VerifyGood
		case h.Other() && d.Whole:
			v.Status, v.Kept, v.Reason = VerifyOther, true, "the fabric accepts the differences"
		case h.Other():
			v.Status = VerifyOther
			v.Reason = "sound, and set by others: PFC and maps are those of the fabric, the same queues mark, and headroom suffices"
			if d.Filed != nil {
				v.Reason = filedReason(d.Filed, v.Reason)
			} else if d.Device.Source.Switch == nil {
				v.Reason = "sound, and set by others: each setting has the value of the fabric; it is unknown what sets it after a restart, " +
					"as files of rocec are missing"
			}
		default:
			v.Status = VerifyDrift
			v.Reason, v.Unsound = driftReason(d)
		}
		doc.Summary[v.Status]++
		doc.Devices = append(doc.Devices, v)
	}
	if from != nil {
		doc.NotJudged = from.Not
		doc.add(from)
	}
	firmwareHints(f, doc.Devices)
	doc.Good = doc.Summary[VerifyGood]+doc.Summary[VerifyOther]+doc.Summary[string(deploy.StatusPending)] == len(doc.Devices) &&
		unlike.Good() && !doc.Wrong() && !slices.ContainsFunc(sent, func(t VerifyTraffic) bool { return !t.Good })
	doc.Refused = strict && doc.Good && doc.Summary[VerifyOther] > 0
	doc.Good = doc.Good && !doc.Refused
	return doc
}
