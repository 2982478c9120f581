package grammar

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	cl "github.com/rocec/rocec/targets/cumulus/grammar"
)

// Schema is the table of a release as JSON Schema, for the tree below set: what stands below qos, and below qos of an interface, is
// held to it; whatever else the tree has is free. Numbers may be written as text, and values that no table judges are free.
func (g *Grammar) Schema() []byte {
	root := object(g.root, "")
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = fmt.Sprintf("qos of NVUE, Cumulus Linux %d.%d", g.release[0], g.release[1])
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(err) // of maps, slices and text
	}
	return append(out, '\n')
}

type schema = map[string]any

// object is what may stand at a level; free levels are those above qos.
func object(l *level, path string) schema {
	if l.row != nil {
		return l.row.schema()
	}
	s := schema{"type": "object"}
	props, patterns := schema{}, schema{}
	for _, key := range slices.Sorted(maps.Keys(l.kids)) {
		props[key] = object(l.kids[key], path+"."+key)
	}
	for _, w := range l.any {
		patterns[pattern(w.name)] = object(w.level, path+"."+w.name)
		if w.name == "<profile>" {
			s["propertyNames"] = schema{"not": schema{"enum": reserved}}
		}
	}
	if len(props) > 0 {
		s["properties"] = props
	}
	if len(patterns) > 0 {
		s["patternProperties"] = patterns
	}
	if strings.HasPrefix(path, ".qos") || strings.HasPrefix(path, ".interface.<interface>.qos") {
		s["additionalProperties"] = false
	}
	return s
}

// pattern is the regular expression of the keys that a wildcard stands for.
func pattern(wildcard string) string {
	if names := wildcards[wildcard]; names != nil {
		return "^(" + strings.Join(names, "|") + ")$"
	}
	switch wildcard {
	case "<n>":
		return "^[0-7]$"
	case "<dscp>":
		return "^([0-9]|[1-5][0-9]|6[0-3])$"
	case "<profile>":
		return profileName().String()
	case "<buffer>":
		return "^(.*-buffer|shared-headroom)$"
	}
	return "^.+$"
}

func (r *Row) schema() schema {
	about := schema{}
	if r.Default != "" {
		about["description"] = "default " + r.Default + "; " + r.Source
	} else {
		about["description"] = r.Source
	}
	switch r.Kind {
	case Words:
		about["enum"] = r.Words
	case OnOff:
		about["enum"] = []any{"on", "off", "enable", "disable", "enabled", "disabled"}
	case Int:
		about["type"] = "integer"
		about["minimum"], about["maximum"] = r.Lo, r.Hi
	case Set:
		about["type"] = "object"
		about["patternProperties"] = schema{"^[0-7]$": schema{"type": "object", "maxProperties": 0}}
		about["additionalProperties"] = false
	case Profile:
		about["type"] = "string"
		about["pattern"] = pattern("<profile>")
		about["not"] = schema{"enum": reserved}
	}
	return about
}

// Port is a front-panel port.
type Port = cl.Port

// ParsePort reads the name of a front-panel port: swp1, swp1s0.
func ParsePort(s string) (Port, bool) { return cl.ParsePort(s) }
