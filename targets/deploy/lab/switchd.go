package lab

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// switchd is the daemon of Cumulus Linux that programs the switch chip from traffic.conf. What a real one does with a
// bad file differs by release and is not documented for 3.x; this one refuses it, as the syntax checker of 4.2 and
// later would, and stays down.

const (
	switchdUnit = "switchd.service"
	trafficConf = "/etc/cumulus/datapath/traffic.conf"
	reloadNode  = "/cumulus/switchd/config/traffic/reload"
)

// plantSwitchd gives a switch what only switches have. Which of it a release has shows in its image.
func (d *Device) plantSwitchd() {
	f := d.fs
	f.mu.Lock()
	f.plantDir("/cumulus", true)
	_, err := f.find(cred{}, reloadNode, true)
	f.mu.Unlock()
	if err == nil {
		f.plant(reloadNode, f.knob(0o644, knob{
			read: func() (string, error) { return "0\n", nil },
			write: func(s string) error {
				if strings.TrimSpace(s) != "1" {
					return eInval
				}
				return d.reloadSwitchd()
			},
		}))
	}
	d.checker = d.hasChecker()
	if d.checker {
		n := f.newNode(0o755, 0, 0)
		n.program = cmdConsistencyCheck
		f.plant("/usr/cumulus/bin/cl-consistency-check", n)
		link := f.newNode(0o777, 0, 0)
		link.program = cmdConsistencyCheck
		f.plant("/usr/bin/cl-consistency-check", link)
	}
}

// hasChecker tells whether the release has the syntax checker; the manuals have it from 4.2 on.
func (d *Device) hasChecker() bool {
	text, _ := d.fs.readFile("/etc/os-release")
	for line := range strings.Lines(string(text)) {
		v, ok := strings.CutPrefix(strings.TrimSpace(line), "VERSION_ID=")
		if !ok {
			continue
		}
		major, rest, _ := strings.Cut(strings.Trim(v, `"`), ".")
		minor, _, _ := strings.Cut(rest, ".")
		m, _ := strconv.Atoi(major)
		n, _ := strconv.Atoi(minor)
		return m > 4 || m == 4 && n >= 2
	}
	return false
}

// loadSwitchd is a start of switchd: it takes the file, or does not come up.
func (d *Device) loadSwitchd() error {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	return d.reloadSwitchd()
}

// reloadSwitchd is called with fs.mu held.
func (d *Device) reloadSwitchd() error {
	at, err := d.fs.find(cred{}, trafficConf, true)
	if err != nil {
		return nil // switchd starts without one
	}
	if errs := checkTraffic(string(at.node.data), d.checker); len(errs) > 0 {
		d.logSwitchd(errs)
		return eIO
	}
	d.loads = append(d.loads, string(at.node.data))
	return nil
}

// logSwitchd writes switchd's log. It is the daemon's doing, not the person's, so it is no change.
func (d *Device) logSwitchd(errs []string) {
	dir := d.fs.plantDir("/var/log", false)
	n := dir.kids["switchd.log"]
	if n == nil {
		n = d.fs.file(0o644, "")
		dir.kids["switchd.log"] = n
	}
	for _, e := range errs {
		line := "switchd: " + e + "\n"
		n.data = append(n.data, line...)
		d.fs.used += len(line)
	}
}

// Loaded returns the traffic.conf switchd runs with, and how often it took one since the device was switched on.
func (d *Device) Loaded() (content []byte, times int) {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	if len(d.loads) == 0 {
		return nil, 0
	}
	return []byte(d.loads[len(d.loads)-1]), len(d.loads)
}

// cmdConsistencyCheck is cl-consistency-check --datapath-syntax-check [-q] [-t FILE].
func cmdConsistencyCheck(_ context.Context, p *proc) int {
	set, rest, ok := p.flags("qt:hd", map[string]byte{"datapath-syntax-check": 'd', "help": 'h'})
	if !ok || len(rest) > 0 || set['d'] == nil {
		return p.fail("usage: cl-consistency-check --datapath-syntax-check [-q] [-t FILE]")
	}
	file, given := last(set, 't')
	if !given {
		file = trafficConf
	}
	data, err := p.input(file)
	if err != nil {
		return p.fail("%s: %v", file, err)
	}
	errs := checkTraffic(string(data), true)
	switch {
	case set['q'] != nil:
		p.d.fs.mu.Lock()
		p.d.logSwitchd(errs)
		p.d.fs.mu.Unlock()
	case len(errs) > 0:
		for _, e := range errs {
			fmt.Fprintln(p.stderr, e)
		}
		fmt.Fprintf(p.stderr, "Errors detected while checking traffic config file %s\n", file)
	default:
		p.printf("No errors detected in traffic config file %s\n", file)
	}
	if len(errs) > 0 {
		return 1
	}
	return p.done(0)
}

// checkTraffic finds what is wrong with a traffic.conf: lines that are no settings, values that cannot be, port groups without ports, ports and cos that cannot be.
//
// Releases with the checker want the map of a trusted field complete; the manuals before print partial ones, and say
// that what is not mapped gets a default priority.
func checkTraffic(text string, complete bool) []string {
	var errs []string
	conf := map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || key == "" || value == "" || strings.ContainsAny(key, " \t") {
			errs = append(errs, fmt.Sprintf("Syntax error in line %d: %q", i+1, line))
			continue
		}
		conf[key] = value
	}
	if len(errs) > 0 {
		return errs
	}
	errs = append(errs, checkMap(conf, complete)...)
	errs = append(errs, checkPriorityGroups(conf)...)
	for _, feature := range []string{"pfc", "link_pause", "ecn", "ecn_red"} {
		errs = append(errs, checkPortGroups(conf, feature)...)
	}
	return errs
}

func list(value string) []string {
	value = strings.Trim(strings.TrimSpace(value), "[]")
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
}

// checkMap wants every value of every trusted field mapped, where the release does.
func checkMap(conf map[string]string, complete bool) []string {
	trusted := list(conf["traffic.packet_priority_source_set"])
	scalar := conf["traffic.packet_priority_source"]
	if scalar != "" {
		trusted = []string{scalar}
	}
	var errs []string
	for _, field := range trusted {
		word, top := map[string]string{"802.1p": "8021p", "dscp": "dscp"}[field], map[string]int{"802.1p": 7, "dscp": 63}[field]
		if word == "" {
			errs = append(errs, fmt.Sprintf("Traffic source %s: unknown", field))
			continue
		}
		seen := map[string]bool{}
		for n := range 8 {
			cos := fmt.Sprintf("traffic.cos_%d.", n)
			for _, key := range []string{cos + "priority_source." + word, cos + "packet_priorities." + word, cos + "packet_priorities"} {
				for _, v := range list(conf[key]) {
					if k, err := strconv.Atoi(v); err != nil || k < 0 || k > top {
						errs = append(errs, fmt.Sprintf("Traffic source %s: invalid priority value '%s' in %s", word, v, key))
					}
					seen[v] = true
				}
			}
		}
		for k := range top + 1 {
			if complete && !seen[strconv.Itoa(k)] {
				errs = append(errs, fmt.Sprintf("Traffic source %s: missing mapping for priority value '%d'", word, k))
			}
		}
	}
	return errs
}

// checkPriorityGroups wants every cos in exactly one group of the list.
func checkPriorityGroups(conf map[string]string) []string {
	groups, ok := conf["traffic.priority_group_list"]
	if !ok {
		return nil
	}
	var errs []string
	in := map[string]string{}
	for _, g := range list(groups) {
		for _, cos := range list(conf["priority_group."+g+".cos_list"]) {
			if other := in[cos]; other != "" {
				errs = append(errs, fmt.Sprintf("cos %s is in the priority groups %s and %s", cos, other, g))
			}
			in[cos] = g
		}
	}
	for n := range 8 {
		if in[strconv.Itoa(n)] == "" {
			errs = append(errs, fmt.Sprintf("cos %d is in no priority group", n))
		}
	}
	return errs
}

// checkPortGroups wants every listed port group to have its ports and cos.
func checkPortGroups(conf map[string]string, feature string) []string {
	var errs []string
	listed := list(conf[feature+".port_group_list"])
	for _, g := range listed {
		prefix := feature + "." + g + "."
		if conf[prefix+"port_set"] == "" {
			errs = append(errs, fmt.Sprintf("%s: port group %s has no port_set", feature, g))
		}
		for item := range strings.SplitSeq(conf[prefix+"port_set"], ",") {
			for _, port := range strings.SplitN(strings.TrimSpace(item), "-", 2) {
				if rest, ok := strings.CutPrefix(port, "swp"); item != "" && (!ok || rest == "" || rest[0] < '0' || rest[0] > '9') {
					errs = append(errs, fmt.Sprintf("%s: port group %s: no such port: %q", feature, g, port))
				}
			}
		}
		if feature != "link_pause" {
			if _, ok := conf[prefix+"cos_list"]; !ok {
				errs = append(errs, fmt.Sprintf("%s: port group %s has no cos_list", feature, g))
			}
		}
		for _, cos := range list(conf[prefix+"cos_list"]) {
			if n, err := strconv.Atoi(cos); err != nil || n < 0 || n > 7 {
				errs = append(errs, fmt.Sprintf("%s: port group %s: no such cos: %q", feature, g, cos))
			}
		}
		for _, key := range slices.Sorted(maps.Keys(conf)) {
			value := conf[key]
			numeric := strings.HasSuffix(key, "_bytes") || strings.HasSuffix(key, "_size") || strings.HasSuffix(key, "_delta")
			if _, err := strconv.ParseUint(value, 10, 32); strings.HasPrefix(key, prefix) && numeric && err != nil {
				errs = append(errs, fmt.Sprintf("%s: %s is no number of bytes: %q", feature, key, value))
			}
		}
	}
	return errs
}
