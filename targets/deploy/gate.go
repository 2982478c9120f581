package deploy

// Gate is the program on a device that takes only signed runs (cmd/rocec-txn).
type Gate struct {
	Release  string   // of rocec
	Machines []string // SHA-256 fingerprints of the host keys of the device, as it reports them
}

// Machine returns the host key by which an order names the device: the one that the device proved, if its gate reports it. An old ssh does not
// report what a device proved.
func (g *Gate) Machine(proved string) string {
	if proved == "" && len(g.Machines) > 0 {
		return g.Machines[0]
	}
	return proved
}
