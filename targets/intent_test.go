package targets_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/lock"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
)

// rendered returns the files of every device of a fabric, and its intent; nil: the fabric has a mistake.
func rendered(t *testing.T, text string, edit func(*lock.Row)) (bytes, intents map[string]string) {
	t.Helper()
	src, ds := lang.Load(fstest.MapFS{"fabric.hcl": {Data: []byte(text)}}, ".", lang.Options{})
	if ds.HasErrors() {
		return nil, nil
	}
	f, _ := compiler.Compile(src, targets.Known)
	if f == nil {
		return nil, nil
	}
	if edit != nil {
		src, _ = lang.Load(fstest.MapFS{"fabric.hcl": {Data: []byte(text)}}, ".", lang.Options{})
		src.Lock = &lock.File{Fabric: f.Name}
		for _, s := range f.Sizes {
			edit(s.Fresh)
			src.Lock.Rows = append(src.Lock.Rows, s.Fresh)
		}
		f, _ = compiler.Compile(src, targets.Known)
		require.NotNil(t, f)
	}
	tree, _ := targets.Render(f)
	bytes, intents = map[string]string{}, map[string]string{}
	for _, d := range tree.Devices {
		bytes[d.Name], intents[d.Name] = everything(d), d.Intent()
	}
	return bytes, intents
}

// everything returns the files of a device without content, with their modes and steps, as one text.
func everything(d *target.Device) string {
	var b strings.Builder
	for i := range d.Files {
		data, _ := d.Files[i].Edit(nil)
		fmt.Fprintf(&b, "%s %o %+v\n%s\n", d.Files[i].Path, d.Files[i].Mode, d.Files[i].Activate.Cmd, data)
	}
	return b.String()
}

// If a change by a person changes the bytes of a device, it also changes the device's intent. Otherwise apply --adopt-derived would not
// write the device.
func TestIntentShows(t *testing.T) {
	type variant struct {
		name           string
		bytes, intents map[string]string
	}
	pairs := 0
	for _, example := range []string{"rack-v1-pfc", "prepared-rack", "bonded-pair"} {
		data, err := os.ReadFile("../examples/" + example + "/fabric.hcl")
		require.NoError(t, err)
		text := string(data)
		bytes, intents := rendered(t, text, nil)
		all := []variant{{"as it is", bytes, intents}}
		for _, e := range [][2]string{
			{"weight   = 50", "weight = 49"},
			{"weight   = 60", "weight = 59"},
			{"cos      = 4", "cos = 3"},
			{"cos      = 4", "cos = 5"},
			{"af31", "af32"},
			{`["af31"]`, `["af31", "af32"]`},
			{`["af31"]`, `["af32", "af31"]`},
			{"strict = true", "weight = 1"},
			{"ecn {}", `ecn { min = "200KiB" }`},
			{"ecn {}", "ecn { probability = 50 }"},
			{"ecn {}", ""},
			{"lossless = true", "lossless = true\n  pfc { buffer = \"99000B\" }"},
			{"lossless = true", "lossless = true\n  pfc { xoff = \"20000B\" }"},
			{"lossless = true", "lossless = true\n  pcp = [4, 3]"},
			{"lossless = true", "lossless = false"},
			{`"3m"`, `"7m"`},
			{`"30m"`, `"70m"`},
			{`length = "3m"`, "length = \"3m\"\n  mtu = 4200"},
			{`"25G"`, `"10G"`},
			{`"100G"`, `"40G"`},
			{`version = "4.3.0"`, `version = "3.7.16"`},
			{`version = "3.4.3"`, `version = "4.3.0"`},
			{"sn2700", "sn2410"},
			{"vlan      = 100", "vlan = 200"},
			{"connectx-5", "connectx-6"},
			{`model = "connectx-5"`, "model = \"connectx-5\"\n    ttl = 9"},
			{`model = "connectx-5"`, "model = \"connectx-5\"\n    tos = 4"},
			{`model = "connectx-5"`, "model = \"connectx-5\"\n    vf_roce = { 0 = false }"},
			{`model = "connectx-5"`, "model = \"connectx-5\"\n    ip = \"192.0.2.${self.index + 1}/24\""},
			{`model = "connectx-5"`, "model = \"connectx-5\"\n    traffic_class {\n      tos = 8\n      src = \"192.0.2.9\"\n    }"},
			{`model = "connectx-5"`, "model = \"connectx-5\"\n    traffic_class {\n      tos = 16\n      src = \"192.0.2.9\"\n    }"},
			{`model = "connectx-5"`, "model = \"connectx-5\"\n    traffic_class {\n      tos = 8\n      dst = \"192.0.2.9\"\n    }"},
			{"cnp       = cos_group.cnp", ""},
			{"members   = [host.gpu]", `members = ["gpu[01-04]"]`},
			{"members   = [host.store]", `members = ["store[1-3]"]`},
			{`fabric "`, "variable \"unused\" { default = 1 }\nfabric \""},
			{"planned = !var.cabled", "planned = var.cabled"},
			{"fabric \"growing\" {", "fabric \"growing\" {\n  flow_control = \"pause\""},
			{"fabric \"rack\" {", "fabric \"rack\" {\n  flow_control = \"pause\""},
			{"fabric \"growing\" {", "fabric \"growing\" {\n  mtu = 9000"},
			{"gpu[09-12]:ens1f0", "gpu[12,11,10,09]:ens1f0"},
		} {
			edited := strings.ReplaceAll(text, e[0], e[1])
			if edited == text {
				continue
			}
			now, meant := rendered(t, edited, nil)
			if now == nil {
				continue
			}
			if strings.Contains(e[0], "planned") || strings.Contains(e[1], "unused") {
				assert.Equal(t, all[0], variant{"as it is", now, meant}, "%q changes nothing", e[1])
			}
			all = append(all, variant{e[0] + " -> " + e[1], now, meant})
		}
		for i, a := range all {
			for _, b := range all[:i] {
				for name := range a.bytes {
					if _, there := b.bytes[name]; there && a.bytes[name] != b.bytes[name] {
						assert.NotEqual(t, a.intents[name], b.intents[name], "%s: from %q to %q changes %s", example, b.name, a.name, name)
						pairs++
					}
				}
			}
		}
	}
	require.Greater(t, pairs, 1000, "devices that get other bytes")
}

// Other rules of rocec, here kept by a lock, change bytes but no intent.
func TestIntentWithoutRules(t *testing.T) {
	data, err := os.ReadFile("../examples/prepared-rack/fabric.hcl")
	require.NoError(t, err)
	bytes, intents := rendered(t, string(data), nil)
	other, same := rendered(t, string(data), func(r *lock.Row) {
		for i := range r.Numbers {
			r.Numbers[i].N -= r.Numbers[i].N / 10
		}
	})
	assert.Equal(t, intents, same)
	changed := 0
	for name := range bytes {
		if bytes[name] != other[name] {
			changed++
		}
	}
	assert.Equal(t, 5, changed, "every switch")
}
