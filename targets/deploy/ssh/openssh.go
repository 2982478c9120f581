package ssh

import (
	"bytes"
	"context"
	"encoding/base64"
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

// The transport "openssh": the ssh program of the machine logs in, by whatever means its configuration names, and stays as
// the master of a control socket. Over that socket we speak the protocol of SSH itself (proxy mode, PROTOCOL.mux), so that a
// connection behaves like one of our own from there on.

// room is the folder of the control sockets, made when the first is needed: open to nobody else, and with a path short enough
// for the address of a socket.
type room struct {
	mu     sync.Mutex
	dir    string
	made   int           // sockets so far
	typing chan struct{} // holds a token while a person may be asked
}

// Files of a room.
const (
	roomConfig  = "config"
	roomHostKey = "hostkey"
)

// hostKeyScript is the KnownHostsCommand of a device with a pin: it is called with the key a server shows, writes down what it
// saw, and prints the key as a known one if its fingerprint is the pinned one.
const hostKeyScript = `# $1: what is asked, $2: type of the key, $3: the key, $4: pinned fingerprint, $5: file of what was seen
[ "$1" = HOSTNAME ] || exit 0
print=$(printf '%s %s\n' "$2" "$3" | ssh-keygen -lf -) || exit 0
print=${print#* }
print=${print%% *}
printf '%s %s\n' "$2" "$print" >>"$5"
[ "$print" != "$4" ] || printf '* %s %s\n' "$2" "$3"
`

// open makes the folder, with a configuration file that ssh reads before those of the person: what must hold for the device and
// for every jump host on the way, whatever these say.
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
		"StrictHostKeyChecking yes", "NoHostAuthenticationForLocalhost no", "UpdateHostKeys no",
		"PermitLocalCommand no", "ClearAllForwardings yes",
	} {
		text.WriteString(set + "\n")
	}
	if d.cfg.Terminal == nil {
		text.WriteString("BatchMode yes\n")
	}
	files := d.rules.names
	if home := d.cfg.Home; home != "" { // $HOME, where ssh takes the home directory of the user's account
		files = append(slices.Clip(files), filepath.Join(userDir(d.cfg), "known_hosts"))
	}
	for _, name := range files {
		if strings.ContainsAny(name, "*?[\\\"\n%$") {
			return failure(ErrConfig, nil, "ssh cannot be told to read %q: rename a folder so that the path holds none of *?[\\\"%%$", name)
		}
	}
	for _, name := range d.rules.names {
		text.WriteString(fmt.Sprintf("Include \"%s\"\n", name))
	}
	if d.cfg.Home != "" {
		text.WriteString(fmt.Sprintf("UserKnownHostsFile \"%[1]s/known_hosts\" \"%[1]s/known_hosts2\"\n", userDir(d.cfg)))
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

// next returns the path of a new socket; what else belongs to a login has it as its beginning.
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
type master struct{ socket string }

// idle is after how many seconds without us a master ends by itself: when this process died.
const idle = 10

// openMaster has ssh log in to l. With a pinned host key it may take several logins, for the same reason as open.
func (d *Dialer) openMaster(ctx context.Context, l *login) (*link, error) {
	if d.cfg.OpenSSH == "" {
		return nil, failure(ErrConfig, nil, "there is no ssh program to log in to %s with", l)
	}
	socket, err := d.room.next(d)
	if err != nil {
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
	var pin []string
	if l.pin != "" {
		if pin, err = m.pin(d, l); err != nil {
			return nil, err
		}
	}
	for seen := 0; ; {
		args := pin
		shown := m.shown()
		if l.pin != "" {
			args = append(slices.Clip(pin), "-o", "HostKeyAlgorithms="+hostKeysBut(shown))
		}
		text, err := d.runMaster(ctx, l, m, args)
		if err == nil {
			return d.attach(ctx, l, m)
		}
		shown = m.shown()
		switch {
		case ctx.Err() != nil:
			return nil, failure(ErrUnreachable, context.Cause(ctx), "logging in to %s was interrupted", l)
		case errors.Is(err, ErrConfig):
			return nil, err
		case len(shown) > seen: // the server may have another key that is the pinned one
			if seen = len(shown); !strings.HasSuffix(shown[seen-1], " "+l.pin) {
				continue
			}
		case len(shown) > 0 && strings.Contains(text, "no matching host key type"):
			return nil, notPinned(l, shown)
		}
		return nil, toldBySSH(l, text, err)
	}
}

// runMaster runs ssh until it is logged in; it goes on in the background, served on the socket. The text is what it said.
func (d *Dialer) runMaster(ctx context.Context, l *login, m *master, more []string) (text string, err error) {
	seconds := func(d time.Duration) string { return strconv.Itoa(max(1, int(math.Ceil(d.Seconds())))) }
	if d.cfg.Terminal == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.cfg.ConnectTimeout+d.cfg.HandshakeTimeout)
		defer cancel()
	}
	// With -v, for without it a master throws away what a ProxyCommand, or the ssh of a jump host, says.
	args := []string{"-F", filepath.Join(filepath.Dir(m.socket), roomConfig), "-v", "-f", "-N", "-T"}
	for _, o := range []string{
		"ControlMaster=yes", "ControlPath=" + m.socket, "ControlPersist=" + strconv.Itoa(idle), "RemoteCommand=none",
		"ConnectTimeout=" + seconds(d.cfg.ConnectTimeout),
		"ServerAliveInterval=" + seconds(d.cfg.KeepAlive), "ServerAliveCountMax=" + strconv.Itoa(maxSilent),
	} {
		args = append(args, "-o", o)
	}
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
	args = append(args, more...)
	cmd := exec.CommandContext(ctx, d.cfg.OpenSSH, append(args, "--", l.name)...)
	cmd.Env = slices.DeleteFunc(slices.Clone(d.cfg.Environ), func(v string) bool {
		return strings.HasPrefix(v, "LC_") || strings.HasPrefix(v, "LANG") // ssh would hand them on to the device
	})
	if d.cfg.AgentSocket != "" {
		cmd.Env = append(cmd.Env, "SSH_AUTH_SOCK="+d.cfg.AgentSocket)
	}
	if d.cfg.Terminal == nil {
		ownSession(cmd)
	}
	// A file, and no pipe: a ProxyCommand keeps it open as long as the connection lasts.
	out, err := os.OpenFile(m.socket+".said", os.O_CREATE|os.O_TRUNC|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return "", err
	}
	defer out.Close()
	cmd.Stderr = out
	if err := cmd.Start(); err != nil {
		return "", failure(ErrConfig, err, "the ssh program %q, which is to log in to %s, cannot be started: %s", d.cfg.OpenSSH, l, cause(err))
	}
	done := make(chan struct{})
	var told sync.WaitGroup
	if d.cfg.Terminal != nil {
		told.Go(func() { follow(d.cfg.Terminal, m.socket+".said", done) })
	}
	err = cmd.Wait()
	close(done)
	told.Wait()
	tail, _ := readTail(out) // what cannot be read was not said
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return tail, err
}

// follow copies what is written to a file until done is closed.
func follow(to io.Writer, name string, done <-chan struct{}) {
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	text := ""
	for last := false; !last; {
		select {
		case <-done:
			last = true
		case <-tick.C:
		}
		more, _ := io.ReadAll(f)
		text += string(more)
		end := strings.LastIndexByte(text, '\n') + 1
		for _, line := range spoken(text[:end]) {
			fmt.Fprintln(to, said(line))
		}
		text = text[end:]
	}
}

// verbose is how the lines begin that ssh writes only with -v.
var verbose = []string{
	"debug", "OpenSSH_", "Authenticated to ", "Authenticated using ", "Killed by signal ", "Transferred: ", "Bytes per second: ",
}

// spoken returns the lines of ssh that are for people.
func spoken(text string) (lines []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.Trim(line, "@") != "" && !slices.ContainsFunc(verbose, func(start string) bool { return strings.HasPrefix(line, start) }) {
			lines = append(lines, line)
		}
	}
	return lines
}

// readTail returns the end of a file.
func readTail(f *os.File) (string, error) {
	const most = 64 << 10
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	text := make([]byte, min(info.Size(), most))
	_, err = f.ReadAt(text, info.Size()-int64(len(text)))
	return string(text), err
}

// attach connects to a master.
func (d *Dialer) attach(ctx context.Context, l *login, m *master) (*link, error) {
	raw, err := new(net.Dialer).DialContext(ctx, "unix", m.socket)
	if err != nil {
		return nil, failure(ErrUnreachable, err, "the ssh program that logged in to %s is gone: %s", l, cause(err))
	}
	stop := context.AfterFunc(ctx, func() { raw.Close() })
	conn, chans, reqs, err := ssh.NewControlClientConn(raw)
	if err != nil || !stop() {
		raw.Close()
		m.stop()
		return nil, failure(ErrUnreachable, err, "the ssh program that logged in to %s does not serve it: %v", l, err)
	}
	lk := &link{d: d, login: l, client: ssh.NewClient(conn, chans, reqs), raw: raw, master: m, dead: make(chan struct{})}
	return lk.start()
}

// stop ends a master at once, with its connection; without a word it would stay for a while.
func (m *master) stop() {
	const hello, version, terminate = 1, 4, 0x10000005 // PROTOCOL.mux
	c, err := net.DialTimeout("unix", m.socket, time.Second)
	if err != nil {
		return // it is gone
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
		_, _ = io.Copy(io.Discard, io.LimitReader(c, 1<<16)) // until it is gone
	}
}

// tidy removes what only the login needed.
func (m *master) tidy() {
	for _, kind := range []string{".said", ".shown", ".revoked"} {
		_ = os.Remove(m.socket + kind) // it may not be there
	}
}

// pin makes the options by which ssh takes one host key alone: not those of known_hosts, but for the revoked ones there.
func (m *master) pin(d *Dialer, l *login) ([]string, error) {
	check, err := d.known.checker(l)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	for _, list := range check.known.revoked {
		for wire := range list {
			if key, err := ssh.ParsePublicKey([]byte(wire)); err == nil {
				fmt.Fprintf(&text, "%s * %s %s\n", markRevoked, key.Type(), base64.StdEncoding.EncodeToString([]byte(wire)))
			}
		}
	}
	if err := os.WriteFile(m.socket+".revoked", text.Bytes(), 0o600); err != nil {
		return nil, failure(ErrConfig, err, "%v", err)
	}
	script := filepath.Join(filepath.Dir(m.socket), roomHostKey)
	return []string{
		"-o", "KnownHostsCommand=/bin/sh " + script + " %I %t %K " + l.pin + " " + m.socket + ".shown",
		"-o", "UserKnownHostsFile=" + m.socket + ".revoked", "-o", "GlobalKnownHostsFile=none", "-o", "VerifyHostKeyDNS=no",
	}, nil
}

// shown returns the host keys the server showed so far, as describe names them.
func (m *master) shown() []string {
	text, _ := os.ReadFile(m.socket + ".shown") // none, before the first
	return strings.Split(strings.TrimRight(string(text), "\n"), "\n")[:bytes.Count(text, []byte("\n"))]
}

// hostKeysBut asks for host keys without certificates, of other types than those shown.
func hostKeysBut(shown []string) string {
	var list strings.Builder
	list.WriteString("-*-cert-v0*")
	for _, s := range shown {
		kind, _, _ := strings.Cut(s, " ")
		if kind == ssh.KeyAlgoRSA {
			kind += ",rsa-sha2-*"
		}
		list.WriteString("," + kind)
	}
	return list.String()
}

// dropped reports whether a line of ssh says no more than that the other side closed the connection before a login, as one does
// that is overloaded.
func dropped(line string) bool {
	return slices.ContainsFunc([]string{
		"kex_exchange_identification: ", "banner exchange: ", "Connection closed by ", "Connection reset by ", "Exceeded MaxStartups",
	}, func(start string) bool { return strings.HasPrefix(line, start) })
}

// toldBySSH is why ssh did not log in, from what it said.
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
		return failure(ErrUnreachable, err, "cannot log in to %s: ssh was not in within the time for it", l)
	case last == "":
		return failure(ErrUnreachable, err, "cannot log in to %s: ssh says nothing (%v)", l, err)
	}
	return failure(ErrUnreachable, err, "cannot log in to %s: ssh says: %s", l, all)
}
