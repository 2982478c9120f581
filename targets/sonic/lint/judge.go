package lint

import (
	"fmt"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/read"
	"github.com/rocec/rocec/targets/target/lint"
)

// judge is a configuration that is being checked, with the findings so far.
type judge struct {
	name    string
	file    bool // the text is a file, and not the state of a switch
	running bool // a switch runs the configuration, so rows that its daemons make may be missing
	text    *read.Text
	written *grammar.Config // with the keys of the text
	cfg     *grammar.Config // with one row per port
	release grammar.Release
	lost    map[string]bool // rows that are unreadable because of a slip
	sorted  map[string][]string
	found   lint.Findings
	told    map[string]bool // things that already have a finding
	untyped map[int]bool    // bytes of values that are not text and already have a finding
}

// keys lists the rows of a table in natural order.
func (j *judge) keys(table string) []string {
	keys, known := j.sorted[table]
	if !known {
		if keys = j.cfg.Keys(table); j.sorted == nil {
			j.sorted = map[string][]string{}
		}
		j.sorted[table] = keys
	}
	return keys
}

// once reports whether a thing has no finding yet, and records that it has one now.
func (j *judge) once(of ...any) bool {
	key := fmt.Sprintln(of...)
	before := j.told[key]
	j.told[key] = true
	return !before
}

func (j *judge) errorf(t *diag.Topic, at int, format string, args ...any) *diag.Diagnostic {
	return j.say(t, diag.Error, at, format, args)
}

func (j *judge) warnf(t *diag.Topic, at int, format string, args ...any) *diag.Diagnostic {
	return j.say(t, diag.Warning, at, format, args)
}

// say reports a finding. A finding above the limit of its code is only counted.
func (j *judge) say(t *diag.Topic, sev diag.Severity, at int, format string, args []any) *diag.Diagnostic {
	if j.found.Omit(t) {
		return &diag.Diagnostic{}
	}
	return j.found.Report(sev, t, grammar.Range(j.cfg, j.name, at), "%s", diag.Escape(fmt.Sprintf(format, args...)))
}
