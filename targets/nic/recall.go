package nic

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/target"
)

// Names of the queries and steps of a host, see [target.Target.Recall]. All begin with the name of the family's driver:
//
//	apply IF[,vlan=N][,carries] ...                  the step that applies the value files
//	leave IF[,taken][,plain][,bond=IF][,vlan=N][,vf_roce_N=on] ...   the step that restores NICs
//	show IF[,bond=IF][,vlan=N][,vlan_ip=PREFIX][,vf_roce_N=on]       the query that reads a NIC
//	look IF[,...]                                    the same for a leaving NIC, which may not exist

// recall returns the step or the query with a name.
func (f *Family) recall(words []string, _ commands.Kept) (*target.Made, error) {
	unknown := &commands.Unknown{Name: strings.Join(append([]string{f.Driver.Name}, words...), " ")}
	if len(words) == 0 || len(words) == 1 && words[0] != "leave" { // a leave without NICs only removes the files of the family
		return nil, unknown
	}
	var nics []named
	for _, word := range words[1:] {
		n, ok := parseNamed(word)
		if !ok || slices.ContainsFunc(nics, func(have named) bool { return have.name == n.name }) {
			return nil, unknown
		}
		nics = append(nics, n)
	}
	switch verb := words[0]; {
	case verb == "apply":
		var goes []applied
		for _, n := range nics {
			goes = append(goes, applied{n.name, n.vlan, n.has["carries"]})
		}
		s := f.stepOf(goes)
		return &target.Made{Step: &s}, nil
	case verb == "leave":
		var goes []leaver
		for _, n := range nics {
			l := leaver{name: n.name, taken: n.has["taken"], unknown: n.has["plain"], at: n.at}
			f.fill(&l)
			goes = append(goes, l)
		}
		s := f.leaveStep(goes)
		return &target.Made{Step: &s}, nil
	case verb == "show" && len(nics) == 1:
		return &target.Made{Query: f.query("show", nics[0].name, nics[0].at)}, nil
	case verb == "look" && len(nics) == 1:
		return &target.Made{Query: f.lookQuery(&leaver{name: nics[0].name, at: nics[0].at})}, nil
	}
	return nil, unknown
}

// named is a NIC in the name of a query or step, parsed from one word such as IF,vlan=N,carries.
type named struct {
	name string
	at   []string // bond, vlan, vlan_ip and vf_roce_N, as KEY=VALUE
	vlan int
	has  map[string]bool // flags: carries, taken, plain
}

func parseNamed(word string) (n named, ok bool) {
	parts := strings.Split(word, ",")
	if n.name, ok = commands.Spelled(parts[0]); !ok || !ifName(n.name) {
		return n, false
	}
	n.has = map[string]bool{}
	for _, part := range parts[1:] {
		key, value, stated := strings.Cut(part, "=")
		switch {
		case !stated && slices.Contains([]string{"carries", "taken", "plain"}, key):
			n.has[key] = true
		case !stated:
			return n, false
		default:
			if value, ok = commands.Spelled(value); !ok || !whereWord(key, value) {
				return n, false
			}
			if key == "vlan" {
				n.vlan, _ = strconv.Atoi(value) //nolint:errcheck // whereWord has read it
			}
			n.at = append(n.at, key+"="+value)
		}
	}
	return n, true
}

// word returns the word for a NIC in the name of a query or step. parseNamed parses it.
func word(name string, flags []string, at []string) string {
	var b strings.Builder
	b.WriteString(commands.Spell(name))
	for _, flag := range flags {
		b.WriteString("," + flag)
	}
	for _, arg := range at {
		key, value, _ := strings.Cut(arg, "=")
		b.WriteString("," + key + "=" + commands.Spell(value))
	}
	return b.String()
}

// whereWord reports whether a key and its value state where the settings of a NIC are, in the spelling that rocec writes.
func whereWord(key, value string) bool {
	switch key {
	case "bond":
		return ifName(value)
	case "vlan":
		n, err := strconv.Atoi(value)
		return err == nil && 1 <= n && n <= 4094 && strconv.Itoa(n) == value
	case "vlan_ip":
		p, err := netip.ParsePrefix(value)
		return err == nil && p.String() == value && p.Addr().Zone() == ""
	}
	vf, is := strings.CutPrefix(key, vfKey)
	n, err := strconv.Atoi(vf)
	return is && err == nil && n >= 0 && n < 1<<16 && strconv.Itoa(n) == vf && (value == "on" || value == "off")
}
