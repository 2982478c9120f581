package deploy

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// tolerance is the percentage of the headroom that may be missing on a sound device that rocec has not written. Vendors include other
// delays than rocec, and round.
const tolerance = 5

// short describes a headroom of a port that is below the wanted value by more than the tolerance. If the switch computes the headroom,
// short compares the cable length instead.
func short(is, meant *ir.PortSettings) string {
	if is.Headroom > 0 && meant.Headroom > 0 {
		if is.Headroom*100 < meant.Headroom*(100-tolerance) {
			return fmt.Sprintf("headroom is %s, and not %s", diag.Bytes(is.Headroom), diag.Bytes(meant.Headroom))
		}
		return ""
	}
	have, need := is.Detail.Get().Cable, meant.Detail.Get().Cable
	switch {
	case !have.Known():
		return "the headroom is not known"
	case need.Known() && have.Value < need.Value:
		return fmt.Sprintf("headroom is for a cable of %d m, and not of %d m", have.Value, need.Value)
	}
	return ""
}

// shorter reports whether the headroom of a port is unknown, or below the wanted value by more than the tolerance.
func shorter(p *ir.Port, s, wanted *ir.Settings) bool {
	is, meant := s.Port(p.Name), wanted.Port(p.Name)
	return is != nil && meant != nil && len(p.Buffers()) > 0 && short(is, meant) != ""
}
