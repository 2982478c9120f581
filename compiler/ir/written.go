package ir

import "github.com/rocec/rocec/lang/diag"

// At returns the place of a written number, or of the first reason of a derived number; no place if it is not set.
func (n Num) At() diag.Range {
	if !n.Set() {
		return diag.Range{}
	}
	return n.From[0].At
}

// Sizes returns the sizes the person wrote for the group; none is set without a pfc block.
func (g *CosGroup) Sizes() PFCSizes {
	if g.PFC == nil {
		return PFCSizes{}
	}
	return *g.PFC
}
