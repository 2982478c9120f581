package alerts

import (
	"bytes"
	"maps"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rocec/rocec/compiler/ir"
)

// RulesFile is the name of the file of rules, which the file of unit tests names.
const RulesFile = "rocec.rules.yml"

// heading is the first line of the files.
const heading = "# Written by rocec build --as prometheus. Change the fabric, not this file.\n"

// Runbook is the address of the page with a section for each alert.
const Runbook = "https://github.com/rocec/rocec/blob/main/docs/metrics.md"

// The documents of Prometheus: rule files, and unit tests of rules. Source: "Recording rules" and "Unit Testing for Rules" of the
// documentation of Prometheus 2.42.
type (
	ruleFile struct {
		Groups []ruleGroup `yaml:"groups"`
	}

	ruleGroup struct {
		Name  string `yaml:"name"`
		Rules []rule `yaml:"rules"`
	}

	rule struct {
		Alert       string      `yaml:"alert"`
		Expr        string      `yaml:"expr"`
		For         string      `yaml:"for,omitempty"`
		Labels      severity    `yaml:"labels"`
		Annotations annotations `yaml:"annotations"`
	}

	severity struct {
		Severity string `yaml:"severity"`
	}

	annotations struct {
		Summary string `yaml:"summary"`
		Runbook string `yaml:"runbook_url"`
	}

	testFile struct {
		Rules []string   `yaml:"rule_files"`
		Every string     `yaml:"evaluation_interval"`
		Tests []testCase `yaml:"tests"`
	}

	testCase struct {
		Interval string        `yaml:"interval"`
		Series   []inputSeries `yaml:"input_series"`
		Alerts   []alertTest   `yaml:"alert_rule_test"`
	}

	inputSeries struct {
		Series string `yaml:"series"`
		Values string `yaml:"values"`
	}

	alertTest struct {
		At     string          `yaml:"eval_time"`
		Alert  string          `yaml:"alertname"`
		Alerts []expectedAlert `yaml:"exp_alerts"`
	}

	expectedAlert struct {
		Labels      map[string]string `yaml:"exp_labels"`
		Annotations annotations       `yaml:"exp_annotations"`
	}
)

// Rules returns the file of rules of a fabric.
func Rules(f *ir.Fabric) []byte {
	fs := factsOf(f)
	g := ruleGroup{Name: "rocec " + fs.fabric}
	rows, exprs := fs.ruled()
	for i, a := range rows {
		g.Rules = append(g.Rules, rule{a.Name, exprs[i], a.For, severity{a.Severity}, annotations{a.Summary, a.runbook()}})
	}
	return encode(ruleFile{[]ruleGroup{g}})
}

// runbook returns the address of the section about the alert.
func (a *Alert) runbook() string { return Runbook + "#" + strings.ToLower(a.Name) }

// Tests returns the unit tests of the rules of a fabric, for `promtool test rules`.
func Tests(f *ir.Fabric) []byte {
	fs := factsOf(f)
	doc := testFile{Rules: []string{RulesFile}, Every: "1m"}
	rows, _ := fs.ruled()
	for _, a := range rows {
		for _, e := range a.examples(fs) {
			c := testCase{Interval: "1m", Alerts: []alertTest{{At: e.at, Alert: a.Name, Alerts: []expectedAlert{}}}}
			for _, s := range e.series {
				c.Series = append(c.Series, inputSeries{s.String(), s.values})
			}
			if e.fires != nil {
				want := expectedAlert{map[string]string{"severity": a.Severity}, annotations{a.text(e.fires, e.value), a.runbook()}}
				maps.Copy(want.Labels, e.fires)
				c.Alerts[0].Alerts = append(c.Alerts[0].Alerts, want)
			}
			doc.Tests = append(doc.Tests, c)
		}
	}
	return encode(doc)
}

// String returns the series as a selector of PromQL.
func (s series) String() string {
	var labels []string
	for i := 0; i < len(s.labels); i += 2 {
		labels = append(labels, s.labels[i]+"="+strconv.Quote(s.labels[i+1]))
	}
	return s.name + "{" + strings.Join(labels, ",") + "}"
}

// encode returns a document as YAML; maps are sorted by key.
func encode(doc any) []byte {
	b := bytes.NewBufferString(heading)
	enc := yaml.NewEncoder(b)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		panic(err) // written to memory, with types that can be encoded
	}
	return b.Bytes()
}
