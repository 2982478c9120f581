package sim

// ConnectX3 contains the special features of a port with the driver mlx4_core, which has no DSCP map, no cable length and no congestion
// control. Its priorities follow PCP. Source: en_dcb_nl.c of the driver.
type ConnectX3 struct {
	V2       bool     // it also supports RoCEv2: the Pro variant
	Counters []string // the number of the port
}

// firmwareX3 is a version of the ConnectX-3.
const firmwareX3 = "2.42.5000"

// The types of GIDs, which are the versions of RDMA-CM.
const (
	v1 = "IB/RoCE v1"
	v2 = "RoCE v2"
)

// upTo returns the highest RoCE version of a port.
func (c *nic) upTo() string {
	if c.Generation != nil && !c.Generation.V2 {
		return v1
	}
	return v2
}

// reset sets a state to the driver's initial values.
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
