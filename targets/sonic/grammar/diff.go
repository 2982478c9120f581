package grammar

import (
	"fmt"
	"maps"
	"slices"

	"github.com/rocec/rocec/lang/nodeset"
)

// Diff returns the operations that turn one configuration into another, ordered by table name. It covers only the tables that rocec
// writes. A missing table is added as a whole, and a table that becomes empty is removed as a whole: CONFIG_DB has no empty table, and a
// patch that leaves one is refused (EmptyTableError).
func Diff(before, after *Config) []Operation {
	var ops []Operation
	for i := range Tables {
		t := &Tables[i]
		if !t.Ours {
			continue
		}
		a, b := rowsOf(before, t.Name), rowsOf(after, t.Name)
		switch {
		case len(a) == 0 && len(b) == 0:
		case len(a) == 0:
			ops = append(ops, Operation{Kind: Add, Table: t.Name, Value: b})
		case len(b) == 0:
			ops = append(ops, Operation{Kind: Remove, Table: t.Name, Was: a})
		default:
			ops = append(ops, diffRows(t.Name, a, b)...)
		}
	}
	return ops
}

func rowsOf(c *Config, table string) Rows {
	s := c.Tables[table]
	if s == nil || len(s.Rows) == 0 {
		return nil
	}
	out := make(Rows, len(s.Rows))
	for key, r := range s.Rows {
		out[key] = make(map[string]string, len(r.Fields))
		for name, v := range r.Fields {
			out[key][name] = v.Text
		}
	}
	return out
}

func diffRows(table string, a, b Rows) (ops []Operation) {
	for _, key := range keysOf(a, b) {
		was, had := a[key]
		is, has := b[key]
		switch {
		case !has:
			ops = append(ops, Operation{Kind: Remove, Table: table, Row: key, Was: Rows{"": was}})
		case !had:
			ops = append(ops, Operation{Kind: Add, Table: table, Row: key, Value: Rows{"": is}})
		default:
			ops = append(ops, diffFields(table, key, was, is)...)
		}
	}
	return ops
}

func diffFields(table, key string, was, is map[string]string) (ops []Operation) {
	for _, name := range keysOf(was, is) {
		old, had := was[name]
		text, has := is[name]
		o := Operation{Table: table, Row: key, Field: name, Value: one(text), Was: one(old)}
		switch {
		case !has:
			o.Kind, o.Value = Remove, nil
		case !had:
			o.Kind, o.Was = Add, nil
		case old != text:
			o.Kind = Replace
		default:
			continue
		}
		ops = append(ops, o)
	}
	return ops
}

func keysOf[V any](a, b map[string]V) []string {
	keys := slices.Collect(maps.Keys(a))
	for k := range b {
		if _, both := a[k]; !both {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, nodeset.Compare)
	return keys
}

// Apply returns the configuration after the operations. An operation that does not fit the configuration is an error, since a patch is
// made for one configuration.
func Apply(c *Config, ops []Operation) (*Config, error) {
	out := c.Clone()
	for _, o := range ops {
		if err := out.apply(o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *Config) apply(o Operation) error {
	there := c.Tables[o.Table] != nil
	switch {
	case o.Row != "" && o.Field != "":
		there = c.Row(o.Table, o.Row).Has(o.Field)
	case o.Row != "":
		there = c.Row(o.Table, o.Row) != nil
	}
	if there != (o.Kind != Add) {
		return fmt.Errorf("%s does not fit: %s exists: %t", o.Kind, o.Path(), there)
	}
	switch {
	case o.Kind == Remove && o.Row == "":
		delete(c.Tables, o.Table)
	case o.Kind == Remove && o.Field == "":
		delete(c.Tables[o.Table].Rows, o.Row)
	case o.Kind == Remove:
		delete(c.Tables[o.Table].Rows[o.Row].Fields, o.Field)
	case o.Field != "":
		if c.Row(o.Table, o.Row) == nil {
			return fmt.Errorf("%s does not fit: %s has no row", o.Kind, o.Path())
		}
		c.Put(o.Table, o.Row, o.Field, o.Value[""][""])
	case o.Row != "":
		if c.Tables[o.Table] == nil {
			return fmt.Errorf("%s does not fit: %s has no table", o.Kind, o.Path())
		}
		c.putRow(o.Table, o.Row, o.Value[""])
	default:
		c.Tables[o.Table] = &Section{Rows: map[string]*Row{}}
		for key, fields := range o.Value {
			c.putRow(o.Table, key, fields)
		}
	}
	return nil
}

func (c *Config) putRow(table, key string, fields map[string]string) {
	r := &Row{Fields: make(map[string]Value, len(fields))}
	for name, text := range fields {
		r.Fields[name] = Value{Text: text}
	}
	c.Tables[table].Rows[key] = r
}

// Flapped names the ports that go down and up again while a switch takes a patch, in natural order. generic_config_updater takes a
// port down before it changes a row that refers to it, and up again afterwards, unless it is already down. See patch_sorter.py,
// RequiredValueIdentifier, in all branches, and its test PORT_CRITICAL_CHANGE_AND_PORT_IS_ADMIN_UP.
func Flapped(c *Config, ops []Operation) []string {
	ports := map[string]bool{}
	note := func(port string) {
		if c.Get("PORT", port, "admin_status") == "up" {
			ports[port] = true
		}
	}
	for _, o := range ops {
		switch o.Table {
		case "BUFFER_PG", "BUFFER_QUEUE", "BUFFER_PORT_EGRESS_PROFILE_LIST", "BUFFER_PORT_INGRESS_PROFILE_LIST", "PORT_QOS_MAP", "QUEUE":
		default:
			continue
		}
		if o.Row != "" {
			note(o.Port())
			continue
		}
		for _, rows := range []Rows{o.Value, o.Was} {
			for key := range rows {
				row := o
				row.Row = key
				note(row.Port())
			}
		}
	}
	return slices.SortedFunc(maps.Keys(ports), nodeset.Compare)
}
