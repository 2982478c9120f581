package targettest

// Until returns a property that checks cases with another property, until enough reports that no more are needed. A failed case is repeated
// as often as its shrinking needs.
func Until[T any](enough func() bool, one func(T)) func(T) {
	failing := false
	return func(t T) {
		if !failing && enough() {
			return
		}
		failing = true
		one(t)
		failing = false
	}
}
