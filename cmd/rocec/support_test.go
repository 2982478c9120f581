package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/docs/evidence"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
)

// supported lists each way in which rocec writes a switch: its first and newest release, and a model that runs both.
var supported = []struct{ os, config, model, first, newest, by string }{
	{"cumulus-linux", "", "sn2700", "3.1.1", "4.3.4", "`traffic.conf`, `datapath.conf`"},
	{"cumulus-linux", "", "sn3700", "4.4.0", "5.3.1", "`qos_features.conf`, `qos_infra.conf`"},
	{"cumulus-linux", "files", "sn3700", "5.4.0", "5.9.1", "the same, with `config = \"files\"`"},
	{"cumulus-linux", "", "sn3700", "5.4.0", "5.18.0", "NVUE"},
	{"sonic", "", "sn3700", "202205", "202605", "CONFIG_DB"},
}

// docs/support.md states for each release and NIC how well rocec's settings are tested, with the grades that plan prints, and the
// reports of docs/evidence.
func TestDocsSupport(t *testing.T) {
	got := supportText(t, evidence.Reports())
	const file = "../../docs/support.md"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "run make update")
}

// A further report changes the table of docs/support.md, and the word and the question of plan about such devices alone.
func TestDocsSupportWithReport(t *testing.T) {
	index, err := evidence.Read(os.DirFS("testdata/evidence"))
	require.NoError(t, err)
	require.Equal(t, evidence.Index{
		{Target: "cumulus", Release: "5.3.1", Chip: "Spectrum-2"}: {{File: "cumulus-5.3.1-spectrum-2.txt", Level: "1"}},
		{Target: "mlx5", Chip: "connectx-6-dx"}:                   {{File: "cumulus-5.3.1-spectrum-2.txt", Level: "1"}},
	}, index)
	before, after := supportText(t, evidence.Reports()), supportText(t, index)
	was, is := map[string]bool{}, []string{}
	for line := range strings.Lines(before) {
		was[line] = true
	}
	for line := range strings.Lines(after) {
		if !was[line] {
			is = append(is, strings.TrimSpace(line))
		}
	}
	const link = "[level 1](evidence/cumulus-5.3.1-spectrum-2.txt)"
	require.Equal(t, []string{
		"| Cumulus Linux | 4.4.0 to 5.3.1 | `qos_features.conf`, `qos_infra.conf` | " +
			"simulated; reported: 5.3.1 on Spectrum-2 | yes, except as reported |",
		"| `mlx5` | ConnectX-4 and later, BlueField | 11 | writes, plans, verifies | simulated; reported: connectx-6-dx | no |",
		"| `cumulus` | 5.3.1 | Spectrum-2 | " + link + " |",
		"| `mlx5` | | connectx-6-dx | " + link + " |",
	}, slices.DeleteFunc(is, func(line string) bool {
		return !strings.Contains(line, "| ") || strings.Contains(line, "---") ||
			strings.Contains(line, "chip or NIC")
	}))

	for _, c := range []struct {
		model, release string
		grade          deploy.Grade
		asks           bool
	}{
		{"sn3700", "5.3.1", deploy.GradeReported, false},
		{"sn2700", "5.3.1", deploy.GradeSimulated, true}, // another chip
		{"sn3700", "5.3.0", deploy.GradeSimulated, true}, // another release
	} {
		e := evidenceOf(t, index, "cumulus-linux", "files", c.model, c.release)
		require.Equal(t, c.grade, e.Grade, "%s %s", c.model, c.release)
		require.Equal(t, c.asks, e.Asks, "%s %s", c.model, c.release)
	}
}

// supportText returns the page for an index of reports.
func supportText(t *testing.T, index evidence.Index) string {
	var b strings.Builder
	b.WriteString("# Supported releases and NICs, and how they are tested\n\n" +
		"Generated from the tables in the code and the reports in [evidence](evidence/README.md) (`make update`). The grades are:\n\n" +
		"- *Documented*: rocec follows public documents.\n" +
		"- *Simulated*: the lab also simulates the device, by the same documents.\n" +
		"- *Reported*: users have sent answers of real devices of this release and chip.\n\n" +
		"If a release needs acceptance, rocec changes a real device only with `--accept-unverified` or `accept_documented = true`. A report\n" +
		"for the release and the chip ends this. `validate` checks whether a model runs a release; [platforms.md](platforms.md) lists the\n" +
		"models.\n\n" +
		"## Switches\n\n| system | releases | written as | grade | needs acceptance |\n| --- | --- | --- | --- | --- |\n")
	none := evidence.Index{}
	for _, s := range supported {
		first := evidenceOf(t, none, s.os, s.config, s.model, s.first)
		newest := evidenceOf(t, none, s.os, s.config, s.model, s.newest)
		require.Equal(t, first.Grade, newest.Grade)
		require.Equal(t, first.Asks, newest.Asks)
		require.Equal(t, first.Target, newest.Target)
		system := targets.Known.FindOS(s.os)
		known, asks := string(first.Grade), yes(first.Asks)
		if kinds := reportedKinds(index, first.Target, func(release string) bool {
			return compareReleases(s.first, release) <= 0 && compareReleases(release, s.newest) <= 0
		}); len(kinds) > 0 {
			known += "; reported: " + strings.Join(kinds, ", ")
			if first.Asks {
				asks += ", except as reported"
			}
		}
		fmt.Fprintf(&b, "| %s | %s to %s | %s | %s | %s |\n", system.Title, s.first, s.newest, s.by, known, asks)
	}
	b.WriteString("\nrocec judges a switch with another system by its chip alone. A person configures it (`by_hand`).\n\n" +
		"## NICs\n\n| driver | NICs | models | what rocec does | grade | needs acceptance |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, row := range targets.All {
		if row.Driver == nil {
			continue
		}
		does, known, asks := "checks; a person configures them", string(deploy.GradeDocumented), "no"
		if row.Render != nil {
			does = "writes, plans, verifies"
			host := &ir.Device{Host: &ir.Host{NICs: []*ir.NIC{{Model: row.Driver.Models[0]}}}}
			asks = yes(row.NeedsReport != nil && row.NeedsReport(host))
		}
		if row.Image != nil {
			known = string(deploy.GradeSimulated)
		}
		if kinds := reportedKinds(index, row.Name, nil); len(kinds) > 0 {
			known += "; reported: " + strings.Join(kinds, ", ")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d | %s | %s | %s |\n", row.Driver.Name, row.Driver.Title, len(row.Driver.Models), does, known, asks)
	}
	b.WriteString("\n## Reports\n\n")
	if len(index) == 0 {
		b.WriteString("There is no report yet. [fieldtest.md](fieldtest.md) describes how to make the first one in 15 minutes.\n")
		return b.String()
	}
	b.WriteString("The level is that of [selftest](verify.md#selftest).\n\n" +
		"| target | release | chip or NIC | report |\n| --- | --- | --- | --- |\n")
	for _, k := range sortedKeys(index) {
		for _, r := range index[k] {
			release := k.Release
			if release != "" {
				release += " "
			}
			fmt.Fprintf(&b, "| `%s` | %s| %s | [level %s](evidence/%s) |\n", k.Target, release, k.Chip, r.Level, r.File)
		}
	}
	return b.String()
}

// sortedKeys returns the kinds of devices of an index in the order of their names.
func sortedKeys(index evidence.Index) []evidence.Key {
	return slices.SortedFunc(maps.Keys(index), func(a, b evidence.Key) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

// reportedKinds returns the releases and chips of a target that reports are about; a nil function means every release.
func reportedKinds(index evidence.Index, name string, within func(release string) bool) (out []string) {
	for _, k := range sortedKeys(index) {
		switch {
		case k.Target != name || within != nil && !within(k.Release):
		case k.Release == "":
			out = append(out, k.Chip)
		default:
			out = append(out, k.Release+" on "+k.Chip)
		}
	}
	return out
}

// compareReleases compares releases such as 5.3.1 or 202505 by their numbers.
func compareReleases(a, b string) int {
	numbers := func(s string) (out []int) {
		for part := range strings.SplitSeq(s, ".") {
			n, _ := strconv.Atoi(part)
			out = append(out, n)
		}
		return out
	}
	return slices.Compare(numbers(a), numbers(b))
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// evidenceOf returns the evidence that plan prints for a switch of a release.
func evidenceOf(t *testing.T, index evidence.Index, system, config, model, release string) *deploy.Evidence {
	if config != "" {
		config = fmt.Sprintf("\n  config  = %q", config)
	}
	port := "swp1"
	if _, ok := targets.Known.FindOS(system).Read(nil, port); !ok {
		port = "Ethernet0"
	}
	f := compilertest.Compile(t, fmt.Sprintf(`fabric "f" {
  cable_length = "5m"
}
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
}
switch "s" {
  names   = "s[1-2]"
  model   = %q
  os      = %q
  version = %q%s
}
link "l" {
  a = "s1:%[5]s"
  b = "s2:%[5]s"
}
`, model, system, release, config, port))
	tree := targets.Files(f)
	require.Len(t, tree.Devices, 2)
	plan := &deploy.Plan{Devices: []*deploy.DevicePlan{{Device: tree.Devices[0]}}}
	all := plan.Evidence(index.Reported)
	require.Len(t, all, 1)
	return all[0]
}
