//go:build linux

package matrix

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy/order"
)

// The beginnings of the comments above the lines of sudoers for a role, in the output of rocec help sudoers.
const (
	readLines      = "# plan and verify, without a gate"
	readByGateLine = "# plan and verify, through the gate"
	lockLine       = "# Locks, through the gate"
	applyLine      = "# apply, through the gate"
)

// role gives the login only the lines of sudoers below a comment of rocec help sudoers; empty: no line. visudo checks them.
func (g *gated) role(t *testing.T, comment string) {
	t.Helper()
	if comment == "" {
		g.exec(t, "rm -f /etc/sudoers.d/rocec*")
		return
	}
	help, err := g.o.run(t.Context(), "help", "sudoers")
	require.NoError(t, err)
	_, lines, found := strings.Cut(help.out, comment)
	require.True(t, found, help.out)
	_, lines, _ = strings.Cut(lines, "\n")
	lines, _, _ = strings.Cut(lines, "\n\n")
	text := strings.ReplaceAll(lines, "LOGIN", g.d.User) + "\n"
	g.exec(t, "rm -f /etc/sudoers.d/rocec*; printf '%s' '"+text+"' >/etc/sudoers.d/rocec-role && "+
		"chmod 440 /etc/sudoers.d/rocec-role && visudo -cq")
}

// may checks which commands the login may run as root by sudo.
func (g *gated) may(t *testing.T, allowed bool, commands ...string) {
	t.Helper()
	for _, c := range commands {
		said, _ := g.ssh(t.Context(), nil, "sudo -n "+strings.ReplaceAll(c, "GATE", order.Gate))
		require.Equal(t, allowed, !strings.Contains(said, "sudo: "), "%s: %s", c, said)
	}
}

// reads reports whether verify reads the file of the device, which only root may read.
func (g *gated) reads(t *testing.T) bool {
	t.Helper()
	r, err := g.o.run(t.Context(), "verify", "--since", "boot", "--target", g.o.device)
	require.NoError(t, err)
	return !strings.Contains(r.out, traffic+": the login user may not read it")
}

// TestSudoersLines: each role of rocec help sudoers can do its part and nothing else, with real sudo. The paths of cat are those of a
// system whose /bin is a link to /usr/bin, and of an older one, where /bin is a folder and /usr/bin has no cat.
func TestSudoersLines(t *testing.T) {
	t.Parallel()
	g := newGated(t, references()[0], map[string]string{})
	g.exec(t, "chmod 600 "+traffic)
	everything := []string{
		"sh -c id", "cat /etc/shadow", "cat " + traffic + " /etc/shadow", "/bin/cat /etc/shadow", "tee " + traffic, "GATE body",
	}

	g.role(t, "")
	require.False(t, g.reads(t), "without a line nobody reads it")
	g.role(t, readLines)
	old := func() {
		t.Helper()
		require.True(t, g.reads(t))
		g.may(t, true, "cat "+traffic, "/bin/cat "+traffic)
		g.may(t, false, everything...)
		g.rocec(t, exitMachines, "not-started", g.o.apply("--soak", "0s")...)
	}
	old()
	g.may(t, true, "/usr/bin/cat "+traffic)
	g.exec(t, `mkdir /bin.folder && cd /usr/bin && for f in *; do ln -s "/usr/bin/$f" "/bin.folder/$f"; done && rm /bin.folder/cat &&
		cp /usr/bin/cat /bin.folder/cat && rm /bin && mv /bin.folder /bin && mount --bind /dev/null /usr/bin/cat`)
	out, _ := g.ssh(t.Context(), nil, "command -v cat")
	require.Equal(t, "/bin/cat\n", out, "as on Cumulus Linux 3.x")
	old()
	g.may(t, false, "/usr/bin/cat "+traffic)
	g.exec(t, "umount /usr/bin/cat")

	g.exec(t, "mkdir -p /var/lib/rocec/backup; rm -f /etc/sudoers.d/rocec-role; "+
		"printf 'cumulus ALL=(ALL) NOPASSWD: ALL\\n' >/etc/sudoers.d/rocec")
	g.install(t)
	const mark, run = "rocec-AAAAAAAAAAAAAAAAAAAAAAAA", "20261130t000000z-0bad"
	look := []string{"GATE hello", "GATE cat " + traffic, "GATE state /", "GATE held " + mark + " " + run, "GATE records " + mark}
	lock := []string{
		"GATE mark " + run + " ab12 bob 60 ''", "GATE unmark " + run + " ab12 ''", "GATE unlock '?' bob", "GATE sweep " + run + " bob",
	}
	change := []string{"GATE prepare", "GATE remove", "GATE call " + run + " ab12 '' commit bob ''", "GATE extend " + run + " ab12 '' 60"}

	g.role(t, readByGateLine)
	require.True(t, g.reads(t))
	g.may(t, true, look...)
	g.may(t, false, append(append(everything, lock...), change...)...)

	g.role(t, lockLine)
	g.may(t, true, lock...)
	g.may(t, false, append(append(everything, look...), change...)...)
	g.exec(t, fmt.Sprintf("mkdir -p /var/lib/rocec/lock && printf 'txn %s\\nkey ab12\\nowner bob\\n' >/var/lib/rocec/lock/owner", run))
	g.rocec(t, 0, "", append(g.o.unlock(), "--run", run)...)
	require.Empty(t, g.exec(t, "ls -d /var/lib/rocec/lock 2>/dev/null || :"))
	g.exec(t, "! test -e /var/lib/rocec/txn-"+run)

	g.role(t, applyLine)
	require.True(t, g.reads(t))
	g.may(t, true, append(append(look, lock...), change...)...)
	g.may(t, false, everything[:5]...)
	g.rocec(t, 0, "applied", g.o.apply("--soak", "0s", g.signs())...)

	g.d.User = "root" // a login that needs no gate, and takes it away without a signature
	root, err := g.o.another(g.d)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, root.close()) })
	r, err := root.run(t.Context(), "gate", "--remove", "-y", "--target", root.device)
	require.NoError(t, err)
	require.Contains(t, r.out, root.device+"  gate removed\n", "%s", r)
	g.exec(t, "! test -e "+order.Gate+" && ! test -e "+order.Signers)
}
