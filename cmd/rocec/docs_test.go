package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/docs/docstest"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
)

// docs/checks/README.md is the index of the pages of codes, by symptom and by family. The program generates the page.
func TestDocsChecks(t *testing.T) {
	p := docs.Find("checks")
	requireGenerated(t, "checks/README.md", "# "+p.Title+"\n\n"+p.Body)
}

// requireGenerated compares a page with the generated text. With -update it writes the page.
func requireGenerated(t *testing.T, file, text string) {
	t.Helper()
	file = filepath.Join("../../docs", file)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), text, "run make update")
}

// parts returns the three parts of a code's page: why it matters, a minimal bad example, and how to fix it.
func parts(p *docs.Page) (why, example, fix string) {
	why, fix, _ = strings.Cut(p.Body, "\n## Fix\n")
	why, example, _ = strings.Cut(why, "\n## Example\n")
	return strings.TrimSpace(why), strings.TrimSpace(example), strings.TrimSpace(fix)
}

// Codes are promises: unique, kebab-case, with a summary that fits a line. Each has its own page with the fix, and every page belongs to a
// code.
func TestCodes(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range report.Rooms() {
		require.NotEmpty(t, r.Topics, r.Title)
		for _, topic := range r.Topics {
			require.Regexp(t, `^[a-z0-9]+(-[a-z0-9]+)*$`, topic.Code)
			require.False(t, seen[topic.Code], "%s is in two tables", topic.Code)
			seen[topic.Code] = true
			require.NotEmpty(t, topic.Summary, topic.Code)
			require.LessOrEqual(t, len(topic.Summary), 90, topic.Code)
			require.False(t, strings.HasSuffix(topic.Summary, "."), topic.Code)
			p := docs.OfCode(topic.Code)
			require.NotNil(t, p, "docs/checks/%s.md is missing", topic.Code)
			require.Equal(t, topic.Summary, p.Summary, "docs/checks/%s.md: the title is the code and its summary", topic.Code)
			require.Greater(t, len(p.Body), 100, "%s: the page is too short to help", topic.Code)
			why, example, fix := parts(p)
			require.Greater(t, len(why), 60, "%s: why does it matter?", topic.Code)
			require.Contains(t, "\n"+example, "\n```", "%s: no fence under ## Example", topic.Code)
			require.NotEmpty(t, fix, "%s: nothing under ## Fix", topic.Code)
			require.Equal(t, 2, strings.Count(p.Body, "\n## "), "%s: other headings than Example and Fix", topic.Code)
			for _, f := range docstest.Fences(t, filepath.Join("../../docs", p.File)) {
				require.NotEmpty(t, f.Language, "%s, line %d: a fence without a language", p.File, f.Line)
				for line := range strings.Lines(f.Text) {
					require.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 96, "%s: %s", topic.Code, line)
				}
			}
			for line := range strings.Lines(p.Body) {
				require.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 140, "%s: %s", topic.Code, line)
			}
		}
	}
	for _, p := range docs.Pages() {
		require.True(t, p.Code == "" || seen[p.Code], "docs/%s does not belong to a code", p.File)
	}
}

// The front matter of codes has severities from bad to good, families that all have codes, and symptoms in the words of an operator.
func TestCodesFrontMatter(t *testing.T) {
	order := []string{diag.Error.String(), diag.Warning.String(), diag.Notice.String()}
	families, symptoms, withSymptom := map[string]int{}, map[string]int{}, 0
	for _, p := range docs.Pages() {
		if p.Code == "" {
			continue
		}
		families[p.Family]++
		last := -1
		for _, s := range p.Severities {
			at := slices.Index(order, s)
			assert.Greater(t, at, last, "%s: severity %s", p.Code, s)
			last = at
		}
		for _, s := range p.Symptoms {
			assert.NotRegexp(t, `[.|]$`, s, p.Code)
			assert.LessOrEqual(t, len(s), 80, p.Code)
			symptoms[s]++
		}
		if len(p.Symptoms) > 0 {
			withSymptom++
		}
	}
	for _, f := range docs.Families {
		assert.Positive(t, families[f.Name], "the family %s has no code", f.Name)
	}
	assert.GreaterOrEqual(t, len(symptoms), 15)
	assert.GreaterOrEqual(t, withSymptom, 40)
}

// The README shows the real output of rocec. The test runs every console block that begins with "$ rocec", looks up every excerpt in its
// file, and compares the table of mistakes with the generated one.
func TestDocsReadme(t *testing.T) {
	t.Chdir("../..")
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	want := string(data)

	got := regexp.MustCompile("(?s)```console\n\\$ rocec ([^\n]*)\n(.*?)```").ReplaceAllStringFunc(want, func(block string) string {
		line := strings.TrimPrefix(strings.SplitN(block, "\n", 3)[1], "$ ")
		_, stdout, stderr := rocec(t, append(strings.Fields(line)[1:], "--color", "never")...)
		require.Empty(t, stderr)
		return "```console\n$ " + line + "\n" + strings.TrimSpace(stdout) + "\n```"
	})
	var table strings.Builder
	table.WriteString("<!-- checks -->\n| what goes wrong | rocec |\n| --- | --- |\n")
	for _, k := range knowns(t)[1].rows {
		fmt.Fprintf(&table, "| %s | %s |\n", k.what, k.answer("docs/checks/"))
	}
	table.WriteString("<!-- end of checks -->")
	got = regexp.MustCompile("(?s)<!-- checks -->.*<!-- end of checks -->").ReplaceAllLiteralString(got, table.String())
	if *update {
		require.NoError(t, os.WriteFile("README.md", []byte(got), 0o644))
		want = got
	}
	require.Equal(t, want, got, "run make update")

	excerpts := regexp.MustCompile("(?s)<!-- excerpt of ([^ ]*) -->\n```text\n(.*?)```").FindAllStringSubmatch(got, -1)
	require.NotEmpty(t, excerpts)
	for _, e := range excerpts {
		file, err := os.ReadFile(e[1])
		require.NoError(t, err)
		for line := range strings.Lines(e[2]) {
			require.Contains(t, "\n"+string(file), "\n"+line, e[1])
		}
	}
}

// The picture in the README equals the output of rocec graph.
func TestDocsPicture(t *testing.T) {
	t.Chdir("../..")
	const file = "docs/failover.svg"
	code, got, _ := rocec(t, "graph", "examples/failover-pfc-loop")
	require.Equal(t, exit.Errors, code)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "run make update")
}

// docs/platforms.md lists the hardware of the tables, with the source of each row.
func TestDocsPlatforms(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Hardware rocec knows\n\n" +
		"Generated from the tables in the code (`make update`). `model` and `asic` accept these names in upper or lower case. Other\n" +
		"hardware can be declared with a `switch_model` or `nic_model` block. The sources are public documents and tables. The project has\n" +
		"verified nothing on hardware.\n\n## Switch models\n\n| model | what it is | silicon | ports | source |\n| --- | --- | --- | --- | --- |\n")
	for _, s := range platform.Switches {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s | %s |\n", s.Name, s.Title, s.ASIC.Name, targets.Known.DefaultOS().PortsText(s), s.Source)
	}
	var ordered [][2]string
	for _, s := range platform.Switches {
		if s.Parts != nil {
			ordered = append(ordered, [2]string{s.Name, strings.Join(s.Parts, "`, `")})
		}
	}
	for _, d := range targets.Known.Drivers {
		for _, n := range d.Models {
			if n.Parts != nil {
				ordered = append(ordered, [2]string{n.Name, strings.Join(n.Parts, "`, `")})
			}
		}
	}
	b.WriteString("\n## Part numbers\n\n" +
		"`model` also accepts the part number on an order or a label, such as `MSN3700-VS2F`, `DCS-7060CX-32S-F` or `MCX653106A-HDAT`. The\n" +
		"result is the same as with the name of the model. In the patterns, `*` is any text, `?` is one character, and `[0-9]` is one of\n" +
		"these characters. A part number that fits several models is refused with their names (`unknown-model`). The table omits part\n" +
		"numbers that do not contain the name of the model (Dell's 210-, most of NVIDIA's 920-). Source: the makers' ordering tables.\n\n" +
		"| model | part numbers |\n| --- | --- |\n")
	for _, o := range ordered {
		fmt.Fprintf(&b, "| `%s` | `%s` |\n", o[0], o[1])
	}
	b.WriteString("\n## Silicon\n\n| asic | what it is | vendor | cell | buffer | source |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, a := range platform.ASICs {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %d B | %d B | %s |\n", a.Name, a.Title, a.Vendor, a.Cell, a.Buffer, a.Source)
	}
	b.WriteString("\nrocec knows these chips, but derives no buffer sizes for them:\n\n" +
		"| asic | what it is | why | source |\n| --- | --- | --- | --- |\n")
	for _, a := range platform.UnsizedASICs {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", a.Name, a.Title, a.Why, a.Source)
	}
	b.WriteString("\n## Operating systems of switches\n\n" +
		"`os` accepts these names. A switch block without `os` means the first one. `os` also accepts any other name, but rocec writes\n" +
		"nothing for such switches (no-target). If a by_hand block states that others configure such a switch, rocec assumes that the\n" +
		"switch has the features of its chip: PFC, ECN, and a separate buffer for each lossless group.\n")
	yes := map[bool]string{true: "yes", false: "no"}
	for _, os := range targets.Known.OS {
		fmt.Fprintf(&b, "\n### %s\n\n`os = %q`.%s The table shows its features on each chip. No release supports any other chip. For "+
			"such a chip, rocec assumes the features of the chip.\n\n"+
			"| asic | PFC | ECN | lossless groups of a port | share one buffer | source |\n"+
			"| --- | --- | --- | --- | --- | --- |\n", os.Title, os.Name, configsText(os))
		for _, a := range platform.ASICs {
			if c := os.Can(a, ""); c.Source != "" {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %d | %s | %s |\n", a.Name, yes[c.PFC], yes[c.ECN], c.Lossless, yes[c.Shared], c.Source)
			}
		}
	}
	b.WriteString("\n## NICs, by driver\n\nA nic_model block states the name of the driver as its `family`.\n")
	for _, row := range targets.All {
		if row.Driver == nil {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n| model | what it is | speed | RoCE | source |\n"+
			"| --- | --- | --- | --- | --- |\n", row.Driver.Name, row.Doc)
		for _, n := range row.Driver.Models {
			versions := map[[2]bool]string{
				{true, true}: "v1, v2", {true, false}: "v1", {false, true}: "v2",
				{false, false}: "none",
			}[[2]bool{n.V1, n.V2}]
			speed := "of the netdev"
			if n.Speed > 0 {
				speed = platform.SpeedText(n.Speed)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", n.Name, n.Title, speed, versions, n.Source)
		}
	}
	const file = "../../docs/platforms.md"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String(), "run make update")
}

// configsText returns a sentence with the ways in which a system can be configured.
func configsText(os *ir.OS) string {
	var out []string
	for _, c := range os.Configs {
		out = append(out, fmt.Sprintf("`config = %q`: by %s", c.Name, c.Doc))
	}
	if len(out) == 0 {
		return ""
	}
	return " Each release has a default way of configuration, which the switch block can change: " + strings.Join(out, "; ") + "."
}
