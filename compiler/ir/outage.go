package ir

import "time"

// Outage is the time during which a device passes no traffic while a change takes effect. The zero Outage belongs to a hitless change.
type Outage struct{ Least, Most time.Duration }

// Hitless reports whether traffic is not affected.
func (o Outage) Hitless() bool { return o == Outage{} }

// Longer returns the outage of both changes at the same time.
func (o Outage) Longer(other Outage) Outage {
	return Outage{max(o.Least, other.Least), max(o.Most, other.Most)}
}
