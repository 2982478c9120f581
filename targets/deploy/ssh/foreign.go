package ssh

import (
	"fmt"
	"slices"
	"strings"
)

// foreign is a setting of ssh_config that rocec does not implement. It would run a program, ask a name server, or log in without keys.
// rocec never ignores it: if it applies to a host, either the ssh program carries the session or rocec refuses the host.
type foreign struct {
	key  string
	name string   // in the spelling of ssh_config(5)
	fine []string // values without an effect, in lower case
	ssh  bool     // the ssh program carries the session even without transport = "openssh", because only ssh can reach such a host
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

// asks reports whether the setting has an effect on the login.
func (f foreign) asks(d directive) bool {
	value := strings.ToLower(strings.TrimSpace(d.args[0]))
	switch f.key {
	case "preferredauthentications":
		return !slices.Contains(strings.Split(value, ","), "publickey")
	case "gssapiauthentication":
		// Distributions set this for all users, with or without Kerberos. Only a line in the person's own file is intended.
		if d.system {
			return false
		}
	}
	return !slices.Contains(f.fine, value)
}

// foreignError is the error for a host to which rocec itself cannot log in in the way of ssh_config.
type foreignError struct {
	at   place // place of the line; the zero place: a key file
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

// opensshInstead is the advice for a feature of ssh that rocec lacks.
const opensshInstead = `set transport = "openssh" in its ssh block to let ssh carry the session`

// beyond returns a foreignError if rocec does not implement a setting for l.
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
