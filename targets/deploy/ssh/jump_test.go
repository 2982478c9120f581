package ssh_test

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

func at(s *sshdtest.Server) string { return fmt.Sprintf("%s@%s", s.User, s.Addr) }

func TestJump(t *testing.T) {
	leaf, one, two := sshdtest.Start(t, sshdtest.Options{}), sshdtest.Start(t, sshdtest.Options{}), sshdtest.Start(t, sshdtest.Options{})
	d := newDialer(t, trusting(t, leaf, one, two))

	t.Run("one hop", func(t *testing.T) {
		dev := device(leaf)
		dev.Login.Jump = at(one)
		conn := dial(t, d, dev)
		assert.Equal(t, "hello\n", output(t, conn, "echo hello"))
		assert.Contains(t, output(t, conn, "echo $SSH_CONNECTION"), fmt.Sprintf(" %s %d\n", leaf.Host, leaf.Port))
		assert.Equal(t, 1, one.Open())
		require.NoError(t, conn.Close())
		assert.Eventually(t, func() bool { return one.Open() == 0 }, 10*time.Minute, 5*time.Millisecond, "the last user closes the hop")
	})
	t.Run("two hops", func(t *testing.T) {
		dev := device(leaf)
		dev.Login.Jump = at(one) + "," + at(two)
		before := [2]int{one.Connections(), two.Connections()}
		assert.Equal(t, "hello\n", output(t, dial(t, d, dev), "echo hello"))
		assert.Equal(t, before, [2]int{one.Connections() - 1, two.Connections() - 1})
	})
	t.Run("shared", func(t *testing.T) {
		dev := device(leaf)
		dev.Login.Jump = at(two)
		before := two.Connections()
		var conns [12]target.Conn // more than MaxSessions
		var wait sync.WaitGroup
		for i := range conns {
			wait.Go(func() {
				var err error
				conns[i], err = d.Dial(t.Context(), dev)
				assert.NoError(t, err)
			})
		}
		wait.Wait()
		for _, c := range conns {
			assert.Equal(t, "hello\n", output(t, c, "echo hello"))
		}
		assert.Equal(t, before+1, two.Connections())
		for _, c := range conns[1:] {
			require.NoError(t, c.Close())
		}
		assert.Equal(t, "still\n", output(t, conns[0], "echo still"))
		require.NoError(t, conns[0].Close())
		assert.Eventually(t, func() bool { return two.Open() == 0 }, 10*time.Minute, 5*time.Millisecond)
	})
	t.Run("hop dies, the next dial makes a new one", func(t *testing.T) {
		dev := device(leaf)
		dev.Login.Jump = at(one)
		conn := dial(t, d, dev)
		done := running(t, conn)
		one.Kill()
		require.ErrorIs(t, <-done, ssh.ErrLost)
		require.Eventually(t, func() bool {
			conn, err := d.Dial(t.Context(), dev)
			return err == nil && conn.Close() == nil
		}, 10*time.Minute, 5*time.Millisecond)
	})
	t.Run("silent hop", func(t *testing.T) {
		cfg := trusting(t, leaf, one)
		dev := device(leaf)
		dev.Login.Jump = at(one)
		cfg.KeepAlive = keepAlive(t, dial(t, newDialer(t, cfg), dev))
		conn := dial(t, newDialer(t, cfg), dev)
		done := running(t, conn)
		one.Freeze()
		defer one.Thaw()
		require.ErrorIs(t, <-done, ssh.ErrLost)
	})
	t.Run("silent device behind a hop that lives", func(t *testing.T) {
		cfg := trusting(t, leaf, one)
		dev := device(leaf)
		dev.Login.Jump = at(one)
		cfg.KeepAlive = keepAlive(t, dial(t, newDialer(t, cfg), dev))
		conn := dial(t, newDialer(t, cfg), dev)
		done := running(t, conn)
		leaf.Freeze()
		defer leaf.Thaw()
		err := <-done
		require.ErrorIs(t, err, ssh.ErrLost)
		assert.Contains(t, err.Error(), "no sign of life")
	})
}

func TestJumpErrors(t *testing.T) {
	t.Parallel()
	leaf, one := sshdtest.Start(t, sshdtest.Options{}), sshdtest.Start(t, sshdtest.Options{})
	dev := device(leaf)
	dev.Login.Jump = at(one)

	t.Run("host key of the hop is checked", func(t *testing.T) {
		cfg := trusting(t, leaf)
		text := refused(t, cfg, dev, ssh.ErrHostKey)
		assert.Contains(t, text, "on the way to "+leaf.Addr+": the host key of "+one.Addr+" is not known")
		assert.Equal(t, 0, leaf.Connections(), "the device was not touched")
	})
	t.Run("host key behind the hop is checked", func(t *testing.T) {
		text := refused(t, trusting(t, one), dev, ssh.ErrHostKey)
		assert.Contains(t, text, "the host key of "+leaf.Addr+" is not known")
		assert.Contains(t, text, "-J "+at(one))
	})
	t.Run("login at the hop", func(t *testing.T) {
		cfg := trusting(t, leaf, one)
		cfg.Keys = [][]byte{leaf.ClientKey.PEM}
		text := refused(t, cfg, dev, ssh.ErrLogin)
		assert.Contains(t, text, "on the way to "+leaf.Addr+": "+one.Addr+" does not let")
	})
	t.Run("nothing behind the hop", func(t *testing.T) {
		gone, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		port := gone.Addr().(*net.TCPAddr).Port
		require.NoError(t, gone.Close())
		nothing := &target.Device{Name: "leaf01", Login: target.Login{Address: "127.0.0.1", Port: port, Jump: at(one)}}
		text := refused(t, trusting(t, one), nothing, ssh.ErrUnreachable)
		assert.Equal(t, one.Addr+" cannot reach 127.0.0.1:"+strconv.Itoa(port)+": Connection refused", text)
	})
	t.Run("hop that forwards nothing", func(t *testing.T) {
		strict := sshdtest.Start(t, sshdtest.Options{Config: []string{"AllowTcpForwarding no"}})
		dev := device(leaf)
		dev.Login.Jump = at(strict)
		text := refused(t, trusting(t, leaf, strict), dev, ssh.ErrUnreachable)
		assert.Contains(t, text, "cannot reach "+leaf.Addr+": open failed")
	})
	t.Run("hop that is not there", func(t *testing.T) {
		dev := device(leaf)
		dev.Login.Jump = "u@127.0.0.1:1"
		text := refused(t, trusting(t, leaf), dev, ssh.ErrUnreachable)
		assert.Equal(t, "on the way to "+leaf.Addr+": cannot reach 127.0.0.1:1: connection refused", text)
	})
	t.Run("one waits in vain, the other gets through", func(t *testing.T) {
		d := newDialer(t, trusting(t, leaf, one))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := d.Dial(ctx, dev)
		require.ErrorIs(t, err, ssh.ErrUnreachable)
		require.ErrorIs(t, err, context.Canceled)
		dial(t, d, dev)
	})
}

// TestConfigFile: a device whose address is only in ssh_config, with included files and patterns.
func TestConfigFile(t *testing.T) {
	t.Parallel()
	leaf, jump := sshdtest.Start(t, sshdtest.Options{}), sshdtest.Start(t, sshdtest.Options{})
	cfg := trusting(t, leaf, jump)
	cfg.User = "nobody-uses-this"
	cfg.Keys = nil
	for name, text := range map[string]string{
		"config": "Include conf.d/*\nHost leaf*\n  ProxyJump bastion\n  User " + leaf.User + "\n",
		"conf.d/10-fabric": "Host leaf0? !leaf09\n  HostName 127.0.0.1\n  Port " + strconv.Itoa(leaf.Port) + "\n  IdentityFile ~/.ssh/keys/%n\n" +
			"Host bastion\n  HostName 127.0.0.1\n  User " + jump.User + "\n  Port " + strconv.Itoa(jump.Port) + "\n  IdentityFile ~/.ssh/keys/%n\n",
		"keys/leaf01":  string(leaf.ClientKey.PEM),
		"keys/bastion": string(jump.ClientKey.PEM),
		"known_hosts":  leaf.KnownHostsLine("ed25519") + jump.KnownHostsLine("ed25519"),
	} {
		put(t, cfg.Home, name, text)
	}
	d := newDialer(t, cfg)
	assert.Equal(t, "hello\n", output(t, dial(t, d, &target.Device{Name: "leaf01"}), "echo hello"))
	assert.Equal(t, 1, jump.Connections())
	_, err := d.Dial(t.Context(), &target.Device{Name: "leaf09"})
	require.ErrorIs(t, err, ssh.ErrUnreachable, "the name has no address")

	put(t, cfg.Home, "config", "Host leaf01\n  User 'x\n")
	_, err = ssh.New(cfg)
	require.ErrorIs(t, err, ssh.ErrConfig)
	assert.Contains(t, err.Error(), ".ssh/config:2: the quote ' is not closed")
}
