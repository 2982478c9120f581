package cumulus

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/cumulus/sim"
	"github.com/rocec/rocec/targets/cumulus/steps"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

// TestActivate checks which changes need a restart, by release and chip, and the sentence about it in the plan.
func TestActivate(t *testing.T) {
	const (
		pfc      = "pfc.roce_pfc.xoff_size = 20000\n"
		weight   = "priority_group.service.weight = 40\n"
		trust    = "traffic.packet_priority_source_set = [dscp]\n"
		cos      = "priority_group.service.cos_list = [4]\n"
		perPort  = "source.port_group_list = [a]\n"
		red      = "ecn_red.roce_ecn.probability = 50\n"
		old      = "ecn.roce_ecn.probability = 50\n"
		pause    = "link_pause.port_group_list = []\n"
		foreign  = "sflow.rate = 100\n"
		restarts = "switchd restarts: on %s a reload cannot apply a change of %s."
	)
	noNode := []target.Sample{{Name: nodeFact, Unit: target.UnitFact, Fact: nothing}}
	for _, tt := range []struct {
		model, version, change string
		have                   []target.Sample
		reloads                bool
		says                   string
	}{
		{"sn2700", "3.4.3", pfc, nil, false, ""},
		{"sn2700", "3.7.16", pfc, nil, false, ""},
		{"as7726-32x", "4.3.0", pfc, nil, false, ""},
		{"as7726-32x", "4.1.0", pfc, nil, false, ""},
		{"sn2700", "4.0.0", pfc + weight + trust + red + pause, nil, true, ""},
		{"sn2700", "4.1.1", pfc, nil, true, ""},
		{"sn2700", "4.2.0", pfc, nil, true, ""},
		{"sn2700", "4.0.0", pfc + cos, nil, false, fmt.Sprintf(restarts, "4.0", "priority_group.service.cos_list")},
		{"sn2700", "4.1.1", perPort, nil, false, fmt.Sprintf(restarts, "4.1", "source.port_group_list")},
		{"sn2700", "4.2.0", foreign + cos, nil, false, fmt.Sprintf(restarts, "4.2", "priority_group.service.cos_list and 1 more key")},
		{"sn2700", "4.2.0", old, nil, false, fmt.Sprintf(restarts, "4.2", "ecn.roce_ecn.probability")},
		{"sn3700", "4.3.0", cos + perPort + foreign, nil, true, ""},
		{"sn3700", "4.3.0", pfc, noNode, false, "switchd restarts: the node that makes it"},
		{"sn2700", "4.0.0", "", nil, true, ""},
	} {
		name := fmt.Sprintf("%s %s %q", tt.model, tt.version, tt.change)
		files, _ := Target.Render(canonicalSample(t, tt.model, tt.version, 1).sw)
		require.Len(t, files, 1, name)
		f := files[0]
		rel, _ := grammar.ParseRelease(tt.version)
		require.Equal(t, rel.AtLeast(4, 0), f.Choose != nil, name)
		assert.Equal(t, rel.AtLeast(4, 0), f.Precheck != "", name)
		step, says := f.Activate, []string(nil)
		assert.Equal(t, rel.AtLeast(4, 3) && tt.model != "as7726-32x", step == reload, "%s: any change", name)
		if f.Choose != nil {
			before := "# the same\npriority_group.bulk.cos_list = [0, 1]\n"
			step, says = f.Choose([]byte(before), []byte("priority_group.bulk.cos_list = [1,0]\n"+tt.change), tt.have)
			back, _ := f.Choose([]byte(before+tt.change), []byte(before), tt.have)
			assert.Equal(t, step, back, "%s: going back needs the same step", name)
		}
		assert.Equal(t, map[bool]target.Step{true: reload, false: restart}[tt.reloads], step, name)
		if tt.says == "" {
			assert.Empty(t, says, name)
			continue
		}
		require.Len(t, says, 1, name)
		assert.Contains(t, says[0], tt.says, name)
	}
	none := []target.Sample{{Name: checkerFact, Unit: target.UnitFact, Fact: nothing}}
	for _, model := range []string{"sn2700", "as7726-32x"} {
		files, _ := Target.Render(canonicalSample(t, model, "4.1.0", 1).sw)
		_, says := files[0].Choose(nil, nil, none)
		require.Len(t, says, 1)
		assert.Contains(t, says[0], "No cl-consistency-check was found")
	}
}

// TestReloaded: the rows of the table name existing features, and a later release reloads every key that an earlier one reloads.
func TestReloaded(t *testing.T) {
	releases := []grammar.Release{{3, 7, 16}, {4, 0, 0}, {4, 1, 1}, {4, 2, 1}, {4, 3, 0}}
	for i := range grammar.Keys() {
		key := grammar.Keys()[i].Spell(0, "g")
		reloads := false
		for _, r := range releases {
			now := grammar.Reloads(r, key)
			assert.False(t, reloads && !now, "%s on %v", key, r)
			reloads = now
			assert.False(t, now && !grammar.CanReload(r), "%s on %v", key, r)
			assert.False(t, !now && grammar.ReloadsAll(r), "%s on %v", key, r)
		}
		assert.True(t, reloads, "4.3 takes %s", key)
	}
	assert.False(t, grammar.CanReload(releases[0]))
}

// logBox runs the query of a step in this machine's sh, with a log in a folder.
type logBox struct {
	t    *testing.T
	dir  string
	step target.Step
}

func newLogBox(t *testing.T, step target.Step) *logBox {
	b := &logBox{t, t.TempDir(), step}
	require.NoError(t, os.Mkdir(filepath.Join(b.dir, "bin"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(b.dir, "step"), 0o755))
	systemctl := "#!/bin/sh\ncase $1 in\nshow) cat " + b.dir + "/since ;;\nis-active) test ! -e " + b.dir + "/dead ;;\nrestart) echo again >" +
		b.dir + "/since ;;\nesac\n"
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "bin", "systemctl"), []byte(systemctl), 0o755))
	b.put("since", "first\n")
	return b
}

func (b *logBox) put(name, text string) {
	b.t.Helper()
	require.NoError(b.t, os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o644))
}

func (b *logBox) add(name, text string) {
	b.t.Helper()
	f, err := os.OpenFile(filepath.Join(b.dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	require.NoError(b.t, err)
	_, err = f.WriteString(text)
	require.NoError(b.t, err)
	require.NoError(b.t, f.Close())
}

func (b *logBox) run(cmd string) (status int, said string) {
	b.t.Helper()
	cmd = strings.NewReplacer(steps.Log, b.dir+"/log", "/cumulus/", b.dir+"/").Replace(cmd)
	c := exec.Command("sh", "-c", cmd)
	c.Env = []string{"PATH=" + b.dir + "/bin:/usr/bin:/bin", "ROCEC_STEP=" + b.dir + "/step", "LC_ALL=C"}
	out, err := c.CombinedOutput()
	if err != nil {
		require.NotNil(b.t, c.ProcessState, "%v", err)
	}
	return c.ProcessState.ExitCode(), strings.TrimSpace(string(out))
}

// done runs the command of the step and the given events, and then asks whether the content is in use.
func (b *logBox) done(meanwhile func()) (status int, said string) {
	b.t.Helper()
	status, said = b.run(b.step.Cmd)
	require.Equal(b.t, 0, status, said)
	meanwhile()
	return b.run(b.step.Loaded.Cmd)
}

// TestSwitchdLog: which log lines fail a change, for a restart and for a reload, with this machine's sh and tools.
func TestSwitchdLog(t *testing.T) {
	const before = "switchd: ERROR _ecn_red_config: an old complaint\n"
	const refused = "switchd: WARNING _ecn_red_config: port 5 failed\n"
	line := func(text string) string { return strings.ReplaceAll(text, ".*", "7") }
	type action func(b *logBox)
	logs := func(text string) action { return func(b *logBox) { b.add("log", text) } }
	cases := map[string]struct {
		meanwhile action
		status    int
		said      string
	}{
		"nothing":                         {logs(""), 0, ""},
		"unlimited":                       {logs("switchd: WARNING unlimited egress buffer for flow controlled switch priority 4\n"), 0, ""},
		"another error, not of the table": {logs("switchd: ERROR neighbour table full\nswitchd: CRITICAL fan\n"), 0, ""},
		"a level below":                   {logs("switchd: INFO _ecn_red_config: done\nswitchd: DEBUG: _priority_map_get: x\n"), 0, ""},
		"among others": {
			logs(strings.Repeat("switchd: INFO x\n", 5000) + refused + "switchd: INFO y\n"), 65,
			strings.TrimSpace(refused),
		},
		"no log":         {func(b *logBox) { require.NoError(b.t, os.Remove(filepath.Join(b.dir, "log"))) }, 0, ""},
		"without an end": {logs(strings.TrimSuffix(refused, "\n")), 65, strings.TrimSpace(refused)},
		"rotated, with a complaint before": {func(b *logBox) {
			b.add("log", refused)
			require.NoError(b.t, os.Rename(filepath.Join(b.dir, "log"), filepath.Join(b.dir, "log.1")))
			b.put("log", strings.Repeat("switchd: INFO a long new log\n", 20))
		}, 65, strings.TrimSpace(refused)},
		"rotated, with a complaint after": {func(b *logBox) {
			require.NoError(b.t, os.Rename(filepath.Join(b.dir, "log"), filepath.Join(b.dir, "log.1")))
			b.put("log", "switchd: INFO new\n"+refused+strings.Repeat("switchd: INFO x\n", 20))
		}, 65, strings.TrimSpace(refused)},
		"rotated, without a complaint": {func(b *logBox) {
			require.NoError(b.t, os.Rename(filepath.Join(b.dir, "log"), filepath.Join(b.dir, "log.1")))
			b.put("log", "")
		}, 0, ""},
		"cut short by copytruncate": {func(b *logBox) {
			b.put("log.1", before+refused)
			b.put("log", "")
		}, 65, strings.TrimSpace(refused)},
		"clamped": {
			logs("switchd: WARNING min_threshold_bytes 1000 is less than minimum size, using 10240\nswitchd: INFO max_threshold_bytes 9 is " +
				"greater than maximum, using 8\n"),
			0, "; adjusted: switchd: WARNING min_threshold_bytes 1000 is less than minimum size, using 10240, " +
				"switchd: INFO max_threshold_bytes 9 is greater than maximum, using 8",
		},
		"dead": {func(b *logBox) { b.put("dead", "") }, 1, "switchd.service is not active"},
	}
	for _, r := range steps.Refused {
		cases[r.Text] = struct {
			meanwhile action
			status    int
			said      string
		}{logs("switchd: " + r.Level + " " + line(r.Text) + " x\n"), 65, "switchd: " + r.Level + " " + line(r.Text) + " x"}
	}
	for word, step := range map[string]target.Step{target.Loaded: restart, "not readable on this release": reload} {
		for name, c := range cases {
			t.Run(word+"/"+name, func(t *testing.T) {
				t.Parallel()
				b := newLogBox(t, step)
				b.put("log", before)
				require.NoError(t, os.MkdirAll(filepath.Join(b.dir, "switchd/config/traffic"), 0o755))
				b.put("switchd/config/traffic/reload", "0\n")
				status, said := b.done(func() { c.meanwhile(b) })
				require.Equal(t, c.status, status, said)
				if status == 0 {
					c.said = word + c.said
				}
				assert.Equal(t, c.said, said)
			})
		}
	}
}

// TestBackSwitchdLog: when a step goes back, a complaint that was in the log before the change is no failure, but a new complaint is one.
func TestBackSwitchdLog(t *testing.T) {
	const old, fresh = "switchd: WARNING _ecn_red_config: port 5\n", "switchd: WARNING _port_attribute_mark: port 6\n"
	for name, c := range map[string]struct {
		before, forth, back string
		rotate              bool
		status              int
		said                string
	}{
		"nothing":              {"", fresh, "", false, 0, target.Loaded},
		"as before the change": {old, fresh, old, false, 0, target.Loaded},
		"of the change":        {old, fresh, old + fresh, false, 65, strings.TrimSpace(fresh)},
		"never before":         {"", old, old, false, 65, strings.TrimSpace(old)},
		"rotated":              {old, fresh, old, true, 65, strings.TrimSpace(old)},
	} {
		t.Run(name, func(t *testing.T) {
			b := newLogBox(t, restart)
			b.put("log", "switchd: INFO start\n"+c.before)
			status, said := b.done(func() { b.add("log", c.forth) })
			require.Equal(t, 65, status, said)
			b.put("since", "first\n")
			b.step.Cmd, b.step.Loaded = "ROCEC_WHY=body\n"+restart.Cmd, &target.Query{Cmd: "ROCEC_WHY=body\n" + restart.Loaded.Cmd}
			status, said = b.done(func() {
				if c.rotate {
					require.NoError(t, os.Rename(filepath.Join(b.dir, "log"), filepath.Join(b.dir, "log.1")))
				}
				b.add("log", c.back)
			})
			assert.Equal(t, c.status, status, said)
			assert.Equal(t, c.said, said)
		})
	}
}

// TestRestartedNot: if switchd did not start again, the content is not in use.
func TestRestartedNot(t *testing.T) {
	b := newLogBox(t, restart)
	status, said := b.done(func() { b.put("since", "first\n") })
	assert.Equal(t, 1, status)
	assert.Equal(t, "switchd.service has not started again", said)
}

// TestTell: the step uses the node if it exists and switchd runs, else a restart.
func TestTell(t *testing.T) {
	for name, c := range map[string]struct{ node, dead, restarts bool }{
		"node":            {true, false, false},
		"no node":         {false, false, true},
		"switchd is dead": {true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newLogBox(t, reload)
			require.NoError(t, os.MkdirAll(filepath.Join(b.dir, "switchd/config/traffic"), 0o755))
			if c.node {
				b.put("switchd/config/traffic/reload", "0\n")
			}
			if c.dead {
				b.put("dead", "")
			}
			status, said := b.run(b.step.Cmd)
			require.Equal(t, 0, status, said)
			since, err := os.ReadFile(filepath.Join(b.dir, "since"))
			require.NoError(t, err)
			assert.Equal(t, map[bool]string{true: "again\n", false: "first\n"}[c.restarts], string(since))
			if c.node && !c.dead {
				node, err := os.ReadFile(filepath.Join(b.dir, "switchd/config/traffic/reload"))
				require.NoError(t, err)
				assert.Equal(t, "1\n", string(node))
			}
		})
	}
}

// TestWaysInTheLab: the report of a switch about its reload node and its checker, per release and chip. The checker checks the file on the
// switch.
func TestWaysInTheLab(t *testing.T) {
	for _, c := range []struct{ model, version, want string }{
		{"sn2700", "4.3.0", "reload node: " + steps.ReloadNode + ", syntax checker: /usr/cumulus/bin/cl-consistency-check"},
		{"sn2700", "4.0.0", "reload node: " + steps.ReloadNode},
		{"as7726-32x", "4.1.0", "syntax checker: /usr/cumulus/bin/cl-consistency-check"},
	} {
		s := canonicalSample(t, c.model, c.version, 1)
		d := lab.NewDevice(&target.Device{Name: "leaf1", Role: target.Switch, Target: Target, Source: s.sw})
		read := func(user string) (facts, hints string) {
			p := probeOf(t, s.sw, "activation")
			out, errs, status := d.Run(t.Context(), user, p.Cmd, "")
			require.Equal(t, 0, status, errs)
			var list []string
			for _, s := range p.Samples([]byte(out)) {
				list = append(list, s.Name+": "+s.Fact)
				hints += s.Hint
			}
			return strings.Join(list, ", "), hints
		}
		facts, hints := read("root")
		assert.Equal(t, c.want, facts, "%s %s", c.model, c.version)
		assert.Empty(t, hints)
		if c.model != "sn2700" || c.version != "4.3.0" {
			continue
		}
		bare := *Target
		bare.Image = func(d *ir.Device) target.Image {
			img := Target.Image(d)
			without := targettest.Sim[*sim.Switchd](img.Sims)
			without.Reload, without.Checker = "", false
			return img
		}
		d = lab.NewDevice(&target.Device{Name: "leaf1", Role: target.Switch, Target: &bare, Source: s.sw})
		facts, hints = read("root")
		assert.Equal(t, "reload node: none, syntax checker: none", facts)
		assert.Contains(t, hints, "No cl-consistency-check was found")
		facts, _ = read("cumulus")
		assert.Equal(t, "syntax checker: none", facts, "users other than root may be unable to see the node")
	}
	for _, p := range probes(canonicalSample(t, "sn2700", "3.7.16", 1).sw) {
		assert.NotContains(t, []string{"activation", "syntax checker"}, p.Name, "3.7 has neither")
	}
	s := canonicalSample(t, "sn2700", "4.3.0", 1)
	d := lab.NewDevice(&target.Device{Name: "leaf1", Role: target.Switch, Target: Target, Source: s.sw})
	p := probeOf(t, s.sw, "syntax checker")
	judge := func() []string {
		out, errs, status := d.Run(t.Context(), "root", p.Cmd, "")
		require.Equal(t, 0, status, errs)
		return p.Judge([]byte(out))
	}
	assert.True(t, p.Slow)
	assert.Empty(t, judge())
	d.WriteFile(Path, []byte("pfc.port_group_list = [a]\n"), 0o644)
	wrong := judge()
	require.Len(t, wrong, 1)
	assert.Contains(t, wrong[0], "cl-consistency-check on leaf1 does not accept "+Path)
	assert.Contains(t, wrong[0], "port group a has no port_set")
	assert.Empty(t, d.Writes(), "asking writes nothing")
}

// TestVerdictOfSilence: rocec reports that a checker without output has checked nothing.
func TestVerdictOfSilence(t *testing.T) {
	p := verdictProbe("leaf1", grammar.Release{4, 3})
	for name, c := range map[string]struct{ checker, fact, wrong string }{
		"agrees":    {"echo No errors detected in it", "", ""},
		"disagrees": {"echo 'a mistake'; exit 1", "", "a mistake"},
		"fails":     {"exit 1", "none, exit status 1", ""},
		"silent":    {"true", "none, exit status 0", ""},
		"not there": {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "conf"), nil, 0o644))
			if c.checker != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, steps.Tool), []byte("#!/bin/sh\n"+c.checker+"\n"), 0o755))
			}
			cmd := exec.Command("sh", "-c", strings.ReplaceAll(p.Cmd, Path, filepath.Join(dir, "conf")))
			cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin"}
			answer, err := cmd.Output()
			require.NoError(t, err)
			samples := p.Samples(answer)
			assert.Equal(t, c.wrong != "", len(p.Judge(answer)) == 1, "%s", answer)
			assert.Contains(t, strings.Join(p.Judge(answer), ""), c.wrong)
			if assert.Len(t, samples, min(1, len(c.fact))) && c.fact != "" {
				assert.Equal(t, c.fact, samples[0].Fact)
				assert.Contains(t, samples[0].Hint, "it is unknown whether switchd accepts")
			}
		})
	}
}

// TestRefusalProbe: a refusal that switchd logs after the activation raises a counter that a change must not raise. Old refusals, other
// lines and a rotation do not raise it.
func TestRefusalProbe(t *testing.T) {
	const refused = "switchd: CRITICAL _range_limits_get: swp99 not recognized\n"
	rename := func(b *logBox) {
		require.NoError(b.t, os.Rename(filepath.Join(b.dir, "log"), filepath.Join(b.dir, "log.1")))
	}
	for name, c := range map[string]struct {
		before    string
		meanwhile func(b *logBox)
		says      string
	}{
		"nothing":          {refused, func(*logBox) {}, ""},
		"no refusal":       {refused, func(b *logBox) { b.add("log", "switchd: INFO _range_limits_get: x\nswitchd: CRITICAL fan\n") }, ""},
		"a refusal":        {refused, func(b *logBox) { b.add("log", "switchd: INFO x\n"+refused) }, "swp99 not recognized"},
		"the first one":    {"switchd: INFO x\n", func(b *logBox) { b.add("log", refused) }, "swp99 not recognized"},
		"rotated":          {refused, func(b *logBox) { rename(b); b.put("log", "switchd: INFO x\n") }, ""},
		"said and rotated": {refused, func(b *logBox) { b.add("log", refused); rename(b); b.put("log", "") }, "swp99 not recognized"},
		"cut short":        {refused + refused, func(b *logBox) { b.put("log", "") }, ""},
		"no log any more":  {refused, func(b *logBox) { require.NoError(b.t, os.Remove(filepath.Join(b.dir, "log"))) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newLogBox(t, restart)
			b.put("log", c.before)
			p := refusalProbe("leaf1")
			read := func() []target.Sample {
				status, said := b.run(p.Cmd)
				require.Equal(t, 0, status, said)
				return p.Samples([]byte(said))
			}
			first := read()
			require.Len(t, first, 1)
			c.meanwhile(b)
			said := deploy.Moved(first, read())
			if c.says == "" {
				require.Empty(t, said)
				return
			}
			require.Len(t, said, 1)
			assert.Contains(t, said[0], c.says)
		})
	}
}
