package start

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/topology"
)

// Draft makes the files of a fabric of the cables of a file: what the file does not tell is guessed and marked CHECK. The
// cabling file itself, which becomes the file name of the fabric, is read by the topology block in the given format.
// The switches run on; the zero System is the default of known. Names that rocec refuses are reported, and no file is made.
func Draft(edges []topology.Edge, format, name string, known ir.Known, on System) ([]File, diag.List) {
	var ds diag.List
	d := newDraft(edges, known, &ds)
	if d.on = on; on.OS == nil {
		d.on.OS = known.DefaultOS()
	}
	if ds.HasErrors() {
		return nil, ds
	}
	return Small(map[string][]byte{
		"fabric.hcl":  d.fabric(),
		"devices.hcl": d.devices(name),
		"cabling.hcl": d.cabling(format, name),
	}), ds
}

// draft is what a cabling file tells of a fabric, and what it lets one guess.
type draft struct {
	known   ir.Known
	on      System
	groups  []*draftGroup // switches first
	ignored []string      // devices that have no part in the fabric
	lengths bool          // every cable says its length
	speeds  bool          // every cable says its speed
	peers   []string      // pairs of switches of one group with a cable between them
}

// mostPeers is how many pairs of switches of one group are named.
const mostPeers = 4

// draftGroup are devices that look alike.
type draftGroup struct {
	label   string
	host    bool
	unsure  bool // no name said what they are
	devices []string
	ports   []string // of hosts: each device's; of switches: of any
	speed   int      // of the fastest cable, Mb/s; 0 is unknown
}

// draftDevice is a device of the file.
type draftDevice struct {
	name  string
	ports []string
	peers []string
	speed int
}

// newDraft guesses what the devices of a file are. Names that rocec refuses are reported, each once.
func newDraft(edges []topology.Edge, known ir.Known, ds *diag.List) *draft {
	d := &draft{known: known, lengths: true, speeds: true}
	byName := map[string]*draftDevice{}
	ignored := map[string]bool{}
	told := map[string]bool{}
	check := func(message string, at diag.Range) bool {
		if message != "" && !told[message] {
			told[message] = true
			ds.Add(&diag.Diagnostic{Severity: diag.Error, Code: badName.Code, Summary: badName.Summary, Detail: message, At: at})
		}
		return message == ""
	}
	for _, e := range edges {
		ends := []topology.End{e.A, e.B}
		good := true
		for _, end := range ends {
			if outOfBand(end.Device) {
				ignored[end.Device] = true
				good = false
			}
		}
		if !good {
			continue
		}
		for _, end := range ends {
			device, port := check(nodeset.CheckDevice(end.Device), end.DeviceAt), check(nodeset.CheckInterface(end.Port), end.PortAt)
			good = good && device && port
		}
		if !good {
			continue
		}
		speed, length := 0, false
		for _, at := range e.Attrs {
			switch at.Name {
			case "speed":
				speed = gigabits(at.Text)
			case "length":
				length = true
			}
		}
		d.lengths = d.lengths && length
		d.speeds = d.speeds && speed > 0
		for i, end := range ends {
			dev := byName[end.Device]
			if dev == nil {
				dev = &draftDevice{name: end.Device}
				byName[end.Device] = dev
			}
			dev.ports = append(dev.ports, end.Port)
			dev.peers = append(dev.peers, ends[1-i].Device)
			dev.speed = max(dev.speed, speed)
		}
	}
	for name := range ignored {
		d.ignored = append(d.ignored, oddLetter.ReplaceAllString(name, "?"))
	}
	slices.SortFunc(d.ignored, nodeset.Compare)
	if ds.HasErrors() {
		return d
	}
	if len(byName) == 0 && len(edges) > 0 {
		ds.Errorf(edges[0].At, "topology-empty", "the cabling file holds no cable", "Every cable of this file ends at a device of the management network, as far as names tell.")
		return d
	}
	d.group(byName)
	return d
}

// oddLetter is what no name of a device has; in a glob any letter stands for it.
var oddLetter = regexp.MustCompile(`[^a-z0-9._-]`)

// badName is the topic of names that cannot be.
var badName = func() diag.Topic {
	i := slices.IndexFunc(lang.Topics, func(t diag.Topic) bool { return t.Code == "bad-name" })
	return lang.Topics[i]
}()

// group puts devices together that are told apart by numbers only.
func (d *draft) group(byName map[string]*draftDevice) {
	names := make([]string, 0, len(byName))
	for name := range byName {
		names = append(names, name)
	}
	slices.SortFunc(names, nodeset.Compare)
	groups := map[string]*draftGroup{} // by what must be alike
	labels := map[string]int{}
	groupOf := map[string]*draftGroup{}
	for _, name := range names {
		dev := byName[name]
		host, sure := d.role(dev)
		stem := stemOf(name)
		key := fmt.Sprint(host, " ", stem)
		if host {
			slices.SortFunc(dev.ports, nodeset.Compare)
			key += " " + strings.Join(dev.ports, ",")
		}
		g := groups[key]
		if g == nil {
			g = &draftGroup{label: stem, host: host}
			kind := fmt.Sprint(host, " ", stem)
			if labels[kind]++; labels[kind] > 1 {
				g.label += "-" + strconv.Itoa(labels[kind])
			}
			groups[key] = g
			d.groups = append(d.groups, g)
			if host {
				g.ports = dev.ports
			}
		}
		if !host {
			g.ports = append(g.ports, dev.ports...)
		}
		g.devices = append(g.devices, name)
		g.speed = max(g.speed, dev.speed)
		g.unsure = g.unsure || !sure
		groupOf[name] = g
	}
	slices.SortStableFunc(d.groups, func(a, b *draftGroup) int { // switches first, spines before leaves as drawn
		switch {
		case a.host == b.host:
			return 0
		case a.host:
			return 1
		}
		return -1
	})
	for _, name := range names {
		for _, peer := range byName[name].peers {
			if nodeset.Compare(name, peer) >= 0 || groupOf[name] != groupOf[peer] || groupOf[name].host {
				continue
			}
			if pair := name + " and " + peer; len(d.peers) < mostPeers && !slices.Contains(d.peers, pair) {
				d.peers = append(d.peers, pair)
			}
		}
	}
}

// Words in names, and what is called so.
var (
	switchWords = []string{"spine", "leaf", "tor", "core", "agg", "super", "superspine", "exit", "border", "switch", "sw", "sp", "lf", "eor", "mlag", "fabric", "rtr", "router"}
	hostWords   = []string{"host", "gpu", "server", "srv", "node", "compute", "store", "storage", "client", "worker", "dgx", "hgx", "nvme", "db", "vm", "cpu", "initiator", "target"}
	outsiders   = []string{"oob", "mgmt", "management"}
)

var wordPattern = regexp.MustCompile(`[a-z]+`)

// role guesses whether a device is a host: by the last telling word of its name, or else by its ports.
func (d *draft) role(dev *draftDevice) (host, sure bool) {
	words := wordPattern.FindAllString(dev.name, -1)
	for _, w := range slices.Backward(words) {
		switch {
		case slices.Contains(switchWords, w):
			return false, true
		case slices.Contains(hostWords, w):
			return true, true
		}
	}
	for _, p := range dev.ports {
		if _, front := d.front(nil, p); front || !netdev.MatchString(p) {
			return false, false
		}
	}
	return len(dev.ports) <= 2, false
}

// front reads the name of a front-panel port of the default system, on a switch model or (nil) any.
func (d *draft) front(m *platform.Switch, port string) (ir.Front, bool) {
	os := d.known.DefaultOS()
	if os == nil {
		return ir.Front{}, false
	}
	return os.Read(m, port)
}

// netdev is how interfaces of hosts are called.
var netdev = regexp.MustCompile(`^(eth|en|ib|bond|mlx)[a-z0-9]+$`)

// outOfBand reports whether a device is of the management network, by its name.
func outOfBand(name string) bool {
	for _, w := range wordPattern.FindAllString(strings.ToLower(name), -1) {
		if slices.Contains(outsiders, w) {
			return true
		}
	}
	return false
}

var digitsAndJoints = regexp.MustCompile(`[0-9._-]+`)

// stemOf is a name without what tells devices of a kind apart, as a label.
func stemOf(name string) string {
	stem := strings.Trim(digitsAndJoints.ReplaceAllString(name, "-"), "-")
	switch {
	case stem == "":
		return "device"
	case len(stem) > 24:
		return strings.Trim(stem[:24], "-")
	}
	return stem
}

// gigabits reads a speed such as 100G; 0 if it is written in another way.
func gigabits(s string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(s, "G"))
	if err != nil || n < 1 || n > 10_000 || !strings.HasSuffix(s, "G") {
		return 0
	}
	return n * 1000
}

// switchModel is the first of a few common models that has the ports, each as fast as asked.
func (d *draft) switchModel(ports []string, speed int) string {
	models := []string{"sn2700", "sn2410", "sn4600c", "sn3700", "sn4600", "sn4700", "sn5600"}
	for _, name := range models {
		m, ok := platform.FindSwitch(name)
		if !ok {
			continue
		}
		fastest := 0
		fits := true
		for _, p := range ports {
			f, named := d.front(m, p)
			r, ok := m.Port(int(f.Number), int(f.Sub))
			if fits = fits && named && ok; !fits {
				break
			}
			native, _ := r.Split(int(f.Sub))
			fastest = max(fastest, native)
		}
		if fits && speed <= fastest {
			return name
		}
	}
	return models[0]
}

// nicModel is the first of a few common models that is as fast as asked.
func (d *draft) nicModel(speed int) string {
	models := []string{"connectx-5", "connectx-6", "connectx-7"}
	for _, name := range models {
		if n := d.known.FindNIC(name); n != nil && speed <= n.Speed {
			return name
		}
	}
	return models[0]
}

// fabric is fabric.hcl: that of the small fabric, for these hosts.
func (d *draft) fabric() []byte {
	src := Small(nil)[0].Data
	var members []string
	for _, g := range d.groups {
		if g.host {
			members = append(members, "host."+g.label)
		}
	}
	src = bytes.Replace(src, []byte(`# traffic never turns`), []byte(`# CHECK: traffic never turns`), 1)
	if len(members) > 0 {
		list := "members   = [" + strings.Join(members, ", ") + "] # CHECK: who talks with whom"
		return canonical(bytes.Replace(src, []byte("members   = [host.gpu]"), []byte(list), 1))
	}
	i := bytes.Index(src, []byte("roce \"training\""))
	block := strings.TrimRight(string(src[i:]), "\n")
	return canonical(append(bytes.Clone(src[:i]), "# CHECK: the cabling file names no hosts; give them host blocks and cables, and take the # away here.\n# "+strings.ReplaceAll(block, "\n", "\n# ")+"\n"...))
}

// devices is devices.hcl.
func (d *draft) devices(file string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# The devices that %s names. What a cabling file does not tell is marked CHECK.\n", file)
	for _, g := range d.groups {
		kind := "switch"
		if g.host {
			kind = "host"
		}
		b.WriteByte('\n')
		if g.unsure {
			fmt.Fprintf(&b, "# CHECK: a %s? The names do not tell; the ports look like it.\n", kind)
		}
		fmt.Fprintf(&b, "%s %q {\n  names = %s\n", kind, g.label, list(nodeset.Fold(g.devices, nodeset.Devices)))
		if !g.host {
			name := d.switchModel(g.ports, g.speed)
			fmt.Fprintf(&b, "  model = %q # CHECK: decides ports, chip and buffer\n", name)
			if d.on.OS != nil {
				m, _ := platform.FindSwitch(name)
				check := " # CHECK: decides what is written, and how"
				if d.on.Version != "" {
					check = ""
				}
				fmt.Fprintf(&b, "  os = %q\n  version = %q%s\n", d.on.OS.Name, d.on.release(m), check)
			}
			b.WriteString("  # tier = 1 # CHECK: the height, if it is not the distance from the nearest host, plus 1\n}\n")
			continue
		}
		for _, nic := range nodeset.Fold(g.ports, nodeset.Interfaces) {
			fmt.Fprintf(&b, "\n  nic %q {\n    model = %q # CHECK: which card it is\n    mtu = 9000 # CHECK: at most 9216, the mtu of the fabric\n"+
				"  }\n", nic, d.nicModel(g.speed))
		}
		b.WriteString("}\n")
	}
	b.WriteString("\n# How rocec logs in. What is left out comes from ~/.ssh/config; a device may have an ssh block of its own.\n")
	user := "admin"
	if d.on.OS != nil {
		user = d.on.OS.User
	}
	fmt.Fprintf(&b, "ssh {\n  user = %q # CHECK: hosts have another one, mostly\n}\n", user)
	return canonical([]byte(b.String()))
}

// cabling is cabling.hcl.
func (d *draft) cabling(format, file string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Every cable of %s, which stays the only place where cables are written.\n", file)
	if len(d.peers) > 0 {
		fmt.Fprintf(&b, "#\n# CHECK: %s are switches of one kind with a cable between them. If that is a\n", strings.Join(d.peers, ", "))
		b.WriteString("# peer link of a redundancy pair, take it out of the file and write it as a link block with peer = true.\n")
	}
	fmt.Fprintf(&b, "topology \"cabling\" {\n  format = %q\n  file = %q\n", format, file)
	if len(d.ignored) > 0 {
		fmt.Fprintf(&b, "  ignore = %s # CHECK: devices outside of the fabric\n", quotedList(d.ignored))
	}
	if !d.speeds {
		b.WriteString("  # speed = \"100G\" # CHECK: if cables run slower than the slower of their two ports\n")
	}
	if !d.lengths {
		b.WriteString("  length = \"30m\" # CHECK: of cables for which the file says none; longer is safe and takes more buffer\n")
	}
	b.WriteString("}\n")
	return canonical([]byte(b.String()))
}

// list writes nodesets as one string, or one a line where that is long.
func list(sets []string) string {
	if one := strings.Join(sets, ","); len(one) <= 80 {
		return strconv.Quote(one)
	}
	var b strings.Builder
	b.WriteString("[\n")
	for _, s := range sets {
		fmt.Fprintf(&b, "    %q,\n", s)
	}
	return b.String() + "  ]"
}

func quotedList(names []string) string {
	var quoted []string
	for _, n := range names {
		quoted = append(quoted, strconv.Quote(n))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// canonical formats what init writes; it is ours, so it can be.
func canonical(src []byte) []byte {
	out, ds := lang.Format("new.hcl", src)
	if ds.HasErrors() {
		panic("a draft that is no HCL: " + ds[0].Detail)
	}
	return out
}
