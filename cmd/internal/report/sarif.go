package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

// MostSARIFResults is the maximum number of results in a log that GitHub accepts.
const MostSARIFResults = 25_000

const (
	mostLocations      = 1000 // places in one result; GitHub leaves out more
	longestDescription = 1024 // bytes
)

// SARIFLog is the part of SARIF 2.1.0 that rocec writes.
type SARIFLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []SARIFRun `json:"runs"`
}

// SARIFRun contains the findings of one run of rocec.
type SARIFRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	AutomationDetails  sarifID                    `json:"automationDetails"`
	Invocations        []sarifInvocation          `json:"invocations"`
	OriginalURIBaseIDs map[string]sarifBaseFolder `json:"originalUriBaseIds"`
	ColumnKind         string                     `json:"columnKind"`
	Results            []SARIFResult              `json:"results"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifID struct {
	ID string `json:"id"`
}

type sarifInvocation struct {
	ExecutionSuccessful bool                `json:"executionSuccessful"`
	Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

type sarifBaseFolder struct {
	Description sarifText `json:"description"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifHelp struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown"`
}

type sarifRule struct {
	ID                   string    `json:"id"`
	DeprecatedIDs        []string  `json:"deprecatedIds,omitempty"` // former codes that were merged into this code
	ShortDescription     sarifText `json:"shortDescription"`
	FullDescription      sarifText `json:"fullDescription"`
	HelpURI              string    `json:"helpUri"`
	Help                 sarifHelp `json:"help"`
	DefaultConfiguration struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

// SARIFResult is a finding.
type SARIFResult struct {
	RuleID              string             `json:"ruleId"`
	RuleIndex           int                `json:"ruleIndex"`
	Level               string             `json:"level"`
	Message             sarifText          `json:"message"`
	Locations           []sarifLocation    `json:"locations"`
	RelatedLocations    []sarifLocation    `json:"relatedLocations,omitempty"`
	CodeFlows           []sarifCodeFlow    `json:"codeFlows,omitempty"`
	Fixes               []sarifFix         `json:"fixes,omitempty"`
	Suppressions        []sarifSuppression `json:"suppressions,omitzero"`   // in all results, or in none (3.27.23)
	BaselineState       string             `json:"baselineState,omitempty"` // in all results, or in none (3.27.24)
	PartialFingerprints map[string]string  `json:"partialFingerprints"`
}

type sarifLocation struct {
	ID               int            `json:"id,omitempty"`
	PhysicalLocation *sarifPhysical `json:"physicalLocation,omitempty"`
	LogicalLocations []sarifLogical `json:"logicalLocations,omitempty"`
	Message          *sarifText     `json:"message,omitempty"`
}

type sarifPhysical struct {
	ArtifactLocation sarifArtifact `json:"artifactLocation"`
	Region           sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI       string `json:"uri"`
	URIBaseID string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type sarifLogical struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

type sarifCodeFlow struct {
	ThreadFlows []sarifThreadFlow `json:"threadFlows"`
}

type sarifThreadFlow struct {
	Locations []sarifStep `json:"locations"`
}

type sarifStep struct {
	Location sarifLocation `json:"location"`
}

type sarifFix struct {
	Description sarifText     `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	ArtifactLocation sarifArtifact      `json:"artifactLocation"`
	Replacements     []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	DeletedRegion   sarifRegion `json:"deletedRegion"`
	InsertedContent sarifText   `json:"insertedContent"`
}

type sarifSuppression struct {
	Kind          string         `json:"kind"`
	Justification string         `json:"justification"`
	Location      *sarifLocation `json:"location,omitempty"` // of a comment
}

// sarifRoot is the name of the root of the repository in URIs. Code scanning knows its path.
const sarifRoot = "%SRCROOT%"

// SARIF writes one run. Its automation ID names the fabric's folder, so that the results of one fabric do not replace those of another in
// the same repository.
func SARIF(w io.Writer, r *Report, o Options) error {
	p := &sarifPaths{newPaths(r)}
	run := SARIFRun{
		AutomationDetails: sarifID{"rocec/"}, ColumnKind: "utf16CodeUnits", Results: []SARIFResult{},
		Invocations:        []sarifInvocation{{ExecutionSuccessful: true}},
		OriginalURIBaseIDs: map[string]sarifBaseFolder{sarifRoot: {sarifText{"the root of the repository"}}},
	}
	if dir := p.folder(); dir != "." {
		run.AutomationDetails.ID += diag.Escape(strings.Trim(dir, "/")) + "/"
	}
	run.Tool.Driver = sarifDriver{"rocec", o.Version, "https://github.com/rocec/rocec", []sarifRule{}}
	all := worstFirst(r.Diags)
	reasons, prints := map[*diag.Diagnostic]*lang.Ignore{}, fingerprints(p.paths, r)
	for _, i := range r.Ignored {
		reasons[i.Diagnostic] = i.By
		all = append(all, i.Diagnostic)
	}
	for _, k := range r.Baseline.Known() {
		all = append(all, k.Diagnostic)
	}
	states, suppressed := r.Baseline.States(), len(r.Ignored) > 0 || r.Baseline != nil
	if left := len(all) - MostSARIFResults; left > 0 {
		all = all[:MostSARIFResults]
		run.Invocations[0].Notifications = []sarifNotification{{
			Level: "warning", Message: sarifText{diag.Count(left, "further finding") + " left out: code scanning accepts no more"},
		}}
	}
	_, not := judged(r.Files)
	for _, f := range not {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{
			Level: "warning", Message: sarifText{diag.Escape(f.Name + " was " + lint.Judged(f.Part) + ": " + f.Why)},
			Locations: []sarifLocation{p.location(diag.Range{Filename: f.Name})},
		})
	}
	if r.Baseline != nil {
		for _, line := range r.Baseline.Sentences() {
			run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{
				Level: "note", Message: sarifText{diag.Escape(line)},
			})
		}
	}
	rules := sarifRules(all)
	run.Tool.Driver.Rules = rules.list
	for _, d := range all {
		r := p.result(d)
		r.RuleIndex, r.PartialFingerprints = rules.index[d.Code], map[string]string{FingerprintVersion: prints[d]}
		if by := reasons[d]; by != nil {
			at := p.location(by.At)
			r.Suppressions = []sarifSuppression{{"inSource", diag.Escape(by.Reason), &at}}
		}
		if r.BaselineState = states.Of(d); r.Suppressions == nil && suppressed {
			r.Suppressions = []sarifSuppression{}
		}
		if b := states.Accepted(d); b != nil {
			r.Suppressions = []sarifSuppression{{"external", diag.Escape(b.Accepted()), nil}}
		}
		run.Results = append(run.Results, r)
	}
	return diag.WriteJSON(w, SARIFLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []SARIFRun{run}}, true)
}

type sarifRuleTable struct {
	list  []sarifRule
	index map[string]int
}

// sarifRules returns a rule for each code in a list, in the order of the rooms, with the level of its worst finding.
func sarifRules(l diag.List) sarifRuleTable {
	worst := map[string]diag.Severity{}
	for _, d := range l {
		if s, ok := worst[d.Code]; !ok || d.Severity < s {
			worst[d.Code] = d.Severity
		}
	}
	t := sarifRuleTable{[]sarifRule{}, map[string]int{}}
	merged := targets.Merged()
	for _, room := range Rooms() {
		for _, topic := range room.Topics {
			level, used := worst[topic.Code]
			if !used {
				continue
			}
			page := docs.OfCode(topic.Code)
			first, _, _ := strings.Cut(page.Body, "\n\n")
			r := sarifRule{
				ID: topic.Code, ShortDescription: sarifText{topic.Summary}, FullDescription: sarifText{clip(docs.Plain(first), longestDescription)},
				HelpURI: page.Web(), Help: sarifHelp{docs.Plain(page.Body), page.Anywhere()},
			}
			for old, now := range merged {
				if slices.Contains(now, topic.Code) {
					r.DeprecatedIDs = append(r.DeprecatedIDs, old)
				}
			}
			slices.Sort(r.DeprecatedIDs)
			r.DefaultConfiguration.Level = level.String()
			t.index[topic.Code] = len(t.list)
			t.list = append(t.list, r)
		}
	}
	return t
}

// sarifPaths converts places for SARIF.
type sarifPaths struct{ *paths }

func (p *sarifPaths) result(d *diag.Diagnostic) SARIFResult {
	r := SARIFResult{RuleID: d.Code, Level: d.Severity.String(), Locations: []sarifLocation{}}
	at, placed := p.best(d)
	if placed {
		r.Locations = append(r.Locations, p.location(at))
	}
	// Code scanning shows a related location only if the message links to it.
	parts := []string{plainText(d.Detail)}
	for _, n := range d.Notes {
		if !p.inFile(n.At) || len(r.RelatedLocations) == mostLocations {
			parts = append(parts, plainText(n.Message))
			continue
		}
		loc := p.location(n.At)
		loc.ID, loc.Message = len(r.RelatedLocations)+1, &sarifText{diag.Escape(n.Message)}
		r.RelatedLocations = append(r.RelatedLocations, loc)
		parts = append(parts, fmt.Sprintf("[%s](%d): %s", linkText(p.line(n.At)), loc.ID, plainText(n.Message)))
	}
	for _, s := range textAndFix(p.paths, d) {
		parts = append(parts, plainText(s))
	}
	r.Message.Text = strings.Join(parts, "\n")
	if len(d.Loop) > 0 {
		r.CodeFlows = []sarifCodeFlow{{[]sarifThreadFlow{p.flow(d, at, placed)}}}
	}
	if d.Fix != nil {
		r.Fixes = p.fixes(d.Fix)
	}
	return r
}

// flow returns the circle of a loop as one step for each buffer. A buffer without a place gets the place of the finding.
func (p *sarifPaths) flow(d *diag.Diagnostic, at diag.Range, placed bool) (flow sarifThreadFlow) {
	for i, h := range d.Loop {
		if i == mostLocations {
			break
		}
		name := h.Device + ":" + h.In
		step := sarifLocation{LogicalLocations: []sarifLogical{{name, "resource"}}}
		switch {
		case p.inFile(h.At):
			step.PhysicalLocation = p.location(h.At).PhysicalLocation
		case placed:
			step.PhysicalLocation = p.location(at).PhysicalLocation
		}
		next := d.Loop[(i+1)%len(d.Loop)]
		step.Message = &sarifText{fmt.Sprintf("%d. cos group %s enters %s by %s and leaves by %s: this buffer drains only into the buffer of "+
			"%s:%s",
			i+1, h.CosGroup, h.Device, h.In, h.Out, next.Device, next.In)}
		flow.Locations = append(flow.Locations, sarifStep{step})
	}
	return flow
}

// fixes returns the edits of a fix, or nothing if one of them is not an edit of a file.
func (p *sarifPaths) fixes(f *diag.Fix) []sarifFix {
	var changes []sarifChange
	for _, e := range f.Edits {
		if !p.inFile(e.At) {
			return nil
		}
		loc := p.location(e.At).PhysicalLocation
		r := sarifReplacement{loc.Region, sarifText{e.New}}
		if n := len(changes); n > 0 && changes[n-1].ArtifactLocation == loc.ArtifactLocation {
			changes[n-1].Replacements = append(changes[n-1].Replacements, r)
		} else {
			changes = append(changes, sarifChange{loc.ArtifactLocation, []sarifReplacement{r}})
		}
	}
	if changes == nil {
		return nil
	}
	return []sarifFix{{sarifText{diag.Escape(f.Message)}, changes}}
}

// location converts a place in a file.
func (p *sarifPaths) location(at diag.Range) sarifLocation {
	loc := &sarifPhysical{}
	var relative bool
	if loc.ArtifactLocation.URI, relative = p.uri(at.Filename); relative {
		loc.ArtifactLocation.URIBaseID = sarifRoot
	}
	loc.Region.StartLine, loc.Region.EndLine = max(at.Start.Line, 1), max(at.End.Line, at.Start.Line, 1)
	loc.Region.StartColumn, loc.Region.EndColumn = p.columns(at)
	return sarifLocation{PhysicalLocation: loc}
}

// plainText returns text that a viewer of SARIF messages does not take for a link.
func plainText(s string) string { return strings.ReplaceAll(diag.EscapeLines(s), "](", "] (") }

// linkText escapes text for use as the text of a link.
func linkText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(s)
}
