package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	xssh "golang.org/x/crypto/ssh"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
)

// A saved plan contains the host key that each device has proved. If another machine answers at a device's address, it does not get the
// change, even if known_hosts has its key, too.
func TestSavedPlanUnderAnotherHostKey(t *testing.T) {
	t.Parallel()
	setenv(t, "COLUMNS", "1000") // the test searches for whole sentences
	dir, first := standing(t)
	fabric := filepath.Join(dir, "fabric.hcl")
	hcl, err := os.ReadFile(fabric)
	require.NoError(t, err)
	a := newApp(&person.Person{Getenv: func(string) string { return "" }})
	f, err := a.Load(dir)
	require.NoError(t, err)
	other, err := lab.Start(f.Tree())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, other.Close()) })

	// One address leads to one of two labs.
	var now atomic.Pointer[string]
	front, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { front.Close() })
	go func() {
		for {
			c, err := front.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", *now.Load())
			if err != nil {
				c.Close()
				continue
			}
			go func() { _, _ = io.Copy(to, c); to.Close() }()
			go func() { _, _ = io.Copy(c, to); c.Close() }()
		}
	}()
	behind := func(l *lab.Lab) (addr, key string) {
		login, err := l.Listen("tor1")
		require.NoError(t, err)
		return fmt.Sprintf("127.0.0.1:%d", login.Port), login.HostKey
	}
	firstAt, firstKey := behind(first)
	otherAt, otherKey := behind(other)
	require.NotEqual(t, firstKey, otherKey)
	home := getenv(t, "HOME")
	port := front.Addr().(*net.TCPAddr).Port
	var known strings.Builder
	for _, addr := range []string{firstAt, otherAt} {
		fmt.Fprintf(&known, "[127.0.0.1]:%d %s\n", port, publicKey(t, addr))
	}
	identity := filepath.Join(home, ".ssh", "id_other")
	require.NoError(t, os.WriteFile(identity, other.Key(), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".ssh", "known_hosts"), []byte(known.String()), 0o600))
	config := fmt.Appendf(nil, "IdentityAgent none\nIdentitiesOnly yes\nIdentityFile %s\nIdentityFile %s\n",
		filepath.Join(home, ".ssh", "id_ed25519"), identity)
	require.NoError(t, os.WriteFile(filepath.Join(home, ".ssh", "config"), config, 0o600))

	for _, transport := range []string{"native", "openssh"} {
		t.Run(transport, func(t *testing.T) {
			if transport == "openssh" {
				machinetest.Need(t, "ssh")
			}
			block := fmt.Sprintf("ssh {\n    address = \"127.0.0.1\"\n    user = %q\n    port = %d\n    transport = %q\n  }",
				first.Login("tor1").User, port, transport)
			start := bytes.Index(hcl, []byte("ssh {"))
			end := start + bytes.IndexByte(hcl[start:], '}') + 1
			text := string(hcl[:start]) + block + string(hcl[end:])
			require.NoError(t, os.WriteFile(fabric, []byte(text), 0o644))
			saved := filepath.Join(t.TempDir(), "change.plan")

			now.Store(&firstAt)
			code, stdout, stderr := rocec(t, "plan", "--target", "tor1", "--out", saved, dir)
			require.Equal(t, exit.Good, code, "%s\n%s", stdout, stderr)
			data, err := os.ReadFile(saved)
			require.NoError(t, err)
			var plan deploy.Saved
			require.NoError(t, json.Unmarshal(data, &plan))
			require.Len(t, plan.Devices, 1)
			require.Equal(t, firstKey, plan.Devices[0].HostKey)

			now.Store(&otherAt)
			code, stdout, stderr = rocec(t, "apply", "--plan", saved, "--target", "tor1", "--auto-approve", "--soak", "0s", dir)
			require.Equal(t, exit.Machines, code, "%s\n%s", stdout, stderr)
			require.Contains(t, stderr, "answers with another host key than when the plan was made ("+otherKey+", then "+firstKey+")")
			require.Empty(t, other.Device("tor1").Writes())
		})
	}
}

// publicKey returns the host key of a server, as a line of known_hosts has it.
func publicKey(t *testing.T, addr string) (key string) {
	t.Helper()
	_, err := xssh.Dial("tcp", addr, &xssh.ClientConfig{
		HostKeyCallback: func(_ string, _ net.Addr, k xssh.PublicKey) error {
			key = k.Type() + " " + base64.StdEncoding.EncodeToString(k.Marshal())
			return io.EOF
		},
	})
	require.Error(t, err)
	require.NotEmpty(t, key)
	return key
}
