package topology

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// MaxSheets is the most sheets of an inventory that are read.
const MaxSheets = 16

// inventoryColumns has the headers of sheets of inventories, folded as [letters] does: of exports of NetBox and Nautobot, and of test
// beds.
var inventoryColumns = [...]struct{ name, headers string }{
	{"device", "device devicename"},
	{"name", "name hostname devicename"},
	{"rear", "rearport rearportname"},
	{"position", "rearportposition position"},
	{"mgmt", "mgmtonly managementonly managementinterface"},
	{"count", "positions"},
	{"role", "role devicerole rolename roleslug"},
	{"platform", "platform platformname platformslug os"},
	{"version", "version osversion softwareversion release"},
	{"model", "devicetype model devicetypemodel"},
	{"type", "type"},
	{"hwsku", "hwsku"},
	{"status", "status devicestatus"},
}

// readSheets reads sheets of an inventory. The header decides whether a sheet has front ports, rear ports, interfaces or devices.
func (r *reader) readSheets(sheets []Sheet) {
	for _, s := range sheets {
		if r.failed {
			return
		}
		x := &reader{most: r.most}
		x.open(s.Name, s.Src)
		if x.valid(); !x.failed {
			c := &sheet{reader: x, pos: x.begin}
			inventorySheet(c, r)
		}
		r.ds = append(r.ds, x.ds...)
		r.failed = x.failed
	}
}

// inventorySheet reads a sheet and adds its ports and devices to another reader.
func inventorySheet(c *sheet, into *reader) {
	if c.skip(); c.pos >= len(c.text) {
		return
	}
	begin := c.pos
	line := c.text[begin : begin+c.lineLength()]
	for _, sep := range []byte("\t;,") {
		if c.sep = sep; strings.IndexByte(line, sep) >= 0 {
			break
		}
	}
	if !c.line() {
		return
	}
	first, last := c.fields[0], c.fields[len(c.fields)-1]
	at := map[string]int{}
	for _, column := range inventoryColumns {
		for h := range strings.FieldsSeq(column.headers) {
			i := slices.IndexFunc(c.fields, func(f word) bool { return letters(f.v) == h })
			if _, ok := at[column.name]; i >= 0 && !ok {
				at[column.name] = i
			}
		}
	}
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { _, ok := at[n]; return !ok })
	}
	var row func(cell func(string) string) (wrong string)
	switch {
	case has("device", "name", "rear"):
		row = into.ports.frontPort
	case has("device", "name", "mgmt"):
		row = func(cell func(string) string) string {
			if slices.Contains([]string{"true", "1", "yes"}, strings.ToLower(cell("mgmt"))) {
				into.ports.is(cell("device"), cell("name"), outOfBandPort)
			}
			return ""
		}
	case has("device", "name", "count"):
		row = func(cell func(string) string) string {
			into.ports.is(cell("device"), cell("name"), rearPort)
			return ""
		}
	case has("name") && (has("role") || has("platform") || has("model") || has("type")):
		row = func(cell func(string) string) string {
			inventoryDevice(into, cell)
			return ""
		}
	default:
		c.fail(&Syntax, first.from, last.to, "rocec does not know this kind of sheet of an inventory. The header of front ports has "+
			"device, name and "+
			"rear_port; of rear ports device, name and positions; of interfaces device, name and mgmt_only; of devices name with role, "+
			"device_type or platform, or Hostname with HwSku and Type.")
		return
	}
	cell := func(name string) string {
		if i, ok := at[name]; ok && i < len(c.fields) {
			return c.fields[i].v
		}
		return ""
	}
	for {
		if c.skip(); c.failed || c.pos >= len(c.text) || !c.line() {
			return
		}
		if wrong := row(cell); wrong != "" {
			c.mistake(&Syntax, c.fields[0].from, c.fields[len(c.fields)-1].to, "%s", wrong)
		}
	}
}

// frontPort stores the rear port of a front port of a patch panel. It returns the mistake in the row, or "".
func (v *inventory) frontPort(cell func(string) string) string {
	front := panelPort{cell("device"), cell("name"), false}
	rear := panelPort{front.device, cell("rear"), true}
	if front.device == "" || front.port == "" || rear.port == "" {
		return ""
	}
	position, text := 1, strings.TrimSpace(cell("position"))
	if n, err := strconv.Atoi(text); text != "" {
		if position = n; err != nil || n < 1 {
			return fmt.Sprintf("The position %s of a rear port is not a number of at least 1.", diag.Cut(text))
		}
	}
	if other, taken := v.fronts[rear][position]; taken && other != front.port {
		return fmt.Sprintf("The front ports %s and %s of %s lead to one position, %d, of the rear port %s. Give each a separate "+
			"position, in the column "+
			"rear_port_position.", diag.Cut(other), diag.Cut(front.port), diag.Cut(front.device), position, diag.Cut(rear.port))
	}
	if v.behind == nil {
		v.behind, v.fronts = map[panelPort]place{}, map[panelPort]map[int]string{}
	}
	v.behind[front] = place{rear, position}
	if v.fronts[rear] == nil {
		v.fronts[rear] = map[int]string{}
	}
	v.fronts[rear][position] = front.port
	v.is(rear.device, rear.port, rearPort)
	v.is(front.device, front.port, frontPort)
	return ""
}

// is stores the kind of a port.
func (v *inventory) is(device, port string, k portKind) {
	if v.kinds == nil {
		v.kinds = map[[2]string]portKind{}
	}
	v.kinds[[2]string{device, port}] = k
}

// inventoryDevice reads a row of a sheet of devices. "Type" is the model in NetBox, and the role in SONiC's test beds.
func inventoryDevice(r *reader, cell func(string) string) {
	n := Node{Function: cell("role"), System: cell("platform"), Version: cell("version"), Model: cell("model")}
	if sku := cell("hwsku"); sku != "" {
		n.Model, n.Function, n.System = sku, cmp.Or(n.Function, cell("type")), cmp.Or(n.System, cell("type"))
	}
	n.Model = cmp.Or(n.Model, cell("type"))
	r.node(cell("name"), n)
	status := ""
	switch strings.ToLower(cell("status")) {
	case "planned", "staged":
		status = "planned"
	case "decommissioning", "decommissioned", "retired", "inventory":
		status = "decommissioning"
	default:
		return
	}
	if r.ports.states == nil {
		r.ports.states = map[string]string{}
	}
	r.ports.states[cell("name")] = status
}
