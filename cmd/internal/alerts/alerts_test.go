package alerts

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/cmd/internal/metrics"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/judge"
)

var update = flag.Bool("update", false, "rewrite testdata")

func TestMain(m *testing.M) {
	machinetest.Hasten()
	os.Exit(m.Run())
}

// exampleFabric returns the fabric of an example.
func exampleFabric(t *testing.T, name string) *ir.Fabric {
	t.Helper()
	f := judge.Judge(t.Context(), os.DirFS("../../../examples/"+name), ".", judge.Options{})
	require.False(t, f.Diags.HasErrors(), "%v", f.Diags)
	return f.Fabric
}

// promtool runs promtool on the rules, and on the tests if there are any.
func promtool(t require.TestingT, dir, program string, rules, tests []byte) (output string, err error) {
	file := filepath.Join(dir, RulesFile)
	require.NoError(t, os.WriteFile(file, rules, 0o600))
	out, err := exec.Command(program, "check", "rules", file).CombinedOutput()
	if err != nil || tests == nil {
		return string(out), err
	}
	file = filepath.Join(dir, "rocec.test.yml")
	require.NoError(t, os.WriteFile(file, tests, 0o600))
	out, err = exec.Command(program, "test", "rules", file).CombinedOutput()
	return string(out), err
}

// The rules and the dashboard of an example are as in testdata, and a second build has the same bytes.
func TestGolden(t *testing.T) {
	f := exampleFabric(t, "pods-ebgp")
	for name, make := range map[string]func(*ir.Fabric) []byte{RulesFile: Rules, "rocec.dashboard.json": Dashboard} {
		got := string(make(f))
		require.Equal(t, got, string(make(f)))
		golden := filepath.Join("testdata", name)
		if *update {
			require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), got)
	}
	require.Equal(t, Tests(f), Tests(f))
}

// Promtool accepts the rules of examples with and without notifications, and their unit tests pass.
func TestExamples(t *testing.T) {
	program := machinetest.Need(t, "promtool")
	for name, rules := range map[string]int{"pods-ebgp": 13, "rack-v1-pfc": 11, "pause-at-hosts": 13} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := exampleFabric(t, name)
			out, err := promtool(t, t.TempDir(), program, Rules(f), Tests(f))
			require.NoError(t, err, out)
			require.Len(t, rulesOf(t, Rules(f)), rules)
		})
	}
}

func rulesOf(t require.TestingT, data []byte) []rule {
	var doc ruleFile
	require.NoError(t, yaml.Unmarshal(data, &doc))
	require.Len(t, doc.Groups, 1)
	return doc.Groups[0].Rules
}

// sound returns a leaf-spine fabric with all the facts that rules need.
func sound(leaves, spines int) *irtest.Cabling {
	c := irtest.LeafSpine(ir.UpDown, leaves, spines)
	c.Group.ECN = &ir.ECN{}
	f := c.Fabric()
	f.Intents[0].CNP = &ir.CosGroup{Name: "cnp", Cos: 6}
	size := func(n int) ir.Derived { return ir.Derived{N: n, From: []ir.Reason{{}}} }
	buffers := []*ir.Buffer{{Group: c.Group, Size: size(30000), Xoff: size(10000)}}
	for _, p := range f.Ports {
		p.SetBuffers(buffers)
	}
	return c
}

// Each row of the table has a rule for a fabric with all facts, and at least one example for which it fires and two for which it does not.
// All metrics of rules are in the table of metrics.
func TestEachAlertHasExamples(t *testing.T) {
	fs := factsOf(sound(2, 2).F)
	rows, exprs := fs.ruled()
	require.Equal(t, Table, rows)
	names := map[string]bool{}
	for i, a := range rows {
		require.False(t, names[a.Name], "twice")
		names[a.Name] = true
		fires, silent := 0, 0
		for _, e := range a.examples(fs) {
			if e.fires != nil {
				fires++
			} else {
				silent++
			}
		}
		assert.Positive(t, fires, a.Name)
		assert.Greater(t, silent, 1, a.Name)
		assert.Contains(t, []string{critical, warning}, a.Severity)
		assert.Regexp(t, `^.*\.$`, a.Summary)
		used := regexp.MustCompile(`rocec_\w+`).FindAllString(exprs[i], -1)
		assert.NotEmpty(t, used)
		for _, metric := range used {
			assert.True(t, isMetric(metric), metric)
		}
	}
}

// isMetric reports whether a name is in the table of metrics.
func isMetric(name string) bool {
	return slices.ContainsFunc(metrics.Table, func(m *metrics.Metric) bool { return m.Name == name })
}

// The page has a section for each alert, with the address that the rule names.
func TestRunbooks(t *testing.T) {
	page, err := os.ReadFile("../../../docs/metrics.md")
	require.NoError(t, err)
	for _, r := range rulesOf(t, Rules(sound(2, 2).F)) {
		assert.Contains(t, string(page), "\n### "+r.Alert+"\n")
		assert.Equal(t, Runbook+"#"+strings.ToLower(r.Alert), r.Annotations.Runbook)
	}
	assert.Len(t, regexp.MustCompile(`(?m)^### Rocec\w+$`).FindAllString(string(page), -1), len(Table))
}

// A fabric has no rule about a fact that it does not have, and its rules name its own priorities.
func TestFactsMakeRules(t *testing.T) {
	names := func(f *ir.Fabric) (out []string) {
		for _, r := range rulesOf(t, Rules(f)) {
			out = append(out, r.Alert)
		}
		return out
	}
	whole := names(sound(2, 2).F)
	without := func(change func(*irtest.Cabling)) []string {
		c := sound(2, 2)
		change(c)
		have := names(c.F)
		return slices.DeleteFunc(slices.Clone(whole), func(name string) bool { return slices.Contains(have, name) })
	}
	notices := []string{"RocecMarksUnanswered", "RocecNotificationsIgnored"}
	require.Equal(t, notices, without(func(c *irtest.Cabling) { c.Group.ECN = nil }))
	require.Equal(t, notices, without(func(c *irtest.Cabling) { c.F.Intents[0].CNP = nil }))
	require.Equal(t, notices, without(func(c *irtest.Cabling) { c.F.Intents[0].Version = 1 }))
	require.Equal(t, []string{"RocecHeadroomShort"}, without(func(c *irtest.Cabling) {
		for _, p := range c.F.Ports {
			p.SetBuffers([]*ir.Buffer{{Group: c.Group}})
		}
	}))
	pauses := []string{
		"RocecLosslessDrop", "RocecWatchdogCut", "RocecPausedLong", "RocecPauseUnexpected", "RocecHeadroomShort", notices[0], notices[1],
	}
	require.Equal(t, pauses, without(func(c *irtest.Cabling) {
		for _, p := range c.F.Ports {
			p.SetBuffers(nil)
		}
	}))
	require.Equal(t, pauses, without(func(c *irtest.Cabling) { c.F.FlowControl = ir.Pause }))

	c := sound(2, 2)
	require.Contains(t, string(Rules(c.F)), `priority=~"3"`)
	c.Group.Cos = 5
	require.Contains(t, string(Rules(c.F)), `priority=~"5"`)
	require.NotContains(t, string(Rules(c.F)), `priority=~"3"`)
	c.Bounce()
	require.Contains(t, string(Rules(c.F)), `priority=~"4|5"`)
	require.Contains(t, string(Dashboard(c.F)), "Priority 4: cos group detour")
}

// The rules, their tests and the dashboard do not grow with the fabric, except for longer names of devices.
func TestSize(t *testing.T) {
	small, large := sound(2, 2).F, sound(400, 40).F
	for _, make := range []func(*ir.Fabric) []byte{Rules, Tests, Dashboard} {
		require.InDelta(t, len(make(small)), len(make(large)), 200)
	}
}

// mutation changes a rule.
type mutation struct {
	name string
	rule func(r rule) (changed []rule)
}

// mutations change the expression of a rule in each place where they fit. Each result contradicts an example.
var mutations = []mutation{
	{"without the rule", func(r rule) []rule { r.Expr = `vector(0) > 0`; return []rule{r} }},
	{"without for", func(r rule) []rule {
		if r.For == "" {
			return nil
		}
		r.For = ""
		return []rule{r}
	}},
	{"without the fabric", first(`fabric="[^"]*"`, "")}, // the others are joined with the first
	{"without other matchers", everywhere(`,(?:priority|state|severity)=~?"[^"]*"`, "")},
	{"without the last condition", everywhere(`\n(?:and|unless) on \([^)]*\) [^\n]*$`, "")},
	{"without a middle condition", everywhere(`\nand on \([^)]*\) [^\n]*\n`, "\n")},
	{"the opposite condition", everywhere(` == ([01])`, " != ${1}")},
	{"a higher limit", limits(1.2)},
	{"a lower limit", limits(0.9)},
	{"a limit that includes its value", everywhere(`([<>]) (on|\(?[\d.])`, "${1}= ${2}")},
	{"a shorter window", everywhere(`\[15m\]`, "[1m]")},
	{"a longer window", everywhere(`\[15m\]`, "[45m]")},
}

// everywhere replaces each match in turn.
func everywhere(pattern, by string) func(rule) []rule {
	re := regexp.MustCompile(pattern)
	return func(r rule) (out []rule) {
		for _, at := range re.FindAllStringSubmatchIndex(r.Expr, -1) {
			one := r
			one.Expr = r.Expr[:at[0]] + string(re.ExpandString(nil, by, r.Expr, at)) + r.Expr[at[1]:]
			out = append(out, one)
		}
		return out
	}
}

// first replaces only the first match.
func first(pattern, by string) func(rule) []rule {
	return func(r rule) []rule { return everywhere(pattern, by)(r)[:1] }
}

// limits multiplies each limit other than 0.
func limits(factor float64) func(rule) []rule {
	re := regexp.MustCompile(`(?:[<>] |\()(\d[\d.]*)(?: \*|\)|\n|$)`)
	return func(r rule) (out []rule) {
		for _, at := range re.FindAllStringSubmatchIndex(r.Expr, -1) {
			n, _ := strconv.ParseFloat(r.Expr[at[2]:at[3]], 64)
			if n == 0 {
				continue
			}
			one := r
			one.Expr = r.Expr[:at[2]] + strconv.FormatFloat(n*factor, 'f', -1, 64) + r.Expr[at[3]:]
			out = append(out, one)
		}
		return out
	}
}

// same lists mutations that change no meaning, with the reason.
var same = map[string]string{
	"RocecNotificationsIgnored without the fabric 0": "the division joins it with the sent notifications of the fabric",
}

// The unit tests of the rules fail for each mutation of a rule.
func TestMutations(t *testing.T) {
	program := machinetest.Need(t, "promtool")
	machinetest.Long(t)
	f := sound(2, 2).F
	var tests testFile
	require.NoError(t, yaml.Unmarshal(Tests(f), &tests))
	for _, r := range rulesOf(t, Rules(f)) {
		t.Run(r.Alert, func(t *testing.T) {
			t.Parallel()
			own := tests
			own.Tests = slices.DeleteFunc(slices.Clone(tests.Tests), func(c testCase) bool { return c.Alerts[0].Alert != r.Alert })
			run := func(r rule) (string, error) {
				return promtool(t, t.TempDir(), program, encode(ruleFile{[]ruleGroup{{"one", []rule{r}}}}), encode(own))
			}
			out, err := run(r)
			require.NoError(t, err, out)
			for _, m := range mutations {
				for i, changed := range m.rule(r) {
					name := fmt.Sprintf("%s %s %d", r.Alert, m.name, i)
					out, err := run(changed)
					assert.Equal(t, same[name] == "", err != nil, "%s: %s\n%s", name, changed.Expr, out)
				}
			}
		})
	}
}

// The law: promtool accepts the rules and passes the unit tests of any fabric, whatever characters its names have.
func TestLaw(t *testing.T) {
	program := machinetest.Need(t, "promtool")
	cases := 4
	if machinetest.Quick() {
		cases = 1
	}
	dir := t.TempDir()
	names := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		`"`, `\`, "'", "{{ .Labels }}", "a\nb", "%", "$1", "{}", "#", "- x: y", "\x00", "\xff", "été", "$device",
		"`", "|", " ", "{{ $labels.port }}",
	}))
	for n := range cases {
		c := rapid.Custom(func(t *rapid.T) *irtest.Cabling {
			c := sound(rapid.IntRange(1, 3).Draw(t, "leaves"), rapid.IntRange(1, 3).Draw(t, "spines"))
			if rapid.Bool().Draw(t, "bounce") {
				c.Bounce()
			}
			c.F.Name, c.Group.Name = names.Draw(t, "fabric"), names.Draw(t, "group")
			c.Group.Cos = rapid.SampledFrom([]int{0, 3, 7}).Draw(t, "cos")
			for _, d := range c.F.Devices {
				d.Name = names.Draw(t, "device")
			}
			return c
		}).Example(n)
		out, err := promtool(t, dir, program, Rules(c.F), Tests(c.F))
		require.NoError(t, err, "fabric %q: %s", c.F.Name, out)
		out, err = promtool(t, dir, program, asRules(t, Dashboard(c.F)), nil)
		require.NoError(t, err, "fabric %q: %s", c.F.Name, out)
	}
}

// asRules returns the expressions of a dashboard as rules, for promtool.
func asRules(t require.TestingT, data []byte) []byte {
	var b board
	require.NoError(t, json.Unmarshal(data, &b))
	var doc struct {
		Groups []struct {
			Name  string
			Rules []struct{ Record, Expr string }
		}
	}
	doc.Groups = make([]struct {
		Name  string
		Rules []struct{ Record, Expr string }
	}, 1)
	doc.Groups[0].Name = "dashboard"
	for _, p := range b.Panels {
		for _, q := range p.Targets {
			doc.Groups[0].Rules = append(doc.Groups[0].Rules, struct{ Record, Expr string }{fmt.Sprint("panel", p.ID), q.Expr})
		}
	}
	require.Greater(t, len(doc.Groups[0].Rules), 10)
	return encode(doc)
}

// The dashboard has what Grafana needs: a schema version, a variable for the data source, panels with separate numbers that do not
// overlap, and a data source at each query. Its expressions use metrics of the table. Promtool reads them in TestLaw.
func TestDashboard(t *testing.T) {
	f := sound(3, 2)
	f.Bounce()
	var b board
	require.NoError(t, json.Unmarshal(Dashboard(f.F), &b))
	require.Equal(t, 36, b.SchemaVersion)
	require.LessOrEqual(t, len(b.UID), 40, "Grafana refuses longer ones")
	require.Equal(t, []string{"datasource", "query"}, []string{b.Templating.List[0].Type, b.Templating.List[1].Type})
	ids, cells := map[int]bool{}, map[[2]int]int{}
	for _, p := range b.Panels {
		require.False(t, ids[p.ID])
		ids[p.ID] = true
		require.LessOrEqual(t, p.Grid.X+p.Grid.W, gridWidth)
		for x := range p.Grid.W {
			for y := range p.Grid.H {
				at := [2]int{p.Grid.X + x, p.Grid.Y + y}
				require.Zero(t, cells[at], "panels %d and %d overlap", p.ID, cells[at])
				cells[at] = p.ID
			}
		}
		if p.Type == "row" {
			require.Empty(t, p.Targets)
			continue
		}
		require.NotEmpty(t, p.Title)
		for _, q := range p.Targets {
			require.Equal(t, "${datasource}", q.Source.UID)
			for _, metric := range regexp.MustCompile(`rocec_\w+`).FindAllString(q.Expr, -1) {
				require.True(t, isMetric(metric), metric)
			}
		}
	}
	other := sound(3, 2)
	other.F.Name = "other"
	require.NotContains(t, string(Dashboard(other.F)), b.UID)
}
