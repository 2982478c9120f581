package cumulus

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/steps"
	"github.com/rocec/rocec/targets/target"
)

// probes returns the probes that show whether the settings work: switchd runs, and cabled ports have a link. A port with lossless traffic
// must not drop packets because of a full buffer, and its peer must not pause a lossy class. A change must not lose BGP and LLDP
// neighbours either, although the fabric does not state them.
func probes(d *ir.Device) []target.Probe {
	rel, _, ok := documented(d.Switch.Version) // not ok: rocec changes nothing on the switch
	out := []target.Probe{Switchd(d.Name, reloads(rel, d.Switch.Model.ASIC) || split(rel), true)}
	if ok && (hasChecker(rel) || reloads(rel, d.Switch.Model.ASIC)) {
		out = append(out, waysProbe(d, rel))
	}
	if ok && hasChecker(rel) {
		out = append(out, verdictProbe(d.Name, rel))
	}
	if ok {
		out = append(out, refusalProbe(d.Name))
	}
	return append(out, Around(d)...)
}

// Around returns the probes of a switch's surroundings and traffic: links, LLDP and BGP neighbours, its MLAG pair, counters.
func Around(d *ir.Device) []target.Probe {
	var cables []target.Cable
	var carrying []string // ports with lossless traffic
	for _, p := range sorted(d.Ports) {
		name := p.port.String()
		if p.ir.Link() != nil {
			cables = append(cables, target.CableOf(p.ir, name))
		}
		if len(p.ir.Buffers()) > 0 {
			carrying = append(carrying, name)
		}
	}
	out := target.NeighbourProbes(d.Name, cables)
	if d.Switch.MLAG != "" {
		out = append(out, mlagProbe(d.Name))
	}
	if len(carrying) > 0 {
		out = append(out, counterProbe(d, carrying))
	}
	return out
}

// Switchd asks whether switchd runs, and when it started: a later start shows that the daemon died. NRestarts would count this, but it
// needs systemd 235, and Cumulus Linux 3.x has 215.
//
// blind states that the settings in the chip cannot be read back. On no release does a documented node of switchd show PFC, buffers or
// marking.
//
// needed states that changes need a running switchd, because it reloads. A restart would start a stopped switchd.
func Switchd(device string, needed, blind bool) target.Probe {
	const since = "ActiveEnterTimestampMonotonic"
	const cmd = "systemctl is-active " + steps.Unit + "\nsystemctl show -p " + since + " " + steps.Unit + "\ntrue"
	return target.StateProbe("switchd", cmd, func(answer []byte) []target.Sample {
		state, rest, _ := strings.Cut(string(answer), "\n")
		state = strings.TrimSpace(state)
		out := []target.Sample{target.Gauge("switchd", "", state == "active",
			fmt.Sprintf("%s on %s is %s; its log is /var/log/switchd.log.", steps.Unit, device, target.Escape(state)))}
		out[0].Needed = needed
		value, ok := strings.CutPrefix(strings.TrimSpace(rest), since+"=")
		if n, err := strconv.ParseUint(value, 10, 64); ok && err == nil && n > 0 {
			out = append(out, target.Sample{
				Name: "switchd start", Value: n, Unit: target.UnitMicroseconds, Counter: true, Hard: true,
				Says: func(uint64) string { return fmt.Sprintf("%s on %s started again.", steps.Unit, device) },
			})
		}
		if blind {
			out = append(out, target.Sample{Name: "PFC, buffers and marks in use", Unit: target.UnitFact, Fact: target.NotReadable})
		}
		return out
	})
}

// mlagProbe asks clagd for the other switch of the pair. The members of its JSON are not documented; without status.peerAlive, the state
// is unknown.
func mlagProbe(device string) target.Probe {
	return target.StateProbe("MLAG peer", "clagctl -j 2>/dev/null || true", func(answer []byte) []target.Sample {
		var doc struct {
			Status struct {
				PeerAlive *bool `json:"peerAlive"`
			} `json:"status"`
		}
		if json.Unmarshal(answer, &doc) != nil || doc.Status.PeerAlive == nil {
			return nil
		}
		says := "clagd on " + device + " does not see the other switch of its MLAG pair."
		s := target.Gauge("MLAG peer", "", *doc.Status.PeerAlive, says)
		s.Pair = true
		return []target.Sample{s}
	})
}

// counterProbe asks for the counters of ports that carry lossless traffic.
func counterProbe(d *ir.Device, ports []string) target.Probe {
	var lossless [8]bool // by the number in a PFC frame: the cos, or a PCP of its cos group
	for _, p := range d.Ports {
		for _, b := range p.Buffers() {
			lossless[b.Group.Cos] = true
			for _, c := range b.Group.PCP {
				lossless[c.Value] = true
			}
		}
	}
	known := portCounters(d, lossless)
	return target.Probe{
		Name: "lossless counters",
		Query: target.Query{Cmd: "for p in " + strings.Join(ports, " ") + `; do
echo "port $p"
` + target.CountersCmd(`"$p"`) + `done`},
		// Every switch of this system has ethtool, so unreadable drops are a finding.
		Judge: func(answer []byte) (wrong []string) {
			for _, s := range unreadCounters(answer, ports) {
				wrong = append(wrong, s.Hint)
			}
			return wrong
		},
		Samples: func(answer []byte) []target.Sample {
			var out []target.Sample
			eachPort(answer, ports, func(port, lines string) {
				target.Counters([]byte(lines), func(name string, n uint64) {
					c, ok := known[name]
					if !ok {
						return
					}
					s := target.Sample{Name: c.name, On: port, Value: n, Unit: c.unit, Counter: true}
					if c.says != nil {
						s.Says = func(n uint64) string { return c.says(d.Name+":"+port, n) }
					}
					out = append(out, s)
				})
			})
			for _, s := range unreadCounters(answer, ports) {
				s.Hint = "" // Judge reports it
				out = append(out, s)
			}
			return out
		},
	}
}

// eachPort calls use for each of the ports, with its lines in the answer.
func eachPort(answer []byte, ports []string, use func(port, lines string)) {
	for section := range strings.SplitSeq("\n"+string(answer), "\nport ") {
		port, lines, _ := strings.Cut(section, "\n")
		if i := slices.Index(ports, port); i >= 0 {
			use(ports[i], lines)
		}
	}
}

// unreadCounters returns a sample for every reason why counters of ports could not be read.
func unreadCounters(answer []byte, ports []string) (out []target.Sample) {
	of := map[string][]string{}
	eachPort(answer, ports, func(port, lines string) {
		if why := target.CountersUnread([]byte(lines)); why != "" {
			of[why] = append(of[why], port)
		}
	})
	for _, why := range slices.Sorted(maps.Keys(of)) {
		names := of[why]
		const most = 8
		if n := len(names) - most; n > 0 {
			names = append(names[:most:most], fmt.Sprintf("%d more", n))
		}
		out = append(out, target.UnreadCounters(diag.And(names), why))
	}
	return out
}

// counter is a counter of a port. says returns the meaning of a rise; nil: a rise is no problem.
type counter struct {
	name, unit string
	says       func(at string, n uint64) string
}

// portCounters returns the counters that concern lossless traffic, by name. Drops of egress queues (HwIfOutQDrops, HwIfOutWredDrops) may
// be of lossy traffic, and pauses of lossless classes are the purpose of PFC, so neither is a problem.
func portCounters(d *ir.Device, lossless [8]bool) map[string]counter {
	m := map[string]counter{}
	add := func(name, unit string, says func(string, uint64) string) { m[name] = counter{name, unit, says} }
	for _, name := range []string{"HwIfOutQDrops", "HwIfOutWredDrops"} {
		add(name, target.UnitPackets, nil)
	}
	for _, name := range []string{"HwIfInPausePkt", "HwIfOutPausePkt"} {
		add(name, target.UnitFrames, nil)
	}
	const drops = "HwIfInBufferDrops"
	add(drops, target.UnitPackets, func(at string, n uint64) string {
		return fmt.Sprintf("%s carries lossless traffic and dropped %s because a buffer was full (%s).", at, target.Count(n, "packet"), drops)
	})
	for priority := range lossless {
		in, out := fmt.Sprintf("HwIfInPfc%dPkt", priority), fmt.Sprintf("HwIfOutPfc%dPkt", priority)
		add(out, target.UnitFrames, nil)
		if lossless[priority] || d.Fabric.FlowControl != ir.PFC {
			add(in, target.UnitFrames, nil)
			continue
		}
		add(in, target.UnitFrames, func(at string, n uint64) string {
			return fmt.Sprintf("%s received %s for priority %d, which is not lossless here: its peer pauses another class (%s).",
				at, target.Count(n, "PFC frame"), priority, in)
		})
	}
	return m
}
