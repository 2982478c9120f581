package changes

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/cumulus/sim"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/deploy/lab/labtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/judge/judgetest"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

func TestMain(m *testing.M) {
	machinetest.Hasten()
	machinetest.Parallel(4) // the tests wait for devices
	os.Exit(m.Run())
}

// TestSwitchdSays: the log of switchd decides about a change, on a switch that restarts switchd and on one that reloads it. A complaint
// about the table reverts the change at once, and any other line does not. A threshold that switchd has changed is reported.
func TestSwitchdSays(t *testing.T) {
	t.Parallel()
	for dir, way := range map[string]string{"../../../examples/rack-v1-pfc": "restart", "../../../examples/pods-ebgp": "reload"} {
		sw := judgetest.First(t, judgetest.Folder(t, dir), target.Switch).Devices[0]
		for name, c := range map[string]struct {
			says     string // only of the new content
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
				devices, dial := labtest.Start(t, tree)
				device := devices.Device(sw.Name)
				targettest.Sim[*sim.Switchd](device.Sims()).Says = func(content []byte) []string {
					if !strings.Contains(string(content), "pfc.roce_pfc.") {
						return nil
					}
					return []string{c.says}
				}
				start := labtest.Uptime(t, device)
				rep := labtest.Apply(t, tree, dial)
				took := labtest.Uptime(t, device) - start
				r := rep.Devices[0]
				require.Equal(t, c.want, r.Outcome, "%v %v %s", r.Err, r.Undo, r.Text())
				log, err := device.ReadFile("/var/log/switchd.log")
				require.NoError(t, err)
				assert.Contains(t, string(log), "WARNING unlimited egress buffer for flow controlled switch priority", "which is not a failure")
				if c.want == deploy.Applied {
					use := map[string]string{"restart": deploy.UseYes, "reload": deploy.UseUnknown}[way]
					assert.Equal(t, []string{use, c.adjusted}, []string{r.Files[0].InUse, r.Files[0].Adjusted})
					assert.Equal(t, c.adjusted != "", strings.Contains(r.Text(), "The device uses other values than those that were written"), r.Text())
					return
				}
				require.Equal(t, deploy.Activation, r.Err.Kind)
				assert.Contains(t, r.Err.Detail, c.says)
				assert.Less(t, took, 60.0, "rocec does not wait for a complaint to go away")
			})
		}
	}
}

// TestGateOfSwitch: a change is reverted if the probes measure a loss: of a port's link, of its neighbours, or by a restarted daemon.
func TestGateOfSwitch(t *testing.T) {
	t.Parallel()
	leaf := judgetest.First(t, judgetest.Folder(t, "../../../examples/pods-ebgp"), target.Switch).Devices[0]
	peer := "" // a port to another switch
	for _, p := range leaf.Source.Ports {
		if p.Peer().Device().Switch != nil {
			peer = p.Name
		}
	}
	require.NotEmpty(t, peer)
	for name, c := range map[string]struct {
		harm func(*lab.Device)
		want deploy.Outcome
		says []string
	}{
		"nothing is lost": {func(*lab.Device) {}, deploy.Applied, nil},
		"a link is lost": {
			func(d *lab.Device) { d.SetLink(peer, false) }, deploy.Restored,
			[]string{":" + peer + " has no link", ":" + peer + " does not see its LLDP neighbour", "has no BGP session with " + peer},
		},
		"switchd starts again": {
			func(d *lab.Device) { d.Run(t.Context(), "root", "sleep 1; systemctl restart switchd", "") }, deploy.Restored,
			[]string{"switchd.service on " + leaf.Name + " started again."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := &target.Tree{Devices: []*target.Device{leaf}}
			devices, dial := labtest.Start(t, tree)
			plan := deploy.Diff(tree, rollout.Observe(t.Context(), dial, tree, rollout.ObserveOptions{Probes: rollout.Every}))
			require.Equal(t, deploy.StatusChange, plan.Devices[0].Status, "%v", plan.Devices[0].Err)
			rep, err := rollout.Apply(t.Context(), dial, plan, rollout.ApplyOptions{
				Run: deploy.Run{Name: "txn-1", Key: "abcd"}, Clock: labtest.Hurried(),
				Event: func(e rollout.Event) {
					if e.Step == "activate" && e.State == rollout.Done {
						c.harm(devices.Device(leaf.Name))
					}
				},
			})
			require.NoError(t, err)
			r := rep.Devices[0]
			require.Equal(t, c.want, r.Outcome, "%v %v %s", r.Err, r.Undo, r.Text())
			if c.want == deploy.Applied {
				return
			}
			require.Equal(t, deploy.Unhealthy, r.Err.Kind, "%v", r.Err)
			for _, text := range c.says {
				assert.Contains(t, r.Err.Detail, text)
			}
		})
	}
}
