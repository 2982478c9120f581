package deploy

// Wait is why a device of a plan stays as it is.
type Wait struct {
	Why  string // constant words
	More string // goes on from Why with facts about this device; may be empty
}

// String returns the whole reason; empty: the device does not wait.
func (w Wait) String() string { return w.Why + w.More }

// The words of [Wait.Why] beside those of maintenance.
const (
	WrittenByOthers = "written by others" // [Plan.Others]
	cannotBeAsked   = "cannot be asked whether it still holds settings of rocec"
)
