package targets

import "github.com/rocec/rocec/targets/target/lint"

// checked is what linters found in files. Files are judged twice where a fabric is made of them: for the fabric, and beside it.
type checked struct {
	files  []lint.File
	result lint.Result
}

// check has the linters judge files, or takes what the survey of the same files found. A linter judges a file by its release, too. Nothing
// changes a finding of a linter but for the codes that it had, which are the same for both.
func (j *judging) check(files []lint.File) lint.Result {
	if j.made != nil && j.made.Survey != nil && alike(j.made.Survey.checked.files, files) {
		return j.made.Survey.checked.result
	}
	r := j.linters.Check(files)
	j.checked = &checked{files, r}
	return r
}

// alike reports whether files are those of a survey, of the same releases.
func alike(a, b []lint.File) bool {
	for i := range a {
		if i >= len(b) || a[i].Name != b[i].Name || a[i].Release != b[i].Release {
			return false
		}
	}
	return len(a) == len(b)
}
