package deploy

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// rocec is the only cause of a change if a kept run of another version has written exactly this content for exactly this intent. An
// unknown writer counts as another cause.
func TestCause(t *testing.T) {
	holds := Holds([]FileState{{"/etc/a", "0", "1"}, {"nic/x", "0", "2"}})
	note := func(tool, intent, holds string) Note { return Note{tool, intent, holds} }
	for name, c := range map[string]struct {
		notes  []Note
		base   string
		action Action
		want   string
	}{
		"another version":            {[]Note{note("0.11", "", holds)}, "1", Update, "0.11"},
		"the last of two":            {[]Note{note("0.10", "", holds), note("0.11", "", holds)}, "1", Update, "0.11"},
		"this version too":           {[]Note{note("0.11", "", holds), note("0.12", "", holds)}, "1", Update, ""},
		"other content now":          {[]Note{note("0.11", "", holds)}, "9", Update, ""},
		"another intent":             {[]Note{note("0.11", "before", holds)}, "1", Update, ""},
		"no note":                    {nil, "1", Update, ""},
		"content that is not in use": {[]Note{note("0.11", "", holds)}, "1", Activate, ""},
	} {
		d := &DevicePlan{
			Device: &target.Device{Name: "d"}, Status: StatusChange, Disrupts: []string{"x"},
			Files: []FileState{{"/etc/a", c.base, "3"}, {"nic/x", "2", "2"}}, Changes: []*Change{{Action: c.action}},
		}
		d.Writers, d.AsLeft = writers(d, c.notes)
		assert.Equal(t, len(c.notes) > 0 && c.base == "1", d.AsLeft, name)
		assert.Equal(t, c.want, d.Cause("0.12"), name)
		p := &Plan{Devices: []*DevicePlan{d}}
		p.LeaveDerived("0.12")
		assert.Equal(t, c.want != "", p.Empty(), name)
		assert.Equal(t, c.want, d.Left, name)
		assert.Equal(t, c.want == "", len(d.Disrupts) > 0, name)
	}
}

// TestWritersOfALiveState records a live state in the spelling of Edit, and reads it in another spelling.
func TestWritersOfALiveState(t *testing.T) {
	lower := func(content []byte) []byte { return bytes.ToLower(content) }
	d := &DevicePlan{
		Device:  &target.Device{Name: "d"},
		Files:   []FileState{{"live", Sum([]byte("A: 1")), Sum([]byte("a: 2"))}},
		Changes: []*Change{{FileState: FileState{Path: "live"}, Before: []byte("A: 1"), File: &target.File{Canonical: lower}}},
	}
	note := func(content string) []Note {
		return []Note{{Tool: "0.11", Holds: Holds([]FileState{{"live", "", Sum([]byte(content))}})}}
	}
	by, left := writers(d, note("a: 1"))
	assert.True(t, left)
	assert.Equal(t, []string{"0.11"}, by)
	_, left = writers(d, note("a: 3"))
	assert.False(t, left)
}

// TestSince: a device that differs counts as changed since its last kept run, unless a run wrote its content.
func TestSince(t *testing.T) {
	kept := []RunMark{
		{Run: "20261101t000000z-aaaa", Mark: txn.Confirmed},
		{Run: "20261103t000000z-bbbb", Mark: txn.Undone},
		{Run: "20261102t000000z-cccc", Mark: txn.Confirmed},
	}
	d := &DevicePlan{Status: StatusChange, Count: 3, Over: kept}
	since := func() []any {
		run, touched := d.Since()
		return []any{run, touched}
	}
	assert.Equal(t, []any{"20261102t000000z-cccc", true}, since())
	d.AsLeft = true
	assert.Equal(t, []any{"20261102t000000z-cccc", false}, since())
	d.Over = kept[1:2]
	assert.Equal(t, []any{"", false}, since(), "it kept none")
	d.Over, d.Count = kept, 0
	assert.Equal(t, []any{"", false}, since(), "rocec has written nothing there")
	d.Count, d.Status = 3, StatusSame
	assert.Equal(t, []any{"", false}, since())
}
