package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/cmd/internal/exit"
)

// claimsOf runs verify, and returns the assumptions and states that devices contradict.
func claimsOf(t *testing.T, args ...string) (status int, found []claimed.Finding) {
	t.Helper()
	status, stdout, stderr := rocec(t, append([]string{"verify", "--format", "json"}, args...)...)
	var doc claimed.Document
	require.NoError(t, json.Unmarshal([]byte(stdout), &doc), "%s\n%s", stdout, stderr)
	return status, doc.Claims
}

// verify judges the watchdogs of an accepted loop by the settings of the switches, live as from a snapshot of them.
func TestVerifyWatchdogOfLoop(t *testing.T) {
	t.Parallel()
	example, err := os.ReadFile("../../examples/ring-pfc-loop/fabric.hcl")
	require.NoError(t, err)
	dir := t.TempDir()
	text := strings.NewReplacer("  ecn {}\n", "  ecn {}\n  allow_deadlock = \"a test\"\n", "4.3.0", "5.9.1").Replace(string(example))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(text), 0o644))
	snapshot := filepath.Join(t.TempDir(), "snapshot")
	code, _, stderr := rocec(t, "collect", "--lab=new", dir, "-o", snapshot)
	require.Equal(t, exit.Good, code, stderr)
	for _, args := range [][]string{{"--lab=new", dir}, {"--from", snapshot, dir}} {
		_, found := claimsOf(t, args...)
		require.Len(t, found, 1, "%v", found)
		assert.Equal(t, "claim-watchdog", found[0].Code)
		assert.Contains(t, found[0].Message, "sw[1-4] runs no PFC watchdog that cuts the queue on swp[15-16], and the fabric accepts a PFC loop")
	}
}

// verify names the lossless queue that a watchdog cuts, live as from a snapshot. A switch whose watchdogs only watch has no finding.
func TestVerifyCutQueue(t *testing.T) {
	for name, c := range map[string]struct {
		system  string
		port    string
		counter string
	}{
		"sonic": {"sonic", "Ethernet8", "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED:3"},
		"nvue":  {"nvue", "swp2", "queue 3 deadlock"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tor, store := `ssh { address = "192.0.2.1" }`, `ssh { address = "192.0.2.${self.index + 101}" }`
			of := liarSystems[c.system]
			text := strings.NewReplacer("SYSTEM", of.system, "PORTS", of.ports, "HOSTS", "2", "TOR", tor, "STORE", store).Replace(liarRack)
			dir, devices := standingOf(t, text, map[string][]string{tor: {"tor1"}, store: {"store1", "store2"}})
			code, stdout, stderr := rocec(t, "apply", "--auto-approve", "--soak", "0s", dir)
			require.Equal(t, exit.Good, code, "%s\n%s", stdout, stderr)
			_, found := claimsOf(t, dir)
			require.Empty(t, found)

			devices.Device("tor1").SetCounter(c.port, c.counter, 1)
			snapshot := filepath.Join(t.TempDir(), "snapshot")
			code, _, stderr = rocec(t, "collect", dir, "-o", snapshot)
			require.Equal(t, exit.Good, code, stderr)
			for _, args := range [][]string{{dir}, {"--from", snapshot, dir}} {
				status, found := claimsOf(t, args...)
				require.Equal(t, exit.Errors, status)
				require.Len(t, found, 1, "%v %v", args, found)
				assert.Equal(t, "claim-watchdog-cuts", found[0].Code)
				assert.Contains(t, found[0].Message, "The PFC watchdog of tor1 cuts the queue of cos 3 on "+c.port+": ")
			}
		})
	}
}
