package session

import (
	"fmt"

	"github.com/rocec/rocec/cmd/internal/report"
)

// OpenSite loads a fabric with a name, and prepares connections to its devices of a site. Close the fleet after use.
func OpenSite(s *Session, dir, fabric, site string, which LabFlag) (*report.Report, *Fleet, error) {
	f, err := s.LoadGood(dir)
	if err != nil {
		return nil, nil, err
	}
	if f.Fabric.Name != fabric {
		return nil, nil, fmt.Errorf("the files have the fabric %q, not %q", f.Fabric.Name, fabric)
	}
	tree, err := ofSite(f, site, nil)
	if err != nil {
		return nil, nil, err
	}
	devices, err := fleetOf(s, dir, f, tree, which)
	return f, devices, err
}
