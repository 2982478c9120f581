package settings

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// crossing is a DSCP value that the two ends of a cable put into two classes.
type crossing struct {
	of, other       *Reading
	port, otherPort string
	cos, otherCos   int8
	dscp            int
}

// turned returns the crossing with its ends exchanged.
func (c *crossing) turned() crossing {
	return crossing{of: c.other, port: c.otherPort, cos: c.otherCos, dscp: c.dscp, other: c.of, otherPort: c.port, otherCos: c.cos}
}

// mapping is the class of a DSCP value on a device.
type mapping struct {
	of   *Reading
	dscp int
	cos  int8
}

func (c *crossing) mapping() mapping { return mapping{c.of, c.dscp, c.cos} }

// crossings has the crossings of all cables.
type crossings []crossing

func (all *crossings) add(c crossing) { *all = append(*all, c) }

// report reports the crossings, each at the end that contradicts more cables, because one wrong map contradicts each of its neighbours.
// Equal contradictions of a device at several cables are one finding, and so are the DSCP values of these cables.
func (all crossings) report(to Sink) {
	type way struct {
		mapping
		otherCos int8
	}
	type group struct {
		first crossing
		ports []string
		same  bool // all cables lead to the same device
	}
	contradicts := map[mapping]int{}
	for _, c := range all {
		other := c.turned()
		contradicts[c.mapping()]++
		contradicts[other.mapping()]++
	}
	by := map[way]*group{}
	var groups []*group
	for _, c := range all {
		if other := c.turned(); contradicts[other.mapping()] > contradicts[c.mapping()] {
			c = other
		}
		k := way{c.mapping(), c.otherCos}
		g := by[k]
		if g == nil {
			g = &group{first: c, same: true}
			by[k], groups = g, append(groups, g)
		}
		g.same = g.same && c.other == g.first.other
		g.ports = append(g.ports, fmt.Sprintf("%s:%s to %s:%s", c.of.short(), c.port, c.other.short(), c.otherPort))
	}
	values := map[string][]int{}
	at := map[string]*group{}
	var order []string
	for _, g := range groups {
		c := &g.first
		k := fmt.Sprintf("%s %d %d %s", c.of.Name, c.cos, c.otherCos, strings.Join(g.ports, " "))
		if at[k] == nil {
			at[k], order = g, append(order, k)
		}
		values[k] = append(values[k], c.dscp)
	}
	for _, k := range order {
		if to.Omit(&SwitchesDisagree.Topic) {
			continue
		}
		g := at[k]
		c := &g.first
		ends := "the other ends"
		if g.same {
			ends = c.other.short()
		}
		where := spot{of: c.of, at: place{c.port, ir.FieldDSCP, c.dscp}}
		to.Report(diag.Warning, &SwitchesDisagree.Topic, where.where(), "%s", diag.Escape(fmt.Sprintf("On %s, DSCP %s %s in cos %d at %s and in "+
			"cos %d at %s: a pause for one class does not stop the other. Let both maps agree.", diag.Some(g.ports, mostCamps),
			ranges(values[k]), diag.Plural(len(values[k]), "is", "are"), c.cos, c.of.short(), c.otherCos, ends)))
	}
}
