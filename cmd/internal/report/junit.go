package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

// The part of JUnit XML that its readers agree on.
type junitSuites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Suite    junitSuite
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	ClassName string        `xml:"classname,attr"`
	Skipped   string        `xml:"skipped,omitempty"`
	Failure   *junitFailure `xml:"failure,omitempty"`
	Output    string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes one test case per finding, and one for each check without findings. A finding that causes exit status 1 is a failure,
// other findings are output. A finding that a comment silences is a skipped case, and so is a file that no rule has judged. The name of a
// case contains no line number, so that its history survives edits.
func JUnit(w io.Writer, r *Report, _ Options) error {
	p := newPaths(r)
	suite := junitSuite{Name: diag.Rocec("validate", diag.Path("DIR", p.folder()))}
	if r.Network != nil {
		suite.Name = diag.Rocec("audit", diag.Path("SOURCE", p.folder()))
	}
	found, names := map[string]bool{}, map[string]int{}
	testCase := func(d *diag.Diagnostic) junitCase {
		found[d.Code] = true
		name := d.Code
		if p.inFile(d.At) {
			name += " " + diag.Escape(p.path(d.At.Filename))
		}
		if names[name]++; names[name] > 1 {
			name += fmt.Sprintf(" (%d)", names[name])
		}
		return junitCase{Name: name, ClassName: "rocec." + d.Code}
	}
	text := func(d *diag.Diagnostic) string {
		s := fmt.Sprintf("%s: %s\n%s", d.Severity, diag.Escape(d.Summary), oneText(p, d))
		if p.inFile(d.At) {
			s = p.line(d.At) + ": " + s
		}
		return s
	}
	for _, d := range r.Diags {
		if targets.Linters().Unjudged(d) { // the skipped case of its file states it
			continue
		}
		c := testCase(d)
		if r.Fails(d) {
			c.Failure = &junitFailure{diag.Escape(d.Summary), d.Code, text(d)}
			suite.Failures++
		} else {
			c.Output = text(d)
		}
		suite.Cases = append(suite.Cases, c)
	}
	for _, i := range r.Ignored {
		c := testCase(i.Diagnostic)
		c.Skipped = "ignored: " + diag.Escape(i.By.Reason)
		suite.Skipped++
		suite.Cases = append(suite.Cases, c)
	}
	for _, k := range r.Baseline.Known() {
		c := testCase(k.Diagnostic)
		c.Skipped = "known: " + diag.Escape(k.Accepted())
		suite.Skipped++
		suite.Cases = append(suite.Cases, c)
	}
	_, not := judged(r.Files)
	for _, f := range not {
		suite.Cases = append(suite.Cases, junitCase{
			Name: "judged " + diag.Escape(p.path(f.Name)), ClassName: "rocec.validate", Skipped: lint.Judged(f.Part) + ": " + diag.Escape(f.Why),
		})
		suite.Skipped++
	}
	for _, t := range topicsRun(r) {
		if !found[t.Code] {
			suite.Cases = append(suite.Cases, junitCase{Name: t.Code, ClassName: "rocec." + t.Code})
		}
	}
	suite.Tests = len(suite.Cases)
	var b strings.Builder
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", "  ")
	if err := enc.Encode(junitSuites{Name: "rocec", Tests: suite.Tests, Failures: suite.Failures, Suite: suite}); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, b.String())
	return err
}
