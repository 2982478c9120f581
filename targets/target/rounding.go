package target

import "github.com/rocec/rocec/compiler/ir"

// Rounding is a field that a target writes in another form than the wanted one ([ir.Device.Wanted]). A target writes all other wanted
// fields exactly, and does not change unwanted fields. A chip may round by itself: Spectrum rounds thresholds up to a step.
type Rounding struct {
	Field ir.Field
	How   Rounded
	Why   string
	On    func(*ir.Port) bool // nil: at every port
}

// Rounded is the form in which a value is written.
type Rounded uint8

// The forms.
const (
	Up      Rounded = iota // the next possible value
	Derived                // the system derives it from other values, or states it in another unit
	Unsaid                 // the target cannot write it: the device keeps its value
	Stays                  // the device may keep more than wanted, if that does no harm
	Trusted                // written only if the port trusts the header field
)
