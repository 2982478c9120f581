package ir

// Trip is traffic from one member of an intent to another.
type Trip struct {
	Group    *CosGroup // the group it is sent in; nil: none, so it never changes on the way
	Bridged  bool      // its frames do not pass an IP hop
	From, To []*Port   // the ports of a NIC, or of a bond that uses several at once
}

// Ways is where the traffic of a trip may go in one state of the fabric: a graph of stops. Ways that have stops in
// common share them, so the graph is no larger than the fabric, however many ways there are.
type Ways struct {
	Stops []Stop  // nearest to the sender first; the first is the sender
	Every bool    // the routing allows every path, and Stops are those of the shortest
	Mixed Mixture // as Turns.Mixed, of the stops
	Sure  bool    // the sender reaches the receiver, whatever Mixed is about; Stop.Left is whether it may

	// Remote: any failure may part the two, also that of a link that no stop leads over, or beside which there is another way.
	// Routers refuse paths by their AS numbers, and a failure makes a router pass on another path. Unset where links are down.
	Remote bool
}

// Stop is traffic that has come into a device by one port, in one group.
type Stop struct {
	Device *Device
	In     *Port     // nil: the sender
	Group  *CosGroup // the group it comes in
	Far    int       // the fewest cables from the sender
	Left   int       // the fewest cables to the receiver; -1: it does not get there from here
	Next   []Leg     // by port; empty at the receiver, and where the routing has no next hop
}

// Leg is a cable that traffic takes from a stop.
type Leg struct {
	Out   *Port
	Group *CosGroup // the group it is in on the cable
	Stop  int       // index of the stop at the other end
}
