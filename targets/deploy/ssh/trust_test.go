package ssh_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
	"github.com/rocec/rocec/targets/deploy/ssh"
)

// TestTrust: rocec asks a server for its key without a login. The key replaces the one on file. Other hosts of the same line keep the old
// key.
func TestTrust(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	stranger := sshdtest.NewKey(t, "ed25519", "")
	at := "[127.0.0.1]:" + strconv.Itoa(s.Port)
	shown := at + " " + s.HostKeys["ed25519"].Public + "\n"
	old := stranger.Public + "\n"
	for name, c := range map[string]struct {
		known, after string
		identify     string // why Identify fails
		trust        string // why Trust fails
	}{
		"nothing on file":      {"", shown, "", ""},
		"another key on file":  {"# a\n" + at + " " + old, "# a\n" + shown, "", ""},
		"shared with another":  {at + ",other.example.net " + old, "other.example.net " + old + shown, "", ""},
		"a pattern":            {"[127.0.0.*]:* " + old, "", "", "known_hosts:1: this line has the old key for [127.0.0.*]:*"},
		"revoked":              {"@revoked * " + s.HostKeys["ed25519"].Public + "\n", "", "known_hosts:1 revokes", ""},
		"the line has no end":  {"other " + strings.TrimSpace(old), "other " + old + shown, "", ""},
		"another port on file": {"[127.0.0.1]:1 " + old, "[127.0.0.1]:1 " + old + shown, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := ssh.Config{User: s.User, Home: home(t, map[string]string{"known_hosts": c.known})}
			file := filepath.Join(cfg.Home, ".ssh", "known_hosts")
			id, err := newDialer(t, cfg).Identify(t.Context(), device(s))
			if c.identify != "" {
				require.ErrorContains(t, err, c.identify)
				return
			}
			require.NoError(t, err)
			require.Equal(t, s.HostKeys["ed25519"].Fingerprint, id.Fingerprint())
			require.False(t, id.Known)
			if c.trust != "" {
				require.ErrorContains(t, id.Trust(), c.trust)
				require.Equal(t, c.known, string(read(t, file)))
				return
			}
			require.NoError(t, id.Trust())
			require.Equal(t, c.after, string(read(t, file)))
			require.Equal(t, c.known, string(read(t, file+".old")))

			cfg.Keys = [][]byte{s.ClientKey.PEM}
			d := newDialer(t, cfg)
			id, err = d.Identify(t.Context(), device(s))
			require.NoError(t, err)
			require.True(t, id.Known)
			require.Equal(t, "hello\n", output(t, dial(t, d, device(s)), "echo hello"))
		})
	}
}

// TestPipes: a pipe in the place of a file is refused without a wait.
func TestPipes(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	for _, name := range []string{"config", "known_hosts"} {
		cfg := ssh.Config{User: s.User, Keys: [][]byte{s.ClientKey.PEM}, Home: home(t, nil)}
		require.NoError(t, os.MkdirAll(cfg.Home+"/.ssh", 0o700))
		require.NoError(t, syscall.Mkfifo(cfg.Home+"/.ssh/"+name, 0o600))
		d, err := ssh.New(cfg)
		if err == nil {
			_, err = d.Dial(t.Context(), device(s))
		}
		require.ErrorContains(t, err, name+" is a pipe or a socket, and not a file")
	}
}
