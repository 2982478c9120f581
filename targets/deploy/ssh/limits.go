package ssh

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/crypto/ssh"

	"github.com/rocec/rocec/lang/destination"
)

// limits are the limits of a site: Config.Permit and Config.AgentOnly.
type limits struct{ cfg *Config }

// refuse returns why a server is not connected to.
func refuse(l *login, format string, args ...any) error {
	return failure(ErrForbidden, nil, "rocec does not log in to %s: %s", l, fmt.Sprintf(format, args...))
}

// control judges the address of a connection before it is made. It is nil without a limit.
func (of limits) control(l *login) func(context.Context, string, string, syscall.RawConn) error {
	if of.cfg.Permit == nil {
		return nil
	}
	return func(_ context.Context, _, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return refuse(l, "%q is no address", address)
		}
		return of.permit(l, at.Addr())
	}
}

func (of limits) permit(l *login, addr netip.Addr) error {
	if err := of.cfg.Permit(addr.WithZone("").Unmap()); err != nil {
		return refuse(l, "%v", err)
	}
	return nil
}

// permitLiteral judges a server whose name another machine resolves: it needs an IP address.
func (of limits) permitLiteral(l *login, host string) error {
	if of.cfg.Permit == nil {
		return nil
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return refuse(l, "the policy limits addresses, and the address of the name %q is known behind the jump host alone. Write the IP "+
			"address as address in the ssh block, or as HostName in ~/.ssh/config", host)
	}
	return of.permit(l, addr)
}

// publicHalf reads the public half of a key, and does not open the private one. It returns nil where neither is there.
func publicHalf(path, why string) *key {
	name := path
	if filepath.Ext(path) != ".pub" {
		name += ".pub"
	}
	k := &key{path: path, pub: readPublic(name), useful: why}
	if _, err := os.Lstat(path); k.pub == nil && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if k.pub == nil {
		return k
	}
	k.token = ofToken(k.pub)
	k.useful = "the agent does not hold it, and " + why
	return k
}

// ofToken reports whether the private half of a key is in a security key.
func ofToken(pub ssh.PublicKey) bool { return strings.HasPrefix(plain(pub).Type(), "sk-") }

// maySSH judges the way that the ssh program would take to a device, and the keys that it would read. The program resolves names a second
// time: a name is permitted if all of its addresses are.
func maySSH(ctx context.Context, d *Dialer, l *login) error {
	if d.cfg.Permit == nil && d.cfg.AgentOnly == "" {
		return nil
	}
	return judgeSSH(ctx, d, l, wayTo(l), l.name, 0)
}

// judgeSSH judges one server on the way, and the jump hosts before it. Like ssh it takes the last of a list, which it reaches through the
// others.
func judgeSSH(ctx context.Context, d *Dialer, l *login, args []string, name string, hops int) error {
	if hops > destination.MaxHops {
		return refuse(l, "ssh would take more than %d jump hosts", destination.MaxHops)
	}
	of := limits{&d.cfg}
	set, err := askSSH(ctx, d, l, args, name)
	if err != nil {
		return err
	}
	if err := of.judgeKeys(l, set, name); err != nil {
		return err
	}
	jump := set.one("proxyjump")
	if jump != "" {
		list, hop := "", jump
		if i := strings.LastIndexByte(jump, ','); i >= 0 {
			list, hop = jump[:i], jump[i+1:]
		}
		user, host, port, err := splitHop(strings.TrimSpace(hop))
		if err != nil {
			return refuse(l, "%v", err)
		}
		var way []string
		if user != "" {
			way = append(way, "-l", user)
		}
		if port != "" {
			way = append(way, "-p", port)
		}
		if list != "" {
			way = append(way, "-o", "ProxyJump="+list)
		}
		if err := judgeSSH(ctx, d, l, way, host, hops+1); err != nil {
			return err
		}
	}
	host := set.one("hostname")
	switch {
	case of.cfg.Permit == nil:
		return nil
	case set.one("proxycommand") != "":
		return refuse(l, "the policy limits addresses, and rocec does not see where the ProxyCommand of %q in ssh_config connects to", name)
	case jump != "":
		return of.permitLiteral(l, host)
	}
	return of.permitName(ctx, l, host)
}

// permitName judges all addresses of a name that this machine resolves.
func (of limits) permitName(ctx context.Context, l *login, host string) error {
	if addr, err := netip.ParseAddr(host); err == nil {
		return of.permit(l, addr)
	}
	ctx, cancel := context.WithTimeout(ctx, of.cfg.ConnectTimeout)
	defer cancel()
	list, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return refuse(l, "the policy limits addresses, and rocec finds none of the name %q: %s", host, cause(err))
	}
	for _, addr := range list {
		if err := of.permit(l, addr); err != nil {
			return err
		}
	}
	return nil
}

// judgeKeys refuses a private key in a file that ssh would use for a server. Its default files are turned off by the configuration of the
// room.
func (of limits) judgeKeys(l *login, set sshSettings, name string) error {
	if of.cfg.AgentOnly == "" {
		return nil
	}
	tokens := map[byte]string{
		'd': of.cfg.Home, 'u': of.cfg.User, 'r': set.one("user"), 'n': name, 'h': set.one("hostname"), 'p': set.one("port"), 'k': name,
	}
	for _, text := range set["identityfile"] {
		if strings.EqualFold(text, "none") {
			continue
		}
		path, err := expandArg(directive{}, text, tokens)
		if err == nil {
			path, err = tilde(path, of.cfg.Home)
		}
		if err != nil || !filepath.IsAbs(path) {
			return refuse(l, "%s, and rocec does not know which file IdentityFile %s of %q is. Write its whole path",
				of.cfg.AgentOnly, text, name)
		}
		_, missing := os.Lstat(path)
		half := publicHalf(path, "")
		switch {
		case half == nil, errors.Is(missing, fs.ErrNotExist), half.token, half.pub != nil && filepath.Ext(path) == ".pub":
			continue
		}
		return refuse(l, "%s, and ssh_config names a private key for %q: %s. Put the key into the agent, and name %s.pub as IdentityFile",
			of.cfg.AgentOnly, name, path, path)
	}
	return nil
}
