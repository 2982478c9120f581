package targets

import "github.com/rocec/rocec/targets/target/lint"

// Checked contains the findings of linters in files. If a fabric is made from files, they are judged twice: to make the fabric, and then
// with it.
type Checked struct {
	files  []lint.File
	result lint.Result
}

// of returns the result for the same files with the same releases, because a linter also depends on the release of a file.
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
