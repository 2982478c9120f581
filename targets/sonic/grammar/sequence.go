package grammar

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/sonic/steps"
)

// Stage is one step of a change on a switch: a patch, or commands if the switch refuses the patch.
type Stage struct {
	Doc   string      // what the step does, in a few words
	Ops   []Operation // of a patch
	Goals []Goal      // the rows that the operations change, in their wanted form, by table and key
	Cmds  []Command
	Drops []Drop
	Ports []string // ports that the step takes down and up again
}

// Goal is a row in its wanted form.
type Goal struct {
	Table, Key string
	Row        *Row // nil: the row must be gone
}

// goals lists the rows that operations change, with their content afterwards.
func goals(ops []Operation, after *Config) []Goal {
	var out []Goal
	for _, o := range ops {
		keys := []string{o.Row}
		if o.Row == "" {
			keys = keysOf(o.Value, o.Was)
		}
		for _, key := range keys {
			g := Goal{Table: o.Table, Key: key}
			if row := after.Row(o.Table, key); row != nil {
				g.Row = &Row{Fields: maps.Clone(row.Fields)}
			}
			out = append(out, g)
		}
	}
	slices.SortStableFunc(out, func(a, b Goal) int {
		return cmp.Or(strings.Compare(a.Table, b.Table), nodeset.Compare(a.Key, b.Key))
	})
	return slices.CompactFunc(out, func(a, b Goal) bool { return a.Table == b.Table && a.Key == b.Key })
}

// Command is a program with its arguments, run as root.
type Command []string

// Drop is a port that must keep only some of the priority groups that the buffer manager has made.
type Drop struct {
	Port string
	Keep []string // "3", "5-6"
}

// Script returns the commands and drops as a shell script. The script ends at the first command that fails, with its status.
//
// The script deletes a group by its key, without generic_config_updater, whose allow-list has no entry for the table. A deletion by key
// is not an event of the port; such an event would make the buffer manager add the group again. Then the script sets the remaining groups
// again, since the chip uses the later one of two that overlap. The pauses let the buffer manager see each change. They also separate the
// deletion of a key from its return: a reader of both at once would see neither.
func (s Stage) Script() string {
	var b strings.Builder
	for _, c := range s.Cmds {
		b.WriteString(c.String() + " || exit\n")
	}
	if len(s.Drops) == 0 {
		return b.String()
	}
	b.WriteString(steps.DropScript)
	for _, d := range s.Drops {
		b.WriteString("drop " + d.Port)
		for _, g := range d.Keep {
			b.WriteString(" " + g)
		}
		b.WriteString(" || exit\n")
	}
	b.WriteString(steps.AgainScript)
	return b.String()
}

// String returns the command as a line for sh.
func (c Command) String() string {
	words := make([]string, len(c))
	for i, w := range c {
		words[i] = shell(w)
	}
	return strings.Join(words, " ")
}

// shell quotes a word for sh: words with special characters are in single quotes.
func shell(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && !strings.ContainsRune("-_.,/=", c)
	})
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Refused is an operation that the switch refuses and that no command replaces.
type Refused struct {
	Op Operation
	Verdict
}

// PortsPerPatch is the maximum number of ports that one patch changes. A port is down from its first change in a patch until the last
// one, and a switch needs a second or more for each. A patch for all ports keeps all of them down for minutes, and a patch for a few may
// take down all uplinks of a rack at once.
const PortsPerPatch = 1

// Sequence returns the steps that turn one configuration into another on a switch, and the operations that the switch refuses.
//
// The order is: objects that ports will name, and cable lengths; removal of watchdogs, before the PFC that they watch; ports, a few at a
// time, with PFC and priority groups together; new watchdogs; removal of objects without references. So no step refers to a missing
// object, and the buffer manager knows the length of a cable before the port event for which it waits (cfgmgr/buffermgr.cpp, up to
// 202505). No step that adds to a table of the allow-list also removes from it: a value removed at one place and added at another is a
// "move", which the allow-list refuses.
//
// In the traditional buffer model the buffer manager writes profiles pg_lossless_* and the priority groups that name them, and removes
// none. So patches leave them alone, with one exception: a group whose cable length changes is removed, so that the buffer manager makes
// it again. Unwanted groups are deleted at the end, when no port event follows.
func Sequence(box Box, before, after *Config) (steps []Stage, refused []Refused) {
	s := &sequencer{box: box, now: before.Clone(), after: after, dynamic: Dynamic(before) || Dynamic(after)}
	s.objects()
	s.watchdogs(func(c change) bool { return c.kind == Remove })
	s.ports()
	s.restart(before)
	s.watchdogs(func(change) bool { return true })
	s.step("objects that no port names any more", s.changes(func(c change) bool { return c.port == "" && c.table != watchdogs }))
	s.stale(before)
	return s.steps, s.refused
}

const (
	watchdogs = "PFC_WD"
	groups    = "BUFFER_PG"
)

// Dynamic reports whether the switch computes its headroom itself: DEVICE_METADATA.localhost.buffer_model, which swss reads when it
// starts.
func Dynamic(c *Config) bool {
	return c.Get("DEVICE_METADATA", "localhost", "buffer_model") == "dynamic"
}

type sequencer struct {
	box        Box
	now, after *Config
	dynamic    bool
	steps      []Stage
	refused    []Refused
}

// change is one field that differs.
type change struct {
	table, row, field string
	kind              Kind
	port              string // of a row of a port
}

// changes returns the differences that pick chooses, without those that the buffer manager makes.
func (s *sequencer) changes(pick func(change) bool) (out []change) {
	for _, c := range differ(s.now, s.after) {
		if !s.left(c) && pick(c) {
			out = append(out, c)
		}
	}
	return out
}

// differ lists the fields that differ, in the order of [Diff].
func differ(before, after *Config) (out []change) {
	for _, o := range Diff(before, after) {
		if o.Field != "" {
			out = append(out, change{o.Table, o.Row, o.Field, o.Kind, o.Port()})
			continue
		}
		rows := o.Value
		if o.Kind == Remove {
			rows = o.Was
		}
		for _, key := range slices.SortedFunc(maps.Keys(rows), nodeset.Compare) {
			row := o
			if o.Row == "" {
				row.Row = key
			}
			for _, field := range slices.SortedFunc(maps.Keys(rows[key]), nodeset.Compare) {
				out = append(out, change{o.Table, row.Row, field, o.Kind, row.Port()})
			}
		}
	}
	return out
}

// operations returns changes as a patch of the current configuration. Changes of one table, and of one row, are adjacent.
func (s *sequencer) operations(changes []change) (ops []Operation) {
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].table == changes[0].table {
			n++
		}
		ops = append(ops, s.inTable(changes[0].table, changes[:n])...)
		changes = changes[n:]
	}
	return ops
}

func (s *sequencer) inTable(table string, changes []change) (ops []Operation) {
	a, b := Rows{}, Rows{}
	for _, c := range changes {
		if a[c.row] == nil && b[c.row] == nil {
			if row := s.now.Row(table, c.row); row != nil {
				a[c.row], b[c.row] = map[string]string{}, map[string]string{}
				for name, v := range row.Fields {
					a[c.row][name], b[c.row][name] = v.Text, v.Text
				}
			} else {
				b[c.row] = map[string]string{}
			}
		}
		if c.kind == Remove {
			delete(b[c.row], c.field)
		} else {
			b[c.row][c.field] = s.after.Get(table, c.row, c.field)
		}
	}
	maps.DeleteFunc(b, func(_ string, fields map[string]string) bool { return len(fields) == 0 })
	have := s.now.Tables[table]
	switch {
	case have == nil || len(have.Rows) == 0:
		return []Operation{{Kind: Add, Table: table, Value: b}}
	case len(b) == 0 && len(a) == len(have.Rows):
		return []Operation{{Kind: Remove, Table: table, Was: a}}
	}
	return diffRows(table, a, b)
}

// left reports whether the buffer manager makes a change, and not a patch.
func (s *sequencer) left(c change) bool {
	switch {
	case s.dynamic:
		return false
	case c.table == "BUFFER_PROFILE":
		return IsMade(c.row)
	case c.table == groups:
		was, is := s.now.Get(c.table, c.row, c.field), s.after.Get(c.table, c.row, c.field)
		return IsMade(was) || IsMade(is)
	}
	return false
}

// IsMade reports whether a profile has a name that the buffer manager makes: pg_lossless_100000_5m_profile.
func IsMade(profile string) bool {
	rest, ok := strings.CutPrefix(profile, "pg_lossless_")
	return ok && strings.HasSuffix(rest, "_profile")
}

// step appends a patch of changes.
func (s *sequencer) step(doc string, changes []change) {
	ops := s.operations(changes)
	if len(ops) == 0 {
		return
	}
	one := Stage{Doc: doc, Ops: ops, Ports: Flapped(s.now, ops)}
	for _, o := range ops {
		if err := s.now.apply(o); err != nil {
			panic(err) // the operations were made for this configuration
		}
	}
	if refused := s.judge(ops); len(refused) > 0 {
		s.refused = append(s.refused, refused...)
		return
	}
	one.Goals = goals(ops, s.now)
	s.steps = append(s.steps, one)
}

func (s *sequencer) judge(ops []Operation) (refused []Refused) {
	for _, o := range ops {
		if v := s.box.Allowed(o); !v.Allowed {
			refused = append(refused, Refused{o, v})
		}
	}
	return refused
}

// objects appends the step of objects that ports will name. If no patch may change the thresholds of marking, commands set them.
func (s *sequencer) objects() {
	changes := s.changes(func(c change) bool { return c.port == "" && c.table != watchdogs && c.kind != Remove })
	var cmds []Command
	for _, r := range s.judge(s.operations(changes)) {
		c := ecnconfig(r.Op, s.after)
		if c == nil {
			continue
		}
		if !slices.ContainsFunc(cmds, func(have Command) bool { return slices.Equal(have, c) }) {
			cmds = append(cmds, c)
		}
		s.now.Put(r.Op.Table, r.Op.Row, r.Op.Field, r.Op.Value[""][""])
		changes = slices.DeleteFunc(changes, func(c change) bool {
			return c.table == r.Op.Table && c.row == r.Op.Row && c.field == r.Op.Field
		})
	}
	if len(cmds) > 0 {
		s.steps = append(s.steps, Stage{Doc: "thresholds of marking", Cmds: cmds})
	}
	s.step("objects that ports name, and lengths of cables", changes)
}

// ecnconfig returns the command that changes the thresholds of an existing profile, or nil if no command makes that change.
func ecnconfig(o Operation, next *Config) Command {
	if o.Table != "WRED_PROFILE" || o.Kind != Replace {
		return nil
	}
	switch o.Field {
	case "green_min_threshold", "green_max_threshold", "green_drop_probability":
	default:
		return nil
	}
	row := next.Row(o.Table, o.Row)
	c := Command{"ecnconfig", "-p", o.Row}
	for _, f := range []struct{ flag, field string }{
		{"-gmin", "green_min_threshold"}, {"-gmax", "green_max_threshold"}, {"-gdrop", "green_drop_probability"},
	} {
		if row.Has(f.field) {
			c = append(c, f.flag, row.Get(f.field))
		}
	}
	return c
}

// ports appends the steps that change rows of ports, a few ports at a time.
func (s *sequencer) ports() {
	of := map[string][]change{}
	made := map[string][]change{} // groups that the buffer manager makes when the port comes up
	for _, c := range differ(s.now, s.after) {
		switch {
		case c.port == "" || c.table == watchdogs:
		case s.remade(c):
			made[c.port] = append(made[c.port], c)
			c.kind = Remove
			of[c.port] = append(of[c.port], c)
		case !s.left(c):
			of[c.port] = append(of[c.port], c)
		case c.kind == Add && c.table == groups:
			made[c.port] = append(made[c.port], c)
		}
	}
	for some := range slices.Chunk(slices.SortedFunc(maps.Keys(of), nodeset.Compare), PortsPerPatch) {
		var first, then []change
		for _, port := range some {
			for _, c := range of[port] {
				// If two rows overlap, the old one is removed first: the chip uses the later one.
				if c.kind == Remove && (c.table == groups || c.table == "QUEUE" || c.table == "BUFFER_QUEUE") && s.replaced(c.table, c.row) {
					first = append(first, c)
				} else {
					then = append(then, c)
				}
			}
		}
		for _, changes := range [][]change{first, then} {
			sort.SliceStable(changes, func(i, k int) bool {
				a, b := changes[i], changes[k]
				return strings.Compare(a.table, b.table) < 0
			})
		}
		s.step("rows that others replace", first)
		s.step("ports "+strings.Join(some, ", "), then)
		for _, port := range some {
			for _, c := range made[port] {
				s.now.Put(c.table, c.row, c.field, s.after.Get(c.table, c.row, c.field))
			}
		}
	}
}

// replaced reports whether a removed row overlaps a row of the wanted configuration.
func (s *sequencer) replaced(table, row string) bool {
	if s.after.Row(table, row) != nil {
		return false
	}
	return slices.ContainsFunc(s.after.Keys(table), func(other string) bool { return overlap(row, other) })
}

// overlap reports whether two rows have a queue or priority group of one port in common.
func overlap(a, b string) bool {
	p, x, _ := strings.Cut(a, "|")
	q, y, _ := strings.Cut(b, "|")
	from, to, ok := ParseRange(x)
	start, end, is := ParseRange(y)
	return p == q && ok && is && from <= end && start <= to
}

// remade reports whether a change gives a priority group another profile of the buffer manager. The buffer manager makes this change at
// the next event of the port. From 202511 on, a new cable length is such an event, so a group that the buffer manager made needs no other
// event.
func (s *sequencer) remade(c change) bool {
	return !s.dynamic && c.table == groups && c.kind == Replace && IsMade(s.after.Get(c.table, c.row, c.field)) &&
		(s.box.Release < lengthEvents || !IsMade(s.now.Get(c.table, c.row, c.field)))
}

// lengthEvents is the first branch in which the buffer manager updates a port when the length of its cable changes. Before, only changes
// of speed, admin status or PFC caused an update (cfgmgr/buffermgr.cpp, doCableTask).
const lengthEvents Release = 202511

// restart appends commands that restart the ports with missing priority groups which no patch touches. The restart is the event that
// makes the buffer manager add the groups.
func (s *sequencer) restart(before *Config) {
	missing := map[string]bool{}
	for _, c := range differ(s.now, s.after) {
		event := s.box.Release >= lengthEvents && cableOf(before, c.port) != cableOf(s.after, c.port)
		if !s.dynamic && c.table == groups && c.kind == Add && IsMade(s.after.Get(c.table, c.row, c.field)) && !event {
			missing[c.port] = true
		}
	}
	maps.DeleteFunc(missing, func(port string, _ bool) bool { return s.after.Get("PORT", port, "admin_status") != "up" })
	for _, port := range slices.SortedFunc(maps.Keys(missing), nodeset.Compare) {
		s.steps = append(s.steps, Stage{
			Doc: "priority groups that are missing", Ports: []string{port},
			Cmds: []Command{{"config", "interface", "shutdown", port}, {"config", "interface", "startup", port}},
		})
	}
}

// cableOf returns the length of a port's cable in CONFIG_DB; empty: none.
func cableOf(c *Config, port string) string {
	for _, key := range c.Keys("CABLE_LENGTH") {
		if length := c.Get("CABLE_LENGTH", key, port); length != "" {
			return length
		}
	}
	return ""
}

// watchdogs appends the step that changes PFC_WD: a patch, or commands if an operation of the patch is refused.
func (s *sequencer) watchdogs(pick func(change) bool) {
	changes := s.changes(func(c change) bool { return c.table == watchdogs && pick(c) })
	ops := s.operations(changes)
	if len(s.judge(ops)) == 0 {
		s.step("watchdogs", changes)
		return
	}
	next, err := Apply(s.now, ops)
	if err != nil {
		panic(err) // the operations were made for this configuration
	}
	if cmds := s.pfcwd(next); cmds != nil {
		s.steps = append(s.steps, Stage{Doc: "watchdogs", Cmds: cmds})
	} else { // pfcwd sets none of the fields that differ
		s.refused = append(s.refused, s.judge(ops)...)
	}
	s.now = next
}

// pfcwd returns the changes of watchdogs as commands. The polling interval must not exceed any time of a port. So a shorter interval is
// set before the ports, and a longer one after them.
func (s *sequencer) pfcwd(next *Config) (cmds []Command) {
	const table, global, poll = watchdogs, "GLOBAL", "POLL_INTERVAL"
	var interval []Command
	if n := next.Get(table, global, poll); n != "" && n != s.now.Get(table, global, poll) {
		interval = []Command{{"pfcwd", "interval", n}}
	}
	grows := s.now.Row(table, global) != nil && nodeset.Compare(next.Get(table, global, poll), s.now.Get(table, global, poll)) > 0
	type times struct{ action, detect, restore string }
	start := map[times][]string{}
	var stop Command
	for _, port := range keysOf(rowsOf(s.now, table), rowsOf(next, table)) {
		is, was := next.Row(table, port), s.now.Row(table, port)
		switch {
		case port == global:
		case is == nil:
			stop = append(stop, port)
		case was == nil || !maps.EqualFunc(is.Fields, was.Fields, Value.equal):
			t := times{is.Get("action"), is.Get("detection_time"), is.Get("restoration_time")}
			start[t] = append(start[t], port)
		}
	}
	if stop != nil {
		cmds = append(cmds, append(Command{"pfcwd", "stop"}, stop...))
	}
	if !grows {
		cmds = append(cmds, interval...)
	}
	for _, t := range slices.SortedFunc(maps.Keys(start), func(a, b times) int {
		return nodeset.Compare(a.action+" "+a.detect+" "+a.restore, b.action+" "+b.detect+" "+b.restore)
	}) {
		c := Command{"pfcwd", "start", "--action", t.action}
		c = append(c, start[t]...)
		cmds = append(cmds, append(c, t.detect, "--restoration-time", t.restore))
	}
	if grows {
		cmds = append(cmds, interval...)
	}
	if next.Row(table, global) == nil && s.now.Row(table, global) != nil { // no patch and no other command removes it
		cmds = append(cmds, Command{"sonic-db-cli", "CONFIG_DB", "DEL", table + "|" + global})
	}
	return cmds
}

// forgets is the first branch in which a switch accepts that a port has no PFC. An older buffer manager remembers the PFC of a port, and
// makes its groups again at the next event of the port.
const forgets Release = 202505

// stale appends the step that deletes unwanted priority groups of the buffer manager: the existing ones, and groups that it may have made
// again while ports went down and up.
func (s *sequencer) stale(before *Config) {
	if s.dynamic {
		return
	}
	ports := map[string]bool{}
	for _, row := range s.now.Keys(groups) {
		if s.after.Row(groups, row) == nil && IsMade(s.now.Get(groups, row, "profile")) {
			port, _, _ := strings.Cut(row, "|")
			ports[port] = true
		}
	}
	for _, step := range s.steps {
		for _, port := range step.Ports {
			if s.box.Release < forgets && before.Get("PORT_QOS_MAP", port, "pfc_enable") == "" {
				ports[port] = true
			}
		}
	}
	var drops []Drop
	for _, port := range slices.SortedFunc(maps.Keys(ports), nodeset.Compare) {
		if mask, ok := ParseDigits(s.after.Get("PORT_QOS_MAP", port, "pfc_enable")); ok && IsPort(port) {
			drops = append(drops, Drop{port, Ranges(mask)})
		}
	}
	if len(drops) > 0 {
		s.steps = append(s.steps, Stage{Doc: "priority groups that no port needs any more", Drops: drops})
	}
}
