package bnxt

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/nic/hosttest"
)

// tools contains the tools that the script reads, with the pattern of the arguments.
var tools = map[string]string{"dcb": "*show*", "ethtool": "-a*", "ip": "*show*"}

// TestHostileTools replaces the output of the tools by hostile text. The script must end, must execute no part of the text, and must report
// every required setting.
func TestHostileTools(t *testing.T) {
	nth := 0
	for _, c := range hosttest.Hostile(`dcbx: host ieee dgram-port-prio 4791:3 4791:`+hosttest.Evil+` dscp-prio 26:`+hosttest.Evil,
		`dscp-prio 99999999999999999999:1 63:9 64:1`) {
		some := hosttest.Rotate(nth, c.Executes(), "interp")
		for shell := range some {
			t.Run(c.Name+"/"+shell, func(t *testing.T) {
				t.Parallel()
				h := newHost(t).vendor()
				for tool, reads := range tools {
					h.Command(tool, "case $* in\n"+reads+") "+c.Commands+"\n;;\nesac\nexit 0")
				}
				h.judgeHostile(shell, "dscp_prio3", "ets_tc", "pause", "pfc")
			})
		}
		nth++
	}
}

// judgeHostile runs the verbs, which must find required settings missing and execute nothing.
func (h *host) judgeHostile(shell string, keys ...string) {
	check, code := h.run(shell, "check", nicName)
	assert.Equal(h.T, 1, code, "%.300s", check)
	for _, key := range keys {
		assert.Contains(h.T, "\n"+check, "\n"+key+" is ")
	}
	apply, code := h.run(shell, "apply", nicName)
	assert.Equal(h.T, 1, code, "%.300s", apply)
	assert.Contains(h.T, apply, "rocec-host-bnxt: "+nicName+": ")
	show, code := h.run(shell, "show", nicName)
	assert.Zero(h.T, code, "%.300s", show)
	assert.False(h.T, h.Has("owned"), "a text was executed")
	assert.Less(h.T, len(apply)+len(check)+len(show), 1<<20)
}

// TestHostileFiles does the same as TestHostileTools for files of both drivers.
func TestHostileFiles(t *testing.T) {
	lines := strings.Join([]string{
		"ecn status (ecn_enable) : Enabled", "cnp dscp (cnp_dscp) : " + hosttest.Evil, "cnp prio (cnp_prio) : 99999999999999999999",
		"roce dscp (roce_dscp) : 08", "slave roce prio (roce_prio) : $(touch owned)", "congestion control mode (cc_mode) : \x1b[31m",
		"running avg. weight(g) : " + hosttest.Evil, "inactivity threshold (inact_th) : 08 usec",
		"initial target rate (init_tr) : 0x99999999999999999999",
	}, "\n") + "\n"
	for i, text := range append(slices.Clip(hosttest.HostileFiles), lines) {
		for shell := range hosttest.Rotate(i, text == lines, "interp") {
			t.Run(fmt.Sprintf("%d/%s", i, shell), func(t *testing.T) {
				t.Parallel()
				h := newHost(t).vendor()
				require.NoError(t, os.WriteFile(h.Path("fake/text"), []byte(text), 0o644))
				h.Command("mkdir", `/bin/mkdir "$1" "$1/ports" "$1/ports/1" "$1/ports/1/cc" && cp "$FAKE_DIR/text" "$1/ports/1/cc/apply"`)
				h.Command("rmdir", `/bin/rm -r "$1"`)
				require.NoError(t, os.WriteFile(h.Path("sys/class/net/"+nicName+"/mtu"), []byte(text), 0o644))
				h.judgeHostile(shell, "cnp_dscp", "cnp_prio", "mtu", "tos")

				h = newHost(t).inbox("1", "1", "48", "6")
				for _, glob := range []string{debugCC + "*", "sys/class/net/*/mtu"} {
					for _, file := range h.Glob(glob) {
						require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
					}
				}
				h.judgeHostile(shell, "cnp_dscp", "cnp_prio", "mtu")
			})
		}
	}
}
