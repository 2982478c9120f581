package ir

import "github.com/rocec/rocec/lang/diag"

// At is the place of a number the person wrote, or the first reason's of a derived one; no place where it is not set.
func (n Num) At() diag.Range {
	if !n.Set() {
		return diag.Range{}
	}
	return n.From[0].At
}

// Sizes returns the sizes the person wrote for the group; none are set where there is no pfc block.
func (g *CosGroup) Sizes() PFCSizes {
	if g.PFC == nil {
		return PFCSizes{}
	}
	return *g.PFC
}
