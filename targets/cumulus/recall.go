package cumulus

import (
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/cumulus/steps"
	"github.com/rocec/rocec/targets/target"
)

// recall returns a step or a checker by its name.
func recall(words []string, _ commands.Kept) (*target.Made, error) {
	made, err := steps.Recall(words, nil)
	if err != nil {
		return nil, err
	}
	for _, s := range []target.Step{restart, reload, reloadUnit} {
		if s.Name == made.Name() {
			return &target.Made{Step: &s}, nil
		}
	}
	return &target.Made{Check: made.Check}, nil
}
