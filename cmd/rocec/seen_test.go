package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy/lab"
)

// answer makes a program of a device print another text, and end with the given status.
func answer(d *lab.Device, program, text string, status int) {
	d.WriteFile("/usr/local/sbin/"+program, fmt.Appendf(nil, "#!/bin/sh\ncat <<'EOF'\n%s\nEOF\nexit %d\n", text, status), 0o755)
}

// neighbours returns the output of lldpctl with switch tor1 at the other end of ens1f0.
func neighbours(port string) string {
	return `{"lldp":{"interface":{"ens1f0":{"chassis":{"tor1.example.net":{}},"port":{"id":{"type":"ifname","value":"` + port + `"}}}}}}`
}

// plan and verify read from live devices the facts that the fabric assumes, and report a difference at its line. A difference that makes a
// change unsafe refuses its devices.
func TestSeen(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	setenv(t, "COLUMNS", "1000") // the test searches for whole sentences
	dir, devices := standing(t)
	tor1, store1, store2 := devices.Device("tor1"), devices.Device("store1"), devices.Device("store2")
	run := func(code int, args ...string) (stdout string) {
		t.Helper()
		got, stdout, stderr := rocec(t, append(args, dir)...)
		require.Equal(t, code, got, "%s\n%s\n%s", args, stdout, stderr)
		return stdout + stderr
	}
	looked := func(verb string, code int) view.SeenDocument {
		t.Helper()
		var doc struct {
			Good *bool
			Seen view.SeenDocument
		}
		got, stdout, stderr := rocec(t, verb, "--format", "json", dir)
		require.Equal(t, code, got, "%s\n%s", stdout, stderr)
		require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
		return doc.Seen
	}
	silent := view.SeenDocument{Findings: []view.SeenFinding{}, Unread: []view.SeenUnread{}}
	require.Equal(t, silent, looked("plan", exit.Good), "all is as described, and all was read")

	// Two swapped cables are one finding, and both hosts and the switch are not changed.
	answer(store1, "lldpctl", neighbours("swp2"), 0)
	answer(store2, "lldpctl", neighbours("swp1"), 0)
	const swapped = "store1:ens1f0 is on tor1:swp2, the fabric says tor1:swp1; store2:ens1f0 is on tor1:swp1, the fabric says tor1:swp2."
	out := run(exit.Machines, "plan")
	assert.Equal(t, 1, strings.Count(out, "error[cable-elsewhere]: "+swapped), out)
	assert.Contains(t, out, "declared at "+dir+"/fabric.hcl:")
	assert.Contains(t, out, "3 refused")
	found := looked("plan", exit.Machines)
	require.Len(t, found.Findings, 1)
	assert.Equal(t, []string{"store1", "store2", "tor1"}, found.Findings[0].Devices)
	assert.True(t, found.Findings[0].Refuses)
	assert.Equal(t, "cable-elsewhere", found.Findings[0].Code)
	assert.NotZero(t, found.Findings[0].Line)

	tor1.Commands()
	assert.Contains(t, run(exit.Machines, "apply", "--auto-approve"), "3 devices cannot be changed")
	assert.Empty(t, tor1.Writes())
	assert.Contains(t, run(exit.Good, "plan", "--skip-cabling-check"), swapped, "the finding is still reported")
	run(exit.Good, "apply", "--auto-approve", "--skip-cabling-check", "--soak", "1s")
	assert.Contains(t, run(exit.Good, "plan"), "No changes", "a device with the wanted settings is not refused")
	out = run(exit.Errors, "verify")
	assert.Contains(t, out, swapped)
	assert.Contains(t, out, "Verify: not as written. 6 devices as written, 0 drifted, 0 unreachable, 0 refused, 1 finding about ports and "+
		"cables.")
	for _, d := range []*lab.Device{store1, store2} {
		require.NoError(t, d.RemoveFile("/usr/local/sbin/lldpctl"))
	}
	assert.Contains(t, run(exit.Good, "verify"), "Verify: good.")

	// The other findings, in the output of verify.
	tor1.SetSpeed("swp1", 100_000)
	_, stderr, status := tor1.Run(t.Context(), "root", "ip link set dev swp3 mtu 1500", "")
	require.Zero(t, status, stderr)
	answer(tor1, "bridge", `[{"ifname":"swp1","vlans":[{"vlan":100}]},{"ifname":"swp2","vlans":[{"vlan":90,"vlanEnd":110}]},`+
		`{"ifname":"swp3","vlans":[{"vlan":100}]},{"ifname":"swp4","vlans":[{"vlan":100,"flags":["PVID","Egress Untagged"]}]}]`, 0)
	answer(tor1, "clagctl", `{"status":{"peerAlive":true}}`, 0)
	found = looked("verify", exit.Errors)
	var codes []string
	for _, f := range found.Findings {
		codes = append(codes, fmt.Sprintf("%s %s %t %.40s", f.Severity, f.Code, f.Refuses, f.Message))
	}
	assert.ElementsMatch(t, []string{
		"error port-speed false tor1:swp1 has a link of 100G; the fabric",
		"error port-mtu false tor1:swp3 has an MTU of 1500; the fabric",
		"error port-vlan false tor1:swp4 sends VLAN 100 without a tag, ",
		"error port-vlan false tor1:swp6 does not carry VLAN 100, in wh",
		"warning mlag-unlike false tor1 is a switch of an MLAG pair, but th",
	}, codes)
	assert.Empty(t, found.Unread)

	// rocec names the values that it cannot read. They count as neither good nor bad.
	tor1.Reboot()
	answer(tor1, "bridge", "Option \"-json\" is unknown, try \"bridge help\".", 255)
	answer(tor1, "clagctl", "", 1)
	answer(store1, "lldpctl", "unable to connect to socket", 1)
	answer(store2, "lldpctl", `{"lldp":{"interface":[{"ens1f0":{"chassis":`, 0)
	found = looked("verify", exit.Good)
	assert.Empty(t, found.Findings)
	assert.Equal(t, []view.SeenUnread{
		{What: "VLANs", Devices: []string{"tor1"}, Why: "bridge fails, with status 255: the bridge of this release may not print JSON"},
		{What: "cables", Devices: []string{"store1"}, Why: "lldpctl fails, with status 1"},
		{What: "cables", Devices: []string{"store2"}, Why: "what lldpctl prints is not known"},
	}, found.Unread)
	assert.Contains(t, run(exit.Good, "verify"), "note: Not read, and therefore not checked: VLANs of tor1: bridge fails,")
}

// A missing port refuses the switch, unless the person trusts the fabric.
func TestSeenMissingPort(t *testing.T) {
	t.Parallel()
	setenv(t, "COLUMNS", "1000")
	dir, devices := standing(t)
	tor1 := devices.Device("tor1")
	tor1.TakeNetdev("swp6")
	tor1.WriteFile("/etc/cumulus/ports.conf", []byte("# ports\n6=4x25G\n"), 0o644)
	const said = "error[port-missing]: tor1:swp6 is not there: nor any part of that port; /etc/cumulus/ports.conf says 6=4x25G."
	code, stdout, _ := rocec(t, "plan", dir)
	assert.Equal(t, exit.Machines, code)
	assert.Contains(t, stdout, said)
	assert.Contains(t, stdout, "1 refused")
	code, stdout, _ = rocec(t, "plan", "--target", "store1", dir)
	assert.Equal(t, exit.Errors, code, "its switch is not changed and has no PFC")
	assert.NotContains(t, stdout, said, "it concerns no device of the plan")
	code, stdout, _ = rocec(t, "plan", "--skip-cabling-check", dir)
	assert.Equal(t, exit.Good, code)
	assert.Contains(t, stdout, said)
}
