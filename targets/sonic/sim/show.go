package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// shows are the simulated commands of show.
var shows = map[string]func(*call){
	"version":                           (*call).showVersion,
	"pfc counters":                      (*call).showPFC,
	"pfc priority":                      (*call).showPriority,
	"pfcwd config":                      func(c *call) { c.watchdogConfig() },
	"pfcwd stats":                       func(c *call) { c.watchdogStats() },
	"buffer configuration":              func(c *call) { c.showBuffers(false) },
	"buffer information":                func(c *call) { c.showBuffers(true) },
	"priority-group drop counters":      func(c *call) { c.showGroups("Ingress PG dropped packets:", "COUNTERS:", groupCounters[2]) },
	"priority-group watermark headroom": func(c *call) { c.showGroups("Ingress headroom per PG:", "USER_WATERMARKS:", groupMarks[0]) },
	"priority-group watermark shared": func(c *call) {
		c.showGroups("Ingress shared pool occupancy per PG:", "USER_WATERMARKS:", groupMarks[1])
	},
	"queue counters":           (*call).showQueues,
	"interfaces status":        (*call).showInterfaces,
	"runningconfiguration all": (*call).showRunning,
	"mmu":                      func(c *call) { c.showBuffers(false) },
	"ecn":                      func(c *call) { c.listWRED(c.p, "") },
}

// show simulates the program show, which needs no root rights.
func (s *Switch) show(p *target.Proc) int {
	c := &call{Switch: s, p: p, command: "show", usage: "[OPTIONS] COMMAND [ARGS]..."}
	words := p.Args[1:]
	for n := min(len(words), 3); n > 0; n-- {
		f := shows[strings.Join(words[:n], " ")]
		if f == nil {
			continue
		}
		c.command += " " + strings.Join(words[:n], " ")
		flags := []flag{{"--display", "-d", true}, {"--namespace", "-n", true}, {"--verbose", "", false}}
		if words[0] == "queue" || n == 3 && words[1] == "watermark" && c.since("202511") {
			flags = append(flags, flag{"--json", "", false})
		}
		if words[0] == "queue" && c.since("202305") {
			flags = append(flags, flag{"--nonzero", "", false})
		}
		if status, ok := c.parse(words[n:], flags, 1); !ok {
			return status
		}
		f(c)
		return 0
	}
	if len(words) == 0 {
		p.Print("Usage: show [OPTIONS] COMMAND [ARGS]...\n")
		return 0
	}
	return c.wrong("No such command %s.", c.quoted(words[0]))
}

// tabulate writes a table in the form "simple" of Python's tabulate. Text is aligned to the right, or to the left.
func tabulate(head []string, rows [][]string) string     { return aligned(head, rows, "%*s") }
func tabulateLeft(head []string, rows [][]string) string { return aligned(head, rows, "%-*s") }

func aligned(head []string, rows [][]string, cell string) string {
	width := make([]int, len(head))
	for i, h := range head {
		width[i] = len(h) + 2
		for _, r := range rows {
			width[i] = max(width[i], len(r[i]))
		}
	}
	var b strings.Builder
	line := func(cells []string) {
		var line strings.Builder
		for i, c := range cells {
			if i > 0 {
				line.WriteString("  ")
			}
			fmt.Fprintf(&line, cell, width[i], c)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	line(head)
	var rule []string
	for _, w := range width {
		rule = append(rule, strings.Repeat("-", w))
	}
	line(rule)
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

// properties writes a hash as a table without a head.
func properties(r row) string {
	keys := slices.SortedFunc(maps.Keys(r), naturally)
	left, right := 0, 0
	for _, k := range keys {
		left, right = max(left, len(k)), max(right, len(r[k]))
	}
	rule := strings.Repeat("-", left) + "  " + strings.Repeat("-", right) + "\n"
	var b strings.Builder
	b.WriteString(rule)
	for _, k := range keys {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-*s  %s", left, k, r[k]), " ") + "\n")
	}
	b.WriteString(rule)
	return b.String()
}

// eachSpace calls f for every namespace that has ports.
func (c *call) eachSpace(f func(ns string, sp *space)) {
	c.m.Do(func() {
		for _, ns := range c.names() {
			if sp := c.Spaces[ns]; len(sp.Config["PORT"]) > 0 {
				f(ns, sp)
			}
		}
	})
}

func (c *call) showVersion() {
	c.m.Do(func() {
		meta := c.Spaces[""].Config["DEVICE_METADATA"]["localhost"]
		c.say("\nSONiC Software Version: SONiC.%s\nSONiC OS Version: 12\nDistribution: Debian 12.11\nKernel: 6.1.0-29-2-amd64", c.Build)
		c.say("Build commit: 1a2b3c4d5\nBuild date: Mon Nov 23 10:00:00 UTC 2026\nBuilt by: builder@lab\n")
		c.say("Platform: %s\nHwSKU: %s\nASIC: %s\nASIC Count: %d", meta["platform"], meta["hwsku"], c.ASIC, max(c.Chips, 1))
		c.say("Serial Number: LAB0000001\nModel Number: %s\nHardware Revision: A1\nUptime: up %v\n", meta["hwsku"], c.m.Now())
	})
}

// commas writes a number with commas between thousands.
func commas(text string) string {
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func (c *call) showPFC() {
	for _, dir := range []string{"Rx", "Tx"} {
		head := []string{"Port " + dir}
		for i := range 8 {
			head = append(head, "PFC"+strconv.Itoa(i))
		}
		var rows [][]string
		c.eachSpace(func(_ string, sp *space) {
			db := c.counters(sp)
			for _, port := range slices.SortedFunc(maps.Keys(sp.Config["PORT"]), naturally) {
				r := db["COUNTERS:"+db["COUNTERS_PORT_NAME_MAP"][port]]
				line := []string{port}
				for i := range 8 {
					line = append(line, commas(r[fmt.Sprintf("SAI_PORT_STAT_PFC_%d_%s_PKTS", i, strings.ToUpper(dir))]))
				}
				rows = append(rows, line)
			}
		})
		c.p.Print(tabulate(head, rows) + "\n")
	}
}

func (c *call) showPriority() {
	var rows [][]string
	c.eachSpace(func(_ string, sp *space) {
		t := sp.Config["PORT_QOS_MAP"]
		for _, port := range slices.SortedFunc(maps.Keys(t), naturally) {
			if len(c.args) > 0 && c.args[0] != port {
				continue
			}
			on, ok := t[port]["pfc_enable"]
			if !ok {
				on = "N/A"
			}
			rows = append(rows, []string{port, on})
		}
	})
	if len(c.args) > 0 && len(rows) == 0 {
		c.say("Cannot find interface %s", c.args[0])
		return
	}
	c.p.Print("\n" + tabulateLeft([]string{"Interface", "Lossless priorities"}, rows) + "\n")
}

// showBuffers prints the pools and profiles of CONFIG_DB, or those in use.
func (c *call) showBuffers(inUse bool) {
	c.eachSpace(func(_ string, sp *space) {
		pools, profiles := sp.Config["BUFFER_POOL"], sp.Config["BUFFER_PROFILE"]
		if inUse {
			pools, profiles = table{}, table{}
			for key, r := range sp.Appl {
				if name, ok := strings.CutPrefix(key, "BUFFER_POOL_TABLE:"); ok {
					pools[name] = r
				} else if name, ok := strings.CutPrefix(key, "BUFFER_PROFILE_TABLE:"); ok {
					profiles[name] = r
				}
			}
		}
		for _, kind := range []struct {
			word, none string
			t          table
		}{{"Pool", "No buffer pool information available", pools}, {"Profile", "No buffer profile information available", profiles}} {
			if len(kind.t) == 0 {
				c.say("%s", kind.none)
			}
			for _, name := range slices.SortedFunc(maps.Keys(kind.t), naturally) {
				c.p.Print(kind.word + ": " + name + "\n" + properties(kind.t[name]) + "\n")
			}
		}
	})
}

// showGroups prints one counter of all priority groups.
func (c *call) showGroups(title, prefix, counter string) {
	head := []string{"Port"}
	for i := range 8 {
		head = append(head, "PG"+strconv.Itoa(i))
	}
	var rows [][]string
	c.eachSpace(func(_ string, sp *space) {
		db := c.counters(sp)
		for _, port := range slices.SortedFunc(maps.Keys(sp.Config["PORT"]), naturally) {
			line := []string{port}
			for i := range 8 {
				line = append(line, db[prefix+db["COUNTERS_PG_NAME_MAP"][port+":"+strconv.Itoa(i)]][counter])
			}
			rows = append(rows, line)
		}
	})
	if len(c.set["--json"]) > 0 {
		ports := []any{}
		for _, r := range rows {
			line := map[string]any{}
			for i, v := range r {
				line[head[i]] = v
			}
			ports = append(ports, line)
		}
		c.say("%s", indented(ports))
		return
	}
	c.p.Print(title + "\n" + tabulate(head, rows))
}

func (c *call) showQueues() {
	object := map[string]any{}
	c.eachSpace(func(_ string, sp *space) {
		db := c.counters(sp)
		for _, port := range slices.SortedFunc(maps.Keys(sp.Config["PORT"]), naturally) {
			if len(c.args) > 0 && c.args[0] != port {
				continue
			}
			queues := map[string]any{}
			var rows [][]string
			for i := range 8 {
				r := db["COUNTERS:"+db["COUNTERS_QUEUE_NAME_MAP"][port+":"+strconv.Itoa(i)]]
				name := "UC" + strconv.Itoa(i)
				line := []string{port, name}
				for _, q := range queueCounters {
					line = append(line, commas(r[q]))
				}
				if len(c.set["--nonzero"]) > 0 && slices.Equal(line[2:], []string{"0", "0", "0", "0"}) {
					continue
				}
				rows = append(rows, line)
				queues[name] = map[string]any{"totalpacket": line[2], "totalbytes": line[3], "droppacket": line[4], "dropbytes": line[5]}
			}
			if len(c.set["--json"]) > 0 {
				queues["time"] = json.Number(strconv.FormatFloat(c.m.Now().Seconds(), 'f', 6, 64))
				object[port] = queues
				continue
			}
			if len(rows) > 0 {
				c.p.Print(tabulate([]string{"Port", "TxQ", "Counter/pkts", "Counter/bytes", "Drop/pkts", "Drop/bytes"}, rows) + "\n")
			}
		}
	})
	if len(c.set["--json"]) > 0 {
		c.say("%s", indented(object))
	}
}

func (c *call) showInterfaces() {
	var rows [][]string
	c.eachSpace(func(_ string, sp *space) {
		for _, port := range slices.SortedFunc(maps.Keys(sp.Config["PORT"]), naturally) {
			if len(c.args) > 0 && c.args[0] != port {
				continue
			}
			r, a := sp.Config["PORT"][port], sp.Appl["PORT_TABLE:"+port]
			rows = append(rows, []string{
				port, r["lanes"], strconv.Itoa(atoi(r["speed"], 0)/1000) + "G", or(r["mtu"], "N/A"), or(r["fec"], "N/A"), or(r["alias"], "N/A"),
				"routed",
				or(a["oper_status"], "down"), or(a["admin_status"], "down"), "N/A", "N/A",
			})
		}
	})
	c.p.Print(tabulate([]string{"Interface", "Lanes", "Speed", "MTU", "FEC", "Alias", "Vlan", "Oper", "Admin", "Type", "Asym PFC"}, rows))
}

func (c *call) showRunning() {
	c.m.Do(func() { c.say("%s", indented(c.everything())) })
}
