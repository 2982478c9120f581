package changes

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
)

// acceptedBy maps a field to the word of an accept block that accepts a difference; other fields are never accepted.
var acceptedBy = map[ir.Field]string{
	ir.FieldDefaultCos: "maps", ir.FieldShaper: "shaper", ir.FieldWatchdog: "watchdog", ir.FieldCable: "headroom",
	ir.FieldBuffer: "headroom", ir.FieldXoff: "headroom", ir.FieldXon: "headroom", ir.FieldHeadroom: "headroom",
	ir.FieldGroupLimit: "limits", ir.FieldGroupPool: "limits", ir.FieldStrict: "shares", ir.FieldShare: "shares",
	ir.FieldMinRate: "shares", ir.FieldMaxRate: "shares", ir.FieldMarking: "marking", ir.FieldUnmarkable: "marking", ir.FieldDrop: "marking",
	ir.FieldQueueLimit: "limits", ir.FieldQueuePool: "limits", ir.FieldPool: "limits",
}

// acceptable returns the words of the language for values that may differ.
func acceptable(t *testing.T) []string {
	t.Helper()
	for _, block := range lang.Blocks() {
		if block.Path == "accept" {
			return strings.Split(strings.Trim(strings.TrimPrefix(block.Attrs[0].Type, "list of "), `"`), `", "`)
		}
	}
	require.Fail(t, "there is no such block")
	return nil
}

// mild contains, by the number of the spelling, changes of accepted values that no rule reports as an error. For these values, the changes
// in tamperings are errors.
var mild = map[int]map[string][]string{
	1: {"limits": {"ALPHA_1\n", "ALPHA_2\n"}},
	3: {"headroom": {"BUFFER_PG|Ethernet0|3 profile \"pg_lossless_100000_5m_profile\"", "BUFFER_PG|Ethernet0|3 profile \"P\"\n" +
		"BUFFER_PROFILE|P pool \"ingress_lossless_pool\"\nBUFFER_PROFILE|P size \"59392\"\nBUFFER_PROFILE|P xoff \"39936\"\n" +
		"BUFFER_PROFILE|P xon \"19456\"\nBUFFER_PROFILE|P dynamic_th \"0\""}},
}

var lastDay = time.Date(2026, 11, 29, 23, 59, 0, 0, time.UTC)

// accepting plans and verifies the switch like judged, at a time, for a fabric that accepts values until lastDay.
func (w *written) accepting(runs int, files [][]byte, now time.Time, names ...string) (*rollout.Health, *deploy.Plan) {
	d := w.tree.Devices[0].Source
	d.Fabric.Accepts = []*ir.Accept{{Devices: []*ir.Device{d}, Differs: names, Reason: "ticket 4711", By: "ann", Until: "2026-11-29"}}
	h := w.judged(runs, files)
	plan := &deploy.Plan{Devices: []*deploy.DevicePlan{h.Drift}}
	plan.Accept(now)
	return h, plan
}

// TestAccepted: a different value on a switch that rocec has written is accepted only by its own word of an accept block. PFC, link pause,
// trust, queues, groups and the maps of claimed values are never accepted.
func TestAccepted(t *testing.T) {
	words := map[string]bool{"trust": true} // trust accepts only unneeded trust, which does not occur here
	for _, word := range acceptedBy {
		words[word] = true
	}
	require.Equal(t, slices.Sorted(maps.Keys(words)), acceptable(t))
	for i, s := range spellings {
		w, taken := writtenBy(t, s.hcl), map[string]bool{}
		for _, c := range tamperings {
			change := c.by[i]
			files, ok := w.with(change...)
			word := acceptedBy[c.field]
			d := w.judged(1, files).Drift
			byRules := slices.ContainsFunc(d.Watched, func(w deploy.Watched) bool { return w.Name == "rules" })
			if len(change) == 1 || !ok || d.Status != deploy.StatusChange && (word == "" || d.Status != deploy.StatusSame || !byRules) {
				continue // the change is refused, or has another kind of finding
			}
			t.Run(s.name+" "+c.field.String(), func(t *testing.T) {
				unclaimed := c.field == ir.FieldPCP && s.name == "nvue"
				others := slices.DeleteFunc(acceptable(t), func(name string) bool { return name == word || unclaimed && name == "maps" })
				h, _ := w.accepting(1, files, lastDay, others...)
				assert.False(t, h.Drift.Whole, "%v", h.Drift.Accepted)
				assert.False(t, h.Other())
				if word == "" {
					return
				}
				if !w.takes(t, files, word) {
					h, _ := w.accepting(0, files, lastDay, word)
					assert.False(t, h.Sound())
					if h.Drift.Status == deploy.StatusChange {
						assert.Contains(t, h.Drift.Unsound(), "[conf-", "a rule reports an error")
					}
					return
				}
				taken[word] = true
				w.over(t, files, word)
			})
		}
		for word, change := range mild[i] {
			files, ok := w.with(change...)
			require.True(t, ok, "%s has no %q", s.name, change)
			taken[word] = w.takes(t, files, word)
		}
		for _, c := range tamperings {
			if word := acceptedBy[c.field]; word != "" && len(c.by[i]) > 1 {
				assert.True(t, taken[word], "%s: nothing was accepted by %s", s.name, word)
			}
		}
	}
}

// takes lets an accept block accept a different value, and reports whether the whole difference is accepted.
func (w *written) takes(t *testing.T, files [][]byte, word string) bool {
	t.Helper()
	h, plan := w.accepting(1, files, lastDay, word)
	require.False(t, h.Sound())
	require.Equal(t, h.Drift.Whole, h.Other())
	was := h.Drift.Status
	plan.LeaveAccepted()
	require.Equal(t, h.Drift.Whole || was == deploy.StatusSame, plan.Empty())
	if !h.Drift.Whole {
		return false
	}
	require.Len(t, h.Drift.Accepted, 1)
	require.NotEmpty(t, h.Drift.Accepted[0].Values())
	assert.Equal(t, 1, plan.Summary().Accepted)
	assert.Zero(t, plan.Summary().Same)
	assert.Same(t, h.Drift.Old, h.Drift.New)
	return true
}

// over checks the switch after the last day of the accept block.
func (w *written) over(t *testing.T, files [][]byte, word string) {
	t.Helper()
	h, plan := w.accepting(1, files, lastDay.Add(time.Minute), word)
	was := h.Drift.Status
	plan.LeaveAccepted()
	assert.False(t, h.Other(), "it is over")
	assert.False(t, h.Sound())
	assert.Empty(t, h.Drift.Accepted)
	assert.Equal(t, was == deploy.StatusSame, plan.Empty())
}

// TestAcceptedAndMore: a switch with more differences than the accepted ones is planned whole, and the plan names the accepted ones. One
// that rocec has never written is sound if the rest is.
func TestAcceptedAndMore(t *testing.T) {
	w := writtenBy(t, spellings[0].hcl)
	files, ok := w.with("port_buffer_bytes = 126000", "port_buffer_bytes = 100000", "service.weight = 16", "service.weight = 32")
	require.True(t, ok)
	h, plan := w.accepting(1, files, lastDay, "headroom")
	assert.False(t, h.Other(), "the share is drift")
	plan.LeaveAccepted()
	assert.False(t, plan.Empty())
	assert.Zero(t, plan.Summary().Accepted)
	var texts []string
	for _, a := range h.Drift.Accepted {
		texts = append(texts, a.Text())
	}
	assert.Equal(t, []string{"buffer and headroom, by ann until 2026-11-29: ticket 4711"}, texts)

	h, _ = w.accepting(0, files, lastDay, "headroom")
	assert.True(t, h.Other(), "others wrote it, and the rest is sound: %s", h.Drift.Unsound())
	h, _ = w.accepting(0, files, lastDay, "shares")
	assert.Equal(t, "At swp1, headroom is 82,000 B, and not 108,000 B.", h.Drift.Unsound())
	assert.False(t, h.Other())

	unclaimed := []string{"cos_5.priority_source.dscp = [40,", "cos_5.priority_source.dscp = [", "dscp = [8", "dscp = [40,8"}
	files, ok = w.with(unclaimed...)
	require.True(t, ok)
	h, _ = w.accepting(1, files, lastDay, "maps")
	assert.True(t, h.Other())
	files, ok = w.with(append(unclaimed, tamperings[1].by[0][:2]...)...)
	require.True(t, ok)
	h, _ = w.accepting(1, files, lastDay, acceptable(t)...)
	assert.False(t, h.Other(), "DSCP 26 is claimed")
}

// An apply of a saved plan does not change a device that the plan left unchanged.
func TestAcceptedInASavedPlan(t *testing.T) {
	w := writtenBy(t, spellings[0].hcl)
	files, ok := w.with("port_buffer_bytes = 126000", "port_buffer_bytes = 100000")
	require.True(t, ok)
	_, plan := w.accepting(1, files, lastDay, "headroom")
	plan.LeaveAccepted()
	plan.Devices[0].HostKey = "SHA256:x"
	saved := &deploy.Saved{Devices: []deploy.SavedDevice{{Name: "tor", Status: deploy.StatusSame, HostKey: "SHA256:x"}}}
	for _, f := range plan.Devices[0].Files {
		saved.Devices[0].Files = append(saved.Devices[0].Files, deploy.SavedFile(f))
	}
	require.NoError(t, plan.Matches(saved))
	_, plan = w.accepting(1, files, lastDay.Add(time.Hour), "headroom")
	plan.Devices[0].HostKey = "SHA256:x"
	require.ErrorContains(t, plan.Matches(saved), "an accept block of the fabric left it as it is then, and is over now")
}

func TestAcceptOver(t *testing.T) {
	w := writtenBy(t, spellings[0].hcl)
	_, plan := w.accepting(1, w.files, lastDay, "headroom")
	require.Empty(t, plan.Over)
	_, plan = w.accepting(1, w.files, lastDay.Add(time.Minute), "headroom")
	require.Len(t, plan.Over, 1)
	require.Equal(t, diag.Notice, plan.Over[0].Severity)
	require.Equal(t, "accept-over", plan.Over[0].Code)
	require.Contains(t, plan.Over[0].Detail, "until 2026-11-29")
}

// A device that is skipped because only rocec changed keeps its accepted values, and the warning does not return.
func TestAcceptedOfADeviceThatIsLeft(t *testing.T) {
	w := writtenBy(t, spellings[0].hcl)
	files, ok := w.with("port_buffer_bytes = 126000", "port_buffer_bytes = 150000", "",
		"shaping.port_group_list = [s]\nshaping.s.port_set = swp1\nshaping.s.port.shaper = 900000\n")
	require.True(t, ok)
	for name, quiet := range map[string]bool{"shaper": true, "watchdog": false} {
		h, plan := w.accepting(1, files, lastDay, name)
		h.Drift.Writers = []string{"0.1"}
		plan.LeaveDerived("0.2")
		require.Equal(t, "0.1", h.Drift.Left)
		require.Equal(t, quiet, h.Drift.Quiet(), name)
	}
}
