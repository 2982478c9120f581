package deploy

// Wait is the reason why a plan does not change a device.
type Wait struct {
	Why  string // constant words
	More string // continuation of Why with facts about this device; may be empty
}

// String returns the whole reason; empty: the device does not wait.
func (w Wait) String() string { return w.Why + w.More }

// The values of [Wait.Why], except the one for maintenance.
const (
	WrittenByOthers = "written by others" // [Plan.Others]
	cannotBeAsked   = "cannot be asked whether it still holds settings of rocec"
)
