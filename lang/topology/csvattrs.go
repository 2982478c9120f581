package topology

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// bases lists the header names of each attribute's column, without a unit, folded as [letters] does.
var bases = [len(attrNames)][]string{
	{"speed", "linkspeed", "bandwidth", "linkbandwidth", "rate", "linkrate", "cablespeed"},
	{"length", "cablelength", "linklength", "len", "lengthofcable"},
	{"mtu", "linkmtu"},
}

// usualUnits has the conventional unit of plain numbers, for headers without a unit.
var usualUnits = map[string]string{"bandwidth": "M"} // SONiC's test beds use these headers

// likeAttrs matches headers that contain a word for an attribute, beside any other words.
var likeAttrs = sync.OnceValue(func() [len(attrNames)]*regexp.Regexp {
	return [...]*regexp.Regexp{
		regexp.MustCompile(`(?i)speed|bandwidth|[gm]bps|geschwindigkeit`),
		regexp.MustCompile(`(?i)length|länge|laenge|longueur|distance|\blen\b`),
		nil,
	}
})

// notLike matches words that contain a match of likeAttrs and mean something else.
var notLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)wavelength|wellenlänge`) })

// unitIn matches the text in brackets at the end of a header.
var unitIn = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[(\[]\s*([^()\[\]]+?)\s*[)\]]\s*$`) })

// attrHeader reads the header of an attribute's column: "Length", "Cable Length (ft)", "speed_gbps", "Length in m". For a header without
// a unit, unit is the usual unit or empty. The result ok is false for a header of anything else, and for a header with an unknown unit.
func attrHeader(attr int, header string) (unit string, ok bool) {
	folded := letters(header)
	for _, base := range bases[attr] {
		if folded == base {
			return usualUnits[base], true
		}
		rest, found := strings.CutPrefix(folded, base)
		if !found {
			continue
		}
		for _, r := range []string{rest, strings.TrimPrefix(rest, "in")} { // "(in)" is inches, and "in m" metres
			if unit := unitWords[attr][r]; unit != "" {
				return unit, true
			}
		}
	}
	return "", false
}

// attrColumn finds the column of an attribute, the unit of its plain numbers, and the column with its units.
func (c *sheet) attrColumn(attr int, taken map[int]bool) {
	k := speedColumn + attr
	for i, f := range c.fields {
		if c.index[k] < 0 && !taken[i] {
			if _, ok := attrHeader(attr, f.v); ok {
				c.index[k], taken[i] = i, true
			}
		}
	}
	at := c.index[k]
	if at < 0 {
		return
	}
	c.unit[attr], _ = attrHeader(attr, c.fields[at].v)
	if m := unitIn().FindStringSubmatch(c.fields[at].v); m != nil && c.unit[attr] == "" {
		c.unit[attr] = unitOf(attr, m[1]) // attrHeader does not know a header that "columns" of the topology block names
	}
	for i, f := range c.fields {
		if taken[i] {
			continue
		}
		folded := letters(f.v)
		beside := i == at+1 && slices.Contains([]string{"unit", "units", "uom"}, folded)
		of, found := strings.CutSuffix(strings.TrimSuffix(folded, "s"), "unit")
		if beside || found && slices.Contains(bases[attr], of) {
			c.units[attr], taken[i] = i, true
			return
		}
	}
}

// passed warns of unused columns whose names are similar to names of used columns. It also warns of unused columns that look like a
// length or speed if the sheet lacks that attribute, because the headroom depends on it.
func (c *sheet) passed() {
	for i, f := range c.fields {
		if slices.Contains(c.index[:], i) || slices.Contains(c.units[:], i) {
			continue
		}
		if c.nearlyRead(f) {
			continue
		}
		for attr, like := range likeAttrs() {
			if like != nil && c.index[speedColumn+attr] < 0 && like.MatchString(notLike().ReplaceAllString(f.v, "")) {
				c.warnPassed(f, "The column %[1]s is ignored, but looks like a %[2]s. If it is the %[2]s of the cables, name it with "+
					"its unit: %[3]s. Or write columns = { %[2]s = %[1]s } in the topology block, %[4]s for a draft.",
					quote(f.v), attrNames[attr], []string{`"Speed (Gbps)" or "Speed (Mbps)"`, `"Length (m)", "Length (cm)" or "Length (ft)"`}[attr],
					initColumns(attrNames[attr]))
			}
		}
	}
	for attr := range attrNames {
		at := c.index[speedColumn+attr]
		if at < 0 || c.unit[attr] != "" || c.units[attr] >= 0 {
			continue
		}
		f := c.fields[at]
		if m := unitIn().FindStringSubmatch(f.v); m != nil && attrNames[attr] == "length" {
			c.warnPassed(f, "%s is not a known unit of length, so plain numbers in this column are read as metres. Name the column "+
				"\"Length (m)\", or with km, cm, mm, ft or in.", quote(m[1]))
		}
	}
}

// warnPassed warns of a column.
func (c *sheet) warnPassed(f word, format string, args ...any) {
	Attribute.Warnf(&c.ds, c.at(f.in, f.out), format, args...)
}

// cell reads the value of an attribute from a cell. The unit in the cell has precedence, then the unit in the column of units, then the
// unit in the header.
func (c *sheet) cell(attr int, w word) Attr {
	a := Attr{Name: attrNames[attr], At: c.at(w.in, w.out)}
	unit := c.unit[attr]
	if i := c.units[attr]; i >= 0 && i < len(c.fields) && c.fields[i].v != "" {
		said := c.fields[i]
		if m := quantity().FindStringSubmatch(w.v); m != nil && m[4] == "" {
			if unit = unitOf(attr, said.v); unit == "" { // package lang reports the unknown unit
				a.Text, a.At = w.v+" "+said.v, c.at(said.in, said.out)
				return a
			}
		}
	}
	a.Text = value(attr, w.v, unit)
	return a
}
