package targettest

import (
	"fmt"

	"github.com/rocec/rocec/targets/target"
)

// Sim returns the simulated part of type S of a device. It panics when the device has no such part.
func Sim[S target.Sim](sims []target.Sim) S {
	for _, s := range sims {
		if s, ok := s.(S); ok {
			return s
		}
	}
	panic(fmt.Sprintf("the device has no %T", *new(S)))
}
