package ir

import "time"

// Outage is how long a device passes no traffic while a change is put to use; the zero Outage is that of a hitless change.
type Outage struct{ Least, Most time.Duration }

// Hitless reports whether traffic notices nothing.
func (o Outage) Hitless() bool { return o == Outage{} }

// Longer is the outage of both at the same time.
func (o Outage) Longer(other Outage) Outage {
	return Outage{max(o.Least, other.Least), max(o.Most, other.Most)}
}
