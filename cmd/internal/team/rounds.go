package team

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/teamplan"
	"github.com/rocec/rocec/targets/deploy"
)

// round is a plan in the making, with the last answers of the sites.
type round struct {
	t        *Client
	fabric   *report.Report
	question teamplan.Question
	sites    []string            // in the order in which they work
	devices  map[string][]string // of each site
	meta     deploy.Meta

	asked   *asking
	saved   *deploy.Saved
	refused bool
}

// mostRounds is how often the sites are asked for one plan. Two rounds are enough, unless devices change meanwhile, or a site needs another
// number of steps when it knows the others.
const mostRounds = 4

// plan asks sites for their parts, and makes one plan of them. A site reads its own devices alone. So the sites are asked again with the
// devices that the others settle, until no site settles others than in the round before.
func (r *round) plan(ctx context.Context) (err error) {
	settled := map[string]string{}
	for range mostRounds {
		if r.asked, err = r.t.ask(ctx, r.fabric.Fabric.Name, &r.question, settled, r.sites); err != nil {
			return err
		}
		if r.saved, r.refused, err = merged(r.asked, r.sites, r.devices, r.meta); err != nil {
			return err
		}
		next := map[string]string{}
		for _, site := range r.sites {
			if text := session.Settled(r.fabric.Fabric, r.saved, site); text != "" {
				next[site] = text
			}
		}
		if len(r.asked.refused) > 0 || maps.Equal(next, settled) {
			return nil
		}
		settled = next
	}
	return exit.Fail(exit.Machines, "the sites answered otherwise each time, as their devices change now. Nothing was changed. Make the plan "+
		"again.")
}

// lossy reports whether a site refuses its part because lossless packets could be lost.
func (r *round) lossy() bool {
	for _, p := range r.asked.parts {
		if slices.ContainsFunc(p.Refused, func(why string) bool { return strings.HasPrefix(why, deploy.TopicMixture.Code+":") }) {
			return true
		}
	}
	return false
}

// firstStep returns the same plan, or its first step if the plan is refused as lossy: the switches of all sites alone, or else the hosts
// alone. Hosts of one site send through switches of others. So all switches have a new class before the first host uses it, and all hosts
// leave a class before the first switch ends it.
func (r *round) firstStep(ctx context.Context) (*round, error) {
	if !r.refused || !r.lossy() {
		return r, nil
	}
	hosts := map[string]bool{}
	for _, d := range r.fabric.Fabric.Devices {
		hosts[d.Name] = d.Host != nil
	}
	for _, of := range []bool{false, true} {
		step := *r
		step.devices = map[string][]string{}
		var names []string
		all := 0
		for site, its := range r.devices {
			step.devices[site] = slices.DeleteFunc(slices.Clone(its), func(name string) bool { return hosts[name] != of })
			names, all = append(names, step.devices[site]...), all+len(its)
		}
		if len(names) == 0 || len(names) == all {
			return r, nil
		}
		step.sites = slices.DeleteFunc(slices.Clone(r.sites), func(site string) bool { return len(step.devices[site]) == 0 })
		step.question.Targets = []string{session.SetOf(names)}
		step.meta.Targets = step.question.Targets
		if err := step.plan(ctx); err != nil {
			return nil, err
		}
		if !step.refused && len(step.saved.Terms.Shares) > 0 {
			for _, p := range step.asked.parts { // for the person; the plan itself has no further step
				p.Steps = max(p.Steps, 2)
			}
			return &step, nil
		}
	}
	return r, nil
}

// merged makes one plan of the parts. refused reports that a site makes no part, or would refuse to carry its part out.
func merged(a *asking, sites []string, devices map[string][]string, m deploy.Meta) (saved *deploy.Saved, refused bool, err error) {
	var parts []*teamplan.SitePart
	for _, site := range sites {
		part := a.parts[site]
		if part == nil {
			refused = true
			continue
		}
		refused = refused || len(part.Refused) > 0
		parts = append(parts, part)
	}
	if saved, err = teamplan.Merge(parts, devices, m); err != nil {
		return nil, false, exit.Fail(exit.Machines, "%v. Nothing was changed.", err)
	}
	return saved, refused, nil
}
