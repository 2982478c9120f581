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

// StepOf returns the step with these commands, and without the effects of a step on traffic.
func StepOf(c *commands.Step) Step {
	return Step{
		Name: c.Name, Cmd: c.Cmd, Stdin: c.Stdin, Undo: c.Undo, Back: c.Back, Loaded: c.Loaded, Keep: c.Keep, Units: c.Units, Timeout: c.Timeout,
	}
}
