package view

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/cmd/internal/view/viewtest"
	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

// device is a device of a block that changes.
func changing(name, block string, role target.Role, keys int) *deploy.DevicePlan {
	c := &deploy.Change{FileState: deploy.FileState{Path: "/etc/conf"}, File: &target.File{Keys: func([]byte) []target.Key { return nil }}}
	c.Action = deploy.Update
	for i := range keys {
		c.Keys = append(c.Keys, deploy.KeyChange{Key: fmt.Sprintf("%s.key_%d", block, i), Action: deploy.Create, After: "7"})
	}
	d := &deploy.DevicePlan{
		Device: &target.Device{Name: name, Group: block, About: "An Operating System 1.2.3, Chip", Role: role},
		Status: deploy.StatusChange, Changes: []*deploy.Change{c}, Disrupts: []string{"every port of a " + block + " resets"},
	}
	for i := range 9 {
		d.Effects = append(d.Effects, deploy.Effect{All: true, Shift: deploy.Shift{
			Kind: deploy.ValuesMove, Field: ir.FieldDSCP, Of: fmt.Sprintf("DSCP %d", i), After: "strict queue 6",
		}})
	}
	d.Diags = diag.List{{Severity: diag.Notice, Code: "a-note", Detail: "A note about " + block + "."}}
	return d
}

// equal returns a plan of hosts, leaves and spines. The devices of each block change in the same way.
func equal(hosts, leaves, spines int) *deploy.Plan {
	p := &deploy.Plan{}
	for _, b := range []struct {
		name string
		n    int
		role target.Role
	}{{"gpu", hosts, target.Host}, {"leaf", leaves, target.Switch}, {"spine", spines, target.Switch}} {
		for i := range b.n {
			p.Devices = append(p.Devices, changing(fmt.Sprintf("%s%03d", b.name, i+1), b.name, b.role, 40))
		}
	}
	return p
}

func printed(p *deploy.Plan, o Options) string {
	var out bytes.Buffer
	v := NewPlan(NewScreen(&out, 80, false), ".", o)
	v.Next = "rocec apply DIR"
	v.Print(p)
	return out.String()
}

// TestPageOfEqualChanges: a plan with equal changes fits on a page for any number of devices, and ends with its summary and the next
// command.
func TestPageOfEqualChanges(t *testing.T) {
	for _, p := range []*deploy.Plan{equal(8, 4, 2), equal(56, 10, 4), equal(512, 40, 16)} {
		text := printed(p, Options{})
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		assert.LessOrEqual(t, len(lines), Page, text)
		last := lines[len(lines)-5:]
		assert.Equal(t, "Next: rocec apply DIR", last[4])
		assert.True(t, slices.ContainsFunc(last, func(l string) bool { return strings.HasPrefix(l, "Plan: ") }), text)
		assert.Contains(t, text, fmt.Sprintf("Notes: a-note (%d devices); --notes shows them.", len(p.Devices)))
		assert.NotContains(t, text, "A note about")
		viewtest.Fits(t, text, 80)
		for _, width := range []int{80, 120} {
			show := func(color bool) string {
				var out bytes.Buffer
				NewPlan(NewScreen(&out, width, color), ".", Options{}).Print(p)
				return out.String()
			}
			plain := show(false)
			viewtest.Fits(t, plain, width)
			assert.NotEqual(t, plain, show(true))
			assert.Equal(t, plain, regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(show(true), ""), "colour carries no meaning")
		}
		whole := printed(p, Options{Expand: true, Notes: true})
		assert.Contains(t, whole, "A note about spine.")
		assert.NotContains(t, whole, "shows them")
	}
}

// TestFoldsHideNoDanger: no page hides a refusal, a class that stops being lossless, a restart, or a device whose change differs from its
// block. Each fold names the flag that opens it.
func TestFoldsHideNoDanger(t *testing.T) {
	met := map[string]int{}
	check := func(t *rapid.T) {
		p := equal(rapid.IntRange(4, 60).Draw(t, "hosts"), rapid.IntRange(3, 20).Draw(t, "leaves"), rapid.IntRange(3, 8).Draw(t, "spines"))
		var want []string
		strike := func(kind string, do func(d *deploy.DevicePlan)) {
			if !rapid.Bool().Draw(t, kind) {
				return
			}
			met[kind]++
			d := p.Devices[rapid.IntRange(0, len(p.Devices)-1).Draw(t, kind+" at")]
			do(d)
		}
		strike("refused", func(d *deploy.DevicePlan) {
			d.Device.Name = "odd-refused"
			d.Status, d.Err = deploy.StatusRefused, &deploy.Error{Kind: deploy.Unmet, Device: d.Device, Detail: "The reason of a refusal."}
			want = append(want, "odd-refused", "The reason of a refusal.")
		})
		strike("ends", func(d *deploy.DevicePlan) {
			if d.Err != nil {
				return
			}
			ends := deploy.Effect{All: true, Shift: deploy.Shift{
				Kind: deploy.LosslessEnds, Action: deploy.Delete, Field: ir.FieldPauses, Of: "cos 5",
			}}
			d.Effects = slices.Concat([]deploy.Effect{ends}, d.Effects)
			want = append(want, "lossless cos 5 ends on all ports")
		})
		strike("restart", func(d *deploy.DevicePlan) {
			if d.Err != nil {
				return
			}
			d.Disrupts = append(slices.Clone(d.Disrupts), "the switch restarts")
			want = append(want, "disrupts: the switch restarts")
		})
		strike("differs", func(d *deploy.DevicePlan) {
			if d.Err != nil {
				return
			}
			d.Device.Name = "odd-differs"
			d.Changes[0].Keys[7].After = "8"
			want = append(want, "odd-differs")
		})
		text := printed(p, Options{})
		for _, w := range want {
			require.Contains(t, text, w)
		}
		for line := range strings.Lines(text) {
			if strings.Contains(line, "... and ") {
				require.Contains(t, line, "--", "a fold names the flag that opens it")
			}
		}
	}
	rapid.Check(t, check)
	for _, kind := range []string{"refused", "ends", "restart", "differs"} {
		require.NotZero(t, met[kind], kind)
	}
}

// TestKindsOfAChange: if each device of a block changes differently, the block is one group that counts the kinds.
func TestKindsOfAChange(t *testing.T) {
	p := equal(0, 40, 30)
	for i, d := range p.Devices[:40] {
		d.Changes[0].Keys[0].After = fmt.Sprint(i)
	}
	text := printed(p, Options{})
	assert.Contains(t, text, "leaf[001-040]  (40 in 40 kinds of this change; --expand shows them)")
	assert.Contains(t, text, "spine[001-030]  (30 alike)")
	assert.LessOrEqual(t, strings.Count(text, "\n"), Page)
}

// TestPrice: the question before a change repeats restarts, and counts the other disruptions.
func TestPrice(t *testing.T) {
	p := equal(2, 2, 1)
	assert.Equal(t, "It disrupts 2 devices: every port of a gpu resets. It disrupts 2 devices: every port of a leaf resets. "+
		"It disrupts 1 device: every port of a spine resets.", Price(p, nil))
	for i, d := range p.Devices {
		d.Disrupts = []string{fmt.Sprintf("link %d bounces", i)}
	}
	assert.Contains(t, Price(p, nil), "link 2 bounces. 2 disruptions more, as above.")
	for _, d := range p.Devices {
		d.Disrupts = nil
	}
	assert.Equal(t, "No step interrupts traffic.", Price(p, nil))
}

// TestNextIsWhole: the next command is on one line. A part of a broken command would be a command without its limits.
func TestNextIsWhole(t *testing.T) {
	var out bytes.Buffer
	v := NewPlan(NewScreen(&out, 40, false), ".", Options{})
	v.Next = "rocec apply --var cos=4 --target leaf01 --target leaf02 --target leaf03"
	v.Print(equal(1, 0, 0))
	assert.True(t, strings.HasSuffix(out.String(), "\nNext: "+v.Next+"\n"), out.String())
}

// TestStepsAreCounted: each step states its own price, not the price of the whole change.
func TestStepsAreCounted(t *testing.T) {
	var out bytes.Buffer
	p := equal(1, 0, 0)
	v := NewPlan(NewScreen(&out, 80, false), ".", Options{})
	v.Sequence = &sequence.Sequence{Order: &deploy.Order{}, Steps: make([]change.Phase, 3)}
	v.W, v.Raw = &out, &out
	v.summary(p)
	assert.Contains(t, out.String(), "Disruption of the first of 3 steps: 1 device.\n")
	v.Sequence.Waves = []*change.Wave{{}}
	assert.Contains(t, Price(p, v.Sequence), "This is the first of 3 steps; it takes 1 wave, at most")
}

// TestFoldsHideNoFinding: devices with equal changes may have different files, so the page shows the findings and locks of each.
func TestFoldsHideNoFinding(t *testing.T) {
	p := equal(0, 8, 0)
	placed := diag.Range{Filename: "/etc/x.conf"}
	placed.Start.Line = 365
	p.Devices[5].Found = []*diag.Diagnostic{
		{Severity: diag.Error, Code: "a-rule", Detail: "The switch rejects the file."},
		{Severity: diag.Warning, Code: "b-rule", Detail: "It is odd.", At: placed},
	}
	p.Devices[6].Lock = &deploy.Owner{Txn: "run-1", Who: "ada@host", Mark: txn.Undone}
	text := printed(p, Options{})
	assert.Contains(t, text, "leaf[001-008]  (8 alike)")
	assert.Contains(t, text, "error[a-rule] leaf006: The switch rejects the file.")
	assert.Contains(t, text, "warning[b-rule] leaf006: /etc/x.conf:365: It is odd.")
	assert.Contains(t, text, "note: leaf007: locked by ada@host")
}

// TestManyAway: devices that cannot be reached for the same reason are one group with all names, even if the addresses in the reasons
// differ.
func TestManyAway(t *testing.T) {
	p := equal(56, 10, 4)
	for i, d := range p.Devices {
		if i%3 == 0 {
			d.Status, d.Changes, d.Effects, d.Disrupts = deploy.StatusUnreachable, nil, nil, nil
			d.Err = &deploy.Error{Kind: deploy.Unmet, Device: d.Device, Detail: fmt.Sprintf("dial tcp 10.0.0.%d:%d: connection refused", i, 22+i%2)}
			if i%2 == 0 {
				d.Err.Detail = fmt.Sprintf("dial tcp [fe80::a:%x]:22: connection refused", i)
			}
		}
	}
	text := printed(p, Options{})
	assert.Equal(t, 1, strings.Count(text, "UNREACHABLE"), text)
	assert.Contains(t, text, "UNREACHABLE  (24 devices)")
	assert.Contains(t, strings.Join(strings.Fields(text), ""),
		"gpu[001,004,007,010,013,016,019,022,025,028,031,034,037,040,043,046,049,052,055]")
	assert.Contains(t, text, "(37 alike; --expand names them)")
	assert.LessOrEqual(t, strings.Count(text, "\n"), Page)
}

// TestTableIsEscaped: text from a device is escaped before it reaches a terminal.
func TestTableIsEscaped(t *testing.T) {
	p := equal(4, 0, 0)
	p.Devices[1].Disrupts = []string{"the link of \x1b[2J\nPlan: 0 devices"}
	p.Devices[2].Effects[0].Of = "DSCP 0\x1b[31m\n"
	text := printed(p, Options{})
	assert.NotContains(t, text, "\x1b")
	assert.Equal(t, 1, strings.Count(text, "\nPlan: "))
}
