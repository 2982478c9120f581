package ssh

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"

	"github.com/rocec/rocec/targets/deploy/safefile"
	"github.com/rocec/rocec/targets/target"
)

// Voucher is the source that vouches for the host key of a device, if it is known before connecting.
type Voucher string

// The vouchers.
const (
	ByNothing    Voucher = ""            // neither known_hosts nor a pin, so the login will fail
	ByKnownHosts Voucher = "known_hosts" // files of this machine, which also contain the pin if there is one
	ByPin        Voucher = "host_key"    // only a fingerprint in the fabric
	BySSH        Voucher = "ssh"         // the ssh program has a configuration that rocec does not read
)

// Voucher returns the source that vouches for the host key of a device. Dial would fail with the same error.
func (d *Dialer) Voucher(dev *target.Device) (Voucher, error) {
	l, err := d.login(dev)
	if err != nil {
		return ByNothing, err
	}
	check, err := d.known.checker(l)
	if err != nil {
		return ByNothing, err
	}
	known := slices.ContainsFunc(check.known.lines, func(line knownLine) bool {
		return line.key != nil && (l.pin == "" || !line.authority && ssh.FingerprintSHA256(line.key) == l.pin)
	})
	switch {
	case known:
		return ByKnownHosts, nil
	case l.pin != "":
		return ByPin, nil
	case l.openssh != nil && (l.guessed || d.rules.mention("knownhostscommand")):
		return BySSH, nil
	}
	return ByNothing, nil
}

// Identity is the host key that a server shows, with the keys on file for the server.
type Identity struct {
	Server string // name and address: "leaf01 (192.0.2.1:22)"
	Shown  string // type and fingerprint of the shown key
	Pin    string // the fingerprint in its ssh block; empty: none
	OnFile []string
	Known  bool // the shown key is the pinned one, or on file

	print string // the fingerprint without the type
	name  string // name of the server, in the spelling of known_hosts
	line  string // for known_hosts
	file  string // the file to write: the user's own
	drop  []place
}

// Fingerprint returns the fingerprint of the shown key: "SHA256:…".
func (i *Identity) Fingerprint() string { return i.print }

// Identify asks a server for its host key, without a login and without trust in the key.
func (d *Dialer) Identify(ctx context.Context, dev *target.Device) (*Identity, error) {
	l, err := d.login(dev)
	if err != nil {
		return nil, err
	}
	check, err := d.known.checker(l)
	if err != nil {
		return nil, err
	}
	var via *jump
	if l.via != nil {
		if via, err = d.acquire(ctx, l.via); err != nil {
			return nil, throughJump(l, err)
		}
		defer d.release(via)
	}
	algorithms := slices.DeleteFunc(slices.Clone(offered().HostKeys), isCert)
	key, err := d.show(ctx, l, via, algorithms)
	if key != nil && short(key) != "" { // the server may have a stronger key of another type
		others := slices.DeleteFunc(algorithms, func(algo string) bool { return keyType(algo) == ssh.KeyAlgoRSA })
		if other, _ := d.show(ctx, l, via, others); other != nil {
			key = other
		}
	}
	if key == nil {
		return nil, err
	}
	if why := short(key); why != "" {
		return nil, tooShort(l, key, why)
	}
	if at, revoked := check.known.revokedAt(key); revoked {
		return nil, failure(ErrHostKeyAlarm, nil, "%s shows %s, which %v revokes", l, describe(key), at)
	}
	id := &Identity{
		Server: l.String(), Shown: describe(key), Pin: l.pin, print: ssh.FingerprintSHA256(key), name: xknownhosts.Normalize(l.lookup),
		Known: l.pin == ssh.FingerprintSHA256(key) || l.pin == "" && check.known.holds(key, false),
	}
	id.line = fmt.Sprintf("%s %s %s", id.name, key.Type(), base64.StdEncoding.EncodeToString(key.Marshal()))
	if len(l.known) > 0 {
		id.file = l.known[0]
	}
	for _, line := range check.known.lines {
		if line.authority || line.key == nil {
			continue
		}
		id.OnFile = append(id.OnFile, fmt.Sprintf("%s (%v)", describe(line.key), line.at))
		id.drop = append(id.drop, line.at)
	}
	return id, nil
}

// show asks a server for a host key by some algorithms; nil: the server has no such key.
func (d *Dialer) show(ctx context.Context, l *login, via *jump, algorithms []string) (key ssh.PublicKey, err error) {
	raw, err := d.reach(ctx, l, via)
	if err != nil {
		return nil, err
	}
	defer raw.Close()
	defer context.AfterFunc(ctx, func() { raw.Close() })()
	_, _, _, err = ssh.NewClientConn(raw, l.address(), &ssh.ClientConfig{
		User: l.user, HostKeyAlgorithms: algorithms, Timeout: d.cfg.HandshakeTimeout,
		Config:          ssh.Config{KeyExchanges: offered().KeyExchanges, Ciphers: offered().Ciphers, MACs: offered().MACs},
		HostKeyCallback: func(_ string, _ net.Addr, k ssh.PublicKey) error { key = k; return errSeen },
	})
	if key == nil {
		return nil, unreachable(l, err)
	}
	return key, nil
}

// errSeen ends a handshake that only had to get the host key.
var errSeen = errors.New("the host key was seen")

// Trust writes the shown key of a server into the user's known_hosts, in place of the keys on file for the server. It keeps the old file
// as a .old file, as ssh-keygen -R does. A key in a file of another user stays, and is an error.
func (i *Identity) Trust() error {
	for _, at := range i.drop {
		if at.name != i.file {
			return fmt.Errorf("the old key is in %v, which is not a file of this user: delete it there", at)
		}
	}
	old, err := os.ReadFile(i.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var text bytes.Buffer
	n := 0
	for line := range bytes.Lines(old) {
		n++
		if slices.ContainsFunc(i.drop, func(at place) bool { return at.line == n }) {
			if line, err = i.without(line); err != nil {
				return fmt.Errorf("%s:%d: %w", i.file, n, err)
			}
		}
		if line != nil {
			text.Write(bytes.TrimSuffix(line, []byte("\n")))
			text.WriteByte('\n')
		}
	}
	text.WriteString(i.line + "\n")
	if old != nil {
		if err := safefile.Replace(i.file+".old", old); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(i.file), 0o700); err != nil {
		return err
	}
	return safefile.Replace(i.file, text.Bytes())
}

// without returns a line of known_hosts with only its other hosts; nil: the line has no other hosts.
func (i *Identity) without(line []byte) ([]byte, error) {
	hosts, rest, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	others := slices.DeleteFunc(strings.Split(hosts, ","), func(name string) bool { return strings.EqualFold(name, i.name) })
	switch {
	case len(others) == 0, strings.HasPrefix(hosts, "|"): // a hash covers only one name
		return nil, nil
	case strings.Contains(","+strings.ToLower(hosts)+",", ","+strings.ToLower(i.name)+","):
		return []byte(strings.Join(others, ",") + " " + rest), nil
	}
	return nil, fmt.Errorf("this line has the old key for %s: change it by hand", hosts)
}

// String states the shown key, and the known or wanted one.
func (i *Identity) String() string {
	switch {
	case i.Known:
		return i.Server + " shows " + i.Shown + ", which is known"
	case i.Pin != "":
		return i.Server + " shows " + i.Shown + "; its ssh block asks for " + i.Pin
	case len(i.OnFile) == 0:
		return i.Server + " shows " + i.Shown + "; nothing is on file for it"
	}
	return i.Server + " shows " + i.Shown + "; on file is " + strings.Join(i.OnFile, ", ")
}
