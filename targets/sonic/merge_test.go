package sonic_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/sonic"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/sim"
	"github.com/rocec/rocec/targets/target"
)

// theirs is a simulated switch that another tool configures.
type theirs struct {
	t *testing.T
	*lab.Device
	live string // the command that prints its state
}

func bootTheirs(t *testing.T, d *ir.Device, b sim.Box) theirs {
	b.Release, b.ASIC, b.Spectrum = d.Switch.Version, "mellanox", 3
	b.HwSKU, b.Platform = "ACS-MSN4700", "x86_64-mlnx_msn4700-r0"
	for i, n := range []int{0, 8, 32, 40, 72, 80} {
		b.Ports = append(b.Ports, sim.Port{
			Name: fmt.Sprintf("Ethernet%d", n), Alias: fmt.Sprintf("etp%d", n/8+1), Index: i + 1, SpeedMbps: 100_000,
			Lanes: fmt.Sprintf("%d,%d,%d,%d", n, n+1, n+2, n+3),
		})
	}
	image := func(*ir.Device) target.Image { return sim.New(b).Image() }
	one := &target.Device{Name: d.Name, Role: target.Switch, Target: &target.Target{User: "admin", Image: image}}
	f := wish(t, d).File()
	return theirs{t, lab.NewDevice(one), f.Live.Cmd}
}

// root runs a command. failed is the output of a command that failed.
func (b theirs) root(cmd string) (out, failed string) {
	b.t.Helper()
	out, errs, status := b.Run(b.t.Context(), "root", cmd, "")
	if status != 0 {
		return out, out + errs
	}
	return out, ""
}

// state returns the state of the switch, as rocec reads it.
func (b theirs) state() string {
	b.t.Helper()
	out, failed := b.root(b.live)
	require.Empty(b.t, failed)
	return out
}

// merge loads a form of rocec's settings by the command that other tools use for it.
func (b theirs) merge(form target.Form, content []byte) (failed string) {
	b.t.Helper()
	b.WriteFile("/tmp/form.json", form.Of(content), 0o644)
	cmd := "config load /tmp/form.json -y"
	if form.Path == sonic.PatchPath {
		cmd = "config apply-patch /tmp/form.json"
	}
	_, failed = b.root(cmd)
	return failed
}

// load adds settings of others.
func (b theirs) load(text string) {
	b.t.Helper()
	b.WriteFile("/tmp/own.json", []byte(text), 0o644)
	_, failed := b.root("config load /tmp/own.json -y")
	require.Empty(b.t, failed)
}

// leaves returns the fields of a state, by table, row and name.
func leaves(t *testing.T, state string) map[string]string {
	out := map[string]string{}
	for name, s := range read(t, state).Tables {
		for key, row := range s.Rows {
			for field, v := range row.Fields {
				out[name+"."+key+"."+field] = v.Text
			}
		}
	}
	return out
}

// theirSettings are settings of others, in addition to those of the template.
var theirSettings = map[string]string{
	"nothing": `{}`,
	"objects": `{"DSCP_TO_TC_MAP": {"theirs": {"26": "4"}}, "SCHEDULER": {"theirs": {"type": "STRICT"}},
		"QUEUE": {"Ethernet40|5": {"scheduler": "theirs"}}, "PORT_QOS_MAP": {"Ethernet40": {"dscp_to_tc_map": "theirs"}}}`,
	"stale": `{"SCHEDULER": {"ROCEC-9": {"type": "STRICT"}}, "DSCP_TO_TC_MAP": {"ROCEC": {"26": "7"}},
		"DOT1P_TO_TC_MAP": {"ROCEC": {"3": "3"}}, "PORT_QOS_MAP": {"Ethernet0": {"dot1p_to_tc_map": "ROCEC"}},
		"QUEUE": {"Ethernet8|1": {"wred_profile": "AZURE_LOSSLESS"}}}`,
	"watched": `{"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "400"},
		"Ethernet0": {"action": "forward", "detection_time": "400", "restoration_time": "800"}}}`,
}

// TestMerge: other tools can merge either form of rocec's settings by SONiC's own commands. The switch then has the settings of apply,
// whatever others have set before. plan lists the settings that a merge leaves unchanged, and the test lists their tables for each form.
// Without -whole, every second combination of release, settings and form is run.
func TestMerge(t *testing.T) {
	left := map[string]map[string]bool{}
	for nth, r := range grammar.Releases {
		for of, name := range append(slices.Sorted(maps.Keys(theirSettings)), sim.Dynamic) {
			for i := range 2 {
				if !*whole && (nth+of+i)%2 != 0 {
					continue
				}
				d := device(t, on(r.String()), "tor1")
				w := wish(t, d)
				f := w.File()
				form := f.Forms[i]
				at := fmt.Sprintf("%s, %s, %s", r, name, form.Path)
				box := sim.Box{QoS: sim.Template}
				kind := form.Path
				if name == sim.Dynamic {
					box.Model = sim.Dynamic
					kind += ", " + name
				} else if name == "stale" {
					kind += ", " + name
				}
				if left[kind] == nil {
					left[kind] = map[string]bool{}
				}
				b := bootTheirs(t, d, box)
				b.load(cmp.Or(theirSettings[name], "{}"))
				before := b.state()
				document, ds := f.Edit(nil)
				require.Empty(t, ds)
				require.Empty(t, b.merge(form, document), at)

				after := b.state()
				want := edit(t, w, after)
				is, should, applied := leaves(t, after), leaves(t, want), leaves(t, edit(t, w, before))
				differs := deploy.Differs(&f, []byte(after))
				note := func(key, text string) {
					table, _, _ := strings.Cut(key, ".")
					left[kind][table] = true
					assert.Contains(t, differs, text, at)
				}
				for key, text := range should {
					switch have, ok := is[key]; {
					case !ok:
						note(key, key+" is missing")
					case have != text:
						note(key, key+" is "+have+", not "+text)
					}
				}
				for key := range is {
					if _, ok := should[key]; !ok {
						note(key, key+" is there")
					}
				}
				for key, text := range applied { // after the merge, plan leads to the state that apply makes
					if !strings.HasPrefix(key, "PFC_WD.") && !strings.HasPrefix(key, "BUFFER_PG.") {
						require.Equal(t, text, should[key], "%s: %s", at, key)
					}
				}
				for key, text := range leaves(t, before) { // settings of others did not change
					if strings.Contains(key, "theirs") || strings.Contains(key, "Ethernet40") || strings.Contains(key, ".AZURE.") &&
						!strings.HasPrefix(key, "CABLE_LENGTH.") {
						require.Equal(t, text, is[key], "%s: %s", at, key)
					}
				}
			}
		}
	}
	tables := map[string]string{}
	for kind, of := range left {
		tables[kind] = strings.Join(slices.Sorted(maps.Keys(of)), " ")
	}
	assert.Equal(t, map[string]string{
		sonic.DocumentPath:               "BUFFER_PG QUEUE",
		sonic.DocumentPath + ", dynamic": "BUFFER_PG CABLE_LENGTH QUEUE",
		sonic.DocumentPath + ", stale":   "BUFFER_PG DOT1P_TO_TC_MAP PORT_QOS_MAP QUEUE SCHEDULER",
		sonic.PatchPath:                  "BUFFER_PG PFC_WD",
		sonic.PatchPath + ", dynamic":    "BUFFER_PG CABLE_LENGTH PFC_WD",
		sonic.PatchPath + ", stale":      "BUFFER_PG DOT1P_TO_TC_MAP PFC_WD SCHEDULER",
	}, tables)
}

// TestForms: both forms have the same settings, except for those that the release refuses in a patch.
func TestForms(t *testing.T) {
	for _, r := range grammar.Releases {
		f := wish(t, device(t, on(r.String()), "tor1")).File()
		whole, ds := f.Edit(nil)
		require.Empty(t, ds)
		require.Equal(t, []string{sonic.DocumentPath, sonic.PatchPath}, []string{f.Forms[0].Path, f.Forms[1].Path})
		var doc map[string]map[string]map[string]string
		require.NoError(t, json.Unmarshal(f.Forms[0].Of(whole), &doc), "values are text, and no member is rocec's own")
		data, err := json.Marshal(f.Data(whole))
		require.NoError(t, err)
		document, err := json.Marshal(map[string]any{"config_db": doc})
		require.NoError(t, err)
		assert.JSONEq(t, string(document), string(data))

		var patch []struct {
			Op, Path string
			Value    any
		}
		require.NoError(t, json.Unmarshal(f.Forms[1].Of(whole), &patch))
		unescape := strings.NewReplacer("~1", "/", "~0", "~")
		last := ""
		for _, o := range patch {
			parts := strings.Split(unescape.Replace(o.Path), "/")
			table, key := parts[1], parts[2]
			port, _, _ := strings.Cut(key, "|")
			if strings.HasPrefix(port, "Ethernet") {
				require.GreaterOrEqual(t, strings.Compare(fmt.Sprintf("%14s", port), last), 0, "the rows of a port follow each other")
				last = fmt.Sprintf("%14s", port)
			} else {
				require.Empty(t, last, "objects come first")
			}
			text, _ := json.Marshal(o.Value)
			var want []byte
			switch {
			case len(parts) == 3:
				require.Equal(t, "add", o.Op)
				want, _ = json.Marshal(doc[table][key])
				delete(doc[table], key)
			default:
				require.Equal(t, map[string]string{"CABLE_LENGTH": "add", "WRED_PROFILE": "replace"}[table], o.Op)
				want, _ = json.Marshal(doc[table][key][parts[3]])
				delete(doc[table][key], parts[3])
			}
			require.JSONEq(t, string(want), string(text), o.Path)
		}
		var out []string // of the patch
		for _, table := range slices.Sorted(maps.Keys(doc)) {
			for _, key := range slices.Sorted(maps.Keys(doc[table])) {
				for _, field := range slices.Sorted(maps.Keys(doc[table][key])) {
					if table != "PFC_WD" {
						out = append(out, table+"."+key+"."+field)
					}
				}
			}
		}
		require.NotEmpty(t, doc["PFC_WD"], "no release accepts it")
		if r < 202511 {
			assert.Equal(t, []string{"WRED_PROFILE.AZURE_LOSSLESS.ecn", "WRED_PROFILE.AZURE_LOSSLESS.wred_green_enable"}, out, r)
		} else {
			assert.Empty(t, out, r)
		}
	}
	f := wish(t, device(t, rack, "tor1")).File()
	for _, form := range f.Forms {
		assert.Empty(t, form.Of([]byte("a")), "a text that is not a state has no form")
	}
	assert.Empty(t, f.Data([]byte("a")))
}

// TestMergeRefused: a switch without the tables refuses the whole patch, and accepts the whole document.
func TestMergeRefused(t *testing.T) {
	for _, r := range []string{"202205", "202505", "202511"} {
		d := device(t, on(r), "tor1")
		f := wish(t, d).File()
		document, ds := f.Edit(nil)
		require.Empty(t, ds)
		b := bootTheirs(t, d, sim.Box{})
		before := b.state()
		failed := b.merge(f.Forms[1], document)
		if r == "202511" {
			assert.Contains(t, failed, "CABLE_LENGTH", r) // the row of all ports
		} else {
			assert.Contains(t, failed, "Failed to apply patch", r)
		}
		require.Equal(t, before, b.state())
		require.Empty(t, b.merge(f.Forms[0], document))
		now := leaves(t, b.state())
		for key, text := range leaves(t, string(document)) {
			require.Equal(t, text, now[key], key)
		}
	}
}
