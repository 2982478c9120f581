package validate

import (
	"github.com/rocec/rocec/lang/diag"
)

// someOf lists the first of names and counts the rest.
func someOf(names []string) string {
	return diag.Some(names, 4)
}
