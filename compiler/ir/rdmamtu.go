package ir

// What an RDMA packet adds to its payload at most, and the largest payload. Source: Linux, ib_addr.h, iboe_get_mtu.
const (
	RDMAHeaders = 96
	LargestRDMA = 4096
)

// RDMAMTU is the payload of RDMA packets on an interface of that MTU; 0 where none fits.
func RDMAMTU(mtu int) int {
	for size := LargestRDMA; size >= 256; size /= 2 {
		if mtu >= size+RDMAHeaders {
			return size
		}
	}
	return 0
}
