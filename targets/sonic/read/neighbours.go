package read

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// Bounds of the tables of neighbours.
const (
	mostNeighbours = 4096
	neighbourTable = 1 << 20 // bytes
	neighbourName  = 255     // bytes, what LLDP holds at most
)

// neighboursOf reads DEVICE_NEIGHBOR, and DEVICE_NEIGHBOR_METADATA for the function and the hardware of the devices, as objects of
// config_db.json and as rows of dumps ("DEVICE_NEIGHBOR|Ethernet0"). Fields: sonic-device_neighbor.yang (name, port) and
// sonic-device_neighbor_metadata.yang (type, hwsku). Nil: the files have no such table.
func neighboursOf(contents map[string][]byte) map[string]target.StatedNeighbour {
	var out map[string]target.StatedNeighbour
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		about := rowsIn(contents[name], "DEVICE_NEIGHBOR_METADATA")
		for port, row := range rowsIn(contents[name], "DEVICE_NEIGHBOR") {
			n := target.StatedNeighbour{Device: row["name"], Port: row["port"]}
			if len(n.Device)+len(port) == 0 || max(len(n.Device), len(port), len(row["port"])) > neighbourName || len(out) >= mostNeighbours {
				continue
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

// rowsIn finds the rows of a table in a text that may be anything.
func rowsIn(text []byte, table string) map[string]map[string]string {
	out := map[string]map[string]string{}
	if at := bytes.Index(text, []byte(`"`+table+`"`)); at >= 0 {
		var rows map[string]map[string]any
		if objectBehind(text[at+len(table)+2:], &rows) {
			for key, row := range rows {
				out[key] = words(row)
			}
		}
	}
	for rest, head := text, []byte(`"`+table+"|"); len(out) < mostNeighbours; {
		_, behind, found := bytes.Cut(rest, head)
		if !found {
			break
		}
		rest = behind
		key, value, ends := bytes.Cut(behind[:min(len(behind), neighbourTable)], []byte(`"`))
		var row map[string]any
		if !ends || len(key) > neighbourName || !objectBehind(value, &row) {
			continue
		}
		if inner, is := row["value"].(map[string]any); is { // of sonic-db-dump
			row = inner
		}
		out[string(key)] = words(row)
	}
	return out
}

// objectBehind decodes the object behind the colon of a key.
func objectBehind[T any](text []byte, into *T) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	if len(text) == 0 || text[0] != ':' {
		return false
	}
	text = text[1:]
	return json.NewDecoder(bytes.NewReader(text[:min(len(text), neighbourTable)])).Decode(into) == nil
}

// words are the fields of a row that are text.
func words(row map[string]any) map[string]string {
	out := map[string]string{}
	for field, v := range row {
		if s, is := v.(string); is {
			out[field] = strings.TrimSpace(s)
		}
	}
	return out
}
