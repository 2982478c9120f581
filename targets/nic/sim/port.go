package sim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rocec/rocec/targets/target"
)

// Port is one port of a simulated NIC. It accepts settings as its driver does.
type Port struct {
	NIC
	Settings
	m target.Machine
}

// Settings are the settings of a port that a reboot of the host resets.
type Settings struct {
	PFC   [8]bool
	Delay int // metres of cable, from PFC's delay
	Flaps int // how often a setting bounced the link
	ETS
	DCBX     int
	Apps     []App   // the kernel's APP table, sorted
	DSCPPrio [64]int // the map in the card
	PrioBuf  [8]int
	BufSize  [8]int

	Mode  string // of RDMA-CM
	TOS   int
	RoCE  bool
	Class int            // the traffic class that the driver puts into all packets; -1: none
	Own   map[string]int // values of the driver alone, by name
}

// Valid implements [target.State].
func (s *Settings) Valid() bool {
	ok := s.Delay >= 0 && s.Delay <= 65535 && s.TOS >= 0 && s.TOS <= 255 && s.Class >= -1 && s.Class <= 255 && s.Own != nil &&
		len(s.Own) < 100 && len(s.Apps) < 1000
	below := func(v, top int) { ok = ok && v >= 0 && v < top }
	for i := range 8 {
		below(s.TCOf[i], 8)
		below(s.PrioBuf[i], 8)
		below(s.BW[i], 101)
		below(s.BufSize[i], 1<<30)
		ok = ok && slices.Contains([]string{"vendor", "strict", "ets"}, s.TSA[i])
	}
	for _, a := range s.Apps {
		below(a.Selector-SelEther, SelDSCP)
		below(a.Protocol, 1<<16)
		below(a.Priority, 8)
		ok = ok && (a.Selector != SelDSCP || a.Protocol < 64)
	}
	for _, prio := range s.DSCPPrio {
		below(prio, 8)
	}
	return ok && slices.IsSortedFunc(s.Apps, App.compare)
}

// reset sets a port to the driver's initial values.
func (c *Port) reset() {
	c.Settings = Settings{Mode: V2, RoCE: true, Class: -1, Own: map[string]int{}}
	for i := range c.TSA {
		c.TSA[i] = "strict"
	}
	if c.Driver.V1 {
		c.Mode = V1
	}
	if c.Driver.Reset != nil {
		c.Driver.Reset(&c.Settings)
	}
}

// Now returns the present interface.
func (c *Port) Now() target.Netdev {
	n, _ := c.m.Netdev(c.Name)
	return n
}

// counter returns the value of a counter of the interface.
func (c *Port) counter(name string) int { return int(c.m.Counter(c.Name, name)) }

// count adds to a counter of a priority, if the driver has it.
func (c *Port) count(pattern string, prio int, by uint64) {
	if pattern != "" {
		c.m.Count(c.Name, fmt.Sprintf(pattern, prio), by)
	}
}

// Trust returns the trusted field: dscp or pcp.
func (c *Port) Trust() string {
	if c.Driver.TrustsDSCP != nil && c.Driver.TrustsDSCP(c) {
		return "dscp"
	}
	return "pcp"
}

// upTo returns the highest RoCE version of a port.
func (c *Port) upTo() string {
	if c.Driver.V1 {
		return V1
	}
	return V2
}

// SetPFC changes PFC and its delay. Without the operation the kernel ignores the request.
func (c *Port) SetPFC(mask [8]bool, delay int) error {
	if c.Driver.SetPFC == nil {
		return nil
	}
	return c.Driver.SetPFC(c, mask, delay)
}

// SetETS changes the scheduling. Without the operation the kernel ignores the request.
func (c *Port) SetETS(e ETS) error {
	if c.Driver.SetETS == nil {
		return nil
	}
	return c.Driver.SetETS(c, e)
}

// AddApp adds an entry to the APP table. Without the operation only the kernel's table gets it.
func (c *Port) AddApp(a App) error {
	if c.Driver.AddApp == nil {
		return c.Insert(a)
	}
	return c.Driver.AddApp(c, a)
}

// DelApp deletes an entry of the APP table. Without the operation only the kernel's table loses it.
func (c *Port) DelApp(a App) error {
	if c.Driver.DelApp == nil {
		return c.Remove(a)
	}
	return c.Driver.DelApp(c, a)
}

// SetDCBX changes the mode of DCBX, and reports whether the driver accepts it. Without the operation the kernel refuses the request.
func (c *Port) SetDCBX(mode int) (bool, error) {
	if c.Driver.SetDCBX == nil {
		return false, target.EOPNOTSUPP
	}
	return c.Driver.SetDCBX(c, mode), nil
}

// SetBuffers changes the receive buffers. Without the operation dcb finds no such object.
func (c *Port) SetBuffers(prioBuf, size [8]int) error {
	if c.Driver.SetBuffers == nil {
		return target.EOPNOTSUPP
	}
	return c.Driver.SetBuffers(c, prioBuf, size)
}

// Insert adds an entry to the kernel's table, as dcb_ieee_setapp does: an entry that is in it already is refused, another priority of the
// same protocol is not.
func (c *Port) Insert(a App) error {
	at, found := slices.BinarySearchFunc(c.Apps, a, App.compare)
	if found {
		return target.EEXIST
	}
	c.Apps = slices.Insert(c.Apps, at, a)
	return nil
}

// Remove deletes an entry of the kernel's table, as dcb_ieee_delapp does.
func (c *Port) Remove(a App) error {
	at, found := slices.BinarySearchFunc(c.Apps, a, App.compare)
	if !found {
		return target.ENOENT
	}
	c.Apps = slices.Delete(c.Apps, at, at+1)
	return nil
}

// Maps returns the entries of the kernel's table that map a DSCP to a priority.
func (c *Port) Maps() []App {
	return slices.DeleteFunc(slices.Clone(c.Apps), func(a App) bool { return a.Selector != SelDSCP })
}

// compare orders entries as dcb prints them.
func (a App) compare(b App) int {
	return cmp.Or(a.Selector-b.Selector, a.Protocol-b.Protocol, a.Priority-b.Priority)
}
