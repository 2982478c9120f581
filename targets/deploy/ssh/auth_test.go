package ssh_test

import (
	"context"
	"crypto/ed25519"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	xssh "golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
	"github.com/rocec/rocec/targets/deploy/ssh"
)

// startAgent starts an agent with the keys, and returns its socket.
func startAgent(t *testing.T, keys ...*sshdtest.Key) string {
	t.Helper()
	ring := agent.NewKeyring()
	for _, k := range keys {
		private, err := xssh.ParseRawPrivateKey(k.PEM)
		require.NoError(t, err)
		add := agent.AddedKey{PrivateKey: private}
		if pub, err := os.ReadFile(k.Path + "-cert.pub"); err == nil {
			cert, _, _, _, err := xssh.ParseAuthorizedKey(pub)
			require.NoError(t, err)
			add.Certificate = cert.(*xssh.Certificate)
		}
		require.NoError(t, ring.Add(add))
	}
	// The path of a socket is limited to about 100 bytes.
	dir, err := os.MkdirTemp("", "agent")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _ = agent.ServeAgent(ring, c); c.Close() }()
		}
	}()
	return l.Addr().String()
}

// login returns a configuration with the server's host key and only the key files below .ssh.
func login(t *testing.T, s *sshdtest.Server, files map[string]string) ssh.Config {
	t.Helper()
	all := map[string]string{"known_hosts": s.KnownHostsLine("ed25519")}
	maps.Copy(all, files)
	return ssh.Config{User: s.User, Home: home(t, all)}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	rsa, ecdsa, stranger := sshdtest.NewKey(t, "rsa", ""), sshdtest.NewKey(t, "ecdsa", ""), sshdtest.NewKey(t, "ed25519", "")
	s := sshdtest.Start(t, sshdtest.Options{Authorize: []string{rsa.Public, ecdsa.Public}})
	good := s.ClientKey

	for _, c := range []struct {
		name  string
		files map[string]string
		agent []*sshdtest.Key
	}{
		{"default id_ed25519", map[string]string{"id_ed25519": string(good.PEM)}, nil},
		{"default id_ecdsa", map[string]string{"id_ecdsa": string(ecdsa.PEM)}, nil},
		{"default id_rsa", map[string]string{"id_rsa": string(rsa.PEM)}, nil},
		{"second default", map[string]string{"id_ed25519": string(stranger.PEM), "id_rsa": string(rsa.PEM)}, nil},
		{"IdentityFile", map[string]string{"config": "IdentityFile ~/.ssh/keys/%r\nIdentityFile ~/.ssh/lab key\n" +
			"IdentityFile \"~/.ssh/lab key\"\n", "lab key": string(good.PEM)}, nil},
		{"agent", nil, []*sshdtest.Key{good}},
		{"agent with RSA", nil, []*sshdtest.Key{rsa}},
		{"agent after a stranger", nil, []*sshdtest.Key{stranger, ecdsa}},
		{
			"agent, named by its public key alone",
			map[string]string{"config": "IdentityFile ~/.ssh/hw.pub\nIdentitiesOnly yes\n", "hw.pub": good.Public},
			[]*sshdtest.Key{stranger, good},
		},
		{"file, agent of strangers", map[string]string{"id_rsa": string(rsa.PEM)}, []*sshdtest.Key{stranger}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := login(t, s, c.files)
			if c.agent != nil {
				cfg.AgentSocket = startAgent(t, c.agent...)
			}
			assert.Equal(t, "hello\n", output(t, dial(t, newDialer(t, cfg), device(s)), "echo hello"))
		})
	}
}

func TestLoginRefused(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	stranger := sshdtest.NewKey(t, "ed25519", "")
	locked := sshdtest.NewKey(t, "ecdsa", "secret")

	t.Run("no key", func(t *testing.T) {
		text := refused(t, login(t, s, nil), device(s), ssh.ErrLogin)
		assert.Contains(t, text, "there is no key to log in to 127.0.0.1:")
		assert.Contains(t, text, "ssh-add")
	})
	t.Run("wrong keys", func(t *testing.T) {
		cfg := login(t, s, map[string]string{
			"config":     "IdentityFile ~/.ssh/gone\nIdentityFile ~/.ssh/id_ed25519\nIdentityFile ~/.ssh/id_ecdsa\nIdentityFile ~/.ssh/junk\n",
			"id_ed25519": string(stranger.PEM), "id_ecdsa": string(locked.PEM), "junk": "junk\x1b[2J",
		})
		cfg.AgentSocket = "/nonexistent/agent"
		text := refused(t, cfg, device(s), ssh.ErrLogin)
		assert.Contains(t, text, `does not let "`+s.User+`" in with the available keys; tried: `+cfg.Home+
			"/.ssh/id_ed25519; not tried: the agent (no such file")
		assert.Contains(t, text, "gone (it does not exist)")
		assert.Contains(t, text, "id_ecdsa (it is encrypted and rocec cannot ask for its passphrase here; ssh-add it first)")
		assert.Contains(t, text, "junk (no key found)")
	})
	t.Run("file that others can read", func(t *testing.T) {
		cfg := login(t, s, map[string]string{"id_ed25519": string(s.ClientKey.PEM)})
		require.NoError(t, os.Chmod(filepath.Join(cfg.Home, ".ssh", "id_ed25519"), 0o644))
		assert.Contains(t, refused(t, cfg, device(s), ssh.ErrLogin), "others may read it (mode 0644); chmod 600 it")
	})
	t.Run("IdentitiesOnly leaves the agent out", func(t *testing.T) {
		cfg := login(t, s, map[string]string{"config": "IdentitiesOnly yes\n"})
		cfg.AgentSocket = startAgent(t, s.ClientKey)
		refused(t, cfg, device(s), ssh.ErrLogin)
	})
	t.Run("IdentityAgent none", func(t *testing.T) {
		cfg := login(t, s, map[string]string{"config": "IdentityAgent none\n"})
		cfg.AgentSocket = startAgent(t, s.ClientKey)
		refused(t, cfg, device(s), ssh.ErrLogin)
	})
	t.Run("too many keys", func(t *testing.T) {
		var many []*sshdtest.Key
		for range 8 {
			many = append(many, sshdtest.NewKey(t, "ed25519", ""))
		}
		cfg := login(t, s, nil)
		cfg.AgentSocket = startAgent(t, append(many, s.ClientKey)...)
		text := refused(t, cfg, device(s), ssh.ErrLogin)
		assert.Contains(t, text, "Too many authentication failures")
		assert.Contains(t, text, "IdentitiesOnly yes")
	})
	t.Run("passwords only", func(t *testing.T) {
		s := sshdtest.Start(t, sshdtest.Options{Config: []string{"PubkeyAuthentication no", "PasswordAuthentication yes"}})
		text := refused(t, login(t, s, map[string]string{"id_ed25519": string(s.ClientKey.PEM)}), device(s), ssh.ErrLogin)
		assert.Contains(t, text, "by password only, and rocec logs in with keys")
	})
}

func TestIdentityAgent(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	cfg := login(t, s, map[string]string{"config": "IdentityAgent " + startAgent(t, s.ClientKey) + "\n"})
	cfg.AgentSocket = "/nonexistent/agent"
	dial(t, newDialer(t, cfg), device(s))
}

// TestUserCertificate: id-cert.pub beside id, and a certificate in the agent.
func TestUserCertificate(t *testing.T) {
	t.Parallel()
	ca := sshdtest.NewKey(t, "ed25519", "")
	s := sshdtest.Start(t, sshdtest.Options{Config: []string{"TrustedUserCAKeys " + ca.Path + ".pub"}})
	for _, kind := range []string{"ed25519", "rsa"} {
		k := sshdtest.NewKey(t, kind, "")
		refused(t, login(t, s, map[string]string{"id_" + kind: string(k.PEM)}), device(s), ssh.ErrLogin)
		ca.Certify(t, k, false, s.User)
		cert := string(read(t, k.Path+"-cert.pub"))
		dial(t, newDialer(t, login(t, s, map[string]string{"id_" + kind: string(k.PEM), "id_" + kind + "-cert.pub": cert})), device(s))

		cfg := login(t, s, nil)
		cfg.AgentSocket = startAgent(t, k)
		dial(t, newDialer(t, cfg), device(s))
	}
}

// TestCertificateFile: certificates in another folder than their key.
func TestCertificateFile(t *testing.T) {
	t.Parallel()
	ca := sshdtest.NewKey(t, "ed25519", "")
	s := sshdtest.Start(t, sshdtest.Options{Config: []string{"TrustedUserCAKeys " + ca.Path + ".pub"}})
	for _, kind := range []string{"ed25519", "rsa"} {
		k, other := sshdtest.NewKey(t, kind, ""), sshdtest.NewKey(t, kind, "")
		ca.Certify(t, k, false, s.User)
		cert := string(read(t, k.Path+"-cert.pub"))
		require.NoError(t, os.Remove(k.Path+"-cert.pub"))
		config := "CertificateFile ~/.ssh/certs/%r\nIdentityFile ~/.ssh/key\n"
		dial(t, newDialer(t, login(t, s, map[string]string{"config": config, "key": string(k.PEM), "certs/" + s.User: cert})), device(s))

		cfg := login(t, s, map[string]string{"config": "CertificateFile ~/.ssh/cert\nCertificateFile none\n", "cert": cert})
		cfg.AgentSocket = startAgent(t, other, k)
		dial(t, newDialer(t, cfg), device(s))

		refused(t, login(t, s, map[string]string{"config": config, "key": string(other.PEM), "certs/" + s.User: cert}), device(s), ssh.ErrLogin)
		text := refused(t, login(t, s, map[string]string{"config": config, "key": string(k.PEM)}), device(s), ssh.ErrLogin)
		assert.Contains(t, text, "certs/"+s.User+" (it is not a certificate that can be read)")
	}
}

// TestSecurityKeyFile: only the ssh program can use a key inside a security key.
func TestSecurityKeyFile(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	wire := func(parts ...string) (b []byte) {
		for _, p := range parts {
			b = append(binary.BigEndian.AppendUint32(b, uint32(len(p))), p...)
		}
		return b
	}
	public := wire("sk-ssh-ed25519@openssh.com", strings.Repeat("k", 32), "ssh:")
	file := append([]byte("openssh-key-v1\x00"), wire("none", "none", "")...)
	file = append(append(file, 0, 0, 0, 1), wire(string(public), "private")...)
	token := string(pem.EncodeToMemory(&pem.Block{Type: "OPENSSH PRIVATE KEY", Bytes: file}))

	text := refused(t, login(t, s, map[string]string{"config": "IdentityFile ~/.ssh/token\n", "token": token}), device(s), ssh.ErrConfig)
	assert.Contains(t, text, "token, which is in a security key,")
	text = refused(t, login(t, s, map[string]string{"id_ed25519_sk": token}), device(s), ssh.ErrLogin)
	assert.Contains(t, text, "id_ed25519_sk (it is in a security key; ssh-add it, or")
}

// TestSource: the address to connect from, and the address family.
func TestSource(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	conn := dial(t, newDialer(t, login(t, s, map[string]string{
		"config":     "BindAddress 127.0.0.9\nAddressFamily inet\n",
		"id_ed25519": string(s.ClientKey.PEM),
	})), device(s))
	assert.Contains(t, output(t, conn, "echo $SSH_CONNECTION"), "127.0.0.9 ")
	text := refused(t, login(t, s, map[string]string{"config": "AddressFamily inet6\n"}), device(s), ssh.ErrUnreachable)
	assert.Contains(t, text, "cannot reach "+s.Addr)
}

func TestEncryptedKey(t *testing.T) {
	t.Parallel()
	locked := sshdtest.NewKey(t, "ed25519", "secret", "-a", "1") // more rounds take longer and test nothing else
	oldPEM := sshdtest.NewKey(t, "rsa", "secret", "-m", "PEM")
	s := sshdtest.Start(t, sshdtest.Options{Authorize: []string{locked.Public, oldPEM.Public}})
	files := map[string]string{"id_ed25519": string(locked.PEM)}

	t.Run("asked once for many logins", func(t *testing.T) {
		cfg := login(t, s, files)
		var asked atomic.Int32
		cfg.Passphrase = func(_ context.Context, file string) ([]byte, error) {
			asked.Add(1)
			assert.Equal(t, filepath.Join(cfg.Home, ".ssh", "id_ed25519"), file)
			return []byte("secret"), nil
		}
		d := newDialer(t, cfg)
		var wait sync.WaitGroup
		for range 6 {
			wait.Go(func() {
				conn, err := d.Dial(t.Context(), device(s))
				if assert.NoError(t, err) {
					assert.NoError(t, conn.Close())
				}
			})
		}
		wait.Wait()
		assert.Equal(t, int32(1), asked.Load())
	})
	t.Run("a person may take longer than a handshake", func(t *testing.T) {
		cfg := login(t, s, files)
		cfg.Passphrase = func(context.Context, string) ([]byte, error) { return []byte("secret"), nil }
		begin := time.Now()
		dial(t, newDialer(t, cfg), device(s))
		cfg.HandshakeTimeout = max(500*time.Millisecond, 2*time.Since(begin))
		cfg.Passphrase = func(context.Context, string) ([]byte, error) {
			time.Sleep(cfg.HandshakeTimeout + 100*time.Millisecond)
			return []byte("secret"), nil
		}
		dial(t, newDialer(t, cfg), device(s))
	})
	t.Run("old PEM form", func(t *testing.T) {
		cfg := login(t, s, map[string]string{"id_rsa": string(oldPEM.PEM), "id_rsa.pub": oldPEM.Public})
		cfg.Passphrase = func(context.Context, string) ([]byte, error) { return []byte("secret"), nil }
		dial(t, newDialer(t, cfg), device(s))

		cfg = login(t, s, map[string]string{"id_rsa": string(oldPEM.PEM)})
		assert.Contains(t, refused(t, cfg, device(s), ssh.ErrLogin), "old PEM form")
	})
	t.Run("not asked when the agent holds it", func(t *testing.T) {
		cfg := login(t, s, map[string]string{"id_ed25519": string(locked.PEM)})
		open := *locked
		private, err := xssh.ParseRawPrivateKeyWithPassphrase(locked.PEM, []byte("secret"))
		require.NoError(t, err)
		open.PEM = marshal(t, private)
		cfg.AgentSocket = startAgent(t, &open)
		cfg.Passphrase = func(context.Context, string) ([]byte, error) {
			t.Error("asked")
			return nil, errors.New("no")
		}
		dial(t, newDialer(t, cfg), device(s))
	})
	t.Run("not asked for a key the server does not want", func(t *testing.T) {
		stranger := sshdtest.NewKey(t, "ecdsa", "secret")
		cfg := login(t, s, map[string]string{"id_ecdsa": string(stranger.PEM)})
		cfg.Passphrase = func(context.Context, string) ([]byte, error) {
			t.Error("asked")
			return nil, errors.New("no")
		}
		refused(t, cfg, device(s), ssh.ErrLogin)
	})
	t.Run("wrong three times, then the next key", func(t *testing.T) {
		cfg := login(t, s, map[string]string{"id_ed25519": string(locked.PEM), "id_rsa": string(oldPEM.PEM), "id_rsa.pub": oldPEM.Public})
		asked := 0
		cfg.Passphrase = func(_ context.Context, file string) ([]byte, error) {
			if strings.HasSuffix(file, "id_rsa") {
				return []byte("secret"), nil
			}
			asked++
			return []byte("wrong"), nil
		}
		dial(t, newDialer(t, cfg), device(s))
		assert.Equal(t, 3, asked)
	})
	t.Run("the person gives up", func(t *testing.T) {
		cfg := login(t, s, files)
		cfg.Passphrase = func(context.Context, string) ([]byte, error) { return nil, errors.New("end of input") }
		assert.Contains(t, refused(t, cfg, device(s), ssh.ErrLogin), "id_ed25519 (no passphrase was given: end of input)")
	})
	t.Run("interrupted while asking", func(t *testing.T) {
		cfg := login(t, s, files)
		ctx, cancel := context.WithCancel(t.Context())
		cfg.Passphrase = func(ctx context.Context, _ string) ([]byte, error) {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		}
		_, err := newDialer(t, cfg).Dial(ctx, device(s))
		require.ErrorIs(t, err, context.Canceled)
	})
}

func marshal(t *testing.T, private any) []byte {
	t.Helper()
	block, err := xssh.MarshalPrivateKey(*private.(*ed25519.PrivateKey), "")
	require.NoError(t, err)
	return pem.EncodeToMemory(block)
}

// TestGivenKeyUnreadable: the error does not show the text of the broken key.
func TestGivenKeyUnreadable(t *testing.T) {
	_, err := ssh.New(ssh.Config{Keys: [][]byte{[]byte("CANARY")}})
	require.ErrorIs(t, err, ssh.ErrConfig)
	assert.NotContains(t, err.Error(), "CANARY")
}
