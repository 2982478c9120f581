package ssh

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"
)

// The transport "openssh": the ssh program of the machine logs in, by the means of its configuration, and stays as the master of a
// control socket. Over that socket this package speaks the SSH protocol (proxy mode, PROTOCOL.mux), so that the connection behaves like a
// native one.

// room is the folder of the control sockets. The first login makes it. Other users cannot open it, and its path is short enough for the
// address of a socket.
type room struct {
	mu     sync.Mutex
	dir    string
	made   int           // number of sockets so far
	tells  bool          // the ssh program reports the host key (KnownHostsCommand: OpenSSH 8.5)
	sizes  bool          // the ssh program itself checks the size of RSA keys (RequiredRSASize: OpenSSH 9.1)
	typing chan struct{} // holds a token while a person may be asked
}

// Files of a room.
const (
	roomConfig  = "config"
	roomHostKey = "hostkey"
)

// open makes the folder, with a configuration file that ssh reads before the person's files. Its settings apply to the device and to
// every jump host on the way, and override the person's settings.
func (r *room) open(d *Dialer) error {
	if r.dir != "" {
		return nil
	}
	if d.rules.relative != (place{}) {
		return failure(ErrConfig, nil, "%v: ssh reads this file on behalf of rocec, and would look for a relative path elsewhere; "+
			"write the whole path", d.rules.relative)
	}
	var text strings.Builder
	for _, set := range []string{
		"StrictHostKeyChecking yes", "NoHostAuthenticationForLocalhost no", "VerifyHostKeyDNS no", "UpdateHostKeys no",
		"PermitLocalCommand no", "ClearAllForwardings yes",
	} {
		text.WriteString(set + "\n")
	}
	if d.cfg.Terminal == nil {
		text.WriteString("BatchMode yes\n")
	}
	if d.cfg.AgentOnly != "" { // else ssh reads its default files; those that the configuration names are judged one by one
		text.WriteString("IdentityFile none\n")
	}
	files := d.rules.names
	if home := d.cfg.Home; home != "" { // rocec uses $HOME, and ssh the home directory of the user's account
		files = append(slices.Clip(files), filepath.Join(userDir(d.cfg), "known_hosts"))
	}
	for _, name := range files {
		if strings.ContainsAny(name, "*?[\\\"\n%$") {
			return failure(ErrConfig, nil, "ssh cannot read %q: rename a folder so that the path contains none of *?[\\\"%%$", name)
		}
	}
	for _, name := range d.rules.names {
		text.WriteString(fmt.Sprintf("Include \"%s\"\n", name))
	}
	if d.cfg.Home != "" {
		text.WriteString(fmt.Sprintf("UserKnownHostsFile \"%[1]s/known_hosts\" \"%[1]s/known_hosts2\"\n", userDir(d.cfg)))
	}
	// After these files, because the first value wins: ssh's own defaults for settings that no file contains.
	text.WriteString("MACs -hmac-sha1*\n")
	r.tells, r.sizes = d.sshKnows("KnownHostsCommand=none"), d.sshKnows(fmt.Sprintf("RequiredRSASize=%d", leastRSA))
	if r.sizes {
		text.WriteString(fmt.Sprintf("RequiredRSASize %d\n", leastRSA))
	}
	dir, err := os.MkdirTemp("/tmp", fmt.Sprintf("rocec-ssh-%d-", os.Getpid()))
	if err == nil {
		err = errors.Join(
			os.WriteFile(filepath.Join(dir, roomConfig), []byte(text.String()), 0o600),
			os.WriteFile(filepath.Join(dir, roomHostKey), []byte(hostKeyScript), 0o600),
		)
	}
	if err != nil {
		return failure(ErrConfig, err, "no folder for the control sockets of ssh: %s", cause(err))
	}
	r.dir, r.typing = dir, make(chan struct{}, 1)
	return nil
}

// sshKnows reports whether the ssh program accepts an option with this value.
func (d *Dialer) sshKnows(option string) bool {
	ctx, cancel := context.WithTimeout(d.ctx, d.cfg.ConnectTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, d.cfg.OpenSSH, "-F", "none", "-G", "-o", option, "localhost")
	cmd.Env = d.environ()
	return cmd.Run() == nil
}

// next returns the path of a new socket, which is also the prefix of the other files of a login.
func (r *room) next(d *Dialer) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.open(d); err != nil {
		return "", err
	}
	r.made++
	return filepath.Join(r.dir, strconv.Itoa(r.made)), nil
}

func (r *room) remove() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dir == "" {
		return nil
	}
	return os.RemoveAll(r.dir)
}

// master is an ssh program that holds a connection, and serves it on a socket.
type master struct {
	socket string
	heard  *hearing // output of the program; nil: not started
}

// idle is the number of seconds after which a master without a client ends by itself, because this process has died.
const idle = 10

// openMaster makes ssh log in to l. With a pinned host key it may need several logins, for the same reason as open.
func (d *Dialer) openMaster(ctx context.Context, l *login) (*link, error) {
	if d.cfg.OpenSSH == "" {
		return nil, failure(ErrConfig, nil, "there is no ssh program to log in to %s with", l)
	}
	socket, err := d.room.next(d)
	if err != nil {
		return nil, err
	}
	if err := maySSH(ctx, d, l); err != nil {
		return nil, err
	}
	if d.cfg.Terminal != nil {
		select {
		case d.room.typing <- struct{}{}:
			defer func() { <-d.room.typing }()
		case <-ctx.Done():
			return nil, failure(ErrUnreachable, context.Cause(ctx), "logging in to %s was interrupted", l)
		}
	}
	m := &master{socket: socket}
	defer m.tidy()
	keys, err := m.hostKeys(ctx, d, l)
	if err != nil {
		return nil, err
	}
	for seen := 0; ; {
		args := keys
		if l.pin != "" {
			args = append(slices.Clip(keys), "-o", "HostKeyAlgorithms="+hostKeysBut(m.shown()))
		}
		text, err := d.runMaster(ctx, l, m, args)
		if err == nil {
			return d.attach(ctx, l, m)
		}
		m.heard.close()
		shown := m.shown()
		switch {
		case ctx.Err() != nil:
			return nil, failure(ErrUnreachable, context.Cause(ctx), "logging in to %s was interrupted", l)
		case errors.Is(err, ErrConfig):
			return nil, err
		case l.pin != "" && len(shown) > seen: // the server may have another key that is the pinned one
			if seen = len(shown); shown[seen-1].print != l.pin {
				continue
			}
		case l.pin != "" && len(shown) > 0 && strings.Contains(text, "no matching host key type"):
			var list []string
			for _, key := range shown {
				list = append(list, key.String())
			}
			return nil, notPinned(l, list)
		}
		return nil, toldBySSH(l, text, err)
	}
}

// runMaster runs ssh until it is logged in. The program continues in the background and serves the socket. The returned text is its
// output.
func (d *Dialer) runMaster(ctx context.Context, l *login, m *master, more []string) (text string, err error) {
	seconds := func(d time.Duration) string { return strconv.Itoa(max(1, int(math.Ceil(d.Seconds())))) }
	if d.cfg.Terminal == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.cfg.ConnectTimeout+d.cfg.HandshakeTimeout)
		defer cancel()
	}
	// With -v, because without it a master drops the output of a ProxyCommand and of the ssh of a jump host.
	args := []string{"-F", filepath.Join(filepath.Dir(m.socket), roomConfig), "-v", "-f", "-N", "-T"}
	for _, o := range []string{
		"ControlMaster=yes", "ControlPath=" + m.socket, "ControlPersist=" + strconv.Itoa(idle), "RemoteCommand=none",
		"ConnectTimeout=" + seconds(d.cfg.ConnectTimeout),
		"ServerAliveInterval=" + seconds(d.cfg.KeepAlive), "ServerAliveCountMax=" + strconv.Itoa(maxSilent),
	} {
		args = append(args, "-o", o)
	}
	args = append(args, wayTo(l)...)
	args = append(args, more...)
	cmd := exec.CommandContext(ctx, d.cfg.OpenSSH, append(args, "--", l.name)...)
	cmd.Env = d.environ()
	if d.cfg.Terminal == nil {
		ownSession(cmd)
	}
	heard, in, err := hear(d.cfg.Terminal)
	if err != nil {
		return "", failure(ErrConfig, err, "%s", cause(err))
	}
	m.heard = heard
	cmd.Stderr = in
	if err := cmd.Start(); err != nil {
		in.Close()
		heard.close()
		return "", failure(ErrConfig, err, "the ssh program %q, which is to log in to %s, cannot be started: %s", d.cfg.OpenSSH, l, cause(err))
	}
	err = cmd.Wait()
	text = heard.soFar(in)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return text, err
}

// wayTo returns the options of ssh that correspond to the ssh block of a device.
func wayTo(l *login) (args []string) {
	if l.openssh.User != "" {
		args = append(args, "-l", l.openssh.User)
	}
	if l.openssh.Port != 0 {
		args = append(args, "-p", strconv.Itoa(l.openssh.Port))
	}
	switch l.openssh.Jump {
	case "":
	case "none":
		args = append(args, "-o", "ProxyJump=none", "-o", "ProxyCommand=none")
	default:
		args = append(args, "-o", "ProxyJump="+strings.ReplaceAll(l.openssh.Jump, " ", ""))
	}
	return args
}

// environ returns the environment of the ssh program.
func (d *Dialer) environ() []string {
	env := slices.DeleteFunc(slices.Clone(d.cfg.Environ), func(v string) bool {
		return strings.HasPrefix(v, "LC_") || strings.HasPrefix(v, "LANG") // ssh would pass these variables to the device
	})
	if d.cfg.AgentSocket != "" {
		env = append(env, "SSH_AUTH_SOCK="+d.cfg.AgentSocket)
	}
	return env
}

// attach connects to a master.
func (d *Dialer) attach(ctx context.Context, l *login, m *master) (*link, error) {
	key, err := m.proved(d, l)
	if err != nil {
		m.stop()
		return nil, err
	}
	raw, err := new(net.Dialer).DialContext(ctx, "unix", m.socket)
	if err != nil {
		m.heard.close()
		return nil, failure(ErrUnreachable, err, "the ssh program that logged in to %s is gone: %s", l, cause(err))
	}
	stop := context.AfterFunc(ctx, func() { raw.Close() })
	conn, chans, reqs, err := ssh.NewControlClientConn(raw)
	if err != nil || !stop() {
		raw.Close()
		m.stop()
		return nil, failure(ErrUnreachable, err, "the ssh program that logged in to %s does not serve it: %v", l, err)
	}
	lk := &link{d: d, login: l, key: key, client: ssh.NewClient(conn, chans, reqs), raw: raw, master: m, dead: make(chan struct{})}
	return lk.start()
}

// stop ends a master and its connection at once. Without this command, the master would stay for a while.
func (m *master) stop() {
	defer m.heard.close()
	const hello, version, terminate = 1, 4, 0x10000005 // PROTOCOL.mux
	c, err := net.DialTimeout("unix", m.socket, time.Second)
	if err != nil {
		return // the program has ended
	}
	defer c.Close()
	if c.SetDeadline(time.Now().Add(2*time.Second)) != nil {
		return
	}
	var b []byte
	for _, word := range []uint32{8, hello, version, 8, terminate, 0} {
		b = binary.BigEndian.AppendUint32(b, word)
	}
	if _, err := c.Write(b); err == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(c, 1<<16)) // until the program has ended
	}
}

// tidy removes the files that only the login needed.
func (m *master) tidy() {
	for _, kind := range []string{".shown", ".revoked"} {
		_ = os.Remove(m.socket + kind) // the file may not exist
	}
}

// dropped reports whether a line of ssh only states that the other side closed the connection before the login. An overloaded server does
// so.
func dropped(line string) bool {
	return slices.ContainsFunc([]string{
		"kex_exchange_identification: ", "banner exchange: ", "Connection closed by ", "Connection reset by ", "Exceeded MaxStartups",
	}, func(start string) bool { return strings.HasPrefix(line, start) })
}

// toldBySSH returns the reason why ssh did not log in, from its output.
func toldBySSH(l *login, text string, err error) error {
	lines := spoken(text)
	text = strings.Join(lines, "\n")
	last := ""
	if len(lines) > 0 {
		last = lines[len(lines)-1]
	}
	has := func(some ...string) bool {
		return slices.ContainsFunc(some, func(s string) bool { return strings.Contains(text, s) })
	}
	all := said(strings.Join(lines[max(0, len(lines)-6):], " "))
	switch {
	case has("HOST IDENTIFICATION HAS CHANGED", "REVOKED", "revoked by", "Certificate invalid"):
		return failure(ErrHostKeyAlarm, nil, "the host key of %s is not the one on file, or it is revoked; rocec does not connect. "+
			"ssh says: %s", l, all)
	case has("Bad server host key: Invalid key length"):
		return failure(ErrHostKey, nil, "the host key of %s, or of a jump host on the way, is an RSA key of less than %d bits. Make a host key "+
			"of another type there with `ssh-keygen -A`, and take the RSA key out of known_hosts and host_key; `rocec help ssh` shows how to "+
			"reach a device that has no other. ssh says: %s", l, leastRSA, all)
	case has("host key is known for"):
		return failure(ErrHostKey, nil, "the host key of %s is not known; log in once with `%s`, compare the fingerprint with one "+
			"from a trusted source, and accept it there. ssh says: %s", l, l.command(), all)
	case has("Host key verification failed"):
		return failure(ErrHostKey, nil, "the host key of %s was not verified. ssh says: %s", l, all)
	case has("Permission denied", "Too many authentication failures", "authentication methods available"):
		return failure(ErrLogin, nil, "%s does not let ssh in: %s", l, said(last))
	case has("onfiguration option", "Bad owner or permissions", "ad Match condition", " line "):
		return failure(ErrConfig, nil, "ssh does not take its configuration for %s: %s", l, all)
	case has("Connection refused"):
		return failure(ErrUnreachable, syscall.ECONNREFUSED, "cannot reach %s: ssh says: %s", l, all)
	case len(lines) > 0 && !slices.ContainsFunc(lines, func(s string) bool { return !dropped(s) }):
		return failure(ErrUnreachable, io.EOF, "cannot reach %s: ssh says: %s", l, all)
	case errors.Is(err, context.DeadlineExceeded):
		return failure(ErrUnreachable, err, "cannot log in to %s: ssh did not log in within its time limit", l)
	case last == "":
		return failure(ErrUnreachable, err, "cannot log in to %s: ssh printed nothing (%v)", l, err)
	}
	return failure(ErrUnreachable, err, "cannot log in to %s: ssh says: %s", l, all)
}
