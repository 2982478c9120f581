package ssh

import (
	"fmt"
	"slices"
	"strings"
)

// foreign is a setting of ssh_config that rocec does not obey itself. It would run a program, ask a name server, or log in by other means
// than keys. It is never ignored: if it applies to a host, either ssh carries the session or the host is refused.
type foreign struct {
	key  string
	name string   // as ssh_config(5) spells it
	fine []string // values that ask for nothing, in lower case
	ssh  bool     // ssh carries the session without being asked to: there is no other way to such a host
}

var foreigners = []foreign{
	{"proxycommand", "ProxyCommand", []string{"none"}, true},
	{"pkcs11provider", "PKCS11Provider", []string{"none"}, true},
	{"securitykeyprovider", "SecurityKeyProvider", []string{"none", "internal"}, true},
	{"gssapiauthentication", "GSSAPIAuthentication", []string{"no", "false"}, true},
	{"pubkeyauthentication", "PubkeyAuthentication", []string{"yes", "true", "unbound", "host-bound"}, true},
	{"preferredauthentications", "PreferredAuthentications", nil, true},
	{"knownhostscommand", "KnownHostsCommand", []string{"none"}, false},
	{"canonicalizehostname", "CanonicalizeHostname", []string{"no", "false"}, false},
	{"bindinterface", "BindInterface", nil, false},
}

// asks reports whether the setting wants something of the one who logs in.
func (f foreign) asks(d directive) bool {
	value := strings.ToLower(strings.TrimSpace(d.args[0]))
	switch f.key {
	case "preferredauthentications":
		return !slices.Contains(strings.Split(value, ","), "publickey")
	case "gssapiauthentication":
		// Distributions turn it on for everybody, Kerberos or not; a line of the person's own means it.
		if d.system {
			return false
		}
	}
	return !slices.Contains(f.fine, value)
}

// foreignError is a host that rocec itself cannot log in to as ssh_config asks.
type foreignError struct {
	at   place // of the line; the zero place: it is a key file
	what string
	name string // the host
	ssh  bool   // see foreign
}

func (e *foreignError) Error() string {
	text := fmt.Sprintf("%s for %q: rocec does not do this itself; %s", e.what, e.name, opensshInstead)
	if e.at == (place{}) {
		return text
	}
	return fmt.Sprintf("%v: %s", e.at, text)
}

// opensshInstead is the advice where rocec lacks a feature of ssh.
const opensshInstead = `set transport = "openssh" in its ssh block to let ssh carry the session`

// beyond returns a foreignError where a setting for l is not for rocec to obey.
func (d *Dialer) beyond(l *login, s *settings) error {
	for _, f := range foreigners {
		if set, ok := s.first[f.key]; ok && f.asks(set) {
			return &foreignError{set.at, f.name, l.name, f.ssh}
		}
	}
	for _, file := range l.keys {
		if k := d.keys.file(file.path); file.asked && k != nil && k.token {
			return &foreignError{place{}, "the key " + file.path + ", which is in a security key,", l.name, true}
		}
	}
	return nil
}
