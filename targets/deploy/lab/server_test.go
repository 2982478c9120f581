package lab

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/rocec/rocec/targets/target"
)

// dial connects to a device by its login, and checks the pin.
func dial(t testing.TB, l *Lab, name string) *ssh.Client {
	t.Helper()
	c, err := tryDial(l, name, l.Key())
	require.NoError(t, err)
	return c
}

func tryDial(l *Lab, name string, key []byte) (*ssh.Client, error) {
	login := l.Login(name)
	signer, err := ssh.ParsePrivateKey(key)
	if err != nil {
		return nil, err
	}
	addr := fmt.Sprintf("%s:%d", login.Address, login.Port)
	conn, err := l.Dial(context.Background(), "tcp", addr)
	if err != nil {
		return nil, err
	}
	c, chans, reqs, err := ssh.NewClientConn(conn, addr, &ssh.ClientConfig{
		User: login.User, Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)}, Timeout: 10 * time.Minute,
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			if got := ssh.FingerprintSHA256(key); got != login.HostKey {
				return fmt.Errorf("host key %s, not %s", got, login.HostKey)
			}
			return nil
		},
	})
	if err != nil {
		conn.Close()
		return nil, err
	}
	return ssh.NewClient(c, chans, reqs), nil
}

func start(t testing.TB, tree *target.Tree) *Lab {
	t.Helper()
	l, err := Start(tree)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

func TestSSH(t *testing.T) {
	l := start(t, testTree())
	c := dial(t, l, "leaf01")
	defer c.Close()

	run := func(cmd, stdin string) (string, string, int) {
		s, err := c.NewSession()
		require.NoError(t, err)
		defer s.Close()
		var out, errs bytes.Buffer
		s.Stdin, s.Stdout, s.Stderr = strings.NewReader(stdin), &out, &errs
		err = s.Run(cmd)
		var exit *ssh.ExitError
		switch {
		case errors.As(err, &exit):
			return out.String(), errs.String(), exit.ExitStatus()
		case errors.Is(err, io.EOF): // the command ended before all of stdin was sent
		default:
			require.NoError(t, err)
		}
		return out.String(), errs.String(), 0
	}
	out, errs, status := run("id -un; cat; echo oops >&2; exit 7", "from stdin")
	require.Equal(t, "admin\nfrom stdin", out)
	require.Equal(t, "oops\n", errs)
	require.Equal(t, 7, status)

	big := strings.Repeat("0123456789abcdef", 1<<16)
	out, _, status = run("cat >x; cat x; sha256sum <x | cut -c 1-8", big)
	require.Equal(t, 0, status)
	require.True(t, strings.HasPrefix(out, big), "1 MiB there and back")

	_, _, status = run("head -c 1", big) // the command reads only a part of stdin
	require.Equal(t, 0, status)

	_, _, status = run("true", "")
	require.Equal(t, 0, status)

	ok, _, err := c.SendRequest("keepalive@openssh.com", true, nil)
	require.NoError(t, err)
	require.False(t, ok)

	s, err := c.NewSession()
	require.NoError(t, err)
	s.Stdin = strings.NewReader("x=in\nif [ $x = in ]\nthen cat; fi\nthis comes from $x\n")
	var said bytes.Buffer
	s.Stdout = &said
	require.NoError(t, s.Shell())
	require.NoError(t, s.Wait())
	require.Equal(t, "this comes from $x\n", said.String(), "a shell reads no further than it must")
	_ = s.Close()
	s, err = c.NewSession()
	require.NoError(t, err)
	require.Error(t, s.RequestSubsystem("sftp"))
	_ = s.Close()
	_, err = c.Dial("tcp", "127.0.0.1:22")
	require.Error(t, err, "no way from a device to the machine's network")
}

func TestManySessionsAtOnce(t *testing.T) {
	l := start(t, testTree())
	c := dial(t, l, "host01")
	defer c.Close()
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			s, err := c.NewSession()
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			s.Stdin = strings.NewReader(fmt.Sprint("number ", i))
			out, err := s.Output(fmt.Sprintf("cat >/f%d; cat /f%[1]d | cat; mkdir -p /d/%[1]d", i))
			if err != nil || string(out) != fmt.Sprint("number ", i) {
				t.Errorf("%d: %q, %v", i, out, err)
			}
		})
	}
	wg.Wait()
	require.Len(t, strings.Fields(root(t, l.Device("host01"), "ls /d")), 40)
}

func TestLoginIsRefused(t *testing.T) {
	l := start(t, testTree())
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	_, err = tryDial(l, "host01", pem.EncodeToMemory(block))
	require.Error(t, err, "a key that is not the lab's")

	e := l.entry("host01")
	td := *e.tree
	td.Login.User = "nobody"
	l.Device("host01") // with the present users of the device
	e.tree = &td
	_, err = tryDial(l, "host01", l.Key())
	require.Error(t, err, "a user the device does not have")

	keys := map[string]bool{}
	for name := range l.byName {
		keys[l.Login(name).HostKey] = true
	}
	require.Len(t, keys, 2, "every device has a key of its own")
}

func TestDisconnectEndsTheCommand(t *testing.T) {
	l := start(t, testTree())
	c := dial(t, l, "host01")
	s, err := c.NewSession()
	require.NoError(t, err)
	require.NoError(t, s.Start("while :; do echo x >>/log; sleep 1; done"))
	d := l.Device("host01")
	require.Eventually(t, func() bool { data, _ := d.ReadFile("/log"); return len(data) > 0 }, 10*time.Minute, time.Millisecond)
	l.Disconnect("host01")
	require.Error(t, s.Wait())
	size := func() int { data, _ := d.ReadFile("/log"); return len(data) }
	require.True(t, assertEventually(func() bool { n := size(); time.Sleep(20 * time.Millisecond); return size() == n }, 10*time.Minute))
	c.Close()
}

// fleet returns a tree of n hosts.
func fleet(n int) *target.Tree {
	tree := &target.Tree{}
	like := testTree().Devices[1]
	for i := range n {
		d := *like
		d.Name = fmt.Sprintf("host%04d", i)
		tree.Devices = append(tree.Devices, &d)
	}
	return tree
}

func TestThousandDevices(t *testing.T) {
	l := start(t, fleet(1000))
	for _, name := range []string{"host0000", "host0999"} {
		c := dial(t, l, name)
		s, err := c.NewSession()
		require.NoError(t, err)
		out, err := s.Output("hostname")
		require.NoError(t, err)
		require.Equal(t, name+"\n", string(out))
		c.Close()
	}
}

func BenchmarkStart70(b *testing.B) {
	tree := fleet(70)
	for b.Loop() {
		l, err := Start(tree)
		require.NoError(b, err)
		require.NoError(b, l.Close())
	}
}

func BenchmarkCommand(b *testing.B) {
	l := start(b, testTree())
	c := dial(b, l, "host01")
	defer c.Close()
	for b.Loop() {
		s, err := c.NewSession()
		require.NoError(b, err)
		_, err = s.Output("cat /etc/hostname")
		require.NoError(b, err)
	}
}
