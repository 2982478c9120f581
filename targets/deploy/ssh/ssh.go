// Package ssh is the wire between rocec and a device: a [Dialer] opens connections to servers whose host keys it has verified, and
// commands run over them. The inputs are a [target.Device] with the login of its ssh block, ~/.ssh/config and /etc/ssh/ssh_config,
// known_hosts files, keys and the agent. [Config] contains the properties of the machine: home, user, agent socket, the ssh program and
// its environment. The package reads no environment. The output is a [target.Conn]. There are two transports. With the native transport,
// this package logs in itself, with keys. With the transport "openssh", the ssh program of the machine logs in, by the means of its
// configuration, and serves this package on a control socket. After the login both transports behave in the same way. A device uses
// "openssh" if its ssh block has transport = "openssh". It also uses "openssh" if the block has no transport and ssh_config requires a
// feature that only ssh has. The package promises:
//   - A host key is verified at every hop, and no setting turns that off: StrictHostKeyChecking of ssh_config is not read, and the ssh
//     program gets the strict value. An unknown key is an error with its fingerprint and a remedy, never a question.
//   - Each setting of ssh_config is obeyed, left to the ssh program, or refused by name for the hosts where it applies. Settings that are
//     not read do not affect the host, the user or the trust. docs/ssh.md has the list.
//   - The native transport uses only keys: from the agent (which signs and is never forwarded), from key files, and from Config.Keys. It
//     uses no passwords.
//   - In FIPS mode rocec offers only algorithms that FIPS 140-3 approves.
//   - Nothing blocks for ever: connecting and the handshake have their own limits, keepalives detect a silent peer, a command ends with its
//     context. The output of a device is bounded.
//   - Only connecting is tried again, and only before a server has asked for a login. A command that was cut off may have run; its error
//     is [ErrLost].
//   - Text from a device is escaped before it enters an error.
//   - No byte is sent to an address that Config.Permit refuses, on no hop and by no transport.
//
// For errors.Is, a failure is one of [ErrConfig], [ErrUnreachable], [ErrHostKey] (including [ErrHostKeyAlarm]), [ErrLogin],
// [ErrForbidden], [ErrLost] and [ErrOutput]. Host key, login and forbidden failures are also wrapped in a [target.LoginError], and host
// key failures in a [target.HostKeyError].
package ssh

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/rocec/rocec/targets/target"
)

// Config describes the machine of a Dialer. The zero Config reads no file and has no key.
type Config struct {
	Home   string // the home directory, for Home/.ssh; empty: not read
	System string // "/etc/ssh", for ssh_config and ssh_known_hosts; empty: not read
	User   string // the user who runs rocec: the login name if the fabric and ssh_config name no user

	// ConfigFile replaces both ssh_config files, like -F of ssh; "none": no ssh_config is read.
	ConfigFile string

	AgentSocket string   // $SSH_AUTH_SOCK; empty: no agent
	Keys        [][]byte // private keys in PEM, without passphrase, offered before all other keys; not for the ssh program

	// OpenSSH is the ssh program, a name for $PATH or a path. It carries the sessions of devices with transport = "openssh", and of
	// devices whose ssh_config requires a feature that only ssh has. Empty: such devices are refused.
	OpenSSH string

	// Environ is the environment of that program, in the form of os.Environ. Its locale is ignored.
	Environ []string

	// Terminal shows a person the output of that program during the login. The program asks its questions on /dev/tty, for one device at
	// a time. Nil: the program asks nothing (BatchMode).
	Terminal io.Writer

	// Passphrase asks the person for the passphrase of a key file. It is called for one key at a time, only for a key that the device
	// accepts. Nil: encrypted keys are only used from the agent.
	Passphrase func(ctx context.Context, file string) ([]byte, error)

	// Net connects to a server, like [net.Dialer.DialContext]; nil: over TCP.
	Net func(ctx context.Context, network, addr string) (net.Conn, error)

	// AgentOnly is the reason why private keys in files are forbidden, for the error of a login. rocec then opens no such file, and uses only
	// keys of agents and security keys. Keys are not limited. Empty: files are read.
	AgentOnly string

	// Permit returns an error for an address to which no connection may be made, also for jump hosts. It is called before a connection is
	// made, from several goroutines. Nil: all addresses are permitted.
	Permit func(netip.Addr) error

	// Note receives warnings, escaped: each skipped line of known_hosts, once. It is called from other goroutines, one call at a time.
	// Nil: no warnings.
	Note func(string)

	ConnectTimeout   time.Duration // time limit for the TCP connection; 0: 10 s
	HandshakeTimeout time.Duration // time limit for the login after that, without the time for typing; 0: 30 s
	Logins           int           // concurrent logins at one server; 0: 8
	Through          int           // concurrent logins through one jump host; 0: 64
	KeepAlive        time.Duration // time between two keepalives; the third unanswered one ends the connection; 0: 5 s
	MaxOutput        int           // limit for the output of one command, in bytes; 0: 4 MiB
}

// Defaults of Config.
const (
	DefaultConnectTimeout   = 10 * time.Second
	DefaultHandshakeTimeout = 30 * time.Second
	DefaultLogins           = 8
	DefaultThrough          = 64
	DefaultKeepAlive        = 5 * time.Second
	DefaultMaxOutput        = 4 << 20
)

// Dialer opens connections to devices. Connections to jump hosts are shared between them. It is safe for concurrent
// use; Close ends every connection it made.
type Dialer struct {
	cfg   Config
	rules *rules
	known *knownFiles
	keys  *keyring
	gates *gates
	room  room // folder of the ssh program's sockets

	ctx  context.Context // ends with Close
	stop context.CancelFunc
	wait sync.WaitGroup // connections that are being opened or are open

	mu    sync.Mutex
	links map[*link]bool   // open connections, to devices and jump hosts
	via   map[string]*jump // jump hosts by route
}

// New reads the ssh_config files. Its error names the file and line that cannot be read.
func New(cfg Config) (*Dialer, error) {
	setDefault(&cfg.ConnectTimeout, DefaultConnectTimeout)
	setDefault(&cfg.HandshakeTimeout, DefaultHandshakeTimeout)
	setDefault(&cfg.Logins, DefaultLogins)
	setDefault(&cfg.Through, DefaultThrough)
	setDefault(&cfg.KeepAlive, DefaultKeepAlive)
	setDefault(&cfg.MaxOutput, DefaultMaxOutput)
	rules, err := readRules(cfg)
	if err != nil {
		return nil, failure(ErrConfig, err, "%v", err)
	}
	keys, err := newKeyring(cfg)
	if err != nil {
		return nil, failure(ErrConfig, err, "%v", err)
	}
	d := &Dialer{
		cfg:   cfg,
		rules: rules,
		known: newKnownFiles(cfg.Note),
		keys:  keys,
		gates: newGates(cfg.Logins, cfg.Through),
		links: make(map[*link]bool),
		via:   make(map[string]*jump),
	}
	d.ctx, d.stop = context.WithCancel(context.Background())
	return d, nil
}

func setDefault[T int | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// Dial logs in to a device, through its jump hosts, if any. It is a [target.Dial]. Dial looks up in ssh_config the address of the
// device's ssh block or, without an address, the device's name. Fields of the ssh block override ssh_config, like options of ssh.
func (d *Dialer) Dial(ctx context.Context, dev *target.Device) (target.Conn, error) {
	l, err := d.login(dev)
	if err != nil {
		return nil, err
	}
	lk, err := d.connect(ctx, l)
	if err != nil {
		return nil, dialError(err)
	}
	return newConn(lk, d.cfg.MaxOutput), nil
}

// dialError maps the error of a dial to the errors of [target.Conn].
func dialError(err error) error {
	switch {
	case errors.Is(err, ErrHostKey):
		return &target.LoginError{Err: &target.HostKeyError{Err: err, Alarm: errors.Is(err, ErrHostKeyAlarm)}}
	case errors.Is(err, ErrLogin), errors.Is(err, ErrForbidden):
		return &target.LoginError{Err: err}
	}
	return err
}

// Close ends every connection and waits until their goroutines have ended. Dial fails afterwards.
func (d *Dialer) Close() error {
	d.stop()
	d.mu.Lock()
	links := make([]*link, 0, len(d.links))
	for lk := range d.links {
		links = append(links, lk)
	}
	d.mu.Unlock()
	// TCP connections first, because all connections through them end with them.
	slices.SortFunc(links, func(a, b *link) int { return a.login.jumpCount() - b.login.jumpCount() })
	for _, lk := range links {
		lk.end(errClosed)
	}
	d.wait.Wait()
	return d.room.remove()
}

// connect opens a connection, with its jump hosts. It only tries again after temporary failures: a server that drops connections because
// too many arrive at once (MaxStartups of sshd), or that is just starting.
func (d *Dialer) connect(ctx context.Context, l *login) (*link, error) {
	var via *jump
	if l.via != nil {
		var err error
		if via, err = d.acquire(ctx, l.via); err != nil {
			return nil, throughJump(l, err)
		}
	}
	lk, err := d.persist(ctx, l, via)
	if err != nil && via != nil {
		d.release(via)
	}
	return lk, err
}

// persist opens a connection over via (nil: directly). It tries again while that may help.
func (d *Dialer) persist(ctx context.Context, l *login, via *jump) (*link, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(d.ctx, func() { cancel(errClosed) })()
	for _, p := range l.turns() {
		leave, err := d.gates.enter(ctx, p)
		if err != nil {
			return nil, failure(ErrUnreachable, err, "connecting to %s was interrupted", l)
		}
		defer leave()
	}
	for try := 1; ; try++ {
		var lk *link
		var err error
		if l.openssh != nil {
			lk, err = d.openMaster(ctx, l)
		} else {
			lk, err = d.open(ctx, l, via)
		}
		if err == nil || try >= tries(err) {
			return lk, err
		}
		select {
		case <-time.After(pauseBefore(try + 1)):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// open makes one connection over via (nil: directly). With a pinned host key it may need several handshakes: the pin does not contain the
// type of the key, and a server shows one key per handshake, of the requested type.
func (d *Dialer) open(ctx context.Context, l *login, via *jump) (*link, error) {
	if d.ctx.Err() != nil {
		return nil, failure(ErrUnreachable, errClosed, "%v", errClosed)
	}
	check, err := d.known.checker(l)
	if err != nil {
		return nil, err
	}
	for {
		raw, err := d.reach(ctx, l, via)
		if err != nil {
			return nil, err
		}
		client, err := d.handshake(ctx, l, raw, check)
		if err == nil {
			lk := &link{
				d: d, login: l, key: ssh.FingerprintSHA256(check.proved), client: client, raw: raw, via: via, dead: make(chan struct{}),
			}
			return lk.start()
		}
		if !check.again(err) {
			return nil, check.explain(err)
		}
	}
}

// reach opens the byte stream to a server.
func (d *Dialer) reach(ctx context.Context, l *login, via *jump) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.cfg.ConnectTimeout)
	defer cancel()
	var raw net.Conn
	var err error
	of := limits{&d.cfg}
	if via != nil || d.cfg.Net != nil {
		if err := of.permitLiteral(l, l.host); err != nil {
			return nil, err
		}
	}
	switch {
	case via == nil && d.cfg.Net != nil:
		raw, err = d.cfg.Net(ctx, "tcp", l.address())
	case via == nil:
		raw, err = (&net.Dialer{LocalAddr: l.from, ControlContext: of.control(l)}).DialContext(ctx, "tcp"+l.family, l.address())
	default:
		raw, err = via.link.client.DialContext(ctx, "tcp", l.address())
	}
	if err == nil {
		return raw, nil
	}
	if forbidden, ok := errors.AsType[*failed](err); ok && forbidden.kind == ErrForbidden {
		return nil, forbidden
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, failure(ErrUnreachable, ctx.Err(), "cannot reach %s: no answer within %v", l, d.cfg.ConnectTimeout)
	}
	return nil, unreachable(l, err)
}
