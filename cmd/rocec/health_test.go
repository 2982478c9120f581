package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/view"
)

// verify reports counters, links and restarts since the previous verify.
func TestVerifySince(t *testing.T) {
	t.Parallel()
	setenv(t, "COLUMNS", "1000") // the test searches for whole sentences
	dir, devices := standing(t)
	tor1 := devices.Device("tor1")
	verify := func(args ...string) (findings []string) {
		t.Helper()
		code, stdout, stderr := rocec(t, append([]string{"verify", "--target", "tor1", dir}, args...)...)
		require.Equal(t, exit.Errors, code, "a switch in factory state has drifted\n%s\n%s", stdout, stderr)
		require.Empty(t, stderr)
		for line := range strings.Lines(stdout) {
			if strings.HasSuffix(line, ": not readable on this release.\n") || strings.HasPrefix(line, "tor1  unsound: ") { // also in factory state
				continue
			}
			if strings.HasPrefix(line, "tor1  ") && strings.HasSuffix(line, ".\n") || strings.HasPrefix(line, "Counters") {
				findings = append(findings, strings.TrimSuffix(line, "\n"))
			}
		}
		return findings
	}
	drops := func(text string) string {
		return "tor1  lossless counters: tor1:swp1 carries lossless traffic and dropped " + text +
			" because a buffer was full (HwIfInBufferDrops)."
	}
	const last = "Counters: since the last verify"

	tor1.SetCounter("swp1", "HwIfInBufferDrops", 17)
	found := verify()
	require.Len(t, found, 1, "earlier losses do not count: %s", found)
	require.Contains(t, found[0], "because no samples of an earlier verify are kept")

	code, stdout, stderr := rocec(t, "show", dir, "tor1")
	require.Equal(t, exit.Good, code, stderr)
	assert.Regexp(t, `(?s)memory model\n.*\n  read +pool of 100 %, shared with all traffic; alpha 1 \(.*/mlx/datapath.conf\)\s+by rocec verify, 20`, stdout,
		"the answer of the switch, beside the assumption")

	tor1.SetCounter("swp1", "HwIfInBufferDrops", 20)
	tor1.SetLink("swp2", false)
	const noLink = "tor1  links: tor1:swp2 has no link; the fabric cables it to store2:ens1f0."
	found = verify()
	require.Len(t, found, 3, found)
	assert.Equal(t, []string{noLink, drops("3 packets")}, found[:2])
	assert.Contains(t, found[2], last)

	found = verify()
	require.Len(t, found, 2, "a loss is reported once, a link while it is down: %s", found)
	assert.Equal(t, noLink, found[0])
	tor1.SetLink("swp2", true)
	require.Len(t, verify(), 1)

	assert.Equal(t, []string{drops("20 packets"), "Counters: since the device started."}, verify("--since", "boot"))

	tor1.Reboot()
	tor1.SetCounter("swp1", "HwIfInBufferDrops", 1)
	assert.Equal(t, []string{drops("1 packet"), "Counters: since the device started, which was after the last verify."}, verify())
	require.Len(t, verify(), 1)
}

// A planned link may be up or down at any time. While it is up, a hint states that planned = true can be removed.
func TestVerifyPlanned(t *testing.T) {
	t.Parallel()
	dir, devices := standing(t)
	file := filepath.Join(dir, "fabric.hcl")
	hcl, err := os.ReadFile(file)
	require.NoError(t, err)
	text := strings.Replace(string(hcl), "link \"rack\" {", "link \"rack\" {\n  planned = true\n", 1)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	verify := func() (findings, hints int) {
		t.Helper()
		code, stdout, _ := rocec(t, "verify", "--target", "tor1", "--format", "json", dir)
		require.Equal(t, exit.Errors, code, "a switch in factory state has drifted")
		var doc view.VerifyDocument
		require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
		for _, h := range doc.Devices[0].Hints {
			if h.Code == "" { // of states
				hints++
			}
		}
		return len(doc.Devices[0].Findings), hints
	}
	tor1 := devices.Device("tor1")
	for _, port := range []string{"swp1", "swp2", "swp3", "swp4"} {
		tor1.SetLink(port, false)
	}
	findings, hints := verify()
	assert.Equal(t, []int{0, 1}, []int{findings, hints})
	_, stdout, _ := rocec(t, "verify", "--target", "tor1", dir)
	assert.Contains(t, oneLine(stdout), "tor1 tor1:swp6 has a link, and its cable to store5:ens1f0 is still planned. "+
		"Take planned = true out of link \"rack\" when all its cables are laid.")
	tor1.SetLink("swp6", false)
	findings, hints = verify()
	assert.Equal(t, []int{0, 0}, []int{findings, hints}, "a planned link is not reported as lost")
}

// If another tool's unit on a host has the same settings, verify names the unit in a hint: such a unit is not an error.
func TestVerifyOtherSetters(t *testing.T) {
	t.Parallel()
	setenv(t, "COLUMNS", "1000")
	dir, devices := standing(t)
	code, _, stderr := rocec(t, "apply", "--auto-approve", "--soak", "0s", dir)
	require.Equal(t, exit.Good, code, stderr)
	devices.Device("store2").WriteFile("/etc/systemd/system/roce-qos.service",
		[]byte("[Service]\nExecStart=/usr/bin/mlnx_qos -i ens1f0 --pfc 0,0,0,1,0,0,0,0\n"), 0o644)
	code, stdout, _ := rocec(t, "verify", "--since", "boot", dir)
	require.Equal(t, exit.Good, code, stdout)
	assert.Contains(t, stdout, "/etc/systemd/system/roce-qos.service on store2 sets the same settings as rocec.")
	assert.NotContains(t, stdout, "store1  ")
}

// verify finds a unit that is disabled or stopped: the NIC keeps its settings only until the host restarts.
func TestVerifyUnits(t *testing.T) {
	t.Parallel()
	setenv(t, "COLUMNS", "1000")
	dir, devices := standing(t)
	code, _, stderr := rocec(t, "apply", "--auto-approve", "--soak", "0s", dir)
	require.Equal(t, exit.Good, code, stderr)
	for name, verb := range map[string]string{"store2": "disable", "store3": "stop"} {
		_, errs, status := devices.Device(name).Run(t.Context(), "root", "systemctl "+verb+" rocec-host@ens1f0.service", "")
		require.Zero(t, status, errs)
	}
	code, stdout, _ := rocec(t, "verify", "--since", "boot", dir)
	require.Equal(t, exit.Errors, code, stdout)
	assert.Contains(t, oneLine(stdout), "store[2-3] units of rocec-host: rocec-host@ens1f0.service is not enabled, or not active")
	assert.Contains(t, stdout, "Run systemctl enable --now rocec-host@ens1f0.service.")
}
