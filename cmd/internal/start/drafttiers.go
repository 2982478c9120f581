package start

import (
	"slices"
	"strings"
)

// levels guesses the height of every switch, the peer links, and the routing: "up-down" if every host then reaches every other host, else
// a routing that needs no heights.
func (d *draft) levels() {
	d.routing = "up-down"
	for _, guess := range []func() bool{d.byDistance, d.byNames, d.byBoth} {
		if !guess() {
			continue
		}
		d.markPeers(func(x *cable) bool { return x.a.dev.tier == x.b.dev.tier })
		if d.paired() && d.allReach() {
			return
		}
	}
	d.routing = "shortest-path"
	for _, dev := range d.devices {
		dev.tier = 0
	}
	d.markPeers(func(*cable) bool { return false })
}

// states reports whether the draft states tiers, because counting from the hosts gives other tiers.
func (d *draft) states() bool {
	if d.routing != "up-down" {
		return false
	}
	want := map[*device]int{}
	for _, dev := range d.devices {
		want[dev] = dev.tier
	}
	d.byDistance()
	same := true
	for _, dev := range d.devices {
		same = same && dev.tier == want[dev]
		dev.tier = want[dev]
	}
	return !same
}

// markPeers marks the cables between switches that are peer links.
func (d *draft) markPeers(is func(*cable) bool) {
	for _, x := range d.cables {
		x.peer = x.a.dev.role == isSwitch && x.b.dev.role == isSwitch && is(x)
	}
}

// paired reports whether peer links join pairs of switches, as for redundancy pairs. Tiers cannot describe the paths in a ring or a mesh
// of switches.
func (d *draft) paired() bool {
	mate := map[*device]*device{}
	for _, x := range d.cables {
		for _, j := range []*jack{x.a, x.b} {
			if other := mate[j.dev]; x.peer && other != nil && other != j.peer.dev {
				return false
			}
			if x.peer {
				mate[j.dev] = j.peer.dev
			}
		}
	}
	return true
}

// byDistance counts heights from the hosts, as the compiler does.
func (d *draft) byDistance() bool {
	var queue []*device
	for _, dev := range d.devices {
		dev.tier = 0
		if dev.role == isHost {
			queue = append(queue, dev)
		}
	}
	for len(queue) > 0 {
		dev := queue[0]
		queue = queue[1:]
		for _, j := range dev.jacks {
			if next := j.peer.dev; next.role == isSwitch && next.tier == 0 {
				next.tier = dev.tier + 1
				queue = append(queue, next)
			}
		}
	}
	return true
}

// heights maps words to levels.
var heights = map[string]int{
	"leaf": 1, "leafs": 1, "leaves": 1, "tor": 1, "lf": 1, "access": 1, "exit": 1, "border": 1, "eor": 1, "t0": 1,
	"spine": 2, "spines": 2, "sp": 2, "agg": 2, "aggregation": 2, "distribution": 2, "dist": 2, "t1": 2,
	"superspine": 3, "super": 3, "ssp": 3, "core": 3, "t2": 3, "internet": 4, "wan": 4,
}

// height returns the level in the name or function of a switch; 0: none.
func height(dev *device) int {
	for _, text := range []string{dev.name, dev.said.Function} {
		all := words(text)
		for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
			if h := heights[part]; h > 0 {
				return h
			}
		}
		for _, w := range slices.Backward(all) {
			if h := heights[w]; h > 0 {
				return h
			}
		}
	}
	return 0
}

// byNames sets heights from names and functions; it returns false if a switch has no height.
func (d *draft) byNames() bool {
	for _, dev := range d.devices {
		if dev.role != isSwitch {
			continue
		}
		if dev.tier = height(dev); dev.tier == 0 {
			return false
		}
	}
	return true
}

// byBoth sets heights from names and functions. It puts each other switch one level above the highest switch below it, counted from the
// hosts.
func (d *draft) byBoth() bool {
	d.byDistance()
	told := false
	for _, dev := range d.devices {
		if h := height(dev); dev.role == isSwitch && h > 0 {
			dev.tier, told = h, true
		}
		dev.tier = max(dev.tier, 1) // switches that no host reaches
	}
	return told
}

// mostSteps bounds the search for paths; a larger fabric counts as connected.
const mostSteps = 50_000_000

// allReach reports whether all switches with hosts that are connected by cables are also connected by paths that rise, take at most one
// peer step, and fall.
func (d *draft) allReach() bool {
	var with []*device
	for _, dev := range d.devices {
		if dev.role == isSwitch && slices.ContainsFunc(dev.jacks, func(j *jack) bool { return j.peer.dev.role == isHost }) {
			with = append(with, dev)
		}
	}
	if len(with)*len(d.cables) > mostSteps {
		return true
	}
	part := d.parts()
	for _, from := range with {
		type state struct {
			dev     *device
			falling bool
		}
		seen := map[state]bool{{from, false}: true}
		queue := []state{{from, false}}
		for len(queue) > 0 {
			s := queue[0]
			queue = queue[1:]
			for _, j := range s.dev.jacks {
				next := state{j.peer.dev, s.falling || j.peer.dev.tier <= s.dev.tier}
				if next.dev.role != isSwitch || s.falling && next.dev.tier >= s.dev.tier || seen[next] {
					continue
				}
				seen[next] = true
				queue = append(queue, next)
			}
		}
		for _, to := range with {
			if part[to] == part[from] && !seen[state{to, false}] && !seen[state{to, true}] {
				return false
			}
		}
	}
	return true
}

// parts numbers the connected components of the fabric, from 1, in the order of devices.
func (d *draft) parts() map[*device]int {
	part := map[*device]int{}
	n := 0
	for _, first := range d.devices {
		if first.role != isSwitch || part[first] > 0 {
			continue
		}
		n++
		part[first] = n
		for queue := []*device{first}; len(queue) > 0; {
			dev := queue[0]
			queue = queue[1:]
			for _, j := range dev.jacks {
				if next := j.peer.dev; next.role == isSwitch && part[next] == 0 {
					part[next] = n
					queue = append(queue, next)
				}
			}
		}
	}
	return part
}
