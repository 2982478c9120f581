package compiler

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
)

// byHand resolves by_hand blocks. The devices of a group share one result.
type byHand map[*lang.ByHand]*ir.ByHand

func (m byHand) of(b *lang.ByHand) *ir.ByHand {
	if b == nil {
		return nil
	}
	if h := m[b]; h != nil {
		return h
	}
	h := &ir.ByHand{
		At: b.Decl, FlowControl: ir.FlowControl(b.FlowControl.V), FlowControlAt: b.FlowControl.At,
		DSCP: mapped(b.DSCP), PCP: mapped(b.PCP), ECN: b.ECN.Or(true), ECNAt: b.ECN.At,
		Firmware: b.DCBX.V == "firmware", FirmwareAt: b.DCBX.At, DCQCN: b.DCQCN.Or(true), DCQCNAt: b.DCQCN.At, TrustAt: b.Trust.At,
		System: b.System.V, SystemAt: b.System.At, Confirmed: b.Confirmed.V,
	}
	if b.PFCSet {
		h.PFC = append([]ir.Claim{}, claims(b.PFC)...)
		h.PFCAt = b.Decl
		if len(b.PFC) > 0 {
			h.PFCAt = b.PFC[0].At
		}
	}
	if b.Trust.Set() {
		h.Trust = &ir.Trust{PCP: b.Trust.V != "dscp", DSCP: b.Trust.V != "pcp"}
	}
	m[b] = h
	return h
}

func mapped(all []lang.Mapped) map[int]ir.Claim {
	out := make(map[int]ir.Claim, len(all))
	for _, e := range all {
		out[e.From] = ir.Claim{Value: e.To.V, At: e.To.At}
	}
	return out
}
