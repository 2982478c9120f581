package commands

// Made is a step, a query or a checker that is made from its name: exactly one of its members is set.
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

// Refusal is the reason why an input from outside is refused, or a part of the reason.
type Refusal string

// Error returns the text of the reason.
func (r Refusal) Error() string { return string(r) }

// The answers of a device about the content in use, which its scripts print.
const (
	Loaded      = "loaded"                       // the device uses the content of its files
	NotReadable = "not readable on this release" // the device has no file that shows the content in use
	Adjusted    = "; adjusted: "                 // before the settings that the device has replaced
)
