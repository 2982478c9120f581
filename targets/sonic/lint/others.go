package lint

import (
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/sonic/grammar"
)

// others checks the names of tables that rocec does not read. A name that is nearly the name of a table of QoS or buffers is a slip.
func (j *judge) others() {
	for _, name := range slices.Sorted(maps.Keys(j.cfg.Others)) {
		const longest = 64
		if len(name) > longest || slices.Contains(near, name) {
			continue
		}
		joined := joinedName(name)
		for i := range grammar.Tables {
			if t := &grammar.Tables[i]; isSlip(joined, joinedName(t.Name)) {
				j.warnf(&topicField, j.cfg.Others[name], "rocec knows no SONiC table %s, but SONiC has %s. If the name is a slip, the "+
					"table has no effect.", name, t.Name)
			}
		}
	}
}

// near are tables of SONiC whose names are one letter away from the name of another table.
var near = []string{"DSCP_TO_FC_MAP"}

// joinedName returns a name in lower case, without the separators between its words.
func joinedName(name string) string {
	for _, between := range []string{"_", "-", " "} {
		name = strings.ReplaceAll(name, between, "")
	}
	return strings.ToLower(name)
}

// isSlip reports whether two joined names are equal or differ in one letter.
func isSlip(a, b string) bool {
	if a == b {
		return true
	}
	const short = 6 // shorter names are near too many words
	if len(b) < short {
		return false
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	same := 0
	for same < len(b) && a[same] == b[same] {
		same++
	}
	switch len(a) - len(b) {
	case 0:
		return a[same+1:] == b[same+1:]
	case 1:
		return a[same+1:] == b[same:]
	}
	return false
}

// fieldNames lists the fields of a table in a release, without patterns that match many names.
func fieldNames(t *grammar.Table, r grammar.Release) (out []string) {
	for i := range t.Fields {
		if f := &t.Fields[i]; f.In(r) && !strings.HasPrefix(f.Name, "<") {
			out = append(out, f.Name)
		}
	}
	return out
}
