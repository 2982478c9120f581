package topology

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// maxColumns bounds what one line of a sheet makes us remember.
const maxColumns = 256

// The columns of a sheet, by name. Each side is two columns or one.
const (
	aDevice = iota
	aPort
	bDevice
	bPort
	a
	b
	aType // the kinds of the ends, in the words of inventories
	bType
	statusColumn
	typeColumn  // of the cable
	speedColumn // in order of attrNames
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
// The separator is the one the header is written with: a tab, a semicolon or a comma. Empty lines, lines of empty fields, lines that begin
// with #, and a line sep=; (which Excel writes) are skipped. Spaces around a field do not count. Where a column is not there by its own
// name it is looked for by the headers other programs write, or by the one that Options.Columns gives. Columns with other names are for
// people, and passed over.
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
	fields []word                 // of the current line
	index  [columns]int           // where a column is; -1: nowhere
	width  int                    // columns of the header
	unit   [len(attrNames)]string // of plain numbers in the columns of attributes
	units  [len(attrNames)]int    // where the column of units is; -1: nowhere
}

// separator returns the one of seps with which the header makes sense, or else the one it has most of.
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

// quietly tries a function that may report mistakes, and forgets them.
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

// skip passes over lines that hold nothing.
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

// line reads the fields of a line. It returns false after a mistake behind which nothing can be read.
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

// field reads up to the separator or the end of the line.
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
		c.fail(&Syntax, c.pos, c.pos+1, "The field in quotes has ended, and %q or a new line was expected. A quote inside of a field is "+
			"written twice: \"\".", string(c.sep))
		return word{}, false
	}
	return w, true
}

// blank passes over spaces around a field.
func (c *sheet) blank() {
	for c.pos < len(c.text) && (c.text[c.pos] == ' ' || c.text[c.pos] == '\t' && c.sep != '\t') {
		c.pos++
	}
}

var headerName = strings.NewReplacer(" ", "_", "-", "_")

// otherColumns are the columns of sheets of consoles, power and baseboard controllers, such as those of SONiC's test beds.
const otherColumns = " baudrate baud_rate console_type console_menu_type endfeed end_feed bmcip bmc_ip "

// isOther reports whether the lines of a sheet that has such a column are no cables of a fabric.
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
		if len(c.columns) == 0 && isOther(f.v) { // a person who names columns knows the sheet
			c.wrong(&Empty, i, "The column \"%s\" is one of consoles, power or controllers: the lines of this sheet are no cables of a fabric. "+
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
			c.wrong(&Syntax, i, "The column %s is there twice.", columnNames[k]).Note(c.at(first.from, first.to),
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
			c.wrong(&Syntax, c.index[one], "The column %[1]s holds device:port, so %[2]s and %[3]s say the same again. Keep %[1]s, or "+
				"keep those two.", columnNames[one], columnNames[device], columnNames[port])
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
		"a_port, b_device, b_port (or a and b, as device:port), and if known speed, length and mtu. Or leave the sheet as it is, and "+
		"say which column is which: columns = { %[3]s = \"...\" } in the topology block, %[4]s for a draft.",
		diag.Or(missing), likely(missing[0], unknown), missing[0], initColumns(missing[0]))
	return false
}

// initColumns is the command that drafts a fabric from a sheet whose header names a column in other words.
func initColumns(column string) string {
	return diag.Rocec("init", diag.Flag("--columns", diag.Kind(column+"=...")))
}

// likely guesses which unknown column was meant.
func likely(missing string, unknown []string) string {
	if near := diag.Nearest(missing, unknown); near != "" {
		return " Is " + quote(near) + " meant to be it?"
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
				c.mistake(&Syntax, f.from, f.to, "The header has %s, and this row has more. A field that holds %q needs quotes.",
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
			c.mistake(&Endpoint, at.from, at.to, "In this row %s is empty, and a cable has a device and a port at both ends. Write "+
				"it, or delete "+
				"the row.", columnNames[k])
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

// optional is a cell of a column that the sheet need not have.
func (c *sheet) optional(k int) word {
	if i := c.index[k]; i >= 0 && i < len(c.fields) {
		return c.fields[i]
	}
	return word{}
}

// termination is an end with its kind by the column of types. There the P2P file of NVIDIA's Cable Validation Tool has the role of the
// device.
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

// side makes an end of one column or two.
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
	if c.index[device+1] != c.index[device]+1 { // other columns between them are not meant
		e.At = c.at(d.from, d.to)
	}
	return e, true
}
