package targets

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// askCounters prints the counters of pauses of all interfaces of a machine with front panel ports or NICs. It prints nothing on others.
// Virtual interfaces have no such counters, and a host may have thousands.
const askCounters = `up=$(cat /proc/uptime)
all=$(for d in /sys/class/net/*; do
	n=${d##*/}
	case $n in *[!A-Za-z0-9._-]*) continue ;; swp*) ;; *) test -e "$d/device" || continue ;; esac
	c=$(ethtool -S "$n" 2>/dev/null | grep -e Pfc -e prio) || continue
	echo "port $n"
	echo "$c"
done)
test "$all" || exit 0
echo "uptime $up"
echo "$all"`

// countersFiles returns the base names of answers with counters.
func countersFiles() []string {
	return []string{target.CountersFile, target.CountersDBFile, target.QueuesFile}
}

// isCounters reports whether a file has the name of an answer with counters. It has no settings.
func isCounters(f lint.File) bool {
	return f.Why == "" && slices.ContainsFunc(countersFiles(), func(base string) bool { return lint.Named(f.Name, base) })
}

// keepCounters returns the lines of an answer that a reader of counters uses, and the number of the others.
func keepCounters(data []byte) (kept []byte, dropped int, err error) {
	const most = 8 << 20
	if len(data) > most {
		return nil, 0, fmt.Errorf("it is larger than %d MiB", most>>20)
	}
	for line := range bytes.Lines(data) {
		if !countersLine(strings.TrimSpace(string(line))) {
			dropped++
			continue
		}
		kept = append(kept, line...)
	}
	return kept, dropped, nil
}

// countersLine reports whether a line belongs to an answer with counters: a time, an interface, a counter, or a row of a database.
func countersLine(line string) bool {
	if name, value, ok := strings.Cut(line, ": "); ok {
		if _, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64); err == nil && !strings.ContainsAny(name, " '") {
			return true
		}
	}
	word, rest, ok := strings.Cut(line, " ")
	switch kind, _, _ := strings.Cut(word, ":"); kind {
	case "uptime", "unread":
		return ok && strings.Trim(rest, "0123456789. ") == ""
	case "late":
		return !ok
	case "queues", "held", "guard", "classes":
		return ok && kind != word && strings.HasPrefix(rest, "{")
	case "port", "queue", "group", "mark", "poll":
		return ok && (kind != word && strings.HasPrefix(rest, "{") || kind == word && !strings.Contains(rest, " "))
	}
	return false
}

// ReadCounters reads the counters of a device from its files. Those of two files with one name are not known: each is a reading.
func ReadCounters(d *ir.Device, files []lint.File) (found []ir.PauseCounters) {
	for _, q := range CounterQueries(d) {
		of := slices.DeleteFunc(slices.Clone(files), func(f lint.File) bool { return !isCounters(f) || !lint.Named(f.Name, q.File) })
		if len(of) == 1 {
			rows, _ := q.Read(d, of[0].Data)
			found = append(found, rows...)
		}
	}
	return target.Joined(found)
}

// CounterQueries returns the queries for the counters of a device, in the order of its answers; nil: no counters are known.
func CounterQueries(d *ir.Device) []target.CounterQuery {
	if d.ByHand != nil {
		return nil
	}
	switch rows := All.of(d); len(rows) {
	case 0:
		return nil
	case 1:
		if rows[0].Counters == nil {
			return nil
		}
		return rows[0].Counters(d)
	default:
		return target.Join(rows...).Counters(d)
	}
}
