package device

import (
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
	"github.com/rocec/rocec/targets/target"
)

// GoBack returns the step that puts the content from before a kept run to use again, see [scripts.GoBack]. It has the effects of the step
// on traffic.
func GoBack(s target.Step, states map[string][]byte, queries map[string]*target.Query) target.Step {
	return goingBack(s, scripts.GoBack(s.Commands(), states, queries))
}

// goingBack returns the step with the commands that go back.
func goingBack(s target.Step, back *commands.Step) target.Step {
	s.Name, s.Cmd, s.Loaded = back.Name, back.Cmd, back.Loaded
	return s
}

// Recall makes a step of GoBack again from its name; the function of recalls the step inside the name. For any name, the result is such a
// step or an error.
func Recall(name string, of func(name string, kept commands.Kept) (*target.Made, error), kept commands.Kept) (*target.Made, error) {
	var last *target.Made // the step is recalled after the queries
	back, err := scripts.Recall(name, func(name string) (*commands.Made, error) {
		made, err := of(name, kept)
		if err != nil {
			return nil, err
		}
		last = made
		return made.Commands(), nil
	}, kept)
	if err != nil {
		return nil, err
	}
	s := goingBack(*last.Step, back.Step)
	return &target.Made{Step: &s}, nil
}
