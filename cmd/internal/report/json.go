package report

import (
	"io"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/baseline"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/claims"
)

type jsonProof struct {
	CosGroup    string     `json:"cos_group"`
	Verdict     string     `json:"verdict"`
	Certificate string     `json:"certificate,omitempty"`
	Routing     ir.Routing `json:"routing"`
	Failures    int        `json:"failures"`
	Fewest      *bool      `json:"fewest,omitempty"` // only of a prone verdict
	AnyFailures bool       `json:"any_failures,omitempty"`
	Why         string     `json:"why,omitempty"`
	Assumptions []string   `json:"assumptions,omitempty"`
	Notes       []string   `json:"notes,omitempty"`
	Facts       jsonFacts  `json:"facts"`
	Buffers     int        `json:"buffers,omitempty"`
	Turns       int        `json:"turns,omitempty"`
	Loops       []jsonLoop `json:"loops,omitempty"`

	Running *jsonRunning `json:"running,omitempty"` // the verdict on the routes that the switches use
}

// jsonRunning is the verdict on the tables of next hops of the switches.
type jsonRunning struct {
	*claimed.Running
	Loops []jsonLoop `json:"loops,omitempty"`
}

func newJSONRunning(r *claims.Running, g *ir.CosGroup) *jsonRunning {
	out := &jsonRunning{Running: claimed.NewRunning(r, g)}
	if out.Running == nil {
		return nil
	}
	if p := r.Of(g); p != nil {
		out.Loops = jsonLoops(p.Loops)
	}
	return out
}

type jsonLoop struct {
	Circle  []jsonWait   `json:"circle"`
	Down    []jsonLink   `json:"down"`
	Choices []jsonChoice `json:"choices,omitempty"`
	Flows   []jsonFlow   `json:"flows,omitempty"`
}

// jsonChoice is a route that a device must advertise, chosen from several equally good routes.
type jsonChoice struct {
	Device string `json:"device"`
	To     string `json:"to"`
	Via    string `json:"via"`
}

type jsonWait struct {
	Device   string `json:"device"`
	In       string `json:"in"`
	Out      string `json:"out"`
	CosGroup string `json:"cos_group"`
}

type jsonLink struct {
	A string `json:"a"`
	B string `json:"b"`
}

type jsonFlow struct {
	From string   `json:"from"`
	To   string   `json:"to"`
	By   []string `json:"by"`
}

func jsonLoops(loops []validate.Loop) []jsonLoop {
	var out []jsonLoop
	for _, l := range loops {
		j := jsonLoop{Circle: jsonWaits(l.Circle), Down: jsonLinks(l.Down)}
		for _, c := range l.Choices {
			j.Choices = append(j.Choices, jsonChoice{c.Device.Name, c.To.String(), c.Via.Name})
		}
		for _, f := range l.Flows {
			by := []string{}
			for i := 1; i+1 < len(f.Ports); i += 2 {
				by = append(by, f.Ports[i].Device().Name)
			}
			j.Flows = append(j.Flows, jsonFlow{f.Ports[0].String(), f.Ports[len(f.Ports)-1].String(), by})
		}
		out = append(out, j)
	}
	return out
}

// document is docs/schema/validate.json.
type document struct {
	FormatVersion string        `json:"format_version"`
	Valid         bool          `json:"valid"`
	ErrorCount    int           `json:"error_count"`
	WarningCount  int           `json:"warning_count"`
	NoteCount     int           `json:"note_count"`
	IgnoredCount  int           `json:"ignored_count"`
	PFCLoops      []jsonProof   `json:"pfc_loops"`
	Diagnostics   diag.List     `json:"diagnostics"`
	Ignored       []jsonIgnored `json:"ignored"`

	// The files of devices.
	Judged     []jsonJudged    `json:"judged,omitzero"`
	NotJudged  []jsonNotJudged `json:"not_judged,omitzero"`
	ReadBeside []jsonFile      `json:"read_beside,omitempty"`
	PassedOver int             `json:"passed_over,omitempty"`

	Network  Network        `json:"network,omitempty"` // of an audit
	Baseline *baseline.JSON `json:"baseline,omitempty"`
}

// jsonFile is a file of a device.
type jsonFile struct {
	File       string      `json:"file"`
	Device     string      `json:"device"`
	Moment     lint.Moment `json:"moment"`
	Understood []jsonPart  `json:"understood,omitempty"`
}

// jsonPart contains rows of a file that set the same field, or that set no field for the same reason.
type jsonPart struct {
	Field  string `json:"field,omitempty"`
	Reason string `json:"reason,omitempty"`
	Rows   int    `json:"rows"`
}

// jsonJudged is a file of a device that the rules have judged.
type jsonJudged struct {
	jsonFile
	Dialect string `json:"dialect"`
	RoCE    bool   `json:"roce"` // false: its switch has no RoCE configuration at all
}

// jsonNotJudged is a file of a device that the rules have not judged, or only in part.
type jsonNotJudged struct {
	jsonFile
	Why string `json:"why"`
}

func newJSONFile(f *DeviceFile) jsonFile {
	out := jsonFile{File: f.Name, Device: f.Device, Moment: f.Moment}
	for _, p := range f.Understood {
		if p.Means {
			out.Understood = append(out.Understood, jsonPart{Field: p.What, Rows: p.Rows})
		} else {
			out.Understood = append(out.Understood, jsonPart{Reason: p.What, Rows: p.Rows})
		}
	}
	return out
}

// jsonIgnored is a finding that a comment silences.
type jsonIgnored struct {
	Reason     string           `json:"reason"`
	Diagnostic *diag.Diagnostic `json:"diagnostic"`
}

// JSON writes the whole document of docs/schema/validate.json.
func JSON(w io.Writer, r *Report, _ Options) error {
	doc := document{
		FormatVersion: FormatVersion, Valid: !r.Diags.HasErrors(),
		ErrorCount: r.Diags.Count(diag.Error), WarningCount: r.Diags.Count(diag.Warning), NoteCount: r.Diags.Count(diag.Notice),
		IgnoredCount: len(r.Ignored), PFCLoops: []jsonProof{}, Diagnostics: diag.List{}, Ignored: []jsonIgnored{},
	}
	is := r.Claims
	if is == nil && r.Fabric != nil {
		is = claimed.Compare(r.Fabric, r.Proofs, nil, nil)
	}
	for _, p := range r.Proofs {
		var fewest *bool
		if p.Verdict == validate.Prone {
			fewest = &p.Fewest
		}
		doc.PFCLoops = append(doc.PFCLoops, jsonProof{
			CosGroup: p.Group.Name, Verdict: string(p.Verdict), Certificate: string(p.Certificate), Routing: p.Fabric.Routing,
			Failures: p.Failures, Fewest: fewest, AnyFailures: p.Any, Why: p.Why(), Assumptions: p.AssumptionTexts(), Notes: p.NoteTexts(),
			Facts: newJSONFacts(p, is), Buffers: p.Buffers, Turns: p.Turns, Loops: jsonLoops(p.Loops),
			Running: newJSONRunning(is.Running, p.Group),
		})
	}
	doc.Network, doc.Baseline = r.Network, r.Baseline.JSON()
	if r.Files != nil {
		judged, not := judged(r.Files)
		doc.Judged, doc.NotJudged, doc.PassedOver = []jsonJudged{}, []jsonNotJudged{}, r.PassedOver
		doc.Valid = doc.Valid && len(not) == 0
		for _, f := range judged {
			doc.Judged = append(doc.Judged, jsonJudged{newJSONFile(&f), f.Dialect, !f.Plain})
		}
		for _, f := range not {
			doc.NotJudged = append(doc.NotJudged, jsonNotJudged{newJSONFile(&f), f.Why})
		}
		for _, f := range beside(r.Files) {
			doc.ReadBeside = append(doc.ReadBeside, newJSONFile(&f))
		}
	}
	doc.Diagnostics = append(doc.Diagnostics, r.Diags...)
	for _, i := range r.Ignored {
		doc.Ignored = append(doc.Ignored, jsonIgnored{i.By.Reason, i.Diagnostic})
	}
	return diag.WriteJSON(w, doc, true)
}
