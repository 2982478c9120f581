package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// keys prints the settings of a file that change, and returns the number of lines that it leaves out.
func (v *Plan) keys(c *deploy.Change) (more int) {
	lines := c.Keys
	if c.Live() && !v.Expand {
		lines = foldKeys(c.Keys)
	}
	if v.detail.keys == 0 {
		return len(lines)
	}
	key, value := 0, 0
	texts := make([]string, len(lines))
	for i, k := range lines {
		switch k.Action {
		case deploy.Create:
			texts[i] = shorten(k.After)
		case deploy.Delete:
			texts[i] = shorten(k.Before)
		default:
			texts[i] = shorten(k.Before) + " -> " + shorten(k.After)
		}
		key = max(key, len(k.Key))
		value = max(value, min(len([]rune(texts[i])), 30))
	}
	if c.Live() { // only a path that leaves no room for its value is out of line, not all lines
		key = min(key, max(v.Width-len("      + ")-len("  ")-value, 0))
	}
	for i, k := range lines {
		if i == v.detail.keys {
			more = len(lines) - i
			break
		}
		line := fmt.Sprintf("      %s %-*s  %-*s", v.symbol(k.Action), key, target.Escape(k.Key), value, texts[i])
		if why := v.origin(k.From); why != "" && k.Action != deploy.Delete && !c.Live() {
			line += "  " + v.Paint(diag.Dim, why)
		}
		fmt.Fprintln(v.W, strings.TrimRight(line, " "))
	}
	if c.Unchanged+c.NotOurs > 0 {
		fmt.Fprintf(v.W, "      (%s unchanged, %d not managed here)\n", diag.Count(c.Unchanged, "key"), c.NotOurs)
	}
	return more
}

// rights prints the owners and modes that a change corrects.
func (s *Screen) rights(c *deploy.Change) {
	keys := c.RightsKeys()
	wide := 0
	for _, k := range keys {
		wide = max(wide, len(target.Escape(k.Key)))
	}
	for _, k := range keys {
		fmt.Fprintf(s.W, "      %s %-*s  %s -> %s\n", s.symbol(k.Action), wide, target.Escape(k.Key), k.Before, k.After)
	}
}

// foldKeys joins paths with the same change that differ in one key: a number, or a name with a number. Such paths are the same setting of
// many ports, or of many values of a map. Each line is at the place of its first path.
func foldKeys(changes []deploy.KeyChange) []deploy.KeyChange {
	type form struct {
		action             deploy.Action
		before, after, key string
		at                 int
	}
	forms := func(k deploy.KeyChange) []form {
		if strings.Contains(k.Key, "'") { // a key in quotes may have dots in it
			return nil
		}
		var out []form
		parts := strings.Split(k.Key, ".")
		for i, part := range parts {
			if strings.ContainsAny(part, "0123456789") {
				others := slices.Concat(parts[:i], []string{"*"}, parts[i+1:])
				out = append(out, form{k.Action, k.Before, k.After, strings.Join(others, "."), i})
			}
		}
		return out
	}
	many := map[form]int{}
	for _, k := range changes {
		for _, f := range forms(k) {
			many[f]++
		}
	}
	var out []deploy.KeyChange
	place := map[form]int{}
	var names [][]string // per line, the keys in which its paths differ; nil: a single path
	var at []int
	for _, k := range changes {
		var best form
		for _, f := range forms(k) {
			if many[f] > max(many[best], 1) {
				best = f
			}
		}
		i, ok := place[best]
		if !ok || many[best] == 0 {
			i = len(out)
			out, names, at, place[best] = append(out, k), append(names, nil), append(at, best.at), i
		}
		if many[best] > 0 {
			names[i] = append(names[i], strings.Split(k.Key, ".")[best.at])
		}
	}
	for i := range out {
		if len(names[i]) > 1 {
			parts := strings.Split(out[i].Key, ".")
			parts[at[i]] = foldNames(names[i])
			out[i].Key = strings.Join(parts, ".")
		}
	}
	return out
}

// foldNames writes numbers as ranges, and other names as nodesets.
func foldNames(names []string) string {
	for _, n := range names {
		if _, err := strconv.Atoi(n); err != nil {
			return strings.Join(nodeset.Fold(names, nodeset.Interfaces), ",")
		}
	}
	return foldNumbers(names)
}

// file prints a file that changes. It returns the number of keys, and of lines of text, that it leaves out.
func (v *Plan) file(f foldedFile) (moreKeys, moreLines int) {
	c := f.Change
	what := ""
	if f.count > 1 {
		what = fmt.Sprintf("  (%d alike)", f.count)
	}
	if c.Live() {
		what += "  (live state)"
	}
	if c.Action == deploy.Activate {
		what += "  (up to date, but perhaps not in use)"
	}
	if c.OnlyRights() {
		what += "  (only owner and mode, so nothing restarts)"
	}
	if n := v.countsText(c.Counts()); n != "" {
		what += "  " + n
	}
	fmt.Fprintf(v.W, "  %s %s%s\n", v.symbol(c.Action), f.label, what)
	if !v.Drift {
		for _, text := range c.Says {
			v.Prose("      ", target.Escape(text))
		}
	}
	v.rights(c)
	if c.OnlyRights() {
		return 0, 0
	}
	if v.Diff {
		for line := range strings.Lines(c.Unified()) {
			style := ""
			switch line[0] {
			case '+':
				style = diag.Green
			case '-':
				style = diag.Red
			}
			fmt.Fprintf(v.Raw, "      %s\n", v.Paint(style, strings.TrimRight(line, "\n"))) // content, which is one value
		}
		return 0, 0
	}
	text := len(c.Keys) == 0 && c.File.Keys == nil
	if v.detail.keys == 0 && text {
		added, _ := changedLines(c)
		return 0, added
	}
	if text {
		shown := c.After
		if shown == nil {
			shown = c.Before
		}
		lines := diag.Count(strings.Count(string(shown), "\n"), "line")
		if c.Before != nil && c.After != nil {
			added, removed := changedLines(c)
			lines = fmt.Sprintf("%s, of which %d new; %d gone", lines, added, removed)
		}
		fmt.Fprintf(v.W, "      (%s; --diff shows them)\n", lines)
		return 0, 0
	}
	return v.keys(c), 0
}

// changedLines counts the lines that a change adds and removes.
func changedLines(c *deploy.Change) (added, removed int) {
	_, hunks, _ := strings.Cut(c.Unified(), "\n@@") // the lines above name the two sides
	for line := range strings.Lines(hunks) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}

// shorten fits a value into a line: it writes a long list of numbers as ranges, and cuts any other value.
func shorten(s string) string {
	s = target.Escape(s)
	if s == "" {
		return `""`
	}
	if list, ok := strings.CutPrefix(s, "["); ok && len(s) > valueWidth {
		if list, ok = strings.CutSuffix(list, "]"); ok {
			s = "[" + foldNumbers(strings.Split(list, ",")) + "]"
		}
	}
	if r := []rune(s); len(r) > valueWidth {
		return string(r[:valueWidth-1]) + "…"
	}
	return s
}

// foldNumbers writes rising numbers as ranges: 24 25 27 28 29 become "24-25,27-29". Other words stay.
func foldNumbers(items []string) string {
	var out []string
	for i := 0; i < len(items); {
		first, err := strconv.Atoi(strings.TrimSpace(items[i]))
		j := i + 1
		for ; err == nil && j < len(items); j++ {
			if n, err := strconv.Atoi(strings.TrimSpace(items[j])); err != nil || n != first+j-i {
				break
			}
		}
		if j-i == 1 {
			out = append(out, items[i])
		} else {
			out = append(out, fmt.Sprintf("%d-%d", first, first+j-i-1))
		}
		i = j
	}
	return strings.Join(out, ",")
}

// Origin returns the first reason for a value in short form, without the fabric's folder, which all files share.
func (v *Plan) origin(from []target.Origin) string {
	if len(from) == 0 {
		return ""
	}
	first := from[0]
	first.At.Filename = strings.TrimPrefix(first.At.Filename, v.Dir+"/")
	return OriginText(Origins([]target.Origin{first}))
}
