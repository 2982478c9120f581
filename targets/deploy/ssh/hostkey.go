package ssh

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"

	"github.com/rocec/rocec/targets/target"
)

// checker returns the checker for the host key of l. A broken line for l in known_hosts is an error, because the line may have been meant
// to revoke the key.
func (k *knownFiles) checker(l *login) (*hostCheck, error) {
	known, err := k.find(l.known, l.revoked, l.lookup)
	if err != nil {
		return nil, failure(ErrConfig, err, "the host keys of %s on file cannot be read: %v; fix or delete that line", l, err)
	}
	return &hostCheck{login: l, known: known}, nil
}

// hostCheck checks the host key of a server, over one or more handshakes.
type hostCheck struct {
	login  *login
	known  *hostKeys
	shown  []ssh.PublicKey // with a pin: other keys than the pinned one, seen so far
	refuse error           // the result of the last handshake
	passed bool            // the server proved its identity
	proved ssh.PublicKey   // the key of the proof; for a certificate: the key inside it
}

// algorithms returns the host key algorithms to request, the best first. They are the algorithms of the keys on file, because the server
// might otherwise show another key than the known one. Certificates are requested only if an authority is on file.
func (h *hostCheck) algorithms() []string {
	good := offered().HostKeys
	var list []string
	add := func(algo string) {
		if slices.Contains(good, algo) && !slices.Contains(list, algo) &&
			!slices.ContainsFunc(h.shown, func(k ssh.PublicKey) bool { return keyType(algo) == k.Type() }) {
			list = append(list, algo)
		}
	}
	authority := slices.ContainsFunc(h.known.lines, func(l knownLine) bool { return l.authority })
	if authority && h.login.pin == "" {
		// The type of the authority's key is independent of the type of the key it signed.
		for _, algo := range good {
			if isCert(algo) {
				add(algo)
			}
		}
	}
	for _, line := range h.known.lines {
		if line.authority {
			continue
		}
		switch kind := line.key.Type(); kind {
		case ssh.KeyAlgoRSA:
			add(ssh.KeyAlgoRSASHA512)
			add(ssh.KeyAlgoRSASHA256)
		default:
			add(kind)
		}
	}
	for _, algo := range []string{ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521} {
		add(algo)
	}
	for _, algo := range good {
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

// begin forgets the result of the earlier handshake.
func (h *hostCheck) begin() { h.refuse, h.passed, h.proved = nil, false, nil }

// check is the ssh.HostKeyCallback.
func (h *hostCheck) check(_ string, remote net.Addr, key ssh.PublicKey) error {
	h.refuse = h.judge(remote, key)
	if h.passed = h.refuse == nil; h.passed && h.proved == nil { // only the first call, because keys are exchanged again later
		h.proved = plain(key)
	}
	return h.refuse
}

func (h *hostCheck) judge(remote net.Addr, key ssh.PublicKey) error {
	l := h.login
	if at, revoked := h.known.revokedAt(key); revoked {
		return failure(ErrHostKeyAlarm, nil, "the host key of %s, %s, is revoked by %v; rocec does not connect", l, describe(plain(key)), at)
	}
	if l.pin != "" && ssh.FingerprintSHA256(key) != l.pin {
		h.shown = append(h.shown, key)
		return errNotPinned
	}
	if why := short(key); why != "" {
		return tooShort(l, key, why)
	}
	if l.pin != "" {
		return nil
	}
	if cert, ok := key.(*ssh.Certificate); ok {
		authority := ssh.CertChecker{IsHostAuthority: func(by ssh.PublicKey, _ string) bool { return h.known.holds(by, true) }}
		if err := authority.CheckHostKey(l.lookup, remote, cert); err != nil {
			return failure(ErrHostKeyAlarm, err, "the host certificate of %s, for %s, is not valid: %s", l, describe(cert.Key), cause(err))
		}
		if cert.Signature.Format == ssh.KeyAlgoRSA {
			return failure(ErrHostKey, nil, "the host certificate of %s, for %s, is signed with SHA-1, which is not safe; sign it anew, "+
				"as ssh-keygen does since OpenSSH 8.2", l, describe(cert.Key))
		}
		return nil
	}
	if h.known.holds(key, false) {
		return nil
	}
	if len(h.known.lines) == 0 {
		return failure(ErrHostKey, nil, "the host key of %s is not known: it is %s. Compare this fingerprint with one from a "+
			"trusted source, such as `ssh-keygen -lf` on the device's console; then log in once with `%s` and accept it there, "+
			"or write host_key = %q into the device's ssh block", l, describe(key), l.command(), ssh.FingerprintSHA256(key))
	}
	return failure(ErrHostKeyAlarm, nil, "the host key of %s has changed: it is %s, but on file is %s. Either the device was "+
		"replaced or installed anew, or another machine answers in its place; rocec does not connect. If you know the reason, "+
		"delete the old key with `%s` and log in once with `%s`; for a device of the fabric, rocec apply --replace does that",
		l, describe(key), h.onFile(), target.ForgetKeyCommand(xknownhosts.Normalize(l.lookup)), l.command())
}

// tooShort refuses a short host key, whose private half others may have computed.
func tooShort(l *login, key ssh.PublicKey, why string) error {
	return shortKey(l, describe(plain(key)), why, isCert(key.Type()))
}

func shortKey(l *login, key, why string, cert bool) error {
	advice := "Make a host key of another type on the device with `ssh-keygen -A`, and take the RSA key out of known_hosts and host_key"
	if cert {
		advice = "Make a longer key in its place, and sign the host keys of the devices anew"
	}
	return failure(ErrHostKey, nil, "the host key of %s, %s, is %s. %s; `rocec help ssh` shows how to reach a device that has no other",
		l, key, why, advice)
}

// onFile describes the keys of known_hosts, each with its place.
func (h *hostCheck) onFile() string {
	var list []string
	for _, line := range h.known.lines {
		text := describe(line.key)
		if line.authority {
			text = "the certificate authority " + text
		}
		list = append(list, fmt.Sprintf("%s (%v)", text, line.at))
	}
	return strings.Join(list, ", ")
}

// errNotPinned is the error for another key than the pinned one. explain replaces it by a full text after all key types were tried.
var errNotPinned = errors.New("not the pinned host key")

// again reports whether the server may have the pinned key in addition to the shown key.
func (h *hostCheck) again(err error) bool {
	return errors.Is(err, errNotPinned) && len(h.algorithms()) > 0
}

// explain returns the error of the host key check if a handshake failed by it.
func (h *hostCheck) explain(err error) error {
	var none *ssh.AlgorithmNegotiationError
	exhausted := errors.As(err, &none) && none.What == "host key" && len(h.shown) > 0
	switch {
	case errors.Is(err, errNotPinned), exhausted:
		var shown []string
		for _, k := range h.shown {
			shown = append(shown, describe(k))
		}
		return notPinned(h.login, shown)
	case h.refuse != nil && errors.Is(err, ErrHostKey):
		return h.refuse
	}
	return err
}

// notPinned returns the error for a server without the pinned key.
func notPinned(l *login, shown []string) error {
	return failure(ErrHostKeyAlarm, errNotPinned, "the host key of %s is %s, but its ssh block asks for %s. Either the device was replaced "+
		"or installed anew, or another machine answers in its place; rocec does not connect", l, strings.Join(shown, " or "), l.pin)
}

// describe returns a public key in the notation of ssh.
func describe(k ssh.PublicKey) string { return k.Type() + " " + ssh.FingerprintSHA256(k) }

// validPin reports whether s is a fingerprint in the notation of ssh.
func validPin(s string) bool {
	sum, ok := strings.CutPrefix(s, "SHA256:")
	if !ok {
		return false
	}
	raw, err := base64.RawStdEncoding.DecodeString(sum)
	return err == nil && len(raw) == 32
}
