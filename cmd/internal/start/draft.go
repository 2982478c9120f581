package start

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/topology"
)

// Cabling is a cabling file from which a fabric is drafted.
type Cabling struct {
	Format  string            // format in the topology block
	Name    string            // of the file in the fabric's folder
	Columns map[string]string // headers of a sheet, by column; nil: the known headers
	Sheets  []string          // names of further sheets, in the fabric's folder

	topology.Cabling // content of the file

	// The next four are set if the settings of devices were read.
	Classes *Classes        // nil: none were
	Guessed map[string]bool // devices whose release is a guess
	Cards   map[string]bool // cards of a chassis, which rocec does not write
	Length  int             // derived length in metres of a cable without a stated one; 0: unknown

	AS    map[string]uint32 // AS numbers of all switches, if they route by eBGP; else nil
	Table string            // the file of next hops in the fabric's folder, if only it shows the routing; else empty
}

// Drafted is a draft.
type Drafted struct {
	Files []File
	Notes []string // parts that are left out, for people: one line each
	Name  string   // name of the fabric in the file; empty: none, or invalid
}

// Draft makes the files of a fabric from the cables of a file. Values that the file lacks are guessed and marked CHECK. The cabling file
// itself becomes a file of the fabric, which the topology block reads. The switches run the system on; for the zero System, names, kinds
// and ports decide. If no fabric is possible, Draft reports each cause once, and makes no files.
func Draft(c Cabling, known ir.Known, on System) (Drafted, diag.List) {
	var ds diag.List
	d := newDraft(c, known, on, &ds)
	if ds.HasErrors() {
		return Drafted{}, Causes(ds)
	}
	files := Small(map[string][]byte{
		"fabric.hcl":  d.fabric(),
		"devices.hcl": d.devicesFile(c.Name),
		"cabling.hcl": d.cabling(c),
	})
	if d.large {
		topology.TooLarge.Errorf(&ds, c.Edges[0].At, "A draft of the %s of this file does not fit in files that rocec reads: too "+
			"many parts that no cable joins, or names without consecutive numbers. Split the file, and draft from a part.",
			diag.Count(len(c.Edges), "cable"))
		return Drafted{}, ds
	}
	made := Drafted{Files: files, Notes: d.notes()}
	if name := strings.ToLower(c.Fabric); IsName(name) {
		made.Name = name
		Call(files, name)
	}
	return made, ds
}

// draft is the content of a cabling file, with the guesses of rocec.
type draft struct {
	known   ir.Known
	others  map[string]int // links that are not cables, by the kind of their end
	left    topology.Left  // cables that are not links of a fabric
	on      System
	stated  bool // the person has named the system of switches
	lab     bool // the file is of a lab of containers, where ports have the names of Linux
	fold    bool // a name is not written as in a fabric
	devices []*device
	cables  []*cable
	groups  []*draftGroup // switches first
	ignored []string      // devices outside of the fabric, as globs
	dropped [reasons][]*cable
	custom  []*ownModel
	routing string
	lengths bool // every cable has a length
	speeds  bool // every cable has a speed
	large   bool // one of its files would exceed the limit of rocec
	classes *Classes
	as      map[string]uint32 // AS numbers of switches; nil: no routing by eBGP is known
	table   string            // the file of next hops; empty: not used
	guessed map[string]bool   // devices whose release is a guess
	cards   map[string]bool   // of a chassis
}

// reason is the reason why a cable is not in the fabric.
type reason int

const (
	toItself   reason = iota // both ends are on one device
	management               // a port of the management network
	twoHosts                 // between two hosts
	reasons
)

// whys contains the texts of the reasons.
var whys = [reasons]string{
	toItself:   "from a device to itself",
	management: "in a management, console or power port of a switch",
	twoHosts:   "between two hosts",
}

// device is a device of the file.
type device struct {
	name  string
	meant string // a declared device with a similar name; empty: this one is declared, or none is similar
	said  topology.Node
	jacks []*jack
	role  role
	sure  bool // a word shows its role
	sys   system
	tier  int // height above the hosts; written if states returns true
	group *draftGroup
}

// jack is an end of a cable.
type jack struct {
	dev   *device
	port  string
	peer  *jack
	cable *cable
}

func (j *jack) String() string { return j.dev.name + ":" + j.port }

// cable is a cable between two devices.
type cable struct {
	a, b  *jack
	speed int // Mb/s; 0: not in the file
	peer  bool
	edge  *topology.Edge
}

// newDraft guesses the roles of the devices of a file. It reports contradictions.
func newDraft(c Cabling, known ir.Known, on System, ds *diag.List) *draft {
	d := &draft{
		known: known, on: on, stated: on.OS != nil, lab: c.Format == "containerlab", lengths: true, speeds: true,
		others: c.Others, left: c.Left, classes: c.Classes, guessed: c.Guessed, cards: c.Cards, as: c.AS,
		table: c.Table,
	}
	if !d.stated {
		d.on.OS = known.DefaultOS()
	}
	d.read(c, ds)
	if ds.HasErrors() {
		return d
	}
	d.roles()
	d.leaveOut()
	switch {
	case len(c.Edges) == 0:
		ds.Errorf(diag.Range{}, "topology-empty", "the cabling file holds no cable",
			"No link of this file joins two devices: they end at the machine that the lab runs on, or nowhere. Give a file with cables.")
		return d
	case len(d.cables) == 0:
		found := strings.Join(d.notes(), "; ")
		if found != "" {
			found = " (" + found + ")"
		}
		ds.Errorf(c.Edges[0].At, "topology-empty", "the cabling file holds no cable",
			"Every cable of this file ends at a device of the management network, at a tester, at another host, or nowhere, as far "+
				"as names, roles and ports tell%s. %s", found, sayWhat)
		return d
	}
	d.systems()
	d.levels()
	d.group()
	return d
}

// sayWhat is the advice how a person can state the role of a device.
const sayWhat = "Give switches names such as leaf01 and hosts such as gpu01, or state their roles: \"x1\" [function=\"leaf\"] in " +
	"a topology.dot, group: leaf or group: server in containerlab."

// read makes devices and cables from the edges of a file.
func (d *draft) read(c Cabling, ds *diag.List) {
	byName := map[string]*device{}
	seen := map[[2]string]bool{}
	ignored := map[string]bool{}
	for i := range c.Edges {
		e := &c.Edges[i]
		for _, end := range []topology.End{e.A, e.B} {
			d.fold = d.fold || topology.FoldDevice(end.Device) != end.Device || topology.FoldPort(end.Port) != end.Port
		}
	}
	names := func(end topology.End) (device, port string) {
		if d.fold {
			return topology.FoldDevice(end.Device), topology.FoldPort(end.Port)
		}
		return end.Device, end.Port
	}
	for i := range c.Edges {
		e := &c.Edges[i]
		good := true
		for _, end := range []topology.End{e.A, e.B} {
			if name, _ := names(end); outside(name, c.Nodes[end.Device]) {
				ignored[name] = true
				good = false
			}
		}
		if !good {
			continue
		}
		jacks := [2]*jack{}
		for k, end := range []topology.End{e.A, e.B} {
			name, port := names(end)
			good = d.check(nodeset.CheckDevice(name), end.DeviceAt, ds) && good
			good = d.check(nodeset.CheckInterface(port), end.PortAt, ds) && good
			jacks[k] = &jack{port: port}
			dev := byName[name]
			if dev == nil {
				dev = &device{name: name, said: c.Nodes[end.Device], meant: c.Strays[end.Device]}
				byName[name] = dev
				d.devices = append(d.devices, dev)
			}
			jacks[k].dev = dev
		}
		key := [2]string{jacks[0].String(), jacks[1].String()}
		if !good || seen[[2]string{key[1], key[0]}] { // a cable may be listed once from each end
			continue
		}
		seen[key] = true
		x := &cable{a: jacks[0], b: jacks[1], edge: e}
		x.a.peer, x.b.peer, x.a.cable, x.b.cable = x.b, x.a, x, x
		length := false
		for _, at := range e.Attrs {
			switch at.Name {
			case "speed":
				x.speed = megabits(at.Text)
			case "length":
				length = true
			}
		}
		d.lengths, d.speeds = d.lengths && length, d.speeds && x.speed > 0
		d.cables = append(d.cables, x)
	}
	slices.SortFunc(d.devices, func(a, b *device) int { return nodeset.Compare(a.name, b.name) })
	d.wire()
	for name := range ignored {
		d.ignored = append(d.ignored, oddLetter().ReplaceAllString(name, "?"))
	}
	slices.SortFunc(d.ignored, nodeset.Compare)
	d.ignored = slices.Compact(d.ignored)
}

// check reports an invalid name.
func (d *draft) check(why string, at diag.Range, ds *diag.List) bool {
	if why != "" {
		ds.Add(&diag.Diagnostic{Severity: diag.Error, Code: lang.BadName.Code, Summary: lang.BadName.Summary, Detail: why, At: at})
	}
	return why == ""
}

// wire adds the ends of cables to their devices, and removes devices without cables.
func (d *draft) wire() {
	for _, dev := range d.devices {
		dev.jacks = nil
	}
	for _, x := range d.cables {
		x.a.dev.jacks = append(x.a.dev.jacks, x.a)
		x.b.dev.jacks = append(x.b.dev.jacks, x.b)
	}
	d.devices = slices.DeleteFunc(d.devices, func(dev *device) bool { return len(dev.jacks) == 0 })
}

// leaveOut removes the cables that are not in the fabric.
func (d *draft) leaveOut() {
	d.cables = slices.DeleteFunc(d.cables, func(x *cable) bool {
		why := reasons
		switch {
		case x.a.dev == x.b.dev:
			why = toItself
		case d.managed(x.a) || d.managed(x.b):
			why = management
		case x.a.dev.role == isHost && x.b.dev.role == isHost:
			why = twoHosts
		}
		if why < reasons {
			d.dropped[why] = append(d.dropped[why], x)
		}
		return why < reasons
	})
	d.wire()
}

// managementPort matches names of management, console and power ports of switches.
var managementPort = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(mgmt|management|oob|ma|me|fxp|em|console|con|aux|usb|psu|power|pwr|pem)[-_]?\d*$|^eth0$`)
})

// managed reports whether an end of a cable is a management port of a switch.
func (d *draft) managed(j *jack) bool {
	return j.dev.role == isSwitch && managementPort().MatchString(j.port)
}

// oddLetter matches letters that are invalid in names of devices; a glob has "?" for them.
var oddLetter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-z0-9._-]`) })

// notes lists the parts that were left out.
func (d *draft) notes() []string {
	var out []string
	if n := len(d.ignored); n > 0 {
		out = append(out, fmt.Sprintf("%s outside of the fabric: %s", diag.Count(n, "device"), diag.Some(slices.Clone(d.ignored), 6)))
	}
	for _, why := range slices.Sorted(maps.Keys(d.left)) {
		out = append(out, diag.Count(d.left[why], "cable")+" "+string(why))
	}
	for why, cables := range d.dropped {
		if len(cables) > 0 {
			out = append(out, fmt.Sprintf("%s %s", diag.Count(len(cables), "cable"), whys[why]))
		}
	}
	if len(d.others) > 0 {
		n := 0
		for _, more := range d.others {
			n += more
		}
		out = append(out, fmt.Sprintf("%s that %s no two devices: %s", diag.Count(n, "link"), diag.Plural(n, "joins", "join"),
			diag.And(slices.Sorted(maps.Keys(d.others)))))
	}
	return out
}

// Causes folds diagnostics by code: it keeps the first of each code, and adds the number and the places of the others.
func Causes(ds diag.List) diag.List {
	var out diag.List
	first := map[string]*diag.Diagnostic{}
	lines := map[string][]string{}
	for _, x := range ds {
		if first[x.Code] == nil {
			one := *x
			first[x.Code] = &one
			out = append(out, &one)
			continue
		}
		lines[x.Code] = append(lines[x.Code], fmt.Sprint(x.At.Start.Line))
	}
	for _, x := range out {
		if more := lines[x.Code]; len(more) > 0 {
			n := len(more)
			more = slices.Compact(more)
			lead := "line "
			if len(more) > 1 {
				lead = "lines "
			}
			text := strings.Join(more[:min(len(more), 8)], ", ")
			if len(more) > 8 {
				text += ", …"
			}
			x.Note(diag.Range{}, "%s more of this kind, in %s%s", diag.Number(n), lead, text)
		}
	}
	return out
}
