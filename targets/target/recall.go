package target

import "github.com/rocec/rocec/targets/commands"

// Made is a step, a query or a checker that a target makes again from a name: exactly one of its members is set.
type Made struct {
	Step  *Step
	Query *Query
	Check string
}

// Name returns the name of a step or a query; empty: it is a checker, or has no name.
func (m *Made) Name() string {
	switch {
	case m.Step != nil:
		return m.Step.Name
	case m.Query != nil:
		return m.Query.Name
	}
	return ""
}

// Commands returns what was made, without the effects of a step on traffic.
func (m *Made) Commands() *commands.Made {
	out := &commands.Made{Query: m.Query, Check: m.Check}
	if m.Step != nil {
		out.Step = m.Step.Commands()
	}
	return out
}
