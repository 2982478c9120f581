package changes

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab/labtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/judge/judgetest"
	"github.com/rocec/rocec/targets/sonic/sim"
	"github.com/rocec/rocec/targets/target"
)

// sonicScenarios are events on one switch in which SONiC behaves unexpectedly; they return the errors afterwards, or nothing.
var sonicScenarios = map[string]func(t *testing.T, b *sonicBox) string{
	"kept": func(t *testing.T, b *sonicBox) string { // SONiC does not save by itself
		if r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]; r.Outcome != deploy.Applied {
			return string(r.Outcome)
		}
		b.Reboot()
		return changed(b.Plan(t).Status != deploy.StatusSame, "a restart lost it")
	},
	"half way": func(t *testing.T, b *sonicBox) string {
		before := b.holds(t)
		r := labtest.Apply(t, b.Tree, b.Dial, func(*rollout.ApplyOptions) { b.sw.Do(func() { b.sw.Faults.Killed = 12 }) }).Devices[0]
		return changed(r.Outcome != deploy.Restored, string(r.Outcome)) + changed(b.holds(t) != before, "the switch has half of the change")
	},
	"config hangs": func(t *testing.T, b *sonicBox) string { // once
		before := b.holds(t)
		b.WriteFile(sim.ConfigPath, []byte("#!/bin/sh\nif [ ! -f /tmp/hung ]; then\n\techo >/tmp/hung\n\tsleep 1000000\nfi\nexec "+
			"/usr/lib/sonic/config \"$@\"\n"), 0o755)
		r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
		return changed(r.Outcome != deploy.Restored, string(r.Outcome)) + changed(b.holds(t) != before, "it is not as before")
	},
	"power cut": func(t *testing.T, b *sonicBox) string { // another program saved the unconfirmed change
		before := b.holds(t)
		labtest.Apply(t, b.Tree, b.Dial, func(o *rollout.ApplyOptions) { o.Hold = time.Hour })
		b.Root(t, "config save -y")
		b.PowerCut()
		return changed(b.holds(t) != before, "it came back with an unconfirmed change")
	},
	"saved, and not kept": func(t *testing.T, b *sonicBox) string { // a command after config save fails
		before := b.holds(t)
		f := &b.Tree.Devices[0].Files[0]
		choose := f.Choose
		f.Choose = func(before, after []byte, have []target.Sample) (target.Step, []string) {
			s, says := choose(before, after, have)
			s.Keep += "exit 1\n"
			return s, says
		}
		r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
		b.Reboot()
		return changed(r.Outcome == deploy.Applied, string(r.Outcome)) + changed(b.holds(t) != before, "the saved file still has it")
	},
	"somebody was faster": func(t *testing.T, b *sonicBox) string {
		r := labtest.Apply(t, b.Tree, b.Dial, func(*rollout.ApplyOptions) {
			b.sw.Put("PORT_QOS_MAP", "Ethernet12", map[string]string{"pfc_enable": "5"})
		}).Devices[0]
		return changed(r.Outcome != deploy.Restored && r.Outcome != deploy.Refused, string(r.Outcome)) +
			changed(b.sw.Row("PORT_QOS_MAP", "Ethernet12")["pfc_enable"] != "5", "theirs is gone") +
			changed(r.Err == nil || !strings.Contains(r.Err.Detail, "somebody has changed it since"), "not told")
	},
	"somebody since": func(t *testing.T, b *sonicBox) string { // a restore after others have changed settings
		was := b.Plan(t).Changes[0]
		labtest.Apply(t, b.Tree, b.Dial)
		b.sw.Put("PORT_QOS_MAP", "Ethernet0", map[string]string{"pfc_enable": "3,4"})
		r := b.Back(t, was)
		return changed(r.Outcome != deploy.Restored, string(r.Outcome)) +
			changed(b.sw.Row("PORT_QOS_MAP", "Ethernet0")["pfc_enable"] != "3,4", "theirs is gone")
	},
	"table that would be empty": func(t *testing.T, b *sonicBox) string { // a patch must not leave an empty table
		was := b.Plan(t).Changes[0]
		if r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]; r.Outcome != deploy.Applied {
			return string(r.Outcome)
		}
		r := b.Back(t, was)
		return changed(r.Outcome != deploy.Applied, string(r.Outcome)) + changed(b.holds(t) != string(was.Before), "it is not as before")
	},
}

// holds returns the state of the switch.
func (b *sonicBox) holds(t *testing.T) string {
	t.Helper()
	return b.Root(t, b.Tree.Devices[0].Files[0].Live.Cmd)
}

// sonicMutants are the scripts with one of their precautions removed, each with the scenario that detects it.
var sonicMutants = []struct{ scenario, old, new string }{
	{"kept", "config save -y", "true"},
	{"half way", "\tplay back\nelse", "\t:\nelse"},
	{"power cut", `mv -f "$saved.rocec"`, ": mv"},
	{"saved, and not kept", "then restore || fail", "then : || fail"},
	{"somebody was faster", `is "$base" ||`, "true ||"},
	{"somebody since", `is "$from" || fail`, "true || fail"},
	{"table that would be empty", `ops=$before && op "/$table"` + "\n\tfi", ":\n\tfi"},
}

// mutate changes the scripts of a switch.
func (b *sonicBox) mutate(t *testing.T, old, new string) (times int) {
	t.Helper()
	f := &b.Tree.Devices[0].Files[0]
	choose := f.Choose
	f.Choose = func(before, after []byte, have []target.Sample) (target.Step, []string) {
		s, says := choose(before, after, have)
		edit := func(text string) string { return strings.ReplaceAll(text, old, new) }
		times += strings.Count(s.Cmd+s.Keep+s.Undo.Cmd+s.Loaded.Cmd, old)
		s.Cmd, s.Keep = edit(s.Cmd), edit(s.Keep)
		s.Undo, s.Loaded = &target.Query{Cmd: edit(s.Undo.Cmd), Stdin: s.Undo.Stdin}, &target.Query{Cmd: edit(s.Loaded.Cmd)}
		return s, says
	}
	b.Plan(t)
	return times
}

// TestSONiCTraps: the scripts pass every scenario, and without one of their precautions they fail it.
func TestSONiCTraps(t *testing.T) {
	machinetest.Long(t)
	box := func(t *testing.T) *sonicBox {
		b := bySONiC(t, judgetest.SONiCRack("202505"))
		b.Root(t, "config save -y")
		return b
	}
	for name, run := range sonicScenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, run(t, box(t)))
		})
	}
	for _, m := range sonicMutants {
		t.Run(fmt.Sprintf("%s without %q", m.scenario, m.old), func(t *testing.T) {
			t.Parallel()
			b := box(t)
			if !assert.Positive(t, b.mutate(t, m.old, m.new), "it is not there") {
				return
			}
			assert.NotEmpty(t, sonicScenarios[m.scenario](t, b))
		})
	}
}
