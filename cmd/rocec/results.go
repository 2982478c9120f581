package main

import (
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/targets/deploy"
)

// reporting is the situation in which a run is reported, and the format.
type reporting struct {
	view.Occasion
	format string
}

// reportResults reports of every device that is not as planned what it holds, and counts the others.
func (a *app) reportResults(r *deploy.Results, e reporting) {
	if e.format != "json" {
		a.screen().Results(r, e.Occasion)
		return
	}
	a.writeEvent(applyEvent{
		Event: "summary", Run: r.Run.Name, Summary: r.Tally(), Stopped: string(r.Stopped), Detail: view.StoppedText(r), Notes: r.Notes,
	})
}
