package nic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// This file reads a host's answers about its NICs and compares them with the fabric, for every driver: the state of the link and of the
// RDMA device. A missing or meaningless value causes no finding.

// Facts are lines "KEY VALUE" of an answer, by key. If a key occurs twice, the first counts.
type Facts map[string]string

// mostFact is the largest length of a line in bytes, and mostFacts the largest number of facts.
const (
	mostFact  = 200
	mostFacts = 200
)

// ReadFacts reads an answer. It leaves out lines that are too long.
func ReadFacts(answer []byte) Facts {
	f := Facts{}
	for line := range strings.Lines(string(answer)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if _, known := f[key]; ok && !known && len(line) <= mostFact && len(f) < mostFacts {
			f[key] = strings.TrimSpace(value)
		}
	}
	return f
}

// Number returns a value as a number; not ok: it is not a decimal whole number.
func (f Facts) Number(key string) (n int, ok bool) {
	n, err := strconv.Atoi(f[key])
	return n, err == nil
}

// Samples returns the facts of an interface as samples, in the order of keys. It leaves out "-", which marks a key without a value.
func (f Facts) Samples(netdev string, keys []string) []target.Sample {
	var out []target.Sample
	for _, key := range keys {
		if v := f[key]; v != "" && v != "-" {
			out = append(out, target.Sample{Name: key, On: netdev, Unit: target.UnitFact, Fact: v})
		}
	}
	return out
}

// FactProbe asks for the state of a NIC's link and RDMA device.
func FactProbe(s *Settings) target.Probe {
	n := s.NIC
	return target.Probe{
		Name: "state of " + n.Name, Slow: true,
		Query: target.Query{Cmd: "n=" + Quote(n.Name) + `
for k in carrier speed mtu; do
{ read -r v <"/sys/class/net/$n/$k"; } 2>/dev/null && printf '%s %s\n' "$k" "$v"
done
printf 'kernel %s\n' "$(uname -r)"
` + RDMAPorts(n, `
printf 'rdma %s/%s\nnetdev %s\n' "$dev" "${p##*/}" "$first"
for k in state link_layer; do
{ read -r v <"$p/$k"; } 2>/dev/null && printf '%s %s\n' "$k" "$v"
done
{ read -r v <"$d/fw_ver"; } 2>/dev/null && printf 'firmware %s\n' "$v"
timeout 5 ibv_devinfo -d "$dev" -i "${p##*/}" 2>/dev/null | while read -r k v rest; do
[ "$k" != active_mtu: ] || printf 'active_mtu %s\n' "$v"
done`)},
		Judge: func(answer []byte) []string { return judgeFacts(s, ReadFacts(answer)) },
		Samples: func(answer []byte) []target.Sample {
			return ReadFacts(answer).Samples(n.Name, []string{"rdma", "firmware", "kernel", "speed", "active_mtu"})
		},
	}
}

func judgeFacts(s *Settings, f Facts) []string {
	var wrong []string
	n := s.NIC
	at := n.Name + " on " + n.Device.Name
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if speed, ok := f.Number("speed"); ok && speed > 0 && f["carrier"] == "1" && n.Port != nil && n.Port.Speed() > 0 &&
		speed != n.Port.Speed() {
		say("%s runs at %s; the fabric has a link of %s to %s.", at, speedText(speed), speedText(n.Port.Speed()), n.Port.Peer())
	}
	if layer := f["link_layer"]; layer != "" && layer != "Ethernet" {
		say("The port of %s is an %s port, which carries no RoCE. Set the link type in the NIC's firmware.", at, target.Escape(layer))
	}
	if state := f["state"]; f["carrier"] == "1" && state != "" && !strings.HasPrefix(state, "4:") {
		say("The RDMA port of %s is %s, although the interface has a link; it must be ACTIVE.", at, target.Escape(state))
	}
	mtu, ok1 := f.Number("mtu")
	active, ok2 := f.Number("active_mtu")
	if want := ir.RDMAMTU(mtu); ok1 && ok2 && want > 0 && active != want {
		say("The RDMA port of %s has an active MTU of %d; with the MTU %d of the interface it should be %d. Peers use the smaller MTU, or "+
			"connections fail.", at,
			active, mtu, want)
	}
	if b := n.Bond; b != nil && b.NICs[0] == n && f["netdev"] != "" && f["netdev"] != "-" && f["netdev"] != b.Name {
		why := ""
		if old(f["kernel"]) {
			why = fmt.Sprintf(" Linux %s is older than 4.9, the first with RoCE LAG.", target.Escape(f["kernel"]))
		}
		say("%s on %s is not a RoCE LAG: the RDMA device %s belongs to %s alone, so RoCE does not move to the other port when a port "+
			"fails.%s", b.Name,
			n.Device.Name, target.Escape(f["rdma"]), target.Escape(f["netdev"]), why)
	}
	return wrong
}

// old reports whether a kernel is older than 4.9. Source: the vendor's documentation of RoCE LAG.
func old(kernel string) bool {
	major, rest, _ := strings.Cut(kernel, ".")
	minor := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	a, err1 := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	return err1 == nil && err2 == nil && (a < 4 || a == 4 && b < 9)
}

// speedText spells Mb/s: "100G".
func speedText(mbps int) string {
	if mbps%1000 == 0 {
		return strconv.Itoa(mbps/1000) + "G"
	}
	return strconv.Itoa(mbps) + "M"
}
