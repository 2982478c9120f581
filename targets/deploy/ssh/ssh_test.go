package ssh_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	xssh "golang.org/x/crypto/ssh"

	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

// home makes a home directory with the given files below .ssh.
func home(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		put(t, dir, name, text)
	}
	return dir
}

// put writes a file below .ssh of a home directory.
func put(t *testing.T, home, name, text string) {
	t.Helper()
	path := filepath.Join(home, ".ssh", name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// trusting returns a configuration with the host keys of the servers and their client keys.
func trusting(t *testing.T, servers ...*sshdtest.Server) ssh.Config {
	t.Helper()
	var known strings.Builder
	cfg := ssh.Config{User: servers[0].User}
	for _, s := range servers {
		for kind := range s.HostKeys {
			known.WriteString(s.KnownHostsLine(kind))
		}
		cfg.Keys = append(cfg.Keys, s.ClientKey.PEM)
	}
	cfg.Home = home(t, map[string]string{"known_hosts": known.String()})
	return cfg
}

func newDialer(t *testing.T, cfg ssh.Config) *ssh.Dialer {
	t.Helper()
	d, err := ssh.New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	return d
}

// device returns a device with the address of a server.
func device(s *sshdtest.Server) *target.Device {
	return &target.Device{Name: "leaf01", Login: target.Login{Address: s.Host, Port: s.Port}}
}

// dial logs in. If that fails, it ends the test.
func dial(t *testing.T, d *ssh.Dialer, dev *target.Device) target.Conn {
	t.Helper()
	conn, err := d.Dial(t.Context(), dev)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	return conn
}

// refused tries to log in, and returns the error of the given kind.
func refused(t *testing.T, cfg ssh.Config, dev *target.Device, kind error) string {
	t.Helper()
	_, err := newDialer(t, cfg).Dial(t.Context(), dev)
	require.ErrorIs(t, err, kind)
	_, isLogin := errors.AsType[*target.LoginError](err)
	assert.Equal(t, slices.Contains([]error{ssh.ErrLogin, ssh.ErrHostKey, ssh.ErrForbidden}, kind), isLogin, "wrapped in a LoginError")
	for _, other := range []error{ssh.ErrConfig, ssh.ErrUnreachable, ssh.ErrHostKey, ssh.ErrLogin, ssh.ErrForbidden, ssh.ErrLost} {
		assert.Equal(t, other == kind, errors.Is(err, other), "is %q", other)
	}
	return err.Error()
}

func output(t *testing.T, conn target.Conn, cmd string) string {
	t.Helper()
	out, err := conn.Run(t.Context(), cmd, nil)
	require.NoError(t, err)
	return string(out)
}

func TestUnreachable(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := gone.Addr().(*net.TCPAddr).Port
	require.NoError(t, gone.Close())
	text := refused(t, ssh.Config{User: "u"}, &target.Device{Name: "leaf01", Login: target.Login{Address: "127.0.0.1", Port: port}},
		ssh.ErrUnreachable)
	assert.Equal(t, "cannot reach 127.0.0.1:"+strconv.Itoa(port)+": connection refused", text)

	text = refused(t, ssh.Config{User: "u"}, &target.Device{Name: "leaf01.invalid"}, ssh.ErrUnreachable)
	assert.Contains(t, text, "leaf01.invalid")
}

// TestSilentServer: a server accepts the connection and sends nothing.
func TestSilentServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	dev := &target.Device{Name: "leaf01", Login: target.Login{Address: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port}}
	text := refused(t, ssh.Config{User: "u", HandshakeTimeout: 50 * time.Millisecond}, dev, ssh.ErrUnreachable)
	assert.Contains(t, text, "no login within 50ms")

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = newDialer(t, ssh.Config{User: "u"}).Dial(ctx, dev)
	require.ErrorIs(t, err, ssh.ErrUnreachable)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// TestNoSSHServer: another program listens on the port, and its output is hostile.
func TestNoSSHServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("SSH-1.5-\x1b]0;pwned\a\r\n" + strings.Repeat("\x1b[2J", 1000)))
			c.Close()
		}
	}()
	dev := &target.Device{Name: "leaf01", Login: target.Login{Address: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port}}
	text := refused(t, ssh.Config{User: "u"}, dev, ssh.ErrUnreachable)
	assert.NotContains(t, text, "\x1b")
}

// TestTriedAgain: a server that drops connections before its greeting counts as busy, and is tried again. A server that refuses the login
// is not tried again.
func TestTriedAgain(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	go func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if n < 2 {
				c.Close()
				continue
			}
			to, err := net.Dial("tcp", s.Addr)
			if !assert.NoError(t, err) {
				return
			}
			go func() { _, _ = io.Copy(to, c); to.Close() }()
			go func() { _, _ = io.Copy(c, to); c.Close() }()
		}
	}()
	dev := device(s)
	dev.Login.Port = l.Addr().(*net.TCPAddr).Port
	dev.Login.HostKey = s.HostKeyPin()
	dial(t, newDialer(t, trusting(t, s)), dev)
	assert.Equal(t, 1, s.Connections())

	refused(t, ssh.Config{User: s.User, Keys: [][]byte{sshdtest.NewKey(t, "ed25519", "").PEM}}, dev, ssh.ErrLogin)
	assert.Equal(t, 2, s.Connections())
}

// TestHostileServer: a server that sends control sequences for the terminal in all of its texts.
func TestHostileServer(t *testing.T) {
	t.Parallel()
	key := sshdtest.NewKey(t, "ed25519", "")
	signer, err := xssh.ParsePrivateKey(key.PEM)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	const evil = "\x1b]0;pwned\a\x1b[2J\u202egnp.exe\nOK"
	cfg := &xssh.ServerConfig{
		ServerVersion:     "SSH-2.0-evil",
		PublicKeyCallback: func(xssh.ConnMetadata, xssh.PublicKey) (*xssh.Permissions, error) { return nil, nil },
		BannerCallback:    func(xssh.ConnMetadata) string { return evil },
	}
	cfg.AddHostKey(signer)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_, chans, reqs, err := xssh.NewServerConn(c, cfg)
				if err != nil {
					return
				}
				go xssh.DiscardRequests(reqs)
				open := false // the first channel is refused, the second is opened and its requests are refused
				for ch := range chans {
					if !open {
						open = true
						_ = ch.Reject(xssh.Prohibited, evil)
						continue
					}
					if _, reqs, err := ch.Accept(); err == nil {
						go xssh.DiscardRequests(reqs)
					}
				}
			}()
		}
	}()
	dev := &target.Device{Name: "leaf01", Login: target.Login{
		Address: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port,
		HostKey: key.Fingerprint,
	}}
	conn := dial(t, newDialer(t, ssh.Config{User: "u", Keys: [][]byte{key.PEM}}), dev)
	for _, says := range []string{"refuses to run a command: ", `refuses to run commands for "u"`} {
		_, err = conn.Run(t.Context(), "true", nil)
		require.ErrorContains(t, err, says)
		require.NotErrorIs(t, err, ssh.ErrLost)
		for _, bad := range []string{"\x1b", "\a", "\u202e", "\n"} {
			assert.NotContains(t, err.Error(), bad)
		}
	}
}

func TestDialerClose(t *testing.T) {
	t.Parallel()
	s, jump := sshdtest.Start(t, sshdtest.Options{}), sshdtest.Start(t, sshdtest.Options{})
	d := newDialer(t, trusting(t, s, jump))
	far := device(s)
	far.Login.Jump = at(jump)
	direct, behind := dial(t, d, device(s)), dial(t, d, far)
	done := running(t, behind)
	require.NoError(t, d.Close())
	require.ErrorIs(t, <-done, ssh.ErrLost)
	for _, conn := range []target.Conn{direct, behind} {
		_, err := conn.Run(t.Context(), "true", nil)
		require.ErrorIs(t, err, ssh.ErrLost)
	}
	for _, dev := range []*target.Device{device(s), far} {
		_, err := d.Dial(t.Context(), dev)
		require.ErrorIs(t, err, ssh.ErrUnreachable)
	}
}

// TestCryptoFloor: the client of x/crypto before v0.56.0 has known vulnerabilities. With the latest, CVE-2026-56855 and CVE-2026-78662, a
// server can stall the whole connection.
func TestCryptoFloor(t *testing.T) {
	// The build information of a test binary names no modules.
	out, err := exec.Command("go", "list", "-m", "-f", "{{with .Replace}}{{.Version}}{{else}}{{.Version}}{{end}}",
		"golang.org/x/crypto").Output()
	require.NoError(t, err)
	version := strings.TrimSpace(string(out))
	var major, minor, patch int
	_, err = fmt.Sscanf(version, "v%d.%d.%d", &major, &minor, &patch)
	require.NoError(t, err, version)
	assert.True(t, major > 0 || minor >= 56, "golang.org/x/crypto is %s, and must be v0.56.0 or newer", version)
}

// TestHandshakeError: the error for a failure between the host key and the login names the failure, and does not blame the user's keys.
func TestHandshakeError(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		server, err := net.Dial("tcp", s.Addr)
		if !assert.NoError(t, err) {
			return
		}
		defer server.Close()
		go func() { _, _ = io.Copy(server, c) }()
		from := bufio.NewReader(server)
		banner, _ := from.ReadString('\n')
		_, _ = io.WriteString(c, banner)
		const newKeys = 21 // SSH_MSG_NEWKEYS: the last packet in clear
		for kind := byte(0); kind != newKeys; {
			packet := make([]byte, 4)
			if _, err := io.ReadFull(from, packet); err != nil {
				return
			}
			packet = append(packet, make([]byte, binary.BigEndian.Uint32(packet))...)
			if _, err := io.ReadFull(from, packet[4:]); err != nil {
				return
			}
			kind = packet[5]
			_, _ = c.Write(packet)
		}
		first, err := from.ReadByte()
		if err == nil {
			_, _ = c.Write([]byte{^first})
			_, _ = io.Copy(c, from)
		}
	}()
	dev := device(s)
	dev.Login.Port, dev.Login.HostKey = l.Addr().(*net.TCPAddr).Port, s.HostKeyPin()
	text := refused(t, ssh.Config{User: s.User}, dev, ssh.ErrUnreachable)
	assert.Contains(t, text, "the SSH handshake with 127.0.0.1:")
	assert.NotContains(t, text, "key to log in")
}
