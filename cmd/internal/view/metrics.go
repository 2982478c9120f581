package view

import (
	"sort"

	"github.com/rocec/rocec/cmd/internal/metrics"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/traffic"
)

// noCode is the code of findings without a page, such as a link that is down.
const noCode = "none"

// VerifyLook returns the devices and findings of a verify for metrics. With read nil, the devices were read; otherwise files were, with
// these diagnostics. counters returns the counters of a device.
func VerifyLook(
	f *ir.Fabric, doc VerifyDocument, found *rollout.Verification, files *Reports, ds diag.List,
	counters func(device string) []ir.PauseCounters,
) (devices []metrics.Seen, findings []metrics.Found) {
	of, health := map[string]*ir.Device{}, map[string]*rollout.Health{}
	for _, d := range f.Devices {
		of[d.Name] = d
	}
	for _, h := range found.Devices {
		health[h.Drift.Device.Name] = h
	}
	count := map[metrics.Found]int{} // with N 0
	for _, d := range doc.Devices {
		s := metrics.Seen{Device: of[d.Name], State: d.Status}
		if h := health[d.Name]; h != nil {
			s.Read = found.Kept[d.Name] != nil
			if files != nil {
				s.Read = h.Drift.Err == nil || h.Drift.Err.Kind == deploy.Unmet
			}
			s.Notices = noticesOf(h)
		}
		if s.Read {
			s.Counters = counters(d.Name)
			for _, one := range d.Findings {
				count[foundOf(one, diag.Error)]++ // such a finding makes its device not good
			}
			for _, one := range d.Hints {
				count[foundOf(one, diag.Notice)]++
			}
		}
		devices = append(devices, s)
	}
	for _, one := range doc.Seen.Findings {
		count[metrics.Found{Code: one.Code, Severity: one.Severity}]++
	}
	for _, d := range ds {
		count[metrics.Found{Code: d.Code, Severity: d.Severity.String()}]++
	}
	for one, n := range count {
		one.N = n
		findings = append(findings, one)
	}
	sort.Slice(findings, func(i, k int) bool {
		a, b := findings[i], findings[k]
		return a.Code < b.Code || a.Code == b.Code && a.Severity < b.Severity
	})
	return devices, findings
}

// foundOf returns the code and the severity of a finding; plain is the severity of one without a code.
func foundOf(f VerifyFinding, plain diag.Severity) metrics.Found {
	if f.Code == "" {
		return metrics.Found{Code: noCode, Severity: plain.String()}
	}
	return metrics.Found{Code: f.Code, Severity: f.Severity}
}

// noticesOf returns the notifications that the NICs of a host count.
func noticesOf(h *rollout.Health) map[string]metrics.NICNotice {
	out := map[string]metrics.NICNotice{}
	for _, p := range h.Probes {
		sent, handled := traffic.Notified(p.Samples)
		for nic, n := range sent {
			one := out[nic]
			one.Sent = ir.Counter{Value: n, Known: true}
			out[nic] = one
		}
		for nic, n := range handled {
			one := out[nic]
			one.Handled = ir.Counter{Value: n, Known: true}
			out[nic] = one
		}
	}
	return out
}
