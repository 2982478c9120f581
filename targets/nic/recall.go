package nic

import (
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/nic/steps"
	"github.com/rocec/rocec/targets/target"
)

// recall returns the step or the query with a name, see package steps.
func (f *Family) recall(words []string, _ commands.Kept) (*target.Made, error) {
	if q, err := f.Query(words); err == nil {
		return &target.Made{Query: q}, nil
	}
	c, err := f.Step(words)
	if err != nil {
		return nil, err
	}
	nics, _ := steps.Parse(words)
	s := f.applyStep
	switch words[0] {
	case "leave":
		s = f.leaveStep
	case "store":
		s = func(_ *commands.Step, nics []steps.NIC) target.Step { return f.Cards.Step(f, nics) }
	}
	made := s(c, nics)
	return &target.Made{Step: &made}, nil
}
