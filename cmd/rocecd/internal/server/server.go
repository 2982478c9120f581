// Package server runs the [Hub] of a team: nats-server in this process, with the stream on the disk of the hub.
package server

import (
	"fmt"
	"log/slog"
	"time"

	natsjwt "github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
)

// Options are those of a server.
type Options struct {
	Listen string // address; empty: 127.0.0.1
	Port   int    // -1: any
	Store  string // folder of the stream
	Ring   *keys.Ring
	Plain  bool // without TLS: only for loopback
	Log    *slog.Logger
}

// Hub is a running server.
type Hub struct {
	nats     *server.Server
	resolver *server.MemAccResolver
	ring     *keys.Ring
}

// startTime is how long a server may take until it serves. A store of some GiB is read again first.
const startTime = time.Minute

// Start starts a server.
func Start(o Options) (*Hub, error) {
	trust, err := o.Ring.Trust()
	if err != nil {
		return nil, err
	}
	resolver := &server.MemAccResolver{}
	for key, account := range trust.Accounts {
		if err := resolver.Store(key, account); err != nil {
			return nil, err
		}
	}
	opts := &server.Options{
		ServerName: "rocec-hub", Host: o.Listen, Port: o.Port, NoSigs: true, MaxPayload: broker.MaxPayload,
		JetStream: true, StoreDir: o.Store, SyncAlways: true,
		TrustedOperators: []*natsjwt.OperatorClaims{trust.Operator}, AccountResolver: resolver, SystemAccount: trust.System,
		MaxConn: 4096, PingInterval: 10 * time.Second, MaxPingsOut: 3, WriteDeadline: 10 * time.Second,
	}
	if opts.Host == "" {
		opts.Host = "127.0.0.1"
	}
	if !o.Plain {
		if opts.TLSConfig, err = o.Ring.TLS(false); err != nil {
			return nil, err
		}
		opts.TLS, opts.TLSTimeout = true, 10
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("nats-server: %w", err)
	}
	s.SetLoggerV2(&logger{o.Log}, false, false, false)
	s.Start()
	if !s.ReadyForConnections(startTime) || !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("nats-server does not serve %s:%d after %s", opts.Host, o.Port, startTime)
	}
	return &Hub{s, resolver, o.Ring}, nil
}

// URL returns the address for clients.
func (s *Hub) URL() string { return s.nats.ClientURL() }

// Reload makes the server take the users of the ring anew, and disconnects those that were revoked.
func (s *Hub) Reload() error {
	trust, err := s.ring.Trust()
	if err != nil {
		return err
	}
	account := trust.Accounts[trust.Account]
	if err := s.resolver.Store(trust.Account, account); err != nil {
		return err
	}
	of, err := s.nats.LookupAccount(trust.Account)
	if err != nil {
		return err
	}
	claims, err := natsjwt.DecodeAccountClaims(account)
	if err != nil {
		return err
	}
	s.nats.UpdateAccountClaims(of, claims)
	return nil
}

// Stop ends the server, and waits until its store is on the disk.
func (s *Hub) Stop() {
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
}

// logger sends the lines of nats-server to a log.
type logger struct{ log *slog.Logger }

func (l *logger) Noticef(format string, v ...any) { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l *logger) Debugf(format string, v ...any)  {}
func (l *logger) Tracef(format string, v ...any)  {}
func (l *logger) Warnf(format string, v ...any)   { l.log.Warn(fmt.Sprintf(format, v...)) }
func (l *logger) Errorf(format string, v ...any)  { l.log.Error(fmt.Sprintf(format, v...)) }
func (l *logger) Fatalf(format string, v ...any)  { l.log.Error(fmt.Sprintf(format, v...)) }
