package ssh

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// settings contains the values of ssh_config that apply to one name.
type settings struct {
	host  string                 // the host, with HostName applied
	first map[string]directive   // maps a key to the first value found
	all   map[string][]directive // for the keys in many: every value once
}

// get returns the first argument of a setting; empty: not set.
func (s *settings) get(key string) (string, place) {
	d, ok := s.first[key]
	if !ok {
		return "", place{}
	}
	return d.args[0], d.at
}

// flag parses a setting that is yes or no, in upper or lower case. A missing setting is no.
func (s *settings) flag(key string) (bool, error) {
	switch value, at := s.get(key); strings.ToLower(value) {
	case "yes", "true":
		return true, nil
	case "no", "false", "":
		return false, nil
	default:
		return false, fmt.Errorf("%v: %q is neither yes nor no", at, value)
	}
}

// set keeps the first value, and every identity file once.
func (s *settings) set(d directive) {
	if slices.Contains(many, d.key) {
		if !slices.ContainsFunc(s.all[d.key], func(k directive) bool { return k.args[0] == d.args[0] }) {
			s.all[d.key] = append(s.all[d.key], d)
		}
		return
	}
	// A jump host and a proxy command exclude each other: the first one applies. Only after `ProxyJump none` may a command follow.
	jump, _ := s.get("proxyjump")
	jumps := jump != "" && !strings.EqualFold(jump, "none")
	if s.has(d.key) || d.key == "proxyjump" && s.has("proxycommand") || d.key == "proxycommand" && jumps {
		return
	}
	s.first[d.key] = d
}

func (s *settings) has(key string) bool {
	_, ok := s.first[key]
	return ok
}

// search is one pass over the files for one name.
type search struct {
	settings
	typed     string // the given name
	name      string // the name to match: typed or, in the final pass, the found host name
	localUser string
	final     bool // the second pass, which `Match final` requests
	wantFinal bool
}

// find returns the settings of the files for the typed name. Settings in given apply first, like options on the command line of ssh.
func (r *rules) find(typed, localUser string, given ...directive) (*settings, error) {
	s := &search{
		settings: settings{first: make(map[string]directive), all: make(map[string][]directive)},
		typed:    typed, name: typed, localUser: localUser,
	}
	for _, d := range given {
		s.set(d)
	}
	if err := s.pass(r); err != nil {
		return nil, err
	}
	host, err := s.hostName()
	if err != nil {
		return nil, err
	}
	family, _ := s.get("addressfamily")
	s.host = canonical(host, strings.ToLower(family))
	if s.wantFinal { // the found host name is now fixed, and Host lines match it
		s.name, s.final = s.host, true
		if err := s.pass(r); err != nil {
			return nil, err
		}
	}
	return &s.settings, nil
}

// canonical returns a host in the spelling of ssh: a name in lower case, an address in its usual form. An address of another family than
// the requested one keeps its spelling.
func canonical(host, family string) string {
	addr, err := netip.ParseAddr(host)
	if err != nil && strings.ContainsAny(host, ":%") { // it looks like an address
		return host
	}
	if err != nil {
		return strings.ToLower(host)
	}
	other := family == "inet" && addr.Is6() || family == "inet6" && addr.Is4()
	if usual := addr.String(); !other && !strings.EqualFold(usual, host) {
		return usual
	}
	return host
}

func (s *search) pass(r *rules) error {
	for _, f := range r.files {
		if err := s.file(f, false); err != nil {
			return err
		}
	}
	return nil
}

// file collects the applying settings of f. never is set inside a block that does not apply.
func (s *search) file(f file, never bool) error {
	active := !never
	for _, d := range f {
		switch d.key {
		case "host":
			active = !never && matchHost(d.args, s.name)
		case "match":
			ok, err := s.match(d, never)
			if err != nil {
				return err
			}
			active = ok && !never
		case "include":
			for _, inner := range d.files {
				if err := s.file(inner, !active); err != nil {
					return err
				}
			}
		default:
			if active {
				s.set(d)
			}
		}
	}
	return nil
}

// match evaluates a Match line. A criterion that only a program or the network can evaluate is an error, unless another criterion on the
// line decides the result.
func (s *search) match(d directive, never bool) (bool, error) {
	result, undecided := true, ""
	for args := d.args; len(args) > 0; {
		name, value, split := strings.Cut(args[0], "=")
		args = args[1:]
		name = strings.ToLower(name)
		name, negated := strings.CutPrefix(name, "!")
		ok := false
		switch name {
		case "all":
			ok = true
		case "canonical", "final":
			s.wantFinal = s.wantFinal || name == "final"
			ok = s.final
		default:
			if value == "" { // `host a`, `host= a`, `host =a` or `host = a`
				if !split && len(args) > 0 && args[0] == "=" {
					args = args[1:]
				}
				if len(args) == 0 {
					return false, fmt.Errorf("%v: Match %s has no value", d.at, name)
				}
				value, args = args[0], args[1:]
				if !split {
					value = strings.TrimPrefix(value, "=")
				}
			}
			var err error
			switch name {
			case "host":
				var host string
				if host, err = s.hostName(); err == nil {
					ok = matchList(strings.ToLower(value), strings.ToLower(host))
				}
			case "originalhost":
				ok = matchList(strings.ToLower(value), strings.ToLower(s.typed))
			case "user":
				user, _ := s.get("user")
				if user == "" {
					user = s.localUser
				}
				ok = matchList(value, user)
			case "localuser":
				ok = matchList(value, s.localUser)
			default:
				undecided = name
				continue
			}
			if err != nil {
				return false, err
			}
		}
		result = result && ok != negated
	}
	if result && undecided != "" && !never {
		return false, fmt.Errorf("%v: rocec does not evaluate \"Match %s\", so it does not know whether the lines below it apply to %q; "+
			"add a host pattern to that line that leaves this device out, use a Host block instead, or %s",
			d.at, undecided, s.typed, opensshInstead)
	}
	return result && undecided == "", nil
}

// hostName returns the host name found so far. In the final pass it no longer changes.
func (s *search) hostName() (string, error) {
	if s.final {
		return s.host, nil
	}
	d, ok := s.first["hostname"]
	if !ok {
		return s.name, nil
	}
	return expand(d, map[byte]string{'h': s.typed})
}

// matchHost evaluates a Host line: one pattern must match, and no negated pattern may match.
func matchHost(patterns []string, name string) bool {
	found := false
	for _, p := range patterns {
		p, negated := strings.CutPrefix(p, "!")
		if !wildcard(p, name) {
			continue
		}
		if negated {
			return false
		}
		found = true
	}
	return found
}

// matchList is like matchHost, for patterns separated by commas.
func matchList(list, name string) bool { return matchHost(strings.Split(list, ","), name) }

// wildcard matches * (any text) and ? (one byte), in time proportional to the product of the lengths.
func wildcard(pattern, s string) bool {
	star, back := -1, 0
	p, i := 0, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, back = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			back++
			p, i = star+1, back
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// expand replaces the % tokens of a setting's first argument.
func expand(d directive, tokens map[byte]string) (string, error) {
	return expandArg(d, d.args[0], tokens)
}

func expandArg(d directive, arg string, tokens map[byte]string) (string, error) {
	if strings.Contains(arg, "${") {
		return "", fmt.Errorf("%v: rocec does not read environment variables in ssh_config (%q); %s", d.at, arg, opensshInstead)
	}
	var b strings.Builder
	for i := 0; i < len(arg); i++ {
		if arg[i] != '%' {
			b.WriteByte(arg[i])
			continue
		}
		if i++; i == len(arg) {
			return "", fmt.Errorf("%v: %q ends in %%; write %%%% for a percent sign", d.at, arg)
		}
		value, ok := tokens[arg[i]]
		switch {
		case arg[i] == '%':
			b.WriteByte('%')
		case ok:
			b.WriteString(value)
		default:
			return "", fmt.Errorf("%v: rocec does not know the token %%%c in %q; %s", d.at, arg[i], arg, opensshInstead)
		}
	}
	return b.String(), nil
}
