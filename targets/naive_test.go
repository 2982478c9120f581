package targets_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file is an independent implementation of the treatment of packets by a device, read from the bytes that are written to it, or from a
// by_hand block. It is deliberately simple and shares no code with the code under test.

// packet has the fields of a packet that a device reads.
type packet struct {
	ip     bool
	dscp   int
	tagged bool
	pcp    int
}

// pfcEnd is the flow control of one port for one priority: by PFC, or by link pause; any: PFC is on for some priority.
type pfcEnd struct{ sends, obeys, pause, any bool }

// box contains the settings of a device.
type box struct {
	trustPCP, trustDSCP bool
	pcp, dscp           map[int]int // from a value to its cos; a missing value has no cos
	identity            bool        // PCP is the priority; there is no map
	pfc                 map[string]map[int]pfcEnd
	pause               map[string]bool
	marks               map[string]map[int]bool
	marksAll            map[int]bool              // on every port
	drops               map[string]map[int]bool   // marked cos whose packets are dropped if they cannot be marked
	plain               int                       // the cos of packets without a trusted field
	from                map[string]map[int][3]int // thresholds of marking in bytes, and percent
	share               map[string]map[int]int    // percent of a port's link, 0 means strict; port "" means all ports
	group               map[int]string            // the priority group of a cos, if groups have the shares
	weight              map[string]int            // of priority groups, 0 means strict
	queue               map[int]int               // the egress queue of a cos
	nic                 map[string]string         // the value file of a NIC
	overridden          map[string]bool           // ports that others have set to sort differently
	own                 map[string]*box           // fields and maps of ports that differ from the device
	keys                map[string]string         // keys of a switch
	byHand              bool
}

func newBox() *box {
	return &box{
		keys: map[string]string{}, nic: map[string]string{}, pcp: map[int]int{}, dscp: map[int]int{}, overridden: map[string]bool{},
		own: map[string]*box{}, from: map[string]map[int][3]int{}, share: map[string]map[int]int{}, group: map[int]string{},
		weight: map[string]int{}, queue: map[int]int{}, pfc: map[string]map[int]pfcEnd{}, pause: map[string]bool{},
		marks: map[string]map[int]bool{}, drops: map[string]map[int]bool{},
	}
}

// nowhere is the cos of a value that is in no map.
const nowhere = -1

func (b *box) classify(port string, p packet) int {
	switch {
	case b.overridden[port]:
		return nowhere
	case b.own[port] != nil:
		return b.own[port].classify(port, p)
	case b.trustDSCP && p.ip:
		if cos, ok := b.dscp[p.dscp]; ok {
			return cos
		}
		return nowhere
	case b.trustPCP && p.tagged && b.identity:
		return p.pcp
	case b.trustPCP && p.tagged:
		if cos, ok := b.pcp[p.pcp]; ok {
			return cos
		}
		return nowhere
	}
	return b.plain
}

func (b *box) end(port string, cos int) pfcEnd {
	e := b.pfc[port][cos]
	e.pause = b.pause[port]
	for _, other := range b.pfc[port] {
		e.any = e.any || other.sends || other.obeys
	}
	return e
}

var cosKey = regexp.MustCompile(`^traffic\.cos_([0-7])\.(packet_priorities|(?:packet_priorities|priority_source)\.(?:8021p|dscp))$`)

// readSwitch reads a traffic.conf of any dialect from T1 to T4, or a qos_infra.conf followed by a qos_features.conf.
func readSwitch(text string) *box {
	keys := map[string]string{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		key, value, ok := strings.Cut(line, "=")
		if ok {
			keys[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	b := newBox()
	b.keys = keys
	b.plain, _ = strconv.Atoi(keys["traffic.port_default_priority"])
	cosOf := map[int][]int{} // by egress queue
	for cos := range 8 {
		queue, err := strconv.Atoi(keys[fmt.Sprintf("cos_egr_queue.cos_%d.uc", cos)])
		if err != nil {
			queue = cos
		}
		cosOf[queue] = append(cosOf[queue], cos)
		b.queue[cos] = queue
		if share, err := strconv.Atoi(keys[fmt.Sprintf("default_egress_sched.egr_queue_%d.bw_percent", queue)]); err == nil {
			put(b.share, "", cos, share)
		}
	}
	for _, g := range words(keys["traffic.priority_group_list"]) {
		if w, err := strconv.Atoi(keys["priority_group."+g+".weight"]); err == nil {
			b.weight[g] = w
			for _, cos := range numbers(keys["priority_group."+g+".cos_list"]) {
				b.group[cos] = g
			}
		}
	}
	thresholds := func(head string) [3]int {
		var t [3]int
		for i, key := range []string{"min_threshold_bytes", "max_threshold_bytes", "probability"} {
			t[i], _ = strconv.Atoi(keys[head+key])
		}
		return t
	}
	b.marksAll = map[int]bool{}
	for _, head := range []string{"default_ecn_conf.", "default_ecn_red_conf."} {
		for _, queue := range numbers(keys[head+"egress_queue_list"]) {
			for _, cos := range cosOf[queue] {
				b.marksAll[cos] = keys[head+"ecn_enable"] == "true"
				put(b.from, "", cos, thresholds(head))
			}
		}
	}
	trusted := words(keys["traffic.packet_priority_source"] + "," + keys["traffic.packet_priority_source_set"])
	b.trustPCP, b.trustDSCP = slices.Contains(trusted, "802.1p"), slices.Contains(trusted, "dscp")
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		m := cosKey.FindStringSubmatch(key)
		if m == nil {
			continue
		}
		to := b.pcp
		if strings.HasSuffix(key, ".dscp") || m[2] == "packet_priorities" && b.trustDSCP {
			to = b.dscp
		}
		for _, v := range numbers(keys[key]) {
			if _, twice := to[v]; twice {
				to[v] = nowhere
			} else {
				to[v], _ = strconv.Atoi(m[1])
			}
		}
	}
	if later := slices.ContainsFunc(slices.Collect(maps.Keys(keys)), func(k string) bool {
		return strings.HasPrefix(k, "traffic.") && strings.Contains(k, ".priority_source.")
	}); later {
		for _, g := range words(keys["source.port_group_list"]) { // earlier releases do not read it
			head := "source." + g + "."
			own := newBox()
			trusted := words(keys[head+"packet_priority_source_set"])
			own.plain, _ = strconv.Atoi(keys[head+"port_default_priority"])
			own.trustPCP, own.trustDSCP = slices.Contains(trusted, "802.1p"), slices.Contains(trusted, "dscp")
			for cos := range 8 {
				for _, v := range numbers(keys[fmt.Sprintf("%scos_%d.priority_source.8021p", head, cos)]) {
					own.pcp[v] = cos
				}
			}
			for _, port := range ports(keys[head+"port_set"]) {
				b.overridden[port] = g != "roce_trust" || b.own[port] != nil
				b.own[port] = own
			}
		}
	}
	for _, g := range words(keys["pfc.port_group_list"]) {
		e := pfcEnd{sends: keys["pfc."+g+".tx_enable"] == "true", obeys: keys["pfc."+g+".rx_enable"] == "true"}
		for _, port := range ports(keys["pfc."+g+".port_set"]) {
			for _, cos := range numbers(keys["pfc."+g+".cos_list"]) {
				put(b.pfc, port, cos, e)
			}
		}
	}
	for _, g := range words(keys["link_pause.port_group_list"]) {
		on := keys["link_pause."+g+".tx_enable"] == "true" && keys["link_pause."+g+".rx_enable"] == "true"
		for _, port := range ports(keys["link_pause."+g+".port_set"]) {
			b.pause[port] = on
		}
	}
	for _, feature := range []string{"ecn", "ecn_red"} {
		for _, g := range words(keys[feature+".port_group_list"]) {
			if feature == "ecn_red" && keys["ecn_red."+g+".ecn_enable"] != "true" {
				continue
			}
			for _, port := range ports(keys[feature+"."+g+".port_set"]) {
				cos := numbers(keys[feature+"."+g+".cos_list"])
				for _, queue := range numbers(keys[feature+"."+g+".egress_queue_list"]) {
					cos = append(cos, cosOf[queue]...)
				}
				for _, cos := range cos {
					put(b.marks, port, cos, true)
					put(b.drops, port, cos, keys[feature+"."+g+".red_enable"] == "true")
					put(b.from, port, cos, thresholds(feature+"."+g+"."))
				}
			}
		}
	}
	return b
}

func put[V any](m map[string]map[int]V, port string, cos int, v V) {
	if m[port] == nil {
		m[port] = map[int]V{}
	}
	m[port][cos] = v
}

// words splits "[a, b]" or "a".
func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("[], \t", r) })
}

func numbers(s string) []int {
	var out []int
	for _, w := range words(s) {
		if n, err := strconv.Atoi(w); err == nil {
			out = append(out, n)
		}
	}
	return out
}

var portRun = regexp.MustCompile(`^(swp(?:\d+s)?)(\d+)-(?:swp(?:\d+s)?)?(\d+)$`)

// ports expands "swp1-swp4,swp6".
func ports(s string) []string {
	var out []string
	for _, w := range words(s) {
		m := portRun.FindStringSubmatch(w)
		if m == nil {
			out = append(out, w)
			continue
		}
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[3])
		for n := from; n <= to; n++ {
			out = append(out, m[1]+strconv.Itoa(n))
		}
	}
	return out
}

// readNIC reads the value file of a NIC.
func readNIC(name, text string) *box {
	b := newBox()
	b.identity = true
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && !strings.HasPrefix(key, "#") {
			b.nic[key] = value
		}
	}
	b.trustPCP, b.trustDSCP = b.nic["trust"] == "pcp", b.nic["trust"] == "dscp"
	for prio := range 8 {
		for _, w := range words(b.nic["dscp_prio"+strconv.Itoa(prio)]) {
			first, last, isRun := strings.Cut(w, "-")
			from, err := strconv.Atoi(first)
			if err != nil {
				continue // none
			}
			to := from
			if isRun {
				to, _ = strconv.Atoi(last)
			}
			for v := from; v <= to; v++ {
				b.dscp[v] = prio
			}
		}
	}
	for prio, on := range numbers(b.nic["pfc"]) {
		put(b.pfc, name, prio, pfcEnd{sends: on == 1, obeys: on == 1})
	}
	b.pause[name] = b.nic["pause"] == "on"
	return b
}

// answers reports whether a NIC answers marks of a priority and slows down: by a switch of the priority, or by one for the whole NIC.
func (b *box) answers(prio int) bool {
	np, rp := b.nic["ecn_np_prio"+strconv.Itoa(prio)], b.nic["ecn_rp_prio"+strconv.Itoa(prio)]
	return np == "on" && rp == "on" || b.nic["ecn_enable"] == "on" && b.nic["ecn_marking"] == "1" || b.nic["dcqcn"] == "on"
}

// number returns a value of the file, or the NIC's default if the file omits it.
func (b *box) number(key string, otherwise int) int {
	n, err := strconv.Atoi(b.nic[key])
	if err != nil {
		return otherwise
	}
	return n
}

// socketPriority returns Linux's socket priority for a type of service (rt_tos2priority).
func socketPriority(tos int) int {
	switch (tos & 0x1E) >> 1 {
	case 0, 1, 2, 3:
		return 0
	case 4, 5, 6, 7:
		return 2
	case 8, 9, 10, 11:
		return 6
	}
	return 4
}

// tag returns the PCP that the NIC writes into packets of a VLAN with a type of service.
func (b *box) tag(vlan, tos int) int {
	if b.number("vlan", 0) != vlan {
		return 0
	}
	for _, w := range words(b.nic["vlan_map"]) {
		sk, pcp, _ := strings.Cut(w, ":")
		if sk == strconv.Itoa(socketPriority(tos)) {
			n, _ := strconv.Atoi(pcp)
			return n
		}
	}
	return 0
}
