package pages

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/ledger"
	"github.com/rocec/rocec/cmd/internal/metrics"
	"github.com/rocec/rocec/cmd/internal/teamlook"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
)

// openMetrics is the type of the text format of OpenMetrics 1.0.
const openMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8"

// writeMetrics answers with the metrics of a source.
func writeMetrics(w http.ResponseWriter, src TeamSource) {
	v := &view{now: src.Now()}
	v.heard, v.whole = src.Alive()
	current := src.Trouble() == ""
	var team *metrics.Team
	src.Read(func(q *teamqueue.Queue, looks []teamlook.SiteLook) {
		v.queue, v.looks = q, looks
		team = v.metrics(current)
	})
	var b bytes.Buffer
	if err := team.Write(&b); err != nil {
		panic("pages: " + err.Error()) // a buffer takes all bytes
	}
	w.Header().Set("Content-Type", openMetrics)
	w.Write(b.Bytes()) //nolint:errcheck // the reader has gone away
}

// metrics returns the values of all fabrics. Sites are in it as far as a page lists them.
func (v *view) metrics(current bool) *metrics.Team {
	of := map[string]*metrics.TeamFabric{}
	sites := map[string]map[string]*metrics.TeamSite{}
	fabric := func(name string) *metrics.TeamFabric {
		if of[name] == nil {
			of[name] = &metrics.TeamFabric{Name: name, Current: current, Runs: map[string]int{}}
			for _, s := range ledger.States {
				of[name].Runs[string(s)] = 0
			}
			sites[name] = map[string]*metrics.TeamSite{}
		}
		return of[name]
	}
	site := func(f, name string) *metrics.TeamSite {
		if sites[f][name] == nil && len(sites[f]) < mostSites {
			_, is := v.heard[name]
			sites[f][name] = &metrics.TeamSite{Name: name, Alive: is, Known: is || v.whole}
		}
		return sites[f][name]
	}
	for _, r := range v.queue.Runs("") {
		f := fabric(r.Fabric)
		state, _ := ledger.StateOf(v.queue, r, v.now, nil)
		f.Runs[string(state)]++
		if !r.Over(v.now) && (f.Oldest.IsZero() || r.At.Before(f.Oldest)) {
			f.Oldest = r.At
		}
		for _, s := range r.Shares {
			site(r.Fabric, s.Site)
		}
	}
	for i := range v.looks {
		e := &v.looks[i]
		fabric(e.Fabric)
		if s := site(e.Fabric, e.Site); s != nil {
			fillSite(s, e)
		}
	}
	out := &metrics.Team{}
	for name, f := range of {
		for _, s := range sites[name] {
			f.Sites = append(f.Sites, *s)
		}
		slices.SortFunc(f.Sites, func(a, b metrics.TeamSite) int { return strings.Compare(a.Name, b.Name) })
		out.Fabrics = append(out.Fabrics, *f)
	}
	slices.SortFunc(out.Fabrics, func(a, b metrics.TeamFabric) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// fillSite adds the last look of a site.
func fillSite(s *metrics.TeamSite, e *teamlook.SiteLook) {
	s.Tried, s.Failed = true, e.Failed != ""
	if e.Last == nil {
		return
	}
	s.Look, s.Devices = e.Last.Began, e.Last.Devices
	for _, f := range e.Last.Findings {
		s.Findings = append(s.Findings, metrics.Found{Code: f.Code, Severity: f.Severity, N: f.Count})
	}
}
