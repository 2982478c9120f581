package view

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/cmd/internal/view/viewtest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

func TestFoldNumbers(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "1": "1", "24,25,27,28,29": "24-25,27-29", "3,2,1": "3,2,1", "0, 1, 2": "0-2", "a,1,2": "a,1-2",
	} {
		require.Equal(t, want, foldNumbers(strings.Split(in, ",")))
	}
}

// TestFoldKeys: paths with equal changes that differ in one place are folded into one line, each path into exactly one. Another value or
// change is on another line.
func TestFoldKeys(t *testing.T) {
	var keys []deploy.KeyChange
	add := func(a deploy.Action, value string, names ...string) {
		for _, n := range names {
			keys = append(keys, deploy.KeyChange{Key: n, Action: a, After: value})
		}
	}
	add(deploy.Create, "p", "interface.swp1s0.qos.pfc.profile", "interface.swp1s1.qos.pfc.profile")
	add(deploy.Create, "q", "interface.swp3.qos.pfc.profile")
	add(deploy.Create, "p", "interface.swp2s0.qos.pfc.profile", "interface.swp2s1.qos.pfc.profile", "interface.bond0.qos.pfc.profile")
	add(deploy.Delete, "p", "interface.swp4.qos.pfc.profile")
	add(deploy.Create, "4", "dscp.24.switch-priority", "dscp.25.switch-priority", "dscp.27.switch-priority")
	add(deploy.Create, "{}", "qos.'a.1'.x", "qos.'a.2'.x", "qos.trust", "qos.roce")
	var got []string
	for _, k := range foldKeys(keys) {
		got = append(got, string(k.Action.Symbol())+" "+k.Key+" "+k.After)
	}
	assert.Equal(t, []string{
		"+ interface.bond0,swp[1-2]s[0-1].qos.pfc.profile p",
		"+ interface.swp3.qos.pfc.profile q",
		"- interface.swp4.qos.pfc.profile p",
		"+ dscp.24-25,27.switch-priority 4",
		"+ qos.'a.1'.x {}", "+ qos.'a.2'.x {}", "+ qos.trust {}", "+ qos.roce {}",
	}, got)
	assert.Equal(t, "interface.swp1s0.qos.pfc.profile", keys[0].Key, "the plan stays as it is")
}

func TestChangedLines(t *testing.T) {
	for _, c := range []struct {
		before, after  string
		added, removed int
	}{
		{"a\nb\nc\n", "a\nb\nc\n", 0, 0},
		{"- set:\n    x: 1\n+ y\n", "- set:\n    x: 2\n", 1, 2},
		{"", "@@\n++\n", 2, 0},
	} {
		added, removed := changedLines(&deploy.Change{File: &target.File{}, Before: []byte(c.before), After: []byte(c.after)})
		assert.Equal(t, []int{c.added, c.removed}, []int{added, removed}, "%q to %q", c.before, c.after)
	}
}

// TestFit: no word is broken or lost, only a single word may exceed the width, and text that fits does not change.
func TestFit(t *testing.T) {
	assert.Equal(t, []string{"  ~ key   value", "      fabric.hcl:3 a reason"}, Fit("  ~ key   value  fabric.hcl:3 a reason", 30))
	assert.Equal(t, []string{"one two", "    three"}, Fit("one two three", 9))
	assert.Equal(t, []string{"\x1b[31mone two\x1b[0m"}, Fit("\x1b[31mone two\x1b[0m", 7))
	assert.Equal(t, []string{"  ~ key   value", "      a/fabric.hcl:3 a reason"}, Fit("  ~ key   value  a/fabric.hcl:3 a reason", 30))
	for _, path := range []string{"/tmp/x", "./x", "a/x", "'/tmp/a'", `"/tmp/x"`} { // a shell would run a pasted line that begins so
		advice := "if you trust it: chown 0 " + path + " && chmod go-w " + path + ", or rm " + path
		for width := range 60 {
			lines := Fit(advice, width)
			require.Equal(t, strings.Fields(advice), strings.Fields(strings.Join(lines, " ")))
			for _, line := range lines {
				require.False(t, diag.StartsPath(strings.TrimSpace(line)), "%d: %q", width, lines)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z\x{e9}]{1,12}`), 1, 20).Draw(t, "words")
		var line strings.Builder
		line.WriteString(strings.Repeat(" ", rapid.IntRange(0, 12).Draw(t, "indent")) + words[0])
		for _, w := range words[1:] {
			line.WriteString(strings.Repeat(" ", rapid.IntRange(1, 3).Draw(t, "gap")) + w)
		}
		width := rapid.IntRange(1, 60).Draw(t, "width")
		lines := Fit(line.String(), width)
		text := strings.Join(lines, "\n") + "\n"
		viewtest.Fits(t, text, width)
		require.Equal(t, words, strings.Fields(text))
		if Columns(line.String()) <= width {
			require.Equal(t, []string{line.String()}, lines)
		}
	})
}

// largePlan is a plan for 500 switches of four roles and 4,000 hosts with 8 NICs each, of which 568 have no address.
func largePlan() *deploy.Plan {
	p := &deploy.Plan{}
	keys := func(n int, name string) (out []deploy.KeyChange) {
		for i := range n {
			out = append(out, deploy.KeyChange{
				Key: fmt.Sprintf("%s.key_number_%d", name, i), Action: deploy.Create,
				After: strings.Repeat("7,", 40),
			})
		}
		return out
	}
	effects := func(n int) (out []deploy.Effect) {
		for i := range n {
			out = append(out, deploy.Effect{All: true, Shift: deploy.Shift{
				Kind: deploy.ValuesMove, Field: ir.FieldDSCP, Of: fmt.Sprintf("DSCP %d", i), After: "strict queue 6",
			}})
		}
		return out
	}
	file := &target.File{Keys: func([]byte) []target.Key { return nil }}
	change := func(path, name string, n int) *deploy.Change {
		return &deploy.Change{FileState: deploy.FileState{Path: path}, File: file, Action: deploy.Update, Keys: keys(n, name)}
	}
	for i := range 500 {
		role := []string{"leaf", "spine", "core", "border"}[i%4]
		p.Devices = append(p.Devices, &deploy.DevicePlan{
			Device: &target.Device{Name: fmt.Sprintf("%s%04d", role, i/4+1), About: "An Operating System 1.2.3, Chip", Role: target.Switch},
			Status: deploy.StatusChange, Disrupts: []string{"every port resets (restart of the forwarding daemon)"},
			Changes: []*deploy.Change{change("/etc/conf", role, 60)}, Effects: effects(14),
		})
	}
	for i := range 4000 {
		d := &deploy.DevicePlan{
			Device: &target.Device{Name: fmt.Sprintf("gpu%04d", i+1), About: "A NIC", Role: target.Host},
			Status: deploy.StatusChange, Effects: effects(6),
			Disrupts: []string{"the links of ens1f0, ens2f0, ens3f0, ens4f0, ens5f0, ens6f0, ens7f0, ens8f0 bounce, " +
				"one after the other, when the mask changes"},
		}
		if i%7 == 0 && i < 568*7 {
			d.Err = &deploy.Error{
				Kind: deploy.Unreachable, NoAddress: true,
				Detail: fmt.Sprintf("the name %q has no address; give one in the ssh block", d.Device.Name),
			}
			d.Status, d.Effects, d.Disrupts = deploy.StatusUnreachable, nil, nil
			p.Devices = append(p.Devices, d)
			continue
		}
		for nic := range 8 {
			d.Changes = append(d.Changes, change(fmt.Sprintf("/etc/rocec/host/ens%df0.conf", nic+1), "nic", 27))
		}
		p.Devices = append(p.Devices, d)
	}
	return p
}

// TestPlanOfAPage: the plan for 500 switches and 4,000 hosts with 8 NICs each fits on a page of 80 columns. --expand shows every device
// and key in the same width.
func TestPlanOfAPage(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	p := largePlan()
	show := func(width int, o Options) string {
		var out bytes.Buffer
		v := NewPlan(NewScreen(&out, width, false), ".", o)
		v.Fabric = &ir.Fabric{}
		v.Print(p)
		viewtest.Fits(t, out.String(), width)
		return out.String()
	}
	text := show(80, Options{})
	assert.LessOrEqual(t, strings.Count(text, "\n"), Page, text)
	for _, want := range []string{
		"Plan: 3,932 devices to change", "568 unreachable", "leaf[0001-0125]", "border[0001-0125]", "(125 alike)",
		"(3432 alike; --expand names them)",
		"DSCP 0 moves to strict queue 6", "unreachable: no address", "568 devices", "every port resets",
	} {
		assert.Contains(t, text, want)
	}
	for _, width := range []int{40, 132} {
		show(width, Options{})
	}
	p.Devices = append(p.Devices[:30:30], p.Devices[500:510]...)
	whole := show(80, Options{Expand: true})
	for _, want := range []string{"border0007", "core.key_number_59", "ens8f0.conf", "gpu0001"} {
		assert.Contains(t, whole, want)
	}
	assert.NotContains(t, whole, "--expand shows")
}
