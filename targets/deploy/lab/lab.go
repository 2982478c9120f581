// Package lab has a [Lab], a fleet of simulated devices inside the process, behind real SSH, for rehearsals (--lab) and for tests. The
// fleet has every device of a rendered tree, either factory-new or in the state in which an earlier process left it. The input is a tree.
// The first content of each device is the Image of its target. The output is a network ([Lab.Dial]) in which every device answers as an
// SSH server. Each device has its own host key, and all devices accept one key of the lab. Tests have direct access to a [Device]. A
// device is made at the first connection. After the last connection it is put away: the lab saves its difference from a new device.
// [Open] keeps the devices in a folder for the next process.
//
// Promised: commands on a device run, read or write nothing on the machine of the lab, except in the lab's own folder. A device is a
// machine of package unix, on which commands run in an interpreter inside the process, with the service manager of package systemd. This
// package adds the network: ip, ethtool, modprobe, and interfaces in sysfs. So a device behaves like Linux in everything that rocec uses.
// The daemons, drivers and tools of a vendor come with the image, by the contract in [target.Sim]. Nothing is random, and waiting takes
// no real time.
package lab

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/rocec/rocec/targets/target"
)

// Lab is a running fleet.
type Lab struct {
	seed   []byte // all keys derive from this seed
	key    []byte
	public ssh.PublicKey
	byName map[string]*entry
	store  *store // nil: no state outlives the process

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu        sync.Mutex
	listeners []net.Listener

	crowdMu sync.Mutex // guards crowds; the lock of devices may be held
	crowds  []arrival
}

// Start starts a fleet that ends with the process, or with Close.
func Start(tree *target.Tree) (*Lab, error) {
	seed := make([]byte, 32)
	rand.Read(seed) //nolint:errcheck // it never fails
	return newLab(tree, seed, nil)
}

func newLab(tree *target.Tree, seed []byte, kept *store) (*Lab, error) {
	l := &Lab{seed: seed, byName: map[string]*entry{}, store: kept}
	private := l.derive("login")
	block, err := ssh.MarshalPrivateKey(private, "rocec lab")
	if err != nil {
		return nil, fmt.Errorf("the lab's key: %w", err)
	}
	l.key = pem.EncodeToMemory(block)
	if l.public, err = ssh.NewPublicKey(private.Public()); err != nil {
		return nil, fmt.Errorf("the lab's key: %w", err)
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	for _, td := range tree.Devices {
		l.byName[td.Name] = &entry{lab: l, tree: td, conns: map[net.Conn]bool{}}
	}
	return l, nil
}

// derive returns the key for a name.
func (l *Lab) derive(name string) ed25519.PrivateKey {
	mac := hmac.New(sha256.New, l.seed)
	mac.Write([]byte(name))
	return ed25519.NewKeyFromSeed(mac.Sum(nil))
}

func (l *Lab) hostKey(device string) ssh.Signer {
	signer, err := ssh.NewSignerFromSigner(l.derive("host " + device))
	if err != nil {
		panic("lab: invalid host key: " + err.Error()) // the lab has made this key
	}
	return signer
}

// Login returns how to reach a device through [Lab.Dial]: address, port, user and the pin of its host key. It panics if the lab has no
// device with that name.
func (l *Lab) Login(name string) target.Login {
	return target.Login{
		Address: name, Port: 22, User: loginName(l.entry(name).tree), HostKey: ssh.FingerprintSHA256(l.hostKey(name).PublicKey()),
	}
}

// Key returns the private key that every device accepts, in OpenSSH's PEM form.
func (l *Lab) Key() []byte { return bytes.Clone(l.key) }

// Dial connects to a device like [net.Dialer.DialContext] to a server. The address is the device's name and port 22.
func (l *Lab) Dial(ctx context.Context, _, addr string) (net.Conn, error) {
	name, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	e := l.byName[name]
	if e == nil || port != "22" {
		return nil, fmt.Errorf("the lab has no device at %s", addr)
	}
	if err := errors.Join(ctx.Err(), l.ctx.Err()); err != nil {
		return nil, err
	}
	if err := e.make(); err != nil {
		return nil, err
	}
	near, far := newWire(name)
	l.wg.Go(func() { e.serve(l.ctx, far) })
	return near, nil
}

// Listen also makes a device reachable over TCP, on a port of the loopback interface, and returns its login. It panics if the lab has no
// device with that name.
func (l *Lab) Listen(name string) (target.Login, error) {
	e, login := l.entry(name), l.Login(name)
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return login, err
	}
	l.mu.Lock()
	l.listeners = append(l.listeners, ln)
	l.mu.Unlock()
	login.Address, login.Port = "127.0.0.1", ln.Addr().(*net.TCPAddr).Port
	l.wg.Go(func() {
		for {
			c, err := ln.Accept()
			switch {
			case err == nil:
				l.wg.Go(func() { e.serve(l.ctx, c) })
			case l.ctx.Err() != nil || errors.Is(err, net.ErrClosed):
				return
			}
		}
	})
	return login, nil
}

// Device returns the device with a name. From then on the device is not put away. Device panics if the lab has no such device or cannot
// read its record; [Lab.Find] returns an error instead.
func (l *Lab) Device(name string) *Device {
	l.entry(name)
	d, err := l.Find(name)
	if err != nil {
		panic("lab: " + err.Error())
	}
	return d
}

// Find is like [Lab.Device], but returns an error for a wrong name or an unreadable record.
func (l *Lab) Find(name string) (*Device, error) {
	e := l.byName[name]
	if e == nil {
		return nil, fmt.Errorf("the lab has no device %q", name)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pinned = true
	return e.device()
}

// Disconnect cuts every connection to a device, like a failing link. It is for tests, too.
func (l *Lab) Disconnect(name string) { l.entry(name).cut() }

func (l *Lab) entry(name string) *entry {
	e, ok := l.byName[name]
	if !ok {
		panic("lab: no device " + name)
	}
	return e
}

// Close ends every connection, and waits for their commands. If the lab has a folder, Close saves the devices. Before that, it waits up
// to ten seconds until their commands end. Sleeping shells continue when the lab is opened again.
func (l *Lab) Close() error {
	l.cancel()
	l.mu.Lock()
	for _, ln := range l.listeners {
		ln.Close()
	}
	l.mu.Unlock()
	for _, e := range l.byName {
		e.cut()
	}
	l.wg.Wait()
	var errs []error
	for _, e := range l.byName {
		errs = append(errs, e.close())
	}
	if l.store != nil {
		errs = append(errs, l.store.close())
	}
	return errors.Join(errs...)
}

// entry is one device of the fleet: running, put away, or factory-new.
type entry struct {
	lab  *Lab
	tree *target.Device

	mu     sync.Mutex
	made   *Device // nil: put away, or never used
	pinned bool    // a caller of Device holds it
	away   []byte  // record of the device in a lab without a folder; nil: the device is as new

	connsMu sync.Mutex // guards conns; e.mu may be held
	conns   map[net.Conn]bool
}

// device returns the device, and makes it at the first call, so that a fleet starts at once. It is called with e.mu held.
func (e *entry) device() (*Device, error) {
	if e.made != nil {
		return e.made, nil
	}
	d, err := e.lab.store.wake(e.tree, e.away)
	if err != nil {
		return nil, err
	}
	d.cut, d.marked, d.paused = e.cut, e.marked, e.paused
	e.made = d
	return d, nil
}

// make makes the device, and fails while it is switched off.
func (e *entry) make() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	d, err := e.device()
	if err != nil {
		return err
	}
	if d.machine.IsOff() {
		return errors.New("connection refused")
	}
	return nil
}

// open records a connection.
func (e *entry) open(c net.Conn) (*Device, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.lab.ctx.Err(); err != nil {
		return nil, err
	}
	d, err := e.device()
	if err == nil {
		e.connsMu.Lock()
		e.conns[c] = true
		e.connsMu.Unlock()
	}
	return d, err
}

// leave forgets a connection. After the last connection it puts the device away, if the device is idle.
func (e *entry) leave(c net.Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.connsMu.Lock()
	delete(e.conns, c)
	others := len(e.conns) > 0
	e.connsMu.Unlock()
	if others || e.made == nil || e.pinned || e.lab.ctx.Err() != nil || !e.made.machine.Idle() {
		return
	}
	if err := e.putAway(); err != nil {
		e.pinned = true // Close tries again, and can return the error
	}
}

// putAway saves the device and ends it. It is called with e.mu held.
func (e *entry) putAway() error {
	d := e.made
	if d.touched() {
		data, err := e.lab.store.put(d)
		if err != nil {
			return err
		}
		e.away = data
	}
	d.shut()
	e.made = nil
	return nil
}

// close ends the device, and saves it if the lab has a folder.
func (e *entry) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.made == nil {
		return nil
	}
	if e.lab.store == nil {
		e.made.shut()
		return nil
	}
	e.made.machine.Settle()
	return e.putAway()
}

// cut ends the device's connections.
func (e *entry) cut() {
	e.connsMu.Lock()
	defer e.connsMu.Unlock()
	for c := range e.conns {
		c.Close()
	}
}

// loneQueue is the queue length at the last port under one sender, in bytes. It is a few packets, because both ends have the same speed.
const loneQueue = 16 << 10

// marked reports whether the switch next to a receiver marks packets of a cos. The receiver is the device itself, or the device with an
// address.
func (e *entry) marked(netdev string, peer netip.Addr, cos int) bool {
	to := e
	if peer.IsValid() {
		if to, netdev = e.lab.holder(peer); to == nil {
			return false
		}
	}
	for _, p := range to.tree.Source.Ports {
		if p.Name == netdev {
			next := e.lab.byName[p.Peer().Device().Name]
			return next != nil && next.marksAt(p.Peer().Name, cos)
		}
	}
	return false
}

// holder returns the device and the interface with an address; nil: no device has the address.
func (l *Lab) holder(addr netip.Addr) (of *entry, netdev string) {
	for _, e := range l.byName {
		if e.tree.Source == nil || e.tree.Role != target.Host || e.tree.Target == nil || e.tree.Target.Image == nil {
			continue
		}
		for _, sim := range e.tree.Target.Image(e.tree.Source).Sims {
			if h, ok := sim.(target.Holder); ok {
				if netdev, ok := h.Holds(addr); ok {
					return e, netdev
				}
			}
		}
	}
	return nil, ""
}

// marksAt reports whether a switch marks in the queue of a port. The caller holds the lock of a host. A switch never waits for such a
// lock.
func (e *entry) marksAt(port string, cos int) bool {
	e.mu.Lock()
	d, err := e.device()
	e.mu.Unlock()
	if err != nil {
		return false
	}
	d.fs.Lock()
	defer d.fs.Unlock()
	for _, sim := range d.image.Sims {
		if s, ok := sim.(target.Marker); ok {
			from, marks := s.Marks(port, cos)
			return marks && from <= loneQueue
		}
	}
	return false
}

// crowd is a queue at the last cable: a port of a switch (leaf01:swp1), and a cos.
type crowd struct {
	port string
	cos  int
}

// sender is the last interface (gpu01:ens1f0) that has sent to a crowd, at a time of the switch's clock. from is empty if none has.
type sender struct {
	from string
	at   time.Duration
}

// arrival is the last sender to a crowd.
type arrival struct {
	crowd
	sender
}

// together is the time within which two senders to a port count as simultaneous. Commands on several devices start at different times.
const together = 20 * time.Second

// paused reports packets to the switch next to their receiver. A second sender within a short time fills the port, because all cables of
// hosts have the same speed. The switch then pauses the port at which the second sender's packets enter. A pause reaches the sender only
// if its cable ends at the same switch.
func (e *entry) paused(netdev string, peer netip.Addr, cos int, packets uint64) uint64 {
	to, at := e.lab.holder(peer)
	if to == nil {
		return 0
	}
	from, last := e.tree.Port(netdev), to.tree.Port(at)
	if from == nil || last == nil || from.Peer() == nil || last.Peer() == nil {
		return 0
	}
	out := last.Peer()
	next := e.lab.byName[out.Device().Name]
	if next == nil {
		return 0
	}
	// The caller holds the lock of a host. A switch never waits for such a lock.
	next.mu.Lock()
	defer next.mu.Unlock()
	d, err := next.device()
	if err != nil {
		return 0
	}
	if !e.lab.second(crowd{out.String(), cos}, sender{from.String(), d.machine.Clock.Now()}) {
		return 0
	}
	in := from.Peer()
	for _, p := range out.Device().Ports {
		if in.Device() != out.Device() && p.Peer() != nil && p.Peer().Device().Switch != nil {
			in = p
		}
	}
	if in.Device() != out.Device() {
		return 0
	}
	d.fs.Lock()
	defer d.fs.Unlock()
	for _, sim := range d.image.Sims {
		if s, ok := sim.(target.Pauser); ok {
			n := s.Pause(in.Name, cos, packets)
			if in == from.Peer() {
				return n
			}
		}
	}
	return 0
}

// second reports whether another sender has sent to a crowd within a short time. Two senders are one crowd, and the next begins another.
func (l *Lab) second(c crowd, s sender) bool {
	l.crowdMu.Lock()
	defer l.crowdMu.Unlock()
	for i := range l.crowds {
		was := &l.crowds[i]
		if was.crowd != c {
			continue
		}
		if was.from != s.from && was.from != "" && s.at-was.at <= together {
			was.sender = sender{}
			return true
		}
		was.sender = s
		return false
	}
	l.crowds = append(l.crowds, arrival{c, s})
	return false
}
