package sonic

import "github.com/rocec/rocec/targets/sonic/grammar"

// Sequence returns the steps that change the switch from one state to another.
func (w *Wish) Sequence(before, after []byte) ([]grammar.Stage, []grammar.Refused, error) {
	return sequence(w.device.Switch.Version, string(w.device.Switch.Model.ASIC.Vendor), before, after)
}
