package sim

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// pfcwd simulates the watchdog's program pfcwd: interval, start, stop and show. It writes CONFIG_DB itself, without the allow-list.
func (s *Switch) pfcwd(p *target.Proc) int {
	c := &call{Switch: s, p: p, command: "pfcwd", usage: "[OPTIONS] COMMAND [ARGS]..."}
	words := p.Args[1:]
	if len(words) == 0 {
		p.Print("Usage: pfcwd [OPTIONS] COMMAND [ARGS]...\n")
		return 0
	}
	verb, rest := words[0], words[1:]
	c.command += " " + verb
	switch verb {
	case "interval":
		c.usage = "[OPTIONS] POLL_INTERVAL"
		if status, ok := c.parse(rest, nil, 1, "POLL_INTERVAL"); !ok {
			return status
		}
		return c.interval()
	case "start":
		c.usage = "[OPTIONS] [PORTS]... DETECTION_TIME"
		flags := []flag{{"--action", "-a", true}, {"--restoration-time", "-r", true}}
		if s.since("202511") {
			flags = append(flags, flag{"--pfc-stat-history", "", false})
		}
		if status, ok := c.parse(rest, flags, -1, "DETECTION_TIME"); !ok {
			return status
		}
		return c.start()
	case "stop":
		c.usage = "[OPTIONS] [PORTS]..."
		if status, ok := c.parse(rest, nil, -1); !ok {
			return status
		}
		return c.stop()
	case "show":
		if len(rest) > 0 && (rest[0] == "config" || rest[0] == "stats") {
			c.command, c.usage = c.command+" "+rest[0], "[OPTIONS] [PORTS]..."
			if status, ok := c.parse(rest[1:], []flag{{"--display", "-d", true}, {"--namespace", "-n", true}, {"--empty", "-e", false}}, -1); !ok {
				return status
			}
			if rest[0] == "config" {
				return c.watchdogConfig()
			}
			return c.watchdogStats()
		}
	}
	c.command = "pfcwd"
	return c.wrong("No such command %s.", c.quoted(verb))
}

// between reads a number of an argument or option as click's IntRange does.
func (c *call) between(name, v string, low, high int) (int, bool) {
	n, err := strconv.Atoi(v)
	later := c.since("202511")
	var why string
	switch {
	case err != nil && later:
		why = fmt.Sprintf("'%s' is not a valid integer range.", v)
	case err != nil:
		why = v + " is not a valid integer"
	case n >= low && n <= high:
		return n, true
	case later:
		why = fmt.Sprintf("%d is not in the range %d<=x<=%d.", n, low, high)
	default:
		why = fmt.Sprintf("%d is not in the valid range of %d to %d.", n, low, high)
	}
	c.wrong("Invalid value for %s: %s", c.quoted(name), why)
	return 0, false
}

func (c *call) interval() int {
	most := 3000
	if c.since("202511") {
		most = 1000
	}
	n, ok := c.between("POLL_INTERVAL", c.args[0], 100, most)
	if !ok {
		return 2
	}
	if !c.p.Root {
		return c.p.Fail(1, rootOnly)
	}
	status := 0
	err := c.change(func() error {
		for _, ns := range c.names() {
			sp := c.Spaces[ns]
			least, what := most, ""
			for _, key := range slices.Sorted(maps.Keys(sp.Config["PFC_WD"])) {
				for _, field := range []string{"detection_time", "restoration_time"} {
					if v := atoi(sp.Config["PFC_WD"][key][field], most); v < least {
						least, what = v, strings.ReplaceAll(field, "_", " ")
					}
				}
			}
			if least < n {
				status = c.p.Fail(1, "unable to use polling interval = %dms, value is bigger than one of the configured %s values, please choose "+
					"a smaller polling_interval", n, what)
				return nil
			}
			if c.Chips < 2 || ns != "" {
				sp.modify("PFC_WD", "GLOBAL", row{"POLL_INTERVAL": strconv.Itoa(n)})
			}
		}
		return nil
	})
	if err != nil {
		return c.p.Fail(1, "Error: %v", err)
	}
	return status
}

func (c *call) start() int {
	last := len(c.args) - 1
	ports := c.args[:last]
	detection, ok := c.between("DETECTION_TIME", c.args[last], 100, 5000)
	if !ok {
		return 2
	}
	r := row{"detection_time": strconv.Itoa(detection)}
	if a := c.set["--action"]; len(a) > 0 {
		if r["action"] = a[0]; !slices.Contains([]string{"drop", "forward", "alert"}, a[0]) {
			why := "invalid choice: " + a[0] + ". (choose from drop, forward, alert)"
			if c.since("202511") {
				why = "'" + a[0] + "' is not one of 'drop', 'forward', 'alert'."
			}
			return c.wrong("Invalid value for %s / %s: %s", c.quoted("--action"), c.quoted("-a"), why)
		}
	}
	if v := c.set["--restoration-time"]; len(v) > 0 {
		if _, ok := c.between("--restoration-time", v[0], 100, 60000); !ok {
			return 2
		}
		r["restoration_time"] = v[0]
	}
	var all []string
	c.m.Do(func() {
		for _, sp := range c.Spaces {
			all = append(all, slices.Collect(maps.Keys(sp.Config["PORT"]))...)
		}
	})
	slices.SortFunc(all, naturally)
	var invalid []string
	for _, p := range ports {
		if p != "all" && !slices.Contains(all, p) {
			invalid = append(invalid, p)
		}
	}
	if len(invalid) > 0 {
		c.say("Failed to run command, invalid options:\n%s", strings.Join(invalid, "\n"))
		return 1
	}
	if !c.p.Root {
		return c.p.Fail(1, rootOnly)
	}
	if r["restoration_time"] == "" {
		r["restoration_time"] = strconv.Itoa(2 * detection)
		c.say("restoration time not defined; default to 2 times detection time: %d ms", 2*detection)
	}
	if len(ports) == 0 || slices.Contains(ports, "all") {
		ports = all
	}
	err := c.change(func() error {
		for _, port := range ports {
			for _, ns := range c.names() {
				sp := c.Spaces[ns]
				if _, ok := sp.Config["PORT"][port]; !ok {
					continue
				}
				if _, ok := sp.Config["PORT_QOS_MAP"][port]["pfc_enable"]; !ok {
					c.say("SKIPPED: PFC is not enabled on port: %s", port)
					continue
				}
				fields := maps.Clone(r)
				if c.since("202511") {
					fields["pfc_stat_history"] = or(sp.Config["PFC_WD"][port]["pfc_stat_history"], "disable")
					if len(c.set["--pfc-stat-history"]) > 0 {
						fields["pfc_stat_history"] = "enable"
					}
				}
				sp.put("PFC_WD", port, fields)
			}
		}
		return nil
	})
	if err != nil {
		return c.p.Fail(1, "Error: %v", err)
	}
	return 0
}

func (c *call) stop() int {
	if !c.p.Root {
		return c.p.Fail(1, rootOnly)
	}
	err := c.change(func() error {
		for _, ns := range c.names() {
			for _, port := range slices.SortedFunc(maps.Keys(c.Spaces[ns].Config["PORT"]), naturally) {
				if len(c.args) == 0 || slices.Contains(c.args, port) {
					c.Spaces[ns].put("PFC_WD", port, nil)
				}
			}
		}
		return nil
	})
	if err != nil {
		return c.p.Fail(1, "Error: %v", err)
	}
	return 0
}

func (c *call) watchdogConfig() int {
	c.m.Do(func() {
		var rows [][]string
		head := []string{"PORT", "ACTION", "DETECTION TIME", "RESTORATION TIME"}
		if c.since("202511") {
			head = append(head, "HISTORY")
		}
		for _, ns := range c.names() {
			wd := c.Spaces[ns].Config["PFC_WD"]
			found := false
			for _, port := range slices.SortedFunc(maps.Keys(wd), naturally) {
				if port == "GLOBAL" || len(c.args) > 0 && !slices.Contains(c.args, port) {
					continue
				}
				r := wd[port]
				line := []string{port, or(r["action"], "drop"), or(r["detection_time"], "N/A"), or(r["restoration_time"], "infinite")}
				if c.since("202511") {
					line = append(line, or(r["pfc_stat_history"], "disable"))
				}
				rows, found = append(rows, line), true
			}
			if v := wd["GLOBAL"]["POLL_INTERVAL"]; v != "" && found {
				c.say("Changed polling interval to %sms", v)
			}
		}
		c.p.Print(tabulate(head, rows))
	})
	return 0
}

func (c *call) watchdogStats() int {
	c.m.Do(func() {
		var rows [][]string
		for _, ns := range c.names() {
			db := c.counters(c.Spaces[ns])
			for _, name := range slices.SortedFunc(maps.Keys(db["COUNTERS_QUEUE_NAME_MAP"]), naturally) {
				r := db["COUNTERS:"+db["COUNTERS_QUEUE_NAME_MAP"][name]]
				pair := func(a, b string) string {
					return or(r["PFC_WD_QUEUE_STATS_"+a], "0") + "/" + or(r["PFC_WD_QUEUE_STATS_"+b], "0")
				}
				line := []string{
					name, or(r["PFC_WD_STATUS"], "N/A"), pair("DEADLOCK_DETECTED", "DEADLOCK_RESTORED"), pair("TX_PACKETS", "TX_DROPPED_PACKETS"),
					pair("RX_PACKETS", "RX_DROPPED_PACKETS"), "0/0", "0/0",
				}
				some := slices.ContainsFunc(line[2:], func(v string) bool { return v != "0/0" })
				if (some || len(c.set["--empty"]) > 0) && (len(c.args) == 0 || slices.Contains(c.args, name)) {
					rows = append(rows, line)
				}
			}
		}
		c.p.Print(tabulate([]string{
			"QUEUE", "STATUS", "STORM DETECTED/RESTORED", "TX OK/DROP", "RX OK/DROP", "TX LAST OK/DROP", "RX LAST OK/DROP",
		}, rows))
	})
	return 0
}

// wredFields returns the fields that ecnconfig can set, by its options.
func wredFields() map[byte]string {
	return map[byte]string{
		'a': "green_max_threshold", 'b': "green_min_threshold", 'c': "yellow_max_threshold", 'd': "yellow_min_threshold",
		'e': "red_max_threshold", 'f': "red_min_threshold", 'g': "green_drop_probability", 'h': "yellow_drop_probability",
		'i': "red_drop_probability",
	}
}

// ecnLong returns the options of ecnconfig; argparse accepts the short ones with one hyphen as well.
func ecnLong() map[string]byte {
	return map[string]byte{
		"gmax": 'a', "green-max": 'a', "gmin": 'b', "green-min": 'b', "ymax": 'c', "yellow-max": 'c', "ymin": 'd', "yellow-min": 'd', "rmax": 'e',
		"red-max": 'e', "rmin": 'f', "red-min": 'f', "gdrop": 'g', "green-drop-prob": 'g', "ydrop": 'h', "yellow-drop-prob": 'h', "rdrop": 'i',
		"red-drop-prob": 'i', "list": 'l', "l": 'l', "profile": 'p', "p": 'p', "verbose": 'v', "vv": 'v', "namespace": 'n', "n": 'n',
	}
}

// ecnconfig shows and changes profiles of WRED. It checks numbers, and writes CONFIG_DB itself, without the allow-list.
func (s *Switch) ecnconfig(p *target.Proc) int {
	var args []string
	for _, a := range p.Args[1:] {
		if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") {
			a = "-" + a
		}
		args = append(args, a)
	}
	set, rest, complain := target.Getopt(args, "a:b:c:d:e:f:g:h:i:lp:vn:", ecnLong())
	last := func(c byte) string { return append([]string{""}, set[c]...)[len(set[c])] }
	ns := last('n')
	caught := func(format string, args ...any) int {
		return p.Fail(1, "Exception caught:  "+format, args...)
	}
	switch {
	case complain != "" || len(rest) > 0 || ns != "" && !s.since("202405"):
		return p.Fail(2, "usage: ecnconfig [-h] [-l] [-p PROFILE] [-gmin GREEN_MIN] ...\necnconfig: error: unrecognized arguments: %s",
			strings.Join(p.Args[1:], " "))
	case set['l'] != nil:
		return s.listWRED(p, ns)
	case last('p') == "":
		p.Print("usage: ecnconfig [-h] [-l] [-p PROFILE] [-gmin GREEN_MIN] ...\n")
		return 1
	case len(p.Args) < 4:
		return caught("Input arguments error. Specify at least one threshold parameter to set")
	}
	name, status := last('p'), 0
	s.m.Do(func() {
		sp := s.Spaces[ns]
		if sp == nil || sp.Config["WRED_PROFILE"][name] == nil {
			status = caught("Input arguments error. Invalid WRED profile %s", name)
			return
		}
		r := maps.Clone(sp.Config["WRED_PROFILE"][name])
		for c, field := range wredFields() {
			if v := last(c); v != "" {
				r[field] = v
			}
		}
		if says := judgeWRED(r); says != "" {
			p.Print(says)
			status = caught("Input arguments error. Invalid WRED profile parameters")
			return
		}
		if !p.Root {
			status = p.Fail(1, "Root privileges required for this operation")
			return
		}
		if err := s.m.Change(p.CommandLine()); err != nil {
			status = caught("%v", err)
			return
		}
		sp.put("WRED_PROFILE", name, r)
		s.wake()
	})
	return status
}

// judgeWRED describes the mistakes in a profile; empty if it is valid.
func judgeWRED(r row) string {
	digits := func(v string) bool { return v != "" && strings.Trim(v, "0123456789") == "" && len(v) < 18 }
	var b strings.Builder
	for _, color := range []string{"green", "yellow", "red"} {
		c := color[:1]
		for _, end := range []string{"max", "min"} {
			if v, ok := r[color+"_"+end+"_threshold"]; ok && !digits(v) {
				b.WriteString("Invalid " + c + end + " (" + v + "). " + c + end + " should be an non-negative integer.\n")
			}
		}
		if v, ok := r[color+"_drop_probability"]; ok && (!digits(v) || atoi(v, 101) > 100) {
			b.WriteString("Invalid " + c + "drop (" + v + "). " + c + "drop should be an integer between 0 and 100.\n")
		}
	}
	if b.Len() > 0 {
		return b.String()
	}
	for _, color := range []string{"green", "yellow", "red"} {
		low, high := r[color+"_min_threshold"], r[color+"_max_threshold"]
		if c := color[:1]; low != "" && high != "" && atoi(low, 0) > atoi(high, 0) {
			b.WriteString("Invalid " + c + "min (" + low + ") and " + c + "max (" + high + "). " + c + "min should be smaller than " + c + "max\n")
		}
	}
	return b.String()
}

func (s *Switch) listWRED(p *target.Proc, ns string) int {
	s.m.Do(func() {
		for _, n := range s.names() {
			if ns != "" && n != ns {
				continue
			}
			t := s.Spaces[n].Config["WRED_PROFILE"]
			for _, name := range slices.SortedFunc(maps.Keys(t), naturally) {
				p.Print("Profile: " + name + "\n" + properties(t[name]) + "\n")
			}
		}
	})
	return 0
}
