package lab

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/rocec/rocec/targets/deploy/lab/unix"
	"github.com/rocec/rocec/targets/target"
)

// TestWire: all bytes written at one end arrive at the other end, complete and in order, for all sizes.
func TestWire(t *testing.T) {
	near, far := newWire("x")
	sent := make([]byte, 1<<20)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range sent {
		sent[i] = byte(r.Uint32())
	}
	go func() {
		r := rand.New(rand.NewPCG(3, 4))
		for left := sent; len(left) > 0; {
			n := min(len(left), 1+r.IntN(3*unix.PipeSize))
			if k, err := far.Write(left[:n]); k != n || err != nil {
				panic(fmt.Sprint(k, err))
			}
			left = left[n:]
		}
		far.Close()
	}()
	got, err := io.ReadAll(near)
	require.NoError(t, err, "the end of the other side is an end")
	require.True(t, bytes.Equal(sent, got))
	_, err = near.Write([]byte("x"))
	require.Error(t, err, "nobody reads")
	near.Close()
	_, err = near.Read(make([]byte, 1))
	require.ErrorIs(t, err, net.ErrClosed)
	require.Equal(t, "x:22", near.RemoteAddr().String())
}

func TestWireDeadlines(t *testing.T) {
	near, far := newWire("x")
	require.NoError(t, near.SetReadDeadline(time.Now().Add(10*time.Millisecond)))
	_, err := near.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	_, err = near.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded, "it stays over")
	require.NoError(t, near.SetReadDeadline(time.Time{}))
	_, err = far.Write([]byte("a"))
	require.NoError(t, err)
	n, err := near.Read(make([]byte, 9))
	require.Equal(t, 1, n)
	require.NoError(t, err)

	require.NoError(t, near.SetDeadline(time.Now().Add(10*time.Millisecond)))
	n, err = near.Write(make([]byte, 2*unix.PipeSize))
	require.Equal(t, unix.PipeSize, n)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)

	blocked := make(chan error)
	require.NoError(t, near.SetDeadline(time.Time{}))
	go func() { _, err := near.Read(make([]byte, 1)); blocked <- err }()
	near.Close()
	require.ErrorIs(t, <-blocked, net.ErrClosed)
}

// large returns a tree of n hosts.
func large(n int) *target.Tree {
	tree := &target.Tree{}
	host := testTree().Devices[1].Target
	for i := range n {
		tree.Devices = append(tree.Devices, &target.Device{Name: fmt.Sprintf("h%05d", i), Role: target.Host, Target: host})
	}
	return tree
}

func (l *Lab) running() (n int) {
	for _, e := range l.byName {
		e.mu.Lock()
		if e.made != nil {
			n++
		}
		e.mu.Unlock()
	}
	return n
}

// TestDevicesComeAndGo: a device exists while a client is connected or a command runs on it. Later it has the same state again.
func TestDevicesComeAndGo(t *testing.T) {
	tree := large(300)
	l := start(t, tree)
	require.Zero(t, l.running())
	run := func(name, cmd string) string {
		var out bytes.Buffer
		status, err := l.Session(t.Context(), name, cmd, false, strings.NewReader(""), &out, io.Discard)
		if err != nil || status != 0 {
			t.Errorf("%s: %s: %d, %v", name, cmd, status, err)
		}
		return out.String()
	}
	var wg sync.WaitGroup
	for _, d := range tree.Devices {
		wg.Go(func() { run(d.Name, "echo mine >/"+d.Name+"; systemctl stop toy") })
	}
	wg.Wait()
	require.Eventually(t, func() bool { return l.running() == 0 }, 10*time.Minute, time.Millisecond)
	for _, d := range tree.Devices[:20] {
		require.Equal(t, "mine\n", run(d.Name, "cat /"+d.Name+"; ! systemctl is-active --quiet toy"))
	}
	run("h00007", "systemd-run --on-active=1000 touch /x")
	require.Eventually(t, func() bool { return l.running() == 1 }, 10*time.Minute, time.Millisecond, "a timer runs on one")
}

// BenchmarkLogin measures a login with one command, inside the process and over TCP.
func BenchmarkLogin(b *testing.B) {
	l, err := Start(testTree())
	require.NoError(b, err)
	defer l.Close()    //nolint:errcheck // nothing is kept
	l.Device("host01") // before the measurement
	login, err := l.Listen("host01")
	require.NoError(b, err)
	signer, err := ssh.ParsePrivateKey(l.Key())
	require.NoError(b, err)
	for name, connect := range map[string]func() (net.Conn, error){
		"wire": func() (net.Conn, error) { return l.Dial(b.Context(), "tcp", "host01:22") },
		"tcp": func() (net.Conn, error) {
			return net.Dial("tcp", net.JoinHostPort(login.Address, fmt.Sprint(login.Port)))
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				conn, err := connect()
				require.NoError(b, err)
				c, chans, reqs, err := ssh.NewClientConn(conn, "x", &ssh.ClientConfig{
					User: "root", Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(),
				})
				require.NoError(b, err)
				client := ssh.NewClient(c, chans, reqs)
				s, err := client.NewSession()
				require.NoError(b, err)
				_, err = s.Output("cat /etc/hostname")
				require.NoError(b, err)
				require.NoError(b, client.Close())
			}
		})
	}
}

// BenchmarkFleet measures one command on each of many new devices, over SSH.
func BenchmarkFleet(b *testing.B) {
	for b.Loop() {
		tree := large(200)
		l, err := Start(tree)
		require.NoError(b, err)
		for _, d := range tree.Devices {
			status, err := l.Session(b.Context(), d.Name, "cat /etc/os-release", false, strings.NewReader(""), io.Discard, io.Discard)
			require.NoError(b, err)
			require.Zero(b, status)
		}
		require.NoError(b, l.Close())
	}
}
