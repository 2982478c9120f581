// Package traffic tests an intent by a short, bounded [Exchange] between two of its members. From the counters before and after it
// decides whether the exchange was marked, classified and carried as the fabric describes. [Tools] is the table of the programs that can
// send. An exchange consists of two queries, one on each host, at the same time. The server waits for one client and ends by itself, and
// the client tries again until the server listens. Both run under timeout(1), so that no process stays if the person interrupts or the
// connection breaks. [Exchange.Kill] ends a server at once.
package traffic

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// Bounds of one exchange.
const (
	Messages = 1000
	Size     = 4096 // bytes of a message
	Seconds  = 20   // time limit of each end
	leastOf  = Messages * 9 / 10
	strays   = Messages - leastOf // packets that others may send in addition to the rate of the idle interval
	logins   = 500                // largest number of packets of the logins for a reading
	Idle     = 3                  // seconds before the exchange, in which it sends nothing
)

// clock is the key of a device's own clock among its ports. The clock counts hundredths of a second.
const clock = "-"

// Exchange is one exchange: the sender, the receiver, the tool and the path.
type Exchange struct {
	Intent   *ir.Intent
	From, To *ir.NIC
	FromGID  nic.GID
	ToGID    nic.GID
	Tool     *Tool
	Port     int // port of TCP or RDMA-CM on which the server listens
	Path     []Hop
	Idle     map[*ir.Device]Counts // counters at the start of the idle interval; nil: the traffic of others is unknown
}

// Hop contains the devices at one distance from the sender, in cables. Each packet passes at most one of them.
type Hop struct {
	In, Out []*ir.Port // In is empty at the sender, Out is empty at the receiver
	Maybe   bool       // some paths pass none of these devices
}

// Tool is a program that both hosts have.
type Tool struct {
	Name string // "ib_write_bw"
	DSCP bool   // the DSCP of its packets can be set, or is the default of RDMA-CM
	PCP  bool   // the PCP of its packets can be set
	End  func(x *Exchange, own nic.GID, peer netip.Addr) string
}

// Tools lists the programs that can send an exchange. An exchange uses the first tool that both hosts have and that can mark the packets
// as the intent requires. Sources: the manuals of perftest (ib_write_bw) and rdma-core (ibv_rc_pingpong, rping, ucmatose).
var Tools = []*Tool{
	{"ib_write_bw", true, true, func(x *Exchange, own nic.GID, peer netip.Addr) string {
		cmd := fmt.Sprintf("ib_write_bw -d %s -i %d -x %d -p %d -n %d -s %d -F", nic.Quote(own.Dev), own.Port, own.Index, x.Port,
			Messages, Size)
		if p := x.Packet(); x.Intent.ByDSCP() {
			cmd += fmt.Sprintf(" --tclass=%d", p.DSCP<<2)
		} else {
			cmd += fmt.Sprintf(" --sl=%d", p.PCP)
		}
		return cmd + operand(" ", peer)
	}},
	{"ibv_rc_pingpong", false, true, func(x *Exchange, own nic.GID, peer netip.Addr) string {
		return fmt.Sprintf("ibv_rc_pingpong -d %s -i %d -g %d -p %d -n %d -s %d -l %d", nic.Quote(own.Dev), own.Port, own.Index, x.Port,
			Messages, Size, x.Packet().PCP) + operand(" ", peer)
	}},
	{"rping", true, false, func(x *Exchange, own nic.GID, peer netip.Addr) string {
		if peer.IsValid() {
			return fmt.Sprintf("rping -c -a %s -p %d -C %d -S %d", peer, x.Port, Messages, Size)
		}
		return fmt.Sprintf("rping -s -a %s -p %d -C %d -S %d", own.Addr.Unmap(), x.Port, Messages, Size)
	}},
	{"ucmatose", true, false, func(x *Exchange, own nic.GID, peer netip.Addr) string {
		return fmt.Sprintf("ucmatose -b %s -p %d -C %d -S %d -t %d", own.Addr.Unmap(), x.Port, Messages, Size, x.Packet().DSCP<<2) +
			operand(" -s ", peer)
	}},
}

// operand returns the server's address for the command line of the client. It is empty for the server.
func operand(before string, peer netip.Addr) string {
	if !peer.IsValid() {
		return ""
	}
	return before + peer.String()
}

// Packet is a packet of the exchange as the sender is meant to send it.
func (x *Exchange) Packet() ir.Packet { return x.From.PacketTo(x.To, x.Intent) }

// String describes the exchange: "training: h1:ens1f0 to h2:ens1f0, ib_write_bw, 1000 messages of 4096 bytes, 20 s at most".
func (x *Exchange) String() string {
	return fmt.Sprintf("%s: %s:%s to %s:%s, %s, %d messages of %d bytes, %d s at most", x.Intent.Name, x.From.Device.Name, x.From.Name,
		x.To.Device.Name, x.To.Name, x.Tool.Name, Messages, Size, Seconds)
}

// ToolQuery asks a host for its tools, one per line.
func ToolQuery() target.Query {
	var names []string
	for _, t := range Tools {
		names = append(names, t.Name)
	}
	return target.Query{Cmd: "for t in " + strings.Join(names, " ") + "; do\ncommand -v \"$t\" >/dev/null && echo \"$t\"\ndone\ntrue"}
}

// Choose returns the first suitable tool for an intent that both hosts have, by the answers to [ToolQuery]; nil: there is no such tool.
func Choose(in *ir.Intent, from, to []byte) *Tool {
	has := func(answer []byte, name string) bool {
		for line := range strings.Lines(string(answer)) {
			if strings.TrimSpace(line) == name {
				return true
			}
		}
		return false
	}
	for _, t := range Tools {
		if (in.ByDSCP() && t.DSCP || !in.ByDSCP() && t.PCP) && has(from, t.Name) && has(to, t.Name) {
			return t
		}
	}
	return nil
}

// Server returns the query of the receiving end, which listens for one client. It prints the end of the tool's output, and a line "status
// N".
func (x *Exchange) Server() target.Query {
	return target.Query{Cmd: fmt.Sprintf("out=$(timeout -k 2 %d %s 2>&1)\ns=$?", Seconds, x.Tool.End(x, x.ToGID, netip.Addr{})) + told}
}

// Client returns the query of the sending end, with the same output as Server. It tries again for some seconds, because the server may
// not listen yet.
func (x *Exchange) Client() target.Query {
	return target.Query{Cmd: fmt.Sprintf(`n=0 s=1
while [ "$n" -lt 4 ] && [ "$s" != 0 ]; do
sleep 1
out=$(timeout -k 2 %d %s 2>&1)
s=$?
n=$((n + 1))
done`, Seconds/4, x.Tool.End(x, x.FromGID, x.ToGID.Addr.Unmap())) + told}
}

// told is the part of a query that prints $out and the status $s.
const told = `
printf '%s' "$out" | tail -c 2000
printf '\nstatus %s\n' "$s"`

// Kill returns the query that ends the server of a cancelled exchange: the process of the tool that listens on the exchange's port.
func (x *Exchange) Kill() target.Query {
	return target.Query{Cmd: fmt.Sprintf(`for d in /proc/[0-9]*; do
c=$(tr '\0' ' ' <"$d/cmdline" 2>/dev/null) || continue
case $c in "%s "*" -p %d "*) kill "${d##*/}" ;; esac
done
true`, x.Tool.Name, x.Port)}
}

// Failed returns why one side of the exchange failed; empty: it succeeded.
func Failed(answer []byte) string {
	text := strings.TrimSpace(string(answer))
	out, status := text, ""
	if i := strings.LastIndex(text, "status "); i >= 0 {
		out, status = strings.TrimSpace(text[:i]), text[i+len("status "):]
	}
	if status == "0" {
		return ""
	}
	lines := strings.Split(out, "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return target.Escape(last)
	}
	return "exit status " + target.Escape(status)
}

// Counts contains packet counters: by port, then by "rx" or "tx", with the priority or without one.
type Counts map[string]map[string]uint64

// IdleQuery waits on a host for the length of an idle interval.
func IdleQuery() target.Query { return target.Query{Cmd: fmt.Sprintf("sleep %d", Idle)} }

// CountQuery asks for the packet counters of ports of a device and for the device's clock. The counters are totals and, if the driver has
// them, counters by priority.
func CountQuery(ports []*ir.Port) target.Query {
	var names strings.Builder
	for _, p := range ports {
		names.WriteString(" " + nic.Quote(p.Name))
	}
	return target.Query{Cmd: `{ read -r t _ </proc/uptime; } 2>/dev/null && printf -- '- uptime %s\n' "$t"
for i in` + names.String() + `; do
ethtool -S "$i" 2>/dev/null | while read -r k v rest; do
case $k in *prio*) printf '%s %s %s\n' "$i" "${k%:}" "$v" ;; esac
done
for k in rx_packets tx_packets; do
{ read -r v <"/sys/class/net/$i/statistics/$k"; } 2>/dev/null && printf '%s %s %s\n' "$i" "$k" "$v"
done
done
true`}
}

// ReadCounts parses an answer to [CountQuery]. The counters have the names of the drivers: rx_prio3_packets (mlx5), rx_frames_prio_3
// (Spectrum).
func ReadCounts(answer []byte) Counts {
	c := Counts{}
	for line := range strings.Lines(string(answer)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		if f[0] == clock && f[1] == "uptime" {
			if t, err := strconv.ParseFloat(f[2], 64); err == nil && t > 0 && t < 1e12 {
				c[clock] = map[string]uint64{clock: uint64(t * 100)}
			}
			continue
		}
		n, err := strconv.ParseUint(f[2], 10, 64)
		dir, rest, ok := strings.Cut(f[1], "_")
		if err != nil || !ok || dir != "rx" && dir != "tx" {
			continue
		}
		key := dir
		if rest != "packets" {
			prio := strings.TrimSuffix(strings.TrimPrefix(rest, "prio"), "_packets")
			if !strings.HasPrefix(rest, "prio") || !strings.HasSuffix(rest, "_packets") {
				prio = strings.TrimPrefix(rest, "frames_prio_")
			}
			if len(prio) != 1 || prio < "0" || prio > "7" {
				continue
			}
			key += prio
		}
		if c[f[0]] == nil {
			c[f[0]] = map[string]uint64{}
		}
		c[f[0]][key] = n
	}
	return c
}
