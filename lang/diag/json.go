package diag

import "encoding/json"

type jsonPos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Byte   int `json:"byte"`
}

type jsonRange struct {
	Filename string  `json:"filename"`
	Start    jsonPos `json:"start"`
	End      jsonPos `json:"end"`
}

type jsonNote struct {
	Message string     `json:"message"`
	Range   *jsonRange `json:"range,omitempty"`
}

type jsonEdit struct {
	Range *jsonRange `json:"range"`
	New   string     `json:"new"`
}

type jsonFix struct {
	Message string     `json:"message"`
	Edits   []jsonEdit `json:"edits"`
}

type jsonWait struct {
	Device   string     `json:"device"`
	In       string     `json:"in"`
	Out      string     `json:"out"`
	CosGroup string     `json:"cos_group"`
	Range    *jsonRange `json:"range,omitempty"`
}

type jsonDiagnostic struct {
	Code     string     `json:"code"`
	Severity string     `json:"severity"`
	Summary  string     `json:"summary"`
	Detail   string     `json:"detail"`
	Range    *jsonRange `json:"range,omitempty"`
	Notes    []jsonNote `json:"notes,omitempty"`
	Text     string     `json:"text,omitempty"`
	Fix      *jsonFix   `json:"fix,omitempty"`
	Loop     []jsonWait `json:"loop,omitempty"`
}

func rangeJSON(r Range) *jsonRange {
	if r.Filename == "" {
		return nil
	}
	return &jsonRange{r.Filename, jsonPos(r.Start), jsonPos(r.End)}
}

// MarshalJSON gives the shape promised by `rocec validate --format json`.
func (d *Diagnostic) MarshalJSON() ([]byte, error) {
	j := jsonDiagnostic{
		Code: d.Code, Severity: d.Severity.String(), Summary: d.Summary, Detail: d.Detail,
		Range: rangeJSON(d.At), Text: d.Text,
	}
	for _, n := range d.Notes {
		j.Notes = append(j.Notes, jsonNote{n.Message, rangeJSON(n.At)})
	}
	if d.Fix != nil {
		j.Fix = &jsonFix{Message: d.Fix.Message, Edits: []jsonEdit{}}
		for _, e := range d.Fix.Edits {
			j.Fix.Edits = append(j.Fix.Edits, jsonEdit{rangeJSON(e.At), e.New})
		}
	}
	for _, h := range d.Loop {
		j.Loop = append(j.Loop, jsonWait{h.Device, h.In, h.Out, h.CosGroup, rangeJSON(h.At)})
	}
	return json.Marshal(j)
}
