package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/report/reporttest"
	"github.com/rocec/rocec/targets/cumulus/sim"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// What switchd logs of a change decides over it, on a switch that restarts and on one that reloads: a complaint of its table takes the
// change back at once, any other line does not, and a threshold it has changed is told.
func TestSwitchdSays(t *testing.T) {
	a := &app{person: &person{getenv: func(string) string { return "" }}, maxObjects: 1000, budget: defaultBudget}
	for dir, way := range map[string]string{"../../examples/rack-v1-pfc": "restart", "../../examples/pods-ebgp": "reload"} {
		f, err := a.load(dir)
		require.NoError(t, err)
		require.False(t, f.Diags.HasErrors())
		var sw *target.Device
		for _, d := range f.Tree().Devices {
			if d.Role == target.Switch && sw == nil {
				sw = d
			}
		}
		for name, c := range map[string]struct {
			says     string // of the new content alone
			want     deploy.Outcome
			adjusted string
		}{
			"nothing of the table": {"ERROR neighbour table full", deploy.Applied, ""},
			"refused":              {"WARNING _priority_flow_control_config: hal_port_pfc_set failed", deploy.Restored, ""},
			"conflict":             {"WARNING _port_attribute_mark: flow control configuration conflict on hal port 3", deploy.Restored, ""},
			"clamped": {
				"WARNING min_threshold_bytes 153600 is less than minimum size, using 163840", deploy.Applied,
				"switchd: WARNING min_threshold_bytes 153600 is less than minimum size, using 163840",
			},
		} {
			t.Run(way+"/"+name, func(t *testing.T) {
				t.Parallel()
				tree := &target.Tree{Devices: []*target.Device{sw}}
				devices, dial := inLab(t, tree)
				device := devices.Device(sw.Name)
				sim.Of(device.Sims()).Says = func(content []byte) []string {
					if !strings.Contains(string(content), "pfc.roce_pfc.") {
						return nil
					}
					return []string{c.says}
				}
				start := uptime(t, device)
				rep := applied(t, tree, dial)
				took := uptime(t, device) - start
				r := rep.Devices[0]
				require.Equal(t, c.want, r.Outcome, "%v %v %s", r.Err, r.Undo, r.Text())
				log, err := device.ReadFile("/var/log/switchd.log")
				require.NoError(t, err)
				assert.Contains(t, string(log), "WARNING unlimited egress buffer for flow controlled switch priority", "which is not a failure")
				if c.want == deploy.Applied {
					use := map[string]string{"restart": deploy.UseYes, "reload": deploy.UseUnknown}[way]
					assert.Equal(t, []string{use, c.adjusted}, []string{r.Files[0].InUse, r.Files[0].Adjusted})
					assert.Equal(t, c.adjusted != "", strings.Contains(r.Text(), "The device uses something else than what was written"), r.Text())
					return
				}
				require.Equal(t, deploy.Activation, r.Err.Kind)
				assert.Contains(t, r.Err.Detail, c.says)
				assert.Less(t, took, 60.0, "a complaint is not waited for to go away")
			})
		}
	}
}

// uptime is how long a device runs, in seconds of its own.
func uptime(t *testing.T, d *lab.Device) (seconds float64) {
	t.Helper()
	out, errs, status := d.Run(t.Context(), "root", "cat /proc/uptime", "")
	require.Zero(t, status, errs)
	_, err := fmt.Sscan(out, &seconds)
	require.NoError(t, err)
	return seconds
}

// hurried is a clock on which a minute of waiting takes a second. It advances by what was waited for alone, so that no patience runs out
// because the machine is busy.
func hurried() rollout.Clock {
	const speed = 60
	var mu sync.Mutex
	now := time.Now()
	return rollout.Clock{
		Now: func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return now
		},
		Wait: func(d time.Duration) <-chan time.Time {
			c := make(chan time.Time, 1)
			time.AfterFunc(d/speed, func() {
				mu.Lock()
				defer mu.Unlock()
				now = now.Add(d)
				c <- now
			})
			return c
		},
	}
}

// applied plans and applies a tree, on a clock that is hurried.
func applied(t *testing.T, tree *target.Tree, dial target.Dial, more ...func(*rollout.ApplyOptions)) *deploy.Results {
	t.Helper()
	plan := deploy.Diff(tree, rollout.Observe(t.Context(), dial, tree, rollout.ObserveOptions{Probes: rollout.Every}))
	require.Equal(t, deploy.StatusChange, plan.Devices[0].Status, "%v", plan.Devices[0].Err)
	o := rollout.ApplyOptions{Run: deploy.Run{Name: "txn-1", Key: "abcd"}, Clock: hurried()}
	for _, m := range more {
		m(&o)
	}
	rep, err := rollout.Apply(t.Context(), dial, plan, o)
	require.NoError(t, err)
	return rep
}

// The plan says which way a switch takes the file, and which key calls for the one that resets every port.
func TestPlanSaysTheWay(t *testing.T) {
	t.Setenv("COLUMNS", "1000")
	schema, err := os.ReadFile("../../docs/schema/plan.json")
	require.NoError(t, err)
	compiled := reporttest.Closed(t, schema, "")
	example, err := os.ReadFile("../../examples/rack-v1-pfc/fabric.hcl")
	require.NoError(t, err)
	for version, want := range map[string][]string{
		"3.7.16": {"every port resets (switchd restart)", ""},
		"4.1.1": {
			"every port resets (switchd restart)",
			"switchd restarts: on 4.1 no reload takes a change of priority_group.bulk.cos_list and 1 more key.",
		},
		"4.3.0": {"a brief loss while buffers change (switchd reload)", ""},
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"),
			[]byte(strings.ReplaceAll(string(example), `"3.4.3"`, strconv.Quote(version))), 0o644))
		code, stdout, stderr := rocec(t, "plan", "--lab=new", dir)
		require.Equal(t, exitGood, code, stderr)
		assert.Contains(t, stdout, want[0], version)
		assert.Equal(t, want[1] != "", strings.Contains(stdout, "switchd restarts:"), version)
		assert.Contains(t, stdout, want[1], version)
		code, stdout, stderr = rocec(t, "plan", "--lab=new", "--format", "json", dir)
		require.Equal(t, exitGood, code, stderr)
		assert.Equal(t, want[1] != "", strings.Contains(stdout, "switchd restarts:"), version)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(stdout))
		require.NoError(t, err)
		require.NoError(t, compiled.Validate(doc))
	}
}
