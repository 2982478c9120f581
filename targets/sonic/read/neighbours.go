package read

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target"
)

// Bounds of the tables of neighbours. Content above the bounds is a miss.
const (
	mostNeighbours  = 4096 // ports
	mostBroken      = 100  // rows of dumps that are not objects
	neighbourRow    = 4096 // bytes
	neighbourName   = 255  // bytes, the maximum of LLDP
	neighboursTable = "DEVICE_NEIGHBOR"
)

// neighbours reads DEVICE_NEIGHBOR. It also reads DEVICE_NEIGHBOR_METADATA, for the function and the hardware of the devices. Both may be
// objects of config_db.json or rows of dumps ("DEVICE_NEIGHBOR|Ethernet0"). Fields: sonic-device_neighbor.yang (name, port) and
// sonic-device_neighbor_metadata.yang (type, hwsku). Nil: the texts have no such table.
func (in *input) neighbours() map[string]target.StatedNeighbour {
	var out map[string]target.StatedNeighbour
	for _, t := range in.texts {
		about := in.rowsIn(t, neighboursTable+"_METADATA", "cable")
		rows := in.rowsIn(t, neighboursTable, "cable")
		for _, port := range slices.Sorted(maps.Keys(rows)) {
			row := rows[port]
			n := target.StatedNeighbour{Device: row["name"], Port: row["port"]}
			switch {
			case max(len(n.Device), len(port), len(n.Port)) > neighbourName:
				in.miss(neighboursTable+"|"+port, "a name has more than 255 bytes", t.base)
				continue
			case len(out) >= mostNeighbours:
				in.miss(neighboursTable, "more than 4,096 ports have a neighbour, and cables of further ports are not read", t.base)
				return out
			}
			n.Function, n.Model = about[n.Device]["type"], about[n.Device]["hwsku"]
			if out == nil {
				out = map[string]target.StatedNeighbour{}
			}
			out[port] = n
		}
	}
	return out
}

// aliasesOf reads the aliases of ports, which LLDP uses. An alias that two ports share belongs to neither.
func aliasesOf(c *grammar.Config) map[string]string {
	var out map[string]string
	twice := map[string]bool{}
	for _, port := range c.Keys("PORT") {
		alias := c.Get("PORT", port, "alias")
		if alias == "" || len(alias) > neighbourName || len(out) >= mostNeighbours {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		twice[alias] = out[alias] != ""
		out[alias] = port
	}
	maps.DeleteFunc(out, func(alias, _ string) bool { return twice[alias] })
	return out
}

// rowsIn finds the rows of a table in a text of any form. about names what a row describes. Tables and rows that cannot be read are
// misses.
func (in *input) rowsIn(t *text, table, about string) map[string]map[string]string {
	out := map[string]map[string]string{}
	if at := bytes.Index(t.data, []byte(`"`+table+`"`)); at >= 0 {
		var rows map[string]map[string]any
		switch _, found, ok := objectBehind(t.data[at+len(table)+2:], &rows); {
		case found && !ok:
			in.miss(table, "it is not a JSON object of rows, so no "+about+" is read from it", t.base+at)
		case found:
			for key, row := range rows {
				out[key] = words(row)
			}
		}
	}
	broken := 0
	for rest, head := t.data, []byte(`"`+table+"|"); ; {
		_, behind, found := bytes.Cut(rest, head)
		if !found {
			return out
		}
		rest = behind
		at := t.base + len(t.data) - len(behind)
		key, value, ends := bytes.Cut(behind[:min(len(behind), neighbourRow)], []byte(`"`))
		var row map[string]any
		read, found, ok := objectBehind(value, &row)
		switch {
		case ends && found && ok:
			if inner, is := row["value"].(map[string]any); is { // of sonic-db-dump
				row = inner
			}
			out[string(key)] = words(row)
			rest = behind[len(key)+1+read:]
		case !ends || found:
			in.miss(table+"|"+string(key), "it is not a JSON object of up to 4 kB, so its "+about+" is not read", at)
			if broken++; broken == mostBroken {
				in.miss(table, "more than 100 rows cannot be read, and further rows are ignored", at)
				return out
			}
		}
	}
}

// objectBehind decodes the object after the colon of a key, and returns the number of bytes read. Not found: the text is not a key.
func objectBehind[T any](text []byte, into *T) (n int, found, ok bool) {
	rest := bytes.TrimLeft(text, " \t\r\n")
	if len(rest) == 0 || rest[0] != ':' {
		return 0, false, false
	}
	decoder := json.NewDecoder(bytes.NewReader(rest[1:]))
	err := decoder.Decode(into)
	return len(text) - len(rest) + 1 + int(decoder.InputOffset()), true, err == nil
}

// words returns the fields of a row that are text.
func words(row map[string]any) map[string]string {
	out := map[string]string{}
	for field, v := range row {
		if s, is := v.(string); is {
			out[field] = strings.TrimSpace(s)
		}
	}
	return out
}
