package fromfiles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// readReports reads the reports of the hosts of a tree.
func (s *Sources) readReports(ctx context.Context, tree *target.Tree) (map[*target.Device]*deploy.Have, error) {
	have := map[*target.Device]*deploy.Have{}
	by := map[string]*deploy.Have{} // boot ids
	in := map[*target.Device]string{}
	for _, folder := range s.folders {
		root, err := os.OpenRoot(folder)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		for _, d := range tree.Devices {
			if d.Role != target.Host || ctx.Err() != nil {
				continue
			}
			report, err := s.readReport(root, d)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				continue
			case in[d] != "":
				err = fmt.Errorf("%s and %s have one each", in[d], folder)
			}
			in[d], s.of[d.Name] = folder, path.Join(filepath.ToSlash(folder), d.Name+".json")
			if err != nil {
				have[d] = deploy.Misreported(d, err)
				continue
			}
			h := deploy.Reported(d, report)
			if first := by[h.Boot]; first != nil && h.Boot != "" {
				one := first.Device
				have[one] = deploy.Misreported(one, fmt.Errorf("it has the boot id of that of %s, so one is a copy", d.Name))
				h = deploy.Misreported(d, fmt.Errorf("it has the boot id of that of %s, so one is a copy", one.Name))
			} else {
				by[h.Boot] = h
			}
			have[d] = h
		}
	}
	return have, nil
}

// readReport reads the report of a host, and checks that it is from that host.
func (s *Sources) readReport(root *os.Root, d *target.Device) (*target.Report, error) {
	name := d.Name + ".json"
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe could block
		return nil, fmt.Errorf("%s is not a file", name)
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, target.MostReport+1))
	if err != nil {
		return nil, err
	}
	if s.isRead(filepath.Join(root.Name(), name)) { // it is a configuration that is named after its device
		return nil, fs.ErrNotExist
	}
	s.Reports.Age[d.Name] = time.Since(info.ModTime())
	report, err := target.ParseReport(data)
	if err != nil {
		return nil, err
	}
	short, _, _ := strings.Cut(report.Host, ".")
	if !slices.Contains([]string{report.Host, short}, d.Name) && (report.Host == "" || report.Host != d.Login.Address) {
		return nil, fmt.Errorf("it is from a host called %q", diag.Cut(report.Host))
	}
	return report, nil
}
