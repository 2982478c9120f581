package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
)

// uplink is the way of this process to the hub of its team.
type uplink struct {
	o    *place
	ring *keys.Ring // of the hub in this process; nil: the hub is elsewhere

	mu    sync.Mutex
	files map[string]keys.Role // of the credentials that this process has made, by the name
}

// ownTime is how long the credentials are valid that a process with a ring makes for itself. It makes new ones each day.
const ownTime = 30 * 24 * time.Hour

// open connects as a user with a role, where this process has the ring. Elsewhere the credentials of --creds decide.
func (l *uplink) open(name string, role keys.Role) (*broker.Broker, error) {
	w, err := l.where(name, role)
	if err != nil {
		return nil, err
	}
	return broker.Open(w, nil)
}

// where returns the place of the hub for [broker.Open].
func (l *uplink) where(name string, role keys.Role) (broker.Where, error) {
	w := broker.Where{URL: l.o.hub + l.o.nats, Creds: l.o.creds, CA: l.o.ca, Name: name}
	if l.ring == nil {
		return w, nil
	}
	host, port, err := net.SplitHostPort(l.o.listen)
	if err != nil {
		return w, err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	w.URL, w.CA = "tls://"+net.JoinHostPort(host, port), l.ring.CA()
	w.Creds, err = l.write(name, role)
	return w, err
}

// write writes credentials of this process. A connection reads them again when it comes back.
func (l *uplink) write(name string, role keys.Role) (file string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files[name] = role
	creds, err := l.ring.Temporary(name, role, ownTime)
	if err != nil {
		return "", err
	}
	return l.ring.Write("own-"+name+".creds", creds)
}

// renew writes all credentials of this process again.
func (l *uplink) renew() (err error) {
	l.mu.Lock()
	files := maps.Clone(l.files)
	l.mu.Unlock()
	for name, role := range files {
		_, no := l.write(name, role)
		err = errors.Join(err, no)
	}
	return err
}

// embedded opens the ring of the hub in this process. A ring for this machine alone needs no command.
func embedded(o *place) (*keys.Ring, error) {
	if _, err := os.Stat(ringDir(o.state)); !errors.Is(err, fs.ErrNotExist) {
		return openRing(o.state)
	}
	if !onLoopback(o.listen) {
		return nil, exit.Fail(exit.Usage, "%s has no keys of a hub for other machines: rocecd keys init --host NAME makes them", o.state)
	}
	return makeRing(o.state, nil)
}

// makeRing makes the ring of a hub with names, and with those of this machine.
func makeRing(state string, hosts []string) (*keys.Ring, error) {
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, machine(err)
	}
	r, err := keys.Make(ringDir(state), time.Now)
	if err != nil {
		return nil, machine(err)
	}
	return r, machine(r.Server(append(hosts, "localhost", "127.0.0.1"), keys.Validity))
}

// lockStore refuses the state of a hub that another process serves: nats-server itself would write into one store twice.
func lockStore(state string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(state, "hub.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close() //nolint:errcheck // nothing was written
		return nil, fmt.Errorf("another rocecd serves the hub of %s (%w)", state, err)
	}
	return f, nil
}

// onLoopback reports whether only this machine reaches an address.
func onLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// portOf returns the port of an address.
func portOf(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	port, err = net.LookupPort("tcp", text)
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w", address, err)
	}
	return host, port, nil
}
