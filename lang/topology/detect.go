package topology

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// InventorySheet is the result of [Detect] for a sheet of an inventory that has no cables.
const InventorySheet = "sheet"

// OtherSheet is the result of [Detect] for a sheet whose lines are not cables of a fabric, such as a sheet of consoles.
const OtherSheet = "other"

// Detect returns the format of a cabling file, by its text: the name of a row of [Formats], [InventorySheet] or [OtherSheet]. It
// returns "" for other text. Columns are as in [Options]; with columns, a table is a sheet of cables.
func Detect(src []byte, columns map[string]string) string {
	if len(src) > MaxFile {
		return ""
	}
	text := strings.TrimPrefix(string(src), "\ufeff")
	switch {
	case graphHead().MatchString(text):
		return "ptm"
	case strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{"):
		if airKeys().MatchString(text) {
			return "air"
		}
		return ""
	case labKey().MatchString(text):
		return "containerlab"
	}
	return detectSheet(text, columns)
}

// graphHead matches the beginning of a graph of graphviz, after comments.
var graphHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:\s+|#[^\n]*\n|//[^\n]*\n|/\*(?:[^*]|\*[^/])*\*/)*(?:strict\s+)?(?:di)?graph\b[^\n,;]*`)
})

// airKeys matches the list of links of a topology of NVIDIA Air.
var airKeys = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"links"\s*:\s*\[\s*(?:\[|\]|$)`) })

// labKey matches the key of a containerlab topology that contains its nodes and links.
var labKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^(?:topology|["']topology["'])\s*:`) })

// detectSheet reads the header of a table as the header of a sheet of cables, and then as the header of an inventory.
func detectSheet(text string, columns map[string]string) string {
	r := &reader{most: 1, columns: columns}
	r.open("", []byte(text))
	if r.valid(); r.failed {
		return ""
	}
	c := &sheet{reader: r, pos: r.begin}
	if c.skip(); c.pos >= len(c.text) {
		return ""
	}
	if line := c.text[c.pos : c.pos+c.lineLength()]; len(line) >= 5 && strings.EqualFold(line[:4], "sep=") { // Excel writes such a line
		c.pos += len(line)
		c.skip()
	}
	for _, sep := range []byte("\t;,") {
		begin := c.pos
		if c.sep = sep; c.quietly(c.line) && c.quietly(c.header) {
			return "csv"
		}
		if len(columns) == 0 && slices.ContainsFunc(c.fields, func(f word) bool { return isOther(f.v) }) {
			return OtherSheet
		}
		c.pos = begin
	}
	into := &reader{most: 1}
	head := text[:min(len(text), c.pos+c.lineLength()+1)]
	x := &reader{most: 1}
	x.open("", []byte(head))
	inventorySheet(&sheet{reader: x, pos: x.begin}, into)
	if len(x.ds) == 0 && len(into.ds) == 0 {
		return InventorySheet
	}
	return ""
}
