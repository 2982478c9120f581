package grammar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Module is the name of the YANG module that [YANG] writes.
const Module = "rocec-config-db"

// YANG spells [Tables] in a release as one module, for validators such as yanglint: fields with their types and ranges, names that have
// to be declared, and what two fields of a row have to be to each other. It is made of facts of SONiC's own models, and is none of
// them. Every value is text in CONFIG_DB, so numbers are of the one type that JSON of YANG writes as text (RFC 7951).
func YANG(r Release) []byte {
	var b bytes.Buffer
	b.WriteString("module " + Module + " {\n  yang-version 1.1;\n  namespace \"https://github.com/rocec/rocec/config-db\";\n  prefix c;\n")
	b.WriteString("  container config {\n")
	for i := range Tables {
		writeTable(&b, &Tables[i], r)
	}
	b.WriteString("  }\n}\n")
	return b.Bytes()
}

// nested reports whether the rows of a table are maps of one kind of field.
func (t *Table) nested() bool { return len(t.Fields) == 1 && strings.HasPrefix(t.Fields[0].Name, "<") }

// keys names the leaves that the key of a row is made of.
func (t *Table) keys() []string {
	if t.Key == PortRangeKey {
		return []string{"port", "index"}
	}
	return []string{"name"}
}

func writeTable(b *bytes.Buffer, t *Table, r Release) {
	fmt.Fprintf(b, "    container %s {\n      list row {\n        key %q;\n", t.Name, strings.Join(t.keys(), " "))
	switch {
	case t.Key == PortRangeKey:
		fmt.Fprintf(b, "        leaf port { %s }\n", portType(nil))
		b.WriteString("        leaf index { type string { pattern '[0-9]{1,2}(-[0-9]{1,2})?'; } }\n")
	case t.Name == "PORT":
		b.WriteString("        leaf name { type string { pattern 'Ethernet[0-9]{1,4}'; } }\n")
	case t.Key == PortKey:
		fmt.Fprintf(b, "        leaf name { %s }\n", portType(t.Fixed))
	case t.Key == FixedKey:
		fmt.Fprintf(b, "        leaf name { %s }\n", enumeration(t.Fixed))
	case t.nested() || t.Name == "WRED_PROFILE":
		b.WriteString("        leaf name { type string { pattern '[a-zA-Z0-9][-a-zA-Z0-9_]{0,31}'; } }\n")
	default:
		b.WriteString("        leaf name { type string { length 1..255; } }\n")
	}
	if t.nested() {
		f := &t.Fields[0]
		from := portType(nil)
		if f.Name == "<n>" {
			from = fmt.Sprintf("type int64 { range 0..%d; }", f.Keys)
		}
		b.WriteString("        list field {\n          key from;\n")
		fmt.Fprintf(b, "          leaf from { %s }\n          leaf to { %s mandatory true; }\n        }\n", from, f.yang(r))
	} else {
		for i := range t.Fields {
			if f := &t.Fields[i]; f.In(r) {
				fmt.Fprintf(b, "        leaf %s { %s%s%s }\n", f.Name, f.yang(r), f.must(t), map[bool]string{true: " mandatory true;"}[f.Must])
			}
		}
	}
	b.WriteString("      }\n    }\n")
}

func enumeration(words []string) string {
	var b strings.Builder
	b.WriteString("type enumeration {")
	for _, w := range words {
		b.WriteString(" enum " + w + ";")
	}
	return b.String() + " }"
}

func rowsLike(table string) string {
	return "type leafref { path /c:config/c:" + table + "/c:row/c:name; }"
}

// portType is a port that is there, or a word beside it.
func portType(words []string) string {
	if len(words) == 0 {
		return rowsLike("PORT")
	}
	return "type union { " + rowsLike("PORT") + " " + enumeration(words) + " }"
}

// yang is the type of a field.
func (f *Field) yang(r Release) string {
	switch f.Kind {
	case Whole:
		if f.Lo == 0 && f.Hi == 0 {
			return "type int64 { range 0..max; }"
		}
		return fmt.Sprintf("type int64 { range %d..%d; }", f.Lo, f.Hi)
	case Words:
		return enumeration(f.Words)
	case Bool:
		return enumeration([]string{"true", "false"})
	case Digits:
		if r < f.EmptySince {
			return "type string { pattern '[0-7](,[0-7])*'; }"
		}
		return "type string { pattern '([0-7](,[0-7])*)?'; }"
	case Metres:
		return "type string { pattern '[0-9]{1,7}m'; }"
	case Ref:
		if TableOf(f.Words[0]) != nil {
			return rowsLike(f.Words[0])
		}
	case Profile:
		return "type union { " + rowsLike("BUFFER_PROFILE") + " " + enumeration([]string{"NULL"}) + " }"
	case Free, RefList:
	}
	return "type string;"
}

// must is what models ask of a field beside others.
func (f *Field) must(t *Table) string {
	switch {
	case t.Name == "WRED_PROFILE" && strings.HasSuffix(f.Name, "_max_threshold"):
		return fmt.Sprintf(" must \"../c:%[1]s and number(.) >= number(../c:%[1]s)\";", strings.Replace(f.Name, "_max_", "_min_", 1))
	case t.Name == "PFC_WD" && strings.HasSuffix(f.Name, "_time"):
		return " must \"not(../../c:row[c:name='GLOBAL']/c:POLL_INTERVAL) or number(.) >= number(../../c:row[c:name='GLOBAL']/c:POLL_INTERVAL)\";"
	case t.Name == "PFC_WD" && f.Name == "POLL_INTERVAL":
		return " must \"../c:name = 'GLOBAL'\";"
	case t.Name == "PFC_WD":
		return " must \"../c:name != 'GLOBAL'\";"
	}
	return ""
}

// Instance spells the tables of a configuration as JSON that [YANG] describes. Tables of others, and rocec's own members, are left out.
func (c *Config) Instance() []byte {
	tables := map[string]any{}
	for i := range Tables {
		t := &Tables[i]
		var rows []any
		for _, key := range c.Keys(t.Name) {
			row := map[string]any{}
			parts := strings.SplitN(key, "|", len(t.keys()))
			for n, name := range t.keys() {
				row[name] = ""
				if n < len(parts) {
					row[name] = parts[n]
				}
			}
			var fields []any
			for _, name := range c.Row(t.Name, key).Names() {
				text := c.Get(t.Name, key, name)
				if t.nested() {
					fields = append(fields, map[string]any{"from": name, "to": text})
				} else {
					row[name] = text
				}
			}
			if fields != nil {
				row["field"] = fields
			}
			rows = append(rows, row)
		}
		if rows != nil {
			tables[t.Name] = map[string]any{"row": rows}
		}
	}
	out, err := json.MarshalIndent(map[string]any{Module + ":config": tables}, "", "  ")
	if err != nil {
		panic(err) // of maps and text
	}
	return slices.Concat(out, []byte("\n"))
}
