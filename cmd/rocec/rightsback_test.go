package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// TestRightsGoOn: a run that changes the owner or mode of a file, with or without its content, is like any other run. It can be
// confirmed, resumed and rolled back, on the machine that started it and on another. A rollback does not restore the mode.
func TestRightsGoOn(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	const script, rules = "/usr/local/sbin/rocec-host", "/etc/udev/rules.d/99-rocec.rules"
	for name, spoil := range map[string]string{
		"mode alone":           "chmod 0777 " + script,
		"owner alone":          "chown 1000:1000 " + script,
		"mode beside contents": "chmod 0777 " + script + " && rm " + rules,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, oneRack)
			o.want(t, exit.Good, "apply", "--auto-approve", "--soak", "0s")
			contents := name == "mode beside contents"
			held := func() string {
				o.root(t, "store1", spoil)
				return o.holds(t)
			}
			closed := func(there bool) {
				t.Helper()
				require.Equal(t, "0:0:755\n", o.root(t, "store1", "stat -c %u:%g:%a "+script))
				is := o.root(t, "store1", "test -e "+rules+" && echo there || echo gone")
				require.Equal(t, map[bool]string{true: "there\n", false: "gone\n"}[there], is)
			}
			for _, person := range []string{"alice", "bob"} {
				goes := func() { o.sits(t, person) }
				back := func(run, says string) {
					t.Helper()
					goes()
					require.Contains(t, o.want(t, exit.Good, "rollback", "--auto-approve", "--soak", "0s", run), says, person)
					closed(!contents)
					o.sits(t, "alice")
				}
				run := held()
				goes()
				require.Contains(t, o.want(t, exit.Usage, "resume", run), "waits to be confirmed", person)
				require.Contains(t, o.want(t, exit.Good, "confirm", run), "1 applied", person)
				closed(true)
				o.sits(t, "alice")
				back(run, map[bool]string{true: "1 applied", false: "No changes: 1 device up to date"}[contents])
				o.want(t, exit.Good, "apply", "--auto-approve", "--soak", "0s")
				back(held(), "1 device restored")
				o.want(t, exit.Good, "apply", "--auto-approve", "--soak", "0s")
			}
		})
	}
}
