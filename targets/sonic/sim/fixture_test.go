package sim_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/sonic/sim"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

// box is a switch in a lab that runs SONiC.
type box struct {
	t *testing.T
	d *lab.Device
	*sim.Switch
}

// ports returns four ports of 100 Gb/s.
func ports() (out []sim.Port) {
	for i := range 4 {
		n := 4 * i
		out = append(out, sim.Port{
			Name: fmt.Sprintf("Ethernet%d", n), Alias: fmt.Sprintf("etp%d", i+1), Lanes: fmt.Sprintf("%d,%d,%d,%d", n, n+1, n+2, n+3), Index: i + 1,
			SpeedMbps: 100_000,
		})
	}
	return out
}

// usual fills in what a test omits, as on an SN2700 of Mellanox.
func usual(b sim.Box) sim.Box {
	if b.Release == "" {
		b.Release = "202505"
	}
	if b.ASIC == "" {
		b.ASIC = "mellanox"
	}
	if b.HwSKU == "" {
		b.HwSKU, b.Platform = "ACS-MSN2700", "x86_64-mlnx_msn2700-r0"
	}
	if b.Ports == nil {
		b.Ports = ports()
	}
	return b
}

func boot(t *testing.T, b sim.Box) *box {
	b = usual(b)
	image := func(*ir.Device) target.Image { return sim.New(b).Image() }
	d := lab.NewDevice(&target.Device{Name: "leaf01", Role: target.Switch, Target: &target.Target{User: "admin", Image: image}})
	return &box{t, d, targettest.Sim[*sim.Switch](d.Sims())}
}

func (b *box) as(user, cmd string) (status int, out, errs string) {
	out, errs, status = b.d.Run(b.t.Context(), user, cmd, "")
	return status, out, errs
}

// ok runs a command as root that must succeed.
func (b *box) ok(cmd string) string {
	b.t.Helper()
	status, out, errs := b.as("root", cmd)
	require.Equal(b.t, 0, status, "%s\n%s%s", cmd, out, errs)
	return out
}

// bad runs a command as root that must end with a status, and returns its output.
func (b *box) bad(status int, cmd string) string {
	b.t.Helper()
	is, out, errs := b.as("root", cmd)
	require.Equal(b.t, status, is, "%s\n%s%s", cmd, out, errs)
	return out + errs
}

func (b *box) file(text string) {
	b.d.WriteFile("/tmp/patch.json", []byte(text), 0o644)
}

// patch applies a patch that must succeed. refuse applies a patch that must fail, and returns the output.
func (b *box) patch(text string) string {
	b.t.Helper()
	b.file(text)
	return b.ok("config apply-patch /tmp/patch.json")
}

func (b *box) refuse(text string) string {
	b.t.Helper()
	before := b.ok("sonic-cfggen -d --print-data")
	b.file(text)
	said := b.bad(2, "config apply-patch /tmp/patch.json")
	require.Equal(b.t, before, b.ok("sonic-cfggen -d --print-data"), "nothing has changed")
	return said
}

// running returns the running configuration.
func (b *box) running() (out map[string]map[string]map[string]any) {
	b.t.Helper()
	require.NoError(b.t, json.Unmarshal([]byte(b.ok("sonic-cfggen -d --print-data")), &out))
	return out
}

// log returns the lines of syslog that contain a text.
func (b *box) log(part string) (out []string) {
	text, _ := b.d.ReadFile("/var/log/syslog")
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, part) {
			out = append(out, line)
		}
	}
	return out
}

// add returns a patch of one operation.
func add(path, value string) string {
	return fmt.Sprintf(`[{"op": "add", "path": %q, "value": %s}]`, path, value)
}

func replace(path, value string) string {
	return fmt.Sprintf(`[{"op": "replace", "path": %q, "value": %s}]`, path, value)
}

func remove(path string) string { return fmt.Sprintf(`[{"op": "remove", "path": %q}]`, path) }
