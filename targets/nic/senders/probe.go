package senders

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/sender"
)

// netnsShared is the mode in which all network namespaces of a host see the same RDMA devices. Source: netns_mode of ib_core in Linux.
const netnsShared = "shared"

// The names of samples.
const (
	factNetns = "RDMA devices in network namespaces"
	factVFs   = "virtual functions "

	unknownNetns = "not known" // the value, on a kernel that does not show the mode
)

// mostVFs is the largest number of virtual functions of a port: cards have at most 1,024.
const mostVFs = 1024

// mostLine is the largest length of a line in bytes.
const mostLine = 400

// seen is the answer of [Probe].
type seen struct {
	netns string // "shared", "exclusive"; empty: not known
	vfs   []vfSeen
}

// vfSeen has the values of virtual functions that are alike. A text is empty if the host does not show the value.
type vfSeen struct {
	numbers    []int
	ranges     string // the numbers as text, "0-3,7"
	device     bool   // the host shows an RDMA device
	tos, class string // default_roce_tos and traffic_class
	vlan, qos  string // the VLAN and the priority that the host gives all packets; without a VLAN 0
}

// Probe asks for the RDMA devices of a NIC's virtual functions, with their defaults, and for the mode of namespaces. It changes
// nothing: a folder of configfs that does not exist is not made, so the default of such a device is not known.
func Probe(s *nic.Settings, markings []sender.Marking) target.Probe {
	n, vfs := s.NIC.Name, ""
	if slices.ContainsFunc(markings, func(m sender.Marking) bool { return m.Kind == sender.VF && m.By != "" }) {
		vfs = "n=" + nic.Quote(n) + vfQuery
	}
	return target.Probe{
		Name: "senders of " + n, Slow: true,
		Query: target.Query{Cmd: `{ read -r v </sys/module/ib_core/parameters/netns_mode; } 2>/dev/null && printf 'netns %s\n' "$v"
` + vfs + "true"},
		Samples: func(answer []byte) []target.Sample { return readSenders(answer).samples(n) },
	}
}

// vfQuery reads the virtual functions of the interface $n.
const vfQuery = `
[ ! -e "/sys/class/net/$n/device/virtfn0" ] || {
for d in "/sys/class/net/$n/device"/virtfn*; do
printf 'vf %s\n' "${d##*virtfn}"
for r in "$d"/infiniband/*; do
[ -e "$r" ] || continue
dev=${r##*/}
for p in "/sys/class/infiniband/$dev"/ports/*; do
i=${p##*/} tos=- class=-
{ read -r tos <"/sys/kernel/config/rdma_cm/$dev/ports/$i/default_roce_tos"; } 2>/dev/null
[ ! -e "/sys/class/infiniband/$dev/tc/$i/traffic_class" ] || {
class=off
while read -r line; do
case $line in 'Global tclass='*) class=${line##*=} ;; esac
done <"/sys/class/infiniband/$dev/tc/$i/traffic_class"
}
printf 'dev %s %s %s\n' "${d##*virtfn}" "$tos" "$class"
done
done
done | head -n 4096
ip link show dev "$n" 2>/dev/null | while read -r word rest; do
[ "$word" != vf ] || printf 'ip %s\n' "$rest"
done | head -n 1024
}
`

// readSenders reads the answer. It leaves out meaningless lines.
func readSenders(answer []byte) *seen {
	seen := &seen{}
	by := map[int]*vfSeen{}
	vf := func(text string) *vfSeen {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n >= mostVFs {
			return &vfSeen{} // nothing uses it
		}
		if by[int(n)] == nil {
			by[int(n)] = &vfSeen{numbers: []int{int(n)}}
		}
		return by[int(n)]
	}
	for line := range strings.Lines(string(answer)) {
		f := strings.Fields(line)
		switch {
		case len(line) > mostLine || len(f) < 2:
		case f[0] == "netns":
			seen.netns = map[string]string{"Y": netnsShared, "1": netnsShared, "N": "exclusive", "0": "exclusive"}[f[1]]
		case f[0] == "vf":
			vf(f[1])
		case f[0] == "dev" && len(f) == 4:
			v := vf(f[1])
			tos, class := number(f[2], 255), number(f[3], 255)
			if f[3] == "off" {
				class = "off"
			}
			if v.device { // a device with several ports: a value holds if all ports have it
				v.tos, v.class = both(v.tos, tos), both(v.class, class)
				continue
			}
			v.device, v.tos, v.class = true, tos, class
		case f[0] == "ip":
			v := vf(f[1])
			v.vlan, v.qos = number(after(f, "vlan"), 4095), number(after(f, "qos"), 7)
		}
	}
	for _, v := range by {
		seen.vfs = append(seen.vfs, *v)
	}
	slices.SortFunc(seen.vfs, func(a, b vfSeen) int { return a.numbers[0] - b.numbers[0] })
	seen.vfs = foldVFs(seen.vfs)
	for i := range seen.vfs {
		seen.vfs[i].ranges = rangesText(seen.vfs[i].numbers)
	}
	return seen
}

// foldVFs joins virtual functions with the same values.
func foldVFs(all []vfSeen) (out []vfSeen) {
	for _, v := range all {
		i := slices.IndexFunc(out, func(have vfSeen) bool { return have.fact() == v.fact() })
		if i < 0 {
			out = append(out, v)
			continue
		}
		out[i].numbers = append(out[i].numbers, v.numbers...)
	}
	return out
}

// both returns the common value of two ports; empty: they differ.
func both(a, b string) string {
	if a != b {
		return ""
	}
	return a
}

// number returns a text that is a decimal number up to most; else an empty text.
func number(text string, most int) string {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most || strconv.Itoa(n) != text {
		return ""
	}
	return text
}

// after returns the word after a word, without its comma.
func after(words []string, word string) string {
	i := slices.Index(words, word)
	if i < 0 || i+1 == len(words) {
		return ""
	}
	return strings.TrimSuffix(words[i+1], ",")
}

// The words of a fact about virtual functions.
const (
	factDevice = "rdma_device"
	factTOS    = "default_roce_tos"
	factClass  = "traffic_class"
	factVLAN   = "vlan"
	factQoS    = "vlan_priority"
)

// fact returns the values as words: "default_roce_tos=104 traffic_class=off". A value that the host does not show is left out.
func (v *vfSeen) fact() string {
	var words []string
	add := func(key, value string) {
		if value != "" {
			words = append(words, key+"="+value)
		}
	}
	if !v.device {
		add(factDevice, "none")
	}
	add(factTOS, v.tos)
	add(factClass, v.class)
	if v.vlan != "0" { // no VLAN
		add(factVLAN, v.vlan)
		add(factQoS, v.qos)
	}
	return cmp.Or(strings.Join(words, " "), factDevice+"=yes")
}

// text describes the values, as part of a sentence: "default_roce_tos is 104, traffic_class is not known".
func (v *vfSeen) text() string {
	known := func(text string) string { return cmp.Or(text, "not known") }
	text := fmt.Sprintf("%s is %s, %s is %s", factTOS, known(v.tos), factClass, known(v.class))
	if !v.device {
		text = "the host shows no RDMA device"
	}
	if v.vlan != "" {
		text += fmt.Sprintf(", and the host gives packets VLAN %s with priority %s", v.vlan, known(v.qos))
	}
	return text
}

// samples returns the answer as facts about a NIC.
func (seen *seen) samples(netdev string) []target.Sample {
	fact := func(name, value string) target.Sample {
		return target.Sample{Name: name, On: netdev, Unit: target.UnitFact, Fact: value}
	}
	out := []target.Sample{fact(factNetns, cmp.Or(seen.netns, unknownNetns))}
	for i := range seen.vfs {
		out = append(out, fact(factVFs+seen.vfs[i].ranges, seen.vfs[i].fact()))
	}
	return out
}

// seenOf returns the answer from the facts about a NIC; nil: the probe did not run on it.
func seenOf(facts [][2]string) *seen {
	var out *seen
	for _, fact := range facts {
		name, text := fact[0], fact[1]
		ranges, isVFs := strings.CutPrefix(name, factVFs)
		switch {
		case name == factNetns:
			if out = (&seen{netns: text}); text == unknownNetns {
				out.netns = ""
			}
		case isVFs && out != nil:
			v := vfSeen{ranges: ranges, device: true}
			for word := range strings.FieldsSeq(text) {
				switch key, value, _ := strings.Cut(word, "="); key {
				case factDevice:
					v.device = value != "none"
				case factTOS:
					v.tos = value
				case factClass:
					v.class = value
				case factVLAN:
					v.vlan = value
				case factQoS:
					v.qos = value
				}
			}
			out.vfs = append(out.vfs, v)
		}
	}
	return out
}
