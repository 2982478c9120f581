package targettest

// Until returns a property that holds its cases to one, until enough reports that no more are needed. A case that fails is tried as often as
// its shrinking needs.
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
