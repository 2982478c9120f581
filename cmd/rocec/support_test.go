package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
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

// docs/support.md states for each release and NIC how well rocec's settings are tested, with the grades that plan prints.
func TestDocsSupport(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Supported releases and NICs, and how they are tested\n\n" +
		"Generated from the tables in the code (`make update`). The grades are:\n\n" +
		"- *Documented*: rocec follows public documents.\n" +
		"- *Simulated*: the lab also simulates the device, by the same documents.\n" +
		"- *Reported*: users have sent answers of real devices ([evidence](evidence/README.md)).\n\n" +
		"If a release needs acceptance, rocec changes a real device only with `--accept-unverified` or `accept_documented = true`. A report\n" +
		"for the release ends this. `validate` checks whether a model runs a release; [platforms.md](platforms.md) lists the models.\n\n" +
		"## Switches\n\n| system | releases | written as | grade | needs acceptance |\n| --- | --- | --- | --- | --- |\n")
	for _, s := range supported {
		first, newest := evidenceOf(t, s.os, s.config, s.model, s.first), evidenceOf(t, s.os, s.config, s.model, s.newest)
		require.Equal(t, first.Grade, newest.Grade)
		require.Equal(t, first.Asks, newest.Asks)
		require.Equal(t, first.Target, newest.Target)
		title := targets.Known.FindOS(s.os).Title
		fmt.Fprintf(&b, "| %s | %s to %s | %s | %s | %s |\n", title, s.first, s.newest, s.by, first.Grade, yes(first.Asks))
	}
	b.WriteString("\nrocec judges a switch with another system by its chip alone. A person configures it (`by_hand`).\n\n" +
		"## NICs\n\n| driver | NICs | models | what rocec does | grade |\n| --- | --- | --- | --- | --- |\n")
	for _, row := range targets.All {
		if row.Driver == nil {
			continue
		}
		does, known := "checks; a person configures them", deploy.GradeDocumented
		if row.Render != nil {
			does = "writes, plans, verifies"
		}
		if row.Image != nil {
			known = deploy.GradeSimulated
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d | %s | %s |\n", row.Driver.Name, row.Driver.Title, len(row.Driver.Models), does, known)
	}
	const file = "../../docs/support.md"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String(), "run make update")
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// evidenceOf returns the evidence that plan prints for a switch of a release.
func evidenceOf(t *testing.T, system, config, model, release string) *deploy.Evidence {
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
	all := plan.Evidence(evidence.Reported)
	require.Len(t, all, 1)
	return all[0]
}
