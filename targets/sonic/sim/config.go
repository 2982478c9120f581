package sim

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// call is one run of a program that is built with click.
type call struct {
	*Switch
	p       *target.Proc
	command string // "config apply-patch"
	usage   string // "[OPTIONS] PATCH_FILE_PATH"
	set     map[string][]string
	args    []string
	log     strings.Builder // the output of a change of the configuration; a killed program prints nothing
}

// rootOnly is the message of config, pfcwd and others to users other than root. exit prints it on the error output.
const rootOnly = "Root privileges are required for this operation"

// flag is an option: its long and short name, and whether it has a value.
type flag struct {
	long, short string
	value       bool
}

// The options of config's commands.
var (
	dryRun   = flag{"--dry-run", "-d", false}
	verbose  = flag{"--verbose", "-v", false}
	loose    = flag{"--ignore-non-yang-tables", "-n", false}
	ignore   = flag{"--ignore-path", "-i", true}
	format   = flag{"--format", "-f", true}
	parallel = flag{"--parallel", "-p", false}
	yes      = flag{"--yes", "-y", false}
)

// quoted returns a word with the quotes of click: 7.0 up to 202505, 8 from 202511 on.
func (c *call) quoted(word string) string {
	if c.since("202511") {
		return "'" + word + "'"
	}
	return `"` + word + `"`
}

// wrong ends a command with its usage, as click does.
func (c *call) wrong(format string, args ...any) int {
	fmt.Fprintf(c.p.Stderr, "Usage: %s %s\nTry %s for help.\n\nError: ", c.command, c.usage, c.quoted(c.command+" -h"))
	return c.p.Fail(2, format, args...)
}

// parse reads the options and arguments of a command. If the command must end, ok is false and status is its exit status. most is the
// maximum number of arguments, and the named arguments are required.
func (c *call) parse(words []string, flags []flag, most int, named ...string) (status int, ok bool) {
	c.set = map[string][]string{}
	for len(words) > 0 {
		w := words[0]
		words = words[1:]
		if w == "-h" || w == "--help" || w == "-?" {
			c.p.Print("Usage: " + c.command + " " + c.usage + "\n")
			return 0, false
		}
		if _, err := strconv.Atoi(w); !strings.HasPrefix(w, "-") || w == "-" || err == nil {
			c.args = append(c.args, w)
			continue
		}
		name, v, given := strings.Cut(w, "=")
		i := slices.IndexFunc(flags, func(f flag) bool { return f.long == name || f.short == name })
		switch {
		case i < 0 && c.since("202511"):
			return c.wrong("No such option: %s", name), false
		case i < 0:
			return c.wrong("no such option: %s", name), false
		case flags[i].value && !given:
			if len(words) == 0 && c.since("202511") {
				return c.wrong("Option %s requires an argument.", c.quoted(name)), false
			} else if len(words) == 0 {
				return c.wrong("%s option requires an argument", name), false
			}
			v, words = words[0], words[1:]
		}
		c.set[flags[i].long] = append(c.set[flags[i].long], v)
	}
	if len(c.args) < len(named) {
		return c.wrong("Missing argument %s.", c.quoted(named[len(c.args)])), false
	}
	if most >= 0 && len(c.args) > most {
		return c.wrong("Got unexpected extra argument (%s)", strings.Join(c.args[most:], " ")), false
	}
	return 0, true
}

func (c *call) has(f flag) bool { return len(c.set[f.long]) > 0 }

func (c *call) say(format string, args ...any) { c.p.Print(fmt.Sprintf(format+"\n", args...)) }

// confirm asks, unless -y is set, and reports whether the answer is yes.
func (c *call) confirm(question string) bool {
	if c.has(yes) {
		return true
	}
	c.p.Print(question + " [y/N]: ")
	answer, _ := c.p.ReadFile("-")
	if strings.HasPrefix(strings.ToLower(strings.TrimSpace(string(answer))), "y") {
		return true
	}
	c.p.Fail(1, "Aborted!")
	return false
}

// verbs are the simulated commands of config: their usage, options, maximum number of arguments, and required arguments.
var verbs = map[string]struct {
	usage string
	flags []flag
	most  int
	named []string
	run   func(*call) int
}{
	"apply-patch": {
		"[OPTIONS] PATCH_FILE_PATH",
		[]flag{format, dryRun, parallel, loose, ignore, verbose},
		1,
		[]string{"PATCH_FILE_PATH"},
		(*call).applyPatchFile,
	},
	"replace": {
		"[OPTIONS] TARGET_FILE_PATH", []flag{format, dryRun, loose, ignore, verbose}, 1, []string{"TARGET_FILE_PATH"}, (*call).replaceFile,
	},
	"rollback": {
		"[OPTIONS] CHECKPOINT_NAME", []flag{dryRun, loose, ignore, verbose}, 1, []string{"CHECKPOINT_NAME"}, (*call).rollback,
	},
	"checkpoint":        {"[OPTIONS] CHECKPOINT_NAME", []flag{verbose}, 1, []string{"CHECKPOINT_NAME"}, (*call).checkpoint},
	"delete-checkpoint": {"[OPTIONS] CHECKPOINT_NAME", []flag{verbose}, 1, []string{"CHECKPOINT_NAME"}, (*call).deleteCheckpoint},
	"list-checkpoints":  {"[OPTIONS]", []flag{verbose}, 0, nil, (*call).listCheckpoints},
	"save":              {"[OPTIONS] [FILENAME]", []flag{yes}, 1, nil, (*call).save},
	"load":              {"[OPTIONS] [FILENAME]", []flag{yes}, 1, nil, (*call).loadFile},
	"reload": {
		"[OPTIONS] [FILENAME]", []flag{yes, {"--force", "-f", false}, {"--no_service_restart", "-n", false}}, 1, nil, (*call).reload,
	},
	"qos reload": {
		"[OPTIONS]",
		[]flag{{"--ports", "", true}, {"--no-dynamic-buffer", "", false}, {"--no-delay", "", false}, {"--dry_run", "", true}, verbose},
		0, nil,
		(*call).qosReload,
	},
	"qos clear":          {"[OPTIONS]", []flag{verbose}, 0, nil, (*call).qosClear},
	"interface startup":  {"[OPTIONS] <interface_name>", nil, 1, []string{"<interface_name>"}, (*call).adminUp},
	"interface shutdown": {"[OPTIONS] <interface_name>", nil, 1, []string{"<interface_name>"}, (*call).adminDown},
}

// config simulates the program config.
func (s *Switch) config(p *target.Proc) (status int) {
	c := &call{Switch: s, p: p, command: "config", usage: "[OPTIONS] COMMAND [ARGS]..."}
	words := p.Args[1:]
	if !p.Root {
		return p.Fail(1, rootOnly)
	}
	if len(words) == 0 || words[0] == "-h" || words[0] == "--help" {
		p.Print("Usage: " + c.command + " " + c.usage + "\n")
		return 0
	}
	name, rest := words[0], words[1:]
	if len(rest) > 0 && (name == "qos" || name == "interface") {
		name, rest = name+" "+rest[0], rest[1:]
	}
	v, ok := verbs[name]
	if !ok {
		return c.wrong("No such command %s.", c.quoted(words[0]))
	}
	c.command, c.usage = "config "+name, v.usage
	if status, ok = c.parse(rest, v.flags, v.most, v.named...); !ok {
		return status
	}
	if c.has(parallel) && !s.since("202411") {
		return c.wrong("no such option: -p")
	}
	return v.run(c)
}

// options returns the options of a change of the configuration.
func (c *call) options() applyOptions {
	if c.has(dryRun) {
		c.say("** DRY RUN EXECUTION **")
	}
	say := func(format string, args ...any) { fmt.Fprintf(&c.log, format+"\n", args...) }
	return applyOptions{dry: c.has(dryRun), loose: c.has(loose), ignore: c.set[ignore.long], say: say}
}

// change reports a change to the machine. If the machine allows the change, f makes it and the daemons handle it.
func (c *call) change(f func() error) (err error) {
	c.m.Do(func() {
		if !c.has(dryRun) {
			if err = c.m.Change(c.p.CommandLine()); err != nil {
				return
			}
		}
		err = f()
		c.wake()
	})
	if err != error(killed{}) {
		c.p.Print(c.log.String())
	}
	return err
}

// failed reports why a change was not made, and returns the exit status.
func (c *call) failed(what string, err error) int {
	if err == error(killed{}) {
		return 137
	}
	c.p.Fail(0, "%s", what)
	return c.wrong("%v", err)
}

// noFile is Python's error for a missing file.
func noFile(path string) error { return complaintf("[Errno 2] No such file or directory: '%s'", path) }

// document reads a file of JSON.
func (c *call) document(path string) (any, error) {
	text, err := c.p.ReadFile(path)
	if err != nil {
		return nil, noFile(path)
	}
	return parseJSON(text)
}

func (c *call) applyPatchFile() int {
	o := c.options()
	doc, err := c.document(c.args[0])
	if err == nil {
		err = c.change(func() error { return c.applyPatch(doc, o) })
	}
	if err != nil {
		what := "Failed to apply patch"
		if c.since("202405") {
			what += " due to: " + err.Error()
		}
		return c.failed(what, err)
	}
	c.say("Patch applied successfully.")
	return 0
}

func (c *call) replaceFile() int {
	o := c.options()
	doc, err := c.document(c.args[0])
	if err == nil {
		err = c.change(func() error { return c.replaceAll(doc, o) })
	}
	if err != nil {
		return c.failed("Failed to replace config", err)
	}
	c.say("Config replaced successfully.")
	return 0
}

func checkpointPath(name string) string { return checkpointsDir + name + ".cp.json" }

func (c *call) rollback() int {
	o := c.options()
	c.say("Config Rollbacker: Config rollbacking starting.")
	err := c.change(func() error {
		text, err := c.m.ReadFile(checkpointPath(c.args[0]))
		if err != nil {
			return complaintf("Checkpoint '%s' does not exist", c.args[0])
		}
		doc, err := parseJSON(text)
		if err != nil {
			return err
		}
		return c.replaceAll(doc, o)
	})
	if err != nil {
		return c.failed("Failed to rollback config", err)
	}
	c.say("Config rolled back successfully.")
	return 0
}

func (c *call) checkpoint() int {
	if strings.ContainsRune(c.args[0], '/') {
		return c.failed("Failed to create a config checkpoint", noFile(checkpointPath(c.args[0])))
	}
	err := c.change(func() error {
		if c.Checkpoints == nil {
			c.Checkpoints = map[string]bool{}
		}
		c.Checkpoints[c.args[0]] = true
		doc := toTree(c.Spaces[""].Config)
		if c.since("202405") {
			doc = c.everything()
		}
		c.m.WriteFile(checkpointPath(c.args[0]), pyDump(doc))
		return nil
	})
	if err != nil {
		return c.failed("Failed to create a config checkpoint", err)
	}
	c.say("Checkpoint created successfully.")
	return 0
}

func (c *call) deleteCheckpoint() int {
	err := c.change(func() error {
		if _, err := c.m.ReadFile(checkpointPath(c.args[0])); err != nil {
			return complaintf("Checkpoint '%s' does not exist", c.args[0])
		}
		c.m.Remove(checkpointPath(c.args[0]))
		return nil
	})
	if err != nil {
		return c.failed("Failed to delete config checkpoint", err)
	}
	c.say("Checkpoint deleted successfully.")
	return 0
}

func (c *call) listCheckpoints() int {
	names := []any{}
	c.m.Do(func() {
		for _, name := range slices.Sorted(maps.Keys(c.Checkpoints)) {
			if _, err := c.m.ReadFile(checkpointPath(name)); err == nil {
				names = append(names, name)
			}
		}
	})
	c.say("%s", indented(names))
	return 0
}

// files returns the paths for save, load or reload, by namespace: the given paths, or the usual ones.
func (c *call) files() (map[string]string, bool) {
	out := map[string]string{}
	names := append([]string{""}, c.namespaces()...)
	for _, ns := range names {
		out[ns] = savedPath(ns)
	}
	if len(c.args) == 0 {
		return out, true
	}
	given := strings.Split(c.args[0], ",")
	if len(given) != len(names) {
		c.say("Input %d config file(s) separated by comma for multiple files ", len(names))
		return nil, false
	}
	for i, ns := range names {
		out[ns] = given[i]
	}
	return out, true
}

func (c *call) save() int {
	if !c.confirm("Existing files will be overwritten, continue?") {
		return 1
	}
	files, ok := c.files()
	if !ok {
		return 0
	}
	err := c.change(func() error {
		for _, ns := range append([]string{""}, c.namespaces()...) {
			option := ""
			if ns != "" {
				option = "-n " + ns + " "
			}
			c.say("Running command: /usr/local/bin/sonic-cfggen %s-d --print-data > %s", option, files[ns])
			c.m.WriteFile(files[ns], indented(toTree(c.Spaces[ns].Config)))
		}
		return nil
	})
	if err != nil {
		return c.p.Fail(1, "Error: %v", err)
	}
	return 0
}

// loadFile merges a file into the database, without the allow-list and without other checks.
func (c *call) loadFile() int {
	where := "the default config file(s)"
	if len(c.args) > 0 {
		where = "the file(s) " + c.args[0]
	}
	if !c.confirm("Load config from " + where + " ?") {
		return 1
	}
	files, ok := c.files()
	if !ok {
		return 0
	}
	for _, ns := range append([]string{""}, c.namespaces()...) {
		text, err := c.p.ReadFile(files[ns])
		if err != nil {
			c.say("The config_db file %s doesn't exist", files[ns])
			return 0
		}
		option := ""
		if ns != "" {
			option = "-n " + ns + " "
		}
		c.say("Running command: /usr/local/bin/sonic-cfggen %s-j %s --write-to-db", option, files[ns])
		doc, err := parseJSON(text)
		top, ok := doc.(map[string]any)
		if err != nil || !ok {
			return c.p.Fail(1, "json.decoder.JSONDecodeError: %v", err)
		}
		err = c.change(func() error {
			c.merge(c.Spaces[ns], fromTree(top))
			return nil
		})
		if err != nil {
			return c.p.Fail(1, "Error: %v", err)
		}
	}
	return 0
}

func (s *Switch) merge(sp *space, d db) {
	for _, name := range slices.Sorted(maps.Keys(d)) {
		for _, key := range slices.Sorted(maps.Keys(d[name])) {
			sp.modify(name, key, d[name][key])
		}
	}
}

// reload empties the database, loads files, and restarts the services.
func (c *call) reload() int {
	if !c.confirm("Clear current config and reload config in config_db format from the default config file(s) ?") {
		return 1
	}
	files, ok := c.files()
	if !ok {
		return 0
	}
	loaded := map[string]db{}
	for ns, path := range files {
		text, err := c.p.ReadFile(path)
		if err != nil {
			c.say("The config file %s doesn't exist", path)
			continue
		}
		doc, err := parseJSON(text)
		top, ok := doc.(map[string]any)
		if err != nil || !ok {
			return c.p.Fail(1, "json.decoder.JSONDecodeError: %v", err)
		}
		loaded[ns] = fromTree(top)
	}
	err := c.change(func() error {
		for ns, d := range loaded {
			c.Spaces[ns].Config = d
		}
		c.Cuts++
		c.startSwss()
		return nil
	})
	if err != nil {
		return c.p.Fail(1, "Error: %v", err)
	}
	return 0
}

// cleared are the tables that config qos reload and clear delete.
var cleared = strings.Fields("PORT_QOS_MAP QUEUE TC_TO_PRIORITY_GROUP_MAP MAP_PFC_PRIORITY_TO_QUEUE TC_TO_QUEUE_MAP DSCP_TO_TC_MAP " +
	"MPLS_TC_TO_TC_MAP SCHEDULER PFC_PRIORITY_TO_PRIORITY_GROUP_MAP WRED_PROFILE CABLE_LENGTH BUFFER_PG BUFFER_QUEUE " +
	"BUFFER_PORT_INGRESS_PROFILE_LIST BUFFER_PORT_EGRESS_PROFILE_LIST BUFFER_PROFILE BUFFER_POOL DEFAULT_LOSSLESS_BUFFER_PARAMETER " +
	"LOSSLESS_TRAFFIC_PATTERN")

func (c *call) clearQoS() {
	c.Cuts++
	for _, sp := range c.Spaces {
		for _, name := range cleared {
			for _, key := range slices.Sorted(maps.Keys(sp.Config[name])) {
				sp.put(name, key, nil)
			}
		}
	}
}

func (c *call) qosClear() int {
	if err := c.change(func() error { c.clearQoS(); return nil }); err != nil {
		return c.p.Fail(1, "Error: %v", err)
	}
	return 0
}

// qosReload simulates config qos reload: it deletes every table of QoS and writes the template. On chips whose makers support the dynamic
// model, it also changes the model, which takes effect when swss restarts. With --ports it only writes the rows of these ports.
func (c *call) qosReload() int {
	only, some := c.set["--ports"]
	both := c.ASIC == "mellanox" || c.ASIC == "barefoot" && c.since("202305") // makers that support both models
	dynamic := both && len(c.set["--no-dynamic-buffer"]) == 0
	if file := c.set["--dry_run"]; len(file) > 0 {
		model := Traditional
		if dynamic {
			model = Dynamic
		}
		c.m.Do(func() { c.m.WriteFile(file[0], indented(toTree(c.template(c.Ports, model)))) })
		return 0
	}
	err := c.change(func() error {
		updated := false
		if !some {
			c.clearQoS()
		}
		for _, ns := range c.names() {
			sp, ports := c.Spaces[ns], c.portsOf(ns)
			if some {
				ports = slices.DeleteFunc(ports, func(p Port) bool { return !slices.Contains(strings.Split(only[0], ","), p.Name) })
			}
			if len(ports) == 0 {
				continue
			}
			model := sp.model()
			if want := map[bool]string{true: Dynamic, false: Traditional}[dynamic]; !some && both && model != want {
				model, updated = want, true
				sp.modify("DEVICE_METADATA", "localhost", row{"buffer_model": want})
			}
			for name, t := range c.template(ports, model) {
				for key, r := range t {
					if port, _, _ := strings.Cut(key, "|"); !some || strings.HasPrefix(port, "Ethernet") {
						sp.modify(name, key, r)
					}
				}
			}
		}
		if updated {
			c.say("Buffer calculation model updated, restarting swss is required to take effect")
		}
		return nil
	})
	if err != nil {
		return c.p.Fail(1, "Error: %v", err)
	}
	return 0
}

func (c *call) adminUp() int   { return c.admin("up") }
func (c *call) adminDown() int { return c.admin("down") }

// admin sets admin_status of ports.
func (c *call) admin(status string) int {
	err := c.change(func() error {
		for _, ns := range c.names() {
			for port := range strings.SplitSeq(c.args[0], ",") {
				if _, ok := c.Spaces[ns].Config["PORT"][port]; ok {
					c.Spaces[ns].modify("PORT", port, row{"admin_status": status})
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
