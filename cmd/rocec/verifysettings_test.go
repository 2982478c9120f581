package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/cmd/internal/exit"
)

// verify shows by the settings of switches that an assumption holds, plan repeats it, and one switch that differs is named.
func TestVerifySettings(t *testing.T) {
	t.Parallel()
	setenv(t, "COLUMNS", "1000")
	dir, devices := standing(t)
	classified := func(verb string, code int) (of claimed.Assumption) {
		t.Helper()
		is, stdout, stderr := rocec(t, verb, "--format", "json", dir)
		require.Equal(t, code, is, stdout+stderr)
		var doc claimed.Document
		require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
		require.NotEmpty(t, doc.Loops)
		for _, a := range doc.Loops[0].Facts.Assumptions {
			if a.Code == "classified" {
				of = a
			}
		}
		require.NotEmpty(t, of.Code)
		return of
	}
	before := classified("verify", exit.Errors)
	assert.Equal(t, "unchecked", string(before.State))
	assert.Equal(t, []string{"tor1"}, before.Against)
	assert.Contains(t, before.Why, "tor1: at swp1, ")

	code, stdout, stderr := rocec(t, "apply", "--auto-approve", dir)
	require.Equal(t, exit.Good, code, stdout+stderr)
	now := classified("verify", exit.Good)
	assert.Equal(t, "checked", string(now.State), now.Why)
	assert.Equal(t, []string{"tor1"}, now.Devices)
	assert.NotEmpty(t, now.When)
	assert.Equal(t, now, classified("plan", exit.Good), "what verify kept")

	const path = "/etc/cumulus/datapath/traffic.conf"
	tor1 := devices.Device("tor1")
	text, errs, status := tor1.Run(t.Context(), "root", "cat "+path, "")
	require.Zero(t, status, errs)
	require.Contains(t, text, "packet_priorities")
	tor1.WriteFile(path, []byte(strings.ReplaceAll(text, "traffic.cos_", "# traffic.cos_")), 0o644)
	after := classified("verify", exit.Errors)
	assert.Equal(t, "unchecked", string(after.State))
	assert.NotEmpty(t, after.Why)
	assert.Equal(t, after.State, classified("plan", exit.Good).State)
}
