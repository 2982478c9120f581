package target

import "github.com/rocec/rocec/lang/diag"

// Watch is something of a device that is read and judged with it, and never written: what a fabric takes for granted of it.
type Watch struct {
	Name  string
	Query Query

	// Judge says at lines of the fabric what an answer means for it, and what the device says of itself. failed is why there is no
	// answer, in a part of a sentence; empty: there is one. Texts do not name the device, so that alike devices are told of once. It
	// never fails, whatever the bytes.
	Judge func(answer []byte, failed string) (diag.List, []Fact)
}

// Fact is what a device says of itself.
type Fact struct{ Name, Value string }
