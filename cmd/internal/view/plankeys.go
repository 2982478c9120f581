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

// keys shows the settings of a file that change, and returns how many lines of them it leaves out.
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
	if c.Live() { // paths are long: one that leaves its value no room stands out of line, and not all
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

// rights shows the owners and modes that a change corrects.
func (v *Plan) rights(c *deploy.Change) {
	keys := c.RightsKeys()
	wide := 0
	for _, k := range keys {
		wide = max(wide, len(target.Escape(k.Key)))
	}
	for _, k := range keys {
		fmt.Fprintf(v.W, "      %s %-*s  %s -> %s\n", v.symbol(k.Action), wide, target.Escape(k.Key), k.Before, k.After)
	}
}

// foldKeys joins paths that change alike and differ in one of their keys: a number, or a name with a number. Such keys are the same
// setting of many ports, or of many values of a map. Each path is in one line, at the place of the first of that line.
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
	var names [][]string // of each line, what its paths differ in; nil: it is one path
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

// foldNames writes numbers in ranges, and other names as nodesets.
func foldNames(names []string) string {
	for _, n := range names {
		if _, err := strconv.Atoi(n); err != nil {
			return strings.Join(nodeset.Fold(names, nodeset.Interfaces), ",")
		}
	}
	return foldNumbers(names)
}
