package targets

import (
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// releaseRow returns the row whose devices state their release in a file of this name; nil: no row has such a file.
func releaseRow(f lint.File) *target.Target {
	for _, row := range All {
		if f.Why == "" && row.ReleaseFile != "" && lint.Named(f.Name, row.ReleaseFile) {
			return row
		}
	}
	return nil
}
