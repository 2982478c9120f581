package view

import (
	"github.com/rocec/rocec/cmd/internal/meaning"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// DiffDocument is the JSON of diff.
type DiffDocument struct {
	FormatVersion string        `json:"format_version"`
	A             diffState     `json:"a"`
	B             diffState     `json:"b"`
	Changes       bool          `json:"changes"`
	Worse         bool          `json:"worse"` // B has an error that A does not have
	Effects       []diffEffect  `json:"effects"`
	Devices       diffNames     `json:"devices"`
	Links         diffNames     `json:"links"`
	Verdicts      []diffVerdict `json:"pfc_loops"`
	New           []diffFinding `json:"new_findings"`
	Fixed         []diffFinding `json:"fixed_findings"`
	Alone         []string      `json:"not_compared"` // devices without a file
	Unread        []NotJudged   `json:"not_read"`
}

type diffState struct {
	Name     string `json:"name"`
	Commit   string `json:"commit,omitempty"`
	Kind     string `json:"kind"` // fabric or files
	Compiles bool   `json:"compiles"`
	Absent   bool   `json:"absent,omitempty"`
}

type diffEffect struct {
	Effect  string   `json:"effect"`
	Action  string   `json:"action"`
	Setting string   `json:"setting"`
	Of      string   `json:"of,omitempty"`
	Before  string   `json:"before,omitempty"`
	After   string   `json:"after,omitempty"`
	What    string   `json:"what"`
	On      []diffOn `json:"on"`
}

type diffOn struct {
	Device string   `json:"device"`
	Ports  []string `json:"ports"`
	Where  string   `json:"where"` // as in the JSON of plan
}

type diffNames struct {
	Added   []string     `json:"added"`
	Removed []string     `json:"removed"`
	Changed []diffTurned `json:"changed"`
}

type diffTurned struct {
	Names  []string `json:"names"`
	What   string   `json:"what"`
	Before string   `json:"before"`
	After  string   `json:"after"`
}

type diffVerdict struct {
	Group  string `json:"cos_group"`
	Before string `json:"before"`
	After  string `json:"after"`
}

type diffFinding struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// DiffJSON returns the document of the effect of a change.
func DiffJSON(m *meaning.Meaning) DiffDocument {
	doc := DiffDocument{
		FormatVersion: report.FormatVersion, A: diffStateOf(m.A), B: diffStateOf(m.B), Changes: !m.Empty(), Worse: m.Worse(),
		Effects: []diffEffect{}, Verdicts: []diffVerdict{}, New: diffFindings(m.B, m.New), Fixed: diffFindings(m.A, m.Fixed),
		Devices: diffNames{escaped(m.Added), escaped(m.Removed), diffTurns(m.Turned)},
		Links:   diffNames{escaped(m.Links.Added), escaped(m.Links.Removed), diffTurns(m.Links.Changed)},
		Alone:   escaped(m.Alone), Unread: []NotJudged{},
	}
	for _, e := range m.Effects {
		one := diffEffect{
			string(e.Kind), string(e.Action), e.Field.String(), target.Escape(e.Of), target.Escape(e.Before), target.Escape(e.After),
			target.Escape(e.What()),
			[]diffOn{},
		}
		for _, on := range e.On {
			one.On = append(one.On, diffOn{target.Escape(on.Device), escaped(on.Ports), whereOf(&on.Effect)})
		}
		doc.Effects = append(doc.Effects, one)
	}
	for _, v := range m.Verdicts {
		doc.Verdicts = append(doc.Verdicts, diffVerdict{v.Group, v.Before, v.After})
	}
	for _, n := range m.Unread {
		doc.Unread = append(doc.Unread, NotJudged{target.Escape(n.File), target.Escape(n.Why)})
	}
	return doc
}

func diffStateOf(s *meaning.Side) diffState {
	kind := "fabric"
	if s.Files != nil {
		kind = "files"
	}
	return diffState{s.Name, s.Commit, kind, s.Compiles(), s.Absent}
}

func diffTurns(all []meaning.Turned) []diffTurned {
	out := []diffTurned{}
	for _, t := range all {
		out = append(out, diffTurned{escaped(t.Devices), t.What, target.Escape(t.Before), target.Escape(t.After)})
	}
	return out
}

func diffFindings(s *meaning.Side, all []*diag.Diagnostic) []diffFinding {
	out := []diffFinding{}
	for _, d := range all {
		at := s.Place(d)
		out = append(out, diffFinding{d.Code, d.Severity.String(), target.Escape(d.Detail), target.Escape(at.Filename), at.Start.Line})
	}
	return out
}

// whereOf returns the word for the ports with an effect, as in the JSON of plan.
func whereOf(e *deploy.Effect) string {
	switch {
	case e.All:
		return "all"
	case e.Others:
		return "others"
	}
	return "ports"
}

func escaped(names []string) []string {
	out := []string{}
	for _, name := range names {
		out = append(out, target.Escape(name))
	}
	return out
}
