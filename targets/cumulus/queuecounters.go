package cumulus

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

// queuesRenewed is the interval in which NVUE renews the counters of queues. It is unsure: no manual states it. A public measurement on an
// SN5600 waits 25 seconds until they are renewed (run_point.sh of the experiments on hpft).
const queuesRenewed = 25 * time.Second

// askQueuesOf prints the counters of the queues of the ports in $ports by NVUE, a line per port. The bytes in these queues follow, and the
// state of the watchdog of each queue (from 5.6 on). The first port shows the traffic class of each priority, because the map is one for
// the whole switch. It has no single quotes, so that a person can paste it. nv needs half a second to a second per port, so several run at
// the same time. None starts after some seconds, because a command has half a minute. Up to 5.4 the counters have another path.
//
// Sources: the vendor's reference of NVUE commands, "QoS", show commands; the JSON keys of egress-queue-stats by LLDPq,
// process_pfc_ecn_data.py. The form of the other answers as JSON is unsure, so the reader accepts several. Counters of frames and times of
// pauses in pfc-stats are not read: ethtool has the frames, and no document has the unit of the times.
const askQueuesOf = askQueuesHead + "sent held guard" + askQueuesRest

const askQueuesHead = `show() {
	timeout 5 nv show interface "$@" -o json 2>/dev/null | head -c 16384 | tr -d " \n"
}
sent() {
	said=$(show "$1" counters qos egress-queue-stats)
	case $said in *tx-frames*) ;; *) said=$(show "$1" qos counters egress-queue-stats) ;; esac
	printf "queues:%s %s\n" "$1" "$said"
}
held() {
	printf "held:%s %s\n" "$1" "$(show "$1" qos buffer egress-traffic-class)"
}
guard() {
	printf "guard:%s %s\n" "$1" "$(show "$1" qos pfc-watchdog)"
}
end=$(($(date +%s) + 12))
first=${ports%% *}
printf "classes:%s %s\n" "$first" "$(show "$first" qos egress-queue-mapping)"
for part in `

const askQueuesRest = `; do
	n=0
	for p in $ports; do
		if [ "$(date +%s)" -ge $end ]; then
			echo "late:$p"
			continue
		fi
		$part "$p" &
		n=$((n + 1))
		if [ $((n % 8)) = 0 ]; then
			wait
		fi
	done
	wait
done
true`

// AskQueues prints the counters of the queues of all ports whose link is up, and is for switches with NVUE.
const AskQueues = `command -v nv >/dev/null || exit 127
` + target.CounterTimeCmd + `ports=$(cd /sys/class/net && grep -l up swp*/operstate 2>/dev/null | cut -d/ -f1 | tr "\n" " ")
` + askQueuesOf

// askGuard begins the query for the states of watchdogs alone. It ends at once on a switch whose configuration has no watchdog.
const askGuard = "command -v nv >/dev/null || exit 0\nnv config show 2>/dev/null | grep -q pfc-watchdog || exit 0\n"

// queueCounters returns the query for the counters of queues by NVUE. Its ports are those of the counters of pauses.
func queueCounters(d *ir.Device, ports []target.Counted) target.CounterQuery {
	words := make([]string, 0, len(ports))
	for _, p := range ports {
		words = append(words, p.Word)
	}
	given := "ports=\"" + strings.Join(words, " ") + "\"\n"
	reader := func(missing func(q *queueAnswer, port string) string) func(*ir.Device, []byte) ([]ir.PauseCounters, string) {
		return func(d *ir.Device, answer []byte) ([]ir.PauseCounters, string) {
			return readQueues(d, answer, ports, missing)
		}
	}
	out := target.CounterQuery{
		Query: target.Query{Cmd: target.CounterTimeCmd + "command -v nv >/dev/null || exit 0\n" + given + askQueuesOf},
		File:  target.QueuesFile, Queue: queuesRenewed, Read: reader((*queueAnswer).missing),
	}
	if r, ok := grammar.ParseRelease(d.Switch.Version); ok && r.AtLeast(5, 6) && ConfigOf(d) == ByNVUE { // the first release with a watchdog
		out.Read = reader(func(q *queueAnswer, port string) string { return cmp.Or(q.missing(port), q.unguarded(port)) })
		out.Watchdogs = &target.CounterQuery{
			Query: target.Query{Cmd: askGuard + given + askQueuesHead + "guard" + askQueuesRest}, Read: reader((*queueAnswer).unguarded),
		}
	}
	return out
}

// queueAnswer is an answer about the queues of ports. The rows are by the name of the port and then by the number of a class or priority.
type queueAnswer struct {
	sent, held map[string]map[string]json.RawMessage
	guard      map[string]map[string]json.RawMessage // queues that a watchdog watches
	classes    map[string]json.RawMessage            // by priority
	off        map[string]bool                       // ports whose watchdog is off
	late       map[string]bool
}

// parseQueues reads the lines of an answer.
func parseQueues(answer []byte) queueAnswer {
	type rows = map[string]map[string]json.RawMessage
	q := queueAnswer{sent: rows{}, held: rows{}, guard: rows{}, off: map[string]bool{}, late: map[string]bool{}}
	for line := range strings.Lines(string(answer)) {
		word, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		kind, port, _ := strings.Cut(word, ":")
		switch kind {
		case "queues":
			q.sent[port] = rowsOf(text, "egress-queue-stats")
		case "held":
			q.held[port] = rowsOf(text, "egress-traffic-class")
		case "guard":
			q.guard[port], q.off[port] = guardOf(text)
		case "classes":
			q.classes = rowsOf(text, "switch-priority")
		case "late":
			q.late[port] = true
		}
	}
	return q
}

// rowsOf returns the rows of a table in JSON: alone, below its name, or below "operational".
func rowsOf(text, name string) map[string]json.RawMessage {
	raw := json.RawMessage(text)
	for range 3 {
		var rows map[string]json.RawMessage
		if json.Unmarshal(raw, &rows) != nil {
			return nil
		}
		switch {
		case rows[name] != nil:
			raw = rows[name]
		case rows["operational"] != nil:
			raw = rows["operational"]
		default:
			return rows
		}
	}
	return nil
}

// guardOf returns the rows of the queues of a port whose watchdog is on; nil: it is off, or its state cannot be read.
func guardOf(text string) (rows map[string]json.RawMessage, off bool) {
	var is struct{ State string }
	raw := rowsOf(text, "pfc-watchdog")
	if json.Unmarshal(raw["state"], &is.State) != nil || !strings.HasPrefix(is.State, "enable") {
		return nil, strings.HasPrefix(is.State, "disable")
	}
	return rowsOf(string(raw["status"]), "status"), false
}

// cuttingOf returns whether a watchdog cuts a queue. Source of the words: the vendor's manual, Quality of Service, PFC Watchdog.
func cuttingOf(row json.RawMessage) ir.Counter {
	var is struct {
		Status string `json:"status"`
	}
	if json.Unmarshal(row, &is) != nil || is.Status != "OK" && is.Status != "DEADLOCK" {
		return ir.Counter{}
	}
	if is.Status == "DEADLOCK" {
		return ir.Counter{Value: 1, Known: true}
	}
	return ir.Counter{Known: true}
}

// countIn returns a number in a row: an integer, or a string with one. A number with a unit is not known.
func countIn(row json.RawMessage, name string) ir.Counter {
	var fields map[string]json.RawMessage
	if json.Unmarshal(row, &fields) != nil {
		return ir.Counter{}
	}
	n, err := strconv.ParseUint(strings.Trim(string(fields[name]), `"`), 10, 64)
	return ir.Counter{Value: n, Known: err == nil}
}

// waiting returns the bytes in a queue: 0, or any value above 0. nv may print a size with a unit and in several forms, and the judgement
// asks only whether the queue holds packets, so a rounded value is enough.
func waiting(row json.RawMessage) ir.Counter {
	var fields map[string]any
	if json.Unmarshal(row, &fields) != nil {
		return ir.Counter{}
	}
	switch v := fields["current-usage"].(type) {
	case float64:
		return sizeOf(v, "")
	case string:
		v = strings.ToUpper(strings.ReplaceAll(v, " ", ""))
		number := strings.TrimRight(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
		if n, err := strconv.ParseFloat(number, 64); err == nil {
			return sizeOf(n, v[len(number):])
		}
	}
	return ir.Counter{}
}

// sizeOf returns a number of bytes; not known: it has another unit, or is too large for a buffer.
func sizeOf(n float64, unit string) ir.Counter {
	const most = 1 << 40
	scale := map[string]float64{"": 1, "B": 1, "BYTES": 1, "KB": 1 << 10, "MB": 1 << 20}[unit]
	if scale == 0 || !(n >= 0 && n*scale <= most) { // NaN fails the comparison
		return ir.Counter{}
	}
	return ir.Counter{Value: uint64(n * scale), Known: true}
}

// missing returns why the counters of the queues of a port are missing; empty: they are not.
func (q *queueAnswer) missing(port string) string {
	switch {
	case len(q.sent[port]) == 0 && q.late[port]:
		return "nv took too long to print the counters of queues"
	case len(q.sent[port]) == 0:
		return "nv prints no counters of queues"
	case q.classes == nil:
		return noClasses
	}
	return ""
}

const noClasses = "nv does not print the traffic class of each priority"

// unguarded returns why the states of the watchdogs of a port are missing; empty: nv was asked for them, and the class of each is known.
func (q *queueAnswer) unguarded(port string) string {
	rows, asked := q.guard[port]
	switch {
	case !asked && q.late[port]:
		return "nv took too long to print the states of watchdogs"
	case rows != nil && q.classes == nil:
		return noClasses
	}
	return ""
}

// readQueues reads the counters of the lossless queues of ports. Those of a priority are not known if the switch does not show its class.
// missing returns why a part of the answer is missing for a port; empty: none is.
func readQueues(
	d *ir.Device, answer []byte, ports []target.Counted, missing func(q *queueAnswer, port string) string,
) (out []ir.PauseCounters, unread string) {
	q := parseQueues(answer)
	why := map[string][]string{}
	buffers := map[string][]*ir.Buffer{}
	for _, p := range d.Ports {
		buffers[p.Name] = p.Buffers()
	}
	for _, p := range ports {
		if reason := missing(&q, p.Name); reason != "" {
			why[reason] = append(why[reason], p.Name)
		}
		if q.missing(p.Name) != "" && q.guard[p.Name] == nil && !q.off[p.Name] {
			continue
		}
		for _, b := range buffers[p.Port] {
			class := countIn(q.classes[strconv.Itoa(b.Group.Cos)], "traffic-class")
			if !class.Known || class.Value > 7 {
				continue
			}
			at := strconv.FormatUint(class.Value, 10)
			sent := q.sent[p.Name][at]
			out = append(out, ir.PauseCounters{
				Port: p.Port, Priority: b.Group.Cos,
				Packets: countIn(sent, "tx-frames"), Marked: countIn(sent, "ecn-marked-frames"), Waiting: waiting(q.held[p.Name][at]),
				Cut: countIn(q.guard[p.Name][at], "deadlock-count"), Cutting: cuttingOf(q.guard[p.Name][at]),
				Unwatched: q.off[p.Name],
			})
		}
	}
	return out, target.Reasons(why)
}

// hasNV reports whether a switch has the nv tool of NVUE with the counters of queues.
func hasNV(d *ir.Device) bool {
	r, ok := grammar.ParseRelease(d.Switch.Version)
	return ok && r.AtLeast(5, 3)
}
