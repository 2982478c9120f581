package changes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab/labtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/judge/judgetest"
	"github.com/rocec/rocec/targets/nvue/sim"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

// nvueBox is a switch of the rack of byFiles that NVUE configures.
type nvueBox struct {
	*labtest.Box
	nv *sim.NVUE
}

func byNVUE(t *testing.T, text string) *nvueBox {
	t.Helper()
	return boxOf(t, byFiles(t, text))
}

func boxOf(t *testing.T, tree *target.Tree) *nvueBox {
	t.Helper()
	require.Equal(t, "nvue", tree.Devices[0].Target.Name)
	b := labtest.New(t, tree)
	return &nvueBox{b, targettest.Sim[*sim.NVUE](b.Sims())}
}

const appliedTree = "nv config show -r applied"

// history returns the numbers and states of the revisions, newest first.
func (b *nvueBox) history(t *testing.T) string {
	t.Helper()
	var out []string
	for line := range strings.Lines(b.Root(t, "nv config history")) {
		f := strings.Fields(line)
		out = append(out, f[0]+" "+f[1])
	}
	return strings.Join(out, ", ")
}

// nvueReleases are the releases that change words, paths or the program that saves.
var nvueReleases = []string{"5.4.0", "5.8.0", "5.9.1", "5.11.0", "5.14.0", "5.15.0", "5.18.0"}

// TestByNVUE plans and verifies a switch of any release. One revision changes it, is confirmed and saved, and persists after a restart. No
// revision waits or is pending, and settings of others stay.
func TestByNVUE(t *testing.T) {
	for _, release := range nvueReleases {
		for _, odd := range []string{"", "sets replace", "parent by name", "save unconfirmed", "stores enabled", "units"} {
			if odd != "" && release != "5.9.1" && release != "5.15.0" {
				continue
			}
			t.Run(release+" "+odd, func(t *testing.T) {
				t.Parallel()
				b := byNVUE(t, fmt.Sprintf("version = %q", release))
				b.nv.Do(func() {
					b.nv.SetsReplace, b.nv.ParentByName, b.nv.SaveUnconfirmed = odd == "sets replace", odd == "parent by name", odd == "save unconfirmed"
					if b.nv.StoresEnabled = odd == "stores enabled"; odd == "units" {
						b.nv.Units = sim.Scaled
					}
				})
				b.Root(t, "nv set system message pre-login 'mine {' && nv set interface swp9 link speed 10G && nv set interface swp9 description x && "+
					"nv config apply -y && nv config save")
				before := b.Root(t, appliedTree)
				p := b.Plan(t)
				require.Equal(t, deploy.StatusChange, p.Status, "%v", p.Err)
				require.NotContains(t, string(p.Changes[0].Before), "pre-login", "settings that rocec does not need do not leave the switch")

				r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
				require.Equal(t, deploy.Applied, r.Outcome, "%v %v %s", r.Err, r.Undo, r.Text())
				assert.Contains(t, b.history(t), "4 applied_and_saved, 3 inactive", "one revision")
				assert.NotContains(t, b.history(t), "pending")
				for _, mine := range []string{"pre-login", "speed: 10G"} {
					assert.Contains(t, b.Root(t, appliedTree), mine)
				}
				b.Reboot()
				p = b.Plan(t)
				require.Equal(t, deploy.StatusSame, p.Status, "%v", p.Err)
				rooms := slices.DeleteFunc(p.Baseline, func(s target.Sample) bool { return s.Name != "headroom" })
				require.NotEmpty(t, rooms)
				for _, s := range rooms {
					assert.Equal(t, target.UnitState, s.Unit)
					assert.Equal(t, uint64(1), s.Value)
				}
				assert.Contains(t, b.Root(t, "nv show interface swp1 qos buffer ingress-priority-group"), "lossy-lossless lossless")

				// NVUE's confirmation window ended long ago, and NVUE reverted nothing.
				b.Root(t, "nv config apply 3 -y")
				assert.Equal(t, before, b.Root(t, appliedTree))
			})
		}
	}
}

// TestNVUECommands: a change by NVUE needs at most three more commands than a change of traffic.conf. A change of the files of later
// releases has the same limit.
func TestNVUECommands(t *testing.T) {
	change := func(text string) int {
		b := labtest.New(t, byFiles(t, text))
		r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
		require.Equal(t, deploy.Applied, r.Outcome, "%v %s", r.Err, r.Text())
		return int(b.Ran.Load())
	}
	common := change(`version = "4.3.0"`)
	require.Greater(t, common, 3)
	for _, text := range []string{`version = "5.3.1"`, `version = "5.4.0"`, `version = "5.8.0"`, `version = "5.15.0"`} {
		assert.LessOrEqual(t, change(text), common+3, text)
	}
}

// TestNVUERounds: chips from Spectrum-4 on round the thresholds of marking up, and show the rounded values. That is not drift: rocec
// compares the values that were set.
func TestNVUERounds(t *testing.T) {
	b := boxOf(t, switchOf(t, strings.NewReplacer("sn3700", "sn5600", `"tor:swp[1-3]"`, `"tor:swp[1-3]s0"`,
		"ecn {}", "ecn {\n    min = 150000\n    max = 1500000\n  }").Replace(judgetest.Rack(`version = "5.11.0"`))))
	require.Equal(t, deploy.Applied, labtest.Apply(t, b.Tree, b.Dial).Devices[0].Outcome)
	number := func(text string) string {
		m := regexp.MustCompile(`min-threshold:? ([0-9]+)`).FindStringSubmatch(text)
		require.NotNil(t, m, text)
		return m[1]
	}
	set, chip := number(b.Root(t, appliedTree)), number(b.Root(t, "nv show interface swp1s0 qos congestion-control"))
	require.NotEqual(t, set, chip)
	p := b.Plan(t)
	assert.Equal(t, deploy.StatusSame, p.Status, "%v", p.Err)
	clock := rollout.Clock{Now: time.Now, Wait: time.After}
	found := rollout.Verify(t.Context(), b.Dial, b.Tree, rollout.VerifyOptions{Clock: clock, Interval: time.Millisecond})
	assert.Equal(t, deploy.StatusSame, found.Plan.Devices[0].Status)
}

// TestNVUEUnsplit: NVUE wants splits applied before the settings of their ports, and rocec splits no port. A switch that is not split as
// the fabric states refuses the whole revision, and keeps none of the changes.
func TestNVUEUnsplit(t *testing.T) {
	b := boxOf(t, switchOf(t, strings.NewReplacer(`"tor:swp[1-3]"`, `"tor:swp[1-3]s0"`, `"100G"`,
		`"50G"`).Replace(judgetest.Rack(`version = "5.14.0"`))))
	b.Root(t, "nv unset interface swp2 link breakout && nv config apply -y")
	before := b.Root(t, appliedTree)
	r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
	require.Equal(t, deploy.Restored, r.Outcome, "%v %s", r.Err, r.Text())
	assert.Contains(t, r.Err.Detail, "interface.swp2s0.qos: the port is not there")
	assert.Empty(t, b.untouched(t, before))
	assert.NotContains(t, before+r.Text(), "swp2s0:", "nor is a split written")

	b.Root(t, "nv set interface swp2 link breakout 2x && nv config apply -y")
	require.Equal(t, deploy.Applied, labtest.Apply(t, b.Tree, b.Dial).Devices[0].Outcome)
}

// TestNVUEFails: after every kind of failure in a change, the switch has its old settings, no revision of rocec is pending, and the report
// states the reason.
func TestNVUEFails(t *testing.T) {
	for name, c := range map[string]struct {
		fault func(b *nvueBox)
		says  string
	}{
		"nvued crashes in the apply": {func(b *nvueBox) { b.nv.Do(func() { b.nv.Faults.Crash = true }) }, "Could not connect to nvued"},
		"half of the ports":          {func(b *nvueBox) { b.nv.Do(func() { b.nv.Faults.Halfway = true }) }, "apply failed"},
		"status 0 of a failure": {func(b *nvueBox) {
			b.nv.Do(func() { b.nv.StatusZero, b.nv.Faults.Halfway = true, true })
		}, "apply failed"},
		"a file that was edited": {func(b *nvueBox) {
			b.WriteFile(sim.FeaturesPath, []byte("# mine\n"), 0o644)
		}, "was edited and will be overwritten"},
		"too little headroom": {func(b *nvueBox) {
			b.nv.Do(func() {
				for i := range b.nv.Ports {
					b.nv.Ports[i].Short = 100_000
				}
			})
		}, "of headroom for swp1"},
	} {
		for _, unconfirmed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, saves unconfirmed %t", name, unconfirmed), func(t *testing.T) {
				t.Parallel()
				b := byNVUE(t, `version = "5.14.0"`)
				b.nv.Do(func() { b.nv.SaveUnconfirmed = unconfirmed })
				before, chip := b.Root(t, appliedTree), b.Root(t, "nv show qos")
				c.fault(b)
				r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
				require.Equal(t, deploy.Restored, r.Outcome, "%v %v %s", r.Err, r.Undo, r.Text())
				assert.Contains(t, r.Err.Detail, c.says)
				assert.Equal(t, before, b.Root(t, appliedTree))
				assert.Equal(t, chip, b.Root(t, "nv show qos"))
				for _, left := range []string{"pending", "confirm", "invalid", "ays_fail", "apply"} {
					assert.NotContains(t, b.history(t)+",", " "+left+",")
				}
				b.Reboot()
				assert.Equal(t, before, b.Root(t, appliedTree))
			})
		}
	}
}

// TestNVUECut: after a broken connection at any command, or a power cut while the change waits, the switch has the old tree, or the wanted
// one, confirmed and saved.
func TestNVUECut(t *testing.T) {
	machinetest.Long(t)
	whole := ""
	for at := range 24 {
		b := byNVUE(t, `version = "5.8.0"`)
		before := b.Root(t, appliedTree)
		r := labtest.Apply(t, b.Tree, b.Dial, func(*rollout.ApplyOptions) { b.Cut = at }).Devices[0]
		after := b.Root(t, appliedTree)
		if at == 0 {
			require.Equal(t, deploy.Applied, r.Outcome)
			whole = after
		}
		switch r.Outcome {
		case deploy.Applied:
			assert.Equal(t, whole, after, "at %d", at)
		case deploy.Restored, deploy.Reverted, deploy.Refused, deploy.NotStarted:
			assert.Equal(t, before, after, "at %d: %s", at, r.Outcome)
		default:
			assert.Fail(t, "the run reports neither", "at %d: %s %v", at, r.Outcome, r.Err)
		}
		assert.NotContains(t, b.history(t), "confirm", "at %d", at)
		b.Reboot()
		assert.Equal(t, after, b.Root(t, appliedTree), "at %d: the applied settings are saved", at)
	}
}

// TestNVUEPowerCut: a power cut while a change waits for its confirmation reverts it, even if NVUE had saved it.
func TestNVUEPowerCut(t *testing.T) {
	for _, unconfirmed := range []bool{false, true} {
		b := byNVUE(t, `version = "5.9.0"`)
		b.nv.Do(func() { b.nv.SaveUnconfirmed = unconfirmed })
		before := b.Root(t, appliedTree)
		r := labtest.Apply(t, b.Tree, b.Dial, func(o *rollout.ApplyOptions) { o.Hold = time.Hour }).Devices[0]
		require.Equal(t, deploy.Unconfirmed, r.Outcome, "%v", r.Err)
		require.Contains(t, b.history(t), "3 confirm")
		b.PowerCut()
		assert.Equal(t, before, b.Root(t, appliedTree), "%t", unconfirmed)
		assert.NotContains(t, b.history(t), "confirm")
	}
}

// TestNVUERefused: if rocec must not change a box, the plan refuses it and says what to do, and nothing is changed.
func TestNVUERefused(t *testing.T) {
	for name, c := range map[string]struct {
		make func(b *nvueBox)
		says string
	}{
		"nvued is down": {
			func(b *nvueBox) { b.Run(t.Context(), "root", "systemctl stop nvued", "") },
			"so rocec can neither read nor change settings",
		},
		"nvued answers no request": {func(b *nvueBox) { b.nv.Stop() }, "cannot be read"},
		"somebody's window":        {func(b *nvueBox) { b.nv.Foreign("ann", "confirm", "nv set qos roce") }, "waits for its confirmation (ann)"},
		"somebody's apply":         {func(b *nvueBox) { b.nv.Foreign("ann", "apply", "nv set qos roce") }, "is being applied (ann)"},
		"left to files": {func(b *nvueBox) {
			b.Run(t.Context(), "root", "nv set system config apply ignore "+sim.FeaturesPath+"; nv config apply -y", "")
		}, `Write config = "files" in the switch block`},
		"files of rocec": {
			func(b *nvueBox) { b.WriteFile(sim.FeaturesPath, []byte("pfc.roce_pfc.cos_list = [3]\n"), 0o644) },
			"has port groups of rocec",
		},
		"another model": {func(b *nvueBox) { b.nv.Do(func() { b.nv.Model = "MSN2700-CS2F" }) }, "reports that it is a MSN2700-CS2F"},
		"a preset that pauses nothing": {
			func(b *nvueBox) { b.Run(t.Context(), "root", "nv set qos roce mode lossy; nv config apply -y", "") },
			"has the vendor's preset",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := byNVUE(t, `version = "5.14.0"`)
			c.make(b)
			p := b.Plan(t)
			require.Equal(t, deploy.StatusRefused, p.Status)
			assert.Contains(t, p.Err.Detail, c.says)
		})
	}
}

// TestNVUEBond: the headroom of a bond's members is read, although NVUE binds the profile to the bond.
func TestNVUEBond(t *testing.T) {
	const nic = "  nic \"ens1f0\" { model = \"connectx-6dx\" }\n"
	hcl := judgetest.Rack(`version = "5.14.0"`)
	hcl = strings.Replace(hcl, nic, nic+strings.Replace(nic, "f0", "f1", 1)+
		"  bond \"bond0\" {\n    nics = [\"ens1f0\", \"ens1f1\"]\n    mode = \"802.3ad\"\n  }\n", 1)
	hcl += "link \"second\" {\n  a = \"store[1-3]:ens1f1\"\n  b = \"tor:swp[4-6]\"\n  speed = \"100G\"\n}\n"
	b := boxOf(t, switchOf(t, hcl))
	r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
	require.Equal(t, deploy.Applied, r.Outcome, "%v %s", r.Err, r.Text())
	judged := func() (good, bad int) {
		for _, s := range b.Plan(t).Baseline {
			if s.Name == "headroom" {
				require.Equal(t, target.UnitState, s.Unit, s.Hint)
				good, bad = good+int(s.Value), bad+1-int(s.Value)
			}
		}
		return good, bad
	}
	good, bad := judged()
	assert.Equal(t, []int{1, 0}, []int{good, bad})
	b.nv.Do(func() {
		for i := range b.nv.Ports {
			b.nv.Ports[i].Short = 1 << 30
		}
	})
	good, bad = judged()
	assert.Equal(t, []int{0, 1}, []int{good, bad}, "too little for the members, too")
}

// TestNVUEPending: another user's pending revision is neither applied nor deleted.
func TestNVUEPending(t *testing.T) {
	b := byNVUE(t, `version = "5.9.0"`)
	id := b.nv.Foreign("ann", "pending", "nv set interface swp9 link speed 10G")
	r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
	require.Equal(t, deploy.Applied, r.Outcome, "%v %s", r.Err, r.Text())
	assert.Contains(t, b.history(t), fmt.Sprintf("%d pending", id))
	assert.NotContains(t, b.Root(t, appliedTree), "10G")
}

// TestNVUEBack: going back from a run restores the tree before that run, run by run, even if NVUE has applied a run's revision again. If
// others have applied a revision since, or a later run exists, nothing is applied.
func TestNVUEBack(t *testing.T) {
	b := byNVUE(t, `version = "5.14.0"`)
	factory := b.Plan(t).Changes[0]
	require.Equal(t, deploy.Applied, labtest.Apply(t, b.Tree, b.Dial).Devices[0].Outcome)
	first, firstApplied := b.Root(t, appliedTree), b.Root(t, "nv config show")
	other := byFiles(t, "version = \"5.14.0\"\nconfig = \"nvue\"") // the same rack
	edit := other.Devices[0].Files[0].Edit
	b.Tree = other
	b.Tree.Devices[0].Files[0].Edit = func(old []byte) ([]byte, diag.List) {
		out, ds := edit([]byte(strings.ReplaceAll(string(old), "rocec-later", "rocec-egress")))
		return []byte(strings.ReplaceAll(string(out), "rocec-egress", "rocec-later")), ds
	}
	second := b.Plan(t)
	require.Equal(t, deploy.StatusChange, second.Status)
	r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
	require.Equal(t, deploy.Applied, r.Outcome, "%v", r.Err)
	last := b.Root(t, appliedTree)

	r = b.Back(t, factory) // skipping the second run
	require.Equal(t, deploy.Restored, r.Outcome, "%v", r.Err)
	assert.Contains(t, r.Err.Detail, "not applied right after what was there before the run")
	assert.Equal(t, last, b.Root(t, appliedTree))

	r = b.Back(t, second.Changes[0])
	require.Equal(t, deploy.Applied, r.Outcome, "%v %v", r.Err, r.Undo)
	assert.Equal(t, first, b.Root(t, appliedTree))

	b.nv.Do(func() { b.nv.Faults.Halfway = true }) // the old revision is applied again, and still belongs to rocec
	require.Equal(t, deploy.Restored, b.Back(t, factory).Outcome)
	assert.Equal(t, firstApplied, b.Root(t, "nv config show"))

	r = b.Back(t, factory)
	require.Equal(t, deploy.Applied, r.Outcome, "%v %v", r.Err, r.Undo)
	assert.NotContains(t, b.Root(t, appliedTree), "rocec-")
}
