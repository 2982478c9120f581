package start

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// draftGroup is a group of similar devices.
type draftGroup struct {
	label   string
	host    bool
	unsure  bool // no word shows their role
	meant   string
	devices []string
	ports   []string // interfaces of each host
	speed   int      // speed of the fastest cable, Mb/s; 0: unknown
	sys     system   // of switches
	tier    int      // the written tier; 0: none
	height  int      // height of the highest device above the hosts
}

// group groups devices whose names differ only in numbers.
func (d *draft) group() {
	groups := map[string]*draftGroup{} // by the properties that must be equal
	labels := map[string]int{}
	stated := d.states()
	for _, dev := range d.devices {
		host := dev.role == isHost
		stem := stemOf(dev.name)
		var ports []string
		speed := 0
		for _, j := range dev.jacks {
			ports = append(ports, j.port)
			speed = max(speed, j.cable.speed)
		}
		key := fmt.Sprint(host, " ", stem, " ", dev.meant)
		kind := fmt.Sprint(host, " ", stem)
		tier := 0
		if host {
			slices.SortFunc(ports, nodeset.Compare)
			ports = slices.Compact(ports)
			key += " " + strings.Join(ports, ",")
		} else {
			if stated {
				tier = dev.tier
			}
			key += fmt.Sprint(" ", dev.sys.word, " ", dev.sys.model, " ", tier, " ", dev.sys.version, dev.sys.guessed, dev.sys.card)
			if dev.sys.os != nil {
				key += dev.sys.os.Name
			}
		}
		g := groups[key]
		if g == nil {
			g = &draftGroup{label: stem, host: host, sys: dev.sys, tier: tier, meant: dev.meant}
			if labels[kind]++; labels[kind] > 1 {
				g.label += "-" + strconv.Itoa(labels[kind])
			}
			groups[key] = g
			d.groups = append(d.groups, g)
			if host {
				g.ports = ports
			}
		}
		g.devices = append(g.devices, dev.name)
		g.speed = max(g.speed, speed)
		g.unsure = g.unsure || !dev.sure
		g.height = max(g.height, dev.tier)
		dev.group = g
	}
	slices.SortStableFunc(d.groups, func(a, b *draftGroup) int { // switches first
		switch {
		case a.host == b.host:
			return 0
		case a.host:
			return 1
		}
		return -1
	})
}

var digitsAndJoints = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9._-]+`) })

// stemOf returns a name without numbers and without a letter at the end, as a label for a group.
func stemOf(name string) string {
	stem := strings.Trim(digitsAndJoints().ReplaceAllString(name, "-"), "-")
	if n := len(stem) - 2; n >= 0 && stem[n] == '-' && 'a' <= stem[n+1] && stem[n+1] <= 'z' {
		stem = stem[:n]
	}
	switch {
	case stem == "":
		return "device"
	case len(stem) > 24:
		return strings.Trim(stem[:24], "-")
	}
	return stem
}

// fabric returns fabric.hcl: that of the small fabric, with these hosts.
func (d *draft) fabric() []byte {
	src := Small(nil)[0].Data
	line := regexp.MustCompile(`(?m)^ *routing .*$`)
	switch {
	case d.as != nil:
		src = line.ReplaceAll(src, []byte(`  routing = "ebgp" # by the AS numbers and sessions of the switches`))
	case d.table != "":
		by := `  routing = "table" # by the next hops of all switches, as they were read` + "\n  table = " + strconv.Quote(d.table)
		src = line.ReplaceAll(src, []byte(by))
		src = regexp.MustCompile(`(?m)^ *failures .*\n`).ReplaceAll(src, nil) // a table does not show the paths after a failure
	case d.routing == "up-down":
		src = bytes.Replace(src, []byte(`# traffic never turns`), []byte(`# CHECK: traffic never turns`), 1)
	default:
		why := "# CHECK: the cables show no tiers; others: rocec explain pfc-loop"
		src = line.ReplaceAll(src, []byte(`  routing = "`+d.routing+`" `+why))
	}
	i := bytes.Index(src, []byte("# Who talks RoCE"))
	k := bytes.Index(src, []byte("roce \"training\""))
	head, lead, block := src[:i], string(src[i:k]), string(src[k:])
	if d.classes != nil {
		return d.canonical(d.classes.write(head, lead, d.intents))
	}
	intents := d.intents(nil)
	if len(intents) == 0 {
		text := strings.TrimRight(lead+block, "\n")
		why := "the cabling file names no two hosts that cables join; give them host blocks and cables"
		commented := "# " + strings.ReplaceAll(text, "\n", "\n# ") + "\n"
		return d.canonical(append(bytes.Clone(head), "# CHECK: "+why+", and take the # away here.\n"+commented...))
	}
	var out strings.Builder
	out.WriteString(string(head) + lead)
	for n, members := range intents {
		name := "training"
		if len(intents) > 1 {
			name += "-" + strconv.Itoa(n+1)
		}
		b := strings.Replace(block, `"training"`, strconv.Quote(name), 1)
		who := "members = [" + strings.Join(members, ", ") + "] # CHECK: who talks with whom"
		out.WriteString(strings.Replace(b, "members   = [host.gpu]", who, 1) + "\n")
	}
	return d.canonical([]byte(out.String()))
}

// intents returns the members of roce blocks. One block has all hosts; if the fabric has unconnected parts, each part has its own block.
// It leaves out ports of hosts if keep returns false for the port of the switch; a nil keep keeps every port.
func (d *draft) intents(keep func(device, port string) bool) [][]string {
	part := d.parts()
	ports := map[int][]string{} // ports of hosts, by part
	partly := map[*draftGroup][]string{}
	whole := map[*draftGroup]bool{}
	n := 0
	for _, dev := range d.devices {
		for _, j := range dev.jacks {
			if dev.role != isHost {
				continue
			}
			if keep != nil && !keep(j.peer.dev.name, j.peer.port) {
				whole[dev.group] = false
				continue
			}
			if _, known := whole[dev.group]; !known {
				whole[dev.group] = true
			}
			partly[dev.group] = append(partly[dev.group], j.String())
			p := part[j.peer.dev]
			ports[p] = append(ports[p], j.String())
			n = max(n, p)
		}
	}
	var out [][]string
	for p := 1; p <= n; p++ {
		if len(ports[p]) < 2 {
			continue
		}
		if len(ports) == 1 {
			var all []string
			for _, g := range d.groups {
				switch {
				case g.host && whole[g]:
					all = append(all, "host."+g.label)
				case g.host && len(partly[g]) > 0:
					all = append(all, quoted(partly[g])...)
				}
			}
			return [][]string{all}
		}
		out = append(out, quoted(ports[p]))
	}
	return out
}

// quoted folds ports of hosts into quoted nodesets.
func quoted(ports []string) (out []string) {
	for _, s := range nodeset.Fold(ports, nodeset.Endpoints) {
		out = append(out, strconv.Quote(s))
	}
	return out
}

// devicesFile returns devices.hcl.
func (d *draft) devicesFile(file string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# The devices that %s names. What a cabling file does not tell is marked CHECK.\n", file)
	for _, m := range d.custom {
		fmt.Fprintf(&b, "\n# CHECK: no common model has the ports of these switches; write the one it is, or its chip, ports and speed.\n"+
			"switch_model %q {\n  asic = %q\n  ports = %d\n  speed = %q\n}\n", m.name, m.asic, m.ports, platform.SpeedText(m.speed))
	}
	for _, g := range d.groups {
		b.WriteByte('\n')
		if g.meant != "" {
			fmt.Fprintf(&b, "# CHECK: the file declares no such device: is %s meant? Then correct the name there.\n", diag.Escape(g.meant))
		}
		if g.host {
			d.hosts(&b, g)
		} else {
			d.switches(&b, g)
		}
	}
	b.WriteString("\n# How rocec logs in. What is left out comes from ~/.ssh/config; a device may have an ssh block of its own.\n")
	user := "admin"
	if d.on.OS != nil {
		user = d.on.OS.User
	}
	if len(d.groups) > 0 && d.groups[0].sys.os != nil && !d.stated { // switches come first
		user = d.groups[0].sys.os.User
	}
	fmt.Fprintf(&b, "ssh {\n  user = %q # CHECK: hosts have another one, mostly\n}\n", user)
	return d.canonical([]byte(b.String()))
}

func (d *draft) switches(b *strings.Builder, g *draftGroup) {
	if g.unsure {
		b.WriteString("# CHECK: a switch? The names do not tell; ports and cables look like it.\n")
	}
	fmt.Fprintf(b, "switch %q {\n  names = %s\n", g.label, list(nodeset.Fold(g.devices, nodeset.Devices)))
	switch s := g.sys; {
	case s.byHand:
		fmt.Fprintf(b, "  model = %q # CHECK: a chip like that of the switch: decides the buffer\n  os = %q # CHECK\n", s.model, s.word)
		b.WriteString("  by_hand {} # CHECK: rocec knows no system with such ports, so others configure it; if not, name its ports " +
			"as it does\n")
	default:
		check := " # CHECK: decides ports, chip and buffer"
		if s.known {
			check = ""
		}
		fmt.Fprintf(b, "  model = %q%s\n", s.model, check)
		on := d.on
		on.OS, on.Version = s.os, ""
		check = " # CHECK: decides what is written, and how"
		switch {
		case s.os == d.on.OS && d.on.Version != "":
			on.Version, check = d.on.Version, ""
		case s.version != "" && s.guessed:
			on.Version, check = s.version, " # CHECK: the files are of such a release"
		case s.version != "":
			on.Version, check = s.version, ""
		}
		m, _ := platform.FindSwitch(s.model)
		fmt.Fprintf(b, "  os = %q\n  version = %q%s\n", s.os.Name, on.release(m), check)
		if s.card {
			b.WriteString("  written_by = \"others\" # CHECK: a card of a chassis: rocec writes switches with one chip\n")
		}
	}
	if d.as != nil {
		fmt.Fprintf(b, "  asn = %s\n", asn(g.devices, d.as))
	}
	switch {
	case g.tier > 0:
		fmt.Fprintf(b, "  tier = %d # CHECK: the height: tier 1 connects hosts\n}\n", g.tier)
	case d.routing == "up-down":
		fmt.Fprintf(b, "  # tier = %d # CHECK: the height, if it is not the distance from the nearest host, plus 1\n}\n", max(g.height, 1))
	default:
		b.WriteString("}\n")
	}
}

// asn writes the AS numbers of the switches of a block: one number, consecutive numbers, or a number for each name.
func asn(names []string, of map[string]uint32) string {
	sorted := slices.SortedFunc(slices.Values(names), nodeset.Compare)
	first, same, next := of[sorted[0]], true, true
	var rows []string
	for i, name := range sorted {
		same, next = same && of[name] == first, next && of[name] == first+uint32(i)
		rows = append(rows, fmt.Sprintf("%q = %d", name, of[name]))
	}
	switch {
	case same:
		return strconv.FormatUint(uint64(first), 10)
	case next:
		return fmt.Sprintf("%d + self.index", first)
	}
	return "{ " + strings.Join(rows, ", ") + " }[self.name]"
}

func (d *draft) hosts(b *strings.Builder, g *draftGroup) {
	if g.unsure {
		b.WriteString("# CHECK: a host? The names do not tell; ports and cables look like it.\n")
	}
	fmt.Fprintf(b, "host %q {\n  names = %s\n", g.label, list(nodeset.Fold(g.devices, nodeset.Devices)))
	most := 9216
	if d.classes != nil && d.classes.MTU > 0 {
		most = d.classes.MTU
	}
	for _, nic := range nodeset.Fold(g.ports, nodeset.Interfaces) {
		fmt.Fprintf(b, "\n  nic %q {\n    model = %q # CHECK: which card it is\n    mtu = %d # CHECK: at most %d, the mtu of the fabric\n  }\n",
			nic, d.nicModel(g.speed), min(most, 9000), most)
	}
	b.WriteString("}\n")
}

// cabling returns cabling.hcl.
func (d *draft) cabling(c Cabling) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Every cable of %s, which stays the only place where cables are written.\n", c.Name)
	fmt.Fprintf(&b, "topology \"cabling\" {\n  format = %q\n  file = %q\n", c.Format, c.Name)
	if c.Panels > 0 {
		fmt.Fprintf(&b, "  # %s %s through patch panels, with the sum of the lengths.\n", diag.Count(c.Panels, "cable"),
			diag.Plural(c.Panels, "goes", "go"))
	}
	if len(c.Sheets) > 0 {
		fmt.Fprintf(&b, "  sheets = %s\n", quotedList(c.Sheets))
	}
	if len(c.Columns) > 0 {
		b.WriteString("  columns = {\n")
		for _, k := range slices.Sorted(maps.Keys(c.Columns)) {
			fmt.Fprintf(&b, "    %s = %s\n", k, lang.Quote(c.Columns[k])) // may contain ${ and control characters
		}
		b.WriteString("  }\n")
	}
	if d.fold {
		b.WriteString("  fold_names = true # the file writes names in another way than a fabric does\n")
	}
	if len(d.ignored) > 0 {
		fmt.Fprintf(&b, "  ignore = %s # CHECK: devices outside of the fabric\n", quotedList(d.ignored))
	}
	if !d.speeds {
		b.WriteString("  # speed = \"100G\" # CHECK: if cables run slower than the slower of their two ports\n")
	}
	switch {
	case d.lengths:
	case c.Length > 0:
		fmt.Fprintf(&b, "  length = \"%dm\" # CHECK: of cables for which the file says none\n", c.Length)
	default:
		b.WriteString("  length = \"30m\" # CHECK: of cables for which the file says none; longer is safe and takes more buffer\n")
	}
	for why, cables := range d.dropped {
		d.selected(&b, cables, "ignore = true", "cables "+whys[why]+" are left out", reason(why) != toItself) // the other cables are guessed
	}
	var peers, unknown, paused []*cable
	for _, x := range d.cables {
		if d.classes.paused(x.a.dev.name, x.a.port, x.b.dev.name, x.b.port) {
			paused = append(paused, x)
		}
		if x.peer {
			peers = append(peers, x)
		}
		if x.speed == 0 && x.a.dev.sys.byHand && x.b.dev.sys.byHand {
			unknown = append(unknown, x)
		}
	}
	d.selected(&b, peers, "peer = true", "cables between two switches of one tier, as the peer link of a redundancy pair is", true)
	d.selected(&b, paused, "flow_control = \"pause\"", "an end of these cables has link pause", false)
	d.selected(&b, unknown, "speed = \"100G\"", "neither end states the speed of these cables", true)
	b.WriteString("}\n")
	return d.canonical([]byte(b.String()))
}

// selected writes a cables block for cables.
func (d *draft) selected(b *strings.Builder, cables []*cable, says, why string, check bool) {
	if len(cables) == 0 {
		return
	}
	var ends []string
	for _, x := range cables {
		ends = append(ends, x.a.String())
	}
	mark := ""
	if check {
		mark = "CHECK: "
	}
	for i, set := range chunks(nodeset.Fold(ends, nodeset.Endpoints)) {
		if b.WriteByte('\n'); i == 0 {
			fmt.Fprintf(b, "  # %s%s\n", mark, why)
		}
		fmt.Fprintf(b, "  cables %q {\n    %s\n  }\n", set, says)
	}
}

// chunks joins selectors into texts of about one line.
func chunks(sets []string) []string {
	var out []string
	for _, s := range sets {
		if n := len(out); n > 0 && len(out[n-1])+len(s) < 100 {
			out[n-1] += ", " + s
			continue
		}
		out = append(out, s)
	}
	return out
}

// list writes nodesets as one string, or if that is too long, one per line.
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

// canonical formats a file of the draft. If it exceeds the size of a file, the draft is too large.
func (d *draft) canonical(src []byte) []byte {
	out, ds := lang.Format("new.hcl", src)
	switch {
	case ds.HasErrors() && ds[0].Code == lang.TooLarge:
		d.large = true
	case ds.HasErrors():
		panic("a draft that is no HCL: " + ds[0].Detail)
	}
	return out
}

// canonical formats a file of init, which never has a mistake.
func canonical(src []byte) []byte {
	out, ds := lang.Format("new.hcl", src)
	if ds.HasErrors() {
		panic("a draft that is not HCL: " + ds[0].Detail)
	}
	return out
}
