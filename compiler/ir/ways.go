package ir

// Trip is traffic from one member of an intent to another.
type Trip struct {
	Group    *CosGroup // the group in which the traffic is sent; nil: none, so it never changes
	Bridged  bool      // its frames do not pass an IP hop
	From, To []*Port   // the ports of a NIC, or of a bond that uses several at once
}

// Ways contains the possible paths of a trip's traffic in one state of the fabric, as a graph of stops. Paths share their common stops, so
// the graph is never larger than the fabric.
type Ways struct {
	Stops []Stop  // sorted by distance from the sender; the first stop is the sender
	Every bool    // the routing allows every path, and Stops contains only the shortest
	Mixed Mixture // the mixture of the stops, as Turns.Mixed
	Sure  bool    // the sender reaches the receiver in every state of Mixed; otherwise Stop.Left tells whether it may

	// Remote: any failure may disconnect the two, even of a link that is on no path or has an alternative. The reason is that routers refuse
	// paths by AS numbers, and a failure makes a router pass on another path. Remote is false if links are down.
	Remote bool
}

// Stop is a device with the port and the group in which traffic has come in.
type Stop struct {
	Device *Device
	In     *Port     // nil: the sender
	Group  *CosGroup // the group in which traffic comes in
	Far    int       // the fewest cables from the sender
	Left   int       // the fewest cables to the receiver; -1: traffic does not reach the receiver from here
	Next   []Leg     // by port; empty at the receiver, or if the routing has no next hop
}

// Leg is a cable that traffic takes from a stop.
type Leg struct {
	Out   *Port
	Group *CosGroup // the group of the traffic on the cable
	Stop  int       // index of the stop at the other end
}
