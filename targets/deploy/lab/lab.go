// Package lab is an in-process fleet of devices behind real SSH: every device of a rendered tree, as it comes from the
// factory, for rehearsals (--lab) and for tests.
//
// In comes a tree; what each device holds at first is its target's Image. Out comes one SSH server a device on the
// loopback interface, each with a host key of its own, all accepting the one key of the lab, and for tests a hand
// behind the curtain ([Device]).
//
// Promised: whoever logs in, nothing is run, read or written on the machine the lab runs in. The devices' commands run
// in an interpreter inside the process, on file systems in memory (shell.go tells how it is fenced in). A device does
// what any Linux does as far as rocec uses it: coreutils with their messages and exit statuses, sudo, systemctl with unit
// files and timers, ip, ethtool, modprobe, interfaces in sysfs. What a vendor adds (its daemons, drivers and tools) comes
// with the image, by the contract in [target.Sim]. Nothing depends on time or chance: simulated seconds pass a thousand
// times faster, and the devices' clocks start at the same moment in every run.
package lab

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"sync"

	"golang.org/x/crypto/ssh"

	"github.com/rocec/rocec/targets/target"
)

// Lab is a running fleet.
type Lab struct {
	key    []byte
	public ssh.PublicKey
	byName map[string]*entry

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// entry is one device of the fleet and how to reach it.
type entry struct {
	server *server
	login  target.Login
	once   sync.Once
	made   *Device
	tree   *target.Device
}

// device makes the device when it is asked for the first time, so that a fleet starts at once.
func (e *entry) device() *Device {
	e.once.Do(func() { e.made = NewDevice(e.tree) })
	return e.made
}

// Start starts every device of the tree. Close ends them.
func Start(tree *target.Tree) (*Lab, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("the lab's key: %w", err)
	}
	block, err := ssh.MarshalPrivateKey(private, "rocec lab")
	if err != nil {
		return nil, fmt.Errorf("the lab's key: %w", err)
	}
	l := &Lab{key: pem.EncodeToMemory(block), byName: map[string]*entry{}}
	if l.public, err = ssh.NewPublicKey(public); err != nil {
		return nil, fmt.Errorf("the lab's key: %w", err)
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	for _, td := range tree.Devices {
		if err := l.add(td); err != nil {
			return nil, errors.Join(fmt.Errorf("lab device %s: %w", td.Name, err), l.Close())
		}
	}
	return l, nil
}

func (l *Lab) add(td *target.Device) error {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	signer, err := ssh.NewSignerFromSigner(private)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	e := &entry{
		login: target.Login{
			Address: "127.0.0.1",
			Port:    ln.Addr().(*net.TCPAddr).Port,
			User:    loginName(td),
			HostKey: ssh.FingerprintSHA256(signer.PublicKey()),
		},
		tree: td,
	}
	e.server = &server{lab: l, name: td.Name, ln: ln, signer: signer, device: e.device, conns: map[net.Conn]bool{}}
	l.byName[td.Name] = e
	l.wg.Go(func() { e.server.serve(l.ctx) })
	return nil
}

// Login tells how a device is reached: address, port, user and the pin of its host key. It panics when the lab has no
// device of that name.
func (l *Lab) Login(name string) target.Login { return l.entry(name).login }

// Key is the private key every device accepts, in OpenSSH's PEM form.
func (l *Lab) Key() []byte { return bytes.Clone(l.key) }

// Device gives a test the device behind a name. It panics when the lab has none.
func (l *Lab) Device(name string) *Device { return l.entry(name).device() }

// Disconnect is for tests, too: it cuts every connection to a device, as a link that fails does.
func (l *Lab) Disconnect(name string) { l.entry(name).server.cut() }

func (l *Lab) entry(name string) *entry {
	e, ok := l.byName[name]
	if !ok {
		panic("lab: no device " + name)
	}
	return e
}

// Close ends every session, connection and timer, and waits for them.
func (l *Lab) Close() error {
	l.cancel()
	for _, e := range l.byName {
		e.server.close()
	}
	l.wg.Wait()
	for _, e := range l.byName {
		e.once.Do(func() {}) // nobody makes it any more
		if e.made != nil {
			e.made.init.stopAll()
		}
	}
	return nil
}
