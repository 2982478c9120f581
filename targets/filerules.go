package targets

import (
	"slices"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/settings"
)

// rules has the rules judge the settings of a device, as some of its files state them, beside the findings of the linters. Of files that no
// linter has judged they judge nothing.
func (j *judging) rules(of []int, read *target.Understood) {
	judged := slices.ContainsFunc(of, func(i int) bool { return (j.taken[i].Why == "" || j.taken[i].Part) && !j.taken[i].Beside })
	if !judged {
		return
	}
	var found lint.Findings
	settings.Judge(&settings.Reading{
		Settings: read.Settings, Where: read.Where, At: j.files[of[0]].Top(),
		Judged: func(code, file string, line int) bool {
			is := func(d *diag.Diagnostic) bool { return d.Code == code && (line == 0 || d.At.Start.Line == line) }
			if line > 0 {
				return slices.ContainsFunc(j.linted[file], is)
			}
			return slices.ContainsFunc(of, func(i int) bool { return slices.ContainsFunc(j.linted[j.files[i].Name], is) })
		},
	}, &found)
	for _, d := range found.Close() {
		j.found = append(j.found, d)
		if d.Severity != diag.Notice {
			j.linted[d.At.Filename] = append(j.linted[d.At.Filename], d)
		}
	}
}

// FileTopics returns every code that [JudgeFiles] reports.
func FileTopics() []diag.Topic { return withRules(append(Linters().Topics(), topicMoments)) }

// RulesOf returns the codes of the rules that judge a file, whether they find something or not.
func RulesOf(f lint.File) []diag.Topic { return withRules(Linters().Of(f).Rules) }

// withRules adds the rules that hold for every system. Linters report some of their codes, too.
func withRules(all []diag.Topic) []diag.Topic {
	out := slices.Clone(all)
	for _, t := range settings.Topics() {
		if !slices.ContainsFunc(all, func(have diag.Topic) bool { return have.Code == t.Code }) {
			out = append(out, t)
		}
	}
	return out
}
