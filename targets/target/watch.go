package target

import "github.com/rocec/rocec/lang/diag"

// Watch is a value of a device that the fabric assumes. rocec reads and judges it with the device, and never writes it.
type Watch struct {
	Name  string
	Query Query

	// Judge returns the meaning of an answer for the fabric, at the fabric's lines, and the facts that the device states about itself. failed
	// is the reason why there is no answer, as part of a sentence; empty: there is an answer. Texts do not name the device, so that similar
	// devices share one text. It never fails for any bytes.
	Judge func(answer []byte, failed string) (diag.List, []Fact)
}

// Fact is a statement of a device about itself.
type Fact struct{ Name, Value string }
