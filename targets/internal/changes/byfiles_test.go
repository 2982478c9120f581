package changes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/cumulus/sim"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab/labtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/judge/judgetest"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

const (
	featuresConf = "/etc/cumulus/datapath/qos/qos_features.conf"
	infraConf    = "/etc/mlx/datapath/qos/qos_infra.conf"
)

// byFiles compiles the rack with a release, and returns only its switch.
func byFiles(t *testing.T, text string) *target.Tree {
	t.Helper()
	return switchOf(t, judgetest.Rack(text))
}

// switchOf compiles a fabric and returns only its first switch.
func switchOf(t *testing.T, hcl string) *target.Tree {
	t.Helper()
	return judgetest.First(t, judgetest.Tree(t, hcl), target.Switch)
}

// TestByFiles: a switch with two files is planned, changed by one reload for both, verified, and restored with both.
func TestByFiles(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"4.4": `version = "4.4.0"`, "5.3": `version = "5.3.1"`, "5.9": "version = \"5.9.1\"\n  config = \"files\"",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := byFiles(t, text)
			sw := tree.Devices[0]
			require.Len(t, sw.Files, 2)
			devices, dial := labtest.Start(t, tree)
			device := devices.Device(sw.Name)
			read := func(path string) string {
				content, err := device.ReadFile(path)
				require.NoError(t, err)
				return string(content)
			}
			factory := map[string]string{featuresConf: read(featuresConf), infraConf: read(infraConf)}

			// If switchd refuses the change, both files are restored.
			refuse := true
			targettest.Sim[*sim.Switchd](device.Sims()).Says = func(content []byte) []string {
				if !refuse || !strings.Contains(string(content), "pfc.roce_pfc.") {
					return nil
				}
				return []string{"WARNING _priority_flow_control_config: hal_port_pfc_set failed"}
			}
			r := labtest.Apply(t, tree, dial).Devices[0]
			require.Equal(t, deploy.Restored, r.Outcome, "%v %v %s", r.Err, r.Undo, r.Text())
			for path, was := range factory {
				require.Equal(t, was, read(path))
			}
			refuse = false
			_, before := targettest.Sim[*sim.Switchd](device.Sims()).Loaded()

			r = labtest.Apply(t, tree, dial).Devices[0]
			require.Equal(t, deploy.Applied, r.Outcome, "%v %v %s", r.Err, r.Undo, r.Text())
			for _, f := range sw.Files {
				want, ds := f.Edit([]byte(factory[f.Path]))
				require.Empty(t, ds)
				require.Equal(t, string(want), read(f.Path))
			}
			loaded, times := targettest.Sim[*sim.Switchd](device.Sims()).Loaded()
			assert.Equal(t, read(featuresConf), string(loaded))
			assert.Equal(t, before+1, times, "one reload for both")

			plan := deploy.Diff(tree, rollout.Observe(t.Context(), dial, tree, rollout.ObserveOptions{Probes: rollout.Every}))
			assert.True(t, plan.Empty())

			// Another person removes the pool of lossless traffic, and rocec restores it.
			device.WriteFile(infraConf, []byte(strings.Replace(read(infraConf), "ingress_service_pool.1.percent = 50.0",
				"ingress_service_pool.1.percent = 0", 1)), 0o644)
			require.Equal(t, deploy.Applied, labtest.Apply(t, tree, dial).Devices[0].Outcome)
			assert.Contains(t, read(infraConf), "ingress_service_pool.1.percent = 50.0")

			// The checker checks each file together with the other one.
			for i, bad := range []string{"no.such = [\n", "x\n"} {
				out, _, status := device.Run(t.Context(), "root", "printf '"+strings.TrimSpace(bad)+"\\n' >/tmp/new\nset -- /tmp/new\n"+
					sw.Files[i].Precheck, "")
				assert.Equal(t, map[string]int{"no.such = [\n": 0, "x\n": 1}[bad], status, "%s", out)
			}
		})
	}
}

// TestManagedByNVUE: files are not written on a switch that NVUE configures; a switch where NVUE only runs has a warning.
func TestManagedByNVUE(t *testing.T) {
	t.Parallel()
	tree := byFiles(t, "version = \"5.9.1\"\n  config = \"files\"")
	devices, dial := labtest.Start(t, tree)
	device := devices.Device("tor")
	device.WriteFile("/etc/systemd/system/nvued.service", []byte("[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n"), 0o644)
	plan := func() *deploy.DevicePlan {
		return deploy.Diff(tree, rollout.Observe(t.Context(), dial, tree, rollout.ObserveOptions{Probes: rollout.Every})).Devices[0]
	}
	says := func(d *deploy.DevicePlan) string {
		var b strings.Builder
		for _, w := range d.Watched {
			for _, x := range w.Found {
				b.WriteString(x.Code + ": " + x.Detail + "\n")
			}
		}
		return b.String()
	}
	p := plan()
	require.Equal(t, deploy.StatusChange, p.Status)
	assert.NotContains(t, says(p), "NVUE")

	_, errs, status := device.Run(t.Context(), "root", "systemctl daemon-reload && systemctl start nvued", "")
	require.Equal(t, 0, status, errs)
	p = plan()
	require.Equal(t, deploy.StatusChange, p.Status)
	assert.Contains(t, says(p), "cumulus-other-writer: NVUE runs on the switch")

	device.WriteFile("/etc/nvue.d/startup.yaml", []byte("- set:\n    qos:\n      roce: {}\n"), 0o644)
	p = plan()
	require.Equal(t, deploy.StatusRefused, p.Status)
	assert.Contains(t, p.Err.Error(), `tor is configured by NVUE`)
	assert.Contains(t, p.Err.Error(), `the switch block says config = "files" (`)
}
