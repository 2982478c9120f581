package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// applyOptions are the options of config apply-patch, replace and rollback.
type applyOptions struct {
	dry, loose bool     // -d, -n
	ignore     []string // -i: paths whose content YANG does not check
	say        func(format string, args ...any)
}

// backend are tables omitted from the comparison at the end (change_applier.py).
var backend = []string{"BUFFER_PG", "BUFFER_PROFILE", "FLEX_COUNTER_TABLE"}

// killed makes the program end as if by a signal.
type killed struct{}

func (killed) Error() string { return "" }

// scoped splits a patch by namespaces (extract_scope). Up to 202311 there are no namespaces, and a patch for a switch with several chips
// changes the host's database.
func (s *Switch) scoped(ops []operation) (order []string, parts map[string][]operation, err error) {
	parts = map[string][]operation{}
	for _, o := range ops {
		ns, rest := "", o.Path
		if words := pointer(o.Path); s.since("202405") {
			if len(words) == 0 {
				return nil, nil, complaint("Wrong patch with empty path.")
			}
			number, chip := strings.CutPrefix(words[0], "asic")
			switch {
			case chip && (number == "" || strings.Trim(number, "0123456789") != ""):
				return nil, nil, complaintf("Error resolving path: '%s' due to incorrect ASIC number.", o.Path)
			case chip, words[0] == "localhost":
				ns, rest = words[0], unpointer(words[1:]...)
			case s.Chips > 1 && s.since("202411"):
				return nil, nil, complaintf("Multi ASIC must have namespace prefix in path: '%s'.", o.Path)
			}
		}
		if o.Path = rest; o.From != "" && ns != "" {
			o.From = strings.TrimPrefix(o.From, "/"+ns)
		}
		if _, ok := parts[ns]; !ok {
			order = append(order, ns)
		}
		parts[ns] = append(parts[ns], o)
	}
	if len(order) == 0 {
		order = append([]string{""}, s.namespaces()...)
	}
	return order, parts, nil
}

// applyPatch simulates config apply-patch after it has read the document, in the way of the branch.
func (s *Switch) applyPatch(doc any, o applyOptions) error {
	ops, err := readPatch(doc)
	if err != nil {
		return err
	}
	if !s.since("202405") {
		return s.applyTo("", ops, o)
	}
	all := s.everything()
	if s.since("202511") {
		ops = withTables(ops, all)
	}
	quote := `"`
	if s.since("202605") {
		quote = "'"
	}
	if err := s.foresee(ops, all, quote, o); err != nil {
		return err
	}
	order, parts, err := s.scoped(ops)
	if err != nil {
		return err
	}
	var failed []string
	for _, ns := range order {
		name := ns
		if ns == "localhost" || ns == "" {
			ns, name = "", "localhost"
		}
		if err := s.applyTo(ns, parts[strings.TrimPrefix(name, "localhost")], o); err != nil {
			if err == error(killed{}) {
				return err
			}
			failed = append(failed, "- "+name+": "+err.Error())
		}
	}
	if len(failed) > 0 {
		return complaintf("Failed to apply patch on the following scopes:\n%s", strings.Join(failed, "\n"))
	}
	return nil
}

// everything returns the result of show runningconfiguration all: the tables, or the tables of each namespace.
func (s *Switch) everything() map[string]any {
	if s.Chips < 2 {
		return toTree(s.Spaces[""].Config)
	}
	all := map[string]any{}
	for ns, sp := range s.Spaces {
		all[or(ns, "localhost")] = toTree(sp.Config)
	}
	return all
}

// withTables inserts operations that add missing tables, each before the first operation on its table (append_emptytables_if_required).
func withTables(ops []operation, all map[string]any) []operation {
	var out []operation
	made := map[string]bool{}
	for _, o := range ops {
		words := pointer(o.Path)
		n := 1
		if len(words) > 0 && (strings.HasPrefix(words[0], "asic") || words[0] == "localhost") {
			n = 2
		}
		if len(words) >= n {
			at := unpointer(words[:n]...)
			if _, err := resolve(all, words[:n]); err != nil && !made[at] {
				made[at] = true
				out = append(out, operation{Op: "add", Path: at, Value: map[string]any{}, HasValue: true})
			}
		}
		out = append(out, o)
	}
	return out
}

// foresee checks the whole configuration that a patch would produce, before any change (validate_patch, from 202405 on).
func (s *Switch) foresee(ops []operation, all map[string]any, quote string, o applyOptions) error {
	text := patchText(ops, quote)
	after, err := applyOps(all, ops)
	if err != nil {
		if s.since("202605") {
			return complaintf("Validate json patch: %s failed due to: %v", text, err)
		}
		return complaintf("Validate json patch: %s failed due to:%v", text, err)
	}
	top, _ := after.(map[string]any)
	for _, ns := range s.names() {
		part := top
		if s.Chips > 1 {
			part, _ = top[or(ns, "localhost")].(map[string]any)
		}
		if err := s.judge(part); err != nil {
			o.say("libyang[0]: %s", err)
			if s.since("202605") {
				return complaintf("Failed validating patch: %s", text)
			}
			return complaintf("Failed validating patch:%s", text)
		}
	}
	return nil
}

// applyTo changes one namespace (generic_updater.py, PatchApplier).
func (s *Switch) applyTo(ns string, ops []operation, o applyOptions) error {
	sp := s.Spaces[ns]
	if sp == nil {
		return complaintf("Failed to get running config for namespace: %s, Return code: 1, Error: ", ns)
	}
	scope, log := or(ns, "localhost"), func(format string, args ...any) { o.say("Patch Applier: "+format, args...) }
	if s.since("202405") {
		log("%s: Patch application starting.", scope)
		log("%s: Patch: %s", scope, patchText(ops, `"`))
	} else {
		log("Patch application starting.")
		log("Patch: %s", patchText(ops, `"`))
	}
	before := toTree(sp.Config)
	after, err := applyOps(before, ops)
	if err != nil {
		return err
	}
	target, _ := after.(map[string]any)
	if target == nil {
		return complaint("Invalid jsonpatch path: ")
	}
	if err := s.allowed(before, target, sp.Config["DEVICE_METADATA"]["localhost"]["hwsku"]); err != nil {
		return err
	}
	if err := s.emptied(target, scope); err != nil {
		return err
	}
	if err := s.validYANG(ops, target, o); err != nil {
		return err
	}
	moves := withFlaps(sp.Config["PORT"], movesOf(before, target))
	s.logCount(log, scope, len(moves))
	if o.dry {
		for _, m := range moves {
			o.say("** DryRun: Would apply [%s]", m.operation(before).text(`"`))
		}
		log("Patch application completed.")
		return nil
	}
	for i, m := range moves {
		log("  * [%s]", m.operation(before).text(`"`))
		sp.put(m.table, m.key, m.row)
		if m.table == "PORT" && s.Lag == 0 {
			s.settle(sp) // the daemons react to the port being down
		}
		if n := s.Faults.Halfway; n > 0 && i+1 == n {
			s.Faults.Halfway = 0
			return complaint("Redis connection lost: Connection reset by peer")
		}
		if n := s.Faults.Killed; n > 0 && i+1 == n {
			s.Faults.Killed = 0
			return killed{}
		}
	}
	if name, key, ok := strings.Cut(s.Faults.Rewrites, "|"); ok {
		s.Faults.Rewrites = ""
		sp.modify(name, key, row{"rewritten": "by a daemon"})
	}
	now := toTree(sp.Config)
	for _, name := range backend {
		delete(now, name)
		delete(target, name)
	}
	if !same(now, target) {
		if s.since("202405") {
			return complaintf("%s: after applying patch to config, there are still some parts not updated", scope)
		}
		return complaint("After applying patch to config, there are still some parts not updated")
	}
	if s.since("202405") {
		log("%s patch application completed.", scope)
	} else {
		log("Patch application completed.")
	}
	return nil
}

func (s *Switch) logCount(log func(string, ...any), scope string, n int) {
	tail := "s:"
	switch n {
	case 0:
		tail = "s."
	case 1:
		tail = ":"
	}
	if s.since("202405") {
		log("The %s patch was converted into %d change%s", scope, n, tail)
	} else {
		log("The patch was sorted into %d change%s", n, tail)
	}
}

// emptied refuses tables without rows.
func (s *Switch) emptied(target map[string]any, scope string) error {
	var empty []string
	for _, name := range slices.Sorted(maps.Keys(target)) {
		if m, ok := target[name].(map[string]any); ok && len(m) == 0 || target[name] == nil {
			empty = append(empty, name)
		}
	}
	if len(empty) == 0 {
		return nil
	}
	plural, names := "", strings.Join(empty, ", ")
	if len(empty) > 1 {
		plural = "s"
	}
	if s.since("202405") {
		gap := strings.Repeat(" ", 33) // the indentation of the lines in the source
		return complaintf("%s: given patch is not valid because it will result in empty tables%swhich is not allowed in ConfigDb.%sTable%s: %s",
			scope, gap, gap, plural, names)
	}
	return complaintf("Given patch is not valid because it will result in empty tables which is not allowed in ConfigDb. Table%s: %s", plural,
		names)
}

// validYANG checks the target in the same way as the sorters. -n omits tables without a model, and -i the content of a path.
func (s *Switch) validYANG(ops []operation, target map[string]any, o applyOptions) error {
	judged := clone(target).(map[string]any)
	for _, path := range o.ignore {
		if path == "" {
			return nil
		}
		if v, err := edit(judged, pointer(path), "remove", nil); err == nil {
			judged, _ = v.(map[string]any)
		}
	}
	if !o.loose && len(o.ignore) == 0 {
		for _, op := range ops {
			if words := pointer(op.Path); len(words) == 0 || !s.modelled(words[0]) {
				return complaint("Given patch is not valid because it has changes to tables without YANG models")
			}
		}
	}
	if err := s.judge(judged); err != nil {
		o.say("libyang[0]: %s", err)
		return complaintf("Given patch will produce invalid config. Error: %v", err)
	}
	return nil
}

// move is a change of one row; a nil row removes it.
type move struct {
	table, key string
	row        row
}

// operation returns the move in its printed form.
func (m move) operation(before map[string]any) operation {
	o := operation{Op: "add", Path: unpointer(m.table, m.key)}
	old, _ := before[m.table].(map[string]any)
	switch _, had := old[m.key]; {
	case m.row == nil:
		o.Op = "remove"
		return o
	case had:
		o.Op = "replace"
	}
	o.Value, o.HasValue = toFields(m.row), true
	return o
}

// ranked are tables in the order in which rows can be added: referenced tables come first. Tables outside the list come before all.
var ranked = strings.Fields("DEVICE_METADATA PORT DSCP_TO_TC_MAP DOT1P_TO_TC_MAP TC_TO_PRIORITY_GROUP_MAP TC_TO_QUEUE_MAP " +
	"MAP_PFC_PRIORITY_TO_QUEUE PFC_PRIORITY_TO_PRIORITY_GROUP_MAP TC_TO_DSCP_MAP SCHEDULER WRED_PROFILE BUFFER_POOL BUFFER_PROFILE " +
	"CABLE_LENGTH LOSSLESS_TRAFFIC_PATTERN DEFAULT_LOSSLESS_BUFFER_PARAMETER BUFFER_PG BUFFER_QUEUE BUFFER_PORT_INGRESS_PROFILE_LIST " +
	"BUFFER_PORT_EGRESS_PROFILE_LIST QUEUE PORT_QOS_MAP PFC_WD")

// movesOf lists the rows that differ, in an order in which every step is valid: additions and replacements after the rows that they refer
// to, and removals in reverse. patch_sorter.py searches for an order, and does not promise a particular one.
func movesOf(before, target map[string]any) (out []move) {
	old, now := fromTree(before), fromTree(target)
	var gone []move
	for name := range maps.Keys(merged(old, now)) {
		for key, r := range now[name] {
			if was, ok := old[name][key]; !ok || !maps.Equal(was, r) {
				out = append(out, move{name, key, r})
			}
		}
		for key := range old[name] {
			if _, ok := now[name][key]; !ok {
				gone = append(gone, move{name, key, nil})
			}
		}
	}
	compare := func(a, b move) int {
		if c := slices.Index(ranked, a.table) - slices.Index(ranked, b.table); c != 0 {
			return c
		}
		return naturally(a.table+"|"+a.key, b.table+"|"+b.key)
	}
	slices.SortFunc(out, compare)
	slices.SortFunc(gone, func(a, b move) int { return compare(b, a) })
	return append(out, gone...)
}

func merged(a, b db) db {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// replace changes the running configuration into another one by a patch (ConfigReplacer).
func (s *Switch) replace(ns string, target map[string]any, o applyOptions) error {
	sp := s.Spaces[ns]
	o.say("Config Replacer: Config replacement starting.")
	if err := s.applyTo(ns, fromDiff(toTree(sp.Config), target), o); err != nil {
		return err
	}
	o.say("Config Replacer: Config replacement completed.")
	return nil
}

// replaceAll simulates config replace and rollback. For a switch with several chips, the document has a member for each database.
func (s *Switch) replaceAll(doc any, o applyOptions) error {
	top, ok := doc.(map[string]any)
	if !ok {
		return complaintf("'%T' object has no attribute 'keys'", doc)
	}
	if s.Chips < 2 || !s.since("202405") {
		return s.replace("", top, o)
	}
	var missing []string
	for _, ns := range s.names() {
		if _, ok := top[or(ns, "localhost")].(map[string]any); !ok {
			missing = append(missing, or(ns, "localhost"))
		}
	}
	if len(missing) > 0 {
		return complaintf("To be replace config is missing scope: {'%s'}", strings.Join(missing, "', '"))
	}
	for _, ns := range s.names() {
		if err := s.replace(ns, top[or(ns, "localhost")].(map[string]any), o); err != nil {
			return fmt.Errorf("%w", err)
		}
	}
	return nil
}
