package targets

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/forwarding"
	"github.com/rocec/rocec/targets/forwarding/bgp"
	"github.com/rocec/rocec/targets/forwarding/kernel"
	"github.com/rocec/rocec/targets/forwarding/stp"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// ForwardingAsks returns the questions whose answers, as files, show the forwarding of a device to [ReadForwarding]. A switch that rocec
// does not write is asked, too.
func ForwardingAsks(d *ir.Device) []target.Question {
	if d.Switch == nil {
		return []target.Question{askAddresses, askKernel}
	}
	return slices.Concat([]target.Question{askFRR, askAddresses, askKernel}, asksRoutes)
}

// forwardingParts are the parts of a reading.
var forwardingParts = []ir.ForwardingPart{
	ir.PartBGP, ir.PartTables, ir.PartTrees, ir.PartAges, ir.PartHost, ir.PartTunnels,
}

// partFiles returns the base names of the files with the answers about a part.
func partFiles(part ir.ForwardingPart) []string {
	switch part {
	case ir.PartBGP:
		return []string{frrNames[0], summaryFile}
	case ir.PartTables:
		return forwarding.Names[:4]
	case ir.PartTrees:
		return []string{askAddresses.File, treesFile, vlansFile}
	case ir.PartAges:
		return []string{kernelFile, askAddresses.File}
	case ir.PartHost:
		return []string{kernelFile}
	}
	return []string{askAddresses.File}
}

// ReadForwarding reads the forwarding of a device from files in the form of a snapshot: those in a folder of its name or with its name, or
// all files if they belong to one device. when returns the time of a file; zero: not known. It never fails for any bytes. A part that the
// files do not show has a reason in Unread.
func ReadForwarding(d *ir.Device, files []lint.File, when func(name string) time.Time) *ir.Forwarding {
	out := &ir.Forwarding{Device: d, Unread: map[ir.ForwardingPart]string{}}
	of, why := filesOf(d, files)
	if why != "" {
		for _, part := range forwardingParts {
			out.Unread[part] = why
		}
		return out
	}
	r := &forwardingReader{out: out, d: d, when: when, not: map[string]string{}}
	for _, f := range of {
		r.file(f)
	}
	r.set()
	r.settings(of)
	r.reasons()
	r.hooks(of)
	if r.timeless {
		out.When = time.Time{}
	}
	return out
}

// forwardingReader collects the answers of one device.
type forwardingReader struct {
	out      *ir.Forwarding
	d        *ir.Device
	when     func(string) time.Time
	timeless bool              // the time of a file that was read is not known
	not      map[string]string // by base name: why an answer was not read

	config     *bgp.Instance
	configured bool // a configuration of FRRouting was read
	summary    *bgp.Summary
	kernel     *kernel.Kernel
	tables     bgp.Tables
	interfaces forwarding.Interfaces
	trees      []stp.SpanningTree
}

// saw records that a file was read.
func (r *forwardingReader) saw(name string) {
	switch t := r.when(name); {
	case t.IsZero():
		r.timeless = true
	case r.out.When.IsZero() || t.Before(r.out.When):
		r.out.When = t
	}
}

// file reads one file, if it is an answer about forwarding.
func (r *forwardingReader) file(f lint.File) {
	_, base := ownerOf(f.Name)
	switch {
	case base == "" || !slices.Contains(frrNames, base) && !isForwarding(f.Name):
		return
	case f.Why != "":
		r.not[base] = "it could not be read"
		return
	case slices.Contains(frrNames, base) && len(f.Data) > mostFRR:
		r.not[base] = largeFRR
		return
	case slices.Contains(frrNames, base) && !bgp.Whole(f.Data):
		r.not[base] = "it is empty or cut off"
		return
	case slices.Contains(frrNames, base):
		r.config, r.configured = cmp.Or(bgp.ReadConfig(f.Data), r.config), true
		r.saw(f.Name)
		return
	}
	if !IsRouting(f.Name) {
		answer, err := readForward(f.Name, f.Data)
		if err != nil {
			r.not[base] = err.Error()
			return
		}
		r.saw(f.Name)
		r.summary, r.kernel = cmp.Or(r.summary, answer.summary), cmp.Or(r.kernel, answer.kernel)
		r.trees = append(r.trees, answer.trees...)
		return
	}
	answer, err := forwarding.Read(f.Name, f.Data)
	if err != nil {
		r.not[base] = err.Error()
		return
	}
	r.saw(f.Name)
	for family, routes := range answer.Routes {
		if have := r.tables[family]; routes != nil && (have == nil || routes.FRR && !have.FRR) {
			r.tables[family] = routes
		}
	}
	if r.interfaces == nil {
		r.interfaces = answer.Interfaces
	}
}

// set sets the parts that the answers show.
func (r *forwardingReader) set() {
	out := r.out
	ways := &outWays{d: r.d, interfaces: r.interfaces, of: map[string]*outWay{}, sets: map[string][]string{}, lists: map[list]*outWay{}}
	r.setTables(ways)
	r.setBGP(ways)
	if why := ways.elsewhere(); why != "" {
		out.Unread[ir.PartTables], out.Unread[ir.PartBGP] = why, why
	}
	if r.kernel != nil {
		out.Ages = &ir.ForwardingAges{MAC: r.kernel.Age, ARP: r.kernel.ARP()}
		if r.d.Host != nil {
			out.Host = &ir.ForwardingHost{Forwards: r.kernel.Forwards || r.kernel.Forwards6, Daemons: r.kernel.Daemons}
			if !r.kernel.Processes {
				out.Unread[ir.PartHost] = "the login does not see the programs of other users"
			}
		}
	}
	if r.interfaces == nil {
		return
	}
	names := slices.Sorted(maps.Keys(r.interfaces))
	out.Tunnels = []ir.ForwardingTunnel{}
	for _, name := range names {
		is := r.interfaces[name]
		if is.Kind == "bridge" && is.Age > 0 && (r.kernel == nil || r.kernel.Age == 0) {
			if out.Ages == nil {
				out.Ages = &ir.ForwardingAges{}
			}
			if out.Ages.MAC == 0 || is.Age < out.Ages.MAC {
				out.Ages.MAC = is.Age
			}
		}
		if is.Tunnel(name) {
			out.Tunnels = append(out.Tunnels, ir.ForwardingTunnel{Name: forwarding.Plain(name), Kind: is.Kind, Local: is.Local, Remote: is.Remote})
		}
	}
	r.setTrees(names)
}

// setTables sets the tables, with the ports of next hops. Routes with the same ports share them.
func (r *forwardingReader) setTables(ways *outWays) {
	for family, routes := range r.tables {
		if routes == nil {
			continue
		}
		table := ir.ForwardingTable{Six: family == forwarding.IPv6, Routes: make([]ir.ForwardingRoute, 0, len(routes.List))}
		for i := range routes.List {
			route := &routes.List[i]
			way := ways.shared(route.Out)
			table.Routes = append(table.Routes, ir.ForwardingRoute{
				To: route.To, Connected: route.Connected, Out: way.ports, Odd: cmp.Or(route.Odd, way.odd),
			})
		}
		r.out.Tables = append(r.out.Tables, table)
	}
}

// setBGP sets BGP from FRRouting. A switch whose FRRouting has no instance has no peers.
func (r *forwardingReader) setBGP(ways *outWays) {
	if r.configured && r.config == nil && r.summary == nil {
		r.out.BGP = &ir.ForwardingBGP{}
		return
	}
	is, unread := bgp.Join(r.config, r.summary, &r.tables)
	if r.out.BGP = is; unread != "" {
		r.out.Unread[ir.PartBGP] = unread
	}
	if is == nil {
		return
	}
	for i := range is.Peers {
		if p := &is.Peers[i]; p.Port != "" {
			if way := ways.all([]string{p.Port}); len(way.ports) == 1 {
				p.Port = way.ports[0]
			}
		}
	}
}

// setTrees sets the spanning trees: those that the kernel runs, and those of a daemon from its own answer. The states of ports are the
// kernel's, which forwards.
func (r *forwardingReader) setTrees(names []string) {
	out := r.out
	states := map[string]map[string]string{} // by bridge
	for _, name := range names {
		if is := r.interfaces[name]; is.Bridge != "" && is.State != "" {
			if states[is.Bridge] == nil {
				states[is.Bridge] = map[string]string{}
			}
			states[is.Bridge][forwarding.Plain(name)] = is.State
		}
	}
	out.Trees = []ir.ForwardingTree{}
	vlans := slices.ContainsFunc(r.trees, func(t stp.SpanningTree) bool { return t.VLAN > 0 })
	known := map[string]bool{}
	for _, t := range r.trees {
		known[t.Name] = true
		if vlans && t.VLAN == 0 { // the tree of frames without a VLAN, beside those of the VLANs
			continue
		}
		if len(t.States) == 0 && t.VLAN == 0 {
			t.States = states[t.Name]
		}
		out.Trees = append(out.Trees, t.ForwardingTree)
	}
	for _, name := range names {
		switch is := r.interfaces[name]; {
		case is.Kind != "bridge" || !is.RunsSTP || known[name] || vlans:
		case is.KernelSTP:
			out.Trees = append(out.Trees, ir.ForwardingTree{Root: is.RootID, Bridge: is.BridgeID, States: states[name]})
		case out.Unread[ir.PartTrees] == "":
			out.Unread[ir.PartTrees] = "a daemon runs the spanning tree of " + forwarding.Plain(name) + ", and " +
				cmp.Or(r.reason(treesFile), "no file has its answer")
		}
	}
}

// reason returns why an answer was not read; empty: there is no such answer.
func (r *forwardingReader) reason(base string) string {
	if why := r.not[base]; why != "" {
		return "its answer in " + base + " is not read: " + why
	}
	return ""
}

// settings sets BGP by the configuration of a switch, if FRRouting gave no answer.
func (r *forwardingReader) settings(of []lint.File) {
	configs := slices.DeleteFunc(slices.Clone(of), func(f lint.File) bool {
		_, base := ownerOf(f.Name)
		return slices.Contains(frrNames, base) || isForwarding(f.Name) || IsLLDP(f.Name)
	})
	if r.d.Switch == nil || len(configs) == 0 {
		return
	}
	read, _ := ReadDevice(r.d, configs)
	if read == nil || read.Understood == nil {
		return
	}
	for _, name := range read.Files {
		r.saw(name)
	}
	if b := read.BGP; r.out.BGP == nil && b != nil {
		r.out.BGP = &ir.ForwardingBGP{AS: b.AS}
		for _, name := range slices.Sorted(maps.Keys(b.Sessions)) {
			for _, port := range portsTo(r.d, name) {
				r.out.BGP.Peers = append(r.out.BGP.Peers, ir.ForwardingPeer{Port: port, AS: b.Sessions[name]})
			}
		}
		r.out.Unread[ir.PartBGP] = "only its configuration shows its AS number and its neighbours: FRRouting has not answered"
	}
}

// portsTo returns the ports to a neighbour that a configuration names by a port or by the name of a device. Another name leads nowhere.
func portsTo(d *ir.Device, name string) (ports []string) {
	for _, p := range d.Ports {
		if p.Name == name || p.Peer().Device().Name == name {
			ports = append(ports, p.Name)
		}
	}
	return ports
}

// hooks lets the rows of the table of targets read what only their files show.
func (r *forwardingReader) hooks(of []lint.File) {
	for _, row := range All {
		if row.Forwards == nil || r.d.Switch == nil || row.OS == nil || row.OS.Name != r.d.Switch.OS {
			continue
		}
		for _, f := range of {
			if f.Why == "" && row.Files != nil && row.Files.Knows(f.Name) && len(f.Data) <= row.Files.Most {
				row.Forwards(path.Base(f.Name), f.Data, r.out)
			}
		}
	}
}

// reasons sets the reason of each part that was not read.
func (r *forwardingReader) reasons() {
	out := r.out
	for _, part := range forwardingParts {
		names := partFiles(part)
		if out.Unread[part] != "" || out.Read(part) {
			continue
		}
		var why []string
		for _, name := range names {
			if reason := r.reason(name); reason != "" {
				why = append(why, reason)
			}
		}
		switch {
		case part == ir.PartHost && r.d.Host == nil:
			out.Unread[part] = "it is no host"
		case len(why) > 0:
			out.Unread[part] = diag.And(why)
		default:
			out.Unread[part] = "no file shows it: neither " + strings.Join(names, " nor ")
			if len(names) == 1 {
				out.Unread[part] = "no file shows it: there is no " + names[0]
			}
		}
	}
}
