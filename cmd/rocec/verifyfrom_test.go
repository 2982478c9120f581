package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/target"
)

// Hosts in factory state get an overlay and boot, without any command. Then verify finds their reports good.
func TestOverlayBoots(t *testing.T) {
	setenv(t, "COLUMNS", "1000")
	for _, example := range []string{"rack-v1-pfc", "bonded-pair", "pods-ebgp"} {
		t.Run(example, func(t *testing.T) {
			dir, out, from := filepath.Join("../../examples", example), t.TempDir(), t.TempDir()
			code, _, stderr := rocec(t, "build", "--as", "overlay", "-o", out, dir)
			require.Equal(t, exit.Good, code, stderr)
			data, err := os.ReadFile(filepath.Join(out, manifestName))
			require.NoError(t, err)
			var doc manifest
			require.NoError(t, json.Unmarshal(data, &doc))
			byName := map[string]*target.Device{}
			a := newApp(&person.Person{Getenv: func(string) string { return "" }})
			f, err := a.Load(dir)
			require.NoError(t, err)
			for _, d := range f.Tree().Devices {
				byName[d.Name] = d
			}
			for _, of := range doc.Tars {
				data, err := os.ReadFile(filepath.Join(out, of.File))
				require.NoError(t, err)
				for _, host := range of.Hosts {
					d := lab.NewDevice(byName[host])
					for name, held := range unpacked(t, data) {
						if to, link := strings.CutPrefix(held.text, "-> "); link {
							_, errs, status := d.Run(t.Context(), "root", fmt.Sprintf("mkdir -p '%s' && ln -s '%s' '/%s'", filepath.Dir("/"+name), to, name), "")
							require.Zero(t, status, errs)
						} else {
							d.WriteFile("/"+name, []byte(held.text), held.mode)
						}
					}
					d.Reboot()
					text, errs, status := d.Run(t.Context(), "root", "/usr/local/sbin/rocec-host check --json", "")
					require.Zero(t, status, "%s: %s%s", host, text, errs)
					text = strings.Replace(text, `"boot_id":"0000`, `"boot_id":"`+host, 1) // devices of the lab count their own boots
					require.NoError(t, os.WriteFile(filepath.Join(from, host+".json"), []byte(text), 0o644))
				}
			}
			code, stdout, stderr := rocec(t, "verify", "--from", from, dir)
			require.Equal(t, exit.Good, code, "%s%s", stdout, stderr)
			assert.Contains(t, stdout, "0 drifted, 0 unreachable, 0 refused, 0 unknown.")
		})
	}
}

// verify judges a report like the host itself. A malformed or missing report, or a report of another host, is never good.
func TestVerifyFrom(t *testing.T) {
	setenv(t, "COLUMNS", "1000")
	const example = "../../examples/rack-v1-pfc"
	a := newApp(&person.Person{Getenv: func(string) string { return "" }})
	f, err := a.Load(example)
	require.NoError(t, err)
	sound := map[string]string{}
	boots := 0
	for _, d := range f.Tree().Devices {
		if d.Role != target.Host {
			continue
		}
		machine := lab.NewDevice(d)
		for i := range d.Files {
			if c := &d.Files[i]; c.Live == nil {
				content, ds := c.Edit(nil)
				require.Empty(t, ds)
				machine.WriteFile(c.Path, content, c.Mode)
			}
		}
		_, errs, status := machine.Run(t.Context(), "root", d.Files[0].Activate.Cmd, "")
		require.Zero(t, status, errs)
		text, errs, status := machine.Run(t.Context(), "root", "rocec-host check --json", "")
		require.Zero(t, status, text+errs)
		boots++
		var doc map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &doc))
		require.NotEmpty(t, doc["boot_id"])
		sound[d.Name] = strings.Replace(text, doc["boot_id"].(string), fmt.Sprintf("boot-%d", boots), 1)
	}
	schema, err := jsonschema.NewCompiler().Compile("../../docs/schema/verify.json")
	require.NoError(t, err)
	replace := func(old, now string) func(string) string {
		return func(text string) string {
			require.Contains(t, text, old)
			return strings.Replace(text, old, now, 1)
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(text string) string // of store2; "": no report
		code  int
		want  string
	}{
		{"as written", func(s string) string { return s }, exit.Good, "Verify: good. 5 devices as written"},
		{"more than is known", replace(`"nics":`, `"uptime":17,"nics":`), exit.Good, "5 devices as written"},
		{"a name with a domain", replace(`"host":"store2"`, `"host":"store2.example.com"`), exit.Good, "5 devices as written"},
		{"another mask", replace(`"pfc":"0,0,0,0,1,0,0,0"`, `"pfc":"0,0,0,0,0,0,0,0"`), exit.Errors, "~ pfc  0,0,0,0,0,0,0,0 -> 0,0,0,0,1,0,0,0"},
		{"another file", func(s string) string {
			i := strings.Index(s, `"sha256":"`) + len(`"sha256":"`)
			return s[:i] + strings.Repeat("0", 64) + s[i+64:]
		}, exit.Errors, "~ /usr/local/sbin/rocec-host"},
		{"a file of a login user", replace(`"rights":"0:0:755"`, `"rights":"1000:1000:777"`), exit.Errors, "~ owner  1000:1000 -> 0:0"},
		{"rights of no sense", replace(`"rights":"0:0:755"`, `"rights":"0:0:99999\u001b"`), exit.Good, "5 devices as written"},
		{"no rights", replace(`,"rights":"0:0:755"`, ``), exit.Good, "5 devices as written"}, // an earlier script
		{"a hash that could not be told", func(s string) string {
			i := strings.Index(s, `"sha256":"`) + len(`"sha256":`)
			return s[:i] + "null" + s[i+66:]
		}, exit.Machines, "the report lacks its content"},
		{"no value file", replace(`/etc/rocec/host/`, `/etc/rocec/other/`), exit.Errors, "+ /etc/rocec/host/ens1f0.conf"},
		{"no NIC", func(s string) string { return s[:strings.Index(s, `"nics":`)] + `"nics":[]}` }, exit.Errors, "nic/ens1f0"},
		{"another driver", replace(`"driver":"mlx5_core"`, `"driver":"bnxt_en"`), exit.Machines, "has the driver bnxt_en"},
		{
			"priorities that cannot be read", replace(`"pfc":"0,0,0,0,1,0,0,0"`, `"pfc":"unsupported"`), exit.Errors,
			"PFC may be off",
		},
		{
			"another bond", replace(`"differs":[]`, `"differs":["bond is bond7, not none"]`), exit.Errors,
			"bond is bond7, not none.",
		},
		{
			"what check cannot do", replace(`"differs":[]`, `"differs":["rocec-host: ens1f0: lldpad is active \u001b[2J"]`),
			exit.Errors, `lldpad is active \x1b[2J`,
		},
		{"none", func(string) string { return "" }, exit.Machines, "unknown: store2 (no report in"},
		{"another host", replace(`"host":"store2"`, `"host":"store3"`), exit.Machines, `it is from a host called "store3"`},
		{"a copy", replace(`"boot-2"`, `"boot-1"`), exit.Machines, "it has the boot id of that of"},
		{"a NIC twice", func(s string) string {
			i := strings.Index(s, `"nics":[`) + len(`"nics":[`)
			nic := strings.TrimSuffix(strings.TrimSpace(s[i:]), "]}")
			return s[:i] + nic + "," + nic + "]}"
		}, exit.Machines, `it has the NIC "ens1f0" twice`},
		{"a member twice", replace(`"host":"store2"`, `"host":"store9","HOST":"store2"`), exit.Machines, `it has the member "HOST" twice`},
		{"a setting of two lines", replace(`"pfc":"0,`, `"pfc":"x\npfc=0,`), exit.Machines, `"pfc" of the NIC "ens1f0" is not one line`},
		{"another format", replace(`"1.0"`, `"2.0"`), exit.Machines, `its format_version is "2.0"`},
		{"half a document", func(s string) string { return s[:len(s)/2] }, exit.Machines, "it is not JSON"},
		{"two documents", func(s string) string { return s + s }, exit.Machines, "it is not a report"},
		{"not JSON", func(string) string { return "bash: rocec-host: not found\n\x1b]0;x\a" }, exit.Machines, "it is not JSON"},
		{"deep", func(string) string { return strings.Repeat("[", 1<<19) }, exit.Machines, "levels deep"},
		{"huge", func(s string) string { return s + strings.Repeat(" ", target.MostReport) }, exit.Machines, "more than 1048576 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			from := t.TempDir()
			for name, text := range sound {
				if name == "store2" {
					if text = c.spoil(text); text == "" {
						continue
					}
				}
				require.NoError(t, os.WriteFile(filepath.Join(from, name+".json"), []byte(text), 0o644))
			}
			code, stdout, stderr := rocec(t, "verify", "--from", from, example)
			assert.Equal(t, c.code, code, stdout+stderr)
			assert.Contains(t, stdout, c.want)
			assert.NotContains(t, stdout, "\x1b[2J")
			code, stdout, _ = rocec(t, "verify", "--from", from, "--format", "json", example)
			assert.Equal(t, c.code, code)
			document, err := jsonschema.UnmarshalJSON(strings.NewReader(stdout))
			require.NoError(t, err)
			require.NoError(t, schema.Validate(document))
			if c.code == exit.Good {
				assert.Contains(t, stdout, `"good": true`)
			}
		})
	}
	t.Run("old", func(t *testing.T) {
		from := t.TempDir()
		for name, text := range sound {
			require.NoError(t, os.WriteFile(filepath.Join(from, name+".json"), []byte(text), 0o644))
		}
		require.NoError(t, os.Chtimes(filepath.Join(from, "store4.json"), time.Time{}, time.Now().Add(-75*time.Hour)))
		_, stdout, _ := rocec(t, "verify", "--from", from, example)
		assert.Contains(t, stdout, "Reports: 3 days old, by the time of the file, of store4.\n")
	})
}
