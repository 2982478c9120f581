package nic

import (
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic/steps"
)

// read returns the settings of a host's NICs, from their live states, else from their value files. A value is unknown if the NIC lacks the
// setting ("unsupported") or the host does not report it.
func (f *Family) read(d *ir.Device, content func(path string) []byte) *ir.Settings {
	s := &ir.Settings{Ports: map[string]*ir.PortSettings{}}
	for _, n := range d.Host.NICs { // also a NIC that leaves
		if text := held(n, content); n.Model.Driver == f.Driver && text != nil {
			p := readValues(text)
			f.given(&p, n)
			s.Set(n.Name, p)
		}
	}
	if len(s.Ports) == 0 {
		return nil
	}
	return s
}

// given adds the behaviour of the family's NICs for which the family has no setting. A NIC without PFC sends no pauses. A NIC without a
// choice of the trusted field trusts the field of its intents.
func (f *Family) given(p *ir.PortSettings, n *ir.NIC) {
	p.PausesKnown = p.PausesKnown || !f.sets("pfc")
	if s := f.Lower(n); !f.sets("trust") && len(s.Intents) > 0 {
		p.Trust, p.TrustKnown = ir.Trust{DSCP: s.ByDSCP, PCP: !s.ByDSCP}, true
		for v := range p.PCP {
			p.PCP[v] = int8(v)
		}
		for v, prio := range s.DSCP {
			p.DSCP[v] = int8(prio)
		}
	}
}

// held returns the live state of a NIC, else its value file; nil: both are missing.
func held(n *ir.NIC, content func(path string) []byte) []byte {
	if text := content(steps.StateName(n.Name)); len(text) > 0 {
		return text
	}
	return content(steps.ConfPath(n.Name))
}

// readValues reads a value file or a state. Both have the same form.
func readValues(text []byte) ir.PortSettings {
	p := ir.UnknownPort()
	value := ValueIn(text)
	switch value("trust") {
	case "dscp":
		p.Trust, p.TrustKnown = ir.Trust{DSCP: true}, true
	case "pcp":
		p.Trust, p.TrustKnown = ir.Trust{PCP: true}, true
		for v := range p.PCP {
			p.PCP[v] = int8(v) // a NIC uses the PCP as the priority
		}
	}
	for prio := range 8 {
		readRanges(p.DSCP[:], value("dscp_prio"+strconv.Itoa(prio)), int8(prio))
	}
	if on, ok := readEight(value("pfc")); ok {
		p.PausesKnown = true
		for prio, bit := range on {
			if bit == "1" {
				p.Sends |= 1 << prio
			}
		}
		p.Obeys = p.Sends
	}
	switch value("pause") {
	case "on":
		p.Sends, p.Obeys, p.LinkPause, p.PausesKnown = 0xff, 0xff, true, true
	case "rx":
		p.Obeys, p.LinkPause, p.PausesKnown = 0xff, true, true
	case "tx":
		p.Sends, p.LinkPause, p.PausesKnown = 0xff, true, true
	}
	readShares(&p, value)
	p.Stamps = readStamps(value)
	readDetail(&p, value)
	return p
}

// ValueIn returns a function for the value of a key; empty: the key is missing.
func ValueIn(text []byte) func(key string) string {
	return func(key string) string {
		_, v, _ := strings.Cut(string(find(text, key)), "=")
		return v
	}
}

// readStamps returns the DSCPs with which the NIC marks packets: by default, by traffic_class and by address.
func readStamps(value func(key string) string) (values uint64) {
	tos := func(text string) {
		if n, err := strconv.ParseUint(text, 10, 8); err == nil {
			values |= 1 << (n >> 2) // the DSCP is the upper six bits
		}
	}
	tos(value("tos"))
	tos(value("traffic_class"))
	for rule := range strings.FieldsFuncSeq(value("traffic_rules"), func(r rune) bool { return r == ' ' || r == ',' }) {
		if text, is := strings.CutPrefix(rule, "tclass="); is {
			tos(text)
		}
	}
	return values
}

// readShares reads the shares of priorities in the link, from their traffic classes.
func readShares(p *ir.PortSettings, value func(key string) string) {
	classes, ok := readEight(value("ets_tc"))
	algorithms, known := readEight(value("ets_tsa"))
	shares, stated := readEight(value("ets_bw"))
	if !ok || !known {
		return
	}
	for prio, class := range classes {
		tc, err := strconv.ParseUint(class, 10, 3)
		switch {
		case err != nil:
		case algorithms[tc] == "strict":
			p.Strict |= 1 << prio
		case algorithms[tc] == "ets" && stated:
			share, _ := strconv.ParseUint(shares[tc], 10, 7)
			p.Share[prio] = uint8(share)
		}
	}
}

// readEight reads the output of [Eight].
func readEight(value string) (words []string, ok bool) {
	words = strings.Split(value, ",")
	return words, len(words) == 8
}

// readRanges gives the values in a list such as "0-25,27" one priority.
func readRanges(to []int8, ranges string, prio int8) {
	for item := range strings.SplitSeq(ranges, ",") {
		first, last, isRange := strings.Cut(item, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		end, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil || from < 0 || end >= len(to) {
			continue
		}
		for v := from; v <= end; v++ {
			to[v] = prio
		}
	}
}

// readDetail reads the values that do not change the treatment of packets at a hop.
func readDetail(p *ir.PortSettings, value func(key string) string) {
	d := ir.UnknownDetail()
	classes, ok := readEight(value("ets_tc"))
	for prio := range classes {
		if tc, err := strconv.ParseUint(classes[prio], 10, 3); ok && err == nil {
			d.Queue[prio] = int8(tc)
		}
	}
	algorithms, known := readEight(value("ets_tsa"))
	shares, stated := readEight(value("ets_bw"))
	for tc := range 8 {
		switch {
		case !known:
		case algorithms[tc] == "strict":
			d.Queues[tc].Strict = ir.Of(true)
		case algorithms[tc] == "ets":
			d.Queues[tc].Strict = ir.Of(false)
			if share, err := strconv.ParseUint(shares[min(tc, len(shares)-1)], 10, 7); stated && err == nil {
				d.Queues[tc].Share = ir.Of(int(share))
			}
		}
	}
	if on, ok := readEight(value("pfc")); ok {
		mask := uint8(0)
		for prio, bit := range on {
			if bit == "1" {
				mask |= 1 << prio
			}
		}
		d.PFC = ir.Of(mask)
	}
	number := func(key string) ir.Setting[int] {
		n, err := strconv.Atoi(value(key))
		if err != nil || n <= 0 {
			return ir.Setting[int]{}
		}
		return ir.Of(n)
	}
	d.Cable, d.MTU = number("cable"), number("mtu")
	if m, ok := ReadVLANMap(strings.Split(value("vlan_map"), ",")); ok {
		d.VLANMap = ir.Of(m)
	}
	p.Detail = ir.NewDetail(d)
}

// ReadVLANMap reads pairs such as "4:3", a socket priority and its PCP. Other socket priorities have PCP 0, the default of Linux. Socket
// priorities above 7 are left out. ok is false if the list is empty, or contains a word that is not a pair.
func ReadVLANMap(pairs []string) (m [8]int8, ok bool) {
	for _, pair := range pairs {
		from, to, _ := strings.Cut(pair, ":")
		sk, err := strconv.ParseUint(from, 10, 32)
		pcp, err2 := strconv.ParseUint(to, 10, 3)
		if err != nil || err2 != nil {
			return m, false
		}
		if sk < 8 {
			m[sk] = int8(pcp)
		}
		ok = true
	}
	return m, ok
}
