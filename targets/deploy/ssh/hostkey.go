package ssh

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"
)

// knownFiles are the known_hosts files read so far; every list of files is read once.
type knownFiles struct {
	mu    sync.Mutex
	lists map[string]*knownList
}

type knownList struct {
	once sync.Once
	db   *knownhosts.HostKeyDB
	err  error
}

func newKnownFiles() *knownFiles { return &knownFiles{lists: make(map[string]*knownList)} }

// read returns what the files hold; those that do not exist hold nothing.
func (k *knownFiles) read(names []string) (*knownhosts.HostKeyDB, error) {
	key := strings.Join(names, "\x00")
	k.mu.Lock()
	list := k.lists[key]
	if list == nil {
		list = new(knownList)
		k.lists[key] = list
	}
	k.mu.Unlock()
	list.once.Do(func() {
		var there []string
		for _, name := range names {
			if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
				there = append(there, name)
			}
		}
		list.db, list.err = knownhosts.NewDB(there...)
	})
	return list.db, list.err
}

// checker returns the judge of the host key of l.
func (k *knownFiles) checker(l *login) (*hostCheck, error) {
	db, err := k.read(l.known)
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "knownhosts: ")
		return nil, failure(ErrConfig, err, "the host keys on file cannot be read: %s; mend or delete that line", text)
	}
	return &hostCheck{login: l, db: db, known: db.HostKeys(l.lookup)}, nil
}

// hostCheck judges the host key a server shows, over as many handshakes as it takes.
type hostCheck struct {
	login  *login
	db     *knownhosts.HostKeyDB
	known  []knownhosts.PublicKey // on file for this server
	shown  []ssh.PublicKey        // with a pin: keys seen so far that are not the pinned one
	refuse error                  // the verdict of the last handshake
	passed bool                   // the server proved who it is
}

// algorithms returns the host key algorithms to ask for, the best first: those of the keys on file, or the server
// would show another key than the one we know. Certificates are asked for only where an authority is on file.
func (h *hostCheck) algorithms() []string {
	var list []string
	add := func(algo string) {
		if slices.Contains(ssh.SupportedAlgorithms().HostKeys, algo) && !slices.Contains(list, algo) &&
			!slices.ContainsFunc(h.shown, func(k ssh.PublicKey) bool { return keyType(algo) == k.Type() }) {
			list = append(list, algo)
		}
	}
	authority := slices.ContainsFunc(h.known, func(k knownhosts.PublicKey) bool { return k.Cert })
	if authority && h.login.pin == "" {
		// The type of the authority's key says nothing about the type of the key it signed.
		for _, algo := range ssh.SupportedAlgorithms().HostKeys {
			if isCert(algo) {
				add(algo)
			}
		}
	}
	for _, algo := range h.db.HostKeyAlgorithms(h.login.lookup) {
		if !isCert(algo) {
			add(algo)
		}
	}
	for _, algo := range []string{ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521} {
		add(algo)
	}
	for _, algo := range ssh.SupportedAlgorithms().HostKeys {
		if !isCert(algo) {
			add(algo)
		}
	}
	return list
}

func isCert(algo string) bool { return strings.Contains(algo, "-cert-v01@") }

// keyType returns the type of the keys that an algorithm uses.
func keyType(algo string) string {
	if algo == ssh.KeyAlgoRSASHA256 || algo == ssh.KeyAlgoRSASHA512 {
		return ssh.KeyAlgoRSA
	}
	return algo
}

// begin forgets the verdict of the handshake before.
func (h *hostCheck) begin() { h.refuse, h.passed = nil, false }

// check is the ssh.HostKeyCallback.
func (h *hostCheck) check(_ string, remote net.Addr, key ssh.PublicKey) error {
	h.refuse = h.judge(remote, key)
	h.passed = h.refuse == nil
	return h.refuse
}

func (h *hostCheck) judge(remote net.Addr, key ssh.PublicKey) error {
	l := h.login
	err := h.db.HostKeyCallback()(l.lookup, remote, key)
	var revoked *xknownhosts.RevokedError
	if errors.As(err, &revoked) {
		return failure(ErrHostKey, err, "the host key of %s, %s, is revoked by %s:%d; rocec does not connect",
			l, describe(key), revoked.Revoked.Filename, revoked.Revoked.Line)
	}
	if l.pin != "" {
		if ssh.FingerprintSHA256(key) == l.pin {
			return nil
		}
		h.shown = append(h.shown, key)
		return errNotPinned
	}
	if err == nil {
		return nil
	}
	if cert, ok := key.(*ssh.Certificate); ok {
		return failure(ErrHostKey, err, "the host certificate of %s, for %s, is not valid: %v", l, describe(cert.Key), err)
	}
	var mismatch *xknownhosts.KeyError
	if !errors.As(err, &mismatch) {
		return failure(ErrHostKey, err, "the host key of %s cannot be checked: %v", l, err)
	}
	if len(mismatch.Want) == 0 {
		return failure(ErrHostKey, err, "the host key of %s is not known: it is %s. Compare this fingerprint with one from a "+
			"trusted source, such as `ssh-keygen -lf` on the device's console; then log in once with `%s` and accept it there, "+
			"or write host_key = %q into the device's ssh block", l, describe(key), l.command(), ssh.FingerprintSHA256(key))
	}
	return failure(ErrHostKey, err, "the host key of %s has changed: it is %s, but on file is %s. Either the device was "+
		"replaced or installed anew, or another machine answers in its place; rocec does not connect. If you know the reason, "+
		"delete the old key with `ssh-keygen -R '%s'` and log in once with `%s`",
		l, describe(key), h.onFile(mismatch.Want), knownhosts.Normalize(l.lookup), l.command())
}

// onFile describes keys of known_hosts, each with its place.
func (h *hostCheck) onFile(keys []xknownhosts.KnownKey) string {
	var list []string
	for _, k := range keys {
		text := describe(k.Key)
		for _, known := range h.known {
			if known.Cert && ssh.FingerprintSHA256(known) == ssh.FingerprintSHA256(k.Key) {
				text = "the certificate authority " + text
			}
		}
		list = append(list, fmt.Sprintf("%s (%s:%d)", text, k.Filename, k.Line))
	}
	return strings.Join(list, ", ")
}

// errNotPinned refuses a key that is not the pinned one; explain turns it into words once all types were seen.
var errNotPinned = errors.New("not the pinned host key")

// again tells whether the server may have another key that is the pinned one.
func (h *hostCheck) again(err error) bool {
	return errors.Is(err, errNotPinned) && len(h.algorithms()) > 0
}

// explain returns the verdict in words where a handshake failed by it.
func (h *hostCheck) explain(err error) error {
	var none *ssh.AlgorithmNegotiationError
	exhausted := errors.As(err, &none) && none.What == "host key" && len(h.shown) > 0
	switch {
	case errors.Is(err, errNotPinned), exhausted:
		var shown []string
		for _, k := range h.shown {
			shown = append(shown, describe(k))
		}
		return failure(ErrHostKey, errNotPinned, "the host key of %s is %s, but its ssh block asks for %s. Either the device was replaced "+
			"or installed anew, or another machine answers in its place; rocec does not connect",
			h.login, strings.Join(shown, " or "), h.login.pin)
	case h.refuse != nil && errors.Is(err, ErrHostKey):
		return h.refuse
	}
	return err
}

// describe names a public key the way ssh does.
func describe(k ssh.PublicKey) string { return k.Type() + " " + ssh.FingerprintSHA256(k) }

// validPin tells whether s is a fingerprint as ssh prints it.
func validPin(s string) bool {
	sum, ok := strings.CutPrefix(s, "SHA256:")
	if !ok {
		return false
	}
	raw, err := base64.RawStdEncoding.DecodeString(sum)
	return err == nil && len(raw) == 32
}
