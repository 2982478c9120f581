package traffic

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// LowTime is the time for which an ECN threshold stays low.
const LowTime = 5 * time.Second

// Marking is a test that a switch marks packets and that both hosts react. A threshold of one egress queue is low while an [Exchange]
// passes the queue.
type Marking struct {
	Exchange *Exchange
	Queue    *ir.Port // the port to the receiver, so that the receiver counts all packets of the queue
	Was, Low *ir.Mark
}

// NewMarking chooses the queue of an exchange and its low thresholds. why is the reason if the exchange cannot prove marking, otherwise
// empty.
func NewMarking(x *Exchange) (m *Marking, why string) {
	m = &Marking{Exchange: x}
	for _, h := range x.Path {
		if len(h.Out) == 1 && h.Out[0].Peer() == x.To.Port {
			m.Queue = h.Out[0]
		}
	}
	group := x.Intent.Group
	switch {
	case x.Intent.Version == 1:
		return nil, "RoCEv1 carries no ECN bits"
	case group.ECN == nil:
		return nil, fmt.Sprintf("cos group %s is not marked", group.Name)
	case m.Queue == nil || m.Queue.Device().Switch == nil:
		return nil, fmt.Sprintf("packets reach %s by several ports, so that none of them has all of the queue", x.To.Device.Name)
	}
	d := m.Queue.Device()
	for _, mark := range m.Queue.Marks() {
		if mark.Group == group {
			m.Was = mark
		}
	}
	step := 1
	if asic := d.Switch.Model.ASIC; asic != nil {
		step = max(asic.Threshold(1), asic.Cell)
	}
	switch {
	case d.ByHand != nil:
		return nil, fmt.Sprintf("%s is set by hand", d.Name)
	case d.Switch.Can.Drops != "":
		return nil, fmt.Sprintf("%s drops packets beyond a threshold that it cannot mark (%s)", d.Name, d.Switch.Can.Drops)
	case m.Was == nil:
		return nil, fmt.Sprintf("%s does not mark cos group %s", m.Queue, group.Name)
	case m.Was.Min.N <= step:
		return nil, fmt.Sprintf("the threshold of %s is the least that its chip can be set to", m.Queue)
	}
	low := *m.Was
	low.Min.N, low.Max.N, low.Own = step, 2*step, 0
	m.Low = &low
	return m, ""
}

// Fabric returns a copy of the fabric in which the queue has the low thresholds.
func (m *Marking) Fabric() *ir.Fabric {
	f := m.Queue.Device().Fabric.Copy()
	for _, p := range f.Devices[m.Queue.Device().ID].Ports {
		if p.ID != m.Queue.ID {
			continue
		}
		marks := append([]*ir.Mark(nil), p.Marks()...)
		for i, mark := range marks {
			if mark.Group == m.Was.Group {
				marks[i] = m.Low
			}
		}
		p.SetMarks(marks)
	}
	return f
}

// Exposed returns the hosts whose packets may pass the queue: the members of every intent of its cos group.
func (m *Marking) Exposed() []*ir.Device {
	var out []*ir.Device
	seen := map[*ir.Device]bool{}
	for _, in := range m.Queue.Device().Fabric.Intents {
		if in.Group != m.Was.Group {
			continue
		}
		for _, member := range in.Members {
			if d := member.NIC.Device; !seen[d] {
				seen[d] = true
				out = append(out, d)
			}
		}
	}
	return out
}

// Quiet reports whether no packet of the class passed the queue between two readings. Otherwise why states the number of packets, or that
// the receiver does not count them.
func (m *Marking) Quiet(from, to map[*ir.Device]Counts) (why string) {
	p := m.Exchange.To.Port
	n, ok := risen(p, "rx"+strconv.Itoa(m.Was.Group.Cos), from, to)
	switch {
	case !ok:
		return fmt.Sprintf("%s shows no packets by priority, so that traffic of others cannot be excluded", p)
	case n > 0:
		return fmt.Sprintf("%s of others passed the queue in %d seconds", target.Count(n, "packet"), Idle)
	}
	return ""
}

// notifications contains the counters that rise if a switch marks packets, at the receiver and at the sender. Source: the vendor's
// "Understanding mlx5 Linux Counters".
var notifications = struct{ marked, sent, handled string }{"np_ecn_marked_roce_packets", "np_cnp_sent", "rp_cnp_handled"}

// NoticeQuery asks a host for the counters of notifications of a NIC. Each line of the answer is a name and a number.
func NoticeQuery(n *ir.NIC) target.Query {
	return target.Query{Cmd: fmt.Sprintf(`for f in /sys/class/net/%s/device/infiniband/*/ports/1/hw_counters; do
for k in %s %s %s; do
{ read -r v <"$f/$k"; } 2>/dev/null && printf '%%s %%s\n' "$k" "$v"
done
done
true`, nic.Quote(n.Name), notifications.marked, notifications.sent, notifications.handled)}
}

// Notices contains counters of notifications, by name.
type Notices map[string]uint64

// ReadNotices parses an answer to [NoticeQuery].
func ReadNotices(answer []byte) Notices {
	out := Notices{}
	for line := range strings.Lines(string(answer)) {
		if f := strings.Fields(line); len(f) == 2 {
			if n, err := strconv.ParseUint(f[1], 10, 64); err == nil {
				out[f[0]] = n
			}
		}
	}
	return out
}

// Notified returns the notifications that each NIC of a device has sent and handled, from samples of its probes. A NIC that does not count
// them is missing.
func Notified(samples []target.Sample) (sent, handled map[string]uint64) {
	sent, handled = map[string]uint64{}, map[string]uint64{}
	for _, s := range samples {
		switch s.Name {
		case notifications.sent:
			sent[s.On] = s.Value
		case notifications.handled:
			handled[s.On] = s.Value
		}
	}
	return sent, handled
}
