package sim

import (
	"fmt"
	"net/netip"
	"strconv"

	"github.com/rocec/rocec/targets/target"
)

// writeBW simulates ib_write_bw of perftest: with an address it sends, without one it receives. Simulated devices have no wire between
// them, so each end counts the packets from its own arguments and settings. The driver's override or the arguments determine the marks,
// and the trusted field determines the priority. The lab reports whether the last switch marks the packets.
func (s *NICs) writeBW(p *target.Proc) int {
	set, peer, complaint := target.Getopt(p.Args[1:], "d:i:x:p:n:s:S:T:F", map[string]byte{"tclass": 'T', "sl": 'S'})
	if complaint != "" {
		return p.Fail(1, " Invalid Command line. Please check command rerun")
	}
	number := func(option byte, usual int) int {
		if len(set[option]) == 0 {
			return usual
		}
		n, err := strconv.Atoi(set[option][0])
		if err != nil || n < 0 {
			return -1
		}
		return n
	}
	var c *Port
	if len(set['d']) > 0 {
		c = s.owner(set['d'][0])
	}
	slot, count, size, class, sl := number('x', 0), number('n', 1000), number('s', 65536), number('T', 0), number('S', 0)
	switch {
	case c == nil:
		return p.Fail(1, " Did not detect devices \n If device exists, check if driver is up")
	case slot < 0 || slot/2 >= len(c.gids()) || !c.RoCE:
		return p.Fail(1, "Failed to read GID index %d", slot)
	case count <= 0 || count > 1<<20 || size <= 0 || size > 1<<20 || class < 0 || class > 255 || sl < 0 || sl > 7:
		return p.Fail(1, " Invalid Command line. Please check command rerun")
	case c.Now().Down:
		return p.Fail(1, " Port number 1 state is Down")
	}
	gid, v2 := c.gids()[slot/2], slot%2 == 1 && c.upTo() == V2
	if c.Class >= 0 {
		class = c.Class
	}
	prio := 0
	switch _, tagged := c.VLANs[gid.netdev]; {
	case c.Trust() == "dscp" && v2:
		prio = c.DSCPPrio[class>>2]
	case tagged:
		prio = sl
	}
	names := c.Driver.Names
	dir, ofPrio := "rx", names.RxPackets
	if len(peer) > 0 {
		dir, ofPrio = "tx", names.TxPackets
	}
	packets := uint64(count * ((size + 4095) / 4096))
	c.count(ofPrio, prio, packets)
	if to := server(peer); to.IsValid() {
		if n := c.m.Paused(c.Name, to, prio, packets); n > 0 {
			c.count(names.RxPause, prio, n)
		}
	}
	if p := server(peer); v2 && names.Marked != "" && c.m.Marked(c.Name, p, prio) { // a CNP answers each marked packet
		if dir == "rx" {
			c.m.Count(c.Name, names.Marked, packets)
			c.m.Count(c.Name, names.CNPSent, packets)
		} else {
			c.m.Count(c.Name, names.CNPHandled, packets)
		}
	}
	c.m.Count(c.Name, map[string]string{"rx": "port_rcv_packets", "tx": "port_xmit_packets"}[dir], packets)
	p.Print(fmt.Sprintf(" #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]\n"+
		" %-10d %-14d 2758.40            2756.95              0.705778\n", size, count))
	return 0
}

// server returns the address of the server; not valid: this program is the server.
func server(operands []string) (addr netip.Addr) {
	if len(operands) > 0 {
		addr, _ = netip.ParseAddr(operands[0])
	}
	return addr.Unmap()
}
