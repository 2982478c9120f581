package view

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/metrics"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// A look has the devices of the document with their status. Only a device with kept samples was read, whatever its status is. With files, a
// device was read unless an error hides its settings. Findings are counted by code and severity, and those of unread devices do not count.
func TestFillLook(t *testing.T) {
	f := &ir.Fabric{}
	found := &rollout.Verification{Kept: map[string]*deploy.Kept{"a": {}, "c": {}}}
	mtu := SeenFinding{Code: "port-mtu", Severity: "warning"}
	doc := VerifyDocument{Seen: SeenDocument{Findings: []SeenFinding{mtu, mtu}}}
	for _, d := range []struct {
		name, status string
		err          *deploy.Error
	}{
		{"a", VerifyGood, nil},
		{"b", string(deploy.StatusPending), &deploy.Error{Kind: deploy.Unreachable}},
		{"c", string(deploy.StatusRefused), &deploy.Error{Kind: deploy.Unmet}},
	} {
		of := &ir.Device{Name: d.name}
		f.Devices = append(f.Devices, of)
		found.Devices = append(found.Devices, &rollout.Health{
			Drift: &deploy.DevicePlan{Device: &target.Device{Name: d.name, Source: of}, Err: d.err},
			Probes: []deploy.Judged{{Samples: []target.Sample{
				{Name: "np_cnp_sent", On: "eth0", Value: 5}, {Name: "rp_cnp_handled", On: "eth1", Value: 6}, {Name: "link", On: "eth0", Value: 1},
			}}},
		})
		doc.Devices = append(doc.Devices, VerifyDevice{
			Name: d.name, Status: d.status,
			Findings: []VerifyFinding{{Probe: "links", Message: "No link."}, {Code: "device-rights", Severity: "warning"}},
			Hints:    []VerifyFinding{{Probe: "settings", Message: "A hint."}},
		})
	}
	f.Devices = append(f.Devices, &ir.Device{Name: "d"})
	doc.Devices = append(doc.Devices, VerifyDevice{Name: "d", Status: VerifyUnknown})
	counters := func(device string) []ir.PauseCounters { return []ir.PauseCounters{{Port: device}} }

	read := func(l *metrics.Look) (out string) {
		for _, d := range l.Devices {
			if d.Read {
				out += d.Device.Name
				require.Equal(t, d.Device.Name, d.Counters[0].Port)
			} else {
				require.Empty(t, d.Counters)
			}
		}
		return out
	}
	l := FillLook(&metrics.Look{Fabric: f}, doc, found, nil, nil, counters)
	require.Equal(t, "ac", read(l))
	require.Equal(t, string(deploy.StatusRefused), l.Devices[2].State)
	require.Equal(t, map[string]metrics.NICNotice{
		"eth0": {Sent: ir.Counter{Value: 5, Known: true}}, "eth1": {Handled: ir.Counter{Value: 6, Known: true}},
	}, l.Devices[0].Notices)
	require.Equal(t, []metrics.Found{
		{Code: "device-rights", Severity: "warning", N: 2},
		{Code: NoCode, Severity: "error", N: 2},
		{Code: NoCode, Severity: "note", N: 2},
		{Code: "port-mtu", Severity: "warning", N: 2},
	}, l.Findings)

	found.Kept = nil
	require.Equal(t, "ac", read(FillLook(&metrics.Look{Fabric: f}, doc, found, &Reports{}, nil, counters)))
	require.Empty(t, read(FillLook(&metrics.Look{Fabric: f}, doc, found, nil, nil, counters)))
}
