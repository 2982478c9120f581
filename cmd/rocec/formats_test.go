package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/report/reporttest"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/validate"
)

// exampleFolders are the folders that every format has to report on.
func exampleFolders(t *testing.T) []string {
	entries, err := os.ReadDir("examples")
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, "examples/"+e.Name())
		}
	}
	require.NotEmpty(t, out)
	return out
}

// formatted returns the output of validate on a folder in a format.
func formatted(t *testing.T, format string, args ...string) string {
	t.Helper()
	_, stdout, stderr := rocec(t, append([]string{"validate", "--format", format}, args...)...)
	require.Empty(t, stderr)
	require.NotEmpty(t, stdout)
	return stdout
}

// The test compares the output of all formats for a sound fabric and two faulty ones, byte for byte. It leaves the help texts and the
// version out of SARIF: they change for other reasons.
func TestFormatsGolden(t *testing.T) {
	goldens, err := filepath.Abs("testdata/formats")
	require.NoError(t, err)
	repository := t.TempDir() // made here: the source archive of a release is not a repository
	require.NoError(t, os.CopyFS(filepath.Join(repository, "examples"), os.DirFS("../../examples")))
	require.NoError(t, os.Mkdir(filepath.Join(repository, ".git"), 0o755))
	t.Chdir(repository)
	stories := regexp.MustCompile(`(?s)("(?:fullDescription|help)": \{).*?\n( +\})`)
	for _, example := range []string{"clos-v2-ecn", "failover-pfc-loop", "bad-unmapped-dscp"} {
		for _, f := range report.Formats {
			if f.Name == "text" {
				continue // golden/ has the output
			}
			t.Run(example+"/"+f.Name, func(t *testing.T) {
				got := formatted(t, f.Name, "examples/"+example)
				if f.Name == "sarif" {
					got = stories.ReplaceAllString(got, "$1 ... $2")
					got = strings.Replace(got, fmt.Sprintf("%q", buildVersion().Version), `"VERSION"`, 1)
				}
				if f.Name == "junit" {
					got = withoutPassed(t, got)
				}
				golden := filepath.Join(goldens, example+"."+f.Name)
				if *update {
					require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
				}
				want, err := os.ReadFile(golden)
				require.NoError(t, err)
				require.Equal(t, string(want), got)
			})
		}
	}
}

// passed matches a JUnit test case of a check without findings.
var passed = regexp.MustCompile(`(?m)^ *<testcase name="([a-z0-9-]+)" classname="rocec\.([a-z0-9-]+)"></testcase>\n`)

// withoutPassed removes checks without findings from a JUnit report, so that a golden file has only the relevant checks. Every check must
// have a case.
func withoutPassed(t *testing.T, report string) string {
	t.Helper()
	for _, c := range validate.Checks {
		require.Contains(t, report, fmt.Sprintf(`classname="rocec.%s"`, c.Code))
	}
	all := strings.Count(report, "<testcase ")
	for _, m := range passed.FindAllStringSubmatch(report, -1) {
		require.Equal(t, m[1], m[2])
	}
	short := passed.ReplaceAllString(report, "")
	require.Greater(t, all, strings.Count(short, "<testcase "))
	tests := fmt.Sprintf(`tests="%d"`, all)
	require.Equal(t, 2, strings.Count(short, tests), "both counts are the number of cases")
	return strings.ReplaceAll(short, tests, `tests="ALL"`)
}

// Every field of the JSON is in its schema.
func TestJSONSchema(t *testing.T) {
	schema, err := os.ReadFile("../../docs/schema/validate.json")
	require.NoError(t, err)
	compiled := reporttest.Closed(t, schema, "")
	t.Chdir("../..")
	check := func(text string) {
		t.Helper()
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err)
		require.NoError(t, compiled.Validate(doc))
	}
	for _, dir := range exampleFolders(t) {
		check(formatted(t, "json", dir))
	}
	check(formatted(t, "json", "--var", "x=1", "examples/rack-v1-pfc"))
	check(formatted(t, "json", "--device-config", "golden"))
	check(write(t, "json", everything(t)))
	require.Error(t, compiled.Validate(map[string]any{"format_version": "1.0"}), "the schema requires some members")
}

// write returns the output of a format for a fabric.
func write(t *testing.T, format string, f *report.Report) string {
	t.Helper()
	var out bytes.Buffer
	i := slices.IndexFunc(report.Formats, func(v report.Format) bool { return v.Name == format })
	require.NoError(t, report.Formats[i].Write(&out, f, report.Options{Version: "(test)"}))
	return out.String()
}

// tricky is a fabric file whose lines contain letters of every width, each before a mistake.
const tricky = `# é 宽字 😀 e` + "\u0301" + `
fabric "r" {
  /* é 宽字 😀 e` + "\u0301" + ` */ mtu = "many"
}
`

// given is the place of a value from the command line or the environment.
func given(name string) diag.Range {
	at := diag.Range{Filename: name}
	at.Start.Line, at.Start.Column, at.End.Line, at.End.Column = 1, 1, 1, 1
	return at
}

// everything is a fabric with a finding of each kind that a format has to handle.
func everything(t *testing.T) *report.Report {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a fabric #1")
	require.NoError(t, os.Mkdir(dir, 0o755))
	name := dir + "/fabric.hcl"
	require.NoError(t, os.WriteFile(name, []byte(tricky), 0o644))
	a := newApp(&person.Person{Getenv: func(string) string { return "" }})
	f, err := a.Load(dir)
	require.NoError(t, err)
	require.Len(t, f.Diags, 1)
	at := f.Diags[0].At
	require.Contains(t, f.Source.Files, name)

	second := *f.Diags[0]
	f.Diags.Add(&second)
	f.Diags.Warnf(diag.Range{}, "pfc-loop", "no place", "Brackets [a](b), \x1b[31mred\x1b[0m, \u202ebidi, \x00 and ]]> <b>&.\n::error::x "+
		"##[error]y")
	d := f.Diags.Noticef(given("--var 1"), "bad-variable", "a value", "From the command line.")
	d.Note(given("ROCEC_VAR_x"), "from the environment").Note(at, "in [a] file")
	d.Fix = &diag.Fix{Message: "try", Edits: []diag.Edit{{At: at, New: "9216"}}}
	d = f.Diags.Errorf(at, "pfc-loop", "a loop", "Round and round.")
	d.Loop = []diag.Wait{{Device: "sw1", In: "swp1", Out: "swp2", CosGroup: "g", At: at}, {
		Device: "sw2", In: "swp1", Out: "swp2",
		CosGroup: "g",
	}}
	d.Text = "1. sw1\n2. sw2\n"
	d.Fix = &diag.Fix{Message: "write it", Edits: []diag.Edit{{At: at, New: "9216"}, {At: at, New: "1500"}}}
	f.Ignored = []lang.Ignored{{Diagnostic: &diag.Diagnostic{
		Severity: diag.Warning, Code: "incast", Summary: "incast", Detail: "Too many.",
		At: at,
	}, By: &lang.Ignore{Reason: "we know: \x07 <ok>", At: at}}}
	return f
}

// here is the folder of the package: tests change the working directory.
var here, _ = os.Getwd()

// sarifSchema is docs/schema/sarif.json.
var sarifSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	return c.Compile(filepath.Join(here, "../../docs/schema/sarif.json"))
})

// A log cannot have members that its schema lacks: each object in the schema lists all of its members.
func TestSARIFSchemaIsClosed(t *testing.T) {
	data, err := os.ReadFile("../../docs/schema/sarif.json")
	require.NoError(t, err)
	var doc any
	require.NoError(t, json.Unmarshal(data, &doc))
	objects := 0
	var look func(path string, v any)
	look = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if v["type"] == "object" {
				objects++
				_, open := v["propertyNames"]
				require.True(t, open || v["additionalProperties"] == false, path)
			}
			for name, x := range v {
				look(path+"/"+name, x)
			}
		case []any:
			for _, x := range v {
				look(path, x)
			}
		}
	}
	look("", doc)
	require.Greater(t, objects, 20)
}

// judgeSARIF checks a log against the schema and against further requirements of readers.
func judgeSARIF(t *testing.T, text string) *report.SARIFRun {
	t.Helper()
	schema, err := sarifSchema()
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err)
	require.NoError(t, schema.Validate(doc))
	var log report.SARIFLog
	require.NoError(t, json.Unmarshal([]byte(text), &log))
	run := &log.Runs[0]
	seen := map[string]bool{}
	for _, r := range run.Results {
		require.Less(t, r.RuleIndex, len(run.Tool.Driver.Rules))
		require.Equal(t, r.RuleID, run.Tool.Driver.Rules[r.RuleIndex].ID)
		require.Len(t, r.Locations, 1, "code scanning refuses a log with a result without a place")
		prints := fmt.Sprint(r.PartialFingerprints)
		require.False(t, seen[prints], "fingerprints differ")
		seen[prints] = true
		for i, l := range r.RelatedLocations {
			require.Equal(t, i+1, l.ID)
			require.Contains(t, r.Message.Text, fmt.Sprintf("](%d): ", i+1))
		}
		require.Equal(t, len(r.RelatedLocations), strings.Count(r.Message.Text, "]("), "no other text reads as a link")
	}
	require.NotRegexp(t, `"uri": "[^"]*--?var`, text, "values from the command line are not artifacts")
	return run
}

func TestSARIF(t *testing.T) {
	t.Chdir("../..")
	for _, dir := range exampleFolders(t) {
		run := judgeSARIF(t, formatted(t, "sarif", dir))
		require.Equal(t, "rocec/"+dir+"/", run.AutomationDetails.ID)
		for _, r := range run.Results {
			require.Regexp(t, "^"+dir+"/[a-z/]+[.]hcl$", r.Locations[0].PhysicalLocation.ArtifactLocation.URI)
			require.Equal(t, "%SRCROOT%", r.Locations[0].PhysicalLocation.ArtifactLocation.URIBaseID)
		}
	}
	judgeSARIF(t, formatted(t, "sarif", "--device-config", "golden"))
	judgeSARIF(t, formatted(t, "sarif", "--var", "x=1", "examples/rack-v1-pfc"))

	run := judgeSARIF(t, write(t, "sarif", everything(t)))
	require.Len(t, run.Results, 6)
	byText := func(s string) report.SARIFResult {
		i := slices.IndexFunc(run.Results, func(r report.SARIFResult) bool { return strings.Contains(r.Message.Text, s) })
		require.GreaterOrEqual(t, i, 0, s)
		return run.Results[i]
	}
	loop := byText("Round and round.")
	steps := loop.CodeFlows[0].ThreadFlows[0].Locations
	require.Len(t, steps, 2)
	assert.Contains(t, steps[1].Location.Message.Text, "drains only into the buffer of sw1:swp1")
	assert.NotNil(t, steps[1].Location.PhysicalLocation, "a hop without a place has the place of the finding")
	assert.Len(t, loop.Fixes[0].Changes[0].Replacements, 2)
	assert.True(t, strings.HasPrefix(loop.Locations[0].PhysicalLocation.ArtifactLocation.URI, "file:///"), "a file outside of the root")
	assert.Contains(t, loop.Locations[0].PhysicalLocation.ArtifactLocation.URI, "/a%20fabric%20%231/fabric.hcl")

	region := loop.Locations[0].PhysicalLocation.Region
	line := utf16.Encode([]rune(strings.Split(tricky, "\n")[region.StartLine-1]))
	assert.Equal(t, `"many"`, string(utf16.Decode(line[region.StartColumn-1:region.EndColumn-1])))

	given := byText("From the command line.")
	assert.Len(t, given.RelatedLocations, 1)
	assert.Contains(t, given.Message.Text, `:3](1): in [a] file`)
	ignored := byText("Too many.")
	require.Len(t, ignored.Suppressions, 1)
	assert.Equal(t, "inSource", ignored.Suppressions[0].Kind)
	assert.Equal(t, `we know: \a <ok>`, ignored.Suppressions[0].Justification)
	plain := byText("Brackets")
	assert.NotContains(t, plain.Message.Text, "\x1b")
	assert.Empty(t, plain.Suppressions)
}

// A loop is a path through the files: if the files name the ports at different places, the hops have these places.
func TestSARIFLoop(t *testing.T) {
	t.Chdir("../..")
	run := judgeSARIF(t, formatted(t, "sarif", "examples/failover-pfc-loop"))
	var lines []int
	for _, s := range run.Results[0].CodeFlows[0].ThreadFlows[0].Locations {
		lines = append(lines, s.Location.PhysicalLocation.Region.StartLine)
	}
	require.Len(t, lines, 4)
	assert.NotEqual(t, lines[0], lines[1])
	assert.Equal(t, lines[:2], lines[2:], "leaf, spine, leaf, spine")
}

// Findings about files of devices also have places, in every format.
func TestFormatsOfDeviceFiles(t *testing.T) {
	bad, err := filepath.Glob("../../targets/cumulus/conflint/testdata/*/bad.conf")
	require.NoError(t, err)
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	gitFolder(t)(root)
	for _, name := range bad {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		dir := filepath.Join(root, "switches", filepath.Base(filepath.Dir(name)))
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "traffic.conf"), data, 0o644))
	}
	t.Chdir(root)
	files, prints := reports(t, "--device-config", "switches")
	require.Greater(t, len(files), 20)
	for _, f := range files {
		assert.Regexp(t, "^switches/conf-[a-z0-9-]+/traffic.conf$", f)
	}
	t.Chdir(here)
	t.Chdir("../..")
	lintXML(t, formatted(t, "junit", "--device-config", root))
	t.Chdir(filepath.Join(root, "switches"))
	again, same := reports(t, "--device-config", ".")
	assert.Equal(t, files, again)
	assert.Equal(t, prints, same)
}

// Findings beyond the limit of code scanning are left out, the mildest first, and the log reports their number.
func TestSARIFBound(t *testing.T) {
	f := everything(t)
	for i := range report.MostSARIFResults {
		f.Diags.Noticef(f.Diags[0].At, "incast", "many", "Number %d.", i)
	}
	var log report.SARIFLog
	require.NoError(t, json.Unmarshal([]byte(write(t, "sarif", f)), &log))
	run := log.Runs[0]
	assert.Len(t, run.Results, report.MostSARIFResults)
	assert.Equal(t, "error", run.Results[0].Level)
	assert.Contains(t, run.Invocations[0].Notifications[0].Message.Text, "6 further findings left out")
	run.Results = run.Results[:1]
	short, err := json.Marshal(report.SARIFLog{Schema: log.Schema, Version: log.Version, Runs: []report.SARIFRun{run}})
	require.NoError(t, err)
	judgeSARIF(t, string(short))
}

// lintXML checks a document against the schema that readers of JUnit XML use.
func lintXML(t *testing.T, text string) {
	t.Helper()
	tool := machinetest.Need(t, "xmllint")
	cmd := exec.Command(tool, "--nonet", "--noout", "--schema", "cmd/rocec/testdata/junit.xsd", "-")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestJUnit(t *testing.T) {
	t.Chdir("../..")
	for _, dir := range exampleFolders(t) {
		lintXML(t, formatted(t, "junit", dir))
	}
	lintXML(t, formatted(t, "junit", "--device-config", "golden"))
	f := everything(t)
	got := write(t, "junit", f)
	lintXML(t, got)
	assert.Contains(t, got, `tests="6" failures="3" errors="0" skipped="1"`)
	assert.Contains(t, got, `<skipped>ignored: we know: \a &lt;ok&gt;</skipped>`)
	assert.Regexp(t, `name="[a-z-]+ [^"]*/a fabric #1/fabric.hcl \(2\)"`, got, "two findings of one code in one file are two cases")
	f.Strict = true
	got = write(t, "junit", f)
	lintXML(t, got)
	assert.Contains(t, got, `failures="4"`, "a finding that causes exit status 1 is a failure")
}

func TestGitLab(t *testing.T) {
	t.Chdir("../..")
	var found []report.GitLabIssue
	require.NoError(t, json.Unmarshal([]byte(write(t, "gitlab", everything(t))), &found))
	require.Len(t, found, 5, "ignored findings are left out")
	prints := map[string]bool{}
	for _, i := range found {
		prints[i.Fingerprint] = true
		assert.NotEmpty(t, i.Location.Path)
		assert.NotContains(t, i.Location.Path, "--var")
		assert.Positive(t, i.Location.Lines.Begin)
		assert.Contains(t, []string{"info", "minor", "major"}, i.Severity)
	}
	assert.Len(t, prints, 5)
}

// github runs validate with the environment of a workflow.
func github(t *testing.T, summary string, f *report.Report) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	a := newApp(&person.Person{Stdout: &out, Stderr: &errs, Getenv: func(name string) string {
		return map[string]string{"GITHUB_STEP_SUMMARY": summary}[name]
	}})
	require.NoError(t, report.GitHub(&out, f, report.Options{}))
	a.stepSummary(f)
	return out.String(), errs.String()
}

func TestGitHub(t *testing.T) {
	t.Chdir("../..")
	f := everything(t)
	for i := range 15 {
		f.Diags.Warnf(f.Diags[0].At, "incast", "many", "Warning %d.\nSecond line ##[error]x", i)
		f.Diags.Noticef(f.Diags[0].At, "incast", "many", "Note %d.", i)
	}
	summary := filepath.Join(t.TempDir(), "summary.md")
	require.NoError(t, os.WriteFile(summary, []byte("before\n"), 0o644))
	stdout, stderr := github(t, summary, f)
	require.Empty(t, stderr)
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	count, order := map[string]int{}, []string{}
	for _, l := range lines {
		command, _, ok := strings.Cut(strings.TrimPrefix(l, "::"), " ")
		if !strings.HasPrefix(l, "::") || !ok {
			continue
		}
		count[command]++
		order = append(order, command)
	}
	assert.Equal(t, map[string]int{"error": 3, "warning": 10, "notice": 10},
		map[string]int{"error": count["error"], "warning": count["warning"], "notice": count["notice"]})
	assert.Equal(t, []string{"error", "error", "error", "warning"}, order[:4], "worst first")
	assert.Equal(t, "::notice title=rocec::3 errors, 16 warnings, 16 notes, 1 ignored, of which 13 are in the log only", lines[len(lines)-1])
	assert.Contains(t, stdout, "::group::13 further findings that GitHub does not annotate\n")
	for _, l := range lines {
		if !strings.HasPrefix(l, "::") {
			assert.NotContains(t, l, "##[", "a plain line is not a command")
		}
		assert.NotContains(t, l, "\x1b")
	}

	data, err := os.ReadFile(summary)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(data), "before\n## rocec validate: 3 errors, "), "other steps write there, too")
	assert.Contains(t, string(data), "&lt;b&gt;&amp;"[:0]+"&#60;b&#62;&#38;")
	for l := range strings.Lines(string(data)) {
		if strings.HasPrefix(l, "|") && !strings.Contains(l, "---") {
			assert.Contains(t, []int{4, 5}, strings.Count(l, "|"), l)
		}
	}

	for i := range 2000 {
		f.Diags.Errorf(f.Diags[0].At, "incast", "many", "%d %s", i, strings.Repeat("é|", 5000))
	}
	_, stderr = github(t, summary, f)
	require.Empty(t, stderr)
	info, err := os.Stat(summary)
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(1<<20), "GitHub takes 1 MiB")
	stdout, stderr = github(t, "/nowhere/summary.md", f)
	assert.Contains(t, stderr, "rocec: cannot write the step summary: ")
	assert.Contains(t, stdout, "::notice title=rocec::", "and the other output is complete")
}

// The summary contains the verdicts.
func TestGitHubVerdicts(t *testing.T) {
	t.Chdir("../..")
	summary := filepath.Join(t.TempDir(), "summary.md")
	var out bytes.Buffer
	p := &person.Person{Stdin: strings.NewReader(""), Stdout: &out, Stderr: t.Output(), Getenv: func(name string) string {
		return map[string]string{"GITHUB_STEP_SUMMARY": summary}[name]
	}}
	require.Equal(t, exit.Good, run(context.Background(), p, []string{"validate", "--format", "github", "examples/clos-v2-ecn"}))
	data, err := os.ReadFile(summary)
	require.NoError(t, err)
	assert.Contains(t, string(data), "| cos group | verdict | why |\n| --- | --- | --- |\n| rdma | free of PFC loops")
}
