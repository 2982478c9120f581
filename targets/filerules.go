package targets

import (
	"slices"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/settings"
)

// rules has the rules of all systems judge the settings of a device, as some of its files state them, beside the findings of the linters.
// They judge no file that no linter has judged.
func rules(j *judging, of []int, read *target.Understood) {
	judged := slices.ContainsFunc(of, func(i int) bool { return (j.taken[i].Why == "" || j.taken[i].Part) && !j.taken[i].Beside })
	if !judged {
		return
	}
	var found lint.Findings
	settings.Judge(&settings.Reading{
		Settings: read.Settings, Where: read.Where, At: j.files[of[0]].Top(),
		Judged: func(code string, sev diag.Severity, file string, line int) bool {
			is := func(d *diag.Diagnostic) bool {
				return d.Code == code && (line == 0 || d.At.Start.Line == line) ||
					sev != diag.Error && slices.Contains(warnings(code), d.Code) && d.At.Filename == file
			}
			return slices.ContainsFunc(of, func(i int) bool {
				name := j.files[i].Name
				return (line == 0 || name == file) && slices.ContainsFunc(j.linted[name], is)
			})
		},
	}, &found)
	for _, d := range found.Close() {
		j.found = append(j.found, d)
		if d.Severity != diag.Notice {
			j.linted[d.At.Filename] = append(j.linted[d.At.Filename], d)
		}
	}
}

// warnings returns the codes under which linters warn of the same as a rule. Errors of the rule say more.
func warnings(rule string) []string {
	switch rule {
	case settings.Unmarked.Code, settings.RedLossless.Code:
		return []string{"conf-sonic-marking", "conf-nvue-ecn"}
	}
	return nil
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
