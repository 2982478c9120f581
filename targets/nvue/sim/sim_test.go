package sim_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/nvue/sim"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

// box is a switch in a lab that runs NVUE.
type box struct {
	t *testing.T
	d *lab.Device
	*sim.NVUE
}

func ports() (out []sim.Port) {
	for i := range 4 {
		out = append(out, sim.Port{Name: fmt.Sprintf("swp%d", i+1), SpeedMbps: 100_000, MTU: 9100, Meters: 3})
	}
	return out
}

func boot(t *testing.T, c sim.Config) *box {
	if c.Model == "" {
		c.Model, c.Spectrum = "SN3700", 2
	}
	if c.Ports == nil {
		c.Ports = ports()
	}
	image := func(*ir.Device) target.Image {
		n := sim.New(c)
		img := target.Image{Files: n.Files(), Sims: []target.Sim{n}}
		for _, p := range c.Ports {
			img.Netdevs = append(img.Netdevs, target.Netdev{Name: p.Name, MTU: 9100, Counters: []string{"HwIfInPfc3Pkt"}})
		}
		return img
	}
	d := lab.NewDevice(&target.Device{Name: "leaf01", Role: target.Switch, Target: &target.Target{User: "cumulus", Image: image}})
	return &box{t, d, targettest.Sim[*sim.NVUE](d.Sims())}
}

func (b *box) try(cmd, stdin string) (status int, out, errs string) {
	out, errs, status = b.d.Run(b.t.Context(), "cumulus", cmd, stdin)
	return status, out, errs
}

// nv runs a command that must succeed.
func (b *box) nv(cmd string) string {
	b.t.Helper()
	status, out, errs := b.try("nv "+cmd, "")
	require.Equal(b.t, 0, status, "%s\n%s%s", cmd, out, errs)
	return out
}

// bad runs a command that must fail, and returns its message.
func (b *box) bad(cmd string) string {
	b.t.Helper()
	status, out, errs := b.try("nv "+cmd, "")
	require.Equal(b.t, 1, status, "%s\n%s%s", cmd, out, errs)
	return out + errs
}

// patch stages a file.
func (b *box) patch(file string) {
	b.d.WriteFile("/tmp/patch.yaml", []byte(file), 0o644)
	b.nv("config patch /tmp/patch.yaml")
}

func (b *box) json(cmd string) (out map[string]any) {
	b.t.Helper()
	require.NoError(b.t, json.Unmarshal([]byte(b.nv(cmd+" -o json")), &out))
	return out
}

// at returns the text at a path of JSON.
func at(v any, path ...string) string {
	for _, k := range path {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return fmt.Sprint(v)
}

func (b *box) state(rev string) string { return at(b.json("config revision"), rev, "state") }

const lossless = `
- set:
    qos:
      traffic-pool: {default-lossless: {memory-percent: 50, switch-priority: {'3': {}}}, default-lossy: {memory-percent: 50}}
      pfc: {rocec-40m: {switch-priority: {'3': {}}, tx: enable, rx: enable, cable-length: 40}}
    interface:
      swp1-2,swp4: {qos: {pfc: {profile: rocec-40m}}}
`

func TestFactory(t *testing.T) {
	for release, c := range map[string]struct{ key, off, save, pool string }{
		"5.4.0": {"enable", "off", "off", "ingress-pool"}, "5.9.1": {"enable", "off", "on", "ingress-pool"},
		"5.11.0": {"enable", "off", "on", "ingress-service-pool"}, "5.14.0": {"enable", "off", "on", "ingress-service-pool"},
		"5.15.0": {"state", "disabled", "enabled", "ingress-service-pool"}, "5.17.0": {"state", "disabled", "enabled", "ingress-service-pool"},
	} {
		b := boot(t, sim.Config{Release: release})
		text := b.nv("config show")
		require.True(t, strings.HasPrefix(text, "- header:\n    model: SN3700\n    nvue-api-version: nvue_v1\n    rev-id: 1.0\n"), text)
		require.Contains(t, text, "version: Cumulus Linux "+release)
		require.NotContains(t, text, "qos")
		var docs []map[string]any
		require.NoError(t, json.Unmarshal([]byte(b.nv("config show --all -o json")), &docs))
		set := docs[1]["set"]
		require.Equal(t, c.off, at(set, "qos", "roce", c.key), release)
		require.Equal(t, c.save, at(set, "system", "config", "auto-save", c.key), release)
		require.Equal(t, "100", at(set, "qos", "advance-buffer-config", "default-global", c.pool, "0", "memory-percent"), release)
		require.Equal(t, "13", at(set, "qos", "egress-scheduler", "default-global", "traffic-class", "3", "bw-percent"))
		require.Contains(t, b.nv("config show --all"), "roce:\n        "+c.key+": "+c.off+"\n")
	}
}

func TestStageAndApply(t *testing.T) {
	b := boot(t, sim.Config{Release: "5.9.1"})
	require.Equal(t, "attached [rev_id: 2]\n", b.nv("config attach applied -y"))
	b.patch(lossless)
	require.Contains(t, b.nv("config diff"), "swp1-2,swp4:", "ranges stay as they were written")
	require.Contains(t, b.nv("config diff -o commands --expand"), "nv set interface swp4 qos pfc profile rocec-40m\n")
	require.NotContains(t, b.nv("config show"), "qos", "show is of the applied revision")
	require.Equal(t, "applied [rev_id: 2]\n", b.nv("config apply -y -m work"))
	require.Empty(t, b.nv("config diff"))
	require.Equal(t, "applied_and_saved", b.state("2"))
	require.Equal(t, "inactive", b.state("1"))
	require.Equal(t, "1", at(b.json("config revision --applied"), "applied", "additional-data", "parent-revision-id"))
	startup, err := b.d.ReadFile(sim.StartupPath)
	require.NoError(t, err)
	require.Contains(t, string(startup), "rocec-40m")
	require.Contains(t, string(startup), "'3': {}")
	require.Equal(t, "applied [rev_id: 1]\n", b.nv("config apply 1 -y"))
	require.NotContains(t, b.nv("config show"), "rocec-40m")
	require.Contains(t, b.nv("config history"), "2 inactive cumulus work")

	b.nv("set interface swp1-2 qos pfc profile default-global")
	b.nv("unset interface swp2")
	require.Contains(t, b.nv("config diff -o commands"), "nv set interface swp1 qos pfc profile default-global\n", "a range is split")
	require.Contains(t, b.nv("config detach"), "detached")
	require.Empty(t, b.nv("config diff"))
	require.Contains(t, b.bad("config apply -y"), "Error: there is no pending revision")
	require.Contains(t, b.bad("config apply 77 -y"), "Error: Unknown revision '77'")
	require.Contains(t, b.bad("config delete 1"), "in use")
}

// TestPatchTraps: the result of a careless patch.
func TestPatchTraps(t *testing.T) {
	b := boot(t, sim.Config{Release: "5.9.1"})
	b.patch("- set: {qos: {pfc: {a: {tx: enable}}}}\n- unset: {qos: {pfc: {a: {}}}}\n")
	require.Empty(t, b.nv("config diff"), "unset wins")
	for _, file := range []string{
		"- set: {qos: {mapping: {a: {dscp: {26: {switch-priority: 3}}}}}}\n", "set: {}\n", "- sett: {}\n", "- set: [1]\n",
		"- set: {a: [1]}\n", "x: [", "- set: &a {b: &b {c: *a}}\n", "",
	} {
		b.d.WriteFile("/tmp/p", []byte(file), 0o644)
		require.Contains(t, b.bad("config patch /tmp/p"), "Error: ", file)
	}
	require.Contains(t, b.bad("config patch /nope"), "No such file")
	bomb := "- set: " + strings.Repeat("{0-4000: ", 20) + "{}" + strings.Repeat("}", 20) + "\n"
	b.d.WriteFile("/tmp/p", []byte(bomb), 0o644)
	b.nv("config patch /tmp/p")
	require.Less(t, len(b.nv("config diff --expand")), 50<<20, "ranges in ranges are bounded")
	require.Contains(t, b.bad("config apply -y"), "not known")
	b.nv("config detach")
	var laughs strings.Builder
	laughs.WriteString("- set: {a0: &a0 {x: y}")
	for i := range 12 {
		fmt.Fprintf(&laughs, ", a%d: &a%d {p: *a%d, q: *a%d, r: *a%d, s: *a%d}", i+1, i+1, i, i, i, i)
	}
	b.d.WriteFile("/tmp/p", []byte(laughs.String()+"}\n"), 0o644)
	require.Contains(t, b.bad("config patch /tmp/p"), "the file is too large")
	for _, file := range []string{
		"- set: &a {}\n" + strings.Repeat("- set: {a: *a, b: *a, <<: *a}\n", 100),
		"- set: " + strings.Repeat("{a: ", 100) + "1" + strings.Repeat("}", 100),
		"- set: {swp1-99999999999: {}, 1-: {}, -1: {}, ',': {}}\n",
		"nv set qos pfc a switch-priority 3-\n", "nv set\n", "nv unset qos\nnv show\n",
		"- set: {qos: {pfc: 3, traffic-pool: {a: 1, default-lossy: {memory-percent: x}}}, interface: 7, system: null}\n",
	} {
		b.d.WriteFile("/tmp/p", []byte(file), 0o644)
		for _, cmd := range []string{"config patch /tmp/p", "config diff --expand", "config show -r pending --all", "config apply -y"} {
			status, _, _ := b.try("nv "+cmd, "")
			require.LessOrEqual(t, status, 1, file)
		}
		require.Contains(t, b.state("1"), "applied", "%q is never applied", file)
		b.nv("config detach")
	}
	b.d.WriteFile("/tmp/p", []byte("# mine\nnv set qos roce\nnv set qos rose\n"), 0o644)
	require.Contains(t, b.bad("config patch /tmp/p"), `Failed on line "nv set qos rose": Invalid Command: qos rose`)
	require.Empty(t, b.nv("config diff"), "nothing of it")
	b.patch("nv set qos pfc a switch-priority 3\nnv set qos pfc a switch-priority 5\n")
	require.Contains(t, b.nv("config diff -o commands"), "priority 3\nnv set qos pfc a switch-priority 5\n", "sets are joined")
	r := boot(t, sim.Config{Release: "5.9.1", SetsReplace: true})
	r.patch("nv set qos pfc a switch-priority 3\nnv set qos pfc a switch-priority 5\n")
	require.Equal(t, "nv set qos pfc a switch-priority 5\n", r.nv("config diff -o commands"), "or replaced")
	r.d.WriteFile("/tmp/all", []byte(lossless), 0o644)
	r.nv("config replace /tmp/all")
	require.False(t, r.LoginGone())
	r.nv("config apply -y")
	require.True(t, r.LoginGone(), "it was in the replaced configuration")
}

// TestBareWords: on without quotes is text, and is printed as text. A number without quotes is not a key of any object.
func TestBareWords(t *testing.T) {
	b := boot(t, sim.Config{Release: "5.9.1"})
	b.patch("- set: {qos: {roce: {enable: on}}}")
	b.nv("config apply -y")
	require.Contains(t, b.nv("config show"), "roce:\n        enable: on\n")
	require.Equal(t, "on", at(b.json("show qos roce"), "enable"))
	b.d.WriteFile("/tmp/key", []byte("- set: {qos: {pfc: {a: {switch-priority: {3: {}}}}}}"), 0o644)
	require.Contains(t, b.bad("config patch /tmp/key"), "the key 3 is not of type 'string'")
}

// TestPresetPage compares the manual with the preset that nv shows, for every port speed.
func TestPresetPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/nvue.md")
	require.NoError(t, err)
	for _, mbps := range []int{25_000, 400_000} {
		b := boot(t, sim.Config{Release: "5.9.1", Ports: []sim.Port{{Name: "swp1", SpeedMbps: mbps, MTU: 9100}}})
		b.nv("set qos roce")
		b.nv("config apply -y")
		shown := b.json("show qos roce")["congestion-control"]
		number := func(key string) string {
			n, err := strconv.ParseFloat(at(shown, key), 64)
			require.NoError(t, err)
			return diag.Number(int(n))
		}
		require.Contains(t, strings.Join(strings.Fields(string(page)), " "), fmt.Sprintf("It marks traffic classes %s from %s to %s bytes with "+
			"%s %%, at every speed of a port.", strings.ReplaceAll(at(shown, "enabled-tc"), ",", " and "), number("min-threshold"),
			number("max-threshold"), at(shown, "probability")))
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ release, file, reason string }{
		{"5.14.0", "- set: {qos: {roce: {state: enabled}}}", "qos.roce.state: 'state' is not known"},
		{"5.15.0", "- set: {qos: {roce: {enable: 'on'}}}", "qos.roce.enable: 'enable' is not known"},
		{"5.14.0", "- set: {qos: {roce: {enable: true}}}", "qos.roce.enable: true is not of type 'string'"},
		{"5.11.0", "- set: {qos: {roce: {mode: lossless-single-ipool}}}", "is not one of [lossless, lossy]"},
		{"5.16.0", "- set: {qos: {pfc: {a: {small-packet-probability: 50}}}}", "'small-packet-probability' is not known"},
		{"5.10.0", "- set: {qos: {advance-buffer-config: {default-global: {ingress-service-pool: {}}}}}", "not known"},
		{"5.11.0", "- set: {qos: {advance-buffer-config: {default-global: {ingress-pool: {}}}}}", "not known"},
		{"5.9.0", "- set: {qos: {pfc: {a: {cable-length: '40'}}}}", "qos.pfc.a.cable-length: '40' is not of type 'integer'"},
		{"5.9.0", "- set: {qos: {pfc: {a: {cable-length: 0}}}}", "0 is not within 1-100000"},
		{"5.9.0", "- set: {qos: {pfc: {a: {switch-priority: {'8': {}}}}}}", "'8' is not known"},
		{"5.9.0", "- set: {qos: {pfc: {none: {}}}}", "'none' is not known"},
		{"5.9.0", "- set: {interface: {swp1: {link: {breakout: 4x10G}}}}", ".swp1.link.breakout: '4x10G' is not of type 'object'"},
		{
			"5.9.0", "- set: {interface: {bond1: {bond: {member: {swp1: {}}}}, swp1: {qos: {remark: {profile: default-global}}}}}",
			"member of bond1",
		},
		{
			"5.9.0", "- set: {interface: {swp1: {link: {breakout: {4x: {}}}}, swp1s0: {qos: {mapping: {profile: default-global}}}}}",
			"swp1s0.qos: the port is not there",
		},
		{"5.9.0", "- set: {qos: {egress-scheduler: {a: {traffic-class: {'3': {mode: dwrr}}}}}}", "dwrr requires bw-percent"},
		{
			"5.9.0", "- set: {qos: {egress-scheduler: {default-global: {traffic-class: {'3': {mode: dwrr, bw-percent: 50}}}}}}",
			"is 137, above 100",
		},
		{"5.9.0", "- set: {qos: {traffic-pool: {default-lossless: {memory-percent: 50}}}}", "is 150, above 100"},
		{"5.9.0", "- set: {qos: {roce: {}, traffic-pool: {default-lossless: {memory-percent: 1}}}}", "only one lossless pool"},
		{"5.9.0", "- set: {interface: {swp1: {qos: {pfc: {profile: a}}}}}", "interface.swp1.qos.pfc.profile: profile 'a' does not exist"},
		{
			"5.9.0", "- set: {qos: {pfc: {a: {switch-priority: {'3': {}}}}, link-pause: {b: {}}}, " +
				"interface: {swp1: {qos: {pfc: {profile: a}, link-pause: {profile: b}}}}}", "exclude each other",
		},
		{"5.9.0", "- set: {interface: {swp1: {qos: {pfc-watchdog: {state: enable}}}}}", "PFC or link pause is required"},
		{"5.9.0", "- set: {interface: {bond1: {qos: {pfc-watchdog: {state: enable}}}}}", "only physical ports"},
		{"5.5.0", "- set: {interface: {swp1: {qos: {pfc-watchdog: {state: enable}}}}}", "not known"},
		{"5.9.0", "- set: {qos: {egress-queue-mapping: {a: {switch-priority: {'3': {traffic-class: 3}}}}}}", "only default-global"},
		{"5.9.0", "- set: {qoss: {}}", "Config invalid at qoss: 'qoss' is not known"},
	} {
		b := boot(t, sim.Config{Release: c.release})
		b.patch(c.file)
		said := b.bad("config apply -y")
		require.Contains(t, said, "Invalid config [rev_id: 2]\n  Config invalid at ", c.file)
		require.Contains(t, said, c.reason, c.file)
		rev := b.json("config revision")["2"]
		require.Equal(t, "invalid", at(rev, "state"))
		require.Equal(t, "config_invalid", at(rev, "transition", "issue", "0", "code"))
		require.Equal(t, "applied", b.state("1"))
		z := boot(t, sim.Config{Release: c.release, StatusZero: true})
		z.patch(c.file)
		z.nv("config apply -y")
		require.Equal(t, "applied", z.state("1"), "status 0, and nothing has changed")
	}
	b := boot(t, sim.Config{Release: "5.9.1"})
	b.patch("- set: {interface: {swp1: {link: {breakout: {4x: {}}}}}}")
	b.nv("config apply -y")
	b.patch("- set: {interface: {swp1s0-3: {qos: {mapping: {profile: default-global}}}}}")
	b.nv("config apply -y")
	for cmd, reason := range map[string]string{
		"set qos roce state enabled": "Invalid Command: qos roce state", "set qos roce mode": "takes one value", "frob it": "Invalid Command",
		"set qos roce mode x": "is not one of", "config show -r 99": "Unknown revision '99'", "config show -o": "requires a value",
		"show qos nothing": "does not exist",
	} {
		require.Contains(t, b.bad(cmd), reason)
	}
	b.Stop()
	require.Equal(t, "Error: Could not connect to nvued\n", b.bad("config show"))
	_, _, status := b.d.Run(t.Context(), "root", "systemctl restart nvued", "")
	require.Equal(t, 0, status)
	b.nv("config show")
	b.d.Run(t.Context(), "root", "systemctl stop nvued", "")
	require.Equal(t, "Error: Could not connect to nvued\n", b.bad("config show"))
	b.d.Run(t.Context(), "root", "systemctl start nvued", "")
	b.nv("config show")
}

func TestConfirm(t *testing.T) {
	for _, c := range []struct {
		flag string
		left time.Duration
	}{
		{"--confirm", 10 * time.Minute},
		{"--confirm 300s", 5 * time.Minute},
		{"--confirm 60", time.Hour},
		{"--confirm 60m", time.Hour},
		{"--confirm=2h", 2 * time.Hour},
	} {
		b := boot(t, sim.Config{Release: "5.9.1"})
		b.nv("set qos roce")
		require.Equal(t, "applied [rev_id: 2]\n", b.nv("config apply "+c.flag+" -y"))
		require.Equal(t, "confirm", b.state("2"))
		_, err := b.d.ReadFile(sim.StartupPath)
		require.Error(t, err, "not saved before it is confirmed")
		require.Contains(t, b.bad("config save"), "waits for its confirmation")
		b.d.Pass(c.left - time.Minute)
		require.Equal(t, "confirm", b.state("2"), c.flag)
		b.d.Pass(2 * time.Minute)
		require.Eventually(t, func() bool {
			text, _ := b.d.ReadFile(sim.FeaturesPath)
			return strings.Contains(string(text), "revision 1\n")
		}, 10*time.Minute, time.Millisecond, "it is undone without a command")
		require.Equal(t, "inactive", b.state("2"), c.flag)
		require.NotContains(t, b.nv("config show"), "roce")
	}
	b := boot(t, sim.Config{Release: "5.9.1"})
	b.nv("set qos roce")
	b.nv("config apply --confirm 300s -y")
	require.Contains(t, b.nv("config apply --confirm-status"), "left [rev_id: 2]")
	b.nv("set system hostname leaf")
	require.Contains(t, b.bad("config apply -y"), "revision 2 waits")
	require.Contains(t, b.bad("config apply 1 --confirm-yes"), "no revision waits")
	b.nv("config apply 2 --confirm-yes")
	b.d.Pass(time.Hour)
	require.Equal(t, "applied_and_saved", b.state("2"))
	require.Contains(t, b.bad("config apply --confirm-no"), "no revision waits")
	b.nv("config apply -y --confirm 300s")
	require.Equal(t, "applied [rev_id: 2]\n", b.nv("config apply --confirm-no"))
	require.Contains(t, b.bad("config apply --confirm=soon -y"), "is not a time")
}

// TestReboot: the configuration after a reboot depends on which revisions were saved.
func TestReboot(t *testing.T) {
	for _, c := range []struct {
		release, flag string
		unconfirmed   bool
		comes         string
	}{
		{"5.8.0", "", false, "1"},
		{"5.8.0", "&& nv config save", false, "2"},
		{"5.9.0", "", false, "2"},
		{"5.9.0", "--confirm 300s", false, "1"},
		{"5.9.0", "--confirm 300s", true, "2"},
		{"5.8.0", "--confirm 300s", true, "1"},
	} {
		b := boot(t, sim.Config{Release: c.release, SaveUnconfirmed: c.unconfirmed})
		b.nv("set qos roce")
		b.nv("config apply -y " + c.flag)
		b.d.PowerCut()
		require.Contains(t, b.state(c.comes), "applied", c)
		b.d.Pass(time.Hour)
		require.Contains(t, b.state(c.comes), "applied", "no timer outlives a restart")
		require.Equal(t, c.comes == "2", strings.Contains(b.nv("config show"), "roce"))
	}
	b := boot(t, sim.Config{Release: "5.9.0"})
	b.d.WriteFile(sim.StartupPath, []byte(lossless), 0o644)
	b.d.Reboot()
	require.Contains(t, b.nv("config show"), "rocec-40m", "a file of another program is read")
	b.d.WriteFile(sim.StartupPath, []byte("- set: {qoss: {}}\n"), 0o644)
	b.d.Reboot()
	require.NotContains(t, b.nv("config show"), "rocec-40m", "if the file cannot be read, the factory's configuration stays")
}

func TestPromptsAndOthers(t *testing.T) {
	b := boot(t, sim.Config{Release: "5.9.1"})
	edit := func() { b.d.WriteFile(sim.FeaturesPath, []byte("mine\n"), 0o644) }
	edit()
	b.nv("set qos roce")
	status, out, errs := b.try("nv config apply", "")
	require.Equal(t, 1, status)
	require.Contains(t, out, sim.FeaturesPath+" was edited and will be overwritten\nAre you sure? [y/N] ")
	require.Contains(t, errs, "Timeout")
	require.Equal(t, "ays_fail", b.state("2"))
	status, _, _ = b.try("nv config apply", "n\n")
	require.Equal(t, 1, status)
	require.Contains(t, b.bad("config apply --assume-no"), "aborted")
	status, _, _ = b.try("nv config apply", "y\n")
	require.Equal(t, 0, status)
	text, err := b.d.ReadFile(sim.FeaturesPath)
	require.NoError(t, err)
	require.Contains(t, string(text),
		"written by nvued, revision 2\npfc.port_group_list = [default-global]\npfc.default-global.cos_list = [3]\n")
	edit()
	b.patch("- set: {system: {config: {apply: {ignore: {" + sim.FeaturesPath + ": {}}}}}}\n")
	b.nv("config apply")
	text, _ = b.d.ReadFile(sim.FeaturesPath)
	require.Equal(t, "mine\n", string(text), "not written, as set")

	id := b.Foreign("admin", "pending", "nv set system hostname theirs")
	b.nv("set system hostname ours")
	require.NotContains(t, b.nv("config diff"), "theirs")
	b.nv("config apply -y")
	b.nv(fmt.Sprintf("config apply %d -y", id))
	require.Contains(t, b.nv("config show"), "theirs")
	require.NotContains(t, b.nv("config show"), "ours", "the old base is applied whole, without a warning")
	waits := b.Foreign("admin", "confirm", "nv set system hostname waits")
	b.nv("set system hostname ours")
	require.Contains(t, b.bad("config apply -y"), fmt.Sprintf("revision %d waits", waits))
	b.nv("config apply --confirm-no")
	require.Contains(t, b.nv("config show"), "theirs")

	for i := range 120 {
		b.nv(fmt.Sprintf("set system hostname h%d", i))
		b.nv("config detach")
		b.nv("config attach applied -y")
		b.nv("config apply -y")
	}
	require.Len(t, b.json("config revision"), 103, "100 numbers, applied, empty, startup")

	groups := map[string][]string{"cumulus": {"nvshow"}}
	b = boot(t, sim.Config{Release: "5.9.1", Groups: groups})
	b.nv("config show")
	require.Contains(t, b.bad("set qos roce"), "Error: cumulus may not")
	groups["cumulus"] = []string{"nvset"}
	b.nv("set qos roce")
	require.Contains(t, b.bad("config apply -y"), "Error: cumulus may not")
	status, _, errs = b.try("sudo nv config apply 2 -y", "")
	require.Equal(t, 0, status, errs)
	require.Equal(t, "1", at(b.json("config revision --applied"), "applied", "additional-data", "parent-revision-id"))
	n := boot(t, sim.Config{Release: "5.9.1", ParentByName: true})
	require.Equal(t, "applied", at(n.json("config revision --applied"), "applied", "additional-data", "parent-revision-id"))
}

func TestFaults(t *testing.T) {
	b := boot(t, sim.Config{Release: "5.9.1"})
	b.patch(lossless)
	b.Do(func() { b.Faults.Crash = true })
	require.Equal(t, "Error: Could not connect to nvued\n", b.bad("config apply -y"))
	b.bad("config show")
	b.d.Run(t.Context(), "root", "systemctl restart nvued", "")
	require.Equal(t, "apply", b.state("2"))
	require.NotContains(t, b.nv("config show"), "rocec-40m")
	b.Do(func() { b.Faults.Halfway = true })
	require.Contains(t, b.bad("config apply 2 -y"), "Error: apply failed")
	room := func(port string) string {
		return at(b.json("show interface "+port+" qos buffer ingress-priority-group"), "1", "lossy-lossless")
	}
	require.Equal(t, "lossless", room("swp1"))
	require.Equal(t, "<nil>", room("swp4"), "the other half has the old configuration")
	b.nv("config apply 2 -y")
	require.Equal(t, "lossless", room("swp4"))
	b.Do(func() { b.Faults.Garbage = strings.Repeat("{", 1<<20) })
	require.Len(t, b.nv("show system -o json"), 1<<20)
	b.d.FailWrites()
	b.Do(func() { b.Faults.Garbage = "" })
	require.Contains(t, b.bad("config apply 2 -y"), "Read-only file system")
}

// TestHeadroom: the values equal those of SONiC's formula for half small packets, 100G, and an MTU of 9100.
func TestHeadroom(t *testing.T) {
	for _, c := range []struct{ spectrum, meters, want int }{
		{1, 5, 55296}, {1, 40, 61440}, {2, 5, 59392}, {2, 40, 66560}, {4, 5, 72704}, {4, 40, 81920},
	} {
		b := boot(t, sim.Config{Release: "5.17.0", Model: "x", Spectrum: c.spectrum})
		b.patch(strings.ReplaceAll(lossless, "cable-length: 40", fmt.Sprintf("cable-length: %d, small-packet-probability: 50", c.meters)))
		b.nv("config apply -y")
		got := at(b.json("show interface swp1 qos buffer ingress-priority-group"), "1", "headroom")
		require.Equal(t, fmt.Sprint(float64(c.want)), got)
	}
	p := ports()
	p[1].Short = 1024
	b := boot(t, sim.Config{Release: "5.9.1", Units: sim.Scaled, Ports: p, Model: "SN5600", Spectrum: 4})
	group := func(port, key string) string {
		return at(b.json("show interface "+port+" qos buffer ingress-priority-group"), "1", key)
	}
	b.patch("- set: {qos: {pfc: {default-global: {switch-priority: {'3': {}}}}}}")
	b.nv("config apply -y")
	require.Equal(t, "<nil>", group("swp1", "headroom"), "no lossless pool, no headroom, and no warning")
	require.Equal(t, "10", at(b.json("show interface swp3 qos pfc"), "cable-length"), "the default without a setting")
	b.patch(lossless)
	b.nv("config apply -y")
	require.Equal(t, "119.00 KB", group("swp1", "headroom"))
	require.Equal(t, "118.00 KB", group("swp2", "headroom"), "a port that reserves less")
	require.Equal(t, "156.00 KB", at(b.json("show interface swp1 qos congestion-control"), "traffic-class", "0", "min-threshold"))
	require.Equal(t, "146.48 KB", at(b.json("show qos congestion-control default-global"), "traffic-class", "0", "min-threshold"))
	require.Equal(t, "24.41 KB", at(b.json("show qos pfc rocec-40m"), "port-buffer"))
	b.Do(func() { b.Units = sim.Bytes })
	require.Equal(t, "25000 B", at(b.json("show qos pfc rocec-40m"), "port-buffer"))
	b.patch("nv set qos pfc rocec-40m port-buffer 70000\nnv set qos pfc rocec-40m xoff-threshold 18000\n" +
		"nv set interface swp1 qos pfc-watchdog state enable")
	b.nv("config apply -y")
	b.Do(func() { b.Units = sim.Plain })
	require.Equal(t, "52000", group("swp1", "headroom"))
	require.Equal(t, "16000", group("swp1", "xon-threshold"), "a delta below xoff")
	require.Equal(t, "OK", at(b.json("show interface swp1 qos pfc-watchdog"), "status", "3", "status"))
	require.Equal(t, "3m", at(b.json("show interface swp1 transceiver"), "cable-length"))
	require.Equal(t, "0", at(b.json("show interface swp1 counters qos"), "pfc-stats", "3", "rx-pause-frames"))
	require.Equal(t, "0", at(b.json("show interface swp1 counters qos pfc-stats"), "3", "rx-pause-frames"))
	require.Equal(t, "Cumulus Linux 5.9.1", at(b.json("show system"), "build"))
	_, out, _ := b.try("decode-syseeprom -j", "")
	require.Contains(t, out, `"SN5600"`)
	require.Equal(t, "0", at(b.json("show interface swp1 qos roce counters"), "rx-stats", "rx-roce-stats", "no-buffer-discard"))
	require.Equal(t, map[string]any{"enable": "off"}, b.json("show qos roce"))
	r := boot(t, sim.Config{Release: "5.15.0"})
	r.patch("nv set qos roce\nnv set qos mapping default-global dscp 26 switch-priority 2\n")
	r.nv("config apply -y")
	roce := r.json("show qos roce")
	require.Equal(t, "enabled", at(roce, "state"))
	require.Equal(t, "3", at(roce, "pfc", "pfc-priority"))
	require.Len(t, at(roce, "exception-list"), len("map[1:map[description:mapping default-global dscp 26 switch-priority 2]]"))
	require.Equal(t, "lossless", at(r.json("show interface swp1 qos buffer ingress-priority-group"), "1", "lossy-lossless"))
	e := boot(t, sim.Config{Release: "5.15.0", StoresEnabled: true})
	e.patch("- set: {qos: {congestion-control: {default-global: {traffic-class: {'3': {ecn: enable}}}}}}\n")
	require.Equal(t, "nv set qos congestion-control default-global traffic-class 3 ecn enabled\n", e.nv("config diff -o commands"))
	old := boot(t, sim.Config{Release: "5.4.0"})
	old.bad("show interface swp1 counters qos -o json")
	old.nv("show interface swp1 qos counters -o json")
	require.Contains(t, b.nv("show qos pfc rocec-40m"), "cable-length 40")
}

// TestKept: if a switch is stored while a revision waits, the revision still waits afterwards.
func TestKept(t *testing.T) {
	image := func(*ir.Device) target.Image {
		n := sim.New(sim.Config{Release: "5.9.1", Model: "SN3700", Spectrum: 2, Ports: ports()})
		return target.Image{Files: n.Files(), Sims: []target.Sim{n}}
	}
	leaf := &target.Device{Name: "leaf01", Role: target.Switch, Target: &target.Target{User: "cumulus", Image: image}}
	tree := &target.Tree{Devices: []*target.Device{leaf}}
	dir := t.TempDir()
	l, err := lab.Open(dir, tree, "test")
	require.NoError(t, err)
	d := l.Device("leaf01")
	_, _, status := d.Run(t.Context(), "cumulus", "nv set qos roce && nv config apply -y --confirm 300s", "")
	require.Equal(t, 0, status)
	require.NoError(t, l.Close())
	l, err = lab.Open(dir, tree, "test")
	require.NoError(t, err)
	defer l.Close()
	d = l.Device("leaf01")
	out, errs, _ := d.Run(t.Context(), "cumulus", "nv config apply --confirm-status; cat "+sim.FeaturesPath, "")
	require.Contains(t, out, "left [rev_id: 2]\n# written by nvued, revision 2\n", errs)
	d.Pass(time.Hour)
	require.Eventually(t, func() bool {
		text, _ := d.ReadFile(sim.FeaturesPath)
		return strings.Contains(string(text), "revision 1\n")
	}, 10*time.Minute, time.Millisecond)
}

// TestShowIsStable: the text of a configuration is the same every time, so that an unchanged text means an unchanged configuration.
func TestShowIsStable(t *testing.T) {
	b := boot(t, sim.Config{Release: "5.9.1"})
	b.nv("config attach applied -y")
	want := []string{"swp4", "swp5", "swp5s0", "swp5s1", "swp6", "swp6s0", "swp10", "swp57", "swp58s0", "swp60"}
	for _, p := range want {
		b.nv("set interface " + p + " description x")
	}
	for range 20 {
		var got []string
		for line := range strings.Lines(b.nv("config diff -o yaml")) {
			if name := strings.TrimSpace(line); strings.HasPrefix(name, "swp") {
				got = append(got, strings.TrimSuffix(name, ":"))
			}
		}
		require.Equal(t, want, got)
	}
}
