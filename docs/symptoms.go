package docs

import (
	"maps"
	"slices"
)

// Symptom is something that an operator sees, with the codes whose pages name it.
type Symptom struct {
	Seen  string
	Codes []string
}

// Symptoms lists the symptoms that pages of codes name, sorted.
func Symptoms() []Symptom {
	codes := map[string][]string{}
	for _, p := range Pages() {
		for _, s := range p.Symptoms {
			codes[s] = append(codes[s], p.Code)
		}
	}
	var out []Symptom
	for _, s := range slices.Sorted(maps.Keys(codes)) {
		out = append(out, Symptom{s, codes[s]})
	}
	return out
}
