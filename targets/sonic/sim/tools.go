package sim

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

const cfggenUsage = "usage: sonic-cfggen [-h] [-d] [-n NAMESPACE] [-v VAR | --var-json VAR | --print-data]\nsonic-cfggen: error: "

// cfggen simulates sonic-cfggen, limited to printing the running configuration: -d --print-data, -d -v EXPRESSION, -d --var-json TABLE,
// and -n for a namespace.
func (s *Switch) cfggen(p *target.Proc) int {
	var ns, expression, table string
	var db, data bool
	for args := p.Args[1:]; len(args) > 0; args = args[1:] {
		switch args[0] {
		case "-d", "--from-db":
			db = true
		case "--print-data":
			data = true
		case "-n", "--namespace", "-v", "--var", "--var-json":
			if len(args) < 2 {
				return p.Fail(2, cfggenUsage+"argument %s: expected one argument", args[0])
			}
			switch args[0] {
			case "-n", "--namespace":
				ns = args[1]
			case "--var-json":
				table = args[1]
			default:
				expression = args[1]
			}
			args = args[1:]
		default:
			return p.Fail(2, cfggenUsage+"unrecognized arguments: %s", args[0])
		}
	}
	var out string
	status := 0
	s.m.Do(func() {
		sp := s.Spaces[ns]
		switch {
		case sp == nil:
			status = p.Fail(1, "RuntimeError: Namespace %s is not a valid namespace name in configuration file", ns)
		case expression != "":
			out = s.lookUp(sp, expression, db) + "\n"
		case table != "":
			if rows, there := toTree(sp.Config)[table]; db && there {
				out = indented(rows) + "\n"
			}
		case data && s.Faults.Garbage != "":
			out = s.Faults.Garbage
		case data && db:
			out = indented(toTree(sp.Config)) + "\n"
		case data:
			out = "{}\n"
		}
	})
	p.Print(out)
	return status
}

// lookUp evaluates an expression such as DEVICE_METADATA.localhost.hwsku or DEVICE_METADATA['localhost']['hwsku']. A missing value is
// empty.
func (s *Switch) lookUp(sp *space, expression string, db bool) string {
	if !db {
		return ""
	}
	plain := strings.NewReplacer("['", ".", `["`, ".", "']", "", `"]`, "").Replace(expression)
	v, err := resolve(toTree(sp.Config), strings.Split(strings.TrimSpace(plain), "."))
	if err != nil {
		return ""
	}
	return pyStr(v)
}

// dbCLI simulates sonic-db-cli: commands of Redis on one database.
func (s *Switch) dbCLI(p *target.Proc) (status int) {
	args, ns := p.Args[1:], ""
	if len(args) > 1 && args[0] == "-n" {
		ns, args = args[1], args[2:]
	}
	if len(args) == 1 && args[0] == "PING" {
		p.Print("PONG\n")
		return 0
	}
	if len(args) < 2 {
		return p.Fail(1, "usage: sonic-db-cli [-h] [-s] [-n NAMESPACE] db_or_op [cmd ...]")
	}
	var out string
	s.m.Do(func() {
		sp := s.Spaces[ns]
		if sp == nil {
			status = p.Fail(1, "Namespace %s is not a valid namespace name in configuration file", ns)
			return
		}
		out, status = s.redis(p, sp, args[0], args[1:])
		s.wake()
	})
	p.Print(out)
	return status
}

// keyspace is a database by full keys.
func (s *Switch) keyspace(sp *space, name string) (table, bool) {
	switch name {
	case "CONFIG_DB":
		out := table{}
		for t, rows := range sp.Config {
			for key, r := range rows {
				if len(r) == 0 {
					r = row{"NULL": "NULL"} // a hash cannot be empty
				}
				out[t+"|"+key] = r
			}
		}
		return out, true
	case "APPL_DB":
		return sp.Appl, true
	case "STATE_DB":
		return s.stateDB(sp), true
	case "COUNTERS_DB":
		return s.counters(sp), true
	}
	return nil, false
}

// redis runs one command.
func (s *Switch) redis(p *target.Proc, sp *space, name string, args []string) (string, int) {
	keys, ok := s.keyspace(sp, name)
	if !ok {
		return "", p.Fail(1, "Invalid database name input : '%s'", name)
	}
	need := map[string]int{"PING": 1, "HGETALL": 2, "HGET": 3, "KEYS": 2, "EXISTS": 2, "HSET": 4, "DEL": 2, "HDEL": 3}
	verb := strings.ToUpper(args[0])
	if n, ok := need[verb]; !ok {
		return "", p.Fail(1, "ERR unknown command '%s'", args[0])
	} else if len(args) < n {
		return "", p.Fail(1, "ERR wrong number of arguments for '%s' command", strings.ToLower(verb))
	}
	switch verb {
	case "PING":
		return "PONG\n", 0
	case "HGETALL":
		var parts []string
		for _, k := range slices.SortedFunc(maps.Keys(keys[args[1]]), naturally) {
			parts = append(parts, pyRepr(k)+": "+pyRepr(keys[args[1]][k]))
		}
		return "{" + strings.Join(parts, ", ") + "}\n", 0
	case "HGET":
		return keys[args[1]][args[2]] + "\n", 0
	case "KEYS":
		found := slices.DeleteFunc(slices.SortedFunc(maps.Keys(keys), naturally), func(k string) bool { return !glob(args[1], k) })
		return strings.Join(found, "\n") + "\n", 0
	case "EXISTS":
		_, ok := keys[args[1]]
		return strconv.Itoa(map[bool]int{true: 1}[ok]) + "\n", 0
	}
	if err := s.m.Change(p.CommandLine()); err != nil {
		return "", p.Fail(1, "READONLY %v", err)
	}
	if name != "CONFIG_DB" {
		return "", p.Fail(1, "NOPERM %s is written by daemons", name)
	}
	count, rows := 0, args[1:2]
	if verb == "DEL" {
		rows = args[1:]
	}
	for _, whole := range rows {
		t, key, _ := strings.Cut(whole, "|")
		r := maps.Clone(sp.Config[t][key])
		size := len(r)
		switch verb {
		case "HSET":
			fields := row{}
			for i := 2; i+1 < len(args); i += 2 {
				fields[args[i]] = args[i+1]
			}
			sp.modify(t, key, fields)
			count += len(sp.Config[t][key]) - size
		case "HDEL":
			for _, f := range args[2:] {
				delete(r, f)
			}
			if count += size - len(r); len(r) == 0 {
				r = nil
			}
			sp.put(t, key, r)
		case "DEL":
			if r != nil {
				count++
			}
			sp.put(t, key, nil)
		}
	}
	return strconv.Itoa(count) + "\n", 0
}

// glob matches a pattern of Redis with "*" and "?".
func glob(pattern, s string) bool {
	star, mark := -1, 0
	i, j := 0, 0
	for j < len(s) {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, mark = i, j
			i++
		case i < len(pattern) && (pattern[i] == '?' || pattern[i] == s[j]):
			i, j = i+1, j+1
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[i:], "*") == ""
}

// stateDB returns the parts of STATE_DB that are about buffers and ports.
func (s *Switch) stateDB(sp *space) table {
	out := table{"BUFFER_MAX_PARAM_TABLE|global": {"mmu_size": strconv.Itoa(spectrum[s.Spectrum-1].memory)}}
	if s.ASIC == "mellanox" {
		c := spectrum[s.Spectrum-1]
		out["ASIC_TABLE|MELLANOX-SPECTRUM-"+strconv.Itoa(s.Spectrum)] = row{
			"cell_size": strconv.Itoa(c.cell), "pipeline_latency": strconv.Itoa(c.latency), "mac_phy_delay": "0.8", "peer_response_time": "3.8",
		}
	}
	var all []string
	for _, n := range speeds {
		all = append(all, strconv.Itoa(n))
	}
	for port, r := range sp.Config["PORT"] {
		limit := row{"max_priority_groups": "8", "max_queues": "16"}
		if s.Headroom > 0 {
			limit["max_headroom_size"] = strconv.Itoa(s.Headroom)
		}
		out["BUFFER_MAX_PARAM_TABLE|"+port] = limit
		out["PORT_TABLE|"+port] = row{
			"state": "ok", "netdev_oper_status": sp.Appl["PORT_TABLE:"+port]["oper_status"], "admin_status": or(r["admin_status"], "down"),
			"mtu": r["mtu"], "speed": r["speed"], "supported_speeds": strings.Join(all, ","), "supported_fecs": "none,rs,fc,auto",
		}
	}
	return out
}

// The ids of SAI objects in COUNTERS_DB: by port, and within the port.
func portOID(n int) string         { return "oid:0x1" + hex(n+1) }
func queueOID(n, queue int) string { return "oid:0x15" + hex(n*32+queue+1) }
func groupOID(n, group int) string { return "oid:0x1a" + hex(n*32+group+1) }

func hex(n int) string {
	text := strconv.FormatInt(int64(n), 16)
	return strings.Repeat("0", max(12-len(text), 0)) + text
}

// The counters of ports by their names in SAI, and of queues and priority groups, which an interface counts as NAME:NUMBER. COUNTERS_DB
// shows the values that the machine counts for an interface.
var (
	groupCounters = []string{
		"SAI_INGRESS_PRIORITY_GROUP_STAT_PACKETS", "SAI_INGRESS_PRIORITY_GROUP_STAT_BYTES", "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS",
	}
	groupMarks = []string{
		"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES", "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES",
	}
	queueCounters = []string{
		"SAI_QUEUE_STAT_PACKETS", "SAI_QUEUE_STAT_BYTES", "SAI_QUEUE_STAT_DROPPED_PACKETS", "SAI_QUEUE_STAT_DROPPED_BYTES",
	}
	markCounters = []string{
		"SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS", "SAI_QUEUE_STAT_WRED_ECN_MARKED_BYTES", "SAI_QUEUE_STAT_WRED_DROPPED_PACKETS",
		"SAI_QUEUE_STAT_WRED_DROPPED_BYTES",
	}
	watchdogCounters = []string{
		"PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", "PFC_WD_QUEUE_STATS_TX_PACKETS",
		"PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS", "PFC_WD_QUEUE_STATS_RX_PACKETS", "PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS",
	}
)

// counters returns COUNTERS_DB: maps of names to objects, and the counters of each object.
func (s *Switch) counters(sp *space) table {
	out := table{}
	put := func(name, field, v string) {
		if out[name] == nil {
			out[name] = row{}
		}
		out[name][field] = v
	}
	count := func(port, name string) string { return strconv.FormatUint(s.m.Counter(port, name), 10) }
	for n, port := range slices.SortedFunc(maps.Keys(sp.Config["PORT"]), naturally) {
		oid := portOID(n)
		put("COUNTERS_PORT_NAME_MAP", port, oid)
		for i := range 8 {
			for _, dir := range []string{"RX_PKTS", "TX_PKTS", "RX_PAUSE_DURATION_US", "TX_PAUSE_DURATION_US"} {
				name := "SAI_PORT_STAT_PFC_" + strconv.Itoa(i) + "_" + dir
				put("COUNTERS:"+oid, name, count(port, name))
			}
			at := ":" + strconv.Itoa(i)
			queue, group := queueOID(n, i), groupOID(n, i)
			put("COUNTERS_QUEUE_NAME_MAP", port+at, queue)
			put("COUNTERS_QUEUE_PORT_MAP", queue, oid)
			put("COUNTERS_QUEUE_INDEX_MAP", queue, strconv.Itoa(i))
			put("COUNTERS_QUEUE_TYPE_MAP", queue, "SAI_QUEUE_TYPE_UNICAST")
			put("COUNTERS_PG_NAME_MAP", port+at, group)
			put("COUNTERS_PG_PORT_MAP", group, oid)
			put("COUNTERS_PG_INDEX_MAP", group, strconv.Itoa(i))
			for _, name := range queueCounters {
				put("COUNTERS:"+queue, name, count(port, name+at))
			}
			for _, name := range groupCounters {
				put("COUNTERS:"+group, name, count(port, name+at))
			}
			for _, name := range groupMarks {
				put("USER_WATERMARKS:"+group, name, count(port, name+at))
				put("PERSISTENT_WATERMARKS:"+group, name, count(port, name+at))
			}
			if s.since("202505") && sp.Config["FLEX_COUNTER_TABLE"]["WRED_ECN_QUEUE"]["FLEX_COUNTER_STATUS"] == "enable" {
				for _, name := range markCounters {
					put("COUNTERS:"+queue, name, count(port, name+at))
				}
			}
			if sp.watched(port, i) {
				put("COUNTERS:"+queue, "PFC_WD_STATUS", "operational")
				if s.m.Counter(port, "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"+at) > s.m.Counter(port, "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED"+at) {
					put("COUNTERS:"+queue, "PFC_WD_STATUS", "stormed")
				}
				for _, name := range watchdogCounters {
					put("COUNTERS:"+queue, name, count(port, name+at))
				}
			}
		}
		for _, name := range []string{"SAI_PORT_STAT_IF_IN_DISCARDS", "SAI_PORT_STAT_IF_OUT_DISCARDS", "SAI_PORT_STAT_IF_IN_ERRORS"} {
			put("COUNTERS:"+oid, name, count(port, name))
		}
	}
	return out
}

// watched reports whether the watchdog watches a priority of a port.
func (sp *space) watched(port string, priority int) bool {
	w, q := sp.Config["PFC_WD"][port], sp.Config["PORT_QOS_MAP"][port]
	on := q["pfc_enable"]
	if v, ok := q["pfcwd_sw_enable"]; ok {
		on = v
	}
	return w["detection_time"] != "" && slices.Contains(strings.Split(on, ","), strconv.Itoa(priority))
}
