package target

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/commands"
)

// CountersFile is the base name of an answer with the counters of interfaces by ethtool.
const CountersFile = "counters.txt"

// CountersDBFile is the base name of an answer with the rows of a device's database of counters.
const CountersDBFile = "counters-db.txt"

// QueuesFile is the base name of an answer with the counters of queues, if a device prints them in another way than those of interfaces.
const QueuesFile = "queues.txt"

// CounterTimeCmd prints the time since the start of the device, which [CounterTime] reads. Source: Linux, man page proc_uptime(5).
const CounterTimeCmd = "echo \"uptime $(cat /proc/uptime)\"\n"

// CounterTime returns the time of an answer with counters, by the clock of the device since its start; 0: not known.
func CounterTime(answer []byte) time.Duration {
	const most = 1e9 // seconds, some 30 years
	for line := range strings.Lines(string(answer)) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "uptime" {
			continue
		}
		if s, err := strconv.ParseFloat(words[1], 64); err == nil && s > 0 && s < most {
			return time.Duration(s * float64(time.Second))
		}
	}
	return 0
}

// CounterName is the meaning of a counter.
type CounterName struct {
	Priority int
	Of       func(*ir.PauseCounters) *ir.Counter
}

// ReceivedFrames returns the counter, for tables of names.
func ReceivedFrames(c *ir.PauseCounters) *ir.Counter { return &c.Received }

// SentFrames returns the counter.
func SentFrames(c *ir.PauseCounters) *ir.Counter { return &c.Sent }

// ReceivedTime returns the counter.
func ReceivedTime(c *ir.PauseCounters) *ir.Counter { return &c.ReceivedTime }

// SentTime returns the counter.
func SentTime(c *ir.PauseCounters) *ir.Counter { return &c.SentTime }

// SentPackets returns the counter.
func SentPackets(c *ir.PauseCounters) *ir.Counter { return &c.Packets }

// DroppedPackets returns the counter.
func DroppedPackets(c *ir.PauseCounters) *ir.Counter { return &c.Dropped }

// CounterNames returns a table by the names of counters. Each name in of has the place of the priority as "N".
func CounterNames(of map[string]func(*ir.PauseCounters) *ir.Counter) map[string]CounterName {
	out := make(map[string]CounterName, 8*len(of))
	for name, counter := range of {
		for priority := range 8 {
			out[strings.Replace(name, "N", strconv.Itoa(priority), 1)] = CounterName{priority, counter}
		}
	}
	return out
}

// Counted is an interface with counters.
type Counted struct {
	Name string // on the device
	Word string // the name as a word of a shell
	Port string // the name of its port in the fabric
}

// EthtoolCounters returns the query for the counters of interfaces by ethtool. Lines without the word part are left out of the answer.
func EthtoolCounters(of []Counted, part string, names func() map[string]CounterName) CounterQuery {
	words, ports := make([]string, 0, len(of)), make(map[string]string, len(of))
	for _, i := range of {
		words, ports[i.Name] = append(words, i.Word), i.Port
	}
	cmd := CounterTimeCmd + "for p in " + strings.Join(words, " ") + "; do\necho \"port $p\"\n{ " + CountersCmd(`"$p"`) +
		"} | grep -e '^" + countersUnread + "' -e " + part + "\ndone\ntrue"
	return CounterQuery{
		Query: commands.Query{Cmd: cmd}, File: CountersFile,
		Read: func(_ *ir.Device, answer []byte) ([]ir.PauseCounters, string) {
			return readEthtool(answer, of, ports, names())
		},
	}
}

// readEthtool reads the counters of interfaces, in the order of the query.
func readEthtool(
	answer []byte, of []Counted, ports map[string]string, names map[string]CounterName,
) (out []ir.PauseCounters, unread string) {
	type counters [8]ir.PauseCounters
	read, why := map[string]*counters{}, map[string][]string{}
	for section := range strings.SplitSeq("\n"+string(answer), "\nport ") {
		name, lines, _ := strings.Cut(section, "\n")
		name = strings.TrimSpace(name)
		if _, ours := ports[name]; !ours || read[name] != nil {
			continue
		}
		if reason := CountersUnread([]byte(lines)); reason != "" {
			why[reason] = append(why[reason], name)
			read[name] = &counters{}
			continue
		}
		Counters([]byte(lines), func(counter string, n uint64) {
			is, known := names[counter]
			if !known {
				return
			}
			if read[name] == nil {
				read[name] = &counters{}
			}
			*is.Of(&read[name][is.Priority]) = ir.Counter{Value: n, Known: true}
		})
	}
	const none = "ethtool -S prints no counter of pauses by priority"
	for _, i := range of {
		c := read[i.Name]
		if c == nil {
			why[none] = append(why[none], i.Name)
			continue
		}
		for priority := range c {
			if one := &c[priority]; *one != (ir.PauseCounters{}) {
				one.Port, one.Priority = i.Port, priority
				out = append(out, *one)
			}
		}
	}
	return out, Reasons(why)
}

// Joined returns rows with one row for each port and priority, in the order of their first rows. The first known value of a counter
// is used.
func Joined(rows []ir.PauseCounters) []ir.PauseCounters {
	type key struct {
		port     string
		priority int
	}
	out := make([]ir.PauseCounters, 0, len(rows))
	at := make(map[key]int, len(rows))
	for i := range rows {
		k := key{rows[i].Port, rows[i].Priority}
		n, again := at[k]
		if !again {
			at[k], out = len(out), append(out, rows[i])
			continue
		}
		out[n].Fill(&rows[i])
	}
	return out
}

// Reasons returns the reasons why counters are missing, each with the interfaces.
func Reasons(why map[string][]string) string {
	var out []string
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		const most = 3
		out = append(out, reason+" for "+diag.Some(why[reason], most))
	}
	return diag.And(out)
}
