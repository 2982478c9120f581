package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// randomFabric returns fabric number i of a seed. Half of the fabrics should have no errors. The others have settings that contradict
// each other, and half of these also have one or two invalid lines.
func randomFabric(seed, i uint64) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, i))}
	g.wild = g.chance(50)
	shape := pick(g, shapes)
	g.routing = shape.sound
	if g.chance(40) {
		g.routing = "spanning-tree"
	}
	if g.wild {
		g.routing = pick(g, shape.wild)
	}
	g.classes()
	g.devices(shape)
	shape.cables(g)
	g.intents()
	return g.spoil(g.header() + g.b.String())
}

// generator writes one fabric.
type generator struct {
	*rand.Rand
	b    strings.Builder
	wild bool // settings may contradict each other

	routing string
	leaves  int // switches with hosts: leaf1, leaf2, ...
	spines  int // switches above them: spine1, ...; may be none
	hosts   int // per leaf, on its ports from swp1
	bonded  bool
	v1      bool // PCP alone identifies the data groups, for RoCEv1
	mtu     int
	groups  []dataGroup // cos groups of intents
	nics    []string    // interfaces of a host
	locals  []string    // lines of the locals block
}

// dataGroup is a cos group for data.
type dataGroup struct {
	name     string
	lossless bool
	dscp     []int
}

// shape is a way to cable switches.
type shape struct {
	leaves, spines, hosts [2]int // from, to
	bonded                bool
	sound                 string   // a routing that fits; empty: the fabric states none
	wild                  []string // routings to choose from
	cables                func(*generator)
}

var (
	tiered   = []string{"up-down", "up-down", "up-down", "ebgp", "shortest-path", "spanning-tree", "any", "flooding", ""}
	straight = []string{"shortest-path", "shortest-path", "spanning-tree", "up-down", "any", "flooding", ""}
)

var shapes = []shape{
	{leaves: [2]int{1, 1}, hosts: [2]int{2, 8}, wild: []string{"", "up-down", "any"}, cables: (*generator).rack},
	{leaves: [2]int{2, 4}, spines: [2]int{1, 3}, hosts: [2]int{1, 4}, sound: "up-down", wild: tiered, cables: (*generator).clos},
	{leaves: [2]int{2, 2}, spines: [2]int{1, 2}, hosts: [2]int{1, 4}, bonded: true, sound: "up-down", wild: tiered, cables: (*generator).pair},
	{leaves: [2]int{4, 6}, spines: [2]int{2, 2}, hosts: [2]int{1, 2}, sound: "up-down", wild: tiered, cables: (*generator).pods},
	{leaves: [2]int{3, 6}, hosts: [2]int{1, 2}, sound: "spanning-tree", wild: straight, cables: (*generator).ring},
	{leaves: [2]int{3, 6}, hosts: [2]int{1, 2}, sound: "spanning-tree", wild: straight, cables: (*generator).tangle},
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// astray returns true with some probability in a wild fabric, and false in others.
func (g *generator) astray(percent int) bool { return g.chance(percent) && g.wild }

func (g *generator) between(span [2]int) int { return span[0] + g.IntN(span[1]-span[0]+1) }

func (g *generator) line(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

// header returns the fabric block, and the locals and variables that other blocks use.
func (g *generator) header() string {
	var b strings.Builder
	b.WriteString("fabric \"random\" {\n")
	if g.routing != "" {
		fmt.Fprintf(&b, "  routing = %q\n", g.routing)
	}
	if g.mtu > 0 {
		fmt.Fprintf(&b, "  mtu = %d\n", g.mtu)
	}
	if !g.astray(10) {
		fmt.Fprintf(&b, "  cable_length = %q\n", pick(g, []string{"3m", "30m", "10ft", "0.1km"}))
	}
	if g.chance(40) {
		fmt.Fprintf(&b, "  failures = %d\n", g.IntN(3))
	}
	if g.astray(10) {
		b.WriteString("  flow_control = \"pause\"\n")
	}
	if g.routing == "spanning-tree" && g.chance(30) {
		b.WriteString("  root = \"leaf1\"\n")
	}
	b.WriteString("}\n")
	if len(g.locals) > 0 {
		fmt.Fprintf(&b, "locals {\n%s}\n", strings.Join(g.locals, ""))
	}
	return b.String()
}

// number returns an expression for a number: a literal, a local, or a computation.
func (g *generator) number(n int) string {
	switch {
	case g.chance(85):
		return fmt.Sprint(n)
	case g.chance(50):
		g.locals = append(g.locals, fmt.Sprintf("  n%d = %d\n", len(g.locals), n))
		return fmt.Sprintf("local.n%d", len(g.locals)-1)
	}
	return fmt.Sprintf("%d + %d", n-1, 1)
}

// classes writes the cos groups.
func (g *generator) classes() {
	cos := g.Perm(7) // of 1 to 7
	dscp := []int{10, 18, 26, 28, 34, 46, 8, 24}
	g.Shuffle(len(dscp), func(i, j int) { dscp[i], dscp[j] = dscp[j], dscp[i] })
	g.v1 = (g.routing == "" || g.routing == "spanning-tree") && g.chance(30)
	weights := pick(g, [][]int{{60, 40}, {50, 50}, {30, 30, 40}, {40, 30, 30}, {70, 20, 10}, {33, 33, 33}})
	for i := range len(weights) - 1 {
		d := dataGroup{name: []string{"rdma", "storage"}[i], lossless: i == 0 || !g.astray(30), dscp: dscp[i : i+1]}
		switch {
		case g.v1 || g.astray(10):
			d.dscp = nil
		case g.chance(15):
			d.dscp = []int{dscp[i], dscp[i+2]}
		}
		g.line("cos_group %q {\n  cos = %s", d.name, g.number(cos[i]+1))
		if d.dscp != nil {
			g.line("  dscp = %s", strings.ReplaceAll(fmt.Sprint(d.dscp), " ", ", "))
		}
		if g.astray(15) {
			g.line("  pcp = [%d]", pick(g, []int{cos[i] + 1, cos[i] + 1, g.IntN(8)}))
		}
		g.line("  lossless = %v\n  weight = %s", d.lossless, g.number(weights[i]))
		switch {
		case d.dscp != nil && !g.astray(30):
			g.line("  ecn {}")
		case g.astray(50):
			g.line("  ecn {\n    min = %q\n    max = %q\n    probability = %d\n  }", pick(g, []string{"150KiB", "30KiB", "600KiB"}),
				pick(g, []string{"1500KiB", "200KiB", "5MiB"}), 1+g.IntN(100))
		}
		if d.lossless && g.chance(10) {
			g.line("  pfc { %s }", pick(g, []string{"small_packets = 50", `xon_delta = "10KiB"`, `buffer = "200KiB"`}))
		}
		if d.lossless && g.astray(15) {
			size := pick(g, []string{"buffer", "xoff", "xon_delta", "small_packets"})
			g.line("  pfc { %s = %s }", size, pick(g, []string{`"120KiB"`, `"18000B"`, "50"}))
		}
		if d.lossless && g.astray(5) {
			g.line("  allow_deadlock = \"a lab\"")
		}
		if d.lossless && i > 0 && g.astray(15) {
			g.line("  bounce = cos_group.%s", g.groups[0].name)
		}
		g.line("}")
		g.groups = append(g.groups, d)
	}
	g.line("cos_group \"cnp\" {\n  cos = %d\n  dscp = [%s]", cos[4]+1, pick(g, []string{`"cs6"`, "48", `"CS6"`}))
	if !g.astray(15) {
		g.line("  strict = true")
	}
	g.line("}\ncos_group \"default\" {\n  cos = 0\n  weight = %d\n}", weights[len(weights)-1])
	if g.chance(30) {
		g.mtu = 9216
	} else if g.astray(20) {
		g.mtu = pick(g, []int{4200, 1500})
	}
}

// hardware lists switch models with 32 ports or more of one speed, the speed of hosts on them, releases that fit, and releases that do
// not.
var hardware = []struct {
	model, hostSpeed string
	fit, wild        []string
}{
	{"sn2700", "25G", []string{"3.7.16", "4.1.1", "4.3.0", "4.3.0"}, []string{"3.1.1", "3.4.3", "5.9.0"}},
	{"sn2700", "100G", []string{"4.3.0"}, []string{"3.4.3"}},
	{"sn3700c", "100G", []string{"4.1.1", "4.3.0"}, []string{"3.7.16"}},
	{"sn3700", "100G", []string{"4.3.0"}, []string{"4.0.0"}},
	{"z9100", "25G", []string{"3.4.3", "3.7.16"}, []string{"4.3.0"}},
	{"as7712-32x", "100G", []string{"3.7.16"}, []string{"4.3.0"}},
	{"s6000", "40G", []string{"3.7.16"}, []string{"2.5.5", "3.1.1", "3.4.3"}},
	{"wide", "50G", []string{"4.3.0"}, []string{"3.7.16"}},
}

// devices writes the switches and hosts.
func (g *generator) devices(s shape) {
	g.leaves, g.spines, g.hosts, g.bonded = g.between(s.leaves), g.between(s.spines), g.between(s.hosts), s.bonded
	hw := pick(g, hardware)
	release := pick(g, hw.fit)
	if g.astray(40) {
		release = pick(g, append(slices.Clone(hw.wild), "4.0", "3.7.99", "202505", "banana"))
	}
	asic := pick(g, []string{"spectrum", "spectrum-2", "spectrum-3"})
	g.line("switch_model \"wide\" {\n  asic = %q\n  ports = 64\n  speed = \"100G\"\n}", asic)
	tier := func(n int) {
		if g.chance(40) {
			g.line("  tier = %d", n)
		}
	}
	g.line("switch \"leaf\" {\n  names = \"leaf[1-%d]\"\n  model = %q", g.leaves, hw.model)
	if !g.astray(10) {
		g.line("  version = %q", release)
	}
	if g.routing == "ebgp" && !g.astray(10) {
		g.line("  asn = 65101 + self.index")
	}
	if g.bonded && !g.astray(20) {
		g.line("  mlag = \"pair\"")
	}
	tier(1)
	g.byHand("leaf")
	g.ssh("192.0.2.${self.index + 1}")
	g.line("}")
	if g.spines > 0 {
		g.line("switch \"spine\" {\n  names = \"spine[1-%d]\"\n  model = %q\n  version = %q", g.spines, hw.model, release)
		if g.routing == "ebgp" {
			g.line("  asn = %s", pick(g, []string{"65001", "65001", "65001 + self.index"}))
		}
		tier(2)
		g.byHand("spine")
		g.ssh("192.0.2.${self.index + 101}")
		g.line("}")
	}
	g.nics = []string{"eth0"}
	if g.bonded || g.chance(25) {
		g.nics = append(g.nics, "eth1")
	}
	g.line("host \"gpu\" {\n  names = \"gpu[1-%d]\"", g.leaves*g.hosts)
	model := pick(g, []string{"connectx-5", "connectx-5", "connectx-6", "connectx-7"})
	if g.astray(30) {
		model = pick(g, []string{"connectx-4-lx", "connectx-3", "e810", "bcm57508", "soft-roce"})
	}
	for _, nic := range g.nics {
		g.line("  nic %q {\n    model = %q", nic, model)
		if g.chance(70) {
			g.line("    mtu = 9000")
		} else if g.astray(30) {
			g.line("    mtu = %d", pick(g, []int{4200, 1500, 9216}))
		}
		if g.chance(20) {
			g.line("    ip = \"198.51.%d.${self.index + 1}/24\"", slices.Index(g.nics, nic)+100)
		}
		for _, setting := range []string{
			fmt.Sprintf("tos = %d", g.IntN(256)), fmt.Sprintf("ttl = %d", 1+g.IntN(64)), "roce = false", "vf_roce = { 0 = false, 1 = true }",
			fmt.Sprintf("traffic_class {\n      tos = %d\n      dst = \"198.51.100.0/24\"\n    }", g.IntN(256)),
		} {
			if g.astray(6) {
				g.line("    %s", setting)
			}
		}
		g.line("  }")
	}
	if g.bonded {
		mode := pick(g, []string{"802.3ad", "802.3ad", "active-backup", "balance-xor"})
		g.line("  bond \"bond0\" {\n    nics = [\"eth[0-1]\"]\n    mode = %q\n  }", mode)
	}
	if g.astray(6) {
		g.line("  forwards = true")
	}
	g.byHand("host")
	g.ssh("192.0.2.${self.index + 151}")
	g.line("}")

	speed := hw.hostSpeed
	if g.astray(12) {
		speed = pick(g, []string{"10G", "1G", "100G", "400G"})
	}
	for i, nic := range g.nics {
		n := g.leaves * g.hosts
		ports := fmt.Sprintf("leaf[1-%d]:swp[%d-%d]", g.leaves, i*g.hosts+1, (i+1)*g.hosts)
		if g.bonded { // eth0 on the first leaf, eth1 on the second
			ports = fmt.Sprintf("leaf%d:swp[1-%d]", i+1, n)
		}
		g.line("link \"hosts%d\" {\n  a = \"gpu[1-%d]:%s\"\n  b = %q\n  speed = %q\n}", i, n, nic, ports, speed)
	}
}

func (g *generator) ssh(address string) {
	if g.chance(25) {
		g.line("  ssh { address = %q }", address)
	}
}

// byHand sometimes marks a group of devices as set by hand.
func (g *generator) byHand(kind string) {
	if !g.chance(12) {
		return
	}
	g.line("  by_hand {")
	for _, setting := range []struct{ kinds, text string }{
		{"leaf spine host", fmt.Sprintf("flow_control = %q", pick(g, []string{"pfc", "pfc-tx", "pfc-rx", "pause", "none"}))},
		{"leaf spine host", fmt.Sprintf("pfc = [%d]", g.IntN(8))},
		{"leaf spine host", fmt.Sprintf("trust = %q", pick(g, []string{"pcp", "dscp", "both"}))},
		{"leaf spine host", fmt.Sprintf("dscp = { %d = %d }", pick(g, []int{26, 18, 48, 0}), g.IntN(8))},
		{"leaf spine host", fmt.Sprintf("pcp = { %d = %d }", g.IntN(8), g.IntN(8))},
		{"leaf spine", "ecn = false"},
		{"host", "dcqcn = false"},
		{"host", "dcbx = \"firmware\""},
	} {
		if strings.Contains(setting.kinds, kind) && g.astray(25) {
			g.line("    %s", setting.text)
		}
	}
	g.line("  }")
}

// between switches, ports from swp17 on are used.

func (g *generator) rack() {}

func (g *generator) clos() {
	g.line("mesh \"up\" {\n  lower = \"leaf[1-%d]:swp[17-%d]\"", g.leaves, 16+g.spines)
	g.line("  upper = \"spine[1-%d]:swp[17-%d]\"", g.spines, 16+g.leaves)
	g.linkSettings()
	g.line("}")
}

func (g *generator) pair() {
	g.clos()
	g.line("link \"peer\" {\n  a = \"leaf1:swp[31-32]\"\n  b = \"leaf2:swp[31-32]\"")
	if !g.astray(15) {
		g.line("  peer = true")
	}
	g.line("}")
}

// pods cables two halves of the leaves to both spines, each half by its own mesh. The meshes are instances of one block.
func (g *generator) pods() {
	half := g.leaves / 2
	g.line("mesh \"up\" {\n  for_each = { a = \"1-%d\", b = \"%d-%d\" }", half, half+1, g.leaves)
	g.line("  lower = \"leaf[${each.value}]:swp[17-%d]\"", 16+g.spines)
	g.line("  upper = \"spine[1-%d]:swp[${each.key == \"a\" ? \"17-%d\" : \"%d-%d\"}]\"", g.spines, 16+half, 17+half, 16+g.leaves)
	g.linkSettings()
	g.line("}")
}

func (g *generator) ring() {
	for i := range g.leaves {
		g.line("link \"ring%d\" {\n  a = \"leaf%d:swp17\"\n  b = \"leaf%d:swp18\"", i, i+1, (i+1)%g.leaves+1)
		g.linkSettings()
		g.line("}")
	}
}

// tangle cables the switches as a random tree, and adds some cables.
func (g *generator) tangle() {
	used := make([]int, g.leaves)
	cable := func(a, b int) {
		used[a]++
		used[b]++
		g.line("link \"c%d-%d\" {\n  a = \"leaf%d:swp%d\"\n  b = \"leaf%d:swp%d\"", a, used[a], a+1, 16+used[a], b+1, 16+used[b])
		g.linkSettings()
		g.line("}")
	}
	for i := 1; i < g.leaves; i++ {
		cable(g.IntN(i), i)
	}
	for range g.IntN(g.leaves) {
		a := g.IntN(g.leaves)
		cable(a, (a+1+g.IntN(g.leaves-1))%g.leaves)
	}
}

func (g *generator) linkSettings() {
	if g.chance(30) {
		g.line("  length = %q", pick(g, []string{"30m", "2m", "100ft"}))
	}
	for _, setting := range []string{
		"length = \"1km\"", "peer = true", "speed = \"40G\"",
		fmt.Sprintf("mtu = %d", pick(g, []int{1500, 9216, 4200})), fmt.Sprintf("routed = %v", g.chance(50)),
	} {
		if g.astray(5) {
			g.line("  %s", setting)
		}
	}
}

// intents writes a roce block for each data group.
func (g *generator) intents() {
	for i, d := range g.groups {
		nic := g.nics[min(i, len(g.nics)-1)]
		if g.bonded {
			nic = "bond0"
		}
		version := 2
		if d.dscp == nil || g.astray(8) {
			version = 1
		}
		g.line("roce %q {\n  version = %d\n  cos_group = cos_group.%s", d.name, version, d.name)
		if version == 2 && !g.astray(15) {
			g.line("  cnp = cos_group.cnp")
		}
		switch n := g.leaves * g.hosts; {
		case g.chance(50) && len(g.groups) == 1:
			g.line("  members = [host.gpu]")
		case g.chance(85):
			g.line("  members = [\"gpu[1-%d]:%s\"]", n, nic)
		default:
			g.line("  members = [for h in nodeset(\"gpu[1-%d]\") : \"${h}:%s\" if h != \"gpu1\"]", n, nic)
		}
		if version == 1 && !g.astray(10) || g.astray(6) {
			g.line("  vlan = %s", g.number(100+i))
		}
		g.line("}")
	}
}

// odd returns an expression of a wrong type or value.
var odd = []string{
	"-1", "0", "99999", "1.5", `"x"`, `""`, "null", "true", "[]", "{}", `"1.5"`, "var.nope", "local.nope", "self.index", "each.key",
	`"leaf[1-"`, `"gpu[1-400]"`, `"leaf9:swp99"`, "[1, 1]", `"${1 / 0}"`, "upper(1)",
}

// spoil makes one or two lines of some fabrics invalid.
func (g *generator) spoil(text string) string {
	if !g.astray(50) {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for range 1 + g.IntN(2) {
		i := g.IntN(len(lines))
		name, value, isAttribute := strings.Cut(lines[i], " = ")
		switch {
		case !isAttribute && g.chance(70):
		case isAttribute && g.chance(60):
			lines[i] = name + " = " + pick(g, odd) + "\n"
		case isAttribute && g.chance(30):
			lines[i] = name + "s = " + value
		case g.chance(50):
			lines[i] = ""
		default:
			lines = slices.Insert(lines, i, lines[i])
		}
	}
	return strings.Join(lines, "")
}
