package ssh_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

// byProgram returns a configuration for the ssh program: the client key of a server, further lines of ssh_config, and known_hosts.
func byProgram(t *testing.T, s *sshdtest.Server, config, known string) ssh.Config {
	t.Helper()
	text := config + "IdentityAgent none\nIdentitiesOnly yes\nGlobalKnownHostsFile none\nIdentityFile " + s.ClientKey.Path + "\n"
	return ssh.Config{
		User: s.User, Home: home(t, map[string]string{"config": text, "known_hosts": known}), OpenSSH: machinetest.Need(t, "ssh"),
		Environ: os.Environ(),
	}
}

func programDevice(s *sshdtest.Server) *target.Device {
	dev := device(s)
	dev.Login.Transport = "openssh"
	return dev
}

// TestOpenSSHHostKeys: the ssh program checks host keys as strictly as rocec, with any configuration.
func TestOpenSSHHostKeys(t *testing.T) {
	t.Parallel()
	s, jump := sshdtest.Start(t, sshdtest.Options{}), sshdtest.Start(t, sshdtest.Options{})
	stranger := sshdtest.NewKey(t, "ed25519", "")
	at := "[127.0.0.1]:" + strconv.Itoa(s.Port) + " "
	lax := "Host *\n StrictHostKeyChecking no\n NoHostAuthenticationForLocalhost yes\nMatch all\n"
	through := "Host device1\n HostName 127.0.0.1\n ProxyJump " + jump.User + "@" + jump.Addr + "\nMatch all\n"
	revoked := "RevokedHostKeys " + s.HostKeys["ed25519"].Path + ".pub\n"
	for _, c := range []struct {
		name, config, known string
		says                string // empty: the connection succeeds
		alarm               bool
	}{
		{"known", lax, s.KnownHostsLine("ed25519"), "", false},
		{"unknown", "", "", "is not known; log in once with `ssh -p", false},
		{"unknown, and no strict checking", lax, "", "is not known", false},
		{"changed", lax, at + stranger.Public + "\n", "is not the one on file, or it is revoked", true},
		{"revoked", lax, "@revoked * " + s.HostKeys["ed25519"].Public + "\n" + s.KnownHostsLine("ed25519"), "or it is revoked", true},
		{"revoked by a file", lax + revoked, s.KnownHostsLine("ed25519"), "or it is revoked", true},
		{"jump host unknown, and no strict checking", lax + through, s.KnownHostsLine("ed25519"), "is not known", false},
		{"behind a jump host", lax + through, s.KnownHostsLine("ed25519") + jump.KnownHostsLine("ed25519"), "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dev := programDevice(s)
			dev.Login.Address = "127.0.0.1"
			if strings.Contains(c.config, through) {
				dev.Login.Address = "device1"
			}
			cfg := byProgram(t, s, c.config+"IdentityFile "+jump.ClientKey.Path+"\n", c.known)
			if c.says == "" {
				assert.Equal(t, "hello\n", output(t, dial(t, newDialer(t, cfg), dev), "echo hello"))
				return
			}
			_, err := newDialer(t, cfg).Dial(t.Context(), dev)
			unproved, ok := errors.AsType[*target.HostKeyError](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, c.alarm, unproved.Alarm, "%v", err)
			assert.Contains(t, refused(t, cfg, dev, ssh.ErrHostKey), c.says)
		})
	}
}

// TestOpenSSHPin: host_key of the ssh block also decides for the ssh program, before the login.
func TestOpenSSHPin(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{HostKeys: []string{"rsa", "ecdsa", "ed25519"}})
	stranger := sshdtest.NewKey(t, "ed25519", "")
	at := "[127.0.0.1]:" + strconv.Itoa(s.Port) + " "
	dev := programDevice(s)
	for _, kind := range []string{"rsa", "ecdsa", "ed25519"} {
		dev.Login.HostKey = s.HostKeys[kind].Fingerprint
		for _, known := range []string{"", at + stranger.Public + "\n"} {
			assert.Equal(t, "hello\n", output(t, dial(t, newDialer(t, byProgram(t, s, "", known)), dev), "echo hello"), kind)
		}
	}
	dev.Login.HostKey = s.HostKeys["rsa"].Fingerprint
	refused(t, byProgram(t, s, "", "@revoked * "+s.HostKeys["rsa"].Public+"\n"), dev, ssh.ErrHostKey)

	dev.Login.HostKey = stranger.Fingerprint
	text := refused(t, byProgram(t, s, "StrictHostKeyChecking no\n", s.KnownHostsLine("ed25519")+s.KnownHostsLine("rsa")), dev, ssh.ErrHostKey)
	assert.Contains(t, text, "asks for "+stranger.Fingerprint)
	for _, kind := range []string{"rsa", "ecdsa", "ed25519"} {
		assert.Contains(t, text, s.HostKeys[kind].Fingerprint)
	}
	assert.NotContains(t, s.Log(), "Failed publickey", "nobody logged in")
}

// TestOpenSSHRefused: each error of the ssh program becomes an error of the right kind.
func TestOpenSSHRefused(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	known := s.KnownHostsLine("ed25519")
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := programDevice(s)
	nobody.Login.Port = gone.Addr().(*net.TCPAddr).Port
	require.NoError(t, gone.Close())

	wrong := byProgram(t, s, "", known)
	put(t, wrong.Home, "config", "IdentityAgent none\nIdentitiesOnly yes\nIdentityFile "+sshdtest.NewKey(t, "ed25519", "").Path+"\n")
	text := refused(t, wrong, programDevice(s), ssh.ErrLogin)
	assert.Contains(t, text, "does not let ssh in: "+s.User+"@127.0.0.1: Permission denied (publickey).")

	assert.Contains(t, refused(t, byProgram(t, s, "", known), nobody, ssh.ErrUnreachable), "Connection refused")
	text = refused(t, byProgram(t, s, "Nonsense yes\n", known), programDevice(s), ssh.ErrConfig)
	assert.Contains(t, text, "Bad configuration option: nonsense")
	assert.Contains(t, refused(t, byProgram(t, s, "KexAlgorithms diffie-hellman-group1-sha1\n", known), programDevice(s), ssh.ErrUnreachable),
		"no matching key exchange method")
	proxy := "ProxyCommand sh -c \"printf '\\033[2Jno such proxy' >&2; sleep 0.1\"\n"
	assert.Contains(t, refused(t, byProgram(t, s, proxy, known), device(s), ssh.ErrUnreachable), `\x1b[2Jno such proxy`)

	none := byProgram(t, s, "", known)
	none.OpenSSH = "/nonexistent/ssh"
	text = refused(t, none, programDevice(s), ssh.ErrConfig)
	assert.Contains(t, text, `the ssh program "/nonexistent/ssh", which is to log in to 127.0.0.1:`)
	none.OpenSSH = ""
	assert.Contains(t, refused(t, none, programDevice(s), ssh.ErrConfig), "there is no ssh program")
}

// TestOpenSSHInterrupted: a silent server delays no other device, and leaves no ssh process behind.
func TestOpenSSHInterrupted(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	s := sshdtest.Start(t, sshdtest.Options{})
	dev := programDevice(s)
	dev.Login.Port = l.Addr().(*net.TCPAddr).Port
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = newDialer(t, byProgram(t, s, "", "")).Dial(ctx, dev)
	require.ErrorIs(t, err, ssh.ErrUnreachable)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	cfg := byProgram(t, s, "", "")
	cfg.ConnectTimeout, cfg.HandshakeTimeout = time.Second, time.Second
	dir := t.TempDir()
	cfg.OpenSSH = dir + "/ssh"
	require.NoError(t, os.WriteFile(cfg.OpenSSH, []byte("#!/bin/sh\necho \"$*\" >"+dir+"/asked\nexec ssh \"$@\"\n"), 0o755))
	assert.Contains(t, refused(t, cfg, dev, ssh.ErrUnreachable), "timed out")
	asked, err := os.ReadFile(dir + "/asked")
	require.NoError(t, err)
	assert.Contains(t, string(asked), "ConnectTimeout=1 ")
}

// TestOpenSSHMany: jump hosts, parallel connections, and no leftovers after they are closed.
func TestOpenSSHMany(t *testing.T) {
	t.Parallel()
	leaf, jump := sshdtest.Start(t, sshdtest.Options{}), sshdtest.Start(t, sshdtest.Options{Authorize: []string{}})
	cfg := byProgram(t, leaf, "IdentityFile "+jump.ClientKey.Path+"\n", leaf.KnownHostsLine("ed25519")+jump.KnownHostsLine("ed25519"))
	d := newDialer(t, cfg)
	dev := programDevice(leaf)
	dev.Login.Jump = at(jump)
	var conns [6]target.Conn
	errs := make(chan error, len(conns))
	for i := range conns {
		go func() {
			var err error
			conns[i], err = d.Dial(t.Context(), dev)
			errs <- err
		}()
	}
	for range conns {
		require.NoError(t, <-errs)
	}
	for _, c := range conns {
		assert.Equal(t, "hello\n", output(t, c, "echo hello"))
	}
	assert.Equal(t, len(conns), jump.Open())
	require.NoError(t, conns[0].Close())
	assert.Eventually(t, func() bool { return leaf.Open() == len(conns)-1 }, 10*time.Minute, 5*time.Millisecond)
	require.NoError(t, d.Close())
	assert.Eventually(t, func() bool { return leaf.Open()+jump.Open() == 0 }, 10*time.Minute, 5*time.Millisecond)
}

// TestOpenSSHLeftBehind: after the death of rocec's process, the ssh program ends by itself. The test binary runs itself.
func TestOpenSSHLeftBehind(t *testing.T) {
	const port, user, where = "TEST_LEFT_PORT", "TEST_LEFT_USER", "TEST_LEFT_HOME"
	if os.Getenv(where) != "" {
		n, err := strconv.Atoi(os.Getenv(port))
		require.NoError(t, err)
		d, err := ssh.New(ssh.Config{User: os.Getenv(user), Home: os.Getenv(where), OpenSSH: "ssh", Environ: os.Environ()})
		require.NoError(t, err)
		_, err = d.Dial(t.Context(), &target.Device{Name: "leaf01", Login: target.Login{Address: "127.0.0.1", Port: n, Transport: "openssh"}})
		require.NoError(t, err)
		os.Exit(0)
	}
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	cfg := byProgram(t, s, "", s.KnownHostsLine("ed25519"))
	child := exec.Command(os.Args[0], "-test.run=^TestOpenSSHLeftBehind$")
	child.Env = append(os.Environ(), port+"="+strconv.Itoa(s.Port), user+"="+s.User, where+"="+cfg.Home)
	out, err := child.CombinedOutput()
	require.NoError(t, err, "%s", out)
	left, err := filepath.Glob(fmt.Sprintf("/tmp/rocec-ssh-%d-*", child.Process.Pid))
	require.NoError(t, err)
	require.Len(t, left, 1)
	defer os.RemoveAll(left[0])
	assert.Equal(t, 1, s.Open())
	assert.Eventually(t, func() bool { return s.Open() == 0 }, 10*time.Minute, 50*time.Millisecond)
}

// TestOpenSSHTerminal: the questions of ssh reach the person at the terminal, one login at a time. The program script provides a terminal
// for the test binary, and types.
func TestOpenSSHTerminal(t *testing.T) {
	t.Parallel()
	const port, user, where = "TEST_TTY_PORT", "TEST_TTY_USER", "TEST_TTY_HOME"
	if os.Getenv(where) != "" {
		n, err := strconv.Atoi(os.Getenv(port))
		require.NoError(t, err)
		d := newDialer(t, ssh.Config{User: os.Getenv(user), Home: os.Getenv(where), OpenSSH: "ssh", Environ: os.Environ(), Terminal: os.Stderr})
		dev := &target.Device{Name: "leaf01", Login: target.Login{Address: "127.0.0.1", Port: n, Transport: "openssh"}}
		done := make(chan string, 2)
		for range 2 {
			go func() {
				conn, err := d.Dial(t.Context(), dev)
				if !assert.NoError(t, err) {
					done <- ""
					return
				}
				out, _ := conn.Run(t.Context(), "echo logged in", nil)
				done <- string(out)
			}()
		}
		assert.Equal(t, "logged in\nlogged in\n", <-done+<-done)
		return
	}
	locked := sshdtest.NewKey(t, "ed25519", "secret")
	banner := filepath.Join(t.TempDir(), "banner")
	require.NoError(t, os.WriteFile(banner, []byte("no \x1b[2Jtrespassing\n"), 0o644))
	s := sshdtest.Start(t, sshdtest.Options{Authorize: []string{locked.Public}, Config: []string{"Banner " + banner}})
	dir := home(t, map[string]string{
		"config":      "IdentityAgent none\nIdentitiesOnly yes\nIdentityFile " + locked.Path + "\n",
		"known_hosts": s.KnownHostsLine("ed25519"),
	})
	// The second passphrase is typed after the second question.
	child := exec.Command(machinetest.Need(t, "script"), "-qec", os.Args[0]+" -test.run='^TestOpenSSHTerminal$'", "/dev/null")
	child.Env = append(os.Environ(), port+"="+strconv.Itoa(s.Port), user+"="+s.User, where+"="+dir)
	keys, err := child.StdinPipe()
	require.NoError(t, err)
	var screen screen
	child.Stdout, child.Stderr = &screen, &screen
	require.NoError(t, child.Start())
	for question := 1; question <= 2; question++ {
		asked := func() bool { return strings.Count(screen.String(), "Enter passphrase for key") == question }
		if assert.Eventually(t, asked, 10*time.Minute, 10*time.Millisecond) {
			time.Sleep(100 * time.Millisecond)
			_, err = keys.Write([]byte("secret\n"))
			require.NoError(t, err)
		}
	}
	require.NoError(t, child.Wait(), "%s", screen.String())
	assert.Contains(t, screen.String(), `no \033[2Jtrespassing`, "as ssh itself escapes it")
}

// screen collects the output of a program.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// TestLoginsAreJudged: a login from a file of rocec, such as the journal of a run, must not contain an option of ssh or a second word.
// Such a login is refused before rocec dials or starts ssh.
func TestLoginsAreJudged(t *testing.T) {
	for name, login := range map[string]target.Login{
		"address an option":       {Address: "-oProxyCommand=touch ran"},
		"address of two words":    {Address: "leaf01 reboot"},
		"address with a port":     {Address: "leaf01:22"},
		"address with a user":     {Address: "root@leaf01"},
		"address with a control":  {Address: "leaf01\x1b[2J"},
		"user an option":          {Address: "leaf01", User: "-oProxyCommand=touch ran"},
		"user of two words":       {Address: "leaf01", User: "a b"},
		"jump an option":          {Address: "leaf01", Jump: "-oProxyCommand=touch ran"},
		"second jump an option":   {Address: "leaf01", Jump: "a,-oProxyCommand=touch ran"},
		"user of jump an option":  {Address: "leaf01", Jump: "-oProxyCommand@a"},
		"jump of two words":       {Address: "leaf01", Jump: "a b"},
		"jump with a token":       {Address: "leaf01", Jump: "%h"},
		"port of jump":            {Address: "leaf01", Jump: "a:99999"},
		"port":                    {Address: "leaf01", Port: 65536},
		"port below":              {Address: "leaf01", Port: -1},
		"transport":               {Address: "leaf01", Transport: "-oProxyCommand"},
		"fingerprint":             {Address: "leaf01", HostKey: "SHA256:x; touch ran"},
		"name of a device":        {},
		"a jump host too many":    {Address: "leaf01", Jump: "a,b,c,d,e,f,g,h,i"},
		"an empty jump host":      {Address: "leaf01", Jump: "a,,b"},
		"a jump host with a tail": {Address: "leaf01", Jump: "[::1]x"},
	} {
		for _, transport := range []string{"native", "openssh"} {
			t.Run(name+" "+transport, func(t *testing.T) {
				dir := t.TempDir()
				program := filepath.Join(dir, "ssh")
				require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\ntouch "+dir+"/ran\nexit 255\n"), 0o700))
				dev := &target.Device{Name: "leaf01", Login: login}
				if dev.Login.Transport == "" {
					dev.Login.Transport = transport
				}
				if dev.Login.Address == "" {
					dev.Name = "-oProxyCommand=touch ran"
				}
				cfg := ssh.Config{User: "u", Home: home(t, nil), OpenSSH: program, Environ: os.Environ()}
				cfg.Net = func(context.Context, string, string) (net.Conn, error) {
					t.Error("dialled")
					return nil, net.ErrClosed
				}
				text := refused(t, cfg, dev, ssh.ErrConfig)
				assert.NotContains(t, text, "\x1b")
				assert.NoFileExists(t, dir+"/ran")
			})
		}
	}
}
