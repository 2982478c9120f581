package sonic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// renewed is the interval in which the counters of queues are renewed. Those of ports are renewed each second. Source: the defaults of
// `counterpoll show` in sonic-utilities; a person can change them.
const renewed = 10 * time.Second

// rowHead defines the functions of the queries. row NAME KEY MAP prints the counters of an object, whose id is in a map of names that
// was read once: up to 202205, sonic-db-cli is a Python program that needs a third of a second. The output has the form of facts.
const rowHead = `db() {
timeout 5 sonic-db-cli COUNTERS_DB "$@"
}
row() {
oid=${3#*"'$2': '"}
oid=${oid%%"'"*}
case $oid in oid:*) ;; *) return 0 ;; esac
echo "$1:$2 $(db HGETALL "COUNTERS:$oid")"
test "$1" = group && echo "mark:$2 $(db HGETALL "USER_WATERMARKS:$oid")"
}
`

// countersHead is the beginning of the queries for all counters.
const countersHead = target.CounterTimeCmd + rowHead + `for kind in PORT QUEUE; do
echo "poll:$kind $(timeout 5 sonic-db-cli CONFIG_DB HGETALL "FLEX_COUNTER_TABLE|$kind")"
done
ports=$(db HGETALL COUNTERS_PORT_NAME_MAP)
` + queueNames + `groups=$(db HGETALL COUNTERS_PG_NAME_MAP)
`

// queueNames reads the names of queues.
const queueNames = "queues=$(db HGETALL COUNTERS_QUEUE_NAME_MAP)\n"

// askCounters prints the counters of all ports with lossless priorities. It fails as a missing program does on a device of another system.
const askCounters = "command -v sonic-db-cli >/dev/null || exit 127\n" + countersHead +
	`for key in $(timeout 5 sonic-db-cli CONFIG_DB KEYS 'PORT_QOS_MAP|Ethernet*'); do
p=${key#*|}
row port "$p" "$ports"
for n in $(timeout 5 sonic-db-cli CONFIG_DB HGET "$key" pfc_enable | tr , ' '); do
row queue "$p:$n" "$queues"
row group "$p:$n" "$groups"
done
done
true`

// pauseCounters returns the queries for the counters of lossless ports.
func pauseCounters(d *ir.Device) (out []target.CounterQuery) {
	var all []*ir.Port
	for _, p := range target.SortedPorts(d) {
		if len(p.Buffers()) > 0 && p.Link() != nil && !p.Link().Planned {
			all = append(all, p)
		}
	}
	for from := 0; from < len(all); from += 2 * atOnce {
		ports := all[from:min(from+2*atOnce, len(all))]
		var b, watched strings.Builder
		b.WriteString(countersHead)
		watched.WriteString(rowHead + queueNames)
		for _, p := range ports {
			fmt.Fprintf(&b, "row port %s \"$ports\"\n", p.Name)
			for _, buffer := range p.Buffers() {
				at := fmt.Sprintf("%s:%d", p.Name, buffer.Group.Cos)
				fmt.Fprintf(&b, "row queue %[1]s \"$queues\"\nrow group %[1]s \"$groups\"\n", at)
				fmt.Fprintf(&watched, "row queue %s \"$queues\"\n", at)
			}
		}
		b.WriteString("true")
		watched.WriteString("true")
		out = append(out, target.CounterQuery{
			Query: target.Query{Cmd: b.String()}, File: target.CountersDBFile, Every: renewed,
			Watchdogs: &target.CounterQuery{
				Query: target.Query{Cmd: watched.String()},
				Read: func(_ *ir.Device, answer []byte) ([]ir.PauseCounters, string) {
					found, _ := readCounters(answer, ports) // the counters of ports are not asked for
					return found, ""
				},
			},
			Read: func(_ *ir.Device, answer []byte) ([]ir.PauseCounters, string) { return readCounters(answer, ports) },
		})
	}
	return out
}

// readCounters reads the counters of ports. Source of the names: saiport.h, saiqueue.h and saibuffer.h of SAI, and pfcactionhandler.cpp of
// sonic-swss. A queue has the counters of the watchdog only if the watchdog watches it.
func readCounters(answer []byte, ports []*ir.Port) (out []ir.PauseCounters, unread string) {
	says := facts(answer)
	var without, why []string
	old := map[string]bool{}
	for _, kind := range []string{portKind, queueKind} {
		if reason := stale(kind, dictOf(says["poll:"+kind])); reason != "" {
			old[kind], why = true, append(why, reason)
		}
	}
	for _, p := range ports {
		row := dictOf(says["port:"+p.Name])
		if len(row) == 0 {
			without = append(without, p.Name)
			if !slices.ContainsFunc(p.Buffers(), func(b *ir.Buffer) bool { return says[fmt.Sprintf("queue:%s:%d", p.Name, b.Group.Cos)] != "" }) {
				continue
			}
		}
		for cos := range 8 {
			at := fmt.Sprintf("%s:%d", p.Name, cos)
			queue, group, mark := dictOf(says["queue:"+at]), dictOf(says["group:"+at]), dictOf(says["mark:"+at])
			pfc := fmt.Sprintf("SAI_PORT_STAT_PFC_%d_", cos)
			one := ir.PauseCounters{
				Port: p.Name, Priority: cos,
				Received: counterOf(row, pfc+"RX_PKTS"), Sent: counterOf(row, pfc+"TX_PKTS"),
				ReceivedTime: counterOf(row, pfc+"RX_PAUSE_DURATION_US"), SentTime: counterOf(row, pfc+"TX_PAUSE_DURATION_US"),
				Packets: counterOf(queue, "SAI_QUEUE_STAT_PACKETS"), Waiting: counterOf(queue, "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES"),
				Headroom: counterOf(group, "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_CURR_OCCUPANCY_BYTES"),
				Peak:     counterOf(mark, "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES"),
				Dropped:  counterOf(group, "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS"),
				Cut:      counterOf(queue, "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"),
				Cutting:  cuttingOf(queue[statusKey]),
				Marked:   counterOf(queue, "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS"),

				Unwatched: len(queue) > 0 && queue[statusKey] == "" && strings.HasSuffix(says["queue:"+at], "}"),
			}
			if old[portKind] {
				one.Received, one.Sent, one.ReceivedTime, one.SentTime = ir.Counter{}, ir.Counter{}, ir.Counter{}, ir.Counter{}
			}
			if old[queueKind] {
				one.Packets = ir.Counter{}
			}
			out = append(out, one)
		}
	}
	if len(without) > 0 {
		const most = 3
		why = append(why, "COUNTERS_DB has no counters of "+diag.Some(without, most))
	}
	return out, diag.And(why)
}

// The kinds of counters that counterpoll turns on and off.
const (
	portKind  = "PORT"
	queueKind = "QUEUE"
)

// stale returns why the counters of a kind are not renewed in each interval, as part of a sentence; empty: nothing shows that. A value that
// is not renewed looks like a queue that sends nothing.
//
// Source: sonic-net/sonic-utilities, counterpoll/main.py: FLEX_COUNTER_STATUS and POLL_INTERVAL, in milliseconds, of FLEX_COUNTER_TABLE.
// Its limit is 30 seconds. A device without the row uses the defaults.
func stale(kind string, row map[string]string) string {
	name := strings.ToLower(kind)
	if status := row["FLEX_COUNTER_STATUS"]; status == "disable" {
		return "counterpoll does not renew its counters of kind " + name
	}
	n, err := strconv.ParseUint(row["POLL_INTERVAL"], 10, 31)
	if every := time.Duration(n) * time.Millisecond; err == nil && every > renewed {
		return fmt.Sprintf("counterpoll renews its counters of kind %s every %s, and rocec waits for %s", name, every, renewed)
	}
	return ""
}

// statusKey is the key of the state of the watchdog of a queue.
const statusKey = "PFC_WD_STATUS"

// cuttingOf returns whether the watchdog cuts a queue, by its status. Source of the words: pfcactionhandler.cpp of sonic-swss.
func cuttingOf(status string) ir.Counter {
	switch status {
	case "operational":
		return ir.Counter{Known: true}
	case "stormed":
		return ir.Counter{Value: 1, Known: true}
	}
	return ir.Counter{}
}

// counterOf returns a counter of a row.
func counterOf(row map[string]string, name string) ir.Counter {
	n, err := strconv.ParseUint(row[name], 10, 64)
	return ir.Counter{Value: n, Known: err == nil}
}
