package mlx5

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/nic"
)

// checked is the output of check --json as the tests decode it.
type checked struct {
	Host  string
	Boot  string `json:"boot_id"`
	Files []struct{ Path, SHA256 string }
	NICs  []struct {
		Name, Driver string
		Settings     map[string]string
		GIDs         []string
		Good         bool
		Differs      []string
	}
}

// The document contains the output of show, gids and check for every NIC, and the hash of every file. Printing the document changes
// nothing. Each host runs in one of the shells, in turn; with -whole, in every shell.
func TestCheckJSON(t *testing.T) {
	hosts := fixtures(t)
	for i, host := range slices.Sorted(maps.Keys(hosts)) {
		d := hosts[host]
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, d).inbox()
			m.Write("proc/sys/kernel/hostname", "gpu1")
			m.Write("proc/sys/kernel/random/boot_id", "7f3a")
			ours := nic.Of(d, Driver)
			before := m.Snapshot()
			for shell, run := range rotate(i) {
				r := run(m.Machine, "check", "--json")
				require.Empty(t, r.Err, shell)
				assert.Equal(t, 1, r.Code, "the factory's settings differ")
				var doc checked
				require.NoError(t, json.Unmarshal([]byte(r.Out), &doc), "%s: %s", shell, r.Out)
				assert.Equal(t, "gpu1 7f3a", doc.Host+" "+doc.Boot)
				require.Len(t, doc.NICs, len(ours))
				for i, n := range ours {
					got := doc.NICs[i]
					assert.Equal(t, n.Name+" mlx5_core", got.Name+" "+got.Driver)
					shown := map[string]string{}
					for line := range strings.Lines(run(m.Machine, "show", n.Name).Out) {
						key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
						shown[key] = value
					}
					assert.Equal(t, shown, got.Settings, shell)
					assert.Equal(t, strings.Fields(run(m.Machine, "gids", n.Name).Out), strings.Fields(strings.Join(got.GIDs, " ")))
					c := run(m.Machine, "check", n.Name)
					assert.Equal(t, c.Code == 0, got.Good)
					assert.Equal(t, strings.TrimSpace(c.Out), strings.Join(got.Differs, "\n"))
				}
				require.Len(t, doc.Files, len(ours))
				for _, f := range doc.Files {
					content, err := os.ReadFile(m.Path(f.Path))
					require.NoError(t, err)
					assert.Equal(t, deploy.Sum(content), f.SHA256)
				}
			}
			require.Empty(t, m.Changed(before))
			good := 0
			for _, n := range ours {
				if m.Exec("dash", []string{"apply", n.Name}).Code == 0 {
					good++
				}
			}
			r := m.Exec("dash", []string{"check", "--json"})
			if host == "options" { // the driver of this host lacks ttl, traffic_rules and virtual functions
				assert.Zero(t, good)
				assert.Equal(t, 1, r.Code)
				assert.Contains(t, r.Out, `"ttl is unsupported: the driver has no ttl; install MLNX_OFED, not 32"`)
				return
			}
			require.Len(t, ours, good)
			assert.Zero(t, r.Code, r.Out)
			assert.NotContains(t, r.Out, `"good":false`)
		})
	}
}

// The document is valid JSON and contains every value unchanged, even one with arbitrary bytes.
func TestCheckJSONEscapes(t *testing.T) {
	t.Parallel()
	d := fixtures(t)["v2"]
	all := make([]byte, 0, 256)
	for b := 1; b < 256; b++ {
		if b != '\n' {
			all = append(all, byte(b))
		}
	}
	latin := func(s string) string { // latin maps each byte to the code point of the same number
		var b strings.Builder
		for i := range len(s) {
			b.WriteRune(rune(s[i]))
		}
		return b.String()
	}
	for i, value := range []string{`"},{"name":"x`, `back\slash`, "tab\tand space", "é$(touch /x)`id`", "[a]^~!#-]", string(all), "*"} {
		var not []string
		if !json.Valid(fmt.Appendf(nil, "%q", value)) {
			not = []string{"interp"} // strings of the interpreter lose bytes that are not valid UTF-8
		}
		for shell, run := range rotate(i, not...) {
			m := newMachine(t, d).inbox()
			m.Write("proc/sys/kernel/hostname", value)
			m.Write("sys/class/net/ens1f0/mtu", value)
			r := run(m.Machine, "check", "--json")
			var doc checked
			require.NoError(t, json.Unmarshal([]byte(r.Out), &doc), "%s: %q\n%s", shell, value, r.Out)
			assert.Equal(t, strings.Trim(latin(value), " \t"), doc.Host, shell)
			assert.Equal(t, doc.Host, doc.NICs[0].Settings["mtu"], shell)
		}
	}
}

// If a host lacks an input of the document, the document reports the gap and is still valid JSON.
func TestCheckJSONPoor(t *testing.T) {
	d := fixtures(t)["v2"]
	for i, c := range []struct {
		name  string
		spoil func(*machine)
		want  []string
	}{
		{"no value file", func(m *machine) { m.Remove("etc/rocec/host/ens1f0.conf") }, []string{`"files":[],"nics":[]`}},
		{
			"no interface", func(m *machine) { m.Write("etc/rocec/host/ens9.conf", "pfc=0,0,0,0,0,0,0,0") },
			[]string{`"name":"ens9","driver":"","settings":{},"gids":[],"good":false,"differs":["there is no such interface"]`},
		},
		{
			"a wrong value file", func(m *machine) { m.Write("etc/rocec/host/ens1f0.conf", "pfc=9") },
			[]string{`"good":false,"differs":["rocec-host: ens1f0: /etc/rocec/host/ens1f0.conf: not a setting of this script: pfc=9"]`, `"pfc":"`},
		},
		{"lldpad", func(m *machine) { m.Write("fake/lldpad", "") }, []string{"lldpad is active"}},
		{"no sha256sum", func(m *machine) { m.Command("sha256sum", "exit 127") }, []string{`"sha256":null`}},
		{"a file of another family", func(m *machine) {
			m.Write("etc/rocec/host/ens7.conf", "# RoCE settings of one NIC, written by rocec and applied by /usr/local/sbin/rocec-host-bnxt.")
		}, []string{`/etc/rocec/host/ens7.conf","sha256"`}},
	} {
		for shell, run := range rotate(i) {
			t.Run(c.name+"/"+shell, func(t *testing.T) {
				t.Parallel()
				m := newMachine(t, d).inbox()
				c.spoil(m)
				r := run(m.Machine, "check", "--json")
				assert.True(t, json.Valid([]byte(r.Out)), r.Out)
				assert.Empty(t, r.Err)
				for _, w := range c.want {
					assert.Contains(t, r.Out, w)
				}
				assert.NotContains(t, r.Out, `"name":"ens7"`)
			})
		}
	}
}
