package forms

import (
	"github.com/rocec/rocec/cmd/internal/alerts"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// The files for Prometheus and Grafana. Their names do not depend on the fabric, so no file is left over from another one.
const (
	prometheusTests     = "rocec.test.yml"
	prometheusDashboard = "rocec.dashboard.json"
)

// prometheus returns rules of alerts with their unit tests, and a dashboard.
func prometheus(f *ir.Fabric, tree *target.Tree, _ Supplied) Layout {
	l := Layout{Files: []File{
		made(alerts.RulesFile, alerts.Rules(f)), made(prometheusTests, alerts.Tests(f)), made(prometheusDashboard, alerts.Dashboard(f)),
	}}
	for _, d := range tree.Devices {
		if d.Role == target.Host {
			l.Hosts++
		} else {
			l.Switches++
		}
	}
	return l
}
