package view

import (
	"sort"

	"github.com/rocec/rocec/cmd/internal/metrics"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/traffic"
)

// NoCode is the code of findings without a page, such as a link that is down.
const NoCode = "none"

// FillLook adds the devices and findings of a verify to a look, and returns it. With read nil, the devices were read; otherwise files were,
// and judged has their findings. counters returns the counters of a device.
func FillLook(
	look *metrics.Look, doc VerifyDocument, found *rollout.Verification, read *Reports, judged *report.Report,
	counters func(device string) []ir.PauseCounters,
) *metrics.Look {
	of, health := map[string]*ir.Device{}, map[string]*rollout.Health{}
	for _, d := range look.Fabric.Devices {
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
			if read != nil {
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
		look.Devices = append(look.Devices, s)
	}
	for _, one := range doc.Seen.Findings {
		count[metrics.Found{Code: one.Code, Severity: one.Severity}]++
	}
	if judged != nil {
		for _, d := range judged.Diags {
			count[metrics.Found{Code: d.Code, Severity: d.Severity.String()}]++
		}
	}
	for one, n := range count {
		one.N = n
		look.Findings = append(look.Findings, one)
	}
	sort.Slice(look.Findings, func(i, k int) bool {
		a, b := look.Findings[i], look.Findings[k]
		return a.Code < b.Code || a.Code == b.Code && a.Severity < b.Severity
	})
	return look
}

// foundOf returns the code and the severity of a finding; plain is the severity of one without a code.
func foundOf(f VerifyFinding, plain diag.Severity) metrics.Found {
	if f.Code == "" {
		return metrics.Found{Code: NoCode, Severity: plain.String()}
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
