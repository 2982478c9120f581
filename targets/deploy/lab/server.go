package lab

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"golang.org/x/crypto/ssh"
)

// server is the sshd of one device.
type server struct {
	lab    *Lab
	name   string
	ln     net.Listener
	signer ssh.Signer
	device func() *Device // made when somebody connects for the first time

	mu    sync.Mutex
	conns map[net.Conn]bool
}

// serve accepts connections until the listener is closed.
func (s *server) serve(ctx context.Context) {
	for {
		c, err := s.ln.Accept()
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return
			}
			continue
		}
		s.mu.Lock()
		s.conns[c] = true
		s.mu.Unlock()
		if ctx.Err() != nil { // closed meanwhile
			c.Close()
		}
		s.lab.wg.Go(func() {
			s.handle(ctx, c)
			c.Close()
			s.mu.Lock()
			delete(s.conns, c)
			s.mu.Unlock()
		})
	}
}

// close ends every connection.
func (s *server) close() {
	s.ln.Close()
	s.cut()
}

func (s *server) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.Close()
	}
}

func (s *server) config(d *Device) *ssh.ServerConfig {
	want := s.lab.public.Marshal()
	conf := &ssh.ServerConfig{
		ServerVersion: "SSH-2.0-rocec-lab",
		PublicKeyCallback: func(meta ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if _, ok := d.users[meta.User()]; !ok || !bytes.Equal(key.Marshal(), want) {
				return nil, errors.New("no such user or key")
			}
			return nil, nil
		},
	}
	conf.AddHostKey(s.signer)
	return conf
}

// handle serves one connection: sessions with exec, nothing else, as a device that is only ever configured needs it.
func (s *server) handle(ctx context.Context, c net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := s.device()
	conn, chans, reqs, err := ssh.NewServerConn(c, s.config(d))
	if err != nil {
		return // the client's handshake tells the client
	}
	u := d.users[conn.User()]
	var wg sync.WaitGroup
	wg.Go(func() { ssh.DiscardRequests(reqs) }) // keepalives are answered here
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
	cancel() // the client is gone
	conn.Close()
	wg.Wait()
}

// serveSession waits for the exec request of a channel and runs it.
func serveSession(ctx context.Context, d *Device, u *user, ch ssh.Channel, reqs <-chan *ssh.Request) {
	defer ch.Close()
	for req := range reqs {
		if req.Type != "exec" {
			_ = req.Reply(false, nil)
			continue
		}
		var payload struct{ Command string }
		if ssh.Unmarshal(req.Payload, &payload) != nil {
			_ = req.Reply(false, nil)
			continue
		}
		_ = req.Reply(true, nil)
		ses := newSession(ctx, d)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for req := range reqs { // until the client closes the channel, or goes
				if req.Type == "signal" {
					ses.cancel()
				}
				_ = req.Reply(false, nil)
			}
			ses.cancel()
		}()
		status := ses.run(u, payload.Command, channelReader{ch}, ch, ch.Stderr())
		gone := ctx.Err() != nil
		if !gone {
			_ = ch.CloseWrite()
			_, _ = ch.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{uint32(status)}))
		}
		ch.Close()
		ses.end()
		<-done
		return
	}
}

// channelReader is the client's side of stdin.
type channelReader struct{ ch ssh.Channel }

func (r channelReader) Read(b []byte) (int, error) { return r.ch.Read(b) }

// Close makes a blocked Read return: nobody reads what the client still sends.
func (r channelReader) Close() error { return r.ch.Close() }

var _ io.ReadCloser = channelReader{}
