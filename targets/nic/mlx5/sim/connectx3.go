package sim

// ConnectX3 holds the differences of a port whose driver is mlx4_core: it has no DSCP map, no cable length and no congestion control,
// and its priorities follow PCP. Source: en_dcb_nl.c of the driver.
type ConnectX3 struct {
	V2       bool     // it speaks RoCEv2, too: the Pro
	Counters []string // of the port
}

// firmwareX3 is a version of the ConnectX-3.
const firmwareX3 = "2.42.5000"

// The types of GIDs, which are the versions of RDMA-CM.
const (
	v1 = "IB/RoCE v1"
	v2 = "RoCE v2"
)

// upTo is the highest version a port speaks.
func (c *nic) upTo() string {
	if c.Generation != nil && !c.Generation.V2 {
		return v1
	}
	return v2
}

// reset puts into a state how the driver brings a port up.
func (x *ConnectX3) reset(s *state) {
	s.Delay, s.DCBX = 0, dcbxHost|dcbxIEEE
	s.TCOf, s.BW = [8]int{}, [8]int{}
	for i := range s.TSA {
		s.TSA[i] = "strict"
	}
	if !x.V2 {
		s.Mode = v1
	}
}
