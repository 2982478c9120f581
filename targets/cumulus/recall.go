package cumulus

import (
	"strings"

	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/target"
)

// The names of the checkers, see [target.Target.Recall].
const (
	checkTraffic  = "cumulus check-traffic"
	checkFeatures = "cumulus check-features"
	checkInfra    = "cumulus check-infra"
)

// recall returns a step or a checker by its name. The names have no arguments.
func recall(words []string, _ commands.Kept) (*target.Made, error) {
	name := "cumulus " + strings.Join(words, " ")
	for _, s := range []target.Step{restart, reload, reloadUnit} {
		if s.Name == name {
			return &target.Made{Step: &s}, nil
		}
	}
	switch name {
	case checkTraffic:
		return &target.Made{Check: precheck}, nil
	case checkFeatures:
		return &target.Made{Check: precheckFeatures}, nil
	case checkInfra:
		return &target.Made{Check: precheckInfra}, nil
	}
	return nil, &commands.Unknown{Name: name}
}
