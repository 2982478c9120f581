package sim

import "github.com/rocec/rocec/targets/target"

// Driver is the behaviour of a driver: its names, its limits and its operations of DCB. The operations follow dcbnl_rtnl_ops of the kernel.
// An operation that is nil is missing in the driver, and the kernel then acts alone (net/dcb/dcbnl.c).
type Driver struct {
	Firmware string
	Board    [2]string // hca_type and board_id of the RDMA device
	Counters []string  // of the interface
	RDMA     Counters

	Classes  int  // ets_cap; 0: 8
	Lossless int  // pfc_cap; 0: 8
	Buffer   int  // bytes of the receive buffer, for the buffer object
	V1       bool // its RDMA devices support only RoCEv1

	Names Names

	// Reset sets the driver's initial values. The value before it is that of the kernel: no PFC, strict priority, class 0, empty tables.
	Reset func(*Settings)

	// TrustsDSCP reports whether the port derives the priority of a packet from its DSCP. Nil: it never does.
	TrustsDSCP func(*Port) bool

	SetPFC     func(p *Port, mask [8]bool, delay int) error
	SetETS     func(p *Port, e ETS) error
	AddApp     func(*Port, App) error
	DelApp     func(*Port, App) error
	SetDCBX    func(p *Port, mode int) bool
	SetBuffers func(p *Port, prioBuf, size [8]int) error

	// Plant adds the files of the driver for a port. Nil: only the files of the kernel exist.
	Plant func(target.Machine, *Port)
}

// Counters are the names of the counters of an RDMA device, in the folders hw_counters and counters of its port.
type Counters struct{ HW, Port []string }

// Names are the names of counters with a part in the simulation. Names for priorities contain %d. An empty name is not counted.
type Names struct {
	RxPackets, TxPackets string // by priority
	RxPause, TxPause     string // by priority

	Marked, CNPSent, CNPHandled string // of the RDMA device
}

// ETS contains the scheduling by traffic class, and the class of each priority.
type ETS struct {
	TSA      [8]string // strict, cbs, ets or vendor
	BW, TCOf [8]int
}

// App is one row of the APP table of the kernel.
type App struct{ Selector, Protocol, Priority int }

// The selectors of an [App], from linux/dcbnl.h.
const (
	SelEther  = 1
	SelStream = 2
	SelDgram  = 3
	SelAny    = 4
	SelDSCP   = 5
)

// The bits of DCBX, from linux/dcbnl.h.
const (
	DCBXHost   = 1
	DCBXLLD    = 2
	DCBXCEE    = 4
	DCBXIEEE   = 8
	DCBXStatic = 16
)

// The types of GIDs, which are the versions of RDMA-CM.
const (
	V1 = "IB/RoCE v1"
	V2 = "RoCE v2"
)
