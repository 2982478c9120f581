package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/lang/lock"
	"github.com/rocec/rocec/targets/deploy"
)

// A lock pins the rules of an older rocec. With the lock the switch gets the sizes of those rules, without it the sizes of the present
// rules.
func TestAdoptDerived(t *testing.T) {
	machinetest.Long(t)
	was := version
	t.Cleanup(func() { version = was })
	dir, devices := standing(t)
	want := func(code int, args ...string) (stdout string) {
		t.Helper()
		got, stdout, stderr := rocec(t, args...)
		require.Equal(t, code, got, "%s\n%s\n%s", args, stdout, stderr)
		return stdout + stderr
	}
	cause := func(more ...string) (status string, c *view.Cause) {
		t.Helper()
		var doc view.PlanDocument
		code, stdout, stderr := rocec(t, append([]string{"plan", "--format", "json", "--target", "tor1", dir}, more...)...)
		require.Equal(t, exit.Good, code, stderr)
		require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
		return doc.Devices[0].Status, doc.Devices[0].Cause
	}
	name := filepath.Join(dir, lock.Name)
	apply := []string{"apply", "--auto-approve", "--soak", "0s", dir}

	version = "0.11.0"
	want(exit.Good, "build", "--lock", dir)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	var ds diag.List
	l := lock.Read(name, text, &ds)
	require.Len(t, l.Rows, 1)
	l.Rows[0].Numbers[0].N += 960
	require.NoError(t, os.WriteFile(name, lock.Format(l), 0o644))
	_, c := cause()
	assert.Nil(t, c, "the cause of a device in factory state is unknown")
	want(exit.Good, apply...)
	status, c := cause()
	assert.Equal(t, "same", status)
	assert.Nil(t, c)

	// Another version of rocec derives other sizes. Nothing else changes.
	require.NoError(t, os.Remove(name))
	_, c = cause()
	assert.Nil(t, c, "the same version of rocec: the person has deleted the pins")
	version = "0.12.0"
	status, c = cause("--adopt-derived")
	assert.Equal(t, "change", status)
	assert.Equal(t, &view.Cause{From: "0.11.0", To: "0.12.0", Left: false}, c)
	status, c = cause()
	assert.Equal(t, "same", status)
	assert.Equal(t, &view.Cause{From: "0.11.0", To: "0.12.0", Left: true}, c)
	const derives = "rocec 0.12.0 derives other values than 0.11.0, which wrote 1 device: tor1 "
	const left = derives + "(it stays as it is; --adopt-derived writes it)."
	assert.Contains(t, oneLine(want(exit.Good, "plan", "--adopt-derived", dir)), derives+"(by --adopt-derived).")
	assert.Contains(t, oneLine(want(exit.Good, "plan", "--detailed-exitcode", dir)), left)
	assert.Contains(t, oneLine(want(exit.Good, "plan", "--only-intent", dir)), "it is the default unless --adopt-derived is given")
	saved := filepath.Join(t.TempDir(), "p")
	want(exit.Good, "plan", "--adopt-derived", "--out", saved, dir)
	assert.Contains(t, oneLine(want(exit.Usage, "apply", "--plan", saved, "--auto-approve", dir)),
		"rocec apply --plan "+saved+" --adopt-derived "+dir)
	said := oneLine(want(exit.Good, "verify", dir))
	assert.Contains(t, said, "tor1 Version 0.11.0 wrote its present settings, and this rocec derives other values: "+
		"rocec plan --adopt-derived lists")
	assert.Contains(t, said, "Verify: good.")
	conf, err := devices.Device("tor1").ReadFile(trafficConf)
	require.NoError(t, err)
	assert.Contains(t, oneLine(want(exit.Good, apply...)), left)
	now, err := devices.Device("tor1").ReadFile(trafficConf)
	require.NoError(t, err)
	assert.Equal(t, string(conf), string(now))

	// An edit by another person is a different cause. An edit of the fabric is one, too.
	devices.Device("tor1").WriteFile(trafficConf, []byte(strings.Replace(string(conf), "rx_enable = true", "rx_enable = false", 1)), 0o644)
	_, c = cause()
	assert.Nil(t, c)
	devices.Device("tor1").WriteFile(trafficConf, conf, 0o644)
	_, c = cause()
	require.NotNil(t, c)
	file := filepath.Join(dir, "fabric.hcl")
	hcl, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(hcl), "weight   = 50", "weight = 49", 1)), 0o644))
	_, c = cause()
	assert.Nil(t, c)

	// The device has the settings that the new rocec has written.
	require.NoError(t, os.WriteFile(file, hcl, 0o644))
	runs := func() []string {
		names, err := filepath.Glob(filepath.Join(getenv(t, "XDG_STATE_HOME"), "rocec", "runs", "*.jsonl"))
		require.NoError(t, err)
		return names
	}
	before := runs()
	want(exit.Good, append(apply, "--adopt-derived")...)
	added := slices.DeleteFunc(runs(), func(name string) bool { return slices.Contains(before, name) })
	require.Len(t, added, 1)
	version = "0.11.0"
	status, c = cause()
	assert.Equal(t, "same", status, "without the pins the older rocec would write the same")
	assert.Nil(t, c)

	// The device gets back the settings of 0.11.0, and 0.12.0 recognises them.
	run := strings.TrimSuffix(filepath.Base(added[0]), ".jsonl")
	want(exit.Good, "rollback", "--auto-approve", "--soak", "0s", run)
	version = "0.12.0"
	_, c = cause()
	assert.Equal(t, &view.Cause{From: "0.11.0", To: "0.12.0", Left: true}, c)
	require.True(t, deploy.ValidRun(run))
}

// oneLine returns a text without its line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
