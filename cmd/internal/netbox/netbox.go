// Package netbox asks NetBox or Nautobot by REST for its [Records]: cables, ports of patch panels, interfaces for management, and devices.
//
// The records are the sheets that people export as CSV, so one reader (lang/topology) reads both. A run asks a single origin, over TLS
// with the roots of the system, and sends the token of the environment only there. It reads lists by GET and changes nothing.
package netbox

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/diag"
)

// The names of the sheets, in the order of [Records].
const (
	Cables     = "cables.csv"
	frontPorts = "front-ports.csv"
	interfaces = "interfaces.csv"
	devices    = "devices.csv"
)

// Records are the cables of an inventory, and the sheets beside it.
type Records struct {
	System string   // with its release, as the inventory reports it: NetBox 4.1.3
	Sheets []Sheet  // cables first; without empty sheets
	Notes  []string // rows that are left out, one line each
	Count  int      // cables

	rows     []cableRow
	nautobot bool
}

// Sheet is one list of the inventory as CSV.
type Sheet struct {
	Name string
	Data []byte
}

// Environment contains the environment of [Read].
type Environment struct {
	Getenv func(string) string
	Wait   func(context.Context, time.Duration) error // nil: the clock of the machine
}

// Kinds maps the first word of a source to the variable that contains the token.
var Kinds = map[string]string{"netbox": "NETBOX_TOKEN", "nautobot": "NAUTOBOT_TOKEN"}

// IsSource reports whether a text names an inventory: netbox:URL or nautobot:URL.
func IsSource(text string) bool {
	kind, _, ok := strings.Cut(text, ":")
	return ok && Kinds[kind] != ""
}

// Read asks the inventory that a source names.
func Read(ctx context.Context, source string, env Environment) (*Records, error) {
	c, err := newClient(ctx, source, env)
	if err != nil {
		return nil, err
	}
	defer c.http.CloseIdleConnections()
	r := &Records{}
	if r.System, err = c.system(); err != nil {
		return nil, err
	}
	b := &builder{byID: map[string]*device{}, ends: map[string]map[string]bool{}, left: map[string]int{}, unnamed: map[string]bool{}}
	cables, err := list[cable](c, "cables")
	if err != nil {
		return nil, err
	}
	all, err := list[device](c, "devices")
	if err != nil {
		return nil, err
	}
	for i := range all {
		b.byID[all[i].ID.text] = &all[i]
	}
	b.cables(cables)
	if err := b.ports(c); err != nil {
		return nil, err
	}
	if r.Count = len(b.rows); r.Count == 0 {
		return nil, exit.Fail(exit.Errors, "%s lists no cable with two ends%s%s. Enter cables there, or start from another source",
			c.shown(),
			c.scope(), b.leftOut())
	}
	r.Sheets, r.Notes = b.sheets(), b.notes()
	r.rows, r.nautobot = b.rows, c.nautobot
	return r, nil
}

// builder makes sheets from the objects of the API.
type builder struct {
	byID    map[string]*device         // by identifier
	ends    map[string]map[string]bool // devices and ports at which cables end
	panels  bool                       // a cable ends in a port of a patch panel
	rows    []cableRow
	fronts  [][]string
	mgmt    [][]string
	left    map[string]int // cables that are left out, by the reason
	wide    int            // front ports that lead to several rear ports
	paired  int            // cables with several ends on each side
	unnamed map[string]bool
}

// cableRow is a cable between two ends.
type cableRow struct {
	id                         string
	a, b                       end
	kind, status, length, unit string
}

// end is an end of a cable, in words of the sheet.
type end struct{ device, kind, port string }

// twins refuses two cabled devices with the same name, as a sheet would merge them.
func (b *builder) twins(c *client) error {
	ids := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(b.byID)) {
		if name := b.byID[id].Name; b.ends[name] != nil {
			ids[strings.ToLower(name)] = append(ids[strings.ToLower(name)], id)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		if len(ids[name]) > 1 {
			return exit.Fail(exit.Errors, "%s has %s called %s (%s), and names in a fabric are unique. Rename them, or read one site: %s", c.shown(),
				diag.Count(len(ids[name]), "device"), name, diag.Some(ids[name], 4), c.kind+":"+c.base.String()+"?site=SLUG")
		}
	}
	return nil
}

// named returns the name of a device in the sheets. For a device without a name this is its identifier.
func (b *builder) named(ref *reference) string {
	if ref == nil {
		return ""
	}
	name := ref.Name
	if d := b.byID[ref.ID.text]; d != nil && name == "" {
		name = d.Name
	}
	if name == "" && ref.ID.text != "" {
		name = "device-" + ref.ID.text
		b.unnamed[name] = true
	}
	return name
}

// cables makes the rows of cables.
func (b *builder) cables(all []cable) {
	for i := range all {
		c := &all[i]
		a, z := b.side(c.ATerminations, c.TerminationAType, c.TerminationA), b.side(c.BTerminations, c.TerminationBType, c.TerminationB)
		switch {
		case len(a) == 0 || len(z) == 0:
			b.left["without an end on one side"]++
			continue
		case len(a) != len(z):
			b.left["with more ends on one side than on the other"]++
			continue
		case len(a) > 1:
			b.paired++
		}
		for k := range a {
			if a[k].device == "" || a[k].port == "" || z[k].device == "" || z[k].port == "" {
				b.left["with an end that has no name"]++
				continue
			}
			row := cableRow{
				id: c.ID.text, a: a[k], b: z[k], kind: c.Type.word, status: c.Status.word, length: c.Length.text, unit: c.LengthUnit.word,
			}
			if row.length == "" {
				row.unit = ""
			}
			for _, e := range []end{row.a, row.b} {
				if b.ends[e.device] == nil {
					b.ends[e.device] = map[string]bool{}
				}
				b.ends[e.device][e.port] = true
				b.panels = b.panels || strings.HasSuffix(e.kind, "frontport") || strings.HasSuffix(e.kind, "rearport")
			}
			b.rows = append(b.rows, row)
		}
	}
}

// side returns the ends of one side of a cable. NetBox 3.3 and later have a list; earlier releases and Nautobot have one end.
func (b *builder) side(many []termination, kind string, one *object) (out []end) {
	if len(many) == 0 && one != nil {
		many = []termination{{ObjectType: kind, Object: one}}
	}
	for _, t := range many {
		o := t.Object
		if o == nil {
			out = append(out, end{})
			continue
		}
		e := end{kind: t.ObjectType, port: o.Name}
		if o.Device != nil {
			e.device = b.named(o.Device)
		} else if o.Parent != nil && o.Parent.Name != "" { // such as the panel of a power feed, or a circuit
			e.device = o.Parent.Name
		} else if e.kind == "circuits.circuittermination" {
			e.device, e.port = "circuit", t.id() // the reader leaves the cable out by its type
		}
		out = append(out, e)
	}
	return out
}

// ports reads the front ports of patch panels, and the interfaces for management.
func (b *builder) ports(c *client) error {
	if err := b.twins(c); err != nil {
		return err
	}
	if b.panels {
		if err := b.panelPorts(c); err != nil {
			return err
		}
	}
	all, err := list[port](c, "interfaces")
	if err != nil {
		return err
	}
	for i := range all {
		p := &all[i]
		if device := b.named(p.Device); p.MgmtOnly && b.ends[device][p.Name] {
			b.mgmt = append(b.mgmt, []string{device, p.Name, "true"})
		}
	}
	return nil
}

// panelPorts reads the rear ports of front ports. NetBox 4.5 and later list positions, each with the identifier of a rear port.
func (b *builder) panelPorts(c *client) error {
	all, err := list[port](c, "front-ports")
	if err != nil {
		return err
	}
	rears := map[string]string{}
	byNumber := func(p port) bool {
		return p.RearPort == nil && len(p.RearPorts) > 0 || p.RearPort != nil && p.RearPort.Name == ""
	}
	if slices.ContainsFunc(all, byNumber) {
		behind, err := list[port](c, "rear-ports")
		if err != nil {
			return err
		}
		for i := range behind {
			rears[behind[i].ID.text] = behind[i].Name
		}
	}
	for i := range all {
		p := &all[i]
		device := b.named(p.Device)
		if b.ends[device] == nil {
			continue
		}
		rear, position := "", p.RearPortPosition.text
		switch {
		case p.RearPort != nil:
			if rear = p.RearPort.Name; rear == "" {
				rear = rears[p.RearPort.ID.text]
			}
		case len(p.RearPorts) == 1:
			rear, position = rears[p.RearPorts[0].RearPort.text], p.RearPorts[0].RearPortPosition.text
		case len(p.RearPorts) > 1:
			b.wide++
		}
		if rear != "" {
			b.fronts = append(b.fronts, []string{device, p.Name, rear, position})
		}
	}
	return nil
}

// leftOut lists the reasons for which cables are left out, for a message.
func (b *builder) leftOut() string {
	if why := b.reasons(); len(why) > 0 {
		return " (" + diag.And(why) + ")"
	}
	return ""
}

func (b *builder) reasons() (out []string) {
	for _, why := range slices.Sorted(maps.Keys(b.left)) {
		out = append(out, diag.Count(b.left[why], "cable")+" "+why)
	}
	if b.wide > 0 {
		out = append(out, diag.Count(b.wide, "front port")+" with several rear ports")
	}
	return out
}

// notes returns the lines about rows that are left out, or read in a way that the person should check.
func (b *builder) notes() []string {
	out := b.reasons()
	if b.paired > 0 {
		out = append(out, fmt.Sprintf("nothing of %s with several ends on each side: the first end goes to the first, and so on. Check "+
			"these",
			diag.Count(b.paired, "cable")))
	}
	if len(b.unnamed) > 0 {
		names := slices.Sorted(maps.Keys(b.unnamed))
		out = append(out, fmt.Sprintf("the names of %s, which the inventory lacks: %s", diag.Count(len(names), "device"),
			diag.Some(names, 4)))
	}
	return out
}
