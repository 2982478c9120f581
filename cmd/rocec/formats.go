package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/conflint"
)

// The formats CI systems read. All of them are written from the same sorted list, errors before warnings where a
// reader shows only the first few.

// sarifLog is the part of SARIF 2.1.0 rocec writes.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver struct {
			Name           string      `json:"name"`
			Version        string      `json:"version"`
			InformationURI string      `json:"informationUri"`
			Rules          []sarifRule `json:"rules"`
		} `json:"driver"`
	} `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifRule struct {
	ID               string    `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
	FullDescription  sarifText `json:"fullDescription"`
}

type sarifResult struct {
	RuleID              string            `json:"ruleId"`
	Level               string            `json:"level"`
	Message             sarifText         `json:"message"`
	Locations           []sarifLocation   `json:"locations"`
	RelatedLocations    []sarifLocation   `json:"relatedLocations,omitempty"`
	CodeFlows           []sarifCodeFlow   `json:"codeFlows,omitempty"`
	PartialFingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	ID               int            `json:"id,omitempty"`
	PhysicalLocation *sarifPhysical `json:"physicalLocation,omitempty"`
	Message          *sarifText     `json:"message,omitempty"`
}

type sarifPhysical struct {
	ArtifactLocation struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region sarifRegion `json:"region"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
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

func (a *app) validateSARIF(f *fabric) error {
	run := sarifRun{ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	run.Tool.Driver.Name = "rocec"
	run.Tool.Driver.Version = buildVersion().Version
	run.Tool.Driver.InformationURI = "https://github.com/rocec/rocec"
	run.Tool.Driver.Rules = []sarifRule{}
	used := map[string]bool{}
	for _, d := range f.diags {
		used[d.Code] = true
	}
	for _, r := range rooms() {
		for _, t := range r.topics {
			if used[t.Code] {
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{t.Code, sarifText{t.Summary}, sarifText{strings.TrimSpace(t.Doc)}})
			}
		}
	}
	for _, d := range f.diags {
		r := sarifResult{
			RuleID: d.Code, Level: d.Severity.String(), Message: sarifText{oneText(d)},
			Locations:           []sarifLocation{},
			PartialFingerprints: map[string]string{"rocec/v1": fingerprint(d)},
		}
		if loc, ok := sarifPlace(f.src.Files, d.At); ok {
			r.Locations = append(r.Locations, loc)
		}
		for i, n := range d.Notes {
			if loc, ok := sarifPlace(f.src.Files, n.At); ok {
				loc.ID, loc.Message = i+1, &sarifText{n.Message}
				r.RelatedLocations = append(r.RelatedLocations, loc)
			}
		}
		if len(d.Loop) > 0 {
			var flow sarifThreadFlow
			for _, h := range d.Loop {
				loc, _ := sarifPlace(f.src.Files, d.At)
				loc.Message = &sarifText{fmt.Sprintf("%s: in by %s, out by %s, cos group %s", h.Device, h.In, h.Out, h.CosGroup)}
				flow.Locations = append(flow.Locations, sarifStep{loc})
			}
			r.CodeFlows = []sarifCodeFlow{{[]sarifThreadFlow{flow}}}
		}
		run.Results = append(run.Results, r)
	}
	return a.writeJSON(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// sarifPlace converts a place; columns become UTF-16 units counted from the bytes of the line.
func sarifPlace(files map[string][]byte, at diag.Range) (sarifLocation, bool) {
	if at.Filename == "" {
		return sarifLocation{}, false
	}
	p := &sarifPhysical{}
	p.ArtifactLocation.URI = at.Filename
	src := files[at.Filename]
	column := func(b, fallback int) int {
		if b < 0 || b > len(src) {
			return fallback
		}
		line := src[:b]
		line = line[strings.LastIndexByte(string(line), '\n')+1:]
		return len(utf16.Encode([]rune(string(line)))) + 1
	}
	p.Region = sarifRegion{
		max(at.Start.Line, 1), column(at.Start.Byte, at.Start.Column),
		max(at.End.Line, 1), column(at.End.Byte, at.End.Column),
	}
	return sarifLocation{PhysicalLocation: p}, true
}

// oneText is a diagnostic as one paragraph: detail, facts, the laid-out text, the way out.
func oneText(d *diag.Diagnostic) string {
	parts := []string{d.Detail}
	for _, n := range d.Notes {
		if n.At.Filename == "" {
			parts = append(parts, n.Message)
		} else {
			parts = append(parts, fmt.Sprintf("%s:%d: %s", n.At.Filename, n.At.Start.Line, n.Message))
		}
	}
	if d.Text != "" {
		parts = append(parts, strings.TrimRight(d.Text, "\n"))
	}
	if d.Fix != nil {
		parts = append(parts, d.Fix.Message)
	}
	return strings.Join(parts, "\n")
}

// fingerprint names a finding across edits of its file: code, file and text, not the line.
func fingerprint(d *diag.Diagnostic) string {
	sum := sha256.Sum256([]byte(d.Code + "\x00" + d.At.Filename + "\x00" + d.Detail))
	return hex.EncodeToString(sum[:16])
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	ClassName string        `xml:"classname,attr"`
	File      string        `xml:"file,attr,omitempty"`
	Failure   *junitFailure `xml:"failure,omitempty"`
	Output    string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// validateJUnit writes one test case per code that was found, and one for each check that found nothing.
func (a *app) validateJUnit(f *fabric) error {
	suite := junitSuite{Name: "rocec validate"}
	found := map[string]bool{}
	for _, d := range f.diags {
		found[d.Code] = true
		c := junitCase{Name: fmt.Sprintf("%s %s", d.Code, place(d.At)), ClassName: "rocec." + d.Code, File: d.At.Filename}
		if d.Severity == diag.Error {
			c.Failure = &junitFailure{d.Summary, d.Code, oneText(d)}
			suite.Failures++
		} else {
			c.Output = d.Severity.String() + ": " + oneText(d)
		}
		suite.Cases = append(suite.Cases, c)
	}
	var ran []diag.Topic
	switch {
	case f.ir != nil:
		ran = rooms()[0].topics
	case f.devices != nil:
		ran = conflint.Topics
	}
	for _, t := range ran {
		if !found[t.Code] {
			suite.Cases = append(suite.Cases, junitCase{Name: t.Code, ClassName: "rocec." + t.Code})
		}
	}
	suite.Tests = len(suite.Cases)
	io.WriteString(a.stdout, xml.Header) //nolint:errcheck // the encoder meets the same error
	enc := xml.NewEncoder(a.stdout)
	enc.Indent("", "  ")
	if err := enc.Encode(junitSuites{Tests: suite.Tests, Failures: suite.Failures, Suites: []junitSuite{suite}}); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.stdout)
	return err
}

// place is "file:line", or "-" for none.
func place(at diag.Range) string {
	if at.Filename == "" {
		return "-"
	}
	return fmt.Sprintf("%s:%d", at.Filename, at.Start.Line)
}

// validateGitHub writes workflow commands. GitHub shows ten of them a step and drops the rest silently, so errors come
// first and the last line gives the total.
func (a *app) validateGitHub(f *fabric) error {
	sorted := slices.Clone(f.diags)
	slices.SortStableFunc(sorted, func(x, y *diag.Diagnostic) int { return int(x.Severity) - int(y.Severity) })
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	for _, d := range sorted {
		where := ""
		if d.At.Filename != "" {
			where = fmt.Sprintf("file=%s,line=%d,endLine=%d,col=%d,", property.Replace(d.At.Filename), d.At.Start.Line, d.At.End.Line, d.At.Start.Column)
		}
		command := map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning", diag.Notice: "notice"}[d.Severity]
		fmt.Fprintf(a.stdout, "::%s %stitle=%s::%s\n", command, where, property.Replace(d.Code+": "+d.Summary), data.Replace(oneText(d)))
	}
	_, err := fmt.Fprintf(a.stdout, "::notice title=rocec::%s\n", counts(f.diags))
	return err
}

type gitlabIssue struct {
	Description string `json:"description"`
	CheckName   string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"`
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
}

// validateGitLab writes GitLab's code quality report.
func (a *app) validateGitLab(f *fabric) error {
	issues := []gitlabIssue{}
	for _, d := range f.diags {
		i := gitlabIssue{Description: d.Summary + ": " + d.Detail, CheckName: d.Code, Fingerprint: fingerprint(d)}
		i.Severity = map[diag.Severity]string{diag.Error: "major", diag.Warning: "minor", diag.Notice: "info"}[d.Severity]
		i.Location.Path, i.Location.Lines.Begin = d.At.Filename, max(d.At.Start.Line, 1)
		issues = append(issues, i)
	}
	return a.writeJSON(issues)
}
