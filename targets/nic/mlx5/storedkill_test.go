package mlx5

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// killed wraps the tools of the card: the nth call kills the step, before or after the tool has done its work.
func (m *machine) killed(nth int, after bool) {
	for _, name := range []string{"mstconfig", "mstfwreset"} {
		require.NoError(m.T, os.Rename(m.Path("usr/sbin/"+name), m.Path("usr/sbin/"+name+".real")))
		at := map[bool]string{true: "after", false: "before"}[after]
		m.Command(name, fmt.Sprintf(`[ -n "${NO_KILL:-}" ] || { echo . >>"$FAKE_DIR/calls"; n=$(wc -l <"$FAKE_DIR/calls"); }
[ "${n:-0} %[1]s" != "%[2]d before" ] || kill -9 0
"$0.real" "$@"
status=$?
[ "${n:-0} %[1]s" != "%[2]d after" ] || kill -9 0
exit $status`, at, nth))
	}
}

// TestStoreKilled kills the step that stores parameters before and after calls of tools. Whatever was done until then, the undo restores
// what the card stored, and nothing is left of the step. The undo is killed at the same call, and runs again.
func TestStoreKilled(t *testing.T) {
	t.Parallel()
	run := func(m *machine, cmd string, env ...string) bool {
		c := exec.Command(machinetest.Need(m.T, "dash"), "-c", strings.ReplaceAll(cmd, "/var/lib/rocec", m.Root+"/var/lib/rocec"))
		c.Env, c.Stdin = append(append([]string(nil), m.Env...), env...), bytes.NewReader(m.Script)
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		return c.Run() == nil
	}
	for _, after := range []bool{false, true} {
		t.Run(fmt.Sprintf("after=%t", after), func(t *testing.T) {
			t.Parallel()
			whole := false
			for nth := 1; !whole; nth += 3 { // each third call, which are all kinds of calls
				require.Less(t, nth, 99)
				m, d := withCard(t, "")
				step := storedFile(t, d).Activate
				m.Write("live/stored/ens1f0", strings.TrimSuffix(m.Exec("dash", append([]string{"stored"}, storedArgs...)).Out, "\n"))
				m.Env = append(m.Env, "ROCEC_LIVE="+m.Path("live"))
				m.killed(nth, after)
				whole = run(m, step.Cmd)
				m.Remove("fake/calls")
				run(m, step.Undo.Cmd)
				require.True(t, run(m, step.Undo.Cmd, "NO_KILL=yes"))
				assert.Equal(t, strings.TrimSpace(factory), strings.TrimSpace(m.Read("fake/nv")), nth)
				assert.False(t, m.Has("var/lib/rocec/rocec-host/ens1f0.stored"), nth)
			}
		})
	}
}
