package start

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/nodeset"
)

// Shape is a kind of fabric that init writes.
type Shape struct {
	Name string
	Doc  string // short description
	Most int    // hosts
	More string // how to extend the largest draft: a sentence without its full stop
	make func(*shaped)
}

// Shapes lists the kinds of fabrics, in the order of help.
var Shapes = []Shape{
	{"leaf-spine", "one port a host, every leaf on every spine", 512, wider("spine"), leafSpine},
	{"three-tier", "one port a host, pods of leaves and spines below core switches", 512, wider("core"), threeTier},
	{
		"rail", "eight ports a host, port N on a leaf of rail N", 256,
		"Widen the nodesets in devices.hcl and cabling.hcl, split the ports of hosts in two, and give the uplinks 800G", rail,
	},
	{"dual-plane", "two ports a host, each in a separate leaf-spine", 512, wider("spine"), dualPlane},
	{"mlag-rack", "two ports a host in one bond, on a pair of leaves a rack", 256, wider("spine"), mlagRack},
}

// wider returns advice on how to extend a shape whose top switches have a cable in every port.
func wider(tier string) string {
	return "Every port of its " + tier + " switches has a cable, so give them a model with more ports in devices.hcl, such as sn4600c " +
		"with 64, and widen the nodesets there and in cabling.hcl"
}

// FewestHosts is the minimum number of hosts of a shape: RoCE needs two.
const FewestHosts = 2

// Shaped returns the files of a fabric with a shape and a number of hosts, between [FewestHosts] and the shape's Most.
func Shaped(s Shape, hosts int, on System) []File {
	f := &shaped{hosts: hosts, on: on}
	s.make(f)
	f.devices.WriteString("# How rocec logs in. What is left out comes from ~/.ssh/config; a device may have an ssh block of its own.\n")
	fmt.Fprintf(&f.devices, "ssh {\n  user = %q # hosts have another one, mostly\n}\n", on.OS.User)
	head := fmt.Sprintf("# What the fabric is made of: the shape %s for %d hosts.\n\n", s.Name, hosts)
	wired := "# How it is wired. Speed and length decide how much headroom a lossless port needs.\n\n"
	return Small(map[string][]byte{
		"fabric.hcl":  f.fabric(),
		"devices.hcl": canonical([]byte(head + f.devices.String())),
		"cabling.hcl": canonical([]byte(wired + strings.TrimSpace(f.cables.String()) + "\n")),
	})
}

// shaped is a fabric that is being written.
type shaped struct {
	hosts           int
	on              System
	intents         [][2]string // label and members of each intent
	devices, cables strings.Builder
}

// fabric returns fabric.hcl: that of the small fabric, with these intents.
func (f *shaped) fabric() []byte {
	src := Small(nil)[0].Data
	i := bytes.Index(src, []byte("roce \"training\""))
	head, block := src[:i], string(src[i:])
	var blocks []string
	for _, in := range f.intents {
		b := strings.Replace(block, `"training"`, strconv.Quote(in[0]), 1)
		blocks = append(blocks, strings.Replace(b, "[host.gpu]", "["+in[1]+"]", 1))
	}
	return canonical([]byte(string(head) + strings.Join(blocks, "\n")))
}

// switches adds a switch block; more contains further lines for it.
func (f *shaped) switches(label, names, model string, tier int, more ...string) {
	m, _ := platform.FindSwitch(model)
	fmt.Fprintf(&f.devices, "switch %q {\n", label)
	for _, line := range more {
		fmt.Fprintf(&f.devices, "  %s\n", line)
	}
	fmt.Fprintf(&f.devices, "  names = %q\n  model = %q # decides ports, chip and buffer\n  os = %q\n", names, model, f.on.OS.Name)
	fmt.Fprintf(&f.devices, "  version = %q # decides what is written, and how\n  tier = %d\n}\n\n", f.on.release(m), tier)
}

// gpus adds the host block, and returns the names of the hosts as a nodeset.
func (f *shaped) gpus(nic, model, more string) string {
	names := numbered("gpu", f.hosts)
	fmt.Fprintf(&f.devices, "host \"gpu\" {\n  names = %q\n\n  nic %q {\n    model = %q\n    mtu = 9000\n  }\n%s}\n\n",
		names, nic, model, more)
	return names
}

// join adds a link or mesh block.
func (f *shaped) join(kind, label, why string, lines ...string) {
	fmt.Fprintf(&f.cables, "# %s\n%s %q {\n  %s\n}\n\n", why, kind, label, strings.Join(lines, "\n  "))
}

// ports returns count ports from first on, with their names on the system: "swp[1-16]".
func (f *shaped) ports(model string, first, n int) string {
	m, _ := platform.FindSwitch(model)
	var names []string
	for i := first; i < first+n; i++ {
		names = append(names, f.on.OS.Spell(m, ir.Front{Number: int16(i), Sub: -1}))
	}
	return nodeset.Text(names, nodeset.Interfaces, math.MaxInt)
}

// numbered returns a nodeset of n names: "gpu[01-64]", "leaf1".
func numbered(stem string, n int) string {
	if n == 1 {
		return stem + "1"
	}
	return fmt.Sprintf("%s[%0*d-%d]", stem, len(strconv.Itoa(n)), 1, n)
}

// spread lists the ends of hosts on leaves. If the hosts cannot be divided evenly, the first leaves get one host more.
func (f *shaped) spread(leaves []string, hosts int, model string) (list string, most int) {
	var groups [2][]string // leaves with one host more, and the others
	least, more := hosts/len(leaves), hosts%len(leaves)
	groups[0], groups[1] = leaves[:more], leaves[more:]
	var out []string
	for i, group := range groups {
		if n := least + 1 - i; n > 0 && len(group) > 0 {
			for _, names := range nodeset.Fold(group, nodeset.Devices) {
				out = append(out, strconv.Quote(names+":"+f.ports(model, 1, n)))
			}
			most = max(most, n)
		}
	}
	if len(out) == 1 {
		return out[0], most
	}
	return "[" + strings.Join(out, ", ") + "]", most
}

// each returns the names that numbered writes as a nodeset.
func each(stem string, n int) []string {
	set, _ := nodeset.Parse(numbered(stem, n), nodeset.Devices)
	var out []string
	for name := range set.All() {
		out = append(out, name.Device)
	}
	return out
}

// upTo returns the smallest power of two that is at least n.
func upTo(n int) int {
	p := 1
	for p < n {
		p *= 2
	}
	return p
}

func plural(n, per int) int { return (n + per - 1) / per }

// The models of shapes: 32 ports of 100G, and 64 ports of 800G that run at 400G.
const (
	modelOf100 = "sn2700"
	modelOf400 = "sn5600"
	cardOf100  = "connectx-5"
	cardOf400  = "connectx-7"
	perLeaf    = 16
)

// uplinks returns how many spines the leaves need for the traffic of their hosts. It depends on the number of ports of a spine. width is
// the number of cables from each leaf to each spine.
func uplinks(leaves, most, ports int) (spines, width int) {
	for spines = 2; ; spines *= 2 {
		if width = upTo(plural(most, spines)); leaves*width <= ports {
			return spines, width
		}
	}
}

// leafSpine has one port per host, and connects every leaf to every spine.
func leafSpine(f *shaped) {
	f.plane("", "", "hosts", "uplinks", f.gpus("ens1f0", cardOf100, ""), "ens1f0")
	f.intents = [][2]string{{"training", "host.gpu"}}
}

// plane adds the switches and cables of a leaf-spine; names of its switches begin with prefix.
func (f *shaped) plane(prefix, label, hosts, up, gpus, nic string) {
	leaves := max(2, plural(f.hosts, perLeaf))
	list, most := f.spread(each(prefix+"leaf", leaves), f.hosts, modelOf100)
	spines, width := uplinks(leaves, most, 32)
	f.switches(label+"leaf", numbered(prefix+"leaf", leaves), modelOf100, 1)
	f.switches(label+"spine", numbered(prefix+"spine", spines), modelOf100, 2)
	f.join("link", hosts, "Pairwise: the first host to the first port, the second one to the second, and so on.",
		fmt.Sprintf("a = \"%s:%s\"", gpus, nic), "b = "+list, `speed = "100G"`, `length = "3m"`)
	f.join("mesh", up, "Every leaf to every spine, by "+cablesEach(width)+".",
		fmt.Sprintf("lower = \"%s:%s\"", numbered(prefix+"leaf", leaves), f.ports(modelOf100, 17, spines*width)),
		fmt.Sprintf("upper = \"%s:%s\"", numbered(prefix+"spine", spines), f.ports(modelOf100, 1, leaves*width)),
		`speed = "100G"`, `length = "30m"`)
}

func cablesEach(n int) string {
	if n == 1 {
		return "one cable each"
	}
	return strconv.Itoa(n) + " cables each"
}

// dualPlane has two separate leaf-spines; a host has a port in each.
func dualPlane(f *shaped) {
	gpus := f.gpus("ens[1-2]f0", cardOf100, "")
	for i, name := range []string{"a", "b"} {
		nic := fmt.Sprintf("ens%df0", i+1)
		f.plane(name+"-", name+"-", "hosts-"+name, "uplinks-"+name, gpus, nic)
		f.intents = append(f.intents, [2]string{"plane-" + name, strconv.Quote(gpus + ":" + nic)})
	}
}

// threeTier has pods of leaves and spines below core switches.
func threeTier(f *shaped) {
	pods := max(2, plural(f.hosts, 2*perLeaf))
	leaves := min(2, max(1, f.hosts/pods))
	var all, keys []string
	for p := 1; p <= pods; p++ {
		keys = append(keys, fmt.Sprintf("p%0*d", len(strconv.Itoa(pods)), p))
		all = append(all, each(keys[p-1]+"-leaf", leaves)...)
	}
	list, most := f.spread(all, f.hosts, modelOf100)
	width := upTo(plural(most, 2)) // cables of each leaf to each of two spines
	up := leaves * width           // uplinks of each spine
	cores := 2
	for pods*2*max(1, up/cores) > 32 {
		cores *= 2
	}
	toCore := max(1, up/cores)
	gpus := f.gpus("ens1f0", cardOf100, "")
	f.switches("leaf", nodeset.Text(all, nodeset.Devices, math.MaxInt), modelOf100, 1)
	var spines []string
	for _, k := range keys {
		spines = append(spines, each(k+"-spine", 2)...)
	}
	f.switches("spine", nodeset.Text(spines, nodeset.Devices, math.MaxInt), modelOf100, 2)
	f.switches("core", numbered("core", cores), modelOf100, 3)
	f.join("link", "hosts", "Pairwise: the first host to the first port, the second one to the second, and so on.",
		fmt.Sprintf("a = \"%s:ens1f0\"", gpus), "b = "+list, `speed = "100G"`, `length = "3m"`)
	f.join("mesh", "pod", "In each pod every leaf to both spines, by "+cablesEach(width)+".",
		`for_each = toset(["`+strings.Join(keys, `", "`)+`"])`,
		fmt.Sprintf("lower = \"${each.key}-%s:%s\"", numbered("leaf", leaves), f.ports(modelOf100, 17, 2*width)),
		fmt.Sprintf("upper = \"${each.key}-spine[1-2]:%s\"", f.ports(modelOf100, 1, leaves*width)),
		`speed = "100G"`, `length = "10m"`)
	f.join("mesh", "core", "Every spine to every core switch, by "+cablesEach(toCore)+".",
		fmt.Sprintf("lower = \"%s:%s\"", nodeset.Text(spines, nodeset.Devices, math.MaxInt), f.ports(modelOf100, 17, cores*toCore)),
		fmt.Sprintf("upper = \"%s:%s\"", numbered("core", cores), f.ports(modelOf100, 1, len(spines)*toCore)),
		`speed = "100G"`, `length = "100m"`)
	f.intents = [][2]string{{"training", "host.gpu"}}
}

// rails is the number of ports of a host in the shape rail.
const rails = 8

// rail has eight ports per host, port N on a leaf of rail N; 32 hosts share eight leaves.
func rail(f *shaped) {
	const unit = 32
	units := plural(f.hosts, unit)
	keys := each("u", units)
	gpus := f.gpus(fmt.Sprintf("rail[1-%d]", rails), cardOf400, "")
	var first, leaves []string
	for _, k := range keys {
		first = append(first, k+"-rail0") // of the rail that each.key names
		leaves = append(leaves, each(k+"-rail", rails)...)
	}
	list, most := f.spread(first, f.hosts, modelOf400)
	list = strings.ReplaceAll(list, "rail0", "rail${each.key}")
	spines, width := uplinks(len(leaves), most, 64)
	f.switches("leaf", nodeset.Text(leaves, nodeset.Devices, math.MaxInt), modelOf400, 1)
	f.switches("spine", numbered("spine", spines), modelOf400, 2)
	var numbers []string
	for r := 1; r <= rails; r++ {
		numbers = append(numbers, strconv.Quote(strconv.Itoa(r)))
	}
	f.join("link", "rail", fmt.Sprintf("Port N of every host to the leaf of rail N that its %d hosts share.", unit),
		"for_each = toset(["+strings.Join(numbers, ", ")+"])",
		fmt.Sprintf("a = \"%s:rail${each.key}\"", gpus), "b = "+list, `speed = "400G"`, `length = "5m"`)
	f.join("mesh", "uplinks", "Every leaf to every spine, by "+cablesEach(width)+": what crosses rails goes over a spine.",
		fmt.Sprintf("lower = \"%s:%s\"", nodeset.Text(leaves, nodeset.Devices, math.MaxInt), f.ports(modelOf400, 33, spines*width)),
		fmt.Sprintf("upper = \"%s:%s\"", numbered("spine", spines), f.ports(modelOf400, 1, len(leaves)*width)),
		`speed = "400G"`, `length = "30m"`)
	f.intents = [][2]string{{"training", "host.gpu"}}
}

// mlagRack has a pair of leaves per rack, to which the hosts of the rack have a bond. Spines connect the racks.
func mlagRack(f *shaped) {
	racks := plural(f.hosts, perLeaf)
	keys := each("rack", racks)
	gpus := f.gpus("ens1f[0-1]", cardOf100, "\n  bond \"bond0\" {\n    nics = [\"ens1f[0-1]\"]\n    mode = \"802.3ad\"\n  }\n")
	list, most := f.spread(keys, f.hosts, modelOf100)
	f.switches("leaf", "${each.key}-leaf[1-2]", modelOf100, 1, `for_each = toset(["`+strings.Join(keys, `", "`)+`"])`,
		"mlag = each.key # the pair is never changed together")
	legs := func(n int) string {
		return legOf().ReplaceAllString(list, `"$1-leaf`+strconv.Itoa(n)+":")
	}
	f.join("link", "first-legs", "The first port of every host to the first leaf of its rack.",
		fmt.Sprintf("a = \"%s:ens1f0\"", gpus), "b = "+legs(1), `speed = "100G"`, `length = "3m"`)
	f.join("link", "second-legs", "The second one to the second.",
		fmt.Sprintf("a = \"%s:ens1f1\"", gpus), "b = "+legs(2), `speed = "100G"`, `length = "3m"`)
	pair := nodeset.Text(keys, nodeset.Devices, math.MaxInt)
	f.join("link", "peer", "Between the leaves of a rack, for hosts that lose a leg.",
		fmt.Sprintf("a = \"%s-leaf1:%s\"", pair, f.ports(modelOf100, 31, 2)),
		fmt.Sprintf("b = \"%s-leaf2:%s\"", pair, f.ports(modelOf100, 31, 2)),
		`speed = "100G"`, `length = "1m"`, "peer = true # a step between switches of one tier", "bond = true # two cables, one link")
	if racks > 1 {
		spines, width := uplinks(2*racks, plural(most, 2), 32)
		f.switches("spine", numbered("spine", spines), modelOf100, 2)
		f.join("mesh", "uplinks", "Every leaf to every spine, by "+cablesEach(width)+
			": half the capacity of the hosts' ports, as each leg of a bond carries half.",
			fmt.Sprintf("lower = \"%s-leaf[1-2]:%s\"", pair, f.ports(modelOf100, 17, spines*width)),
			fmt.Sprintf("upper = \"%s:%s\"", numbered("spine", spines), f.ports(modelOf100, 1, 2*racks*width)),
			`speed = "100G"`, `length = "30m"`)
	}
	f.intents = [][2]string{{"storage", "host.gpu"}}
}

// legOf matches a rack at the beginning of an end.
var legOf = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"([^":]+):`) })

// ShapeNames lists the shapes.
func ShapeNames() []string {
	var names []string
	for _, s := range Shapes {
		names = append(names, s.Name)
	}
	return names
}

// FindShape returns the shape with a name.
func FindShape(name string) (Shape, bool) {
	i := slices.IndexFunc(Shapes, func(s Shape) bool { return s.Name == name })
	if i < 0 {
		return Shape{}, false
	}
	return Shapes[i], true
}
