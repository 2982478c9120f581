package sonic

import (
	"sort"

	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

// The paths of the files that `rocec build` writes for a switch.
const (
	// DocumentPath is an object of tables, for tools that render a whole config_db.json, and for `config load`, which sets each of its
	// fields and removes none.
	DocumentPath = "/etc/rocec/config_db.json"

	// PatchPath is the part of the document that a release and a chip accept through `config apply-patch`; see [Wish.patch].
	PatchPath = "/etc/rocec/config_db.patch.json"
)

// dataName is the key of the tables in the data of a device.
const dataName = "config_db"

// document returns the tables of a state without rocec's own tables; nil if the content is not a state.
func document(content []byte) []byte {
	cfg, err := grammar.ReadRows(content)
	if err != nil {
		return nil
	}
	return cfg.Only().JSON()
}

// patch returns a state as operations of RFC 6902. They apply to a configuration that has the tables and rows of the release's templates:
// a row of CABLE_LENGTH, and up to 202505 the profile AZURE_LOSSLESS. A row that rocec owns, a row of a queue and a port's row of maps
// are set as a whole. In rows that others own or share, the patch sets single fields. Objects come first. Then the operations are sorted
// by port, so that the list can be cut between ports to have few ports down at a time.
//
// The patch omits operations that the allow-list refuses on this release and chip. For AZURE_LOSSLESS up to 202505, it accepts only the
// thresholds, and on some chips none of the fields. Watchdogs are omitted too: no release accepts the table PFC_WD or its row GLOBAL in a
// patch, and would refuse the whole patch.
//
// Content that is not a state has no patch.
func (w *Wish) patch(content []byte) []byte {
	cfg, err := grammar.ReadRows(content)
	if err != nil {
		return nil
	}
	named := grammar.New() // the facts that the allow-list depends on
	if hwsku := firstOf(HwSKUs(w.device.Switch.Model)); hwsku != "" {
		named.Put("DEVICE_METADATA", "localhost", "hwsku", hwsku)
	}
	box, err := w.box(named)
	if err != nil {
		return nil
	}
	var objects, ports []grammar.Operation
	for i := range grammar.Tables {
		t := &grammar.Tables[i]
		if !t.Ours || t.Name == "PFC_WD" {
			continue
		}
		for _, key := range cfg.Keys(t.Name) {
			for _, o := range operations(cfg, t.Name, key) {
				switch {
				case !box.Allowed(o).Allowed:
				case o.Port() != "":
					ports = append(ports, o)
				default:
					objects = append(objects, o)
				}
			}
		}
	}
	sort.SliceStable(ports, func(i, k int) bool {
		a, b := ports[i], ports[k]
		return nodeset.Compare(a.Port(), b.Port()) < 0
	})
	return grammar.JSON(append(objects, ports...))
}

// operations returns the operations that set a row: as a whole, or field by field if others own fields in it.
func operations(cfg *grammar.Config, table, key string) []grammar.Operation {
	row := cfg.Row(table, key)
	whole := grammar.Operation{Kind: grammar.Add, Table: table, Row: key, Value: grammar.Rows{"": {}}}
	if whole.Port() == "" && !mine(key) {
		var out []grammar.Operation
		for _, field := range row.Names() {
			o := grammar.Operation{Kind: grammar.Replace, Table: table, Row: key, Field: field, Value: grammar.Rows{"": {"": row.Get(field)}}}
			if table == "CABLE_LENGTH" { // the template may lack the port
				o.Kind = grammar.Add
			}
			out = append(out, o)
		}
		return out
	}
	for _, field := range row.Names() {
		whole.Value[""][field] = row.Get(field)
	}
	return []grammar.Operation{whole}
}

// data returns a state as an object of tables, rows and texts. Content that is not a state gives an empty object.
func data(content []byte) map[string]any {
	cfg, err := grammar.ReadRows(content)
	if err != nil {
		return map[string]any{}
	}
	tables := map[string]any{}
	for name := range cfg.Only().Tables {
		rows := map[string]any{}
		for _, key := range cfg.Keys(name) {
			fields := map[string]any{}
			for field, v := range cfg.Row(name, key).Fields {
				fields[field] = v.Text
			}
			rows[key] = fields
		}
		tables[name] = rows
	}
	return map[string]any{dataName: tables}
}
