package ssh

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rocec/rocec/lang/destination"
	"github.com/rocec/rocec/targets/target"
)

// login is everything needed to log in to one server.
type login struct {
	name    string // the name that a person would type after `ssh`
	host    string // name or address of the server
	port    string
	user    string
	lookup  string    // host:port in the notation of known_hosts
	known   []string  // known_hosts files
	revoked []string  // files of RevokedHostKeys
	pin     string    // required fingerprint of the host key; empty: known_hosts decides
	keys    []keyFile // private keys
	certs   []keyFile // certificates of those keys, or of keys in the agent
	only    bool      // offer only those keys
	agent   string    // socket of the agent; empty: no agent
	family  string    // "4" or "6": connect only over that IP version; empty: over any
	from    net.Addr  // connect from this address; nil: from any
	via     *login    // nil: directly

	guessed bool          // ssh_config requires a feature that rocec lacks, so the settings above do not come from ssh_config
	openssh *target.Login // the ssh program carries the session, with the settings of the ssh block; nil: the native transport
}

// keyFile is a private key on disk, or the public half of a key in the agent.
type keyFile struct {
	path  string
	asked bool // a person or ssh_config named the file, so it is reported if missing
}

func (l *login) address() string { return net.JoinHostPort(l.host, l.port) }

// String returns the server with its name and address: "leaf01 (192.0.2.1:22)".
func (l *login) String() string {
	if l.name == l.host {
		return l.address()
	}
	return fmt.Sprintf("%s (%s)", l.name, l.address())
}

// jumpCount is the number of jump hosts on the way.
func (l *login) jumpCount() int {
	n := 0
	for v := l.via; v != nil; v = v.via {
		n++
	}
	return n
}

// route identifies logins: equal routes end at the same server as the same user, over the same jump hosts.
func (l *login) route() string {
	s := strconv.Quote(l.user) + "@" + l.address() + "?" + strconv.Quote(l.lookup)
	if l.via != nil {
		s = l.via.route() + ">" + s
	}
	return s
}

// turns returns the semaphores that a login needs: for its server, and for its jump host. The routes of the ssh program are not known, so
// all of its logins count as logins at one server.
func (l *login) turns() []turn {
	switch {
	case l.openssh != nil:
		return []turn{{server: "ssh"}}
	case l.via != nil:
		return []turn{{server: l.route()}, {server: l.via.route(), through: true}}
	}
	return []turn{{server: l.route()}}
}

// command returns the ssh command line for the same login.
func (l *login) command() string {
	jumps := ""
	for v := l.via; v != nil; v = v.via {
		jumps = "," + v.user + "@" + net.JoinHostPort(v.name, v.port) + jumps
	}
	return target.LoginCommand(l.user, l.name, l.port, strings.TrimPrefix(jumps, ","))
}

// login determines how to log in to a device.
func (d *Dialer) login(dev *target.Device) (*login, error) {
	name := dev.Login.Address
	if name == "" {
		name = dev.Name
	}
	if err := checkLogin(name, dev); err != nil {
		return nil, err
	}
	if pin := dev.Login.HostKey; pin != "" && !validPin(pin) {
		return nil, failure(ErrConfig, nil,
			"host_key = %q is not a fingerprint; it looks like SHA256: and 43 letters, as `ssh-keygen -lf KEY.pub` prints it", pin)
	}
	port := ""
	if dev.Login.Port != 0 {
		port = strconv.Itoa(dev.Login.Port)
	}
	l, err := d.resolve(name, dev.Login.User, port, dev.Login.Jump, nil)
	foreign, isForeign := errors.AsType[*foreignError](err)
	switch {
	case dev.Login.Transport == "openssh", isForeign && foreign.ssh && dev.Login.Transport == "" && d.cfg.OpenSSH != "":
		if l == nil { // ssh may understand settings that rocec does not
			l = d.unresolved(name, dev.Login.User, port)
		}
		l.guessed = isForeign && !foreign.ssh || err != nil && !isForeign
		l.via, l.openssh = nil, &dev.Login
	case err != nil:
		return nil, failure(ErrConfig, err, "%v", err)
	}
	l.pin = dev.Login.HostKey
	return l, nil
}

// checkLogin refuses a login with values that are invalid in an ssh block. A login may come from a file, such as the journal of a run,
// and its parts become arguments of the ssh program.
func checkLogin(name string, dev *target.Device) error {
	of := &dev.Login
	wrong := func(what, value, why string) error {
		return failure(ErrConfig, nil, "%s = %q of %s is not allowed: %s", what, said(value), said(dev.Name), why)
	}
	if why := destination.CheckHost(name); why != "" {
		return wrong("address", name, why)
	}
	if of.User != "" {
		if why := destination.CheckUser(of.User); why != "" {
			return wrong("user", of.User, why)
		}
	}
	if of.Jump != "" {
		if _, why := destination.Jump(of.Jump); why != "" {
			return wrong("jump", of.Jump, why)
		}
	}
	if of.Port < 0 || of.Port > 65535 {
		return wrong("port", strconv.Itoa(of.Port), "ports are from 1 to 65535")
	}
	if !slices.Contains([]string{"", "native", "openssh"}, of.Transport) {
		return wrong("transport", of.Transport, "there are native and openssh")
	}
	return nil
}

// unresolved returns a login with only the given values.
func (d *Dialer) unresolved(name, user, port string) *login {
	l := &login{name: name, host: name, port: cmp.Or(port, "22"), user: cmp.Or(user, d.cfg.User)}
	l.lookup = net.JoinHostPort(strings.ToLower(name), l.port)
	if d.cfg.Home != "" {
		l.known = []string{filepath.Join(userDir(d.cfg), "known_hosts"), filepath.Join(userDir(d.cfg), "known_hosts2")}
	}
	if d.cfg.System != "" {
		l.known = append(l.known, filepath.Join(d.cfg.System, "ssh_known_hosts"), filepath.Join(d.cfg.System, "ssh_known_hosts2"))
	}
	return l
}

// resolve determines how to log in to the server with the given name. user, port and jump are empty if they were not given. onTheWay
// contains the servers that use this server as a jump host.
func (d *Dialer) resolve(name, user, port, jump string, onTheWay []string) (*login, error) {
	here := name
	if user != "" {
		here = user + "@" + here
	}
	if port != "" {
		here = here + ":" + port
	}
	circle := slices.Contains(onTheWay, here)
	onTheWay = append(onTheWay, here)
	if circle {
		return nil, fmt.Errorf("the jump hosts go in a circle: %s; set ProxyJump none for %q in ~/.ssh/config, "+
			"or jump = \"none\" in its ssh block", strings.Join(onTheWay, " -> "), name)
	}
	if len(onTheWay) > destination.MaxHops+1 {
		return nil, fmt.Errorf("more than %d jump hosts in a row: %s", destination.MaxHops, strings.Join(onTheWay, " -> "))
	}
	var given []directive
	for _, g := range []struct{ key, value string }{{"user", user}, {"port", port}, {"proxyjump", jump}} {
		if g.value != "" {
			given = append(given, directive{key: g.key, args: []string{g.value}})
		}
	}
	if jump == "none" { // no jump host
		given = append(given, directive{key: "proxycommand", args: []string{jump}})
	}
	s, err := d.rules.find(name, d.cfg.User, given...)
	if err != nil {
		return nil, err
	}

	l := &login{name: name, host: s.host, port: "22", user: d.cfg.User}
	if p, at := s.get("port"); p != "" {
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 || n > 65535 {
			return nil, fmt.Errorf("%v: %q is not a port; ports are 1 to 65535", at, p)
		}
		l.port = strconv.Itoa(n)
	}
	if u, _ := s.get("user"); u != "" {
		l.user = u
	}
	if l.user == "" {
		return nil, fmt.Errorf("no login name is known for %s; set user in the ssh block", l)
	}
	if err := d.identify(l, s); err != nil {
		return nil, err
	}
	if err := d.beyond(l, s); err != nil {
		return l, err
	}
	if err := l.source(s); err != nil {
		return nil, err
	}
	return l, d.jumps(l, s, onTheWay)
}

// source sets the address family and the local address for l.
func (l *login) source(s *settings) error {
	switch family, at := s.get("addressfamily"); strings.ToLower(family) {
	case "", "any":
	case "inet":
		l.family = "4"
	case "inet6":
		l.family = "6"
	default:
		return fmt.Errorf("%v: %q is not an address family; there are any, inet and inet6", at, family)
	}
	if bind, at := s.get("bindaddress"); bind != "" {
		addr, err := netip.ParseAddr(bind)
		if err != nil {
			return fmt.Errorf("%v: BindAddress for %q: %q is not an IP address; write one, or %s", at, l.name, bind, opensshInstead)
		}
		l.from = net.TCPAddrFromAddrPort(netip.AddrPortFrom(addr, 0))
	}
	return nil
}

// identify sets the proofs of identity: host keys, and the keys of the user.
func (d *Dialer) identify(l *login, s *settings) error {
	tokens := map[byte]string{
		'd': d.cfg.Home, 'u': d.cfg.User, 'r': l.user, 'n': l.name, 'h': l.host, 'p': l.port, 'k': l.name,
	}
	l.lookup = net.JoinHostPort(strings.ToLower(l.host), l.port)
	if alias, _ := s.get("hostkeyalias"); alias != "" {
		alias = strings.ToLower(alias)
		l.lookup, tokens['k'] = net.JoinHostPort(alias, "22"), alias
	}
	path := func(set directive, arg string) (string, error) {
		arg, err := expandArg(set, arg, tokens)
		if err != nil {
			return "", err
		}
		if arg, err = tilde(arg, d.cfg.Home); err != nil {
			return "", fmt.Errorf("%v: %w", set.at, err)
		}
		return arg, nil
	}

	for _, k := range []struct{ key, dir, name string }{
		{"userknownhostsfile", userDir(d.cfg), "known_hosts"},
		{"globalknownhostsfile", d.cfg.System, "ssh_known_hosts"},
	} {
		set, ok := s.first[k.key]
		if !ok && filepath.IsAbs(k.dir) {
			l.known = append(l.known, filepath.Join(k.dir, k.name), filepath.Join(k.dir, k.name+"2"))
		}
		for _, arg := range set.args {
			name, err := path(set, arg)
			if err != nil {
				return err
			}
			if !strings.EqualFold(name, "none") {
				l.known = append(l.known, name)
			}
		}
	}

	files := func(key string) (list []keyFile, err error) {
		for _, set := range s.all[key] {
			if strings.EqualFold(set.args[0], "none") {
				continue
			}
			name, err := path(set, set.args[0])
			if err != nil {
				return nil, err
			}
			list = append(list, keyFile{name, true})
		}
		return list, nil
	}
	var err error
	if l.keys, err = files("identityfile"); err != nil {
		return err
	}
	if l.certs, err = files("certificatefile"); err != nil {
		return err
	}
	if len(s.all["identityfile"]) == 0 && d.cfg.Home != "" {
		for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa", "id_ed25519_sk", "id_ecdsa_sk"} {
			l.keys = append(l.keys, keyFile{filepath.Join(userDir(d.cfg), name), false})
		}
	}
	if l.only, err = s.flag("identitiesonly"); err != nil {
		return err
	}
	if set, ok := s.first["revokedhostkeys"]; ok && !strings.EqualFold(set.args[0], "none") {
		name, err := path(set, set.args[0])
		if err != nil {
			return err
		}
		l.revoked = []string{name}
	}

	l.agent = d.cfg.AgentSocket
	switch agent, at := s.get("identityagent"); {
	case agent == "" || agent == "SSH_AUTH_SOCK" || agent == "$SSH_AUTH_SOCK":
	case strings.EqualFold(agent, "none"):
		l.agent = ""
	case agent[0] == '$':
		return fmt.Errorf("%v: rocec does not read environment variables in ssh_config (%q); write the agent's path", at, agent)
	default:
		var err error
		l.agent, err = path(s.first["identityagent"], agent)
		return err
	}
	return nil
}

// jumps sets the jump hosts of l: `a,b` means first a, then b. Each jump host except the first is reached over the one before it. The
// first jump host may have its own jump hosts.
func (d *Dialer) jumps(l *login, s *settings, onTheWay []string) error {
	jump, at := s.get("proxyjump")
	if jump == "" || strings.EqualFold(jump, "none") {
		return nil
	}
	list, hop := "", jump
	if i := strings.LastIndexByte(jump, ','); i >= 0 {
		list, hop = jump[:i], jump[i+1:]
	}
	user, host, port, err := splitHop(strings.TrimSpace(hop))
	if err != nil {
		if at != (place{}) {
			err = fmt.Errorf("%v: %w", at, err)
		}
		return err
	}
	l.via, err = d.resolve(host, user, port, list, onTheWay)
	return err
}

// splitHop parses one jump host of ssh_config: [ssh://][user@]host[:port]. host may be any name that ssh accepts, such as a name of a
// Host line.
func splitHop(s string) (user, host, port string, err error) {
	hop, why := destination.Split(strings.TrimSuffix(strings.TrimPrefix(s, "ssh://"), "/"))
	odd := func(part string) bool {
		return strings.HasPrefix(part, "-") || strings.ContainsAny(part, " \t@'\"`$\\;&<>|(){}") || strings.ContainsFunc(part, unicode.IsControl)
	}
	if why != "" || odd(hop.Host) || odd(strings.ReplaceAll(hop.User, "@", "")) { // a user name with a domain contains an @
		return "", "", "", fmt.Errorf("%q is not a jump host; write host, user@host or user@host:port", s)
	}
	return hop.User, hop.Host, hop.Port, nil
}
