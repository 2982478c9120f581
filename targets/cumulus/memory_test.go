package cumulus

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/cumulus/steps"
)

// poolsOfThePreset contains the lines of the vendor's preset that give lossless traffic a pool.
const poolsOfThePreset = `ingress_service_pool.0.percent = 50.0
egress_service_pool.0.percent = 50.0
flow_control.service_pool = 1
ingress_service_pool.1.percent = 50.0
ingress_service_pool.1.mode = 1
egress_service_pool.1.percent = 100.0
flow_control.ingress_buffer.dynamic_quota = 9
`

// memorySample is a switch of the canonical sample with a memory model, as Compile resolves it.
func memorySample(t testing.TB, model, version string, roce int) *ir.Device {
	d := canonicalSample(t, model, version, roce).sw
	d.Switch.Can.Memory = OS.Memory(d.Switch.Model.ASIC, version, false)
	return d
}

func said(l diag.List) []string {
	var out []string
	for _, d := range l {
		out = append(out, fmt.Sprintf("%s %s", d.Severity, strings.TrimPrefix(d.Code, "cumulus-memory-")))
	}
	return out
}

// TestJudgeMemory: each problem in a file is reported at the line of the switch, and a correct file causes no finding.
func TestJudgeMemory(t *testing.T) {
	mlx, bcm := factoryFile("datapath-mlx"), factoryFile("datapath-bcm")
	change := func(text string, edits ...string) string {
		for i := 0; i < len(edits); i += 2 {
			require.Contains(t, text, edits[i])
			text = strings.Replace(text, edits[i], edits[i+1], 1)
		}
		return text
	}
	const unlimited = "priority_group.service.unlimited_egress_buffer = true"
	for _, c := range []struct {
		name, model, content string
		roce                 int
		want                 []string
		says                 string // the first
		fact                 string
	}{
		{
			"as it comes", "sn2700", mlx, 1,
			[]string{"note shared"},
			`memory = "written" in the switch block`,
			"pool of 100 %, shared with all traffic; alpha 1",
		},
		{"the preset", "sn2700", poolsOfThePreset, 1, nil, "", "pool of 50 %, for lossless traffic alone; alpha 2"},
		{"the preset, with ECN", "sn2700", poolsOfThePreset, 2, nil, "", ""},
		{"quotes and comments", "sn2700", change(poolsOfThePreset, "= 100.0", "= \"100.0\"# all “groups”"), 1, nil, "", ""},

		{
			"a pool that is not set", "sn2700", change(poolsOfThePreset, "ingress_service_pool.1.percent", "# no"), 1,
			[]string{"error pool"},
			"ingress_service_pool.1.percent is not set", "",
		},
		{
			"a pool of nothing", "sn2700", change(poolsOfThePreset, "egress_service_pool.1.percent = 100.0", "egress_service_pool.1.percent = 0"), 1,
			[]string{"error pool"},
			"egress_service_pool.1.percent is 0", "",
		},
		{
			"more than the " +
				"memory", "sn2700", change(poolsOfThePreset, "ingress_service_pool.0.percent = 50.0", "ingress_service_pool.0.percent = 60"),
			1,
			[]string{"error pool"},
			"110 %", "",
		},
		{
			"too little", "sn2700", change(poolsOfThePreset, "ingress_service_pool.1.percent = 50.0", "ingress_service_pool.1.percent = 0.5"), 1,
			[]string{"error small"},
			"less than two frames for each of them", "",
		},
		{"too little for the marks", "sn2700", change(poolsOfThePreset, "ingress_service_pool.1.percent = 50.0",
			"ingress_service_pool.1.percent = 10.0", "quota = 9", "quota = 6"), 2, []string{"warning marks"}, "(10 %, alpha 1/4)", "alpha 1/4"},
		{
			"fixed quotas", "sn2700", change(poolsOfThePreset, "ingress_service_pool.1.mode = 1", "ingress_service_pool.1.mode = 0"), 2,
			[]string{"note marks"},
			"did not judge", "fixed quotas",
		},
		{"less memory on egress than on ingress", "sn2700", change(poolsOfThePreset, "egress_service_pool.1.percent = 100.0",
			"egress_service_pool.1.percent = 40"), 1, []string{"error egress"}, "50 % of the memory on ingress, but their queues only 40 %", ""},
		{"as little memory on egress as on ingress", "sn2700", change(poolsOfThePreset, "egress_service_pool.1.percent = 100.0",
			"egress_service_pool.1.percent = 50"), 1, []string{"warning egress"}, "share 50 % of the memory", ""},
		{
			"a quota on the way out", "sn2700", poolsOfThePreset + "flow_control.egress_buffer.dynamic_quota = 11\n", 1,
			[]string{"error egress"},
			"8 times the free memory", "",
		},
		{"no quota on the way out", "sn2700", poolsOfThePreset + "flow_control.egress_buffer.dynamic_quota = 15\n", 1, nil, "", ""},
		{
			"a lossy group in the pool", "sn2700", poolsOfThePreset + "priority_group.bulk.service_pool = 1\n", 1,
			[]string{"note shared"},
			"uses pool 1, and so does other traffic (priority_group.bulk.service_pool)", "",
		},
		{
			"more than the memory, by a part of a percent", "sn2700",
			change(poolsOfThePreset, "ingress_service_pool.0.percent = 50.0", "ingress_service_pool.0.percent = 50.9",
				"ingress_service_pool.1.percent = 50.0", "ingress_service_pool.1.percent = 48.9") + "ingress_service_pool.2.percent = 0.9\n", 1,
			[]string{"error pool"},
			"100.7 %", "",
		},
		{
			"exactly the memory, with parts of a percent", "sn2700",
			change(poolsOfThePreset, "ingress_service_pool.0.percent = 50.0", "ingress_service_pool.0.percent = 33.3",
				"ingress_service_pool.1.percent = 50.0", "ingress_service_pool.1.percent = 33.4") + "ingress_service_pool.2.percent = 33.3\n", 1, nil,
			"", "",
		},
		{
			"no share of the pool", "sn2700", change(poolsOfThePreset, "quota = 9", "quota = 0"), 1,
			[]string{"error small"},
			"flow_control.ingress_buffer.dynamic_quota is 0", "alpha 0",
		},
		{"hardly a share of the pool", "sn2700", change(poolsOfThePreset, "quota = 9", "quota = 1", "ingress_service_pool.1.percent = 50.0",
			"ingress_service_pool.1.percent = 10.0"), 1, []string{"warning small"}, "alpha 1/128", ""},
		{"an empty quota of a static pool", "sn2700", change(poolsOfThePreset, "quota = 9", "quota = 0", "ingress_service_pool.1.mode = 1",
			"ingress_service_pool.1.mode = 0"), 1, []string{"note marks"}, "did not judge", "fixed quotas"},
		{
			"pools that are not stated", "sn2700", "flow_control.ingress_buffer.dynamic_quota = 8\n", 1,
			[]string{"note unread", "note shared"},
			"does not state ingress_service_pool.0.percent and egress_service_pool.0.percent", "",
		},
		{
			"an unstated ingress pool, and a small egress pool", "sn2700", "egress_service_pool.0.percent = 10.0\n", 1,
			[]string{"note unread", "note shared", "warning egress"},
			"does not state ingress_service_pool.0.percent,", "",
		},

		{"no text", "sn2700", "\x00\x01", 1, []string{"warning unread"}, "It contains NUL bytes", ""},
		{"another file", "sn2700", "hello = world\n[section]\n", 1, []string{"warning unread"}, "no key of such a file", ""},
		{"no number", "sn2700", change(mlx, "100.0", "all"), 1, []string{"warning unread"}, `to "all", which the key does not accept`, ""},
		{
			"a quota of no code", "sn2700", poolsOfThePreset + "priority_group.bulk.ingress_buffer.dynamic_quota = 16\n", 1,
			[]string{"warning unread"},
			`to "16"`, "",
		},
		{"an empty file", "sn2700", "", 1, []string{"warning unread"}, "no key of such a file", ""},

		{"the shipped file of Broadcom", "z9100", bcm, 1, nil, "", "queues of priority group service"},
		{
			"a limited group", "z9100", change(bcm, unlimited, strings.Replace(unlimited, "true", "false", 1)), 1,
			[]string{"error egress"},
			"priority_group.service.unlimited_egress_buffer is false", "",
		},
		{
			"a group without settings", "z9100", change(bcm, unlimited, "#"), 1,
			[]string{"note unread"},
			"does not state priority_group.service.unlimited_egress_buffer", "",
		},
		{
			"a pool of the group that is not set", "z9100", change(bcm, "ingress_service_pool.2.percent", "# no"), 1,
			[]string{"error pool"},
			"ingress_service_pool.2.percent is not set", "",
		},
		{
			"a pool of the group with nothing", "z9100", change(bcm, "egress_service_pool.2.percent = 90.0", "egress_service_pool.2.percent = 0"), 1,
			[]string{"error pool"},
			"egress_service_pool.2.percent is 0", "",
		},
		{
			"nothing of the pool", "z9100", change(bcm, "service.ingress_buffer.shared_percent = 4.0", "service.ingress_buffer.shared_percent = 0"),
			1,
			[]string{"error pool"},
			"priority_group.service.ingress_buffer.shared_percent is 0, and " +
				"priority_group.service.ingress_buffer.min_percent is 0", "",
		},
		{
			"a part of the pool for itself", "z9100", change(bcm, "service.ingress_buffer.shared_percent = 4.0",
				"service.ingress_buffer.shared_percent = 0", "service.ingress_buffer.min_percent = 0.0", "service.ingress_buffer.min_percent = 10.0"),
			1,
			nil, "", "min_percent 10 %",
		},
		{
			"the pool of bulk", "z9100", change(bcm, "service.service_pool = 2", "service.service_pool = 0"), 1,
			[]string{"note shared"},
			"uses pool 0, as priority group service does, and so does bulk", "pool 0 with 0 %",
		},
		{
			"a small egress pool of the " +
				"group", "z9100", change(bcm, "egress_service_pool.2.percent = 90.0", "egress_service_pool.2.percent = 1.0"), 1,
			[]string{"warning egress"},
			"On egress the pool has 1 % of the memory", "",
		},
		{
			"more than the memory of " +
				"Broadcom", "z9100", change(bcm, "ingress_service_pool.1.percent = 3.0", "ingress_service_pool.1.percent = 98.5"),
			1,
			[]string{"error pool"},
			"100.5 %", "",
		},
		{
			"a share that is not stated", "z9100", change(bcm, "priority_group.service.ingress_buffer.shared_percent", "# no"), 1,
			[]string{"note unread"},
			"does not state priority_group.service.ingress_buffer.shared_percent", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := memorySample(t, c.model, "3.7.16", c.roce)
			w := memoryWatches(d)
			require.Len(t, w, 1)
			found, facts := w[0].Judge([]byte("/where/datapath.conf\n"+c.content), "")
			require.Equal(t, c.want, said(found), "%s", found)
			if len(found) > 0 {
				assert.Contains(t, found[0].Detail, c.says)
				assert.Equal(t, d.At, found[0].At, "at the switch's line")
				assert.NotContains(t, found[0].Detail, d.Name, "equal switches share one text")
			}
			if c.fact != "" {
				require.NotEmpty(t, facts)
				assert.Contains(t, facts[0].Value, c.fact)
			}
		})
	}
}

// Every priority group with a lossless cos counts: a strict one is in control. Where marks come before pauses only with many senders, the
// finding states the number of senders, or "never" if the switch has fewer.
func TestCrowded(t *testing.T) {
	d := memorySample(t, "sn2700", "4.3.0", 2)
	var group *ir.CosGroup
	least := func(xoffs int) string {
		for _, p := range d.Ports {
			for i, m := range p.Marks() {
				own := *m
				if b := p.Carries(m.Group); b != nil {
					own.Min.N, group = xoffs*b.Xoff.N, m.Group
				}
				marks := slices.Clone(p.Marks())
				marks[i] = &own
				p.SetMarks(marks)
			}
		}
		return (&memoryJudge{device: d}).crowded()
	}
	assert.Empty(t, least(1))
	d.Fabric.Intents = append(d.Fabric.Intents, &ir.Intent{Group: group, Members: make([]*ir.Member, 9)})
	senders := d.Senders(group)
	require.Greater(t, senders, 2)
	assert.Contains(t, least(senders-1), fmt.Sprintf("only where %d ports or more fill a queue at once", senders))
	assert.Contains(t, least(senders), fmt.Sprintf(
		"never marks before ports pause: marking needs %d ports that fill a queue at once, and the switch has %d.", senders+1, senders))
}

func TestJudgeMemoryOfControl(t *testing.T) {
	s := canonicalSample(t, "z9100", "3.7.16", 1)
	spare := s.group(ir.CosGroup{Name: "spare", Cos: 2, Lossless: true, Strict: true})
	carry(s.sw.Ports[0], spare, 70000, 18000, 2000)
	file := factoryFile("datapath-bcm")
	found, facts := judgeMemory(s.sw, []byte("/p\n"+file), "")
	require.Empty(t, said(found))
	require.Len(t, facts, 2)
	found, _ = judgeMemory(s.sw, []byte("/p\n"+strings.Replace(file, "control.unlimited_egress_buffer = true",
		"control.unlimited_egress_buffer = false", 1)), "")
	require.Equal(t, []string{"error egress"}, said(found))
	assert.Contains(t, found[0].Detail, `priority group control are limited`)
	assert.Contains(t, found[0].Detail, `"spare"`)
}

// TestUnreadMemory: an unread file is reported, and never counts as correct.
func TestUnreadMemory(t *testing.T) {
	d := memorySample(t, "sn2700", "3.7.16", 1)
	found, facts := judgeMemory(d, nil, "")
	require.Equal(t, []string{"note unread"}, said(found))
	assert.Contains(t, found[0].Detail, "the file is missing at all its paths: "+
		"/usr/lib/python2.7/dist-packages/cumulus/__chip_config/mlx/datapath.conf, "+
		"/etc/mlx/datapath/datapath.conf")
	assert.Empty(t, facts)
	found, _ = judgeMemory(d, nil, "its query failed: exit status 124")
	assert.Contains(t, found[0].Detail, "exit status 124")

	assert.Empty(t, memoryWatches(newSample(t, "sn2700", "3.7.16").sw), "no lossless port, no question")
	d.Switch.Version = "5.9.0"
	assert.Empty(t, memoryWatches(d), "the rules for files judge qos_infra.conf")
	d.Switch.Version, d.Switch.MemoryWritten = "4.3.0", true
	for _, answer := range []string{"", "/p\nhello = world\n"} {
		found, facts = judgeMemory(d, []byte(answer), "")
		assert.Empty(t, found, "rocec writes the file then, and its edit refuses the switch")
		assert.Empty(t, facts)
	}
}

// TestMemoryModels: the assumed memory model of each chip, and the written one.
func TestMemoryModels(t *testing.T) {
	model := func(name, version string, written bool) ir.MemoryModel {
		d := newSample(t, name, version).sw
		return OS.Memory(d.Switch.Model.ASIC, version, written)
	}
	assert.Equal(t, ir.Alpha{Num: 1, Den: 1}, model("sn2700", "3.7.16", false).Alpha)
	assert.Equal(t, ir.Alpha{Num: 2, Den: 1}, model("sn2700", "3.7.16", true).Alpha)
	for _, name := range []string{"sn2700", "sn3700", "z9100", "s5232f"} {
		m := model(name, "4.3.0", false)
		assert.Equal(t, 50, m.Percent, name)
		assert.Equal(t, strings.HasPrefix(name, "sn"), !m.Absolute, name)
		assert.NotEmpty(t, m.PercentFrom+m.AlphaFrom)
		assert.Equal(t, m.Absolute, strings.HasPrefix(m.XoffFrom, "assumed"), "open questions are stated")
	}
	assert.Zero(t, model("z9100", "4.3.0", true), "Broadcom has no such pool")
	assert.Zero(t, model("sn2700", "3.6.2", true))
	for version, writable := range map[string]bool{"3.6.2": false, "3.7.0": true, "4.3.0": true, "4.4.0": false, "x": false} {
		assert.Equal(t, writable, memoryWritable(newSample(t, "sn2700", version).sw.Switch.Model.ASIC, version) == "", version)
	}
}

// The edit sets the values of the vendor's preset, and keeps every other byte. The result is judged as correct.
func TestEditMemory(t *testing.T) {
	d := memorySample(t, "sn2700", "4.3.0", 2)
	d.Switch.MemoryWritten, d.Switch.MemoryAt = true, at(9)
	f := memoryEdited(d)
	old := strings.ReplaceAll(factoryFile("datapath-mlx"), "# timers", "# “timers”, d\xe9j\xe0 vu\n\tother.setting=  7 # mine\r\n# timers")
	out, ds := f.Edit([]byte(old))
	require.Empty(t, ds)
	for _, line := range []string{
		"ingress_service_pool.0.percent = 50.0  # all priority groups\n", "# “timers”, d\xe9j\xe0 vu\n\tother.setting=  7 # mine\r\n",
		"# 0: fixed quotas, 1: shares of what is free\n# ingress_service_pool.0.mode = 0\n",
		"# flow_control.ingress_buffer.dynamic_quota = 8\nflow_control.ingress_buffer.dynamic_quota = 9\n", "priority_group.control.id = 0\n",
	} {
		assert.Contains(t, string(out), line)
	}
	lines, why := noMemory(out, grammar.Datapath)
	require.Empty(t, why)
	have := grammar.ValuesOf(lines)
	for _, s := range memorySettings(d)[0].settings {
		assert.Equal(t, s.value, have[s.key], s.key)
		assert.Contains(t, string(f.Sketch), s.key+" = "+s.value+"\n")
		assert.Equal(t, at(9), f.Why(s.key)[0].At)
	}
	d.Switch.MemoryWritten = false
	found, _ := judgeMemory(d, append([]byte("/p\n"), out...), "")
	assert.Empty(t, said(found))
	again, _ := f.Edit(out)
	assert.Equal(t, string(out), string(again))

	as50 := strings.ReplaceAll(string(out), "= 50.0", "= 50")
	same, _ := f.Edit([]byte(as50))
	assert.Equal(t, as50, string(same), "the same number, written in another way")

	for name, c := range map[string]struct{ old, says string }{
		"none":             {"", "The file is missing at all its paths, or empty"},
		"no such file":     {"hello = world\n", "no key of such a file"},
		"NUL":              {old + "\x00", "NUL bytes"},
		"no dynamic pools": {"ingress_service_pool.0.percent = 100\n", "shows no mode of a pool and no quota"},
		"a bad value":      {strings.Replace(old, "= 100.0 ", "= all ", 1), "which the key does not accept"},
	} {
		out, ds := f.Edit([]byte(c.old))
		require.Len(t, ds, 1, name)
		assert.Nil(t, out, name)
		assert.Equal(t, "cumulus-memory-unread", ds[0].Code)
		assert.Equal(t, at(9), ds[0].At)
		assert.Contains(t, ds[0].Detail, c.says, name)
	}
}

// The edited file is judged with the lines of others.
func TestJudgeMemoryThatIsWritten(t *testing.T) {
	d := memorySample(t, "sn2700", "4.3.0", 1)
	d.Switch.MemoryWritten, d.Switch.MemoryAt = true, at(9)
	d.Switch.Can.Memory = OS.Memory(d.Switch.Model.ASIC, "4.3.0", true)
	old := factoryFile("datapath-mlx")
	found, facts := judgeMemory(d, []byte("/p\n"+old), "")
	assert.Empty(t, said(found))
	require.Len(t, facts, 1)
	assert.Equal(t, "pool of 50 %, for lossless traffic alone; alpha 2 (/p as rocec edits it)", facts[0].Value)
	edited, why := editMemory([]byte(old), memorySettings(d))
	require.Empty(t, why)
	_, facts = judgeMemory(d, append([]byte("/p\n"), edited...), "")
	assert.Equal(t, "pool of 50 %, for lossless traffic alone; alpha 2 (/p)", facts[0].Value)
	for line, want := range map[string]string{
		"flow_control.egress_buffer.dynamic_quota = 2":  "error egress",
		"ingress_service_pool.2.percent = 90.0":         "error pool",
		"ingress_service_pool.2.percent = 0.4":          "error pool",
		"egress_service_pool.1.percent = 10.0":          "",
		"flow_control.ingress_buffer.dynamic_quota = 0": "",
	} {
		for _, content := range []string{old, string(edited)} {
			found, _ := judgeMemory(d, []byte("/p\n"+content+line+"\n"), "")
			if want == "" {
				assert.Empty(t, said(found), "%s: rocec sets it", line)
				continue
			}
			require.Equal(t, []string{want}, said(found), line)
			assert.Equal(t, d.At, found[0].At)
		}
	}
}

// Law: in any file, every line that is not rocec's keeps every byte and its place, and a second edit changes nothing.
func TestEditMemoryKeepsTheRest(t *testing.T) {
	d := memorySample(t, "sn2700", "4.3.0", 1)
	want := memorySettings(d)
	ours := map[string]bool{}
	for _, s := range want[0].settings {
		ours[s.key] = true
	}
	pool := strings.SplitAfter(factoryFile("datapath-mlx")+poolsOfThePreset+
		"dos.x = true\n\n# \xe9\xff\n  odd . key = 1\n=\nflow_control.ingress_buffer.dynamic_quota=\t8#x\nlast", "\n")
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		var old strings.Builder
		old.WriteString("# egress_service_pool.0.mode = 0" + end)
		for _, l := range rapid.SliceOfN(rapid.SampledFrom(pool), 0, 30).Draw(t, "lines") {
			old.WriteString(strings.TrimSuffix(l, "\n") + end)
		}
		out, why := editMemory([]byte(old.String()), want)
		if why != "" {
			t.Fatal(why)
		}
		foreign := func(text []byte) string {
			lines, _ := grammar.Parse(text)
			var b []byte
			for i := range lines {
				if !lines[i].Active() || !ours[lines[i].Key] {
					b = lines[i].AppendTo(b)
				}
			}
			return string(b)
		}
		rest := bytes.ReplaceAll(out, []byte(tailHeader+end), nil)
		if a, b := foreign([]byte(old.String())), foreign(rest); strings.TrimRight(a, "\r\n") != strings.TrimRight(b, "\r\n") {
			t.Fatalf("%q became %q", a, b)
		}
		if again, _ := editMemory(out, want); !bytes.Equal(out, again) {
			t.Fatalf("a second edit changes it:\n%s\n%s", out, again)
		}
	})
}

// The paths of the file, and the query for it.
func TestMemoryPlaces(t *testing.T) {
	for name, family := range map[string]string{"sn2700": "mlx", "z9100": "bcm"} {
		d := memorySample(t, name, "3.7.16", 1)
		paths := memoryPaths(d.Switch.Model.ASIC)
		assert.Equal(t, "/usr/lib/python2.7/dist-packages/cumulus/__chip_config/"+family+"/datapath.conf", paths[0])
		cmd := memoryWatches(d)[0].Query.Cmd
		assert.True(t, slices.IsSortedFunc(paths, func(a, b string) int { return strings.Index(cmd, a) - strings.Index(cmd, b) }))
	}
}

// TestAskMemory: without the model, rocec reads the memory file only if the files of one family of chips are there.
func TestAskMemory(t *testing.T) {
	t.Parallel()
	mlx, bcm := steps.MemoryOfMellanox, steps.MemoryOfBroadcom
	for _, c := range []struct {
		files []string
		want  string
	}{
		{nil, ""},
		{[]string{mlx[0]}, mlx[0]},
		{[]string{bcm[1]}, bcm[1]},
		{mlx, mlx[0]},
		{[]string{mlx[0], bcm[0]}, ""},
		{[]string{mlx[1], bcm[0]}, ""},
	} {
		root := t.TempDir()
		for _, name := range c.files {
			require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(name), 0o600))
		}
		cmd := exec.Command("sh", "-c", strings.NewReplacer(" /usr/", " "+root+"/usr/", " /etc/", " "+root+"/etc/").Replace(steps.AskMemory))
		out, err := cmd.Output()
		assert.Equal(t, c.want, string(out), c.files)
		assert.Equal(t, c.want == "", err != nil, c.files)
		assert.Equal(t, c.files == nil, cmd.ProcessState.ExitCode() == 66, c.files)
	}
}

// FuzzMemory: any answer of a switch is judged or refused, and an edit keeps the laws.
func FuzzMemory(f *testing.F) {
	for _, s := range []string{factoryFile("datapath-mlx"), factoryFile("datapath-bcm"), poolsOfThePreset, "", "\x00", "a=1\r"} {
		f.Add(s, s)
	}
	spectrum, broadcom := memorySample(f, "sn2700", "4.3.0", 2), memorySample(f, "z9100", "4.3.0", 2)
	want := memorySettings(spectrum)
	f.Fuzz(func(t *testing.T, answer, failed string) {
		for _, d := range []*ir.Device{spectrum, broadcom} {
			judgeMemory(d, []byte(answer), failed)
			judgeMemory(d, []byte("/p\n"+answer), "")
		}
		if out, why := editMemory([]byte(answer), want); why == "" {
			again, _ := editMemory(out, want)
			require.Equal(t, string(out), string(again))
		}
	})
}

// TestInfraLint: lines of others in qos_infra.conf are judged, with or without lines of rocec.
func TestInfraLint(t *testing.T) {
	for _, version := range []string{"4.4.0", "5.3.0"} {
		d := canonicalSample(t, "sn3700", version, 1).sw
		rel, _, _ := documented(version)
		factory := factoryFile(map[string]string{"4.4.0": "i1", "5.3.0": "i2"}[version])
		f := infraFile(d, rel)
		edited, ds := f.Edit([]byte(factory))
		require.Empty(t, ds)
		const pool = "ingress_service_pool.2.percent = 90.0\n"
		for name, c := range map[string]struct{ content, want string }{
			"as edited by rocec":    {string(edited), ""},
			"a pool of others":      {string(edited) + pool, "190 percent"},
			"a pool before rocec's": {factory + pool, "190 percent"},
			"from the factory":      {factory, ""},
		} {
			found, foreign := f.Lint([]byte(c.content))
			require.Empty(t, foreign)
			var wrong []string
			for _, one := range found {
				if one.Severity == diag.Error {
					wrong = append(wrong, one.Detail)
				}
			}
			if c.want == "" {
				assert.Empty(t, wrong, "%s: %s", version, name)
				continue
			}
			require.Len(t, wrong, 1, "%s: %s", version, name)
			assert.Contains(t, wrong[0], c.want)
		}
	}
}

// TestSplit: from 4.4 on half of the memory must be enough for lossless traffic.
func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		version string
		size    int // the size of each of six buffers; the chip has 34,287,552 B
		says    string
	}{
		{"5.3.0", 70_000, ""},
		{"5.3.0", 2_800_000, ""},
		{"5.3.0", 2_900_000, "reserve 17,400,000 B, and the pool for lossless traffic in qos_infra.conf is half"},
		{"4.4.0", 5_600_000, "reserve 33,600,000 B"},
		{"5.3.0", 6_000_000, ""}, // validate reports that they do not fit
		{"4.3.0", 5_600_000, ""},
	} {
		s := canonicalSample(t, "sn3700", tt.version, 1)
		s.sw.Switch.Can.Memory = OS.Memory(s.sw.Switch.Model.ASIC, tt.version, false)
		for _, p := range s.sw.Ports {
			p.Buffers()[0].Size = num(tt.size, "size")
		}
		var ds diag.List
		checkMemory(&ds, s.sw)
		if tt.says == "" {
			assert.Empty(t, text(ds), "%v", tt)
			continue
		}
		require.Len(t, ds, 1, "%v", tt)
		assert.Equal(t, "cumulus-memory-small", ds[0].Code)
		assert.Equal(t, diag.Warning, ds[0].Severity)
		assert.Contains(t, ds[0].Detail, tt.says)
	}
}
