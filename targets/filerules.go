package targets

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/settings"
)

// rules runs the rules for all systems on the settings of a device that some of its files state, in addition to the linters. They skip
// files that no linter has judged.
func rules(j *judging, d *device, of []int, row *target.Target, read *target.Understood) {
	judged := slices.ContainsFunc(of, func(i int) bool { return (j.taken[i].Why == "" || j.taken[i].Part) && !j.taken[i].Beside })
	if !judged {
		return
	}
	twice := slices.ContainsFunc(of, func(i int) bool { // it is unknown which of two cos a value has
		return slices.ContainsFunc(j.linted[j.files[i].Name], func(d *diag.Diagnostic) bool { return d.Code == "conf-value-twice" })
	})
	var found lint.Findings
	settings.Judge(&settings.Reading{
		Before:   func(code string) string { return formerly(row.Files, code, false) },
		Settings: d.of.Completed(read.Settings), Where: whereOf(d.of, read), At: j.files[of[0]].Top(),
		Arrives: d.of.Arrives(), Unread: !read.Coverage.Whole() || twice,
		Judged: func(code string, sev diag.Severity, file string, line int) bool {
			is := func(d *diag.Diagnostic) bool {
				return d.Code == code && (line == 0 || d.At.Start.Line == line) && d.Severity <= sev // an error replaces a warning
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
	addSwitch(j, of, row, read)
}

// addSwitch records the settings of a switch for the rules that compare several switches. If a device has files of two moments, the stored
// settings are compared. Places need many times the memory of settings, so the files are read again when a place is needed.
func addSwitch(j *judging, of []int, row *target.Target, read *target.Understood) {
	first, s := j.files[of[0]], read.Settings
	r := &settings.Reading{Name: j.taken[of[0]].Device, Pair: read.Pair, Settings: settings.Sample(s), At: first.Top()}
	r.Where = (&again{row: row, files: j.files, of: of}).where
	switch last := len(j.switches) - 1; {
	case last < 0 || j.switches[last].Name != r.Name:
		j.switches = append(j.switches, r)
	case j.switches[last].Settings.Moment != ir.Stored && s.Moment == ir.Stored:
		j.switches[last] = r
	}
}

// compareSwitches runs the rules about several switches.
func compareSwitches(j *judging) {
	var found lint.Findings
	if j.fabric == nil {
		settings.Compare(j.switches, &found)
	} else {
		settings.CompareCabled(j.switches, cables(j), &found)
	}
	j.found = append(j.found, found.Close()...)
}

// SeveralRules are the codes of the rules that compare the switches of several files.
func SeveralRules() []diag.Topic { return settings.SeveralTopics() }

// formerly returns the former code of a linter for findings that now have another code; empty: it has no former code. If merged is set,
// only codes that are no longer reported count.
func formerly(l *lint.Linter, code string, merged bool) string {
	for _, f := range l.Former {
		if f[1] == code && !(merged && isRule(l, f[0])) {
			return f[0]
		}
	}
	return ""
}

// isRule reports whether a linter reports a code.
func isRule(l *lint.Linter, code string) bool {
	return slices.ContainsFunc(l.Rules, func(t diag.Topic) bool { return t.Code == code })
}

// Merged maps each former code of a linter to the codes of rules into which it was merged. A former code stays valid as a name of these
// codes: explain shows their pages, comments that name it silence them, and SARIF lists it.
func Merged() map[string][]string {
	out := map[string][]string{}
	for _, l := range Linters() {
		for _, f := range l.Former {
			if !isRule(l, f[0]) {
				out[f[0]] = append(out[f[0]], f[1])
			}
		}
	}
	return out
}

// knownBefore sets the former codes of findings that linters now report under codes of rules, so that baselines still match them.
func knownBefore(j *judging) {
	of := map[string]*lint.Linter{}
	for _, f := range j.files {
		of[f.Name] = j.linters.Of(f)
	}
	for _, d := range j.found {
		if l := of[d.At.Filename]; l != nil {
			d.Formerly = formerly(l, d.Code, true)
		}
	}
}

// FileTopics returns every code that [JudgeFiles] reports.
func FileTopics() []diag.Topic {
	return slices.Concat(withRules(append(Linters().Topics(), topicMoments)), SeveralRules(), FabricRules())
}

// RulesOf returns the codes of all rules that judge a file, with or without findings.
func RulesOf(f lint.File, is lint.Taken) []diag.Topic {
	var all []diag.Topic
	if !is.Host {
		all = withRules(Linters().Of(f).Rules)
	}
	if is.Fabric {
		all = append(all, FabricRules()...)
	}
	return all
}

// withRules adds the rules for every system. Linters report some of their codes, too.
func withRules(all []diag.Topic) []diag.Topic {
	out := slices.Clone(all)
	for _, t := range settings.Topics() {
		if !slices.ContainsFunc(all, func(have diag.Topic) bool { return have.Code == t.Code }) {
			out = append(out, t)
		}
	}
	return out
}
