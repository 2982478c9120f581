package pages

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/rocec/rocec/cmd/internal/ledger"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamlook"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/lang/diag"
)

// The most entries of a page. It states how many more there are.
const (
	mostRuns  = 100 // that are not over, and as many that are over
	mostSites = 200
	mostWaves = 300 // of a site
	mostTexts = 100
)

// TeamPage is the document of all runs and sites. A reader gets no names of persons and no reasons.
type TeamPage struct {
	FormatVersion string      `json:"format_version"`
	Current       bool        `json:"current"`           // it shows the present state of the hub
	Trouble       string      `json:"trouble,omitempty"` // why not
	Queue         []ListedRun `json:"queue"`             // runs that are not over, in the order in which they may begin
	MoreQueue     int         `json:"more_queue"`
	Sites         []Site      `json:"sites"`
	MoreSites     int         `json:"more_sites"`
	Runs          []ListedRun `json:"runs"` // that are over, the newest first
	MoreRuns      int         `json:"more_runs"`
	Rejected      int         `json:"rejected"` // messages of the hub that changed nothing, of the last 200
	Reasons       []string    `json:"reasons"`  // of the newest ones
}

// ListedRun is a run in a list.
type ListedRun struct {
	Name      string       `json:"name"`
	Fabric    string       `json:"fabric"`
	State     ledger.State `json:"state"`
	Why       string       `json:"why,omitempty"`
	By        string       `json:"by,omitempty"`
	Submitted time.Time    `json:"submitted"`
	Commit    string       `json:"commit"`
	Sites     []string     `json:"sites"`
	Waves     int          `json:"waves"`
	Complete  int          `json:"waves_complete"`
}

// Site is a site of the team.
type Site struct {
	Name  string     `json:"name"`
	State string     `json:"state"`           // alive, away or unknown
	Heard *time.Time `json:"heard,omitempty"` // the last sign of life, if it is not older than 30 s
	Looks []Look     `json:"looks"`           // by fabric
}

// The states of a site.
const (
	alive   = "alive"
	away    = "away"
	unknown = "unknown"
)

// Look is the result of the last verify of a site at a fabric.
type Look struct {
	Fabric   string           `json:"fabric"`
	Tried    time.Time        `json:"tried"` // end of the newest look
	Failed   bool             `json:"failed"`
	Why      string           `json:"why,omitempty"`
	Late     bool             `json:"late"`           // no look for twice the interval
	Made     *time.Time       `json:"made,omitempty"` // end of the last look that was made; the rest is of that look
	Commit   string           `json:"commit,omitempty"`
	Stale    bool             `json:"stale_mirror"`
	Good     bool             `json:"good"`
	Devices  map[string]int   `json:"devices"`
	Unlike   []teamlook.Set   `json:"unlike"`
	Findings []teamlook.Found `json:"findings"`
	More     int              `json:"more_findings"`
}

// view is what one request shows, by the role of its person.
type view struct {
	now   time.Time
	queue *teamqueue.Queue
	looks []teamlook.SiteLook
	heard map[string]time.Time // sites that are alive
	whole bool                 // the others are away; otherwise that is not known
	full  bool                 // with names of persons and reasons
}

// away reports whether a site is away. It is nil if that is not known.
func (v *view) away() func(string) bool {
	if !v.whole {
		return nil
	}
	return func(site string) bool {
		_, is := v.heard[site]
		return !is
	}
}

// person returns a text that has names of persons or reasons, for operators.
func (v *view) person(text string) string {
	if !v.full {
		return ""
	}
	return diag.Escape(text)
}

// team returns the document of all runs and sites.
func (v *view) team() *TeamPage {
	t := &TeamPage{
		FormatVersion: report.FormatVersion, Queue: []ListedRun{}, Runs: []ListedRun{}, Reasons: []string{}, Rejected: len(v.queue.Rejected),
	}
	runs := v.queue.Runs("")
	slices.SortStableFunc(runs, func(a, b *teamqueue.TeamRun) int { return cmp.Compare(a.Epoch, b.Epoch) })
	for _, r := range runs {
		if r.Over(v.now) {
			continue
		}
		if len(t.Queue) == mostRuns {
			t.MoreQueue++
			continue
		}
		t.Queue = append(t.Queue, v.run(r))
	}
	for _, r := range slices.Backward(runs) {
		if !r.Over(v.now) {
			continue
		}
		if len(t.Runs) == mostRuns {
			t.MoreRuns++
			continue
		}
		t.Runs = append(t.Runs, v.run(r))
	}
	t.Sites, t.MoreSites = cut(v.sites(), mostSites)
	if v.full {
		for _, one := range v.queue.Rejected[max(0, len(v.queue.Rejected)-mostTexts):] {
			t.Reasons = append(t.Reasons, diag.Escape(one.What+": "+one.Why))
		}
	}
	return t
}

// cut returns the first entries of a list, and the number of the others.
func cut[T any](list []T, most int) ([]T, int) {
	if len(list) <= most {
		return list, 0
	}
	return list[:most], len(list) - most
}

// run returns a run for a list.
func (v *view) run(r *teamqueue.TeamRun) ListedRun {
	state, why := ledger.StateOf(v.queue, r, v.now, v.away())
	out := ListedRun{
		Name: r.Name, Fabric: diag.Escape(r.Fabric), State: state, Why: v.person(why), By: v.person(r.By), Submitted: r.At.UTC(),
		Commit: diag.Escape(r.Plan.Terms.Commit), Sites: []string{},
	}
	for _, s := range r.Shares {
		out.Sites = append(out.Sites, s.Site)
		out.Waves += s.Last - s.First + 1
		for _, w := range s.Waves {
			if w.Outcome == statement.Complete {
				out.Complete++
			}
		}
	}
	return out
}

// sites returns the sites of which the hub has a sign of life, a look or a run, by name.
func (v *view) sites() []Site {
	looks := map[string][]Look{}
	for site := range v.heard {
		looks[site] = nil
	}
	for _, r := range v.queue.Runs("") {
		for _, s := range r.Shares {
			looks[s.Site] = nil
		}
	}
	for i := range v.looks {
		e := &v.looks[i]
		looks[e.Site] = append(looks[e.Site], v.look(e))
	}
	out := []Site{}
	for name := range looks {
		s := Site{Name: diag.Escape(name), State: unknown, Looks: append([]Look{}, looks[name]...)}
		if v.whole {
			s.State = away
		}
		if at, is := v.heard[name]; is {
			at = at.UTC().Truncate(time.Second)
			s.State, s.Heard = alive, &at
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Site) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// look returns the last look of a site.
func (v *view) look(e *teamlook.SiteLook) Look {
	l := Look{
		Fabric: diag.Escape(e.Fabric), Tried: e.At.UTC(), Failed: e.Failed != "", Why: v.person(e.Failed),
		Late:    e.Every > 0 && v.now.Sub(e.At) > 2*time.Duration(e.Every)*time.Second,
		Devices: map[string]int{}, Unlike: []teamlook.Set{}, Findings: []teamlook.Found{},
	}
	if e.Last == nil {
		return l
	}
	made := e.Made.UTC()
	l.Made, l.Commit, l.Stale, l.Good = &made, e.Last.Commit, e.Last.Stale, e.Last.Good
	maps.Copy(l.Devices, e.Last.Devices)
	for _, s := range e.Last.Unlike {
		l.Unlike = append(l.Unlike, teamlook.Set{Status: s.Status, Devices: diag.Escape(s.Devices)})
	}
	l.Findings, l.More = cut(e.Last.Findings, mostTexts)
	l.Findings = append([]teamlook.Found{}, l.Findings...)
	for i := range l.Findings {
		l.Findings[i].Devices = diag.Escape(l.Findings[i].Devices)
	}
	return l
}
