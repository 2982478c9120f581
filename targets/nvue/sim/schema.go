package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// release is a release of Cumulus Linux 5: 4 of 5.4.1.
type release int

func parseRelease(s string) release {
	words := strings.Split(s, ".")
	if len(words) > 1 && words[0] == "5" {
		if n, err := strconv.Atoi(words[1]); err == nil {
			return release(n)
		}
	}
	panic("nvue/sim: no release of Cumulus Linux 5: " + s)
}

// paths are the paths below the checked objects: the path, its type, and the releases from since on and before until that have it. In a
// path, P is a name, N a number of 0 to 7, D a number of 0 to 63, I an interface, * any key. Types: a range of numbers, words, "set" for
// keys without value, and "any" for any content below. Source: reference of NVUE, Set and Unset Commands, QoS, 5.4 to 5.17.
var paths = []struct {
	path, kind   string
	since, until release
}{
	{"qos.roce.enable", "on off", 0, 15},
	{"qos.roce.state", "enabled disabled", 15, 0},
	{"qos.roce.mode", "lossless lossy", 0, 12},
	{"qos.roce.mode", "lossless lossy lossless-single-ipool", 12, 0},
	{"qos.roce.cable-length", "1-100000", 17, 0},
	{"qos.mapping.P.trust", "l2 l3 both port", 0, 0},
	{"qos.mapping.P.port-default-sp", "0-7", 0, 0},
	{"qos.mapping.P.pcp.N.switch-priority", "0-7", 0, 0},
	{"qos.mapping.P.dscp.D.switch-priority", "0-7", 0, 0},
	{"qos.remark.P.rewrite", "l2 l3 both", 0, 0},
	{"qos.remark.P.switch-priority.N.pcp", "0-7", 0, 0},
	{"qos.remark.P.switch-priority.N.dscp", "0-63", 0, 0},
	{"qos.pfc.P.switch-priority.N", "set", 0, 0},
	{"qos.pfc.P.tx", "enable disable", 0, 0},
	{"qos.pfc.P.rx", "enable disable", 0, 0},
	{"qos.pfc.P.cable-length", "1-100000", 0, 0},
	{"qos.pfc.P.port-buffer", "1-4294967295", 0, 0},
	{"qos.pfc.P.xoff-threshold", "1-4294967295", 0, 0},
	{"qos.pfc.P.xon-threshold", "1-4294967295", 0, 0},
	{"qos.pfc.P.small-packet-probability", "1-100", 17, 0},
	{"qos.link-pause.P.tx", "enable disable", 0, 0},
	{"qos.link-pause.P.rx", "enable disable", 0, 0},
	{"qos.link-pause.P.cable-length", "1-100000", 0, 0},
	{"qos.link-pause.P.port-buffer", "1-4294967295", 0, 0},
	{"qos.link-pause.P.xoff-threshold", "1-4294967295", 0, 0},
	{"qos.link-pause.P.xon-threshold", "1-4294967295", 0, 0},
	{"qos.egress-queue-mapping.P.switch-priority.N.traffic-class", "0-7", 0, 0},
	{"qos.egress-scheduler.P.traffic-class.N.mode", "dwrr strict", 0, 0},
	{"qos.egress-scheduler.P.traffic-class.N.bw-percent", "0-100", 0, 0},
	{"qos.congestion-control.P.traffic-class.N.ecn", "enable disable", 0, 15},
	{"qos.congestion-control.P.traffic-class.N.red", "enable disable", 0, 15},
	{"qos.congestion-control.P.traffic-class.N.ecn", "enable disable enabled disabled", 15, 0},
	{"qos.congestion-control.P.traffic-class.N.red", "enable disable enabled disabled", 15, 0},
	{"qos.congestion-control.P.traffic-class.N.min-threshold", "1-4294967295", 0, 0},
	{"qos.congestion-control.P.traffic-class.N.max-threshold", "1-4294967295", 0, 0},
	{"qos.congestion-control.P.traffic-class.N.probability", "0-100", 0, 0},
	{"qos.congestion-control.P.traffic-class.N.mode", "absolute relative", 17, 0},
	{"qos.congestion-control.P.traffic-class.N.min-threshold-percent", "0-100", 17, 0},
	{"qos.congestion-control.P.traffic-class.N.max-threshold-percent", "0-100", 17, 0},
	{"qos.traffic-pool.P.memory-percent", "1-100", 0, 0},
	{"qos.traffic-pool.P.switch-priority.N", "set", 0, 0},
	{"qos.egress-shaper", "any", 0, 0},
	{"qos.pfc-watchdog.polling-interval", "1-100000", 6, 0},
	{"qos.pfc-watchdog.robustness", "1-100000", 6, 0},
	{"qos.advance-buffer-config.P.ingress-pool", "any", 0, 11},
	{"qos.advance-buffer-config.P.egress-pool", "any", 0, 11},
	{"qos.advance-buffer-config.P.ingress-service-pool", "any", 11, 0},
	{"qos.advance-buffer-config.P.egress-service-pool", "any", 11, 0},
	{"qos.advance-buffer-config.P.ingress-lossy-buffer", "any", 0, 0},
	{"qos.advance-buffer-config.P.egress-lossy-buffer", "any", 0, 0},
	{"qos.advance-buffer-config.P.ingress-lossless-buffer", "any", 0, 0},
	{"qos.advance-buffer-config.P.egress-lossless-buffer", "any", 0, 0},
	{"qos.advance-buffer-config.P.shared-headroom", "any", 17, 0},
	{"interface.I.qos.mapping.profile", "", 0, 0},
	{"interface.I.qos.remark.profile", "", 0, 0},
	{"interface.I.qos.pfc.profile", "", 0, 0},
	{"interface.I.qos.link-pause.profile", "", 0, 0},
	{"interface.I.qos.congestion-control.profile", "", 0, 0},
	{"interface.I.qos.egress-scheduler.profile", "", 0, 0},
	{"interface.I.qos.egress-shaper.profile", "", 0, 0},
	{"interface.I.qos.pfc-watchdog.state", "enable disable", 6, 15},
	{"interface.I.qos.pfc-watchdog.state", "enable disable enabled disabled", 15, 0},
	{"interface.I.qos.small-packet-probability", "1-100", 17, 0},
	{"interface.I.qos.shared-headroom-pool", "any", 17, 0},
	{"interface.I.qos.headroom", "any", 16, 0},
	{"interface.I.link.breakout.*", "any", 0, 0},
	{"interface.I.bond.member.I", "set", 0, 0},
	{"interface.I.router.adaptive-routing.enable", "on off", 0, 15},
	{"interface.I.router.adaptive-routing.state", "enabled disabled", 15, 0},
	{"router.adaptive-routing.enable", "on off", 0, 15},
	{"router.adaptive-routing.state", "enabled disabled", 15, 0},
	{"system.config.auto-save.enable", "on off", 0, 15},
	{"system.config.auto-save.state", "enabled disabled", 15, 0},
}

// roots are the existing objects. open are the objects that accept keys without a path.
var (
	roots = []string{"acl", "bridge", "evpn", "interface", "mlag", "nve", "platform", "qos", "router", "service", "system", "vrf"}
	open  = []string{
		"acl", "bridge", "evpn", "mlag", "nve", "platform", "router", "service", "system", "vrf", "interface.I", "interface.I.link",
		"interface.I.bond", "interface.I.bond.member", "interface.I.router", "system.config", "system.config.apply",
	}
)

type schema struct {
	kids map[string]*schema
	kind string
	leaf bool
	open bool
}

func schemaOf(r release) *schema {
	top := &schema{kids: map[string]*schema{}}
	add := func(path string) *schema {
		s := top
		for k := range strings.SplitSeq(path, ".") {
			if s.kids[k] == nil {
				s.kids[k] = &schema{kids: map[string]*schema{}}
			}
			s = s.kids[k]
		}
		return s
	}
	for _, k := range roots {
		add(k)
	}
	for _, p := range open {
		add(p).open = true
	}
	for _, p := range paths {
		if r < p.since || p.until > 0 && r >= p.until {
			continue
		}
		s := add(p.path)
		switch p.kind {
		case "any":
			s.open = true
		case "set":
		default:
			s.kind, s.leaf = p.kind, true
		}
	}
	return top
}

// kid returns the schema of a key, or nil.
func (s *schema) kid(key string) *schema {
	if kid := s.kids[key]; kid != nil && len(key) > 1 {
		return kid
	}
	for token, kid := range s.kids {
		top := map[string]int{"N": 7, "D": 63}[token]
		switch token {
		case "*", "P":
			if !slices.Contains([]string{"auto", "none", "null", "any", "all"}, key) {
				return kid
			}
		case "I":
			return kid
		case "N", "D":
			if !slices.ContainsFunc(keys(key), func(k string) bool {
				n, err := strconv.Atoi(k)
				return err != nil || n < 0 || n > top || strconv.Itoa(n) != k
			}) {
				return kid
			}
		}
	}
	if s.open {
		return &schema{open: true}
	}
	return nil
}

// issue is an error that prevents a configuration from being applied.
type issue struct{ At, Reason string }

func (i issue) String() string { return "Config invalid at " + i.At + ": " + i.Reason }

// check returns the content that the release does not have.
func (s *schema) check(t tree, at string) (out []issue) {
	for _, k := range sorted(t) {
		path := strings.TrimPrefix(at+"."+k, ".")
		kid := s.kid(k)
		o, object := t[k].(tree)
		switch {
		case kid == nil:
			out = append(out, issue{path, fmt.Sprintf("'%s' is not known", k)})
		case kid.open && len(kid.kids) == 0:
			out = append(out, truths(t[k], path)...)
		case kid.leaf && object:
			out = append(out, issue{path, "an object is not a value"})
		case kid.leaf:
			if why := kid.takes(t[k]); why != "" {
				out = append(out, issue{path, why})
			}
		case !object:
			out = append(out, issue{path, fmt.Sprintf("'%v' is not of type 'object'", t[k])})
		default:
			out = append(out, kid.check(o, path)...)
		}
	}
	return out
}

// truths returns truth values, which the tree never contains.
func truths(v any, at string) (out []issue) {
	switch v := v.(type) {
	case tree:
		for _, k := range sorted(v) {
			out = append(out, truths(v[k], at+"."+k)...)
		}
	case bool, nil:
		out = append(out, issue{at, fmt.Sprintf("'%v' is not of type 'string'", v)})
	}
	return out
}

// takes describes the mistake in a value; empty if it is valid.
func (s *schema) takes(v any) string {
	lo, hi, numeric := strings.Cut(s.kind, "-")
	low, err := strconv.ParseInt(lo, 10, 64)
	if numeric && err == nil {
		high, _ := strconv.ParseInt(hi, 10, 64)
		n, ok := v.(int64)
		switch {
		case !ok:
			return fmt.Sprintf("'%v' is not of type 'integer'", v)
		case n < low || n > high:
			return fmt.Sprintf("%d is not within %s", n, s.kind)
		}
		return ""
	}
	text, ok := v.(string)
	switch {
	case !ok:
		return fmt.Sprintf("%v is not of type 'string'", v)
	case s.kind != "" && !slices.Contains(strings.Fields(s.kind), text):
		return fmt.Sprintf("'%s' is not one of [%s]", text, strings.ReplaceAll(s.kind, " ", ", "))
	}
	return ""
}

// complaint is an error that nv prints unchanged.
type complaint string

// Error returns the text.
func (c complaint) Error() string { return string(c) }

// words returns the tree for the words of nv set or nv unset.
func (s *schema) words(words []string, unset bool) (tree, error) {
	if len(words) == 0 {
		return nil, complaint("Invalid Command: nothing to set")
	}
	for i, w := range words {
		next := s.kid(w)
		switch {
		case next == nil:
			return nil, complaint("Invalid Command: " + strings.Join(words[:i+1], " "))
		case next.leaf && !unset:
			if i+2 != len(words) {
				return nil, complaint("Invalid Command: " + strings.Join(words[:i+1], " ") + " takes one value")
			}
			v := value(words[i+1])
			if why := next.takes(v); why != "" {
				return nil, complaint("Error: " + why)
			}
			return path(v, words[:i+1]), nil
		case next.open && len(next.kids) == 0 && !unset && i+2 <= len(words):
			if !strings.Contains(words[len(words)-1], "/") { // an address is a key
				return path(value(words[len(words)-1]), words[:len(words)-1]), nil
			}
		}
		s = next
	}
	return path(tree{}, words), nil
}

func value(word string) any {
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		return n
	}
	return word
}

func path(v any, words []string) tree {
	t := tree{}
	t.put(v, words...)
	return t
}
