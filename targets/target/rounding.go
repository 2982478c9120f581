package target

import "github.com/rocec/rocec/compiler/ir"

// Rounding is a field that a target writes in another form than it is wanted ([ir.Device.Wanted]). A target writes all other fields as they
// are wanted, and leaves those as they are that are not wanted. A chip may round on its own: thresholds on Spectrum go up to a step.
type Rounding struct {
	Field ir.Field
	How   Rounded
	Why   string
	On    func(*ir.Port) bool // nil: on every port
}

// Rounded is the form in which a value is written.
type Rounded uint8

// The forms.
const (
	Up      Rounded = iota // the next value that there is
	Derived                // the system makes it of other values, or states it in another unit
	Unsaid                 // the target cannot write it: the device stays as it is
	Stays                  // the device keeps more than is wanted where that does no harm
	Trusted                // written where the port trusts the header field alone
)
