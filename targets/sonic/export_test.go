package sonic

import "github.com/rocec/rocec/targets/sonic/grammar"

// Sequence is what a change of the switch from one state to another does.
func (w *Wish) Sequence(before, after []byte) ([]grammar.Step, []grammar.Refused, error) {
	return sequence(w.device.Switch.Version, string(w.device.Switch.Model.ASIC.Vendor), before, after)
}
