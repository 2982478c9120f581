package board

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// TestBoard: each outcome and name is printed once: a failure immediately, the rest at the end of the run.
func TestBoard(t *testing.T) {
	var all []*deploy.DevicePlan
	for _, name := range []string{"gpu001", "gpu002", "gpu003", "leaf001", "leaf002", "spine001"} {
		all = append(all, &deploy.DevicePlan{Device: &target.Device{Name: name, Group: strings.TrimRight(name, "0123456789")}})
	}
	o := &deploy.Order{Waves: []*deploy.Wave{
		{Phase: 1, Devices: all[3:4]},
		{Phase: 1, Devices: all[4:5]},
		{Phase: 2, Devices: all[5:6]},
		{Phase: 3, Devices: all[:3], Stream: true},
	}}
	var names []string
	for _, d := range all {
		names = append(names, d.Device.Name)
	}
	b := New(o, names)
	text := func(lines []Line) (out []string) {
		for _, l := range lines {
			out = append(out, l.Text(false))
		}
		return out
	}
	assert.Empty(t, b.Result("leaf001", "applied", true, ""))
	b.Step("leaf002", "soak")
	assert.Equal(t, []string{
		"Applying: 1 of 6 devices",
		"  1-2     leaf[001-002]         1 applied; soak on leaf002",
		"  3       spine001              waits",
		"  4       gpu[001-003]          waits",
	}, b.Table("Applying", 80, 24))
	assert.Equal(t, []string{"  applied     leaf[001-002]"}, text(b.Result("leaf002", "applied", true, "")))
	assert.Equal(t, []string{"  applied     spine001"}, text(b.Result("spine001", "applied", true, "")))
	assert.Empty(t, b.Result("gpu002", "applied", true, ""))
	assert.Equal(t, []string{"  restored    gpu001: it lost a link"}, text(b.Result("gpu001", "restored", false, "it lost a link")))
	assert.Empty(t, b.Result("leaf001", "restored", true, ""), "undo-all adds a second result")
	b.Step("gpu002", "undo")
	assert.Contains(t, b.Table("Applying", 80, 24)[3], "undo on gpu002")
	assert.Equal(t, []string{"  applied     gpu002", "  unfinished  gpu002: it does not answer"},
		text(b.Result("gpu002", "unfinished", false, "it does not answer")), "a log has the first outcome above the second")
	assert.Equal(t, "  4       gpu[001-003]          1 restored; 1 unfinished", b.Table("Applying", 80, 24)[3], "each device's last result")
	for height := range 6 {
		assert.LessOrEqual(t, len(b.Table("Applying", 80, height)), max(height, 1))
	}
	assert.Equal(t, []string{"  restored    leaf001"}, text(b.Rest()))
	assert.Empty(t, b.Rest())
	early := New(o, names)
	var ended []Line
	for _, name := range names {
		ended = append(ended, early.Result(name, "not-started", false, "Nothing was changed.")...)
	}
	assert.Equal(t, []string{"  not-started  gpu[001-003]", "  not-started  leaf[001-002]", "  not-started  spine001"}, text(ended),
		"a run that ends early prints no line for each device")
	assert.False(t, ended[0].Good)
	for _, line := range b.Table("Applying", 29, 24) {
		assert.LessOrEqual(t, len([]rune(line)), 29)
	}
	assert.Equal(t, []string{"Resuming: 0 of 2 devices", "          a[1-2]                waits"},
		New(nil, []string{"a1", "a2"}).Table("Resuming", 80, 24))
}
