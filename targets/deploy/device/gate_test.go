package device

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy/order"
	"github.com/rocec/rocec/targets/target"
)

// fakeLogin runs commands by sh on this machine. Its programs sudo, id and rocec-txn report how they were called.
type fakeLogin struct {
	t   *testing.T
	dir string
}

func (f *fakeLogin) Run(_ context.Context, cmd string, stdin []byte) ([]byte, error) {
	cmd = strings.ReplaceAll(cmd, order.Gate, filepath.Join(f.dir, "rocec-txn"))
	cmd = strings.ReplaceAll(cmd, order.Signers, filepath.Join(f.dir, "allowed_signers"))
	c := exec.Command("sh", "-c", cmd)
	c.Env = []string{"PATH=" + f.dir + ":" + os.Getenv("PATH")}
	c.Stdin = strings.NewReader(string(stdin))
	return c.Output()
}

func (f *fakeLogin) HostKey() string { return "SHA256:a" }
func (f *fakeLogin) Close() error    { return nil }

// program writes a program of the login.
func (f *fakeLogin) program(name, text string) {
	require.NoError(f.t, os.WriteFile(filepath.Join(f.dir, name), []byte("#!/bin/sh\n"+text), 0o755))
}

// TestGateFirst: an order goes to the gate, whoever the login is and whether sudo takes a password. Other verbs of a login that is not root
// go through the gate where there is one. Elsewhere scripts run as root, and so does what the gate cannot do.
func TestGateFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		user, uid     string
		gate, ordered bool
		password      bool   // rocec has a password, and sudo takes it
		verb          string // of the gate; empty: it does nothing of the kind
		want          string
	}{
		"order":                  {"admin", "1000", true, true, false, "prepare", "sudo -n gate prepare it\n"},
		"order of root":          {"root", "0", true, true, false, "prepare", "gate prepare it\n"},
		"order with a password":  {"admin", "1000", true, true, true, "prepare", "sudo -n gate prepare it\n"},
		"no order":               {"admin", "1000", true, false, false, "prepare", "sudo -n gate prepare it\n"},
		"no order of root":       {"root", "0", true, false, false, "prepare", "script one\n"},
		"no order, by password":  {"admin", "1000", true, false, true, "prepare", "sudo -n gate prepare it\n"},
		"install, by password":   {"admin", "1000", true, false, true, "", "script one\n"},
		"no gate":                {"admin", "1000", false, false, false, "prepare", "sudo -n script one\n"},
		"no gate, uid 0":         {"toor", "0", false, false, false, "prepare", "script one\n"},
		"no gate, with password": {"admin", "1000", false, false, true, "prepare", "script one\n"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeLogin{t, t.TempDir()}
			f.program("id", "echo "+c.uid)
			f.program("sudo", "if [ \"$1\" = -n ]; then shift; printf 'sudo -n '; fi\nexec \"$@\"\n")
			if c.gate {
				f.program("rocec-txn", "echo gate \"$@\"\n")
				require.NoError(t, os.WriteFile(filepath.Join(f.dir, "allowed_signers"), nil, 0o644))
			}
			of := &target.Device{Name: "leaf01", Login: target.Login{User: c.user}}
			d := &Device{Of: of, conn: f}
			if c.password {
				d.sudo = &Sudo{
					password: "x", admitted: map[string]bool{"leaf01": true}, known: map[string]needs{d.machine(): takesPassword},
					gates: map[string]bool{},
				}
				f.program("sudo", "cat >/dev/null\nwhile [ \"$1\" != env ]; do if [ \"$1\" = -n ]; then printf 'sudo -n '; fi; "+
					"case $1 in */rocec-txn) exec \"$@\" ;; esac; shift; done\nexec \"$@\"\n")
			}
			if c.ordered {
				d.Order = &order.Envelope{}
			}
			gate := ""
			if c.verb != "" {
				gate = byGate(c.verb, "it")
			}
			out, err := d.asRoot(context.Background(), false, nil, gate, `echo script "$1"`, "one")
			require.NoError(t, err)
			assert.Equal(t, c.want, string(out))
		})
	}
}
