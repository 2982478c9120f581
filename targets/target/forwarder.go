package target

import "strconv"

// Forwarder simulates the values of a kernel about forwarding, and the programs that run beside init.
type Forwarder struct {
	Forwards  bool
	Reachable int      // base_reachable_time of neighbours, in ms
	Programs  []string // names
}

// Boot implements [Sim].
func (k Forwarder) Boot(m Machine) {
	bit := "0"
	if k.Forwards {
		bit = "1"
	}
	text := func(value string) Node { return TextNode(func() string { return value }, nil) }
	m.Plant("/proc/sys/net/ipv4/ip_forward", text(bit))
	m.Plant("/proc/sys/net/ipv6/conf/all/forwarding", text(bit))
	m.Plant("/proc/sys/net/ipv4/neigh/default/base_reachable_time_ms", text(strconv.Itoa(k.Reachable)))
	for i, name := range append([]string{"systemd"}, k.Programs...) {
		m.Plant("/proc/"+strconv.Itoa(1+100*i)+"/comm", text(name))
	}
}
