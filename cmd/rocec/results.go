package main

import (
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/targets/deploy"
)

// runEnd is the situation in which a run is reported, and the format.
type runEnd struct {
	view.Ending
	format string
}

// reportResults reports of every device that is not as planned what it holds, and counts the others.
func (a *app) reportResults(r *deploy.Results, e runEnd) {
	if e.format != "json" {
		a.screen().Results(r, e.Ending)
		return
	}
	sum := map[string]int{}
	for _, k := range deploy.Outcomes {
		sum[string(k)] = r.Count(k)
	}
	a.writeEvent(applyEvent{
		Event: "summary", Run: r.Run.Name, Summary: sum, Stopped: string(r.Stopped), Detail: view.StoppedText(r), Notes: r.Notes,
	})
}
