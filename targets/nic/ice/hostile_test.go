package ice

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/nic/hosttest"
)

// tools contains the tools that the script reads, with the pattern of the arguments.
var tools = map[string]string{"dcb": "*show*", "ethtool": "-a*|--show*", "ip": "*show*", "devlink": "*show*"}

// TestHostileTools replaces the output of the tools by hostile text. The script must end, must execute no part of the text, and must report
// every required setting.
func TestHostileTools(t *testing.T) {
	nth := 0
	for _, c := range hosttest.Hostile(`fw-lldp-agent : `+hosttest.Evil, `dscp-prio 26:`+hosttest.Evil+` 99999999999999999999:1 64:1`,
		`cmode runtime value true$(touch owned)`, `ets-cap `+hosttest.Evil) {
		for shell := range hosttest.Rotate(nth, c.Executes(), "interp") {
			t.Run(c.Name+"/"+shell, func(t *testing.T) {
				t.Parallel()
				h := newHost(t, device(t, true))
				h.shell = shell
				for tool, reads := range tools {
					h.Command(tool, "case $* in\n"+reads+") "+c.Commands+"\n;;\nesac\nexit 0")
				}
				h.judgeHostile("ets_tc", "lldp_agent", "pause", "pfc")
			})
		}
		nth++
	}
}

// judgeHostile runs the verbs, which must find required settings missing and execute nothing.
func (h *host) judgeHostile(keys ...string) {
	check, code := h.run("check", "ens1")
	assert.Equal(h.T, 1, code, "%.300s", check)
	for _, key := range keys {
		assert.Contains(h.T, "\n"+check, "\n"+key+" is ")
	}
	apply, code := h.run("apply", "ens1")
	assert.Equal(h.T, 1, code, "%.300s", apply)
	assert.Contains(h.T, apply, "rocec-host-ice: ens1: ")
	show, code := h.run("show", "ens1")
	assert.Zero(h.T, code, "%.300s", show)
	assert.False(h.T, h.Has("owned"), "a text was executed")
	assert.Less(h.T, len(apply)+len(check)+len(show), 1<<20)
}

// TestHostileFiles does the same as TestHostileTools for files of the drivers.
func TestHostileFiles(t *testing.T) {
	for i, text := range hosttest.HostileFiles {
		for shell := range hosttest.Rotate(i, text == hosttest.Evil, "interp") {
			t.Run(fmt.Sprintf("%d/%s", i, shell), func(t *testing.T) {
				t.Parallel()
				h := newHost(t, device(t, true))
				h.shell = shell
				require.NoError(t, os.Rename(h.Path("sys/devices/0000:03:00.0/infiniband.off"), h.Path("sys/devices/0000:03:00.0/infiniband")))
				for _, file := range []string{
					"fake/irdma/roce_dcqcn_enable", "sys/class/net/ens1/mtu", "sys/devices/0000:03:00.0/infiniband/rocep3s0f0/node_type",
				} {
					require.NoError(t, os.WriteFile(h.Path(file), []byte(text), 0o644))
				}
				h.judgeHostile("mtu", "pfc")
			})
		}
	}
}
