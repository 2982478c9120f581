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
	"github.com/rocec/rocec/targets/nvue/sim"
	"github.com/rocec/rocec/targets/target"
)

// nvueScenarios are events on one switch in which NVUE behaves unexpectedly; they return the errors afterwards, or nothing.
var nvueScenarios = map[string]func(t *testing.T, b *nvueBox) string{
	"kept": func(t *testing.T, b *nvueBox) string { // 5.8 does not save by itself
		if r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]; r.Outcome != deploy.Applied {
			return string(r.Outcome)
		}
		b.Reboot()
		return changed(b.Plan(t).Status != deploy.StatusSame, "a restart lost it")
	},
	"edited file": func(t *testing.T, b *nvueBox) string {
		b.WriteFile(sim.FeaturesPath, []byte("# mine\n"), 0o644)
		r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
		text, _ := b.ReadFile(sim.FeaturesPath)
		return changed(string(text) != "# mine\n", "the file is overwritten") + changed(r.Outcome != deploy.Restored, "not told") +
			changed(strings.Contains(b.history(t), "ays_fail"), "a revision is left")
	},
	"half way": func(t *testing.T, b *nvueBox) string {
		const groups = "nv show interface swp3 qos buffer ingress-priority-group; nv show interface swp31 qos buffer ingress-priority-group"
		chip := b.Root(t, groups)
		b.nv.Do(func() { b.nv.Faults.Halfway = true })
		labtest.Apply(t, b.Tree, b.Dial)
		return changed(chip != b.Root(t, groups), "the chip has half of it")
	},
	"crash": func(t *testing.T, b *nvueBox) string {
		b.nv.Do(func() { b.nv.Faults.Crash = true })
		r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
		return changed(r.Outcome != deploy.Restored, string(r.Outcome))
	},
	"power cut": func(t *testing.T, b *nvueBox) string { // for releases where auto-save does not wait for the confirmation
		b.nv.Do(func() { b.nv.SaveUnconfirmed = true })
		b.Root(t, "nv set system config auto-save enable on && nv config apply -y")
		before := b.Root(t, appliedTree)
		labtest.Apply(t, b.Tree, b.Dial, func(o *rollout.ApplyOptions) { o.Hold = time.Hour })
		b.PowerCut()
		return changed(b.Root(t, appliedTree) != before, "it came back with an unconfirmed change")
	},
	"somebody was faster": func(t *testing.T, b *nvueBox) string {
		theirs := ""
		r := labtest.Apply(t, b.Tree, b.Dial, func(*rollout.ApplyOptions) {
			b.Root(t, "nv set qos pfc theirs switch-priority 5 && nv config apply -y")
			theirs = b.Root(t, appliedTree)
		}).Devices[0]
		return changed(r.Outcome != deploy.Restored, string(r.Outcome)) + changed(b.Root(t, appliedTree) != theirs, "theirs is gone")
	},
	"somebody is at work": func(t *testing.T, b *nvueBox) string { // another user applies a revision between ours and its base
		theirs := b.nv.Foreign("ann", "pending", "nv set qos pfc theirs switch-priority 5")
		d := b.Tree.Devices[0]
		choose := d.Files[0].Choose
		d.Files[0].Choose = func(before, after []byte, have []target.Sample) (target.Step, []string) {
			s, says := choose(before, after, have)
			s.Cmd = strings.Replace(s.Cmd, "\nwas=$now", fmt.Sprintf("\nnv config apply %d -y >/dev/null\nwas=$now", theirs), 1)
			return s, says
		}
		r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
		return changed(r.Outcome != deploy.Restored, string(r.Outcome)) +
			changed(!strings.Contains(b.Root(t, appliedTree), "theirs"), "theirs is gone") +
			changed(strings.Contains(b.history(t), "pending"), "a revision is left")
	},
	"long wait": func(t *testing.T, b *nvueBox) string { // longer than the hour that NVUE would wait
		r := labtest.Apply(t, b.Tree, b.Dial, func(o *rollout.ApplyOptions) { o.Hold = 3 * time.Hour }).Devices[0]
		b.Pass(2 * time.Hour)
		return changed(r.Outcome != deploy.Unconfirmed, string(r.Outcome)) +
			changed(b.Plan(t).Status != deploy.StatusSame, "it went back too early")
	},
	"refused patch": func(t *testing.T, b *nvueBox) string { // a path of another release
		b.stages(func(docs string) string { return docs + "    no-such-thing: 1\n" })
		r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
		return changed(r.Outcome != deploy.Restored, string(r.Outcome)) +
			changed(strings.Contains(b.history(t), "pending") || strings.Contains(b.history(t), "invalid"), "a revision is left")
	},
	"half a patch": func(t *testing.T, b *nvueBox) string { // unset is accepted, set is refused, and nv exits with status 0
		b.Root(t, "nv set qos pfc rocec-9m cable-length 9 && nv config apply -y")
		before := b.Root(t, appliedTree)
		b.nv.Do(func() { b.nv.StatusZero = true })
		b.stages(func(docs string) string { return docs + "    no-such-thing: [\n" })
		r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
		return changed(r.Outcome != deploy.Restored, string(r.Outcome)) + b.untouched(t, before)
	},
	"patch of nothing": func(t *testing.T, b *nvueBox) string { // a patch that nv accepts and that changes nothing
		before := b.Root(t, appliedTree)
		b.stages(func(docs string) string {
			base, _, _ := strings.Cut(docs, "\n")
			return base + "\n- set:\n    interface:\n      eth0:\n        type: eth\n"
		})
		r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
		return changed(r.Outcome != deploy.Restored, string(r.Outcome)) + b.untouched(t, before)
	},
	"gate": func(t *testing.T, b *nvueBox) string { // the chip gets less headroom than written
		before := b.Root(t, appliedTree)
		b.nv.Do(func() {
			for i := range b.nv.Ports {
				b.nv.Ports[i].Short = 100_000
			}
		})
		r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
		return changed(r.Outcome != deploy.Restored, string(r.Outcome)) + changed(b.Root(t, appliedTree) != before, "it is not as before")
	},
	"others": func(t *testing.T, b *nvueBox) string { // the logins, and settings of people
		b.Root(t, "nv set system message pre-login mine && nv config apply -y")
		labtest.Apply(t, b.Tree, b.Dial)
		have := b.Root(t, appliedTree)
		return changed(!strings.Contains(have, "system-admin"), "nobody can log in") +
			changed(!strings.Contains(have, "pre-login"), "theirs is gone")
	},
	"window": func(t *testing.T, b *nvueBox) string { // NVUE reverts within the same day, even without rocec
		labtest.Apply(t, b.Tree, b.Dial, func(o *rollout.ApplyOptions) { o.Hold = time.Hour })
		left, _, _ := strings.Cut(b.Root(t, "nv config apply --confirm-status"), " ")
		d, err := time.ParseDuration(left)
		return changed(err != nil || d < time.Hour || d > 4*time.Hour, "it goes back in "+left)
	},
	"root's pending": func(t *testing.T, b *nvueBox) string { // a revision of the same user
		b.Root(t, "nv set qos pfc mine switch-priority 5")
		r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
		return changed(r.Outcome != deploy.Applied, string(r.Outcome)) +
			changed(strings.Contains(b.Root(t, appliedTree), "mine"), "it is applied") +
			changed(!strings.Contains(b.history(t), "pending"), "it is gone")
	},
	"gone back": func(t *testing.T, b *nvueBox) string { // after the run was confirmed
		before, was := b.Root(t, appliedTree), b.Plan(t).Changes[0]
		if r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]; r.Outcome != deploy.Applied {
			return string(r.Outcome)
		}
		r := b.Back(t, was)
		return changed(r.Outcome != deploy.Applied, string(r.Outcome)) + changed(b.Root(t, appliedTree) != before, "it is not as before")
	},
}

// stages edits the input of the switch's step: a line, and the documents of the patch.
func (b *nvueBox) stages(edit func(docs string) string) {
	f := &b.Tree.Devices[0].Files[0]
	choose := f.Choose
	f.Choose = func(before, after []byte, have []target.Sample) (target.Step, []string) {
		s, says := choose(before, after, have)
		s.Stdin = edit(s.Stdin)
		return s, says
	}
}

// untouched returns the changes of a switch, and whether a revision was applied in between.
func (b *nvueBox) untouched(t *testing.T, before string) string {
	return changed(b.Root(t, appliedTree) != before, "it is not as before") +
		changed(strings.Contains(b.Root(t, "nv config history"), "rocec-"), "a revision was applied") +
		changed(strings.Contains(b.history(t), "pending"), "a revision is left")
}

func changed(wrong bool, says string) string {
	if wrong {
		return says + " "
	}
	return ""
}

// nvueMutants are the scripts with one of their precautions removed, each with the scenario that detects it.
var nvueMutants = []struct{ scenario, old, new string }{
	{"kept", "try nv config save\n", ":\n"},
	{"kept", ` --confirm "${window}s"`, ""},
	{"edited file", "--assume-no", "-y"},
	{"edited file", "nv config delete", ": nv config delete"},
	{"refused patch", "nv config delete", ": nv config delete"},
	{"half way", "if [ -z \"$refused\" ]; then try", "if false; then try"},
	{"crash", "systemctl restart nvued", ":"},
	{"power cut", "mv -f \"$startup.rocec\"", ": mv"},
	{"somebody is at work", `[ "$now" != "$was" ]`, "false"},
	{"long wait", "window=$((window + n))", ":"},
	{"somebody was faster", "[ \"${now%% *}\" = \"$base\" ] ||", "true ||"},
	{"half a patch", "case $2 in *[Ee]rror*", "case '' in *[Ee]rror*"},
	{"patch of nothing", "[ -n \"$out\" ] ||", "true ||"},
	{"gate", "--confirm-no", "--confirm-status"},
	{"window", "\"${window}s\"", "\"$window\""},
	{"kept", "--confirm-yes", "--confirm-status"},
	{"others", "try nv config patch", "try nv config replace"},
	{"root's pending", "nv config attach applied", "nv config attach pending"},
	{"gone back", "go \"$back\" \"$now\" \"$had\"", `try nv config attach applied -y
	rev=${out##*rev_id: }
	rev=${rev%%]*}
	try nv config patch "$ROCEC_LIVE/nvue/applied"
	echo "$rev" >"$ROCEC_STEP/rev"
	go "$rev" "$now" "$had"`},
}

// mutate changes the scripts of a switch.
func (b *nvueBox) mutate(old, new string) (times int) {
	f := &b.Tree.Devices[0].Files[0]
	choose := f.Choose
	edit := func(s string) string {
		times += strings.Count(s, old)
		return strings.ReplaceAll(s, old, new)
	}
	of := func(s target.Step) target.Step {
		s.Cmd, s.Keep = edit(s.Cmd), edit(s.Keep)
		s.Undo = &target.Query{Cmd: edit(s.Undo.Cmd)}
		return s
	}
	f.Activate = of(f.Activate)
	undo := f.Activate.Undo
	f.Choose = func(before, after []byte, have []target.Sample) (target.Step, []string) {
		s, says := choose(before, after, have)
		s = of(s)
		s.Undo = undo
		return s, says
	}
	return times
}

// TestNVUETraps: the scripts pass every scenario, and without one of their precautions they fail it.
func TestNVUETraps(t *testing.T) {
	machinetest.Long(t)
	box := func(t *testing.T) *nvueBox { return byNVUE(t, `version = "5.8.0"`) }
	for name, run := range nvueScenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, run(t, box(t)))
		})
	}
	for _, m := range nvueMutants {
		t.Run(fmt.Sprintf("%s without %q", m.scenario, m.old), func(t *testing.T) {
			t.Parallel()
			b := box(t)
			if !assert.Positive(t, b.mutate(m.old, m.new), "it is not there") {
				return
			}
			assert.NotEmpty(t, nvueScenarios[m.scenario](t, b))
		})
	}
}
