package nicoperator

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/mlx5"
)

// Supplied contains the values that a template needs and that no fabric has.
type Supplied struct {
	NodeLabel string // the key of the label by which templates select nodes; empty: they select all nodes
	VFs       int    // the number of virtual functions of each NIC
}

// Templates is the templates of hosts that need the same ones.
type Templates struct {
	Hosts []string
	Text  []byte
	Note  string // what the templates do not state, as a sentence; empty: they state all
}

// Refused is hosts that no template describes.
type Refused struct {
	Hosts []string
	Why   string // a sentence without a full stop
}

// maxLabel bounds the value of a label (Kubernetes: 63 characters).
const maxLabel = 63

// IsLabel reports whether a text can be the key of a label: an optional DNS name of at most 253 bytes, and a name of at most 63 bytes
// (Kubernetes, "Labels and Selectors").
func IsLabel(key string) bool {
	return regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`).MatchString(key)
}

// Write returns the templates of hosts, a file for each group of hosts that need the same templates, and the other hosts. It returns a
// sentence in wrong if several templates would select the same NICs, because then the operator applies none of them.
func Write(hosts []*ir.Device, o Supplied) (files []Templates, refused []Refused, wrong string) {
	type group struct {
		hosts []*described
		block string // of all hosts; empty: they are of several
	}
	var groups []*group
	at, whys := map[string]*group{}, map[string]int{}
	for _, d := range hosts {
		h := describe(d)
		if h.why != "" {
			k, is := whys[h.why]
			if !is {
				k, whys[h.why] = len(refused), len(refused)
				refused = append(refused, Refused{Why: h.why})
			}
			refused[k].Hosts = append(refused[k].Hosts, h.name)
			continue
		}
		var key strings.Builder
		for i := range h.templates {
			fmt.Fprintln(&key, h.templates[i])
		}
		g := at[key.String()]
		if g == nil {
			g = &group{block: d.Group}
			at[key.String()], groups = g, append(groups, g)
		}
		if g.hosts = append(g.hosts, h); g.block != d.Group {
			g.block = ""
		}
	}
	blocks, types := map[string]int{}, map[string]int{}
	for _, g := range groups {
		blocks[dnsName(g.block)]++
		for i := range g.hosts[0].templates {
			types[g.hosts[0].templates[i].model.Title]++
		}
	}
	for _, g := range groups {
		for i := range g.hosts[0].templates {
			if title := g.hosts[0].templates[i].model.Title; types[title] > 1 && o.NodeLabel == "" {
				return nil, refused, fmt.Sprintf("%d groups of hosts need different templates for the %s. A template without a node selector "+
					"selects the NICs of all nodes, and the operator applies none of several templates for one NIC. State the key of a label with "+
					"--node-label", types[title], title)
			}
		}
	}
	used := map[string]bool{}
	for _, g := range groups {
		var names []string
		for _, h := range g.hosts {
			names = append(names, h.name)
		}
		stem := dnsName(g.block)
		if g.block == "" || blocks[stem] > 1 {
			stem = dnsName(nodesText(names))
		}
		name := stem
		for n := 2; used[name]; n++ {
			name = dnsName(stem + "-" + strconv.Itoa(n))
		}
		used[name] = true
		files = append(files, fileOf(g.hosts, names, name, o))
	}
	return files, refused, ""
}

// dnsName turns a text into a name of Kubernetes (RFC 1123), which is also the value of a label. It leaves room for the id of a NIC.
func dnsName(text string) string {
	const room = maxLabel - len("-101d")
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	name := strings.Join(words, "-")
	if len(name) <= room && name != "" {
		return name
	}
	sum := sha256.Sum256([]byte(text))
	hash := hex.EncodeToString(sum[:4])
	return strings.Trim(name[:min(len(name), room-len(hash)-1)]+"-"+hash, "-")
}

// fileOf returns the file of a group of hosts. name is the value of their label, and the beginning of the names of their templates.
func fileOf(hosts []*described, names []string, name string, o Supplied) Templates {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString("# " + diag.Escape(fmt.Sprintf(format, args...)) + "\n")
	}
	set := nodesText(names)
	b.WriteString("# Written by rocec build --as nic-template. Change the fabric, not this file.\n")
	line("Hosts: %s.", set)
	line("Kind and fields are those of NVIDIA's NIC configuration operator at commit %s.", Commit[:12])
	line("The templates need the namespace of the operator: kubectl apply -n NAMESPACE -f FILE.")
	if o.NodeLabel != "" {
		line("Each node of these hosts needs the label: kubectl label node NODE %s=%s", o.NodeLabel, name)
	} else {
		line("Without a nodeSelector the operator sets NICs of the type on all nodes. Restrict it by build --node-label KEY.")
	}
	line("The operator sets all NICs of the type on a node, also NICs that the fabric does not have.")
	line("It writes numVfs (build --vfs) and rawNvConfig to the firmware, and gives parameters of other features their defaults.")
	line("Such a change needs a reboot of the node, or a reset of the NIC.")
	if slices.ContainsFunc(hosts[0].templates, func(t template) bool { return t.priority < 0 }) {
		line("The fabric states no CNPs. The operator makes the firmware mark them with DSCP 4 and PCP 6 if rawNvConfig lacks the marks.")
	}
	keys, note := unsaidLines(hosts)
	if len(keys) > 0 {
		line("A template cannot state these settings of the fabric. Set them on the hosts in another way:")
		for _, k := range keys {
			line("  %s", k)
		}
	}
	var beside []string
	for _, h := range hosts {
		for _, text := range h.beside {
			if !slices.Contains(beside, text) {
				beside = append(beside, text)
				line("%s", text)
			}
		}
	}
	for i := range hosts[0].templates {
		t := &hosts[0].templates[i]
		for _, id := range mlx5.DeviceIDs(t.model.Name) {
			t.write(&b, name, id, o)
		}
	}
	f := Templates{Hosts: names, Text: []byte(b.String())}
	if note != "" {
		f.Note = fmt.Sprintf("The template of %s cannot state %s; its comments have the values.", set, note)
	}
	if len(beside) > 0 {
		f.Note = strings.TrimSpace(f.Note + " " + strings.Join(beside, " "))
	}
	return f
}

// unsaidLines returns a line for each key that the templates of hosts do not state, with its values, and a list of the keys.
func unsaidLines(hosts []*described) (lines []string, note string) {
	const most = 6 // values of a key
	var keys []string
	values, of := map[string][]string{}, map[string][]string{}
	for _, h := range hosts {
		for _, u := range h.unsaid {
			if values[u.key] == nil {
				keys = append(keys, u.key)
			}
			if !slices.Contains(values[u.key], u.value) {
				values[u.key] = append(values[u.key], u.value)
				of[u.key] = append(of[u.key], h.name+" "+u.nic)
			}
		}
	}
	slices.Sort(keys)
	var short []string
	for _, k := range keys {
		all := values[k]
		text := k + ": " + all[0]
		for i, v := range all {
			switch {
			case len(all) == 1:
			case i == 0:
				text = k + ": " + v + " (" + of[k][i] + ")"
			case i < most:
				text += "; " + v + " (" + of[k][i] + ")"
			}
		}
		if more := len(all) - most; more > 0 {
			text += fmt.Sprintf("; and %s", diag.Count(more, "further value"))
		}
		lines = append(lines, text)
		if stem := strings.TrimRight(k, "01234567"); !slices.Contains(short, stem) && !slices.Contains(short, k) {
			short = append(short, stem)
		}
	}
	return lines, strings.Join(short, ", ")
}

// write appends the object of a template for NICs with a PCI device id. All strings are quoted, because 1015 and 101e2 would be numbers.
func (t *template) write(b *strings.Builder, name, id string, o Supplied) {
	line := func(indent int, format string, args ...any) {
		fmt.Fprintf(b, strings.Repeat("  ", indent)+format+"\n", args...)
	}
	line(0, "---")
	line(0, "apiVersion: %s", api+version)
	line(0, "kind: %s", KindTemplate)
	line(0, "metadata:")
	line(1, "name: %q", name+"-"+id)
	line(0, "spec:")
	if o.NodeLabel != "" {
		line(1, "nodeSelector:")
		line(2, "%q: %q", o.NodeLabel, name)
	}
	line(1, "nicSelector:")
	line(2, "nicType: %q", id)
	line(1, "template:")
	line(2, "numVfs: %d", o.VFs)
	line(2, "linkType: %q", "Ethernet")
	line(2, "roceOptimized:")
	line(3, "enabled: true")
	line(3, "qos:")
	line(4, "trust: %q", t.trust)
	line(4, "pfc: %q", t.pfc)
	if t.tos > 0 {
		line(4, "tos: %d", t.tos)
	}
	if t.cable > 0 {
		line(4, "cableLen: %d", t.cable)
	}
	if t.ecn >= 0 {
		line(4, "ecn:")
		line(5, "enabled: true")
		line(5, "priority: %d", t.ecn)
	}
	line(4, "pauseFrames:")
	line(5, "enabled: %t", t.pause)
	if t.mode > 0 {
		line(3, "roceMode: %d", t.mode)
	}
	var names, values []string
	for port := range max(t.model.Ports, 1) {
		for _, p := range t.firmware() {
			name, value, _ := strings.Cut(p, "=")
			if name = mlx5.StoredName(name, port+1); !slices.Contains(names, name) {
				names, values = append(names, name), append(values, value)
			}
		}
	}
	if len(names) > 0 {
		line(2, "rawNvConfig:")
	}
	for i := range names {
		line(3, "- name: %q", names[i])
		line(3, "  value: %q", values[i])
	}
}
