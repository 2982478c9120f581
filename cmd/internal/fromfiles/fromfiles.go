// Package fromfiles compares devices with their fabric by files ([Sources]): reports of hosts, and configuration files that people keep
// or that other programs render. It logs in to no device.
package fromfiles

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate/claims"
)

// Sources contains the files and folders that a person names.
type Sources struct {
	Reports view.Reports
	Files   *devicefiles.Found // nil: there is no configuration
	Claims  *claims.Result     // what the files show of the assumptions of verdicts; nil: not compared

	folders []string
	of      map[string]string // files of reports, by host
	read    map[string]bool   // names of configurations
}

// Read reads the configurations in files and folders. [Sources.Verify] reads the reports.
func Read(names []string) (*Sources, error) {
	s := &Sources{
		Reports: view.Reports{Folder: strings.Join(names, ", "), Age: map[string]time.Duration{}},
		read:    map[string]bool{}, of: map[string]string{},
	}
	var with []string
	var none error // the first folder without any file
	for _, name := range names {
		_, err := devicefiles.Read([]string{name})
		without := (*devicefiles.NoFile)(nil)
		if err != nil && !errors.As(err, &without) {
			return nil, err
		}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			s.folders = append(s.folders, name)
		}
		switch {
		case without == nil:
			with = append(with, name)
		case !hasReport(name):
			none = cmp.Or(none, err)
		}
	}
	if none != nil {
		return nil, none
	}
	if len(with) == 0 {
		return s, nil
	}
	var err error
	if s.Files, err = devicefiles.Read(with); err != nil {
		return nil, err
	}
	s.Reports.Files = true
	for _, f := range s.Files.Files {
		s.read[f.Name] = true
	}
	return s, nil
}

// hasReport reports whether a folder has a file that may be the report of a host.
func hasReport(folder string) bool {
	entries, err := os.ReadDir(folder)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return path.Ext(e.Name()) == ".json" })
}

// isRead reports whether a file was read as a configuration.
func (s *Sources) isRead(name string) bool {
	return s.read[diag.Escape(path.Clean(filepath.ToSlash(name)))]
}

// Verify compares devices of a fabric with the sources. The report has a diagnostic for each value that differs, at its place, and the
// findings of the rules in the files; nil: there is no configuration. Verify leaves out devices for which rocec writes nothing. It judges
// neighbours of the devices in the tree, but does not report them. It compares the assumptions of the verdicts with the files, too; the
// proof of the routes in them uses at most the budget.
func (s *Sources) Verify(
	ctx context.Context, f *report.Report, tree *target.Tree, budget *ir.Budget,
) (*rollout.Verification, *report.Report, error) {
	have, err := s.readReports(ctx, tree)
	if err != nil {
		return nil, nil, exit.Fail(exit.Usage, "%v", err)
	}
	reported, seen := &target.Tree{}, &deploy.Observed{}
	for _, d := range tree.Devices {
		switch h := have[d]; {
		case h != nil:
			reported.Devices, seen.Devices = append(reported.Devices, d), append(seen.Devices, h)
		case s.Files == nil && d.Role == target.Host:
			s.Reports.Missing = append(s.Reports.Missing, d)
		}
	}
	found := &rollout.Verification{Plan: deploy.Diff(reported, seen)}
	for i, h := range seen.Devices {
		found.Devices = append(found.Devices, &rollout.Health{Drift: found.Plan.Devices[i], Probes: h.Probes})
	}
	if s.Files == nil {
		return found, nil, nil
	}
	judged, compared := s.Files.Compare(f)
	c := &comparison{sources: s, by: map[string]*targets.Compared{}, report: judged}
	for _, one := range compared {
		c.by[one.Device.Name] = one
	}
	filed := &deploy.Plan{}
	for _, d := range tree.Devices {
		one := c.by[d.Name]
		switch {
		case have[d] != nil || len(d.Files) == 0:
		case one == nil:
			s.Reports.Missing = append(s.Reports.Missing, d)
		default:
			filed.Devices = append(filed.Devices, deploy.CompareFiled(d, filedOf(one)))
		}
	}
	filed.Accept(time.Now())
	found.Plan.Over = filed.Over
	for _, d := range filed.Devices {
		found.Devices = append(found.Devices, &rollout.Health{Drift: d})
	}
	sort.SliceStable(found.Devices, func(i, k int) bool {
		return nodeset.Compare(found.Devices[i].Drift.Device.Name, found.Devices[k].Drift.Device.Name) < 0
	})
	found.Plan.Devices = nil
	for _, h := range found.Devices {
		found.Plan.Devices = append(found.Plan.Devices, h.Drift)
	}
	c.unread()
	c.diagnose(tree, found)
	settings := func(d *ir.Device) (*ir.Settings, string) {
		if one := c.by[d.Name]; one != nil {
			return one.Read, one.Doubt()
		}
		return nil, ""
	}
	readers := devicefiles.Readers{Forwarding: targets.ReadForwarding, Settings: settings, Counters: targets.ReadCounters}
	answers := s.Files.Seen(f.Fabric, s.Files.Of(f.Fabric), readers)
	s.Claims = claimed.Compare(f.Fabric, f.Proofs, answers, budget)
	judged.Diags = append(judged.Diags, s.Claims.Findings...)
	judged.Diags.Sort()
	return found, judged, nil
}

// filedOf converts a comparison of targets into the types of a plan.
func filedOf(c *targets.Compared) *deploy.Filed {
	out := &deploy.Filed{Names: c.Files, Is: c.Read, Meant: c.Meant, Missing: c.Missing, Cut: !c.Whole, Linted: c.Linted}
	for i := range c.Values {
		v := c.Values[i]
		turned := *v.Of
		turned.A, turned.B = v.Read, v.Wanted
		out.Values = append(out.Values, deploy.FiledValue{Difference: &turned, Name: v.Name, At: v.At})
	}
	for _, n := range c.Not {
		out.Rows = append(out.Rows, report.Place(n.At)+": "+strings.TrimSuffix(n.Why, "."))
	}
	if len(c.Unlike) > 0 {
		out.Wrong = []string{"The files of " + c.Device.Name + " state " + diag.And(c.Unlike) + "."}
	}
	return out
}

// comparison makes the diagnostics of a comparison.
type comparison struct {
	sources *Sources
	by      map[string]*targets.Compared // by device
	report  *report.Report
}

// unread records the files that no rule has judged, and the devices that have only such files.
func (c *comparison) unread() {
	r := &c.sources.Reports
	of := map[string]string{}
	for _, f := range c.report.Files {
		if f.Why == "" {
			continue
		}
		r.Not = append(r.Not, view.NotJudged{File: f.Name, Why: f.Why})
		if name := path.Base(f.Device); of[name] == "" {
			of[name] = f.Why
		}
	}
	r.Why = map[string]string{}
	for _, d := range r.Missing {
		if why := of[d.Name]; why != "" {
			r.Why[d.Name] = why
		}
	}
}

// diagnose completes the report with a diagnostic for each value that differs, and one for the devices without a file. It leaves out
// findings in files of other devices of the fabric.
func (c *comparison) diagnose(tree *target.Tree, found *rollout.Verification) {
	in := map[string]bool{}
	for _, d := range tree.Devices {
		in[d.Name] = true
	}
	left, asked := map[string]bool{}, map[string]bool{} // files only of other devices, and files of these devices
	for name, one := range c.by {
		for _, file := range one.Files {
			left[file] = !in[name] && !asked[file]
			asked[file] = asked[file] || in[name]
		}
	}
	ds := slices.DeleteFunc(c.report.Diags, func(d *diag.Diagnostic) bool {
		return left[d.At.Filename] || d.Code == targets.WithoutFile.Code && d.Severity == diag.Notice || besideOthers(d)
	})
	for _, h := range found.Devices {
		switch d := h.Drift; {
		case d.Filed != nil && d.Err == nil:
			c.values(&ds, h)
		case d.Filed == nil && !h.Sound() && !h.Other(): // by its report
			at := diag.Range{Filename: diag.Escape(c.sources.of[d.Device.Name])}
			at.Start.Line, at.Start.Column, at.End.Line, at.End.Column = 1, 1, 1, 1
			targets.Differs.Errorf(&ds, at, "By its report, %s is not as written. The text of verify has each setting that differs.",
				d.Device.Name)
		}
	}
	if missing := c.sources.Reports.Missing; len(missing) > 0 {
		var names []string
		for _, d := range missing {
			names = append(names, d.Name)
		}
		const room = 200
		targets.WithoutFile.Errorf(&ds, missing[0].At, "No file states the settings of %s of the fabric: %s.", diag.Count(len(names), "device"),
			nodeset.Text(names, nodeset.Devices, room))
	}
	ds.Sort()
	c.report.Judged = &judge.Judged{Source: c.report.Source, Diags: ds}
}

// besideOthers reports whether a finding compares devices with each other. Verify compares each device with the fabric instead.
func besideOthers(d *diag.Diagnostic) bool {
	return slices.ContainsFunc(targets.SeveralRules(), func(t diag.Topic) bool { return t.Code == d.Code })
}

// values reports the values of a device that differ: as errors if the device is not sound, as warnings if it is, and as notes if the
// fabric accepts all of them.
func (c *comparison) values(ds *diag.List, h *rollout.Health) {
	d := h.Drift
	one := c.by[d.Device.Name]
	severity, verdict := diag.Error, ""
	switch why := d.Unsound(); {
	case h.Other() && d.Whole:
		severity, verdict = diag.Notice, " The fabric accepts it."
	case h.Other():
		severity, verdict = diag.Warning, " The device is sound."
	case d.Status == deploy.StatusChange && why != "":
		verdict = " The device is not sound."
	}
	add := map[diag.Severity]func(*diag.List, diag.Range, string, ...any) *diag.Diagnostic{
		diag.Error: targets.Differs.Errorf, diag.Warning: targets.Differs.Warnf, diag.Notice: targets.Differs.Noticef,
	}[severity]
	for i := range d.Filed.Values {
		v := &d.Filed.Values[i]
		if one.Told[v.Field] && severity == diag.Error { // another finding names the port and the class
			continue
		}
		at := v.At
		if at.Filename == "" {
			at = one.Top
		}
		add(ds, at, "On %s, %s.%s", d.Device.Name, diag.Escape(v.Text()), verdict)
	}
	if rest := d.Filed.Rest(); rest != "" {
		add(ds, one.Top, "The files of %s do not show all that rocec writes: %s.", d.Device.Name, diag.Escape(rest))
	}
}
