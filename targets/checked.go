package targets

import "github.com/rocec/rocec/targets/target/lint"

// Checked is what linters found in files. Files are judged twice where a fabric is made of them: for the fabric, and beside it.
type Checked struct {
	files  []lint.File
	result lint.Result
}

// of returns the result for files that are those of the check, of the same releases: a linter judges a file by its release, too. Nothing
// changes a finding of a linter but for the codes that it had, which are the same for both.
func (c *Checked) of(files []lint.File) (r lint.Result, same bool) {
	if c == nil || len(c.files) != len(files) {
		return r, false
	}
	for i := range files {
		if c.files[i].Name != files[i].Name || c.files[i].Release != files[i].Release {
			return r, false
		}
	}
	return c.result, true
}
