// Package destination reads the parts of a destination of ssh: users, hosts, ports and jump hosts ([Hop]).
//
// The parts that a fabric contains become words of the ssh program's command line, and the parts in a file of ssh_config become names
// in messages. So no part begins with a dash, or contains characters that are special to a shell or to ssh.
package destination

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// Hop is one jump host; empty members are left to ~/.ssh/config.
type Hop struct{ User, Host, Port string }

// MaxHops bounds a chain of jump hosts.
const MaxHops = 8

// The longest names of DNS and of login(1).
const (
	maxHost = 253
	maxUser = 64
)

const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits
)

// CheckHost returns the reason why s is neither an IP address nor the name of a host; empty: s is valid.
func CheckHost(s string) string {
	switch {
	case s == "":
		return "the host is empty"
	case len(s) > maxHost:
		return fmt.Sprintf("the host is longer than %d characters", maxHost)
	case strings.Contains(s, ":"):
		addr, err := netip.ParseAddr(s)
		if err == nil && strings.Trim(addr.Zone(), letters+"._-") == "" {
			return ""
		}
		if host, port, ok := strings.Cut(s, ":"); ok && CheckHost(host) == "" && validPort(port) {
			return "the port belongs in a separate attribute: port = " + port
		}
		return "a host with a colon must be an IPv6 address"
	case !strings.Contains(letters+"_", s[:1]):
		return "a host begins with a letter, a digit or an underscore"
	case strings.Trim(s, letters+"._-") != "":
		return "a host has letters, digits, dots, underscores and dashes"
	}
	return ""
}

// CheckUser returns the reason why s is not a login name; empty: s is valid.
func CheckUser(s string) string {
	switch {
	case s == "":
		return "the user is empty"
	case len(s) > maxUser:
		return fmt.Sprintf("the user is longer than %d characters", maxUser)
	case !strings.Contains(letters+"_", s[:1]):
		return "a user begins with a letter, a digit or an underscore"
	case strings.Trim(s, letters+"._@-") != "":
		return "a user has letters, digits, dots, underscores, dashes and @"
	}
	return ""
}

func validPort(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 1 && n <= 65535 && strings.Trim(s, digits) == ""
}

// Split splits [user@]host[:port]; an IPv6 address with a port is in brackets. A port is from 1 to 65535, and each part that is written
// has text. The caller checks the characters of user and host.
func Split(s string) (Hop, string) {
	var h Hop
	host := s
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		if h.User, host = s[:i], s[i+1:]; h.User == "" {
			return Hop{}, "the user is empty"
		}
	}
	port, ported := "", false
	switch {
	case strings.HasPrefix(host, "["):
		in, after, closed := strings.Cut(host[1:], "]")
		if !closed || after != "" && after[0] != ':' {
			return Hop{}, "the brackets do not enclose an address"
		}
		host = in
		port, ported = strings.CutPrefix(after, ":")
	case strings.Count(host, ":") == 1:
		host, port, ported = strings.Cut(host, ":")
	}
	switch {
	case host == "":
		return Hop{}, "the host is empty"
	case ported && !validPort(port):
		return Hop{}, "ports are from 1 to 65535"
	}
	h.Host, h.Port = host, port
	return h, ""
}

// Jump reads the jump hosts of a fabric in the form of ssh -J, with or without spaces around the commas. The first jump host is reached
// directly. The word none is an empty list. The returned text is the reason why s is not such a list; empty: s is valid.
func Jump(s string) (hops []Hop, why string) {
	if s == "none" {
		return nil, ""
	}
	for part := range strings.SplitSeq(s, ",") {
		if len(hops) == MaxHops {
			return nil, fmt.Sprintf("there are more than %d jump hosts", MaxHops)
		}
		part = strings.Trim(part, " ")
		h, why := Split(part)
		if why == "" {
			why = CheckHost(h.Host)
		}
		if why == "" && h.User != "" {
			why = CheckUser(h.User)
		}
		if why == "" && h.Host == "none" {
			why = "none cannot be combined with jump hosts"
		}
		if why != "" {
			const most = 60
			if len(part) > most {
				part = strings.ToValidUTF8(part[:most], "") + "..."
			}
			return nil, fmt.Sprintf("%q is not a jump host: %s", part, why)
		}
		hops = append(hops, h)
	}
	return hops, ""
}
