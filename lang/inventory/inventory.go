// Package inventory reads the [Inventory] of Ansible: names of devices and their addresses, as INI, as YAML, or as JSON that
// `ansible-inventory --list` prints.
//
// It reads the variables by which Ansible reaches a host: ansible_host, ansible_user and ansible_port. It reads variables of groups
// only from the file itself. A value that Ansible would have to compute or decrypt is skipped, and a diagnostic names it.
//
// Memory is a small multiple of the text, ranges and aliases are bounded, and no input panics.
package inventory

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/destination"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// The bounds of an inventory.
const (
	MaxFile   = 8 << 20 // bytes
	maxYAML   = 4 << 20 // bytes; a tree of YAML needs twenty times as much memory
	maxHosts  = 20_000  // hosts, including every name of a range
	maxGroups = 5_000
	maxSteps  = 2 << 20 // keys and values of a tree, so that aliases cannot multiply
	maxDepth  = 64      // groups in groups, and values in values
	maxSaid   = 20      // most diagnostics of one file
)

// The mistakes in an inventory.
var (
	Invalid = diag.Topic{Code: "inventory-invalid", Summary: "the inventory of Ansible cannot be read"}

	Skipped = diag.Topic{Code: "inventory-skipped", Summary: "a value of the inventory is skipped"}
)

// Topics are the codes of this package.
var Topics = []diag.Topic{Invalid, Skipped}

// Inventory contains the hosts of a file, in natural order.
type Inventory struct{ Hosts []Host }

// Host is a device, with the values by which Ansible reaches it.
type Host struct {
	Name    string
	Address string   // ansible_host, or the name if ansible_host is not set; empty: ansible_host was skipped
	User    string   // ansible_user; empty: not set
	Port    int      // ansible_port; 0: not set
	Groups  []string // all groups of the host, by name, without all and ungrouped
}

// Read reads the text of an inventory. Places have the given name of the file. The inventory is nil after an error.
func Read(name string, data []byte) (*Inventory, diag.List) {
	r := &reader{
		name: name, hosts: map[string]*host{}, groups: map[string]*group{}, told: map[string]bool{},
	}
	r.all = r.group("all", 0)
	text := strings.TrimPrefix(string(data), "\ufeff")
	r.text = text
	switch {
	case len(data) > MaxFile:
		r.fail(0, "The file has %s bytes, and at most %s are read. Give a file of fewer hosts, or without facts: "+
			"`ansible-inventory --list --limit GROUP`.", diag.Number(len(data)), diag.Number(MaxFile))
	case !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0:
		r.fail(0, "The file is not UTF-8 text.")
	case strings.HasPrefix(text, "$ANSIBLE_VAULT;"):
		r.fail(1, "The whole file is encrypted by Ansible Vault. Give what `ansible-inventory --list` prints with the password.")
	case strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{"):
		r.json(text)
	case isYAML(text) && len(text) > maxYAML:
		r.fail(0, "The file has %s bytes, and at most %s of YAML are read. Give what `ansible-inventory --list` prints, as JSON.",
			diag.Number(len(text)), diag.Number(maxYAML))
	case isYAML(text):
		r.yaml(text)
	default:
		r.ini(text)
	}
	if r.failed {
		return nil, r.ds
	}
	inv := r.inventory()
	if r.failed {
		return nil, r.ds
	}
	r.ds.Sort()
	if more := r.passed; more > 0 {
		r.ds[len(r.ds)-1].Note(diag.Range{}, "and %s more of this file", diag.Count(more, "value"))
	}
	return inv, r.ds
}

// variable is a value of a variable, with its line.
type variable struct {
	text    string
	line    int
	skipped bool
}

// vars contains the variables of a host or a group, by the current names of Ansible.
type vars map[string]variable

// former maps the older names of variables to the current names.
var former = map[string]string{"ansible_ssh_host": "ansible_host", "ansible_ssh_user": "ansible_user", "ansible_ssh_port": "ansible_port"}

// wanted lists the variables that are read.
var wanted = []string{"ansible_host", "ansible_user", "ansible_port", "ansible_connection"}

type host struct {
	vars vars
	line int
}

type group struct {
	vars     vars
	hosts    map[string]bool
	children map[string]bool
	line     int
}

// reader reads one inventory of any format.
type reader struct {
	name   string
	text   string
	all    *group
	hosts  map[string]*host
	groups map[string]*group
	ds     diag.List
	told   map[string]bool
	passed int // number of skipped values without a separate diagnostic
	steps  int
	failed bool
}

func (r *reader) at(line int) diag.Range {
	at := diag.Range{Filename: r.name}
	if line > 0 {
		from := 0
		for n := 1; n < line; n++ {
			i := strings.IndexByte(r.text[from:], '\n')
			if i < 0 {
				break
			}
			from += i + 1
		}
		at.Start.Line, at.Start.Column, at.Start.Byte = line, 1, from
		at.End = at.Start
	}
	return at
}

// fail reports a mistake and ends the reading.
func (r *reader) fail(line int, format string, args ...any) {
	if !r.failed {
		Invalid.Errorf(&r.ds, r.at(line), format, args...)
		r.failed = true
	}
}

// skip reports a value that is not used. It reports equal messages once.
func (r *reader) skip(line int, key, format string, args ...any) {
	switch {
	case r.told[key]:
	case len(r.ds) >= maxSaid:
		r.told[key] = true
		r.passed++
	default:
		r.told[key] = true
		Skipped.Warnf(&r.ds, r.at(line), format, args...)
	}
}

// group returns a group, which it makes if it does not exist.
func (r *reader) group(name string, line int) *group {
	g := r.groups[name]
	switch {
	case g != nil:
		return g
	case len(r.groups) >= maxGroups:
		r.fail(line, "The inventory has more than %s groups. Give a file of fewer hosts.", diag.Number(maxGroups))
	}
	g = &group{vars: vars{}, hosts: map[string]bool{}, children: map[string]bool{}, line: line}
	r.groups[name] = g
	return g
}

// host adds a host to a group, with each name of its ranges, and returns them.
func (r *reader) host(pattern string, in *group, line int) (made []*host) {
	names, why := expand(pattern, maxHosts-len(r.hosts))
	if why != "" {
		r.fail(line, "The host %s cannot be read: %s.", quote(pattern), why)
		return nil
	}
	for _, name := range names {
		if why := destination.CheckHost(name); why != "" {
			r.skip(line, "name "+name, "The host %s is left out, because its name is not a valid host name: %s.", quote(name), why)
			continue
		}
		h := r.hosts[name]
		if h == nil {
			if len(r.hosts) >= maxHosts {
				r.fail(line, "The inventory has more than %s hosts. Give a file of fewer.", diag.Number(maxHosts))
				return made
			}
			h = &host{vars: vars{}, line: line}
			r.hosts[name] = h
		}
		if in != nil {
			in.hosts[name] = true
		}
		made = append(made, h)
	}
	return made
}

// set stores a variable. If a place sets a variable twice, the last value counts. Whose is the owner in messages, such as "the host
// leaf1".
func (r *reader) set(into vars, whose, name, value string, vault bool, line int) {
	if now := former[name]; now != "" {
		if _, there := into[now]; there {
			return // the current name counts
		}
		name = now
	}
	if !slices.Contains(wanted, name) {
		return
	}
	v := variable{text: strings.TrimSpace(value), line: line}
	why := ""
	switch {
	case vault || strings.HasPrefix(v.text, "$ANSIBLE_VAULT;"):
		why = "it is encrypted by Ansible Vault"
	case strings.Contains(v.text, "{{") || strings.Contains(v.text, "{%"):
		why = "it is a template, which Ansible computes"
	case v.text == "":
		return
	case name == "ansible_host":
		why = destination.CheckHost(v.text)
	case name == "ansible_user":
		why = destination.CheckUser(v.text)
	case name == "ansible_port":
		if n, err := strconv.Atoi(v.text); err != nil || n < 1 || n > 65535 {
			why = "ports are from 1 to 65535"
		}
	}
	if v.skipped = why != ""; v.skipped {
		r.skip(line, whose+" "+name, "%s of %s is skipped: %s. `ansible-inventory --list` prints computed values; "+
			"give that output, or write the value.", name, diag.Escape(whose), why)
	}
	into[name] = v
}

// inventory resolves groups and variables. The variables of a host have precedence over the variables of its groups, and a group has
// precedence over its parents.
func (r *reader) inventory() *Inventory {
	for name := range r.groups {
		if name != "all" {
			r.all.children[name] = true
		}
	}
	depth := r.depths()
	if r.failed {
		return nil
	}
	parents := map[string][]string{} // of groups
	for _, name := range slices.Sorted(maps.Keys(r.groups)) {
		for child := range r.groups[name].children {
			parents[child] = append(parents[child], name)
		}
	}
	direct := map[string][]string{} // of hosts
	for _, name := range slices.Sorted(maps.Keys(r.groups)) {
		for h := range r.groups[name].hosts {
			direct[h] = append(direct[h], name)
		}
	}
	above := map[string]map[string]bool{} // for each group: the group itself and all its ancestors
	var climb func(name string) map[string]bool
	climb = func(name string) map[string]bool {
		if set := above[name]; set != nil {
			return set
		}
		set := map[string]bool{name: true}
		for _, p := range parents[name] {
			if r.steps += len(set); r.steps > maxSteps {
				r.fail(r.groups[name].line, "The groups of this inventory contain each other too often. Give a file of fewer groups.")
				return set
			}
			maps.Copy(set, climb(p))
		}
		above[name] = set
		return set
	}
	inv := &Inventory{}
	for _, name := range slices.SortedFunc(maps.Keys(r.hosts), nodeset.Compare) {
		in := map[string]bool{"all": true}
		for _, g := range direct[name] {
			maps.Copy(in, climb(g))
		}
		if r.steps += len(in); r.steps > maxSteps {
			r.fail(0, "The hosts of this inventory are in too many groups. Give a file of fewer groups.")
		}
		if r.failed {
			return nil
		}
		order := slices.SortedFunc(maps.Keys(in), func(a, b string) int {
			if d := depth[a] - depth[b]; d != 0 {
				return d
			}
			return strings.Compare(a, b)
		})
		is := vars{}
		for _, g := range order {
			maps.Copy(is, r.groups[g].vars)
		}
		maps.Copy(is, r.hosts[name].vars)
		if h, ok := r.resolved(name, is); ok {
			h.Groups = slices.DeleteFunc(slices.Sorted(maps.Keys(in)), func(g string) bool { return g == "all" || g == "ungrouped" })
			inv.Hosts = append(inv.Hosts, h)
		}
	}
	return inv
}

// resolved makes a host from its variables. It leaves out a host that Ansible does not reach over a network.
func (r *reader) resolved(name string, is vars) (Host, bool) {
	if c := is["ansible_connection"]; c.text == "local" {
		r.skip(c.line, "local "+name, "The host %s is left out: its ansible_connection is local, so it is the machine on which Ansible runs.",
			quote(name))
		return Host{}, false
	}
	h := Host{Name: name, Address: name}
	if a, ok := is["ansible_host"]; ok {
		h.Address = a.text
		if a.skipped {
			h.Address = ""
		}
	}
	if u := is["ansible_user"]; !u.skipped {
		h.User = u.text
	}
	if p := is["ansible_port"]; !p.skipped {
		h.Port, _ = strconv.Atoi(p.text) // the value was checked before
	}
	return h, true
}

// depths returns the length of the longest path from the group all to each group. A group that contains itself is a mistake.
func (r *reader) depths() map[string]int {
	depth, open := map[string]int{}, map[string]bool{}
	parents := map[string][]string{}
	names := slices.Sorted(maps.Keys(r.groups))
	for _, name := range names {
		for child := range r.groups[name].children {
			if r.groups[child] != nil {
				parents[child] = append(parents[child], name)
			}
		}
	}
	var visit func(name string, level int) int
	visit = func(name string, level int) int {
		if d, ok := depth[name]; ok {
			return d
		}
		if open[name] || level > maxDepth {
			if open[name] {
				r.fail(r.groups[name].line, "The group %s contains itself, by its children. Correct the groups.", quote(name))
			} else {
				r.fail(r.groups[name].line, "The groups are nested more than %d deep. Give a file of fewer groups.", maxDepth)
			}
			return 0
		}
		open[name] = true
		d := 0
		for _, p := range parents[name] {
			d = max(d, visit(p, level+1)+1)
			if r.failed {
				return 0
			}
		}
		open[name] = false
		depth[name] = d
		return d
	}
	for _, name := range names {
		if visit(name, 0); r.failed {
			break
		}
	}
	return depth
}

// quote returns a word of the file in quotes, for a message.
func quote(s string) string { return strconv.Quote(diag.Cut(s)) }
