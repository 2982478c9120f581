package site

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/start"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets"
)

// classes contains the traffic classes of most ports with RoCE.
type classes struct {
	groups []*class                // by cos
	mtu    int                     // MTU of most ports; 0: no file states it
	routed bool                    // DSCP shows lossless packets
	cnp    *class                  // class of notifications, if RoCE has another one
	read   map[string]*ir.Settings // settings of switches, by name
	hosts  map[string]*ir.Settings // settings of hosts, by name
	facing map[end]end             // the other ends of the cables of ports
	by     kindOfRoCE
}

// class is one traffic class.
type class struct {
	name             string
	cos              int
	dscp, pcp        []int
	carries          bool // RoCE
	lossless, strict bool
	weight           int          // 0: unknown
	queues           int          // cos whose weights are summed in it
	unlike           bool         // ports serve its queue in ways that a weight cannot express
	unsorted         bool         // no file sorts packets into it
	unserved         bool         // no file states whether it is strict, or its weight
	sets             []ir.Marking // thresholds of its queues
	marked           int          // ports that mark it
	odd              bool         // most ports put one of its DSCP into another class
	disputed         bool         // most switches put its DSCP into another class
	ports, of        int          // ports with RoCE on which it is lossless
}

// classesOf derives the classes from the settings of most switch ports with RoCE. It returns nil if no port of a switch has a class. For
// a switch with cables, only ports with a cable count: the others may have a factory template.
func classesOf(s *targets.Survey, cables []sheetCable) *classes {
	read := switchesOf(s)
	cabled := map[string][]string{}
	facing := map[end]end{}
	for _, c := range cables {
		facing[c.a], facing[c.b] = c.b, c.a
		for _, e := range []end{c.a, c.b} {
			cabled[e.device] = append(cabled[e.device], e.port)
		}
	}
	for by := byPFC; by <= byCustom; by++ {
		v := &votes{by: by}
		for name, settings := range read {
			kinds := map[*ir.PortSettings]int{}
			for _, port := range cabled[name] {
				if p := settings.Port(port); p != nil {
					kinds[p]++
				}
			}
			if len(cabled[name]) == 0 {
				for _, p := range settings.Ports {
					kinds[p]++
				}
			}
			if len(kinds) == 0 && settings.Rest != nil {
				kinds[settings.Rest]++
			}
			for p, n := range kinds {
				v.port(p, n)
			}
			v.end()
		}
		if v.roce > 0 {
			hosts := hostsOf(s)
			for _, settings := range hosts {
				for _, p := range settings.Ports {
					v.host(p)
				}
			}
			out := v.classes()
			out.read, out.by, out.hosts, out.facing = read, by, hosts, facing
			return out
		}
	}
	return nil
}

// switchesOf returns the settings of switches that were read, by their names in the fabric.
func switchesOf(s *targets.Survey) map[string]*ir.Settings {
	by := map[string]*ir.Settings{}
	for i := range s.Devices {
		if d := &s.Devices[i]; d.OS != nil && d.Read != nil {
			by[topology.FoldDevice(d.Name)] = d.Read.Settings
		}
	}
	return by
}

// hostsOf returns the settings of hosts that were read, by their names in the fabric.
func hostsOf(s *targets.Survey) map[string]*ir.Settings {
	by := map[string]*ir.Settings{}
	for i := range s.Devices {
		if d := &s.Devices[i]; d.OS == nil && d.Read != nil {
			by[topology.FoldDevice(d.Name)] = d.Read.Settings
		}
	}
	return by
}

// has reports whether a port of a switch pauses for a priority, according to the files. For a switch without a file, the host at the
// other end of the cable decides, unless it pauses for no class of RoCE.
func (c *classes) has(device, port string, cos int) bool {
	s := c.read[device]
	if s == nil {
		pauses := c.hostPauses(end{device, port})
		return pauses == 0 || pauses>>cos&1 == 1
	}
	p := s.Port(port)
	return p == nil || !p.PausesKnown || p.LinkPause || c.by != byPFC || (p.Sends|p.Obeys)>>cos&1 == 1
}

// hostPauses returns the priorities of RoCE for which the host at the other end of a port pauses; 0: none is known.
func (c *classes) hostPauses(at end) (mask uint8) {
	other, cabled := c.facing[at]
	s := c.hosts[other.device]
	if !cabled || s == nil || c.by != byPFC {
		return 0
	}
	p := s.Port(other.port)
	if p == nil || !p.PausesKnown || p.LinkPause {
		return 0
	}
	for _, g := range c.carrying() {
		mask |= (p.Sends | p.Obeys) & (1 << g.cos)
	}
	return mask
}

// pauses reports whether a port of a switch has link pause, and whether that is known.
func (c *classes) pauses(device, port string) (is, known bool) {
	p := c.read[device].Port(port)
	if p == nil || !p.PausesKnown {
		return false, false
	}
	return p.LinkPause && p.Sends|p.Obeys != 0, true
}

// classes makes the lossless classes, the class of notifications, and the class of most other packets.
func (v *votes) classes() *classes {
	out := &classes{mtu: most(v.mtu, cmp.Compare[int]), routed: v.told.dscp >= v.told.pcp}
	if v.mtu[out.mtu]*4 < v.roce { // the other ports have the default MTU of their system
		out.mtu = 0
	}
	at := func(cos int) *class {
		i := slices.IndexFunc(out.groups, func(c *class) bool { return c.cos == cos })
		if i >= 0 {
			return out.groups[i]
		}
		c := &class{cos: cos, name: fmt.Sprintf("class-%d", cos), strict: v.isStrict(cos), weight: most(v.weight[cos], cmp.Compare[int])}
		c.unserved = v.strict[cos] == 0 && len(v.weight[cos]) == 0
		if c.unlike = v.strict[cos] > 0 && v.strict[cos] < v.roce; c.unlike {
			c.strict, c.weight = false, 0
		}
		out.groups = append(out.groups, c)
		return c
	}
	claimed := [64]bool{}
	for cos, n := range v.carried {
		if n*4 < v.roce { // if fewer ports differ, they have a fault
			continue
		}
		c := at(cos)
		c.carries, c.lossless, c.ports, c.of = true, v.by == byPFC, n, v.roce
		for mark, n := range v.marks[cos] {
			if mark != (ir.Marking{}) {
				c.sets = append(c.sets, mark)
				c.marked += n
			}
		}
		for value := range v.dscp {
			if claimed[value] || !v.sorted(value, cos) {
				continue
			}
			c.dscp, claimed[value] = append(c.dscp, value), true
			c.odd = c.odd || of(v.dscp[value]) != cos
		}
		if len(c.dscp) == 0 && out.routed { // the switches disagree, and most put every value into another class
			c.disputed = true
			for value := range v.dscp {
				if v.dscp[value][cos] > 0 {
					c.dscp = append(c.dscp, value)
				}
			}
		}
		if i := slices.Index(c.dscp, custom); i > 0 { // hosts use the first value
			c.dscp = slices.Insert(slices.Delete(c.dscp, i, i+1), 0, custom)
		}
		if v.told.dscp+v.told.pcp == 0 && len(v.mapped()) == 1 {
			c.dscp, c.unsorted = []int{custom}, true
		}
		for value := range v.pcp {
			if !out.routed && of(v.pcp[value]) == cos && value == cos {
				c.pcp = append(c.pcp, value)
			}
		}
	}
	if cos := of(v.dscp[notification]); cos > 0 && out.routed {
		if c := at(cos); !c.carries {
			c.name, c.dscp, out.cnp = "cnp", []int{notification}, c
			c.strict = c.strict || c.unserved // in the order that senders need
		}
	}
	if c := at(0); !c.carries {
		c.name = "default"
		if c.strict = false; v.strict[0] == 0 {
			c.weight, c.queues = v.rest(out.groups)
		}
	}
	if sum := 0; slices.ContainsFunc(out.groups, func(c *class) bool { sum += c.weight; return sum > 100 }) {
		for _, c := range out.groups { // the classes share one weight
			c.weight = 0
		}
	}
	slices.SortFunc(out.groups, func(a, b *class) int { return cmp.Compare(b.cos, a.cos) })
	out.nameCarrying()
	return out
}

// rest returns the weight of the default group, which all other classes and class 0 share. If classes share one weight, or weights are
// not percentages, it is the remainder of 100.
func (v *votes) rest(groups []*class) (sum, queues int) {
	others := 0
	for _, c := range groups {
		if c.cos != 0 && !c.strict {
			others += c.weight
		}
	}
	defer func() {
		if sum+others > 100 {
			sum = max(100-others, 1)
		}
	}()
	for cos := range 8 {
		in := slices.ContainsFunc(groups, func(c *class) bool { return c.cos == cos && cos != 0 })
		if !in && !v.isStrict(cos) {
			sum += most(v.weight[cos], cmp.Compare[int])
			queues += min(len(v.weight[cos]), 1)
		}
	}
	return sum, queues
}

// unweigh removes the weights, as no weights describe how all ports serve the classes of RoCE.
func (c *classes) unweigh() {
	for _, g := range c.groups {
		g.weight, g.unlike = 0, g.unlike || g.carries && !g.strict
	}
}

// nameCarrying names the class of RoCE rdma, if there is only one.
func (c *classes) nameCarrying() {
	all := c.carrying()
	if len(all) == 1 {
		all[0].name = "rdma"
	}
}

func (c *classes) carrying() (out []*class) {
	for _, one := range c.groups {
		if one.carries {
			out = append(out, one)
		}
	}
	return out
}

// marks reports whether most ports mark the class, of those on which it is lossless.
func (g *class) marks() bool { return g.marked*2 > g.ports }

// drafted returns the classes for a draft. With derive, rocec derives the thresholds of marking, even if all ports have the same
// thresholds.
func (c *classes) drafted(derive bool) *start.Classes {
	if c == nil {
		return &start.Classes{
			Blocks: "# CHECK: no file states a class of RoCE. Write its cos_group, and a roce block with its members.\n" +
				"cos_group \"default\" {\n  cos = 0\n}\n\n",
			Pauses: func(string, string) (bool, bool) { return false, false },
		}
	}
	out := &start.Classes{MTU: c.mtu, Blocks: c.blocks(derive), Pauses: c.pauses}
	for _, g := range c.carrying() {
		out.Carrying = append(out.Carrying, start.Class{
			Name: g.name, Intent: func(name string, members []string) string { return c.intent(g, name, members) },
			Has: func(device, port string) bool { return c.has(device, port, g.cos) },
		})
	}
	return out
}

// blocks writes the cos_group blocks.
func (c *classes) blocks(derive bool) string {
	var b strings.Builder
	for _, g := range c.groups {
		if g.lossless {
			fmt.Fprintf(&b, "# Lossless at %d of %d ports with PFC that were read.\n", g.ports, g.of)
		}
		fmt.Fprintf(&b, "cos_group %q {\n  cos = %d\n", g.name, g.cos)
		check := ""
		if g.carries && len(g.dscp) > 1 {
			check = " # CHECK: leave those that senders use; the first one is what hosts are set to"
		}
		if g.unsorted {
			check = " # CHECK: no file states a mark"
		}
		if g.odd {
			check = " # CHECK: the switches disagree, and most ports have one of these values in another class"
		}
		if g.disputed {
			check = " # CHECK: the switches disagree: most have these values in another class"
		}
		if len(g.dscp) > 0 {
			fmt.Fprintf(&b, "  dscp = [%s]%s\n", joined(g.dscp), check)
		}
		if len(g.pcp) > 0 && g.pcp[0] != g.cos {
			fmt.Fprintf(&b, "  pcp = [%s]\n", joined(g.pcp))
		}
		if g.lossless {
			b.WriteString("  lossless = true\n")
		}
		switch {
		case g.strict && g.unserved:
			b.WriteString("  strict = true # CHECK: no file states how its queue is served\n")
		case g.strict:
			b.WriteString("  strict = true\n")
		case g.unlike:
			b.WriteString("  # CHECK: ports serve its queue in several ways; give it a weight, or strict\n")
		case g.weight > 0 && g.queues > 1:
			fmt.Fprintf(&b, "  weight = %d # CHECK: the sum of %d queues, which share it alike\n", g.weight, g.queues)
		case g.weight > 0:
			fmt.Fprintf(&b, "  weight = %d\n", g.weight)
		}
		switch {
		case !g.marks():
		case len(g.sets) == 1 && !derive:
			m := g.sets[0]
			fmt.Fprintf(&b, "  ecn {\n    min = %d\n    max = %d\n    probability = %d\n  }\n", m.Min, m.Max, max(m.Probability, 1))
		case len(g.sets) == 1:
			b.WriteString("  ecn {}\n")
		default:
			fmt.Fprintf(&b, "  ecn {} # CHECK: ports mark by %d sets of thresholds; rocec derives its own for each speed\n", len(g.sets))
		}
		b.WriteString("}\n\n")
	}
	return b.String()
}

func joined(values []int) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprint(v)
	}
	return strings.Join(out, ", ")
}

// intent writes the roce block of a lossless class.
func (c *classes) intent(g *class, name string, members []string) string {
	var b strings.Builder
	version := 1
	if c.routed {
		version = 2
	}
	fmt.Fprintf(&b, "roce %q {\n  version = %d\n  cos_group = cos_group.%s\n", name, version, g.name)
	if version == 1 {
		b.WriteString("  vlan = 1 # CHECK: the VLAN of RoCEv1; a tag tells its priority\n")
	}
	if c.cnp != nil && g.marks() && c.routed {
		b.WriteString("  cnp = cos_group.cnp\n")
	}
	fmt.Fprintf(&b, "  members = [%s] # CHECK: who talks with whom\n}\n", strings.Join(members, ", "))
	return b.String()
}
