package ir

import "github.com/rocec/rocec/lang/diag"

// Table is the next hops of a running fabric, read from a file: routing = "table".
type Table struct {
	At      diag.Range // the attribute that names the file
	File    string     // as diagnostics name it
	Targets []*Target  // in the order of each target's first NIC

	// Row returns the place where the file names a device, or no place if the file does not name it. It is a function because counting the
	// lines of a large file takes time, and few callers need them.
	Row func(*Device) diag.Range

	// Hops contains, by Device.ID and index in Targets, the entry of a device for a target. Devices that the file does not name, and hosts
	// that do not forward, have a nil row.
	Hops [][]Entry

	// Ports contains, by Device.ID, the sets of next-hop ports of the device that Hops refers to. A set may be empty: the route leaves the
	// fabric, or drops.
	Ports [][][]*Port
}

// Target is a destination of a table: NICs that are attached to the same devices, and for which every device of the table has the same
// entries. A NIC with several addresses may belong to several targets.
type Target struct{ NICs []*NIC }

// Entry is a device's entry for a target; 0: it has no entry.
type Entry int32

// NewEntry returns an entry for the port set with this index in Table.Ports. With exact, the entry names the target itself (its host,
// interface or address), not a prefix or a switch that covers it.
func NewEntry(set int, exact bool) Entry {
	h := Entry(set+1) << 1
	if exact {
		h |= 1
	}
	return h
}

// Leaves returns the ports by which traffic to a target leaves a device, and whether the device has an entry for it. If the target is
// attached to the device (attached), the device delivers the traffic itself. Only an exact entry sends it elsewhere.
func (t *Table) Leaves(d *Device, target int, attached bool) (ports []*Port, ok bool) {
	row := t.Hops[d.ID]
	if row == nil || row[target] == 0 {
		return nil, attached
	}
	h := row[target]
	ports = t.Ports[d.ID][h>>1-1]
	if attached && h&1 == 0 {
		return nil, true
	}
	return ports, true
}
