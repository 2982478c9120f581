package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// quanta is the time that a port needs to obey a pause, in units of 512 bits, by speed in Gb/s. Source: SONiC,
// buffer_headroom_mellanox.lua.
var quanta = map[int]int{1: 67, 10: 67, 25: 80, 40: 118, 50: 147, 100: 394, 200: 453, 400: 905, 800: 905}

// cells are the cell sizes of the chip's generations, in bytes.
var cells = [...]int{96, 144, 144, 192, 192, 256}

// headroom returns the bytes that a switch reserves for a profile with a stated length. Source: SONiC, buffer_headroom_mellanox.lua, with
// corrected factors of bytes on the cable; switchd's own formula is not published.
func headroom(spectrum, mbps, mtu, meters, small int) int {
	cell := float64(cells[spectrum-1])
	worst := 2 * cell / (1 + cell)
	if cell > 128 {
		worst = cell / 64
	}
	share := float64(small) / 100
	peer := quanta[mbps/1000] * 64
	cable := 2 * float64(meters) * float64(mbps) * 1e6 / 198e6 / 8
	need := 1024 + (float64(mtu)+cable+0.8*1024+float64(peer))*(1-share+share*worst)
	return int(math.Ceil(need/1024)) * 1024
}

// programmed returns the chip's state of a port, which differs from the applied configuration after a failure.
func (n *NVUE) programmed(port string) tree {
	for i, p := range n.Ports {
		if p.has(port) && len(n.Torn) > 0 && i >= len(n.Ports)/2 {
			return effective(n.Torn, n.release())
		}
	}
	return effective(n.Chip, n.release())
}

// has reports whether a name belongs to the port or to one of its parts.
func (p Port) has(name string) bool { return p.Name == name || strings.HasPrefix(name, p.Name+"s") }

// port returns the current state of a port.
func (n *NVUE) port(name string) (Port, bool) {
	for _, p := range n.Ports {
		if p.has(name) {
			dev, ok := n.m.Netdev(name)
			if ok && dev.SpeedMbps > 0 {
				p.SpeedMbps = dev.SpeedMbps
			}
			if ok && dev.MTU > 0 {
				p.MTU = dev.MTU
			}
			return p, true
		}
	}
	return Port{}, false
}

// size returns a leaf of bytes in the form that the switch is set to write.
func (n *NVUE) size(bytes int) any {
	switch n.Units {
	case Bytes:
		return fmt.Sprintf("%d B", bytes)
	case Scaled:
		switch {
		case bytes >= 1<<20:
			return fmt.Sprintf("%.2f MB", float64(bytes)/(1<<20))
		case bytes >= 1<<10:
			return fmt.Sprintf("%.2f KB", float64(bytes)/(1<<10))
		}
		return fmt.Sprintf("%d Bytes", bytes)
	}
	return int64(bytes)
}

// sized converts the leaves of bytes in an object to the switch's form.
func (n *NVUE) sized(t tree) tree {
	out := t.clone()
	for k, v := range out {
		switch v := v.(type) {
		case tree:
			out[k] = n.sized(v)
		case int64:
			if slices.Contains([]string{"min-threshold", "max-threshold", "port-buffer", "xoff-threshold", "xon-threshold"}, k) {
				out[k] = n.size(int(v))
			}
		}
	}
	return out
}

// profile returns a PFC profile with its defaults.
func profile(p tree) tree {
	out := tree{
		"cable-length": int64(10), "port-buffer": int64(25000), "xoff-threshold": int64(10000), "xon-threshold": int64(2000),
		"tx": "enable", "rx": "enable",
	}
	out.merge(p)
	return out
}

// groups returns the memory of a port by priority groups.
func (n *NVUE) groups(name string) tree {
	eff := n.programmed(name)
	p, _ := n.port(name)
	group := func(id int, kind string, reserved, xon, xoff, room int) tree {
		return tree{
			"pool-id": int64(id), "mode": "DYNAMIC", "reserved-size": n.size(reserved), "current-usage": n.size(0), "max-usage": n.size(0),
			"shared-max": "ALPHA_8", "lossy-lossless": kind, "xon-threshold": n.size(xon), "xoff-threshold": n.size(xoff), "headroom": n.size(room),
		}
	}
	out := tree{"0": group(0, "lossy", 9*1024, 0, 0, 0), "9": group(0, "lossy", 9*1024, 0, 0, 0)}
	holder := cmp.Or(bonds(eff)[name], name)
	pfc := pausing(eff, holder, "pfc")
	if pfc == nil {
		pfc = pausing(eff, holder, "link-pause")
	}
	lossless := slices.ContainsFunc(sorted(eff.sub("qos", "traffic-pool")), func(k string) bool { return strings.HasSuffix(k, "-lossless") })
	if pfc == nil || !lossless {
		return out
	}
	small := 100
	if n.Spectrum == 6 {
		small = 50
	}
	small = eff.number(pfc.number(small, "small-packet-probability"), "interface", name, "qos", "small-packet-probability")
	xon, xoff := 19456, 19456
	room := headroom(n.Spectrum, p.SpeedMbps, p.MTU, pfc.number(10, "cable-length"), small)
	if p.Meters > 0 && pfc.number(10, "cable-length") >= p.Meters {
		room = max(room, p.Least)
	}
	if pfc.at("port-buffer") != nil {
		xoff = pfc.number(10000, "xoff-threshold")
		xon = xoff - pfc.number(2000, "xon-threshold")
		room = pfc.number(0, "port-buffer") - xoff
	}
	room = max(room-p.Short, 0)
	out["1"] = group(1, "lossless", xoff+room, xon, xoff, room)
	return out
}

// marking returns the ECN of a port in the chip.
func marking(n *NVUE, name string) tree {
	eff := n.programmed(name)
	p := eff.text("interface", name, "qos", "congestion-control", "profile")
	if p == "" {
		p = "default-global"
	}
	out := tree{}
	out.merge(eff.sub("qos", "congestion-control", p))
	step := 64 * cells[n.Spectrum-1]
	for _, v := range out.sub("traffic-class") {
		for _, k := range []string{"min-threshold", "max-threshold"} {
			if c, ok := v.(tree); ok && c.at(k) != nil {
				c[k] = int64((c.number(0, k) + step - 1) / step * step)
			}
		}
	}
	out["profile"] = p
	return n.sized(out)
}

// counters returns the counters of a port.
func (n *NVUE) counters(name string) tree {
	pfc, queues := tree{}, tree{}
	count := func(format string, args ...any) int64 { return int64(n.m.Counter(name, fmt.Sprintf(format, args...))) }
	for i := range 8 {
		k := fmt.Sprint(i)
		pfc[k] = tree{"rx-pause-frames": count("HwIfInPfc%dPkt", i), "tx-pause-frames": count("HwIfOutPfc%dPkt", i)}
		queues[k] = tree{
			"ecn-marked-frames": count("queue %d ecn-marked-frames", i), "tx-uc-buffer-discards": int64(0), "wred-discards": int64(0),
			"tx-frames": count("queue %d tx-frames", i),
		}
	}
	buffer := tree{"1": tree{"rx-buffer-discards": count("HwIfInBufferDrops"), "rx-shared-buffer-discards": int64(0)}}
	return tree{"pfc-stats": pfc, "egress-queue-stats": queues, "ingress-buffer-stats": buffer}
}

// show simulates nv show.
func (c *call) show(words []string) int {
	if c.Faults.Garbage != "" {
		c.p.Print(c.Faults.Garbage)
		return 0
	}
	v := c.shown(words)
	if v == nil {
		return c.fail("Error: The requested item does not exist.")
	}
	if c.set["-o"] == "json" {
		c.p.Print(jsonText(v))
		return 0
	}
	for _, line := range commands("", v, "") {
		c.say("%s", strings.TrimPrefix(line, "nv  "))
	}
	return 0
}

// shown returns the tree that a path of nv show prints, or nil.
func (c *call) shown(words []string) tree {
	if words[0] == "system" && len(words) == 1 {
		host := c.byID(c.Applied).Tree.text("system", "hostname")
		return tree{"build": "Cumulus Linux " + c.Release, "hostname": host, "uptime": c.m.Now().String()}
	}
	if slices.Equal(words, []string{"qos", "roce"}) {
		return c.roce()
	}
	if words[0] != "interface" {
		eff := effective(c.Chip, c.release())
		if rev, ok := c.named(c.set["-r"]); ok && (c.set["-r"] == "pending" || c.set["-r"] == "applied") {
			return c.sized(tree{"": rev.Tree}).sub(append([]string{""}, words...)...)
		}
		for _, name := range sorted(eff.sub("qos", "pfc")) {
			eff.put(profile(eff.sub("qos", "pfc", name)), "qos", "pfc", name)
		}
		if t := eff.sub(words...); t != nil {
			return c.sized(t)
		}
		return nil
	}
	if len(words) == 1 {
		out := tree{}
		for _, p := range c.Ports {
			out[p.Name] = tree{"type": "swp"}
		}
		return out
	}
	name := words[1]
	what := strings.Join(words[2:], " ")
	eff := c.programmed(name)
	p, ok := c.port(name)
	if bond := eff.sub("interface", name, "bond") != nil; !ok && (!bond || what != "qos pfc") {
		return nil
	}
	counters := "counters qos"
	if c.release() < 5 {
		counters = "qos counters"
	}
	if part, ok := strings.CutPrefix(what, counters); ok {
		all := c.counters(name)
		if part = strings.TrimSpace(part); part != "" {
			return all.sub(part)
		}
		return all
	}
	switch what {
	case "qos roce counters":
		all := c.counters(name)
		return tree{
			"rx-stats": tree{
				"rx-roce-stats": tree{"no-buffer-discard": all.at("ingress-buffer-stats", "1", "rx-buffer-discards")},
				"rx-pfc-stats":  tree{"pause-packets": all.at("pfc-stats", "3", "rx-pause-frames")},
			},
			"tx-stats": tree{
				"tx-ecn-stats": tree{"ecn-marked-packets": all.at("egress-queue-stats", "3", "ecn-marked-frames")},
				"tx-pfc-stats": tree{"pause-packets": all.at("pfc-stats", "3", "tx-pause-frames")},
			},
		}
	case "qos buffer ingress-priority-group":
		return c.groups(name)
	case "qos buffer egress-traffic-class":
		out := tree{}
		for i := range 8 {
			out[strconv.Itoa(i)] = tree{
				"pool-id": int64(13), "mode": "DYNAMIC", "reserved-size": c.size(1008), "shared-max": "ALPHA_8", "max-usage": c.size(0),
				"current-usage": c.size(int(c.m.Counter(name, fmt.Sprintf("queue %d current-usage", i)))),
			}
		}
		return out
	case "qos egress-queue-mapping":
		out := tree{}
		for i := range 8 {
			n := strconv.Itoa(i)
			class := eff.number(i, "qos", "egress-queue-mapping", "default-global", "switch-priority", n, "traffic-class")
			out[n] = tree{"traffic-class": int64(class)}
		}
		return tree{"switch-priority": out}
	case "qos congestion-control":
		return marking(c.NVUE, name)
	case "qos pfc":
		if pfc := pausing(eff, name, "pfc"); pfc != nil {
			out := profile(pfc)
			if out["profile"] = eff.text("interface", name, "qos", "pfc", "profile"); out["profile"] == "" {
				out["profile"] = "default-global"
			}
			return c.sized(out)
		}
	case "qos pfc-watchdog":
		if state := eff.text("interface", name, "qos", "pfc-watchdog", "state"); state != "" && c.release() >= 6 {
			status := tree{}
			for tc := range 8 {
				is := "OK"
				if c.m.Counter(name, fmt.Sprintf("queue %d deadlock", tc)) > 0 {
					is = "DEADLOCK"
				}
				cuts := int64(c.m.Counter(name, fmt.Sprintf("queue %d deadlock-count", tc)))
				status[strconv.Itoa(tc)] = tree{"status": is, "deadlock-count": cuts}
			}
			return tree{"state": state, "status": status}
		}
	case "transceiver":
		if p.Meters > 0 {
			return tree{"cable-length": fmt.Sprintf("%dm", p.Meters)}
		}
	}
	return nil
}

// roce simulates nv show qos roce: the preset, and the deviations from it.
func (n *NVUE) roce() tree {
	key, off, on := spell(n.release())
	p := preset(n.Chip.expand(), n.release())
	if p == nil {
		return tree{key: off}
	}
	eff := effective(n.Chip, n.release())
	mode := eff.text("qos", "roce", "mode")
	if mode == "" {
		mode = "lossless"
	}
	out := tree{
		key: on, "mode": mode, "trust": tree{"trust-mode": "pcp,dscp"},
		"congestion-control": tree{
			"congestion-mode": "ECN", "enabled-tc": "0,3", "probability": int64(100),
			"min-threshold": n.size(150000), "max-threshold": n.size(1500000),
		},
		"lldp-app-tlv": tree{"priority": int64(3), "protocol-id": int64(4791), "selector": "UDP"},
	}
	if pfc := eff.sub("qos", "pfc", "default-global"); pfc != nil && mode != "lossy" {
		out["pfc"] = tree{
			"pfc-priority": strings.Join(sorted(pfc.sub("switch-priority")), ","),
			"rx-enabled":   pfc.text("rx") + "d", "tx-enabled": pfc.text("tx") + "d",
		}
	}
	exceptions := tree{}
	for i, line := range commands("", n.Chip.expand().sub("qos").minus(tree{"roce": n.Chip.expand().at("qos", "roce")}).minus(p), "") {
		exceptions[fmt.Sprint(i+1)] = tree{"description": strings.TrimPrefix(line, "nv  ")}
	}
	out["exception-list"] = exceptions
	return out
}

// eeprom simulates decode-syseeprom -j.
func (n *NVUE) eeprom(p *target.Proc) int {
	if !slices.Equal(p.Args[1:], []string{"-j"}) {
		return p.Fail(1, "usage: %s -j", p.Name())
	}
	entry := func(v string) tree { return tree{"value": v} }
	p.Print(jsonText(tree{"tlv": tree{
		"Product Name": entry(n.Model), "Manufacturer": entry("lab"), "Serial Number": entry("LAB0000001"),
	}}))
	return 0
}
