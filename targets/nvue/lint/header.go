package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/targets/cumulus/hardware"
	"github.com/rocec/rocec/targets/nvue/grammar"
)

// header compares the release of the file with the model in its header. It reports nothing for an unknown model.
func (j *judge) header() {
	if j.model == nil {
		return
	}
	spoken := func(r grammar.Release) string {
		return strings.TrimSuffix(fmt.Sprintf("%d.%d.%d", r[0], r[1], r[2]), ".0")
	}
	hw, why := hardware.Models[j.model.Name], ""
	switch {
	case j.model.ASIC.Vendor != platform.Mellanox:
		why = "Releases from 4.4 on run on Spectrum chips only, and its is " + j.model.ASIC.Title
	case j.release.Compare(hw.Since) < 0:
		why = "The first release for it is " + spoken(hw.Since)
	case slices.Equal(j.release[:2], hw.Not[:2]):
		why = fmt.Sprintf("Release %d.%d does not run on it", hw.Not[0], hw.Not[1])
	default:
		return
	}
	j.warnf(&topicModel, j.modelAt, "The header names the model %s and Cumulus Linux %s. %s. One of the two is wrong, or the file is "+
		"of another switch: compare with nv show system, and copy the file again.", j.model.Title, spoken(j.release), why)
}
