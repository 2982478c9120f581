package sonic_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/sonic"
	"github.com/rocec/rocec/targets/sonic/grammar"
	gate "github.com/rocec/rocec/targets/sonic/steps"
)

var (
	update = flag.Bool("update", false, "rewrite testdata")
	whole  = flag.Bool("whole", false, "every query in every shell, every merge on every release, and texts of a megabyte")
)

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// told writes a sequence as text.
func told(steps []grammar.Stage) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "# %s; down: %s\n", s.Doc, strings.Join(s.Ports, " "))
		if len(s.Ops) > 0 {
			b.Write(grammar.JSON(s.Ops))
		}
		b.WriteString(s.Script())
	}
	return b.String()
}

func sequence(t require.TestingT, w *sonic.Wish, before, after string) []grammar.Stage {
	steps, refused, err := w.Sequence([]byte(before), []byte(after))
	require.NoError(t, err)
	require.Empty(t, refused)
	for _, ways := range [][2]string{{before, after}, {after, before}} {
		step, _ := w.File().Choose([]byte(ways[0]), []byte(ways[1]), nil)
		err := gate.Check(commands.Sum([]byte(ways[0])), commands.Sum([]byte(ways[1])), []byte(step.Stdin))
		require.NoError(t, err, step.Stdin)
	}
	return steps
}

// document returns a state as a document of tables.
func document(t testing.TB, w *sonic.Wish, state string) string {
	t.Helper()
	forms := w.File().Forms
	require.Len(t, forms, 2)
	require.Equal(t, sonic.DocumentPath, forms[0].Path)
	return string(forms[0].Of([]byte(state)))
}

// TestGolden: for several releases, the configuration of a rack from nothing, as rows and as a document, and the commands for a switch
// that has the tables of its template.
func TestGolden(t *testing.T) {
	for _, release := range []string{"202205", "202505", "202511"} {
		w := wish(t, device(t, on(release), "tor1"))
		fresh := edit(t, w, "")
		golden(t, "rack-"+release+".rows", fresh)
		golden(t, "rack-"+release+".json", document(t, w, fresh))
		old := usual(release).state()
		golden(t, "rack-"+release+".told", told(sequence(t, w, old, edit(t, w, old))))
	}
}

// boxes are the switches that a device may turn out to be. Each has the device's ports and two others.
func boxes(d *ir.Device) map[string]box {
	names := []string{"Ethernet900", "Ethernet904"}
	for _, p := range d.Ports {
		names = append(names, p.Name)
	}
	base := usual(d.Switch.Version)
	base.ports, base.step, base.watched = names, 4, names[0]
	if d.Switch.Model.ASIC.Vendor == "broadcom" {
		base.asic, base.hwsku = "broadcom", "Force10-S6100"
	}
	out := map[string]box{"template": base}
	add := func(name string, change func(*box)) {
		b := base
		change(&b)
		out[name] = b
	}
	add("dynamic", func(b *box) { b.model = "dynamic" })
	add("no lookup", func(b *box) { b.lookup = nil })
	add("unknown hwsku", func(b *box) { b.hwsku = "Own-X" })
	add("down", func(b *box) { b.down = map[string]bool{names[2]: true} })
	add("no qos", func(b *box) { b.qos = false })
	add("no watchdogs", func(b *box) { b.unwatched = true })
	add("no watchdogs, unknown", func(b *box) { b.unwatched, b.hwsku = true, "Own-X" })
	return out
}

// speeds returns the speed that all ports of a device share; not ok: they differ.
func speeds(d *ir.Device) (string, bool) {
	speed := d.Ports[0].Speed()
	for _, p := range d.Ports {
		if p.Speed() != speed {
			return "", false
		}
	}
	return fmt.Sprint(speed), true
}

// everything returns the switches in the examples that rocec can configure at a release.
func everything(t testing.TB, release string) []*ir.Device {
	t.Helper()
	var out []*ir.Device
	all := examples(t, release)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, d := range all[name].Devices {
			if d.Switch == nil || d.ByHand != nil || len(d.Ports) == 0 || d.Switch.Version != release {
				continue
			}
			if ds := sonic.Check(d); ds.HasErrors() {
				require.Contains(t, []string{"sonic-trust", "sonic-marking", "sonic-pause"}, ds[0].Code, "%s: %s", d.Name, ds[0].Detail)
				continue
			}
			out = append(out, d)
		}
	}
	require.NotEmpty(t, out)
	return out
}

// TestEditLaws: editing twice equals editing once, and settings of others stay. The sequence brings a switch to the new state and back,
// takes no port down more often than needed, and is empty afterwards.
func TestEditLaws(t *testing.T) {
	machinetest.Long(t)
	ran := map[string]int{}
	for i, release := range []string{"202205", "202405", "202505", "202511", "202605"} {
		for n, d := range everything(t, release) {
			speed, same := speeds(d)
			if n%5 != i || !same {
				continue
			}
			w, _ := sonic.For(d)
			for name, b := range boxes(d) {
				b.speed = speed
				old := b.state()
				out, ds := w.Edit([]byte(old))
				if name == "no lookup" && ds.HasErrors() {
					require.Equal(t, "sonic-cable", ds[0].Code, ds[0].Detail)
					continue
				}
				if ds.HasErrors() { // marking without a profile that a patch can change
					require.Equal(t, "sonic-patch", ds[0].Code, ds[0].Detail)
					require.True(t, name == "no qos" && release < "202511" || strings.Contains(name, "unknown") && release < "202511", name)
					continue
				}
				ran[name]++
				laws(t, w, b, old, string(out))
			}
		}
	}
	for name, n := range ran {
		assert.Greater(t, n, 5, name)
	}
	assert.Len(t, ran, 7)
}

func laws(t *testing.T, w *sonic.Wish, b box, old, out string) {
	t.Helper()
	again, ds := w.Edit([]byte(out))
	require.False(t, ds.HasErrors())
	require.Equal(t, out, string(again))

	before, after := read(t, old), read(t, out)
	ours := map[string]bool{}
	for _, k := range append(w.Keys([]byte(old)), w.Keys([]byte(out))...) {
		ours[k.Name] = ours[k.Name] || k.Ours
	}
	for i := range grammar.Tables {
		table := grammar.Tables[i].Name
		for _, c := range []struct{ from, to *grammar.Config }{{before, after}, {after, before}} {
			for _, key := range c.from.Keys(table) {
				for _, field := range c.from.Row(table, key).Names() {
					if !ours[table+"."+key+"."+field] {
						require.Equal(t, c.from.Get(table, key, field), c.to.Get(table, key, field), "%s %s %s is not rocec's", table, key, field)
					}
				}
			}
		}
	}

	m := newModel(t, b, old)
	m.run(sequence(t, w, old, out))
	if b.lookup == nil { // groups made by the buffer manager are read back, and not predicted
		now, ds := w.Edit(m.cfg.Rows())
		require.False(t, ds.HasErrors())
		require.Empty(t, sequence(t, w, string(m.cfg.Rows()), string(now)))
		return
	}
	m.same(out)
	for p, n := range m.flaps {
		require.LessOrEqual(t, n, 2, p)
	}
	require.Empty(t, sequence(t, w, out, out))

	back := string(m.cfg.Rows())
	steps, refused, err := w.Sequence([]byte(back), []byte(old))
	require.NoError(t, err)
	require.Empty(t, refused)
	m.run(steps)
	m.same(old)
}

// TestEditForeign: all rows of others stay, and so do other fields in rows that rocec edits.
func TestEditForeign(t *testing.T) {
	w := wish(t, device(t, on("202511"), "tor1"))
	base := usual("202511").state()
	rapid.Check(t, func(t *rapid.T) {
		c := read(t, base)
		type at struct{ table, row, field string }
		drawn := map[at]string{}
		for range rapid.IntRange(0, 10).Draw(t, "settings") {
			x := rapid.SampledFrom([]at{
				{"SCHEDULER", "own", "weight"},
				{"DSCP_TO_TC_MAP", "own", "26"},
				{"WRED_PROFILE", "AZURE_LOSSLESS", "red_drop_probability"},
				{"PORT_QOS_MAP", "Ethernet0", "scheduler"},
				{"PORT_QOS_MAP", "Ethernet16", "pfc_enable"},
				{"QUEUE", "Ethernet16|3", "scheduler"},
				{"QUEUE", "Ethernet0|8", "scheduler"},
				{"CABLE_LENGTH", "AZURE", "Ethernet16"},
				{"BUFFER_PG", "Ethernet0|0", "profile"},
				{"BUFFER_PG", "Ethernet16|3-4", "profile"},
				{"PFC_WD", "Ethernet16", "action"},
				{"PFC_WD", "Ethernet0", "action"},
				{"BUFFER_QUEUE", "Ethernet0|3-4", "profile"},
				{"PORT", "Ethernet0", "mtu"},
				{"BUFFER_PROFILE", "own", "xoff"},
			}).Draw(t, "at")
			drawn[x] = rapid.SampledFrom([]string{"1", "alert", "scheduler.1"}).Draw(t, "text")
			c.Put(x.table, x.row, x.field, drawn[x])
		}
		old := c.Rows()
		out, ds := w.Edit(old)
		require.False(t, ds.HasErrors())
		after := read(t, string(out))
		for x, text := range drawn {
			require.Equal(t, text, after.Get(x.table, x.row, x.field), "%v", x)
		}
	})
}

// TestWatchdogTimes: watchdog times that only rocec sets grow with the ports of the switch, like those of `pfcwd start_default`.
// Times that others set stay.
func TestWatchdogTimes(t *testing.T) {
	w := wish(t, device(t, on("202511"), "tor1"))
	for _, c := range []struct {
		ports int
		want  string
	}{{5, "200"}, {32, "200"}, {33, "400"}, {64, "400"}, {65, "600"}, {128, "800"}} {
		b := usual("202511")
		b.unwatched, b.watched = true, ""
		cfg := read(t, b.state())
		for n := len(b.ports); n < c.ports; n++ {
			cfg.Put("PORT", "Ethernet"+strconv.Itoa(200+n), "admin_status", "down")
		}
		out := read(t, edit(t, w, string(cfg.Rows())))
		assert.Equal(t, c.want, out.Get("PFC_WD", "GLOBAL", "POLL_INTERVAL"), "%d ports", c.ports)
		for _, field := range []string{"detection_time", "restoration_time"} {
			assert.Equal(t, c.want, out.Get("PFC_WD", "Ethernet0", field), "%d ports", c.ports)
		}
		cfg.Put("PFC_WD", "GLOBAL", "POLL_INTERVAL", "100")
		cfg.Put("PFC_WD", "Ethernet0", "detection_time", "300")
		out = read(t, edit(t, w, string(cfg.Rows())))
		assert.Equal(t, []string{"100", "300"}, []string{
			out.Get("PFC_WD", "GLOBAL", "POLL_INTERVAL"), out.Get("PFC_WD", "Ethernet0", "detection_time"),
		}, "%d ports", c.ports)
	}
}
