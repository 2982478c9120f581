package topology

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// maxColumns bounds the memory for one line of a sheet.
const maxColumns = 256

// The columns of a sheet. Each end of a cable has two columns or one.
const (
	aDevice = iota
	aPort
	bDevice
	bPort
	a
	b
	aType // the kind of an end, by the words of inventories
	bType
	statusColumn
	typeColumn  // the type of the cable
	speedColumn // the attributes, in the order of attrNames
	columns     = speedColumn + 3
)

var columnNames = [columns]string{
	"a_device", "a_port", "b_device", "b_port", "a", "b", "a_type", "b_type", "status", "type", "speed", "length", "mtu",
}

// readCSV reads a sheet of cables.
//
//	sheet  = { skipped } header { row | skipped } .
//	row    = field { separator field } newline .
//	field  = text | `"` { any but `"` | `""` } `"` .
//
// The separator is the separator of the header: a tab, a semicolon or a comma. It skips empty lines, lines of empty fields, lines that
// begin with #, and a line sep=; (which Excel writes). It ignores spaces around a field. It finds a column by its own name, by the
// header in Options.Columns, or by the headers that other programs write. It ignores columns with other names.
func readCSV(r *reader) {
	c := &sheet{reader: r, pos: r.begin}
	c.skip()
	seps := "\t;,"
	if line, _, _ := strings.Cut(c.text[c.pos:], "\n"); len(line) >= 5 && strings.EqualFold(line[:4], "sep=") &&
		strings.Contains(seps, line[4:5]) && strings.TrimSpace(line[5:]) == "" {
		seps = line[4:5]
		c.pos += len(line)
		c.skip()
	}
	begin := c.pos
	if begin >= len(c.text) {
		return
	}
	c.sep = c.separator(seps, begin)
	if c.pos = begin; !c.line() || !c.header() {
		c.failed = true
		return
	}
	c.grow(strings.Count(c.text[c.pos:], "\n") + 1)
	for {
		if c.skip(); c.failed || c.pos >= len(c.text) || !c.line() {
			return
		}
		c.row()
	}
}

// sheet reads CSV line by line.
type sheet struct {
	*reader
	pos    int
	sep    byte
	fields []word                 // fields of the current line
	index  [columns]int           // index of the field of each column; -1: the sheet lacks the column
	width  int                    // number of columns in the header
	unit   [len(attrNames)]string // unit of plain numbers in the columns of attributes
	units  [len(attrNames)]int    // index of the field with the unit of each attribute; -1: none
}

// separator returns the first of seps with which the header is valid, or else the most frequent of seps in the header.
func (c *sheet) separator(seps string, begin int) byte {
	for i := range len(seps) {
		if c.sep, c.pos = seps[i], begin; c.quietly(c.line) && c.quietly(c.header) {
			return seps[i]
		}
	}
	c.pos = begin
	line, best := c.text[begin:begin+c.lineLength()], seps[len(seps)-1]
	for i := range len(seps) {
		if strings.Count(line, seps[i:i+1]) > strings.Count(line, string(best)) {
			best = seps[i]
		}
	}
	return best
}

// quietly calls a function and discards the mistakes that it reports.
func (c *sheet) quietly(try func() bool) bool {
	n := len(c.ds)
	ok := try()
	c.ds, c.failed, c.nearly = c.ds[:n], false, nil
	return ok
}

func (c *sheet) lineLength() int {
	if i := strings.IndexByte(c.text[c.pos:], '\n'); i >= 0 {
		return i
	}
	return len(c.text) - c.pos
}

// skip skips empty lines and comments.
func (c *sheet) skip() {
	for c.pos < len(c.text) {
		n := c.lineLength()
		line := strings.TrimLeft(c.text[c.pos:c.pos+n], " \t\r")
		if line != "" && line[0] != '#' {
			return
		}
		c.pos = min(c.pos+n+1, len(c.text))
	}
}

// line reads the fields of a line. It returns false after a mistake that makes the rest of the file unreadable.
func (c *sheet) line() bool {
	for c.fields = c.fields[:0]; ; c.pos++ {
		if len(c.fields) == maxColumns {
			c.fail(&TooLarge, c.pos, c.pos+1, "This line has more than %d columns.", maxColumns)
			return false
		}
		w, ok := c.field()
		if !ok {
			return false
		}
		c.fields = append(c.fields, w)
		if c.pos >= len(c.text) {
			return true
		}
		if c.text[c.pos] == '\n' {
			c.pos++
			return true
		}
	}
}

// field reads a field up to the separator or the end of the line.
func (c *sheet) field() (word, bool) {
	c.blank()
	if c.pos < len(c.text) && c.text[c.pos] == '"' {
		return c.quoted()
	}
	from := c.pos
	for c.pos < len(c.text) && c.text[c.pos] != c.sep && c.text[c.pos] != '\n' {
		c.pos++
	}
	v := strings.TrimRight(c.text[from:c.pos], " \t\r")
	return word{v: v, from: from, to: from + len(v), in: from, out: from + len(v)}, true
}

func (c *sheet) quoted() (word, bool) {
	from := c.pos
	for i := from + 1; ; i++ {
		n := strings.IndexByte(c.text[i:], '"')
		if n < 0 {
			c.fail(&Syntax, from, from+1, "The file ends inside the field in quotes that begins here. Close the quotes.")
			return word{}, false
		}
		if i += n; strings.HasPrefix(c.text[i:], `""`) {
			i++
			continue
		}
		c.pos = i + 1
		break
	}
	w := word{from: from, to: c.pos, in: from + 1, out: c.pos - 1}
	w.v = strings.ReplaceAll(c.text[w.in:w.out], `""`, `"`)
	c.blank()
	if c.pos < len(c.text) && c.text[c.pos] == '\r' {
		c.pos++
	}
	if c.pos < len(c.text) && c.text[c.pos] != c.sep && c.text[c.pos] != '\n' {
		c.fail(&Syntax, c.pos, c.pos+1, "The field in quotes has ended, so %q or a new line was expected. A quote inside of a field is "+
			"written twice: \"\".", string(c.sep))
		return word{}, false
	}
	return w, true
}

// blank skips spaces around a field.
func (c *sheet) blank() {
	for c.pos < len(c.text) && (c.text[c.pos] == ' ' || c.text[c.pos] == '\t' && c.sep != '\t') {
		c.pos++
	}
}

var headerName = strings.NewReplacer(" ", "_", "-", "_")

// otherColumns are the columns of sheets of consoles, power and baseboard controllers, such as the sheets of SONiC's test beds.
const otherColumns = " baudrate baud_rate console_type console_menu_type endfeed end_feed bmcip bmc_ip "

// isOther reports whether a sheet has such a column, so that its lines are not cables of a fabric.
func isOther(header string) bool {
	return strings.Contains(otherColumns, " "+headerName.Replace(strings.ToLower(header))+" ")
}

// wrong reports a mistake about a column of the header.
func (c *sheet) wrong(topic *diag.Topic, column int, format string, args ...any) *diag.Diagnostic {
	f := c.fields[column]
	return c.mistake(topic, f.from, f.to, format, args...)
}

// header finds the columns in the first line.
func (c *sheet) header() bool {
	c.width = len(c.fields)
	for i := range c.index {
		c.index[i] = -1
	}
	c.unit, c.units = [len(attrNames)]string{}, [len(attrNames)]int{-1, -1, -1}
	if !c.named() {
		return false
	}
	var unknown []string
	for i, f := range c.fields {
		if len(c.columns) == 0 && isOther(f.v) { // a person who names columns has chosen the sheet on purpose
			c.wrong(&Empty, i, "The column \"%s\" is one of consoles, power or controllers: the lines of this sheet are not cables of a fabric. "+
				"Leave the sheet out.", diag.Escape(f.v))
			return false
		}
		k := slices.Index(columnNames[:], headerName.Replace(strings.ToLower(f.v)))
		switch {
		case slices.Contains(c.index[:], i):
		case k >= 0 && c.columns[columnNames[k]] != "":
		case k < 0:
			unknown = append(unknown, f.v)
		case c.index[k] >= 0:
			first := c.fields[c.index[k]]
			c.wrong(&Syntax, i, "The sheet has the column %s twice.", columnNames[k]).Note(c.at(first.from, first.to),
				"here for the first time")
			return false
		default:
			c.index[k] = i
		}
	}
	c.guess()
	from, to := c.fields[0].from, c.fields[len(c.fields)-1].to
	var missing []string
	for _, side := range [][3]int{{a, aDevice, aPort}, {b, bDevice, bPort}} {
		one, device, port := side[0], side[1], side[2]
		switch {
		case c.index[one] >= 0 && (c.index[device] >= 0 || c.index[port] >= 0):
			c.wrong(&Syntax, c.index[one], "The column %[1]s contains device:port, so %[2]s and %[3]s repeat its values. Keep %[1]s, "+
				"or keep the other two.", columnNames[one], columnNames[device], columnNames[port])
			return false
		case c.index[one] >= 0:
		case c.index[device] < 0 || c.index[port] < 0:
			for _, k := range []int{device, port} {
				if c.index[k] < 0 {
					missing = append(missing, columnNames[k])
				}
			}
		}
	}
	if len(missing) == 0 {
		c.passed()
		return true
	}
	c.mistake(&Syntax, from, to, "The header has no column %[1]s.%[2]s Name the columns in the first line of the sheet: a_device, "+
		"a_port, b_device, b_port (or a and b, as device:port), and if known speed, length and mtu. Or do not change the sheet, and "+
		"name its headers: columns = { %[3]s = \"...\" } in the topology block, %[4]s for a draft.",
		diag.Or(missing), likely(missing[0], unknown), missing[0], initColumns(missing[0]))
	return false
}

// initColumns returns the command that drafts a fabric from a sheet with another header for a column.
func initColumns(column string) string {
	return diag.Rocec("init", diag.Flag("--columns", diag.Kind(column+"=...")))
}

// likely returns a question about the unknown column that was probably meant, or "".
func likely(missing string, unknown []string) string {
	if near := diag.Nearest(missing, unknown); near != "" {
		return " Is " + quote(near) + " the missing one?"
	}
	return ""
}

func (c *sheet) row() {
	if !slices.ContainsFunc(c.fields, func(w word) bool { return w.v != "" }) {
		return // spreadsheets leave such lines
	}
	first, last := c.fields[0], c.fields[len(c.fields)-1]
	if len(c.fields) > c.width {
		for _, f := range c.fields[c.width:] {
			if f.v != "" {
				c.mistake(&Syntax, f.from, f.to, "The header has %s, but this row has more. A field that contains %q needs quotes.",
					diag.Count(c.width, "column"), string(c.sep))
				return
			}
		}
	}
	for k, i := range c.index[:aType] {
		switch {
		case i < 0:
		case i >= len(c.fields):
			c.mistake(&Syntax, first.from, last.to, "The row is too short: it has %s, and column %d is %s.",
				diag.Count(len(c.fields), "field"), i+1,
				columnNames[k])
			return
		case c.fields[i].v == "":
			at := c.fields[i]
			if at.from == at.to {
				at.from, at.to = first.from, last.to
			}
			c.mistake(&Endpoint, at.from, at.to, "In this row %s is empty, but a cable has a device and a port at both ends. Write "+
				"the value, or delete the row.", columnNames[k])
			return
		}
	}
	x, ok := c.side(a, aDevice)
	if !ok {
		return
	}
	y, ok := c.side(b, bDevice)
	if !ok {
		return
	}
	var attrs []Attr
	for k, i := range c.index[speedColumn:] {
		if i >= 0 && i < len(c.fields) && c.fields[i].v != "" {
			attrs = append(attrs, c.cell(k, c.fields[i]))
		}
	}
	c.take(&cable{
		a: c.termination(x, aType), b: c.termination(y, bType), attrs: attrs, status: c.optional(statusColumn),
		power: letters(c.optional(typeColumn).v) == "power", typed: c.index[aType] >= 0 || c.index[bType] >= 0, at: c.at(first.from,
			last.to),
	})
}

// optional returns the cell of an optional column.
func (c *sheet) optional(k int) word {
	if i := c.index[k]; i >= 0 && i < len(c.fields) {
		return c.fields[i]
	}
	return word{}
}

// termination returns an end with its kind from the column of types. In the P2P file of NVIDIA's Cable Validation Tool, this column has
// the role of the device.
func (c *sheet) termination(e End, column int) termination {
	said := c.optional(column).v
	if role := letters(said); role == "host" || role == "switch" {
		c.describe(e.Device, Node{Function: role})
		return termination{e, c.ports.kind(e)}
	}
	if kind := kindOf(said); kind != unsaid {
		return termination{e, c.ports.refine(e, kind)}
	}
	return termination{e, c.ports.kind(e)}
}

// side makes an end from one column or two.
func (c *sheet) side(one, device int) (End, bool) {
	if i := c.index[one]; i >= 0 {
		f := c.fields[i]
		d, p, ok := split(f)
		if !ok || d.v == "" || p.v == "" {
			c.mistake(&Endpoint, f.in, f.out, "%s is not an end of a cable. Write device:port, such as leaf01:swp1.", quote(f.v))
			return End{}, false
		}
		return c.end(d, p), true
	}
	d, p := c.fields[c.index[device]], c.fields[c.index[device+1]]
	e := c.end(d, p)
	if c.index[device+1] != c.index[device]+1 { // other columns are between device and port
		e.At = c.at(d.from, d.to)
	}
	return e, true
}
