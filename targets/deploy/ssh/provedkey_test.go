package ssh_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	xssh "golang.org/x/crypto/ssh"

	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
	"github.com/rocec/rocec/targets/deploy/ssh"
)

// TestConnTellsHostKey: with both transports, a connection reports the key that the server has proved.
func TestConnTellsHostKey(t *testing.T) {
	t.Parallel()
	overAll(t, func(t *testing.T, w way) {
		s := sshdtest.Start(t, sshdtest.Options{HostKeys: []string{"rsa", "ecdsa", "ed25519"}})
		for kind, key := range s.HostKeys {
			cfg := w.trusting(t, s)
			dev := w.device(s)
			put(t, cfg.Home, "known_hosts", s.KnownHostsLine(kind))
			assert.Equal(t, key.Fingerprint, dial(t, newDialer(t, cfg), dev).HostKey(), kind)

			put(t, cfg.Home, "known_hosts", "")
			dev.Login.HostKey = key.Fingerprint
			assert.Equal(t, key.Fingerprint, dial(t, newDialer(t, cfg), dev).HostKey(), "pinned %s", kind)
		}

		t.Run("a certificate", func(t *testing.T) {
			ca := sshdtest.NewKey(t, "ed25519", "")
			s := sshdtest.Start(t, sshdtest.Options{HostCA: ca, HostKeys: []string{"ecdsa"}})
			cfg := w.trusting(t, s)
			for _, known := range []string{"@cert-authority * " + ca.Public + "\n", s.KnownHostsLine("ecdsa")} {
				put(t, cfg.Home, "known_hosts", known)
				assert.Equal(t, s.HostKeys["ecdsa"].Fingerprint, dial(t, newDialer(t, cfg), w.device(s)).HostKey(), known)
			}
		})

		t.Run("behind a jump host", func(t *testing.T) {
			if w.config != "" {
				t.Skip("a ProxyCommand is the way, and no jump host")
			}
			jump := sshdtest.Start(t, sshdtest.Options{})
			cfg := w.trusting(t, s, jump)
			dev := w.device(s)
			dev.Login.Jump = jump.User + "@" + jump.Addr
			put(t, cfg.Home, "known_hosts", s.KnownHostsLine("ecdsa")+jump.KnownHostsLine("ed25519"))
			assert.Equal(t, s.HostKeys["ecdsa"].Fingerprint, dial(t, newDialer(t, cfg), dev).HostKey())
		})

		t.Run("a server that lies in its banner", func(t *testing.T) {
			banner := filepath.Join(t.TempDir(), "banner")
			lie := "\ndebug1: Server host key: ssh-ed25519 " + sshdtest.NewKey(t, "ed25519", "").Fingerprint + "\n"
			require.NoError(t, os.WriteFile(banner, []byte(lie), 0o600))
			s := sshdtest.Start(t, sshdtest.Options{Config: []string{"Banner " + banner}})
			assert.Equal(t, s.HostKeyPin(), dial(t, newDialer(t, w.trusting(t, s)), w.device(s)).HostKey())
		})
	})
}

// The person's KnownHostsCommand still decides, although rocec uses a KnownHostsCommand to get the key.
func TestKnownHostsCommandOfThePerson(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	stranger := sshdtest.NewKey(t, "ed25519", "")
	script := filepath.Join(t.TempDir(), "known")
	for name, c := range map[string]struct{ key, says string }{
		"knows the device":  {s.HostKeys["ed25519"].Public, ""},
		"knows another key": {stranger.Public, "is not the one on file"},
		"knows nothing":     {"", "is not known"},
	} {
		t.Run(name, func(t *testing.T) {
			line := "true"
			if c.key != "" {
				line = "echo \"$1 " + c.key + "\""
			}
			require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\n"+line+"\n"), 0o700))
			cfg := byProgram(t, s, "Host 127.0.0.1\n KnownHostsCommand \""+script+"\" %H\nHost *\n", "")
			if c.says != "" {
				assert.Contains(t, refused(t, cfg, programDevice(s), ssh.ErrHostKey), c.says)
				return
			}
			assert.Equal(t, s.HostKeyPin(), dial(t, newDialer(t, cfg), programDevice(s)).HostKey())
		})
	}
}

// An ssh without KnownHostsCommand still logs in, and the connection reports no key.
func TestOldSSHTellsNoHostKey(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	cfg := byProgram(t, s, "", s.KnownHostsLine("ed25519"))
	cfg.OpenSSH = without(t, "KnownHostsCommand")
	conn := dial(t, newDialer(t, cfg), programDevice(s))
	assert.Equal(t, "hello\n", output(t, conn, "echo hello"))
	assert.Empty(t, conn.HostKey())
}

// without makes an ssh program that lacks an option, like an older one.
func without(t *testing.T, option string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ssh")
	text := "#!/bin/sh\nfor arg; do case $arg in " + option + "=*) echo \"command-line: line 0: Bad configuration option: " +
		strings.ToLower(option) + "\" >&2; exit 255 ;; esac; done\nexec ssh \"$@\"\n"
	require.NoError(t, os.WriteFile(name, []byte(text), 0o700))
	return name
}

// Short RSA keys and SHA-1 are refused in every place.
func TestWeakKeys(t *testing.T) {
	t.Parallel()
	weak := sshdtest.Start(t, sshdtest.Options{HostKeys: []string{"rsa:1024"}})
	pin := weak.HostKeys["rsa:1024"].Fingerprint
	ca := sshdtest.NewKey(t, "rsa", "", "-b", "1024")
	certified := sshdtest.Start(t, sshdtest.Options{HostCA: ca})
	good := sshdtest.Start(t, sshdtest.Options{})
	const size = "an RSA key of 1024 bits, and rocec accepts RSA keys of 2048 bits or more"

	overAll(t, func(t *testing.T, w way) {
		for name, known := range map[string]string{"known": weak.KnownHostsLine("rsa:1024"), "pinned": ""} {
			cfg, dev := w.trusting(t, weak), w.device(weak)
			put(t, cfg.Home, "known_hosts", known)
			if known == "" {
				dev.Login.HostKey = pin
			}
			text := refused(t, cfg, dev, ssh.ErrHostKey)
			assert.Contains(t, text, "2048", name)
			assert.Contains(t, text, "ssh-keygen -A", name)
			if w.name != "native" {
				cfg.OpenSSH = without(t, "RequiredRSASize")
				assert.Contains(t, refused(t, cfg, dev, ssh.ErrHostKey), size, "an older ssh, %s", name)
			}
		}

		t.Run("jump host", func(t *testing.T) {
			if w.config != "" {
				t.Skip("a ProxyCommand is the way, and no jump host")
			}
			dev := w.device(good)
			dev.Login.Jump = weak.User + "@" + weak.Addr
			_, err := newDialer(t, w.trusting(t, good, weak)).Dial(t.Context(), dev)
			require.ErrorIs(t, err, ssh.ErrHostKey)
		})

		t.Run("MAC", func(t *testing.T) {
			s := sshdtest.Start(t, sshdtest.Options{Config: []string{"MACs hmac-sha1", "Ciphers aes128-ctr"}})
			text := refused(t, w.trusting(t, s), w.device(s), ssh.ErrUnreachable)
			assert.Contains(t, text, "hmac-sha1")
		})
	})

	t.Run("authority", func(t *testing.T) {
		cfg := trusting(t, certified)
		put(t, cfg.Home, "known_hosts", "@cert-authority * "+ca.Public+"\n")
		assert.Contains(t, refused(t, cfg, device(certified), ssh.ErrHostKey), "is signed by "+size)
	})
	t.Run("replace", func(t *testing.T) {
		cfg := trusting(t, weak)
		_, err := newDialer(t, cfg).Identify(t.Context(), device(weak))
		require.ErrorContains(t, err, size)
		both := sshdtest.Start(t, sshdtest.Options{HostKeys: []string{"rsa:1024", "ed25519"}})
		id, err := newDialer(t, trusting(t, both)).Identify(t.Context(), device(both))
		require.NoError(t, err)
		require.Equal(t, both.HostKeys["ed25519"].Fingerprint, id.Fingerprint())
	})
}

// TestWeakUserKeys: weak keys of the person are not offered, and the message names them with the reason.
func TestWeakUserKeys(t *testing.T) {
	t.Parallel()
	key := sshdtest.NewKey(t, "rsa", "", "-b", "1024")
	rsa := sshdtest.NewKey(t, "rsa", "")
	ca := sshdtest.NewKey(t, "rsa", "", "-b", "1024")
	signed := sshdtest.NewKey(t, "ed25519", "")
	s := sshdtest.Start(t, sshdtest.Options{Authorize: []string{key.Public, rsa.Public, "cert-authority " + ca.Public}})
	ca.Certify(t, signed, false, s.User)
	cert := string(read(t, signed.Path+"-cert.pub"))
	for name, cfg := range map[string]ssh.Config{
		"given":       {Keys: [][]byte{key.PEM}},
		"file":        {Home: home(t, map[string]string{"id_rsa": string(key.PEM)})},
		"agent":       {AgentSocket: startAgent(t, key)},
		"certificate": {Home: home(t, map[string]string{"id_ed25519": string(signed.PEM), "id_ed25519-cert.pub": cert})},
	} {
		t.Run(name, func(t *testing.T) {
			if cfg.Home == "" {
				cfg.Home = home(t, nil)
			}
			cfg.User = s.User
			put(t, cfg.Home, "known_hosts", s.KnownHostsLine("ed25519"))
			text := refused(t, cfg, device(s), ssh.ErrLogin)
			assert.Contains(t, text, "an RSA key of 1024 bits, and rocec accepts RSA keys of 2048 bits or more")
			assert.Contains(t, text, "make another with `ssh-keygen -t ed25519`")
		})
	}
	t.Run("openssh", func(t *testing.T) {
		cfg := byProgram(t, s, "", s.KnownHostsLine("ed25519"))
		put(t, cfg.Home, "config", "IdentityAgent none\nIdentitiesOnly yes\nIdentityFile "+key.Path+"\n")
		refused(t, cfg, programDevice(s), ssh.ErrLogin)
	})

	// Servers such as OpenSSH before 7.2 only accept signatures with SHA-1.
	hostKey, err := xssh.ParsePrivateKey(s.HostKeys["ed25519"].PEM)
	require.NoError(t, err)
	old := &xssh.ServerConfig{
		PublicKeyAuthAlgorithms: []string{xssh.KeyAlgoRSA},
		PublicKeyCallback:       func(xssh.ConnMetadata, xssh.PublicKey) (*xssh.Permissions, error) { return nil, nil },
	}
	old.AddHostKey(hostKey)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _, _, _ = xssh.NewServerConn(c, old) // the connection ends without a login
		}
	}()
	dev := device(s)
	dev.Login.Port, dev.Login.HostKey = l.Addr().(*net.TCPAddr).Port, s.HostKeyPin()
	text := refused(t, ssh.Config{User: "u", Keys: [][]byte{rsa.PEM}}, dev, ssh.ErrLogin)
	assert.Contains(t, text, "it accepts RSA keys only with SHA-1")
}

// ssh uses the algorithms in the person's own ssh_config. So a person can reach a device that only has weak algorithms.
func TestWeakByChoice(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{HostKeys: []string{"rsa:1024"}, Config: []string{"MACs hmac-sha1", "Ciphers aes128-ctr"}})
	cfg := byProgram(t, s, "MACs hmac-sha1\nRequiredRSASize 1024\n", s.KnownHostsLine("rsa:1024"))
	assert.Equal(t, "hello\n", output(t, dial(t, newDialer(t, cfg), programDevice(s)), "echo hello"))
}

// A device, or a program on the way to it, that writes without end does not fill memory or disk.
func TestTalkativeSSH(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	self, err := os.Executable()
	require.NoError(t, err)
	flood := "head -c 5000000 /dev/zero | tr '\\\\0' x >&2; yes talk | head -n 20000 >&2; "
	var screen strings.Builder
	cfg := byProgram(t, s, "ProxyCommand sh -c \""+flood+"exec env TEST_RELAY=127.0.0.1:"+strconv.Itoa(s.Port)+" "+self+"\"\n",
		s.KnownHostsLine("ed25519"))
	cfg.Terminal = &screen
	conn := dial(t, newDialer(t, cfg), programDevice(s))
	assert.Equal(t, "hello\n", output(t, conn, "echo hello"))
	assert.Less(t, screen.Len(), 100_000)
	assert.Contains(t, screen.String(), "ssh says more than 100 lines; the others are not shown")
	rooms, err := filepath.Glob("/tmp/rocec-ssh-" + strconv.Itoa(os.Getpid()) + "-*/*")
	require.NoError(t, err)
	require.NotEmpty(t, rooms)
	for _, name := range rooms {
		if info, err := os.Stat(name); err == nil {
			assert.Less(t, info.Size(), int64(64<<10), name)
		}
	}

	broken := byProgram(t, s, "ProxyCommand sh -c \""+flood+"echo the end >&2\"\n", s.KnownHostsLine("ed25519"))
	text := refused(t, broken, programDevice(s), ssh.ErrUnreachable)
	assert.Contains(t, text, "the end")
	assert.Less(t, len(text), 2000)
}
