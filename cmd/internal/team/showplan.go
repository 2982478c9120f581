package team

import (
	"fmt"
	"time"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/teamplan"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

// PlanDocument is the JSON of plan --team.
type PlanDocument struct {
	FormatVersion string         `json:"format_version"`
	Fabric        string         `json:"fabric"`
	Commit        string         `json:"commit"`
	Sites         []planSite     `json:"sites"` // in the order in which they work
	Holds         []planHold     `json:"holds"`
	Approvals     int            `json:"approvals"` // that the plan wants before its submission
	Takes         int            `json:"takes_seconds"`
	Summary       map[string]int `json:"summary"`  // devices by status
	Refused       bool           `json:"refused"`  // a site makes no part, or would refuse to carry it out
	Rejected      []string       `json:"rejected"` // answers that do not count
}

type planSite struct {
	Site     string       `json:"site"`
	Why      string       `json:"why,omitempty"` // it makes no part
	Waves    []string     `json:"waves"`
	Disrupts []string     `json:"disrupts"`
	Refused  []string     `json:"refused"`
	Steps    int          `json:"steps,omitempty"` // of the change; the part is the first one
	Devices  []planDevice `json:"devices"`         // that change
}

type planDevice struct {
	Device   string   `json:"device"`
	Files    int      `json:"files"`
	Effects  []string `json:"effects,omitempty"`
	Disrupts []string `json:"disrupts,omitempty"`
}

type planHold struct {
	Wave   string `json:"wave"` // SITE/N
	Wants  int    `json:"approvals"`
	Within int    `json:"within_seconds"`
}

// showPlan prints the parts of the sites.
func (t *Client) showPlan(a *asking, sites []string, saved *deploy.Saved, refused bool) error {
	terms := saved.Terms
	doc := &PlanDocument{
		FormatVersion: report.FormatVersion, Fabric: terms.Name, Commit: terms.Commit, Sites: []planSite{}, Holds: []planHold{},
		Approvals: terms.Approvals, Takes: terms.Takes, Summary: map[string]int{}, Refused: refused, Rejected: append([]string{}, a.rejected...),
	}
	for _, site := range sites {
		one := planSite{Site: site, Why: a.refused[site], Waves: []string{}, Disrupts: []string{}, Refused: []string{}, Devices: []planDevice{}}
		if part := a.parts[site]; part != nil {
			one.of(part)
		}
		doc.Sites = append(doc.Sites, one)
	}
	for _, d := range saved.Devices {
		doc.Summary[string(d.Status)]++
	}
	for _, h := range terms.Holds {
		doc.Holds = append(doc.Holds, planHold{terms.WaveName(h.Wave), h.Approvals, h.WithinSeconds})
	}
	if t.Format == "json" {
		return t.WriteJSON(doc)
	}
	t.printPlan(doc)
	return nil
}

// of takes the content of a part.
func (s *planSite) of(p *teamplan.SitePart) {
	s.Waves, s.Disrupts, s.Refused = append(s.Waves, p.Waves...), append(s.Disrupts, p.Disrupts...), append(s.Refused, p.Refused...)
	s.Steps = p.Steps
	for i := range p.Changes {
		c := &p.Changes[i]
		s.Devices = append(s.Devices, planDevice{c.Device, c.Files, c.Effects, c.Disrupts})
	}
}

// mostDevices is how many devices of a site the text has.
const mostDevices = 40

func (t *Client) printPlan(doc *PlanDocument) {
	s := t.Screen()
	say := func(format string, args ...any) { s.Prose("", diag.Escape(fmt.Sprintf(format, args...))) }
	changes := 0
	for i := range doc.Sites {
		one := &doc.Sites[i]
		changes += len(one.Devices)
		fmt.Fprintf(s.Raw, "%s  %s in %s\n", s.Paint(diag.Bold, "site "+diag.Escape(one.Site)), diag.Count(len(one.Devices), "change"),
			diag.Count(len(one.Waves), "wave"))
		if one.Why != "" {
			s.Prose("  refused: ", diag.Escape(one.Why))
		}
		for _, why := range one.Refused {
			s.Prose("  refused: ", diag.Escape(why))
		}
		for n, w := range one.Waves {
			s.Prose(fmt.Sprintf("  wave %s/%d: ", diag.Escape(one.Site), n+1), diag.Escape(w))
		}
		for n, d := range one.Devices {
			if n == mostDevices && !t.Verbose {
				fmt.Fprintf(s.Raw, "  and %d more devices: -v shows them\n", len(one.Devices)-n)
				break
			}
			fmt.Fprintf(s.Raw, "  %s: %s\n", diag.Escape(d.Device), diag.Count(d.Files, "file"))
			for _, e := range d.Effects {
				s.Prose("    ", diag.Escape(e))
			}
		}
		for _, text := range one.Disrupts {
			s.Prose("  disrupts: ", diag.Escape(text))
		}
		if one.Steps > 1 {
			say("  The change of this site has %d steps, and this plan is the first of them. Make the plan again after it.", one.Steps)
		}
	}
	for _, h := range doc.Holds {
		say("Wave %s waits for %s, at most %s after the wave before it.", h.Wave, diag.Count(h.Wants, "approval"),
			view.ShortTime(time.Duration(h.Within)*time.Second))
	}
	if n := len(doc.Rejected); n > 0 {
		say("%s not count: %s", diag.Count(n, "answer")+diag.Plural(n, " does", " do"), doc.Rejected[n-1])
	}
	switch {
	case doc.Refused:
		say("There is no plan of all sites. Nothing was changed. Mend what the sites refuse, and plan again.")
	case changes == 0:
		say("All devices of these sites are as the fabric says.")
	default:
		say("The sites work one after the other, at most %s. Nothing was changed yet.", view.ShortTime(time.Duration(doc.Takes)*time.Second))
	}
}
