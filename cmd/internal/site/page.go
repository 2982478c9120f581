package site

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/baseline"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets"
)

// Network describes the part of a network that was read, with the assumptions of verdicts. Its JSON is described by
// docs/schema/audit.json.
type Network struct {
	Read       []string `json:"read"`   // devices with files
	Unread     []string `json:"unread"` // devices that only neighbours name
	Switches   int      `json:"switches"`
	Hosts      int      `json:"hosts"`
	Cables     int      `json:"cables"`
	OneEnd     int      `json:"cables_seen_from_one_end"`
	Unseen     int      `json:"cables_of_the_cabling_file_alone,omitempty"`
	Routing    string   `json:"assumed_routing"`
	Stated     string   `json:"stated_routing,omitempty"` // by the files
	Conditions []string `json:"conditions"`               // assumptions of verdicts, one sentence each
	LeftOut    []string `json:"left_out"`
	Snapshots  []string `json:"snapshots,omitempty"` // sentences about the snapshots

	Demo bool `json:"-"` // the files are those of [Demo]
	made bool // a fabric can be derived from the files
}

// Line counts the devices and the cables.
func (n *Network) Line() string {
	line := fmt.Sprintf("%s and %s by the files of %s; %s", diag.Count(n.Switches, "switch"), diag.Count(n.Hosts, "host"),
		diag.Count(len(n.Read), "device"), diag.Count(n.Cables, "cable"))
	if !n.made {
		line = fmt.Sprintf("%s in these files do not suffice for a fabric", diag.Count(n.Cables, "cable"))
	}
	if n.OneEnd > 0 {
		line += fmt.Sprintf(", %s seen from only one end", diag.Number(n.OneEnd))
	}
	if n.Unseen > 0 {
		line += fmt.Sprintf(", %s only in the cabling file", diag.Number(n.Unseen))
	}
	return line
}

// Assumed returns the assumptions.
func (n *Network) Assumed() []string { return n.Conditions }

// Left returns the parts that are left out.
func (n *Network) Left() []string { return n.LeftOut }

// room is the maximum length of a list of names in a sentence.
const room = 60

// Network returns the description of the part that was read.
func (s *Site) Network() *Network {
	n := &Network{
		Read: []string{}, Unread: []string{}, Conditions: []string{}, LeftOut: append(append([]string{}, s.Cables.Notes...), s.Drafted.Notes...),
		Cables: s.Cables.Ends[0] + s.Cables.Ends[1] + s.Cables.Ends[2], OneEnd: s.Cables.Ends[1], Unseen: s.Cables.Ends[0],
	}
	if s.Judged == nil || s.Judged.Fabric == nil {
		return n
	}
	n.made = true
	read := map[string]bool{}
	for _, d := range s.Survey.Devices {
		if d.Read != nil {
			read[topology.FoldDevice(d.Name)] = true
		}
	}
	var models []string
	for _, d := range s.Judged.Fabric.Devices {
		n.Hosts++
		if d.Switch != nil {
			n.Hosts, n.Switches = n.Hosts-1, n.Switches+1
			switch model := s.Cables.Nodes[d.Name].Model; {
			case model == "":
				models = append(models, d.Name)
			case read[d.Name] && d.Switch.Model != nil:
				if m, ok := platform.FindSwitch(model); ok && m.Name != d.Switch.Model.Name {
					n.Conditions = append(n.Conditions, fmt.Sprintf("%s is a %s; its files state a %s, which cannot have its ports", d.Name,
						d.Switch.Model.Title, m.Title))
				}
			}
		}
		if read[d.Name] {
			n.Read = append(n.Read, d.Name)
		} else {
			n.Unread = append(n.Unread, d.Name)
		}
	}
	if n.Routing = string(s.Judged.Fabric.Routing); s.as != nil || s.table != nil {
		n.Routing, n.Stated = "", n.Routing
	}
	n.classes(s)
	n.assume(s, models)
	return n
}

// classes adds the assumptions about classes: no file states a class, or PFC of some devices is unknown.
func (n *Network) classes(s *Site) {
	say := func(format string, args ...any) { n.Conditions = append(n.Conditions, fmt.Sprintf(format, args...)) }
	switch {
	case s.classes == nil:
		say("no class carries RoCE; no file states a class with PFC, with marks, or for DSCP 26")
	case s.classes.by == byMarks:
		say("RoCE is in the class that is marked; no port that was read has PFC")
	case s.classes.by == byCustom:
		say("RoCE is in the class of DSCP 26; no port that was read has PFC or marks")
	}
	if s.classes != nil && slices.ContainsFunc(s.classes.groups, func(c *class) bool { return c.unsorted }) {
		say("senders mark RoCE with DSCP %d; no file sorts packets by a mark", custom)
	}
	if s.classes != nil && s.classes.cnp != nil && s.classes.cnp.unserved {
		say("congestion notifications (DSCP %d) are served before all other traffic; no file states it", notification)
	}
	read := readOf(s.Survey)
	var unknown []string
	for _, p := range s.Judged.Fabric.Ports {
		is := read(p)
		if name := p.Device().Name; slices.Contains(n.Read, name) && p.Device().Switch != nil && (is == nil || !is.PausesKnown) &&
			!slices.Contains(unknown, name) {
			unknown = append(unknown, name)
		}
	}
	if k := len(unknown); k > 0 {
		say("%s %s PFC as the others do; files of %s state none for some ports", nodeset.Text(unknown, nodeset.Devices, room),
			diag.Plural(k, "has", "have"), diag.Plural(k, "it", "them"))
	}
}

// assume adds the assumptions about devices without files, routing, derived lengths of cables, and models that no file states.
func (n *Network) assume(s *Site, models []string) {
	say := func(format string, args ...any) { n.Conditions = append(n.Conditions, fmt.Sprintf(format, args...)) }
	if k := len(n.Unread); k > 0 {
		say("%s %s set like the devices with files, and %s no other cables; there is no file of %s",
			nodeset.Text(n.Unread, nodeset.Devices, room), diag.Plural(k, "is", "are"), diag.Plural(k, "has", "have"),
			diag.Plural(k, "it", "them"))
	}
	var cards []string
	for _, d := range s.Judged.Fabric.Devices {
		if s.Cables.cards[d.Name] {
			cards = append(cards, d.Name)
		}
	}
	if len(cards) > 0 {
		say("there is no loop inside of a chassis; no file describes the inside behind %s", nodeset.Text(cards, nodeset.Devices, room))
	}
	if names := slices.SortedFunc(maps.Keys(s.Cables.Aliased), nodeset.Compare); len(names) > 0 {
		say("ports of %s are identified by aliases that neighbours state, as on another switch of the same SKU",
			nodeset.Text(names, nodeset.Devices, room))
	}
	if ports := s.Cables.Dropped; len(ports) > 0 {
		say("no lossless traffic comes from the neighbours of %s; files name them, but they are not in the fabric",
			nodeset.Text(ports, nodeset.Endpoints, room))
	}
	if ports, others := s.open(); len(ports) > 0 || len(others) > 0 {
		var parts []string
		if len(ports) > 0 {
			parts = append(parts, nodeset.Text(ports, nodeset.Endpoints, room))
		}
		if len(others) > 0 {
			parts = append(parts, "further ports of "+nodeset.Text(others, nodeset.Devices, room))
		}
		say("ports with PFC for which no file names a neighbour have no cable: %s", diag.And(parts))
	}
	unknown := cmp.Or(s.unrouted, "no file shows how it is routed")
	switch n.Routing {
	case "":
	case "up-down":
		say("traffic never goes up again after it went down (routing = %q); %s", n.Routing, unknown)
	default:
		say("traffic takes shortest paths (routing = %q); %s", n.Routing, unknown)
	}
	n.assumeTable(s)
	if k := len(s.Lengths) - s.Tight; k > 0 {
		say("%s %s as long as the headroom of %s ports allows; no file states the length", diag.Count(k, "cable"),
			diag.Plural(k, "is", "are"), diag.Plural(k, "its", "their"))
	}
	if k := s.Tight; k > 0 {
		say("%s %s as long as published tables allow for the headroom of %s ports, which is less than rocec expects to need",
			diag.Count(k, "cable"), diag.Plural(k, "is", "are"), diag.Plural(k, "its", "their"))
	}
	if k := s.Usual; k > 0 {
		say("%s %s 30 m long; no file states the length, and no headroom in bytes bounds it", diag.Count(k, "cable"), diag.Plural(k, "is", "are"))
	}
	if k := s.Cables.Speedless; k > 0 {
		say("%s %s at the fastest speed of both ports; no file states it", diag.Count(k, "cable"), diag.Plural(k, "runs", "run"))
	}
	if k := len(models); k > 0 {
		say("%s of %s %s the first that %s the ports; no file states %s", diag.Plural(k, "the model", "the models"),
			nodeset.Text(models, nodeset.Devices, room), diag.Plural(k, "is", "are"), diag.Plural(k, "has", "have"), diag.Plural(k, "it", "them"))
	}
}

// assumeTable adds the assumptions of a verdict that uses tables of next hops.
func (n *Network) assumeTable(s *Site) {
	if s.table == nil {
		return
	}
	say := func(format string, args ...any) { n.Conditions = append(n.Conditions, fmt.Sprintf(format, args...)) }
	say("no link fails; a table of next hops does not show the path that traffic takes after a failure")
	if k := s.table.derived; k > 0 {
		say("%s of hosts %s in the network that the switch has there; no file shows the address", diag.Count(k, "port"),
			diag.Plural(k, "is", "are"))
	}
	if families := s.table.families; len(families) == 1 {
		say("RoCE uses %s; no file shows routes of %s", familyNames[families[0]], familyNames[1-families[0]])
	}
}

// beside returns the end of the sentence about an audit without findings that count.
func beside(c *baseline.Compared) string {
	if c == nil || len(c.Held) == 0 {
		return ""
	}
	return " but those of " + c.Name
}

// open returns the switch ports with PFC and without a cable in the fabric. others are the switches whose remaining ports all have PFC.
func (s *Site) open() (ports, others []string) {
	read := switchesOf(s.Survey)
	for _, d := range s.Judged.Fabric.Devices {
		is := read[d.Name]
		if is == nil {
			continue
		}
		cabled := map[string]bool{} // no cable, unless a file names the neighbour
		for _, e := range s.Cables.Dropped {
			if port, ok := strings.CutPrefix(e, d.Name+":"); ok {
				cabled[port] = true
			}
		}
		for _, p := range d.Ports {
			cabled[p.Name] = true
		}
		pauses := func(p *ir.PortSettings) bool { return p != nil && p.PausesKnown && p.Sends|p.Obeys != 0 }
		for name, p := range is.Ports {
			if !cabled[name] && pauses(p) {
				ports = append(ports, d.Name+":"+name)
			}
		}
		if pauses(is.Rest) {
			others = append(others, d.Name)
		}
	}
	slices.SortFunc(ports, nodeset.Compare)
	return ports, others
}

// Judge judges the files against the fabric that is derived from them, and reports the findings together with those of the fabric itself.
func (s *Site) Judge(read *devicefiles.Found) (*report.Report, *Network) {
	fabric := &report.Report{Judged: s.Judged}
	if s.Judged.Fabric == nil {
		fabric.Source = s.Judged.Source
	}
	names := map[string]string{}
	for _, d := range s.Survey.Devices {
		for _, file := range d.Files {
			names[file] = topology.FoldDevice(d.Name)
		}
	}
	f := read.JudgeMade(fabric, &targets.Made{Releases: s.Cables.Guessed, Names: names, Checked: s.Survey.Checked})
	f.Judged.Diags = append(append(f.Judged.Diags, s.stated()...), slices.Concat(s.Cables.Against, s.astray)...)
	Sort(f)
	f.Judged.Proofs, f.Judged.Fabric = s.Judged.Proofs, s.Judged.Fabric
	maps.Copy(f.Source.Files, s.Judged.Source.Files)
	network := s.Network()
	for _, m := range read.Snapshots {
		network.Snapshots = append(network.Snapshots, m.Says()...)
	}
	f.Network, f.Made, f.DeviceOf, f.Drops = network, Folder, s.DeviceOf(), s.drops()
	return f, network
}

// Sort sorts the findings of an audit by severity, errors first, and then by place.
func Sort(r *report.Report) {
	r.Diags.Sort()
	slices.SortStableFunc(r.Diags, func(a, b *diag.Diagnostic) int { return cmp.Compare(a.Severity, b.Severity) })
}

// drops returns a function that reports whether files show that a port loses packets.
func (s *Site) drops() func(p *ir.Port) bool {
	judge, read := &targets.PortJudge{}, s.Read()
	return func(p *ir.Port) bool {
		d := read[p.Device()]
		return d != nil && p.Link() != nil && judge.Drops(p, d.Read)
	}
}

// stated returns the findings of the fabric about settings that files state. It leaves out findings about members of intents, which are a
// guess.
func (s *Site) stated() (rest diag.List) {
	for _, d := range s.Judged.Diags {
		if !slices.Contains(guessed, d.Code) {
			rest = append(rest, d)
		}
	}
	return rest
}

// guessed lists the codes of findings that depend on a guess: about members of a roce block, a class without such a block, and thresholds
// of marking with an assumed pool. For the pool in the files, conf-ecn-thresholds checks thresholds.
var guessed = []string{"host-not-member", "lossless-unused", "ecn-after-pfc", "ecn-max-unreachable", "ecn-marks-early"}

// Page writes an audit: devices that were read, assumptions of verdicts, the findings, and a line for each lossless group.
func Page(w io.Writer, n *Network, r *report.Report, o report.Options) {
	p := &diag.Printer{Width: o.Width}
	say := func(lead, text string) { p.Prose(w, lead, text) } //nolint:errcheck // a closed terminal shows no error
	if !o.Quiet {
		say("", n.Line())
		switch n.Stated {
		case "":
		case string(ir.TablePath):
			say("", fmt.Sprintf("routing = %q, from the tables of next hops of all switches", n.Stated))
		default:
			say("", fmt.Sprintf("routing = %q, from the AS numbers and the sessions in the files of all switches", n.Stated))
		}
		for _, s := range n.Snapshots {
			say("snapshot: ", diag.Escape(s))
		}
		for _, c := range n.Conditions {
			say("assumed: ", c)
		}
		for _, note := range n.LeftOut {
			say("left out: ", note)
		}
		say("", fmt.Sprintf("Places in %s/ are in the fabric that is derived from these files; `rocec init --from` writes it.", Folder))
		fmt.Fprintln(w)
	}
	if !o.Quiet && r.Fabric != nil {
		for _, proof := range r.Proofs {
			say(proof.Group.Name+"  ", r.GroupVerdict(proof))
			if text := claimed.RunningText(proof, r.Claims); text != "" {
				say("  ", text)
			}
			if !o.Why {
				continue
			}
			say("  ", strings.TrimPrefix(proof.By()+": "+proof.Why(), ": "))
			for _, note := range proof.NoteTexts() {
				say("  note: ", note)
			}
			for _, assumption := range claimed.Texts(proof, r.Claims) {
				say("  assumes: ", assumption)
			}
		}
		fmt.Fprintln(w)
	}
	report.Diagnostics(w, r, o)
	if s := r.NotJudged(); s != "" && !o.Quiet {
		fmt.Fprintln(w, diag.Escape(s))
	}
	if n := r.PassedOver; n > 0 && !o.Quiet {
		fmt.Fprintf(w, "%s %s passed over: not the name of a device's file\n", diag.Count(n, "further file"), diag.Plural(n, "was", "were"))
	}
	if len(r.Diags) == 0 && !o.Quiet {
		fmt.Fprintln(w, diag.Escape("audit: no finding"+beside(r.Baseline)))
	}
	if n.Demo && !o.Quiet {
		fmt.Fprint(w, demoNext)
	}
}
