package baseline

import "github.com/rocec/rocec/lang/diag"

// JSON is the part of a JSON document that describes a baseline.
type JSON struct {
	File    string      `json:"file"`
	New     int         `json:"new"`
	Known   []jsonKnown `json:"known"`
	Worse   []jsonRow   `json:"worse"`
	Expired []jsonRow   `json:"expired"`
	Fixed   []jsonRow   `json:"fixed"`
	Absent  []jsonRow   `json:"not_judged"`
	Unowned int         `json:"without_owner_or_reason"`
}

type jsonRow struct {
	Fingerprint string `json:"fingerprint"`
	Code        string `json:"code"`
	Severity    string `json:"severity"` // when the row was written
	Line        int    `json:"line"`     // of the baseline
	Owner       string `json:"owner"`
	Reason      string `json:"reason"`
	Until       string `json:"until,omitempty"`
}

type jsonKnown struct {
	jsonRow
	Diagnostic *diag.Diagnostic `json:"diagnostic"`
}

func newJSONRow(row *Entry) jsonRow {
	return jsonRow{row.Fingerprint, row.Code, row.Severity.String(), row.At.Start.Line, row.Owner, row.Reason, row.Until}
}

// JSON returns that part of a document; c may be nil.
func (c *Compared) JSON() *JSON {
	if c == nil {
		return nil
	}
	out := &JSON{
		File: c.Name, New: c.New(), Unowned: c.Unowned(),
		Known: []jsonKnown{}, Worse: []jsonRow{}, Expired: []jsonRow{}, Fixed: []jsonRow{}, Absent: []jsonRow{},
	}
	for _, k := range c.Held {
		out.Known = append(out.Known, jsonKnown{newJSONRow(k.Entry), k.Diagnostic})
	}
	for _, k := range c.Returned {
		if k.Worse {
			out.Worse = append(out.Worse, newJSONRow(k.Entry))
		}
		if k.Expired {
			out.Expired = append(out.Expired, newJSONRow(k.Entry))
		}
	}
	for _, row := range c.Fixed {
		out.Fixed = append(out.Fixed, newJSONRow(row))
	}
	for _, row := range c.Absent {
		out.Absent = append(out.Absent, newJSONRow(row))
	}
	return out
}
