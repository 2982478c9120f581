package lab

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"golang.org/x/crypto/ssh"

	"github.com/rocec/rocec/targets/deploy/lab/unix"
)

// config returns the configuration of the sshd of one device.
func (e *entry) config(d *Device) *ssh.ServerConfig {
	want := e.lab.public.Marshal()
	conf := &ssh.ServerConfig{
		ServerVersion: "SSH-2.0-rocec-lab",
		PublicKeyCallback: func(meta ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if _, ok := d.machine.Users[meta.User()]; !ok || !bytes.Equal(key.Marshal(), want) {
				return nil, errors.New("no such user or key")
			}
			return nil, nil
		},
	}
	conf.AddHostKey(e.lab.hostKey(e.tree.Name))
	return conf
}

// serve is the sshd of a device for one connection. It only supports sessions with a command or a shell, because the devices are only
// configured.
func (e *entry) serve(ctx context.Context, c net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d, err := e.open(c)
	if err != nil {
		c.Close()
		return // the dialling client has got the error
	}
	defer e.leave(c)
	defer c.Close()
	conn, chans, reqs, err := ssh.NewServerConn(c, e.config(d))
	if err != nil {
		return // the client's handshake reports the error to the client
	}
	u := d.machine.Users[conn.User()]
	var wg sync.WaitGroup
	wg.Go(func() { ssh.DiscardRequests(reqs) }) // this goroutine answers keepalives
	for nc := range chans {
		if nc.ChannelType() != "session" {
			_ = nc.Reject(ssh.UnknownChannelType, "only sessions")
			continue
		}
		ch, reqs, err := nc.Accept()
		if err != nil {
			continue
		}
		wg.Go(func() { serveSession(ctx, d, u, ch, reqs) })
	}
	cancel() // the client has disconnected
	conn.Close()
	wg.Wait()
}

// serveSession waits for the request of a channel with the command to run, and runs it.
func serveSession(ctx context.Context, d *Device, u *unix.User, ch ssh.Channel, reqs <-chan *ssh.Request) {
	defer ch.Close()
	terminal := false
	for req := range reqs {
		var payload struct{ Command string }
		switch {
		case req.Type == "pty-req": // the client sends complete lines; the terminal only causes a prompt
			terminal = true
			_ = req.Reply(true, nil)
			continue
		case req.Type == "shell":
		case req.Type != "exec" || ssh.Unmarshal(req.Payload, &payload) != nil:
			_ = req.Reply(false, nil)
			continue
		}
		_ = req.Reply(true, nil)
		ses, cancel := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer cancel()
			for req := range reqs { // until the client closes the channel or disconnects
				if req.Type == "signal" {
					cancel()
				}
				_ = req.Reply(false, nil)
			}
		}()
		var status int
		if req.Type == "shell" {
			status = d.interact(ses, u, terminal, channelReader{ch}, ch, ch.Stderr())
		} else {
			status = d.exec(ses, u, payload.Command, channelReader{ch}, ch, ch.Stderr())
		}
		if ctx.Err() == nil {
			_ = ch.CloseWrite()
			_, _ = ch.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{uint32(status)}))
		}
		ch.Close()
		cancel()
		<-done
		return
	}
}

// channelReader reads the client's stdin.
type channelReader struct{ ch ssh.Channel }

func (r channelReader) Read(b []byte) (int, error) { return r.ch.Read(b) }

// Close makes a blocked Read return, because the rest of the input has no reader.
func (r channelReader) Close() error { return r.ch.Close() }

var _ io.ReadCloser = channelReader{}
