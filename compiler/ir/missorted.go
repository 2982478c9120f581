package ir

import "iter"

// Missorted is a value of a cos group that a port sorts into another cos than the fabric wants.
type Missorted struct {
	Group     *CosGroup
	Field     string // "DSCP" or "PCP"
	Value     int
	Untrusted bool // the port does not trust the field
	Is, Want  int8 // cos; -1: unknown
}

// Missorts yields the values of cos groups that a port sorts into another cos than wanted, or into an unknown cos. It skips fields that the
// port should not trust. The trusted fields must be known in both settings.
func (f *Fabric) Missorts(is, meant *PortSettings) iter.Seq[Missorted] {
	return func(yield func(Missorted) bool) {
		for _, g := range f.CosGroups {
			for _, m := range []struct {
				field       string
				meant, is   bool
				claims      []Claim
				to, meantTo []int8
			}{
				{"DSCP", meant.Trust.DSCP, is.Trust.DSCP, g.DSCP, is.DSCP[:], meant.DSCP[:]},
				{"PCP", meant.Trust.PCP, is.Trust.PCP, g.PCP, is.PCP[:], meant.PCP[:]},
			} {
				for _, c := range m.claims {
					one := Missorted{Group: g, Field: m.field, Value: c.Value, Untrusted: !m.is, Is: m.to[c.Value], Want: m.meantTo[c.Value]}
					if m.meant && (one.Untrusted || one.Is != one.Want) && !yield(one) {
						return
					}
				}
			}
		}
	}
}
