package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// Verify --from judges hosts by what they say of themselves, without a login: by files that each host's script wrote.

// hostReports is a folder of them.
type hostReports struct{ view.Reports }

// verifyFrom is verify for the hosts of a fabric, those that --target names.
func (a *app) verifyFrom(ctx context.Context, dir string, o verifyOptions) error {
	f, err := a.LoadGood(dir)
	if err != nil {
		return err
	}
	tree, err := session.SelectDevices(f.Tree(), o.only)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(o.from)
	if err != nil {
		return exit.Fail(exit.Usage, "%v", err)
	}
	defer root.Close()
	r := &hostReports{view.Reports{Folder: o.from, Age: map[string]time.Duration{}}}
	hosts, have := r.read(ctx, root, tree)
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted")
	}
	if len(hosts.Devices)+len(r.Missing) == 0 {
		return exit.Fail(exit.Usage, "--from reads what hosts say of themselves, and there is no host among these devices")
	}
	found := &rollout.Verification{Plan: deploy.Diff(hosts, have)}
	for i, h := range have.Devices {
		found.Devices = append(found.Devices, &rollout.Health{Drift: found.Plan.Devices[i], Probes: h.Probes})
	}
	return a.verified(dir, f, verifyFound{found, nil, &r.Reports, nil}, o)
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
			r.Missing = append(r.Missing, d)
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
	r.Age[d.Name] = time.Since(info.ModTime())
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
