package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// Verify --from judges hosts by what they say of themselves, without a login: by files that each host's script wrote.

// hostReports is a folder of them.
type hostReports struct {
	folder  string
	missing []*target.Device         // hosts without one
	age     map[string]time.Duration // since the file of a host was written, by name
}

// verifyFrom is verify for the hosts of a fabric, those that --target names.
func (a *app) verifyFrom(ctx context.Context, dir string, o verifyOptions) error {
	f, err := a.loadGood(dir)
	if err != nil {
		return err
	}
	tree, err := selectDevices(f.Tree(), o.only)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(o.from)
	if err != nil {
		return exit.Fail(exit.Usage, "%v", err)
	}
	defer root.Close()
	r := &hostReports{folder: o.from, age: map[string]time.Duration{}}
	hosts, have := r.read(ctx, root, tree)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted")
	}
	if len(hosts.Devices)+len(r.missing) == 0 {
		return exit.Fail(exit.Usage, "--from reads what hosts say of themselves, and there is no host among these devices")
	}
	found := &rollout.Verification{Plan: deploy.Diff(hosts, have)}
	for i, h := range have.Devices {
		found.Devices = append(found.Devices, &rollout.Health{Drift: found.Plan.Devices[i], Probes: h.Probes})
	}
	return a.verified(dir, f, verifyFound{found, nil, r, nil}, o)
}

// read takes the hosts of a tree that have a report, and what it says.
func (r *hostReports) read(ctx context.Context, root *os.Root, tree *target.Tree) (*target.Tree, *deploy.Observed) {
	hosts, have := &target.Tree{}, &deploy.Observed{}
	by := map[string]int{} // boot ids
	for _, d := range tree.Devices {
		if d.Role != target.Host {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		report, err := r.readOne(root, d)
		if errors.Is(err, fs.ErrNotExist) {
			r.missing = append(r.missing, d)
			continue
		}
		hosts.Devices = append(hosts.Devices, d)
		if err != nil {
			have.Devices = append(have.Devices, deploy.Misreported(d, err))
			continue
		}
		h := deploy.Reported(d, report)
		if first, twice := by[h.Boot]; twice && h.Boot != "" {
			one := have.Devices[first]
			have.Devices[first] = deploy.Misreported(one.Device, fmt.Errorf("it has the boot id of that of %s, so one is a copy", d.Name))
			h = deploy.Misreported(d, fmt.Errorf("it has the boot id of that of %s, so one is a copy", one.Device.Name))
		} else {
			by[h.Boot] = len(have.Devices)
		}
		have.Devices = append(have.Devices, h)
	}
	return hosts, have
}

// readOne reads the report of a host, which must be of that host.
func (r *hostReports) readOne(root *os.Root, d *target.Device) (*target.Report, error) {
	name := d.Name + ".json"
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // to open a pipe would wait for ever
		return nil, fmt.Errorf("%s is not a file", name)
	}
	r.age[d.Name] = time.Since(info.ModTime())
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, target.MostReport+1))
	if err != nil {
		return nil, err
	}
	report, err := target.ParseReport(data)
	if err != nil {
		return nil, err
	}
	short, _, _ := strings.Cut(report.Host, ".")
	if !slices.Contains([]string{report.Host, short}, d.Name) && (report.Host == "" || report.Host != d.Login.Address) {
		return nil, fmt.Errorf("it is of a host called %q", diag.Cut(report.Host))
	}
	return report, nil
}

// add puts the hosts without a report into the document, in order of names.
func (doc *verifyDocument) add(r *hostReports) {
	doc.Summary[verifyUnknown] = len(r.missing)
	for _, d := range r.missing {
		v := verifyDevice{
			Name: d.Name, Status: verifyUnknown, Reason: fmt.Sprintf("There is no report %s.json in %s.", d.Name, r.folder),
			Changes: []planChange{}, Findings: []verifyFinding{}, Hints: []verifyFinding{}, Rose: []deploy.Rise{}, Facts: []verifyFact{},
		}
		if d.Source.Maintenance != "" {
			doc.Summary[verifyUnknown]--
			doc.Summary[string(deploy.StatusPending)]++
			v.Status, v.Reason = string(deploy.StatusPending), "under maintenance: "+d.Source.Maintenance
		}
		doc.Devices = append(doc.Devices, v)
	}
	slices.SortFunc(doc.Devices, func(a, b verifyDevice) int { return nodeset.Compare(a.Name, b.Name) })
}

// seconds is the age of a host's report; nil: it has none.
func (r *hostReports) seconds(host string) *int64 {
	if r == nil {
		return nil
	}
	age, is := r.age[host]
	if !is {
		return nil
	}
	s := int64(max(age, 0).Seconds())
	return &s
}

// text names the hosts without a report, and says how old the others are.
func (r *hostReports) text(v *planView, doc verifyDocument) {
	if len(r.missing) > 0 {
		names := make([]string, len(r.missing))
		for i, d := range r.missing {
			names[i] = d.Name
		}
		v.prose(v.paint(diag.Red, verifyUnknown+":")+" ", fmt.Sprintf("%s (no report in %s)", nodeset.Text(names, nodeset.Devices, math.MaxInt),
			diag.Escape(r.folder)))
	}
	var order []string
	of := map[string][]string{}
	for _, d := range doc.Devices {
		if d.Age == nil {
			continue
		}
		text := ageText(time.Duration(*d.Age) * time.Second)
		if of[text] == nil {
			order = append(order, text)
		}
		of[text] = append(of[text], d.Name)
	}
	for _, text := range order {
		v.prose("Reports: ", fmt.Sprintf("%s, by the time of the file, of %s.", text, nodeset.Text(of[text], nodeset.Devices, math.MaxInt)))
	}
	v.prose("", "Not in reports, and so not judged: links, counters, and the switches.")
}

// ageText says roughly how old something is.
func ageText(age time.Duration) string {
	switch {
	case age < time.Hour:
		return "less than an hour old"
	case age < 48*time.Hour:
		return diag.Count(int(age.Hours()), "hour") + " old"
	}
	return diag.Count(int(age.Hours()/24), "day") + " old"
}
