package team

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/savedplan"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/teamplan"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

// PlanOptions are those of a plan of several sites.
type PlanOptions struct {
	Out     string // the file of the plan; empty: it is only shown
	Valid   time.Duration
	Message string
	Only    []string // as --target
	Sites   []string // in the order in which they work; empty: as the fabric has them
	Holds   []string // waves as SITE/N
	Within  time.Duration
	Changes bool // exit 2 when there are changes
}

// Plan asks the sites of a fabric for their parts of a plan, and makes one plan of them.
func (t *Client) Plan(ctx context.Context, dir string, o *PlanOptions) error {
	if (len(o.Holds) > 0) != (o.Within != 0) || o.Within < 0 || o.Within > savedplan.MostValidity {
		return exit.Fail(exit.Usage, "--hold-before needs --within, which is more than 0 and at most 90 days, such as --within 4h")
	}
	f, err := t.LoadGood(dir)
	if err != nil {
		return err
	}
	commit, err := committed(dir)
	if err != nil {
		return err
	}
	given := savedplan.Given{
		Tool: t.Rocec.Version, Vars: t.Vars, VarFiles: t.VarFiles, Environ: t.Environ, Allowed: t.Allowed, Targets: o.Only,
	}
	m, err := given.Meta(dir, f)
	if err != nil {
		return err
	}
	if n := len(m.Variables) + len(m.Environment) + len(m.VarFiles); n > 0 {
		return exit.Fail(exit.Usage, "a plan of a team takes the files of the commit alone, and this fabric gets %s from the command line or "+
			"from the environment (--var, --var-file, %s…): write them into the fabric", diag.Count(n, "variable"), deploy.EnvPrefix)
	}
	devices, sites, err := sitesOf(f, o)
	if err != nil {
		return err
	}
	if m.Terms, err = t.terms(f, commit, o); err != nil {
		return err
	}
	r := &round{
		t: t, fabric: f, sites: sites, devices: devices, meta: m,
		question: teamplan.Question{Commit: commit, Inputs: m.Inputs, Tool: t.Rocec.Version, Targets: o.Only},
	}
	if err := r.plan(ctx); err != nil {
		return err
	}
	if r, err = r.firstStep(ctx); err != nil {
		return err
	}
	a, saved, refused, sites := r.asked, r.saved, r.refused, r.sites
	if !refused {
		if saved.Terms.Holds, err = holds(saved.Terms, o); err != nil {
			return err
		}
		saved = deploy.NewSaved(saved.Devices, saved.Meta) // with the digest of the holds
	}
	if err := t.showPlan(a, sites, saved, refused); err != nil {
		return err
	}
	switch {
	case refused:
		return exit.With(exit.Errors)
	case len(saved.Terms.Shares) == 0:
		return nil
	}
	if o.Out != "" {
		if err := t.save(ctx, o.Out, saved); err != nil {
			return err
		}
	}
	if o.Changes {
		return exit.With(exit.Changes)
	}
	return nil
}

// committed returns the commit of the fabric, which the sites take from their mirrors.
func committed(dir string) (string, error) {
	commit, dirty := strings.CutSuffix(session.CommitOf(dir), "+")
	files := session.Uncommitted(dir)
	switch {
	case commit == "":
		return "", exit.Fail(exit.Usage, "%s is in no git repository with a commit, and the sites of a team take the fabric from a commit", dir)
	case dirty && len(files) > 0:
		return "", exit.Fail(exit.Usage, "%s has changes that are not committed (%s%s), and the sites of a team take the fabric from a commit: "+
			"commit them, and push the commit to where the sites fetch it", dir, files[0], more(len(files)-1))
	}
	return commit, nil
}

// more returns how many other files there are.
func more(n int) string {
	if n == 0 {
		return ""
	}
	return " and " + diag.Count(n, "other file")
}

// sitesOf returns the devices of each site that a plan asks, and the sites in the order in which they work.
func sitesOf(f *report.Report, o *PlanOptions) (devices map[string][]string, sites []string, err error) {
	tree, err := session.SelectDevices(f.Tree(), o.Only)
	if err != nil {
		return nil, nil, err
	}
	devices = map[string][]string{}
	var none []string
	for _, d := range tree.Devices {
		if d.Source == nil || d.Source.Site == "" {
			none = append(none, d.Name)
			continue
		}
		if devices[d.Source.Site] == nil {
			sites = append(sites, d.Source.Site)
		}
		devices[d.Source.Site] = append(devices[d.Source.Site], d.Name)
	}
	switch {
	case len(none) > 0:
		return nil, nil, exit.Fail(exit.Usage, "%s: no site has the keys of %s. Write site = \"NAME\" into the switch or host block, or leave "+
			"the %s out with --target", session.Nodes(none), diag.Plural(len(none), "this device", "these devices"),
			diag.Plural(len(none), "device", "devices"))
	case len(sites) == 0:
		return nil, nil, exit.Fail(exit.Usage, "the plan has no device")
	case len(o.Sites) == 0:
		return devices, sites, nil
	}
	sorted, named := slices.Sorted(slices.Values(sites)), slices.Sorted(slices.Values(o.Sites))
	if !slices.Equal(sorted, named) {
		return nil, nil, exit.Fail(exit.Usage, "--sites names each site of the plan once: %s, not %s", diag.And(sorted), diag.And(named))
	}
	return devices, o.Sites, nil
}

// terms returns the terms that the person decides.
func (t *Client) terms(f *report.Report, commit string, o *PlanOptions) (*deploy.Terms, error) {
	now := t.Clock.Now().UTC().Truncate(time.Second)
	return &deploy.Terms{
		Name: f.Fabric.Name, Commit: commit, Message: o.Message, Made: now, Expires: now.Add(o.Valid), Nonce: rand.Text(),
		Approvals: t.Rights.Approvals(f.Fabric.Approvals),
	}, nil
}

// holds returns the waves that wait for an approval.
func holds(terms *deploy.Terms, o *PlanOptions) (out []deploy.TermHold, err error) {
	for _, name := range o.Holds {
		n, err := waveNumber(terms, name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(h deploy.TermHold) bool { return h.Wave == n }) {
			return nil, exit.Fail(exit.Usage, "--hold-before names the wave %s twice", name)
		}
		out = append(out, deploy.TermHold{Wave: n, Approvals: 1, WithinSeconds: int(o.Within.Seconds())})
	}
	slices.SortFunc(out, func(a, b deploy.TermHold) int { return a.Wave - b.Wave })
	return out, nil
}

// save writes the plan, and signs it as the person who made it.
func (t *Client) save(ctx context.Context, name string, saved *deploy.Saved) error {
	if err := savedplan.Write(name, saved.Bytes()); err != nil {
		return err
	}
	if t.Rights.Key != "" {
		if _, err := savedplan.Sign(ctx, t.Rights, name, saved, sshsig.RolePlan); err != nil {
			return err
		}
	}
	if t.Quiet {
		return nil
	}
	file := diag.Path("PLAN", name)
	if n := saved.Terms.Approvals; n > 0 {
		fmt.Fprintf(t.Stderr, "saved; it wants %s: %s\n", diag.Count(n, "approval"), diag.Rocec("approve", file))
	}
	fmt.Fprintf(t.Stderr, "saved; submit it to the sites with: %s\n", diag.Rocec("apply", diag.Flag("--team"), diag.Flag("--plan", file)))
	return nil
}
