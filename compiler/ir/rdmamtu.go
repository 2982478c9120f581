package ir

// The largest headers of an RDMA packet, and its largest payload. Source: Linux, ib_addr.h, iboe_get_mtu.
const (
	RDMAHeaders = 96
	LargestRDMA = 4096
)

// RDMAMTU returns the largest payload of RDMA packets on an interface with the given MTU; 0: none fits.
func RDMAMTU(mtu int) int {
	for size := LargestRDMA; size >= 256; size /= 2 {
		if mtu >= size+RDMAHeaders {
			return size
		}
	}
	return 0
}
