package site

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/targets/deploy"
)

// TestUnsettled: a device that one attempt of a run lost is settled when a later attempt has changed it, and not when the later one left it
// alone or lost it, too.
func TestUnsettled(t *testing.T) {
	t.Parallel()
	log := func(outcomes ...deploy.Outcome) *journal.Log {
		l := &journal.Log{Outcomes: map[string]journal.Outcome{}}
		for i, outcome := range outcomes {
			name := []string{"a1", "a2"}[i]
			l.Devices = append(l.Devices, journal.Device{Name: name})
			if outcome != deploy.Unchanged {
				l.Lines = append(l.Lines, journal.Line{Device: name, Verb: "commit"})
			}
			l.Outcomes[name] = journal.Outcome{Device: name, Outcome: string(outcome)}
		}
		return l
	}
	for _, one := range []struct {
		name string
		logs []*journal.Log
		want []string
	}{
		{"one attempt", []*journal.Log{log(deploy.Unknown, deploy.Applied)}, []string{"a1"}},
		{"a later one changed it", []*journal.Log{log(deploy.Unknown, deploy.Applied), log(deploy.Applied, deploy.Unchanged)}, nil},
		{"a later one restored it", []*journal.Log{log(deploy.Unknown), log(deploy.Restored)}, nil},
		{"a later one lost it, too", []*journal.Log{log(deploy.Unknown), log(deploy.Unknown)}, []string{"a1"}},
		{"a later one left it alone", []*journal.Log{log(deploy.Unconfirmed), log(deploy.Unchanged)}, []string{"a1"}},
	} {
		assert.ElementsMatch(t, one.want, unsettled(one.logs, 0), one.name)
	}
}
