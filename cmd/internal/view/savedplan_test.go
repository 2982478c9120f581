package view

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/targets/deploy"
)

// TestSavedPlanOfTeam: who signs a plan of a team sees which waves wait for an approval, under the names that approve --wave takes.
func TestSavedPlanOfTeam(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := &Screen{Raw: &out}
	s.SavedPlan(&deploy.Saved{Meta: deploy.Meta{Terms: &deploy.Terms{
		Name: "prod", Waves: []string{"tor1", "tor2", "b\x1b[2J"}, Shares: []deploy.TermShare{{Site: "dc1", Waves: 1}, {Site: "dc2", Waves: 2}},
		Holds: []deploy.TermHold{{Wave: 2, Approvals: 1, WithinSeconds: 14400}},
	}}})
	assert.Contains(t, out.String(), "wave dc1/1  tor1\nwave dc2/1  tor2\nwave dc2/2  b\\x1b[2J\n"+
		"held        dc2/1 for 1 approval, at most 4h after the wave before it\n")
	out.Reset()
	s.SavedPlan(&deploy.Saved{Meta: deploy.Meta{Terms: &deploy.Terms{Waves: []string{"tor1"}}}})
	assert.Contains(t, out.String(), "wave 1      tor1\n")
	assert.NotContains(t, out.String(), "held")
}
